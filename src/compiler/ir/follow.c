/* SPDX-License-Identifier: MIT */
/* What a shuffle reads from a lane that is not there is undefined, which does no harm as long as
 * nobody uses it: sums over a warp leave such numbers in lanes that nobody looks at. So with each
 * value that may hang on one goes a number, its shade: 0, or 1 + the number of that shuffle's site.
 * Where memory, branches and addresses get such a value stands a mark. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/ptrmap.h"
#include "compiler/ir/checks_priv.h"
#include "intrin/intrinsics.h"

#define PERMUTE "llvm.amdgcn.ds.bpermute"
#define FIRST   "llvm.amdgcn.readfirstlane.i32"
#define READ    "llvm.amdgcn.readlane.i32"

struct ls_follower {
    struct ls_marker *m;
    LLVMTypeRef i1, i32;
    LLVMValueRef none;        /* the shade 0 */
    struct ls_ptrmap reached; /* values that may hang on a shuffle */
    struct ls_ptrmap shades;
    struct ls_ptrmap numbers; /* of shuffles: 1 + their site's number, as a pointer */
    LLVMValueRef *list;       /* of the reached ones */
    size_t n, cap;
};

/* All lanes read those that they choose. */
static bool
is_shuffle(LLVMValueRef v)
{
    return ls_ir_calls(v, PERMUTE) || ls_ir_calls(v, "ls.bpermute.");
}

static bool
is_all_ones(LLVMValueRef v)
{
    return LLVMIsAConstantInt(v) && LLVMConstIntGetSExtValue(v) == -1;
}

/* The number of the lane, as headers compute it. */
static bool
is_lane(LLVMValueRef v)
{
    if (ls_ir_calls(v, "llvm.amdgcn.mbcnt.hi"))
        return is_all_ones(LLVMGetOperand(v, 0)) && is_lane(LLVMGetOperand(v, 1));
    if (ls_ir_calls(v, "llvm.amdgcn.mbcnt.lo"))
        return is_all_ones(LLVMGetOperand(v, 0)) && LLVMIsNull(LLVMGetOperand(v, 1));
    return ls_ir_is_lane(v);
}

/* A shuffle by which each lane reads itself: all others are too far away. */
static bool
reads_itself(LLVMValueRef shuffle)
{
    LLVMValueRef index = LLVMGetOperand(shuffle, 0);

    return is_shuffle(shuffle) && LLVMIsABinaryOperator(index) &&
           LLVMGetInstructionOpcode(index) == LLVMShl &&
           LLVMIsAConstantInt(LLVMGetOperand(index, 1)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(index, 1)) == 2 &&
           is_lane(LLVMGetOperand(index, 0));
}

static bool
is_pure_call(LLVMValueRef v)
{
    const char *name = LLVMIsACallInst(v) ? ls_ir_callee_name(v) : NULL;
    const struct ls_intrin *row = name ? ls_intrin_find(name) : NULL;

    return row && row->shape == LS_IS_PURE && !(row->flags & (LS_IF_MEMORY | LS_IF_CONVERGENT));
}

/* Whether a value is made of its operands alone. */
static bool
is_made(LLVMValueRef v)
{
    return LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsACmpInst(v) ||
           LLVMIsAGetElementPtrInst(v) || LLVMIsASelectInst(v) || LLVMIsAPHINode(v) ||
           LLVMIsAFreezeInst(v) || LLVMIsAUnaryOperator(v) || LLVMIsAExtractElementInst(v) ||
           LLVMIsAInsertElementInst(v) || LLVMIsAShuffleVectorInst(v) ||
           LLVMIsAExtractValueInst(v) || LLVMIsAInsertValueInst(v) || is_pure_call(v);
}

/* Whether the user of a value hands it on, to a shade of its own. */
static bool
hands_on(LLVMValueRef user, LLVMValueRef value)
{
    if (is_shuffle(user))
        return LLVMGetOperand(user, 0) != value;
    if (ls_ir_calls(user, LS_FN_UNSET))
        return LLVMGetOperand(user, 0) == value;
    return is_made(user) || ls_ir_calls(user, "llvm.amdgcn.readfirstlane.") ||
           (ls_ir_calls(user, "llvm.amdgcn.readlane.") && LLVMGetOperand(user, 1) != value);
}

static void
reach(struct ls_follower *f, LLVMValueRef v)
{
    if (ls_ptrmap_get(&f->reached, v))
        return;
    ls_ptrmap_set(&f->reached, v, v);
    if (f->n == f->cap) { /* the old array is left to the arena */
        LLVMValueRef *more =
            ls_arena_alloc(f->m->cc->arena, (f->cap ? 2 * f->cap : 64) * sizeof(*more));

        if (f->n)
            memcpy(more, f->list, f->n * sizeof(*more));
        f->list = more;
        f->cap = f->cap ? 2 * f->cap : 64;
    }
    f->list[f->n++] = v;
}

static void
reach_all(struct ls_follower *f)
{
    for (size_t i = 0; i < f->n; i++)
        for (LLVMUseRef use = LLVMGetFirstUse(f->list[i]); use; use = LLVMGetNextUse(use))
            if (hands_on(LLVMGetUser(use), f->list[i]))
                reach(f, LLVMGetUser(use));
}

static LLVMValueRef
call(struct ls_follower *f, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned n)
{
    LLVMTypeRef types[2] = {f->i32, f->i32}, type = LLVMFunctionType(result, types, n, false);
    LLVMValueRef fn = LLVMGetNamedFunction(f->m->cc->mod, name);

    if (!fn) {
        fn = LLVMAddFunction(f->m->cc->mod, name, type);
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                ls_ir_attribute(f->m->cc, "convergent", 0));
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                ls_ir_attribute(f->m->cc, "nounwind", 0));
    }
    return LLVMBuildCall2(f->m->b, type, fn, args, n, "");
}

/* Of two shades one that is not 0. */
static LLVMValueRef
either(struct ls_follower *f, LLVMValueRef a, LLVMValueRef b)
{
    if (a == f->none || a == b)
        return b;
    if (b == f->none)
        return a;
    return LLVMBuildSelect(f->m->b, LLVMBuildICmp(f->m->b, LLVMIntNE, a, f->none, ""), a, b, "");
}

static LLVMValueRef shade_of(struct ls_follower *f, LLVMValueRef v);

/* The shades of all operands together; those of `v` have been made before the builder is placed. */
static LLVMValueRef
shade_of_operands(struct ls_follower *f, LLVMValueRef v)
{
    LLVMValueRef shade = f->none;
    unsigned n = LLVMIsACallInst(v) ? LLVMGetNumArgOperands(v) : (unsigned)LLVMGetNumOperands(v);

    for (unsigned i = 0; i < n; i++)
        shade = either(f, shade, shade_of(f, LLVMGetOperand(v, i)));
    return shade;
}

static LLVMValueRef
shade_of_shuffle(struct ls_follower *f, LLVMValueRef v)
{
    LLVMValueRef index = LLVMGetOperand(v, 0), moved = shade_of(f, LLVMGetOperand(v, 1)),
                 args[2] = {index, moved}, number;
    uintptr_t n = (uintptr_t)ls_ptrmap_get(&f->numbers, v);

    number = LLVMConstInt(f->i32, n, false);
    if (n && reads_itself(v))
        return number;
    if (moved != f->none)
        moved = call(f, PERMUTE, f->i32, args, 2);
    return LLVMBuildSelect(f->m->b, call(f, LS_FN_ABSENT, f->i1, args, 1), number, moved, "");
}

static LLVMValueRef
shade_of_select(struct ls_follower *f, LLVMValueRef v)
{
    LLVMValueRef condition = LLVMGetOperand(v, 0), chosen = LLVMGetOperand(v, 1),
                 other = LLVMGetOperand(v, 2);
    LLVMValueRef a = shade_of(f, chosen), b = shade_of(f, other);

    if (LLVMGetTypeKind(LLVMTypeOf(condition)) == LLVMVectorTypeKind)
        return shade_of_operands(f, v);
    return either(f, shade_of(f, condition),
                  a == b ? a : LLVMBuildSelect(f->m->b, condition, a, b, ""));
}

/* The value's shade, made behind it where it is not there yet; those of phis are. */
static LLVMValueRef
shade_of(struct ls_follower *f, LLVMValueRef v)
{
    LLVMValueRef shade = ls_ptrmap_get(&f->shades, v), args[2];

    if (shade || !ls_ptrmap_get(&f->reached, v))
        return shade ? shade : f->none;
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(v); i++)
        shade_of(f, LLVMGetOperand(v, i)); /* first, as it moves the builder */
    LLVMPositionBuilderBefore(f->m->b, LLVMGetNextInstruction(v));
    if (ls_ir_calls(v, LS_FN_UNSET)) {
        const char *number = ls_ir_callee_name(v) + strlen(LS_FN_UNSET);

        shade = LLVMConstInt(f->i32, strtoul(number, NULL, 10) + 1, false);
        shade = LLVMBuildSelect(f->m->b, LLVMGetOperand(v, 1), shade,
                                shade_of(f, LLVMGetOperand(v, 0)), "");
    } else if (is_shuffle(v)) {
        shade = shade_of_shuffle(f, v);
    } else if (LLVMIsASelectInst(v)) {
        shade = shade_of_select(f, v);
    } else if (LLVMIsACallInst(v) && !is_pure_call(v)) {
        args[0] = shade_of(f, LLVMGetOperand(v, 0));
        args[1] = LLVMGetOperand(v, 1);
        shade = ls_ir_calls(v, "llvm.amdgcn.readlane.") ? call(f, READ, f->i32, args, 2)
                                                        : call(f, FIRST, f->i32, args, 1);
    } else {
        shade = shade_of_operands(f, v);
    }
    ls_ptrmap_set(&f->shades, v, shade);
    return shade;
}

static void
shade_phis(struct ls_follower *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (LLVMIsAPHINode(f->list[i])) {
            LLVMPositionBuilderBefore(f->m->b, f->list[i]);
            ls_ptrmap_set(&f->shades, f->list[i], LLVMBuildPhi(f->m->b, f->i32, "shade"));
        }
    for (size_t i = 0; i < f->n; i++) {
        LLVMValueRef phi = f->list[i], shade;

        if (!LLVMIsAPHINode(phi))
            continue;
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);

            shade = shade_of(f, LLVMGetIncomingValue(phi, k));
            LLVMAddIncoming(ls_ptrmap_get(&f->shades, phi), &shade, &from, 1);
        }
    }
}

/* Whether it shows what it is given to someone: who reads memory, or who looks at the way taken. */
static bool
shows(LLVMValueRef inst)
{
    if (LLVMIsAStoreInst(inst))
        return !ls_ir_is_private(LLVMGetOperand(inst, 1));
    return LLVMIsALoadInst(inst) || LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst) ||
           LLVMIsABranchInst(inst) || LLVMIsASwitchInst(inst) ||
           (LLVMIsACallInst(inst) && !ls_ir_calls(inst, LS_FN_CHECK) &&
            !ls_ir_calls(inst, "ls.debug.") && !ls_ir_calls(inst, LS_FN_UNSET) &&
            !ls_ir_calls(inst, LS_FN_ABSENT) && !hands_on(inst, NULL));
}

/* Operands that hang on shuffles: the index of a shuffle, not what it moves. */
static LLVMValueRef
shade_of_shown(struct ls_follower *f, LLVMValueRef inst)
{
    if (is_shuffle(inst))
        return shade_of(f, LLVMGetOperand(inst, 0));
    return shade_of_operands(f, inst);
}

static void
mark_use(struct ls_follower *f, LLVMValueRef inst)
{
    struct ls_check_note *note;
    LLVMValueRef shade;

    LLVMPositionBuilderBefore(f->m->b, inst);
    shade = shade_of_shown(f, inst);
    if (shade == f->none)
        return;
    note = ls_mark_note(f->m);
    note->site.kind = LS_CHECK_USE;
    note->site.slot = (uint32_t)f->m->cc->n_checks;
    note->trace = ls_mark_trace(f->m->cc, inst);
    ls_mark_call(f->m, LLVMBuildZExt(f->m->b, shade, f->m->i64, ""), NULL, inst);
}

static void
number_shuffle(struct ls_follower *f, LLVMValueRef inst)
{
    struct ls_check_note *note = ls_mark_note(f->m);

    note->site.kind = LS_CHECK_SHUFFLE;
    note->site.flags = reads_itself(inst) ? LS_CHECK_ITSELF : 0;
    note->trace = ls_mark_trace(f->m->cc, inst);
    note->site.slot = (uint32_t)f->m->cc->n_checks++;
    ls_ptrmap_set(&f->numbers, inst, (void *)((uintptr_t)note->site.slot + 1));
    reach(f, inst);
}

static void
add_root(struct ls_follower *f, LLVMValueRef value, LLVMValueRef bad, uint32_t number)
{
    ls_ptrmap_set(&f->shades, value,
                  LLVMBuildSelect(f->m->b, bad, LLVMConstInt(f->i32, number, false), f->none, ""));
    reach(f, value);
}

void
ls_mark_uses(struct ls_marker *m, LLVMValueRef fn)
{
    unsigned on = m->cc->opt->checks;
    struct ls_follower f = {.m = m,
                            .i1 = LLVMInt1TypeInContext(m->cc->llvm),
                            .i32 = LLVMInt32TypeInContext(m->cc->llvm)};

    f.none = LLVMConstNull(f.i32);
    ls_ptrmap_init(&f.reached, m->cc->arena);
    ls_ptrmap_init(&f.shades, m->cc->arena);
    ls_ptrmap_init(&f.numbers, m->cc->arena);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (is_shuffle(i) && on & LS_CHECK_SYNC)
                number_shuffle(&f, i);
            else if (ls_ir_calls(i, LS_FN_UNSET))
                reach(&f, i);
    if (on & LS_CHECK_INIT && !m->cc->has_marked_unset)
        ls_mark_unset(m, fn, add_root, &f);
    if (!f.n)
        return;
    reach_all(&f);
    shade_phis(&f);
    for (size_t i = 0; i < f.n; i++)
        shade_of(&f, f.list[i]);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (shows(i) || is_shuffle(i))
                mark_use(&f, i);
}
