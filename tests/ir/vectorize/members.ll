; Two members of structs are read from the same vectors: 32 threads' 12 bytes are six of them.
; RUN: --kernel=k --block=32,1,1 --until=vectorize --isa=avx512
; CHECK: %window5 = load <64 x i8>
; NOT: %window6 =
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

%s = type { i32, i32, i32 }

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %a = getelementptr %s, ptr addrspace(1) %p, i64 %i
  %b = getelementptr i8, ptr addrspace(1) %a, i64 8
  %va = load i32, ptr addrspace(1) %a
  %vb = load i32, ptr addrspace(1) %b
  %v = add i32 %va, %vb
  %o = getelementptr i32, ptr addrspace(1) %q, i64 %i
  store i32 %v, ptr addrspace(1) %o
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
