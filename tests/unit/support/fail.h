/* SPDX-License-Identifier: MIT */
/* Makes the nth thing that the runtime asks of the system fail: memory, a mapping, a memory file, a
 * thread, a stream of a file. The program's own definitions stand in front of the C library's; what
 * others than libamdhip64 ask for passes. Include once. */
#ifndef LS_TESTS_FAIL_H
#define LS_TESTS_FAIL_H

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>

#define FAIL_EXPORT __attribute__((visibility("default"), noinline))

static uintptr_t fail_lo, fail_hi; /* where libamdhip64's code lies */
static atomic_ulong fail_count, fail_at;
static atomic_bool fail_from; /* not only the nth, but all from there on */
static atomic_bool fail_talk; /* says what fails */

/* From now on the nth fails; 0 = none. */
static void
fail_arm(unsigned long n, bool all)
{
    atomic_store(&fail_at, 0);
    atomic_store(&fail_count, 0);
    atomic_store(&fail_from, all);
    atomic_store(&fail_at, n);
}

/* True when the nth was reached. */
static bool
fail_disarm(void)
{
    unsigned long at = atomic_exchange(&fail_at, 0);

    return atomic_load(&fail_count) >= at;
}

static bool
fail_now(const void *caller, const char *what)
{
    unsigned long at = atomic_load(&fail_at), n;

    if (at == 0 || (uintptr_t)caller < fail_lo || (uintptr_t)caller >= fail_hi)
        return false;
    n = atomic_fetch_add(&fail_count, 1) + 1;
    if (n != at && !(n > at && atomic_load(&fail_from)))
        return false;
    if (atomic_load(&fail_talk))
        fprintf(stderr, "call %lu, %s at libamdhip64+0x%lx, fails\n", n, what,
                (unsigned long)((uintptr_t)caller - fail_lo));
    errno = ENOMEM;
    return true;
}

static int
fail_find(struct dl_phdr_info *info, size_t bytes, void *data)
{
    (void)bytes, (void)data;
    if (!strstr(info->dlpi_name, "libamdhip64.so"))
        return 0;
    fail_lo = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;

        if (info->dlpi_phdr[i].p_type == PT_LOAD && end > fail_hi)
            fail_hi = end;
    }
    return 1;
}

__attribute__((constructor)) static void
fail_start(void)
{
    dl_iterate_phdr(fail_find, NULL);
}

/* What dlsym itself asks for before the C library's functions are known. */
static _Alignas(64) char fail_early[65536];
static atomic_size_t fail_early_used;
static _Thread_local bool fail_looking;

static void *
fail_early_get(size_t bytes)
{
    size_t at = atomic_fetch_add(&fail_early_used, (bytes + 63) / 64 * 64);

    return at + bytes <= sizeof(fail_early) ? fail_early + at : NULL;
}

static void *
fail_next(_Atomic(void *) *slot, const char *name)
{
    void *fn = atomic_load_explicit(slot, memory_order_acquire);

    if (!fn && !fail_looking) {
        fail_looking = true;
        fn = dlsym(RTLD_NEXT, name);
        fail_looking = false;
        atomic_store_explicit(slot, fn, memory_order_release);
    }
    return fn;
}

#define FAIL_REAL(name)                                                                            \
    static _Atomic(void *) slot_;                                                                  \
    __typeof__(&name) real_;                                                                       \
    void *found_ = fail_next(&slot_, #name);                                                       \
    memcpy(&real_, &found_, sizeof(real_))
#define FAIL_HERE(what) fail_now(__builtin_return_address(0), what)

FAIL_EXPORT void *
malloc(size_t bytes)
{
    FAIL_REAL(malloc);
    if (FAIL_HERE("malloc"))
        return NULL;
    return real_ ? real_(bytes) : fail_early_get(bytes);
}

FAIL_EXPORT void *
calloc(size_t n, size_t bytes)
{
    FAIL_REAL(calloc);
    if (FAIL_HERE("calloc"))
        return NULL;
    return real_ ? real_(n, bytes) : fail_early_get(n * bytes);
}

FAIL_EXPORT void *
realloc(void *old, size_t bytes)
{
    FAIL_REAL(realloc);
    if (FAIL_HERE("realloc"))
        return NULL;
    return real_ ? real_(old, bytes) : NULL;
}

FAIL_EXPORT void *
aligned_alloc(size_t align, size_t bytes)
{
    FAIL_REAL(aligned_alloc);
    return FAIL_HERE("aligned_alloc") ? NULL : real_(align, bytes);
}

FAIL_EXPORT void
free(void *p)
{
    FAIL_REAL(free);
    if ((char *)p < fail_early || (char *)p >= fail_early + sizeof(fail_early))
        real_(p);
}

FAIL_EXPORT char *
strdup(const char *s)
{
    FAIL_REAL(strdup);
    return FAIL_HERE("strdup") ? NULL : real_(s);
}

FAIL_EXPORT void *
mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t offset)
{
    FAIL_REAL(mmap);
    return FAIL_HERE("mmap") ? MAP_FAILED : real_(at, bytes, prot, flags, fd, offset);
}

FAIL_EXPORT int
memfd_create(const char *name, unsigned flags)
{
    FAIL_REAL(memfd_create);
    return FAIL_HERE("memfd_create") ? -1 : real_(name, flags);
}

FAIL_EXPORT FILE *
fopen(const char *path, const char *mode)
{
    FAIL_REAL(fopen);
    return FAIL_HERE("fopen") ? NULL : real_(path, mode);
}

FAIL_EXPORT DIR *
opendir(const char *path)
{
    FAIL_REAL(opendir);
    return FAIL_HERE("opendir") ? NULL : real_(path);
}

FAIL_EXPORT int
pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
    FAIL_REAL(pthread_create);
    return FAIL_HERE("pthread_create") ? EAGAIN : real_(thread, attr, fn, arg);
}

#endif
