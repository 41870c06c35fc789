; Constants of vectors, arrays and structs with addresses of LDS, functions and device variables in them: insertions
; into what is known; poison stays; a null pointer of LDS is AMD's, -1.
; RUN: --kernel=k --block=32,1,1 --until=vectorize
; RUN: --kernel=k --block=64,1,1 --warp=64 --until=vectorize
; CHECK: insertelement <2 x ptr> <ptr poison, ptr null>
; CHECK: insertelement <2 x ptr> poison, ptr
; CHECK: ret void
; NOT: not lowered
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@a = internal addrspace(3) global [8 x i32] undef, align 16
@b = internal addrspace(3) global [8 x i32] undef, align 16
@v = addrspace(1) externally_initialized global i32 7
@table = internal addrspace(4) constant { i32, <2 x ptr>, [2 x i64], ptr } { i32 3, <2 x ptr> <ptr addrspacecast (ptr addrspace(3) @b to ptr), ptr null>, [2 x i64] [i64 ptrtoint (ptr addrspacecast (ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @a, i32 4) to ptr) to i64), i64 5], ptr addrspacecast (ptr addrspace(1) @v to ptr) }

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n, i1 %c) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %one = extractelement <2 x ptr> <ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(3) @a to ptr), i64 8), ptr undef>, i32 %n
  %two = extractelement <2 x ptr> addrspacecast (<2 x ptr addrspace(3)> <ptr addrspace(3) @a, ptr addrspace(3) @b> to <2 x ptr>), i32 %t
  %three = extractelement <4 x i64> <i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr addrspacecast (ptr addrspace(3) @b to ptr) to i64), i64 poison, i64 ptrtoint (ptr addrspacecast (ptr addrspace(1) @v to ptr) to i64)>, i32 %n
  store i64 %three, ptr %one
  br i1 %c, label %then, label %join
then:
  br label %join
join:
  %four = phi <2 x ptr> [ <ptr addrspacecast (ptr addrspace(1) @v to ptr), ptr addrspacecast (ptr addrspace(3) @a to ptr)>, %entry ], [ <ptr addrspacecast (ptr addrspace(3) @b to ptr), ptr poison>, %then ]
  %five = select i1 %c, [2 x ptr] [ptr addrspacecast (ptr addrspace(3) @b to ptr), ptr null], [2 x ptr] [ptr @f, ptr addrspacecast (ptr addrspace(3) @a to ptr)]
  %six = getelementptr i32, <2 x ptr> %four, i32 %t
  %x = extractelement <2 x ptr> %six, i32 %n
  %y = extractvalue [2 x ptr] %five, 1
  %field = getelementptr i8, ptr addrspace(4) @table, i32 %n
  %z = load ptr, ptr addrspace(4) %field
  %null = icmp eq ptr addrspace(3) addrspacecast (ptr null to ptr addrspace(3)), getelementptr (i8, ptr addrspace(3) @a, i32 4)
  store ptr %x, ptr %two
  store ptr %y, ptr %z
  store i1 %null, ptr addrspace(1) %p
  store <2 x ptr> <ptr poison, ptr addrspacecast (ptr addrspace(3) @a to ptr)>, ptr %two
  ret void
}
define internal void @f() {
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
