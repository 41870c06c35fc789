/* SPDX-License-Identifier: MIT */
/* Copies and fills.
 *
 * Host memory that HIP doesn't know may be reused as soon as a call returns, so an asynchronous
 * copy from it is staged when small and waited for when large; a copy to it is waited for. */
#include <stdlib.h>
#include <string.h>

#include "runtime/api/api.h"
#include "runtime/graph/stream.h"
#include "runtime/copy/copy.h"
#include "runtime/module/module.h"

#define STAGE_BYTES 65536u

/* Copies the box's rows side by side to where the command keeps them, and makes them its source. */
static bool
stage(struct ls_cmd *cmd)
{
    struct ls_work_copy *box = &cmd->work.copy;
    size_t bytes = box->row_bytes * box->height * box->depth;
    char *to = cmd->bytes;

    if (bytes > sizeof(cmd->bytes))
        to = cmd->heap = malloc(bytes);
    if (!to)
        return false;
    for (size_t z = 0; z < box->depth; z++)
        for (size_t y = 0; y < box->height; y++)
            memcpy(to + (z * box->height + y) * box->row_bytes,
                   box->src + z * box->src_slice + y * box->src_pitch, box->row_bytes);
    box->src = to;
    box->src_pitch = box->row_bytes;
    box->src_slice = box->row_bytes * box->height;
    return true;
}

static hipError_t
enqueue_box(struct ihipStream_t *stream, const struct ls_work_copy *box, bool wait)
{
    size_t bytes;
    struct ls_cmd *cmd;
    struct ls_device *doer;
    uint32_t memory, others;

    if (box->row_bytes == 0 || box->height == 0 || box->depth == 0)
        return wait ? ls_stream_wait(stream) : hipSuccess;
    memory = ls_mem_devices(box->dst, box->src);
    others = ls_stream_others(stream, memory, false);
    doer = ls_stream_doer(stream, memory);
    if (box->height == 1 && box->depth == 1 && box->row_bytes <= LS_COPY_NOW_BYTES &&
        ls_stream_copy_now(stream, box, doer, others))
        return wait ? ls_sticky() : hipSuccess;
    cmd = ls_cmd_create(stream, LS_CMD_WORK);
    if (!cmd)
        return hipErrorOutOfMemory;
    cmd->work.kind = LS_WORK_COPY;
    cmd->work.copy = *box;
    cmd->others = others;
    cmd->doer = doer;
    if (ls_stream_is_capturing(stream))
        return ls_stream_do(cmd);
    if (!wait && !ls_mem_is_known(box->dst))
        wait = true;
    if (!wait && !ls_mem_is_known(box->src)) {
        if (__builtin_mul_overflow(box->row_bytes, box->height, &bytes) ||
            __builtin_mul_overflow(bytes, box->depth, &bytes) || bytes > STAGE_BYTES) {
            wait = true;
        } else if (!stage(cmd)) {
            ls_cmd_cancel(cmd);
            return hipErrorOutOfMemory;
        }
    }
    return wait ? ls_stream_do_wait(cmd) : ls_stream_do(cmd);
}

/* Whether a copy stays within one device. Then the host does not wait for it, as in ROCm; unless
 * both ends have HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS. */
static bool
is_within_device(const struct ls_mem_range *dst, const struct ls_mem_range *src)
{
    return ls_mem_is_of_device(dst->kind) && ls_mem_is_of_device(src->kind) &&
           dst->device == src->device && !(dst->sync_memops && src->sync_memops);
}

/* Between host memories the host itself copies, behind the stream's work, also if both are pinned
 * and the call is asynchronous. */
static bool
is_within_host(const struct ls_mem_range *dst, const struct ls_mem_range *src)
{
    const unsigned kinds = 1u << LS_MEM_NONE | 1u << LS_MEM_HOST | 1u << LS_MEM_REGISTERED;

    return kinds & 1u << dst->kind && kinds & 1u << src->kind;
}

static bool
stays_on_device(const void *dst, const void *src)
{
    struct ls_mem_range d, s;

    return ls_mem_find(dst, &d) && ls_mem_find(src, &s) && is_within_device(&d, &s);
}

/* The same of fills that begin in device memory which is not fine-grained. */
static bool
fills_device(const void *dst)
{
    struct ls_mem_range d;

    return ls_mem_find(dst, &d) && ls_mem_is_of_device(d.kind) && !d.sync_memops && d.base == dst &&
           (d.kind != LS_MEM_DEVICE || d.flags == hipDeviceMallocDefault);
}

/* Whether a copy waits in the legacy stream, which captures forbid. hipMemcpyWithStream names its
 * stream: if that is capturing, the copy is recorded. */
static bool
waits_implicitly(hipStream_t handle)
{
    return handle == NULL || handle == hipStreamLegacy || handle == hipStreamPerThread;
}

static hipError_t
copy_linear(void *dst, const void *src, size_t bytes, hipMemcpyKind kind, hipStream_t handle,
            bool wait)
{
    struct ls_work_copy box = {.dst = dst, .src = src, .row_bytes = bytes, .height = 1, .depth = 1};
    struct ls_mem_range to, from;
    struct ihipStream_t *stream;
    hipError_t err;

    LS_TRY(ls_sticky());
    if (wait && waits_implicitly(handle))
        LS_TRY(ls_capture_check_implicit());
    if (!ls_copy_is_kind(kind))
        LS_TRY(ls_err(hipErrorInvalidMemcpyDirection, "kind %d", (int)kind));
    LS_TRY(ls_stream_resolve(handle, &stream));
    if (bytes > 0 && (!dst || !src))
        LS_TRY(ls_err(hipErrorInvalidValue, "copy between %p and %p", dst, src));
    if (!ls_mem_find_ends(dst, src, bytes, &to, &from))
        LS_TRY(ls_err(hipErrorInvalidValue, "a copy of %zu bytes leaves its allocation", bytes));
    if (bytes == 0 || dst == src)
        goto out;
    wait = wait ? !is_within_device(&to, &from) : is_within_host(&to, &from);
    err = enqueue_box(stream, &box, wait);
out:
    return ls_return(err);
}

LS_EXPORT hipError_t
hipMemcpy(void *dst, const void *src, size_t bytes, hipMemcpyKind kind)
{
    return copy_linear(dst, src, bytes, kind, NULL, true);
}

LS_EXPORT hipError_t
hipMemcpy_spt(void *dst, const void *src, size_t bytes, hipMemcpyKind kind)
{
    return copy_linear(dst, src, bytes, kind, hipStreamPerThread, true);
}

LS_EXPORT hipError_t
hipMemcpyWithStream(void *dst, const void *src, size_t bytes, hipMemcpyKind kind,
                    hipStream_t stream)
{
    return copy_linear(dst, src, bytes, kind, stream, true);
}

LS_EXPORT hipError_t
hipMemcpyAsync(void *dst, const void *src, size_t bytes, hipMemcpyKind kind, hipStream_t stream)
{
    return copy_linear(dst, src, bytes, kind, stream, false);
}

LS_EXPORT hipError_t
hipMemcpyHtoD(hipDeviceptr_t dst, void *src, size_t bytes)
{
    return copy_linear(dst, src, bytes, hipMemcpyHostToDevice, NULL, true);
}

LS_EXPORT hipError_t
hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t bytes)
{
    return copy_linear(dst, src, bytes, hipMemcpyDeviceToHost, NULL, true);
}

LS_EXPORT hipError_t
hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes)
{
    return copy_linear(dst, src, bytes, hipMemcpyDeviceToDevice, NULL, true);
}

LS_EXPORT hipError_t
hipMemcpyHtoDAsync(hipDeviceptr_t dst, void *src, size_t bytes, hipStream_t stream)
{
    return copy_linear(dst, src, bytes, hipMemcpyHostToDevice, stream, false);
}

LS_EXPORT hipError_t
hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t bytes, hipStream_t stream)
{
    return copy_linear(dst, src, bytes, hipMemcpyDeviceToHost, stream, false);
}

LS_EXPORT hipError_t
hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes, hipStream_t stream)
{
    return copy_linear(dst, src, bytes, hipMemcpyDeviceToDevice, stream, false);
}

LS_EXPORT hipError_t
hipMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t bytes)
{
    hipError_t err;

    LS_CHECK(ls_gpu_exists(dst_device) && ls_gpu_exists(src_device), hipErrorInvalidDevice);
    err = ls_capture_check_implicit();
    if (err != hipSuccess)
        LS_RETURN(err);
    /* the host does not wait, unlike in hipMemcpy; later work of both devices is in order with the
     * copy */
    return copy_linear(dst, src, bytes, hipMemcpyDeviceToDevice, NULL, false);
}

LS_EXPORT hipError_t
hipMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t bytes,
                   hipStream_t stream)
{
    LS_CHECK(ls_gpu_exists(dst_device) && ls_gpu_exists(src_device), hipErrorInvalidDevice);
    return copy_linear(dst, src, bytes, hipMemcpyDeviceToDevice, stream, false);
}

/* Boxes */

hipError_t
ls_copy_box(const struct ls_work_copy *box, hipMemcpyKind kind, hipStream_t handle, bool wait)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_TRY(ls_sticky());
    if (wait)
        LS_TRY(ls_capture_check_implicit());
    if (!ls_copy_is_kind(kind))
        LS_TRY(ls_err(hipErrorInvalidMemcpyDirection, "kind %d", (int)kind));
    LS_TRY(ls_stream_resolve(handle, &stream));
    if (box->row_bytes == 0 || box->height == 0 || box->depth == 0)
        goto out;
    if (!box->dst || !box->src)
        LS_TRY(hipErrorInvalidValue);
    if ((box->height > 1 || box->depth > 1) &&
        (box->row_bytes > box->dst_pitch || box->row_bytes > box->src_pitch))
        LS_TRY(ls_err(hipErrorInvalidPitchValue, "rows of %zu, pitches %zu and %zu", box->row_bytes,
                      box->dst_pitch, box->src_pitch));
    if (!ls_copy_box_fits(box))
        LS_TRY(ls_err(hipErrorInvalidValue, "a box leaves its allocation"));
    err = enqueue_box(stream, box, wait);
out:
    return ls_return(err);
}

static hipError_t
copy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
        hipMemcpyKind kind, hipStream_t stream, bool wait)
{
    struct ls_work_copy box = {.dst = dst,
                               .src = src,
                               .row_bytes = width,
                               .height = height,
                               .depth = 1,
                               .dst_pitch = dpitch,
                               .src_pitch = spitch};

    if (height > 0 && (width > dpitch || width > spitch))
        LS_RETURN(ls_err(hipErrorInvalidPitchValue, "rows of %zu, pitches %zu and %zu", width,
                         dpitch, spitch));
    if (width == dpitch && width == spitch &&
        !__builtin_mul_overflow(width, height, &box.row_bytes))
        box.height = 1;
    else
        box.row_bytes = width;
    return ls_copy_box(&box, kind, stream, wait);
}

LS_EXPORT hipError_t
hipMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
            hipMemcpyKind kind)
{
    return copy_2d(dst, dpitch, src, spitch, width, height, kind, NULL, true);
}

LS_EXPORT hipError_t
hipMemcpy2D_spt(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                size_t height, hipMemcpyKind kind)
{
    return copy_2d(dst, dpitch, src, spitch, width, height, kind, hipStreamPerThread, true);
}

LS_EXPORT hipError_t
hipMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                 size_t height, hipMemcpyKind kind, hipStream_t stream)
{
    return copy_2d(dst, dpitch, src, spitch, width, height, kind, stream, false);
}

/* Whether rows that begin `offset` behind a pointer lie in the allocation that the pointer is of:
 * what lies next to it may be another one. */
static bool
stays_inside(const char *base, size_t offset, size_t pitch, const hip_Memcpy2D *c, bool write)
{
    size_t rows, bytes;

    return !__builtin_mul_overflow(c->Height - 1, pitch, &rows) &&
           !__builtin_add_overflow(rows, c->WidthInBytes, &bytes) &&
           !__builtin_add_overflow(bytes, offset, &bytes) && ls_mem_fits(base, bytes, write);
}

static hipError_t
copy_array_2d(const hip_Memcpy2D *c, hipStream_t stream, bool wait)
{
    struct ls_work_copy box;
    hipError_t err;

    LS_ENTER();
    err = ls_sides_join_2d(c, &box);
    return err == hipSuccess ? ls_copy_box(&box, hipMemcpyDefault, stream, wait) : ls_return(err);
}

static hipError_t
copy_param_2d(const hip_Memcpy2D *c, hipStream_t stream, bool wait)
{
    size_t spitch, dpitch, from, to;
    const char *src;
    char *dst;

    LS_CHECK(c, hipErrorInvalidValue);
    if (c->srcMemoryType == hipMemoryTypeArray || c->dstMemoryType == hipMemoryTypeArray)
        return copy_array_2d(c, stream, wait);
    src = c->srcMemoryType == hipMemoryTypeHost ? c->srcHost : c->srcDevice;
    dst = c->dstMemoryType == hipMemoryTypeHost ? c->dstHost : c->dstDevice;
    spitch = c->srcPitch ? c->srcPitch : c->WidthInBytes; /* a pitch of 0 means rows without gaps */
    dpitch = c->dstPitch ? c->dstPitch : c->WidthInBytes;
    LS_CHECK(c->WidthInBytes == 0 || c->Height == 0 ||
                 (src && dst && c->WidthInBytes <= spitch && c->WidthInBytes <= dpitch),
             hipErrorInvalidValue);
    from = c->srcY * spitch + c->srcXInBytes;
    to = c->dstY * dpitch + c->dstXInBytes;
    LS_CHECK(
        c->WidthInBytes == 0 || c->Height == 0 ||
            (stays_inside(src, from, spitch, c, false) && stays_inside(dst, to, dpitch, c, true)),
        hipErrorInvalidValue);
    if (wait && stays_on_device(dst, src))
        wait = false;
    return copy_2d(dst + to, dpitch, src + from, spitch, c->WidthInBytes, c->Height,
                   hipMemcpyDefault, stream, wait);
}

LS_EXPORT hipError_t
hipMemcpyParam2D(const hip_Memcpy2D *c)
{
    return copy_param_2d(c, NULL, true);
}

LS_EXPORT hipError_t
hipMemcpyParam2DAsync(const hip_Memcpy2D *c, hipStream_t stream)
{
    return copy_param_2d(c, stream, false);
}

LS_EXPORT hipError_t
hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *c)
{
    return copy_param_2d(c, NULL, true);
}

static hipError_t
copy_3d(const hipMemcpy3DParms *p, hipStream_t stream, bool wait)
{
    struct ls_work_copy box;
    hipError_t err;

    LS_CHECK(p, hipErrorInvalidValue);
    err = ls_copy_box_3d(p, &box);
    if (wait && !p->srcArray && !p->dstArray && stays_on_device(p->dstPtr.ptr, p->srcPtr.ptr))
        wait = false;
    return err == hipSuccess ? ls_copy_box(&box, p->kind, stream, wait) : ls_return(err);
}

LS_EXPORT hipError_t
hipMemcpy3D(const hipMemcpy3DParms *p)
{
    return copy_3d(p, NULL, true);
}

LS_EXPORT hipError_t
hipMemcpy3D_spt(const hipMemcpy3DParms *p)
{
    return copy_3d(p, hipStreamPerThread, true);
}

LS_EXPORT hipError_t
hipMemcpy3DAsync(const hipMemcpy3DParms *p, hipStream_t stream)
{
    return copy_3d(p, stream, false);
}

static hipError_t
copy_driver_3d(const HIP_MEMCPY3D *c, hipStream_t stream, bool wait)
{
    struct ls_work_copy box;
    hipError_t err;

    LS_CHECK(c, hipErrorInvalidValue);
    err = ls_copy_box_driver(c, &box);
    return err == hipSuccess ? ls_copy_box(&box, hipMemcpyDefault, stream, wait) : ls_return(err);
}

LS_EXPORT hipError_t
hipDrvMemcpy3D(const HIP_MEMCPY3D *c)
{
    return copy_driver_3d(c, NULL, true);
}

LS_EXPORT hipError_t
hipDrvMemcpy3DAsync(const HIP_MEMCPY3D *c, hipStream_t stream)
{
    return copy_driver_3d(c, stream, false);
}

/* Fills */

static hipError_t
fill(const struct ls_work_fill *box, hipStream_t handle, bool wait)
{
    struct ihipStream_t *stream;
    struct ls_cmd *cmd;
    hipError_t err;
    struct ls_mem_range range;
    size_t end, slices;
    uint32_t memory;

    LS_TRY(ls_sticky());
    if (wait)
        LS_TRY(ls_capture_check_implicit());
    LS_TRY(ls_stream_resolve(handle, &stream));
    if (box->row_bytes == 0 || box->height == 0 || box->depth == 0)
        goto out;
    if (!box->dst || (box->height > 1 && box->row_bytes > box->pitch))
        LS_TRY(hipErrorInvalidValue);
    if (!ls_mem_find(box->dst, &range))
        LS_TRY(ls_err(hipErrorInvalidValue, "%p is no memory of HIP", (void *)box->dst));
    if (__builtin_mul_overflow(box->pitch, box->height - 1, &end) ||
        __builtin_mul_overflow(box->slice, box->depth - 1, &slices) ||
        __builtin_add_overflow(end, slices, &end) ||
        __builtin_add_overflow(end, box->row_bytes, &end) || !ls_mem_fits(box->dst, end, true))
        LS_TRY(ls_err(hipErrorInvalidValue, "a fill leaves its allocation"));
    cmd = ls_cmd_create(stream, LS_CMD_WORK);
    if (!cmd)
        LS_TRY(hipErrorOutOfMemory);
    cmd->work.kind = LS_WORK_FILL;
    cmd->work.fill = *box;
    memory = ls_mem_devices(box->dst, NULL);
    cmd->others = ls_stream_others(stream, memory, true);
    cmd->doer = ls_stream_doer(stream, memory);
    if (wait && fills_device(box->dst))
        wait = false;
    err = wait ? ls_stream_do_wait(cmd) : ls_stream_do(cmd);
out:
    return ls_return(err);
}

static hipError_t
fill_linear(void *dst, uint32_t value, uint32_t element_bytes, size_t count, hipStream_t stream,
            bool wait)
{
    struct ls_work_fill box = {
        .dst = dst, .height = 1, .depth = 1, .value = value, .element_bytes = element_bytes};

    if (__builtin_mul_overflow(count, element_bytes, &box.row_bytes))
        LS_RETURN(hipErrorInvalidValue);
    LS_CHECK(dst || count == 0, hipErrorInvalidValue);
    return fill(&box, stream, wait);
}

LS_EXPORT hipError_t
hipMemset(void *dst, int value, size_t bytes)
{
    return fill_linear(dst, (uint32_t)value, 1, bytes, NULL, true);
}

LS_EXPORT hipError_t
hipMemset_spt(void *dst, int value, size_t bytes)
{
    return fill_linear(dst, (uint32_t)value, 1, bytes, hipStreamPerThread, true);
}

LS_EXPORT hipError_t
hipMemsetAsync(void *dst, int value, size_t bytes, hipStream_t stream)
{
    return fill_linear(dst, (uint32_t)value, 1, bytes, stream, false);
}

LS_EXPORT hipError_t
hipMemsetD8(hipDeviceptr_t dst, unsigned char value, size_t count)
{
    return fill_linear(dst, value, 1, count, NULL, true);
}

LS_EXPORT hipError_t
hipMemsetD8Async(hipDeviceptr_t dst, unsigned char value, size_t count, hipStream_t stream)
{
    return fill_linear(dst, value, 1, count, stream, false);
}

LS_EXPORT hipError_t
hipMemsetD16(hipDeviceptr_t dst, unsigned short value, size_t count)
{
    return fill_linear(dst, value, 2, count, NULL, true);
}

LS_EXPORT hipError_t
hipMemsetD16Async(hipDeviceptr_t dst, unsigned short value, size_t count, hipStream_t stream)
{
    return fill_linear(dst, value, 2, count, stream, false);
}

LS_EXPORT hipError_t
hipMemsetD32(hipDeviceptr_t dst, int value, size_t count)
{
    return fill_linear(dst, (uint32_t)value, 4, count, NULL, true);
}

LS_EXPORT hipError_t
hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream)
{
    return fill_linear(dst, (uint32_t)value, 4, count, stream, false);
}

static hipError_t
fill_2d(void *dst, size_t pitch, int value, size_t width, size_t height, hipStream_t stream,
        bool wait)
{
    struct ls_work_fill box = {.dst = dst,
                               .row_bytes = width,
                               .height = height,
                               .depth = 1,
                               .pitch = pitch,
                               .value = (uint32_t)value,
                               .element_bytes = 1};

    return fill(&box, stream, wait);
}

LS_EXPORT hipError_t
hipMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height)
{
    return fill_2d(dst, pitch, value, width, height, NULL, true);
}

LS_EXPORT hipError_t
hipMemset2D_spt(void *dst, size_t pitch, int value, size_t width, size_t height)
{
    return fill_2d(dst, pitch, value, width, height, hipStreamPerThread, true);
}

LS_EXPORT hipError_t
hipMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height,
                 hipStream_t stream)
{
    return fill_2d(dst, pitch, value, width, height, stream, false);
}

/* The same in elements. */
static hipError_t
fill_d2d(void *dst, size_t pitch, uint32_t value, uint32_t element_bytes, size_t width,
         size_t height, hipStream_t stream, bool wait)
{
    struct ls_work_fill box = {.dst = dst,
                               .row_bytes = width * element_bytes,
                               .height = height,
                               .depth = 1,
                               .pitch = pitch,
                               .value = value,
                               .element_bytes = element_bytes};

    LS_CHECK(width <= SIZE_MAX / element_bytes && (uintptr_t)dst % element_bytes == 0 &&
                 pitch % element_bytes == 0,
             hipErrorInvalidValue);
    return fill(&box, stream, wait);
}

LS_EXPORT hipError_t
hipMemsetD2D8(hipDeviceptr_t dst, size_t pitch, unsigned char value, size_t width, size_t height)
{
    return fill_d2d(dst, pitch, value, 1, width, height, NULL, true);
}

LS_EXPORT hipError_t
hipMemsetD2D8Async(hipDeviceptr_t dst, size_t pitch, unsigned char value, size_t width,
                   size_t height, hipStream_t stream)
{
    return fill_d2d(dst, pitch, value, 1, width, height, stream, false);
}

LS_EXPORT hipError_t
hipMemsetD2D16(hipDeviceptr_t dst, size_t pitch, unsigned short value, size_t width, size_t height)
{
    return fill_d2d(dst, pitch, value, 2, width, height, NULL, true);
}

LS_EXPORT hipError_t
hipMemsetD2D16Async(hipDeviceptr_t dst, size_t pitch, unsigned short value, size_t width,
                    size_t height, hipStream_t stream)
{
    return fill_d2d(dst, pitch, value, 2, width, height, stream, false);
}

LS_EXPORT hipError_t
hipMemsetD2D32(hipDeviceptr_t dst, size_t pitch, unsigned value, size_t width, size_t height)
{
    return fill_d2d(dst, pitch, value, 4, width, height, NULL, true);
}

LS_EXPORT hipError_t
hipMemsetD2D32Async(hipDeviceptr_t dst, size_t pitch, unsigned value, size_t width, size_t height,
                    hipStream_t stream)
{
    return fill_d2d(dst, pitch, value, 4, width, height, stream, false);
}

static hipError_t
fill_3d(hipPitchedPtr p, int value, hipExtent extent, hipStream_t stream, bool wait)
{
    struct ls_work_fill box = {.dst = p.ptr,
                               .row_bytes = extent.width,
                               .height = extent.height,
                               .depth = extent.depth,
                               .pitch = p.pitch,
                               .slice = p.pitch * p.ysize,
                               .value = (uint32_t)value,
                               .element_bytes = 1};

    return fill(&box, stream, wait);
}

LS_EXPORT hipError_t
hipMemset3D(hipPitchedPtr p, int value, hipExtent extent)
{
    return fill_3d(p, value, extent, NULL, true);
}

LS_EXPORT hipError_t
hipMemset3D_spt(hipPitchedPtr p, int value, hipExtent extent)
{
    return fill_3d(p, value, extent, hipStreamPerThread, true);
}

LS_EXPORT hipError_t
hipMemset3DAsync(hipPitchedPtr p, int value, hipExtent extent, hipStream_t stream)
{
    return fill_3d(p, value, extent, stream, false);
}

/* Symbols: variables of device code by their host shadow. */

static hipError_t
to_symbol(const void *symbol, const void *src, size_t bytes, size_t offset, hipMemcpyKind kind,
          hipStream_t stream, bool wait)
{
    hipError_t err;
    char *ptr;

    LS_ENTER();
    if (kind != hipMemcpyHostToDevice && kind != hipMemcpyDeviceToDevice &&
        kind != hipMemcpyDefault && kind != hipMemcpyDeviceToDeviceNoCU)
        LS_RETURN(hipErrorInvalidMemcpyDirection);
    err = ls_registered_part(symbol, bytes, offset, &ptr);
    if (err != hipSuccess)
        LS_RETURN(err);
    return copy_linear(ptr, src, bytes, kind, stream, wait);
}

static hipError_t
from_symbol(void *dst, const void *symbol, size_t bytes, size_t offset, hipMemcpyKind kind,
            hipStream_t stream, bool wait)
{
    hipError_t err;
    char *ptr;

    LS_ENTER();
    if (kind != hipMemcpyDeviceToHost && kind != hipMemcpyDeviceToDevice &&
        kind != hipMemcpyDefault && kind != hipMemcpyDeviceToDeviceNoCU)
        LS_RETURN(hipErrorInvalidMemcpyDirection);
    err = ls_registered_part(symbol, bytes, offset, &ptr);
    if (err != hipSuccess)
        LS_RETURN(err);
    return copy_linear(dst, ptr, bytes, kind, stream, wait);
}

LS_EXPORT hipError_t
hipMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset,
                  hipMemcpyKind kind)
{
    return to_symbol(symbol, src, bytes, offset, kind, NULL, true);
}

LS_EXPORT hipError_t
hipMemcpyToSymbol_spt(const void *symbol, const void *src, size_t bytes, size_t offset,
                      hipMemcpyKind kind)
{
    return to_symbol(symbol, src, bytes, offset, kind, hipStreamPerThread, true);
}

LS_EXPORT hipError_t
hipMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes, size_t offset,
                       hipMemcpyKind kind, hipStream_t stream)
{
    return to_symbol(symbol, src, bytes, offset, kind, stream, false);
}

LS_EXPORT hipError_t
hipMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset, hipMemcpyKind kind)
{
    return from_symbol(dst, symbol, bytes, offset, kind, NULL, true);
}

LS_EXPORT hipError_t
hipMemcpyFromSymbol_spt(void *dst, const void *symbol, size_t bytes, size_t offset,
                        hipMemcpyKind kind)
{
    return from_symbol(dst, symbol, bytes, offset, kind, hipStreamPerThread, true);
}

LS_EXPORT hipError_t
hipMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset,
                         hipMemcpyKind kind, hipStream_t stream)
{
    return from_symbol(dst, symbol, bytes, offset, kind, stream, false);
}

LS_EXPORT hipError_t
hipGetSymbolAddress(void **ptr, const void *symbol)
{
    size_t bytes;

    LS_ENTER();
    LS_CHECK(ptr, hipErrorInvalidValue);
    LS_RETURN(ls_registered_var(symbol, ptr, &bytes));
}

LS_EXPORT hipError_t
hipGetSymbolSize(size_t *bytes, const void *symbol)
{
    void *ptr;

    LS_ENTER();
    LS_CHECK(bytes, hipErrorInvalidValue);
    LS_RETURN(ls_registered_var(symbol, &ptr, bytes));
}
