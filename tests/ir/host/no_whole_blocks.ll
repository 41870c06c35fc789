; No block is whole by a limit in memory, which the kernel may change, by the thread's number alone, or by a comparison
; that few threads fulfil: there is nothing to ask. A block that is no multiple of the warp has no code without masks, nor
; has a program that is made for a debugger, which must find the kernel by its name.
; RUN: --kernel=memory --block=128,1,1 --isa=avx512 --until=finish
; RUN: --kernel=thread --block=128,1,1 --isa=avx512 --until=finish
; RUN: --kernel=one --block=128,1,1 --isa=avx512 --until=finish
; RUN: --kernel=memory --block=100,1,1 --isa=avx512 --until=finish
; RUN: --kernel=guarded --block=128,1,1 --isa=avx512 --until=finish -g
; CHECK: void @ls.run_blocks(
; NOT: @ls.whole(
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @memory(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = shl i32 %b, 7
  %i = add i32 %o, %t
  %n = load i32, ptr addrspace(1) %q
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

define amdgpu_kernel void @thread(ptr addrspace(1) %p, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = shl i32 %b, 7
  %i = add i32 %o, %t
  %c = icmp slt i32 %t, %n
  br i1 %c, label %body, label %end
body:
  %l = sext i32 %i to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %l
  store i32 %i, ptr addrspace(1) %a
  br label %end
end:
  ret void
}

define amdgpu_kernel void @one(ptr addrspace(1) %p, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = shl i32 %b, 7
  %i = add i32 %o, %t
  %c = icmp eq i32 %i, %n
  br i1 %c, label %body, label %end
body:
  %l = sext i32 %i to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %l
  store i32 %i, ptr addrspace(1) %a
  br label %end
end:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()

define amdgpu_kernel void @guarded(ptr addrspace(1) %p, i32 %n) !dbg !3 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %o = shl i32 %b, 7
  %i = add i32 %o, %t
  %in = icmp ult i32 %i, %n
  br i1 %in, label %do, label %end
do:
  %w = zext i32 %i to i64
  %a = getelementptr i32, ptr addrspace(1) %p, i64 %w
  %v = load i32, ptr addrspace(1) %a
  %s = mul i32 %v, 3
  store i32 %s, ptr addrspace(1) %a
  br label %end
end:
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!6}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, isOptimized: true, emissionKind: FullDebug)
!1 = !DIFile(filename: "k.hip", directory: "/")
!3 = distinct !DISubprogram(name: "guarded", file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !5)
!5 = !{null, !7, !8}
!6 = !{i32 2, !"Debug Info Version", i32 3}
!7 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !8, size: 64)
!8 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
