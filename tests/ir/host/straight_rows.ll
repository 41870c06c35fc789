; SPDX-License-Identifier: MIT
; A row of six words for each thread, out of what six warps wrote: the vector of 192 lanes is made of six of 32, and none of its
; lanes is left out, whatever number it has among those of two vectors (lane 64: 192 + 64).
; RUN: --block=192,1,1 --until=finish
; CHECK: i32 58, i32 64, i32 70
; NOT: i32 58, i32 poison, i32 70
target triple = "amdgcn-amd-amdhsa"

@rows = internal addrspace(3) global [192 x i32] undef, align 16

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare void @llvm.amdgcn.s.barrier()

define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %t = call range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %first = mul i32 %b, 192
  %i = add i32 %first, %t
  %i.64 = zext i32 %i to i64
  %from = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i.64
  %v = load i32, ptr addrspace(1) %from, align 4
  %t.64 = zext nneg i32 %t to i64
  %mine = getelementptr inbounds [192 x i32], ptr addrspacecast (ptr addrspace(3) @rows to ptr), i64 0, i64 %t.64
  store i32 %v, ptr %mine, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %few = icmp ult i32 %t, 32
  br i1 %few, label %sum, label %end

sum:
  %row = mul nuw nsw i32 %t, 6
  %n0 = add nuw nsw i32 %row, 0
  %e0 = zext nneg i32 %n0 to i64
  %p0 = getelementptr inbounds [192 x i32], ptr addrspacecast (ptr addrspace(3) @rows to ptr), i64 0, i64 %e0
  %v0 = load i32, ptr %p0, align 4
  %n1 = add nuw nsw i32 %row, 1
  %e1 = zext nneg i32 %n1 to i64
  %p1 = getelementptr inbounds [192 x i32], ptr addrspacecast (ptr addrspace(3) @rows to ptr), i64 0, i64 %e1
  %v1 = load i32, ptr %p1, align 4
  %n2 = add nuw nsw i32 %row, 2
  %e2 = zext nneg i32 %n2 to i64
  %p2 = getelementptr inbounds [192 x i32], ptr addrspacecast (ptr addrspace(3) @rows to ptr), i64 0, i64 %e2
  %v2 = load i32, ptr %p2, align 4
  %n3 = add nuw nsw i32 %row, 3
  %e3 = zext nneg i32 %n3 to i64
  %p3 = getelementptr inbounds [192 x i32], ptr addrspacecast (ptr addrspace(3) @rows to ptr), i64 0, i64 %e3
  %v3 = load i32, ptr %p3, align 4
  %n4 = add nuw nsw i32 %row, 4
  %e4 = zext nneg i32 %n4 to i64
  %p4 = getelementptr inbounds [192 x i32], ptr addrspacecast (ptr addrspace(3) @rows to ptr), i64 0, i64 %e4
  %v4 = load i32, ptr %p4, align 4
  %n5 = add nuw nsw i32 %row, 5
  %e5 = zext nneg i32 %n5 to i64
  %p5 = getelementptr inbounds [192 x i32], ptr addrspacecast (ptr addrspace(3) @rows to ptr), i64 0, i64 %e5
  %v5 = load i32, ptr %p5, align 4
  %s0 = add i32 %v0, 0
  %m1 = mul i32 %s0, 31
  %s1 = add i32 %m1, %v1
  %m2 = mul i32 %s1, 31
  %s2 = add i32 %m2, %v2
  %m3 = mul i32 %s2, 31
  %s3 = add i32 %m3, %v3
  %m4 = mul i32 %s3, 31
  %s4 = add i32 %m4, %v4
  %m5 = mul i32 %s4, 31
  %s5 = add i32 %m5, %v5
  %o = shl i32 %b, 5
  %o.t = add i32 %o, %t
  %o.64 = zext i32 %o.t to i64
  %to = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %o.64
  store i32 %s5, ptr addrspace(1) %to, align 4
  br label %end

end:
  ret void
}
