/* SPDX-License-Identifier: MIT */
/* API calls for checkers. A handle is stale once a call of handles.def has destroyed it, or what it
 * belongs to, until a call makes another thing at the same address. */
#include "runtime/entry/watched.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"

enum { N_STALE = 4096 }; /* handles that are remembered */

static const struct destroys {
    const char *function, *what;
    unsigned arg;
} DESTROYS[] = {
#define LS_DESTROYS(function, what, arg) {#function, what, arg},
#define LS_BELONGS(function, what, arg, whose)
#define LS_ANSWERS(function, err)
#include "runtime/entry/handles.def"
};

static const struct belongs {
    const char *function, *what;
    unsigned arg, whose;
} BELONGS[] = {
#define LS_DESTROYS(function, what, arg)
#define LS_BELONGS(function, what, arg, whose) {#function, what, arg, whose},
#define LS_ANSWERS(function, err)
#include "runtime/entry/handles.def"
};

static const struct {
    const char *function;
    int err; /* -1: any */
} ANSWERS[] = {
#define LS_DESTROYS(function, what, arg)
#define LS_BELONGS(function, what, arg, whose)
#define LS_ANSWERS(function, err) {function, err},
#include "runtime/entry/handles.def"
};

#define N_OF(table) (sizeof(table) / sizeof((table)[0]))

struct stale {
    uint64_t handle;
    const char *what, *function;
    char *stack; /* owned; NULL: unknown */
};

/* A handle that goes with another one. */
struct part {
    uint64_t handle, whose;
    const char *what;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stale stale[N_STALE]; /* guarded by lock, as all of these; a ring */
static size_t next_stale;
static struct part *parts;
static size_t n_parts, cap_parts;

bool
ls_watches_calls(void)
{
    return ls_checks() & LS_CHECK_MEMORY || ls_check_wants_api();
}

/* ---- Handles; lock held ---- */

static struct stale *
find_stale(uint64_t handle)
{
    for (size_t i = 0; handle && i < N_STALE && i < next_stale; i++)
        if (stale[i].handle == handle)
            return &stale[i];
    return NULL;
}

static void
forget(uint64_t handle)
{
    struct stale *s = find_stale(handle);

    if (!s)
        return;
    free(s->stack);
    *s = (struct stale){.handle = 0};
}

static void
remember(uint64_t handle, const char *what, const char *function, const char *stack)
{
    struct stale *s = &stale[next_stale++ % N_STALE];

    forget(handle);
    free(s->stack);
    *s = (struct stale){handle, what, function, stack ? strdup(stack) : NULL};
}

static void
add_part(uint64_t handle, uint64_t whose, const char *what)
{
    if (n_parts == cap_parts) {
        size_t cap = cap_parts ? 2 * cap_parts : 64;
        struct part *more = realloc(parts, cap * sizeof(*more));

        if (!more)
            return;
        parts = more;
        cap_parts = cap;
    }
    parts[n_parts++] = (struct part){handle, whose, what};
}

/* What it was made of goes with a thing. */
static void
destroy(uint64_t handle, const char *what, const char *function)
{
    char *stack = ls_check_stack();
    size_t left = 0;

    remember(handle, what, function, stack);
    for (size_t i = 0; i < n_parts; i++) {
        if (parts[i].whose == handle)
            remember(parts[i].handle, parts[i].what, function, stack);
        else
            parts[left++] = parts[i];
    }
    n_parts = left;
    free(stack);
}

/* ---- Findings ---- */

static bool
is_answer(const struct ls_slow_call *call, hipError_t err)
{
    for (size_t i = 0; i < N_OF(ANSWERS); i++)
        if ((ANSWERS[i].err < 0 || ANSWERS[i].err == (int)err) &&
            (ANSWERS[i].function[0] == '*' || !strcmp(ANSWERS[i].function, call->name)))
            return true;
    return false;
}

static void
report(const struct ls_slow_call *call, const char *check, const char *kind, const char *message,
       const char *why)
{
    char notes[LS_CHECK_TEXT + 512], key[512], *stack = ls_check_stack();

    snprintf(notes, sizeof(notes), "%s%scalled\n%s", why, *why ? "\n" : "", stack ? stack : "");
    snprintf(key, sizeof(key), "%s %.400s", call->name, stack ? stack : "");
    ls_check_report(&(struct ls_check_finding){
        .check = check, .kind = kind, .message = message, .notes = notes, .key = key});
    free(stack);
}

/* A call was given a handle that was destroyed; `s` is a copy of what is known of it. */
static void
report_stale(const struct ls_slow_call *call, const struct stale *s)
{
    char message[160], why[LS_CHECK_TEXT];

    snprintf(message, sizeof(message), "%s is given %s that was destroyed", call->name, s->what);
    snprintf(why, sizeof(why), "destroyed by %s\n%.*s", s->function,
             s->stack ? (int)(LS_CHECK_TEXT / 2) : 0, s->stack ? s->stack : "");
    why[strlen(why) - 1] = '\0';
    report(call, "memory", "stale-handle", message, why);
}

void
ls_watched_begin(struct ls_slow_call *call)
{
    struct stale found = {.handle = 0};

    call->why[0] = '\0';
    ls_this_thread.why = call->why;
    if (!(ls_checks() & LS_CHECK_MEMORY))
        return;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < call->n_values && !found.handle; i++) {
        const struct stale *s = call->kinds[i] == 'h' ? find_stale(call->values[i]) : NULL;

        if (s) {
            found = *s;
            found.stack = s->stack ? strdup(s->stack) : NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    if (!found.handle)
        return;
    report_stale(call, &found);
    free(found.stack);
}

static uint64_t
value_of(const struct ls_slow_call *call, unsigned arg)
{
    return arg < call->n_values ? call->values[arg] : 0;
}

/* What an argument points to. */
static bool
handle_at(const struct ls_slow_call *call, unsigned arg, uint64_t *handle)
{
    uint64_t at = value_of(call, arg);

    if (at)
        memcpy(handle, (const void *)(uintptr_t)at, sizeof(*handle));
    return at != 0;
}

/* What a successful call has made or destroyed. */
static void
follow(const struct ls_slow_call *call)
{
    uint64_t made;

    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < call->n_values && next_stale; i++)
        if (call->kinds[i] == 'H' && handle_at(call, i, &made))
            forget(made);
    for (size_t i = 0; i < N_OF(BELONGS); i++)
        if (!strcmp(BELONGS[i].function, call->name) && handle_at(call, BELONGS[i].arg, &made))
            add_part(made, value_of(call, BELONGS[i].whose), BELONGS[i].what);
    for (size_t i = 0; i < N_OF(DESTROYS); i++)
        if (!strcmp(DESTROYS[i].function, call->name) && value_of(call, DESTROYS[i].arg))
            destroy(value_of(call, DESTROYS[i].arg), DESTROYS[i].what, call->name);
    pthread_mutex_unlock(&lock);
}

void
ls_watched_end(struct ls_slow_call *call, hipError_t err)
{
    char message[256];

    ls_this_thread.why = NULL;
    if (err == hipSuccess) {
        if (ls_checks() & LS_CHECK_MEMORY)
            follow(call);
        return;
    }
    if (!ls_check_wants_api() || is_answer(call, err))
        return;
    snprintf(message, sizeof(message), "%s fails: %s (%d)", call->name, ls_error_name(err),
             (int)err);
    report(call, "api", "error", message, call->why);
}
