/* SPDX-License-Identifier: MIT */
/* Advice as a list of ranges by address that don't overlap; what is in none has the defaults. */
#include "runtime/mem/advice.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/core/core.h"
#include "runtime/mem/mem.h"

/* Bit 0 of `accessed_by` is the host's, bit 1 + n device n's. */
struct advice {
    bool read_mostly, coarse;
    int preferred, prefetched;
    uint64_t accessed_by;
};

struct part {
    uintptr_t lo, hi; /* whole pages */
    struct advice advice;
    struct part *next;
};

static const struct advice defaults = {.preferred = hipInvalidDeviceId,
                                       .prefetched = hipInvalidDeviceId};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct part *parts; /* guarded by lock */
static atomic_bool any;    /* there may be parts */

static struct part *
new_part(uintptr_t lo, uintptr_t hi, const struct advice *advice, struct part *next)
{
    struct part *p = malloc(sizeof(*p));

    if (p)
        *p = (struct part){lo, hi, *advice, next};
    return p;
}

/* Makes `at` a border of parts. Lock held. */
static bool
cut(uintptr_t at)
{
    for (struct part *p = parts; p && p->lo < at; p = p->next) {
        struct part *rest;

        if (p->hi <= at)
            continue;
        rest = new_part(at, p->hi, &p->advice, p->next);
        if (!rest)
            return false;
        p->hi = at;
        p->next = rest;
    }
    return true;
}

typedef void (*change_fn)(struct advice *advice, int what, int device);

/* Applies a change to all pages of [lo, hi), adding parts where there are none. Lock held. */
static bool
change_parts(uintptr_t lo, uintptr_t hi, change_fn change, int what, int device)
{
    struct part **at = &parts;

    if (!cut(lo) || !cut(hi))
        return false;
    while (lo < hi) {
        struct part *p;

        while (*at && (*at)->hi <= lo)
            at = &(*at)->next;
        p = *at;
        if (!p || p->lo > lo) {
            p = new_part(lo, p && p->lo < hi ? p->lo : hi, &defaults, p);
            if (!p)
                return false;
            *at = p;
        }
        change(&p->advice, what, device);
        lo = p->hi;
    }
    return true;
}

static uintptr_t
floor_page(uintptr_t at)
{
    return at / LS_MEM_PAGE * LS_MEM_PAGE;
}

static hipError_t
change(const void *ptr, size_t bytes, change_fn fn, int what, int device)
{
    uintptr_t lo = floor_page((uintptr_t)ptr),
              hi = floor_page((uintptr_t)ptr + bytes + LS_MEM_PAGE - 1);
    bool ok;

    pthread_mutex_lock(&lock);
    ok = change_parts(lo, hi, fn, what, device);
    atomic_store(&any, true);
    pthread_mutex_unlock(&lock);
    return ok ? hipSuccess : hipErrorOutOfMemory;
}

static uint64_t
bit_of(int device)
{
    return device == hipCpuDeviceId ? 1 : (uint64_t)2 << device;
}

static void
advise(struct advice *a, int what, int device)
{
    switch ((hipMemoryAdvise)what) {
    case hipMemAdviseSetReadMostly:
    case hipMemAdviseUnsetReadMostly:
        a->read_mostly = what == hipMemAdviseSetReadMostly;
        break;
    case hipMemAdviseSetPreferredLocation:
        a->preferred = device;
        break;
    case hipMemAdviseUnsetPreferredLocation:
        a->preferred = hipInvalidDeviceId;
        break;
    case hipMemAdviseSetAccessedBy:
        a->accessed_by |= bit_of(device);
        break;
    case hipMemAdviseUnsetAccessedBy:
        a->accessed_by &= ~bit_of(device);
        break;
    case hipMemAdviseSetCoarseGrain:
    case hipMemAdviseUnsetCoarseGrain:
        a->coarse = what == hipMemAdviseSetCoarseGrain;
        break;
    default:
        break;
    }
}

static void
prefetch(struct advice *a, int what, int device)
{
    (void)what;
    a->prefetched = device;
}

hipError_t
ls_advice_set(const void *ptr, size_t bytes, hipMemoryAdvise advice, int device)
{
    return change(ptr, bytes, advise, (int)advice, device);
}

hipError_t
ls_advice_prefetch(const void *ptr, size_t bytes, int device)
{
    return change(ptr, bytes, prefetch, 0, device);
}

/* Reduces *all to the advice that it has in common with `one`. */
static void
meet(struct advice *all, const struct advice *one, bool *mixed_grain)
{
    all->read_mostly &= one->read_mostly;
    all->accessed_by &= one->accessed_by;
    *mixed_grain |= all->coarse != one->coarse;
    if (all->preferred != one->preferred)
        all->preferred = hipInvalidDeviceId;
    if (all->prefetched != one->prefetched)
        all->prefetched = hipInvalidDeviceId;
}

static struct advice
collect(uintptr_t lo, uintptr_t hi, bool *mixed_grain)
{
    struct advice all = defaults;
    bool first = true;

    *mixed_grain = false;
    pthread_mutex_lock(&lock);
    for (const struct part *p = parts; lo < hi; p = p ? p->next : NULL) {
        const struct advice *one;

        while (p && p->hi <= lo)
            p = p->next;
        one = p && p->lo <= lo ? &p->advice : &defaults;
        if (first)
            all = *one;
        else
            meet(&all, one, mixed_grain);
        first = false;
        if (one == &defaults && p &&
            p->lo < hi) { /* the defaults hold in the gap in front of p; then comes p itself */
            meet(&all, &p->advice, mixed_grain);
            lo = p->hi;
        } else {
            lo = one == &defaults ? hi : p->hi;
        }
    }
    pthread_mutex_unlock(&lock);
    return all;
}

/* Ordinals of all whose bit is set, then hipInvalidDeviceId. */
static void
list_devices(uint64_t bits, int *data, size_t n)
{
    size_t k = 0;

    for (int device = hipCpuDeviceId; device < 63 && k < n; device++)
        if (bits & bit_of(device))
            data[k++] = device;
    while (k < n)
        data[k++] = hipInvalidDeviceId;
}

hipError_t
ls_advice_get(const void *ptr, size_t bytes, hipMemRangeAttribute attribute, void *data,
              size_t data_bytes)
{
    uintptr_t lo = floor_page((uintptr_t)ptr),
              hi = floor_page((uintptr_t)ptr + bytes + LS_MEM_PAGE - 1);
    bool list = attribute == hipMemRangeAttributeAccessedBy, mixed;
    struct advice all;
    int value;

    if (data_bytes == 0 || (list ? data_bytes % sizeof(int) != 0 : data_bytes != sizeof(int)))
        return ls_err(hipErrorInvalidValue, "%zu bytes for attribute %d", data_bytes,
                      (int)attribute);
    all = collect(lo, hi, &mixed);
    switch (attribute) {
    case hipMemRangeAttributeAccessedBy:
        list_devices(all.accessed_by, data, data_bytes / sizeof(int));
        return hipSuccess;
    case hipMemRangeAttributeReadMostly:
        value = all.read_mostly;
        break;
    case hipMemRangeAttributePreferredLocation:
        value = all.preferred;
        break;
    case hipMemRangeAttributeLastPrefetchLocation:
        value = all.prefetched;
        break;
    case hipMemRangeAttributeCoherencyMode:
        value = mixed        ? hipMemRangeCoherencyModeIndeterminate
                : all.coarse ? hipMemRangeCoherencyModeCoarseGrain
                             : hipMemRangeCoherencyModeFineGrain;
        break;
    default:
        return ls_err(hipErrorInvalidValue, "attribute %d", (int)attribute);
    }
    memcpy(data, &value, sizeof(value));
    return hipSuccess;
}

void
ls_advice_forget(const void *ptr, size_t bytes)
{
    uintptr_t lo = floor_page((uintptr_t)ptr), hi = (uintptr_t)ptr + bytes;
    struct part **at = &parts;

    if (!atomic_load(&any))
        return;
    pthread_mutex_lock(&lock);
    while (*at) {
        struct part *p = *at;

        if (p->lo >= lo && p->lo < hi) {
            *at = p->next;
            free(p);
        } else {
            at = &p->next;
        }
    }
    pthread_mutex_unlock(&lock);
}
