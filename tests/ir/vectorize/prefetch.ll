; A prefetch asks for the lines that the warp's addresses span, once, whatever the mask.
; RUN: --kernel=k --block=32,1,1 --until=vectorize
; CHECK: @llvm.prefetch.p0(ptr
; CHECK: , i64 64
; CHECK: @llvm.prefetch.p0(ptr
; CHECK: ret void
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  call void @llvm.prefetch.p1(ptr addrspace(1) %a, i32 0, i32 3, i32 1)
  ret void
}
declare void @llvm.prefetch.p1(ptr addrspace(1), i32, i32, i32)
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
