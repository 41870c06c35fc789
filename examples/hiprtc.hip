/* SPDX-License-Identifier: MIT */
/* A kernel whose text is made while the program runs: a polynomial with its coefficients as
 * constants in the code. */
#include <hip/hip_runtime.h>

#include "common.h"

#include <hip/hiprtc.h>

#include <cmath>
#include <string>
#include <vector>

#define RTC_CHECK(call)                                                                            \
    do {                                                                                           \
        hiprtcResult result_ = (call);                                                             \
        if (result_ != HIPRTC_SUCCESS) {                                                           \
            std::fprintf(stderr, "%s: %s\n", #call, hiprtcGetErrorString(result_));                \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

int
main()
{
    const float c[] = {0.5f, -1.25f, 3, 0.125f};
    const int n = 100000;
    std::string text =
        "extern \"C\" __global__ void polynomial(const float *in, float *out, int n)\n"
        "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;\n"
        "  float x = in[i], y = 0;\n";
    std::vector<float> x(n), y(n);
    hiprtcProgram program;
    hipModule_t module;
    hipFunction_t kernel;
    float *in, *out, worst = 0;
    size_t bytes;
    int count = n;

    for (float coefficient : c)
        text += "  y = y * x + " + std::to_string(coefficient) + "f;\n";
    text += "  out[i] = y; }\n";
    print_device();
    RTC_CHECK(hiprtcCreateProgram(&program, text.c_str(), "polynomial.hip", 0, nullptr, nullptr));
    RTC_CHECK(hiprtcCompileProgram(program, 0, nullptr));
    RTC_CHECK(hiprtcGetCodeSize(program, &bytes));
    std::vector<char> code(bytes);
    RTC_CHECK(hiprtcGetCode(program, code.data()));
    RTC_CHECK(hiprtcDestroyProgram(&program));
    HIP_CHECK(hipModuleLoadData(&module, code.data()));
    HIP_CHECK(hipModuleGetFunction(&kernel, module, "polynomial"));

    for (int i = 0; i < n; i++)
        x[i] = -2 + 4.0f * i / n;
    HIP_CHECK(hipMalloc(&in, n * sizeof(float)));
    HIP_CHECK(hipMalloc(&out, n * sizeof(float)));
    HIP_CHECK(hipMemcpy(in, x.data(), n * sizeof(float), hipMemcpyHostToDevice));
    void *args[] = {&in, &out, &count};
    HIP_CHECK(
        hipModuleLaunchKernel(kernel, (n + 255) / 256, 1, 1, 256, 1, 1, 0, nullptr, args, nullptr));
    HIP_CHECK(hipMemcpy(y.data(), out, n * sizeof(float), hipMemcpyDeviceToHost));
    HIP_CHECK(hipModuleUnload(module));
    HIP_CHECK(hipFree(in));
    HIP_CHECK(hipFree(out));

    for (int i = 0; i < n; i++) {
        double want = ((c[0] * x[i] + c[1]) * x[i] + c[2]) * x[i] + c[3];
        worst = std::fmax(worst, (float)std::fabs(y[i] - want));
    }
    std::printf("   %d values, largest difference %.1e\n", n, worst);
    return verdict(worst < 1e-4f, "polynomial");
}
