/* SPDX-License-Identifier: MIT */
/* Who launches kernels of a module one after the other, and has waited for two, will wait for more:
 * those that follow in the module are compiled ahead, for the same block shape, by children on
 * other cores. What they make goes to the cache, where the launch finds it.
 *
 * It is a bet. After one that was lost the next is made only when others were won: no more than
 * 1 + 2 * won are made. The first kernels of a module are never kept waiting by it, and a module of
 * which just a few are used costs one that was for nothing. */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/lsbc.h"
#include "compiler/door.h"
#include "device/cpu/cpu_priv.h"

#define MAX_STEPS 32  /* so many kernels are looked at for one that has no code */
#define MAX_MADE  128 /* so many kernels are remembered that nobody has launched yet */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* only tried: see ahead.c of the door */
static struct {
    uint8_t sha256[32]; /* of the module */
    uint32_t block[3];
    unsigned n; /* kernels in a row */
} run;
static unsigned n_bets, n_won;
static struct ls_cache_key made[MAX_MADE]; /* in the cache, or refused: not launched yet */
static unsigned next_made;

void
ls_cpu_ahead_note(const struct ls_kernel_source *src, const struct ls_compile_options *opt)
{
    if (pthread_mutex_trylock(&lock) != 0)
        return;
    if (memcmp(run.sha256, src->bitcode_sha256, 32) != 0 ||
        memcmp(run.block, opt->block, sizeof(run.block)) != 0) {
        memcpy(run.sha256, src->bitcode_sha256, 32);
        memcpy(run.block, opt->block, sizeof(run.block));
        run.n = 0;
    }
    run.n++;
    pthread_mutex_unlock(&lock);
}

static struct ls_cache_key *
find_made(const struct ls_cache_key *key)
{
    for (unsigned i = 0; i < MAX_MADE; i++)
        if (memcmp(&made[i], key, sizeof(*key)) == 0)
            return &made[i];
    return NULL;
}

/* What children have finished goes to the cache. */
static void
collect(void)
{
    char path[PATH_MAX];
    struct ls_cache_key key;
    size_t bytes;
    void *elf;

    while (ls_door_ahead_next(key.digest, &elf, &bytes)) {
        if (elf && !ls_cache_store(&key, elf, bytes, path, sizeof(path)))
            n_bets = UINT32_MAX; /* there is no cache: no more bets */
        free(elf);
        made[next_made++ % MAX_MADE] = key;
    }
}

/* Whether there is code of its own for a shape, or there could be none. */
static bool
has_code(struct ls_kernel_source *src, const uint32_t block[3])
{
    const struct ls_code *c = atomic_load_explicit(
        &ls_cpu_source_of(src)->codes, memory_order_acquire); /* with code.c's publish */

    while (c && memcmp(c->block, block, sizeof(c->block)) != 0)
        c = c->next;
    return c || (uint64_t)block[0] * block[1] * block[2] > src->max_threads;
}

/* What will be known of its arguments, if all that are as long as pointers are some, each into an
 * allocation of its own. */
static uint64_t
guess_distinct(const struct ls_kernel_source *src)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < src->n_args; i++)
        if (src->args[i].size == 8 && src->args[i].offset % 8 == 0 &&
            src->args[i].offset / 8 < LS_CPU_REACH_UNKNOWN)
            bits |= (uint64_t)1 << src->args[i].offset / 8;
    return bits & ~atomic_load_explicit(&src->indistinct, memory_order_relaxed);
}

static bool
bet(struct ls_kernel_source *src, struct ls_compile_options opt)
{
    struct ls_cache_key key;
    char path[PATH_MAX];

    opt.kernel = src->name;
    opt.distinct = opt.distinct ? guess_distinct(src) : 0;
    if (has_code(src, opt.block))
        return true;
    ls_cpu_code_key(src, &opt, &key);
    if (find_made(&key) || ls_door_ahead_has(key.digest) || ls_cache_find(&key, path, sizeof(path)))
        return true;
    if (!ls_door_ahead(ls_cpu_count_cpus(0), src->bitcode, src->bitcode_bytes, src->bitcode_sha256,
                       &opt, key.digest))
        return false;
    n_bets++;
    ls_log(LS_LOG_TRACE, "kernel %s, blocks of (%u,%u,%u): compiled ahead", src->display_name,
           opt.block[0], opt.block[1], opt.block[2]);
    return true;
}

void
ls_cpu_ahead_go(struct ls_kernel_source *src, const struct ls_compile_options *opt)
{
    struct ls_kernel_source *next = src->next;

    if (opt->checks || src->aot || !next || ls_cpu_count_cpus(0) < 2 ||
        pthread_mutex_trylock(&lock) != 0)
        return;
    collect();
    if (run.n >= 2 && memcmp(run.sha256, src->bitcode_sha256, 32) == 0)
        for (int i = 0; i < MAX_STEPS && next != src && n_bets < 1 + 2 * n_won; i++) {
            if (!bet(next, *opt))
                break;
            next = next->next;
        }
    pthread_mutex_unlock(&lock);
}

bool
ls_cpu_ahead_take(const struct ls_cache_key *key, void **elf, size_t *bytes)
{
    bool ok = ls_door_ahead_take(key->digest, elf, bytes);

    if (ok && pthread_mutex_trylock(&lock) == 0) {
        n_won++;
        pthread_mutex_unlock(&lock);
    }
    return ok;
}

bool
ls_cpu_ahead_was(const struct ls_cache_key *key)
{
    struct ls_cache_key *found;

    if (pthread_mutex_trylock(&lock) != 0)
        return false;
    found = find_made(key);
    if (found) {
        memset(found, 0, sizeof(*found));
        n_won++;
    }
    pthread_mutex_unlock(&lock);
    return found != NULL;
}
