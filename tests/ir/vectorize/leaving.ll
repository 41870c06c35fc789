; What lanes carry out of a loop that they leave in different iterations is kept under the loop's own
; mask: a lane that stays sends again. No mask is made of those that leave.
; RUN: --kernel=k --block=32,1,1 --isa=avx512 --until=finish
; CHECK: fcmp
; CHECK: %edge.mask.0.i, <32 x i32>
; CHECK: ret void
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) noundef %out, ptr addrspace(1) noundef %in, i32 %limit) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %t64 = zext i32 %t to i64
  %from = getelementptr inbounds float, ptr addrspace(1) %in, i64 %t64
  %c = load float, ptr addrspace(1) %from, align 4
  br label %head
head:
  %n = phi i32 [ 0, %entry ], [ %more, %next ]
  %x = phi float [ 0.0, %entry ], [ %y, %next ]
  %all = icmp slt i32 %n, %limit
  br i1 %all, label %body, label %out.of
body:
  %large = fcmp ogt float %x, 4.0
  br i1 %large, label %out.of, label %next
next:
  %xx = fmul float %x, %x
  %y = fadd float %xx, %c
  %more = add i32 %n, 1
  br label %head
out.of:
  %last = phi i32 [ %n, %head ], [ %n, %body ]
  %to = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %t64
  store i32 %last, ptr addrspace(1) %to, align 4
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
