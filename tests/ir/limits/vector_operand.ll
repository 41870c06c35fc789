; An operand counts as a result does: the callee takes more than there is room for.
; RUN: --kernel=k --block=64,1,1 --inline=1
; FAILS: vector of 65 elements in one thread (at most 64)
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

define internal void @f(<65 x i8> %v, ptr addrspace(1) %p) noinline {
  %x = extractelement <65 x i8> %v, i32 64
  store volatile i8 %x, ptr addrspace(1) %p
  ret void
}

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i8, ptr addrspace(1) %p, i32 %i
  call void @f(<65 x i8> zeroinitializer, ptr addrspace(1) %at)
  call void @f(<65 x i8> splat (i8 1), ptr addrspace(1) %at)
  ret void
}
