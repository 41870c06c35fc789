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

/* The sanitizers ask for memory before they are ready. */
#define FAIL_PLAIN  __attribute__((no_sanitize("address"), no_sanitize("thread"), noinline))
#define FAIL_EXPORT FAIL_PLAIN __attribute__((visibility("default")))

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

FAIL_PLAIN static bool
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

/* The heap of the C library, or of the sanitizer that stands in front of it. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FAIL_HEAP(name)    __interceptor_##name
#define FAIL_HEAP_ALIGNED  __interceptor_aligned_alloc
#else
#define FAIL_HEAP(name)    __libc_##name
#define FAIL_HEAP_ALIGNED  __libc_memalign
#endif
void *FAIL_HEAP(malloc)(size_t bytes);
void *FAIL_HEAP(calloc)(size_t n, size_t bytes);
void *FAIL_HEAP(realloc)(void *old, size_t bytes);
void FAIL_HEAP(free)(void *p);
void *FAIL_HEAP_ALIGNED(size_t align, size_t bytes);

#define FAIL_HERE(what) fail_now(__builtin_return_address(0), what)

FAIL_EXPORT void *
malloc(size_t bytes)
{
    return FAIL_HERE("malloc") ? NULL : FAIL_HEAP(malloc)(bytes);
}

FAIL_EXPORT void *
calloc(size_t n, size_t bytes)
{
    return FAIL_HERE("calloc") ? NULL : FAIL_HEAP(calloc)(n, bytes);
}

FAIL_EXPORT void *
realloc(void *old, size_t bytes)
{
    return FAIL_HERE("realloc") ? NULL : FAIL_HEAP(realloc)(old, bytes);
}

FAIL_EXPORT void *
aligned_alloc(size_t align, size_t bytes)
{
    return FAIL_HERE("aligned_alloc") ? NULL : FAIL_HEAP_ALIGNED(align, bytes);
}

FAIL_EXPORT void
free(void *p)
{
    FAIL_HEAP(free)(p);
}

FAIL_EXPORT char *
strdup(const char *s)
{
    char *copy = FAIL_HERE("strdup") ? NULL : FAIL_HEAP(malloc)(strlen(s) + 1);

    return copy ? strcpy(copy, s) : NULL;
}

/* `real_`: the function of that name behind this program's. */
#define FAIL_REAL(name)                                                                            \
    static _Atomic(void *) slot_;                                                                  \
    __typeof__(&name) real_;                                                                       \
    void *found_ = atomic_load(&slot_);                                                            \
    if (!found_)                                                                                   \
        atomic_store(&slot_, found_ = dlsym(RTLD_NEXT, #name));                                    \
    memcpy(&real_, &found_, sizeof(real_))

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
