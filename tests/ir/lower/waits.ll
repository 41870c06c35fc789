; Every row of the table about waiting, caches, clocks and registers of the hardware.
; RUN: --kernel=k --block=64,1,1 --isa=sse2 --until=finish --print=rows
; RUN: --kernel=k --block=64,1,1 --isa=avx2 --until=finish --print=rows
; RUN: --kernel=k --block=64,1,1 --isa=avx512 --until=finish --print=rows
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %sink, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr [64 x i8], ptr addrspace(1) %p, i32 %t
  call void @llvm.amdgcn.wave.barrier()
  call void @llvm.amdgcn.sched.barrier(i32 0)
  call void @llvm.amdgcn.sched.group.barrier(i32 1, i32 1, i32 0)
  call void @llvm.amdgcn.iglp.opt(i32 0)
  call void @llvm.amdgcn.s.waitcnt(i32 0)
  call void @llvm.amdgcn.s.wait.loadcnt(i16 0)
  call void @llvm.amdgcn.s.wait.asynccnt(i16 0)
  call void @llvm.amdgcn.s.wait.storecnt(i16 0)
  call void @llvm.amdgcn.s.wait.dscnt(i16 0)
  call void @llvm.amdgcn.s.wait.kmcnt(i16 0)
  call void @llvm.amdgcn.s.wait.expcnt(i16 0)
  call void @llvm.amdgcn.s.wait.samplecnt(i16 0)
  call void @llvm.amdgcn.s.wait.bvhcnt(i16 0)
  call void @llvm.amdgcn.s.nop(i16 0)
  call void @llvm.amdgcn.s.setprio(i16 1)
  call void @llvm.amdgcn.s.incperflevel(i32 1)
  call void @llvm.amdgcn.s.decperflevel(i32 1)
  call void @llvm.amdgcn.s.dcache.inv()
  call void @llvm.amdgcn.s.dcache.inv.vol()
  call void @llvm.amdgcn.s.dcache.wb()
  call void @llvm.amdgcn.s.dcache.wb.vol()
  call void @llvm.amdgcn.buffer.wbinvl1()
  call void @llvm.amdgcn.buffer.wbinvl1.vol()
  call void @llvm.amdgcn.s.ttracedata(i32 %n)
  call void @llvm.amdgcn.s.ttracedata.imm(i16 1)
  call void @llvm.amdgcn.s.sleep(i32 1)
  call void @llvm.amdgcn.s.sleep.var(i32 %n)
  %r27 = call i64 @llvm.readcyclecounter()
  store volatile i64 %r27, ptr addrspace(1) %sink
  %r28 = call i64 @llvm.readsteadycounter()
  store volatile i64 %r28, ptr addrspace(1) %sink
  %r29 = call i64 @llvm.amdgcn.s.memtime()
  store volatile i64 %r29, ptr addrspace(1) %sink
  %r30 = call i64 @llvm.amdgcn.s.memrealtime()
  store volatile i64 %r30, ptr addrspace(1) %sink
  %r31 = call i64 @llvm.amdgcn.s.sendmsg.rtn.i64(i32 131)
  store volatile i64 %r31, ptr addrspace(1) %sink
  %r32 = call i32 @llvm.amdgcn.s.getreg(i32 63492)
  store volatile i32 %r32, ptr addrspace(1) %sink
  call void @llvm.amdgcn.s.setreg(i32 513, i32 %n)
  %r35 = call i64 @llvm.get.fpenv.i64()
  store volatile i64 %r35, ptr addrspace(1) %sink
  call void @llvm.set.fpenv.i64(i64 %r35)
  call void @llvm.set.fpenv.i64(i64 240)
  %r34 = call i32 @llvm.amdgcn.groupstaticsize()
  store volatile i32 %r34, ptr addrspace(1) %sink
  ret void
}
declare void @llvm.amdgcn.s.wait.asynccnt(i16)
