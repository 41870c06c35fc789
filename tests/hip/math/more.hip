/* SPDX-License-Identifier: MIT */
/* Functions with several results, float-suffixed names, fast intrinsics, rounding forms. */
#include "../check.h"

enum { ROW = 24 };

__global__ void
more(float *out, const float *in, int n)
{
    int i = (int)global_id();

    if (i >= n)
        return;
    float x = in[i], s, c, ip;
    int e, q;
    float *o = out + ROW * (size_t)i;

    sincosf(x, &s, &c);
    o[0] = s;
    o[1] = c;
    o[2] = frexpf(x, &e);
    o[3] = (float)e;
    o[4] = modff(x, &ip);
    o[5] = ip;
    o[6] = ldexpf(x, i % 7 - 3);
    o[7] = rsqrtf(x);
    o[8] = powf(x, 2.5f);
    o[9] = remquof(x, 1.75f, &q);
    o[10] = (float)(q & 7);
    o[11] = __expf(x * 0.1f);
    o[12] = __logf(x);
    o[13] = __sinf(x * 0.1f);
    o[14] = __fdividef(x, 3.0f);
    o[15] = __powf(x, 1.5f);
    o[16] = (float)lrintf(x) + (float)llroundf(x * 3);
    o[17] = nextafterf(x, 100.0f);
    o[18] = (float)ilogbf(x) + logbf(x);
    o[19] = rcbrtf(x);
    o[20] = normcdff(x - 3);
    o[21] = sinpif(x) + cospif(x);
    o[22] = fmaf(x, x, 1.0f) + __fmaf_rn(x, 2.0f, 1.0f);
    o[23] = __frcp_rn(x) + __fsqrt_rn(x) + __saturatef(x - 2);
}

int
main()
{
    const int n = 300;
    std::vector<float> in(n);
    Dev<float> out(ROW * n);

    for (int i = 0; i < n; i++)
        in[i] = 0.11f + (float)i * 0.037f;
    Dev<float> din(in);
    more<<<3, 128>>>(out, din, n);
    std::vector<float> got = out.get();
    for (int i = 0; i < n; i++) {
        float xf = in[i];
        double x = (double)xf, ip;
        int e, q;
        double fr = frexp(x, &e), md = modf(x, &ip), rq = remquo(x, 1.75, &q);
        double sat = (double)(xf - 2), pi = 3.14159265358979323846;
        const double want[ROW] = {sin(x),
                                  cos(x),
                                  fr,
                                  (double)e,
                                  md,
                                  ip,
                                  ldexp(x, i % 7 - 3),
                                  1 / sqrt(x),
                                  pow(x, 2.5),
                                  rq,
                                  (double)(q & 7),
                                  exp(x * 0.1),
                                  log(x),
                                  sin(x * 0.1),
                                  x / 3,
                                  pow(x, 1.5),
                                  (double)lrint(x) + (double)llroundf(xf * 3),
                                  (double)nextafterf(xf, 100.0f),
                                  ilogb(x) + logb(x),
                                  1 / cbrt(x),
                                  0.5 * erfc(-(double)(xf - 3) / sqrt(2.0)),
                                  sin(pi * x) + cos(pi * x),
                                  x * x + 1 + x * 2 + 1,
                                  1 / x + sqrt(x) +
                                      (sat < 0   ? 0
                                       : sat > 1 ? 1
                                                 : sat)};
        for (int k = 0; k < ROW; k++) {
            double g = (double)got[ROW * i + k], w = want[k];
            if (!(fabs(g - w) <= 2e-5 * fabs(w) + 2e-6))
                FAIL("function %d of x = %.9g: got %.9g, expected %.9g", k, x, g, w);
        }
    }
    return 0;
}
