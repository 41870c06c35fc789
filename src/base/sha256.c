/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4), with the instructions for it of processors that have them. */
#include "base/sha256.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t
ror(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* n blocks of 64 bytes. The eight words of the state change places instead of moving: eight rounds
 * make a turn. */
static void
blocks_plain(uint32_t h[8], const uint8_t *p, size_t n)
{
    uint32_t w[64], s[8];

    for (; n; n--, p += 64) {
        for (int i = 0; i < 16; i++)
            w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
                   (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
        for (int i = 16; i < 64; i++) {
            uint32_t s0 = ror(w[i - 15], 7) ^ ror(w[i - 15], 18) ^ w[i - 15] >> 3;
            uint32_t s1 = ror(w[i - 2], 17) ^ ror(w[i - 2], 19) ^ w[i - 2] >> 10;

            w[i] = w[i - 16] + s0 + w[i - 7] + s1;
        }
        memcpy(s, h, sizeof(s));
#define ROUND(a, b, c, d, e, f, g, x, i)                                                           \
    do {                                                                                           \
        uint32_t t1 = (x) + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) + (((e) & (f)) ^ (~(e) & (g))) + \
                      K[i] + w[i];                                                                 \
        (d) += t1;                                                                                 \
        (x) = t1 + (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) +                                         \
              (((a) & (b)) ^ ((a) & (c)) ^ ((b) & (c)));                                           \
    } while (0)
        for (int i = 0; i < 64; i += 8) {
            ROUND(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], i);
            ROUND(s[7], s[0], s[1], s[2], s[3], s[4], s[5], s[6], i + 1);
            ROUND(s[6], s[7], s[0], s[1], s[2], s[3], s[4], s[5], i + 2);
            ROUND(s[5], s[6], s[7], s[0], s[1], s[2], s[3], s[4], i + 3);
            ROUND(s[4], s[5], s[6], s[7], s[0], s[1], s[2], s[3], i + 4);
            ROUND(s[3], s[4], s[5], s[6], s[7], s[0], s[1], s[2], i + 5);
            ROUND(s[2], s[3], s[4], s[5], s[6], s[7], s[0], s[1], i + 6);
            ROUND(s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[0], i + 7);
        }
#undef ROUND
        for (int i = 0; i < 8; i++)
            h[i] += s[i];
    }
}

#ifdef __x86_64__
/* The processor's instructions want the state as ABEF and CDGH, and do two rounds each. */
__attribute__((target("sha,sse4.1"))) static void
blocks_sha_ni(uint32_t h[8], const uint8_t *p, size_t n)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)h), 0xb1);
    __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)(h + 4)), 0x1b);
    __m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xf0);

    for (; n; n--, p += 64) {
        const __m128i abef_then = abef, cdgh_then = cdgh;
        __m128i w[4];

        for (int i = 0; i < 16; i++) {
            __m128i sum;

            if (i < 4) {
                w[i] = _mm_shuffle_epi8(
                    _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i)), swap);
            } else {
                __m128i next = _mm_add_epi32(
                    _mm_sha256msg1_epu32(w[i & 3], w[(i + 1) & 3]),
                    _mm_alignr_epi8(w[(i + 3) & 3], w[(i + 2) & 3], 4));

                w[i & 3] = _mm_sha256msg2_epu32(next, w[(i + 3) & 3]);
            }
            sum = _mm_add_epi32(w[i & 3],
                                _mm_loadu_si128((const __m128i *)(const void *)(K + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
        }
        abef = _mm_add_epi32(abef, abef_then);
        cdgh = _mm_add_epi32(cdgh, cdgh_then);
    }
    low = _mm_shuffle_epi32(abef, 0x1b);
    high = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)h, _mm_blend_epi16(low, high, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(h + 4), _mm_alignr_epi8(high, low, 8));
}

static bool
has_sha_ni(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1) && (c & bit_SSSE3) &&
           __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1u << 29);
}
#endif

static void
blocks(uint32_t h[8], const uint8_t *p, size_t n)
{
#ifdef __x86_64__
    static atomic_int known; /* 1: has them, 2: has not; any thread's answer is the same */
    int has = atomic_load_explicit(&known, memory_order_relaxed);

    if (!has)
        atomic_store_explicit(&known, has = has_sha_ni() ? 1 : 2, memory_order_relaxed);
    if (has == 1) {
        blocks_sha_ni(h, p, n);
        return;
    }
#endif
    blocks_plain(h, p, n);
}

void
ls_sha256_init(struct ls_sha256 *sha)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    memcpy(sha->h, start, sizeof(start));
    sha->n_bytes = 0;
}

void
ls_sha256_add(struct ls_sha256 *sha, const void *data, size_t bytes)
{
    const uint8_t *p = data;
    size_t fill = sha->n_bytes % 64;

    sha->n_bytes += bytes;
    if (fill) {
        size_t n = bytes < 64 - fill ? bytes : 64 - fill;

        memcpy(sha->buf + fill, p, n);
        p += n;
        bytes -= n;
        if (fill + n < 64)
            return;
        blocks(sha->h, sha->buf, 1);
    }
    blocks(sha->h, p, bytes / 64);
    if (bytes % 64)
        memcpy(sha->buf, p + bytes / 64 * 64, bytes % 64);
}

void
ls_sha256_final(struct ls_sha256 *sha, uint8_t digest[32])
{
    static const uint8_t pad[64] = {0x80};
    uint64_t bits = sha->n_bytes * 8;
    uint8_t len[8];

    for (int i = 0; i < 8; i++)
        len[i] = (uint8_t)(bits >> (56 - 8 * i));
    ls_sha256_add(sha, pad, 1 + (119 - sha->n_bytes % 64) % 64);
    ls_sha256_add(sha, len, 8);
    for (int i = 0; i < 32; i++)
        digest[i] = (uint8_t)(sha->h[i / 4] >> (24 - 8 * (i % 4)));
}

void
ls_sha256_of(const void *data, size_t bytes, uint8_t digest[32])
{
    struct ls_sha256 sha;

    ls_sha256_init(&sha);
    ls_sha256_add(&sha, data, bytes);
    ls_sha256_final(&sha, digest);
}

void
ls_sha256_hex(const uint8_t digest[32], char hex[65])
{
    for (int i = 0; i < 32; i++) {
        hex[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    hex[64] = 0;
}
