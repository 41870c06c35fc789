# SPDX-License-Identifier: MIT
# hipify-clang: what a compiler knows and hipify-perl guesses. Needs libclang at run time.
. "$LS_SOURCE/tests/hipcc/lib.inc"
hipify=$LS_BUILD/bin/hipify-clang

# line N TEXT: the translation has it there.
line() {
    sed -n "$1p" source.hip | grep -qxF -e "$2" || { sed -n "$1p" source.hip; return 1; }
}

mkdir include
cat >include/kernels.h <<'END2'
#pragma once
template <class T> __global__ void scale(T *p, T by) { p[threadIdx.x] *= by; }
END2
cat >source.cu <<'END2'
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <kernels.h>
namespace mine { int cudaFree(int x) { return x; } struct S { int cudaSuccess; }; }
#ifdef OTHER
#define OPTION cudaThreadExit
#endif
__global__ void halves(half2 *p, float2 *q) { auto h = p[0]; q[0].x = (float)h.x + (float)p[1].y; }
#if CUDA_VERSION < 9000 || !defined(__CUDACC__)
void old() { cudaThreadExit(); }
#endif
int main()
{
    int *p, local = mine::cudaFree(1);
    mine::S s = {0};
    if (cudaMalloc(&p, 64 * sizeof(int)) != cudaSuccess || s.cudaSuccess)
        return 1;
    scale<<<1, 64>>>(p, 2);
    cudaFree(p);
    return cudaDeviceReset() + local;
}
END2
ok "it translates" "$hipify" -hip-kernel-execution-syntax -default-preprocessor -o=source.hip source.cu -- -Iinclude
ok "headers" line 1 '#include <hip/hip_runtime.h>'
ok "the program's own names stay" line 4 'namespace mine { int cudaFree(int x) { return x; } struct S { int cudaSuccess; }; }'
ok "half2 by its type" line 8 '__global__ void halves(half2 *p, float2 *q) { auto h = p[0]; q[0].x = (float)reinterpret_cast<half&>(h.x) + (float)reinterpret_cast<half&>(p[1].y); }'
ok "what is skipped stays" line 10 'void old() { cudaThreadExit(); }'
ok "uses of own names stay" line 14 '    int *p, local = mine::cudaFree(1);'
ok "members, too" line 16 '    if (hipMalloc(&p, 64 * sizeof(int)) != hipSuccess || s.cudaSuccess)'
ok "a template in another file" line 18 '    hipLaunchKernelGGL(HIP_KERNEL_NAME(scale), dim3(1), dim3(64), 0, 0, p, 2);'
ok "CUDA's names" line 19 '    hipFree(p);'
ok "a macro that is skipped stays" line 6 '#define OPTION cudaThreadExit'
ok "without options" "$hipify" source.cu -- -Iinclude
ok "the default is beside the source" test -s source.cu.hip
ok "what comes out compiles" "$hipcc" -Iinclude -fsyntax-only -x hip source.cu.hip

echo "[{\"directory\": \"$work\", \"file\": \"$work/source.cu\", \"command\": \"nvcc -arch sm_70 -Iinclude -DOTHER -c source.cu\"}]" >compile_commands.json
ok "-p" "$hipify" -hip-kernel-execution-syntax -default-preprocessor -p=. -o=source.hip source.cu
ok "-D by it" line 6 '#define OPTION hipDeviceReset'
ok "-I by it" line 18 '    hipLaunchKernelGGL(HIP_KERNEL_NAME(scale), dim3(1), dim3(64), 0, 0, p, 2);'
ok "no such file there" says "has no compile_commands.json" "$hipify" -p=include source.cu
ok "-p is not for hipify-perl" says "is for hipify-clang" "$LS_BUILD/bin/hipify-perl" -p=. source.cu

echo '__global__ void f(int *p) { p[0] = __shfl_xor_sync(0xffffffff, p[1], 1) + __reduce_add_sync(~0u, p[2]) + __any_sync(-1, p[3]); }' >masks.cu
ok "a mask of CUDA's is no error" silent "of the compiler" "$hipify" -o=masks.hip masks.cu
ok "it becomes one of HIP's" has masks.hip "__shfl_xor_sync(static_cast<unsigned long long>(0xffffffff), p[1], 1)"

echo 'int f() { return cudaGetLastError() + nothing; } struct {' >broken.cu
ok "errors are said" says "what it could not resolve is translated as hipify-perl would" "$hipify" -o=broken.hip broken.cu
ok "and translated" has broken.hip hipGetLastError
ok "no such file" fails 1 "$hipify" none.cu

mkdir tree
echo 'void f(int *p) { cudaFree(p); }' >tree/a.cu
ok "hipexamine.sh" says "  CONVERTED refs count: 1" "$LS_BUILD/bin/hipexamine.sh" tree
ok "it wrote nothing" no_file tree/a.cu.hip
ok "hipconvertinplace.sh" "$LS_BUILD/bin/hipconvertinplace.sh" tree -quiet-warnings -- -DX
ok "it wrote" has tree/a.cu 'hipFree(p)'
ok "it kept" has tree/a.cu.prehip 'cudaFree(p)'
finish
