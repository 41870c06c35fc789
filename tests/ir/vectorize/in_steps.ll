; In a large function (here: with no budget) an access of each lane by itself is a loop where the processor has no gathers;
; elements move as integers.
; RUN: --kernel=k --block=64,1,1 --warp=64 --isa=sse2 --budget=1 --until=vectorize
; RUN: --kernel=k --block=64,1,1 --warp=64 --isa=avx2 --budget=1 --until=vectorize
; CHECK: store <64 x ptr>
; CHECK: steps:
; CHECK: load i16, ptr
; CHECK: load <64 x half>, ptr %step.room
; CHECK: steps.end
; CHECK: store i16
; NOT: extractelement <64 x ptr>
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) noundef %p, ptr addrspace(1) noundef %q) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %x = load i32, ptr addrspace(1) %at, align 4
  %from = getelementptr half, ptr addrspace(1) %q, i32 %x
  %h = load half, ptr addrspace(1) %from, align 2
  %y = xor i32 %x, 1
  %to = getelementptr half, ptr addrspace(1) %q, i32 %y
  store half %h, ptr addrspace(1) %to, align 2
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
