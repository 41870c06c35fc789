/* SPDX-License-Identifier: MIT */
/* Lock step in shared memory: on AMD's hardware the lanes of a warp read what others of them have
 * just written. Where a read may see a store by another lane, without a barrier in between, the
 * warp's barrier comes in front; and in a function in which that happens also in front of stores to
 * what others may just have read. */
#include <string.h>

#include "compiler/ir/ir.h"
#include "ptx/ptx_priv.h"

typedef uint64_t word;
#define WORD_BITS 64u
/* Of so many accesses the sets would be large, and who writes that much relies on barriers. */
#define MAX_ACCESSES 2048u
#define MAX_CALLS    8u /* of functions within each other that are looked into */

struct access {
    LLVMValueRef inst;
    LLVMValueRef base, index; /* the root, the address without constant offsets, is */
    int64_t stride;           /* base + index * stride; index NULL: base */
    const void *object;       /* the variable that it lies in; NULL: any */
    int64_t first, end;       /* bytes from the root */
    uint64_t distance;        /* between lanes' roots, at least; 0: not known */
    uint64_t spread;          /* and at most, where the least is known */
    unsigned block;
    bool reads, writes, atomic;
    bool varies; /* the root is another one in each iteration of a loop */
};

struct search {
    struct ls_ptx *p;
    const struct ls_cfg *cfg;
    struct access *list;
    unsigned n, n_words;
    struct ls_ptrmap index; /* instruction -> number + 1 */
    word **reads,
        **writes; /* by block: what may have been done since the last barrier, at its start */
    bool *waits;  /* by access: a barrier comes in front */
    bool found;
};

/* ---- Accesses ---- */

/* ds_append and ds_consume: one lane does it, at an address that another may have. */
static bool
is_append(LLVMValueRef inst)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    return name && (!strncmp(name, "llvm.amdgcn.ds.append.", 22) ||
                    !strncmp(name, "llvm.amdgcn.ds.consume.", 23));
}

/* Whether memory that a function touches may be shared. */
static bool may_touch(LLVMValueRef fn, unsigned depth);

static bool
is_shared_or_flat(LLVMValueRef pointer)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));

    return space == LS_SPACE_SHARED || space == 0;
}

/* A call of a function that stays out of line, and reads or writes what may be shared memory: it
 * may be anywhere there. */
static bool
is_far_access(LLVMValueRef inst, unsigned depth)
{
    LLVMValueRef fn;

    if (!LLVMIsACallInst(inst) || LLVMIsAInlineAsm(LLVMGetCalledValue(inst)))
        return false;
    fn = LLVMIsAFunction(LLVMGetCalledValue(inst));
    return !fn || (!LLVMIsDeclaration(fn) && may_touch(fn, depth + 1));
}

static int
address_operand(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return 0;
    case LLVMStore:
        return 1;
    default:
        return is_append(inst) ? 0 : -1;
    }
}

static LLVMValueRef
address_of(LLVMValueRef inst)
{
    return LLVMGetOperand(inst, (unsigned)address_operand(inst));
}

static bool
may_touch(LLVMValueRef fn, unsigned depth)
{
    if (depth > MAX_CALLS)
        return true;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (address_operand(i) >= 0 ? is_shared_or_flat(address_of(i))
                                        : is_far_access(i, depth))
                return true;
    return false;
}

/* Volatile accesses have generic addresses; those that are made of shared ones become these. */
static bool
is_shared(LLVMValueRef inst)
{
    int operand = address_operand(inst);
    LLVMValueRef at, from;

    if (operand < 0)
        return false;
    at = address_of(inst);
    if (LLVMIsAAddrSpaceCastInst(at) ||
        (LLVMIsAConstantExpr(at) && LLVMGetConstOpcode(at) == LLVMAddrSpaceCast)) {
        from = LLVMGetOperand(at, 0);
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(from)) == LS_SPACE_SHARED) {
            LLVMSetOperand(inst, (unsigned)operand, from);
            at = from;
        }
    }
    return LLVMGetPointerAddressSpace(LLVMTypeOf(at)) == LS_SPACE_SHARED;
}

static bool
is_gep(LLVMValueRef v)
{
    return LLVMIsAGetElementPtrInst(v) ||
           (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr);
}

/* i in i + constant. Addresses have 32 bits, so that sums of as many or more may wrap. */
static LLVMValueRef
take_constant(LLVMValueRef index, int64_t *constant)
{
    LLVMOpcode op = LLVMIsAInstruction(index) ? LLVMGetInstructionOpcode(index) : LLVMRet;
    LLVMValueRef added;

    if (LLVMGetIntTypeWidth(LLVMTypeOf(index)) < 32 ||
        (op != LLVMAdd && (op != LLVMOr || !LLVMGetIsDisjoint(index))))
        return NULL;
    added = LLVMGetOperand(index, 1);
    return ls_const_int(added, constant) ? LLVMGetOperand(index, 0) : NULL;
}

/* One step down an address: false at its root. */
static bool
take_off(const struct ls_cc *cc, struct access *a)
{
    struct ls_gep_term terms[LS_MAX_GEP_TERMS];
    int64_t bytes = 0, constant;
    LLVMValueRef index = NULL, next;
    int64_t stride = 0;
    unsigned n;

    if (!is_gep(a->base))
        return false;
    n = ls_gep_terms(cc, a->base, terms, LS_MAX_GEP_TERMS);
    for (unsigned i = 0; i < n; i++) {
        if (terms[i].index && (index || a->index))
            return false;
        if (terms[i].index) {
            index = terms[i].index;
            stride = terms[i].stride;
        } else {
            bytes += terms[i].stride;
        }
    }
    while (index && (next = take_constant(index, &constant)) != NULL) {
        bytes += constant * stride;
        index = next;
    }
    a->first += bytes;
    if (index) {
        a->index = index;
        a->stride = stride;
    }
    a->base = LLVMGetOperand(a->base, 0);
    return true;
}

static LLVMValueRef
object_of(LLVMValueRef v)
{
    while (is_gep(v))
        v = LLVMGetOperand(v, 0);
    return LLVMIsAGlobalVariable(v) ? v : NULL;
}

/* Bytes between the lanes' addresses that are nearest to each other, and farthest from. */
static uint64_t
distance_of(const struct ls_shapes *shapes, LLVMValueRef at, uint64_t *most)
{
    const struct ls_shape *sh = ls_shape_of(shapes, at);
    uint64_t least = UINT64_MAX;

    *most = 0;
    if (sh->kind != LS_SHAPE_GROUPED || !sh->offset || sh->assumed || sh->group != shapes->n_lanes)
        return 0;
    for (unsigned i = 0; i < sh->group; i++)
        for (unsigned k = 0; k < i; k++) {
            int64_t d = sh->offset[i] - sh->offset[k];
            uint64_t size = d < 0 ? -(uint64_t)d : (uint64_t)d;

            if (size < least)
                least = size;
            if (size > *most)
                *most = size;
        }
    return least;
}

static bool
is_in_loop(const struct ls_cfg *cfg, LLVMValueRef v)
{
    return v && LLVMIsAInstruction(v) &&
           (cfg->irreducible ||
            cfg->blocks[ls_cfg_number(cfg, LLVMGetInstructionParent(v))].loop != NULL);
}

static void
note(struct search *s, LLVMValueRef inst, unsigned block)
{
    struct access *a = &s->list[s->n++];
    LLVMValueRef at = address_of(inst);
    LLVMTypeRef type;

    a->inst = inst;
    a->block = block;
    a->reads = !LLVMIsAStoreInst(inst);
    a->writes = !LLVMIsALoadInst(inst);
    a->atomic = (a->reads && a->writes) || LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic;
    type = LLVMIsAStoreInst(inst)           ? LLVMTypeOf(LLVMGetOperand(inst, 0))
           : LLVMIsAAtomicCmpXchgInst(inst) ? LLVMTypeOf(LLVMGetOperand(inst, 1))
                                            : LLVMTypeOf(inst);
    for (a->base = at; take_off(s->p->cc, a);)
        continue;
    a->end = a->first + (int64_t)LLVMABISizeOfType(s->p->cc->device.layout, type);
    a->varies = is_in_loop(s->cfg, a->base) || is_in_loop(s->cfg, a->index);
    a->object = object_of(a->base);
    a->distance = distance_of(s->p->warp->shapes, at, &a->spread);
    if (is_append(inst))
        a->distance = 0;
    ls_ptrmap_set(&s->index, inst, (void *)(uintptr_t)s->n);
}

static void
note_call(struct search *s, LLVMValueRef call, unsigned block)
{
    s->list[s->n++] =
        (struct access){.inst = call, .base = call, .block = block, .reads = true, .writes = true};
    ls_ptrmap_set(&s->index, call, (void *)(uintptr_t)s->n);
}

/* False: there is none that writes, or there are too many. */
static bool
find_accesses(struct search *s)
{
    unsigned n = 0;
    bool writes = false;

    for (unsigned b = 0; b < s->cfg->n_blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg->blocks[b].bb); i;
             i = LLVMGetNextInstruction(i))
            if (is_shared(i) || is_far_access(i, 0)) {
                writes |= !LLVMIsALoadInst(i);
                n++;
            }
    if (!writes || n > MAX_ACCESSES)
        return false;
    s->list = ls_arena_alloc(s->p->cc->arena, n * sizeof(*s->list));
    for (unsigned b = 0; b < s->cfg->n_blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg->blocks[b].bb); i;
             i = LLVMGetNextInstruction(i))
            if (is_shared(i))
                note(s, i, b);
            else if (is_far_access(i, 0))
                note_call(s, i, b);
    return true;
}

/* Whether all lanes' first access ends in front of all lanes' second: rows of a tile. */
static bool
is_apart(const struct access *a, const struct access *b)
{
    return a->end <= b->first && (uint64_t)(b->first - a->end) >= a->spread;
}

/* Whether one lane's access may meet another lane's. */
static bool
may_meet(const struct access *a, const struct access *b)
{
    int64_t first = a->first < b->first ? a->first : b->first,
            end = a->end > b->end ? a->end : b->end;

    if ((a->atomic && b->atomic) || (a->object && b->object && a->object != b->object))
        return false;
    if (a->base != b->base || a->index != b->index || a->stride != b->stride || a->varies ||
        !a->distance)
        return true;
    return (uint64_t)(end - first) > a->distance && !is_apart(a, b) && !is_apart(b, a);
}

static bool
meets_any(const struct search *s, const struct access *a, const word *set)
{
    for (unsigned i = 0; i < s->n_words; i++)
        for (word left = set[i]; left; left &= left - 1)
            if (may_meet(a, &s->list[i * WORD_BITS + (unsigned)__builtin_ctzll(left)]))
                return true;
    return false;
}

/* ---- Where the warp must wait ---- */

static bool
is_barrier(LLVMValueRef inst)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    return name && (ls_ir_is_barrier(inst) || !strcmp(name, "llvm.amdgcn.wave.barrier"));
}

static void
clear(const struct search *s, word *set)
{
    memset(set, 0, s->n_words * sizeof(*set));
}

/* `reads`, `writes`: from the start of a block to its end. */
static void
pass_block(struct search *s, unsigned b, word *reads, word *writes, bool also_stores)
{
    for (LLVMValueRef inst = LLVMGetFirstInstruction(s->cfg->blocks[b].bb); inst;
         inst = LLVMGetNextInstruction(inst)) {
        uintptr_t number = (uintptr_t)ls_ptrmap_get(&s->index, inst);
        const struct access *a = number ? &s->list[number - 1] : NULL;
        unsigned k = (unsigned)number - 1;

        if (a && !s->waits[k] &&
            ((a->reads && meets_any(s, a, writes)) ||
             (also_stores && a->writes && meets_any(s, a, reads))))
            s->waits[k] = s->found = true;
        if (is_barrier(inst) || (a && s->waits[k])) {
            clear(s, reads);
            clear(s, writes);
        }
        if (a && a->reads)
            reads[k / WORD_BITS] |= (word)1 << k % WORD_BITS;
        if (a && a->writes)
            writes[k / WORD_BITS] |= (word)1 << k % WORD_BITS;
    }
}

static bool
add_all(const struct search *s, word *to, const word *from)
{
    bool grew = false;

    for (unsigned i = 0; i < s->n_words; i++) {
        grew |= (from[i] & ~to[i]) != 0;
        to[i] |= from[i];
    }
    return grew;
}

static void
find_waits(struct search *s, bool also_stores)
{
    word *reads = ls_arena_alloc(s->p->cc->arena, s->n_words * sizeof(word)),
         *writes = ls_arena_alloc(s->p->cc->arena, s->n_words * sizeof(word));

    for (unsigned b = 0; b < s->cfg->n_blocks; b++) {
        clear(s, s->reads[b]);
        clear(s, s->writes[b]);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned b = 0; b < s->cfg->n_blocks; b++) {
            const struct ls_cfg_block *blk = &s->cfg->blocks[b];

            memcpy(reads, s->reads[b], s->n_words * sizeof(word));
            memcpy(writes, s->writes[b], s->n_words * sizeof(word));
            pass_block(s, b, reads, writes, also_stores);
            for (unsigned k = 0; k < blk->n_succs; k++) {
                changed |= add_all(s, s->reads[blk->succs[k]], reads);
                changed |= add_all(s, s->writes[blk->succs[k]], writes);
            }
        }
    }
}

static bool
is_first_access(const struct search *s, LLVMValueRef inst)
{
    while ((inst = LLVMGetPreviousInstruction(inst)))
        if (ls_ptrmap_get(&s->index, inst) || is_barrier(inst))
            return false;
    return true;
}

/* Where to wait in front of an access. One that is the first behind a branch where lanes part may
 * as well be waited for in front of the branch: if all lanes of the warp are there, nobody need be
 * asked who goes where. */
static LLVMValueRef
place_of_wait(const struct search *s, const struct access *a)
{
    const struct ls_linear *warp = s->p->warp;
    unsigned pred = s->cfg->blocks[a->block].n_preds == 1 ? s->cfg->blocks[a->block].preds[0] : 0;

    if (s->cfg->blocks[a->block].n_preds != 1 || !warp->blocks[pred].divergent ||
        warp->blocks[pred].mask_rep != 0 || !s->p->is_entry || !s->p->cc->whole_warps ||
        !is_first_access(s, a->inst))
        return a->inst;
    return s->cfg->blocks[pred].term;
}

static void
wait_in_front(struct ls_ptx *p, LLVMValueRef inst)
{
    static const char name[] = "llvm.amdgcn.wave.barrier";
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(
        p->cc->mod, LLVMLookupIntrinsicID(name, sizeof(name) - 1), NULL, 0);

    LLVMValueRef last = LLVMGetPreviousInstruction(inst);

    if (last && is_barrier(last))
        return; /* for the other way of a branch */
    LLVMPositionBuilderBefore(p->b, inst);
    LLVMBuildCall2(p->b, LLVMGlobalGetValueType(fn), fn, NULL, 0, "");
}

void
ls_ptx_keep_step(struct ls_ptx *p)
{
    struct search s = {.p = p, .cfg = p->warp->shapes->cfg};
    struct ls_arena *arena = p->cc->arena;

    ls_ptrmap_init(&s.index, arena);
    if (!find_accesses(&s))
        return;
    s.n_words = (s.n + WORD_BITS - 1) / WORD_BITS;
    s.reads = ls_arena_alloc(arena, s.cfg->n_blocks * sizeof(word *));
    s.writes = ls_arena_alloc(arena, s.cfg->n_blocks * sizeof(word *));
    for (unsigned b = 0; b < s.cfg->n_blocks; b++) {
        s.reads[b] = ls_arena_alloc(arena, s.n_words * sizeof(word));
        s.writes[b] = ls_arena_alloc(arena, s.n_words * sizeof(word));
    }
    s.waits = ls_arena_alloc(arena, s.n * sizeof(*s.waits));
    find_waits(&s, false);
    if (s.found)
        find_waits(&s, true);
    for (unsigned k = 0; k < s.n; k++)
        if (s.waits[k])
            wait_in_front(p, place_of_wait(&s, &s.list[k]));
}
