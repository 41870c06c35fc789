/* SPDX-License-Identifier: MIT */
/* Memory of the devices lies in one range of addresses, the arena, so that what is known of a place
 * lies at a fixed distance: a byte for each that says whether it was written, as many bytes again
 * for who touched it last. */
#include <sys/mman.h>

#include "base/log.h"
#include "check/check_priv.h"

char *ls_check_arena_base;

enum { MORE = 4096 }; /* for the skew */
_Static_assert(2 * LS_CHECK_SKEW <= MORE, "both parts fit");

static bool
map_about(char *arena, unsigned part)
{
    return mmap(arena + part * LS_CHECK_ARENA_BYTES, LS_CHECK_ARENA_BYTES + MORE,
                PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

void *
ls_check_arena(size_t *bytes)
{
    unsigned on = ls_checks();
    char *p;

    if (!(on & (LS_CHECK_INIT | LS_CHECK_RACE)))
        return NULL;
    p = mmap(NULL, LS_CHECK_PARTS * LS_CHECK_ARENA_BYTES + MORE, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED || (on & LS_CHECK_INIT && !map_about(p, LS_CHECK_WRITTEN)) ||
        (on & LS_CHECK_RACE && !map_about(p, LS_CHECK_TOUCHED))) {
        ls_log(LS_LOG_ERROR, "LOCKSTEP_CHECK: the system has no room for %u TiB of addresses",
               LS_CHECK_PARTS);
        return NULL;
    }
    ls_check_arena_base = p;
    *bytes = LS_CHECK_ARENA_BYTES;
    return p;
}

uint64_t
ls_check_arena_at(void)
{
    return (uintptr_t)ls_check_arena_base;
}
