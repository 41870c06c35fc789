# SPDX-License-Identifier: MIT
# gdb stops in a kernel by its name and by a source line, and steps to the next line; shows each thread's variables
# where the program was built for that, and how the host came to the kernel.
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
cat >add.hip <<'END'
#include <hip/hip_runtime.h>
__global__ void add(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += 1;
}
int main()
{
    int *p;
    if (hipMalloc(&p, 1024) || hipMemset(p, 0, 1024))
        return 1;
    add<<<2, 64>>>(p, 128);
    return hipDeviceSynchronize();
}
END
# Whole blocks have the kernel's code without its name: a program that is not for gdb has such.
whole() {
    rm -rf cache
    "$hipcc" "$@" add.hip -o add && ./add && grep -q run_whole cache/*.so
}
ok "launches have code for whole blocks" whole -O3
ok "but not where gdb is to find the kernel" fails 1 whole -O3 -g
ok "compile" "$hipcc" -g -O1 squares.hip -o squares
ok "a kernel's name" says 'hit Breakpoint 1, squares (' debug -ex 'break squares' -ex run
debug -ex 'break squares' -ex run -ex 'break squares.hip:8' -ex continue -ex bt -ex 'info line' -ex kill >log 2>&1
ok "a source line" has log 'squares.hip:8'
ok "its text" has log 'out[i] = v;'
ok "the block's loop is the caller" has log 'in ls.run_blocks ()'
debug -ex 'break squares' -ex run -ex next -ex kill >log 2>&1
ok "the next line" grep -qE '^(4|5|6|7|8)[[:space:]]' log
# Variables: by thread, in a block of two warps with a barrier; arrays, structures, arguments, an inlined function.
cat >vars.hip <<'END'
#include <hip/hip_runtime.h>
struct pair { short first; double second; };
__device__ int twice(int a)
{
    int r = a * 2;
    return r;
}
__global__ void vars(const int *in, int *out, int n)
{
    int i = threadIdx.x;
    int odd = -1;
    char list[3] = {1, 2, 3};
    pair p = {(short)(i + 7), i / 4.0};
    list[in[i] % 3] = (char)i;
    __syncthreads();
    if (i & 1)
        odd = twice(i);
    __syncthreads();
    out[i] = odd + list[n % 3] + p.first;
}
int main()
{
    int *p;
    if (hipMalloc(&p, 1024) || hipMemset(p, 0, 1024))
        return 1;
    vars<<<64, 64>>>(p, p + 64, 50);
    return hipDeviceSynchronize();
}
END
for opt in -O0 -Og; do
    ok "compile $opt" "$hipcc" -g "$opt" vars.hip -o squares
    debug -ex 'break vars' -ex run -ex delete -ex 'tbreak vars.hip:5' -ex continue -ex 'print a[31]' -ex up \
        -ex 'print ls_warp' -ex 'print/x ls_mask' -ex 'tbreak vars.hip:5' -ex continue -ex 'print a[33]' -ex up \
        -ex 'print ls_warp' -ex 'tbreak vars.hip:19' -ex continue -ex 'print i[31]' -ex 'print odd[30]' -ex 'print odd[63]' \
        -ex 'print p[9]' -ex 'print/d list[50]' -ex 'print n[3]' -ex kill >log 2>&1
    grep '^\$' log | sed 's/^[^=]*= //' | tr '\n' ' ' >values
    ok "each thread's variables, $opt" \
        has values '31 0 0xaaaaaaaa 33 1 31 -1 126 {first = 16, second = 2.25} {50, 2, 3} 50 '
done
LOCKSTEP_THREADS=2 debug -ex 'break vars' -ex run -ex 'thread 1' -ex 'set scheduler-locking on' -ex continue -ex bt \
    -ex kill >log 2>&1
ok "a kernel that the waiting host runs has main among its callers" grep -q '^#[0-9]* .* in main ()' log
finish
