/* SPDX-License-Identifier: MIT */
/* Faults of kernels, and what else ends a context. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/log.h"
#include "device/cuda/cuda_priv.h"

static void
report(struct ls_cuda *c, int result)
{
    const struct ls_work *first = NULL;
    const struct ls_work_kernel *k;
    unsigned n = 0;
    char others[64] = "";

    pthread_mutex_lock(&c->lock);
    for (unsigned i = 0; i < atomic_load(&c->n_streams); i++)
        for (const struct ls_work *w = c->streams[i]->head; w && w != c->streams[i]->next;
             w = ls_cuda_room(w)->next) {
            if (w->kind != LS_WORK_KERNEL || !ls_cuda_room(w)->was_taken)
                continue;
            n += 1 + ls_cuda_room(w)->n_joined;
            if (!first || ls_cuda_room(w)->serial < ls_cuda_room(first)->serial)
                first = w;
        }
    k = first ? &first->kernel : NULL;
    if (n > 1)
        snprintf(others, sizeof(others), ", or one of %u others that were on the device", n - 1);
    if (k)
        ls_log(LS_LOG_ERROR, "kernel %s: %s (%s); grid (%u,%u,%u) x block (%u,%u,%u)%s",
               k->source->display_name,
               result == 700   ? "illegal memory access"
               : result == 716 ? "misaligned address"
               : result == 715 ? "illegal instruction"
               : result == 710 ? "assertion failed"
               : result == 714 ? "stack error"
                               : "failed",
               ls_cu_name(result), k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1],
               k->block[2], others);
    else
        ls_log(LS_LOG_ERROR, "device %u has failed: %s", c->dev->index, ls_cu_name(result));
    pthread_mutex_unlock(&c->lock);
    if (strcmp(ls_env_str(LS_ENV_FAULT), "abort") == 0) {
        fflush(stdout); /* what kernels printed */
        abort();
    }
}

hipError_t
ls_cuda_failed(struct ls_cuda *c, int result)
{
    hipError_t err = ls_cu_error(result);
    int none = 0;

    if (result == LS_CU_DEINITIALIZED) {
        atomic_compare_exchange_strong(&c->dead, &none, result);
        return err;
    }
    if (ls_cu_ends(result) && atomic_compare_exchange_strong(&c->dead, &none, result)) {
        report(c, result);
        none = 0;
        atomic_compare_exchange_strong(&c->dev->sticky, &none, (int)err);
    }
    return err;
}
