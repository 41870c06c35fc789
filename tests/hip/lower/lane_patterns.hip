/* SPDX-License-Identifier: MIT */
/* Reads across lanes with patterns known only at run time, with masks, and the patterns that DPP
 * does not have: bpermute, permute, swizzle, readlane and writelane, permlane where the arch has
 * them. */
#include "../check.h"

enum { ROW = 12 };

__global__ void
patterns(int *out, const int *in, const int *at, int shift)
{
    unsigned i = global_id(), lane = (unsigned)__lane_id();
    int v = in[i], index = at[i];
    int *o = out + ROW * (size_t)i;

    o[0] = __builtin_amdgcn_ds_bpermute(4 * index, v);
    o[1] = __builtin_amdgcn_ds_bpermute(4 * ((int)lane + shift), v);
    o[2] = __builtin_amdgcn_ds_permute(4 * (((int)lane * 5 + shift) & (warpSize - 1)), v);
    o[3] = __builtin_amdgcn_ds_swizzle(v, 0x041f);  /* xor 1 */
    o[4] = __builtin_amdgcn_ds_swizzle(v, 0x7c1f);  /* xor 31 */
    o[5] = __builtin_amdgcn_ds_swizzle(v, 0x8000 | 0x1b); /* quads reversed */
    o[6] = __builtin_amdgcn_ds_swizzle(v, 0x0010); /* the half's first */
    o[7] = __builtin_amdgcn_readlane(v, shift);
    o[8] = __builtin_amdgcn_readfirstlane(index);
    o[9] = o[10] = o[11] = 0;
    if (lane % 3 == 2) {
        o[9] = __builtin_amdgcn_readfirstlane(v);
        o[10] = __popcll(__ballot(v & 1));
    }
    double d = __shfl_xor((double)v * 0.5, shift);
    o[11] = (int)(2 * d);
}

int
main()
{
    const unsigned warp = (unsigned)host_warp_size(), n = 256;
    const int shift = 5;
    std::vector<int> in = map_input(n), at(n), want(ROW * n);

    for (unsigned i = 0; i < n; i++)
        at[i] = (int)(mix(i) % 64);
    for (unsigned i = 0; i < n; i++) {
        unsigned l = i % warp, base = i - l;
        int *o = &want[ROW * i];
        const int *w = &in[base];
        o[0] = w[(unsigned)at[i] % warp];
        o[1] = w[(l + shift) % warp];
        for (unsigned k = 0; k < warp; k++)
            if ((k * 5 + shift) % warp == l)
                o[2] = w[k];
        o[3] = w[l ^ 1];
        o[4] = w[l ^ 31];
        o[5] = w[l ^ 3];
        o[6] = w[l & ~15u];
        o[7] = w[shift];
        o[8] = at[base];
        o[9] = o[10] = 0;
        if (l % 3 == 2) {
            o[9] = w[2];
            for (unsigned k = 2; k < warp; k += 3)
                o[10] += w[k] & 1;
        }
        o[11] = w[l ^ shift];
    }
    Dev<int> din(in), dat(at), out(ROW * n);
    patterns<<<n / 128, 128>>>(out.p, din.p, dat.p, shift);
    check_same("patterns", out.get(), want);
    return 0;
}
