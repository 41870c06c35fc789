/* SPDX-License-Identifier: MIT */
/* Code as it is made for kernels beyond the compiler's budget: results stay what they are. */
// ENV: LOCKSTEP_COMPILER_BUDGET=1
#include "../check.h"

MAP(Breaks, unsigned)
{
    unsigned x = (unsigned)in[i], y = (unsigned)i;

    for (int a = 0; a < 9; a++) {
        for (int b = a; b < n; b++) {
            x = x * 5 + (unsigned)b;
            if (x % 7 == 1)
                break;
            if ((x ^ y) % 11 == 3)
                return x;
            y += x >> 3;
        }
        if (y & 64)
            continue;
        x ^= y;
    }
    return x + y;
}

MAP(Switch, unsigned)
{
    unsigned x = (unsigned)in[i];

    for (int k = 0; k < 40; k++)
        switch (x % 9) {
        case 0:
            x = x * 3 + 1;
            break;
        case 1:
            x ^= 0x55;
            break;
        case 2:
            x += (unsigned)in[(x + (unsigned)k) % (unsigned)n];
            break;
        case 3:
            x = x << 3 | x >> 29;
            break;
        case 4:
            if (x & 16)
                return x;
            x -= 5;
            break;
        case 5:
            continue;
        default:
            x = x / 3 + (unsigned)k;
        }
    return x;
}

/* What one place writes and others read, also in front of it in the next round, and behind the
 * loop. */
MAP(Carried, unsigned)
{
    unsigned last = 7, once = (unsigned)in[i] * 3, kept = 0, sum = 0;

    for (int k = 0; k < 12; k++) {
        unsigned now = (unsigned)in[(i * 5 + k) % n];

        sum += last ^ once;
        if (now % 3 == 0)
            continue;
        if (k == 2)
            kept = sum;
        if (now % 11 == 4)
            return sum + kept * 5;
        last = now + once;
    }
    return sum ^ last ^ kept << 4 ^ once;
}

/* Private arrays with indices that vary, of several sizes of elements. */
MAP(Arrays, double)
{
    unsigned a[16];
    double d[8];
    short s[32];

    for (int k = 0; k < 32; k++) {
        a[k & 15] = (unsigned)(in[(i + k) % n] * k);
        d[k & 7] = k;
        s[k] = (short)(in[i] + k);
    }
    for (int k = 0; k < 20; k++) {
        unsigned at = a[(unsigned)(in[i] + k) & 15];

        a[at & 15] += at >> 4;
        if (at % 3)
            d[at & 7] += s[at & 31];
        s[(at >> 5) & 31] = (short)(a[k & 15] ^ at);
    }
    return d[in[i] & 7] + s[i & 31] + a[7];
}

#define N 256

__global__ void
steps(const unsigned *in, unsigned *out, int rounds)
{
    __shared__ unsigned s[N];
    unsigned t = threadIdx.x, x = in[blockIdx.x * N + t], keep = x;

    for (int r = 0; r < rounds; r++) {
        s[t] = x;
        __syncthreads();
        x += s[(t * 5 + (unsigned)r) % N];
        if (x % 3 == 0)
            x ^= s[(t + 1) % N];
        __syncthreads();
        if (s[0] % 5 == 0)
            x++;
        __syncthreads();
    }
    out[blockIdx.x * N + t] = x + keep;
}

static void
check_steps(int rounds)
{
    std::vector<unsigned> in(2 * N), want(2 * N), got(2 * N);
    unsigned *from, *to;

    for (int i = 0; i < 2 * N; i++)
        in[i] = (unsigned)i * 2654435761u;
    for (int b = 0; b < 2; b++) {
        std::vector<unsigned> x(in.begin() + b * N, in.begin() + (b + 1) * N);

        for (int r = 0; r < rounds; r++) {
            const std::vector<unsigned> s = x;

            for (unsigned t = 0; t < N; t++) {
                x[t] += s[(t * 5 + (unsigned)r) % N];
                if (x[t] % 3 == 0)
                    x[t] ^= s[(t + 1) % N];
                x[t] += s[0] % 5 == 0;
            }
        }
        for (int t = 0; t < N; t++)
            want[b * N + t] = x[t] + in[b * N + t];
    }
    CHECK_HIP(hipMalloc(&from, sizeof(unsigned) * in.size()));
    CHECK_HIP(hipMalloc(&to, sizeof(unsigned) * in.size()));
    CHECK_HIP(hipMemcpy(from, in.data(), sizeof(unsigned) * in.size(), hipMemcpyHostToDevice));
    steps<<<2, N>>>(from, to, rounds);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(got.data(), to, sizeof(unsigned) * in.size(), hipMemcpyDeviceToHost));
    CHECK(got == want);
    CHECK_HIP(hipFree(from));
    CHECK_HIP(hipFree(to));
}

int
main()
{
    RUN_MAP(Breaks);
    RUN_MAP(Switch);
    RUN_MAP(Carried);
    RUN_MAP(Arrays);
    check_steps(0);
    check_steps(5);
    return 0;
}
