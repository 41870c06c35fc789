; An assumption that each thread is of the first warp, which clang makes of a function that returns a value there alone,
; does not make the number of the thread that of its lane.
; RUN: --kernel=k --block=64,1,1 --until=prepare
; CHECK: %w
; CHECK: store i32 %lin
; NOT: call void @llvm.assume
; NOT: store i32 %lane
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %t, ptr addrspace(1) %at
  %first = icmp ult i32 %t, 32
  call void @llvm.assume(i1 %first)
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.assume(i1)
