/* SPDX-License-Identifier: MIT */
/* What runs kernels' blocks, copies and fills: each block that ever runs has a number of its own,
 * its `run`, and launches are found by the numbers of their blocks. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_priv.h"
#include "check/review.h"

enum { N_SPANS = 1 << 16 };

/* The blocks of a launch between two syncs of its grid. */
struct span {
    uint64_t base, n;
    struct ls_check_launch *launch;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct span spans[N_SPANS]; /* guarded by lock, as all of these: a ring, by base */
static uint64_t first_span, n_spans, next_run = 1, n_launches;
static unsigned n_active;
static uint32_t begun[LS_CHECK_CLOCK_LANES]; /* of each stream: the last step that began */

static void
destroy(struct ls_check_launch *l)
{
    ls_check_plan_unref(l->plan);
    free(l->name);
    free(l->reach);
    free(l);
}

/* Lock held. */
static void
drop_oldest(void)
{
    struct ls_check_launch *l = spans[first_span++ % N_SPANS].launch;

    n_spans--;
    if (--l->n_spans == 0 && l->has_ended)
        destroy(l);
}

/* Lock held: numbers for the blocks of one phase. */
static uint64_t
add_span(struct ls_check_launch *l)
{
    uint64_t base = next_run;

    if (n_spans == N_SPANS)
        drop_oldest();
    spans[(first_span + n_spans++) % N_SPANS] = (struct span){base, l->n_blocks, l};
    next_run = (next_run + l->n_blocks) & LS_CHECK_MOST_RUN;
    if (next_run < base) { /* after 10^12 blocks: what was before is forgotten */
        next_run = 1;
        while (n_spans > 1)
            drop_oldest();
    }
    l->n_spans++;
    return base;
}

/* Lock held: up to which run all has happened before a launch that begins. Where a stream has begun
 * something that is not in front of this one, nobody knows. */
static uint64_t
find_floor(const struct ls_check_launch *l)
{
    const struct ls_check_clock *c = &l->clock;

    for (unsigned i = 0; i < LS_CHECK_CLOCK_LANES && !c->is_blind; i++)
        if (begun[i] > c->at[i])
            return 0;
    return l->plan ? l->plan->first_base : l->first_base;
}

/* Lock held. */
static void
note_begin(struct ls_check_launch *l)
{
    const struct ls_check_clock *c = &l->clock;

    if (l->plan && !l->plan->first_base)
        l->plan->first_base = l->first_base;
    l->floor = find_floor(l);
    if (!c->is_blind && begun[c->lane] < c->at[c->lane])
        begun[c->lane] = c->at[c->lane];
}

/* What the kernel does by its pointers, if nothing may run beside it. */
static void
note_reach(struct ls_check_launch *l, const struct ls_check_work *work)
{
    size_t bytes = work->n_reach * sizeof(*l->reach);

    l->elsewhere = work->elsewhere;
    l->is_alone = work->is_kernel && !l->plan && !l->clock.is_blind && ls_check_is_one_stream();
    if (!l->is_alone || !bytes)
        return;
    l->reach = malloc(bytes);
    l->is_alone = l->reach != NULL;
    if (!l->reach)
        return;
    memcpy(l->reach, work->reach, bytes);
    l->n_reach = work->n_reach;
}

struct ls_check_launch *
ls_check_launch_begin(const struct ls_check_work *work)
{
    struct ls_check_launch *l;

    if (ls_checks() & LS_CHECK_REVIEW)
        return ls_review_begin(work);
    if (!(ls_checks() & (LS_CHECK_RACE | LS_CHECK_NOTES)) || !(l = calloc(1, sizeof(*l))))
        return NULL;
    l->name = strdup(work->name);
    l->is_kernel = work->is_kernel;
    l->is_host = work->is_host;
    l->hands_on = work->hands_on;
    l->n_blocks = work->n_blocks;
    l->width = work->width;
    memcpy(l->grid, work->grid, sizeof(l->grid));
    memcpy(l->block, work->block, sizeof(l->block));
    if (work->clock)
        l->clock = *work->clock;
    l->clock.is_blind |= !work->clock;
    l->plan = work->plan;
    l->node = work->node;
    if (l->plan)
        atomic_fetch_add(&l->plan->n_refs, 1);
    note_reach(l, work);
    pthread_mutex_lock(&lock);
    l->number = ++n_launches;
    l->first_base = l->base = add_span(l);
    note_begin(l);
    l->is_alone &= l->floor == l->first_base;
    n_active++;
    pthread_mutex_unlock(&lock);
    return l;
}

void
ls_check_launch_end(struct ls_check_launch *l)
{
    bool is_quiet;

    if (ls_checks() & LS_CHECK_REVIEW) {
        ls_review_end(l);
        return;
    }
    if (!l)
        return;
    pthread_mutex_lock(&lock);
    is_quiet = --n_active == 0;
    if (is_quiet)
        ls_check_forget_handed();
    l->has_ended = true;
    if (l->n_spans == 0)
        destroy(l);
    pthread_mutex_unlock(&lock);
}

uint64_t
ls_check_launch_base(struct ls_check_launch *l, uint32_t phase)
{
    uint64_t base;

    if (phase == 0)
        return l->first_base;
    pthread_mutex_lock(&lock);
    if (phase > l->phase) {
        l->phase = phase;
        l->base = add_span(l);
    }
    base = l->base;
    pthread_mutex_unlock(&lock);
    return base;
}

/* Lock held; NULL: it is too long ago. */
static const struct span *
find(uint64_t run)
{
    uint64_t low = 0, high = n_spans;

    while (low < high) {
        uint64_t mid = low + (high - low) / 2;

        if (spans[(first_span + mid) % N_SPANS].base > run)
            high = mid;
        else
            low = mid + 1;
    }
    const struct span *s = &spans[(first_span + low - 1) % N_SPANS];

    return low && run - s->base < s->n ? s : NULL;
}

bool
ls_check_launch_of(uint64_t run, struct ls_check_ran *ran)
{
    const struct span *s;

    pthread_mutex_lock(&lock);
    s = find(run);
    if (s) {
        ran->launch = *s->launch;
        ran->launch.reach = NULL;
        ran->block = run - s->base;
        ls_check_name(s->launch->name ? s->launch->name : "?", ran->name, sizeof(ran->name));
    }
    pthread_mutex_unlock(&lock);
    return s != NULL;
}

static bool
is_before(const struct ls_check_launch *a, const struct ls_check_launch *b)
{
    if (a == b || a->clock.is_blind || b->clock.is_blind)
        return true; /* a: in front of a sync of its grid */
    if (a->plan && a->plan == b->plan)
        return b->plan->before[(size_t)b->node * b->plan->words + a->node / 64] >> a->node % 64 & 1;
    return a->clock.at[a->clock.lane] <= b->clock.at[a->clock.lane];
}

bool
ls_check_launch_before(const struct ls_check_launch *now, uint64_t run, uint64_t *base, uint64_t *n)
{
    const struct span *s;
    bool before;

    pthread_mutex_lock(&lock);
    s = find(run);
    *base = s ? s->base : run;
    *n = s ? s->n : 1;
    before = !s || is_before(s->launch, now);
    pthread_mutex_unlock(&lock);
    return before;
}

/* ---- Graphs ---- */

enum { MOST_WORKS = 8192 };

/* Follows the edges, from works that wait for nothing on. */
static bool
follow(struct ls_check_plan *p, const uint32_t *n_deps, const uint32_t *first_edge,
       const uint32_t *edges)
{
    uint32_t *left = malloc(2 * p->n * sizeof(*left)), *ready, n = 0;

    if (!left)
        return false;
    ready = left + p->n;
    memcpy(left, n_deps, p->n * sizeof(*left));
    for (uint32_t i = 0; i < p->n; i++)
        if (!left[i])
            ready[n++] = i;
    for (uint32_t at = 0; at < n; at++) {
        uint32_t i = ready[at];

        for (uint32_t e = first_edge[i]; e < first_edge[i + 1]; e++) {
            uint64_t *to = p->before + (size_t)edges[e] * p->words;

            for (uint32_t w = 0; w < p->words; w++)
                to[w] |= p->before[(size_t)i * p->words + w];
            to[i / 64] |= (uint64_t)1 << i % 64;
            if (--left[edges[e]] == 0)
                ready[n++] = edges[e];
        }
    }
    free(left);
    return true;
}

struct ls_check_plan *
ls_check_plan_make(uint32_t n, const uint32_t *n_deps, const uint32_t *first_edge,
                   const uint32_t *edges)
{
    struct ls_check_plan *p = n && n <= MOST_WORKS ? calloc(1, sizeof(*p)) : NULL;

    if (!p)
        return NULL;
    p->n_refs = 1;
    p->n = n;
    p->words = (n + 63) / 64;
    p->before = calloc((size_t)n * p->words, sizeof(*p->before));
    if (p->before && follow(p, n_deps, first_edge, edges))
        return p;
    ls_check_plan_unref(p);
    return NULL;
}

void
ls_check_plan_unref(struct ls_check_plan *p)
{
    if (!p || atomic_fetch_sub(&p->n_refs, 1) > 1)
        return;
    free(p->before);
    free(p);
}
