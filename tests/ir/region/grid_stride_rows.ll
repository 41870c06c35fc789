; Warps take turns in a grid-stride loop also where only that a block is a row of whole warps is known:
; an iteration to come is asked for, and a block in which all threads stay has a loop without masks.
; RUN: --kernel=k --block=0,1,1 --until=region
; RUN: --kernel=k --block=256,1,1 --until=region
; CHECK: %skipped = alloca i8
; CHECK: label %r1.full, label %r1.some
; CHECK: call void @llvm.prefetch.p1
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) noundef %out, ptr addrspace(1) noundef %in, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %row = mul i32 %b, 65536
  %first = add i32 %row, %t
  %any = icmp slt i32 %first, %n
  br i1 %any, label %loop, label %end
loop:
  %i = phi i32 [ %first, %entry ], [ %more, %loop ]
  %i64 = sext i32 %i to i64
  %from = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i64
  %v = load i32, ptr addrspace(1) %from, align 4
  %to = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i64
  store i32 %v, ptr addrspace(1) %to, align 4
  %more = add nsw i32 %i, 1048576
  %again = icmp slt i32 %more, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
