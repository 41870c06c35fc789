; A vector of a thread longer than the vectoriser has room for, in an operation that nothing takes apart.
; RUN: --kernel=k --block=64,1,1
; FAILS: kernel k: vector of 128 elements in one thread (at most 64)
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.vector.reduce.add.v128i32(<128 x i32>)

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr <128 x i32>, ptr addrspace(1) %p, i32 %i
  %v = load <128 x i32>, ptr addrspace(1) %at
  %sum = call i32 @llvm.vector.reduce.add.v128i32(<128 x i32> %v)
  store i32 %sum, ptr addrspace(1) %at
  ret void
}
