/* SPDX-License-Identifier: MIT */
/* A code object made by `hipcc --genco` from this very file, loaded, looked up and launched both
 * ways. HIPCC names the compiler when it isn't beside the runtime library. */
#include "../check.h"

extern "C" __global__ void
axpy(float a, const float *x, float *y, int n)
{
    int i = (int)global_id();

    if (i < n)
        y[i] += a * x[i];
}

extern "C" __device__ int module_cell = 17;

#ifndef AS_MODULE
#include <dlfcn.h>

int
main()
{
    Dl_info info;
    char dir[] = "/tmp/ls-module-XXXXXX", command[2048], path[512];
    const char *hipcc = getenv("HIPCC");
    hipModule_t module;
    hipFunction_t fn;
    hipDeviceptr_t cell;
    size_t bytes;
    const int n = 1000;
    std::vector<float> x(n), y(n), want(n);

    CHECK(dladdr((void *)hipModuleLoad, &info) != 0);
    snprintf(path, sizeof(path), "%s", info.dli_fname);
    for (int k = 0; k < 2; k++)
        if (strrchr(path, '/'))
            *strrchr(path, '/') = 0;
    CHECK(mkdtemp(dir) != nullptr);
    if (hipcc)
        snprintf(path, sizeof(path), "%s", hipcc);
    else
        strncat(path, "/bin/hipcc", sizeof(path) - strlen(path) - 1);
    hipDeviceProp_t props;
    CHECK_HIP(hipGetDeviceProperties(&props, 0));
    props.gcnArchName[strcspn(props.gcnArchName, ":")] = 0;
    snprintf(command, sizeof(command),
             "'%s' --genco --offload-arch=%s -DAS_MODULE -O2 -o %s/m.co '%s'", path,
             props.gcnArchName, dir, __FILE__);
    if (system(command) != 0)
        FAIL("%s", command);
    snprintf(command, sizeof(command), "%s/m.co", dir);
    CHECK_HIP(hipModuleLoad(&module, command));
    CHECK_HIP(hipModuleGetFunction(&fn, module, "axpy"));
    CHECK_ERR(hipModuleGetFunction(&fn, module, "nothing"), hipErrorNotFound);
    CHECK(hipGetLastError() == hipErrorNotFound); /* stays until it is asked for */
    CHECK_HIP(hipModuleGetFunction(&fn, module, "axpy"));
    CHECK_HIP(hipModuleGetGlobal(&cell, &bytes, module, "module_cell"));
    CHECK(bytes == sizeof(int));
    int v = 0;
    CHECK_HIP(hipMemcpy(&v, (void *)cell, sizeof(v), hipMemcpyDeviceToHost));
    CHECK(v == 17);

    for (int i = 0; i < n; i++) {
        x[i] = (float)i;
        y[i] = 1;
        want[i] = 1 + 2.0f * (float)i + 2.0f * (float)i;
    }
    Dev<float> dx(x), dy(y);
    float a = 2;
    int count = n;
    float *px = dx.p, *py = dy.p;
    void *args[] = {&a, &px, &py, &count};
    CHECK_HIP(hipModuleLaunchKernel(fn, 8, 1, 1, 128, 1, 1, 0, nullptr, args, nullptr));
    struct {
        float a;
        const float *x;
        float *y;
        int n;
    } packed = {a, px, py, n};
    size_t size = sizeof(packed);
    void *config[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                      HIP_LAUNCH_PARAM_END};
    CHECK_HIP(hipModuleLaunchKernel(fn, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, config));
    check_same("axpy", dy.get(), want);
    CHECK_HIP(hipModuleUnload(module));
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    return system(command);
}
#endif
