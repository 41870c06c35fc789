# SPDX-License-Identifier: MIT
# A CMake project with hipcc as its C++ compiler, and find_package(hip).
. "$LS_SOURCE/tests/hipcc/lib.inc"
mkdir project
cp twice.hip project/main.cpp
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(twice LANGUAGES CXX)
find_package(Threads REQUIRED)
find_package(hip 6.0 REQUIRED)
add_executable(twice main.cpp)
target_link_libraries(twice hip::device Threads::Threads)
END
ok "configure" cmake -S project -B out -G Ninja -DCMAKE_CXX_COMPILER="$hipcc" -DCMAKE_PREFIX_PATH="$LS_BUILD"
ok "hipcc is clang to CMake" has out/CMakeCache.txt 'hip_DIR'
ok "build" cmake --build out
ok "run" says 'factor 2' ./out/twice
ok "targets by GPU_TARGETS" cmake -S project -B out -DGPU_TARGETS=gfx90a
ok "build for them" cmake --build out
ok "run as such" says 'factor 2' ./out/twice
echo '/* later */' >>project/main.cpp
ok "a changed source is built again" says 'Building CXX' cmake --build out
ok "dependencies are known" says 'no work to do' ninja -C out

# CMake's own HIP language: the compiler is found through hipconfig.
mkdir lang
cp twice.hip lang/main.hip
echo 'int from_cpp() { return 3; }' >lang/other.cpp
cat >lang/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.21)
project(lang LANGUAGES CXX HIP)
find_package(hip REQUIRED)
add_library(kernels SHARED main.hip)
add_executable(twice main.hip other.cpp)
set_target_properties(twice PROPERTIES HIP_STANDARD 17)
add_executable(mixed other.cpp main.hip)
target_link_libraries(mixed hip::device)
END
PATH=$LS_BUILD/bin:$PATH
export PATH
ok "the HIP language: configure" cmake -S lang -B lang-out -G Ninja -DCMAKE_PREFIX_PATH="$LS_BUILD"
ok "an architecture is found" has lang-out/CMakeCache.txt 'CMAKE_HIP_ARCHITECTURES:STRING=gfx1100'
ok "build" cmake --build lang-out
ok "run" says 'factor 2' ./lang-out/twice
ok "run the other" says 'factor 2' ./lang-out/mixed
ok "configure with the compiler named" cmake -S lang -B lang-out2 -G Ninja \
    -DCMAKE_HIP_COMPILER="$LS_BUILD/lib/llvm/bin/clang++" -DCMAKE_HIP_ARCHITECTURES=gfx90a -DCMAKE_BUILD_TYPE=Release
ok "build that" cmake --build lang-out2
ok "run that" says 'factor 2' ./lang-out2/twice
finish
