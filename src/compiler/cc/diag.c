/* SPDX-License-Identifier: MIT */
/* Diagnostics of the compiler: a message with its source line into the caller's sink. */
#include "compiler/compiler_priv.h"

#include <llvm-c/ErrorHandling.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "compiler/pipeline.h"

static _Thread_local struct ls_cc *current; /* the compile that this thread is in, or was */

/* "dir/file:line" of an instruction, function or global variable; empty when there is no debug
 * info. */
static void
location_of(LLVMValueRef at, char *buf, size_t size)
{
    unsigned file_len = 0, dir_len = 0;
    const char *file, *dir;

    buf[0] = 0;
    if (!at || !(LLVMIsAInstruction(at) || LLVMIsAFunction(at) || LLVMIsAGlobalVariable(at)))
        return;
    file = LLVMGetDebugLocFilename(at, &file_len);
    if (!file || !file_len) {
        if (LLVMIsAInstruction(at))
            location_of(LLVMGetBasicBlockParent(LLVMGetInstructionParent(at)), buf, size);
        return;
    }
    dir = LLVMGetDebugLocDirectory(at, &dir_len);
    if (file[0] == '/' || !dir || !dir_len)
        snprintf(buf, size, "%.*s:%u", (int)file_len, file, LLVMGetDebugLocLine(at));
    else
        snprintf(buf, size, "%.*s/%.*s:%u", (int)dir_len, dir, (int)file_len, file,
                 LLVMGetDebugLocLine(at));
}

bool
ls_diag(struct ls_cc *cc, enum ls_diag_level level, LLVMValueRef at, const char *fmt, ...)
{
    char where[512], text[1536], message[2304];
    const char *kernel = cc->opt->kernel;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    location_of(at, where, sizeof(where));
    if (kernel && where[0])
        snprintf(message, sizeof(message), "%s: %s (in kernel %s)", where, text, kernel);
    else if (kernel)
        snprintf(message, sizeof(message), "kernel %s: %s", kernel, text);
    else
        snprintf(message, sizeof(message), "%s%s%s", where, where[0] ? ": " : "", text);
    if (level == LS_DIAG_ERROR)
        cc->n_errors++;
    if (cc->opt->sink)
        cc->opt->sink(cc->opt->sink_user, level, message);
    return false;
}

/* Receives LLVM's diagnostics: its errors become ours, remarks and warnings of missed optimisations
 * are dropped. */
static void
on_llvm_diagnostic(LLVMDiagnosticInfoRef info, void *user)
{
    struct ls_cc *cc = user;

    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || cc->muted)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    ls_diag(cc, LS_DIAG_ERROR, NULL, "LLVM: %s", text);
    LLVMDisposeMessage(text);
}

/* LLVM ends the process after this call. The reason is passed on first: the caller on the other
 * side of the door (compiler/door.h) lives on and gets it. */
static void
on_fatal(const char *reason)
{
    struct ls_cc *cc = current;

    if (cc && cc->opt->sink)
        ls_diag(cc, LS_DIAG_ERROR, NULL, "LLVM: %s", reason);
    else
        fprintf(stderr, "LLVM ERROR: %s\n", reason);
}

static void
install_fatal(void)
{
    LLVMInstallFatalErrorHandler(on_fatal);
}

void
ls_diag_install(struct ls_cc *cc)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, install_fatal);
    current = cc;
    LLVMContextSetDiagnosticHandler(cc->llvm, on_llvm_diagnostic, cc);
}

void
ls_diag_uninstall(struct ls_cc *cc)
{
    if (current == cc)
        current = NULL;
}
