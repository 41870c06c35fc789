/* SPDX-License-Identifier: MIT */
/* A reference for textures, written from HIP's and CUDA's description: texels decoded one by one,
 * addresses by integer arithmetic, weights in double. */
#pragma once
#include "../check.h"

#include <cmath>
#include <cstring>
#include <vector>

struct Format {
    const char *name;
    hipChannelFormatKind kind;
    int bits, n;
    bool normalized; /* read as floats from 0 or -1 to 1 */

    int bytes() const
    {
        return bits / 8 * n;
    }
    bool is_float() const
    {
        return normalized || kind == hipChannelFormatKindFloat;
    }
    hipChannelFormatDesc desc() const
    {
        return hipCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 2 ? bits : 0,
                                    kind);
    }
};

inline std::vector<Format>
all_formats()
{
    std::vector<Format> v;

    for (int n = 1; n <= 4; n *= 2) {
        for (int bits = 8; bits <= 32; bits *= 2) {
            v.push_back({"unsigned", hipChannelFormatKindUnsigned, bits, n, false});
            v.push_back({"signed", hipChannelFormatKindSigned, bits, n, false});
            if (bits < 32) {
                v.push_back({"unorm", hipChannelFormatKindUnsigned, bits, n, true});
                v.push_back({"snorm", hipChannelFormatKindSigned, bits, n, true});
            }
            if (bits > 8)
                v.push_back({"float", hipChannelFormatKindFloat, bits, n, false});
        }
    }
    return v;
}

struct Texel {
    double f[4];    /* of a float format */
    int32_t raw[4]; /* of an integer format */
};

/* An image in memory without gaps, with the reference's own reading of it. */
struct Image {
    Format f;
    int w, h, d;
    std::vector<unsigned char> bytes;

    Image(const Format &format, int w_, int h_, int d_, unsigned seed)
        : f(format), w(w_), h(h_), d(d_), bytes((size_t)w_ * h_ * d_ * format.bytes())
    {
        for (size_t i = 0; i * (f.bits / 8) < bytes.size(); i++) {
            unsigned char *p = &bytes[i * (f.bits / 8)];
            uint32_t r = (uint32_t)(i + 1) * 2654435761u + seed * 40503u;
            float v = (float)(int)(r >> 20 & 511) - 200;
            _Float16 half = (_Float16)v;

            r ^= r >> 15;
            if (f.kind != hipChannelFormatKindFloat)
                memcpy(p, &r, f.bits / 8);
            else if (f.bits == 32)
                memcpy(p, &v, 4);
            else
                memcpy(p, &half, 2);
        }
    }

    Texel at(int x, int y, int z) const
    {
        Texel t = {{0, 0, 0, 1}, {0, 0, 0, 1}};

        for (int c = 0; c < f.n; c++) {
            const unsigned char *p =
                &bytes[(((size_t)z * h + y) * w + x) * f.bytes() + c * f.bits / 8];
            bool sign = f.kind == hipChannelFormatKindSigned;
            int64_t v = 0;
            uint8_t u8;
            uint16_t u16;
            uint32_t u32;
            float f32;
            _Float16 f16;

            if (f.bits == 8) {
                memcpy(&u8, p, 1);
                v = sign ? (int8_t)u8 : u8;
            } else if (f.bits == 16) {
                memcpy(&u16, p, 2);
                memcpy(&f16, p, 2);
                t.f[c] = (double)f16;
                v = sign ? (int16_t)u16 : u16;
            } else {
                memcpy(&u32, p, 4);
                memcpy(&f32, p, 4);
                t.f[c] = f32;
                v = sign ? (int32_t)u32 : u32;
            }
            t.raw[c] = (int32_t)v;
            if (f.normalized) {
                t.f[c] = (double)v / (double)((1 << (f.bits - sign)) - 1);
                t.f[c] = t.f[c] < -1 ? -1 : t.f[c];
            }
        }
        return t;
    }
};

/* The texel that index i along an axis of n texels means; -1 is the border. */
inline int
addressed(long i, int n, hipTextureAddressMode mode)
{
    switch (mode) {
    case hipAddressModeWrap:
        return (int)((i % n + n) % n);
    case hipAddressModeMirror: {
        long m = (i % (2 * n) + 2 * n) % (2 * n);
        return (int)(m < n ? m : 2 * n - 1 - m);
    }
    case hipAddressModeBorder:
        return i < 0 || i >= n ? -1 : (int)i;
    default:
        return (int)(i < 0 ? 0 : i >= n ? n - 1 : i);
    }
}

struct Sampler {
    hipTextureAddressMode mode[3];
    bool linear, normalized;
    float border[4];
};

/* One axis of a sample: two texels and the weight of the second. */
struct Axis {
    int i[2];
    double weight[2];
};

inline Axis
axis_of(float x, int n, hipTextureAddressMode mode, const Sampler &s, bool linear)
{
    float u = s.normalized ? x * (float)n : x;
    double v = linear ? std::nearbyint(((double)u - 0.5) * 256) / 256 : u;
    double first = std::floor(v);

    return {{addressed((long)first, n, mode), addressed((long)first + 1, n, mode)},
            {linear ? 1 - (v - first) : 1, linear ? v - first : 0}};
}

/* coordinates of `axes` dimensions; the others are given by `slice`. */
inline Texel
reference_sample(const Image &im, const Sampler &s, int axes, const float *c, int slice)
{
    bool linear = s.linear && im.f.is_float();
    Axis x = axis_of(c[0], im.w, s.mode[0], s, linear);
    Axis y = {{0, 0}, {1, 0}}, z = {{slice, slice}, {1, 0}};
    Texel sum = {};

    if (axes > 1)
        y = axis_of(c[1], im.h, s.mode[1], s, linear);
    if (axes > 2)
        z = axis_of(c[2], im.d, s.mode[2], s, linear);
    for (int k = 0; k < 8; k++) {
        double w = x.weight[k & 1] * y.weight[k >> 1 & 1] * z.weight[k >> 2];
        int i = x.i[k & 1], j = y.i[k >> 1 & 1], l = z.i[k >> 2];

        if (k > 0 && w == 0)
            continue;
        Texel t = {};
        if (i >= 0 && j >= 0 && l >= 0) {
            t = im.at(i, j, l);
        } else {
            for (int n = 0; n < 4; n++) {
                t.f[n] = s.border[n];
                memcpy(&t.raw[n], &s.border[n], 4);
            }
        }
        for (int n = 0; n < 4; n++) {
            sum.f[n] += w * t.f[n];
            sum.raw[n] = t.raw[n];
        }
    }
    return sum;
}

/* What came back is what should have: integers exactly, floats as close as float arithmetic gets.
 */
inline bool
same_texel(const Format &f, int4 got, const Texel &want, double tolerance = 2e-6)
{
    const int raw[4] = {got.x, got.y, got.z, got.w};

    for (int c = 0; c < 4; c++) {
        float value;

        memcpy(&value, &raw[c], 4);
        if (!f.is_float() ? raw[c] != want.raw[c]
                          : !(std::fabs(value - want.f[c]) <=
                              tolerance * (300 + std::fabs(want.f[c])) / (f.normalized ? 300 : 1)))
            return false;
    }
    return true;
}
