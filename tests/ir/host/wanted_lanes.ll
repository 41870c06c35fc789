; A sum by shuffles of which lane 0 alone is stored: each step computes the lanes that are wanted in the end, also of
; what is kept over a barrier.
; RUN: --kernel=k --isa=avx512 --block=64,1,1 --until=finish
; CHECK: fadd <16 x float>
; CHECK: fadd <8 x float>
; CHECK: store <2 x float>
; NOT: fadd <32 x float>
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %a) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr float, ptr addrspace(1) %a, i32 %t
  %x0 = load float, ptr addrspace(1) %at
  %l = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %i0 = xor i32 %l, 16
  %s0 = shl i32 %i0, 2
  %b0 = bitcast float %x0 to i32
  %p0 = call i32 @llvm.amdgcn.ds.bpermute(i32 %s0, i32 %b0)
  %f0 = bitcast i32 %p0 to float
  %x1 = fadd float %x0, %f0
  %i1 = xor i32 %l, 8
  %s1 = shl i32 %i1, 2
  %b1 = bitcast float %x1 to i32
  %p1 = call i32 @llvm.amdgcn.ds.bpermute(i32 %s1, i32 %b1)
  %f1 = bitcast i32 %p1 to float
  %x2 = fadd float %x1, %f1
  %i2 = xor i32 %l, 4
  %s2 = shl i32 %i2, 2
  %b2 = bitcast float %x2 to i32
  %p2 = call i32 @llvm.amdgcn.ds.bpermute(i32 %s2, i32 %b2)
  %f2 = bitcast i32 %p2 to float
  %x3 = fadd float %x2, %f2
  call void @llvm.amdgcn.s.barrier()
  %first = icmp eq i32 %l, 0
  br i1 %first, label %store, label %end
store:
  %w = lshr i32 %t, 5
  %to = getelementptr float, ptr addrspace(1) %out, i32 %w
  store float %x3, ptr addrspace(1) %to
  br label %end
end:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare void @llvm.amdgcn.s.barrier()
