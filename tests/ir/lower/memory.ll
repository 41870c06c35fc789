; Every row of the table about memory.
; RUN: --kernel=k --block=64,1,1 --isa=sse2 --until=finish --print=rows
; RUN: --kernel=k --block=64,1,1 --isa=avx2 --until=finish --print=rows
; RUN: --kernel=k --block=64,1,1 --isa=avx512 --until=finish --print=rows
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@lds = internal addrspace(3) global float poison

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %sink, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr [64 x i8], ptr addrspace(1) %p, i32 %t
  %i = load volatile i32, ptr addrspace(1) %at
  %f = load volatile float, ptr addrspace(1) %at
  %d = load volatile double, ptr addrspace(1) %at
  %xx = load volatile <2 x half>, ptr addrspace(1) %at
  %hh = load volatile <2 x i16>, ptr addrspace(1) %at
  %generic = load volatile ptr, ptr addrspace(1) %at
  %al = load volatile i64, ptr addrspace(1) %at
  %own = getelementptr float, ptr addrspace(3) @lds, i32 %i
  call void @llvm.memcpy.p1.p1.i32(ptr addrspace(1) %sink, ptr addrspace(1) %at, i32 %i, i1 false)
  call void @llvm.memmove.p1.p1.i32(ptr addrspace(1) %sink, ptr addrspace(1) %at, i32 %i, i1 false)
  call void @llvm.memset.p1.i32(ptr addrspace(1) %at, i8 1, i32 %i, i1 false)
  %r6 = call i1 @llvm.amdgcn.is.shared(ptr %generic)
  %z6 = zext i1 %r6 to i32
  store volatile i32 %z6, ptr addrspace(1) %sink
  %r7 = call i1 @llvm.amdgcn.is.private(ptr %generic)
  %z7 = zext i1 %r7 to i32
  store volatile i32 %z7, ptr addrspace(1) %sink
  %r8 = call float @llvm.amdgcn.global.atomic.fadd.f32.p1.f32(ptr addrspace(1) %at, float %f)
  store volatile float %r8, ptr addrspace(1) %sink
  %r9 = call double @llvm.amdgcn.global.atomic.fmin.f64.p1.f64(ptr addrspace(1) %at, double %d)
  store volatile double %r9, ptr addrspace(1) %sink
  %r10 = call double @llvm.amdgcn.global.atomic.fmax.f64.p1.f64(ptr addrspace(1) %at, double %d)
  store volatile double %r10, ptr addrspace(1) %sink
  %r11 = call float @llvm.amdgcn.flat.atomic.fadd.f32.p0.f32(ptr %generic, float %f)
  store volatile float %r11, ptr addrspace(1) %sink
  %r12 = call double @llvm.amdgcn.flat.atomic.fmin.f64.p0.f64(ptr %generic, double %d)
  store volatile double %r12, ptr addrspace(1) %sink
  %r13 = call double @llvm.amdgcn.flat.atomic.fmax.f64.p0.f64(ptr %generic, double %d)
  store volatile double %r13, ptr addrspace(1) %sink
  %r14 = call <2 x half> @__ls_atomic_add_v2f16(ptr %generic, <2 x half> %xx)
  store volatile <2 x half> %r14, ptr addrspace(1) %sink
  %r15 = call <2 x i16> @__ls_atomic_add_v2bf16(ptr %generic, <2 x i16> %hh)
  store volatile <2 x i16> %r15, ptr addrspace(1) %sink
  %r16 = call float @llvm.amdgcn.ds.fadd.f32(ptr addrspace(3) @lds, float %f, i32 0, i32 0, i1 false)
  store volatile float %r16, ptr addrspace(1) %sink
  %r17 = call float @llvm.amdgcn.ds.fmin.f32(ptr addrspace(3) @lds, float %f, i32 0, i32 0, i1 false)
  store volatile float %r17, ptr addrspace(1) %sink
  %r18 = call float @llvm.amdgcn.ds.fmax.f32(ptr addrspace(3) @lds, float %f, i32 0, i32 0, i1 false)
  store volatile float %r18, ptr addrspace(1) %sink
  %r19 = call i32 @llvm.amdgcn.ds.append.p3(ptr addrspace(3) @lds, i1 false)
  store volatile i32 %r19, ptr addrspace(1) %sink
  %r20 = call i32 @llvm.amdgcn.ds.consume.p3(ptr addrspace(3) %own, i1 false)
  store volatile i32 %r20, ptr addrspace(1) %sink
  %down = call ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1) %at, i64 %al)
  store volatile i32 1, ptr addrspace(1) %down
  call void @llvm.prefetch.p1(ptr addrspace(1) %at, i32 0, i32 3, i32 1)
  ret void
}
declare <2 x half> @__ls_atomic_add_v2f16(ptr, <2 x half>)
declare <2 x i16> @__ls_atomic_add_v2bf16(ptr, <2 x i16>)
declare float @llvm.amdgcn.ds.fadd.f32(ptr addrspace(3), float, i32, i32, i1)
declare float @llvm.amdgcn.ds.fmin.f32(ptr addrspace(3), float, i32, i32, i1)
declare float @llvm.amdgcn.ds.fmax.f32(ptr addrspace(3), float, i32, i32, i1)
