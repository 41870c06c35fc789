/* SPDX-License-Identifier: MIT */
/* Squares of a million numbers, in CUDA: `make` translates it to HIP and compiles that (HIP
 * Programming Guide 4.1.1). */
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            std::fprintf(stderr, "error: '%s' (%d) at %s:%d\n", cudaGetErrorString(error),         \
                         (int)error, __FILE__, __LINE__);                                          \
            std::exit(EXIT_FAILURE);                                                               \
        }                                                                                          \
    } while (0)

template <typename T>
__global__ void
vector_square(T *c, const T *a, size_t n)
{
    size_t stride = blockDim.x * gridDim.x;

    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        c[i] = a[i] * a[i];
}

int
main()
{
    const size_t n = 1000000, bytes = n * sizeof(float);
    std::vector<float> a(n), c(n);
    cudaDeviceProp props;
    float *da, *dc;

    CHECK(cudaGetDeviceProperties(&props, 0));
    std::printf("info: running on device %s\n", props.name);
    std::printf("info: allocate host mem (%6.2f MB)\n", 2 * bytes / 1024.0 / 1024.0);
    for (size_t i = 0; i < n; i++)
        a[i] = 1.618f + i;
    std::printf("info: allocate device mem (%6.2f MB)\n", 2 * bytes / 1024.0 / 1024.0);
    CHECK(cudaMalloc(&da, bytes));
    CHECK(cudaMalloc(&dc, bytes));
    std::printf("info: copy Host2Device\n");
    CHECK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
    std::printf("info: launch 'vector_square' kernel\n");
    vector_square<<<512, 256>>>(dc, da, n);
    CHECK(cudaGetLastError());
    std::printf("info: copy Device2Host\n");
    CHECK(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(da));
    CHECK(cudaFree(dc));
    std::printf("info: check result\n");
    for (size_t i = 0; i < n; i++)
        if (c[i] != a[i] * a[i]) {
            std::printf("FAILED at %zu\n", i);
            return EXIT_FAILURE;
        }
    std::printf("PASSED!\n");
    return EXIT_SUCCESS;
}
