/* SPDX-License-Identifier: MIT */
/* An array of a thread whose copies are half of the stack: it counts once, not for each call that
 * may nest. */
#include "../check.h"

enum { BYTES = 32 << 20, THREADS = 64 }; /* of a warp's copies */

template <int warp>
__global__ void
scatter(int *out, const int *in, int n)
{
    int a[BYTES / warp / 4];

    for (int i = 0; i < n; i++)
        a[(unsigned)in[i] % (BYTES / warp / 4)] = i + (int)threadIdx.x;
    out[threadIdx.x] = a[(unsigned)in[threadIdx.x % n] % (BYTES / warp / 4)];
}

int
main()
{
    const int n = 40;
    int *in, *out;

    CHECK_HIP(hipMallocManaged(&in, n * sizeof(int)));
    CHECK_HIP(hipMallocManaged(&out, THREADS * sizeof(int)));
    for (int i = 0; i < n; i++)
        in[i] = i * 7919;
    hipDeviceProp_t prop;
    CHECK_HIP(hipGetDeviceProperties(&prop, 0));
    if (prop.warpSize == 64)
        scatter<64><<<1, THREADS>>>(out, in, n);
    else
        scatter<32><<<1, THREADS>>>(out, in, n);
    CHECK_HIP(hipGetLastError());
    CHECK_HIP(hipDeviceSynchronize());
    for (int t = 0; t < THREADS; t++)
        CHECK(out[t] == t % n + t);
    return 0;
}
