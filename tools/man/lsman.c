/* SPDX-License-Identifier: MIT */
/* lsman: writes manual pages and completions for shells, of the tools' own help and of the tables
 * of options and variables. Used by the build alone. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hipcc/options.h"

#define MAX_WORDS 1024

/* ---- pages ---- */

/* Text as troff takes it: no line is a request, no hyphen is typography. */
static void
put_text(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
    for (; *text; text++) {
        if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\\')
            fputs("\\e", stdout);
        else
            putchar(*text);
    }
}

static void
put_head(const char *name, const char *section, const char *title)
{
    printf(".TH \"%s\" %s \"\" Lockstep\n.SH NAME\n%s \\- ", name, section, name);
    put_text(title);
    putchar('\n');
}

/* What the tool prints of itself, as it stands. */
static void
put_help(void)
{
    char *line = NULL;
    size_t bytes = 0;

    puts(".SH DESCRIPTION\n.nf");
    while (getline(&line, &bytes, stdin) >= 0) {
        line[strcspn(line, "\n")] = 0;
        put_text(line);
        putchar('\n');
    }
    puts(".fi");
    free(line);
}

static const struct option options[] = {
#define LS_OPT(spelling, form, route) {spelling, form, route},
#include "hipcc/options.def"
#undef LS_OPT
};
#define N_OPTIONS (sizeof(options) / sizeof(*options))

static const char *const option_values[] = {
    [FLAG] = "", [JOINED] = "...", [SEPARATE] = " ...", [EITHER] = "[ ]..."};

/* All options of one kind in a paragraph. */
static void
put_options(const char *title, bool (*wanted)(unsigned route))
{
    bool any = false;

    printf(".SS %s\n", title);
    for (size_t i = 0; i < N_OPTIONS; i++) {
        if (!wanted(options[i].route))
            continue;
        fputs(any ? ",\n" : "", stdout);
        put_text(options[i].name);
        fputs(option_values[options[i].form], stdout);
        any = true;
    }
    puts(".");
}

static bool
is_own(unsigned route)
{
    return route > ACTION && route != IGNORED && route != UNSUPPORTED;
}

static bool
is_ignored(unsigned route)
{
    return route == IGNORED;
}

static bool
is_refused(unsigned route)
{
    return route == UNSUPPORTED;
}

static bool
is_both(unsigned route)
{
    return route < ACTION && (route & HOST) && (route & DEVICE);
}

static bool
is_host(unsigned route)
{
    return route < ACTION && (route & HOST) && !(route & DEVICE);
}

static bool
is_device(unsigned route)
{
    return route < ACTION && (route & DEVICE) && !(route & HOST);
}

static bool
is_link(unsigned route)
{
    return route == LINK;
}

static void
put_hipcc(void)
{
    puts(
        ".SH OPTIONS BY WHO HEARS OF THEM\nOptions of clang that are not listed go to every step.");
    put_options("The driver's own", is_own);
    put_options("Both passes", is_both);
    put_options("The host pass alone", is_host);
    put_options("The device passes alone", is_device);
    put_options("The link alone", is_link);
    put_options("Accepted, without effect", is_ignored);
    put_options("Refused", is_refused);
    puts(".SH SEE ALSO\n.BR hipconfig (1),\n.BR lsobj (1),\n.BR roc-obj (1),\n.BR lockstep (7)");
}

static void
put_variable(const char *name, const char *def, const char *help)
{
    printf(".TP\n.B ");
    put_text(name);
    putchar('\n');
    put_text(help);
    printf("%s%s%s\n", *def ? " (default: " : "", def, *def ? ")" : "");
}

static void
put_environment(void)
{
    put_head("lockstep", "7", "environment variables of HIP programs on the CPU");
    puts(".SH ENVIRONMENT");
#define LS_ENV(name, def, help)     put_variable("LOCKSTEP_" #name, def, help);
#define LS_ENV_AMD(name, def, help) put_variable(#name, def, help);
#include "base/env.def"
#undef LS_ENV_AMD
#undef LS_ENV
}

/* ---- pages of the site ---- */

/* Text in a cell of a table. */
static void
put_cell(const char *text)
{
    for (; *text; text++) {
        if (strchr("|\\<>*_`[", *text))
            putchar('\\');
        putchar(*text);
    }
}

static void
put_row(const char *name, const char *def, const char *help)
{
    printf("| `%s` | ", name);
    put_cell(def);
    fputs(" | ", stdout);
    put_cell(help);
    puts(" |");
}

static void
put_variables_page(void)
{
    puts("# Environment variables\n\nMade of the table `src/base/env.def` by the build. "
         "`LOCKSTEP_DEBUG=help` "
         "before any HIP program prints them.\n\n## Lockstep's own\n\n| variable | default | what "
         "it does |\n| --- | --- | --- |");
#define LS_ENV(name, def, help) put_row("LOCKSTEP_" #name, def, help);
#define LS_ENV_AMD(name, def, help)
#include "base/env.def"
#undef LS_ENV_AMD
#undef LS_ENV
    puts("\n## AMD's\n\nThey mean what AMD's documentation says.\n\n| variable | default | what it "
         "does |\n| --- | --- | --- |");
#define LS_ENV(name, def, help)
#define LS_ENV_AMD(name, def, help) put_row(#name, def, help);
#include "base/env.def"
#undef LS_ENV_AMD
#undef LS_ENV
}

/* All options of one kind in a paragraph. */
static void
put_options_paragraph(const char *title, bool (*wanted)(unsigned route))
{
    const char *between = "";

    printf("\n## %s\n\n", title);
    for (size_t i = 0; i < N_OPTIONS; i++)
        if (wanted(options[i].route)) {
            printf("%s`%s%s`", between, options[i].name, option_values[options[i].form]);
            between = ",\n";
        }
    puts(*between ? "." : "None.");
}

static void
put_options_page(void)
{
    puts("# Options of hipcc\n\nMade of the table `tools/hipcc/options.def` by the build, by who "
         "hears of them. Options of clang "
         "that are not listed go to every step. `...` is a value behind the option, a blank in "
         "front of it one that is the next "
         "argument; `[ ]` allows both. [Tools](tools.html) has what `hipcc --help` says.");
    put_options_paragraph("The driver's own", is_own);
    put_options_paragraph("Both passes", is_both);
    put_options_paragraph("The host pass alone", is_host);
    put_options_paragraph("The device passes alone", is_device);
    put_options_paragraph("The link alone", is_link);
    put_options_paragraph("Accepted, without effect", is_ignored);
    put_options_paragraph("Refused", is_refused);
}

/* ---- completion ---- */

/* The options that stand in a tool's help: words that begin with '-'. */
static size_t
read_options(char *words[])
{
    char *line = NULL, *rest, *word;
    size_t bytes = 0, n = 0, i;

    while (getline(&line, &bytes, stdin) >= 0)
        for (rest = line; (word = strtok_r(rest, " ,|[]()\"`';:.\n", &rest));) {
            size_t length =
                strspn(word, "-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

            if (word[0] != '-' || length < 2 || (word[1] == '-' && length < 3))
                continue;
            word[length + (word[length] == '=')] = 0;
            for (i = 0; i < n && strcmp(words[i], word) != 0;)
                i++;
            if (i == n && n < MAX_WORDS)
                words[n++] = strdup(word);
        }
    free(line);
    return n;
}

static void
put_function(const char *name, char *const words[], size_t n)
{
    char id[64];

    snprintf(id, sizeof(id), "%s", name);
    for (char *c = id; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    printf("# bash completion for %s\n_ls_%s()\n{\n    local cur=${COMP_WORDS[COMP_CWORD]}\n"
           "    [[ $cur == -* ]] || return\n    COMPREPLY=($(compgen -W \"",
           name, id);
    for (size_t i = 0; i < n; i++)
        printf("%s%s", i ? "\n        " : "", words[i]);
    puts("\" -- \"$cur\"))\n    [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace\n}");
    printf("complete -o default -F _ls_%s %s", id, name);
}

static void
put_completion(const char *name)
{
    char *words[MAX_WORDS];
    bool is_hipcc = !strcmp(name, "hipcc");
    size_t n = 0;

    for (size_t i = 0; is_hipcc && i < N_OPTIONS; i++)
        if (options[i].route != IGNORED && options[i].route != UNSUPPORTED)
            words[n++] = (char *)(uintptr_t)options[i].name;
    if (!is_hipcc)
        n = read_options(words);
    put_function(name, words, n);
    puts(is_hipcc ? " amdclang amdclang++" : "");
}

/* lsman page NAME SECTION TITLE <help; lsman completion NAME <help; lsman environment,
 * as pages of manuals; lsman variables; lsman options, as pages of the site */
int
main(int argc, char **argv)
{
    if (argc == 5 && !strcmp(argv[1], "page")) {
        put_head(argv[2], argv[3], argv[4]);
        put_help();
        if (!strcmp(argv[2], "hipcc"))
            put_hipcc();
    } else if (argc == 3 && !strcmp(argv[1], "completion")) {
        put_completion(argv[2]);
    } else if (argc == 2 && !strcmp(argv[1], "environment")) {
        put_environment();
    } else if (argc == 2 && !strcmp(argv[1], "variables")) {
        put_variables_page();
    } else if (argc == 2 && !strcmp(argv[1], "options")) {
        put_options_page();
    } else {
        fputs("usage: lsman page NAME SECTION TITLE | completion NAME | environment | variables | "
              "options\n",
              stderr);
        return 2;
    }
    return fflush(stdout) != 0;
}
