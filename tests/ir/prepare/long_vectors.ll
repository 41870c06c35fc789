; A thread's array that clang keeps in one vector becomes its elements (rocPRIM's items of a thread), and a bit
; of an element is no element of a vector of bits.
; RUN: --kernel=k --block=64,1,1 --until=prepare
; CHECK: phi i8
; NOT: <10 x
; NOT: <80 x
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
entry:
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i8, ptr addrspace(1) %p, i32 %i
  %a = load i8, ptr addrspace(1) %at
  %v0 = insertelement <10 x i8> poison, i8 %a, i64 0
  %v1 = insertelement <10 x i8> %v0, i8 5, i64 1
  %far = icmp ugt i32 %i, 7
  br i1 %far, label %more, label %done
more:
  %b = mul i8 %a, 3
  %w = insertelement <10 x i8> %v1, i8 %b, i64 1
  store volatile i8 %b, ptr addrspace(1) %at
  br label %done
done:
  %v = phi <10 x i8> [ %v1, %entry ], [ %w, %more ]
  %x = extractelement <10 x i8> %v, i64 1
  %bit = trunc i8 %x to i1
  %y = select i1 %bit, i8 %x, i8 77
  store i8 %y, ptr addrspace(1) %at
  ret void
}
