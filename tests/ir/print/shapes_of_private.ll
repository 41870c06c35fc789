; Private arrays: one that no address leaves is interleaved, so that a uniform index is one address; one whose address
; goes to memory lies lane by lane.
; RUN: --kernel=k --block=32,1,1 --warp=32 --print=shapes
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  %own = alloca [8 x i32], align 4, addrspace(5)
  %shown = alloca [8 x i32], align 4, addrspace(5)
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr ptr addrspace(5), ptr addrspace(1) %p, i32 %t
  store volatile ptr addrspace(5) %shown, ptr addrspace(1) %at
  %same = getelementptr [8 x i32], ptr addrspace(5) %own, i32 0, i32 %n
  store i32 %t, ptr addrspace(5) %same
  %other = and i32 %t, 7
  %each = getelementptr [8 x i32], ptr addrspace(5) %own, i32 0, i32 %other
  %x = load i32, ptr addrspace(5) %each
  %seen = getelementptr [8 x i32], ptr addrspace(5) %shown, i32 0, i32 %n
  store i32 %x, ptr addrspace(5) %seen
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
