/* SPDX-License-Identifier: MIT */
/* Compressed offload bundles: "CCOB", version and method (16 bits each), from version 2 on the size
 * of the file, the size of the bundle (both of 32 bits, in version 3 of 64), a hash (64 bits), and
 * what zstd or zlib has made of the bundle. */
#include "base/bundle.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/md5.h"
#include "base/packing.h"

#define MAGIC "CCOB"

/* The first 8 bytes of all versions, and bytes of a size in each. */
#define COMMON_BYTES 8u
static const struct {
    unsigned sizes, bytes;
} forms[] = {{0, 0}, {1, 4}, {2, 4}, {2, 8}};
#define LAST_VERSION 3u

static bool
refuse(char *why, size_t why_bytes, const char *text)
{
    snprintf(why, why_bytes, "%s", text);
    return false;
}

/* A little-endian number of up to 8 bytes. */
static uint64_t
number_at(const unsigned char *p, unsigned bytes)
{
    uint64_t v = 0;

    while (bytes-- > 0)
        v = v << 8 | p[bytes];
    return v;
}

bool
ls_packed_is(const void *data, size_t bytes)
{
    return bytes >= COMMON_BYTES && memcmp(data, MAGIC, 4) == 0;
}

bool
ls_packed_open(const void *data, size_t bytes, struct ls_packed *out, char *why, size_t why_bytes)
{
    const unsigned char *p = data;
    uint64_t method;

    *out = (struct ls_packed){0};
    if (!ls_packed_is(data, bytes))
        return refuse(why, why_bytes, "no compressed bundle");
    out->version = (unsigned)number_at(p + 4, 2);
    method = number_at(p + 6, 2);
    if (out->version < 1 || out->version > LAST_VERSION) {
        snprintf(why, why_bytes, "version %u of compressed bundles is unknown: 1 to %u",
                 out->version, LAST_VERSION);
        return false;
    }
    if (method > LS_PACKING_ZSTD) {
        snprintf(why, why_bytes, "compression method %u is unknown: 0 (zlib), 1 (zstd)",
                 (unsigned)method);
        return false;
    }
    out->packing = (enum ls_packing)method;
    out->header_bytes = COMMON_BYTES + forms[out->version].sizes * forms[out->version].bytes + 8;
    if (bytes < out->header_bytes)
        return refuse(why, why_bytes, "the header is cut off");
    p += COMMON_BYTES;
    if (forms[out->version].sizes == 2) {
        out->file_bytes = number_at(p, forms[out->version].bytes);
        p += forms[out->version].bytes;
    }
    out->plain_bytes = number_at(p, forms[out->version].bytes);
    out->hash = number_at(p + forms[out->version].bytes, 8);
    if (out->version > 1 && (out->file_bytes <= out->header_bytes || out->file_bytes > bytes ||
                             out->file_bytes > LS_PACKED_MAX_BYTES)) {
        snprintf(why, why_bytes, "the file is said to have %llu bytes, and %s",
                 (unsigned long long)out->file_bytes,
                 out->file_bytes > bytes ? "not all are there" : "that can't be");
        return false;
    }
    if (out->plain_bytes < LS_BUNDLE_MAGIC_BYTES || out->plain_bytes > LS_PACKED_MAX_BYTES) {
        snprintf(why, why_bytes, "a bundle of %llu bytes is said to be inside, from %u to %llu can",
                 (unsigned long long)out->plain_bytes, LS_BUNDLE_MAGIC_BYTES,
                 (unsigned long long)LS_PACKED_MAX_BYTES);
        return false;
    }
    return true;
}

bool
ls_packing_open(const char *library, const struct ls_packing_symbol *symbols, char *why,
                size_t why_bytes)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

    if (!handle) {
        snprintf(why, why_bytes, "%s is needed for it, which can't be opened: %s", library,
                 dlerror());
        return false;
    }
    for (const struct ls_packing_symbol *s = symbols; s->name; s++) {
        void *symbol = dlsym(handle, s->name);

        if (!symbol) {
            snprintf(why, why_bytes, "%s has no %s", library, s->name);
            dlclose(handle);
            return false;
        }
        memcpy(s->to, &symbol, sizeof(symbol));
    }
    return true; /* open for good */
}

/* The most bytes that a packing makes of so many: what bounds version 1, which does not say its
 * own size. */
static uint64_t
most_packed(uint64_t plain_bytes)
{
    return plain_bytes + plain_bytes / 128 + ((uint64_t)1 << 18);
}

/* The most bytes that come of so many: a zstd block of 128 KiB takes 4 bytes at least, and deflate
 * makes 1032 bytes of one at most. A header that says more would cost memory for nothing. */
static uint64_t
most_plain(enum ls_packing packing, uint64_t packed_bytes)
{
    uint64_t n = packed_bytes < LS_PACKED_MAX_BYTES ? packed_bytes : LS_PACKED_MAX_BYTES;

    return packing == LS_PACKING_ZSTD ? (n / 4 + 1) << 17 : n * 1032;
}

/* `from` holds at most from_bytes; *used becomes what the packing took of them. */
static bool
unpack_zstd(const char *from, size_t from_bytes, char *to, size_t to_bytes, size_t *used, char *why,
            size_t why_bytes)
{
    size_t (*frame)(const void *, size_t);
    size_t (*decompress)(void *, size_t, const void *, size_t);
    unsigned (*is_error)(size_t);
    const struct ls_packing_symbol symbols[] = {
        {"ZSTD_findFrameCompressedSize", (void (**)(void))(void *)&frame},
        {"ZSTD_decompress", (void (**)(void))(void *)&decompress},
        {"ZSTD_isError", (void (**)(void))(void *)&is_error},
        {NULL, NULL},
    };
    size_t n;

    if (!ls_packing_open(LS_PACKING_LIBZSTD, symbols, why, why_bytes))
        return false;
    n = frame(from, from_bytes);
    if (is_error(n) || n > from_bytes)
        return refuse(why, why_bytes, "its zstd frame is damaged");
    *used = n;
    n = decompress(to, to_bytes, from, n);
    return (!is_error(n) && n == to_bytes) || refuse(why, why_bytes, "its zstd frame is damaged");
}

static bool
unpack_zlib(const char *from, size_t from_bytes, char *to, size_t to_bytes, size_t *used, char *why,
            size_t why_bytes)
{
    int (*uncompress)(char *, unsigned long *, const char *, unsigned long *);
    const struct ls_packing_symbol symbols[] = {
        {"uncompress2", (void (**)(void))(void *)&uncompress},
        {NULL, NULL},
    };
    unsigned long n = to_bytes, taken = from_bytes;

    if (!ls_packing_open(LS_PACKING_LIBZ, symbols, why, why_bytes))
        return false;
    if (uncompress(to, &n, from, &taken) != 0 || n != to_bytes)
        return refuse(why, why_bytes, "its zlib stream is damaged");
    *used = taken;
    return true;
}

bool
ls_packed_unpack(const void *data, size_t bytes, void **plain, size_t *plain_bytes, uint64_t *used,
                 char *why, size_t why_bytes)
{
    struct ls_packed packed;
    const char *from;
    size_t n, taken = 0;
    char *to;
    bool ok;

    *plain = NULL;
    if (!ls_packed_open(data, bytes, &packed, why, why_bytes))
        return false;
    from = (const char *)data + packed.header_bytes;
    n = packed.file_bytes ? packed.file_bytes - packed.header_bytes : bytes - packed.header_bytes;
    if (n > most_packed(packed.plain_bytes))
        n = most_packed(packed.plain_bytes);
    if (packed.plain_bytes > most_plain(packed.packing, n))
        return refuse(why, why_bytes, "it is too short for what it says that it holds");
    to = malloc(packed.plain_bytes);
    if (!to)
        return refuse(why, why_bytes, "out of memory");
    ok = packed.packing == LS_PACKING_ZSTD
             ? unpack_zstd(from, n, to, packed.plain_bytes, &taken, why, why_bytes)
             : unpack_zlib(from, n, to, packed.plain_bytes, &taken, why, why_bytes);
    if (!ok) {
        free(to);
        return false;
    }
    *plain = to;
    *plain_bytes = packed.plain_bytes;
    if (used)
        *used = packed.file_bytes ? packed.file_bytes : packed.header_bytes + taken;
    return true;
}

bool
ls_packed_hash_fits(const struct ls_packed *packed, const void *plain, size_t plain_bytes)
{
    uint8_t digest[16];

    ls_md5_of(plain, plain_bytes, digest);
    return number_at(digest, 8) == packed->hash;
}
