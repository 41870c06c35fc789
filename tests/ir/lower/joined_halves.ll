; The two halves of a number that go the same way between lanes are one operation on 64 bits: a shuffle of a
; <32 x i64>, and nothing is taken apart.
; RUN: --kernel=k --isa=avx512 --block=64,1,1 --until=vectorize
; CHECK: shufflevector <32 x i64>
; CHECK: shufflevector <32 x i64>
; CHECK: shufflevector <32 x i64>
; CHECK: extractelement <32 x i64>
; CHECK: extractelement <32 x i64>
; NOT: trunc <32 x i64>
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i64, ptr addrspace(1) %p, i32 %t
  %x = load i64, ptr addrspace(1) %a
  %l = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lx = xor i32 %l, 3
  %at = shl i32 %lx, 2
  %x0 = trunc i64 %x to i32
  %xs = lshr i64 %x, 32
  %x1 = trunc i64 %xs to i32
  %b0 = call i32 @llvm.amdgcn.ds.bpermute(i32 %at, i32 %x0)
  %b1 = call i32 @llvm.amdgcn.ds.bpermute(i32 %at, i32 %x1)
  %b0z = zext i32 %b0 to i64
  %b1z = zext i32 %b1 to i64
  %b1s = shl i64 %b1z, 32
  %b = or i64 %b1s, %b0z
  %y = add i64 %b, %x
  %y0 = trunc i64 %y to i32
  %ys = lshr i64 %y, 32
  %y1 = trunc i64 %ys to i32
  %s1 = call i32 @llvm.amdgcn.ds.swizzle(i32 %y1, i32 1055)
  %s0 = call i32 @llvm.amdgcn.ds.swizzle(i32 %y0, i32 1055)
  %s0z = zext i32 %s0 to i64
  %s1z = zext i32 %s1 to i64
  %s1s = shl i64 %s1z, 32
  %s = or i64 %s0z, %s1s
  %z = add i64 %s, %y
  %z0 = trunc i64 %z to i32
  %zs = lshr i64 %z, 32
  %z1 = trunc i64 %zs to i32
  %d0 = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %z0, i32 273, i32 15, i32 15, i1 false)
  %d1 = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %z1, i32 273, i32 15, i32 15, i1 false)
  %d0z = zext i32 %d0 to i64
  %d1z = zext i32 %d1 to i64
  %d1s = shl i64 %d1z, 32
  %d = or i64 %d0z, %d1s
  %v = add i64 %d, %z
  %v0 = trunc i64 %v to i32
  %vs = lshr i64 %v, 32
  %v1 = trunc i64 %vs to i32
  %r0 = call i32 @llvm.amdgcn.readlane.i32(i32 %v0, i32 31)
  %r1 = call i32 @llvm.amdgcn.readlane.i32(i32 %v1, i32 31)
  %r0z = zext i32 %r0 to i64
  %r1z = zext i32 %r1 to i64
  %r1s = shl i64 %r1z, 32
  %r = or i64 %r0z, %r1s
  %f0 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x0)
  %f1 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x1)
  %f0z = zext i32 %f0 to i64
  %f1z = zext i32 %f1 to i64
  %f1s = shl i64 %f1z, 32
  %f = or i64 %f0z, %f1s
  %rf = xor i64 %r, %f
  %w = add i64 %rf, %v
  store i64 %w, ptr addrspace(1) %a
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i32 @llvm.amdgcn.ds.swizzle(i32, i32)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
