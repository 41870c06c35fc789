/* SPDX-License-Identifier: MIT */
/* Messages to stderr, filtered by LOCKSTEP_DEBUG, and assertions. Async-signal-unsafe. */
#ifndef LS_BASE_LOG_H
#define LS_BASE_LOG_H

#include <stdarg.h>
#include <stdbool.h>

enum ls_log_level { LS_LOG_ERROR = 0, LS_LOG_WARN, LS_LOG_INFO, LS_LOG_TRACE, LS_LOG_ALL };

/* Errors are printed always; warnings from LOCKSTEP_DEBUG=1 on, and so on. */
bool ls_log_on(enum ls_log_level level);
void ls_log(enum ls_log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ls_logv(enum ls_log_level level, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));
/* Reports a bug of ours and aborts. */
_Noreturn void ls_bug(const char *file, int line, const char *what);

#define LS_BUG(what) ls_bug(__FILE__, __LINE__, what)
#ifdef NDEBUG
#define LS_ASSERT(cond) ((void)sizeof(!(cond)))
#else
#define LS_ASSERT(cond) ((cond) ? (void)0 : ls_bug(__FILE__, __LINE__, #cond))
#endif

#endif
