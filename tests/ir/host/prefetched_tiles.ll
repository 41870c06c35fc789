; A tile of 8 rows, whose length is an argument, read in a short loop with two turns for each row, in a loop over tiles: a
; line that the next turn of the short loop reads comes too late, so those of the next tile are asked for. Row and half of
; a row are parts of the short loop's index.
; RUN: --kernel=tiles --block=32,1,1 --isa=avx512 --until=finish
; RUN: --kernel=tiles --block=32,1,1 --isa=avx2 --until=finish
; CHECK: , 8
; CHECK: = lshr i32
; CHECK: = mul i32
; CHECK: call void @llvm.prefetch.p0(
; CHECK: call void @llvm.prefetch.p0(
; CHECK: load <
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @tiles(ptr addrspace(1) %p, ptr addrspace(1) %out, i32 %n) {
entry:
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  br label %tile

tile:
  %t = phi i32 [ 0, %entry ], [ %t.next, %latch ]
  %sum.t = phi i32 [ 0, %entry ], [ %sum.next, %latch ]
  br label %turn

turn:
  %w = phi i32 [ 0, %tile ], [ %w.next, %turn ]
  %sum = phi i32 [ %sum.t, %tile ], [ %sum.next, %turn ]
  %of.tile = lshr i32 %w, 1
  %y = add i32 %t, %of.tile
  %row = mul i32 %y, %n
  %odd = and i32 %w, 1
  %half = shl i32 %odd, 5
  %i = add i32 %row, %half
  %j = add i32 %i, %l
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %j
  %v0 = load i32, ptr addrspace(1) %at
  %w1 = or i32 %v0, 1
  %v1 = udiv i32 -1, %w1
  %w2 = or i32 %v1, 2
  %v2 = udiv i32 -2, %w2
  %w3 = or i32 %v2, 3
  %v3 = udiv i32 -3, %w3
  %w4 = or i32 %v3, 4
  %v4 = udiv i32 -4, %w4
  %w5 = or i32 %v4, 5
  %v5 = udiv i32 -5, %w5
  %w6 = or i32 %v5, 6
  %v6 = udiv i32 -6, %w6
  %w7 = or i32 %v6, 7
  %v7 = udiv i32 -7, %w7
  %w8 = or i32 %v7, 8
  %v8 = udiv i32 -8, %w8
  %w9 = or i32 %v8, 9
  %v9 = udiv i32 -9, %w9
  %w10 = or i32 %v9, 10
  %v10 = udiv i32 -10, %w10
  %w11 = or i32 %v10, 11
  %v11 = udiv i32 -11, %w11
  %w12 = or i32 %v11, 12
  %v12 = udiv i32 -12, %w12
  %w13 = or i32 %v12, 13
  %v13 = udiv i32 -13, %w13
  %w14 = or i32 %v13, 14
  %v14 = udiv i32 -14, %w14
  %w15 = or i32 %v14, 15
  %v15 = udiv i32 -15, %w15
  %w16 = or i32 %v15, 16
  %v16 = udiv i32 -16, %w16
  %w17 = or i32 %v16, 17
  %v17 = udiv i32 -17, %w17
  %w18 = or i32 %v17, 18
  %v18 = udiv i32 -18, %w18
  %w19 = or i32 %v18, 19
  %v19 = udiv i32 -19, %w19
  %w20 = or i32 %v19, 20
  %v20 = udiv i32 -20, %w20
  %w21 = or i32 %v20, 21
  %v21 = udiv i32 -21, %w21
  %w22 = or i32 %v21, 22
  %v22 = udiv i32 -22, %w22
  %w23 = or i32 %v22, 23
  %v23 = udiv i32 -23, %w23
  %w24 = or i32 %v23, 24
  %v24 = udiv i32 -24, %w24
  %w25 = or i32 %v24, 25
  %v25 = udiv i32 -25, %w25
  %w26 = or i32 %v25, 26
  %v26 = udiv i32 -26, %w26
  %w27 = or i32 %v26, 27
  %v27 = udiv i32 -27, %w27
  %w28 = or i32 %v27, 28
  %v28 = udiv i32 -28, %w28
  %w29 = or i32 %v28, 29
  %v29 = udiv i32 -29, %w29
  %w30 = or i32 %v29, 30
  %v30 = udiv i32 -30, %w30
  %w31 = or i32 %v30, 31
  %v31 = udiv i32 -31, %w31
  %w32 = or i32 %v31, 32
  %v32 = udiv i32 -32, %w32
  %w33 = or i32 %v32, 33
  %v33 = udiv i32 -33, %w33
  %w34 = or i32 %v33, 34
  %v34 = udiv i32 -34, %w34
  %w35 = or i32 %v34, 35
  %v35 = udiv i32 -35, %w35
  %w36 = or i32 %v35, 36
  %v36 = udiv i32 -36, %w36
  %w37 = or i32 %v36, 37
  %v37 = udiv i32 -37, %w37
  %w38 = or i32 %v37, 38
  %v38 = udiv i32 -38, %w38
  %w39 = or i32 %v38, 39
  %v39 = udiv i32 -39, %w39
  %sum.next = add i32 %sum, %v39
  %w.next = add nuw nsw i32 %w, 1
  %more.w = icmp ult i32 %w, 15
  br i1 %more.w, label %turn, label %latch

latch:
  %t.next = add nuw nsw i32 %t, 8
  %more = icmp slt i32 %t.next, %n
  br i1 %more, label %tile, label %done

done:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %l
  store i32 %sum.next, ptr addrspace(1) %o
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
