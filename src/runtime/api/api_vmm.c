/* SPDX-License-Identifier: MIT */
/* Virtual memory management. */
#include "runtime/api/api.h"
#include "runtime/mem/vmm.h"

static bool
is_place(const hipMemLocation *where)
{
    return where->type == hipMemLocationTypeDevice && ls_gpu_exists(where->id);
}

LS_EXPORT hipError_t
hipMemAddressReserve(void **ptr, size_t bytes, size_t align, void *hint, unsigned long long flags)
{
    LS_ENTER();
    LS_CHECK(ptr && flags == 0, hipErrorInvalidValue);
    LS_RETURN(ls_vmm_reserve(bytes, align, hint, ptr));
}

LS_EXPORT hipError_t
hipMemAddressFree(void *ptr, size_t bytes)
{
    LS_CHECK(ptr && bytes > 0, hipErrorInvalidValue);
    LS_RETURN(ls_vmm_unreserve(ptr, bytes));
}

LS_EXPORT hipError_t
hipMemCreate(hipMemGenericAllocationHandle_t *handle, size_t bytes,
             const hipMemAllocationProp *prop, unsigned long long flags)
{
    LS_ENTER();
    LS_CHECK(handle && bytes > 0 && flags == 0 && prop, hipErrorInvalidValue);
    LS_CHECK(prop->type == hipMemAllocationTypePinned && is_place(&prop->location),
             hipErrorInvalidValue);
    LS_CHECK(prop->requestedHandleType == hipMemHandleTypeNone ||
                 prop->requestedHandleType == hipMemHandleTypePosixFileDescriptor,
             hipErrorNotSupported);
    LS_RETURN(ls_vmm_create(bytes, prop, handle));
}

LS_EXPORT hipError_t
hipMemRelease(hipMemGenericAllocationHandle_t handle)
{
    LS_CHECK(handle, hipErrorInvalidValue);
    LS_RETURN(ls_vmm_release(handle));
}

LS_EXPORT hipError_t
hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t *handle, void *ptr)
{
    LS_ENTER();
    LS_CHECK(handle && ptr, hipErrorInvalidValue);
    LS_RETURN(ls_vmm_retain(ptr, handle));
}

LS_EXPORT hipError_t
hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp *prop,
                                        hipMemGenericAllocationHandle_t handle)
{
    LS_ENTER();
    LS_CHECK(prop && handle, hipErrorInvalidValue);
    LS_RETURN(ls_vmm_props(handle, prop));
}

LS_EXPORT hipError_t
hipMemGetAllocationGranularity(size_t *granularity, const hipMemAllocationProp *prop,
                               hipMemAllocationGranularity_flags option)
{
    LS_ENTER();
    LS_CHECK(granularity && prop, hipErrorInvalidValue);
    LS_CHECK(prop->type == hipMemAllocationTypePinned && is_place(&prop->location),
             hipErrorInvalidValue);
    LS_CHECK(option == hipMemAllocationGranularityMinimum ||
                 option == hipMemAllocationGranularityRecommended,
             hipErrorInvalidValue);
    *granularity = ls_vmm_granularity((uint32_t)prop->location.id,
                                      option == hipMemAllocationGranularityRecommended);
    LS_RETURN(hipSuccess);
}

/* The offset must be 0, as HIP says of it. */
LS_EXPORT hipError_t
hipMemMap(void *ptr, size_t bytes, size_t offset, hipMemGenericAllocationHandle_t handle,
          unsigned long long flags)
{
    LS_ENTER();
    LS_CHECK(ptr && bytes > 0 && offset == 0 && handle && flags == 0, hipErrorInvalidValue);
    LS_RETURN(ls_vmm_map(ptr, bytes, handle));
}

LS_EXPORT hipError_t
hipMemMapArrayAsync(hipArrayMapInfo *list, unsigned n, hipStream_t handle)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(list && n > 0, hipErrorInvalidValue);
    LS_TRY(ls_stream_resolve(handle, &stream));
    err = ls_err(hipErrorNotSupported, "sparse arrays");
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipMemUnmap(void *ptr, size_t bytes)
{
    hipError_t err, sticky;

    LS_CHECK(ptr && bytes > 0, hipErrorInvalidValue);
    sticky = ls_queue_wait_all(NULL);
    err = ls_vmm_unmap(ptr, bytes);
    LS_RETURN(err != hipSuccess ? err : sticky);
}

LS_EXPORT hipError_t
hipMemSetAccess(void *ptr, size_t bytes, const hipMemAccessDesc *desc, size_t n)
{
    LS_ENTER();
    LS_CHECK(ptr && bytes > 0 && desc && n > 0, hipErrorInvalidValue);
    for (size_t i = 0; i < n; i++)
        LS_CHECK(is_place(&desc[i].location), hipErrorInvalidValue);
    ls_queue_wait_all(NULL); /* what was enqueued has the access that there was */
    for (size_t i = 0; i < n; i++) {
        hipError_t err =
            ls_vmm_set_access(ptr, bytes, (uint32_t)desc[i].location.id, desc[i].flags);

        if (err != hipSuccess)
            LS_RETURN(err);
    }
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipMemGetAccess(unsigned long long *flags, const hipMemLocation *location, void *ptr)
{
    hipMemAccessFlags access;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(flags && location && ptr && is_place(location), hipErrorInvalidValue);
    LS_TRY(ls_vmm_get_access(ptr, (uint32_t)location->id, &access));
    *flags = access;
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipMemExportToShareableHandle(void *out, hipMemGenericAllocationHandle_t handle,
                              hipMemAllocationHandleType type, unsigned long long flags)
{
    LS_ENTER();
    LS_CHECK(out && handle && flags == 0, hipErrorInvalidValue);
    LS_RETURN(ls_vmm_export(handle, type, out));
}

/* `os_handle` points to the file descriptor. */
LS_EXPORT hipError_t
hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t *handle, void *os_handle,
                                hipMemAllocationHandleType type)
{
    LS_ENTER();
    LS_CHECK(handle && os_handle, hipErrorInvalidValue);
    LS_CHECK(type == hipMemHandleTypePosixFileDescriptor, hipErrorInvalidValue);
    LS_RETURN(ls_vmm_import(*(const int *)os_handle, handle));
}
