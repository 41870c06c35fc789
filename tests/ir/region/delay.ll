; A loop that waits for time to pass: others get their turn, so that delays of many blocks last together.
; RUN: --kernel=k --block=128,1,1 --until=region
; CHECK: call void @ls.yield()
; NOT: r0.
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i64 @llvm.readsteadycounter()

define amdgpu_kernel void @k(i64 %ticks) {
entry:
  %start = call i64 @llvm.readsteadycounter()
  br label %wait
wait:
  %now = call i64 @llvm.readsteadycounter()
  %gone = sub i64 %now, %start
  %no = icmp ult i64 %gone, %ticks
  br i1 %no, label %wait, label %done
done:
  ret void
}
