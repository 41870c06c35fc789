; A pass over many places that is repeated until all of them say so: waiting, although the address moves. As clang
; leaves it: one loop with an index that begins again.
; RUN: --kernel=k --block=128,1,1 --until=region
; RUN: --kernel=m --block=128,1,1 --until=region
; CHECK: call void @ls.yield()
; NOT: r0.
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  br label %pass
pass:
  br label %look
look:
  %i = phi i32 [ 0, %pass ], [ %j, %on ]
  %again = phi i1 [ false, %pass ], [ %more, %on ]
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load volatile i32, ptr addrspace(1) %a
  %no = icmp eq i32 %v, 0
  br i1 %no, label %not, label %on
not:
  br label %on
on:
  %more = phi i1 [ true, %not ], [ %again, %look ]
  %j = add i32 %i, 1
  %in = icmp slt i32 %j, %n
  br i1 %in, label %look, label %test
test:
  br i1 %more, label %pass, label %done
done:
  ret void
}

define amdgpu_kernel void @m(ptr addrspace(1) %p, i32 %n) {
entry:
  br label %look
look:
  %i = phi i32 [ 7, %entry ], [ %j, %on ]
  %again = phi i1 [ false, %entry ], [ %keep, %on ]
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load volatile i32, ptr addrspace(1) %a
  %no = icmp eq i32 %v, 0
  br i1 %no, label %not, label %on
not:
  br label %on
on:
  %more = phi i1 [ true, %not ], [ %again, %look ]
  %k = add i32 %i, 1
  %in = icmp slt i32 %k, %n
  %j = select i1 %in, i32 %k, i32 7
  %keep = select i1 %in, i1 %more, i1 false
  %stay = select i1 %in, i1 true, i1 %more
  br i1 %stay, label %look, label %done
done:
  ret void
}
