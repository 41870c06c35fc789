/* SPDX-License-Identifier: MIT */
// ENV: LOCKSTEP_INLINE=1
/* Functions that are not inlined: under masks, many results, structs by value, pointers, all
 * types. */
#include "../check.h"

#define NOINLINE __host__ __device__ __attribute__((noinline))

NOINLINE int
plain(int a, int b)
{
    return a * 3 - b;
}

NOINLINE float
floats(float a, double b, int c)
{
    return a * 2 + (float)b + (float)c;
}

NOINLINE int64_t
widths(signed char a, unsigned short b, int64_t c, bool d)
{
    return d ? a + b * c : c - a;
}

struct Small {
    int a;
    float b;
};

struct Large {
    int v[10];
    double d;
};

NOINLINE Small
make_small(int a, float b)
{
    Small s = {a + 1, b * 2};
    return s;
}

NOINLINE Large
make_large(int a, Small s)
{
    Large l;
    for (int k = 0; k < 10; k++)
        l.v[k] = a * k + s.a;
    l.d = s.b;
    return l;
}

NOINLINE int
take_large(Large l, int k)
{
    l.v[k] += 5;
    return l.v[k] + (int)l.d;
}

NOINLINE void
through(int *out, const int *in, float *f)
{
    *out = *in + 1;
    *f = *f * 0.5f;
}

NOINLINE float4
vector(float4 v, int s)
{
    return make_float4(v.y, v.z, v.w, v.x + (float)s);
}

NOINLINE int
uniform_arg(int lane, int uniform)
{
    int r = 0;
    for (int k = 0; k < uniform; k++)
        r += lane ^ k;
    return r;
}

NOINLINE int
divergent_inside(int a)
{
    if (a < 0)
        return -1;
    int r = 0;
    while (a > 3) {
        if (a & 1)
            a = a / 2 - 1;
        else
            a -= 3;
        if (++r == 9)
            return 100;
    }
    return r;
}

NOINLINE void
nothing(void)
{
}

MAP(Plain, int) { return plain(in[i], i); }

MAP(Masked, int)
{
    int r = 1;
    if (in[i] > 0)
        r = plain(i, 2);
    else if (in[i] < -10)
        r = plain(r, in[i]);
    for (int k = 0; k < (i & 3); k++)
        r = plain(r & 1023, k);
    nothing();
    return r;
}

MAP(Types, double)
{
    return (double)floats((float)(i & 31), in[i] & 7, i) +
           (double)widths((signed char)i, (unsigned short)in[i], 1 << 20, i & 1);
}

MAP(Structs, int)
{
    Small s = make_small(i, (float)(in[i] & 15));
    Large l = make_large(in[i] & 255, s);
    int r = take_large(l, i % 10);
    return r * 3 + l.v[i % 10];
}

MAP(Pointers, int)
{
    int a = i, b = 0;
    float f = 8;
    if (in[i] & 1)
        through(&b, &a, &f);
    through(&a, in + i, &f);
    return a + 3 * b + (int)(f * 100);
}

MAP(Vectors, float)
{
    float4 v = vector(make_float4(1, (float)(i & 7), 3, (float)(in[i] & 3)), i & 1);
    return v.x + 10 * v.y + 100 * v.z + 1000 * v.w;
}

MAP(Uniforms, int) { return uniform_arg(in[i], 5) + uniform_arg(i, in[i] & 7); }
MAP(Divergent, int) { return divergent_inside(in[i] & 1023) + divergent_inside(i - 20); }

MAP(InLoopWithBreak, int)
{
    int r = i;
    for (int k = 0; k < 10; k++) {
        r = plain(r & 0xfff, k);
        if (divergent_inside(r & 63) == 4)
            break;
    }
    return r;
}

int
main()
{
    RUN_MAP(Plain);
    RUN_MAP(Masked);
    RUN_MAP(Types);
    RUN_MAP(Structs);
    RUN_MAP(Pointers);
    RUN_MAP(Vectors);
    RUN_MAP(Uniforms);
    RUN_MAP(Divergent);
    RUN_MAP(InLoopWithBreak);
    return 0;
}
