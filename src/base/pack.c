/* SPDX-License-Identifier: MIT */
/* Makes compressed offload bundles, as clang does: zstd with matches over long distances. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bundle.h"
#include "base/md5.h"
#include "base/packing.h"

/* zstd.h: ZSTD_cParameter */
#define ZSTD_LEVEL          100
#define ZSTD_LONG_DISTANCES 160

#define CLANG_LEVEL_ZSTD 3
#define CLANG_LEVEL_ZLIB 6

#define HEADER_BYTES  24u /* of version 2 */
#define HEADER3_BYTES 32u

/* Writes to `to`, after `at` bytes. 0: why[] says what is wrong. */
static size_t
pack_zstd(const void *from, size_t from_bytes, int level, char **to, size_t at, char *why,
          size_t why_bytes)
{
    void *(*create)(void);
    size_t (*set)(void *, int, int), (*bound)(size_t), (*destroy)(void *);
    size_t (*compress)(void *, void *, size_t, const void *, size_t);
    unsigned (*is_error)(size_t);
    const struct ls_packing_symbol symbols[] = {
        {"ZSTD_createCCtx", (void (**)(void))(void *)&create},
        {"ZSTD_CCtx_setParameter", (void (**)(void))(void *)&set},
        {"ZSTD_compressBound", (void (**)(void))(void *)&bound},
        {"ZSTD_compress2", (void (**)(void))(void *)&compress},
        {"ZSTD_freeCCtx", (void (**)(void))(void *)&destroy},
        {"ZSTD_isError", (void (**)(void))(void *)&is_error},
        {NULL, NULL},
    };
    size_t n = 0, most;
    void *context;

    if (!ls_packing_open(LS_PACKING_LIBZSTD, symbols, why, why_bytes))
        return 0;
    most = bound(from_bytes);
    context = create();
    *to = malloc(at + most);
    if (!context || !*to) {
        snprintf(why, why_bytes, "out of memory");
    } else if (is_error(set(context, ZSTD_LEVEL, level)) ||
               is_error(set(context, ZSTD_LONG_DISTANCES, 1)) ||
               is_error(n = compress(context, *to + at, most, from, from_bytes))) {
        snprintf(why, why_bytes, "zstd refuses level %d", level);
        n = 0;
    }
    destroy(context);
    return n;
}

static size_t
pack_zlib(const void *from, size_t from_bytes, int level, char **to, size_t at, char *why,
          size_t why_bytes)
{
    unsigned long (*bound)(unsigned long);
    int (*compress)(char *, unsigned long *, const char *, unsigned long, int);
    const struct ls_packing_symbol symbols[] = {
        {"compressBound", (void (**)(void))(void *)&bound},
        {"compress2", (void (**)(void))(void *)&compress},
        {NULL, NULL},
    };
    unsigned long n;

    if (!ls_packing_open(LS_PACKING_LIBZ, symbols, why, why_bytes))
        return 0;
    n = bound(from_bytes);
    *to = malloc(at + n);
    if (!*to) {
        snprintf(why, why_bytes, "out of memory");
        return 0;
    }
    if (compress(*to + at, &n, from, from_bytes, level) != 0) {
        snprintf(why, why_bytes, "zlib refuses level %d", level);
        return 0;
    }
    return n;
}

static char *
put(char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        *at++ = (char)(value >> 8 * i);
    return at;
}

bool
ls_packed_pack(const void *plain, size_t plain_bytes, enum ls_packing packing, int level,
               void **out, size_t *out_bytes, char *why, size_t why_bytes)
{
    bool zstd = packing == LS_PACKING_ZSTD, wide = plain_bytes > UINT32_MAX - 65536;
    unsigned size = wide ? 8 : 4, header = wide ? HEADER3_BYTES : HEADER_BYTES;
    uint8_t digest[16];
    char *to = NULL, *at;
    size_t n;

    *out = NULL;
    if (plain_bytes > LS_PACKED_MAX_BYTES) {
        snprintf(why, why_bytes, "a bundle of %zu bytes is not compressed: at most %llu can be",
                 plain_bytes, (unsigned long long)LS_PACKED_MAX_BYTES);
        return false;
    }
    if (level < 0)
        level = zstd ? CLANG_LEVEL_ZSTD : CLANG_LEVEL_ZLIB;
    n = zstd ? pack_zstd(plain, plain_bytes, level, &to, header, why, why_bytes)
             : pack_zlib(plain, plain_bytes, level, &to, header, why, why_bytes);
    if (!n) {
        free(to);
        return false;
    }
    ls_md5_of(plain, plain_bytes, digest);
    memcpy(to, "CCOB", 4);
    at = put(to + 4, wide ? 3 : 2, 2);
    at = put(at, packing, 2);
    at = put(at, header + n, size);
    at = put(at, plain_bytes, size);
    memcpy(at, digest, 8);
    *out = to;
    *out_bytes = header + n;
    return true;
}
