/* SPDX-License-Identifier: MIT */
/* NEEDS: amdhip64 */
/* Arrays, mipmapped arrays, texture and surface objects: what the host sees of them. */
#include <hip/hip_runtime_api.h>

#include <sys/mman.h>
#include <unistd.h>

#include "unit/test.h"

#define OK(call) EXPECT_EQ(call, hipSuccess)
#define W        10
#define H        6
#define D        4

static const hipChannelFormatDesc f32 = {32, 0, 0, 0, hipChannelFormatKindFloat};
static const hipChannelFormatDesc s16x2 = {16, 16, 0, 0, hipChannelFormatKindSigned};

static void
fill(unsigned char *p, size_t n, int seed)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)(i * 7 + (size_t)seed);
}

/* ---- Creation ---- */

LS_TEST(array_questions)
{
    HIP_ARRAY3D_DESCRIPTOR d3;
    HIP_ARRAY_DESCRIPTOR d2;
    hipChannelFormatDesc desc;
    hipExtent extent;
    unsigned flags;
    hipArray_t a;

    OK(hipMallocArray(&a, &s16x2, W, H, hipArraySurfaceLoadStore));
    OK(hipGetChannelDesc(&desc, a));
    EXPECT_EQ(memcmp(&desc, &s16x2, sizeof(desc)), 0);
    OK(hipArrayGetInfo(&desc, &extent, &flags, a));
    EXPECT_EQ(extent.width, W);
    EXPECT_EQ(extent.height, H);
    EXPECT_EQ(extent.depth, 0);
    EXPECT_EQ(flags, hipArraySurfaceLoadStore);
    OK(hipArrayGetInfo(NULL, NULL, NULL, a));
    OK(hipArrayGetDescriptor(&d2, a));
    EXPECT_EQ(d2.Width, W);
    EXPECT_EQ(d2.Format, HIP_AD_FORMAT_SIGNED_INT16);
    EXPECT_EQ(d2.NumChannels, 2);
    OK(hipArray3DGetDescriptor(&d3, a));
    EXPECT_EQ(d3.Height, H);
    EXPECT_EQ(d3.Flags, hipArraySurfaceLoadStore);
    EXPECT_EQ(hipArrayGetInfo(&desc, NULL, NULL, NULL), hipErrorInvalidHandle);
    EXPECT_EQ(hipArrayGetDescriptor(NULL, a), hipErrorInvalidValue);
    EXPECT_EQ(hipArray3DGetDescriptor(&d3, NULL), hipErrorInvalidHandle);
    EXPECT_EQ(hipGetChannelDesc(NULL, a), hipErrorInvalidValue);
    EXPECT_EQ(hipGetChannelDesc(&desc, NULL), hipErrorInvalidHandle);
    OK(hipFreeArray(a));
    EXPECT_EQ(hipFreeArray(a), hipErrorContextIsDestroyed);
    EXPECT_EQ(hipArrayDestroy(NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipArrayGetInfo(&desc, NULL, NULL, a), hipErrorInvalidHandle);
}

LS_TEST(array_refusals)
{
    static const hipChannelFormatDesc bad[] = {
        {8, 8, 8, 0, hipChannelFormatKindUnsigned},  /* three channels */
        {0, 8, 0, 0, hipChannelFormatKindUnsigned},  /* one after none */
        {8, 16, 0, 0, hipChannelFormatKindUnsigned}, /* unequal */
        {7, 0, 0, 0, hipChannelFormatKindUnsigned},  {8, 0, 0, 0, hipChannelFormatKindFloat},
        {32, 0, 0, 0, hipChannelFormatKindNone},     {32, 0, 0, 0, (hipChannelFormatKind)0xff},
    };
    HIP_ARRAY_DESCRIPTOR d2 = {
        .Width = W, .Height = H, .Format = HIP_AD_FORMAT_FLOAT, .NumChannels = 3};
    hipArray_t a;

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        EXPECT_EQ(hipMallocArray(&a, &bad[i], W, H, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMallocArray(NULL, &f32, W, H, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMallocArray(&a, NULL, W, H, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMallocArray(&a, &f32, 0, H, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMallocArray(&a, &f32, W, 0, hipArrayLayered), hipErrorInvalidValue);
    EXPECT_EQ(hipMallocArray(&a, &f32, W, W, hipArrayCubemap), hipErrorInvalidValue);
    EXPECT_EQ(hipMallocArray(&a, &f32, SIZE_MAX, SIZE_MAX, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMallocArray(&a, &f32, 65537, 0, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMallocArray(&a, &f32, 16385, 1, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMalloc3DArray(&a, &f32, make_hipExtent(W, 0, D), 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMalloc3DArray(&a, &f32, make_hipExtent(W, H, 2049), 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMalloc3DArray(&a, &f32, make_hipExtent(W, H, D), 0xdeadbeef),
              hipErrorInvalidValue);
    EXPECT_EQ(hipMalloc3DArray(&a, &f32, make_hipExtent(W, H, D), hipArrayTextureGather),
              hipErrorInvalidValue);
    EXPECT_EQ(hipMalloc3DArray(&a, &f32, make_hipExtent(W, W, 5), hipArrayCubemap),
              hipErrorInvalidValue);
    EXPECT_EQ(hipMalloc3DArray(&a, &f32, make_hipExtent(W, H, 6), hipArrayCubemap),
              hipErrorInvalidValue);
    EXPECT_EQ(hipArrayCreate(&a, &d2), hipErrorInvalidValue);
    d2.NumChannels = 2;
    d2.Format = (hipArray_Format)0x77;
    EXPECT_EQ(hipArrayCreate(&a, &d2), hipErrorInvalidValue);
    EXPECT_EQ(hipArrayCreate(&a, NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipArray3DCreate(&a, NULL), hipErrorInvalidValue);
}

LS_TEST(array_memory_is_counted_and_reset)
{
    size_t before, with, after, total;
    hipArray_t a;

    OK(hipMemGetInfo(&before, &total));
    OK(hipMallocArray(&a, &f32, 1024, 1024, 0));
    OK(hipMemGetInfo(&with, &total));
    EXPECT(before - with >= 4u << 20);
    OK(hipDeviceReset());
    OK(hipMemGetInfo(&after, &total));
    EXPECT(after >= before);
    EXPECT_EQ(hipFreeArray(a), hipErrorContextIsDestroyed);
}

/* ---- Copies ---- */

LS_TEST(rows_to_and_from_arrays)
{
    unsigned char in[W * 4 * H], out[W * 4 * H], part[5 * 4 * 2];
    hipArray_t a, b;

    fill(in, sizeof(in), 1);
    OK(hipMallocArray(&a, &f32, W, H, 0));
    OK(hipMallocArray(&b, &f32, W, H, 0));
    OK(hipMemcpy2DToArray(a, 0, 0, in, W * 4, W * 4, H, hipMemcpyHostToDevice));
    memset(out, 0, sizeof(out));
    OK(hipMemcpy2DFromArray(out, W * 4, a, 0, 0, W * 4, H, hipMemcpyDeviceToHost));
    EXPECT_EQ(memcmp(in, out, sizeof(in)), 0);
    OK(hipMemcpy2DFromArray(part, 20, a, 8, 3, 20, 2, hipMemcpyDefault));
    EXPECT_EQ(memcmp(part, in + 3 * W * 4 + 8, 20), 0);
    EXPECT_EQ(memcmp(part + 20, in + 4 * W * 4 + 8, 20), 0);
    OK(hipMemcpy2DArrayToArray(b, 0, 1, a, 4, 0, W * 4 - 4, H - 1, hipMemcpyDeviceToDevice));
    OK(hipMemcpy2DFromArrayAsync(out, W * 4, b, 0, 0, W * 4, H, hipMemcpyDeviceToHost, NULL));
    OK(hipDeviceSynchronize());
    for (int y = 1; y < H; y++)
        EXPECT_EQ(memcmp(out + y * W * 4, in + (y - 1) * W * 4 + 4, W * 4 - 4), 0);

    EXPECT_EQ(hipMemcpy2DToArray(NULL, 0, 0, in, W * 4, W * 4, H, hipMemcpyHostToDevice),
              hipErrorInvalidHandle);
    EXPECT_EQ(hipMemcpy2DToArray(a, 0, 0, NULL, W * 4, W * 4, H, hipMemcpyHostToDevice),
              hipErrorInvalidValue);
    EXPECT_EQ(hipMemcpy2DToArray(a, 0, 0, in, W, W * 4, H, hipMemcpyHostToDevice),
              hipErrorInvalidPitchValue);
    EXPECT_EQ(hipMemcpy2DToArray(a, 1, 0, in, W * 4, W * 4, H, hipMemcpyHostToDevice),
              hipErrorInvalidValue);
    EXPECT_EQ(hipMemcpy2DToArray(a, 0, 1, in, W * 4, W * 4, H, hipMemcpyHostToDevice),
              hipErrorInvalidValue);
    EXPECT_EQ(hipMemcpy2DToArray(a, 0, SIZE_MAX, in, W * 4, 4, 2, hipMemcpyHostToDevice),
              hipErrorInvalidValue);
    EXPECT_EQ(hipMemcpy2DToArray(a, 0, 0, in, W * 4, W * 4, H, (hipMemcpyKind)-1),
              hipErrorInvalidMemcpyDirection);
    EXPECT_EQ(hipMemcpy2DFromArray(NULL, W * 4, a, 0, 0, W * 4, H, hipMemcpyDeviceToHost),
              hipErrorInvalidValue);
    EXPECT_EQ(hipMemcpy2DArrayToArray(b, 0, 1, a, 0, 0, W * 4, H, hipMemcpyDeviceToDevice),
              hipErrorInvalidValue);
    OK(hipMemcpy2DToArray(a, 0, 0, in, W * 4, 0, H, hipMemcpyHostToDevice));
    OK(hipFreeArray(a));
    EXPECT_EQ(hipMemcpy2DToArray(a, 0, 0, in, W * 4, W * 4, H, hipMemcpyHostToDevice),
              hipErrorInvalidHandle);
    OK(hipFreeArray(b));
}

LS_TEST(runs_of_bytes)
{
    unsigned char in[W * 4 * H], out[W * 4 * H];
    void *device;
    hipArray_t a, line;

    fill(in, sizeof(in), 2);
    OK(hipMallocArray(&a, &f32, W, H, 0));
    OK(hipMallocArray(&line, &f32, W, 0, 0));
    OK(hipMemcpyToArray(a, 0, 0, in, sizeof(in), hipMemcpyHostToDevice));
    OK(hipMemcpyFromArray(out, a, 0, 0, sizeof(out), hipMemcpyDeviceToHost));
    EXPECT_EQ(memcmp(in, out, sizeof(in)), 0);
    OK(hipMemcpyFromArray(out, a, 12, 1, 100, hipMemcpyDeviceToHost)); /* over three ends of rows */
    EXPECT_EQ(memcmp(out, in + W * 4 + 12, 100), 0);
    EXPECT_EQ(hipMemcpyFromArray(out, a, 0, 1, sizeof(in), hipMemcpyDeviceToHost),
              hipErrorInvalidValue);
    EXPECT_EQ(hipMemcpyToArray(NULL, 0, 0, in, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);

    OK(hipMalloc(&device, W * 4));
    OK(hipMemcpyHtoA(line, 4, in, 20));
    OK(hipMemcpyAtoD(device, line, 4, 20));
    OK(hipMemcpyDtoA(line, 20, device, 20));
    OK(hipMemcpyAtoA(a, 8, line, 20, 20));
    OK(hipMemcpyAtoH(out, a, 8, 20));
    EXPECT_EQ(memcmp(out, in, 20), 0);
    OK(hipMemcpyHtoAAsync(line, 0, in + 9, 8, NULL));
    OK(hipMemcpyAtoHAsync(out, line, 0, 8, NULL));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(memcmp(out, in + 9, 8), 0);
    EXPECT_EQ(hipMemcpyHtoA(line, 4, in, W * 4), hipErrorInvalidValue);
    EXPECT_EQ(hipMemcpyHtoA(NULL, 0, in, 4), hipErrorInvalidValue);
    EXPECT_EQ(hipMemcpyAtoH(NULL, line, 0, 4), hipErrorInvalidValue);
    OK(hipFree(device));
    OK(hipFreeArray(a));
    OK(hipFreeArray(line));
}

LS_TEST(boxes)
{
    static unsigned char in[W * 4 * H * D], out[W * 4 * H * D];
    hipMemcpy3DParms p = {.kind = hipMemcpyHostToDevice};
    hipArray_t a, layers;

    fill(in, sizeof(in), 3);
    OK(hipMalloc3DArray(&a, &f32, make_hipExtent(W, H, D), 0));
    p.srcPtr = make_hipPitchedPtr(in, W * 4, W, H);
    p.dstArray = a;
    p.extent = make_hipExtent(W, H, D);
    OK(hipMemcpy3D(&p));
    /* Columns 2 to 5, rows 1 to 3, slices 2 and 3: as elements, into a box of the same size. */
    p = (hipMemcpy3DParms){.kind = hipMemcpyDeviceToHost};
    p.srcArray = a;
    p.srcPos = make_hipPos(2, 1, 2);
    p.dstPtr = make_hipPitchedPtr(out, 16, 4, 3);
    p.extent = make_hipExtent(4, 3, 2);
    OK(hipMemcpy3DAsync(&p, NULL));
    OK(hipDeviceSynchronize());
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            EXPECT_EQ(memcmp(out + (z * 3 + y) * 16, in + (((z + 2) * H + y + 1) * W + 2) * 4, 16),
                      0);
    p.extent.depth = 3;
    EXPECT_EQ(hipMemcpy3D(&p), hipErrorInvalidValue);
    p.extent.depth = 2;
    p.kind = (hipMemcpyKind)-1;
    EXPECT_EQ(hipMemcpy3D(&p), hipErrorInvalidMemcpyDirection);
    p.kind = hipMemcpyDeviceToHost;
    p.dstPtr.pitch = 3;
    EXPECT_EQ(hipMemcpy3D(&p), hipErrorInvalidPitchValue);
    p.dstPtr.pitch = 16;
    p.srcPtr = p.dstPtr;
    EXPECT_EQ(hipMemcpy3D(&p), hipErrorInvalidValue);
    p.srcPtr.ptr = NULL;
    p.dstPtr.ptr = NULL;
    EXPECT_EQ(hipMemcpy3D(&p), hipErrorInvalidValue);
    EXPECT_EQ(hipMemcpy3D(NULL), hipErrorInvalidValue);
    p.dstArray = (hipArray_t)&p;
    EXPECT_EQ(hipMemcpy3D(&p), hipErrorInvalidValue);

    /* Layers of one dimension are slices. */
    OK(hipMalloc3DArray(&layers, &f32, make_hipExtent(W, 0, D), hipArrayLayered));
    p = (hipMemcpy3DParms){.kind = hipMemcpyHostToDevice};
    p.srcPtr = make_hipPitchedPtr(in, W * 4, W, 1);
    p.dstArray = layers;
    p.extent = make_hipExtent(W, 1, D);
    OK(hipMemcpy3D(&p));
    memset(out, 0, sizeof(out));
    p = (hipMemcpy3DParms){.kind = hipMemcpyDeviceToHost};
    p.srcArray = layers;
    p.srcPos = make_hipPos(0, 0, 1);
    p.dstPtr = make_hipPitchedPtr(out, W * 4, W, 1);
    p.extent = make_hipExtent(W, 1, D - 1);
    OK(hipMemcpy3D(&p));
    EXPECT_EQ(memcmp(out, in + W * 4, W * 4 * (D - 1)), 0);
    OK(hipFreeArray(layers));
    OK(hipFreeArray(a));
}

LS_TEST(driver_copies)
{
    static unsigned char in[W * 4 * H * D], out[W * 4 * H * D];
    HIP_MEMCPY3D c = {.srcMemoryType = hipMemoryTypeHost, .dstMemoryType = hipMemoryTypeArray};
    hip_Memcpy2D c2 = {.srcMemoryType = hipMemoryTypeArray, .dstMemoryType = hipMemoryTypeHost};
    HIP_ARRAY3D_DESCRIPTOR d = {W, H, D, HIP_AD_FORMAT_FLOAT, 1, 0};
    hipMemoryType type = hipMemoryTypeUnregistered;
    hipArray_t a;

    fill(in, sizeof(in), 4);
    OK(hipArray3DCreate(&a, &d));
    OK(hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, a));
    EXPECT_EQ(type, hipMemoryTypeArray);
    c.srcHost = in;
    c.srcPitch = W * 4;
    c.srcHeight = H;
    c.dstArray = a;
    c.WidthInBytes = W * 4;
    c.Height = H;
    c.Depth = D;
    OK(hipDrvMemcpy3D(&c));
    c2.srcArray = a;
    c2.srcXInBytes = 8;
    c2.srcY = 2;
    c2.dstHost = out;
    c2.dstPitch = 16;
    c2.WidthInBytes = 16;
    c2.Height = 3;
    OK(hipMemcpyParam2D(&c2));
    for (int y = 0; y < 3; y++)
        EXPECT_EQ(memcmp(out + y * 16, in + (y + 2) * W * 4 + 8, 16), 0);
    c = (HIP_MEMCPY3D){.srcMemoryType = hipMemoryTypeArray, .dstMemoryType = hipMemoryTypeHost};
    c.srcArray = a;
    c.srcZ = 3;
    c.dstHost = out;
    c.WidthInBytes = W * 4;
    c.Height = H;
    c.Depth = 1;
    OK(hipDrvMemcpy3DAsync(&c, NULL)); /* pitch 0: as wide as the copy */
    OK(hipDeviceSynchronize());
    EXPECT_EQ(memcmp(out, in + 3 * W * 4 * H, W * 4 * H), 0);
    c.Depth = 2;
    EXPECT_EQ(hipDrvMemcpy3D(&c), hipErrorInvalidValue);
    c.srcArray = NULL;
    EXPECT_EQ(hipDrvMemcpy3D(&c), hipErrorInvalidValue);
    OK(hipArrayDestroy(a));
}

/* ---- Mipmapped arrays ---- */

LS_TEST(mipmaps)
{
    HIP_ARRAY3D_DESCRIPTOR d = {16, 8, 0, HIP_AD_FORMAT_FLOAT, 1, 0};
    hipMipmappedArray_t m;
    hipArray_t level, other;
    hipExtent extent;
    float in = 5, out = 0;

    OK(hipMipmappedArrayCreate(&m, &d, 5));
    OK(hipMipmappedArrayGetLevel(&level, m, 3));
    OK(hipArrayGetInfo(NULL, &extent, NULL, level));
    EXPECT_EQ(extent.width, 2);
    EXPECT_EQ(extent.height, 1);
    OK(hipMemcpy2DToArray(level, 4, 0, &in, 4, 4, 1, hipMemcpyHostToDevice));
    OK(hipGetMipmappedArrayLevel(&other, m, 3));
    OK(hipMemcpy2DFromArray(&out, 4, other, 4, 0, 4, 1, hipMemcpyDeviceToHost));
    EXPECT(out == 5);
    OK(hipFreeArray(other));
    EXPECT_EQ(hipMipmappedArrayGetLevel(NULL, m, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMipmappedArrayGetLevel(&other, NULL, 0), hipErrorInvalidHandle);
    EXPECT_EQ(hipMipmappedArrayGetLevel(&other, m, 5), hipErrorInvalidValue);
    OK(hipMipmappedArrayDestroy(m));
    EXPECT_EQ(hipFreeArray(level), hipErrorContextIsDestroyed); /* gone with its owner */
    EXPECT_EQ(hipFreeMipmappedArray(m), hipErrorContextIsDestroyed);
    EXPECT_EQ(hipFreeMipmappedArray(NULL), hipErrorInvalidValue);

    EXPECT_EQ(hipMipmappedArrayCreate(&m, &d, 6), hipErrorInvalidValue);
    EXPECT_EQ(hipMipmappedArrayCreate(&m, &d, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMipmappedArrayCreate(NULL, &d, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipMallocMipmappedArray(&m, NULL, make_hipExtent(16, 8, 0), 1, 0),
              hipErrorInvalidValue);
    OK(hipMallocMipmappedArray(&m, &f32, make_hipExtent(16, 8, 9), 5, 0));
    OK(hipGetMipmappedArrayLevel(&level, m, 2));
    OK(hipArrayGetInfo(NULL, &extent, NULL, level));
    EXPECT_EQ(extent.depth, 2);
    OK(hipFreeMipmappedArray(m));
}

/* ---- Objects ---- */

/* By texels only where there is no choice of level. */
/* A file of another API as levels: what is copied to a level stands in the file, rows at the pitch
 * and levels at the places that our own mipmapped arrays have. */
LS_TEST(mipmaps_of_external_memory)
{
    hipExternalMemoryHandleDesc handle = {.type = hipExternalMemoryHandleTypeOpaqueFd};
    hipExternalMemoryMipmappedArrayDesc desc = {
        .formatDesc = f32, .extent = {16, 8, 0}, .numLevels = 2};
    enum { AT = 4096 + 256, LEVEL1 = 8 * 64, SIZE = AT + LEVEL1 + 4 * 64 };
    float rows[4][8], back[4][8], *map;
    int fd = memfd_create("test", 0);
    hipExternalMemory_t memory;
    hipMipmappedArray_t m, none;
    hipArray_t level;

    REQUIRE(fd >= 0 && ftruncate(fd, SIZE) == 0);
    map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    REQUIRE(map != MAP_FAILED);
    handle.handle.fd = fd;
    handle.size = SIZE;
    OK(hipImportExternalMemory(&memory, &handle));

    desc.offset = AT;
    OK(hipExternalMemoryGetMappedMipmappedArray(&m, memory, &desc));
    desc.offset = AT + 256; /* the last row lies behind the end */
    EXPECT_EQ(hipExternalMemoryGetMappedMipmappedArray(&none, memory, &desc), hipErrorInvalidValue);
    desc.offset = 1;
    EXPECT_EQ(hipExternalMemoryGetMappedMipmappedArray(&none, memory, &desc), hipErrorInvalidValue);
    desc.offset = 1ull << 63;
    EXPECT_EQ(hipExternalMemoryGetMappedMipmappedArray(&none, memory, &desc), hipErrorInvalidValue);
    desc.offset = 0;
    desc.numLevels = 6; /* 16 texels have five */
    EXPECT_EQ(hipExternalMemoryGetMappedMipmappedArray(&none, memory, &desc), hipErrorInvalidValue);
    desc.numLevels = 1;
    desc.formatDesc.y = 8;
    EXPECT_EQ(hipExternalMemoryGetMappedMipmappedArray(&none, memory, &desc), hipErrorInvalidValue);

    OK(hipDestroyExternalMemory(memory)); /* the levels keep their mapping */
    desc.formatDesc = f32;
    EXPECT_EQ(hipExternalMemoryGetMappedMipmappedArray(&none, memory, &desc), hipErrorInvalidValue);
    OK(hipGetMipmappedArrayLevel(&level, m, 1));
    for (int i = 0; i < 32; i++)
        rows[i / 8][i % 8] = (float)(i + 1);
    OK(hipMemcpy2DToArray(level, 0, 0, rows, 32, 32, 4, hipMemcpyHostToDevice));
    OK(hipDeviceSynchronize());
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 8; x++)
            EXPECT_EQ(map[(AT + LEVEL1) / 4 + y * 16 + x], rows[y][x]);
    EXPECT_EQ(map[(AT + LEVEL1) / 4 - 1], 0);
    map[(AT + LEVEL1) / 4 + 16] = 99;
    OK(hipMemcpy2DFromArray(back, 32, level, 0, 0, 32, 4, hipMemcpyDeviceToHost));
    EXPECT_EQ(back[0][0], 1);
    EXPECT_EQ(back[1][0], 99);
    OK(hipFreeMipmappedArray(m));
    EXPECT_EQ(hipFreeMipmappedArray(m), hipErrorContextIsDestroyed);
    EXPECT_EQ(munmap(map, SIZE), 0);
}

LS_TEST(mipmaps_by_texels)
{
    hipTextureDesc t = {.filterMode = hipFilterModePoint};
    hipResourceDesc r = {.resType = hipResourceTypeMipmappedArray};
    hipTextureObject_t o;

    for (unsigned levels = 1; levels <= 2; levels++) {
        OK(hipMallocMipmappedArray(&r.res.mipmap.mipmap, &f32, make_hipExtent(16, 8, 0), levels,
                                   0));
        EXPECT_EQ(hipCreateTextureObject(&o, &r, &t, NULL),
                  levels == 1 ? hipSuccess : hipErrorInvalidValue);
        OK(hipFreeMipmappedArray(r.res.mipmap.mipmap));
    }
}

LS_TEST(texture_objects)
{
    hipResourceDesc r = {.resType = hipResourceTypeArray}, r2;
    hipTextureDesc t = {.filterMode = hipFilterModeLinear, .normalizedCoords = 1}, t2;
    struct hipResourceViewDesc v = {.format = hipResViewFormatSignedInt1}, v2;
    hipTextureObject_t o;
    hipArray_t a;

    OK(hipMallocArray(&a, &f32, W, H, 0));
    r.res.array.array = a;
    OK(hipCreateTextureObject(&o, &r, &t, &v));
    OK(hipGetTextureObjectResourceDesc(&r2, o));
    EXPECT_EQ(r2.resType, hipResourceTypeArray);
    EXPECT(r2.res.array.array == a);
    OK(hipGetTextureObjectTextureDesc(&t2, o));
    EXPECT_EQ(t2.filterMode, hipFilterModeLinear);
    EXPECT_EQ(t2.normalizedCoords, 1);
    OK(hipGetTextureObjectResourceViewDesc(&v2, o));
    EXPECT_EQ(v2.format, hipResViewFormatSignedInt1);
    EXPECT_EQ(hipGetTextureObjectResourceDesc(NULL, o), hipErrorInvalidValue);
    EXPECT_EQ(hipGetTextureObjectTextureDesc(&t2, NULL), hipErrorInvalidValue);
    OK(hipDestroyTextureObject(o));
    EXPECT_EQ(hipDestroyTextureObject(o), hipErrorInvalidValue);
    EXPECT_EQ(hipGetTextureObjectTextureDesc(&t2, o), hipErrorInvalidValue);
    OK(hipDestroyTextureObject(NULL));

    EXPECT_EQ(hipCreateTextureObject(NULL, &r, &t, NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipCreateTextureObject(&o, NULL, &t, NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipCreateTextureObject(&o, &r, NULL, NULL), hipErrorInvalidValue);
    v.format = hipResViewFormatFloat2; /* of another size */
    EXPECT_EQ(hipCreateTextureObject(&o, &r, &t, &v), hipErrorInvalidValue);
    t.maxAnisotropy = 4;
    EXPECT_EQ(hipCreateTextureObject(&o, &r, &t, NULL), hipErrorNotSupported);
    t.maxAnisotropy = 0;
    t.sRGB = 1;
    OK(hipCreateTextureObject(&o, &r, &t, NULL)); /* one channel: no sRGB */
    OK(hipTexObjectDestroy(o));
    r.resType = (enum hipResourceType)9;
    EXPECT_EQ(hipCreateTextureObject(&o, &r, &t, NULL), hipErrorInvalidValue);
    r.resType = hipResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = NULL;
    EXPECT_EQ(hipCreateTextureObject(&o, &r, &t, NULL), hipErrorInvalidValue);
    OK(hipFreeArray(a));
    r.resType = hipResourceTypeArray;
    r.res.array.array = a;
    EXPECT_EQ(hipCreateTextureObject(&o, &r, &t, NULL), hipErrorInvalidValue);
}

LS_TEST(textures_of_plain_memory)
{
    hipResourceDesc r = {.resType = hipResourceTypeLinear};
    struct hipResourceViewDesc v = {.format = hipResViewFormatFloat1};
    hipTextureDesc t = {0};
    hipTextureObject_t o;
    size_t width;
    char *p;

    OK(hipMalloc((void **)&p, 4096));
    r.res.linear.devPtr = p;
    r.res.linear.desc = f32;
    r.res.linear.sizeInBytes = 4096;
    OK(hipCreateTextureObject(&o, &r, &t, NULL));
    OK(hipDestroyTextureObject(o));
    EXPECT_EQ(hipCreateTextureObject(&o, &r, &t, &v), hipErrorInvalidValue);
    r.res.linear.devPtr = p + 4;
    EXPECT_EQ(hipCreateTextureObject(&o, &r, &t, NULL), hipErrorInvalidValue);
    r.res.linear.devPtr = NULL;
    EXPECT_EQ(hipCreateTextureObject(&o, &r, &t, NULL), hipErrorInvalidValue);
    r.res.linear.devPtr = p;
    r.res.linear.sizeInBytes = (size_t)1 << 40;
    EXPECT_EQ(hipCreateTextureObject(&o, &r, &t, NULL), hipErrorInvalidValue);
    r = (hipResourceDesc){.resType = hipResourceTypePitch2D};
    r.res.pitch2D.devPtr = p;
    r.res.pitch2D.desc = f32;
    r.res.pitch2D.width = 10;
    r.res.pitch2D.height = 4;
    r.res.pitch2D.pitchInBytes = 256;
    OK(hipCreateTextureObject(&o, &r, &t, NULL));
    OK(hipDestroyTextureObject(o));
    r.res.pitch2D.pitchInBytes = 100;
    EXPECT_EQ(hipCreateTextureObject(&o, &r, &t, NULL), hipErrorInvalidValue);
    OK(hipDeviceGetTexture1DLinearMaxWidth(&width, &f32, 0));
    EXPECT(width > 1 << 26);
    EXPECT_EQ(hipDeviceGetTexture1DLinearMaxWidth(&width, &f32, 7), hipErrorInvalidDevice);
    EXPECT_EQ(hipDeviceGetTexture1DLinearMaxWidth(NULL, &f32, 0), hipErrorInvalidValue);
    OK(hipFree(p));
}

LS_TEST(driver_objects)
{
    HIP_RESOURCE_DESC r = {.resType = HIP_RESOURCE_TYPE_PITCH2D}, r2;
    HIP_TEXTURE_DESC t = {.flags = HIP_TRSF_READ_AS_INTEGER | HIP_TRSF_NORMALIZED_COORDINATES}, t2;
    HIP_RESOURCE_VIEW_DESC v2;
    hipTextureObject_t o;
    void *p;

    OK(hipMalloc(&p, 4096));
    r.res.pitch2D.devPtr = p;
    r.res.pitch2D.format = HIP_AD_FORMAT_SIGNED_INT16;
    r.res.pitch2D.numChannels = 2;
    r.res.pitch2D.width = 16;
    r.res.pitch2D.height = 8;
    r.res.pitch2D.pitchInBytes = 256;
    t.addressMode[1] = HIP_TR_ADDRESS_MODE_BORDER;
    OK(hipTexObjectCreate(&o, &r, &t, NULL));
    OK(hipTexObjectGetResourceDesc(&r2, o));
    EXPECT_EQ(r2.resType, HIP_RESOURCE_TYPE_PITCH2D);
    EXPECT_EQ(r2.res.pitch2D.format, HIP_AD_FORMAT_SIGNED_INT16);
    EXPECT_EQ(r2.res.pitch2D.numChannels, 2);
    EXPECT_EQ(r2.res.pitch2D.pitchInBytes, 256);
    OK(hipTexObjectGetTextureDesc(&t2, o));
    EXPECT_EQ(t2.flags, t.flags);
    EXPECT_EQ(t2.addressMode[1], HIP_TR_ADDRESS_MODE_BORDER);
    OK(hipTexObjectGetResourceViewDesc(&v2, o));
    EXPECT_EQ(v2.format, HIP_RES_VIEW_FORMAT_NONE);
    EXPECT_EQ(hipTexObjectGetResourceDesc(NULL, o), hipErrorInvalidValue);
    EXPECT_EQ(hipTexObjectGetTextureDesc(&t2, NULL), hipErrorInvalidValue);
    OK(hipTexObjectDestroy(o));
    OK(hipTexObjectDestroy(NULL));
    OK(hipFree(p));
}

LS_TEST(surface_objects)
{
    hipResourceDesc r = {.resType = hipResourceTypeArray};
    hipSurfaceObject_t s;
    hipArray_t a, gather;

    OK(hipMallocArray(&a, &f32, W, H, hipArraySurfaceLoadStore));
    OK(hipMallocArray(&gather, &f32, W, H, hipArrayTextureGather));
    r.res.array.array = a;
    OK(hipCreateSurfaceObject(&s, &r));
    OK(hipDestroySurfaceObject(s));
    EXPECT_EQ(hipDestroySurfaceObject(s), hipErrorInvalidValue);
    OK(hipDestroySurfaceObject(NULL));
    EXPECT_EQ(hipCreateSurfaceObject(NULL, &r), hipErrorInvalidValue);
    EXPECT_EQ(hipCreateSurfaceObject(&s, NULL), hipErrorInvalidValue);
    r.res.array.array = gather;
    EXPECT_EQ(hipCreateSurfaceObject(&s, &r), hipErrorInvalidValue);
    r.res.array.array = NULL;
    EXPECT_EQ(hipCreateSurfaceObject(&s, &r), hipErrorInvalidValue);
    r.resType = hipResourceTypeLinear;
    EXPECT_EQ(hipCreateSurfaceObject(&s, &r), hipErrorInvalidValue);
    OK(hipFreeArray(a));
    OK(hipFreeArray(gather));
}

/* ---- References ---- */

LS_TEST(reference_attributes)
{
    textureReference ref = {0};
    enum hipTextureAddressMode mode;
    enum hipTextureFilterMode filter;
    hipArray_Format format;
    float border[4] = {1, 2, 3, 4}, low, high;
    hipDeviceptr_t ptr;
    unsigned flags;
    hipArray_t a;
    int n;

    OK(hipTexRefSetAddressMode(&ref, 1, hipAddressModeBorder));
    OK(hipTexRefGetAddressMode(&mode, &ref, 1));
    EXPECT_EQ(mode, hipAddressModeBorder);
    EXPECT_EQ(hipTexRefSetAddressMode(&ref, 3, hipAddressModeWrap), hipErrorInvalidValue);
    EXPECT_EQ(hipTexRefGetAddressMode(&mode, &ref, -1), hipErrorInvalidValue);
    OK(hipTexRefSetFilterMode(&ref, hipFilterModeLinear));
    OK(hipTexRefGetFilterMode(&filter, &ref));
    EXPECT_EQ(filter, hipFilterModeLinear);
    OK(hipTexRefSetFlags(&ref, HIP_TRSF_NORMALIZED_COORDINATES | HIP_TRSF_SRGB));
    OK(hipTexRefGetFlags(&flags, &ref));
    EXPECT_EQ(flags, HIP_TRSF_NORMALIZED_COORDINATES | HIP_TRSF_SRGB);
    OK(hipTexRefSetFormat(&ref, HIP_AD_FORMAT_HALF, 2));
    OK(hipTexRefGetFormat(&format, &n, &ref));
    EXPECT_EQ(format, HIP_AD_FORMAT_HALF);
    EXPECT_EQ(n, 2);
    OK(hipTexRefSetMaxAnisotropy(&ref, 3));
    OK(hipTexRefGetMaxAnisotropy(&n, &ref));
    EXPECT_EQ(n, 3);
    OK(hipTexRefSetMipmapFilterMode(&ref, hipFilterModeLinear));
    OK(hipTexRefGetMipmapFilterMode(&filter, &ref));
    EXPECT_EQ(filter, hipFilterModeLinear);
    OK(hipTexRefSetMipmapLevelBias(&ref, 0.5f));
    OK(hipTexRefGetMipmapLevelBias(&low, &ref));
    EXPECT(low == 0.5f);
    OK(hipTexRefSetMipmapLevelClamp(&ref, 1, 2));
    OK(hipTexRefGetMipmapLevelClamp(&low, &high, &ref));
    EXPECT(low == 1 && high == 2);
    OK(hipTexRefSetBorderColor(&ref, border));
    border[2] = 0;
    OK(hipTexRefGetBorderColor(border, &ref));
    EXPECT(border[2] == 3);
    EXPECT_EQ(hipTexRefSetFlags(NULL, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipTexRefGetFlags(NULL, &ref), hipErrorInvalidValue);
    /* Nothing is bound, and this variable is no reference that the device knows. */
    EXPECT_EQ(hipTexRefGetArray(&a, &ref), hipErrorInvalidValue);
    EXPECT_EQ(hipTexRefGetAddress(&ptr, &ref), hipErrorInvalidValue);
    OK(hipMalloc(&ptr, 256));
    EXPECT_EQ(hipBindTexture(NULL, &ref, ptr, &f32, 256), hipErrorInvalidSymbol);
    EXPECT_EQ(hipBindTexture(NULL, NULL, ptr, &f32, 256), hipErrorInvalidValue);
    EXPECT_EQ(hipUnbindTexture(NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipTexRefSetArray(&ref, NULL, HIP_TRSA_OVERRIDE_FORMAT), hipErrorInvalidValue);
    OK(hipFree(ptr));
}

LS_TEST(limits)
{
    hipDeviceProp_t p;
    int n;

    OK(hipGetDeviceProperties(&p, 0));
    EXPECT_EQ(p.maxTexture1D, 65536);
    EXPECT_EQ(p.maxTexture2D[1], 16384);
    EXPECT_EQ(p.maxTexture3D[2], 2048);
    OK(hipDeviceGetAttribute(&n, hipDeviceAttributeImageSupport, 0));
    EXPECT_EQ(n, 1);
}
