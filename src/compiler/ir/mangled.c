/* SPDX-License-Identifier: MIT */
/* Mangled names, read by the grammar of the Itanium C++ ABI, 5.1, but for expressions: what stands
 * behind one is not read. */
#include "compiler/ir/mangled.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"
#define MAX_DEPTH 200

struct reader {
    const char *p;
    bool found; /* long double, the type */
    bool lost;  /* an expression, or nothing of the grammar */
    unsigned depth;
};

static void read_type(struct reader *r);
static void read_name(struct reader *r);
static void read_encoding(struct reader *r);

static bool
take(struct reader *r, const char *text)
{
    size_t n = strlen(text);

    if (r->lost || strncmp(r->p, text, n) != 0)
        return false;
    r->p += n;
    return true;
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
at_end(const struct reader *r)
{
    return r->lost || !*r->p || *r->p == '.' || *r->p == 'E';
}

/* Letters of `set`, maybe none, and `_`. */
static void
read_number(struct reader *r, const char *set)
{
    r->p += strspn(r->p, set);
    if (!take(r, "_"))
        r->lost = true;
}

/* <source-name> */
static void
read_identifier(struct reader *r)
{
    char *name;
    unsigned long n = is_digit(*r->p) ? strtoul(r->p, &name, 10) : 0;

    if (n == 0 || n > strlen(name))
        r->lost = true;
    else
        r->p = name + n;
}

static void
read_literal(struct reader *r)
{
    bool found = r->found;

    if (take(r, "_Z")) {
        read_encoding(r);
    } else {
        read_type(r);
        r->found = found; /* the type of a number does not count as a parameter type */
        while (*r->p && *r->p != 'E')
            r->p++;
    }
    if (!take(r, "E"))
        r->lost = true;
}

/* Behind the I or J. A declaration of a parameter may stand in front of its argument. */
static void
read_arguments(struct reader *r)
{
    while (!at_end(r)) {
        if (take(r, "J"))
            read_arguments(r);
        else if (take(r, "L"))
            read_literal(r);
        else if (take(r, "Ty") || take(r, "Tp") ||
                 take(r, "Tn")) /* the type behind Tn is read like an argument, by the next round */
            continue;
        else if (*r->p == 'X' || *r->p == 'Q' || !strncmp(r->p, "Tt", 2) || !strncmp(r->p, "Tk", 2))
            r->lost = true;
        else
            read_type(r);
    }
    if (!take(r, "E"))
        r->lost = true;
}

static void
read_optional_arguments(struct reader *r)
{
    if (take(r, "I"))
        read_arguments(r);
}

/* S_ S1A_ St Sa ... */
static void
read_substitution(struct reader *r)
{
    if (*r->p >= 'a' && *r->p <= 'z')
        r->p++;
    else
        read_number(r, DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

static void
read_template_parameter(struct reader *r)
{
    if (take(r, "L"))
        read_number(r, DIGITS);
    read_number(r, DIGITS);
}

/* Ul <type>+ E [number] _ and Ut [number] _ */
static void
read_unnamed(struct reader *r)
{
    if (take(r, "Ul")) {
        while (!at_end(r))
            read_type(r);
        if (!take(r, "E"))
            r->lost = true;
    } else if (!take(r, "Ut")) {
        r->lost = true;
    }
    read_number(r, DIGITS);
}

static void
read_operator(struct reader *r)
{
    if (take(r, "cv"))
        read_type(r);
    else if (take(r, "li"))
        read_identifier(r);
    else if (*r->p >= 'a' && *r->p <= 'z' && r->p[1])
        r->p += 2;
    else
        r->lost = true;
}

/* <unqualified-name> without template arguments */
static void
read_unqualified(struct reader *r)
{
    while (take(r, "L") || take(r, "F") || take(r, "W")) /* internal linkage, friend, module */
        ;
    if (is_digit(*r->p)) {
        read_identifier(r);
    } else if (*r->p == 'U') {
        read_unnamed(r);
    } else if (take(r, "DC")) { /* structured binding */
        while (!at_end(r))
            read_identifier(r);
        if (!take(r, "E"))
            r->lost = true;
    } else if ((*r->p == 'C' || *r->p == 'D') && r->p[1]) { /* constructor, destructor */
        bool inherits = !strncmp(r->p, "CI", 2);

        if (!is_digit(r->p[inherits ? 2 : 1])) /* decltype */
            r->lost = true;
        r->p += inherits && !r->lost ? 3 : 2;
        if (inherits)
            read_type(r);
    } else {
        read_operator(r);
    }
    while (take(r, "B")) /* tags */
        read_identifier(r);
}

static void
read_nested(struct reader *r)
{
    r->p += strspn(r->p, "rVKRO");
    while (!at_end(r)) {
        if (take(r, "I"))
            read_arguments(r);
        else if (take(r, "S"))
            read_substitution(r);
        else if (take(r, "T"))
            read_template_parameter(r);
        else if (!take(r, "M")) /* of a lambda in a member's initialiser */
            read_unqualified(r);
    }
    if (!take(r, "E"))
        r->lost = true;
}

static void
read_local(struct reader *r)
{
    read_encoding(r);
    if (!take(r, "E"))
        r->lost = true;
    if (take(r, "d"))
        read_number(r, DIGITS);
    if (!take(r, "s"))
        read_name(r);
    if (take(r, "__"))
        read_number(r, DIGITS);
    else if (*r->p == '_' && is_digit(r->p[1]))
        r->p += 2;
}

static void
read_name(struct reader *r)
{
    if (take(r, "N")) {
        read_nested(r);
    } else if (take(r, "Z")) {
        read_local(r);
    } else {
        if (take(r, "St") || *r->p != 'S')
            read_unqualified(r);
        else if (take(r, "S"))
            read_substitution(r);
        read_optional_arguments(r);
    }
}

/* ---- Types ---- */

/* Behind the D. */
static void
read_d_type(struct reader *r)
{
    char c = *r->p;

    if (c)
        r->p++;
    switch (c) {
    case 'a': /* auto, decltype(auto), decimals, char8_t and its kin, nullptr_t */
    case 'c':
    case 'd':
    case 'e':
    case 'f':
    case 'h':
    case 'i':
    case 'n':
    case 's':
    case 'u':
        break;
    case 'F': /* _Float16: F16_, __bf16: F16b, _Float32x: F32x */
        r->p += strspn(r->p, DIGITS);
        if (!take(r, "_") && !take(r, "b") && !take(r, "x"))
            r->lost = true;
        break;
    case 'B': /* _BitInt */
    case 'U':
        read_number(r, DIGITS);
        break;
    case 'v':
        read_number(r, DIGITS);
        read_type(r);
        break;
    case 'p': /* pack expansion; noexcept and transaction_safe functions */
    case 'o':
    case 'x':
        read_type(r);
        break;
    case 'w':
        while (!at_end(r))
            read_type(r);
        take(r, "E");
        read_type(r);
        break;
    default: /* decltype, computed noexcept: expressions */
        r->lost = true;
        break;
    }
}

static void
read_function_type(struct reader *r)
{
    take(r, "Y");
    while (!at_end(r)) {
        if ((*r->p == 'R' || *r->p == 'O') && r->p[1] == 'E')
            r->p++;
        else
            read_type(r);
    }
    if (!take(r, "E"))
        r->lost = true;
}

static void
read_type_letter(struct reader *r)
{
    char c = *r->p;

    if (c)
        r->p++;
    switch (c) {
    case 'e':
        r->found = true;
        break;
    case 'D':
        read_d_type(r);
        break;
    case 'F':
        read_function_type(r);
        break;
    case 'A':
        read_number(r, DIGITS);
        read_type(r);
        break;
    case 'M':
        read_type(r);
        read_type(r);
        break;
    case 'U': /* a vendor's qualifier */
        read_identifier(r);
        read_optional_arguments(r);
        read_type(r);
        break;
    case 'u': /* a vendor's type */
        read_identifier(r);
        read_optional_arguments(r);
        break;
    case 'T':
        if (*r->p == 's' || *r->p == 'u' || *r->p == 'e') {
            r->p++;
            read_name(r);
        } else {
            read_template_parameter(r);
            read_optional_arguments(r);
        }
        break;
    default:
        if (!c || !strchr("vwbcahstijlmxynofdgz", c))
            r->lost = true;
        break;
    }
}

static void
read_type(struct reader *r)
{
    r->p += strspn(r->p, "rVKPROCG");
    if (r->lost || ++r->depth > MAX_DEPTH) {
        r->lost = true;
        return;
    }
    if (*r->p == 'N' || *r->p == 'Z' || *r->p == 'S' || is_digit(*r->p))
        read_name(r);
    else
        read_type_letter(r);
    r->depth--;
}

/* A name, and the types of a function's result and parameters. */
static void
read_encoding(struct reader *r)
{
    if (++r->depth > MAX_DEPTH) {
        r->lost = true;
        return;
    }
    read_name(r);
    while (!at_end(r))
        read_type(r);
    r->depth--;
}

bool
ls_mangled_has_long_double(const char *name)
{
    struct reader r = {.p = name};

    if (!take(&r, "_Z"))
        return false;
    read_encoding(&r);
    return r.found;
}
