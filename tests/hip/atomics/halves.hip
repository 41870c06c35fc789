/* SPDX-License-Identifier: MIT */
/* Atomic adds of half, bfloat16 and pairs of them, in global memory and LDS, to one address and to
 * many; 16-bit compare and swap; _Float16 by the builtin. Sums stay exact. */
// OPT: -O3
// ISA: avx512 avx2
#include "../check.h"

#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>

static const int N = 256, CELLS = 4;

template <typename T>
__global__ void
add(T *cells, T one)
{
    __shared__ T local[CELLS];
    int i = (int)global_id(), t = (int)local_id();

    if (t < CELLS)
        local[t] = one;
    __syncthreads();
    atomicAdd(&local[t % CELLS], one);
    unsafeAtomicAdd(&cells[i % CELLS], one);
    safeAtomicAdd(&cells[CELLS], one);
    __syncthreads();
    if (t < CELLS)
        cells[CELLS + 1 + t] = local[t];
}

__global__ void
words(unsigned short *cells, _Float16 *halves)
{
    int i = (int)global_id();
    unsigned short expected = cells[i % 2], old;

    do { /* increments by compare and swap, the neighbour in the same word does the same */
        old = expected;
        expected = atomicCAS(&cells[i % 2], old, (unsigned short)(old + 1));
    } while (expected != old);
    __hip_atomic_fetch_add(&halves[i % 2], (_Float16)1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

template <typename T>
static void
run(const char *name, T one, float (*first)(T), float (*second)(T))
{
    Dev<T> cells(2 * CELLS + 1);

    CHECK_HIP(hipMemset(cells.p, 0, (2 * CELLS + 1) * sizeof(T)));
    add<T><<<1, N>>>(cells.p, one);
    CHECK_RUN();
    std::vector<T> got = cells.get();
    for (int k = 0; k < 2 * CELLS + 1; k++) {
        float want = k < CELLS ? N / CELLS : k == CELLS ? N : N / CELLS + 1;
        if (first(got[k]) != want || second(got[k]) != want)
            FAIL("%s cell %d: got %g %g, expected %g", name, k, (double)first(got[k]),
                 (double)second(got[k]), (double)want);
    }
}

int
main()
{
    run<__half>("half", __float2half(1), [](__half v) { return __half2float(v); },
                [](__half v) { return __half2float(v); });
    run<__half2>("half2", __float2half2_rn(1), [](__half2 v) { return __low2float(v); },
                 [](__half2 v) { return __high2float(v); });
    run<__hip_bfloat16>(
        "bfloat16", __float2bfloat16(1), [](__hip_bfloat16 v) { return __bfloat162float(v); },
        [](__hip_bfloat16 v) { return __bfloat162float(v); });
    run<__hip_bfloat162>("bfloat162", __hip_bfloat162(__float2bfloat16(1), __float2bfloat16(1)),
                         [](__hip_bfloat162 v) { return __bfloat162float(v.x); },
                         [](__hip_bfloat162 v) { return __bfloat162float(v.y); });
    std::vector<unsigned short> zero(2, 0);
    std::vector<_Float16> none(2, (_Float16)0);
    Dev<unsigned short> cells(zero);
    Dev<_Float16> halves(none);
    words<<<2, N>>>(cells.p, halves.p);
    for (unsigned short v : cells.get())
        CHECK(v == N);
    for (_Float16 v : halves.get())
        CHECK(v == (_Float16)N);
    return 0;
}
