# SPDX-License-Identifier: MIT
# An installation, moved to where it was not made for, and what a project finds in it that expects ROCm in /opt/rocm.
. "$LS_SOURCE/tests/hipcc/lib.inc"
unset LOCKSTEP_ARCH ROCM_PATH HIP_PATH

ok "install" sh -c "cmake --install \"$LS_BUILD\" --prefix \"$work/first\" >install.log"
mkdir "a place"
mv first "a place/rocm"
rocm="$work/a place/rocm"
ok "nothing names the place it was made for" sh -c "! grep -rlF '$work/first' '$rocm'"
ok "nor that of the build" sh -c "! grep -rlF --exclude-dir=llvm --binary-files=without-match '$LS_BUILD' '$rocm'"
for path in bin/hipcc bin/hipconfig bin/rocminfo bin/rocm_agent_enumerator bin/amdclang++ bin/roc-obj llvm/bin/clang++ lib/llvm/bin/clang \
    lib/libamdhip64.so lib/libamdhip64.so.6 lib/libhiprtc.so include/hip/hip_runtime.h include/rocm-core/rocm_version.h \
    lib/cmake/hip/hip-config.cmake lib/cmake/hip/FindHIP.cmake lib/cmake/hip-lang/hip-lang-config.cmake lib/cmake/hiprtc/hiprtc-config.cmake \
    lib/pkgconfig/hip.pc share/hip/version .info/version; do
    ok "$path" test -e "$rocm/$path"
done
ok "hipcc" "$rocm/bin/hipcc" twice.hip -o twice
ok "its program" says "factor 2" ./twice
ok "takes the moved runtime" sh -c "ldd twice | grep -F 'a place/rocm/lib/libamdhip64.so.6'"
ok "hipconfig --path" says "$rocm" "$rocm/bin/hipconfig" --path
ok "hipconfig --rocmpath" says "$rocm" "$rocm/bin/hipconfig" --rocmpath
ok "versions agree" sh -c ". '$rocm/share/hip/version' && '$rocm/bin/hipconfig' --version | grep -q \"^\$HIP_VERSION_MAJOR.\$HIP_VERSION_MINOR.\$HIP_VERSION_PATCH\""

cat >host.c <<'END2'
#include <hip/hip_runtime_api.h>
#include <rocm-core/rocm_version.h>
#include <stdio.h>
int main(void)
{
    int n = 0;
    if (hipGetDeviceCount(&n) || n < 1)
        return 1;
    printf("ROCm %d\n", ROCM_VERSION_MAJOR);
    return 0;
}
END2
if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH="$rocm/lib/pkgconfig"
    ok "pkg-config" sh -c "eval \${CC:-cc} host.c -o host \$(pkg-config --cflags --libs hip)"
    ok "its program" says "ROCm 6" ./host
    ok "pkg-config hiprtc" says "-lhiprtc" pkg-config --libs hiprtc
fi

mkdir project
cp twice.hip project/twice.cpp
cp host.c project
cat >project/CMakeLists.txt <<'END2'
cmake_minimum_required(VERSION 3.21)
project(twice LANGUAGES C CXX)
list(APPEND CMAKE_PREFIX_PATH "$ENV{ROCM_PATH}")
find_package(hip REQUIRED)
find_package(hiprtc REQUIRED)
add_executable(twice twice.cpp)
target_link_libraries(twice hip::device)
add_executable(host host.c)
target_link_libraries(host hip::host hiprtc::hiprtc)
END2
export ROCM_PATH="$rocm" HIP_PATH="$rocm"
ok "CMake by ROCM_PATH" cmake -S project -B out -G Ninja -DCMAKE_CXX_COMPILER="$rocm/bin/hipcc"
ok "builds" cmake --build out
ok "for the device" says "factor 2" ./out/twice
ok "and the host" says "ROCm 6" ./out/host
finish
