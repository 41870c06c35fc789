/* SPDX-License-Identifier: MIT */
/* Threads that wait for each other, and what those of a warp say to each other. A group goes on
 * when all that a mask names, but for those that have ended, are at the same instruction with this
 * mask; a lane that is not asked has a value that nobody wrote. */
#include <string.h>

#include "ptx_priv.h"

enum { LAUNCH_FAILED = 719 };
#define ALL_LANES UINT32_MAX

/* ---- Barriers of a block ---- */

static bool
is_aligned(const struct ptx_insn *i)
{
    return (i->flags & FLAG_ALIGNED) || i->name[3] == '.' || !i->name[3]; /* bar, not barrier */
}

static enum ptx_next
arrive(struct ptx_thread *t, const struct ptx_insn *i, unsigned id_operand, unsigned n_operands)
{
    uint32_t id = (uint32_t)IN(id_operand);
    struct ptx_barrier *bar = &t->block->barriers[id % 16];

    if (id >= 16)
        return ptx_fault(t, i, LAUNCH_FAILED, "barrier %u", id);
    bar->arrived++;
    bar->expected = i->n > n_operands ? (uint32_t)IN(id_operand + 1) : 0;
    if (i->action == ACTION_ARRIVE) {
        ptx_meet_block(t->block);
        return NEXT_GO;
    }
    t->state = STATE_BARRIER;
    t->barrier = id;
    return NEXT_WAIT;
}

enum ptx_next
op_bar(struct ptx_thread *t, const struct ptx_insn *i)
{
    return arrive(t, i, 0, 1);
}

enum ptx_next
op_bar_red(struct ptx_thread *t, const struct ptx_insn *i) /* d, id{, n}, p */
{
    return arrive(t, i, 1, 3);
}

/* Of instructions that are for whole warps: a lane elsewhere makes them undefined. */
static bool
is_whole(struct ptx_block *b, const struct ptx_thread *t)
{
    struct ptx_thread *lanes = t->warp->threads;

    for (unsigned k = 0; k < PTX_WARP; k++)
        if ((t->warp->live >> k & 1) && lanes[k].pc != t->pc) {
            ptx_fault(&lanes[k], t->pc, LAUNCH_FAILED,
                      "%s is for whole warps, and lane %u is at line %u when lane %u is there",
                      t->pc->name, k, lanes[k].pc->line, t->lane);
            return false;
        }
    (void)b;
    return true;
}

static void
reduce_block(struct ptx_block *b, uint32_t id)
{
    uint32_t n = 0, yes = 0;

    for (uint32_t k = 0; k < b->n_threads; k++) {
        struct ptx_thread *t = &b->threads[k];
        const struct ptx_insn *i = t->pc;

        if (t->state == STATE_BARRIER && t->barrier == id && i->run == op_bar_red) {
            unsigned p = i->n - 1u;

            n++;
            yes += (IN(p) & 1) != (p < 8 ? i->negated >> p & 1u : 0u);
        }
    }
    for (uint32_t k = 0; k < b->n_threads; k++) {
        struct ptx_thread *t = &b->threads[k];
        const struct ptx_insn *i = t->pc;

        if (t->state == STATE_BARRIER && t->barrier == id && i->run == op_bar_red)
            OUT(0) = i->action == ACTION_AND ? yes == n : i->action == ACTION_OR ? yes > 0 : yes;
    }
}

void
ptx_meet_block(struct ptx_block *b)
{
    for (uint32_t id = 0; id < 16; id++) {
        struct ptx_barrier *bar = &b->barriers[id];

        if (bar->arrived == 0 || bar->arrived < (bar->expected ? bar->expected : b->n_live))
            continue;
        for (uint32_t k = 0; k < b->n_threads; k++) {
            const struct ptx_thread *t = &b->threads[k];

            if (t->state == STATE_BARRIER && t->barrier == id && is_aligned(t->pc) &&
                !is_whole(b, t))
                return;
        }
        reduce_block(b, id);
        for (uint32_t k = 0; k < b->n_threads; k++) {
            struct ptx_thread *t = &b->threads[k];

            if (t->state == STATE_BARRIER && t->barrier == id) {
                t->state = STATE_READY;
                t->pc++;
            }
        }
        *bar = (struct ptx_barrier){0};
    }
}

/* ---- Within a warp ---- */

static enum ptx_next
meet(struct ptx_thread *t, const struct ptx_insn *i, uint32_t mask)
{
    if (!(mask >> t->lane & 1))
        return ptx_fault(t, i, LAUNCH_FAILED, "lane %u is not in its mask %#x", t->lane, mask);
    t->mask = mask;
    t->state = STATE_WARP;
    return NEXT_WAIT;
}

enum ptx_next
op_bar_warp(struct ptx_thread *t, const struct ptx_insn *i)
{
    return meet(t, i, (uint32_t)IN(0));
}

#define WITH_MASK(op, operand)                                                                     \
    enum ptx_next op(struct ptx_thread *t, const struct ptx_insn *i)                               \
    {                                                                                              \
        if (i->n <= (operand) || !(i->flags & FLAG_SYNC))                                          \
            return ptx_fault(t, i, LAUNCH_FAILED, "%s without a mask", i->name);                   \
        return meet(t, i, (uint32_t)IN(operand));                                                  \
    }
WITH_MASK(op_shfl, 5)
WITH_MASK(op_vote, 2)
WITH_MASK(op_match, 3)
WITH_MASK(op_redux, 2)

enum ptx_next
op_mma(struct ptx_thread *t, const struct ptx_insn *i)
{
    return meet(t, i, ALL_LANES);
}

enum ptx_next
op_ldmatrix(struct ptx_thread *t, const struct ptx_insn *i)
{
    return meet(t, i, ALL_LANES);
}

enum ptx_next
op_activemask(struct ptx_thread *t, const struct ptx_insn *i)
{
    (void)i;
    t->state = STATE_ACTIVE;
    return NEXT_WAIT;
}

static bool
has(uint32_t group, unsigned lane)
{
    return group >> lane & 1;
}

static void
shuffle(struct ptx_thread *lanes, const struct ptx_insn *i, uint32_t group)
{
    uint32_t got[PTX_WARP], ok = 0;

    for (unsigned k = 0; k < PTX_WARP; k++)
        if (has(group, k)) {
            const struct ptx_thread *t = &lanes[k];
            uint32_t b = (uint32_t)IN(3) & 31, c = (uint32_t)IN(4), segment = c >> 8 & 31,
                     limit = (k & segment) | (c & 31 & ~segment), j;
            bool in;

            switch (i->action) {
            case ACTION_UP:
                j = k - b;
                in = (int)j >= (int)limit;
                break;
            case ACTION_DOWN:
                j = k + b;
                in = j <= limit;
                break;
            case ACTION_BFLY:
                j = k ^ b;
                in = j <= limit;
                break;
            default:
                j = (k & segment) | (b & ~segment);
                in = j <= limit;
                break;
            }
            if (!in)
                j = k;
            ok |= (uint32_t)in << k;
            t = &lanes[j];
            got[k] = group >> j & 1 ? (uint32_t)IN(2) : 0x01010101u * PTX_POISON;
        }
    for (unsigned k = 0; k < PTX_WARP; k++)
        if (has(group, k)) {
            struct ptx_thread *t = &lanes[k];

            OUT(1) = ok >> k & 1;
            OUT(0) = got[k];
        }
}

static void
vote(struct ptx_thread *lanes, const struct ptx_insn *i, uint32_t group)
{
    uint32_t yes = 0, result;

    for (unsigned k = 0; k < PTX_WARP; k++)
        if (has(group, k)) {
            const struct ptx_thread *t = &lanes[k];

            yes |= (uint32_t)((IN(1) & 1) != (i->negated >> 1 & 1)) << k;
        }
    result = i->action == ACTION_BALLOT ? yes
             : i->action == ACTION_ALL  ? yes == group
             : i->action == ACTION_ANY  ? yes != 0
                                        : yes == 0 || yes == group;
    for (unsigned k = 0; k < PTX_WARP; k++)
        if (has(group, k)) {
            struct ptx_thread *t = &lanes[k];

            OUT(0) = result;
        }
}

static void
match(struct ptx_thread *lanes, const struct ptx_insn *i, uint32_t group)
{
    uint64_t of = UINT64_MAX >> (64 - ptx_bits[i->types[0]]), values[PTX_WARP];

    for (unsigned k = 0; k < PTX_WARP; k++)
        if (has(group, k)) {
            const struct ptx_thread *t = &lanes[k];

            values[k] = IN(2) & of;
        }
    for (unsigned k = 0; k < PTX_WARP; k++)
        if (has(group, k)) {
            struct ptx_thread *t = &lanes[k];
            uint32_t same = 0;

            for (unsigned j = 0; j < PTX_WARP; j++)
                if (has(group, j))
                    same |= (uint32_t)(values[j] == values[k]) << j;
            OUT(1) = same == group;
            OUT(0) = i->action == ACTION_ALL && same != group ? 0 : same;
        }
}

static void
reduce(struct ptx_thread *lanes, const struct ptx_insn *i, uint32_t group)
{
    bool is_signed = i->types[0] == TYPE_s32, first = true;
    uint32_t r = 0;

    for (unsigned k = 0; k < PTX_WARP; k++)
        if (has(group, k)) {
            const struct ptx_thread *t = &lanes[k];
            uint32_t v = (uint32_t)IN(1);
            bool less = is_signed ? (int32_t)v < (int32_t)r : v < r;

            if (first)
                r = v;
            else if (i->action == ACTION_ADD)
                r += v;
            else if (i->action == ACTION_AND)
                r &= v;
            else if (i->action == ACTION_OR)
                r |= v;
            else if (i->action == ACTION_XOR)
                r ^= v;
            else if (less == (i->action == ACTION_MIN))
                r = v;
            first = false;
        }
    for (unsigned k = 0; k < PTX_WARP; k++)
        if (has(group, k)) {
            struct ptx_thread *t = &lanes[k];

            OUT(0) = r;
        }
}

static void
answer(struct ptx_warp *w, const struct ptx_insn *i, uint32_t group)
{
    if (i->run == op_shfl)
        shuffle(w->threads, i, group);
    else if (i->run == op_vote)
        vote(w->threads, i, group);
    else if (i->run == op_match)
        match(w->threads, i, group);
    else if (i->run == op_redux)
        reduce(w->threads, i, group);
    else if (i->run == op_mma)
        ptx_multiply(w->threads, i);
    else if (i->run == op_ldmatrix)
        ptx_tile(w->threads, i);
}

/* Whether the lane waits with the mask, at the instruction or at one that means the same. */
static bool
is_with(const struct ptx_thread *t, const struct ptx_insn *i, uint32_t mask)
{
    return t->state == STATE_WARP && t->mask == mask &&
           (t->pc == i || (i->run == op_bar_warp && t->pc->run == op_bar_warp));
}

void
ptx_meet_warp(struct ptx_block *b, struct ptx_warp *w)
{
    for (unsigned k = 0; k < PTX_WARP; k++)
        if (has(w->live, k)) {
            const struct ptx_insn *i = w->threads[k].pc;
            uint32_t mask = w->threads[k].mask, group = mask & w->live, come = 0;

            if (w->threads[k].state != STATE_WARP)
                continue;
            for (unsigned j = 0; j < PTX_WARP; j++)
                if (has(group, j))
                    come |= (uint32_t)is_with(&w->threads[j], i, mask) << j;
            if (come != group)
                continue;
            if (mask == ALL_LANES && group != mask && (i->run == op_mma || i->run == op_ldmatrix)) {
                ptx_fault(&w->threads[k], i, LAUNCH_FAILED, "%s, and lanes %#x have ended", i->name,
                          ~group);
                return;
            }
            answer(w, i, group);
            if (b->run->result)
                return;
            for (unsigned j = 0; j < PTX_WARP; j++)
                if (has(group, j)) {
                    w->threads[j].state = STATE_READY;
                    w->threads[j].pc++;
                }
        }
}

/* Lanes at one instruction are there together. */
static bool
answer_active(struct ptx_warp *w)
{
    bool any = false;

    for (unsigned k = 0; k < PTX_WARP; k++)
        if (has(w->live, k)) {
            const struct ptx_insn *i = w->threads[k].pc;
            uint32_t group = 0;

            if (w->threads[k].state != STATE_ACTIVE)
                continue;
            for (unsigned j = 0; j < PTX_WARP; j++)
                if (has(w->live, j))
                    group |=
                        (uint32_t)(w->threads[j].state == STATE_ACTIVE && w->threads[j].pc == i)
                        << j;
            for (unsigned j = 0; j < PTX_WARP; j++)
                if (has(group, j)) {
                    struct ptx_thread *t = &w->threads[j];

                    OUT(0) = group;
                    t->state = STATE_READY;
                    t->pc++;
                }
            any = true;
        }
    return any;
}

bool
ptx_meet_active(struct ptx_warp *w)
{
    for (unsigned k = 0; k < PTX_WARP; k++)
        if (has(w->live, k))
            if (w->threads[k].state == STATE_READY)
                return false;
    return answer_active(w);
}
