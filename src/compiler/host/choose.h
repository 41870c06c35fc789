/* SPDX-License-Identifier: MIT */
/* Content of shared memory in registers (hold.c), and choices between vectors that a comparison of
 * the same vectors makes (choose.c). */
#ifndef LS_HOST_CHOOSE_H
#define LS_HOST_CHOOSE_H

#include "base/ptrmap.h"
#include "host/host.h"

enum { LS_CHOOSE_LANES = 64 };

/* What choices have been made of two values, for those that follow. */
struct ls_choices {
    struct ls_ptrmap read; /* values that were read from memory: lanes are followed back to them */
    LLVMValueRef of[2], extreme[2]; /* their minimum and maximum */
    bool is_signed;
    LLVMValueRef flip, flipped; /* maximum and minimum in lanes, the other way where flip is true */
    uint64_t flipped_lanes;     /* those of the maximum where it is not */
};

/* In lanes where the mask is on `on`, else `off`. Of a comparison of their lanes it becomes a
 * minimum and a maximum, of which each lane takes one. `made`: `read` alone at first; what it names
 * has to be in front of the builder. */
LLVMValueRef ls_choose(struct ls_cc *cc, LLVMBuilderRef b, struct ls_choices *made,
                       LLVMValueRef mask, LLVMValueRef on, LLVMValueRef off);

/* Whether a lane of a mask is never on. */
bool ls_mask_is_off(LLVMValueRef mask, unsigned lane);

#endif
