/* SPDX-License-Identifier: MIT */
/* Addresses of LDS in constants: clang makes vectors, arrays and constant tables of them. A table
 * with such an address is another one in each block. */
#include "../check.h"

__device__ int device_a[64], device_b = 7;

__device__ __noinline__ static int
plus(int a, int b)
{
    return a + b;
}

__device__ __noinline__ static int
minus(int a, int b)
{
    return a - b;
}

/* Two buffers that change places: a constant table of LDS addresses. */
__global__ void
ping_pong(const unsigned *in, int *out)
{
    __shared__ int a[64], b[64];
    int *buf[2] = {a, b}, t = threadIdx.x;

    a[t] = t * (blockIdx.x + 1);
    __syncthreads();
    for (unsigned i = 0; i < 5 + in[0]; i++) {
        int *s = buf[i & 1], *d = buf[(i + 1) & 1];
        d[t] = s[(t + 1) & 63] + 1;
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = buf[(5 + in[0]) & 1][t];
}

/* LDS beside memory, uniform and varying index; what no lane reads is poison. */
__global__ void
beside(const unsigned *in, int *out)
{
    __shared__ int s[64];
    int *tab[2] = {s, out + 256}, t = threadIdx.x;
    int *four[4] = {out + 256, s, s + 1, nullptr};

    s[t] = t + 2;
    __syncthreads();
    out[t] = tab[in[blockIdx.x] & 1][t];
    out[64 + t] = tab[in[t & 7] & 1][t];
    four[3] = s + 2;
    out[128 + t] = four[in[t & 7] + 1][t & 31];
}

/* LDS beside device variables, in structs with other members; a table that points to a table. */
struct Row {
    short tag;
    int *where;
    const char *name;
};

__global__ void
rows(const unsigned *in, int *out)
{
    __shared__ int s[64], r[2];
    const Row tab[4] = {{1, s, "x"}, {2, device_a, "yy"}, {3, r, "zzz"}, {4, &device_b, "u"}};
    const Row *const two[2] = {tab + in[0], tab + 2};
    int t = threadIdx.x;

    s[t] = t;
    device_a[t] = 100 + t;
    if (t < 2)
        r[t] = 1000 * (t + 1);
    __syncthreads();
    const Row &one = tab[(t + in[0]) & 3];
    out[t] = *one.where + one.tag * 10000 + one.name[0];
    out[64 + t] = *two[in[1] & 1]->where + *two[t & 1]->where;
}

__device__ __noinline__ int
in_function(int which, int t)
{
    __shared__ int p[64], q[64];
    int *const both[2] = {p, q};

    __syncthreads();
    p[t] = t;
    q[t] = -t;
    __syncthreads();
    return both[which][(t + 1) & 63];
}

/* Numbers made of addresses, addresses of dynamic LDS, function addresses and variables in
 * vectors. */
__global__ void
mixed(const unsigned *in, int *out)
{
    extern __shared__ int dynamic[];
    __shared__ int fixed[64];
    int t = threadIdx.x, local[2] = {11, 12};
    int *tab[3] = {dynamic, fixed, local}, *last = in[t & 7] ? fixed : dynamic;
    int (*fn[2])(int, int) = {plus, minus};
    int *vars[2] = {&device_b, device_a};
    uintptr_t number[2] = {(uintptr_t)dynamic, (uintptr_t)(fixed + 3)};

    dynamic[t] = 3 * t;
    fixed[t] = 5 * t;
    __syncthreads();
    out[t] = tab[in[t & 7]][t] + tab[in[1]][1] + tab[in[0] + 2][in[t & 7]];
    out[64 + t] = fn[in[t & 7]](*last, 1) + *vars[in[t & 3]];
    out[128 + t] = *(int *)number[in[t & 7]] + in_function(in[1], t) + in_function(in[0], t);
}

int
main()
{
    const unsigned z[8] = {0, 1, 0, 1, 1, 0, 1, 1};
    Dev<unsigned> in(8);
    Dev<int> out(512);

    hipMemcpy(in, z, sizeof(z), hipMemcpyHostToDevice);
    hipMemset(out, 0, 512 * 4);
    ping_pong<<<8, 64>>>(in, out);
    std::vector<int> got = out.get(), want(512, 0);
    for (int i = 0; i < 512; i++)
        want[i] = ((i % 64 + 5) & 63) * (i / 64 + 1) + 5;
    check_same("ping_pong", got, want);

    hipMemset(out, 0, 512 * 4);
    want.assign(512, 0);
    beside<<<1, 64>>>(in, out);
    for (int t = 0; t < 64; t++) {
        want[t] = t + 2;
        want[64 + t] = z[t & 7] ? 0 : t + 2;
        want[128 + t] = (t & 31) + z[t & 7] + 2;
    }
    check_same("beside", out.get(), want);

    hipMemset(out, 0, 512 * 4);
    want.assign(512, 0);
    rows<<<1, 64>>>(in, out);
    for (int t = 0; t < 64; t++) {
        const int value[4] = {0, 100, 1000, 7};
        want[t] = value[t & 3] + ((t & 3) + 1) * 10000 + "xyzu"[t & 3];
        want[64 + t] = 1000 + (t & 1 ? 1000 : 0);
    }
    check_same("rows", out.get(), want);

    hipMemset(out, 0, 512 * 4);
    want.assign(512, 0);
    mixed<<<1, 64, 256>>>(in, out);
    for (int t = 0; t < 64; t++) {
        int k = z[t & 7];
        want[t] = (k ? 5 : 3) * t + 5 + 11 + k;
        want[64 + t] = (k ? -1 : 1) + (z[t & 3] ? 100 : 7);
        want[128 + t] = (k ? 15 : 0) + (-((t + 1) & 63)) + ((t + 1) & 63);
    }
    check_same("mixed", out.get(), want);
    return 0;
}
