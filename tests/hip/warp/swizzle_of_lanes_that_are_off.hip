/* SPDX-License-Identifier: MIT */
/* ds_swizzle and DPP8 read 0 from lanes that do not run: in a branch, and behind a warp's last
 * thread. */
// PTX: yes
#include "../check.h"

enum { ROW = 3, N = 45 };

__global__ void
swizzle(int *out)
{
    unsigned i = threadIdx.x;
    int x = 100 + (int)i, *o = out + ROW * i;

    o[0] = __builtin_amdgcn_ds_swizzle(x, 0x041f); /* the neighbour's */
    o[1] = o[2] = -1;
    if (i % 3 != 1) {
        o[1] = __builtin_amdgcn_ds_swizzle(2 * x, 0x80b1); /* the same, by quads */
#ifdef __gfx1100__
        o[2] = (int)__builtin_amdgcn_mov_dpp8((unsigned)(3 * x), 0xd63441);
#endif
    }
}

int
main()
{
    Dev<int> out(ROW * N);
    std::vector<int> want(ROW * N);
    const bool has_dpp8 = host_warp_size() == 32;

    for (unsigned i = 0; i < N; i++) {
        unsigned from = i ^ 1, of8 = (i & ~7u) + (0xd63441u >> (3 * (i & 7)) & 7);
        bool on = i % 3 != 1;

        want[ROW * i] = from < N ? 100 + (int)from : 0;
        want[ROW * i + 1] = !on ? -1 : from < N && from % 3 != 1 ? 2 * (100 + (int)from) : 0;
        want[ROW * i + 2] = !on || !has_dpp8          ? -1
                            : of8 < N && of8 % 3 != 1 ? 3 * (100 + (int)of8)
                                                      : 0;
    }
    swizzle<<<1, N>>>(out);
    check_same("swizzle", out.get(), want);
    return 0;
}
