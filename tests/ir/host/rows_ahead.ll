; A tile of 16 rows that waits for its barrier: prefetchers follow no such rows, so those of the next block are asked for, into
; the second cache; also where earlier passes left nothing of the shared memory (turned).
; RUN: --kernel=rows --block=32,16,1 --isa=avx512 --until=finish
; RUN: --kernel=turned --block=16,16,1 --isa=avx512 --until=finish
; CHECK: void @ls.run_whole(
; CHECK: call void @llvm.prefetch.p0(
; CHECK: i32 0, i32 2, i32 1)
; CHECK: void @ls.run_blocks(
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@tile = internal addrspace(3) global [512 x float] undef, align 16
@padded = internal addrspace(3) global [16 x [17 x float]] undef, align 16

define amdgpu_kernel void @rows(ptr addrspace(1) noalias %to, ptr addrspace(1) noalias %from, i32 %n) {
  %tx = call i32 @llvm.amdgcn.workitem.id.x()
  %ty = call i32 @llvm.amdgcn.workitem.id.y()
  %bx = call i32 @llvm.amdgcn.workgroup.id.x()
  %by = call i32 @llvm.amdgcn.workgroup.id.y()
  %x0 = shl i32 %bx, 5
  %x = add i32 %x0, %tx
  %y0 = shl i32 %by, 4
  %y = add i32 %y0, %ty
  %row = mul nsw i32 %y, %n
  %i = add nsw i32 %row, %x
  %l = sext i32 %i to i64
  %a = getelementptr float, ptr addrspace(1) %from, i64 %l
  %v = load float, ptr addrspace(1) %a
  %r = shl i32 %ty, 5
  %p = or disjoint i32 %r, %tx
  %s = getelementptr [512 x float], ptr addrspace(3) @tile, i32 0, i32 %p
  store float %v, ptr addrspace(3) %s
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %f = sub i32 511, %p
  %u = getelementptr [512 x float], ptr addrspace(3) @tile, i32 0, i32 %f
  %w = load float, ptr addrspace(3) %u
  %d = getelementptr float, ptr addrspace(1) %to, i64 %l
  store float %w, ptr addrspace(1) %d
  ret void
}

define amdgpu_kernel void @turned(ptr addrspace(1) noalias %to, ptr addrspace(1) noalias %from, i32 %n) {
  %tx = call i32 @llvm.amdgcn.workitem.id.x()
  %ty = call i32 @llvm.amdgcn.workitem.id.y()
  %bx = call i32 @llvm.amdgcn.workgroup.id.x()
  %by = call i32 @llvm.amdgcn.workgroup.id.y()
  %x0 = shl i32 %bx, 4
  %x = add i32 %x0, %tx
  %y0 = shl i32 %by, 4
  %y = add i32 %y0, %ty
  %row = mul nsw i32 %y, %n
  %i = add nsw i32 %row, %x
  %l = sext i32 %i to i64
  %a = getelementptr float, ptr addrspace(1) %from, i64 %l
  %v = load float, ptr addrspace(1) %a
  %s = getelementptr [16 x [17 x float]], ptr addrspace(3) @padded, i32 0, i32 %ty, i32 %tx
  store float %v, ptr addrspace(3) %s
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %u = getelementptr [16 x [17 x float]], ptr addrspace(3) @padded, i32 0, i32 %tx, i32 %ty
  %w = load float, ptr addrspace(3) %u
  %x2 = add i32 %y0, %tx
  %y2 = add i32 %x0, %ty
  %row2 = mul nsw i32 %y2, %n
  %j = add nsw i32 %row2, %x2
  %m = sext i32 %j to i64
  %d = getelementptr float, ptr addrspace(1) %to, i64 %m
  store float %w, ptr addrspace(1) %d
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare void @llvm.amdgcn.s.barrier()
