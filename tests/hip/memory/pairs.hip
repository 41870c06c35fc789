/* SPDX-License-Identifier: MIT */
/* Vectors of four and of eight bytes at any address: each lane's moves as one number, and no lane
 * that is off touches memory. */
#include "../check.h"

typedef float loose_float2 __attribute__((ext_vector_type(2), aligned(4)));
typedef short loose_short4 __attribute__((ext_vector_type(4), aligned(2)));
typedef unsigned char uchar8 __attribute__((ext_vector_type(8)));
typedef unsigned char loose_uchar8 __attribute__((ext_vector_type(8), aligned(1)));
typedef _Float16 half2_t __attribute__((ext_vector_type(2)));
typedef _Float16 half4_t __attribute__((ext_vector_type(4)));

enum { N = 333, WILD = 0x40000000 };

/* Every third thread is off, and its places are nowhere. */
template <typename V>
__global__ void
move(V *out, const V *in, const int *from, const int *to, int n)
{
    int i = (int)global_id();

    if (i < n && i % 3 != 1) {
        V v = in[from[i]];
        auto x = v.x;
        v.x = v.y;
        v.y = x;
        out[to[i]] = v;
    }
}

template <typename V>
__global__ void
move_volatile(volatile V *out, const volatile V *in, const int *from, const int *to, int n)
{
    int i = (int)global_id();

    if (i < n && i % 3 != 1) {
        V v = in[from[i]];
        auto x = v.x;
        v.x = v.y;
        v.y = x;
        out[to[i]] = v;
    }
}

/* The same by way of shared memory, whose addresses have 32 bits. */
template <typename V>
__global__ void
move_shared(V *out, const V *in, const int *from, const int *to, int n)
{
    __shared__ V all[N];

    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x)
        all[i] = in[i];
    __syncthreads();
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x)
        if (i % 3 != 1) {
            V v = all[from[i]];
            auto x = v.x;
            v.x = v.y;
            v.y = x;
            out[to[i]] = v;
        }
}

/* V lies at `off` bytes from a multiple of eight. */
template <typename V, typename E, bool with_volatile = false>
static void
run(const char *name, size_t off)
{
    const size_t bytes = N * sizeof(V);
    std::vector<unsigned char> in(off + bytes), want(off + bytes, 0);
    std::vector<int> from(N), to(N);

    for (size_t k = 0; k < in.size(); k++)
        in[k] = (unsigned char)(mix((uint32_t)k) & 0x3f);
    for (int i = 0; i < N; i++) {
        from[i] = i % 3 == 1 ? WILD : (int)(mix((uint32_t)i) % N);
        to[i] = i % 3 == 1 ? -WILD : i * 2 % N;
    }
    for (int i = 0; i < N; i++) {
        E e[sizeof(V) / sizeof(E)], x;

        if (i % 3 == 1)
            continue;
        memcpy(e, &in[off + (size_t)from[i] * sizeof(V)], sizeof(V));
        x = e[0];
        e[0] = e[1];
        e[1] = x;
        memcpy(&want[off + (size_t)to[i] * sizeof(V)], e, sizeof(V));
    }
    Dev<unsigned char> din(in);
    Dev<int> dfrom(from), dto(to);
    for (int form = 0; form < (with_volatile ? 5 : 4); form++) {
        Dev<unsigned char> out(std::vector<unsigned char>(off + bytes, 0));
        const V *src = (const V *)(const void *)((unsigned char *)din + off);
        V *dst = (V *)(void *)((unsigned char *)out + off);
        dim3 b(form & 1 ? 37 : 128);

        if (form < 2)
            move<V><<<dim3(blocks_for(N, b)), b>>>(dst, src, dfrom, dto, N);
        else if (form < 4)
            move_shared<V><<<1, b>>>(dst, src, dfrom, dto, N);
        else if constexpr (with_volatile)
            move_volatile<V><<<dim3(blocks_for(N, b)), b>>>(dst, src, dfrom, dto, N);
        CHECK_RUN();
        check_same(name, out.get().data(), want.data(), off + bytes);
    }
}

int
main()
{
    run<float2, float>("float2", 0);
    run<int2, int>("int2", 8);
    run<loose_float2, float, true>("float2 of 4", 4);
    run<short2, short>("short2", 4);
    run<ushort4, unsigned short>("ushort4", 8);
    run<loose_short4, short, true>("short4 of 2", 2);
    run<char4, char>("char4", 4);
    run<uchar8, unsigned char, true>("uchar8", 0);
    run<loose_uchar8, unsigned char, true>("uchar8 of 1", 3);
    run<half2_t, _Float16, true>("half2", 4);
    run<half4_t, _Float16, true>("half4", 8);
    return 0;
}
