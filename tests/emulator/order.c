/* SPDX-License-Identifier: MIT */
/* The order in which a function's blocks take turns: strongly connected components topologically,
 * the inside of each the same way once the edges back to its only entry are gone. */
#include "emu_priv.h"

struct walk {
    struct ls_arena *arena;
    unsigned n;
    const unsigned *n_next;
    unsigned *const *next;
    unsigned *inside; /* the component that a block was last put into, by the depth of the walk */
    unsigned *index, *low, *stack;
    bool *on_stack;
    unsigned clock, n_stack;
    unsigned
        *header_of; /* edges to this block from the same component are back edges that are gone */
    unsigned *positions, n_done;
    unsigned *last; /* position of a loop's last block, at its header's */
    bool *reached;  /* from the first block: an edge from any other enters no loop */
};

/* Blocks of one walk of Tarjan's, in components; the first found is the last in the order. */
struct found {
    unsigned *blocks, n_blocks;
    unsigned *starts, n_starts;
};

static void
visit(struct walk *k, unsigned b, unsigned set, const bool *is_header, struct found *out)
{
    k->index[b] = k->low[b] = ++k->clock;
    k->stack[k->n_stack++] = b;
    k->on_stack[b] = true;
    for (unsigned e = 0; e < k->n_next[b]; e++) {
        unsigned to = k->next[b][e];

        if (k->inside[to] != set || is_header[to])
            continue;
        if (!k->index[to]) {
            visit(k, to, set, is_header, out);
            if (k->low[to] < k->low[b])
                k->low[b] = k->low[to];
        } else if (k->on_stack[to] && k->index[to] < k->low[b]) {
            k->low[b] = k->index[to];
        }
    }
    if (k->low[b] != k->index[b])
        return;
    out->starts[out->n_starts++] = out->n_blocks;
    unsigned top;
    do {
        top = k->stack[--k->n_stack];
        k->on_stack[top] = false;
        out->blocks[out->n_blocks++] = top;
    } while (top != b);
}

static void
reach(struct walk *k)
{
    unsigned n = 0;

    k->stack[n++] = 0;
    k->reached[0] = true;
    while (n) {
        unsigned b = k->stack[--n];

        for (unsigned e = 0; e < k->n_next[b]; e++) {
            unsigned to = k->next[b][e];

            if (!k->reached[to])
                k->stack[n++] = to;
            k->reached[to] = true;
        }
    }
}

static bool
order_set(struct walk *k, const unsigned *blocks, unsigned n, unsigned root, unsigned *n_sets,
          bool *is_header)
{
    struct found f = {ls_arena_alloc(k->arena, (n + 1) * sizeof(unsigned)), 0,
                      ls_arena_alloc(k->arena, (n + 1) * sizeof(unsigned)), 0};
    unsigned set = ++*n_sets;

    for (unsigned b = 0; b < n; b++) {
        k->inside[blocks[b]] = set;
        k->index[blocks[b]] = 0;
    }
    visit(k, root, set, is_header, &f);
    f.starts[f.n_starts] = f.n_blocks;
    for (unsigned c = f.n_starts; c-- > 0;) {
        const unsigned *part = f.blocks + f.starts[c];
        unsigned n_part = f.starts[c + 1] - f.starts[c], header = part[0], n_headers = 0;

        if (n_part == 1) {
            for (unsigned e = 0; e < k->n_next[header]; e++)
                if (k->next[header][e] == header)
                    k->last[k->n_done] = k->n_done;
            k->positions[part[0]] = k->n_done++;
            continue;
        }
        /* Entered from the set's other blocks, or by the root; those were placed already. */
        for (unsigned b = 0; b < n_part; b++)
            k->inside[part[b]] = set + 0x80000000u;
        for (unsigned b = 0; b < n_part; b++) {
            bool entered = part[b] == root;

            for (unsigned from = 0; from < k->n && !entered; from++)
                for (unsigned e = 0; k->reached[from] && e < k->n_next[from] && !entered; e++)
                    entered = k->next[from][e] == part[b] && k->inside[from] != set + 0x80000000u;
            if (entered) {
                header = part[b];
                n_headers++;
            }
        }
        if (n_headers != 1)
            return false;
        is_header[header] = true;
        if (!order_set(k, part, n_part, header, n_sets, is_header))
            return false;
        k->last[k->positions[header]] = k->n_done - 1;
        for (unsigned b = 0; b < n_part; b++)
            k->inside[part[b]] = 0; /* placed */
    }
    return true;
}

bool
emu_order(struct ls_arena *arena, unsigned n, const unsigned *n_next, unsigned *const *next,
          unsigned *positions, unsigned *last)
{
    struct walk k = {.arena = arena,
                     .n = n,
                     .n_next = n_next,
                     .next = next,
                     .positions = positions,
                     .last = last};
    unsigned *all = ls_arena_alloc(arena, n * sizeof(unsigned)), n_sets = 0;
    bool *is_header = ls_arena_alloc(arena, n);

    k.inside = ls_arena_alloc(arena, n * sizeof(unsigned));
    k.index = ls_arena_alloc(arena, n * sizeof(unsigned));
    k.low = ls_arena_alloc(arena, n * sizeof(unsigned));
    k.stack = ls_arena_alloc(arena, n * sizeof(unsigned));
    k.on_stack = ls_arena_alloc(arena, n);
    k.reached = ls_arena_alloc(arena, n);
    for (unsigned b = 0; b < n; b++) {
        all[b] = b;
        last[b] = ~0u;
        positions[b] = ~0u; /* not reached */
    }
    reach(&k);
    return order_set(&k, all, n, 0, &n_sets, is_header);
}
