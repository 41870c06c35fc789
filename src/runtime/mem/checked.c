/* SPDX-License-Identifier: MIT */
#include "runtime/mem/checked.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check/check.h"
#include "runtime/core/core.h"
#include "runtime/mem/map.h"

#define GAP_LEAST ((size_t)64 << 10)
#define GAP_MOST  ((size_t)16 << 20)
#define KEPT_MOST ((size_t)512 << 20) /* bytes of freed memory that stay */
#define N_PAST    4096u               /* freed ranges that are remembered */

/* Where a range came from, by its address. */
struct origin {
    struct origin *next;
    const char *base;
    char *stack; /* owned; NULL: unknown */
};

/* A range that was freed. */
struct past {
    struct ls_mem_range range;
    char *came, *went;                                   /* owned stacks */
    void (*give_back)(const struct ls_mem_range *range); /* NULL: its memory has gone */
};

#define N_BUCKETS 4096u
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct origin *origins[N_BUCKETS]; /* guarded by lock, as all of these */
static struct past pasts[N_PAST];         /* a ring */
static size_t first_past, n_pasts, kept_bytes;

static struct origin **
bucket_of(const void *base)
{
    return &origins[((uintptr_t)base >> 8) * 0x9e3779b1u % N_BUCKETS];
}

size_t
ls_checked_gap(size_t bytes)
{
    size_t gap = GAP_LEAST + bytes / 8;

    return !ls_checks() ? 0 : gap < GAP_MOST ? gap : GAP_MOST;
}

void
ls_checked_added(const struct ls_mem_range *range)
{
    const unsigned unwritten = 1u << LS_MEM_DEVICE | 1u << LS_MEM_POOL | 1u << LS_MEM_VIRTUAL;
    const void *base = range->base;
    struct origin *o;

    if (ls_checks())
        ls_check_memory_is_new(base, range->bytes, !(unwritten & 1u << range->kind));

    if (!ls_checks() && !ls_check_wants_leaks())
        return;
    o = calloc(1, sizeof(*o));
    if (!o)
        return;
    o->base = base;
    o->stack = ls_check_stack();
    pthread_mutex_lock(&lock);
    o->next = *bucket_of(base);
    *bucket_of(base) = o;
    pthread_mutex_unlock(&lock);
}

void
ls_checked_shown(const void *base, size_t bytes)
{
    if (ls_checks())
        ls_check_memory_is_new(base, bytes, false);
}

/* Lock held: the stack of a range that is no more. */
static char *
take_origin(const void *base)
{
    struct origin **at = bucket_of(base), *o;
    char *stack;

    while (*at && (*at)->base != base)
        at = &(*at)->next;
    o = *at;
    if (!o)
        return NULL;
    *at = o->next;
    stack = o->stack;
    free(o);
    return stack;
}

/* Lock held: the oldest range is forgotten; what is to be given back goes to *out. */
static bool
drop_oldest(struct past *out)
{
    if (!n_pasts)
        return false;
    *out = pasts[first_past];
    first_past = (first_past + 1) % N_PAST;
    n_pasts--;
    if (out->give_back)
        kept_bytes -= out->range.bytes;
    free(out->came);
    free(out->went);
    return true;
}

void
ls_checked_taken(const struct ls_mem_range *range)
{
    struct past dropped = {.give_back = NULL};
    char *went;

    if (!ls_checks() && !ls_check_wants_leaks())
        return;
    went = ls_check_stack();
    pthread_mutex_lock(&lock);
    if (n_pasts == N_PAST)
        drop_oldest(&dropped);
    pasts[(first_past + n_pasts++) % N_PAST] =
        (struct past){.range = *range, .came = take_origin(range->base), .went = went};
    pthread_mutex_unlock(&lock);
    if (dropped.give_back)
        dropped.give_back(&dropped.range);
}

/* Lock held: the youngest range that held an address and was freed. */
static struct past *
find_past(const void *at)
{
    for (size_t i = n_pasts; i > 0; i--) {
        struct past *p = &pasts[(first_past + i - 1) % N_PAST];

        if ((uintptr_t)at - (uintptr_t)p->range.base < p->range.bytes)
            return p;
    }
    return NULL;
}

bool
ls_checked_keep(const struct ls_mem_range *range,
                void (*give_back)(const struct ls_mem_range *range))
{
    struct past *p;

    if (!ls_checks() || range->bytes > KEPT_MOST / 4)
        return false;
    pthread_mutex_lock(&lock);
    p = find_past(range->base);
    if (p && p->range.base == range->base && !p->give_back) {
        p->give_back = give_back;
        kept_bytes += range->bytes;
    } else {
        p = NULL;
    }
    while (kept_bytes > KEPT_MOST) {
        struct past dropped;

        if (!drop_oldest(&dropped))
            break;
        if (dropped.give_back) {
            pthread_mutex_unlock(&lock);
            dropped.give_back(&dropped.range);
            pthread_mutex_lock(&lock);
        }
    }
    pthread_mutex_unlock(&lock);
    return p != NULL;
}

/* ---- In words ---- */

struct text {
    char *to;
    size_t n, cap;
};

__attribute__((format(printf, 2, 3))) static void
say(struct text *t, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    int n = vsnprintf(t->to + t->n, t->cap - t->n, format, ap);
    va_end(ap);
    t->n += n > 0 && (size_t)n < t->cap - t->n ? (size_t)n : t->cap - t->n - 1;
}

/* As many whole lines as there is room for. */
static void
say_stack(struct text *t, const char *what, const char *stack)
{
    if (!stack || !*stack)
        return;
    say(t, "%s\n", what);
    while (*stack) {
        int n = (int)strcspn(stack, "\n");

        if (t->n + (size_t)n + 2 > t->cap)
            return;
        say(t, "%.*s\n", n, stack);
        stack += n + (stack[n] == '\n');
    }
}

struct nearest {
    const char *at;
    struct ls_mem_range before, after;
};

static void
look_nearest(void *arg, const struct ls_mem_range *range)
{
    struct nearest *n = arg;

    if (range->base <= n->at)
        n->before = *range;
    else if (n->after.kind == LS_MEM_NONE)
        n->after = *range;
}

static void
say_origin(struct text *t, const void *base)
{
    pthread_mutex_lock(&lock);
    for (const struct origin *o = *bucket_of(base); o; o = o->next)
        if (o->base == base) {
            say_stack(t, "which was allocated", o->stack);
            break;
        }
    pthread_mutex_unlock(&lock);
}

/* Names the range before or behind an address, whichever is nearer. */
static bool
say_near(struct text *t, const char *at)
{
    struct nearest n = {.at = at};
    size_t behind, ahead;

    ls_mem_for_each(look_nearest, &n);
    behind = n.before.kind ? (size_t)(at - n.before.base) : SIZE_MAX;
    ahead = n.after.kind ? (size_t)(n.after.base - at) : SIZE_MAX;
    if (n.before.kind && behind < n.before.bytes + GAP_MOST &&
        (behind < n.before.bytes || behind - n.before.bytes <= ahead)) {
        if (behind < n.before.bytes)
            say(t, "address %p: byte %zu of the %zu bytes at %p, %s\n", (const void *)at, behind,
                n.before.bytes, (void *)n.before.base, ls_mem_kind_name(n.before.kind));
        else
            say(t, "address %p: %zu bytes behind the end of the %zu bytes at %p, %s\n",
                (const void *)at, behind - n.before.bytes, n.before.bytes, (void *)n.before.base,
                ls_mem_kind_name(n.before.kind));
        say_origin(t, n.before.base);
        return true;
    }
    if (!n.after.kind || ahead > GAP_MOST)
        return false;
    say(t, "address %p: %zu bytes in front of the %zu bytes at %p, %s\n", (const void *)at, ahead,
        n.after.bytes, (void *)n.after.base, ls_mem_kind_name(n.after.kind));
    say_origin(t, n.after.base);
    return true;
}

static bool
say_past(struct text *t, const void *at)
{
    const struct past *p;

    pthread_mutex_lock(&lock);
    p = find_past(at);
    if (p) {
        size_t all = t->cap;

        say(t, "address %p: byte %zu of the %zu bytes at %p, %s that is freed\n", at,
            (size_t)((const char *)at - p->range.base), p->range.bytes, (void *)p->range.base,
            ls_mem_kind_name(p->range.kind));
        t->cap = t->n + (all - t->n) / 2;
        say_stack(t, "which was freed", p->went);
        t->cap = all;
        say_stack(t, "and allocated", p->came);
    }
    pthread_mutex_unlock(&lock);
    return p != NULL;
}

static const char *
explain(uint64_t address, char text[LS_CHECK_TEXT])
{
    const char *at = (const char *)(uintptr_t)address;
    uintptr_t page = (uintptr_t)address & ~(uintptr_t)(LS_MEM_PAGE - 1);
    struct text t = {text, 0, LS_CHECK_TEXT};
    struct ls_mem_range range;
    unsigned char resident;

    text[0] = '\0';
    if (!ls_mem_find(at, &range) && say_past(&t, at))
        return "use-after-free";
    if (say_near(&t, at))
        return "out-of-bounds";
    if (mincore((void *)page, LS_MEM_PAGE, &resident) == 0) {
        say(&t, "address %p: memory of the host, which kernels of a GPU can't touch\n",
            (const void *)at);
        return "host-pointer";
    }
    say(&t, "address %p: no memory at all\n", (const void *)at);
    return "wild-pointer";
}

static bool
find(uint64_t at, struct ls_check_range *out)
{
    struct ls_mem_range range;

    if (!ls_map_find_any((const void *)(uintptr_t)at, &range) || range.kind == LS_MEM_GLOBAL ||
        range.access == hipMemAccessFlagsProtNone)
        return false;
    *out = (struct ls_check_range){
        .base = (uintptr_t)range.base,
        .bytes = range.bytes,
        .is_read_only = range.access == hipMemAccessFlagsProtRead,
        .is_hosts = range.kind == LS_MEM_HOST || range.kind == LS_MEM_MANAGED ||
                    range.kind == LS_MEM_REGISTERED,
    };
    return true;
}

void
ls_checked_start(void)
{
    static const struct ls_check_memory memory = {find, explain};

    if (ls_checks() || ls_check_wants_leaks() || ls_check_wants_api())
        ls_check_begin(&memory);
}

void
ls_checked_bad_free(const void *ptr)
{
    char notes[LS_CHECK_TEXT], *stack;
    const char *kind;
    struct text t = {notes, 0, LS_CHECK_TEXT};

    if (!ls_checks())
        return;
    kind = explain((uintptr_t)ptr, notes);
    t.n = strlen(notes);
    stack = ls_check_stack();
    say_stack(&t, "freed again here", stack);
    free(stack);
    ls_check_report(&(struct ls_check_finding){
        .check = "memory",
        .kind = strcmp(kind, "use-after-free") == 0 ? "double-free" : "invalid-free",
        .message = strcmp(kind, "use-after-free") == 0 ? "memory is freed twice"
                                                       : "what is freed is no start of memory",
        .notes = notes,
    });
}

static void
report_leak(void *arg, const struct ls_mem_range *range)
{
    const unsigned owned = 1u << LS_MEM_DEVICE | 1u << LS_MEM_HOST | 1u << LS_MEM_MANAGED;
    char notes[LS_CHECK_TEXT], message[128];
    struct text t = {notes, 0, LS_CHECK_TEXT};

    (void)arg;
    if (!(owned & 1u << range->kind))
        return;
    notes[0] = '\0';
    say(&t, "at %p, %s\n", (void *)range->base, ls_mem_kind_name(range->kind));
    say_origin(&t, range->base);
    snprintf(message, sizeof(message), "%zu bytes were never freed", range->bytes);
    ls_check_report(&(struct ls_check_finding){
        .check = "leaks", .kind = "leak", .message = message, .notes = notes});
}

void
ls_checked_end(void)
{
    if (ls_check_wants_leaks())
        ls_mem_for_each(report_leak, NULL);
    if (ls_checks() || ls_check_wants_leaks() || ls_check_wants_api())
        ls_check_end();
}
