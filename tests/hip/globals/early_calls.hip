/* SPDX-License-Identifier: MIT */
/* A static initialiser asks for the device before this file's code is registered: the answer is of
 * the architecture that the program was built for, and its kernels run. */
// OPT: -O0 -O3
// ISA: native
#include "../check.h"

static int
warp_size_now()
{
    hipDeviceProp_t props;

    return hipGetDeviceProperties(&props, 0) == hipSuccess ? props.warpSize : -1;
}

static const int early = warp_size_now();

__global__ void
width(int *p)
{
    *p = warpSize;
}

int
main()
{
    int *p, wide;

    CHECK(early == warp_size_now());
    CHECK_HIP(hipMalloc(&p, sizeof(int)));
    width<<<1, 1>>>(p);
    CHECK_HIP(hipGetLastError());
    CHECK_HIP(hipMemcpy(&wide, p, sizeof(int), hipMemcpyDeviceToHost));
    if (wide != early)
        FAIL("a warp of %d, not %d", wide, early);
    return 0;
}
