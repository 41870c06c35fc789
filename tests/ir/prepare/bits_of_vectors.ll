; A bit of a loaded vector's element is a shift of an integer: lanes load no vectors of bits, and of 128 bits they would need
; vectors of thousands. So are stores of what a comparison of vectors says.
; RUN: --kernel=k --block=64,1,1 --until=prepare
; CHECK: load <4 x i32>
; CHECK: lshr i32
; CHECK: load i32
; CHECK: store i8
; NOT: load <32 x i1>
; NOT: <128 x i1>
; NOT: extractelement <32 x i1>
; NOT: store <8 x i1>
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr <4 x i32>, ptr addrspace(1) %p, i32 %i
  %v = load <128 x i1>, ptr addrspace(1) %at, align 16
  %b0 = extractelement <128 x i1> %v, i64 2
  %b1 = extractelement <128 x i1> %v, i64 96
  %b = xor i1 %b0, %b1
  %bt = getelementptr i32, ptr addrspace(1) %q, i32 %i
  %w = load <32 x i1>, ptr addrspace(1) %bt, align 4
  %c0 = extractelement <32 x i1> %w, i64 8
  %c = xor i1 %b, %c0
  %x = select i1 %c, i32 5, i32 7
  store i32 %x, ptr addrspace(1) %bt
  %et = getelementptr <8 x i16>, ptr addrspace(1) %p, i32 %i
  %e = load <8 x i16>, ptr addrspace(1) %et, align 16
  %less = icmp ult <8 x i16> %e, <i16 1, i16 2, i16 3, i16 4, i16 5, i16 6, i16 7, i16 8>
  %rt = getelementptr i8, ptr addrspace(1) %r, i32 %i
  store <8 x i1> %less, ptr addrspace(1) %rt
  ret void
}
