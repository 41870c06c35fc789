/* SPDX-License-Identifier: MIT */
/* User objects: the application's things that live as long as graphs need them. */
#include <stdlib.h>
#include <string.h>

#include "runtime/core/slab.h"
#include "runtime/graph/graph.h"

struct hipUserObject {
    uint32_t magic;
    struct hipUserObject *next; /* free */
    struct ls_dead dead;        /* without a reference */
    void *ptr;
    hipHostFn_t destroy;
    unsigned n_refs; /* guarded by the graph lock */
    uint64_t serial;
};

static struct ls_slab objects = {.item_bytes = sizeof(struct hipUserObject),
                                 .link_offset = offsetof(struct hipUserObject, next)};
static uint64_t next_serial;       /* guarded by the graph lock */

hipError_t
ls_user_create(void *ptr, hipHostFn_t destroy, unsigned count, struct hipUserObject **out)
{
    struct hipUserObject *o = ls_slab_get(&objects);

    if (!o)
        return hipErrorOutOfMemory;
    o->magic = LS_USER_MAGIC;
    o->ptr = ptr;
    o->destroy = destroy;
    o->n_refs = count;
    o->serial = ++next_serial;
    *out = o;
    return hipSuccess;
}

bool
ls_user_is_valid(const struct hipUserObject *o)
{
    return o && ls_slab_holds(&objects, o) && o->magic == LS_USER_MAGIC;
}

bool
ls_user_is_known(const struct hipUserObject *o)
{
    return o && ls_slab_holds(&objects, o);
}

bool
ls_user_is_held(const struct ls_user_ref *ref)
{
    return ls_user_is_valid(ref->object) && ref->object->serial == ref->serial;
}

unsigned
ls_user_count(const struct hipUserObject *o)
{
    return o->n_refs;
}

void
ls_user_retain(struct hipUserObject *o, unsigned count)
{
    o->n_refs += count;
}

static void
end(struct ls_dead *dead)
{
    const size_t at = offsetof(struct hipUserObject, dead);
    struct hipUserObject *o = (struct hipUserObject *)(void *)((char *)dead - at);

    o->destroy(o->ptr);
    ls_graph_lock();
    ls_slab_put(&objects, o);
    ls_graph_unlock();
}

void
ls_user_release(struct hipUserObject *o, unsigned count)
{
    o->n_refs -= count < o->n_refs ? count : o->n_refs;
    if (o->n_refs)
        return;
    o->magic = 0;
    o->dead.end = end;
    ls_graph_end_unlocked(&o->dead);
}

static struct ls_user_ref *
ref_of(struct ihipGraph *g, const struct hipUserObject *o)
{
    for (uint32_t i = 0; i < g->n_users; i++)
        if (g->users[i].object == o && g->users[i].serial == o->serial)
            return &g->users[i];
    return NULL;
}

hipError_t
ls_graph_retain_user(struct ihipGraph *g, struct hipUserObject *o, unsigned count, bool move)
{
    struct ls_user_ref *ref = ref_of(g, o);

    if (!ref) {
        struct ls_user_ref *users = realloc(g->users, (g->n_users + 1) * sizeof(*users));

        if (!users)
            return hipErrorOutOfMemory;
        g->users = users;
        ref = &users[g->n_users++];
        *ref = (struct ls_user_ref){o, o->serial, 0};
    }
    ref->count += count;
    if (!move)
        ls_user_retain(o, count);
    return hipSuccess;
}

void
ls_graph_release_user(struct ihipGraph *g, struct hipUserObject *o, unsigned count)
{
    struct ls_user_ref *ref = ref_of(g, o);

    if (!ref)
        return;
    if (count > ref->count)
        count = ref->count;
    ref->count -= count;
    if (ref->count == 0)
        *ref = g->users[--g->n_users];
    ls_user_release(o, count);
}

hipError_t
ls_graph_copy_users(const struct ihipGraph *from, struct ihipGraph *to)
{
    for (uint32_t i = 0; i < from->n_users; i++) {
        hipError_t err = hipSuccess;

        if (ls_user_is_held(&from->users[i]))
            err = ls_graph_retain_user(to, from->users[i].object, 1, false);
        if (err != hipSuccess)
            return err;
    }
    return hipSuccess;
}

void
ls_graph_release_users(struct ihipGraph *g)
{
    for (uint32_t i = 0; i < g->n_users; i++)
        if (ls_user_is_held(&g->users[i]))
            ls_user_release(g->users[i].object, g->users[i].count);
    free(g->users);
    g->users = NULL;
    g->n_users = 0;
}
