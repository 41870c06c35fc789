/* SPDX-License-Identifier: MIT */
/* Sharpens a generated 4000 x 3000 colour picture: Gaussian blur by rows and columns with tiles in
 * shared memory, unsharp mask, and a luminance histogram by atomics. Pixels and histogram are
 * checked against the host. Writes image_filter.ppm, so that one can look at it. */
#include <hip/hip_runtime.h>

#include "common.h"

#include <cmath>
#include <cstdint>
#include <vector>

constexpr int WIDTH = 4000, HEIGHT = 3000;
constexpr int RADIUS = 4, TAPS = 2 * RADIUS + 1;
constexpr int BLOCK_X = 32, BLOCK_Y = 8;
constexpr float AMOUNT = 0.8f;

__constant__ float taps[TAPS];

__host__ __device__ inline int
clamp_to(int v, int low, int high)
{
    return v < low ? low : v > high ? high : v;
}

__global__ void
blur_rows(const uchar4 *in, float4 *out)
{
    __shared__ uchar4 tile[BLOCK_Y][BLOCK_X + 2 * RADIUS];
    int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    int row = clamp_to(y, 0, HEIGHT - 1) * WIDTH;

    for (int i = threadIdx.x; i < BLOCK_X + 2 * RADIUS; i += BLOCK_X)
        tile[threadIdx.y][i] =
            in[row + clamp_to((int)(blockIdx.x * BLOCK_X) + i - RADIUS, 0, WIDTH - 1)];
    __syncthreads();
    if (x >= WIDTH || y >= HEIGHT)
        return;
    float r = 0, g = 0, b = 0;
    for (int k = 0; k < TAPS; k++) {
        uchar4 p = tile[threadIdx.y][threadIdx.x + k];
        r += taps[k] * p.x;
        g += taps[k] * p.y;
        b += taps[k] * p.z;
    }
    out[y * WIDTH + x] = make_float4(r, g, b, 0);
}

__host__ __device__ inline unsigned char
sharpen(unsigned char original, float blurred)
{
    float v = original + AMOUNT * (original - blurred);
    return (unsigned char)(v < 0 ? 0 : v > 255 ? 255 : v + 0.5f);
}

__global__ void
blur_columns_and_sharpen(const float4 *rows, const uchar4 *in, uchar4 *out)
{
    int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;

    if (x >= WIDTH || y >= HEIGHT)
        return;
    float r = 0, g = 0, b = 0;
    for (int k = 0; k < TAPS; k++) {
        float4 p = rows[clamp_to(y + k - RADIUS, 0, HEIGHT - 1) * WIDTH + x];
        r += taps[k] * p.x;
        g += taps[k] * p.y;
        b += taps[k] * p.z;
    }
    uchar4 p = in[y * WIDTH + x];
    out[y * WIDTH + x] = make_uchar4(sharpen(p.x, r), sharpen(p.y, g), sharpen(p.z, b), 255);
}

__host__ __device__ inline int
luminance(uchar4 p)
{
    return (77 * p.x + 151 * p.y + 28 * p.z) >> 8;
}

__global__ void
histogram(const uchar4 *in, unsigned *bins)
{
    __shared__ unsigned local[256];
    int thread = threadIdx.x;

    local[thread] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + thread; i < WIDTH * HEIGHT; i += gridDim.x * 256)
        atomicAdd(&local[luminance(in[i])], 1u);
    __syncthreads();
    atomicAdd(&bins[thread], local[thread]);
}

/* Hills, a sun and film grain: smooth parts, edges and noise, as in a photograph. */
static void
paint(std::vector<uchar4> &image)
{
    Random random;

    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            float hill = 0.55f + 0.12f * std::sin(x * 0.004f) + 0.05f * std::sin(x * 0.021f + 1);
            float v = (float)y / HEIGHT, grain = 12 * (random.next() - 0.5f);
            float dx = x - 0.72f * WIDTH, dy = y - 0.25f * HEIGHT;
            bool sun = dx * dx + dy * dy < 200.0f * 200.0f, land = v > hill;
            float r = sun ? 250 : land ? 60 + 90 * (v - hill) : 90 + 120 * v;
            float g = sun ? 220 : land ? 110 + 40 * std::sin(x * 0.3f) * (v - hill) : 140 + 90 * v;
            float b = sun ? 140 : land ? 50 : 220 - 40 * v;
            auto byte = [&](float c) { return (unsigned char)clamp_to((int)(c + grain), 0, 255); };
            image[(size_t)y * WIDTH + x] = make_uchar4(byte(r), byte(g), byte(b), 255);
        }
}

static void
filter_on_host(const std::vector<uchar4> &in, const float *weights, std::vector<uchar4> &out)
{
    std::vector<float> rows((size_t)WIDTH * HEIGHT * 3);

    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            float sum[3] = {0, 0, 0};
            for (int k = 0; k < TAPS; k++) {
                uchar4 p = in[(size_t)y * WIDTH + clamp_to(x + k - RADIUS, 0, WIDTH - 1)];
                sum[0] += weights[k] * p.x;
                sum[1] += weights[k] * p.y;
                sum[2] += weights[k] * p.z;
            }
            for (int c = 0; c < 3; c++)
                rows[3 * ((size_t)y * WIDTH + x) + c] = sum[c];
        }
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            float sum[3] = {0, 0, 0};
            for (int k = 0; k < TAPS; k++)
                for (int c = 0; c < 3; c++)
                    sum[c] +=
                        weights[k] *
                        rows[3 * ((size_t)clamp_to(y + k - RADIUS, 0, HEIGHT - 1) * WIDTH + x) + c];
            uchar4 p = in[(size_t)y * WIDTH + x];
            out[(size_t)y * WIDTH + x] =
                make_uchar4(sharpen(p.x, sum[0]), sharpen(p.y, sum[1]), sharpen(p.z, sum[2]), 255);
        }
}

static void
write_picture(const std::vector<uchar4> &image)
{
    FILE *file = std::fopen("image_filter.ppm", "wb");

    if (!file)
        return;
    std::fprintf(file, "P6\n%d %d\n255\n", WIDTH, HEIGHT);
    std::vector<unsigned char> row(3 * WIDTH);
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            uchar4 p = image[(size_t)y * WIDTH + x];
            row[3 * x] = p.x;
            row[3 * x + 1] = p.y;
            row[3 * x + 2] = p.z;
        }
        std::fwrite(row.data(), 1, row.size(), file);
    }
    std::fclose(file);
}

int
main()
{
    const size_t n = (size_t)WIDTH * HEIGHT;
    std::vector<uchar4> image(n), filtered(n), expected(n);
    std::vector<unsigned> bins(256), expected_bins(256);
    float weights[TAPS], total = 0;
    uchar4 *din, *dout;
    float4 *drows;
    unsigned *dbins;

    paint(image);
    for (int k = 0; k < TAPS; k++)
        total += weights[k] = std::exp(-0.5f * (k - RADIUS) * (k - RADIUS) / 4.0f);
    for (float &w : weights)
        w /= total;

    print_device();
    HIP_CHECK(hipMalloc(&din, n * sizeof(uchar4)));
    HIP_CHECK(hipMalloc(&dout, n * sizeof(uchar4)));
    HIP_CHECK(hipMalloc(&drows, n * sizeof(float4)));
    HIP_CHECK(hipMalloc(&dbins, 256 * sizeof(unsigned)));
    HIP_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(taps), weights, sizeof(weights)));
    HIP_CHECK(hipMemcpy(din, image.data(), n * sizeof(uchar4), hipMemcpyHostToDevice));

    dim3 block(BLOCK_X, BLOCK_Y);
    dim3 grid((WIDTH + BLOCK_X - 1) / BLOCK_X, (HEIGHT + BLOCK_Y - 1) / BLOCK_Y);
    double best = 1e9;
    for (int round = 0; round < 5; round++) {
        HIP_CHECK(hipMemset(dbins, 0, 256 * sizeof(unsigned)));
        HIP_CHECK(hipDeviceSynchronize());
        double start = seconds();
        blur_rows<<<grid, block>>>(din, drows);
        blur_columns_and_sharpen<<<grid, block>>>(drows, din, dout);
        histogram<<<64, 256>>>(dout, dbins);
        HIP_CHECK(hipGetLastError());
        HIP_CHECK(hipDeviceSynchronize());
        best = std::fmin(best, seconds() - start);
    }
    HIP_CHECK(hipMemcpy(filtered.data(), dout, n * sizeof(uchar4), hipMemcpyDeviceToHost));
    HIP_CHECK(hipMemcpy(bins.data(), dbins, 256 * sizeof(unsigned), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(din));
    HIP_CHECK(hipFree(dout));
    HIP_CHECK(hipFree(drows));
    HIP_CHECK(hipFree(dbins));

    /* One step of 255 is allowed: sums may be contracted to fused multiply-adds. */
    size_t n_wrong = 0, n_off = 0;
    filter_on_host(image, weights, expected);
    for (size_t i = 0; i < n; i++) {
        int d = std::abs(filtered[i].x - expected[i].x);
        d = std::max(d, std::abs(filtered[i].y - expected[i].y));
        d = std::max(d, std::abs(filtered[i].z - expected[i].z));
        n_off += d == 1;
        n_wrong += d > 1 || filtered[i].w != 255;
        expected_bins[luminance(filtered[i])]++;
    }
    write_picture(filtered);
    std::printf("   %d x %d pixels: %.2f ms, %zu pixels rounded otherwise, %zu wrong\n", WIDTH,
                HEIGHT, 1e3 * best, n_off, n_wrong);
    int bad = verdict(n_wrong == 0 && n_off < n / 100, "sharpened picture");
    return verdict(bins == expected_bins, "histogram") | bad;
}
