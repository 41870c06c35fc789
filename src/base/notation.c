/* SPDX-License-Identifier: MIT */
#include "base/notation.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ls_notation_parts[LS_NOTATION_PARTS] = {"simd", "register", "thread", "warp"};
static const char ARROW[] = "<->", WIDE_ARROW[] = "\xe2\x86\x94"; /* U+2194 */

enum { MOST_NAME = LS_NOTATION_NAME - 1, LARGEST_BIT = 63 };

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
        snprintf(to, LS_NOTATION_NAME + 12, "%.*s", MOST_NAME, bit->index);
    else
        snprintf(to, LS_NOTATION_NAME + 12, "%.*s%u", MOST_NAME, bit->index, bit->number);
}

/* ---- One side of a line ---- */

static const char *
skip_space(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == ',')
        at++;
    return at;
}

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Reads "j3 j2", the most significant one first, up to what is no name. */
static bool
read_bits(const char **at, struct ls_notation_bit *bits, unsigned *n, char error[160])
{
    *n = 0;
    for (*at = skip_space(*at);
         **at && **at != ';' && strncmp(*at, ARROW, 3) != 0 && strncmp(*at, WIDE_ARROW, 3) != 0;
         *at = skip_space(*at)) {
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
        while (is_word((*at)[len]))
            len++;
        if (!len || isdigit((unsigned char)**at))
            return fail(error, "an index bit is a name and a number, as j3, but here stands: %.20s",
                        *at);
        digits = len;
        while (digits > 1 && isdigit((unsigned char)(*at)[digits - 1]))
            digits--;
        if (digits > MOST_NAME || len - digits > 2)
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

/* The part that a line is of, and what stands behind its colon. LS_NOTATION_PARTS: none. */
static enum ls_notation_part
part_of(const char *line, const char **behind)
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

static const char *
find_arrow(const char *line)
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

/* Reads what stands behind the colon. */
static bool
read_line(const char *at, enum ls_notation_part part, struct ls_notation_line *out, char error[160])
{
    struct ls_notation_bit left[LS_NOTATION_MOST_BITS], right[LS_NOTATION_MOST_BITS];
    unsigned n_left = 0, n = 0;
    bool has_left = find_arrow(at) != NULL;
    const char *unchanged = strstr(at, "(unchanged)");

    *out = (struct ls_notation_line){.is_there = true, .is_unchanged = unchanged != NULL};
    if (has_left) {
        if (!read_bits(&at, left, &n_left, error))
            return false;
        if (!find_arrow(at))
            return fail(error, "%s: a remark stands around <->", ls_notation_parts[part]);
        at += 3; /* both arrows have so many bytes */
    }
    if (!read_bits(&at, right, &n, error))
        return false;
    if (*at && *at != ';')
        return fail(error, "%s: a second <->", ls_notation_parts[part]);
    return place_bits(out, part, left, n_left, has_left, right, n, error);
}

/* Whether the words behind a colon look like index bits, and not like a sentence. */
static bool
looks_like_bits(const char *at)
{
    struct ls_notation_bit bits[LS_NOTATION_MOST_BITS];
    char error[160];
    unsigned n;
    bool all = true;

    if (find_arrow(at) || strstr(at, "(unchanged)"))
        return true;
    if (!read_bits(&at, bits, &n, error))
        return false;
    for (at = skip_space(at); *at; at++)
        all = false;
    for (unsigned i = 0; i < n; i++)
        all &= !bits[i].is_bare || ls_notation_is_copy(&bits[i]) || !strcmp(bits[i].index, "ReIm");
    return all && n > 0;
}

/* No index bit twice. */
static bool
has_each_once(const struct ls_notation *n, char error[160])
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
        part = part_of(at, &behind);
        if (part == LS_NOTATION_PARTS)
            return fail(
                error, "a line begins with simd:, register:, thread: or warp:, not with %.40s", at);
        if (out->parts[part].is_there)
            return fail(error, "two lines for %s", ls_notation_parts[part]);
        if (!read_line(behind, part, &out->parts[part], error))
            return false;
    }
    return has_each_once(out, error);
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

/* A word at its start. */
static const char *
find_word(const char *text, const char *word)
{
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if ((at == text || !is_word(at[-1])) &&
            (!is_word(at[strlen(word)]) || at[strlen(word)] == 's'))
            return at;
    return NULL;
}

/* Reads "shape (32,32), strides (128*1024, 1)". */
static bool
read_view(const char *text, struct ls_notation_view *view, char error[160])
{
    const char *at = find_word(text, "shape"), *strides = find_word(text, "strides");
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

/* ---- Sources ---- */

struct reader {
    struct ls_notation_file *f;
    size_t cap_comments, cap_arrays, cap_lines;
    bool failed; /* out of memory */
    /* The comment that is read: lines of its text, and which ones they are. */
    char **text;
    unsigned *numbers;
    size_t n, cap;
};

static void *
grow(struct reader *r, void *list, size_t n, size_t *cap, size_t each)
{
    void *more;

    if (n < *cap)
        return list;
    more = realloc(list, (*cap ? 2 * *cap : 16) * each);
    if (!more) {
        r->failed = true;
        return list;
    }
    *cap = *cap ? 2 * *cap : 16;
    return more;
}

/* "p[i,j,k]" and "shape (16,16,16)" behind it. */
static void
look_for_array(struct reader *r, const char *text, unsigned line)
{
    for (const char *open = strchr(text, '['); open; open = strchr(open + 1, '[')) {
        struct ls_notation_array a = {.line = line};
        const char *from = open, *at = open + 1, *shape, *next = strchr(open + 1, '[');
        char error[160];
        unsigned n = 0;

        while (from > text && is_word(from[-1]))
            from--;
        if (from == open || (size_t)(open - from) > MOST_NAME)
            continue;
        memcpy(a.name, from, (size_t)(open - from));
        while (n < LS_NOTATION_DIMS) {
            size_t len = 0;

            at = skip_space(at);
            while (is_word(at[len]))
                len++;
            if (!len || len > MOST_NAME || isdigit((unsigned char)*at))
                break;
            memcpy(a.index[n++], at, len);
            at += len;
        }
        shape = *at == ']' ? find_word(at, "shape") : NULL;
        if (!shape || (next && next < shape) || !read_view(shape, &a.view, error) || a.view.n != n)
            continue;
        r->f->arrays = grow(r, r->f->arrays, r->f->n_arrays, &r->cap_arrays, sizeof(*r->f->arrays));
        if (!r->failed)
            r->f->arrays[r->f->n_arrays++] = a;
    }
}

static enum ls_notation_level
level_of(const char *words)
{
    static const struct {
        const char *word;
        enum ls_notation_level level;
    } levels[] = {{"per-block", LS_NOTATION_PER_BLOCK},   {"per block", LS_NOTATION_PER_BLOCK},
                  {"per-warp", LS_NOTATION_PER_WARP},     {"per warp", LS_NOTATION_PER_WARP},
                  {"per-thread", LS_NOTATION_PER_THREAD}, {"per thread", LS_NOTATION_PER_THREAD}};

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        if (strstr(words, levels[i].word))
            return levels[i].level;
    return LS_NOTATION_ANY_LEVEL;
}

static struct ls_notation_comment *
add_comment(struct reader *r, size_t from, size_t at)
{
    struct ls_notation_comment *c;
    size_t bytes = 1, used = 0;

    r->f->comments =
        grow(r, r->f->comments, r->f->n_comments, &r->cap_comments, sizeof(*r->f->comments));
    if (r->failed)
        return NULL;
    c = &r->f->comments[r->f->n_comments];
    *c = (struct ls_notation_comment){.first = r->numbers[0], .line = r->numbers[at]};
    for (size_t i = from; i < at; i++)
        bytes += strlen(r->text[i]) + 1;
    c->words = calloc(1, bytes);
    if (!c->words) {
        r->failed = true;
        return NULL;
    }
    for (size_t i = from; i < at; i++)
        used += (size_t)sprintf(c->words + used, "%s ", r->text[i]);
    r->f->n_comments++;
    return c;
}

static void
set_error(struct ls_notation_comment *c, unsigned line, const char *error)
{
    if (c->error[0])
        return;
    c->error_line = line;
    snprintf(c->error, sizeof(c->error), "%s", error);
}

/* Whether a line within a notation has an arrow but a head that is none. */
static bool
is_misspelt(const char *line)
{
    size_t n = strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

    return n && line[n] == ':' && find_arrow(line) != NULL;
}

/* Whether the comment has lines of a notation with bits, and not just a sentence behind "thread:".
 */
static bool
is_notation(const struct reader *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const char *behind;

        if (part_of(r->text[i], &behind) != LS_NOTATION_PARTS && looks_like_bits(behind))
            return true;
    }
    return false;
}

/* Lines of a notation from `at` on; returns the first one behind it. */
static size_t
read_assignment(struct reader *r, size_t from, size_t at)
{
    struct ls_notation_comment *c = add_comment(r, from, at);
    char error[160] = "";

    if (!c)
        return r->n;
    c->has_assignment = true;
    for (; at < r->n; at++) {
        const char *line = r->text[at], *behind;
        enum ls_notation_part part = part_of(line, &behind);

        if (part == LS_NOTATION_PARTS) {
            if (!is_misspelt(line))
                break;
            snprintf(error, sizeof(error),
                     "a line begins with simd:, register:, thread: or warp:, not with %.*s",
                     (int)strcspn(line, ":") + 1, line);
            set_error(c, r->numbers[at], error);
            continue;
        }
        if (c->assignment.parts[part].is_there)
            break;
        if (!read_line(behind, part, &c->assignment.parts[part], error))
            set_error(c, r->numbers[at], error);
        c->assignment.parts[part].line = r->numbers[at];
    }
    return at;
}

static size_t
read_views(struct reader *r, size_t from, size_t at)
{
    struct ls_notation_comment *c = add_comment(r, from, at);
    char error[160] = "";

    if (!c)
        return r->n;
    c->level = level_of(c->words);
    for (; at < r->n; at++) {
        bool is_before = !strncmp(r->text[at], "before:", 7),
             is_after = !strncmp(r->text[at], "after:", 6);

        if (!is_before && !is_after)
            break;
        if (!read_view(r->text[at], is_before ? &c->before : &c->after, error))
            set_error(c, r->numbers[at], error);
    }
    if (!c->before.n || !c->after.n)
        set_error(c, c->line, "what a pointer points to is said before: and after: an offset");
    return at;
}

static bool
is_view(const char *line)
{
    return (!strncmp(line, "before:", 7) || !strncmp(line, "after:", 6)) &&
           find_word(line, "shape");
}

static void
end_comment(struct reader *r)
{
    size_t from = 0, first = r->f->n_comments;
    char *all;
    size_t bytes = 1;
    bool has_notation = is_notation(r);

    for (size_t i = 0; i < r->n && !r->failed;) {
        const char *behind;
        bool is_part = has_notation && (part_of(r->text[i], &behind) != LS_NOTATION_PARTS ||
                                        is_misspelt(r->text[i]));

        if (is_part || is_view(r->text[i])) {
            i = is_part ? read_assignment(r, from, i) : read_views(r, from, i);
            from = i;
        } else {
            i++;
        }
    }
    for (size_t i = first; i < r->f->n_comments; i++)
        r->f->comments[i].last = r->numbers[r->n - 1];
    for (size_t i = 0; i < r->n; i++)
        bytes += strlen(r->text[i]) + 1;
    if (r->n && (all = calloc(1, bytes))) {
        size_t used = 0;

        for (size_t i = 0; i < r->n; i++)
            used += (size_t)sprintf(all + used, "%s ", r->text[i]);
        look_for_array(r, all, r->numbers[0]);
        free(all);
    }
    for (size_t i = 0; i < r->n; i++)
        free(r->text[i]);
    r->n = 0;
}

static void
add_text(struct reader *r, const char *text, size_t n, unsigned line)
{
    size_t cap = r->cap;
    char *copy;

    while (n && strchr(" \t*/!", *text)) {
        text++;
        n--;
    }
    while (n && isspace((unsigned char)text[n - 1]))
        n--;
    r->text = grow(r, r->text, r->n, &cap, sizeof(*r->text));
    r->numbers = grow(r, r->numbers, r->n, &r->cap, sizeof(*r->numbers));
    copy = r->failed ? NULL : malloc(n + 1);
    if (!copy) {
        r->failed = true;
        return;
    }
    memcpy(copy, text, n);
    copy[n] = '\0';
    r->text[r->n] = copy;
    r->numbers[r->n++] = line;
}

/* What a line has besides comments. */
struct line {
    char *code; /* as long as the line */
    bool has_code;
};

/* Reads a line; *inside: a comment goes on. */
static void
read_source_line(struct reader *r, const char *at, size_t n, unsigned number, bool *inside)
{
    char *code = calloc(1, n + 1), quote = '\0';
    size_t used = 0;
    bool has_code = false, has_comment = false, was_inside = *inside;

    r->f->lines = grow(r, r->f->lines, r->f->n_lines, &r->cap_lines, sizeof(*r->f->lines));
    if (!code || r->failed) {
        free(code);
        r->failed = true;
        return;
    }
    for (size_t i = 0; i < n;) {
        if (*inside) {
            size_t end = i;

            while (end < n && !(at[end] == '*' && end + 1 < n && at[end + 1] == '/'))
                end++;
            add_text(r, at + i, end - i, number);
            has_comment = true;
            *inside = end >= n;
            i = end + (end < n ? 2 : 0);
        } else if (!quote && at[i] == '/' && i + 1 < n && (at[i + 1] == '/' || at[i + 1] == '*')) {
            if ((has_code || (at[i + 1] == '*' && !was_inside)) && !has_comment)
                end_comment(r);
            *inside = at[i + 1] == '*';
            has_comment = true;
            if (!*inside) {
                add_text(r, at + i + 2, n - i - 2, number);
                break;
            }
            i += 2;
        } else {
            if (quote) {
                if (at[i] == '\\')
                    i++;
                else if (at[i] == quote)
                    quote = '\0';
            } else if (at[i] == '"' ||
                       (at[i] == '\'' && !(i && isdigit((unsigned char)at[i - 1])))) {
                quote = at[i];
            } else {
                code[used++] = at[i];
            }
            has_code |= !isspace((unsigned char)at[i < n ? i : n - 1]);
            i++;
        }
    }
    if (!has_comment && has_code)
        end_comment(r);
    if (!has_comment && !has_code && !*inside)
        end_comment(r);
    r->f->lines[r->f->n_lines++] = code;
}

/* What the last comment before said of a part. */
static void
take_unchanged(struct ls_notation_file *f, size_t at, unsigned part)
{
    struct ls_notation_line *to = &f->comments[at].assignment.parts[part];

    for (size_t i = at; i-- > 0;) {
        const struct ls_notation_line *from = &f->comments[i].assignment.parts[part];

        if (!f->comments[i].has_assignment || !from->known)
            continue;
        to->known = from->known;
        to->n = from->n;
        memcpy(to->bits, from->bits, sizeof(to->bits));
        return;
    }
}

bool
ls_notation_read(const char *text, size_t bytes, struct ls_notation_file *out)
{
    struct reader r = {.f = out};
    bool inside = false;
    unsigned number = 0;

    *out = (struct ls_notation_file){.comments = NULL};
    for (size_t at = 0; at < bytes && !r.failed;) {
        const char *end = memchr(text + at, '\n', bytes - at);
        size_t n = end ? (size_t)(end - (text + at)) : bytes - at;

        read_source_line(&r, text + at, n, ++number, &inside);
        at += n + 1;
    }
    end_comment(&r);
    free(r.text);
    free(r.numbers);
    /* What each comment says of itself; parts that are said to be unchanged are as they were. */
    for (size_t i = 0; i < out->n_comments; i++) {
        struct ls_notation_comment *c = &out->comments[i];
        char error[160] = "";

        if (!c->has_assignment || c->error[0])
            continue;
        for (unsigned p = 0; p < LS_NOTATION_PARTS; p++)
            if (c->assignment.parts[p].is_unchanged && !c->assignment.parts[p].known)
                take_unchanged(out, i, p);
        if (!has_each_once(&c->assignment, error))
            set_error(c, c->line, error);
    }
    if (r.failed)
        ls_notation_free(out);
    return !r.failed;
}

void
ls_notation_free(struct ls_notation_file *f)
{
    for (size_t i = 0; i < f->n_comments; i++)
        free(f->comments[i].words);
    for (size_t i = 0; i < f->n_lines; i++)
        free(f->lines[i]);
    free(f->comments);
    free(f->arrays);
    free(f->lines);
    *f = (struct ls_notation_file){.comments = NULL};
}

unsigned
ls_notation_end_of(const struct ls_notation_file *f, unsigned line)
{
    unsigned depth = 0;

    for (unsigned l = line; l >= 1 && l <= f->n_lines; l++)
        for (const char *at = f->lines[l - 1]; *at; at++) {
            if (*at == '{') {
                depth++;
            } else if (*at == '}') {
                if (depth <= 1)
                    return l;
                depth--;
            } else if (*at == ';' && !depth) {
                return 0;
            }
        }
    return 0;
}

/* How much a word is what a sentence is about: 0 not at all. */
static unsigned
weight_of(const char *words, const char *at, size_t n)
{
    static const char *const follow[] = {" has ", " have ", "-array", " array", " is ", " holds "};
    const char *behind = at + n;
    bool quoted = at > words && strchr("'`\"", at[-1]) && strchr("'`\"", *behind);

    if (quoted || *behind == '[')
        return 2;
    for (size_t i = 0; i < sizeof(follow) / sizeof(follow[0]); i++)
        if (!strncmp(behind, follow[i], strlen(follow[i])))
            return 2;
    return n == 1 && strchr("aAI", *at) ? 0 : 1;
}

int
ls_notation_subject(const char *words, const char *const *names, size_t n)
{
    unsigned best = 0;
    int found = -1;

    for (const char *at = words; *at;) {
        size_t len = 0;

        while (is_word(at[len]))
            len++;
        for (size_t i = 0; len && i < n; i++)
            if (strlen(names[i]) == len && !strncmp(at, names[i], len) &&
                weight_of(words, at, len) > best) {
                best = weight_of(words, at, len);
                found = (int)i;
            }
        at += len ? len : 1;
    }
    return found;
}
