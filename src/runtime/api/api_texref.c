/* SPDX-License-Identifier: MIT */
/* Texture references: variables whose bindings are texture objects. A reference has a host shadow,
 * which these functions change, and a device variable, which kernels read. That of a module's
 * reference is made when it is asked for. */
#include <stdlib.h>
#include <string.h>

#include "runtime/api/api.h"
#include "runtime/core/ptrtable.h"
#include "runtime/module/module.h"
#include "runtime/texture/texture.h"

/* The border colours of references, as the public struct has no room for them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ls_ptrtable
    borders; /* reference -> float[4]; written under lock, as are the next two */
/* References of modules: shadow -> device variable, and back. */
static struct ls_ptrtable variables, shadows;

/* ---- Binding ---- */

static hipTextureDesc
describe(const textureReference *ref)
{
    hipTextureDesc t = {.filterMode = ref->filterMode,
                        .readMode = ref->readMode,
                        .sRGB = ref->sRGB,
                        .normalizedCoords = ref->normalized,
                        .maxAnisotropy = ref->maxAnisotropy,
                        .mipmapFilterMode = ref->mipmapFilterMode,
                        .mipmapLevelBias = ref->mipmapLevelBias,
                        .minMipmapLevelClamp = ref->minMipmapLevelClamp,
                        .maxMipmapLevelClamp = ref->maxMipmapLevelClamp};
    const float *border = ls_ptrtable_find(&borders, ref);

    memcpy(t.addressMode, ref->addressMode, sizeof(t.addressMode));
    if (border)
        memcpy(t.borderColor, border, sizeof(t.borderColor));
    return t;
}

/* Copies the host shadow's contents to the device variable. */
static hipError_t
publish(const textureReference *ref)
{
    struct ls_device *dev = &ls_gpu_current()->dev;
    void *variable = ls_ptrtable_find(&variables, ref);
    hipError_t err = hipSuccess;
    size_t bytes;

    if (!variable)
        err = ls_registered_var(ref, &variable, &bytes);
    if (err == hipSuccess)
        dev->ops->mem.write(dev, variable, ref, sizeof(*ref));
    return err;
}

static hipError_t
unbind(textureReference *ref)
{
    hipError_t err = ls_queue_wait_all(NULL);

    /* Only objects made here are destroyed, not those of the user; an object from before a reset is
     * gone already. */
    if (ref->textureObject && ls_texture_find(ref->textureObject))
        ls_texture_destroy(ref->textureObject);
    ref->textureObject = NULL;
    return err;
}

static hipError_t
bind(const textureReference *const_ref, const hipResourceDesc *resource,
     const struct hipResourceViewDesc *view)
{
    textureReference *ref = (textureReference *)(uintptr_t)const_ref;
    hipTextureDesc desc = describe(ref);
    hipError_t err;

    LS_TRY(publish(ref)); /* fails when ref is no texture reference */
    LS_TRY(unbind(ref));
    LS_TRY(ls_texture_create(resource, &desc, view, &ref->textureObject));
    err = publish(ref);
out:
    return ls_return(err);
}

/* Bytes by which ptr misses the alignment of textures. */
static hipError_t
misalignment(const void *ptr, size_t *offset)
{
    size_t rest = (uintptr_t)ptr % ls_gpu_current()->prop.textureAlignment;

    if (rest && !offset)
        return ls_err(hipErrorInvalidValue, "%p is not aligned and nobody takes the offset", ptr);
    if (offset)
        *offset = rest;
    return hipSuccess;
}

static hipError_t
bind_linear(size_t *offset, const textureReference *ref, const void *ptr,
            const hipChannelFormatDesc *desc, size_t bytes)
{
    hipResourceDesc r = {.resType = hipResourceTypeLinear};
    hipError_t err = misalignment(ptr, offset);
    struct ls_mem_range range;
    size_t rest = (uintptr_t)ptr % ls_gpu_current()->prop.textureAlignment;

    if (err != hipSuccess)
        LS_RETURN(err);
    /* Programs pass a huge size to mean the rest of the allocation. */
    if (ls_mem_find(ptr, &range) && bytes > range.bytes - (size_t)((const char *)ptr - range.base))
        bytes = range.bytes - (size_t)((const char *)ptr - range.base);
    r.res.linear.devPtr = (char *)(uintptr_t)ptr - rest;
    r.res.linear.desc = *desc;
    r.res.linear.sizeInBytes = bytes + rest;
    return bind(ref, &r, NULL);
}

static hipError_t
bind_2d(size_t *offset, const textureReference *ref, const void *ptr,
        const hipChannelFormatDesc *desc, size_t width, size_t height, size_t pitch)
{
    hipResourceDesc r = {.resType = hipResourceTypePitch2D};
    hipError_t err = misalignment(ptr, offset);

    if (err != hipSuccess)
        LS_RETURN(err);
    r.res.pitch2D.devPtr =
        (char *)(uintptr_t)ptr - (uintptr_t)ptr % ls_gpu_current()->prop.textureAlignment;
    r.res.pitch2D.desc = *desc;
    r.res.pitch2D.width = width;
    r.res.pitch2D.height = height;
    r.res.pitch2D.pitchInBytes = pitch;
    return bind(ref, &r, NULL);
}

LS_EXPORT hipError_t
hipBindTexture(size_t *offset, const textureReference *ref, const void *ptr,
               const hipChannelFormatDesc *desc, size_t bytes)
{
    LS_ENTER();
    LS_CHECK(ref && ptr && desc, hipErrorInvalidValue);
    return bind_linear(offset, ref, ptr, desc, bytes);
}

LS_EXPORT hipError_t
hipBindTexture2D(size_t *offset, const textureReference *ref, const void *ptr,
                 const hipChannelFormatDesc *desc, size_t width, size_t height, size_t pitch)
{
    LS_ENTER();
    LS_CHECK(ref && ptr && desc && pitch, hipErrorInvalidValue);
    return bind_2d(offset, ref, ptr, desc, width, height, pitch);
}

/* A view of the format that the caller names. */
static hipError_t
bind_viewed(const textureReference *ref, const hipResourceDesc *r, const hipChannelFormatDesc *desc)
{
    struct hipResourceViewDesc view = {0};
    struct ls_format f;

    if (!ls_format_of_desc(desc, &f))
        LS_RETURN(ls_err(hipErrorInvalidValue, "no format in the descriptor"));
    view.format = ls_format_view(f);
    return bind(ref, r, &view);
}

LS_EXPORT hipError_t
hipBindTextureToArray(const textureReference *ref, hipArray_const_t array,
                      const hipChannelFormatDesc *desc)
{
    hipResourceDesc r = {.resType = hipResourceTypeArray};

    LS_ENTER();
    LS_CHECK(ref && array && desc, hipErrorInvalidValue);
    r.res.array.array = (hipArray_t)(uintptr_t)array;
    return bind_viewed(ref, &r, desc);
}

LS_EXPORT hipError_t
hipBindTextureToMipmappedArray(const textureReference *ref, hipMipmappedArray_const_t mipmap,
                               const hipChannelFormatDesc *desc)
{
    hipResourceDesc r = {.resType = hipResourceTypeMipmappedArray};

    LS_ENTER();
    LS_CHECK(ref && mipmap && desc, hipErrorInvalidValue);
    r.res.mipmap.mipmap = (hipMipmappedArray_t)(uintptr_t)mipmap;
    return bind_viewed(ref, &r, desc);
}

LS_EXPORT hipError_t
hipUnbindTexture(const textureReference *ref)
{
    hipError_t err;

    LS_ENTER();
    LS_CHECK(ref, hipErrorInvalidValue);
    LS_TRY(publish(ref));
    LS_TRY(unbind((textureReference *)(uintptr_t)ref));
    err = publish(ref);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipGetTextureAlignmentOffset(size_t *offset, const textureReference *ref)
{
    LS_ENTER();
    LS_CHECK(offset && ref, hipErrorInvalidValue);
    *offset = 0;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipGetTextureReference(const textureReference **ref, const void *symbol)
{
    LS_ENTER();
    LS_CHECK(ref, hipErrorInvalidValue);
    *ref = symbol;
    LS_RETURN(hipSuccess);
}

/* The shadow of a module's reference, which stays; NULL when out of memory. */
static textureReference *
shadow_of(void *variable)
{
    textureReference *ref;

    pthread_mutex_lock(&lock);
    ref = ls_ptrtable_find(&shadows, variable);
    if (!ref) {
        ref = calloc(1, sizeof(*ref));
        if (ref && !(ls_ptrtable_set(&variables, ref, variable) &&
                     ls_ptrtable_set(&shadows, variable, ref))) {
            ls_ptrtable_set(&variables, ref, NULL);
            free(ref);
            ref = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    return ref;
}

LS_EXPORT hipError_t
hipModuleGetTexRef(textureReference **ref, hipModule_t module, const char *name)
{
    struct ls_device *dev;
    size_t bytes;
    void *ptr;

    LS_ENTER();
    LS_CHECK(ref && name && *name, hipErrorInvalidValue);
    LS_CHECK(ls_module_is_valid(module), hipErrorInvalidResourceHandle);
    if (!ls_module_find_global(module, ls_gpu_current()->dev.index, name, &ptr, &bytes) ||
        bytes != sizeof(**ref))
        LS_RETURN(ls_err(hipErrorNotFound, "no texture reference %s", name));
    *ref = shadow_of(ptr);
    LS_CHECK(*ref, hipErrorOutOfMemory);
    dev = &ls_gpu_current()->dev;
    dev->ops->mem.read(dev, *ref, ptr, sizeof(**ref)); /* another module may have had the place */
    (*ref)->readMode = hipReadModeNormalizedFloat;
    (*ref)->format = HIP_AD_FORMAT_FLOAT;
    (*ref)->numChannels = 1;
    LS_RETURN(hipSuccess);
}

/* ---- The driver's binding ---- */

LS_EXPORT hipError_t
hipTexRefSetArray(textureReference *ref, hipArray_const_t array, unsigned flags)
{
    hipResourceDesc r = {.resType = hipResourceTypeArray};
    const struct hipArray *a = ls_array_find(array);

    LS_ENTER();
    LS_CHECK(ref && a && flags == HIP_TRSA_OVERRIDE_FORMAT, hipErrorInvalidValue);
    ref->format = a->format.format;
    ref->numChannels = (int)a->format.n_channels;
    r.res.array.array = (hipArray_t)(uintptr_t)array;
    return bind(ref, &r, NULL);
}

LS_EXPORT hipError_t
hipTexRefSetMipmappedArray(textureReference *ref, struct hipMipmappedArray *mipmap, unsigned flags)
{
    hipResourceDesc r = {.resType = hipResourceTypeMipmappedArray};
    const struct ls_mipmap *m = ls_mipmap_find(mipmap);

    LS_ENTER();
    LS_CHECK(ref && m && flags == HIP_TRSA_OVERRIDE_FORMAT, hipErrorInvalidValue);
    ref->format = m->format.format;
    ref->numChannels = (int)m->format.n_channels;
    r.res.mipmap.mipmap = mipmap;
    return bind(ref, &r, NULL);
}

LS_EXPORT hipError_t
hipTexRefSetAddress(size_t *offset, textureReference *ref, hipDeviceptr_t ptr, size_t bytes)
{
    hipChannelFormatDesc desc;

    LS_ENTER();
    LS_CHECK(ref && ptr, hipErrorInvalidValue);
    desc = ls_format_desc((struct ls_format){ref->format, (unsigned)ref->numChannels});
    return bind_linear(offset, ref, ptr, &desc, bytes);
}

LS_EXPORT hipError_t
hipTexRefSetAddress2D(textureReference *ref, const HIP_ARRAY_DESCRIPTOR *d, hipDeviceptr_t ptr,
                      size_t pitch)
{
    hipChannelFormatDesc desc;

    LS_ENTER();
    LS_CHECK(ref && d && ptr, hipErrorInvalidValue);
    desc = ls_format_desc((struct ls_format){d->Format, d->NumChannels});
    return bind_2d(NULL, ref, ptr, &desc, d->Width, d->Height, pitch);
}

/* ---- What is bound ---- */

static const hipResourceDesc *
bound(const textureReference *ref)
{
    const struct ls_texture *tex = ref ? ls_texture_find(ref->textureObject) : NULL;

    return tex ? &tex->resource : NULL;
}

LS_EXPORT hipError_t
hipTexRefGetArray(hipArray_t *array, const textureReference *ref)
{
    const hipResourceDesc *r = bound(ref);

    LS_ENTER();
    LS_CHECK(array && r && r->resType == hipResourceTypeArray, hipErrorInvalidValue);
    *array = r->res.array.array;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexRefGetMipMappedArray(hipMipmappedArray_t *mipmap, const textureReference *ref)
{
    const hipResourceDesc *r = bound(ref);

    LS_ENTER();
    LS_CHECK(mipmap && r && r->resType == hipResourceTypeMipmappedArray, hipErrorInvalidValue);
    *mipmap = r->res.mipmap.mipmap;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexRefGetAddress(hipDeviceptr_t *ptr, const textureReference *ref)
{
    const hipResourceDesc *r = bound(ref);

    LS_ENTER();
    LS_CHECK(ptr && r, hipErrorInvalidValue);
    LS_CHECK(r->resType == hipResourceTypeLinear || r->resType == hipResourceTypePitch2D,
             hipErrorInvalidValue);
    *ptr = r->resType == hipResourceTypeLinear ? r->res.linear.devPtr : r->res.pitch2D.devPtr;
    LS_RETURN(hipSuccess);
}

/* ---- Attributes: they take effect with the next binding ---- */

#define LS_SET(condition)                                                                          \
    do {                                                                                           \
        LS_ENTER();                                                                                \
        LS_CHECK(ref && (condition), hipErrorInvalidValue);                                        \
    } while (0)
#define LS_GET(out) LS_SET((out) != NULL)

LS_EXPORT hipError_t
hipTexRefSetAddressMode(textureReference *ref, int dim, enum hipTextureAddressMode mode)
{
    LS_SET(dim >= 0 && dim <= 2);
    ref->addressMode[dim] = mode;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexRefGetAddressMode(enum hipTextureAddressMode *mode, const textureReference *ref, int dim)
{
    LS_SET(mode && dim >= 0 && dim <= 1); /* as in ROCm, which sets three */
    *mode = ref->addressMode[dim];
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexRefSetFilterMode(textureReference *ref, enum hipTextureFilterMode mode)
{
    LS_SET(true);
    ref->filterMode = mode;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexRefGetFilterMode(enum hipTextureFilterMode *mode, const textureReference *ref)
{
    LS_GET(mode);
    *mode = ref->filterMode;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexRefSetFlags(textureReference *ref, unsigned flags)
{
    LS_SET(true);
    ref->readMode =
        flags & HIP_TRSF_READ_AS_INTEGER ? hipReadModeElementType : hipReadModeNormalizedFloat;
    ref->normalized = (flags & HIP_TRSF_NORMALIZED_COORDINATES) != 0;
    ref->sRGB = (flags & HIP_TRSF_SRGB) != 0;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexRefGetFlags(unsigned *flags, const textureReference *ref)
{
    LS_GET(flags);
    *flags = (ref->readMode == hipReadModeElementType ? HIP_TRSF_READ_AS_INTEGER : 0u) |
             (ref->normalized ? HIP_TRSF_NORMALIZED_COORDINATES : 0u) |
             (ref->sRGB ? HIP_TRSF_SRGB : 0u);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexRefSetFormat(textureReference *ref, hipArray_Format format, int n_channels)
{
    LS_SET(true);
    ref->format = format;
    ref->numChannels = n_channels;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexRefGetFormat(hipArray_Format *format, int *n_channels, const textureReference *ref)
{
    LS_SET(format && n_channels);
    *format = ref->format;
    *n_channels = ref->numChannels;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexRefSetMaxAnisotropy(textureReference *ref, unsigned n)
{
    LS_SET(true);
    ref->maxAnisotropy = n;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexRefGetMaxAnisotropy(int *n, const textureReference *ref)
{
    LS_GET(n);
    *n = (int)ref->maxAnisotropy;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexRefSetMipmapFilterMode(textureReference *ref, enum hipTextureFilterMode mode)
{
    LS_SET(true);
    ref->mipmapFilterMode = mode;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexRefGetMipmapFilterMode(enum hipTextureFilterMode *mode, const textureReference *ref)
{
    LS_GET(mode);
    *mode = ref->mipmapFilterMode;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexRefSetMipmapLevelBias(textureReference *ref, float bias)
{
    LS_SET(true);
    ref->mipmapLevelBias = bias;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexRefGetMipmapLevelBias(float *bias, const textureReference *ref)
{
    LS_GET(bias);
    *bias = ref->mipmapLevelBias;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexRefSetMipmapLevelClamp(textureReference *ref, float low, float high)
{
    LS_SET(true);
    ref->minMipmapLevelClamp = low;
    ref->maxMipmapLevelClamp = high;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexRefGetMipmapLevelClamp(float *low, float *high, const textureReference *ref)
{
    LS_SET(low && high);
    *low = ref->minMipmapLevelClamp;
    *high = ref->maxMipmapLevelClamp;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexRefSetBorderColor(textureReference *ref, float *color)
{
    bool ok = true;
    float *kept;

    LS_GET(color);
    pthread_mutex_lock(&lock);
    kept = ls_ptrtable_find(&borders, ref);
    if (!kept) {
        kept = calloc(4, sizeof(*kept));
        ok = kept && ls_ptrtable_set(&borders, ref, kept);
    }
    if (ok)
        memcpy(kept, color, 4 * sizeof(*kept));
    else
        free(kept);
    pthread_mutex_unlock(&lock);
    LS_RETURN(ok ? hipSuccess : hipErrorOutOfMemory);
}

LS_EXPORT hipError_t
hipTexRefGetBorderColor(float *color, const textureReference *ref)
{
    const float *kept;

    LS_GET(color);
    kept = ls_ptrtable_find(&borders, ref);
    for (int i = 0; i < 4; i++)
        color[i] = kept ? kept[i] : 0.0f;
    LS_RETURN(hipSuccess);
}
