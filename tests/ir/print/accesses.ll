; Everything that a warp does to memory passes one place (vector/access.c), whatever it is lowered to: loads, stores, atomics,
; copies and fills, of all address spaces, with lanes off and without.
; RUN: --kernel=k --block=64,1,1 --warp=32 --print=accesses
; RUN: --kernel=k --block=64,1,1 --warp=32 --fibers --print=accesses
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@lds = internal addrspace(3) global [64 x i32] poison

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %to = getelementptr [16 x i8], ptr addrspace(1) %q, i32 %t
  %here = getelementptr i32, ptr addrspace(3) @lds, i32 %t
  %one = load i32, ptr addrspace(1) %p
  %each = load volatile i32, ptr addrspace(1) %at
  store i32 %each, ptr addrspace(3) %here
  call void @llvm.amdgcn.s.barrier()
  %four = load <4 x float>, ptr addrspace(1) %to
  store <4 x float> %four, ptr addrspace(1) %to
  %off = icmp slt i32 %each, %n
  br i1 %off, label %some, label %done
some:
  %r = atomicrmw add ptr addrspace(3) @lds, i32 %each monotonic
  %x = cmpxchg ptr addrspace(1) %at, i32 %one, i32 %r monotonic monotonic
  %f = call float @llvm.amdgcn.global.atomic.fadd.f32.p1.f32(ptr addrspace(1) %at, float 1.0)
  %c = call i32 @llvm.amdgcn.ds.append.p3(ptr addrspace(3) @lds, i1 false)
  %a = load atomic i32, ptr addrspace(1) %at monotonic, align 4
  %long = zext i32 %n to i64
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %to, ptr addrspace(1) %p, i64 %long, i1 false)
  call void @llvm.memset.p1.i64(ptr addrspace(1) %to, i8 0, i64 4096, i1 true)
  store i32 %a, ptr addrspace(1) %at
  br label %done
done:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare i32 @llvm.amdgcn.ds.append.p3(ptr addrspace(3), i1)
declare float @llvm.amdgcn.global.atomic.fadd.f32.p1.f32(ptr addrspace(1), float)
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
