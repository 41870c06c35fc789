// SPDX-License-Identifier: MIT
// lockstep/wmma.h: the 32x32x32 example of Kernel Programming (AMDGPU.jl) at both layouts, with f16
// and bf16 inputs and with f32, f16 and bf16 memory for C and D; and a product of tiles through
// LDS.
// OPT: -O3
// ISA: native
#include "reference.h"

#include <lockstep/wmma.h>

using namespace lockstep;

/* C = A * B; every matrix in `L` order, as the document's example has them; C is added when it asks
 * for it. */
template <typename T, typename TC, typename L>
__global__ void
example(TC *c, const T *a, const T *b, int m, int n, int k, bool accumulate)
{
    const bool rows = wmma::detail::is_row_major(L());
    int row = (int)blockIdx.x * wmma::M, col = (int)blockIdx.y * wmma::N;
    TC *tile = rows ? c + row * n + col : c + col * m + row;
    int a_stride = rows ? k : m, b_stride = rows ? n : k, c_stride = rows ? n : m;
    wmma::fragment_c sum = accumulate ? wmma::load_c(tile, c_stride, L()) : wmma::fill_c(0.0f);

    for (int at = 0; at < k; at += wmma::K) {
        auto fa = wmma::load_a(rows ? a + row * k + at : a + at * m + row, a_stride, L());
        auto fb = wmma::load_b(rows ? b + at * n + col : b + col * k + at, b_stride, L());
        sum = wmma::mma(fa, fb, sum);
    }
    wmma::store_d(tile, sum, c_stride, L());
}

/* Tiles of 16 rows of A and 16 columns of B in LDS, where the lanes' addresses are known. */
__global__ void
through_lds(float *c, const _Float16 *a, const _Float16 *b, int n, int k)
{
    __shared__ _Float16 as[16][40], bs[16][40];
    int row = (int)blockIdx.x * 16, col = (int)blockIdx.y * 16;
    wmma::fragment_c sum = wmma::fill_c(1.0f);

    for (int at = 0; at < k; at += 32) {
        for (int i = (int)threadIdx.x; i < 512; i += (int)blockDim.x) {
            as[i / 32][i % 32] = a[(row + i / 32) * k + at + i % 32];
            bs[i / 32][i % 32] = b[(at + i % 32) * n + col + i / 32];
        }
        __syncthreads();
        for (int s = 0; s < 32; s += 16)
            sum = wmma::mma(wmma::load_a(&as[0][s], 40, wmma::row_major()),
                            wmma::load_b(&bs[0][s], 40, wmma::col_major()), sum);
        __syncthreads();
    }
    wmma::store_d(c + row * n + col, sum, n, wmma::row_major());
}

static float
value_of(const _Float16 &x)
{
    return (float)x;
}
static float
value_of(const __hip_bfloat16 &x)
{
    return __bfloat162float(x);
}
static float
value_of(const float &x)
{
    return x;
}
static void
set(_Float16 &x, int v)
{
    x = (_Float16)v;
}
static void
set(__hip_bfloat16 &x, int v)
{
    x = __float2bfloat16((float)v);
}
static void
set(float &x, int v)
{
    x = (float)v;
}

template <typename T, typename TC, typename L>
static void
check_example(const char *name, bool accumulate, int m = 32, int n = 32, int k = 32)
{
    const bool rows = std::is_same<L, wmma::row_major>::value;
    std::vector<T> a((size_t)(m * k)), b((size_t)(k * n));
    std::vector<TC> c((size_t)(m * n)), got(c.size());
    numbers rnd((uint32_t)(m + k));
    T *da, *db;
    TC *dc;

    for (auto &x : a)
        set(x, rnd.next(-3, 3));
    for (auto &x : b)
        set(x, rnd.next(-2, 2));
    for (auto &x : c)
        set(x, rnd.next(-16, 16));
    CHECK_HIP(hipMalloc((void **)&da, a.size() * sizeof(T)));
    CHECK_HIP(hipMalloc((void **)&db, b.size() * sizeof(T)));
    CHECK_HIP(hipMalloc((void **)&dc, c.size() * sizeof(TC)));
    CHECK_HIP(hipMemcpy(da, a.data(), a.size() * sizeof(T), hipMemcpyHostToDevice));
    CHECK_HIP(hipMemcpy(db, b.data(), b.size() * sizeof(T), hipMemcpyHostToDevice));
    CHECK_HIP(hipMemcpy(dc, c.data(), c.size() * sizeof(TC), hipMemcpyHostToDevice));
    example<T, TC, L><<<dim3((unsigned)(m / 16), (unsigned)(n / 16)), (unsigned)warpSize>>>(
        dc, da, db, m, n, k, accumulate);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(got.data(), dc, c.size() * sizeof(TC), hipMemcpyDeviceToHost));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            size_t at = (size_t)(rows ? i * n + j : j * m + i);
            float want = accumulate ? value_of(c[at]) : 0.0f;
            for (int t = 0; t < k; t++)
                want += value_of(a[(size_t)(rows ? i * k + t : t * m + i)]) *
                        value_of(b[(size_t)(rows ? t * n + j : j * k + t)]);
            TC rounded;
            set(rounded, (int)want);
            if (value_of(got[at]) != value_of(rounded))
                FAIL("%s: element (%d, %d) is %g, expected %g", name, i, j,
                     (double)value_of(got[at]), (double)want);
        }
    CHECK_HIP(hipFree(da));
    CHECK_HIP(hipFree(db));
    CHECK_HIP(hipFree(dc));
}

static void
check_lds()
{
    const int m = 48, n = 32, k = 64;
    std::vector<_Float16> a(m * k), b(k * n);
    std::vector<float> got(m * n);
    numbers rnd(99);
    _Float16 *da, *db;
    float *dc;

    for (auto &x : a)
        set(x, rnd.next(-3, 3));
    for (auto &x : b)
        set(x, rnd.next(-3, 3));
    CHECK_HIP(hipMalloc((void **)&da, a.size() * 2));
    CHECK_HIP(hipMalloc((void **)&db, b.size() * 2));
    CHECK_HIP(hipMalloc((void **)&dc, got.size() * 4));
    CHECK_HIP(hipMemcpy(da, a.data(), a.size() * 2, hipMemcpyHostToDevice));
    CHECK_HIP(hipMemcpy(db, b.data(), b.size() * 2, hipMemcpyHostToDevice));
    through_lds<<<dim3(m / 16, n / 16), (unsigned)warpSize>>>(dc, da, db, n, k);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(got.data(), dc, got.size() * 4, hipMemcpyDeviceToHost));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float want = 1.0f;
            for (int t = 0; t < k; t++)
                want += (float)a[(size_t)(i * k + t)] * (float)b[(size_t)(t * n + j)];
            if (got[(size_t)(i * n + j)] != want)
                FAIL("LDS: element (%d, %d) is %g, expected %g", i, j,
                     (double)got[(size_t)(i * n + j)], (double)want);
        }
}

int
main()
{
    check_example<_Float16, float, wmma::col_major>("f16, columns", false);
    check_example<_Float16, float, wmma::row_major>("f16, rows", false);
    check_example<__hip_bfloat16, float, wmma::col_major>("bf16, columns", true);
    check_example<__hip_bfloat16, float, wmma::row_major>("bf16, rows", false, 16, 48, 64);
    check_example<_Float16, _Float16, wmma::row_major>("f16 into f16", true);
    check_example<__hip_bfloat16, __hip_bfloat16, wmma::col_major>("bf16 into bf16", true);
    check_lds();
    return 0;
}
