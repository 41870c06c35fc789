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

/* Neither checks bounds; hipErrorInvalidValue when an end of the copy is missing. */
hipError_t ls_copy_box_3d(const hipMemcpy3DParms *params, struct ls_work_copy *box);
hipError_t ls_copy_box_driver(const HIP_MEMCPY3D *params, struct ls_work_copy *box);
/* True when the box, of one byte at least, lies within the allocations that hold its beginnings. */
bool ls_copy_box_fits(const struct ls_work_copy *box);

#endif
