/* SPDX-License-Identifier: MIT */
/* Resources shared with OpenGL: there is no OpenGL here, and each call answers as ROCm does on a
 * machine without it. */
#include "runtime/api/api.h"

#include <hip/hip_gl_interop.h>

static bool
is_register_flags(unsigned flags)
{
    const unsigned known = hipGraphicsRegisterFlagsReadOnly | hipGraphicsRegisterFlagsWriteDiscard |
                           hipGraphicsRegisterFlagsSurfaceLoadStore |
                           hipGraphicsRegisterFlagsTextureGather;

    return (flags & ~known) == 0;
}

LS_EXPORT hipError_t
hipGLGetDevices(unsigned *count, int *devices, unsigned n, hipGLDeviceList list)
{
    LS_START();
    LS_CHECK(list != hipGLDeviceListNextFrame, hipErrorNotSupported);
    LS_CHECK(count && devices && n > 0, hipErrorInvalidValue);
    LS_RETURN(ls_err(hipErrorInvalidValue, "no OpenGL"));
}

LS_EXPORT hipError_t
hipGraphicsGLRegisterBuffer(hipGraphicsResource **resource, GLuint buffer, unsigned flags)
{
    (void)buffer;
    LS_START();
    LS_CHECK(resource && is_register_flags(flags), hipErrorInvalidValue);
    LS_RETURN(ls_err(hipErrorInvalidValue, "no OpenGL"));
}

LS_EXPORT hipError_t
hipGraphicsGLRegisterImage(hipGraphicsResource **resource, GLuint image, GLenum target,
                           unsigned flags)
{
    (void)image, (void)target;
    LS_START();
    LS_CHECK(resource && is_register_flags(flags), hipErrorInvalidValue);
    LS_RETURN(ls_err(hipErrorInvalidValue, "no OpenGL"));
}

LS_EXPORT hipError_t
hipGraphicsMapResources(int count, hipGraphicsResource_t *resources, hipStream_t stream)
{
    (void)count, (void)resources, (void)stream;
    LS_RETURN(ls_err(hipErrorUnknown, "no OpenGL"));
}

LS_EXPORT hipError_t
hipGraphicsUnmapResources(int count, hipGraphicsResource_t *resources, hipStream_t handle)
{
    struct ihipStream_t *stream;
    hipError_t err;

    (void)count, (void)resources;
    LS_TRY(ls_stream_resolve(handle, &stream));
    err = ls_err(hipErrorUnknown, "no OpenGL");
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipGraphicsResourceGetMappedPointer(void **ptr, size_t *bytes, hipGraphicsResource_t resource)
{
    (void)ptr, (void)bytes, (void)resource;
    LS_RETURN(ls_err(hipErrorUnknown, "no OpenGL"));
}

LS_EXPORT hipError_t
hipGraphicsSubResourceGetMappedArray(hipArray_t *array, hipGraphicsResource_t resource,
                                     unsigned index, unsigned level)
{
    (void)index, (void)level;
    LS_CHECK(array && resource, hipErrorInvalidValue);
    LS_RETURN(ls_err(hipErrorInvalidValue, "%p is no resource", (void *)resource));
}

/* No resource was ever registered. */
LS_EXPORT hipError_t
hipGraphicsUnregisterResource(hipGraphicsResource_t resource)
{
    (void)resource;
    LS_RETURN(ls_err(hipErrorInvalidValue, "%p is no resource", (void *)resource));
}
