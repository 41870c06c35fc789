; Races: a write is told of as a row; a barrier is counted in the code where nothing else orders the block; of a read of shared memory to
; which nobody writes between the barriers around nothing is told; a read of global memory only if it is not known that others read it, too.
; RUN: --kernel=k --block=64,1,1 --until=vectorize --checks=4 --isa=avx512
; CHECK: call void %row
; CHECK: %passed
; CHECK: told:
; CHECK-NOT: call void %row
; CHECK-NOT: call void %access
; CHECK: store <32 x i32>
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@lds = internal addrspace(3) global [64 x i32] undef

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %s = getelementptr i32, ptr addrspace(3) @lds, i32 %t
  store i32 %t, ptr addrspace(3) %s
  call void @llvm.amdgcn.s.barrier()
  %v = load i32, ptr addrspace(1) %p
  %i = xor i32 %t, 32
  %o = getelementptr i32, ptr addrspace(3) @lds, i32 %i
  %w = load i32, ptr addrspace(3) %o
  %x = add i32 %v, %w
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %x, ptr addrspace(1) %a
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
