; Fields of implicit arguments and dispatch packet through phis, selects and indices: chosen by the offset, not loaded.
; RUN: --kernel=k --block=160,2,1 --until=prepare
; CHECK: ret void
; NOT: call ptr addrspace(4)
; NOT: load i16
; NOT: alloca
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n, i1 %c) {
entry:
  %i = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %d = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %x = getelementptr i8, ptr addrspace(4) %i, i64 12
  %y = getelementptr i8, ptr addrspace(4) %i, i64 14
  %xy = select i1 %c, ptr addrspace(4) %x, ptr addrspace(4) %y
  br i1 %c, label %then, label %loop
then:
  %again = getelementptr i8, ptr addrspace(4) %i, i64 12
  br label %loop
loop:
  %ptr = phi ptr addrspace(4) [ %i, %entry ], [ %i, %then ], [ %ptr, %loop ]
  %some = phi ptr addrspace(4) [ %xy, %entry ], [ %again, %then ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ 0, %then ], [ %t, %loop ]
  %next = getelementptr i8, ptr addrspace(4) %some, i64 2
  %a = getelementptr i8, ptr addrspace(4) %ptr, i64 12
  %v = load i16, ptr addrspace(4) %a
  %w = load i16, ptr addrspace(4) %some
  %vw = add i16 %v, %w
  %e = zext i16 %vw to i32
  %t = add i32 %s, %e
  %end = icmp ugt i32 %t, %n
  br i1 %end, label %done, label %loop
done:
  %q = getelementptr i16, ptr addrspace(4) %x, i32 %n
  %r = load i16, ptr addrspace(4) %q, align 2
  %f = freeze ptr addrspace(4) %d
  %g = addrspacecast ptr addrspace(4) %f to ptr
  %h = getelementptr inbounds i8, ptr %g, i32 4
  %u = load <2 x i16>, ptr %h
  %nothing = load i32, ptr addrspace(4) poison
  store i32 %t, ptr addrspace(1) %p
  %p1 = getelementptr i8, ptr addrspace(1) %p, i32 4
  store i16 %r, ptr addrspace(1) %p1
  %p2 = getelementptr i8, ptr addrspace(1) %p, i32 8
  store <2 x i16> %u, ptr addrspace(1) %p2
  ret void
}
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
