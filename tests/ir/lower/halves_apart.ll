; Halves of different numbers, or that go different ways between lanes, stay two operations.
; RUN: --kernel=k --isa=avx512 --block=64,1,1 --until=prepare
; CHECK: call i32 @llvm.amdgcn.ds.bpermute
; CHECK: call i32 @llvm.amdgcn.ds.bpermute
; CHECK: call i32 @llvm.amdgcn.readlane.i32
; CHECK: call i32 @llvm.amdgcn.readlane.i32
; NOT: call i64 @llvm.amdgcn.
; NOT: @ls.bpermute
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i64, ptr addrspace(1) %p, i32 %t
  %x = load i64, ptr addrspace(1) %a
  %c = getelementptr i64, ptr addrspace(1) %a, i32 64
  %y = load i64, ptr addrspace(1) %c
  %l = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lx = xor i32 %l, 3
  %at = shl i32 %lx, 2
  %x0 = trunc i64 %x to i32
  %xs = lshr i64 %x, 32
  %x1 = trunc i64 %xs to i32
  %ys = lshr i64 %y, 32
  %y1 = trunc i64 %ys to i32
  %b0 = call i32 @llvm.amdgcn.ds.bpermute(i32 %at, i32 %x0)
  %b1 = call i32 @llvm.amdgcn.ds.bpermute(i32 %at, i32 %y1)
  %b0z = zext i32 %b0 to i64
  %b1z = zext i32 %b1 to i64
  %b1s = shl i64 %b1z, 32
  %b = or i64 %b1s, %b0z
  %r0 = call i32 @llvm.amdgcn.readlane.i32(i32 %x0, i32 31)
  %r1 = call i32 @llvm.amdgcn.readlane.i32(i32 %x1, i32 30)
  %r0z = zext i32 %r0 to i64
  %r1z = zext i32 %r1 to i64
  %r1s = shl i64 %r1z, 32
  %r = or i64 %r0z, %r1s
  %w = add i64 %r, %b
  store i64 %w, ptr addrspace(1) %a
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i32 @llvm.amdgcn.readlane.i32(i32, i32)
