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
finish
