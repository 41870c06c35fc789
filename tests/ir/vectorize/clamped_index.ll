; An index clamped to the array's last element: one contiguous load where the bound lies behind all lanes.
; RUN: --kernel=k --block=32,1,1 --until=vectorize
; CHECK: near
; CHECK: load <32 x i32>
; CHECK: far
; CHECK: @llvm.masked.gather.v32i32
; CHECK: ret void
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %w = call i32 @llvm.amdgcn.workgroup.id.x()
  %b = shl i32 %w, 5
  %i = add i32 %b, %t
  %last = add i32 %n, -1
  %c = call i32 @llvm.smin.i32(i32 %i, i32 %last)
  %x = sext i32 %c to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %x
  %v = load i32, ptr addrspace(1) %a
  %o = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %v, ptr addrspace(1) %o
  ret void
}
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
