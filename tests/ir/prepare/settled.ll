; Tests of the thread's place, also by addresses in shared memory, that have the same answers in each warp become tests
; of the lane. What differs stays.
; RUN: --kernel=k --block=256,1,1 --until=prepare
; CHECK: icmp eq i32 %lane
; CHECK: icmp ugt i32 %lane
; CHECK: icmp ult i32 %lin, 40
; NOT: icmp ult ptr addrspace(3)
; NOT: icmp uge ptr addrspace(3)
; NOT: icmp ugt i32 %lin
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@s = internal addrspace(3) global [256 x double] undef, align 8

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %first = and i32 %t, 992
  %own = getelementptr double, ptr addrspace(3) @s, i32 %t
  %left = getelementptr i8, ptr addrspace(3) %own, i32 -8
  %warp = getelementptr double, ptr addrspace(3) @s, i32 %first
  ; the first lane of each warp
  %none = icmp eq i32 %t, 0
  %before = icmp ult ptr addrspace(3) %left, %warp
  %a = or i1 %none, %before
  ; the first four lanes
  %more = icmp ugt i32 %t, 3
  %left.4 = getelementptr i8, ptr addrspace(3) %own, i32 -32
  %in = icmp uge ptr addrspace(3) %left.4, %warp
  %b = select i1 %more, i1 %in, i1 false
  ; a part of a warp
  %e = icmp ult i32 %t, 40
  %a.8 = zext i1 %a to i32
  %b.8 = zext i1 %b to i32
  %e.8 = zext i1 %e to i32
  %b.4 = shl i32 %b.8, 1
  %e.4 = shl i32 %e.8, 4
  %ab = or i32 %a.8, %b.4
  %all = or i32 %ab, %e.4
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %all, ptr addrspace(1) %g
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
