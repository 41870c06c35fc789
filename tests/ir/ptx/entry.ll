; The entry has the kernel's parameters, an aggregate as such; what lies in the constant space is read as ordinary memory.
; RUN: --kernel=k --isa=sm_90 --until=threads
; CHECK: define ptx_kernel void @ls_kernel(ptr addrspace(1) noalias %0, ptr byval({ i32, i64 }) align 8 %1, float %2)
; CHECK: @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK: !nvvm.annotations
; CHECK: !"kernel", i32 1
; CHECK: !"maxntidx", i32 256
; NOT: ptr addrspace(4)
; NOT: llvm.amdgcn
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) noalias %p, ptr addrspace(4) byref({ i32, i64 }) align 8 %s, float %f) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %at = getelementptr i8, ptr addrspace(4) %s, i64 8
  %n = load i64, ptr addrspace(4) %at
  %g = addrspacecast ptr addrspace(4) %s to ptr
  %m = load i32, ptr %g
  %i = add i32 %t, %b
  %j = add i32 %i, %m
  %q = getelementptr i64, ptr addrspace(1) %p, i32 %j
  store i64 %n, ptr addrspace(1) %q
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
attributes #0 = { "target-cpu"="gfx1100" "amdgpu-flat-work-group-size"="1,256" }
