/* SPDX-License-Identifier: MIT */
/* Instructions of AMD's GPUs in a kernel's source (HIP Language Extensions, "In-Line Assembly"). */
#include <hip/hip_runtime.h>

#include "common.h"

#include <vector>

__global__ void
transpose(unsigned *out, const unsigned *in, unsigned width)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned value, swapped;

    asm volatile("v_mov_b32_e32 %0, %1" : "=v"(value) : "v"(in[y * width + x]));
    asm volatile("v_perm_b32 %0, %1, %1, %2" : "=v"(swapped) : "v"(value), "s"(0x00010203));
    out[x * width + y] = swapped; /* its bytes the other way round */
}

int
main()
{
    const unsigned n = 512;
    std::vector<unsigned> matrix(n * n), result(n * n);
    unsigned *in, *out, wrong = 0;

    for (unsigned i = 0; i < n * n; i++)
        matrix[i] = i * 2654435761u;
    print_device();
    HIP_CHECK(hipMalloc(&in, n * n * sizeof(unsigned)));
    HIP_CHECK(hipMalloc(&out, n * n * sizeof(unsigned)));
    HIP_CHECK(hipMemcpy(in, matrix.data(), n * n * sizeof(unsigned), hipMemcpyHostToDevice));
    transpose<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(out, in, n);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(result.data(), out, n * n * sizeof(unsigned), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(in));
    HIP_CHECK(hipFree(out));

    for (unsigned y = 0; y < n; y++)
        for (unsigned x = 0; x < n; x++)
            wrong += result[x * n + y] != __builtin_bswap32(matrix[y * n + x]);
    std::printf("   %u x %u, %u wrong\n", n, n, wrong);
    return verdict(wrong == 0, "transposed and swapped");
}
