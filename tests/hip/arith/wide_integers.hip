/* SPDX-License-Identifier: MIT */
/* Integers of 128 bits: every operation, with uniform and varying operands, through memory, loops
 * and calls. */
#include "../check.h"

typedef unsigned __int128 u128;
typedef __int128 i128;

struct Out {
    u128 r[24];
    unsigned long long hi, n[4];
    long long shi;
    double d[2];
    unsigned cmp;
};

__host__ __device__ __noinline__ static u128
by_call(u128 a, i128 b)
{
    return a * 3 + (u128)(b >> 7);
}

__host__ __device__ static void
compute(u128 a, u128 b, int n, Out *o)
{
    i128 sa = (i128)a, sb = (i128)b;
    unsigned s = (unsigned)b & 127;
    int i = 0;

    o->r[i++] = a + b;
    o->r[i++] = a - b;
    o->r[i++] = a * b;
    o->r[i++] = a << s;
    o->r[i++] = a >> s;
    o->r[i++] = (u128)(sa >> s);
    o->r[i++] = (a << 64) | (b >> 64);
    o->r[i++] = (a << 63) ^ (b >> 65);
    o->r[i++] = (u128)(sa >> 64) & ~b;
    o->r[i++] = b ? a / b : 0;
    o->r[i++] = b ? a % b : 1;
    o->r[i++] = sb && sb != -1 ? (u128)(sa / sb) : 2;
    o->r[i++] = a < b ? a : b;
    o->r[i++] = sa < sb ? a : b;
    o->r[i++] = (u128)((i128)(long long)a * (long long)b);
    o->r[i++] = (u128)((i128)(int)a * (long long)b);
    o->r[i++] = (u128)(unsigned long long)a * (unsigned long long)b;
    o->r[i++] = by_call(a, sb);
    o->r[i++] = (u128)-sa;
    u128 sum = b;
    for (int k = 0; k < n; k++)
        sum = (sum << 1) + (sum >> 127) + a * (unsigned)k;
    o->r[i++] = sum;
    unsigned char bytes[16];
    memcpy(bytes, &a, 16);
    bytes[n & 15] ^= 0x5a;
    memcpy(&o->r[i++], bytes, 16);
    o->r[i++] = (u128)(unsigned short)a << 100;
    o->r[i++] = (u128)(i128)(short)a;
    o->r[i++] = a & ((u128)1 << s) ? 1 : 0;
    o->hi = (unsigned long long)((u128)(unsigned long long)a * (unsigned long long)(b >> 3) >> 64);
    o->shi = (long long)((i128)(long long)a * (long long)(b >> 3) >> 64);
    o->n[0] = (unsigned long long)(a >> 32);
    o->n[1] = (unsigned)(a >> 96);
    o->n[2] = (unsigned long long)(sa >> 100);
    o->n[3] = (unsigned short)(a >> 60);
    o->d[0] = (double)a;
    o->d[1] = (double)sa;
    o->cmp = (a == b) | (a != b) << 1 | (a < b) << 2 | (a >= b) << 3 | (sa < sb) << 4 |
             (sa <= sb) << 5 | (sa > 0) << 6 | ((a >> 64) == 0) << 7;
}

__global__ void
varying(const u128 *v, int n, Out *out)
{
    compute(v[threadIdx.x], v[(threadIdx.x * 7 + 3) & 31], n + threadIdx.x, out + threadIdx.x);
#ifdef __HIP_DEVICE_COMPILE__
    out[threadIdx.x].hi = __umul64hi((unsigned long long)v[threadIdx.x],
                                     (unsigned long long)(v[(threadIdx.x * 7 + 3) & 31] >> 3));
    out[threadIdx.x].shi =
        __mul64hi((long long)v[threadIdx.x], (long long)(v[(threadIdx.x * 7 + 3) & 31] >> 3));
#endif
}

__global__ void
uniform(u128 a, u128 b, int n, Out *out)
{
    compute(a, b, n, out);
}

static void
check(const Out &got, u128 a, u128 b, int n)
{
    Out want;

    memset(&want, 0, sizeof(want));
    compute(a, b, n, &want);
    check_same("numbers", (const unsigned long long *)got.r, (const unsigned long long *)want.r,
               48);
    check_same("high half", &got.hi, &want.hi, 1);
    check_same("parts", got.n, want.n, 4);
    check_same("signed high half", &got.shi, &want.shi, 1);
    check_same("doubles", got.d, want.d, 2);
    CHECK(got.cmp == want.cmp);
}

int
main()
{
    Dev<u128> v(32);
    Dev<Out> out(32);
    u128 h[32], x = 0x9e3779b97f4a7c15ull;

    for (int i = 0; i < 32; i++) {
        x = x * ((u128)0xda942042e4dd58b5ull << 64 | 0x2360ed051fc65da5ull) + 1;
        h[i] = i < 6    ? (u128)(i128)(i - 3)
               : i < 10 ? (u128)1 << (i * 16 - 96 + 63)
               : i & 1  ? x >> (i * 3)
                        : x;
    }
    h[30] = (u128)1 << 127;
    h[31] = ~(u128)0 >> 1;
    hipMemcpy(v, h, sizeof(h), hipMemcpyHostToDevice);
    varying<<<1, 32>>>(v, 3, out);
    CHECK_RUN();
    std::vector<Out> got = out.get();
    for (int i = 0; i < 32; i++)
        check(got[i], h[i], h[(i * 7 + 3) & 31], 3 + i);
    for (int i = 0; i < 32; i += 5) {
        uniform<<<1, 32>>>(h[i], h[31 - i], i, out);
        CHECK_RUN();
        check(out.get()[0], h[i], h[31 - i], i);
    }
    return 0;
}
