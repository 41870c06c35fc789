/* SPDX-License-Identifier: MIT */
/* What shall not be reported: a file of lines `CHECK/KIND PATTERN`, both with the wildcards of
 * shells. The pattern stands for one frame, "FUNCTION FILE:LINE", or for the kernel and place that
 * a finding names. # begins a comment. */
#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/log.h"
#include "check/check_priv.h"

struct rule {
    struct rule *next;
    char *kind, *pattern; /* owned */
};

static struct rule *rules;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
add_rule(const char *kind, const char *pattern)
{
    struct rule *r = calloc(1, sizeof(*r));

    if (!r || !(r->kind = strdup(kind)) || !(r->pattern = strdup(pattern))) {
        ls_log(LS_LOG_ERROR, "no memory for suppressions of findings");
        return; /* what there is stays: the process lacks memory for more than this */
    }
    r->next = rules;
    rules = r;
}

static void
read_rules(void)
{
    const char *path = ls_env_str(LS_ENV_CHECK_SUPPRESSIONS);
    FILE *in = *path ? fopen(path, "r") : NULL;
    char line[1024], kind[256], pattern[768];
    unsigned n = 0;

    if (*path && !in)
        ls_log(LS_LOG_ERROR, "suppressions %s: %s", path, strerror(errno));
    while (in && fgets(line, sizeof(line), in)) {
        int fields = sscanf(line, " %255s %767[^\n]", kind, pattern);

        n++;
        if (fields < 1 || kind[0] == '#')
            continue;
        if (fields == 2)
            add_rule(kind, pattern);
        else
            ls_log(LS_LOG_ERROR, "%s:%u: a kind, and a pattern behind it", path, n);
    }
    if (in)
        fclose(in);
}

static bool
matches_frame(const char *pattern, const char *trace)
{
    while (trace && *trace) {
        char function[256] = "", file[768] = "", place[1100];
        unsigned line = 0;

        sscanf(trace, "%255[^\t\n]\t%767[^\t\n]\t%u", function, file, &line);
        snprintf(place, sizeof(place), "%s %s:%u", function, file, line);
        if (fnmatch(pattern, place, 0) == 0)
            return true;
        trace += strcspn(trace, "\n");
        trace += *trace == '\n';
    }
    return false;
}

bool
ls_check_is_suppressed(const struct ls_check_finding *f)
{
    char kind[256];

    pthread_once(&once, read_rules);
    snprintf(kind, sizeof(kind), "%s/%s", f->check, f->kind);
    for (const struct rule *r = rules; r; r = r->next)
        if (fnmatch(r->kind, kind, 0) == 0 && (matches_frame(r->pattern, f->trace) ||
                                               (f->where && fnmatch(r->pattern, f->where, 0) == 0)))
            return true;
    return false;
}
