; Half words in structs of 18 bytes, two lanes for each: without vectors for masks no window is of use, so each place is a
; load from the base and a constant, once, and no address is taken out of a vector. In structs of 36 bytes no window is of use
; with them either, and a gather would read the words around.
; RUN: --kernel=k --block=32,1,1 --until=vectorize --isa=avx2
; RUN: --kernel=k --block=32,1,1 --until=vectorize --isa=sse2
; RUN: --kernel=far --block=32,1,1 --until=vectorize --isa=avx512
; CHECK: load i16
; CHECK: insertelement <16 x i16>
; CHECK: shufflevector <16 x i16>
; NOT: extractelement <32 x ptr>
; NOT: insertelement <32 x i16>
; NOT: gather
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %half = lshr i32 %t, 1
  %o = mul nuw nsw i32 %half, 18
  %a = getelementptr i8, ptr addrspace(1) %p, i32 %o
  %v = load i16, ptr addrspace(1) %a
  %b = getelementptr i16, ptr addrspace(1) %q, i32 %t
  store i16 %v, ptr addrspace(1) %b
  ret void
}

define amdgpu_kernel void @far(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %half = lshr i32 %t, 1
  %o = mul nuw nsw i32 %half, 36
  %a = getelementptr i8, ptr addrspace(1) %p, i32 %o
  %v = load i16, ptr addrspace(1) %a
  %b = getelementptr i16, ptr addrspace(1) %q, i32 %t
  store i16 %v, ptr addrspace(1) %b
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
