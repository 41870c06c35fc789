/* SPDX-License-Identifier: MIT */
/* Allocations in a treap by address: one lock, logarithmic everything. */
#include "runtime/mem/mem.h"

#include <stdlib.h>

#include "runtime/core/core.h"

struct node {
    struct ls_mem_range range;
    uint32_t weight;
    struct node *left, *right;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct node *root;         /* guarded by lock */
static uint32_t random_state = 1; /* guarded by lock */
static uint64_t next_id = 1;      /* guarded by lock */
static _Atomic size_t used;

static struct node *
merge(struct node *a, struct node *b)
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

/* Nodes below `at` to *a, the others to *b. */
static void
split(struct node *n, const char *at, struct node **a, struct node **b)
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

static const struct node *
holder(const void *ptr)
{
    const struct node *n = root, *best = NULL;

    while (n) {
        if (n->range.base <= (const char *)ptr) {
            best = n;
            n = n->right;
        } else {
            n = n->left;
        }
    }
    if (best && (size_t)((const char *)ptr - best->range.base) < best->range.bytes)
        return best;
    return NULL;
}

static bool
insert(struct ls_mem_range range)
{
    struct node *n = calloc(1, sizeof(*n)), *a, *b;

    if (!n)
        return false;
    n->range = range;
    pthread_rwlock_wrlock(&lock);
    random_state = random_state * 1664525u + 1013904223u;
    n->weight = random_state;
    n->range.id = next_id++;
    split(root, range.base, &a, &b);
    root = merge(merge(a, n), b);
    pthread_rwlock_unlock(&lock);
    return true;
}

/* Takes the range that starts at ptr out of the tree. */
static bool
take(const void *ptr, unsigned kinds, struct ls_mem_range *range)
{
    struct node *a, *b, *c;
    bool found = false;

    pthread_rwlock_wrlock(&lock);
    split(root, ptr, &a, &b);
    split(b, (const char *)ptr + 1, &b, &c);
    if (b && (kinds & 1u << b->range.kind)) {
        *range = b->range;
        free(b);
        b = NULL;
        found = true;
    }
    root = merge(merge(a, b), c);
    pthread_rwlock_unlock(&lock);
    return found;
}

hipError_t
ls_mem_alloc(enum ls_mem_kind kind, size_t bytes, size_t align, unsigned flags, void **ptr)
{
    struct ls_device *dev = &ls_rt.dev;
    size_t before;
    hipError_t err;

    *ptr = NULL;
    if (bytes == 0)
        return hipSuccess;
    before = atomic_fetch_add(&used, bytes);
    if (bytes > ls_rt.info.total_bytes || before > ls_rt.info.total_bytes - bytes)
        err = hipErrorOutOfMemory;
    else
        err = dev->ops->mem.alloc(dev, bytes, align, ptr);
    if (err == hipSuccess && !insert((struct ls_mem_range){
                                 .base = *ptr, .bytes = bytes, .kind = kind, .flags = flags})) {
        dev->ops->mem.free(dev, *ptr, bytes);
        err = hipErrorOutOfMemory;
    }
    if (err == hipSuccess)
        return hipSuccess;
    atomic_fetch_sub(&used, bytes);
    *ptr = NULL;
    return ls_err(err, "%zu bytes, %zu of %zu in use", bytes, before, ls_rt.info.total_bytes);
}

hipError_t
ls_mem_free(void *ptr, unsigned kinds)
{
    struct ls_mem_range range;

    if (!ptr)
        return hipSuccess;
    if (!take(ptr, kinds & ~(1u << LS_MEM_REGISTERED), &range))
        return ls_err(hipErrorInvalidValue, "%p is no allocation that can be freed here", ptr);
    atomic_fetch_sub(&used, range.bytes);
    ls_rt.dev.ops->mem.free(&ls_rt.dev, ptr, range.bytes);
    return hipSuccess;
}

hipError_t
ls_mem_register(void *ptr, size_t bytes, unsigned flags)
{
    struct ls_mem_range range;

    if (!ptr || bytes == 0)
        return ls_err(hipErrorInvalidValue, "%p, %zu bytes", ptr, bytes);
    if (ls_mem_find(ptr, &range) || ls_mem_find((char *)ptr + bytes - 1, &range))
        return ls_err(hipErrorHostMemoryAlreadyRegistered, "%p", ptr);
    range = (struct ls_mem_range){
        .base = ptr, .bytes = bytes, .kind = LS_MEM_REGISTERED, .flags = flags};
    return insert(range) ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t
ls_mem_unregister(void *ptr)
{
    struct ls_mem_range range;

    if (!ptr || !take(ptr, 1u << LS_MEM_REGISTERED, &range))
        return ls_err(hipErrorHostMemoryNotRegistered, "%p", ptr);
    return hipSuccess;
}

bool
ls_mem_find(const void *ptr, struct ls_mem_range *range)
{
    const struct node *n;

    pthread_rwlock_rdlock(&lock);
    n = holder(ptr);
    if (n)
        *range = n->range;
    pthread_rwlock_unlock(&lock);
    return n != NULL;
}

size_t
ls_mem_used(void)
{
    return atomic_load(&used);
}

static void
reset(struct node *n, struct node **keep)
{
    if (!n)
        return;
    reset(n->left, keep);
    reset(n->right, keep);
    if (n->range.kind == LS_MEM_GLOBAL || n->range.kind == LS_MEM_REGISTERED) {
        n->right = *keep;
        *keep = n;
        return;
    }
    atomic_fetch_sub(&used, n->range.bytes);
    ls_rt.dev.ops->mem.free(&ls_rt.dev, n->range.base, n->range.bytes);
    free(n);
}

void
ls_mem_reset(void)
{
    struct node *keep = NULL, *a, *b;

    pthread_rwlock_wrlock(&lock);
    reset(root, &keep);
    root = NULL;
    while (keep) {
        struct node *n = keep;

        keep = n->right;
        n->left = n->right = NULL;
        split(root, n->range.base, &a, &b);
        root = merge(merge(a, n), b);
    }
    pthread_rwlock_unlock(&lock);
}
