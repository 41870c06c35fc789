; Fences of a warp's scope beside the warp's barrier say nothing new.
; RUN: --kernel=k --isa=sm_90 --until=threads
; CHECK: @llvm.nvvm.bar.warp.sync
; NOT: fence.
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p) #0 {
  store i32 1, ptr addrspace(1) %p
  fence syncscope("wavefront") release
  call void @llvm.amdgcn.wave.barrier()
  fence syncscope("wavefront") acquire
  store i32 2, ptr addrspace(1) %p
  ret void
}
declare void @llvm.amdgcn.wave.barrier()
attributes #0 = { "target-cpu"="gfx1100" }
