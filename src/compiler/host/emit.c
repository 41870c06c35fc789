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

/* What LLVM's machine passes must be kept from where code is large: their switches, global to the
 * process. */
enum { MANY_BLOCKS = 1, BIG_BLOCK = 2, LONG_BLOCK = 4, ENDLESS_BLOCK = 8, N_SWITCHES = 5 };

static const struct large {
    unsigned kind, limit; /* `limit`: what LLVM is given without the switches */
    const char *on[N_SWITCHES], *off[N_SWITCHES];
} LARGE[] = {
    /* Machine LICM and loop strength reduction cost blocks times loops or constants. Machine LICM
     * also moves all constants in front of the outermost loop, where they live through everything
     * until the register allocator splits them up again. Machine CSE asks for each pair whether one
     * block reaches the other, domain reassignment takes the closure of each mask. Sinking walks
     * all blocks behind each load that it could move. */
    {MANY_BLOCKS,
     1500,
     {"-disable-machine-licm=true", "-disable-machine-cse=true", "-disable-lsr=true",
      "-disable-x86-domain-reassignment=true", "-disable-machine-sink=true"},
     {"-disable-machine-licm=false", "-disable-machine-cse=false", "-disable-lsr=false",
      "-disable-x86-domain-reassignment=false", "-disable-machine-sink=false"}},
    /* The first two grow with the square of a block, too. */
    {BIG_BLOCK,
     17500,
     {"-disable-machine-licm=true", "-disable-machine-cse=true", NULL},
     {"-disable-machine-licm=false", "-disable-machine-cse=false", NULL}},
    /* Both schedulers compare each access of a block with up to a thousand others. Processors that
     * reorder need no second schedule. */
    {LONG_BLOCK,
     40000,
     {"-dag-maps-huge-region=100", "-disable-post-ra=true", NULL},
     {"-dag-maps-huge-region=1000", "-disable-post-ra=false", NULL}},
    /* The first one looks at all uses in the block of what it moves. */
    {ENDLESS_BLOCK, 60000, {"-enable-misched=false", NULL, NULL},
     {"-enable-misched=true", NULL, NULL}},
};
#define N_LARGE (sizeof(LARGE) / sizeof(LARGE[0]))

/* About how much there is to do for LLVM: one for 64 bytes of a result, and a gather is one for
 * each lane. The same for all processors: a product of matrices stays below the limits with any. */
unsigned
ls_host_weight(LLVMTargetDataRef layout, LLVMValueRef inst)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMIsAStoreInst(inst) ? LLVMGetOperand(inst, 0) : inst);
    size_t len;
    const char *name;

    if (LLVMIsAIntrinsicInst(inst)) {
        name = LLVMGetValueName2(LLVMGetCalledValue(inst), &len);
        if (strncmp(name, "llvm.masked.gather.", 19) == 0)
            return LLVMGetVectorSize(type);
        if (strncmp(name, "llvm.masked.scatter.", 20) == 0)
            return LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(inst, 0)));
    }
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind
               ? 1 + (unsigned)(LLVMABISizeOfType(layout, type) - 1) / 64
               : 1;
}

static unsigned
weight_of_block(LLVMTargetDataRef layout, LLVMBasicBlockRef bb)
{
    unsigned n = 0;

    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
        n += ls_host_weight(layout, i);
    return n;
}

/* The kinds in which the module is large. */
unsigned
ls_host_find_large(struct ls_cc *cc)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cc->mod);
    unsigned most[ENDLESS_BLOCK + 1] = {0}, kinds = 0;

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        unsigned n_blocks = LLVMCountBasicBlocks(fn);

        if (n_blocks > most[MANY_BLOCKS])
            most[MANY_BLOCKS] = n_blocks;
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb;
             bb = LLVMGetNextBasicBlock(bb)) {
            unsigned n = weight_of_block(layout, bb);

            if (n > most[BIG_BLOCK])
                most[BIG_BLOCK] = most[LONG_BLOCK] = most[ENDLESS_BLOCK] = n;
        }
    }
    for (size_t i = 0; i < N_LARGE; i++)
        if (ls_cc_is_over(cc, most[LARGE[i].kind], LARGE[i].limit))
            kinds |= LARGE[i].kind;
    return kinds;
}

/* Parts share a frame, in which all that they hand on lies: to schedulers it is one object. */
unsigned
ls_host_large_in_parts(void)
{
    return LONG_BLOCK | ENDLESS_BLOCK;
}

static void
set_switches(unsigned kinds, bool on)
{
    const char *args[N_SWITCHES * N_LARGE + 1] = {"lockstep"};
    int n = 1;

    for (size_t i = 0; i < N_LARGE; i++)
        for (unsigned k = 0; k < N_SWITCHES && kinds & LARGE[i].kind; k++)
            if (LARGE[i].on[k])
                args[n++] = on ? LARGE[i].on[k] : LARGE[i].off[k];
    LLVMParseCommandLineOptions(n, args, "");
}

/* Emits the object. While switches are set no other thread emits. */
static bool
make_object(struct ls_cc *cc, char **why, LLVMMemoryBufferRef *object)
{
    static pthread_rwlock_t switches = PTHREAD_RWLOCK_INITIALIZER;
    unsigned kinds = cc->host.large;
    bool failed;

    if (kinds) {
        pthread_rwlock_wrlock(&switches);
        set_switches(kinds, true);
    } else {
        pthread_rwlock_rdlock(&switches);
    }
    failed = LLVMTargetMachineEmitToMemoryBuffer(cc->host.tm, cc->mod, LLVMObjectFile, why, object);
    if (kinds)
        set_switches(kinds, false);
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
