; The steps of a scan within a warp: each reads from shared memory what lies left of the sums that it writes there, which
; it has itself. The first one reads all of what it writes in part, and so what lies left of it.
; RUN: --kernel=k --block=256,1,1 --until=finish --isa=avx512
; CHECK: shufflevector <32 x float>
; NOT: call void @llvm.masked.store
; NOT: call <32 x float> @llvm.masked.load
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@s = internal addrspace(3) global [256 x float] undef, align 4

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %lane = and i32 %t, 31
  %own = getelementptr float, ptr addrspace(3) @s, i32 %t
  %g = getelementptr float, ptr addrspace(1) %p, i32 %t
  %v.1 = load float, ptr addrspace(1) %g
  store float %v.1, ptr addrspace(3) %own
  %somewhere = getelementptr float, ptr addrspace(3) @s, i32 %n
  store float 1.0, ptr addrspace(3) %somewhere
  %in.1 = icmp ugt i32 %lane, 0
  br i1 %in.1, label %add.1, label %two
add.1:
  %left.1 = getelementptr i8, ptr addrspace(3) %own, i32 -4
  %a.1 = load float, ptr addrspace(3) %left.1
  %c.1 = fadd float %a.1, %v.1
  store float %c.1, ptr addrspace(3) %own
  br label %two
two:
  %v.2 = phi float [ %v.1, %0 ], [ %c.1, %add.1 ]
  %in.2 = icmp ugt i32 %lane, 1
  br i1 %in.2, label %add.2, label %four
add.2:
  %left.2 = getelementptr i8, ptr addrspace(3) %own, i32 -8
  %a.2 = load float, ptr addrspace(3) %left.2
  %c.2 = fadd float %a.2, %v.2
  store float %c.2, ptr addrspace(3) %own
  br label %four
four:
  %v = load float, ptr addrspace(3) %own
  store float %v, ptr addrspace(1) %g
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
