// SPDX-License-Identifier: MIT
// Barriers that the others never reach: some warps wait for the grid, the others for their block.
// An error with a message instead of a hang.
// OPT: -O3
// ARCH: gfx1100
// ISA: avx512
// TIMEOUT: 60
// EXPECT-OUTPUT: never reach
#include "../check.h"

#include <hip/hip_cooperative_groups.h>

__global__ void
stuck(int *out)
{
    if ((int)threadIdx.x / warpSize % 2 == 0)
        cooperative_groups::this_grid().sync();
    else
        __syncthreads();
    out[threadIdx.x] = 1;
}

int
main()
{
    int *out;
    CHECK_HIP(hipMalloc((void **)&out, 1024));
    void *args[] = {&out};
    CHECK_HIP(hipLaunchCooperativeKernel((const void *)stuck, dim3(2), dim3(128), args, 0, 0));
    CHECK_ERR(hipDeviceSynchronize(), hipErrorLaunchFailure);
    return 0;
}
