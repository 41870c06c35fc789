/* SPDX-License-Identifier: MIT */
/* Offload bundles: the magic, the number of entries, a row for each (offset, bytes, length of the
 * id, id), and their data. */
#include "base/bundle.h"

#include <string.h>

#define HEADER_BYTES (LS_BUNDLE_MAGIC_BYTES + 8u)
#define ROW_BYTES    24u

static bool
lies_in(uint64_t off, uint64_t n, uint64_t bytes)
{
    return off <= bytes && n <= bytes - off;
}

static uint64_t
read64(const char *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof(v));
    return v;
}

bool
ls_bundle_open(const void *data, size_t bytes, struct ls_bundle *out)
{
    *out = (struct ls_bundle){.base = data, .bytes = bytes, .at = HEADER_BYTES};
    if (bytes < HEADER_BYTES || memcmp(data, LS_BUNDLE_MAGIC, LS_BUNDLE_MAGIC_BYTES) != 0)
        return false;
    out->n_entries = read64(out->base + LS_BUNDLE_MAGIC_BYTES);
    return out->n_entries <= LS_BUNDLE_MAX_ENTRIES;
}

bool
ls_bundle_next(struct ls_bundle *b, struct ls_bundle_entry *out)
{
    const char *row = b->base + b->at;
    uint64_t id_bytes;

    if (b->next >= b->n_entries || !lies_in(b->at, ROW_BYTES, b->bytes))
        return false;
    out->offset = read64(row);
    out->bytes = read64(row + 8);
    id_bytes = read64(row + 16);
    if (id_bytes >= LS_BUNDLE_MAX_ID || !lies_in(b->at + ROW_BYTES, id_bytes, b->bytes) ||
        out->offset > LS_BUNDLE_MAX_BYTES || out->bytes > LS_BUNDLE_MAX_BYTES ||
        !lies_in(out->offset, out->bytes, b->bytes))
        return false;
    memcpy(out->id, row + ROW_BYTES, id_bytes);
    out->id[id_bytes] = 0;
    out->data = b->base + out->offset;
    b->at += ROW_BYTES + id_bytes;
    b->next++;
    return true;
}

uint64_t
ls_bundle_length(const void *data, size_t bytes)
{
    struct ls_bundle bundle;
    struct ls_bundle_entry entry;
    uint64_t end = 0;

    if (!ls_bundle_open(data, bytes, &bundle))
        return 0;
    while (ls_bundle_next(&bundle, &entry))
        if (entry.offset + entry.bytes > end)
            end = entry.offset + entry.bytes;
    if (bundle.next < bundle.n_entries)
        return 0;
    return end > bundle.at ? end : bundle.at;
}

const char *
ls_bundle_target(const char *id, const char *kind)
{
    size_t n = strlen(kind);

    return strncmp(id, kind, n) == 0 ? id + n : NULL;
}

static size_t
align(size_t n)
{
    return (n + LS_BUNDLE_ALIGN - 1) / LS_BUNDLE_ALIGN * LS_BUNDLE_ALIGN;
}

static size_t
table_bytes(const struct ls_bundle_part *parts, size_t n)
{
    size_t bytes = HEADER_BYTES;

    for (size_t i = 0; i < n; i++)
        bytes += ROW_BYTES + strlen(parts[i].id);
    return bytes;
}

size_t
ls_bundle_bytes(const struct ls_bundle_part *parts, size_t n)
{
    size_t bytes = table_bytes(parts, n);

    for (size_t i = 0; i < n; i++)
        bytes = align(bytes) + parts[i].bytes;
    return bytes;
}

static char *
put64(char *at, uint64_t value)
{
    memcpy(at, &value, sizeof(value));
    return at + sizeof(value);
}

void
ls_bundle_write(const struct ls_bundle_part *parts, size_t n, char *out)
{
    size_t offset = table_bytes(parts, n);
    char *row = out + LS_BUNDLE_MAGIC_BYTES;

    memcpy(out, LS_BUNDLE_MAGIC, LS_BUNDLE_MAGIC_BYTES);
    row = put64(row, n);
    for (size_t i = 0; i < n; i++) {
        size_t id_bytes = strlen(parts[i].id);

        offset = align(offset);
        row = put64(put64(put64(row, offset), parts[i].bytes), id_bytes);
        memcpy(row, parts[i].id, id_bytes);
        row += id_bytes;
        if (parts[i].bytes)
            memcpy(out + offset, parts[i].data, parts[i].bytes);
        offset += parts[i].bytes;
    }
}
