; A grid-stride loop has code for blocks whose threads all leave it after one iteration: without a mask, and
; without what the loop's other iterations need. Where a loop inside begins anew, too.
; RUN: --kernel=k --block=256,1,1 --isa=avx512 --until=finish
; RUN: --kernel=wide --block=256,1,1 --isa=avx512 --until=finish
; RUN: --kernel=wide --block=0,1,1 --isa=avx512 --until=finish
; CHECK: i32 @ls.whole(
; CHECK: void @ls.run_whole(
; CHECK: %unmaskedload = load <32 x
; CHECK: void @ls.run_past(
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = shl i32 %b, 8
  %i = add i32 %o, %t
  %d = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %g = load i32, ptr addrspace(4) %d
  %s = shl i32 %g, 8
  %c = icmp slt i32 %i, %n
  br i1 %c, label %loop, label %end
loop:
  %x = phi i32 [ %i, %0 ], [ %y, %loop ]
  %l = sext i32 %x to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %l
  %v = load i32, ptr addrspace(1) %a
  %e = getelementptr i32, ptr addrspace(1) %q, i64 %l
  store i32 %v, ptr addrspace(1) %e
  %y = add nsw i32 %x, %s
  %z = icmp slt i32 %y, %n
  br i1 %z, label %loop, label %end
end:
  ret void
}

define amdgpu_kernel void @wide(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = shl i32 %b, 8
  %h = add i32 %o, %t
  %i = zext i32 %h to i64
  %d = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %g = load i32, ptr addrspace(4) %d
  %w = zext i32 %g to i64
  %s = shl i64 %w, 8
  %c = icmp ult i64 %i, %n
  br i1 %c, label %loop, label %end
loop:
  %x = phi i64 [ %i, %0 ], [ %y, %loop ]
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %x
  %v = load i32, ptr addrspace(1) %a
  %e = getelementptr i32, ptr addrspace(1) %q, i64 %x
  store i32 %v, ptr addrspace(1) %e
  %y = add i64 %x, %s
  %z = icmp uge i64 %y, %n
  br i1 %z, label %end, label %loop
end:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
