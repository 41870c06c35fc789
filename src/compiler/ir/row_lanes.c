/* SPDX-License-Identifier: MIT */
/* Warps of one row. The warps of a block that is 16 threads wide are two rows of it: what a warp
 * reads is two pieces of memory, each half as long, and prefetchers follow one row better than two.
 * A kernel that never asks who else is in its warp cannot tell how long one is, so in straight code
 * a row is a warp (ir/guards.c walks along the rows of such blocks). */
#include "ir/prepare_priv.h"

#include <string.h>

#include "analysis/cfg.h"
#include "device/cpu/kernel_abi.h"
#include "intrin/intrinsics.h"
#include "ir/ir.h"
#include "target/target.h"

enum { ROW = LS_CPU_ROW_LANES, MOST_WARPS = 32 };

static bool
knows_warps(LLVMValueRef call)
{
    const char *name = ls_ir_callee_name(call);
    const struct ls_intrin *row = name ? ls_intrin_find(name) : NULL;

    if (!name || ls_ir_has_prefix(name, "llvm.dbg."))
        return true; /* debuggers know them, too */
    if (row)
        return row->flags & (LS_IF_CONVERGENT | LS_IF_LANES | LS_IF_NORETURN | LS_IF_CLOCK) ||
               !strcmp(name, "llvm.amdgcn.wavefrontsize");
    return ls_ir_has_prefix(name, "llvm.amdgcn.") ||
           (!ls_ir_has_prefix(name, "llvm.") && !ls_ir_has_prefix(name, "__ocml_"));
}

/* Whether an instruction lets threads of a warp know of each other, or is of shared memory. */
static bool
is_for_warps(LLVMValueRef i)
{
    bool accesses = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);

    if (LLVMIsAFenceInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ||
        LLVMIsAAllocaInst(i) || (LLVMIsACallInst(i) && knows_warps(i)))
        return true;
    if (accesses && (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic))
        return true;
    for (int k = 0; k < LLVMGetNumOperands(i); k++) {
        LLVMValueRef v = LLVMGetOperand(i, (unsigned)k);

        if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind &&
            LLVMGetPointerAddressSpace(LLVMTypeOf(ls_ir_object_of(v))) == 3)
            return true;
    }
    return false;
}

/* Whether a kernel is straight code whose threads know nothing of each other: none reads behind a
 * store, as what another thread of a warp in lock step has stored would be there. */
static bool
is_for_rows(struct ls_cc *cc, LLVMValueRef kernel)
{
    const struct ls_cfg *cfg = ls_cfg_build(cc->arena, kernel);
    bool *stored = ls_arena_alloc(cc->arena, (cfg->n_blocks + 1) * sizeof(*stored));

    if (cfg->n_loops > 0 || cfg->irreducible)
        return false;
    for (unsigned b = 0; b < cfg->n_blocks; b++) {
        const struct ls_cfg_block *at = &cfg->blocks[b];

        stored[b] = false;
        for (unsigned k = 0; k < at->n_preds; k++)
            stored[b] |= stored[at->preds[k]];
        for (LLVMValueRef i = LLVMGetFirstInstruction(at->bb); i; i = LLVMGetNextInstruction(i)) {
            if (is_for_warps(i) ||
                (stored[b] && LLVMIsALoadInst(i) &&
                 LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(i, 0))) != 4))
                return false;
            stored[b] |= LLVMIsAStoreInst(i) != NULL;
        }
    }
    return true;
}

void
ls_row_lanes_choose(struct ls_cc *cc)
{
    LLVMValueRef kernel = LLVMGetNamedFunction(cc->mod, cc->opt->kernel);

    if (cc->target->keeps_threads || cc->n_lanes != 2 * ROW || cc->opt->checks ||
        cc->opt->opt_level == 0 || cc->opt->force_fibers || cc->block[0] != ROW ||
        cc->n_threads <= cc->n_lanes || cc->n_threads > ROW * MOST_WARPS ||
        !is_for_rows(cc, kernel))
        return;
    cc->n_lanes = ROW;
    cc->whole_warps = true;
    cc->n_warps = cc->n_threads / ROW;
}

/* Whether some instruction asks in which row of its block a thread is. */
static bool
asks_row(LLVMValueRef i)
{
    const char *name = LLVMIsACallInst(i) ? ls_ir_callee_name(i) : NULL;

    return name && (!strcmp(name, "llvm.amdgcn.workitem.id.y") ||
                    !strcmp(name, "llvm.amdgcn.workitem.id.z"));
}

/* A block of several rows whose threads do not ask for theirs does all its work once for each: rows
 * of whole warps that read and write the same. Had the warps been in step, they would have read
 * what the first of them reads, and written what it writes; so it stands for all. */
void
ls_same_rows_choose(struct ls_cc *cc)
{
    LLVMValueRef kernel = LLVMGetNamedFunction(cc->mod, cc->opt->kernel);

    if (cc->target->keeps_threads || cc->n_lanes < 2 || cc->opt->checks ||
        cc->opt->opt_level == 0 || cc->opt->force_fibers || !cc->block[0] ||
        cc->block[0] % cc->n_lanes || cc->n_threads == cc->block[0])
        return;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(kernel); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (asks_row(i) || (is_for_warps(i) && !LLVMIsAAllocaInst(i)))
                return;
    cc->n_threads = cc->block[0];
    cc->n_warps = cc->n_threads / cc->n_lanes;
}
