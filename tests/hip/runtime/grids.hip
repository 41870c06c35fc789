/* SPDX-License-Identifier: MIT */
/* Big grids, grids of two and three dimensions, built-in variables, blocks of 1024 with much
 * private memory. */
#include "../check.h"

__global__ void
count(unsigned *cells)
{
    unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);

    if (local_id() == 0)
        atomicAdd(&cells[b & 1023], 1u);
}

__global__ void
where(unsigned *out)
{
    unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned *o = out + 4 * ((size_t)b * block_threads() + local_id());

    o[0] = threadIdx.x | threadIdx.y << 10 | threadIdx.z << 20;
    o[1] = blockIdx.x | blockIdx.y << 10 | blockIdx.z << 20;
    o[2] = blockDim.x + blockDim.y * 2000 + blockDim.z * 4000000;
    o[3] = gridDim.x + gridDim.y * 2000 + gridDim.z * 4000000;
}

__global__ void
hungry(int *out, const int *in)
{
    int v[700];
    unsigned i = global_id();

    for (int k = 0; k < 700; k++)
        v[k] = k * 3 + (int)i;
    __syncthreads();
    int r = 0;
    for (int k = 0; k < 9; k++)
        r += v[(unsigned)(in[i] + k * 71) % 700u];
    __syncthreads();
    out[i] = r;
}

int
main()
{
    const dim3 grids[] = {dim3(2000000), dim3(1500, 1001), dim3(70, 60, 50)};

    for (dim3 g : grids) {
        Dev<unsigned> cells(1024);
        unsigned n = threads_of(g), total = 0;
        count<<<g, 32>>>(cells);
        std::vector<unsigned> c = cells.get();
        for (unsigned k = 0; k < 1024; k++) {
            CHECK(c[k] == n / 1024 + (k < n % 1024));
            total += c[k];
        }
        CHECK(total == n);
    }
    for (dim3 b : test_shapes()) {
        const dim3 g(3, 4, 2);
        unsigned t = threads_of(b), n = t * threads_of(g);
        Dev<unsigned> out(4 * n);
        where<<<g, b>>>(out);
        std::vector<unsigned> got = out.get();
        for (unsigned i = 0; i < n; i++) {
            unsigned l = i % t, k = i / t;
            unsigned want[4] = {l % b.x | l / b.x % b.y << 10 | l / b.x / b.y << 20,
                                k % 3 | k / 3 % 4 << 10 | k / 12 << 20,
                                b.x + b.y * 2000 + b.z * 4000000, 3 + 4 * 2000 + 2 * 4000000};
            check_same("where", &got[4 * i], want, 4);
        }
    }
    const unsigned n = 4096;
    std::vector<int> in(n), want(n);
    for (unsigned i = 0; i < n; i++) {
        in[i] = (int)(mix(i) & 0xffff);
        want[i] = 0;
        for (int k = 0; k < 9; k++)
            want[i] += (int)((unsigned)(in[i] + k * 71) % 700u) * 3 + (int)i;
    }
    Dev<int> din(in), out(n);
    hungry<<<n / 1024, 1024>>>(out, din);
    check_same("hungry", out.get(), want);
    return 0;
}
