/* SPDX-License-Identifier: MIT */
/* libzstd and libz, as far as compressed bundles need them: opened when one is met first, so that
 * nothing depends on them otherwise. */
#ifndef LS_BASE_PACKING_H
#define LS_BASE_PACKING_H

#include <stdbool.h>
#include <stddef.h>

/* Functions of a library that is open, by name; the table ends with a NULL name. */
struct ls_packing_symbol {
    const char *name;
    void (**to)(void);
};

/* Opens a library for good and fills the table in. False: why[] says what is missing. */
bool ls_packing_open(const char *library, const struct ls_packing_symbol *symbols, char *why,
                     size_t why_bytes);

#define LS_PACKING_LIBZSTD "libzstd.so.1"
#define LS_PACKING_LIBZ    "libz.so.1"

#endif
