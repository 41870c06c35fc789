/* SPDX-License-Identifier: MIT */
/* Reads of memory that nobody has written. Memory of the devices lies in one range of addresses,
 * the arena, behind which lies as much again: the byte there says whether the byte was written.
 * Shared memory has such bytes in the block's state. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "check/check_priv.h"

#define ARENA_BYTES ((uint64_t)1 << 40)

static char *arena; /* set once, before memory is given out; NULL: nothing is looked at */

void *
ls_check_arena(size_t *bytes)
{
    void *p;

    if (!(ls_checks() & LS_CHECK_INIT))
        return NULL;
    p = mmap(NULL, 2 * ARENA_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED ||
        mmap((char *)p + ARENA_BYTES, ARENA_BYTES, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
        ls_log(LS_LOG_ERROR, "LOCKSTEP_CHECK=init: the system has no room for 2 TiB of addresses");
        return NULL;
    }
    arena = p;
    *bytes = ARENA_BYTES;
    return p;
}

/* The byte about an address; NULL: it is not of the arena, or not all of it. */
static char *
shadow_of(const void *at, size_t bytes)
{
    uint64_t offset = (uint64_t)((uintptr_t)at - (uintptr_t)arena);

    return arena && offset < ARENA_BYTES && bytes <= ARENA_BYTES - offset
               ? arena + ARENA_BYTES + offset
               : NULL;
}

void
ls_check_memory_is_new(const void *base, size_t bytes, bool is_written)
{
    char *s = shadow_of(base, bytes);

    if (s)
        memset(s, is_written, bytes);
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
    if (dst && src)
        memmove(dst, src, bytes);
    else if (dst)
        memset(dst, 1, bytes);
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

void
ls_check_init_access(const struct ls_check_warp *warp, struct ls_check_block *block,
                     const struct ls_check_site *site, const uint64_t *places, uint64_t mask)
{
    uint64_t bad = 0, at = 0;

    for (uint64_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint64_t place = places[lane], offset;
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
    char message[128], words[64], notes[LS_CHECK_TEXT], name[128] = "shared memory";

    snprintf(message, sizeof(message), "%s of memory that nobody has written",
             ls_check_words(site, words));
    notes[0] = '\0';
    if (site->space == LS_CHECK_ANYWHERE && !ls_check_shared_offset(warp, site, at, &at)) {
        ls_check_explain(at, notes);
    } else {
        if (site->variable)
            ls_check_variable_name((const char *)site + site->variable, name, sizeof(name));
        snprintf(notes, sizeof(notes), "byte %" PRIu64 " of %s\n",
                 at - (site->room ? site->from : 0), name);
    }
    ls_check_report_at(warp, site, "init", "uninitialised-read", message, notes, bad);
}
