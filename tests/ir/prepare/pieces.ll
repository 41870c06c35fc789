; Two halves side by side are read as one number; where something is written between them, or the second does not
; follow the first, they are read as they stand.
; RUN: --kernel=k --block=256,1,1 --until=prepare
; CHECK: load i32, ptr addrspace(1) %near, align 2
; NOT: load i16, ptr addrspace(1) %near2
; CHECK: load i16, ptr addrspace(1) %written
; CHECK: load i16, ptr addrspace(1) %turned
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = mul nuw nsw i32 %t, 10
  %o1 = or disjoint i32 %o, 1
  %i = zext i32 %o to i64
  %i1 = zext i32 %o1 to i64
  %near = getelementptr i16, ptr addrspace(1) %p, i64 %i
  %near2 = getelementptr i16, ptr addrspace(1) %p, i64 %i1
  %a = load i16, ptr addrspace(1) %near
  %b = load i16, ptr addrspace(1) %near2
  %ax = zext i16 %a to i32
  %bx = zext i16 %b to i32
  %bs = shl i32 %bx, 16
  %n = or i32 %bs, %ax
  %out = getelementptr i32, ptr addrspace(1) %q, i32 %t
  store i32 %n, ptr addrspace(1) %out
  %written = getelementptr i16, ptr addrspace(1) %near, i64 2
  %written2 = getelementptr i16, ptr addrspace(1) %near, i64 3
  %c = load i16, ptr addrspace(1) %written
  store i32 %n, ptr addrspace(1) %q
  %d = load i16, ptr addrspace(1) %written2
  %cx = zext i16 %c to i32
  %dx = zext i16 %d to i32
  %ds = shl i32 %dx, 16
  %m = or i32 %ds, %cx
  store i32 %m, ptr addrspace(1) %out
  %turned = getelementptr i16, ptr addrspace(1) %near, i64 5
  %turned2 = getelementptr i16, ptr addrspace(1) %near, i64 4
  %e = load i16, ptr addrspace(1) %turned
  %f = load i16, ptr addrspace(1) %turned2
  %ex = zext i16 %e to i32
  %fx = zext i16 %f to i32
  %fs = shl i32 %fx, 16
  %l = or i32 %fs, %ex
  store i32 %l, ptr addrspace(1) %out
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
