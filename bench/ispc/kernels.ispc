/* SPDX-License-Identifier: MIT */
/* The kernels that suit ispc, each on a range of its task. peer.c gives ranges to threads; the
 * first and last index of a range are multiples of 64. */

#define NBODY_SOFT   0.01f
#define RISK_FREE    0.02f
#define VOLATILITY   0.30f
#define BLOCK_SCAN   256
#define BLOCK_SORT   1024

/* Larger than all caches: what is written is not read again soon. */
export void
ispc_copy(uniform float out[], const uniform float a[], uniform int64 first, uniform int64 last)
{
    for (uniform int64 i = first; i < last; i += programCount)
        streaming_store(out + i, a[i + programIndex]);
}

export void
ispc_triad(uniform float out[], const uniform float a[], const uniform float b[], uniform float s,
           uniform int64 first, uniform int64 last)
{
    for (uniform int64 i = first; i < last; i += programCount)
        streaming_store(out + i, a[i + programIndex] + s * b[i + programIndex]);
}

export void
ispc_saxpy(uniform float y[], const uniform float x[], uniform float a, uniform int first,
           uniform int last)
{
    for (uniform int i = first; i < last; i += 4 * programCount)
#pragma unroll
        for (uniform int k = 0; k < 4; k++)
            y[i + k * programCount + programIndex] += a * x[i + k * programCount + programIndex];
}

/* Two vectors of bodies at a time, so that one's arithmetic hides the other's latency. */
export void
ispc_nbody(uniform float acc[], const uniform float pos[], uniform int n, uniform int first,
           uniform int last)
{
    for (uniform int base = first; base < last; base += 2 * programCount) {
        float px[2], py[2], pz[2], unused, ax[2] = {0, 0}, ay[2] = {0, 0}, az[2] = {0, 0};

#pragma unroll
        for (uniform int k = 0; k < 2; k++)
            aos_to_soa4((uniform float * uniform)pos + 4 * (base + k * programCount), &px[k], &py[k],
                        &pz[k], &unused);
        for (uniform int j = 0; j < n; j++) {
            const uniform float qx = pos[4 * j], qy = pos[4 * j + 1], qz = pos[4 * j + 2];
            const uniform float m = pos[4 * j + 3];

#pragma unroll
            for (uniform int k = 0; k < 2; k++) {
                float dx = qx - px[k], dy = qy - py[k], dz = qz - pz[k];
                float r = rsqrt(dx * dx + dy * dy + dz * dz + NBODY_SOFT);
                float s = m * r * r * r;

                ax[k] += dx * s;
                ay[k] += dy * s;
                az[k] += dz * s;
            }
        }
#pragma unroll
        for (uniform int k = 0; k < 2; k++)
            soa_to_aos4(ax[k], ay[k], az[k], 0.0f, acc + 4 * (base + k * programCount));
    }
}

#define ROWS 8 /* of a register tile, which is two vectors wide */

/* The width of a panel of b. */
export uniform int
ispc_panel()
{
    return 2 * programCount;
}

/* Panels of b, all n deep. */
export void
ispc_pack(uniform float bp[], const uniform float b[], uniform int n, uniform int first,
          uniform int last)
{
    for (uniform int j = first; j < last; j += 2 * programCount)
        for (uniform int k = 0; k < n; k++) {
            uniform float * uniform to = bp + (int64)j * n + k * 2 * programCount;

            to[programIndex] = b[(int64)k * n + j + programIndex];
            to[programCount + programIndex] = b[(int64)k * n + j + programCount + programIndex];
        }
}

/* Rows [first, last) of c from the same rows of a and packed panels of b. ap: room for 128 x 256. */
export void
ispc_matmul(uniform float c[], const uniform float a[], const uniform float bp[],
            uniform float ap[], uniform int n, uniform int first, uniform int last)
{
    const uniform int deep = 256;

    for (uniform int k0 = 0; k0 < n; k0 += deep) {
        for (uniform int i = first; i < last; i += ROWS)
            for (uniform int k = 0; k < deep; k++)
                for (uniform int r = 0; r < ROWS; r++)
                    ap[((i - first) * deep) + k * ROWS + r] = a[(i + r) * n + k0 + k];
        for (uniform int j = 0; j < n; j += 2 * programCount)
            for (uniform int i = first; i < last; i += ROWS) {
                const uniform float * uniform pa = ap + (i - first) * deep;
                const uniform float * uniform pb = bp + (int64)j * n + k0 * 2 * programCount;
                float s0[ROWS], s1[ROWS];

#pragma unroll
                for (uniform int r = 0; r < ROWS; r++)
                    s0[r] = s1[r] = 0;
                for (uniform int k = 0; k < deep; k++) {
                    float b0 = pb[programIndex], b1 = pb[programCount + programIndex];

#pragma unroll
                    for (uniform int r = 0; r < ROWS; r++) {
                        s0[r] += pa[r] * b0;
                        s1[r] += pa[r] * b1;
                    }
                    pa += ROWS;
                    pb += 2 * programCount;
                }
#pragma unroll
                for (uniform int r = 0; r < ROWS; r++) {
                    uniform float * uniform to = c + (i + r) * n + j;

                    if (k0 == 0) {
                        to[programIndex] = s0[r];
                        to[programCount + programIndex] = s1[r];
                    } else {
                        to[programIndex] += s0[r];
                        to[programCount + programIndex] += s1[r];
                    }
                }
            }
    }
}

export uniform double
ispc_sum(const uniform float a[], uniform int64 first, uniform int64 last)
{
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;

    for (uniform int64 i = first; i < last; i += 4 * programCount) {
        s0 += a[i + programIndex];
        s1 += a[i + programCount + programIndex];
        s2 += a[i + 2 * programCount + programIndex];
        s3 += a[i + 3 * programCount + programIndex];
    }
    return reduce_add((double)((s0 + s1) + (s2 + s3)));
}

/* Lanes would meet in the same counters: one instance, which counts in four tables. */
export void
ispc_histogram(uniform unsigned int32 table[], const uniform unsigned int8 a[],
               uniform int64 first, uniform int64 last)
{
    const uniform unsigned int64 * uniform words = (const uniform unsigned int64 * uniform)a;

    for (uniform int64 i = first / 8; i < last / 8; i++) {
        uniform unsigned int64 w = words[i];

#pragma unroll
        for (uniform int k = 0; k < 8; k++)
            table[(k & 3) * 256 + ((w >> (8 * k)) & 255)]++;
    }
}

export void
ispc_mandel(uniform int out[], uniform int n, uniform int iters, uniform int first,
            uniform int last)
{
    const uniform float step = 3.0f / n;

    for (uniform int py = first; py < last; py++) {
        const uniform float cy = -1.5f + py * step;

        foreach (px = 0 ... n) {
            float cx = -2.0f + px * step, x = 0, y = 0;
            int it = 0;

            for (; it < iters; it++) {
                float xx = x * x, yy = y * y;

                if (xx + yy > 4.0f)
                    break;
                y = 2.0f * x * y + cy;
                x = xx - yy + cx;
            }
            out[py * n + px] = it;
        }
    }
}

static inline float
cnd(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * abs(d));
    float poly = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f +
                 k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228040143267f * exp(-0.5f * d * d) * poly;

    return d > 0 ? 1.0f - tail : tail;
}

export void
ispc_blackscholes(uniform float call[], uniform float put[], const uniform float price[],
                  const uniform float strike[], const uniform float years[], uniform int first,
                  uniform int last)
{
    foreach (i = first ... last) {
        float s = price[i], x = strike[i], t = years[i];
        float root = VOLATILITY * sqrt(t);
        float d1 = (log(s / x) + (RISK_FREE + 0.5f * VOLATILITY * VOLATILITY) * t) / root;
        float d2 = d1 - root;
        float n1 = cnd(d1), n2 = cnd(d2);
        float discounted = x * exp(-RISK_FREE * t);

        call[i] = s * n1 - discounted * n2;
        put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
    }
}

export void
ispc_stencil(uniform float out[], const uniform float a[], uniform int n, uniform int first,
             uniform int last)
{
    for (uniform int y = first; y < last; y++)
        foreach (x = 1 ... n - 1)
            out[y * n + x] = 0.5f * a[y * n + x] +
                             0.125f * (a[(y - 1) * n + x] + a[(y + 1) * n + x] +
                                       a[y * n + x - 1] + a[y * n + x + 1]);
}

/* A vector at a time: its own sums by steps, and what is in front of it. */
export void
ispc_scan(uniform float out[], const uniform float a[], uniform int64 first, uniform int64 last)
{
    for (uniform int64 block = first; block < last; block += BLOCK_SCAN) {
        uniform float before = 0;

        for (uniform int64 i = block; i < block + BLOCK_SCAN; i += programCount) {
            float v = a[i + programIndex];

#pragma unroll
            for (uniform int d = 1; d < programCount; d *= 2)
                v += shift(v, -d);
            v += before;
            before = extract(v, programCount - 1);
            out[i + programIndex] = v;
        }
    }
}

/* Keeps the smaller of two where `low`. */
static inline unsigned int
keep(unsigned int a, unsigned int b, bool low)
{
    return low ? min(a, b) : max(a, b);
}

export void
ispc_bitonic(uniform unsigned int out[], const uniform unsigned int a[], uniform int64 first,
             uniform int64 last)
{
    for (uniform int64 block = first; block < last; block += BLOCK_SORT) {
        uniform unsigned int v[BLOCK_SORT];

        for (uniform int i = 0; i < BLOCK_SORT; i += programCount)
            v[i + programIndex] = a[block + i + programIndex];
        for (uniform int k = 2; k <= BLOCK_SORT; k *= 2) {
            uniform int j = k / 2;

            for (; j >= programCount; j /= 2)
                for (uniform int i = 0; i < BLOCK_SORT; i += 2 * j) {
                    const uniform bool up = (i & k) == 0;

                    for (uniform int l = i; l < i + j; l += programCount) {
                        unsigned int x = v[l + programIndex], y = v[l + j + programIndex];

                        v[l + programIndex] = up ? min(x, y) : max(x, y);
                        v[l + j + programIndex] = up ? max(x, y) : min(x, y);
                    }
                }
            if (j == 0)
                continue;
            for (uniform int i = 0; i < BLOCK_SORT; i += programCount) {
                const bool up = ((i + programIndex) & k) == 0;
                unsigned int x = v[i + programIndex];

#pragma unroll
                for (uniform int d = programCount / 2; d > 0; d /= 2)
                    if (d <= j)
                        x = keep(x, (unsigned int)shuffle((int)x, programIndex ^ d),
                                 up == ((programIndex & d) == 0));
                v[i + programIndex] = x;
            }
        }
        for (uniform int i = 0; i < BLOCK_SORT; i += programCount)
            out[block + i + programIndex] = v[i + programIndex];
    }
}

export void
ispc_gather(uniform float out[], const uniform float a[], const uniform int index[],
            uniform int first, uniform int last)
{
    foreach (i = first ... last)
        out[i] = a[index[i]];
}
