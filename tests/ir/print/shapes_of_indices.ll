; What is known of the indices that kernels make: of rows and columns of a 16 by 16 block, of a line of blocks with
; signed and unsigned arithmetic (the latter only by a check at run time, "assumed"), of clamped ones, of lane counts.
; RUN: --kernel=k --block=16,16,1 --warp=32 --print=shapes
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n, i32 %row_length) {
entry:
  %tx = call i32 @llvm.amdgcn.workitem.id.x()
  %ty = call i32 @llvm.amdgcn.workitem.id.y()
  %bx = call i32 @llvm.amdgcn.workgroup.id.x()
  %first = shl i32 %bx, 4
  %column = or disjoint i32 %first, %tx
  %row_start = mul nsw i32 %ty, %row_length
  %at_signed = add nsw i32 %row_start, %column
  %at_wraps = add i32 %at_signed, %n
  %signed = getelementptr float, ptr addrspace(1) %p, i32 %at_signed
  %wide = zext i32 %at_wraps to i64
  %wraps = getelementptr float, ptr addrspace(1) %p, i64 %wide
  %left = add nsw i32 %at_signed, -1
  %clamped = call i32 @llvm.smax.i32(i32 %left, i32 0)
  %edge = getelementptr float, ptr addrspace(1) %p, i32 %clamped
  %below = call i32 @llvm.amdgcn.mbcnt.lo(i32 252645135, i32 %bx)
  %squared = mul i32 %tx, %tx
  %anywhere = getelementptr float, ptr addrspace(1) %p, i32 %squared
  %all_alike = load float, ptr addrspace(1) %p
  %each = load float, ptr addrspace(1) %signed
  store float %each, ptr addrspace(1) %wraps
  store float %all_alike, ptr addrspace(1) %edge
  store volatile i32 %below, ptr addrspace(1) %anywhere
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
