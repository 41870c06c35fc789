/* SPDX-License-Identifier: MIT */
/* Conditions as floating-point numbers: LLVM's code generator converts an integer, which the
 * hardware does for a quarter of the lanes at a time. They are chosen instead, and of two halves
 * one instruction compares both. */
#include "compiler/ir/ir.h"
#include "ptx/ptx_priv.h"

enum { MOST_ELEMENTS = 16 };

static bool
is_half_pair(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetVectorSize(type) == 2 &&
           LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMHalfTypeKind;
}

/* `pair`: of halves that are compared; 1.0 and 0.0 as bits, of each. */
static LLVMValueRef
compare_pair(struct ls_ptx *p, LLVMValueRef pair)
{
    static const char *const names[] = {
        [LLVMRealOEQ] = "eq",  [LLVMRealOGT] = "gt",  [LLVMRealOGE] = "ge",
        [LLVMRealOLT] = "lt",  [LLVMRealOLE] = "le",  [LLVMRealONE] = "ne",
        [LLVMRealORD] = "num", [LLVMRealUNO] = "nan", [LLVMRealUEQ] = "equ",
        [LLVMRealUGT] = "gtu", [LLVMRealUGE] = "geu", [LLVMRealULT] = "ltu",
        [LLVMRealULE] = "leu", [LLVMRealUNE] = "neu", [LLVMRealPredicateTrue] = NULL,
    };
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(pair, 0)),
                i32 = LLVMInt32TypeInContext(p->cc->llvm);
    const char *name = names[LLVMGetFCmpPredicate(pair)];
    LLVMValueRef args[2];
    char *text;

    if (!name)
        return NULL;
    for (unsigned i = 0; i < 2; i++)
        args[i] = LLVMBuildBitCast(p->b, LLVMGetOperand(pair, i), i32, "");
    text = ls_arena_printf(p->cc->arena, "set.%s.f16x2.f16x2 $0, $1, $2;", name);
    return LLVMBuildBitCast(p->b, ls_ptx_asm(p, i32, text, "=r,r,r", args, 2, false), type, "");
}

static LLVMTypeRef
element_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

/* The number, in each element; NULL: there are too many. */
static LLVMValueRef
splat(LLVMTypeRef type, double value)
{
    LLVMValueRef one = LLVMConstReal(element_of(type), value), all[MOST_ELEMENTS];
    unsigned n;

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return one;
    n = LLVMGetVectorSize(type);
    for (unsigned i = 0; i < n && i < MOST_ELEMENTS; i++)
        all[i] = one;
    return n <= MOST_ELEMENTS ? LLVMConstVector(all, n) : NULL;
}

LLVMValueRef
ls_ptx_condition(struct ls_ptx *p, LLVMValueRef inst)
{
    LLVMTypeRef type = LLVMTypeOf(inst);
    bool is_signed = LLVMIsASIToFPInst(inst) != NULL;
    LLVMValueRef of, one, both;

    if (!is_signed && !LLVMIsAUIToFPInst(inst))
        return NULL;
    of = LLVMGetOperand(inst, 0);
    if (LLVMGetIntTypeWidth(element_of(LLVMTypeOf(of))) != 1)
        return NULL;
    if (!is_signed && is_half_pair(type) && LLVMIsAFCmpInst(of) &&
        LLVMTypeOf(LLVMGetOperand(of, 0)) == type && (both = compare_pair(p, of)) != NULL)
        return both;
    one = splat(type, is_signed ? -1 : 1);
    return one ? LLVMBuildSelect(p->b, of, one, LLVMConstNull(type), "") : NULL;
}
