/* SPDX-License-Identifier: MIT */
/* What the sweep over threads and a side of it (ours, OpenMP C) agree on: a side is a shared object
 * that exports `const struct sweep_side sweep_side`, loaded in a process of its own. */
#ifndef LS_BENCH_SWEEP_H
#define LS_BENCH_SWEEP_H

#ifdef __cplusplus
extern "C" {
#endif

enum sweep_row { SWEEP_empty1 = 0, SWEEP_empty1024, SWEEP_saxpy, SWEEP_nbody, SWEEP_ROWS };

#define SWEEP_BLOCKS     1024u
#define SWEEP_FLOATS     (1u << 20)
#define SWEEP_LAUNCHES   100
#define SWEEP_SCALE      0.5f
#define SWEEP_BODIES     16384u
#define SWEEP_SKIP       77

/* x[i] of saxpy: small integers, so that 100 sums are exact in any order of operations. */
#define SWEEP_X(i) ((float)((i) % 1021u))

/* All return 0, or nonzero after writing a line to stderr. setup makes the row's data resident; run
 * is what is timed; fetch copies the result to out: floats of saxpy's y, or of n-body's
 * accelerations (4 a body). setup answers SWEEP_SKIP for a row that the side does not have. */
struct sweep_side {
    const char *name;
    int (*setup)(enum sweep_row row, const float *in);
    int (*run)(void);
    int (*fetch)(float *out);
};

#ifdef __cplusplus
}
#endif
#endif
