# SPDX-License-Identifier: MIT
# Each flag that users and build systems hand to hipcc, by what it changes.
. "$LS_SOURCE/tests/hipcc/lib.inc"

# compile, link, names of outputs
ok "compile and link in one step" "$hipcc" twice.hip -o twice
ok "the program runs" says "factor 2" ./twice
# From here on without headers, but for headers.hip.
cp twice.hip headers.hip
cp light.hip twice.hip
export HIPCC_COMPILE_FLAGS_APPEND=-nogpuinc
ok "default output is a.out" "$hipcc" twice.hip
ok "a.out runs" ./a.out
ok "-c writes <stem>.o" "$hipcc" -c twice.hip
ok "-c: the object exists" test -s twice.o
ok "link of an object" "$hipcc" twice.o -o from_object
ok "it runs" ./from_object
ok "-c -o" "$hipcc" -c bare.hip -o other.o
ok "-o joined" "$hipcc" -c bare.hip -ojoined.o
ok "-o joined wrote" test -s joined.o
ok "no ROCm rpath needed" says "$LS_BUILD/lib" readelf -d twice
ok "needs the runtime by its soname" says libamdhip64.so.6 readelf -d twice
for level in -O0 -O1 -O2 -O3 -Os -Ofast; do
    ok "$level" "$hipcc" $level twice.hip -o level
    ok "$level runs" ./level
done
ok "default is -O3" says '"-O3"' "$hipcc" '-###' -c twice.hip
ok "-O1 replaces it" silent '"-O3"' "$hipcc" '-###' -O1 -c twice.hip

# extensions and languages
for ext in cpp cc cxx cu C; do
    cp twice.hip twice_$ext.$ext
    ok ".$ext is HIP" "$hipcc" twice_$ext.$ext -o ext
    ok ".$ext runs" ./ext
done
cat >plain.c <<'END'
#include <hip/hip_runtime_api.h>
int plain(void);
int plain(void) { int *restrict p = 0; int n = 0; return hipGetDeviceCount(&n) + !p - 1; }
END
ok ".c is C with our headers" "$hipcc" -std=c11 -c plain.c
echo 'int value() { return __has_feature(cxx_rtti) + 40; }' >value.txt
ok "-x c++" "$hipcc" -x c++ -c value.txt -o value.o
cp twice.hip twice.txt
ok "-x hip" "$hipcc" -x hip twice.txt -o fromx
ok "-x hip runs" ./fromx
ok "-x none goes back to extensions" "$hipcc" -x hip twice.txt -x none value.o -o mixed
ok "-x c++ has no kernels" not "$hipcc" -x c++ -c twice.hip
echo '.globl asm_value
asm_value: mov $7, %eax
ret' >asm.s
ok "assembly" "$hipcc" -c asm.s
ok "standard input" sh -c "\"$hipcc\" -x hip -c - -o stdin.o <bare.hip"
ok "standard input, preprocessed" sh -c "echo '#ifdef __HIP__
hip_is_here
#endif' | \"$hipcc\" -x hip -E - | grep hip_is_here"

# steps
ok "-E" says 'main()' "$hipcc" -E twice.hip
ok "-E -o" "$hipcc" -E twice.hip -o twice.i
ok "-E -o wrote" has twice.i twice
for lang in hip cuda; do
    ok "$lang-cpp-output is refused" says "'twice.i' is preprocessed HIP" "$hipcc" --offload-arch=gfx1100 -x $lang-cpp-output twice.i
    ok "by an error" fails 1 "$hipcc" -c -x $lang-cpp-output twice.i
done
cp twice.i twice.hipi
ok "so is .hipi" says "'twice.hipi' is preprocessed HIP" "$hipcc" -c twice.hipi
ok "-dM -E" says '#define __HIP__ 1' "$hipcc" -dM -E twice.hip
ok "-S" "$hipcc" -S twice.hip
ok "-S wrote host assembly" has twice.s __hip_module_ctor
ok "assembly of -S links" "$hipcc" twice.s -o from_s
ok "and runs" ./from_s
ok "-S -emit-llvm" "$hipcc" -S -emit-llvm twice.hip -o twice.ll
ok "wrote IR" has twice.ll 'target triple = "x86_64'
ok "-fsyntax-only" "$hipcc" -fsyntax-only twice.hip
ok "-fsyntax-only finds device errors" not "$hipcc" -fsyntax-only -DFACTOR=nothing twice.hip
ok "--offload-device-only -S" "$hipcc" --offload-device-only -S --offload-arch=gfx1100 twice.hip -o dev.s
ok "wrote device assembly" has dev.s s_endpgm
ok "--cuda-device-only -emit-llvm" "$hipcc" --cuda-device-only -emit-llvm -c bare.hip -o dev.bc
ok "wrote bitcode" sh -c 'head -c 2 dev.bc | grep -q BC'
# Threads become lanes: a loop of one thread must not become vectors before.
cat >loop.hip <<EOF
#include <hip/hip_runtime.h>
__global__ void fill(int *out, const int *in, int n)
{
    __shared__ int lds[256];
    for (int i = threadIdx.x; i < n; i += 256)
        lds[i] = in[i];
    __syncthreads();
    out[threadIdx.x] = lds[n - threadIdx.x];
}
EOF
for level in -O2 -O3; do
    ok "$level for the device" "$hipcc" $level --offload-arch=gfx90a --cuda-device-only -S -emit-llvm loop.hip -o loop.ll
    ok "$level vectorises no loop" not has loop.ll "x i32> "
done
ok "--offload-host-only" "$hipcc" --offload-host-only -c twice.hip -o host.o
ok "--genco" "$hipcc" --genco twice.hip -o twice.co
ok "--genco wrote a bundle" sh -c 'head -c 24 twice.co | grep -q __CLANG_OFFLOAD_BUNDLE__'
ok "--genco --no-gpu-bundle-output" "$hipcc" --genco --no-gpu-bundle-output --offload-arch=gfx90a twice.hip -o raw.co
ok "wrote an AMD code object" says 'AMD GPU' readelf -h raw.co

ok "-nogpuinc" silent runtime_wrapper "$hipcc" -E bare.hip
ok "without it there is clang's header" says runtime_wrapper env HIPCC_COMPILE_FLAGS_APPEND= "$hipcc" -E bare.hip
ok "-nogpuinc, and HIP's header" "$hipcc" -c headers.hip

# preprocessor
ok "-D" "$hipcc" -DFACTOR=5 twice.hip -o five
ok "-D acts in both passes" says "factor 5" ./five
ok "-D apart" "$hipcc" -D FACTOR=6 twice.hip -o six
ok "-D apart acts" says "factor 6" ./six
ok "-U" "$hipcc" -DFACTOR=5 -U FACTOR twice.hip -o two
ok "-U acts" says "factor 2" ./two
mkdir -p inc quoted
echo '#define FACTOR 7' >inc/factor.h
ok "-include and -I" "$hipcc" -I inc -include factor.h twice.hip -o seven
ok "they act" says "factor 7" ./seven
ok "-isystem" "$hipcc" -isystem inc -include factor.h twice.hip -o seven
ok "-std=" says 201402 "$hipcc" -std=c++14 -dM -E headers.hip
ok "-undef-like prefixes stay apart" "$hipcc" -Wall -Wextra -pedantic -w -c bare.hip

# dependencies
ok "-MD" "$hipcc" -MD -c bare.hip -o dep.o
ok "-MD wrote dep.d" has dep.d bare.hip
ok "its target is the object" has dep.d dep.o:
ok "-MMD -MF -MT" "$hipcc" -MMD -MF my.dep -MT target -fsyntax-only headers.hip
ok "-MF wrote it" has my.dep target:
ok "-MMD leaves system headers out" not has my.dep hip_runtime.h
ok "-MD -MP in a link" "$hipcc" -MD -MP twice.hip -o linked
ok "named after the program" has linked.d twice.hip
ok "-M" says hip_runtime.h "$hipcc" -M headers.hip
ok "-MM" says bare.hip "$hipcc" -MM bare.hip
ok "-Wp,-MD" "$hipcc" -Wp,-MD,wp.d -c bare.hip
ok "-Wp,-MD wrote it" has wp.d bare.hip

# several files, libraries
cat >one.hip <<'END'
#include "light.h"
static __device__ int hidden = 3;
namespace { __global__ void fill(int *p) { *p = hidden; } }
int one() { int *d, h = 0; (void)hipMalloc((void **)&d, 4); fill<<<1, 1>>>(d);
    (void)hipMemcpy(&h, d, 4, hipMemcpyDeviceToHost); return h; }
END
sed 's/hidden = 3/hidden = 4/; s/one/two/' one.hip >two.hip
cat >main.hip <<'END'
#include "light.h"
int one(), two();
int main() { printf("%d%d\n", one(), two()); return 0; }
END
ok "several sources" "$hipcc" one.hip two.hip main.hip -o several
ok "equal internal names stay apart" says 34 ./several
ok "-parallel-jobs" "$hipcc" -parallel-jobs=2 -c one.hip two.hip main.hip
ok "its objects link" "$hipcc" one.o two.o main.o -o several
ok "and run" says 34 ./several
ar rcs libone.a one.o
ok "-L -l with an archive" "$hipcc" main.o two.o -L. -lone -o archive
ok "archive runs" says 34 ./archive
ok "-shared -fPIC" "$hipcc" -shared -fPIC two.hip -o libtwo.so
ok "link with it" "$hipcc" main.o one.o -L"$work" -ltwo -Wl,-rpath,"$work" -o shared
ok "kernels of a shared library run" says 34 ./shared
ok "-Xlinker" "$hipcc" headers.o -Xlinker --build-id=0x12345678abcdef00 -o xlinker
ok "-Xlinker acts" says 12345678abcdef00 readelf -n xlinker
ok "-static-libgcc" "$hipcc" -static-libgcc headers.o -o slg
ok "-r makes an object" "$hipcc" -r one.o two.o -o both.o
ok "which links" "$hipcc" main.o both.o -o partial
ok "and runs" says 34 ./partial
ok "-no-hip-rt" silent amdhip64 "$hipcc" '-###' -no-hip-rt twice.o
finish
