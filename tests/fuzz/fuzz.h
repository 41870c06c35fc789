/* SPDX-License-Identifier: MIT */
/* What random programs are made of: the steps of a block, once for the device and once for the
 * host.
 *
 * A generated program is a template over the block it runs on. OnDevice is one thread's view of a
 * real block; OnHost runs each step for all threads of the block in turn and is the oracle. All
 * arithmetic is unsigned and every step is defined for every value: lanes that are not there are
 * never asked. */
#ifndef LS_TESTS_FUZZ_FUZZ_H
#define LS_TESTS_FUZZ_FUZZ_H

#include <type_traits>
#include <vector>
#include "check.h"

enum { N_VARS = 6, N_ARRAY = 8, LDS_WORDS = 3 /* a thread */ };

struct Item { /* a thread's state */
    unsigned v[N_VARS], a[N_ARRAY];
};

struct Input {
    const int *in;
    int n;
    unsigned block, size;
};

enum Shuffle { SHUFFLE_XOR, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_INDEX };
enum Reduction { REDUCE_ADD, REDUCE_XOR, REDUCE_OR, REDUCE_MAX, REDUCE_MIN };

/* Elements whose size is no power of two, that no alignment helps, or that hold several: made of a
 * value, and back. */
struct Mixed { /* without padding: it would not be the same on both sides */
    unsigned short a, b;
    unsigned char c, d;
};
struct Bytes5 {
    unsigned char b[5];
};
struct __attribute__((packed)) Packed {
    unsigned char a;
    unsigned b;
};

template <typename T>
__host__ __device__ inline T
element(unsigned x)
{
    if constexpr (std::is_integral_v<T>)
        return (T)(x * 0x9e3779b1u >> 3);
    else if constexpr (std::is_same_v<T, Mixed>)
        return {(unsigned short)x, 9, (unsigned char)(x >> 16), (unsigned char)(x >> 24)};
    else if constexpr (std::is_same_v<T, Bytes5>)
        return {{(unsigned char)x, 7, (unsigned char)(x >> 8), (unsigned char)(x >> 16),
                 (unsigned char)(x >> 24)}};
    else if constexpr (std::is_same_v<T, Packed>)
        return {(unsigned char)(x * 5u), x};
    else
        return T((decltype(T::x))x, (decltype(T::x))(x >> 8), (decltype(T::x))(x >> 16));
}

template <typename T>
__host__ __device__ inline unsigned
value(T e)
{
    if constexpr (std::is_integral_v<T>)
        return (unsigned)e;
    else if constexpr (std::is_same_v<T, Mixed>)
        return e.a + e.b * 3u + e.c * 5u + e.d * 7u;
    else if constexpr (std::is_same_v<T, Bytes5>)
        return e.b[0] + e.b[1] * 3u + e.b[2] * 5u + e.b[3] * 7u + e.b[4] * 9u;
    else if constexpr (std::is_same_v<T, Packed>)
        return e.a ^ e.b;
    else
        return (unsigned)e.x + (unsigned)e.y * 3u + (unsigned)e.z * 5u;
}

/* The input, read as elements of T. */
template <typename T>
__host__ __device__ inline unsigned
load(const int *in, int n, unsigned i)
{
    return value(((const T *)in)[i % (unsigned)((size_t)n * sizeof(int) / sizeof(T))]);
}

/* A condition of one thread. */
struct Test {
    unsigned i, k, c;
    __host__ __device__ bool operator()(const Item &s, unsigned t) const
    {
        return (s.v[i] + t * k) % c != 0;
    }
};

__host__ __device__ inline Item
first_state(const Input &p, unsigned t)
{
    Item s;
    unsigned x = p.block * p.size + t;

    for (unsigned k = 0; k < N_VARS; k++)
        s.v[k] = k & 1 ? x + k : (unsigned)p.in[(x * (k + 1)) % (unsigned)p.n];
    for (unsigned k = 0; k < N_ARRAY; k++)
        s.a[k] = k * 7 + x;
    return s;
}

__host__ __device__ inline unsigned
last_value(const Item &s)
{
    unsigned h = 0;

    for (unsigned k = 0; k < N_VARS; k++)
        h = h * 31u + s.v[k];
    for (unsigned k = 0; k < N_ARRAY; k++)
        h = h * 31u + s.a[k];
    return h;
}

/* The lane that a shuffle reads: HIP's rules for groups of w lanes. */
__host__ __device__ inline unsigned
source_lane(Shuffle kind, unsigned lane, unsigned m, unsigned w)
{
    unsigned first = lane & ~(w - 1), from;

    switch (kind) {
    case SHUFFLE_XOR:
        from = lane ^ m;
        return from >= first + w ? lane : from;
    case SHUFFLE_UP:
        return lane - first < m ? lane : lane - m;
    case SHUFFLE_DOWN:
        return lane - first + m >= w ? lane : lane + m;
    default:
        return first + (m & (w - 1));
    }
}

struct OnDevice {
    const Input &p;
    unsigned *lds;
    unsigned t;
    Item s;

    __device__ OnDevice(const Input &input, unsigned *shared) : p(input), lds(shared), t(local_id())
    {
        s = first_state(p, t);
        for (unsigned k = 0; k < LDS_WORDS; k++)
            lds[t + k * p.size] = t;
        __syncthreads();
    }
    template <typename F>
    __device__ void each(F f, unsigned u)
    {
        f(s, t, u, p);
    }
    __device__ void exchange(unsigned i, unsigned j, unsigned mul, unsigned add)
    {
        lds[t] = s.v[j];
        __syncthreads();
        s.v[i] ^= lds[(t * mul + add) % p.size];
        __syncthreads();
    }
    template <typename T>
    __device__ void pass(unsigned i, unsigned j, unsigned mul, unsigned add)
    {
        T *of = (T *)lds;

        of[t] = element<T>(s.v[j]);
        __syncthreads();
        s.v[i] ^= value(of[(t * mul + add) % p.size]);
        __syncthreads();
    }
    __device__ void histogram(Reduction kind, unsigned i, unsigned j, unsigned k)
    {
        unsigned *slot = &lds[s.v[i] % p.size], value = s.v[j];

        lds[t] = t * 5;
        __syncthreads();
        switch (kind) {
        case REDUCE_ADD:
            atomicAdd(slot, value);
            break;
        case REDUCE_XOR:
            atomicXor(slot, value);
            break;
        case REDUCE_OR:
            atomicOr(slot, value);
            break;
        case REDUCE_MAX:
            atomicMax(slot, value);
            break;
        default:
            atomicMin(slot, value);
            break;
        }
        __syncthreads();
        s.v[k] ^= lds[t];
        __syncthreads();
    }
    __device__ void count(unsigned i, Test test)
    {
        s.v[i] += (unsigned)__syncthreads_count(test(s, t));
        s.v[i] ^= __syncthreads_and(test(s, t + 1)) ? 3u : 0u;
        s.v[i] += __syncthreads_or(test(s, t + 2)) ? 11u : 0u;
    }
    template <typename T>
    __device__ void shuffle_as(Shuffle kind, unsigned i, T value, unsigned m, unsigned w)
    {
        unsigned from = source_lane(kind, t % warpSize, m, w);
        unsigned long long there = __ballot(1);
        T got = kind == SHUFFLE_XOR    ? __shfl_xor(value, (int)m, (int)w)
                : kind == SHUFFLE_UP   ? __shfl_up(value, m, (int)w)
                : kind == SHUFFLE_DOWN ? __shfl_down(value, m, (int)w)
                                       : __shfl(value, (int)m, (int)w);

        if (there >> from & 1)
            s.v[i] += (unsigned)got ^ (unsigned)((unsigned long long)got >> 32);
    }
    __device__ void shuffle(Shuffle kind, bool wide, unsigned i, unsigned j, unsigned m, unsigned w,
                            Test test)
    {
        unsigned lane = kind == SHUFFLE_INDEX ? s.v[m % N_VARS] : m;

        if (!test(s, t))
            return;
        if (wide)
            shuffle_as<unsigned long long>(kind, i, (unsigned long long)s.v[j] << 32 | s.v[i], lane,
                                           w);
        else
            shuffle_as<unsigned>(kind, i, s.v[j], lane, w);
    }
    __device__ void ballot(unsigned i, Test outer, Test inner)
    {
        if (outer(s, t)) {
            unsigned long long b = __ballot(inner(s, t));

            s.v[i] ^= (unsigned)b + (unsigned)(b >> 32) + (unsigned)__popcll(__activemask());
        } else {
            s.v[i] += __any(inner(s, t)) ? 5u : 7u;
        }
    }
    template <typename F>
    __device__ void while_any(F f, Test test, unsigned u)
    {
        for (unsigned k = 0; k < 4 && __any(test(s, t + k)); k++)
            if (test(s, t + k + 1))
                f(s, t, u + k, p);
    }
    /* Whether this thread is done. */
    __device__ bool leave(Test test)
    {
        return !test(s, t);
    }
};

struct OnHost {
    const Input &p;
    std::vector<Item> items;
    std::vector<unsigned> lds;
    std::vector<char> here;
    unsigned warp;

    OnHost(const Input &input, unsigned warp_size)
        : p(input), items(p.size), lds(p.size * LDS_WORDS), here(p.size, 1), warp(warp_size)
    {
        for (unsigned t = 0; t < p.size; t++) {
            items[t] = first_state(p, t);
            for (unsigned k = 0; k < LDS_WORDS; k++)
                lds[t + k * p.size] = t;
        }
    }
    template <typename F>
    void for_all(F f)
    {
        for (unsigned t = 0; t < p.size; t++)
            if (here[t])
                f(items[t], t);
    }
    template <typename F>
    void each(F f, unsigned u)
    {
        for_all([&](Item &s, unsigned t) { f(s, t, u, p); });
    }
    void exchange(unsigned i, unsigned j, unsigned mul, unsigned add)
    {
        for_all([&](Item &s, unsigned t) { lds[t] = s.v[j]; });
        for_all([&](Item &s, unsigned t) { s.v[i] ^= lds[(t * mul + add) % p.size]; });
    }
    template <typename T>
    void pass(unsigned i, unsigned j, unsigned mul, unsigned add)
    {
        T *of = (T *)lds.data();

        for_all([&](Item &s, unsigned t) { of[t] = element<T>(s.v[j]); });
        for_all([&](Item &s, unsigned t) { s.v[i] ^= value(of[(t * mul + add) % p.size]); });
    }
    void histogram(Reduction kind, unsigned i, unsigned j, unsigned k)
    {
        for_all([&](Item &, unsigned t) { lds[t] = t * 5; });
        for_all([&](Item &s, unsigned) {
            unsigned &slot = lds[s.v[i] % p.size], value = s.v[j];

            slot = kind == REDUCE_ADD   ? slot + value
                   : kind == REDUCE_XOR ? slot ^ value
                   : kind == REDUCE_OR  ? slot | value
                   : kind == REDUCE_MAX ? (slot > value ? slot : value)
                                        : (slot < value ? slot : value);
        });
        for_all([&](Item &s, unsigned t) { s.v[k] ^= lds[t]; });
    }
    void count(unsigned i, Test test)
    {
        unsigned n = 0;
        bool all = true, any = false;

        for_all([&](Item &s, unsigned t) { n += test(s, t); });
        for_all([&](Item &s, unsigned) { s.v[i] += n; });
        for_all([&](Item &s, unsigned t) { all = all && test(s, t + 1); });
        for_all([&](Item &s, unsigned) { s.v[i] ^= all ? 3u : 0u; });
        for_all([&](Item &s, unsigned t) { any = any || test(s, t + 2); });
        for_all([&](Item &s, unsigned) { s.v[i] += any ? 11u : 0u; });
    }
    void shuffle(Shuffle kind, bool wide, unsigned i, unsigned j, unsigned m, unsigned w, Test test)
    {
        std::vector<Item> old = items;

        for_all([&](Item &s, unsigned t) {
            unsigned lane = kind == SHUFFLE_INDEX ? old[t].v[m % N_VARS] : m;
            unsigned from = t - t % warp + source_lane(kind, t % warp, lane, w);

            if (!test(old[t], t) || from >= p.size || !here[from] || !test(old[from], from))
                return;
            s.v[i] += wide ? old[from].v[i] ^ old[from].v[j] : old[from].v[j];
        });
    }
    template <typename F>
    bool any_in_warp(unsigned t, F test)
    {
        for (unsigned l = t - t % warp; l < p.size && l < t - t % warp + warp; l++)
            if (here[l] && test(items[l], l))
                return true;
        return false;
    }
    void ballot(unsigned i, Test outer, Test inner)
    {
        std::vector<unsigned> change(p.size);

        for_all([&](Item &s, unsigned t) {
            unsigned long long b = 0, active = 0;

            for (unsigned l = 0; l < warp; l++) {
                unsigned o = t - t % warp + l;
                if (o >= p.size || !here[o] || outer(items[o], o) != outer(s, t))
                    continue;
                active |= 1ull << l;
                if (inner(items[o], o))
                    b |= 1ull << l;
            }
            change[t] = outer(s, t) ? (unsigned)b + (unsigned)(b >> 32) +
                                          (unsigned)__builtin_popcountll(active)
                        : b ? 5u
                            : 7u;
        });
        std::vector<Item> old = items;
        for_all([&](Item &s, unsigned t) {
            s.v[i] = outer(old[t], t) ? s.v[i] ^ change[t] : s.v[i] + change[t];
        });
    }
    template <typename F>
    void while_any(F f, Test test, unsigned u)
    {
        for (unsigned first = 0; first < p.size; first += warp)
            for (unsigned k = 0; k < 4; k++) {
                if (!any_in_warp(first, [&](const Item &s, unsigned t) { return test(s, t + k); }))
                    break;
                for (unsigned t = first; t < p.size && t < first + warp; t++)
                    if (here[t] && test(items[t], t + k + 1))
                        f(items[t], t, u + k, p);
            }
    }
    /* Threads leave one by one; the block goes on. */
    bool leave(Test test)
    {
        for_all([&](Item &s, unsigned t) { here[t] = test(s, t); });
        return false;
    }
};

template <typename P>
__global__ void
on_device(unsigned *out, const int *in, int n, unsigned size, unsigned arg)
{
    __shared__ unsigned lds[1024 * LDS_WORDS];
    Input p = {in, n, blockIdx.x, size};
    OnDevice block(p, lds);

    P()(block, arg + p.block);
    out[global_id()] = last_value(block.s);
}

/* Runs program P in blocks of one of the corpus's shapes. Whether the device computed what the host
 * did. */
template <typename P>
bool
same(unsigned seed)
{
    const unsigned n_blocks = 3;
    dim3 shape = test_shapes(7)[seed / 2 % 7];
    unsigned size = threads_of(shape), n = size * n_blocks, arg = 5 + seed % 3;
    std::vector<int> in = map_input(n);
    Dev<int> din(in);
    Dev<unsigned> out(n);

    on_device<P><<<n_blocks, shape>>>(out.p, din.p, (int)n, size, arg);
    std::vector<unsigned> got = out.get();
    for (unsigned b = 0; b < n_blocks; b++) {
        Input p = {in.data(), (int)n, b, size};
        OnHost block(p, (unsigned)host_warp_size());

        P()(block, arg + b);
        for (unsigned t = 0; t < size; t++)
            if (got[b * size + t] != last_value(block.items[t])) {
                printf("seed %u: shape (%u,%u,%u), block %u, thread %u: got %#x, expected %#x\n",
                       seed, shape.x, shape.y, shape.z, b, t, got[b * size + t],
                       last_value(block.items[t]));
                return false;
            }
    }
    return true;
}

#endif
