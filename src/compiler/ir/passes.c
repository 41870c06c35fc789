/* SPDX-License-Identifier: MIT */
/* Runs LLVM's passes. */
#include <string.h>

#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "compiler/ir/ir.h"

bool
ls_ir_run_passes(struct ls_cc *cc, LLVMTargetMachineRef tm, const char *passes)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef err;

    if (strstr(passes, "instcombine") || strstr(passes, "default<"))
        ls_ir_hide_carried(cc);
    LLVMPassBuilderOptionsSetLoopVectorization(options, false);
    LLVMPassBuilderOptionsSetSLPVectorization(options, false);
    err = LLVMRunPasses(cc->mod, passes, tm, options);
    LLVMDisposePassBuilderOptions(options);
    ls_ir_show_carried(cc);
    if (!err)
        return true;
    char *why = LLVMGetErrorMessage(err);
    ls_diag(cc, LS_DIAG_ERROR, NULL, "internal error: passes %s: %s", passes, why);
    LLVMDisposeErrorMessage(why);
    return false;
}
