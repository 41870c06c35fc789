/* SPDX-License-Identifier: MIT */
/* SHA-256 by plain code and by the processor's instructions: the same of every length. */
#include "base/sha256.c"

#include <stdlib.h>

#include "unit/test.h"

static uint8_t data[3000];

static void
hash_with(void (*with)(uint32_t *, const uint8_t *, size_t), size_t n, uint32_t h[8])
{
    struct ls_sha256 sha;

    ls_sha256_init(&sha);
    memcpy(h, sha.h, sizeof(sha.h));
    with(h, data, n);
}

LS_TEST(plain_and_by_instructions_are_one)
{
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (uint8_t)(i * 131 + (i >> 5));
    for (size_t n = 0; n <= sizeof(data) / 64; n++) {
        uint32_t plain[8], best[8];

        hash_with(blocks_plain, n, plain);
        hash_with(blocks, n, best);
        EXPECT(memcmp(plain, best, sizeof(plain)) == 0);
    }
}

LS_TEST(plain_is_the_standard)
{
    static const uint32_t abc[8] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                    0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
    uint32_t h[8];

    memset(data, 0, 64);
    memcpy(data, "abc\x80", 4);
    data[63] = 24;
    hash_with(blocks_plain, 1, h);
    EXPECT(memcmp(h, abc, sizeof(h)) == 0);
}
