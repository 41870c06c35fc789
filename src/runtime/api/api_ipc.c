/* SPDX-License-Identifier: MIT */
/* Memory and events between processes. */
#include <string.h>
#include <unistd.h>

#include "runtime/api/api.h"
#include "runtime/mem/share.h"

LS_EXPORT hipError_t
hipIpcGetMemHandle(hipIpcMemHandle_t *out, void *ptr)
{
    struct ls_share_handle handle;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(out && ptr, hipErrorInvalidValue);
    LS_TRY(ls_share_export(ptr, &handle));
    memset(out, 0, sizeof(*out));
    memcpy(out->reserved, &handle, sizeof(handle));
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipIpcOpenMemHandle(void **ptr, hipIpcMemHandle_t in, unsigned flags)
{
    struct ls_share_handle handle;

    LS_ENTER();
    LS_CHECK(ptr && flags == hipIpcMemLazyEnablePeerAccess, hipErrorInvalidValue);
    memcpy(&handle, in.reserved, sizeof(handle));
    LS_CHECK(handle.bytes > 0, hipErrorInvalidValue);
    LS_CHECK(handle.pid != (int32_t)getpid(), hipErrorInvalidContext);
    LS_RETURN(ls_share_open(&handle, false, ptr));
}

LS_EXPORT hipError_t
hipIpcCloseMemHandle(void *ptr)
{
    struct ls_mem_range range;

    LS_CHECK(ptr, hipErrorInvalidValue);
    ls_queue_wait_all(NULL);
    LS_CHECK(ls_mem_find(ptr, &range) && range.kind == LS_MEM_SHARED &&
                 ls_share_is_opened(ptr),
             hipErrorInvalidValue);
    LS_RETURN(ls_share_close(ptr));
}

LS_EXPORT hipError_t
hipIpcGetEventHandle(hipIpcEventHandle_t *out, hipEvent_t event)
{
    struct ls_share_handle handle;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(out && event, hipErrorInvalidValue);
    LS_CHECK(ls_event_is_valid(event), hipErrorInvalidHandle);
    LS_CHECK(event->shared, hipErrorInvalidConfiguration);
    LS_TRY(ls_sealed_describe(event->shared_fd, 0, sizeof(*event->shared), &handle));
    memset(out, 0, sizeof(*out));
    memcpy(out->reserved, &handle, sizeof(handle));
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipIpcOpenEventHandle(hipEvent_t *event, hipIpcEventHandle_t in)
{
    struct ls_share_handle handle;
    struct ls_shared_event *shared;
    int fd;

    LS_ENTER();
    LS_CHECK(event, hipErrorInvalidValue);
    memcpy(&handle, in.reserved, sizeof(handle));
    LS_CHECK(handle.bytes > 0, hipErrorInvalidValue);
    LS_CHECK(handle.pid != (int32_t)getpid(), hipErrorInvalidContext);
    fd = ls_sealed_open(&handle, LS_SHARED_EVENT_NAME);
    LS_CHECK(fd >= 0, hipErrorInvalidValue);
    shared = ls_shared_event_map(fd);
    if (!shared) {
        close(fd);
        LS_RETURN(ls_err(hipErrorInvalidValue, "the handle is of no event"));
    }
    LS_RETURN(ls_event_adopt(shared, fd, event));
}
