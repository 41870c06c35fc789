; Of the sum of a warp that lane 0 alone uses, short vectors are added in straight code. Where registers cannot hold all
; that a block reads, lines of later blocks are asked for.
; RUN: --kernel=sums --block=256,1,1 --isa=avx2 --until=finish
; CHECK: void @ls.run_whole(
; CHECK: call void @llvm.prefetch
; CHECK: fadd <16 x float>
; CHECK: fadd <2 x float>
; CHECK: void @ls.run_blocks(
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@of_warp = internal addrspace(3) global [8 x float] undef, align 16

define amdgpu_kernel void @sums(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = shl i32 %b, 8
  %i = add i32 %o, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %all
body:
  %l = sext i32 %i to i64
  %a = getelementptr float, ptr addrspace(1) %q, i64 %l
  %v = load float, ptr addrspace(1) %a
  br label %all
all:
  %f = phi float [ %v, %body ], [ 0.0, %0 ]
  %g = bitcast float %f to i32
  %lane = and i32 %t, 31
  %k16 = add i32 %lane, 16
  %b16 = shl i32 %k16, 2
  %h = call i32 @llvm.amdgcn.ds.bpermute(i32 %b16, i32 %g)
  %r = bitcast i32 %h to float
  %y = fadd float %f, %r
  %yb = bitcast float %y to i32
  %k8 = add i32 %lane, 8
  %b8 = shl i32 %k8, 2
  %h8 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b8, i32 %yb)
  %r8 = bitcast i32 %h8 to float
  %y8 = fadd float %y, %r8
  %w = lshr i32 %t, 5
  %s = getelementptr [8 x float], ptr addrspace(3) @of_warp, i32 0, i32 %w
  %z = icmp eq i32 %lane, 0
  br i1 %z, label %write, label %meet
write:
  store float %y8, ptr addrspace(3) %s
  br label %meet
meet:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %zero = icmp eq i32 %t, 0
  br i1 %zero, label %last, label %end
last:
  %d = getelementptr [8 x float], ptr addrspace(3) @of_warp, i32 0, i32 7
  %e = load float, ptr addrspace(3) %d
  %bx = zext i32 %b to i64
  %out = getelementptr float, ptr addrspace(1) %p, i64 %bx
  store float %e, ptr addrspace(1) %out
  br label %end
end:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare void @llvm.amdgcn.s.barrier()
