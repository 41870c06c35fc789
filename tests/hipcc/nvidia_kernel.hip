// SPDX-License-Identifier: MIT
// The kernel language on NVIDIA's platform: what HIP names and CUDA has not, and each library of
// types.
#include <hip/hip_runtime.h>

#include <hip/hip_bf16.h>
#include <hip/hip_bfloat16.h>
#include <hip/hip_complex.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_ext.h>
#include <hip/hip_fp16.h>
#include <hip/hip_fp8.h>
#include <hip/hip_math_constants.h>
#include <hip/hip_texture_types.h>

namespace cg = cooperative_groups;

__constant__ float table[4];
__device__ int symbol;

__global__ void
warps(int *out, unsigned long long *lanes)
{
    int i = hipThreadIdx_x + hipBlockIdx_x * hipBlockDim_x;

    out[i] = __shfl(i, 3) + __shfl_up(i, 1) + __shfl_down(i, 1) + __shfl_xor(i, 1, 16);
    if (__any(i > 3) && __all(i < 1000))
        out[i] += warpSize;
    lanes[i] = __ballot(i & 1) | __activemask() | __lanemask_lt() | __lane_id();
    lanes[i] += wall_clock64() + clock64() + __clock64();
#if __HIP_DEVICE_COMPILE__ && __HIP_ARCH_HAS_DOUBLES__ && __HIP_ARCH_HAS_WARP_SHUFFLE__
    symbol = 1;
#endif
}

__global__ void
atomics(float *f, double *d, __half2 *h, __hip_bfloat162 *b)
{
    unsafeAtomicAdd(f, 1.0f);
    safeAtomicAdd(d, 1.0);
    unsafeAtomicMax(d, 1.0);
    unsafeAtomicAdd(h, __float2half2_rn(1.0f));
    unsafeAtomicAdd(b, __float2bfloat162_rn(1.0f));
    atomicMax(f, 2.0f);
    atomicMin(d, 1.0);
    atomicSub(f, 1.0f);
    atomicAdd_system(f, 1.0f);
}

__global__ void __launch_bounds__(256)
libraries(float *f, hipFloatComplex *c, __half *h, __hip_bfloat16 *b, hip_bfloat16 *old)
{
    HIP_DYNAMIC_SHARED(float, lds)
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    int i = block.thread_rank();

    lds[i] = tile.shfl_down(f[i], 1) + table[i & 3] + HIP_PI_F + HIP_INF_F;
    block.sync();
    c[i] = hipCmulf(c[i], make_hipFloatComplex(1, lds[i]));
    h[i] = __float2half(f[i]);
    b[i] = __float2bfloat16(f[i]);
    old[i] = hip_bfloat16(f[i]);
    __hip_fp8_e4m3 eight(f[i]);
    f[i] = float(eight);
    if (i > 1000)
        printf("%d\n", i);
    assert(i < 1000);
}

__global__ void
vectors(float4 *v, double4 *d, int2 *n)
{
    v[0] += v[1] * 2.0f - v[2];
    v[0] = -v[0] / v[1];
    d[0] = d[1] + d[2];
    if (n[0] == n[1] || n[1] != n[2])
        n[0] *= 2;
    n[2] ^= ~n[0] & (n[1] | n[2] << 3) % 7;
}

/* A program may have shuffles of its own types. */
__device__ float4
__shfl_down(float4 v, unsigned int lanes, int width = 32)
{
    v.x = __shfl_down(v.x, lanes, width);
    return v;
}

__global__ void
own_shuffle(float4 *v)
{
    v[threadIdx.x] += __shfl_down(v[threadIdx.x], 1);
}

__global__ void
textures(float *out, hipTextureObject_t texture, hipSurfaceObject_t surface)
{
    float value;

    surf2Dread(&value, surface, 4, 1, hipBoundaryModeClamp);
    out[0] = tex2D<float>(texture, 1.0f, 2.0f) + tex1Dfetch<float>(texture, 1) + value;
}

template <class F>
__global__ void
apply(int *p, F function)
{
    p[threadIdx.x] = std::max(function(p[threadIdx.x]), 1);
}

template <class T, class U>
__global__ void
two(T *p, U value)
{
    *p = T(value);
}

__global__ void
with_parm(hipLaunchParm lp, int *p)
{
    *p = 1;
}

int
main()
{
    int *p = nullptr;
    hipStream_t stream = 0;
    hipEvent_t event = 0;

    hipLaunchKernelGGL(HIP_KERNEL_NAME(two<int, float>), dim3(1), dim3(1), 0, 0, p, 1.0f);
    hipLaunchKernelGGL((two<int, float>), 1, 1, 0, stream, p, 1.0f);
    hipLaunchKernel(with_parm, dim3(1), dim3(1), 0, 0, p);
    hipExtLaunchKernelGGL(two<int, float>, dim3(1), dim3(1), 0, stream, event, event, 0, p, 1.0f);
    two<<<1, 1, 0, stream>>>(p, 1);
    apply<<<1, 1>>>(p, [=] __device__(int x) { return 2 * x; });
    return hipGetLastError() != hipSuccess;
}
