/* SPDX-License-Identifier: MIT */
/* What depends on one bit of a loaded vector's elements: a switch over it is to LLVM one over
 * elements of <32 x i1> or <128 x i1>, which the vector is then loaded as. And vectors of bool. */
#include "../check.h"

typedef unsigned char b3 __attribute__((ext_vector_type(3)));
typedef bool bool8 __attribute__((ext_vector_type(8)));
typedef short s8 __attribute__((ext_vector_type(8)));

/* Forms that only the kernel's own passes make: the mask is known behind inlining. */
static __device__ __host__ __attribute__((noinline)) unsigned
masked(const unsigned *in, unsigned at, unsigned mask, unsigned r)
{
    b3 v;

    memcpy(&v, in + at, sizeof(v));
    switch ((unsigned long long)((v.x + v.y * 7u + v.z * 49u) & mask) % 4u * 0x100000003ull) {
    case 0: r += in[at % 31];
    case 0x100000003ull: return r * 3 + in[r % 63];
    default: return 7;
    }
}

template <class V>
static __device__ __host__ unsigned
of_four(const V *in, unsigned at, unsigned r)
{
    V v = in[at];

    switch ((v.x + v.y * 7u + v.w * 49u) & 1) {
    case 0: return r * 5 + at;
    default: return (r ^ at) + 2;
    }
}

struct Bits {
    const unsigned *in;
    unsigned char *is_less;

    __device__ __host__ unsigned
    operator()(unsigned i) const
    {
        unsigned r = masked(in, i, 1, i);

        if (i % 3) /* not all lanes */
            r = of_four((const uint4 *)in, i / 4, r);
        if (i % 5)
            r = of_four((const uchar4 *)in, i, r);
        s8 v = ((const s8 *)in)[i / 4];
        bool8 less = __builtin_convertvector(v < (short)(i * 9), bool8);
        memcpy(is_less + i, &less, 1);
        return r + less[i % 8] * 3 + less[2];
    }
};

__global__ void
run(Bits bits, unsigned *out)
{
    int i = global_id();

    out[i] = bits(i);
}

int
main()
{
    constexpr unsigned n = 4 * 96;
    std::vector<unsigned> in(n + 4), out(n);
    std::vector<unsigned char> is_less(n);

    for (unsigned i = 0; i < in.size(); i++)
        in[i] = i * 2654435761u ^ i * i * 40503u;
    Dev<unsigned> d_in(in), d_out(out);
    Dev<unsigned char> d_less(is_less);
    run<<<4, 96>>>(Bits{d_in, d_less}, d_out);
    CHECK_RUN();
    std::vector<unsigned> got = d_out.get();
    std::vector<unsigned char> got_less = d_less.get();
    Bits host = {in.data(), is_less.data()};
    for (unsigned i = 0; i < n; i++) {
        unsigned want = host(i);

        if (got[i] != want || got_less[i] != is_less[i])
            FAIL("thread %u: %#x %#x, expected %#x %#x", i, got[i], got_less[i], want, is_less[i]);
    }
    return 0;
}
