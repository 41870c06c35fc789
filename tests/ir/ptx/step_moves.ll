; Each lane's place moves on in each iteration: what a lane loads its neighbour has stored in the one before.
; RUN: --kernel=moves --isa=sm_90 --block=0,1,1 --until=threads
; CHECK: bar.warp.sync
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
@s = internal addrspace(3) global [512 x i32] poison, align 16

define amdgpu_kernel void @moves(ptr addrspace(1) %p, i32 %n) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %more, %loop ]
  %at = add i32 %t, %i
  %place = getelementptr [512 x i32], ptr addrspace(3) @s, i32 0, i32 %at
  %v = load volatile i32, ptr addrspace(3) %place
  %w = add i32 %v, 1
  store volatile i32 %w, ptr addrspace(3) %place
  %more = add i32 %i, 1
  %again = icmp slt i32 %more, %n
  br i1 %again, label %loop, label %exit

exit:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "target-cpu"="gfx1100" }
