/* SPDX-License-Identifier: MIT */
/* Clang's offload bundle ("Clang Offload Bundler", its documentation): a magic, a table of entries,
 * their bytes; and the compressed form, "CCOB". Readers trust nothing: what does not lie inside the
 * given bytes is not read. All numbers are little-endian. Thread-safe. */
#ifndef LS_BASE_BUNDLE_H
#define LS_BASE_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LS_BUNDLE_MAGIC       "__CLANG_OFFLOAD_BUNDLE__"
#define LS_BUNDLE_MAGIC_BYTES 24u
#define LS_BUNDLE_ALIGN       4096u /* where an entry begins, as clang's driver asks for it */
#define LS_BUNDLE_MAX_ENTRIES 256u
#define LS_BUNDLE_MAX_ID      512u                /* with its end */
#define LS_BUNDLE_MAX_BYTES   ((uint64_t)1 << 40) /* of an entry, also where no end is known */

/* What begins the ids of entries, in front of the target. */
#define LS_BUNDLE_ID_HOST    "host-x86_64-unknown-linux--"
#define LS_BUNDLE_ID_AMD     "hipv4-amdgcn-amd-amdhsa--"
#define LS_BUNDLE_ID_AMD_OLD "hip-amdgcn-amd-amdhsa--"
#define LS_BUNDLE_ID_LSBC    "lockstep-bc--"
#define LS_BUNDLE_ID_LSAO    "lockstep-cpu--"

/* ---- reading ---- */

struct ls_bundle {
    const char *base; /* borrowed */
    size_t bytes;
    uint64_t n_entries;
    uint64_t next, at; /* number of the next entry, and where its row lies */
};

struct ls_bundle_entry {
    char id[LS_BUNDLE_MAX_ID];
    uint64_t offset, bytes; /* of its data in the bundle */
    const char *data;
};

/* False: there is no bundle, or it has more entries than may be. bytes = SIZE_MAX when unknown. */
bool ls_bundle_open(const void *data, size_t bytes, struct ls_bundle *out);
/* The next entry. False: there was none left, or it is broken: then bundle->next <
 * bundle->n_entries. */
bool ls_bundle_next(struct ls_bundle *bundle, struct ls_bundle_entry *out);
/* The length of the whole bundle, its table and all entries; 0 when an entry is broken. */
uint64_t ls_bundle_length(const void *data, size_t bytes);
/* The target of an id ("gfx90a:xnack-") that begins with the given words, or NULL. */
const char *ls_bundle_target(const char *id, const char *kind);

/* ---- writing ---- */

struct ls_bundle_part {
    const char *id;
    const void *data;
    size_t bytes;
};

/* The length of the bundle of these parts, and the bundle itself, to zeroed bytes. */
size_t ls_bundle_bytes(const struct ls_bundle_part *parts, size_t n);
void ls_bundle_write(const struct ls_bundle_part *parts, size_t n, char *out);

/* ---- compressed ---- */

enum ls_packing { LS_PACKING_ZLIB = 0, LS_PACKING_ZSTD = 1 }; /* the numbers of the format */

/* The header of a compressed bundle, versions 1 to 3. */
struct ls_packed {
    unsigned version;
    enum ls_packing packing;
    size_t header_bytes;
    uint64_t file_bytes;  /* of the whole, with its header; 0 = version 1 does not say */
    uint64_t plain_bytes; /* of the bundle inside */
    uint64_t hash;        /* the first 8 bytes of the MD5 of the bundle inside */
};

#define LS_PACKED_MAX_BYTES ((uint64_t)1 << 32) /* of the bundle inside */

bool ls_packed_is(const void *data, size_t bytes);
/* False: why[] says what is wrong. bytes = SIZE_MAX when unknown. */
bool ls_packed_open(const void *data, size_t bytes, struct ls_packed *out, char *why,
                    size_t why_bytes);
/* The bundle inside, malloc'ed; *used, if not NULL, becomes the length of the compressed one. The
 * library of the packing (libzstd.so.1, libz.so.1) is opened when it is needed first. False: why[]
 * says what is wrong. */
bool ls_packed_unpack(const void *data, size_t bytes, void **plain, size_t *plain_bytes,
                      uint64_t *used, char *why, size_t why_bytes);
/* Whether the header's hash is that of the bundle. */
bool ls_packed_hash_fits(const struct ls_packed *packed, const void *plain, size_t plain_bytes);
/* The compressed form (pack.c), version 2, or 3 when 32 bits do not hold its sizes; malloc'ed.
 * level: of the library, -1 = clang's. False: why[] says what is wrong. */
bool ls_packed_pack(const void *plain, size_t plain_bytes, enum ls_packing packing, int level,
                    void **out, size_t *out_bytes, char *why, size_t why_bytes);

#endif
