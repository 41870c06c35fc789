/* SPDX-License-Identifier: MIT */
/* NEEDS: ls_news ls_base */
/* C++'s new and delete: objects lie apart, one behind the other, and what is free is used again. */
#include <pthread.h>
#include <sys/resource.h>

#include "compiler/door/news.h"
#include "unit/test.h"

enum { MANY = 20000, ROUNDS = 200, THREADS = 4 };

static unsigned
next(unsigned *seed)
{
    return (*seed = *seed * 1664525 + 1013904223) >> 8;
}

struct object {
    unsigned char *p;
    size_t bytes;
};

/* Whether an object still holds what was written to it. */
static bool
is_whole(const struct object *o, unsigned char mark)
{
    for (size_t i = 0; i < o->bytes; i++)
        if (o->p[i] != mark)
            return false;
    return true;
}

/* Makes and deletes objects at random; true: none lost a byte. */
static bool
shuffle(unsigned seed, unsigned steps)
{
    static __thread struct object all[1024];
    bool ok = true;

    for (unsigned i = 0; i < steps; i++) {
        unsigned at = next(&seed) % 1024;
        struct object *o = &all[at];

        if (o->p) {
            ok = ok && is_whole(o, (unsigned char)at);
            if (i & 1)
                ls_delete(o->p);
            else
                ls_delete_sized(o->p, o->bytes);
        }
        o->bytes = next(&seed) % (next(&seed) % 16 ? 300 : 5000);
        o->p = ls_new(o->bytes);
        ok = ok && (uintptr_t)o->p % 16 == 0;
        memset(o->p, (int)at, o->bytes);
    }
    for (unsigned at = 0; at < 1024; at++) {
        ok = ok && is_whole(&all[at], (unsigned char)at);
        ls_delete(all[at].p);
        all[at].p = NULL;
    }
    return ok;
}

LS_TEST(objects_lie_apart)
{
    ls_delete(NULL);
    EXPECT(shuffle(1, 100000));
}

LS_TEST(one_lies_behind_the_other)
{
    char *last = ls_new(100);
    unsigned n = 0;

    for (unsigned i = 0; i < MANY; i++) {
        char *p = ls_new(100);

        n += p == last + 112;
        last = p;
    }
    EXPECT(n > MANY - MANY / 100);
}

/* Pages of the process: all (0), or those in memory (1). */
static long
pages(unsigned which)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long n[2] = {0, 0};

    EXPECT(f && fscanf(f, "%ld %ld", &n[0], &n[1]) == 2);
    if (f)
        fclose(f);
    return n[which];
}

/* 4 MiB at a time, 800 MiB in all. */
LS_TEST(what_is_free_is_used_again)
{
    static void *all[MANY];
    long before = 0;

    for (unsigned r = 0; r < ROUNDS; r++) {
        for (unsigned i = 0; i < MANY; i++) {
            all[i] = ls_new(200);
            memset(all[i], 1, 200);
        }
        for (unsigned i = 0; i < MANY; i++)
            ls_delete(all[i]);
        if (r == 1)
            before = pages(1);
    }
    EXPECT(pages(1) - before < 512);
    before = pages(1);
    ls_news_drop();
    EXPECT(before - pages(1) > 512);
    EXPECT(shuffle(2, 10000));
}

static void *
run(void *seed)
{
    return shuffle((unsigned)(uintptr_t)seed, 50000) ? seed : NULL;
}

/* What one thread makes another one deletes. */
static void *
drop_all(void *all)
{
    for (void **p = all; *p; p++)
        ls_delete(*p);
    return NULL;
}

LS_TEST(threads_make_and_delete)
{
    static void *all[MANY + 1];
    pthread_t threads[THREADS], other;

    for (unsigned i = 0; i < MANY; i++)
        all[i] = ls_new(i % 256);
    EXPECT_EQ(pthread_create(&other, NULL, drop_all, all), 0);
    for (uintptr_t i = 0; i < THREADS; i++)
        EXPECT_EQ(pthread_create(&threads[i], NULL, run, (void *)(i + 1)), 0);
    pthread_join(other, NULL);
    for (unsigned i = 0; i < THREADS; i++) {
        void *ok;

        pthread_join(threads[i], &ok);
        EXPECT(ok != NULL);
    }
}

/* Where no memory is left for a third region, malloc serves. */
LS_TEST(more_than_all_regions)
{
    enum { N = 141000 };
    static char *all[N];
    struct rlimit limit;
    bool ok = getrlimit(RLIMIT_AS, &limit) == 0;

    limit.rlim_cur = (rlim_t)(pages(0) * 4096 + (80l << 20));
    ok = ok && setrlimit(RLIMIT_AS, &limit) == 0;
    for (unsigned i = 0; ok && i < N; i++) {
        all[i] = ls_new(512);
        all[i][0] = (char)i;
    }
    for (unsigned i = 0; ok && i < N; i++) {
        ok = all[i][0] == (char)i;
        ls_delete_sized(all[i], 512);
    }
    EXPECT(ok);
    EXPECT(shuffle(3, 10000));
}
