/* SPDX-License-Identifier: MIT */
/* Idle blocks lie in bins by size, the one freed last in front. */
#include "runtime/mem/pool.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/core/core.h"
#include "runtime/core/slab.h"
#include "runtime/mem/checked.h"
#include "runtime/mem/share.h"
#include "runtime/queue/queue.h"

#define N_BINS 192u /* four for each power of two from a page on */

/* The memory of blocks and pools is never freed, as another thread may have destroyed what a
 * pointer leads to. */
struct ls_pool_block {
    _Atomic(struct ihipMemPoolHandle_t *)
        pool; /* the pool, under whose lock this is written; NULL: the block is free */
    struct ls_mem_entry *entry;
    char *ptr;
    size_t bytes;
    bool idle;
    struct ihipStream_t *stream; /* idle: freed in it at `position`; NULL = usable by all */
    uint64_t position;
    struct ls_pool_block *next, *prev;         /* idle: in its bin */
    struct ls_pool_block *next_all, *prev_all; /* list of all blocks of the pool */
};

static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
static struct ls_slab blocks = {.item_bytes = sizeof(struct ls_pool_block),
                                .link_offset = offsetof(struct ls_pool_block, next)};

/* The lock guards all below it. Lock order: pools_lock, this, the queue's. */
struct ihipMemPoolHandle_t {
    pthread_mutex_t lock;
    struct ihipMemPoolHandle_t *next; /* guarded by pools_lock */
    hipMemPoolProps props;
    bool has_lock, imported;
    bool destroyed; /* guarded by pools_lock and lock: read with either */
    uint32_t device;                /* the device whose memory it gives */
    uint8_t access[LS_MAX_DEVICES]; /* hipMemAccessFlags */
    int reuse[3];                   /* hipMemPoolReuse* */
    uint64_t threshold, used, used_high, reserved, reserved_high;
    uint64_t filled[(N_BINS + 63) / 64]; /* bins that are not empty */
    struct ls_pool_block *bins[N_BINS], *all;
};

static struct ihipMemPoolHandle_t default_pools[LS_MAX_DEVICES];
static struct ls_slab pool_slab = {
    .item_bytes = sizeof(struct ihipMemPoolHandle_t),
    .link_offset = offsetof(struct ihipMemPoolHandle_t, next)}; /* guarded by pools_lock */
static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ihipMemPoolHandle_t *pools; /* guarded by pools_lock: the default ones first */
static _Atomic(struct ihipMemPoolHandle_t *) current[LS_MAX_DEVICES];
static _Atomic uint64_t idle_bytes; /* of all pools */

/* Initialises the lock once for each place in memory: it stays for the pools that have this place
 * later. */
static void
init_lock(struct ihipMemPoolHandle_t *pool)
{
    pthread_mutexattr_t adaptive;

    if (pool->has_lock)
        return;
    pool->has_lock = true;
    pthread_mutexattr_init(&adaptive);
    pthread_mutexattr_settype(&adaptive,
                              PTHREAD_MUTEX_ADAPTIVE_NP); /* held for moments: spin first */
    pthread_mutex_init(&pool->lock, &adaptive);
    pthread_mutexattr_destroy(&adaptive);
}

static void
init(struct ihipMemPoolHandle_t *pool, const hipMemPoolProps *props, uint32_t device)
{
    init_lock(pool);
    pthread_mutex_lock(&pool->lock);
    pool->props = *props;
    pool->imported = pool->destroyed = false;
    memset(pool->access, 0, sizeof(pool->access));
    pool->threshold = pool->used = pool->used_high = pool->reserved = pool->reserved_high = 0;
    pool->device = device;
    pool->access[device] = hipMemAccessFlagsProtReadWrite;
    for (int i = 0; i < 3; i++)
        pool->reuse[i] = 1;
    pthread_mutex_unlock(&pool->lock);
}

void
ls_pool_start(void)
{
    hipMemPoolProps props = {.allocType = hipMemAllocationTypePinned,
                             .location = {.type = hipMemLocationTypeDevice}};

    for (int i = ls_rt.n_devices; i-- > 0;) {
        props.location.id = i;
        init(&default_pools[i], &props, (uint32_t)i);
        default_pools[i].next = pools;
        pools = &default_pools[i];
        atomic_store(&current[i], &default_pools[i]);
    }
}

struct ihipMemPoolHandle_t *
ls_pool_default(uint32_t device)
{
    return &default_pools[device];
}

bool
ls_pool_is_default(const struct ihipMemPoolHandle_t *pool)
{
    const uintptr_t at = (uintptr_t)pool, first = (uintptr_t)default_pools;

    return at >= first && at < first + sizeof(default_pools);
}

struct ihipMemPoolHandle_t *
ls_pool_current(uint32_t device)
{
    return atomic_load(&current[device]);
}

hipError_t
ls_pool_set_current(uint32_t device, struct ihipMemPoolHandle_t *pool)
{
    if (pool->device != device)
        return ls_err(hipErrorInvalidDevice, "a pool of device %u", pool->device);
    atomic_store(&current[device], pool);
    return hipSuccess;
}

void
ls_pool_set_access(struct ihipMemPoolHandle_t *pool, uint32_t device, hipMemAccessFlags flags)
{
    pthread_mutex_lock(&pool->lock);
    if (device != pool->device) /* the access of its own device cannot be changed */
        pool->access[device] = (uint8_t)flags;
    pthread_mutex_unlock(&pool->lock);
}

hipMemAccessFlags
ls_pool_get_access(struct ihipMemPoolHandle_t *pool, uint32_t device)
{
    hipMemAccessFlags flags;

    pthread_mutex_lock(&pool->lock);
    flags = (hipMemAccessFlags)pool->access[device];
    pthread_mutex_unlock(&pool->lock);
    return flags;
}

bool
ls_pool_is_valid(const struct ihipMemPoolHandle_t *pool)
{
    const struct ihipMemPoolHandle_t *p;
    bool valid;

    pthread_mutex_lock(&pools_lock);
    for (p = pools; p && p != pool; p = p->next)
        continue;
    valid = p && !p->destroyed;
    pthread_mutex_unlock(&pools_lock);
    return valid;
}

struct ihipMemPoolHandle_t *
ls_pool_create(const hipMemPoolProps *props, bool imported)
{
    struct ihipMemPoolHandle_t *pool;

    pthread_mutex_lock(&pools_lock);
    pool = ls_slab_get(&pool_slab);
    if (pool) {
        init(pool, props, (uint32_t)props->location.id);
        pool->imported = imported;
        pool->next = default_pools[0].next;
        default_pools[0].next = pool;
    }
    pthread_mutex_unlock(&pools_lock);
    return pool;
}

const hipMemPoolProps *
ls_pool_props(const struct ihipMemPoolHandle_t *pool)
{
    return &pool->props;
}

/* Bins */

static uint32_t
bin_of(size_t bytes)
{
    size_t n = bytes / LS_MEM_PAGE;
    uint32_t log, bin;

    if (n < 4)
        return (uint32_t)n;
    log = 63u - (uint32_t)__builtin_clzll(n);
    bin = 4 + (log - 2) * 4 + (uint32_t)(n >> (log - 2) & 3);
    return bin < N_BINS ? bin : N_BINS - 1;
}

static void
put_idle(struct ls_pool_block *b)
{
    struct ihipMemPoolHandle_t *pool = b->pool;
    uint32_t bin = bin_of(b->bytes);

    b->idle = true;
    b->prev = NULL;
    b->next = pool->bins[bin];
    if (b->next)
        b->next->prev = b;
    pool->bins[bin] = b;
    pool->filled[bin / 64] |= (uint64_t)1 << bin % 64;
    pool->used -= b->bytes;
    atomic_fetch_add(&idle_bytes, b->bytes);
}

static void
take_idle(struct ls_pool_block *b)
{
    struct ihipMemPoolHandle_t *pool = b->pool;
    uint32_t bin = bin_of(b->bytes);

    if (b->next)
        b->next->prev = b->prev;
    if (b->prev)
        b->prev->next = b->next;
    else
        pool->bins[bin] = b->next;
    if (!pool->bins[bin])
        pool->filled[bin / 64] &= ~((uint64_t)1 << bin % 64);
    b->idle = false;
    pool->used += b->bytes;
    atomic_fetch_sub(&idle_bytes, b->bytes);
}

static bool
is_done(const struct ls_pool_block *b)
{
    return !b->stream || atomic_load(&b->stream->n_done) >= b->position;
}

/* Whether work that `stream` gets from now on may use the block. */
static bool
is_usable(struct ls_pool_block *b, size_t bytes, const struct ihipStream_t *stream)
{
    const int *reuse = b->pool->reuse - hipMemPoolReuseFollowEventDependencies;

    if (b->bytes < bytes || b->bytes / 2 > bytes)
        return false;
    if (!b->stream || b->stream == stream)
        return true;
    if (b->bytes - bytes > bytes / 8 + LS_MEM_PAGE)
        return false;
    if (reuse[hipMemPoolReuseAllowOpportunistic] && is_done(b))
        return true;
    return reuse[hipMemPoolReuseFollowEventDependencies] &&
           ls_stream_has_waited(stream, b->stream, b->position);
}

static struct ls_pool_block *
find_idle(struct ihipMemPoolHandle_t *pool, size_t bytes, const struct ihipStream_t *stream)
{
    uint32_t bin = bin_of(bytes), last = bin_of(bytes * 2);

    for (; bin <= last; bin++) {
        if (!(pool->filled[bin / 64] >> bin % 64 & 1))
            continue;
        for (struct ls_pool_block *b = pool->bins[bin]; b; b = b->next)
            if (is_usable(b, bytes, stream))
                return b;
    }
    return NULL;
}

static struct ls_pool_block *
get_block(void)
{
    struct ls_pool_block *b;

    pthread_mutex_lock(&blocks_lock);
    b = ls_slab_get(&blocks);
    pthread_mutex_unlock(&blocks_lock);
    return b;
}

static void
put_block(struct ls_pool_block *b)
{
    if (!b)
        return;
    atomic_store(&b->pool, NULL);
    pthread_mutex_lock(&blocks_lock);
    ls_slab_put(&blocks, b);
    pthread_mutex_unlock(&blocks_lock);
}

/* Returns a block's memory to the system. */
static void
destroy_block(struct ls_pool_block *b)
{
    struct ihipMemPoolHandle_t *pool = b->pool;
    struct ls_device *dev = &ls_rt.gpus[pool->device].dev;
    struct ls_mem_range range;

    if (b->idle)
        take_idle(b);
    pool->used -= b->bytes;
    pool->reserved -= b->bytes;
    if (b->next_all)
        b->next_all->prev_all = b->prev_all;
    if (b->prev_all)
        b->prev_all->next_all = b->next_all;
    else
        pool->all = b->next_all;
    if (ls_mem_take(b->ptr, 1u << LS_MEM_POOL, &range))
        ls_mem_is_intact(&range, "as is found when the pool gives it back");
    else
        range.exported = false;
    if (range.exported)
        ls_share_free(b->ptr, ls_mem_whole(b->bytes));
    else
        dev->ops->mem.free(dev, LS_MEMORY_DEVICE, b->ptr, ls_mem_whole(b->bytes));
    ls_mem_discharge(pool->device, b->bytes);
    put_block(b);
}

/* Lock held. */
static void
trim(struct ihipMemPoolHandle_t *pool, uint64_t keep)
{
    struct ls_pool_block *next;

    for (struct ls_pool_block *b = pool->all; b && pool->reserved > keep; b = next) {
        next = b->next_all;
        if (b->idle && is_done(b))
            destroy_block(b);
    }
}

static hipError_t
create_block(struct ihipMemPoolHandle_t *pool, size_t bytes, struct ls_pool_block **out)
{
    struct ls_device *dev = &ls_rt.gpus[pool->device].dev;
    size_t whole = ls_mem_whole(bytes);
    struct ls_pool_block *b;
    hipError_t err;
    void *ptr;

    if (pool->imported)
        return ls_err(hipErrorInvalidValue, "an imported pool gives no memory");
    if (whole < bytes || (pool->props.maxSize && (bytes > pool->props.maxSize ||
                                                  pool->reserved > pool->props.maxSize - bytes)))
        return ls_err(hipErrorOutOfMemory, "%zu bytes from a pool of %zu", bytes,
                      pool->props.maxSize);
    err = ls_mem_charge(pool->device, bytes);
    if (err != hipSuccess) {
        trim(pool, 0);
        err = ls_mem_charge(pool->device, bytes);
    }
    if (err != hipSuccess)
        return err;
    b = get_block();
    err = b ? dev->ops->mem.alloc(dev, LS_MEMORY_DEVICE, whole, LS_MEM_PAGE, &ptr)
            : hipErrorOutOfMemory;
    if (err == hipSuccess) {
        ls_mem_seal(dev, ptr, bytes);
        b->ptr = ptr;
        b->bytes = bytes;
        b->idle = false;
        b->stream = NULL;
        b->next = b->prev = b->prev_all = NULL;
        atomic_store(&b->pool, pool);
        b->entry = ls_mem_add((struct ls_mem_range){.base = ptr,
                                                    .bytes = bytes,
                                                    .kind = LS_MEM_POOL,
                                                    .owner = b,
                                                    .device = (uint8_t)pool->device,
                                                    .access = hipMemAccessFlagsProtReadWrite});
        if (!b->entry) {
            dev->ops->mem.free(dev, LS_MEMORY_DEVICE, ptr, whole);
            err = hipErrorOutOfMemory;
        }
    }
    if (err != hipSuccess) {
        put_block(b);
        ls_mem_discharge(pool->device, bytes);
        return ls_err(err, "%zu bytes from a pool", bytes);
    }
    b->next_all = pool->all;
    if (b->next_all)
        b->next_all->prev_all = b;
    pool->all = b;
    pool->used += bytes;
    pool->reserved += bytes;
    *out = b;
    return hipSuccess;
}

hipError_t
ls_pool_alloc(struct ihipMemPoolHandle_t *pool, size_t bytes, struct ihipStream_t *stream,
              void **ptr)
{
    struct ls_pool_block *b;
    hipError_t err = hipSuccess;

    *ptr = NULL;
    if (bytes == 0)
        return hipSuccess;
    if (bytes > SIZE_MAX / 4)
        return ls_err(hipErrorOutOfMemory, "%zu bytes", bytes);
    pthread_mutex_lock(&pool->lock);
    if (pool->destroyed) {
        pthread_mutex_unlock(&pool->lock);
        return ls_err(hipErrorInvalidValue, "the pool is destroyed");
    }
    b = find_idle(pool, bytes, stream);
    if (b) {
        take_idle(b);
        ls_mem_hide(b->entry, false);
        ls_checked_shown(b->ptr, bytes);
    } else {
        err = create_block(pool, bytes, &b);
    }
    if (err == hipSuccess) {
        if (pool->used > pool->used_high)
            pool->used_high = pool->used;
        if (pool->reserved > pool->reserved_high)
            pool->reserved_high = pool->reserved;
        *ptr = b->ptr;
    }
    pthread_mutex_unlock(&pool->lock);
    return err;
}

hipError_t
ls_pool_free(struct ls_pool_block *b, const void *ptr, struct ihipStream_t *stream)
{
    struct ihipMemPoolHandle_t *pool =
        atomic_load_explicit(&b->pool, memory_order_acquire); /* acquire: its lock is initialised */
    uint64_t position = stream ? ls_stream_position(stream) : 0;
    bool is_used;

    if (!pool)
        return ls_err(hipErrorInvalidValue, "%p was freed before", ptr);
    pthread_mutex_lock(&pool->lock);
    is_used = atomic_load_explicit(&b->pool, memory_order_relaxed) == pool && b->ptr == ptr &&
              !b->idle; /* relaxed: written under the lock */
    if (is_used) {
        ls_mem_hide(b->entry, true);
        b->stream = stream;
        b->position = position;
        put_idle(b);
    }
    pthread_mutex_unlock(&pool->lock);
    return is_used ? hipSuccess : ls_err(hipErrorInvalidValue, "%p was freed before", ptr);
}

void
ls_pool_trim(struct ihipMemPoolHandle_t *pool, uint64_t keep)
{
    pthread_mutex_lock(&pool->lock);
    trim(pool, keep);
    pthread_mutex_unlock(&pool->lock);
}

/* Returns what pools hold beyond their threshold; frees destroyed ones that are empty. */
static void
trim_all(void)
{
    struct ihipMemPoolHandle_t **at = &pools;

    pthread_mutex_lock(&pools_lock);
    while (*at) {
        struct ihipMemPoolHandle_t *pool = *at;

        pthread_mutex_lock(&pool->lock);
        trim(pool, pool->threshold);
        pthread_mutex_unlock(&pool->lock);
        if (pool->destroyed && !pool->all) {
            *at = pool->next;
            ls_slab_put(&pool_slab, pool);
        } else {
            at = &pool->next;
        }
    }
    pthread_mutex_unlock(&pools_lock);
}

void
ls_pool_destroy(struct ihipMemPoolHandle_t *pool)
{
    struct ihipMemPoolHandle_t *self = pool;

    atomic_compare_exchange_strong(&current[pool->device], &self, &default_pools[pool->device]);
    pthread_mutex_lock(&pools_lock);
    pthread_mutex_lock(&pool->lock);
    pool->destroyed = true;
    pool->threshold = 0;
    pthread_mutex_unlock(&pool->lock);
    pthread_mutex_unlock(&pools_lock);
    trim_all();
}

void
ls_pool_synced(void)
{
    if (atomic_load_explicit(&idle_bytes, memory_order_relaxed) >
        0) /* relaxed: what another thread frees at this moment may wait for the next time */
        trim_all();
}

void
ls_pool_reset(uint32_t device)
{
    pthread_mutex_lock(&pools_lock);
    for (struct ihipMemPoolHandle_t *pool = pools; pool; pool = pool->next) {
        pthread_mutex_lock(&pool->lock);
        while (pool->device == device && pool->all)
            destroy_block(pool->all);
        pthread_mutex_unlock(&pool->lock);
    }
    pthread_mutex_unlock(&pools_lock);
}

/* Attributes */

hipError_t
ls_pool_set_attribute(struct ihipMemPoolHandle_t *pool, hipMemPoolAttr attr, const void *value)
{
    hipError_t err = hipSuccess;

    pthread_mutex_lock(&pool->lock);
    switch (attr) {
    case hipMemPoolReuseFollowEventDependencies:
    case hipMemPoolReuseAllowOpportunistic:
    case hipMemPoolReuseAllowInternalDependencies:
        pool->reuse[attr - hipMemPoolReuseFollowEventDependencies] = *(const int *)value != 0;
        break;
    case hipMemPoolAttrReleaseThreshold:
        pool->threshold = *(const uint64_t *)value;
        break;
    case hipMemPoolAttrReservedMemHigh:
    case hipMemPoolAttrUsedMemHigh: /* can only be set to 0 */
        if (*(const uint64_t *)value != 0)
            err = hipErrorInvalidValue;
        else if (attr == hipMemPoolAttrReservedMemHigh)
            pool->reserved_high = 0;
        else
            pool->used_high = 0;
        break;
    case hipMemPoolAttrReservedMemCurrent:
    case hipMemPoolAttrUsedMemCurrent:
    default:
        err = hipErrorInvalidValue;
        break;
    }
    pthread_mutex_unlock(&pool->lock);
    return err == hipSuccess ? err : ls_err(err, "pool attribute %d can't be set so", (int)attr);
}

hipError_t
ls_pool_get_attribute(struct ihipMemPoolHandle_t *pool, hipMemPoolAttr attr, void *value)
{
    hipError_t err = hipSuccess;

    pthread_mutex_lock(&pool->lock);
    switch (attr) {
    case hipMemPoolReuseFollowEventDependencies:
    case hipMemPoolReuseAllowOpportunistic:
    case hipMemPoolReuseAllowInternalDependencies:
        *(int *)value = pool->reuse[attr - hipMemPoolReuseFollowEventDependencies];
        break;
    case hipMemPoolAttrReleaseThreshold:
        *(uint64_t *)value = pool->threshold;
        break;
    case hipMemPoolAttrReservedMemCurrent:
        *(uint64_t *)value = pool->reserved;
        break;
    case hipMemPoolAttrReservedMemHigh:
        *(uint64_t *)value = pool->reserved_high;
        break;
    case hipMemPoolAttrUsedMemCurrent:
        *(uint64_t *)value = pool->used;
        break;
    case hipMemPoolAttrUsedMemHigh:
        *(uint64_t *)value = pool->used_high;
        break;
    default:
        err = ls_err(hipErrorInvalidValue, "pool attribute %d", (int)attr);
        break;
    }
    pthread_mutex_unlock(&pool->lock);
    return err;
}
