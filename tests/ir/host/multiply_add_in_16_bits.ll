; Half: an f32 sum of all lanes and its error, no fma lane by lane. Bfloat: what may be fused is not, as in code for AMD.
; RUN: --kernel=k --isa=avx512 --until=finish
; CHECK: fpext <32 x half>
; CHECK: fmul <32 x float>
; CHECK: fadd <32 x float>
; CHECK: fsub <32 x float>
; CHECK: fcmp one <32 x float>
; CHECK: fptrunc <32 x float>
; CHECK: fmul <32 x float>
; CHECK: lshr <32 x i32>
; CHECK: fadd <32 x float>
; NOT: llvm.fma
; NOT: llvm.fmuladd
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr half, ptr addrspace(1) %p, i32 %i
  %x = load half, ptr addrspace(1) %a
  %f = call half @llvm.fma.f16(half %x, half 3.0, half %x)
  store half %f, ptr addrspace(1) %a
  %b = getelementptr bfloat, ptr addrspace(1) %q, i32 %i
  %y = load bfloat, ptr addrspace(1) %b
  %g = call bfloat @llvm.fmuladd.bf16(bfloat %y, bfloat 3.0, bfloat %y)
  store bfloat %g, ptr addrspace(1) %b
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare half @llvm.fma.f16(half, half, half)
declare bfloat @llvm.fmuladd.bf16(bfloat, bfloat, bfloat)
