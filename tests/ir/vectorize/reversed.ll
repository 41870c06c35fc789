; Neighbouring lanes at falling addresses are one vector access and a permutation of lanes, masked or
; not; a gather is only behind the test that the index does not wrap.
; RUN: --kernel=k --block=32,1,1 --isa=avx512 --until=vectorize
; RUN: --kernel=k --block=64,1,1 --warp=64 --isa=sse2 --until=vectorize
; CHECK: shufflevector <
; CHECK: call void @llvm.masked.store
; CHECK: ret void
; NOT: gather
; NOT: scatter
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) noundef %out, ptr addrspace(1) noundef %in, i1 %c) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %t64 = zext i32 %t to i64
  %back = sub nsw i64 100, %t64
  %from = getelementptr inbounds float, ptr addrspace(1) %in, i64 %back
  %v = load float, ptr addrspace(1) %from, align 4
  %odd = trunc i32 %t to i1
  br i1 %odd, label %then, label %end
then:
  %to = getelementptr inbounds float, ptr addrspace(1) %out, i64 %back
  store float %v, ptr addrspace(1) %to, align 4
  br label %end
end:
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
