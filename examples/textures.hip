/* SPDX-License-Identifier: MIT */
/* A picture is turned by 30 degrees: the texture unit reads between its points, and repeats its
 * edge. Writes textures.ppm. */
#include <hip/hip_runtime.h>

#include "common.h"

#include <cmath>
#include <vector>

constexpr int SIZE = 512;

__global__ void
turn(hipTextureObject_t picture, float4 *out, float c, float s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = x - SIZE / 2 + 0.5f, v = y - SIZE / 2 + 0.5f;

    out[y * SIZE + x] = tex2D<float4>(picture, c * u - s * v + SIZE / 2, s * u + c * v + SIZE / 2);
}

static int
clamp_to(int v)
{
    return v < 0 ? 0 : v >= SIZE ? SIZE - 1 : v;
}

int
main()
{
    const float c = std::cos(0.5235988f), s = std::sin(0.5235988f);
    std::vector<float4> image(SIZE * SIZE), result(image);
    std::vector<unsigned char> rgb(3 * SIZE * SIZE);
    hipChannelFormatDesc format = hipCreateChannelDesc<float4>();
    hipResourceDesc resource = {};
    hipTextureDesc how = {};
    hipTextureObject_t picture;
    hipArray_t array;
    float4 *out;
    float worst = 0;

    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) {
            float r = std::hypot(x - 256.0f, y - 256.0f) / 256;
            image[y * SIZE + x] =
                make_float4((x / 32 + y / 32) % 2, r < 1 ? 1 - r : 0, y / 512.0f, 1);
        }
    print_device();
    HIP_CHECK(hipMallocArray(&array, &format, SIZE, SIZE));
    HIP_CHECK(hipMemcpy2DToArray(array, 0, 0, image.data(), SIZE * sizeof(float4),
                                 SIZE * sizeof(float4), SIZE, hipMemcpyHostToDevice));
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    how.addressMode[0] = how.addressMode[1] = hipAddressModeClamp;
    how.filterMode = hipFilterModeLinear;
    HIP_CHECK(hipCreateTextureObject(&picture, &resource, &how, nullptr));
    HIP_CHECK(hipMalloc(&out, image.size() * sizeof(float4)));
    turn<<<dim3(SIZE / 32, SIZE / 8), dim3(32, 8)>>>(picture, out, c, s);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(result.data(), out, image.size() * sizeof(float4), hipMemcpyDeviceToHost));
    HIP_CHECK(hipDestroyTextureObject(picture));
    HIP_CHECK(hipFreeArray(array));
    HIP_CHECK(hipFree(out));

    for (int p = 0; p < SIZE * SIZE; p++) {
        float u = p % SIZE - SIZE / 2 + 0.5f, v = p / SIZE - SIZE / 2 + 0.5f;
        float x = c * u - s * v + SIZE / 2 - 0.5f, y = s * u + c * v + SIZE / 2 - 0.5f;
        int ix = (int)std::floor(x), iy = (int)std::floor(y);
        auto at = [&](int i, int j) { return image[clamp_to(j) * SIZE + clamp_to(i)].x; };
        float top = at(ix, iy) + (x - ix) * (at(ix + 1, iy) - at(ix, iy));
        float low = at(ix, iy + 1) + (x - ix) * (at(ix + 1, iy + 1) - at(ix, iy + 1));
        float4 got = result[p];

        worst = std::fmax(worst, std::fabs(top + (y - iy) * (low - top) - got.x));
        rgb[3 * p] = (unsigned char)(255 * got.x);
        rgb[3 * p + 1] = (unsigned char)(255 * got.y);
        rgb[3 * p + 2] = (unsigned char)(255 * got.z);
    }
    write_picture("textures.ppm", SIZE, SIZE, rgb.data());
    std::printf("   largest difference %.4f (texture units weigh in steps of 1/256)\n", worst);
    return verdict(worst < 0.02f, "turned picture");
}
