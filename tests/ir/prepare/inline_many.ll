; A function of some size with many copies stays out of line long before the program is as large as a program may be:
; 120 copies of f would be 7,000 instructions.
; RUN: --kernel=k --block=64,1,1 --until=prepare
; CHECK: define internal i32 @f
; CHECK: call i32 @f
; NOT: call i32 @g
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define internal i32 @f(i32 %x) {
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
  %a9 = mul i32 %b8, 747796405
  %b9 = xor i32 %a9, 9000027
  %a10 = mul i32 %b9, 747796405
  %b10 = xor i32 %a10, 10000030
  %a11 = mul i32 %b10, 747796405
  %b11 = xor i32 %a11, 11000033
  %a12 = mul i32 %b11, 747796405
  %b12 = xor i32 %a12, 12000036
  %a13 = mul i32 %b12, 747796405
  %b13 = xor i32 %a13, 13000039
  %a14 = mul i32 %b13, 747796405
  %b14 = xor i32 %a14, 14000042
  %a15 = mul i32 %b14, 747796405
  %b15 = xor i32 %a15, 15000045
  %a16 = mul i32 %b15, 747796405
  %b16 = xor i32 %a16, 16000048
  %a17 = mul i32 %b16, 747796405
  %b17 = xor i32 %a17, 17000051
  %a18 = mul i32 %b17, 747796405
  %b18 = xor i32 %a18, 18000054
  %a19 = mul i32 %b18, 747796405
  %b19 = xor i32 %a19, 19000057
  %a20 = mul i32 %b19, 747796405
  %b20 = xor i32 %a20, 20000060
  %a21 = mul i32 %b20, 747796405
  %b21 = xor i32 %a21, 21000063
  %a22 = mul i32 %b21, 747796405
  %b22 = xor i32 %a22, 22000066
  %a23 = mul i32 %b22, 747796405
  %b23 = xor i32 %a23, 23000069
  %a24 = mul i32 %b23, 747796405
  %b24 = xor i32 %a24, 24000072
  %a25 = mul i32 %b24, 747796405
  %b25 = xor i32 %a25, 25000075
  %a26 = mul i32 %b25, 747796405
  %b26 = xor i32 %a26, 26000078
  %a27 = mul i32 %b26, 747796405
  %b27 = xor i32 %a27, 27000081
  %a28 = mul i32 %b27, 747796405
  %b28 = xor i32 %a28, 28000084
  %a29 = mul i32 %b28, 747796405
  %b29 = xor i32 %a29, 29000087
  ret i32 %b29
}
define internal i32 @g(i32 %x) {
  %c1 = call i32 @f(i32 %x)
  %c2 = call i32 @f(i32 %c1)
  %c3 = call i32 @f(i32 %c2)
  %c4 = call i32 @f(i32 %c3)
  %c5 = call i32 @f(i32 %c4)
  %c6 = call i32 @f(i32 %c5)
  %c7 = call i32 @f(i32 %c6)
  %c8 = call i32 @f(i32 %c7)
  %c9 = call i32 @f(i32 %c8)
  %c10 = call i32 @f(i32 %c9)
  %c11 = call i32 @f(i32 %c10)
  %c12 = call i32 @f(i32 %c11)
  ret i32 %c12
}
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %d1 = call i32 @g(i32 %t)
  %d2 = call i32 @g(i32 %d1)
  %d3 = call i32 @g(i32 %d2)
  %d4 = call i32 @g(i32 %d3)
  %d5 = call i32 @g(i32 %d4)
  %d6 = call i32 @g(i32 %d5)
  %d7 = call i32 @g(i32 %d6)
  %d8 = call i32 @g(i32 %d7)
  %d9 = call i32 @g(i32 %d8)
  %d10 = call i32 @g(i32 %d9)
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %d10, ptr addrspace(1) %a
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
