// SPDX-License-Identifier: MIT
// Whole blocks run without saying which warp does. The report of a fault in one of them still names
// it, where all others are sound.
// OPT: -O3
// EXPECT-OUTPUT: block (5,0,0), warp 1 (threads
// SCALAR: no, because a warp is one thread there
#include "../check.h"

__global__ void
reach(int *p, unsigned from, size_t jump, int n)
{
    int i = (int)global_id();

    if (i < n)
        p[(unsigned)i - from < (unsigned)warpSize ? i + jump : i] = i;
}

int
main()
{
    const int n = 4096;
    int *p;

    CHECK_HIP(hipMalloc(&p, n * sizeof(int)));
    hipDeviceProp_t props;
    CHECK_HIP(hipGetDeviceProperties(&props, 0));
    reach<<<n / 256, 256>>>(p, 5 * 256 + (unsigned)props.warpSize, (size_t)1 << 44, n);
    CHECK_ERR(hipDeviceSynchronize(), hipErrorIllegalAddress);
    return 0;
}
