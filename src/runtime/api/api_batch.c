/* SPDX-License-Identifier: MIT */
/* Copies by the batch, and between devices in three dimensions. */
#include "runtime/api/api.h"
#include "runtime/copy/copy.h"
#include "runtime/texture/texture.h"

/* Checks the attributes: number k is for the copies from first[k] on. */
static hipError_t
check_attributes(const hipMemcpyAttributes *attrs, const size_t *first, size_t n, size_t count)
{
    if (n == 0)
        return hipSuccess;
    if (!attrs || !first || n > count || first[0] != 0)
        return ls_err(hipErrorInvalidValue, "%zu attributes for %zu copies", n, count);
    for (size_t k = 0; k < n; k++)
        if (first[k] >= count || (k > 0 && first[k] <= first[k - 1]) ||
            attrs[k].srcAccessOrder <= hipMemcpySrcAccessOrderInvalid ||
            attrs[k].srcAccessOrder > hipMemcpySrcAccessOrderAny)
            return ls_err(hipErrorInvalidValue, "attributes %zu", k);
    return hipSuccess;
}

LS_EXPORT hipError_t
hipMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count,
                    hipMemcpyAttributes *attrs, size_t *first, size_t n_attrs, size_t *failed,
                    hipStream_t handle)
{
    struct ihipStream_t *stream;
    hipError_t err;
    size_t k = 0;

    if (failed)
        *failed = SIZE_MAX;
    LS_ENTER();
    LS_CHECK(dsts && srcs && sizes && count > 0, hipErrorInvalidValue);
    LS_TRY(check_attributes(attrs, first, n_attrs, count));
    LS_TRY(ls_stream_resolve(handle, &stream));
    for (size_t i = 0; i < count; i++) {
        if (dsts[i] && srcs[i] && ls_mem_fits(dsts[i], sizes[i], true) &&
            ls_mem_fits(srcs[i], sizes[i], false))
            continue;
        if (failed)
            *failed = i;
        LS_RETURN(ls_err(hipErrorInvalidValue, "copy %zu", i));
    }
    for (size_t i = 0; i < count; i++) {
        while (k + 1 < n_attrs && first[k + 1] <= i)
            k++;
        if (n_attrs > 0 && attrs[k].srcAccessOrder == hipMemcpySrcAccessOrderDuringApiCall)
            LS_TRY(hipMemcpyWithStream(dsts[i], srcs[i], sizes[i], hipMemcpyDefault, handle));
        else
            LS_TRY(hipMemcpyAsync(dsts[i], srcs[i], sizes[i], hipMemcpyDefault, handle));
    }
out:
    LS_RETURN(err);
}

/* An operand as a pitched pointer. Its length of a row counts elements; 0 means that of the box. */
static hipPitchedPtr
pitched(const hipMemcpy3DOperand *o, hipExtent extent, size_t element_bytes)
{
    size_t row = o->op.ptr.rowLength ? o->op.ptr.rowLength : extent.width;

    return (hipPitchedPtr){.ptr = o->op.ptr.ptr,
                           .pitch = row * element_bytes,
                           .xsize = row * element_bytes,
                           .ysize = o->op.ptr.layerHeight ? o->op.ptr.layerHeight : extent.height};
}

static bool
is_operand(const hipMemcpy3DOperand *o)
{
    return (o->type == hipMemcpyOperandTypePointer && o->op.ptr.ptr) ||
           (o->type == hipMemcpyOperandTypeArray && ls_array_find(o->op.array.array));
}

static hipError_t
make_params(const hipMemcpy3DBatchOp *op, hipMemcpy3DParms *p)
{
    size_t element_bytes = 1;

    if (!is_operand(&op->src) || !is_operand(&op->dst) || op->flags != 0)
        return ls_err(hipErrorInvalidValue, "an operand");
    *p = (hipMemcpy3DParms){.extent = op->extent, .kind = hipMemcpyDefault};
    if (op->src.type == hipMemcpyOperandTypeArray) {
        p->srcArray = op->src.op.array.array;
        p->srcPos = (struct hipPos){op->src.op.array.offset.x, op->src.op.array.offset.y,
                                    op->src.op.array.offset.z};
        element_bytes = ls_array_find(p->srcArray)->element_bytes;
    }
    if (op->dst.type == hipMemcpyOperandTypeArray) {
        p->dstArray = op->dst.op.array.array;
        p->dstPos = (struct hipPos){op->dst.op.array.offset.x, op->dst.op.array.offset.y,
                                    op->dst.op.array.offset.z};
        element_bytes = ls_array_find(p->dstArray)->element_bytes;
    }
    if (!p->srcArray)
        p->srcPtr = pitched(&op->src, op->extent, element_bytes);
    if (!p->dstArray)
        p->dstPtr = pitched(&op->dst, op->extent, element_bytes);
    return hipSuccess;
}

static hipError_t
check_op(const hipMemcpy3DBatchOp *op, hipMemcpy3DParms *p)
{
    struct ls_work_copy box = {.row_bytes = 0};
    hipError_t err = make_params(op, p);

    if (err == hipSuccess)
        err = ls_copy_box_3d(p, &box);
    if (err != hipSuccess || box.row_bytes == 0 || box.height == 0 || box.depth == 0)
        return err;
    return ls_copy_box_fits(&box) ? hipSuccess : ls_err(hipErrorInvalidValue, "an operand");
}

LS_EXPORT hipError_t
hipMemcpy3DBatchAsync(size_t n, struct hipMemcpy3DBatchOp *ops, size_t *failed,
                      unsigned long long flags, hipStream_t handle)
{
    struct ihipStream_t *stream;
    hipMemcpy3DParms p;
    hipError_t err;

    if (failed)
        *failed = SIZE_MAX;
    LS_ENTER();
    LS_CHECK(n > 0 && ops && flags == 0, hipErrorInvalidValue);
    LS_TRY(ls_stream_resolve(handle, &stream));
    for (size_t i = 0; i < n; i++) {
        err = check_op(&ops[i], &p);
        if (err == hipSuccess)
            continue;
        if (failed)
            *failed = i;
        LS_RETURN(err);
    }
    for (size_t i = 0; i < n; i++) {
        LS_TRY(make_params(&ops[i], &p));
        LS_TRY(hipMemcpy3DAsync(&p, handle));
        if (ops[i].srcAccessOrder == hipMemcpySrcAccessOrderDuringApiCall)
            LS_TRY(hipStreamSynchronize(handle));
    }
out:
    LS_RETURN(err);
}

/* There is one address space: which device memory belongs to makes no difference. */
static hipError_t
peer_params(const hipMemcpy3DPeerParms *p, hipMemcpy3DParms *out)
{
    if (!p)
        return ls_err(hipErrorInvalidValue, "no parameters");
    if (!ls_gpu_exists(p->srcDevice) || !ls_gpu_exists(p->dstDevice))
        return ls_err(hipErrorInvalidDevice, "from device %d to %d", p->srcDevice, p->dstDevice);
    *out = (hipMemcpy3DParms){.srcArray = p->srcArray,
                              .srcPos = p->srcPos,
                              .srcPtr = p->srcPtr,
                              .dstArray = p->dstArray,
                              .dstPos = p->dstPos,
                              .dstPtr = p->dstPtr,
                              .extent = p->extent,
                              .kind = hipMemcpyDeviceToDevice};
    return hipSuccess;
}

LS_EXPORT hipError_t
hipMemcpy3DPeer(hipMemcpy3DPeerParms *p)
{
    hipMemcpy3DParms params;
    hipError_t err;

    LS_ENTER();
    err = peer_params(p, &params);
    LS_RETURN(err == hipSuccess ? hipMemcpy3D(&params) : err);
}

LS_EXPORT hipError_t
hipMemcpy3DPeerAsync(hipMemcpy3DPeerParms *p, hipStream_t stream)
{
    hipMemcpy3DParms params;
    hipError_t err;

    LS_ENTER();
    err = peer_params(p, &params);
    LS_RETURN(err == hipSuccess ? hipMemcpy3DAsync(&params, stream) : err);
}
