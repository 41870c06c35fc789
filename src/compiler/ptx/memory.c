/* SPDX-License-Identifier: MIT */
/* Atomic accesses: what LLVM's code generator for NVIDIA does not say, the order and the scope, is
 * said by fences around relaxed ones. */
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "base/isa.h"
#include "compiler/ir/ir.h"
#include "ptx/ptx_priv.h"

enum scope { SCOPE_SYSTEM = 0, SCOPE_DEVICE, SCOPE_BLOCK, SCOPE_WARP, SCOPE_THREAD };

/* LLVM-C 19 does not tell the scope's name, so it is read from the printed instruction; from a
 * copy, as printing one inside numbers all values of the function. */
static enum scope
scope_of(LLVMValueRef inst)
{
    static const struct {
        const char *name;
        enum scope scope;
    } known[] = {{"syncscope(\"agent", SCOPE_DEVICE},
                 {"syncscope(\"workgroup", SCOPE_BLOCK},
                 {"syncscope(\"wavefront", SCOPE_WARP},
                 {"syncscope(\"singlethread", SCOPE_THREAD}};
    LLVMValueRef copy = LLVMInstructionClone(inst);
    enum scope scope = SCOPE_SYSTEM;
    char *text;

    LLVMInstructionSetDebugLoc(copy, NULL);
    text = LLVMPrintValueToString(copy);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strstr(text, known[i].name))
            scope = known[i].scope;
    LLVMDisposeMessage(text);
    LLVMDeleteInstruction(copy);
    return scope;
}

static void
fence(struct ls_ptx *p, enum scope scope, bool sequential)
{
    static const char *const texts[][2] = {
        [SCOPE_SYSTEM] = {"fence.acq_rel.sys;", "fence.sc.sys;"},
        [SCOPE_DEVICE] = {"fence.acq_rel.gpu;", "fence.sc.gpu;"},
        [SCOPE_BLOCK] = {"fence.acq_rel.cta;", "fence.sc.cta;"},
        [SCOPE_WARP] = {"fence.acq_rel.cta;", "fence.sc.cta;"},
        [SCOPE_THREAD] = {"", ""},
    };

    ls_ptx_asm(p, p->voidt, texts[scope][sequential], "~{memory}", NULL, 0, true);
}

static bool
releases(LLVMAtomicOrdering order)
{
    return order == LLVMAtomicOrderingRelease || order == LLVMAtomicOrderingAcquireRelease ||
           order == LLVMAtomicOrderingSequentiallyConsistent;
}

static bool
acquires(LLVMAtomicOrdering order)
{
    return order == LLVMAtomicOrderingAcquire || order == LLVMAtomicOrderingAcquireRelease ||
           order == LLVMAtomicOrderingSequentiallyConsistent;
}

/* Whether it orders what those do who are within the scope: the block's barrier, and for one warp
 * also the warp's. */
static bool
orders(LLVMValueRef inst, enum scope scope)
{
    const char *name = inst && LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    if (!name)
        return false;
    return ls_ir_is_barrier(inst) || ls_ir_has_prefix(name, "llvm.nvvm.barrier") ||
           (scope >= SCOPE_WARP && (!strcmp(name, "llvm.amdgcn.wave.barrier") ||
                                    !strcmp(name, "llvm.nvvm.bar.warp.sync")));
}

/* A barrier, which orders what its threads do, comes next or has just been. */
static bool
is_beside_barrier(LLVMValueRef inst, enum scope scope)
{
    LLVMValueRef at = inst;

    while ((at = LLVMGetNextInstruction(at)) && LLVMIsAFenceInst(at))
        ;
    if (orders(at, scope))
        return true;
    for (at = inst; (at = LLVMGetPreviousInstruction(at)) && LLVMIsAFenceInst(at);)
        ;
    return orders(at, scope);
}

static void
lower_fence(struct ls_ptx *p, LLVMValueRef inst)
{
    enum scope scope = scope_of(inst);

    if (!(scope >= SCOPE_BLOCK && is_beside_barrier(inst, scope))) {
        LLVMPositionBuilderBefore(p->b, inst);
        fence(p, scope, LLVMGetOrdering(inst) == LLVMAtomicOrderingSequentiallyConsistent);
    }
    LLVMInstructionEraseFromParent(inst);
}

void
ls_ptx_access(struct ls_ptx *p, LLVMValueRef inst)
{
    bool exchange = LLVMIsAAtomicCmpXchgInst(inst) != NULL;
    LLVMAtomicOrdering order;
    enum scope scope;

    if (LLVMIsAFenceInst(inst)) {
        lower_fence(p, inst);
        return;
    }
    order = exchange ? LLVMGetCmpXchgSuccessOrdering(inst) : LLVMGetOrdering(inst);
    if (order <= LLVMAtomicOrderingMonotonic)
        return;
    scope = scope_of(inst);
    if (releases(order)) {
        LLVMPositionBuilderBefore(p->b, inst);
        fence(p, scope, order == LLVMAtomicOrderingSequentiallyConsistent);
    }
    if (acquires(order)) {
        LLVMPositionBuilderBefore(p->b, LLVMGetNextInstruction(inst));
        fence(p, scope, false);
    }
    if (exchange) {
        LLVMSetCmpXchgSuccessOrdering(inst, LLVMAtomicOrderingMonotonic);
        LLVMSetCmpXchgFailureOrdering(inst, LLVMAtomicOrderingMonotonic);
    } else {
        LLVMSetOrdering(inst, LLVMAtomicOrderingMonotonic);
    }
}

LLVMValueRef
ls_ptx_float_atomic(struct ls_ptx *p, LLVMValueRef call, long which)
{
    static const LLVMAtomicRMWBinOp ops[] = {LLVMAtomicRMWBinOpFAdd, LLVMAtomicRMWBinOpFMin,
                                             LLVMAtomicRMWBinOpFMax};

    if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVectorTypeKind)
        return ls_ptx_refuse(p, call, 0);
    return LLVMBuildAtomicRMW(p->b, ops[which], LLVMGetOperand(call, 0), LLVMGetOperand(call, 1),
                              LLVMAtomicOrderingMonotonic, false);
}

/* (address, two halves) */
LLVMValueRef
ls_ptx_pair_atomic(struct ls_ptx *p, LLVMValueRef call, long is_bf16)
{
    LLVMValueRef args[] = {LLVMGetOperand(call, 0),
                           LLVMBuildBitCast(p->b, LLVMGetOperand(call, 1), p->i32, "")};
    LLVMValueRef v;

    if (is_bf16 && p->cc->isa->id < LS_ISA_SM90)
        return ls_ptx_refuse(p, call, 0);
    if (LLVMTypeOf(args[0]) != p->ptr)
        args[0] = LLVMBuildAddrSpaceCast(p->b, args[0], p->ptr, "");
    v = ls_ptx_asm(p, p->i32,
                   is_bf16 ? "atom.add.noftz.bf16x2 $0, [$1], $2;"
                           : "atom.add.noftz.f16x2 $0, [$1], $2;",
                   "=r,l,r,~{memory}", args, 2, true);
    return LLVMBuildBitCast(p->b, v, LLVMTypeOf(call), "");
}

LLVMValueRef
ls_ptx_is_space(struct ls_ptx *p, LLVMValueRef call, long is_private)
{
    LLVMValueRef pointer = LLVMGetOperand(call, 0);

    return ls_ptx_nvvm(p, is_private ? "llvm.nvvm.isspacep.local" : "llvm.nvvm.isspacep.shared",
                       &pointer, 1);
}

/* A call that clang has marked as the last of its function reads nothing of that function's own, as
 * LLVM takes it: not so where the packet is such. */
static void
unmark_calls(LLVMValueRef fn)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i))
                LLVMSetTailCall(i, false);
}

/* (offset, value, ...): a block of the thread's own with these in it. */
LLVMValueRef
ls_ptx_packet(struct ls_ptx *p, LLVMValueRef call, long data)
{
    enum { BYTES = 256 };
    LLVMBuilderRef b = LLVMCreateBuilderInContext(p->cc->llvm);
    LLVMValueRef block, zero = LLVMConstInt(p->i8, 0, false);

    (void)data;
    unmark_calls(p->fn);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(p->fn)));
    block = LLVMBuildAlloca(b, LLVMArrayType2(p->i8, BYTES), "");
    LLVMSetAlignment(block, 16);
    LLVMDisposeBuilder(b);
    LLVMBuildMemSet(p->b, block, zero, ls_ptx_int(p, BYTES), 16);
    for (unsigned i = 0; i + 1 < LLVMGetNumArgOperands(call); i += 2) {
        LLVMValueRef at = LLVMGetOperand(call, i), v = LLVMGetOperand(call, i + 1);

        at = LLVMBuildGEP2(p->b, p->i8, block, &at, 1, "");
        LLVMSetAlignment(LLVMBuildStore(p->b, v, at), 1);
    }
    return LLVMBuildAddrSpaceCast(p->b, block, LLVMTypeOf(call), "");
}

/* ---- Vectors at addresses that are less aligned than they are wide ---- */

/* LLVM 19 takes some of them (<16 x i8>) for aligned ones. They move in integers as wide as their
 * alignment. */
static bool
is_loose(struct ls_cc *cc, LLVMValueRef inst, LLVMTypeRef type, unsigned *piece, unsigned *n)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cc->mod);
    unsigned long long bits;

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetVolatile(inst))
        return false;
    bits = LLVMSizeOfTypeInBits(layout, type);
    *piece = LLVMGetAlignment(inst);
    if (*piece > 8)
        *piece = 8;
    if (bits % 8 || *piece == 0 || LLVMGetAlignment(inst) >= bits / 8)
        return false;
    while (bits / 8 % *piece)
        *piece /= 2;
    *n = (unsigned)(bits / 8 / *piece);
    return true;
}

static void
split(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef inst, unsigned piece, unsigned n)
{
    bool is_load = LLVMIsALoadInst(inst) != NULL;
    LLVMTypeRef part = LLVMIntTypeInContext(cc->llvm, piece * 8), all = LLVMVectorType(part, n),
                i32 = LLVMInt32TypeInContext(cc->llvm);
    LLVMValueRef base = LLVMGetOperand(inst, is_load ? 0 : 1), v;

    LLVMPositionBuilderBefore(b, inst);
    v = is_load ? LLVMGetPoison(all) : LLVMBuildBitCast(b, LLVMGetOperand(inst, 0), all, "");
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef k = LLVMConstInt(i32, i, false), at, one;

        at = LLVMBuildInBoundsGEP2(b, part, base, &k, 1, "");
        if (is_load) {
            one = LLVMBuildLoad2(b, part, at, "");
            LLVMSetAlignment(one, piece);
            v = LLVMBuildInsertElement(b, v, one, k, "");
        } else {
            one = LLVMBuildStore(b, LLVMBuildExtractElement(b, v, k, ""), at);
            LLVMSetAlignment(one, piece);
        }
    }
    if (is_load)
        LLVMReplaceAllUsesWith(inst, LLVMBuildBitCast(b, v, LLVMTypeOf(inst), ""));
    LLVMInstructionEraseFromParent(inst);
}

void
ls_ptx_split_loose(struct ls_cc *cc)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
                LLVMTypeRef type = LLVMIsALoadInst(i)    ? LLVMTypeOf(i)
                                   : LLVMIsAStoreInst(i) ? LLVMTypeOf(LLVMGetOperand(i, 0))
                                                         : NULL;
                unsigned piece, n;

                next = LLVMGetNextInstruction(i);
                if (type && is_loose(cc, i, type, &piece, &n))
                    split(cc, b, i, piece, n);
            }
    LLVMDisposeBuilder(b);
}

/* The stack lies in the generic space here. */
void
ls_ptx_alloca(struct ls_ptx *p, LLVMValueRef inst)
{
    LLVMValueRef own;

    LLVMPositionBuilderBefore(p->b, inst);
    own = LLVMBuildArrayAlloca(p->b, LLVMGetAllocatedType(inst), LLVMGetOperand(inst, 0), "");
    LLVMSetAlignment(own, LLVMGetAlignment(inst));
    if (LLVMTypeOf(own) != LLVMTypeOf(inst))
        own = LLVMBuildAddrSpaceCast(p->b, own, LLVMTypeOf(inst), "");
    LLVMReplaceAllUsesWith(inst, own);
    LLVMInstructionEraseFromParent(inst);
}
