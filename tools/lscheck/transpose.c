/* SPDX-License-Identifier: MIT */
/* lsreview transpose FROM TO: the fewest local and warp transposes that lead from one register
 * assignment to another. All orders that such steps lead to are tried, nearest first. */
#include "transpose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"
#include "notation.h"

enum { MOST_STATES = 1 << 20, TABLE = 1 << 22 };

struct state {
    uint8_t
        at[MOST_PLACES]; /* bit by place, registers' in ascending order as these have no order */
    uint32_t parent;
    uint8_t one, two; /* bits that changed places */
    uint8_t depth;
};

struct search {
    const struct plan *p;
    bool orders_threads; /* else they are put in order at the end */
    struct state *states;
    uint32_t n, *table; /* 1 + the state's number, by its hash */
};

static bool
fail(const char *why)
{
    fprintf(stderr, "lsreview: transpose: %s\n", why);
    return false;
}

/* ---- States ---- */

static void
sort_places(uint8_t *at, unsigned n)
{
    for (unsigned i = 1; i < n; i++)
        for (unsigned k = i; k > 0 && at[k - 1] > at[k]; k--) {
            uint8_t t = at[k];

            at[k] = at[k - 1];
            at[k - 1] = t;
        }
}

static void
settle(const struct search *s, uint8_t *at)
{
    const struct plan *p = s->p;

    sort_places(at + p->n_simd, p->n_registers);
    if (!s->orders_threads)
        sort_places(at + p->n_simd + p->n_registers, p->n_threads);
}

/* Adds a state that was not there; false: it was, or there is no room. */
static bool
add_state(struct search *s, const struct state *one)
{
    uint64_t hash = 1469598103934665603u;

    for (unsigned i = 0; i < s->p->n; i++)
        hash = (hash ^ one->at[i]) * 1099511628211u;
    for (uint32_t at = (uint32_t)(hash % TABLE);; at = (at + 1) % TABLE) {
        if (!s->table[at]) {
            if (s->n == MOST_STATES)
                return false;
            s->states[s->n++] = *one;
            s->table[at] = s->n;
            return true;
        }
        if (!memcmp(s->states[s->table[at] - 1].at, one->at, s->p->n))
            return false;
    }
}

static void
try_swap(struct search *s, uint32_t from, unsigned one, unsigned two)
{
    struct state next = s->states[from];

    next.one = next.at[one];
    next.two = next.at[two];
    next.at[one] = next.two;
    next.at[two] = next.one;
    next.parent = from;
    next.depth++;
    settle(s, next.at);
    add_state(s, &next);
}

/* The state that is wanted, or UINT32_MAX. */
static uint32_t
search(struct search *s)
{
    const struct plan *p = s->p;
    unsigned registers = p->n_simd, threads = p->n_simd + p->n_registers;
    struct state first = {.depth = 0}, goal;

    s->states = front_must(malloc(MOST_STATES * sizeof(*s->states)));
    s->table = front_must(calloc(TABLE, sizeof(*s->table)));
    memcpy(first.at, p->from, p->n);
    memcpy(goal.at, p->to, p->n);
    settle(s, first.at);
    settle(s, goal.at);
    add_state(s, &first);
    for (uint32_t i = 0; i < s->n; i++) {
        if (!memcmp(s->states[i].at, goal.at, p->n))
            return i;
        if (p->n_simd == 2)
            try_swap(s, i, 0, 1);
        for (unsigned r = registers; r < threads; r++) {
            for (unsigned k = 0; k < registers; k++)
                try_swap(s, i, k, r);
            for (unsigned t = threads; t < p->n; t++)
                try_swap(s, i, r, t);
        }
    }
    return UINT32_MAX;
}

static void
end_search(struct search *s)
{
    free(s->states);
    free(s->table);
}

/* ---- Plans ---- */

static unsigned
place_of(const uint8_t *at, unsigned n, uint8_t bit)
{
    unsigned i = 0;

    while (i < n && at[i] != bit)
        i++;
    return i;
}

/* Writes the steps down, with the places where the bits really are. */
static void
take_steps(struct plan *p, const struct search *s, uint32_t goal)
{
    uint32_t path[MOST_STEPS];
    unsigned n = 0, threads = p->n_simd + p->n_registers;

    for (uint32_t i = goal; s->states[i].depth && n < MOST_STEPS; i = s->states[i].parent)
        path[n++] = i;
    memcpy(p->end, p->from, p->n);
    p->n_steps = 0;
    while (n-- > 0) {
        const struct state *at = &s->states[path[n]];
        unsigned one = place_of(p->end, p->n, at->one), two = place_of(p->end, p->n, at->two);
        uint8_t bit = p->end[one];

        p->end[one] = p->end[two];
        p->end[two] = bit;
        if (one > two) {
            unsigned t = one;

            one = two;
            two = t;
        }
        p->steps[p->n_steps++] = (struct step){two < p->n_simd ? STEP_SIMD
                                               : two < threads ? STEP_LOCAL
                                                               : STEP_WARP,
                                               one, two};
    }
    if (memcmp(p->end + threads, p->to + threads, p->n_threads) != 0)
        p->steps[p->n_steps++] = (struct step){STEP_LANES, 0, 0};
}

static bool
is_bit(const struct ls_notation_bit *a, const struct ls_notation_bit *b)
{
    return !strcmp(a->index, b->index) && a->number == b->number;
}

/* The number of a bit; a new one, if it may be. */
static bool
number_bit(struct plan *p, const struct ls_notation_bit *bit, bool is_new, unsigned *n_bits,
           uint8_t *to)
{
    char name[LS_NOTATION_NAME + 12];

    for (unsigned i = 0; i < *n_bits; i++)
        if (is_bit(&p->bits[i], bit)) {
            *to = (uint8_t)i;
            return true;
        }
    ls_notation_bit_name(bit, name);
    if (!is_new || ls_notation_is_copy(bit)) {
        fprintf(stderr, "lsreview: transpose: %s is not in both assignments\n", name);
        return false;
    }
    p->bits[*n_bits] = *bit;
    *to = (uint8_t)(*n_bits)++;
    return true;
}

static bool
read_places(struct plan *p, const struct ls_notation *n, bool is_first, uint8_t *to)
{
    static const unsigned most[] = {MOST_SIMD, MOST_REGISTERS, MOST_THREADS};
    unsigned n_bits = is_first ? 0 : p->n, at = 0;

    for (unsigned part = 0; part < LS_NOTATION_WARP; part++) {
        const struct ls_notation_line *l = &n->parts[part];

        if (l->known != (1u << l->n) - 1)
            return fail("all bits of a part are to be said");
        if (l->n > most[part])
            return fail(part == LS_NOTATION_SIMD       ? "more than 2 simd bits"
                        : part == LS_NOTATION_REGISTER ? "more than 5 register bits"
                                                       : "more than 6 thread bits");
        for (unsigned i = 0; i < l->n; i++)
            if (!number_bit(p, &l->bits[i], is_first, &n_bits, &to[at++]))
                return false;
    }
    p->n = is_first ? at : p->n;
    return true;
}

bool
make_plan(const struct ls_notation *from, const struct ls_notation *to, struct plan *p)
{
    struct search in_order = {.p = p, .orders_threads = true}, loose = {.p = p};
    uint32_t found, other;

    *p = (struct plan){.n_simd = from->parts[LS_NOTATION_SIMD].n,
                       .n_registers = from->parts[LS_NOTATION_REGISTER].n,
                       .n_threads = from->parts[LS_NOTATION_THREAD].n};
    for (unsigned part = 0; part < LS_NOTATION_PARTS; part++)
        if (from->parts[part].n != to->parts[part].n)
            return fail("both assignments need as many bits of each part");
    for (unsigned i = 0; i < from->parts[LS_NOTATION_WARP].n; i++)
        if (!is_bit(&from->parts[LS_NOTATION_WARP].bits[i], &to->parts[LS_NOTATION_WARP].bits[i]))
            return fail(
                "warps hold other bits: that goes through shared memory, which is not written "
                "here");
    if (!read_places(p, from, true, p->from) || !read_places(p, to, false, p->to))
        return false;
    found = search(&in_order);
    other = search(&loose);
    /* A step over all lanes costs as much as two transposes. */
    if (found != UINT32_MAX &&
        (other == UINT32_MAX || in_order.states[found].depth <= loose.states[other].depth + 1u)) {
        take_steps(p, &in_order, found);
    } else if (other != UINT32_MAX) {
        take_steps(p, &loose, other);
    } else {
        end_search(&in_order);
        end_search(&loose);
        return fail("no steps lead there: without registers' bits nothing can be exchanged");
    }
    end_search(&in_order);
    end_search(&loose);
    return true;
}

int
write_transpose(int argc, char **argv)
{
    struct ls_notation from, to;
    char error[160];
    struct plan p;

    if (argc != 2) {
        fputs("lsreview transpose FROM TO: writes HIP code that leads from one register assignment "
              "to another\nas in: lsreview transpose 'simd: k0; register: j0; thread: i1 i0' "
              "'simd: j0; register: k0; thread: i1 i0'\n",
              stderr);
        return 2;
    }
    if (!ls_notation_parse(argv[0], &from, error) || !ls_notation_parse(argv[1], &to, error)) {
        fprintf(stderr, "lsreview: transpose: %s\n", error);
        return 2;
    }
    if (!make_plan(&from, &to, &p))
        return 1;
    put_code(&p, &from, &to);
    return 0;
}
