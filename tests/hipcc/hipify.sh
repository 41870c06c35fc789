# SPDX-License-Identifier: MIT
# hipify-perl: each class of translation on a small source, what it must not touch, options, statistics, scripts.
. "$LS_SOURCE/tests/hipcc/lib.inc"
hipify=$LS_BUILD/bin/hipify-perl

# becomes "what" SOURCE TEXT OPTION...: the source becomes TEXT, behind the header that may come before it.
becomes() {
    what=$1 text=$3
    printf '%s\n' "$2" >line.cu
    shift 3
    "$hipify" -quiet-warnings "$@" line.cu | grep -v '^#include <hip/hip_runtime.h>$' >line.hip
    printf '%s\n' "$text" >expected
    ok "$what" diff expected line.hip
}
# stays "what" FORMAT: what printf makes of the format is not changed by a byte.
stays() {
    what=$1
    # shellcheck disable=SC2059
    printf "$2" >line.cu
    "$hipify" line.cu >line.hip 2>said.log
    ok "$what" cmp line.cu line.hip
}
# warns "what" SOURCE TEXT OPTION...: says TEXT of the source.
warns() {
    what=$1 text=$3
    printf '%s\n' "$2" >line.cu
    shift 3
    ok "$what" says "$text" "$hipify" -no-output "$@" line.cu
}

# names
becomes "runtime" 'cudaError_t e = cudaMalloc(&p, n);' 'hipError_t e = hipMalloc(&p, n);'
becomes "driver" 'CUresult r = cuMemAlloc(&d, n);' 'hipError_t r = hipMalloc(&d, n);'
becomes "a library" 'curandGenerate(g, p, n);' 'hiprandGenerate(g, p, n);'
becomes "guards of headers that programs ask for" '#ifdef __CUDA_RUNTIME_H__
#endif' '#ifdef HIP_INCLUDE_HIP_HIP_RUNTIME_H
#endif'
becomes "NVTX" 'nvtxRangePushA("x");' 'roctxRangePushA("x");'
becomes "CUB's headers of parts" '#include <cub/block/block_load.cuh>
#include "mycub/x.cuh"' '#include <hipcub/hipcub.hpp>
#include "mycub/x.cuh"'
becomes "CUB's namespace, not another's" 'cub::Sum s; ::cub::Max m; mine::cub::T t;' 'hipcub::Sum s; ::hipcub::Max m; mine::cub::T t;'
becomes "using it, not a variable" 'using namespace cub; int cub = 1;' 'using namespace hipcub; int cub = 1;'
becomes "Thrust's backend" 'thrust::sort(thrust::cuda::par, a, b);' 'thrust::sort(thrust::hip::par, a, b);'
becomes "parts of cooperative groups, once" "#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <device_atomic_functions.h>
int a;" "#include <hip/hip_cooperative_groups.h>


int a;"
stays "names that only hold such names" 'mycudaMalloc(cudaMallocX, xcudaFree);\n'
becomes "names in strings" 'puts("cudaMalloc failed: cudaFree\n");' 'puts("hipMalloc failed: hipFree\n");'

# what stays
stays "comments, continued lines" '// cudaMalloc\n/* cudaFree */ int a = 1\\\n;\n'
stays "CRLF, digit separators, no line end" "int a;\r\nint b = 1'000;\r\nchar c = '\\\\'';"
stays "raw strings" 'auto s = R"x(cudaMalloc(" )x";\n'
stays "any bytes" '\001\000\377 \\ " unclosed\n'
stays "a source without CUDA" 'int f() { return a<b>c; }\n#define X(a, ...) a##__VA_ARGS__ %%:\n'
stays "nothing" ''
stays "a byte order mark" '\357\273\277int x;\n'
stays "a name across lines" 'cu\\\ndaMalloc(1);\n'

# launches
becomes "launches stay without the option" 'k<<<g, b>>>(x, y);' 'k<<<g, b>>>(x, y);'
gg=-hip-kernel-execution-syntax
becomes "blanks in <<< and >>>, which nvcc takes and clang does not" 'k << < g, b(A<B<C<int> > >()) >> > (x); s >> a; operator<< <T>(y);' 'k <<< g, b(A<B<C<int> > >()) >>> (x); s >> a; operator<< <T>(y);'
becomes "blanks in them, and templates" 'k<3> << <1, 2>>>(); k<A<B>> <<<1, 2 >> >(x);' 'k<3> <<<1, 2>>>(); k<A<B>> <<<1, 2 >>>(x);'
becomes "blanks in them" 'k << <g, b>> > (x, y);' 'hipLaunchKernelGGL(k, dim3(g), dim3(b), 0, 0, x, y);' $gg
becomes "two arguments" 'k<<<g, b>>>(x, y);' 'hipLaunchKernelGGL(k, dim3(g), dim3(b), 0, 0, x, y);' $gg
becomes "four, and none for the kernel" 'k<<<g, b, 0, s>>>();' 'hipLaunchKernelGGL(k, dim3(g), dim3(b), 0, s);' $gg
becomes "templates" 'n::k<T, 2><<<dim3(1, 2), f(a, b), sizeof(A<B<C<int>>>)>>>(x);' 'hipLaunchKernelGGL(HIP_KERNEL_NAME(n::k<T, 2>), dim3(1, 2), dim3(f(a, b)), sizeof(A<B<C<int>>>), 0, x);' $gg
becomes "brackets in a row" 'k<A<B<int>>><<<1, f<2>>>>(x);' 'hipLaunchKernelGGL(HIP_KERNEL_NAME(k<A<B<int>>>), dim3(1), dim3(f<2>), 0, 0, x);' $gg
becomes "several lines, names in it" 'k <<< g,
   b >>>
  (x,
   cudaFree);' 'hipLaunchKernelGGL(k, dim3(g), dim3(b), 0, 0, x,
   hipFree);' $gg
becomes "in macros" '#define RUN(k, n, ...) \
  k<<<n, 64>>>(__VA_ARGS__)' '#define RUN(k, n, ...) \
  hipLaunchKernelGGL(k, dim3(n), dim3(64), 0, 0, __VA_ARGS__)' $gg
becomes "kernels by pointers" 'if (x) (*k)<<<1, 2>>>(y); v[i]<<<1, 2>>>(); o->k<<<1, 2>>>();' \
    'if (x) hipLaunchKernelGGL((*k), dim3(1), dim3(2), 0, 0, y); hipLaunchKernelGGL(v[i], dim3(1), dim3(2), 0, 0); hipLaunchKernelGGL(o->k, dim3(1), dim3(2), 0, 0);' $gg
becomes "a template that is deduced" 'template <class T> __global__ void k(T x) {}
void f() { k<<<1, 2>>>(3); }' \
    'template <class T> __global__ void k(T x) {}
void f() { hipLaunchKernelGGL(HIP_KERNEL_NAME(k), dim3(1), dim3(2), 0, 0, 3); }' $gg
warns "too few arguments are said" 'k<<<1>>>(x);' "a launch has 2 to 4 arguments in <<<>>>, this one 1: it stays" $gg

# arguments
becomes "symbols" 'cudaMemcpyToSymbol(a[i], &x, n);' 'hipMemcpyToSymbol(HIP_SYMBOL(a[i]), &x, n);'
becomes "symbols with commas" 'cudaGetSymbolAddress((void **)&p, t<1, 2>);' 'hipGetSymbolAddress((void **)&p, HIP_SYMBOL(t<1, 2>));'
becomes "kernels" 'cudaFuncSetAttribute(k<int>, a, f(x, y));' 'hipFuncSetAttribute(reinterpret_cast<const void*>(k<int>), a, f(x, y));'
becomes "masks of lanes" '__device__ int f(int x) { return __shfl_xor_sync(~0u, x, 1); }' '__device__ int f(int x) { return __shfl_xor_sync(static_cast<unsigned long long>(~0u), x, 1); }'
becomes "in specializations" 'template <> __device__ int f<int, g<2>>(float a) { return __nv_cvt_float_to_fp8(a); }' \
    'template <> __device__ int f<int, g<2>>(float a) { return __hip_cvt_float_to_fp8(a); }'
becomes "conversions of the host" 'int f(float a) { return __nv_cvt_float_to_fp8(a); }' 'int f(float a) { return __hip_cvt_float_to_fp8(a); }'
becomes "masks in macros" '#define F(v) __shfl_sync(~0u, v, 1)
#define S __syncwarp(1)
#define N __syncwarp
#undef __syncwarp
#define __any_sync(m) 1' '#define F(v) __shfl_sync(static_cast<unsigned long long>(~0u), v, 1)
#define S __syncwarp(static_cast<unsigned long long>(1))
#define N __syncwarp
#undef __syncwarp
#define __any_sync(m) 1'
becomes "a mask that is left out" '__device__ void f() { __syncwarp(); }' '__device__ void f() { __syncwarp(); }'
becomes "one more" 'cudaMallocHost(&p, n);' 'hipHostMalloc(&p, n, hipHostMallocDefault);'
becomes "by their number" 'cudaEventCreate(&e); cudaEventCreate(&e, 1);' 'hipEventCreate(&e); hipEventCreateWithFlags(&e, 1);'
becomes "one less" 'cuOccupancyMaxPotentialBlockSize(&g, &b, f, 0, n, l);' 'hipModuleOccupancyMaxPotentialBlockSize(&g, &b, f, n, l);'
warns "and it is said" 'cuOccupancyMaxPotentialBlockSize(&g, &b, f, 0, n, l);' "argument 4 of 'cuOccupancyMaxPotentialBlockSize' has no counterpart"
becomes "-roc" 'cusparseScsrmv(h, a);' 'rocsparse_scsrmv(h, a, nullptr);' -roc
becomes "-miopen" 'cudnnSetPooling2dDescriptor(d, m, cudaStream, 2);' 'miopenSet2dPoolingDescriptor(d, m, 2);' -miopen
becomes "arguments move" 'cudnnSoftmaxForward(h, a, m, p1, x, d, p2, y, e);' 'miopenSoftmaxForward_V2(h, p1, x, d, p2, y, e, a, m);' -miopen
becomes "half2" '__device__ void f(half2 h, float2 g) { half2 a = h; p = a.x + g.x + h.y; }
void g(float2 a) { a.x; }' \
    '__device__ void f(half2 h, float2 g) { half2 a = h; p = reinterpret_cast<half&>(a.x) + g.x + reinterpret_cast<half&>(h.y); }
void g(float2 a) { a.x; }'
becomes "half2 as it is" '__device__ void f(half2 h) { h.x; }' '__device__ void f(half2 h) { h.x; }' -no-undocumented-features
becomes "dynamic shared memory" 'extern __shared__ float s[];' 'HIP_DYNAMIC_SHARED(float, s);' -hip-dynamic-shared
becomes "stays without the option" 'extern __shared__ float s[];' 'extern __shared__ float s[];'

# headers
becomes "headers, once" '#include <cuda.h>
#include "cuda_runtime.h"
#include <stdio.h>' '
#include <stdio.h>'
becomes "in other branches again" '#ifdef A
#include <cufft.h>
#else
#include <cufft.h>
#endif' '#ifdef A
#include <hipfft/hipfft.h>
#else
#include <hipfft/hipfft.h>
#endif'
printf '#pragma once\n#include "x.h"\n__global__ void k();\n' >h.cu
ok "behind #pragma once" sh -c "'$hipify' h.cu | sed -n 2p | grep -x '#include <hip/hip_runtime.h>'"
printf '#ifndef H\n#define H\n__global__ void k();\n#endif\n' >h.cu
ok "in the include guard" sh -c "'$hipify' h.cu | sed -n 2p | grep -x '#include <hip/hip_runtime.h>'"
printf '/* licence */\r\n#include <a.h>\r\n__global__ void k();\r\n' >h.cu
ok "before the first include, with its line end" sh -c "'$hipify' h.cu | sed -n 2p | grep '^#include <hip/hip_runtime.h>.$'"

# the preprocessor
printf '#if CUDA_VERSION >= 11000 && !defined(X)\ncudaFree(1);\n#else\ncudaFree(2);\n#endif\n' >pp.cu
ok "all blocks" counts 2 hipFree "$hipify" pp.cu
ok "-default-preprocessor" counts 1 'hipFree(1)' "$hipify" -default-preprocessor pp.cu
ok "the others stay" has said.log 'cudaFree(2)'
ok "-D" counts 1 'hipFree(2)' "$hipify" -default-preprocessor -DX pp.cu
ok "-D behind --" counts 1 'hipFree(2)' "$hipify" -default-preprocessor pp.cu -- -DCUDA_VERSION=9000
ok "-amap" counts 2 hipFree "$hipify" -default-preprocessor -amap pp.cu
# conditions that would take a stack or for ever: macros that name themselves or others twice, signs and brackets without end
{
    printf '#define X X+X+X\n#if X\n#endif\n'
    i=0
    while [ $i -lt 40 ]; do
        echo "#define A$i A$((i + 1))+A$((i + 1))"
        i=$((i + 1))
    done
    printf '#if A0\n#endif\n'
    for what in '-' '(' '!'; do
        printf '#if '
        head -c 1000000 /dev/zero | tr '\0' "$what"
        printf '1\n#endif\n'
    done
    echo 'int main() { cudaFree(0); }'
} >hostile.cu
ok "hostile conditions" says 'hipFree(0)' timeout 60 "$hipify" -default-preprocessor hostile.cu

# warnings
warns "unsupported" 'cudaD3D9GetDevice(a, b);' "line.cu:1:1: warning: 'cudaD3D9GetDevice' is unsupported in HIP"
warns "experimental" 'x = cudaGraphNodeSetParams(n, p);' "line.cu:1:5: warning: 'cudaGraphNodeSetParams' is experimental in HIP: -experimental translates it"
becomes "-experimental" 'cudaGraphNodeSetParams(n, p);' 'hipGraphNodeSetParams(n, p);' -experimental
warns "deprecated" 'cudaThreadExit();' "'cudaThreadExit' is deprecated in CUDA"
warns "unknown" 'cudaDoesNotExist();' "'cudaDoesNotExist' looks like CUDA and is not known"
echo 'cudaDoesNotExist();' >line.cu
ok "-whitelist" silent cudaDoesNotExist "$hipify" -no-output -whitelist=a,cudaDoesNotExist line.cu
ok "-quiet-warnings" silent cudaDoesNotExist "$hipify" -no-output -quiet-warnings line.cu
echo '#define cudaMine(x) x
cudaMine(2);' >line.cu
ok "the file's own names are known" silent cudaMine "$hipify" -no-output line.cu

# files
mkdir tree tree/skip
echo 'cudaFree(p); k<<<1, 2>>>();' >tree/a.cu
echo 'int x;' >tree/b.h
cp tree/a.cu tree/skip/c.cu
ok "-o" "$hipify" -o=out.hip tree/a.cu
ok "-o wrote" has out.hip 'hipFree(p)'
ok "-o-dir" "$hipify" -o-dir odir tree/a.cu tree/b.h
ok "-o-dir wrote" has odir/a.cu.hip 'hipFree(p)'
ok "-inplace" "$hipify" -inplace tree/a.cu
ok "-inplace wrote" has tree/a.cu 'hipFree(p)'
ok "-inplace kept" has tree/a.cu.prehip 'cudaFree(p)'
echo 'cudaDeviceSynchronize();' >tree/a.cu.prehip
ok "-inplace again" "$hipify" -inplace tree/a.cu
ok "it reads what it kept" has tree/a.cu hipDeviceSynchronize
rm tree/a.cu.prehip
echo 'cudaFree(p);' >tree/a.cu
ok "--inplace -no-backup" "$hipify" --inplace -no-backup tree/a.cu
ok "keeps nothing" no_file tree/a.cu.prehip
ok "but wrote" has tree/a.cu 'hipFree(p)'
echo 'cudaFree(p); k<<<1, 2>>>(); threadIdx.x;' >tree/a.cu
ok "-examine writes nothing" silent hipFree "$hipify" -examine tree/a.cu
ok "-print-stats" says "  CONVERTED refs count: 2" "$hipify" -examine tree/a.cu
ok "by type" says "  kernel_launch: 1" "$hipify" -examine tree/a.cu
ok "by name" says "  cudaFree: 1" "$hipify" -examine tree/a.cu
ok "of all files" says "  PROCESSED files: 2" "$hipify" -examine tree/a.cu tree/b.h
ok "-print-stats-csv" "$hipify" -no-output -o-stats=s.csv tree/a.cu
ok "it wrote" has s.csv 'CONVERTED refs count;2'
ok "-stats-format=classic" says "converted 3 CUDA->HIP refs( dev:0 mem:1" "$hipify" -examine -stats-format=classic tree/a.cu
ok "-files-from" sh -c "echo tree/a.cu | '$hipify' -files-from=- | grep -q 'hipFree(p)'"
echo 'k<<<1, 2>>>(); #' >line.cu
ok "-cuda-kernel-execution-syntax" says 'k<<<1, 2>>>();' "$hipify" -cuda-kernel-execution-syntax line.cu
echo 'cudaDataType t;' >line.cu
ok "-use-hip-data-types" says "hipDataType t;" "$hipify" -roc -use-hip-data-types line.cu
ok "and without" silent "hipDataType t;" "$hipify" -roc line.cu
printf '#if 0\ncudaFree(p);\n#endif\ncudaFree(q);\n' >line.cu
ok "-skip-excluded-preprocessor-conditional-blocks" says "cudaFree(p);" "$hipify" -skip-excluded-preprocessor-conditional-blocks line.cu
ok "and what is not skipped" says "hipFree(q);" "$hipify" -skip-excluded-preprocessor-conditional-blocks line.cu
echo 'void f(half2 a) { a.x; }' >line.cu
ok "-no-warnings-on-undocumented-features" silent warning "$hipify" -no-output -no-warnings-on-undocumented-features line.cu
for ignored in -cuda-path=/x -clang-resource-directory=/x -cuda-gpu-arch=sm_70 -temp-dir=/x -save-temps -v; do
    ok "$ignored: no effect" sh -c "'$hipify' $ignored line.cu | cmp - line.plain" <<END2
$("$hipify" -quiet-warnings line.cu >line.plain)
END2
done
ok "-versions" says "HIP version 6." "$hipify" -versions
ok "-exclude-dirs" says "is excluded" "$hipify" -no-output -exclude-dirs=tree/skip tree/skip/c.cu
ok "-exclude-files" says "is excluded" "$hipify" -no-output -exclude-files=x,tree/a.cu tree/a.cu
ok "standard input" sh -c "echo 'cudaFree(p);' | '$hipify' - | grep 'hipFree(p)'"
ok "-csv" says 'cudaMalloc,hipMalloc,,memory,CUDA RT API,yes' "$hipify" -csv
ok "-help" says -exclude-dirs=DIRS "$hipify" --help
ok "-version" says "HIP version 6." "$hipify" -version
ok "no file" fails 1 "$hipify"
ok "no such file" fails 1 "$hipify" none.cu
ok "no such option" says "'-nonsense' is no option" "$hipify" -nonsense a.cu
ok "-o with two files" says "is for one file" "$hipify" -o=x a.cu b.cu
ok "a folder that is none" fails 1 "$hipify" -o-dir=tree/a.cu tree/b.h

# scripts
ok "hipexamine-perl.sh" sh -c "'$LS_BUILD/bin/hipexamine-perl.sh' tree 2>examined.log"
ok "a file with CUDA" has examined.log "  info: converted 3 CUDA->HIP refs( dev:0 mem:1 kern:1 builtin:1 math:0 stream:0 event:0 err:0 def:0 tex:0 other:0 ) warn:0 LOC:1"
ok "all files" has examined.log "info: TOTAL-converted 5 CUDA->HIP refs("
ok "a file without" has examined.log "info: hipify tree/b.h =====>"
ok "kernels" has examined.log "kernels (1 total) :  k(2)"
ok "it wrote nothing" no_file tree/a.cu.prehip
ok "hipconvertinplace-perl.sh" "$LS_BUILD/bin/hipconvertinplace-perl.sh" tree -filter=cuda -quiet-warnings
ok "it wrote" has tree/skip/c.cu hipFree
ok "headers were left out" no_file tree/b.h.prehip
ok "a filter that is none" fails 1 "$LS_BUILD/bin/hipconvertinplace-perl.sh" tree -filter=x

# What comes out compiles and runs.
cat >run.cu <<'END2'
#include <cuda_runtime.h>
#include <cstdio>
__constant__ int factor;
template <typename T> __global__ void scale(T *p) { p[threadIdx.x] *= factor; }
int main()
{
    int host[64], three = 3, *p;
    for (int i = 0; i < 64; i++)
        host[i] = i;
    if (cudaMemcpyToSymbol(factor, &three, sizeof(three)) != cudaSuccess || cudaMalloc(&p, sizeof(host)) != cudaSuccess)
        return 1;
    cudaMemcpy(p, host, sizeof(host), cudaMemcpyHostToDevice);
    scale<int><<<1, 64>>>(p);
    cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++)
        if (host[i] != 3 * i)
            return 2;
    return puts("right") < 0;
}
END2
ok "a program is translated" "$hipify" -hip-kernel-execution-syntax -o=run.hip run.cu
ok "it compiles" "$hipcc" run.hip -o run
ok "it runs" says right ./run

# A line that moves on a terminal, where there are many files; nothing of it in a pipe.
mkdir many
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    echo "cudaFree(p$i);" >many/file$i.cu
done
ok "many files, in a pipe: no word of progress" silent "/20]" "$hipify" -inplace many/*.cu
ok "and all are translated" has many/file20.cu "hipFree(p20);"
if command -v script >/dev/null; then
    ok "on a terminal" script -qec "$hipify -inplace many/*.cu" terminal.log
    ok "a line counts them" has terminal.log "[20/20] many/"
    ok "and is taken away in the end" sh -c "printf '\\r\\033[K' >away && tail -c 200 terminal.log | grep -qF \"\$(cat away)\""
fi
finish
