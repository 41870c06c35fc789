/* SPDX-License-Identifier: MIT */
/* What nodes do: parameters checked, copied, and made into works. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/copy/copy.h"
#include "runtime/graph/payload_priv.h"
#include "runtime/mem/external.h"
#include "runtime/mem/mem.h"

#define MAX_BODIES 65536u

/* Kernels */

static hipError_t
find_function(void *func, struct ihipModuleSymbol_t **out)
{
    hipError_t err = ls_registered_kernel(func, out);

    if (err == hipSuccess || err == hipErrorOutOfMemory)
        return err;
    if (!ls_kernel_is_valid(func))
        return ls_err(hipErrorInvalidDeviceFunction, "%p is no kernel", func);
    *out = func;
    return hipSuccess;
}

static hipError_t
check_shape(const hipKernelNodeParams *p)
{
    uint64_t x = (uint64_t)p->gridDim.x * p->blockDim.x;
    uint64_t y = (uint64_t)p->gridDim.y * p->blockDim.y;
    uint64_t z = (uint64_t)p->gridDim.z * p->blockDim.z;

    if (x == 0 || y == 0 || z == 0)
        return ls_err(hipErrorInvalidValue, "a size of zero");
    if ((uint64_t)p->blockDim.x * p->blockDim.y * p->blockDim.z > ls_limits()->max_block_threads)
        return ls_err(hipErrorInvalidValue, "block too large");
    if (p->sharedMemBytes > ls_limits()->max_lds_bytes)
        return ls_err(hipErrorInvalidValue, "%u bytes of shared memory", p->sharedMemBytes);
    if (x > UINT32_MAX || y > UINT32_MAX || z > UINT32_MAX)
        return ls_err(hipErrorInvalidConfiguration, "grid too large");
    return hipSuccess;
}

hipError_t
ls_payload_kernel(const hipKernelNodeParams *params, struct ls_payload *out)
{
    struct ls_payload p = {.type = hipGraphNodeTypeKernel};
    struct ls_launch l = {.grid = params->gridDim,
                          .block = params->blockDim,
                          .shared_bytes = params->sharedMemBytes,
                          .args = params->kernelParams};
    hipError_t err;

    if (!params->func)
        return ls_err(hipErrorInvalidValue, "no function");
    LS_TRY(find_function(params->func, &p.kernel.symbol));
    l.kernel = p.kernel.symbol;
    if (params->kernelParams && params->extra)
        LS_TRY(ls_err(hipErrorInvalidValue, "both kernelParams and extra"));
    LS_TRY(check_shape(params));
    if (params->extra)
        LS_TRY(ls_launch_read_extra(params->extra, &l));
    LS_TRY(ls_launch_prepare(&l, &p.kernel.work));
    LS_TRY(ls_heap_kernel(&p));
    LS_TRY(ls_launch_pack(&l, p.heap));
    p.kernel.params = *params;
    ls_heap_settle_kernel(&p, params->extra != NULL);
    *out = p;
    p.heap = NULL;
out:
    free(p.heap);
    return err;
}

/* Copies */

static bool
is_device(const void *ptr)
{
    struct ls_mem_range range;

    return ls_mem_find(ptr, &range) && range.kind != LS_MEM_HOST && range.kind != LS_MEM_REGISTERED;
}

static hipError_t
check_box(const struct ls_work_copy *box)
{
    if (box->row_bytes && box->height && box->depth && !ls_copy_box_fits(box))
        return ls_err(hipErrorInvalidValue, "a box leaves its allocation");
    return hipSuccess;
}

static hipError_t
check_copy_3d(const hipMemcpy3DParms *p)
{
    bool linear = !p->srcArray && !p->dstArray;

    if ((p->srcArray && p->srcPtr.ptr) || (p->dstArray && p->dstPtr.ptr) ||
        (!p->srcArray && !p->srcPtr.ptr) || (!p->dstArray && !p->dstPtr.ptr))
        return ls_err(hipErrorInvalidValue, "each end of a copy is an array or a pointer");
    if (p->srcPtr.pitch < p->srcPtr.xsize || p->dstPtr.pitch < p->dstPtr.xsize)
        return ls_err(hipErrorInvalidPitchValue, "pitches below the width");
    if (p->srcPtr.pitch >= INT_MAX || p->dstPtr.pitch >= INT_MAX)
        return ls_err(hipErrorInvalidValue, "pitches too large");
    if (linear && (p->extent.width + p->dstPos.x > p->dstPtr.pitch ||
                   p->extent.width + p->srcPos.x > p->srcPtr.pitch))
        return ls_err(hipErrorInvalidValue, "rows longer than a pitch");
    if (!ls_copy_is_kind(p->kind))
        return ls_err(hipErrorInvalidMemcpyDirection, "kind %d", (int)p->kind);
    if (linear && !ls_mem_is_known(p->srcPtr.ptr) && !ls_mem_is_known(p->dstPtr.ptr) &&
        p->kind != hipMemcpyHostToHost && p->kind != hipMemcpyDefault)
        return ls_err(hipErrorInvalidValue, "no device memory in a copy of kind %d", (int)p->kind);
    return hipSuccess;
}

hipError_t
ls_payload_copy_3d(const hipMemcpy3DParms *params, struct ls_payload *out)
{
    struct ls_payload p = {.type = hipGraphNodeTypeMemcpy, .copy.form = LS_COPY_3D};
    hipError_t err;

    LS_TRY(check_copy_3d(params));
    p.copy.params = *params;
    LS_TRY(ls_copy_box_3d(params, &p.copy.box));
    LS_TRY(check_box(&p.copy.box));
    *out = p;
out:
    return err;
}

hipError_t
ls_payload_copy_driver(const HIP_MEMCPY3D *params, struct ls_payload *out)
{
    struct ls_payload p = {.type = hipGraphNodeTypeMemcpy, .copy.form = LS_COPY_DRIVER};
    hipError_t err;

    p.copy.driver = *params;
    p.copy.params.kind = hipMemcpyDefault;
    LS_TRY(ls_copy_box_driver(params, &p.copy.box));
    if (params->srcMemoryType != hipMemoryTypeArray &&
        params->srcPitch < params->WidthInBytes + params->srcXInBytes)
        LS_TRY(ls_err(hipErrorInvalidValue, "source pitch below the width"));
    if (params->dstMemoryType != hipMemoryTypeArray &&
        params->dstPitch < params->WidthInBytes + params->dstXInBytes)
        LS_TRY(ls_err(hipErrorInvalidValue, "destination pitch below the width"));
    LS_TRY(check_box(&p.copy.box));
    *out = p;
out:
    return err;
}

/* Makes the parameters of a box for a copy of bytes. */
static void
settle_linear(struct ls_payload *p, void *dst, const void *src, size_t bytes, hipMemcpyKind kind)
{
    p->copy.box =
        (struct ls_work_copy){.dst = dst, .src = src, .row_bytes = bytes, .height = 1, .depth = 1};
    p->copy.params = (hipMemcpy3DParms){
        .srcPtr = {(void *)(uintptr_t)src, bytes, bytes, 1},
        .dstPtr = {dst, bytes, bytes, 1},
        .extent = {bytes, 1, 1},
        .kind = kind,
    };
}

hipError_t
ls_payload_copy_1d(void *dst, const void *src, size_t bytes, hipMemcpyKind kind,
                   struct ls_payload *out)
{
    struct ls_payload p = {.type = hipGraphNodeTypeMemcpy, .copy.form = LS_COPY_1D};

    if (!dst || !src)
        return ls_err(hipErrorInvalidValue, "copy between %p and %p", dst, src);
    if (!ls_copy_is_kind(kind))
        return ls_err(hipErrorInvalidMemcpyDirection, "kind %d", (int)kind);
    if (!ls_mem_fits(dst, bytes, true) || !ls_mem_fits(src, bytes, false))
        return ls_err(hipErrorInvalidValue, "a copy of %zu bytes leaves its allocation", bytes);
    if (!ls_mem_is_known(src) && ls_mem_is_known(dst) && kind != hipMemcpyHostToDevice &&
        kind != hipMemcpyDefault)
        return ls_err(hipErrorInvalidValue, "kind %d for a host source", (int)kind);
    if (ls_mem_is_known(src) && !ls_mem_is_known(dst) && kind != hipMemcpyDeviceToHost &&
        kind != hipMemcpyDefault)
        return ls_err(hipErrorInvalidValue, "kind %d for a host destination", (int)kind);
    settle_linear(&p, dst, src, bytes, kind);
    *out = p;
    return hipSuccess;
}

/* Makes the payload of a copy. `strict`, for changes of nodes: the kind must fit where the host's
 * memory is. */
static bool
suits(const void *other, hipMemcpyKind kind, hipMemcpyKind with_host)
{
    if (kind == hipMemcpyDefault)
        return true;
    if (!ls_mem_is_known(other))
        return kind == with_host;
    if (is_device(other))
        return kind == hipMemcpyDeviceToDevice || kind == hipMemcpyDeviceToDeviceNoCU;
    return kind == with_host || kind == hipMemcpyDeviceToDevice ||
           kind == hipMemcpyDeviceToDeviceNoCU;
}

hipError_t
ls_payload_to_symbol(const void *symbol, const void *src, size_t bytes, size_t offset,
                     hipMemcpyKind kind, bool strict, struct ls_payload *out)
{
    struct ls_payload p = {.type = hipGraphNodeTypeMemcpy, .copy.form = LS_COPY_TO_SYMBOL};
    char *ptr, *other;
    hipError_t err;

    if (strict && ls_registered_part(src, bytes, offset, &other) == hipSuccess)
        LS_TRY(ls_err(hipErrorInvalidValue, "the source is a symbol"));
    LS_TRY(ls_registered_part(symbol, bytes, offset, &ptr));
    if (strict && !suits(src, kind, hipMemcpyHostToDevice))
        LS_TRY(ls_err(hipErrorInvalidValue, "kind %d", (int)kind));
    settle_linear(&p, ptr, src, bytes, kind);
    *out = p;
out:
    return err;
}

hipError_t
ls_payload_from_symbol(void *dst, const void *symbol, size_t bytes, size_t offset,
                       hipMemcpyKind kind, bool strict, struct ls_payload *out)
{
    struct ls_payload p = {.type = hipGraphNodeTypeMemcpy, .copy.form = LS_COPY_FROM_SYMBOL};
    char *ptr, *other;
    hipError_t err;

    if (strict && ls_registered_part(dst, bytes, offset, &other) == hipSuccess)
        LS_TRY(ls_err(hipErrorInvalidValue, "the destination is a symbol"));
    LS_TRY(ls_registered_part(symbol, bytes, offset, &ptr));
    if (strict && !suits(dst, kind, hipMemcpyDeviceToHost))
        LS_TRY(ls_err(hipErrorInvalidMemcpyDirection, "kind %d", (int)kind));
    settle_linear(&p, dst, ptr, bytes, kind);
    *out = p;
out:
    return err;
}

/* Fills */

static hipError_t
check_fill(const hipMemsetParams *m, size_t *row_bytes)
{
    struct ls_mem_range range;
    size_t span;

    if (m->width == 0 || m->height == 0)
        return ls_err(hipErrorInvalidValue, "a fill of nothing");
    if (m->elementSize != 1 && m->elementSize != 2 && m->elementSize != 4)
        return ls_err(hipErrorInvalidValue, "elements of %u bytes", m->elementSize);
    if (!m->dst || !ls_mem_find(m->dst, &range))
        return ls_err(hipErrorInvalidValue, "%p is no device memory", m->dst);
    if (__builtin_mul_overflow(m->width, m->elementSize, row_bytes) ||
        (m->height > 1 && m->pitch < *row_bytes))
        return ls_err(hipErrorInvalidValue, "rows longer than the pitch");
    if (__builtin_mul_overflow(m->pitch, m->height, &span) || span > range.bytes ||
        __builtin_mul_overflow(m->pitch, m->height - 1, &span) ||
        __builtin_add_overflow(span, *row_bytes, &span) || !ls_mem_fits(m->dst, span, true))
        return ls_err(hipErrorInvalidValue, "a fill leaves its allocation");
    return hipSuccess;
}

hipError_t
ls_payload_fill(const hipMemsetParams *params, struct ls_payload *out)
{
    struct ls_payload p = {.type = hipGraphNodeTypeMemset};
    size_t row_bytes = 0;
    hipError_t err;

    LS_TRY(check_fill(params, &row_bytes));
    p.fill.params = *params;
    p.fill.depth = 1;
    p.fill.box = (struct ls_work_fill){.dst = params->dst,
                                       .row_bytes = row_bytes,
                                       .height = params->height,
                                       .depth = 1,
                                       .pitch = params->pitch,
                                       .value = params->value,
                                       .element_bytes = params->elementSize};
    *out = p;
out:
    return err;
}

/* Memory */

hipError_t
ls_payload_alloc(hipMemAllocNodeParams *params, struct ls_payload *out)
{
    struct ls_payload p = {.type = hipGraphNodeTypeMemAlloc};

    params->dptr = NULL;
    if (params->bytesize == 0 || params->poolProps.allocType != hipMemAllocationTypePinned ||
        params->poolProps.location.type != hipMemLocationTypeDevice ||
        !ls_gpu_exists(params->poolProps.location.id))
        return ls_err(hipErrorInvalidValue, "%zu bytes of such memory", params->bytesize);
    p.memory.mem = ls_graph_mem_create((uint32_t)params->poolProps.location.id, params->bytesize);
    if (!p.memory.mem)
        return ls_err(hipErrorOutOfMemory, "%zu bytes for a graph", params->bytesize);
    params->dptr = ls_graph_mem_ptr(p.memory.mem);
    p.memory.params = *params;
    *out = p;
    return hipSuccess;
}

hipError_t
ls_payload_free(void *ptr, bool captured, struct ls_payload *out)
{
    struct ls_payload p = {.type = hipGraphNodeTypeMemFree};
    struct ls_graph_mem *mem = ls_graph_mem_find(ptr);

    if (!mem)
        return ls_err(hipErrorInvalidValue, "%p is no memory of a graph", ptr);
    p.memory.claims = ls_graph_mem_claim_free(mem);
    if (!p.memory.claims && !captured) {
        ls_graph_mem_unref(mem);
        return ls_err(hipErrorInvalidValue, "%p has a free node already", ptr);
    }
    p.memory.mem = mem;
    p.memory.params.dptr = ptr;
    *out = p;
    return hipSuccess;
}

/* Values in memory */

hipError_t
ls_payload_batch(const hipBatchMemOpNodeParams *params, const struct ls_step *steps,
                 uint32_t n_steps, struct ls_payload *out)
{
    struct ls_payload p = {.type = LS_NODE_BATCH};
    hipError_t err;

    p.values.batch = *params;
    LS_TRY(ls_heap_values(&p, n_steps, params->paramArray,
                        params->count * sizeof(*params->paramArray), NULL, 0));
    memcpy(p.values.steps, steps, n_steps * sizeof(*steps));
    ls_heap_settle_values(&p);
    *out = p;
out:
    return err;
}

static hipError_t
take_semaphores(struct ls_payload *p, const hipExternalSemaphore_t *semaphores, unsigned n,
                const void *params, size_t params_bytes, struct ls_payload *out)
{
    hipError_t err;

    LS_TRY(ls_heap_values(p, n, semaphores, n * sizeof(*semaphores), params, params_bytes));
    ls_heap_settle_values(p);
    LS_TRY(ls_semaphore_steps(semaphores, n, p->type == hipGraphNodeTypeExtSemaphoreWait,
                              p->values.steps));
    *out = *p;
    p->heap = NULL;
out:
    free(p->heap);
    return err;
}

hipError_t
ls_payload_signal(const hipExternalSemaphoreSignalNodeParams *params, struct ls_payload *out)
{
    struct ls_payload p = {.type = hipGraphNodeTypeExtSemaphoreSignal};

    if (!params->extSemArray || !params->paramsArray)
        return ls_err(hipErrorInvalidValue, "no semaphores");
    p.values.signal = *params;
    return take_semaphores(&p, params->extSemArray, params->numExtSems, params->paramsArray,
                           params->numExtSems * sizeof(*params->paramsArray), out);
}

hipError_t
ls_payload_wait(const hipExternalSemaphoreWaitNodeParams *params, struct ls_payload *out)
{
    struct ls_payload p = {.type = hipGraphNodeTypeExtSemaphoreWait};

    if (!params->extSemArray || !params->paramsArray)
        return ls_err(hipErrorInvalidValue, "no semaphores");
    p.values.wait = *params;
    return take_semaphores(&p, params->extSemArray, params->numExtSems, params->paramsArray,
                           params->numExtSems * sizeof(*params->paramsArray), out);
}

/* Commands of the queue */

static hipError_t
from_kernel(const struct ls_cmd *cmd, struct ls_payload *p)
{
    const struct ls_work_kernel *w = &cmd->work.kernel;
    size_t offset = offsetof(struct ihipModuleSymbol_t, source);
    hipError_t err;

    p->type = hipGraphNodeTypeKernel;
    p->kernel.symbol = (struct ihipModuleSymbol_t *)(void *)((char *)w->source - offset);
    p->kernel.work = *w;
    p->kernel.params.func = (void *)(uintptr_t)cmd->origin;
    p->kernel.params.gridDim = (dim3){w->grid[0], w->grid[1], w->grid[2]};
    p->kernel.params.blockDim = (dim3){w->block[0], w->block[1], w->block[2]};
    p->kernel.params.sharedMemBytes = w->dyn_lds_bytes;
    err = ls_heap_kernel(p);
    if (err != hipSuccess)
        return err;
    memcpy(p->heap, w->kernarg, p->kernel.symbol->info->kernarg_bytes);
    ls_heap_settle_kernel(p, false);
    if (w->cooperative) {
        p->kernel.attr_id = hipLaunchAttributeCooperative;
        p->kernel.attr.cooperative = 1;
    }
    return hipSuccess;
}

static hipMemcpyKind
kind_of(const struct ls_work_copy *box)
{
    bool from = is_device(box->src), to = is_device(box->dst);

    if (from)
        return to ? hipMemcpyDeviceToDevice : hipMemcpyDeviceToHost;
    return to ? hipMemcpyHostToDevice : hipMemcpyHostToHost;
}

static void
from_copy(const struct ls_work_copy *box, struct ls_payload *p)
{
    p->type = hipGraphNodeTypeMemcpy;
    p->copy.captured = true;
    if (box->height == 1 && box->depth == 1) {
        p->copy.form = LS_COPY_1D;
        settle_linear(p, box->dst, box->src, box->row_bytes, kind_of(box));
        return;
    }
    p->copy.form = LS_COPY_3D;
    p->copy.box = *box;
    p->copy.params = (hipMemcpy3DParms){
        .srcPtr = {(void *)(uintptr_t)box->src, box->src_pitch, box->row_bytes,
                   box->src_pitch ? box->src_slice / box->src_pitch : 0},
        .dstPtr = {box->dst, box->dst_pitch, box->row_bytes,
                   box->dst_pitch ? box->dst_slice / box->dst_pitch : 0},
        .extent = {box->row_bytes, box->height, box->depth},
        .kind = kind_of(box),
    };
}

static void
from_fill(const struct ls_work_fill *box, struct ls_payload *p)
{
    p->type = hipGraphNodeTypeMemset;
    p->fill.box = *box;
    p->fill.depth = box->depth;
    p->fill.params = (hipMemsetParams){.dst = box->dst,
                                       .elementSize = box->element_bytes,
                                       .height = box->height,
                                       .pitch = box->pitch,
                                       .value = box->value,
                                       .width = box->row_bytes / box->element_bytes};
}

static hipError_t
from_host(const struct ls_cmd *cmd, struct ls_payload *p)
{
    const struct ls_work_host *w = &cmd->work.host;

    if (cmd->host.fn) {
        p->type = hipGraphNodeTypeHost;
        p->host = cmd->host;
        return hipSuccess;
    }
    p->type = LS_NODE_OPAQUE;
    p->opaque.fn = w->fn;
    p->opaque.user = w->user;
    if (w->user != cmd->bytes)
        return cmd->heap ? hipErrorStreamCaptureUnsupported : hipSuccess;
    p->opaque.bytes = sizeof(cmd->bytes);
    p->heap = malloc(sizeof(cmd->bytes));
    if (!p->heap)
        return hipErrorOutOfMemory;
    memcpy(p->heap, cmd->bytes, sizeof(cmd->bytes));
    p->opaque.user = p->heap;
    return hipSuccess;
}

static hipError_t
from_call(const struct ls_cmd *cmd, struct ls_payload *out)
{
    const hipBatchMemOpNodeParams none = {.count = 0};
    struct ls_step step = {.call = cmd->call, .waits = cmd->kind == LS_CMD_POLL};

    memcpy(step.data, cmd->bytes, sizeof(step.data));
    return ls_payload_batch(&none, &step, 1, out);
}

hipError_t
ls_payload_cmd(const struct ls_cmd *cmd, struct ls_payload *out)
{
    hipError_t err = hipSuccess;

    memset(out, 0, sizeof(*out));
    out->type = hipGraphNodeTypeEmpty;
    if (cmd->kind == LS_CMD_FREE)
        return ls_payload_free(cmd->memory, true, out);
    if (cmd->kind == LS_CMD_MARK)
        return hipSuccess;
    if ((cmd->kind == LS_CMD_CALL || cmd->kind == LS_CMD_POLL) && cmd->repeats)
        return from_call(cmd, out);
    if (cmd->kind != LS_CMD_WORK)
        return ls_err(hipErrorStreamCaptureUnsupported, "a command of kind %d", (int)cmd->kind);
    switch (cmd->work.kind) {
    case LS_WORK_KERNEL:
        err = from_kernel(cmd, out);
        break;
    case LS_WORK_COPY:
        from_copy(&cmd->work.copy, out);
        break;
    case LS_WORK_FILL:
        from_fill(&cmd->work.fill, out);
        break;
    case LS_WORK_HOST:
        err = from_host(cmd, out);
        break;
    case LS_WORK_NONE:
    case LS_WORK_GRAPH:
    case LS_WORK_CALL:
    case LS_WORK_LATER:
    default:
        return ls_err(hipErrorStreamCaptureUnsupported, "work of kind %d", (int)cmd->work.kind);
    }
    return err;
}

hipError_t
ls_payload_conditional(const hipConditionalNodeParams *params, struct ls_payload *out)
{
    struct ls_cond *cond = ls_cond_find(params->handle);
    hipError_t err;

    out->type = hipGraphNodeTypeConditional;
    out->conditional.params = *params;
    out->conditional.params.phGraph_out = NULL;
    if (!cond || cond->has_node)
        return ls_err(hipErrorInvalidValue, "no handle, or one that a node has");
    if (params->size == 0 || params->size > MAX_BODIES ||
        (params->type == hipGraphCondTypeIf && params->size > 2) ||
        (params->type == hipGraphCondTypeWhile && params->size > 1) ||
        (unsigned)params->type > hipGraphCondTypeSwitch)
        return ls_err(hipErrorInvalidValue, "type %d with %u graphs", (int)params->type,
                      params->size);
    err = ls_payload_make_bodies(NULL, out);
    if (err != hipSuccess)
        return err;
    cond->has_node = true;
    out->conditional.cond = ls_cond_ref(cond);
    return hipSuccess;
}

