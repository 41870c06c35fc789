; A constant address of shared memory that names no variable counts from where the block's memory begins.
; RUN: --kernel=k --isa=sm_90 --block=0,1,1 --until=threads
; CHECK: getelementptr i32, ptr addrspace(3) @ls_shared, i32
; CHECK: store i32 5, ptr addrspace(3) @ls_shared
; CHECK: store i32 6, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @ls_shared, i32 12)
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %mine = getelementptr i32, ptr addrspace(3) null, i32 %t
  store i32 %t, ptr addrspace(3) %mine
  store i32 5, ptr addrspace(3) null
  store i32 6, ptr addrspace(3) inttoptr (i32 12 to ptr addrspace(3))
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "target-cpu"="gfx1100" }
