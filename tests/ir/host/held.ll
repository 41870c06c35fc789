; The last steps of a tree are those of one warp: what they pass to each other stays in registers, and is stored once.
; RUN: --kernel=k --block=128,1,1 --until=finish --isa=avx512
; RUN: --kernel=k --block=128,1,1 --until=finish --isa=sse2
; CHECK: load <32 x i32>
; CHECK: shufflevector <32 x i32>
; CHECK: shufflevector <32 x i32>
; CHECK: store <32 x i32>
; NOT: masked
; NOT: store <8 x i32>
; NOT: load <8 x i32>
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@s = internal addrspace(3) global [128 x i32] undef, align 4

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %own = getelementptr [128 x i32], ptr addrspace(3) @s, i32 0, i32 %t
  store i32 %t, ptr addrspace(3) %own
  call void @llvm.amdgcn.s.barrier()
  br label %loop
loop:
  %s = phi i32 [ 64, %entry ], [ %half, %next ]
  %in = icmp ult i32 %t, %s
  br i1 %in, label %add, label %next
add:
  %o = add i32 %t, %s
  %other = getelementptr [128 x i32], ptr addrspace(3) @s, i32 0, i32 %o
  %a = load i32, ptr addrspace(3) %own
  %b = load i32, ptr addrspace(3) %other
  %c = add i32 %a, %b
  store i32 %c, ptr addrspace(3) %own
  br label %next
next:
  call void @llvm.amdgcn.s.barrier()
  %half = lshr i32 %s, 1
  %more = icmp ugt i32 %s, 1
  br i1 %more, label %loop, label %done
done:
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %v = load i32, ptr addrspace(3) @s
  store i32 %v, ptr addrspace(1) %g
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
