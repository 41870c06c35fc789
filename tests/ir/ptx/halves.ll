; A bfloat that is taken for a half: LLVM's code generator for NVIDIA cannot do that in one step.
; RUN: --kernel=k --isa=sm_90 --block=0,1,1 --until=optimise
; CHECK: mov.b16
; NOT: bitcast bfloat %v to half
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr bfloat, ptr addrspace(1) %p, i32 %t
  %v = load volatile bfloat, ptr addrspace(1) %at
  %h = bitcast bfloat %v to half
  %s = fadd half %h, 0xH3C00
  store half %s, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "target-cpu"="gfx1100" }
