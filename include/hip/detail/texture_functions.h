/* SPDX-License-Identifier: MIT */
/* Texture fetches by object and by reference (HIP C++ language, "Texture functions"):
 *
 *   T f<T>(object, coordinates)   void f(T *result, object, coordinates)   f(reference,
 * coordinates)
 *
 * Coordinates count texels, or go from 0 to 1 when the texture is normalized. Layers are clamped.
 * Forms without Lod or Grad read level 0; Grad takes the coordinates' steps from thread to thread,
 * and picks the level by the longer one. On the CPU linear filters round positions to 1/256 of a
 * texel. */
#ifndef HIP_DETAIL_TEXTURE_FUNCTIONS_H
#define HIP_DETAIL_TEXTURE_FUNCTIONS_H

#include <hip/detail/image.h>

#define LS_HIP_IF_TEXEL \
    typename std::enable_if<(bool)hip_impl::ls_texel_of<T>::ok>::type * = nullptr
#define LS_HIP_ARGS(...) __VA_ARGS__

/* `call` sees the descriptors i and s, and the parameters. */
#define LS_HIP_FETCH(name, kind, params, args, call) \
    template <typename T, LS_HIP_IF_TEXEL> \
    LS_HIP_IMAGE T name(hipTextureObject_t textureObject, params) \
    { \
        hip_impl::ls_desc i = (hip_impl::ls_desc)textureObject; \
        hip_impl::ls_desc s = i + HIP_SAMPLER_OBJECT_OFFSET_DWORD; \
        (void)s; \
        return hip_impl::ls_texel_of<T>::from(hip_impl::call); \
    } \
    template <typename T, LS_HIP_IF_TEXEL> \
    LS_HIP_IMAGE void name(T *ptr, hipTextureObject_t textureObject, params) \
    { \
        *ptr = name<T>(textureObject, args); \
    } \
    template <typename T, hipTextureReadMode readMode> \
    LS_HIP_IMAGE typename hip_impl::ls_fetched<T, readMode>::type name( \
        const texture<T, kind, readMode> &t, params) \
    { \
        typedef typename hip_impl::ls_fetched<T, readMode>::type result; \
        hip_impl::ls_desc i = (hip_impl::ls_desc)t.textureObject; \
        hip_impl::ls_desc s = i + HIP_SAMPLER_OBJECT_OFFSET_DWORD; \
        (void)s; \
        return hip_impl::ls_texel_of<result>::from(hip_impl::call); \
    }

#define LS_HIP_V2(...) hip_impl::ls_float2{__VA_ARGS__}
#define LS_HIP_V4(...) hip_impl::ls_float4{__VA_ARGS__}

LS_HIP_FETCH(tex1Dfetch, hipTextureType1D, int x, x, __ockl_image_load_1Db(i, x))
LS_HIP_FETCH(tex1D, hipTextureType1D, float x, x, __ockl_image_sample_1D(i, s, x))
LS_HIP_FETCH(tex2D, hipTextureType2D, LS_HIP_ARGS(float x, float y), LS_HIP_ARGS(x, y),
             __ockl_image_sample_2D(i, s, LS_HIP_V2(x, y)))
LS_HIP_FETCH(tex3D, hipTextureType3D, LS_HIP_ARGS(float x, float y, float z), LS_HIP_ARGS(x, y, z),
             __ockl_image_sample_3D(i, s, LS_HIP_V4(x, y, z, 0.0f)))
LS_HIP_FETCH(tex1DLayered, hipTextureType1DLayered, LS_HIP_ARGS(float x, int layer),
             LS_HIP_ARGS(x, layer), __ockl_image_sample_1Da(i, s, LS_HIP_V2(x, (float)layer)))
LS_HIP_FETCH(tex2DLayered, hipTextureType2DLayered, LS_HIP_ARGS(float x, float y, int layer),
             LS_HIP_ARGS(x, y, layer),
             __ockl_image_sample_2Da(i, s, LS_HIP_V4(x, y, (float)layer, 0.0f)))
LS_HIP_FETCH(texCubemap, hipTextureTypeCubemap, LS_HIP_ARGS(float x, float y, float z),
             LS_HIP_ARGS(x, y, z), __ockl_image_sample_CM(i, s, LS_HIP_V4(x, y, z, 0.0f)))
LS_HIP_FETCH(texCubemapLayered, hipTextureTypeCubemapLayered,
             LS_HIP_ARGS(float x, float y, float z, int layer), LS_HIP_ARGS(x, y, z, layer),
             __ockl_image_sample_CMa(i, s, LS_HIP_V4(x, y, z, (float)layer)))

LS_HIP_FETCH(tex1DLod, hipTextureType1D, LS_HIP_ARGS(float x, float level), LS_HIP_ARGS(x, level),
             __ockl_image_sample_lod_1D(i, s, x, level))
LS_HIP_FETCH(tex2DLod, hipTextureType2D, LS_HIP_ARGS(float x, float y, float level),
             LS_HIP_ARGS(x, y, level), __ockl_image_sample_lod_2D(i, s, LS_HIP_V2(x, y), level))
LS_HIP_FETCH(tex3DLod, hipTextureType3D, LS_HIP_ARGS(float x, float y, float z, float level),
             LS_HIP_ARGS(x, y, z, level),
             __ockl_image_sample_lod_3D(i, s, LS_HIP_V4(x, y, z, 0.0f), level))
LS_HIP_FETCH(tex1DLayeredLod, hipTextureType1DLayered, LS_HIP_ARGS(float x, int layer, float level),
             LS_HIP_ARGS(x, layer, level),
             __ockl_image_sample_lod_1Da(i, s, LS_HIP_V2(x, (float)layer), level))
LS_HIP_FETCH(tex2DLayeredLod, hipTextureType2DLayered,
             LS_HIP_ARGS(float x, float y, int layer, float level), LS_HIP_ARGS(x, y, layer, level),
             __ockl_image_sample_lod_2Da(i, s, LS_HIP_V4(x, y, (float)layer, 0.0f), level))
LS_HIP_FETCH(texCubemapLod, hipTextureTypeCubemap,
             LS_HIP_ARGS(float x, float y, float z, float level), LS_HIP_ARGS(x, y, z, level),
             __ockl_image_sample_lod_CM(i, s, LS_HIP_V4(x, y, z, 0.0f), level))
LS_HIP_FETCH(texCubemapLayeredLod, hipTextureTypeCubemapLayered,
             LS_HIP_ARGS(float x, float y, float z, int layer, float level),
             LS_HIP_ARGS(x, y, z, layer, level),
             __ockl_image_sample_lod_CMa(i, s, LS_HIP_V4(x, y, z, (float)layer), level))

#define LS_HIP_STEP2(d) LS_HIP_V2(d.x, d.y)
#define LS_HIP_STEP3(d) LS_HIP_V4(d.x, d.y, d.z, 0.0f)
LS_HIP_FETCH(tex1DGrad, hipTextureType1D, LS_HIP_ARGS(float x, float dPdx, float dPdy),
             LS_HIP_ARGS(x, dPdx, dPdy), __ockl_image_sample_grad_1D(i, s, x, dPdx, dPdy))
LS_HIP_FETCH(tex2DGrad, hipTextureType2D, LS_HIP_ARGS(float x, float y, float2 dPdx, float2 dPdy),
             LS_HIP_ARGS(x, y, dPdx, dPdy),
             __ockl_image_sample_grad_2D(i, s, LS_HIP_V2(x, y), LS_HIP_STEP2(dPdx),
                                         LS_HIP_STEP2(dPdy)))
LS_HIP_FETCH(tex3DGrad, hipTextureType3D,
             LS_HIP_ARGS(float x, float y, float z, float4 dPdx, float4 dPdy),
             LS_HIP_ARGS(x, y, z, dPdx, dPdy),
             __ockl_image_sample_grad_3D(i, s, LS_HIP_V4(x, y, z, 0.0f), LS_HIP_STEP3(dPdx),
                                         LS_HIP_STEP3(dPdy)))
LS_HIP_FETCH(tex1DLayeredGrad, hipTextureType1DLayered,
             LS_HIP_ARGS(float x, int layer, float dPdx, float dPdy),
             LS_HIP_ARGS(x, layer, dPdx, dPdy),
             __ockl_image_sample_grad_1Da(i, s, LS_HIP_V2(x, (float)layer), dPdx, dPdy))
LS_HIP_FETCH(tex2DLayeredGrad, hipTextureType2DLayered,
             LS_HIP_ARGS(float x, float y, int layer, float2 dPdx, float2 dPdy),
             LS_HIP_ARGS(x, y, layer, dPdx, dPdy),
             __ockl_image_sample_grad_2Da(i, s, LS_HIP_V4(x, y, (float)layer, 0.0f),
                                          LS_HIP_STEP2(dPdx), LS_HIP_STEP2(dPdy)))
LS_HIP_FETCH(texCubemapGrad, hipTextureTypeCubemap,
             LS_HIP_ARGS(float x, float y, float z, float4 dPdx, float4 dPdy),
             LS_HIP_ARGS(x, y, z, dPdx, dPdy),
             __ls_image_sample_grad_CM(i, s, LS_HIP_V4(x, y, z, 0.0f), LS_HIP_STEP3(dPdx),
                                       LS_HIP_STEP3(dPdy)))
LS_HIP_FETCH(texCubemapLayeredGrad, hipTextureTypeCubemapLayered,
             LS_HIP_ARGS(float x, float y, float z, int layer, float4 dPdx, float4 dPdy),
             LS_HIP_ARGS(x, y, z, layer, dPdx, dPdy),
             __ls_image_sample_grad_CMa(i, s, LS_HIP_V4(x, y, z, (float)layer), LS_HIP_STEP3(dPdx),
                                        LS_HIP_STEP3(dPdy)))

namespace hip_impl {
LS_HIP_IMAGE ls_float4
ls_gather(ls_desc i, float x, float y, int comp)
{
    ls_desc s = i + HIP_SAMPLER_OBJECT_OFFSET_DWORD;
    ls_float2 c = {x, y};

    switch (comp) {
    case 1: return __ockl_image_gather4g_2D(i, s, c);
    case 2: return __ockl_image_gather4b_2D(i, s, c);
    case 3: return __ockl_image_gather4a_2D(i, s, c);
    default: return __ockl_image_gather4r_2D(i, s, c);
    }
}
} // namespace hip_impl

/* Channel comp of the four texels that a linear fetch would mix: lower left, lower right, upper
 * right, upper left of the point. */
template <typename T, LS_HIP_IF_TEXEL>
LS_HIP_IMAGE T
tex2Dgather(hipTextureObject_t textureObject, float x, float y, int comp = 0)
{
    return hip_impl::ls_texel_of<T>::from(
        hip_impl::ls_gather((hip_impl::ls_desc)textureObject, x, y, comp));
}

template <typename T, LS_HIP_IF_TEXEL>
LS_HIP_IMAGE void
tex2Dgather(T *ptr, hipTextureObject_t textureObject, float x, float y, int comp = 0)
{
    *ptr = tex2Dgather<T>(textureObject, x, y, comp);
}

template <typename T, hipTextureReadMode readMode>
LS_HIP_IMAGE typename hip_impl::ls_gathered<T, readMode>::type
tex2Dgather(const texture<T, hipTextureType2D, readMode> &t, float x, float y, int comp = 0)
{
    return hip_impl::ls_texel_of<typename hip_impl::ls_gathered<T, readMode>::type>::from(
        hip_impl::ls_gather((hip_impl::ls_desc)t.textureObject, x, y, comp));
}

#undef LS_HIP_FETCH
#undef LS_HIP_STEP2
#undef LS_HIP_STEP3

#endif
