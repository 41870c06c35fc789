/* SPDX-License-Identifier: MIT */
/* The environment variables of env.def. Each is read at every call: call once and keep the answer.
 */
#ifndef LS_BASE_ENV_H
#define LS_BASE_ENV_H

#include <stdbool.h>

enum ls_env {
#define LS_ENV(name, def, help)     LS_ENV_##name,
#define LS_ENV_AMD(name, def, help) LS_ENV_##name,
#include "base/env.def"
#undef LS_ENV_AMD
#undef LS_ENV
    LS_ENV_COUNT
};

/* The value, or the default when unset or empty. Never NULL; borrowed from the environment. */
const char *ls_env_str(enum ls_env var);
/* The value as a number; the default when it is none, the nearest of [lo, hi] outside: said once on stderr, of our
 * own variables. */
long ls_env_long(enum ls_env var, long lo, long hi);
bool ls_env_bool(enum ls_env var);
/* Prints every variable with its default and meaning to stderr. */
void ls_env_help(void);

#endif
