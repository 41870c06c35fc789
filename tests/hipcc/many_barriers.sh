# SPDX-License-Identifier: MIT
# A kernel's regions take memory for the blocks that they have, not for all blocks of the kernel: 4,000 barriers in 800 MB
# of addresses, most of which are LLVM's own.
. "$LS_SOURCE/tests/hipcc/lib.inc"

awk 'BEGIN {
    print "target triple = \"amdgcn-amd-amdhsa\"\ndefine amdgpu_kernel void @k(ptr addrspace(1) %p) {"
    for (i = 0; i < 4000; i++)
        print "  store volatile i32 " i ", ptr addrspace(1) %p\n  call void @llvm.amdgcn.s.barrier()"
    print "  ret void\n}\ndeclare void @llvm.amdgcn.s.barrier()"
}' >many.ll
split() {
    (ulimit -v 800000 && "$LS_BUILD/bin/lsopt" --block=256,1,1 --until=region many.ll >region.ll)
}
ok "4,000 barriers are split in little memory" split
has_all() {
    [ "$(grep -c '[.]warps[0-9]*:' region.ll)" -ge 3999 ]
}
ok "each region has its loop over warps" has_all
finish
