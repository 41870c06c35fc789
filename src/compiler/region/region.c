/* SPDX-License-Identifier: MIT */
/* Chooses how a block runs: its warps one after the other, region by region, or as fibers. */
#include "compiler/region/region_priv.h"

#include <string.h>

#include "compiler/ir/guards.h"
#include "compiler/ir/ir.h"
#include "compiler/print/print.h"
#include "device/cpu/kernel_abi.h"

/* Replaces the pseudo and intrinsic calls that need no analysis. */
static bool
replace_simple_calls(struct ls_cc *cc)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cc->llvm), NULL, 0, false);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);
    bool found = false;

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb;
             bb = LLVMGetNextBasicBlock(bb)) {
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
                const char *name = LLVMIsACallInst(i) ? ls_ir_callee_name(i) : NULL;

                next = LLVMGetNextInstruction(i);
                if (!name || !ls_ir_has_prefix(name, "llvm.amdgcn.s."))
                    continue;
                if (ls_ir_has_prefix(name, "llvm.amdgcn.s.barrier.signal")) {
                    LLVMInstructionEraseFromParent(i);
                } else if (ls_ir_has_prefix(name, "llvm.amdgcn.s.sleep")) {
                    LLVMPositionBuilderBefore(b, i);
                    LLVMBuildCall2(b, type, ls_ir_declare(cc, LS_FN_YIELD, type, true), NULL, 0,
                                   "");
                    LLVMInstructionEraseFromParent(i);
                    cc->kernel_flags |= LS_CPU_KERNEL_SPINS;
                    found = true;
                }
            }
        }
    }
    LLVMDisposeBuilder(b);
    return found;
}

/* Barriers in functions that stay out of line become fiber switches. */
static bool
barriers_out_of_line(struct ls_cc *cc, LLVMValueRef program)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cc->llvm), NULL, 0, false);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);
    bool found = false;

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        if (fn == program)
            continue;
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb;
             bb = LLVMGetNextBasicBlock(bb)) {
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
                enum ls_point_kind kind = ls_barrier_kind(i);
                const char *name = kind == LS_POINT_GRID_SYNC ? LS_FN_GRID_SYNC : LS_FN_BARRIER;

                next = LLVMGetNextInstruction(i);
                if (kind == LS_POINT_NONE)
                    continue;
                LLVMPositionBuilderBefore(b, i);
                LLVMBuildCall2(b, type, ls_ir_declare(cc, name, type, true), NULL, 0, "");
                LLVMInstructionEraseFromParent(i);
                if (kind == LS_POINT_GRID_SYNC)
                    cc->kernel_flags |= LS_CPU_KERNEL_GRID_SYNC;
                found = true;
            }
        }
    }
    LLVMDisposeBuilder(b);
    return found;
}

/* Makes fences of the barriers of a block with one warp: its lanes run in step, so there is nobody
 * to wait for. */
static void
drop_barriers(struct ls_cc *cc, LLVMValueRef fn)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cc->llvm), NULL, 0, false);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            enum ls_point_kind kind = ls_barrier_kind(i);

            next = LLVMGetNextInstruction(i);
            if (kind == LS_POINT_NONE)
                continue;
            LLVMPositionBuilderBefore(b, i);
            LLVMBuildFence(b, LLVMAtomicOrderingAcquireRelease, true, "");
            if (kind == LS_POINT_GRID_SYNC)
                LLVMBuildCall2(b, type, ls_ir_declare(cc, LS_FN_GRID_SYNC, type, true), NULL, 0,
                               "");
            LLVMInstructionEraseFromParent(i);
        }
    }
    LLVMDisposeBuilder(b);
}

static bool
has_grid_sync(LLVMValueRef fn)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (ls_barrier_kind(i) == LS_POINT_GRID_SYNC)
                return true;
    return false;
}

/* Masks off the lanes beyond the block's last thread, for warps that run as fibers. */
static void
guard_fiber(struct ls_cc *cc, LLVMValueRef fn)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(cc->llvm),
                type = LLVMFunctionType(i32, NULL, 0, false);
    LLVMBuilderRef b;
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn), body, end;
    LLVMValueRef at = LLVMGetFirstInstruction(entry), lane, lin, n;

    if (cc->whole_warps)
        return;
    b = LLVMCreateBuilderInContext(cc->llvm);
    while (LLVMIsAAllocaInst(at))
        at = LLVMGetNextInstruction(at);
    entry = ls_ir_split_before(cc, at);
    body = LLVMGetInstructionParent(at);
    end = LLVMAppendBasicBlockInContext(cc->llvm, fn, "end");
    /* There must be one return: that of the body becomes a branch to the new end. */
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef term = LLVMGetBasicBlockTerminator(bb);

        if (bb == end || LLVMGetInstructionOpcode(term) != LLVMRet)
            continue;
        LLVMInstructionEraseFromParent(term);
        LLVMPositionBuilderAtEnd(b, bb);
        LLVMBuildBr(b, end);
    }
    LLVMPositionBuilderAtEnd(b, end);
    LLVMBuildRetVoid(b);
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(entry));
    LLVMPositionBuilderAtEnd(b, entry);
    lane = LLVMBuildCall2(b, type, ls_ir_declare(cc, LS_FN_LANE, type, false), NULL, 0, "");
    lin = LLVMBuildNUWMul(b, LLVMGetParam(fn, LLVMCountParams(fn) - 1),
                          LLVMConstInt(i32, cc->n_lanes, false), "");
    lin = LLVMBuildNUWAdd(b, lin, lane, "");
    n = cc->n_threads ? LLVMConstInt(i32, cc->n_threads, false)
                      : ls_ir_ctx_load(cc, b, LLVMGetParam(fn, 0),
                                       offsetof(struct ls_cpu_ctx, n_threads), i32, "n_threads");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, lin, n, ""), body, end);
    LLVMDisposeBuilder(b);
}

static bool
make_fiber_program(struct ls_cc *cc, struct ls_plan *plan)
{
    ls_plan_restore(plan, LS_FN_BARRIER, LS_FN_GRID_SYNC);
    guard_fiber(cc, plan->fn);
    cc->mode = LS_CPU_MODE_FIBER;
    return true;
}

static bool
clean_up(struct ls_cc *cc)
{
    /* No pass here may turn slots into phis: a slot holds the values of several warps. */
    return ls_ir_run_passes(cc, ls_ir_device_tm(cc),
                            "function(early-cse,adce,fix-irreducible)") &&
           ls_ir_simplify_loops(cc);
}

/* Plans regions, at first with turns. Where no proof is found, clang may have merged the way of
 * threads that return with that of those who go on to a barrier, and told them apart again later:
 * threading the jumps undoes that. */
static bool
try_split(struct ls_cc *cc, LLVMValueRef fn, struct ls_plan *plan, bool *split)
{
    struct ls_turn *turns = NULL;

    int attempt = ls_turns_insert(cc, fn, &turns) ? -1 : 0;

    if (!cc->guards)
        ls_trips_split(cc, fn);
    for (; attempt < 2; attempt++) {
        ls_plan_init(plan, cc, fn);
        plan->turns = turns;
        plan->w = ls_region_disguise_warp(cc, fn);
        *split = ls_plan_build(plan);
        if (*split || attempt == 1)
            return true;
        ls_plan_restore(plan, "llvm.amdgcn.s.barrier", LS_DEVICE_GRID_SYNC);
        if (attempt < 0)
            continue;
        if (!ls_ir_thread_jumps(cc) ||
            !ls_ir_run_passes(cc, NULL, "function(lower-switch,fix-irreducible)") ||
            !ls_ir_simplify_loops(cc))
            return false;
        fn = LLVMGetNamedFunction(cc->mod,
                                  LS_FN_PROGRAM); /* a pass may have replaced the function */
    }
    return true;
}

/* Whether the kernel has atomics of memory that its blocks share: all but LDS. */
static bool
shares_atomics(LLVMModuleRef mod)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
                if ((LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i)) &&
                    LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(i, 0))) != 3)
                    return true;
    return false;
}

/* Whether code for whole blocks has the regions that its guards were looked for. */
static bool
guards_suit(const struct ls_cc *cc, const struct ls_plan *plan)
{
    bool once = true; /* there, as no turn ever comes */

    for (unsigned p = 1; p < plan->n_points; p++)
        once = once && (plan->points[p].kind == LS_POINT_TURN ||
                        plan->points[p].kind == LS_POINT_TURN_END) &&
               plan->turns[plan->points[p].loop].once;
    return cc->guards && (cc->guards->has_barriers ? plan->n_points > 1 : once);
}

bool
ls_region_split(struct ls_cc *cc)
{
    LLVMValueRef fn = LLVMGetNamedFunction(cc->mod, LS_FN_PROGRAM);
    struct ls_plan plan;
    bool split = false;
    bool fibers = cc->opt->force_fibers || cc->opt->interleave, spins;

    replace_simple_calls(cc);
    fibers |= barriers_out_of_line(cc, fn);
    if (has_grid_sync(fn))
        cc->kernel_flags |= LS_CPU_KERNEL_GRID_SYNC;
    if (shares_atomics(cc->mod))
        cc->kernel_flags |= LS_CPU_KERNEL_ATOMICS;
    spins = ls_spin_yield(cc, fn) > 0;
    if (spins) {
        cc->kernel_flags |= LS_CPU_KERNEL_SPINS;
        fibers |= cc->n_warps != 1;
    }
    if (cc->opt->interleave)
        ls_spin_interleave(cc);
    if (cc->n_warps == 1 && !fibers)
        drop_barriers(cc, fn);
    ls_strides_unfold(cc, fn);
    if (!fibers && !spins)
        ls_guards_find(cc, fn);
    if (!fibers && !try_split(cc, fn, &plan, &split))
        return false;
    if (!split || !guards_suit(cc, &plan))
        cc->guards = NULL;
    if (split)
        ls_apart_join(&plan);
    if (fibers)
        ls_plan_init(&plan, cc, fn);
    ls_print_plan(cc, split ? &plan : NULL);
    if (!split)
        return make_fiber_program(cc, &plan) && clean_up(cc);
    cc->mode = LS_CPU_MODE_BLOCK;
    return ls_plan_emit(&plan) && clean_up(cc);
}
