; `if (tid < s)` with an s that all threads share: the loop over the warps ends where s does, warps that are there as
; a whole (behind r1.some) run without a mask, and one that is there in part comes behind them, without a loop.
; RUN: --kernel=k --block=256,1,1 --until=region
; CHECK: lshr i32 %s, 5
; CHECK: r1.warps:
; CHECK: store i32 %
; CHECK: icmp ult i32 %
; CHECK: label %r1.warps, label %r1.done
; CHECK: r1.done:
; CHECK: icmp ult i32 %
; CHECK: store i32 %
; CHECK: br label %r1.after
; NOT: r1.done2:
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %s) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %v = load i32, ptr addrspace(1) %a
  %v1 = add i32 %v, 1
  store i32 %v1, ptr addrspace(1) %a
  call void @llvm.amdgcn.s.barrier()
  %some = icmp ult i32 %t, %s
  br i1 %some, label %work, label %done
work:
  %b = getelementptr i32, ptr addrspace(1) %a, i32 %s
  %u = load i32, ptr addrspace(1) %b
  store i32 %u, ptr addrspace(1) %a
  br label %done
done:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
