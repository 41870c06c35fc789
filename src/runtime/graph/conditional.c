/* SPDX-License-Identifier: MIT */
/* Handles of conditional nodes: a word that kernels write (hipGraphSetConditional) and the node
 * reads, in memory that both may touch. The handle is its address. */
#include <stdlib.h>

#include "check/check.h"
#include "runtime/core/core.h"
#include "runtime/graph/graph.h"
#include "runtime/mem/mem.h"

static struct ls_cond *conds; /* guarded by the graph lock, as is the rest */

/* A word and who else has none. Their pages stay. */
union word {
    atomic_uint value;
    union word *next;
    char line[64];
};
static union word *free_words;

static atomic_uint *
get_word(void)
{
    union word *w = free_words;

    if (!w) {
        struct ls_device *dev = &ls_gpu_current()->dev;
        void *page;

        if (dev->ops->mem.alloc(dev, LS_MEMORY_PINNED, LS_MEM_PAGE, LS_MEM_PAGE, &page) !=
            hipSuccess)
            return NULL;
        ls_check_allow(page, LS_MEM_PAGE, "conditions of graphs");
        w = page;
        for (size_t i = 0; i < LS_MEM_PAGE / sizeof(*w); i++)
            w[i].next = i + 1 < LS_MEM_PAGE / sizeof(*w) ? &w[i + 1] : NULL;
    }
    free_words = w->next;
    return &w->value;
}

static void
put_word(atomic_uint *value)
{
    union word *w = (union word *)(void *)value;

    w->next = free_words;
    free_words = w;
}

hipError_t
ls_cond_create(struct ihipGraph *g, unsigned initial, unsigned flags, struct ls_cond **out)
{
    struct ls_cond *c = calloc(1, sizeof(*c));
    atomic_uint *value = c ? get_word() : NULL;

    if (!value) {
        free(c);
        return hipErrorOutOfMemory;
    }
    atomic_store(value, 0);
    *c = (struct ls_cond){
        .value = value, .initial = initial, .flags = flags, .n_refs = 1, .graph = g};
    c->next = conds;
    conds = c;
    *out = c;
    return hipSuccess;
}

struct ls_cond *
ls_cond_find(hipGraphConditionalHandle handle)
{
    struct ls_cond *c = conds;

    while (c && (uintptr_t)c->value != handle)
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
    put_word(c->value);
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
