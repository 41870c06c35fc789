/* SPDX-License-Identifier: MIT */
/* Environment variables from one table. */
#include "base/env.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name, *def, *help;
} table[LS_ENV_COUNT] = {
#define LS_ENV(name, def, help)     {"LOCKSTEP_" #name, def, help},
#define LS_ENV_AMD(name, def, help) {#name, def, help},
#include "base/env.def"
#undef LS_ENV_AMD
#undef LS_ENV
};

const char *
ls_env_str(enum ls_env var)
{
    const char *value = getenv(table[var].name);

    return value && *value ? value : table[var].def;
}

static bool
parse(const char *text, long *out)
{
    char *end;

    errno = 0;
    *out = strtol(text, &end, 0);
    return errno == 0 && end != text && *end == 0;
}

long
ls_env_long(enum ls_env var, long lo, long hi)
{
    long n;

    if (!parse(ls_env_str(var), &n) && !parse(table[var].def, &n))
        return lo;
    return n < lo ? lo : n > hi ? hi : n;
}

bool
ls_env_bool(enum ls_env var)
{
    return ls_env_long(var, 0, 1) != 0;
}

void
ls_env_help(void)
{
    for (int i = 0; i < LS_ENV_COUNT; i++)
        fprintf(stderr, "%-24s default \"%s\": %s\n", table[i].name, table[i].def, table[i].help);
}
