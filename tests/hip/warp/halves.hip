/* SPDX-License-Identifier: MIT */
/* 64 bits between lanes: by two operations of 32 in the source, both halves of a number, with all
 * lanes on and with some. */
#include "../check.h"

typedef unsigned long long word;

#define LOW(x)       ((int)(x))
#define HIGH(x)      ((int)((x) >> 32))
#define BOTH(lo, hi) ((word)(unsigned)(hi) << 32 | (unsigned)(lo))
#define PERMUTE __builtin_amdgcn_ds_bpermute
#define SWIZZLE __builtin_amdgcn_ds_swizzle

__device__ static void
moves(word *o, word x, int lane)
{
    int at = (lane ^ 5) * 4, any = (lane * 11 + 3) * 4;

    o[0] = BOTH(PERMUTE(at, LOW(x)), PERMUTE(at, HIGH(x)));
    o[1] = BOTH(PERMUTE(any, LOW(x)), PERMUTE(any, HIGH(x)));
    o[2] = BOTH(__builtin_amdgcn_readlane(LOW(x), 6), __builtin_amdgcn_readlane(HIGH(x), 6));
    o[3] = BOTH(__builtin_amdgcn_readfirstlane(LOW(x)), __builtin_amdgcn_readfirstlane(HIGH(x)));
    o[4] = BOTH(SWIZZLE(LOW(x), 0x041f), SWIZZLE(HIGH(x), 0x041f));
    o[5] = BOTH(__builtin_amdgcn_update_dpp(7, LOW(x), 0x111, 15, 15, false),
                __builtin_amdgcn_update_dpp(9, HIGH(x), 0x111, 15, 15, false));
    /* the other way round, and from two numbers */
    o[6] = BOTH(PERMUTE(at, HIGH(x)), PERMUTE(at, LOW(x)));
    o[7] = BOTH(PERMUTE(at, LOW(x)), PERMUTE(any, HIGH(x)));
}

__global__ void
run(word *out, const word *in, unsigned off)
{
    unsigned i = global_id();
    int lane = (int)(local_id() % warpSize);
    word x = in[i];

    if (!(off >> (lane & 7) & 1))
        moves(out + 8 * (size_t)i, x, lane);
}

int
main()
{
    const unsigned warp = (unsigned)host_warp_size(), n = 4 * warp;
    std::vector<word> in(n), want(8 * n);

    for (unsigned i = 0; i < n; i++)
        in[i] = (word)mix(i) << 32 | mix(i + n);
    Dev<word> din(in), out(8 * n);
    for (unsigned off : {0u, 0x92u}) {
        for (unsigned i = 0; i < n; i++) {
            unsigned base = i / warp * warp, l = i % warp, first = 0;
            word *o = &want[8 * i];
            auto get = [&](unsigned lane) {
                lane %= warp;
                return off >> (lane & 7) & 1 ? 0 : in[base + lane];
            };
            while (off >> first & 1)
                first++;
            if (off >> (l & 7) & 1) {
                for (int k = 0; k < 8; k++)
                    o[k] = 0;
                continue;
            }
            o[0] = get(l ^ 5);
            o[1] = get(l * 11 + 3);
            o[2] = in[base + 6];
            o[3] = in[base + first];
            o[4] = get(l ^ 1);
            o[5] = l % 16 && get(l - 1) ? get(l - 1) : (word)9 << 32 | 7;
            o[6] = get(l ^ 5) << 32 | get(l ^ 5) >> 32;
            o[7] = get(l * 11 + 3) >> 32 << 32 | (unsigned)get(l ^ 5);
        }
        out.zero();
        run<<<n / (2 * warp), 2 * warp>>>(out.p, din.p, off);
        check_same("halves", out.get(), want);
    }
    return 0;
}
