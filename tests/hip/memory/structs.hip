/* SPDX-License-Identifier: MIT */
/* Arrays of structs, nested, packed and unaligned members, unions, bit fields, copies of whole
 * structs. */
#include "../check.h"

struct Body {
    float x, y, z;
    int id;
    double mass;
    char tag;
    short pair[2];
};

struct __attribute__((packed)) Tight {
    char c;
    int i;
    short s;
    double d;
    float f;
};

struct Bits {
    unsigned a : 3, b : 7, c : 13;
    int d : 9;
};

union Both {
    float f;
    unsigned u;
};

struct Big {
    int v[19];
};

__global__ void
work(Body *body, Tight *tight, Bits *bits, Both *both, Big *big, const Big *from, int n)
{
    int i = (int)global_id();

    if (i >= n)
        return;
    body[i].x += body[i].y * 2;
    body[i].id = body[n - 1 - i].tag + i;
    body[i].mass = body[i].pair[i & 1];
    tight[i].i += tight[i].s;
    tight[i].d = tight[i].f + 1;
    if (i & 1)
        tight[i].c = (char)i;
    bits[i].a++;
    bits[i].c = bits[i].b * 5;
    bits[i].d = -(i & 127);
    both[i].u = (both[i].u & 0x7fffffff) | (i & 1 ? 0x80000000u : 0);
    if (i % 3)
        big[i] = from[(i * 7) % n];
}

template <typename T>
static std::vector<T>
filled(int n, uint32_t salt)
{
    std::vector<T> v(n);
    unsigned char *p = (unsigned char *)v.data();

    for (size_t k = 0; k < n * sizeof(T); k++)
        p[k] = (unsigned char)(mix((uint32_t)k + salt) & 0x3f);
    return v;
}

template <typename T>
static void
same(const char *name, const Dev<T> &got, const std::vector<T> &want)
{
    check_same(name, (const unsigned char *)got.get().data(), (const unsigned char *)want.data(),
               want.size() * sizeof(T));
}

int
main()
{
    const int n = 200;

    for (dim3 b : test_shapes(3)) {
        auto body = filled<Body>(n, 1);
        auto tight = filled<Tight>(n, 2);
        auto bits = filled<Bits>(n, 3);
        auto both = filled<Both>(n, 4);
        auto big = filled<Big>(n, 5), from = filled<Big>(n, 6);
        Dev<Body> dbody(body);
        Dev<Tight> dtight(tight);
        Dev<Bits> dbits(bits);
        Dev<Both> dboth(both);
        Dev<Big> dbig(big), dfrom(from);
        work<<<dim3(blocks_for(n, b)), b>>>(dbody, dtight, dbits, dboth, dbig, dfrom, n);
        for (int i = 0; i < n; i++) {
            body[i].x += body[i].y * 2;
            body[i].id = body[n - 1 - i].tag + i;
            body[i].mass = body[i].pair[i & 1];
            tight[i].i += tight[i].s;
            tight[i].d = tight[i].f + 1;
            if (i & 1)
                tight[i].c = (char)i;
            bits[i].a++;
            bits[i].c = bits[i].b * 5;
            bits[i].d = -(i & 127);
            both[i].u = (both[i].u & 0x7fffffff) | (i & 1 ? 0x80000000u : 0);
            if (i % 3)
                big[i] = from[(i * 7) % n];
        }
        same("body", dbody, body);
        same("tight", dtight, tight);
        same("bits", dbits, bits);
        same("both", dboth, both);
        same("big", dbig, big);
    }
    return 0;
}
