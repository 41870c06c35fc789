/* SPDX-License-Identifier: MIT */
/* Memory pools. The C library's allocator is the pool behind all of them: what is freed may be kept
 * for later use whatever the threshold says, and nothing is held that could be trimmed. */
#include <stdlib.h>
#include <string.h>

#include "runtime/api/api.h"

#define POOL_MAGIC 0x504f4f4cu

struct ihipMemPoolHandle_t {
    uint32_t magic;
    atomic_int reuse[3]; /* hipMemPoolReuse* */
    _Atomic uint64_t threshold;
};

static struct ihipMemPoolHandle_t default_pool = {.magic = POOL_MAGIC, .reuse = {1, 1, 1}};
static _Atomic(struct ihipMemPoolHandle_t *) current_pool = &default_pool;

static bool
is_pool(const struct ihipMemPoolHandle_t *pool)
{
    return pool && pool->magic == POOL_MAGIC;
}

LS_EXPORT hipError_t
hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int device)
{
    LS_START();
    LS_CHECK(pool, hipErrorInvalidValue);
    LS_CHECK(device == 0, hipErrorInvalidDevice);
    *pool = &default_pool;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDeviceGetMemPool(hipMemPool_t *pool, int device)
{
    LS_START();
    LS_CHECK(pool, hipErrorInvalidValue);
    LS_CHECK(device == 0, hipErrorInvalidDevice);
    *pool = atomic_load(&current_pool);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDeviceSetMemPool(int device, hipMemPool_t pool)
{
    LS_START();
    LS_CHECK(device == 0, hipErrorInvalidDevice);
    LS_CHECK(is_pool(pool), hipErrorInvalidValue);
    atomic_store(&current_pool, pool);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipMemPoolCreate(hipMemPool_t *out, const hipMemPoolProps *props)
{
    struct ihipMemPoolHandle_t *pool;

    LS_ENTER();
    LS_CHECK(out && props && props->allocType == hipMemAllocationTypePinned, hipErrorInvalidValue);
    LS_CHECK(props->location.type == hipMemLocationTypeDevice && props->location.id == 0,
             hipErrorInvalidValue);
    LS_CHECK(props->handleTypes == hipMemHandleTypeNone, hipErrorNotSupported);
    pool = calloc(1, sizeof(*pool));
    if (!pool)
        LS_RETURN(hipErrorOutOfMemory);
    pool->magic = POOL_MAGIC;
    for (int i = 0; i < 3; i++)
        atomic_store(&pool->reuse[i], 1);
    *out = pool;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipMemPoolDestroy(hipMemPool_t pool)
{
    LS_START();
    LS_CHECK(is_pool(pool) && pool != &default_pool, hipErrorInvalidValue);
    if (atomic_load(&current_pool) == pool)
        atomic_store(&current_pool, &default_pool);
    pool->magic = 0;
    free(pool);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipMemPoolTrimTo(hipMemPool_t pool, size_t keep)
{
    (void)keep;
    LS_START();
    LS_CHECK(is_pool(pool), hipErrorInvalidValue);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attr, void *value)
{
    LS_START();
    LS_CHECK(is_pool(pool) && value, hipErrorInvalidValue);
    switch (attr) {
    case hipMemPoolReuseFollowEventDependencies:
    case hipMemPoolReuseAllowOpportunistic:
    case hipMemPoolReuseAllowInternalDependencies:
        atomic_store(&pool->reuse[attr - hipMemPoolReuseFollowEventDependencies],
                     *(const int *)value);
        LS_RETURN(hipSuccess);
    case hipMemPoolAttrReleaseThreshold:
        atomic_store(&pool->threshold, *(const uint64_t *)value);
        LS_RETURN(hipSuccess);
    default:
        LS_RETURN(ls_err(hipErrorNotSupported, "pool attribute %d", (int)attr));
    }
}

LS_EXPORT hipError_t
hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attr, void *value)
{
    LS_START();
    LS_CHECK(is_pool(pool) && value, hipErrorInvalidValue);
    switch (attr) {
    case hipMemPoolReuseFollowEventDependencies:
    case hipMemPoolReuseAllowOpportunistic:
    case hipMemPoolReuseAllowInternalDependencies:
        *(int *)value = atomic_load(&pool->reuse[attr - hipMemPoolReuseFollowEventDependencies]);
        LS_RETURN(hipSuccess);
    case hipMemPoolAttrReleaseThreshold:
        *(uint64_t *)value = atomic_load(&pool->threshold);
        LS_RETURN(hipSuccess);
    default:
        LS_RETURN(ls_err(hipErrorNotSupported, "pool attribute %d", (int)attr));
    }
}

LS_EXPORT hipError_t
hipMallocFromPoolAsync(void **ptr, size_t bytes, hipMemPool_t pool, hipStream_t stream)
{
    LS_CHECK(is_pool(pool), hipErrorInvalidValue);
    return hipMallocAsync(ptr, bytes, stream);
}
