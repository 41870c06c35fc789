/* SPDX-License-Identifier: MIT */
/* Surface reads and writes (HIP C++ language, "Surface functions"). x counts bytes, the other
 * coordinates texels. boundaryMode says what happens outside: a read gives 0 and a write does
 * nothing (Zero), the nearest texel is meant (Clamp), or the kernel ends (Trap). */
#ifndef HIP_DETAIL_SURFACE_FUNCTIONS_H
#define HIP_DETAIL_SURFACE_FUNCTIONS_H

#include <hip/detail/texture_functions.h>

namespace hip_impl {

/* log2 of a texel's bytes, from OpenCL's channel type and order (counted from the first of
 * each). */
LS_HIP_IMAGE int
ls_texel_shift(int type, int order)
{
    /* Two bits each: 8, 16, 32 bits of a channel; 1, 2, 4 channels. */
    const unsigned int types =
        1u << 2 | 1u << 6 | 1u << 18 | 2u << 20 | 1u << 24 | 2u << 26 | 1u << 28 | 2u << 30;
    int channels = order == 1 ? 0 : order == 3 ? 1 : 2;

    return (int)(types >> 2 * type & 3) + channels;
}

/* Applies the mode to one coordinate. */
LS_HIP_IMAGE int
ls_bound(int x, int size, int mode)
{
    if (mode == hipBoundaryModeClamp)
        return x < 0 ? 0 : x >= size ? size - 1 : x;
    if (mode == hipBoundaryModeTrap && (x < 0 || x >= size))
        __builtin_trap();
    return x;
}

} // namespace hip_impl

/* `bounds` changes the coordinates by `boundaryMode`; `place` is OCKL's coordinate. */
#define LS_HIP_SURFACE(name, suffix, params, args, bounds, place) \
    template <typename T, LS_HIP_IF_TEXEL> \
    LS_HIP_IMAGE void name##read(T *data, hipSurfaceObject_t surfObj, params, \
                                 int boundaryMode = hipBoundaryModeZero) \
    { \
        hip_impl::ls_desc i = (hip_impl::ls_desc)surfObj; \
        x >>= hip_impl::ls_texel_shift(hip_impl::__ockl_image_channel_data_type_##suffix(i), \
                                       hip_impl::__ockl_image_channel_order_##suffix(i)); \
        if (boundaryMode != hipBoundaryModeZero) { \
            x = hip_impl::ls_bound(x, hip_impl::__ockl_image_width_##suffix(i), boundaryMode); \
            bounds; \
        } \
        *data = hip_impl::ls_texel_of<T>::from(hip_impl::__ockl_image_load_##suffix(i, place)); \
    } \
    template <typename T, LS_HIP_IF_TEXEL> \
    LS_HIP_IMAGE T name##read(hipSurfaceObject_t surfObj, params, \
                              int boundaryMode = hipBoundaryModeZero) \
    { \
        T data; \
        name##read(&data, surfObj, args, boundaryMode); \
        return data; \
    } \
    template <typename T, LS_HIP_IF_TEXEL> \
    LS_HIP_IMAGE void name##write(T data, hipSurfaceObject_t surfObj, params, \
                                  int boundaryMode = hipBoundaryModeZero) \
    { \
        hip_impl::ls_desc i = (hip_impl::ls_desc)surfObj; \
        x >>= hip_impl::ls_texel_shift(hip_impl::__ockl_image_channel_data_type_##suffix(i), \
                                       hip_impl::__ockl_image_channel_order_##suffix(i)); \
        if (boundaryMode != hipBoundaryModeZero) { \
            x = hip_impl::ls_bound(x, hip_impl::__ockl_image_width_##suffix(i), boundaryMode); \
            bounds; \
        } \
        hip_impl::__ockl_image_store_##suffix(i, place, hip_impl::ls_texel_of<T>::to(data)); \
    }

#define LS_HIP_BOUND_Y(suffix) \
    y = hip_impl::ls_bound(y, hip_impl::__ockl_image_height_##suffix(i), boundaryMode)
#define LS_HIP_I2(...) hip_impl::ls_int2{__VA_ARGS__}
#define LS_HIP_I4(...) hip_impl::ls_int4{__VA_ARGS__}

LS_HIP_SURFACE(surf1D, 1D, int x, x, (void)0, x)
LS_HIP_SURFACE(surf2D, 2D, LS_HIP_ARGS(int x, int y), LS_HIP_ARGS(x, y), LS_HIP_BOUND_Y(2D),
               LS_HIP_I2(x, y))
LS_HIP_SURFACE(surf3D, 3D, LS_HIP_ARGS(int x, int y, int z), LS_HIP_ARGS(x, y, z),
               LS_HIP_BOUND_Y(3D);
               z = hip_impl::ls_bound(z, hip_impl::__ockl_image_depth_3D(i), boundaryMode),
               LS_HIP_I4(x, y, z, 0))
LS_HIP_SURFACE(surf1DLayered, 1Da, LS_HIP_ARGS(int x, int layer), LS_HIP_ARGS(x, layer), (void)0,
               LS_HIP_I2(x, layer))
LS_HIP_SURFACE(surf2DLayered, 2Da, LS_HIP_ARGS(int x, int y, int layer), LS_HIP_ARGS(x, y, layer),
               LS_HIP_BOUND_Y(2Da), LS_HIP_I4(x, y, layer, 0))
LS_HIP_SURFACE(surfCubemap, CM, LS_HIP_ARGS(int x, int y, int face), LS_HIP_ARGS(x, y, face),
               LS_HIP_BOUND_Y(CM), LS_HIP_ARGS(LS_HIP_I2(x, y), face))
LS_HIP_SURFACE(surfCubemapLayered, CMa, LS_HIP_ARGS(int x, int y, int face, int layer),
               LS_HIP_ARGS(x, y, face, layer), LS_HIP_BOUND_Y(CMa),
               LS_HIP_ARGS(LS_HIP_I4(x, y, layer, 0), face))

/* Layer and face in one number: layer * 6 + face. */
template <typename T, LS_HIP_IF_TEXEL>
LS_HIP_IMAGE void
surfCubemapLayeredread(T *data, hipSurfaceObject_t surfObj, int x, int y, int layerFace)
{
    surfCubemapLayeredread(data, surfObj, x, y, layerFace % 6, layerFace / 6);
}

template <typename T, LS_HIP_IF_TEXEL>
LS_HIP_IMAGE void
surfCubemapLayeredwrite(T data, hipSurfaceObject_t surfObj, int x, int y, int layerFace)
{
    surfCubemapLayeredwrite(data, surfObj, x, y, layerFace % 6, layerFace / 6);
}

/* The form that takes a pointer to the texel, which is the only one in AMD's
 * amd_surface_functions.h. */
template <typename T, LS_HIP_IF_TEXEL>
LS_HIP_IMAGE void
surfCubemapLayeredwrite(T *data, hipSurfaceObject_t surfObj, int x, int y, int face, int layer)
{
    surfCubemapLayeredwrite(*data, surfObj, x, y, face, layer);
}

#undef LS_HIP_SURFACE
#undef LS_HIP_BOUND_Y
#undef LS_HIP_I2
#undef LS_HIP_I4
#undef LS_HIP_V2
#undef LS_HIP_V4
#undef LS_HIP_ARGS
#undef LS_HIP_IF_TEXEL
#undef LS_HIP_IMAGE

#endif
