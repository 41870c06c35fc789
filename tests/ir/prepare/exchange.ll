; Whether i ^ 6 is greater than i hangs on bit 2 of i; signed or not, and the other way round. The sign turns a
; comparison with the sign about.
; RUN: --kernel=k --block=256,1,1 --until=prepare
; CHECK: and i32 %lane, 4
; CHECK: icmp eq i32
; CHECK: icmp sgt i32 %s, -1
; NOT: xor i32 %s
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %s) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = xor i32 %t, 6
  %c = icmp ugt i32 %o, %t
  %x = xor i32 %s, -2147483645
  %d = icmp slt i32 %x, %s
  %e = and i1 %c, %d
  %z = zext i1 %e to i32
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %z, ptr addrspace(1) %a
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
