/* SPDX-License-Identifier: MIT */
/* What the later stages have no room for is said here, once, with the kernel, the limit and the
 * value: behind this they assert it (LS_ASSERT_FITS). */
#include "compiler/ir/prepare_priv.h"

/* Elements of the longest vector in a value of this type. */
static unsigned
longest_vector(LLVMTypeRef type)
{
    unsigned most = 0;

    switch (LLVMGetTypeKind(type)) {
    case LLVMVectorTypeKind:
        return LLVMGetVectorSize(type);
    case LLVMArrayTypeKind:
        return longest_vector(LLVMGetElementType(type));
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
            unsigned n = longest_vector(LLVMStructGetTypeAtIndex(type, i));

            most = n > most ? n : most;
        }
        return most;
    default:
        return 0;
    }
}

static bool
type_fits(struct ls_cc *cc, LLVMValueRef at, LLVMTypeRef type)
{
    unsigned n = longest_vector(type);

    return n <= LS_MAX_ELEMENTS ||
           ls_diag(cc, LS_DIAG_ERROR, at, "vector of %u elements in one thread (at most %u)", n,
                   LS_MAX_ELEMENTS);
}

unsigned
ls_ir_memory_pieces(unsigned bits, unsigned *piece)
{
    unsigned whole = (bits + 7) / 8 * 8;

    *piece = whole & -whole;
    if (*piece > 64)
        *piece = 64;
    return whole / *piece;
}

/* Integers that no instruction loads or stores move as the pieces they are made of. */
static bool
access_fits(struct ls_cc *cc, LLVMValueRef inst, LLVMTypeRef type)
{
    unsigned n = 0, piece,
             bits = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;

    if (bits)
        n = ls_ir_memory_pieces(bits, &piece);
    return n <= LS_MAX_ELEMENTS ||
           ls_diag(cc, LS_DIAG_ERROR, inst,
                   "integer of %u bits moves in %u pieces of %u bits (at most %u)", bits, n, piece,
                   LS_MAX_ELEMENTS);
}

static bool
gep_fits(struct ls_cc *cc, LLVMValueRef gep)
{
    unsigned n = 0;

    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(gep); i++)
        n += !LLVMIsAConstant(LLVMGetOperand(gep, i));
    return n < LS_MAX_GEP_TERMS ||
           ls_diag(cc, LS_DIAG_ERROR, gep, "address with %u variable indices (at most %u)", n,
                   LS_MAX_GEP_TERMS - 1);
}

static bool
inst_fits(struct ls_cc *cc, LLVMValueRef inst)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    unsigned n = 0;

    if (!type_fits(cc, inst, LLVMTypeOf(inst)))
        return false;
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(inst); i++)
        if (!type_fits(cc, inst, LLVMTypeOf(LLVMGetOperand(inst, i))))
            return false;
    switch (opcode) {
    case LLVMGetElementPtr:
        return gep_fits(cc, inst);
    case LLVMLoad:
        return access_fits(cc, inst, LLVMTypeOf(inst));
    case LLVMStore:
        return access_fits(cc, inst, LLVMTypeOf(LLVMGetOperand(inst, 0)));
    case LLVMCall:
        n = LLVMGetNumArgOperands(inst);
        return n <= LS_MAX_CALL_ARGS ||
               ls_ir_has_prefix(ls_ir_callee_name(inst) ? ls_ir_callee_name(inst) : "", "ls.") ||
               ls_diag(cc, LS_DIAG_ERROR, inst, "call with %u arguments (at most %u)", n,
                       LS_MAX_CALL_ARGS);
    case LLVMExtractValue:
    case LLVMInsertValue:
        n = LLVMGetNumIndices(inst);
        return n <= LS_MAX_NESTING ||
               ls_diag(cc, LS_DIAG_ERROR, inst, "aggregate nested %u deep (at most %u)", n,
                       LS_MAX_NESTING);
    default:
        return true;
    }
}

bool
ls_ir_check_limits(struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        if (!LLVMCountBasicBlocks(fn) || (fn != ls_program_get(cc) && !LLVMGetFirstUse(fn)))
            continue;
        if (fn != ls_program_get(cc) && LLVMCountParams(fn) > LS_MAX_CALL_ARGS)
            return ls_diag(cc, LS_DIAG_ERROR, fn, "function with %u parameters (at most %u)",
                           LLVMCountParams(fn), LS_MAX_CALL_ARGS);
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
                if (!inst_fits(cc, i))
                    return false;
    }
    return true;
}
