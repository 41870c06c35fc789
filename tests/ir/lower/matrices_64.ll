; Every matrix product of 64 lanes.
; RUN: --kernel=k --block=64,1,1 --warp=64 --isa=sse2 --until=vectorize --print=rows
; RUN: --kernel=k --block=64,1,1 --warp=64 --isa=avx2 --until=vectorize --print=rows
; RUN: --kernel=k --block=64,1,1 --warp=64 --isa=avx512 --until=vectorize --print=rows
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %sink, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr [64 x i8], ptr addrspace(1) %p, i32 %t
  %a16xfloat = load volatile <16 x float>, ptr addrspace(1) %at, align 4
  %a16xi32 = load volatile <16 x i32>, ptr addrspace(1) %at, align 4
  %a2xfloat = load volatile <2 x float>, ptr addrspace(1) %at, align 4
  %a2xi16 = load volatile <2 x i16>, ptr addrspace(1) %at, align 4
  %a2xi32 = load volatile <2 x i32>, ptr addrspace(1) %at, align 4
  %a32xfloat = load volatile <32 x float>, ptr addrspace(1) %at, align 4
  %a32xi32 = load volatile <32 x i32>, ptr addrspace(1) %at, align 4
  %a4xdouble = load volatile <4 x double>, ptr addrspace(1) %at, align 4
  %a4xfloat = load volatile <4 x float>, ptr addrspace(1) %at, align 4
  %a4xhalf = load volatile <4 x half>, ptr addrspace(1) %at, align 4
  %a4xi16 = load volatile <4 x i16>, ptr addrspace(1) %at, align 4
  %a4xi32 = load volatile <4 x i32>, ptr addrspace(1) %at, align 4
  %a8xhalf = load volatile <8 x half>, ptr addrspace(1) %at, align 4
  %a8xi16 = load volatile <8 x i16>, ptr addrspace(1) %at, align 4
  %adouble = load volatile double, ptr addrspace(1) %at, align 4
  %afloat = load volatile float, ptr addrspace(1) %at, align 4
  %ai32 = load volatile i32, ptr addrspace(1) %at, align 4
  %ai64 = load volatile i64, ptr addrspace(1) %at, align 4
  %m1 = call <32 x float> @llvm.amdgcn.mfma.f32.32x32x1f32(float %afloat, float %afloat, <32 x float> %a32xfloat, i32 0, i32 0, i32 0)
  store volatile <32 x float> %m1, ptr addrspace(1) %at, align 4
  %m2 = call <16 x float> @llvm.amdgcn.mfma.f32.16x16x1f32(float %afloat, float %afloat, <16 x float> %a16xfloat, i32 0, i32 0, i32 0)
  store volatile <16 x float> %m2, ptr addrspace(1) %at, align 4
  %m3 = call <4 x float> @llvm.amdgcn.mfma.f32.4x4x1f32(float %afloat, float %afloat, <4 x float> %a4xfloat, i32 0, i32 0, i32 0)
  store volatile <4 x float> %m3, ptr addrspace(1) %at, align 4
  %m4 = call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %afloat, float %afloat, <16 x float> %a16xfloat, i32 0, i32 0, i32 0)
  store volatile <16 x float> %m4, ptr addrspace(1) %at, align 4
  %m5 = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %afloat, float %afloat, <4 x float> %a4xfloat, i32 0, i32 0, i32 0)
  store volatile <4 x float> %m5, ptr addrspace(1) %at, align 4
  %m6 = call <32 x float> @llvm.amdgcn.mfma.f32.32x32x4f16(<4 x half> %a4xhalf, <4 x half> %a4xhalf, <32 x float> %a32xfloat, i32 0, i32 0, i32 0)
  store volatile <32 x float> %m6, ptr addrspace(1) %at, align 4
  %m7 = call <16 x float> @llvm.amdgcn.mfma.f32.16x16x4f16(<4 x half> %a4xhalf, <4 x half> %a4xhalf, <16 x float> %a16xfloat, i32 0, i32 0, i32 0)
  store volatile <16 x float> %m7, ptr addrspace(1) %at, align 4
  %m8 = call <4 x float> @llvm.amdgcn.mfma.f32.4x4x4f16(<4 x half> %a4xhalf, <4 x half> %a4xhalf, <4 x float> %a4xfloat, i32 0, i32 0, i32 0)
  store volatile <4 x float> %m8, ptr addrspace(1) %at, align 4
  %m9 = call <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half> %a4xhalf, <4 x half> %a4xhalf, <16 x float> %a16xfloat, i32 0, i32 0, i32 0)
  store volatile <16 x float> %m9, ptr addrspace(1) %at, align 4
  %m10 = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %a4xhalf, <4 x half> %a4xhalf, <4 x float> %a4xfloat, i32 0, i32 0, i32 0)
  store volatile <4 x float> %m10, ptr addrspace(1) %at, align 4
  %m11 = call <32 x float> @llvm.amdgcn.mfma.f32.32x32x2bf16(<2 x i16> %a2xi16, <2 x i16> %a2xi16, <32 x float> %a32xfloat, i32 0, i32 0, i32 0)
  store volatile <32 x float> %m11, ptr addrspace(1) %at, align 4
  %m12 = call <16 x float> @llvm.amdgcn.mfma.f32.16x16x2bf16(<2 x i16> %a2xi16, <2 x i16> %a2xi16, <16 x float> %a16xfloat, i32 0, i32 0, i32 0)
  store volatile <16 x float> %m12, ptr addrspace(1) %at, align 4
  %m13 = call <4 x float> @llvm.amdgcn.mfma.f32.4x4x2bf16(<2 x i16> %a2xi16, <2 x i16> %a2xi16, <4 x float> %a4xfloat, i32 0, i32 0, i32 0)
  store volatile <4 x float> %m13, ptr addrspace(1) %at, align 4
  %m14 = call <16 x float> @llvm.amdgcn.mfma.f32.32x32x4bf16(<2 x i16> %a2xi16, <2 x i16> %a2xi16, <16 x float> %a16xfloat, i32 0, i32 0, i32 0)
  store volatile <16 x float> %m14, ptr addrspace(1) %at, align 4
  %m15 = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x8bf16(<2 x i16> %a2xi16, <2 x i16> %a2xi16, <4 x float> %a4xfloat, i32 0, i32 0, i32 0)
  store volatile <4 x float> %m15, ptr addrspace(1) %at, align 4
  %m16 = call <32 x float> @llvm.amdgcn.mfma.f32.32x32x4bf16.1k(<4 x i16> %a4xi16, <4 x i16> %a4xi16, <32 x float> %a32xfloat, i32 0, i32 0, i32 0)
  store volatile <32 x float> %m16, ptr addrspace(1) %at, align 4
  %m17 = call <16 x float> @llvm.amdgcn.mfma.f32.16x16x4bf16.1k(<4 x i16> %a4xi16, <4 x i16> %a4xi16, <16 x float> %a16xfloat, i32 0, i32 0, i32 0)
  store volatile <16 x float> %m17, ptr addrspace(1) %at, align 4
  %m18 = call <4 x float> @llvm.amdgcn.mfma.f32.4x4x4bf16.1k(<4 x i16> %a4xi16, <4 x i16> %a4xi16, <4 x float> %a4xfloat, i32 0, i32 0, i32 0)
  store volatile <4 x float> %m18, ptr addrspace(1) %at, align 4
  %m19 = call <16 x float> @llvm.amdgcn.mfma.f32.32x32x8bf16.1k(<4 x i16> %a4xi16, <4 x i16> %a4xi16, <16 x float> %a16xfloat, i32 0, i32 0, i32 0)
  store volatile <16 x float> %m19, ptr addrspace(1) %at, align 4
  %m20 = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16bf16.1k(<4 x i16> %a4xi16, <4 x i16> %a4xi16, <4 x float> %a4xfloat, i32 0, i32 0, i32 0)
  store volatile <4 x float> %m20, ptr addrspace(1) %at, align 4
  %m21 = call <32 x i32> @llvm.amdgcn.mfma.i32.32x32x4i8(i32 %ai32, i32 %ai32, <32 x i32> %a32xi32, i32 0, i32 0, i32 0)
  store volatile <32 x i32> %m21, ptr addrspace(1) %at, align 4
  %m22 = call <16 x i32> @llvm.amdgcn.mfma.i32.16x16x4i8(i32 %ai32, i32 %ai32, <16 x i32> %a16xi32, i32 0, i32 0, i32 0)
  store volatile <16 x i32> %m22, ptr addrspace(1) %at, align 4
  %m23 = call <4 x i32> @llvm.amdgcn.mfma.i32.4x4x4i8(i32 %ai32, i32 %ai32, <4 x i32> %a4xi32, i32 0, i32 0, i32 0)
  store volatile <4 x i32> %m23, ptr addrspace(1) %at, align 4
  %m24 = call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x8i8(i32 %ai32, i32 %ai32, <16 x i32> %a16xi32, i32 0, i32 0, i32 0)
  store volatile <16 x i32> %m24, ptr addrspace(1) %at, align 4
  %m25 = call <4 x i32> @llvm.amdgcn.mfma.i32.16x16x16i8(i32 %ai32, i32 %ai32, <4 x i32> %a4xi32, i32 0, i32 0, i32 0)
  store volatile <4 x i32> %m25, ptr addrspace(1) %at, align 4
  %m26 = call <4 x i32> @llvm.amdgcn.mfma.i32.16x16x32.i8(i64 %ai64, i64 %ai64, <4 x i32> %a4xi32, i32 0, i32 0, i32 0)
  store volatile <4 x i32> %m26, ptr addrspace(1) %at, align 4
  %m27 = call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x16.i8(i64 %ai64, i64 %ai64, <16 x i32> %a16xi32, i32 0, i32 0, i32 0)
  store volatile <16 x i32> %m27, ptr addrspace(1) %at, align 4
  %m28 = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x8.xf32(<2 x float> %a2xfloat, <2 x float> %a2xfloat, <4 x float> %a4xfloat, i32 0, i32 0, i32 0)
  store volatile <4 x float> %m28, ptr addrspace(1) %at, align 4
  %m29 = call <16 x float> @llvm.amdgcn.mfma.f32.32x32x4.xf32(<2 x float> %a2xfloat, <2 x float> %a2xfloat, <16 x float> %a16xfloat, i32 0, i32 0, i32 0)
  store volatile <16 x float> %m29, ptr addrspace(1) %at, align 4
  %m30 = call <4 x double> @llvm.amdgcn.mfma.f64.16x16x4f64(double %adouble, double %adouble, <4 x double> %a4xdouble, i32 0, i32 0, i32 0)
  store volatile <4 x double> %m30, ptr addrspace(1) %at, align 4
  %m31 = call double @llvm.amdgcn.mfma.f64.4x4x4f64(double %adouble, double %adouble, double %adouble, i32 0, i32 0, i32 0)
  store volatile double %m31, ptr addrspace(1) %at, align 4
  %m32 = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x32.bf8.bf8(i64 %ai64, i64 %ai64, <4 x float> %a4xfloat, i32 0, i32 0, i32 0)
  store volatile <4 x float> %m32, ptr addrspace(1) %at, align 4
  %m33 = call <16 x float> @llvm.amdgcn.mfma.f32.32x32x16.bf8.bf8(i64 %ai64, i64 %ai64, <16 x float> %a16xfloat, i32 0, i32 0, i32 0)
  store volatile <16 x float> %m33, ptr addrspace(1) %at, align 4
  %m34 = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x32.bf8.fp8(i64 %ai64, i64 %ai64, <4 x float> %a4xfloat, i32 0, i32 0, i32 0)
  store volatile <4 x float> %m34, ptr addrspace(1) %at, align 4
  %m35 = call <16 x float> @llvm.amdgcn.mfma.f32.32x32x16.bf8.fp8(i64 %ai64, i64 %ai64, <16 x float> %a16xfloat, i32 0, i32 0, i32 0)
  store volatile <16 x float> %m35, ptr addrspace(1) %at, align 4
  %m36 = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x32.fp8.bf8(i64 %ai64, i64 %ai64, <4 x float> %a4xfloat, i32 0, i32 0, i32 0)
  store volatile <4 x float> %m36, ptr addrspace(1) %at, align 4
  %m37 = call <16 x float> @llvm.amdgcn.mfma.f32.32x32x16.fp8.bf8(i64 %ai64, i64 %ai64, <16 x float> %a16xfloat, i32 0, i32 0, i32 0)
  store volatile <16 x float> %m37, ptr addrspace(1) %at, align 4
  %m38 = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x32.fp8.fp8(i64 %ai64, i64 %ai64, <4 x float> %a4xfloat, i32 0, i32 0, i32 0)
  store volatile <4 x float> %m38, ptr addrspace(1) %at, align 4
  %m39 = call <16 x float> @llvm.amdgcn.mfma.f32.32x32x16.fp8.fp8(i64 %ai64, i64 %ai64, <16 x float> %a16xfloat, i32 0, i32 0, i32 0)
  store volatile <16 x float> %m39, ptr addrspace(1) %at, align 4
  %m40 = call <4 x float> @llvm.amdgcn.smfmac.f32.16x16x32.f16(<4 x half> %a4xhalf, <8 x half> %a8xhalf, <4 x float> %a4xfloat, i32 %ai32, i32 0, i32 0)
  store volatile <4 x float> %m40, ptr addrspace(1) %at, align 4
  %m41 = call <4 x float> @llvm.amdgcn.smfmac.f32.16x16x32.bf16(<4 x i16> %a4xi16, <8 x i16> %a8xi16, <4 x float> %a4xfloat, i32 %ai32, i32 0, i32 0)
  store volatile <4 x float> %m41, ptr addrspace(1) %at, align 4
  %m42 = call <4 x i32> @llvm.amdgcn.smfmac.i32.16x16x64.i8(<2 x i32> %a2xi32, <4 x i32> %a4xi32, <4 x i32> %a4xi32, i32 %ai32, i32 0, i32 0)
  store volatile <4 x i32> %m42, ptr addrspace(1) %at, align 4
  %m43 = call <4 x float> @llvm.amdgcn.smfmac.f32.16x16x64.bf8.bf8(<2 x i32> %a2xi32, <4 x i32> %a4xi32, <4 x float> %a4xfloat, i32 %ai32, i32 0, i32 0)
  store volatile <4 x float> %m43, ptr addrspace(1) %at, align 4
  %m44 = call <4 x float> @llvm.amdgcn.smfmac.f32.16x16x64.bf8.fp8(<2 x i32> %a2xi32, <4 x i32> %a4xi32, <4 x float> %a4xfloat, i32 %ai32, i32 0, i32 0)
  store volatile <4 x float> %m44, ptr addrspace(1) %at, align 4
  %m45 = call <4 x float> @llvm.amdgcn.smfmac.f32.16x16x64.fp8.bf8(<2 x i32> %a2xi32, <4 x i32> %a4xi32, <4 x float> %a4xfloat, i32 %ai32, i32 0, i32 0)
  store volatile <4 x float> %m45, ptr addrspace(1) %at, align 4
  %m46 = call <4 x float> @llvm.amdgcn.smfmac.f32.16x16x64.fp8.fp8(<2 x i32> %a2xi32, <4 x i32> %a4xi32, <4 x float> %a4xfloat, i32 %ai32, i32 0, i32 0)
  store volatile <4 x float> %m46, ptr addrspace(1) %at, align 4
  %m47 = call <16 x float> @llvm.amdgcn.smfmac.f32.32x32x16.f16(<4 x half> %a4xhalf, <8 x half> %a8xhalf, <16 x float> %a16xfloat, i32 %ai32, i32 0, i32 0)
  store volatile <16 x float> %m47, ptr addrspace(1) %at, align 4
  %m48 = call <16 x float> @llvm.amdgcn.smfmac.f32.32x32x16.bf16(<4 x i16> %a4xi16, <8 x i16> %a8xi16, <16 x float> %a16xfloat, i32 %ai32, i32 0, i32 0)
  store volatile <16 x float> %m48, ptr addrspace(1) %at, align 4
  %m49 = call <16 x i32> @llvm.amdgcn.smfmac.i32.32x32x32.i8(<2 x i32> %a2xi32, <4 x i32> %a4xi32, <16 x i32> %a16xi32, i32 %ai32, i32 0, i32 0)
  store volatile <16 x i32> %m49, ptr addrspace(1) %at, align 4
  %m50 = call <16 x float> @llvm.amdgcn.smfmac.f32.32x32x32.bf8.bf8(<2 x i32> %a2xi32, <4 x i32> %a4xi32, <16 x float> %a16xfloat, i32 %ai32, i32 0, i32 0)
  store volatile <16 x float> %m50, ptr addrspace(1) %at, align 4
  %m51 = call <16 x float> @llvm.amdgcn.smfmac.f32.32x32x32.bf8.fp8(<2 x i32> %a2xi32, <4 x i32> %a4xi32, <16 x float> %a16xfloat, i32 %ai32, i32 0, i32 0)
  store volatile <16 x float> %m51, ptr addrspace(1) %at, align 4
  %m52 = call <16 x float> @llvm.amdgcn.smfmac.f32.32x32x32.fp8.bf8(<2 x i32> %a2xi32, <4 x i32> %a4xi32, <16 x float> %a16xfloat, i32 %ai32, i32 0, i32 0)
  store volatile <16 x float> %m52, ptr addrspace(1) %at, align 4
  %m53 = call <16 x float> @llvm.amdgcn.smfmac.f32.32x32x32.fp8.fp8(<2 x i32> %a2xi32, <4 x i32> %a4xi32, <16 x float> %a16xfloat, i32 %ai32, i32 0, i32 0)
  store volatile <16 x float> %m53, ptr addrspace(1) %at, align 4
  ret void
}
