# SPDX-License-Identifier: MIT
# hipcc --cuda: sources of CUDA as they are, by the runtime's names and the driver's; nvcc's options.
. "$LS_SOURCE/tests/hipcc/lib.inc"
cuda="$hipcc --cuda -fno-lockstep-code-object"

cat >saxpy.cu <<'END'
#include <cstdio>
__global__ void saxpy(int n, float a, const float *__restrict__ x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * __ldg(&x[i]) + y[i];
}
int main()
{
    const int n = 1000;
    float *x, *y;
    cudaEvent_t timed, plain;
    struct cudaDeviceProp properties;
    if (cudaMallocManaged(&x, n * 4) != cudaSuccess || cudaMallocManaged(&y, n * 4) != cudaSuccess)
        return 2;
    for (int i = 0; i < n; i++)
        x[i] = i, y[i] = 1;
    if (cudaEventCreate(&timed) || cudaEventCreate(&plain, cudaEventDisableTiming) || cudaProfilerStart())
        return 3;
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.f, x, y);
    if (cudaGetLastError() || cudaDeviceSynchronize() || cudaGetDeviceProperties(&properties, 0))
        return 4;
    for (int i = 0; i < n; i++)
        if (y[i] != 2 * i + 1)
            return 1;
    std::printf("warp %d\n", properties.warpSize);
    return cudaFree(x) || cudaFree(y);
}
END
ok "a program, with what a makefile gives nvcc" $cuda -std=c++17 -arch=sm_80 -gencode arch=compute_70,code=sm_70 -Xcompiler -Wall,-Wextra \
    -Xcompiler="-fopenmp" --expt-relaxed-constexpr --extended-lambda -lineinfo -maxrregcount=32 -Xptxas -v --ptxas-options=-v -ccbin g++ \
    -cudart static -diag-suppress 177 -t 2 saxpy.cu -o saxpy -lcudart -lcuda
ok "its warps have 32 threads" says "warp 32" ./saxpy
ok "nvcc's options are none of hipcc's" fails 1 "$hipcc" -fsyntax-only -gencode arch=compute_70,code=sm_70 saxpy.cu
ok "a value that there is not" says "invalid value 'maybe' of '-rdc': true false" $cuda -rdc maybe saxpy.cu
ok "a value that is missing" says "argument to '-arch' is missing" $cuda saxpy.cu -arch
ok "warps of 64 are refused" says "warps of 32 threads, and those of 'gfx90a' have 64" $cuda --offload-arch=gfx90a saxpy.cu
ln -s "$hipcc" nvcc
ok "nvcc's name" says "release 12.6, V12.6" ./nvcc --version
ok "the language by -x" "$hipcc" -x cuda --offload-device-only -fsyntax-only saxpy.cu
ok "with the same limit" fails 1 "$hipcc" -x cuda --offload-arch=gfx90a -fsyntax-only saxpy.cu
ok "and the same __CUDA_ARCH__" says "arch 700" sh -c "echo 'arch __CUDA_ARCH__' >arch.cu && '$hipcc' -x cuda --offload-device-only -E -P arch.cu"

cat >reduce.cu <<'END'
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <cstdio>
namespace cg = cooperative_groups;
template <typename T> struct Shared {
    __device__ operator T *()
    {
        extern __shared__ int memory[];
        return (T *)memory;
    }
};
template <typename T, unsigned N> __global__ void __launch_bounds__(256, 4) reduce(const T *in, T *out, int n)
{
    T *s = Shared<T>(), v = 0;
    unsigned t = threadIdx.x;
    for (unsigned i = blockIdx.x * N + t; i < n; i += N * gridDim.x)
        v += in[i];
    s[t] = v;
    __syncthreads();
    for (unsigned k = N / 2; k >= 32; k >>= 1) {
        if (t < k)
            s[t] = v = v + s[t + k];
        __syncthreads();
    }
    if (t < 32) {
        for (int o = 16; o > 0; o >>= 1)
            v += __shfl_down_sync(0xffffffff, v, o);
        auto odd = __ballot_sync(0xffffffffu, t & 1);
        static_assert(sizeof(odd) == 4 && sizeof(__activemask()) == 4, "masks of 32 lanes");
        if (t == 0)
            atomicAdd(out, odd == 0xaaaaaaaa ? v : T(-1));
    }
}
__global__ void tiles(int *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int sum = cg::reduce(warp, (int)threadIdx.x, cg::plus<int>());
    if (warp.thread_rank() == 0)
        out[warp.meta_group_rank()] = sum;
#if __CUDA_ARCH__ != 700
    out[0] = -1;
#endif
}
int main()
{
    const int n = 10000;
    double *in, *out;
    int *sums;
    cudaMallocManaged(&in, n * 8);
    cudaMallocManaged(&out, 8);
    cudaMallocManaged(&sums, 8);
    for (int i = 0; i < n; i++)
        in[i] = i;
    reduce<double, 256><<<8, 256, 256 * sizeof(double)>>>(in, out, n);
    tiles<<<1, 64>>>(sums);
    cudaDeviceSynchronize();
    std::printf("%g %d %d\n", *out, sums[0], sums[1]);
    return 0;
}
END
ok "shared memory by templates, warps, groups" $cuda reduce.cu -o reduce
ok "its sums" says "4.9995e+07 496 1520" ./reduce
# nvcc takes blanks in <<< and >>>
mkdir -p spaced/kernels
cat >spaced/kernels/set.cuh <<'END'
template <class T> struct box { T v; friend bool operator<< <T>(const box<box<T>> &, int); };
template <class T> bool operator<<(const box<box<T>> &, int) { return true; }
template <int N> __global__ void set(int *p, int v) { p[threadIdx.x] = N + v; }
template <int N> void run(int *p, int n) { set<N> << <dim3(1), dim3(n) >> >(p, 1); }
END
cat >spaced/main.cu <<'END'
#include "kernels/../kernels/set.cuh"
#include <cstdio>
#define SET(n, ...) set<n> << < __VA_ARGS__ >> >
int main()
{
    int *p;
    cudaMallocManaged(&p, 64);
    run<4>(p, 8); const char *text = "<< < and >> > stay"; /* k << < 1, 2 >> > () */
    cudaDeviceSynchronize();
    int first = p[7];
    set<7> <<< 1, 1 << 2, 0, 0 >> > // k << < 1 >> > (
        (p, 2);
    set<20> << <1, 4>>>(p + 4, 2); SET(30, 1, 1)(p + 8, 1);
    cudaDeviceSynchronize();
    std::printf("%d %d %d %d %s line %d of %s\n", first, p[3], p[7], p[8], text, __LINE__, __FILE__);
}
END
ln -s spaced link
ok "launches with blanks, in a folder that is a link" sh -c "cd link && $cuda main.cu -o ../spaced.x"
ok "their results, lines and names" says "5 9 22 31 << < and >> > stay line 15 of main.cu" ./spaced.x
echo 'void f(int *p) { set<1> << <1, 1 >> > (p, wrong); }' >>spaced/kernels/set.cuh
ok "columns are those of the file" says "set.cuh:5:43: error: use of undeclared identifier 'wrong'" sh -c "! $cuda -c spaced/main.cu -o no.o 2>&1"
ok "-arch is __CUDA_ARCH__" says "arch 860" $cuda -arch sm_86 --offload-device-only -E -P arch.cu
ok "the largest of -gencode is, too" says "arch 750" \
    $cuda -arch=native -gencode=arch=compute_75,code=sm_75 --offload-device-only -E -P arch.cu

cat >increase.cu <<'END'
extern "C" __global__ void increase(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i]++;
}
END
cat >driver.cpp <<'END'
#include <cuda.h>
#include <cstdio>
#include <vector>
#ifdef __CUDACC__
#error "C++ is not CUDA"
#endif
#define CHECK(x) if (x) return 1
int main(int, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr p, base;
    size_t size;
    int n = 128;
    const std::vector<int> in(3, 5);
    std::vector<int> out(256);
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuCtxCreate(&context, 0, device));
    CHECK(cuModuleLoad(&module, argv[1]));
    CHECK(cuModuleGetFunction(&kernel, module, "increase"));
    CHECK(cuMemAlloc(&p, 1024));
    CHECK(cuMemsetD32(p, 7, 256));
    CUdeviceptr half = p + 128 * sizeof(int);
    void *args[] = {&half, &n};
    CHECK(cuLaunchKernel(kernel, 4, 1, 1, 32, 1, 1, 0, 0, args, 0));
    CHECK(cuCtxSynchronize());
    CHECK(cuMemcpyHtoDAsync(p, in.data(), 12, 0));
    CHECK(cuMemcpyDtoH(out.data(), p, 1024));
    CHECK(cuMemGetAddressRange(&base, &size, half));
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = half;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = &out[1];
    copy.WidthInBytes = 4;
    copy.Height = 1;
    CHECK(cuMemcpy2D(&copy));
    int there = -1;
    CHECK(cuDeviceGetAttribute(&there, CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED, device));
    CHECK(there != 0 && there != 1);
    CHECK(cuMemcpy(half, p, 8)); // 5 5 over 8 8
    CHECK(cuMemcpyAsync(half + 4, half + 8, 4, 0));
    CHECK(cuMemcpyPeerAsync((CUdeviceptr)&out[126], context, half, context, 8, 0));
    CHECK(cuMemcpyPeer((CUdeviceptr)&out[254], context, p, context, 8));
    CHECK(cuStreamSynchronize(0));
    CHECK(cuMemFree(p));
    std::printf("%d %d %d %d\n", out[0], out[1], out[127], out[255]);
    return base != p;
}
END
ok "code for cuModuleLoad" $cuda -fatbin increase.cu
ok "by its other names" $cuda -ptx -o increase.ptx increase.cu
ok "the driver, addresses as numbers, plain C++" $cuda -Wall -Werror all-warnings driver.cpp -o driver -lcuda
ok "its results" says "5 8 8 5" ./driver increase.fatbin
ok "and those of the other" says "5 8 8 5" ./driver increase.ptx

echo '__device__ int twice(int x) { return 2 * x; }' >twice.cu
cat >caller.cu <<'END'
#include <cstdio>
__device__ int twice(int);
__global__ void call(int *p) { p[threadIdx.x] = twice(threadIdx.x); }
int main()
{
    int *p;
    cudaMallocManaged(&p, 256);
    call<<<1, 64>>>(p);
    cudaDeviceSynchronize();
    std::printf("%d\n", p[63]);
    return 0;
}
END
ok "-dc" env LOCKSTEP_PCH=0 $cuda -dc caller.cu twice.cu
ok "-dlink" $cuda -dlink caller.o twice.o -o linked.o
ok "hipcc links, -dlink or not" $cuda caller.o twice.o linked.o -o called
ok "and it runs" says 126 ./called
ok "the host's compiler links" c++ caller.o twice.o linked.o -o host "-L$LS_BUILD/lib" "-Wl,-rpath,$LS_BUILD/lib" -lamdhip64
ok "and that runs" says 126 ./host

cat >plain.c <<'END'
#include <cuda_runtime.h>
int main(void)
{
    float *p;
    struct cudaDeviceProp properties;
    return cudaMalloc((void **)&p, 100) || cudaGetDeviceProperties(&properties, 0) || cudaFree(p);
}
END
ok "C, with the standard that C++ has" $cuda -std=c++17 plain.c -o plain
ok "and it runs" ./plain
echo '#include <cusolverDn.h>' >library.cu
ok "a library that is not here" says "cusolverDn.h is cuSOLVER API by HIP's header hipsolver.h, which is not installed here" $cuda --offload-host-only -c library.cu


# Matrix products in three shapes, orders of rows and columns
cat >products.h <<'END'
#include <cuda_fp16.h>
#include <mma.h>
#include <cstdio>
using namespace nvcuda;
template <int M, int N, int K, class LA, class LB>
__global__ void product(const __half *a, const __half *b, float *d)
{
    wmma::fragment<wmma::matrix_a, M, N, K, __half, LA> left;
    wmma::fragment<wmma::matrix_b, M, N, K, __half, LB> right;
    wmma::fragment<wmma::accumulator, M, N, K, float> sum;
    wmma::fill_fragment(sum, 1.0f);
    wmma::load_matrix_sync(left, a, std::is_same<LA, wmma::row_major>::value ? K : M);
    wmma::load_matrix_sync(right, b, std::is_same<LB, wmma::row_major>::value ? N : K);
    wmma::mma_sync(sum, left, right, sum);
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] *= 2;
    wmma::store_matrix_sync(d, sum, N, wmma::mem_row_major);
}
template <int M, int N, int K, class LA, class LB> int wrong()
{
    __half *a, *b;
    float *d;
    int n = 0;
    cudaMallocManaged(&a, M * K * 2);
    cudaMallocManaged(&b, K * N * 2);
    cudaMallocManaged(&d, M * N * 4);
    for (int i = 0; i < M * K; i++)
        a[i] = __float2half(i % 7 - 3);
    for (int i = 0; i < K * N; i++)
        b[i] = __float2half(i % 5 - 2);
    product<M, N, K, LA, LB><<<1, 32>>>(a, b, d);
    cudaDeviceSynchronize();
    for (int r = 0; r < M; r++)
        for (int c = 0; c < N; c++) {
            float sum = 1;
            for (int k = 0; k < K; k++)
                sum += __half2float(a[std::is_same<LA, wmma::row_major>::value ? r * K + k : k * M + r]) *
                       __half2float(b[std::is_same<LB, wmma::row_major>::value ? k * N + c : c * K + k]);
            n += d[r * N + c] != 2 * sum;
        }
    return n;
}
int wrong_products()
{
    return wrong<16, 16, 16, wmma::row_major, wmma::col_major>() + wrong<32, 8, 16, wmma::row_major, wmma::row_major>() +
            wrong<8, 32, 16, wmma::col_major, wmma::col_major>();
}
END

# What HIP's headers have not: each against a plain way to the same number. In one program, as headers take the time.
cat >functions.cu <<'END'
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <cstdio>
#include "products.h"
__global__ void functions(unsigned *out)
{
    __shared__ int copied[32];
    int i = threadIdx.x;
    unsigned a = 0x01ff7f80u * (i + 1), b = 0x80ff0203u + i, wrong = 0;
    unsigned add = 0, addss = 0, gt = 0, sad = 0;
    for (int at = 0; at < 32; at += 8) {
        int x = (signed char)(a >> at), y = (signed char)(b >> at), sum = x + y;
        add |= ((unsigned)sum & 255) << at;
        addss |= ((unsigned)(sum > 127 ? 127 : sum < -128 ? -128 : sum) & 255) << at;
        gt |= (x > y ? 255u : 0) << at;
        sad += x > y ? x - y : y - x;
    }
    wrong += __vadd4(a, b) != add || __vaddss4(a, b) != addss || __vcmpgts4(a, b) != gt || __vsads4(a, b) != sad;
    wrong += __vabs4(0x80017fff) != 0x80017f01 || __vnegss2(0x80007fff) != 0x7fff8001 || __vavgu4(0x00ff0103, 0x01ff0202) != 0x01ff0203;
    wrong += __dp4a(0x01020304, 0x05ff0702, 10) != 5 - 2 + 21 + 8 + 10 || umin(3u, a) > 3 || llmax(-5ll, 2ll) != 2;
    wrong += __bfloat162float(__float2bfloat16_rz(1.99999f)) != 1.9921875f || __bfloat162float(__float2bfloat16_ru(1.00001f)) != 1.0078125f;
    wrong += __bfloat162float(__int2bfloat16_rn(0x1010001)) != 16908288.0f || __bfloat162int_rd(__float2bfloat16(-2.5f)) != -3;
    wrong += __heq2_mask(__floats2half2_rn(1, 2), __floats2half2_rn(1, 3)) != 0xffff || __half2char_rz(__float2half(-300.0f)) != -128;
    wrong += cudaGetErrorString(cudaErrorInvalidValue)[1] != 'n' || cudaGetErrorName(cudaSuccess)[3] != 'S';
    wrong += (float)__nv_fp8_e4m3(1000.0f) != 448.0f || __isShared(&copied[i]) != 1 || __isGlobal(out) != 1;
    __pipeline_memcpy_async(&copied[i], &out[1 + i], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    wrong += copied[31 - i] != 31 - i || __ldcg(&out[1 + i]) != i;
    wrong += __reduce_add_sync(0xffffffff, 1u) != 32 || __match_any_sync(~0u, i & 1) != (i & 1 ? 0xaaaaaaaau : 0x55555555u);
    atomicAdd(out, wrong);
}
int main()
{
    unsigned *out;
    cudaMallocManaged(&out, 33 * 4);
    out[0] = 0;
    for (int i = 0; i < 32; i++)
        out[1 + i] = i;
    functions<<<1, 32>>>(out);
    std::printf("%s, %u wrong\n", cudaGetErrorName(cudaDeviceSynchronize()), *out);
    std::printf("%d wrong products\n", wrong_products());
    return 0;
}
END
ok "device functions, mma.h" $cuda -arch=sm_80 functions.cu -o functions
ok "their results" says "hipSuccess, 0 wrong" ./functions
ok "its products" says "0 wrong products" ./functions

# CMake's CUDA language, with relocatable device code in a library of its own
if command -v cmake >/dev/null; then
    mkdir project
    cp caller.cu twice.cu project
    cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(called LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_library(twice STATIC twice.cu)
add_executable(called caller.cu)
target_link_libraries(called twice CUDA::cudart)
set_target_properties(called twice PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
END
    ok "CMake configures" env HIPCC_COMPILE_FLAGS_APPEND=-fno-lockstep-code-object \
        cmake -S project -B project/build "-DCMAKE_CUDA_COMPILER=$LS_BUILD/share/lockstep/cuda/bin/nvcc" -DCMAKE_CUDA_ARCHITECTURES=80
    ok "CMake builds" env HIPCC_COMPILE_FLAGS_APPEND=-fno-lockstep-code-object cmake --build project/build
    ok "and it runs" says 126 project/build/called
fi

# A folder that looks like CUDA's toolkit
toolkit=$LS_BUILD/share/lockstep/cuda
ok "its nvcc" "$toolkit/bin/nvcc" -arch=sm_70 -cuda saxpy.cu
ok "another compiler makes an object of that" c++ -c saxpy.cu.cpp.ii -o saxpy.o
ok "which it links" c++ saxpy.o "-L$toolkit/lib64" -lcudart -o saxpy
ok "and that runs, too" says "warp 32" env "LD_LIBRARY_PATH=$toolkit/lib64" ./saxpy
ok "its headers and libraries, by another compiler" c++ "-I$toolkit/include" driver.cpp -o other_driver "-L$toolkit/lib64" -lcuda -lcudart
ok "and that runs" says "5 8 8 5" env "LD_LIBRARY_PATH=$toolkit/lib64" ./other_driver increase.fatbin
finish
