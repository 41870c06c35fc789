; Two floats at any address: one access for a lane, of eight bytes.
; RUN: --kernel=k --block=256,1,1 --until=vectorize --isa=avx512
; CHECK: llvm.masked.gather.v32f64
; CHECK: shufflevector
; CHECK: llvm.masked.scatter.v32f64
; NOT: v32f32
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(1) %q, i32 %t
  %i = load i32, ptr addrspace(1) %a
  %b = getelementptr <2 x float>, ptr addrspace(1) %p, i32 %i
  %v = load <2 x float>, ptr addrspace(1) %b, align 4
  %x = extractelement <2 x float> %v, i32 0
  %y = extractelement <2 x float> %v, i32 1
  %s = fadd float %x, %y
  %w = insertelement <2 x float> %v, float %s, i32 0
  store <2 x float> %w, ptr addrspace(1) %b, align 4
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
