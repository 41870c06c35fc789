; Lanes part at a branch inside a branch: each arm runs in turn, is left out when nobody takes it, and what is behind
; both has the mask of what was in front. A branch that all take together stays one.
; RUN: --kernel=k --block=32,1,1 --warp=32 --print=linear
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %x = load volatile i32, ptr addrspace(1) %at
  %outer = icmp sgt i32 %x, 0
  br i1 %outer, label %yes, label %no
yes:
  store volatile i32 1, ptr addrspace(1) %at
  %inner = icmp sgt i32 %x, 9
  br i1 %inner, label %large, label %behind
large:
  store volatile i32 2, ptr addrspace(1) %at
  br label %behind
behind:
  store volatile i32 3, ptr addrspace(1) %at
  br label %end
no:
  store volatile i32 4, ptr addrspace(1) %at
  br label %end
end:
  %all = icmp sgt i32 %n, 0
  br i1 %all, label %one, label %other
one:
  store volatile i32 5, ptr addrspace(1) %at
  br label %done
other:
  store volatile i32 6, ptr addrspace(1) %at
  br label %done
done:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
