/* SPDX-License-Identifier: MIT */
/* The environment variables of env.def, and all others that are read: the one place that does so.
 * Each is read at every call: call once and keep the answer.
 *
 * A program that runs with more rights than its caller (setuid, setgid, file capabilities:
 * AT_SECURE) must not be led by the caller's variables: for it none of them is set, HOME and TMPDIR
 * among them, so that it has no cache, writes no log and loads nothing that a variable names. */
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

/* Whether this program runs with rights that its caller lacks. */
bool ls_env_is_privileged(void);
/* The value of a variable that is not ours (HOME ...), or NULL: not set, or not to be heard.
 * Borrowed. */
const char *ls_env_get(const char *name);
/* What programs that we start get: our environment, or a plain one of a privileged program.
 * Borrowed. */
char **ls_env_child(void);
/* The value, or the default when unset or empty. Never NULL; borrowed from the environment. */
const char *ls_env_str(enum ls_env var);
/* The value as a number; the default when it is none, the nearest of [lo, hi] outside: said once on
 * stderr, of our own variables. */
long ls_env_long(enum ls_env var, long lo, long hi);
bool ls_env_bool(enum ls_env var);
/* Prints every variable with its default and meaning to stderr. */
void ls_env_help(void);

#endif
