/* SPDX-License-Identifier: MIT */
/* Loops that several warps of a block go through together: columns that they share or have for
 * themselves, sums of several kinds, tests that agree for all warps or do not, lengths that differ
 * by warp, what each warp keeps in private memory, and stores around the loops. */
#include "../check.h"

enum { N = 72, PAD = 96 };

__host__ __device__ static inline float
product(const float *a, const float *b, int row, int col, int n)
{
    float sum = 0;

    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    return sum;
}

__global__ void
products(float *c, const float *a, const float *b, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < n && col < n)
        c[row * n + col] = product(a, b, row, col, n);
}

/* A sum in memory, read again behind its stores. */
__global__ void
columns(float *y, float *more, const float *a, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    y[i] = more[i];
    for (int k = 0; k < n; k++)
        y[i] += a[k * n + i] * x[k];
    more[i] += y[i];
    for (int k = 0; k < n; k += 2)
        y[i] -= a[k * n + i];
}

/* The loop's length differs by warp, or by thread. */
__global__ void
own_lengths(int *out, const int *a, int n, int by_thread)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int sum = 0, length = by_thread ? i % n : y % n;

    if (i < n && y < n) {
        for (int k = 0; k < length; k++)
            sum += a[k * n + i] * (k + y);
        out[y * n + i] = sum;
    }
}

/* Private arrays, indexed in the loop and behind it. */
__global__ void
with_private(int *out, const int *a, int n)
{
    int own[5] = {1, 2, 3, 4, 5};
    int i = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int sum = 0;

    if (i < n && y < n) {
        own[(i + y) % 5] += y;
        for (int k = 0; k < n; k++)
            sum += a[k * n + i] * own[(k + y) % 5];
        own[sum & 3] -= sum;
        out[y * n + i] = own[0] + 3 * own[1] + 5 * own[2] + 7 * own[3] + sum;
    }
}

/* Three sums of two types at once, and a test that is the same for all. */
__global__ void
several(double *out, const double *a, const int *b, int n, int twice)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    double s = 0, least = 1e30;
    int count = 0;

    if (i < n && y < n) {
        for (int k = 0; k < n; k++) {
            double v = a[k * n + i] + y;

            s += v;
            least = v < least ? v : least;
            count += b[k * n + i] & y;
        }
        if (twice)
            for (int k = 0; k < n; k++)
                s += a[k * n + i] * 2;
        out[y * n + i] = s + 3 * least + count;
    }
}

/* Warps of shared memory and a barrier between two such loops. */
__global__ void
staged(int *out, const int *a, int n)
{
    __shared__ int part[1024];
    int i = threadIdx.x, t = threadIdx.y * blockDim.x + i, sum = 0;

    for (int k = 0; k < n; k++)
        sum += a[k * n + i % n] + threadIdx.y;
    part[t] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < (int)blockDim.y; k++)
        sum += part[k * blockDim.x + i] * (k + 1);
    out[blockIdx.x * blockDim.x * blockDim.y + t] = sum;
}

template <typename T>
static std::vector<T>
numbers(size_t n)
{
    std::vector<T> v(n);

    for (size_t i = 0; i < n; i++)
        v[i] = (T)((int)(i * 13 % 31) - 9);
    return v;
}

template <typename T>
struct Device {
    T *p;
    size_t n;

    explicit Device(const std::vector<T> &from) : p(NULL), n(from.size())
    {
        CHECK_HIP(hipMalloc(&p, n * sizeof(T)));
        CHECK_HIP(hipMemcpy(p, from.data(), n * sizeof(T), hipMemcpyHostToDevice));
    }
    ~Device() { CHECK_HIP(hipFree(p)); }
    std::vector<T> get() const
    {
        std::vector<T> v(n);

        CHECK_HIP(hipMemcpy(v.data(), p, n * sizeof(T), hipMemcpyDeviceToHost));
        return v;
    }
};

static void
check_shape(dim3 block, int n)
{
    dim3 grid((n + block.x - 1) / block.x, (n + block.y - 1) / block.y);
    std::vector<float> fa = numbers<float>(n * n), fb = numbers<float>(n * n + 5);
    std::vector<int> ia = numbers<int>(n * n);
    std::vector<double> da = numbers<double>(n * n);
    Device<float> a(fa), b(fb), c(std::vector<float>(n * n));
    Device<int> i(ia), out(std::vector<int>(n * n + 4096));
    Device<double> d(da), dout((std::vector<double>(n * n)));

    products<<<grid, block>>>(c.p, a.p, b.p, n);
    std::vector<float> got = c.get();
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            CHECK(got[y * n + x] == product(fa.data(), fb.data(), y, x, n));
    if (block.y == 1) {
        Device<float> sums(fb), more(fb);

        columns<<<grid.x, block>>>(sums.p, more.p, a.p, b.p, n);
        got = sums.get();
        std::vector<float> then = more.get();
        for (int x = 0; x < n; x++) {
            float y = fb[x];

            for (int k = 0; k < n; k++)
                y += fa[k * n + x] * fb[k];
            CHECK(then[x] == y + fb[x]);
            for (int k = 0; k < n; k += 2)
                y -= fa[k * n + x];
            CHECK(got[x] == y);
        }
    }
    for (int by_thread = 0; by_thread < 2; by_thread++) {
        own_lengths<<<grid, block>>>(out.p, i.p, n, by_thread);
        std::vector<int> sums = out.get();
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                int sum = 0;

                for (int k = 0; k < (by_thread ? x % n : y % n); k++)
                    sum += ia[k * n + x] * (k + y);
                CHECK(sums[y * n + x] == sum);
            }
    }
    with_private<<<grid, block>>>(out.p, i.p, n);
    std::vector<int> sums = out.get();
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            int own[5] = {1, 2, 3, 4, 5}, sum = 0;

            own[(x + y) % 5] += y;
            for (int k = 0; k < n; k++)
                sum += ia[k * n + x] * own[(k + y) % 5];
            own[sum & 3] -= sum;
            CHECK(sums[y * n + x] == own[0] + 3 * own[1] + 5 * own[2] + 7 * own[3] + sum);
        }
    for (int twice = 0; twice < 2; twice++) {
        several<<<grid, block>>>(dout.p, d.p, i.p, n, twice);
        std::vector<double> of = dout.get();
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                double s = 0, least = 1e30;
                int count = 0;

                for (int k = 0; k < n; k++) {
                    double v = da[k * n + x] + y;

                    s += v + (twice ? da[k * n + x] * 2 : 0);
                    least = v < least ? v : least;
                    count += ia[k * n + x] & y;
                }
                CHECK(of[y * n + x] == s + 3 * least + count);
            }
    }
    staged<<<2, block>>>(out.p, i.p, n);
    sums = out.get();
    for (unsigned g = 0; g < 2; g++)
        for (unsigned y = 0; y < block.y; y++)
            for (unsigned x = 0; x < block.x; x++) {
                int sum = 0, column = 0;

                for (int k = 0; k < n; k++)
                    column += ia[k * n + x % n];
                for (unsigned k = 0; k < block.y; k++)
                    sum += (column + n * (int)k) * (int)(k + 1);
                CHECK(sums[(g * block.y + y) * block.x + x] == sum);
            }
}

int
main()
{
    const dim3 shapes[] = {dim3(32, 8), dim3(16, 16), dim3(256), dim3(32, 32),
                           dim3(64, 4), dim3(8, 8),   dim3(96),  dim3(32, 6)};

    for (const dim3 &block : shapes)
        for (int n : {(int)N, (int)PAD, 67})
            check_shape(block, n);
    return 0;
}
