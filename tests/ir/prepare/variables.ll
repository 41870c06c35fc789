; Device variables are reached through ctx by their index in the whole module; LDS variables get offsets.
; RUN: --kernel=k --block=64,1,1 --until=prepare
; CHECK: @s = internal addrspace(3) global [8 x i32] undef, align 4, !ls.lds.offset
; CHECK: getelementptr inbounds i8, ptr %globals, i64 8
; NOT: @other =
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@other = protected addrspace(1) externally_initialized global i32 0
@counter = protected addrspace(1) externally_initialized global i32 0
@s = internal addrspace(3) global [8 x i32] undef, align 4
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %i = and i32 %x, 7
  %a = getelementptr [8 x i32], ptr addrspace(3) @s, i32 0, i32 %i
  store i32 1, ptr addrspace(3) %a
  store i32 %x, ptr addrspace(1) @counter
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
