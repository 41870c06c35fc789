; A value inside sixteen aggregates.
; RUN: --kernel=k --block=64,1,1
; FAILS: kernel k: aggregate nested 16 deep (at most 15)
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

%deep = type { { { { { { { { { { { { { { { { i32, i8 }, i8 }, i8 }, i8 }, i8 }, i8 }, i8 }, i8 }, i8 }, i8 }, i8 }, i8 }, i8 }, i8 }, i8 }, i8 }

declare i32 @llvm.amdgcn.workitem.id.x()

define internal %deep @f(ptr addrspace(1) %p) noinline {
  %v = load volatile %deep, ptr addrspace(1) %p
  ret %deep %v
}

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr %deep, ptr addrspace(1) %p, i32 %i
  %v = call %deep @f(ptr addrspace(1) %at)
  %x = extractvalue %deep %v, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
  store i32 %x, ptr addrspace(1) %at
  ret void
}
