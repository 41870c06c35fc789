/* SPDX-License-Identifier: MIT */
/* Stands in for the lowering library in tests: "compiles" kernel K by reading k_K.so, for NVIDIA's
 * hardware k_K.ptx, and counts. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/compiler.h"

static volatile size_t sum;

static size_t
recurse(size_t n)
{
    volatile char room[4096];

    room[n % sizeof(room)] = (char)n;
    return n == sum - 1 ? 0 : recurse(n + 1) + (size_t)room[n % 7];
}

/* Dies as often as the file LS_TEST_DEATHS has bytes, the last one first, of the signals that they
 * are. */
static void
die_as_told(void)
{
    const char *path = getenv("LS_TEST_DEATHS");
    int fd = path ? open(path, O_RDWR) : -1;
    off_t n = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    unsigned char sig;

    if (n > 0 && pread(fd, &sig, 1, n - 1) == 1 && ftruncate(fd, n - 1) == 0)
        raise(sig);
    if (fd >= 0)
        close(fd);
}

/* What hostile bitcode can make of a compiler, and questions about the process that it works in. */
static bool
misbehave(const struct ls_compile_options *opt)
{
    char text[256];
    int sig;

    if (sscanf(opt->kernel, "signal_%d", &sig) == 1)
        raise(sig);
    else if (!strcmp(opt->kernel, "wild"))
        *(volatile char *)(uintptr_t)(sum + 8) = 1;
    else if (!strcmp(opt->kernel, "exit"))
        _exit(0);
    else if (!strcmp(opt->kernel, "quit"))
        exit(1);
    else if (!strcmp(opt->kernel, "spin"))
        for (;;)
            sum++;
    else if (!strcmp(opt->kernel, "eat"))
        for (char *p; (p = malloc(1 << 20)) != NULL || (abort(), 0);)
            memset(p, 1, 1 << 20);
    else if (!strcmp(opt->kernel, "recurse"))
        sum = 0, sum = recurse(0);
    else if (!strcmp(opt->kernel, "deep"))
        snprintf(text, sizeof(text), "%d", recurse((sum = 4097) - 4096) != 0);
    else if (!strcmp(opt->kernel, "pid"))
        snprintf(text, sizeof(text), "%ld", (long)getpid());
    else if (!strncmp(opt->kernel, "env_", 4))
        snprintf(text, sizeof(text), "%s",
                 getenv(opt->kernel + 4) ? getenv(opt->kernel + 4) : "unset");
    else if (!strcmp(opt->kernel, "print"))
        snprintf(text, sizeof(text), "%d", fprintf(stderr, "printed first\n"));
    else if (!strcmp(opt->kernel, "files"))
        snprintf(text, sizeof(text), "%d,%d", fcntl(3, F_GETFD), fcntl(4, F_GETFD));
    else
        return false;
    opt->sink(opt->sink_user, LS_DIAG_WARNING, text);
    if (!strcmp(opt->kernel, "print"))
        fprintf(stderr, "printed last\n");
    opt->sink(opt->sink_user, LS_DIAG_ERROR, "asked");
    return true;
}

/* Writes a byte to the file LS_TEST_MEET and waits for that of another compiler. */
static bool
meet_as_told(void)
{
    const char *path = getenv("LS_TEST_MEET");
    int fd = path ? open(path, O_RDWR | O_APPEND) : -1;
    bool met = fd < 0 || write(fd, "x", 1) == 1;

    for (int ms = 0; fd >= 0 && met && lseek(fd, 0, SEEK_END) < 2; ms += 5) {
        usleep(5000);
        met = ms < 20000;
    }
    if (fd >= 0)
        close(fd);
    return met;
}

__attribute__((visibility("default"))) bool
ls_compile_kernel(const void *bitcode, size_t bitcode_bytes, const struct ls_compile_options *opt,
                  void **elf, size_t *elf_bytes)
{
    const char *dir = getenv("LS_TEST_KERNELS"), *log = getenv("LS_TEST_COMPILE_LOG");
    char path[4096];
    FILE *in, *out;
    size_t most = 1 << 20;

    die_as_told();
    if (!meet_as_told()) {
        opt->sink(opt->sink_user, LS_DIAG_ERROR, "no other compiler came");
        return false;
    }
    if (bitcode_bytes == 4 && !memcmp(bitcode, "test", 4) && misbehave(opt))
        return false;
    if (log && (out = fopen(log, "a")) != NULL) {
        fputs("x", out);
        fclose(out);
    }
    snprintf(path, sizeof(path), "%s/k_%s.%s", dir ? dir : ".", opt->kernel,
             opt->isa && strncmp(opt->isa, "sm_", 3) == 0 ? "ptx" : "so");
    in = fopen(path, "rb");
    if (!in || bitcode_bytes == 0 || !bitcode) {
        opt->sink(opt->sink_user, LS_DIAG_ERROR, "a.hip:7: inline assembly: not supported");
        if (in)
            fclose(in);
        return false;
    }
    *elf = malloc(most);
    *elf_bytes = *elf ? fread(*elf, 1, most, in) : 0;
    fclose(in);
    return *elf_bytes != 0;
}
