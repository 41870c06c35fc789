; Every matrix product of 32 lanes.
; RUN: --kernel=k --block=32,1,1 --warp=32 --isa=sse2 --until=finish --print=rows
; RUN: --kernel=k --block=32,1,1 --warp=32 --isa=avx2 --until=finish --print=rows
; RUN: --kernel=k --block=32,1,1 --warp=32 --isa=avx512 --until=finish --print=rows
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %sink, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr [64 x i8], ptr addrspace(1) %p, i32 %t
  %ah = load volatile <16 x half>, ptr addrspace(1) %at, align 4
  %ab = load volatile <16 x i16>, ptr addrspace(1) %at, align 4
  %ac = load volatile <8 x float>, ptr addrspace(1) %at, align 4
  %i8 = load volatile <4 x i32>, ptr addrspace(1) %at, align 4
  %i4 = load volatile <2 x i32>, ptr addrspace(1) %at, align 4
  %ci = load volatile <8 x i32>, ptr addrspace(1) %at, align 4
  %w1 = call <8 x float> @llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16(<16 x half> %ah, <16 x half> %ah, <8 x float> %ac)
  store volatile <8 x float> %w1, ptr addrspace(1) %at, align 4
  %w2 = call <8 x float> @llvm.amdgcn.wmma.f32.16x16x16.bf16.v8f32.v16i16(<16 x i16> %ab, <16 x i16> %ab, <8 x float> %ac)
  store volatile <8 x float> %w2, ptr addrspace(1) %at, align 4
  %w3 = call <16 x half> @llvm.amdgcn.wmma.f16.16x16x16.f16.v16f16.v16f16(<16 x half> %ah, <16 x half> %ah, <16 x half> %ah, i1 false)
  store volatile <16 x half> %w3, ptr addrspace(1) %at, align 4
  %w4 = call <16 x i16> @llvm.amdgcn.wmma.bf16.16x16x16.bf16.v16i16.v16i16(<16 x i16> %ab, <16 x i16> %ab, <16 x i16> %ab, i1 true)
  store volatile <16 x i16> %w4, ptr addrspace(1) %at, align 4
  %w5 = call <16 x half> @llvm.amdgcn.wmma.f16.16x16x16.f16.tied.v16f16.v16f16(<16 x half> %ah, <16 x half> %ah, <16 x half> %ah, i1 false)
  store volatile <16 x half> %w5, ptr addrspace(1) %at, align 4
  %w6 = call <16 x i16> @llvm.amdgcn.wmma.bf16.16x16x16.bf16.tied.v16i16.v16i16(<16 x i16> %ab, <16 x i16> %ab, <16 x i16> %ab, i1 true)
  store volatile <16 x i16> %w6, ptr addrspace(1) %at, align 4
  %w7 = call <8 x i32> @llvm.amdgcn.wmma.i32.16x16x16.iu8.v8i32.v4i32(i1 true, <4 x i32> %i8, i1 false, <4 x i32> %i8, <8 x i32> %ci, i1 false)
  store volatile <8 x i32> %w7, ptr addrspace(1) %at, align 4
  %w8 = call <8 x i32> @llvm.amdgcn.wmma.i32.16x16x16.iu4.v8i32.v2i32(i1 true, <2 x i32> %i4, i1 false, <2 x i32> %i4, <8 x i32> %ci, i1 true)
  store volatile <8 x i32> %w8, ptr addrspace(1) %at, align 4
  ret void
}
