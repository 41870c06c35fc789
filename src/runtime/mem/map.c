/* SPDX-License-Identifier: MIT */
/* Ranges in a treap by address: one lock, logarithmic everything. */
#include "runtime/mem/map.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/core/core.h"

struct ls_mem_entry {
    struct ls_mem_range range;
    uint32_t weight;
    atomic_bool hidden;  /* may change without the lock */
    _Atomic uint64_t id; /* range.id */
    struct ls_mem_entry *left, *right;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct ls_mem_entry *root; /* guarded by lock */
static uint32_t random_state = 1; /* guarded by lock */
static _Atomic uint64_t next_id = 1;
static _Atomic uint64_t changes; /* of ranges */

static struct ls_mem_entry *
merge(struct ls_mem_entry *a, struct ls_mem_entry *b)
{
    if (!a || !b)
        return a ? a : b;
    if (a->weight > b->weight) {
        a->right = merge(a->right, b);
        return a;
    }
    b->left = merge(a, b->left);
    return b;
}

/* Entries below `at` to *a, the others to *b. */
static void
split(struct ls_mem_entry *n, const char *at, struct ls_mem_entry **a, struct ls_mem_entry **b)
{
    if (!n) {
        *a = *b = NULL;
    } else if (n->range.base < at) {
        split(n->right, at, &n->right, b);
        *a = n;
    } else {
        split(n->left, at, a, &n->left);
        *b = n;
    }
}

/* The last entry that starts at or before ptr. */
static struct ls_mem_entry *
before(const void *ptr)
{
    struct ls_mem_entry *n = root, *best = NULL;

    while (n) {
        if (n->range.base <= (const char *)ptr) {
            best = n;
            n = n->right;
        } else {
            n = n->left;
        }
    }
    return best;
}

static struct ls_mem_entry *
holder(const void *ptr)
{
    struct ls_mem_entry *n = before(ptr);

    if (n && (size_t)((const char *)ptr - n->range.base) < n->range.bytes &&
        !atomic_load_explicit(
            &n->hidden,
            memory_order_acquire)) /* acquire: what was set before it was shown is visible */
        return n;
    return NULL;
}

struct ls_mem_entry *
ls_map_add(struct ls_mem_range range)
{
    struct ls_mem_entry *n = calloc(1, sizeof(*n)), *a, *b;

    if (!n)
        return NULL;
    n->range = range;
    atomic_store(&n->id, atomic_fetch_add(&next_id, 1));
    pthread_rwlock_wrlock(&lock);
    random_state = random_state * 1664525u + 1013904223u;
    n->weight = random_state;
    split(root, range.base, &a, &b);
    root = merge(merge(a, n), b);
    atomic_fetch_add(&changes, 1);
    pthread_rwlock_unlock(&lock);
    return n;
}

bool
ls_map_take(const void *ptr, unsigned kinds, struct ls_mem_range *range)
{
    struct ls_mem_entry *a, *b, *c;
    bool found = false;

    pthread_rwlock_wrlock(&lock);
    split(root, ptr, &a, &b);
    split(b, (const char *)ptr + 1, &b, &c);
    if (b && (kinds & 1u << b->range.kind)) {
        *range = b->range;
        range->id = atomic_load(&b->id);
        free(b);
        b = NULL;
        found = true;
    }
    root = merge(merge(a, b), c);
    atomic_fetch_add(&changes, 1);
    pthread_rwlock_unlock(&lock);
    return found;
}

void
ls_mem_hide(struct ls_mem_entry *entry, bool hidden)
{
    if (!hidden)
        atomic_store(&entry->id, atomic_fetch_add(&next_id, 1));
    atomic_store_explicit(&entry->hidden, hidden, memory_order_release);
    atomic_fetch_add(&changes, 1);
}

bool
ls_mem_find(const void *ptr, struct ls_mem_range *range)
{
    const struct ls_mem_entry *n;

    pthread_rwlock_rdlock(&lock);
    n = holder(ptr);
    if (n) {
        *range = n->range;
        range->id = atomic_load(&n->id);
    }
    pthread_rwlock_unlock(&lock);
    return n != NULL;
}

bool
ls_map_find_any(const void *ptr, struct ls_mem_range *range)
{
    const struct ls_mem_entry *n;
    bool found;

    pthread_rwlock_rdlock(&lock);
    n = before(ptr);
    found = n && (size_t)((const char *)ptr - n->range.base) < n->range.bytes;
    if (found)
        *range = n->range;
    pthread_rwlock_unlock(&lock);
    return found;
}

bool
ls_mem_is_known(const void *ptr)
{
    struct ls_mem_range range;

    return ls_mem_find(ptr, &range);
}

bool
ls_mem_is_of_device(enum ls_mem_kind kind)
{
    const unsigned kinds = 1u << LS_MEM_DEVICE | 1u << LS_MEM_GLOBAL | 1u << LS_MEM_POOL |
                           1u << LS_MEM_VIRTUAL | 1u << LS_MEM_SHARED;

    return kinds & 1u << kind;
}

uint32_t
ls_mem_devices(const void *a, const void *b)
{
    const void *const ptrs[] = {a, b};
    uint32_t bits = 0;

    if (ls_rt.n_devices == 1)
        return 0;
    pthread_rwlock_rdlock(&lock);
    for (size_t i = 0; i < 2; i++) {
        const struct ls_mem_entry *n = holder(ptrs[i]);

        if (n && ls_mem_is_of_device(n->range.kind))
            bits |= 1u << n->range.device;
    }
    pthread_rwlock_unlock(&lock);
    return bits;
}

/* Lock held; n holds ptr, or is NULL. */
static bool
fits(const struct ls_mem_entry *n, const void *ptr, size_t bytes, bool write)
{
    const uint8_t need = write ? hipMemAccessFlagsProtReadWrite : hipMemAccessFlagsProtRead;
    const char *at = ptr;

    while (n) {
        size_t left = n->range.bytes - (size_t)(at - n->range.base);

        if ((n->range.access & need) != need)
            return false;
        if (bytes <= left)
            break;
        if (n->range.kind != LS_MEM_VIRTUAL)
            return false;
        at += left;
        bytes -= left;
        n = holder(at);
        if (!n || n->range.kind != LS_MEM_VIRTUAL)
            return false;
    }
    return true;
}

bool
ls_mem_fits(const void *ptr, size_t bytes, bool write)
{
    bool yes;

    pthread_rwlock_rdlock(&lock);
    yes = fits(holder(ptr), ptr, bytes, write);
    pthread_rwlock_unlock(&lock);
    return yes;
}

/* Lock held. */
static void
describe(const struct ls_mem_entry *n, struct ls_mem_range *range)
{
    if (n) {
        *range = n->range;
        range->id = atomic_load(&n->id);
    } else {
        range->kind = LS_MEM_NONE;
    }
}

bool
ls_mem_find_ends(const void *dst, const void *src, size_t bytes, struct ls_mem_range *to,
                 struct ls_mem_range *from)
{
    const struct ls_mem_entry *d, *s;
    bool yes;

    pthread_rwlock_rdlock(&lock);
    d = holder(dst);
    s = holder(src);
    describe(d, to);
    describe(s, from);
    yes = fits(d, dst, bytes, true) && fits(s, src, bytes, false);
    pthread_rwlock_unlock(&lock);
    return yes;
}

static struct ls_mem_entry *
entry_at(const void *base)
{
    struct ls_mem_entry *n = before(base);

    return n && n->range.base == base ? n : NULL;
}

bool
ls_map_set_access(const void *base, uint8_t access, uint32_t rights)
{
    struct ls_mem_entry *n;

    pthread_rwlock_wrlock(&lock);
    n = entry_at(base);
    if (n) {
        n->range.access = access;
        n->range.rights = rights;
    }
    pthread_rwlock_unlock(&lock);
    return n != NULL;
}

bool
ls_mem_set_exported(const void *base)
{
    struct ls_mem_entry *n;

    pthread_rwlock_wrlock(&lock);
    n = entry_at(base);
    if (n)
        n->range.exported = true;
    atomic_fetch_add(&changes, 1);
    pthread_rwlock_unlock(&lock);
    return n != NULL;
}

bool
ls_mem_set_sync_memops(const void *ptr, bool on)
{
    struct ls_mem_entry *n;

    pthread_rwlock_wrlock(&lock);
    n = holder(ptr);
    if (n)
        n->range.sync_memops = on;
    pthread_rwlock_unlock(&lock);
    return n != NULL;
}

bool
ls_mem_overlaps(const void *ptr, size_t bytes)
{
    const struct ls_mem_entry *n;
    bool yes;

    pthread_rwlock_rdlock(&lock);
    n = before((const char *)ptr + bytes - 1);
    yes = n && n->range.base + n->range.bytes > (const char *)ptr;
    pthread_rwlock_unlock(&lock);
    return yes;
}

uint64_t
ls_mem_changes(void)
{
    return atomic_load_explicit(&changes, memory_order_acquire);
}

/* Whether the range's memory has no other address. */
static bool
is_single(const struct ls_mem_range *range)
{
    const unsigned kinds = 1u << LS_MEM_DEVICE | 1u << LS_MEM_HOST | 1u << LS_MEM_MANAGED |
                           1u << LS_MEM_GLOBAL | 1u << LS_MEM_POOL;

    return kinds & 1u << range->kind && !range->exported;
}

/* Whether a word may be a pointer that leads into some range by way of indices: to the element in
 * front of the first one, say. Lock held. */
static bool
is_near(uint64_t word)
{
    enum { NEAR_BITS = 40 };
    uint64_t from = root ? (uintptr_t)root->range.base : 0;

    return root && (word > from ? word - from : from - word) >> NEAR_BITS == 0;
}

uint64_t
ls_mem_distinct(const uint64_t *words, unsigned n)
{
    const struct ls_mem_entry *in[64] = {NULL}, *end;
    uint64_t bits = 0, doubted = 0;

    pthread_rwlock_rdlock(&lock);
    for (unsigned i = 0; i < n; i++) {
        const char *p = (const char *)(uintptr_t)words[i];

        if (!p)
            continue;
        in[i] = holder(p);
        end = in[i] && p != in[i]->range.base ? NULL : holder(p - 1);
        if ((in[i] && end) || (!in[i] && !end && is_near(words[i]))) {
            doubted = 1;
            break;
        }
        in[i] = in[i] ? in[i] : end;
    }
    for (unsigned i = 0; i < n && !doubted; i++) {
        bool alone = in[i] && is_single(&in[i]->range);

        for (unsigned k = 0; k < n && alone; k++)
            alone = k == i || in[k] != in[i];
        bits |= (uint64_t)alone << i;
    }
    pthread_rwlock_unlock(&lock);
    return bits;
}

static void
visit_all(const struct ls_mem_entry *n, void (*visit)(void *arg, const struct ls_mem_range *range),
          void *arg)
{
    if (!n)
        return;
    visit_all(n->left, visit, arg);
    visit(arg, &n->range);
    visit_all(n->right, visit, arg);
}

void
ls_mem_for_each(void (*visit)(void *arg, const struct ls_mem_range *range), void *arg)
{
    pthread_rwlock_rdlock(&lock);
    visit_all(root, visit, arg);
    pthread_rwlock_unlock(&lock);
}

/* Takes the entries of the device into one list, the others, and those of the kinds, into
 * another. */
static void
sort_out(uint32_t device, unsigned kept, struct ls_mem_entry *n, struct ls_mem_entry **gone,
         struct ls_mem_entry **keep)
{
    struct ls_mem_entry **list;

    if (!n)
        return;
    sort_out(device, kept, n->left, gone, keep);
    sort_out(device, kept, n->right, gone, keep);
    list = n->range.device != device || (kept & 1u << n->range.kind) ? keep : gone;
    n->left = NULL;
    n->right = *list;
    *list = n;
}

void
ls_map_take_all(uint32_t device, unsigned kept, void (*each)(const struct ls_mem_range *range))
{
    struct ls_mem_entry *gone = NULL, *keep = NULL, *a, *b;

    pthread_rwlock_wrlock(&lock);
    sort_out(device, kept, root, &gone, &keep);
    root = NULL;
    while (keep) {
        struct ls_mem_entry *n = keep;

        keep = n->right;
        n->left = n->right = NULL;
        split(root, n->range.base, &a, &b);
        root = merge(merge(a, n), b);
    }
    atomic_fetch_add(&changes, 1);
    pthread_rwlock_unlock(&lock);
    while (gone) {
        struct ls_mem_entry *next = gone->right;

        each(&gone->range);
        free(gone);
        gone = next;
    }
}

const char *
ls_mem_kind_name(enum ls_mem_kind kind)
{
    switch (kind) {
    case LS_MEM_HOST:
        return "host memory (hipHostMalloc)";
    case LS_MEM_MANAGED:
        return "managed memory (hipMallocManaged)";
    case LS_MEM_GLOBAL:
        return "variables of a module";
    case LS_MEM_POOL:
        return "memory of a pool (hipMallocAsync)";
    case LS_MEM_VIRTUAL:
        return "virtual memory (hipMemMap)";
    case LS_MEM_SHARED:
        return "another process's device memory";
    default:
        return "device memory (hipMalloc)";
    }
}

#define NEAR_BYTES ((size_t)2 << 20) /* size of the guard behind large allocations */

void
ls_mem_explain(const void *addr, char *text, size_t bytes)
{
    const struct ls_mem_entry *n;

    pthread_rwlock_rdlock(&lock);
    n = before(addr);
    if (n && !atomic_load(&n->hidden) && (const char *)addr >= n->range.base + n->range.bytes &&
        (size_t)((const char *)addr - n->range.base) - n->range.bytes < NEAR_BYTES + LS_MEM_PAGE)
        snprintf(text, bytes, ", %zu bytes behind the end of %zu bytes of %s at %p",
                 (size_t)((const char *)addr - n->range.base) - n->range.bytes, n->range.bytes,
                 ls_mem_kind_name(n->range.kind), (void *)n->range.base);
    pthread_rwlock_unlock(&lock);
}
