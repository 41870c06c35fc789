/* SPDX-License-Identifier: MIT */
/* Streams and events. */
#include <stdlib.h>

#include "runtime/api/api.h"
#include "runtime/graph/stream.h"
#include "runtime/mem/pool.h"

static hipError_t
create_stream(hipStream_t *out, unsigned flags, int priority)
{
    LS_ENTER();
    LS_CHECK(out, hipErrorInvalidValue);
    LS_CHECK(flags == hipStreamDefault || flags == hipStreamNonBlocking, hipErrorInvalidValue);
    LS_RETURN(ls_stream_create(flags, priority, out));
}

LS_EXPORT hipError_t
hipStreamCreate(hipStream_t *out)
{
    return create_stream(out, hipStreamDefault, 0);
}

LS_EXPORT hipError_t
hipStreamCreateWithFlags(hipStream_t *out, unsigned flags)
{
    return create_stream(out, flags, 0);
}

LS_EXPORT hipError_t
hipStreamCreateWithPriority(hipStream_t *out, unsigned flags, int priority)
{
    return create_stream(out, flags, priority);
}

LS_EXPORT hipError_t
hipDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    LS_ENTER();
    if (least)
        *least = 1;
    if (greatest)
        *greatest = -1;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipStreamDestroy(hipStream_t handle)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_CHECK(handle && handle != hipStreamLegacy && handle != hipStreamPerThread,
             hipErrorInvalidHandle);
    LS_TRY(ls_stream_resolve(handle, &stream));
    err = ls_stream_close(stream);
out:
    LS_RETURN(err);
}

static hipError_t
query(hipStream_t handle)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_ENTER();
    LS_TRY(ls_stream_resolve(handle, &stream));
    LS_TRY(ls_capture_check_stream(stream));
    err = ls_stream_is_idle(stream) ? (hipError_t)atomic_load(&stream->dev->sticky)
                                    : hipErrorNotReady;
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipStreamQuery(hipStream_t stream)
{
    return query(stream);
}

static hipError_t
synchronize(hipStream_t handle)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_TRY(ls_stream_resolve(handle, &stream));
    LS_TRY(ls_capture_check_stream(stream));
    err = ls_stream_wait(stream);
    ls_pool_synced();
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipStreamSynchronize(hipStream_t stream)
{
    return synchronize(stream);
}

/* A bad stream has another error here than elsewhere. */
static hipError_t
resolve(hipStream_t handle, struct ihipStream_t **stream)
{
    hipError_t err = ls_stream_resolve(handle, stream);

    return err == hipErrorContextIsDestroyed ? hipErrorInvalidHandle : err;
}

static hipError_t
wait_event(hipStream_t handle, hipEvent_t event, unsigned flags)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(ls_event_is_valid(event), hipErrorInvalidHandle);
    LS_CHECK(flags == 0, hipErrorInvalidValue);
    LS_TRY(resolve(handle, &stream));
    err = ls_stream_await(stream, event);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags)
{
    return wait_event(stream, event, flags);
}

LS_EXPORT hipError_t
hipStreamGetFlags(hipStream_t handle, unsigned *flags)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(flags && handle, hipErrorInvalidValue); /* the null stream has none, as in ROCm */
    LS_TRY(ls_stream_resolve(handle, &stream));
    *flags = stream->flags;
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipStreamGetPriority(hipStream_t handle, int *priority)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(priority, hipErrorInvalidValue);
    LS_TRY(ls_stream_resolve(handle, &stream));
    *priority = stream->priority;
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipStreamGetDevice(hipStream_t handle, hipDevice_t *device)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(device, hipErrorInvalidValue);
    LS_TRY(ls_stream_resolve(handle, &stream));
    *device = (int)stream->dev->index;
out:
    LS_RETURN(err);
}

LS_EXPORT int
hipGetStreamDeviceId(hipStream_t handle)
{
    struct ihipStream_t *stream;

    ls_thread_enter(); /* the thread may get a per-thread stream, which is destroyed when it ends */
    if (ls_start() != hipSuccess || ls_stream_resolve(handle, &stream) != hipSuccess)
        return -1;
    return (int)stream->dev->index;
}

LS_EXPORT hipError_t
hipStreamGetId(hipStream_t handle, unsigned long long *id)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(id, hipErrorInvalidValue);
    LS_TRY(ls_stream_resolve(handle, &stream));
    *id = stream->id;
out:
    LS_RETURN(err);
}

/* Attributes */

LS_EXPORT hipError_t
hipStreamGetAttribute(hipStream_t handle, hipStreamAttrID attr, hipStreamAttrValue *value)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(value, hipErrorInvalidValue);
    LS_TRY(resolve(handle, &stream));
    if (attr == hipStreamAttributeSynchronizationPolicy)
        value->syncPolicy = atomic_load(&stream->sync_policy);
    else if (attr == hipStreamAttributePriority)
        value->priority = stream->priority;
    else
        err = ls_err(hipErrorInvalidValue, "attribute %d", (int)attr);
out:
    LS_RETURN(err);
}

/* The synchronisation policy is kept and answered, without effect: threads that wait always help
 * the device, and then sleep. */
LS_EXPORT hipError_t
hipStreamSetAttribute(hipStream_t handle, hipStreamAttrID attr, const hipStreamAttrValue *value)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(value, hipErrorInvalidValue);
    LS_TRY(resolve(handle, &stream));
    LS_CHECK(attr == hipStreamAttributeSynchronizationPolicy, hipErrorInvalidValue);
    LS_CHECK(value->syncPolicy >= hipSyncPolicyAuto &&
                 value->syncPolicy <= hipSyncPolicyBlockingSync,
             hipErrorInvalidValue);
    atomic_store(&stream->sync_policy, value->syncPolicy);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipStreamCopyAttributes(hipStream_t to, hipStream_t from)
{
    struct ihipStream_t *dst, *src;
    hipError_t err;

    LS_ENTER();
    LS_TRY(resolve(from, &src));
    LS_TRY(resolve(to, &dst));
    atomic_store(&dst->sync_policy, atomic_load(&src->sync_policy));
out:
    LS_RETURN(err);
}

/* Callbacks */

struct callback {
    hipStreamCallback_t stream_fn;
    hipHostFn_t host_fn;
    hipStream_t stream;
    void *user;
};

static void
call_back(void *arg, hipError_t status)
{
    struct callback c = *(struct callback *)arg;

    if (c.stream_fn)
        c.stream_fn(c.stream, status, c.user);
    else
        c.host_fn(c.user);
}

static hipError_t
enqueue_callback(hipStream_t handle, struct callback c)
{
    struct ihipStream_t *stream;
    struct ls_cmd *cmd;
    hipError_t err;

    LS_TRY(ls_stream_resolve(handle, &stream));
    cmd = ls_cmd_create(stream, LS_CMD_WORK);
    if (!cmd)
        LS_TRY(hipErrorOutOfMemory);
    _Static_assert(sizeof(c) <= LS_CMD_INLINE_BYTES, "a callback fits into a command");
    *(struct callback *)(void *)cmd->bytes = c;
    cmd->work.kind = LS_WORK_HOST;
    cmd->work.host.fn = call_back;
    cmd->work.host.user = cmd->bytes;
    cmd->host = (hipHostNodeParams){c.host_fn, c.user};
    err = ls_stream_do(cmd);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t fn, void *user, unsigned flags)
{
    LS_CHECK(fn && flags == 0, hipErrorInvalidValue);
    return enqueue_callback(stream,
                            (struct callback){.stream_fn = fn, .stream = stream, .user = user});
}

LS_EXPORT hipError_t
hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void *user)
{
    LS_CHECK(fn, hipErrorInvalidValue);
    return enqueue_callback(stream, (struct callback){.host_fn = fn, .user = user});
}

/* Events */

LS_EXPORT hipError_t
hipEventCreateWithFlags(hipEvent_t *event, unsigned flags)
{
    const unsigned known = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess |
                           hipEventDisableSystemFence | hipEventReleaseToDevice |
                           hipEventReleaseToSystem,
                   release = hipEventDisableSystemFence | hipEventReleaseToDevice |
                             hipEventReleaseToSystem;

    LS_ENTER();
    LS_CHECK(event && (flags & ~known) == 0, hipErrorInvalidValue);
    LS_CHECK((flags & release & ((flags & release) - 1)) == 0,
             hipErrorInvalidValue); /* at most one of the release flags */
    LS_CHECK(!(flags & hipEventInterprocess) || (flags & hipEventDisableTiming),
             hipErrorInvalidValue);
    LS_RETURN(ls_event_create(flags, event));
}

LS_EXPORT hipError_t
hipEventCreate(hipEvent_t *event)
{
    return hipEventCreateWithFlags(event, hipEventDefault);
}

LS_EXPORT hipError_t
hipEventDestroy(hipEvent_t event)
{
    LS_CHECK(event, hipErrorInvalidHandle);
    LS_CHECK(ls_event_is_valid(event), hipErrorContextIsDestroyed);
    LS_RETURN(ls_event_close(event));
}

static hipError_t
record(hipEvent_t event, hipStream_t handle)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(ls_event_is_valid(event), hipErrorInvalidHandle);
    LS_TRY(ls_stream_resolve(handle, &stream));
    err = ls_stream_record(stream, event);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipEventRecord(hipEvent_t event, hipStream_t stream)
{
    return record(event, stream);
}

/* In a capture an external record is a node of the graph, not a place to wait for within the
 * capture. */
static hipError_t
record_external(hipEvent_t event, hipStream_t handle)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(ls_event_is_valid(event), hipErrorInvalidHandle);
    LS_TRY(ls_stream_resolve(handle, &stream));
    if (!ls_stream_is_capturing(stream))
        return record(event, handle);
    err = ls_capture_record_external(stream, event);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags)
{
    LS_CHECK(flags <= hipEventRecordExternal, hipErrorInvalidValue);
    return flags == hipEventRecordExternal ? record_external(event, stream) : record(event, stream);
}

LS_EXPORT hipError_t
hipEventSynchronize(hipEvent_t event)
{
    hipError_t err;

    LS_CHECK(ls_event_is_valid(event), hipErrorInvalidHandle);
    err = ls_capture_check_event(event, true);
    if (err == hipSuccess)
        err = ls_event_wait(event);
    ls_pool_synced();
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipEventQuery(hipEvent_t event)
{
    hipError_t err;

    LS_CHECK(ls_event_is_valid(event), hipErrorInvalidHandle);
    err = ls_capture_check_event(event, false);
    LS_RETURN(err == hipSuccess ? ls_event_query(event) : err);
}

LS_EXPORT hipError_t
hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop)
{
    hipError_t err;

    LS_ENTER();
    LS_CHECK(ms, hipErrorInvalidValue);
    LS_CHECK(ls_event_is_valid(start) && ls_event_is_valid(stop), hipErrorInvalidHandle);
    LS_CHECK(start->dev == stop->dev, hipErrorInvalidHandle);
    LS_CHECK(!((start->flags | stop->flags) & hipEventDisableTiming), hipErrorInvalidHandle);
    LS_CHECK(ls_event_was_recorded(start) && ls_event_was_recorded(stop), hipErrorInvalidHandle);
    LS_TRY(ls_event_query(start));
    LS_TRY(ls_event_query(stop));
    *ms = (float)(ls_event_elapsed(start, stop) * 1e-6);
out:
    LS_RETURN(err);
}
