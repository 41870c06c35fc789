; In a large function (here: with no budget) the values that edges bring to phis are written by loops where the edges come from:
; no whole vector is handed from block to block.
; RUN: --kernel=k --block=64,1,1 --warp=64 --isa=sse2 --budget=1 --until=finish
; RUN: --kernel=k --block=64,1,1 --warp=64 --isa=avx2 --budget=1 --until=finish
; CHECK: rolled:
; CHECK: load <
; NOT: phi <64 x i32>
; NOT: undef
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) noundef %p, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %first = load i32, ptr addrspace(1) %at, align 4
  br label %head

head:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  %odd = phi i1 [ false, %entry ], [ %other, %join ]
  %x = phi i32 [ %first, %entry ], [ %later, %join ]
  %m = mul i32 %x, %t
  %c = icmp sgt i32 %m, %n
  br i1 %c, label %then, label %join

then:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %m
  %y = load i32, ptr addrspace(1) %q, align 4
  %z = xor i32 %y, %x
  br label %join

join:
  %w = phi i32 [ %x, %head ], [ %z, %then ]
  %later = add i32 %w, %i
  %other = xor i1 %odd, %c
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %out

out:
  %last = select i1 %other, i32 %later, i32 %t
  store i32 %last, ptr addrspace(1) %at, align 4
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
