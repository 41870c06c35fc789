/* SPDX-License-Identifier: MIT */
/* Arrays and mipmapped arrays. */
#include <stdlib.h>
#include <string.h>

#include "runtime/mem/mem.h"
#include "runtime/mem/share.h"
#include "runtime/texture/texture.h"

#define ROW_ALIGN 64u

/* ---- Sizes ---- */

bool
ls_image_support(void)
{
    return strncmp(ls_limits()->arch, "gfx94", 5) != 0 &&
           strncmp(ls_limits()->arch, "gfx95", 5) != 0;
}

static size_t
at_least_one(size_t n)
{
    return n ? n : 1;
}

/* The dimensions that the flags allow, within the device's limits. */
static bool
is_shape(const HIP_ARRAY3D_DESCRIPTOR *d)
{
    const unsigned known =
        hipArrayLayered | hipArraySurfaceLoadStore | hipArrayCubemap | hipArrayTextureGather;
    const hipDeviceProp_t *p = &ls_gpu_current()->prop;
    bool layered = d->Flags & hipArrayLayered, cubemap = d->Flags & hipArrayCubemap;

    if (d->Flags & ~known || d->Width == 0)
        return false;
    if (d->Flags & hipArrayTextureGather && (d->Height == 0 || d->Depth > 0))
        return false;
    if (cubemap)
        return d->Width == d->Height && d->Width <= (size_t)p->maxTexture2D[0] && d->Depth > 0 &&
               d->Depth % 6 == 0 &&
               (layered ? d->Depth <= (size_t)p->maxTexture2DLayered[2] : d->Depth == 6);
    if (layered && d->Height == 0)
        return d->Depth > 0 && d->Width <= (size_t)p->maxTexture1DLayered[0] &&
               d->Depth <= (size_t)p->maxTexture1DLayered[1];
    if (layered)
        return d->Depth > 0 && d->Width <= (size_t)p->maxTexture2DLayered[0] &&
               d->Height <= (size_t)p->maxTexture2DLayered[1] &&
               d->Depth <= (size_t)p->maxTexture2DLayered[2];
    if (d->Height == 0)
        return d->Depth == 0 && d->Width <= (size_t)p->maxTexture1D;
    if (d->Depth == 0)
        return d->Width <= (size_t)p->maxTexture2D[0] && d->Height <= (size_t)p->maxTexture2D[1];
    return d->Width <= (size_t)p->maxTexture3D[0] && d->Height <= (size_t)p->maxTexture3D[1] &&
           d->Depth <= (size_t)p->maxTexture3D[2];
}

static hipError_t
check(const HIP_ARRAY3D_DESCRIPTOR *d)
{
    struct ls_format f = {d->Format, d->NumChannels};

    if (!ls_image_support())
        return ls_err(hipErrorNotSupported, "%s has no images", ls_limits()->arch);
    if (ls_format_bytes(f) == 0)
        return ls_err(hipErrorInvalidValue, "format %d with %u channels", (int)d->Format,
                      d->NumChannels);
    if (!is_shape(d))
        return ls_err(hipErrorInvalidValue, "no array of %zu x %zu x %zu with flags %#x", d->Width,
                      d->Height, d->Depth, d->Flags);
    return hipSuccess;
}

/* Rows that lie at a distance of a large power of two meet in a few sets of a cache, and what is
 * near in two dimensions would push itself out. So long rows have an odd number of lines. */
static size_t
pitch_of(size_t row_bytes, size_t height)
{
    size_t lines = (row_bytes + ROW_ALIGN - 1) / ROW_ALIGN;

    return (height > 1 && lines >= 16 ? lines | 1 : lines) * ROW_ALIGN;
}

/* Fills in everything but the address of the array's memory. */
static void
measure(struct hipArray *a, const HIP_ARRAY3D_DESCRIPTOR *d)
{
    a->format = (struct ls_format){d->Format, d->NumChannels};
    a->element_bytes = ls_format_bytes(a->format);
    a->width = d->Width;
    a->height = d->Height;
    a->depth = d->Depth;
    a->n_slices = at_least_one(d->Depth);
    a->flags = d->Flags;
    a->pitch = pitch_of(d->Width * a->element_bytes, d->Height);
    a->slice = a->pitch * at_least_one(d->Height);
}

/* ---- Arrays ---- */

struct hipArray *
ls_array_find(hipArray_const_t array)
{
    return (struct hipArray *)ls_handle_find(array, LS_HANDLE_ARRAY);
}

hipError_t
ls_array_create(const HIP_ARRAY3D_DESCRIPTOR *desc, hipArray_t *out)
{
    struct hipArray *a = NULL;
    hipError_t err;

    LS_TRY(check(desc));
    a = calloc(1, sizeof(*a));
    if (!a)
        LS_TRY(ls_err(hipErrorOutOfMemory, "an array"));
    measure(a, desc);
    LS_TRY(
        ls_mem_alloc(LS_MEM_DEVICE, a->slice * a->n_slices, LS_ARRAY_ALIGN, 0, (void **)&a->data));
    LS_TRY(ls_handle_add(&a->handle, LS_HANDLE_ARRAY, a));
    *out = a;
    a = NULL;
out:
    if (a)
        ls_mem_free(a->data, 1u << LS_MEM_DEVICE);
    free(a);
    return err;
}

static void
forget_view(struct hipArray *a)
{
    struct ls_mipmap *m = a->mipmap;

    pthread_mutex_lock(&m->lock);
    for (struct hipArray **p = &m->views; *p; p = &(*p)->next) {
        if (*p == a) {
            *p = a->next;
            break;
        }
    }
    pthread_mutex_unlock(&m->lock);
}

hipError_t
ls_array_destroy(hipArray_t array)
{
    struct hipArray *a = (struct hipArray *)ls_handle_take(array, LS_HANDLE_ARRAY);

    if (!a)
        return ls_err(hipErrorContextIsDestroyed, "%p is no array", (void *)array);
    if (a->mipmap)
        forget_view(a);
    else
        ls_mem_free(a->data, 1u << LS_MEM_DEVICE);
    free(a);
    return hipSuccess;
}

/* ---- Mipmapped arrays ---- */

struct ls_mipmap *
ls_mipmap_find(hipMipmappedArray_const_t mipmap)
{
    /* the handle is the address of the member pub, which is the first */
    return ls_handle_find(mipmap, LS_HANDLE_MIPMAP) ? (struct ls_mipmap *)(uintptr_t)mipmap : NULL;
}

static size_t
shrink(size_t n, unsigned level)
{
    return n ? at_least_one(n >> level) : 0;
}

void
ls_mipmap_describe_level(const struct ls_mipmap *m, unsigned level, struct hipArray *out)
{
    bool keeps_depth = m->pub.flags & (hipArrayLayered | hipArrayCubemap);
    HIP_ARRAY3D_DESCRIPTOR d = {.Width = shrink(m->pub.width, level),
                                .Height = shrink(m->pub.height, level),
                                .Depth = shrink(m->pub.depth, keeps_depth ? 0 : level),
                                .Format = m->format.format,
                                .NumChannels = m->format.n_channels,
                                .Flags = m->pub.flags};

    measure(out, &d);
    out->data = m->data + m->offset[level];
    out->mipmap = (struct ls_mipmap *)(uintptr_t)m;
}

static unsigned
max_levels(const HIP_ARRAY3D_DESCRIPTOR *d)
{
    bool keeps_depth = d->Flags & (hipArrayLayered | hipArrayCubemap);
    size_t n = d->Width > d->Height ? d->Width : d->Height;
    unsigned levels = 0;

    if (!keeps_depth && d->Depth > n)
        n = d->Depth;
    for (; n > 0; n >>= 1)
        levels++;
    return levels < LS_IMAGE_MAX_LEVELS ? levels : LS_IMAGE_MAX_LEVELS;
}

static hipError_t
get_memory(struct ls_mipmap *m, const struct ls_mipmap_file *file)
{
    if (!file)
        return ls_mem_alloc(LS_MEM_DEVICE, m->bytes, LS_ARRAY_ALIGN, 0, (void **)&m->data);
    if (file->offset % LS_ARRAY_ALIGN != 0 || file->offset > file->bytes ||
        m->bytes > file->bytes - file->offset)
        return ls_err(hipErrorInvalidValue, "%zu bytes of levels at %llu of %llu", m->bytes,
                      (unsigned long long)file->offset, (unsigned long long)file->bytes);
    m->mapped = true;
    return ls_share_map(file->fd, file->offset, m->bytes, (void **)&m->data);
}

static void
free_memory(const struct ls_mipmap *m)
{
    if (!m->mapped)
        ls_mem_free(m->data, 1u << LS_MEM_DEVICE);
    else if (m->data)
        ls_share_close(m->data);
}

hipError_t
ls_mipmap_create(const HIP_ARRAY3D_DESCRIPTOR *desc, unsigned n_levels,
                 const struct ls_mipmap_file *file, hipMipmappedArray_t *out)
{
    struct ls_mipmap *m = NULL;
    size_t bytes = 0;
    hipError_t err;

    LS_TRY(check(desc));
    if (n_levels == 0 || n_levels > max_levels(desc))
        LS_TRY(ls_err(hipErrorInvalidValue, "%u levels", n_levels));
    m = calloc(1, sizeof(*m));
    if (!m)
        LS_TRY(ls_err(hipErrorOutOfMemory, "a mipmapped array"));
    m->format = (struct ls_format){desc->Format, desc->NumChannels};
    m->n_levels = n_levels;
    pthread_mutex_init(&m->lock, NULL);
    m->pub.desc = ls_format_desc(m->format);
    m->pub.width = (unsigned)desc->Width;
    m->pub.height = (unsigned)desc->Height;
    m->pub.depth = (unsigned)desc->Depth;
    m->pub.max_mipmap_level = n_levels - 1;
    m->pub.flags = desc->Flags;
    m->pub.format = desc->Format;
    m->pub.num_channels = desc->NumChannels;
    for (unsigned l = 0; l < n_levels; l++) {
        struct hipArray a = {0};

        m->offset[l] = bytes;
        ls_mipmap_describe_level(m, l, &a);
        bytes += (a.slice * a.n_slices + LS_ARRAY_ALIGN - 1) / LS_ARRAY_ALIGN * LS_ARRAY_ALIGN;
    }
    m->bytes = bytes;
    LS_TRY(get_memory(m, file));
    m->pub.data = m->data;
    LS_TRY(ls_handle_add(&m->handle, LS_HANDLE_MIPMAP, &m->pub));
    *out = &m->pub;
    m = NULL;
out:
    if (m) {
        free_memory(m);
        pthread_mutex_destroy(&m->lock);
    }
    free(m);
    return err;
}

hipError_t
ls_mipmap_destroy(hipMipmappedArray_t mipmap)
{
    struct ls_mipmap *m = ls_mipmap_find(mipmap);

    if (!m || !ls_handle_take(mipmap, LS_HANDLE_MIPMAP))
        return ls_err(hipErrorContextIsDestroyed, "%p is no mipmapped array", (void *)mipmap);
    while (m->views)
        if (ls_array_destroy(m->views) != hipSuccess)
            break;
    free_memory(m);
    pthread_mutex_destroy(&m->lock);
    free(m);
    return hipSuccess;
}

hipError_t
ls_mipmap_get_level(struct ls_mipmap *m, unsigned level, hipArray_t *out)
{
    struct hipArray *a;
    hipError_t err;

    if (level >= m->n_levels)
        return ls_err(hipErrorInvalidValue, "level %u of %u", level, m->n_levels);
    a = calloc(1, sizeof(*a));
    if (!a)
        return ls_err(hipErrorOutOfMemory, "a level");
    ls_mipmap_describe_level(m, level, a);
    err = ls_handle_add(&a->handle, LS_HANDLE_ARRAY, a);
    if (err != hipSuccess) {
        free(a);
        return err;
    }
    pthread_mutex_lock(&m->lock);
    a->next = m->views;
    m->views = a;
    pthread_mutex_unlock(&m->lock);
    *out = a;
    return hipSuccess;
}
