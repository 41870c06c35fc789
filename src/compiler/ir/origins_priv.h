/* SPDX-License-Identifier: MIT */
/* What origins.c and its memory and arithmetic share. */
#ifndef LS_IR_ORIGINS_PRIV_H
#define LS_IR_ORIGINS_PRIV_H

#include "base/ptrmap.h"
#include "compiler/ir/checks_priv.h"

enum { LS_ORIGINS_JOINED = 4 };

/* Where a byte came from: base + add, and base NULL: from no memory. Numbers below LS_NOTE_NOWHERE
 * are none, too. */
struct ls_origin {
    LLVMValueRef base; /* i64 */
    int64_t add;
};

struct ls_origins_list {
    LLVMValueRef *all;
    size_t n, cap;
};

struct ls_origins {
    const struct ls_origin *(*of)(struct ls_origins *o, LLVMValueRef v); /* ls_origins_of */
    struct ls_cc *cc;
    LLVMBuilderRef b;
    LLVMTypeRef i64;
    LLVMValueRef fn;
    struct ls_ptrmap map; /* value -> its bytes' origins */
    struct ls_origins_list phis;
    size_t n_filled;           /* of them */
    bool loads_shared;         /* some origin was read from shared memory */
    struct ls_ptrmap privates; /* alloca -> that of its origins */
    bool has_privates;
    struct ls_ptrmap stored; /* stores that are dealt with, and those of origins */
};

const struct ls_origin *ls_origins_of(struct ls_origins *o, LLVMValueRef v);
unsigned ls_origins_bytes(struct ls_origins *o, LLVMValueRef v); /* 0: it is none of bytes */
struct ls_origin *ls_origins_none(struct ls_origins *o, unsigned n);
LLVMValueRef ls_origins_number(struct ls_origins *o, uint64_t n);
/* As an i64, where the builder stands. */
LLVMValueRef ls_origin_value(struct ls_origins *o, const struct ls_origin *byte);
/* Places the builder behind an instruction. */
void ls_origins_stand_behind(struct ls_origins *o, LLVMValueRef v);
void ls_origins_keep(struct ls_origins *o, struct ls_origins_list *list, LLVMValueRef v);
struct ls_origin *ls_origins_join(struct ls_origins *o, const struct ls_origin *const *from,
                                  unsigned n, unsigned bytes,
                                  LLVMValueRef (*make)(void *user, LLVMValueRef *bases),
                                  void *user);

/* derived.c: of arithmetic, element by element: the one element that it is made of. */
struct ls_origin *ls_origins_derived(struct ls_origins *o, LLVMValueRef v, unsigned n);
/* Of two origins the one that is there, where the other is none; none where both are, behind `v`.
 */
LLVMValueRef ls_origins_either(struct ls_origins *o, LLVMValueRef v, const struct ls_origin *x,
                               const struct ls_origin *y);

/* stored.c: of what is read from memory, and what is stored where origins are read. `fill` is
 * called when there are new phis. */
const struct ls_origin *ls_origins_loaded(struct ls_origins *o, LLVMValueRef load, unsigned n);
void ls_origins_store(struct ls_origins *o, void (*fill)(struct ls_origins *o));

#endif
