/* SPDX-License-Identifier: MIT */
/* Matrix products of a warp: D = A * B + C of 16x16x16, with fragments spread over the lanes.
 *
 * The interface is the one of Kernel Programming (AMDGPU.jl), "Wave Matrix Multiply Accumulate
 * (WMMA)": fill_c, load_a, load_b, load_c, store_d, mma. A and B are f16 or bf16, sums are f32; C
 * and D lie in memory as f32, f16 or bf16. Every function must be reached by all lanes of a warp
 * together.
 *
 * Targets: gfx11 at both warp widths (WMMA instructions), gfx90a and gfx942 (MFMA instructions):
 * code for AMD hardware and, through Lockstep, for the CPU; and NVIDIA's GPUs (mma.sync), where
 * tiles in shared memory are loaded fastest if they and their rows begin at multiples of 16 bytes.
 * Which elements a lane holds differs between them; programs that only use these functions need not
 * know. */
#ifndef LOCKSTEP_WMMA_H
#define LOCKSTEP_WMMA_H

#include <hip/hip_bf16.h>
#include <hip/hip_bfloat16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#if defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__)
#define LS_WMMA_MFMA 1
#elif defined(__HIP_DEVICE_COMPILE__) && !defined(__GFX11__)
#error "lockstep/wmma.h: matrix products need gfx11, gfx90a or gfx942"
#endif

namespace lockstep {
namespace wmma {

/* Tile sizes: A is M x K, B is K x N, C and D are M x N. */
enum { M = 16, N = 16, K = 16 };

/* Orders in memory. Row-major: element (row, col) at ptr[row * stride + col]; column-major: at
 * ptr[col * stride + row]. */
struct row_major {};
struct col_major {};

namespace detail {

#if defined(LS_WMMA_MFMA)
enum { LANES = 64, AB_ITEMS = 4, C_ITEMS = 4 };
#elif defined(__LS_NVIDIA__)
enum { LANES = 32, AB_ITEMS = 8, C_ITEMS = 8 };
#elif defined(__AMDGCN_WAVEFRONT_SIZE__) && __AMDGCN_WAVEFRONT_SIZE__ == 64
enum { LANES = 64, AB_ITEMS = 16, C_ITEMS = 4 };
#else
enum { LANES = 32, AB_ITEMS = 16, C_ITEMS = 8 };
#endif

typedef float c_vec __attribute__((ext_vector_type(C_ITEMS)));
typedef _Float16 f16_vec __attribute__((ext_vector_type(AB_ITEMS)));
typedef short bf16_vec __attribute__((ext_vector_type(AB_ITEMS)));
typedef _Float16 f16_alias __attribute__((may_alias));
typedef short bf16_alias __attribute__((may_alias));
typedef float f32_alias __attribute__((may_alias));
typedef _Float16 f16_run __attribute__((ext_vector_type(AB_ITEMS), aligned(2), may_alias));
typedef short bf16_run __attribute__((ext_vector_type(AB_ITEMS), aligned(2), may_alias));

struct is_f16 {
    typedef f16_vec vec;
    typedef f16_run run;
    typedef f16_alias elem;
    __device__ static float
    widen(elem x)
    {
        return (float)x;
    }
    __device__ static elem
    narrow(float x)
    {
        return (_Float16)x;
    }
};
struct is_bf16 {
    typedef bf16_vec vec;
    typedef bf16_run run;
    typedef bf16_alias elem;
    __device__ static float
    widen(elem x)
    {
        return __builtin_bit_cast(float, (unsigned)(unsigned short)x << 16);
    }
    /* To nearest, even at ties; NaN stays NaN. */
    __device__ static elem
    narrow(float x)
    {
        unsigned bits = __builtin_bit_cast(unsigned, x);
        unsigned rounded = bits + 0x7fff + (bits >> 16 & 1);
        return (short)((x != x ? bits | 0x400000 : rounded) >> 16);
    }
};
struct is_f32 {
    typedef f32_alias elem;
    __device__ static float
    widen(elem x)
    {
        return x;
    }
    __device__ static elem
    narrow(float x)
    {
        return x;
    }
};

/* Element type -> its format. */
template <typename T> struct format;
template <> struct format<_Float16> : is_f16 {};
template <> struct format<__half> : is_f16 {};
template <> struct format<__hip_bfloat16> : is_bf16 {};
template <> struct format<hip_bfloat16> : is_bf16 {};
template <> struct format<__bf16> : is_bf16 {};
template <> struct format<float> : is_f32 {};

__device__ inline int
lane()
{
#if defined(__HIP_DEVICE_COMPILE__)
    int low = (int)__builtin_amdgcn_mbcnt_lo(~0u, 0);
    return LANES == 32 ? low : (int)__builtin_amdgcn_mbcnt_hi(~0u, (unsigned)low);
#else
    return 0;
#endif
}

/* First k that a lane holds, and the row of its item v of C and D. */
__device__ inline int
first_k(int l)
{
#if defined(LS_WMMA_MFMA)
    return 4 * (l / 16);
#else
    return 0 * l;
#endif
}

__device__ inline int
row_of(int l, int v)
{
#if defined(LS_WMMA_MFMA)
    return 4 * (l / 16) + v;
#elif defined(__LS_NVIDIA__)
    return l / 4 + 8 * (v / 2 % 2);
#else
    return LANES / 16 * v + l / 16;
#endif
}

__device__ inline int
col_of(int l, int v)
{
#if defined(__LS_NVIDIA__)
    return 8 * (v / 4) + 2 * (l % 4) + v % 2;
#else
    return l % 16 + 0 * v;
#endif
}

/* Items of A (or of B, transposed): values of k at one row. along_k: they are neighbours in
 * memory. */
#if defined(__LS_NVIDIA__)
extern "C" { /* src/compiler/ptx/matrix.c */
__device__ __attribute__((pure)) bf16_vec
__ls_nv_tile(const void *, int) __asm__("__ls_nv.tile");
__device__ __attribute__((pure)) bf16_vec
__ls_nv_tile_across(const void *, int) __asm__("__ls_nv.tile_across");
__device__ __attribute__((const)) c_vec
__ls_nv_mma_f16(f16_vec, f16_vec, c_vec) __asm__("__ls_nv.mma.f16");
__device__ __attribute__((const)) c_vec
__ls_nv_mma_bf16(bf16_vec, bf16_vec, c_vec) __asm__("__ls_nv.mma.bf16");
}

template <typename T>
__device__ inline typename format<T>::vec
load_items(const T *ptr, int stride, bool along_k)
{
    bf16_vec x = along_k ? __ls_nv_tile(ptr, stride) : __ls_nv_tile_across(ptr, stride);
    return __builtin_bit_cast(typename format<T>::vec, x);
}
#else
template <typename T>
__device__ inline typename format<T>::vec
load_items(const T *ptr, int stride, bool along_k)
{
    const typename format<T>::elem *p = (const typename format<T>::elem *)ptr;
    typename format<T>::vec x;
    int l = lane(), row = l % 16, k = first_k(l);

    if (along_k) {
        x = *(const typename format<T>::run *)(p + row * stride + k);
    } else {
        for (int v = 0; v < AB_ITEMS; v++)
            x[v] = p[(k + v) * stride + row];
    }
    return x;
}
#endif

__device__ inline bool
is_row_major(row_major)
{
    return true;
}
__device__ inline bool
is_row_major(col_major)
{
    return false;
}

} // namespace detail

/* A warp's share of a tile of A (M x K) or B (K x N) with elements of T: _Float16, __half,
 * __hip_bfloat16, hip_bfloat16 or __bf16. */
template <typename T> struct fragment_a {
    typename detail::format<T>::vec x;
};
template <typename T> struct fragment_b {
    typename detail::format<T>::vec x;
};

/* A warp's share of a tile of C or D, in f32 (AMDGPU.jl: FragmentC_F32). */
struct fragment_c {
    detail::c_vec x;
};

/* A tile of C with every element x (AMDGPU.jl: fill_c). */
__device__ inline fragment_c
fill_c(float x)
{
    fragment_c c;
    for (int v = 0; v < detail::C_ITEMS; v++)
        c.x[v] = x;
    return c;
}

/* Tile of A, M x K, at ptr; stride: leading dimension in elements (AMDGPU.jl: load_a). */
template <typename T, typename L>
__device__ inline fragment_a<T>
load_a(const T *ptr, int stride, L layout)
{
    fragment_a<T> a;
    a.x = detail::load_items(ptr, stride, detail::is_row_major(layout));
    return a;
}

/* Tile of B, K x N, at ptr; stride: leading dimension in elements (AMDGPU.jl: load_b). */
template <typename T, typename L>
__device__ inline fragment_b<T>
load_b(const T *ptr, int stride, L layout)
{
    fragment_b<T> b;
    b.x = detail::load_items(ptr, stride, !detail::is_row_major(layout));
    return b;
}

/* Tile of C, M x N, at ptr; T: float or one of the 16-bit types, widened to f32 (AMDGPU.jl:
 * load_c). */
template <typename T, typename L>
__device__ inline fragment_c
load_c(const T *ptr, int stride, L layout)
{
    const typename detail::format<T>::elem *p = (const typename detail::format<T>::elem *)ptr;
    int l = detail::lane();
    bool by_row = detail::is_row_major(layout);
    fragment_c c;

    for (int v = 0; v < detail::C_ITEMS; v++) {
        int row = detail::row_of(l, v), col = detail::col_of(l, v);
        c.x[v] = detail::format<T>::widen(by_row ? p[row * stride + col] : p[col * stride + row]);
    }
    return c;
}

/* Stores a tile of D, M x N, at ptr; 16-bit types are rounded to nearest (AMDGPU.jl: store_d). */
template <typename T, typename L>
__device__ inline void
store_d(T *ptr, const fragment_c &d, int stride, L layout)
{
    typename detail::format<T>::elem *p = (typename detail::format<T>::elem *)ptr;
    int l = detail::lane();
    bool by_row = detail::is_row_major(layout);

    for (int v = 0; v < detail::C_ITEMS; v++) {
        int row = detail::row_of(l, v), col = detail::col_of(l, v);
        typename detail::format<T>::elem x = detail::format<T>::narrow(d.x[v]);
        if (by_row)
            p[row * stride + col] = x;
        else
            p[col * stride + row] = x;
    }
}

namespace detail {

__device__ inline c_vec
multiply(f16_vec a, f16_vec b, c_vec c)
{
#if !defined(__HIP_DEVICE_COMPILE__)
    (void)a, (void)b;
    return c;
#elif defined(LS_WMMA_MFMA)
    return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
#elif defined(__LS_NVIDIA__)
    return __ls_nv_mma_f16(a, b, c);
#elif __AMDGCN_WAVEFRONT_SIZE__ == 64
    return __builtin_amdgcn_wmma_f32_16x16x16_f16_w64(a, b, c);
#else
    return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
#endif
}

__device__ inline c_vec
multiply(bf16_vec a, bf16_vec b, c_vec c)
{
#if !defined(__HIP_DEVICE_COMPILE__)
    (void)a, (void)b;
    return c;
#elif defined(LS_WMMA_MFMA)
    return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0);
#elif defined(__LS_NVIDIA__)
    return __ls_nv_mma_bf16(a, b, c);
#elif __AMDGCN_WAVEFRONT_SIZE__ == 64
    return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w64(a, b, c);
#else
    return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c);
#endif
}

} // namespace detail

/* A * B + C (AMDGPU.jl: mma). */
template <typename T>
__device__ inline fragment_c
mma(const fragment_a<T> &a, const fragment_b<T> &b, const fragment_c &c)
{
    fragment_c d;
    d.x = detail::multiply(a.x, b.x, c.x);
    return d;
}

} // namespace wmma
} // namespace lockstep

#endif
