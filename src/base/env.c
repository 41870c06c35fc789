/* SPDX-License-Identifier: MIT */
/* Environment variables from one table. */
#include "base/env.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static const struct {
    const char *name, *def, *help;
} table[LS_ENV_COUNT] = {
#define LS_ENV(name, def, help)     {"LOCKSTEP_" #name, def, help},
#define LS_ENV_AMD(name, def, help) {#name, def, help},
#include "base/env.def"
#undef LS_ENV_AMD
#undef LS_ENV
};

bool
ls_env_is_privileged(void)
{
    return getauxval(AT_SECURE) != 0;
}

const char *
ls_env_get(const char *name)
{
    return secure_getenv(name);
}

/* A privileged program hands nothing of its caller's on: the child would not know that it must not
 * follow these variables. */
char **
ls_env_child(void)
{
    static char path[] = "PATH=/usr/local/bin:/usr/bin:/bin", *plain[] = {path, NULL},
                *none[] = {NULL};

    return ls_env_is_privileged() ? plain : environ ? environ : none;
}

const char *
ls_env_str(enum ls_env var)
{
    const char *value = ls_env_get(table[var].name);

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

/* Warns once for each variable, and only of our own ones, as AMD's runtime does not warn of its. */
static void
complain(enum ls_env var, const char *value, long lo, long hi, long taken)
{
    static atomic_bool said[LS_ENV_COUNT];

    if (strncmp(table[var].name, "LOCKSTEP_", 9) == 0 && !atomic_exchange(&said[var], true))
        fprintf(stderr, "lockstep: %s=%s is no number from %ld to %ld: %ld is taken\n",
                table[var].name, value, lo, hi, taken);
}

long
ls_env_long(enum ls_env var, long lo, long hi)
{
    const char *value = ls_env_str(var);
    long n, taken;
    bool is_number = parse(value, &n);

    if (!is_number && !parse(table[var].def, &n))
        n = lo;
    taken = n < lo ? lo : n > hi ? hi : n;
    if (!is_number || taken != n)
        complain(var, value, lo, hi, taken);
    return taken;
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
