/* SPDX-License-Identifier: MIT */
/* One code for many block shapes: rows of whole warps, several of them, and all others. */
#include "../check.h"

#include <cstdlib>

struct place {
    unsigned x, y, z, lane, sum, n;
};

static __device__ __noinline__ unsigned
number_out_of_line()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__global__ void
places(place *out)
{
    __shared__ unsigned sums[1024];
    unsigned id = local_id(), n = block_threads();
    unsigned b = blockIdx.x + gridDim.x * blockIdx.y;

    sums[id] = threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z;
    __syncthreads();
    unsigned sum = sums[(id + 1) % n] + sums[(id + n / 2) % n];
    __syncthreads();
    sums[n - 1 - id] = number_out_of_line();
    __syncthreads();
    out[b * n + id] = {threadIdx.x, threadIdx.y, threadIdx.z, id % warpSize, sum, sums[id]};
}

/* Rows and columns as programs index them: contiguous in x. */
__global__ void
image(int *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
        out[y * width + x] = 1000 * y + x;
}

static void
check_places(dim3 b)
{
    unsigned n = threads_of(b);
    Dev<place> out(6 * n);

    places<<<dim3(3, 2), b>>>(out);
    std::vector<place> p = out.get();
    auto at = [&](unsigned i) {
        i %= n;
        return i % b.x + 100 * (i / b.x % b.y) + 10000 * (i / b.x / b.y);
    };
    for (unsigned i = 0; i < 6 * n; i++) {
        unsigned id = i % n;

        CHECK(p[i].x == id % b.x && p[i].y == id / b.x % b.y && p[i].z == id / b.x / b.y);
        CHECK(p[i].lane == id % (unsigned)host_warp_size());
        CHECK(p[i].sum == at(id + 1) + at(id + n / 2) && p[i].n == n - 1 - id);
    }
}

static void
check_image(dim3 b)
{
    const int width = 203, height = 71;
    Dev<int> out(width * height);

    image<<<dim3((width + b.x - 1) / b.x, (height + b.y - 1) / b.y), b>>>(out, width, height);
    std::vector<int> p = out.get();
    for (int i = 0; i < width * height; i++)
        CHECK(p[i] == i / width * 1000 + i % width);
}

int
main()
{
    const dim3 shapes[] = {
        dim3(64),       dim3(1024),    dim3(128, 4),   dim3(64, 16), dim3(192, 5),
        dim3(32),       dim3(1),       dim3(33),       dim3(100),    dim3(16, 16),
        dim3(32, 8),    dim3(8, 8),    dim3(64, 1, 2), dim3(1, 64),  dim3(1, 1, 64),
        dim3(64, 2, 3), dim3(5, 7, 11), dim3(960),     dim3(96, 3),
    };

    setenv("LOCKSTEP_SHAPES", "0", 1); /* read at a launch */
    for (dim3 b : shapes) {
        check_places(b);
        check_image(b);
    }
    return 0;
}
