; A vector of bits that is kept across a barrier lies in bytes, as one bit does.
; RUN: --kernel=k --block=64,1,1 --until=region
; CHECK: alloca [2 x <4 x i8>]
; NOT: alloca [2 x <4 x i1>]
; NOT: load <4 x i1>
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
entry:
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr <4 x i16>, ptr addrspace(1) %p, i32 %i
  %v = load <4 x i16>, ptr addrspace(1) %at
  %low = icmp slt <4 x i16> %v, <i16 1, i16 2, i16 3, i16 4>
  %first = extractelement <4 x i16> %v, i64 0
  %odd = trunc i16 %first to i1
  br i1 %odd, label %more, label %done
more:
  store volatile i16 5, ptr addrspace(1) %at
  %high = icmp sgt <4 x i16> %v, <i16 9, i16 8, i16 7, i16 6>
  br label %done
done:
  %which = phi <4 x i1> [ %low, %entry ], [ %high, %more ]
  call void @llvm.amdgcn.s.barrier()
  %all = sext <4 x i1> %which to <4 x i16>
  store <4 x i16> %all, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
