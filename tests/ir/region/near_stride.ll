; No turns: of one warp; where all threads count alike, nothing is contiguous over them.
; RUN: --kernel=alike --block=256,1,1 --until=region
; RUN: --kernel=near --block=32,1,1 --until=region
; CHECK: define void @ls.program
; NOT: alloca
; NOT: prefetch
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @near(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %any = icmp slt i32 %t, %n
  br i1 %any, label %loop, label %done
loop:
  %i = phi i32 [ %t, %entry ], [ %next, %loop ]
  %w = sext i32 %i to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %w
  %v = load i32, ptr addrspace(1) %a
  %v1 = add i32 %v, 1
  store i32 %v1, ptr addrspace(1) %a
  %next = add i32 %i, 256
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
define amdgpu_kernel void @alike(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i32 %stride) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %s, %loop ]
  %j = add i32 %i, %t
  %w = sext i32 %j to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %w
  %v = load i32, ptr addrspace(1) %a
  %s = add i32 %sum, %v
  %next = add i32 %i, %stride
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %o = getelementptr i32, ptr addrspace(1) %q, i32 %t
  store i32 %s, ptr addrspace(1) %o
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
