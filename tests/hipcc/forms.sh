# SPDX-License-Identifier: MIT
# Which form of a kernel is the better one is found out once: what a process has found stays beside the code in the cache.
. "$LS_SOURCE/tests/hipcc/lib.inc"
unset LOCKSTEP_CACHE
export LOCKSTEP_CACHE_DIR="$work/cache" LOCKSTEP_DEBUG=3 LOCKSTEP_PAST=
mkdir -m 700 cache

cat >copy.hip <<'END'
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void copy(const float *from, float *to) { to[blockIdx.x * 256 + threadIdx.x] = from[blockIdx.x * 256 + threadIdx.x]; }
int main()
{
    const int n = 1 << 20;
    float *from, *to, last = 1;

    if (hipMalloc(&from, n * 4) || hipMalloc(&to, n * 4) || hipMemset(from, 0, n * 4))
        return 2;
    for (int i = 0; i < 12; i++)
        copy<<<n / 256, 256>>>(from, to);
    if (hipMemcpy(&last, to + n - 1, 4, hipMemcpyDeviceToHost))
        return 3;
    return last != 0;
}
END
found="ticks a block" known="whether stores go past the caches is known"
record() {
    set -- cache/*.frm
    [ $# = 1 ] && [ -f "$1" ]
}
ok "compiles" "$hipcc" -O3 copy.hip -o copy
ok "the first process finds out" says "$found" ./copy
ok "and writes it down" record
ok "the second one knows" says "$known" ./copy
ok "and does not try" silent "$found" ./copy
ok "where the form is given, nothing is read" silent "$known" env LOCKSTEP_PAST=0 ./copy
cp cache/*.frm good.frm
printf 'LSFORMS1%24s' '' | tr ' ' '\377' >"$(echo cache/*.frm)"
ok "a record that makes no sense is not believed" silent "$known" ./copy
ok "but replaced" cmp -s -n 8 good.frm cache/*.frm
ok "and good again" says "$known" ./copy
: >"$(echo cache/*.frm)"
ok "an empty one neither" silent "$known" ./copy
finish
