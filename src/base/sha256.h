/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4). */
#ifndef LS_BASE_SHA256_H
#define LS_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct ls_sha256 {
    uint32_t h[8];
    uint64_t n_bytes;
    uint8_t buf[64];
};

void ls_sha256_init(struct ls_sha256 *sha);
void ls_sha256_add(struct ls_sha256 *sha, const void *data, size_t bytes);
void ls_sha256_final(struct ls_sha256 *sha, uint8_t digest[32]);
void ls_sha256_of(const void *data, size_t bytes, uint8_t digest[32]);
/* 64 lower-case digits and a final 0. */
void ls_sha256_hex(const uint8_t digest[32], char hex[65]);

#endif
