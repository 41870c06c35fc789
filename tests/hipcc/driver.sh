# SPDX-License-Identifier: MIT
# What surrounds the flags: versions, response files, the environment, messages, exit codes, left-overs.
. "$LS_SOURCE/tests/hipcc/lib.inc"
# Without headers, but for headers.hip.
cp twice.hip headers.hip
cp light.hip twice.hip
export HIPCC_COMPILE_FLAGS_APPEND=-nogpuinc

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
ok "-v shows the passes" says offload-device-only "$hipcc" -v -c bare.hip
ok "HIPCC_VERBOSE=1" says offload-device-only env HIPCC_VERBOSE=1 "$hipcc" -c bare.hip
ok "HIPCC_VERBOSE=4" says 'hipcc-args: -c bare.hip' env HIPCC_VERBOSE=4 "$hipcc" -c bare.hip

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
ok "very many arguments" "$hipcc" @long.rsp -c bare.hip

# environment
ok "HIPCC_COMPILE_FLAGS_APPEND" env HIPCC_COMPILE_FLAGS_APPEND='-DFACTOR=8 -O1 -nogpuinc' "$hipcc" twice.hip -o eight
ok "acts" says 'factor 8' ./eight
ok "HIPCC_LINK_FLAGS_APPEND" says --build-id=0xabcd env HIPCC_LINK_FLAGS_APPEND=-Wl,--build-id=0xabcd "$hipcc" '-###' twice.hip
ok "... not when compiling" silent 0xabcd env HIPCC_LINK_FLAGS_APPEND=-Wl,--build-id=0xabcd "$hipcc" '-###' -c twice.hip
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
ok "a TMPDIR that is none" fails 1 env TMPDIR=/nonexistent "$hipcc" bare.hip -o tmp

# messages: once, from whichever pass, and clang's exit codes
cat >warns.hip <<'END'
#include "light.h"
__host__ __device__ inline int both(int x) { int unused_both; return x; }
__global__ void k(int *p) { int unused_device; *p = both(*p); }
int host() { int unused_host; return both(1); }
END
ok "warnings" sh -c "\"$hipcc\" -Wall -c warns.hip 2>warns.log"
ok "a warning of both passes once" counts 1 "warning: unused variable 'unused_both'" cat warns.log
ok "of the device" counts 1 "warning: unused variable 'unused_device'" cat warns.log
ok "of the host" counts 1 "warning: unused variable 'unused_host'" cat warns.log
ok "-Werror" fails 1 "$hipcc" -Wall -Werror -c warns.hip
cat >errors.hip <<'END'
#include "light.h"
#ifdef __HIP_DEVICE_COMPILE__
#error only the device pass sees this
#endif
int x = undeclared_name;
END
ok "errors: exit code 1" fails 1 sh -c "\"$hipcc\" -c errors.hip -o errors.o 2>errors.log"
ok "an error of both passes once" counts 1 "undeclared identifier 'undeclared_name'" cat errors.log
ok "an error of the device pass" counts 1 "error: only the device pass sees this" cat errors.log
ok "no object after an error" no_file errors.o
ok "a missing input" says "no such file" "$hipcc" -c nowhere.hip
ok "a missing input fails" fails 1 "$hipcc" -c nowhere.hip
ok "an unknown option" counts 1 "unknown argument: '-fno-such-option'" "$hipcc" -fno-such-option -c twice.hip
ok "an option without its value" says "argument to '-I' is missing" "$hipcc" -c twice.hip -I
ok "-o with several outputs" says 'cannot specify -o when generating multiple output files' "$hipcc" -c twice.hip warns.hip -o x.o
ok "a failing link fails" fails 1 sh -c "\"$hipcc\" warns.hip -o nomain 2>link.log"
ok "undefined symbols at link" has link.log 'undefined reference to'
ok "unwritable output" not "$hipcc" -c bare.hip -o /nonexistent/x.o

# what build systems add
# accepted FLAG...: flags that can live together are one compilation; where it fails, one for each says which.
accepted() {
    # shellcheck disable=SC2086
    if [ -z "${LS_CHECK_FULL:-}" ] && quiet "$hipcc" $(printf '%s ' "$@") -c headers.hip -o flag.o >accepted.log 2>&1; then
        passed=$((passed + $#))
        return
    fi
    for flag; do
        ok "$flag" quiet "$hipcc" $flag -c headers.hip -o flag.o
    done
}
# Of some processors -march=native makes clang warn by itself, without HIP.
native=-march=native
clang-19 -march=native -fsyntax-only -xc /dev/null 2>native.log
test ! -s native.log || native="-march=native -Wno-invalid-feature-combination"
accepted --rocm-path=/opt/rocm --hip-path=/opt/rocm/hip -mcode-object-version=5 '-mllvm -amdgpu-early-inline-all=true' \
    --rocm-device-lib-path=/opt/rocm/amdgcn/bitcode -munsafe-fp-atomics -mcumode -D__HIP_PLATFORM_AMD__=1 \
    -fhip-new-launch-api --gpu-max-threads-per-block=256 -parallel-jobs=4 -nogpulib -fno-gpu-rdc -Wno-unused-result \
    -pthread "$native" -fPIC -fvisibility=hidden -fcf-protection=full -fstack-protector-strong -pipe \
    -fno-exceptions '--gcc-toolchain=/usr' -ggdb -fopenmp -ffp-contract=off
accepted -ffast-math -fgpu-flush-denormals-to-zero -fcolor-diagnostics -g '-Xclang -fnative-half-type' -mno-avx \
    -fgpu-default-stream=per-thread --offload-compress \
    -fsanitize=undefined -gline-tables-only '-Xarch_device -O2' '-Xarch_host -O1' \
    '-Xarch_gfx1100 -fno-unroll-loops' -fprofile-instr-generate
accepted -flto
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
ok "hipconfig --hipclangpath" sh -c "[ -x \"\$('$hipconfig' --hipclangpath)/clang++\" ]"
ok "hipconfig -R" says "$LS_BUILD" "$hipconfig" -R
ok "hipconfig --newline" sh -c "[ \$('$hipconfig' --version --newline | wc -l) = \$((\$('$hipconfig' --version | wc -l) + 1)) ]"
ok "hipconfig --full" says HIP_CLANG_PATH "$hipconfig" --full
ok "hipconfig --nonsense" fails 1 "$hipconfig" --nonsense
ok "a program of other compilers by hipconfig" sh -c "echo '#include <hip/hip_runtime_api.h>
int main(void) { return 0; }' >cfg.c && cc \$(\"$hipconfig\" --cpp_config) -c cfg.c"
finish
