/* SPDX-License-Identifier: MIT */
/* LLVM's llvm/Object/OffloadBinary.h, version 1: a header; an entry, which says where a table of
 * strings and an image are; the table, pairs of offsets (key, value); the strings; the image. All
 * offsets count from the header. */
#include "base/offload.h"

#include <string.h>

#define ALIGN   8u
#define VERSION 1u

static const unsigned char magic[4] = {0x10, 0xff, 0x10, 0xad};

struct header {
    unsigned char magic[4];
    uint32_t version;
    uint64_t bytes, entry_off, entry_bytes;
};

struct entry {
    uint16_t image_kind, offload_kind;
    uint32_t flags;
    uint64_t strings_off, n_strings, image_off, image_bytes;
};

struct string {
    uint64_t key_off, value_off;
};

enum { KIND_BITCODE = 2, KIND_HIP = 3 }; /* of images, of offloading */

#define TRIPLE     "amdgcn-amd-amdhsa"
#define KEY_UNIT   "lockstep-unit"
#define KEY_DEVICE "lockstep-device"
#define N_STRINGS  4u

static size_t
align(size_t n)
{
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

static void
list_strings(const struct ls_offload *o, const char *pairs[N_STRINGS][2])
{
    const char *const list[N_STRINGS][2] = {
        {"triple", TRIPLE}, {"arch", o->arch}, {KEY_UNIT, o->unit}, {KEY_DEVICE, o->device}};

    memcpy(pairs, list, sizeof(list));
}

#define STRINGS_OFF (sizeof(struct header) + sizeof(struct entry))
#define TEXT_OFF    (STRINGS_OFF + N_STRINGS * sizeof(struct string))

static size_t
image_off(const struct ls_offload *o)
{
    const char *pairs[N_STRINGS][2];
    size_t n = TEXT_OFF;

    list_strings(o, pairs);
    for (unsigned i = 0; i < N_STRINGS; i++)
        n += strlen(pairs[i][0]) + strlen(pairs[i][1]) + 2;
    return align(n);
}

size_t
ls_offload_bytes(const struct ls_offload *o)
{
    return align(image_off(o) + o->image_bytes);
}

static uint64_t
put_text(char *out, size_t *at, const char *text)
{
    size_t off = *at;

    memcpy(out + off, text, strlen(text) + 1);
    *at += strlen(text) + 1;
    return off;
}

void
ls_offload_write(const struct ls_offload *o, char *out)
{
    struct header h = {.version = VERSION,
                       .bytes = ls_offload_bytes(o),
                       .entry_off = sizeof(h),
                       .entry_bytes = sizeof(struct entry)};
    struct entry e = {.image_kind = KIND_BITCODE,
                      .offload_kind = KIND_HIP,
                      .strings_off = STRINGS_OFF,
                      .n_strings = N_STRINGS,
                      .image_off = image_off(o),
                      .image_bytes = o->image_bytes};
    const char *pairs[N_STRINGS][2];
    size_t at = TEXT_OFF;

    list_strings(o, pairs);
    memcpy(h.magic, magic, sizeof(magic));
    memcpy(out, &h, sizeof(h));
    memcpy(out + sizeof(h), &e, sizeof(e));
    for (unsigned i = 0; i < N_STRINGS; i++) {
        struct string s;

        s.key_off = put_text(out, &at, pairs[i][0]);
        s.value_off = put_text(out, &at, pairs[i][1]);
        memcpy(out + STRINGS_OFF + i * sizeof(s), &s, sizeof(s));
    }
    if (o->image_bytes)
        memcpy(out + e.image_off, o->image, o->image_bytes);
}

/* ---- reading ---- */

static bool
lies_in(uint64_t off, uint64_t n, uint64_t bytes)
{
    return off <= bytes && n <= bytes - off;
}

/* A string of the binary, or NULL when it has no end there. */
static const char *
text_at(const char *data, uint64_t bytes, uint64_t off)
{
    return off < bytes && memchr(data + off, 0, bytes - off) ? data + off : NULL;
}

static bool
read_strings(const char *data, uint64_t bytes, const struct entry *e, struct ls_offload *out)
{
    out->device = "";
    if (e->n_strings > bytes / sizeof(struct string) ||
        !lies_in(e->strings_off, e->n_strings * sizeof(struct string), bytes))
        return false;
    for (uint64_t i = 0; i < e->n_strings; i++) {
        const char *key, *value;
        struct string s;

        memcpy(&s, data + e->strings_off + i * sizeof(s), sizeof(s));
        key = text_at(data, bytes, s.key_off);
        value = text_at(data, bytes, s.value_off);
        if (!key || !value)
            return false;
        if (!strcmp(key, "arch"))
            out->arch = value;
        else if (!strcmp(key, KEY_UNIT))
            out->unit = value;
        else if (!strcmp(key, KEY_DEVICE))
            out->device = value;
    }
    return out->arch != NULL;
}

enum ls_offload_result
ls_offload_read(const char *data, size_t n, struct ls_offload *out, size_t *used)
{
    struct header h;
    struct entry e;

    *out = (struct ls_offload){.arch = NULL};
    if (n < sizeof(h) || memcmp(data, magic, sizeof(magic)) != 0)
        return LS_OFFLOAD_NONE;
    memcpy(&h, data, sizeof(h));
    if (h.version != VERSION || h.bytes < sizeof(h) || h.bytes > n ||
        !lies_in(h.entry_off, sizeof(e), h.bytes))
        return LS_OFFLOAD_DAMAGED;
    memcpy(&e, data + h.entry_off, sizeof(e));
    if (!lies_in(e.image_off, e.image_bytes, h.bytes) || !read_strings(data, h.bytes, &e, out))
        return LS_OFFLOAD_DAMAGED;
    out->image = data + e.image_off;
    out->image_bytes = e.image_bytes;
    *used = h.bytes;
    return LS_OFFLOAD_READ;
}
