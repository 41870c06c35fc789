/* SPDX-License-Identifier: MIT */
/* Boxes between plain memory. */
#include "runtime/copy/copy.h"
#include "runtime/core/core.h"
#include "runtime/mem/mem.h"

/* From the first byte of a box to behind the last; false when that is no number. */
static bool
span(size_t row_bytes, size_t height, size_t pitch, size_t depth, size_t slice, size_t *bytes)
{
    size_t rows, slices;

    return !__builtin_mul_overflow(pitch, height - 1, &rows) &&
           !__builtin_mul_overflow(slice, depth - 1, &slices) &&
           !__builtin_add_overflow(rows, slices, bytes) &&
           !__builtin_add_overflow(*bytes, row_bytes, bytes);
}

bool
ls_copy_box_fits(const struct ls_work_copy *box)
{
    size_t to, from;

    return span(box->row_bytes, box->height, box->dst_pitch, box->depth, box->dst_slice, &to) &&
           span(box->row_bytes, box->height, box->src_pitch, box->depth, box->src_slice, &from) &&
           ls_mem_fits(box->dst, to, true) && ls_mem_fits(box->src, from, false);
}

hipError_t
ls_copy_box_3d(const hipMemcpy3DParms *p, struct ls_work_copy *box)
{
    if (p->srcArray || p->dstArray)
        return ls_sides_join_3d(p, box);
    if (!p->srcPtr.ptr || !p->dstPtr.ptr)
        return ls_err(hipErrorInvalidValue, "a copy without both ends");
    *box = (struct ls_work_copy){
        .row_bytes = p->extent.width,
        .height = p->extent.height,
        .depth = p->extent.depth,
        .dst_pitch = p->dstPtr.pitch,
        .src_pitch = p->srcPtr.pitch,
        .dst_slice = p->dstPtr.pitch * (p->dstPtr.ysize ? p->dstPtr.ysize : p->extent.height),
        .src_slice = p->srcPtr.pitch * (p->srcPtr.ysize ? p->srcPtr.ysize : p->extent.height)};
    box->dst = (char *)p->dstPtr.ptr + p->dstPos.z * box->dst_slice + p->dstPos.y * box->dst_pitch +
               p->dstPos.x;
    box->src = (char *)p->srcPtr.ptr + p->srcPos.z * box->src_slice + p->srcPos.y * box->src_pitch +
               p->srcPos.x;
    return hipSuccess;
}

static bool
is_inside(size_t at, size_t n, size_t all)
{
    return n <= all && at <= all - n;
}

/* Pitches and heights of 0 are those of the box. */
hipError_t
ls_copy_box_driver(const HIP_MEMCPY3D *c, struct ls_work_copy *box)
{
    const char *src;
    char *dst;

    if (c->srcMemoryType == hipMemoryTypeArray || c->dstMemoryType == hipMemoryTypeArray)
        return ls_sides_join_driver(c, box);
    src = c->srcMemoryType == hipMemoryTypeHost ? c->srcHost : c->srcDevice;
    dst = c->dstMemoryType == hipMemoryTypeHost ? c->dstHost : c->dstDevice;
    if (!src || !dst)
        return ls_err(hipErrorInvalidValue, "a copy without both ends");
    *box = (struct ls_work_copy){.row_bytes = c->WidthInBytes,
                                 .height = c->Height,
                                 .depth = c->Depth,
                                 .dst_pitch = c->dstPitch ? c->dstPitch : c->WidthInBytes,
                                 .src_pitch = c->srcPitch ? c->srcPitch : c->WidthInBytes};
    box->dst_slice = box->dst_pitch * (c->dstHeight ? c->dstHeight : c->Height);
    box->src_slice = box->src_pitch * (c->srcHeight ? c->srcHeight : c->Height);
    if (!is_inside(c->dstXInBytes, c->WidthInBytes, box->dst_pitch) ||
        !is_inside(c->srcXInBytes, c->WidthInBytes, box->src_pitch) ||
        (c->dstHeight && !is_inside(c->dstY, c->Height, c->dstHeight)) ||
        (c->srcHeight && !is_inside(c->srcY, c->Height, c->srcHeight)))
        return ls_err(hipErrorInvalidValue, "a box leaves its rows or slices");
    box->dst = dst + c->dstZ * box->dst_slice + c->dstY * box->dst_pitch + c->dstXInBytes;
    box->src = src + c->srcZ * box->src_slice + c->srcY * box->src_pitch + c->srcXInBytes;
    return hipSuccess;
}
