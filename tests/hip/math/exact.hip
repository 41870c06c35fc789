/* SPDX-License-Identifier: MIT */
/* Where a function's value is a number of its format, that number comes out: powers, roots,
 * logarithms, lengths. */
#include "../check.h"

enum Op {
    POWF,
    POW,
    FAST_POWF,
    POWIF,
    POWI,
    EXP2F,
    EXP10F,
    EXP2,
    EXP10,
    CBRTF,
    CBRT,
    LOG2F,
    LOG10F,
    LOG2,
    LOG10,
    SQRTF,
    SQRT,
    RCBRTF,
    RCBRT,
    HYPOTF,
    HYPOT,
    RSQRTF,
    RSQRT,
    NORMF,
    POWF_2,
    POWF_HALF,
    N_OPS
};

struct Case {
    Op op;
    double x, y, want;
};

__global__ void
compute(const Case *c, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    double X = c[i].x, Y = c[i].y, r = 0;
    float x = X, y = Y;
    switch (c[i].op) {
    case POWF: r = powf(x, y); break;
    case POW: r = pow(X, Y); break;
    case FAST_POWF: r = __powf(x, y); break;
    case POWIF: r = powif(x, (int)y); break;
    case POWI: r = powi(X, (int)Y); break;
    case EXP2F: r = exp2f(y); break;
    case EXP10F: r = exp10f(y); break;
    case EXP2: r = exp2(Y); break;
    case EXP10: r = exp10(Y); break;
    case CBRTF: r = cbrtf(x); break;
    case CBRT: r = cbrt(X); break;
    case LOG2F: r = log2f(x); break;
    case LOG10F: r = log10f(x); break;
    case LOG2: r = log2(X); break;
    case LOG10: r = log10(X); break;
    case SQRTF: r = sqrtf(x); break;
    case SQRT: r = sqrt(X); break;
    case RCBRTF: r = rcbrtf(x); break;
    case RCBRT: r = rcbrt(X); break;
    case HYPOTF: r = hypotf(x, y); break;
    case HYPOT: r = hypot(X, Y); break;
    case RSQRTF: r = rsqrtf(x); break;
    case RSQRT: r = rsqrt(X); break;
    case NORMF: r = norm3df(x, y, 0); break;
    case POWF_2: r = powf(x, 2.0f); break;
    case POWF_HALF: r = powf(x, 2.5f); break;
    default: break;
    }
    out[i] = r;
}

static std::vector<Case> cases;

static void
add(Op op, double x, double y, double want)
{
    cases.push_back(Case{op, x, y, want});
}

static void
powers()
{
    for (int base = 2; base < 512; base++) {
        double p = 1;

        for (int e = 0; e < 40 && p <= 0x1p53; e++, p *= base) {
            if ((double)(float)p == p) {
                add(POWF, base, e, p);
                add(FAST_POWF, base, e, p);
                add(POWIF, base, e, p);
                add(POWF, -base, e, e & 1 ? -p : p);
                add(POWF, (double)base * base, e / 2.0, p);
            }
            add(POW, base, e, p);
            add(POWI, -base, e, e & 1 ? -p : p);
            add(POW, (double)base * base, e / 2.0, p);
        }
        add(POWF_2, base, 0, (double)base * base);
        if (base < 28)
            add(POWF_HALF, (double)base * base, 0, pow(base, 5));
    }
    for (int e = -140; e < 128; e++) {
        add(POWF, 2, e, ldexp(1, e));
        add(POWF, 0.5, -e, ldexp(1, e));
        add(POWF, -2, e, e & 1 ? -ldexp(1, e) : ldexp(1, e));
        add(POW, 2, e * 7, ldexp(1, e * 7));
        add(POW, 0.25, e + 0.5, ldexp(1, -2 * e - 1));
        add(EXP2F, 0, e, ldexp(1, e));
        add(EXP2, 0, e * 7, ldexp(1, e * 7));
        add(LOG2F, ldexp(1, e), 0, e);
        add(LOG2, ldexp(1, e * 7), 0, e * 7);
    }
    /* the corners of pow */
    add(POWF, NAN, 0, 1);
    add(POWF, 0, -2, INFINITY);
    add(POWF, -0.0, -3, -INFINITY);
    add(POWF, -0.0, 3, -0.0);
    add(POWF, -0.0, 0.5, 0.0);
    add(POWF, -INFINITY, 0.5, INFINITY);
    add(POWF, -INFINITY, -3, -0.0);
    add(POWF, INFINITY, -0.5, 0);
    add(POWF, 1e30, 3, INFINITY);
    add(POWF, 1e-30, 3, 0);
    add(POWF, -1e30, 3, -INFINITY);
    add(POWF, 1e-30, -2, INFINITY);
    add(POWF, -1, INFINITY, 1);
    add(POWF, 1, NAN, 1);
    add(POW, NAN, 0, 1);
    add(POW, 0, -2, INFINITY);
    add(POW, -0.0, -3, -INFINITY);
    add(POW, -0.0, 3, -0.0);
    add(POW, -0.0, 0.5, 0.0);
    add(POW, -INFINITY, 0.5, INFINITY);
    add(POW, -INFINITY, -3, -0.0);
    add(POW, INFINITY, -0.5, 0);
    add(POW, 1e200, 3, INFINITY);
    add(POW, 1e-200, 3, 0);
    add(POW, -1e200, 3, -INFINITY);
    add(POW, -1, INFINITY, 1);
    add(POW, 1, NAN, 1);
    add(POW, 2, 5000, INFINITY);
    add(POW, 2, -5000, 0);
    add(POW, 2, -1074, 0x1p-1074);
}

static void
others()
{
    double ten = 1;

    for (int e = 0; e <= 22; e++, ten *= 10) {
        if (e <= 10) {
            add(EXP10F, 0, e, ten);
            add(LOG10F, ten, 0, e);
        }
        add(EXP10, 0, e, ten);
        add(LOG10, ten, 0, e);
    }
    for (int i = 1; i < 256; i++) {
        int e = 20 - i % 40;

        add(CBRTF, (double)i * i * i, 0, i);
        add(CBRTF, -(double)i * i * i, 0, -i);
        add(CBRT, (double)i * i * i, 0, i);
        add(SQRTF, i * i, 0, i);
        add(SQRT, i * i, 0, i);
        add(RCBRTF, ldexp(1, -3 * e), 0, ldexp(1, e));
        add(RCBRT, ldexp(1, -3 * e), 0, ldexp(1, e));
        add(RSQRTF, ldexp(1, -2 * e), 0, ldexp(1, e));
        add(RSQRT, ldexp(1, -2 * e), 0, ldexp(1, e));
    }
    for (int m = 2; m < 40; m++)
        for (int n = 1; n < m; n++) {
            double x = m * m - n * n, y = 2 * m * n, z = m * m + n * n;

            add(HYPOTF, x, y, z);
            add(HYPOT, x, y, z);
            add(NORMF, x, y, z);
        }
}

int
main()
{
    powers();
    others();
    int n = (int)cases.size();
    Dev<Case> c(n);
    Dev<double> out(n);

    hipMemcpy(c, cases.data(), n * sizeof(Case), hipMemcpyHostToDevice);
    compute<<<(n + 255) / 256, 256>>>(c, out, n);
    CHECK_RUN();
    std::vector<double> got = out.get();
    for (int i = 0; i < n; i++)
        if (got[i] != cases[i].want || signbit(got[i]) != signbit(cases[i].want))
            FAIL("function %d of (%.17g, %g): got %.17g, expected %.17g", cases[i].op, cases[i].x,
                 cases[i].y, got[i], cases[i].want);
    return 0;
}
