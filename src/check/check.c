/* SPDX-License-Identifier: MIT */
/* Memory that no map of the runtime knows. */
#include "check/check.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_priv.h"

struct ls_check_memory ls_check_memory;

void
ls_check_begin(const struct ls_check_memory *memory)
{
    ls_check_memory = *memory;
    ls_check_record_start();
}

/* ---- Memory besides ---- */

struct extra {
    uint64_t base, bytes;
    bool is_read_only;
    char what[64];
};

enum { N_GONE = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct extra *extras; /* guarded by lock, as the next two; sorted by base */
static size_t n_extras, cap_extras;
static struct extra gone[N_GONE]; /* guarded by lock: a ring of those that were */
static unsigned n_gone;

/* The first that begins behind `at`. */
static size_t
behind(uint64_t at)
{
    size_t low = 0, high = n_extras;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (extras[mid].base > at)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static void
allow(const void *base, size_t bytes, const char *what, bool is_read_only)
{
    if (!ls_checks() || !base)
        return;
    pthread_mutex_lock(&lock);
    if (n_extras == cap_extras) {
        size_t cap = cap_extras ? 2 * cap_extras : 64;
        struct extra *more = realloc(extras, cap * sizeof(*more));

        if (more) {
            extras = more;
            cap_extras = cap;
        }
    }
    if (n_extras < cap_extras) {
        size_t i = behind((uintptr_t)base);

        memmove(extras + i + 1, extras + i, (n_extras - i) * sizeof(*extras));
        extras[i] =
            (struct extra){.base = (uintptr_t)base, .bytes = bytes, .is_read_only = is_read_only};
        ls_check_variable_name(what, extras[i].what, sizeof(extras[i].what));
        n_extras++;
    }
    pthread_mutex_unlock(&lock);
}

void
ls_check_allow(const void *base, size_t bytes, const char *what)
{
    allow(base, bytes, what, false);
}

void
ls_check_allow_reads(const void *base, size_t bytes, const char *what)
{
    allow(base, bytes, what, true);
}

void
ls_check_forbid(const void *base)
{
    if (!ls_checks() || !base)
        return;
    pthread_mutex_lock(&lock);
    size_t i = behind((uintptr_t)base);

    if (i > 0 && extras[i - 1].base == (uintptr_t)base) {
        ls_check_lines_clear(base, extras[i - 1].bytes);
        gone[n_gone++ % N_GONE] = extras[i - 1];
        memmove(extras + i - 1, extras + i, (n_extras - i) * sizeof(*extras));
        n_extras--;
    }
    pthread_mutex_unlock(&lock);
}

bool
ls_check_find_extra(uint64_t at, struct ls_check_range *range)
{
    bool found;

    pthread_mutex_lock(&lock);
    size_t i = behind(at);

    found = i > 0 && at - extras[i - 1].base < extras[i - 1].bytes;
    if (found)
        *range = (struct ls_check_range){.base = extras[i - 1].base,
                                         .bytes = extras[i - 1].bytes,
                                         .is_read_only = extras[i - 1].is_read_only};
    pthread_mutex_unlock(&lock);
    return found;
}

static const char *
explain_extra(uint64_t at, char text[LS_CHECK_TEXT])
{
    const char *kind = NULL;
    struct extra e = {0};

    pthread_mutex_lock(&lock);
    size_t i = behind(at);

    for (unsigned k = 0; k < N_GONE && !kind; k++)
        if (at - gone[k].base < gone[k].bytes) {
            e = gone[k];
            kind = "use-after-free";
        }
    if (i > 0 && at - extras[i - 1].base < extras[i - 1].bytes + LS_CHECK_GAP) {
        e = extras[i - 1];
        kind = "out-of-bounds";
    } else if (i < n_extras && extras[i].base - at < LS_CHECK_GAP) {
        e = extras[i];
        kind = "out-of-bounds";
    }
    pthread_mutex_unlock(&lock);
    if (kind)
        snprintf(text, LS_CHECK_TEXT,
                 "address 0x%" PRIx64 ": byte %" PRId64 " of the %" PRIu64 " bytes of %s%s\n", at,
                 (int64_t)(at - e.base), e.bytes, e.what,
                 strcmp(kind, "use-after-free") == 0 ? ", which is freed" : "");
    return kind;
}

const char *
ls_check_explain(uint64_t at, char text[LS_CHECK_TEXT])
{
    const char *kind = explain_extra(at, text);

    return kind ? kind : ls_check_memory.explain(at, text);
}
