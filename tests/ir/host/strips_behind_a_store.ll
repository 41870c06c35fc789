; What a block fetches and stores in front of its many sums does not keep these from being cut into strips.
; RUN: --kernel=k --block=1024,1,1 --until=finish --isa=avx512
; CHECK: fmul <16 x float>
; CHECK: fence syncscope("singlethread") acq_rel
; CHECK: fmul <16 x float>
; NOT: fmul <256 x float>
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@s = internal addrspace(3) global [1024 x float] undef, align 64

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %own = getelementptr float, ptr addrspace(3) @s, i32 %t
  %row1 = getelementptr i8, ptr addrspace(3) @s, i32 32
  %row2 = getelementptr i8, ptr addrspace(3) @s, i32 64
  %tf = uitofp i32 %t to float
  %at = getelementptr float, ptr addrspace(1) %p, i32 %t
  %kept = load float, ptr addrspace(1) %at
  store float %tf, ptr addrspace(1) %at
  %one = insertelement <8 x float> poison, float %tf, i32 0
  %v = shufflevector <8 x float> %one, <8 x float> poison, <8 x i32> zeroinitializer
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = phi <8 x float> [ zeroinitializer, %entry ], [ %a3, %loop ]
  %b = phi <8 x float> [ zeroinitializer, %entry ], [ %b3, %loop ]
  store float 1.0, ptr addrspace(3) %own
  call void @llvm.amdgcn.s.barrier()
  %on = getelementptr float, ptr addrspace(1) %at, i32 %i
  store float %kept, ptr addrspace(1) %on
  %r0 = load <8 x float>, ptr addrspace(3) @s, align 4
  %r1 = load <8 x float>, ptr addrspace(3) %row1, align 4
  %r2 = load <8 x float>, ptr addrspace(3) %row2, align 4
  %m0 = fmul <8 x float> %a, %r0
  %a1 = fadd <8 x float> %m0, %v
  %m1 = fmul <8 x float> %a1, %r1
  %a2 = fadd <8 x float> %m1, %v
  %m2 = fmul <8 x float> %a2, %r2
  %a3 = fadd <8 x float> %m2, %v
  %w0 = fmul <8 x float> %b, %r0
  %b1 = fadd <8 x float> %w0, %v
  %w1 = fmul <8 x float> %b1, %r1
  %b2 = fadd <8 x float> %w1, %v
  %w2 = fmul <8 x float> %b2, %r2
  %b3 = fadd <8 x float> %w2, %v
  call void @llvm.amdgcn.s.barrier()
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %sum = fadd <8 x float> %a3, %b3
  %to = getelementptr <8 x float>, ptr addrspace(1) %p, i32 %t
  store <8 x float> %sum, ptr addrspace(1) %to, align 4
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
