; LDS variables are parts of one array of unknown size; device variables are found by a table in constant memory.
; RUN: --kernel=k --isa=sm_90 --until=threads
; CHECK: @ls_shared = external addrspace(3) global [0 x i8], align 16
; CHECK: @ls_globals = addrspace(4) externally_initialized global [2 x ptr]
; CHECK: getelementptr inbounds (i8, ptr addrspace(3) @ls_shared, i32 1024)
; NOT: @counter
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@first = internal addrspace(3) global [256 x i32] poison, align 4
@second = internal addrspace(3) global [16 x i32] poison, align 4
@counter = addrspace(1) global i32 5
@other = addrspace(1) global i32 6
define amdgpu_kernel void @k(ptr addrspace(1) %p) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr [256 x i32], ptr addrspace(3) @first, i32 0, i32 %t
  store i32 %t, ptr addrspace(3) %a
  %m = and i32 %t, 15
  %b = getelementptr [16 x i32], ptr addrspace(3) @second, i32 0, i32 %m
  store i32 %t, ptr addrspace(3) %b
  %c = load i32, ptr addrspace(1) @counter
  %d = load i32, ptr addrspace(1) @other
  %e = add i32 %c, %d
  store i32 %e, ptr addrspace(1) %p
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "target-cpu"="gfx1100" }
