/* SPDX-License-Identifier: MIT */
/* Memory of alloc nodes. A node's address is known when it is made and stays the same for every
 * launch, so the memory is there from then on; "in use" is what alloc and free nodes switch. Memory
 * in use outlives its graphs until somebody frees it. */
#include <stdlib.h>

#include "runtime/graph/graph.h"
#include "runtime/mem/mem.h"

#define ALIGN 256u

struct ls_graph_mem {
    struct ls_graph_mem *next, *prev;
    void *ptr;
    size_t bytes;
    uint32_t device;
    uint32_t n_refs; /* nodes */
    bool on;
    bool owed; /* by all launches and frees that were enqueued until now it is allocated, and must
                  be freed */
    bool has_free; /* a free node was made for it */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ls_graph_mem *all; /* guarded by lock, as the rest */
static struct {
    uint64_t used, used_high, reserved_high;
} counts[LS_MAX_DEVICES];

struct ls_graph_mem *
ls_graph_mem_create(uint32_t device, size_t bytes)
{
    struct ls_graph_mem *m = calloc(1, sizeof(*m));

    if (!m)
        return NULL;
    m->bytes = bytes;
    m->device = device;
    m->n_refs = 1;
    if (ls_mem_alloc_on(device, LS_MEM_DEVICE, bytes, ALIGN, 0, &m->ptr) != hipSuccess) {
        free(m);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    m->next = all;
    if (all)
        all->prev = m;
    all = m;
    pthread_mutex_unlock(&lock);
    return m;
}

/* Lock held; gives it back. */
static void
unlock_and_drop(struct ls_graph_mem *m)
{
    bool dead = m->n_refs == 0 && !m->on;

    if (dead) {
        if (m->next)
            m->next->prev = m->prev;
        if (m->prev)
            m->prev->next = m->next;
        else
            all = m->next;
    }
    pthread_mutex_unlock(&lock);
    if (dead) {
        if (m->ptr)
            ls_mem_free(m->ptr, ~0u);
        free(m);
    }
}

struct ls_graph_mem *
ls_graph_mem_ref(struct ls_graph_mem *m)
{
    pthread_mutex_lock(&lock);
    m->n_refs++;
    pthread_mutex_unlock(&lock);
    return m;
}

void
ls_graph_mem_unref(struct ls_graph_mem *m)
{
    pthread_mutex_lock(&lock);
    m->n_refs--;
    unlock_and_drop(m);
}

void *
ls_graph_mem_ptr(const struct ls_graph_mem *m)
{
    return m->ptr;
}

/* Lock held. */
static struct ls_graph_mem *
find(const void *ptr)
{
    struct ls_graph_mem *m = all;

    while (m && m->ptr != ptr)
        m = m->next;
    return m;
}

struct ls_graph_mem *
ls_graph_mem_find(const void *ptr)
{
    struct ls_graph_mem *m;

    pthread_mutex_lock(&lock);
    m = find(ptr);
    if (m)
        m->n_refs++;
    pthread_mutex_unlock(&lock);
    return m;
}

bool
ls_graph_mem_claim_free(struct ls_graph_mem *m)
{
    bool first;

    pthread_mutex_lock(&lock);
    first = !m->has_free;
    m->has_free = true;
    pthread_mutex_unlock(&lock);
    return first;
}

void
ls_graph_mem_unclaim_free(struct ls_graph_mem *m)
{
    pthread_mutex_lock(&lock);
    m->has_free = false;
    pthread_mutex_unlock(&lock);
}

/* Lock held. */
static void
turn(struct ls_graph_mem *m, bool on)
{
    uint64_t used;

    if (m->on == on)
        return;
    m->on = on;
    if (!on) {
        counts[m->device].used -= m->bytes;
        return;
    }
    used = counts[m->device].used += m->bytes;
    if (used > counts[m->device].used_high)
        counts[m->device].used_high = used;
    if (used > counts[m->device].reserved_high)
        counts[m->device].reserved_high = used;
}

void
ls_graph_mem_on(void *user, hipError_t status)
{
    struct ls_graph_mem *m = user;

    (void)status;
    pthread_mutex_lock(&lock);
    turn(m, true);
    pthread_mutex_unlock(&lock);
}

void
ls_graph_mem_off(void *user, hipError_t status)
{
    struct ls_graph_mem *m = user;

    (void)status;
    pthread_mutex_lock(&lock);
    turn(m, false);
    unlock_and_drop(m);
}

bool
ls_graph_mem_is_owed(struct ls_graph_mem *m)
{
    bool owed;

    pthread_mutex_lock(&lock);
    owed = m->owed;
    pthread_mutex_unlock(&lock);
    return owed;
}

void
ls_graph_mem_owe(struct ls_graph_mem *m, bool owed)
{
    pthread_mutex_lock(&lock);
    m->owed = owed;
    pthread_mutex_unlock(&lock);
}

void
ls_graph_mem_pay(void *ptr)
{
    struct ls_graph_mem *m;

    pthread_mutex_lock(&lock);
    m = find(ptr);
    if (m)
        m->owed = false;
    pthread_mutex_unlock(&lock);
}

hipError_t
ls_graph_mem_free(void *ptr, bool *known)
{
    struct ls_graph_mem *m;
    bool freed = false;

    pthread_mutex_lock(&lock);
    m = find(ptr);
    *known = m != NULL;
    if (!m) {
        pthread_mutex_unlock(&lock);
        return hipErrorInvalidValue;
    }
    freed = m->on;
    turn(m, false);
    unlock_and_drop(m);
    return freed ? hipSuccess : ls_err(hipErrorInvalidValue, "%p is not allocated", ptr);
}

void
ls_graph_mem_free_any(void *ptr)
{
    bool known;

    ls_graph_mem_free(ptr, &known);
    if (!known)
        ls_mem_free_any(ptr);
}

hipError_t
ls_graph_mem_get(uint32_t device, hipGraphMemAttributeType attr, uint64_t *value)
{
    hipError_t err = hipSuccess;

    pthread_mutex_lock(&lock);
    switch (attr) {
    case hipGraphMemAttrUsedMemCurrent:
    case hipGraphMemAttrReservedMemCurrent: /* memory that is not in use has no pages */
        *value = counts[device].used;
        break;
    case hipGraphMemAttrUsedMemHigh:
        *value = counts[device].used_high;
        break;
    case hipGraphMemAttrReservedMemHigh:
        *value = counts[device].reserved_high;
        break;
    default:
        err = hipErrorInvalidValue;
    }
    pthread_mutex_unlock(&lock);
    return err;
}

hipError_t
ls_graph_mem_reset(uint32_t device, hipGraphMemAttributeType attr)
{
    hipError_t err = hipSuccess;

    pthread_mutex_lock(&lock);
    if (attr == hipGraphMemAttrUsedMemHigh)
        counts[device].used_high = counts[device].used;
    else if (attr == hipGraphMemAttrReservedMemHigh)
        counts[device].reserved_high = counts[device].used;
    else
        err = hipErrorInvalidValue;
    pthread_mutex_unlock(&lock);
    return err;
}

void
ls_graph_mem_trim(void)
{
    /* Nothing to do: memory that is not in use is freed with the last node that needs its
     * address. */
}

void
ls_graph_mem_forget(uint32_t device)
{
    pthread_mutex_lock(&lock);
    for (struct ls_graph_mem *m = all; m; m = m->next) {
        if (m->device != device)
            continue;
        turn(m, false);
        m->owed = false;
        m->ptr = NULL;
    }
    pthread_mutex_unlock(&lock);
}
