/* SPDX-License-Identifier: MIT */
/* Launches on several devices: each entry of the list has a stream of a device of its own. */
#include <stdlib.h>

#include "runtime/api/api.h"
#include "runtime/graph/stream.h"
#include "runtime/module/launch.h"

#define BOTH (hipCooperativeLaunchMultiDeviceNoPreSync | hipCooperativeLaunchMultiDeviceNoPostSync)

/* Checks one entry of the list. */
static hipError_t
check_entry(struct ls_launch *list, unsigned i, hipStream_t handle)
{
    struct ls_launch *l = &list[i];

    if (!handle)
        return ls_err(hipErrorInvalidResourceHandle, "the null stream");
    if (ls_stream_resolve(handle, &l->stream) != hipSuccess)
        return ls_err(hipErrorInvalidValue, "%p is no stream", (void *)handle);
    if (l->block.x * l->block.y * l->block.z == 0)
        return ls_err(hipErrorInvalidConfiguration, "blocks without threads");
    if (l->stream->dev->ops->multi.create != list[0].stream->dev->ops->multi.create)
        return ls_err(hipErrorNotSupported, "devices of different kinds");
    for (unsigned k = 0; k < i; k++)
        if (list[k].stream->dev == l->stream->dev)
            return ls_err(hipErrorInvalidDevice, "two launches on device %u",
                          l->stream->dev->index);
    return hipSuccess;
}

static uint64_t
threads_of(const struct ls_launch *l)
{
    return (uint64_t)l->grid.x * l->grid.y * l->grid.z * l->block.x * l->block.y * l->block.z;
}

/* Makes one cooperative launch of the grids in the list. */
static hipError_t
join(struct ls_launch *list, unsigned n)
{
    struct ls_work_kernel work;
    struct ls_multi_grid *multi;
    uint64_t n_threads[LS_MAX_DEVICES] = {0};
    hipError_t err;

    for (unsigned i = 0; i < n; i++) {
        if (ls_stream_is_capturing(list[i].stream))
            return ls_err(hipErrorStreamCaptureUnsupported, "grids of several devices");
        LS_TRY(ls_launch_prepare(&list[i],
                                 &work)); /* all entries are checked before any is launched */
        list[i].grid_rank = i;
        n_threads[i] = threads_of(&list[i]);
    }
    if (ls_gpu_of(list[0].stream->dev)->info.lacks_multi)
        return n == 1 ? hipSuccess
                      : ls_err(hipErrorNotSupported,
                               "grids that wait for each other on %u of "
                               "these devices",
                               n);
    multi = list[0].stream->dev->ops->multi.create(list[0].stream->dev, n, n_threads);
    if (!multi)
        return hipErrorOutOfMemory;
    for (unsigned i = 0; i < n; i++)
        list[i].multi = multi;
out:
    return err;
}

static hipError_t
launch_all(struct ls_launch *list, unsigned n, unsigned flags, bool cooperative)
{
    hipError_t err = hipSuccess;

    if (!(flags & hipCooperativeLaunchMultiDeviceNoPreSync))
        for (unsigned i = 0; i < n; i++)
            LS_TRY(ls_stream_wait(list[i].stream));
    if (cooperative)
        LS_TRY(join(list, n));
    for (unsigned i = 0; i < n; i++) {
        if (err == hipSuccess)
            err = ls_stream_launch(&list[i]);
        if (err != hipSuccess && list[i].multi)
            list[i].stream->dev->ops->multi.cancel(list[i].stream->dev, list[i].multi);
    }
    if (err == hipSuccess && !(flags & hipCooperativeLaunchMultiDeviceNoPostSync))
        for (unsigned i = 0; i < n; i++) {
            hipError_t one = ls_stream_wait(list[i].stream);

            if (err == hipSuccess)
                err = one;
        }
out:
    return err;
}

/* Makes the list with n empty entries, after checking what HIP demands of the whole. */
static hipError_t
make_list(const void *given, unsigned n, unsigned flags, struct ls_launch **list)
{
    hipError_t err = ls_sticky();

    if (err != hipSuccess)
        return err;
    if (!given || n == 0 || n > (unsigned)ls_rt.n_devices || flags > BOTH)
        return ls_err(hipErrorInvalidValue, "%u launches, flags 0x%x", n, flags);
    *list = calloc(n, sizeof(**list));
    return *list ? hipSuccess : hipErrorOutOfMemory;
}

static hipError_t
launch_hosts(const hipLaunchParams *given, int n, unsigned flags, bool cooperative)
{
    struct ls_launch *list = NULL;
    hipError_t err;

    LS_TRY(make_list(given, n < 0 ? 0 : (unsigned)n, flags, &list));
    for (int i = 0; i < n; i++) {
        list[i].block = given[i].blockDim;
        list[i].grid = given[i].gridDim;
        list[i].shared_bytes = given[i].sharedMem;
        list[i].args = given[i].args;
        list[i].cooperative = cooperative;
        LS_TRY(check_entry(list, (unsigned)i, given[i].stream));
        LS_TRY(ls_registered_kernel(given[i].func, &list[i].kernel));
    }
    err = launch_all(list, (unsigned)n, flags, cooperative);
out:
    free(list);
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
hipModuleLaunchCooperativeKernelMultiDevice(hipFunctionLaunchParams *given, unsigned n,
                                            unsigned flags)
{
    struct ls_launch *list = NULL;
    hipError_t err;

    LS_TRY(make_list(given, n, flags, &list));
    for (unsigned i = 0; i < n; i++) {
        list[i].block = (dim3){given[i].blockDimX, given[i].blockDimY, given[i].blockDimZ};
        list[i].grid = (dim3){given[i].gridDimX, given[i].gridDimY, given[i].gridDimZ};
        list[i].shared_bytes = given[i].sharedMemBytes;
        list[i].args = given[i].kernelParams;
        list[i].cooperative = true;
        LS_TRY(check_entry(list, i, given[i].hStream));
        if (!ls_kernel_is_valid(given[i].function))
            LS_TRY(ls_err(hipErrorInvalidHandle, "%p is no function", (void *)given[i].function));
        list[i].kernel = given[i].function;
    }
    err = launch_all(list, n, flags, true);
out:
    free(list);
    return ls_return(err);
}
