/* SPDX-License-Identifier: MIT */
/* Streams of the device's own, made when they are wanted first: that takes the driver long. */
#include "device/cuda/cuda_priv.h"

/* Where the driver has none left, the context's own stream serves. */
struct ls_cu_stream *
ls_cuda_side(struct ls_cuda *c, enum ls_cuda_side which)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct ls_cu_stream *side = atomic_load(&c->sides[which]);

    if (side)
        return side;
    pthread_mutex_lock(&lock);
    side = atomic_load(&c->sides[which]);
    if (!side && LS_CU(cuStreamCreateWithPriority, &side, LS_CU_STREAM_NON_BLOCKING, c->least) ==
                     LS_CU_SUCCESS)
        atomic_store(&c->sides[which], side);
    pthread_mutex_unlock(&lock);
    return side;
}
