# SPDX-License-Identifier: MIT
# Textures: a module's reference (HIP Programming Guide 4.9.3, "HIP Module and Texture Driver API"), and what goes into code objects for AMD hardware.
. "$LS_SOURCE/tests/hipcc/lib.inc"

cat >texref.hip <<'END'
#include <hip/hip_runtime.h>
texture<float, 2, hipReadModeElementType> tex;
extern "C" __global__ void
tex2dKernel(float *outputData, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    outputData[y * width + x] = tex2D(tex, x, y);
}
END
cat >texhost.cpp <<'END'
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <string.h>
#define OK(call) if ((call) != hipSuccess) { printf("%s: %s\n", #call, hipGetErrorName(hipGetLastError())); return 1; }
int
main()
{
    const int W = 32, H = 16;
    static float data[W * H], out[W * H];
    HIP_ARRAY_DESCRIPTOR desc = {W, H, HIP_AD_FORMAT_FLOAT, 1};
    hip_Memcpy2D copy = {};
    textureReference *ref;
    hipDeviceptr_t memory;
    hipModule_t module;
    hipFunction_t kernel;
    hipArray_t array, bound;
    int w = W, h = H;
    void *args[] = {&memory, &w, &h};

    for (int i = 0; i < W * H; i++)
        data[i] = i * 0.25f;
    OK(hipModuleLoad(&module, "texref.co"));
    OK(hipArrayCreate(&array, &desc));
    copy.srcMemoryType = hipMemoryTypeHost;
    copy.srcHost = data;
    copy.srcPitch = W * sizeof(float);
    copy.dstMemoryType = hipMemoryTypeArray;
    copy.dstArray = array;
    copy.WidthInBytes = copy.srcPitch;
    copy.Height = H;
    OK(hipMemcpyParam2D(&copy));
    OK(hipModuleGetTexRef(&ref, module, "tex"));
    OK(hipTexRefSetAddressMode(ref, 0, hipAddressModeWrap));
    OK(hipTexRefSetAddressMode(ref, 1, hipAddressModeWrap));
    OK(hipTexRefSetFilterMode(ref, hipFilterModePoint));
    OK(hipTexRefSetFlags(ref, 0));
    OK(hipTexRefSetFormat(ref, HIP_AD_FORMAT_FLOAT, 1));
    OK(hipTexRefSetArray(ref, array, HIP_TRSA_OVERRIDE_FORMAT));
    OK(hipTexRefGetArray(&bound, ref));
    OK(hipModuleGetFunction(&kernel, module, "tex2dKernel"));
    OK(hipMalloc(&memory, sizeof(out)));
    OK(hipModuleLaunchKernel(kernel, W / 16, H / 16, 1, 16, 16, 1, 0, 0, args, 0));
    OK(hipMemcpyDtoH(out, memory, sizeof(out)));
    if (bound != array || memcmp(out, data, sizeof(out)))
        printf("wrong texels\n");
    else if (hipModuleGetTexRef(&ref, module, "none") != hipErrorNotFound)
        printf("a reference called none\n");
    else
        printf("PASSED!\n");
    return 0;
}
END
ok "module with a texture reference" "$hipcc" --genco --offload-arch=gfx1100 texref.hip -o texref.co
ok "its host" "$hipcc" texhost.cpp -o texhost
ok "reads the array" says 'PASSED!' ./texhost
# The guide declares it extern: it is the module's own.
sed "s/^texture</extern texture</" texref.hip >extern.hip
ok "extern in the source of a module" "$hipcc" --genco extern.hip -o texref2.co
ok "its memory is the module's" sh -c "mv texref.co texref1.co && mv texref2.co texref.co"
ok "reads the array by it" says 'PASSED!' ./texhost
mv texref1.co texref.co
ok "code object" "$LS_BUILD/bin/lsobj" --extract hipv4-amdgcn-amd-amdhsa--gfx1100 -o code.co texref.co
ok "samples by instruction" says image_sample llvm-objdump-19 -d --mcpu=gfx1100 code.co
finish
