/* SPDX-License-Identifier: MIT */
/* Indices clamped to the edges of an array: contiguous inside, one address for many lanes at the
 * edges, and bounds that are only met, or only missed, by a lane in the middle; wrapping ones
 * too. */
#include "../check.h"

template <typename T>
__host__ __device__ inline T
low(T a, T b)
{
    return a < b ? a : b;
}

template <typename T>
__host__ __device__ inline T
high(T a, T b)
{
    return a > b ? a : b;
}

MAP(Below, int) { return in[low(i, n - 5)]; }
MAP(Above, int) { return in[high(i, 70)]; }
MAP(Both, int) { return in[low(high(i - 3, 0), n - 9)]; }
MAP(Outer, int) { return in[high(low(i + 7, n - 1), 3)]; }
MAP(Reverse, int) { return in[high(n - 20 - i, 0)] + in[low(n - 1 - i, 45)]; }
MAP(Unsigned, int) { return in[low((unsigned)i - 1u, (unsigned)n - 1u)]; } /* wraps for i = 0 */
MAP(UnsignedMax, int) { return in[high((unsigned)i, 40u)]; }
MAP(Wraps, int) { return in[high((int)((unsigned)i + 0x7ffffff0u), 0) & 15]; }
MAP(WrapsDown, int) { return in[low((int)(0x80000010u - (unsigned)i), n - 1) & 15]; }
MAP(Wide, int) { return in[low((size_t)i * 2, (size_t)n - 1)] ^ in[high((long long)i - 33, 0ll)]; }
MAP(Value, int) { return low(i, 50) * 3 - high(i, 50); }
MAP(Bytes, int) { return ((const signed char *)in)[low(4 * i + 1, 4 * n - 7)]; }

MAP(Loop, int)
{
    int s = 0;
    for (int d = -2; d <= 2; d++)
        s = s * 3 + in[low(high(i + d, 0), n - 1)];
    return s;
}

/* 3x3 sum with clamped edges; stores are clamped as well: lanes past the edge write what its last
 * pixel gets */
__global__ void
box(int *out, const int *in, int w, int h)
{
    int x = low((int)(blockIdx.x * blockDim.x + threadIdx.x), w - 1);
    int y = low((int)(blockIdx.y * blockDim.y + threadIdx.y), h - 1), sum = 0;

    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum = sum * 5 + in[low(high(y + dy, 0), h - 1) * w + high(low(x + dx, w - 1), 0)];
    out[y * w + x] = sum;
}

int
main()
{
    const int w = 83, h = 21;
    const dim3 shapes[] = {dim3(32, 4), dim3(16, 16), dim3(8, 8), dim3(64, 2),
                           dim3(37, 3), dim3(256),    dim3(4, 8)};

    RUN_MAP(Below);
    RUN_MAP(Above);
    RUN_MAP(Both);
    RUN_MAP(Outer);
    RUN_MAP(Reverse);
    RUN_MAP(Unsigned);
    RUN_MAP(UnsignedMax);
    RUN_MAP(Wraps);
    RUN_MAP(WrapsDown);
    RUN_MAP(Wide);
    RUN_MAP(Value);
    RUN_MAP(Bytes);
    RUN_MAP(Loop);

    std::vector<int> in(w * h), want(w * h);
    for (size_t k = 0; k < in.size(); k++)
        in[k] = (int)(mix((uint32_t)k) & 0xff);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            for (int k = 0; k < 9; k++)
                want[y * w + x] = want[y * w + x] * 5 + in[low(high(y + k / 3 - 1, 0), h - 1) * w +
                                                           low(high(x + k % 3 - 1, 0), w - 1)];
    Dev<int> din(in);
    for (dim3 b : shapes) {
        Dev<int> out(w * h);
        box<<<dim3((w + b.x - 1) / b.x + 1, (h + b.y - 1) / b.y), b>>>(out, din, w, h);
        check_same("box", out.get(), want);
    }
    return 0;
}
