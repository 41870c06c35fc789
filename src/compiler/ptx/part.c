/* SPDX-License-Identifier: MIT */
/* Calls through pointers that differ among the lanes: those with the same function call it
 * together, one such group after the other. The assembler takes it that who is together in front
 * of a call is behind it, too, and leaves out what would bring them together again: were groups let
 * into different functions by one instruction, the next vote would be of each group by itself. */
#include "compiler/ir/ir.h"
#include "ptx/ptx_priv.h"

#define PART "ls.part" /* (target, who calls): the group; it stands in front of its call */

LLVMValueRef
ls_ptx_part(struct ls_ptx *p, LLVMValueRef target, LLVMValueRef mask)
{
    LLVMTypeRef params[] = {p->i64, p->i32}, type = LLVMFunctionType(p->i32, params, 2, false);
    LLVMValueRef args[] = {LLVMBuildPtrToInt(p->b, target, p->i64, ""), mask};

    return LLVMBuildCall2(p->b, type, ls_ir_declare(p->cc, PART, type, true), args, 2, "");
}

/* What the first lane of `rest` calls. */
static LLVMValueRef
first_target(struct ls_ptx *p, LLVMValueRef target, LLVMValueRef rest)
{
    LLVMValueRef first = LLVMBuildAnd(p->b, rest, LLVMBuildNeg(p->b, rest, ""), "");
    LLVMValueRef words[2];

    first = ls_ptx_asm(p, p->i32, "bfind.u32 $0, $1;", "=r,r", &first, 1, false);
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef word = LLVMBuildLShr(p->b, target, LLVMConstInt(p->i64, 32 * i, false), "");
        LLVMValueRef args[] = {rest, LLVMBuildTrunc(p->b, word, p->i32, ""), first,
                               ls_ptx_int(p, 31)};

        word = ls_ptx_nvvm(p, "llvm.nvvm.shfl.sync.idx.i32", args, 4);
        words[i] = LLVMBuildZExt(p->b, word, p->i64, "");
    }
    words[1] = LLVMBuildShl(p->b, words[1], LLVMConstInt(p->i64, 32, false), "");
    return LLVMBuildOr(p->b, words[0], words[1], "");
}

/* Blocks: what stands in front; `turn`, which finds a group; its call; and what comes then. Who is
 * not of the group takes the next turn. */
static void
part(struct ls_ptx *p, LLVMValueRef mark)
{
    LLVMValueRef call = LLVMGetUser(LLVMGetFirstUse(mark)), target = LLVMGetOperand(mark, 0);
    LLVMBasicBlockRef front = ls_ir_split_before(p->cc, mark);
    LLVMBasicBlockRef turn = ls_ir_split_before(p->cc, call);
    LLVMBasicBlockRef take = ls_ir_split_before(p->cc, LLVMGetNextInstruction(call));
    LLVMBasicBlockRef next = LLVMInsertBasicBlockInContext(p->cc->llvm, take, "next");
    LLVMValueRef rest, same, group, left, args[2];

    LLVMPositionBuilderBefore(p->b, mark);
    args[0] = rest = LLVMBuildPhi(p->b, p->i32, "rest");
    args[1] = same = LLVMBuildICmp(p->b, LLVMIntEQ, first_target(p, target, rest), target, "");
    group = ls_ptx_nvvm(p, "llvm.nvvm.vote.ballot.sync", args, 2);
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(turn));
    LLVMPositionBuilderAtEnd(p->b, turn);
    LLVMBuildCondBr(p->b, same, take, next);
    LLVMPositionBuilderAtEnd(p->b, next);
    left = LLVMBuildAnd(p->b, rest, LLVMBuildNot(p->b, group, ""), "");
    LLVMBuildBr(p->b, turn);
    LLVMAddIncoming(rest, (LLVMValueRef[]){LLVMGetOperand(mark, 1), left},
                    (LLVMBasicBlockRef[]){front, next}, 2);
    LLVMReplaceAllUsesWith(mark, group);
    LLVMInstructionEraseFromParent(mark);
}

void
ls_ptx_part_calls(struct ls_ptx *p)
{
    LLVMValueRef fn = LLVMGetNamedFunction(p->cc->mod, PART);

    for (LLVMUseRef use; fn && (use = LLVMGetFirstUse(fn));)
        part(p, LLVMGetUser(use));
    if (fn)
        LLVMDeleteFunction(fn);
}
