; Rows of a block whose threads do not ask for theirs are one row: no loop over warps.
; RUN: --kernel=k --block=32,8,1 --until=region
; CHECK: r0.next:
; NOT: r0.warps
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %sum) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %x64 = zext i32 %x to i64
  %at = getelementptr i32, ptr addrspace(1) %sum, i64 %x64
  %old = load i32, ptr addrspace(1) %at, align 4
  %new = add i32 %old, 1
  store i32 %new, ptr addrspace(1) %at, align 4
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
