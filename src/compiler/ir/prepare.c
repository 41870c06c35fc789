/* SPDX-License-Identifier: MIT */
/* From a kernel as clang left it to the scalar program that the region splitter and the vectoriser
 * accept: everything inlined, shapes folded in, no switch, one return, loops in simple form. */
#include "compiler/ir/prepare_priv.h"

#include <stdlib.h>
#include <string.h>

#include "target/target.h"

#define COMBINE                                                                                    \
    "function(instcombine<no-verify-fixpoint>)" /* must begin a pipeline: ls_ir_run_passes */

/* Calls that never return must not end a block: a masked lane stops there, its neighbours go on. */
static void
clear_noreturn(struct ls_cc *cc)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("noreturn", 8);

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        LLVMRemoveEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, kind);
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsACallInst(i))
                    LLVMRemoveCallSiteEnumAttribute(i, LLVMAttributeFunctionIndex, kind);
    }
}

/* A function that returns a value in the first warp alone (as hipCUB's BlockReduce does) leaves the
 * test as an assumption: that each thread is of the first warp. The hardware goes by the thread's
 * number all the same; LLVM's passes here would make one warp of all. Those about pointers, which
 * say true, stay. */
static void
drop_assumptions(struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
                const char *name = LLVMIsACallInst(i) ? ls_ir_callee_name(i) : NULL;

                next = LLVMGetNextInstruction(i);
                if (name && !strcmp(name, "llvm.assume") && !LLVMIsConstant(LLVMGetOperand(i, 0)))
                    LLVMInstructionEraseFromParent(i);
            }
}

/* What LLVM would drop, as it can't be right, is for checkers to find: accesses through null
 * pointers, calls of them, and stores to constants. */
static void
keep_faults(struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        if (LLVMIsDeclaration(fn))
            continue;
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                ls_ir_attribute(cc, "null_pointer_is_valid", 0));
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
                LLVMValueRef to =
                    LLVMIsAStoreInst(i) ? ls_ir_object_of(LLVMGetOperand(i, 1)) : NULL;

                if (to && LLVMIsAGlobalVariable(to) &&
                    LLVMGetPointerAddressSpace(LLVMTypeOf(to)) == 4)
                    LLVMSetVolatile(i, true);
            }
    }
}

static void
return_instead(struct ls_cc *cc, LLVMBasicBlockRef bb)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);
    LLVMTypeRef fn_type = LLVMGlobalGetValueType(LLVMGetBasicBlockParent(bb));
    LLVMTypeRef type = LLVMGetReturnType(fn_type);

    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(bb));
    LLVMPositionBuilderAtEnd(b, bb);
    if (LLVMGetTypeKind(type) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(b);
    else
        LLVMBuildRet(b, LLVMConstNull(type));
    LLVMDisposeBuilder(b);
}

struct shape_of_code {
    bool has_switch, has_loop_or_join, several_returns;
    bool has_unknown_terminator;
};

static bool
check_terminators(struct ls_cc *cc, LLVMValueRef fn, struct shape_of_code *s)
{
    unsigned n_returns = 0;

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef term = LLVMGetBasicBlockTerminator(bb);

        switch (LLVMGetInstructionOpcode(term)) {
        case LLVMUnreachable:
            return_instead(cc, bb);
            n_returns++;
            break;
        case LLVMRet:
            n_returns++;
            break;
        case LLVMSwitch:
            s->has_switch = true;
            break;
        case LLVMBr:
            s->has_loop_or_join = true;
            break;
        default:
            return ls_diag(cc, LS_DIAG_ERROR, term,
                           "control flow that is not a branch, switch or return "
                           "(computed goto, exceptions, inline assembly goto)");
        }
    }
    s->several_returns |= n_returns > 1;
    return true;
}

/* The vectoriser's input conditions on control flow. */
static bool
canonical_control_flow(struct ls_cc *cc)
{
    struct shape_of_code s = {0};
    char passes[256] = "function(";

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn) && !check_terminators(cc, fn, &s))
            return false;
    if (s.has_switch)
        strcat(passes, "lower-switch,");
    if (s.several_returns)
        strcat(passes, "mergereturn,");
    if (!s.has_loop_or_join && !s.has_switch)
        return true;
    strcat(passes, "fix-irreducible)");
    return ls_ir_run_passes(cc, ls_ir_device_tm(cc), passes) && ls_ir_simplify_loops(cc);
}

/* Code from -O0 keeps its variables in memory. */
static bool
has_allocas(struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        if (LLVMIsDeclaration(fn))
            continue;
        for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)); i;
             i = LLVMGetNextInstruction(i))
            if (LLVMGetInstructionOpcode(i) == LLVMAlloca)
                return true;
    }
    return false;
}

static bool
simplify(struct ls_cc *cc, LLVMTargetMachineRef tm)
{
    return ls_ir_run_converged(cc, tm, "function(simplifycfg)");
}

static bool
tidy(struct ls_cc *cc, LLVMTargetMachineRef tm)
{
    if (!ls_ir_run_held(cc, tm, "function(sroa,early-cse)") || !simplify(cc, tm))
        return false;
    ls_ir_join_latches(cc);
    return ls_ir_run_held(cc, tm, COMBINE) &&
           ls_ir_run_held(cc, tm, "function(loop-mssa(licm),gvn)") && simplify(cc, tm) &&
           ls_ir_run_held(cc, tm, COMBINE) && ls_ir_run_passes(cc, tm, "function(adce)");
}

/* Few passes, for code that clang has optimised and that nothing was inlined into. */
static bool
tidy_a_little(struct ls_cc *cc, LLVMTargetMachineRef tm)
{
    return ls_ir_run_passes(cc, tm, "function(early-cse)") && ls_ir_run_passes(cc, tm, COMBINE) &&
           simplify(cc, tm);
}

/* Whether an address is in an argument of the kernel, or in a variable of constant memory. What the
 * compiler asks of the launch is there, too, but differs from block to block. */
static bool
is_constant_memory(LLVMValueRef p)
{
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(p)) != 4)
        return false;
    while (LLVMIsAGetElementPtrInst(p))
        p = LLVMGetOperand(p, 0);
    return LLVMIsAArgument(p) || LLVMIsAGlobalVariable(p);
}

/* Constant memory stays while the kernel runs. Clang says so of some loads. */
static void
mark_constants(struct ls_cc *cc, LLVMValueRef fn)
{
    unsigned kind = ls_ir_md_kind(cc, "invariant.load");
    LLVMValueRef none = LLVMMetadataAsValue(cc->llvm, LLVMMDNodeInContext2(cc->llvm, NULL, 0));

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsALoadInst(i) && !LLVMGetVolatile(i) &&
                LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic &&
                is_constant_memory(LLVMGetOperand(i, 0)))
                LLVMSetMetadata(i, kind, none);
}

bool
ls_ir_prepare(struct ls_cc *cc)
{
    bool dirty = false, has_buffers = false, unrolled, rows;
    LLVMTargetMachineRef tm;

    ls_row_lanes_choose(cc);
    ls_same_rows_choose(cc);
    ls_conversions_clamp(cc);
    drop_assumptions(cc);
    if (!ls_notes_place(cc) || !ls_program_create(cc))
        return false;
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn && !cc->target->keeps_threads;
         fn = LLVMGetNextFunction(fn))
        mark_constants(cc, fn);
    if (cc->opt->checks & LS_CHECK_MEMORY)
        keep_faults(cc);
    /* Checkers want variables as clang leaves them, which debuggers' marks make values of. */
    if (!(cc->opt->checks & LS_CHECK_INIT || ls_variables_mark(cc)) ||
        !ls_asm_replace(cc, &dirty) || !ls_inline_calls(cc, &dirty) || !ls_carry_replace(cc) ||
        !(tm = ls_ir_device_tm(cc)))
        return false;
    ls_variables_bind(cc);
    clear_noreturn(cc);
    ls_checks_mark_unset(cc);
    dirty |= has_allocas(cc);
    if (!ls_ir_fix_irreducible(cc))
        return false;
    if (dirty && !(ls_ir_run_held(cc, tm, "function(sroa,early-cse,infer-address-spaces)") &&
                   ls_ir_run_held(cc, tm, COMBINE) && simplify(cc, tm)))
        return false;
    ls_checks_settle_unset(cc);
    if (!ls_buffer_replace(cc, &has_buffers))
        return false;
    dirty |= has_buffers;
    dirty |= !cc->opt->checks && ls_distinct_mark(cc);
    if (!ls_checks_mark_elements(cc) || !ls_wide_split(cc) || !ls_queries_replace(cc) ||
        !ls_globals_replace(cc))
        return false;
    ls_exchanges_test_bits(cc);
    if (!(dirty ? tidy(cc, tm) : tidy_a_little(cc, tm)))
        return false;
    if (!ls_ir_unroll_steps(cc, &unrolled) || !ls_ir_unroll_rows(cc, &rows) ||
        ((unrolled || rows) && !(ls_ir_run_passes(cc, tm, "function(early-cse)") &&
                                 ls_ir_run_passes(cc, tm, COMBINE) && simplify(cc, tm))))
        return false;
    ls_copies_expand(cc);
    ls_bits_split(cc);
    ls_pairs_split(cc);
    ls_halves_join(cc);
    /* Checkers are told of what the source reads. */
    if (!cc->opt->checks && ls_pieces_join(cc) && !ls_ir_run_passes(cc, tm, "function(dce)"))
        return false;
    if (ls_same_ways_join(cc) && !ls_ir_run_passes(cc, tm, "function(early-cse)"))
        return false;
    clear_noreturn(cc);
    /* Clang keeps a branch and its repetition apart on targets with divergence (`break` behind a
     * loop's own test); a value that is uniform while the loop runs would look varying. Calls that
     * are convergent are not duplicated. */
    if (!ls_ir_thread_jumps(cc))
        return false;
    /* Behind it: it would thread tests of the lane, too (below 2 follows from below 1). */
    if (ls_tests_settle(cc) &&
        !(ls_ir_run_held(cc, tm, "function(early-cse)") && ls_ir_run_held(cc, tm, COMBINE)))
        return false;
    return canonical_control_flow(cc) && ls_ir_check_limits(cc);
}
