/* SPDX-License-Identifier: MIT */
/* Several members of a struct in each thread, which are read together, and numbers that are read in
 * pieces, as packed data has them. What is read lies next to pages that nobody may touch, and some
 * lanes are off. */
#include "fenced.h"

typedef unsigned char u8;
typedef unsigned short u16;

template <typename T>
__host__ __device__ static unsigned long long
at(const u8 *p, int bytes)
{
    return (unsigned long long)*(const T *)(p + bytes);
}

struct Words { /* a block of 36 bytes for two threads, the scale read last */
    enum { STEP = 36, SHARE = 2, PIECE = 8, END = 28 };
    __host__ __device__ static unsigned long long read(const u8 *block, const u8 *p)
    {
        return at<unsigned>(p, 4) + 3 * at<unsigned>(p, 20) + 5 * at<unsigned>(p, 8) +
               7 * at<unsigned>(p, 24) + 11 * at<unsigned>(block, 0);
    }
};

struct Sizes { /* of 2, 4 and 8 bytes, the highest first */
    enum { STEP = 32, SHARE = 1, PIECE = 0, END = 30 };
    __host__ __device__ static unsigned long long read(const u8 *, const u8 *p)
    {
        return at<u16>(p, 28) + 3 * at<unsigned long long>(p, 8) + 5 * at<unsigned>(p, 4) +
               7 * at<u16>(p, 0) + 11 * __builtin_bit_cast(unsigned, *(const float *)(p + 16));
    }
};

struct Ends { /* the smaller member last: the last vector begins in the middle of a larger one */
    enum { STEP = 16, SHARE = 1, PIECE = 0, END = 12 };
    __host__ __device__ static unsigned long long read(const u8 *, const u8 *p)
    {
        return 3 * at<unsigned>(p, 8) + 5 * at<unsigned long long>(p, 0);
    }
};

struct Ends2 { /* in halves */
    enum { STEP = 12, SHARE = 1, PIECE = 0, END = 10 };
    __host__ __device__ static unsigned long long read(const u8 *, const u8 *p)
    {
        return 3 * at<u16>(p, 8) + 5 * at<unsigned>(p, 0) + 7 * at<unsigned>(p, 4);
    }
};

struct Far { /* further apart than a frame of vectors is long */
    enum { STEP = 12, SHARE = 1, PIECE = 0, END = 6004 };
    __host__ __device__ static unsigned long long read(const u8 *, const u8 *p)
    {
        return at<unsigned>(p, 0) + 3 * at<unsigned>(p, 6000) + 5 * at<unsigned>(p, 4);
    }
};

struct Halves { /* a block of 18 bytes: a scale and words of two halves, which lie at odd places */
    enum { STEP = 18, SHARE = 2, PIECE = 8, END = 10 };
    __host__ __device__ static unsigned long long read(const u8 *block, const u8 *p)
    {
        unsigned a = *(const u16 *)(p + 2) | (unsigned)*(const u16 *)(p + 4) << 16;
        unsigned b = (unsigned)*(const u16 *)(p + 8) << 16 | *(const u16 *)(p + 6);

        return a + 3ull * b + 5 * at<u16>(block, 0);
    }
};

struct Bytes { /* at any address */
    enum { STEP = 11, SHARE = 1, PIECE = 0, END = 11 };
    __host__ __device__ static unsigned long long read(const u8 *, const u8 *p)
    {
        unsigned a = p[1] | p[2] << 8 | p[3] << 16 | (unsigned)p[4] << 24;
        unsigned long long b = 0;

        for (int i = 0; i < 8; i++)
            b |= (unsigned long long)p[3 + i] << 8 * i;
        return a ^ b * 31;
    }
};

struct Others { /* none of these are one number in memory */
    enum { STEP = 16, SHARE = 1, PIECE = 0, END = 12 };
    __host__ __device__ static unsigned long long read(const u8 *, const u8 *p)
    {
        const u16 *h = (const u16 *)p;
        unsigned swapped = h[1] | (unsigned)h[0] << 16, gap = h[2] | (unsigned)h[4] << 16;
        unsigned apart = h[3] | (unsigned)h[4] << 17, over = h[4] | (unsigned)h[5] << 8;

        return swapped + 3ull * gap + 5ull * apart + 7ull * over;
    }
};

template <typename M>
__host__ __device__ static unsigned long long
read(const u8 *in, int i)
{
    const u8 *block = in + i / M::SHARE * M::STEP;

    return M::read(block, block + i % M::SHARE * M::PIECE);
}

template <typename M>
__global__ void
members(unsigned long long *out, const u8 *in, int n, unsigned some)
{
    int i = (int)global_id();

    if (i < n && some >> i % 32 & 1)
        out[i] = read<M>(in, i);
}

template <typename M>
static void
check(const char *what)
{
    static const int sizes[] = {1, 31, 32, 77, 256, 300};
    static const unsigned some[] = {~0u, 0x7fffffff, 0xfffffffe, 0x10};

    for (int n : sizes)
        for (unsigned m : some) {
            size_t bytes = 0;
            for (int i = 0; i < n; i++)
                if (m >> i % 32 & 1)
                    bytes = (size_t)(i / M::SHARE * M::STEP + i % M::SHARE * M::PIECE + M::END);
            bytes = (bytes + 7) / 8 * 8;
            if (bytes == 0)
                continue;
            for (int at_end = 0; at_end < 2; at_end++) {
                Fenced in(bytes, at_end);
                Dev<unsigned long long> out((size_t)n);

                CHECK_HIP(hipMemset(out, 0, sizeof(unsigned long long) * (size_t)n));
                members<M><<<(n + 63) / 64, 64>>>(out, in.p, n, m);
                CHECK_RUN();
                std::vector<unsigned long long> got = out.get();
                for (int i = 0; i < n; i++)
                    if (got[(size_t)i] != (m >> i % 32 & 1 ? read<M>(in.p, i) : 0))
                        FAIL("%s: thread %d of %d, mask %x", what, i, n, m);
            }
        }
}

/* What is written between two reads is read by the second. */
struct Row {
    int a, b, c;
    u16 low, high;
};

__global__ void
in_place(Row *rows)
{
    Row *r = &rows[global_id()];
    int a = r->a;
    unsigned before = r->low;

    r->b += a;
    r->high = (u16)(before + 1);
    r->c = r->b + (int)(before | (unsigned)r->high << 16);
}

int
main()
{
    check<Words>("words");
    check<Sizes>("sizes");
    check<Ends>("ends");
    check<Ends2>("ends in halves");
    check<Far>("far");
    check<Halves>("halves");
    check<Bytes>("bytes");
    check<Others>("others");

    std::vector<Row> rows(128), want(128);
    for (int i = 0; i < 128; i++) {
        Row *r = &want[(size_t)i];
        *r = rows[(size_t)i] = Row{i, 2 * i, 3 * i, (u16)(i * 500), (u16)i};
        r->b += r->a;
        r->high = (u16)(r->low + 1);
        r->c = (int)((unsigned)r->b + (r->low | (unsigned)r->high << 16));
    }
    Dev<Row> dev(rows);
    in_place<<<2, 64>>>(dev);
    CHECK_RUN();
    rows = dev.get();
    CHECK(memcmp(rows.data(), want.data(), sizeof(Row) * 128) == 0);
    return 0;
}
