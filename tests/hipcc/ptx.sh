# SPDX-License-Identifier: MIT
# Text for NVIDIA's GPUs: made beside the other code, of this form, and taken by NVIDIA's assembler where there is one.
. "$LS_SOURCE/tests/hipcc/lib.inc"

cat >kernels.hip <<'END'
#include <hip/hip_runtime.h>
#include <cassert>
#include <cstdio>
struct Many { int n; float f[5]; long long wide; };
__device__ int counter = 5;
__constant__ float table[16];
typedef int (*unary)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int less(int x) { return x - 1; }
__device__ unary chosen[2] = {twice, less};

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = a * x[i] + y[i];
}

__global__ void __launch_bounds__(256) sums(Many m, const float *in, float *out)
{
    __shared__ float part[256];
    int t = threadIdx.x;

    part[t] = in[blockIdx.x * 256 + t] * table[t & 15] + m.f[t % 5];
    __syncthreads();
    for (int k = 128; k >= 32; k /= 2) {
        if (t < k)
            part[t] += part[t + k];
        __syncthreads();
    }
    if (t < 32) {
        float sum = part[t];

        for (int k = 16; k > 0; k /= 2)
            sum += __shfl_xor(sum, k);
        if (t == 0)
            atomicAdd(out, sum);
    }
}

__global__ void votes(const int *in, unsigned long long *out, int *n)
{
    int v = in[threadIdx.x];

    while (v > 3) {
        out[threadIdx.x] += __ballot(v & 1);
        v = __shfl_up(v, 1) - 1;
    }
    if (__all(v < 100))
        atomicMax(n, __popcll(__ballot(v == 1)));
    __threadfence_system();
    *n = atomicCAS(&counter, v, v + 1);
}

__global__ void calls(int *out, int which, int **kept)
{
    out[threadIdx.x] = chosen[which](out[threadIdx.x]);
    assert(out[threadIdx.x] != 7);
    int *room = (int *)malloc(64);
    room[0] = which;
    free(kept[threadIdx.x]);
    kept[threadIdx.x] = room;
}

__global__ void numbers(float *f, double *d)
{
    int t = threadIdx.x;

    f[t] = sinf(f[t]) + expf(f[t]) * logf(f[t]) + powf(f[t], 1.5f) + rsqrtf(f[t]) + __sinf(f[t]);
    d[t] = exp(d[t]) + sin(d[t]) + fmod(d[t], 3.0) + rint(d[t]);
}

int main()
{
    float *x, *y, got = 0;

    if (hipMalloc(&x, 4096) || hipMalloc(&y, 4096) || hipMemset(x, 0, 4096) || hipMemset(y, 0, 4096))
        return 2;
    saxpy<<<4, 256>>>(1000, 2, x, y);
    return hipMemcpy(&got, y, 4, hipMemcpyDeviceToHost) || got != 0;
}
END
ok "made for two of NVIDIA's and for the CPU" quiet "$hipcc" -O2 --offload-arch=gfx1100 --offload-arch=sm_80 --offload-arch=sm_90 kernels.hip -o kernels
ok "it says so" counts 10 "for sm_90, block" "$LS_BUILD/bin/lsobj" kernels
ok "of both" counts 10 "for sm_80, block" "$LS_BUILD/bin/lsobj" kernels
ok "and it runs where there is none" ./kernels
ok "without a word" not grep -q . out.log
ok "bitcode" "$LS_BUILD/bin/lsobj" --extract bitcode--gfx1100 -o kernels.bc kernels
assembler=$(command -v ptxas || true)
for kernel in _Z5saxpyifPKfPf _Z4sums4ManyPKfPf _Z5votesPKiPyPi _Z5callsPiiPS_ _Z7numbersPfPd; do
    for block in 0,0,0 0,1,1; do
        ok "text of $kernel for $block" "$LS_BUILD/bin/lsopt" --isa=sm_90 --block=$block --kernel=$kernel -o $kernel.ptx kernels.bc
        ok "an entry" has $kernel.ptx '.visible .entry ls_kernel('
        [ -z "$assembler" ] || ok "the assembler takes it" "$assembler" -arch=sm_90 -o $kernel.cubin $kernel.ptx
    done
done
ok "a parameter for each" has _Z5saxpyifPKfPf.ptx 'ls_kernel_param_3'
ok "fused" has _Z5saxpyifPKfPf.ptx 'fma.rn.f32'
ok "in global memory" has _Z5saxpyifPKfPf.ptx 'ld.global.f32'
ok "not more" not has _Z5saxpyifPKfPf.ptx 'ls_globals'
ok "threads of a block" has _Z4sums4ManyPKfPf.ptx '.maxntid 256'
ok "who shuffles is known" not has _Z4sums4ManyPKfPf.ptx activemask
ok "shared memory is dynamic" has _Z4sums4ManyPKfPf.ptx '.extern .shared .align 16 .b8 ls_shared[];'
ok "variables by a table" has _Z4sums4ManyPKfPf.ptx 'ld.const.u64'
ok "who votes is known" not has _Z5votesPKiPyPi.ptx activemask
ok "fences have scopes" has _Z5votesPKiPyPi.ptx 'fence.sc.sys'
ok "functions by a table" has _Z5callsPiiPS_.ptx '.callprototype'
ok "memory of the driver's" has _Z5callsPiiPS_.ptx '.extern .func  (.param .b64 func_retval0) malloc'
ok "its own roots" has _Z7numbersPfPd.ptx 'rsqrt.approx.f32'

cat >refused.hip <<'END'
#include <hip/hip_runtime.h>
__global__ void speaks(int *p, const char *format) { printf(format, *p); }
END
ok "what is not there is told" says "printf with a format that is not a string literal" "$hipcc" --offload-arch=gfx1100 --offload-arch=sm_90 -c refused.hip
ok "warps of 64, too" says "warps of NVIDIA GPUs have 32 lanes" "$hipcc" --offload-arch=gfx90a --offload-arch=sm_90 -c kernels.hip
ok "the CPU can't run it" says "sm_90" env LOCKSTEP_ISA=sm_90 LOCKSTEP_CACHE=0 ./kernels
finish
