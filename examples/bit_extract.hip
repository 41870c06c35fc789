/* SPDX-License-Identifier: MIT */
/* Four bits out of each number, by a function that is one instruction on AMD's GPUs (v_bfe_u32)
 * where there are such, and by shifts elsewhere. */
#include <hip/hip_runtime.h>

#include "common.h"

#include <vector>

__global__ void
extract(const unsigned *in, unsigned *out, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
#ifdef __HIP_PLATFORM_AMD__
        out[i] = __builtin_amdgcn_ubfe(in[i], 8, 4);
#else
        out[i] = in[i] >> 8 & 0xf;
#endif
}

int
main()
{
    const size_t n = 1000000;
    std::vector<unsigned> numbers(n), result(n);
    unsigned *in, *out;
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++)
        numbers[i] = (unsigned)i * 40503u;
    print_device();
    HIP_CHECK(hipMalloc(&in, n * sizeof(unsigned)));
    HIP_CHECK(hipMalloc(&out, n * sizeof(unsigned)));
    HIP_CHECK(hipMemcpy(in, numbers.data(), n * sizeof(unsigned), hipMemcpyHostToDevice));
    extract<<<512, 256>>>(in, out, n);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(result.data(), out, n * sizeof(unsigned), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(in));
    HIP_CHECK(hipFree(out));

    for (size_t i = 0; i < n; i++)
        wrong += result[i] != (numbers[i] >> 8 & 0xf);
    std::printf("   %zu numbers, %zu wrong\n", n, wrong);
    return verdict(wrong == 0, "bits");
}
