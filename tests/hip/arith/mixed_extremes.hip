/* SPDX-License-Identifier: MIT */
/* The larger and the smaller of whole numbers by functions of floating-point ones, as HIP's headers
 * have it where types differ: of all widths, both signs, and where a float holds not all digits. */
// OPT: -O3
// PTX: yes
#include "../check.h"

struct In {
    signed char c;
    unsigned char b;
    short s;
    unsigned short h;
    int i;
    unsigned u;
};

enum { N_RESULTS = 12 };

static __host__ __device__ void
all(const In &x, const In &y, double *out)
{
    double *o = out;

    *o++ = fmax((double)x.c, 0.0);
    *o++ = fmin((double)x.c, (double)y.b);
    *o++ = fmaxf((float)x.s, (float)y.h);
    *o++ = fminf((float)x.s, -7.0f);
    *o++ = fmax((double)x.i, (double)y.i);
    *o++ = fmin((double)x.i, (double)y.u);
    *o++ = fmaxf((float)x.i, (float)y.i);
    *o++ = fmin((double)x.u, (double)y.u);
    *o++ = (unsigned)fmax((double)x.c, 0.0);
    *o++ = (int)fminf(fmaxf((float)x.h, 3.0f), 200.0f);
    *o++ = fmax((double)x.c, -0.5);
    *o++ = 1.0 / fmin(fmax((double)x.c, 0.0), (double)y.b);
}

__global__ void
run(const In *in, double *out, int n)
{
    int i = (int)global_id();

    if (i < n)
        all(in[i], in[n - 1 - i], out + i * N_RESULTS);
}

int
main()
{
    const int n = 1000;
    std::vector<In> in(n);
    std::vector<double> want(n * N_RESULTS);

    for (int i = 0; i < n; i++) {
        uint32_t w = mix((uint32_t)i);

        in[i] = {(signed char)w, (unsigned char)(w >> 3), (short)(w >> 5), (unsigned short)(w >> 7),
                 i % 7 ? (int)mix(w) : (int)(0x80000000u - i % 2), mix(w + 1)};
        if (i % 11 == 0)
            in[i].c = 0;
    }
    for (int i = 0; i < n; i++)
        all(in[i], in[n - 1 - i], &want[i * N_RESULTS]);
    Dev<In> din(in);
    Dev<double> out(n * N_RESULTS);
    run<<<blocks_for(n, dim3(128)), 128>>>(din, out, n);
    CHECK_RUN();
    check_same("extremes", out.get(), want);
    return 0;
}
