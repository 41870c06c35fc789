; Every row of the table that is a hint or bookkeeping.
; RUN: --kernel=k --block=64,1,1 --isa=sse2 --until=finish --print=rows
; RUN: --kernel=k --block=64,1,1 --isa=avx2 --until=finish --print=rows
; RUN: --kernel=k --block=64,1,1 --isa=avx512 --until=finish --print=rows
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %sink, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr [64 x i8], ptr addrspace(1) %p, i32 %t
  %i = load volatile i32, ptr addrspace(1) %at
  %f = load volatile float, ptr addrspace(1) %at
  %c0 = load volatile i32, ptr addrspace(1) %at
  %c = icmp slt i32 %c0, 5
  %r1 = call i32 @llvm.expect.i32(i32 %i, i32 1)
  store volatile i32 %r1, ptr addrspace(1) %sink
  %r2 = call i32 @llvm.expect.with.probability.i32(i32 %i, i32 1, double 0.5)
  store volatile i32 %r2, ptr addrspace(1) %sink
  %r3 = call i32 @llvm.ssa.copy.i32(i32 %i)
  store volatile i32 %r3, ptr addrspace(1) %sink
  %r4 = call i32 @llvm.annotation.i32.p0(i32 %i, ptr null, ptr null, i32 1)
  store volatile i32 %r4, ptr addrspace(1) %sink
  %r5 = call float @llvm.arithmetic.fence.f32(float %f)
  store volatile float %r5, ptr addrspace(1) %sink
  %r6 = call i1 @llvm.is.constant.i32(i32 %i)
  %z6 = zext i1 %r6 to i32
  store volatile i32 %z6, ptr addrspace(1) %sink
  %r7 = call i64 @llvm.objectsize.i64.p1(ptr addrspace(1) %at, i1 false, i1 true, i1 true)
  store volatile i64 %r7, ptr addrspace(1) %sink
  %pa = call ptr addrspace(1) @llvm.ptr.annotation.p1.p0(ptr addrspace(1) %at, ptr null, ptr null, i32 1, ptr null)
  store volatile i32 1, ptr addrspace(1) %pa
  %li = call ptr addrspace(1) @llvm.launder.invariant.group.p1(ptr addrspace(1) %at)
  store volatile i32 1, ptr addrspace(1) %li
  %st = call ptr addrspace(1) @llvm.strip.invariant.group.p1(ptr addrspace(1) %at)
  store volatile i32 1, ptr addrspace(1) %st
  %own = alloca [4 x i32], align 4, addrspace(5)
  call void @llvm.lifetime.start.p5(i64 16, ptr addrspace(5) %own)
  store volatile i32 %n, ptr addrspace(5) %own
  call void @llvm.var.annotation.p5.p0(ptr addrspace(5) %own, ptr null, ptr null, i32 1, ptr null)
  call void @llvm.lifetime.end.p5(i64 16, ptr addrspace(5) %own)
  %inv = call ptr @llvm.invariant.start.p1(i64 4, ptr addrspace(1) %at)
  call void @llvm.invariant.end.p1(ptr %inv, i64 4, ptr addrspace(1) %at)
  %stack = call ptr addrspace(5) @llvm.stacksave.p5()
  call void @llvm.stackrestore.p5(ptr addrspace(5) %stack)
  call void @llvm.assume(i1 true) [ "align"(ptr addrspace(1) %at, i64 16) ]
  call void @llvm.experimental.noalias.scope.decl(metadata !0)
  call void @llvm.sideeffect()
  call void @llvm.donothing()
  call void @llvm.pseudoprobe(i64 1, i64 1, i32 0, i64 -1)
  call void (...) @llvm.fake.use(i32 %i)
  ret void
}

!0 = !{!1}
!1 = distinct !{!1, !2}
!2 = distinct !{!2}
declare void @llvm.fake.use(...)
