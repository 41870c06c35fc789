/* SPDX-License-Identifier: MIT */
/* Variables of a thread that it reads before it has written them. Beside each such variable that
 * the program knows by its name alone lies a shadow, which says of each byte whether it was
 * written: stores set it, loads look at it. Both are as any other variable: LLVM makes registers
 * and constants of them, so that nothing is left of those that are always written. This works
 * on code as clang makes it without optimisation, before variables become values; of what clang
 * has optimised, arrays alone are left, and a value that is read too early may be one that nobody
 * uses (the optimiser reads early what it may): it is followed to where it is used (follow.c). */
#include <stdio.h>
#include <string.h>

#include "analysis/access.h"
#include "analysis/shape_priv.h"
#include "compiler/ir/checks_priv.h"

enum {
    MOST_USES = 1 << 14,
    MOST_BYTES = 1 << 16,
    MOST_COPIED = 1 << 9,
    MOST_ELEMENTS = 64,
    VALUE_DEPTH = 6
};

/* A pointer into the variable. */
struct way {
    LLVMValueRef pointer;
    int64_t known;
    LLVMValueRef moving; /* i64, made where the pointer is; NULL: none */
};

enum use_kind { READS, WRITES, COPIES, GIVES /* it is copied elsewhere */, ENDS };

struct use {
    LLVMValueRef inst;
    struct way way;
    enum use_kind kind;
};

struct variable {
    LLVMValueRef alloca, shadow;
    uint64_t bytes;
    size_t n_uses;
    struct use *uses;
};

/* What a copy reads. */
struct source {
    const struct variable *variable;
    struct way way;
};

struct unset {
    struct ls_marker *m;
    ls_follow_root root;          /* NULL: a call stands for what is read, for now */
    struct ls_follower *follower; /* what `root` wants */
    LLVMTypeRef i8;
    struct way *ways;
    struct use *uses;
    size_t n_ways, n_uses;
    struct ls_ptrmap sources; /* by call: struct source */
    struct ls_ptrmap *names;    /* by alloca: text, from debug information */
};

/* A call that stands for a value which may be unset. */
static bool
is_taint(LLVMValueRef inst)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    return name && ls_ir_has_prefix(name, LS_FN_UNSET);
}

/* ---- What becomes of a variable's address ---- */

static bool
add_way(struct unset *u, LLVMValueRef pointer, int64_t known, LLVMValueRef moving)
{
    if (u->n_ways == MOST_USES)
        return false;
    u->ways[u->n_ways++] = (struct way){pointer, known, moving};
    return true;
}

static bool
add_use(struct unset *u, LLVMValueRef inst, const struct way *way, enum use_kind kind)
{
    if (u->n_uses == MOST_USES)
        return false;
    u->uses[u->n_uses++] = (struct use){inst, *way, kind};
    return true;
}

static bool
is_debug(LLVMValueRef inst)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    return name && (ls_ir_has_prefix(name, "llvm.dbg.") || ls_ir_has_prefix(name, "ls.debug.") ||
                    ls_ir_has_prefix(name, "llvm.lifetime.end"));
}

static bool
is_lifetime(LLVMValueRef inst)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    return name && ls_ir_has_prefix(name, "llvm.lifetime.start");
}

static LLVMValueRef
without_casts(LLVMValueRef v)
{
    while ((LLVMIsAInstruction(v) && (LLVMIsAAddrSpaceCastInst(v) || LLVMIsABitCastInst(v))) ||
           (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMAddrSpaceCast))
        v = LLVMGetOperand(v, 0);
    return v;
}

/* Goes through the uses of a variable that holds a pointer, and of casts of it. False: it is
 * written more than once, or something else becomes of it. */
static bool
take_slot(struct unset *u, LLVMValueRef slot, LLVMValueRef store, const struct way *way)
{
    for (LLVMUseRef use = LLVMGetFirstUse(slot); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (user == store || is_debug(user) || is_lifetime(user))
            continue;
        if (LLVMIsALoadInst(user)) {
            if (LLVMTypeOf(user) != LLVMTypeOf(LLVMGetOperand(store, 0)) ||
                !add_way(u, user, way->known, NULL))
                return false;
        } else if (LLVMIsAAddrSpaceCastInst(user)) {
            if (!take_slot(u, user, store, way))
                return false;
        } else {
            return false;
        }
    }
    return true;
}

/* The address is kept in a variable, as parameters are without optimisation. */
static bool
follow_store(struct unset *u, LLVMValueRef store, const struct way *way)
{
    LLVMValueRef slot = without_casts(LLVMGetOperand(store, 1));

    return LLVMIsAAllocaInst(slot) && !way->moving &&
           LLVMGetTypeKind(LLVMGetAllocatedType(slot)) == LLVMPointerTypeKind &&
           take_slot(u, slot, store, way);
}

static bool
follow_gep(struct unset *u, LLVMValueRef gep, const struct way *way)
{
    struct ls_gep_term terms[LS_MAX_GEP_TERMS];
    unsigned n = ls_gep_terms(u->m->cc, gep, terms, LS_MAX_GEP_TERMS);
    LLVMValueRef moving = way->moving;
    LLVMBuilderRef b = u->m->b;
    int64_t known = way->known;

    LLVMPositionBuilderBefore(b, gep);
    for (unsigned i = 0; i < n; i++) {
        if (!terms[i].index) {
            known += terms[i].stride;
            continue;
        }
        LLVMValueRef by =
            LLVMBuildMul(b, LLVMBuildIntCast2(b, terms[i].index, u->m->i64, true, ""),
                         LLVMConstInt(u->m->i64, (uint64_t)terms[i].stride, true), "");
        moving = moving ? LLVMBuildAdd(b, moving, by, "") : by;
    }
    return add_way(u, gep, known, moving);
}

static bool
follow_call(struct unset *u, LLVMValueRef call, const struct way *way)
{
    const char *name = ls_ir_callee_name(call);
    bool is_copy;

    if (!name)
        return false;
    if (ls_ir_has_prefix(name, "llvm.lifetime.start"))
        return add_use(u, call, way, ENDS);
    if (is_debug(call) || ls_ir_has_prefix(name, LS_FN_CHECK))
        return true;
    is_copy = ls_ir_has_prefix(name, "llvm.memcpy.") || ls_ir_has_prefix(name, "llvm.memmove.");
    if (!is_copy && !ls_ir_has_prefix(name, "llvm.memset."))
        return false;
    if (is_copy && LLVMGetOperand(call, 1) == way->pointer &&
        LLVMGetOperand(call, 0) != way->pointer)
        return add_use(u, call, way, GIVES);
    return add_use(u, call, way, is_copy ? COPIES : WRITES);
}

static bool
follow_use(struct unset *u, LLVMValueRef inst, const struct way *way)
{
    if (LLVMIsALoadInst(inst))
        return add_use(u, inst, way, READS);
    if (LLVMIsAStoreInst(inst))
        return LLVMGetOperand(inst, 0) == way->pointer ? follow_store(u, inst, way)
                                                       : add_use(u, inst, way, WRITES);
    if (LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst))
        return LLVMGetOperand(inst, 0) == way->pointer && add_use(u, inst, way, WRITES);
    if (LLVMIsAGetElementPtrInst(inst))
        return LLVMGetOperand(inst, 0) == way->pointer && follow_gep(u, inst, way);
    if (LLVMIsAAddrSpaceCastInst(inst) || LLVMIsABitCastInst(inst))
        return add_way(u, inst, way->known, way->moving);
    if (LLVMIsACmpInst(inst))
        return true;
    return LLVMIsACallInst(inst) && follow_call(u, inst, way);
}

/* False: something becomes of its address that is not understood. */
static bool
follow(struct unset *u, LLVMValueRef alloca)
{
    u->n_ways = u->n_uses = 0;
    add_way(u, alloca, 0, NULL);
    for (size_t i = 0; i < u->n_ways; i++)
        for (LLVMUseRef use = LLVMGetFirstUse(u->ways[i].pointer), next; use; use = next) {
            struct way way = u->ways[i];

            next = LLVMGetNextUse(use);
            if (!follow_use(u, LLVMGetUser(use), &way))
                return false;
        }
    return true;
}

static bool
is_wanted(struct unset *u, LLVMValueRef alloca, uint64_t *bytes)
{
    LLVMTypeRef type;

    if (!LLVMIsAAllocaInst(alloca) || !LLVMIsAConstantInt(LLVMGetOperand(alloca, 0)))
        return false;
    type = LLVMGetAllocatedType(alloca);
    if (u->root && LLVMGetTypeKind(type) != LLVMArrayTypeKind)
        return false;
    *bytes = LLVMABISizeOfType(u->m->cc->device.layout, type) *
             LLVMConstIntGetZExtValue(LLVMGetOperand(alloca, 0));
    return *bytes > 0 && *bytes <= MOST_BYTES;
}

/* ---- Shadows ---- */

static void
make_shadow(struct unset *u, struct variable *v)
{
    LLVMBasicBlockRef entry =
        LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(LLVMGetInstructionParent(v->alloca)));
    LLVMValueRef at = LLVMGetFirstInstruction(entry);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(u->m->cc->llvm);

    LLVMPositionBuilderBefore(u->m->b, at);
    v->shadow = LLVMBuildAlloca(u->m->b, LLVMArrayType2(u->i8, v->bytes), LS_CHECK_SHADOW);
    while (LLVMIsAAllocaInst(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(u->m->b, at);
    LLVMBuildMemSet(u->m->b, v->shadow, LLVMConstNull(u->i8), LLVMConstInt(i32, v->bytes, false),
                    1);
}

/* Where the shadow of so many bytes lies; within it, whatever the program does. */
static LLVMValueRef
shadow_at(struct unset *u, const struct variable *v, const struct way *way, uint64_t more,
          uint64_t bytes)
{
    LLVMValueRef at = LLVMConstInt(u->m->i64, (uint64_t)way->known + more, true);
    uint64_t last = v->bytes - bytes;

    if (way->moving) {
        LLVMValueRef end = LLVMConstInt(u->m->i64, last, false);

        at = LLVMBuildAdd(u->m->b, way->moving, at, "");
        at = LLVMBuildSelect(u->m->b, LLVMBuildICmp(u->m->b, LLVMIntULT, at, end, ""), at, end, "");
    } else if ((uint64_t)way->known + more > last) {
        at = LLVMConstInt(u->m->i64, last, false);
    }
    return LLVMBuildGEP2(u->m->b, u->i8, v->shadow, &at, 1, "");
}

static bool
fits(const struct variable *v, uint64_t bytes)
{
    return bytes > 0 && bytes <= v->bytes;
}

/* bad: i1, what is stored is unset itself; NULL: it is not. */
static void
set(struct unset *u, const struct variable *v, const struct way *way, uint64_t more, uint64_t bytes,
    LLVMValueRef bad)
{
    for (uint64_t n; fits(v, bytes) && bytes; more += n, bytes -= n) {
        LLVMTypeRef type;
        LLVMValueRef store, ones;

        n = bytes >= 8 ? 8 : bytes >= 4 ? 4 : bytes >= 2 ? 2 : 1;
        type = LLVMIntTypeInContext(u->m->cc->llvm, (unsigned)n * 8);
        ones = LLVMConstInt(type, 0x0101010101010101u & (UINT64_MAX >> (64 - 8 * n)), false);
        if (bad)
            ones = LLVMBuildSelect(u->m->b, bad, LLVMConstNull(type), ones, "");
        store = LLVMBuildStore(u->m->b, ones, shadow_at(u, v, way, more, n));
        LLVMSetAlignment(store, 1);
    }
}

/* i1: none of the bytes was written. Where some were, the others are padding that clang reads with
 * them, as it does to pass structures. */
static LLVMValueRef
is_unset(struct unset *u, const struct variable *v, const struct way *way, uint64_t more,
         uint64_t bytes)
{
    LLVMValueRef bad = NULL;

    for (uint64_t n; bytes; more += n, bytes -= n) {
        LLVMTypeRef type;
        LLVMValueRef load, one;

        n = bytes >= 8 ? 8 : bytes >= 4 ? 4 : bytes >= 2 ? 2 : 1;
        type = LLVMIntTypeInContext(u->m->cc->llvm, (unsigned)n * 8);
        load = LLVMBuildLoad2(u->m->b, type, shadow_at(u, v, way, more, n), "");
        LLVMSetAlignment(load, 1);
        one = LLVMBuildICmp(u->m->b, LLVMIntEQ, load, LLVMConstNull(type), "");
        bad = bad ? LLVMBuildAnd(u->m->b, bad, one, "") : one;
    }
    return bad;
}

/* ---- Reads that are none ---- */

static LLVMValueRef
only_user(LLVMValueRef v)
{
    LLVMUseRef use = LLVMGetFirstUse(v);

    return use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
}

static bool
is_stored_back(LLVMValueRef v, LLVMValueRef load)
{
    LLVMValueRef store = v ? only_user(v) : NULL;

    return store && LLVMIsAStoreInst(store) && LLVMGetOperand(store, 0) == v &&
           LLVMGetOperand(store, 1) == LLVMGetOperand(load, 0);
}

/* A part of it is replaced, and it is stored: a bit field, an element of a vector. */
static bool
is_part_of_store(LLVMValueRef load)
{
    LLVMValueRef next = only_user(load), joined;

    if (next && LLVMIsAInsertElementInst(next))
        return is_stored_back(next, load);
    if (!next || !LLVMIsABinaryOperator(next) || LLVMGetInstructionOpcode(next) != LLVMAnd)
        return false;
    joined = only_user(next);
    return is_stored_back(next, load) ||
           (joined && LLVMIsABinaryOperator(joined) && LLVMGetInstructionOpcode(joined) == LLVMOr &&
            is_stored_back(joined, load));
}

/* Bytes are copied, which is allowed. */
static bool
is_byte_moved(LLVMValueRef load, uint64_t bytes)
{
    LLVMValueRef user = only_user(load);

    return bytes == 1 && user && LLVMIsAStoreInst(user);
}

/* The elements of `load` that a shuffle takes: vectors of three elements are read as four. */
static uint64_t
elements_taken(LLVMValueRef shuffle, LLVMValueRef load, unsigned n)
{
    uint64_t elements = 0;

    for (unsigned i = 0; i < LLVMGetNumMaskElements(shuffle); i++) {
        int k = LLVMGetMaskValue(shuffle, i);

        if (k < 0)
            continue;
        if ((unsigned)k < n && LLVMGetOperand(shuffle, 0) == load)
            elements |= (uint64_t)1 << k % 64;
        else if ((unsigned)k >= n && LLVMGetOperand(shuffle, 1) == load)
            elements |= (uint64_t)1 << (k - (int)n) % 64;
    }
    return elements;
}

/* The elements of a vector that are looked at; all, if it is looked at as a whole. */
static uint64_t
elements_read(LLVMValueRef load, unsigned n)
{
    uint64_t elements = 0;

    for (LLVMUseRef use = LLVMGetFirstUse(load); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use), index;

        if (LLVMIsAShuffleVectorInst(user)) {
            elements |= elements_taken(user, load, n);
            continue;
        }
        if (!LLVMIsAExtractElementInst(user) ||
            !LLVMIsAConstantInt(index = LLVMGetOperand(user, 1)))
            return UINT64_MAX;
        elements |= (uint64_t)1 << (LLVMConstIntGetZExtValue(index) & 63);
    }
    return n > 64 ? UINT64_MAX : elements;
}

/* ---- Loads and stores ---- */

static bool
is_value(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    return kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind;
}

static LLVMValueRef
unset_part(struct unset *u, const struct variable *v, const struct use *use, uint64_t bytes)
{
    LLVMTypeRef type = LLVMTypeOf(use->inst);
    LLVMValueRef bad = NULL;
    unsigned n, each;
    uint64_t elements;

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return is_unset(u, v, &use->way, 0, bytes);
    n = LLVMGetVectorSize(type);
    each = (unsigned)(bytes / n);
    elements = elements_read(use->inst, n);
    if (elements == UINT64_MAX || !each)
        return is_unset(u, v, &use->way, 0, bytes);
    for (unsigned i = 0; i < n && i < 64; i++)
        if (elements >> i & 1) {
            LLVMValueRef one = is_unset(u, v, &use->way, (uint64_t)i * each, each);

            bad = bad ? LLVMBuildOr(u->m->b, bad, one, "") : one;
        }
    return bad;
}

/* Puts a call in place of a value that is unset if `bad`, until all variables are values: it has
 * the number of the last note. */
static void
taint(struct unset *u, LLVMValueRef value, LLVMValueRef bad)
{
    struct ls_cc *cc = u->m->cc;
    LLVMTypeRef types[2] = {LLVMTypeOf(value), LLVMTypeOf(bad)},
                type = LLVMFunctionType(types[0], types, 2, false);
    LLVMValueRef args[2] = {value, bad}, fn, call;
    char name[64];

    snprintf(name, sizeof(name), "%s%zu", LS_FN_UNSET, cc->n_checks - 1);
    fn = LLVMAddFunction(cc->mod, name, type);
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, ls_ir_attribute(cc, "nounwind", 0));
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, ls_ir_attribute(cc, "willreturn", 0));
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, ls_ir_attribute(cc, "memory", 0));
    LLVMPositionBuilderBefore(u->m->b, LLVMGetNextInstruction(value));
    call = LLVMBuildCall2(u->m->b, type, fn, args, 2, "");
    LLVMReplaceAllUsesWith(value, call);
    LLVMSetOperand(call, 0, value);
}

/* A note on a use of a variable of which so many bytes may be unset. */
static struct ls_check_note *
note_unset(struct unset *u, const struct variable *v, const struct use *use, uint64_t bytes)
{
    struct ls_check_note *note = ls_mark_note(u->m);

    note->site.kind = LS_CHECK_UNSET;
    note->site.bytes = (uint32_t)bytes;
    note->site.slot = (uint32_t)u->m->cc->n_checks;
    note->trace = ls_mark_trace(u->m->cc, use->inst);
    note->variable = ls_ptrmap_get(u->names, v->alloca);
    return note;
}

static void
mark_read(struct unset *u, const struct variable *v, const struct use *use)
{
    uint64_t bytes = LLVMStoreSizeOfType(u->m->cc->device.layout, LLVMTypeOf(use->inst));
    struct ls_check_note *note;
    LLVMValueRef bad;

    if (!is_value(LLVMTypeOf(use->inst)) || !fits(v, bytes) || !LLVMGetFirstUse(use->inst) ||
        is_part_of_store(use->inst) || is_byte_moved(use->inst, bytes))
        return;
    LLVMPositionBuilderBefore(u->m->b, use->inst);
    bad = unset_part(u, v, use, bytes);
    if (!bad)
        return;
    note = note_unset(u, v, use, bytes);
    u->m->cc->n_checks++;
    if (u->root) {
        u->root(u->follower, use->inst, bad, note->site.slot + 1);
        return;
    }
    taint(u, use->inst, bad);
}

/* i1: a pointer leads to memory of a thread. */
static LLVMValueRef
is_private_place(struct unset *u, LLVMValueRef pointer)
{
    static const char name[] = "llvm.amdgcn.is.private";
    LLVMTypeRef from = LLVMTypeOf(pointer),
                type = LLVMFunctionType(LLVMInt1TypeInContext(u->m->cc->llvm), &from, 1, false);
    LLVMValueRef fn = LLVMGetNamedFunction(u->m->cc->mod, name);

    if (!fn)
        fn = LLVMAddFunction(u->m->cc->mod, name, type);
    return LLVMBuildCall2(u->m->b, type, fn, &pointer, 1, "");
}

/* A copy to memory that others may read, of which nothing was written. Part of it may be padding,
 * or members that the program has no use for, so a part is no finding. */
static void
mark_given(struct unset *u, const struct variable *v, const struct use *use)
{
    LLVMValueRef length = LLVMGetOperand(use->inst, 2), to = LLVMGetOperand(use->inst, 0), bad;
    uint64_t bytes = LLVMIsAConstantInt(length) ? LLVMConstIntGetZExtValue(length) : 0;

    if (!fits(v, bytes) || bytes > MOST_COPIED || ls_ir_is_private(to) ||
        LLVMIsAAllocaInst(without_casts(to)))
        return;
    LLVMPositionBuilderBefore(u->m->b, use->inst);
    bad = is_unset(u, v, &use->way, 0, bytes);
    if (!LLVMGetPointerAddressSpace(LLVMTypeOf(to)))
        bad = LLVMBuildAnd(u->m->b, bad, LLVMBuildNot(u->m->b, is_private_place(u, to), ""), "");
    note_unset(u, v, use, bytes);
    ls_mark_call(u->m, LLVMBuildZExt(u->m->b, bad, u->m->i64, ""), NULL, use->inst);
}

/* i1: a value is made of some that are unset; NULL: it is not. */
static LLVMValueRef
unset_value(struct unset *u, LLVMValueRef v, unsigned depth)
{
    LLVMValueRef bad = NULL;

    if (is_taint(v))
        return LLVMGetOperand(v, 1);
    if (!depth || !(LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsAUnaryOperator(v)))
        return NULL;
    for (int i = 0; i < LLVMGetNumOperands(v); i++) {
        LLVMValueRef one = unset_value(u, LLVMGetOperand(v, (unsigned)i), depth - 1);

        bad = bad && one ? LLVMBuildOr(u->m->b, bad, one, "") : one ? one : bad;
    }
    return bad;
}

/* An element of a vector is stored with the others, which were loaded for it. */
static bool
mark_element(struct unset *u, const struct variable *v, const struct use *use, uint64_t bytes)
{
    LLVMValueRef value = LLVMGetOperand(use->inst, 0), index, old;
    unsigned n;

    if (!LLVMIsAInsertElementInst(value))
        return false;
    index = LLVMGetOperand(value, 2);
    old = LLVMGetOperand(value, 0);
    n = LLVMGetVectorSize(LLVMTypeOf(value));
    if (!LLVMIsAConstantInt(index) || !LLVMIsALoadInst(old) || !is_part_of_store(old))
        return false;
    set(u, v, &use->way, LLVMConstIntGetZExtValue(index) * (bytes / n), bytes / n, NULL);
    return true;
}

static void
mark_write(struct unset *u, const struct variable *v, const struct use *use)
{
    struct ls_access all[LS_MAX_ACCESSES];
    unsigned n = ls_accesses_of(use->inst, all);

    LLVMPositionBuilderBefore(u->m->b, use->inst);
    if (LLVMIsACallInst(use->inst)) {
        LLVMValueRef length = LLVMGetOperand(use->inst, 2);

        if (LLVMIsAConstantInt(length) && LLVMConstIntGetZExtValue(length) <= v->bytes)
            set(u, v, &use->way, 0, LLVMConstIntGetZExtValue(length), NULL);
        else /* whatever it may have written */
            set(u, v, &(struct way){v->alloca, 0, NULL}, 0, v->bytes, NULL);
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        uint64_t bytes =
            all[i].type ? LLVMStoreSizeOfType(u->m->cc->device.layout, all[i].type) : 0;

        if (!all[i].writes || (LLVMIsAStoreInst(use->inst) && mark_element(u, v, use, bytes)))
            continue;
        set(u, v, &use->way, 0, bytes,
            LLVMIsAStoreInst(use->inst) && use->way.moving /* what becomes a value has its own */
                ? unset_value(u, LLVMGetOperand(use->inst, 0), VALUE_DEPTH)
                : NULL);
    }
}

/* What is copied from another variable is written as far as that is. */
static void
mark_copy(struct unset *u, const struct variable *v, const struct use *use)
{
    LLVMValueRef length = LLVMGetOperand(use->inst, 2);
    const struct source *from = ls_ptrmap_get(&u->sources, use->inst);
    uint64_t bytes = LLVMIsAConstantInt(length) ? LLVMConstIntGetZExtValue(length) : 0;

    if (!from || use->way.moving || from->way.moving || !fits(from->variable, bytes) ||
        (uint64_t)use->way.known + bytes > v->bytes) {
        mark_write(u, v, use);
        return;
    }
    LLVMPositionBuilderBefore(u->m->b, use->inst);
    LLVMBuildMemCpy(u->m->b, shadow_at(u, v, &use->way, 0, bytes), 1,
                    shadow_at(u, from->variable, &from->way, 0, bytes), 1, length);
}

/* Behind all reads, of which what is stored may be made. */
static void
mark_writes(struct unset *u, const struct variable *v)
{
    for (size_t i = 0; i < v->n_uses; i++) {
        const struct use *use = &v->uses[i];

        if (use->kind == READS || use->kind == GIVES) {
            continue;
        } else if (use->kind == WRITES) {
            mark_write(u, v, use);
        } else if (use->kind == COPIES) {
            mark_copy(u, v, use);
        } else {
            LLVMPositionBuilderBefore(u->m->b, use->inst);
            LLVMBuildMemSet(u->m->b, v->shadow, LLVMConstNull(u->i8),
                            LLVMConstInt(LLVMInt32TypeInContext(u->m->cc->llvm), v->bytes, false),
                            1);
        }
    }
}

/* ---- Vectors, which clang makes of small arrays: of each element whether it was set ---- */

struct vectors {
    struct unset *u;
    struct ls_ptrmap masks; /* by vector: <n x i8>, 1 where it is unset */
};

static LLVMTypeRef
mask_type(struct unset *u, LLVMValueRef v)
{
    return LLVMVectorType(u->i8, LLVMGetVectorSize(LLVMTypeOf(v)));
}

static LLVMValueRef
mask_of_constant(struct vectors *s, LLVMValueRef v)
{
    LLVMValueRef parts[MOST_ELEMENTS];
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(v));

    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef part = LLVMIsUndef(v) ? v : LLVMGetAggregateElement(v, i);

        parts[i] = LLVMConstInt(s->u->i8, part && LLVMIsUndef(part), false);
    }
    return LLVMConstVector(parts, n);
}

static LLVMValueRef mask_of(struct vectors *s, LLVMValueRef v);

static LLVMValueRef
mask_of_phi(struct vectors *s, LLVMValueRef v)
{
    LLVMValueRef phi;

    LLVMPositionBuilderBefore(s->u->m->b, v);
    phi = LLVMBuildPhi(s->u->m->b, mask_type(s->u, v), "");
    ls_ptrmap_set(&s->masks, v, phi);
    for (unsigned k = 0; k < LLVMCountIncoming(v); k++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(v, k);
        LLVMValueRef mask = mask_of(s, LLVMGetIncomingValue(v, k));

        LLVMAddIncoming(phi, &mask, &from, 1);
    }
    return phi;
}

static LLVMValueRef
mask_of(struct vectors *s, LLVMValueRef v)
{
    LLVMValueRef mask = ls_ptrmap_get(&s->masks, v), a, c;
    LLVMBuilderRef b = s->u->m->b;

    if (mask)
        return mask;
    if (LLVMIsAConstant(v))
        return mask_of_constant(s, v);
    if (LLVMIsAPHINode(v))
        return mask_of_phi(s, v);
    mask = LLVMConstNull(mask_type(s->u, v));
    if (LLVMIsAInsertElementInst(v)) {
        a = mask_of(s, LLVMGetOperand(v, 0));
        LLVMPositionBuilderBefore(b, v);
        mask = LLVMBuildInsertElement(b, a, LLVMConstNull(s->u->i8), LLVMGetOperand(v, 2), "");
    } else if (LLVMIsASelectInst(v) &&
               LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 0))) != LLVMVectorTypeKind) {
        a = mask_of(s, LLVMGetOperand(v, 1));
        c = mask_of(s, LLVMGetOperand(v, 2));
        LLVMPositionBuilderBefore(b, v);
        mask = LLVMBuildSelect(b, LLVMGetOperand(v, 0), a, c, "");
    }
    ls_ptrmap_set(&s->masks, v, mask);
    return mask;
}

static void
mark_extract(struct vectors *s, LLVMValueRef inst)
{
    struct ls_marker *m = s->u->m;
    LLVMValueRef mask, bad;
    struct ls_check_note *note;

    if (LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(inst, 0))) > MOST_ELEMENTS)
        return;
    mask = mask_of(s, LLVMGetOperand(inst, 0));
    if (LLVMIsNull(mask))
        return;
    LLVMPositionBuilderBefore(m->b, inst);
    bad = LLVMBuildExtractElement(m->b, mask, LLVMGetOperand(inst, 1), "");
    ls_ptrmap_set(&s->masks, bad, bad); /* it is none of the program's */
    bad = LLVMBuildICmp(m->b, LLVMIntNE, bad, LLVMConstNull(s->u->i8), "");
    note = ls_mark_note(m);
    note->site.kind = LS_CHECK_UNSET;
    note->site.bytes = (uint32_t)LLVMStoreSizeOfType(m->cc->device.layout, LLVMTypeOf(inst));
    note->site.slot = (uint32_t)m->cc->n_checks++;
    note->trace = ls_mark_trace(m->cc, inst);
    taint(s->u, inst, bad);
}

void
ls_mark_unset_elements(struct ls_marker *m, LLVMValueRef fn)
{
    struct unset u = {.m = m, .i8 = LLVMInt8TypeInContext(m->cc->llvm)};
    struct vectors s = {.u = &u};

    ls_ptrmap_init(&s.masks, m->cc->arena);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsAExtractElementInst(i) && !ls_ptrmap_get(&s.masks, i))
                mark_extract(&s, i);
}

/* ---- Functions ---- */

/* The name that a note of debug information gives a variable. */
static void
take_name(struct ls_cc *cc, LLVMValueRef call, struct ls_ptrmap *names)
{
    enum { NAME = 1, MOST = 32 };
    LLVMValueRef place = NULL, parts[MOST];
    unsigned len;
    const char *text;

    if (LLVMGetMDNodeNumOperands(LLVMGetOperand(call, 0)) != 1 ||
        LLVMGetMDNodeNumOperands(LLVMGetOperand(call, 1)) > MOST)
        return;
    LLVMGetMDNodeOperands(LLVMGetOperand(call, 0), &place);
    LLVMGetMDNodeOperands(LLVMGetOperand(call, 1), parts);
    text = LLVMGetMDNodeNumOperands(LLVMGetOperand(call, 1)) > NAME && parts[NAME]
               ? LLVMGetMDString(parts[NAME], &len)
               : NULL;
    if (!place || !text || !len)
        return;
    char *name = ls_arena_alloc(cc->arena, len + 1);
    memcpy(name, text, len);
    name[len] = '\0';
    ls_ptrmap_set(names, without_casts(place), name);
}

static void
find_names(struct ls_cc *cc, struct ls_ptrmap *names)
{
    ls_ptrmap_init(names, cc->arena);
    LLVMSetIsNewDbgInfoFormat(cc->mod, false); /* debug records become calls */
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMIsDeclaration(fn) ? NULL : LLVMGetFirstBasicBlock(fn); bb;
             bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
                const char *callee = LLVMIsACallInst(i) ? ls_ir_callee_name(i) : NULL;

                if (callee && !strcmp(callee, "llvm.dbg.declare"))
                    take_name(cc, i, names);
            }
    LLVMSetIsNewDbgInfoFormat(cc->mod, true);
}

static void
note_sources(struct unset *u, const struct variable *v)
{
    for (size_t i = 0; i < v->n_uses; i++) {
        struct source *source;

        if (v->uses[i].kind != GIVES)
            continue;
        source = ls_arena_alloc(u->m->cc->arena, sizeof(*source));
        *source = (struct source){v, v->uses[i].way};
        ls_ptrmap_set(&u->sources, v->uses[i].inst, source);
    }
}

/* names: of variables, by alloca. */
static void
mark_function(struct ls_marker *m, LLVMValueRef fn, ls_follow_root root,
              struct ls_follower *follower, struct ls_ptrmap *names)
{
    struct unset u = {.m = m,
                      .root = root,
                      .follower = follower,
                      .i8 = LLVMInt8TypeInContext(m->cc->llvm),
                      .names = names};
    struct variable *all, *v;
    size_t n = 0;

    for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)); i;
         i = LLVMGetNextInstruction(i))
        n += LLVMIsAAllocaInst(i) != NULL;
    if (!n)
        return;
    all = ls_arena_alloc(m->cc->arena, n * sizeof(*all));
    u.ways = ls_arena_alloc(m->cc->arena, MOST_USES * sizeof(*u.ways));
    u.uses = ls_arena_alloc(m->cc->arena, MOST_USES * sizeof(*u.uses));
    ls_ptrmap_init(&u.sources, m->cc->arena);
    n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)); i;
         i = LLVMGetNextInstruction(i)) {
        v = &all[n];
        if (!is_wanted(&u, i, &v->bytes) || !follow(&u, i))
            continue;
        v->alloca = i;
        v->n_uses = u.n_uses;
        v->uses = ls_arena_alloc(m->cc->arena, (u.n_uses + 1) * sizeof(*v->uses));
        memcpy(v->uses, u.uses, u.n_uses * sizeof(*v->uses));
        n++;
    }
    for (size_t i = 0; i < n; i++) {
        make_shadow(&u, &all[i]);
        note_sources(&u, &all[i]);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < all[i].n_uses; k++)
            if (all[i].uses[k].kind == READS)
                mark_read(&u, &all[i], &all[i].uses[k]);
            else if (all[i].uses[k].kind == GIVES)
                mark_given(&u, &all[i], &all[i].uses[k]);
    for (size_t i = 0; i < n; i++)
        mark_writes(&u, &all[i]);
}

void
ls_mark_unset(struct ls_marker *m, LLVMValueRef fn, ls_follow_root root,
              struct ls_follower *follower)
{
    struct ls_ptrmap names;

    find_names(m->cc, &names);
    mark_function(m, fn, root, follower, &names);
}

/* Whether clang has left variables that it would make values of. */
static bool
is_plain(LLVMValueRef fn)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)); i;
         i = LLVMGetNextInstruction(i)) {
        LLVMTypeKind kind;

        if (!LLVMIsAAllocaInst(i))
            continue;
        kind = LLVMGetTypeKind(LLVMGetAllocatedType(i));
        if (kind != LLVMArrayTypeKind && kind != LLVMStructTypeKind)
            return true;
    }
    return false;
}

static void
remove_taint(LLVMValueRef call)
{
    LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
    LLVMInstructionEraseFromParent(call);
}

void
ls_remove_taints(LLVMValueRef fn, bool all)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (is_taint(i) && (all || LLVMIsNull(LLVMGetOperand(i, 1))))
                remove_taint(i);
        }
}

void
ls_checks_settle_unset(struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); cc->has_marked_unset && fn;
         fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn))
            ls_remove_taints(fn, false);
}

void
ls_checks_mark_unset(struct ls_cc *cc)
{
    struct ls_marker m = {.cc = cc, .i64 = LLVMInt64TypeInContext(cc->llvm)};
    struct ls_ptrmap names;

    if (!(cc->opt->checks & LS_CHECK_INIT))
        return;
    m.b = LLVMCreateBuilderInContext(cc->llvm);
    find_names(cc, &names);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn) && is_plain(fn)) {
            mark_function(&m, fn, NULL, NULL, &names);
            cc->has_marked_unset = true;
        }
    LLVMDisposeBuilder(m.b);
}
