/* SPDX-License-Identifier: MIT */
/* Arrays, mipmapped arrays, and all copies that have an array on one side. */
#include <string.h>

#include "runtime/api/api.h"
#include "runtime/graph/capture.h"
#include "runtime/copy/copy.h"
#include "runtime/mem/external.h"
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
    LS_RETURN(ls_mipmap_create(desc, n_levels, NULL, mipmap));
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

LS_EXPORT hipError_t
hipExternalMemoryGetMappedMipmappedArray(hipMipmappedArray_t *mipmap, hipExternalMemory_t memory,
                                         const hipExternalMemoryMipmappedArrayDesc *desc)
{
    struct ls_mipmap_file file;
    HIP_ARRAY3D_DESCRIPTOR d;
    struct ls_external *e;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(mipmap && memory && desc, hipErrorInvalidValue);
    LS_CHECK(describe(&desc->formatDesc, desc->extent, desc->flags, &d), hipErrorInvalidValue);
    LS_NOT_CAPTURING();
    e = ls_external_ref(memory, LS_EXTERNAL_MEMORY);
    LS_CHECK(e, hipErrorInvalidValue);
    file = (struct ls_mipmap_file){.fd = e->fd, .offset = desc->offset, .bytes = e->bytes};
    err = ls_mipmap_create(&d, desc->numLevels, &file, mipmap);
    ls_external_unref(e);
    LS_RETURN(err);
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

static hipError_t
copy_sides(const struct ls_side *dst, const struct ls_side *src, size_t width, size_t height,
           size_t depth, hipMemcpyKind kind, hipStream_t stream, bool wait)
{
    struct ls_work_copy box;
    hipError_t err = ls_sides_join(dst, src, width, height, depth, &box);

    if (err != hipSuccess || width == 0 || height == 0 || depth == 0)
        LS_RETURN(err);
    return ls_copy_box(&box, kind, stream, wait);
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
    struct ls_side d = {.array = ls_array_find(array), .x = x, .y = y};
    struct ls_side s = {.ptr = (char *)(uintptr_t)src, .pitch = pitch};
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
    struct ls_side d = {.ptr = dst, .pitch = pitch};
    struct ls_side s = {.array = ls_array_find(array), .x = x, .y = y};
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
    struct ls_side d = {.array = ls_array_find(dst), .x = dst_x, .y = dst_y};
    struct ls_side s = {.array = ls_array_find(src), .x = src_x, .y = src_y};

    LS_ENTER();
    LS_CHECK(ls_copy_is_kind(kind), hipErrorInvalidMemcpyDirection);
    LS_CHECK(s.array && d.array, hipErrorInvalidHandle);
    return copy_sides(&d, &s, width, height, 1, kind, NULL, true);
}

/* ---- Runs of bytes to and from arrays ---- */

/* `bytes` from (x, y) on, over the ends of rows: the rest of a row, whole rows, the start of one.
 */
static hipError_t
copy_run(const struct ls_side *array, char *ptr, bool to, size_t bytes, hipMemcpyKind kind,
         hipStream_t stream)
{
    size_t row = array->array->width * array->array->element_bytes;
    struct ls_side a = *array, p = {.ptr = ptr};

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
    struct ls_side a = {.array = ls_array_find(array), .x = x, .y = y};

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
copy_row(const struct ls_side *dst, const struct ls_side *src, size_t bytes, hipMemcpyKind kind,
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
    struct ls_side d = {.array = ls_array_find(array), .x = offset};
    struct ls_side s = {.ptr = (char *)(uintptr_t)src};

    return copy_row(&d, &s, bytes, kind, stream, wait);
}

static hipError_t
row_from_array(void *dst, hipArray_t array, size_t offset, size_t bytes, hipMemcpyKind kind,
               hipStream_t stream, bool wait)
{
    struct ls_side d = {.ptr = dst};
    struct ls_side s = {.array = ls_array_find(array), .x = offset};

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
    struct ls_side d = {.array = ls_array_find(dst), .x = dst_offset};
    struct ls_side s = {.array = ls_array_find(src), .x = src_offset};

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
