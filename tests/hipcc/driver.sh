# SPDX-License-Identifier: MIT
# What surrounds the flags: versions, response files, the environment, messages, exit codes, left-overs.
. "$LS_SOURCE/tests/hipcc/lib.inc"

ok "--version" says 'HIP version: 6.3.' "$hipcc" --version
ok "--version shows clang's" says 'clang version 19' "$hipcc" --version
ok "--help" says 'usage: hipcc' "$hipcc" --help
ok "no input" fails 1 "$hipcc"
ok "no input says so" says 'no input files' "$hipcc" -O2
ok "-v alone" says 'clang version' "$hipcc" -v
ok "-dumpmachine" says x86_64 "$hipcc" -dumpmachine
ok "-print-search-dirs" says libraries "$hipcc" -print-search-dirs
ok "-print-file-name" says / "$hipcc" -print-file-name=libc.so.6
ok "-### runs nothing" "$hipcc" '-###' twice.hip -o dry
ok "-### wrote nothing" no_file dry
ok "-v shows the passes" says offload-device-only "$hipcc" -v -c twice.hip
ok "HIPCC_VERBOSE=1" says offload-device-only env HIPCC_VERBOSE=1 "$hipcc" -c twice.hip
ok "HIPCC_VERBOSE=4" says 'hipcc-args: -c twice.hip' env HIPCC_VERBOSE=4 "$hipcc" -c twice.hip

# response files
printf '%s\n' '-DFACTOR=9 -c' 'twice.hip' '-o "with space.o"' >args.rsp
ok "@file" "$hipcc" @args.rsp
ok "quotes in it" test -s "with space.o"
echo '@args.rsp -O1' >outer.rsp
ok "@file in @file" "$hipcc" @outer.rsp
printf '%s' "-DTEXT=\\\"a\\ b\\\" -DFACTOR=4 -E twice.hip" >quote.rsp
ok "backslashes" "$hipcc" @quote.rsp
ok "a missing @file is an input" says '@nothing.rsp' "$hipcc" -c @nothing.rsp
seq 1 4000 | sed 's/.*/-DVERY_LONG_MACRO_NAME_NUMBER_&=&/' >long.rsp
ok "very many arguments" "$hipcc" @long.rsp -c twice.hip

# environment
ok "HIPCC_COMPILE_FLAGS_APPEND" env HIPCC_COMPILE_FLAGS_APPEND='-DFACTOR=8 -O1' "$hipcc" twice.hip -o eight
ok "acts" says 'factor 8' ./eight
ok "HIPCC_LINK_FLAGS_APPEND" says --build-id=0xabcd env HIPCC_LINK_FLAGS_APPEND=-Wl,--build-id=0xabcd "$hipcc" '-###' twice.hip
ok "... not when compiling" silent 0xabcd env HIPCC_LINK_FLAGS_APPEND=-Wl,--build-id=0xabcd "$hipcc" '-###' -c twice.hip
ok "HIP_PLATFORM=nvidia" says 'not supported yet' env HIP_PLATFORM=nvidia "$hipcc" -c twice.hip
mkdir -p temps
ok "TMPDIR" env TMPDIR="$work/temps" "$hipcc" twice.hip -o tmp
ok "no temporary file stays" test -z "$(ls temps)"
env TMPDIR="$work/temps" "$hipcc" -DFACTOR=nothing twice.hip -o tmp 2>/dev/null
ok "nor after an error" test -z "$(ls temps)"
for signal in INT TERM HUP; do
    env TMPDIR="$work/temps" "$hipcc" twice.hip -o tmp 2>/dev/null &
    pid=$!
    sleep 0.2
    kill -s TERM $pid 2>/dev/null
    wait $pid 2>/dev/null
    ok "nor after a signal ($signal)" test -z "$(ls temps)"
done
ok "a TMPDIR that is none" fails 1 env TMPDIR=/nonexistent "$hipcc" twice.hip -o tmp

# messages: once, from whichever pass, and clang's exit codes
cat >warns.hip <<'END'
#include <hip/hip_runtime.h>
__host__ __device__ inline int both(int x) { int unused_both; return x; }
__global__ void k(int *p) { int unused_device; *p = both(*p); }
int host() { int unused_host; return both(1); }
END
ok "a warning of both passes once" counts 1 "warning: unused variable 'unused_both'" "$hipcc" -Wall -c warns.hip
ok "of the device" counts 1 "warning: unused variable 'unused_device'" "$hipcc" -Wall -c warns.hip
ok "of the host" counts 1 "warning: unused variable 'unused_host'" "$hipcc" -Wall -c warns.hip
ok "-Werror" fails 1 "$hipcc" -Wall -Werror -c warns.hip
cat >errors.hip <<'END'
#include <hip/hip_runtime.h>
#ifdef __HIP_DEVICE_COMPILE__
#error only the device pass sees this
#endif
int x = undeclared_name;
END
ok "an error of both passes once" counts 1 "undeclared identifier 'undeclared_name'" "$hipcc" -c errors.hip
ok "an error of the device pass" counts 1 "error: only the device pass sees this" "$hipcc" -c errors.hip
ok "exit code 1" fails 1 "$hipcc" -c errors.hip -o errors.o
ok "no object after an error" no_file errors.o
ok "a missing input" says "no such file" "$hipcc" -c nowhere.hip
ok "a missing input fails" fails 1 "$hipcc" -c nowhere.hip
ok "an unknown option" counts 1 "unknown argument: '-fno-such-option'" "$hipcc" -fno-such-option -c twice.hip
ok "an option without its value" says "argument to '-I' is missing" "$hipcc" -c twice.hip -I
ok "-o with several outputs" says 'cannot specify -o when generating multiple output files' "$hipcc" -c twice.hip warns.hip -o x.o
ok "undefined symbols at link" not "$hipcc" -DFACTOR=2 warns.hip -o nomain
ok "a failing link fails" fails 1 "$hipcc" warns.hip -o nomain
ok "unwritable output" not "$hipcc" -c twice.hip -o /nonexistent/x.o

# what build systems add
for flag in --rocm-path=/opt/rocm --hip-path=/opt/rocm/hip -mcode-object-version=5 '-mllvm -amdgpu-early-inline-all=true' \
    --rocm-device-lib-path=/opt/rocm/amdgcn/bitcode -munsafe-fp-atomics -mcumode -fgpu-flush-denormals-to-zero \
    -ffast-math -fopenmp -pthread -march=native -fsanitize=undefined -fPIC -fvisibility=hidden -ffp-contract=off \
    -fcolor-diagnostics -Wno-unused-result -g -ggdb -gline-tables-only -fno-gpu-rdc -fhip-new-launch-api \
    "-Xclang -fnative-half-type" -flto -pipe -fno-exceptions -D__HIP_PLATFORM_AMD__=1 \
    -fcf-protection=full -fstack-protector-strong -fprofile-instr-generate --gpu-max-threads-per-block=256 \
    -parallel-jobs=4 -nogpulib --offload-compress -fgpu-default-stream=per-thread -mno-avx \
    '--gcc-toolchain=/usr' '-Xarch_device -O2' '-Xarch_host -O1' '-Xarch_gfx1100 -fno-unroll-loops'; do
    # shellcheck disable=SC2086
    ok "$flag" quiet "$hipcc" $flag -c twice.hip -o flag.o
done
ok "-mcode-object-version=3 is refused" not "$hipcc" -mcode-object-version=3 -c twice.hip
ok "-g keeps host lines" sh -c "\"$hipcc\" -g -c twice.hip -o g.o && readelf -S g.o | grep -q debug_line"
ok "-save-temps" "$hipcc" -save-temps twice.hip -o saved
ok "keeps the device bitcode" test -s twice-hip-amdgcn-amd-amdhsa-gfx1100.bc
ok "keeps the fat binary" test -s twice.hipfb
ok "and the program runs" ./saved
cp twice.hip ./-x.hip
ok "names that clang takes for options" says "-save-temps: what clang keeps of" "$hipcc" -save-temps ./-x.hip -o saved
ok "which fails" fails 1 "$hipcc" -save-temps ./-x.hip -o saved
ok "and are no harm without" "$hipcc" ./-x.hip -o saved
mkdir -p objs
ok "-save-temps=obj" "$hipcc" -save-temps=obj -c twice.hip -o objs/t.o
ok "beside the object" test -s objs/twice-hip-amdgcn-amd-amdhsa-gfx1100.bc

# AMD's other way of printing: the text is the same
cat >say.hip <<'END'
#include <hip/hip_runtime.h>
__global__ void say() { printf("block %d says %s\n", (int)blockIdx.x, "hello"); }
int main() { say<<<1, 1>>>(); return hipDeviceSynchronize() != hipSuccess; }
END
for kind in hostcall buffered; do
    ok "-mprintf-kind=$kind compiles" "$hipcc" -fno-lockstep-code-object -mprintf-kind=$kind -O1 say.hip -o say
    ok "-mprintf-kind=$kind prints" says "block 0 says hello" ./say
done

# hipconfig
ok "hipconfig --version" says 6.3. "$hipconfig" --version
ok "hipconfig --platform" says amd "$hipconfig" --platform
ok "hipconfig --compiler" says clang "$hipconfig" --compiler
ok "hipconfig --path" says "$LS_BUILD" "$hipconfig" --path
ok "hipconfig --cpp_config" says -D__HIP_PLATFORM_AMD__ "$hipconfig" --cpp_config
ok "hipconfig --full" says HIP_CLANG_PATH "$hipconfig" --full
ok "hipconfig --nonsense" fails 1 "$hipconfig" --nonsense
ok "a program of other compilers by hipconfig" sh -c "echo '#include <hip/hip_runtime_api.h>
int main(void) { return 0; }' >cfg.c && cc \$(\"$hipconfig\" --cpp_config) -c cfg.c"
finish
