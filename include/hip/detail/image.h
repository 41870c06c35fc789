/* SPDX-License-Identifier: MIT */
/* What texture and surface functions are made of: OCKL's image functions by their ABI, and the way
 * from their four raw channels to texel types. An object is the address of a descriptor whose first
 * words are the image and whose next are the sampler (HIP_SAMPLER_OBJECT_OFFSET_DWORD). */
#ifndef HIP_DETAIL_IMAGE_H
#define HIP_DETAIL_IMAGE_H

#include <hip/hip_vector_types.h>
#include <hip/surface_types.h>
#include <hip/texture_types.h>

#define LS_HIP_IMAGE static __device__ inline __attribute__((always_inline)) __hip_img_chk__

namespace hip_impl {

typedef const __attribute__((address_space(4))) unsigned int *ls_desc;
typedef float ls_float2 __attribute__((ext_vector_type(2)));
typedef float ls_float4 __attribute__((ext_vector_type(4)));
typedef int ls_int2 __attribute__((ext_vector_type(2)));
typedef int ls_int4 __attribute__((ext_vector_type(4)));

extern "C" {
#define LS_HIP_PURE __device__ __attribute__((pure))
#define LS_HIP_SAMPLES(suffix, coord)                                                              \
    LS_HIP_PURE ls_float4 __ockl_image_sample_##suffix(ls_desc i, ls_desc s, coord c);             \
    LS_HIP_PURE ls_float4 __ockl_image_sample_lod_##suffix(ls_desc i, ls_desc s, coord c,          \
                                                           float lod);
#define LS_HIP_GRAD(name, coord, step) \
    LS_HIP_PURE ls_float4 name(ls_desc i, ls_desc s, coord c, step dx, step dy);

LS_HIP_SAMPLES(1D, float)
LS_HIP_SAMPLES(1Da, ls_float2)
LS_HIP_SAMPLES(2D, ls_float2)
LS_HIP_SAMPLES(2Da, ls_float4)
LS_HIP_SAMPLES(3D, ls_float4)
LS_HIP_SAMPLES(CM, ls_float4)
LS_HIP_SAMPLES(CMa, ls_float4)
LS_HIP_GRAD(__ockl_image_sample_grad_1D, float, float)
LS_HIP_GRAD(__ockl_image_sample_grad_1Da, ls_float2, float)
LS_HIP_GRAD(__ockl_image_sample_grad_2D, ls_float2, ls_float2)
LS_HIP_GRAD(__ockl_image_sample_grad_2Da, ls_float4, ls_float2)
LS_HIP_GRAD(__ockl_image_sample_grad_3D, ls_float4, ls_float4)
/* OCKL has none for cubemaps. */
LS_HIP_GRAD(__ls_image_sample_grad_CM, ls_float4, ls_float4)
LS_HIP_GRAD(__ls_image_sample_grad_CMa, ls_float4, ls_float4)
LS_HIP_PURE ls_float4 __ockl_image_gather4r_2D(ls_desc i, ls_desc s, ls_float2 c);
LS_HIP_PURE ls_float4 __ockl_image_gather4g_2D(ls_desc i, ls_desc s, ls_float2 c);
LS_HIP_PURE ls_float4 __ockl_image_gather4b_2D(ls_desc i, ls_desc s, ls_float2 c);
LS_HIP_PURE ls_float4 __ockl_image_gather4a_2D(ls_desc i, ls_desc s, ls_float2 c);

LS_HIP_PURE ls_float4 __ockl_image_load_1Db(ls_desc i, int c);
#define LS_HIP_ACCESS(suffix, coord) \
    LS_HIP_PURE ls_float4 __ockl_image_load_##suffix(ls_desc i, coord c); \
    __device__ void __ockl_image_store_##suffix(ls_desc i, coord c, ls_float4 v);
LS_HIP_ACCESS(1D, int)
LS_HIP_ACCESS(1Da, ls_int2)
LS_HIP_ACCESS(2D, ls_int2)
LS_HIP_ACCESS(2Da, ls_int4)
LS_HIP_ACCESS(3D, ls_int4)
LS_HIP_PURE ls_float4 __ockl_image_load_CM(ls_desc i, ls_int2 c, int face);
LS_HIP_PURE ls_float4 __ockl_image_load_CMa(ls_desc i, ls_int4 c, int face);
__device__ void __ockl_image_store_CM(ls_desc i, ls_int2 c, int face, ls_float4 v);
__device__ void __ockl_image_store_CMa(ls_desc i, ls_int4 c, int face, ls_float4 v);

#define LS_HIP_ASK(suffix) \
    LS_HIP_PURE int __ockl_image_channel_data_type_##suffix(ls_desc i); \
    LS_HIP_PURE int __ockl_image_channel_order_##suffix(ls_desc i); \
    LS_HIP_PURE int __ockl_image_width_##suffix(ls_desc i);
#define LS_HIP_ASK_HEIGHT(suffix) LS_HIP_PURE int __ockl_image_height_##suffix(ls_desc i);
LS_HIP_ASK(1D)
LS_HIP_ASK(1Da)
LS_HIP_ASK(2D)
LS_HIP_ASK(2Da)
LS_HIP_ASK(3D)
LS_HIP_ASK(CM)
LS_HIP_ASK(CMa)
LS_HIP_ASK_HEIGHT(2D)
LS_HIP_ASK_HEIGHT(2Da)
LS_HIP_ASK_HEIGHT(3D)
LS_HIP_ASK_HEIGHT(CM)
LS_HIP_ASK_HEIGHT(CMa)
LS_HIP_PURE int __ockl_image_depth_3D(ls_desc i);
#undef LS_HIP_PURE
#undef LS_HIP_SAMPLES
#undef LS_HIP_GRAD
#undef LS_HIP_ACCESS
#undef LS_HIP_ASK
#undef LS_HIP_ASK_HEIGHT
}

/* Channels are raw 32-bit values: an integer format gives integers, any other gives floats. */
template <class T> struct ls_channel {
    enum { ok = 0, normal = 0 };
};
#define LS_HIP_CHANNEL(type, is_normal) \
    template <> struct ls_channel<type> { \
        enum { ok = 1, normal = is_normal }; \
        static __device__ inline type from(float v) { return (type)__builtin_bit_cast(int, v); } \
        static __device__ inline float to(type v) { return __builtin_bit_cast(float, (int)v); } \
    };
LS_HIP_CHANNEL(char, 1)
LS_HIP_CHANNEL(signed char, 1)
LS_HIP_CHANNEL(unsigned char, 1)
LS_HIP_CHANNEL(short, 1)
LS_HIP_CHANNEL(unsigned short, 1)
LS_HIP_CHANNEL(int, 0)
LS_HIP_CHANNEL(unsigned int, 0)
#undef LS_HIP_CHANNEL
template <> struct ls_channel<float> {
    enum { ok = 1, normal = 0 };
    static __device__ inline float from(float v) { return v; }
    static __device__ inline float to(float v) { return v; }
};

/* A texel type: what it is made of, and what reading it as a normalized float gives. */
template <class T> struct ls_texel_of {
    enum { ok = ls_channel<T>::ok, normal = ls_channel<T>::normal };
    typedef T scalar;
    typedef float as_float;
    static __device__ inline T from(ls_float4 v) { return ls_channel<T>::from(v.x); }
    static __device__ inline ls_float4 to(T v) { return ls_float4{ls_channel<T>::to(v), 0, 0, 0}; }
};
template <class T> struct ls_texel_of<HIP_vector_type<T, 1> > {
    enum { ok = ls_channel<T>::ok, normal = ls_channel<T>::normal };
    typedef HIP_vector_type<T, 1> type;
    typedef T scalar;
    typedef HIP_vector_type<float, 1> as_float;
    static __device__ inline type from(ls_float4 v) { return type(ls_channel<T>::from(v.x)); }
    static __device__ inline ls_float4 to(type v)
    {
        return ls_float4{ls_channel<T>::to(v.x), 0, 0, 0};
    }
};
template <class T> struct ls_texel_of<HIP_vector_type<T, 2> > {
    enum { ok = ls_channel<T>::ok, normal = ls_channel<T>::normal };
    typedef HIP_vector_type<T, 2> type;
    typedef T scalar;
    typedef HIP_vector_type<float, 2> as_float;
    static __device__ inline type
    from(ls_float4 v)
    {
        return type(ls_channel<T>::from(v.x), ls_channel<T>::from(v.y));
    }
    static __device__ inline ls_float4
    to(type v)
    {
        return ls_float4{ls_channel<T>::to(v.x), ls_channel<T>::to(v.y), 0, 0};
    }
};
template <class T> struct ls_texel_of<HIP_vector_type<T, 4> > {
    enum { ok = ls_channel<T>::ok, normal = ls_channel<T>::normal };
    typedef HIP_vector_type<T, 4> type;
    typedef T scalar;
    typedef HIP_vector_type<float, 4> as_float;
    static __device__ inline type
    from(ls_float4 v)
    {
        return type(ls_channel<T>::from(v.x), ls_channel<T>::from(v.y), ls_channel<T>::from(v.z),
                    ls_channel<T>::from(v.w));
    }
    static __device__ inline ls_float4
    to(type v)
    {
        return ls_float4{ls_channel<T>::to(v.x), ls_channel<T>::to(v.y), ls_channel<T>::to(v.z),
                         ls_channel<T>::to(v.w)};
    }
};

template <bool ok, class T> struct ls_texel_if {};
template <class T> struct ls_texel_if<true, T> {
    typedef T type;
};

/* What a texture reference of texel type T returns; absent for pairs that HIP does not have. */
template <class T, hipTextureReadMode mode>
struct ls_fetched : ls_texel_if<(bool)ls_texel_of<T>::ok, T> {};
template <class T>
struct ls_fetched<T, hipReadModeNormalizedFloat>
    : ls_texel_if<(bool)ls_texel_of<T>::normal, typename ls_texel_of<T>::as_float> {};

/* Four channels of one kind, for gathers. */
template <class T, hipTextureReadMode mode> struct ls_gathered {
    typedef HIP_vector_type<typename ls_texel_of<T>::scalar, 4> type;
};
template <class T> struct ls_gathered<T, hipReadModeNormalizedFloat> {
    typedef HIP_vector_type<float, 4> type;
};

} // namespace hip_impl

#endif
