; To find races other warps may run in front of each store that they can see, and in each loop.
; RUN: --kernel=k --block=128,1,1 --until=region --interleave
; CHECK: call void @ls.yield()
; CHECK: store i32 %i, ptr addrspace(1) %p
; CHECK: call void @ls.yield()
; CHECK: br i1 %in
; NOT: r0.
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  store i32 %i, ptr addrspace(1) %p
  %j = add i32 %i, 1
  %in = icmp slt i32 %j, %n
  br i1 %in, label %loop, label %done
done:
  ret void
}
