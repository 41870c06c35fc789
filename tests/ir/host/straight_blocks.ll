; Whole blocks with a barrier are straight code: what a thread reads of its neighbour's shared memory comes out of the
; vectors of two warps, and nothing is written there. Lines are read in the order of warps, as registers hold them all.
; RUN: --kernel=neighbours --block=128,1,1 --isa=avx512 --until=finish
; RUN: --kernel=neighbours --block=128,1,1 --isa=avx512 --until=finish -g
; CHECK: void @ls.run_whole(
; CHECK: fence syncscope("singlethread") release
; CHECK: <32 x i32> <i32 31, i32 32, i32 33
; CHECK: void @ls.run_blocks(
; NOT: llvm.prefetch
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@lds = internal addrspace(3) global [128 x float] undef, align 16

define amdgpu_kernel void @neighbours(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = shl i32 %b, 7
  %i = add i32 %o, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %all
body:
  %l = sext i32 %i to i64
  %a = getelementptr float, ptr addrspace(1) %q, i64 %l
  %v = load float, ptr addrspace(1) %a
  br label %all
all:
  %x = phi float [ %v, %body ], [ 0.0, %0 ]
  %s = getelementptr [128 x float], ptr addrspace(3) @lds, i32 0, i32 %t
  store float %x, ptr addrspace(3) %s
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %z = icmp eq i32 %t, 0
  br i1 %z, label %sum, label %before
before:
  %u = sub i32 %t, 1
  %d = getelementptr [128 x float], ptr addrspace(3) @lds, i32 0, i32 %u
  %e = load float, ptr addrspace(3) %d
  br label %sum
sum:
  %f = phi float [ %e, %before ], [ 0.0, %all ]
  %g = bitcast float %f to i32
  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %k16 = add i32 %lo, 16
  %b16 = shl i32 %k16, 2
  %h = call i32 @llvm.amdgcn.ds.bpermute(i32 %b16, i32 %g)
  %r = bitcast i32 %h to float
  %y = fadd float %f, %r
  %yb = bitcast float %y to i32
  %k8 = add i32 %lo, 8
  %b8 = shl i32 %k8, 2
  %h8 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b8, i32 %yb)
  %r8 = bitcast i32 %h8 to float
  %y8 = fadd float %y, %r8
  %first = icmp ult i32 %lo, 8
  br i1 %first, label %write, label %end
write:
  %w = lshr i32 %t, 5
  %w8 = shl i32 %w, 3
  %wl = add i32 %w8, %lo
  %bx = zext i32 %b to i64
  %wo = shl nuw nsw i64 %bx, 5
  %wz = zext i32 %wl to i64
  %wx = add nuw nsw i64 %wo, %wz
  %out = getelementptr float, ptr addrspace(1) %p, i64 %wx
  store float %y8, ptr addrspace(1) %out
  br label %end
end:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare void @llvm.amdgcn.s.barrier()
