; A row of 16 lanes is stored as a column: lanes 0 and 16 are neighbours in memory, and go as one store of eight bytes.
; RUN: --kernel=k --block=256,1,1 --until=vectorize --isa=avx512
; RUN: --kernel=k --block=256,1,1 --until=vectorize --isa=avx2
; CHECK: to <16 x double>
; CHECK: extractelement <16 x double>
; CHECK: store double
; NOT: scatter
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@s = internal addrspace(3) global [16 x [20 x float]] undef, align 4

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %x = and i32 %t, 15
  %y = lshr i32 %t, 4
  %a = getelementptr float, ptr addrspace(1) %p, i32 %t
  %v = load float, ptr addrspace(1) %a
  %to = getelementptr [16 x [20 x float]], ptr addrspace(3) @s, i32 0, i32 %x, i32 %y
  store float %v, ptr addrspace(3) %to
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
