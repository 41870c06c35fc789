/* SPDX-License-Identifier: MIT */
/* Floating point to integers out of range: AMD's instructions clamp and give 0 for NaN; narrower
 * integers are cut out of 32 bits, wider ones made of two halves as stock clang does it for the
 * hardware. */
#include "../check.h"

#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>

static int
to_i32(double x)
{
    return x != x ? 0 : x >= 2147483647.0 ? INT32_MAX : x <= -2147483648.0 ? INT32_MIN : (int)x;
}

static unsigned
to_u32(double x)
{
    return x >= 4294967295.0 ? UINT32_MAX : x > 0 ? (unsigned)x : 0;
}

static unsigned long long
single_to_64(float x, bool is_signed)
{
    float t = truncf(x), size = is_signed ? fabsf(t) : t, high = floorf(size * 0x1p-32f);
    float low = fmaf(high, -0x1p32f, size);
    unsigned long long r = (unsigned long long)to_u32(high) << 32 | to_u32(low);
    return is_signed && signbit(t) ? 0 - r : r;
}

static unsigned long long
double_to_64(double x, bool is_signed)
{
    double t = trunc(x), high = floor(t * 0x1p-32), low = fma(high, -0x1p32, t);
    return (unsigned long long)(is_signed ? (unsigned)to_i32(high) : to_u32(high)) << 32 |
           to_u32(low);
}

struct Out {
    long long i64, rounded64;
    unsigned long long u64;
    int i32, down, up, nearest, lrint_;
    unsigned u32, unear;
    short i16;
    unsigned short u16;
    signed char i8;
    unsigned char u8, clamped;
    int four[4];
    unsigned char bytes[4];
};

template <typename T>
__device__ static void
convert(T x, Out *o)
{
    o->i64 = (long long)x;
    o->u64 = (unsigned long long)x;
    o->i32 = (int)x;
    o->u32 = (unsigned)x;
    o->i16 = (short)x;
    o->u16 = (unsigned short)x;
    o->i8 = (signed char)x;
    o->u8 = (unsigned char)x;
}

__global__ void
singles(const float *in, Out *out, float all)
{
    int i = threadIdx.x;
    Out *o = out + i;
    float x = in[i];
    float4 v = make_float4(x, -x, all, x + 1);
    typedef float f4 __attribute__((ext_vector_type(4)));
    typedef int i4 __attribute__((ext_vector_type(4)));
    typedef unsigned char b4 __attribute__((ext_vector_type(4)));
    f4 w = {v.x, v.y, v.z, v.w};

    convert(x, o);
    o->down = __float2int_rd(x);
    o->up = __float2int_ru(x);
    o->nearest = __float2int_rn(x);
    o->unear = __float2uint_rn(x);
    o->lrint_ = (int)lrintf(x);
    o->rounded64 = llrintf(x);
    o->clamped = (unsigned char)fminf(fmaxf(x, 0.0f), 255.0f);
    i4 f = __builtin_convertvector(w, i4);
    b4 b = __builtin_convertvector(w, b4);
    for (int k = 0; k < 4; k++) {
        o->four[k] = f[k];
        o->bytes[k] = b[k];
    }
}

__global__ void
doubles(const double *in, Out *out)
{
    int i = threadIdx.x;

    convert(in[i], out + i);
    out[i].down = __double2int_rd(in[i]);
    out[i].nearest = __double2int_rn(in[i]);
    out[i].rounded64 = llrint(in[i]);
}

__global__ void
halves(const _Float16 *in, Out *out)
{
    int i = threadIdx.x;

    convert(in[i], out + i);
    out[i].nearest = __half2int_rn(__half(in[i]));
    out[i].up = __half2short_ru(__half(in[i]));
}

__global__ void
bfloats(const __hip_bfloat16 *in, Out *out)
{
    convert(__bfloat162float(in[threadIdx.x]), out + threadIdx.x);
}

__global__ void
uniform(float f, double d, Out *out)
{
    convert(f, out);
    convert(d, out + 1);
}

#define SAME(what, got, want)                                                                      \
    do {                                                                                           \
        if ((got) != (want))                                                                       \
            FAIL("%s of %g: got %lld, expected %lld", what, (double)x, (long long)(got),           \
                 (long long)(want));                                                               \
    } while (0)

static void
check_plain(const Out &o, double x, unsigned long long i64, unsigned long long u64)
{
    SAME("i32", o.i32, to_i32(x));
    SAME("u32", o.u32, to_u32(x));
    SAME("i16", o.i16, (short)to_i32(x));
    SAME("u16", o.u16, (unsigned short)to_u32(x));
    SAME("i8", o.i8, (signed char)to_i32(x));
    SAME("u8", o.u8, (unsigned char)to_i32(x));
    SAME("i64", o.i64, (long long)i64);
    SAME("u64", o.u64, u64);
}

int
main()
{
    const double values[] = {0.0,
                             -0.0,
                             0.5,
                             -0.5,
                             1.5,
                             -1.5,
                             2.5,
                             127.9,
                             128,
                             -129,
                             255.5,
                             256,
                             32767,
                             32768,
                             -32768,
                             -32769,
                             65504,
                             65535,
                             65536,
                             70000,
                             -70000,
                             2147483520.0,
                             2147483647.0,
                             2147483648.0,
                             -2147483648.0,
                             -2147483904.0,
                             2147483647.5,
                             -2147483648.5,
                             3e9,
                             -3e9,
                             4294967040.0,
                             4294967295.0,
                             4294967296.0,
                             5e9,
                             -5e9,
                             1e15,
                             -1e15,
                             9.2e18,
                             9223372036854775808.0,
                             -9223372036854775808.0,
                             1.2e19,
                             -1.2e19,
                             1.8446744073709552e19,
                             1e20,
                             -1e20,
                             3e38,
                             -3e38,
                             NAN,
                             -NAN,
                             INFINITY,
                             -INFINITY,
                             1e-30,
                             4294967808.0,
                             -1e19,
                             123456789012345.0,
                             16777217,
                             33554431,
                             -100,
                             -200,
                             6e9,
                             1e25,
                             -1e25,
                             1e30,
                             2e19};
    const int n = sizeof(values) / sizeof(values[0]);
    std::vector<float> f(values, values + n);
    std::vector<double> d(values, values + n);
    std::vector<_Float16> h(values, values + n);
    std::vector<__hip_bfloat16> b(n);
    Dev<float> df(n);
    Dev<double> dd(n);
    Dev<_Float16> dh(n);
    Dev<__hip_bfloat16> db(n);
    Dev<Out> out(n);
    std::vector<Out> o;

    CHECK(n == 64);
    for (int i = 0; i < n; i++)
        b[i] = __float2bfloat16(f[i]);
    hipMemcpy(df, f.data(), n * 4, hipMemcpyHostToDevice);
    hipMemcpy(dd, d.data(), n * 8, hipMemcpyHostToDevice);
    hipMemcpy(dh, h.data(), n * 2, hipMemcpyHostToDevice);
    hipMemcpy(db, b.data(), n * 2, hipMemcpyHostToDevice);
    singles<<<1, n>>>(df, out, 3e9f);
    CHECK_RUN();
    o = out.get();
    for (int i = 0; i < n; i++) {
        float x = f[i];
        check_plain(o[i], x, single_to_64(x, true), single_to_64(x, false));
        SAME("rd", o[i].down, to_i32(floorf(x)));
        SAME("ru", o[i].up, to_i32(ceilf(x)));
        SAME("rn", o[i].nearest, to_i32(rintf(x)));
        SAME("u rn", o[i].unear, to_u32(rintf(x)));
        SAME("lrint", o[i].lrint_, (int)single_to_64(rintf(x), true));
        SAME("llrint", o[i].rounded64, (long long)single_to_64(rintf(x), true));
        SAME("clamped", o[i].clamped, x != x ? 0 : x < 0 ? 0 : x > 255 ? 255 : (int)x);
        const float v[4] = {x, -x, 3e9f, x + 1};
        for (int k = 0; k < 4; k++) {
            SAME("vector", o[i].four[k], to_i32(v[k]));
            SAME("bytes", o[i].bytes[k], (unsigned char)to_i32(v[k]));
        }
    }
    doubles<<<1, n>>>(dd, out);
    CHECK_RUN();
    o = out.get();
    for (int i = 0; i < n; i++) {
        double x = d[i];
        check_plain(o[i], x, double_to_64(x, true), double_to_64(x, false));
        SAME("rd", o[i].down, to_i32(floor(x)));
        SAME("rn", o[i].nearest, to_i32(rint(x)));
        SAME("llrint", o[i].rounded64, (long long)double_to_64(rint(x), true));
    }
    halves<<<1, n>>>(dh, out);
    CHECK_RUN();
    o = out.get();
    for (int i = 0; i < n; i++) {
        float x = h[i];
        int i16 = x != x ? 0 : x > 32767 ? 32767 : x < -32768 ? -32768 : (int)x;
        int u16 = x >= 65535 ? 65535 : x > 0 ? (int)x : 0;
        SAME("half i64", o[i].i64, (long long)to_i32(x));
        SAME("half u64", o[i].u64, (unsigned long long)to_u32(x));
        SAME("half i32", o[i].i32, to_i32(x));
        SAME("half u32", o[i].u32, to_u32(x));
        SAME("half i16", o[i].i16, i16);
        SAME("half u16", o[i].u16, u16);
        SAME("half i8", o[i].i8, (signed char)i16);
        SAME("half u8", o[i].u8, (unsigned char)i16);
        SAME("half rn", o[i].nearest, to_i32(rintf(x)));
    }
    bfloats<<<1, n>>>(db, out);
    CHECK_RUN();
    o = out.get();
    for (int i = 0; i < n; i++) {
        float x = __bfloat162float(b[i]);
        check_plain(o[i], x, single_to_64(x, true), single_to_64(x, false));
    }
    for (int i = 0; i < n; i++) {
        float x = f[i];
        uniform<<<1, 32>>>(x, d[i], out);
        CHECK_RUN();
        std::vector<Out> two = out.get();
        check_plain(two[0], x, single_to_64(x, true), single_to_64(x, false));
        check_plain(two[1], d[i], double_to_64(d[i], true), double_to_64(d[i], false));
    }
    return 0;
}
