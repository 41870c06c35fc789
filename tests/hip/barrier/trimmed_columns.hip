/* SPDX-License-Identifier: MIT */
/* Work between barriers for threads whose index goes across the warps: `8 * x + y < s` in a block
 * of (32, 8), where every warp has threads on both sides of the limit, not one warp at most. */
#include "../check.h"

#define N_KINDS 8

__host__ __device__ static inline int
works(int k, int x, int y, int w, int h, int a, int b)
{
    switch (k) {
    case 0: return x * h + y < a;
    case 1: return x * h + y >= a;
    case 2: return x + y < a;
    case 3: return (unsigned)(2 * x + y) <= (unsigned)a;
    case 4: return 3 * x + 8 * y > a;
    case 5: return x * h + y < a && y * w + x < b;
    case 6: return y * w + x >= a && x + y >= b;
    default: return x < a;
    }
}

template <int K, int W, int H>
__device__ static inline void
step(int *s, int *r, int x, int y, int a, int b)
{
    if (works(K, x, y, W, H, a, b))
        s[y * W + x] += 3 * K + s[y * W + x] % 7 + 1;
    __syncthreads();
    *r += s[(H - 1 - y) * W + W - 1 - x];
    __syncthreads();
}

template <int W, int H>
__global__ void
columns(int *out, int a, int b)
{
    __shared__ int s[W * H];
    int x = (int)threadIdx.x, y = (int)threadIdx.y, r = 0;

    s[y * W + x] = y * W + x;
    __syncthreads();
    step<0, W, H>(s, &r, x, y, a, b);
    step<1, W, H>(s, &r, x, y, a, b);
    step<2, W, H>(s, &r, x, y, a, b);
    step<3, W, H>(s, &r, x, y, a, b);
    step<4, W, H>(s, &r, x, y, a, b);
    step<5, W, H>(s, &r, x, y, a, b);
    step<6, W, H>(s, &r, x, y, a, b);
    step<7, W, H>(s, &r, x, y, a, b);
    out[y * W + x] = r;
}

template <int W, int H>
static void
check(const std::vector<int> &limits)
{
    for (size_t l = 0; l + 1 < limits.size(); l++) {
        std::vector<int> s(W * H), want(W * H);
        Dev<int> out(want.size());

        for (int t = 0; t < W * H; t++)
            s[(size_t)t] = t;
        for (int k = 0; k < N_KINDS; k++) {
            for (int t = 0; t < W * H; t++)
                if (works(k, t % W, t / W, W, H, limits[l], limits[l + 1]))
                    s[(size_t)t] += 3 * k + s[(size_t)t] % 7 + 1;
            for (int t = 0; t < W * H; t++)
                want[(size_t)t] += s[(size_t)(W * H - 1 - t)];
        }
        columns<W, H><<<1, dim3(W, H)>>>(out, limits[l], limits[l + 1]);
        check_same("columns", out.get(), want);
    }
}

int
main()
{
    const std::vector<int> limits = {0,  1,  5,   31,  32,   33,         40, 63, 64, 65, 100,
                                     17, -4, 255, 256, 1000, 0x7fffffff, 8,  3,  70, 20};

    check<32, 8>(limits);
    check<64, 4>(limits);
    check<32, 3>(limits);
    check<16, 16>(limits);
    return 0;
}
