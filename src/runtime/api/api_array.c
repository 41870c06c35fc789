/* SPDX-License-Identifier: MIT */
/* Arrays, mipmapped arrays, and all copies that have an array on one side. */
#include <string.h>

#include "runtime/api/api.h"
#include "runtime/graph/capture.h"
#include "runtime/mem/copy.h"
#include "runtime/texture/texture.h"

/* ---- Arrays ---- */

static hipError_t
create(hipArray_t *array, const HIP_ARRAY3D_DESCRIPTOR *desc)
{
    LS_ENTER();
    LS_CHECK(array && desc, hipErrorInvalidValue);
    LS_NOT_CAPTURING();
    LS_RETURN(ls_array_create(desc, array));
}

/* The driver's descriptor of what the runtime's arguments ask for. */
static bool
describe(const hipChannelFormatDesc *desc, hipExtent extent, unsigned flags,
         HIP_ARRAY3D_DESCRIPTOR *out)
{
    struct ls_format f;

    if (!ls_format_of_desc(desc, &f))
        return false;
    *out = (HIP_ARRAY3D_DESCRIPTOR){.Width = extent.width,
                                    .Height = extent.height,
                                    .Depth = extent.depth,
                                    .Format = f.format,
                                    .NumChannels = f.n_channels,
                                    .Flags = flags};
    return true;
}

LS_EXPORT hipError_t
hipMalloc3DArray(hipArray_t *array, const hipChannelFormatDesc *desc, hipExtent extent,
                 unsigned flags)
{
    HIP_ARRAY3D_DESCRIPTOR d;

    LS_ENTER();
    LS_CHECK(array && desc, hipErrorInvalidValue);
    LS_CHECK(describe(desc, extent, flags, &d), hipErrorInvalidValue);
    return create(array, &d);
}

LS_EXPORT hipError_t
hipMallocArray(hipArray_t *array, const hipChannelFormatDesc *desc, size_t width, size_t height,
               unsigned flags)
{
    return hipMalloc3DArray(array, desc, make_hipExtent(width, height, 0), flags);
}

LS_EXPORT hipError_t
hipArray3DCreate(hipArray_t *array, const HIP_ARRAY3D_DESCRIPTOR *desc)
{
    return create(array, desc);
}

LS_EXPORT hipError_t
hipArrayCreate(hipArray_t *array, const HIP_ARRAY_DESCRIPTOR *desc)
{
    HIP_ARRAY3D_DESCRIPTOR d;

    LS_CHECK(desc, hipErrorInvalidValue);
    d = (HIP_ARRAY3D_DESCRIPTOR){.Width = desc->Width,
                                 .Height = desc->Height,
                                 .Format = desc->Format,
                                 .NumChannels = desc->NumChannels};
    return create(array, &d);
}

static hipError_t
destroy(hipArray_t array)
{
    LS_NOT_CAPTURING();
    LS_CHECK(array, hipErrorInvalidValue);
    LS_RETURN_AFTER_ALL(ls_array_destroy(array));
}

LS_EXPORT hipError_t
hipFreeArray(hipArray_t array)
{
    return destroy(array);
}

LS_EXPORT hipError_t
hipArrayDestroy(hipArray_t array)
{
    return destroy(array);
}

LS_EXPORT hipError_t
hipArrayGetInfo(hipChannelFormatDesc *desc, hipExtent *extent, unsigned *flags, hipArray_t array)
{
    const struct hipArray *a;

    LS_ENTER();
    LS_NOT_CAPTURING();
    LS_CHECK(array, hipErrorInvalidHandle);
    if (!desc && !extent && !flags)
        LS_RETURN(hipSuccess);
    a = ls_array_find(array);
    LS_CHECK(a, hipErrorInvalidHandle);
    if (desc)
        *desc = ls_format_desc(a->format);
    if (extent)
        *extent = make_hipExtent(a->width, a->height, a->depth);
    if (flags)
        *flags = a->flags;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR *desc, hipArray_t array)
{
    const struct hipArray *a;

    LS_ENTER();
    LS_NOT_CAPTURING();
    LS_CHECK(array, hipErrorInvalidHandle);
    LS_CHECK(desc, hipErrorInvalidValue);
    a = ls_array_find(array);
    LS_CHECK(a, hipErrorInvalidHandle);
    *desc = (HIP_ARRAY3D_DESCRIPTOR){.Width = a->width,
                                     .Height = a->height,
                                     .Depth = a->depth,
                                     .Format = a->format.format,
                                     .NumChannels = a->format.n_channels,
                                     .Flags = a->flags};
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR *desc, hipArray_t array)
{
    const struct hipArray *a;

    LS_ENTER();
    LS_NOT_CAPTURING();
    LS_CHECK(array, hipErrorInvalidHandle);
    LS_CHECK(desc, hipErrorInvalidValue);
    a = ls_array_find(array);
    LS_CHECK(a, hipErrorInvalidHandle);
    *desc = (HIP_ARRAY_DESCRIPTOR){.Width = a->width,
                                   .Height = a->height,
                                   .Format = a->format.format,
                                   .NumChannels = a->format.n_channels};
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipGetChannelDesc(hipChannelFormatDesc *desc, hipArray_const_t array)
{
    const struct hipArray *a;

    LS_ENTER();
    LS_CHECK(desc, hipErrorInvalidValue);
    a = ls_array_find(array);
    LS_CHECK(a, hipErrorInvalidHandle);
    *desc = ls_format_desc(a->format);
    LS_RETURN(hipSuccess);
}

/* ---- Mipmapped arrays ---- */

static hipError_t
create_mipmap(hipMipmappedArray_t *mipmap, const HIP_ARRAY3D_DESCRIPTOR *desc, unsigned n_levels)
{
    LS_ENTER();
    LS_CHECK(mipmap && desc, hipErrorInvalidValue);
    LS_NOT_CAPTURING();
    LS_RETURN(ls_mipmap_create(desc, n_levels, mipmap));
}

LS_EXPORT hipError_t
hipMallocMipmappedArray(hipMipmappedArray_t *mipmap, const hipChannelFormatDesc *desc,
                        hipExtent extent, unsigned n_levels, unsigned flags)
{
    HIP_ARRAY3D_DESCRIPTOR d;

    LS_ENTER();
    LS_CHECK(mipmap && desc, hipErrorInvalidValue);
    LS_CHECK(describe(desc, extent, flags, &d), hipErrorInvalidValue);
    return create_mipmap(mipmap, &d, n_levels);
}

LS_EXPORT hipError_t
hipMipmappedArrayCreate(hipMipmappedArray_t *mipmap, HIP_ARRAY3D_DESCRIPTOR *desc,
                        unsigned n_levels)
{
    return create_mipmap(mipmap, desc, n_levels);
}

static hipError_t
destroy_mipmap(hipMipmappedArray_t mipmap)
{
    LS_NOT_CAPTURING();
    LS_CHECK(mipmap, hipErrorInvalidValue);
    LS_RETURN_AFTER_ALL(ls_mipmap_destroy(mipmap));
}

LS_EXPORT hipError_t
hipFreeMipmappedArray(hipMipmappedArray_t mipmap)
{
    return destroy_mipmap(mipmap);
}

LS_EXPORT hipError_t
hipMipmappedArrayDestroy(hipMipmappedArray_t mipmap)
{
    return destroy_mipmap(mipmap);
}

static hipError_t
get_level(hipArray_t *level, hipMipmappedArray_const_t mipmap, unsigned n)
{
    struct ls_mipmap *m;

    LS_ENTER();
    LS_CHECK(level, hipErrorInvalidValue);
    m = ls_mipmap_find(mipmap);
    LS_CHECK(m, hipErrorInvalidHandle);
    LS_RETURN(ls_mipmap_get_level(m, n, level));
}

LS_EXPORT hipError_t
hipGetMipmappedArrayLevel(hipArray_t *level, hipMipmappedArray_const_t mipmap, unsigned n)
{
    return get_level(level, mipmap, n);
}

LS_EXPORT hipError_t
hipMipmappedArrayGetLevel(hipArray_t *level, hipMipmappedArray_t mipmap, unsigned n)
{
    return get_level(level, mipmap, n);
}

/* ---- Copies ---- */

/* One side of a copy: an array or plain memory. x in bytes. */
struct side {
    const struct hipArray *array; /* NULL: plain memory */
    char *ptr;
    size_t x, y, z;
    size_t pitch, height; /* of plain memory; 0: as the copy is */
};

/* Where the side's box begins, and its steps. */
static hipError_t
locate(const struct side *s, size_t width, size_t height, size_t depth, char **at, size_t *pitch,
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

static hipError_t
join_sides(const struct side *dst, const struct side *src, size_t width, size_t height,
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

static hipError_t
copy_sides(const struct side *dst, const struct side *src, size_t width, size_t height,
           size_t depth, hipMemcpyKind kind, hipStream_t stream, bool wait)
{
    struct ls_work_copy box;
    hipError_t err = join_sides(dst, src, width, height, depth, &box);

    if (err != hipSuccess || width == 0 || height == 0 || depth == 0)
        LS_RETURN(err);
    return ls_copy_box(&box, kind, stream, wait);
}

/* The driver's memory types: an array that is not alive is refused. */
static hipError_t
driver_side(hipMemoryType type, const void *host, hipDeviceptr_t device, hipArray_t array,
            struct side *s)
{
    if (type == hipMemoryTypeArray) {
        s->array = ls_array_find(array);
        return s->array ? hipSuccess : ls_err(hipErrorInvalidValue, "no array to copy");
    }
    s->ptr = type == hipMemoryTypeHost ? (char *)(uintptr_t)host : device;
    return hipSuccess;
}

hipError_t
ls_array_box_driver(const HIP_MEMCPY3D *c, struct ls_work_copy *box)
{
    struct side src = {.x = c->srcXInBytes,
                       .y = c->srcY,
                       .z = c->srcZ,
                       .pitch = c->srcPitch,
                       .height = c->srcHeight};
    struct side dst = {.x = c->dstXInBytes,
                       .y = c->dstY,
                       .z = c->dstZ,
                       .pitch = c->dstPitch,
                       .height = c->dstHeight};
    hipError_t err;

    err = driver_side(c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, &src);
    if (err == hipSuccess)
        err = driver_side(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, &dst);
    if (err == hipSuccess)
        err = join_sides(&dst, &src, c->WidthInBytes, c->Height, c->Depth, box);
    return err;
}

hipError_t
ls_array_copy_3d(const HIP_MEMCPY3D *c, hipMemcpyKind kind, hipStream_t stream, bool wait)
{
    struct ls_work_copy box;
    hipError_t err;

    LS_ENTER();
    err = ls_array_box_driver(c, &box);
    return err == hipSuccess ? ls_copy_box(&box, kind, stream, wait) : ls_return(err);
}

hipError_t
ls_array_copy_2d(const hip_Memcpy2D *c, hipStream_t stream, bool wait)
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

    return ls_array_copy_3d(&d, hipMemcpyDefault, stream, wait);
}

/* Where an array takes part, x and width count its elements. */
hipError_t
ls_array_box_params(const hipMemcpy3DParms *p, struct ls_work_copy *box)
{
    struct side src = {.ptr = p->srcPtr.ptr,
                       .x = p->srcPos.x,
                       .y = p->srcPos.y,
                       .z = p->srcPos.z,
                       .pitch = p->srcPtr.pitch,
                       .height = p->srcPtr.ysize};
    struct side dst = {.ptr = p->dstPtr.ptr,
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
    return join_sides(&dst, &src, width, p->extent.height, p->extent.depth, box);
}

hipError_t
ls_array_copy_params(const hipMemcpy3DParms *p, hipStream_t stream, bool wait)
{
    struct ls_work_copy box;
    hipError_t err;

    LS_ENTER();
    err = ls_array_box_params(p, &box);
    return err == hipSuccess ? ls_copy_box(&box, p->kind, stream, wait) : ls_return(err);
}

/* ---- Rows to and from arrays ---- */

static hipError_t
check_rows(const void *ptr, size_t pitch, size_t width)
{
    if (!ptr)
        return ls_err(hipErrorInvalidValue, "no memory to copy");
    if (pitch == 0 || pitch < width)
        return ls_err(hipErrorInvalidPitchValue, "rows of %zu, pitch %zu", width, pitch);
    return hipSuccess;
}

static hipError_t
to_array(hipArray_t array, size_t x, size_t y, const void *src, size_t pitch, size_t width,
         size_t height, hipMemcpyKind kind, hipStream_t stream, bool wait)
{
    struct side d = {.array = ls_array_find(array), .x = x, .y = y};
    struct side s = {.ptr = (char *)(uintptr_t)src, .pitch = pitch};
    hipError_t err;

    LS_ENTER();
    LS_CHECK(ls_copy_is_kind(kind), hipErrorInvalidMemcpyDirection);
    err = check_rows(src, pitch, width);
    if (err != hipSuccess)
        LS_RETURN(err);
    LS_CHECK(d.array, hipErrorInvalidHandle);
    LS_CHECK(d.array->height || (y <= 1 && height <= 1 - y), hipErrorInvalidValue);
    return copy_sides(&d, &s, width, height, 1, kind, stream, wait);
}

static hipError_t
from_array(void *dst, size_t pitch, hipArray_const_t array, size_t x, size_t y, size_t width,
           size_t height, hipMemcpyKind kind, hipStream_t stream, bool wait)
{
    struct side d = {.ptr = dst, .pitch = pitch};
    struct side s = {.array = ls_array_find(array), .x = x, .y = y};
    hipError_t err;

    LS_ENTER();
    LS_CHECK(ls_copy_is_kind(kind), hipErrorInvalidMemcpyDirection);
    LS_CHECK(s.array, hipErrorInvalidHandle);
    LS_CHECK(s.array->height || (y <= 1 && height <= 1 - y), hipErrorInvalidValue);
    err = check_rows(dst, pitch, width);
    if (err != hipSuccess)
        LS_RETURN(err);
    return copy_sides(&d, &s, width, height, 1, kind, stream, wait);
}

LS_EXPORT hipError_t
hipMemcpy2DToArray(hipArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                   size_t height, hipMemcpyKind kind)
{
    return to_array(dst, x, y, src, pitch, width, height, kind, NULL, true);
}

LS_EXPORT hipError_t
hipMemcpy2DToArray_spt(hipArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
                       size_t width, size_t height, hipMemcpyKind kind)
{
    return to_array(dst, x, y, src, pitch, width, height, kind, hipStreamPerThread, true);
}

LS_EXPORT hipError_t
hipMemcpy2DToArrayAsync(hipArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
                        size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream)
{
    return to_array(dst, x, y, src, pitch, width, height, kind, stream, false);
}

LS_EXPORT hipError_t
hipMemcpy2DFromArray(void *dst, size_t pitch, hipArray_const_t src, size_t x, size_t y,
                     size_t width, size_t height, hipMemcpyKind kind)
{
    return from_array(dst, pitch, src, x, y, width, height, kind, NULL, true);
}

LS_EXPORT hipError_t
hipMemcpy2DFromArray_spt(void *dst, size_t pitch, hipArray_const_t src, size_t x, size_t y,
                         size_t width, size_t height, hipMemcpyKind kind)
{
    return from_array(dst, pitch, src, x, y, width, height, kind, hipStreamPerThread, true);
}

LS_EXPORT hipError_t
hipMemcpy2DFromArrayAsync(void *dst, size_t pitch, hipArray_const_t src, size_t x, size_t y,
                          size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream)
{
    return from_array(dst, pitch, src, x, y, width, height, kind, stream, false);
}

LS_EXPORT hipError_t
hipMemcpy2DArrayToArray(hipArray_t dst, size_t dst_x, size_t dst_y, hipArray_const_t src,
                        size_t src_x, size_t src_y, size_t width, size_t height, hipMemcpyKind kind)
{
    struct side d = {.array = ls_array_find(dst), .x = dst_x, .y = dst_y};
    struct side s = {.array = ls_array_find(src), .x = src_x, .y = src_y};

    LS_ENTER();
    LS_CHECK(ls_copy_is_kind(kind), hipErrorInvalidMemcpyDirection);
    LS_CHECK(s.array && d.array, hipErrorInvalidHandle);
    return copy_sides(&d, &s, width, height, 1, kind, NULL, true);
}

/* ---- Runs of bytes to and from arrays ---- */

/* `bytes` from (x, y) on, over the ends of rows: the rest of a row, whole rows, the start of one.
 */
static hipError_t
copy_run(const struct side *array, char *ptr, bool to, size_t bytes, hipMemcpyKind kind,
         hipStream_t stream)
{
    size_t row = array->array->width * array->array->element_bytes;
    struct side a = *array, p = {.ptr = ptr};

    while (bytes > 0) {
        bool whole = a.x == 0 && bytes >= row;
        size_t width = whole ? row : bytes < row - a.x ? bytes : row - a.x;
        size_t height = whole ? bytes / row : 1;
        hipError_t err;

        p.pitch = width;
        err = copy_sides(to ? &a : &p, to ? &p : &a, width, height, 1, kind, stream, true);
        if (err != hipSuccess)
            return err;
        p.ptr += width * height;
        bytes -= width * height;
        a.x = 0;
        a.y += height;
    }
    LS_RETURN(hipSuccess);
}

static hipError_t
run(hipArray_const_t array, size_t x, size_t y, const void *ptr, bool to, size_t bytes,
    hipMemcpyKind kind, hipStream_t stream)
{
    struct side a = {.array = ls_array_find(array), .x = x, .y = y};

    LS_ENTER();
    LS_CHECK(a.array, hipErrorInvalidValue);
    LS_CHECK(ls_copy_is_kind(kind), hipErrorInvalidMemcpyDirection);
    LS_CHECK(ptr || bytes == 0, hipErrorInvalidValue);
    LS_CHECK(x < a.array->width * a.array->element_bytes || bytes == 0, hipErrorInvalidValue);
    return copy_run(&a, (char *)(uintptr_t)ptr, to, bytes, kind, stream);
}

LS_EXPORT hipError_t
hipMemcpyToArray(hipArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
                 hipMemcpyKind kind)
{
    return run(dst, x, y, src, true, bytes, kind, NULL);
}

LS_EXPORT hipError_t
hipMemcpyFromArray(void *dst, hipArray_const_t src, size_t x, size_t y, size_t bytes,
                   hipMemcpyKind kind)
{
    return run(src, x, y, dst, false, bytes, kind, NULL);
}

LS_EXPORT hipError_t
hipMemcpyFromArray_spt(void *dst, hipArray_const_t src, size_t x, size_t y, size_t bytes,
                       hipMemcpyKind kind)
{
    return run(src, x, y, dst, false, bytes, kind, hipStreamPerThread);
}

/* The driver's forms: one row. */
static hipError_t
copy_row(const struct side *dst, const struct side *src, size_t bytes, hipMemcpyKind kind,
         hipStream_t stream, bool wait)
{
    LS_ENTER();
    LS_CHECK((dst->array || dst->ptr) && (src->array || src->ptr), hipErrorInvalidValue);
    return copy_sides(dst, src, bytes, 1, 1, kind, stream, wait);
}

static hipError_t
row_to_array(hipArray_t array, size_t offset, const void *src, size_t bytes, hipMemcpyKind kind,
             hipStream_t stream, bool wait)
{
    struct side d = {.array = ls_array_find(array), .x = offset};
    struct side s = {.ptr = (char *)(uintptr_t)src};

    return copy_row(&d, &s, bytes, kind, stream, wait);
}

static hipError_t
row_from_array(void *dst, hipArray_t array, size_t offset, size_t bytes, hipMemcpyKind kind,
               hipStream_t stream, bool wait)
{
    struct side d = {.ptr = dst};
    struct side s = {.array = ls_array_find(array), .x = offset};

    return copy_row(&d, &s, bytes, kind, stream, wait);
}

LS_EXPORT hipError_t
hipMemcpyHtoA(hipArray_t dst, size_t offset, const void *src, size_t bytes)
{
    return row_to_array(dst, offset, src, bytes, hipMemcpyHostToDevice, NULL, true);
}

LS_EXPORT hipError_t
hipMemcpyHtoAAsync(hipArray_t dst, size_t offset, const void *src, size_t bytes, hipStream_t stream)
{
    return row_to_array(dst, offset, src, bytes, hipMemcpyHostToDevice, stream, false);
}

LS_EXPORT hipError_t
hipMemcpyDtoA(hipArray_t dst, size_t offset, hipDeviceptr_t src, size_t bytes)
{
    return row_to_array(dst, offset, src, bytes, hipMemcpyDeviceToDevice, NULL, true);
}

LS_EXPORT hipError_t
hipMemcpyAtoH(void *dst, hipArray_t src, size_t offset, size_t bytes)
{
    return row_from_array(dst, src, offset, bytes, hipMemcpyDeviceToHost, NULL, true);
}

LS_EXPORT hipError_t
hipMemcpyAtoHAsync(void *dst, hipArray_t src, size_t offset, size_t bytes, hipStream_t stream)
{
    return row_from_array(dst, src, offset, bytes, hipMemcpyDeviceToHost, stream, false);
}

LS_EXPORT hipError_t
hipMemcpyAtoD(hipDeviceptr_t dst, hipArray_t src, size_t offset, size_t bytes)
{
    return row_from_array(dst, src, offset, bytes, hipMemcpyDeviceToDevice, NULL, true);
}

LS_EXPORT hipError_t
hipMemcpyAtoA(hipArray_t dst, size_t dst_offset, hipArray_t src, size_t src_offset, size_t bytes)
{
    struct side d = {.array = ls_array_find(dst), .x = dst_offset};
    struct side s = {.array = ls_array_find(src), .x = src_offset};

    return copy_row(&d, &s, bytes, hipMemcpyDeviceToDevice, NULL, true);
}

LS_EXPORT hipError_t
hipMipmappedArrayGetMemoryRequirements(hipArrayMemoryRequirements *out, hipMipmappedArray_t mipmap,
                                       hipDevice_t device)
{
    const struct ls_mipmap *m;

    LS_ENTER();
    LS_CHECK(out, hipErrorInvalidValue);
    m = ls_mipmap_find(mipmap);
    LS_CHECK(m, hipErrorInvalidHandle);
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    *out = (hipArrayMemoryRequirements){.alignment = LS_ARRAY_ALIGN, .size = m->bytes};
    LS_RETURN(hipSuccess);
}
