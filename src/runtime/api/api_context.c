/* SPDX-License-Identifier: MIT */
/* Contexts. There is one for each device, its primary one; creating a context counts a use of it,
 * and each thread has a stack of those it pushed. */
#include <stdlib.h>

#include "runtime/api/api.h"
#include "runtime/trace/trace.h"

#define MAX_STACK 64u

struct ihipCtx_t {
    int device;
    atomic_uint n_users; /* calls of hipCtxCreate and hipDevicePrimaryCtxRetain, less those that
                            undo them */
};

static struct ihipCtx_t contexts[LS_MAX_DEVICES];

/* All thread-local storage of this library is small: where the library is opened by dlopen there is
 * little room for it. */
static _Thread_local struct {
    unsigned char devices[MAX_STACK];
    unsigned char n;
} stack;

static bool
is_context(const struct ihipCtx_t *ctx)
{
    for (int i = 0; i < ls_rt.n_devices; i++)
        if (ctx == &contexts[i])
            return true;
    return false;
}

static struct ihipCtx_t *
context_of(int device)
{
    contexts[device].device = device;
    return &contexts[device];
}

/* The thread's context is that of its current device: pushing a context and hipSetDevice change it,
 * popping one does not. */
static struct ihipCtx_t *
current(void)
{
    return context_of((int)ls_gpu_current()->dev.index);
}

static void
unuse(struct ihipCtx_t *ctx)
{
    unsigned n = atomic_load(&ctx->n_users);

    while (n > 0 && !atomic_compare_exchange_weak(&ctx->n_users, &n, n - 1))
        continue;
}

static hipError_t
push(struct ihipCtx_t *ctx)
{
    if (stack.n == MAX_STACK)
        return ls_err(hipErrorOutOfMemory, "%u contexts on the stack", stack.n);
    stack.devices[stack.n++] = (unsigned char)ctx->device;
    return hipSuccess;
}

LS_EXPORT hipError_t
hipCtxCreate(hipCtx_t *ctx, unsigned flags, hipDevice_t device)
{
    hipError_t err;

    (void)flags;
    LS_CHECK(ctx && ls_gpu_exists(device), hipErrorInvalidValue);
    LS_TRY(push(context_of(device)));
    *ctx = context_of(device);
    atomic_fetch_add(&(*ctx)->n_users, 1);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipCtxDestroy(hipCtx_t ctx)
{
    LS_CHECK(is_context(ctx), hipErrorInvalidValue);
    if (stack.n > 0 && context_of(stack.devices[stack.n - 1]) == ctx)
        stack.n--;
    unuse(ctx);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipCtxPopCurrent(hipCtx_t *ctx)
{
    LS_CHECK(stack.n > 0, hipErrorInvalidContext);
    stack.n--;
    if (ctx)
        *ctx = context_of(stack.devices[stack.n]);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipCtxPushCurrent(hipCtx_t ctx)
{
    LS_CHECK(is_context(ctx), hipErrorInvalidContext);
    ls_gpu_set_current((uint32_t)ctx->device);
    LS_RETURN(push(ctx));
}

LS_EXPORT hipError_t
hipCtxSetCurrent(hipCtx_t ctx)
{
    LS_CHECK(!ctx || is_context(ctx), hipErrorInvalidContext);
    if (stack.n > 0)
        stack.n--;
    if (!ctx)
        LS_RETURN(hipSuccess);
    ls_gpu_set_current((uint32_t)ctx->device);
    LS_RETURN(push(ctx));
}

LS_EXPORT hipError_t
hipCtxGetCurrent(hipCtx_t *ctx)
{
    LS_CHECK(ctx, hipErrorInvalidValue);
    *ctx = current();
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipCtxGetDevice(hipDevice_t *device)
{
    LS_CHECK(device, hipErrorInvalidValue);
    *device = current()->device;
    LS_RETURN(hipSuccess);
}

/* ROCm 6 answers hipErrorNotSupported to all of these. So do we, but for hipCtxSynchronize, which
 * works. */

LS_EXPORT hipError_t
hipCtxGetApiVersion(hipCtx_t ctx, int *version)
{
    (void)ctx, (void)version;
    LS_RETURN(ls_err(hipErrorNotSupported, "contexts have no version"));
}

LS_EXPORT hipError_t
hipCtxGetCacheConfig(hipFuncCache_t *config)
{
    (void)config;
    LS_RETURN(ls_err(hipErrorNotSupported, "caches of contexts"));
}

LS_EXPORT hipError_t
hipCtxSetCacheConfig(hipFuncCache_t config)
{
    LS_CHECK((unsigned)config <= hipFuncCachePreferEqual, hipErrorInvalidValue);
    LS_RETURN(ls_err(hipErrorNotSupported, "caches of contexts"));
}

LS_EXPORT hipError_t
hipCtxSetSharedMemConfig(hipSharedMemConfig config)
{
    LS_CHECK((unsigned)config <= hipSharedMemBankSizeEightByte, hipErrorInvalidValue);
    LS_RETURN(ls_err(hipErrorNotSupported, "memory banks of contexts"));
}

LS_EXPORT hipError_t
hipCtxGetSharedMemConfig(hipSharedMemConfig *config)
{
    LS_CHECK(config, hipErrorInvalidValue);
    *config = hipSharedMemBankSizeFourByte;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipCtxSynchronize(void)
{
    return hipDeviceSynchronize();
}

LS_EXPORT hipError_t
hipCtxGetFlags(unsigned *flags)
{
    (void)flags;
    LS_RETURN(ls_err(hipErrorNotSupported, "flags of contexts"));
}

/* These succeed and do nothing, as in ROCm: access is enabled between devices, not between
 * contexts. */

LS_EXPORT hipError_t
hipCtxEnablePeerAccess(hipCtx_t peer, unsigned flags)
{
    (void)peer, (void)flags;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipCtxDisablePeerAccess(hipCtx_t peer)
{
    (void)peer;
    LS_RETURN(hipSuccess);
}

/* Primary contexts */

LS_EXPORT hipError_t
hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned *flags, int *active)
{
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    if (flags)
        *flags = 0;
    if (active)
        *active = atomic_load(&contexts[device].n_users) > 0 ||
                  ls_queue_is_used(&ls_rt.gpus[device].dev) || ls_mem_used((uint32_t)device) > 0;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDevicePrimaryCtxRelease(hipDevice_t device)
{
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    unuse(&contexts[device]);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDevicePrimaryCtxRetain(hipCtx_t *ctx, hipDevice_t device)
{
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    LS_CHECK(ctx, hipErrorInvalidValue);
    *ctx = context_of(device);
    atomic_fetch_add(&(*ctx)->n_users, 1);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDevicePrimaryCtxReset(hipDevice_t device)
{
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    LS_RETURN(hipSuccess);
}

/* Always an error: the primary context is in use from the start. */
LS_EXPORT hipError_t
hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned flags)
{
    (void)flags;
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    LS_RETURN(hipErrorContextAlreadyInUse);
}

/* The timeline is the profiler that these control. ROCm 6 answers hipErrorNotSupported. */

LS_EXPORT hipError_t
hipProfilerStart(void)
{
    ls_trace_range(true);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipProfilerStop(void)
{
    ls_trace_range(false);
    LS_RETURN(hipSuccess);
}
