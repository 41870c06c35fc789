// SPDX-License-Identifier: MIT
// Inline assembly, one instruction at a time, against plain C: moves, arithmetic, bits,
// conversions, scalar unit.
// OPT: -O3
// ISA: avx512
#include "../check.h"

static const int N = 256, ROW = 64;

#define V1(text, out, a) asm volatile(text : "=v"(out) : "v"(a))
#define V2(text, out, a, b) asm volatile(text : "=v"(out) : "v"(a), "v"(b))
#define V3(text, out, a, b, c) asm volatile(text : "=v"(out) : "v"(a), "v"(b), "v"(c))

__global__ void
integers(uint32_t *out, const uint32_t *in)
{
    int i = (int)global_id();
    uint32_t a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2], *o = out + ROW * i, t, u;

    V1("v_mov_b32_e32 %0, %1", o[0], a);
    V2("v_add_u32 %0, %1, %2", o[1], a, b);
    V2("v_sub_u32 %0, %1, %2", o[2], a, b);
    V2("v_mul_lo_u32 %0, %1, %2", o[3], a, b);
    V2("v_mul_hi_u32 %0, %1, %2", o[4], a, b);
    V2("v_mul_hi_i32 %0, %1, %2", o[5], a, b);
    V3("v_mad_u32_u24 %0, %1, %2, %3", o[6], a, b, c);
    V3("v_add3_u32 %0, %1, %2, %3", o[7], a, b, c);
    V3("v_lshl_add_u32 %0, %1, 3, %3", o[8], a, b, c);
    V3("v_and_or_b32 %0, %1, %2, %3", o[9], a, b, c);
    V2("v_lshlrev_b32 %0, %1, %2", o[10], a, b);
    V2("v_ashrrev_i32_e32 %0, %1, %2", o[11], a, b);
    V3("v_bfi_b32 %0, %1, %2, %3", o[12], a, b, c);
    V1("v_bfrev_b32 %0, %1", o[13], a);
    V3("v_alignbit_b32 %0, %1, %2, %3", o[14], a, b, c & 31);
    V1("v_ffbh_u32 %0, %1", o[15], a);
    V2("v_bcnt_u32_b32 %0, %1, %2", o[16], a, b);
    V3("v_med3_i32 %0, %1, %2, %3", o[17], a, b, c);
    V3("v_sad_u32 %0, %1, %2, %3", o[18], a, b, c);
    V3("v_bfe_u32 %0, %1, 5, 7", o[19], a, b, c);
    V2("v_xor_b32 %0, %1, %2\n\tv_not_b32 %0, %0", o[20], a, b);
    V2("v_mul_i32_i24_sdwa %0, sext(%1), %2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 "
       "src1_sel:WORD_1",
       o[21], a, b);
    V2("v_add_co_u32 %0, vcc, %1, %2\n\tv_addc_co_u32 %0, vcc, 0, 0, vcc", o[22], a, b);
    V2("v_cmp_lt_i32 vcc, %1, %2\n\tv_cndmask_b32 %0, %1, %2, vcc ; the larger one", o[23], a, b);
    t = c;
    asm volatile("v_dot4_i32_i8 %0, %1, %2, %0" : "+v"(t) : "v"(a), "v"(b));
    o[24] = t;
    asm("v_mov_b32 v7, %2\n v_add_u32 %0, v7, %3\n v_sub_u32 %1, v7, %3"
        : "=&v"(t), "=v"(u)
        : "v"(a), "v"(b));
    o[25] = t;
    o[26] = u;
    asm volatile("s_nop 4\n\ts_waitcnt vmcnt(0) lgkmcnt(0)" ::: "memory");
    asm volatile("s_mov_b32 %0, 0x1234" : "=s"(t));
    asm volatile("s_lshl_b32 %0, %1, 4" : "=s"(u) : "s"(t));
    o[27] = u;
    asm volatile("s_mov_b32 %0, %1" : "=s"(t) : "i"(77));
    o[28] = t;
    V2("v_pk_add_u16 %0, %1, %2", o[29], a, b);
    asm volatile("" : "+v"(a));
    o[30] = a;
    uint64_t wide;
    asm volatile("v_lshlrev_b64 %0, %1, %2" : "=v"(wide) : "v"(c & 63), "v"((uint64_t)a << 32 | b));
    o[31] = (uint32_t)wide;
    o[32] = (uint32_t)(wide >> 32);
}

static int
med3(int a, int b, int c)
{
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

static void
integers_on_host(uint32_t *o, uint32_t a, uint32_t b, uint32_t c)
{
    o[0] = a;
    o[1] = a + b;
    o[2] = a - b;
    o[3] = a * b;
    o[4] = (uint32_t)((uint64_t)a * b >> 32);
    o[5] = (uint32_t)((int64_t)(int32_t)a * (int32_t)b >> 32);
    o[6] = (a & 0xffffff) * (b & 0xffffff) + c;
    o[7] = a + b + c;
    o[8] = (a << 3) + c;
    o[9] = (a & b) | c;
    o[10] = b << (a & 31);
    o[11] = (uint32_t)((int32_t)b >> (a & 31));
    o[12] = (a & b) | (~a & c);
    o[13] = __builtin_bitreverse32(a);
    o[14] = (uint32_t)(((uint64_t)a << 32 | b) >> (c & 31));
    o[15] = a ? (uint32_t)__builtin_clz(a) : ~0u;
    o[16] = (uint32_t)__builtin_popcount(a) + b;
    o[17] = (uint32_t)med3((int)a, (int)b, (int)c);
    o[18] = (a > b ? a - b : b - a) + c;
    o[19] = a >> 5 & 127;
    o[20] = ~(a ^ b);
    o[21] = (uint32_t)((int8_t)(a >> 8) * (int)(b >> 16));
    o[22] = (uint64_t)a + b > 0xffffffffu;
    o[23] = (int)a < (int)b ? b : a;
    int sum = (int)c;
    for (int k = 0; k < 4; k++)
        sum = (int)((uint32_t)sum + (uint32_t)((int8_t)(a >> 8 * k) * (int8_t)(b >> 8 * k)));
    o[24] = (uint32_t)sum;
    o[25] = a + b;
    o[26] = a - b;
    o[27] = 0x12340;
    o[28] = 77;
    o[29] = ((a + b) & 0xffff) | ((a >> 16) + (b >> 16)) << 16;
    o[30] = a;
    uint64_t wide = ((uint64_t)a << 32 | b) << (c & 63);
    o[31] = (uint32_t)wide;
    o[32] = (uint32_t)(wide >> 32);
}

__global__ void
floats(float *out, const float *in)
{
    int i = (int)global_id();
    float a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2], *o = out + ROW * i, t;
    double d;

    V2("v_add_f32 %0, %1, %2", o[0], a, b);
    V2("v_sub_f32_e64 %0, -%1, |%2|", o[1], a, b);
    V2("v_mul_f32 %0, %1, %2", o[2], a, b);
    V3("v_fma_f32 %0, %1, %2, %3", o[3], a, b, c);
    t = c;
    asm volatile("\n v_fmac_f32 %0, %1, %2 \n " : "=v"(t) : "v"(a), "v"(b), "0"(t));
    o[4] = t;
    V2("v_max_f32 %0, %1, %2", o[5], a, b);
    V3("v_med3_f32 %0, %1, %2, %3", o[6], a, b, c);
    V1("v_floor_f32 %0, %1", o[7], a);
    V1("v_add_f32_e64 %0, %1, 0.5 clamp", o[8], a);
    int n;
    V1("v_cvt_i32_f32 %0, %1", n, a);
    V1("v_cvt_f32_i32 %0, %1", o[9], n);
    V1("v_cvt_f64_f32 %0, %1", d, a);
    asm volatile("v_fma_f64 %0, %0, %0, %1" : "+v"(d) : "v"((double)b));
    V1("v_cvt_f32_f64 %0, %1", o[10], d);
    uint32_t h;
    V2("v_cvt_pkrtz_f16_f32 %0, %1, %2", h, a, b);
    V1("v_cvt_f32_f16 %0, %1", o[11], h);
    V1("v_mul_f32 %0, 2.0, %1", o[12], a);
    uint32_t ones = 0x3c003c00; /* (1, 1) as f16 */
    t = c;
    asm volatile("v_dot2_f32_f16 %0, %1, %2, %0\n s_nop 2" : "=v"(t) : "v"(h), "v"(ones), "0"(t));
    o[13] = t;
    uint32_t sum;
    asm volatile("v_pk_add_f16 %0, %1, %2 neg_lo:[0,1] neg_hi:[0,1]"
                 : "=v"(sum)
                 : "v"(h), "v"(ones));
    V1("v_cvt_f32_f16 %0, %1", o[14], sum);
}

static float
half_towards_zero(float x)
{
    _Float16 h = (_Float16)x;
    if (fabsf((float)h) > fabsf(x)) {
        uint16_t bits;
        memcpy(&bits, &h, 2);
        bits--;
        memcpy(&h, &bits, 2);
    }
    return (float)h;
}

static void
floats_on_host(float *o, float a, float b, float c)
{
    o[0] = a + b;
    o[1] = -a - fabsf(b);
    o[2] = a * b;
    o[3] = fmaf(a, b, c);
    o[4] = fmaf(a, b, c);
    o[5] = fmaxf(a, b);
    o[6] = fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
    o[7] = floorf(a);
    o[8] = fminf(fmaxf(a + 0.5f, 0.0f), 1.0f);
    o[9] = (float)(int)a;
    o[10] = (float)fma((double)a, (double)a, (double)b);
    o[11] = half_towards_zero(a);
    o[12] = 2 * a;
    o[13] = half_towards_zero(a) + (half_towards_zero(b) + c);
    o[14] = (float)(_Float16)(half_towards_zero(a) - 1.0f);
}

int
main()
{
    std::vector<uint32_t> in(3 * N), got(ROW * N), want(ROW * N);
    std::vector<float> fin(3 * N), fgot(ROW * N), fwant(ROW * N);
    uint32_t *di, *dout, state = 1;

    for (auto &x : in)
        x = state = state * 1664525u + 1013904223u;
    in[0] = 0;
    for (size_t i = 0; i < fin.size(); i++)
        fin[i] = (float)((int)(in[i] >> 12) - (1 << 19)) / 65536.0f;
    CHECK_HIP(hipMalloc((void **)&di, in.size() * 4));
    CHECK_HIP(hipMalloc((void **)&dout, got.size() * 4));
    CHECK_HIP(hipMemset(dout, 0, got.size() * 4));
    CHECK_HIP(hipMemcpy(di, in.data(), in.size() * 4, hipMemcpyHostToDevice));
    integers<<<N / 64, 64>>>(dout, di);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(got.data(), dout, got.size() * 4, hipMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        integers_on_host(&want[(size_t)(ROW * i)], in[(size_t)(3 * i)], in[(size_t)(3 * i + 1)],
                         in[(size_t)(3 * i + 2)]);
    check_same("integers", got.data(), want.data(), got.size());
    CHECK_HIP(hipMemset(dout, 0, got.size() * 4));
    CHECK_HIP(hipMemcpy(di, fin.data(), fin.size() * 4, hipMemcpyHostToDevice));
    floats<<<N / 64, 64>>>((float *)dout, (float *)di);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(fgot.data(), dout, fgot.size() * 4, hipMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        floats_on_host(&fwant[(size_t)(ROW * i)], fin[(size_t)(3 * i)], fin[(size_t)(3 * i + 1)],
                       fin[(size_t)(3 * i + 2)]);
    check_same("floats", fgot.data(), fwant.data(), fgot.size());
    return 0;
}
