/* SPDX-License-Identifier: MIT */
/* What the lowest bits of an address are known to be: LLVM's own analysis ends after six steps,
 * which the address of a tile has by itself. */
#include "compiler/ir/ir.h"
#include "ptx/ptx_priv.h"

enum { ENOUGH = 4, /* bits: no access is wider than 16 bytes */ MOST_STEPS = 300 };

static unsigned zeros(struct ls_cc *cc, LLVMValueRef v, unsigned *left);

static unsigned
least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned
zeros_of_number(uint64_t n)
{
    return n ? least((unsigned)__builtin_ctzll(n), ENOUGH) : ENOUGH;
}

static unsigned
zeros_of_operands(struct ls_cc *cc, LLVMValueRef v, unsigned first, unsigned *left)
{
    unsigned n = ENOUGH;

    for (unsigned i = first; n && i < (unsigned)LLVMGetNumOperands(v); i++)
        n = least(n, zeros(cc, LLVMGetOperand(v, i), left));
    return n;
}

static unsigned
zeros_of_phi(struct ls_cc *cc, LLVMValueRef phi, unsigned *left)
{
    unsigned n = ENOUGH;

    for (unsigned i = 0; n && i < LLVMCountIncoming(phi); i++)
        n = least(n, zeros(cc, LLVMGetIncomingValue(phi, i), left));
    return n;
}

static unsigned
zeros_of_gep(struct ls_cc *cc, LLVMValueRef gep, unsigned *left)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    unsigned n = zeros(cc, LLVMGetOperand(gep, 0), left);

    for (unsigned i = 1; n && i < (unsigned)LLVMGetNumOperands(gep); i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);

        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);

            n = least(n, zeros_of_number(LLVMOffsetOfElement(cc->device.layout, type, field)));
            type = LLVMStructGetTypeAtIndex(type, field);
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        n = least(n, zeros(cc, index, left) +
                         zeros_of_number(LLVMABISizeOfType(cc->device.layout, type)));
    }
    return n;
}

static unsigned
zeros_of_shift(struct ls_cc *cc, LLVMValueRef shl, unsigned *left)
{
    LLVMValueRef by = LLVMGetOperand(shl, 1);

    if (!LLVMIsAConstantInt(by))
        return zeros(cc, LLVMGetOperand(shl, 0), left);
    return least(ENOUGH, zeros(cc, LLVMGetOperand(shl, 0), left) +
                             least(ENOUGH, (unsigned)LLVMConstIntGetZExtValue(by)));
}

static unsigned
zeros_of_op(struct ls_cc *cc, LLVMValueRef v, LLVMOpcode op, unsigned *left)
{
    switch (op) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMOr:
    case LLVMXor:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMFreeze:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMAddrSpaceCast:
        return zeros_of_operands(cc, v, 0, left);
    case LLVMSelect:
        return zeros_of_operands(cc, v, 1, left);
    case LLVMMul:
        return least(ENOUGH,
                     zeros(cc, LLVMGetOperand(v, 0), left) + zeros(cc, LLVMGetOperand(v, 1), left));
    case LLVMAnd: {
        unsigned l = zeros(cc, LLVMGetOperand(v, 0), left),
                 r = zeros(cc, LLVMGetOperand(v, 1), left);

        return l > r ? l : r;
    }
    case LLVMShl:
        return zeros_of_shift(cc, v, left);
    case LLVMGetElementPtr:
        return zeros_of_gep(cc, v, left);
    case LLVMPHI:
        return zeros_of_phi(cc, v, left);
    default:
        return 0;
    }
}

static unsigned
zeros(struct ls_cc *cc, LLVMValueRef v, unsigned *left)
{
    if (!*left)
        return 0;
    --*left;
    if (LLVMIsAConstantInt(v))
        return LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64
                   ? zeros_of_number(LLVMConstIntGetZExtValue(v))
                   : 0;
    if (LLVMIsAGlobalVariable(v))
        return zeros_of_number(LLVMGetAlignment(v) ? LLVMGetAlignment(v) : 1);
    if (LLVMIsAConstantExpr(v))
        return zeros_of_op(cc, v, LLVMGetConstOpcode(v), left);
    if (LLVMIsAInstruction(v))
        return zeros_of_op(cc, v, LLVMGetInstructionOpcode(v), left);
    return LLVMIsNull(v) ? ENOUGH : 0;
}

unsigned
ls_ptx_known_zeros(struct ls_cc *cc, LLVMValueRef v)
{
    unsigned left = MOST_STEPS;

    return zeros(cc, v, &left);
}
