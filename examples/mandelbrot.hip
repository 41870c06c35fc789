/* SPDX-License-Identifier: MIT */
/* The Mandelbrot set as a picture, mandelbrot.ppm. Threads of a warp leave the loop at different
 * times. */
#include <hip/hip_runtime.h>

#include "common.h"

#include <vector>

constexpr int WIDTH = 1200, HEIGHT = 800, LIMIT = 256;

/* Products and sums are rounded one by one, so that the host gets the same. */
__host__ __device__ inline int
steps(int x, int y)
{
#pragma clang fp contract(off)
    float cr = -2.2f + x * (3.2f / WIDTH), ci = -1.1f + y * (2.2f / HEIGHT), r = 0, i = 0;
    int n = 0;

    while (n < LIMIT && r * r + i * i < 4) {
        float next = r * r - i * i + cr;

        i = 2 * r * i + ci;
        r = next;
        n++;
    }
    return n;
}

__global__ void
mandelbrot(unsigned short *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < WIDTH && y < HEIGHT)
        out[y * WIDTH + x] = (unsigned short)steps(x, y);
}

int
main()
{
    const int n = WIDTH * HEIGHT;
    std::vector<unsigned short> result(n);
    std::vector<unsigned char> rgb(3 * n);
    unsigned short *out;
    int inside = 0, wrong = 0;

    print_device();
    HIP_CHECK(hipMalloc(&out, n * sizeof(*out)));
    mandelbrot<<<dim3((WIDTH + 31) / 32, (HEIGHT + 7) / 8), dim3(32, 8)>>>(out);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(result.data(), out, n * sizeof(*out), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(out));

    for (int p = 0; p < n; p++) {
        int v = result[p];

        inside += v == LIMIT;
        if (p % 17 == 0) /* the host is slow */
            wrong += v != steps(p % WIDTH, p / WIDTH);
        rgb[3 * p] = v == LIMIT ? 0 : (unsigned char)(v * 5);
        rgb[3 * p + 1] = v == LIMIT ? 0 : (unsigned char)(v * 9);
        rgb[3 * p + 2] = v == LIMIT ? 0 : (unsigned char)(64 + v * 3);
    }
    write_picture("mandelbrot.ppm", WIDTH, HEIGHT, rgb.data());
    std::printf("   %d of %d points are in the set\n", inside, n);
    return verdict(wrong == 0, "each 17th point");
}
