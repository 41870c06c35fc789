/* SPDX-License-Identifier: MIT */
/* Small objects are cut from chunks, one behind the other. A chunk counts what lives in it, and is
 * used again when that is nothing. Several threads may make and delete at once. */
#include "compiler/door/news.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/heap.h"

enum {
    SMALL = 512, /* bytes; malloc gives what is larger */
    ALIGN = 16,
    CHUNK = 1 << 16,
    N_CHUNKS = 512, /* of a region */
    MOST_REGIONS = 16,
    OPEN = 1 << 30, /* is added to what lives in a chunk while objects are cut from it */
    NONE = -1,
};

static struct region {
    char *base;
    uint32_t live[N_CHUNKS];
} regions[MOST_REGIONS];
static unsigned n_regions; /* atomic: regions are filled before they are counted */

/* Under the lock: chunks that are free, and how many of the last region have been used. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int32_t free_chunk = NONE, next_free[MOST_REGIONS * N_CHUNKS];
static unsigned n_used = N_CHUNKS;

static __thread char *cursor, *end;
static __thread int32_t chunk = NONE;
static __thread uint32_t n_made; /* in this chunk */

static uint32_t *
live_in(int32_t which)
{
    return &regions[which / N_CHUNKS].live[which % N_CHUNKS];
}

static char *
start_of(int32_t which)
{
    return regions[which / N_CHUNKS].base + (size_t)(which % N_CHUNKS) * CHUNK;
}

static bool
add_region(void)
{
    void *base;

    if (n_regions == MOST_REGIONS)
        return false;
    base = mmap(NULL, (size_t)N_CHUNKS * CHUNK, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return false;
    regions[n_regions].base = base;
    n_used = 0;
    __atomic_store_n(&n_regions, n_regions + 1, __ATOMIC_RELEASE);
    return true;
}

static int32_t
take_chunk(void)
{
    int32_t which = NONE;

    pthread_mutex_lock(&lock);
    if (free_chunk != NONE) {
        which = free_chunk;
        free_chunk = next_free[which];
    } else if (n_used < N_CHUNKS || add_region()) {
        which = (int32_t)((n_regions - 1) * N_CHUNKS + n_used++);
    }
    pthread_mutex_unlock(&lock);
    return which;
}

/* So many objects of a chunk are gone. */
static void
subtract(int32_t which, uint32_t n)
{
    if (__atomic_sub_fetch(live_in(which), n, __ATOMIC_ACQ_REL) > 0)
        return;
    pthread_mutex_lock(&lock);
    next_free[which] = free_chunk;
    free_chunk = which;
    pthread_mutex_unlock(&lock);
}

static bool
open_chunk(void)
{
    if (chunk != NONE)
        subtract(chunk, OPEN - n_made);
    n_made = 0;
    cursor = end = NULL;
    chunk = take_chunk();
    if (chunk == NONE)
        return false;
    __atomic_store_n(live_in(chunk), OPEN, __ATOMIC_RELAXED);
    cursor = start_of(chunk);
    end = cursor + CHUNK;
    return true;
}

void *
ls_new(size_t bytes)
{
    size_t rounded = bytes ? (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1) : ALIGN;
    void *p;

    if (bytes <= SMALL && ((size_t)(end - cursor) >= rounded || open_chunk())) {
        p = cursor;
        cursor += rounded;
        n_made++;
        return p;
    }
    p = malloc(rounded);
    if (!p)
        abort();
    return p;
}

void
ls_delete(void *p)
{
    unsigned n = __atomic_load_n(&n_regions, __ATOMIC_ACQUIRE);

    for (unsigned i = 0; i < n; i++) {
        size_t at = (size_t)((uintptr_t)p - (uintptr_t)regions[i].base);

        if (at < (size_t)N_CHUNKS * CHUNK) {
            subtract((int32_t)(i * N_CHUNKS + at / CHUNK), 1);
            return;
        }
    }
    free(p);
}

void
ls_delete_sized(void *p, size_t bytes)
{
    if (bytes > SMALL)
        free(p);
    else
        ls_delete(p);
}

void
ls_news_drop(void)
{
    pthread_mutex_lock(&lock);
    for (int32_t i = free_chunk; i != NONE; i = next_free[i])
        madvise(start_of(i), CHUNK, MADV_DONTNEED);
    pthread_mutex_unlock(&lock);
    ls_heap_drop();
}
