/* SPDX-License-Identifier: MIT */
/* DPP: quad_perm, row shifts and rotates, mirrors, masks, bound control; broadcasts only where the
 * arch has them. */
#include "../check.h"

enum { ROW = 14, OLD = -7 };

__global__ void
dpp(int *out, const int *in)
{
    unsigned i = global_id();
    int v = in[i];
    int *o = out + ROW * (size_t)i;

    o[0] = __builtin_amdgcn_update_dpp(OLD, v, 0x1b, 0xf, 0xf, false);  /* quad_perm 3 2 1 0 */
    o[1] = __builtin_amdgcn_update_dpp(OLD, v, 0x101, 0xf, 0xf, false); /* row_shl 1 */
    o[2] = __builtin_amdgcn_update_dpp(OLD, v, 0x10f, 0xf, 0xf,
                                       true); /* row_shl 15, out of bounds = 0 */
    o[3] = __builtin_amdgcn_update_dpp(OLD, v, 0x111, 0xf, 0xf, false); /* row_shr 1 */
    o[4] = __builtin_amdgcn_update_dpp(OLD, v, 0x118, 0xf, 0xf, true);  /* row_shr 8 */
    o[5] = __builtin_amdgcn_update_dpp(OLD, v, 0x123, 0xf, 0xf, false); /* row_ror 3 */
    o[6] = __builtin_amdgcn_update_dpp(OLD, v, 0x140, 0xf, 0xf, false); /* row_mirror */
    o[7] = __builtin_amdgcn_update_dpp(OLD, v, 0x141, 0xf, 0xf, false); /* row_half_mirror */
    o[8] = __builtin_amdgcn_update_dpp(OLD, v, 0x111, 0x5, 0xf, false); /* rows 0 and 2 only */
    o[9] = __builtin_amdgcn_update_dpp(OLD, v, 0x1b, 0xf, 0x6, false);  /* banks 1 and 2 only */
    o[10] = __builtin_amdgcn_mov_dpp(v, 0xb1, 0xf, 0xf, true);          /* quad_perm 1 0 3 2 */
    o[11] = 0;
#if __AMDGCN_WAVEFRONT_SIZE == 64 || __AMDGCN_WAVEFRONT_SIZE__ == 64
    o[12] = __builtin_amdgcn_update_dpp(OLD, v, 0x142, 0xf, 0xf, false); /* row_bcast 15 */
    o[13] = __builtin_amdgcn_update_dpp(OLD, v, 0x143, 0xf, 0xf, false); /* row_bcast 31 */
#else
    o[12] = __builtin_amdgcn_update_dpp(OLD, v, 0x155, 0xf, 0xf, false); /* row_share 5 */
    o[13] = __builtin_amdgcn_update_dpp(OLD, v, 0x163, 0xf, 0xf, false); /* row_xmask 3 */
#endif
    if (i & 1) /* the even lanes are off: without bound control their value is not read */
        o[11] = __builtin_amdgcn_update_dpp(OLD, v, 0x112, 0xf, 0xf, false); /* row_shr 2 */
}

int
main()
{
    const unsigned warp = (unsigned)host_warp_size(), n = 512;
    std::vector<int> in = map_input(n), want(ROW * n);
    Dev<int> din(in), out(ROW * n);

    for (unsigned i = 0; i < n; i++) {
        unsigned r = i % 16, row = i - r, l = i % warp, base = i - l;
        int *o = &want[ROW * i];
        o[0] = in[i ^ 3];
        o[1] = r + 1 < 16 ? in[i + 1] : OLD;
        o[2] = r + 15 < 16 ? in[i + 15] : 0;
        o[3] = r >= 1 ? in[i - 1] : OLD;
        o[4] = r >= 8 ? in[i - 8] : 0;
        o[5] = in[row + (r + 16 - 3) % 16];
        o[6] = in[row + 15 - r];
        o[7] = in[row + (r & 8) + 7 - (r & 7)];
        o[8] = (l / 16) % 2 == 0 ? o[3] : OLD;
        o[9] = r / 4 == 1 || r / 4 == 2 ? o[0] : OLD;
        o[10] = in[i ^ 1];
        o[11] = i & 1 ? (r >= 2 ? in[i - 2] : OLD) : 0;
        if (warp == 64) {
            o[12] = l >= 16 ? in[base + l / 16 * 16 - 1] : OLD;
            o[13] = l >= 32 ? in[base + 31] : OLD;
        } else {
            o[12] = in[row + 5];
            o[13] = in[i ^ 3];
        }
    }
    for (unsigned threads : {64u, 256u}) {
        dpp<<<n / threads, threads>>>(out, din);
        check_same("dpp", out.get(), want);
    }
    return 0;
}
