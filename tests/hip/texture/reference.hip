// SPDX-License-Identifier: MIT
// FAR: yes
// Texture references, and the ways of binding them; HIP Programming Guide 4.9.3, "HIP Module and
// Texture Driver API": what tex2D reads is the array.
// OPT: -O3
// ISA: sse2 avx512
#include "texel.h"

texture<float, 2, hipReadModeElementType> plane;
texture<uchar4, hipTextureType2D, hipReadModeNormalizedFloat> colours;
texture<int, hipTextureType1D, hipReadModeElementType> line;
texture<float4, 3, hipReadModeElementType> volume;
texture<short2, hipTextureType2DLayered> layers;

#define W 24
#define H 8

__global__ void
tex2dKernel(float *outputData, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
        outputData[y * width + x] = tex2D(plane, x, y);
}

__global__ void
read_colours(float4 *out)
{
    out[threadIdx.x] = tex2D(colours, threadIdx.x % W, threadIdx.x / W);
}

__global__ void
read_line(int *out)
{
    out[threadIdx.x] = tex1Dfetch(line, (int)threadIdx.x);
}

__global__ void
read_volume(float4 *out)
{
    out[threadIdx.x] =
        tex3D(volume, (threadIdx.x % 4 + 0.5f) / 4, 0.5f, (threadIdx.x / 4 + 0.5f) / 4);
}

__global__ void
read_layers(int2 *out)
{
    short2 v = tex2DLayered(layers, threadIdx.x % 4, 0, threadIdx.x / 4);
    out[threadIdx.x] = make_int2(v.x, v.y);
}

static void *out;
static char host[W * H * 16];

template <typename T>
static const T *
fetched(size_t n)
{
    CHECK_HIP(hipGetLastError());
    CHECK_HIP(hipMemcpy(host, out, n * sizeof(T), hipMemcpyDeviceToHost));
    return (const T *)host;
}

static void
test_document_example()
{
    hipChannelFormatDesc desc = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat);
    const textureReference *ref;
    std::vector<float> data(W * H);
    hipArray_t array;

    for (int i = 0; i < W * H; i++)
        data[i] = (float)i * 0.5f;
    CHECK_HIP(hipMallocArray(&array, &desc, W, H));
    CHECK_HIP(hipMemcpyToArray(array, 0, 0, data.data(), data.size() * sizeof(float),
                               hipMemcpyHostToDevice));
    CHECK_HIP(hipGetTextureReference(&ref, &plane));
    CHECK(ref == &plane);
    plane.addressMode[0] = plane.addressMode[1] = hipAddressModeWrap;
    plane.filterMode = hipFilterModePoint;
    plane.normalized = 0;
    CHECK_HIP(hipBindTextureToArray(plane, array, desc));
    tex2dKernel<<<dim3(2, 1), dim3(16, 16)>>>((float *)out, W, H);
    CHECK(!memcmp(fetched<float>(W * H), data.data(), data.size() * sizeof(float)));
    CHECK_HIP(hipUnbindTexture(plane));
    CHECK(plane.textureObject == NULL);
    CHECK_HIP(hipUnbindTexture(plane));
    CHECK_HIP(hipFreeArray(array));
}

static void
test_plain_memory()
{
    std::vector<int> numbers(128);
    std::vector<uchar4> texels(W * H);
    size_t offset = 99, pitch;
    void *memory;

    for (int i = 0; i < 128; i++)
        numbers[i] = -3 * i;
    CHECK_HIP(hipMalloc(&memory, 128 * sizeof(int)));
    CHECK_HIP(hipMemcpy(memory, numbers.data(), 128 * sizeof(int), hipMemcpyHostToDevice));
    CHECK_HIP(hipBindTexture(&offset, line, memory)); /* to the end */
    CHECK(offset == 0);
    read_line<<<1, 128>>>((int *)out);
    CHECK(!memcmp(fetched<int>(128), numbers.data(), 128 * sizeof(int)));
    CHECK_HIP(hipBindTexture(&offset, &line, memory, &line.channelDesc, 64 * sizeof(int)));
    read_line<<<1, 128>>>((int *)out);
    CHECK(fetched<int>(128)[63] == -189 && fetched<int>(128)[64] == 0);
    CHECK_ERR(hipBindTexture(NULL, &line, (int *)memory + 1, &line.channelDesc, 64),
              hipErrorInvalidValue);
    (void)hipGetLastError();
    CHECK_HIP(hipUnbindTexture(line));
    CHECK_HIP(hipFree(memory));

    for (int i = 0; i < W * H; i++)
        texels[i] = make_uchar4(i, 255 - i, 2 * i, 255);
    CHECK_HIP(hipMallocPitch(&memory, &pitch, W * 4, H));
    CHECK_HIP(hipMemcpy2D(memory, pitch, texels.data(), W * 4, W * 4, H, hipMemcpyHostToDevice));
    CHECK_HIP(hipBindTexture2D(&offset, &colours, memory, &colours.channelDesc, W, H, pitch));
    read_colours<<<1, W * H>>>((float4 *)out);
    for (int i = 0; i < W * H; i++) {
        float4 v = fetched<float4>(W * H)[i];
        CHECK(fabsf(v.x - i / 255.0f) < 1e-6f && fabsf(v.y - (255 - i) / 255.0f) < 1e-6f &&
              v.w == 1.0f);
    }
    CHECK_HIP(hipUnbindTexture(colours));
    CHECK_HIP(hipFree(memory));
}

static void
test_more_dimensions()
{
    hipChannelFormatDesc desc = hipCreateChannelDesc<float4>(),
                         pairs = hipCreateChannelDesc<short2>();
    float4 texels[4 * 2 * 4];
    short2 rows[4 * 3];
    hipMemcpy3DParms p = {};
    hipArray_t array;

    for (int i = 0; i < 32; i++)
        texels[i] = make_float4(i, i + 0.25f, -i, 1);
    CHECK_HIP(hipMalloc3DArray(&array, &desc, make_hipExtent(4, 2, 4), hipArrayDefault));
    p.srcPtr = make_hipPitchedPtr(texels, 64, 64, 2);
    p.dstArray = array;
    p.extent = make_hipExtent(4, 2, 4);
    p.kind = hipMemcpyHostToDevice;
    CHECK_HIP(hipMemcpy3D(&p));
    volume.normalized = 1;
    volume.filterMode = hipFilterModeLinear;
    CHECK_HIP(hipBindTextureToArray(volume, array));
    read_volume<<<1, 16>>>((float4 *)out);
    for (int i = 0; i < 16; i++) /* halfway between two rows */
        CHECK(fetched<float4>(16)[i].x == i % 4 + i / 4 * 8 + 2);
    CHECK_HIP(hipUnbindTexture(volume));
    CHECK_HIP(hipFreeArray(array));

    for (int i = 0; i < 12; i++)
        rows[i] = make_short2(-i, 100 * i);
    CHECK_HIP(hipMalloc3DArray(&array, &pairs, make_hipExtent(4, 1, 3), hipArrayLayered));
    p.srcPtr = make_hipPitchedPtr(rows, 16, 16, 1);
    p.dstArray = array;
    p.extent = make_hipExtent(4, 1, 3);
    CHECK_HIP(hipMemcpy3D(&p));
    CHECK_HIP(hipBindTextureToArray(layers, array));
    read_layers<<<1, 12>>>((int2 *)out);
    for (int i = 0; i < 12; i++)
        CHECK(fetched<int2>(12)[i].x == -i && fetched<int2>(12)[i].y == 100 * i);
    CHECK_HIP(hipUnbindTexture(layers));
    CHECK_HIP(hipFreeArray(array));
}

int
main()
{
    /* 64-bit types are no texels, `long` no more than `long long`. */
    CHECK(hipCreateChannelDesc<long>().x == 0 &&
          hipCreateChannelDesc<long>().f == hipChannelFormatKindNone);
    CHECK(hipCreateChannelDesc<ulong2>().y == 0 &&
          hipCreateChannelDesc<double>().f == hipChannelFormatKindNone);
    CHECK_HIP(hipMalloc(&out, sizeof(host)));
    test_document_example();
    test_plain_memory();
    test_more_dimensions();
    return 0;
}
