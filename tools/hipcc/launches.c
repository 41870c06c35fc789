/* SPDX-License-Identifier: MIT */
/* kernel << < grid, block >> > (arguments): nvcc takes the blanks, for clang <<< and >>> are one
 * token each. The files that have such launches are shown to clang with the blank behind <<< and in
 * front of >>>, under their own names and with all columns as they were.
 */
#include "ptx.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct overlay {
    struct ls_buf yaml;
    unsigned n;
};

static const char *
skip_spaces(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* Behind <<< or << < at `at`; NULL: neither is there. */
static const char *
opened(const char *begin, const char *at, const char *end)
{
    static const char word[] = "operator";
    const char *third = at + 2, *before = at;

    if (end - at < 4 || at[1] != '<' || (at > begin && at[-1] == '<'))
        return NULL;
    third = skip_spaces(third, end);
    if (end - third < 2 || *third != '<' || third[1] == '<' || third[1] == '=')
        return NULL;
    while (before > begin && isspace((unsigned char)before[-1]))
        before--;
    return before - begin >= (long)sizeof(word) - 1 &&
                   !memcmp(before - (sizeof(word) - 1), word, sizeof(word) - 1)
               ? NULL
               : third + 1;
}

static bool
has_spaces(const char *at, const char *end)
{
    return end - at > 3;
}

/* The three > with which a launch ends whose <<< ends at `at`: *close is behind them. NULL: there
 * are none in this statement. The call may stand elsewhere, where a macro is the launch, if both
 * have blanks: template arguments may end in the same way. */
static const char *
find_close(const char *at, const char *end, bool spaced, const char **close)
{
    int depth = 0;

    while (at < end) {
        if (strchr("([{", *at)) {
            depth++;
        } else if (strchr(")]}", *at)) {
            if (depth-- == 0)
                return NULL;
        } else if (*at == ';' && depth == 0) {
            return NULL;
        } else if (*at == '>' && depth == 0 && at[-1] != '-') {
            const char *first[3] = {at, at, at}, *behind = at;
            unsigned n = 0;

            for (const char *c = at; c < end && *c == '>'; c = skip_spaces(c + 1, end), n++) {
                first[0] = first[1], first[1] = first[2], first[2] = c;
                behind = c + 1;
            }
            *close = behind;
            for (at = behind; at < end && (isspace((unsigned char)*at) || *at == '/');)
                at = ls_cxx_skip(at, end);
            if (n >= 3 && ((at < end && *at == '(') || (spaced && has_spaces(first[0], behind))))
                return first[0];
            at = behind;
            continue;
        }
        at = ls_cxx_skip(at, end);
    }
    return NULL;
}

/* Whether there are such launches; the text then has them without blanks. */
static bool
close_up(struct ls_buf *text)
{
    char *begin = text->data;
    const char *at = begin, *end = begin + text->n;
    bool any = false;

    while (at < end) {
        const char *behind = *at == '<' ? opened(begin, at, end) : NULL, *close, *last;

        if (!behind) {
            at = ls_cxx_skip(at, end);
            continue;
        }
        last = find_close(behind, end, has_spaces(at, behind), &close);
        if (last && (has_spaces(at, behind) || has_spaces(last, close))) {
            char *open = begin + (at - begin), *shut = begin + (last - begin);

            memset(open, ' ', (size_t)(behind - at));
            memset(open, '<', 3);
            memset(shut, ' ', (size_t)(close - last));
            memset(begin + (close - begin) - 3, '>', 3);
            any = true;
        }
        at = behind;
    }
    return any;
}

/* The current folder under the name that the shell gave it, as clang calls it, too. */
static char *
current_folder(void)
{
    const char *named = getenv("PWD");
    struct stat here, there;

    if (named && *named == '/' && !stat(".", &here) && !stat(named, &there) &&
        here.st_dev == there.st_dev && here.st_ino == there.st_ino)
        return ls_hipcc_format("%s", named);
    return getcwd(NULL, 0);
}

/* The path as clang looks it up: absolute, without . and .. */
static char *
absolute(const char *path)
{
    char *cwd = *path == '/' ? NULL : current_folder();
    char *whole = ls_hipcc_format("%s/%s", cwd ? cwd : "", path), *to = whole, *at = whole;

    while (*at) {
        size_t n = strcspn(at + 1, "/") + 1;

        if (n == 3 && !memcmp(at, "/..", 3)) {
            while (to > whole && *--to != '/')
                ;
        } else if (n > 1 && !(n == 2 && at[1] == '.')) {
            memmove(to, at, n);
            to += n;
        }
        at += n;
    }
    *to = '\0';
    free(cwd);
    return whole;
}

static void
add_quoted(struct ls_buf *out, const char *text)
{
    ls_buf_add(out, "\"", 1);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            ls_buf_add(out, "\\", 1);
        ls_buf_add(out, text, 1);
    }
    ls_buf_add(out, "\"", 1);
}

static bool
add_file(const char *path, const struct ls_buf *text, void *data)
{
    static const char name[] = "{\"type\": \"file\", \"name\": ",
                      contents[] = ", \"external-contents\": ";
    struct overlay *o = data;
    struct ls_buf changed = {0};

    if (!memmem(text->data, text->n, "<<", 2))
        return false;
    ls_buf_add(&changed, text->data, text->n);
    if (close_up(&changed)) {
        char *number = ls_hipcc_format("launches-%u", o->n);
        char *copy = ls_temp_path(number), *whole = absolute(path);

        if (ls_file_write(copy, changed.data, changed.n)) {
            if (o->n++)
                ls_buf_add(&o->yaml, ",\n", 2);
            ls_buf_add(&o->yaml, name, sizeof(name) - 1);
            add_quoted(&o->yaml, whole);
            ls_buf_add(&o->yaml, contents, sizeof(contents) - 1);
            add_quoted(&o->yaml, copy);
            ls_buf_add(&o->yaml, "}", 1);
        }
        free(whole);
        free(number);
    }
    free(changed.data);
    return false;
}

char *
ls_launch_overlay(const struct ls_strv *options, const char *source)
{
    static const char head[] =
        "{\"version\": 0, \"case-sensitive\": true, \"use-external-names\": false, \"roots\": [\n";
    struct overlay o = {0};
    char *path = NULL;

    ls_buf_add(&o.yaml, head, sizeof(head) - 1);
    ls_cxx_search(options, source, add_file, &o);
    ls_buf_add(&o.yaml, "\n]}\n", 4);
    if (o.n) {
        path = ls_temp_path("launches.yaml");
        if (!ls_file_write(path, o.yaml.data, o.yaml.n))
            path = NULL;
    }
    free(o.yaml.data);
    return path;
}
