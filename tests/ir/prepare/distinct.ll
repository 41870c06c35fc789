; A sum in memory is one in a register where the launch knows that its pointer leads to memory of its own.
; RUN: --kernel=k --block=64,1,1 --until=prepare --distinct=1
; CHECK: %at.promoted = load float
; CHECK: phi float [ %at.promoted
; CHECK: br i1
; CHECK: store float %new.lcssa
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %sum, ptr addrspace(1) %a, i32 %n) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %x64 = zext i32 %x to i64
  %at = getelementptr float, ptr addrspace(1) %sum, i64 %x64
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %next, %loop ]
  %j64 = zext i32 %j to i64
  %from = getelementptr float, ptr addrspace(1) %a, i64 %j64
  %one = load float, ptr addrspace(1) %from, align 4
  %old = load float, ptr addrspace(1) %at, align 4
  %new = fadd float %old, %one
  store float %new, ptr addrspace(1) %at, align 4
  %next = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done

done:
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
