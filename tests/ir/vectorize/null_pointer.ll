; A null pointer is aligned to 2^32, more than the C API of LLVM can say: its accesses and copies stay valid code.
; RUN: --kernel=k --block=32,1,1 --until=vectorize
; CHECK: store volatile i32 1, ptr null, align 64
; CHECK: ret void
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i64 %n) {
  store volatile i32 1, ptr addrspace(1) null, align 4294967296
  %v = load volatile i32, ptr addrspace(1) null, align 4294967296
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %p, ptr addrspace(1) align 4294967296 null, i64 24, i1 true)
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 4294967296 null, i8 0, i64 %n, i1 false)
  ret void
}
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
