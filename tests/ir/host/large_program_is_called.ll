; A large program is called from the loop over blocks, as to copy it into that takes time, and is cut into parts; what parted
; lanes bring to a join ends with the join there, too.
; RUN: --kernel=k --block=256,1,1 --isa=avx512 --budget=1 --until=finish
; CHECK: define internal void @ls.program
; CHECK: call void @ls.part
; CHECK: ret void
; CHECK: define internal void @ls.run_blocks
; CHECK: select <32 x i1>
; CHECK: call void @ls.program
; NOT: phi <32 x i32> [ undef
; NOT: phi <32 x i1> [ zeroinitializer
; NOT: phi <32 x i1> [ zeroinitializer
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %x = load i32, ptr addrspace(1) %a
  %odd = trunc i32 %x to i1
  br i1 %odd, label %one, label %two
one:
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %x
  %y = load i32, ptr addrspace(1) %b
  br label %join
two:
  %i = lshr i32 %x, 1
  %c = getelementptr i32, ptr addrspace(1) %q, i32 %i
  %z = load i32, ptr addrspace(1) %c
  br label %join
join:
  %v = phi i32 [ %y, %one ], [ %z, %two ]
  %big = icmp ugt i32 %v, 100
  br i1 %big, label %more, label %end
more:
  %d = getelementptr i32, ptr addrspace(1) %q, i32 %v
  %u = load i32, ptr addrspace(1) %d
  br label %end
end:
  %w = phi i32 [ %v, %join ], [ %u, %more ]
  store i32 %w, ptr addrspace(1) %a
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
