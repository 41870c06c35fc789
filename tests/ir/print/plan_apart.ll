; The barrier between lds[t] and lds[t ^ 4] is one within each warp, that in front of lds[t ^ 32] is not; nor is the one
; behind it, as what is read there is written by others next.
; RUN: --kernel=k --block=128,1,1 --print=plan
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@lds = internal addrspace(3) global [128 x i32] undef, align 4

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %mine = getelementptr [128 x i32], ptr addrspace(3) @lds, i32 0, i32 %t
  store i32 %t, ptr addrspace(3) %mine
  call void @llvm.amdgcn.s.barrier()
  %near = xor i32 %t, 4
  %b = getelementptr [128 x i32], ptr addrspace(3) @lds, i32 0, i32 %near
  %x = load i32, ptr addrspace(3) %b
  call void @llvm.amdgcn.s.barrier()
  store i32 %x, ptr addrspace(3) %mine
  call void @llvm.amdgcn.s.barrier()
  %far = xor i32 %t, 32
  %c = getelementptr [128 x i32], ptr addrspace(3) @lds, i32 0, i32 %far
  %y = load i32, ptr addrspace(3) %c
  call void @llvm.amdgcn.s.barrier()
  store i32 %y, ptr addrspace(3) %mine
  call void @llvm.amdgcn.s.barrier()
  %z = load i32, ptr addrspace(3) %b
  store i32 %z, ptr addrspace(1) %a
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
