; What the warp has stored in one row of a tile need not be waited for in another: the lanes are less far apart than the rows.
; RUN: --kernel=rows --isa=sm_90 --block=0,1,1 --until=threads
; CHECK: load volatile i32
; NOT: bar.warp.sync
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
@s = internal addrspace(3) global [512 x i32] poison, align 16

define amdgpu_kernel void @rows(ptr addrspace(1) %p) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %v = load i32, ptr addrspace(1) %at
  %mine = getelementptr [512 x i32], ptr addrspace(3) @s, i32 0, i32 %t
  store volatile i32 %v, ptr addrspace(3) %mine
  %next = getelementptr i32, ptr addrspace(3) %mine, i32 32
  %x = load volatile i32, ptr addrspace(3) %next
  store i32 %x, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "target-cpu"="gfx1100" }
