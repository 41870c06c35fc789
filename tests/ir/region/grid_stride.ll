; The warps of a block take turns in a loop whose threads stride far: the index is computed from a counter of the
; block, the threads in the loop have flags, and while all stay the flags are not asked. The first iteration runs
; before the first turn. What comes is asked for only while the warp stays.
; RUN: --kernel=k --block=256,1,1 --until=region
; CHECK: %in.turn = alloca [8 x i8]
; CHECK: %skipped = alloca i8
; CHECK: label %r1.full, label %r1.some
; CHECK: call void @llvm.prefetch.p1
; CHECK: r1.full:
; CHECK: r1.some:
; CHECK: load i8, ptr addrspace(5)
; NOT: live = alloca
; NOT: call void @ls.turn
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n, i32 %stride) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %base = shl i32 %b, 8
  %start = add i32 %base, %t
  %any = icmp slt i32 %start, %n
  br i1 %any, label %loop, label %done
loop:
  %i = phi i32 [ %start, %entry ], [ %next, %loop ]
  %w = sext i32 %i to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %w
  %v = load i32, ptr addrspace(1) %a
  %v1 = add i32 %v, 1
  store i32 %v1, ptr addrspace(1) %a
  %next = add i32 %i, %stride
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
