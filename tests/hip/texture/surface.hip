// SPDX-License-Identifier: MIT
// Surfaces: reads and writes of every shape and several formats, boundary modes, a trap outside.
// OPT: -O3
// ISA: avx2 avx512
#include "texel.h"

#define W 10
#define H 6
#define D 6

/* Every thread moves one texel from one surface to another, with its channels as the kernel sees
 * them (so wrong widths would show), and out-of-range threads try to spoil something. */
#define MOVE(name, ...)                                                                            \
    template <typename T> __global__ void name(hipSurfaceObject_t from, hipSurfaceObject_t to)     \
    {                                                                                              \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        int x = i % (W + 2) - 1, y = i / (W + 2) % (H + 2) - 1, z = i / ((W + 2) * (H + 2)) - 1;   \
        T v;                                                                                       \
        (void)y, (void)z;                                                                          \
        __VA_ARGS__;                                                                               \
    }

MOVE(
    move1, if (y == 0 && z == 0) {
        surf1Dread(&v, from, x * (int)sizeof(T));
        surf1Dwrite(v, to, x * (int)sizeof(T));
    })
MOVE(
    move2, if (z == 0) {
        surf2Dread(&v, from, x * (int)sizeof(T), y);
        surf2Dwrite(v, to, x * (int)sizeof(T), y);
    })
MOVE(move3, surf3Dread(&v, from, x *(int)sizeof(T), y, z);
     surf3Dwrite(v, to, x *(int)sizeof(T), y, z);)
MOVE(
    layers1, if (y == 0) {
        surf1DLayeredread(&v, from, x * (int)sizeof(T), z);
        surf1DLayeredwrite(v, to, x * (int)sizeof(T), z);
    })
MOVE(layers2, surf2DLayeredread(&v, from, x *(int)sizeof(T), y, z);
     surf2DLayeredwrite(v, to, x *(int)sizeof(T), y, z);)
MOVE(faces, surfCubemapread(&v, from, x *(int)sizeof(T), y, z);
     surfCubemapwrite(v, to, x *(int)sizeof(T), y, z);)
MOVE(layered_faces, surfCubemapLayeredread(&v, from, x *(int)sizeof(T), y, z % 6, z / 6);
     surfCubemapLayeredwrite(v, to, x *(int)sizeof(T), y, z % 6, z / 6);)

struct Shape {
    int w, h, d;
    unsigned flags;
    bool has_h, has_d;
};

static hipArray_t
make(const Format &f, const Shape &s, hipSurfaceObject_t *surface)
{
    hipChannelFormatDesc desc = f.desc();
    hipResourceDesc r = {};
    hipArray_t a;

    CHECK_HIP(hipMalloc3DArray(&a, &desc, make_hipExtent(s.w, s.has_h ? s.h : 0, s.has_d ? s.d : 0),
                               s.flags | hipArraySurfaceLoadStore));
    r.resType = hipResourceTypeArray;
    r.res.array.array = a;
    CHECK_HIP(hipCreateSurfaceObject(surface, &r));
    return a;
}

static void
transfer(hipArray_t a, const Shape &s, int bytes, std::vector<unsigned char> &host, bool in)
{
    hipMemcpy3DParms p = {};

    if (in) {
        p.dstArray = a;
        p.srcPtr = make_hipPitchedPtr(host.data(), s.w * bytes, s.w * bytes, s.h);
        p.kind = hipMemcpyHostToDevice;
    } else {
        p.srcArray = a;
        p.dstPtr = make_hipPitchedPtr(host.data(), s.w * bytes, s.w * bytes, s.h);
        p.kind = hipMemcpyDeviceToHost;
    }
    p.extent = make_hipExtent(s.w, s.h, s.d);
    CHECK_HIP(hipMemcpy3D(&p));
}

template <typename T>
static void
test(const char *what, const Format &f, const Shape &s,
     void (*kernel)(hipSurfaceObject_t, hipSurfaceObject_t))
{
    Image im(f, s.w, s.h, s.d, 3);
    std::vector<unsigned char> got(im.bytes.size(), 0xee);
    hipSurfaceObject_t from, to;
    hipArray_t a = make(f, s, &from), b = make(f, s, &to);
    int n = (W + 2) * (H + 2) * 14;

    transfer(a, s, f.bytes(), im.bytes, true);
    transfer(b, s, f.bytes(), got, true);
    kernel<<<(n + 127) / 128, 128>>>(from, to);
    CHECK_RUN();
    transfer(b, s, f.bytes(), got, false);
    if (got != im.bytes)
        FAIL("%s, %s%d x%d", what, f.name, f.bits, f.n);
    CHECK_HIP(hipDestroySurfaceObject(from));
    CHECK_HIP(hipDestroySurfaceObject(to));
    CHECK_HIP(hipFreeArray(a));
    CHECK_HIP(hipFreeArray(b));
}

/* ---- Boundary modes ---- */

__global__ void
bounds(hipSurfaceObject_t s, int *out, int mode)
{
    int i = threadIdx.x - 4;

    out[2 * threadIdx.x] = surf2Dread<int>(s, i * 4, 2, mode);
    out[2 * threadIdx.x + 1] = surf2Dread<int>(s, 4, i, mode);
}

__global__ void
write_clamped(hipSurfaceObject_t s)
{
    surf2Dwrite(77, s, -100, (int)threadIdx.x + H, hipBoundaryModeClamp);
}

__global__ void
read_outside(hipSurfaceObject_t s, int *out)
{
    *out = surf2Dread<int>(s, 4 * W, 0, hipBoundaryModeTrap);
}

static void
test_bounds()
{
    const Format f = {"signed", hipChannelFormatKindSigned, 32, 1, false};
    const Shape s = {W, H, 1, 0, true, false};
    Image im(f, W, H, 1, 9);
    hipSurfaceObject_t surface;
    hipArray_t a = make(f, s, &surface);
    int *out;

    CHECK_HIP(hipMalloc(&out, 64 * sizeof(int)));
    transfer(a, s, 4, im.bytes, true);
    for (int mode = 0; mode <= 2; mode += 2) {
        int host[64];

        bounds<<<1, 32>>>(surface, out, mode);
        CHECK_HIP(hipMemcpy(host, out, sizeof(host), hipMemcpyDeviceToHost));
        for (int t = 0; t < 32; t++) {
            int i = t - 4, x = i < 0 ? 0 : i >= W ? W - 1 : i, y = i < 0 ? 0 : i >= H ? H - 1 : i;
            bool clamp = mode == hipBoundaryModeClamp;
            CHECK(host[2 * t] == (clamp || x == i ? im.at(x, 2, 0).raw[0] : 0));
            CHECK(host[2 * t + 1] == (clamp || y == i ? im.at(1, y, 0).raw[0] : 0));
        }
    }
    write_clamped<<<1, 4>>>(surface);
    transfer(a, s, 4, im.bytes, false);
    CHECK(im.at(0, H - 1, 0).raw[0] == 77);
    read_outside<<<1, 1>>>(surface, out);
    CHECK_ERR(hipDeviceSynchronize(), hipErrorLaunchFailure);
}

int
main()
{
    const Format u8 = {"unsigned", hipChannelFormatKindUnsigned, 8, 1, false};
    const Format u8x4 = {"unsigned", hipChannelFormatKindUnsigned, 8, 4, false};
    const Format s16x2 = {"signed", hipChannelFormatKindSigned, 16, 2, false};
    const Format s16 = {"signed", hipChannelFormatKindSigned, 16, 1, false};
    const Format f32x4 = {"float", hipChannelFormatKindFloat, 32, 4, false};
    const Format f32 = {"float", hipChannelFormatKindFloat, 32, 1, false};
    const Shape one = {W, 1, 1, 0, false, false}, two = {W, H, 1, 0, true, false},
                three = {W, H, D, 0, true, true};
    const Shape one_layers = {W, 1, D, hipArrayLayered, false, true};
    const Shape two_layers = {W, H, D, hipArrayLayered, true, true};
    const Shape cube = {H, H, 6, hipArrayCubemap, true, true};
    const Shape cubes = {H, H, 12, hipArrayCubemap | hipArrayLayered, true, true};

    test<float>("1D", f32, one, move1<float>);
    test<unsigned char>("2D", u8, two, move2<unsigned char>);
    test<uchar4>("2D", u8x4, two, move2<uchar4>);
    test<short2>("2D", s16x2, two, move2<short2>);
    test<short>("2D", s16, two, move2<short>);
    test<float4>("2D", f32x4, two, move2<float4>);
    test<short>("3D", s16, three, move3<short>);
    test<uchar4>("1D layers", u8x4, one_layers, layers1<uchar4>);
    test<float>("2D layers", f32, two_layers, layers2<float>);
    test<float>("cubemap", f32, cube, faces<float>);
    test<float4>("cubemaps", f32x4, cubes, layered_faces<float4>);
    test_bounds();
    return 0;
}
