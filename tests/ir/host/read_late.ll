; Two warps fetch a row into shared memory and read its beginning side by side: once, so it is read where it comes
; from, and nothing is written to shared memory.
; RUN: --kernel=k --block=64,1,1 --until=finish --isa=avx512
; CHECK: fadd <32 x float>
; NOT: %lds
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@s = internal addrspace(3) global [64 x float] undef, align 4

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %own = getelementptr [64 x float], ptr addrspace(3) @s, i32 0, i32 %t
  %x = and i32 %t, 15
  %row = getelementptr [64 x float], ptr addrspace(3) @s, i32 0, i32 %x
  %a = getelementptr float, ptr addrspace(1) %p, i32 %t
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 1.0, %entry ], [ %after, %loop ]
  %first = shl nsw i32 %i, 6
  %at = add nsw i32 %first, %t
  %from = getelementptr float, ptr addrspace(1) %q, i32 %at
  %f = load float, ptr addrspace(1) %from
  store float %f, ptr addrspace(3) %own
  call void @llvm.amdgcn.s.barrier()
  %v = load float, ptr addrspace(3) %row
  %after = fadd float %sum, %v
  call void @llvm.amdgcn.s.barrier()
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  store float %after, ptr addrspace(1) %a
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
