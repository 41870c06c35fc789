// SPDX-License-Identifier: MIT
// A lane of a warp writes what another has read before it, without a barrier: the read is in one
// branch, the write in the next, whose condition is the opposite. All lanes come together between
// the two, as they do on hardware.
// SCALAR: no, because a warp is one thread there
#include "../check.h"

__global__ void
read_then_write(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x, before = 0;

    s[t] = 100 + t;
    __syncthreads();
    if (t != 0)
        before = s[t - 1];
    if (t == 0)
        s[0] = 7;
    __syncthreads();
    out[t] = before + 1000 * s[0];
}

__global__ void
write_then_read(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x, after = 0;

    s[t] = 100 + t;
    __syncthreads();
    if (t == 0)
        s[0] = 7;
    if (t != 0)
        after = s[t - 1];
    __syncthreads();
    out[t] = after;
}

int
main()
{
    int *out, h[64];

    CHECK_HIP(hipMalloc(&out, sizeof(h)));
    read_then_write<<<1, 64>>>(out);
    CHECK_HIP(hipMemcpy(h, out, sizeof(h), hipMemcpyDeviceToHost));
    for (int t = 0; t < 64; t++)
        CHECK(h[t] == 7000 + (t ? 99 + t : 0));
    write_then_read<<<1, 64>>>(out);
    CHECK_HIP(hipMemcpy(h, out, sizeof(h), hipMemcpyDeviceToHost));
    CHECK(h[0] == 0 && h[1] == 7);
    for (int t = 2; t < 64; t++)
        CHECK(h[t] == 99 + t);
    return 0;
}
