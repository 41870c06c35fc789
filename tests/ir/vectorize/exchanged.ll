; s[t ^ 5] is a vector of the warp's own elements in another order: no lane goes to memory for itself.
; RUN: --kernel=k --block=256,1,1 --until=vectorize --isa=avx512
; RUN: --kernel=k --block=256,1,1 --until=vectorize --isa=avx2
; RUN: --kernel=k --block=256,1,1 --until=vectorize --isa=sse2
; CHECK: load <32 x i32>
; CHECK: shufflevector <32 x i32>
; NOT: gather
; NOT: scatter
; NOT: extractelement <32 x ptr>
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@s = internal addrspace(3) global [256 x i32] undef, align 4
@r = internal addrspace(3) global [256 x i32] undef, align 4

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = xor i32 %t, 5
  %a = getelementptr [256 x i32], ptr addrspace(3) @s, i32 0, i32 %o
  %v = load i32, ptr addrspace(3) %a
  %w = add i32 %v, %t
  %b = getelementptr [256 x i32], ptr addrspace(3) @r, i32 0, i32 %o
  store i32 %w, ptr addrspace(3) %b
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
