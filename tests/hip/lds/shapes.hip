/* SPDX-License-Identifier: MIT */
/* __shared__: several arrays, structs, bytes, two dimensions, dynamic with carving, address
 * passing. */
#include "../check.h"

struct Cell {
    int key;
    double value;
    char tag[3];
};

__device__ __attribute__((noinline)) int
sum_two(const int *p, const int *q)
{
    return *p + *q;
}

__global__ void
statics(int *out, const int *in)
{
    __shared__ int a[1024];
    __shared__ unsigned char bytes[1024];
    __shared__ Cell cells[128];
    __shared__ float grid[32][33];
    __shared__ int single;
    unsigned t = local_id(), n = block_threads();

    a[t] = in[global_id()];
    bytes[t] = (unsigned char)(t * 3);
    if (t < 128) {
        cells[t].key = (int)t;
        cells[t].value = t * 0.5;
        cells[t].tag[t % 3] = (char)t;
    }
    grid[t / 32][t % 32] = (float)t;
    if (t == 0)
        single = (int)blockIdx.x + 77;
    __syncthreads();
    unsigned u = n - 1 - t;
    int r = a[u] + bytes[u] * 3 + single;
    r += cells[u % 128 < n ? u % 128 : 0].key;
    r += (int)(cells[t % (n < 128 ? n : 128)].value * 2);
    r += cells[t % (n < 128 ? n : 128)].tag[(t % (n < 128 ? n : 128)) % 3];
    r += (int)grid[u / 32][u % 32];
    r += sum_two(&a[t], &single);
    out[global_id()] = r;
}

__global__ void
dynamic(int *out, const int *in)
{
    extern __shared__ char raw[];
    unsigned t = local_id(), n = block_threads();
    double *d = (double *)raw;
    int *k = (int *)(d + n);
    char *c = (char *)(k + n);

    d[t] = in[global_id()] * 0.5;
    k[t] = in[global_id()] & 255;
    c[t] = (char)(t & 63);
    __syncthreads();
    unsigned u = (t + 1) % n, v = (t * 5 + 3) % n;
    out[global_id()] = (int)d[u] + k[v] + c[n - 1 - t];
}

__global__ void
both(int *out, const int *in)
{
    __shared__ int fixed[32];
    extern __shared__ int flexible[];
    unsigned t = local_id(), n = block_threads();

    if (t < 32)
        fixed[t] = (int)t + 1;
    flexible[t] = in[global_id()];
    __syncthreads();
    unsigned limit = n < 32 ? n : 32;
    out[global_id()] = fixed[t % limit] * 1000 + (flexible[n - 1 - t] & 255);
}

int
main()
{
    const unsigned blocks = 3;

    for (dim3 b : test_shapes()) {
        unsigned n = threads_of(b);
        std::vector<int> in = map_input(n * blocks), want(n * blocks);
        Dev<int> din(in), out(n * blocks);

        for (unsigned g = 0; g < blocks; g++)
            for (unsigned t = 0; t < n; t++) {
                unsigned u = n - 1 - t, m = t % (n < 128 ? n : 128);
                int r = in[g * n + u] + (unsigned char)(u * 3) * 3 + (int)g + 77;
                r += (int)(u % 128 < n ? u % 128 : 0) + (int)(m * 0.5 * 2) + (char)m + (int)u;
                r += in[g * n + t] + (int)g + 77;
                want[g * n + t] = r;
            }
        statics<<<blocks, b>>>(out, din);
        check_same("statics", out.get(), want);

        for (unsigned g = 0; g < blocks; g++)
            for (unsigned t = 0; t < n; t++) {
                const int *p = &in[g * n];
                want[g * n + t] = (int)(p[(t + 1) % n] * 0.5) + (p[(t * 5 + 3) % n] & 255) +
                                  (int)((n - 1 - t) & 63);
            }
        dynamic<<<blocks, b, n * 13>>>(out, din);
        check_same("dynamic", out.get(), want);

        for (unsigned g = 0; g < blocks; g++)
            for (unsigned t = 0; t < n; t++)
                want[g * n + t] =
                    (int)(t % (n < 32 ? n : 32) + 1) * 1000 + (in[g * n + n - 1 - t] & 255);
        both<<<blocks, b, n * sizeof(int)>>>(out, din);
        check_same("both", out.get(), want);
    }
    return 0;
}
