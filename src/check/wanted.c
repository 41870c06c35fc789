/* SPDX-License-Identifier: MIT */
/* What is checked. */
#include <pthread.h>
#include <string.h>

#include "base/env.h"
#include "base/log.h"
#include "check/check.h"

static const struct {
    const char *name;
    unsigned bits;
} CHECKS[] = {
#define LS_CHECK(name, tool, bits) {name, bits},
#include "base/checks.def"
};
#define N_CHECKS                   (sizeof(CHECKS) / sizeof(CHECKS[0]))
#define LS_CHECK(name, tool, bits) | (bits)
static const unsigned ALL = 0
#include "base/checks.def"
    ;

_Atomic unsigned ls_check_wanted;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static unsigned
bits_of(const char *name, size_t n)
{
    if (n == 3 && !memcmp(name, "all", 3))
        return ALL & ~LS_CHECK_HOST; /* which changes what system calls do */
    if (n == sizeof(LS_CHECK_REVIEW_NAME) - 1 && !memcmp(name, LS_CHECK_REVIEW_NAME, n))
        return LS_CHECK_REVIEW;
    if (n == sizeof(LS_CHECK_NOTES_NAME) - 1 && !memcmp(name, LS_CHECK_NOTES_NAME, n))
        return LS_CHECK_NOTES;
    for (size_t i = 0; i < N_CHECKS; i++)
        if (strlen(CHECKS[i].name) == n && !memcmp(CHECKS[i].name, name, n))
            return CHECKS[i].bits;
    return 0;
}

static void
read_list(void)
{
    unsigned wanted = LS_CHECK_ASKED;

    for (const char *at = ls_env_str(LS_ENV_CHECK); *at;) {
        size_t n = strcspn(at, ",");
        unsigned bits = bits_of(at, n);

        if (!bits && n)
            ls_log(LS_LOG_ERROR, "LOCKSTEP_CHECK: %.*s is no check: see lscheck --help", (int)n,
                   at);
        wanted |= bits;
        at += n + (at[n] == ',');
    }
    if (wanted & LS_CHECK_REVIEW && wanted & ~(LS_CHECK_REVIEW | LS_CHECK_ASKED)) {
        ls_log(LS_LOG_ERROR, "LOCKSTEP_CHECK: review goes alone: the checks beside it are off");
        wanted = LS_CHECK_REVIEW | LS_CHECK_ASKED;
    }
    if (wanted & LS_CHECK_NOTES && wanted & ~(LS_CHECK_NOTES | LS_CHECK_ASKED)) {
        ls_log(LS_LOG_ERROR, "LOCKSTEP_CHECK: notation goes alone: the checks beside it are off");
        wanted = LS_CHECK_NOTES | LS_CHECK_ASKED;
    }
    atomic_store(&ls_check_wanted, wanted);
}

unsigned
ls_check_ask(void)
{
    pthread_once(&once, read_list);
    return atomic_load(&ls_check_wanted);
}

bool
ls_check_wants_leaks(void)
{
    return ls_check_ask() & LS_CHECK_LEAKS;
}

bool
ls_check_wants_api(void)
{
    return ls_check_ask() & LS_CHECK_API;
}
