; Every row of the table by which a lane asks the host for something.
; RUN: --kernel=k --block=64,1,1 --isa=sse2 --until=finish --print=rows
; RUN: --kernel=k --block=64,1,1 --isa=avx2 --until=finish --print=rows
; RUN: --kernel=k --block=64,1,1 --isa=avx512 --until=finish --print=rows
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %sink, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr [64 x i8], ptr addrspace(1) %p, i32 %t
  %l = load volatile i64, ptr addrspace(1) %at
  %generic = addrspacecast ptr addrspace(1) %at to ptr
  %room = call ptr addrspace(1) @__printf_alloc(i32 8)
  store volatile i32 1, ptr addrspace(1) %room
  %r2 = call i64 @__ockl_printf_begin(i64 0)
  store volatile i64 %r2, ptr addrspace(1) %sink
  %r3 = call i64 @__ockl_printf_append_args(i64 %l, i32 1, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i32 1)
  store volatile i64 %r3, ptr addrspace(1) %sink
  %r4 = call i64 @__ockl_printf_append_string_n(i64 %l, ptr %generic, i64 3, i32 1)
  store volatile i64 %r4, ptr addrspace(1) %sink
  %r5 = call i64 @__ockl_dm_alloc(i64 16)
  store volatile i64 %r5, ptr addrspace(1) %sink
  call void @__ockl_dm_dealloc(i64 %l)
  %r7 = call i64 @__ls_multi_grid(i64 1)
  store volatile i64 %r7, ptr addrspace(1) %sink
  %r8 = call i32 @__ls_graph_launch(ptr %generic, ptr %generic)
  store volatile i32 %r8, ptr addrspace(1) %sink
  call void @llvm.debugtrap()
  call void @llvm.amdgcn.s.trap(i32 3)
  call void @llvm.amdgcn.s.sethalt(i32 1)
  %one = icmp eq i32 %n, 1
  br i1 %one, label %trap, label %no_trap
  trap:
  call void @llvm.trap()
  unreachable
  no_trap:
  %two = icmp eq i32 %n, 2
  br i1 %two, label %aborts, label %no_abort
  aborts:
  call void @__ls_abort()
  unreachable
  no_abort:
  %three = icmp eq i32 %n, 3
  br i1 %three, label %checks, label %no_check
  checks:
  call void @llvm.ubsantrap(i8 1)
  unreachable
  no_check:
  %four = icmp eq i32 %n, 4
  br i1 %four, label %asserts, label %no_assert
  asserts:
  call void @__ls_assert_fail(ptr %generic, ptr %generic, i32 7, ptr %generic)
  unreachable
  no_assert:
  ret void
}
declare ptr addrspace(1) @__printf_alloc(i32)
declare i64 @__ockl_printf_begin(i64)
declare i64 @__ockl_printf_append_args(i64, i32, i64, i64, i64, i64, i64, i64, i64, i32)
declare i64 @__ockl_printf_append_string_n(i64, ptr, i64, i32)
declare i64 @__ockl_dm_alloc(i64)
declare void @__ockl_dm_dealloc(i64)
declare i64 @__ls_multi_grid(i64)
declare i32 @__ls_graph_launch(ptr, ptr)
declare void @__ls_abort() noreturn
declare void @__ls_assert_fail(ptr, ptr, i32, ptr) noreturn
declare void @llvm.amdgcn.s.trap(i32)

!llvm.printf.fmts = !{!0}
!0 = !{!"1:1:2a,%d"}
