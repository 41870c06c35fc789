/* SPDX-License-Identifier: MIT */
/* Inside `lsreview transpose`: steps from one register assignment to another. */
#ifndef LS_LSCHECK_TRANSPOSE_H
#define LS_LSCHECK_TRANSPOSE_H

#include "base/notation.h"

enum {
    MOST_SIMD = 2,
    MOST_REGISTERS = 5,
    MOST_THREADS = 6,
    MOST_PLACES = MOST_SIMD + MOST_REGISTERS + MOST_THREADS,
    MOST_STEPS = 32,
};

enum step_kind {
    STEP_LOCAL, /* a simd bit for a register bit */
    STEP_WARP,  /* a register bit for a thread bit */
    STEP_SIMD,  /* the two simd bits for each other */
    STEP_LANES, /* threads' bits, all at once: the last step */
};

/* Places: simd bits from 0 on, then register bits, then thread bits. */
struct step {
    enum step_kind kind;
    unsigned one, two; /* places that change; of a local step the simd bit is the first, of a warp
                          step the register bit */
};

struct plan {
    unsigned n_simd, n_registers, n_threads, n;
    struct ls_notation_bit bits[MOST_PLACES];
    uint8_t from[MOST_PLACES], to[MOST_PLACES]; /* bit by place */
    uint8_t end[MOST_PLACES]; /* where the bits are behind all steps but the last */
    struct step steps[MOST_STEPS];
    unsigned n_steps;
};

/* False after a message. */
bool make_plan(const struct ls_notation *from, const struct ls_notation *to, struct plan *p);
void put_code(const struct plan *p, const struct ls_notation *from, const struct ls_notation *to);

#endif
