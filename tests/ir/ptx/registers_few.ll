; Seven numbers in an iteration: no wish for registers.
; RUN: --kernel=k --isa=sm_90 --until=optimise
; CHECK: @ls_kernel
; NOT: lockstep-registers
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %q, i32 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a0 = mul i32 %i, 3
  %p0 = getelementptr float, ptr addrspace(1) %p, i32 %a0
  %v0 = load float, ptr addrspace(1) %p0
  %a1 = mul i32 %i, 5
  %p1 = getelementptr float, ptr addrspace(1) %p, i32 %a1
  %v1 = load float, ptr addrspace(1) %p1
  %a2 = mul i32 %i, 7
  %p2 = getelementptr float, ptr addrspace(1) %p, i32 %a2
  %v2 = load float, ptr addrspace(1) %p2
  %a3 = mul i32 %i, 9
  %p3 = getelementptr float, ptr addrspace(1) %p, i32 %a3
  %v3 = load float, ptr addrspace(1) %p3
  %a4 = mul i32 %i, 11
  %p4 = getelementptr float, ptr addrspace(1) %p, i32 %a4
  %v4 = load float, ptr addrspace(1) %p4
  %a5 = mul i32 %i, 13
  %p5 = getelementptr float, ptr addrspace(1) %p, i32 %a5
  %v5 = load float, ptr addrspace(1) %p5
  %a6 = mul i32 %i, 15
  %p6 = getelementptr float, ptr addrspace(1) %p, i32 %a6
  %v6 = load float, ptr addrspace(1) %p6
  %s0 = fadd float %v0, 0.0
  %d1 = fdiv float %s0, %v1
  %s1 = fadd float %d1, %v1
  %d2 = fdiv float %s1, %v2
  %s2 = fadd float %d2, %v2
  %d3 = fdiv float %s2, %v3
  %s3 = fadd float %d3, %v3
  %d4 = fdiv float %s3, %v4
  %s4 = fadd float %d4, %v4
  %d5 = fdiv float %s4, %v5
  %s5 = fadd float %d5, %v5
  %d6 = fdiv float %s5, %v6
  %s6 = fadd float %d6, %v6
  %at = getelementptr float, ptr addrspace(1) %q, i32 %i
  store float %s6, ptr addrspace(1) %at
  call void @llvm.amdgcn.s.barrier()
  %next = add i32 %i, 7
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
declare void @llvm.amdgcn.s.barrier()
attributes #0 = { "target-cpu"="gfx1100" "amdgpu-flat-work-group-size"="1,1024" }
