# SPDX-License-Identifier: MIT
# Targets: what --offload-arch puts into the binary, and that host and device agree on the identity.
. "$LS_SOURCE/tests/hipcc/lib.inc"

entries() { "$LS_BUILD/bin/lsobj" "$1" | awk "/^[a-z]/ { printf \"%s \", \$1 }"; }

"$hipcc" -c twice.hip -o none.o
ok "no arch: gfx1100" says 'host-x86_64-unknown-linux-- hipv4-amdgcn-amd-amdhsa--gfx1100 lockstep-bc--gfx1100 ' entries none.o
ok "gfx90a" "$hipcc" --offload-arch=gfx90a -c twice.hip -o gfx90a.o
ok "gfx90a: real code object" says hipv4-amdgcn-amd-amdhsa--gfx90a entries gfx90a.o
ok "gfx90a: bitcode" says lockstep-bc--gfx90a entries gfx90a.o
ok "two targets" "$hipcc" --offload-arch=gfx90a,gfx1100 --offload-arch=gfx1030 -c twice.hip -o three.o
for arch in gfx90a gfx1100 gfx1030; do
    ok "three targets: $arch" says lockstep-bc--$arch entries three.o
done
ok "--cuda-gpu-arch" says gfx906 "$hipcc" '-###' --cuda-gpu-arch=gfx906 -c twice.hip
ok "--amdgpu-target" says gfx906 "$hipcc" '-###' --amdgpu-target=gfx906 -c twice.hip
ok "--no-offload-arch" silent gfx906 "$hipcc" '-###' --offload-arch=gfx906 --no-offload-arch=gfx906 -c twice.hip
ok "HCC_AMDGPU_TARGET" says gfx908 env HCC_AMDGPU_TARGET=gfx908 "$hipcc" '-###' -c twice.hip
ok "target features" "$hipcc" --offload-arch=gfx90a:sramecc+:xnack- -c twice.hip -o features.o
ok "are kept in the code object's name" says 'gfx90a:sramecc+:xnack-' entries features.o
ok "-fno-lockstep-code-object" "$hipcc" -fno-lockstep-code-object --offload-arch=gfx90a -c twice.hip -o nocode.o
ok "has no code object" silent hipv4 entries nocode.o
cat >dpp.hip <<'END'
#include <hip/hip_runtime.h>
__global__ void k(int *p) { p[0] = __builtin_amdgcn_mov_dpp(p[1], 0x142, 0xa, 0xf, false); }
END
ok "what gfx11 lacks" sh -c "\"$hipcc\" --offload-arch=gfx1100 -c dpp.hip -o dpp.o >dpp.log 2>&1"
ok "has no code object" has dpp.log "could not generate it: error: Illegal instruction"
ok "and clang says no more" not has dpp.log vgpr
ok "the CPU runs it" says lockstep-bc--gfx1100 entries dpp.o
ok "which is no news where no target is named" silent could "$hipcc" -c dpp.hip -o dpp.o
ok "wrong gfx is an error" not "$hipcc" --offload-arch=gfx1 -c twice.hip
ok "wrong name is an error" says "unsupported HIP gpu architecture: 'sm_35'" "$hipcc" --offload-arch=sm_35 -c twice.hip
ok "wrong x86 level is an error" says "unknown target 'x86-64-v9': native, sse2 (x86-64), sse4 (x86-64-v2)," "$hipcc" --offload-arch=x86-64-v9 -c twice.hip
ok "x86 level" "$hipcc" --offload-arch=x86-64-v2 twice.hip -o ahead
ok "stores code ahead of time" says lockstep-cpu--gfx1100 entries ahead
ok "for any shape and for rows" says "a row of whole warps" "$LS_BUILD/bin/lsobj" ahead
ok "and runs" ./ahead
ok "its set has two names" env LOCKSTEP_ISA=sse4 LOCKSTEP_COMPILER=/nonexistent LOCKSTEP_CACHE=0 ./ahead
ok "and none of a lesser one" not env LOCKSTEP_ISA=sse2 LOCKSTEP_COMPILER=/nonexistent LOCKSTEP_CACHE=0 ./ahead
ok "hipcc takes both names" "$hipcc" --offload-arch=sse2 twice.hip -o ahead
ok "which are one" env LOCKSTEP_ISA=x86-64 LOCKSTEP_COMPILER=/nonexistent LOCKSTEP_CACHE=0 ./ahead

# Code is made ahead of time by processes of their own: what ends one of them ends neither hipcc nor the build.
cat >dies.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
static int n_forks;
pid_t fork(void)
{
    pid_t pid = ((pid_t (*)(void))dlsym(RTLD_NEXT, "fork"))();
    const struct rlimit little = {4096, 4096};

    if (pid == 0 && (getenv("DIES_BY_SIGNAL") || (!n_forks && getenv("DIES_ONCE"))))
        raise(SIGILL);
    n_forks++;
    if (pid == 0 && !getenv("DIES_ONCE"))
        setrlimit(RLIMIT_AS, &little);
    return pid;
}
END
ok "a library under which compilers die" ${CC:-cc} -shared -fPIC dies.c -o dies.so
ok "by a signal" sh -c "DIES_BY_SIGNAL=1 LD_PRELOAD=./dies.so \"$hipcc\" --offload-arch=sse2 twice.hip -o dead 2>dead.log"
ok "says which kernel it was" has dead.log "no code ahead of time for _Z5twicePi on x86-64: the compiler was ended by signal 4"
ok "code is made when it runs" ./dead
cat >three.hip <<'END'
__attribute__((global)) void first(int *p) { *p = 1; }
__attribute__((global)) void second(int *p) { *p = 2; }
__attribute__((global)) void third(int *p) { *p = 3; }
END
ok "the first of three" sh -c "DIES_ONCE=1 LD_PRELOAD=./dies.so \"$hipcc\" --genco --offload-arch=sse2 three.hip -o three.co 2>dead.log"
ok "one is without code" counts 1 "no code ahead of time" cat dead.log
ok "the others have theirs" sh -c "\"$LS_BUILD/bin/lsobj\" three.co | grep -q '_Z5thirdPi for x86-64' && ! \"$LS_BUILD/bin/lsobj\" three.co | grep -q '_Z5firstPi for'"
ok "by a fatal error of LLVM's" sh -c "LD_PRELOAD=./dies.so \"$hipcc\" --offload-arch=sse2 twice.hip -o dead 2>dead.log"
ok "says which kernel, too" has dead.log "no code ahead of time for _Z5twicePi"
ok "and runs" ./dead

cat >agree.hip <<'END'
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>
struct View { int wavefront, warp; char processor[16]; };
__global__ void look(View *v)
{
    v->wavefront = __AMDGCN_WAVEFRONT_SIZE;
    v->warp = warpSize;
    const char *name = __amdgcn_processor__;
    for (int i = 0; i < 16; i++) {
        v->processor[i] = name[i];
        if (!name[i])
            break;
    }
}
int main()
{
    View device, *d;
    hipDeviceProp_t prop;
    if (hipMalloc((void **)&d, sizeof(View)))
        return 2;
    look<<<1, 1>>>(d);
    if (hipMemcpy(&device, d, sizeof(View), hipMemcpyDeviceToHost) || hipGetDeviceProperties(&prop, 0))
        return 3;
    std::printf("host %d %s, device %d %d %s, properties %d %s\n", __AMDGCN_WAVEFRONT_SIZE,
                __amdgcn_processor__, device.wavefront, device.warp, device.processor, prop.warpSize,
                prop.gcnArchName);
    size_t n = std::strlen(__amdgcn_processor__);
    return !(device.wavefront == __AMDGCN_WAVEFRONT_SIZE && device.warp == device.wavefront &&
             prop.warpSize == device.wavefront && !std::strcmp(device.processor, __amdgcn_processor__) &&
             !std::strncmp(prop.gcnArchName, device.processor, n) &&
             (!prop.gcnArchName[n] || prop.gcnArchName[n] == ':'));
}
END
for arch in gfx1100 gfx90a gfx1030 gfx906 gfx942; do
    ok "$arch: agreement compiles" "$hipcc" -fno-lockstep-code-object --offload-arch=$arch agree.hip -o agree
    ok "$arch: host, device and properties agree" ./agree
done
ok "-mwavefrontsize64 compiles" "$hipcc" -mwavefrontsize64 -c agree.hip -o wave64.o
ok "-mwavefrontsize64 on the host" says '__AMDGCN_WAVEFRONT_SIZE 64' "$hipcc" -mwavefrontsize64 -dM -E agree.hip
ok "lsobj extracts bitcode" "$LS_BUILD/bin/lsobj" --extract bitcode--gfx1100 -o one.bc none.o
ok "which is bitcode" sh -c "head -c 2 one.bc | grep -q BC"
ok "lsobj names kernels" says _Z5twicePi "$LS_BUILD/bin/lsobj" -k none.o
head -c 9000 none.o >cut.o
ok "lsobj on a damaged file" not "$LS_BUILD/bin/lsobj" cut.o

# What a program without kernels is: its variables are of the arch that was named, and a program without any device code
# becomes what its first module is for, unless it has asked before.
cat >variables.hip <<'END'
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>
#ifdef VARIABLE
__device__ int variable = 5;
#endif
int main(int argc, char **argv)
{
    hipDeviceProp_t prop = {};
    hipModule_t module;
    hipFunction_t f;
    int *d, n = -1, warp = 0;
    if (argc > 1 && (hipDeviceGetAttribute(&n, hipDeviceAttributeMultiprocessorCount, 0) || n < 1))
        return 1;
    if (argc > 1 && !strcmp(argv[1], "ask") && hipDeviceGetAttribute(&warp, hipDeviceAttributeWarpSize, 0))
        return 2;
    if (hipMalloc(&d, 4) || (n = hipModuleLoad(&module, "wide.co"))) {
        printf("refused: %s\n", hipGetErrorName((hipError_t)n));
        return 3;
    }
    void *args[] = {&d};
    if (hipModuleGetFunction(&f, module, "k") || hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, 0, args, nullptr) ||
        hipMemcpy(&warp, d, 4, hipMemcpyDeviceToHost) || hipGetDeviceProperties(&prop, 0))
        return 4;
#ifdef VARIABLE
    if (hipMemcpyFromSymbol(&n, HIP_SYMBOL(variable), 4) || n != 5)
        return 5;
#endif
    printf("%s of %d and %d\n", prop.gcnArchName, prop.warpSize, warp);
}
END
cat >wide.hip <<'END'
#include <hip/hip_runtime.h>
extern "C" __global__ void k(int *warp) { *warp = warpSize; }
END
ok "a module for gfx90a" "$hipcc" --offload-arch=gfx90a --genco wide.hip -o wide.co
ok "variables without a kernel" "$hipcc" -DVARIABLE --offload-arch=gfx90a variables.hip -o variables
ok "lsobj says their arch" says "gfx90a, warp of 64, 0 kernels" "$LS_BUILD/bin/lsobj" variables
ok "they are of the arch that was named" says "gfx90a of 64 and 64" ./variables
ok "no device code" "$hipcc" variables.hip -o nothing
ok "takes the first module's arch" says "gfx90a of 64 and 64" ./nothing
ok "a question that has nothing to do with it" says "gfx90a of 64 and 64" ./nothing count
ok "who has asked before keeps the answer" says "refused: hipErrorNoBinaryForGpu" ./nothing ask
ok "and is told what helps" says "LOCKSTEP_ARCH=gfx90a" ./nothing ask
ok "LOCKSTEP_ARCH" says "gfx90a of 64 and 64" env LOCKSTEP_ARCH=gfx90a ./nothing ask
ok "LOCKSTEP_ARCH holds" says "refused: hipErrorNoBinaryForGpu" env LOCKSTEP_ARCH=gfx1100 ./nothing
finish
