/* SPDX-License-Identifier: MIT */
/* What the user reads: the driver's own messages, and clang's of several passes without repeats. */
#include "hipcc_priv.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
ls_say(const char *level, const char *format, ...)
{
    va_list list;

    fprintf(stderr, "hipcc: %s: ", level);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

/* One diagnostic of clang with all that belongs to it: the include chain before, notes and source
 * behind. */
struct group {
    const char *text;
    size_t n;
    bool is_count; /* "2 errors generated when compiling for gfx1100." */
};

struct groups {
    struct group *v;
    size_t n, cap;
};

static bool
line_has(const char *line, size_t n, const char *what)
{
    return memmem(line, n, what, strlen(what)) != NULL;
}

static bool
is_include_chain(const char *line, size_t n)
{
    return line_has(line, n, "In file included from ");
}

static bool
is_head(const char *line, size_t n)
{
    return line_has(line, n, "error: ") || line_has(line, n, "warning: ") ||
           line_has(line, n, "remark: ");
}

static bool
is_count(const char *line, size_t n)
{
    return line_has(line, n, " generated when compiling for ") || line_has(line, n, " generated.");
}

static void
push(struct groups *groups, const char *text, bool count)
{
    if (groups->n == groups->cap) {
        size_t cap = groups->cap ? 2 * groups->cap : 64;
        struct group *grown = ls_hipcc_alloc(cap * sizeof(*grown));

        if (groups->n)
            memcpy(grown, groups->v, groups->n * sizeof(*grown));
        free(groups->v);
        groups->v = grown;
        groups->cap = cap;
    }
    groups->v[groups->n++] = (struct group){.text = text, .is_count = count};
}

static void
split(const struct ls_buf *text, struct groups *groups)
{
    bool in_chain = false;

    for (size_t at = 0; at < text->n;) {
        const char *line = text->data + at;
        const char *end = memchr(line, '\n', text->n - at);
        size_t n = end ? (size_t)(end - line) + 1 : text->n - at;

        if (is_count(line, n)) {
            push(groups, line, true);
        } else if (is_include_chain(line, n)) {
            if (!in_chain)
                push(groups, line, false);
            in_chain = true;
        } else if (!groups->n || groups->v[groups->n - 1].is_count ||
                   (is_head(line, n) && !in_chain)) {
            push(groups, line, false);
        } else {
            in_chain = false;
        }
        groups->v[groups->n - 1].n += n;
        at += n;
    }
}

static bool
said(const struct groups *groups, const struct group *what)
{
    for (size_t i = 0; i < groups->n; i++)
        if (groups->v[i].n == what->n && !memcmp(groups->v[i].text, what->text, what->n))
            return true;
    return false;
}

void
ls_messages_print(const struct ls_buf *host, const struct ls_buf *device, size_t n_device)
{
    struct groups printed = {0};

    split(host, &printed);
    if (host->n)
        fwrite(host->data, 1, host->n, stderr);
    for (size_t i = 0; i < n_device; i++) {
        struct groups groups = {0};
        bool any = false;

        split(&device[i], &groups);
        for (size_t j = 0; j < groups.n; j++) {
            const struct group *group = &groups.v[j];

            if (group->is_count ? !any : said(&printed, group))
                continue;
            any = true;
            fwrite(group->text, 1, group->n, stderr);
            if (!group->is_count) {
                push(&printed, group->text, false);
                printed.v[printed.n - 1].n = group->n;
            }
        }
        free(groups.v);
    }
    free(printed.v);
    fflush(stderr);
}
