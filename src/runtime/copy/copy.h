/* SPDX-License-Identifier: MIT */
/* Copies as HIP describes them, to boxes of bytes as the device does them. */
#ifndef LS_RUNTIME_COPY_H
#define LS_RUNTIME_COPY_H

#include "device/device.h"

static inline bool
ls_copy_is_kind(hipMemcpyKind kind)
{
    return (kind >= hipMemcpyHostToHost && kind <= hipMemcpyDefault) ||
           kind == hipMemcpyDeviceToDeviceNoCU;
}

/* Neither checks bounds, but of arrays; hipErrorInvalidValue when an end of the copy is missing. */
hipError_t ls_copy_box_3d(const hipMemcpy3DParms *params, struct ls_work_copy *box);
hipError_t ls_copy_box_driver(const HIP_MEMCPY3D *params, struct ls_work_copy *box);
/* True when the box, of one byte at least, lies within the allocations that hold its beginnings. */
bool ls_copy_box_fits(const struct ls_work_copy *box);

/* side.c: copies with an array on at least one side */

/* One side of a copy: an array or plain memory. x in bytes. */
struct ls_side {
    const struct hipArray *array; /* NULL: plain memory */
    char *ptr;
    size_t x, y, z;
    size_t pitch, height; /* of plain memory; 0: as the copy is */
};

/* The box of `width` bytes between two sides. hipErrorInvalidValue when it leaves an array. */
hipError_t ls_sides_join(const struct ls_side *dst, const struct ls_side *src, size_t width,
                         size_t height, size_t depth, struct ls_work_copy *box);
/* As ls_copy_box_3d and ls_copy_box_driver. */
hipError_t ls_sides_join_3d(const hipMemcpy3DParms *params, struct ls_work_copy *box);
hipError_t ls_sides_join_driver(const HIP_MEMCPY3D *params, struct ls_work_copy *box);
hipError_t ls_sides_join_2d(const hip_Memcpy2D *params, struct ls_work_copy *box);

#endif
