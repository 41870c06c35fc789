/* SPDX-License-Identifier: MIT */
/* Texture objects and references: descriptors on the host side. */
#ifndef HIP_TEXTURE_TYPES_H
#define HIP_TEXTURE_TYPES_H

#include <hip/hip_common.h>

#ifdef __HIP_PLATFORM_NVIDIA__
#include <hip/hip_runtime_api.h>
#else

/* One of AMD's include guards, by which programs see what is included. */
#define HIP_INCLUDE_HIP_TEXTURE_TYPES_H

#if !defined(__HIPCC_RTC__)
#include <limits.h>
#endif
#include <hip/channel_descriptor.h>
#include <hip/driver_types.h>

#define hipTextureType1D              0x01
#define hipTextureType2D              0x02
#define hipTextureType3D              0x03
#define hipTextureTypeCubemap         0x0C
#define hipTextureType1DLayered       0xF1
#define hipTextureType2DLayered       0xF2
#define hipTextureTypeCubemapLayered  0xFC

/* Size of a texture object in device memory, in 32-bit words. */
#define HIP_IMAGE_OBJECT_SIZE_DWORD     12
#define HIP_SAMPLER_OBJECT_SIZE_DWORD   8
#define HIP_SAMPLER_OBJECT_OFFSET_DWORD HIP_IMAGE_OBJECT_SIZE_DWORD
#define HIP_TEXTURE_OBJECT_SIZE_DWORD \
    (HIP_IMAGE_OBJECT_SIZE_DWORD + HIP_SAMPLER_OBJECT_SIZE_DWORD)

struct __hip_texture;
typedef struct __hip_texture *hipTextureObject_t;

enum hipTextureAddressMode {
    hipAddressModeWrap = 0,
    hipAddressModeClamp = 1,
    hipAddressModeMirror = 2,
    hipAddressModeBorder = 3
};

enum hipTextureFilterMode {
    hipFilterModePoint = 0,
    hipFilterModeLinear = 1
};

enum hipTextureReadMode {
    hipReadModeElementType = 0,
    hipReadModeNormalizedFloat = 1 /* integers are read as 0..1 or -1..1 */
};

typedef struct textureReference {
    int normalized; /* coordinates are 0..1 */
    enum hipTextureReadMode readMode;
    enum hipTextureFilterMode filterMode;
    enum hipTextureAddressMode addressMode[3];
    struct hipChannelFormatDesc channelDesc;
    int sRGB;
    unsigned int maxAnisotropy;
    enum hipTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias;
    float minMipmapLevelClamp;
    float maxMipmapLevelClamp;
    hipTextureObject_t textureObject;
    int numChannels;
    enum hipArray_Format format;
} textureReference;

typedef struct hipTextureDesc {
    enum hipTextureAddressMode addressMode[3];
    enum hipTextureFilterMode filterMode;
    enum hipTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned int maxAnisotropy;
    enum hipTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias;
    float minMipmapLevelClamp;
    float maxMipmapLevelClamp;
} hipTextureDesc;

#ifdef __cplusplus
typedef textureReference *hipTexRef;

#if __HIP_CLANG_ONLY__
#define LS_HIP_TEXTURE __attribute__((device_builtin_texture_type))
#else
#define LS_HIP_TEXTURE
#endif

/* A texture reference: a global variable that the host binds and kernels read. */
template <class T, int Type = hipTextureType1D,
          enum hipTextureReadMode Mode = hipReadModeElementType>
struct LS_HIP_TEXTURE texture : public textureReference {
    texture(int norm, enum hipTextureFilterMode filter, enum hipTextureAddressMode address,
            struct hipChannelFormatDesc desc)
        : textureReference()
    {
        normalized = norm;
        readMode = Mode;
        filterMode = filter;
        addressMode[0] = addressMode[1] = addressMode[2] = address;
        channelDesc = desc;
    }

    texture(int norm = 0, enum hipTextureFilterMode filter = hipFilterModePoint,
            enum hipTextureAddressMode address = hipAddressModeClamp)
        : texture(norm, filter, address, hipCreateChannelDesc<T>())
    {
    }
};

#undef LS_HIP_TEXTURE
#endif

#endif
#endif
