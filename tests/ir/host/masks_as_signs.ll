; Without mask registers a mask that goes to another block is a vector of signs, as wide as what is compared, and whether a
; lane is on is asked of the registers' disjunction.
; RUN: --kernel=singles --block=64,1,1 --isa=avx2 --until=finish
; RUN: --kernel=singles --block=64,1,1 --isa=sse2 --until=finish
; RUN: --kernel=singles --block=64,1,1 --isa=sse4 --warp=64 --until=finish
; RUN: --kernel=doubles --block=64,1,1 --isa=avx2 --until=finish
; CHECK: sext <
; CHECK: = or <
; CHECK: = or <
; CHECK: = icmp slt <
; CHECK: br i1
; CHECK: = and <
; CHECK: icmp slt <
; NOT: i1> %any
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @singles(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr float, ptr addrspace(1) %p, i32 %t
  %x = load float, ptr addrspace(1) %a
  %in = fcmp ogt float %x, 1.0
  br i1 %in, label %more, label %end
more:
  %y = fdiv float 1.0, %x
  %b = getelementptr float, ptr addrspace(1) %q, i32 %t
  store float %y, ptr addrspace(1) %b
  %small = fcmp olt float %y, 0.25
  br i1 %small, label %most, label %end
most:
  %z = fdiv float %x, %y
  store float %z, ptr addrspace(1) %b
  br label %end
end:
  %c = getelementptr float, ptr addrspace(1) %r, i32 %t
  store float %x, ptr addrspace(1) %c
  ret void
}

define amdgpu_kernel void @doubles(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr double, ptr addrspace(1) %p, i32 %t
  %x = load double, ptr addrspace(1) %a
  %in = fcmp ogt double %x, 1.0
  br i1 %in, label %more, label %end
more:
  %y = fdiv double 1.0, %x
  %b = getelementptr double, ptr addrspace(1) %q, i32 %t
  store double %y, ptr addrspace(1) %b
  %small = fcmp olt double %y, 0.25
  br i1 %small, label %most, label %end
most:
  %z = fdiv double %x, %y
  store double %z, ptr addrspace(1) %b
  br label %end
end:
  %c = getelementptr double, ptr addrspace(1) %r, i32 %t
  store double %x, ptr addrspace(1) %c
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
