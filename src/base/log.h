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
/* A bug of ours: says where and what, and aborts. What a header promises is asserted, in every
 * build: a wrong result is worse than none. What a program may get wrong, or be too large for, is
 * no bug: it gets an error or a diagnostic. */
_Noreturn void ls_bug(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), cold));

#define LS_BUG(...)     ls_bug(__FILE__, __LINE__, __VA_ARGS__)
#define LS_ASSERT(cond) ((cond) ? (void)0 : LS_BUG("not so: %s", #cond))
/* Asserts that n <= max, as of an array with room for max; the message has both numbers. Both are
 * evaluated once more when it does not hold. */
#define LS_ASSERT_FITS(n, max)                                                                     \
    ((unsigned long long)(n) <= (unsigned long long)(max)                                          \
         ? (void)0                                                                                 \
         : LS_BUG("%s is %llu, and there is room for %llu", #n, (unsigned long long)(n),           \
                  (unsigned long long)(max)))

#endif
