; What is added by a condition in front of the branch that it decides is added behind it, as a constant; a sign is copied
; by two operations on bits; the larger of two numbers in memory is one of integers.
; RUN: --kernel=k --isa=sm_90 --until=optimise
; CHECK: fcmp
; NOT: zext i1
; NOT: call float @llvm.copysign
; CHECK: and i32
; CHECK: or
; CHECK: atom.global.max.s32
; CHECK: atom.shared.max.u64
; NOT: atomicrmw
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@s = internal addrspace(3) global double undef

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n, float %c) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %more ]
  %count = phi i32 [ 0, %entry ], [ %count1, %more ]
  %x = phi float [ 0.0, %entry ], [ %x1, %more ]
  %inside = fcmp olt float %x, 4.0
  %number = zext i1 %inside to i32
  %count1 = add i32 %count, %number
  br i1 %inside, label %more, label %end
more:
  %y = fmul float %x, %x
  %x1 = fadd float %y, %c
  %i1 = add i32 %i, 3
  %again = icmp slt i32 %i1, %n
  br i1 %again, label %loop, label %end
end:
  %result = phi i32 [ %count1, %more ], [ %count1, %loop ]
  store i32 %result, ptr addrspace(1) %p
  %signed = call float @llvm.copysign.f32(float %c, float %x)
  %q = getelementptr i32, ptr addrspace(1) %p, i32 1
  store float %signed, ptr addrspace(1) %q
  %m = atomicrmw fmax ptr addrspace(1) %q, float %x syncscope("agent-one-as") monotonic
  store atomic float %m, ptr addrspace(1) %p monotonic, align 4
  %d = fpext float %x to double
  %u = atomicrmw fmin ptr addrspace(3) @s, double %d syncscope("agent-one-as") monotonic
  ret void
}
declare float @llvm.copysign.f32(float, float)
attributes #0 = { "target-cpu"="gfx1100" "amdgpu-flat-work-group-size"="1,256" }
