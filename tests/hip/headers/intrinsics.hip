/* SPDX-License-Identifier: MIT */
/* Integer intrinsics, directed conversions and small floats on the device, against the host. */
#include <fenv.h>
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_fp8.h>

// HOST: optimized, because the headers have code for it
#include "../check.h"

enum { N = 4096, N_INT = 12, N_CONV = 12, N_SMALL = 8 };

__global__ void
integers(const unsigned *a, const unsigned *b, unsigned *out)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    unsigned x = a[i], y = b[i], *o = out + i * N_INT;

    o[0] = __popc(x);
    o[1] = (unsigned)__clz((int)x);
    o[2] = (unsigned)__ffs((int)x);
    o[3] = __brev(x);
    o[4] = __byte_perm(x, y, y >> 3);
    o[5] = __funnelshift_l(x, y, x >> 5);
    o[6] = __umulhi(x, y);
    o[7] = (unsigned)__hadd((int)x, (int)y);
    o[8] = (unsigned)__fns(x, y & 31, 3);
    o[9] = (unsigned)__mul24((int)x, (int)y);
    o[10] = __usad(x, y, 7);
    o[11] = __bitextract_u32(x, y & 31, 5);
}

static void
integers_on_host(unsigned x, unsigned y, unsigned *o)
{
    unsigned long long both = (unsigned long long)y << 32 | x;
    int left = 3, nth = -1;

    o[0] = (unsigned)__builtin_popcount(x);
    o[1] = x ? (unsigned)__builtin_clz(x) : 32;
    o[2] = (unsigned)__builtin_ffs((int)x);
    o[3] = o[4] = 0;
    for (int i = 0; i < 32; i++)
        o[3] |= (x >> i & 1) << (31 - i);
    for (int i = 0; i < 4; i++)
        o[4] |= (unsigned)(both >> (8 * (y >> 3 >> (4 * i) & 7)) & 255) << (8 * i);
    o[5] = (unsigned)(both << (x >> 5 & 31) >> 32);
    o[6] = (unsigned)((unsigned long long)x * y >> 32);
    o[7] = (unsigned)(((long long)(int)x + (int)y) >> 1);
    for (unsigned i = y & 31; i < 32 && nth < 0; i++)
        if ((x >> i & 1) && --left == 0)
            nth = (int)i;
    o[8] = (unsigned)nth;
    o[9] = (unsigned)(((int)(x << 8) >> 8) * (long long)((int)(y << 8) >> 8));
    o[10] = (x > y ? x - y : y - x) + 7;
    o[11] = x << ((0u - (y & 31) - 5) & 31) >> 27; /* also where the field ends beyond the word */
    if ((y & 31) <= 27 && o[11] != (x >> (y & 31) & 31))
        FAIL("the formula of bit fields");
}

__global__ void
conversions(const unsigned *a, const unsigned *b, float *out)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    long long wide = (long long)((unsigned long long)a[i] << 32 | b[i]);
    double d = (double)wide * 0x1p-40;
    float *o = out + i * N_CONV;

    o[0] = __int2float_rd((int)a[i]);
    o[1] = __int2float_ru((int)a[i]);
    o[2] = __int2float_rz((int)a[i]);
    o[3] = __int2float_rn((int)a[i]);
    o[4] = __ll2float_rd(wide);
    o[5] = __ll2float_ru(wide);
    o[6] = __ll2float_rz(wide);
    o[7] = __ll2float_rn(wide);
    o[8] = __double2float_rd(d);
    o[9] = __double2float_ru(d);
    o[10] = __double2float_rz(d);
    o[11] = __double2float_rn(d);
}

template <class T>
__attribute__((noinline)) static float
rounded(int mode, volatile T x)
{
    fesetround(mode);
    volatile float r = (float)x;
    fesetround(FE_TONEAREST);
    return r;
}

/* Host and device share this code: half, bfloat16 and 8-bit arithmetic. */
static __host__ __device__ void
small_floats(float x, float *o)
{
    __half h = __float2half(x);
    __half2 h2 = __hmul2(__half2(h, __float2half(2.0f)), __half2(h, h));
    __hip_bfloat16 b = __float2bfloat16(x);

    o[0] = __half2float(h * h + h);
    o[1] = __low2float(h2) + __high2float(h2);
    o[2] = __half2float(__hfma(h, h, h));
    o[3] = __half2float(__float2half_rd(x)) - __half2float(__float2half_ru(x));
    o[4] = (float)(b * b);
    o[5] = (float)__hip_fp8_e4m3(x);
    o[6] = (float)__hip_fp8_e5m2_fnuz(x);
    o[7] = (float)__half2int_rn(h) + (__hgt(h, __float2half(1.0f)) ? 0.5f : 0.0f);
}

__global__ void
small(const float *a, float *out)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    small_floats(a[i], out + i * N_SMALL);
}

template <class T>
static T *
managed(size_t n)
{
    T *p = nullptr;
    CHECK_HIP(hipMallocManaged(&p, n * sizeof(T)));
    return p;
}

int
main()
{
    unsigned *a = managed<unsigned>(N), *b = managed<unsigned>(N);
    unsigned *ints = managed<unsigned>(N * N_INT);
    float *floats = managed<float>(N * N_CONV), *inputs = managed<float>(N);
    float *smalls = managed<float>(N * N_SMALL);
    unsigned state = 1;

    for (int i = 0; i < N; i++) {
        a[i] = (state = state * 1664525u + 1013904223u) >> (i % 32);
        b[i] = (state = state * 1664525u + 1013904223u);
        inputs[i] = ((float)b[i] - 2147483648.0f) * 0x1p-28f;
    }
    integers<<<N / 256, 256>>>(a, b, ints);
    conversions<<<N / 256, 256>>>(a, b, floats);
    small<<<N / 256, 256>>>(inputs, smalls);
    CHECK_RUN();

    const int modes[4] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST};
    for (int i = 0; i < N; i++) {
        unsigned want[N_INT];
        integers_on_host(a[i], b[i], want);
        for (int k = 0; k < N_INT; k++)
            if (ints[i * N_INT + k] != want[k])
                FAIL("integer %d of %#x, %#x: %#x, not %#x", k, a[i], b[i], ints[i * N_INT + k],
                     want[k]);

        long long wide = (long long)((unsigned long long)a[i] << 32 | b[i]);
        for (int k = 0; k < 4; k++) {
            CHECK(floats[i * N_CONV + k] == rounded(modes[k], (int)a[i]));
            CHECK(floats[i * N_CONV + 4 + k] == rounded(modes[k], wide));
            CHECK(floats[i * N_CONV + 8 + k] == rounded(modes[k], (double)wide * 0x1p-40));
        }
        float own[N_SMALL];
        small_floats(inputs[i], own);
        for (int k = 0; k < N_SMALL; k++) {
            /* The device may contract a product and a sum: the product is not rounded then. */
            float product = inputs[i] * inputs[i];
            float slack = k == 0 ? fabsf(own[k]) * 0x1p-9f + product * 0x1p-11f : 0.0f;
            if (!(fabsf(smalls[i * N_SMALL + k] - own[k]) <= slack))
                FAIL("small float %d of %a: %a, not %a", k, inputs[i], smalls[i * N_SMALL + k],
                     own[k]);
        }
    }
    return 0;
}
