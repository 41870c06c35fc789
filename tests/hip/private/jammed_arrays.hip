/* SPDX-License-Identifier: MIT */
/* A thread's array that lives in one region alone, in front of a loop with a barrier, so that warps
 * have it in turn: such a region must not run for several warps side by side. */
#include "../check.h"

enum { W = 32, H = 8, N = 90 };

__host__ __device__ static inline int
scrambled(int *a, const int *row, int x, int y, int n, int k)
{
    int at = (x * 5 + y * 3 + k) % N;

#pragma clang loop unroll(disable)
    for (int i = 0; i < N; i++)
        a[i] = row[(x + i) % W] + y;
#pragma clang loop unroll(disable)
    for (int i = 0; i < n; i++)
        a[(at + i * i) % N] += i * (y + 1) + a[(at + i) % N];
    return a[at] + a[(at + 5) % N] * 3;
}

__global__ void
jammed(int *out, const int *in, int n, int k)
{
    __shared__ int row[W];
    int x = (int)threadIdx.x, y = (int)threadIdx.y, sum, i = 0, a[N];

    if (y == 0)
        row[x] = in[x];
    __syncthreads();
    sum = scrambled(a, row, x, y, n, k);
    do {
        sum += row[(x + i) % W] * (y + i) + sum / 3;
        __syncthreads();
    } while (++i < n);
    out[y * W + x] = sum;
}

int
main()
{
    std::vector<int> in(W), want(W * H);
    Dev<int> out(want.size()), din(W);

    for (int i = 0; i < W; i++)
        in[(size_t)i] = (int)(mix((uint32_t)i) % 50);
    din.set(in);
    for (int n : {1, 5, 9}) {
        for (int t = 0; t < W * H; t++) {
            int a[N], x = t % W, y = t / W, sum = scrambled(a, in.data(), x, y, n, 1);

            for (int i = 0; i < n; i++)
                sum += in[(size_t)((x + i) % W)] * (y + i) + sum / 3;
            want[(size_t)t] = sum;
        }
        jammed<<<1, dim3(W, H)>>>(out, din, n, 1);
        check_same("jammed", out.get(), want);
    }
    return 0;
}
