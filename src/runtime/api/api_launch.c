/* SPDX-License-Identifier: MIT */
/* Launching kernels. */
#include <stdlib.h>
#include <string.h>

#include "runtime/api/api.h"
#include "runtime/graph/stream.h"
#include "runtime/module/launch.h"

#include <hip/hip_ext.h>

static hipError_t
launch_host(const void *func, dim3 grid, dim3 block, void **args, size_t shared, hipStream_t handle,
            bool cooperative, hipEvent_t start, hipEvent_t stop)
{
    struct ls_launch l = {.grid = grid,
                          .block = block,
                          .shared_bytes = shared,
                          .args = args,
                          .cooperative = cooperative,
                          .start = start,
                          .stop = stop};
    hipError_t err;

    LS_TRY(ls_sticky());
    LS_TRY(ls_registered_kernel(func, &l.kernel));
    l.origin = func;
    LS_TRY(ls_stream_resolve(handle, &l.stream));
    if ((start && !ls_event_is_valid(start)) || (stop && !ls_event_is_valid(stop)))
        LS_TRY(hipErrorInvalidValue);
    LS_TRY(ls_stream_launch(&l));
out:
    return ls_return(err);
}

LS_EXPORT hipError_t
hipLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                hipStream_t stream)
{
    return launch_host(func, grid, block, args, shared, stream, false, NULL, NULL);
}

LS_EXPORT hipError_t
hipExtLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                   hipStream_t stream, hipEvent_t start, hipEvent_t stop, int flags)
{
    struct ihipStream_t *resolved;

    (void)flags; /* hipExtAnyOrderLaunch allows any order, so the stream's will do */
    LS_CHECK(grid.x && grid.y && grid.z && block.x && block.y && block.z, hipErrorInvalidValue);
    LS_CHECK(ls_stream_resolve(stream, &resolved) == hipSuccess, hipErrorInvalidValue);
    LS_CHECK((!start || ls_event_is_valid(start)) && (!stop || ls_event_is_valid(stop)),
             hipErrorInvalidValue);
    return launch_host(func, grid, block, args, shared, stream, false, start, stop);
}

LS_EXPORT hipError_t
hipLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args, unsigned shared,
                           hipStream_t stream)
{
    return launch_host(func, grid, block, args, shared, stream, true, NULL, NULL);
}

/* The configuration between <<< and >>> is kept on a stack of the thread, until the kernel's stub
 * takes it. */

LS_EXPORT hipError_t
__hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared, hipStream_t stream)
{
    struct ls_thread *t = ls_thread_enter();

    if (t->n_configs == LS_MAX_CONFIGS)
        LS_RETURN(ls_err(hipErrorMissingConfiguration, "%d configurations that no launch has taken",
                         LS_MAX_CONFIGS));
    t->configs[t->n_configs++] = (struct ls_call_config){grid, block, shared, stream};
    t->args_bytes = 0;
    return hipSuccess;
}

LS_EXPORT hipError_t
__hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, hipStream_t *stream)
{
    struct ls_thread *t = ls_thread_get();
    const struct ls_call_config *c;

    if (t->n_configs == 0)
        LS_RETURN(hipErrorMissingConfiguration);
    c = &t->configs[--t->n_configs];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared_bytes;
    *stream = c->stream;
    return hipSuccess;
}

LS_EXPORT hipError_t
hipConfigureCall(dim3 grid, dim3 block, size_t shared, hipStream_t stream)
{
    return __hipPushCallConfiguration(grid, block, shared, stream);
}

LS_EXPORT hipError_t
hipSetupArgument(const void *arg, size_t size, size_t offset)
{
    struct ls_thread *t = ls_thread_get();

    LS_CHECK(arg && offset <= LS_MAX_SETUP_BYTES && size <= LS_MAX_SETUP_BYTES - offset,
             hipErrorInvalidValue);
    LS_CHECK(t->n_configs > 0, hipErrorMissingConfiguration);
    if (!t->args)
        t->args = malloc(LS_MAX_SETUP_BYTES);
    LS_CHECK(t->args, hipErrorOutOfMemory);
    if (t->args_bytes < offset)
        memset(t->args + t->args_bytes, 0, offset - t->args_bytes);
    memcpy(t->args + offset, arg, size);
    if (offset + size > t->args_bytes)
        t->args_bytes = offset + size;
    return hipSuccess;
}

LS_EXPORT hipError_t
hipLaunchByPtr(const void *func)
{
    struct ls_thread *t = ls_thread_get();
    struct ls_launch l = {.packed = t->args, .packed_bytes = t->args_bytes};
    hipStream_t handle;
    hipError_t err;

    LS_TRY(ls_sticky());
    LS_TRY(__hipPopCallConfiguration(&l.grid, &l.block, &l.shared_bytes, &handle));
    LS_TRY(ls_registered_kernel(func, &l.kernel));
    l.origin = func;
    LS_TRY(ls_stream_resolve(handle, &l.stream));
    LS_TRY(ls_stream_launch(&l));
out:
    return ls_return(err);
}

static hipError_t
launch_function(hipFunction_t f, dim3 grid, dim3 block, size_t shared, hipStream_t handle,
                void **args, void **extra, bool cooperative, hipEvent_t start, hipEvent_t stop)
{
    struct ls_launch l = {.kernel = f,
                          .grid = grid,
                          .block = block,
                          .shared_bytes = shared,
                          .args = args,
                          .cooperative = cooperative,
                          .start = start,
                          .stop = stop};
    hipError_t err;

    LS_TRY(ls_sticky());
    if (!ls_kernel_is_valid(f))
        LS_TRY(ls_err(hipErrorInvalidHandle, "%p is no function", (void *)f));
    err = ls_stream_resolve(handle, &l.stream);
    LS_TRY(err != hipSuccess && cooperative ? hipErrorInvalidValue : err); /* the errors of ROCm */
    if (args && extra)
        LS_TRY(ls_err(hipErrorInvalidValue, "both kernelParams and extra"));
    if (extra)
        LS_TRY(ls_launch_read_extra(extra, &l));
    if ((start && !ls_event_is_valid(start)) || (stop && !ls_event_is_valid(stop)))
        LS_TRY(hipErrorInvalidValue);
    err = ls_stream_launch(&l);
    if (err == hipErrorInvalidConfiguration ||
        (err != hipSuccess && shared > ls_limits()->max_lds_bytes))
        err = hipErrorInvalidValue; /* the driver API returns this error instead */
out:
    return ls_return(err);
}

#define MAX_GRID_YZ 65536u

LS_EXPORT hipError_t
hipModuleLaunchKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                      unsigned by, unsigned bz, unsigned shared, hipStream_t stream, void **args,
                      void **extra)
{
    LS_CHECK(gx <= INT32_MAX && gy <= MAX_GRID_YZ && gz <= MAX_GRID_YZ, hipErrorInvalidValue);
    return launch_function(f, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, shared, stream, args, extra,
                           false, NULL, NULL);
}

LS_EXPORT hipError_t
hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz,
                                 unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                 hipStream_t stream, void **args)
{
    return launch_function(f, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, shared, stream, args, NULL,
                           true, NULL, NULL);
}

/* Reads the attributes of a launch. Those that only guide caches and the like are ignored. */
static hipError_t
read_attributes(const hipLaunchAttribute *attrs, unsigned n, struct ls_launch *l)
{
    if (n > 0 && !attrs)
        return ls_err(hipErrorInvalidValue, "%u attributes at NULL", n);
    for (unsigned i = 0; i < n; i++) {
        const hipLaunchAttributeValue *v = &attrs[i].val;

        switch (attrs[i].id) {
        case hipLaunchAttributeCooperative:
            l->cooperative = v->cooperative != 0;
            break;
        case hipLaunchAttributePriority:
            l->priority = &v->priority;
            break;
        case hipLaunchAttributeClusterDimension:
            if (v->clusterDim.x != 1 || v->clusterDim.y != 1 || v->clusterDim.z != 1)
                return ls_err(hipErrorNotSupported, "clusters of several blocks");
            break;
        case hipLaunchAttributeIgnore:
        case hipLaunchAttributeAccessPolicyWindow:
        case hipLaunchAttributeClusterSchedulingPolicyPreference:
        case hipLaunchAttributeMemSyncDomainMap:
        case hipLaunchAttributeMemSyncDomain:
            break;
        case hipLaunchAttributeSynchronizationPolicy: /* of streams only */
        default:
            return ls_err(hipErrorInvalidValue, "attribute %d", (int)attrs[i].id);
        }
    }
    return hipSuccess;
}

LS_EXPORT hipError_t
hipLaunchKernelExC(const hipLaunchConfig_t *config, const void *func, void **args)
{
    struct ls_launch l = {.args = args, .origin = func};
    hipError_t err;

    LS_ENTER();
    LS_TRY(ls_registered_kernel(func, &l.kernel));
    LS_CHECK(config, hipErrorInvalidConfiguration);
    LS_TRY(ls_stream_resolve(config->stream, &l.stream));
    l.grid = config->gridDim;
    l.block = config->blockDim;
    l.shared_bytes = config->dynamicSmemBytes;
    LS_TRY(read_attributes(config->attrs, config->numAttrs, &l));
    err = ls_stream_launch(&l);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG *config, hipFunction_t f, void **args, void **extra)
{
    struct ls_launch l = {.args = args, .kernel = f};
    hipError_t err;

    LS_ENTER();
    LS_CHECK(ls_kernel_is_valid(f), hipErrorInvalidHandle);
    LS_CHECK(config && !(args && extra), hipErrorInvalidValue);
    LS_TRY(ls_stream_resolve(config->hStream, &l.stream));
    l.grid = (dim3){config->gridDimX, config->gridDimY, config->gridDimZ};
    l.block = (dim3){config->blockDimX, config->blockDimY, config->blockDimZ};
    l.shared_bytes = config->sharedMemBytes;
    LS_TRY(read_attributes(config->attrs, config->numAttrs, &l));
    if (extra)
        LS_TRY(ls_launch_read_extra(extra, &l));
    err = ls_stream_launch(&l);
out:
    LS_RETURN(err);
}

/* These functions count the grid in threads. The last block must be whole, as clang marks all HIP
 * kernels so for AMD's loader (uniform-work-group-size). A block that is larger than the grid
 * shrinks to it. */
LS_EXPORT hipError_t
hipExtModuleLaunchKernel(hipFunction_t f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx,
                         uint32_t by, uint32_t bz, size_t shared, hipStream_t stream, void **args,
                         void **extra, hipEvent_t start, hipEvent_t stop, uint32_t flags)
{
    const uint32_t *most = ls_limits()->max_block;
    dim3 block;

    (void)flags;
    LS_CHECK(bx && by && bz, hipErrorInvalidValue);
    LS_CHECK(bx <= ls_limits()->max_block_threads && by <= ls_limits()->max_block_threads &&
                 bz <= ls_limits()->max_block_threads && (!most[0] || bx <= most[0]) &&
                 (!most[1] || by <= most[1]) && (!most[2] || bz <= most[2]) &&
                 bx * by * bz <= ls_limits()->max_block_threads,
             hipErrorInvalidValue);
    block = (dim3){gx && gx < bx ? gx : bx, gy && gy < by ? gy : by, gz && gz < bz ? gz : bz};
    if (gx % block.x || gy % block.y || gz % block.z)
        LS_RETURN(ls_err(hipErrorInvalidValue, "a grid that is no multiple of the block"));
    return launch_function(f, (dim3){gx / block.x, gy / block.y, gz / block.z}, block, shared,
                           stream, args, extra, false, start, stop);
}

LS_EXPORT hipError_t
hipHccModuleLaunchKernel(hipFunction_t f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx,
                         uint32_t by, uint32_t bz, size_t shared, hipStream_t stream, void **args,
                         void **extra, hipEvent_t start, hipEvent_t stop)
{
    return hipExtModuleLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, stream, args, extra, start,
                                    stop, 0);
}
