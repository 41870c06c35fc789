# SPDX-License-Identifier: MIT
# The headers on NVIDIA's platform. Everywhere: each function of the API has a row, a body or stands among those that CUDA has nothing
# for. Where there is nvcc (CUDA_PATH, PATH or /usr/local/cuda): it compiles them, and each function has an address.
. "$LS_SOURCE/tests/hipcc/lib.inc"
nvidia=$LS_SOURCE/include/hip/nvidia_detail
table=$LS_SOURCE/src/runtime/api/hip_api.def
none="$nvidia/absent.def"

# What the API has: the table of exports without what compilers call, and hiprtc's prototypes.
sed -n 's/^LS_API[A-Z_]*([a-z0-9_]*, *\(hip[A-Za-z0-9_]*\)).*/\1/p' "$table" >names
sed -n 's/^hiprtcResult \(hiprtc[A-Za-z]*\)(.*/\1/p; s/^const char \*\(hiprtc[A-Za-z]*\)(.*/\1/p' "$LS_SOURCE/include/hip/hiprtc.h" >>names
sort -u names -o names
ok "the list is not empty" test "$(wc -l <names)" -gt 500

# Where a function may stand, by name: rows of tables, bodies, and names that are macros for others.
cat "$nvidia"/*.def "$nvidia"/*.h "$LS_SOURCE/include/hip/detail/device_types.h" |
    grep -oE '\bhip[A-Za-z0-9_]+' | sort -u >there
sed -n 's/^LS_NV_PER_THREAD[A-Z_]*(\(hip[A-Za-z0-9_]*\),.*/\1_spt/p' "$nvidia/per_thread.def" >>there
sort -u there -o there
comm -23 names there >missing
ok "each function stands somewhere" test ! -s missing
sed 's/^/    missing: /' missing
sed -n 's/^LS_NV_NONE(\(hip[A-Za-z0-9_]*\),.*/\1/p' "$none" | sort -u >absent
comm -12 names absent >nothing
ok "what CUDA has nothing for is of the API" cmp -s absent nothing
echo "$(($(wc -l <names) - $(wc -l <nothing))) of $(wc -l <names) functions are CUDA's, $(wc -l <nothing) answer hipErrorNotSupported"

# Each error of HIP's that has a number of CUDA's is in the table.
sed -n 's/^    \(hip[A-Za-z]*\) = [0-9]*,*$/\1/p' "$LS_SOURCE/include/hip/detail/error.h" | sort -u >errors
for other in hipErrorMemoryAllocation hipErrorInitializationError hipErrorMapBufferObjectFailed hipErrorInvalidResourceHandle \
    hipErrorRuntimeMemory hipErrorRuntimeOther hipErrorTbd; do # names for the same numbers, and what HIP's runtime alone has
    echo "$other"
done | sort -u >others
grep -oE '\bhip(Error|Success)[A-Za-z]*' "$nvidia/errors.def" | sort -u >mapped
comm -23 errors mapped | comm -23 - others >missing
ok "each error stands in the table" test ! -s missing
sed 's/^/    missing: /' missing

export HIP_PLATFORM=nvidia
if ! "$hipcc" --version >version.log 2>&1; then
    echo "(no nvcc: what it compiles is not tested)"
    finish
    exit
fi
cuda=$("$hipconfig" | sed -n 's/^CUDA_PATH *: //p')

# One header at a time by host compilers, as C and as C++; all of them by nvcc.
flags=$("$hipconfig" --cpp_config)
: >every.cu
for header in $(cd "$LS_SOURCE/include/hip" && ls ./*.h | sed 's,^\./,,'); do
    echo "#include <hip/$header>" >alone.c
    cat alone.c >>every.cu
    case $header in hip_hcc.h | hip_ext.h) ;; *) ok "$header alone in C" quiet cc -std=gnu11 -Wall $flags -fsyntax-only alone.c ;; esac
    ok "$header alone in C++" quiet c++ -std=c++17 -Wall $flags -fsyntax-only -x c++ alone.c
done
ok "all headers" quiet "$hipcc" -Wall -c every.cu -o every.o
printf '#include <hip/hip_runtime.h>\n#include <hip/hiprtc.h>\nint main(void) { return hipInit(0) != hipSuccess; }\n' >host.c
cp host.c host.cc
ok "a C11 compiler" quiet cc -std=c11 -Wall $flags -c host.c -o host.o
ok "a C++11 compiler" quiet c++ -std=c++11 -Wall $flags -c host.cc -o host.o

# An address each.
{
    printf '#include <hip/hip_runtime_api.h>\n#include <hip/hip_gl_interop.h>\n#include <hip/hiprtc.h>\nconst void *const all[] = {\n'
    sed 's/.*/(const void *)&,/' names
    echo '};'
} >all.c
ok "an address of each function" "$hipcc" -c all.c -o all.o
echo "$(wc -l <names) of $(wc -l <names) functions have an address"

cp "$LS_SOURCE"/tests/hipcc/nvidia_*.hip .
for program in nvidia_*.hip; do
    [ "$program" = nvidia_run.hip ] || # below
        ok "$program" quiet "$hipcc" -arch=sm_90 "$program" -o "${program%.hip}"
done
# Our names of the driver's functions, before cuda.h makes others of them; CUDA's library has both.
ok "an object with the driver's names" quiet "$hipcc" --offload-arch=sm_90 -c nvidia_run.hip -o names.o
ok "links" quiet "$hipcc" names.o -o nvidia_run
tr -c '[:alnum:]_' '\n' <names.o | grep -xE 'cu(Mem|Ctx|Module|Stream|Event|Graph|Device)[A-Za-z0-9_]*' | sort -u >asked
ok "it has them" grep -qx cuMemcpy2D asked
grep -E '_v[0-9]$' asked >versions
ok "the driver's functions are asked for by their names" test ! -s versions
sed 's/^/    /' versions
./nvidia_run >run.log 2>&1
case $? in
77) echo "(no GPU: what it does there is not tested)" ;;
*) ok "it runs" ./nvidia_run ;;
esac

# CMake: hipcc as the C++ compiler, and a host compiler for code without kernels
mkdir project
cp twice.hip project/kernel.cpp
cp host.cc project/host.cpp
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(both LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(hip REQUIRED)
if(CMAKE_CXX_COMPILER MATCHES hipcc)
    add_executable(kernel kernel.cpp)
    target_link_libraries(kernel hip::device)
endif()
add_executable(host host.cpp)
target_link_libraries(host hip::host)
END
ok "CMake: hipcc" cmake -S project -B out -DCMAKE_CXX_COMPILER="$hipcc" -DCMAKE_PREFIX_PATH="$LS_BUILD" -DGPU_TARGETS=sm_90
ok "CMake: builds" cmake --build out
ok "CMake: a host compiler" cmake -S project -B host-out -DCMAKE_PREFIX_PATH="$LS_BUILD"
ok "CMake: builds with it" cmake --build host-out

ok "no driver is needed to link" silent "libcuda.so" readelf -d nvidia_interop
[ -n "$cuda" ] && ok "CUDA's folder" test -d "$cuda/include"
finish
