/* SPDX-License-Identifier: MIT */
/* rocThrust undefines the qualifiers unless the guard of AMD's header for them is defined, and
 * includes that header. */
// ARCH: gfx1100
// OPT: -O3
// ISA: native
#include <hip/hip_runtime_api.h>
#ifndef HIP_INCLUDE_HIP_AMD_DETAIL_HOST_DEFINES_H
#undef __host__
#undef __device__
#endif
#pragma push_macro("__host__")
#undef __host__
#include <hip/amd_detail/host_defines.h>
#pragma pop_macro("__host__")

__host__ __device__ static int
twice(int i)
{
    return 2 * i;
}

// HOST: optimized, because the headers have code for it
#include "../check.h"

__global__ void
k(int *out)
{
    *out = twice(21);
}

int
main()
{
    int *out;

    CHECK_HIP(hipMallocManaged((void **)&out, sizeof(*out), hipMemAttachGlobal));
    k<<<1, 1>>>(out);
    CHECK_RUN();
    CHECK(*out == twice(21));
    return 0;
}
