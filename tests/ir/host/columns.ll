; Four warps read neighbouring columns of a tile: its rows are loaded and turned around in registers.
; RUN: --kernel=k --block=32,4,1 --until=finish --isa=avx512
; CHECK: define internal void @ls.run_whole(
; CHECK: load <4 x float>
; CHECK: shufflevector <4 x float>
; CHECK: store <
; CHECK: define internal void @ls.run_blocks
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@s = internal addrspace(3) global [32 x [33 x float]] undef, align 4

define amdgpu_kernel void @k(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %q) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %first = shl i32 %b, 7
  %row = shl nuw nsw i32 %y, 5
  %t = add nuw nsw i32 %row, %x
  %i = add i32 %first, %t
  %wide = zext i32 %i to i64
  %from = getelementptr float, ptr addrspace(1) %p, i64 %wide
  %v = load float, ptr addrspace(1) %from
  %at = getelementptr [32 x [33 x float]], ptr addrspace(3) @s, i32 0, i32 %y, i32 %x
  store float %v, ptr addrspace(3) %at
  call void @llvm.amdgcn.s.barrier()
  %turned = getelementptr [32 x [33 x float]], ptr addrspace(3) @s, i32 0, i32 %x, i32 %y
  %w = load float, ptr addrspace(3) %turned
  %to = getelementptr float, ptr addrspace(1) %q, i64 %wide
  store float %w, ptr addrspace(1) %to
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare void @llvm.amdgcn.s.barrier()
