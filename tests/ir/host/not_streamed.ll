; Into the caches as ever: what the kernel reads too, what every block writes again, what is ordered by a fence, half
; lines, and code that is not optimised.
; RUN: --kernel=reads --block=128,1,1 --isa=avx512 --until=finish
; RUN: --kernel=again --block=128,1,1 --isa=avx512 --until=finish
; RUN: --kernel=fenced --block=128,1,1 --isa=avx512 --until=finish
; RUN: --kernel=bytes --block=128,1,1 --isa=avx512 --until=finish
; RUN: --kernel=bytes --block=128,1,1 --isa=avx512 --until=finish -O0
; CHECK: define internal void @ls.run_blocks(
; NOT: nontemporal
; NOT: sfence
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @reads(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = shl i32 %b, 7
  %i = add i32 %o, %t
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %a
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %a
  ret void
}
define amdgpu_kernel void @again(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %t, ptr addrspace(1) %a
  ret void
}
define amdgpu_kernel void @fenced(ptr addrspace(1) %p, ptr addrspace(1) %flag) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = shl i32 %b, 7
  %i = add i32 %o, %t
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %i
  store i32 %i, ptr addrspace(1) %a
  fence syncscope("agent") release
  %f = getelementptr i32, ptr addrspace(1) %flag, i32 %b
  store volatile i32 1, ptr addrspace(1) %f
  ret void
}
define amdgpu_kernel void @bytes(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = shl i32 %b, 7
  %i = add i32 %o, %t
  %a = getelementptr i8, ptr addrspace(1) %p, i32 %i
  %v = trunc i32 %i to i8
  store i8 %v, ptr addrspace(1) %a
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
