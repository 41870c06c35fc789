; A prefetch of lanes that are anywhere: without vectors for masks every second lane asks, as no gather waits for many
; lines at once.
; RUN: --kernel=k --block=32,1,1 --until=vectorize --isa=avx2
; RUN: --kernel=k --block=32,1,1 --until=vectorize --isa=sse2
; CHECK: extractelement <32 x ptr>
; CHECK: @llvm.prefetch.p0(ptr
; CHECK: extractelement <32 x ptr>
; CHECK: , i32 30
; CHECK: @llvm.prefetch.p0(ptr
; CHECK: ret void
; NOT: , i32 31
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %at) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(1) %at, i32 %t
  %i = load i32, ptr addrspace(1) %a
  %b = getelementptr i32, ptr addrspace(1) %p, i32 %i
  call void @llvm.prefetch.p1(ptr addrspace(1) %b, i32 0, i32 3, i32 1)
  ret void
}
declare void @llvm.prefetch.p1(ptr addrspace(1), i32, i32, i32)
declare i32 @llvm.amdgcn.workitem.id.x()
