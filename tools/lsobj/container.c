/* SPDX-License-Identifier: MIT */
/* Finds bundles in files, opens compressed ones, and steps through entries. */
#include "container.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTION ".hip_fatbin"
#define STEP    8u /* bundles lie on multiples of it */

bool
slice(struct bytes from, uint64_t offset, uint64_t n, struct bytes *out)
{
    if (offset > from.n || n > from.n - offset)
        return false;
    *out = (struct bytes){from.data + offset, n};
    return true;
}

bool
read_at(struct bytes from, uint64_t offset, void *out, size_t n)
{
    struct bytes part;

    if (!slice(from, offset, n, &part))
        return false;
    memcpy(out, part.data, n);
    return true;
}

static bool
find_section(struct bytes file, const char *wanted, struct bytes *out)
{
    size_t n = strlen(wanted) + 1;
    Elf64_Ehdr elf;
    Elf64_Shdr names, section;
    struct bytes strings, name;

    *out = file;
    if (file.n < SELFMAG || memcmp(file.data, ELFMAG, SELFMAG) != 0)
        return true;
    *out = (struct bytes){NULL, 0};
    if (!read_at(file, 0, &elf, sizeof(elf)) || elf.e_ident[EI_CLASS] != ELFCLASS64)
        return false;
    if (elf.e_shnum == 0)
        return true;
    if (elf.e_shentsize != sizeof(section) || elf.e_shoff > file.n ||
        !read_at(file, elf.e_shoff + (uint64_t)elf.e_shstrndx * sizeof(names), &names,
                 sizeof(names)) ||
        !slice(file, names.sh_offset, names.sh_size, &strings))
        return false;
    for (unsigned i = 0; i < elf.e_shnum; i++) {
        if (!read_at(file, elf.e_shoff + i * sizeof(section), &section, sizeof(section)))
            return false;
        if (section.sh_type != SHT_NOBITS && slice(strings, section.sh_name, n, &name) &&
            memcmp(name.data, wanted, n) == 0)
            return slice(file, section.sh_offset, section.sh_size, out);
    }
    return true;
}

bool
container_section(struct bytes file, struct bytes *out)
{
    return find_section(file, SECTION, out);
}

bool
container_visit_offload(struct bytes file, bool (*each)(void *, const struct ls_offload *),
                        void *user)
{
    enum ls_offload_result result = LS_OFFLOAD_NONE;
    struct bytes section;

    if (!find_section(file, ".llvm.offloading", &section))
        return true; /* which container_visit has told */
    for (size_t at = 0, used; at < section.n;
         at += result == LS_OFFLOAD_READ ? (used + STEP - 1) / STEP * STEP : STEP) {
        struct ls_offload offload;

        result = ls_offload_read(section.data + at, section.n - at, &offload, &used);
        if (result == LS_OFFLOAD_DAMAGED)
            return false;
        if (result == LS_OFFLOAD_READ && !each(user, &offload))
            break;
    }
    return true;
}

static bool
visit_entries(const struct container *c, const struct visitor *visitor, char *why, size_t why_bytes)
{
    struct ls_bundle bundle;
    struct ls_bundle_entry e;

    ls_bundle_open(c->bundle.data, c->bundle.n, &bundle);
    if (visitor->bundle && !visitor->bundle(visitor->user, c))
        return false;
    while (ls_bundle_next(&bundle, &e)) {
        struct entry entry = {.container = c,
                              .index = (unsigned)bundle.next - 1,
                              .id = e.id,
                              .data = {e.data, e.bytes},
                              .file_offset = c->offset + e.offset};

        if (visitor->entry && !visitor->entry(visitor->user, &entry))
            return false;
    }
    if (bundle.next == bundle.n_entries)
        return true;
    snprintf(why, why_bytes, "damaged offload bundle: entry %llu of %llu",
             (unsigned long long)bundle.next, (unsigned long long)bundle.n_entries);
    return false;
}

/* One bundle at the begin of `rest`. */
static bool
visit_bundle(struct container *c, struct bytes rest, const struct visitor *visitor, char *why,
             size_t why_bytes)
{
    char reason[256];
    void *plain = NULL;
    size_t n;
    bool ok;

    c->number++;
    c->is_packed = ls_packed_is(rest.data, rest.n);
    c->bundle = rest;
    if (c->is_packed) {
        if (!ls_packed_open(rest.data, rest.n, &c->packed, reason, sizeof(reason)) ||
            !ls_packed_unpack(rest.data, rest.n, &plain, &n, &c->length, reason, sizeof(reason))) {
            snprintf(why, why_bytes, "compressed offload bundle: %s", reason);
            return false;
        }
        c->bundle = (struct bytes){plain, n};
    }
    n = ls_bundle_length(c->bundle.data, c->bundle.n);
    if (!c->is_packed && n)
        c->length = n;
    if (n) {
        ok = visit_entries(c, visitor, why, why_bytes);
    } else {
        snprintf(why, why_bytes, "damaged offload bundle");
        ok = false;
    }
    free(plain);
    return ok;
}

/* A section may hold the bundles of several translation units, each on a page boundary of its
 * own. */
bool
container_visit(struct bytes file, const struct visitor *visitor, char *why, size_t why_bytes)
{
    struct container c = {.number = 0};
    struct bytes section;

    *why = 0;
    if (!container_section(file, &section)) {
        snprintf(why, why_bytes, "damaged ELF file");
        return false;
    }
    for (size_t at = 0; at < section.n;) {
        struct bytes rest = {section.data + at, section.n - at};

        if (!ls_packed_is(rest.data, rest.n) &&
            (rest.n < LS_BUNDLE_MAGIC_BYTES ||
             memcmp(rest.data, LS_BUNDLE_MAGIC, LS_BUNDLE_MAGIC_BYTES) != 0)) {
            at += STEP;
            continue;
        }
        c.offset = (uint64_t)(rest.data - file.data);
        if (!visit_bundle(&c, rest, visitor, why, why_bytes))
            return false;
        at += (c.length + STEP - 1) / STEP * STEP;
    }
    return true;
}
