/* SPDX-License-Identifier: MIT */
/* Strided loops that lanes leave at different times, for limits around the warp and the stride:
 * sums, a loop that starts beyond its limit, one that goes down, values handed from loop to loop,
 * what lanes tell each other in the loop. */
#include "../check.h"

enum { N = 1000, BLOCK = 192 };

__global__ void
strided(unsigned long long *out, const unsigned *in, int n)
{
    unsigned t = local_id();
    unsigned long long up = 0, wide = 0, down = 0, votes = 0;
    int last = -1;

    for (int i = (int)t; i < n; i += BLOCK) {
        up += in[i] * 3ull;
        last = i;
    }
    for (size_t i = t / 2; i < (size_t)n; i += BLOCK / 2)
        wide = wide * 5 + in[i] + (unsigned)last;
    for (int i = n - 1 - (int)t; i >= 0; i -= BLOCK)
        down = down * 7 + in[i];
    for (unsigned i = t; i < (unsigned)n; i += BLOCK)
        votes = votes * 11 + __popcll(__ballot(in[i] & 1));
    __syncthreads(); /* else code for whole blocks would be made */
    out[4 * t] = up + (unsigned)last;
    out[4 * t + 1] = wide;
    out[4 * t + 2] = down;
    out[4 * t + 3] = votes;
}

int
main()
{
    const unsigned warp = (unsigned)host_warp_size();
    std::vector<unsigned> in(N);
    std::vector<unsigned long long> want(4 * BLOCK);

    for (unsigned i = 0; i < N; i++)
        in[i] = mix(i);
    Dev<unsigned> din(in);
    Dev<unsigned long long> out(4 * BLOCK);
    for (int n : {0, 1, 31, 32, 33, 63, 64, 65, 191, 192, 193, 256, 384, 400, 999, 1000}) {
        for (unsigned t = 0; t < BLOCK; t++) {
            unsigned long long up = 0, wide = 0, down = 0, votes = 0;
            int last = -1;
            for (int i = (int)t; i < n; i += BLOCK) {
                up += in[(unsigned)i] * 3ull;
                last = i;
            }
            for (size_t i = t / 2; i < (size_t)n; i += BLOCK / 2)
                wide = wide * 5 + in[i] + (unsigned)last;
            for (int i = n - 1 - (int)t; i >= 0; i -= BLOCK)
                down = down * 7 + in[(unsigned)i];
            for (unsigned i = t; i < (unsigned)n; i += BLOCK) {
                unsigned ones = 0, first = i - t % warp;
                for (unsigned k = first; k < first + warp && k < (unsigned)n; k++)
                    ones += in[k] & 1;
                votes = votes * 11 + ones;
            }
            want[4 * t] = up + (unsigned)last;
            want[4 * t + 1] = wide;
            want[4 * t + 2] = down;
            want[4 * t + 3] = votes;
        }
        strided<<<1, BLOCK>>>(out.p, din.p, n);
        check_same("strided", out.get(), want);
    }
    return 0;
}
