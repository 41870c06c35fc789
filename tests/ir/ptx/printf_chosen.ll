; Where clang has joined calls of printf, the format is chosen when they run, as the driver's is then; the formats want the same numbers.
; RUN: --kernel=k --isa=sm_90 --block=0,1,1 --until=threads
; CHECK: select i1
; CHECK: phi ptr
; CHECK: call i32 @vprintf(
; NOT: __ockl_printf
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
@f = private unnamed_addr addrspace(4) constant [10 x i8] c"odd %d %g\00", align 1
@g = private unnamed_addr addrspace(4) constant [11 x i8] c"even %d %f\00", align 1
@h = private unnamed_addr addrspace(4) constant [7 x i8] c"%i %E\0A\00", align 1

define amdgpu_kernel void @k(i64 %a, i1 %c, i1 %e, ptr addrspace(1) %p) #0 {
entry:
  %d = call i64 @__ockl_printf_begin(i64 0)
  br i1 %c, label %odd, label %join
odd:
  store volatile i64 %a, ptr addrspace(1) %p
  %which = select i1 %e, ptr addrspacecast (ptr addrspace(4) @f to ptr), ptr addrspacecast (ptr addrspace(4) @g to ptr)
  br label %join
join:
  %format = phi ptr [ %which, %odd ], [ addrspacecast (ptr addrspace(4) @h to ptr), %entry ]
  %n = phi i64 [ 11, %odd ], [ 7, %entry ]
  %d1 = call i64 @__ockl_printf_append_string_n(i64 %d, ptr %format, i64 %n, i32 0)
  %d2 = call i64 @__ockl_printf_append_args(i64 %d1, i32 2, i64 %a, i64 %a, i64 0, i64 0, i64 0, i64 0, i64 0, i32 1)
  ret void
}
declare i64 @__ockl_printf_begin(i64)
declare i64 @__ockl_printf_append_string_n(i64, ptr, i64, i32)
declare i64 @__ockl_printf_append_args(i64, i32, i64, i64, i64, i64, i64, i64, i64, i32)
attributes #0 = { "target-cpu"="gfx1100" }
