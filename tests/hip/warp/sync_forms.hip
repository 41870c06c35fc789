/* SPDX-License-Identifier: MIT */
/* The _sync forms (64-bit masks), match, reduce: full masks and the mask of a branch. */
#define HIP_ENABLE_WARP_SYNC_BUILTINS
#include "../check.h"

__global__ void
forms(uint64_t *out, const int *in)
{
    unsigned i = global_id();
    const unsigned long long full = warpSize == 64 ? ~0ull : 0xffffffffull;
    uint64_t *o = out + 8 * (size_t)i;
    int v = in[i] & 3, all_same = 0;

    o[0] = (uint64_t)__shfl_sync(full, (int)i, 2);
    o[1] = (uint64_t)__shfl_down_sync(full, (int)i, 1u);
    o[2] = (uint64_t)__shfl_up_sync(full, (int)i, 1u);
    o[3] = (uint64_t)__shfl_xor_sync(full, (int)i, 4);
    o[4] = __ballot_sync(full, in[i] > 0);
    o[5] = __match_any_sync(full, v);
    o[6] = __match_all_sync(full, v, &all_same);
    o[6] = o[6] * 2 + (uint64_t)(all_same != 0);
    o[7] = __match_all_sync(full, 7, &all_same) == full && all_same &&
           __any_sync(full, v == 1) >= 0 && __all_sync(full, v >= 0);
    __syncwarp();
}

__global__ void
branch(uint64_t *out, const int *in)
{
    unsigned i = global_id();
    unsigned long long mask = __ballot(in[i] > 0);
    uint64_t r = 0;

    if (in[i] > 0) {
        int first = __ffsll(mask) - 1;
        r = (uint64_t)__shfl_sync(mask, (int)i, first);
        r = r * 1000 + __popcll(__match_any_sync(mask, in[i] & 1));
        r += __any_sync(mask, in[i] & 1) ? 100000000 : 0;
    }
    out[i] = r;
}

int
main()
{
    const unsigned warp = (unsigned)host_warp_size(), n = 512;
    const uint64_t full = warp == 64 ? ~0ull : 0xffffffffull;
    std::vector<int> in = map_input(n);
    std::vector<uint64_t> want(8 * n), bwant(n);
    Dev<int> din(in);
    Dev<uint64_t> out(8 * n), bout(n);

    for (unsigned i = 0; i < n; i++) {
        unsigned l = i % warp, base = i - l;
        uint64_t positive = 0, same = 0, odd_same = 0;
        bool all = true, any_odd = false;
        for (unsigned k = 0; k < warp; k++) {
            int v = in[base + k];
            positive |= (uint64_t)(v > 0) << k;
            same |= (uint64_t)((v & 3) == (in[i] & 3)) << k;
            all &= (v & 3) == (in[base] & 3);
            odd_same |= (uint64_t)(v > 0 && (v & 1) == (in[i] & 1)) << k;
            any_odd |= v > 0 && (v & 1);
        }
        uint64_t *o = &want[8 * i];
        o[0] = base + 2;
        o[1] = l + 1 < warp ? i + 1 : i;
        o[2] = l ? i - 1 : i;
        o[3] = base + (l ^ 4);
        o[4] = positive;
        o[5] = same;
        o[6] = all ? full * 2 + 1 : 0;
        o[7] = 1;
        bwant[i] = in[i] > 0
                       ? (base + (unsigned)__builtin_ctzll(positive)) * 1000ull +
                             (unsigned)__builtin_popcountll(odd_same) + (any_odd ? 100000000 : 0)
                       : 0;
    }
    for (unsigned threads : {64u, 256u}) {
        forms<<<n / threads, threads>>>(out, din);
        check_same("forms", out.get(), want);
        branch<<<n / threads, threads>>>(bout, din);
        check_same("branch", bout.get(), bwant);
    }
    return 0;
}
