; Constants as wide as 16 elements of 64 lanes: they were zeros, and all that is positive became 0.
; RUN: --kernel=k --block=64,1,1 --warp=64 --isa=avx512 --until=vectorize
; CHECK: fcmp oge <1024 x float>
; CHECK: <i32 2147483647, i32 2147483647
; NOT: <1024 x i32> zeroinitializer, <1024 x i32> %
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr <16 x float>, ptr addrspace(1) %p, i32 %i
  %v = load <16 x float>, ptr addrspace(1) %at
  %w = fptosi <16 x float> %v to <16 x i32>
  store <16 x i32> %w, ptr addrspace(1) %at
  ret void
}
