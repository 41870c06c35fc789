/* SPDX-License-Identifier: MIT */
#include "base/notation_priv.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ls_notation_parts[LS_NOTATION_PARTS] = {"simd", "register", "thread", "warp"};
static const char ARROW[] = "<->", WIDE_ARROW[] = "\xe2\x86\x94"; /* U+2194 */

enum { LARGEST_BIT = 63 };

__attribute__((format(printf, 2, 3))) static bool
fail(char error[160], const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(error, 160, format, ap);
    va_end(ap);
    return false;
}

bool
ls_notation_is_copy(const struct ls_notation_bit *bit)
{
    return bit->index[0] == '*';
}

void
ls_notation_bit_name(const struct ls_notation_bit *bit, char to[LS_NOTATION_NAME + 12])
{
    bool bare = ls_notation_is_copy(bit) || bit->is_bare;

    if (bare)
        snprintf(to, LS_NOTATION_NAME + 12, "%.*s", LS_NOTATION_MOST_NAME, bit->index);
    else
        snprintf(to, LS_NOTATION_NAME + 12, "%.*s%u", LS_NOTATION_MOST_NAME, bit->index,
                 bit->number);
}

/* ---- One side of a line ---- */

const char *
ls_notation_skip_space(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == ',')
        at++;
    return at;
}

bool
ls_notation_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Reads "j3 j2", the most significant one first, up to what is no name. */
static bool
read_bits(const char **at, struct ls_notation_bit *bits, unsigned *n, char error[160])
{
    *n = 0;
    for (*at = ls_notation_skip_space(*at);
         **at && **at != ';' && strncmp(*at, ARROW, 3) != 0 && strncmp(*at, WIDE_ARROW, 3) != 0;
         *at = ls_notation_skip_space(*at)) {
        struct ls_notation_bit *b = &bits[*n];
        size_t len = 0, digits;

        if (**at == '(') { /* a remark */
            const char *end = strchr(*at, ')');

            if (!end)
                return fail(error, "a parenthesis is not closed: %s", *at);
            *at = end + 1;
            continue;
        }
        if (*n == LS_NOTATION_MOST_BITS)
            return fail(error, "more than %d bits", LS_NOTATION_MOST_BITS);
        if (**at == '*') {
            *b = (struct ls_notation_bit){.index = "*"};
            ++*at;
            ++*n;
            continue;
        }
        while (ls_notation_is_word((*at)[len]))
            len++;
        if (!len || isdigit((unsigned char)**at))
            return fail(error, "an index bit is a name and a number, as j3, but here stands: %.20s",
                        *at);
        digits = len;
        while (digits > 1 && isdigit((unsigned char)(*at)[digits - 1]))
            digits--;
        if (digits > LS_NOTATION_MOST_NAME || len - digits > 2)
            return fail(error, "no index bit has such a name: %.*s", (int)(len < 60 ? len : 60),
                        *at);
        *b = (struct ls_notation_bit){.number = digits < len ? (unsigned)atoi(*at + digits) : 0,
                                      .is_bare = digits == len};
        memcpy(b->index, *at, digits);
        if (b->number > LARGEST_BIT)
            return fail(error, "no index has a bit %u: %.*s", b->number, (int)len, *at);
        *at += len;
        ++*n;
    }
    return true;
}

enum ls_notation_part
ls_notation_part_of(const char *line, const char **behind)
{
    for (unsigned p = 0; p < LS_NOTATION_PARTS; p++) {
        size_t n = strlen(ls_notation_parts[p]);
        const char *at = line;

        if (strncmp(at, ls_notation_parts[p], n) != 0)
            continue;
        at += n + (at[n] == 's');
        at += strspn(at, " \t");
        if (*at == ':') {
            *behind = at + 1;
            return (enum ls_notation_part)p;
        }
    }
    return LS_NOTATION_PARTS;
}

const char *
ls_notation_find_arrow(const char *line)
{
    const char *plain = strstr(line, ARROW), *wide = strstr(line, WIDE_ARROW);

    return plain && (!wide || plain < wide) ? plain : wide;
}

/* Gives the bits of the right side their places, by the left side where there is one. */
static bool
place_bits(struct ls_notation_line *out, enum ls_notation_part part,
           const struct ls_notation_bit *left, unsigned n_left, bool has_left,
           const struct ls_notation_bit *right, unsigned n, char error[160])
{
    const char *name = ls_notation_parts[part];

    if (has_left && n_left != n)
        return fail(error, "%s: %u bits on the left of <->, %u on the right", name, n_left, n);
    for (unsigned i = 0; i < n; i++) {
        unsigned to = n - 1 - i;

        if (has_left) {
            char text[LS_NOTATION_NAME + 12];

            ls_notation_bit_name(&left[i], text);
            if (left[i].index[0] != name[0] || left[i].index[1])
                return fail(error, "%s: on the left stands %s, where bits are called %c0, %c1, ...",
                            name, text, name[0], name[0]);
            to = left[i].number;
            if (to >= LS_NOTATION_MOST_BITS)
                return fail(error, "%s: there is no bit %s", name, text);
        }
        if (out->known >> to & 1)
            return fail(error, "%s: %c%u is named twice", name, name[0], to);
        out->bits[to] = right[i];
        out->known |= 1u << to;
        out->n = to + 1 > out->n ? to + 1 : out->n;
    }
    return true;
}

bool
ls_notation_read_line(const char *at, enum ls_notation_part part, struct ls_notation_line *out,
                      char error[160])
{
    struct ls_notation_bit left[LS_NOTATION_MOST_BITS], right[LS_NOTATION_MOST_BITS];
    unsigned n_left = 0, n = 0;
    bool has_left = ls_notation_find_arrow(at) != NULL;
    const char *unchanged = strstr(at, "(unchanged)");

    *out = (struct ls_notation_line){.is_there = true, .is_unchanged = unchanged != NULL};
    if (has_left) {
        if (!read_bits(&at, left, &n_left, error))
            return false;
        if (!ls_notation_find_arrow(at))
            return fail(error, "%s: a remark stands around <->", ls_notation_parts[part]);
        at += 3; /* both arrows have so many bytes */
    }
    if (!read_bits(&at, right, &n, error))
        return false;
    if (*at && *at != ';')
        return fail(error, "%s: a second <->", ls_notation_parts[part]);
    return place_bits(out, part, left, n_left, has_left, right, n, error);
}

bool
ls_notation_looks_like_bits(const char *at)
{
    struct ls_notation_bit bits[LS_NOTATION_MOST_BITS];
    char error[160];
    unsigned n;
    bool all = true;

    if (ls_notation_find_arrow(at) || strstr(at, "(unchanged)"))
        return true;
    if (!read_bits(&at, bits, &n, error))
        return false;
    for (at = ls_notation_skip_space(at); *at; at++)
        all = false;
    for (unsigned i = 0; i < n; i++)
        all &= !bits[i].is_bare || ls_notation_is_copy(&bits[i]) || !strcmp(bits[i].index, "ReIm");
    return all && n > 0;
}

bool
ls_notation_has_each_once(const struct ls_notation *n, char error[160])
{
    const struct ls_notation_bit *seen[LS_NOTATION_PARTS * LS_NOTATION_MOST_BITS];
    unsigned n_seen = 0;

    for (unsigned p = 0; p < LS_NOTATION_PARTS; p++)
        for (unsigned i = 0; i < n->parts[p].n; i++) {
            const struct ls_notation_bit *b = &n->parts[p].bits[i];
            char name[LS_NOTATION_NAME + 12];

            if (!(n->parts[p].known >> i & 1) || ls_notation_is_copy(b))
                continue;
            for (unsigned k = 0; k < n_seen; k++)
                if (!strcmp(seen[k]->index, b->index) && seen[k]->number == b->number) {
                    ls_notation_bit_name(b, name);
                    return fail(error, "index bit %s stands in two places", name);
                }
            seen[n_seen++] = b;
        }
    return n_seen > 0 || fail(error, "no index bits are named");
}

bool
ls_notation_parse(const char *text, struct ls_notation *out, char error[160])
{
    *out = (struct ls_notation){.parts[0].n = 0};
    while (*text) {
        size_t n = strcspn(text, ";\n");
        char line[256];
        const char *at, *behind;
        enum ls_notation_part part;

        snprintf(line, sizeof(line), "%.*s", (int)n, text);
        text += n + (text[n] != '\0');
        at = line + strspn(line, " \t/*");
        if (!*at)
            continue;
        part = ls_notation_part_of(at, &behind);
        if (part == LS_NOTATION_PARTS)
            return fail(
                error, "a line begins with simd:, register:, thread: or warp:, not with %.40s", at);
        if (out->parts[part].is_there)
            return fail(error, "two lines for %s", ls_notation_parts[part]);
        if (!ls_notation_read_line(behind, part, &out->parts[part], error))
            return false;
    }
    return ls_notation_has_each_once(out, error);
}

void
ls_notation_print(const struct ls_notation *n, const char *margin, char *to, size_t bytes)
{
    char left[LS_NOTATION_PARTS][96] = {"", "", "", ""}, right[LS_NOTATION_PARTS][400];
    size_t widest = 0, at = 0;

    *to = '\0';
    for (unsigned p = 0; p < LS_NOTATION_PARTS; p++) {
        const struct ls_notation_line *l = &n->parts[p];
        size_t r = 0, s = 0;

        right[p][0] = '\0';
        for (unsigned i = l->n; i-- > 0;) {
            char name[LS_NOTATION_NAME + 12];

            if (!(l->known >> i & 1))
                continue;
            ls_notation_bit_name(&l->bits[i], name);
            s += (size_t)snprintf(left[p] + s, sizeof(left[p]) - s, "%s%c%u", s ? " " : "",
                                  ls_notation_parts[p][0], i);
            r += (size_t)snprintf(right[p] + r, sizeof(right[p]) - r, "%s%s", r ? " " : "", name);
        }
        widest = s > widest ? s : widest;
    }
    for (unsigned p = 0; p < LS_NOTATION_PARTS; p++) {
        char head[16];

        if (!n->parts[p].known || at >= bytes)
            continue;
        snprintf(head, sizeof(head), "%s:", ls_notation_parts[p]);
        at += (size_t)snprintf(to + at, bytes - at, "%s%-10s %-*s  <->  %s\n", margin, head,
                               (int)widest, left[p], right[p]);
    }
}

/* ---- Views ---- */

/* A number, or a product of such. */
static bool
read_product(const char **at, int64_t *value)
{
    *value = 1;
    for (;;) {
        char *end;
        long long factor;

        *at += strspn(*at, " \t");
        factor = strtoll(*at, &end, 0);
        if (end == *at)
            return false;
        if (__builtin_mul_overflow(*value, (int64_t)factor, value))
            return false;
        *at = end + strspn(end, " \t");
        if (**at != '*')
            return true;
        ++*at;
    }
}

/* Reads "(32, 128*1024)" or "=(32,)" behind a word. */
static bool
read_list(const char **at, int64_t *list, unsigned *n)
{
    *n = 0;
    *at += strspn(*at, " \t=:");
    if (**at != '(')
        return false;
    ++*at;
    for (;;) {
        *at += strspn(*at, " \t,");
        if (**at == ')')
            break;
        if (*n == LS_NOTATION_DIMS || !read_product(at, &list[(*n)++]))
            return false;
    }
    ++*at;
    return true;
}

const char *
ls_notation_find_word(const char *text, const char *word)
{
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if ((at == text || !ls_notation_is_word(at[-1])) &&
            (!ls_notation_is_word(at[strlen(word)]) || at[strlen(word)] == 's'))
            return at;
    return NULL;
}

bool
ls_notation_read_view(const char *text, struct ls_notation_view *view, char error[160])
{
    const char *at = ls_notation_find_word(text, "shape"),
               *strides = ls_notation_find_word(text, "strides");
    int64_t list[LS_NOTATION_DIMS];
    unsigned n;

    *view = (struct ls_notation_view){.n = 0};
    if (!at)
        return fail(error, "no shape is said: shape (32,32), strides (1024,1)");
    at += strlen("shape");
    if (!read_list(&at, list, &view->n) || !view->n)
        return fail(error, "a shape is numbers in parentheses, as shape (32,128)");
    for (unsigned i = 0; i < view->n; i++) {
        if (list[i] < 1)
            return fail(error, "no dimension has %lld elements", (long long)list[i]);
        view->shape[i] = (uint64_t)list[i];
    }
    if (strides) {
        strides += strlen("strides");
        if (!read_list(&strides, view->strides, &n))
            return fail(error, "strides are numbers in parentheses, as strides (128*1024, 1)");
        return n == view->n || fail(error, "%u dimensions, but %u strides", view->n, n);
    }
    for (unsigned i = view->n; i-- > 0;)
        view->strides[i] = i + 1 < view->n ? view->strides[i + 1] * (int64_t)view->shape[i + 1] : 1;
    return true;
}
