; Dot products of four bytes are two of words each, and where one side is small, one of bytes and one of words.
; RUN: --kernel=k --block=32,1,1 --until=vectorize --isa=avx2
; CHECK: call <16 x i16> @llvm.x86.avx2.pmadd.ub.sw
; CHECK: call <8 x i32> @llvm.x86.avx2.pmadd.wd
; CHECK: ashr <64 x i16>
; CHECK: call <8 x i32> @llvm.x86.avx2.pmadd.wd
; NOT: mul <
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %x = load i32, ptr addrspace(1) %a
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  %y = load i32, ptr addrspace(1) %b
  %low = and i32 %x, 252645135
  %s = call i32 @llvm.amdgcn.sudot4(i1 true, i32 %low, i1 true, i32 %y, i32 0, i1 false)
  %u = call i32 @llvm.amdgcn.sudot4(i1 true, i32 %x, i1 true, i32 %y, i32 %s, i1 false)
  store i32 %u, ptr addrspace(1) %b
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.sudot4(i1, i32, i1, i32, i32, i1)
