; Loops that read ordinary memory and get on by themselves: the rows of a sparse matrix, a table that is probed
; around its end, a stack in memory, a count in memory, a fixed point that a barrier is part of. They stay in regions.
; RUN: --kernel=rows --block=128,1,1 --until=region
; RUN: --kernel=probe --block=128,1,1 --until=region
; RUN: --kernel=stack --block=128,1,1 --until=region
; RUN: --kernel=meet --block=128,1,1 --until=region
; CHECK: define void @ls.program
; NOT: @ls.yield
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @rows(ptr addrspace(1) %ends, ptr addrspace(1) %out) {
entry:
  br label %row
row:
  %j = phi i32 [ 0, %entry ], [ %k, %row ]
  %a = getelementptr i32, ptr addrspace(1) %out, i32 %j
  %old = atomicrmw add ptr addrspace(1) %a, i32 1 monotonic
  %k = add i32 %j, 1
  %end = load i32, ptr addrspace(1) %ends
  %in = icmp slt i32 %k, %end
  br i1 %in, label %row, label %done
done:
  ret void
}

define amdgpu_kernel void @probe(ptr addrspace(1) %keys, i32 %key, i32 %n, ptr addrspace(1) %out) {
entry:
  br label %look
look:
  %i = phi i32 [ 0, %entry ], [ %next, %on ]
  %a = getelementptr i32, ptr addrspace(1) %keys, i32 %i
  %v = load i32, ptr addrspace(1) %a
  %hit = icmp eq i32 %v, %key
  br i1 %hit, label %done, label %on
on:
  %j = add i32 %i, 1
  %wrap = icmp eq i32 %j, %n
  %next = select i1 %wrap, i32 0, i32 %j
  br label %look
done:
  store i32 %i, ptr addrspace(1) %out
  ret void
}

define amdgpu_kernel void @stack(ptr addrspace(1) %top, ptr addrspace(1) %out) {
entry:
  br label %pop
pop:
  %t = load i32, ptr addrspace(1) %top
  %some = icmp sgt i32 %t, 0
  br i1 %some, label %use, label %done
use:
  %u = sub i32 %t, 1
  store i32 %u, ptr addrspace(1) %top
  %a = getelementptr i32, ptr addrspace(1) %out, i32 %u
  %old = atomicrmw add ptr addrspace(1) %a, i32 1 monotonic
  br label %pop
done:
  ret void
}

define amdgpu_kernel void @meet(ptr addrspace(1) %changed) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %pass
pass:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %c = load i32, ptr addrspace(1) %changed
  %u = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %c)
  %again = icmp ne i32 %c, 0
  br i1 %again, label %pass, label %done
done:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare void @llvm.amdgcn.s.barrier()
