; A divisor that LLVM knows for the one lane that runs, and that is undefined in the others: still a division by it.
; RUN: --kernel=k --block=1,1,1 --warp=64 --isa=sse2 --until=finish
; RUN: --kernel=k --block=1,1,1 --warp=64 --isa=avx512 --until=finish
; RUN: --kernel=k --block=1,1,1 --warp=32 --isa=avx2 --until=finish
; CHECK: freeze
; CHECK: = udiv 
; CHECK: = sdiv 
; CHECK: = urem 
; CHECK: = srem 
; CHECK: ret void
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %l = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %four = icmp eq i32 %l, 4
  br i1 %four, label %other, label %join

other:
  %o = load i64, ptr addrspace(1) %p
  br label %join

join:
  %d = phi i64 [ %o, %other ], [ 3, %0 ]
  %at = getelementptr i64, ptr addrspace(1) %p, i32 %l
  %x = load i64, ptr addrspace(1) %at
  %ud = udiv i64 %x, %d
  store volatile i64 %ud, ptr addrspace(1) %at
  %sd = sdiv i64 %x, %d
  store volatile i64 %sd, ptr addrspace(1) %at
  %ur = urem i64 %x, %d
  store volatile i64 %ur, ptr addrspace(1) %at
  %sr = srem i64 %x, %d
  store volatile i64 %sr, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
