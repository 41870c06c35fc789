# SPDX-License-Identifier: MIT
# What HIP Programming Guide and HIP Language Extensions say of sources, names and options, in the words that they say it in.
. "$LS_SOURCE/tests/hipcc/lib.inc"

# <hip_runtime.h> without its folder and an empty cuda.h (HIP Programming Guide 4.4.3.1, "cuda.h", and 4.9.2,
# "Compilation Options"), for programs, not for configure scripts
cat >bare.cpp <<'END'
#include <hip_runtime.h>
#include <hip_runtime_api.h>
#include <cuda.h>
__global__ void k() {}
int main() { k<<<1, 1>>>(); return hipDeviceSynchronize(); }
END
ok "headers without a folder" "$hipcc" bare.cpp -o bare
ok "they run" ./bare
echo '#include <cuda.h>' >asks.cpp
mkdir -p real CMakeFiles/CMakeScratch/TryCompile-1
cp asks.cpp conftest.cpp
cp asks.cpp CMakeFiles/CMakeScratch/TryCompile-1/CheckIncludeFile.cxx
echo '#error the real one' >real/cuda.h
ok "cuda.h is empty" "$hipcc" -fsyntax-only asks.cpp
ok "another cuda.h comes first" says "the real one" "$hipcc" -fsyntax-only -isystem real asks.cpp
ok "autoconf finds none" not "$hipcc" -fsyntax-only conftest.cpp
ok "CMake finds none" not "$hipcc" -c "$work/CMakeFiles/CMakeScratch/TryCompile-1/CheckIncludeFile.cxx" -o asks.o
ok "nor does C" not "$hipcc" -x c -fsyntax-only asks.cpp

# HIP Language Extensions, "Register Keyword": ignored; -Wdeprecated-register warns
echo '__attribute__((device)) void k(int *o) { register int x = 3; o[0] = x; }' >register.hip
ok "register is ignored" quiet "$hipcc" -std=c++17 -fsyntax-only register.hip
ok "and in C++14" quiet "$hipcc" -std=c++14 -fsyntax-only register.hip
ok "-Wdeprecated-register is no error" sh -c "\"$hipcc\" -Wdeprecated-register -fsyntax-only register.hip 2>register.log"
ok "it warns" has register.log "warning: ISO C++17 does not allow 'register'"
ok "-Wdeprecated-register in C++14" says "'register' storage class specifier is deprecated" "$hipcc" -std=c++14 -Wdeprecated-register -fsyntax-only register.hip

# hipconfig: HIP Programming Guide 4.4.3, "Using a Standard C++ Compiler"
ok "--cxx_config" says "-D__HIP_PLATFORM_AMD__= -I$LS_BUILD/include" "$hipconfig" --cxx_config
ok "--cpp_config says the same" says "$("$hipconfig" --cxx_config)" "$hipconfig" --cpp_config

# names
cat >names.cpp <<'END'
#include <hip/hip_runtime.h>
#include <cstddef>
#include <cstdio>
#include <vector>
#pragma clang diagnostic ignored "-Wmissing-braces"
static_assert(offsetof(hipPointerAttribute_t, type) == 0 && offsetof(hipPointerAttribute_t, memoryType) == 0 &&
                  offsetof(hipPointerAttribute_t, device) == 4, "two names of one member");
int main()
{
    hipPointerAttribute_t attr = {hipMemoryTypeUnregistered, 0, nullptr, nullptr, 0, 0}, host;
    hipDeviceProp_t props;
    hipModule_t module;
    hipFunction_t kernel;
    double *ptr, *ptrHost;
    std::vector<char> image(1 << 20);
    std::FILE *file = std::fopen("bare.hipfb", "rb");

    if (hipMalloc(&ptr, 8) || hipHostMalloc(&ptrHost, 8) || hipPointerGetAttributes(&attr, ptr) ||
        hipPointerGetAttributes(&host, ptrHost) || hipGetDeviceProperties(&props, 0))
        return 1;
    if (attr.memoryType != hipMemoryTypeDevice || host.memoryType != hipMemoryTypeHost)
        return 2;
    if (props.executionUnitsPerMultiprocessor != (props.major >= 10 ? 2 : 4))
        return 3;
    if (!file || !std::fread(image.data(), 1, image.size(), file) || hipModuleLoadFatBin(&module, image.data()) ||
        hipModuleGetFunction(&kernel, module, "_Z1kv"))
        return 4;
    return 0;
}
END
ok "a fat binary" "$hipcc" --genco bare.cpp -o bare.hipfb
ok "old names" quiet "$hipcc" -Wall -Wextra names.cpp -o names
ok "they mean something" ./names

ok "both forms of hipLaunchKernel in C++11" "$hipcc" -std=c++11 "$LS_SOURCE/tests/hip/func/launch_forms.hip" -o forms
ok "they launch" ./forms

# options of AMD's clang and linker
ok "-fallow-half-arguments-and-returns, also behind -Xclang and -Xarch_device, and -fno-gpu-sanitize" \
    quiet "$hipcc" -fallow-half-arguments-and-returns -Xclang -fallow-half-arguments-and-returns -Xarch_device -fallow-half-arguments-and-returns -fno-gpu-sanitize -fsyntax-only asks.cpp
ok "-Xclang still reaches clang" not "$hipcc" -Xclang -no-such-option -fsyntax-only asks.cpp
"$hipcc" -Xoffload-linker -x -Xoffload-linker-amdgcn-amd-amdhsa -x -fgpu-sanitize -fsyntax-only asks.cpp 2>ignored.log
ok "-Xoffload-linker" has ignored.log "warning: '-Xoffload-linker -x' is ignored"
ok "of a target" has ignored.log "warning: '-Xoffload-linker-amdgcn-amd-amdhsa -x' is ignored"
ok "-fgpu-sanitize" has ignored.log "warning: '-fgpu-sanitize' is ignored"
finish
