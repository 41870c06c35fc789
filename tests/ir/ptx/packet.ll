; A function that stays out of line reads the dispatch packet, which is a block of the thread's own: what is written there
; is not dropped because clang has marked the call as the last.
; RUN: --kernel=k --isa=sm_90 --until=optimise
; CHECK: getelementptr inbounds i8, ptr %3, i64 6
; CHECK: store i16
; CHECK: call fastcc
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define internal i16 @through(ptr nocapture readonly %p, i64 %at) noinline nounwind memory(argmem: read) {
  %q = getelementptr i8, ptr %p, i64 %at
  %v = load i16, ptr %q
  ret i16 %v
}

define amdgpu_kernel void @k(ptr addrspace(1) %to, i64 %at) #0 {
  %packet = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %p = addrspacecast ptr addrspace(4) %packet to ptr
  %v = tail call i16 @through(ptr %p, i64 %at)
  store i16 %v, ptr addrspace(1) %to
  ret void
}

declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
attributes #0 = { "amdgpu-flat-work-group-size"="1,256" }
