; A phi is uniform where the lanes come the same way with a uniform value, grouped in a loop that all leave together,
; and varying where lanes meet or come in different iterations.
; RUN: --kernel=k --block=32,1,1 --warp=32 --print=shapes
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %any = icmp sgt i32 %n, 5
  br i1 %any, label %together, label %meet
together:
  store volatile i32 %n, ptr addrspace(1) %p
  br label %meet
meet:
  %alike = phi i32 [ 3, %entry ], [ %n, %together ]
  %x = load volatile i32, ptr addrspace(1) %at
  %some = icmp slt i32 %x, 10
  br i1 %some, label %few, label %again
few:
  store volatile i32 %alike, ptr addrspace(1) %at
  br label %again
again:
  %parted = phi i32 [ %alike, %meet ], [ 7, %few ]
  br label %loop
loop:
  %i = phi i32 [ 0, %again ], [ %next, %loop ]
  %here = phi i32 [ %t, %again ], [ %there, %loop ]
  %cell = getelementptr i32, ptr addrspace(1) %p, i32 %here
  store volatile i32 %i, ptr addrspace(1) %cell
  %there = add nuw nsw i32 %here, 32
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %search
search:
  %j = phi i32 [ 0, %loop ], [ %further, %search ]
  %y = load volatile i32, ptr addrspace(1) %at
  %further = add i32 %j, 1
  %found = icmp eq i32 %y, %j
  br i1 %found, label %out, label %search
out:
  %steps = phi i32 [ %further, %search ]
  %sum = add i32 %steps, %parted
  store volatile i32 %sum, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
