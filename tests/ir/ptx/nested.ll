; Lanes that come to a shuffle from two sides, while others stay away, run it together: control flow is made one of nested regions,
; in which a vote says who comes.
; RUN: --kernel=k --isa=sm_90 --block=0,1,1 --until=threads
; CHECK: Flow
; CHECK: @llvm.nvvm.vote.ballot.sync(i32 -1,
; CHECK: @llvm.nvvm.shfl.sync.idx.i32(i32 %
; NOT: activemask
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %v = load i32, ptr addrspace(1) %at
  %a = icmp sgt i32 %v, 3
  br i1 %a, label %meet, label %second
second:
  %w = load volatile i32, ptr addrspace(1) %at
  %b = icmp slt i32 %w, -3
  br i1 %b, label %meet, label %out
meet:
  %x = phi i32 [ %v, %entry ], [ %w, %second ]
  %s = call i32 @llvm.amdgcn.ds.bpermute(i32 8, i32 %x)
  br label %out
out:
  %r = phi i32 [ %w, %second ], [ %s, %meet ]
  store i32 %r, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
attributes #0 = { "target-cpu"="gfx1100" }
