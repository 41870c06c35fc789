/* SPDX-License-Identifier: MIT */
/* Reads of memory that nobody has written. Behind the arena of the devices' memory lie as many
 * bytes which say whether a byte was written (arena.c). Shared memory has such bytes in the block's
 * state.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "check/check_priv.h"

#define LS_CHECK_ONES 0x0101010101010101u

/* The byte about an address; NULL: it is not of the arena, or not all of it. */
static char *
shadow_of(const void *at, size_t bytes)
{
    uint64_t offset;

    return ls_checks() & LS_CHECK_INIT && ls_check_arena_offset(at, bytes, &offset)
               ? ls_check_arena_base + LS_CHECK_WRITTEN_AT + offset
               : NULL;
}

/* How much of some ranges was written, from their begins on: of what was written nothing becomes
 * unwritten but by a copy, or as new memory. */
enum { N_FULL = 256 };
static pthread_mutex_t full_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    uint64_t base, bytes, written;
} full[N_FULL]; /* guarded by full_lock: by base */

bool
ls_check_is_all_written(uint64_t base, uint64_t bytes)
{
    const char *s = shadow_of((const void *)(uintptr_t)base, bytes), *hole;
    unsigned i = (base >> 12) * 0x9e3779b97f4a7c15u >> 56;
    bool is_all;

    if (!s)
        return true;
    pthread_mutex_lock(&full_lock);
    if (full[i].base != base || full[i].bytes != bytes) {
        full[i].base = base;
        full[i].bytes = bytes;
        full[i].written = 0;
    }
    hole = memchr(s + full[i].written, 0, bytes - full[i].written);
    full[i].written = hole ? (uint64_t)(hole - s) : bytes;
    is_all = !hole;
    pthread_mutex_unlock(&full_lock);
    return is_all;
}

static void
forget_full(const void *at, size_t bytes)
{
    uint64_t from = (uintptr_t)at;

    pthread_mutex_lock(&full_lock);
    for (unsigned i = 0; i < N_FULL; i++)
        if (from < full[i].base + full[i].bytes && full[i].base < from + bytes)
            full[i].bytes = 0;
    pthread_mutex_unlock(&full_lock);
}

void
ls_check_memory_is_new(const void *base, size_t bytes, bool is_written)
{
    char *s = shadow_of(base, bytes);

    ls_check_lines_clear(base, bytes);
    if (!s)
        return;
    memset(s, is_written, bytes);
    forget_full(base, bytes);
}

void
ls_check_wrote(const void *to, size_t bytes)
{
    char *s = shadow_of(to, bytes);

    if (s)
        memset(s, 1, bytes);
}

/* Bytes that nobody has written go to the host. */
static void
report_copy(const char *from, size_t bytes, const char *shadow, const char *missing)
{
    char notes[LS_CHECK_TEXT + 128], key[32];
    struct ls_check_range range = {.base = 0};
    int n = snprintf(notes, sizeof(notes), "byte %td of the %zu that were copied:\n",
                     missing - shadow, bytes);

    ls_check_explain((uint64_t)(uintptr_t)(from + (missing - shadow)), notes + n);
    ls_check_memory.find((uint64_t)(uintptr_t)from, &range);
    snprintf(key, sizeof(key), "%" PRIx64, range.base);
    ls_check_report(&(struct ls_check_finding){
        .check = "init",
        .kind = "uninitialised-copy",
        .message = "a copy to the host reads memory that nobody has written",
        .notes = notes,
        .key = key,
    });
}

void
ls_check_copied(const void *to, const void *from, size_t bytes)
{
    char *dst = shadow_of(to, bytes), *src = shadow_of(from, bytes), *missing;
    struct ls_check_range range;

    if (dst && ls_check_memory.find((uint64_t)(uintptr_t)to, &range) && range.is_hosts)
        dst = NULL; /* all of it counts as written */
    if (dst && src) {
        memmove(dst, src, bytes);
        forget_full(to, bytes);
    } else if (dst) {
        memset(dst, 1, bytes);
    }
    if (dst || !src || !(missing = memchr(src, 0, bytes)))
        return;
    report_copy(from, bytes, src, missing);
    memset(src, 1, bytes); /* once is enough */
}

/* Looks at a lane's access; the first byte that was not written, or NULL. What is only moved may
 * have padding in it. */
static const char *
look(char *shadow, const struct ls_check_site *site)
{
    char *missing = site->kind == LS_CHECK_STORE ? NULL : memchr(shadow, 0, site->bytes);

    if (missing && site->flags & LS_CHECK_MOVES && memchr(shadow, 1, site->bytes))
        missing = NULL;
    if (site->kind != LS_CHECK_LOAD || missing) /* once is enough */
        memset(shadow, 1, site->bytes);
    return missing;
}

/* Whether all of it was written. */
static bool
is_written(const char *shadow, uint64_t bytes)
{
    uint64_t all = LS_CHECK_ONES, word;
    uint64_t i = 0;

    for (; i + 8 <= bytes; i += 8) {
        memcpy(&word, shadow + i, 8);
        all &= word;
    }
    for (; i < bytes; i++)
        if (!shadow[i])
            return false;
    return all == LS_CHECK_ONES;
}

bool
ls_check_init_row(struct ls_check_block *b, const struct ls_check_site *site, uint64_t first,
                  uint64_t bytes, bool is_shared, bool is_whole)
{
    char *shadow = is_shared ? ls_check_block_bytes(b, first, bytes)
                             : shadow_of((const void *)(uintptr_t)first, bytes);

    if (!shadow || is_written(shadow, bytes))
        return true;
    if (site->kind != LS_CHECK_STORE || !is_whole)
        return false;
    memset(shadow, 1, bytes);
    return true;
}

void
ls_check_init_access(const struct ls_check_warp *warp, struct ls_check_block *block,
                     const struct ls_check_site *site, const uint64_t *places, uint64_t mask)
{
    uint64_t bad = 0, at = 0;

    for (uint64_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint64_t place = places[lane], offset = 0;
        bool is_shared = ls_check_shared_offset(warp, site, place, &offset);
        char *shadow = is_shared ? ls_check_block_bytes(block, offset, site->bytes)
                       : site->space == LS_CHECK_ANYWHERE
                           ? shadow_of((const void *)(uintptr_t)place, site->bytes)
                           : NULL;
        const char *missing = shadow ? look(shadow, site) : NULL;

        if (!missing)
            continue;
        if (!bad)
            at = is_shared ? offset + (uint64_t)(missing - shadow)
                           : place + (uint64_t)(missing - shadow);
        bad |= (uint64_t)1 << lane;
    }
    if (!bad)
        return;
    char message[128], words[64], notes[LS_CHECK_TEXT];

    snprintf(message, sizeof(message), "%s of memory that nobody has written",
             ls_check_words(site, words));
    notes[0] = '\0';
    if (site->space == LS_CHECK_ANYWHERE && !ls_check_shared_offset(warp, site, at, &at)) {
        ls_check_explain(at, notes);
    } else {
        int n = ls_check_say_shared(site, at, notes, sizeof(notes) - 1);

        memcpy(notes + n, "\n", 2);
    }
    ls_check_report_at(warp, site, "init", "uninitialised-read", message, notes, bad);
}

void
ls_check_unset(const struct ls_check_warp *warp, const struct ls_check_site *site,
               const struct ls_check_site *use, const uint64_t *numbers, uint64_t mask)
{
    char message[160], notes[LS_CHECK_TEXT] = "", name[128] = "of the thread";
    uint64_t bad = 0;
    int n;

    for (uint64_t left = mask; left; left &= left - 1)
        bad |= numbers[__builtin_ctzll(left)] ? left & -left : 0;
    if (!bad)
        return;
    if (site->variable)
        ls_check_variable_name((const char *)site + site->variable, name, sizeof(name));
    snprintf(message, sizeof(message), "%u-byte read of a variable that the thread has not written",
             site->bytes);
    n = snprintf(notes, sizeof(notes), "variable %s%s\n", name, use == site ? "" : ", used at");
    if (use != site && use->trace)
        ls_check_say_trace((const char *)use + use->trace, notes + n, sizeof(notes) - (size_t)n);
    ls_check_report_at(warp, site, "init", "uninitialised-variable", message, notes, bad);
}
