/* SPDX-License-Identifier: MIT */
/* More sums in a thread than registers hold, kept over barriers: products of tiles, and sums that
 * change places, or of which only some threads have all. */
#include "../check.h"

/* N x N sums a thread from tiles of D; a block makes (N * 16) x (N * ROWS). */
template <typename T, int N, int ROWS, int D, bool NEIGHBOURS>
__global__ void
product(T *c, const T *a, const T *b, int n)
{
    const int W = N * 16, H = N * ROWS;
    __shared__ T as[D][H + 1], bs[D][W];
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y, tid = ty * 16 + tx;
    int row = (int)blockIdx.y * H, col = (int)blockIdx.x * W;
    T sum[N][N] = {};

    for (int t = 0; t < n; t += D) {
        for (int i = tid; i < H * D; i += 16 * ROWS)
            as[i % D][i / D] = a[(row + i / D) * n + t + i % D];
        for (int i = tid; i < W * D; i += 16 * ROWS)
            bs[i / W][i % W] = b[(t + i / W) * n + col + i % W];
        __syncthreads();
        for (int k = 0; k < D; k++)
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++)
                    sum[i][j] += as[k][ty * N + i] * bs[k][NEIGHBOURS ? tx * N + j : tx + j * 16];
        __syncthreads();
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            c[(row + ty * N + i) * n + col + (NEIGHBOURS ? tx * N + j : tx + j * 16)] = sum[i][j];
}

template <typename T, int N, int ROWS, int D, bool NEIGHBOURS>
static void
check_product()
{
    const int n = N * 16; /* a whole number of blocks and of tiles */
    std::vector<T> a((size_t)(n * n)), b(a.size()), want(a.size());
    Dev<T> out(a.size());

    for (size_t i = 0; i < a.size(); i++) {
        a[i] = (T)((int)(i * 7 % 31) - 9);
        b[i] = (T)((int)(i * 11 % 29) - 13);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                want[(size_t)(i * n + j)] += a[(size_t)(i * n + k)] * b[(size_t)(k * n + j)];
    product<T, N, ROWS, D, NEIGHBOURS>
        <<<dim3(1, 16 / ROWS), dim3(16, ROWS)>>>(out, Dev<T>(a), Dev<T>(b), n);
    check_same("product", out.get(), want);
}

/* Sums that move on by `by` places after each barrier, or are swapped: what one becomes is what
 * another was. */
template <int BY, bool SOME>
__global__ void
moved(int *out, const int *in, int rounds)
{
    __shared__ int s[256];
    int t = (int)threadIdx.x, sum[32] = {};

    for (int r = 0; r < rounds; r++) {
        s[t] = in[t] + r;
        __syncthreads();
        if (!SOME || (t + r) % 3) {
            int next[32];

            for (int i = 0; i < 32; i++) {
                next[i] = sum[(i + BY) % 32];
                for (int k = 0; k < 8; k++)
                    next[i] += s[(t + k) % 256] * (i + 1) + s[(t + i) % 256] * k;
            }
            for (int i = 0; i < 32; i++)
                sum[i] = next[i];
        }
        __syncthreads();
    }
    for (int i = 0; i < 32; i++)
        out[t * 32 + i] = sum[i];
}

template <int BY, bool SOME>
static void
check_moved(int rounds)
{
    std::vector<int> in(256), want(256 * 32);
    Dev<int> out(want.size());

    for (int t = 0; t < 256; t++)
        in[(size_t)t] = t * 13 % 101 - 40;
    for (int t = 0; t < 256; t++) {
        int sum[32] = {}, next[32];

        for (int r = 0; r < rounds; r++) {
            if (SOME && (t + r) % 3 == 0)
                continue;
            for (int i = 0; i < 32; i++) {
                next[i] = sum[(i + BY) % 32];
                for (int k = 0; k < 8; k++)
                    next[i] += (in[(size_t)((t + k) % 256)] + r) * (i + 1) +
                               (in[(size_t)((t + i) % 256)] + r) * k;
            }
            for (int i = 0; i < 32; i++)
                sum[i] = next[i];
        }
        for (int i = 0; i < 32; i++)
            want[(size_t)(t * 32 + i)] = sum[i];
    }
    moved<BY, SOME><<<1, 256>>>(out, Dev<int>(in), rounds);
    check_same("moved", out.get(), want);
}

int
main()
{
    check_product<float, 4, 16, 16, false>();
    check_product<float, 4, 16, 16, true>();
    check_product<int, 4, 8, 8, false>();
    check_product<double, 4, 16, 8, false>();
    check_product<float, 8, 16, 8, false>();
    check_moved<0, false>(3);
    check_moved<1, false>(3);
    check_moved<16, false>(2);
    check_moved<0, true>(4);
    check_moved<31, true>(3);
    return 0;
}
