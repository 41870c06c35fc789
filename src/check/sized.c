/* SPDX-License-Identifier: MIT */
/* Copies and fills whose length is computed: for each length that is met a site of its own, with
 * its texts, so that for all who look at accesses these are as any others. */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "check/check_priv.h"

enum { N_LISTS = 4096, MOST_SIZED = 100000 };

struct sized {
    struct sized *next;
    const struct ls_check_site *of;
    struct ls_check_site site; /* its texts follow */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sized *lists[N_LISTS]; /* guarded by lock, as the next; kept until the end */
static unsigned n_sized;

static const char *
text_of(const struct ls_check_site *site, int32_t distance)
{
    return distance ? (const char *)site + distance : "";
}

/* Code may have come to where other code was. */
static bool
is_same(const struct sized *s, const struct ls_check_site *of, uint32_t bytes)
{
    return s->of == of && s->site.bytes == bytes && s->site.kind == of->kind &&
           strcmp(text_of(&s->site, s->site.trace), text_of(of, of->trace)) == 0;
}

static struct sized *
make(const struct ls_check_site *of, uint32_t bytes)
{
    const char *variable = text_of(of, of->variable), *trace = text_of(of, of->trace);
    size_t n = strlen(variable) + 1, first = sizeof(struct sized) - offsetof(struct sized, site);
    struct sized *s = n_sized < MOST_SIZED ? malloc(sizeof(*s) + n + strlen(trace) + 1) : NULL;

    if (!s) {
        ls_log(LS_LOG_ERROR, "lscheck: copies of more than %u lengths: some are not looked at",
               n_sized);
        return NULL;
    }
    *s = (struct sized){.of = of, .site = *of};
    s->site.bytes = bytes;
    s->site.flags |= LS_CHECK_SIZED;
    s->site.variable = of->variable ? (int32_t)first : 0;
    s->site.trace = of->trace ? (int32_t)(first + n) : 0;
    memcpy((char *)(s + 1), variable, n);
    strcpy((char *)(s + 1) + n, trace);
    n_sized++;
    return s;
}

const struct ls_check_site *
ls_check_sized(const struct ls_check_site *site, uint64_t bytes)
{
    uint32_t n = bytes < LS_CHECK_MANY ? (uint32_t)bytes : LS_CHECK_MANY - 1;
    struct sized **list = &lists[((uintptr_t)site / 8 + n * 0x9e3779b1u) % N_LISTS], *s;

    pthread_mutex_lock(&lock);
    for (s = *list; s && !is_same(s, site, n);)
        s = s->next;
    if (!s && (s = make(site, n))) {
        s->next = *list;
        *list = s;
    }
    pthread_mutex_unlock(&lock);
    return s ? &s->site : NULL;
}

const struct ls_check_site *
ls_check_unsized(const struct ls_check_site *site)
{
    return site->flags & LS_CHECK_SIZED
               ? ((const struct sized *)(const void *)((const char *)site -
                                                       offsetof(struct sized, site)))
                     ->of
               : site;
}
