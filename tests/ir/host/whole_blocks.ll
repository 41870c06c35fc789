; Blocks in which `i < n` holds in all threads: how many there are, code without masks for them in two forms, and a loop
; that asks. Also where the limits are in a structure, or the comparison is the other way round, and
; with line tables, which all programs have.
; RUN: --kernel=k --block=128,1,1 --isa=avx512 --until=finish
; RUN: --kernel=k --block=128,1,1 --isa=avx512 --until=finish -g
; RUN: --kernel=lines --block=128,1,1 --isa=avx512 --until=finish -g
; RUN: --kernel=k --block=128,1,1 --isa=avx2 --until=finish
; RUN: --kernel=k --block=128,1,1 --isa=sse2 --warp=64 --until=finish
; RUN: --kernel=fields --block=64,2,1 --isa=avx512 --until=finish
; RUN: --kernel=leaves --block=256,1,1 --isa=avx512 --until=finish
; CHECK: @ls.whole(
; CHECK: void @ls.run_whole(
; CHECK: void @ls.run_past(
; CHECK: nontemporal
; CHECK: void @ls.run_blocks(
; CHECK: call i32 @ls.whole(
; CHECK: call void @ls.run_past(
; CHECK: call void @ls.run_whole(
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = shl i32 %b, 7
  %i = add i32 %o, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %end
body:
  %l = sext i32 %i to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %l
  store i32 %i, ptr addrspace(1) %a
  br label %end
end:
  ret void
}

define amdgpu_kernel void @fields(ptr addrspace(1) %p, ptr addrspace(4) byref({i64, i64}) %s) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %u = call i32 @llvm.amdgcn.workitem.id.y()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %d = call i32 @llvm.amdgcn.workgroup.id.y()
  %o = shl i32 %b, 6
  %i = add i32 %o, %t
  %q = shl i32 %d, 1
  %j = add i32 %q, %u
  %w = load i64, ptr addrspace(4) %s
  %f = getelementptr i8, ptr addrspace(4) %s, i64 8
  %h = load i64, ptr addrspace(4) %f
  %x = zext i32 %i to i64
  %y = zext i32 %j to i64
  %c = icmp ult i64 %x, %w
  %e = icmp ult i64 %y, %h
  %g = and i1 %c, %e
  br i1 %g, label %body, label %end
body:
  %r = mul i64 %y, %w
  %l = add i64 %r, %x
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %l
  store i32 %i, ptr addrspace(1) %a
  br label %end
end:
  ret void
}

define amdgpu_kernel void @leaves(ptr addrspace(1) %p, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = shl i32 %b, 8
  %i = add i32 %o, %t
  %c = icmp uge i32 %i, %n
  br i1 %c, label %end, label %body
body:
  %l = zext i32 %i to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %l
  store i32 %i, ptr addrspace(1) %a
  br label %end
end:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()

define amdgpu_kernel void @lines(ptr addrspace(1) %p, i32 %n) !dbg !3 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = shl i32 %b, 7
  %i = add i32 %o, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %end
body:
  %l = sext i32 %i to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %l
  store i32 %i, ptr addrspace(1) %a
  br label %end
end:
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!6}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, isOptimized: true, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.hip", directory: "/")
!3 = distinct !DISubprogram(name: "lines", file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !5)
!5 = !{}
!6 = !{i32 2, !"Debug Info Version", i32 3}
