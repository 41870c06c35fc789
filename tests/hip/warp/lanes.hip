/* SPDX-License-Identifier: MIT */
/* readlane, readfirstlane, ds_bpermute, ds_permute, ds_swizzle, wave_barrier, the builtins below
 * shuffles. */
#include "../check.h"

enum { ROW = 10 };

__global__ void
lanes(int *out, const int *in)
{
    unsigned i = global_id();
    int lane = (int)(local_id() % warpSize), v = in[i];
    int *o = out + ROW * (size_t)i;

    o[0] = __builtin_amdgcn_readfirstlane(v);
    o[1] = __builtin_amdgcn_readlane(v, 5);
    o[2] = __builtin_amdgcn_ds_bpermute(4 * ((lane * 3 + 1) % warpSize), v);
    o[3] = __builtin_amdgcn_ds_permute(4 * (warpSize - 1 - lane), v);
    o[4] = __builtin_amdgcn_ds_swizzle(v, 0x041f);           /* xor 1 in groups of 32 */
    o[5] = __builtin_amdgcn_ds_swizzle(v, 0x8000 | 0xb1);    /* quad permutation 1 0 3 2 */
    o[6] = __builtin_amdgcn_ds_swizzle(v, 0x0010);           /* and 16: lane 0 or 16 of each 32 */
    o[7] = -1;
    if (lane % 3 == 2)
        o[7] = __builtin_amdgcn_readfirstlane(v); /* the first active one */
    o[8] = 0;
    for (int k = 0; k < lane % 4; k++)
        o[8] += __builtin_amdgcn_readfirstlane(lane);
    __builtin_amdgcn_wave_barrier();
    o[9] = 0;
    for (int k = 0; k < warpSize / 16;
         k++) /* not a loop until all are served: that one may be reconverged */
        if (lane / 16 == k)
            o[9] = __builtin_amdgcn_readfirstlane(v);
}

int
main()
{
    const unsigned warp = (unsigned)host_warp_size(), n = 512;
    std::vector<int> in = map_input(n), want(ROW * n);
    Dev<int> din(in), out(ROW * n);

    for (unsigned i = 0; i < n; i++) {
        unsigned l = i % warp, base = i - l, half = i - i % 32;
        int *o = &want[ROW * i];
        o[0] = in[base];
        o[1] = in[base + 5];
        o[2] = in[base + (l * 3 + 1) % warp];
        o[3] = in[base + warp - 1 - l];
        o[4] = in[half + (i % 32 ^ 1)];
        o[5] = in[i ^ 1];
        o[6] = in[half + (i & 16)];
        o[7] = l % 3 == 2 ? in[base + 2] : -1;
        o[8] = 0;
        for (unsigned k = 0; k < l % 4; k++)
            o[8] +=
                (int)(k + 1); /* lanes k+1 .. 3 of a quad are active: the first has number k+1 */
        o[9] = in[base + l / 16 * 16];
    }
    for (unsigned threads : {64u, 256u, 512u}) {
        lanes<<<n / threads, threads>>>(out, din);
        check_same("lanes", out.get(), want);
    }
    return 0;
}
