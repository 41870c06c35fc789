// SPDX-License-Identifier: MIT
// Columns of a tile: all of them, rows padded or not, of words of 2 to 8 bytes; written over where
// the tile came from; and read again once the tile has changed.
#include "../check.h"

enum { TILE = 32, ROWS = 8, N = 4 * TILE };

template <typename T, int PADDED, bool CHANGED>
__global__ void
turn(T *out, const T *in, int n)
{
    __shared__ T tile[TILE][PADDED];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;

    for (int i = 0; i < TILE; i += ROWS)
        tile[ty + i][tx] = in[(y + i) * n + x];
    __syncthreads();
    for (int i = 0; i < TILE; i += ROWS)
        out[(y + i) * n + x] = tile[tx][ty + i];
    if (!CHANGED)
        return;
    __syncthreads();
    for (int i = 0; i < TILE; i += ROWS)
        tile[ty + i][tx] += (T)1;
    __syncthreads();
    for (int i = 0; i < TILE; i += ROWS)
        out[(y + i) * n + x] += tile[tx][ty + i];
}

template <typename T, int PADDED, bool CHANGED>
static void
check_tile(const char *name, bool in_place)
{
    std::vector<T> in(N * N), want(N * N);

    for (int i = 0; i < N * N; i++)
        in[i] = (T)(mix((uint32_t)i) % 1000);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            T v = in[(y / TILE * TILE + x % TILE) * N + x / TILE * TILE + y % TILE];

            want[y * N + x] = CHANGED ? (T)(v + (T)(v + (T)1)) : v;
        }
    Dev<T> from(in), to(N * N);
    turn<T, PADDED, CHANGED><<<dim3(N / TILE, N / TILE), dim3(TILE, ROWS)>>>(
        in_place ? from.p : to.p, from.p, N);
    check_same(name, in_place ? from.get() : to.get(), want);
}

template <typename T>
static void
check_type(const char *name)
{
    check_tile<T, TILE, false>(name, false);
    check_tile<T, TILE + 1, false>(name, false);
    check_tile<T, TILE + 1, false>(name, true);
    check_tile<T, TILE + 1, true>(name, true);
    check_tile<T, TILE + 2, true>(name, false);
}

int
main()
{
    check_type<float>("float");
    check_type<double>("double");
    check_type<int>("int");
    check_type<unsigned short>("unsigned short");
    check_type<uint64_t>("uint64_t");
    return 0;
}
