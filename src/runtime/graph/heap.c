/* SPDX-License-Identifier: MIT */
/* What payloads keep of their parameters. */
#include <stdlib.h>
#include <string.h>

#include "runtime/graph/payload_priv.h"

#define N_EXTRA 5

/* Layout of a kernel payload's heap, behind the kernarg segment. */
struct kernel_tail {
    void *extra[N_EXTRA];
    size_t packed_bytes;
    void *args[];
};

static struct kernel_tail *
tail_of(const struct ls_payload *p)
{
    size_t bytes = p->kernel.symbol->info->kernarg_bytes;

    return (struct kernel_tail *)(void *)((char *)p->heap + (bytes + 63) / 64 * 64);
}

hipError_t
ls_heap_kernel(struct ls_payload *p)
{
    const struct ls_lsbc_kernel *info = p->kernel.symbol->info;
    size_t bytes = ((size_t)info->kernarg_bytes + 63) / 64 * 64 + sizeof(struct kernel_tail) +
                   info->n_args * sizeof(void *);

    p->heap = aligned_alloc(64, (bytes + 63) / 64 * 64);
    return p->heap ? hipSuccess : hipErrorOutOfMemory;
}

void
ls_heap_settle_kernel(struct ls_payload *p, bool by_extra)
{
    const struct ihipModuleSymbol_t *k = p->kernel.symbol;
    struct kernel_tail *tail = tail_of(p);

    p->kernel.work.kernarg = p->heap;
    p->kernel.params.kernelParams = NULL;
    p->kernel.params.extra = NULL;
    if (by_extra) {
        tail->packed_bytes = k->info->kernarg_bytes;
        tail->extra[0] = HIP_LAUNCH_PARAM_BUFFER_POINTER;
        tail->extra[1] = p->heap;
        tail->extra[2] = HIP_LAUNCH_PARAM_BUFFER_SIZE;
        tail->extra[3] = &tail->packed_bytes;
        tail->extra[4] = HIP_LAUNCH_PARAM_END;
        p->kernel.params.extra = tail->extra;
        return;
    }
    for (uint32_t i = 0; i < k->info->n_args; i++)
        tail->args[i] = (char *)p->heap + k->args[i].offset;
    if (k->info->n_args)
        p->kernel.params.kernelParams = tail->args;
}

bool
ls_payload_has_semaphores(const struct ls_payload *p)
{
    return p->type == hipGraphNodeTypeExtSemaphoreSignal ||
           p->type == hipGraphNodeTypeExtSemaphoreWait;
}

hipError_t
ls_heap_values(struct ls_payload *p, uint32_t n_steps, const void *first, size_t first_bytes,
             const void *second, size_t second_bytes)
{
    size_t bytes = n_steps * sizeof(struct ls_step);
    char *heap = calloc(1, bytes + first_bytes + second_bytes + 1);

    if (!heap)
        return hipErrorOutOfMemory;
    p->heap = heap;
    p->values.heap_bytes = bytes + first_bytes + second_bytes;
    p->values.steps = (void *)heap;
    p->values.n_steps = n_steps;
    if (first_bytes)
        memcpy(heap + bytes, first, first_bytes);
    if (second_bytes)
        memcpy(heap + bytes + first_bytes, second, second_bytes);
    return hipSuccess;
}

void
ls_heap_settle_values(struct ls_payload *p)
{
    char *at = (char *)p->heap + p->values.n_steps * sizeof(struct ls_step);

    p->values.steps = p->heap;
    if (p->type == hipGraphNodeTypeExtSemaphoreSignal) {
        p->values.signal.extSemArray = (void *)at;
        p->values.signal.paramsArray =
            (void *)(at + p->values.signal.numExtSems * sizeof(hipExternalSemaphore_t));
    } else if (p->type == hipGraphNodeTypeExtSemaphoreWait) {
        p->values.wait.extSemArray = (void *)at;
        p->values.wait.paramsArray =
            (void *)(at + p->values.wait.numExtSems * sizeof(hipExternalSemaphore_t));
    } else {
        p->values.batch.paramArray = p->values.batch.count ? (void *)at : NULL;
    }
}
