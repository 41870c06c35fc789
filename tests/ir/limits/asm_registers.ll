; More registers than a piece of inline assembly has room for are refused, not forgotten.
; RUN: --kernel=k --block=64,1,1
; FAILS: inline assembly: v_mov_b32: register v32 is one of more than 32
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %x = call i32 asm "v_mov_b32_e32 v0, $1\0Av_mov_b32_e32 v1, $1\0Av_mov_b32_e32 v2, $1\0Av_mov_b32_e32 v3, $1\0Av_mov_b32_e32 v4, $1\0Av_mov_b32_e32 v5, $1\0Av_mov_b32_e32 v6, $1\0Av_mov_b32_e32 v7, $1\0Av_mov_b32_e32 v8, $1\0Av_mov_b32_e32 v9, $1\0Av_mov_b32_e32 v10, $1\0Av_mov_b32_e32 v11, $1\0Av_mov_b32_e32 v12, $1\0Av_mov_b32_e32 v13, $1\0Av_mov_b32_e32 v14, $1\0Av_mov_b32_e32 v15, $1\0Av_mov_b32_e32 v16, $1\0Av_mov_b32_e32 v17, $1\0Av_mov_b32_e32 v18, $1\0Av_mov_b32_e32 v19, $1\0Av_mov_b32_e32 v20, $1\0Av_mov_b32_e32 v21, $1\0Av_mov_b32_e32 v22, $1\0Av_mov_b32_e32 v23, $1\0Av_mov_b32_e32 v24, $1\0Av_mov_b32_e32 v25, $1\0Av_mov_b32_e32 v26, $1\0Av_mov_b32_e32 v27, $1\0Av_mov_b32_e32 v28, $1\0Av_mov_b32_e32 v29, $1\0Av_mov_b32_e32 v30, $1\0Av_mov_b32_e32 v31, $1\0Av_mov_b32_e32 v32, $1\0Av_mov_b32_e32 $0, v32", "=v,v"(i32 %i)
  store i32 %x, ptr addrspace(1) %at
  ret void
}
