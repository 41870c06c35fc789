# SPDX-License-Identifier: MIT
# Inline PTX under hipcc --cuda: what the instructions do, what is refused and where, what is left alone.
. "$LS_SOURCE/tests/hipcc/lib.inc"
cuda="$hipcc --cuda -fno-lockstep-code-object -arch=sm_80 -O2"

mkdir include
cat >include/lane.h <<'END'
#pragma once
#define ASM_LANE(r) asm volatile("mov.u32 %0, %%laneid;" : "=r"(r))
template <int N> __device__ unsigned field(unsigned x, unsigned at)
{
    unsigned r;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(at), "n"(N));
    return r;
}
END
cat >ptx.cu <<'END'
#include <cstdio>
#include <lane.h>
static __device__ void not_needed() { asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" ::"r"(0), "r"(1)); }
static unsigned long host_only(unsigned long x) { asm("bswap %0" : "+r"(x)); return x; }
extern "C" int other_name(const char *) __asm__("puts");
__device__ const char *unlike = "asm(\"trap;\")", *raw = R"(asm("trap;"))";
struct pair { float x; long long y; };
#define CHECK(x) do { if (x) bad |= 1ull << __COUNTER__; else (void)__COUNTER__; } while (0)

__global__ void check(unsigned long long *wrong, float *f, unsigned long long *l)
{
    unsigned i = threadIdx.x, r, q, lo, hi, sa;
    int sr;
    unsigned short h;
    float a, b, c, d;
    double dd;
    unsigned long long w, bad = 0, t0, t1;
    pair pr;
    __shared__ unsigned s[64];

    ASM_LANE(r); CHECK(r != (i & 31));
    CHECK(field<5>(0x12345678u, 3) != ((0x12345678u >> 3) & 31));
    asm("bfe.s32 %0, %1, 4, 4;" : "=r"(sr) : "r"(0xf0)); CHECK(sr != -1);
    {   /* an operand's place is looked for once, in front of the statement */
        unsigned places[2] = {i, i + 9};
        int at = 0;
        asm("add.u32 %0, %0, 1;" : "+r"(places[at++])); CHECK(at != 1 || places[0] != i + 1 || places[1] != i + 9);
        at = 1;
        asm("mov.u32 %0, 3; mov.u32 %1, 77;" : "=r"(at), "=r"(places[at])); CHECK(at != 3 || places[1] != 77);
    }
    asm("add.cc.s32 %0, %2, %3; addc.s32 %1, 0, 0;" : "=r"(sr), "=r"(r) : "r"(-1), "r"(1)); CHECK(sr != 0 || r != 1);
    asm("sub.cc.s32 %0, %2, %3; subc.s32 %1, 0, 0;" : "=r"(sr), "=r"(r) : "r"(5), "r"(-16)); CHECK(sr != 21 || r != ~0u);
    asm("add.s64 %0, %1, %2;" : "=l"(w) : "l"(100ull), "n"(-16)); CHECK(w != 84);
    asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(r) : "r"(0x33221100), "r"(0x77665544), "r"(2)); CHECK(r != 0x77001122);
    asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(r) : "r"(0x33221100), "r"(0x77665544), "r"(3)); CHECK(r != 0x00112233);
    /* as an H200 does them */
    asm("vshr.s32.s32.u32.clamp.add %0, %1, %2, %3;" : "=" "r"(r) : "r"(0x80000000u), "r"(1), "r"(5)); CHECK(r != 0xc0000005);
    asm("vshr.u32.s32.u32.clamp.add %0, %1, %2, %3;" : "=r"(r) : "r"(0x80000000u), "r"(77), "r"(0)); CHECK(r != ~0u);
    asm("vshr.s32.u32.u32.clamp.add %0, %1, %2, %3;" : "=r"(r) : "r"(0x80000000u), "r"(1), "r"(5)); CHECK(r != 0x40000005);
    asm("vabsdiff4.s32.s32.s32.add %0, %1, %2, %3;" : "=r"(r) : "r"(0), "r"(0x80ff7f01u), "r"(5)); CHECK(r != 5 + 128 + 1 + 127 + 1);
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(0), "r"(0x80ff7f01u), "r"(5)); CHECK(r != 5 + 128 + 255 + 127 + 1);
    asm("vabsdiff4.u32.s32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(0x80), "r"(1), "r"(0)); CHECK(r != 129);
    asm("cvt.rzi.s32.f64 %0, %1;" : "=r"(sr) : "d"(__longlong_as_double(0x7ff8000000000000))); CHECK(sr != -2147483647 - 1);
    asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(sr) : "f"(__int_as_float(0x7fc00000))); CHECK(sr != 0);
    asm("cvt.rzi.u64.f32 %0, %1;" : "=l"(w) : "f"(__int_as_float(0x7fc00000))); CHECK(w != 1ull << 63);
    asm("fma.rn.relu.f16 %0, %1, %1, %1;" : "=h"(h) : "h"((unsigned short)0x7e00)); CHECK((h & 0x7fff) <= 0x7c00);
    asm("fma.rn.relu.f16 %0, %1, %2, %1;" : "=h"(h) : "h"((unsigned short)0x8000), "h"((unsigned short)0x3c00)); CHECK(h != 0);
    asm("max.f32 %0, %1, %2;" : "=f"(a) : "f"(-0.0f), "f"(0.0f)); CHECK(__float_as_int(a) != 0);
    asm("min.f32 %0, %1, %2;" : "=f"(a) : "f"(0.0f), "f"(-0.0f)); CHECK(__float_as_int(a) == 0);
    asm("bfi.b32 %0, %1, %2, 8, 4;" : "=r"(r) : "r"(0xau), "r"(0xffffffffu)); CHECK(r != 0xfffffaff);
    asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(r) : "r"(0x33221100u), "r"(0x77665544u)); CHECK(r != 0x55441100);
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(i), "r"(5u), "r"(9u)); CHECK(r != (i ^ 5 ^ 9));
    asm("shf.l.wrap.b32 %0, %1, %2, 8;" : "=r"(r) : "r"(0x11223344u), "r"(0x55667788u)); CHECK(r != 0x66778811);
    asm("clz.b32 %0, %1;" : "=r"(r) : "r"(0)); CHECK(r != 32);
    asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(0x100)); CHECK(r != 8);
    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(w) : "r"(~0u), "r"(~0u), "l"(7ull)); CHECK(w != 0xffffffffull * 0xffffffffull + 7);
    asm("mul.hi.u64 %0, %1, %2;" : "=l"(w) : "l"(~0ull), "l"(5ull)); CHECK(w != 4);
    asm("mov.b64 {%0, %1}, %2;" : "=r"(lo), "=r"(hi) : "l"(0x1122334455667788ull)); CHECK(lo != 0x55667788 || hi != 0x11223344);
    asm("mov.b64 %0, {%1, %2};" : "=l"(w) : "r"(lo), "r"(hi)); CHECK(w != 0x1122334455667788ull);
    asm("{\n\t.reg .u32 t1;\n\t.reg .pred p;\n\tadd.cc.u32 %0, %2, %3;\n\taddc.u32 %1, 0, 0;\n\t"
        "setp.ge.u32 p, %0, 1; // a comment; with a semicolon\n\t@p mov.u32 t1, 1;\n\t@!p mov.u32 t1, 2;\n\tadd.u32 %0, %0, t1;\n}"
        : "=r"(lo), "=r"(hi) : "r"(~0u), "r"(3u)); CHECK(lo != 3 || hi != 1);
    asm volatile("shfl.sync.bfly.b32 %0, %1, 0x1, 0x1f, 0xffffffff;" : "=r"(r) : "r"(i)); CHECK(r != (i ^ 1));
    asm volatile("{.reg .pred p; shfl.sync.up.b32 %0|p, %2, 1, 0, -1; selp.u32 %1, 1, 0, p;}" : "=r"(r), "=r"(q) : "r"(i));
    CHECK(i ? r != i - 1 || !q : r != 0 || q);
    asm volatile("{.reg .pred p; setp.lt.u32 p, %1, 5; vote.sync.ballot.b32 %0, p, 0xffffffff;}" : "=r"(r) : "r"(i)); CHECK(r != 31);
    asm volatile("activemask.b32 %0;" : "=r"(r)); CHECK(r != ~0u);
    asm volatile("st.shared.u32 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(&s[i])), "r"(i * 3) : "memory");
    asm volatile("bar.sync 0;" ::: "memory");
    asm volatile("ld.shared.u32 %0, [%1+4];" : "=r"(r) : "l"(__cvta_generic_to_shared(&s[i & 15]))); CHECK(r != ((i & 15) + 1) * 3);
    asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(sa) : "l"(&s[32])); /* a constant cast to LDS and back */
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n cp.async.commit_group;\n cp.async.wait_group 0;" ::"r"(sa + 4 * i), "l"(&l[i]));
    CHECK(s[32 + i] != (unsigned)l[i]);
    asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(f + 4));
    CHECK(a != 4 || b != 5 || c != 6 || d != 7);
    asm("fma.rn.ftz.f32 %0, %1, 0f40000000, %2;" : "=f"(a) : "f"(b), "f"(c)); CHECK(a != 5 * 2 + 6);
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(a) : "f"(3.0f)); CHECK(a != 8);
    asm("min.f32 %0, %1, %2;" : "=f"(a) : "f"(__int_as_float(0x7fc00000)), "f"(3.0f)); CHECK(a != 3);
    asm("cvt.f64.f32 %0, %1;" : "=d"(dd) : "f"(2.5f)); CHECK(dd != 2.5);
    asm("cvt.rni.s32.f32 %0, %1;" : "=r"(sr) : "f"(-2.5f)); CHECK(sr != -2);
    asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(r) : "f"(-7.0f)); CHECK(r != 0);
    asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(sr) : "f"(1e20f)); CHECK(sr != 0x7fffffff);
    asm("cvt.sat.u8.s32 %0, %1;" : "=r"(r) : "r"(300)); CHECK(r != 255);
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(1.0f), "f"(2.0f)); CHECK(r != 0x3c004000);
    asm("{cvt.rn.f16.f32 %0, %1;}" : "=h"(h) : "f"(1.0f)); CHECK(h != 0x3c00);
    asm("add.f16x2 %0, %1, %1;" : "=r"(r) : "r"(0x3c004000)); CHECK(r != 0x40004400);
    asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(sr) : "r"(0x01020304), "r"(0xff000001), "r"(10)); CHECK(sr != 13);
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(0x01020304), "r"(0x02000304), "r"(10)); CHECK(r != 13);
    asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(w) : "l"(&l[40]), "l"(2ull));
    asm volatile("red.global.add.f32 [%0], 0f3F800000;" ::"l"(f + 20));
    asm volatile("{.reg .pred p; setp.eq.u32 p, %1, 7; @p red.relaxed.gpu.global.max.s32 [%0], 77;}" ::"l"(f + 21), "r"(i));
    asm("mov.f32 %0, %2; mov.s64 %1, %3;" : "=f"(pr.x), "=l"(pr.y) : "f"(1.5f), "l"(-3ll)); CHECK(pr.x != 1.5f || pr.y != -3);
    r = 1; asm("add.u32 %0, %0, %1;" : "+r"(r) : "r"(2)); CHECK(r != 3);
    asm("mul.lo.u32 %[d], %[a], %[b];" : [d] "=r"(r) : [a] "r"(6), [b] "r"(7)); CHECK(r != 42);
    asm("{ .reg .u32 n; mov.u32 n, 0; mov.u32 %0, 0;\nLOOP_%=: add.u32 n, n, 1; add.u32 %0, %0, n; .reg .pred p;"
        " setp.lt.u32 p, n, 4; @p bra LOOP_%=; }" : "=r"(r)); CHECK(r != 10);
    t0 = clock64(); asm volatile("mov.u64 %0, %%clock64;" : "=l"(t1)::"memory"); CHECK(t1 < t0);
    asm volatile("membar.gl;"); asm volatile("fence.acq_rel.gpu;"); asm volatile("prefetch.global.L2 [%0];" ::"l"(f));
    if (i > 100) asm volatile("trap;"); else asm("mov.u32 %0, 0x5;" : "=r"(r));
    CHECK(r != 5);
    atomicOr(wrong, bad);
}
int main()
{
    unsigned long long *wrong, *l;
    float *f;
    if (cudaMallocManaged(&wrong, 8) || cudaMallocManaged(&f, 400) || cudaMallocManaged(&l, 800))
        return 2;
    *wrong = 0;
    for (int i = 0; i < 100; i++)
        f[i] = i < 20 ? i : 0, l[i] = i == 40 ? 0 : i * 11;
    check<<<1, 32>>>(wrong, f, l);
    cudaError_t e = cudaDeviceSynchronize();
    std::printf("%s wrong %llx, %llu %g %d, %lx\n", cudaGetErrorName(e), *wrong, l[40], f[20], *(int *)&f[21], host_only(1) >> 56);
    return other_name("the name of a function");
}
END
ok "PTX of a source and of a header is compiled" quiet $cuda -w -Iinclude ptx.cu -o ptx
ok "its results" says "hipSuccess wrong 0, 64 32 77, 1" ./ptx
ok "assembly of the host is left alone" says "the name of a function" ./ptx

cat >logic.cu <<'END'
#include <cstdio>
#include <utility>
template <int TABLE> static __device__ unsigned logic(unsigned a, unsigned b, unsigned c)
{
    unsigned r;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(b), "r"(c), "n"(TABLE));
    return r;
}
template <int... TABLES> static __device__ int wrong(unsigned a, unsigned b, unsigned c, std::integer_sequence<int, TABLES...>)
{
    return (0 + ... + (logic<TABLES>(a, b, c) != 0x01010101u * TABLES));
}
__global__ void all(int *n, unsigned a, unsigned b, unsigned c)
{
    *n = wrong(a, b, c, std::make_integer_sequence<int, 256>());
}
__global__ void three(unsigned *p)
{
    p[0] = logic<0x96>(p[0], p[1], p[2]);
    p[1] = logic<0xe8>(p[3], p[4], p[5]);
}
int main()
{
    int *n;
    if (cudaMallocManaged(&n, 4))
        return 2;
    *n = -1;
    all<<<1, 1>>>(n, 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa); // the three columns of a truth table
    std::printf("%s %d\n", cudaGetErrorName(cudaDeviceSynchronize()), *n);
}
END
# As a loop in each of the thousands in a hash they kept LLVM busy for minutes
ok "lop3 by its 256 tables is compiled" quiet $cuda -std=c++17 logic.cu -o logic
ok "the results are the tables" says "hipSuccess 0" ./logic
few_steps() { [ "$(sed -n '/define.*three/,/^}/p' logic.ll | grep -cE ' = (and|or|xor|shl|lshr|select|phi) ')" -le 8 ]; }
ok "lop3 as LLVM IR" quiet $cuda -std=c++17 -O1 -S -emit-llvm --offload-device-only logic.cu -o logic.ll
ok "lop3 of a constant table is few instructions" few_steps
cat >carry.cu <<'END'
#include <cstdio>
typedef unsigned long long u64;
// as macros, as functions, and through a loop
#define ADD_CC(r, a, b) asm volatile("add.cc.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b) : "memory")
#define ADDC_CC(r, a, b) asm volatile("addc.cc.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b) : "memory")
#define ADDC(r, a, b) asm volatile("addc.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b))
static __device__ u64 sub_cc(u64 a, u64 b) { u64 r; asm volatile("sub.cc.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b)); return r; }
static __device__ u64 subc_cc(u64 a, u64 b) { u64 r; asm volatile("subc.cc.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b)); return r; }
static __device__ u64 subc(u64 a, u64 b) { u64 r; asm volatile("subc.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b)); return r; }
__global__ void sums(u64 *r, const u64 *a, const u64 *b)
{
    u64 x[4], y[4], last;
    r += 16 * threadIdx.x, a += 4 * threadIdx.x, b += 4 * threadIdx.x;
    ADD_CC(x[0], a[0], b[0]); ADDC_CC(x[1], a[1], b[1]); ADDC_CC(x[2], a[2], b[2]); ADDC(x[3], a[3], b[3]);
    y[0] = sub_cc(a[0], b[0]); y[1] = subc_cc(a[1], b[1]); y[2] = subc_cc(a[2], b[2]); y[3] = subc(a[3], b[3]);
    for (int i = 0; i < 4; i++) r[i] = x[i], r[4 + i] = y[i];
    asm volatile("add.cc.u64 %0, %1, %2;" : "=l"(last) : "l"(0), "l"(0));
#pragma unroll 1
    for (int i = 0; i < 4; i++) { asm volatile("addc.cc.u64 %0, %1, %2;" : "=l"(last) : "l"(a[i]), "l"(b[i])); r[8 + i] = last; }
}
int main()
{
    enum { N = 64 };
    u64 *a, *b, *r;
    int wrong = 0;
    if (cudaMallocManaged(&a, N * 32) || cudaMallocManaged(&b, N * 32) || cudaMallocManaged(&r, N * 128))
        return 2;
    for (int i = 0; i < 4 * N; i++)
        a[i] = i % 3 ? ~0ull - i % 2 : i, b[i] = i % 5 ? i % 4 : ~0ull;
    sums<<<1, N>>>(r, a, b);
    cudaError_t e = cudaDeviceSynchronize();
    for (int t = 0; t < N; t++)
        for (int i = 0, up = 0, down = 0; i < 4; i++) {
            unsigned __int128 s = (unsigned __int128)a[4 * t + i] + b[4 * t + i] + up, d = (unsigned __int128)a[4 * t + i] - b[4 * t + i] - down;
            up = (int)(s >> 64), down = (int)(d >> 127);
            wrong += r[16 * t + i] != (u64)s, wrong += r[16 * t + 4 + i] != (u64)d, wrong += r[16 * t + 8 + i] != (u64)s;
        }
    std::printf("%s wrong %d\n", cudaGetErrorName(e), wrong);
}
END
for O in 0 3; do
    ok "carries from statement to statement are compiled, -O$O" quiet $cuda -O$O carry.cu -o carry
    ok "their results, -O$O" says "hipSuccess wrong 0" ./carry
done

cat >refused.cu <<'END'
__device__ int carry(int x)
{
    int y;
    asm volatile(
        "addc.u32 %0, %1, 0;"
        : "=r"(y)
        : "r"(x));
    undeclared(y);
    return y;
}
__global__ void kernel(int *p)
{
    asm("add.rz.f32 %0, %0, %0;" : "+f"(*(float *)p));
    asm("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 %0;" : "+f"(*(float *)p));
    asm("bar.sync 1, 64;");
    *p = carry(*p);
}
END
ok "an instruction that is not there" says "PTX_is_not_supported_mma_sync_aligned_m8n8k4_row_col_f32_f16_f16_f32" $cuda -c refused.cu
ok "a rounding that is not there" has said.log "PTX_is_not_supported_add_rz_f32"
ok "a barrier of some threads" has said.log "PTX_is_not_supported_bar_sync"
ok "a carry of another statement" has said.log "PTX_is_not_supported_a_carry_of_another_statement"
ok "lines stay" has said.log "refused.cu:8:5: error: use of undeclared identifier"
finish
