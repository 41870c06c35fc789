/* SPDX-License-Identifier: MIT */
/* float2/3/4 and their kin: loads, stores, components, operators. */
#include "../check.h"

template <typename V>
__global__ void
shift(V *out, const V *in, int n)
{
    int i = (int)global_id();

    if (i < n)
        out[i] = in[(i + 1) % n];
}

template <typename V>
static void
run(const char *name)
{
    const int n = 300;
    std::vector<V> in(n), want(n);
    unsigned char *bytes = (unsigned char *)in.data();

    for (size_t k = 0; k < n * sizeof(V); k++)
        bytes[k] = (unsigned char)(mix((uint32_t)k) & 0x3f);
    for (int i = 0; i < n; i++)
        want[i] = in[(i + 1) % n];
    Dev<V> din(in);
    for (dim3 b : {dim3(37), dim3(256)}) {
        Dev<V> out(n);
        shift<V><<<dim3(blocks_for(n, b)), b>>>(out, din, n);
        check_same(name, (const unsigned char *)out.get().data(),
                   (const unsigned char *)want.data(), n * sizeof(V));
    }
}

MAP(Float4, float)
{
    float4 a = make_float4((float)(i & 15), 2.0f, (float)(in[i] & 7), -1.0f),
           b = make_float4(1, 2, 3, 4);
    float4 c = a + b * 2.0f;
    c.x -= a.w;
    c += a;
    return c.x + 10 * c.y + 100 * c.z + 1000 * c.w;
}

MAP(Int3, int)
{
    int3 a = make_int3(i, in[i], n), b = make_int3(1, 2, 3);
    if (i & 1)
        a.y = a.z;
    a = a - b;
    return a.x ^ a.y ^ a.z;
}

MAP(Uchar4, int)
{
    uchar4 c = ((const uchar4 *)in)[i];
    return c.x + 3 * c.y + 5 * c.z + 7 * c.w;
}

MAP(Double2, double)
{
    double2 d = make_double2(i * 0.5, in[i] & 31);
    d *= 2.0;
    return d.x + d.y;
}

MAP(Int4Select, int)
{
    int4 a = make_int4(1, i, 3, 4), b = make_int4(in[i], 6, 7, 8);
    int4 c = (i % 3) ? a : b;
    return c.x + c.y * 2 + c.z * 3 + c.w * 4;
}

int
main()
{
    run<char2>("char2");
    run<char3>("char3");
    run<uchar4>("uchar4");
    run<short2>("short2");
    run<ushort3>("ushort3");
    run<short4>("short4");
    run<int2>("int2");
    run<int3>("int3");
    run<uint4>("uint4");
    run<longlong2>("longlong2");
    run<float2>("float2");
    run<float3>("float3");
    run<float4>("float4");
    run<double2>("double2");
    run<double3>("double3");
    run<double4>("double4");
    RUN_MAP(Float4);
    RUN_MAP(Int3);
    RUN_MAP(Uchar4);
    RUN_MAP(Double2);
    RUN_MAP(Int4Select);
    return 0;
}
