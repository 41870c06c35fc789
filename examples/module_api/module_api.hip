/* SPDX-License-Identifier: MIT */
/* A code object from a file, its kernel by name and with its arguments in a buffer, its variable by
 * name (HIP Programming Guide 4.9.2). */
#include <hip/hip_runtime.h>

#include "../common.h"

struct Arguments {
    float *a, *b;
};

int
main()
{
    const int n = 64;
    float a[n], b[n];
    Arguments arguments;
    size_t size = sizeof(arguments), bytes;
    hipModule_t module;
    hipFunction_t kernel;
    hipDeviceptr_t calls;
    int count = 0;

    for (int i = 0; i < n; i++)
        a[i] = i * 1.0f;
    print_device();
    HIP_CHECK(hipMalloc(&arguments.a, sizeof(a)));
    HIP_CHECK(hipMalloc(&arguments.b, sizeof(b)));
    HIP_CHECK(hipMemcpy(arguments.a, a, sizeof(a), hipMemcpyHostToDevice));
    HIP_CHECK(hipModuleLoad(&module, "vcpy_kernel.code"));
    HIP_CHECK(hipModuleGetFunction(&kernel, module, "hello_world"));
    HIP_CHECK(hipModuleGetGlobal(&calls, &bytes, module, "calls"));

    void *config[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                      &size, HIP_LAUNCH_PARAM_END};
    HIP_CHECK(hipModuleLaunchKernel(kernel, 1, 1, 1, n, 1, 1, 0, nullptr, nullptr, config));
    HIP_CHECK(hipMemcpy(b, arguments.b, sizeof(b), hipMemcpyDeviceToHost));
    HIP_CHECK(hipMemcpyDtoH(&count, calls, sizeof(count)));
    HIP_CHECK(hipModuleUnload(module));
    HIP_CHECK(hipFree(arguments.a));
    HIP_CHECK(hipFree(arguments.b));

    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += a[i] != b[i];
    std::printf("   %d threads ran, %d wrong\n", count, wrong);
    return verdict(wrong == 0 && count == n && bytes == sizeof(int), "copy");
}
