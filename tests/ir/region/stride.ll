; An index that stops at the end is an index like others: it is contiguous over the lanes, in turns and in whole blocks.
; RUN: --kernel=k --block=256,1,1 --isa=avx512 --until=region
; RUN: --kernel=turned --block=256,1,1 --isa=avx512 --until=region
; CHECK: in.turn
; CHECK: r1.full:
; NOT: select
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i32 %s) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = shl i32 %b, 8
  %i = add i32 %o, %t
  %e = sub i32 %n, %s
  %c = icmp ult i32 %i, %n
  br i1 %c, label %loop, label %end
loop:
  %x = phi i32 [ %i, %0 ], [ %next, %loop ]
  %l = zext i32 %x to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %l
  %v = load i32, ptr addrspace(1) %a
  %f = getelementptr i32, ptr addrspace(1) %q, i64 %l
  store i32 %v, ptr addrspace(1) %f
  %below = icmp ult i32 %x, %e
  %y = add nuw i32 %x, %s
  %next = select i1 %below, i32 %y, i32 %n
  %z = icmp ult i32 %next, %n
  br i1 %z, label %loop, label %end
end:
  ret void
}

; The same the other way round.
define amdgpu_kernel void @turned(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i32 %s) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = shl i32 %b, 8
  %i = add i32 %o, %t
  %e = sub i32 %n, %s
  %c = icmp ult i32 %i, %n
  br i1 %c, label %loop, label %end
loop:
  %x = phi i32 [ %i, %0 ], [ %next, %loop ]
  %l = zext i32 %x to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %l
  %v = load i32, ptr addrspace(1) %a
  %f = getelementptr i32, ptr addrspace(1) %q, i64 %l
  store i32 %v, ptr addrspace(1) %f
  %beyond = icmp uge i32 %x, %e
  %y = add nuw i32 %x, %s
  %next = select i1 %beyond, i32 %n, i32 %y
  %z = icmp ule i32 %n, %next
  br i1 %z, label %end, label %loop
end:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
