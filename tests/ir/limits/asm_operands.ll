; More operands than a piece of inline assembly has room for: how many there are, and may be.
; RUN: --kernel=k --block=64,1,1
; FAILS: inline assembly with 41 operands (at most 40)
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %x = call i32 asm "v_mov_b32_e32 $0, $40", "=v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,~{memory}"(i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i, i32 %i)
  store i32 %x, ptr addrspace(1) %at
  ret void
}
