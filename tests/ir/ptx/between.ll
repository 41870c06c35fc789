; A loop of seven iterations of which clang has put two into one, with the way out between them, is unrolled whole.
; RUN: --kernel=k --isa=sm_90 --until=optimise
; CHECK: fadd float
; CHECK: fadd float
; CHECK: fadd float
; CHECK: fadd float
; CHECK: fadd float
; CHECK: fadd float
; CHECK: fadd float
; NOT: br i1
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %to) #0 {
entry:
  br label %first
first:
  %i = phi i32 [ 0, %entry ], [ %i2, %second ]
  %s = phi float [ 0.0, %entry ], [ %s2, %second ]
  %at = getelementptr float, ptr addrspace(1) %p, i32 %i
  %v = load float, ptr addrspace(1) %at
  %s1 = fadd float %s, %v
  %done = icmp eq i32 %i, 6
  br i1 %done, label %end, label %second
second:
  %i1 = or disjoint i32 %i, 1
  %at1 = getelementptr float, ptr addrspace(1) %p, i32 %i1
  %w = load float, ptr addrspace(1) %at1
  %s2 = fadd float %s1, %w
  %i2 = add nuw nsw i32 %i, 2
  br label %first
end:
  store float %s1, ptr addrspace(1) %to
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="1,256" }
