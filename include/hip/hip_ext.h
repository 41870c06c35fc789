/* SPDX-License-Identifier: MIT */
/* Launches with events around the kernel. */
#ifndef HIP_EXT_H
#define HIP_EXT_H

/* One of AMD's include guards, by which programs see what is included. */
#define HIP_INCLUDE_HIP_HIP_EXT_H

#include <hip/hip_runtime.h>

#ifndef __HIP_PLATFORM_NVIDIA__
#ifdef __cplusplus
extern "C" {
#endif

/* Global sizes count threads, not blocks. The events, if any, are recorded around the kernel. */
HIP_PUBLIC_API hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t globalWorkSizeX,
    uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ, uint32_t localWorkSizeX,
    uint32_t localWorkSizeY, uint32_t localWorkSizeZ, size_t sharedMemBytes, hipStream_t stream,
    void **kernelParams, void **extra, hipEvent_t startEvent LS_HIP_OPT(0),
    hipEvent_t stopEvent LS_HIP_OPT(0), uint32_t flags LS_HIP_OPT(0));

HIP_PUBLIC_API hipError_t hipHccModuleLaunchKernel(hipFunction_t function, uint32_t globalWorkSizeX,
    uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ, uint32_t localWorkSizeX,
    uint32_t localWorkSizeY, uint32_t localWorkSizeZ, size_t sharedMemBytes, hipStream_t stream,
    void **kernelParams, void **extra, hipEvent_t startEvent LS_HIP_OPT(0),
    hipEvent_t stopEvent LS_HIP_OPT(0));

#ifdef __cplusplus
}
#endif
#endif

#ifdef __cplusplus
namespace hip_impl {
/* The arguments are converted to the kernel's parameter types. */
template <typename... Formals, typename... Actuals>
inline void
ls_ext_launch(void (*kernel)(Formals...), const dim3 &gridDim, const dim3 &blockDim,
              uint32_t sharedMemBytes, hipStream_t stream, hipEvent_t startEvent,
              hipEvent_t stopEvent, uint32_t flags, Actuals... actuals)
{
    static_assert(sizeof...(Formals) == sizeof...(Actuals), "wrong number of kernel arguments");
    std::tuple<Formals...> formals(static_cast<Formals>(actuals)...);
    void *args[sizeof...(Formals) + 1];

    ls_argument_pointers(formals, args);
    (void)hipExtLaunchKernel(reinterpret_cast<const void *>(kernel), gridDim, blockDim, args,
                             sharedMemBytes, stream, startEvent, stopEvent, (int)flags);
}
} // namespace hip_impl

/* hipLaunchKernelGGL with events. A kernel template without its arguments is resolved by the
 * types of the actual ones. */
template <typename... Args, typename F = void (*)(Args...)>
inline void
hipExtLaunchKernelGGL(F kernel, const dim3 &numBlocks, const dim3 &dimBlocks,
                      uint32_t sharedMemBytes, hipStream_t stream, hipEvent_t startEvent,
                      hipEvent_t stopEvent, uint32_t flags, Args... args)
{
    hip_impl::ls_ext_launch(kernel, numBlocks, dimBlocks, sharedMemBytes, stream, startEvent,
                            stopEvent, flags, args...);
}
#endif

#endif
