/* SPDX-License-Identifier: MIT */
/* What instructions of vectorised code do to a block's shared memory. */
#ifndef LS_HOST_SHARED_H
#define LS_HOST_SHARED_H

#include <stdint.h>

#include "host/host.h"

enum {
    LS_SUM_TERMS = 4,     /* of an address */
    LS_SHARED_LANES = 64, /* of an access that is looked into */
};

/* Bytes behind the begin of shared memory, modulo 2^32: a sum of values times factors. */
struct ls_sum {
    LLVMValueRef value[LS_SUM_TERMS];
    uint32_t factor[LS_SUM_TERMS], constant;
    unsigned n;
};

enum ls_deed {
    LS_DEED_NONE = 0,
    LS_DEED_LOAD,
    LS_DEED_STORE,
    LS_DEED_ANY, /* it reads or writes, or both, somewhere */
};

/* What an instruction does to shared memory. */
struct ls_shared_access {
    enum ls_deed deed;
    bool reads, writes;
    bool is_known; /* what follows is; so it is of loads and stores */
    struct ls_sum at;
    unsigned n, bytes, align; /* elements, bytes of one */
    LLVMTypeRef type;
    LLVMValueRef pointer, value, mask; /* value: of stores; mask: NULL: all lanes */
    LLVMValueRef otherwise;            /* loads with a mask */
};

/* A function that runs warps of a block: its first parameter is ctx. */
struct ls_shared {
    LLVMValueRef fn;
    LLVMTargetDataRef layout;
    bool is_used, escapes; /* escapes: other pointers may point into shared memory */
};

void ls_shared_init(struct ls_shared *s, struct ls_cc *cc, LLVMValueRef fn);
void ls_shared_read(const struct ls_shared *s, struct ls_shared_access *out, LLVMValueRef inst);

/* Where a pointer into shared memory points; false: that is not known, or it is another one. */
bool ls_shared_at(const struct ls_shared *s, LLVMValueRef p, struct ls_sum *at);

/* Whether two places are a known number of bytes from each other. */
bool ls_sum_distance(const struct ls_sum *a, const struct ls_sum *b, int32_t *bytes);

#endif
