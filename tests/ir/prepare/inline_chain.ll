; Sixteen levels that each call the next one twice are 65536 copies of the last: one level stays out of line. A small
; function does go in, whatever it says.
; RUN: --kernel=k --block=64,1,1 --until=prepare
; CHECK: define internal i32 @f
; CHECK: call i32 @f
; NOT: @small
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define internal i32 @f0(i32 %x) {
  %a1 = mul i32 %x, 747796405
  %b1 = xor i32 %a1, 1000003
  %a2 = mul i32 %b1, 747796405
  %b2 = xor i32 %a2, 2000006
  %a3 = mul i32 %b2, 747796405
  %b3 = xor i32 %a3, 3000009
  %a4 = mul i32 %b3, 747796405
  %b4 = xor i32 %a4, 4000012
  %a5 = mul i32 %b4, 747796405
  %b5 = xor i32 %a5, 5000015
  %a6 = mul i32 %b5, 747796405
  %b6 = xor i32 %a6, 6000018
  %a7 = mul i32 %b6, 747796405
  %b7 = xor i32 %a7, 7000021
  %a8 = mul i32 %b7, 747796405
  %b8 = xor i32 %a8, 8000024
  ret i32 %b8
}
define internal i32 @f1(i32 %x) {
  %a = call i32 @f0(i32 %x)
  %b = add i32 %a, 1
  %c = call i32 @f0(i32 %b)
  ret i32 %c
}
define internal i32 @f2(i32 %x) {
  %a = call i32 @f1(i32 %x)
  %b = add i32 %a, 2
  %c = call i32 @f1(i32 %b)
  ret i32 %c
}
define internal i32 @f3(i32 %x) {
  %a = call i32 @f2(i32 %x)
  %b = add i32 %a, 3
  %c = call i32 @f2(i32 %b)
  ret i32 %c
}
define internal i32 @f4(i32 %x) {
  %a = call i32 @f3(i32 %x)
  %b = add i32 %a, 4
  %c = call i32 @f3(i32 %b)
  ret i32 %c
}
define internal i32 @f5(i32 %x) {
  %a = call i32 @f4(i32 %x)
  %b = add i32 %a, 5
  %c = call i32 @f4(i32 %b)
  ret i32 %c
}
define internal i32 @f6(i32 %x) {
  %a = call i32 @f5(i32 %x)
  %b = add i32 %a, 6
  %c = call i32 @f5(i32 %b)
  ret i32 %c
}
define internal i32 @f7(i32 %x) {
  %a = call i32 @f6(i32 %x)
  %b = add i32 %a, 7
  %c = call i32 @f6(i32 %b)
  ret i32 %c
}
define internal i32 @f8(i32 %x) {
  %a = call i32 @f7(i32 %x)
  %b = add i32 %a, 8
  %c = call i32 @f7(i32 %b)
  ret i32 %c
}
define internal i32 @f9(i32 %x) {
  %a = call i32 @f8(i32 %x)
  %b = add i32 %a, 9
  %c = call i32 @f8(i32 %b)
  ret i32 %c
}
define internal i32 @f10(i32 %x) {
  %a = call i32 @f9(i32 %x)
  %b = add i32 %a, 10
  %c = call i32 @f9(i32 %b)
  ret i32 %c
}
define internal i32 @f11(i32 %x) {
  %a = call i32 @f10(i32 %x)
  %b = add i32 %a, 11
  %c = call i32 @f10(i32 %b)
  ret i32 %c
}
define internal i32 @f12(i32 %x) {
  %a = call i32 @f11(i32 %x)
  %b = add i32 %a, 12
  %c = call i32 @f11(i32 %b)
  ret i32 %c
}
define internal i32 @f13(i32 %x) {
  %a = call i32 @f12(i32 %x)
  %b = add i32 %a, 13
  %c = call i32 @f12(i32 %b)
  ret i32 %c
}
define internal i32 @f14(i32 %x) {
  %a = call i32 @f13(i32 %x)
  %b = add i32 %a, 14
  %c = call i32 @f13(i32 %b)
  ret i32 %c
}
define internal i32 @f15(i32 %x) {
  %a = call i32 @f14(i32 %x)
  %b = add i32 %a, 15
  %c = call i32 @f14(i32 %b)
  ret i32 %c
}
define internal i32 @small(i32 %x) noinline {
  %a = mul i32 %x, %x
  ret i32 %a
}
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %a = call i32 @f15(i32 %x)
  %b = call i32 @small(i32 %a)
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %x
  store i32 %b, ptr addrspace(1) %q
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
