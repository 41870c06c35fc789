/* SPDX-License-Identifier: MIT */
/* What the harness and a peer (ours, PoCL, OpenMP C) agree on: one shared object per peer, one
 * process per peer and case. */
#ifndef LS_BENCH_PEER_H
#define LS_BENCH_PEER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bench_case {
#define LS_CASE(id, title, pocl, omp, ispc) BENCH_##id,
#include "cases.def"
#undef LS_CASE
    BENCH_COUNT
};

/* Sizes of the cases; all are multiples of the block size. */
#define N_STREAM     (32u << 20)
#define N_SAXPY      (128u << 10)
#define SAXPY_REPS   100
#define N_BODY       8192u
#define N_MATMUL     1024u
#define TILE64       64u   /* of matmul64: 16 x 16 threads with 4 x 4 sums each, 16 deep */
#define N_WMMA       1024u /* f16 or bf16 bits; B is column-major */
#define N_REDUCE     (64u << 20)
#define N_HISTOGRAM  (64u << 20)
#define N_ATOMIC     (4u << 20)
#define N_COUNTERS   16u
#define N_MANDEL     2048u
#define MANDEL_ITERS 1000
#define N_OPTION     (4u << 20)
#define N_STENCIL    4096u
#define N_SOBEL       4096u
#define N_TRANSPOSE   4096u /* rows and columns; tiles are 32 x 32 */
#define N_SCAN       (16u << 20)
#define SCAN_BLOCK   256u
#define N_BITONIC    (4u << 20)
#define BITONIC_BLOCK 1024u
#define N_GATHER     (16u << 20)
#define N_GEMV       1024u
#define N_WALK       (16u << 20)
#define WALK_PARTS   256u
#define N_POINTS     (2u << 20)
#define N_OWN        (256u << 10) /* rows */
#define OWN_LENGTH   50u
#define N_COLUMNS     2048u /* and rows */
#define N_Q4         4096u /* rows and columns */
#define Q4_BLOCK     32u   /* weights that share a scale */
#define N_TEXTURE    2048u
#define TEXTURE_COS  0.87758256f /* the image is turned by half a radian */
#define TEXTURE_SIN  0.47942554f
#define NBODY_SOFT   0.01f
#define TRIAD_SCALE  3.0f
#define SAXPY_SCALE  0.5f
#define RISK_FREE    0.02f
#define VOLATILITY   0.30f

/* Weights of 4 bits, each 8 too large: the low halves of the bytes, then the high ones; and what
 * they are multiplied with. Scales are halves, as bits; sum: the scaled sum of the digits. */
struct bench_q4 {
    unsigned short scale;
    unsigned char nibbles[Q4_BLOCK / 2];
};
struct bench_q8 {
    unsigned short scale, sum;
    signed char digits[Q4_BLOCK];
};

/* Host arrays of one case: read-only inputs, and one output that fetch() fills. Byte sizes; 0 =
 * unused. */
struct bench_data {
    const void *in[3];
    size_t in_bytes[3];
    void *out;
    size_t out_bytes;
};

/* All return 0, or nonzero after writing a line to stderr. A peer exports `const struct bench_peer
 * bench_peer`. setup makes buffers resident and compiles; run is what is timed: the kernel and a
 * synchronize; fetch brings the result to data->out (reductions: one double). setup answers
 * BENCH_SKIP for a case it does not have. */
#define BENCH_SKIP 77
struct bench_peer {
    const char *name;
    int (*setup)(enum bench_case c, const struct bench_data *data);
    int (*run)(void);
    int (*fetch)(const struct bench_data *data);
    void (*teardown)(void);
};

#ifdef __cplusplus
}
#endif
#endif
