# SPDX-License-Identifier: MIT
# What a kernel takes of a multiprocessor: hipFuncGetAttributes and occupancy say what the code object for the hardware does.
. "$LS_SOURCE/tests/hipcc/lib.inc"

cat >resources.hip <<'END'
#include <hip/hip_runtime.h>
#include <cstdio>
extern "C" __global__ void light(float *a) { a[threadIdx.x] = 1; }
extern "C" __global__ void lds(float *a)
{
    __shared__ float s[8192];
    s[threadIdx.x] = a[0];
    __syncthreads();
    a[threadIdx.x] = s[255 - threadIdx.x % 256];
}
extern "C" __global__ void __launch_bounds__(256) heavy(float *a, const float *b, int n)
{
    float r[200];
#pragma unroll
    for (int i = 0; i < 200; i++)
        r[i] = b[i * n + threadIdx.x];
    __syncthreads();
    float s = 0;
    for (int j = 0; j < n; j++) {
#pragma unroll
        for (int i = 0; i < 200; i++)
            r[i] = fmaf(r[i], r[(i + 1) % 200], s);
        s += r[j % 3];
    }
#pragma unroll
    for (int i = 0; i < 200; i++)
        a[i * n + threadIdx.x] = r[i];
    a[0] = s;
}
template <class F>
static int
say(const char *name, F f)
{
    hipFuncAttributes at;
    int blocks, grid, block, by_handle;
    hipFunction_t h;
    if (hipFuncGetAttributes(&at, (const void *)f) || hipGetFuncBySymbol(&h, (const void *)f) ||
        hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 256, 0) ||
        hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&by_handle, h, 256, 0) || blocks != by_handle ||
        hipFuncGetAttribute(&by_handle, HIP_FUNC_ATTRIBUTE_NUM_REGS, h) || at.numRegs != by_handle ||
        hipOccupancyMaxPotentialBlockSize(&grid, &block, f, 0, 0))
        return 1;
    printf("%s regs %d scratch %zu lds %zu threads %d\n", name, at.numRegs, at.localSizeBytes, at.sharedSizeBytes,
           at.maxThreadsPerBlock);
    printf("%s fits %d, potential %d x %d\n", name, blocks, grid, block);
    return 0;
}
int main()
{
    /* Kernel Programming (AMDGPU.jl), "Launch Configuration": the configuration is asked for, and then launched with */
    float *a, got = 0;
    int grid, block;
    if (say("light", light) || say("lds", lds) || say("heavy", heavy))
        return 1;
    if (hipMalloc(&a, 4096) || hipOccupancyMaxPotentialBlockSize(&grid, &block, light, 0, 0))
        return 2;
    light<<<grid, block>>>(a);
    if (hipMemcpy(&got, a + block - 1, 4, hipMemcpyDeviceToHost))
        return 3;
    printf("launched %g\n", got);
}
END
export LOCKSTEP_COMPUTE_UNITS=10
# The same by LLVM's reader of the code object: "light regs 2 scratch 0 lds 0 threads 1024" for each kernel.
metadata() {
    "$LS_BUILD/bin/lsobj" --extract "hipv4-amdgcn-amd-amdhsa--$1" -o "$1.co" "resources-$1" || return 1
    llvm-readelf-19 --notes "$1.co" >"$1.notes" || return 1
    awk '/^amdhsa.kernels/ { on = 1 } on && $1 ~ /^-?$/ && $2 ~ /^\./ { $1 = ""; sub(/^ /, "") }
        on && $1 == ".group_segment_fixed_size:" { lds = $2 } on && $1 == ".max_flat_workgroup_size:" { threads = $2 }
        on && $1 == ".name:" && $2 ~ /^(light|lds|heavy)$/ { name = $2 } on && $1 == ".private_segment_fixed_size:" { scratch = $2 }
        on && $1 == ".vgpr_count:" { print name, "regs", $2, "scratch", scratch, "lds", lds, "threads", threads }' "$1.notes"
}
for arch in gfx1100 gfx90a gfx1030 gfx908; do
    ok "$arch: compiles" "$hipcc" --offload-arch=$arch resources.hip -o "resources-$arch"
    metadata $arch >want-$arch
    ok "$arch: there is metadata" test "$(wc -l <want-$arch)" = 3
    "./resources-$arch" >said-$arch
    ok "$arch: runs" says "launched 1" cat said-$arch
    grep regs said-$arch >got-$arch
    ok "$arch: registers and memory are the code object's" diff want-$arch got-$arch
done
ok "gfx1100: all waves fit" says "light fits 8, potential 20 x 1024" cat said-gfx1100
ok "gfx1100: LDS for two" says "lds fits 2, potential 20 x 1024" cat said-gfx1100
ok "gfx1100: 256 registers: five waves of a SIMD" says "heavy regs 256" cat said-gfx1100
ok "gfx1100: which are two blocks of 256" says "heavy fits 2, potential 20 x 256" cat said-gfx1100
ok "gfx90a: one wave of a SIMD" says "heavy fits 1, potential 10 x 256" cat said-gfx90a
ok "no target named: gfx1100" "$hipcc" resources.hip -o plain
./plain >said
ok "says the same" diff said said-gfx1100
ok "-fgpu-rdc" "$hipcc" -fgpu-rdc resources.hip -o rdc
./rdc >said
ok "says the same of what is linked" diff said said-gfx1100
ok "no code object" "$hipcc" -fno-lockstep-code-object resources.hip -o without
ok "as many registers as let all waves fit" says "light regs 96 " ./without
ok "and those" says "heavy fits 8, potential 80 x 256" ./without

cat >bounds.hip <<'END'
#include <hip/hip_runtime.h>
__global__ void __launch_bounds__(BOUNDS) bounded(int *p) { p[threadIdx.x] = 1; }
END
ok "__launch_bounds__(1024, 8) has nothing to say" quiet "$hipcc" -DBOUNDS=1024,8 --offload-arch=gfx90a -c bounds.hip -o bounds.o
ok "__launch_bounds__(1025) is an error" not sh -c "\"$hipcc\" -DBOUNDS=1025 -c bounds.hip -o bounds.o 2>bounds.log"
ok "and says why" has bounds.log "__launch_bounds__(1025): a block has 1024 threads at most"
ok "__launch_bounds__(256, 9) on gfx90a" says "asks for 9 warps on an execution unit at least; on gfx90a there are never more than 8" \
    "$hipcc" -DBOUNDS=256,9 --offload-arch=gfx90a -c bounds.hip -o bounds.o
ok "but not on gfx1100" silent launch_bounds "$hipcc" -DBOUNDS=256,9 -c bounds.hip -o bounds.o
finish
