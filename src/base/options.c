/* SPDX-License-Identifier: MIT */
#include "base/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/isa.h"

enum { KEY = true, BESIDE = false };

static const struct ls_option OPTIONS[] = {
#define LS_OPTION(kind, name, def, part, flag, argument, help)                                     \
    {#name, LS_OPTION_##kind, offsetof(struct ls_compile_options, name), part, flag, argument,     \
     help},
#include "base/options.def"
};
#define N_OPTIONS (sizeof(OPTIONS) / sizeof(OPTIONS[0]))

const struct ls_option *
ls_option_next(const struct ls_option *option)
{
    const struct ls_option *next = option ? option + 1 : OPTIONS;

    return next < OPTIONS + N_OPTIONS ? next : NULL;
}

void
ls_options_init(struct ls_compile_options *opt)
{
#define DEFAULT_TEXT(def)   def
#define DEFAULT_ISA(def)    def
#define DEFAULT_NUMBER(def) def
#define DEFAULT_BITS(def)   def
#define DEFAULT_SWITCH(def) def
#define DEFAULT_SHAPE(def)  {def, def, def}
    *opt = (struct ls_compile_options){
#define LS_OPTION(kind, name, def, part, flag, argument, help) .name = DEFAULT_##kind(def),
#include "base/options.def"
    };
}

/* Reads a number and moves *text behind it. */
static bool
read_bits(const char **text, uint64_t *value)
{
    char *end;
    unsigned long long n;

    errno = 0;
    n = strtoull(*text, &end, 10);
    if (end == *text || **text < '0' || **text > '9' || errno)
        return false;
    *text = end;
    *value = n;
    return true;
}

static bool
read_number(const char **text, uint32_t *value)
{
    uint64_t n;

    if (!read_bits(text, &n) || n > UINT32_MAX)
        return false;
    *value = (uint32_t)n;
    return true;
}

/* x, x,y or x,y,z */
static bool
read_shape(const char *text, uint32_t shape[3])
{
    uint32_t n[3] = {1, 1, 1};
    int i = 0;

    do {
        text += i && *text == ',';
        if (!read_number(&text, &n[i++]))
            return false;
    } while (i < 3 && *text == ',');
    memcpy(shape, n, sizeof(n));
    return !*text;
}

bool
ls_option_set(const struct ls_option *option, struct ls_compile_options *opt, const char *value)
{
    char *field = (char *)opt + option->offset;
    uint32_t n;

    switch (option->kind) {
    case LS_OPTION_TEXT:
    case LS_OPTION_ISA: /* the compiler reports unknown ones */
        *(const char **)(void *)field = *value ? value : NULL;
        return true;
    case LS_OPTION_NUMBER:
        return read_number(&value, (uint32_t *)(void *)field) && !*value;
    case LS_OPTION_BITS:
        return read_bits(&value, (uint64_t *)(void *)field) && !*value;
    case LS_OPTION_SWITCH:
        if (!read_number(&value, &n) || *value || n > 1)
            return false;
        *(bool *)field = n;
        return true;
    case LS_OPTION_SHAPE:
        return read_shape(value, (uint32_t *)(void *)field);
    }
    return false;
}

size_t
ls_option_get(const struct ls_option *option, const struct ls_compile_options *opt, char *to,
              size_t bytes)
{
    const char *field = (const char *)opt + option->offset, *text = "";
    uint32_t n[3] = {0};
    uint64_t bits;

    switch (option->kind) {
    case LS_OPTION_TEXT:
    case LS_OPTION_ISA:
        memcpy(&text, field, sizeof(text));
        return (size_t)snprintf(to, bytes, "%s", text ? text : "");
    case LS_OPTION_NUMBER:
        memcpy(n, field, sizeof(*n));
        return (size_t)snprintf(to, bytes, "%u", n[0]);
    case LS_OPTION_BITS:
        memcpy(&bits, field, sizeof(bits));
        return (size_t)snprintf(to, bytes, "%" PRIu64, bits);
    case LS_OPTION_SWITCH:
        return (size_t)snprintf(to, bytes, "%d", *(const bool *)field);
    case LS_OPTION_SHAPE:
        memcpy(n, field, sizeof(n));
        return (size_t)snprintf(to, bytes, "%u,%u,%u", n[0], n[1], n[2]);
    }
    return 0;
}

size_t
ls_options_write(const struct ls_compile_options *opt, char *to)
{
    size_t n = 0;

    for (size_t i = 0; i < N_OPTIONS; i++) {
        size_t name = strlen(OPTIONS[i].name), value = ls_option_get(&OPTIONS[i], opt, NULL, 0);

        if (to) {
            memcpy(to + n, OPTIONS[i].name, name);
            to[n + name] = '=';
            ls_option_get(&OPTIONS[i], opt, to + n + name + 1, value + 1);
        }
        n += name + 1 + value + 1;
    }
    if (to)
        to[n] = 0;
    return n + 1;
}

const char *
ls_options_read(struct ls_compile_options *opt, const char *text, const char *end)
{
    for (; text < end && *text; text += strlen(text) + 1) {
        size_t name = strcspn(text, "="), i = 0;

        while (i < N_OPTIONS &&
               (strlen(OPTIONS[i].name) != name || memcmp(OPTIONS[i].name, text, name) != 0))
            i++;
        if (i == N_OPTIONS || !text[name] || !ls_option_set(&OPTIONS[i], opt, text + name + 1))
            return NULL;
    }
    return text < end ? text + 1 : NULL;
}

void
ls_options_add_key(const struct ls_compile_options *opt, struct ls_sha256 *sha)
{
    for (size_t i = 0; i < N_OPTIONS; i++) {
        const struct ls_option *o = &OPTIONS[i];
        const char *text = NULL;
        const struct ls_isa *isa;
        char value[64] = "";

        if (!o->is_key)
            continue;
        ls_sha256_add(sha, o->name, strlen(o->name) + 1);
        if (o->kind == LS_OPTION_TEXT || o->kind == LS_OPTION_ISA)
            memcpy(&text, (const char *)opt + o->offset, sizeof(text));
        else
            ls_option_get(o, opt, value, sizeof(value));
        if (o->kind == LS_OPTION_ISA && ls_isa_is_native(text)) {
            text = "native";
            ls_isa_add_machine(sha);
        } else if (o->kind == LS_OPTION_ISA && (isa = ls_isa_find(text)) != NULL) {
            text = isa->level; /* one key for both names of a set, as the code is the same */
        }
        text = text ? text : value;
        ls_sha256_add(sha, text, strlen(text) + 1);
    }
}
