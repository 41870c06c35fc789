; A sum over the lanes of a warp by a loop whose steps are times the width of a row of threads: with a block of known
; shape its turns are known, and so is the lane from which each one takes.
; RUN: --kernel=k --block=1,256,1 --until=prepare
; CHECK: ds.bpermute
; NOT: phi
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.y()
  %implicit = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %field = getelementptr i8, ptr addrspace(4) %implicit, i64 12
  %short = load i16, ptr addrspace(4) %field
  %row = zext i16 %short to i32
  %lane = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  br label %loop
loop:
  %d = phi i32 [ 1, %entry ], [ %twice, %loop ]
  %v = phi i32 [ %t, %entry ], [ %sum, %loop ]
  %by = mul i32 %d, %row
  %from = add i32 %lane, %by
  %at = shl i32 %from, 2
  %other = call i32 @llvm.amdgcn.ds.bpermute(i32 %at, i32 %v)
  %sum = add i32 %v, %other
  %twice = shl i32 %d, 1
  %far = mul i32 %twice, %row
  %more = icmp ult i32 %far, 32
  br i1 %more, label %loop, label %done
done:
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %sum, ptr addrspace(1) %g
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
