/* SPDX-License-Identifier: MIT */
/* Resources shared with OpenGL. There is no OpenGL behind them here: calls fail as on a machine
 * without it. Source: HIP 6.3 API reference, "OpenGL Interoperability". */
#ifndef HIP_GL_INTEROP_H
#define HIP_GL_INTEROP_H

#include <hip/hip_common.h>

#ifdef __HIP_PLATFORM_NVIDIA__
#include <hip/nvidia_detail/nvidia_hip_gl_interop.h>
#else

#include <hip/hip_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which devices of the current OpenGL context hipGLGetDevices lists. */
typedef enum hipGLDeviceList {
    hipGLDeviceListAll = 1,
    hipGLDeviceListCurrentFrame = 2,
    hipGLDeviceListNextFrame = 3 /* not supported */
} hipGLDeviceList;

typedef unsigned int GLuint;
typedef unsigned int GLenum;

/* Writes at most deviceCount ordinals of devices that the current OpenGL context uses. */
hipError_t hipGLGetDevices(unsigned int *pHipDeviceCount, int *pHipDevices,
    unsigned int hipDeviceCount, hipGLDeviceList deviceList);
/* flags: hipGraphicsRegisterFlags. */
hipError_t hipGraphicsGLRegisterBuffer(hipGraphicsResource **resource, GLuint buffer,
    unsigned int flags);
/* target: GL_TEXTURE_2D and its like. */
hipError_t hipGraphicsGLRegisterImage(hipGraphicsResource **resource, GLuint image, GLenum target,
    unsigned int flags);

#ifdef __cplusplus
}
#endif

#endif
#endif
