/* SPDX-License-Identifier: MIT */
/* What the programs of tests/fuzz/warps.c stand on: arithmetic of all types that is defined for all
 * values, loads of any type, and one word out of any value. */
#ifndef FUZZ_WARPS_H
#define FUZZ_WARPS_H

#include <hip/hip_runtime.h>

#define DEVICE static __device__ __forceinline__

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef __int128 i128;
typedef unsigned __int128 u128;
typedef _Float16 f16;
typedef __bf16 b16;
typedef float f32;
typedef double f64;
typedef u32 v2u __attribute__((ext_vector_type(2)));
typedef u32 v4u __attribute__((ext_vector_type(4)));
typedef i16 v4s __attribute__((ext_vector_type(4)));
typedef u8 v3b __attribute__((ext_vector_type(3)));
typedef f32 v4f __attribute__((ext_vector_type(4)));
typedef f16 v2h __attribute__((ext_vector_type(2)));
typedef i16 v8s __attribute__((ext_vector_type(8)));
typedef u8 v16b __attribute__((ext_vector_type(16)));
typedef f32 v3f __attribute__((ext_vector_type(3)));
typedef f64 v2d __attribute__((ext_vector_type(2)));
typedef u16 v2w __attribute__((ext_vector_type(2)));

/* With LOGGED each thread tells in its words what it did: ls-compare --words 2048. */
#ifdef LOGGED
enum { OUT_WORDS = 2048 };
#define LOG(place, x) \
    do { \
        if (e.log[0] < 1000u) { \
            e.log[1 + 2 * e.log[0]] = (place); \
            e.log[2 + 2 * e.log[0]++] = (x); \
        } \
    } while (0)
#define START_LOG (e.log = out + e.g * OUT_WORDS + 16)
#else
enum { OUT_WORDS = 16 };
#define LOG(place, x)
#define START_LOG
#endif
enum { IN_WORDS = 1024, SHARED_WORDS = 2048, MAX_THREADS = 256 };

/* The unsigned type in which arithmetic of T does not overflow. */
template <typename T> struct wide {
    typedef u32 type;
};
template <> struct wide<i64> {
    typedef u64 type;
};
template <> struct wide<u64> {
    typedef u64 type;
};
template <> struct wide<i128> {
    typedef u128 type;
};
template <> struct wide<u128> {
    typedef u128 type;
};
#define W(x) ((typename wide<T>::type)(x))

template <typename T> DEVICE T add(T a, T b) { return (T)(W(a) + W(b)); }
template <typename T> DEVICE T sub(T a, T b) { return (T)(W(a) - W(b)); }
template <typename T> DEVICE T mul(T a, T b) { return (T)(W(a) * W(b)); }
template <typename T> DEVICE T shl(T a, u32 n) { return (T)(W(a) << (n & (8 * sizeof(T) - 1))); }
template <typename T> DEVICE T shr(T a, u32 n) { return (T)(a >> (n & (8 * sizeof(T) - 1))); }
template <typename T> DEVICE bool no_quotient(T a, T b)
{
    const T lowest = (T)(W(1) << (8 * sizeof(T) - 1));
    return b == 0 || ((T)-1 < (T)0 && b == (T)-1 && a == lowest);
}
template <typename T> DEVICE T quo(T a, T b) { return no_quotient(a, b) ? a : (T)(a / b); }
template <typename T> DEVICE T rem(T a, T b) { return no_quotient(a, b) ? b : (T)(a % b); }
#define NUMBER(T) \
    template <> __device__ __forceinline__ T add<T>(T a, T b) { return a + b; } \
    template <> __device__ __forceinline__ T sub<T>(T a, T b) { return a - b; } \
    template <> __device__ __forceinline__ T mul<T>(T a, T b) { return a * b; } \
    template <> __device__ __forceinline__ T quo<T>(T a, T b) { return a / b; }
NUMBER(f16)
NUMBER(f32)
NUMBER(f64)
NUMBER(b16)

/* A value of which the compiler knows nothing: what does not fit into an integer is poison to it,
 * not to AMD's instructions, which clamp. `zero` comes from memory. */
template <typename F> DEVICE F hidden(F x, u32 zero)
{
    if constexpr (sizeof(F) == 2)
        return __builtin_bit_cast(F, (u16)(__builtin_bit_cast(u16, x) ^ zero));
    else if constexpr (sizeof(F) == 4)
        return __builtin_bit_cast(F, __builtin_bit_cast(u32, x) ^ zero);
    else
        return __builtin_bit_cast(F, __builtin_bit_cast(u64, x) ^ zero);
}

/* In range. */
template <typename T, typename F> DEVICE T in_range(F x)
{
    return x > (F)-30000 && x < (F)30000 ? (T)(i32)x : (T)0;
}
/* Numbers to integers, as AMD's instructions have them. Of 128 bits there is none, and of 64 a
 * sequence of clang's, which clamps halves of the result: CLAMP_64 leaves that out, for hardware
 * that clamps the whole. */
template <typename T, typename F> DEVICE T to_int(F x, u32 zero)
{
    if constexpr (sizeof(T) == 16)
        return (T)(i32)hidden(x, zero);
#ifdef CLAMP_64
    else if constexpr (sizeof(T) == 8)
        return in_range<T>(x);
#endif
    else
        return (T)hidden(x, zero);
}

/* One word out of any value; all NaNs are one. */
DEVICE u32 bits(i8 x) { return (u32)x; }
DEVICE u32 bits(u8 x) { return x; }
DEVICE u32 bits(i16 x) { return (u32)x; }
DEVICE u32 bits(u16 x) { return x; }
DEVICE u32 bits(i32 x) { return (u32)x; }
DEVICE u32 bits(u32 x) { return x; }
DEVICE u32 bits(bool x) { return x; }
DEVICE u32 bits(u64 x) { return (u32)x ^ (u32)(x >> 32) * 3u; }
DEVICE u32 bits(i64 x) { return bits((u64)x); }
DEVICE u32 bits(u128 x) { return bits((u64)x) + bits((u64)(x >> 64)) * 5u; }
DEVICE u32 bits(i128 x) { return bits((u128)x); }
DEVICE u32 bits(f16 x) { return x != x ? 0x7e00u : (u32)__builtin_bit_cast(u16, x); }
DEVICE u32 bits(b16 x) { return x != x ? 0x7fc0u : (u32)__builtin_bit_cast(u16, x); }
DEVICE u32 bits(f32 x) { return x != x ? 0x7fc00000u : __builtin_bit_cast(u32, x); }
DEVICE u32 bits(f64 x) { return x != x ? 0x7ff80000u : bits(__builtin_bit_cast(u64, x)); }
DEVICE u32 bits(v2u v) { return v.x + v.y * 7u; }
DEVICE u32 bits(v4u v) { return v.x + v.y * 7u + v.z * 49u + v.w * 343u; }
DEVICE u32 bits(v4s v) { return bits(v.x) + bits(v.y) * 7u + bits(v.z) * 49u + bits(v.w) * 343u; }
DEVICE u32 bits(v3b v) { return v.x + v.y * 7u + v.z * 49u; }
DEVICE u32 bits(v4f v) { return bits(v.x) + bits(v.y) * 7u + bits(v.z) * 49u + bits(v.w) * 343u; }
DEVICE u32 bits(v2h v) { return bits(v.x) + bits(v.y) * 7u; }
template <typename V> DEVICE u32 sum_bits(V v, u32 n)
{
    u32 h = 0;
    for (u32 k = 0; k < n; k++)
        h = h * 7u + bits(v[k]);
    return h;
}
DEVICE u32 bits(v8s v) { return sum_bits(v, 8); }
DEVICE u32 bits(v16b v) { return sum_bits(v, 16); }
DEVICE u32 bits(v3f v) { return bits(v.x) + bits(v.y) * 7u + bits(v.z) * 49u; }
DEVICE u32 bits(v2d v) { return bits(v.x) + bits(v.y) * 7u; }
DEVICE u32 bits(v2w v) { return v.x + v.y * 7u; }

template <typename T> DEVICE T load(const u32 *in, u32 at)
{
    T value;
    __builtin_memcpy(&value, &in[at & (IN_WORDS - 4)], sizeof(T));
    return value;
}

template <typename T> DEVICE u32 arr_bits(const T (&arr)[8])
{
    u32 h = 0;
    for (u32 k = 0; k < 8; k++)
        h = h * 31u + bits(arr[k]);
    return h;
}

struct Fields {
    u32 a : 5;
    i32 b : 11;
    u32 c : 16;
    u64 d : 37;
    i64 e : 3;
    bool f : 1;
};
DEVICE u32 bits(const Fields &s)
{
    return s.a + (u32)s.b * 3u + s.c * 5u + bits((u64)s.d) * 7u + (u32)s.e * 11u + s.f;
}
struct Mixed {
    u8 a;
    u32 b[3];
    f16 c;
    u64 d;
    i16 e[2];
};
DEVICE u32 bits(const Mixed &s)
{
    return s.a + s.b[0] * 3u + s.b[1] * 5u + s.b[2] * 7u + bits(s.c) * 11u + bits(s.d) * 13u +
           bits(s.e[0]) * 17u + bits(s.e[1]) * 19u;
}

/* Where a thread is, and what memory it has. */
struct Env {
    const u32 *in;
    u32 *shared;  /* of the grid: commutative atomics */
    u32 *lds;     /* of the block: exchanged between barriers */
    u32 *own;     /* of the thread: 4 words in LDS */
    u32 *mine;    /* of the thread: words in global memory */
    u32 *counter; /* of the warp, in LDS: 32 words that only its leaders touch */
    u32 tid, g, n_threads;
    u32 *ltab;    /* of the block, in LDS: 8 words that stay as they are */
    u32 *acc;     /* of the block, in LDS: 16 words, for commutative atomics between barriers */
    u32 *dyn;     /* of the block: dynamic LDS, as many words as lds */
    u8 *byte;     /* of the thread, in global memory, between the neighbours' */
    u16 *half;    /* so */
    u32 zero;     /* nobody knows it */
#ifdef LOGGED
    u32 *log;
#endif
    u32 uniform;
};

DEVICE u32 lane() { return __lane_id(); }
DEVICE u64 active() { return __ballot(1); }
DEVICE bool leader() { return lane() == (u32)__ffsll((unsigned long long)active()) - 1u; }
DEVICE u32 rank(u64 mask)
{
    return __builtin_amdgcn_mbcnt_hi((u32)(mask >> 32), __builtin_amdgcn_mbcnt_lo((u32)mask, 0));
}
DEVICE u32 read_last(u32 x)
{
    int last = 63 - __clzll((long long)active());
    return (u32)__builtin_amdgcn_readlane((int)x, last);
}
template <int CTRL, int ROWS, int BANKS, bool ZERO> DEVICE u32 dpp(u32 old, u32 x)
{
    return (u32)__builtin_amdgcn_update_dpp((int)old, (int)x, CTRL, ROWS, BANKS, ZERO);
}
template <int PATTERN>
DEVICE u32
swizzle(u32 x)
{
    return (u32)__builtin_amdgcn_ds_swizzle((int)x, PATTERN);
}

/* Lanes with the same key: each finds the others. */
DEVICE u64 match(u32 key)
{
    u64 found = 0;
    bool done = false;

    while (!done) {
        u32 first = (u32)__builtin_amdgcn_readfirstlane((int)key);
        if (first == key) {
            found = active();
            done = true;
        }
    }
    return found;
}

/* One addition for all lanes that are here: each gets a place of its own. The counter is the warp's
 * own. */
DEVICE u32 take_places(u32 *counter)
{
    u64 here = active();
    u32 base = 0;

    if (leader())
        base = atomicAdd(counter, (u32)__popcll(here));
    base = (u32)__builtin_amdgcn_readfirstlane((int)base);
    return base + rank(here);
}

/* The same in one instruction of AMD's. */
DEVICE u32 append_places(u32 *counter)
{
    return (u32)__builtin_amdgcn_ds_append((__attribute__((address_space(3))) int *)counter) +
           rank(active());
}

/* Any value from another lane, word by word. */
template <typename T> DEVICE T shuffled(T x, u32 kind, u32 n, u32 width)
{
    u32 words[(sizeof(T) + 3) / 4] = {};

    __builtin_memcpy(words, &x, sizeof(T));
    for (u32 k = 0; k < (sizeof(T) + 3) / 4; k++)
        words[k] = kind == 0   ? __shfl(words[k], (int)n, (int)width)
                   : kind == 1 ? __shfl_up(words[k], n, (int)width)
                   : kind == 2 ? __shfl_down(words[k], n, (int)width)
                               : __shfl_xor(words[k], (int)n, (int)width);
    __builtin_memcpy(&x, words, sizeof(T));
    return x;
}

__device__ int ls_write_lane(int, int, int) __asm("llvm.amdgcn.writelane.i32");
DEVICE u32 write_lane(u32 value, u32 at, u32 x)
{
    value = (u32)__builtin_amdgcn_readfirstlane((int)value);
    at = (u32)__builtin_amdgcn_readfirstlane((int)at) % warpSize;
    return (u32)ls_write_lane((int)value, (int)at, (int)x);
}
/* Each lane sends to one of its own. */
DEVICE u32
sent(u32 x, u32 flip)
{
    return (u32)__builtin_amdgcn_ds_permute((int)((lane() ^ flip) * 4), (int)x);
}
DEVICE u32
fetched(u32 x, u32 from)
{
    return (u32)__builtin_amdgcn_ds_bpermute((int)(from * 4), (int)x);
}
template <bool ACROSS, bool ZERO> DEVICE u32 permuted(u32 old, u32 x, u32 low, u32 high)
{
#if defined(__GFX10__) || defined(__GFX11__)
    if (ACROSS)
        return (u32)__builtin_amdgcn_permlanex16(old, x, low, high, false, ZERO);
    return (u32)__builtin_amdgcn_permlane16(old, x, low, high, false, ZERO);
#else
    return fetched(x, (lane() & ~15u) ^ (ACROSS ? 16u : 0u) ^ (low & 15u)) + (ZERO ? old : high);
#endif
}

/* Sums over the warp, or what of it is here. */
DEVICE u32 sum_shuffles(u32 x)
{
    for (u32 step = warpSize / 2; step; step /= 2)
        x += __shfl_xor(x, (int)step);
    return x;
}
DEVICE u32 sum_dpp(u32 x)
{
    x += dpp<0x111, 15, 15, true>(0, x);
    x += dpp<0x112, 15, 15, false>(0, x);
    x += dpp<0x114, 15, 14, false>(0, x);
    x += dpp<0x118, 15, 12, true>(0, x);
    return x + swizzle<0x401f>(x);
}
DEVICE u32 sum_lanes(u32 x)
{
    u32 sum = 0;

    for (u64 left = active(); left; left &= left - 1)
        sum += (u32)__builtin_amdgcn_readlane((int)x, __ffsll((unsigned long long)left) - 1);
    return sum;
}
template <typename T> DEVICE T scan(T x)
{
    for (u32 step = 1; step < warpSize; step *= 2) {
        T other = shuffled(x, 1, step, warpSize);
        if (lane() >= step)
            x = add<T>(x, other);
    }
    return x;
}
/* One lane after the other. */
DEVICE u32 in_turn(u32 x)
{
    u32 r = 0, sum = 0;

    for (bool done = false; !done;) {
        u64 here = active();
        sum = sum * 3u + (u32)__builtin_amdgcn_readfirstlane((int)x);
        if (leader()) {
            r = sum + (u32)__popcll((unsigned long long)here);
            done = true;
        }
    }
    return r;
}

/* What lanes add to a place that others change at the same time. */
DEVICE void add_in_loop(u32 *at, u32 x)
{
    u32 old = *(volatile u32 *)at, seen;

    while ((seen = atomicCAS(at, old, old + x)) != old)
        old = seen;
}
template <typename T> DEVICE T clean(T x) { return x != x ? (T)0 : x; }

union Pun {
    u64 q[2];
    f64 d[2];
    u32 w[4];
    f32 f[4];
    u16 h[8];
    f16 g[8];
    i8 b[16];
    v4s v[2];
    u128 x;
};
struct Pair {
    u64 a;
    f32 b;
    i16 c;
    v2u d;
};
DEVICE u32
bits(const Pair &p)
{
    return bits(p.a) + bits(p.b) * 3u + bits(p.c) * 5u + bits(p.d) * 7u;
}

#endif
