/* SPDX-License-Identifier: MIT */
/* __ballot, __any, __all, __activemask, lane ids and mbcnt: in straight code, divergent code,
 * partial warps. */
// PTX: yes
#include "../check.h"

__global__ void
straight(uint64_t *out, const int *in)
{
    unsigned i = global_id();
    uint64_t *o = out + 6 * (size_t)i;

    o[0] = __ballot(in[i] > 0);
    o[1] = (uint64_t)(__any(in[i] == 0) != 0) + 2 * (uint64_t)(__all(in[i] > -1000000000) != 0) +
           4 * (uint64_t)(__all(in[i] != 0) != 0);
    o[2] = __activemask();
    o[3] = __lane_id();
    o[4] = __builtin_amdgcn_mbcnt_hi(0xffffffffu, __builtin_amdgcn_mbcnt_lo(0xffffffffu, 5u));
    uint64_t m = __ballot(in[i] & 1);
    o[5] = (uint64_t)__builtin_amdgcn_mbcnt_hi((unsigned)(m >> 32),
                                               __builtin_amdgcn_mbcnt_lo((unsigned)m, 0u));
}

__global__ void
divergent(uint64_t *out, const int *in)
{
    unsigned i = global_id();
    uint64_t r = 0;

    if (in[i] > 0) {
        r = __ballot(in[i] & 1);
        r ^= __activemask() << 1;
        if (__all(in[i] > 0))
            r += 3;
    } else if (__any(in[i] == 0)) {
        r = __activemask();
    }
    for (int k = 0; k < (int)(i & 3); k++)
        r += __ballot(1) * (uint64_t)(k + 1);
    out[i] = r;
}

int
main()
{
    const unsigned warp = (unsigned)host_warp_size();

    for (dim3 b : test_shapes()) {
        const unsigned t = threads_of(b), blocks = 3, n = t * blocks;
        std::vector<int> in = map_input(n);
        std::vector<uint64_t> want(6 * n), dwant(n);
        Dev<int> din(in);
        Dev<uint64_t> out(6 * n), dout(n);

        for (unsigned i = 0; i < n; i++) {
            unsigned l = i % t % warp, base = i - l,
                     size = t - (i % t - l) < warp ? t - (i % t - l) : warp;
            uint64_t positive = 0, odd = 0, alive = 0, zero = 0, live[4] = {0};
            for (unsigned k = 0; k < size; k++) {
                int v = in[base + k];
                alive |= 1ull << k;
                positive |= (uint64_t)(v > 0) << k;
                odd |= (uint64_t)(v & 1) << k;
                zero |= (uint64_t)(v == 0) << k;
                for (unsigned r = 0; r < 4; r++)
                    live[r] |= (uint64_t)(((base + k) & 3) > r) << k;
            }
            uint64_t *o = &want[6 * i];
            o[0] = positive;
            o[1] = (zero ? 1 : 0) + 2 + (zero ? 0 : 4);
            o[2] = alive;
            o[3] = l;
            o[4] = l + 5;
            o[5] = (uint64_t)__builtin_popcountll(odd & ((1ull << l) - 1));
            uint64_t r = 0;
            if (in[i] > 0)
                r = ((odd & positive) ^ (positive << 1)) + 3;
            else if (zero)
                r = alive & ~positive;
            for (unsigned k = 0; k < (i & 3); k++)
                r += live[k] * (k + 1);
            dwant[i] = r;
        }
        straight<<<blocks, b>>>(out, din);
        check_same("straight", out.get(), want);
        divergent<<<blocks, b>>>(dout, din);
        check_same("divergent", dout.get(), dwant);
    }
    return 0;
}
