// SPDX-License-Identifier: MIT
// Layers, cubemaps, mipmaps, levels of detail and gradients, gathers, textures of plain memory.
// OPT: -O3
// ISA: avx512
#include "texel.h"

#define N 384

static float *dc;
static float4 *dout;
static std::vector<float4> out(N);
static std::vector<float> c(4 * N);

#define KERNEL(name, expr)                                                                         \
    __global__ void name(float4 *out, hipTextureObject_t t, const float *v)                        \
    {                                                                                              \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        float x = v[4 * i], y = v[4 * i + 1], z = v[4 * i + 2], w = v[4 * i + 3];                  \
        (void)x, (void)y, (void)z, (void)w;                                                        \
        out[i] = expr;                                                                             \
    }

KERNEL(layered1, tex1DLayered<float4>(t, x, (int)y))
KERNEL(layered2, tex2DLayered<float4>(t, x, y, (int)z))
KERNEL(cube, texCubemap<float4>(t, x, y, z))
KERNEL(cubes, texCubemapLayered<float4>(t, x, y, z, (int)w))
KERNEL(gather, make_float4(tex2Dgather<float4>(t, x, y).x, tex2Dgather<float4>(t, x, y, 1).y,
                           tex2Dgather<float4>(t, x, y, 2).z, tex2Dgather<float4>(t, x, y, 3).w))
KERNEL(lod2, tex2DLod<float4>(t, x, y, w))
KERNEL(lod3, tex3DLod<float4>(t, x, y, z, w))
KERNEL(lod_layers, tex2DLayeredLod<float4>(t, x, y, (int)z, w))
KERNEL(grad2, tex2DGrad<float4>(t, x, y, make_float2(z, 0), make_float2(0, w)))
KERNEL(grad1, tex1DGrad<float4>(t, x, z, w))
KERNEL(cube_lod, texCubemapLod<float4>(t, x, y, z, w))
KERNEL(cube_grad,
       texCubemapGrad<float4>(t, x, y, z, make_float4(w, 0, 0, 0), make_float4(0, 0, 0, 0)))
KERNEL(fetch, tex1Dfetch<float4>(t, (int)x))
KERNEL(plain2, tex2D<float4>(t, x, y))

typedef void (*kernel_t)(float4 *, hipTextureObject_t, const float *);

static const Format f4 = {"float", hipChannelFormatKindFloat, 32, 4, false};

static float
random_at(int i, int k, float low, float high)
{
    uint32_t r = (uint32_t)(i * 4 + k + 1) * 2246822519u;

    r ^= r >> 14;
    r *= 2654435761u;
    return low + (high - low) * (float)(r >> 8) / 16777216.0f;
}

static void
run(kernel_t kernel, hipTextureObject_t t)
{
    CHECK_HIP(hipMemcpy(dc, c.data(), c.size() * sizeof(float), hipMemcpyHostToDevice));
    kernel<<<N / 64, 64>>>(dout, t, dc);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(out.data(), dout, N * sizeof(float4), hipMemcpyDeviceToHost));
}

static void
expect(const char *what, int i, const double *want, double tolerance)
{
    const float got[4] = {out[i].x, out[i].y, out[i].z, out[i].w};

    for (int k = 0; k < 4; k++)
        if (!(fabs(got[k] - want[k]) <= tolerance))
            FAIL("%s %d at %g %g %g %g, channel %d: %g, want %g", what, i, c[4 * i], c[4 * i + 1],
                 c[4 * i + 2], c[4 * i + 3], k, got[k], want[k]);
}

static void
copy_in(hipArray_t a, const Image &im, int h, int d)
{
    hipMemcpy3DParms p = {};

    p.srcPtr = make_hipPitchedPtr((void *)im.bytes.data(), im.w * 16, im.w * 16, im.h);
    p.dstArray = a;
    p.extent = make_hipExtent(im.w, h, d);
    p.kind = hipMemcpyHostToDevice;
    CHECK_HIP(hipMemcpy3D(&p));
}

static hipTextureObject_t
object(hipResourceDesc &r, bool linear, bool normalized, hipTextureAddressMode mode,
       bool mip_linear = false, float max_lod = 0)
{
    hipTextureDesc t = {};
    hipTextureObject_t o;

    t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = mode;
    t.filterMode = linear ? hipFilterModeLinear : hipFilterModePoint;
    t.normalizedCoords = normalized;
    t.mipmapFilterMode = mip_linear ? hipFilterModeLinear : hipFilterModePoint;
    t.maxMipmapLevelClamp = max_lod;
    CHECK_HIP(hipCreateTextureObject(&o, &r, &t, NULL));
    return o;
}

static hipTextureObject_t
array_object(const Image &im, hipExtent e, unsigned flags, bool linear, bool normalized,
             hipTextureAddressMode mode, hipArray_t *a)
{
    hipChannelFormatDesc desc = im.f.desc();
    hipResourceDesc r = {};

    CHECK_HIP(hipMalloc3DArray(a, &desc, e, flags));
    copy_in(*a, im, im.h, im.d);
    r.resType = hipResourceTypeArray;
    r.res.array.array = *a;
    return object(r, linear, normalized, mode);
}

static void
test_layers()
{
    for (int axes = 1; axes <= 2; axes++) {
        Image im(f4, 11, axes > 1 ? 7 : 1, 5, 3);
        Sampler s = {{hipAddressModeWrap, hipAddressModeWrap, hipAddressModeWrap}, true, true, {}};
        hipArray_t a;
        hipTextureObject_t t = array_object(im, make_hipExtent(11, axes > 1 ? 7 : 0, 5),
                                            hipArrayLayered, true, true, hipAddressModeWrap, &a);

        for (int i = 0; i < N; i++) {
            c[4 * i] = random_at(i, 0, -2, 2);
            c[4 * i + 1] = axes > 1 ? random_at(i, 1, -2, 2) : (float)(i % 8 - 1);
            c[4 * i + 2] = (float)(i % 8 - 1); /* layers are clamped */
        }
        run(axes > 1 ? layered2 : layered1, t);
        for (int i = 0; i < N; i++) {
            int layer = i % 8 - 1;
            layer = layer < 0 ? 0 : layer > 4 ? 4 : layer;
            expect("layer", i, reference_sample(im, s, axes, &c[4 * i], layer).f, 1e-3);
        }
        CHECK_HIP(hipDestroyTextureObject(t));
        CHECK_HIP(hipFreeArray(a));
    }
}

/* CUDA's table of faces: major axis, then what lies across it. */
static int
face_of(const float *d, float *st)
{
    float ax = fabsf(d[0]), ay = fabsf(d[1]), az = fabsf(d[2]), m, s, t;
    int face;

    if (ax > ay && ax > az) {
        face = d[0] < 0, m = ax, s = face ? d[2] : -d[2], t = -d[1];
    } else if (ay > az) {
        face = 2 + (d[1] < 0), m = ay, s = d[0], t = d[1] < 0 ? -d[2] : d[2];
    } else {
        face = 4 + (d[2] < 0), m = az, s = d[2] < 0 ? -d[0] : d[0], t = -d[1];
    }
    st[0] = (s / m + 1) / 2;
    st[1] = (t / m + 1) / 2;
    return face;
}

static void
test_cubes()
{
    for (int layers = 1; layers <= 3; layers += 2) {
        Image im(f4, 8, 8, 6 * layers, 5);
        hipArray_t a;
        hipTextureObject_t t = array_object(im, make_hipExtent(8, 8, 6 * layers),
                                            hipArrayCubemap | (layers > 1 ? hipArrayLayered : 0u),
                                            false, true, hipAddressModeClamp, &a);

        for (int i = 0; i < N; i++) {
            for (int k = 0; k < 3; k++)
                c[4 * i + k] = random_at(i, k, -3, 3);
            c[4 * i + 3] = (float)(i % 5 - 1);
        }
        run(layers > 1 ? cubes : cube, t);
        for (int i = 0; i < N; i++) {
            float st[2];
            int face = face_of(&c[4 * i], st), layer = i % 5 - 1;
            double x = st[0] * 8, y = st[1] * 8;

            if (fabs(x - round(x)) < 1e-4 || fabs(y - round(y)) < 1e-4)
                continue; /* rounding decides */
            layer = layers == 1 || layer < 0 ? 0 : layer > 2 ? 2 : layer;
            expect("cube", i, im.at((int)x, (int)y, 6 * layer + face).f, 0);
        }
        CHECK_HIP(hipDestroyTextureObject(t));
        CHECK_HIP(hipFreeArray(a));
    }
}

static void
test_gather()
{
    Image im(f4, 9, 5, 1, 11);
    hipArray_t a;
    hipTextureObject_t t = array_object(im, make_hipExtent(9, 5, 0), hipArrayTextureGather, false,
                                        false, hipAddressModeClamp, &a);

    for (int i = 0; i < N; i++) {
        c[4 * i] = floorf(random_at(i, 0, -3, 12)) + 0.25f;
        c[4 * i + 1] = floorf(random_at(i, 1, -3, 8)) + 0.75f;
    }
    run(gather, t);
    for (int i = 0; i < N; i++) {
        int x = (int)floorf(c[4 * i] - 0.5f), y = (int)floorf(c[4 * i + 1] - 0.5f);
        const int corner[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
        double want[4];

        for (int k = 0; k < 4; k++)
            want[k] = im.at(addressed(x + corner[k][0], 9, hipAddressModeClamp),
                            addressed(y + corner[k][1], 5, hipAddressModeClamp), 0)
                          .f[k];
        expect("gather", i, want, 0);
    }
    CHECK_HIP(hipDestroyTextureObject(t));
    CHECK_HIP(hipFreeArray(a));
}

/* ---- Mipmaps ---- */

struct Mips {
    hipMipmappedArray_t array;
    std::vector<Image> level;

    Mips(int w, int h, int d, unsigned flags, unsigned n)
    {
        hipChannelFormatDesc desc = f4.desc();
        bool layers = flags & (hipArrayLayered | hipArrayCubemap);

        CHECK_HIP(hipMallocMipmappedArray(&array, &desc, make_hipExtent(w, h, d), n, flags));
        for (unsigned l = 0; l < n; l++) {
            int depth = d == 0 ? 1 : layers ? d : d >> l ? d >> l : 1;
            hipArray_t a;

            level.emplace_back(f4, w >> l ? w >> l : 1,
                               h == 0   ? 1
                               : h >> l ? h >> l
                                        : 1,
                               depth, 20 + l);
            CHECK_HIP(hipGetMipmappedArrayLevel(&a, array, l));
            copy_in(a, level[l], level[l].h, depth);
            if (l % 2)
                CHECK_HIP(hipFreeArray(a)); /* the array's end frees the others */
        }
    }

    hipTextureObject_t object(bool linear, bool mip_linear)
    {
        hipResourceDesc r = {};

        r.resType = hipResourceTypeMipmappedArray;
        r.res.mipmap.mipmap = array;
        return ::object(r, linear, true, hipAddressModeClamp, mip_linear, (float)level.size() - 1);
    }

    /* The mix of levels that a level of detail asks for. */
    void sample(bool linear, bool mip_linear, int axes, const float *c, int slice, double lod,
                double *want) const
    {
        Sampler s = {
            {hipAddressModeClamp, hipAddressModeClamp, hipAddressModeClamp}, linear, true, {}};
        double last = (double)level.size() - 1;

        lod = lod < 0 ? 0 : lod > last ? last : lod;
        double first = mip_linear ? floor(nearbyint(lod * 256) / 256) : floor(lod + 0.5);
        double f = mip_linear ? nearbyint(lod * 256) / 256 - first : 0;
        Texel a = reference_sample(level[(size_t)first], s, axes, c, slice);
        Texel b = f > 0 ? reference_sample(level[(size_t)first + 1], s, axes, c, slice) : a;
        for (int k = 0; k < 4; k++)
            want[k] = (1 - f) * a.f[k] + f * b.f[k];
    }
};

/* Points below a half and above: no rule for ties is wanted. */
static bool
is_tie(double lod)
{
    return fabs(lod * 256 - nearbyint(lod * 256)) > 0.49 || fabs(lod - floor(lod) - 0.5) < 1e-3;
}

static void
test_mipmaps(int axes, unsigned flags, kernel_t kernel)
{
    Mips m(16, axes > 0 ? 8 : 0, axes == 3 ? 8 : flags ? 6 : 0, flags, 4);
    bool is_cube = flags & hipArrayCubemap;

    for (int mode = 0; mode < (is_cube ? 1 : 4); mode++) {
        bool linear = mode & 1, mip_linear = mode & 2;
        hipTextureObject_t t = m.object(linear, mip_linear);

        for (int i = 0; i < N; i++) {
            c[4 * i] = random_at(i, 0, -0.2f, 1.2f);
            c[4 * i + 1] = random_at(i, 1, -0.2f, 1.2f);
            c[4 * i + 2] = flags ? (float)(i % 6) : random_at(i, 2, -0.2f, 1.2f);
            c[4 * i + 3] = random_at(i, 3, -1, 4.5f);
        }
        run(kernel, t);
        for (int i = 0; i < N; i++) {
            double want[4];

            if (is_tie(c[4 * i + 3]))
                continue;
            m.sample(linear, mip_linear, axes, &c[4 * i], flags ? i % 6 : 0, c[4 * i + 3], want);
            expect("level", i, want, 2e-3);
        }
        CHECK_HIP(hipDestroyTextureObject(t));
    }
    CHECK_HIP(hipFreeMipmappedArray(m.array));
}

/* Gradients: the longer step, in texels, picks the level. */
static void
test_gradients()
{
    Mips two(16, 8, 0, 0, 4), one(64, 0, 0, 0, 5);

    for (int axes = 1; axes <= 2; axes++) {
        Mips &m = axes > 1 ? two : one;
        hipTextureObject_t t = m.object(true, true);

        for (int i = 0; i < N; i++) {
            c[4 * i] = random_at(i, 0, 0, 1);
            c[4 * i + 1] = random_at(i, 1, 0, 1);
            c[4 * i + 2] = random_at(i, 2, -0.5f, 0.5f);
            c[4 * i + 3] = random_at(i, 3, -0.5f, 0.5f);
        }
        run(axes > 1 ? grad2 : grad1, t);
        for (int i = 0; i < N; i++) {
            double x = fabs(c[4 * i + 2]) * m.level[0].w;
            double y = fabs(c[4 * i + 3]) * (axes > 1 ? m.level[0].h : m.level[0].w);
            double lod = log2(x > y ? x : y), want[4];

            m.sample(true, true, axes, &c[4 * i], 0, lod, want);
            expect("gradient", i, want, 2.0); /* one 256th of a level */
        }
        CHECK_HIP(hipDestroyTextureObject(t));
    }
    CHECK_HIP(hipFreeMipmappedArray(one.array));
    CHECK_HIP(hipFreeMipmappedArray(two.array));
}

/* Cubes whose levels are told apart: level l holds 10 * l + face in its first channel. */
static void
test_cube_levels()
{
    hipChannelFormatDesc desc = f4.desc();
    hipMipmappedArray_t array;
    hipResourceDesc r = {};

    CHECK_HIP(hipMallocMipmappedArray(&array, &desc, make_hipExtent(8, 8, 6), 4, hipArrayCubemap));
    for (int l = 0; l < 4; l++) {
        Image im(f4, 8 >> l, 8 >> l, 6, 0);
        hipArray_t a;

        for (size_t i = 0; i < im.bytes.size() / 16; i++) {
            float v[4] = {10.0f * l + (float)(i / ((8 >> l) * (8 >> l))), 0, 0, 0};
            memcpy(&im.bytes[16 * i], v, 16);
        }
        CHECK_HIP(hipGetMipmappedArrayLevel(&a, array, l));
        copy_in(a, im, im.h, 6);
    }
    r.resType = hipResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = array;
    hipTextureObject_t t = object(r, false, true, hipAddressModeClamp, true, 3);
    for (int i = 0; i < N; i++) {
        c[4 * i] = i % 6 == 0 ? 2 : i % 6 == 1 ? -2 : random_at(i, 0, -1, 1);
        c[4 * i + 1] = i % 6 == 2 ? 2 : i % 6 == 3 ? -2 : random_at(i, 1, -1, 1);
        c[4 * i + 2] = i % 6 == 4 ? 2 : i % 6 == 5 ? -2 : random_at(i, 2, -1, 1);
        c[4 * i + 3] = floorf(random_at(i, 3, 0, 768)) / 256;
    }
    run(cube_lod, t);
    for (int i = 0; i < N; i++) {
        const double want[4] = {10.0 * c[4 * i + 3] + i % 6, 0, 0, 0};
        expect("cube level", i, want, 1e-4);
    }
    /* On the faces along z a step dx of x moves s by dx / (2 |z|): so many texels of level 0. */
    for (int i = 0; i < N; i++) {
        c[4 * i] = random_at(i, 0, -1, 1);
        c[4 * i + 1] = random_at(i, 1, -1, 1);
        c[4 * i + 2] = i % 2 ? 2 : -2;
        c[4 * i + 3] = 4.0f / 8 * (float)(1 << i % 4);
    }
    run(cube_grad, t);
    for (int i = 0; i < N; i++) {
        const double want[4] = {10.0 * (i % 4) + (i % 2 ? 4 : 5), 0, 0, 0};
        expect("cube gradient", i, want, 0.05);
    }
    CHECK_HIP(hipDestroyTextureObject(t));
    CHECK_HIP(hipFreeMipmappedArray(array));
}

static void
test_plain_memory()
{
    Image line(f4, 300, 1, 1, 31), plane(f4, 20, 9, 1, 33);
    Sampler s = {
        {hipAddressModeBorder, hipAddressModeBorder, hipAddressModeBorder}, true, false, {}};
    hipResourceDesc r = {};
    void *memory;
    size_t pitch;

    CHECK_HIP(hipMalloc(&memory, line.bytes.size()));
    CHECK_HIP(hipMemcpy(memory, line.bytes.data(), line.bytes.size(), hipMemcpyHostToDevice));
    r.resType = hipResourceTypeLinear;
    r.res.linear.devPtr = memory;
    r.res.linear.desc = f4.desc();
    r.res.linear.sizeInBytes = line.bytes.size();
    hipTextureObject_t t = object(r, false, false, hipAddressModeClamp);
    for (int i = 0; i < N; i++)
        c[4 * i] = (float)(i - 20);
    run(fetch, t);
    for (int i = 0; i < N; i++) {
        const double zero[4] = {};
        expect("fetch", i, i < 20 || i >= 320 ? zero : line.at(i - 20, 0, 0).f, 0);
    }
    CHECK_HIP(hipDestroyTextureObject(t));
    CHECK_HIP(hipFree(memory));

    CHECK_HIP(hipMallocPitch(&memory, &pitch, 20 * 16, 9));
    CHECK_HIP(
        hipMemcpy2D(memory, pitch, plane.bytes.data(), 20 * 16, 20 * 16, 9, hipMemcpyHostToDevice));
    memset(&r, 0, sizeof(r));
    r.resType = hipResourceTypePitch2D;
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.desc = f4.desc();
    r.res.pitch2D.width = 20;
    r.res.pitch2D.height = 9;
    r.res.pitch2D.pitchInBytes = pitch;
    t = object(r, true, false, hipAddressModeBorder);
    for (int i = 0; i < N; i++) {
        c[4 * i] = random_at(i, 0, -3, 24);
        c[4 * i + 1] = random_at(i, 1, -3, 12);
    }
    run(plain2, t);
    for (int i = 0; i < N; i++)
        expect("pitched", i, reference_sample(plane, s, 2, &c[4 * i], 0).f, 1e-3);
    CHECK_HIP(hipDestroyTextureObject(t));
    CHECK_HIP(hipFree(memory));
}

/* Codes from 0 to 255 in three channels; alpha stays linear. */
static void
test_srgb()
{
    const Format u8x4 = {"unorm", hipChannelFormatKindUnsigned, 8, 4, true};
    hipChannelFormatDesc desc = u8x4.desc();
    unsigned char codes[256][4];
    hipTextureDesc t = {};
    hipResourceDesc r = {};
    hipTextureObject_t o;
    hipArray_t a;

    for (int i = 0; i < 256; i++)
        codes[i][0] = codes[i][1] = codes[i][2] = codes[i][3] = (unsigned char)i;
    CHECK_HIP(hipMallocArray(&a, &desc, 256));
    CHECK_HIP(hipMemcpyToArray(a, 0, 0, codes, sizeof(codes), hipMemcpyHostToDevice));
    r.resType = hipResourceTypeArray;
    r.res.array.array = a;
    t.readMode = hipReadModeNormalizedFloat;
    t.sRGB = 1;
    CHECK_HIP(hipCreateTextureObject(&o, &r, &t, NULL));
    for (int i = 0; i < N; i++)
        c[4 * i] = (float)(i % 256) + 0.5f, c[4 * i + 1] = 0;
    run(plain2, o);
    for (int i = 0; i < 256; i++) {
        double v = i / 255.0, linear = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
        const double want[4] = {linear, linear, linear, v};
        expect("sRGB", i, want, 1e-7);
    }
    CHECK_HIP(hipDestroyTextureObject(o));
    t.readMode = hipReadModeElementType;
    CHECK_ERR(hipCreateTextureObject(&o, &r, &t, NULL), hipErrorInvalidValue);
    (void)hipGetLastError();
    CHECK_HIP(hipFreeArray(a));
}

/* A view: two of the layers, the same bits as another format. */
static void
test_views()
{
    Image im(f4, 7, 3, 5, 41);
    struct hipResourceViewDesc view = {};
    hipTextureDesc t = {};
    hipResourceDesc r = {};
    hipTextureObject_t o;
    hipArray_t a;

    o = array_object(im, make_hipExtent(7, 3, 5), hipArrayLayered, false, false,
                     hipAddressModeClamp, &a);
    CHECK_HIP(hipDestroyTextureObject(o));
    r.resType = hipResourceTypeArray;
    r.res.array.array = a;
    view.format = hipResViewFormatSignedInt4;
    view.firstLayer = 2;
    view.lastLayer = 3;
    CHECK_HIP(hipCreateTextureObject(&o, &r, &t, &view));
    for (int i = 0; i < N; i++) {
        c[4 * i] = (float)(i % 7);
        c[4 * i + 1] = (float)(i / 7 % 3);
        c[4 * i + 2] = (float)(i / 21 % 4 - 1);
    }
    run(layered2, o);
    for (int i = 0; i < N; i++) {
        int layer = i / 21 % 4 - 1;
        expect("view", i, im.at(i % 7, i / 7 % 3, layer < 1 ? 2 : 3).f, 0);
    }
    CHECK_HIP(hipDestroyTextureObject(o));
    view.lastLayer = 5;
    CHECK_ERR(hipCreateTextureObject(&o, &r, &t, &view), hipErrorInvalidValue);
    CHECK_HIP(hipFreeArray(a));
}

int
main()
{
    CHECK_HIP(hipMalloc(&dc, c.size() * sizeof(float)));
    CHECK_HIP(hipMalloc(&dout, N * sizeof(float4)));
    test_layers();
    test_cubes();
    test_gather();
    test_mipmaps(2, 0, lod2);
    test_mipmaps(3, 0, lod3);
    test_mipmaps(2, hipArrayLayered, lod_layers);
    test_gradients();
    test_cube_levels();
    test_plain_memory();
    test_srgb();
    test_views();
    return 0;
}
