/* SPDX-License-Identifier: MIT */
/* Machine code, and a shared object around it. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/x86/gathers.h"
#include "compiler/x86/link.h"
#include "compiler/x86/simd_target.h"

extern char **environ;

static bool
write_file(struct ls_cc *cc, const char *path, const void *data, size_t bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    const char *p = data;

    if (fd < 0)
        return ls_diag(cc, LS_DIAG_ERROR, NULL, "cannot write %s: %s", path, strerror(errno));
    while (bytes) {
        ssize_t n = write(fd, p, bytes);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            int why = errno;
            close(fd);
            return ls_diag(cc, LS_DIAG_ERROR, NULL, "cannot write %s: %s", path, strerror(why));
        }
        p += n;
        bytes -= (size_t)n;
    }
    if (close(fd))
        return ls_diag(cc, LS_DIAG_ERROR, NULL, "cannot write %s: %s", path, strerror(errno));
    return true;
}

static bool
run_linker(const char *linker, const char *object, const char *out_path)
{
    const char *argv[] = {linker, "-shared", "-o",    out_path, object, "-z", "now",
                          "-z",   "relro",   "--hash-style=gnu", NULL};
    posix_spawn_file_actions_t quiet;
    pid_t pid;
    int status, err;

    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
    err = posix_spawnp(&pid, linker, &quiet, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&quiet);
    if (err)
        return false;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* For what our own linker doesn't know. */
static bool
link_outside(struct ls_cc *cc, const void *object, size_t bytes, const char *out_path)
{
    static const char *const linkers[] = {"ld.lld-19", "ld.lld", "ld"};
    const char *temp = ls_arena_printf(cc->arena, "%s.o", out_path);
    bool ok = write_file(cc, temp, object, bytes);

    if (!ok)
        return false;
    ok = false;
    for (size_t i = 0; i < sizeof(linkers) / sizeof(linkers[0]) && !ok; i++)
        ok = run_linker(linkers[i], temp, out_path);
    unlink(temp);
    return ok || ls_diag(cc, LS_DIAG_ERROR, NULL, "no linker (ld.lld-19, ld.lld, ld) could link the kernel");
}

bool
ls_x86_emit(struct ls_cc *cc, const char *out_path)
{
    LLVMMemoryBufferRef object;
    char *why = NULL;
    void *image;
    size_t image_bytes;
    bool ok;

    if (LLVMTargetMachineEmitToMemoryBuffer(cc->host_tm, cc->mod, LLVMObjectFile, &why, &object)) {
        ls_diag(cc, LS_DIAG_ERROR, NULL, "no machine code: %s", why ? why : "");
        LLVMDisposeMessage(why);
        return false;
    }
    ls_x86_mend_object((unsigned char *)(uintptr_t)LLVMGetBufferStart(object), LLVMGetBufferSize(object));
    if (ls_link_object(cc->arena, LLVMGetBufferStart(object), LLVMGetBufferSize(object), &image,
                       &image_bytes))
        ok = write_file(cc, out_path, image, image_bytes);
    else
        ok = link_outside(cc, LLVMGetBufferStart(object), LLVMGetBufferSize(object), out_path);
    LLVMDisposeMemoryBuffer(object);
    return ok && !cc->n_errors;
}
