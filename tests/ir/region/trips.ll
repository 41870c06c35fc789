; A loop that lanes leave at different times: while all lanes stay, which the last one's index says, it has no
; masks. What is left has, but where no lane is left, as the one that would stay longest says, it is skipped.
; RUN: --kernel=k --isa=avx512 --block=64,1,1 --until=vectorize
; CHECK: icmp slt i32
; CHECK: load <32 x float>
; CHECK: or i1
; CHECK: icmp slt <32 x i32>
; CHECK: call <32 x float> @llvm.masked.load
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %a, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c0 = icmp slt i32 %t, %n
  br i1 %c0, label %head, label %end
head:
  %i = phi i32 [ %t, %entry ], [ %next, %head ]
  %sum = phi float [ 0.0, %entry ], [ %more, %head ]
  %iz = sext i32 %i to i64
  %at = getelementptr float, ptr addrspace(1) %a, i64 %iz
  %x = load float, ptr addrspace(1) %at
  %more = fadd float %sum, %x
  %next = add nsw i32 %i, 64
  %c = icmp slt i32 %next, %n
  br i1 %c, label %head, label %end
end:
  %all = phi float [ 0.0, %entry ], [ %more, %head ]
  call void @llvm.amdgcn.s.barrier()
  %o = getelementptr float, ptr addrspace(1) %out, i32 %t
  store float %all, ptr addrspace(1) %o
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
