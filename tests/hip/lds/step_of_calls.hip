/* SPDX-License-Identifier: MIT */
/* Lanes of a warp read what others have just stored in LDS by a function that stays out of line, or
 * store what others have just read in one. */
// SCALAR: no, lanes of a warp read before any of them writes
// OPT: -O3
// PTX: yes
#include "../check.h"

__shared__ int room[64];

__device__ __attribute__((noinline)) void
put(int *p, int t, int v)
{
    p[t] = v;
}

__device__ __attribute__((noinline)) int
get(const int *p, int t)
{
    return p[(t + 5) % 32];
}

__device__ __attribute__((noinline)) void
put_there(int t, int v)
{
    room[t] = v;
}

__device__ __attribute__((noinline)) int
get_there(int t)
{
    return room[(t + 7) % 32];
}

__global__ void
by_variable(int *out)
{
    int t = (int)threadIdx.x;

    put_there(t, 3 * t);
    int a = room[(t + 5) % 32];
    put_there(t, a + 1);
    int b = get_there(t);
    room[t] = 2 * b;
    out[t] = a;
    out[32 + t] = b;
    out[64 + t] = get_there(t);
}

__global__ void
by_pointer(int *out)
{
    __shared__ int own[32];
    int t = (int)threadIdx.x;

    put(own, t, 3 * t);
    int a = own[(t + 5) % 32];
    own[t] = a + 1;
    int b = get(own, t);
    put(own, t, 2 * b);
    out[t] = a;
    out[32 + t] = b;
    out[64 + t] = get(own, t);
}

static std::vector<int>
expected(int near, int far)
{
    std::vector<int> want(96);

    for (int t = 0; t < 32; t++)
        want[(size_t)t] = 3 * ((t + near) % 32);
    for (int t = 0; t < 32; t++)
        want[32 + (size_t)t] = want[(size_t)(t + far) % 32] + 1;
    for (int t = 0; t < 32; t++)
        want[64 + (size_t)t] = 2 * want[32 + (size_t)(t + far) % 32];
    return want;
}

int
main()
{
    Dev<int> out(96);

    by_variable<<<1, 32>>>(out);
    CHECK_RUN();
    check_same("by variable", out.get(), expected(5, 7));
    by_pointer<<<1, 32>>>(out);
    CHECK_RUN();
    check_same("by pointer", out.get(), expected(5, 5));
    return 0;
}
