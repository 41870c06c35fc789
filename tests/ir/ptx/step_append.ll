; A counter that one lane moves for all is read behind the warp's barrier, and set in front of it.
; RUN: --kernel=k --isa=sm_90 --block=0,1,1 --until=threads
; CHECK: store i32 5, ptr addrspace(3)
; CHECK: call void @llvm.nvvm.bar.warp.sync(i32 -1)
; CHECK: atomicrmw sub
; CHECK: call void @llvm.nvvm.bar.warp.sync(i32 -1)
; CHECK: load i32, ptr addrspace(3)
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
@n = internal addrspace(3) global i32 poison, align 4

define amdgpu_kernel void @k(ptr addrspace(1) %p) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 5, ptr addrspace(3) @n
  %old = call i32 @llvm.amdgcn.ds.consume.p3(ptr addrspace(3) @n, i1 false)
  %v = load i32, ptr addrspace(3) @n
  store i32 %v, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.ds.consume.p3(ptr addrspace(3), i1)
attributes #0 = { "target-cpu"="gfx1100" }
