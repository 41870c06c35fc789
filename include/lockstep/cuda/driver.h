/* SPDX-License-Identifier: MIT */
/* The driver's functions with device addresses as CUDA has them: numbers, and not pointers. Each
 * function is a template that hands its arguments on (lockstep_cuda/driver_names.h has the list).
 */
#ifndef LOCKSTEP_CUDA_DRIVER_H
#define LOCKSTEP_CUDA_DRIVER_H

#include <hip/hip_runtime.h>

#undef CUdeviceptr
#undef CUdeviceptr_v1
#undef CUdeviceptr_v2
typedef unsigned long long CUdeviceptr;
typedef CUdeviceptr CUdeviceptr_v2;

/* Structures with addresses: HIP's, member by member. */

#undef CUDA_MEMCPY2D
#undef CUDA_MEMCPY2D_st
#undef CUDA_MEMCPY2D_v2
typedef struct CUDA_MEMCPY2D_st {
    size_t srcXInBytes, srcY;
    hipMemoryType srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    hipArray_t srcArray;
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    hipMemoryType dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    hipArray_t dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
} CUDA_MEMCPY2D, CUDA_MEMCPY2D_v2;

#undef CUDA_MEMCPY3D
#undef CUDA_MEMCPY3D_st
#undef CUDA_MEMCPY3D_v2
typedef struct CUDA_MEMCPY3D_st {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    hipMemoryType srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    hipArray_t srcArray;
    union {
        size_t srcPitch;
        void *reserved0;
    };
    size_t srcHeight;
    size_t dstXInBytes, dstY, dstZ, dstLOD;
    hipMemoryType dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    hipArray_t dstArray;
    union {
        size_t dstPitch;
        void *reserved1;
    };
    size_t dstHeight;
    size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D, CUDA_MEMCPY3D_v2;

#undef CUDA_RESOURCE_DESC
#undef CUDA_RESOURCE_DESC_st
#undef CUDA_RESOURCE_DESC_v1
typedef struct CUDA_RESOURCE_DESC_st {
    HIPresourcetype resType;
    union {
        struct {
            hipArray_t hArray;
        } array;
        struct {
            hipMipmappedArray_t hMipmappedArray;
        } mipmap;
        struct {
            CUdeviceptr devPtr;
            hipArray_Format format;
            unsigned int numChannels;
            size_t sizeInBytes;
        } linear;
        struct {
            CUdeviceptr devPtr;
            hipArray_Format format;
            unsigned int numChannels;
            size_t width, height;
            size_t pitchInBytes;
        } pitch2D;
        struct {
            int reserved[32];
        } reserved;
    } res;
    unsigned int flags;
} CUDA_RESOURCE_DESC, CUDA_RESOURCE_DESC_v1;

namespace ls_cuda
{
static_assert(sizeof(CUDA_MEMCPY2D) == sizeof(hip_Memcpy2D), "one layout");
static_assert(sizeof(CUDA_MEMCPY3D) == sizeof(HIP_MEMCPY3D), "one layout");
static_assert(sizeof(CUDA_RESOURCE_DESC) == sizeof(HIP_RESOURCE_DESC), "one layout");

/* A number on its way to a parameter: an address, a size, a stream's NULL. */
struct number {
    unsigned long long value;
    template <class T> operator T() const
    {
        return (T)value;
    }
};

template <class T, bool is_number> struct forwarded {
    typedef T type;
    static type of(T value)
    {
        return value;
    }
};
template <class T> struct forwarded<T, true> {
    typedef number type;
    static type of(T value)
    {
        return number{(unsigned long long)value};
    }
};
template <> struct forwarded<CUdeviceptr *, false> {
    typedef void **type;
    static type of(CUdeviceptr *p)
    {
        return (void **)p;
    }
};
template <class T> struct forwarded<const T *, false> {
    typedef T *type;
    static type of(const T *p)
    {
        return (T *)p;
    }
};

#define LS_CUDA_SAME(ours, hips)                                                                   \
    template <> struct forwarded<ours *, false> {                                                  \
        typedef hips *type;                                                                        \
        static type of(ours *p)                                                                    \
        {                                                                                          \
            return (hips *)p;                                                                      \
        }                                                                                          \
    };                                                                                             \
    template <> struct forwarded<const ours *, false> {                                            \
        typedef hips *type;                                                                        \
        static type of(const ours *p)                                                              \
        {                                                                                          \
            return (hips *)p;                                                                      \
        }                                                                                          \
    };
LS_CUDA_SAME(CUDA_MEMCPY2D, hip_Memcpy2D)
LS_CUDA_SAME(CUDA_MEMCPY3D, HIP_MEMCPY3D)
LS_CUDA_SAME(CUDA_RESOURCE_DESC, HIP_RESOURCE_DESC)
#undef LS_CUDA_SAME

template <class T>
typename forwarded<T, std::is_integral<T>::value>::type
forward(T value)
{
    return forwarded<T, std::is_integral<T>::value>::of(value);
}
} // namespace ls_cuda

/* What else a context shall be, which newer functions ask for. Nothing of it has a meaning here. */
typedef struct CUctxCreateParams_st {
    void *execAffinityParams;
    int numExecAffinityParams;
    void *cigParams;
} CUctxCreateParams;

#undef cuCtxCreate
#undef cuCtxCreate_v2
static inline hipError_t
cuCtxCreate(hipCtx_t *context, unsigned int flags, hipDevice_t device)
{
    return hipCtxCreate(context, flags, device);
}

static inline hipError_t
cuCtxCreate(hipCtx_t *context, CUctxCreateParams *, unsigned int flags, hipDevice_t device)
{
    return hipCtxCreate(context, flags, device);
}
#define cuCtxCreate_v2 cuCtxCreate
#define cuCtxCreate_v4 cuCtxCreate

/* Copies between any two addresses: all devices and the host share one space. */
#undef cuMemcpy
#undef cuMemcpyAsync
#undef cuMemcpyPeer
#undef cuMemcpyPeerAsync
static inline hipError_t
cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return hipMemcpy((void *)to, (const void *)from, bytes, hipMemcpyDefault);
}

static inline hipError_t
cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, hipStream_t stream)
{
    return hipMemcpyAsync((void *)to, (const void *)from, bytes, hipMemcpyDefault, stream);
}

static inline hipError_t
cuMemcpyPeer(CUdeviceptr to, hipCtx_t, CUdeviceptr from, hipCtx_t, size_t bytes)
{
    return cuMemcpy(to, from, bytes);
}

static inline hipError_t
cuMemcpyPeerAsync(CUdeviceptr to, hipCtx_t, CUdeviceptr from, hipCtx_t, size_t bytes,
                  hipStream_t stream)
{
    return cuMemcpyAsync(to, from, bytes, stream);
}

/* The name of CUDA 10.2 and 11.0. */
#undef CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED
#define CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED                                   \
    hipDeviceAttributeVirtualMemoryManagementSupported

/* CUDA's has one more argument, which tells the shared memory of a block size. */
#undef CUoccupancyB2DSize
typedef size_t (*CUoccupancyB2DSize)(int block_size);

#undef cuOccupancyMaxPotentialBlockSize
#undef cuOccupancyMaxPotentialBlockSizeWithFlags
static inline hipError_t
cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, hipFunction_t kernel,
                                          CUoccupancyB2DSize shared_of, size_t shared, int limit,
                                          unsigned int flags)
{
    hipError_t err =
        hipModuleOccupancyMaxPotentialBlockSizeWithFlags(grid, block, kernel, shared, limit, flags);
    for (int largest = *block; err == hipSuccess && shared_of && *block > 0;) {
        int threads = *block;
        err = hipModuleOccupancyMaxPotentialBlockSizeWithFlags(grid, block, kernel,
                                                               shared_of(threads), largest, flags);
        if (*block >= threads)
            break;
        largest = *block;
    }
    return err;
}

static inline hipError_t
cuOccupancyMaxPotentialBlockSize(int *grid, int *block, hipFunction_t kernel,
                                 CUoccupancyB2DSize shared_of, size_t shared, int limit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, kernel, shared_of, shared, limit,
                                                     0);
}

#define LS_CUDA_DRIVER(cuda, hip)                                                                  \
    template <class... As> static inline hipError_t cuda(As... args)                               \
    {                                                                                              \
        return ::hip(ls_cuda::forward(args)...);                                                   \
    }
#include <lockstep_cuda/driver_names.h>
#undef LS_CUDA_DRIVER

#endif
