; Threads that walk a block apart take turns where the walk is long: a form for blocks whose threads all stay, one for
; the last iteration, one with flags; and the loop as it was for short walks.
; RUN: --kernel=k --block=256,1,1 --until=region
; CHECK: in.turn = alloca [8 x i8]
; CHECK: br i1 %
; CHECK: .full, label %
; CHECK: .leaving
; CHECK: .some
; NOT: prefetch
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %any = icmp slt i32 %t, %n
  br i1 %any, label %loop, label %done
loop:
  %i = phi i32 [ %t, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %s, %loop ]
  %w = sext i32 %i to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %w
  %v = load i32, ptr addrspace(1) %a
  %s = add i32 %sum, %v
  %next = add i32 %i, 256
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %r = phi i32 [ 0, %entry ], [ %s, %loop ]
  %o = getelementptr i32, ptr addrspace(1) %q, i32 %t
  store i32 %r, ptr addrspace(1) %o
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
