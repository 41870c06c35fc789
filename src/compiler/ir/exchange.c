/* SPDX-License-Identifier: MIT */
/* `(i ^ c) > i` is how a thread of a sorting network asks whether it is the lower one of two. With
 * a constant c that is whether a bit of i is clear, the highest of c: known for the lanes when code
 * is made, or the same in all lanes of a warp, where the comparison would look different in each.
 */
#include "compiler/ir/prepare_priv.h"

/* The exclusive or of `i` and a constant (other than 0), which the result is; else NULL. */
static LLVMValueRef
changed_bits(LLVMValueRef v, LLVMValueRef i)
{
    LLVMValueRef c;

    if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != LLVMXor ||
        LLVMGetOperand(v, 0) != i)
        return NULL;
    c = LLVMGetOperand(v, 1);
    return LLVMIsAConstantInt(c) && !LLVMIsNull(c) && LLVMGetIntTypeWidth(LLVMTypeOf(c)) <= 64
               ? c
               : NULL;
}

/* What takes the comparison's place, or NULL. */
static LLVMValueRef
test_of(LLVMBuilderRef b, LLVMValueRef cmp)
{
    LLVMValueRef one = LLVMGetOperand(cmp, 0), two = LLVMGetOperand(cmp, 1), c;
    LLVMIntPredicate pred = LLVMGetICmpPredicate(cmp);
    unsigned long long bits, top;
    bool greater, is_signed = pred >= LLVMIntSGT;
    unsigned width;

    if (pred == LLVMIntEQ || pred == LLVMIntNE)
        return NULL;
    greater = pred == LLVMIntUGT || pred == LLVMIntUGE || pred == LLVMIntSGT || pred == LLVMIntSGE;
    c = changed_bits(one, two);
    if (!c) {
        c = changed_bits(two, one);
        greater = !greater;
        two = one;
    }
    if (!c)
        return NULL;
    width = LLVMGetIntTypeWidth(LLVMTypeOf(c));
    bits = LLVMConstIntGetZExtValue(c);
    top = 1ull << (63 - __builtin_clzll(bits));
    if (is_signed && top >> (width - 1))
        greater = !greater;
    c = LLVMBuildAnd(b, two, LLVMConstInt(LLVMTypeOf(c), top, false), "");
    return LLVMBuildICmp(b, greater ? LLVMIntEQ : LLVMIntNE, c, LLVMConstNull(LLVMTypeOf(c)), "");
}

void
ls_exchanges_test_bits(struct ls_cc *cc)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
                LLVMValueRef test;

                next = LLVMGetNextInstruction(i);
                if (!LLVMIsAICmpInst(i))
                    continue;
                LLVMPositionBuilderBefore(b, i);
                test = test_of(b, i);
                if (!test)
                    continue;
                LLVMReplaceAllUsesWith(i, test);
                LLVMInstructionEraseFromParent(i);
            }
    LLVMDisposeBuilder(b);
}
