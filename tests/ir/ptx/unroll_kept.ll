; A private array that is indexed by what no loop counts stays in memory: the loops over its elements stay, too.
; RUN: --kernel=k --isa=sm_90 --until=optimise
; CHECK: %q.3 = fdiv float
; NOT: %q.6 = fdiv float
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) #0 {
entry:
  %a = alloca [24 x float], align 4, addrspace(5)
  br label %mark
mark:
  %k = phi i32 [ 0, %entry ], [ %k1, %mark ]
  %from = getelementptr i32, ptr addrspace(1) %p, i32 %k
  %slot = load i32, ptr addrspace(1) %from
  %part = and i32 %slot, 15
  %at = getelementptr [24 x float], ptr addrspace(5) %a, i32 0, i32 %part
  %old = load float, ptr addrspace(5) %at
  %new = fadd float %old, 1.0
  store float %new, ptr addrspace(5) %at
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %mark, label %outer
outer:
  %o = phi i32 [ 0, %mark ], [ %o1, %outer_end ]
  br label %inner
inner:
  %i = phi i32 [ 0, %outer ], [ %i1, %inner ]
  %i1 = add i32 %i, 1
  %low = getelementptr [24 x float], ptr addrspace(5) %a, i32 0, i32 %i
  %high = getelementptr [24 x float], ptr addrspace(5) %a, i32 0, i32 %i1
  %l = load float, ptr addrspace(5) %low
  %h = load float, ptr addrspace(5) %high
  %q = fdiv float %h, %l
  store float %q, ptr addrspace(5) %high
  %on = icmp slt i32 %i1, %o
  br i1 %on, label %inner, label %outer_end
outer_end:
  %o1 = add i32 %o, 1
  %again = icmp ult i32 %o1, 20
  br i1 %again, label %outer, label %end
end:
  %last = load float, ptr addrspace(5) %high
  store float %last, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "target-cpu"="gfx1100" "amdgpu-flat-work-group-size"="1,256" }
