# SPDX-License-Identifier: MIT
# A CMake project with hipcc as its C++ compiler, and find_package(hip).
. "$LS_SOURCE/tests/hipcc/lib.inc"
mkdir project
cp light.hip project/main.cpp
cp light.h project
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(twice LANGUAGES CXX)
find_package(Threads REQUIRED)
find_package(hip 6.0 REQUIRED)
if(NOT HIP_CXX_COMPILER STREQUAL CMAKE_CXX_COMPILER)
    message(FATAL_ERROR "AMD's libraries ask HIP_CXX_COMPILER")
endif()
if(NOT CMAKE_CXX_IMPLICIT_LINK_LIBRARIES MATCHES "stdc" OR NOT CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    message(FATAL_ERROR "the link of a code object was taken for that of the program")
endif()
add_executable(twice main.cpp)
target_link_libraries(twice hip::device Threads::Threads)
END
ok "configure" cmake -S project -B out -G Ninja -DCMAKE_CXX_COMPILER="$hipcc" -DCMAKE_PREFIX_PATH="$LS_BUILD" -DCMAKE_CXX_FLAGS=-nogpuinc
ok "hipcc is clang to CMake" has out/CMakeCache.txt 'hip_DIR'
ok "build" cmake --build out
ok "run" says 'factor 2' ./out/twice
ok "targets by GPU_TARGETS" cmake -S project -B out -DGPU_TARGETS=gfx90a
ok "build for them" cmake --build out
ok "run as such" says 'factor 2' ./out/twice
echo '/* later */' >>project/main.cpp
ok "a changed source is built again" says 'Building CXX' cmake --build out
ok "dependencies are known" says 'no work to do' ninja -C out

# The same by the clang++ of this installation, which takes a .cpp for HIP only when it is told so.
ok "clang++: configure" cmake -S project -B clang-out -G Ninja -DCMAKE_PREFIX_PATH="$LS_BUILD" -DCMAKE_CXX_FLAGS=-nogpuinc \
    -DCMAKE_CXX_COMPILER="$LS_BUILD/lib/llvm/bin/clang++"
ok "clang++: build" cmake --build clang-out
ok "clang++: run" says 'factor 2' ./clang-out/twice
ok "amdclang++: configure" cmake -S project -B amdclang-out -G Ninja -DCMAKE_PREFIX_PATH="$LS_BUILD" -DCMAKE_CXX_FLAGS=-nogpuinc \
    -DCMAKE_CXX_COMPILER="$LS_BUILD/bin/amdclang++"
ok "amdclang++: build" cmake --build amdclang-out
ok "amdclang++: run" says 'factor 2' ./amdclang-out/twice
sed -i 's/hip::device/hiprtc hiprtc-builtins &/' project/CMakeLists.txt
ok "clang++: the folder of libraries is known" cmake --build clang-out

# HIP sources among those of the system's compiler: FindHIP.
mkdir -p find/include
cat >find/include/factor.h <<'END'
int factor();
END
cat >find/kernel.cpp <<'END'
#if BY == 3
#include <hip/hip_runtime.h>
#else
#include "light.h"
#endif
#include "factor.h"
__global__ void twice(int *p) { *p *= BY; }
int factor()
{
    int *p, one = 1;
    if (hipMalloc((void **)&p, sizeof(int)) || hipMemcpy(p, &one, sizeof(int), hipMemcpyHostToDevice))
        return -1;
    twice<<<1, 1>>>(p);
    if (hipMemcpy(&one, p, sizeof(int), hipMemcpyDeviceToHost) || hipFree(p))
        return -1;
    return one;
}
END
cat >find/main.cpp <<'END'
#include <cstdio>
#include "factor.h"
#ifdef __HIP__
#error "for the system's compiler"
#endif
int main() { std::printf("factor %d\n", factor()); }
END
cat >find/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(find LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH "${HIP_PATH}/lib/cmake/hip")
find_package(HIP 6.0 REQUIRED)
hip_include_directories(include)
set_source_files_properties(kernel.cpp PROPERTIES HIP_SOURCE_PROPERTY_FORMAT 1)
hip_add_library(kernels SHARED kernel.cpp HIPCC_OPTIONS -DBY=4 -nogpuinc CLANG_OPTIONS -O1)
hip_add_executable(both main.cpp kernel.cpp HIPCC_OPTIONS -DBY=3 NVCC_OPTIONS -arch=sm_70)
add_executable(part main.cpp)
target_include_directories(both PRIVATE include)
target_include_directories(part PRIVATE include)
target_link_libraries(part kernels)
END
cp light.h find/include
mkdir gcc
printf 'cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES CXX)\nfind_package(hip REQUIRED)\n' >gcc/CMakeLists.txt
ok "without HIP's language a word of both ways" says "HIP sources need CMake's HIP language" \
    cmake -S gcc -B gcc-out -G Ninja -DCMAKE_CXX_COMPILER=c++ -DCMAKE_PREFIX_PATH="$LS_BUILD"
ok "which ROCm this is" grep -qx '6\.3\.[0-9]*-[0-9]*' "$LS_BUILD/.info/version"
ok "FindHIP: configure" cmake -S find -B find-out -G Ninja -DHIP_PATH="$LS_BUILD" -DCMAKE_BUILD_TYPE=Release
ok "FindHIP: build" cmake --build find-out
ok "FindHIP: run" says 'factor 3' ./find-out/both
ok "FindHIP: a library" says 'factor 4' ./find-out/part
echo '/* later */' >>find/include/factor.h
ok "FindHIP: headers are known" says 'Building HIP object' cmake --build find-out
ok "FindHIP: build again" cmake --build find-out
ok "FindHIP: nothing left" says 'no work to do' ninja -C find-out

# CMake's own HIP language: the compiler is found through hipconfig.
mkdir lang
cp twice.hip lang/main.hip
cp light.h light.hip lang
echo 'int from_cpp() { return 3; }' >lang/other.cpp
cat >lang/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.21)
project(lang LANGUAGES CXX HIP)
find_package(hip REQUIRED)
add_library(kernels SHARED light.hip)
set_source_files_properties(light.hip PROPERTIES COMPILE_OPTIONS -nogpuinc)
add_executable(twice main.hip other.cpp)
set_target_properties(twice PROPERTIES HIP_STANDARD 17)
add_executable(mixed other.cpp light.hip)
target_link_libraries(mixed hip::device)
END
PATH=$LS_BUILD/bin:$PATH
export PATH
ok "the HIP language: no word of hipcc as the C++ compiler" silent "HIP sources need" \
    cmake -S lang -B lang-out -G Ninja -DCMAKE_PREFIX_PATH="$LS_BUILD"
ok "the HIP language: configure" cmake -S lang -B lang-out -G Ninja -DCMAKE_PREFIX_PATH="$LS_BUILD"
ok "an architecture is found" has lang-out/CMakeCache.txt 'CMAKE_HIP_ARCHITECTURES:STRING=gfx1100'
ok "build" cmake --build lang-out
ok "run" says 'factor 2' ./lang-out/twice
ok "run the other" says 'factor 2' ./lang-out/mixed
ok "configure with the compiler named" cmake -S lang -B lang-out2 -G Ninja \
    -DCMAKE_HIP_COMPILER="$LS_BUILD/lib/llvm/bin/clang++" -DCMAKE_HIP_ARCHITECTURES=gfx90a -DCMAKE_HIP_FLAGS=-nogpuinc -DCMAKE_BUILD_TYPE=Release
ok "build that" cmake --build lang-out2
ok "run that" says 'factor 2' ./lang-out2/twice
finish
