/* SPDX-License-Identifier: MIT */
/* An infinite half is the largest integer: what LLVM, to which that is undefined, must not conclude
 * from the largest half's being 65504. */
#include "../check.h"

typedef unsigned u8v __attribute__((ext_vector_type(8)));
typedef unsigned u4 __attribute__((ext_vector_type(4)));
typedef _Float16 h4 __attribute__((ext_vector_type(4)));

struct Row {
    unsigned saturated[4], twice, four[4];
    int lowest;
    unsigned long long wide;
    long long signed_wide;
};

__global__ void
convert(const _Float16 *in, Row *out)
{
    unsigned i = threadIdx.x, n = i + 5;
    _Float16 x = in[i], y = in[i ^ 1];
    Row *r = out + i;
    /* Eight: the scalarizer takes them apart when clang is done, which would conclude the same of
     * scalars. */
    u8v a = {(unsigned)x, n, (unsigned)y, n, n, n, n, n},
        b = {n, (unsigned)x, n, (unsigned)y, n, n, n, n};
    u8v sum = __builtin_elementwise_add_sat(a, b);
    u4 whole = __builtin_convertvector((h4{x, y, x, y}), u4);

    for (int k = 0; k < 4; k++) {
        r->saturated[k] = sum[k];
        r->four[k] = whole[k] >> 31;
    }
    r->twice = (unsigned)x * 2;
    r->lowest = (int)x;
    r->wide = (unsigned long long)x;
    r->signed_wide = (long long)x;
}

int
main()
{
    const float values[] = {INFINITY, -INFINITY, NAN, 65504, -65504, 1.5f, 0, INFINITY};
    const unsigned n = 64;
    std::vector<_Float16> in(n);
    Dev<Row> out(n);

    for (unsigned i = 0; i < n; i++)
        in[i] = (_Float16)values[(i * 5 + i / 8) % 8];
    Dev<_Float16> d_in(in);
    convert<<<1, n>>>(d_in, out);
    std::vector<Row> got = out.get();
    bool ok = true;
    for (unsigned i = 0; i < n; i++) {
        auto u32 = [](float x) { return x > 1e9f ? UINT32_MAX : x > 0 ? (unsigned)x : 0u; };
        auto i32 = [](float x) {
            return x != x ? 0 : x > 1e9f ? INT32_MAX : x < -1e9f ? INT32_MIN : (int)x;
        };
        float x = (float)in[i], y = (float)in[i ^ 1];
        unsigned ux = u32(x), uy = u32(y), m = i + 5;
        unsigned sx = ux + m < ux ? UINT32_MAX : ux + m, sy = uy + m < uy ? UINT32_MAX : uy + m;
        const Row &r = got[i];

        ok = ok && r.saturated[0] == sx && r.saturated[1] == sx && r.saturated[2] == sy &&
             r.saturated[3] == sy;
        ok = ok && r.four[0] == ux >> 31 && r.four[1] == uy >> 31 && r.four[2] == ux >> 31 &&
             r.four[3] == uy >> 31;
        ok = ok && r.lowest == i32(x) && r.twice == ux * 2;
        ok = ok && r.wide == ux && r.signed_wide == i32(x);
        if (!ok)
            FAIL("thread %u of %g and %g", i, x, y);
    }
    return 0;
}
