; Counting bytes in LDS: lanes' bytes come out of the vector eight at a time and are scaled by the address.
; RUN: --kernel=k --block=32,1,1 --until=vectorize
; CHECK: bitcast <32 x i8>
; CHECK: extractelement <4 x i64>
; CHECK: and i64
; CHECK: 255
; CHECK: mul i64
; NOT: trunc <32 x i32>
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@bins = internal addrspace(3) global [256 x i32] undef
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i8, ptr addrspace(1) %p, i32 %t
  %v = load i8, ptr addrspace(1) %a
  %w = zext i8 %v to i32
  %b = getelementptr [256 x i32], ptr addrspace(3) @bins, i32 0, i32 %w
  %o = atomicrmw add ptr addrspace(3) %b, i32 1 syncscope("workgroup") monotonic
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
