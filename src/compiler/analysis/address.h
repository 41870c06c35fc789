/* SPDX-License-Identifier: MIT */
/* Addresses as sums, to compare them: root + a * x + b * y + constant. */
#ifndef LS_ANALYSIS_ADDRESS_H
#define LS_ANALYSIS_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

enum { LS_ADDRESS_TERMS = 8 };

struct ls_address {
    LLVMValueRef root; /* a pointer that is no GEP */
    struct ls_address_term {
        LLVMValueRef of;
        char extended; /* to 64 bits: 's' with its sign, 'z' with zeros, 0 not */
        int64_t times; /* bytes */
    } terms[LS_ADDRESS_TERMS];
    unsigned n_terms;
    int64_t bytes;
};

/* Reads an address of 64 bits. False: it has a form, or more terms, than are told here. */
bool ls_address_read(LLVMTargetDataRef layout, LLVMValueRef pointer, struct ls_address *a);

/* Whether two addresses are so near to each other, in each thread, that what brings the one's line
 * of the cache brings the other's, too, as a rule. */
bool ls_address_are_near(LLVMTargetDataRef layout, LLVMValueRef a, LLVMValueRef b);

/* Whether `to` is a known number of bytes behind `from`, in each thread. */
bool ls_address_distance(const struct ls_address *from, const struct ls_address *to,
                         int64_t *bytes);

#endif
