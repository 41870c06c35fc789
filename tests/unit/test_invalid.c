/* SPDX-License-Identifier: MIT */
/* NEEDS: lockstep_compiler_objects ls_base */
/* Invalid code that clang's passes write (a bitcast of i47 to <6 x i8>, a use before its
 * definition) is told from damaged bitcode: the message names the function. */
#include <stdlib.h>
#include <string.h>

#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>

#include "compiler/compiler.h"
#include "unit/test.h"

static char said[4096]; /* what the compiler reported */

static void
listen(void *user, enum ls_diag_level level, const char *message)
{
    (void)user, (void)level;
    strncat(said, message, sizeof(said) - strlen(said) - 1);
}

static LLVMValueRef
add_function(LLVMModuleRef mod, LLVMBuilderRef b, const char *name, bool kernel)
{
    LLVMContextRef llvm = LLVMGetModuleContext(mod);
    LLVMTypeRef params[2] = {LLVMIntTypeInContext(llvm, 47), LLVMPointerTypeInContext(llvm, 1)};
    LLVMValueRef fn =
        LLVMAddFunction(mod, name, LLVMFunctionType(LLVMVoidTypeInContext(llvm), params, 2, false));

    LLVMSetFunctionCallConv(fn, kernel ? LLVMAMDGPUKERNELCallConv : LLVMCCallConv);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(llvm, fn, ""));
    return fn;
}

/* Three kernels, of which the middle one has the fault; all call one function. */
static LLVMMemoryBufferRef
module_with(char fault)
{
    static const char *const names[] = {"sound_one", "faulty", "sound_two"};
    LLVMContextRef llvm = LLVMContextCreate();
    LLVMModuleRef mod = LLVMModuleCreateWithNameInContext("m", llvm);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(llvm);
    LLVMTypeRef six = LLVMVectorType(LLVMInt8TypeInContext(llvm), 6);
    LLVMValueRef helper;

    LLVMSetTarget(mod, "amdgcn-amd-amdhsa");
    helper = add_function(mod, b, "helper", false);
    LLVMBuildRetVoid(b);
    for (int i = 0; i < 3; i++) {
        LLVMValueRef fn = add_function(mod, b, names[i], true), x = LLVMGetParam(fn, 0), first;
        LLVMValueRef args[2] = {x, LLVMGetParam(fn, 1)};

        first = LLVMBuildStore(b, LLVMConstNull(six), args[1]);
        LLVMBuildCall2(b, LLVMGlobalGetValueType(helper), helper, args, 2, "");
        if (i == 1 && fault == 'c')
            LLVMBuildStore(b, LLVMBuildBitCast(b, x, six, ""), args[1]);
        if (i == 1 && fault == 'd')
            LLVMSetOperand(first, 0, LLVMBuildFreeze(b, x, ""));
        LLVMBuildRetVoid(b);
    }
    LLVMMemoryBufferRef buf = LLVMWriteBitcodeToMemoryBuffer(mod);
    LLVMDisposeBuilder(b);
    LLVMDisposeModule(mod);
    LLVMContextDispose(llvm);
    return buf;
}

static bool
describe(LLVMMemoryBufferRef buf, size_t bytes)
{
    void *image = NULL;
    size_t image_bytes;
    bool ok;

    said[0] = 0;
    ok = ls_describe_bitcode(LLVMGetBufferStart(buf), bytes, NULL, 0, listen, NULL, &image,
                             &image_bytes);
    free(image);
    return ok;
}

LS_TEST(invalid_code_names_its_function)
{
    static const char faults[] = "cd";

    for (const char *f = faults; *f; f++) {
        LLVMMemoryBufferRef buf = module_with(*f);

        EXPECT(!describe(buf, LLVMGetBufferSize(buf)));
        EXPECT(strstr(said, "function faulty") != NULL);
        EXPECT(strstr(said, "clang made") != NULL);
        EXPECT(!strstr(said, "damaged"));
        LLVMDisposeMemoryBuffer(buf);
    }
}

LS_TEST(damaged_bitcode_says_so)
{
    LLVMMemoryBufferRef buf = module_with(0);

    EXPECT(describe(buf, LLVMGetBufferSize(buf)));
    EXPECT(!describe(buf, LLVMGetBufferSize(buf) / 8 * 4));
    EXPECT(strstr(said, "damaged") != NULL);
    LLVMDisposeMemoryBuffer(buf);
}
