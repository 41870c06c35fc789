; Two ways that come with different indices: the store is a choice of them (same_ways.ll).
; RUN: --kernel=other --block=32,8,1 --until=vectorize --isa=avx512
; CHECK: masked.scatter
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @other(ptr addrspace(1) %p, i32 %n, i32 %edge) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %border = icmp slt i32 %x, %edge
  br i1 %border, label %zero, label %inner

zero:
  %row.1 = mul i32 %y, %n
  %i.1 = add i32 %row.1, %x
  br label %meet

inner:
  %row.2 = mul i32 %x, %n
  %i.2 = add i32 %row.2, %x
  br label %meet

meet:
  %i = phi i32 [ %i.1, %zero ], [ %i.2, %inner ]
  %wide = sext i32 %i to i64
  %at = getelementptr float, ptr addrspace(1) %p, i64 %wide
  store float 1.0, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
