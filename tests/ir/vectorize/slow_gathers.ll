; For a processor whose gathers are slow, elements other than words are loaded one by one, and words whose index has 64 bits, and
; lanes that are anywhere ask for their lines; words at a base and signed numbers of 32 bits are gathered still.
; RUN: --kernel=k --block=32,1,1 --until=vectorize --isa=avx512 --slow-gathers
; CHECK: extractelement <32 x ptr>
; CHECK: @llvm.prefetch.p0(ptr
; CHECK: gather.v32f32
; CHECK: load double
; CHECK: insertelement <32 x double>
; CHECK: load i32
; CHECK: insertelement <32 x i32>
; CHECK: load i8
; CHECK: insertelement <32 x i8>
; NOT: gather.v32f64
; NOT: gather.v32i32
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %at, ptr addrspace(1) %out) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(1) %at, i32 %t
  %i = load i32, ptr addrspace(1) %a
  %f = getelementptr float, ptr addrspace(1) %p, i32 %i
  %d = getelementptr double, ptr addrspace(1) %p, i32 %i
  %u = zext i32 %i to i64
  %g = getelementptr i32, ptr addrspace(1) %p, i64 %u
  %c = getelementptr i8, ptr addrspace(1) %p, i32 %i
  call void @llvm.prefetch.p1(ptr addrspace(1) %f, i32 0, i32 3, i32 1)
  %v = load float, ptr addrspace(1) %f
  %w = load double, ptr addrspace(1) %d
  %h = load i32, ptr addrspace(1) %g
  %x = load i8, ptr addrspace(1) %c
  %y = uitofp i8 %x to double
  %z = fpext float %v to double
  %s = fadd double %w, %z
  %q = fadd double %s, %y
  %hd = uitofp i32 %h to double
  %r = fadd double %q, %hd
  %o = getelementptr double, ptr addrspace(1) %out, i32 %t
  store double %r, ptr addrspace(1) %o
  ret void
}
declare void @llvm.prefetch.p1(ptr addrspace(1), i32, i32, i32)
declare i32 @llvm.amdgcn.workitem.id.x()
