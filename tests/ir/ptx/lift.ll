; A sum of many terms that LLVM has moved down into the block where it is wanted is done where its last term comes; one of few
; terms stays.
; RUN: --kernel=k --isa=sm_90 --until=optimise
; CHECK: llvm.fma.f64
; CHECK: llvm.fma.f64
; CHECK: asm sideeffect "", "=d,0"
; CHECK: br i1
; CHECK: fadd float
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r, i32 %n) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr double, ptr addrspace(1) %p, i32 %t
  %a = load double, ptr addrspace(1) %at
  %bt = getelementptr double, ptr addrspace(1) %at, i32 100
  %b = load double, ptr addrspace(1) %bt
  %ct = getelementptr double, ptr addrspace(1) %at, i32 200
  %c = load double, ptr addrspace(1) %ct
  %dt = getelementptr double, ptr addrspace(1) %at, i32 300
  %d = load double, ptr addrspace(1) %dt
  %ft = getelementptr float, ptr addrspace(1) %r, i32 %t
  %f = load float, ptr addrspace(1) %ft
  %s = call double @llvm.fma.f64(double %a, double %b, double %c)
  %u = call double @llvm.fma.f64(double %s, double %b, double %d)
  %few = fadd float %f, 1.0
  %some = icmp slt i32 %t, %n
  br i1 %some, label %then, label %join
then:
  store i32 1, ptr addrspace(1) %q
  br label %join
join:
  store volatile double %u, ptr addrspace(1) %p
  store volatile float %few, ptr addrspace(1) %r
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare double @llvm.fma.f64(double, double, double)
attributes #0 = { "target-cpu"="gfx1100" }
