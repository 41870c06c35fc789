/* SPDX-License-Identifier: MIT */
/* What is known of a work before it runs, and how it is divided. */
#include <string.h>

#include "base/cancel.h"
#include "base/env.h"
#include "base/log.h"
#include "device/cpu/cpu_priv.h"

#define THREAD_TICKS   5u /* expected for each thread of a kernel of which nothing is known */
#define BYTES_PER_TICK 4u
#define FEW_TICKS      7000u  /* for less work no other thread is called, though it polls */
#define SHARE_TICKS    5000u  /* a thread is called for so much work, */
#define WAKE_TICKS     40000u /* or woken for so much */
#define LEAST_TICKS    4000u  /* of a piece that a thread claims */
#define MOST_TICKS     50000u

/* Of a launch that writes more than this no machine keeps much for a few threads. */
#define MUCH_BYTES ((uint64_t)64 << 20)

/* Whether a kernel may wait for what the host does. A host thread that waits for other work must
 * not run it. */
bool
ls_cpu_may_wait(const struct ls_work *w)
{
    return w->kind == LS_WORK_KERNEL && (w->kernel.code->kernel->flags & LS_CPU_KERNEL_SPINS);
}

bool
ls_cpu_ends(const struct ls_work *w)
{
    switch (w->kind) {
    case LS_WORK_KERNEL:
        return !ls_cpu_may_wait(w);
    case LS_WORK_GRAPH:
        for (uint32_t i = 0; i < w->graph->n_works; i++)
            if (!ls_cpu_ends(&w->graph->works[i]))
                return false;
        return true;
    case LS_WORK_HOST:
    case LS_WORK_LATER:
        return false;
    case LS_WORK_NONE:
    case LS_WORK_COPY:
    case LS_WORK_FILL:
    case LS_WORK_CALL:
    default:
        return true;
    }
}

bool
ls_cpu_is_cooperative(const struct ls_work *w)
{
    return w->kind == LS_WORK_KERNEL && w->kernel.cooperative;
}

bool
ls_cpu_is_resident(const struct ls_cpu_sched *sched, const struct ls_work *work)
{
    const struct ls_work_kernel *k = &work->kernel;

    if (k->cooperative)
        return true;
    return (k->code->kernel->flags & LS_CPU_KERNEL_SPINS) && k->n_blocks > 1 &&
           k->n_blocks <= (uint64_t)LS_UNIT_BLOCKS * sched->n_threads &&
           k->n_blocks * k->n_threads <= (uint64_t)LS_UNIT_THREADS * sched->n_threads;
}

bool
ls_cpu_may_be_long(const struct ls_work *w)
{
    uint64_t per_block;

    if (w->kind != LS_WORK_KERNEL)
        return w->kind == LS_WORK_GRAPH || ls_cpu_of(w)->n_items > 1;
    per_block = atomic_load_explicit(&w->kernel.code->ticks_per_block, memory_order_relaxed);
    return ls_cpu_may_wait(w) || per_block == 0 || per_block * w->kernel.n_blocks > LS_BUSY_TICKS;
}

/* What it costs a thread to be one of several: not the blocks' time. Counted as such it would let
 * small blocks look long, so that more threads come, which costs more. */
#define COMING_TICKS 3000u

void
ls_cpu_note_speed(struct ls_code *code, uint64_t ticks, uint64_t n, bool came)
{
    /* Numbers are rounded up or down by chance: small ones would never change else, or fall. */
    uint64_t chance = ticks * 0x9e3779b97f4a7c15u >> 32;
    uint64_t now = ticks / n + 1,
             old = atomic_load_explicit(&code->ticks_per_block, memory_order_relaxed);

    if (came) { /* it is known only between which bounds they are */
        uint64_t low = (ticks > COMING_TICKS ? ticks - COMING_TICKS : 0) / n + 1;

        /* What was known before may be right. It may as well have been too much, and then only one
         * thread by itself can tell: it falls slowly, until that is tried. */
        now = !old || old < low ? low
              : old <= now      ? old - (old - low + chance % 8) / 8
                                : now;
    }

    /* two threads may overwrite each other's value, which does no harm to an estimate */
    now = old ? (old * 3 + now + (chance >> 3) % 4) / 4 : now;
    atomic_store_explicit(&code->ticks_per_block, now, memory_order_relaxed);
}

void
ls_cpu_note_spent(struct ls_code *code, uint64_t ticks)
{
    /* relaxed: it is only a sum */
    if (atomic_load_explicit(&code->price_ticks, memory_order_relaxed))
        atomic_fetch_add_explicit(&code->spent_ticks, ticks, memory_order_relaxed);
}

static pthread_mutex_t form_lock = PTHREAD_MUTEX_INITIALIZER;

/* LOCKSTEP_PAST: 0 and 1 are what it says, 2 is found out. */
static int
past_setting(void)
{
    static atomic_int setting; /* 0: not yet read, else one more */
    int s = atomic_load_explicit(&setting, memory_order_relaxed); /* all threads find the same */
    const char *text;

    if (s == 0) {
        text = ls_env_str(LS_ENV_PAST);
        s = strcmp(text, "0") == 0 ? 1 : strcmp(text, "1") == 0 ? 2 : 3;
        atomic_store_explicit(&setting, s, memory_order_relaxed);
    }
    return s - 1;
}

/* Whether what this launch writes goes past the caches. Where nothing is known: when it is more
 * than a few threads' share of the last cache, or all of that. */
static void
choose_form(struct ls_work *w)
{
    struct ls_cpu_work *c = ls_cpu_of(w);
    struct ls_code *code = w->kernel.code;
    uint64_t bytes = code->kernel->stream_bytes * w->kernel.n_blocks * w->kernel.n_threads;
    uint64_t much;
    int setting;

    c->form = 0;
    c->form_class = NULL;
    if (bytes == 0)
        return;
    setting = past_setting();
    if (setting == 1)
        c->form = LS_CPU_PAST;
    else if (setting == 2)
        c->form_class = ls_form_class(&code->forms, bytes);
    if (!c->form_class)
        return;
    much = ls_cpu_last_cache_bytes();
    if (much > MUCH_BYTES)
        much = MUCH_BYTES;
    atomic_store_explicit(&c->form_ticks, 0, memory_order_relaxed);
    pthread_mutex_lock(&form_lock);
    if (ls_form_next(&code->forms, c->form_class, bytes >= much ? LS_FORM_PAST : LS_FORM_KEPT) ==
        LS_FORM_PAST)
        c->form = LS_CPU_PAST;
    pthread_mutex_unlock(&form_lock);
}

void
ls_cpu_recall_forms(struct ls_code *code, const struct ls_cache_key *key, const char *kernel)
{
    ls_form_record record;
    bool any;

    if (!code->kernel->stream_bytes || past_setting() != 2)
        return;
    any = ls_cache_find_forms(key, record, sizeof(record));
    pthread_mutex_lock(&form_lock);
    code->key = *key;
    code->has_key = true;
    any = any && ls_forms_recall(&code->forms, record);
    pthread_mutex_unlock(&form_lock);
    if (any)
        ls_log(LS_LOG_INFO, "kernel %s: whether stores go past the caches is known", kernel);
}

void
ls_cpu_note_form(struct ls_work *w)
{
    struct ls_cpu_work *c = ls_cpu_of(w);
    struct ls_code *code = w->kernel.code;
    ls_form_record record;
    uint64_t ticks;
    bool chosen, kept;

    if (w->kind != LS_WORK_KERNEL || !c->form_class || atomic_load(&c->err) != hipSuccess)
        return;
    ticks = atomic_load_explicit(&c->form_ticks, memory_order_relaxed); /* all runners have ended */
    if (ticks == 0)
        return;
    pthread_mutex_lock(&form_lock);
    chosen = ls_form_note(c->form_class, c->form ? LS_FORM_PAST : LS_FORM_KEPT,
                          (double)ticks / (double)w->kernel.n_blocks);
    if (chosen)
        ls_log(LS_LOG_INFO,
               "kernel %s, %llu blocks: stores %s; ticks a block: %.0f kept in the caches, %.0f "
               "past them",
               w->kernel.source->display_name, (unsigned long long)w->kernel.n_blocks,
               c->form_class->form == LS_FORM_PAST ? "past the caches" : "are kept",
               c->form_class->ticks[LS_FORM_KEPT], c->form_class->ticks[LS_FORM_PAST]);
    kept = chosen && code->has_key;
    if (kept)
        ls_forms_tell(&code->forms, record);
    pthread_mutex_unlock(&form_lock);
    if (kept) {
        LS_UNCANCELLED();
        ls_cache_store_forms(&code->key, record, sizeof(record));
    }
}

static void
make_coop(struct ls_cpu_sched *s, struct ls_work *w)
{
    struct ls_cpu_coop *coop = (void *)ls_cpu_of(w)->coop_room;

    _Static_assert(sizeof(*coop) <= sizeof(ls_cpu_of(w)->coop_room), "no room");
    memset(coop, 0, sizeof(*coop));
    pthread_mutex_init(&coop->lock, NULL);
    coop->n_shares =
        w->kernel.n_blocks < s->n_threads ? (uint32_t)w->kernel.n_blocks : s->n_threads;
    coop->n_expected = coop->n_shares;
    ls_cpu_of(w)->coop = coop;
}

uint64_t
ls_cpu_expected_ticks(const struct ls_work *w)
{
    uint64_t per_block;

    switch (w->kind) {
    case LS_WORK_KERNEL:
        /* relaxed: an estimate */
        per_block = atomic_load_explicit(&w->kernel.code->ticks_per_block, memory_order_relaxed);
        return w->kernel.n_blocks *
               (per_block ? per_block : (uint64_t)w->kernel.n_threads * THREAD_TICKS);
    case LS_WORK_COPY:
        return w->copy.row_bytes * w->copy.height * w->copy.depth / BYTES_PER_TICK;
    case LS_WORK_FILL:
        return w->fill.row_bytes * w->fill.height * w->fill.depth / BYTES_PER_TICK;
    case LS_WORK_NONE:
    case LS_WORK_HOST:
    case LS_WORK_GRAPH:
    case LS_WORK_CALL:
    case LS_WORK_LATER:
    default:
        return 0;
    }
}

uint32_t
ls_cpu_wanted(const struct ls_cpu_sched *s, uint64_t ticks)
{
    uint64_t n = ticks / SHARE_TICKS, n_seats = atomic_load(&s->n_seats);

    if (n < 2)
        n = ticks < FEW_TICKS ? 1 : 2;
    return (uint32_t)(n < n_seats ? n : n_seats);
}

uint32_t
ls_cpu_wakes(uint64_t ticks)
{
    uint64_t n = ticks / WAKE_TICKS;

    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

void
ls_cpu_divide(struct ls_cpu_sched *s, struct ls_work *w)
{
    struct ls_cpu_work *c = ls_cpu_of(w);
    uint64_t ticks = ls_cpu_expected_ticks(w), per_block;

    c->coop = NULL;
    c->n_wanted = ls_cpu_wanted(s, ticks);
    c->n_wakes = ls_cpu_wakes(ticks);
    c->least = c->most = 1;
    switch (w->kind) {
    case LS_WORK_KERNEL:
        atomic_store_explicit(&c->text_bytes, 0, memory_order_relaxed);
        choose_form(w);
        c->n_items = w->kernel.n_blocks;
        if (ls_cpu_is_resident(s, w)) {
            make_coop(s, w);
            c->n_items = ((struct ls_cpu_coop *)c->coop)->n_shares;
        }
        if (c->coop || ls_cpu_may_wait(w)) { /* host threads do not run it, and it takes long */
            c->n_wanted = s->n_slots;
            c->n_wakes = UINT32_MAX;
            break;
        }
        if (c->n_items == 1)
            break;
        per_block = ticks / c->n_items + 1;
        /* A piece of a kernel of which nothing is known is an eighth of a thread's part. */
        c->most = (uint32_t)(MOST_TICKS / per_block + 1);
        if (atomic_load_explicit(&w->kernel.code->ticks_per_block, memory_order_relaxed))
            c->least = (uint32_t)(LEAST_TICKS / per_block + 1);
        else if (c->most > c->n_items / (c->n_wanted * 8u) + 1)
            c->most = (uint32_t)(c->n_items / (c->n_wanted * 8u) + 1);
        break;
    case LS_WORK_COPY:
    case LS_WORK_FILL:
        c->n_items = ls_cpu_move_items(w);
        break;
    case LS_WORK_NONE:
    case LS_WORK_HOST:
    case LS_WORK_GRAPH:
    case LS_WORK_CALL:
    case LS_WORK_LATER:
    default:
        LS_BUG("work of kind %d, which cannot be divided", (int)w->kind);
    }
    if (c->n_wanted > c->n_items)
        c->n_wanted = c->n_items > 1 ? (uint32_t)c->n_items : 1;
}
