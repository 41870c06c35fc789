# SPDX-License-Identifier: MIT
# HIP_PLATFORM=nvidia: what hipcc asks of nvcc, by one that writes its arguments down, and hipconfig.
. "$LS_SOURCE/tests/hipcc/lib.inc"
export HIP_PLATFORM=nvidia CUDA_PATH="$work/cuda"
mkdir -p cuda/bin cuda/lib64/stubs
: >cuda/lib64/libnvrtc.so
: >cuda/lib64/stubs/libcuda.so
cat >cuda/bin/nvcc <<'END'
#!/bin/sh
printf '%s|' nvcc "$@" >>"$CALLS"
echo >>"$CALLS"
[ "$1" != --version ] || echo "a fake"
for word; do
    [ "$before" != -o ] || : >"$word"
    before=$word
done
exit "${STATUS:-0}"
END
chmod +x cuda/bin/nvcc
export CALLS="$work/calls"

# asks WORDS ARGUMENTS...: with these arguments nvcc is given the words (parted by |) one behind the other, in one of its runs.
asks() {
    words=$1
    shift
    : >calls
    "$hipcc" "$@" >said.log 2>&1 && ! grep -q warning said.log && grep -qF -e "|$words|" calls || { cat said.log calls; return 1; }
}
asks_not() {
    words=$1
    shift
    : >calls
    "$hipcc" "$@" >said.log 2>&1 && ! grep -qF -e "$words" calls || { cat said.log calls; return 1; }
}
runs() {
    count=$1
    shift
    : >calls
    "$hipcc" "$@" >said.log 2>&1
    [ "$(wc -l <calls)" = "$count" ] || { cat said.log calls; return 1; }
}
cp twice.hip twice.cpp
echo "int one(void) { return 1; }" >one.c
: >one.o

# steps and languages
ok "a source is CUDA's C++" asks "-x|cu|-c|twice.hip|-o|twice.o" -c twice.hip
ok "C++, too" asks "-x|cu|-c|twice.cpp|-o|t.o" -c twice.cpp -o t.o
ok "C is C" asks "-x|c|-c|one.c" -c one.c
ok "-x c++" asks "-x|cu|-c|one.c" -x c++ -c one.c
ok "-x hip and none" asks "-x|c|-c|one.c" -x hip -x none -c one.c
ok "compile and link" runs 2 twice.hip -o twice
ok "two sources and an object" runs 3 twice.hip one.c one.o -o twice
ok "objects alone" runs 1 one.o -o twice
ok "the object is linked" asks "one.o" one.o -o twice
ok "constexpr functions and lambdas are the device's, too" asks "--expt-relaxed-constexpr|--extended-lambda" -c twice.hip
ok "the platform" asks "-D__HIP_PLATFORM_NVIDIA__=1" -c twice.hip
ok "the headers" asks "-isystem|$LS_BUILD/include" -c twice.hip
ok "-E" asks "-E|twice.hip" -E twice.hip
ok "-M" asks "-M|twice.hip" -M twice.hip
ok "--genco" asks "-fatbin|twice.hip|-o|twice.co" --genco --offload-arch=sm_90 twice.hip -o twice.co
ok "--genco does not link" runs 1 --genco twice.hip -o twice.co
ok "-S is PTX" asks "-ptx|twice.hip|-o|twice.ptx" -S twice.hip
ok "-fsyntax-only leaves nothing" runs 1 -fsyntax-only twice.hip
ok "... no file" no_file twice.o.o
ok "dependencies" asks "-MD|-MF|d.d|-MT|x" -MD -MFd.d -MTx -c twice.hip

ok "dependencies as GNU make's builds ask" asks "-MD|-MF|d.d" -Wp,-MD,d.d -c twice.hip
ok "... without system headers" asks "-MMD|-MF|d.d" -Wp,-MMD,d.d -c twice.hip

# targets
ok "one target" asks "-arch=sm_90" --offload-arch=sm_90 -c twice.hip
ok "one target, at the link, too" asks "-arch=sm_90" --offload-arch=sm_90 one.o
ok "two" asks "-gencode=arch=compute_80,code=[sm_80,compute_80]|-gencode=arch=compute_90,code=[sm_90,compute_90]" \
    --offload-arch=sm_80,sm_90 -c twice.hip
ok "none is nvcc's choice" asks_not arch -c twice.hip
ok "nvcc's own way" asks "-gencode|arch=compute_80,code=sm_80" -gencode arch=compute_80,code=sm_80 -c twice.hip
ok "AMD's are none of nvcc's" says "no target of nvcc's" "$hipcc" --offload-arch=gfx90a -c twice.hip

# options by other names
ok "-fgpu-rdc" asks "-rdc=true" -fgpu-rdc -c twice.hip
ok "-fgpu-rdc, at the link, too" asks "-rdc=true" -fgpu-rdc one.o
ok "-fopenmp" asks "-Xcompiler|-fopenmp" -fopenmp -c twice.hip
ok "-fopenmp links" asks "-Xcompiler|-fopenmp" -fopenmp one.o
ok "-fPIC" asks "-Xcompiler|-fPIC" -fPIC -c twice.hip
ok "-Wall" asks "-Xcompiler|-Wall" -Wall -c twice.hip
ok "-march" asks "-Xcompiler|-march=native" -march=native -c twice.hip
ok "-pthread" asks "-Xcompiler|-pthread" -pthread -c twice.hip
ok "commas do not part" asks '-DX=f(1\,2)' '-DX=f(1,2)' -c twice.hip
ok "... behind -Xcompiler neither" asks '-Xcompiler|-fsanitize=address\,undefined' -fsanitize=address,undefined -c twice.hip
ok "-Wl," asks "-Xlinker|-rpath,/x" -Wl,-rpath,/x one.o
ok "-L and -l" asks "-L/x|-lm" -L/x -lm one.o
ok "HIP's runtime is no library here" asks_not amdhip -lamdhip64 one.o
ok "hiprtc is NVRTC" asks "-lnvrtc" -lhiprtc one.o
ok "what HIP's headers may call" asks "-Xlinker|--as-needed|-L$work/cuda/lib64|-Xlinker|-lnvrtc" one.o
ok "a standard" asks "-std=c++17" -std=gnu++17 -c twice.hip
ok "a newer one" asks "-std=c++20" -std=c++2a -c twice.hip
ok "... is none of C's" asks_not "-std=c++17" -std=c++17 -c one.c
ok "C's is the host compiler's" asks "-Xcompiler|-std=c11" -std=c11 -c one.c
ok "... and none of C++'s" asks_not "-std=c11" -std=c11 -c twice.hip
ok "-O3 is the default" asks "-O3" -c twice.hip
ok "-O1" asks "-O1" -O1 -c twice.hip
ok "-Ofast" asks "-O3|-use_fast_math" -Ofast -c twice.hip
ok "-ffast-math" asks "-use_fast_math|-Xcompiler|-ffast-math" -ffast-math -c twice.hip
ok "-ffp-contract" asks "-fmad=false|-Xcompiler|-ffp-contract=off" -ffp-contract=off -c twice.hip
ok "denormals" asks "-ftz=true" -fgpu-flush-denormals-to-zero -c twice.hip
ok "-ggdb" asks "-g" -ggdb -c twice.hip
ok "-shared" asks "-shared" -shared one.o
ok "streams of threads" asks "-default-stream=per-thread" -fgpu-default-stream=per-thread -c twice.hip
ok "nvcc's own option" asks "--restrict" --restrict -c twice.hip
ok "nvcc's own value" asks "-Xptxas|-v" -Xptxas -v -c twice.hip
ok "an option for one side" asks "-Xcompiler|-Wextra" -Xarch_host -Wextra -c twice.hip
for option in -munsafe-fp-atomics -mcumode --rocm-path=/opt/rocm "-mllvm -x" "-Xclang -x" --hip-link -pedantic; do
    ok "means nothing there: $option" asks_not "${option%% *}" $option -c twice.hip
done
ok "what cannot be" says "not possible with HIP_PLATFORM=nvidia" "$hipcc" -emit-llvm -c twice.hip
ok "nor that" says "not possible with HIP_PLATFORM=nvidia" "$hipcc" --hipstdpar -c twice.hip
ok "a value is missing" says "argument to '-I' is missing" "$hipcc" -I
ok "no input" fails 1 "$hipcc" -O3
ok "two outputs" says "cannot specify -o" "$hipcc" -c twice.hip one.c -o x.o

# surroundings
ok "HIPCC_COMPILE_FLAGS_APPEND" env HIPCC_COMPILE_FLAGS_APPEND=-DMORE=1 "$hipcc" -c twice.hip
ok "... arrives" has calls "-DMORE=1"
ok "HIPCC_LINK_FLAGS_APPEND" env HIPCC_LINK_FLAGS_APPEND=-lmore "$hipcc" one.o
ok "... arrives" has calls "-lmore"
ok "HIPCC_VERBOSE=1" says '"-x" "cu"' env HIPCC_VERBOSE=1 "$hipcc" -c twice.hip
ok "HIPCC_VERBOSE=2" says "CUDA_PATH=$work/cuda" env HIPCC_VERBOSE=2 "$hipcc" -c twice.hip
ok "-### runs nothing" runs 0 '-###' -c twice.hip
ok "-### shows" says '"-x" "cu"' "$hipcc" '-###' -c twice.hip
ok "--version" says "a fake" "$hipcc" --version
ok "an error of nvcc's" fails 3 env STATUS=3 "$hipcc" -c twice.hip
printf '%s\n' '-c -DFROM_FILE' >some.rsp
ok "@file" asks "-DFROM_FILE" @some.rsp twice.hip
ok "the old name of the platform" says '"-x" "cu"' env HIP_PLATFORM=nvcc "$hipcc" '-###' -c twice.hip
ok "nvcc in PATH" says "\"$work/cuda/bin/nvcc\"" env CUDA_PATH= PATH="$work/cuda/bin:$PATH" "$hipcc" '-###' -c twice.hip
mkdir -p script toolkit/bin toolkit/include
: >toolkit/include/cuda_runtime.h
printf '#!/bin/sh\necho "#\$ _HERE_=." >&2\necho "#\$ TOP=%s/bin/.." >&2\n' "$work/toolkit" >script/nvcc
chmod +x script/nvcc
ok "a script in PATH that calls nvcc" says "CUDA_PATH : $work/toolkit" env CUDA_PATH= PATH="$work/script:$PATH" sh -c "'$hipconfig' | tr -s ' '"
ok "no nvcc" says "CUDA_PATH" env CUDA_PATH=/nowhere "$hipcc" -c twice.hip
ok "... is named" says "/nowhere/bin/nvcc" env CUDA_PATH=/nowhere "$hipcc" -c twice.hip
ok "... and fails" fails 1 env CUDA_PATH=/nowhere "$hipcc" -c twice.hip

ok "hipconfig --platform" says nvidia "$hipconfig" --platform
ok "hipconfig --compiler" says nvcc "$hipconfig" --compiler
ok "hipconfig --runtime" says cuda "$hipconfig" --runtime
ok "hipconfig --cpp_config" says "-D__HIP_PLATFORM_NVIDIA__= -I$LS_BUILD/include -I$work/cuda/include" "$hipconfig" --cpp_config
ok "hipconfig" says "CUDA_PATH          : $work/cuda" "$hipconfig"
# find_package(hip) with a host compiler
mkdir project
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(host LANGUAGES CXX)
find_package(hip REQUIRED)
find_package(hiprtc REQUIRED)
get_target_property(folders hip::host INTERFACE_INCLUDE_DIRECTORIES)
get_target_property(macros hiprtc::hiprtc INTERFACE_COMPILE_DEFINITIONS)
message(STATUS "${HIP_PLATFORM} ${HIP_COMPILER} ${HIP_RUNTIME} ${folders} ${macros}")
END
ok "find_package(hip)" says "nvidia nvcc cuda $LS_BUILD/include;$work/cuda/include __HIP_PLATFORM_NVIDIA__=1" \
    cmake -S project -B out -DCMAKE_PREFIX_PATH="$LS_BUILD"
ok "... by a variable" says "nvidia nvcc cuda" env HIP_PLATFORM=amd cmake -S project -B out2 -DCMAKE_PREFIX_PATH="$LS_BUILD" \
    -DHIP_PLATFORM=nvidia
ok "... of AMD's platform" says "amd clang rocclr" env HIP_PLATFORM=amd cmake -S project -B out3 -DCMAKE_PREFIX_PATH="$LS_BUILD"

ok "AMD's platform stays" says amd env HIP_PLATFORM=amd "$hipconfig" --platform
finish
