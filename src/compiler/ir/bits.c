/* SPDX-License-Identifier: MIT */
/* Vectors in a thread whose elements are smaller than a byte. Where a kernel tests a bit of a word,
 * LLVM's instcombine makes the word a <32 x i1> and loads it as such. In memory these bits are
 * packed, which loads of lanes cannot read, and the bits of all lanes would be vectors of thousands
 * of elements. So they are loaded and stored as integers, and an element is a shift. */
#include "compiler/ir/prepare_priv.h"

static bool
is_bits(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
           LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetElementType(type)) % 8 != 0;
}

static unsigned
element_bits(LLVMTypeRef type)
{
    return LLVMGetIntTypeWidth(LLVMGetElementType(type));
}

/* The type of an integer, or of a vector of integers, with as many bits; NULL: there is none, and
 * the vector stays. */
static LLVMTypeRef
carrier(struct ls_cc *cc, LLVMTypeRef type)
{
    unsigned n = LLVMGetVectorSize(type) * element_bits(type);

    if (n <= 64)
        return LLVMIntTypeInContext(cc->llvm, n);
    return n % 32 == 0 && 32 % element_bits(type) == 0
               ? LLVMVectorType(LLVMInt32TypeInContext(cc->llvm), n / 32)
               : NULL;
}

/* An element of `whole`, a bitcast of integers to bits. */
static LLVMValueRef
element(LLVMBuilderRef b, LLVMValueRef whole, LLVMTypeRef type, unsigned n)
{
    unsigned at = n * element_bits(type);

    if (LLVMGetTypeKind(LLVMTypeOf(whole)) == LLVMVectorTypeKind) {
        unsigned piece = element_bits(LLVMTypeOf(whole));

        whole = LLVMBuildExtractElement(
            b, whole,
            LLVMConstInt(LLVMInt64TypeInContext(LLVMGetTypeContext(type)), at / piece, false), "");
        at %= piece;
    }
    if (at)
        whole = LLVMBuildLShr(b, whole, LLVMConstInt(LLVMTypeOf(whole), at, false), "");
    return LLVMBuildTrunc(b, whole, LLVMGetElementType(type), "");
}

/* Whether elements of `bits` can be taken from `type`: no element may lie across two of its
 * integers. */
static bool
holds_elements(LLVMTypeRef type, LLVMTypeRef bits)
{
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
        return true;
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind && !is_bits(type) &&
           LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind &&
           element_bits(type) % element_bits(bits) == 0;
}

static void
split_bitcast(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef cast)
{
    LLVMTypeRef type = LLVMTypeOf(cast), whole_type = carrier(cc, type);
    LLVMValueRef whole = LLVMGetOperand(cast, 0);

    if (!holds_elements(LLVMTypeOf(whole), type)) {
        if (!whole_type || is_bits(LLVMTypeOf(whole)))
            return;
        LLVMPositionBuilderBefore(b, cast);
        whole = LLVMBuildBitCast(b, whole, whole_type, "");
    }
    for (LLVMUseRef use = LLVMGetFirstUse(cast), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);

        next = LLVMGetNextUse(use);
        if (!LLVMIsAExtractElementInst(user) || !LLVMIsAConstantInt(LLVMGetOperand(user, 1)))
            continue;
        unsigned long long n = LLVMConstIntGetZExtValue(LLVMGetOperand(user, 1));
        if (n >= LLVMGetVectorSize(type))
            continue;
        LLVMPositionBuilderBefore(b, user);
        LLVMReplaceAllUsesWith(user, element(b, whole, type, (unsigned)n));
    }
}

static void
replace_load(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef load)
{
    LLVMTypeRef type = carrier(cc, LLVMTypeOf(load));

    if (!type)
        return;
    LLVMPositionBuilderBefore(b, load);
    LLVMValueRef whole = LLVMBuildLoad2(b, type, LLVMGetOperand(load, 0), "");
    LLVMSetAlignment(whole, LLVMGetAlignment(load));
    LLVMSetVolatile(whole, LLVMGetVolatile(load));
    LLVMReplaceAllUsesWith(load, LLVMBuildBitCast(b, whole, LLVMTypeOf(load), ""));
    LLVMInstructionEraseFromParent(load);
}

static void
replace_store(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef store)
{
    LLVMValueRef value = LLVMGetOperand(store, 0);
    LLVMTypeRef type = carrier(cc, LLVMTypeOf(value));

    if (!type)
        return;
    LLVMPositionBuilderBefore(b, store);
    LLVMValueRef whole =
        LLVMBuildStore(b, LLVMBuildBitCast(b, value, type, ""), LLVMGetOperand(store, 1));
    LLVMSetAlignment(whole, LLVMGetAlignment(store));
    LLVMSetVolatile(whole, LLVMGetVolatile(store));
    LLVMInstructionEraseFromParent(store);
}

static void
each_instruction(struct ls_cc *cc, void (*visit)(struct ls_cc *, LLVMBuilderRef, LLVMValueRef))
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                visit(cc, b, i);
            }
    LLVMDisposeBuilder(b);
}

static void
visit_memory(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef inst)
{
    if (LLVMIsALoadInst(inst) && is_bits(LLVMTypeOf(inst)))
        replace_load(cc, b, inst);
    else if (LLVMIsAStoreInst(inst) && is_bits(LLVMTypeOf(LLVMGetOperand(inst, 0))))
        replace_store(cc, b, inst);
}

static void
visit_bitcast(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef inst)
{
    if (LLVMIsABitCastInst(inst) && is_bits(LLVMTypeOf(inst)))
        split_bitcast(cc, b, inst);
}

/* Deletes instructions without uses, from each block's end, as an instruction may be used by a
 * later one alone. */
static void
drop_unused(LLVMModuleRef mod)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetLastBasicBlock(fn); bb;
             bb = LLVMGetPreviousBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetLastInstruction(bb), before; i; i = before) {
                bool taken =
                    LLVMIsAExtractElementInst(i) && is_bits(LLVMTypeOf(LLVMGetOperand(i, 0)));

                before = LLVMGetPreviousInstruction(i);
                if ((taken || LLVMIsABitCastInst(i)) && !LLVMGetFirstUse(i))
                    LLVMInstructionEraseFromParent(i);
            }
}

void
ls_bits_split(struct ls_cc *cc)
{
    each_instruction(cc, visit_memory);
    each_instruction(cc, visit_bitcast);
    drop_unused(cc->mod);
}
