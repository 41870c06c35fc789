; A function out of line is told who calls it together; behind the call these wait for each other.
; RUN: --kernel=k --isa=sm_90 --block=0,1,1 --until=threads
; CHECK: (i32 %0, i32 %1)
; CHECK: @llvm.nvvm.shfl.sync.idx.i32(i32 %1,
; CHECK: @llvm.nvvm.bar.warp.sync(i32 %
; CHECK: @llvm.nvvm.bar.warp.sync(i32 %
; NOT: activemask
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define hidden i32 @again(i32 %n) #1 {
entry:
  %s = call i32 @llvm.amdgcn.ds.bpermute(i32 8, i32 %n)
  %c = icmp sgt i32 %s, 3
  br i1 %c, label %more, label %out
more:
  %d = add i32 %n, -1
  %r = call i32 @again(i32 %d)
  br label %out
out:
  %x = phi i32 [ %s, %entry ], [ %r, %more ]
  ret i32 %x
}
define amdgpu_kernel void @k(ptr addrspace(1) %p) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %v = load i32, ptr addrspace(1) %at
  %c = icmp sgt i32 %v, 3
  br i1 %c, label %yes, label %out
yes:
  %s = call i32 @again(i32 %v)
  store i32 %s, ptr addrspace(1) %at
  br label %out
out:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
attributes #0 = { "target-cpu"="gfx1100" }
attributes #1 = { noinline "target-cpu"="gfx1100" }
