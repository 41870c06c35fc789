; What the stages before the vectoriser put in: barriers of fibers, a block of launch fields in memory, and the launch's
; context inside a function that stays out of line. Sleeping lets others run, and accesses are checked.
; RUN: --kernel=k --block=128,1,1 --fibers --inline=1 --until=finish --print=rows --checks=1
; CHECK: row
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define internal void @f(ptr addrspace(1) %p) noinline {
  %d = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %g = addrspacecast ptr addrspace(4) %d to ptr
  store volatile ptr %g, ptr addrspace(1) %p
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  store volatile i32 %b, ptr addrspace(1) %p
  ret void
}

define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr ptr, ptr addrspace(1) %p, i32 %t
  store i32 %t, ptr addrspace(1) %a
  call void @llvm.amdgcn.s.barrier()
  call void @llvm.amdgcn.s.sleep(i32 1)
  call void @__ls_grid_sync()
  call void @f(ptr addrspace(1) %a)
  call void @f(ptr addrspace(1) %p)
  ret void
}
declare void @__ls_grid_sync()
