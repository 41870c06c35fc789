/* SPDX-License-Identifier: MIT */
/* OCKL's image functions for the CPU: texels are gathered from plain memory as struct ls_image
 * says.
 *
 * The code is linked when a kernel is lowered (src/compiler/ir/image.c), never by hipcc: a genuine
 * AMD code object takes the functions of AMD's OCKL, which have the same names. Everything that
 * hangs on the descriptor is uniform over the lanes as long as the object is, and stays a scalar
 * branch.
 *
 * Filtering: positions are rounded to 1/256 of a texel, as AMD's and NVIDIA's units do; weights are
 * exact, sums are float. Linear filtering of integer formats is point sampling. Cubemaps filter
 * within a face. */

#include "devlib.h"

#include "base/lsimage.h"
#include "devlib/cube.h"

#define LS_CONST  __attribute__((address_space(4)))
#define LS_GLOBAL __attribute__((address_space(1)))
#define LS_OCKL   __attribute__((flatten))

typedef float float2 __attribute__((ext_vector_type(2)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef int int4 __attribute__((ext_vector_type(4)));

/* A texel's words, and its channels. They are structs, not vectors: each element is computed by
 * itself. */
struct words {
    uint32_t v[4];
};

struct texel {
    float v[4];
};

typedef const LS_CONST struct ls_image *image_t;
typedef const LS_CONST struct ls_sampler *sampler_t;
typedef const LS_CONST struct ls_image_level *level_t;
typedef const LS_CONST uint32_t *desc_t;

/* Comparisons that a NaN fails: the result is then the limit. */
LS_INLINE float
at_least(float x, float limit)
{
    return x > limit ? x : limit;
}

LS_INLINE float
at_most(float x, float limit)
{
    return x < limit ? x : limit;
}

LS_INLINE float
clampf(float x, float low, float high)
{
    return at_most(at_least(x, low), high);
}

LS_INLINE int32_t
clampi(int32_t x, int32_t low, int32_t high)
{
    x = x < low ? low : x;
    return x > high ? high : x;
}

LS_INLINE float
as_float(uint32_t x)
{
    return __builtin_bit_cast(float, x);
}

/* A loop over constants that disappears. */
#define LS_EACH(k, n) _Pragma("clang loop unroll(full)") for (int k = 0; k < (n); k++)

/* ---- Texels ---- */

/* The words of the texel whose first unit is number `unit`. A texel below four bytes comes by way
 * of the aligned word that holds it. */
LS_INLINE struct words
load_words(image_t im, int32_t unit)
{
    const LS_GLOBAL uint32_t *p = (const LS_GLOBAL uint32_t *)im->base;
    uint32_t shift = im->unit_shift;
    struct words w = {{0}};

    if (shift == 2) {
        w.v[0] = p[unit];
        if (im->n_units > 1) {
            w.v[1] = p[unit + 1];
            if (im->n_units > 2) {
                w.v[2] = p[unit + 2];
                w.v[3] = p[unit + 3];
            }
        }
    } else {
        w.v[0] = p[unit >> (2 - shift)] >> (((uint32_t)unit << (shift + 3)) & 31);
    }
    return w;
}

LS_INLINE uint32_t
channel_bits(image_t im, struct words w, int c)
{
    uint32_t bits = im->bits;
    uint32_t word, left;

    if (bits == 32)
        return w.v[c];
    word = bits == 16 ? w.v[c / 2] : w.v[0];
    left = bits == 16 ? 16 - 16 * (c & 1) : 24 - 8 * c;
    word <<= left;
    return im->kind == LS_IMAGE_SINT || im->kind == LS_IMAGE_SNORM
               ? (uint32_t)((int32_t)word >> (32 - bits))
               : word >> (32 - bits);
}

LS_INLINE float
fraction_of(image_t im, float x, bool exact)
{
    return exact ? x / im->limit : x * im->scale;
}

/* Converts n texels from their words. Channels that the format lacks are 0, 0, 1. `exact`:
 * fractions are rounded correctly, which is not needed for values that are filtered. */
LS_INLINE void
texels_of_words(image_t im, const struct words *w, struct texel *t, int n, bool exact)
{
    float one = as_float(im->kind <= LS_IMAGE_SINT ? 1 : 0x3f800000);
    uint32_t raw[8][4];

    LS_EACH(k, n)
        LS_EACH(c, 4)
            raw[k][c] = channel_bits(im, w[k], c);
    switch (im->kind) {
    case LS_IMAGE_HALF:
        LS_EACH(k, n)
            LS_EACH(c, 4)
                t[k].v[c] = (float)__builtin_bit_cast(_Float16, (uint16_t)raw[k][c]);
        break;
    case LS_IMAGE_UNORM:
        LS_EACH(k, n)
            LS_EACH(c, 4)
                t[k].v[c] = fraction_of(im, (float)raw[k][c], exact);
        break;
    case LS_IMAGE_SNORM:
        LS_EACH(k, n)
            LS_EACH(c, 4)
                t[k].v[c] = at_least(fraction_of(im, (float)(int32_t)raw[k][c], exact), -1.0f);
        break;
    case LS_IMAGE_SRGB:
        LS_EACH(k, n)
            LS_EACH(c, 4)
            t[k].v[c] = c == 3 ? fraction_of(im, (float)raw[k][c], exact)
                               : ((const LS_CONST float *)im->srgb)[raw[k][c] & 255];
            break;
    default:
        LS_EACH(k, n)
            LS_EACH(c, 4)
                t[k].v[c] = as_float(raw[k][c]);
        break;
    }
    LS_EACH(k, n) {
        t[k].v[1] = im->n_channels > 1 ? t[k].v[1] : 0.0f;
        t[k].v[2] = im->n_channels > 2 ? t[k].v[2] : 0.0f;
        t[k].v[3] = im->n_channels > 2 ? t[k].v[3] : one;
    }
}

LS_INLINE struct texel
load_texel(image_t im, int32_t unit)
{
    struct words w = load_words(im, unit);
    struct texel t;

    texels_of_words(im, &w, &t, 1, true);
    return t;
}

LS_INLINE struct texel
border_texel(sampler_t s)
{
    struct texel t;

    LS_EACH(c, 4)
        t.v[c] = as_float(s->border[c]);
    return t;
}

/* ---- Positions ---- */

/* Neighbours along one axis: i0 and i1 lie within the level; ok says which of them did so from the
 * start. */
struct axis {
    int32_t i0, i1;
    float fraction; /* weight of i1 */
    bool ok0, ok1;
};

/* i within a period: i - n * floor(i / n), with the quotient's error made good. */
LS_INLINE float
modulo(float i, float n)
{
    float r = i - n * __builtin_floorf(i * (1.0f / n));

    r = r < 0.0f ? r + n : r;
    return r >= n ? r - n : r;
}

LS_INLINE float
mirrored(float i, float n)
{
    float r = modulo(i, 2.0f * n);

    return r >= n ? 2.0f * n - 1.0f - r : r;
}

/* u counts texels; the centre of texel i is i + 0.5. */
LS_INLINE struct axis
place(float u, int32_t size, uint32_t mode, bool is_linear)
{
    struct axis a = {.ok0 = true, .ok1 = true};
    float n = (float)size, i0, i1;
    float last =
        clampf(n - 1.0f, 0.0f, 0x1p30f); /* so that the conversions below need no clamping */

    if (is_linear)
        u = __builtin_rintf((u - 0.5f) * 256.0f) * 0x1p-8f;
    i0 = __builtin_floorf(u);
    a.fraction =
        at_least(u - i0, 0.0f); /* 0 where u is not finite: the texel at the end, not a NaN */
    i1 = i0 + 1.0f;
    if (mode == LS_SAMPLER_WRAP) {
        i0 = modulo(i0, n);
        i1 = i0 + 1.0f;
        i1 = i1 > last ? 0.0f : i1;
    } else if (mode == LS_SAMPLER_MIRROR) {
        i1 = mirrored(i1, n);
        i0 = mirrored(i0, n);
    } else if (mode == LS_SAMPLER_BORDER) {
        a.ok0 = i0 >= 0.0f && i0 <= last;
        a.ok1 = i1 >= 0.0f && i1 <= last;
    }
    a.i0 = (int32_t)clampf(i0, 0.0f, last);
    a.i1 = (int32_t)clampf(i1, 0.0f, last);
    return a;
}

LS_INLINE float
mix(float a, float b, float fraction)
{
    return a + fraction * (b - a);
}

LS_INLINE struct texel
mix_texels(struct texel a, struct texel b, float fraction)
{
    LS_EACH(c, 4)
        a.v[c] = mix(a.v[c], b.v[c], fraction);
    return a;
}

LS_INLINE struct texel
choose(bool ok, struct texel t, struct texel other)
{
    LS_EACH(c, 4)
        t.v[c] = ok ? t.v[c] : other.v[c];
    return t;
}

/* ---- Sampling ---- */

/* What a sample needs besides coordinates. n_axes and is_cube are constants after inlining. */
struct request {
    image_t im;
    sampler_t s;
    int n_axes;    /* that are filtered: 1, 2, 3 */
    bool is_cube;  /* x and y are a place on a face, from 0 to 1 */
    float4 c;      /* coordinates */
    int32_t slice; /* layer or face for n_axes below 3 */
};

LS_INLINE uint32_t
mode_of(const struct request *r, int axis)
{
    return r->is_cube ? LS_SAMPLER_CLAMP : r->s->mode[axis];
}

/* Units of one corner. */
LS_INLINE int32_t
corner(image_t im, level_t l, int32_t x, int32_t y, int32_t z)
{
    return l->offset + z * l->slice + y * l->row + x * (int32_t)im->n_units;
}

LS_INLINE struct texel
sample_point(const struct request *r, level_t l, struct axis x, struct axis y, struct axis z)
{
    struct texel t = load_texel(r->im, corner(r->im, l, x.i0, y.i0, z.i0));

    if (r->s->has_border && !r->is_cube)
        t = choose(x.ok0 & y.ok0 & z.ok0, t, border_texel(r->s));
    return t;
}

LS_INLINE struct texel
sample_linear(const struct request *r, level_t l, struct axis x, struct axis y, struct axis z)
{
    int n = 1 << r->n_axes;
    struct words w[8];
    struct texel t[8];

    LS_EACH(k, n)
        w[k] = load_words(r->im, corner(r->im, l, k & 1 ? x.i1 : x.i0, k & 2 ? y.i1 : y.i0,
                                        k & 4 ? z.i1 : z.i0));
    texels_of_words(r->im, w, t, n, false);
    if (r->s->has_border && !r->is_cube)
        LS_EACH(k, n)
    t[k] = choose((k & 1 ? x.ok1 : x.ok0) & (k & 2 ? y.ok1 : y.ok0) & (k & 4 ? z.ok1 : z.ok0), t[k],
                  border_texel(r->s));
    if (r->n_axes > 2)
        LS_EACH(k, 4)
            t[k] = mix_texels(t[k], t[k + 4], z.fraction);
    if (r->n_axes > 1)
        LS_EACH(k, 2)
            t[k] = mix_texels(t[k], t[k + 2], y.fraction);
    return mix_texels(t[0], t[1], x.fraction);
}

/* Two floats that are neighbours in memory. */
LS_INLINE float2
load_pair(image_t im, int32_t unit)
{
    typedef float2 __attribute__((aligned(4))) pair;

    return *(const LS_GLOBAL pair *)((const LS_GLOBAL uint32_t *)im->base + unit);
}

/* Threads one below the other, which the next warps are as a rule, read lower rows of an image that
 * is not turned too far: their lines are asked for. */
enum { AHEAD_ROWS = 2 };

LS_INLINE void
ask_for(image_t im, int32_t unit)
{
    __builtin_prefetch((const LS_GLOBAL uint32_t *)im->base + unit, 0, 3);
}

/* A position along a clamped axis. */
struct clamped {
    int32_t i; /* the neighbour before, from -1 to last: outside, both neighbours are the texel at
                  the end */
    float fraction;
};

/* u counts texels. (u - 1/2) * 256 is rounded once, as in place(). */
LS_INLINE struct clamped
place_clamped(float u, int32_t last)
{
    /* at most 2^30: so that the conversion below needs no clamping */
    float end = at_most((float)last * 256.0f, 0x1p30f), i;
    struct clamped a;

    u = clampf(__builtin_rintf(u * 256.0f - 128.0f), -256.0f, end) * 0x1p-8f;
    i = __builtin_floorf(u);
    a.fraction = u - i;
    a.i = (int32_t)i;
    return a;
}

/* The units from the neighbour before to the one behind it. */
LS_INLINE int32_t
step_of(struct clamped a, int32_t last, int32_t step)
{
    return (uint32_t)a.i < (uint32_t)last ? step : 0;
}

/* What sample_level() gives for a scalar image and a clamping sampler. Neighbours along x come as
 * one load: at the ends of a row the last two texels, of which one counts twice. */
LS_INLINE float
sample_scalars(const struct request *r, level_t l)
{
    bool normal = r->is_cube | r->s->is_normalized;
    int rows = 1 << (r->n_axes - 1);
    int32_t last[3] = {l->width - 1, l->height - 1, l->depth - 1};
    struct clamped x = place_clamped(r->c.x * (normal ? (float)l->width : 1.0f), last[0]);
    struct clamped y = {0}, z = {.i = r->slice};
    int32_t first, down = 0, back = 0;
    float left[4], right[4];

    if (r->n_axes > 1) {
        y = place_clamped(r->c.y * (normal ? (float)l->height : 1.0f), last[1]);
        down = step_of(y, last[1], l->row);
    }
    if (r->n_axes > 2) {
        z = place_clamped(r->c.z * (normal ? (float)l->depth : 1.0f), last[2]);
        back = step_of(z, last[2], l->slice);
    }
    first = l->offset + (z.i > 0 ? z.i : 0) * l->slice + (y.i > 0 ? y.i : 0) * l->row +
            clampi(x.i, 0, last[0] - 1);
    if (r->n_axes == 2)
        ask_for(r->im, first + down + AHEAD_ROWS * l->row);
    LS_EACH(k, rows) {
        float2 texels = load_pair(r->im, first + (k & 2 ? back : 0) + (k & 1 ? down : 0));

        left[k] = texels.x;
        right[k] = texels.y;
    }
    if (r->n_axes > 2)
        LS_EACH(k, 2) {
            left[k] = mix(left[k], left[k + 2], z.fraction);
            right[k] = mix(right[k], right[k + 2], z.fraction);
        }
    if (r->n_axes > 1) {
        left[0] = mix(left[0], left[1], y.fraction);
        right[0] = mix(right[0], right[1], y.fraction);
    }
    return mix(x.i >= last[0] ? right[0] : left[0], x.i >= 0 ? right[0] : left[0], x.fraction);
}

LS_INLINE struct texel
sample_level(const struct request *r, level_t l)
{
    bool normal = r->is_cube | r->s->is_normalized;
    bool is_linear = r->s->is_linear;
    struct axis x, y = {.ok0 = true, .ok1 = true}, z = y;

    x = place(r->c.x * (normal ? (float)l->width : 1.0f), l->width, mode_of(r, 0), is_linear);
    if (r->n_axes > 1)
        y = place(r->c.y * (normal ? (float)l->height : 1.0f), l->height, mode_of(r, 1), is_linear);
    if (r->n_axes > 2)
        z = place(r->c.z * (normal ? (float)l->depth : 1.0f), l->depth, mode_of(r, 2), is_linear);
    else
        z.i0 = z.i1 = r->slice;
    return is_linear ? sample_linear(r, l, x, y, z) : sample_point(r, l, x, y, z);
}

LS_INLINE float4
vector_of(struct texel t)
{
    return (float4){t.v[0], t.v[1], t.v[2], t.v[3]};
}

/* The level of detail picks one level, or two and a mix of them. */
LS_INLINE float4
sample(const struct request *r, float lod)
{
    image_t im = r->im;
    level_t levels = ((level_t)im->levels);
    float last = (float)((int32_t)im->n_levels - 1);
    struct texel t = {{0}};
    float fraction = 0.0f;
    int32_t l0, n = 1;

    if (im->is_scalar & r->s->is_clamped)
        return (float4){sample_scalars(r, (level_t)im->levels), 0.0f, 0.0f, 1.0f};
    lod = clampf(lod + im->bias, r->s->min_lod, r->s->max_lod);
    lod = clampf(lod, 0.0f, last);
    if (r->s->is_mip_linear) {
        lod = __builtin_rintf(lod * 256.0f) * 0x1p-8f;
        l0 = (int32_t)lod;
        fraction = lod - (float)l0;
        n = im->n_levels > 1 ? 2 : 1;
    } else {
        l0 = (int32_t)(lod + 0.5f);
    }
#pragma clang loop unroll(disable)
    for (int32_t k = 0; k < n; k++) {
        struct texel next = sample_level(r, levels + clampi(l0 + k, 0, (int32_t)im->n_levels - 1));

        t = k == 0 ? next : mix_texels(t, next, fraction);
    }
    return vector_of(t);
}

/* The level whose texels are as far apart as the longer of two steps on the image. */
LS_INLINE float
lod_of_steps(image_t im, float4 dx, float4 dy)
{
    level_t l = ((level_t)im->levels);
    float w = (float)l->width, h = (float)l->height, d = (float)l->depth;
    float x = dx.x * dx.x * (w * w) + dx.y * dx.y * (h * h) + dx.z * dx.z * (d * d);
    float y = dy.x * dy.x * (w * w) + dy.y * dy.y * (h * h) + dy.z * dy.z * (d * d);

    return 0.5f * __builtin_log2f(at_least(x > y ? x : y, 0x1p-60f));
}

LS_INLINE int32_t
layer_of(image_t im, float layer, int32_t faces)
{
    return (int32_t)clampf(__builtin_rintf(layer), 0.0f, (float)(im->n_slices / faces - 1));
}

LS_INLINE struct request
request(desc_t i, desc_t s, int n_axes, float4 c, int32_t slice)
{
    struct request r = {(image_t)i, (sampler_t)s, n_axes, false, c, slice};

    return r;
}

LS_INLINE float4
pad(float2 v)
{
    return (float4){v.x, v.y, 0.0f, 0.0f};
}

/* ---- Cubemaps ---- */

LS_INLINE struct request
cube_request(desc_t i, desc_t s, float4 c, int32_t layer)
{
    struct cube k = cube_of(c);
    int32_t slice = layer * 6 + k.face, last = ((image_t)i)->n_slices - 1;
    struct request r = request(i, s, 2, c, slice < last ? slice : last);

    r.is_cube = true;
    r.c.x = 0.5f * (k.s / k.m) + 0.5f;
    r.c.y = 0.5f * (k.t / k.m) + 0.5f;
    return r;
}

/* ---- OCKL's names: samples ---- */

#define LS_SAMPLES(suffix, coord, step, make, slope)                                               \
    LS_OCKL float4 __ockl_image_sample_##suffix(desc_t i, desc_t s, coord c);                      \
    LS_OCKL float4 __ockl_image_sample_##suffix(desc_t i, desc_t s, coord c)                       \
    {                                                                                              \
        struct request r = make;                                                                   \
        return sample(&r, 0.0f);                                                                   \
    }                                                                                              \
    LS_OCKL float4 __ockl_image_sample_lod_##suffix(desc_t i, desc_t s, coord c, float lod);       \
    LS_OCKL float4 __ockl_image_sample_lod_##suffix(desc_t i, desc_t s, coord c, float lod)        \
    {                                                                                              \
        struct request r = make;                                                                   \
        return sample(&r, lod);                                                                    \
    }                                                                                              \
    LS_OCKL float4 slope(desc_t i, desc_t s, coord c, step dx, step dy);

LS_INLINE float4
layer_first(float2 c) /* 1Da: the layer comes second */
{
    return (float4){c.x, 0.0f, 0.0f, 0.0f};
}

LS_SAMPLES(1D, float, float, request(i, s, 1, (float4){c}, 0), __ockl_image_sample_grad_1D)
LS_SAMPLES(1Da, float2, float, request(i, s, 1, layer_first(c), layer_of((image_t)i, c.y, 1)),
           __ockl_image_sample_grad_1Da)
LS_SAMPLES(2D, float2, float2, request(i, s, 2, pad(c), 0), __ockl_image_sample_grad_2D)
LS_SAMPLES(2Da, float4, float2, request(i, s, 2, c, layer_of((image_t)i, c.z, 1)),
           __ockl_image_sample_grad_2Da)
LS_SAMPLES(3D, float4, float4, request(i, s, 3, c, 0), __ockl_image_sample_grad_3D)
LS_SAMPLES(CM, float4, float4, cube_request(i, s, c, 0), __ls_image_sample_grad_CM)
LS_SAMPLES(CMa, float4, float4, cube_request(i, s, c, layer_of((image_t)i, c.w, 6)),
           __ls_image_sample_grad_CMa)

LS_OCKL float4
__ockl_image_sample_grad_1D(desc_t i, desc_t s, float c, float dx, float dy)
{
    struct request r = request(i, s, 1, (float4){c}, 0);
    return sample(&r, lod_of_steps(r.im, (float4){dx}, (float4){dy}));
}

LS_OCKL float4
__ockl_image_sample_grad_1Da(desc_t i, desc_t s, float2 c, float dx, float dy)
{
    struct request r = request(i, s, 1, layer_first(c), layer_of((image_t)i, c.y, 1));
    return sample(&r, lod_of_steps(r.im, (float4){dx}, (float4){dy}));
}

LS_OCKL float4
__ockl_image_sample_grad_2D(desc_t i, desc_t s, float2 c, float2 dx, float2 dy)
{
    struct request r = request(i, s, 2, pad(c), 0);
    return sample(&r, lod_of_steps(r.im, pad(dx), pad(dy)));
}

LS_OCKL float4
__ockl_image_sample_grad_2Da(desc_t i, desc_t s, float4 c, float2 dx, float2 dy)
{
    struct request r = request(i, s, 2, c, layer_of((image_t)i, c.z, 1));
    return sample(&r, lod_of_steps(r.im, pad(dx), pad(dy)));
}

LS_OCKL float4
__ockl_image_sample_grad_3D(desc_t i, desc_t s, float4 c, float4 dx, float4 dy)
{
    struct request r = request(i, s, 3, c, 0);
    return sample(&r, lod_of_steps(r.im, dx, dy));
}

LS_OCKL float4
__ls_image_sample_grad_CM(desc_t i, desc_t s, float4 c, float4 dx, float4 dy)
{
    struct request r = cube_request(i, s, c, 0);
    return sample(&r, lod_of_steps(r.im, cube_step(c, dx), cube_step(c, dy)));
}

LS_OCKL float4
__ls_image_sample_grad_CMa(desc_t i, desc_t s, float4 c, float4 dx, float4 dy)
{
    struct request r = cube_request(i, s, c, layer_of((image_t)i, c.w, 6));
    return sample(&r, lod_of_steps(r.im, cube_step(c, dx), cube_step(c, dy)));
}

/* One channel of the four texels that a linear sample would mix: (i0,j1), (i1,j1), (i1,j0),
 * (i0,j0). */
LS_INLINE float4
gather4(desc_t i, desc_t s, float2 c, int channel)
{
    struct request r = request(i, s, 2, pad(c), 0);
    level_t l = (level_t)r.im->levels;
    bool normal = r.s->is_normalized;
    struct axis x = place(c.x * (normal ? (float)l->width : 1.0f), l->width, r.s->mode[0], true);
    struct axis y = place(c.y * (normal ? (float)l->height : 1.0f), l->height, r.s->mode[1], true);
    struct texel border = border_texel(r.s);
    bool ok[4] = {x.ok0 & y.ok1, x.ok1 & y.ok1, x.ok1 & y.ok0, x.ok0 & y.ok0};
    struct words w[4] = {
        load_words(r.im, corner(r.im, l, x.i0, y.i1, 0)),
        load_words(r.im, corner(r.im, l, x.i1, y.i1, 0)),
        load_words(r.im, corner(r.im, l, x.i1, y.i0, 0)),
        load_words(r.im, corner(r.im, l, x.i0, y.i0, 0)),
    };
    struct texel t[4];
    float4 out;

    texels_of_words(r.im, w, t, 4, true);
    LS_EACH(k, 4)
        out[k] = ok[k] ? t[k].v[channel] : border.v[channel];
    return out;
}

#define LS_GATHER(letter, channel)                                                                 \
    LS_OCKL float4 __ockl_image_gather4##letter##_2D(desc_t i, desc_t s, float2 c);                \
    LS_OCKL float4 __ockl_image_gather4##letter##_2D(desc_t i, desc_t s, float2 c)                 \
    {                                                                                              \
        return gather4(i, s, c, channel);                                                          \
    }

LS_GATHER(r, 0)
LS_GATHER(g, 1)
LS_GATHER(b, 2)
LS_GATHER(a, 3)

/* ---- Loads and stores by texel: outside of the image a load is 0 and a store is nothing ---- */

LS_INLINE bool
is_inside(level_t l, int32_t x, int32_t y, int32_t z, int32_t n_slices)
{
    return ((uint32_t)x < (uint32_t)l->width) & ((uint32_t)y < (uint32_t)l->height) &
           ((uint32_t)z < (uint32_t)n_slices);
}

LS_INLINE level_t
level_at(image_t im, int32_t lod, bool *ok)
{
    *ok = (uint32_t)lod < im->n_levels;
    return ((level_t)im->levels) + (*ok ? lod : 0);
}

LS_INLINE float4
load(image_t im, int32_t x, int32_t y, int32_t z, int32_t n_slices, int32_t lod)
{
    bool ok;
    level_t l = level_at(im, lod, &ok);
    float4 t = {0, 0, 0, 0};

    if (ok & is_inside(l, x, y, z, n_slices))
        t = vector_of(load_texel(im, corner(im, l, x, y, z)));
    return t;
}

LS_INLINE uint32_t
channel_encode(image_t im, float v)
{
    switch (im->kind) {
    case LS_IMAGE_HALF: return __builtin_bit_cast(uint16_t, (_Float16)v);
    case LS_IMAGE_UNORM: return (uint32_t)__builtin_rintf(clampf(v, 0.0f, 1.0f) * im->limit);
    case LS_IMAGE_SNORM:
        return (uint32_t)(int32_t)__builtin_rintf(clampf(v, -1.0f, 1.0f) * im->limit);
    default: return __builtin_bit_cast(uint32_t, v);
    }
}

LS_INLINE void
store_texel(image_t im, int32_t unit, float4 v)
{
    uint32_t c[4] = {channel_encode(im, v.x), channel_encode(im, v.y), channel_encode(im, v.z),
                     channel_encode(im, v.w)};
    uint32_t bits = im->bits;
    struct words w = {{c[0], c[1], c[2], c[3]}};

    if (bits == 16) {
        w.v[0] = (c[0] & 0xffff) | c[1] << 16;
        w.v[1] = (c[2] & 0xffff) | c[3] << 16;
    } else if (bits == 8) {
        w.v[0] = (c[0] & 0xff) | (c[1] & 0xff) << 8 | (c[2] & 0xff) << 16 | c[3] << 24;
    }
    if (im->unit_shift == 2) {
        LS_GLOBAL uint32_t *p = (LS_GLOBAL uint32_t *)im->base + unit;

        p[0] = w.v[0];
        if (im->n_units > 1) {
            p[1] = w.v[1];
            if (im->n_units > 2) {
                p[2] = w.v[2];
                p[3] = w.v[3];
            }
        }
    } else if (im->unit_shift == 1) {
        ((LS_GLOBAL uint16_t *)im->base)[unit] = (uint16_t)w.v[0];
    } else {
        ((LS_GLOBAL uint8_t *)im->base)[unit] = (uint8_t)w.v[0];
    }
}

LS_INLINE void
store(image_t im, int32_t x, int32_t y, int32_t z, int32_t n_slices, int32_t lod, float4 v)
{
    bool ok;
    level_t l = level_at(im, lod, &ok);

    if (ok & is_inside(l, x, y, z, n_slices))
        store_texel(im, corner(im, l, x, y, z), v);
}

#define LS_IM ((image_t)i)
/* Name, coordinate parameters, the place as x, y, z and the number of slices. */
#define LS_ACCESS(suffix, params, ...)                                                             \
    LS_OCKL float4 __ockl_image_load_##suffix params;                                              \
    LS_OCKL float4 __ockl_image_load_##suffix params                                               \
    {                                                                                              \
        return load(LS_IM, __VA_ARGS__, 0);                                                        \
    }
#define LS_ACCESS_LOD(suffix, params, ...)                                                         \
    LS_OCKL float4 __ockl_image_load_lod_##suffix params;                                          \
    LS_OCKL float4 __ockl_image_load_lod_##suffix params                                           \
    {                                                                                              \
        return load(LS_IM, __VA_ARGS__, lod);                                                      \
    }
#define LS_STORE(suffix, params, ...)                                                              \
    LS_OCKL void __ockl_image_store_##suffix params;                                               \
    LS_OCKL void __ockl_image_store_##suffix params                                                \
    {                                                                                              \
        store(LS_IM, __VA_ARGS__, 0, v);                                                           \
    }
#define LS_STORE_LOD(suffix, params, ...)                                                          \
    LS_OCKL void __ockl_image_store_lod_##suffix params;                                           \
    LS_OCKL void __ockl_image_store_lod_##suffix params                                            \
    {                                                                                              \
        store(LS_IM, __VA_ARGS__, lod, v);                                                         \
    }
#define LS_BOTH(suffix, coord, ...)                                                                \
    LS_ACCESS(suffix, (desc_t i, coord c), __VA_ARGS__)                                            \
    LS_ACCESS_LOD(suffix, (desc_t i, coord c, int lod), __VA_ARGS__)                               \
    LS_STORE(suffix, (desc_t i, coord c, float4 v), __VA_ARGS__)                                   \
    LS_STORE_LOD(suffix, (desc_t i, coord c, int lod, float4 v), __VA_ARGS__)

LS_BOTH(1D, int, c, 0, 0, 1)
LS_BOTH(1Da, int2, c.x, 0, c.y, LS_IM->n_slices)
LS_BOTH(2D, int2, c.x, c.y, 0, 1)
LS_BOTH(2Da, int4, c.x, c.y, c.z, LS_IM->n_slices)
LS_ACCESS(1Db, (desc_t i, int c), c, 0, 0, 1)
LS_STORE(1Db, (desc_t i, int c, float4 v), c, 0, 0, 1)

#define LS_DEPTH(lod)                                                                              \
    (((level_t)LS_IM->levels)[(uint32_t)(lod) < LS_IM->n_levels ? (lod) : 0].depth)
LS_ACCESS(3D, (desc_t i, int4 c), c.x, c.y, c.z, LS_DEPTH(0))
LS_ACCESS_LOD(3D, (desc_t i, int4 c, int lod), c.x, c.y, c.z, LS_DEPTH(lod))
LS_STORE(3D, (desc_t i, int4 c, float4 v), c.x, c.y, c.z, LS_DEPTH(0))
LS_STORE_LOD(3D, (desc_t i, int4 c, int lod, float4 v), c.x, c.y, c.z, LS_DEPTH(lod))

/* The slice of face f of a cube; a number above 5 gives -1, which lies outside of every image. */
#define LS_FACE(layer) ((uint32_t)f < 6 ? (layer) * 6 + f : -1)
LS_ACCESS(CM, (desc_t i, int2 c, int f), c.x, c.y, LS_FACE(0), LS_IM->n_slices)
LS_ACCESS_LOD(CM, (desc_t i, int2 c, int f, int lod), c.x, c.y, LS_FACE(0), LS_IM->n_slices)
LS_STORE(CM, (desc_t i, int2 c, int f, float4 v), c.x, c.y, LS_FACE(0), LS_IM->n_slices)
LS_STORE_LOD(CM, (desc_t i, int2 c, int f, int lod, float4 v), c.x, c.y, LS_FACE(0),
             LS_IM->n_slices)
LS_ACCESS(CMa, (desc_t i, int4 c, int f), c.x, c.y, LS_FACE(c.z), LS_IM->n_slices)
LS_ACCESS_LOD(CMa, (desc_t i, int4 c, int f, int lod), c.x, c.y, LS_FACE(c.z), LS_IM->n_slices)
LS_STORE(CMa, (desc_t i, int4 c, int f, float4 v), c.x, c.y, LS_FACE(c.z), LS_IM->n_slices)
LS_STORE_LOD(CMa, (desc_t i, int4 c, int f, int lod, float4 v), c.x, c.y, LS_FACE(c.z),
             LS_IM->n_slices)

/* ---- Questions ---- */

/* The numbers of OpenCL's channel types and orders, counted from the first. */
LS_INLINE int
channel_type(image_t im)
{
    int wide = im->bits == 8 ? 0 : im->bits == 16 ? 1 : 2;

    switch (im->kind) {
    case LS_IMAGE_UINT: return 11 + wide;
    case LS_IMAGE_SINT: return 8 + wide;
    case LS_IMAGE_FLOAT: return 15;
    case LS_IMAGE_HALF: return 14;
    case LS_IMAGE_SNORM: return wide;
    default: return 2 + wide;
    }
}

LS_INLINE int
channel_order(image_t im)
{
    return im->n_channels == 1 ? 1 : im->n_channels == 2 ? 3 : im->kind == LS_IMAGE_SRGB ? 14 : 8;
}

#define LS_ASK(name, suffix, value)                                                                \
    LS_OCKL int __ockl_image_##name##_##suffix(desc_t i);                                          \
    LS_OCKL int __ockl_image_##name##_##suffix(desc_t i)                                           \
    {                                                                                              \
        return value;                                                                              \
    }
#define LS_TOP ((level_t)LS_IM->levels)[0]
#define LS_ASK_ALL(suffix)                                                                         \
    LS_ASK(channel_data_type, suffix, channel_type(LS_IM))                                         \
    LS_ASK(channel_order, suffix, channel_order(LS_IM))                                            \
    LS_ASK(width, suffix, LS_TOP.width)
#define LS_ASK_LEVELS(suffix) LS_ASK(num_mip_levels, suffix, LS_IM->n_levels)
#define LS_ASK_HEIGHT(suffix) LS_ASK(height, suffix, LS_TOP.height)
#define LS_ASK_LAYERS(suffix, faces) LS_ASK(array_size, suffix, LS_IM->n_slices / faces)

LS_ASK_ALL(1D)
LS_ASK_ALL(1Da)
LS_ASK_ALL(1Db)
LS_ASK_ALL(2D)
LS_ASK_ALL(2Da)
LS_ASK_ALL(3D)
LS_ASK_ALL(CM)
LS_ASK_ALL(CMa)
LS_ASK_LEVELS(1D)
LS_ASK_LEVELS(1Da)
LS_ASK_LEVELS(2D)
LS_ASK_LEVELS(2Da)
LS_ASK_LEVELS(3D)
LS_ASK_LEVELS(CM)
LS_ASK_LEVELS(CMa)
LS_ASK_HEIGHT(2D)
LS_ASK_HEIGHT(2Da)
LS_ASK_HEIGHT(3D)
LS_ASK_HEIGHT(CM)
LS_ASK_HEIGHT(CMa)
LS_ASK_LAYERS(1Da, 1)
LS_ASK_LAYERS(2Da, 1)
LS_ASK_LAYERS(CMa, 6)
LS_ASK(depth, 3D, LS_TOP.depth)
