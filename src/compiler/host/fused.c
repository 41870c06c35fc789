/* SPDX-License-Identifier: MIT */
/* Multiply-add that rounds once, and rounding to whole numbers, on hosts without instructions for
 * them: LLVM calls libm for each lane, and a wave of doubles is 64 calls around which nothing stays
 * in a register. In f32 both are vector arithmetic; a multiply-add of doubles is one loop of calls,
 * a function of the module that all of them share. */
#include "host/host.h"

#include <string.h>

#include "compiler/ir/ir.h"

enum { MIN_LANES = 4 }; /* fewer are left to libm */

struct fuser {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    LLVMTypeRef i64, f32, f64, ptr;
    LLVMValueRef fn;
    LLVMValueRef loop;    /* the function that calls fma; NULL: not made */
    LLVMValueRef slot[3]; /* memory of fn for its operands */
    unsigned slot_bytes;
};

static LLVMValueRef
splat(const struct fuser *f, LLVMTypeRef type, LLVMValueRef one)
{
    unsigned n = LLVMGetVectorSize(type);
    LLVMValueRef *all = ls_arena_alloc(f->cc->arena, n * sizeof(all[0]));

    for (unsigned i = 0; i < n; i++)
        all[i] = one;
    return LLVMConstVector(all, n);
}

static LLVMValueRef
real(const struct fuser *f, LLVMTypeRef type, double value)
{
    return splat(f, type, LLVMConstReal(LLVMGetElementType(type), value));
}

static LLVMValueRef
call_llvm(const struct fuser *f, const char *name, LLVMTypeRef type, LLVMValueRef *args, unsigned n)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef callee = LLVMGetIntrinsicDeclaration(f->cc->mod, id, &type, 1);

    return LLVMBuildCall2(f->b, LLVMGlobalGetValueType(callee), callee, args, n, "");
}

/* ---- Multiply-add of floats ---- */

/* a * b + c. The product is exact in f64, the sum is not: of its rounding error (Knuth's TwoSum)
 * the sign says on which side the number lies. Where there is one, the sum becomes that of its two
 * neighbours whose last bit is set (Boldo and Melquiond, "Emulation of FMA and Correctly Rounded
 * Sums"), and rounding it to f32 is right. The error of an infinite sum is no number, and the sum
 * stays. */
static LLVMValueRef
fma_of_floats(const struct fuser *f, const LLVMValueRef in[3])
{
    LLVMTypeRef floats = LLVMTypeOf(in[0]), doubles = ls_ir_like(floats, f->f64);
    LLVMTypeRef longs = ls_ir_like(floats, f->i64);
    LLVMValueRef zero = LLVMConstNull(longs), one = splat(f, longs, LLVMConstInt(f->i64, 1, 0));
    LLVMValueRef x[3];

    for (unsigned i = 0; i < 3; i++)
        x[i] = LLVMBuildFPExt(f->b, in[i], doubles, "");
    LLVMValueRef product = LLVMBuildFMul(f->b, x[0], x[1], "");
    LLVMValueRef sum = LLVMBuildFAdd(f->b, product, x[2], "");
    LLVMValueRef of_c = LLVMBuildFSub(f->b, sum, product, "");
    LLVMValueRef of_product = LLVMBuildFSub(f->b, sum, of_c, "");
    LLVMValueRef error = LLVMBuildFAdd(f->b, LLVMBuildFSub(f->b, product, of_product, ""),
                                       LLVMBuildFSub(f->b, x[2], of_c, ""), "");
    LLVMValueRef bits = LLVMBuildBitCast(f->b, sum, longs, "");
    LLVMValueRef last = LLVMBuildAnd(f->b, bits, one, "");
    LLVMValueRef is_even = LLVMBuildICmp(f->b, LLVMIntEQ, last, zero, "");
    LLVMValueRef inexact = LLVMBuildFCmp(f->b, LLVMRealONE, error, LLVMConstNull(doubles), "");
    LLVMValueRef differ =
        LLVMBuildXor(f->b, LLVMBuildBitCast(f->b, error, longs, ""), bits, "");
    LLVMValueRef step = LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, differ, zero, ""),
                                        LLVMConstAllOnes(longs), one, "");
    LLVMValueRef moves = LLVMBuildAnd(f->b, is_even, inexact, "");
    LLVMValueRef odd = LLVMBuildAdd(f->b, bits, LLVMBuildSelect(f->b, moves, step, zero, ""), "");

    return LLVMBuildFPTrunc(f->b, LLVMBuildBitCast(f->b, odd, doubles, ""), floats, "");
}

/* ---- Multiply-add of doubles ---- */

/* void loop(double *x, const double *y, const double *z, i64 n): x = x * y + z, n > 0. */
static LLVMValueRef
build_loop(const struct fuser *f)
{
    struct ls_cc *cc = f->cc;
    LLVMTypeRef params[] = {f->ptr, f->ptr, f->ptr, f->i64};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cc->llvm), params, 4, false);
    LLVMValueRef fn = LLVMAddFunction(cc->mod, "ls.fma", type), in[3];
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(cc->llvm, fn, "");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(cc->llvm, fn, "");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(cc->llvm, fn, "");
    struct fuser inner = *f;

    inner.b = LLVMCreateBuilderInContext(cc->llvm);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    ls_host_set_attributes(cc, fn);
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, ls_ir_attribute(cc, "noinline", 0));
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, ls_ir_attribute(cc, "nounwind", 0));
    LLVMPositionBuilderAtEnd(inner.b, entry);
    LLVMBuildBr(inner.b, body);
    LLVMPositionBuilderAtEnd(inner.b, body);
    LLVMValueRef i = LLVMBuildPhi(inner.b, f->i64, "");
    LLVMValueRef at = LLVMBuildInBoundsGEP2(inner.b, f->f64, LLVMGetParam(fn, 0), &i, 1, "");
    in[0] = LLVMBuildLoad2(inner.b, f->f64, at, "");
    for (unsigned k = 1; k < 3; k++)
        in[k] = LLVMBuildLoad2(
            inner.b, f->f64,
            LLVMBuildInBoundsGEP2(inner.b, f->f64, LLVMGetParam(fn, k), &i, 1, ""), "");
    LLVMBuildStore(inner.b, call_llvm(&inner, "llvm.fma", f->f64, in, 3), at);
    LLVMValueRef next = LLVMBuildAdd(inner.b, i, LLVMConstInt(f->i64, 1, 0), "");
    LLVMBuildCondBr(inner.b,
                    LLVMBuildICmp(inner.b, LLVMIntULT, next, LLVMGetParam(fn, 3), ""), body, end);
    LLVMAddIncoming(i, (LLVMValueRef[]){LLVMConstNull(f->i64), next},
                    (LLVMBasicBlockRef[]){entry, body}, 2);
    LLVMPositionBuilderAtEnd(inner.b, end);
    LLVMBuildRetVoid(inner.b);
    LLVMDisposeBuilder(inner.b);
    return fn;
}

static void
make_slots(struct fuser *f, unsigned bytes)
{
    LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(f->cc->llvm), bytes);
    LLVMBuilderRef b;

    if (bytes <= f->slot_bytes)
        return;
    b = LLVMCreateBuilderInContext(f->cc->llvm);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f->fn)));
    for (unsigned k = 0; k < 3; k++) {
        f->slot[k] = LLVMBuildAlloca(b, type, "");
        LLVMSetAlignment(f->slot[k], 64);
    }
    f->slot_bytes = bytes;
    LLVMDisposeBuilder(b);
}

static LLVMValueRef
fma_of_doubles(struct fuser *f, const LLVMValueRef in[3])
{
    LLVMTypeRef type = LLVMTypeOf(in[0]);
    unsigned n = LLVMGetVectorSize(type);

    make_slots(f, n * 8);
    if (!f->loop)
        f->loop = build_loop(f);
    for (unsigned k = 0; k < 3; k++)
        LLVMSetAlignment(LLVMBuildStore(f->b, in[k], f->slot[k]), 64);
    LLVMValueRef args[] = {f->slot[0], f->slot[1], f->slot[2], LLVMConstInt(f->i64, n, 0)};
    LLVMBuildCall2(f->b, LLVMGlobalGetValueType(f->loop), f->loop, args, 4, "");
    LLVMValueRef result = LLVMBuildLoad2(f->b, type, f->slot[0], "");
    LLVMSetAlignment(result, 64);
    return result;
}

/* ---- Rounding ---- */

enum rounding { TO_EVEN, TO_ZERO, UP, DOWN, AWAY };

static const struct {
    const char *prefix;
    enum rounding how;
} roundings[] = {
    {"llvm.ceil.", UP},         {"llvm.floor.", DOWN},        {"llvm.nearbyint.", TO_EVEN},
    {"llvm.rint.", TO_EVEN},    {"llvm.round.", AWAY},        {"llvm.roundeven.", TO_EVEN},
    {"llvm.trunc.", TO_ZERO},
};

/* Of less than 2^23 (or 2^52), adding that number and taking it away rounds to even. From it on all
 * numbers are whole; adding nothing makes quiet what is no number. */
static LLVMValueRef
rounded(const struct fuser *f, LLVMValueRef x, enum rounding how)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef one = real(f, type, 1), none = LLVMConstNull(type);
    LLVMValueRef limit =
        real(f, type, LLVMGetElementType(type) == f->f32 ? 0x1p23 : 0x1p52);
    LLVMValueRef size = call_llvm(f, "llvm.fabs", type, &x, 1);
    LLVMValueRef is_small = LLVMBuildFCmp(f->b, LLVMRealOLT, size, limit, "");
    LLVMValueRef r = LLVMBuildFSub(f->b, LLVMBuildFAdd(f->b, size, limit, ""), limit, "");

    if (how == UP || how == DOWN) {
        LLVMRealPredicate past = how == UP ? LLVMRealOLT : LLVMRealOGT;
        LLVMValueRef args[] = {r, x};

        r = call_llvm(f, "llvm.copysign", type, args, 2);
        LLVMValueRef step =
            LLVMBuildSelect(f->b, LLVMBuildFCmp(f->b, past, r, x, ""), one, none, "");
        r = how == UP ? LLVMBuildFAdd(f->b, r, step, "") : LLVMBuildFSub(f->b, r, step, "");
    } else if (how != TO_EVEN) {
        LLVMValueRef above = LLVMBuildFCmp(f->b, LLVMRealOGT, r, size, "");

        r = LLVMBuildFSub(f->b, r, LLVMBuildSelect(f->b, above, one, none, ""), "");
    }
    if (how == AWAY) {
        LLVMValueRef rest = LLVMBuildFSub(f->b, size, r, "");
        LLVMValueRef half = LLVMBuildFCmp(f->b, LLVMRealOGE, rest, real(f, type, 0.5), "");

        r = LLVMBuildFAdd(f->b, r, LLVMBuildSelect(f->b, half, one, none, ""), "");
    }
    LLVMValueRef args[] = {r, x};
    r = call_llvm(f, "llvm.copysign", type, args, 2);
    return LLVMBuildSelect(f->b, is_small, r, LLVMBuildFAdd(f->b, x, none, ""), "");
}

/* ---- All of them ---- */

static LLVMValueRef
expanded(struct fuser *f, LLVMValueRef call)
{
    const char *name = LLVMIsACallInst(call) ? ls_ir_callee_name(call) : NULL;
    LLVMTypeRef type = LLVMTypeOf(call), elem = ls_ir_elem(type);

    if (!name || elem == type || (elem != f->f32 && elem != f->f64) ||
        LLVMGetVectorSize(type) < MIN_LANES)
        return NULL;
    LLVMPositionBuilderBefore(f->b, call);
    if (ls_ir_has_prefix(name, "llvm.fma.") && !f->cc->isa->has_fma) {
        LLVMValueRef in[] = {LLVMGetOperand(call, 0), LLVMGetOperand(call, 1),
                             LLVMGetOperand(call, 2)};

        return elem == f->f32 ? fma_of_floats(f, in) : fma_of_doubles(f, in);
    }
    for (size_t i = 0; i < sizeof(roundings) / sizeof(roundings[0]); i++)
        if (ls_ir_has_prefix(name, roundings[i].prefix) && !f->cc->host.arch->rounds(f->cc))
            return rounded(f, LLVMGetOperand(call, 0), roundings[i].how);
    return NULL;
}

void
ls_host_expand_fused(struct ls_cc *cc)
{
    struct fuser f = {.cc = cc,
                      .b = LLVMCreateBuilderInContext(cc->llvm),
                      .i64 = LLVMInt64TypeInContext(cc->llvm),
                      .f32 = LLVMFloatTypeInContext(cc->llvm),
                      .f64 = LLVMDoubleTypeInContext(cc->llvm),
                      .ptr = LLVMPointerTypeInContext(cc->llvm, 0)};

    for (f.fn = LLVMGetFirstFunction(cc->mod); f.fn; f.fn = LLVMGetNextFunction(f.fn)) {
        f.slot_bytes = 0;
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f.fn); bb;
             bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next, now; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if ((now = expanded(&f, i)) != NULL) {
                    LLVMReplaceAllUsesWith(i, now);
                    LLVMInstructionEraseFromParent(i);
                }
            }
    }
    LLVMDisposeBuilder(f.b);
}
