/* SPDX-License-Identifier: MIT */
/* Launches on several devices: each entry of the list has a stream of a device of its own. There is
 * one device, so that a list has one entry. */
#include "runtime/api/api.h"
#include "runtime/module/launch.h"

#define BOTH (hipCooperativeLaunchMultiDeviceNoPreSync | hipCooperativeLaunchMultiDeviceNoPostSync)

/* What all three demand of their list; the stream that its entry names. */
static hipError_t
check_list(const void *list, unsigned n, unsigned flags, hipStream_t handle, dim3 block,
           struct ihipStream_t **stream)
{
    if (!list || n == 0 || n > LS_N_DEVICES || flags > BOTH)
        return ls_err(hipErrorInvalidValue, "%u launches, flags 0x%x", n, flags);
    if (!handle)
        return ls_err(hipErrorInvalidResourceHandle, "the null stream");
    if (ls_stream_resolve(handle, stream) != hipSuccess)
        return ls_err(hipErrorInvalidValue, "%p is no stream", (void *)handle);
    if (block.x * block.y * block.z == 0)
        return ls_err(hipErrorInvalidConfiguration, "blocks without threads");
    return hipSuccess;
}

static hipError_t
launch_one(struct ls_launch *l, unsigned flags)
{
    hipError_t err = hipSuccess;

    if (!(flags & hipCooperativeLaunchMultiDeviceNoPreSync))
        LS_TRY(ls_stream_wait(l->stream));
    LS_TRY(ls_launch(l));
    if (!(flags & hipCooperativeLaunchMultiDeviceNoPostSync))
        err = ls_stream_wait(l->stream);
out:
    return err;
}

static hipError_t
launch_hosts(const hipLaunchParams *list, int n, unsigned flags, bool cooperative)
{
    struct ls_launch l = {.cooperative = cooperative};
    hipError_t err;

    LS_TRY(ls_enter());
    LS_TRY(check_list(list, n < 0 ? 0 : (unsigned)n, flags, list ? list->stream : NULL,
                      list ? list->blockDim : (dim3){1, 1, 1}, &l.stream));
    LS_TRY(ls_registered_kernel(list->func, &l.kernel));
    l.grid = list->gridDim;
    l.block = list->blockDim;
    l.shared_bytes = list->sharedMem;
    l.args = list->args;
    err = launch_one(&l, flags);
out:
    return ls_return(err);
}

LS_EXPORT hipError_t
hipLaunchCooperativeKernelMultiDevice(hipLaunchParams *list, int n, unsigned flags)
{
    return launch_hosts(list, n, flags, true);
}

LS_EXPORT hipError_t
hipExtLaunchMultiKernelMultiDevice(hipLaunchParams *list, int n, unsigned flags)
{
    return launch_hosts(list, n, flags, false);
}

LS_EXPORT hipError_t
hipModuleLaunchCooperativeKernelMultiDevice(hipFunctionLaunchParams *list, unsigned n,
                                            unsigned flags)
{
    struct ls_launch l = {.cooperative = true};
    hipError_t err;

    LS_TRY(ls_enter());
    if (list)
        l.block = (dim3){list->blockDimX, list->blockDimY, list->blockDimZ};
    LS_TRY(check_list(list, n, flags, list ? list->hStream : NULL, l.block, &l.stream));
    if (!ls_kernel_is_valid(list->function))
        LS_TRY(ls_err(hipErrorInvalidHandle, "%p is no function", (void *)list->function));
    l.kernel = list->function;
    l.grid = (dim3){list->gridDimX, list->gridDimY, list->gridDimZ};
    l.shared_bytes = list->sharedMemBytes;
    l.args = list->kernelParams;
    err = launch_one(&l, flags);
out:
    return ls_return(err);
}
