/* SPDX-License-Identifier: MIT */
/* Surface objects: arrays that kernels read and write by texel. */
#ifndef HIP_SURFACE_TYPES_H
#define HIP_SURFACE_TYPES_H

#include <hip/hip_common.h>

#ifdef __HIP_PLATFORM_NVIDIA__
#include <hip/hip_runtime_api.h>
#else

/* One of AMD's include guards, by which programs see what is included. */
#define HIP_INCLUDE_HIP_SURFACE_TYPES_H

#include <hip/driver_types.h>

struct __hip_surface;
typedef struct __hip_surface *hipSurfaceObject_t;

struct surfaceReference {
    hipSurfaceObject_t surfaceObject;
};

/* What an access outside of the surface does. */
enum hipSurfaceBoundaryMode {
    hipBoundaryModeZero = 0,
    hipBoundaryModeTrap = 1,
    hipBoundaryModeClamp = 2
};

#endif
#endif
