; A private variable whose alignment is stricter than its size: each warp's copy is aligned (rocPRIM's items of a
; thread, whose loads LLVM has made aligned ones).
; RUN: --kernel=k --block=128,1,1 --until=region
; CHECK: alloca [4 x <{ [5 x [24 x i8]], [8 x i8] }>], align 16
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  %arr = alloca [5 x [24 x i8]], align 16, addrspace(5)
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = urem i32 %t, 5
  %a = getelementptr [24 x i8], ptr addrspace(5) %arr, i32 %i
  store i32 %t, ptr addrspace(5) %a, align 8
  store i32 %t, ptr addrspace(1) %p
  call void @llvm.amdgcn.s.barrier()
  %v = load <2 x i64>, ptr addrspace(5) %arr, align 16
  store <2 x i64> %v, ptr addrspace(1) %p
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
