/* SPDX-License-Identifier: MIT */
/* Texture and surface objects: resources and their descriptions as descriptors that kernels
 * read. */
#include <stdlib.h>
#include <string.h>

#include "runtime/mem/mem.h"
#include "runtime/texture/texture.h"

#define MAX_LINEAR_TEXELS ((size_t)1 << 27)

_Static_assert(sizeof(struct ls_image) == 4 * HIP_IMAGE_OBJECT_SIZE_DWORD, "AMD's size");
_Static_assert(sizeof(struct ls_sampler) == 4 * HIP_SAMPLER_OBJECT_SIZE_DWORD, "AMD's size");

/* The contents of an object's memory. */
struct body {
    struct ls_image image;
    struct ls_sampler sampler;
    struct ls_image_level level[LS_IMAGE_MAX_LEVELS];
    float srgb[256]; /* copied only when the image is sRGB */
    int n_axes;      /* not copied: number of coordinates */
};

/* ---- Images ---- */

static hipError_t
fill_format(struct body *b, struct ls_format f, enum hipTextureReadMode mode, bool srgb)
{
    struct ls_image *im = &b->image;
    size_t bytes = ls_format_bytes(f), unit = bytes < 4 ? bytes : 4;

    if (bytes == 0)
        return ls_err(hipErrorInvalidValue, "format %d with %u channels", (int)f.format,
                      f.n_channels);
    im->n_channels = (uint8_t)f.n_channels;
    im->bits = (uint8_t)(8 * bytes / f.n_channels);
    im->unit_shift = unit == 1 ? 0 : unit == 2 ? 1 : 2;
    im->n_units = (uint8_t)(bytes / unit);
    switch (f.format) {
    case HIP_AD_FORMAT_FLOAT:
        im->kind = LS_IMAGE_FLOAT;
        break;
    case HIP_AD_FORMAT_HALF:
        im->kind = LS_IMAGE_HALF;
        break;
    case HIP_AD_FORMAT_UNSIGNED_INT8:
    case HIP_AD_FORMAT_UNSIGNED_INT16:
    case HIP_AD_FORMAT_UNSIGNED_INT32:
        im->kind = LS_IMAGE_UINT;
        break;
    default:
        im->kind = LS_IMAGE_SINT;
    }
    if (mode == hipReadModeNormalizedFloat && im->kind <= LS_IMAGE_SINT && im->bits < 32) {
        bool is_signed = im->kind == LS_IMAGE_SINT;

        im->kind = is_signed ? LS_IMAGE_SNORM : LS_IMAGE_UNORM;
        im->limit = (float)((1u << (im->bits - is_signed)) - 1);
        im->scale = 1.0f / im->limit;
    }
    if (srgb && f.n_channels == 4) {
        if (im->kind != LS_IMAGE_UNORM || im->bits != 8)
            return ls_err(hipErrorInvalidValue, "sRGB without normalized 8-bit channels");
        im->kind = LS_IMAGE_SRGB;
    }
    return hipSuccess;
}

/* x to the power 2.4, for x from 0 to 1: x^2 times the fifth root of x^2. */
static double
power_2_4(double x)
{
    double y = 1.0;

    for (int i = 0; i < 60 && x > 0; i++)
        y -= (y - x * x / (y * y * y * y)) / 5;
    return x * x * y;
}

static void
fill_srgb(float *table)
{
    for (int i = 0; i < 256; i++) {
        double c = i / 255.0;

        table[i] = (float)(c <= 0.04045 ? c / 12.92 : power_2_4((c + 0.055) / 1.055));
    }
}

/* Describes level `l`, n_slices slices of the array `a` from `first` on. The image's base must be
 * set. */
static hipError_t
fill_level(struct body *b, unsigned l, const struct hipArray *a, size_t first, size_t n_slices)
{
    struct ls_image_level *out = &b->level[l];
    size_t unit = (size_t)1 << b->image.unit_shift;
    size_t offset = (size_t)(a->data + first * a->slice - (char *)(uintptr_t)b->image.base) / unit;
    size_t end;

    if (__builtin_mul_overflow(a->slice / unit, n_slices, &end) ||
        __builtin_add_overflow(end, offset, &end) || end > INT32_MAX)
        return ls_err(hipErrorNotSupported, "an image of more than 2^31 units of %zu bytes", unit);
    out->width = (int32_t)a->width;
    out->height = a->height ? (int32_t)a->height : 1;
    out->depth = a->depth ? (int32_t)a->depth : 1;
    out->row = (int32_t)(a->pitch / unit);
    out->slice = (int32_t)(a->slice / unit);
    out->offset = (int32_t)offset;
    return hipSuccess;
}

/* One array, or the levels of a mipmapped one. */
static hipError_t
fill_arrays(struct body *b, const struct hipArray *only, const struct ls_mipmap *m,
            const struct hipResourceViewDesc *view)
{
    unsigned first = m && view ? view->firstMipmapLevel : 0;
    unsigned last = !m ? 0
                    : view && view->lastMipmapLevel >= first && view->lastMipmapLevel > 0
                        ? view->lastMipmapLevel
                        : m->n_levels - 1;
    unsigned n_levels = m ? m->n_levels : 1;
    hipError_t err;

    if (last >= n_levels || first > last)
        return ls_err(hipErrorInvalidValue, "levels %u to %u of %u", first, last, n_levels);
    b->image.base = (uintptr_t)(m ? m->data : only->data);
    b->image.n_levels = (uint8_t)(last - first + 1);
    for (unsigned l = first; l <= last; l++) {
        struct hipArray level = {0};
        const struct hipArray *a = only;
        size_t layer = view ? view->firstLayer : 0, n;

        if (m) {
            ls_mipmap_describe_level(m, l, &level);
            a = &level;
        }
        if (!(a->flags & hipArrayLayered))
            layer = 0;
        n = view && view->lastLayer > layer ? view->lastLayer - layer + 1 : a->n_slices - layer;
        if (layer >= a->n_slices || n > a->n_slices - layer)
            return ls_err(hipErrorInvalidValue, "layers from %zu of %zu", layer, a->n_slices);
        LS_TRY(fill_level(b, l - first, a, layer, n));
        if (l == first) {
            b->image.n_slices = (int32_t)n;
            b->n_axes = a->flags & (hipArrayLayered | hipArrayCubemap) || !a->depth
                            ? (a->height ? 2 : 1)
                            : 3;
        }
    }
    err = hipSuccess;
out:
    return err;
}

static hipError_t
fill_plain(struct body *b, void *ptr, size_t width, size_t height, size_t pitch)
{
    struct hipArray a = {.width = width, .height = height, .data = ptr, .pitch = pitch};

    a.slice = pitch * (height ? height : 1);
    b->image.base = (uintptr_t)ptr;
    b->image.n_levels = 1;
    b->image.n_slices = 1;
    b->n_axes = height ? 2 : 1;
    return fill_level(b, 0, &a, 0, 1);
}

/* Describes linear memory, within the limits that HIP's description of hipCreateTextureObject
 * names. */
static hipError_t
fill_linear(struct body *b, const hipResourceDesc *r, const hipTextureDesc *t)
{
    const hipChannelFormatDesc *desc =
        r->resType == hipResourceTypeLinear ? &r->res.linear.desc : &r->res.pitch2D.desc;
    void *ptr = r->resType == hipResourceTypeLinear ? r->res.linear.devPtr : r->res.pitch2D.devPtr;
    struct ls_format f;
    size_t bytes;
    hipError_t err;

    if (!ptr || (uintptr_t)ptr % ls_gpu_current()->prop.textureAlignment)
        return ls_err(hipErrorInvalidValue, "%p as texture memory", ptr);
    if (!ls_format_of_desc(desc, &f))
        return ls_err(hipErrorInvalidValue, "format of %d, %d, %d, %d bits", desc->x, desc->y,
                      desc->z, desc->w);
    bytes = ls_format_bytes(f);
    LS_TRY(fill_format(b, f, t->readMode, t->sRGB));
    if (r->resType == hipResourceTypeLinear) {
        size_t n = r->res.linear.sizeInBytes / bytes;

        if (n == 0 || n > MAX_LINEAR_TEXELS)
            return ls_err(hipErrorInvalidValue, "%zu texels", n);
        return fill_plain(b, ptr, n, 0, n * bytes);
    }
    if (r->res.pitch2D.width == 0 || r->res.pitch2D.height == 0 ||
        r->res.pitch2D.width > (size_t)ls_gpu_current()->prop.maxTexture2D[0] ||
        r->res.pitch2D.height > (size_t)ls_gpu_current()->prop.maxTexture2D[1] ||
        r->res.pitch2D.pitchInBytes % ls_gpu_current()->prop.texturePitchAlignment ||
        r->res.pitch2D.pitchInBytes < r->res.pitch2D.width * bytes)
        return ls_err(hipErrorInvalidValue, "%zu x %zu texels, pitch %zu", r->res.pitch2D.width,
                      r->res.pitch2D.height, r->res.pitch2D.pitchInBytes);
    return fill_plain(b, ptr, r->res.pitch2D.width, r->res.pitch2D.height,
                      r->res.pitch2D.pitchInBytes);
out:
    return err;
}

static hipError_t
fill_array_image(struct body *b, const hipResourceDesc *r, const hipTextureDesc *t,
                 const struct hipResourceViewDesc *view)
{
    const struct hipArray *a = NULL;
    const struct ls_mipmap *m = NULL;
    struct ls_format f, own;
    hipError_t err;

    if (r->resType == hipResourceTypeArray)
        a = ls_array_find(r->res.array.array);
    else
        m = ls_mipmap_find(r->res.mipmap.mipmap);
    if (!a && !m)
        return ls_err(hipErrorInvalidValue, "no array in the resource");
    if (m && m->n_levels > 1 && !t->normalizedCoords) /* one level is an array like others */
        return ls_err(hipErrorInvalidValue, "mipmaps without normalized coordinates");
    f = own = a ? a->format : m->format;
    if (view && view->format != hipResViewFormatNone &&
        (!ls_format_of_view(view->format, &f) || ls_format_bytes(f) != ls_format_bytes(own)))
        return ls_err(hipErrorInvalidValue, "view format %d", (int)view->format);
    LS_TRY(fill_format(b, f, t->readMode, t->sRGB));
    return fill_arrays(b, a, m, view);
out:
    return err;
}

static bool
is_scalar(const struct body *b)
{
    int32_t width = b->level[0].width;

    return b->image.kind == LS_IMAGE_FLOAT && b->image.n_channels == 1 && b->image.n_levels == 1 &&
           width >= 2 && width <= 1 << 22;
}

/* ---- Samplers ---- */

static void
fill_sampler(struct body *b, const hipResourceDesc *r, const hipTextureDesc *t)
{
    struct ls_sampler *s = &b->sampler;
    bool plain = r->resType == hipResourceTypeLinear;

    s->is_normalized = t->normalizedCoords != 0;
    /* Integers are not filtered; neither is linear memory. */
    s->is_linear = !plain && t->filterMode == hipFilterModeLinear && b->image.kind > LS_IMAGE_SINT;
    s->is_mip_linear = t->mipmapFilterMode == hipFilterModeLinear;
    for (int i = 0; i < 3; i++) {
        enum hipTextureAddressMode mode = t->addressMode[i];

        s->mode[i] = (uint8_t)mode;
        if (plain || (!s->is_normalized && mode != hipAddressModeBorder) || (unsigned)mode > 3)
            s->mode[i] = LS_SAMPLER_CLAMP;
        if (i >= b->n_axes)
            s->mode[i] =
                LS_SAMPLER_CLAMP; /* not a coordinate of this image: always its single texel */
        s->has_border |= s->mode[i] == LS_SAMPLER_BORDER;
    }
    s->is_clamped = s->is_linear && s->mode[0] == LS_SAMPLER_CLAMP &&
                    s->mode[1] == LS_SAMPLER_CLAMP && s->mode[2] == LS_SAMPLER_CLAMP;
    memcpy(s->border, t->borderColor, sizeof(s->border));
    b->image.bias = t->mipmapLevelBias;
    s->min_lod = t->minMipmapLevelClamp;
    s->max_lod = t->maxMipmapLevelClamp;
}

/* ---- Objects ---- */

/* Copies a finished body to memory that kernels can read. */
static hipError_t
publish(struct body *b, void **out)
{
    size_t bytes = b->image.kind == LS_IMAGE_SRGB ? offsetof(struct body, n_axes)
                                                  : offsetof(struct body, srgb);
    struct ls_device *dev = &ls_gpu_current()->dev;
    char *memory;
    hipError_t err = ls_mem_alloc(LS_MEM_DEVICE, bytes, 256, 0, out);

    if (err != hipSuccess)
        return err;
    memory = *out;
    b->image.levels = (uintptr_t)(memory + offsetof(struct body, level));
    if (b->image.kind == LS_IMAGE_SRGB) {
        b->image.srgb = (uintptr_t)(memory + offsetof(struct body, srgb));
        fill_srgb(b->srgb);
    }
    dev->ops->mem.write(dev, memory, b, bytes);
    return hipSuccess;
}

struct ls_texture *
ls_texture_find(hipTextureObject_t object)
{
    return (struct ls_texture *)ls_handle_find(object, LS_HANDLE_TEXTURE);
}

static hipError_t
create(const hipResourceDesc *r, const hipTextureDesc *t, const struct hipResourceViewDesc *view,
       enum ls_handle_kind kind, void **out)
{
    bool is_array =
        r->resType == hipResourceTypeArray || r->resType == hipResourceTypeMipmappedArray;
    struct ls_texture *tex = calloc(1, sizeof(*tex));
    struct body *b = calloc(1, sizeof(*b));
    hipError_t err;

    if (!tex || !b)
        LS_TRY(ls_err(hipErrorOutOfMemory, "a texture object"));
    LS_TRY(is_array ? fill_array_image(b, r, t, view) : fill_linear(b, r, t));
    b->image.is_scalar = is_scalar(b);
    fill_sampler(b, r, t);
    LS_TRY(publish(b, &tex->memory));
    tex->resource = *r;
    tex->desc = *t;
    if (view)
        tex->view = *view;
    LS_TRY(ls_handle_add(&tex->handle, kind, tex->memory));
    *out = tex->memory;
    tex = NULL;
out:
    if (tex)
        ls_mem_free(tex->memory, 1u << LS_MEM_DEVICE);
    free(tex);
    free(b);
    return err;
}

hipError_t
ls_texture_create(const hipResourceDesc *resource, const hipTextureDesc *desc,
                  const struct hipResourceViewDesc *view, hipTextureObject_t *out)
{
    bool is_array = resource->resType == hipResourceTypeArray ||
                    resource->resType == hipResourceTypeMipmappedArray;

    if (!ls_image_support())
        return ls_err(hipErrorNotSupported, "%s has no images", ls_limits()->arch);
    if ((unsigned)resource->resType > hipResourceTypePitch2D || (view && !is_array))
        return ls_err(hipErrorInvalidValue, "resource type %d%s", (int)resource->resType,
                      view ? " with a view" : "");
    if (desc->maxAnisotropy != 0)
        return ls_err(hipErrorNotSupported, "anisotropy");
    return create(resource, desc, view, LS_HANDLE_TEXTURE, (void **)out);
}

static hipError_t
destroy(void *object, enum ls_handle_kind kind)
{
    struct ls_texture *tex;

    if (!object)
        return hipSuccess;
    tex = (struct ls_texture *)ls_handle_take(object, kind);
    if (!tex)
        return ls_err(hipErrorInvalidValue, "%p is no such object", object);
    ls_mem_free(tex->memory, 1u << LS_MEM_DEVICE);
    free(tex);
    return hipSuccess;
}

hipError_t
ls_texture_destroy(hipTextureObject_t object)
{
    return destroy(object, LS_HANDLE_TEXTURE);
}

hipError_t
ls_surface_create(const hipResourceDesc *resource, hipSurfaceObject_t *out)
{
    const hipTextureDesc desc = {.readMode = hipReadModeElementType};
    const struct hipArray *a;

    if (!ls_image_support())
        return ls_err(hipErrorNotSupported, "%s has no images", ls_limits()->arch);
    if (resource->resType != hipResourceTypeArray || !resource->res.array.array)
        return ls_err(hipErrorInvalidValue, "a surface needs an array");
    a = ls_array_find(resource->res.array.array);
    if (!a)
        return ls_err(hipErrorContextIsDestroyed, "the array is gone");
    if (a->flags != hipArrayDefault && !(a->flags & hipArraySurfaceLoadStore))
        return ls_err(hipErrorInvalidValue, "an array with flags %#x as a surface", a->flags);
    return create(resource, &desc, NULL, LS_HANDLE_SURFACE, (void **)out);
}

hipError_t
ls_surface_destroy(hipSurfaceObject_t object)
{
    return destroy(object, LS_HANDLE_SURFACE);
}

void
ls_texture_reset(uint32_t device)
{
    const void *key;

    while ((key = ls_handle_any(device, LS_HANDLE_TEXTURE)))
        ls_texture_destroy((hipTextureObject_t)(uintptr_t)key);
    while ((key = ls_handle_any(device, LS_HANDLE_SURFACE)))
        ls_surface_destroy((hipSurfaceObject_t)(uintptr_t)key);
    while ((key = ls_handle_any(device, LS_HANDLE_MIPMAP)))
        ls_mipmap_destroy((hipMipmappedArray_t)(uintptr_t)key);
    while ((key = ls_handle_any(device, LS_HANDLE_ARRAY)))
        ls_array_destroy((hipArray_t)(uintptr_t)key);
}
