/* SPDX-License-Identifier: MIT */
/* The Mandelbrot set as a picture, mandelbrot.ppm. Threads of a warp leave the loop at different
 * times. */
#include <hip/hip_runtime.h>

#include "common.h"

#include <vector>

constexpr int WIDTH = 1200, HEIGHT = 800, LIMIT = 256;

/* Rounded before it is added to something, so that the host gets the same: by a pragma of clang's,
 * and where nvcc compiles by a function. */
__host__ __device__ inline float
product(float a, float b)
{
#pragma clang fp contract(off)
#ifdef __CUDA_ARCH__
    return __fmul_rn(a, b);
#else
    return a * b;
#endif
}

__host__ __device__ inline int
steps(int x, int y)
{
#pragma clang fp contract(off)
    float cr = -2.2f + product(x, 3.2f / WIDTH), ci = -1.1f + product(y, 2.2f / HEIGHT);
    float r = 0, i = 0;
    int n = 0;

    while (n < LIMIT && product(r, r) + product(i, i) < 4) {
        float next = product(r, r) - product(i, i) + cr;

        i = product(2 * r, i) + ci;
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
