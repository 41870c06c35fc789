# SPDX-License-Identifier: MIT
# gdb stops in a kernel by its name and by a source line, and steps to the next line.
. "$LS_SOURCE/tests/hipcc/lib.inc"
LOCKSTEP_CACHE_DIR=$work/cache
LOCKSTEP_THREADS=1
export LOCKSTEP_CACHE_DIR LOCKSTEP_THREADS
cat >squares.hip <<'END'
#include <hip/hip_runtime.h>
__global__ void squares(const float *in, float *out, int n)
{
    int i = threadIdx.x;
    float v = 0;
    if (i < n)
        v = in[i] * in[i];
    out[i] = v;
}
int main()
{
    float *p;
    if (hipMalloc(&p, 1024) || hipMemset(p, 0, 1024))
        return 1;
    squares<<<1, 64>>>(p, p + 64, 50);
    return hipDeviceSynchronize();
}
END
debug() {
    gdb -q -nx -batch -ex 'set debuginfod enabled off' -ex 'set breakpoint pending on' "$@" ./squares
}
ok "compile" "$hipcc" -g -O1 squares.hip -o squares
ok "a kernel's name" says 'hit Breakpoint 1, squares (' debug -ex 'break squares' -ex run
debug -ex 'break squares' -ex run -ex 'break squares.hip:8' -ex continue -ex bt -ex 'info line' -ex kill >log 2>&1
ok "a source line" has log 'squares.hip:8'
ok "its text" has log 'out[i] = v;'
ok "the block's loop is the caller" has log 'in ls.run_blocks ()'
debug -ex 'break squares' -ex run -ex next -ex kill >log 2>&1
ok "the next line" grep -qE '^(4|5|6|7|8)[[:space:]]' log
finish
