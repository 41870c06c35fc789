/* SPDX-License-Identifier: MIT */
/* Tiled transpose and a tiled product: the two patterns everybody writes. */
#include "../check.h"

enum { TILE = 16 };

template <typename T>
__global__ void
transpose(T *out, const T *in, int w, int h)
{
    __shared__ T tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

    if (x < w && y < h)
        tile[threadIdx.y][threadIdx.x] = in[y * w + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < h && y < w)
        out[y * h + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void
product(int *c, const int *a, const int *b, int n)
{
    __shared__ int as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx, sum = 0;

    for (int t = 0; t < n; t += TILE) {
        as[ty][tx] = row < n && t + tx < n ? a[row * n + t + tx] : 0;
        bs[ty][tx] = t + ty < n && col < n ? b[(t + ty) * n + col] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    if (row < n && col < n)
        c[row * n + col] = sum;
}

template <typename T>
static void
turn(const char *name)
{
    const int w = 75, h = 41;
    std::vector<T> in(w * h), want(w * h);

    for (int k = 0; k < w * h; k++)
        in[k] = (T)mix((uint32_t)k);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            want[x * h + y] = in[y * w + x];
    Dev<T> din(in), out(w * h);
    transpose<T><<<dim3((w + TILE - 1) / TILE, (h + TILE - 1) / TILE), dim3(TILE, TILE)>>>(
        out.p, din.p, w, h);
    check_same(name, out.get(), want);
}

int
main()
{
    const int n = 70;
    std::vector<int> a(n * n), b(n * n), want(n * n, 0);

    turn<uint8_t>("bytes");
    turn<int>("ints");
    turn<double>("doubles");
    for (int k = 0; k < n * n; k++) {
        a[k] = (int)(mix((uint32_t)k) & 63);
        b[k] = (int)(mix((uint32_t)k + 99999) & 63);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                want[i * n + j] += a[i * n + k] * b[k * n + j];
    Dev<int> da(a), db(b), c(n * n);
    int g = (n + TILE - 1) / TILE;
    product<<<dim3(g, g), dim3(TILE, TILE)>>>(c, da, db, n);
    check_same("product", c.get(), want);
    return 0;
}
