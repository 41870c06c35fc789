/* SPDX-License-Identifier: MIT */
/* Links the CPU's image functions (src/devlib/image.c) into modules that call them. Until then the
 * calls keep OCKL's names, so that bitcode in a fat binary says nothing of how a device keeps its
 * images. */
#include "compiler/ir/ir.h"

#include "base/check_site.h"

#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>

/* The bitcode lies in this library. */
__asm__(".section .rodata\n"
        ".balign 16\n"
        "ls_image_bitcode:\n"
        ".incbin \"" LS_IMAGE_BITCODE "\"\n"
        "ls_image_bitcode_end:\n"
        ".balign 16\n"
        ".previous\n");
extern const char ls_image_bitcode[] __attribute__((visibility("hidden")));
extern const char ls_image_bitcode_end[] __attribute__((visibility("hidden")));

static bool
is_image_name(const char *name)
{
    return ls_ir_has_prefix(name, "__ockl_image_") || ls_ir_has_prefix(name, "__ls_image_");
}

bool
ls_ir_is_image_function(LLVMValueRef fn)
{
    size_t len;

    return is_image_name(LLVMGetValueName2(fn, &len));
}

static bool
is_wanted(struct ls_cc *cc, const char *name)
{
    LLVMValueRef fn = LLVMGetNamedFunction(cc->mod, name);

    return fn && LLVMIsDeclaration(fn) && LLVMGetFirstUse(fn);
}

static bool
wants_any(struct ls_cc *cc)
{
    size_t len;

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (LLVMIsDeclaration(fn) && LLVMGetFirstUse(fn) &&
            is_image_name(LLVMGetValueName2(fn, &len)))
            return true;
    return false;
}

/* Marks loads of descriptors as invariant: a descriptor does not change while a kernel runs. */
static void
mark_descriptor_loads(struct ls_cc *cc, LLVMValueRef fn)
{
    unsigned kind = LLVMGetMDKindIDInContext(cc->llvm, "invariant.load", 14);
    LLVMValueRef node = LLVMMetadataAsValue(cc->llvm, LLVMMDNodeInContext2(cc->llvm, NULL, 0));

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsALoadInst(i) &&
                LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(i, 0))) == 4)
                LLVMSetMetadata(i, kind, node);
}

static LLVMModuleRef
open_library(struct ls_cc *cc)
{
    LLVMModuleRef mod = NULL;
    LLVMMemoryBufferRef buf = LLVMCreateMemoryBufferWithMemoryRange(
        ls_image_bitcode, (size_t)(ls_image_bitcode_end - ls_image_bitcode), "images", false);

    if (LLVMGetBitcodeModuleInContext2(
            cc->llvm, buf,
            &mod)) { /* owns buf from here on; bodies are read when they are needed */
        ls_diag(cc, LS_DIAG_ERROR, NULL, "internal error: the image functions cannot be read");
        return NULL;
    }
    return mod;
}

bool
ls_ir_has_image_function(struct ls_cc *cc, const char *name)
{
    LLVMModuleRef mod = is_image_name(name) ? open_library(cc) : NULL;
    bool found = mod && LLVMGetNamedFunction(mod, name);

    if (mod)
        LLVMDisposeModule(mod);
    return found;
}

/* Texels are read with what lies beside them, which a checker shall not take for the program's. */
static void
mark_texel_loads(struct ls_cc *cc, LLVMValueRef fn)
{
    LLVMValueRef none = LLVMMetadataAsValue(cc->llvm, LLVMMDNodeInContext2(cc->llvm, NULL, 0));

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsALoadInst(i))
                LLVMSetMetadata(i, ls_ir_md_kind(cc, LS_MD_TEXEL), none);
}

bool
ls_ir_link_images(struct ls_cc *cc)
{
    LLVMModuleRef mod;
    size_t len;

    if (!wants_any(cc))
        return true;
    mod = open_library(cc);
    if (!mod)
        return false;
    for (LLVMValueRef fn = LLVMGetFirstFunction(mod), next; fn; fn = next) {
        next = LLVMGetNextFunction(fn);
        if (!is_image_name(LLVMGetValueName2(fn, &len)))
            continue;
        if (is_wanted(cc, LLVMGetValueName2(fn, &len)))
            LLVMSetVisibility(fn, LLVMDefaultVisibility);
        else
            LLVMDeleteFunction(fn);
    }
    if (LLVMLinkModules2(cc->mod, mod)) /* deletes mod */
        return cc->n_errors ? false
                            : ls_diag(cc, LS_DIAG_ERROR, NULL, "cannot link the image functions");
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn) && ls_ir_is_image_function(fn)) {
            mark_descriptor_loads(cc, fn);
            if (cc->opt->checks & LS_CHECK_INIT)
                mark_texel_loads(cc, fn);
        }
    return true;
}
