/* SPDX-License-Identifier: MIT */
/* One write for each change, so that lines of several threads do not mix. */
#include "base/progress.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"

static _Atomic bool is_there;

bool
ls_progress_is_wanted(void)
{
    const char *terminal = ls_env_get("TERM");

    return ls_progress_after_ms() >= 0 && terminal && *terminal && strcmp(terminal, "dumb") != 0 &&
           tcgetpgrp(STDERR_FILENO) == getpgrp();
}

long
ls_progress_after_ms(void)
{
    return ls_env_long(LS_ENV_PROGRESS, -1, 1000000000);
}

static void
put(const char *text)
{
    size_t n = strlen(text);

    /* Where it cannot be written there is nobody to tell. */
    while (n > 0) {
        ssize_t done = write(STDERR_FILENO, text, n);

        if (done <= 0)
            return;
        text += done;
        n -= (size_t)done;
    }
}

void
ls_progress_say(const char *format, ...)
{
    char line[96] = "\r\033[K";
    va_list args;

    if (!ls_progress_is_wanted())
        return;
    va_start(args, format);
    vsnprintf(line + 4, 79, format, args);
    va_end(args);
    for (char *at = line + 4; *at; at++) /* names come from files of others */
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            *at = '?';
    atomic_store(&is_there, true);
    put(line);
}

void
ls_progress_clear(void)
{
    if (atomic_exchange(&is_there, false))
        put("\r\033[K");
}
