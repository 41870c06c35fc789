; Each operation of AVX-512's table, once.
; RUN: --kernel=k --block=64,1,1 --isa=avx512 --until=vectorize
; CHECK: llvm.x86.avx512.mask.scalef.ps.512
; CHECK: llvm.x86.avx512.mask.scalef.pd.512
; CHECK: llvm.x86.avx512.mask.cvttps2dq.512
; CHECK: llvm.x86.avx512.mask.cvttpd2udq.512
; CHECK: llvm.x86.avx512.rsqrt14.ps.512
; CHECK: llvm.usub.sat
; CHECK: llvm.x86.avx512.mask.scalef.ps.512
; CHECK: llvm.x86.avx512.vpermi2var.d.512
; CHECK: llvm.x86.avx512.pmaddw.d.512
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr [64 x i8], ptr addrspace(1) %p, i32 %t
  %f = load volatile float, ptr addrspace(1) %at
  %i = load volatile i32, ptr addrspace(1) %at
  %d = load volatile double, ptr addrspace(1) %at
  %s = call float @llvm.ldexp.f32.i32(float %f, i32 %i)
  store volatile float %s, ptr addrspace(1) %at
  %z = call double @llvm.ldexp.f64.i32(double %d, i32 %i)
  store volatile double %z, ptr addrspace(1) %at
  %a = fptosi float %f to i32
  store volatile i32 %a, ptr addrspace(1) %at
  %b = fptoui double %d to i32
  store volatile i32 %b, ptr addrspace(1) %at
  %r = call float @llvm.amdgcn.rsq.f32(float %f)
  store volatile float %r, ptr addrspace(1) %at
  %e = call float @llvm.exp2.f32(float %f)
  store volatile float %e, ptr addrspace(1) %at
  %m = call i32 @llvm.amdgcn.ds.bpermute(i32 %i, i32 %a)
  store volatile i32 %m, ptr addrspace(1) %at
  %x = load volatile <4 x i32>, ptr addrspace(1) %at, align 4
  %c = load volatile <8 x i32>, ptr addrspace(1) %at, align 4
  %w = call <8 x i32> @llvm.amdgcn.wmma.i32.16x16x16.iu8.v8i32.v4i32(i1 true, <4 x i32> %x, i1 false, <4 x i32> %x, <8 x i32> %c, i1 false)
  store volatile <8 x i32> %w, ptr addrspace(1) %at, align 4
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare float @llvm.ldexp.f32.i32(float, i32)
declare double @llvm.ldexp.f64.i32(double, i32)
declare float @llvm.amdgcn.rsq.f32(float)
declare float @llvm.exp2.f32(float)
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare <8 x i32> @llvm.amdgcn.wmma.i32.16x16x16.iu8.v8i32.v4i32(i1, <4 x i32>, i1, <4 x i32>, <8 x i32>, i1)
