/* SPDX-License-Identifier: MIT */
/* Arithmetic that NVIDIA's hardware has in one instruction, and conversions that mean something
 * else there where a value does not fit. */
#include <math.h>

#include "compiler/ir/ir.h"
#include "intrin/row_data.h"
#include "lower/lower.h"
#include "ptx/ptx_priv.h"

/* f32 alone; other types by the row. The hardware takes denormals. */
static const struct {
    const char *text;
    long scaled; /* as OCML does for AMD's, which does not; -1: never */
} unary[] = {
    {"rcp.approx.f32 $0, $1;", -1},
    {"rsqrt.approx.f32 $0, $1;", LS_TRANS_RSQRT},
    {"ex2.approx.f32 $0, $1;", -1}, /* which has few bits of denormals */
};

LLVMValueRef
ls_ptx_unary(struct ls_ptx *p, LLVMValueRef call, long which)
{
    LLVMValueRef x;

    if (LLVMTypeOf(call) != p->f32)
        return ls_ptx_by_row(p, call, 0);
    x = unary[which].scaled < 0 ? LLVMGetOperand(call, 0)
                                : ls_lower_unscale(call, unary[which].scaled);
    return ls_ptx_asm(p, p->f32, unary[which].text, "=f,f", &x, 1, false);
}

/* Of denormals the hardware's result has few bits: it is made where it is a normal number. */
LLVMValueRef
ls_ptx_exp2(struct ls_ptx *p, LLVMValueRef call, long data)
{
    LLVMValueRef x = LLVMGetOperand(call, 0), small, v;

    (void)data;
    if (LLVMTypeOf(call) != p->f32)
        return ls_ptx_by_row(p, call, 0);
    small = LLVMBuildFCmp(p->b, LLVMRealOLT, x, LLVMConstReal(p->f32, -126), "");
    v = LLVMBuildFAdd(p->b, x, LLVMConstReal(p->f32, 24), "");
    v = LLVMBuildSelect(p->b, small, v, x, "");
    v = ls_ptx_asm(p, p->f32, "ex2.approx.f32 $0, $1;", "=f,f", &v, 1, false);
    return LLVMBuildFMul(
        p->b, v,
        LLVMBuildSelect(p->b, small, LLVMConstReal(p->f32, 0x1p-24), LLVMConstReal(p->f32, 1), ""),
        "");
}

/* What src/devlib/nvidia.h calls: the instruction alone; with ftz denormals are 0. */
static const struct {
    const char *text, *constraints;
} raw[] = {
    {"rcp.approx.ftz.f32 $0, $1;", "=f,f"},  {"rsqrt.approx.ftz.f32 $0, $1;", "=f,f"},
    {"sqrt.approx.ftz.f32 $0, $1;", "=f,f"}, {"ex2.approx.ftz.f32 $0, $1;", "=f,f"},
    {"lg2.approx.ftz.f32 $0, $1;", "=f,f"},  {"div.full.f32 $0, $1, $2;", "=f,f,f"},
    {"rcp.approx.ftz.f64 $0, $1;", "=d,d"},  {"rsqrt.approx.ftz.f64 $0, $1;", "=d,d"},
    {"ex2.approx.f32 $0, $1;", "=f,f"},      {"lg2.approx.f32 $0, $1;", "=f,f"},
    {"sin.approx.f32 $0, $1;", "=f,f"},      {"cos.approx.f32 $0, $1;", "=f,f"},
};

LLVMValueRef
ls_ptx_raw(struct ls_ptx *p, LLVMValueRef call, long which)
{
    unsigned n = LLVMGetNumArgOperands(call);
    LLVMValueRef args[2];

    for (unsigned i = 0; i < n; i++)
        args[i] = LLVMGetOperand(call, i);
    return ls_ptx_asm(p, LLVMTypeOf(call), raw[which].text, raw[which].constraints, args, n, false);
}

static LLVMValueRef
number(struct ls_ptx *p, double value)
{
    return LLVMConstReal(p->f32, value);
}

static LLVMValueRef
fma32(struct ls_ptx *p, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    LLVMValueRef args[] = {a, b, c};

    return ls_ptx_asm(p, p->f32, "fma.rn.f32 $0, $1, $2, $3;", "=f,f,f,f", args, 3, false);
}

/* 2^n * 2^r, n the whole number nearest to x * log2 of the base. n goes from -126 to 126 (a number
 * between 0 and 1, times 252); r has what is left then, so that all of the range comes out. In the
 * lower bits of `sum` is n + 127. */
LLVMValueRef
ls_ptx_exp(struct ls_ptx *p, LLVMValueRef call, long is_10)
{
    const double log2_base = is_10 ? 3.321928094887362 : 1.4426950408889634;
    const double high = (double)(float)log2_base, round = 0x1.8p+23;
    LLVMValueRef x = LLVMGetOperand(call, 0), args[3], n, sum, r;

    if (LLVMTypeOf(call) != p->f32)
        return ls_ptx_by_row(p, call, 0);
    args[0] = x;
    args[1] = number(p, log2_base / 252);
    args[2] = number(p, 0.5);
    n = ls_ptx_asm(p, p->f32, "fma.rn.sat.f32 $0, $1, $2, $3;", "=f,f,f,f", args, 3, false);
    sum = fma32(p, n, number(p, 252), number(p, round + 1));
    n = LLVMBuildFSub(p->b, number(p, round + 127), sum, "");
    r = fma32(p, x, number(p, high), n);
    r = fma32(p, x, number(p, log2_base - high), r);
    r = ls_ptx_asm(p, p->f32, "ex2.approx.ftz.f32 $0, $1;", "=f,f", &r, 1, false);
    n = LLVMBuildShl(p->b, LLVMBuildBitCast(p->b, sum, p->i32, ""), ls_ptx_int(p, 23), "");
    return LLVMBuildFMul(p->b, r, LLVMBuildBitCast(p->b, n, p->f32, ""), "");
}

/* AMD's hardware has none: it is f32's, rounded. */
LLVMValueRef
ls_ptx_fma_bf16(struct ls_ptx *p, LLVMValueRef call, long data)
{
    LLVMValueRef args[3], v;

    (void)data;
    for (unsigned i = 0; i < 3; i++)
        args[i] = LLVMBuildFPExt(p->b, LLVMGetOperand(call, i), p->f32, "");
    v = ls_ptx_asm(p, p->f32, "fma.rn.f32 $0, $1, $2, $3;", "=f,f,f,f", args, 3, false);
    return LLVMBuildFPTrunc(p->b, v, LLVMTypeOf(call), "");
}

/* The hardware takes radians, and is exact near 0 only. */
LLVMValueRef
ls_ptx_sine(struct ls_ptx *p, LLVMValueRef call, long which)
{
    LLVMValueRef x = LLVMGetOperand(call, 0), whole;
    LLVMTypeRef type = LLVMTypeOf(call);

    if (type != p->f32 && LLVMGetTypeKind(type) != LLVMHalfTypeKind)
        return ls_ptx_refuse(p, call, 0);
    x = LLVMBuildFPCast(p->b, x, p->f32, "");
    if (which & 2)
        x = LLVMBuildFMul(p->b, x, LLVMConstReal(p->f32, 0.15915494309189535), "");
    whole = ls_ptx_asm(p, p->f32, "cvt.rni.f32.f32 $0, $1;", "=f,f", &x, 1, false);
    x = LLVMBuildFSub(p->b, x, whole, "");
    x = LLVMBuildFMul(p->b, x, LLVMConstReal(p->f32, 6.283185307179586), "");
    x = ls_ptx_asm(p, p->f32, which & 1 ? "cos.approx.f32 $0, $1;" : "sin.approx.f32 $0, $1;",
                   "=f,f", &x, 1, false);
    return LLVMBuildFPCast(p->b, x, type, "");
}

/* ---- Numbers to integers ---- */

static LLVMValueRef
instruction(struct ls_ptx *p, LLVMValueRef x, LLVMTypeRef type, const char *text, bool is_half)
{
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(x));

    return ls_ptx_asm(p, type, text,
                      is_half                      ? "=h,h"
                      : kind == LLVMDoubleTypeKind ? "=r,d"
                                                   : "=r,f",
                      &x, 1, false);
}

/* Fewer bits than 32: AMD's instruction makes 32, of which the lower ones are taken, or of a half
 * 16; both clamp what does not fit, as NVIDIA's do, and give 0 for what is no number. */
static LLVMValueRef
to_few_bits(struct ls_ptx *p, LLVMValueRef x, LLVMTypeRef type, bool is_signed)
{
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(x));
    LLVMValueRef v;

    if (kind == LLVMHalfTypeKind) {
        v = LLVMBuildBitCast(p->b, x, p->i16, "");
        v = instruction(p, v, p->i16,
                        is_signed ? "cvt.rzi.s16.f16 $0, $1;" : "cvt.rzi.u16.f16 $0, $1;", true);
    } else if (kind == LLVMDoubleTypeKind) {
        x = LLVMBuildSelect(p->b, LLVMBuildFCmp(p->b, LLVMRealORD, x, x, ""), x,
                            LLVMConstReal(p->f64, 0), "");
        v = instruction(p, x, p->i32,
                        is_signed ? "cvt.rzi.s32.f64 $0, $1;" : "cvt.rzi.u32.f64 $0, $1;", false);
    } else {
        x = LLVMBuildFPCast(p->b, x, p->f32, "");
        v = instruction(p, x, p->i32,
                        is_signed ? "cvt.rzi.s32.f32 $0, $1;" : "cvt.rzi.u32.f32 $0, $1;", false);
    }
    return LLVMBuildIntCast2(p->b, v, type, is_signed, "");
}

/* NULL: LLVM's code is right. */
static LLVMValueRef
to_int(struct ls_ptx *p, LLVMValueRef x, LLVMTypeRef type, bool is_signed)
{
    unsigned bits = LLVMGetIntTypeWidth(type);
    bool is_double = LLVMTypeOf(x) == p->f64;
    LLVMValueRef v;

    if (bits == 1 || bits > 64)
        return NULL;
    if (bits < 32)
        return to_few_bits(p, x, type, is_signed || bits != 16);
    if (bits == 32 && !is_double)
        return NULL;
    /* What is no number becomes 0, not the highest bit alone. */
    if (!is_double)
        x = LLVMBuildFPCast(p->b, x, p->f32, "");
    v = LLVMBuildCast(p->b, is_signed ? LLVMFPToSI : LLVMFPToUI, x, type, "");
    return LLVMBuildSelect(p->b, LLVMBuildFCmp(p->b, LLVMRealORD, x, x, ""), v, LLVMConstNull(type),
                           "");
}

void
ls_ptx_to_int(struct ls_ptx *p, LLVMValueRef inst)
{
    LLVMValueRef x = LLVMGetOperand(inst, 0), now, one;
    LLVMTypeRef type = LLVMTypeOf(inst);
    bool is_signed = LLVMGetInstructionOpcode(inst) == LLVMFPToSI;

    LLVMPositionBuilderBefore(p->b, inst);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        now = LLVMGetPoison(type);
        for (unsigned i = 0; now && i < LLVMGetVectorSize(type); i++) {
            one = LLVMBuildExtractElement(p->b, x, ls_ptx_int(p, i), "");
            one = to_int(p, one, LLVMGetElementType(type), is_signed);
            now = one ? LLVMBuildInsertElement(p->b, now, one, ls_ptx_int(p, i), "") : NULL;
        }
    } else {
        now = to_int(p, x, type, is_signed);
    }
    if (!now)
        return;
    LLVMReplaceAllUsesWith(inst, now);
    LLVMInstructionEraseFromParent(inst);
}

/* ---- Halves of two kinds ---- */

/* One element: its bits, by an instruction that LLVM does not look through. */
static LLVMValueRef
other_kind(struct ls_ptx *p, LLVMValueRef v, LLVMTypeRef type)
{
    LLVMTypeRef i16 = LLVMInt16TypeInContext(p->cc->llvm);

    v = LLVMBuildBitCast(p->b, v, i16, "");
    v = ls_ptx_asm(p, i16, "mov.b16 $0, $1;", "=h,h", &v, 1, false);
    return LLVMBuildBitCast(p->b, v, type, "");
}

static bool
changes_kind(LLVMValueRef inst)
{
    LLVMTypeKind from, to;

    if (!LLVMIsABitCastInst(inst))
        return false;
    from = LLVMGetTypeKind(ls_ir_elem(LLVMTypeOf(LLVMGetOperand(inst, 0))));
    to = LLVMGetTypeKind(ls_ir_elem(LLVMTypeOf(inst)));
    return (from == LLVMHalfTypeKind && to == LLVMBFloatTypeKind) ||
           (from == LLVMBFloatTypeKind && to == LLVMHalfTypeKind);
}

static LLVMValueRef
change_kind(struct ls_ptx *p, LLVMValueRef inst)
{
    LLVMValueRef v = LLVMGetOperand(inst, 0), all, k;
    LLVMTypeRef type = LLVMTypeOf(inst);

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return other_kind(p, v, type);
    all = LLVMGetPoison(type);
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
        k = LLVMConstInt(LLVMInt32TypeInContext(p->cc->llvm), i, false);
        all = LLVMBuildInsertElement(
            p->b, all,
            other_kind(p, LLVMBuildExtractElement(p->b, v, k, ""), LLVMGetElementType(type)), k,
            "");
    }
    return all;
}

void
ls_ptx_part_halves(struct ls_cc *cc)
{
    struct ls_ptx p = {.cc = cc, .b = LLVMCreateBuilderInContext(cc->llvm)};

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (!changes_kind(i))
                    continue;
                LLVMPositionBuilderBefore(p.b, i);
                LLVMReplaceAllUsesWith(i, change_kind(&p, i));
                LLVMInstructionEraseFromParent(i);
            }
    LLVMDisposeBuilder(p.b);
}
