/* SPDX-License-Identifier: MIT */
/* __mul24 gives the low 32 bits of a product of 48: it may be 0 where no factor is, and of any
 * sign. */
#include "../check.h"

struct Products {
    const int *in;

    __device__ unsigned
    operator()(int i) const
    {
        int x = in[i], y = in[i + 1], square = __mul24(x, x), product = __mul24(x, y),
            ockl = __ockl_mul24_i32(x, x);
        unsigned r = (unsigned)product;

        if (square != 0) /* to clang the same as x << 8 != 0, if products never wrap */
            r = r * 3 + 1;
        if (square < 0)
            r = r * 3 + 2;
        return ockl == square ? r : 77;
    }
};

__global__ void
run(Products products, unsigned *out, int n)
{
    int i = global_id();

    if (i < n)
        out[i] = products(i);
}

static long long
low24(int x)
{
    return (x & 0xffffff) - (x & 0x800000 ? 0x1000000 : 0);
}

int
main()
{
    std::vector<int> in = {0x10000,    0x7fffff, -0x10000, 0x800000, 0x1000000, 0x10001,  3,
                           (int)0xff800000, 0x123456, 0x20000,  0xb505,   0xb504,    0x40000, 0};
    int n = (int)in.size() - 1;
    Dev<int> d_in(in);
    Dev<unsigned> out(in.size());

    run<<<1, 64>>>(Products{d_in}, out, n);
    std::vector<unsigned> got = out.get();
    for (int i = 0; i < n; i++) {
        long long x = low24(in[i]), y = low24(in[i + 1]);
        unsigned square = (unsigned)(x * x), want = (unsigned)(x * y);

        if (square)
            want = want * 3 + 1;
        if (square >> 31)
            want = want * 3 + 2;
        if (got[i] != want)
            FAIL("%#x: %#x, expected %#x", in[i], got[i], want);
    }
    return 0;
}
