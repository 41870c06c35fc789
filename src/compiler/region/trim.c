/* SPDX-License-Identifier: MIT */
/* Which warps of a block have work. `if (tid < s)`, where s is the same in all threads, says for
 * each warp whether some and whether all of its threads come behind it: tid is a multiple of the
 * warp's number and a known part of the lane's. Where all that a region does lies behind such
 * branches, its loop over the warps runs from the first warp that has work to the last, and the
 * warps that are there as a whole need no mask. */
#include "compiler/region/emit_priv.h"

#include <string.h>

#include "analysis/shape_priv.h"
#include "compiler/ir/ir.h"
#include "intrin/intrinsics.h"

enum {
    MAX_DEPTH = 8,       /* of an index or a condition */
    MAX_BOUNDS = 8,      /* of a region */
    MAX_FULL_SIZE = 400, /* instructions of a region that gets a form without masks */
};

/* An index in warp w lies in [step * w + first, step * w + last], and both ends occur. */
struct span {
    int64_t step, first, last;
};

/* Threads come to a block only if their index is below the limit (upper), or not below it. */
struct bound {
    struct bound *next;
    unsigned block, side; /* the branch, and which successor is bounded */
    struct span span;
    bool upper, is_signed;
    unsigned plus;      /* what is added to the limit: 1 for `index <= limit` */
    LLVMValueRef limit; /* integer, the same in all threads */
};

/* What is known of a region's branches. */
struct ls_trim {
    struct bound *bounds;
    bool *exact[2]; /* by side and block: a thread goes there if and only if it is in the bounds */
};

/* ---- Indices ---- */

static bool
constant_span(LLVMValueRef v, struct span *s)
{
    *s = (struct span){0};
    if (!LLVMIsAConstantInt(v) || !ls_const_int(v, &s->first))
        return false;
    s->last = s->first;
    return true;
}

static bool span_of(const struct ls_emitter *e, LLVMValueRef v, unsigned depth, struct span *out);

static bool
binary_span(const struct ls_emitter *e, LLVMValueRef v, unsigned depth, struct span *out)
{
    struct span a, b;
    int64_t by;

    if (!span_of(e, LLVMGetOperand(v, 0), depth + 1, &a) ||
        !span_of(e, LLVMGetOperand(v, 1), depth + 1, &b))
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMOr: /* disjoint: prepare's indices are put together so */
        if (!LLVMGetIsDisjoint(v))
            return false;
        break;
    case LLVMAdd:
        break;
    case LLVMShl:
    case LLVMMul:
        if (b.step || b.first != b.last || b.first < 0 || b.first > 4096)
            return false;
        by = LLVMGetInstructionOpcode(v) == LLVMMul ? b.first
             : b.first < 16                         ? (int64_t)1 << b.first
                                                    : 0;
        *out = (struct span){a.step * by, a.first * by, a.last * by};
        return by > 0;
    default:
        return false;
    }
    /* Both ends occur only where one part alone depends on the lane. */
    if (a.first != a.last && b.first != b.last)
        return false;
    *out = (struct span){a.step + b.step, a.first + b.first, a.last + b.last};
    return true;
}

/* What an index is in each warp; false if that is not known, or it might wrap. */
static bool
span_of(const struct ls_emitter *e, LLVMValueRef v, unsigned depth, struct span *out)
{
    bool ok;

    if (depth > MAX_DEPTH || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind)
        return false;
    if (constant_span(v, out))
        return out->first >= 0;
    if (!LLVMIsAInstruction(v))
        return false;
    if (v == e->plan->w) {
        *out = (struct span){1, 0, 0};
        return true;
    }
    if (ls_ir_is_lane(v)) {
        *out = (struct span){0, 0, e->cc->n_lanes - 1};
        return true;
    }
    ok = LLVMIsAZExtInst(v) || LLVMIsASExtInst(v)
             ? span_of(e, LLVMGetOperand(v, 0), depth + 1, out)
             : LLVMIsABinaryOperator(v) && binary_span(e, v, depth, out);
    return ok && LLVMGetIntTypeWidth(LLVMTypeOf(v)) >= 32 &&
           out->step * e->plan->max_warps + out->last < INT32_MAX;
}

/* ---- Conditions ---- */

struct conditions {
    struct ls_emitter *e;
    struct ls_trim *trim;
    unsigned block, side, n;
    bool exact;
};

static void
add_bound(struct conditions *c, const struct span *s, LLVMValueRef limit, bool upper,
          bool is_signed, unsigned plus)
{
    struct bound *b = ls_arena_alloc(c->e->cc->arena, sizeof(*b));

    *b = (struct bound){.next = c->trim->bounds,
                        .block = c->block,
                        .side = c->side,
                        .span = *s,
                        .upper = upper,
                        .is_signed = is_signed,
                        .plus = plus,
                        .limit = limit};
    c->trim->bounds = b;
    c->n++;
}

/* index PRED limit holds. */
static bool
add_comparison(struct conditions *c, LLVMIntPredicate pred, LLVMValueRef index, LLVMValueRef limit)
{
    bool is_signed = pred >= LLVMIntSGT;
    struct span s;

    if (!span_of(c->e, index, 0, &s) || s.step <= 0 || c->n + 2 > MAX_BOUNDS ||
        !ls_emit_can_early(c->e, c->block, limit))
        return false;
    switch (pred) {
    case LLVMIntULT:
    case LLVMIntSLT:
        add_bound(c, &s, limit, true, is_signed, 0);
        return true;
    case LLVMIntULE:
    case LLVMIntSLE:
        add_bound(c, &s, limit, true, is_signed, 1);
        return true;
    case LLVMIntUGE:
    case LLVMIntSGE:
        add_bound(c, &s, limit, false, is_signed, 0);
        return true;
    case LLVMIntUGT:
    case LLVMIntSGT:
        add_bound(c, &s, limit, false, is_signed, 1);
        return true;
    case LLVMIntEQ:
        add_bound(c, &s, limit, true, false, 1);
        add_bound(c, &s, limit, false, false, 0);
        return true;
    default:
        return false;
    }
}

static LLVMIntPredicate
inverse(LLVMIntPredicate pred)
{
    static const LLVMIntPredicate table[] = {
        [LLVMIntEQ] = LLVMIntNE,   [LLVMIntNE] = LLVMIntEQ,   [LLVMIntUGT] = LLVMIntULE,
        [LLVMIntULE] = LLVMIntUGT, [LLVMIntUGE] = LLVMIntULT, [LLVMIntULT] = LLVMIntUGE,
        [LLVMIntSGT] = LLVMIntSLE, [LLVMIntSLE] = LLVMIntSGT, [LLVMIntSGE] = LLVMIntSLT,
        [LLVMIntSLT] = LLVMIntSGE,
    };

    return table[pred];
}

static LLVMIntPredicate
swapped(LLVMIntPredicate pred)
{
    static const LLVMIntPredicate table[] = {
        [LLVMIntEQ] = LLVMIntEQ,   [LLVMIntNE] = LLVMIntNE,   [LLVMIntUGT] = LLVMIntULT,
        [LLVMIntULT] = LLVMIntUGT, [LLVMIntUGE] = LLVMIntULE, [LLVMIntULE] = LLVMIntUGE,
        [LLVMIntSGT] = LLVMIntSLT, [LLVMIntSLT] = LLVMIntSGT, [LLVMIntSGE] = LLVMIntSLE,
        [LLVMIntSLE] = LLVMIntSGE,
    };

    return table[pred];
}

/* Notes what holds where the condition has the value `is`. What it says beyond bounds makes it
 * inexact. */
static void
add_condition(struct conditions *c, LLVMValueRef cond, bool is, unsigned depth)
{
    LLVMValueRef one, two;

    if (depth <= MAX_DEPTH && LLVMIsAICmpInst(cond)) {
        LLVMIntPredicate pred = LLVMGetICmpPredicate(cond);

        one = LLVMGetOperand(cond, 0);
        two = LLVMGetOperand(cond, 1);
        if (!is)
            pred = inverse(pred);
        if (add_comparison(c, pred, one, two) || add_comparison(c, swapped(pred), two, one))
            return;
    } else if (depth <= MAX_DEPTH && LLVMIsAInstruction(cond)) {
        LLVMOpcode op = LLVMGetInstructionOpcode(cond);
        bool both = false;

        if (op == LLVMXor && LLVMIsAConstantInt(LLVMGetOperand(cond, 1))) {
            add_condition(c, LLVMGetOperand(cond, 0),
                          is ^ (LLVMConstIntGetZExtValue(LLVMGetOperand(cond, 1)) != 0), depth + 1);
            return;
        }
        one = op == LLVMAnd || op == LLVMOr || op == LLVMSelect ? LLVMGetOperand(cond, 0) : NULL;
        two = one ? LLVMGetOperand(cond, 1) : NULL;
        if (op == LLVMSelect) { /* a && b: select a, b, false; a || b: select a, true, b */
            LLVMValueRef other = LLVMGetOperand(cond, 2);

            both = is ? LLVMIsAConstantInt(other) && LLVMIsNull(other)
                      : LLVMIsAConstantInt(two) && !LLVMIsNull(two);
            two = is ? two : other;
        } else if (one) {
            both = is ? op == LLVMAnd : op == LLVMOr;
        }
        if (both) {
            add_condition(c, one, is, depth + 1);
            add_condition(c, two, is, depth + 1);
            return;
        }
    }
    c->exact = false;
}

struct ls_trim *
ls_trim_find(struct ls_emitter *e)
{
    const struct ls_plan *plan = e->plan;
    struct ls_arena *arena = e->cc->arena;
    struct ls_trim *trim = NULL;

    for (unsigned i = 0; i < e->r->n; i++) {
        unsigned b = e->r->order[i], succ[2];
        const struct ls_rblock *blk = &plan->blocks[b];

        if (!blk->divergent || ls_region_successors(plan, e->r, b, succ) != 2 || succ[0] == succ[1])
            continue;
        if (!trim) {
            trim = ls_arena_alloc(arena, sizeof(*trim));
            *trim = (struct ls_trim){0};
            for (unsigned side = 0; side < 2; side++)
                trim->exact[side] = ls_arena_alloc(arena, plan->n_blocks * sizeof(bool));
        }
        for (unsigned side = 0; side < 2; side++) {
            struct conditions c = {.e = e, .trim = trim, .block = b, .side = side, .exact = true};

            add_condition(&c, LLVMGetCondition(blk->term), side == 0, 0);
            trim->exact[side][b] = c.exact && c.n > 0;
        }
    }
    return trim && trim->bounds ? trim : NULL;
}

void
ls_trim_want(struct ls_emitter *e, const struct ls_trim *trim)
{
    for (const struct bound *b = trim ? trim->bounds : NULL; b; b = b->next)
        ls_emit_early(e, b->block, b->limit);
}

/* ---- Effects ---- */

bool
ls_trim_has_effect(LLVMValueRef inst)
{
    const struct ls_intrin *row;
    const char *name;

    if (LLVMIsALoadInst(inst))
        return LLVMGetVolatile(inst) || LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic;
    if (LLVMIsAFenceInst(inst) || LLVMIsAAllocaInst(inst))
        return false;
    if (!LLVMIsACallInst(inst))
        return LLVMIsAStoreInst(inst) || LLVMIsAAtomicRMWInst(inst) ||
               LLVMIsAAtomicCmpXchgInst(inst) || LLVMGetInstructionOpcode(inst) == LLVMUnreachable;
    name = ls_ir_callee_name(inst);
    row = name ? ls_intrin_find(name) : NULL;
    return !row || row->flags & (LS_IF_MEMORY | LS_IF_NORETURN | LS_IF_CLOCK | LS_IF_TELLS);
}

static bool
leaves_by(const struct ls_emitter *e, unsigned block)
{
    return e->plan->blocks[block].barrier >= 0;
}

/* Whether all warps that run at all come to a block. */
static bool
on_all_ways(const struct ls_emitter *e, unsigned block)
{
    for (unsigned i = 0; i < e->r->n; i++)
        if (leaves_by(e, e->r->order[i]) && !ls_region_dominates(e->r, block, e->r->order[i]))
            return false;
    return true;
}

/* Whether it matters which warps run a block. */
static bool
block_matters(const struct ls_emitter *e, unsigned block)
{
    const struct ls_rblock *blk = &e->plan->blocks[block];

    if (blk->returns && e->plan->needs_live)
        return true;
    for (LLVMValueRef i = LLVMGetFirstInstruction(blk->bb); i; i = LLVMGetNextInstruction(i)) {
        const struct ls_keep *s = ls_ptrmap_get(&e->slots, i);

        if (ls_trim_has_effect(i) || (s && (!s->uniform || !on_all_ways(e, block))))
            return true;
    }
    return false;
}

static unsigned
count_edges_to(const struct ls_emitter *e, unsigned block)
{
    unsigned n = 0, succ[2];

    for (unsigned i = 0; i < e->r->n; i++)
        for (unsigned k = ls_region_successors(e->plan, e->r, e->r->order[i], succ); k-- > 0;)
            n += succ[k] == block;
    return n;
}

/* ---- Ranges ---- */

struct range {
    LLVMValueRef lo, hi; /* NULL: no such bound */
};

static LLVMValueRef
smaller(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y, bool is_signed)
{
    LLVMValueRef less = LLVMBuildICmp(b, is_signed ? LLVMIntSLT : LLVMIntULT, x, y, "");

    return LLVMBuildSelect(b, less, x, y, "");
}

static LLVMValueRef
larger(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y, bool is_signed)
{
    LLVMValueRef less = LLVMBuildICmp(b, is_signed ? LLVMIntSLT : LLVMIntULT, x, y, "");

    return LLVMBuildSelect(b, less, y, x, "");
}

/* The number of warps whose step * w + at is below the limit: 0 to max_warps. */
static LLVMValueRef
warps_below(struct ls_emitter *e, LLVMBuilderRef b, LLVMValueRef limit, int64_t step, int64_t at)
{
    LLVMValueRef over, n;

    n = LLVMBuildAdd(b, limit, ls_emit_i32(e, (unsigned)(step - 1 - at)), "");
    n = step & (step - 1)
            ? LLVMBuildUDiv(b, n, ls_emit_i32(e, (unsigned)step), "")
            : LLVMBuildLShr(b, n, ls_emit_i32(e, (unsigned)__builtin_ctzll((uint64_t)step)), "");
    if (at > 0) {
        over = LLVMBuildICmp(b, LLVMIntUGT, limit, ls_emit_i32(e, (unsigned)at), "");
        n = LLVMBuildSelect(b, over, n, ls_emit_i32(e, 0), "");
    }
    return smaller(b, n, e->n_warps, false);
}

/* The same where each warp has `step` indices of its own: with all that are below the limit in
 * part, n[0], and as a whole, n[1]. */
static void
split_limit(struct ls_emitter *e, LLVMBuilderRef b, LLVMValueRef limit, unsigned step,
            LLVMValueRef n[2])
{
    LLVMValueRef rest = LLVMBuildAnd(b, limit, ls_emit_i32(e, step - 1), "");

    rest = LLVMBuildICmp(b, LLVMIntNE, rest, ls_emit_i32(e, 0), "");
    n[1] = LLVMBuildLShr(b, limit, ls_emit_i32(e, (unsigned)__builtin_ctz(step)), "");
    n[0] = LLVMBuildAdd(b, n[1], LLVMBuildZExt(b, rest, e->i32, ""), "");
    for (unsigned i = 0; i < 2; i++)
        n[i] = smaller(b, n[i], e->n_warps, false);
}

/* The warps of which some thread, and of which each thread is in the bound. */
static void
add_ranges(struct ls_emitter *e, const struct bound *bound, struct range *some, struct range *all)
{
    const struct span *s = &bound->span;
    LLVMBuilderRef b = e->pre_b;
    LLVMValueRef limit = ls_emit_early(e, bound->block, bound->limit), n[2];
    LLVMTypeRef type = LLVMTypeOf(limit);
    int64_t most = s->step * e->plan->max_warps + s->last;
    bool whole = s->first == 0 && s->last == s->step - 1 && !(s->step & (s->step - 1));

    if (bound->is_signed) /* none is below 0 */
        limit = larger(b, limit, LLVMConstInt(type, (uint64_t) - (int)bound->plus, true), true);
    if (!whole || bound->plus ||
        type != e->i32) { /* beyond the last thread's index all are the same */
        limit = smaller(b, limit, LLVMConstInt(type, (uint64_t)most, false), bound->is_signed);
        limit = LLVMBuildIntCast2(b, limit, e->i32, bound->is_signed, "");
        limit = LLVMBuildAdd(b, limit, ls_emit_i32(e, bound->plus), "");
    }
    if (whole) {
        split_limit(e, b, limit, (unsigned)s->step, n);
    } else {
        n[0] = warps_below(e, b, limit, s->step, s->first);
        n[1] = warps_below(e, b, limit, s->step, s->last);
    }
    if (bound->upper) {
        some->hi = some->hi ? smaller(b, some->hi, n[0], false) : n[0];
        all->hi = all->hi ? smaller(b, all->hi, n[1], false) : n[1];
    } else {
        some->lo = some->lo ? larger(b, some->lo, n[1], false) : n[1];
        all->lo = all->lo ? larger(b, all->lo, n[0], false) : n[0];
    }
}

/* The block behind which all lies that matters, LS_NO_BLOCK if nothing does. */
static unsigned
find_work(const struct ls_emitter *e)
{
    unsigned work = LS_NO_BLOCK;

    for (unsigned i = 0; i < e->r->n; i++) {
        unsigned b = e->r->order[i];

        if (block_matters(e, b))
            work = work == LS_NO_BLOCK ? b : ls_region_common(e->r, work, b);
    }
    return work;
}

/* The branch, and its side, that has bounds and decides whether threads come from its block to
 * `at`; false: none does so. */
static bool
bounded_edge(const struct ls_emitter *e, const struct ls_trim *trim, unsigned at, unsigned *block,
             unsigned *side)
{
    unsigned p = e->r->idom[at - e->r->first], succ[2];

    if (!e->plan->blocks[p].divergent || ls_region_successors(e->plan, e->r, p, succ) != 2 ||
        succ[0] == succ[1] || (succ[0] != at && succ[1] != at) || count_edges_to(e, at) != 1)
        return false;
    *block = p;
    *side = succ[1] == at;
    for (const struct bound *b = trim->bounds; b; b = b->next)
        if (b->block == p && b->side == *side)
            return true;
    return false;
}

/* Adds the warps that come through a bounded branch to those of others. */
static void
add_some(struct ls_emitter *e, const struct ls_trim *trim, unsigned block, unsigned side,
         struct range *all, bool first)
{
    struct range some = {0}, whole = {0};

    for (const struct bound *b = trim->bounds; b; b = b->next)
        if (b->block == block && b->side == side)
            add_ranges(e, b, &some, &whole);
    if (first) {
        *all = some;
        return;
    }
    all->lo = all->lo && some.lo ? smaller(e->pre_b, all->lo, some.lo, false) : NULL;
    all->hi = all->hi && some.hi ? larger(e->pre_b, all->hi, some.hi, false) : NULL;
}

/* Where work lies behind several branches one after the other, as regions that have become one
 * have them (apart.c): the warps that have some of it. False: there is work for all. */
static bool
any_work(struct ls_emitter *e, const struct ls_trim *trim, struct range *some)
{
    bool *seen[2], first = true;
    unsigned block, side;

    for (unsigned k = 0; k < 2; k++)
        seen[k] = ls_arena_alloc(e->cc->arena, e->plan->n_blocks * sizeof(bool));
    for (unsigned i = 0; i < e->r->n; i++) {
        unsigned at = e->r->order[i];

        if (!block_matters(e, at))
            continue;
        while (at != e->r->order[0] && !bounded_edge(e, trim, at, &block, &side))
            at = e->r->idom[at - e->r->first];
        if (at == e->r->order[0])
            return false;
        if (seen[side][block])
            continue;
        seen[side][block] = true;
        add_some(e, trim, block, side, some, first);
        first = false;
    }
    return !first;
}

/* The warps in a range, one in any case: for values that are the same in all threads. */
static void
set_warps(struct ls_emitter *e, const struct range *some, struct ls_warps *out)
{
    LLVMValueRef last = LLVMBuildSub(e->pre_b, e->n_warps, ls_emit_i32(e, 1), "");
    LLVMValueRef lo = some->lo ? smaller(e->pre_b, some->lo, last, false) : ls_emit_i32(e, 0);
    LLVMValueRef hi = some->hi ? some->hi : e->n_warps;

    if (some->hi)
        hi = larger(e->pre_b, hi, LLVMBuildAdd(e->pre_b, lo, ls_emit_i32(e, 1), ""), false);
    *out = (struct ls_warps){.first = lo, .end = hi};
}

bool
ls_trim_apply(struct ls_emitter *e, const struct ls_trim *trim, struct ls_warps *out)
{
    const struct ls_plan *plan = e->plan;
    const struct ls_region *r = e->r;
    struct range some = {0}, all = {0};
    unsigned char *way = NULL;
    unsigned at, n = 0;
    bool overlap = false;

    if (!trim || plan->needs_live)
        return false;
    at = find_work(e);
    if (at == LS_NO_BLOCK) { /* values that are the same in all threads need one warp */
        *out = (struct ls_warps){.first = ls_emit_i32(e, 0), .end = ls_emit_i32(e, 1)};
        return true;
    }
    for (; at != r->order[0]; at = r->idom[at - r->first]) {
        unsigned p = r->idom[at - r->first], succ[2], side;
        struct range more = {0}, whole = {0};

        if (!plan->blocks[p].divergent || ls_region_successors(plan, r, p, succ) != 2 ||
            succ[0] == succ[1] || (succ[0] != at && succ[1] != at) || count_edges_to(e, at) != 1)
            continue;
        side = succ[1] == at;
        for (const struct bound *b = trim->bounds; b; b = b->next)
            if (b->block == p && b->side == side) {
                add_ranges(e, b, &some, &more);
                overlap |= b->span.last - b->span.first > b->span.step;
                whole = more;
                n++;
            }
        if (!trim->exact[side][p])
            continue;
        if (!way) {
            way = ls_arena_alloc(e->cc->arena, plan->n_blocks);
            for (unsigned i = 0; i < plan->n_blocks; i++)
                way[i] = r->way ? r->way[i] : LS_WAY_OPEN;
        }
        way[p] = (unsigned char)side;
        if (whole.lo)
            all.lo = all.lo ? larger(e->pre_b, all.lo, whole.lo, false) : whole.lo;
        if (whole.hi)
            all.hi = all.hi ? smaller(e->pre_b, all.hi, whole.hi, false) : whole.hi;
    }
    if (!some.lo && !some.hi) {
        if (!plan->n_apart || !any_work(e, trim, &some) || (!some.lo && !some.hi))
            return false;
        way = NULL;
    }
    set_warps(e, &some, out);
    /* Bounds on one side alone leave at most one warp that is there in part, where the indices of
     * warps lie one behind the other. */
    if (!way || (some.lo && some.hi) || ls_region_size(plan, r) > MAX_FULL_SIZE)
        return true;
    out->full = ls_arena_alloc(e->cc->arena, sizeof(*out->full));
    ls_region_build(plan, out->full, r->point, way);
    out->full_first = !all.lo   ? out->first
                      : n == 1 ? all.lo
                               : larger(e->pre_b, all.lo, out->first, false);
    out->full_end = !all.hi   ? out->end
                    : n == 1 ? all.hi
                             : smaller(e->pre_b, all.hi, out->end, false);
    out->part_first = some.hi ? out->full_end : out->first;
    out->part_end = some.hi ? out->end : out->full_first;
    out->parts = overlap;
    return true;
}
