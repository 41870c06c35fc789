; A wait that is the first thing behind a branch where lanes part is in front of it, for all lanes; the next one is for those that are there,
; who were asked once, in front of the loop.
; RUN: --kernel=turns --isa=sm_90 --block=0,1,1 --until=threads
; CHECK: icmp ugt
; CHECK: @llvm.nvvm.vote.ballot.sync(i32 -1,
; CHECK: store volatile i32 7
; CHECK: @llvm.nvvm.bar.warp.sync(i32 -1)
; CHECK: br i1
; CHECK: load volatile
; CHECK: @llvm.nvvm.bar.warp.sync(i32 %
; CHECK: store volatile
; NOT: activemask
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
@s = internal addrspace(3) global [512 x i32] poison, align 16

define amdgpu_kernel void @turns(ptr addrspace(1) %p, i32 %n) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %v = load i32, ptr addrspace(1) %at
  %some = icmp ugt i32 %v, 3
  %mine = getelementptr [512 x i32], ptr addrspace(3) @s, i32 0, i32 %t
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %end ]
  store volatile i32 7, ptr addrspace(3) %mine
  br i1 %some, label %part, label %end
part:
  %other = getelementptr [512 x i32], ptr addrspace(3) @s, i32 0, i32 %v
  %x = load volatile i32, ptr addrspace(3) %other
  store volatile i32 %x, ptr addrspace(3) %other
  br label %end
end:
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "target-cpu"="gfx1100" }
