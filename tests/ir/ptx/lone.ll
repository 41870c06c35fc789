; A function that is to stay out of line, and asks nothing of other threads, does; it is told of nobody, and nobody waits behind it.
; RUN: --kernel=k --isa=sm_90 --until=optimise
; CHECK: @far(double
; CHECK: call
; CHECK: double @far(double
; NOT: bar.warp.sync
; NOT: vote
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define internal double @far(double %x) #1 {
  %y = fmul double %x, %x
  %z = fdiv double %y, 3.0
  ret double %z
}

define amdgpu_kernel void @k(ptr addrspace(1) %p) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr double, ptr addrspace(1) %p, i32 %t
  %a = load double, ptr addrspace(1) %at
  %is = fcmp ogt double %a, 1.0e9
  br i1 %is, label %then, label %join
then:
  %b = call double @far(double %a)
  br label %join
join:
  %c = phi double [ %a, %entry ], [ %b, %then ]
  store double %c, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "target-cpu"="gfx1100" }
attributes #1 = { noinline nounwind memory(none) "target-cpu"="gfx1100" }
