; Sums that are computed from loads of three registers: such a vector is not cut, as parts are put together in pairs.
; RUN: --kernel=k --block=1024,1,1 --until=finish --isa=avx512
; RUN: --kernel=k --block=1024,1,1 --until=finish --isa=avx2
; CHECK: load <96 x float>
; CHECK: fence syncscope("singlethread") acq_rel
; CHECK: load <96 x float>
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@s = internal addrspace(3) global [16384 x float] undef, align 64

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %own = getelementptr float, ptr addrspace(3) @s, i32 %t
  %m = mul nuw nsw i32 %t, 12
  %own3 = getelementptr i8, ptr addrspace(1) %q, i32 %m
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a0 = phi <8 x float> [ zeroinitializer, %entry ], [ %a0_7, %loop ]
  %a1 = phi <8 x float> [ zeroinitializer, %entry ], [ %a1_7, %loop ]
  %a2 = phi <8 x float> [ zeroinitializer, %entry ], [ %a2_7, %loop ]
  store float 1.0, ptr addrspace(3) %own
  call void @llvm.amdgcn.s.barrier()
  %r = load <3 x float>, ptr addrspace(1) %own3, align 4
  %r0 = shufflevector <3 x float> %r, <3 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 0, i32 1, i32 2, i32 0, i32 1>
  %a0_0 = fadd <8 x float> %a0, %r0
  %a0_1 = fmul <8 x float> %a0_0, %r0
  %a0_2 = fmul <8 x float> %a0_1, %r0
  %a0_3 = fmul <8 x float> %a0_2, %r0
  %a0_4 = fmul <8 x float> %a0_3, %r0
  %a0_5 = fmul <8 x float> %a0_4, %r0
  %a0_6 = fmul <8 x float> %a0_5, %r0
  %a0_7 = fmul <8 x float> %a0_6, %r0
  %r1 = shufflevector <3 x float> %r, <3 x float> poison, <8 x i32> <i32 1, i32 2, i32 0, i32 1, i32 2, i32 0, i32 1, i32 2>
  %a1_0 = fadd <8 x float> %a1, %r1
  %a1_1 = fmul <8 x float> %a1_0, %r1
  %a1_2 = fmul <8 x float> %a1_1, %r1
  %a1_3 = fmul <8 x float> %a1_2, %r1
  %a1_4 = fmul <8 x float> %a1_3, %r1
  %a1_5 = fmul <8 x float> %a1_4, %r1
  %a1_6 = fmul <8 x float> %a1_5, %r1
  %a1_7 = fmul <8 x float> %a1_6, %r1
  %r2 = shufflevector <3 x float> %r, <3 x float> poison, <8 x i32> <i32 2, i32 0, i32 1, i32 2, i32 0, i32 1, i32 2, i32 0>
  %a2_0 = fadd <8 x float> %a2, %r2
  %a2_1 = fmul <8 x float> %a2_0, %r2
  %a2_2 = fmul <8 x float> %a2_1, %r2
  %a2_3 = fmul <8 x float> %a2_2, %r2
  %a2_4 = fmul <8 x float> %a2_3, %r2
  %a2_5 = fmul <8 x float> %a2_4, %r2
  %a2_6 = fmul <8 x float> %a2_5, %r2
  %a2_7 = fmul <8 x float> %a2_6, %r2
  call void @llvm.amdgcn.s.barrier()
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %s1 = fadd <8 x float> %a0_7, %a1_7
  %s2 = fadd <8 x float> %s1, %a2_7
  %to = getelementptr <8 x float>, ptr addrspace(1) %p, i32 %t
  store <8 x float> %s2, ptr addrspace(1) %to, align 4
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
