/* SPDX-License-Identifier: MIT */
/* hipLaunchKernel, the API's function and HIP Programming Guide's macro of the same name: by the
 * type of the fourth argument. Kernels with a hipLaunchParm get one; the name of a template of
 * kernels finds its arguments' types. */
// FLAGS: -std=c++14 -Wall -Wextra -Werror
// OPT: -O3
// ISA: native
#include "../check.h"

template <typename T>
__global__ void
scale(T *out, const T *in, size_t n)
{
    size_t i = threadIdx.x;
    if (i < n)
        out[i] = in[i] * 2;
}

template <typename T, int factor>
__global__ void
scale_by(T *out, const T *in, size_t n)
{
    size_t i = threadIdx.x;
    if (i < n)
        out[i] = in[i] * factor;
}

__global__ void
old(hipLaunchParm lp, int *out, float v)
{
    out[threadIdx.x] = (int)v + lp;
}

template <typename T>
__global__ void
old_template(hipGridLaunch, T *out, T v)
{
    out[threadIdx.x] = v;
}

extern __shared__ int lds[];

__global__ void __launch_bounds__(64)
shared(int *out)
{
    lds[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = lds[63 - threadIdx.x];
}

__global__ void __hip_launch_bounds(64, 1)
nothing()
{
}

__global__ void hip_launch_bounds(64)
address_of(int *out, int **in)
{
    out[threadIdx.x] = **in;
}

static int *in, *out, host[64];

/* Every element is factor times its index, plus more. */
static void
expect(const char *what, int factor, int more)
{
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_HIP(hipMemcpy(host, out, sizeof(host), hipMemcpyDefault));
    CHECK_HIP(hipMemset(out, 0xff, sizeof(host)));
    for (int i = 0; i < 64; i++)
        if (host[i] != factor * i + more)
            FAIL("%s: %d at %d", what, host[i], i);
}

template <typename T>
static void
launch_in_template(T *to, const T *from, hipStream_t stream)
{
    hipLaunchKernel((scale_by<T, 7>), 1, 64, 0, stream, to, from, 64);
}

int
main()
{
    hipStream_t stream;
    size_t n = 64;
    unsigned bytes = sizeof(host);
    void *args[] = {&out, &in, &n};

    CHECK_HIP(hipMalloc(&in, sizeof(host)));
    CHECK_HIP(hipMalloc(&out, sizeof(host)));
    for (int i = 0; i < 64; i++)
        host[i] = i;
    CHECK_HIP(hipMemcpy(in, host, sizeof(host), hipMemcpyDefault));
    CHECK_HIP(hipStreamCreate(&stream));

#if __cplusplus >= 201402L
    hipLaunchKernel(scale, dim3(1), dim3(64), 0, 0, out, in, 64);
    expect("a template's name, an int for a size_t", 2, 0);
    hipLaunchKernel(HIP_KERNEL_NAME(scale), dim3(1), dim3(64), 0, stream, out, in, n);
    expect("HIP_KERNEL_NAME", 2, 0);
    hipLaunchKernel(HIP_KERNEL_NAME(scale_by<int, 3>), 1, 64, 0, stream, out, in, 64u);
    expect("HIP_KERNEL_NAME with a comma", 3, 0);
    hipLaunchKernel(HIP_KERNEL_NAME(old_template), dim3(1), dim3(64), 0, 0, out, 9);
    expect("hipLaunchParm, a template's name", 0, 9);
#endif
    hipLaunchKernel((scale_by<int, 5>), 1, 64, size_t(0), nullptr, out, in, 64u);
    expect("in parentheses", 5, 0);
    launch_in_template(out, in, stream);
    expect("in a template", 7, 0);
    hipLaunchKernel(old, dim3(1), dim3(64), 0, 0, out, 7);
    expect("hipLaunchParm", 0, 7);
    hipLaunchKernel(old_template<int>, dim3(1), dim3(64), 0, 0, out, 8);
    expect("hipLaunchParm, a template's instance", 0, 8);
    hipLaunchKernel(shared, 1, 64, bytes, stream, out);
    expect("LDS", -1, 63);
    hipLaunchKernel(nothing, 1, 1, 0, 0);
    hipLaunchKernel(&nothing, 1, 1, 0, stream);
    if (n == 64)
        hipLaunchKernel(address_of, 1, 64, 0, 0, out, &in + 0 * n);
    else
        FAIL("a statement");
    expect("a pointer to a pointer", 0, 0);

    CHECK_HIP(hipLaunchKernel((const void *)scale_by<int, 11>, dim3(1), dim3(64), args, 0, 0));
    expect("the function, a cast", 11, 0);
    CHECK_HIP(hipLaunchKernel(reinterpret_cast<const void *>(scale_by<int, 13>), dim3(1), dim3(64),
                              args, 0, stream));
    expect("the function, a C++ cast", 13, 0);
    const void *kernel = (const void *)(void (*)(int *, const int *, size_t))scale<int>;
    hipError_t err = ::hipLaunchKernel(kernel, dim3(1), dim3(64), args, 0, stream);
    CHECK_HIP(err);
    expect("the function, a variable", 2, 0);
    CHECK_HIP(hipLaunchKernel(scale<int>, 1, 64, args));
    expect("the function, the kernel's type", 2, 0);
    CHECK_HIP(hipLaunchKernel(&nothing, dim3(1), dim3(1), NULL, 0, NULL));
    CHECK_ERR(hipLaunchKernel(nullptr, dim3(1), dim3(1), args, 0, stream),
              hipErrorInvalidDeviceFunction);
    hipError_t (*function)(const void *, dim3, dim3, void **, size_t, hipStream_t) =
        hipLaunchKernel;
    CHECK_HIP(function((const void *)nothing, dim3(1), dim3(1), nullptr, 0, stream));
    return 0;
}
