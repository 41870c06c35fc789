/* SPDX-License-Identifier: MIT */
/* Messages to stderr: one write each, so that lines of several threads don't mix. */
#include "base/log.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/env.h"
#include "base/file.h"

static atomic_int max_level = -1;

bool
ls_log_on(enum ls_log_level level)
{
    int max = atomic_load_explicit(
        &max_level, memory_order_relaxed); /* relaxed: every thread would set the same */

    if (max < 0) {
        bool help = strcmp(ls_env_str(LS_ENV_DEBUG), "help") == 0;

        if (help && atomic_exchange(&max_level, 0) < 0)
            ls_env_help();
        max = help ? 0 : (int)ls_env_long(LS_ENV_DEBUG, 0, LS_LOG_ALL);
        atomic_store(&max_level, max);
    }
    return (int)level <= max;
}

void
ls_logv(enum ls_log_level level, const char *fmt, va_list ap)
{
    struct ls_file_limit limit; /* stderr may be a file with a limit of its size */
    char line[2048];
    int n;

    if (!ls_log_on(level))
        return;
    LS_UNCANCELLED();
    n = snprintf(line, sizeof(line), "lockstep: ");
    vsnprintf(line + n, sizeof(line) - (size_t)n - 1, fmt, ap);
    strcat(line, "\n");
    ls_file_limit_begin(&limit);
    fputs(line, stderr);
    ls_file_limit_end(&limit);
}

void
ls_log(enum ls_log_level level, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    ls_logv(level, fmt, ap);
    va_end(ap);
}

void
ls_bug(const char *file, int line, const char *fmt, ...)
{
    char what[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(what, sizeof(what), fmt, ap);
    va_end(ap);
    fprintf(stderr, "lockstep: bug at %s:%d: %s\n", file, line, what);
    abort();
}
