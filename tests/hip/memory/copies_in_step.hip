/* SPDX-License-Identifier: MIT */
/* Structures copied between lanes of one warp in place: all lanes read before the first one writes.
 * Fills and copies of private variables of several element sizes. */
// SCALAR: no, lanes of a warp read before any of them writes
#include "../check.h"

template <int BYTES>
struct Thing {
    unsigned char b[BYTES];
};

struct Three {
    float x, y, z;
};

template <typename T>
__global__ void
permute(T *out, const T *in)
{
    __shared__ T room[64];
    unsigned lane = threadIdx.x % warpSize, warp = threadIdx.x - lane;

    room[threadIdx.x] = in[threadIdx.x];
    room[warp + (lane * 5 + 3) % warpSize] = room[warp + lane];
    out[threadIdx.x] = in[threadIdx.x];
    out[warp + (lane * 3 + 1) % warpSize] = room[threadIdx.x];
    if (lane % 3 == 0 && lane + 3 < warpSize)
        out[threadIdx.x + 3] = out[threadIdx.x];
}

template <typename T>
static void
permuted(const char *name)
{
    const int n = host_warp_size();
    std::vector<T> in(n), room(n), want(n), moved;

    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof(T); k++)
            ((unsigned char *)&in[i])[k] = (unsigned char)(mix((uint32_t)(i * 97 + k)) & 0x3f);
    for (int i = 0; i < n; i++)
        room[(i * 5 + 3) % n] = in[i];
    for (int i = 0; i < n; i++)
        want[(i * 3 + 1) % n] = room[i];
    moved = want;
    for (int i = 0; i + 3 < n; i += 3)
        moved[i + 3] = want[i];
    Dev<T> din(in), out(n);
    permute<T><<<1, n>>>(out.p, din.p);
    check_same(name, out.get(), moved);
}

template <typename T>
__global__ void
fill(T *out, int n, int turn)
{
    unsigned i = global_id();
    T zero[12] = {0}, ones[7], both[12];

    memset(ones, 0xff, sizeof(ones));
    zero[(i + turn) % 12] = (T)i;
    ones[i % 7] = zero[turn % 12];
    memcpy(both, zero, sizeof(zero));
    memcpy(both + 2, ones, sizeof(ones));
    T sum = 0;
    for (int k = 0; k < 12; k++)
        sum = (T)(sum * 3 + both[(k * turn) % 12]);
    if (i < (unsigned)n)
        out[i] = sum;
}

template <typename T>
static void
filled(const char *name)
{
    const int n = 150, turn = 5;
    std::vector<T> want(n);

    for (int i = 0; i < n; i++) {
        T zero[12] = {0}, ones[7], both[12], sum = 0;

        memset(ones, 0xff, sizeof(ones));
        zero[(i + turn) % 12] = (T)i;
        ones[i % 7] = zero[turn % 12];
        memcpy(both, zero, sizeof(zero));
        memcpy(both + 2, ones, sizeof(ones));
        for (int k = 0; k < 12; k++)
            sum = (T)(sum * 3 + both[(k * turn) % 12]);
        want[i] = sum;
    }
    Dev<T> out(n);
    fill<T><<<blocks_for(n, dim3(64)), 64>>>(out.p, n, turn);
    check_same(name, out.get(), want);
}

int
main()
{
    permuted<Three>("three floats");
    permuted<Thing<7>>("7 bytes");
    permuted<Thing<20>>("20 bytes");
    permuted<Thing<64>>("64 bytes");
    filled<unsigned char>("bytes");
    filled<unsigned short>("shorts");
    filled<unsigned>("words");
    filled<unsigned long long>("longs");
    return 0;
}
