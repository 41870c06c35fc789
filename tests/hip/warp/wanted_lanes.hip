/* SPDX-License-Identifier: MIT */
/* Sums of which only some lanes are looked at in the end: the first, a few, one in the middle, all
 * behind a barrier; in loops, and with what lies beside them. */
#include "../check.h"

enum { BLOCK = 256, N = 16 };

template <typename T>
__global__ void
sums(T *first, T *few, T *middle, T *late, const T *in, int rounds)
{
    __shared__ T of_warp[BLOCK];
    unsigned t = local_id(), lane = t % warpSize;
    T up = 0, v, x;

    for (int r = 0; r < rounds; r++) { /* what lane 0 has goes round */
        v = in[(unsigned)r * BLOCK + t] + up;
        for (int d = warpSize / 2; d > 0; d /= 2)
            v += __shfl_down(v, (unsigned)d);
        up = lane == 0 ? v : up + 1;
    }
    x = up;
    for (int d = warpSize / 2; d > 2; d /= 2)
        x += __shfl_xor(x, d);
    if (lane == 0)
        first[t / warpSize] = v;
    if (lane < 3)
        few[t / warpSize * 3 + lane] = x;
    if (lane == 5)
        middle[t / warpSize] = x - v;
    of_warp[t] = v;
    __syncthreads();
    T sum = up;
    for (unsigned w = 0; w < BLOCK / warpSize; w++)
        sum += of_warp[w * warpSize];
    __syncthreads();
    if (t % 64 == 0 || t == 9)
        late[t] = sum + x;
}

template <typename T>
static void
run(const char *name)
{
    const unsigned warp = (unsigned)host_warp_size(), warps = BLOCK / warp;
    const int rounds = 3;
    std::vector<T> in(N * BLOCK), first(warps), few(3 * warps), middle(warps), late(BLOCK),
        v(BLOCK), up(BLOCK), x(BLOCK);

    for (unsigned i = 0; i < N * BLOCK; i++)
        in[i] = (T)(mix(i) & 1023);
    for (int r = 0; r < rounds; r++) {
        for (unsigned t = 0; t < BLOCK; t++)
            v[t] = in[(unsigned)r * BLOCK + t] + up[t];
        for (unsigned d = warp / 2; d > 0; d /= 2) {
            std::vector<T> old = v;
            for (unsigned t = 0; t < BLOCK; t++)
                v[t] = old[t] + old[t % warp + d < warp ? t + d : t];
        }
        for (unsigned t = 0; t < BLOCK; t++)
            up[t] = t % warp == 0 ? v[t] : up[t] + 1;
    }
    x = up;
    for (unsigned d = warp / 2; d > 2; d /= 2) {
        std::vector<T> old = x;
        for (unsigned t = 0; t < BLOCK; t++)
            x[t] = old[t] + old[t ^ d];
    }
    for (unsigned w = 0; w < warps; w++) {
        first[w] = v[w * warp];
        for (unsigned k = 0; k < 3; k++)
            few[w * 3 + k] = x[w * warp + k];
        middle[w] = x[w * warp + 5] - v[w * warp + 5];
    }
    for (unsigned t = 0; t < BLOCK; t++) {
        T sum = up[t];
        for (unsigned w = 0; w < warps; w++)
            sum += v[w * warp];
        late[t] = t % 64 == 0 || t == 9 ? sum + x[t] : 0;
    }
    Dev<T> din(in), f(warps), s(3 * warps), m(warps), l(BLOCK);
    sums<T><<<1, BLOCK>>>(f.p, s.p, m.p, l.p, din.p, rounds);
    check_same(name, f.get(), first);
    check_same(name, s.get(), few);
    check_same(name, m.get(), middle);
    check_same(name, l.get(), late);
}

int
main()
{
    run<int>("int");
    run<float>("float"); /* whole numbers below 2^24: any order of sums gives the same */
    run<double>("double");
    run<unsigned long long>("unsigned long long");
    return 0;
}
