/* SPDX-License-Identifier: MIT */
/* All handles that are alive. */
#include "runtime/core/ptrtable.h"
#include "runtime/texture/texture.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ls_ptrtable table;  /* written under lock */
static struct ls_handle *handles; /* guarded by lock */

hipError_t
ls_handle_add(struct ls_handle *h, enum ls_handle_kind kind, const void *key)
{
    bool ok;

    h->kind = kind;
    h->key = key;
    h->device = ls_gpu_current()->dev.index;
    pthread_mutex_lock(&lock);
    ok = ls_ptrtable_set(&table, key, h);
    if (ok) {
        h->prev = NULL;
        h->next = handles;
        if (handles)
            handles->prev = h;
        handles = h;
    }
    pthread_mutex_unlock(&lock);
    return ok ? hipSuccess : hipErrorOutOfMemory;
}

struct ls_handle *
ls_handle_find(const void *key, enum ls_handle_kind kind)
{
    struct ls_handle *h = key ? ls_ptrtable_find(&table, key) : NULL;

    return h && h->kind == kind ? h : NULL;
}

struct ls_handle *
ls_handle_take(const void *key, enum ls_handle_kind kind)
{
    struct ls_handle *h;

    pthread_mutex_lock(&lock);
    h = ls_handle_find(key, kind);
    if (h) {
        ls_ptrtable_set(&table, key, NULL);
        if (h->prev)
            h->prev->next = h->next;
        else
            handles = h->next;
        if (h->next)
            h->next->prev = h->prev;
    }
    pthread_mutex_unlock(&lock);
    return h;
}

const void *
ls_handle_any(uint32_t device, enum ls_handle_kind kind)
{
    const void *key = NULL;

    pthread_mutex_lock(&lock);
    for (struct ls_handle *h = handles; h && !key; h = h->next)
        key = h->kind == kind && h->device == device ? h->key : NULL;
    pthread_mutex_unlock(&lock);
    return key;
}
