/* SPDX-License-Identifier: MIT */
/* What the fuzzers of hostile bytes share: a generator of random numbers, damage, and a driver. One
 * try is made of its number alone; tries run in a process of their own, whose death is a failure
 * that names the number and does not end the run. */
#ifndef LS_TESTS_FUZZ_MUTATE_H
#define LS_TESTS_FUZZ_MUTATE_H

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FUZZ_PATIENCE 600 /* seconds */

struct fuzz_random {
    uint64_t state;
};

/* splitmix64 */
static inline uint64_t
fuzz_next(struct fuzz_random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* 0 ... n - 1 */
static inline size_t
fuzz_below(struct fuzz_random *r, size_t n)
{
    return n ? (size_t)(fuzz_next(r) % n) : 0;
}

/* Damages data[0 ... *n) somehow; never makes it longer. */
static inline void
fuzz_damage(struct fuzz_random *r, char *data, size_t *n)
{
    static const uint64_t words[] = {0,          1,          ~0ull, 0x7fffffff, 0xffffffff,
                                     1ull << 40, 1ull << 63, 4096,  0x80000000};
    size_t times = 1 + fuzz_below(r, 4), at, from, bytes;
    uint64_t word;

    if (!*n)
        return;
    switch (fuzz_below(r, 6)) {
    case 0:
    case 1:
        while (times--)
            data[fuzz_below(r, *n)] ^= (char)(1 << fuzz_below(r, 8));
        break;
    case 2:
        while (times--)
            data[fuzz_below(r, *n)] = (char)fuzz_next(r);
        break;
    case 3:
        word = words[fuzz_below(r, sizeof(words) / sizeof(*words))];
        bytes = fuzz_below(r, 2) ? 4 : 8;
        if (*n >= 8)
            memcpy(data + fuzz_below(r, *n - 7) / 4 * 4, &word, bytes);
        break;
    case 4:
        bytes = 1 + fuzz_below(r, *n < 256 ? *n : 256);
        at = fuzz_below(r, *n - bytes + 1);
        from = fuzz_below(r, *n - bytes + 1);
        memmove(data + at, data + from, bytes);
        break;
    default:
        *n = fuzz_below(r, *n);
        break;
    }
}

/* Parts of a seed that stands for what a file may hold, in any order and cut anywhere; damaged. */
static inline size_t
fuzz_compose(struct fuzz_random *r, const char *seed, size_t seed_bytes, char *text, size_t cap)
{
    size_t n = 0, parts = 1 + fuzz_below(r, 8);

    while (parts--) {
        size_t from = fuzz_below(r, seed_bytes);
        size_t bytes = fuzz_below(r, seed_bytes - from);

        if (fuzz_below(r, 3) == 0)
            from = 0, bytes = seed_bytes;
        if (bytes > cap - n)
            bytes = cap - n;
        memcpy(text + n, seed + from, bytes);
        n += bytes;
    }
    for (size_t times = fuzz_below(r, 4); times; times--)
        fuzz_damage(r, text, &n);
    return n;
}

struct fuzzer {
    const char *name;
    void (*begin)(void);            /* once in each process that tries */
    bool (*one)(uint64_t seed);     /* false: failed, and said why */
};

/* Shared with the process that tries. */
struct fuzz_progress {
    atomic_ulong seed, passed, failed;
    atomic_bool at_work;
};

static inline double
fuzz_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline _Noreturn void
fuzz_work(const struct fuzzer *f, struct fuzz_progress *p, double end, uint64_t count)
{
    if (!getenv("LS_FUZZ_VERBOSE") &&
        !freopen("/dev/null", "w", stderr)) /* errors are what is expected */
        exit(2);
    f->begin();
    for (; count && fuzz_now() < end; count--) {
        uint64_t seed = atomic_load(&p->seed);

        atomic_store(&p->at_work, true);
        alarm(FUZZ_PATIENCE); /* waiting for ever is dying, too */
        if (f->one(seed)) {
            atomic_fetch_add(&p->passed, 1);
        } else {
            printf("%s: seed %llu failed\n", f->name, (unsigned long long)seed);
            atomic_fetch_add(&p->failed, 1);
        }
        atomic_store(&p->at_work, false);
        atomic_store(&p->seed, seed + 1);
    }
    exit(0);
}

/* --seed N (1), --seconds N (2) or --count N tries. Prints "NAME: N tries, N failed"; the exit code
 * is 1 if any failed. LS_FUZZ_VERBOSE=1 lets what the library and sanitizers say through. */
static inline int
fuzz_main(int argc, char **argv, const struct fuzzer *f)
{
    struct fuzz_progress *p =
        mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint64_t first = 1, count = UINT64_MAX;
    double seconds = 2, end;

    if (p == MAP_FAILED)
        return 2;
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--seed"))
            first = strtoull(argv[i + 1], NULL, 0);
        else if (!strcmp(argv[i], "--seconds"))
            seconds = strtod(argv[i + 1], NULL);
        else if (!strcmp(argv[i], "--count"))
            count = strtoull(argv[i + 1], NULL, 0), seconds = 1e9;
    }
    atomic_store(&p->seed, first);
    end = fuzz_now() + seconds;
    do {
        uint64_t at = atomic_load(&p->seed);
        int status = 0;
        pid_t pid = fork();

        if (pid == 0)
            fuzz_work(f, p, end, count - (at - first));
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        if (status == 0)
            break;
        at = atomic_load(&p->seed);
        printf("%s: seed %llu: the process died, status 0x%x%s\n", f->name, (unsigned long long)at,
               status, atomic_load(&p->at_work) ? "" : " between tries");
        atomic_fetch_add(&p->failed, 1);
        atomic_store(&p->at_work, false);
        atomic_store(&p->seed, at + 1);
    } while (fuzz_now() < end && atomic_load(&p->seed) - first < count);
    /* Not as tests close: how many tries there were would be different each time. */
    printf("%s: %lu tries, %lu failed\n", f->name,
           atomic_load(&p->passed) + atomic_load(&p->failed), atomic_load(&p->failed));
    return atomic_load(&p->failed) ? 1 : 0;
}

#endif
