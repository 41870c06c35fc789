; What is left of a loop that became four iterations of one stands there up to three times, and no loop counts it.
; RUN: --kernel=k --isa=sm_90 --until=optimise
; CHECK: %v.3 = load float
; CHECK: %v.epil = load float
; CHECK: %v.epil.1 = load float
; CHECK: %v.epil.2 = load float
; NOT: .epil = phi i32
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) #0 {
entry:
  br label %sum
sum:
  %i = phi i32 [ 0, %entry ], [ %i1, %sum ]
  %s = phi float [ 0.0, %entry ], [ %s1, %sum ]
  %at = getelementptr float, ptr addrspace(1) %p, i32 %i
  %v = load float, ptr addrspace(1) %at
  %s1 = fadd float %s, %v
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %sum, label %end
end:
  store float %s1, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="1,1024" }
