/* SPDX-License-Identifier: MIT */
/* hiprtc's name expressions: marker variables point to what an expression names; they leave the
 * module here. */
#include "compiler/ir/ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/BitWriter.h>

#include "compiler/pipeline.h"

/* The symbol that a marker's initial value points to, or NULL. */
static LLVMValueRef
pointee(LLVMValueRef marker)
{
    LLVMValueRef v = LLVMGetInitializer(marker);

    while (v && LLVMIsAConstantExpr(v))
        v = LLVMGetOperand(v, 0);
    return v && LLVMIsAGlobalValue(v) ? v : NULL;
}

static bool
take_all(struct ls_cc *cc, const char *prefix, size_t n, char **names)
{
    for (size_t i = 0; i < n; i++) {
        char marker_name[128];
        LLVMValueRef marker, target;
        size_t len;

        snprintf(marker_name, sizeof(marker_name), "%s%zu", prefix, i);
        marker = LLVMGetNamedGlobal(cc->mod, marker_name);
        target = marker ? pointee(marker) : NULL;
        if (!target)
            return ls_diag(cc, LS_DIAG_ERROR, NULL, "%s names no function and no variable",
                           marker_name);
        names[i] = strdup(LLVMGetValueName2(target, &len));
        if (!names[i])
            return ls_diag(cc, LS_DIAG_ERROR, NULL, "out of memory");
        LLVMDeleteGlobal(marker);
    }
    return true;
}

bool
ls_take_names(const void *bitcode, size_t bitcode_bytes, const char *prefix, size_t n,
              ls_diag_sink sink, void *sink_user, char **names, void **out, size_t *out_bytes)
{
    const struct ls_compile_options opt = {.sink = sink, .sink_user = sink_user};
    struct ls_cc *cc = ls_cc_create(&opt);
    bool ok = false;

    memset(names, 0, n * sizeof(*names));
    cc->mod = ls_ir_parse(cc, bitcode, bitcode_bytes);
    if (cc->mod && take_all(cc, prefix, n, names)) {
        LLVMMemoryBufferRef buf = LLVMWriteBitcodeToMemoryBuffer(cc->mod);

        *out_bytes = LLVMGetBufferSize(buf);
        *out = malloc(*out_bytes);
        if (*out)
            memcpy(*out, LLVMGetBufferStart(buf), *out_bytes);
        LLVMDisposeMemoryBuffer(buf);
        ok = *out || ls_diag(cc, LS_DIAG_ERROR, NULL, "out of memory");
    }
    for (size_t i = 0; !ok && i < n; i++) {
        free(names[i]);
        names[i] = NULL;
    }
    ls_cc_destroy(cc);
    return ok;
}
