/* SPDX-License-Identifier: MIT */
/* Whether the pointers of a launch lead to different allocations. Programs launch a kernel with the
 * same arguments again and again, or with a few in turns: the kernel keeps what was found for
 * some. */
#include <string.h>

#include "base/env.h"
#include "runtime/mem/mem.h"
#include "runtime/module/launch.h"

enum {
    MOST_WORDS = 63,
    N_ASKED = sizeof(((struct ls_kept_distinct *)NULL)->asked) / sizeof(uint64_t),
    WHERE = 0,
    CHANGES,
    WORDS,
};

/* The words that devices want to know of, and can be pointers: bits, and one after the other. Words
 * of structures count, too. */
static uint64_t
gather(const struct ls_launch *l, uint64_t *words, unsigned *n)
{
    const struct ls_kernel_source *src = &l->kernel->source;
    uint64_t asked = 0;

    *n = 0;
    for (uint32_t i = 0; i < src->n_args; i++) {
        uint32_t offset = src->args[i].offset, end = offset + src->args[i].size;

        if (offset % 8 != 0)
            continue;
        for (uint32_t at = offset; at + 8 <= end && at / 8 < MOST_WORDS; at += 8) {
            words[*n] = 0;
            if (!l->packed && l->args[i])
                memcpy(&words[*n], (const char *)l->args[i] + (at - offset), 8);
            else if (l->packed && at + 8 <= l->packed_bytes)
                memcpy(&words[*n], (const char *)l->packed + at, 8);
            asked |= (uint64_t)1 << at / 8;
            ++*n;
        }
    }
    return asked;
}

/* Which of a kernel's answers is for these words, if any is. */
static struct ls_kept_distinct *
kept_for(struct ihipModuleSymbol_t *kernel, const uint64_t *words, unsigned n)
{
    uint64_t mixed = 0;

    for (unsigned i = 0; i < n; i++)
        mixed = (mixed ^ words[i]) * 0x9e3779b97f4a7c15u;
    return &kernel->kept_distinct[mixed >> 32 & (LS_KEPT_DISTINCT - 1)];
}

/* False: it is no answer to this, or another thread is writing it. All is read relaxed, and counts
 * if the generation in front of it (acquire) is the one behind it. */
static bool
recall(struct ls_kept_distinct *kept, const uint64_t asked[N_ASKED], uint64_t *bits)
{
    uint32_t generation = atomic_load_explicit(&kept->generation, memory_order_acquire);
    bool same = !(generation & 1);

    for (unsigned i = 0; i < N_ASKED && same; i++)
        same = atomic_load_explicit(&kept->asked[i], memory_order_relaxed) == asked[i];
    *bits = atomic_load_explicit(&kept->bits, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    return same && atomic_load_explicit(&kept->generation, memory_order_relaxed) == generation;
}

static void
keep(struct ls_kept_distinct *kept, const uint64_t asked[N_ASKED], uint64_t bits)
{
    uint32_t generation = atomic_load_explicit(&kept->generation, memory_order_relaxed);

    if (generation & 1 ||
        !atomic_compare_exchange_strong(&kept->generation, &generation, generation + 1))
        return; /* another thread keeps its own */
    atomic_thread_fence(memory_order_release);
    for (unsigned i = 0; i < N_ASKED; i++)
        atomic_store_explicit(&kept->asked[i], asked[i], memory_order_relaxed);
    atomic_store_explicit(&kept->bits, bits, memory_order_relaxed);
    atomic_store_explicit(&kept->generation, generation + 2, memory_order_release);
}

uint64_t
ls_launch_distinct(const struct ls_launch *l)
{
    uint64_t wanted = ~atomic_load_explicit(&l->kernel->source.indistinct, memory_order_relaxed);
    uint64_t asked[N_ASKED] = {0}, words[MOST_WORDS], found, bits = 0;
    struct ls_kept_distinct *kept;
    unsigned n, k = 0;

    if (!wanted)
        return 0;
    asked[WHERE] = gather(l, words, &n);
    if (n < 2)
        return 0;
    asked[CHANGES] = ls_mem_changes();
    kept = n <= N_ASKED - WORDS ? kept_for(l->kernel, words, n) : NULL;
    if (kept) {
        memcpy(asked + WORDS, words, n * sizeof(*words));
        if (recall(kept, asked, &bits))
            return bits & wanted;
        bits = 0;
    }
    found = ls_env_bool(LS_ENV_DISTINCT) ? ls_mem_distinct(words, n) : 0;
    for (unsigned w = 0; w < MOST_WORDS; w++)
        if (asked[WHERE] >> w & 1)
            bits |= (found >> k++ & 1) << w;
    if (kept)
        keep(kept, asked, bits);
    return bits & wanted;
}
