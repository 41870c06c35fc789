/* SPDX-License-Identifier: MIT */
/* A kernel that calls a device function of a library. */
#include <hip/hip_runtime.h>

#include "../common.h"

__device__ int cube(int v);

__global__ void
cubes(int *out)
{
    out[threadIdx.x] = cube((int)threadIdx.x);
}

int
main()
{
    int numbers[256], wrong = 0, *p;

    print_device();
    HIP_CHECK(hipMalloc(&p, sizeof(numbers)));
    cubes<<<1, 256>>>(p);
    HIP_CHECK(hipMemcpy(numbers, p, sizeof(numbers), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(p));
    for (int i = 0; i < 256; i++)
        wrong += numbers[i] != i * i * i;
    return verdict(wrong == 0, "cubes");
}
