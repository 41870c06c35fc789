/* SPDX-License-Identifier: MIT */
/* The hashes of images. */
#include "base/lsbc.h"

#include <string.h>

#include "base/sha256.h"

static void
hash_lsbc_tables(const char *image, uint8_t digest[32])
{
    struct ls_lsbc_header h;
    struct ls_sha256 sha;
    uint64_t end;

    memcpy(&h, image, sizeof(h));
    memset(h.tables_sha256, 0, sizeof(h.tables_sha256));
    end = h.bitcode_off + h.bitcode_bytes;
    ls_sha256_init(&sha);
    ls_sha256_add(&sha, &h, sizeof(h));
    ls_sha256_add(&sha, image + sizeof(h), h.bitcode_off - sizeof(h));
    ls_sha256_add(&sha, image + end, h.image_bytes - end);
    ls_sha256_final(&sha, digest);
}

static void
hash_lsao_tables(const char *image, uint8_t digest[32])
{
    struct ls_lsao_header h;
    struct ls_lsao_object o;
    struct ls_sha256 sha;

    memcpy(&h, image, sizeof(h));
    memset(h.tables_sha256, 0, sizeof(h.tables_sha256));
    ls_sha256_init(&sha);
    ls_sha256_add(&sha, &h, sizeof(h));
    for (uint32_t i = 0; i < h.n_objects; i++) {
        memcpy(&o, image + h.objects_off + i * sizeof(o), sizeof(o));
        ls_sha256_add(&sha, &o, sizeof(o));
        ls_sha256_add(&sha, image + o.name_off, strlen(image + o.name_off) + 1);
        ls_sha256_add(&sha, image + o.isa_off, strlen(image + o.isa_off) + 1);
    }
    ls_sha256_final(&sha, digest);
}

void
ls_lsbc_seal(void *image)
{
    struct ls_lsbc_header h;

    memcpy(&h, image, sizeof(h));
    ls_sha256_of((char *)image + h.bitcode_off, h.bitcode_bytes, h.bitcode_sha256);
    memcpy(image, &h, sizeof(h));
    hash_lsbc_tables(image, h.tables_sha256);
    memcpy(image, &h, sizeof(h));
}

bool
ls_lsbc_is_sealed(const void *image)
{
    struct ls_lsbc_header h;
    uint8_t digest[32];

    memcpy(&h, image, sizeof(h));
    if (h.bitcode_off < sizeof(h))
        return false;
    hash_lsbc_tables(image, digest);
    if (memcmp(digest, h.tables_sha256, sizeof(digest)) != 0)
        return false;
    ls_sha256_of((const char *)image + h.bitcode_off, h.bitcode_bytes, digest);
    return memcmp(digest, h.bitcode_sha256, sizeof(digest)) == 0;
}

void
ls_lsao_seal(void *image)
{
    struct ls_lsao_header h;
    struct ls_lsao_object o;

    memcpy(&h, image, sizeof(h));
    for (uint32_t i = 0; i < h.n_objects; i++) {
        char *at = (char *)image + h.objects_off + i * sizeof(o);

        memcpy(&o, at, sizeof(o));
        ls_sha256_of((char *)image + o.elf_off, o.elf_bytes, o.elf_sha256);
        memcpy(at, &o, sizeof(o));
    }
    hash_lsao_tables(image, h.tables_sha256);
    memcpy(image, &h, sizeof(h));
}

bool
ls_lsao_is_sealed(const void *image)
{
    struct ls_lsao_header h;
    uint8_t digest[32];

    memcpy(&h, image, sizeof(h));
    hash_lsao_tables(image, digest);
    return memcmp(digest, h.tables_sha256, sizeof(digest)) == 0;
}

bool
ls_lsao_object_is_sealed(const void *image, const struct ls_lsao_object *object)
{
    uint8_t digest[32];

    ls_sha256_of((const char *)image + object->elf_off, object->elf_bytes, digest);
    return memcmp(digest, object->elf_sha256, sizeof(digest)) == 0;
}
