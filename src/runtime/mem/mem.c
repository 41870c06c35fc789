/* SPDX-License-Identifier: MIT */
/* Allocations in a treap by address: one lock, logarithmic everything. */
#include "runtime/mem/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/core/core.h"
#include "runtime/mem/advice.h"
#include "runtime/mem/share.h"
#include "runtime/mem/strict.h"

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
        !atomic_load_explicit(&n->hidden, memory_order_acquire)) /* with what was set before */
        return n;
    return NULL;
}

struct ls_mem_entry *
ls_mem_add(struct ls_mem_range range)
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
    pthread_rwlock_unlock(&lock);
    ls_strict_added(&range);
    return n;
}

bool
ls_mem_take(const void *ptr, unsigned kinds, struct ls_mem_range *range)
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
    pthread_rwlock_unlock(&lock);
    if (found)
        ls_strict_removed(range);
    return found;
}

void
ls_mem_hide(struct ls_mem_entry *entry, bool hidden)
{
    if (!hidden)
        atomic_store(&entry->id, atomic_fetch_add(&next_id, 1));
    atomic_store_explicit(&entry->hidden, hidden, memory_order_release);
}

hipError_t
ls_mem_charge(uint32_t device, size_t bytes)
{
    struct ls_gpu *gpu = &ls_rt.gpus[device];
    size_t was = atomic_load(&gpu->used_bytes);

    while (bytes <= gpu->info.total_bytes && was <= gpu->info.total_bytes - bytes)
        if (atomic_compare_exchange_weak(&gpu->used_bytes, &was, was + bytes))
            return hipSuccess;
    return ls_err(hipErrorOutOfMemory, "%zu bytes, %zu of %zu in use", bytes, was,
                  gpu->info.total_bytes);
}

void
ls_mem_discharge(uint32_t device, size_t bytes)
{
    atomic_fetch_sub(&ls_rt.gpus[device].used_bytes, bytes);
}

void
ls_mem_zero(void *ptr, size_t bytes)
{
    char *p = ptr, *lo = (char *)(((uintptr_t)p + LS_MEM_PAGE - 1) / LS_MEM_PAGE * LS_MEM_PAGE);
    size_t inner;

    if (bytes < 64 * LS_MEM_PAGE) {
        memset(p, 0, bytes);
        return;
    }
    inner = (size_t)(p + bytes - lo) / LS_MEM_PAGE * LS_MEM_PAGE;
    if (madvise(lo, inner, MADV_DONTNEED) != 0)
        memset(lo, 0, inner);
    memset(p, 0, (size_t)(lo - p));
    memset(lo + inner, 0, (size_t)(p + bytes - lo) - inner);
}

/* Overruns */

#define SEAL_BYTES     256u /* at most */
#define MIN_SEAL_BYTES 64u  /* unless pages that nobody can touch are there */

size_t
ls_mem_whole(size_t bytes)
{
    if (bytes < LS_GUARDED_BYTES)
        bytes += MIN_SEAL_BYTES;
    return (bytes + LS_MEM_PAGE - 1) / LS_MEM_PAGE * LS_MEM_PAGE;
}

static size_t
seal_bytes(size_t bytes)
{
    size_t rest = ls_mem_whole(bytes) - bytes;

    return rest < SEAL_BYTES ? rest : SEAL_BYTES;
}

/* No number that programs are likely to write, and different in each byte of a word. */
static const unsigned char *
seal(void)
{
    static const unsigned char bytes[SEAL_BYTES] = {
#define EIGHT     0xd3, 0x5a, 0xc7, 0x91, 0x6b, 0xe2, 0x3d, 0xf8
#define THIRTYTWO EIGHT, EIGHT, EIGHT, EIGHT
        THIRTYTWO, THIRTYTWO, THIRTYTWO, THIRTYTWO, THIRTYTWO, THIRTYTWO, THIRTYTWO, THIRTYTWO,
#undef THIRTYTWO
#undef EIGHT
    };

    return bytes;
}

void
ls_mem_seal(void *ptr, size_t bytes)
{
    memcpy((char *)ptr + bytes, seal(), seal_bytes(bytes));
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

bool
ls_mem_is_intact(const struct ls_mem_range *range, const char *when)
{
    const unsigned sealed = 1u << LS_MEM_DEVICE | 1u << LS_MEM_HOST | 1u << LS_MEM_MANAGED |
                            1u << LS_MEM_GLOBAL | 1u << LS_MEM_POOL;
    const unsigned char *end = (const unsigned char *)range->base + range->bytes, *want = seal();
    size_t n, first = 0, last;

    if (!(sealed & 1u << range->kind) ||
        range->exported) /* the file that was exported ends there */
        return true;
    n = seal_bytes(range->bytes);
    if (memcmp(end, want, n) == 0)
        return true;
    while (end[first] == want[first])
        first++;
    for (last = n - 1; end[last] == want[last]; last--)
        ;
    ls_log(LS_LOG_ERROR,
           "overrun: %zu bytes of %s at %p were written beyond, %s: byte %zu to byte %zu%s lie "
           "behind its end",
           range->bytes, ls_mem_kind_name(range->kind), (void *)range->base, when,
           range->bytes + first, range->bytes + last, last == n - 1 ? ", and maybe more," : "");
    ls_mem_seal(range->base, range->bytes);
    return false;
}

hipError_t
ls_mem_alloc(enum ls_mem_kind kind, size_t bytes, size_t align, unsigned flags, void **ptr)
{
    return ls_mem_alloc_on(ls_gpu_current()->dev.index, kind, bytes, align, flags, ptr);
}

hipError_t
ls_mem_alloc_on(uint32_t device, enum ls_mem_kind kind, size_t bytes, size_t align, unsigned flags,
                void **ptr)
{
    struct ls_device *dev = &ls_rt.gpus[device].dev;
    hipError_t err;

    *ptr = NULL;
    if (bytes == 0)
        return hipSuccess;
    err = ls_mem_charge(device, bytes);
    if (err != hipSuccess && kind == LS_MEM_MANAGED) { /* may be more than the device has */
        atomic_fetch_add(&ls_rt.gpus[device].used_bytes, bytes);
        err = hipSuccess;
    }
    if (err != hipSuccess)
        return err;
    if ((kind == LS_MEM_DEVICE || kind == LS_MEM_MANAGED) && align < LS_MEM_PAGE)
        align = LS_MEM_PAGE;
    err = dev->ops->mem.alloc(dev, ls_mem_whole(bytes), align < LS_MEM_PAGE ? LS_MEM_PAGE : align,
                              ptr);
    if (err == hipSuccess)
        ls_mem_seal(*ptr, bytes);
    if (err == hipSuccess &&
        !ls_mem_add((struct ls_mem_range){.base = *ptr,
                                          .bytes = bytes,
                                          .kind = kind,
                                          .flags = flags,
                                          .device = (uint8_t)device,
                                          .access = hipMemAccessFlagsProtReadWrite})) {
        dev->ops->mem.free(dev, *ptr, ls_mem_whole(bytes));
        err = hipErrorOutOfMemory;
    }
    if (err == hipSuccess && kind == LS_MEM_HOST)
        ls_mem_zero(*ptr, bytes); /* as pinned pages are */
    if (err == hipSuccess)
        return hipSuccess;
    ls_mem_discharge(device, bytes);
    *ptr = NULL;
    return ls_err(err, "%zu bytes", bytes);
}

/* Gives back what a range was made of. */
static void
release(const struct ls_mem_range *range)
{
    struct ls_device *dev = &ls_rt.gpus[range->device].dev;

    if (range->kind == LS_MEM_MANAGED || range->kind == LS_MEM_HOST)
        ls_advice_forget(range->base, range->bytes);
    if (range->kind == LS_MEM_SHARED) {
        ls_share_unmap(range->owner);
        return;
    }
    ls_mem_is_intact(range, "as is found when it is freed");
    ls_mem_discharge(range->device, range->bytes);
    if (range->exported)
        ls_share_free(range->base, ls_mem_whole(range->bytes));
    else
        dev->ops->mem.free(dev, range->base, ls_mem_whole(range->bytes));
}

/* Not ours to free. */
#define OTHERS (1u << LS_MEM_REGISTERED | 1u << LS_MEM_POOL | 1u << LS_MEM_VIRTUAL)

hipError_t
ls_mem_free(void *ptr, unsigned kinds)
{
    struct ls_mem_range range;

    if (!ptr)
        return hipSuccess;
    if (!ls_mem_take(ptr, kinds & ~OTHERS, &range))
        return ls_err(hipErrorInvalidValue, "%p is no allocation that can be freed here", ptr);
    release(&range);
    return hipSuccess;
}

void
ls_mem_free_any(void *ptr)
{
    struct ls_mem_range range;

    if (ls_mem_find(ptr, &range) && range.kind == LS_MEM_SHARED)
        ls_share_close(ptr);
    else
        ls_mem_free(ptr, ~0u);
}

/* `first` is the start of a page. mincore, and not msync: it is asked about memory that may not be
 * there. */
static bool
is_mapped(char *first, size_t bytes)
{
    unsigned char resident[4096];
    const size_t chunk = sizeof(resident) * LS_MEM_PAGE;

    for (size_t at = 0; at < bytes; at += chunk)
        if (mincore(first + at, bytes - at < chunk ? bytes - at : chunk, resident) != 0)
            return false;
    return true;
}

hipError_t
ls_mem_register(void *ptr, size_t bytes, unsigned flags)
{
    struct ls_mem_range range = {.base = ptr,
                                 .bytes = bytes,
                                 .kind = LS_MEM_REGISTERED,
                                 .flags = flags,
                                 .device = (uint8_t)ls_gpu_current()->dev.index,
                                 .access = hipMemAccessFlagsProtReadWrite};
    struct ls_mem_range old;
    uintptr_t first = (uintptr_t)ptr & ~(uintptr_t)(LS_MEM_PAGE - 1), end;

    if (!ptr || bytes == 0 || __builtin_add_overflow((uintptr_t)ptr, bytes, &end))
        return ls_err(hipErrorInvalidValue, "%p, %zu bytes", ptr, bytes);
    /* what was freed while registered may come back: a new registration takes its place */
    if (ls_mem_find(ptr, &old) && old.base == ptr && old.kind == LS_MEM_REGISTERED)
        ls_mem_unregister(ptr);
    if (ls_mem_overlaps(ptr, bytes))
        return ls_err(hipErrorHostMemoryAlreadyRegistered, "%p", ptr);
    if (!is_mapped((char *)ptr - ((uintptr_t)ptr - first), end - first))
        return ls_err(hipErrorInvalidValue, "%p: not all of %zu bytes are mapped", ptr, bytes);
    return ls_mem_add(range) ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t
ls_mem_unregister(void *ptr)
{
    struct ls_mem_range range;

    if (!ptr || !ls_mem_take(ptr, 1u << LS_MEM_REGISTERED, &range))
        return ls_err(hipErrorHostMemoryNotRegistered, "%p", ptr);
    ls_advice_forget(range.base, range.bytes);
    return hipSuccess;
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
ls_mem_is_known(const void *ptr)
{
    struct ls_mem_range range;

    return ls_mem_find(ptr, &range);
}

bool
ls_mem_is_of_device(enum ls_mem_kind kind)
{
    const unsigned kinds = 1u << LS_MEM_DEVICE | 1u << LS_MEM_GLOBAL | 1u << LS_MEM_POOL | 1u << LS_MEM_VIRTUAL |
                           1u << LS_MEM_SHARED;

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
ls_mem_set_access(const void *base, uint8_t access, uint32_t rights)
{
    struct ls_mem_range range = {.kind = LS_MEM_NONE};
    struct ls_mem_entry *n;

    pthread_rwlock_wrlock(&lock);
    n = entry_at(base);
    if (n) {
        n->range.access = access;
        n->range.rights = rights;
        range = n->range;
    }
    pthread_rwlock_unlock(&lock);
    ls_strict_added(&range);
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

size_t
ls_mem_used(uint32_t device)
{
    return atomic_load(&ls_rt.gpus[device].used_bytes);
}

/* Takes the entries that a reset of the device frees into one list, the others into another. */
static void
sort_out(uint32_t device, struct ls_mem_entry *n, struct ls_mem_entry **gone,
         struct ls_mem_entry **keep)
{
    struct ls_mem_entry **list;
    enum ls_mem_kind kind;

    if (!n)
        return;
    sort_out(device, n->left, gone, keep);
    sort_out(device, n->right, gone, keep);
    kind = n->range.kind;
    list =
        n->range.device != device || kind == LS_MEM_GLOBAL || (OTHERS & 1u << kind) ? keep : gone;
    n->left = NULL;
    n->right = *list;
    *list = n;
}

void
ls_mem_reset(uint32_t device)
{
    struct ls_mem_entry *gone = NULL, *keep = NULL, *a, *b;

    pthread_rwlock_wrlock(&lock);
    sort_out(device, root, &gone, &keep);
    root = NULL;
    while (keep) {
        struct ls_mem_entry *n = keep;

        keep = n->right;
        n->left = n->right = NULL;
        split(root, n->range.base, &a, &b);
        root = merge(merge(a, n), b);
    }
    pthread_rwlock_unlock(&lock);
    while (gone) {
        struct ls_mem_entry *next = gone->right;

        ls_strict_removed(&gone->range);
        release(&gone->range);
        free(gone);
        gone = next;
    }
}

#define NEAR_BYTES ((size_t)2 << 20) /* what is out of reach behind large allocations */

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
