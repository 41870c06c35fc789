; A call under a mask that others were made of, whose answer is a mask that others are made of: it gets its mask.
; RUN: --kernel=k --block=64,1,1 --isa=sse2 --until=finish
; RUN: --kernel=k --block=64,1,1 --isa=avx2 --until=finish
; CHECK: call <32 x i1> @holds.warp(
; NOT: <32 x i1> poison
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define internal i1 @holds(ptr addrspace(1) %p, i32 %i) {
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %far = icmp sgt i32 %v, 9
  br i1 %far, label %again, label %here

again:
  %less = sub i32 %i, 1
  %r = call i1 @holds(ptr addrspace(1) %p, i32 %less)
  ret i1 %r

here:
  %c = icmp slt i32 %v, 5
  ret i1 %c
}

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
entry:
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %l
  %x = load i32, ptr addrspace(1) %at
  %odd = icmp eq i32 %x, 0
  br i1 %odd, label %then, label %else

then:
  store i32 1, ptr addrspace(1) %at
  br label %end

else:
  %h = call i1 @holds(ptr addrspace(1) %p, i32 %x)
  br i1 %h, label %more, label %end

more:
  store i32 16, ptr addrspace(1) %at
  br label %end

end:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
