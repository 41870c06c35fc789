/* SPDX-License-Identifier: MIT */
/* Errors of HIP from those of CUDA and back. The names are those of AMD's headers. */
#ifndef HIP_NVIDIA_DETAIL_ERRORS_H
#define HIP_NVIDIA_DETAIL_ERRORS_H

#include <hip/nvidia_detail/types.h>

#define LS_NV_CASE(from, to) \
    case from: return to;

static inline hipError_t
hipCUDAErrorTohipError(cudaError_t error)
{
    switch (error) {
#define LS_NV_RT_ERROR(hip, rt) LS_NV_CASE(rt, hip)
#define LS_NV_DRV_ERROR(hip, cu)
#include <hip/nvidia_detail/errors.def>
    default: return hipErrorUnknown;
    }
}

static inline hipError_t
hipCUResultTohipError(CUresult error)
{
    switch (error) {
#define LS_NV_RT_ERROR(hip, rt)
#define LS_NV_DRV_ERROR(hip, cu) LS_NV_CASE(cu, hip)
#include <hip/nvidia_detail/errors.def>
    default: return hipErrorUnknown;
    }
}

static inline cudaError_t
hipErrorToCudaError(hipError_t error)
{
    switch (error) {
#define LS_NV_RT_ERROR(hip, rt) LS_NV_CASE(hip, rt)
#define LS_NV_DRV_ERROR(hip, cu)
#include <hip/nvidia_detail/errors.def>
    default: return cudaErrorUnknown;
    }
}

static inline CUresult
hipErrorToCUResult(hipError_t error)
{
    switch (error) {
#define LS_NV_RT_ERROR(hip, rt)
#define LS_NV_DRV_ERROR(hip, cu) LS_NV_CASE(hip, cu)
#include <hip/nvidia_detail/errors.def>
    default: return CUDA_ERROR_UNKNOWN;
    }
}

/* The enumerator, as text. */
static inline const char *
hipGetErrorName(hipError_t error)
{
    switch (error) {
#define LS_NV_RT_ERROR(hip, rt) LS_NV_CASE(hip, #hip)
#define LS_NV_DRV_ERROR(hip, cu)
#include <hip/nvidia_detail/errors.def>
    case hipErrorContextAlreadyCurrent: return "hipErrorContextAlreadyCurrent";
    default: return "hipErrorUnknown";
    }
}

#undef LS_NV_CASE

/* CUDA's words. */
static inline const char *
hipGetErrorString(hipError_t error)
{
    return cudaGetErrorString(hipErrorToCudaError(error));
}

static inline hipError_t
hipDrvGetErrorName(hipError_t error, const char **errorString)
{
    if (!errorString)
        return hipErrorInvalidValue;
    *errorString = hipGetErrorName(error);
    return hipSuccess;
}

static inline hipError_t
hipDrvGetErrorString(hipError_t error, const char **errorString)
{
    if (!errorString)
        return hipErrorInvalidValue;
    *errorString = hipGetErrorString(error);
    return hipSuccess;
}

#endif
