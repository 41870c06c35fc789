; What is a constant to the vectoriser, as the base of a private array is, needs no slot between blocks.
; RUN: --kernel=k --block=32,1,1 --isa=avx512 --until=vectorize
; CHECK: %private = alloca
; CHECK: masked.gather
; NOT: store i32 0, ptr %slot
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) noundef %p, i32 %n) {
entry:
  %a = alloca [8 x i32], align 4, addrspace(5)
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %more, %fill ]
  %to = getelementptr [8 x i32], ptr addrspace(5) %a, i32 0, i32 %i
  store i32 %n, ptr addrspace(5) %to, align 4
  %more = add nuw nsw i32 %i, 1
  %again = icmp slt i32 %more, %n
  br i1 %again, label %fill, label %use
use:
  %x = load i32, ptr addrspace(1) %at, align 4
  %k = and i32 %x, 7
  %from = getelementptr [8 x i32], ptr addrspace(5) %a, i32 0, i32 %k
  %y = load i32, ptr addrspace(5) %from, align 4
  store i32 %y, ptr addrspace(1) %at, align 4
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
