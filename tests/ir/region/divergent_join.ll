; Threads part and meet again before the barriers: a uniform branch may still choose between two.
; RUN: --kernel=k --block=128,1,1 --until=region
; CHECK: r2.warps:
; NOT: @ls.barrier
; NOT: %live
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %v = load i32, ptr addrspace(1) %a
  %odd = icmp sgt i32 %v, 0
  br i1 %odd, label %set, label %join
set:
  store i32 0, ptr addrspace(1) %a
  br label %join
join:
  %c = icmp eq i32 %n, 0
  br i1 %c, label %one, label %two
one:
  call void @llvm.amdgcn.s.barrier()
  store i32 1, ptr addrspace(1) %p
  br label %done
two:
  call void @llvm.amdgcn.s.barrier()
  store i32 2, ptr addrspace(1) %p
  br label %done
done:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
