/* SPDX-License-Identifier: MIT */
/* Copies and fills. */
#include <string.h>

#include "base/log.h"
#include "device/cuda/cuda_priv.h"

#define MAX_PITCH ((size_t)INT32_MAX) /* what the driver takes of a pitch */

bool
ls_cuda_is_moved(const struct ls_work *w)
{
    if (w->kind == LS_WORK_COPY)
        return ls_cuda_place_of(w->copy.dst) == LS_CUDA_PAGEABLE ||
               ls_cuda_place_of(w->copy.src) == LS_CUDA_PAGEABLE;
    return w->kind == LS_WORK_FILL && ls_cuda_place_of(w->fill.dst) == LS_CUDA_PAGEABLE;
}

static int
copy_row(char *dst, const char *src, size_t bytes, struct ls_cu_stream *stream)
{
    return LS_CU(cuMemcpyAsync, ls_cuda_address(dst), ls_cuda_address(src), bytes, stream);
}

static void
set_side(struct ls_cu_copy_side *side, const char *ptr, size_t pitch, size_t height)
{
    enum ls_cuda_place place = ls_cuda_place_of(ptr);

    side->pitch = pitch;
    side->height = height;
    side->type = place == LS_CUDA_DEVICE    ? LS_CU_MEMORY_DEVICE
                 : place == LS_CUDA_MANAGED ? LS_CU_MEMORY_UNIFIED
                                            : LS_CU_MEMORY_HOST;
    if (side->type == LS_CU_MEMORY_HOST)
        side->host = ptr;
    else
        side->device = ls_cuda_address(ptr);
}

/* Whether rows of one side lie as the driver's boxes do; *height: rows from slice to slice. */
static bool
is_regular(size_t pitch, size_t slice, const struct ls_work_copy *c, size_t *height)
{
    *height = c->height;
    if (pitch < c->row_bytes || pitch > MAX_PITCH)
        return false;
    if (c->depth == 1)
        return true;
    *height = slice / pitch;
    return slice % pitch == 0 && *height >= c->height;
}

/* Slices of one row each are rows; rows side by side are one. */
static struct ls_work_copy
simplify(struct ls_work_copy c)
{
    if (c.height == 1 && c.depth > 1) {
        c.height = c.depth;
        c.depth = 1;
        c.dst_pitch = c.dst_slice;
        c.src_pitch = c.src_slice;
    }
    if (c.depth == 1 && c.height > 1 && c.dst_pitch == c.row_bytes && c.src_pitch == c.row_bytes) {
        c.row_bytes *= c.height;
        c.height = 1;
    }
    return c;
}

static int
copy_rows(const struct ls_work_copy *c, struct ls_cu_stream *stream)
{
    int result = LS_CU_SUCCESS;

    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height && result == LS_CU_SUCCESS; y++)
            result = copy_row(c->dst + z * c->dst_slice + y * c->dst_pitch,
                              c->src + z * c->src_slice + y * c->src_pitch, c->row_bytes, stream);
    return result;
}

int
ls_cuda_copy(const struct ls_work_copy *copy, struct ls_cu_stream *stream)
{
    struct ls_work_copy c = simplify(*copy);
    struct ls_cu_copy_3d box = {.row_bytes = c.row_bytes, .height = c.height, .depth = c.depth};
    size_t dst_height, src_height;

    if (c.row_bytes == 0 || c.height == 0 || c.depth == 0)
        return LS_CU_SUCCESS;
    if (c.height == 1 && c.depth == 1)
        return copy_row(c.dst, c.src, c.row_bytes, stream);
    if (!is_regular(c.dst_pitch, c.dst_slice, &c, &dst_height) ||
        !is_regular(c.src_pitch, c.src_slice, &c, &src_height))
        return copy_rows(&c, stream);
    set_side(&box.dst, c.dst, c.dst_pitch, dst_height);
    set_side(&box.src, c.src, c.src_pitch, src_height);
    return LS_CU(cuMemcpy3DAsync, &box, stream);
}

/* A value whose bytes are all the same fills as bytes: then alignment is no matter. */
static struct ls_work_fill
in_bytes(struct ls_work_fill f)
{
    uint32_t byte = f.value & 0xff, all = byte * 0x01010101u;

    if (f.element_bytes == 2 && (f.value & 0xffff) == (all & 0xffff))
        f.element_bytes = 1;
    if (f.element_bytes == 4 && f.value == all)
        f.element_bytes = 1;
    return f;
}

static int
fill_row(const struct ls_work_fill *f, const char *ptr, struct ls_cu_stream *stream)
{
    uint64_t dst = ls_cuda_address(ptr);
    size_t n = f->row_bytes / f->element_bytes;

    switch (f->element_bytes) {
    case 4:
        return LS_CU(cuMemsetD32Async, dst, f->value, n, stream);
    case 2:
        return LS_CU(cuMemsetD16Async, dst, (unsigned short)f->value, n, stream);
    default:
        return LS_CU(cuMemsetD8Async, dst, (unsigned char)f->value, n, stream);
    }
}

static int
fill_slice(const struct ls_work_fill *f, const char *ptr, struct ls_cu_stream *stream)
{
    uint64_t dst = ls_cuda_address(ptr);
    size_t n = f->row_bytes / f->element_bytes;

    switch (f->element_bytes) {
    case 4:
        return LS_CU(cuMemsetD2D32Async, dst, f->pitch, f->value, n, f->height, stream);
    case 2:
        return LS_CU(cuMemsetD2D16Async, dst, f->pitch, (unsigned short)f->value, n, f->height,
                     stream);
    default:
        return LS_CU(cuMemsetD2D8Async, dst, f->pitch, (unsigned char)f->value, n, f->height,
                     stream);
    }
}

/* By the first element and copies of what is there already, each twice as long: for elements that
 * the driver finds misaligned. */
static int
fill_by_copies(const struct ls_work_fill *f, char *dst, struct ls_cu_stream *stream)
{
    int result = LS_CU_SUCCESS;

    for (size_t i = 0; i < f->element_bytes && i < f->row_bytes && result == LS_CU_SUCCESS; i++)
        result = LS_CU(cuMemsetD8Async, ls_cuda_address(dst + i),
                       (unsigned char)(f->value >> 8 * i), 1, stream);
    for (size_t n = f->element_bytes; n < f->row_bytes && result == LS_CU_SUCCESS; n *= 2)
        result = copy_row(dst + n, dst, n < f->row_bytes - n ? n : f->row_bytes - n, stream);
    return result;
}

int
ls_cuda_fill(const struct ls_work_fill *fill, struct ls_cu_stream *stream)
{
    struct ls_work_fill f = in_bytes(*fill);
    int result = LS_CU_SUCCESS;
    bool is_aligned = (uintptr_t)f.dst % f.element_bytes == 0 &&
                      (f.height == 1 || f.pitch % f.element_bytes == 0) &&
                      (f.depth == 1 || f.slice % f.element_bytes == 0);

    if (f.row_bytes == 0 || f.height == 0 || f.depth == 0)
        return LS_CU_SUCCESS;
    for (size_t z = 0; z < f.depth && result == LS_CU_SUCCESS; z++) {
        char *slice = f.dst + z * f.slice;

        if (is_aligned && f.height > 1 && f.pitch >= f.row_bytes && f.pitch <= MAX_PITCH) {
            result = fill_slice(&f, slice, stream);
            continue;
        }
        for (size_t y = 0; y < f.height && result == LS_CU_SUCCESS; y++)
            result = is_aligned ? fill_row(&f, slice + y * f.pitch, stream)
                                : fill_by_copies(&f, slice + y * f.pitch, stream);
    }
    return result;
}

/* Between two places of the host. */
static void
copy_by_host(const struct ls_work_copy *c)
{
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++)
            memmove(c->dst + z * c->dst_slice + y * c->dst_pitch,
                    c->src + z * c->src_slice + y * c->src_pitch, c->row_bytes);
}

static void
fill_by_host(const struct ls_work_fill *f)
{
    for (size_t z = 0; z < f->depth; z++)
        for (size_t y = 0; y < f->height; y++)
            for (size_t x = 0; x < f->row_bytes; x += f->element_bytes)
                memcpy(f->dst + z * f->slice + y * f->pitch + x, &f->value, f->element_bytes);
}

hipError_t
ls_cuda_move(struct ls_cuda *c, struct ls_work *w)
{
    int result;
    LS_CUDA_ENTER(c);

    if (ls_cu_has_left())
        return hipErrorDeinitialized;
    if (w->kind == LS_WORK_FILL) {
        fill_by_host(&w->fill);
        return hipSuccess;
    }
    if (ls_cuda_place_of(w->copy.dst) != LS_CUDA_DEVICE &&
        ls_cuda_place_of(w->copy.src) != LS_CUDA_DEVICE) {
        copy_by_host(&w->copy);
        return hipSuccess;
    }
    result = ls_cuda_copy(&w->copy, ls_cuda_side(c, LS_CUDA_MOVES));
    if (result == LS_CU_SUCCESS)
        result = LS_CU(cuStreamSynchronize, ls_cuda_side(c, LS_CUDA_MOVES));
    return result == LS_CU_SUCCESS ? hipSuccess : ls_cuda_failed(c, result);
}

bool
ls_cuda_copy_here(struct ls_device *dev, const struct ls_work_copy *copy, hipError_t *err)
{
    struct ls_cuda *c = ls_cuda_of(dev);
    enum ls_cuda_place dst;
    int result;
    LS_CUDA_ENTER(c);

    if (atomic_load(&c->dead) || ls_cu_has_left())
        return false;
    dst = ls_cuda_place_of(copy->dst);
    if (dst != LS_CUDA_DEVICE && ls_cuda_place_of(copy->src) != LS_CUDA_DEVICE) {
        memmove(copy->dst, copy->src, copy->row_bytes);
        return true;
    }
    result = copy_row(copy->dst, copy->src, copy->row_bytes, ls_cuda_side(c, LS_CUDA_NOW));
    if (result == LS_CU_SUCCESS) /* where the GPU reaches all memory, no copy waits by itself */
        result = LS_CU(cuStreamSynchronize, ls_cuda_side(c, LS_CUDA_NOW));
    *err = result == LS_CU_SUCCESS ? hipSuccess : ls_cuda_failed(c, result);
    return true;
}
