/* SPDX-License-Identifier: MIT */
/* Waiting for and writing values of memory in stream order, alone and in batches; CU masks. */
#include <string.h>

#include "runtime/api/api_graph.h"
#include "runtime/graph/stream.h"

struct value_op {
    char *ptr;
    uint64_t value, mask;
    unsigned compare; /* hipStreamWaitValue* */
    unsigned bytes;   /* 4 or 8 */
    uint32_t device;  /* whose memory it is */
};

_Static_assert(sizeof(struct value_op) <= LS_CMD_INLINE_BYTES, "a value fits into a command");

/* HIP 6.3's reference, hipStreamWaitValue32: what each comparison means and what is masked. */
static bool
is_there(void *data)
{
    const struct value_op *op = data;
    struct ls_device *dev = &ls_rt.gpus[op->device].dev;
    uint64_t now = 0, all = op->bytes == 4 ? UINT32_MAX : UINT64_MAX;

    dev->ops->mem.read(dev, &now, op->ptr, op->bytes);
    now &= op->mask;
    switch (op->compare) {
    case hipStreamWaitValueGte:
        return now >= op->value;
    case hipStreamWaitValueEq:
        return now == op->value;
    case hipStreamWaitValueAnd:
        return (now & op->value) != 0;
    case hipStreamWaitValueNor:
    default:
        return (~(now | (op->value & op->mask)) & all) != 0;
    }
}

static bool
put_value(void *data)
{
    const struct value_op *op = data;
    struct ls_device *dev = &ls_rt.gpus[op->device].dev;

    dev->ops->mem.write(dev, op->ptr, &op->value, op->bytes);
    return true;
}

/* And whose memory it is. */
static hipError_t
check_op(struct value_op *op, bool waits)
{
    struct ls_mem_range range;

    if (!op->ptr || (uintptr_t)op->ptr % op->bytes != 0)
        return ls_err(hipErrorInvalidValue, "a value at %p", (void *)op->ptr);
    if (waits && op->compare > hipStreamWaitValueNor)
        return ls_err(hipErrorInvalidValue, "wait flags 0x%x", op->compare);
    if (!ls_mem_find(op->ptr, &range) || !ls_mem_fits(op->ptr, op->bytes, !waits))
        return ls_err(hipErrorInvalidValue, "%p is no memory of HIP", (void *)op->ptr);
    op->device = range.device;
    return hipSuccess;
}

static hipError_t
enqueue_op(struct ihipStream_t *stream, const struct value_op *op, bool waits)
{
    struct ls_cmd *cmd = ls_cmd_create(stream, waits ? LS_CMD_POLL : LS_CMD_CALL);

    if (!cmd)
        return hipErrorOutOfMemory;
    memcpy(cmd->bytes, op, sizeof(*op));
    cmd->call = waits ? is_there : put_value;
    cmd->repeats = true;
    return ls_stream_do(cmd);
}

static hipError_t
value_op(hipStream_t handle, struct value_op op, bool waits)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(op.ptr, hipErrorInvalidValue);
    LS_TRY(ls_stream_resolve(handle, &stream));
    LS_TRY(check_op(&op, waits));
    err = enqueue_op(stream, &op, waits);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipStreamWaitValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned flags, uint32_t mask)
{
    return value_op(stream, (struct value_op){ptr, value, mask, flags, 4, 0}, true);
}

LS_EXPORT hipError_t
hipStreamWaitValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned flags, uint64_t mask)
{
    return value_op(stream, (struct value_op){ptr, value, mask, flags, 8, 0}, true);
}

/* The flags of writes have no meaning. */

LS_EXPORT hipError_t
hipStreamWriteValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned flags)
{
    (void)flags;
    return value_op(stream, (struct value_op){ptr, value, 0, 0, 4, 0}, false);
}

LS_EXPORT hipError_t
hipStreamWriteValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned flags)
{
    (void)flags;
    return value_op(stream, (struct value_op){ptr, value, 0, 0, 8, 0}, false);
}

#define MAX_BATCH LS_MAX_BATCH

/* Reads an entry of a batch. bytes 0: there is nothing to do for it. */
static hipError_t
decode(const hipStreamBatchMemOpParams *p, struct value_op *op, bool *waits)
{
    bool wide =
        p->operation == hipStreamMemOpWaitValue64 || p->operation == hipStreamMemOpWriteValue64;

    *op = (struct value_op){.bytes = wide ? 8 : 4, .mask = wide ? UINT64_MAX : UINT32_MAX};
    *waits = false;
    switch (p->operation) {
    case hipStreamMemOpWaitValue32:
    case hipStreamMemOpWaitValue64:
        op->ptr = p->waitValue.address;
        op->value = wide ? p->waitValue.value64 : p->waitValue.value;
        op->compare = p->waitValue.flags;
        *waits = true;
        return check_op(op, true);
    case hipStreamMemOpWriteValue32:
    case hipStreamMemOpWriteValue64:
        op->ptr = p->writeValue.address;
        op->value = wide ? p->writeValue.value64 : p->writeValue.value;
        return check_op(op, false);
    case hipStreamMemOpFlushRemoteWrites:
    case hipStreamMemOpBarrier: /* not needed: every command sees all writes of the commands before
                                   it */
        op->bytes = 0;
        return hipSuccess;
    default:
        return ls_err(hipErrorInvalidValue, "batch operation %d", (int)p->operation);
    }
}

hipError_t
ls_api_value_steps(const hipStreamBatchMemOpParams *params, unsigned count, struct ls_step *steps,
                   uint32_t *n_steps)
{
    struct value_op op;
    hipError_t err;
    bool waits;

    _Static_assert(sizeof(op) <= sizeof(steps->data), "a value fits into a step");
    LS_ASSERT_FITS(count, LS_MAX_BATCH);
    *n_steps = 0;
    for (unsigned i = 0; i < count; i++) {
        struct ls_step *step = &steps[*n_steps];

        LS_TRY(decode(&params[i], &op, &waits));
        if (!op.bytes)
            continue;
        step->call = waits ? is_there : put_value;
        step->waits = waits;
        memcpy(step->data, &op, sizeof(op));
        ++*n_steps;
    }
    err = hipSuccess;
out:
    return err;
}

LS_EXPORT hipError_t
hipStreamBatchMemOp(hipStream_t handle, unsigned count, hipStreamBatchMemOpParams *params,
                    unsigned flags)
{
    struct ihipStream_t *stream;
    struct value_op op;
    hipError_t err;
    bool waits;

    LS_ENTER();
    LS_CHECK(count > 0 && count <= MAX_BATCH && params && flags == 0, hipErrorInvalidValue);
    LS_TRY(ls_stream_resolve(handle, &stream));
    for (unsigned i = 0; i < count; i++) /* all are checked before any is enqueued */
        LS_TRY(decode(&params[i], &op, &waits));
    for (unsigned i = 0; i < count; i++) {
        LS_TRY(decode(&params[i], &op, &waits));
        if (op.bytes)
            LS_TRY(enqueue_op(stream, &op, waits));
    }
out:
    LS_RETURN(err);
}

/* CU masks are kept and can be asked for, but have no effect on where work runs. */

LS_EXPORT hipError_t
hipExtStreamCreateWithCUMask(hipStream_t *out, uint32_t n_words, const uint32_t *mask)
{
    hipError_t err;

    LS_ENTER();
    LS_CHECK(out, hipErrorInvalidHandle);
    LS_CHECK(n_words > 0 && mask, hipErrorInvalidValue);
    LS_TRY(ls_stream_create(hipStreamDefault, 0, out));
    if (n_words > LS_MAX_CU_WORDS)
        n_words = LS_MAX_CU_WORDS;
    memcpy((*out)->cu_mask, mask, n_words * sizeof(*mask));
    (*out)->n_cu_words = n_words;
out:
    LS_RETURN(err);
}

/* Word i of the mask of all units. */
static uint32_t
all_units(const struct ls_gpu *gpu, uint32_t i)
{
    uint32_t n = gpu->info.n_units;

    return n >= (i + 1) * 32 ? UINT32_MAX : n <= i * 32 ? 0 : (1u << n % 32) - 1;
}

LS_EXPORT hipError_t
hipExtStreamGetCUMask(hipStream_t handle, uint32_t n_words, uint32_t *mask)
{
    struct ihipStream_t *stream;
    const struct ls_gpu *gpu;
    uint32_t n, any = 0;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(mask, hipErrorInvalidValue);
    LS_TRY(ls_stream_resolve(handle, &stream));
    gpu = ls_gpu_of(stream->dev);
    n = (gpu->info.n_units + 31) / 32;
    LS_CHECK(n_words >= n, hipErrorInvalidValue);
    for (uint32_t i = 0; i < n; i++) {
        mask[i] = i < stream->n_cu_words ? stream->cu_mask[i] & all_units(gpu, i) : 0;
        any |= mask[i];
    }
    for (uint32_t i = 0; i < n && !any;
         i++) /* no mask was set, or none of its units exists: all units */
        mask[i] = all_units(gpu, i);
out:
    LS_RETURN(err);
}
