; Rows of a tile whose indices are one number and different constants: lanes that stand closer than the rows do not wait.
; RUN: --kernel=k --isa=sm_90 --block=0,0,1 --until=threads
; CHECK: store float %b
; NOT: bar.warp.sync
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
@s = internal addrspace(3) global [1020 x float] poison, align 16

define amdgpu_kernel void @k(ptr addrspace(1) %p) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %row = mul i32 %y, 34
  %i = add i32 %row, %x
  %i1 = add i32 %i, 340
  %i2 = add i32 %i, 680
  %first = getelementptr [1020 x float], ptr addrspace(3) @s, i32 0, i32 %i
  %second = getelementptr [1020 x float], ptr addrspace(3) @s, i32 0, i32 %i1
  %third = getelementptr [1020 x float], ptr addrspace(3) @s, i32 0, i32 %i2
  %a = load float, ptr addrspace(3) %second
  store float %a, ptr addrspace(3) %first
  %b = load float, ptr addrspace(3) %third
  store float %b, ptr addrspace(3) %second
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
attributes #0 = { "target-cpu"="gfx1100" }
