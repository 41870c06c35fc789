/* SPDX-License-Identifier: MIT */
/* Code for one architecture alone, by the macros that the compiler defines in its pass for it, and
 * what the host may ask instead (HIP Programming Guide 3.4.14 and 4.3). */
#include <hip/hip_runtime.h>

#include "common.h"

#include <cstring>

__global__ void
which(int *arch, int *features)
{
#if defined(__gfx1100__)
    *arch = 1100;
#elif defined(__gfx90a__)
    *arch = 90;
#elif defined(__gfx942__)
    *arch = 942;
#else
    *arch = 0; /* not one that this program knows */
#endif
    *features = __HIP_ARCH_HAS_DOUBLES__ << 0 | __HIP_ARCH_HAS_WARP_BALLOT__ << 1 |
                __HIP_ARCH_HAS_WARP_SHUFFLE__ << 2 | __HIP_ARCH_HAS_GLOBAL_INT64_ATOMICS__ << 3;
}

int
main()
{
    hipDeviceProp_t props;
    int *d, result[2];

    print_device();
    HIP_CHECK(hipGetDeviceProperties(&props, 0));
    HIP_CHECK(hipMalloc(&d, sizeof(result)));
    which<<<1, 1>>>(d, d + 1);
    HIP_CHECK(hipMemcpy(result, d, sizeof(result), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(d));

    int expected = !std::strncmp(props.gcnArchName, "gfx1100", 7)  ? 1100
                   : !std::strncmp(props.gcnArchName, "gfx90a", 6) ? 90
                   : !std::strncmp(props.gcnArchName, "gfx942", 6) ? 942
                                                                   : 0;
    int features = props.arch.hasDoubles << 0 | props.arch.hasWarpBallot << 1 |
                   props.arch.hasWarpShuffle << 2 | props.arch.hasGlobalInt64Atomics << 3;
    std::printf("   the kernel was compiled for gfx%s, the host says %s\n",
                result[0] == 90    ? "90a"
                : result[0] == 942 ? "942"
                : result[0]        ? "1100"
                                   : "?",
                props.gcnArchName);
    return verdict(result[0] == expected && result[1] == features, "architecture and features");
}
