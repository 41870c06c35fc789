/* SPDX-License-Identifier: MIT */
/* Sources of kernels: their lines, what their comments allow, and how kernels are declared. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"
#include "source.h"

enum { MOST_BYTES = 16 << 20, COMMENT_BYTES = 8192, MOST_ABOVE = 40 };

static struct source **sources;
static size_t n_sources;

static void
split(struct source *s, char *text)
{
    for (char *at = text; *at;) {
        size_t n = strcspn(at, "\n");
        bool last = !at[n];

        if (s->n % 256 == 0)
            s->lines = front_must(realloc(s->lines, (s->n + 256) * sizeof(*s->lines)));
        s->lines[s->n++] = at;
        at[n] = '\0';
        if (n && at[n - 1] == '\r')
            at[n - 1] = '\0';
        at += n + !last;
    }
}

const struct source *
source_of(const char *path)
{
    struct source *s;
    FILE *in;

    for (size_t i = 0; i < n_sources; i++)
        if (!strcmp(sources[i]->path, path))
            return sources[i];
    s = front_must(calloc(1, sizeof(*s)));
    s->path = front_must(strdup(path));
    in = fopen(path, "r");
    if (in) {
        char *text = front_must(malloc(MOST_BYTES));
        size_t n = fread(text, 1, MOST_BYTES - 1, in);

        text[n] = '\0';
        split(s, front_must(realloc(text, n + 1)));
        fclose(in);
    }
    sources = front_must(realloc(sources, (n_sources + 1) * sizeof(struct source *)));
    return sources[n_sources++] = s;
}

const char *
source_line(const struct source *s, unsigned line)
{
    const char *at = line && line <= s->n ? s->lines[line - 1] : "";

    return at + strspn(at, " \t");
}

/* ---- Comments ---- */

/* Adds text in small letters, white space as one blank. */
static void
add(char *to, const char *from, size_t n)
{
    size_t at = strlen(to);

    for (size_t i = 0; i < n && at + 2 < COMMENT_BYTES; i++) {
        char c = (char)tolower((unsigned char)from[i]);

        if (isspace((unsigned char)c) || (c == '*' && (!i || from[i - 1] == ' ')))
            c = ' ';
        if (c != ' ' || (at && to[at - 1] != ' '))
            to[at++] = c;
    }
    to[at++] = ' ';
    to[at] = '\0';
}

/* Adds the comments of a line. inside: whether it begins within one. Returns whether there is
 * nothing else in the line. */
static bool
add_comments(const char *line, bool inside, char *to)
{
    bool alone = true;

    for (const char *at = line; *at;) {
        if (inside) {
            const char *end = strstr(at, "*/");

            add(to, at, end ? (size_t)(end - at) : strlen(at));
            at = end ? end + 2 : at + strlen(at);
            inside = false;
        } else if (at[0] == '/' && at[1] == '/') {
            add(to, at + 2, strlen(at + 2));
            return alone;
        } else if (at[0] == '/' && at[1] == '*') {
            inside = true;
            at += 2;
        } else if (*at == '"') {
            for (at++; *at && *at != '"'; at++)
                at += *at == '\\' && at[1];
            at += *at == '"';
            alone = false;
        } else {
            alone = alone && isspace((unsigned char)*at);
            at++;
        }
    }
    return alone;
}

/* Whether a line begins within a comment that began above it. */
static bool
begins_inside(const struct source *s, unsigned line)
{
    bool inside = false;
    unsigned first = line > 200 ? line - 200 : 1;

    for (unsigned l = first; l < line; l++)
        for (const char *at = s->lines[l - 1]; *at; at++) {
            if (inside ? at[0] == '*' && at[1] == '/' : at[0] == '/' && at[1] == '*') {
                inside = !inside;
                at++;
            } else if (!inside && at[0] == '/' && at[1] == '/') {
                break;
            }
        }
    return inside;
}

enum allowed
allowed_at(const struct source *s, unsigned line, const char *kind)
{
    char text[COMMENT_BYTES] = "";
    unsigned first = line;

    if (!line || line > s->n)
        return NOT_SAID;
    while (first > 1 && line - first < MOST_ABOVE) {
        char above[COMMENT_BYTES] = "";

        if (!add_comments(s->lines[first - 2], begins_inside(s, first - 1), above) || !*above)
            break;
        first--;
    }
    for (unsigned l = first; l <= line; l++)
        add_comments(s->lines[l - 1], begins_inside(s, l), text);
#define LS_ALLOWED(what, words)
#define LS_DENIED(what, words)                                                                     \
    if (!strcmp(kind, what) && strstr(text, words))                                                \
        return DENIED;
#include "allowed.def"
#define LS_DENIED(what, words)
#define LS_ALLOWED(what, words)                                                                    \
    if (!strcmp(kind, what) && strstr(text, words))                                                \
        return ALLOWED;
#include "allowed.def"
    return NOT_SAID;
}

/* ---- Kernels ---- */

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The name as a word, with a parenthesis behind. */
static bool
declares(const char *line, const char *name, size_t n)
{
    for (const char *at = strstr(line, name); at; at = strstr(at + 1, name)) {
        const char *behind = at + n + strspn(at + n, " \t");

        if ((at == line || !is_word(at[-1])) && (*behind == '(' || !*behind))
            return true;
    }
    return false;
}

unsigned
kernel_line(const struct source *s, const char *function, bool *has_bounds)
{
    size_t n = strcspn(function, "<(");
    char name[256];

    *has_bounds = false;
    snprintf(name, sizeof(name), "%.*s", (int)n, function);
    for (unsigned l = 1; n && n < sizeof(name) && l <= s->n; l++) {
        unsigned first = l;
        bool is_kernel = false;

        if (!declares(s->lines[l - 1], name, n))
            continue;
        for (unsigned k = l; k >= 1 && l - k < 8; k--) {
            if (k < l && strpbrk(s->lines[k - 1], ";}"))
                break;
            is_kernel |= strstr(s->lines[k - 1], "__global__") != NULL;
            *has_bounds |= strstr(s->lines[k - 1], "__launch_bounds__") ||
                           strstr(s->lines[k - 1], "amdgpu_flat_work_group_size");
            if (strstr(s->lines[k - 1], "__global__"))
                first = k;
        }
        if (is_kernel)
            return first;
        *has_bounds = false;
    }
    return 0;
}
