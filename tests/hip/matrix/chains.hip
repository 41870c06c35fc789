// SPDX-License-Identifier: MIT
// Products that follow each other in one sum are done together, and two such chains with the same A
// at once: long chains, chains of unlike lengths, sums that are wanted half way, and chains that
// start from each other's results.
// OPT: -O3
// ISA: native avx2
#include "reference.h"

#include <lockstep/wmma.h>

using namespace lockstep;

enum { TILES = 10, TILE = 256, RESULTS = 12 };
typedef wmma::fragment_a<__hip_bfloat16> frag_a;
typedef wmma::fragment_b<__hip_bfloat16> frag_b;

__device__ static void
put(float *d, int i, const wmma::fragment_c &c)
{
    wmma::store_d(d + i * TILE, c, 16, wmma::row_major());
}

__global__ void
chains(float *d, const __hip_bfloat16 *a, const __hip_bfloat16 *b)
{
    frag_a fa[TILES];
    frag_b fb[TILES];
    wmma::fragment_c s[RESULTS];

#pragma unroll
    for (int t = 0; t < TILES; t++) {
        fa[t] = wmma::load_a(a + t * TILE, 16, wmma::row_major());
        fb[t] = wmma::load_b(b + t * TILE, 16, wmma::row_major());
    }
#pragma unroll
    for (int i = 0; i < RESULTS; i++)
        s[i] = wmma::fill_c((float)i);
    /* 0, 1: nine links with the same As. */
#pragma unroll
    for (int t = 0; t < 9; t++)
        s[0] = wmma::mma(fa[t], fb[t], s[0]);
#pragma unroll
    for (int t = 0; t < 9; t++)
        s[1] = wmma::mma(fa[t], fb[9 - t], s[1]);
    /* 2, 3: the same last A after unlike numbers of links. */
    s[2] = wmma::mma(fa[0], fb[1], s[2]);
    s[3] = wmma::mma(fa[2], fb[3], wmma::mma(fa[1], fb[2], s[3]));
    s[2] = wmma::mma(fa[2], fb[5], s[2]);
    s[3] = wmma::mma(fa[2], fb[4], s[3]);
    /* 4: half way also in 5; 6 goes on from 4, with its As. */
    s[4] = wmma::mma(fa[3], fb[0], s[4]);
    s[5] = s[4] = wmma::mma(fa[4], fb[1], s[4]);
    s[4] = wmma::mma(fa[5], fb[2], s[4]);
    s[6] = wmma::mma(fa[5], fb[6], wmma::mma(fa[4], fb[7], s[4]));
    /* 7: one product with its own sum as C twice; 8: C of two at once. */
    s[7] = wmma::mma(fa[6], fb[6], s[7]);
    s[8] = wmma::mma(fa[7], fb[7], s[7]);
    s[7] = wmma::mma(fa[7], fb[8], s[7]);
    /* 9, 10, 11: three with one A in turns. */
#pragma unroll
    for (int t = 0; t < 3; t++)
#pragma unroll
        for (int i = 9; i < 12; i++)
            s[i] = wmma::mma(fa[t], fb[(t + i) % TILES], s[i]);
#pragma unroll
    for (int i = 0; i < RESULTS; i++)
        put(d, i, s[i]);
}

static std::vector<int> tiles_a(TILES *TILE), tiles_b(TILES *TILE);

static std::vector<int>
mma(int a, int b, const std::vector<int> &c)
{
    std::vector<int> d = c;
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++)
            for (int k = 0; k < 16; k++)
                d[(size_t)(i * 16 + j)] += tiles_a[(size_t)(a * TILE + i * 16 + k)] *
                                           tiles_b[(size_t)(b * TILE + k * 16 + j)];
    return d;
}

int
main()
{
    std::vector<__hip_bfloat16> a(TILES * TILE), b(a.size());
    std::vector<float> got(RESULTS * TILE);
    std::vector<int> s[RESULTS];
    __hip_bfloat16 *da, *db;
    float *dd;
    numbers rnd(5);

    for (size_t i = 0; i < a.size(); i++) {
        a[i] = __float2bfloat16((float)(tiles_a[i] = rnd.next(-3, 3)));
        b[i] = __float2bfloat16((float)(tiles_b[i] = rnd.next(-3, 3)));
    }
    for (int i = 0; i < RESULTS; i++)
        s[i].assign(TILE, i);
    for (int t = 0; t < 9; t++) {
        s[0] = mma(t, t, s[0]);
        s[1] = mma(t, 9 - t, s[1]);
    }
    s[2] = mma(2, 5, mma(0, 1, s[2]));
    s[3] = mma(2, 4, mma(2, 3, mma(1, 2, s[3])));
    s[5] = mma(4, 1, mma(3, 0, s[4]));
    s[4] = mma(5, 2, s[5]);
    s[6] = mma(5, 6, mma(4, 7, s[4]));
    s[7] = mma(6, 6, s[7]);
    s[8] = mma(7, 7, s[7]);
    s[7] = mma(7, 8, s[7]);
    for (int i = 9; i < 12; i++)
        for (int t = 0; t < 3; t++)
            s[i] = mma(t, (t + i) % TILES, s[i]);

    CHECK_HIP(hipMalloc((void **)&da, a.size() * 2));
    CHECK_HIP(hipMalloc((void **)&db, b.size() * 2));
    CHECK_HIP(hipMalloc((void **)&dd, got.size() * 4));
    CHECK_HIP(hipMemcpy(da, a.data(), a.size() * 2, hipMemcpyHostToDevice));
    CHECK_HIP(hipMemcpy(db, b.data(), b.size() * 2, hipMemcpyHostToDevice));
    chains<<<1, (unsigned)warpSize>>>(dd, da, db);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(got.data(), dd, got.size() * 4, hipMemcpyDeviceToHost));
    for (int i = 0; i < RESULTS; i++)
        for (size_t at = 0; at < TILE; at++)
            if (got[(size_t)i * TILE + at] != (float)s[i][at])
                FAIL("chain %d: element %zu is %g, expected %d", i, at,
                     (double)got[(size_t)i * TILE + at], s[i][at]);
    return 0;
}
