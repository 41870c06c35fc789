# SPDX-License-Identifier: MIT
# A program that compiles its kernel itself: linked to libhiprtc, linked to libamdhip64 alone, found by CMake.
. "$LS_SOURCE/tests/hipcc/lib.inc"
LOCKSTEP_CACHE_DIR=$work/cache
export LOCKSTEP_CACHE_DIR
mkdir project headers
echo '#define FACTOR 2' >headers/factor.h
cat >project/main.cpp <<'END'
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>
#include <cstdio>
#include <string>
#include <vector>

static const char source[] = R"(
#include "factor.h"
template <typename T> __global__ void twice(T *p) { p[threadIdx.x] *= FACTOR; }
)";

int main(int argc, char **argv)
{
    hiprtcProgram program;
    const char *name;
    size_t bytes;

    if (hiprtcCreateProgram(&program, source, "twice.hip", 0, nullptr, nullptr) ||
        hiprtcAddNameExpression(program, "twice<float>"))
        return 2;
    if (hiprtcCompileProgram(program, argc - 1, const_cast<const char **>(argv + 1))) {
        hiprtcGetProgramLogSize(program, &bytes);
        std::string log(bytes, '\0');
        hiprtcGetProgramLog(program, &log[0]);
        std::printf("%s\n", log.c_str());
        return 3;
    }
    if (hiprtcGetCodeSize(program, &bytes) || hiprtcGetLoweredName(program, "twice<float>", &name))
        return 4;
    std::vector<char> code(bytes);
    float host[64], *dev;
    void *args[] = {&dev};
    hipModule_t module;
    hipFunction_t kernel;
    for (int i = 0; i < 64; i++)
        host[i] = (float)i;
    if (hiprtcGetCode(program, code.data()) || hipModuleLoadData(&module, code.data()) ||
        hipModuleGetFunction(&kernel, module, name) || hipMalloc(&dev, sizeof(host)) ||
        hipMemcpy(dev, host, sizeof(host), hipMemcpyHostToDevice) ||
        hipModuleLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, args, nullptr) ||
        hipMemcpy(host, dev, sizeof(host), hipMemcpyDeviceToHost))
        return 5;
    std::printf("63 becomes %g\n", host[63]);
    return hiprtcDestroyProgram(&program);
}
END
ok "link to libhiprtc" "$hipcc" project/main.cpp -o with -lhiprtc
ok "run" says '63 becomes 126' ./with -Iheaders
ok "link to libamdhip64 alone" "$hipcc" project/main.cpp -o alone
ok "it needs no libhiprtc" not has_needed alone libhiprtc
ok "run that" says '63 becomes 126' ./alone -I headers
ok "a missing header is in the log" says "twice.hip:2:10: fatal error: 'factor.h' file not found" ./with
ok "another hipcc by LOCKSTEP_HIPCC" says "cannot run '/no/hipcc'" env LOCKSTEP_HIPCC=/no/hipcc ./with -Iheaders
ok "without a cache" says '63 becomes 126' env LOCKSTEP_CACHE=0 ./with -Iheaders
for pch in cache/*.pch; do
    echo broken >"$pch"
done
ok "with a broken precompiled header" says '63 becomes 126' ./with -Iheaders
for pch in cache/*.pch; do
    truncate -s "$(($(stat -c %s "$pch") / 2))" "$pch"
done
ok "with half a precompiled header" says '63 becomes 126' ./with -Iheaders
sums=$(cat cache/*.sum | sha256sum)
ok "and the next one" says '63 becomes 126' ./with -Iheaders
ok "which found it whole" test "$sums" = "$(cat cache/*.sum | sha256sum)"
for sum in cache/*.sum; do
    : >"$sum"
done
ok "with an empty file of hashes" says '63 becomes 126' ./with -Iheaders
rm -f cache/*.pch
(umask 0 && ./with -Iheaders) >said.log 2>&1
ok "whatever the umask" says "-rw-------" ls -l cache/*.pch
ok "and nothing else stays" not ls -d cache/tmp-*
ok "in a folder that cannot be written" says 'cannot write' env TMPDIR=/nowhere ./with -Iheaders
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(twice LANGUAGES CXX)
find_package(hiprtc REQUIRED)
find_package(hip REQUIRED)
add_executable(twice main.cpp)
target_link_libraries(twice hip::host hiprtc::hiprtc)
END
ok "configure for any C++ compiler" cmake -S project -B out -G Ninja -DCMAKE_PREFIX_PATH="$LS_BUILD"
ok "build" cmake --build out
ok "run what CMake built" says '63 becomes 126' ./out/twice -Iheaders
# Options that would run code of others (the program prints the log)
for option in -fplugin=./x.so -fpass-plugin=./x.so "-Xclang -load" "-Xclang=-load" "-mllvm -load=x.so" -B. --config=x @options -fuse-ld=./x \
    --ld-path=./x "-Xarch_device -fplugin=x.so" -Wl,-plugin,x.so -fno-integrated-as; do
    # shellcheck disable=SC2086 # words
    ok "hiprtc refuses $option" says "has the compiler run other code" ./with -Iheaders $option
done
ok "the environment allows them" says "x.so" env LOCKSTEP_HIPRTC_PLUGINS=1 ./with -Iheaders -fplugin=./x.so
ok "others pass" says "63 becomes 126" ./with -Iheaders -ffast-math -Wno-unused -DX=-load -mllvm -inline-threshold=100
finish
