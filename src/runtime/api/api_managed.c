/* SPDX-License-Identifier: MIT */
/* Managed memory, advice about where it should be, and prefetches. Nothing moves, as there is one
 * memory. Memory that HIP doesn't know counts as managed too, as devices can read all of the
 * host's. */
#include <stdlib.h>

#include "runtime/api/api.h"
#include "runtime/graph/capture.h"
#include "runtime/mem/advice.h"
#include "runtime/module/register.h"

LS_EXPORT hipError_t
hipMallocManaged(void **ptr, size_t bytes, unsigned flags)
{
    LS_ENTER();
    LS_NOT_CAPTURING();
    LS_CHECK(ptr && bytes > 0, hipErrorInvalidValue);
    LS_CHECK(flags == hipMemAttachGlobal || flags == hipMemAttachHost, hipErrorInvalidValue);
    ls_registered_warm_up(&ls_gpu_current()->dev);
    LS_RETURN(ls_mem_alloc(LS_MEM_MANAGED, bytes, LS_MEM_PAGE, flags, ptr));
}

/* hipSuccess when advice may be given for [ptr, ptr + bytes): it is managed, registered or unknown
 * to HIP. */
static hipError_t
check_range(const void *ptr, size_t bytes)
{
    struct ls_mem_range range;

    if (!ptr || bytes == 0)
        return hipErrorInvalidValue;
    if (!ls_mem_find(ptr, &range))
        return hipSuccess;
    if (range.kind != LS_MEM_MANAGED && range.kind != LS_MEM_REGISTERED)
        return ls_err(hipErrorInvalidValue, "%p is not managed memory", ptr);
    if (bytes > range.bytes - (size_t)((const char *)ptr - range.base))
        return ls_err(hipErrorInvalidValue, "%zu bytes leave the allocation", bytes);
    return hipSuccess;
}

static bool
is_place(int device)
{
    return device == hipCpuDeviceId || (ls_gpu_exists(device));
}

LS_EXPORT hipError_t
hipMemPrefetchAsync(const void *ptr, size_t bytes, int device, hipStream_t handle)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(ptr && bytes > 0, hipErrorInvalidValue);
    LS_TRY(ls_stream_resolve(handle, &stream));
    LS_TRY(check_range(ptr, bytes));
    LS_CHECK(is_place(device), hipErrorInvalidDevice);
    err = ls_advice_prefetch(ptr, bytes, device);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipMemAdvise(const void *ptr, size_t bytes, hipMemoryAdvise advice, int device)
{
    bool any_device = advice == hipMemAdviseSetReadMostly || advice == hipMemAdviseUnsetReadMostly;
    hipError_t err;

    LS_ENTER();
    LS_CHECK((advice >= hipMemAdviseSetReadMostly && advice <= hipMemAdviseUnsetAccessedBy) ||
                 advice == hipMemAdviseSetCoarseGrain || advice == hipMemAdviseUnsetCoarseGrain,
             hipErrorInvalidValue);
    LS_CHECK(any_device || is_place(device), hipErrorInvalidDevice);
    LS_TRY(check_range(ptr, bytes));
    err = ls_advice_set(ptr, bytes, advice, device);
out:
    LS_RETURN(err);
}

/* Memory that is not managed has the coherency that it was allocated with. */
static bool
has_own_grain(const void *ptr, int *grain)
{
    struct ls_mem_range range;
    bool fine;

    if (!ptr || !ls_mem_find(ptr, &range))
        return false;
    switch (range.kind) {
    case LS_MEM_DEVICE:
        fine = range.flags == hipDeviceMallocFinegrained || range.flags == hipMallocSignalMemory ||
               range.flags == hipDeviceMallocUncached;
        break;
    case LS_MEM_HOST:
        fine = !(range.flags & hipHostMallocNonCoherent);
        break;
    case LS_MEM_POOL:
    case LS_MEM_VIRTUAL:
    case LS_MEM_SHARED:
        fine = false;
        break;
    default:
        return false;
    }
    *grain = fine ? hipMemRangeCoherencyModeFineGrain : hipMemRangeCoherencyModeCoarseGrain;
    return true;
}

LS_EXPORT hipError_t
hipMemRangeGetAttribute(void *data, size_t data_bytes, hipMemRangeAttribute attribute,
                        const void *ptr, size_t bytes)
{
    hipError_t err;
    int grain;

    LS_ENTER();
    LS_CHECK(data && data_bytes > 0, hipErrorInvalidValue);
    if (attribute == hipMemRangeAttributeCoherencyMode && data_bytes == sizeof(int) && bytes > 0 &&
        has_own_grain(ptr, &grain)) {
        *(int *)data = grain;
        LS_RETURN(hipSuccess);
    }
    LS_TRY(check_range(ptr, bytes));
    err = ls_advice_get(ptr, bytes, attribute, data, data_bytes);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipMemRangeGetAttributes(void **data, size_t *data_bytes, hipMemRangeAttribute *attributes,
                         size_t n, const void *ptr, size_t bytes)
{
    struct ls_mem_range range;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(data && data_bytes && attributes && n > 0, hipErrorInvalidValue);
    LS_TRY(check_range(ptr, bytes));
    LS_CHECK(ls_mem_find(ptr, &range), hipErrorInvalidValue);
    for (size_t i = 0; i < n; i++)
        LS_CHECK(data[i], hipErrorInvalidValue);
    for (size_t i = 0; i < n; i++)
        LS_TRY(ls_advice_get(ptr, bytes, attributes[i], data[i], data_bytes[i]));
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipStreamAttachMemAsync(hipStream_t handle, void *ptr, size_t bytes, unsigned flags)
{
    struct ihipStream_t *stream;
    struct ls_mem_range range;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(ptr, hipErrorInvalidValue);
    LS_TRY(ls_stream_resolve(handle, &stream));
    LS_CHECK(flags == hipMemAttachGlobal || flags == hipMemAttachHost ||
                 flags == hipMemAttachSingle,
             hipErrorInvalidValue);
    LS_CHECK(flags != hipMemAttachSingle || handle, hipErrorInvalidValue);
    if (!ls_mem_find(ptr, &range))
        LS_CHECK(bytes > 0,
                 hipErrorInvalidValue); /* of memory that HIP doesn't know the size must be given */
    else if (range.kind == LS_MEM_MANAGED)
        LS_CHECK(bytes == 0 || bytes == range.bytes, hipErrorInvalidValue);
out:
    LS_RETURN(err);
}

/* By location */

static hipError_t
place_of(const hipMemLocation *where, int *device)
{
    switch (where->type) {
    case hipMemLocationTypeDevice:
        *device = where->id;
        return is_place(where->id) && where->id >= 0 ? hipSuccess : hipErrorInvalidDevice;
    case hipMemLocationTypeHost:
    case hipMemLocationTypeHostNuma:
    case hipMemLocationTypeHostNumaCurrent:
        *device = hipCpuDeviceId;
        return hipSuccess;
    case hipMemLocationTypeInvalid:
    default:
        return ls_err(hipErrorInvalidValue, "location type %d", (int)where->type);
    }
}

LS_EXPORT hipError_t
hipMemPrefetchAsync_v2(const void *ptr, size_t bytes, hipMemLocation location, unsigned flags,
                       hipStream_t stream)
{
    hipError_t err;
    int device;

    LS_ENTER();
    LS_CHECK(flags == 0, hipErrorInvalidValue);
    err = place_of(&location, &device);
    LS_RETURN(err == hipSuccess ? hipMemPrefetchAsync(ptr, bytes, device, stream) : err);
}

LS_EXPORT hipError_t
hipMemAdvise_v2(const void *ptr, size_t bytes, hipMemoryAdvise advice, hipMemLocation location)
{
    hipError_t err;
    int device;

    LS_ENTER();
    err = place_of(&location, &device);
    LS_RETURN(err == hipSuccess ? hipMemAdvise(ptr, bytes, advice, device) : err);
}

/* Batches: all is checked before anything is done. */

struct batch {
    void **ptrs;
    const size_t *sizes;
    size_t n;
    const hipMemLocation *places;
    const size_t *first; /* number of the first range for each place */
    size_t n_places;
};

static hipError_t
check_batch(const struct batch *b, unsigned long long flags, hipStream_t handle)
{
    struct ihipStream_t *stream;
    struct ls_mem_range range;
    hipError_t err;

    LS_TRY(ls_stream_resolve(handle, &stream));
    if (!b->ptrs || !b->sizes || b->n == 0 || flags != 0)
        return ls_err(hipErrorInvalidValue, "%zu ranges, flags 0x%llx", b->n, flags);
    for (size_t i = 0; i < b->n; i++) {
        LS_TRY(check_range(b->ptrs[i], b->sizes[i]));
        if (!ls_mem_find(b->ptrs[i], &range))
            return ls_err(hipErrorInvalidValue, "%p is not managed memory", b->ptrs[i]);
    }
out:
    return err;
}

static hipError_t
check_places(const struct batch *b)
{
    hipError_t err = hipSuccess;
    int device;

    if (!b->places || !b->first || b->n_places == 0 || b->n_places > b->n || b->first[0] != 0)
        return ls_err(hipErrorInvalidValue, "%zu places for %zu ranges", b->n_places, b->n);
    for (size_t k = 0; k < b->n_places; k++) {
        if (b->first[k] >= b->n || (k > 0 && b->first[k] <= b->first[k - 1]))
            return ls_err(hipErrorInvalidValue, "place %zu begins with range %zu", k, b->first[k]);
        err = place_of(&b->places[k], &device);
        if (err != hipSuccess)
            return hipErrorInvalidValue; /* also for a device that does not exist, for which
                                            hipMemPrefetchAsync has another error */
    }
    return err;
}

static hipError_t
prefetch_all(const struct batch *b)
{
    hipError_t err = hipSuccess;
    int device;

    for (size_t i = 0, k = 0; i < b->n; i++) {
        while (k + 1 < b->n_places && b->first[k + 1] <= i)
            k++;
        LS_TRY(place_of(&b->places[k], &device));
        LS_TRY(ls_advice_prefetch(b->ptrs[i], b->sizes[i], device));
    }
out:
    return err;
}

static hipError_t
run_batch(const struct batch *b, bool prefetches, unsigned long long flags, hipStream_t stream)
{
    hipError_t err;

    LS_ENTER();
    LS_TRY(check_batch(b, flags, stream));
    if (prefetches) {
        LS_TRY(check_places(b));
        err = prefetch_all(b);
    }
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipMemPrefetchBatchAsync(void **ptrs, size_t *sizes, size_t n, hipMemLocation *places,
                         size_t *first, size_t n_places, unsigned long long flags,
                         hipStream_t stream)
{
    return run_batch(&(struct batch){ptrs, sizes, n, places, first, n_places}, true, flags, stream);
}

LS_EXPORT hipError_t
hipMemDiscardBatchAsync(void **ptrs, size_t *sizes, size_t n, unsigned long long flags,
                        hipStream_t stream)
{
    return run_batch(&(struct batch){ptrs, sizes, n, NULL, NULL, 0}, false, flags, stream);
}

LS_EXPORT hipError_t
hipDrvMemDiscardBatchAsync(hipDeviceptr_t *ptrs, size_t *sizes, size_t n, unsigned long long flags,
                           hipStream_t stream)
{
    return hipMemDiscardBatchAsync(ptrs, sizes, n, flags, stream);
}

LS_EXPORT hipError_t
hipMemDiscardAndPrefetchBatchAsync(void **ptrs, size_t *sizes, size_t n, hipMemLocation *places,
                                   size_t *first, size_t n_places, unsigned long long flags,
                                   hipStream_t stream)
{
    return run_batch(&(struct batch){ptrs, sizes, n, places, first, n_places}, true, flags, stream);
}

LS_EXPORT hipError_t
hipDrvMemDiscardAndPrefetchBatchAsync(hipDeviceptr_t *ptrs, size_t *sizes, size_t n,
                                      hipMemLocation *places, size_t *first, size_t n_places,
                                      unsigned long long flags, hipStream_t stream)
{
    return run_batch(&(struct batch){ptrs, sizes, n, places, first, n_places}, true, flags, stream);
}
