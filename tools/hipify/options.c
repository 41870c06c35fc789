/* SPDX-License-Identifier: MIT */
/* Reads the command line. */
#include "options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum form { FLAG, TEXT, LIST, JOINED, IGNORED, IGNORED_TEXT };

struct option {
    const char *name;
    enum form form;
    size_t offset;
    const char *argument, *help;
};

static const struct option options[] = {
#define LS_HIPIFY_OPTION(name, form, field, argument, help)                                        \
    {name, form, offsetof(struct ls_hipify_options, field), argument, help},
#include "options.def"
#undef LS_HIPIFY_OPTION
};
enum { N_OPTIONS = sizeof(options) / sizeof(*options) };

static bool
list_add(struct ls_list *list, const char *text)
{
    const char **v = realloc(list->v, (list->n + 1) * sizeof(*v));

    if (!v) {
        fprintf(stderr, "hipify: error: no memory\n");
        return false;
    }
    list->v = v;
    list->v[list->n++] = text;
    return true;
}

bool
ls_list_has(const struct ls_list *list, const char *text, size_t bytes)
{
    for (size_t i = 0; i < list->n; i++)
        if (strlen(list->v[i]) == bytes && !memcmp(list->v[i], text, bytes))
            return true;
    return false;
}

static bool
list_add_all(struct ls_list *list, char *text)
{
    for (char *save = NULL, *part = strtok_r(text, ",", &save); part;
         part = strtok_r(NULL, ",", &save))
        if (!list_add(list, part))
            return false;
    return true;
}

/* The option that text, without dashes, names; *value: what stands behind = or the name. */
static const struct option *
find(char *text, char **value)
{
    char *equals = strchr(text, '=');
    size_t n = equals ? (size_t)(equals - text) : strlen(text);

    *value = equals ? equals + 1 : NULL;
    for (const struct option *o = options; o < options + N_OPTIONS; o++)
        if (strlen(o->name) == n && !memcmp(o->name, text, n) && o->form != JOINED &&
            (!equals || (o->form != FLAG && o->form != IGNORED)))
            return o;
    for (const struct option *o = options; o < options + N_OPTIONS; o++)
        if (o->form == JOINED && *text == *o->name) {
            *value = text[1] ? text + 1 : NULL;
            return o;
        }
    return NULL;
}

static bool
set(struct ls_hipify_options *opt, const struct option *o, char *value)
{
    void *field = (char *)opt + o->offset;

    switch (o->form) {
    case FLAG:
        *(bool *)field = true;
        return true;
    case TEXT:
        *(const char **)field = value;
        return true;
    case LIST:
        return list_add_all(field, value);
    case JOINED:
        return list_add(field, value);
    default:
        return true;
    }
}

static bool
complain(const char *format, const char *what)
{
    fprintf(stderr, "hipify: error: ");
    fprintf(stderr, format, what);
    fputc('\n', stderr);
    return false;
}

static bool
check(struct ls_hipify_options *opt)
{
    if (opt->output && opt->files.n > 1)
        return complain("-o=%s is for one file; -o-dir is for several", opt->output);
    if (opt->output && opt->output_dir)
        return complain("-o=%s and -o-dir exclude each other", opt->output);
    if (opt->in_place && (opt->output || opt->output_dir))
        return complain("-inplace and -o%s exclude each other", opt->output ? "" : "-dir");
    if (opt->stats_format && strcmp(opt->stats_format, "full") != 0 &&
        strcmp(opt->stats_format, "classic") != 0)
        return complain("-stats-format=%s: full and classic are known", opt->stats_format);
    opt->classic_stats = opt->stats_format && !strcmp(opt->stats_format, "classic");
    if (opt->examine)
        opt->no_output = opt->print_stats = true;
    if (opt->stats_file)
        opt->print_csv = true;
    if (opt->database && !opt->beside)
        return complain("-p=%s is for hipify-clang: hipify-perl needs no compiler's options",
                        opt->database);
    opt->roc |= opt->miopen;
    return true;
}

static bool
read_file_names(struct ls_hipify_options *opt)
{
    const char *path = strcmp(opt->files_from, "-") != 0 ? opt->files_from : "/dev/stdin";
    void *data;
    size_t bytes;

    if (!ls_file_read(path, &data, &bytes)) {
        fprintf(stderr, "hipify: error: '%s': %s\n", opt->files_from, strerror(errno));
        return false;
    }
    opt->file_names = data;
    for (char *save = NULL, *line = strtok_r(opt->file_names, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save))
        if (!list_add(&opt->files, line))
            return false;
    return true;
}

/* Behind -- stand options for a compiler; macros are of use. */
static bool
read_compiler_options(struct ls_hipify_options *opt, char **argv)
{
    for (; *argv; argv++)
        if (!strncmp(*argv, "-D", 2) && !list_add(&opt->defines, *argv + 2))
            return false;
    return true;
}

bool
ls_hipify_options_read(struct ls_hipify_options *opt, int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');

    opt->program = slash ? slash + 1 : argv[0];
    for (int i = 1; i < argc; i++) {
        char *text = argv[i], *value;
        const struct option *o;

        if (!strcmp(text, "--")) {
            opt->compiler = argv + i + 1;
            if (!read_compiler_options(opt, argv + i + 1))
                return false;
            break;
        }
        if (*text != '-' || !text[1]) {
            if (!list_add(&opt->files, text))
                return false;
            continue;
        }
        o = find(text + (text[1] == '-' ? 2 : 1), &value);
        if (!o)
            return complain("'%s' is no option; -help lists them", text);
        if (o->form != FLAG && o->form != IGNORED && !value && !(value = argv[++i]))
            return complain("'%s' needs a value", text);
        if (!set(opt, o, value))
            return false;
    }
    return (!opt->files_from || read_file_names(opt)) && check(opt);
}

void
ls_hipify_options_free(struct ls_hipify_options *opt)
{
    free(opt->whitelist.v);
    free(opt->exclude_dirs.v);
    free(opt->exclude_files.v);
    free(opt->defines.v);
    free(opt->includes.v);
    free(opt->files.v);
    free(opt->file_names);
}

void
ls_hipify_options_help(const struct ls_hipify_options *opt)
{
    printf("usage: %s [OPTIONS] FILE...\n"
           "Translates CUDA C++ to HIP. - is the standard input; the translation goes to the "
           "standard output.\n\n",
           opt->program);
    for (const struct option *o = options; o < options + N_OPTIONS; o++) {
        char left[80];

        snprintf(left, sizeof(left), "-%s%s%s", o->name,
                 o->form == TEXT || o->form == LIST || o->form == IGNORED_TEXT ? "=" : "",
                 o->argument);
        printf("  %-48s %s\n", left, o->help);
    }
}
