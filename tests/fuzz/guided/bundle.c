/* SPDX-License-Identifier: MIT */
/* The readers of offload bundles, plain and compressed, alone or in a program's section; of LLVM's
 * offload binaries; and of URIs. Whatever is read lies inside, and a bundle that is written of the
 * parts of another one has the same parts. */
#include <string.h>

#include "container.h"
#include "guided.h"
#include "uri.h"
#include "base/offload.h"

enum { MAX_PARTS = 8, MOST = 1 << 16 };

struct parts {
    struct ls_bundle_part of[MAX_PARTS];
    char *ids[MAX_PARTS];
    size_t n, bytes;
};

static bool
visit(void *user, const struct entry *entry)
{
    struct parts *parts = user;

    guided_touch(entry->data.data, entry->data.n);
    if (parts->n < MAX_PARTS && entry->container->number == 1 && parts->bytes < MOST) {
        parts->ids[parts->n] = strdup(entry->id);
        parts->of[parts->n].id = parts->ids[parts->n];
        parts->of[parts->n].data = memcpy(malloc(entry->data.n + 1), entry->data.data,
                                          entry->data.n);
        parts->bytes += parts->of[parts->n++].bytes = entry->data.n;
    }
    return true;
}

static void
write_again(const struct parts *parts)
{
    size_t n = ls_bundle_bytes(parts->of, parts->n), plain_bytes;
    char *out = calloc(1, n), why[256];
    void *packed, *plain;
    struct ls_bundle b;
    struct ls_bundle_entry e;

    ls_bundle_write(parts->of, parts->n, out);
    GUIDED_ASSERT(ls_bundle_open(out, n, &b) && b.n_entries == parts->n);
    for (size_t i = 0; i < parts->n; i++) {
        GUIDED_ASSERT(ls_bundle_next(&b, &e));
        GUIDED_ASSERT(!strcmp(e.id, parts->of[i].id) && e.bytes == parts->of[i].bytes);
        GUIDED_ASSERT(!memcmp(e.data, parts->of[i].data, e.bytes));
    }
    GUIDED_ASSERT(!ls_bundle_next(&b, &e));
    if (n < MOST && ls_packed_pack(out, n, parts->n & 1 ? LS_PACKING_ZSTD : LS_PACKING_ZLIB, 1,
                                   &packed, &plain_bytes, why, sizeof(why))) {
        size_t packed_bytes = plain_bytes;

        GUIDED_ASSERT(ls_packed_unpack(packed, packed_bytes, &plain, &plain_bytes, NULL, why,
                                       sizeof(why)));
        GUIDED_ASSERT(plain_bytes == n && !memcmp(plain, out, n));
        free(plain);
        free(packed);
    }
    free(out);
}

static void
try_uri(const char *input, size_t n)
{
    char *text = malloc(n + 1), why[512];
    struct uri uri;

    memcpy(text, input, n);
    text[n] = 0;
    if (uri_parse(text, &uri, why, sizeof(why))) {
        char *name = uri_file_name(&uri), *again = uri.path ? uri_encode(uri.path) : NULL;

        GUIDED_ASSERT(name && !strchr(name, '/'));
        free(name);
        free(again);
        uri_fini(&uri);
    } else {
        GUIDED_ASSERT(*why);
    }
    free(text);
}

static void
try_offload(const char *data, size_t n)
{
    struct ls_offload o;
    size_t used;

    while (ls_offload_read(data, n, &o, &used) == LS_OFFLOAD_READ) {
        GUIDED_ASSERT(used && used <= n);
        guided_touch(o.image, o.image_bytes);
        guided_touch(o.arch, strlen(o.arch) + 1);
        guided_touch(o.device, strlen(o.device) + 1);
        if (o.unit)
            guided_touch(o.unit, strlen(o.unit) + 1);
        data += used;
        n -= used;
    }
}

static bool
touch(void *user, const struct ls_offload *o)
{
    (void)user;
    guided_touch(o->image, o->image_bytes);
    guided_touch(o->arch, strlen(o->arch) + 1);
    return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
    struct bytes file = {(const char *)input, n}, section;
    struct parts parts = {.n = 0};
    struct visitor visitor = {NULL, visit, &parts};
    char why[512] = "";

    if (!container_visit(file, &visitor, why, sizeof(why)))
        GUIDED_ASSERT(*why);
    if (container_section(file, &section))
        guided_touch(section.data, section.n);
    container_visit_offload(file, touch, NULL);
    if (parts.n)
        write_again(&parts);
    for (size_t i = 0; i < parts.n; i++) {
        free(parts.ids[i]);
        free((void *)(uintptr_t)parts.of[i].data);
    }
    try_offload(file.data, n);
    if (n < 4096)
        try_uri(file.data, n);
    return 0;
}
