; Every row of the table about floating point.
; RUN: --kernel=k --block=64,1,1 --isa=sse2 --until=finish --print=rows
; RUN: --kernel=k --block=64,1,1 --isa=avx2 --until=finish --print=rows
; RUN: --kernel=k --block=64,1,1 --isa=avx512 --until=finish --print=rows
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %sink, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr [64 x i8], ptr addrspace(1) %p, i32 %t
  %f = load volatile float, ptr addrspace(1) %at
  %g = load volatile float, ptr addrspace(1) %at
  %e = load volatile float, ptr addrspace(1) %at
  %i = load volatile i32, ptr addrspace(1) %at
  %d = load volatile double, ptr addrspace(1) %at
  %c0 = load volatile i32, ptr addrspace(1) %at
  %c = icmp slt i32 %c0, 5
  %j = load volatile i32, ptr addrspace(1) %at
  %xx = load volatile <2 x half>, ptr addrspace(1) %at
  %yy = load volatile <2 x half>, ptr addrspace(1) %at
  %bb = load volatile <2 x bfloat>, ptr addrspace(1) %at
  %x = load volatile half, ptr addrspace(1) %at
  %b = load volatile bfloat, ptr addrspace(1) %at
  %r1 = call float @llvm.fabs.f32(float %f)
  store volatile float %r1, ptr addrspace(1) %sink
  %r2 = call float @llvm.fma.f32(float %f, float %g, float %e)
  store volatile float %r2, ptr addrspace(1) %sink
  %r3 = call float @llvm.fmuladd.f32(float %f, float %g, float %e)
  store volatile float %r3, ptr addrspace(1) %sink
  %r4 = call float @llvm.floor.f32(float %f)
  store volatile float %r4, ptr addrspace(1) %sink
  %r5 = call float @llvm.ceil.f32(float %f)
  store volatile float %r5, ptr addrspace(1) %sink
  %r6 = call float @llvm.trunc.f32(float %f)
  store volatile float %r6, ptr addrspace(1) %sink
  %r7 = call float @llvm.rint.f32(float %f)
  store volatile float %r7, ptr addrspace(1) %sink
  %r8 = call float @llvm.nearbyint.f32(float %f)
  store volatile float %r8, ptr addrspace(1) %sink
  %r9 = call float @llvm.round.f32(float %f)
  store volatile float %r9, ptr addrspace(1) %sink
  %r10 = call float @llvm.roundeven.f32(float %f)
  store volatile float %r10, ptr addrspace(1) %sink
  %r11 = call float @llvm.copysign.f32(float %f, float %g)
  store volatile float %r11, ptr addrspace(1) %sink
  %r12 = call float @llvm.minnum.f32(float %f, float %g)
  store volatile float %r12, ptr addrspace(1) %sink
  %r13 = call float @llvm.maxnum.f32(float %f, float %g)
  store volatile float %r13, ptr addrspace(1) %sink
  %r14 = call float @llvm.minimum.f32(float %f, float %g)
  store volatile float %r14, ptr addrspace(1) %sink
  %r15 = call float @llvm.maximum.f32(float %f, float %g)
  store volatile float %r15, ptr addrspace(1) %sink
  %r16 = call float @llvm.pow.f32(float %f, float %g)
  store volatile float %r16, ptr addrspace(1) %sink
  %r17 = call float @llvm.tan.f32(float %f)
  store volatile float %r17, ptr addrspace(1) %sink
  %r18 = call i1 @llvm.is.fpclass.f32(float %f, i32 144)
  %z18 = zext i1 %r18 to i32
  store volatile i32 %z18, ptr addrspace(1) %sink
  %r19 = call i32 @llvm.fptosi.sat.i32.f32(float %f)
  store volatile i32 %r19, ptr addrspace(1) %sink
  %r20 = call i32 @llvm.fptoui.sat.i32.f32(float %f)
  store volatile i32 %r20, ptr addrspace(1) %sink
  %r21 = call float @llvm.sqrt.f32(float %f)
  store volatile float %r21, ptr addrspace(1) %sink
  %r22 = call float @llvm.amdgcn.sqrt.f32(float %f)
  store volatile float %r22, ptr addrspace(1) %sink
  %r23 = call float @llvm.canonicalize.f32(float %f)
  store volatile float %r23, ptr addrspace(1) %sink
  %r24 = call i32 @llvm.lrint.i32.f32(float %f)
  store volatile i32 %r24, ptr addrspace(1) %sink
  %r25 = call i64 @llvm.llrint.i64.f32(float %f)
  store volatile i64 %r25, ptr addrspace(1) %sink
  %r26 = call i32 @llvm.lround.i32.f32(float %f)
  store volatile i32 %r26, ptr addrspace(1) %sink
  %r27 = call i64 @llvm.llround.i64.f32(float %f)
  store volatile i64 %r27, ptr addrspace(1) %sink
  %r28 = call float @llvm.powi.f32.i32(float %f, i32 %i)
  store volatile float %r28, ptr addrspace(1) %sink
  %r29 = call float @llvm.ldexp.f32.i32(float %f, i32 %i)
  store volatile float %r29, ptr addrspace(1) %sink
  %r30 = call { float, i32 } @llvm.frexp.f32.i32(float %f)
  %s30 = extractvalue { float, i32 } %r30, 0
  store volatile float %s30, ptr addrspace(1) %sink
  %z30 = extractvalue { float, i32 } %r30, 1
  store volatile i32 %z30, ptr addrspace(1) %sink
  %r31 = call float @llvm.amdgcn.frexp.mant.f32(float %f)
  store volatile float %r31, ptr addrspace(1) %sink
  %r32 = call i32 @llvm.amdgcn.frexp.exp.i32.f32(float %f)
  store volatile i32 %r32, ptr addrspace(1) %sink
  %r33 = call float @llvm.exp2.f32(float %f)
  store volatile float %r33, ptr addrspace(1) %sink
  %r34 = call float @llvm.amdgcn.exp2.f32(float %f)
  store volatile float %r34, ptr addrspace(1) %sink
  %r35 = call float @llvm.exp.f32(float %f)
  store volatile float %r35, ptr addrspace(1) %sink
  %r36 = call float @llvm.exp10.f32(float %f)
  store volatile float %r36, ptr addrspace(1) %sink
  %r37 = call float @llvm.log2.f32(float %f)
  store volatile float %r37, ptr addrspace(1) %sink
  %r38 = call float @llvm.amdgcn.log.f32(float %f)
  store volatile float %r38, ptr addrspace(1) %sink
  %r39 = call float @llvm.log.f32(float %f)
  store volatile float %r39, ptr addrspace(1) %sink
  %r40 = call float @llvm.log10.f32(float %f)
  store volatile float %r40, ptr addrspace(1) %sink
  %r41 = call float @llvm.sin.f32(float %f)
  store volatile float %r41, ptr addrspace(1) %sink
  %r42 = call float @llvm.cos.f32(float %f)
  store volatile float %r42, ptr addrspace(1) %sink
  %r43 = call float @llvm.amdgcn.sin.f32(float %f)
  store volatile float %r43, ptr addrspace(1) %sink
  %r44 = call float @llvm.amdgcn.cos.f32(float %f)
  store volatile float %r44, ptr addrspace(1) %sink
  %r45 = call double @llvm.amdgcn.rsq.f64(double %d)
  store volatile double %r45, ptr addrspace(1) %sink
  %r46 = call float @llvm.amdgcn.rsq.legacy(float %f)
  store volatile float %r46, ptr addrspace(1) %sink
  %r47 = call float @llvm.amdgcn.rsq.clamp.f32(float %f)
  store volatile float %r47, ptr addrspace(1) %sink
  %r48 = call float @llvm.amdgcn.log.clamp.f32(float %f)
  store volatile float %r48, ptr addrspace(1) %sink
  %r49 = call float @llvm.amdgcn.rcp.f32(float %f)
  store volatile float %r49, ptr addrspace(1) %sink
  %r50 = call float @llvm.amdgcn.rcp.legacy(float %f)
  store volatile float %r50, ptr addrspace(1) %sink
  %r51 = call float @llvm.amdgcn.fract.f32(float %f)
  store volatile float %r51, ptr addrspace(1) %sink
  %r52 = call i1 @llvm.amdgcn.class.f32(float %f, i32 %i)
  %z52 = zext i1 %r52 to i32
  store volatile i32 %z52, ptr addrspace(1) %sink
  %r53 = call float @llvm.amdgcn.fmed3.f32(float %f, float %g, float %e)
  store volatile float %r53, ptr addrspace(1) %sink
  %r54 = call float @llvm.amdgcn.fmul.legacy(float %f, float %g)
  store volatile float %r54, ptr addrspace(1) %sink
  %r55 = call float @llvm.amdgcn.fma.legacy(float %f, float %g, float %e)
  store volatile float %r55, ptr addrspace(1) %sink
  %r56 = call float @llvm.amdgcn.fmad.ftz.f32(float %f, float %g, float %e)
  store volatile float %r56, ptr addrspace(1) %sink
  %r57 = call { float, i1 } @llvm.amdgcn.div.scale.f32(float %f, float %g, i1 true)
  %s57 = extractvalue { float, i1 } %r57, 0
  store volatile float %s57, ptr addrspace(1) %sink
  %z57 = extractvalue { float, i1 } %r57, 1
  %y57 = zext i1 %z57 to i32
  store volatile i32 %y57, ptr addrspace(1) %sink
  %r58 = call float @llvm.amdgcn.div.fmas.f32(float %f, float %g, float %e, i1 %c)
  store volatile float %r58, ptr addrspace(1) %sink
  %r59 = call float @llvm.amdgcn.div.fixup.f32(float %f, float %g, float %e)
  store volatile float %r59, ptr addrspace(1) %sink
  %r60 = call float @llvm.amdgcn.fdiv.fast(float %f, float %g)
  store volatile float %r60, ptr addrspace(1) %sink
  %r61 = call double @llvm.amdgcn.trig.preop.f64(double %d, i32 %i)
  store volatile double %r61, ptr addrspace(1) %sink
  %r62 = call float @llvm.amdgcn.cubeid(float %f, float %g, float %e)
  store volatile float %r62, ptr addrspace(1) %sink
  %r63 = call float @llvm.amdgcn.cubema(float %f, float %g, float %e)
  store volatile float %r63, ptr addrspace(1) %sink
  %r64 = call float @llvm.amdgcn.cubesc(float %f, float %g, float %e)
  store volatile float %r64, ptr addrspace(1) %sink
  %r65 = call float @llvm.amdgcn.cubetc(float %f, float %g, float %e)
  store volatile float %r65, ptr addrspace(1) %sink
  %r66 = call <2 x half> @llvm.amdgcn.cvt.pkrtz(float %f, float %g)
  store volatile <2 x half> %r66, ptr addrspace(1) %sink
  %r67 = call <2 x i16> @llvm.amdgcn.cvt.pknorm.i16(float %f, float %g)
  store volatile <2 x i16> %r67, ptr addrspace(1) %sink
  %r68 = call <2 x i16> @llvm.amdgcn.cvt.pknorm.u16(float %f, float %g)
  store volatile <2 x i16> %r68, ptr addrspace(1) %sink
  %r69 = call i32 @llvm.amdgcn.cvt.pk.u8.f32(float %f, i32 %i, i32 %j)
  store volatile i32 %r69, ptr addrspace(1) %sink
  %r70 = call float @llvm.amdgcn.fdot2(<2 x half> %xx, <2 x half> %yy, float %f, i1 false)
  store volatile float %r70, ptr addrspace(1) %sink
  %r71 = call float @llvm.amdgcn.fdot2.f32.bf16(<2 x bfloat> %bb, <2 x bfloat> zeroinitializer, float %f, i1 false)
  store volatile float %r71, ptr addrspace(1) %sink
  %r72 = call half @llvm.amdgcn.fdot2.f16.f16(<2 x half> %xx, <2 x half> %yy, half %x)
  store volatile half %r72, ptr addrspace(1) %sink
  %r73 = call bfloat @llvm.amdgcn.fdot2.bf16.bf16(<2 x bfloat> %bb, <2 x bfloat> zeroinitializer, bfloat %b)
  store volatile bfloat %r73, ptr addrspace(1) %sink
  %r74 = call float @llvm.amdgcn.cvt.f32.fp8(i32 %i, i32 1)
  store volatile float %r74, ptr addrspace(1) %sink
  %r75 = call float @llvm.amdgcn.cvt.f32.bf8(i32 %i, i32 2)
  store volatile float %r75, ptr addrspace(1) %sink
  %r76 = call <2 x float> @llvm.amdgcn.cvt.pk.f32.fp8(i32 %i, i1 false)
  store volatile <2 x float> %r76, ptr addrspace(1) %sink
  %r77 = call <2 x float> @llvm.amdgcn.cvt.pk.f32.bf8(i32 %i, i1 true)
  store volatile <2 x float> %r77, ptr addrspace(1) %sink
  %r78 = call i32 @llvm.amdgcn.cvt.pk.fp8.f32(float %f, float %g, i32 %i, i1 false)
  store volatile i32 %r78, ptr addrspace(1) %sink
  %r79 = call i32 @llvm.amdgcn.cvt.pk.bf8.f32(float %f, float %g, i32 %i, i1 true)
  store volatile i32 %r79, ptr addrspace(1) %sink
  %r80 = call i32 @llvm.amdgcn.cvt.sr.fp8.f32(float %f, i32 %i, i32 %j, i32 1)
  store volatile i32 %r80, ptr addrspace(1) %sink
  %r81 = call i32 @llvm.amdgcn.cvt.sr.bf8.f32(float %f, i32 %i, i32 %j, i32 3)
  store volatile i32 %r81, ptr addrspace(1) %sink
  ret void
}
