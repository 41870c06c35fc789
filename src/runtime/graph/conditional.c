/* SPDX-License-Identifier: MIT */
/* Handles of conditional nodes: a word that kernels write (hipGraphSetConditional) and the node
 * reads. The handle is its address. */
#include <stdlib.h>

#include "runtime/graph/graph.h"

static struct ls_cond *conds; /* guarded by the graph lock */

hipError_t
ls_cond_create(struct ihipGraph *g, unsigned initial, unsigned flags, struct ls_cond **out)
{
    struct ls_cond *c = aligned_alloc(64, (sizeof(*c) + 63) / 64 * 64);

    if (!c)
        return hipErrorOutOfMemory;
    *c = (struct ls_cond){.initial = initial, .flags = flags, .n_refs = 1, .graph = g};
    c->next = conds;
    conds = c;
    *out = c;
    return hipSuccess;
}

struct ls_cond *
ls_cond_find(hipGraphConditionalHandle handle)
{
    struct ls_cond *c = conds;

    while (c && (uintptr_t)c != handle)
        c = c->next;
    return c;
}

struct ls_cond *
ls_cond_ref(struct ls_cond *c)
{
    c->n_refs++;
    return c;
}

void
ls_cond_unref(struct ls_cond *c)
{
    struct ls_cond **at = &conds;

    if (!c || --c->n_refs > 0)
        return;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    free(c);
}

void
ls_cond_forget(const struct ihipGraph *g)
{
    struct ls_cond *next;

    for (struct ls_cond *c = conds; c; c = next) {
        next = c->next;
        if (c->graph != g)
            continue;
        c->graph = NULL;
        ls_cond_unref(c);
    }
}
