/* SPDX-License-Identifier: MIT */
/* Device memory, apart from the C library's heap: a kernel that writes beyond its memory hits other
 * device memory, as on hardware, and not the host's data structures.
 *
 * Memory comes in zones of addresses, each cut into extents of whole pages. An extent knows its
 * neighbours, with whom it is joined when free; free extents lie in bins by size. What is not kept
 * for reuse has a mapping of its own. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "device/cpu/cpu_priv.h"

#define PAGE         LS_CPU_PAGE
#define HUGE_BYTES   ((size_t)2 << 20)
#define ZONE_BYTES   ((size_t)256 << 20)
#define ZONE_PAGES   (ZONE_BYTES / PAGE)
#define N_BINS       64u
#define KEEP_BYTES   ((size_t)256 << 20) /* so much free memory is kept for reuse */
#define RETURN_BYTES ((size_t)64 << 20)  /* pieces of this size are given back at once */

struct extent {
    uint32_t page, n_pages;
    bool is_free;
    struct extent *before, *behind; /* by address, in the zone */
    struct extent *next, *prev;     /* in its bin, when free */
    struct zone *zone;
};

struct zone {
    struct zone *next;
    char *base;
    struct extent *at[ZONE_PAGES]; /* by first page, of extents in use */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct zone *zones;          /* guarded by lock */
static struct extent *bins[N_BINS]; /* guarded by lock */
static uint64_t filled;             /* guarded by lock: bins that are not empty */
static size_t kept_bytes;           /* guarded by lock: how much free memory has pages, roughly */

/* The bin for n pages. There are two for each power of two; bins behind this one hold nothing
 * smaller than n. */
static uint32_t
bin_of(size_t n_pages)
{
    uint32_t log = 63u - (uint32_t)__builtin_clzll(n_pages), half;

    half = log > 0 ? (uint32_t)(n_pages >> (log - 1) & 1) : 0;
    return 2 * log + half;
}

static void
put_free(struct extent *e)
{
    uint32_t bin = bin_of(e->n_pages);

    e->is_free = true;
    e->prev = NULL;
    e->next = bins[bin];
    if (e->next)
        e->next->prev = e;
    bins[bin] = e;
    filled |= (uint64_t)1 << bin;
}

static void
take_free(struct extent *e)
{
    uint32_t bin = bin_of(e->n_pages);

    if (e->next)
        e->next->prev = e->prev;
    if (e->prev)
        e->prev->next = e->next;
    else
        bins[bin] = e->next;
    if (!bins[bin])
        filled &= ~((uint64_t)1 << bin);
    e->is_free = false;
}

/* Where addresses come from: the system; or one range, in turn, none of them twice. */
static struct {
    char *base, *end; /* NULL: the system */
    _Atomic(char *) next;
    bool is_file; /* all of the range is mapped already, of a file */
} range;

void
ls_heap_confine(void *base, size_t bytes, bool is_file)
{
    range.base = base;
    range.end = range.base + bytes;
    range.is_file = is_file;
    atomic_store(&range.next, range.base);
}

static void *
map_within(size_t bytes, size_t align, int prot)
{
    char *next = atomic_load(&range.next), *p;

    do {
        p = next + (align - (uintptr_t)next % align) % align;
        if (p > range.end || (size_t)(range.end - p) < bytes)
            return NULL;
    } while (!atomic_compare_exchange_weak(&range.next, &next, p + bytes));
    if (!range.is_file &&
        mmap(p, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != p)
        return NULL;
    return p;
}

void *
ls_heap_map(size_t bytes, size_t align, int prot)
{
    size_t all, head;
    char *p;

    if (range.base)
        return map_within(bytes, align, prot);
    if (__builtin_add_overflow(bytes, align, &all))
        return NULL;
    p = mmap(NULL, all, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    head = (align - (uintptr_t)p % align) % align;
    if (head)
        munmap(p, head);
    if (align > head)
        munmap(p + head + bytes, align - head);
    return p + head;
}

void *
ls_heap_place(void *at, size_t bytes)
{
    void *p;

    if (range.base) /* which goes on from its beginning */
        return NULL;
    p = mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == at)
        return p;
    if (p != MAP_FAILED)
        munmap(p, bytes);
    return NULL;
}

void
ls_heap_unmap(void *ptr, size_t bytes)
{
    if (!range.base)
        munmap(ptr, bytes);
    else if (range.is_file)
        madvise(ptr, bytes, MADV_REMOVE);
    else /* nobody else must get the addresses */
        mmap(ptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* Its pages go; what is read next is zero. */
static bool
drop_pages(void *ptr, size_t bytes)
{
    return madvise(ptr, bytes, range.is_file ? MADV_REMOVE : MADV_DONTNEED) == 0;
}

static bool
add_zone(void)
{
    struct zone *z = calloc(1, sizeof(*z));
    struct extent *e = calloc(1, sizeof(*e));

    if (!z || !e || !(z->base = ls_heap_map(ZONE_BYTES, ZONE_BYTES, PROT_READ | PROT_WRITE))) {
        free(z);
        free(e);
        return false;
    }
    z->next = zones;
    zones = z;
    e->zone = z;
    e->n_pages = ZONE_PAGES;
    put_free(e);
    return true;
}

/* How many pages of e lie in front of its first aligned page. */
static size_t
lead(const struct extent *e, size_t align_pages)
{
    return (align_pages - e->page % align_pages) % align_pages;
}

static struct extent *
find(size_t n_pages, size_t align_pages)
{
    uint64_t left = filled & ~(((uint64_t)1 << bin_of(n_pages)) - 1);

    while (left) {
        uint32_t bin = (uint32_t)__builtin_ctzll(left);

        for (struct extent *e = bins[bin]; e; e = e->next)
            if (e->n_pages >= n_pages + lead(e, align_pages))
                return e;
        left &= left - 1;
    }
    return NULL;
}

/* Cuts off what lies behind the first n_pages: the new extent, in no bin. NULL when out of
 * memory. */
static struct extent *
cut(struct extent *e, size_t n_pages)
{
    struct extent *rest = calloc(1, sizeof(*rest));

    if (!rest)
        return NULL;
    rest->zone = e->zone;
    rest->page = e->page + (uint32_t)n_pages;
    rest->n_pages = e->n_pages - (uint32_t)n_pages;
    rest->before = e;
    rest->behind = e->behind;
    if (rest->behind)
        rest->behind->before = rest;
    e->behind = rest;
    e->n_pages = (uint32_t)n_pages;
    return rest;
}

/* Joins e with its neighbour behind it. Neither may be in a bin. */
static void
join(struct extent *e)
{
    struct extent *gone = e->behind;

    e->n_pages += gone->n_pages;
    e->behind = gone->behind;
    if (e->behind)
        e->behind->before = e;
    free(gone);
}

/* An extent in use of exactly n_pages; lock held. */
static struct extent *
take(size_t n_pages, size_t align_pages)
{
    struct extent *e = find(n_pages, align_pages), *rest;
    size_t head;

    if (!e && add_zone())
        e = find(n_pages, align_pages);
    if (!e)
        return NULL;
    take_free(e);
    head = lead(e, align_pages);
    if (head) {
        rest = cut(e, head);
        put_free(e);
        if (!rest)
            return NULL;
        e = rest;
    }
    if (e->n_pages > n_pages) {
        rest = cut(e, n_pages);
        if (!rest) {
            put_free(e);
            return NULL;
        }
        put_free(rest);
    }
    e->zone->at[e->page] = e;
    return e;
}

/* The size of a piece with what lies behind it: whole pages, and the same for all sizes that need
 * as many, as the caller of free may know the size in bytes or in pages. Behind large pieces is a
 * gap that nobody can touch, so that a kernel which goes on there faults. The gap also keeps arrays
 * from lying at distances of a power of two, where accesses to several of them at once would meet
 * in the same memory banks. */
static size_t
footprint(size_t bytes)
{
    size_t whole = (bytes + PAGE - 1) / PAGE * PAGE;

    return whole + (whole >= LS_GUARDED_BYTES ? HUGE_BYTES : 0);
}

/* Sets the rights of the gap behind a piece of that size, if it has one. */
static bool
guard(void *ptr, size_t bytes, int rights)
{
    return bytes < LS_GUARDED_BYTES + HUGE_BYTES ||
           mprotect((char *)ptr + bytes - HUGE_BYTES, HUGE_BYTES, rights) == 0;
}

hipError_t
ls_cpu_alloc(struct ls_device *dev, enum ls_memory memory, size_t bytes, size_t align, void **ptr)
{
    struct extent *e;

    (void)dev, (void)memory; /* all of it is everybody's */
    if (bytes == 0 || bytes > SIZE_MAX / 2 || align > ZONE_BYTES / 2)
        return hipErrorOutOfMemory;
    if (align < PAGE)
        align = PAGE;
    if (bytes >= LS_GUARDED_BYTES && align < HUGE_BYTES)
        align = HUGE_BYTES;
    bytes = footprint(bytes);
    if (bytes >= RETURN_BYTES) {
        *ptr = ls_heap_map(bytes, align, PROT_READ | PROT_WRITE);
    } else {
        pthread_mutex_lock(&lock);
        e = take(bytes / PAGE, align / PAGE);
        *ptr = e ? e->zone->base + (size_t)e->page * PAGE : NULL;
        kept_bytes -= bytes < kept_bytes ? bytes : kept_bytes;
        pthread_mutex_unlock(&lock);
    }
    if (!*ptr)
        return hipErrorOutOfMemory;
    if (align >= HUGE_BYTES)
        madvise(*ptr, bytes / HUGE_BYTES * HUGE_BYTES, MADV_HUGEPAGE);
    guard(*ptr, bytes,
          PROT_NONE); /* may fail where the system gives no more mappings: then there is no gap */
    return hipSuccess;
}

void
ls_cpu_free(struct ls_device *dev, enum ls_memory memory, void *ptr, size_t bytes)
{
    uintptr_t base = (uintptr_t)ptr / ZONE_BYTES * ZONE_BYTES;
    struct zone *z;
    struct extent *e;

    (void)dev, (void)memory;
    bytes = footprint(bytes);
    if (bytes >= RETURN_BYTES) {
        ls_heap_unmap(ptr, bytes);
        return;
    }
    if (!guard(ptr, bytes, PROT_READ | PROT_WRITE))
        return; /* the gap cannot be opened again, so this memory is not reused */
    pthread_mutex_lock(&lock);
    for (z = zones; z && (uintptr_t)z->base != base; z = z->next)
        continue;
    e = z ? z->at[((uintptr_t)ptr - base) / PAGE] : NULL;
    if (!e || (size_t)e->n_pages * PAGE != bytes)
        LS_BUG("memory is freed that was not allocated so");
    z->at[e->page] = NULL;
    if (kept_bytes + bytes > KEEP_BYTES)
        drop_pages(ptr, bytes);
    else
        kept_bytes += bytes;
    if (e->behind && e->behind->is_free) {
        take_free(e->behind);
        join(e);
    }
    if (e->before && e->before->is_free) {
        e = e->before;
        take_free(e);
        join(e);
    }
    put_free(e);
    pthread_mutex_unlock(&lock);
}

void
ls_cpu_read(struct ls_device *dev, void *dst, const void *src, size_t bytes)
{
    (void)dev;
    if (bytes == 4 && (uintptr_t)src % 4 == 0) {
        uint32_t value = __atomic_load_n((const uint32_t *)src, __ATOMIC_SEQ_CST);

        memcpy(dst, &value, 4);
    } else if (bytes == 8 && (uintptr_t)src % 8 == 0) {
        uint64_t value = __atomic_load_n((const uint64_t *)src, __ATOMIC_SEQ_CST);

        memcpy(dst, &value, 8);
    } else {
        memcpy(dst, src, bytes);
    }
}

void
ls_cpu_write(struct ls_device *dev, void *dst, const void *src, size_t bytes)
{
    uint64_t value = 0;

    (void)dev;
    if (ls_checks())
        ls_check_wrote(dst, bytes);
    if (bytes == 4 && (uintptr_t)dst % 4 == 0) {
        memcpy(&value, src, 4);
        __atomic_store_n((uint32_t *)dst, (uint32_t)value, __ATOMIC_SEQ_CST);
    } else if (bytes == 8 && (uintptr_t)dst % 8 == 0) {
        memcpy(&value, src, 8);
        __atomic_store_n((uint64_t *)dst, value, __ATOMIC_SEQ_CST);
    } else {
        memcpy(dst, src, bytes);
    }
}

/* Large parts without touching them. */
void
ls_cpu_zero(struct ls_device *dev, void *ptr, size_t bytes)
{
    char *p = ptr, *lo = (char *)(((uintptr_t)p + PAGE - 1) / PAGE * PAGE);
    size_t inner;

    (void)dev;
    if (ls_checks())
        ls_check_wrote(ptr, bytes);
    if (bytes < 64 * PAGE) {
        memset(p, 0, bytes);
        return;
    }
    inner = (size_t)(p + bytes - lo) / PAGE * PAGE;
    if (!drop_pages(lo, inner))
        memset(lo, 0, inner);
    memset(p, 0, (size_t)(lo - p));
    memset(lo + inner, 0, (size_t)(p + bytes - lo) - inner);
}
