/* SPDX-License-Identifier: MIT */
/* Comments of sources that have notations. */
#include "base/notation_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

        while (from > text && ls_notation_is_word(from[-1]))
            from--;
        if (from == open || (size_t)(open - from) > LS_NOTATION_MOST_NAME)
            continue;
        memcpy(a.name, from, (size_t)(open - from));
        while (n < LS_NOTATION_DIMS) {
            size_t len = 0;

            at = ls_notation_skip_space(at);
            while (ls_notation_is_word(at[len]))
                len++;
            if (!len || len > LS_NOTATION_MOST_NAME || isdigit((unsigned char)*at))
                break;
            memcpy(a.index[n++], at, len);
            at += len;
        }
        shape = *at == ']' ? ls_notation_find_word(at, "shape") : NULL;
        if (!shape || (next && next < shape) || !ls_notation_read_view(shape, &a.view, error) ||
            a.view.n != n)
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

    return n && line[n] == ':' && ls_notation_find_arrow(line) != NULL;
}

/* Whether the comment has lines of a notation with bits, and not just a sentence behind "thread:".
 */
static bool
is_notation(const struct reader *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const char *behind;

        if (ls_notation_part_of(r->text[i], &behind) != LS_NOTATION_PARTS &&
            ls_notation_looks_like_bits(behind))
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
        enum ls_notation_part part = ls_notation_part_of(line, &behind);

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
        if (!ls_notation_read_line(behind, part, &c->assignment.parts[part], error))
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
        if (!ls_notation_read_view(r->text[at], is_before ? &c->before : &c->after, error))
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
           ls_notation_find_word(line, "shape");
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
        bool is_part =
            has_notation && (ls_notation_part_of(r->text[i], &behind) != LS_NOTATION_PARTS ||
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
        if (!ls_notation_has_each_once(&c->assignment, error))
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

        while (ls_notation_is_word(at[len]))
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
