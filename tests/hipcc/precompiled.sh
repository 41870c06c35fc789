# SPDX-License-Identifier: MIT
# Headers that hipcc's passes read first, precompiled in the cache: nothing changes but the time.
. "$LS_SOURCE/tests/hipcc/lib.inc"

export LOCKSTEP_CACHE_DIR="$PWD/cache"
mkdir -m 700 cache
mkdir shadow
cat >first.hip <<'END'
// HIP's header behind comments
/* and the standard's */
#include <vector>
#include <hip/hip_runtime.h> // here
__global__ void twice(float *p) { p[threadIdx.x] = 2 * sinf(p[threadIdx.x]); }
int main() { std::vector<float> v(1); twice<<<1, 1>>>(v.data()); return 0; }
END
build() {
    "$hipcc" -DONE=1 -O1 -fno-lockstep-code-object "$@" -c first.hip -o pch.o
}
count() {
    test "$(find cache -name '*.pch' | wc -l)" = "$1"
}

ok "options seen once" build
ok "nothing is precompiled" count 0
mv pch.o plain.o
ok "options seen twice" build
ok "one for each pass" count 2
ok "the object is the same" cmp plain.o pch.o
ok "the third time" build
ok "no more of them" count 2
ok "the object is the same still" cmp plain.o pch.o
ok "-v shows what text alone would do" silent include-pch "$hipcc" --offload-host-only -DONE=1 -v -fsyntax-only first.hip

ok "dependencies with them" "$hipcc" -DONE=1 -O1 -MD -MF with.d -fsyntax-only first.hip
ok "dependencies without" env LOCKSTEP_PCH=0 "$hipcc" -DONE=1 -MD -MF without.d -fsyntax-only first.hip
for d in with without; do
    tr -s ' \\\n' '\n\n\n' <$d.d | sort >$d.sorted
done
ok "are the same" cmp with.sorted without.sorted
ok "the user's alone" "$hipcc" -DONE=1 -O1 -MMD -MF user.d -fsyntax-only first.hip
ok "HIP's header is none of them" not has user.d hip_runtime.h

# A pass that is asked for alone (--offload-host-only) has none: both run from here on.

# what is damaged, or of another time
set -- cache/*.pch
truncate -s 1000000 "$1"
printf broken | dd of="$2" conv=notrunc seek=100 status=none
ok "half of one, and other bytes in one" build
ok "the object is the same then" cmp plain.o pch.o
rm cache/*.sum
ok "no record of them" build
ok "and the same" cmp plain.o pch.o
mkdir include
echo '#define MINE 1' >include/mine.h
printf '#include <hip/hip_runtime.h>\nstatic_assert(MINE == 1);\n' >one.hip
printf '#include <hip/hip_runtime.h>\nstatic_assert(MINE == 2);\n' >two.hip
ok "a header of -include" "$hipcc" -DONE=1 -include include/mine.h -fsyntax-only one.hip
echo '#define MINE 2' >include/mine.h
ok "which was changed" "$hipcc" -DONE=1 -include include/mine.h -fsyntax-only two.hip

# what must not be found before its turn
shadowed() {
    "$hipcc" -DONE=1 -Ishadow -fsyntax-only first.hip
}
printf '#error the shadow is read\n' >shadow/assert.h
ok "the user's header of a system's name" says "the shadow is read" shadowed
ok "a folder with a header of a system's name, again" says "the shadow is read" shadowed
ok "it is not tried for ever" test -s "$(grep -l failed cache/*.use | head -1)"
cat >defines.hip <<'END'
#define HIP_RUNTIME_H 1
#include <hip/hip_runtime.h>
static_assert(HIP_RUNTIME_H == 1);
END
ok "a macro in front of HIP's header" "$hipcc" -DONE=1 -fsyntax-only defines.hip
mkdir -p quoted/hip
echo '#define OWN 1' >quoted/hip/hip_runtime.h
cat >quoted/own.hip <<'END'
#include "hip/hip_runtime.h"
static_assert(OWN == 1);
END
ok "a header of that name beside the source" "$hipcc" -DONE=1 -fsyntax-only quoted/own.hip
printf '#include <hip/hip_runtime.h>\n\nundeclared x;\n' >none.hip
ok "the place of an error" says "none.hip:3:1: error" "$hipcc" -DONE=1 -c none.hip
ok "a cache that cannot be written" env LOCKSTEP_CACHE_DIR=/proc/none "$hipcc" -DONE=1 -fsyntax-only first.hip

# many at once
rm -rf cache/*
for i in 1 2; do
    "$hipcc" -DMANY=1 -fsyntax-only first.hip && : >many$i.ok &
done
wait
for i in 1 2; do
    ok "two at once, $i" test -e many$i.ok
done
ok "at most one for each pass" test "$(find cache -name '*.pch' | wc -l)" -le 2

# CUDA's header, which each pass of its sources begins with
rm -rf cache/*
printf '__global__ void k(float *p) { *p = cudaSuccess + CUDART_VERSION; }\n' >one.cu
cuda() {
    "$hipcc" --cuda -DTWO=1 -fsyntax-only "$@" one.cu
}
ok "CUDA, once" cuda
ok "nothing yet" count 0
ok "CUDA, twice" cuda
ok "one for each pass is there" count 2
ok "with CUDA's header in it" grep -qF "lockstep/cuda/runtime.h" cache/*.pch
mkdir -p other/thrust
ok "CUDA, where there may be another Thrust" cuda -Iother
ok "again" cuda -Iother
ok "that is not kept" count 2
ok "no temporary folders stay" test -z "$(find cache -name 'tmp-*')"
# Clang knows modules from C++20 on, and then took overloads for the host and for the device for one.
cat >overloads.hip <<'END'
#include <hip/hip_runtime.h>
#include <new>
__global__ void kernel(int *p) { new (p) int(max(*p, 3)); }
int host(int a) { return max(a, 3); }
END
for i in 1 2; do
    ok "C++20, time $i" quiet "$hipcc" -std=c++20 -fsyntax-only overloads.hip
done

finish
