/* SPDX-License-Identifier: MIT */
/* A shape that runs code for many shapes for as long as making code takes gets its own. */
#include "../check.h"

#include <cstdlib>
#include <link.h>

enum { N = 128, T = 16 };

__global__ void
product(int *c, const int *a, const int *b)
{
    __shared__ int as[T][T], bs[T][T];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
    int sum = 0;

    for (int t = 0; t < N; t += T) {
        as[ty][tx] = a[row * N + t + tx];
        bs[ty][tx] = b[(t + ty) * N + col];
        __syncthreads();
        for (int k = 0; k < T; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * N + col] = sum;
}

/* How many shared objects this process has ever opened: kernels' code is such. */
static unsigned long long
objects()
{
    unsigned long long n = 0;

    dl_iterate_phdr(
        [](dl_phdr_info *info, size_t, void *p) {
            *(unsigned long long *)p = info->dlpi_adds;
            return 1;
        },
        &n);
    return n;
}

static void
check(const Dev<int> &c)
{
    std::vector<int> p = c.get();

    for (int i = 0; i < N * N; i++)
        CHECK(p[i] == N * (i / N) * (i % N));
}

int
main()
{
    bool is_here = !getenv("LOCKSTEP_FAR"); /* else it is another process that opens them */
    Dev<int> a(N * N), b(N * N), c(N * N);
    std::vector<int> rows(N * N), columns(N * N);
    unsigned long long first;
    int n = 0;

    for (int i = 0; i < N * N; i++) {
        rows[i] = i / N;
        columns[i] = i % N;
    }
    a.set(rows);
    b.set(columns);
    setenv("LOCKSTEP_SHAPES", "0", 1); /* read at a launch */
    product<<<dim3(N / T, N / T), dim3(T, T)>>>(c, a, b);
    check(c);
    first = objects();
    do {
        product<<<dim3(N / T, N / T), dim3(T, T)>>>(c, a, b);
        CHECK(hipDeviceSynchronize() == hipSuccess);
    } while (++n < (is_here ? 100000 : 100) && objects() == first);
    CHECK(!is_here || objects() == first + 1);
    check(c);
    for (int i = 0; i < 100; i++)
        product<<<dim3(N / T, N / T), dim3(T, T)>>>(c, a, b);
    check(c);
    CHECK(!is_here || objects() == first + 1); /* once and for all */
    return 0;
}
