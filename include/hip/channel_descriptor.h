/* SPDX-License-Identifier: MIT */
/* Channel descriptors: how many bits each component of an element has. */
#ifndef HIP_CHANNEL_DESCRIPTOR_H
#define HIP_CHANNEL_DESCRIPTOR_H

#include <hip/hip_common.h>

#ifdef __HIP_PLATFORM_NVIDIA__
#include <hip/nvidia_detail/nvidia_channel_descriptor.h>
#else

/* One of AMD's include guards, by which programs see what is included. */
#define HIP_INCLUDE_HIP_CHANNEL_DESCRIPTOR_H

#include <hip/driver_types.h>

#ifdef __cplusplus
extern "C"
#endif
HIP_PUBLIC_API hipChannelFormatDesc
hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind f);

#ifdef __cplusplus
#include <hip/hip_vector_types.h>

static inline hipChannelFormatDesc
hipCreateChannelDescHalf()
{
    return hipCreateChannelDesc(16, 0, 0, 0, hipChannelFormatKindFloat);
}

static inline hipChannelFormatDesc
hipCreateChannelDescHalf1()
{
    return hipCreateChannelDesc(16, 0, 0, 0, hipChannelFormatKindFloat);
}

static inline hipChannelFormatDesc
hipCreateChannelDescHalf2()
{
    return hipCreateChannelDesc(16, 16, 0, 0, hipChannelFormatKindFloat);
}

static inline hipChannelFormatDesc
hipCreateChannelDescHalf4()
{
    return hipCreateChannelDesc(16, 16, 16, 16, hipChannelFormatKindFloat);
}

namespace hip_impl {
/* n components of type T; n = 0 means that T is no texel type. */
template <class T> struct ls_texel {
    enum { n = 0, bits = 0, kind = hipChannelFormatKindNone };
};

#define LS_HIP_TEXEL(type, count, k) \
    template <> struct ls_texel<type> { \
        enum { n = count, bits = 8 * (int)(sizeof(type) / count) }; \
        enum { kind = hipChannelFormatKind##k }; \
    };
#define LS_HIP_TEXELS(name, k) \
    LS_HIP_TEXEL(name##1, 1, k) LS_HIP_TEXEL(name##2, 2, k) LS_HIP_TEXEL(name##4, 4, k)

LS_HIP_TEXEL(char, 1, Signed)
LS_HIP_TEXEL(signed char, 1, Signed)
LS_HIP_TEXEL(unsigned char, 1, Unsigned)
LS_HIP_TEXEL(short, 1, Signed)
LS_HIP_TEXEL(unsigned short, 1, Unsigned)
LS_HIP_TEXEL(int, 1, Signed)
LS_HIP_TEXEL(unsigned int, 1, Unsigned)
LS_HIP_TEXEL(float, 1, Float)
LS_HIP_TEXELS(char, Signed)
LS_HIP_TEXELS(uchar, Unsigned)
LS_HIP_TEXELS(short, Signed)
LS_HIP_TEXELS(ushort, Unsigned)
LS_HIP_TEXELS(int, Signed)
LS_HIP_TEXELS(uint, Unsigned)
LS_HIP_TEXELS(float, Float)

#undef LS_HIP_TEXELS
#undef LS_HIP_TEXEL
} // namespace hip_impl

/* The descriptor of texel type T; all zero and kind None for other types, `long` of 64 bits among
 * them. */
template <typename T>
static inline hipChannelFormatDesc
hipCreateChannelDesc()
{
    typedef hip_impl::ls_texel<T> t;
    int bits = t::bits, n = t::n;
    return hipCreateChannelDesc(n > 0 ? bits : 0, n > 1 ? bits : 0, n > 2 ? bits : 0,
                                n > 3 ? bits : 0, (hipChannelFormatKind)t::kind);
}
#endif

#endif
#endif
