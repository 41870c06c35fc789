/* SPDX-License-Identifier: MIT */
/* The examples that the documents print with their results: Kernel Programming (AMDGPU.jl: warp
 * queries and data movement, atomic maximum), HIP Language Extensions and HIP Programming Guide
 * (integer intrinsics, dim3, vectors, block votes). Lanes count from 0. */
// OPT: -O3
// ISA: avx512 sse2
// HOST: optimized, because the headers have code for it
#include "../check.h"

enum { ROW = 16 };

/* Eight threads: what lane l gets, row by row. */
__global__ void
movement(int *out)
{
    int i = (int)threadIdx.x, *o = out + i;

    o[0 * ROW] = (int)__lane_id();
    o[1 * ROW] = __builtin_amdgcn_ds_bpermute(((i + 1) % 8) * 4, i);
    o[2 * ROW] = __builtin_amdgcn_ds_permute(((i + 1) % 8) * 4, i);
    o[3 * ROW] = __shfl(i, i + 1);
    o[4 * ROW] = __shfl(i, i + 1, 4);
    o[5 * ROW] = __shfl_up(i, 1);
    o[6 * ROW] = __shfl_down(i, 1, 8);
    o[7 * ROW] = __shfl_xor(i, 1);
    o[8 * ROW] = __shfl_sync(0xffull, i, i + 1, 4);
    o[9 * ROW] = __shfl_up_sync(0xffull, i, 1);
    o[10 * ROW] = __shfl_down_sync(0xffull, i, 1, 8);
    o[11 * ROW] = __shfl_xor_sync(0xffull, i, 1);
}

static const int moved[12][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {1, 2, 3, 4, 5, 6, 7, 0}, {7, 0, 1, 2, 3, 4, 5, 6},
    {1, 2, 3, 4, 5, 6, 7, 0}, {1, 2, 3, 0, 5, 6, 7, 4}, {0, 0, 1, 2, 3, 4, 5, 6},
    {1, 2, 3, 4, 5, 6, 7, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {1, 2, 3, 0, 5, 6, 7, 4},
    {0, 0, 1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6, 7, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
};

/* 32 threads */
__global__ void
votes(unsigned long long *out)
{
    int i = (int)threadIdx.x;

    unsigned long long all = __ballot(true);
    if (i == 0) {
        out[0] = all;
        out[1] = (unsigned long long)warpSize;
    }
    if (i % 2 == 0) {
        unsigned long long even = __ballot_sync(0x55555555ull, true), active = __activemask();
        int any = __any_sync(0x55555555ull, i == 0), every = __all_sync(0x55555555ull, true);
        if (i == 0) {
            out[2] = even;
            out[3] = (unsigned long long)any;
            out[4] = (unsigned long long)every;
            out[5] = active;
        }
    }
    int count = __syncthreads_count(i < 5), both = __syncthreads_and(i < 5),
        some = __syncthreads_or(i == 31);
    out[6 + i] = (unsigned long long)(count * 4 + both * 2 + some);
}

__global__ void
maxima(unsigned *target, const unsigned *source, const int *indices)
{
    unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
    atomicMax(&target[indices[i]], source[i]);
}

__global__ void
integers(unsigned long long *o)
{
    o[0] = __brev(1u);
    o[1] = __brevll(1ull);
    o[2] = (unsigned long long)__clz(1);
    o[3] = (unsigned long long)__clzll(1ll);
    o[4] = (unsigned long long)__ffs(1u);
    o[5] = (unsigned long long)__ffs(8u);
    o[6] = (unsigned long long)__ffsll(8ull);
    o[7] = (unsigned long long)__popc(0xffffffffu);
    o[8] = (unsigned long long)__popcll(~0ull);
    o[9] = (unsigned long long)__mul24(0x1000003, 2);
    o[10] = (unsigned long long)__umul24(0x1000003u, 2u);
    o[11] = __lastbit_u32_u32(8u);
    o[12] = __lastbit_u32_u64(1ull << 40);
    o[13] = __byte_perm(0x33221100u, 0x77665544u, 0x7250u);
    o[14] = (unsigned long long)__clz(0);
    o[15] = (unsigned long long)__ffs(0);
}

static const unsigned long long integer_results[16] = {
    0x80000000ull,
    0x8000000000000000ull,
    31,
    63,
    1,
    4,
    4,
    32,
    64,
    6,
    6,
    3,
    40,
    0x77225500ull,
    32,
    0,
};

/* A double literal makes the sum a double. */
__host__ __device__ static double
plus_one(float x)
{
    return x + 1.0;
}

__global__ void
values(double *o)
{
    float4 v = make_float4(1.0f, 2.0f, 3.0f, 4.0f);
    o[0] = (double)v.x + 10 * (double)v.y + 100 * (double)v.z + 1000 * (double)v.w;
    o[1] = plus_one(0x1p-30f);
    o[2] = (double)(sizeof(1.0f + 1.0) * 10 + sizeof(1.0f + 1.0f));
}

int
main()
{
    dim3 five(5), none;
    CHECK(five.x == 5 && five.y == 1 && five.z == 1 && none.x == 1 && none.y == 1 && none.z == 1);

    Dev<int> rows(12 * ROW);
    movement<<<1, 8>>>(rows);
    std::vector<int> r = rows.get();
    for (int k = 0; k < 12; k++)
        for (int l = 0; l < 8; l++) {
            int want = moved[k][l];
            if (r[k * ROW + l] != want)
                FAIL("row %d, lane %d: got %d, expected %d", k, l, r[k * ROW + l], want);
        }

    Dev<unsigned long long> bits(6 + 32);
    votes<<<1, 32>>>(bits);
    std::vector<unsigned long long> b = bits.get();
    CHECK(b[0] == 0xffffffffull);
    CHECK(b[1] == (unsigned long long)host_warp_size());
    CHECK(b[2] == 0x55555555ull && b[3] == 1 && b[4] == 1 && b[5] == 0x55555555ull);
    for (int i = 0; i < 32; i++)
        CHECK(b[6 + i] == 5 * 4 + 0 * 2 + 1);

    const int n = 1024, bins = 32;
    std::vector<unsigned> source(n), want(bins, 0), zero(bins, 0);
    std::vector<int> index(n);
    for (int i = 0; i < n; i++) {
        source[i] = mix((uint32_t)i);
        index[i] = (int)(mix((uint32_t)i + 5000) % bins);
        want[index[i]] = want[index[i]] > source[i] ? want[index[i]] : source[i];
    }
    Dev<unsigned> ds(source), target(zero);
    Dev<int> di(index);
    maxima<<<4, 256>>>(target, ds, di);
    check_same("maxima", target.get(), want);

    Dev<unsigned long long> ints(16);
    integers<<<1, 1>>>(ints);
    std::vector<unsigned long long> g = ints.get();
    for (int i = 0; i < 16; i++)
        if (g[i] != integer_results[i])
            FAIL("integer %d: got 0x%llx, expected 0x%llx", i, g[i], integer_results[i]);

    Dev<double> vals(3);
    values<<<1, 1>>>(vals);
    std::vector<double> v = vals.get();
    CHECK(v[0] == 4321 && v[1] == 1.0 + 0x1p-30 && v[1] == plus_one(0x1p-30f) && v[2] == 84);
    return 0;
}
