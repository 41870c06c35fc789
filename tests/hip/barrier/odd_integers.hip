// SPDX-License-Identifier: MIT
// Integers of any width, as narrowing makes them: kept across barriers (varying and uniform), in
// private arrays, LDS and global memory; and structs of three bytes.
// ISA: native avx2 sse2
#include "../check.h"

typedef unsigned _BitInt(3) u3;
typedef unsigned _BitInt(12) u12;
typedef unsigned _BitInt(20) u20;
typedef unsigned _BitInt(40) u40;
typedef unsigned _BitInt(65) u65;

struct three {
    unsigned char a, b, c;
};

enum { N = 256, RESULTS = 8 };

__host__ __device__ static unsigned long long
start(unsigned t, unsigned base)
{
    return (t + base) * 0x9e3779b97f4a7c15ull;
}

__global__ void
keep(unsigned long long *out, const unsigned *in, three *bytes, u20 *numbers, unsigned base)
{
    __shared__ u12 shared[N];
    __shared__ three threes[N];
    int t = (int)threadIdx.x;
    unsigned long long x = start(in[t], base), uniform = start(0, base);
    u3 a = (u3)x, ua = (u3)uniform;
    u12 b = (u12)x, ub = (u12)uniform;
    u20 c = (u20)x, uc = (u20)uniform;
    u40 d = (u40)x, ud = (u40)uniform;
    u65 e = (u65)x << 3;
    u20 mine[4];

    for (int k = 0; k < 4; k++)
        mine[k] = c + (u20)k;
    shared[t] = b;
    threes[t] = bytes[t];
    __syncthreads();
    a = (u3)(a * 5 + ua);
    b = (u12)(b + shared[(t + 1) % N] + ub);
    three other = threes[(t + 7) % N];
    if (t & 1)
        c = (u20)(c * 3 + uc + mine[t % 4]);
    __syncthreads();
    d = (u40)(d * 7 + ud);
    e = e + 1;
    numbers[t] = c;
    bytes[t] = other;
    __syncthreads();
    out[t * RESULTS + 0] = (unsigned long long)a;
    out[t * RESULTS + 1] = (unsigned long long)b;
    out[t * RESULTS + 2] = (unsigned long long)numbers[(t + 3) % N];
    out[t * RESULTS + 3] = (unsigned long long)d;
    out[t * RESULTS + 4] = (unsigned long long)(e >> 2);
    out[t * RESULTS + 5] = (unsigned long long)other.a | (unsigned long long)other.b << 8 |
                           (unsigned long long)other.c << 16;
    out[t * RESULTS + 6] = (unsigned long long)(u3)(a + (u3)t);
    out[t * RESULTS + 7] = (unsigned long long)c;
}

int
main()
{
    const unsigned long long m12 = (1 << 12) - 1, m20 = (1 << 20) - 1, m40 = (1ull << 40) - 1;
    const unsigned base = 11;
    std::vector<unsigned> in(N);
    std::vector<three> bytes(N);
    std::vector<unsigned long long> x(N), c(N);

    for (unsigned t = 0; t < N; t++) {
        in[t] = t * 2654435761u;
        bytes[t] = {(unsigned char)t, (unsigned char)(t * 3), (unsigned char)(t * 7 + 1)};
    }
    Dev<unsigned> din(in);
    Dev<three> dbytes(bytes);
    Dev<unsigned long long> out((size_t)N * RESULTS);
    Dev<u20> numbers((size_t)N);
    keep<<<1, N>>>(out.p, din.p, dbytes.p, numbers.p, base);
    CHECK_RUN();
    std::vector<unsigned long long> got = out.get();
    unsigned long long u = start(0, base);
    for (unsigned t = 0; t < N; t++) {
        x[t] = start(in[t], base);
        c[t] = x[t] & m20;
        if (t & 1)
            c[t] = (c[t] * 3 + (u & m20) + ((c[t] + t % 4) & m20)) & m20;
    }
    for (unsigned t = 0; t < N; t++) {
        const three &o = bytes[(t + 7) % N];
        unsigned long long a = ((x[t] & 7) * 5 + (u & 7)) & 7;
        unsigned __int128 e =
            ((((unsigned __int128)x[t] << 3) & (((unsigned __int128)1 << 65) - 1)) + 1) &
            (((unsigned __int128)1 << 65) - 1);
        const unsigned long long want[RESULTS] = {
            a,
            ((x[t] & m12) + (x[(t + 1) % N] & m12) + (u & m12)) & m12,
            c[(t + 3) % N],
            ((x[t] & m40) * 7 + (u & m40)) & m40,
            (unsigned long long)(e >> 2),
            o.a | (unsigned long long)o.b << 8 | (unsigned long long)o.c << 16,
            (a + t) & 7,
            c[t]};
        for (unsigned r = 0; r < RESULTS; r++)
            if (got[t * RESULTS + r] != want[r])
                FAIL("thread %u, result %u: got %llx, expected %llx", t, r, got[t * RESULTS + r],
                     want[r]);
    }
    return 0;
}
