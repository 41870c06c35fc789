; Lanes that exchange by comparison, within a warp: minimum and maximum, without masks that move from lane to lane. The
; direction of the second step is the same in all lanes of a warp.
; RUN: --kernel=k --block=128,1,1 --until=finish --isa=avx512
; RUN: --kernel=k --block=128,1,1 --until=finish --isa=avx2
; CHECK: llvm.umin.v32i32
; CHECK: llvm.umax.v32i32
; CHECK: shufflevector <32 x i32>
; CHECK: llvm.umin.v32i32
; CHECK: llvm.umax.v32i32
; CHECK: select <32 x i1>
; CHECK: store <32 x i32>
; NOT: masked
; NOT: shufflevector <32 x i1>
; NOT: icmp ugt <32 x i32>
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@s = internal addrspace(3) global [128 x i32] undef, align 4

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %x = load i32, ptr addrspace(1) %g
  %own = getelementptr [128 x i32], ptr addrspace(3) @s, i32 0, i32 %t
  store i32 %x, ptr addrspace(3) %own
  call void @llvm.amdgcn.s.barrier()
  call void @exchange(i32 %t, i32 2, i32 4)
  call void @exchange(i32 %t, i32 8, i32 64)
  %y = load i32, ptr addrspace(3) %own
  store i32 %y, ptr addrspace(1) %g
  ret void
}
define internal void @exchange(i32 %t, i32 %j, i32 %k) alwaysinline {
  %o = xor i32 %t, %j
  %first = icmp ugt i32 %o, %t
  br i1 %first, label %compare, label %out
compare:
  %own = getelementptr [128 x i32], ptr addrspace(3) @s, i32 0, i32 %t
  %other = getelementptr [128 x i32], ptr addrspace(3) @s, i32 0, i32 %o
  %a = load i32, ptr addrspace(3) %own
  %b = load i32, ptr addrspace(3) %other
  %bit = and i32 %t, %k
  %down = icmp ne i32 %bit, 0
  %larger = icmp ugt i32 %a, %b
  %swap = xor i1 %larger, %down
  br i1 %swap, label %store, label %out
store:
  store i32 %b, ptr addrspace(3) %own
  store i32 %a, ptr addrspace(3) %other
  br label %out
out:
  call void @llvm.amdgcn.s.barrier()
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
