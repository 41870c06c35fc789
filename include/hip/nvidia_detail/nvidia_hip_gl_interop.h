/* SPDX-License-Identifier: MIT */
/* Resources shared with OpenGL on NVIDIA's platform. CUDA's functions are declared here, since its
 * header wants that of OpenGL. */
#ifndef HIP_NVIDIA_DETAIL_HIP_GL_INTEROP_H
#define HIP_NVIDIA_DETAIL_HIP_GL_INTEROP_H

#include <hip/hip_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hipGLDeviceList {
    hipGLDeviceListAll = 1,
    hipGLDeviceListCurrentFrame = 2,
    hipGLDeviceListNextFrame = 3
} hipGLDeviceList;

#ifndef __CUDA_GL_INTEROP_H__
typedef unsigned int GLuint;
typedef unsigned int GLenum;
enum cudaGLDeviceList {
    cudaGLDeviceListAll = 1,
    cudaGLDeviceListCurrentFrame = 2,
    cudaGLDeviceListNextFrame = 3
};
cudaError_t cudaGLGetDevices(unsigned int *count, int *devices, unsigned int n,
                             enum cudaGLDeviceList list);
cudaError_t cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **resource, GLuint buffer,
                                         unsigned int flags);
cudaError_t cudaGraphicsGLRegisterImage(struct cudaGraphicsResource **resource, GLuint image,
                                        GLenum target, unsigned int flags);
#endif

#ifdef __cplusplus
}
#endif

static inline hipError_t
hipGLGetDevices(unsigned int *pHipDeviceCount, int *pHipDevices, unsigned int hipDeviceCount,
                hipGLDeviceList deviceList)
{
    return hipCUDAErrorTohipError(cudaGLGetDevices(pHipDeviceCount, pHipDevices, hipDeviceCount,
                                                   (enum cudaGLDeviceList)deviceList));
}

static inline hipError_t
hipGraphicsGLRegisterBuffer(hipGraphicsResource **resource, GLuint buffer, unsigned int flags)
{
    return hipCUDAErrorTohipError(cudaGraphicsGLRegisterBuffer(resource, buffer, flags));
}

static inline hipError_t
hipGraphicsGLRegisterImage(hipGraphicsResource **resource, GLuint image, GLenum target,
                           unsigned int flags)
{
    return hipCUDAErrorTohipError(cudaGraphicsGLRegisterImage(resource, image, target, flags));
}

#endif
