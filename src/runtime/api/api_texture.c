/* SPDX-License-Identifier: MIT */
/* Texture and surface objects, by the runtime's names and the driver's. */
#include <string.h>

#include "runtime/api/api.h"
#include "runtime/texture/texture.h"

LS_EXPORT hipChannelFormatDesc
hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind f)
{
    return (hipChannelFormatDesc){x, y, z, w, f};
}

/* ---- Objects ---- */

LS_EXPORT hipError_t
hipCreateTextureObject(hipTextureObject_t *object, const hipResourceDesc *resource,
                       const hipTextureDesc *desc, const struct hipResourceViewDesc *view)
{
    LS_ENTER();
    LS_CHECK(object && resource && desc, hipErrorInvalidValue);
    LS_RETURN(ls_texture_create(resource, desc, view, object));
}

/* Kernels under way may still read the object. */
static hipError_t
destroy(hipTextureObject_t object)
{
    if (!object)
        LS_RETURN(hipSuccess);
    LS_RETURN_AFTER_ALL(ls_texture_destroy(object));
}

LS_EXPORT hipError_t
hipDestroyTextureObject(hipTextureObject_t object)
{
    return destroy(object);
}

LS_EXPORT hipError_t
hipTexObjectDestroy(hipTextureObject_t object)
{
    return destroy(object);
}

LS_EXPORT hipError_t
hipGetTextureObjectResourceDesc(hipResourceDesc *resource, hipTextureObject_t object)
{
    const struct ls_texture *tex = ls_texture_find(object);

    LS_ENTER();
    LS_CHECK(resource && tex, hipErrorInvalidValue);
    *resource = tex->resource;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipGetTextureObjectResourceViewDesc(struct hipResourceViewDesc *view, hipTextureObject_t object)
{
    const struct ls_texture *tex = ls_texture_find(object);

    LS_ENTER();
    LS_CHECK(view && tex, hipErrorInvalidValue);
    *view = tex->view;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipGetTextureObjectTextureDesc(hipTextureDesc *desc, hipTextureObject_t object)
{
    const struct ls_texture *tex = ls_texture_find(object);

    LS_ENTER();
    LS_CHECK(desc && tex, hipErrorInvalidValue);
    *desc = tex->desc;
    LS_RETURN(hipSuccess);
}

/* ---- The driver's descriptors: enumerators of both have equal values ---- */

static hipResourceDesc
resource_of(const HIP_RESOURCE_DESC *d)
{
    hipResourceDesc r = {.resType = (enum hipResourceType)d->resType};

    switch (d->resType) {
    case HIP_RESOURCE_TYPE_ARRAY:
        r.res.array.array = d->res.array.hArray;
        break;
    case HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        r.res.mipmap.mipmap = d->res.mipmap.hMipmappedArray;
        break;
    case HIP_RESOURCE_TYPE_LINEAR:
        r.res.linear.devPtr = d->res.linear.devPtr;
        r.res.linear.desc =
            ls_format_desc((struct ls_format){d->res.linear.format, d->res.linear.numChannels});
        r.res.linear.sizeInBytes = d->res.linear.sizeInBytes;
        break;
    case HIP_RESOURCE_TYPE_PITCH2D:
        r.res.pitch2D.devPtr = d->res.pitch2D.devPtr;
        r.res.pitch2D.desc =
            ls_format_desc((struct ls_format){d->res.pitch2D.format, d->res.pitch2D.numChannels});
        r.res.pitch2D.width = d->res.pitch2D.width;
        r.res.pitch2D.height = d->res.pitch2D.height;
        r.res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
        break;
    default:
        break;
    }
    return r;
}

static HIP_RESOURCE_DESC
driver_resource(const hipResourceDesc *r)
{
    HIP_RESOURCE_DESC d = {.resType = (HIPresourcetype)r->resType};
    struct ls_format f = {0};

    switch (r->resType) {
    case hipResourceTypeArray:
        d.res.array.hArray = r->res.array.array;
        break;
    case hipResourceTypeMipmappedArray:
        d.res.mipmap.hMipmappedArray = r->res.mipmap.mipmap;
        break;
    case hipResourceTypeLinear:
        ls_format_of_desc(&r->res.linear.desc, &f);
        d.res.linear.devPtr = r->res.linear.devPtr;
        d.res.linear.format = f.format;
        d.res.linear.numChannels = f.n_channels;
        d.res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        break;
    case hipResourceTypePitch2D:
        ls_format_of_desc(&r->res.pitch2D.desc, &f);
        d.res.pitch2D.devPtr = r->res.pitch2D.devPtr;
        d.res.pitch2D.format = f.format;
        d.res.pitch2D.numChannels = f.n_channels;
        d.res.pitch2D.width = r->res.pitch2D.width;
        d.res.pitch2D.height = r->res.pitch2D.height;
        d.res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        break;
    default:
        break;
    }
    return d;
}

static hipTextureDesc
texture_of(const HIP_TEXTURE_DESC *d)
{
    hipTextureDesc t = {
        .filterMode = (enum hipTextureFilterMode)d->filterMode,
        .readMode = d->flags & HIP_TRSF_READ_AS_INTEGER ? hipReadModeElementType
                                                        : hipReadModeNormalizedFloat,
        .sRGB = (d->flags & HIP_TRSF_SRGB) != 0,
        .normalizedCoords = (d->flags & HIP_TRSF_NORMALIZED_COORDINATES) != 0,
        .maxAnisotropy = d->maxAnisotropy,
        .mipmapFilterMode = (enum hipTextureFilterMode)d->mipmapFilterMode,
        .mipmapLevelBias = d->mipmapLevelBias,
        .minMipmapLevelClamp = d->minMipmapLevelClamp,
        .maxMipmapLevelClamp = d->maxMipmapLevelClamp,
    };

    for (int i = 0; i < 3; i++)
        t.addressMode[i] = (enum hipTextureAddressMode)d->addressMode[i];
    memcpy(t.borderColor, d->borderColor, sizeof(t.borderColor));
    return t;
}

static HIP_TEXTURE_DESC
driver_texture(const hipTextureDesc *t)
{
    HIP_TEXTURE_DESC d = {
        .filterMode = (HIPfilter_mode)t->filterMode,
        .flags = (t->readMode == hipReadModeElementType ? HIP_TRSF_READ_AS_INTEGER : 0u) |
                 (t->normalizedCoords ? HIP_TRSF_NORMALIZED_COORDINATES : 0u) |
                 (t->sRGB ? HIP_TRSF_SRGB : 0u),
        .maxAnisotropy = t->maxAnisotropy,
        .mipmapFilterMode = (HIPfilter_mode)t->mipmapFilterMode,
        .mipmapLevelBias = t->mipmapLevelBias,
        .minMipmapLevelClamp = t->minMipmapLevelClamp,
        .maxMipmapLevelClamp = t->maxMipmapLevelClamp,
    };

    for (int i = 0; i < 3; i++)
        d.addressMode[i] = (HIPaddress_mode)t->addressMode[i];
    memcpy(d.borderColor, t->borderColor, sizeof(d.borderColor));
    return d;
}

LS_EXPORT hipError_t
hipTexObjectCreate(hipTextureObject_t *object, const HIP_RESOURCE_DESC *resource,
                   const HIP_TEXTURE_DESC *desc, const HIP_RESOURCE_VIEW_DESC *view)
{
    struct hipResourceViewDesc v = {0};
    hipResourceDesc r;
    hipTextureDesc t;

    LS_ENTER();
    LS_CHECK(object && resource && desc, hipErrorInvalidValue);
    r = resource_of(resource);
    t = texture_of(desc);
    if (view)
        v = (struct hipResourceViewDesc){.format = (enum hipResourceViewFormat)view->format,
                                         .width = view->width,
                                         .height = view->height,
                                         .depth = view->depth,
                                         .firstMipmapLevel = view->firstMipmapLevel,
                                         .lastMipmapLevel = view->lastMipmapLevel,
                                         .firstLayer = view->firstLayer,
                                         .lastLayer = view->lastLayer};
    LS_RETURN(ls_texture_create(&r, &t, view ? &v : NULL, object));
}

LS_EXPORT hipError_t
hipTexObjectGetResourceDesc(HIP_RESOURCE_DESC *resource, hipTextureObject_t object)
{
    const struct ls_texture *tex = ls_texture_find(object);

    LS_ENTER();
    LS_CHECK(resource && tex, hipErrorInvalidValue);
    *resource = driver_resource(&tex->resource);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexObjectGetResourceViewDesc(HIP_RESOURCE_VIEW_DESC *view, hipTextureObject_t object)
{
    const struct ls_texture *tex = ls_texture_find(object);

    LS_ENTER();
    LS_CHECK(view && tex, hipErrorInvalidValue);
    *view = (HIP_RESOURCE_VIEW_DESC){.format = (HIPresourceViewFormat)tex->view.format,
                                     .width = tex->view.width,
                                     .height = tex->view.height,
                                     .depth = tex->view.depth,
                                     .firstMipmapLevel = tex->view.firstMipmapLevel,
                                     .lastMipmapLevel = tex->view.lastMipmapLevel,
                                     .firstLayer = tex->view.firstLayer,
                                     .lastLayer = tex->view.lastLayer};
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipTexObjectGetTextureDesc(HIP_TEXTURE_DESC *desc, hipTextureObject_t object)
{
    const struct ls_texture *tex = ls_texture_find(object);

    LS_ENTER();
    LS_CHECK(desc && tex, hipErrorInvalidValue);
    *desc = driver_texture(&tex->desc);
    LS_RETURN(hipSuccess);
}

/* ---- Surfaces ---- */

LS_EXPORT hipError_t
hipCreateSurfaceObject(hipSurfaceObject_t *object, const hipResourceDesc *resource)
{
    LS_ENTER();
    LS_CHECK(object && resource, hipErrorInvalidValue);
    LS_RETURN(ls_surface_create(resource, object));
}

LS_EXPORT hipError_t
hipDestroySurfaceObject(hipSurfaceObject_t object)
{
    if (!object)
        LS_RETURN(hipSuccess);
    LS_RETURN_AFTER_ALL(ls_surface_destroy(object));
}

/* ---- Limits ---- */

LS_EXPORT hipError_t
hipDeviceGetTexture1DLinearMaxWidth(size_t *width, const hipChannelFormatDesc *desc, int device)
{
    size_t bytes;

    LS_ENTER();
    LS_CHECK(width && desc, hipErrorInvalidValue);
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    bytes = (size_t)(desc->x + desc->y + desc->z + desc->w) / 8;
    LS_CHECK(bytes > 0, hipErrorInvalidValue);
    *width = (size_t)ls_gpu_current()->prop.maxTexture1DLinear / bytes;
    LS_RETURN(hipSuccess);
}
