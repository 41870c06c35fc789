; What a lane has stored in shared memory itself, and atomics, need no barrier of the warp.
; RUN: --kernel=own --isa=sm_90 --block=0,1,1 --until=threads
; CHECK: atomicrmw
; NOT: bar.warp.sync
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
@s = internal addrspace(3) global [256 x i32] poison, align 16

define amdgpu_kernel void @own(ptr addrspace(1) %p) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %v = load i32, ptr addrspace(1) %at
  %mine = getelementptr [256 x i32], ptr addrspace(3) @s, i32 0, i32 %t
  %old = load volatile i32, ptr addrspace(3) %mine
  store volatile i32 %v, ptr addrspace(3) %mine
  %x = load volatile i32, ptr addrspace(3) %mine
  %y = add i32 %x, %old
  store volatile i32 %y, ptr addrspace(3) %mine
  call void @llvm.amdgcn.s.barrier()
  %slot = and i32 %v, 255
  %bin = getelementptr [256 x i32], ptr addrspace(3) @s, i32 0, i32 %slot
  %a = atomicrmw add ptr addrspace(3) %bin, i32 1 monotonic
  %b = atomicrmw add ptr addrspace(3) %bin, i32 2 monotonic
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
attributes #0 = { "target-cpu"="gfx1100" }
