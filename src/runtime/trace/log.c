/* SPDX-License-Identifier: MIT */
/* AMD_LOG_LEVEL: lines as HIP Programming Guide 3.6.4, "HIP Logging Example", shows them:
 * ":level:file :line : microseconds: text"; API calls have "process : [thread] " in front of the
 * text. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/file.h"
#include "runtime/trace/trace_priv.h"

static FILE *out; /* written once, by ls_log_start */
static atomic_int log_level;
static atomic_uint log_mask;

void
ls_log_start(void)
{
    const char *path = ls_env_str(LS_ENV_AMD_LOG_LEVEL_FILE);

    log_level = (int)ls_env_long(LS_ENV_AMD_LOG_LEVEL, 0, 5);
    log_mask = (unsigned)ls_env_long(LS_ENV_AMD_LOG_MASK, 0, 0xffffffffL);
    if (*path)
        out = ls_file_stream(path, 'a');
    if (!out)
        out = stderr;
}

void
ls_log_set(int level, unsigned mask)
{
    log_level = level;
    log_mask = mask;
}

int
ls_log_level(void)
{
    return log_level;
}

bool
ls_trace_logs(enum ls_trace_level level, unsigned mask)
{
    return log_level >= (int)level &&
           ((log_mask & mask) || mask == LS_TRACE_ALWAYS);
}

/* One write for each line. The place is left out where the mask leaves it out. */
static void
line_out(enum ls_trace_level level, const char *file, int line, const char *text)
{
    const char *slash = strrchr(file, '/');
    char buf[1400], number[16] = "";
    bool place = log_mask & LS_TRACE_LOCATION;

    if (place)
        snprintf(number, sizeof(number), "%d", line);
    snprintf(buf, sizeof(buf), ":%d:%-25s:%-4s: %llu: %s\n", (int)level,
             place ? slash ? slash + 1 : file : "", number,
             (unsigned long long)(ls_now_ns() / 1000), text);
    fputs(buf, out);
    if (out != stderr)
        fflush(out);
}

void
ls_trace_log(enum ls_trace_level level, unsigned mask, const char *file, int line, const char *fmt,
             ...)
{
    char text[1024];
    va_list ap;

    if (!ls_trace_logs(level, mask))
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    line_out(level, file, line, text);
}

void
ls_trace_log_call(const char *file, int line, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    int n = snprintf(text, sizeof(text), "%d : [%llx] ", (int)getpid(),
                     (unsigned long long)pthread_self());

    va_start(ap, fmt);
    vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, ap);
    va_end(ap);
    line_out(LS_TRACE_INFO, file, line, text);
}
