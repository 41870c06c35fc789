; Masked-off lanes read from a place as large as what the others read: 64 doubles, not the usual 64 bytes.
; RUN: --kernel=k --block=64,1,1 --isa=avx2 --until=vectorize
; CHECK: %nowhere.large = alloca [1024 x i8]
; CHECK: ptr %nowhere.large
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
entry:
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %third = urem i32 %i, 3
  %few = icmp eq i32 %third, 1
  br i1 %few, label %some, label %done
some:
  %block = lshr i32 %i, 4
  %from = getelementptr <64 x double>, ptr addrspace(1) %p, i32 %block
  %to = getelementptr <64 x double>, ptr addrspace(1) %q, i32 %i
  %v = load <64 x double>, ptr addrspace(1) %from
  store <64 x double> %v, ptr addrspace(1) %to
  br label %done
done:
  ret void
}
