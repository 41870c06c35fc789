; A service of the host takes ten arguments at most.
; RUN: --kernel=k --block=64,1,1
; FAILS: __ls_multi_grid with 11 arguments (at most 10)
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i64 @__ls_multi_grid(i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64)

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %x = call i64 @__ls_multi_grid(i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10)
  store i64 %x, ptr addrspace(1) %p
  ret void
}
