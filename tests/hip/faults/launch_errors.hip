/* SPDX-License-Identifier: MIT */
/* Launches that HIP refuses, without harm to the next one. */
#include "../check.h"

__global__ void
one(int *p)
{
    if (global_id() == 0)
        *p += 1;
}

extern __shared__ int lds[];

__global__ void
shared(int *p)
{
    lds[local_id()] = 1;
    __syncthreads();
    if (global_id() == 0)
        *p += lds[0];
}

__global__ void __launch_bounds__(64)
bounded(int *p)
{
    if (global_id() == 0)
        *p += 1;
}

static void
refused(hipError_t want)
{
    hipError_t err = hipGetLastError();

    if (err != want)
        FAIL("got %d %s, expected %d", (int)err, hipGetErrorString(err), (int)want);
    CHECK_HIP(hipDeviceSynchronize());
}

int
main()
{
    Dev<int> p(1);
    void *args[] = {&p.p};

    one<<<0, 64>>>(p);
    refused(hipErrorInvalidConfiguration);
    one<<<1, 0>>>(p);
    refused(hipErrorInvalidConfiguration);
    one<<<1, 1025>>>(p);
    refused(hipErrorInvalidConfiguration);
    one<<<1, dim3(32, 32, 2)>>>(p);
    refused(hipErrorInvalidConfiguration);
    one<<<dim3(1, 0, 1), 1>>>(p);
    refused(hipErrorInvalidConfiguration);
    shared<<<1, 64, 1 << 20>>>(p);
    CHECK(hipGetLastError() != hipSuccess);
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_ERR(hipLaunchKernel(nullptr, dim3(1), dim3(1), args, 0, nullptr),
              hipErrorInvalidDeviceFunction);
    (void)hipGetLastError();
    CHECK_ERR(hipLaunchKernel((const void *)refused, dim3(1), dim3(1), args, 0, nullptr),
              hipErrorInvalidDeviceFunction);
    (void)hipGetLastError();
    CHECK(p.get()[0] == 0);
    one<<<1, 64>>>(p);
    shared<<<1, 64, 4096>>>(p);
    bounded<<<1, 64>>>(p);
    CHECK(p.get()[0] == 3);
    return 0;
}
