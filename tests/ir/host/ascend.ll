; The lower of two operands from memory is the first: the other one is read by the operation itself, so later.
; RUN: --kernel=k --block=32,1,1 --until=finish --isa=avx2
; CHECK: %11 = load <32 x float>
; CHECK: %12 = load <32 x float>
; CHECK: fadd <32 x float> %12, %11
; CHECK: fsub <32 x float> %14, %15
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr float, ptr addrspace(1) %p, i32 %t
  %b = getelementptr i8, ptr addrspace(1) %a, i64 4096
  %high = load float, ptr addrspace(1) %b
  %low = load float, ptr addrspace(1) %a
  %s = fadd float %high, %low
  %c = getelementptr i8, ptr addrspace(1) %a, i64 8192
  %d = getelementptr i8, ptr addrspace(1) %a, i64 12288
  %x = load float, ptr addrspace(1) %d
  %y = load float, ptr addrspace(1) %c
  %u = fsub float %x, %y
  %r = getelementptr float, ptr addrspace(1) %q, i32 %t
  store float %s, ptr addrspace(1) %r
  %r2 = getelementptr i8, ptr addrspace(1) %r, i64 4096
  store float %u, ptr addrspace(1) %r2
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
