; A masked access of 2048 elements: all 32 parts of its mask have room.
; RUN: --kernel=k --block=64,1,1 --warp=64 --isa=sse2 --until=finish
; CHECK: all:
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %few = icmp ult i32 %i, %n
  br i1 %few, label %some, label %done
some:
  %from = getelementptr <32 x i32>, ptr addrspace(1) %p, i32 %i
  %to = getelementptr <32 x i32>, ptr addrspace(1) %q, i32 %i
  %v = load <32 x i32>, ptr addrspace(1) %from
  store <32 x i32> %v, ptr addrspace(1) %to
  br label %done
done:
  ret void
}
