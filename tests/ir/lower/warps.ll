; Every row of the table with which lanes look at each other.
; RUN: --kernel=k --block=64,1,1 --warp=64 --isa=sse2 --until=finish --print=rows
; RUN: --kernel=k --block=64,1,1 --warp=64 --isa=avx2 --until=finish --print=rows
; RUN: --kernel=k --block=64,1,1 --warp=64 --isa=avx512 --until=finish --print=rows
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %sink, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr [64 x i8], ptr addrspace(1) %p, i32 %t
  %c0 = load volatile i32, ptr addrspace(1) %at
  %c = icmp slt i32 %c0, 5
  %i = load volatile i32, ptr addrspace(1) %at
  %j = load volatile i32, ptr addrspace(1) %at
  %f = load volatile float, ptr addrspace(1) %at
  %g = load volatile float, ptr addrspace(1) %at
  %m = load volatile i32, ptr addrspace(1) %at
  %rl = load volatile i64, ptr addrspace(1) %sink
  %r2 = call i64 @llvm.amdgcn.ballot.i64(i1 %c)
  store volatile i64 %r2, ptr addrspace(1) %sink
  %r3 = call i64 @llvm.amdgcn.icmp.i64.i32(i32 %i, i32 %j, i32 34)
  store volatile i64 %r3, ptr addrspace(1) %sink
  %r4 = call i64 @llvm.amdgcn.fcmp.i64.f32(float %f, float %g, i32 4)
  store volatile i64 %r4, ptr addrspace(1) %sink
  %r5 = call i1 @llvm.amdgcn.inverse.ballot.i64(i64 %rl)
  %z5 = zext i1 %r5 to i32
  store volatile i32 %z5, ptr addrspace(1) %sink
  %r6 = call i32 @llvm.amdgcn.mbcnt.lo(i32 %i, i32 %j)
  store volatile i32 %r6, ptr addrspace(1) %sink
  %r7 = call i32 @llvm.amdgcn.mbcnt.hi(i32 %i, i32 %j)
  store volatile i32 %r7, ptr addrspace(1) %sink
  %r8 = call i32 @llvm.amdgcn.wave.reduce.umin.i32(i32 %i, i32 0)
  store volatile i32 %r8, ptr addrspace(1) %sink
  %r9 = call i32 @llvm.amdgcn.wave.reduce.umax.i32(i32 %i, i32 0)
  store volatile i32 %r9, ptr addrspace(1) %sink
  %r10 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %i)
  store volatile i32 %r10, ptr addrspace(1) %sink
  %r11 = call i32 @llvm.amdgcn.readlane.i32(i32 %i, i32 %j)
  store volatile i32 %r11, ptr addrspace(1) %sink
  %r12 = call i32 @llvm.amdgcn.writelane.i32(i32 %i, i32 %j, i32 %m)
  store volatile i32 %r12, ptr addrspace(1) %sink
  %r13 = call i32 @llvm.amdgcn.ds.bpermute(i32 %i, i32 %j)
  store volatile i32 %r13, ptr addrspace(1) %sink
  %r14 = call i32 @llvm.amdgcn.ds.permute(i32 %i, i32 %j)
  store volatile i32 %r14, ptr addrspace(1) %sink
  %r15 = call i32 @llvm.amdgcn.ds.swizzle(i32 %i, i32 33823)
  %wide = load volatile i64, ptr addrspace(1) %at
  %w0 = trunc i64 %wide to i32
  %ws = lshr i64 %wide, 32
  %w1 = trunc i64 %ws to i32
  %z0 = call i32 @llvm.amdgcn.ds.swizzle(i32 %w0, i32 33823)
  %z1 = call i32 @llvm.amdgcn.ds.swizzle(i32 %w1, i32 33823)
  %z0z = zext i32 %z0 to i64
  %z1z = zext i32 %z1 to i64
  %z1s = shl i64 %z1z, 32
  %wz = or i64 %z0z, %z1s
  %p0 = call i32 @llvm.amdgcn.ds.bpermute(i32 %i, i32 %w0)
  %p1 = call i32 @llvm.amdgcn.ds.bpermute(i32 %i, i32 %w1)
  %p0z = zext i32 %p0 to i64
  %p1z = zext i32 %p1 to i64
  %p1s = shl i64 %p1z, 32
  %wp = or i64 %p0z, %p1s
  store volatile i64 %wp, ptr addrspace(1) %sink
  store volatile i64 %wz, ptr addrspace(1) %sink
  store volatile i32 %r15, ptr addrspace(1) %sink
  %r16 = call i32 @llvm.amdgcn.mov.dpp.i32(i32 %i, i32 257, i32 15, i32 15, i1 true)
  store volatile i32 %r16, ptr addrspace(1) %sink
  %r17 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %i, i32 %j, i32 257, i32 15, i32 15, i1 false)
  store volatile i32 %r17, ptr addrspace(1) %sink
  %r18 = call i32 @llvm.amdgcn.mov.dpp8.i32(i32 %i, i32 1234567)
  store volatile i32 %r18, ptr addrspace(1) %sink
  %r19 = call i32 @llvm.amdgcn.permlane16.i32(i32 %i, i32 %j, i32 19088743, i32 -1985229329, i1 false, i1 false)
  store volatile i32 %r19, ptr addrspace(1) %sink
  %r20 = call i32 @llvm.amdgcn.permlanex16.i32(i32 %i, i32 %j, i32 19088743, i32 -1985229329, i1 true, i1 true)
  store volatile i32 %r20, ptr addrspace(1) %sink
  %r21 = call i32 @llvm.amdgcn.permlane16.var(i32 %i, i32 %j, i32 %m, i1 false, i1 false)
  store volatile i32 %r21, ptr addrspace(1) %sink
  %r22 = call i32 @llvm.amdgcn.permlanex16.var(i32 %i, i32 %j, i32 %m, i1 false, i1 false)
  store volatile i32 %r22, ptr addrspace(1) %sink
  %r23 = call i32 @llvm.amdgcn.permlane64.i32(i32 %i)
  store volatile i32 %r23, ptr addrspace(1) %sink
  %r24 = call i32 @llvm.amdgcn.set.inactive.i32(i32 %i, i32 3)
  store volatile i32 %r24, ptr addrspace(1) %sink
  %r25 = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %i)
  store volatile i32 %r25, ptr addrspace(1) %sink
  %r26 = call i32 @llvm.amdgcn.strict.wqm.i32(i32 %i)
  store volatile i32 %r26, ptr addrspace(1) %sink
  %r27 = call i32 @llvm.amdgcn.wwm.i32(i32 %i)
  store volatile i32 %r27, ptr addrspace(1) %sink
  %r28 = call i32 @llvm.amdgcn.wqm.i32(i32 %i)
  store volatile i32 %r28, ptr addrspace(1) %sink
  %r29 = call i32 @llvm.amdgcn.softwqm.i32(i32 %i)
  store volatile i32 %r29, ptr addrspace(1) %sink
  %r30 = call i32 @llvm.amdgcn.wavefrontsize()
  store volatile i32 %r30, ptr addrspace(1) %sink
  %exec = call i64 @llvm.read_register.i64(metadata !0)
  store volatile i64 %exec, ptr addrspace(1) %sink
  ret void
}

!0 = !{!"exec"}
