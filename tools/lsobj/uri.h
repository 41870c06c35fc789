/* SPDX-License-Identifier: MIT */
/* Where a code object lies, as a URI: file://PATH[#offset=N&size=N] or memory://PID#offset=N&size=N
 * (ROCm's document "HIP Programming Guide", 3.5.2.1). Of this project alone is &entry=N: entry N,
 * from 0 on, of the bundle in that range, which is what entries of compressed bundles need. */
#ifndef LS_LSOBJ_URI_H
#define LS_LSOBJ_URI_H

#include "container.h"

struct uri {
    char *path; /* owned, decoded; NULL: memory */
    long pid;   /* of memory */
    uint64_t offset, size;
    bool has_size; /* without it: to the end of the file */
    bool has_entry;
    uint64_t entry;
};

/* False: why[] says what is wrong, and there is nothing to free. */
bool uri_parse(const char *text, struct uri *out, char *why, size_t why_bytes);
void uri_fini(struct uri *uri);

/* The path as it stands in a URI, malloc'ed. */
char *uri_encode(const char *path);

/* The bytes that it names: *data lies in *memory, which is malloc'ed. Where no size was given,
 * uri->size becomes it. False: why[] says what is wrong, and there is nothing to free. */
bool uri_read(struct uri *uri, void **memory, struct bytes *data, char *why, size_t why_bytes);

/* The file name of what is extracted, without a folder; malloc'ed. */
char *uri_file_name(const struct uri *uri);

#endif
