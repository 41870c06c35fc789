/* SPDX-License-Identifier: MIT */
/* __half and _Float16: arithmetic exact in small numbers, conversions, half2. */
#include "../check.h"

#include <hip/hip_fp16.h>

__global__ void
halves(float *out, const float *in, int n)
{
    int i = (int)global_id();

    if (i >= n)
        return;
    __half a = __float2half(in[i]), b = __float2half((float)(i % 9 - 4));
    __half2 p = __floats2half2_rn(in[i], 2.0f), q = __half2half2(b);
    _Float16 f = (_Float16)in[i];
    float *o = out + 10 * (size_t)i;

    o[0] = __half2float(__hadd(a, b));
    o[1] = __half2float(__hmul(a, b));
    o[2] = __half2float(__hsub(a, b));
    o[3] = __half2float(__hfma(a, b, b));
    o[4] = __low2float(__hadd2(p, q));
    o[5] = __high2float(__hmul2(p, q));
    o[6] = __hgt(a, b) ? 1.0f : 0.0f;
    o[7] = (float)(f * (_Float16)0.5f + (_Float16)1);
    o[8] = __half2float(a);
    o[9] = (float)__half2int_rn(a);
}

__global__ void
half_copy(__half *out, const __half *in, int n)
{
    int i = (int)global_id();

    if (i < n)
        out[i] = in[n - 1 - i];
}

int
main()
{
    const int n = 200;
    std::vector<float> in(n), want(10 * n);

    for (int i = 0; i < n; i++) {
        in[i] = (float)(i - 100) * 0.25f;
        float a = in[i], b = (float)(i % 9 - 4);
        float w[] = {a + b, a * b, a - b, a * b + b, a + b, 2.0f * b, a > b ? 1.0f : 0.0f,
                     a * 0.5f + 1, a, (float)(int)rintf(a)};
        memcpy(&want[10 * i], w, sizeof(w));
    }
    Dev<float> din(in);
    std::vector<uint16_t> bits(n), back(n);
    for (int i = 0; i < n; i++)
        back[n - 1 - i] = bits[i] = (uint16_t)(mix((uint32_t)i));
    Dev<uint16_t> dbits(bits);
    for (dim3 b : {dim3(37), dim3(256)}) {
        Dev<float> out(10 * n);
        Dev<uint16_t> copy(n);
        halves<<<dim3(blocks_for(n, b)), b>>>(out, din, n);
        check_same("halves", out.get(), want);
        half_copy<<<dim3(blocks_for(n, b)), b>>>((__half *)copy.p, (const __half *)dbits.p, n);
        check_same("half_copy", copy.get(), back);
    }
    return 0;
}
