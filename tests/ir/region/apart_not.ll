; Barriers that stay, each kernel for a reason of its own: warps meet in one word, in all of a variable, by a pointer that
; may point there, in global memory, through the next iteration; atomics and volatile accesses; threads that return.
; RUN: --kernel=bytes --block=128,1,1 --print=plan
; RUN: --kernel=far --block=128,1,1 --print=plan
; RUN: --kernel=far --block=64,2,1 --print=plan
; RUN: --kernel=far --print=plan
; RUN: --kernel=anywhere --block=128,1,1 --print=plan
; RUN: --kernel=pointer --block=128,1,1 --print=plan
; RUN: --kernel=global --block=128,1,1 --print=plan
; RUN: --kernel=next --block=128,1,1 --print=plan
; RUN: --kernel=atomic --block=128,1,1 --print=plan
; RUN: --kernel=volatile --block=128,1,1 --print=plan
; RUN: --kernel=returns --block=128,1,1 --print=plan
; CHECK: p1: barrier
; NOT: within warps
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@s = internal addrspace(3) global [1024 x i32] undef, align 4
@c = internal addrspace(3) global [132 x i8] undef, align 4

define amdgpu_kernel void @bytes(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i8, ptr addrspace(3) @c, i32 %t
  %b = getelementptr i8, ptr addrspace(3) %a, i32 2
  store i8 1, ptr addrspace(3) %b
  call void @llvm.amdgcn.s.barrier()
  %x = load i8, ptr addrspace(3) %b
  %y = add i8 %x, 1
  store i8 %y, ptr addrspace(3) %b
  ret void
}
define amdgpu_kernel void @far(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = xor i32 %t, 32
  %a = getelementptr i32, ptr addrspace(3) @s, i32 %t
  %b = getelementptr i32, ptr addrspace(3) @s, i32 %o
  store i32 %t, ptr addrspace(3) %a
  call void @llvm.amdgcn.s.barrier()
  %x = load i32, ptr addrspace(3) %b
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %x, ptr addrspace(1) %g
  ret void
}
define amdgpu_kernel void @anywhere(ptr addrspace(1) %p, i32 %i) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(3) @s, i32 %t
  %b = getelementptr i32, ptr addrspace(3) @s, i32 %i
  store i32 %t, ptr addrspace(3) %a
  call void @llvm.amdgcn.s.barrier()
  %x = load i32, ptr addrspace(3) %b
  store i32 %x, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @pointer(ptr addrspace(1) %p, i1 %which) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(3) @s, i32 %t
  %f = addrspacecast ptr addrspace(3) @s to ptr
  store ptr %f, ptr addrspace(1) %p
  store i32 %t, ptr addrspace(3) %a
  call void @llvm.amdgcn.s.barrier()
  %q = getelementptr i64, ptr addrspace(1) %p, i32 %t
  %g = load ptr, ptr addrspace(1) %q
  %x = load i32, ptr %g
  store volatile i32 %x, ptr addrspace(1) %q
  ret void
}
define amdgpu_kernel void @global(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %o = xor i32 %t, 1
  %b = getelementptr i32, ptr addrspace(1) %p, i32 %o
  store i32 %t, ptr addrspace(1) %a
  call void @llvm.amdgcn.s.barrier()
  %x = load i32, ptr addrspace(1) %b
  %c = getelementptr i32, ptr addrspace(3) @s, i32 %t
  store i32 %x, ptr addrspace(3) %c
  ret void
}
define amdgpu_kernel void @next(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(3) @s, i32 %t
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %v = add i32 %i, %t
  store i32 %v, ptr addrspace(3) %a
  call void @llvm.amdgcn.s.barrier()
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
define amdgpu_kernel void @atomic(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(3) @s, i32 %t
  %x = atomicrmw add ptr addrspace(3) %a, i32 1 syncscope("agent") monotonic
  call void @llvm.amdgcn.s.barrier()
  store i32 %x, ptr addrspace(3) %a
  ret void
}
define amdgpu_kernel void @volatile(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(3) @s, i32 %t
  store volatile i32 1, ptr addrspace(3) %a
  call void @llvm.amdgcn.s.barrier()
  store i32 %t, ptr addrspace(3) %a
  ret void
}
define amdgpu_kernel void @returns(ptr addrspace(1) %p) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(3) @s, i32 %t
  store i32 %t, ptr addrspace(3) %a
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %x = load i32, ptr addrspace(1) %g
  %odd = icmp eq i32 %x, 5
  br i1 %odd, label %out, label %on
on:
  call void @llvm.amdgcn.s.barrier()
  %y = load i32, ptr addrspace(3) %a
  store i32 %y, ptr addrspace(1) %g
  br label %out
out:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
