; A loop that lanes leave one by one runs while any lane stays; one with a second way out that lanes take apart, too;
; a loop that all leave together stays as it is.
; RUN: --kernel=k --block=32,1,1 --warp=32 --print=linear
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  br label %search
search:
  %j = phi i32 [ 0, %entry ], [ %further, %go_on ]
  %y = load volatile i32, ptr addrspace(1) %at
  %found = icmp eq i32 %y, %j
  br i1 %found, label %out, label %go_on
go_on:
  %further = add i32 %j, 1
  store volatile i32 %further, ptr addrspace(1) %at
  %last = icmp ugt i32 %y, 100
  br i1 %last, label %gave_up, label %search
gave_up:
  store volatile i32 -1, ptr addrspace(1) %at
  br label %out
out:
  br label %count
count:
  %i = phi i32 [ 0, %out ], [ %next, %count ]
  store volatile i32 %i, ptr addrspace(1) %at
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %count, label %done
done:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
