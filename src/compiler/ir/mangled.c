/* SPDX-License-Identifier: MIT */
/* Mangled names, read just far enough to tell builtin types from letters of identifiers. */
#include "compiler/ir/mangled.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

/* Behind `p`'s digits and the identifier of that length, or the end of the text. */
static const char *
skip_identifier(const char *p)
{
    char *name;
    unsigned long n = strtoul(p, &name, 10), there = strlen(name);

    return name + (n < there ? n : there);
}

/* Behind letters of `set` and the `_` that closes them; p itself when there is no `_`. */
static const char *
skip_number(const char *p, const char *set)
{
    size_t n = strspn(p, set);

    return p[n] == '_' ? p + n + 1 : p;
}

/* L <type> <value> E; of the types, classes and enumerations have names. In a nested name, L <identifier> is one of
 * internal linkage. */
static const char *
skip_literal(const char *p)
{
    if (*p == '_') /* L_Z <name> E */
        return p;
    if (*p == 'N') {
        for (p++; *p && *p != 'E';)
            p = *p >= '0' && *p <= '9' ? skip_identifier(p) : p + 1;
    } else if (*p >= '0' && *p <= '9') {
        p = skip_identifier(p);
        if (p[(*p == 'n') + strspn(p + (*p == 'n'), DIGITS)] != 'E' || *p == 'E')
            return p;
    }
    if (*p)
        p++;
    while (*p && *p != 'E')
        p++;
    return *p ? p + 1 : p;
}

bool
ls_mangled_has_long_double(const char *name)
{
    const char *p = name;

    if (strncmp(p, "_Z", 2) != 0)
        return false;
    p += 2;
    if (*p == 'L') /* internal linkage */
        p++;
    while (*p && *p != '.') {
        char c = *p;

        if (c >= '0' && c <= '9') {
            p = skip_identifier(p);
            continue;
        }
        p++;
        switch (c) {
        case 'e':
            return true;
        case 'X': /* an expression: its operators are letters too */
            return false;
        case 'L':
            p = skip_literal(p);
            break;
        case 'D': /* two letters: Dn, Dp, De (decimal), ... */
            if (*p)
                p++;
            break;
        case 'S': /* substitutions: St, S_, S1A_ */
            if (*p >= 'a' && *p <= 'z')
                p++;
            else
                p = skip_number(p, DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
            break;
        case 'A': /* arrays */
        case 'T': /* template parameters */
        case 'E': /* of a lambda, its number follows */
            p = skip_number(p, DIGITS);
            break;
        default:
            break;
        }
    }
    return false;
}
