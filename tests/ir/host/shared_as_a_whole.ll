; A masked store in shared memory, where there are no mask registers: what lies there is read, blended and written. Where
; no lane is on that happens elsewhere; vectors longer than the pads around shared memory are left.
; RUN: --kernel=k --block=64,1,1 --isa=avx2 --until=finish
; RUN: --kernel=k --block=64,1,1 --isa=sse2 --until=finish
; RUN: --kernel=k --block=64,1,1 --isa=sse4 --warp=64 --until=finish
; CHECK: = load <
; CHECK: = select <
; CHECK: store <
; NOT: llvm.masked.store
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@s = internal addrspace(3) global [64 x i32] undef, align 4

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %x = load i32, ptr addrspace(1) %a
  %own = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %t
  %big = icmp ugt i32 %x, 100
  br i1 %big, label %more, label %end
more:
  store i32 %x, ptr addrspace(3) %own
  br label %end
end:
  call void @llvm.amdgcn.s.barrier()
  %i = xor i32 %t, 33
  %other = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %i
  %y = load i32, ptr addrspace(3) %other
  store i32 %y, ptr addrspace(1) %a
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
