/* SPDX-License-Identifier: MIT */
/* Builtins on bytes and bit fields against plain C: perm, align, sums of differences, fields,
 * 24-bit products. */
#include "../check.h"

static const int N = 2048, ROW = 12;

__global__ void
bytes(uint32_t *out, uint64_t *wide, const uint32_t *in)
{
    int i = (int)global_id();
    uint32_t a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    uint32_t *o = out + ROW * i;

    o[0] = __builtin_amdgcn_perm(a, b, c & 0x0f0f0f0f);
    o[1] = __builtin_amdgcn_perm(a, b, 0x0c020d06);
    o[2] = __builtin_amdgcn_alignbyte(a, b, c);
    o[3] = __builtin_amdgcn_alignbit(a, b, c & 31);
    o[4] = __builtin_amdgcn_sad_u8(a, b, c);
    o[5] = __builtin_amdgcn_msad_u8(a, b, c);
    o[6] = __builtin_amdgcn_sad_u16(a, b, c);
    o[7] = __builtin_amdgcn_sad_hi_u8(a, b, c);
    o[8] = __builtin_amdgcn_lerp(a, b, c);
    o[9] = __builtin_amdgcn_ubfe(a, b & 31, c & 31);
    o[10] = (uint32_t)__builtin_amdgcn_sbfe((int)a, b & 31, c & 31);
    o[11] = (uint32_t)__mul24((int)a, (int)b) ^ __umul24(a, c);
    wide[2 * i] = __builtin_amdgcn_qsad_pk_u16_u8((uint64_t)a << 32 | b, c, 0x0001000200030004ull);
    wide[2 * i + 1] = __builtin_amdgcn_mqsad_pk_u16_u8((uint64_t)a << 32 | b, c, 0);
}

static uint32_t
byte_of(uint64_t x, unsigned i)
{
    return (uint32_t)(x >> (8 * i)) & 0xff;
}

static uint32_t
perm(uint32_t a, uint32_t b, uint32_t sel)
{
    uint64_t all = (uint64_t)a << 32 | b;
    uint32_t r = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t s = byte_of(sel, i);
        uint32_t v = s < 8     ? byte_of(all, s)
                     : s < 12  ? (uint32_t)((all >> (16 * (s - 8) + 15)) & 1) * 0xff
                     : s == 12 ? 0
                               : 0xff;
        r |= v << (8 * i);
    }
    return r;
}

static uint32_t
sad(uint32_t a, uint32_t b, bool masked)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < 4; i++)
        if (!masked || byte_of(b, i))
            sum += (uint32_t)abs((int)byte_of(a, i) - (int)byte_of(b, i));
    return sum;
}

static uint32_t
field(uint32_t x, unsigned from, unsigned bits, bool is_signed)
{
    if (!bits)
        return 0;
    if (from + bits < 32)
        x = x << (32 - from - bits), from = 32 - bits;
    return is_signed ? (uint32_t)((int32_t)x >> from) : x >> from;
}

static int32_t
low24(uint32_t x)
{
    return (int32_t)(x << 8) >> 8;
}

int
main()
{
    std::vector<uint32_t> in(3 * N), want(ROW * N);
    std::vector<uint64_t> want_wide(2 * N);

    for (int i = 0; i < 3 * N; i++)
        in[i] = mix((uint32_t)i * 5 + 1) & (i % 5 == 2 ? 0x00ff00ffu : ~0u);
    for (int i = 0; i < N; i++) {
        uint32_t a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2], *o = &want[ROW * i];
        uint64_t ab = (uint64_t)a << 32 | b;
        o[0] = perm(a, b, c & 0x0f0f0f0f);
        o[1] = perm(a, b, 0x0c020d06);
        o[2] = (uint32_t)(ab >> (8 * (c & 3)));
        o[3] = (uint32_t)(ab >> (c & 31));
        o[4] = sad(a, b, false) + c;
        o[5] = sad(a, b, true) + c;
        o[6] = (uint32_t)abs((int)(a & 0xffff) - (int)(b & 0xffff)) +
               (uint32_t)abs((int)(a >> 16) - (int)(b >> 16)) + c;
        o[7] = (sad(a, b, false) << 16) + c;
        o[8] = 0;
        for (unsigned k = 0; k < 4; k++)
            o[8] |= ((byte_of(a, k) + byte_of(b, k) + (byte_of(c, k) & 1)) >> 1) << (8 * k);
        o[9] = field(a, b & 31, c & 31, false);
        o[10] = field(a, b & 31, c & 31, true);
        o[11] = (uint32_t)((int64_t)low24(a) * low24(b)) ^
                (uint32_t)((uint64_t)(a & 0xffffff) * (c & 0xffffff));
        for (unsigned k = 0; k < 4; k++) {
            want_wide[2 * i] |= (uint64_t)(sad((uint32_t)(ab >> (8 * k)), c, false) + 4 - k)
                                << (16 * k);
            want_wide[2 * i + 1] |= (uint64_t)sad((uint32_t)(ab >> (8 * k)), c, true) << (16 * k);
        }
    }
    Dev<uint32_t> din(in), out(ROW * N);
    Dev<uint64_t> wide(2 * N);
    bytes<<<N / 64, 64>>>(out.p, wide.p, din.p);
    check_same("bytes", out.get(), want);
    check_same("quads", wide.get(), want_wide);
    return 0;
}
