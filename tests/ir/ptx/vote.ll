; A ballot that is only asked for being 0 is the hardware's vote.
; RUN: --kernel=k --isa=sm_90 --block=0,1,1 --until=threads
; CHECK: @llvm.nvvm.vote.any.sync(i32 -1,
; NOT: ballot
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %v = load i32, ptr addrspace(1) %at
  %c = icmp sgt i32 %v, 3
  %b = call i32 @llvm.amdgcn.ballot.i32(i1 %c)
  %any = icmp ne i32 %b, 0
  %r = zext i1 %any to i32
  store i32 %r, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.ballot.i32(i1)
attributes #0 = { "target-cpu"="gfx1100" }
