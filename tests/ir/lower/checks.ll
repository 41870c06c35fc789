; Accesses that are checked: of lanes side by side one comparison with the site's window for all; of shared memory one with the
; variable's bounds, which are known; of an array of the thread's own, for the offset of each lane. What fails tells all lanes' places.
; RUN: --kernel=k --block=64,1,1 --until=vectorize --checks=1 --isa=avx512
; CHECK: @ls.check.sites = internal constant
; CHECK: %windows = load ptr
; CHECK: load volatile i64
; CHECK: , i64 127)
; CHECK: icmp uge i64
; CHECK: call void %access
; CHECK: load <32 x i32>
; CHECK: call i32 @llvm.usub.sat.i32(i32 256, i32 127)
; CHECK: icmp uge i32
; CHECK: call void %access
; CHECK: icmp uge <32 x i64>
; CHECK: call void %access
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@lds = internal addrspace(3) global [64 x i32] undef

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  %own = alloca [16 x i32], addrspace(5)
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %v = load i32, ptr addrspace(1) %a
  %s = getelementptr i32, ptr addrspace(3) @lds, i32 %t
  store i32 %v, ptr addrspace(3) %s
  %i = and i32 %v, 31
  %o = getelementptr i32, ptr addrspace(5) %own, i32 %i
  store volatile i32 %n, ptr addrspace(5) %o
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
