/* SPDX-License-Identifier: MIT */
/* Copies between sides that may be arrays. */
#include "runtime/copy/copy.h"
#include "runtime/texture/texture.h"

/* Where the side's box begins, and its steps. */
static hipError_t
locate(const struct ls_side *s, size_t width, size_t height, size_t depth, char **at, size_t *pitch,
       size_t *slice)
{
    const struct hipArray *a = s->array;
    size_t rows, slices;

    if (!a) {
        if (!s->ptr)
            return ls_err(hipErrorInvalidValue, "no memory to copy");
        *pitch = s->pitch ? s->pitch : s->x + width;
        *slice = *pitch * (s->height ? s->height : height);
        *at = s->ptr + s->z * *slice + s->y * *pitch + s->x;
        return hipSuccess;
    }
    /* The layers of one-dimensional texels may be given as rows, too. */
    rows = a->height ? a->height : depth > 1 || s->z > 0 ? 1 : a->n_slices;
    slices = a->height || rows == 1 ? a->n_slices : 1;
    *pitch = a->height ? a->pitch : a->slice;
    *slice = a->slice;
    if (s->x > a->width * a->element_bytes || width > a->width * a->element_bytes - s->x ||
        s->y > rows || height > rows - s->y || s->z > slices || depth > slices - s->z)
        return ls_err(hipErrorInvalidValue, "a copy leaves its array");
    *at = a->data + s->z * *slice + s->y * *pitch + s->x;
    return hipSuccess;
}

hipError_t
ls_sides_join(const struct ls_side *dst, const struct ls_side *src, size_t width, size_t height,
           size_t depth, struct ls_work_copy *box)
{
    hipError_t err;
    char *from;

    *box = (struct ls_work_copy){.row_bytes = width, .height = height, .depth = depth};
    if (width == 0 || height == 0 || depth == 0)
        return hipSuccess;
    err = locate(dst, width, height, depth, &box->dst, &box->dst_pitch, &box->dst_slice);
    if (err == hipSuccess)
        err = locate(src, width, height, depth, &from, &box->src_pitch, &box->src_slice);
    if (err == hipSuccess)
        box->src = from;
    return err;
}

/* The driver's memory types: an array that is not alive is refused. */
static hipError_t
driver_side(hipMemoryType type, const void *host, hipDeviceptr_t device, hipArray_t array,
            struct ls_side *s)
{
    if (type == hipMemoryTypeArray) {
        s->array = ls_array_find(array);
        return s->array ? hipSuccess : ls_err(hipErrorInvalidValue, "no array to copy");
    }
    s->ptr = type == hipMemoryTypeHost ? (char *)(uintptr_t)host : device;
    return hipSuccess;
}

hipError_t
ls_sides_join_driver(const HIP_MEMCPY3D *c, struct ls_work_copy *box)
{
    struct ls_side src = {.x = c->srcXInBytes,
                       .y = c->srcY,
                       .z = c->srcZ,
                       .pitch = c->srcPitch,
                       .height = c->srcHeight};
    struct ls_side dst = {.x = c->dstXInBytes,
                       .y = c->dstY,
                       .z = c->dstZ,
                       .pitch = c->dstPitch,
                       .height = c->dstHeight};
    hipError_t err;

    err = driver_side(c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, &src);
    if (err == hipSuccess)
        err = driver_side(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, &dst);
    if (err == hipSuccess)
        err = ls_sides_join(&dst, &src, c->WidthInBytes, c->Height, c->Depth, box);
    return err;
}

hipError_t
ls_sides_join_2d(const hip_Memcpy2D *c, struct ls_work_copy *box)
{
    HIP_MEMCPY3D d = {.srcXInBytes = c->srcXInBytes,
                      .srcY = c->srcY,
                      .srcMemoryType = c->srcMemoryType,
                      .srcHost = c->srcHost,
                      .srcDevice = c->srcDevice,
                      .srcArray = c->srcArray,
                      .srcPitch = c->srcPitch,
                      .dstXInBytes = c->dstXInBytes,
                      .dstY = c->dstY,
                      .dstMemoryType = c->dstMemoryType,
                      .dstHost = c->dstHost,
                      .dstDevice = c->dstDevice,
                      .dstArray = c->dstArray,
                      .dstPitch = c->dstPitch,
                      .WidthInBytes = c->WidthInBytes,
                      .Height = c->Height,
                      .Depth = 1};

    return ls_sides_join_driver(&d, box);
}

/* Where an array takes part, x and width count its elements. */
hipError_t
ls_sides_join_3d(const hipMemcpy3DParms *p, struct ls_work_copy *box)
{
    struct ls_side src = {.ptr = p->srcPtr.ptr,
                       .x = p->srcPos.x,
                       .y = p->srcPos.y,
                       .z = p->srcPos.z,
                       .pitch = p->srcPtr.pitch,
                       .height = p->srcPtr.ysize};
    struct ls_side dst = {.ptr = p->dstPtr.ptr,
                       .x = p->dstPos.x,
                       .y = p->dstPos.y,
                       .z = p->dstPos.z,
                       .pitch = p->dstPtr.pitch,
                       .height = p->dstPtr.ysize};
    size_t width = p->extent.width;

    if (!(!(p->srcArray && p->srcPtr.ptr) && !(p->dstArray && p->dstPtr.ptr)))
        return ls_err(hipErrorInvalidValue, "a copy with an array");
    if (!((p->srcArray || p->srcPtr.ptr) && (p->dstArray || p->dstPtr.ptr)))
        return ls_err(hipErrorInvalidValue, "a copy with an array");
    src.array = ls_array_find(p->srcArray);
    dst.array = ls_array_find(p->dstArray);
    if (!(!p->srcArray == !src.array && !p->dstArray == !dst.array))
        return ls_err(hipErrorInvalidValue, "a copy with an array");
    if (!(!src.array || !dst.array || src.array->element_bytes == dst.array->element_bytes))
        return ls_err(hipErrorInvalidValue, "a copy with an array");
    if (!(p->srcPtr.pitch >= p->srcPtr.xsize && p->dstPtr.pitch >= p->dstPtr.xsize))
        return ls_err(hipErrorInvalidPitchValue, "a copy with an array");
    if (!(p->srcPtr.pitch < INT32_MAX && p->dstPtr.pitch < INT32_MAX))
        return ls_err(hipErrorInvalidValue, "a copy with an array");
    if (src.array)
        src.x *= src.array->element_bytes;
    if (dst.array)
        dst.x *= dst.array->element_bytes;
    if (__builtin_mul_overflow(
            width, dst.array ? dst.array->element_bytes : src.array->element_bytes, &width))
        return hipErrorInvalidValue;
    return ls_sides_join(&dst, &src, width, p->extent.height, p->extent.depth, box);
}
