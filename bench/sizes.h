/* SPDX-License-Identifier: MIT */
/* What bench/sweep and a peer agree on: streaming kernels over arrays of any size. One shared
 * object per peer, one process per peer, kernel and size. */
#ifndef LS_BENCH_SIZES_H
#define LS_BENCH_SIZES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows: id, arrays that it needs. */
#define SIZES_KERNELS(X)                                                                           \
    X(copy, 2)                                                                                     \
    X(triad, 3)                                                                                    \
    X(saxpy, 2)

enum sizes_kernel {
#define SIZES_ID(id, arrays) SIZES_##id,
    SIZES_KERNELS(SIZES_ID)
#undef SIZES_ID
    SIZES_COUNT
};

/* Inputs, such that all results are exact: element i of a is i % A_PERIOD, of b i % B_PERIOD; y
 * begins with 0, and each run of saxpy adds half of 2 * (i % X_PERIOD) to it. */
#define A_PERIOD    1021u
#define B_PERIOD    509u
#define X_PERIOD    7u
#define SWEEP_TRIAD 3.0f
#define SWEEP_SAXPY 0.5f

/* All return 0, or nonzero after writing a line to stderr. A peer exports `const struct sizes_peer
 * sizes_peer`. setup makes n floats of each array resident; run is what is timed: the kernel and a
 * synchronize; check looks at the whole result after `runs` runs. */
struct sizes_peer {
    const char *name;
    int (*setup)(enum sizes_kernel k, size_t n);
    int (*run)(void);
    int (*check)(unsigned runs);
};

#ifdef __HIP__
#define SIZES_EITHER __host__ __device__
#else
#define SIZES_EITHER
#endif

/* What element i of the result is after `runs` runs. */
static inline SIZES_EITHER float
sizes_want(enum sizes_kernel k, size_t i, unsigned runs)
{
    if (k == SIZES_copy)
        return (float)(i % A_PERIOD);
    if (k == SIZES_triad)
        return (float)(i % A_PERIOD) + SWEEP_TRIAD * (float)(i % B_PERIOD);
    return (float)runs * (float)(i % X_PERIOD);
}

#ifdef __cplusplus
}
#endif
#endif
