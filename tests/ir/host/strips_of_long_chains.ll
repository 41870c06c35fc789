; One of the sums that are cut into strips takes 4096 steps, each on the one before: finding what a strip needs goes as
; deep, and what it keeps on the stack must be little.
; RUN: --kernel=k --block=1024,1,1 --until=finish --isa=avx512
; CHECK: fmul <16 x float>
; CHECK: fence syncscope("singlethread") acq_rel
; CHECK: fmul <16 x float>
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@s = internal addrspace(3) global [1024 x float] undef, align 64

define internal float @one(float %x, float %r) {
  %y1 = fmul float %x, %r
  %y2 = fmul float %y1, %r
  %y3 = fmul float %y2, %r
  %y4 = fmul float %y3, %r
  %y5 = fmul float %y4, %r
  %y6 = fmul float %y5, %r
  %y7 = fmul float %y6, %r
  %y8 = fmul float %y7, %r
  ret float %y8
}
define internal float @many(float %x, float %r) {
  %y1 = call float @one(float %x, float %r)
  %y2 = call float @one(float %y1, float %r)
  %y3 = call float @one(float %y2, float %r)
  %y4 = call float @one(float %y3, float %r)
  %y5 = call float @one(float %y4, float %r)
  %y6 = call float @one(float %y5, float %r)
  %y7 = call float @one(float %y6, float %r)
  %y8 = call float @one(float %y7, float %r)
  ret float %y8
}
define internal float @more(float %x, float %r) {
  %y1 = call float @many(float %x, float %r)
  %y2 = call float @many(float %y1, float %r)
  %y3 = call float @many(float %y2, float %r)
  %y4 = call float @many(float %y3, float %r)
  %y5 = call float @many(float %y4, float %r)
  %y6 = call float @many(float %y5, float %r)
  %y7 = call float @many(float %y6, float %r)
  %y8 = call float @many(float %y7, float %r)
  ret float %y8
}
define internal float @most(float %x, float %r) {
  %y1 = call float @more(float %x, float %r)
  %y2 = call float @more(float %y1, float %r)
  %y3 = call float @more(float %y2, float %r)
  %y4 = call float @more(float %y3, float %r)
  %y5 = call float @more(float %y4, float %r)
  %y6 = call float @more(float %y5, float %r)
  %y7 = call float @more(float %y6, float %r)
  %y8 = call float @more(float %y7, float %r)
  ret float %y8
}
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %own = getelementptr float, ptr addrspace(3) @s, i32 %t
  %u = xor i32 %t, 32
  %other = getelementptr float, ptr addrspace(3) @s, i32 %u
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a0 = phi float [ 0.0, %entry ], [ %z0, %loop ]
  %a1 = phi float [ 0.0, %entry ], [ %z1, %loop ]
  %a2 = phi float [ 0.0, %entry ], [ %z2, %loop ]
  %a3 = phi float [ 0.0, %entry ], [ %z3, %loop ]
  %a4 = phi float [ 0.0, %entry ], [ %z4, %loop ]
  %a5 = phi float [ 0.0, %entry ], [ %z5, %loop ]
  %a6 = phi float [ 0.0, %entry ], [ %z6, %loop ]
  %a7 = phi float [ 0.0, %entry ], [ %z7, %loop ]
  %a8 = phi float [ 0.0, %entry ], [ %z8, %loop ]
  %a9 = phi float [ 0.0, %entry ], [ %z9, %loop ]
  %a10 = phi float [ 0.0, %entry ], [ %z10, %loop ]
  %a11 = phi float [ 0.0, %entry ], [ %z11, %loop ]
  %a12 = phi float [ 0.0, %entry ], [ %z12, %loop ]
  %a13 = phi float [ 0.0, %entry ], [ %z13, %loop ]
  %a14 = phi float [ 0.0, %entry ], [ %z14, %loop ]
  %a15 = phi float [ 0.0, %entry ], [ %z15, %loop ]
  store float 1.0, ptr addrspace(3) %own
  call void @llvm.amdgcn.s.barrier()
  %r = load float, ptr addrspace(3) %other, align 4
  %s0 = fadd float %a0, %r
  %z0 = call float @most(float %s0, float %r)
  %s1 = fadd float %a1, %r
  %z1 = call float @one(float %s1, float %r)
  %s2 = fadd float %a2, %r
  %z2 = call float @one(float %s2, float %r)
  %s3 = fadd float %a3, %r
  %z3 = call float @one(float %s3, float %r)
  %s4 = fadd float %a4, %r
  %z4 = call float @one(float %s4, float %r)
  %s5 = fadd float %a5, %r
  %z5 = call float @one(float %s5, float %r)
  %s6 = fadd float %a6, %r
  %z6 = call float @one(float %s6, float %r)
  %s7 = fadd float %a7, %r
  %z7 = call float @one(float %s7, float %r)
  %s8 = fadd float %a8, %r
  %z8 = call float @one(float %s8, float %r)
  %s9 = fadd float %a9, %r
  %z9 = call float @one(float %s9, float %r)
  %s10 = fadd float %a10, %r
  %z10 = call float @one(float %s10, float %r)
  %s11 = fadd float %a11, %r
  %z11 = call float @one(float %s11, float %r)
  %s12 = fadd float %a12, %r
  %z12 = call float @one(float %s12, float %r)
  %s13 = fadd float %a13, %r
  %z13 = call float @one(float %s13, float %r)
  %s14 = fadd float %a14, %r
  %z14 = call float @one(float %s14, float %r)
  %s15 = fadd float %a15, %r
  %z15 = call float @one(float %s15, float %r)
  call void @llvm.amdgcn.s.barrier()
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %u1 = fadd float %z0, %z1
  %u2 = fadd float %u1, %z2
  %u3 = fadd float %u2, %z3
  %u4 = fadd float %u3, %z4
  %u5 = fadd float %u4, %z5
  %u6 = fadd float %u5, %z6
  %u7 = fadd float %u6, %z7
  %u8 = fadd float %u7, %z8
  %u9 = fadd float %u8, %z9
  %u10 = fadd float %u9, %z10
  %u11 = fadd float %u10, %z11
  %u12 = fadd float %u11, %z12
  %u13 = fadd float %u12, %z13
  %u14 = fadd float %u13, %z14
  %u15 = fadd float %u14, %z15
  %to = getelementptr float, ptr addrspace(1) %p, i32 %t
  store float %u15, ptr addrspace(1) %to, align 4
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
