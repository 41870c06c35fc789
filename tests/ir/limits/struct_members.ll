; A struct may have any number of members: 257 of them were read past the end of an array.
; RUN: --kernel=k --block=64,1,1 --inline=1 --until=finish
; RUN: --kernel=k --block=64,1,1 --inline=1 --until=vectorize
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

%many = type {
  i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
  , i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
  , i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
  , i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
  , i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
  , i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
  , i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
  , i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
  , i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
  , i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
  , i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
  , i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
  , i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
  , i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
  , i32, i32, i32, i32, i32 }

declare i32 @llvm.amdgcn.workitem.id.x()

define internal %many @f(i32 %i, ptr addrspace(1) %p) noinline {
  %odd = trunc i32 %i to i1
  %a = insertvalue %many zeroinitializer, i32 %i, 256
  br i1 %odd, label %more, label %done
more:
  store volatile i32 1, ptr addrspace(1) %p
  %b = insertvalue %many %a, i32 5, 0
  br label %done
done:
  %v = phi %many [ %a, %0 ], [ %b, %more ]
  ret %many %v
}

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = call %many @f(i32 %i, ptr addrspace(1) %at)
  %w = call %many @f(i32 7, ptr addrspace(1) %p)
  %x = extractvalue %many %v, 256
  %y = extractvalue %many %w, 0
  %z = add i32 %x, %y
  store i32 %z, ptr addrspace(1) %at
  ret void
}
