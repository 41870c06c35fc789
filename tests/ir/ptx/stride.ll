; A loop by a step that is not known gets iterations of four in front, without a division, if its number may not come to the type's
; end (the first); if it may go round (the second) it stays. Only what the first leaves must not be unrolled.
; RUN: --kernel=k --isa=sm_90 --until=optimise
; CHECK: %w = load float
; CHECK: %v.3 = load float
; CHECK: llvm.loop.unroll.disable
; NOT: %w.1
; NOT: udiv
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %to, i32 %n, i32 %by) #0 {
entry:
  br label %sum
sum:
  %i = phi i32 [ 0, %entry ], [ %i1, %sum ]
  %s = phi float [ 0.0, %entry ], [ %s1, %sum ]
  %at = getelementptr float, ptr addrspace(1) %p, i32 %i
  %v = load float, ptr addrspace(1) %at
  %s1 = fadd float %s, %v
  %i1 = add nsw i32 %i, %by
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %sum, label %second, !llvm.loop !0
second:
  br label %scale
scale:
  %j = phi i32 [ 0, %second ], [ %j1, %scale ]
  %from = getelementptr float, ptr addrspace(1) %p, i32 %j
  %w = load float, ptr addrspace(1) %from
  %x = fmul float %w, %s1
  %into = getelementptr float, ptr addrspace(1) %to, i32 %j
  store float %x, ptr addrspace(1) %into
  %j1 = add i32 %j, %by
  %again = icmp slt i32 %j1, %n
  br i1 %again, label %scale, label %end, !llvm.loop !2
end:
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="1,1024" }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"}
!2 = distinct !{!2, !1}
