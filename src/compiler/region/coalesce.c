/* SPDX-License-Identifier: MIT */
/* Slots that take turns. What a loop carries (a sum) lives across barriers under several names: its
 * value at the loop's head, and the next one that is computed behind a barrier. Each would have a
 * slot, to be copied from one to the other in each iteration. Where no region needs both, they
 * share one.
 *
 * Regions read slots when they begin, and write them where values are computed. So a slot is alive
 * in front of each point whose region reads it, back to where its value is computed; two may share
 * if none is alive behind the block that computes the other. */
#include "compiler/region/emit_priv.h"

#include <string.h>

enum { MAX_WORK = 4000000 }; /* blocks times slots */

struct preds {
    unsigned *first, *from; /* by block: first[b] to first[b + 1] of `from` */
};

/* The blocks in front of each, across barriers too. */
static void
find_preds(const struct ls_plan *plan, struct preds *p)
{
    unsigned n = 0;

    p->first = ls_arena_alloc(plan->cc->arena, (plan->n_blocks + 1) * sizeof(unsigned));
    p->from = ls_arena_alloc(plan->cc->arena, 3 * (plan->n_blocks + 1) * sizeof(unsigned));
    for (int pass = 0; pass < 2; pass++) {
        for (unsigned b = 0; b < plan->n_blocks; b++) {
            const struct ls_rblock *blk = &plan->blocks[b];
            unsigned succ[3], n_succs = blk->n_succs;

            memcpy(succ, blk->succ, sizeof(blk->succ));
            if (blk->barrier >= 0)
                succ[n_succs++] = plan->points[blk->barrier].start;
            for (unsigned k = 0; k < n_succs; k++) {
                if (pass)
                    p->from[p->first[succ[k]]++] = b;
                else
                    p->first[succ[k]]++;
            }
        }
        /* after counting: where each begins; after filling: each has moved on to the next */
        for (unsigned b = 0; !pass && b <= plan->n_blocks; b++) {
            unsigned count = p->first[b];

            p->first[b] = n;
            n += count;
        }
    }
    memmove(p->first + 1, p->first, plan->n_blocks * sizeof(unsigned));
    p->first[0] = 0;
}

static unsigned
block_of(const struct ls_emitter *e, const struct ls_keep *s)
{
    return ls_plan_block(e->plan, LLVMGetInstructionParent(s->value));
}

/* Behind which blocks a slot still holds what some region will read. */
static void
find_alive(struct ls_emitter *e, const struct preds *p, struct ls_keep *s, unsigned *todo)
{
    unsigned n = 0, def = block_of(e, s);

    s->alive = ls_arena_alloc(e->cc->arena, e->plan->n_blocks * sizeof(bool));
    for (unsigned k = 0; k < e->plan->n_points; k++) {
        unsigned b = e->plan->points[k].start;

        if (s->read[k])
            for (unsigned i = p->first[b]; i < p->first[b + 1]; i++)
                if (!s->alive[p->from[i]]) {
                    s->alive[p->from[i]] = true;
                    todo[n++] = p->from[i];
                }
    }
    while (n) {
        unsigned b = todo[--n];

        if (b == def)
            continue;
        for (unsigned i = p->first[b]; i < p->first[b + 1]; i++)
            if (!s->alive[p->from[i]]) {
                s->alive[p->from[i]] = true;
                todo[n++] = p->from[i];
            }
    }
}

static bool
may_share(const struct ls_keep *s)
{
    return s && !s->uniform && !s->differs && !s->replaced && !s->early;
}

/* Whether no value of one group is wanted behind where one of the other is computed. */
static bool
take_turns(const struct ls_emitter *e, const struct ls_keep *a, const struct ls_keep *b)
{
    for (; a; a = a->member)
        for (const struct ls_keep *k = b; k; k = k->member)
            if (a->alive[block_of(e, k)] || k->alive[block_of(e, a)])
                return false;
    return true;
}

static void
join(struct ls_keep *a, struct ls_keep *b)
{
    struct ls_keep *last = a;

    while (last->member)
        last = last->member;
    last->member = b;
    for (; b; b = b->member)
        b->group = a;
}

void
ls_coalesce(struct ls_emitter *e)
{
    struct preds p;
    unsigned long long n = 0;
    unsigned *todo;

    for (struct ls_keep *s = e->first_slot; s; s = s->next)
        n += may_share(s);
    if (!n || n * e->plan->n_blocks > MAX_WORK)
        return;
    find_preds(e->plan, &p);
    todo = ls_arena_alloc(e->cc->arena, e->plan->n_blocks * sizeof(*todo));
    for (struct ls_keep *s = e->first_slot; s; s = s->next)
        if (may_share(s))
            find_alive(e, &p, s, todo);
    for (struct ls_keep *s = e->first_slot; s; s = s->next) {
        if (!may_share(s) || !LLVMIsAPHINode(s->value))
            continue;
        for (unsigned i = 0; i < LLVMCountIncoming(s->value); i++) {
            struct ls_keep *t = ls_ptrmap_get(&e->slots, LLVMGetIncomingValue(s->value, i));

            if (may_share(t) && t->group != s->group && take_turns(e, s->group, t->group))
                join(s->group, t->group);
        }
    }
}

bool
ls_coalesce_is_kept(struct ls_emitter *e, LLVMValueRef phi)
{
    const struct ls_keep *s = ls_ptrmap_get(&e->slots, phi), *t = NULL;

    if (!s || !s->group->member)
        return false;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        const struct ls_keep *from;

        if (!ls_emit_edge(e, LLVMGetIncomingBlock(phi, i), LLVMGetInstructionParent(phi)))
            continue;
        from = ls_ptrmap_get(&e->slots, LLVMGetIncomingValue(phi, i));
        if (!from || from->group != s->group || (t && t != from) || from == s)
            return false;
        t = from;
    }
    if (!t || ls_remat_cost(&e->remats, t->value) <= LS_REMAT_COST_MAX)
        return false;
    for (const struct ls_keep *k = s->group; k; k = k->member)
        if (k != s && ls_region_has(e->r, block_of(e, k)))
            return false;
    return true;
}
