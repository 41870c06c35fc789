; WMMA becomes two products of 16x8 (of k 32 for numbers of four bits, with zeros) between shuffles; with clamp C comes last. The
; loads of lockstep/wmma.h are ldmatrix where address and stride are multiples of 16 bytes of shared memory, and a test where
; that is not known.
; RUN: --kernel=k --isa=sm_90 --block=0,1,1 --until=threads
; CHECK: call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(
; CHECK: call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.bf16(
; CHECK: call { i32, i32, i32, i32 } @llvm.nvvm.mma.m16n8k16.row.col.s8.u8(
; CHECK: call { i32, i32, i32, i32 } @llvm.nvvm.mma.m16n8k32.row.col.u4(
; CHECK: @llvm.sadd.sat.v8i32(
; CHECK: @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(
; CHECK: @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(
; CHECK: , label %tile, label %elements
; NOT: @llvm.amdgcn.wmma
; NOT: @ls.tile
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@tiles = internal addrspace(3) global [2048 x i16] undef, align 16

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %stride) #0 {
entry:
  %h = load <16 x half>, ptr addrspace(1) %p
  %s = load <16 x i16>, ptr addrspace(1) %p
  %b = load <4 x i32>, ptr addrspace(1) %p
  %n = load <2 x i32>, ptr addrspace(1) %p
  %c = load <8 x i32>, ptr addrspace(1) %p
  %d0 = call <8 x float> @llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16(<16 x half> %h, <16 x half> %h, <8 x float> zeroinitializer)
  %d1 = call <8 x float> @llvm.amdgcn.wmma.f32.16x16x16.bf16.v8f32.v16i16(<16 x i16> %s, <16 x i16> %s, <8 x float> %d0)
  %d2 = call <8 x i32> @llvm.amdgcn.wmma.i32.16x16x16.iu8.v8i32.v4i32(i1 false, <4 x i32> %b, i1 true, <4 x i32> %b, <8 x i32> %c, i1 false)
  %d3 = call <8 x i32> @llvm.amdgcn.wmma.i32.16x16x16.iu4.v8i32.v2i32(i1 false, <2 x i32> %n, i1 false, <2 x i32> %n, <8 x i32> %d2, i1 true)
  %lane = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %row = mul i32 %lane, 40
  %at = getelementptr i16, ptr addrspace(3) @tiles, i32 64
  %tile = addrspacecast ptr addrspace(3) %at to ptr
  %a = call <8 x i16> @__ls_nv.tile(ptr %tile, i32 40)
  %t = call <8 x i16> @__ls_nv.tile_across(ptr %tile, i32 24)
  %u = call <8 x i16> @__ls_nv.tile(ptr %tile, i32 %stride)
  %v = xor <8 x i16> %a, %u
  %d4 = call <8 x float> @__ls_nv.mma.bf16(<8 x i16> %v, <8 x i16> %t, <8 x float> %d1)
  store <8 x float> %d4, ptr addrspace(1) %p
  %q = getelementptr <8 x float>, ptr addrspace(1) %p, i32 %lane
  store <8 x i32> %d3, ptr addrspace(1) %q
  ret void
}

declare <8 x float> @llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16(<16 x half>, <16 x half>, <8 x float>)
declare <8 x float> @llvm.amdgcn.wmma.f32.16x16x16.bf16.v8f32.v16i16(<16 x i16>, <16 x i16>, <8 x float>)
declare <8 x i32> @llvm.amdgcn.wmma.i32.16x16x16.iu8.v8i32.v4i32(i1 immarg, <4 x i32>, i1 immarg, <4 x i32>, <8 x i32>, i1 immarg)
declare <8 x i32> @llvm.amdgcn.wmma.i32.16x16x16.iu4.v8i32.v2i32(i1 immarg, <2 x i32>, i1 immarg, <2 x i32>, <8 x i32>, i1 immarg)
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare <8 x i16> @__ls_nv.tile(ptr, i32)
declare <8 x i16> @__ls_nv.tile_across(ptr, i32)
declare <8 x float> @__ls_nv.mma.bf16(<8 x i16>, <8 x i16>, <8 x float>)

attributes #0 = { "target-cpu"="gfx1100" }
