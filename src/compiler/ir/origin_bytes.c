/* SPDX-License-Identifier: MIT */
/* Origins of single bytes: numbers, lists, and several that become one. For origins.c. */
#include <string.h>

#include "compiler/ir/origins_priv.h"

LLVMValueRef
ls_origins_number(struct ls_origins *o, uint64_t n)
{
    return LLVMConstInt(o->i64, n, false);
}

LLVMValueRef
ls_origin_value(struct ls_origins *o, const struct ls_origin *byte)
{
    if (!byte->base)
        return ls_origins_number(o, 0);
    return byte->add ? LLVMBuildAdd(o->b, byte->base, ls_origins_number(o, (uint64_t)byte->add), "")
                     : byte->base;
}

struct ls_origin *
ls_origins_none(struct ls_origins *o, unsigned n)
{
    return ls_arena_alloc(o->cc->arena, (n + 1) * sizeof(struct ls_origin));
}

unsigned
ls_origins_bytes(struct ls_origins *o, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind || !LLVMTypeIsSized(type))
        return 0;
    return (unsigned)LLVMStoreSizeOfType(o->cc->device.layout, type);
}

/* Joins the bytes of `n` values, of which `make` makes one: bytes with the same origins but for
 * what is added share what is made. */
struct ls_origin *
ls_origins_join(struct ls_origins *o, const struct ls_origin *const *from, unsigned n,
                unsigned bytes, LLVMValueRef (*make)(void *user, LLVMValueRef *bases), void *user)
{
    struct ls_origin *out = ls_origins_none(o, bytes);
    struct {
        LLVMValueRef bases[LS_ORIGINS_JOINED], made;
        int64_t apart[LS_ORIGINS_JOINED];
    } *known = ls_arena_alloc(o->cc->arena, (bytes + 1) * sizeof(*known));
    unsigned n_known = 0;

    for (unsigned k = 0; k < bytes; k++) {
        LLVMValueRef bases[LS_ORIGINS_JOINED];
        int64_t apart[LS_ORIGINS_JOINED], first = 0;
        unsigned at = 0;
        bool any = false;

        for (unsigned i = 0; i < n; i++)
            if (from[i][k].base && !any) {
                first = from[i][k].add;
                any = true;
            }
        if (!any)
            continue;
        for (unsigned i = 0; i < n; i++) {
            bases[i] = from[i][k].base ? from[i][k].base : ls_origins_number(o, 0);
            apart[i] = from[i][k].base ? from[i][k].add - first : 0;
        }
        while (at < n_known && (memcmp(known[at].bases, bases, n * sizeof(*bases)) != 0 ||
                                memcmp(known[at].apart, apart, n * sizeof(*apart)) != 0))
            at++;
        if (at == n_known) {
            memcpy(known[at].bases, bases, n * sizeof(*bases));
            memcpy(known[at].apart, apart, n * sizeof(*apart));
            for (unsigned i = 0; i < n; i++)
                if (apart[i])
                    bases[i] =
                        LLVMBuildAdd(o->b, bases[i], ls_origins_number(o, (uint64_t)apart[i]), "");
            known[n_known++].made = make(user, bases);
        }
        out[k] = (struct ls_origin){known[at].made, first};
    }
    return out;
}

void
ls_origins_stand_behind(struct ls_origins *o, LLVMValueRef v)
{
    LLVMValueRef next = LLVMGetNextInstruction(v);

    while (LLVMIsAPHINode(next))
        next = LLVMGetNextInstruction(next);
    LLVMPositionBuilderBefore(o->b, next);
}

void
ls_origins_keep(struct ls_origins *o, struct ls_origins_list *list, LLVMValueRef v)
{
    if (list->n == list->cap) { /* the old array is left to the arena */
        LLVMValueRef *more =
            ls_arena_alloc(o->cc->arena, (list->cap ? 2 * list->cap : 64) * sizeof(*more));

        if (list->n)
            memcpy(more, list->all, list->n * sizeof(*more));
        list->all = more;
        list->cap = list->cap ? 2 * list->cap : 64;
    }
    list->all[list->n++] = v;
}
