; Without FMA: f32 by a sum of doubles rounded to odd, f64 by one loop of calls for all lanes; without SSE4.1 a floor is a sum, too.
; RUN: --kernel=k --isa=sse2 --until=finish
; CHECK: fpext <32 x float>
; CHECK: fmul <32 x double>
; CHECK: fcmp one <32 x double>
; CHECK: fptrunc <32 x double>
; CHECK: call void @ls.fma(
; CHECK: fcmp ogt <32 x float>
; CHECK: define internal void @ls.fma(
; CHECK: call double @llvm.fma.f64
; NOT: @llvm.fma.v32
; NOT: @llvm.floor
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr float, ptr addrspace(1) %p, i32 %i
  %x = load float, ptr addrspace(1) %a
  %f = call float @llvm.fma.f32(float %x, float 3.0, float %x)
  store float %f, ptr addrspace(1) %a
  %b = getelementptr double, ptr addrspace(1) %q, i32 %i
  %y = load double, ptr addrspace(1) %b
  %g = call double @llvm.fma.f64(double %y, double 3.0, double %y)
  store double %g, ptr addrspace(1) %b
  %c = getelementptr float, ptr addrspace(1) %a, i32 1024
  %z = load float, ptr addrspace(1) %c
  %h = call float @llvm.floor.f32(float %z)
  store float %h, ptr addrspace(1) %c
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare float @llvm.fma.f32(float, float, float)
declare double @llvm.fma.f64(double, double, double)
declare float @llvm.floor.f32(float)
