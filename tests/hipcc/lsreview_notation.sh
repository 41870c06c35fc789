# SPDX-License-Identifier: MIT
# lsreview --notation: comments on register assignments and pointer offsets hold where the code is right, at -O2 and -O0; comments with
# two bits exchanged, and code that is wrong, are told with the bit, the element or the offset; --infer; transposes that are written.
. "$LS_SOURCE/tests/hipcc/lib.inc"
lsreview=$LS_BUILD/bin/lsreview
export LOCKSTEP_CACHE_DIR="$LS_BUILD/tests/cache"
cp "$LS_SOURCE/tests/hipcc/lsreview_notation.hip" notes.hip
ok "the program" quiet "$hipcc" -g -O2 notes.hip -o notes
ok "the program at -O0" quiet "$hipcc" -fno-lockstep-code-object -g -O0 notes.hip -o notes0

ok "all comments hold" says '12 of 12 comments hold' "$lsreview" --notation --error-exitcode=7 ./notes
ok "and at -O0" says '12 of 12 comments hold' "$lsreview" --notation ./notes0
ok "and a program that is right is not failed" fails 0 "$lsreview" --notation --error-exitcode=7 ./notes 21
ok "of the halves" says 'y0 y1 y2 y3: as the comment says, in 16 warps looked at' "$lsreview" --notation ./notes 21

# wrong N TEXT: the code's mistake N is told so.
wrong() {
    ok "wrong code $1" says "$2" "$lsreview" --notation ./notes "$1"
}
wrong 1 'x0 x1 x2 x3: not as the comment says: warp bit w0 is said to be i0, but is j3;'
wrong 2 'thread 0, register 3, simd lane 0 should hold i=0 j=12 k=0, element 192'
wrong 3 'simd bit s0 is said to be j3, but is j2; register bit r0 is said to be j2, but is j3 [notation/bit]'
wrong 4 'register bit r0 is said to be k3, but is j0'
wrong 5 'y0 y1 y2 y3: elements do not lie as the comment says [notation/element]'
wrong 6 'simd bit s0 is said to be i2, but is i0; simd bit s1 is said to be i1, but is i2'
wrong 7 'z0 z1: not as the comment says: register bit r0 is said to be i1, but is i0'
wrong 8 'y: not as the comment says: warp bit w0 is said to be col0'
wrong 10 'this block has the same part as block ('
wrong 11 'while there are as many blocks as parts'
wrong 12 'an offset of 1024 elements leads to no element of shape (32,32), strides (131072,1) [notation/offset]'
wrong 13 'the offset is said to be per-warp, but threads of a warp have 0 and 1 elements [notation/level]'
wrong 14 'this access goes to element 32 behind the pointer, which is none of shape (32)'
ok "an exit code" fails 7 "$lsreview" --notation --error-exitcode=7 ./notes 3

# comment SCRIPT N TEXT: with the comments changed by sed, the right code is told to be otherwise. The program stays as it is.
comment() {
    sed "$1" "$LS_SOURCE/tests/hipcc/lsreview_notation.hip" >notes.hip
    ok "comment $1" says "$3" "$lsreview" --notation ./notes "$2"
}
comment '/simd:  *s0  *<->  *k0/s/k0/j3/; /register:  r1 r0/s/j3/k0/' 21 \
    'simd bit s0 is said to be j3, but is k0; register bit r1 is said to be k0, but is j3'
comment '/t4 t3 t2 t1 t0  <->  j1/s/k2 k1/k1 k2/' 21 'thread bit t0 is said to be k2, but is k1; thread bit t1 is said to be k1, but is k2'
comment '/w3 w2 w1 w0/s/i1 i0/i0 i1/' 21 'warp bit w0 is said to be i1, but is i0; warp bit w1 is said to be i0, but is i1'
comment '/register:  k0 j2/s/k0 j2/j2 k0/' 21 'register bit r0 is said to be k0, but is j2'
comment '/register:  k0 k3/s/k3/j2/; /j1 j0 j2 k2 k1/s/j2/k3/' 21 'register bit r0 is said to be j2, but is k3; thread bit t2 is said to be k3, but is j2'
comment '/simd:  *j3 *$/s/j3/k0/; /register:  k0 j2/s/k0/j3/' 21 'simd bit s0 is said to be k0, but is j3'
comment '/register:  r1 r0/s/r1 r0/r1/' 21 'register: 1 bits on the left of <->, 2 on the right [notation/unreadable]'
comment '/register:  r1 r0/s/r1 r0 *<->  j3 j2/j3/' 21 'it says 2 registers in each thread, but there are 4 variables'
comment '/shape (16,16,16)/s/i,j,k/k,j,i/' 21 'is said to be'
comment 's/strides (128\*1024, 1)$/strides (64*1024, 1)/' 0 'leaves shape (32,128,1024), strides (131072,1024,1)'
comment 's/shape=(32,), contiguous/shape=(16,), contiguous/' 0 'this access goes to element 16 behind the pointer, which is none of shape (16)'
comment 's/shape (32,128,1024), contiguous/shape (32,128)/; s/shape=(32,)/size 32/' 0 'notation/unreadable'
cp "$LS_SOURCE/tests/hipcc/lsreview_notation.hip" notes.hip

"$lsreview" --notation --json=odd.json --sarif=odd.sarif ./notes0 20 >odd.log 2>&1
ok "two elements" has odd.log 'x: what it holds comes from no array, or of several elements each [notation/nowhere]'
ok "a misspelt part" has odd.log 'a line begins with simd:, register:, thread: or warp:, not with regsiter:'
ok "copies" has odd.log 'z: as the comment says'
ok "a comment that is not reached" has odd.log 'q: no thread came to the comment'
ok "a comment on nothing" has odd.log 'it names no variable that is known here'
ok "a summary" has odd.log '1 of 5 comments hold'
ok "JSON" grep -q '"kind":"verified"' odd.json
ok "SARIF has what is wrong" [ "$(grep -c '"ruleId":"notation/' odd.sarif)" = 4 ]

ok "--infer" says '//   thread:    t4 t3 t2 t1 t0  <->  j1 j0 j2 k2 k1' "$lsreview" --infer=y ./notes 21
ok "--infer at a line" says '//   register:  r1 r0           <->  k0 j2' "$lsreview" --infer=y:36 ./notes 21
ok "--infer of what is none" says 'thread 0, register 3, simd lane 0 should hold' "$lsreview" --infer=x ./notes 2
ok "--infer of nothing" says 'no kernel that ran has such a variable' "$lsreview" --infer=nothing ./notes 21
ok "a program without comments" says 'no kernel that ran has a comment' "$lsreview" --notation ./notes 9
ok "no program" fails 2 "$lsreview" --notation
ok "goes alone" says 'notation goes alone' env LOCKSTEP_CHECK=notation,memory ./notes 21

# Transposes: each is written, compiled, and verified by comments around it, with the results.
from='simd: k0; register: j1 j0; thread: i4 i3 i2 i1 i0'
n=0
{
    echo '#include <hip/hip_fp16.h>'
    echo '#include <hip/hip_runtime.h>'
    while read -r to; do
        n=$((n + 1))
        "$lsreview" transpose "$from" "$to" | sed "s/^transpose(/transpose$n(/" || echo "#error $n"
        echo "$to" | sed 's/^/\/\/ to: /'
        cat <<END
__global__ void kernel$n(const __half2 *p, __half2 *out)
{
    unsigned t = threadIdx.x;
    __half2 x0 = p[t], x1 = p[t + 32], x2 = p[t + 64], x3 = p[t + 96];
    // x: $from
    //   simd:     k0
    //   register: j1 j0
    //   thread:   i4 i3 i2 i1 i0
    transpose$n(t, x0, x1, x2, x3);
    // x
END
        echo "$to" | tr ';' '\n' | sed 's/^ */    \/\/   /'
        echo "    out[t] = x0; out[t + 32] = x1; out[t + 64] = x2; out[t + 96] = x3;"
        echo "}"
    done <<END
simd: j0; register: j1 k0; thread: i4 i3 i2 i1 i0
simd: j1; register: j0 k0; thread: i4 i3 i2 i1 i0
simd: k0; register: j0 j1; thread: i4 i3 i2 i1 i0
simd: k0; register: i0 i4; thread: j0 i3 i2 i1 j1
simd: i2; register: j1 j0; thread: i4 i3 k0 i1 i0
simd: k0; register: j1 j0; thread: i0 i1 i2 i3 i4
simd: i4; register: i3 i2; thread: i1 i0 j1 j0 k0
simd: j1; register: i1 i0; thread: i2 i4 k0 i3 j0
END
    echo 'int main() { char *p, *o; if (hipMalloc((void **)&p, 4096) || hipMalloc((void **)&o, 4096) || hipMemset(p, 0, 4096)) return 2;'
    for i in 1 2 3 4 5 6 7 8; do
        echo "kernel$i<<<1, 32>>>((__half2 *)p, (__half2 *)o);"
    done
    echo 'return hipDeviceSynchronize(); }'
} >transposes.hip
ok "transposes compile" quiet "$hipcc" -fno-lockstep-code-object -g -O0 transposes.hip -o transposes
ok "and do what they say" says '16 of 16 comments hold' "$lsreview" --notation ./transposes
bytes='simd: i1 i0; register: i2; thread: j1 j0'
"$lsreview" transpose "$bytes" 'simd: i2 j1; register: i0; thread: i1 j0' >bytes.inc
{
    printf '#include <hip/hip_runtime.h>\n#include <cstdio>\n#include "bytes.inc"\n'
    cat <<'END'
__global__ void kernel(const uint2 *p, uint2 *out)
{
    uint2 v = p[threadIdx.x];
    // v: what nobody knows without -g
    //   register: i2
    transpose(threadIdx.x, v.x, v.y);
    out[threadIdx.x] = v;
}
int main()
{
    unsigned char in[32 * 8], got[32 * 8], *p, *o;
    for (int i = 0; i < 256; i++)
        in[i] = i;
    if (hipMalloc((void **)&p, 256) || hipMalloc((void **)&o, 256) || hipMemcpy(p, in, 256, hipMemcpyHostToDevice))
        return 2;
    kernel<<<1, 32>>>((uint2 *)p, (uint2 *)o);
    if (hipMemcpy(got, o, 256, hipMemcpyDeviceToHost))
        return 3;
    for (int t = 0; t < 32; t++)
        for (int b = 0; b < 8; b++) { // s0 = j1, s1 = i2, r0 = i0, t1 = i1, t0 = j0
            int i = (b >> 2 & 1) | (t >> 1 & 1) << 1 | (b >> 1 & 1) << 2, j = (t & 1) | (b & 1) << 1;
            if (got[t * 8 + b] != ((t & ~3) + j) * 8 + i)
                return 1;
        }
    std::puts("all bytes");
}
END
} >bytes.hip
ok "bytes compile" quiet "$hipcc" -fno-lockstep-code-object -O1 bytes.hip -o bytes
ok "bytes go where they should" says 'all bytes' ./bytes
ok "warps that hold other bits" says 'goes through shared memory' "$lsreview" transpose 'register: a0; warp: b0' 'register: b0; warp: a0'
ok "other bits" says 'c0 is not in both' "$lsreview" transpose 'register: a0; thread: b0' 'register: a0; thread: c0'
ok "no assignment" fails 2 "$lsreview" transpose 'simd: 3' 'simd: 3'
ok "one assignment" fails 2 "$lsreview" transpose 'simd: k0'
ok "nothing to exchange with" says 'without registers' "$lsreview" transpose 'simd: a0; thread: b0' 'simd: b0; thread: a0'

# A comment in a loop: each copy of it that the compiler makes has its own values, and warps of many blocks, which several threads of the
# host run at a time, come there several times.
cat >loop.hip <<'END'
#include <hip/hip_runtime.h>
#include <cstdlib>
__global__ void turn(float *out, const float *in, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
    __syncthreads();
    for (int i = 0; i < 32; i += 8) {
        float v = tile[threadIdx.x][threadIdx.y + i];
        // v:
        //   thread: i4 i3 i2 i1 i0
        //   warp:   j2 j1 j0
        out[(blockIdx.x * 32 + threadIdx.y + i) * n + blockIdx.y * 32 + threadIdx.x] = v;
    }
}
int main(int, char **argv)
{
    int n = atoi(argv[1]);
    float *in, *out;
    if (hipMalloc(&in, n * n * 4) || hipMalloc(&out, n * n * 4) || hipMemset(in, 0, n * n * 4))
        return 2;
    turn<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(out, in, n);
    return hipDeviceSynchronize();
}
END
for o in 0 2; do
    ok "a loop compiles with -O$o" quiet "$hipcc" -fno-lockstep-code-object -g -O$o loop.hip -o loop$o
    ok "and holds" says 'v: as the comment says, in 128 warps' "$lsreview" --notation ./loop$o 64
done
ok "beside seven others" env LOCKSTEP_THREADS=8 sh -c '"$0" --all --notation ./loop2 1024 2>&1 | grep -q "v: as the comment says, in 32768 warps"' "$lsreview"

ok "-g is missing" says 'the program was compiled without -g' "$lsreview" --notation ./bytes
finish
