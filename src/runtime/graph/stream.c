/* SPDX-License-Identifier: MIT */
#include "runtime/graph/stream.h"

hipError_t
ls_stream_await(struct ihipStream_t *s, struct ihipEvent_t *event)
{
    struct ls_cmd *cmd;
    bool captured;
    hipError_t err = ls_capture_wait_event(s, event, &captured);

    if (err != hipSuccess || captured)
        return err;
    if (!event->shared)
        return ls_stream_wait_event(s, event);
    err = ls_stream_wait_shared(s, event, &cmd);
    return err == hipSuccess && cmd ? ls_stream_do(cmd) : err;
}

hipError_t
ls_stream_close(struct ihipStream_t *s)
{
    if (!s)
        return hipSuccess;
    ls_capture_leave(s);
    return ls_stream_destroy(s);
}

hipError_t
ls_event_close(struct ihipEvent_t *event)
{
    ls_capture_forget_event(event);
    return ls_event_destroy(event);
}
