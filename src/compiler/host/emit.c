/* SPDX-License-Identifier: MIT */
/* Machine code, and a shared object around it. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <llvm-c/Support.h>

#include "base/env.h"
#include "base/file.h"
#include "host/host.h"

static bool
run_linker(const char *linker, const char *object, const char *out_path)
{
    const char *argv[] = {linker, "-shared", "-o",    out_path,           object, "-z",
                          "now",  "-z",      "relro", "--hash-style=gnu", NULL};
    posix_spawn_file_actions_t quiet;
    pid_t pid;
    int status, err;

    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
    err = posix_spawnp(&pid, linker, &quiet, NULL, (char *const *)(uintptr_t)argv, ls_env_child());
    posix_spawn_file_actions_destroy(&quiet);
    if (err)
        return false;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Links an object that our own linker does not know by a system linker. A privileged process starts
 * none, as the caller of the program chooses the PATH. */
static bool
link_outside(struct ls_cc *cc, const void *object, size_t bytes, void **elf, size_t *elf_bytes)
{
    static const char *const linkers[] = {"ld.lld-19", "ld.lld", "ld"};
    const char *tmp = ls_env_get("TMPDIR");
    char *dir = ls_arena_printf(cc->arena, "%s/lockstep-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    const char *in, *out;

    if (ls_env_is_privileged())
        return ls_diag(cc, LS_DIAG_ERROR, NULL,
                       "the kernel needs a linker, and this program is privileged");
    if (!mkdtemp(dir))
        return ls_diag(cc, LS_DIAG_ERROR, NULL, "cannot make %s: %s", dir, strerror(errno));
    in = ls_arena_printf(cc->arena, "%s/kernel.o", dir);
    out = ls_arena_printf(cc->arena, "%s/kernel.so", dir);
    bool wrote = ls_file_write(in, object, bytes), ok = false;
    if (!wrote)
        ls_diag(cc, LS_DIAG_ERROR, NULL, "cannot write %s: %s", in, strerror(errno));
    for (size_t i = 0; wrote && i < sizeof(linkers) / sizeof(linkers[0]) && !ok; i++)
        ok = run_linker(linkers[i], in, out) && ls_file_read(out, elf, elf_bytes);
    unlink(in);
    unlink(out);
    rmdir(dir);
    if (wrote && !ok)
        ls_diag(cc, LS_DIAG_ERROR, NULL, "no linker (ld.lld-19, ld.lld, ld) could link the kernel");
    return ok;
}

/* From so many blocks in a function on, machine LICM and loop strength reduction are left out:
 * their cost grows with blocks times loops or constants. Machine LICM also moves all constants in
 * front of the outermost loop, where they live through everything until the register allocator
 * splits them up again. */
#define MANY_BLOCKS 1500

static bool
is_large(struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (LLVMCountBasicBlocks(fn) >= MANY_BLOCKS)
            return true;
    return false;
}

/* Emits the object. The only switches for these passes are global to the process, so no other
 * thread emits while they are set. */
static bool
make_object(struct ls_cc *cc, char **why, LLVMMemoryBufferRef *object)
{
    static pthread_rwlock_t switches = PTHREAD_RWLOCK_INITIALIZER;
    static const char *const off[] = {"lockstep", "-disable-machine-licm=true",
                                      "-disable-lsr=true"};
    static const char *const on[] = {"lockstep", "-disable-machine-licm=false",
                                     "-disable-lsr=false"};
    bool large = is_large(cc), failed;

    if (large) {
        pthread_rwlock_wrlock(&switches);
        LLVMParseCommandLineOptions(3, off, "");
    } else {
        pthread_rwlock_rdlock(&switches);
    }
    failed = LLVMTargetMachineEmitToMemoryBuffer(cc->host.tm, cc->mod, LLVMObjectFile, why, object);
    if (large)
        LLVMParseCommandLineOptions(3, on, "");
    pthread_rwlock_unlock(&switches);
    return !failed;
}

bool
ls_host_emit(struct ls_cc *cc, void **elf, size_t *elf_bytes)
{
    const struct ls_host *host = cc->host.arch;
    LLVMMemoryBufferRef object;
    char *why = NULL;
    void *image;
    bool ok = true;

    if (!make_object(cc, &why, &object)) {
        ls_diag(cc, LS_DIAG_ERROR, NULL, "no machine code: %s", why ? why : "");
        LLVMDisposeMessage(why);
        return false;
    }
    const char *data = LLVMGetBufferStart(object);
    size_t bytes = LLVMGetBufferSize(object);
    if (host->mend_object)
        host->mend_object((unsigned char *)(uintptr_t)data, bytes);
    if (cc->n_errors) /* LLVM reported an error to the sink */
        ok = false;
    else if (!host->link || !host->link(cc->arena, data, bytes, &image, elf_bytes))
        ok = link_outside(cc, data, bytes, elf, elf_bytes);
    else if ((*elf = malloc(*elf_bytes)) != NULL)
        memcpy(*elf, image, *elf_bytes);
    else
        ok =
            ls_diag(cc, LS_DIAG_ERROR, NULL, "no memory for %zu bytes of machine code", *elf_bytes);
    LLVMDisposeMemoryBuffer(object);
    return ok;
}
