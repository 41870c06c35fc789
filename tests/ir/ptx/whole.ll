; The larger of a char and a constant is one of integers, and goes through no double; that of one more bit than a float holds stays.
; RUN: --kernel=k --isa=sm_90 --until=optimise
; CHECK: llvm.smax.i
; CHECK: llvm.maxnum.f32
; NOT: double
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %c = load i8, ptr addrspace(1) %p
  %d = sitofp i8 %c to double
  %m = call double @llvm.maxnum.f64(double %d, double 0.0)
  %u = fptoui double %m to i32
  store i32 %u, ptr addrspace(1) %q
  %at = getelementptr i32, ptr addrspace(1) %q, i32 1
  %w = load i25, ptr addrspace(1) %at
  %f = uitofp i25 %w to float
  %n = call float @llvm.maxnum.f32(float %f, float 3.0)
  store float %n, ptr addrspace(1) %at
  ret void
}
declare double @llvm.maxnum.f64(double, double)
declare float @llvm.maxnum.f32(float, float)
attributes #0 = { "target-cpu"="gfx1100" }
