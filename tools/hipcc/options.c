/* SPDX-License-Identifier: MIT */
/* Reads arguments by options.def, files of arguments and the environment. */
#include "options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
#define LS_OPT(spelling, form, route) {spelling, form, route},
#include "options.def"
#undef LS_OPT
};

/* ---- @files and the environment ---- */

/* Words in GNU quoting: spaces part, quotes keep together, a backslash takes the next character. */
static bool
split_words(const char *text, size_t n, int depth, struct ls_strv *out)
{
    for (size_t i = 0; i < n;) {
        struct ls_buf word = {0};
        char quote = 0;
        bool any = false;

        while (i < n && isspace((unsigned char)text[i]))
            i++;
        for (; i < n && (quote || !isspace((unsigned char)text[i])); i++) {
            any = true;
            if (text[i] == '\\' && quote != '\'' && i + 1 < n) {
                i++;
                ls_buf_add(&word, &text[i], 1);
            } else if (quote && text[i] == quote) {
                quote = 0;
            } else if (!quote && (text[i] == '"' || text[i] == '\'')) {
                quote = text[i];
            } else {
                ls_buf_add(&word, &text[i], 1);
            }
        }
        ls_buf_add(&word, "", 1);
        if (any && !ls_args_expand(word.data, depth, out))
            return false;
    }
    return true;
}

bool
ls_args_expand(const char *arg, int depth, struct ls_strv *out)
{
    struct ls_buf file = {0};

    if (arg[0] != '@' || !arg[1] || !ls_buf_read(&file, arg + 1)) {
        ls_strv_push(out, arg); /* as clang does: what names no file is an ordinary argument */
        return true;
    }
    if (depth > 64) {
        ls_say_error("'%s': response files nest too deeply", arg);
        return false;
    }
    return split_words(file.data, file.n, depth + 1, out);
}

bool
ls_args_append_env(const char *name, struct ls_strv *out)
{
    const char *value = getenv(name);

    return !value || split_words(value, strlen(value), 0, out);
}

/* ---- one argument ---- */

const struct option *
ls_option_find(const char *text)
{
    const struct option *best = NULL;
    size_t best_length = 0;

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        const struct option *option = &options[i];
        size_t length = strlen(option->name);

        if (!strcmp(text, option->name))
            return option;
        if (option->form != FLAG && option->form != SEPARATE && length > best_length &&
            !strncmp(text, option->name, length)) {
            best = option;
            best_length = length;
        }
    }
    return best;
}

bool
ls_arg_next(const struct ls_strv *args, size_t *at, struct arg *arg)
{
    const char *text = args->v[*at];
    const struct option *option = ls_option_find(text);
    size_t length = option ? strlen(option->name) : 0;

    *arg = (struct arg){.option = option, .words = {text, NULL}, .n_words = 1};
    *at += 1;
    if (!option || option->form == FLAG)
        return true;
    arg->value = text + length;
    if (option->form == JOINED || (option->form == EITHER && text[length]))
        return true;
    if (*at >= args->n) {
        ls_say_error("argument to '%s' is missing (expected 1 value)", text);
        return false;
    }
    arg->value = arg->words[1] = args->v[*at];
    arg->n_words = 2;
    *at += 1;
    return true;
}
