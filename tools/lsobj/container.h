/* SPDX-License-Identifier: MIT */
/* The offload bundles of a file: of a program, shared library or object, or bundles alone. Trusts
 * nothing: every offset is checked against the bytes that are there. */
#ifndef LS_LSOBJ_CONTAINER_H
#define LS_LSOBJ_CONTAINER_H

#include "base/bundle.h"
#include "base/offload.h"

struct bytes {
    const char *data;
    size_t n;
};

bool slice(struct bytes from, uint64_t offset, uint64_t n, struct bytes *out);
bool read_at(struct bytes from, uint64_t offset, void *out, size_t n);

/* One bundle of a file. */
struct container {
    unsigned number;         /* from 1 on */
    uint64_t offset, length; /* in the file, as it lies there */
    bool is_packed;
    struct ls_packed packed; /* if it is: its header */
    struct bytes bundle;     /* borrowed; what was inside, where it is packed */
};

/* An entry and where it lies: at file_offset, or inside a packed bundle. */
struct entry {
    const struct container *container;
    unsigned index; /* from 0 on */
    const char *id;
    struct bytes data;
    uint64_t file_offset;
};

/* What is called for each bundle and then each of its entries; either may be NULL. False ends it.
 */
struct visitor {
    bool (*bundle)(void *user, const struct container *container);
    bool (*entry)(void *user, const struct entry *entry);
    void *user;
};

/* The section .hip_fatbin of an ELF file, or the whole of another one. False: a damaged ELF
 * file; an empty slice: it has no such section. */
bool container_section(struct bytes file, struct bytes *out);

/* Visits all bundles. False: it was ended; or the file is damaged, and why[] says where. */
bool container_visit(struct bytes file, const struct visitor *visitor, char *why, size_t why_bytes);

/* Visits LLVM's offload binaries, which objects have that are linked later, until `each` returns
 * false. False: one is damaged. */
bool container_visit_offload(struct bytes file, bool (*each)(void *, const struct ls_offload *),
                             void *user);

#endif
