/* SPDX-License-Identifier: MIT */
/* The clang scoped atomics that AMD's headers are made of: orders, scopes, all operations, sub-word
 * free. */
#include "../check.h"

__global__ void
scoped(int *cells, float *fcell, unsigned long long *wide, int *out)
{
    int i = (int)global_id();

    __hip_atomic_fetch_add(&cells[0], 2, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_max(&cells[1], i, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_SYSTEM);
    __hip_atomic_fetch_min(&cells[2], -i, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_or(&cells[3], 1 << (i & 15), __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
    __hip_atomic_fetch_xor(&cells[4], i, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_and(&cells[5], ~(1 << (i & 15)), __ATOMIC_RELAXED,
                           __HIP_MEMORY_SCOPE_WAVEFRONT);
    __hip_atomic_fetch_add(fcell, 0.5f, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_add(wide, 1ull << 33, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    int expected = 0;
    if (__hip_atomic_compare_exchange_strong(&cells[6], &expected, i + 1, __ATOMIC_ACQ_REL,
                                             __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT))
        __hip_atomic_fetch_add(&cells[7], 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    else
        out[i] += expected > 0 ? 1 : 1000;
    __hip_atomic_store(&cells[8 + i % 4], 5, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    out[i] += __hip_atomic_load(&cells[12], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM);
    __threadfence();
    __threadfence_block();
    __threadfence_system();
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
}

int
main()
{
    std::vector<int> start(16, 0);
    start[5] = -1;
    start[12] = 77;

    for (unsigned threads : {37u, 256u}) {
        const int n = (int)threads * 4;
        int x = 0;
        Dev<int> cells(start), out((size_t)n);
        Dev<float> f(1);
        Dev<unsigned long long> w(1);
        scoped<<<4, threads>>>(cells, f, w, out);
        for (int i = 0; i < n; i++)
            x ^= i;
        std::vector<int> c = cells.get(), o = out.get();
        CHECK(c[0] == 2 * n && c[1] == n - 1 && c[2] == -(n - 1) && c[3] == 0xffff && c[4] == x);
        CHECK(c[5] == ~0xffff && c[6] >= 1 && c[6] <= n && c[7] == 1);
        CHECK(c[8] == 5 && c[9] == 5 && c[10] == 5 && c[11] == 5);
        CHECK(f.get()[0] == (float)n * 0.5f && w.get()[0] == (unsigned long long)n << 33);
        int losers = 0;
        for (int i = 0; i < n; i++) {
            CHECK(o[i] == 77 || o[i] == 78);
            losers += o[i] == 78;
        }
        CHECK(losers == n - 1);
    }
    return 0;
}
