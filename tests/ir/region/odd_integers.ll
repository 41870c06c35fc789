; Integers of odd widths, as narrowing leaves them, are kept across barriers in whole bytes: a vector of i3 can't be
; loaded as one of i8 (random program 307647).
; RUN: --kernel=k --block=128,1,1 --until=region
; CHECK: alloca [4 x i8], align 1
; CHECK: alloca [4 x i32], align 4
; CHECK: alloca [4 x i64], align 8
; NOT: alloca [4 x i3],
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %x = load i32, ptr addrspace(1) %at, align 4
  %x3 = trunc i32 %x to i3
  %x20 = trunc i32 %x to i20
  %y = zext i32 %x to i64
  %z = mul i64 %y, 12345678901
  %z40 = trunc i64 %z to i40
  %a = call i3 @llvm.umax.i3(i3 %x3, i3 2)
  %b = call i20 @llvm.umax.i20(i20 %x20, i20 77777)
  %c = call i40 @llvm.umax.i40(i40 %z40, i40 77777777)
  call void @llvm.amdgcn.s.barrier()
  %a2 = add i3 %a, 3
  %b2 = mul i20 %b, 5
  %a3 = zext i3 %a2 to i32
  %b3 = zext i20 %b2 to i32
  %c2 = lshr i40 %c, 7
  %c3 = trunc i40 %c2 to i32
  %s = add i32 %a3, %b3
  %r = xor i32 %s, %c3
  store i32 %r, ptr addrspace(1) %at, align 4
  ret void
}
declare i3 @llvm.umax.i3(i3, i3)
declare i20 @llvm.umax.i20(i20, i20)
declare i40 @llvm.umax.i40(i40, i40)
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
