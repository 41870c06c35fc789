; In a large function (here: with no budget) what is computed between two other instructions is a loop over the lanes, one register
; at a time, where the processor has no mask registers.
; RUN: --kernel=k --block=64,1,1 --warp=64 --isa=sse2 --budget=1 --until=finish
; CHECK: rolled:
; CHECK: load <4 x i32>
; CHECK: mul <4 x i32>
; CHECK: select <4 x i1>
; CHECK: store <4 x i32>
; CHECK: br i1
; NOT: mul <64 x i32>
; NOT: select <64 x i1>
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) noundef %p, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %x = load i32, ptr addrspace(1) %at, align 4
  %y = mul i32 %x, 77
  %z = xor i32 %y, %t
  %c = icmp sgt i32 %z, %n
  %v = select i1 %c, i32 %x, i32 %z
  store i32 %v, ptr addrspace(1) %at, align 4
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
