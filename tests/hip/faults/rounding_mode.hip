// SPDX-License-Identifier: MIT
// Another rounding mode by s_setreg: refused with the line, as every sum behind it would be wrong.
// OPT: -O3
// ARCH: gfx1100
// ISA: avx512
// EXPECT-OUTPUT: rounding_mode.hip:12: s_setreg
#include "../check.h"

__global__ void
kernel(float *out)
{
    __builtin_amdgcn_s_setreg(1 | 3 << 11,
                              5); /* MODE, its first four bits: round towards infinity */
    out[threadIdx.x] += 0.1f;
}

int
main()
{
    kernel<<<1, 32>>>(nullptr);
    CHECK(hipGetLastError() != hipSuccess);
    return 0;
}
