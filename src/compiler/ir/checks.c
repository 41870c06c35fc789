/* SPDX-License-Identifier: MIT */
/* Marks for checkers: in front of each access a call, `ls.check.<n>(where)`, of which the
 * vectoriser makes a test of all lanes' places (lower/lower_check.c). `where` is the address; in a
 * variable that is known by itself (of a thread, of the code, a structure among the arguments) the
 * offset in it, so that no address of it is needed. Accesses that are always right have no mark. */
#include <string.h>

#include "analysis/access.h"
#include "analysis/shape_priv.h"
#include "compiler/ir/checks_priv.h"
#include "device/cpu/kernel_abi.h"

enum { LARGEST_ALIGN = 16, ALIKE_DEPTH = 8 };

/* ---- What an access goes to ---- */

/* A place: a variable and the distance from its start. */
struct place {
    LLVMValueRef base;   /* alloca, variable, parameter, or whatever else */
    LLVMValueRef moving; /* i64, the part of the distance that is not known; NULL: none */
    int64_t known;
};

static bool
is_gep(LLVMValueRef v)
{
    return LLVMIsAGetElementPtrInst(v) ||
           (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr);
}

static bool
is_cast(LLVMValueRef v)
{
    LLVMOpcode op = LLVMIsAInstruction(v)    ? LLVMGetInstructionOpcode(v)
                    : LLVMIsAConstantExpr(v) ? LLVMGetConstOpcode(v)
                                             : LLVMRet;

    return op == LLVMAddrSpaceCast || op == LLVMBitCast;
}

static LLVMValueRef
base_of(LLVMValueRef pointer)
{
    while (is_gep(pointer) || is_cast(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

/* Adds up the distance, with code in front of where the builder stands. */
static struct place
place_of(struct ls_marker *m, LLVMValueRef pointer)
{
    struct place p = {.base = pointer};

    while (is_gep(p.base) || is_cast(p.base)) {
        struct ls_gep_term terms[LS_MAX_GEP_TERMS];
        unsigned n = is_gep(p.base) ? ls_gep_terms(m->cc, p.base, terms, LS_MAX_GEP_TERMS) : 0;

        for (unsigned i = 0; i < n; i++) {
            if (!terms[i].index) {
                p.known += terms[i].stride;
                continue;
            }
            LLVMValueRef by =
                LLVMBuildMul(m->b, LLVMBuildIntCast2(m->b, terms[i].index, m->i64, true, ""),
                             LLVMConstInt(m->i64, (uint64_t)terms[i].stride, true), "");
            p.moving = p.moving ? LLVMBuildAdd(m->b, p.moving, by, "") : by;
        }
        p.base = LLVMGetOperand(p.base, 0);
    }
    return p;
}

static uint32_t
fit(uint64_t bytes)
{
    return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

static const char *
name_of(struct ls_cc *cc, LLVMValueRef v)
{
    size_t n;
    const char *name = LLVMGetValueName2(v, &n);

    return n ? memcpy(ls_arena_alloc(cc->arena, n + 1), name, n + 1) : NULL;
}

static bool
is_byref(LLVMValueRef v, uint64_t *bytes, struct ls_cc *cc)
{
    LLVMValueRef fn;

    if (!LLVMIsAArgument(v))
        return false;
    fn = LLVMGetParamParent(v);
    for (unsigned i = 0; i < LLVMCountParams(fn); i++)
        if (LLVMGetParam(fn, i) == v) {
            LLVMTypeRef type = ls_ir_byref_type(fn, i);

            *bytes = type ? LLVMABISizeOfType(cc->device.layout, type) : 0;
            return type != NULL;
        }
    return false;
}

/* What is written into the program by the stages before: ctx and what hangs on it. */
static bool
is_ours(LLVMValueRef base)
{
    const char *callee = LLVMIsACallInst(base) ? ls_ir_callee_name(base) : NULL;
    size_t n;

    if (LLVMIsAArgument(base))
        return base == LLVMGetParam(LLVMGetParamParent(base), 0) &&
               strcmp(LLVMGetValueName2(LLVMGetParamParent(base), &n), LS_FN_PROGRAM) == 0;
    if (LLVMIsALoadInst(base)) { /* what a field of ctx points to: the table of variables */
        base = base_of(LLVMGetOperand(base, 0));
        return !LLVMIsALoadInst(base) && is_ours(base);
    }
    return callee && ls_ir_has_prefix(callee, "ls.");
}

/* Fills in what is known of the variable. False: nothing can go wrong, or nothing is known of such
 * places. */
static bool
find_variable(struct ls_marker *m, LLVMValueRef pointer, struct ls_check_note *note)
{
    struct ls_cc *cc = m->cc;
    LLVMValueRef base = base_of(pointer);
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)), from;
    uint64_t bytes = 0;

    note->site.space = LS_CHECK_ANYWHERE;
    if (is_ours(base))
        return false;
    if (LLVMIsAAllocaInst(base)) {
        size_t n;

        if (ls_ir_has_prefix(LLVMGetValueName2(base, &n), LS_CHECK_SHADOW))
            return false;
        bytes = LLVMABISizeOfType(cc->device.layout, LLVMGetAllocatedType(base));
        note->site.space = LS_CHECK_PRIVATE;
        if (!LLVMIsAConstantInt(LLVMGetOperand(base, 0)))
            return false;
        bytes *= LLVMConstIntGetZExtValue(LLVMGetOperand(base, 0));
    } else if (is_byref(base, &bytes, cc)) {
        note->site.space = LS_CHECK_ARGUMENT;
    } else if (LLVMIsAGlobalVariable(base) && LLVMGetPointerAddressSpace(LLVMTypeOf(base)) == 3) {
        note->site.space = LS_CHECK_LDS;
        bytes = LLVMABISizeOfType(cc->device.layout, LLVMGlobalGetValueType(base));
        if (bytes && ls_ir_global_number(cc, base, LS_MD_LDS_OFFSET, &from))
            note->site.from = from;
        else
            bytes = 0;
    } else if (LLVMIsAGlobalVariable(base)) {
        note->site.space = LS_CHECK_CONSTANT;
        bytes = LLVMABISizeOfType(cc->device.layout, LLVMGlobalGetValueType(base));
    } else if (space == 3) {
        note->site.space = LS_CHECK_LDS;
        return true;
    } else {
        return space != 5; /* a thread's own memory, through a pointer */
    }
    note->site.room = fit(bytes);
    note->variable = name_of(cc, base);
    return true;
}

static bool
is_by_offset(const struct ls_check_site *site)
{
    return site->space != LS_CHECK_ANYWHERE && site->space != LS_CHECK_LDS;
}

/* A place in a variable of shared memory, as a pointer to such. A constant stays one without casts,
 * as nothing makes code of those. */
static LLVMValueRef
shared_place(struct ls_marker *m, LLVMValueRef pointer, const struct place *p)
{
    LLVMTypeRef i8 = LLVMInt8TypeInContext(m->cc->llvm), i32 = LLVMInt32TypeInContext(m->cc->llvm);
    LLVMValueRef known = LLVMConstInt(i32, (uint64_t)p->known, true);

    if (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == 3)
        return pointer;
    if (!p->moving)
        return p->known ? LLVMConstGEP2(i8, p->base, &known, 1) : p->base;
    return LLVMBuildAddrSpaceCast(m->b, pointer, LLVMPointerTypeInContext(m->cc->llvm, 3), "");
}

/* What the mark says of the place; NULL: it is always right. */
static LLVMValueRef
where_of(struct ls_marker *m, LLVMValueRef pointer, const struct ls_check_site *site)
{
    struct place p;

    if (site->space == LS_CHECK_ANYWHERE)
        return pointer;
    p = place_of(m, pointer);
    if (site->space == LS_CHECK_LDS && !site->room) /* the launch sizes it */
        return shared_place(m, pointer, &p);
    if (!p.moving && p.known >= 0 && (uint64_t)p.known + site->bytes <= site->room &&
        !(site->space == LS_CHECK_LDS && m->cc->opt->checks & LS_CHECK_OBSERVES))
        return NULL;
    if (!is_by_offset(site))
        return shared_place(m, pointer, &p);
    LLVMValueRef known = LLVMConstInt(m->i64, (uint64_t)p.known, true);
    return p.moving ? LLVMBuildAdd(m->b, p.moving, known, "") : known;
}

/* Whether all threads that come here store the same. */
static bool
stores_same(LLVMValueRef inst)
{
    return LLVMIsAStoreInst(inst) && LLVMIsAConstant(LLVMGetOperand(inst, 0));
}

/* Whether a value is the same in all lanes of a warp that compute it together. */
static bool
is_alike(struct ls_cc *cc, LLVMValueRef v, unsigned depth)
{
    if (LLVMIsAConstant(v) || (LLVMIsAArgument(v) && LLVMGetParamParent(v) == ls_program_get(cc)))
        return true;
    if (depth == 0 || !(LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsACmpInst(v) ||
                        LLVMIsAGetElementPtrInst(v) || LLVMIsASelectInst(v) ||
                        (LLVMIsALoadInst(v) && !LLVMGetVolatile(v))))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (!is_alike(cc, LLVMGetOperand(v, (unsigned)i), depth - 1))
            return false;
    return true;
}

static bool
is_only_moved(LLVMValueRef inst)
{
    LLVMUseRef use = LLVMIsALoadInst(inst) ? LLVMGetFirstUse(inst) : NULL;
    bool any = use != NULL;

    for (; use; use = LLVMGetNextUse(use))
        if (!LLVMIsAStoreInst(LLVMGetUser(use)))
            return false;
    return any;
}

/* What follows before `end` in the same block may not be seen by other warps, nor see what they do.
 */
static bool
is_quiet_until(LLVMValueRef inst, LLVMValueRef end)
{
    for (; inst && inst != end; inst = LLVMGetNextInstruction(inst))
        if (LLVMIsACallInst(inst) || LLVMIsAStoreInst(inst) || LLVMIsAFenceInst(inst) ||
            LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst))
            return false;
    return inst != NULL;
}

/* The choice that alone uses what an instruction loads: the optimiser loads early what is always
 * there, and the program only does in those threads that choose it. NULL: none. */
static LLVMValueRef
choice_of(LLVMValueRef load)
{
    LLVMUseRef use = LLVMIsALoadInst(load) ? LLVMGetFirstUse(load) : NULL;
    LLVMValueRef user = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;

    return user && LLVMIsASelectInst(user) && LLVMGetOperand(user, 0) != load &&
                   is_quiet_until(load, user)
               ? user
               : NULL;
}

/* The place of a load, for the lanes that choose it. */
static LLVMValueRef
chosen_place(struct ls_marker *m, LLVMValueRef where, LLVMValueRef load, LLVMValueRef choice)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->cc->llvm);
    LLVMValueRef nowhere = LLVMConstInt(i32, LS_CHECK_NOWHERE, false), at;
    bool is_first = LLVMGetOperand(choice, 1) == load;

    at = LLVMBuildPtrToInt(m->b, where, i32, "");
    return LLVMBuildSelect(m->b, LLVMGetOperand(choice, 0), is_first ? at : nowhere,
                           is_first ? nowhere : at, "");
}

static uint8_t
align_of(unsigned align)
{
    return (uint8_t)(align < LARGEST_ALIGN ? align : LARGEST_ALIGN);
}

static void
mark_access(struct ls_marker *m, const struct ls_access *a)
{
    struct ls_cc *cc = m->cc;
    struct ls_check_note *note = ls_mark_note(m);
    LLVMValueRef where, choice = NULL, n_bytes = NULL;
    uint64_t bytes = 1;
    bool is_plain;

    if (a->type)
        bytes = LLVMStoreSizeOfType(cc->device.layout, a->type);
    else if (LLVMIsAConstantInt(a->n_bytes))
        bytes = LLVMConstIntGetZExtValue(a->n_bytes);
    else
        n_bytes = a->n_bytes;
    if (!bytes)
        return;
    if (bytes > UINT32_MAX)
        n_bytes = a->n_bytes;
    note->site.kind = a->reads && a->writes ? LS_CHECK_ATOMIC
                      : a->writes           ? LS_CHECK_STORE
                                            : LS_CHECK_LOAD;
    note->site.bytes = n_bytes ? LS_CHECK_MANY : (uint32_t)bytes;
    note->site.align = 1;
    if (!LLVMIsACallInst(a->inst))
        note->site.align = align_of(LLVMGetAlignment(a->inst));
    else if (a->is_atomic)
        note->site.align = align_of((unsigned)bytes);
    is_plain = !a->is_atomic &&
               (!a->is_volatile ||
                (cc->opt->checks & LS_CHECK_RACE && !ls_mark_may_be_flag(m, a->pointer)));
    if (is_plain && a->is_volatile)
        note->site.more = LS_CHECK_VOLATILE;
    else if (!is_plain && !m->has_order)
        note->site.more = LS_CHECK_LONE;
    if (!is_plain)
        note->site.flags = LS_CHECK_SYNCHRONISES | ls_mark_order(a->inst);
    else if (stores_same(a->inst))
        note->site.flags = LS_CHECK_SAME;
    else
        choice = choice_of(a->inst);
    if (LLVMIsAStoreInst(a->inst) && is_alike(cc, LLVMGetOperand(a->inst, 0), ALIKE_DEPTH))
        note->site.flags |= LS_CHECK_ALIKE;
    else if (LLVMIsALoadInst(a->inst) && !a->is_atomic && !a->is_volatile &&
             m->cc->opt->checks & LS_CHECK_RACE && ls_ptrmap_get(&m->quiet, a->inst))
        note->site.flags |= LS_CHECK_QUIET;
    if (is_only_moved(a->inst) || LLVMGetMetadata(a->inst, ls_ir_md_kind(cc, LS_MD_TEXEL)))
        note->site.flags |= LS_CHECK_MOVES;
    if (!(cc->opt->checks & LS_CHECK_REVIEW))
        note->site.slot =
            (uint32_t)((cc->n_checks * 2 + (note->site.kind != LS_CHECK_LOAD)) % LS_CHECK_SLOTS);
    LLVMPositionBuilderBefore(m->b, a->inst);
    if (n_bytes)
        n_bytes = LLVMBuildIntCast2(m->b, n_bytes, m->i64, false, "");
    if (!find_variable(m, a->pointer, note) || !(where = where_of(m, a->pointer, &note->site)))
        return;
    if (is_by_offset(&note->site)) {
        if (!(cc->opt->checks & ~LS_CHECK_REVIEW))
            return;
        note->site.align = 1; /* of variables that are ours to place */
    }
    if (choice && note->site.space == LS_CHECK_LDS && LLVMIsAConstant(where)) {
        LLVMPositionBuilderBefore(m->b, choice);
        where = chosen_place(m, where, a->inst, choice);
    }
    note->trace = ls_mark_trace(cc, a->inst);
    ls_mark_call(m, where, n_bytes, a->inst);
}

/* The choice, by thread, that alone uses a value; NULL: none. */
static LLVMValueRef
only_choice_of(LLVMValueRef v)
{
    LLVMUseRef use = LLVMGetFirstUse(v);
    LLVMValueRef user = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;

    return user && LLVMIsASelectInst(user) && LLVMGetOperand(user, 0) != v &&
                   LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(user, 0))) == LLVMIntegerTypeKind
               ? user
               : NULL;
}

/* An element of an array that clang keeps as a vector: the index is one of the array's. Where the
 * program asks before it goes there, clang does so in all threads and chooses afterwards: those
 * that don't choose it count as if they went to the first element. */
static void
mark_element(struct ls_marker *m, LLVMValueRef inst)
{
    bool is_insert = LLVMIsAInsertElementInst(inst) != NULL;
    struct ls_check_note *note;
    LLVMValueRef index, choice, none;
    LLVMTypeRef type;
    uint64_t bytes;

    if (!is_insert && !LLVMIsAExtractElementInst(inst))
        return;
    index = LLVMGetOperand(inst, is_insert ? 2 : 1);
    type = LLVMTypeOf(LLVMGetOperand(inst, 0));
    if (LLVMIsAConstant(index))
        return;
    bytes = LLVMStoreSizeOfType(m->cc->device.layout, LLVMGetElementType(type));
    note = ls_mark_note(m);
    note->site = (struct ls_check_site){.kind = is_insert ? LS_CHECK_STORE : LS_CHECK_LOAD,
                                        .space = LS_CHECK_PRIVATE,
                                        .bytes = (uint32_t)bytes,
                                        .align = 1,
                                        .room = (uint32_t)bytes * LLVMGetVectorSize(type)};
    note->trace = ls_mark_trace(m->cc, inst);
    choice = only_choice_of(inst);
    LLVMPositionBuilderBefore(m->b, choice ? choice : inst);
    index = LLVMBuildIntCast2(m->b, index, m->i64, false, "");
    none = LLVMConstNull(m->i64);
    if (choice && LLVMGetOperand(choice, 1) == inst)
        index = LLVMBuildSelect(m->b, LLVMGetOperand(choice, 0), index, none, "");
    else if (choice)
        index = LLVMBuildSelect(m->b, LLVMGetOperand(choice, 0), none, index, "");
    ls_mark_call(m, LLVMBuildMul(m->b, index, LLVMConstInt(m->i64, bytes, false), ""), NULL, inst);
}

/* Warps that wait for the others at a barrier tell it before; those that pass a fence, too, where
 * others may see that. */
static void
mark_order(struct ls_marker *m, LLVMValueRef inst)
{
    bool is_fence = LLVMIsAFenceInst(inst) && m->has_atomics && m->has_order; /* else nothing */
    struct ls_check_note *note;
    uint8_t flags = is_fence ? ls_mark_order(inst) : 0;
    const char *callee = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    if (callee && ls_ir_is_grid_sync(callee))
        flags = LS_CHECK_GRID;
    if (is_fence ? !(flags & (LS_CHECK_ACQUIRES | LS_CHECK_RELEASES)) ||
                       !(m->cc->opt->checks & LS_CHECK_RACE)
                 : !flags && !(callee && ls_ir_is_barrier(inst)))
        return;
    note = ls_mark_note(m);
    note->site.kind = is_fence ? LS_CHECK_FENCE : LS_CHECK_BARRIER;
    note->site.flags = flags;
    note->trace = ls_mark_trace(m->cc, inst);
    LLVMPositionBuilderBefore(m->b, inst);
    ls_mark_call(m, LLVMConstNull(m->i64), NULL, inst);
}

static void
mark_call(struct ls_marker *m, LLVMValueRef inst)
{
    LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
    struct ls_check_note *note;

    if (!callee || LLVMIsAFunction(callee) || LLVMIsAInlineAsm(callee))
        return;
    note = ls_mark_note(m);
    note->site.kind = LS_CHECK_CALL;
    note->trace = ls_mark_trace(m->cc, inst);
    LLVMPositionBuilderBefore(m->b, inst);
    ls_mark_call(m, LLVMConstNull(m->i64), NULL, inst);
}

static void
mark_accesses(struct ls_marker *m, LLVMValueRef inst)
{
    struct ls_access all[LS_MAX_ACCESSES];
    unsigned on = m->cc->opt->checks, n = on & LS_CHECK_ACCESSES ? ls_accesses_of(inst, all) : 0;

    if (on & LS_CHECK_REVIEW)
        ls_mark_costs(m, inst);
    for (unsigned k = 0; k < n; k++)
        mark_access(m, &all[k]);
    if (on & LS_CHECK_MEMORY)
        mark_call(m, inst);
    if (on & (LS_CHECK_INIT | LS_CHECK_RACE | LS_CHECK_SYNC | LS_CHECK_LANES | LS_CHECK_BARRIERS))
        mark_order(m, inst);
    if (on & (LS_CHECK_SYNC | LS_CHECK_LANES))
        ls_mark_meeting(m, inst); /* the last: it deletes */
}

/* A fence of a block's scope beside a barrier tells nobody what the barrier does not. */
static bool
is_at_barrier(LLVMValueRef fence)
{
    uint8_t flags = ls_mark_order(fence);
    LLVMValueRef before = LLVMGetPreviousInstruction(fence), after = LLVMGetNextInstruction(fence);

    return flags & LS_CHECK_NARROW && ((before && LLVMIsACallInst(before) &&
                                        ls_ir_callee_name(before) && ls_ir_is_barrier(before)) ||
                                       (after && LLVMIsACallInst(after) &&
                                        ls_ir_callee_name(after) && ls_ir_is_barrier(after)));
}

static void
look_for_atomics(struct ls_marker *m, LLVMValueRef inst)
{
    struct ls_access all[LS_MAX_ACCESSES];
    unsigned n = ls_accesses_of(inst, all);

    for (unsigned k = 0; k < n; k++) {
        bool is_atomic = all[k].is_atomic || all[k].is_volatile;

        m->has_atomics |= is_atomic;
        m->has_shared_atomics |=
            is_atomic && LLVMGetPointerAddressSpace(LLVMTypeOf(all[k].pointer)) != 3;
        m->has_order |= is_atomic && ls_mark_order(inst) & (LS_CHECK_ACQUIRES | LS_CHECK_RELEASES);
    }
    if (LLVMIsAFenceInst(inst) && !is_at_barrier(inst))
        m->has_order |= ls_mark_order(inst) & (LS_CHECK_ACQUIRES | LS_CHECK_RELEASES);
}

/* Calls `mark` for all instructions. */
static void
mark_all(struct ls_marker *m, void (*mark)(struct ls_marker *m, LLVMValueRef inst))
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(m->cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMIsDeclaration(fn) ? NULL : LLVMGetFirstBasicBlock(fn); bb;
             bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                mark(m, i);
            }
}

bool
ls_checks_mark(struct ls_cc *cc)
{
    struct ls_marker m = {.cc = cc, .i64 = LLVMInt64TypeInContext(cc->llvm)};

    if (!cc->opt->checks)
        return true;
    ls_origins_make(cc);
    m.b = LLVMCreateBuilderInContext(cc->llvm);
    if (cc->opt->checks & (LS_CHECK_SYNC | LS_CHECK_INIT))
        for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
            if (!LLVMIsDeclaration(fn))
                ls_mark_uses(&m, fn);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn && cc->opt->checks & LS_CHECK_INIT;
         fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn))
            ls_remove_taints(fn, true);
    mark_all(&m, look_for_atomics);
    if (cc->opt->checks & LS_CHECK_RACE) {
        ls_ptrmap_init(&m.flags, cc->arena);
        mark_all(&m, ls_mark_flag);
        ls_mark_quiet(&m);
        if (cc->n_threads)
            ls_threads_init(&m.threads, cc, cc->n_threads,
                            LLVMGetLastParam(ls_program_get(cc)), ls_ir_lds_place);
        mark_all(&m, ls_mark_reach);
        cc->reach.read |= m.own_reads & ~cc->reach.own;
        if (m.has_order) /* atomic operations order others: each of them is looked at */
            cc->reach.written |= cc->reach.atomic;
        cc->kernel_flags |= m.has_shared_atomics ? LS_CPU_KERNEL_ATOMICS : 0;
    }
    mark_all(&m, mark_accesses);
    LLVMDisposeBuilder(m.b);
    return !cc->n_errors;
}

bool
ls_checks_mark_elements(struct ls_cc *cc)
{
    struct ls_marker m = {.cc = cc, .i64 = LLVMInt64TypeInContext(cc->llvm)};

    if (!(cc->opt->checks & LS_CHECK_ACCESSES & ~LS_CHECK_REVIEW))
        return true;
    m.b = LLVMCreateBuilderInContext(cc->llvm);
    mark_all(&m, mark_element);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn && cc->opt->checks & LS_CHECK_INIT;
         fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn))
            ls_mark_unset_elements(&m, fn);
    LLVMDisposeBuilder(m.b);
    return !cc->n_errors;
}
