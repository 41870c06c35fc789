; A condition as a number is chosen, not converted, and two halves are compared by one instruction.
; RUN: --kernel=k --isa=sm_90 --until=optimise
; CHECK: set.gtu.f16x2.f16x2
; CHECK: float 1.000000e+00, float 0.000000e+00
; CHECK: double -1.000000e+00, double 0.000000e+00
; NOT: itofp i1
; NOT: itofp <2 x i1>
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %a = load <2 x half>, ptr addrspace(1) %p
  %b = load <2 x half>, ptr addrspace(1) %q
  %c = fcmp ugt <2 x half> %a, %b
  %d = uitofp <2 x i1> %c to <2 x half>
  %e = fmul <2 x half> %d, %a
  store <2 x half> %e, ptr addrspace(1) %p
  %i = load i32, ptr addrspace(1) %q
  %less = icmp slt i32 %i, 7
  %f = uitofp i1 %less to float
  %at = getelementptr float, ptr addrspace(1) %q, i64 4
  store float %f, ptr addrspace(1) %at
  %more = icmp sgt i32 %i, 70
  %g = sitofp i1 %more to double
  %far = getelementptr double, ptr addrspace(1) %q, i64 4
  store double %g, ptr addrspace(1) %far
  ret void
}
attributes #0 = { "target-cpu"="gfx1100" }
