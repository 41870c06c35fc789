// SPDX-License-Identifier: MIT
// Targets without texture units: the message says so where the fetch stands, as in HIP.
// ARCH: gfx942
// OPT: -O3
// EXPECT-ERROR: no texture units
#include <hip/hip_runtime.h>

__global__ void
fetch(float *out, hipTextureObject_t t)
{
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0);
}

int
main()
{
    return 0;
}
