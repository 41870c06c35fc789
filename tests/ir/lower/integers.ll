; Every row of the table about integers.
; RUN: --kernel=k --block=64,1,1 --isa=sse2 --until=finish --print=rows
; RUN: --kernel=k --block=64,1,1 --isa=avx2 --until=finish --print=rows
; RUN: --kernel=k --block=64,1,1 --isa=avx512 --until=finish --print=rows
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %sink, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr [64 x i8], ptr addrspace(1) %p, i32 %t
  %i = load volatile i32, ptr addrspace(1) %at
  %j = load volatile i32, ptr addrspace(1) %at
  %m = load volatile i32, ptr addrspace(1) %at
  %v4i = load volatile <4 x i32>, ptr addrspace(1) %at
  %f = load volatile float, ptr addrspace(1) %at
  %v4f = load volatile <4 x float>, ptr addrspace(1) %at
  %l = load volatile i64, ptr addrspace(1) %at
  %ll = load volatile i64, ptr addrspace(1) %at
  %hh = load volatile <2 x i16>, ptr addrspace(1) %at
  %gg = load volatile <2 x i16>, ptr addrspace(1) %at
  %r1 = call i32 @llvm.ctpop.i32(i32 %i)
  store volatile i32 %r1, ptr addrspace(1) %sink
  %r2 = call i32 @llvm.ctlz.i32(i32 %i, i1 false)
  store volatile i32 %r2, ptr addrspace(1) %sink
  %r3 = call i32 @llvm.cttz.i32(i32 %i, i1 false)
  store volatile i32 %r3, ptr addrspace(1) %sink
  %r4 = call i32 @llvm.bswap.i32(i32 %i)
  store volatile i32 %r4, ptr addrspace(1) %sink
  %r5 = call i32 @llvm.bitreverse.i32(i32 %i)
  store volatile i32 %r5, ptr addrspace(1) %sink
  %r6 = call i32 @llvm.fshl.i32(i32 %i, i32 %j, i32 %m)
  store volatile i32 %r6, ptr addrspace(1) %sink
  %r7 = call i32 @llvm.fshr.i32(i32 %i, i32 %j, i32 %m)
  store volatile i32 %r7, ptr addrspace(1) %sink
  %r8 = call i32 @llvm.umin.i32(i32 %i, i32 %j)
  store volatile i32 %r8, ptr addrspace(1) %sink
  %r9 = call i32 @llvm.umax.i32(i32 %i, i32 %j)
  store volatile i32 %r9, ptr addrspace(1) %sink
  %r10 = call i32 @llvm.smin.i32(i32 %i, i32 %j)
  store volatile i32 %r10, ptr addrspace(1) %sink
  %r11 = call i32 @llvm.smax.i32(i32 %i, i32 %j)
  store volatile i32 %r11, ptr addrspace(1) %sink
  %r12 = call i32 @llvm.abs.i32(i32 %i, i1 false)
  store volatile i32 %r12, ptr addrspace(1) %sink
  %r13 = call i32 @llvm.uadd.sat.i32(i32 %i, i32 %j)
  store volatile i32 %r13, ptr addrspace(1) %sink
  %r14 = call i32 @llvm.sadd.sat.i32(i32 %i, i32 %j)
  store volatile i32 %r14, ptr addrspace(1) %sink
  %r15 = call i32 @llvm.usub.sat.i32(i32 %i, i32 %j)
  store volatile i32 %r15, ptr addrspace(1) %sink
  %r16 = call i32 @llvm.ssub.sat.i32(i32 %i, i32 %j)
  store volatile i32 %r16, ptr addrspace(1) %sink
  %r17 = call i32 @llvm.ushl.sat.i32(i32 %i, i32 %j)
  store volatile i32 %r17, ptr addrspace(1) %sink
  %r18 = call i32 @llvm.sshl.sat.i32(i32 %i, i32 %j)
  store volatile i32 %r18, ptr addrspace(1) %sink
  %r19 = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %i, i32 %j)
  %s19 = extractvalue { i32, i1 } %r19, 0
  store volatile i32 %s19, ptr addrspace(1) %sink
  %z19 = extractvalue { i32, i1 } %r19, 1
  %y19 = zext i1 %z19 to i32
  store volatile i32 %y19, ptr addrspace(1) %sink
  %r20 = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %i, i32 %j)
  %s20 = extractvalue { i32, i1 } %r20, 0
  store volatile i32 %s20, ptr addrspace(1) %sink
  %z20 = extractvalue { i32, i1 } %r20, 1
  %y20 = zext i1 %z20 to i32
  store volatile i32 %y20, ptr addrspace(1) %sink
  %r21 = call { i32, i1 } @llvm.usub.with.overflow.i32(i32 %i, i32 %j)
  %s21 = extractvalue { i32, i1 } %r21, 0
  store volatile i32 %s21, ptr addrspace(1) %sink
  %z21 = extractvalue { i32, i1 } %r21, 1
  %y21 = zext i1 %z21 to i32
  store volatile i32 %y21, ptr addrspace(1) %sink
  %r22 = call { i32, i1 } @llvm.ssub.with.overflow.i32(i32 %i, i32 %j)
  %s22 = extractvalue { i32, i1 } %r22, 0
  store volatile i32 %s22, ptr addrspace(1) %sink
  %z22 = extractvalue { i32, i1 } %r22, 1
  %y22 = zext i1 %z22 to i32
  store volatile i32 %y22, ptr addrspace(1) %sink
  %r23 = call { i32, i1 } @llvm.umul.with.overflow.i32(i32 %i, i32 %j)
  %s23 = extractvalue { i32, i1 } %r23, 0
  store volatile i32 %s23, ptr addrspace(1) %sink
  %z23 = extractvalue { i32, i1 } %r23, 1
  %y23 = zext i1 %z23 to i32
  store volatile i32 %y23, ptr addrspace(1) %sink
  %r24 = call { i32, i1 } @llvm.smul.with.overflow.i32(i32 %i, i32 %j)
  %s24 = extractvalue { i32, i1 } %r24, 0
  store volatile i32 %s24, ptr addrspace(1) %sink
  %z24 = extractvalue { i32, i1 } %r24, 1
  %y24 = zext i1 %z24 to i32
  store volatile i32 %y24, ptr addrspace(1) %sink
  %r25 = call i32 @llvm.scmp.i32.i32(i32 %i, i32 %j)
  store volatile i32 %r25, ptr addrspace(1) %sink
  %r26 = call i32 @llvm.ucmp.i32.i32(i32 %i, i32 %j)
  store volatile i32 %r26, ptr addrspace(1) %sink
  %r27 = call i32 @llvm.smul.fix.i32(i32 %i, i32 %j, i32 3)
  store volatile i32 %r27, ptr addrspace(1) %sink
  %r28 = call i32 @llvm.umul.fix.i32(i32 %i, i32 %j, i32 3)
  store volatile i32 %r28, ptr addrspace(1) %sink
  %r29 = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v4i)
  store volatile i32 %r29, ptr addrspace(1) %sink
  %r30 = call i32 @llvm.vector.reduce.mul.v4i32(<4 x i32> %v4i)
  store volatile i32 %r30, ptr addrspace(1) %sink
  %r31 = call i32 @llvm.vector.reduce.and.v4i32(<4 x i32> %v4i)
  store volatile i32 %r31, ptr addrspace(1) %sink
  %r32 = call i32 @llvm.vector.reduce.or.v4i32(<4 x i32> %v4i)
  store volatile i32 %r32, ptr addrspace(1) %sink
  %r33 = call i32 @llvm.vector.reduce.xor.v4i32(<4 x i32> %v4i)
  store volatile i32 %r33, ptr addrspace(1) %sink
  %r34 = call i32 @llvm.vector.reduce.smax.v4i32(<4 x i32> %v4i)
  store volatile i32 %r34, ptr addrspace(1) %sink
  %r35 = call i32 @llvm.vector.reduce.smin.v4i32(<4 x i32> %v4i)
  store volatile i32 %r35, ptr addrspace(1) %sink
  %r36 = call i32 @llvm.vector.reduce.umax.v4i32(<4 x i32> %v4i)
  store volatile i32 %r36, ptr addrspace(1) %sink
  %r37 = call i32 @llvm.vector.reduce.umin.v4i32(<4 x i32> %v4i)
  store volatile i32 %r37, ptr addrspace(1) %sink
  %r38 = call float @llvm.vector.reduce.fadd.v4f32(float %f, <4 x float> %v4f)
  store volatile float %r38, ptr addrspace(1) %sink
  %r39 = call float @llvm.vector.reduce.fmul.v4f32(float %f, <4 x float> %v4f)
  store volatile float %r39, ptr addrspace(1) %sink
  %r40 = call float @llvm.vector.reduce.fmax.v4f32(<4 x float> %v4f)
  store volatile float %r40, ptr addrspace(1) %sink
  %r41 = call float @llvm.vector.reduce.fmin.v4f32(<4 x float> %v4f)
  store volatile float %r41, ptr addrspace(1) %sink
  %r42 = call float @llvm.vector.reduce.fmaximum.v4f32(<4 x float> %v4f)
  store volatile float %r42, ptr addrspace(1) %sink
  %r43 = call float @llvm.vector.reduce.fminimum.v4f32(<4 x float> %v4f)
  store volatile float %r43, ptr addrspace(1) %sink
  %r44 = call i32 @llvm.amdgcn.sffbh.i32(i32 %i)
  store volatile i32 %r44, ptr addrspace(1) %sink
  %r45 = call i32 @llvm.amdgcn.ubfe.i32(i32 %i, i32 %j, i32 %m)
  store volatile i32 %r45, ptr addrspace(1) %sink
  %r46 = call i32 @llvm.amdgcn.sbfe.i32(i32 %i, i32 %j, i32 %m)
  store volatile i32 %r46, ptr addrspace(1) %sink
  %r47 = call i32 @llvm.amdgcn.perm(i32 %i, i32 %j, i32 %m)
  store volatile i32 %r47, ptr addrspace(1) %sink
  %r48 = call i32 @llvm.amdgcn.alignbyte(i32 %i, i32 %j, i32 %m)
  store volatile i32 %r48, ptr addrspace(1) %sink
  %r49 = call i32 @llvm.amdgcn.sad.u8(i32 %i, i32 %j, i32 %m)
  store volatile i32 %r49, ptr addrspace(1) %sink
  %r50 = call i32 @llvm.amdgcn.msad.u8(i32 %i, i32 %j, i32 %m)
  store volatile i32 %r50, ptr addrspace(1) %sink
  %r51 = call i32 @llvm.amdgcn.sad.hi.u8(i32 %i, i32 %j, i32 %m)
  store volatile i32 %r51, ptr addrspace(1) %sink
  %r52 = call i32 @llvm.amdgcn.sad.u16(i32 %i, i32 %j, i32 %m)
  store volatile i32 %r52, ptr addrspace(1) %sink
  %r53 = call i64 @llvm.amdgcn.qsad.pk.u16.u8(i64 %l, i32 %i, i64 %ll)
  store volatile i64 %r53, ptr addrspace(1) %sink
  %r54 = call i64 @llvm.amdgcn.mqsad.pk.u16.u8(i64 %l, i32 %i, i64 %ll)
  store volatile i64 %r54, ptr addrspace(1) %sink
  %r55 = call <4 x i32> @llvm.amdgcn.mqsad.u32.u8(i64 %l, i32 %i, <4 x i32> %v4i)
  store volatile <4 x i32> %r55, ptr addrspace(1) %sink
  %r56 = call i32 @llvm.amdgcn.lerp(i32 %i, i32 %j, i32 %m)
  store volatile i32 %r56, ptr addrspace(1) %sink
  %r57 = call i32 @llvm.amdgcn.mul.u24(i32 %i, i32 %j)
  store volatile i32 %r57, ptr addrspace(1) %sink
  %r58 = call i64 @llvm.amdgcn.mul.u24.i64(i32 %i, i32 %j)
  store volatile i64 %r58, ptr addrspace(1) %sink
  %r59 = call i32 @llvm.amdgcn.mul.i24(i32 %i, i32 %j)
  store volatile i32 %r59, ptr addrspace(1) %sink
  %r60 = call i64 @llvm.amdgcn.mul.i24.i64(i32 %i, i32 %j)
  store volatile i64 %r60, ptr addrspace(1) %sink
  %r61 = call i32 @llvm.amdgcn.mulhi.u24(i32 %i, i32 %j)
  store volatile i32 %r61, ptr addrspace(1) %sink
  %r62 = call i32 @llvm.amdgcn.mulhi.i24(i32 %i, i32 %j)
  store volatile i32 %r62, ptr addrspace(1) %sink
  %r63 = call i32 @llvm.amdgcn.sdot4(i32 %i, i32 %j, i32 %m, i1 false)
  store volatile i32 %r63, ptr addrspace(1) %sink
  %r64 = call i32 @llvm.amdgcn.udot4(i32 %i, i32 %j, i32 %m, i1 true)
  store volatile i32 %r64, ptr addrspace(1) %sink
  %r65 = call i32 @llvm.amdgcn.sdot8(i32 %i, i32 %j, i32 %m, i1 false)
  store volatile i32 %r65, ptr addrspace(1) %sink
  %r66 = call i32 @llvm.amdgcn.udot8(i32 %i, i32 %j, i32 %m, i1 true)
  store volatile i32 %r66, ptr addrspace(1) %sink
  %r67 = call i32 @llvm.amdgcn.sudot4(i1 true, i32 %i, i1 false, i32 %j, i32 %m, i1 false)
  store volatile i32 %r67, ptr addrspace(1) %sink
  %r68 = call i32 @llvm.amdgcn.sudot8(i1 true, i32 %i, i1 false, i32 %j, i32 %m, i1 true)
  store volatile i32 %r68, ptr addrspace(1) %sink
  %r69 = call i32 @llvm.amdgcn.sdot2(<2 x i16> %hh, <2 x i16> %gg, i32 %m, i1 false)
  store volatile i32 %r69, ptr addrspace(1) %sink
  %r70 = call i32 @llvm.amdgcn.udot2(<2 x i16> %hh, <2 x i16> %gg, i32 %m, i1 true)
  store volatile i32 %r70, ptr addrspace(1) %sink
  %r71 = call <2 x i16> @llvm.amdgcn.cvt.pk.i16(i32 %i, i32 %j)
  store volatile <2 x i16> %r71, ptr addrspace(1) %sink
  %r72 = call <2 x i16> @llvm.amdgcn.cvt.pk.u16(i32 %i, i32 %j)
  store volatile <2 x i16> %r72, ptr addrspace(1) %sink
  %r73 = call i64 @llvm.amdgcn.s.bitreplicate(i32 %i)
  store volatile i64 %r73, ptr addrspace(1) %sink
  %wide_a = zext i64 %l to i128
  %wide_b = zext i64 %ll to i128
  %wide = mul i128 %wide_a, %wide_b
  %wide_high = lshr i128 %wide, 64
  %high = trunc i128 %wide_high to i64
  store volatile i64 %high, ptr addrspace(1) %sink
  ret void
}
