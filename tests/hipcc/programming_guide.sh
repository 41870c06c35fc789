# SPDX-License-Identifier: MIT
# Command lines and names of HIP Programming Guide that no other test has, as they are printed there; docs/status.md, "The documents", says
# which test has which item.
. "$LS_SOURCE/tests/hipcc/lib.inc"
unset LOCKSTEP_ARCH HIP_VISIBLE_DEVICES
mkdir bin && for tool in llvm-objdump llvm-readelf; do
    ln -s "$(command -v $tool-19 || echo /usr/lib/llvm-19/bin/$tool)" bin/$tool
done
export PATH="$work/bin:$LS_BUILD/bin:$PATH"

# 3.5.2.4: each example
"$hipcc" --offload-arch=gfx803,gfx900,gfx906,gfx908 light.hip -nogpuinc -o exe || exit 1
ok "3.5.2.4.1, the ISA of one target" sh -c "roc-obj-ls -v exe | awk '/gfx906/{print \$3}' | roc-obj-extract -o - | llvm-objdump -d - >exe.gfx906.isa"
ok "is some" grep -q s_endpgm exe.gfx906.isa
ok "3.5.2.4.2, e_flags" says "gfx908" sh -c "roc-obj-ls -v exe | awk '/gfx908/{print \$3}' | roc-obj-extract -o - | llvm-readelf -h - | grep Flags"
ok "3.5.2.4.3, the fourth" says "s_endpgm" sh -c "roc-obj-ls exe | sed -n 4p | roc-obj-extract -o - | llvm-objdump -d -"
ok "3.5.2.4.4, by size" counts 5 "file://exe#offset=" sh -c "for uri in \$(roc-obj-ls exe | awk '{print \$3}'); do printf '%d: %s\\n' \"\$(roc-obj-extract -o - \"\$uri\" | wc -c)\" \"\$uri\"; done | sort -n"
cat >compare.bash <<'END'
dis() { roc-obj-ls -v exe | grep "$1" | awk '{print $3}' | roc-obj-extract -o - | llvm-objdump -d -; }
diff <(dis gfx803) <(dis gfx900)
END
ok "3.5.2.4.5, compared" sh -c "bash compare.bash >compared; test -s compared"

# 4.2.2, 4.2.3: macros of the passes
cat >macros.hip <<'END'
#if !defined(__HIPCC__) || !defined(__HIP__) || !defined(__clang__) || defined(__CUDACC__) || defined(__NVCC__) || defined(__CUDA_ARCH__)
#error "macros of the compiler"
#endif
#include <hip/hip_runtime.h>
#if !defined(__HIP_PLATFORM_AMD__) || !defined(__HIP_PLATFORM_HCC__) || defined(__HIP_PLATFORM_NVIDIA__) || defined(__HIP_PLATFORM_NVCC__)
#error "macros of the platform"
#endif
#if HIP_VERSION != HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH
#error "HIP_VERSION"
#endif
int main() {}
END
ok "macros" "$hipcc" -fsyntax-only macros.hip
echo 'int main() { hipSetDevice(0); }' >bare.cpp
ok "4.4.3, headers are not included by themselves" says "hipSetDevice" "$hipcc" -fsyntax-only bare.cpp
ok "and that is an error" not "$hipcc" -fsyntax-only bare.cpp
for name in file.hip.cpp file.cu file.hip; do
    cp light.hip $name
    ok "4.4.4, $name" "$hipcc" -fsyntax-only -nogpuinc $name
done
ok "4.4.1, libc++" says '"--stdlib=libc++"' "$hipcc" '-###' --stdlib=libc++ -c light.hip -nogpuinc
ok "4.3.8, -lm" says -lm "$hipcc" '-###' light.hip -nogpuinc -o twice
ok "4.3.7, HIPCC_VERBOSE=7" says "hipcc-args:" env HIPCC_VERBOSE=7 "$hipcc" -fsyntax-only light.hip -nogpuinc

# 3.6.3, 3.7.3: variables. What has no meaning for a CPU changes nothing
"$hipcc" twice.hip -o twice || exit 1
# There is no HSA: nothing of it is exported or asked for, and where it would lie is not looked at.
ok "no function of hsa* for ltrace" sh -c "! readelf -W --dyn-syms '$LS_BUILD/lib/libamdhip64.so' | grep -q ' hsa'"
ok "no library of it" silent libhsa readelf -d "$LS_BUILD/lib/libamdhip64.so"
"$hipcc" '-###' twice.hip -o twice 2>&1 | sed 's/cuid=[0-9a-f]*//g' >plain.steps
HSA_PATH=/nonexistent DEVICE_LIB_PATH=/nonexistent "$hipcc" '-###' twice.hip -o twice 2>&1 | sed 's/cuid=[0-9a-f]*//g' >other.steps
ok "HSA_PATH, DEVICE_LIB_PATH" cmp plain.steps other.steps
ok "they are commands" grep -q devlib plain.steps
for set in HSA_ENABLE_SDMA=0 HSA_ENABLE_INTERRUPT=0 HSA_DISABLE_CACHE=1 HIP_HOST_COHERENT=1 AMD_DIRECT_DISPATCH=0 HIP_COHERENT_HOST_ALLOC=1; do
    ok "$set" says "factor 2" env $set ./twice
done
AMD_LOG_LEVEL=0x3 ./twice 2>log
ok "levels may be hexadecimal" has log "hipMalloc ("
ok "3.6.4, a line of the log" grep -Eq '^:3:[a-z_.]+ *:[0-9]+ *: [0-9]+: [0-9]+ : \[[0-9a-f]+\] hipMalloc: Returned hipSuccess$' log
ok "3.7.1, functions that ltrace stops at" sh -c "nm -D '$LS_BUILD/lib/libamdhip64.so' | grep -c ' T hip' | awk '{exit \$1 < 500}'"
ok "3.7.4, AMD_SERIALIZE_KERNEL and AMD_SERIALIZE_COPY" says "factor 2" env AMD_SERIALIZE_KERNEL=3 AMD_SERIALIZE_COPY=3 ./twice

# 4.7: names of the driver, as hipify knows them; 4.2.1.4: libraries
cat >driver.cu <<'END'
cuEventCreate(&e, 0); cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, p, x); cuModuleLoadDataEx(&m, i, 0, o, v); cuModuleGetFunction(&f, m, "k");
cuMemcpyHtoD(d, h, n); cuCtxCreate(&c, 0, 0); cudaSetDevice(0); int e1 = CUDA_ERROR_INVALID_VALUE, e2 = cudaErrorInvalidValue;
CUmodule m; CUfunction f; CUcontext c; CUdevice d; CUstream s; cudaStream_t t; CUevent e; cudaEvent_t g; CUdeviceptr p; CUarray a;
cublasCreate(&b); cufftDestroy(b); cusparseCreate(&b); cusolverDnCreate(&b); curandCreateGenerator(&b, k); cudnnCreate(&b); ncclGroupStart();
END
hipify-perl driver.cu >driver.hip 2>/dev/null
for name in hipEventCreateWithFlags hipModuleLaunchKernel hipModuleLoadDataEx hipModuleGetFunction hipMemcpyHtoD hipCtxCreate hipSetDevice hipErrorInvalidValue \
    hipModule_t hipFunction_t hipCtx_t hipDevice_t hipStream_t hipEvent_t hipDeviceptr_t hipArray_t hipblasCreate hipfftDestroy hipsparseCreate \
    hipsolverDnCreate hiprandCreateGenerator hipdnnCreate ncclGroupStart; do
    ok "4.7.6, $name" grep -qw "$name" driver.hip
done
ok "nothing of CUDA is left" not grep -E '\b(cu[A-Z]|cuda|CU[a-z])' driver.hip
ok "-roc" says rocblas_create_handle hipify-perl -roc driver.cu
finish
