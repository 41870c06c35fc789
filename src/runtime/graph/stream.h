/* SPDX-License-Identifier: MIT */
/* Streams as the API has them: what enters one is done by the queue, or, while the stream is
 * capturing, recorded. The queue knows nothing of captures; nobody above this calls its functions
 * of these kinds. */
#ifndef LS_RUNTIME_GRAPH_STREAM_H
#define LS_RUNTIME_GRAPH_STREAM_H

#include "runtime/graph/capture.h"
#include "runtime/graph/graph.h"
#include "runtime/module/launch.h"

/* Hands the command over. */
static inline hipError_t
ls_stream_do(struct ls_cmd *cmd)
{
    if (ls_stream_is_capturing(cmd->stream))
        return ls_capture_cmd(cmd);
    cmd->work.launch = ls_exec_launch_by;
    return ls_cmd_enqueue(cmd);
}

/* Hands the command over, and waits for its end unless it was captured. */
static inline hipError_t
ls_stream_do_wait(struct ls_cmd *cmd)
{
    if (ls_stream_is_capturing(cmd->stream))
        return ls_capture_cmd(cmd);
    cmd->work.launch = ls_exec_launch_by;
    return ls_cmd_enqueue_wait(cmd);
}

/* Checks, finds code, hands the launch over. Errors as HIP specifies them for hipLaunchKernel. */
static inline hipError_t
ls_stream_launch(const struct ls_launch *launch)
{
    struct ls_cmd *cmd;
    hipError_t err = ls_launch_make(launch, !ls_stream_is_capturing(launch->stream), &cmd);

    return err == hipSuccess && cmd ? ls_stream_do(cmd) : err;
}

static inline hipError_t
ls_stream_record(struct ihipStream_t *stream, struct ihipEvent_t *event)
{
    bool captured;
    hipError_t err = ls_capture_record_event(stream, event, &captured);

    return err != hipSuccess || captured ? err : ls_event_record(event, stream);
}

hipError_t ls_stream_await(struct ihipStream_t *stream, struct ihipEvent_t *event);
/* Takes the stream out of its capture and destroys it. Pending work still runs. */
hipError_t ls_stream_close(struct ihipStream_t *stream);
/* Destroys the event. Whatever waits for it still does. */
hipError_t ls_event_close(struct ihipEvent_t *event);

#endif
