# SPDX-License-Identifier: MIT
# Code for NVIDIA's GPUs comes from bitcode of its own, with mathematics for their instructions: one more device pass, where such a
# GPU is named.
. "$LS_SOURCE/tests/hipcc/lib.inc"

cat >one.hip <<'END'
#include <hip/hip_runtime.h>
__device__ double far(double x);
__device__ int counter = 3;
__global__ void numbers(double *d, float *f)
{
    d[threadIdx.x] = tanh(d[threadIdx.x]) + far(d[1]);
    f[threadIdx.x] = __fdividef(__expf(f[threadIdx.x]), f[1]) + powf(f[2], f[3]);
    atomicAdd(&counter, 1);
}
int main()
{
    double *d = NULL, got[2] = {0.5, 1.0};
    float *f = NULL, single[4] = {1.0f, 2.0f, 3.0f, 4.0f};
    int n = 0;

    if (hipMalloc(&d, 16) || hipMalloc(&f, 16) || hipMemcpy(d, got, 16, hipMemcpyHostToDevice) ||
        hipMemcpy(f, single, 16, hipMemcpyHostToDevice))
        return 2;
    numbers<<<1, 1>>>(d, f);
    if (hipMemcpy(got, d, 16, hipMemcpyDeviceToHost) || hipMemcpyFromSymbol(&n, HIP_SYMBOL(counter), 4))
        return 3;
    return !(fabs(got[0] - (tanh(0.5) + 2)) < 1e-12 && n == 4);
}
END
echo '#include <hip/hip_runtime.h>
__device__ double far(double x) { return x + 1; }' >two.hip
sed 's/^__device__ double far(double x);/__device__ double far(double x) { return x + 1; }/' one.hip >whole.hip
mine=rcp.approx.ftz.f64

ok "a pass more" counts 1 devlib_nvidia.bc "$hipcc" --offload-arch=gfx1100 --offload-arch=sm_90 -c whole.hip '-###'
ok "for each target" counts 2 devlib_nvidia.bc "$hipcc" --offload-arch=gfx1100 --offload-arch=gfx1030 --offload-arch=sm_90 -c whole.hip '-###'
ok "not where none is named" silent devlib_nvidia.bc "$hipcc" --offload-arch=gfx1100 --offload-arch=x86-64-v3 -c whole.hip '-###'
ok "loops with branches are unrolled as others" counts 1 amdgpu-unroll-threshold-if=0 "$hipcc" --offload-arch=gfx1100 --offload-arch=sm_90 -c whole.hip '-###'
ok "made" "$hipcc" --offload-arch=gfx1100 --offload-arch=sm_90 -save-temps whole.hip -o whole
ok "the hardware's start" grep -qa $mine whole
ok "kept" test -s whole-hip-amdgcn-amd-amdhsa-gfx1100.nvidia.bc
ok "runs on the CPU" env LOCKSTEP_DEVICES=cpu ./whole
ok "the bitcode of all is as before" not grep -qa __ls_nv whole-hip-amdgcn-amd-amdhsa-gfx1100.bc
ok "alone" "$hipcc" --offload-arch=gfx1100 --offload-arch=sm_90 --genco whole.hip -o whole.hipfb
ok "there, too" grep -qa $mine whole.hipfb

for unit in one two; do
    ok "unit $unit" "$hipcc" -fgpu-rdc --offload-arch=gfx1100 --offload-arch=sm_90 -c $unit.hip -o $unit.o
done
ok "linked" "$hipcc" -fgpu-rdc --offload-arch=gfx1100 --offload-arch=sm_90 one.o two.o -o linked
ok "of both units" grep -qa $mine linked
ok "linked, it runs on the CPU" env LOCKSTEP_DEVICES=cpu ./linked
ok "a unit without" "$hipcc" -fgpu-rdc --offload-arch=gfx1100 -c two.hip -o two.o
ok "linked with it" "$hipcc" -fgpu-rdc --offload-arch=gfx1100 --offload-arch=sm_90 one.o two.o -o mixed
ok "by the bitcode that all have" not grep -qa $mine mixed
ok "code all the same" grep -qa '.visible .entry ls_kernel' mixed
ok "mixed, it runs on the CPU" env LOCKSTEP_DEVICES=cpu ./mixed
ok "linked for none of them" "$hipcc" -fgpu-rdc --offload-arch=gfx1100 one.o two.o -o none
ok "and runs" ./none
cat >reads.hip <<'END'
#include <hip/hip_runtime.h>
__global__ void reads(const float *__restrict__ p, float *q, int n)
{
    float sum = 0;

    for (int i = threadIdx.x; i < n; i += 7) {
        for (int k = 0; k < 12; k++)
            sum = sum / p[i * (2 * k + 3)] + 1;
        __syncthreads();
    }
    q[threadIdx.x] = sum;
}
END
ok "reads" "$hipcc" -O3 --offload-arch=gfx1100 --offload-arch=sm_90 --genco reads.hip -o reads.hipfb
ok "room for what a loop reads" grep -qa '^.maxnreg 40' reads.hipfb
finish
