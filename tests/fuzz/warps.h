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
typedef float f32;
typedef double f64;
typedef u32 v2u __attribute__((ext_vector_type(2)));
typedef u32 v4u __attribute__((ext_vector_type(4)));
typedef i16 v4s __attribute__((ext_vector_type(4)));
typedef u8 v3b __attribute__((ext_vector_type(3)));
typedef f32 v4f __attribute__((ext_vector_type(4)));
typedef f16 v2h __attribute__((ext_vector_type(2)));

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
enum { IN_WORDS = 1024, SHARED_WORDS = 256, MAX_THREADS = 256 };

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

/* Numbers to integers: in range only; CLAMPED: as AMD's instructions have it outside. */
template <typename T, typename F> DEVICE T to_int(F x)
{
#ifdef CLAMPED
    return (T)(i32)x;
#else
    return x > (F)-30000 && x < (F)30000 ? (T)(i32)x : (T)0;
#endif
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
DEVICE u32 bits(f32 x) { return x != x ? 0x7fc00000u : __builtin_bit_cast(u32, x); }
DEVICE u32 bits(f64 x) { return x != x ? 0x7ff80000u : bits(__builtin_bit_cast(u64, x)); }
DEVICE u32 bits(v2u v) { return v.x + v.y * 7u; }
DEVICE u32 bits(v4u v) { return v.x + v.y * 7u + v.z * 49u + v.w * 343u; }
DEVICE u32 bits(v4s v) { return bits(v.x) + bits(v.y) * 7u + bits(v.z) * 49u + bits(v.w) * 343u; }
DEVICE u32 bits(v3b v) { return v.x + v.y * 7u + v.z * 49u; }
DEVICE u32 bits(v4f v) { return bits(v.x) + bits(v.y) * 7u + bits(v.z) * 49u + bits(v.w) * 343u; }
DEVICE u32 bits(v2h v) { return bits(v.x) + bits(v.y) * 7u; }

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
    return s.a + s.b[0] * 3u + s.b[1] * 5u + s.b[2] * 7u + bits(s.c) * 11u + bits(s.d) * 13u + bits(s.e[0]) * 17u +
           bits(s.e[1]) * 19u;
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
template <int PATTERN> DEVICE u32 swizzle(u32 x) { return (u32)__builtin_amdgcn_ds_swizzle((int)x, PATTERN); }

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

/* One addition for all lanes that are here: each gets a place of its own. The counter is the warp's own. */
DEVICE u32 take_places(u32 *counter)
{
    u64 here = active();
    u32 base = 0;

    if (leader())
        base = atomicAdd(counter, (u32)__popcll(here));
    base = (u32)__builtin_amdgcn_readfirstlane((int)base);
    return base + rank(here);
}

#endif
