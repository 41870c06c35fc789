// SPDX-License-Identifier: MIT
// The WMMA builtins with warps of 64 lanes: gfx11 in its wide form, which the host's warpSize
// follows.
// ARCH: gfx1100
// FLAGS: -mwavefrontsize64
// ISA: native avx2
// OPT: -O3
#define main wmma_main
#include "wmma.hip"
#undef main

int
main()
{
    hipDeviceProp_t properties;

    CHECK_HIP(hipGetDeviceProperties(&properties, 0));
    CHECK(properties.warpSize == 64);
    return wmma_main();
}
