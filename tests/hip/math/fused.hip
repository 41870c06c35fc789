/* SPDX-License-Identifier: MIT */
/* Multiply-add rounds once and rounding to whole numbers is exact, bit for bit as libm's, also
 * where vectors have no instruction for them (SSE2): random bits, numbers near each other, sums
 * that cancel, halves, infinities, denormal numbers. */
// OPT: -O3
// ISA: sse2 avx2 avx512
#include "../check.h"

enum { N = 1 << 16, N_OPS = 7 };

template <typename T>
__host__ __device__ static T
applied(int op, T a, T b, T c)
{
    switch (op) {
    case 0:
        return fma(a, b, c);
    case 1:
        return floor(a);
    case 2:
        return ceil(a);
    case 3:
        return trunc(a);
    case 4:
        return rint(a);
    case 5:
        return round(a);
    default:
        return nearbyint(a);
    }
}

template <typename T>
__global__ void
apply(int op, const T *a, const T *b, const T *c, T *out)
{
    int i = (int)global_id();

    out[i] = applied(op, a[i], b[i], c[i]);
}

static uint64_t state = 0x9e3779b97f4a7c15u;

static uint64_t
any_bits()
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

template <typename T, typename Bits>
static T
of_bits(Bits bits)
{
    T x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* Whole numbers and halves of all sizes, with few or many bits set. */
template <typename T>
static T
any_number()
{
    uint64_t r = any_bits();
    T x = (T)(int64_t)(any_bits() >> (any_bits() % 60));

    return ldexp(r & 1 ? x : -x, -(int)(r >> 8 & 31)) * (T)0.5;
}

template <typename T, typename Bits>
static bool
same(T x, T y)
{
    Bits p, q;

    memcpy(&p, &x, sizeof(p));
    memcpy(&q, &y, sizeof(q));
    return p == q || (x != x && y != y);
}

template <typename T, typename Bits>
static void
check(const char *type)
{
    static const T special[] = {0,         (T)-0.0,  (T)0.5,  (T)-0.5,   (T)1.5,
                                (T)INFINITY, (T)-INFINITY, (T)NAN, (T)0x1p23, (T)0x1.fffffep22,
                                (T)0x1p52, (T)0x1p-149, (T)0x1p-126, (T)0x1.fffffep127};
    const size_t n_special = sizeof(special) / sizeof(special[0]);
    std::vector<T> a(N), b(N), c(N);

    for (size_t i = 0; i < N; i++) {
        T *in[] = {&a[i], &b[i], &c[i]};

        for (T *x : in)
            *x = i % 4 == 0   ? of_bits<T>((Bits)any_bits())
                 : i % 4 == 1 ? special[any_bits() % n_special]
                              : any_number<T>();
        if (i % 4 == 3) /* what is left of a sum is the product's rounding error, or all but */
            c[i] = -(a[i] * b[i]) * (any_bits() & 1 ? (T)1 : (T)(1 + sizeof(T) * 0x1p-24));
    }
    Dev<T> da(a), db(b), dc(c), out((size_t)N);
    for (int op = 0; op < N_OPS; op++) {
        apply<T><<<N / 256, 256>>>(op, da.p, db.p, dc.p, out.p);
        CHECK_RUN();
        std::vector<T> got = out.get();
        for (size_t i = 0; i < N; i++) {
            T want = applied(op, a[i], b[i], c[i]);

            if (!same<T, Bits>(got[i], want))
                FAIL("%s, operation %d of %a %a %a: %a, not %a", type, op, (double)a[i],
                     (double)b[i], (double)c[i], (double)got[i], (double)want);
        }
    }
}

int
main()
{
    check<float, uint32_t>("float");
    check<double, uint64_t>("double");
    return 0;
}
