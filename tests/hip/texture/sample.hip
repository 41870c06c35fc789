// SPDX-License-Identifier: MIT
// Point and linear samples in one, two and three dimensions: every format, read mode and address
// mode.
// OPT: -O3
// ISA: avx2 avx512
#include "texel.h"

#define N 480

__global__ void
sample1(int4 *out, hipTextureObject_t t, const float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        out[i] = tex1D<int4>(t, c[3 * i]);
}

__global__ void
sample2(int4 *out, hipTextureObject_t t, const float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        out[i] = tex2D<int4>(t, c[3 * i], c[3 * i + 1]);
}

__global__ void
sample3(int4 *out, hipTextureObject_t t, const float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        out[i] = tex3D<int4>(t, c[3 * i], c[3 * i + 1], c[3 * i + 2]);
}

static hipArray_t
upload(const Image &im, int axes)
{
    hipChannelFormatDesc desc = im.f.desc();
    hipMemcpy3DParms p = {};
    hipArray_t a;

    CHECK_HIP(hipMalloc3DArray(&a, &desc,
                               make_hipExtent(im.w, axes > 1 ? im.h : 0, axes > 2 ? im.d : 0), 0));
    p.srcPtr =
        make_hipPitchedPtr((void *)im.bytes.data(), im.w * im.f.bytes(), im.w * im.f.bytes(), im.h);
    p.dstArray = a;
    p.extent = make_hipExtent(im.w, im.h, im.d);
    p.kind = hipMemcpyHostToDevice;
    CHECK_HIP(hipMemcpy3D(&p));
    return a;
}

/* Halves of texels, multiples of a 16th, and anything, from 2.5 sizes below to 2.5 above. */
static void
coordinates(std::vector<float> &c, const Image &im, bool normalized)
{
    const int size[3] = {im.w, im.h, im.d};

    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++) {
            uint32_t r = (uint32_t)(i * 3 + k + 1) * 2246822519u;
            r ^= r >> 13;
            float u = (float)(r % 65536) / 65536.0f * 5.0f * size[k] - 2.0f * size[k];

            if (i % 3 < 2)
                u = std::floor(u * (i % 3 ? 2 : 16)) / (i % 3 ? 2 : 16);
            c[3 * i + k] = normalized ? u / size[k] : u;
        }
    }
}

static void
check(const Image &im, int axes, hipArray_t array, const Sampler &s, float *dc, int4 *dout)
{
    hipResourceDesc r = {};
    hipTextureDesc t = {};
    hipTextureObject_t object;
    std::vector<float> c(3 * N);
    std::vector<int4> out(N);

    r.resType = hipResourceTypeArray;
    r.res.array.array = array;
    for (int k = 0; k < 3; k++)
        t.addressMode[k] = s.mode[k];
    t.filterMode = s.linear ? hipFilterModeLinear : hipFilterModePoint;
    t.readMode = im.f.normalized ? hipReadModeNormalizedFloat : hipReadModeElementType;
    t.normalizedCoords = s.normalized;
    memcpy(t.borderColor, s.border, sizeof(s.border));
    CHECK_HIP(hipCreateTextureObject(&object, &r, &t, NULL));
    coordinates(c, im, s.normalized);
    CHECK_HIP(hipMemcpy(dc, c.data(), c.size() * sizeof(float), hipMemcpyHostToDevice));
    if (axes == 1)
        sample1<<<(N + 63) / 64, 64>>>(dout, object, dc);
    else if (axes == 2)
        sample2<<<(N + 63) / 64, 64>>>(dout, object, dc);
    else
        sample3<<<(N + 63) / 64, 64>>>(dout, object, dc);
    CHECK_HIP(hipGetLastError());
    CHECK_HIP(hipMemcpy(out.data(), dout, N * sizeof(int4), hipMemcpyDeviceToHost));
    CHECK_HIP(hipDestroyTextureObject(object));
    for (int i = 0; i < N; i++) {
        Texel want = reference_sample(im, s, axes, &c[3 * i], 0);

        if (!same_texel(im.f, out[i], want)) {
            printf("%dD %s%d x%d linear %d normalized %d modes %d %d %d at %g %g %g: %d %d %d %d, "
                   "want %d or %g %g %g %g\n",
                   axes, im.f.name, im.f.bits, im.f.n, s.linear, s.normalized, s.mode[0], s.mode[1],
                   s.mode[2], c[3 * i], c[3 * i + 1], c[3 * i + 2], out[i].x, out[i].y, out[i].z,
                   out[i].w, want.raw[0], want.f[0], want.f[1], want.f[2], want.f[3]);
            exit(1);
        }
    }
}

/* Linear samples of three texels 1, 2, 3 (outside 7) at coordinates that are no numbers, or whose
 * distance has no fraction left: the texel at the end, the first for NaN, and never a NaN. */
static void
check_far_away(float *dc, int4 *dout)
{
    const float c[] = {INFINITY, -INFINITY, 3e38f, -3e38f, NAN}, clamped[] = {3, 1, 3, 1, 1};
    const hipTextureAddressMode modes[] = {hipAddressModeClamp, hipAddressModeBorder,
                                           hipAddressModeWrap, hipAddressModeMirror};
    const float texels[3] = {1, 2, 3};
    hipChannelFormatDesc desc = hipCreateChannelDesc<float>();
    hipResourceDesc r = {};

    r.resType = hipResourceTypeArray;
    CHECK_HIP(hipMallocArray(&r.res.array.array, &desc, 3));
    CHECK_HIP(
        hipMemcpy2DToArray(r.res.array.array, 0, 0, texels, 12, 12, 1, hipMemcpyHostToDevice));
    for (int i = 0; i < 5; i++)
        CHECK_HIP(hipMemcpy(dc + 3 * i, &c[i], sizeof(float), hipMemcpyHostToDevice));
    for (hipTextureAddressMode mode : modes) {
        hipTextureDesc t = {};
        hipTextureObject_t object;
        std::vector<int4> out(N);

        t.addressMode[0] = mode;
        t.filterMode = hipFilterModeLinear;
        t.normalizedCoords = 1;
        t.borderColor[0] = 7;
        CHECK_HIP(hipCreateTextureObject(&object, &r, &t, NULL));
        sample1<<<(N + 63) / 64, 64>>>(dout, object, dc);
        CHECK_HIP(hipMemcpy(out.data(), dout, N * sizeof(int4), hipMemcpyDeviceToHost));
        CHECK_HIP(hipDestroyTextureObject(object));
        for (int i = 0; i < 5; i++) {
            float got = __builtin_bit_cast(float, out[i].x);
            bool ok = mode == hipAddressModeClamp    ? got == clamped[i]
                      : mode == hipAddressModeBorder ? got == 7
                                                     : got >= 1 && got <= 3;
            if (!ok)
                FAIL("mode %d at %g: %g", (int)mode, c[i], got);
        }
    }
    CHECK_HIP(hipFreeArray(r.res.array.array));
}

/* In front of the first texel and behind the last one, both neighbours are that texel, whatever
 * stands beside it. */
static void
check_ends(float *dc, int4 *dout)
{
    const float c[] = {0.25f, -8, 3.5f, 9, NAN}, want[] = {1, 1, 2, 2, 1};
    const float texels[4] = {1, INFINITY, -INFINITY, 2};
    hipChannelFormatDesc desc = hipCreateChannelDesc<float>();
    hipResourceDesc r = {};
    hipTextureDesc t = {};
    hipTextureObject_t object;
    std::vector<int4> out(N);

    r.resType = hipResourceTypeArray;
    CHECK_HIP(hipMallocArray(&r.res.array.array, &desc, 4));
    CHECK_HIP(
        hipMemcpy2DToArray(r.res.array.array, 0, 0, texels, 16, 16, 1, hipMemcpyHostToDevice));
    for (int i = 0; i < 5; i++)
        CHECK_HIP(hipMemcpy(dc + 3 * i, &c[i], sizeof(float), hipMemcpyHostToDevice));
    t.addressMode[0] = hipAddressModeClamp;
    t.filterMode = hipFilterModeLinear;
    CHECK_HIP(hipCreateTextureObject(&object, &r, &t, NULL));
    sample1<<<(N + 63) / 64, 64>>>(dout, object, dc);
    CHECK_HIP(hipMemcpy(out.data(), dout, N * sizeof(int4), hipMemcpyDeviceToHost));
    for (int i = 0; i < 5; i++)
        if (__builtin_bit_cast(float, out[i].x) != want[i])
            FAIL("at %g: %g", c[i], __builtin_bit_cast(float, out[i].x));
    CHECK_HIP(hipDestroyTextureObject(object));
    CHECK_HIP(hipFreeArray(r.res.array.array));
}

int
main()
{
    float *dc;
    int4 *dout;

    CHECK_HIP(hipMalloc(&dc, 3 * N * sizeof(float)));
    CHECK_HIP(hipMalloc(&dout, N * sizeof(int4)));
    check_far_away(dc, dout);
    check_ends(dc, dout);
    for (int axes = 1; axes <= 3; axes++) {
        int turn = 0;

        for (const Format &f : all_formats()) {
            Image im(f, 13, axes > 1 ? 6 : 1, axes > 2 ? 5 : 1, 7 * axes);
            hipArray_t array = upload(im, axes);

            for (int linear = 0; linear <= f.is_float(); linear++) {
                for (int m = 0; m < 6; m++) {
                    /* The other axes have another mode each. */
                    int n_modes = m < 4 ? 4 : 2, first = m < 4 ? m : m - 4, step = turn++;
                    Sampler s = {{}, linear != 0, m < 4, {0.5f, -1.0f, 2.0f, 3.0f}};

                    for (int k = 0; k < 3; k++) {
                        int mode = (first + (k ? k * (1 + step % 3) : 0)) % n_modes;
                        s.mode[k] = m < 4  ? (hipTextureAddressMode)mode
                                    : mode ? hipAddressModeBorder
                                           : hipAddressModeClamp;
                    }
                    check(im, axes, array, s, dc, dout);
                }
            }
            CHECK_HIP(hipFreeArray(array));
        }
    }
    return 0;
}
