/* SPDX-License-Identifier: MIT */
/* What a loop with barriers carries, under a name in front of each barrier: names that can share a
 * place, and names that cannot, as the value before is wanted behind the next one. */
#include "../check.h"

/* Both of one kernel and of the host: what thread t does in front of a barrier, behind it, and
 * behind the second. */
struct thread {
    int a, b, c, old, out;

    __host__ __device__ void
    begin(int t)
    {
        a = t;
        b = 3 * t + 1;
        c = 7;
        old = 0;
        out = 0;
    }
    /* a, b and c change places; `old` keeps what a was; some threads leave b alone. */
    __host__ __device__ void
    step(int t, int r, int left)
    {
        int was = a;

        if ((t + r) % 3)
            a = b + left;
        b = c;
        c = was ^ old;
    }
    __host__ __device__ void
    end(int t, int r, int right)
    {
        out += a - c;
        if (t % 5 == r % 5)
            b += right;
        old = a + right;
    }
};

__global__ void
carry(int *out, int rounds, int early)
{
    __shared__ int s[256];
    int t = (int)threadIdx.x, n = (int)blockDim.x;
    thread x;

    x.begin(t);
    for (int r = 0; r < rounds; r++) {
        int before = x.c;

        s[t] = x.a;
        __syncthreads();
        x.step(t, r, s[(t + 1) % n]);
        __syncthreads();
        s[t] = x.b + before; /* the value in front of the barrier, once more */
        __syncthreads();
        x.end(t, r, s[(t + n - 1) % n]);
        if (r == early)
            break;
        __syncthreads();
    }
    out[blockIdx.x * n + t] = x.a + 2 * x.b + 3 * x.c + 5 * x.old + 7 * x.out;
}

static void
check_carry(int n, int rounds, int early)
{
    std::vector<int> want((size_t)n), s(want.size()), before(want.size());
    std::vector<thread> x(want.size());
    Dev<int> out((size_t)n);

    for (int t = 0; t < n; t++)
        x[(size_t)t].begin(t);
    for (int r = 0; r < rounds; r++) {
        for (int t = 0; t < n; t++) {
            s[(size_t)t] = x[(size_t)t].a;
            before[(size_t)t] = x[(size_t)t].c;
        }
        for (int t = 0; t < n; t++)
            x[(size_t)t].step(t, r, s[(size_t)((t + 1) % n)]);
        for (int t = 0; t < n; t++)
            s[(size_t)t] = x[(size_t)t].b + before[(size_t)t];
        for (int t = 0; t < n; t++)
            x[(size_t)t].end(t, r, s[(size_t)((t + n - 1) % n)]);
        if (r == early)
            break;
    }
    for (size_t t = 0; t < want.size(); t++)
        want[t] = x[t].a + 2 * x[t].b + 3 * x[t].c + 5 * x[t].old + 7 * x[t].out;
    carry<<<1, (unsigned)n>>>(out, rounds, early);
    check_same("carry", out.get(), want);
}

/* The sum of the round before is wanted, too; on one way out the new one, on the other the old. */
__global__ void
old_or_new(float *out, const float *in, int rounds, int limit)
{
    __shared__ float s[256];
    int t = (int)threadIdx.x, n = (int)blockDim.x;
    float sum = 0, x = in[t];

    for (int r = 0; r < rounds; r++) {
        s[t] = x;
        __syncthreads();
        float next = sum + s[(t + r) % n];
        __syncthreads();
        if (r == limit) {
            out[t] = sum;
            return;
        }
        sum = next;
    }
    out[t] = -sum;
}

static void
check_old_or_new(int n, int rounds, int limit)
{
    std::vector<float> in((size_t)n), want(in.size());
    Dev<float> out(in.size());

    for (size_t t = 0; t < in.size(); t++)
        in[t] = (float)(t * 5 % 23);
    for (int t = 0; t < n; t++) {
        float sum = 0;

        for (int r = 0; r < rounds && r < limit; r++)
            sum += in[(size_t)((t + r) % n)];
        want[(size_t)t] = limit < rounds ? sum : -sum;
    }
    old_or_new<<<1, (unsigned)n>>>(out, Dev<float>(in), rounds, limit);
    check_same("old or new", out.get(), want);
}

int
main()
{
    for (int n : {64, 96, 256})
        for (int rounds : {0, 1, 2, 7}) {
            check_carry(n, rounds, 4);
            check_carry(n, rounds, 1);
            check_old_or_new(n, rounds, 3);
            check_old_or_new(n, rounds, 9);
        }
    return 0;
}
