/* SPDX-License-Identifier: MIT */
/* Links bitcode modules of -fgpu-rdc compilations and archives into one. */
#include "compiler/ir/ir.h"

#include <stdlib.h>
#include <string.h>

#include <llvm-c/BitWriter.h>
#include <llvm-c/Linker.h>

#include "compiler/pipeline.h"

static bool
link_all(struct ls_cc *cc, const void *const *bitcode, const size_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        LLVMModuleRef mod = ls_ir_parse(cc, bitcode[i], bytes[i]);

        if (!mod)
            return false;
        if (!cc->mod)
            cc->mod = mod;
        else if (LLVMLinkModules2(cc->mod, mod)) /* deletes `mod` */
            return cc->n_errors ? false
                                : ls_diag(cc, LS_DIAG_ERROR, NULL, "cannot link device code");
    }
    return cc->mod || ls_diag(cc, LS_DIAG_ERROR, NULL, "no device code to link");
}

/* Kernels and variables stay visible: the host looks them up by name. */
static void
internalize(struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn) && LLVMGetFunctionCallConv(fn) != LLVMAMDGPUKERNELCallConv) {
            LLVMSetVisibility(fn, LLVMDefaultVisibility);
            LLVMSetLinkage(fn, LLVMInternalLinkage);
        }
    for (LLVMValueRef g = LLVMGetFirstGlobal(cc->mod); g; g = LLVMGetNextGlobal(g)) {
        unsigned as = LLVMGetPointerAddressSpace(LLVMTypeOf(g));
        size_t len;

        if (!LLVMIsDeclaration(g) && !ls_ir_has_prefix(LLVMGetValueName2(g, &len), "llvm.") &&
            (as == 3 || !ls_ir_global_is_indexed(g))) {
            LLVMSetVisibility(g, LLVMDefaultVisibility);
            LLVMSetLinkage(g, LLVMInternalLinkage);
        }
    }
}

bool
ls_link_bitcode(const void *const *bitcode, const size_t *bitcode_bytes, size_t n,
                ls_diag_sink sink, void *sink_user, void **out, size_t *out_bytes)
{
    const struct ls_compile_options opt = {.sink = sink, .sink_user = sink_user};
    struct ls_cc *cc = ls_cc_create(&opt);
    LLVMTargetMachineRef tm;
    bool ok = false;

    if (!link_all(cc, bitcode, bitcode_bytes, n))
        goto out;
    internalize(cc);
    tm = ls_ir_device_tm(cc);
    if (!tm || !ls_ir_run_passes(cc, tm, "default<O2>"))
        goto out;
    LLVMMemoryBufferRef buf = LLVMWriteBitcodeToMemoryBuffer(cc->mod);
    *out_bytes = LLVMGetBufferSize(buf);
    *out = malloc(*out_bytes);
    if (*out)
        memcpy(*out, LLVMGetBufferStart(buf), *out_bytes);
    LLVMDisposeMemoryBuffer(buf);
    ok = *out || ls_diag(cc, LS_DIAG_ERROR, NULL, "out of memory");
out:
    ls_cc_destroy(cc);
    return ok;
}
