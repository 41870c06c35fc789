; A product with a power of two is what ldexp by a known number is, as long as that power is a normal number.
; RUN: --kernel=k --block=32,1,1 --until=vectorize --isa=avx512
; RUN: --kernel=k --block=32,1,1 --until=vectorize --isa=avx2
; CHECK: fmul <32 x double> %11, <double 8.000000e+00
; NOT: scalef
; NOT: ashr
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr double, ptr addrspace(1) %p, i32 %t
  %x = load double, ptr addrspace(1) %a
  %y = call double @llvm.ldexp.f64.i32(double %x, i32 3)
  store double %y, ptr addrspace(1) %a
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare double @llvm.ldexp.f64.i32(double, i32)
