# SPDX-License-Identifier: MIT
# libcu++ and tiles of several warps under hipcc --cuda: atomics with scopes, barriers, pipelines between producers and
# consumers, cuda::std.
. "$LS_SOURCE/tests/hipcc/lib.inc"
cuda="$hipcc --cuda -fno-lockstep-code-object -arch=sm_80 -O1"

cat >cxx.cu <<'END'
#include <cstdio>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
#include <cuda/std/functional>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
struct counters { cuda::atomic<int, cuda::thread_scope_device> n; cuda::std::atomic<unsigned> m; cuda::atomic<float> f; };
template <class T> __device__ cuda::std::enable_if_t<cuda::std::is_integral<T>::value, T> most() { return cuda::std::numeric_limits<T>::max(); }
__global__ void count(counters *c, unsigned long long *sum, int *wrong)
{
    int old = c->n.fetch_add(2, cuda::memory_order_relaxed);
    c->m++;
    c->f.fetch_add(0.5f);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> ref(*sum);
    ref.fetch_max(threadIdx.x);
    int expected = -1;
    if (c->n.compare_exchange_strong(expected, 0) || old < 0 || old % 2 || most<short>() != 32767 || cuda::std::plus<int>()(1, 2) != 3 ||
        cuda::std::identity()(7) != 7)
        atomicAdd(wrong, 1);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
}
__global__ void meet(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[96];
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    for (int round = 0; round < 4; round++) {
        s[threadIdx.x] = out[blockIdx.x * blockDim.x + threadIdx.x] + 1;
        auto token = bar.arrive();
        bar.wait(std::move(token));
        out[blockIdx.x * blockDim.x + threadIdx.x] = s[(threadIdx.x + 32) % blockDim.x];
        bar.arrive_and_wait();
    }
}
__global__ void roles(const int *in, int *out, int n)
{
    auto block = cg::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int stage[2][32];
    auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    int lane = threadIdx.x % 32, sum = 0;
    for (int i = 0; i < n; i++) {
        if (role == cuda::pipeline_role::producer) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stage[i % 2][lane], &in[i * 32 + lane], cuda::aligned_size_t<4>(4), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += stage[i % 2][31 - lane];
            pipe.consumer_release();
        }
    }
    if (role == cuda::pipeline_role::consumer)
        out[threadIdx.x - 32] = sum;
}
__global__ void alone(const int *in, int *out)
{
    __shared__ int s[64];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(int), pipe);
    pipe.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
    pipe.consumer_release();
}
int main()
{
    counters *c; unsigned long long *sum; int *wrong, *out, *in, bad = 0;
    cudaMallocManaged(&c, sizeof *c); cudaMallocManaged(&sum, 8); cudaMallocManaged(&wrong, 4); cudaMallocManaged(&out, 4 * 192); cudaMallocManaged(&in, 4 * 320);
    c->n = 0; c->m = 0; c->f = 0; *sum = 0; *wrong = 0;
    c->n.fetch_sub(4); c->n += 4;
    count<<<4, 64>>>(c, sum, wrong);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s %d %u %g %llu %d wrong\n", cudaGetErrorName(e), c->n.load(), (unsigned)c->m, (float)c->f, *sum, *wrong);
    for (int i = 0; i < 192; i++) out[i] = i % 96;
    meet<<<2, 96>>>(out);
    e = cudaDeviceSynchronize();
    for (int i = 0; i < 192; i++) bad += out[i] != (i % 96 + 4 * 32) % 96 + 4;
    printf("%s %d wrong after barriers\n", cudaGetErrorName(e), bad);
    for (int i = 0; i < 320; i++) in[i] = i;
    roles<<<1, 64>>>(in, out, 10);
    e = cudaDeviceSynchronize(); bad = 0;
    for (int i = 0; i < 32; i++) bad += out[i] != 32 * 45 + 10 * (31 - i);
    printf("%s %d wrong from the pipeline\n", cudaGetErrorName(e), bad);
    alone<<<1, 64>>>(in, out);
    e = cudaDeviceSynchronize(); bad = 0;
    for (int i = 0; i < 64; i++) bad += out[i] != 63 - i;
    printf("%s %d wrong by a pipeline of one thread\n", cudaGetErrorName(e), bad);
}
END
cat >tile.cu <<'END'
#include <cstdio>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
template <unsigned N> __global__ void tiles(int *out, int *wrong)
{
    __shared__ cg::block_tile_memory<256> scratch;
    __shared__ int s[256];
    auto block = cg::this_thread_block(scratch);
    auto tile = cg::tiled_partition<N>(block);
    unsigned rank = block.thread_rank(), first = rank / N * N, n = min(N, block.size() - first);
    int sum = cg::reduce(tile, (int)rank, cg::plus<int>()), most = cg::reduce(tile, (int)rank, cg::greater<int>());
    int bad = sum != (int)(n * first + n * (n - 1) / 2) || most != (int)(first + n - 1) || tile.thread_rank() != rank - first || tile.size() != n;
    for (int i = 0; i < (int)tile.meta_group_rank() * 3 + 2; i++) { // tiles go on at their own pace
        s[rank] = rank + i;
        tile.sync();
        bad += s[first + (rank - first + 33) % n] != (int)(first + (rank - first + 33) % n) + i;
        tile.sync();
    }
    bad += tile.shfl((int)rank, 5) != (int)first + 5 || tile.any(rank == first) != 1 || tile.all(rank != first) != 0;
    atomicAdd(wrong, bad);
    out[rank] = sum;
}
int main()
{
    int *out, *wrong;
    cudaMallocManaged(&out, 1024); cudaMallocManaged(&wrong, 4); *wrong = 0;
    tiles<64><<<1, 256>>>(out, wrong); tiles<128><<<1, 256>>>(out, wrong); tiles<64><<<1, 160>>>(out, wrong); tiles<256><<<1, dim3(16, 15)>>>(out, wrong);
    tiles<16><<<1, 128>>>(out, wrong);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s %d wrong in tiles\n", cudaGetErrorName(e), *wrong);
}
END
cat >cub.cu <<'END'
#include <cub/block/block_load.cuh>
__device__ unsigned long atomicAdd(unsigned long *p, unsigned long v) { return *p += v; } /* the program's own */
template <class T> __device__ T atomicMin(T *p, T v) { return *p = v < *p ? v : *p; }
int report(cudaError_t e) { CubDebugExit(e); return CubDebug(cudaSuccess); }
__global__ void kernel(unsigned long *p, double *d) { cub::Sum()(p, 1); atomicAdd(p, 1ul); atomicMin(d, 1.0); }
END
mkdir -p hipcub/hipcub
cat >hipcub/hipcub/hipcub.hpp <<'END'
#pragma once
namespace hipcub
{
#define HipcubDebug(e) (hipError_t)(e)
struct Sum {
    __device__ void operator()(unsigned long *p, int) { ::atomicMax(p, 1ul); ::atomicCAS((double *)p, 0.0, 1.0); }
};
}
END
$cuda -std=c++17 tile.cu -o tile &
ok "CUB is hipCUB" quiet $cuda -Ihipcub -fsyntax-only cub.cu
ok "and where that is not, the error says so" says "by HIP's header hipcub/hipcub.hpp, which is not installed here" $cuda -fsyntax-only cub.cu
# as where rocThrust lies beside our own headers, in a folder of the system
mkdir -p rocthrust/thrust/system/hip rocthrust/thrust/system/cuda
echo 'namespace thrust { namespace hip { constexpr int par = 1; } struct device_t {}; }' >rocthrust/thrust/execution_policy.h
echo 'namespace thrust { namespace system { namespace hip { struct vector {}; } } }' >rocthrust/thrust/system/hip/vector.h
echo '#error "that of NVIDIA"' >rocthrust/thrust/system/cuda/vector.h
cat >thrust.cu <<'END'
#include <thrust/execution_policy.h>
#include <thrust/system/cuda/vector.h>
int use() { thrust::device_t d; thrust::system::cuda::vector v; return thrust::cuda::par; }
END
ok "thrust::cuda is thrust::hip" quiet $cuda -isystem rocthrust -fsyntax-only thrust.cu
ok "libcu++" quiet $cuda -std=c++14 cxx.cu -o cxx
ok "atomics" says "hipSuccess 512 256 128 63 0 wrong" ./cxx
ok "barriers" has said.log "hipSuccess 0 wrong after barriers"
ok "a pipeline with roles" has said.log "hipSuccess 0 wrong from the pipeline"
ok "a pipeline of one thread" has said.log "hipSuccess 0 wrong by a pipeline of one thread"
wait
ok "tiles of several warps" says "hipSuccess 0 wrong in tiles" ./tile
finish
