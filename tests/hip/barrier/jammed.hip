/* SPDX-License-Identifier: MIT */
/* What few warps keep across the barriers of a loop, and rows that all of them read: regions whose
 * code is repeated for each warp, or made for all of them side by side. */
#include "../check.h"

template <int TILE>
__global__ void
product(int *c, const int *a, const int *b, int n)
{
    __shared__ int as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx, sum = 0;

    for (int t = 0; t < n; t += TILE) {
        as[ty][tx] = a[row * n + t + tx];
        bs[ty][tx] = b[(t + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

template <int TILE>
static void
check_product()
{
    const int n = 3 * TILE;
    std::vector<int> a((size_t)(n * n)), b(a.size()), want(a.size());
    Dev<int> out(a.size());

    for (size_t i = 0; i < a.size(); i++) {
        a[i] = (int)(i * 7 % 31) - 9;
        b[i] = (int)(i * 11 % 29) - 13;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                want[(size_t)(i * n + j)] += a[(size_t)(i * n + k)] * b[(size_t)(k * n + j)];
    product<TILE><<<dim3(3, 3), dim3(TILE, TILE)>>>(out, Dev<int>(a), Dev<int>(b), n);
    check_same("product", out.get(), want);
}

/* One step of a thread in `carry`; `s` is what the block's threads left at the barrier before. */
template <typename T>
__host__ __device__ static inline void
carry_step(T &x, T &y, const T *s, unsigned t, unsigned n, int round, int rows)
{
    for (int k = 0; k < rows; k++) { /* a row that all warps read */
        x = (T)(x + s[(unsigned)k * 16 % n + (t & 15)]);
        if (k > 2 && round & 1)
            break;
    }
    if ((t + (unsigned)round) % 3 == 0)
        y = (T)(y + x);
    else if (t % 16 == 5)
        y = (T)(y - 1);
}

template <typename T>
__global__ void
carry(T *out, const T *in, int rounds, int rows)
{
    __shared__ T s[256];
    unsigned t = threadIdx.x, n = blockDim.x;
    T x = in[blockIdx.x * n + t], y = 1;

    for (int r = 0; r < rounds; r++) {
        s[t] = (T)(y + t % 7);
        __syncthreads();
        carry_step(x, y, s, t, n, r, rows);
        __syncthreads();
    }
    out[blockIdx.x * n + t] = (T)(x + 3 * y);
}

template <typename T>
static void
check_carry(unsigned n, int rounds, int rows)
{
    std::vector<T> in(2 * n), want(in.size());
    Dev<T> out(in.size());

    for (size_t i = 0; i < in.size(); i++)
        in[i] = (T)(i * 5 % 23);
    for (unsigned at = 0; at < in.size(); at += n) {
        std::vector<T> x(in.begin() + at, in.begin() + at + n), y(n, 1), s(n);

        for (int r = 0; r < rounds; r++) {
            for (unsigned t = 0; t < n; t++)
                s[t] = (T)(y[t] + t % 7);
            for (unsigned t = 0; t < n; t++)
                carry_step(x[t], y[t], s.data(), t, n, r, rows);
        }
        for (unsigned t = 0; t < n; t++)
            want[at + t] = (T)(x[t] + 3 * y[t]);
    }
    carry<T><<<2, n>>>(out, Dev<T>(in), rounds, rows);
    check_same("carry", out.get(), want);
}

int
main()
{
    check_product<16>();
    check_product<8>();
    check_product<32>();
    for (unsigned n : {64u, 128u, 256u})
        for (int rows : {0, 1, 6}) {
            check_carry<unsigned>(n, 5, rows);
            check_carry<unsigned char>(n, 4, rows);
            check_carry<unsigned long long>(n, 4, rows);
        }
    return 0;
}
