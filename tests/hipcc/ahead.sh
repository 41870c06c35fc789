# SPDX-License-Identifier: MIT
# Kernels of a module that are launched one after the other are compiled ahead on idle cores: never more than pays.
. "$LS_SOURCE/tests/hipcc/lib.inc"
unset LOCKSTEP_CACHE
export LOCKSTEP_CACHE_DIR="$work/cache" LOCKSTEP_DEBUG=3

{
    echo '#include <hip/hip_runtime.h>'
    echo '#include <cstdlib>'
    for k in 0 1 2 3 4 5 6 7 8 9; do echo "__global__ void k$k(int *p) { p[threadIdx.x] = p[threadIdx.x] * 3 + $k; }"; done
    cat <<'END'
int main(int argc, char **argv)
{
    void (*const k[])(int *) = {k0, k1, k2, k3, k4, k5, k6, k7, k8, k9};
    int *p, want = 0, at = argc > 1 ? atoi(argv[1]) : 0, step = argc > 2 ? atoi(argv[2]) : 1, got;
    int n = argc > 3 ? atoi(argv[3]) : 10, width = argc > 4 ? atoi(argv[4]) : 0;

    if (hipMalloc(&p, 1024) || hipMemset(p, 0, 1024))
        return 2;
    for (int i = 0; i < n; i++, at += step, want = want * 3 + at - step)
        k[at]<<<1, 32 + i * width>>>(p);
    if (hipMemcpy(&got, p + 31, 4, hipMemcpyDeviceToHost))
        return 3;
    return got != want;
}
END
} >ten.hip
fresh() {
    rm -rf cache
    mkdir -m 700 cache
}
cached() {
    ls cache/*.so | wc -l
}
# bets LEAST MOST COMMAND...: succeeds, and so many kernels are compiled ahead.
bets() {
    least=$1 most=$2
    shift 2
    fresh
    "$@" >said.log 2>&1 || { cat said.log; return 1; }
    n=$(grep -c 'compiled ahead' said.log)
    [ "$n" -ge "$least" ] && [ "$n" -le "$most" ] || { echo "$n of $least to $most"; cat said.log; return 1; }
}
# Children need a time to start, which kernels as small as these may not leave them.
sometime() {
    for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "$@" >try.log 2>&1 && return 0; done
    cat try.log
    return 1
}
cpus=$(nproc)
ok "compiles" "$hipcc" -O2 ten.hip -o ten
if [ "$cpus" -ge 2 ]; then
    ok "in order: some are there before they are launched" sometime bets 1 8 ./ten
    ok "and all in the cache" [ "$(cached)" = 10 ]
    ok "the next process has nothing to compile" silent "compiled ahead" ./ten
fi
ok "one kernel: nothing" bets 0 0 ./ten 5 1 1
ok "backwards: one bet is lost, and no more made" bets 0 1 ./ten 9 -1
ok "each in blocks of its own: none" bets 0 0 ./ten 0 1 10 32
ok "switched off" bets 0 0 env LOCKSTEP_COMPILER_AHEAD=0 ./ten
ok "on one processor: none" bets 0 0 taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')" ./ten
ok "without a cache: what is waited for is taken all the same" bets 0 8 env LOCKSTEP_CACHE=0 ./ten
finish
