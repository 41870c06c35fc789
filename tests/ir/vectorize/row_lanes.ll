; The rows of a block of 16 x 16 threads are warps, as nothing in the kernel says how long those are.
; RUN: --kernel=k --block=16,16,1 --until=vectorize --isa=avx512
; CHECK: load <16 x float>
; CHECK: fmul <16 x float>
; NOT: <32 x
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %row = mul nsw i32 %y, %n
  %i = add nsw i32 %row, %x
  %wide = sext i32 %i to i64
  %at = getelementptr float, ptr addrspace(1) %p, i64 %wide
  %v = load float, ptr addrspace(1) %at
  %w = fmul float %v, 3.0
  store float %w, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
