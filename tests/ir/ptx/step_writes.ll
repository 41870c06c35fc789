; Where lock step is relied on, what another lane has stored is stored over behind the warp's barrier.
; RUN: --kernel=k --isa=sm_90 --block=0,1,1 --until=threads
; CHECK: store i32 %v, ptr addrspace(3) %mine
; CHECK: call void @llvm.nvvm.bar.warp.sync(i32 -1)
; CHECK: store i32 %v, ptr addrspace(3) %other
; CHECK: call void @llvm.nvvm.bar.warp.sync(i32 -1)
; CHECK: load i32, ptr addrspace(3) %mine
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
@s = internal addrspace(3) global [64 x i32] poison, align 16

define amdgpu_kernel void @k(ptr addrspace(1) %p) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %v = load i32, ptr addrspace(1) %at
  %mine = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %t
  store i32 %v, ptr addrspace(3) %mine
  %turned = mul i32 %t, 5
  %u = and i32 %turned, 31
  %other = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %u
  store i32 %v, ptr addrspace(3) %other
  %w = load i32, ptr addrspace(3) %mine
  store i32 %w, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "target-cpu"="gfx1100" }
