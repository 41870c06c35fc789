/* SPDX-License-Identifier: MIT */
/* A lane reads 64 bits of another one (a double, a pointer) by two operations of 32, as AMD's
 * builtins have it. Where both halves are of one number and go the same way, they are one operation
 * on that number here: x86 has registers of 64-bit lanes, and to take them apart and put them
 * together costs more than to move them. */
#include "compiler/ir/prepare_priv.h"

#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "base/log.h"
#include "intrin/intrinsics.h"

struct way {
    const char *name, *joined; /* joined: a row of intrinsics.def, for any type */
    unsigned first, n;         /* the arguments that are data; the others must be the same */
};

static const struct way ways[] = {
    {"llvm.amdgcn.ds.bpermute", "ls.bpermute.i64", 1, 1},
    {"llvm.amdgcn.ds.swizzle", "ls.swizzle.i64", 0, 1},
    {"llvm.amdgcn.readfirstlane.i32", "llvm.amdgcn.readfirstlane.i64", 0, 1},
    {"llvm.amdgcn.readlane.i32", "llvm.amdgcn.readlane.i64", 0, 1},
    {"llvm.amdgcn.mov.dpp.i32", "llvm.amdgcn.mov.dpp.i64", 0, 1},
    {"llvm.amdgcn.update.dpp.i32", "llvm.amdgcn.update.dpp.i64", 0, 2},
};

enum { MAX_ARGS = 8 };

struct joiner {
    struct ls_cc *cc;
    LLVMTypeRef i32, i64;
    LLVMBuilderRef b;
};

static bool
is_op(LLVMValueRef v, LLVMOpcode op)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

/* A shift by 32, to the left or the right. */
static bool
is_shift(LLVMValueRef v, LLVMOpcode op)
{
    LLVMValueRef by = is_op(v, op) ? LLVMGetOperand(v, 1) : NULL;

    return by && LLVMIsAConstantInt(by) && LLVMConstIntGetZExtValue(by) == 32;
}

static LLVMValueRef
extended(const struct joiner *j, LLVMValueRef v)
{
    LLVMValueRef x = is_op(v, LLVMZExt) ? LLVMGetOperand(v, 0) : NULL;

    return x && LLVMTypeOf(x) == j->i32 && LLVMIsACallInst(x) ? x : NULL;
}

/* The number that two values are the halves of; NULL: not one number. */
static LLVMValueRef
number_of(const struct joiner *j, LLVMValueRef lo, LLVMValueRef hi)
{
    LLVMValueRef x;

    if (LLVMIsConstant(lo) && LLVMIsConstant(hi)) {
        if (LLVMIsUndef(lo) && LLVMIsUndef(hi))
            return LLVMIsPoison(lo) && LLVMIsPoison(hi) ? LLVMGetPoison(j->i64)
                                                        : LLVMGetUndef(j->i64);
        if (!LLVMIsAConstantInt(lo) || !LLVMIsAConstantInt(hi))
            return NULL;
        return LLVMConstInt(
            j->i64, LLVMConstIntGetZExtValue(hi) << 32 | LLVMConstIntGetZExtValue(lo), false);
    }
    if (!is_op(lo, LLVMTrunc) || !is_op(hi, LLVMTrunc))
        return NULL;
    x = LLVMGetOperand(lo, 0);
    hi = LLVMGetOperand(hi, 0);
    return LLVMTypeOf(x) == j->i64 && is_shift(hi, LLVMLShr) && LLVMGetOperand(hi, 0) == x ? x
                                                                                          : NULL;
}

static const struct way *
way_of(LLVMValueRef call)
{
    const char *name = ls_ir_callee_name(call);

    for (unsigned i = 0; name && i < sizeof(ways) / sizeof(*ways); i++)
        if (strcmp(name, ways[i].name) == 0)
            return &ways[i];
    return NULL;
}

/* The builtin for 64 bits: LLVM's own, or one of ours with all that is said of the one for 32. */
static LLVMValueRef
callee(const struct joiner *j, const struct way *way, LLVMValueRef like)
{
    LLVMValueRef old = LLVMGetCalledValue(like), fn;
    LLVMTypeRef type = LLVMGlobalGetValueType(old), params[MAX_ARGS];
    unsigned id = LLVMLookupIntrinsicID(way->joined, strlen(way->joined));
    unsigned n = LLVMCountParamTypes(type), n_attrs;
    LLVMAttributeRef attrs[32];

    if (id)
        return LLVMGetIntrinsicDeclaration(j->cc->mod, id, (LLVMTypeRef *)&j->i64, 1);
    if ((fn = LLVMGetNamedFunction(j->cc->mod, way->joined)) != NULL)
        return fn;
    LLVMGetParamTypes(type, params);
    for (unsigned i = way->first; i < way->first + way->n; i++)
        params[i] = j->i64;
    fn = LLVMAddFunction(j->cc->mod, way->joined, LLVMFunctionType(j->i64, params, n, false));
    n_attrs = LLVMGetAttributeCountAtIndex(old, LLVMAttributeFunctionIndex);
    LS_ASSERT_FITS(n_attrs, 32);
    LLVMGetAttributesAtIndex(old, LLVMAttributeFunctionIndex, attrs);
    for (unsigned i = 0; i < n_attrs; i++)
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, attrs[i]);
    return fn;
}

static bool
comes_first(LLVMValueRef a, LLVMValueRef b)
{
    for (; a; a = LLVMGetNextInstruction(a))
        if (a == b)
            return true;
    return false;
}

/* One operation for the two that make the low and the high half, in place of the later one; NULL:
 * they are not such. */
static LLVMValueRef
joined(const struct joiner *j, LLVMValueRef lo, LLVMValueRef hi)
{
    const struct way *way = way_of(lo);
    LLVMValueRef args[MAX_ARGS], fn, call;
    unsigned n;

    /* In one block the same lanes are on. */
    if (!way || way_of(hi) != way || LLVMGetInstructionParent(lo) != LLVMGetInstructionParent(hi))
        return NULL;
    n = LLVMGetNumArgOperands(lo);
    LS_ASSERT_FITS(n, MAX_ARGS);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef one = LLVMGetOperand(lo, i), two = LLVMGetOperand(hi, i);

        args[i] = i - way->first < way->n ? number_of(j, one, two) : one == two ? one : NULL;
        if (!args[i])
            return NULL;
    }
    call = comes_first(lo, hi) ? hi : lo;
    LLVMPositionBuilderBefore(j->b, call);
    LLVMSetCurrentDebugLocation2(j->b, LLVMInstructionGetDebugLoc(call));
    fn = callee(j, way, lo);
    return LLVMBuildCall2(j->b, LLVMGlobalGetValueType(fn), fn, args, n, "");
}

/* Removes what nothing uses any more. */
static void
drop(LLVMValueRef v)
{
    LLVMValueRef ops[MAX_ARGS];
    bool unused[MAX_ARGS];
    int n;

    if (!LLVMIsAInstruction(v) || LLVMGetFirstUse(v) || LLVMIsAPHINode(v) ||
        (LLVMIsACallInst(v) && !way_of(v)))
        return;
    n = LLVMIsACallInst(v) ? (int)LLVMGetNumArgOperands(v) : LLVMGetNumOperands(v);
    LS_ASSERT_FITS(n, MAX_ARGS);
    for (int i = 0; i < n; i++)
        ops[i] = LLVMGetOperand(v, (unsigned)i);
    LLVMInstructionEraseFromParent(v);
    /* One operand may be made of another one, which then goes with it. */
    for (int i = 0; i < n; i++) {
        unused[i] = !LLVMGetFirstUse(ops[i]);
        for (int k = 0; k < i; k++)
            unused[i] &= ops[k] != ops[i];
    }
    for (int i = 0; i < n; i++)
        if (unused[i])
            drop(ops[i]);
}

static void
look_at(const struct joiner *j, LLVMValueRef inst)
{
    LLVMValueRef lo = NULL, hi = NULL, both;

    if ((!is_op(inst, LLVMOr) && !is_op(inst, LLVMAdd)) || LLVMTypeOf(inst) != j->i64)
        return;
    for (unsigned i = 0; i < 2 && (!lo || !hi); i++) {
        LLVMValueRef shl = LLVMGetOperand(inst, i);

        lo = extended(j, LLVMGetOperand(inst, 1 - i));
        hi = is_shift(shl, LLVMShl) ? extended(j, LLVMGetOperand(shl, 0)) : NULL;
    }
    if (!lo || !hi || (both = joined(j, lo, hi)) == NULL)
        return;
    LLVMReplaceAllUsesWith(inst, both);
    drop(inst);
}

void
ls_halves_join(struct ls_cc *cc)
{
    struct joiner j = {.cc = cc,
                       .i32 = LLVMInt32TypeInContext(cc->llvm),
                       .i64 = LLVMInt64TypeInContext(cc->llvm),
                       .b = LLVMCreateBuilderInContext(cc->llvm)};

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
                /* What is removed lies in front of it. */
                next = LLVMGetNextInstruction(i);
                look_at(&j, i);
            }
    LLVMDisposeBuilder(j.b);
}
