; Threads that return in front of a barrier count as arrived: the plan keeps who is still there.
; RUN: --kernel=k --block=128,1,1 --print=plan
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %beyond = icmp sge i32 %t, %n
  br i1 %beyond, label %end, label %work
work:
  store i32 %t, ptr addrspace(1) %a
  call void @llvm.amdgcn.s.barrier()
  %x = load i32, ptr addrspace(1) %p
  store volatile i32 %x, ptr addrspace(1) %a
  br label %end
end:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
