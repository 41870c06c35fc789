/* SPDX-License-Identifier: MIT */
/* Stream capture: what enters a stream becomes nodes of a graph. Whatever is handed to a stream is
 * offered here first (stream.h). No lock may be held on entry. */
#ifndef LS_RUNTIME_CAPTURE_H
#define LS_RUNTIME_CAPTURE_H

#include "runtime/queue/queue.h"

/* Makes a node of a command of a stream that is capturing, and frees the command. */
hipError_t ls_capture_cmd(struct ls_cmd *cmd);
/* *captured says whether the capture took the call; if not, the queue has to do it. */
hipError_t ls_capture_record_event(struct ihipStream_t *stream, struct ihipEvent_t *event,
                                   bool *captured);
/* Records the event as a node of the graph of a stream that is capturing. */
hipError_t ls_capture_record_external(struct ihipStream_t *stream, struct ihipEvent_t *event);
hipError_t ls_capture_wait_event(struct ihipStream_t *stream, struct ihipEvent_t *event,
                                 bool *captured);
/* The stream or event is about to be destroyed. */
void ls_capture_leave(struct ihipStream_t *stream);
void ls_capture_forget_event(struct ihipEvent_t *event);
/* Whether a capture records into the graph. Graph lock held. */
bool ls_capture_is_into(const struct ihipGraph *graph);
/* All streams of the device are about to be destroyed. */
void ls_capture_give_up_of(const struct ls_device *dev);

/* Calls that are not allowed while a capture is under way ask one of these first. They invalidate
 * the captures that forbid the call. */

/* Calls that may be unsafe (allocation, hipFree): forbidden by captures of this thread and by
 * global ones, unless the thread's mode is relaxed. */
hipError_t ls_capture_check_unsafe(void);
/* Calls that wait in the legacy stream (hipMemcpy): hipErrorStreamCaptureImplicit, whatever the
 * streams' flags and modes, as in ROCm. */
hipError_t ls_capture_check_implicit(void);
/* Calls that wait for the device. */
hipError_t ls_capture_check_device(void);
/* Waiting for a stream, or asking whether it is idle. */
hipError_t ls_capture_check_stream(struct ihipStream_t *stream);
/* Waiting for an event, or asking whether it is recorded: that only its own capture forbids. */
hipError_t ls_capture_check_event(struct ihipEvent_t *event, bool wait);

static inline bool
ls_stream_is_capturing(struct ihipStream_t *stream)
{
    return atomic_load_explicit(&stream->capture, memory_order_acquire) != NULL;
}

/* hipMallocAsync on a capturing stream, from a pool of the device. */
hipError_t ls_capture_alloc(struct ihipStream_t *stream, uint32_t device, size_t bytes, void **ptr);

/* The API's calls, with handles resolved */
hipError_t ls_capture_begin(struct ihipStream_t *stream, hipStreamCaptureMode mode,
                            hipGraph_t graph, const hipGraphNode_t *deps, size_t n_deps);
/* *graph belongs to the caller; it is NULL when an error is returned. */
hipError_t ls_capture_end(struct ihipStream_t *stream, hipGraph_t *graph);
/* The outputs but status may be NULL, and are written only while the capture is active. *deps is
 * valid until the next call on the stream. */
hipError_t ls_capture_info(struct ihipStream_t *stream, hipStreamCaptureStatus *status,
                           unsigned long long *id, hipGraph_t *graph, const hipGraphNode_t **deps,
                           size_t *n_deps);
hipError_t ls_capture_update(struct ihipStream_t *stream, const hipGraphNode_t *deps, size_t n_deps,
                             bool replace);
/* Makes a child graph node in the capture, for the launch of an instance. */
hipError_t ls_capture_child(struct ihipStream_t *stream, hipGraph_t child);

/* Begins the rest of an API call that may be unsafe while a capture is under way. */
#define LS_NOT_CAPTURING()                                                                         \
    do {                                                                                           \
        hipError_t capture_err_ = ls_capture_check_unsafe();                                       \
        if (capture_err_ != hipSuccess)                                                            \
            return ls_return(capture_err_);                                                        \
    } while (0)

#endif
