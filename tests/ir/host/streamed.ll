; Whole lines that follow the block's number, in an array that is not read: past the caches, when the launch says so.
; RUN: --kernel=k --block=128,1,1 --isa=avx512 --until=finish
; RUN: --kernel=k --block=128,1,1 --isa=avx512 --until=finish -g
; RUN: --kernel=k --block=32,1,1 --isa=avx512 --until=finish -g
; RUN: --kernel=k --block=128,1,1 --isa=avx2 --until=finish
; RUN: --kernel=k --block=128,1,1 --isa=sse2 --warp=64 --until=finish
; CHECK: label %past, label %plain
; CHECK: !nontemporal
; CHECK: llvm.x86.sse.sfence()
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = shl i32 %b, 7
  %i = add i32 %o, %t
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %i
  store i32 %i, ptr addrspace(1) %a
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
