/* SPDX-License-Identifier: MIT */
/* Memory kinds, copies, arrays and resource descriptors: for the API and for textures. */
#ifndef HIP_DRIVER_TYPES_H
#define HIP_DRIVER_TYPES_H

#include <hip/hip_common.h>

#ifdef __HIP_PLATFORM_NVIDIA__
#include <hip/hip_runtime_api.h>
#else

/* One of AMD's include guards, by which programs see what is included. */
#define HIP_INCLUDE_HIP_DRIVER_TYPES_H

#if !defined(__HIPCC_RTC__)
#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif
#endif
#include <hip/detail/host_defines.h>

typedef void *hipDeviceptr_t;

/* Where an address lies. */
typedef enum hipMemoryType {
    hipMemoryTypeUnregistered = 0, /* host memory the runtime doesn't know */
    hipMemoryTypeHost = 1,
    hipMemoryTypeDevice = 2,
    hipMemoryTypeManaged = 3,
    hipMemoryTypeArray = 10,
    hipMemoryTypeUnified = 11
} hipMemoryType;

typedef enum hipMemcpyKind {
    hipMemcpyHostToHost = 0,
    hipMemcpyHostToDevice = 1,
    hipMemcpyDeviceToHost = 2,
    hipMemcpyDeviceToDevice = 3,
    hipMemcpyDefault = 4, /* found out from the addresses */
    hipMemcpyDeviceToDeviceNoCU = 1024
} hipMemcpyKind;

/* Element formats */

typedef enum hipChannelFormatKind {
    hipChannelFormatKindSigned = 0,
    hipChannelFormatKindUnsigned = 1,
    hipChannelFormatKindFloat = 2,
    hipChannelFormatKindNone = 3
} hipChannelFormatKind;

/* Bits of each component and what they mean. */
typedef struct hipChannelFormatDesc {
    int x, y, z, w;
    enum hipChannelFormatKind f;
} hipChannelFormatDesc;

typedef enum hipArray_Format {
    HIP_AD_FORMAT_UNSIGNED_INT8 = 0x01,
    HIP_AD_FORMAT_UNSIGNED_INT16 = 0x02,
    HIP_AD_FORMAT_UNSIGNED_INT32 = 0x03,
    HIP_AD_FORMAT_SIGNED_INT8 = 0x08,
    HIP_AD_FORMAT_SIGNED_INT16 = 0x09,
    HIP_AD_FORMAT_SIGNED_INT32 = 0x0a,
    HIP_AD_FORMAT_HALF = 0x10,
    HIP_AD_FORMAT_FLOAT = 0x20
} hipArray_Format;

/* Arrays */

typedef struct hipArray *hipArray_t;
typedef const struct hipArray *hipArray_const_t;

typedef struct HIP_ARRAY_DESCRIPTOR {
    size_t Width, Height;
    enum hipArray_Format Format;
    unsigned int NumChannels;
} HIP_ARRAY_DESCRIPTOR;

typedef struct HIP_ARRAY3D_DESCRIPTOR {
    size_t Width, Height, Depth;
    enum hipArray_Format Format;
    unsigned int NumChannels;
    unsigned int Flags; /* hipArray* flags */
} HIP_ARRAY3D_DESCRIPTOR;

typedef struct hipMipmappedArray {
    void *data;
    struct hipChannelFormatDesc desc;
    unsigned int type;
    unsigned int width, height, depth;
    unsigned int min_mipmap_level, max_mipmap_level;
    unsigned int flags;
    enum hipArray_Format format;
    unsigned int num_channels;
} hipMipmappedArray;

typedef struct hipMipmappedArray *hipMipmappedArray_t;
typedef hipMipmappedArray_t hipmipmappedArray;
typedef const struct hipMipmappedArray *hipMipmappedArray_const_t;

/* Copies of boxes: all sizes and x positions in bytes where the name says so, else in elements. */

typedef struct hip_Memcpy2D {
    size_t srcXInBytes, srcY;
    hipMemoryType srcMemoryType;
    const void *srcHost;
    hipDeviceptr_t srcDevice;
    hipArray_t srcArray;
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    hipMemoryType dstMemoryType;
    void *dstHost;
    hipDeviceptr_t dstDevice;
    hipArray_t dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
} hip_Memcpy2D;

typedef struct HIP_MEMCPY3D {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    hipMemoryType srcMemoryType;
    const void *srcHost;
    hipDeviceptr_t srcDevice;
    hipArray_t srcArray;
    size_t srcPitch, srcHeight;
    size_t dstXInBytes, dstY, dstZ, dstLOD;
    hipMemoryType dstMemoryType;
    void *dstHost;
    hipDeviceptr_t dstDevice;
    hipArray_t dstArray;
    size_t dstPitch, dstHeight;
    size_t WidthInBytes, Height, Depth;
} HIP_MEMCPY3D;

typedef struct hipPitchedPtr {
    void *ptr;
    size_t pitch; /* bytes from row to row */
    size_t xsize; /* logical width and height of an allocation */
    size_t ysize;
} hipPitchedPtr;

typedef struct hipExtent {
    size_t width; /* bytes for linear memory, elements for arrays */
    size_t height;
    size_t depth;
} hipExtent;

typedef struct hipPos {
    size_t x, y, z;
} hipPos;

typedef struct hipMemcpy3DParms {
    hipArray_t srcArray;
    struct hipPos srcPos;
    struct hipPitchedPtr srcPtr;
    hipArray_t dstArray;
    struct hipPos dstPos;
    struct hipPitchedPtr dstPtr;
    struct hipExtent extent;
    enum hipMemcpyKind kind;
} hipMemcpy3DParms;

static inline struct hipPitchedPtr
make_hipPitchedPtr(void *ptr, size_t pitch, size_t xsize, size_t ysize)
{
    struct hipPitchedPtr p;

    p.ptr = ptr;
    p.pitch = pitch;
    p.xsize = xsize;
    p.ysize = ysize;
    return p;
}

static inline struct hipPos
make_hipPos(size_t x, size_t y, size_t z)
{
    struct hipPos p;

    p.x = x;
    p.y = y;
    p.z = z;
    return p;
}

static inline struct hipExtent
make_hipExtent(size_t width, size_t height, size_t depth)
{
    struct hipExtent e;

    e.width = width;
    e.height = height;
    e.depth = depth;
    return e;
}

/* Resources that textures and surfaces read */

#define HIP_TRSA_OVERRIDE_FORMAT        0x01
#define HIP_TRSF_READ_AS_INTEGER        0x01
#define HIP_TRSF_NORMALIZED_COORDINATES 0x02
#define HIP_TRSF_SRGB                   0x10

typedef enum hipResourceType {
    hipResourceTypeArray = 0,
    hipResourceTypeMipmappedArray = 1,
    hipResourceTypeLinear = 2,
    hipResourceTypePitch2D = 3
} hipResourceType;

typedef enum HIPresourcetype_enum {
    HIP_RESOURCE_TYPE_ARRAY = 0,
    HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY = 1,
    HIP_RESOURCE_TYPE_LINEAR = 2,
    HIP_RESOURCE_TYPE_PITCH2D = 3
} HIPresourcetype, hipResourcetype;

typedef enum HIPaddress_mode_enum {
    HIP_TR_ADDRESS_MODE_WRAP = 0,
    HIP_TR_ADDRESS_MODE_CLAMP = 1,
    HIP_TR_ADDRESS_MODE_MIRROR = 2,
    HIP_TR_ADDRESS_MODE_BORDER = 3
} HIPaddress_mode;

typedef enum HIPfilter_mode_enum {
    HIP_TR_FILTER_MODE_POINT = 0,
    HIP_TR_FILTER_MODE_LINEAR = 1
} HIPfilter_mode;

typedef struct HIP_TEXTURE_DESC_st {
    HIPaddress_mode addressMode[3];
    HIPfilter_mode filterMode;
    unsigned int flags;
    unsigned int maxAnisotropy;
    HIPfilter_mode mipmapFilterMode;
    float mipmapLevelBias;
    float minMipmapLevelClamp;
    float maxMipmapLevelClamp;
    float borderColor[4];
    int reserved[12];
} HIP_TEXTURE_DESC;

/* How a texture reads its resource: the runtime's names and the driver's, with equal values. */
#define LS_HIP_VIEW_FORMATS(X) \
    X(None, NONE, 0x00) \
    X(UnsignedChar1, UINT_1X8, 0x01) X(UnsignedChar2, UINT_2X8, 0x02) \
    X(UnsignedChar4, UINT_4X8, 0x03) \
    X(SignedChar1, SINT_1X8, 0x04) X(SignedChar2, SINT_2X8, 0x05) X(SignedChar4, SINT_4X8, 0x06) \
    X(UnsignedShort1, UINT_1X16, 0x07) X(UnsignedShort2, UINT_2X16, 0x08) \
    X(UnsignedShort4, UINT_4X16, 0x09) \
    X(SignedShort1, SINT_1X16, 0x0a) X(SignedShort2, SINT_2X16, 0x0b) \
    X(SignedShort4, SINT_4X16, 0x0c) \
    X(UnsignedInt1, UINT_1X32, 0x0d) X(UnsignedInt2, UINT_2X32, 0x0e) \
    X(UnsignedInt4, UINT_4X32, 0x0f) \
    X(SignedInt1, SINT_1X32, 0x10) X(SignedInt2, SINT_2X32, 0x11) X(SignedInt4, SINT_4X32, 0x12) \
    X(Half1, FLOAT_1X16, 0x13) X(Half2, FLOAT_2X16, 0x14) X(Half4, FLOAT_4X16, 0x15) \
    X(Float1, FLOAT_1X32, 0x16) X(Float2, FLOAT_2X32, 0x17) X(Float4, FLOAT_4X32, 0x18) \
    X(UnsignedBlockCompressed1, UNSIGNED_BC1, 0x19) \
    X(UnsignedBlockCompressed2, UNSIGNED_BC2, 0x1a) \
    X(UnsignedBlockCompressed3, UNSIGNED_BC3, 0x1b) \
    X(UnsignedBlockCompressed4, UNSIGNED_BC4, 0x1c) \
    X(SignedBlockCompressed4, SIGNED_BC4, 0x1d) X(UnsignedBlockCompressed5, UNSIGNED_BC5, 0x1e) \
    X(SignedBlockCompressed5, SIGNED_BC5, 0x1f) X(UnsignedBlockCompressed6H, UNSIGNED_BC6H, 0x20) \
    X(SignedBlockCompressed6H, SIGNED_BC6H, 0x21)

#define LS_HIP_VIEW_RT(rt, drv, value)  hipResViewFormat##rt = value,
#define LS_HIP_VIEW_DRV(rt, drv, value) HIP_RES_VIEW_FORMAT_##drv = value,

typedef enum hipResourceViewFormat {
    LS_HIP_VIEW_FORMATS(LS_HIP_VIEW_RT)
    hipResViewFormatUnsignedBlockCompressed7 = 0x22
} hipResourceViewFormat;

typedef enum HIPresourceViewFormat_enum {
    LS_HIP_VIEW_FORMATS(LS_HIP_VIEW_DRV)
    HIP_RES_VIEW_FORMAT_UNSIGNED_BC7 = 0x22
} HIPresourceViewFormat;

#undef LS_HIP_VIEW_RT
#undef LS_HIP_VIEW_DRV
#undef LS_HIP_VIEW_FORMATS

typedef struct hipResourceDesc {
    enum hipResourceType resType; /* which member of res is valid */
    union {
        struct {
            hipArray_t array;
        } array;
        struct {
            hipMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            struct hipChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct hipChannelFormatDesc desc;
            size_t width, height;
            size_t pitchInBytes;
        } pitch2D;
    } res;
} hipResourceDesc;

typedef struct HIP_RESOURCE_DESC_st {
    HIPresourcetype resType;
    union {
        struct {
            hipArray_t hArray;
        } array;
        struct {
            hipMipmappedArray_t hMipmappedArray;
        } mipmap;
        struct {
            hipDeviceptr_t devPtr;
            hipArray_Format format;
            unsigned int numChannels;
            size_t sizeInBytes;
        } linear;
        struct {
            hipDeviceptr_t devPtr;
            hipArray_Format format;
            unsigned int numChannels;
            size_t width, height;
            size_t pitchInBytes;
        } pitch2D;
        struct {
            int reserved[32];
        } reserved;
    } res;
    unsigned int flags; /* 0 */
} HIP_RESOURCE_DESC;

struct hipResourceViewDesc {
    enum hipResourceViewFormat format;
    size_t width, height, depth;
    unsigned int firstMipmapLevel, lastMipmapLevel;
    unsigned int firstLayer, lastLayer;
};

typedef struct HIP_RESOURCE_VIEW_DESC_st {
    HIPresourceViewFormat format;
    size_t width, height, depth;
    unsigned int firstMipmapLevel, lastMipmapLevel;
    unsigned int firstLayer, lastLayer;
    unsigned int reserved[16];
} HIP_RESOURCE_VIEW_DESC;

/* What hipFuncGetAttribute and hipPointerGetAttribute answer */

typedef enum hipFunction_attribute {
    HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
    HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
    HIP_FUNC_ATTRIBUTE_NUM_REGS = 4,
    HIP_FUNC_ATTRIBUTE_PTX_VERSION = 5,
    HIP_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
    HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
    HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
    HIP_FUNC_ATTRIBUTE_MAX = 10
} hipFunction_attribute;

typedef enum hipPointer_attribute {
    HIP_POINTER_ATTRIBUTE_CONTEXT = 1,
    HIP_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
    HIP_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
    HIP_POINTER_ATTRIBUTE_HOST_POINTER = 4,
    HIP_POINTER_ATTRIBUTE_P2P_TOKENS = 5,
    HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,
    HIP_POINTER_ATTRIBUTE_BUFFER_ID = 7,
    HIP_POINTER_ATTRIBUTE_IS_MANAGED = 8,
    HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
    HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE = 10,
    HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
    HIP_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
    HIP_POINTER_ATTRIBUTE_MAPPED = 13,
    HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES = 14,
    HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE = 15,
    HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS = 16,
    HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17
} hipPointer_attribute;

#endif
#endif
