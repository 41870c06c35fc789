/* SPDX-License-Identifier: MIT */
/* Lanes at known distances that are not side by side: every third element, members of structs,
 * pieces of packed blocks, in rising and falling order and two at one place. What is read lies next
 * to pages that nobody may touch, and some lanes are off. */
#include "fenced.h"

/* Thread i reads a T at (i / SHARE) * STEP + (i % SHARE) * PIECE, from the other end if FALLS. */
template <typename T, int STEP, int SHARE, int PIECE, bool FALLS>
__global__ void
spread(T *out, const unsigned char *in, int n, unsigned some)
{
    int i = (int)global_id();
    int from = FALLS ? n - 1 - i : i;

    if (i < n && some >> i % 32 & 1)
        out[i] = *(const T *)(in + (from / SHARE) * STEP + (from % SHARE) * PIECE);
}

template <typename T, int STEP, int SHARE, int PIECE, bool FALLS>
static void
check_order(const char *what)
{
    static const int sizes[] = {1, 31, 32, 77, 256, 300};
    static const unsigned some[] = {~0u, 0x7fffffff, 0xfffffffe, 0x10};

    for (int n : sizes)
        for (unsigned m : some) {
            size_t bytes = 0;
            for (int i = 0; i < n; i++) {
                size_t end = (size_t)(i / SHARE) * STEP + (size_t)(i % SHARE) * PIECE + sizeof(T);
                bytes = m >> (FALLS ? n - 1 - i : i) % 32 & 1 && end > bytes ? end : bytes;
            }
            bytes = (bytes + alignof(T) - 1) / alignof(T) * alignof(T);
            if (bytes == 0)
                continue;
            for (int at_end = 0; at_end < 2; at_end++) {
                Fenced in(bytes, at_end);
                std::vector<T> want((size_t)n);
                Dev<T> out((size_t)n);

                memset((void *)want.data(), 0, sizeof(T) * (size_t)n);
                CHECK_HIP(hipMemset(out, 0, sizeof(T) * (size_t)n));
                for (int i = 0; i < n; i++) {
                    int from = FALLS ? n - 1 - i : i;
                    if (m >> i % 32 & 1)
                        memcpy((void *)&want[(size_t)i],
                               in.p + (from / SHARE) * STEP + (from % SHARE) * PIECE, sizeof(T));
                }
                spread<T, STEP, SHARE, PIECE, FALLS><<<(n + 63) / 64, 64>>>(out, in.p, n, m);
                CHECK_RUN();
                std::vector<T> got = out.get();
                for (int i = 0; i < n; i++)
                    if (memcmp((void *)&got[(size_t)i], (void *)&want[(size_t)i], sizeof(T)) != 0)
                        FAIL("%s: thread %d of %d, mask %x", what, i, n, m);
            }
        }
}

template <typename T, int STEP, int SHARE = 1, int PIECE = 0>
static void
check(const char *what)
{
    check_order<T, STEP, SHARE, PIECE, false>(what);
    check_order<T, STEP, SHARE, PIECE, true>(what);
}

/* The same from LDS, whose lanes lie at 32-bit offsets. */
template <typename T, int STEP>
__global__ void
in_lds(T *out)
{
    __shared__ T s[64 * STEP + 1];

    for (unsigned i = threadIdx.x; i < 64 * STEP + 1; i += blockDim.x)
        s[i] = (T)(i * 5);
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x * STEP + 1];
}

template <typename T, int STEP>
static void
check_lds()
{
    Dev<T> out(64);
    std::vector<T> want(64);

    for (size_t i = 0; i < 64; i++)
        want[i] = (T)((i * STEP + 1) * 5);
    in_lds<T, STEP><<<1, 64>>>(out);
    check_same("from LDS", out.get(), want);
}

int
main()
{
    check<unsigned short, 6>("short of 6");
    check<unsigned, 8>("int of 8");
    check<unsigned, 12>("int of 12");
    check<float, 20>("float of 20");
    check<unsigned, 36>("int of 36");
    check<double, 16>("double of 16");
    check<double, 24>("double of 24");
    check<float2, 24>("float2 of 24");
    check<ushort4, 16>("ushort4 of 16");
    check<unsigned short, 18, 2, 8>("packed blocks, short");
    check<unsigned, 36, 2, 8>("packed blocks, int");
    check<unsigned short, 18, 2, 0>("two at one place");
    check<uchar2, 6>("uchar2 of 6");
    check<unsigned char, 3>("char of 3");
    check_lds<int, 3>();
    check_lds<double, 2>();
    check_lds<short, 5>();
    return 0;
}
