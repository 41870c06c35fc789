/* SPDX-License-Identifier: MIT */
/* Elements side by side in each thread, which are read and written together: members of its struct,
 * a loop over its own row. What is written between two reads is read by the second, the last of
 * two stores to one place stays, lanes are off, and rows end where nobody may read on. */
#include "fenced.h"

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned long long u64;

struct Cross { /* three members, and three results */
    enum { LEAST = 3 };
    template <typename T>
    __host__ __device__ static void run(T *p, int)
    {
        T a = p[0], b = p[1], c = p[2];

        p[0] = (T)(b * 3 + c);
        p[1] = (T)(c * 5 + a);
        p[2] = (T)(a * 7 + b);
    }
};

struct Sum { /* a loop that is unrolled, and what is left of it */
    enum { LEAST = 1 };
    template <typename T>
    __host__ __device__ static void run(T *p, int n)
    {
        T sum = 0;

        for (int i = 0; i < n; i++)
            sum = (T)(sum * 3 + p[i]);
        p[n - 1] = sum;
    }
};

struct Each { /* read and written, one after the other */
    enum { LEAST = 1 };
    template <typename T>
    __host__ __device__ static void run(T *p, int n)
    {
        for (int i = 0; i < n; i++)
            p[i] = (T)(p[i] * 3 + i);
    }
};

struct Chain { /* each element is made of the one that was stored before it */
    enum { LEAST = 2 };
    template <typename T>
    __host__ __device__ static void run(T *p, int n)
    {
        for (int i = 1; i < n; i++)
            p[i] = (T)(p[i] + p[i - 1] * 3);
    }
};

struct Ahead { /* each element is stored where the next one was read */
    enum { LEAST = 2 };
    template <typename T>
    __host__ __device__ static void run(T *p, int n)
    {
        for (int i = 0; i + 1 < n; i++)
            p[i] = (T)(p[i + 1] + i);
    }
};

struct Back { /* pointers that fall */
    enum { LEAST = 1 };
    template <typename T>
    __host__ __device__ static void run(T *p, int n)
    {
        T last = 1;

        for (T *q = p + n; q-- > p;)
            *q = last = (T)(*q * 3 + last);
    }
};

struct Swapped { /* four and four; the second four are read when the first are written */
    enum { LEAST = 8 };
    template <typename T>
    __host__ __device__ static void run(T *p, int)
    {
        for (int i = 0; i < 4; i++) {
            T a = p[i];
            p[i] = p[7 - i];
            p[7 - i] = (T)(a + 1);
        }
    }
};

struct Twice { /* read again, written again */
    enum { LEAST = 4 };
    template <typename T>
    __host__ __device__ static void run(T *p, int)
    {
        T a = p[0], b = p[2];

        p[0] = (T)(a + 1);
        p[1] = (T)(p[0] * 3);
        p[2] = (T)(p[1] + b);
        p[0] = (T)(p[2] ^ a);
        p[3] = (T)(p[0] + p[1]);
    }
};

struct Halves { /* the second half of an element is written for itself */
    enum { LEAST = 4 };
    template <typename T>
    __host__ __device__ static void run(T *p, int)
    {
        T a = p[3];

        p[0] = a;
        p[1] = (T)(a + 1);
        ((u8 *)p)[sizeof(T) * 2 - 1] = 9;
        p[2] = (T)(a + 2);
        p[3] = (T)(p[1] + 3);
    }
};

struct Patched { /* a byte of the second one is written before it is read */
    enum { LEAST = 4 };
    template <typename T>
    __host__ __device__ static void run(T *p, int)
    {
        T a = p[0];

        ((u8 *)p)[sizeof(T) * 2 - 1] = (u8)(a + 1);
        p[2] = (T)(a + p[1] * 3 + p[2] * 5 + p[3] * 7);
    }
};

struct Unknown { /* another pointer that may be the same place, or the next one */
    enum { LEAST = 6 };
    template <typename T>
    __host__ __device__ static void run(T *p, int n)
    {
        T *q = p + n % 3;

        p[0] = 1;
        T a = q[0];
        p[1] = (T)(a + 2);
        T b = q[1];
        p[2] = (T)(b + 3);
        q[3] = (T)(a + b);
        p[3] = (T)(p[3] + p[4] + q[2]);
    }
};

template <typename Op, typename T>
__global__ void
by_stride(T *base, int n, int stride, int length, unsigned some)
{
    int i = (int)global_id();

    if (i < n && some >> i % 32 & 1)
        Op::run(base + i * stride, length);
}

template <typename Op, typename T, int STRIDE>
__global__ void
by_constant(T *base, int n, int length, unsigned some)
{
    int i = (int)global_id();

    if (i < n && some >> i % 32 & 1)
        Op::run(base + i * STRIDE, length);
}

template <typename Op, typename T>
__global__ void
by_table(T *base, const int *where, int n, int length, unsigned some)
{
    int i = (int)global_id();

    if (i < n && some >> i % 32 & 1)
        Op::run(base + where[i], length);
}

enum { BLOCK = 96 };

template <typename Op, typename T>
static void
compare(const char *what, const std::vector<u8> &want, const Fenced &got, int stride, int length,
        int n, unsigned some)
{
    for (size_t i = 0; i < want.size(); i++)
        if (got.p[i] != want[i])
            FAIL("%s, elements of %d bytes: byte %d of thread %d of %d; rows of %d in %d, mask %x",
                 what, (int)sizeof(T), (int)(i % (sizeof(T) * (size_t)stride)),
                 (int)(i / (sizeof(T) * (size_t)stride)), n, length, stride, some);
}

template <typename Op, typename T, int STRIDE>
static void
check(const char *what)
{
    static const int sizes[] = {1, 33, 96, 200};
    static const unsigned some[] = {~0u, 0x7ffffffe};
    int lengths[] = {Op::LEAST, STRIDE, (Op::LEAST + STRIDE) / 2};

    for (int n : sizes)
        for (unsigned m : some)
            for (int length : lengths)
                for (int form = 0; form < 3; form++) {
                    size_t bytes = sizeof(T) * STRIDE * (size_t)n;
                    Fenced data(bytes, n % 2);
                    std::vector<u8> want(data.p, data.p + bytes);
                    std::vector<int> places;
                    int blocks = (n + BLOCK - 1) / BLOCK;

                    for (int i = 0; i < n; i++) {
                        places.push_back((n - 1 - i) * STRIDE);
                        if (m >> i % 32 & 1)
                            Op::run((T *)want.data() + (form == 2 ? n - 1 - i : i) * STRIDE,
                                    length);
                    }
                    Dev<int> where(places);
                    if (form == 0)
                        by_stride<Op, T><<<blocks, BLOCK>>>((T *)data.p, n, STRIDE, length, m);
                    else if (form == 1)
                        by_constant<Op, T, STRIDE><<<blocks, BLOCK>>>((T *)data.p, n, length, m);
                    else
                        by_table<Op, T><<<blocks, BLOCK>>>((T *)data.p, where, n, length, m);
                    CHECK_RUN();
                    compare<Op, T>(what, want, data, STRIDE, length, n, m);
                }
}

template <typename Op>
static void
check_sizes(const char *what)
{
    check<Op, unsigned, 21>(what);
    check<Op, u64, 11>(what);
    check<Op, u8, 40>(what);
}

int
main()
{
    check<Cross, unsigned, 3>("cross");
    check<Cross, u64, 3>("cross");
    check<Cross, unsigned, 4>("cross");
    check<Cross, u16, 5>("cross");
    check_sizes<Sum>("sum");
    check_sizes<Each>("each");
    check<Chain, unsigned, 21>("chain");
    check<Ahead, unsigned, 21>("ahead");
    check<Back, unsigned, 21>("back");
    check<Swapped, unsigned, 8>("swapped");
    check<Swapped, u16, 19>("swapped");
    check<Twice, unsigned, 4>("twice");
    check<Twice, u64, 6>("twice");
    check<Halves, unsigned, 4>("halves");
    check<Halves, u64, 5>("halves");
    check<Patched, unsigned, 5>("patched");
    check<Patched, u64, 4>("patched");
    check<Unknown, unsigned, 6>("unknown");
    return 0;
}
