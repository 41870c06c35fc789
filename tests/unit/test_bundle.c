/* SPDX-License-Identifier: MIT */
/* NEEDS: ls_base */
/* Offload bundles and their compressed form: written and read, cut, damaged. */
#include <stdlib.h>
#include <string.h>

#include "base/bundle.h"
#include "base/md5.h"
#include "base/offload.h"
#include "unit/test.h"

static const struct ls_bundle_part parts[] = {
    {LS_BUNDLE_ID_HOST, NULL, 0},
    {LS_BUNDLE_ID_AMD "gfx90a:xnack-", "code object", 11},
    {LS_BUNDLE_ID_LSBC "gfx90a", "image", 5},
};

static char *
make(size_t *n)
{
    char *out = calloc(1, *n = ls_bundle_bytes(parts, 3));

    if (out)
        ls_bundle_write(parts, 3, out);
    return out;
}

/* RFC 1321, A.5. */
LS_TEST(md5)
{
    static const struct {
        const char *text, *hex;
    } rows[] = {
        {"", "d41d8cd98f00b204e9800998ecf8427e"},
        {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
        {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
         "d174ab98d277d9f5a5611c2c9f419d9f"},
        {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
         "57edf4a22be3c955ac49da2e2107b67a"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        uint8_t digest[16];
        char hex[33];

        ls_md5_of(rows[i].text, strlen(rows[i].text), digest);
        for (int k = 0; k < 16; k++)
            snprintf(hex + 2 * k, 3, "%02x", digest[k]);
        EXPECT(strcmp(hex, rows[i].hex) == 0);
    }
}

LS_TEST(written_and_read)
{
    struct ls_bundle bundle;
    struct ls_bundle_entry e;
    size_t n;
    char *data = make(&n);

    REQUIRE(data && ls_bundle_open(data, n, &bundle) && bundle.n_entries == 3);
    EXPECT(ls_bundle_length(data, n) == n);
    EXPECT(ls_bundle_length(data, SIZE_MAX) == n); /* of a program's own, whose end isn't known */
    for (int i = 0; i < 3; i++) {
        EXPECT(ls_bundle_next(&bundle, &e));
        EXPECT(strcmp(e.id, parts[i].id) == 0 && e.bytes == parts[i].bytes);
        EXPECT(e.offset % LS_BUNDLE_ALIGN == 0);
        EXPECT(memcmp(e.data, parts[i].bytes ? parts[i].data : "", e.bytes) == 0);
    }
    EXPECT(!ls_bundle_next(&bundle, &e) && bundle.next == 3);
    EXPECT(strcmp(ls_bundle_target(parts[1].id, LS_BUNDLE_ID_AMD), "gfx90a:xnack-") == 0);
    EXPECT(!ls_bundle_target(parts[1].id, LS_BUNDLE_ID_LSBC));
    free(data);
}

/* Puts a number there and says whether a bundle that can be read is left. */
static bool
is_read_with(size_t at, uint64_t value)
{
    size_t n;
    char *data = make(&n);
    bool ok;

    memcpy(data + at, &value, sizeof(value));
    ok = ls_bundle_length(data, n) != 0;
    free(data);
    return ok;
}

LS_TEST(damaged)
{
    struct ls_bundle bundle;
    size_t n;
    char *data = make(&n);

    /* cut anywhere: no entry reaches beyond the end */
    for (size_t cut = 0; cut < n; cut++) {
        char *part = malloc(cut ? cut : 1);

        memcpy(part, data, cut);
        EXPECT(ls_bundle_length(part, cut) == 0);
        free(part);
    }
    free(data);
    EXPECT(!is_read_with(24, LS_BUNDLE_MAX_ENTRIES + 1));
    EXPECT(!is_read_with(24, UINT64_MAX));
    EXPECT(is_read_with(24, 2));                /* the last entry is not asked for */
    EXPECT(!is_read_with(32, UINT64_MAX));      /* offset */
    EXPECT(!is_read_with(40, UINT64_MAX - 50)); /* size */
    EXPECT(!is_read_with(48, LS_BUNDLE_MAX_ID));
    EXPECT(!is_read_with(48, UINT64_MAX));
    EXPECT(is_read_with(32, 0)); /* entries may overlap, even the table */
    EXPECT(!ls_bundle_open("", 0, &bundle));
}

static void
pack_and_unpack(enum ls_packing packing)
{
    struct ls_packed header;
    char why[256];
    size_t n, n_packed, n_back;
    uint64_t used;
    void *packed, *back;
    char *data = make(&n);

    REQUIRE(ls_packed_pack(data, n, packing, -1, &packed, &n_packed, why, sizeof(why)));
    EXPECT(ls_packed_is(packed, n_packed) && n_packed < n);
    REQUIRE(ls_packed_open(packed, n_packed, &header, why, sizeof(why)));
    EXPECT(header.version == 2 && header.packing == packing);
    EXPECT(header.file_bytes == n_packed && header.plain_bytes == n);
    EXPECT(ls_packed_hash_fits(&header, data, n) && !ls_packed_hash_fits(&header, data, n - 1));
    for (int unknown = 0; unknown < 2; unknown++) {
        REQUIRE(ls_packed_unpack(packed, unknown ? SIZE_MAX : n_packed, &back, &n_back, &used, why,
                                 sizeof(why)));
        EXPECT(n_back == n && used == n_packed && memcmp(back, data, n) == 0);
        free(back);
    }
    for (size_t cut = 0; cut < n_packed; cut++) {
        char *part = malloc(cut ? cut : 1);

        memcpy(part, packed, cut);
        EXPECT(!ls_packed_unpack(part, cut, &back, &n_back, NULL, why, sizeof(why)) && *why);
        free(part);
    }
    free(packed);
    free(data);
}

LS_TEST(compressed_by_zstd)
{
    pack_and_unpack(LS_PACKING_ZSTD);
}

LS_TEST(compressed_by_zlib)
{
    pack_and_unpack(LS_PACKING_ZLIB);
}

/* The same stream behind the header of another version. */
static char *
as_version(unsigned version, enum ls_packing packing, size_t *n_out, size_t *n_plain)
{
    char why[256], *data = make(n_plain), *out;
    size_t size = version == 3 ? 8 : 4, sizes = version == 1 ? 1 : 2, header = 16 + sizes * size, n;
    uint64_t plain = *n_plain;
    void *packed;

    REQUIRE(ls_packed_pack(data, *n_plain, packing, -1, &packed, &n, why, sizeof(why)));
    out = calloc(1, *n_out = n - 24 + header);
    memcpy(out, packed, 8);
    out[4] = (char)version;
    if (version > 1)
        memcpy(out + 8, n_out, size);
    memcpy(out + 8 + (sizes - 1) * size, &plain, size);
    memcpy(out + header, (char *)packed + 24, n - 24);
    free(packed);
    free(data);
    return out;
}

LS_TEST(versions)
{
    for (int i = 0; i < 12; i++) {
        enum ls_packing packing = i % 2 ? LS_PACKING_ZSTD : LS_PACKING_ZLIB;
        size_t n, n_plain, n_back;
        char why[256], *data = as_version(1 + (unsigned)i / 2 % 3, packing, &n, &n_plain);
        uint64_t used = 0;
        void *back;
        bool unknown = i >= 6; /* version 1 does not say how long it is: its stream does */

        REQUIRE(ls_packed_unpack(data, unknown ? SIZE_MAX : n, &back, &n_back, &used, why,
                                 sizeof(why)));
        EXPECT(n_back == n_plain && used == n);
        EXPECT(ls_bundle_length(back, n_back) == n_plain);
        free(back);
        free(data);
    }
}

/* What is wrong with a header where some bytes are others. */
static const char *
why_with(size_t at, uint32_t value, size_t bytes)
{
    static char why[256];
    size_t n, n_plain, n_back;
    char *data = as_version(2, LS_PACKING_ZSTD, &n, &n_plain);
    void *back;

    *why = 0;
    memcpy(data + at, &value, bytes);
    if (ls_packed_unpack(data, n, &back, &n_back, NULL, why, sizeof(why)))
        free(back);
    free(data);
    return why;
}

LS_TEST(headers_that_lie)
{
    EXPECT(strstr(why_with(4, 0, 2), "version 0"));
    EXPECT(strstr(why_with(4, 4, 2), "version 4"));
    EXPECT(strstr(why_with(6, 2, 2), "method 2"));
    EXPECT(strstr(why_with(8, UINT32_MAX, 4), "not all are there"));
    EXPECT(strstr(why_with(8, 24, 4), "that can't be"));
    EXPECT(strstr(why_with(12, 0, 4), "0 bytes"));
    EXPECT(strstr(why_with(12, 100, 4), "damaged"));
    EXPECT(strstr(why_with(12, UINT32_MAX, 4), "too short")); /* 4 GiB of a few bytes */
    EXPECT(strstr(why_with(24, 0, 4), "damaged"));          /* no zstd */
    EXPECT(strstr(why_with(0, 0, 4), "no compressed bundle"));
    EXPECT(!*why_with(16, 0, 4)); /* the hash is of no use against forgers, and isn't asked for */
}

LS_TEST(offload_binaries)
{
    const struct ls_offload o = {"gfx90a", "a unit", "nvidia", "bitcode", 7};
    size_t n = ls_offload_bytes(&o), used = 0;
    char *data = calloc(2, n);
    struct ls_offload got;

    ls_offload_write(&o, data);
    memcpy(data + n, data, n);
    EXPECT_EQ(ls_offload_read(data, 2 * n, &got, &used), LS_OFFLOAD_READ);
    EXPECT_EQ(used, n);
    EXPECT_STR(got.arch, "gfx90a");
    EXPECT_STR(got.unit, "a unit");
    EXPECT_STR(got.device, "nvidia");
    EXPECT(got.image_bytes == 7 && memcmp(got.image, "bitcode", 7) == 0);
    EXPECT_EQ(ls_offload_read(data + n, n, &got, &used), LS_OFFLOAD_READ);
    EXPECT_EQ(ls_offload_read(data, n - 1, &got, &used), LS_OFFLOAD_DAMAGED);
    EXPECT_EQ(ls_offload_read(data + 8, n, &got, &used), LS_OFFLOAD_NONE);
    data[4] = 2;
    EXPECT_EQ(ls_offload_read(data, n, &got, &used), LS_OFFLOAD_DAMAGED);
    free(data);
}
