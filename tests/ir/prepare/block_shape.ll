; With the shape known, sizes are constants and a row that fills whole warps makes y uniform.
; RUN: --kernel=k --block=64,4,1 --until=prepare
; CHECK: lshr i32 %w, 1
; CHECK: store i32 64
; NOT: urem
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %y
  %d = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %f = getelementptr i8, ptr addrspace(4) %d, i64 12
  %s = load i16, ptr addrspace(4) %f
  %z = zext i16 %s to i32
  store i32 %z, ptr addrspace(1) %a
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.y()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
