/* SPDX-License-Identifier: MIT */
/* Looks at where the elements of variables came from, warp by warp, and at what a comment says of
 * it. Each bit of a place (simd lane, register, thread, warp) must move by as many bytes of memory
 * as the bit of the array's index that it stands for, whichever the other bits are; where the array
 * begins may be another place for each block, and each time. */
#include "check/notation.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/notation_priv.h"

enum {
    SLOTS = 16,
    TIMES = 4,
    KEPT = 16, /* blocks of each thread of the host */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ls_note *notes; /* guarded by lock */

/* Where the elements of a warp begin, of blocks and the times that they came to a comment. */
struct ls_note_begun {
    const struct ls_check_blocks *blocks; /* the thread of the host whose blocks they are */
    uint64_t n_seen;
    struct note_block {
        uint64_t serial, block, seen; /* seen: when it came last, of n_seen; 0: none is here */
        uint32_t n_times[LS_NOTE_WARPS];
        struct {
            uint32_t time, seen;
            uint64_t at[LS_NOTE_WARPS];
        } times[TIMES];
    } kept[KEPT];
    struct ls_note_begun *next;
};

/* By the site's address, of one thread of the host. */
static _Thread_local struct {
    const struct ls_check_site *site;
    struct ls_note *note;
} known[SLOTS];

/* ---- Notes ---- */

static void
prepare(struct ls_note *n, uint32_t width)
{
    unsigned threads = n->says.parts[LS_NOTATION_THREAD].n;

    n->width = n->warp = width;
    if (threads == 5 && width == 64 && n->says.parts[LS_NOTATION_WARP].known)
        n->warp = 32;
    if (!n->problem[0] && (1u << threads) > n->warp)
        snprintf(n->problem, sizeof(n->problem), "it says t%u, but warps have %u threads here",
                 threads - 1, n->warp);
    if (!n->problem[0] && n->says.parts[LS_NOTATION_WARP].n > 5)
        snprintf(n->problem, sizeof(n->problem), "no block has more than 32 warps");
}

static struct ls_note *
find_note(const struct ls_check_warp *warp, const struct ls_check_site *site)
{
    unsigned slot = (unsigned)((uintptr_t)site / sizeof(*site)) % SLOTS;
    const char *text = site->variable ? (const char *)site + site->variable : "";
    struct ls_note *n = known[slot].note;

    if (known[slot].site == site && n && !strcmp(n->text, text) && n->width == warp->width &&
        !strcmp(n->kernel, warp->kernel))
        return n;
    pthread_mutex_lock(&lock);
    for (n = notes; n; n = n->next)
        if (!strcmp(n->text, text) && !strcmp(n->kernel, warp->kernel) && n->width == warp->width)
            break;
    if (!n && (n = ls_note_read(site, text, warp->kernel)) != NULL) {
        prepare(n, warp->width);
        n->next = notes;
        notes = n;
    }
    pthread_mutex_unlock(&lock);
    known[slot].site = site;
    known[slot].note = n;
    return n;
}

/* ---- What a warp holds ---- */

struct held {
    const struct ls_check_warp *warp;
    const uint64_t *origins;
    uint64_t mask;
    unsigned first_lane;                        /* of what the notation takes for a warp */
    uint64_t at[LS_NOTE_BYTES * LS_NOTE_LANES]; /* by element and lane; 0: it is none */
};

/* Where an element came from; 0: from no one place. */
static uint64_t
origin_of(const struct ls_note *n, const uint64_t *origins, unsigned element, unsigned lane)
{
    unsigned bytes = n->element_bytes;
    uint64_t first = 0;
    bool in_order = true, alike = true;

    for (unsigned i = 0; i < bytes; i++) {
        unsigned b = element * bytes + i;
        uint64_t at;

        if (n->from[b].arg == 255)
            return 0;
        at = origins[n->from[b].arg * n->width + lane] + (uint64_t)(int64_t)n->from[b].add;
        if (i == 0)
            first = at;
        in_order &= at == first + i;
        alike &= at == first;
    }
    if ((first & LS_NOTE_ADDRESS) < LS_NOTE_NOWHERE)
        return 0;
    if (first & LS_NOTE_DERIVED)
        return alike || bytes == 1 ? first & LS_NOTE_ADDRESS : 0;
    return in_order ? first : 0;
}

static void
read_held(const struct ls_note *n, struct held *h)
{
    for (unsigned e = 0; e < n->n_elements; e++) {
        unsigned b = e * n->element_bytes, arg = n->from[b].arg;
        bool simple = arg != 255;

        for (unsigned i = 1; i < n->element_bytes; i++)
            simple &= n->from[b + i].arg == arg && n->from[b + i].add == n->from[b].add + (int)i;
        for (unsigned t = 0; t < n->warp; t++) {
            unsigned lane = h->first_lane + t;
            uint64_t at;

            if (!(h->mask >> lane & 1)) {
                h->at[e * n->warp + t] = 0;
                continue;
            }
            if (simple) {
                at = h->origins[arg * n->width + lane] + (uint64_t)(int64_t)n->from[b].add;
                if (at <= LS_NOTE_ADDRESS && at >= 2 * LS_NOTE_NOWHERE) {
                    h->at[e * n->warp + t] = at;
                    continue;
                }
            }
            h->at[e * n->warp + t] = origin_of(n, h->origins, e, lane);
        }
    }
}

static bool
is_active(const struct ls_note *n, const struct held *h, unsigned place)
{
    return h->mask >> (h->first_lane + place % n->warp) & 1;
}

/* The distance of two places of a warp that differ in a bit; 0: it is none within a warp. */
static unsigned
step_of(const struct ls_note *n, const struct ls_note_bit *b)
{
    unsigned simd = n->says.parts[LS_NOTATION_SIMD].n;

    return b->part == LS_NOTATION_SIMD       ? n->warp << b->number
           : b->part == LS_NOTATION_REGISTER ? n->warp << (simd + b->number)
           : b->part == LS_NOTATION_THREAD   ? 1u << b->number
                                             : 0;
}

/* The place with the same bits that the comment says nothing of, and 0 for the others. */
static unsigned
zero_of(const struct ls_note *n, unsigned place)
{
    unsigned e = place / n->warp & ~n->element_mask, t = place % n->warp & ~n->thread_mask;

    return e * n->warp + t;
}

/* ---- Learning and judging ---- */

/* Finds each bit's weight in what a warp holds. False: too few of its threads are active. */
static bool
learn(struct ls_note *n, const struct held *h)
{
    unsigned n_places = n->n_elements * n->warp;

    for (unsigned i = 0; i < n->n_bits; i++) {
        unsigned step = step_of(n, &n->bits[i]), p = 0;

        if (!step)
            continue;
        while (p < n_places &&
               ((p & step) || p + step >= n_places || !h->at[p] || !h->at[p + step]))
            p++;
        if (p >= n_places)
            return false;
        n->bits[i].weight = (int64_t)(h->at[p + step] - h->at[p]);
        n->bits[i].is_known = true;
    }
    return true;
}

/* The bytes that an element has in memory: another number where it was converted. */
static unsigned
source_bytes(const struct ls_note *n, const struct held *h)
{
    for (unsigned p = 0; p < n->n_elements * n->warp; p++)
        if (h->at[p]) {
            unsigned b = p / n->warp * n->element_bytes;
            uint64_t at = h->origins[n->from[b].arg * n->width + h->first_lane + p % n->warp];

            return at & LS_NOTE_DERIVED ? (unsigned)(at >> LS_NOTE_SIZE_AT & 255)
                                        : n->element_bytes;
        }
    return n->element_bytes;
}

static void
make_offsets(struct ls_note *n)
{
    unsigned n_places = n->n_elements * n->warp;

    if (!n->offsets)
        n->offsets = calloc(n_places, sizeof(*n->offsets));
    for (unsigned p = 0; n->offsets && p < n_places; p++) {
        n->offsets[p] = 0;
        for (unsigned i = 0; i < n->n_bits; i++)
            if (p & step_of(n, &n->bits[i]))
                n->offsets[p] += n->bits[i].weight;
    }
}

/* The first place that does not hold what the weights say; the number of places: all do. */
static unsigned
first_wrong(const struct ls_note *n, const struct held *h)
{
    unsigned n_places = n->n_elements * n->warp;

    for (unsigned t = 0; t < n->warp; t++)
        for (unsigned e = 0; e < n->n_elements; e++) {
            unsigned p = e * n->warp + t, zero = zero_of(n, p);

            if (is_active(n, h, p) && is_active(n, h, zero) &&
                (!h->at[p] || !h->at[zero] || h->at[p] != h->at[zero] + (uint64_t)n->offsets[p]))
                return p;
        }
    return n_places;
}

static bool
all_right(const struct ls_note *n, const struct held *h)
{
    unsigned n_places = n->n_elements * n->warp;
    bool all_active = n->warp == 64 ? h->mask == UINT64_MAX
                                    : (h->mask >> h->first_lane & 0xffffffffu >> (32 - n->warp)) ==
                                          0xffffffffu >> (32 - n->warp);

    if (!all_active || n->thread_mask != n->warp - 1 || n->element_mask != n->n_elements - 1)
        return first_wrong(n, h) == n_places;
    for (unsigned p = 0; p < n_places; p++)
        if (h->at[p] != h->at[0] + (uint64_t)n->offsets[p])
            return false;
    return h->at[0] != 0;
}

static void
say_where(struct ls_note *n, const struct held *h)
{
    char kernel[256];

    ls_check_name(n->kernel, kernel, sizeof(kernel));
    snprintf(n->where, sizeof(n->where), "kernel %s, block (%u,%u,%u), warp %u", kernel,
             h->warp->block_id[0], h->warp->block_id[1], h->warp->block_id[2],
             (h->warp->first_thread + h->first_lane) / n->warp);
}

/* What the place should hold by the weights, and holds. */
static void
say_place(struct ls_note *n, const struct held *h, unsigned p)
{
    unsigned simd = n->says.parts[LS_NOTATION_SIMD].n, e = p / n->warp;
    uint64_t zero = h->at[zero_of(n, p)], want = zero + (uint64_t)n->offsets[p];
    char should[256], holds[256];

    ls_note_say_element(n, want, zero, should, sizeof(should));
    ls_note_say_element(n, h->at[p], zero, holds, sizeof(holds));
    snprintf(n->notes + strlen(n->notes), sizeof(n->notes) - strlen(n->notes),
             "thread %u, register %u, simd lane %u should hold %s\nbut holds %s\n", p % n->warp,
             e >> simd, e & ((1u << simd) - 1), should, holds);
}

/* Lock held. The bits' weights are those of a warp; judges them by what the comment says, with the
 * weights that it says from then on. */
static void
judge(struct ls_note *n, const struct held *h)
{
    unsigned p;

    if (n->kind[0])
        return;
    if (!ls_note_judge(n)) {
        say_where(n, h);
        make_offsets(n);
        p = n->offsets ? first_wrong(n, h) : 0;
        if (n->offsets && p < n->n_elements * n->warp)
            say_place(n, h, p);
        return;
    }
    make_offsets(n);
    if (!n->offsets)
        return;
    p = first_wrong(n, h);
    if (p == n->n_elements * n->warp)
        return;
    snprintf(n->kind, sizeof(n->kind), "element");
    snprintf(n->message, sizeof(n->message), "%s: elements do not lie as the comment says",
             n->names);
    say_where(n, h);
    say_place(n, h, p);
}

/* ---- Warps ---- */

/* Lock held. NULL: there is no memory. */
static struct ls_note_begun *
begun_by(struct ls_note *n, const struct ls_check_blocks *blocks)
{
    struct ls_note_begun *b, **first = &n->begun[((uintptr_t)blocks >> 6) % LS_NOTE_THREADS];

    for (b = *first; b; b = b->next)
        if (b->blocks == blocks)
            return b;
    if (!(b = calloc(1, sizeof(*b))))
        return NULL;
    b->blocks = blocks;
    b->next = *first;
    *first = b;
    return b;
}

/* Lock held. What is known of the warp's block; where nothing is, of no block, in the place of the
 * one that was not seen for longest. NULL: there is no memory. */
static struct note_block *
find_block(struct ls_note *n, const struct ls_check_warp *warp)
{
    struct ls_note_begun *b = begun_by(n, warp->blocks);
    struct note_block *oldest = b ? b->kept : NULL;

    for (unsigned i = 0; b && i < KEPT; i++) {
        struct note_block *k = &b->kept[i];

        if (k->seen && k->serial == warp->serial && k->block == warp->block_number) {
            k->seen = ++b->n_seen;
            return k;
        }
        oldest = k->seen < oldest->seen ? k : oldest;
    }
    if (oldest) {
        memset(oldest, 0, sizeof(*oldest));
        oldest->serial = warp->serial;
        oldest->block = warp->block_number;
        oldest->seen = ++b->n_seen;
    }
    return oldest;
}

/* Lock held. A bit of the warp's number, which moves by that much. */
static void
see_warp_bit(struct ls_note *n, struct ls_note_bit *b, int64_t weight, const struct held *h,
             uint64_t low, uint64_t high)
{
    char bit[64], should[256], holds[256];

    if (n->kind[0] || (b->is_known && b->weight == weight))
        return;
    if (!b->is_known) {
        b->weight = weight;
        b->is_known = true;
        for (unsigned i = 0; i < n->n_bits; i++)
            if (!n->bits[i].is_known)
                return; /* together, when all are known */
        if (!ls_note_judge(n))
            say_where(n, h);
        return;
    }
    ls_note_say_bit(b, bit);
    snprintf(n->kind, sizeof(n->kind), "element");
    snprintf(n->message, sizeof(n->message), "%s: warps do not lie as the comment says: %s",
             n->names, bit);
    say_where(n, h);
    ls_note_say_element(n, low + (uint64_t)b->weight, low, should, sizeof(should));
    ls_note_say_element(n, high, low, holds, sizeof(holds));
    snprintf(n->notes, sizeof(n->notes), "thread 0 should hold %s\nbut holds %s\n", should, holds);
}

/* Compares where a warp's elements begin with where those of others of its block do, which came as
 * often to this comment. */
static void
compare_warps(struct ls_note *n, const struct held *h)
{
    unsigned w = (h->warp->first_thread + h->first_lane) / n->warp, slot;
    struct note_block *b;
    uint32_t time;

    if (w >= LS_NOTE_WARPS || !n->says.parts[LS_NOTATION_WARP].known || !is_active(n, h, 0) ||
        !h->at[0])
        return;
    pthread_mutex_lock(&n->lock);
    b = find_block(n, h->warp);
    if (!b)
        goto out;
    time = b->n_times[w]++;
    slot = time % TIMES;
    if (b->times[slot].time != time || !b->times[slot].seen) {
        b->times[slot].time = time;
        b->times[slot].seen = 0;
    }
    b->times[slot].at[w] = h->at[0];
    b->times[slot].seen |= 1u << w;
    for (unsigned i = 0; i < n->n_bits; i++) {
        unsigned other = w ^ 1u << n->bits[i].number, high = w > other ? w : other,
                 low = w > other ? other : w;
        int64_t weight;

        if (n->bits[i].part != LS_NOTATION_WARP || other >= LS_NOTE_WARPS ||
            !(b->times[slot].seen >> other & 1))
            continue;
        weight = (int64_t)(b->times[slot].at[high] - b->times[slot].at[low]);
        if (n->bits[i].is_known && n->bits[i].weight == weight)
            continue;
        see_warp_bit(n, &n->bits[i], weight, h, b->times[slot].at[low], b->times[slot].at[high]);
    }
out:
    pthread_mutex_unlock(&n->lock);
}

/* ---- --infer ---- */

/* Takes the variables for elements as large as they can be: those of which all bytes came from one
 * place, in order. */
static void
choose_elements(struct ls_note *n, struct held *h)
{
    static const char *const halves[] = {"half2", "bfloat162", "short2", "ushort2"};
    unsigned each = n->n_variables ? n->n_bytes / n->n_variables : 0, most = 4, simd = 0,
             threads = 0, registers = 0;

    while (most > each || (most && each % most))
        most /= 2;
    for (size_t i = 0; i < sizeof(halves) / sizeof(halves[0]); i++)
        most = strstr(n->type, halves[i]) ? 2 : most;
    if (strstr(n->type, "double") && each % 8 == 0)
        most = 8;
    for (unsigned size = most; size; size /= 2) {
        bool whole = true;

        n->element_bytes = size;
        n->n_elements = n->n_bytes / size;
        read_held(n, h);
        for (unsigned p = 0; p < n->n_elements * n->warp; p++)
            whole &= !is_active(n, h, p) || h->at[p];
        if (whole || size == 1)
            break;
    }
    while (n->element_bytes << simd < 4 && n->element_bytes << simd < each)
        simd++;
    while (1u << registers < n->n_elements >> simd)
        registers++;
    while (1u << threads < n->warp)
        threads++;
    n->says.parts[LS_NOTATION_SIMD].n = simd;
    n->element_mask = (1u << (simd + registers)) - 1;
    n->thread_mask = n->warp - 1;
    n->n_bits = 0;
    for (unsigned p = 0; p < LS_NOTATION_WARP; p++)
        for (unsigned i = 0; i < (p == LS_NOTATION_SIMD       ? simd
                                  : p == LS_NOTATION_REGISTER ? registers
                                                              : threads);
             i++)
            n->bits[n->n_bits++] =
                (struct ls_note_bit){.part = (enum ls_notation_part)p, .number = i};
    for (unsigned i = 0, size = h->warp->block[0] * h->warp->block[1] * h->warp->block[2];
         i < 5 && n->warp << i < size; i++) {
        n->bits[n->n_bits++] = (struct ls_note_bit){.part = LS_NOTATION_WARP, .number = i};
        n->says.parts[LS_NOTATION_WARP].known |= 1u << i;
    }
    if (1u << registers != n->n_elements >> simd)
        snprintf(n->kind, sizeof(n->kind), "none");
}

/* Lock held: of the first warp that comes. */
static void
infer(struct ls_note *n, struct held *h)
{
    unsigned p;

    choose_elements(n, h);
    say_where(n, h);
    if (n->kind[0]) {
        snprintf(n->message, sizeof(n->message),
                 "%s: no assignment: %u elements in a thread are no power of two", n->names,
                 n->n_elements);
        return;
    }
    read_held(n, h);
    learn(n, h);
    make_offsets(n);
    p = n->offsets ? first_wrong(n, h) : 0;
    if (n->offsets && p < n->n_elements * n->warp) {
        snprintf(n->kind, sizeof(n->kind), "none");
        snprintf(n->message, sizeof(n->message),
                 "%s: no assignment: elements do not lie in order of bits", n->names);
        say_place(n, h, p);
    }
    n->is_learned = true;
}

/* ---- Visits ---- */

static void
look(struct ls_note *n, struct held *h)
{
    bool is_learned = n->is_learned;

    if (n->is_infer && !is_learned) {
        pthread_mutex_lock(&n->lock);
        if (!n->is_learned && !n->kind[0])
            infer(n, h);
        pthread_mutex_unlock(&n->lock);
        if (!n->is_learned || n->kind[0])
            return;
    }
    read_held(n, h);
    if (!n->is_learned) {
        pthread_mutex_lock(&n->lock);
        if (!n->is_learned && learn(n, h)) {
            ls_note_use_arrays(n, source_bytes(n, h));
            judge(n, h);
            n->is_learned = true;
        } else if (!n->is_learned && !n->kind[0]) {
            snprintf(n->kind, sizeof(n->kind), "nowhere");
            snprintf(n->message, sizeof(n->message),
                     "%s: what it holds comes from no array, or of "
                     "several elements each",
                     n->names);
            say_where(n, h);
        }
        pthread_mutex_unlock(&n->lock);
        if (!n->is_learned)
            return;
    }
    if (n->kind[0]) {
        n->n_wrong++;
        return;
    }
    if (!all_right(n, h)) {
        n->n_wrong++;
        pthread_mutex_lock(&n->lock);
        judge(n, h); /* by the weights that are known */
        pthread_mutex_unlock(&n->lock);
    }
    compare_warps(n, h);
}

void
ls_notation_visit(const struct ls_check_warp *warp, const struct ls_check_site *site,
                  const uint64_t *origins, uint64_t mask)
{
    struct ls_note *n = find_note(warp, site);
    struct held h = {.warp = warp, .origins = origins, .mask = mask};

    if (!n)
        return;
    n->n_visits++;
    if (n->is_announced || n->problem[0] || !mask)
        return;
    if (n->element) {
        ls_note_visit_offset(n, warp, origins, mask);
        return;
    }
    for (; h.first_lane < n->width; h.first_lane += n->warp)
        if (mask >> h.first_lane & (n->warp == 64 ? UINT64_MAX : (1ull << n->warp) - 1))
            look(n, &h);
}

/* ---- The end ---- */

static int
by_place(const void *a, const void *b)
{
    const struct ls_note *const *x = a, *const *y = b;
    int files = strcmp((*x)->file, (*y)->file);

    return files ? files : (*x)->line < (*y)->line ? -1 : (*x)->line > (*y)->line;
}

static void
report_one(struct ls_note *n)
{
    char kernel[256], where[512], more[4096] = "", message[1200], why[256] = "";
    const char *kind = n->kind, *at = n->where;

    ls_check_name(n->kernel, kernel, sizeof(kernel));
    snprintf(where, sizeof(where), "kernel %s", kernel);
    if (n->access_bytes && !kind[0])
        return;                                         /* the comment stands for them */
    if (n->is_learned && !kind[0] && !ls_note_judge(n)) /* not all warps came */
        at = where;
    if (n->problem[0]) {
        kind = n->n_variables ? "unverified" : "unreadable";
        snprintf(message, sizeof(message), "a comment is not looked at: %s", n->problem);
        at = where;
    } else if (n->is_announced) {
        kind = "not-reached";
        snprintf(message, sizeof(message), "%s: no thread came to the comment", n->names);
        at = where;
    } else if (n->is_infer && !kind[0] && ls_note_infer(n, more, sizeof(more), why)) {
        kind = "inferred";
        snprintf(message, sizeof(message),
                 "%s: so do elements of %u bytes lie, in %" PRIu64 " warps", n->names,
                 n->element_bytes, (uint64_t)n->n_visits);
        at = where;
    } else if (n->is_infer && !kind[0]) {
        kind = "none";
        snprintf(message, sizeof(message), "%s: no assignment: %s", n->names, why);
    } else if (!kind[0]) {
        kind = "verified";
        snprintf(message, sizeof(message),
                 "%s: as the comment says, in %" PRIu64 " warps looked at", n->names,
                 (uint64_t)n->n_visits);
        at = where;
    } else {
        snprintf(message, sizeof(message), "%s", n->message);
        snprintf(more, sizeof(more), "%s", n->notes);
    }
    ls_check_report(&(struct ls_check_finding){.check = "notation",
                                               .kind = kind,
                                               .message = message,
                                               .trace = *n->trace ? n->trace : NULL,
                                               .where = at,
                                               .notes = *more ? more : NULL});
}

/* Whether another note says more of the same comment. */
static bool
is_covered(const struct ls_note *n)
{
    for (const struct ls_note *o = notes; n->is_announced && o; o = o->next)
        if (!o->is_announced && o->line == n->line && !strcmp(o->file, n->file) &&
            !strcmp(o->kernel, n->kernel))
            return true;
    return false;
}

void
ls_notation_end(void)
{
    struct ls_note **all;
    size_t n = 0;

    pthread_mutex_lock(&lock);
    for (struct ls_note *i = notes; i; i = i->next)
        n++;
    all = calloc(n + 1, sizeof(struct ls_note *));
    n = 0;
    for (struct ls_note *i = notes; all && i; i = i->next)
        all[n++] = i;
    if (all)
        qsort(all, n, sizeof(struct ls_note *), by_place);
    for (size_t i = 0; all && i < n; i++)
        if (!is_covered(all[i]))
            report_one(all[i]);
    free(all);
    pthread_mutex_unlock(&lock);
}
