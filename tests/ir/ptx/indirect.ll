; Lanes whose pointers lead to different functions call them one after the other: the assembler takes it that a call lets
; nobody part from the others. Nor does it know the mask of the wait behind them, or it would leave that out.
; RUN: --kernel=k --isa=sm_90 --block=0,1,1 --until=threads
; CHECK: %rest = phi i32
; CHECK: @llvm.nvvm.shfl.sync.idx.i32(i32 %rest,
; CHECK: @llvm.nvvm.shfl.sync.idx.i32(i32 %rest,
; CHECK: %33 = call i32 @llvm.nvvm.vote.ballot.sync(i32 %rest, i1 %32)
; CHECK: br i1 %32, label %36, label %next
; CHECK: next:
; CHECK: call i32 %16(i32 %v, i32 %33)
; CHECK: %38 = call i32 asm "ld.const.u32 $0, [ls_all];"
; CHECK: %39 = and i32 %38, %6
; CHECK: @llvm.nvvm.bar.warp.sync(i32 %39)
; NOT: match.any
; NOT: ls.part
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@table = hidden addrspace(4) constant [2 x ptr] [ptr @first, ptr @second]

define hidden i32 @first(i32 %n) #1 {
  %s = call i32 @llvm.amdgcn.ds.bpermute(i32 8, i32 %n)
  ret i32 %s
}
define hidden i32 @second(i32 %n) #1 {
  %s = call i32 @llvm.amdgcn.ds.bpermute(i32 4, i32 %n)
  ret i32 %s
}
define amdgpu_kernel void @k(ptr addrspace(1) %p) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %v = load i32, ptr addrspace(1) %at
  %c = icmp sgt i32 %v, 3
  br i1 %c, label %yes, label %out
yes:
  %odd = and i32 %v, 1
  %slot = getelementptr [2 x ptr], ptr addrspace(4) @table, i32 0, i32 %odd
  %f = load ptr, ptr addrspace(4) %slot
  %s = call i32 %f(i32 %v)
  store i32 %s, ptr addrspace(1) %at
  br label %out
out:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
attributes #0 = { "target-cpu"="gfx1100" }
attributes #1 = { noinline "target-cpu"="gfx1100" }
