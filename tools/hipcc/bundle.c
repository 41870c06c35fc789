/* SPDX-License-Identifier: MIT */
/* Writes clang's offload bundle: magic, entry table, entries on 4096-byte boundaries. */
#include "hipcc_priv.h"

#include <string.h>

#define BUNDLE_MAGIC "__CLANG_OFFLOAD_BUNDLE__"
#define BUNDLE_ALIGN 4096

struct entry {
    char *id;
    const struct ls_buf *data;
};

static void
add_u64(struct ls_buf *out, uint64_t value)
{
    unsigned char bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    ls_buf_add(out, bytes, sizeof(bytes));
}

/* AMD's runtime reads the entries in order, so those it knows come first. */
static size_t
list_entries(const struct ls_image *images, size_t n, struct entry *entries)
{
    static const struct ls_buf nothing;
    size_t count = 0;

    entries[count++] = (struct entry){"host-x86_64-unknown-linux--", &nothing};
    for (size_t i = 0; i < n; i++)
        if (images[i].code.n)
            entries[count++] = (struct entry){
                ls_hipcc_format("hipv4-amdgcn-amd-amdhsa--%s", images[i].arch), &images[i].code};
    for (size_t i = 0; i < n; i++) {
        int base = (int)strcspn(images[i].arch, ":");

        entries[count++] = (struct entry){
            ls_hipcc_format("lockstep-bc--%.*s", base, images[i].arch), &images[i].lsbc};
        if (images[i].ahead.n)
            entries[count++] = (struct entry){
                ls_hipcc_format("lockstep-cpu--%.*s", base, images[i].arch), &images[i].ahead};
    }
    return count;
}

void
ls_bundle_build(const struct ls_image *images, size_t n, struct ls_buf *out)
{
    struct entry *entries = ls_hipcc_alloc((1 + 3 * n) * sizeof(*entries));
    size_t count = list_entries(images, n, entries);
    size_t offset = strlen(BUNDLE_MAGIC) + 8;

    for (size_t i = 0; i < count; i++)
        offset += 24 + strlen(entries[i].id);
    ls_buf_add(out, BUNDLE_MAGIC, strlen(BUNDLE_MAGIC));
    add_u64(out, count);
    for (size_t i = 0; i < count; i++) {
        offset = (offset + BUNDLE_ALIGN - 1) / BUNDLE_ALIGN * BUNDLE_ALIGN;
        add_u64(out, offset);
        add_u64(out, entries[i].data->n);
        add_u64(out, strlen(entries[i].id));
        ls_buf_add(out, entries[i].id, strlen(entries[i].id));
        offset += entries[i].data->n;
    }
    for (size_t i = 0; i < count; i++) {
        ls_buf_align(out, BUNDLE_ALIGN);
        ls_buf_add(out, entries[i].data->data, entries[i].data->n);
    }
}
