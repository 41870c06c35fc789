; Lanes that a program's mask names are told to who checks, and so is what a shuffle read from lanes that are off where it
; is used. Annotations that are not ours stay values.
; RUN: --kernel=k --block=128,1,1 --until=finish --print=rows --checks=8
; CHECK: row
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@mask = private addrspace(4) constant [26 x i8] c"lockstep.mask __shfl_sync\00"
@mine = private addrspace(4) constant [5 x i8] c"mine\00"
@file = private addrspace(4) constant [2 x i8] c"f\00"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i64 %m, i32 %from) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = trunc i32 %t to i1
  br i1 %odd, label %some, label %end
some:
  %a = call i64 @llvm.annotation.i64.p4(i64 %m, ptr addrspace(4) @mask, ptr addrspace(4) @file, i32 1)
  %v = call i32 @llvm.amdgcn.ds.bpermute(i32 %from, i32 %t)
  %b = call i64 @llvm.annotation.i64.p4(i64 %m, ptr addrspace(4) @mine, ptr addrspace(4) @file, i32 2)
  %c = trunc i64 %b to i32
  %s = add i32 %v, %c
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %s, ptr addrspace(1) %q
  br label %end
end:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i64 @llvm.annotation.i64.p4(i64, ptr addrspace(4), ptr addrspace(4), i32)
attributes #0 = { "target-cpu"="gfx1100" "amdgpu-flat-work-group-size"="1,256" }
