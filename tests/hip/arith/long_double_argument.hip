// SPDX-License-Identifier: MIT
// Host and device disagree about the size of long double: such a kernel is refused.
// ARCH: gfx1100
// OPT: -O3
// EXPECT-ERROR: takes long double: it has 16 bytes on the host and 8
#include "../check.h"

template <typename T>
__global__ void
scale(T *x, T by)
{
    x[threadIdx.x] *= by;
}

int
main()
{
    Dev<long double> x(64);

    scale<<<1, 64>>>(x.p, 2.0l);
    return 0;
}
