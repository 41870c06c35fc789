; A product that sums in two blocks need is one operation with each of them; one that is stored, too, stays.
; RUN: --kernel=k --isa=sm_90 --until=optimise
; CHECK: %f = fadd contract float %a, %b
; CHECK: %kept = fmul
; CHECK: %other = fadd
; CHECK: fneg
; CHECK: call float @llvm.nvvm.fma.rn.f
; NOT: %s = fsub
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, float %x, float %y, float %z) #0 {
entry:
  %a = fmul contract float %x, %x
  %b = fmul contract float %y, %y
  %f = fadd contract float %a, %b
  %kept = fmul contract float %x, %y
  store float %kept, ptr addrspace(1) %p
  %more = fcmp olt float %f, 4.0
  br i1 %more, label %on, label %end
on:
  %s = fsub contract float %a, %b
  %q = getelementptr float, ptr addrspace(1) %p, i32 1
  store float %s, ptr addrspace(1) %q
  %other = fadd contract float %kept, %z
  %r = getelementptr float, ptr addrspace(1) %p, i32 2
  store float %other, ptr addrspace(1) %r
  br label %end
end:
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="1,256" }
