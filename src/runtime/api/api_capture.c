/* SPDX-License-Identifier: MIT */
/* Stream capture. */
#include "runtime/api/api_graph.h"

static hipError_t
begin(hipStream_t handle, hipStreamCaptureMode mode)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_ENTER();
    LS_TRY(ls_stream_resolve(handle, &stream));
    err = ls_capture_begin(stream, mode, NULL, NULL, 0);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode)
{
    return begin(stream, mode);
}

LS_EXPORT hipError_t
hipStreamBeginCaptureToGraph(hipStream_t handle, hipGraph_t graph, const hipGraphNode_t *deps,
                             const hipGraphEdgeData *edge_data, size_t n_deps,
                             hipStreamCaptureMode mode)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_ENTER();
    if (edge_data)
        LS_RETURN(ls_err(hipErrorNotSupported, "edge data"));
    LS_CHECK(graph && !deps == !n_deps, hipErrorInvalidValue);
    LS_TRY(ls_stream_resolve(handle, &stream));
    err = ls_capture_begin(stream, mode, graph, deps, n_deps);
out:
    LS_RETURN(err);
}

static hipError_t
end(hipStream_t handle, hipGraph_t *graph)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_CHECK(graph, hipErrorInvalidValue);
    LS_CHECK(handle && handle != hipStreamLegacy, hipErrorIllegalState);
    LS_TRY(ls_stream_resolve(handle, &stream));
    err = ls_capture_end(stream, graph);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph)
{
    return end(stream, graph);
}

static hipError_t
info(hipStream_t handle, hipStreamCaptureStatus *status, unsigned long long *id, hipGraph_t *graph,
     const hipGraphNode_t **deps, size_t *n_deps)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_CHECK(status, hipErrorInvalidValue);
    LS_TRY(ls_stream_resolve(handle, &stream));
    err = ls_capture_info(stream, status, id, graph, deps, n_deps);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status)
{
    return info(stream, status, NULL, NULL, NULL, NULL);
}

LS_EXPORT hipError_t
hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id)
{
    return info(stream, status, id, NULL, NULL, NULL);
}

LS_EXPORT hipError_t
hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus *status,
                           unsigned long long *id, hipGraph_t *graph, const hipGraphNode_t **deps,
                           size_t *n_deps)
{
    return info(stream, status, id, graph, deps, n_deps);
}

LS_EXPORT hipError_t
hipStreamUpdateCaptureDependencies(hipStream_t handle, hipGraphNode_t *deps, size_t n_deps,
                                   unsigned flags)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_ENTER();
    LS_TRY(ls_stream_resolve(handle, &stream));
    if (!ls_stream_is_capturing(stream))
        LS_TRY(ls_err(hipErrorIllegalState, "the stream is not capturing"));
    if ((n_deps && !deps) ||
        (flags != hipStreamAddCaptureDependencies && flags != hipStreamSetCaptureDependencies))
        LS_TRY(hipErrorInvalidValue);
    err = ls_capture_update(stream, deps, n_deps, flags == hipStreamSetCaptureDependencies);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode)
{
    struct ls_thread *t = ls_thread_get();
    hipStreamCaptureMode old = t->capture_mode;

    LS_ENTER();
    LS_CHECK(mode && *mode >= hipStreamCaptureModeGlobal && *mode <= hipStreamCaptureModeRelaxed,
             hipErrorInvalidValue);
    t->capture_mode = *mode;
    *mode = old;
    LS_RETURN(hipSuccess);
}
