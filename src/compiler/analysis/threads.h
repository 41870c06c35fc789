/* SPDX-License-Identifier: MIT */
/* What an integer is in each thread of a block, where that depends on nothing but which thread it
 * is: computed for all of them, one after the other. */
#ifndef LS_ANALYSIS_THREADS_H
#define LS_ANALYSIS_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "base/arena.h"
#include "base/ptrmap.h"

struct ls_cc;

/* Where a variable in shared memory lies, in bytes behind its begin; false: it is none. */
typedef bool ls_place_fn(struct ls_cc *cc, LLVMValueRef var, unsigned *at);

struct ls_threads {
    struct ls_cc *cc;    /* borrowed */
    unsigned n, n_lanes; /* thread t is lane t % n_lanes of warp t / n_lanes */
    LLVMValueRef w;      /* the warp's number */
    ls_place_fn *place;
    struct ls_ptrmap map; /* value -> its table, or unknown */
    unsigned left;        /* so many more tables are made */
};

/* `n` threads in warps whose numbers are `w`. */
void ls_threads_init(struct ls_threads *s, struct ls_cc *cc, unsigned n, LLVMValueRef w,
                     ls_place_fn *place);

/* The value (an integer of at most 64 bits; an address in shared memory, as bytes behind its begin)
 * in each thread, without sign; NULL: not known. Where a thread's value is poison any may stand: a
 * thread that uses it for an address or a branch has no meaning. */
const uint64_t *ls_threads_values(struct ls_threads *s, LLVMValueRef v);

#endif
