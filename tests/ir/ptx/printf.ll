; printf becomes the driver's vprintf: numbers as wide as the format says, strings as pointers, a format that the driver knows.
; RUN: --kernel=k --isa=sm_90 --block=0,1,1 --until=threads
; CHECK: c"%d %5.*f %s %lld %u\0A\00"
; CHECK: alloca { i32, i32, i64, i64, i64, i32 }
; CHECK: call i32 @vprintf(
; NOT: __ockl_printf
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
@f = private unnamed_addr addrspace(4) constant [21 x i8] c"%d %5.*F %s %zd %hu\0A\00", align 1

define amdgpu_kernel void @k(i64 %a, i64 %b, ptr %s) #0 {
entry:
  %d = call i64 @__ockl_printf_begin(i64 0)
  %d1 = call i64 @__ockl_printf_append_string_n(i64 %d, ptr addrspacecast (ptr addrspace(4) @f to ptr), i64 21, i32 0)
  %d2 = call i64 @__ockl_printf_append_args(i64 %d1, i32 3, i64 %a, i64 %a, i64 %b, i64 0, i64 0, i64 0, i64 0, i32 0)
  %d3 = call i64 @__ockl_printf_append_string_n(i64 %d2, ptr %s, i64 3, i32 0)
  %d4 = call i64 @__ockl_printf_append_args(i64 %d3, i32 2, i64 %b, i64 %a, i64 0, i64 0, i64 0, i64 0, i64 0, i32 1)
  ret void
}
declare i64 @__ockl_printf_begin(i64)
declare i64 @__ockl_printf_append_string_n(i64, ptr, i64, i32)
declare i64 @__ockl_printf_append_args(i64, i32, i64, i64, i64, i64, i64, i64, i64, i32)
attributes #0 = { "target-cpu"="gfx1100" }
