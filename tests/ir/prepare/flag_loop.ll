; A lane that has voted knows its way out of the loop. The vote stays in the iteration all the same: a lane leaves
; behind it. The loop behind it holds nothing that lanes do together: there the flag disappears.
; RUN: --kernel=k --block=64,1,1 --until=prepare
; CHECK: call i32 @llvm.amdgcn.ballot
; CHECK: br label %latch
; CHECK: br i1 %mine, label %mid
; NOT: %found
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %head
head:
  %old = phi i32 [ 0, %entry ], [ %r, %latch ]
  %first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %t)
  %mine = icmp eq i32 %first, %t
  br i1 %mine, label %vote, label %latch
vote:
  %v = call i32 @llvm.amdgcn.ballot.i32(i1 true)
  br label %latch
latch:
  %done = phi i1 [ true, %vote ], [ false, %head ]
  %r = phi i32 [ %v, %vote ], [ %old, %head ]
  br i1 %done, label %mid, label %head
mid:
  store i32 %r, ptr addrspace(1) %p
  br label %next
next:
  %i = phi i32 [ 0, %mid ], [ %j, %on ]
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %x = load i32, ptr addrspace(1) %a
  %hit = icmp eq i32 %x, %r
  br i1 %hit, label %write, label %on
write:
  store i32 %t, ptr addrspace(1) %a
  br label %on
on:
  %found = phi i1 [ true, %write ], [ false, %next ]
  %j = add i32 %i, %t
  br i1 %found, label %end, label %next
end:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.amdgcn.ballot.i32(i1)
