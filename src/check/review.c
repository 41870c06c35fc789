/* SPDX-License-Identifier: MIT */
/* What accesses would cost on a GPU: lines and sectors of memory that a warp's instruction touches,
 * conflicts of banks, lanes at one address; and kernels' launches. */
#include "check/review.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/banks.h"
#include "base/clock.h"
#include "base/env.h"
#include "check/check_priv.h"

enum {
    WARP = 64,
    LINE = 128,
    SECTOR = 32,
    WIDEST = 64, /* bytes: more is a copy of a structure, which becomes many accesses */
    EACH = 128,  /* times that each one is looked at */
    SLOWER = 8,  /* then one in two, three, ... each for so many times */
    MOST_APART = 4096,
    EACH_BLOCK = 64, /* blocks of which each one is reviewed */
    BLOCKS_APART = 32,
};

/* What was counted of a site, in memory or in shared memory: a site may go to both. */
struct part {
    _Atomic uint64_t executions, samples, lanes, room;
    _Atomic uint64_t lines, ideal_lines, sectors, ideal_sectors;
    _Atomic uint64_t same; /* lanes at the address that most of them go to */
    _Atomic uint64_t cycles[LS_N_BANK_MODELS], ideal_cycles[LS_N_BANK_MODELS];
    _Atomic uint32_t degree[LS_N_BANK_MODELS];
    /* The most expensive one that was seen. */
    pthread_mutex_t lock;
    uint64_t worst, mask, places[WARP]; /* guarded by lock */
};

struct ls_review_tally {
    char *kernel;                     /* owned */
    const struct ls_check_site *site; /* a copy, which stays */
    struct part parts[2];             /* of memory, of shared memory */
    struct ls_review_tally *next;
};

/* A kernel that ran. */
struct ls_review_kernel {
    char *name;               /* owned */
    _Atomic uint64_t n_plain; /* blocks that were not reviewed */
    uint64_t n_launches, n_blocks, ns, lds_bytes;
    uint32_t grid[3], block[3], width; /* of the last launch */
    struct ls_review_kernel *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ls_review_tally *tallies; /* guarded by lock, as the next one */
static struct ls_review_kernel *kernels;

/* ---- Counting ---- */

static void
add(_Atomic uint64_t *to, uint64_t n)
{
    /* relaxed: a count */
    atomic_fetch_add_explicit(to, n, memory_order_relaxed);
}

/* Parts of memory of `unit` bytes, a power of two, that the lanes touch. */
static unsigned
units_touched(const uint64_t *places, uint64_t mask, uint32_t bytes, uint64_t unit)
{
    uint64_t seen[WARP * 3], highest = 0;
    unsigned n = 0;

    for (uint64_t left = mask; left; left &= left - 1) {
        uint64_t first = places[__builtin_ctzll(left)], last = (first + bytes - 1) / unit;

        for (uint64_t u = first / unit; u <= last; u++) {
            unsigned i = u > highest ? 0 : n; /* most lanes go upwards */

            while (i > 0 && seen[i - 1] != u)
                i--;
            if (i == 0)
                seen[n++] = u;
            highest = u > highest ? u : highest;
        }
    }
    return n;
}

static unsigned
lanes_at_one(const uint64_t *places, uint64_t mask)
{
    unsigned most = 0;

    while (mask) {
        uint64_t at = places[__builtin_ctzll(mask)], here = 0;

        for (uint64_t left = mask; left; left &= left - 1)
            if (places[__builtin_ctzll(left)] == at)
                here |= left & -left;
        mask &= ~here;
        if ((unsigned)__builtin_popcountll(here) > most)
            most = (unsigned)__builtin_popcountll(here);
    }
    return most;
}

static unsigned
n_units(uint64_t bytes, uint64_t unit)
{
    return (unsigned)((bytes + unit - 1) / unit);
}

static void
keep_worst(struct part *p, uint64_t cost, const uint64_t *places, uint64_t mask, uint32_t width)
{
    pthread_mutex_lock(&p->lock);
    if (!p->mask || cost > p->worst) {
        p->worst = cost;
        p->mask = mask;
        memcpy(p->places, places, width * sizeof(*places));
    }
    pthread_mutex_unlock(&p->lock);
}

static void
count_memory(struct part *p, const struct ls_check_site *site, const uint64_t *places,
             uint64_t mask, uint32_t width, uint32_t weight)
{
    unsigned n = (unsigned)__builtin_popcountll(mask),
             lines = units_touched(places, mask, site->bytes, LINE),
             sectors = units_touched(places, mask, site->bytes, SECTOR),
             ideal = n_units((uint64_t)n * site->bytes, LINE),
             ideal_sectors = n_units((uint64_t)n * site->bytes, SECTOR);

    /* Lanes that go to the same place need less than the ideal of them all. */
    add(&p->lines, (uint64_t)lines * weight);
    add(&p->ideal_lines, (uint64_t)(ideal < lines ? ideal : lines) * weight);
    add(&p->sectors, (uint64_t)sectors * weight);
    add(&p->ideal_sectors, (uint64_t)(ideal_sectors < sectors ? ideal_sectors : sectors) * weight);
    keep_worst(p, lines, places, mask, width);
}

static void
count_shared(struct part *p, const struct ls_check_site *site, const uint64_t *places,
             uint64_t mask, uint32_t width, uint32_t weight)
{
    bool is_read = site->kind == LS_CHECK_LOAD;
    struct ls_bank_cost costs[LS_N_BANK_MODELS];
    uint64_t worst = 0;

    for (unsigned i = 0; i < LS_N_BANK_MODELS; i++) {
        const struct ls_bank_model *model = &ls_bank_models[i];
        uint32_t before = atomic_load_explicit(&p->degree[i], memory_order_relaxed);
        struct ls_bank_cost cost;
        unsigned same = 0;

        while (same < i &&
               !ls_bank_models_agree(&ls_bank_models[same], model, site->bytes, is_read))
            same++;
        costs[i] = same < i ? costs[same] : ls_bank_cost(model, places, mask, site->bytes, is_read);
        cost = costs[i];
        add(&p->cycles[i], (uint64_t)cost.cycles * weight);
        add(&p->ideal_cycles[i], (uint64_t)cost.ideal * weight);
        while (cost.degree > before &&
               !atomic_compare_exchange_weak(&p->degree[i], &before, cost.degree))
            ;
        worst = cost.cycles > worst ? cost.cycles : worst;
    }
    keep_worst(p, worst, places, mask, width);
}

/* ---- Turns ---- */

static struct ls_review_tally *
make_tally(const struct ls_check_warp *warp, const struct ls_check_site *site)
{
    uint16_t number = ls_check_site_number(site);
    struct ls_review_tally *t;

    pthread_mutex_lock(&lock);
    for (t = tallies; t; t = t->next)
        if (t->site == ls_check_site_of(number) && !strcmp(t->kernel, warp->kernel))
            break;
    if (!t && number && (t = calloc(1, sizeof(*t)))) {
        t->site = ls_check_site_of(number);
        t->kernel = strdup(warp->kernel);
        for (unsigned i = 0; i < 2; i++)
            pthread_mutex_init(&t->parts[i].lock, NULL);
        if (t->kernel) {
            t->next = tallies;
            tallies = t;
        } else {
            free(t);
            t = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    return t;
}

/* Where code was unloaded and other code lies there now, the site is another one. */
static bool
is_of(const struct ls_review_turn *turn, const struct ls_check_warp *warp,
      const struct ls_check_site *site)
{
    return turn->site == site && turn->tally && !memcmp(&turn->raw, site, sizeof(*site)) &&
           !strcmp(turn->tally->kernel, warp->kernel);
}

static uint32_t
next_random(uint32_t *random)
{
    return (*random = *random * 1664525u + 1013904223u) >> 8;
}

/* Chooses the next one that is looked at; how many this one stands for. */
static uint32_t
next_turn(struct ls_review_turn *turn)
{
    uint32_t weight = turn->weight, apart = 1;

    if (++turn->n_seen > EACH) {
        apart = 2 + (turn->n_seen - EACH) / SLOWER;
        apart = apart < MOST_APART ? apart : MOST_APART;
        apart = 1 + next_random(&turn->random) % (2 * apart - 1); /* in step with no loop */
    }
    turn->weight = apart;
    return weight;
}

/* Places in shared memory as offsets; whether all are of one kind. */
static bool
sort_places(const struct ls_check_warp *warp, const struct ls_check_site *site,
            const uint64_t *places, uint64_t *mask, uint64_t to[WARP], bool *is_shared)
{
    bool is_any = false;
    uint64_t left = *mask;

    *is_shared = site->space == LS_CHECK_LDS;
    for (; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint64_t at = places[lane];
        bool here = site->space == LS_CHECK_LDS || at - warp->lds < warp->lds_bytes;

        to[lane] = here && site->space != LS_CHECK_LDS ? at - warp->lds : at;
        if ((site->space == LS_CHECK_LDS && at == LS_CHECK_NOWHERE) ||
            at - warp->stack_lo < warp->stack_hi - warp->stack_lo) {
            *mask &= ~(left & -left); /* no access, or one of a thread's own memory */
            continue;
        }
        if (is_any && here != *is_shared)
            return false;
        *is_shared = here;
        is_any = true;
    }
    return is_any;
}

/* Lock held. NULL: no memory. */
static struct ls_review_kernel *
kernel_of(const char *name)
{
    struct ls_review_kernel **at = &kernels, *k;

    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    if (*at || !(k = calloc(1, sizeof(*k))))
        return *at;
    if (!(k->name = strdup(name))) {
        free(k);
        return NULL;
    }
    return *at = k;
}

void
ls_review_plain_blocks(struct ls_review_turns *turns, uint64_t n)
{
    turns->blocks->n_plain -= n;
    if (turns->blocks->kernel)
        add(&turns->blocks->kernel->n_plain, n);
}

void
ls_review_next_block(struct ls_review_turns *turns)
{
    struct ls_review_blocks *b = turns->blocks;

    b->n_plain =
        ++b->n_reviewed < EACH_BLOCK ? 0 : next_random(&b->random) % (2 * BLOCKS_APART - 1);
}

static uint64_t
hash_of(const char *name)
{
    uint64_t hash = 5381;

    for (const char *c = name; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    return hash ? hash : 1;
}

void
ls_review_turns_begin(struct ls_review_turns *turns, const char *kernel)
{
    uint64_t hash = hash_of(kernel);
    struct ls_review_blocks *b = &turns->kernels[hash % LS_REVIEW_KERNELS];

    if (turns->blocks == b && b->hash == hash)
        return;
    turns->blocks = b;
    if (b->hash != hash) {
        *b = (struct ls_review_blocks){.hash = hash};
        pthread_mutex_lock(&lock);
        b->kernel = kernel_of(kernel);
        pthread_mutex_unlock(&lock);
    }
    for (unsigned i = 0; i < LS_REVIEW_SLOTS; i++) {
        if (turns->at[i].site) /* those that have passed, and the next one */
            turns->at[i].weight -= turns->left[i] - 1;
        turns->left[i] = 1;
    }
}

void
ls_review_access(struct ls_review_turns *turns, const struct ls_check_warp *warp,
                 const struct ls_check_site *site, const uint64_t *places, uint64_t mask)
{
    struct ls_review_turn *turn = &turns->at[site->slot % LS_REVIEW_SLOTS];
    uint64_t sorted[WARP] = {0};
    bool is_access = site->kind < LS_CHECK_BARRIER, is_shared = false;
    uint32_t weight;
    struct part *p;

    if (!is_of(turn, warp, site))
        *turn = (struct ls_review_turn){
            .site = site, .raw = *site, .tally = make_tally(warp, site), .weight = 1, .random = 1};
    weight = next_turn(turn);
    turns->left[site->slot % LS_REVIEW_SLOTS] = turn->weight;
    if (!turn->tally || !mask || (is_access && site->bytes > WIDEST))
        return;
    if (is_access && !sort_places(warp, site, places, &mask, sorted, &is_shared))
        return;
    p = &turn->tally->parts[is_shared];
    add(&p->executions, weight);
    add(&p->samples, 1);
    add(&p->lanes, (uint64_t)__builtin_popcountll(mask) * weight);
    add(&p->room, (uint64_t)warp->width * weight);
    if (site->kind == LS_CHECK_ATOMIC)
        add(&p->same, (uint64_t)lanes_at_one(sorted, mask) * weight);
    if (is_access && is_shared)
        count_shared(p, site, sorted, mask, warp->width, weight);
    else if (is_access)
        count_memory(p, site, sorted, mask, warp->width, weight);
}

/* ---- Launches ---- */

struct ls_check_launch *
ls_review_begin(const struct ls_check_work *work)
{
    struct ls_check_launch *l;

    if (!work->is_kernel || !(l = calloc(1, sizeof(*l))))
        return NULL;
    l->name = strdup(work->name);
    l->n_blocks = work->n_blocks;
    l->width = work->width;
    l->lds_bytes = work->lds_bytes;
    memcpy(l->grid, work->grid, sizeof(l->grid));
    memcpy(l->block, work->block, sizeof(l->block));
    l->began_ns = ls_now_ns();
    return l;
}

void
ls_review_end(struct ls_check_launch *l)
{
    struct ls_review_kernel *k;

    if (!l)
        return;
    pthread_mutex_lock(&lock);
    if (l->name && (k = kernel_of(l->name))) {
        k->n_launches++;
        k->n_blocks += l->n_blocks;
        k->ns += ls_now_ns() - l->began_ns;
        k->width = l->width;
        k->lds_bytes = l->lds_bytes > k->lds_bytes ? l->lds_bytes : k->lds_bytes;
        memcpy(k->grid, l->grid, sizeof(k->grid));
        memcpy(k->block, l->block, sizeof(k->block));
    }
    pthread_mutex_unlock(&lock);
    free(l->name);
    free(l);
}

/* ---- Records: as text, read by tools/lscheck/measures.c ---- */

static void
write_kernel(FILE *to, const struct ls_review_kernel *k)
{
    char name[768];

    ls_check_name(k->name, name, sizeof(name));
    fprintf(to, "K\t%d\t%s\t%s\t%llu\t%llu\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%llu\t%llu\n",
            (int)getpid(), k->name, name, (unsigned long long)k->n_launches,
            (unsigned long long)k->n_blocks, k->width, k->grid[0], k->grid[1], k->grid[2],
            k->block[0], k->block[1], k->block[2], (unsigned long long)k->lds_bytes,
            (unsigned long long)k->ns);
}

/* What counts of a kernel are multiplied by, for its blocks that were not reviewed. */
static double
factor_of(const char *name)
{
    for (struct ls_review_kernel *k = kernels; k; k = k->next) {
        uint64_t n = k->n_plain;

        if (!strcmp(k->name, name))
            return n < k->n_blocks ? (double)k->n_blocks / (double)(k->n_blocks - n) : 1;
    }
    return 1;
}

static void
write_number(FILE *to, uint64_t n)
{
    fprintf(to, "\t%llu", (unsigned long long)n);
}

static void
write_part(FILE *to, const struct ls_review_tally *t, unsigned is_shared, unsigned id)
{
    const struct ls_check_site *site = t->site;
    const struct part *p = &t->parts[is_shared];
    double factor = factor_of(t->kernel);
    char variable[256] = "";

    if (site->variable)
        ls_check_variable_name((const char *)site + site->variable, variable, sizeof(variable));
    fprintf(to, "A\t%d\t%u\t%s\t%s\t%u\t%u\t%u", (int)getpid(), id, t->kernel, variable, site->kind,
            is_shared, site->bytes);
    write_number(to, site->kind == LS_CHECK_STEP ? site->room : 0);
    write_number(to, site->kind == LS_CHECK_STEP ? site->from : 0);
    write_number(to, (uint64_t)((double)p->executions * factor));
    write_number(to, p->samples);
    write_number(to, (uint64_t)((double)p->lanes * factor));
    write_number(to, (uint64_t)((double)p->room * factor));
    write_number(to, (uint64_t)((double)p->lines * factor));
    write_number(to, (uint64_t)((double)p->ideal_lines * factor));
    write_number(to, (uint64_t)((double)p->sectors * factor));
    write_number(to, (uint64_t)((double)p->ideal_sectors * factor));
    write_number(to, (uint64_t)((double)p->same * factor));
    for (unsigned i = 0; i < LS_N_BANK_MODELS; i++) {
        write_number(to, (uint64_t)((double)p->cycles[i] * factor));
        write_number(to, (uint64_t)((double)p->ideal_cycles[i] * factor));
        write_number(to, p->degree[i]);
    }
    fputc('\n', to);
    for (const char *at = site->trace ? (const char *)site + site->trace : ""; *at;) {
        size_t n = strcspn(at, "\n");

        fprintf(to, "T\t%d\t%u\t%.*s\n", (int)getpid(), id, (int)n, at);
        at += n + (at[n] == '\n');
    }
    if (!p->mask)
        return;
    fprintf(to, "P\t%d\t%u\t%llu", (int)getpid(), id, (unsigned long long)p->mask);
    for (unsigned i = 0; i < WARP; i++)
        write_number(to, p->mask >> i & 1 ? p->places[i] : 0);
    fputc('\n', to);
}

void
ls_review_write(void)
{
    const char *path = ls_env_str(LS_ENV_CHECK_FILE);
    FILE *to = *path ? fopen(path, "a") : NULL;
    unsigned id = 0;

    if (!to) {
        fprintf(stderr, "lsreview: cannot write to '%s': what was measured is lost\n", path);
        return;
    }
    pthread_mutex_lock(&lock);
    for (const struct ls_review_kernel *k = kernels; k; k = k->next)
        if (k->n_launches)
            write_kernel(to, k);
    for (const struct ls_review_tally *t = tallies; t; t = t->next)
        for (unsigned i = 0; i < 2; i++)
            if (t->parts[i].samples)
                write_part(to, t, i, ++id);
    pthread_mutex_unlock(&lock);
    if (fclose(to) != 0)
        fprintf(stderr, "lsreview: cannot write to %s\n", path);
}
