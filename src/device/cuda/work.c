/* SPDX-License-Identifier: MIT */
/* One work that the driver does. */
#include "base/log.h"
#include "device/cuda/cuda_priv.h"

int
ls_cuda_hand_over(struct ls_cuda *c, const struct ls_work *w, struct ls_cu_stream *stream)
{
    switch (w->kind) {
    case LS_WORK_KERNEL:
        return ls_cuda_launch(c, &w->kernel, stream);
    case LS_WORK_COPY:
        return ls_cuda_copy(&w->copy, stream);
    case LS_WORK_FILL:
        return ls_cuda_fill(&w->fill, stream);
    default:
        LS_BUG("a work of kind %d for a stream", (int)w->kind);
    }
}
