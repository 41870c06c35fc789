/* SPDX-License-Identifier: MIT */
/* Barriers at which no warp waits for another. Where between two barriers each warp touches in
 * shared memory what is its own (`lds[tid ^ 4]`), or only one warp has work, the barrier orders
 * nothing but the lanes of a warp, and these run in step. The regions on its two sides become one:
 * a warp goes through both before the next has its turn.
 *
 * That is right if nothing that some warp does behind the barrier meets what another does in front
 * of it: no place is written on one side by one warp, and read or written on the other by another.
 * Places in shared memory are known where their addresses and the branches in front of them depend
 * on nothing but the thread's number: they are computed for all threads. What is not known counts
 * as all of the variable, or all of shared memory, touched by all warps. */
#include "compiler/region/region_priv.h"

#include <string.h>

#include "analysis/access.h"
#include "analysis/shape_priv.h"
#include "analysis/threads.h"
#include "compiler/ir/ir.h"
#include "intrin/intrinsics.h"

enum {
    SPACE_LDS = 3,
    SPACE_CONSTANT = 4,
    SPACE_PRIVATE = 5,
    WORD = 4, /* bytes: neighbours in a word count as one place */
    MAX_BYTES = 65536,
    MAX_NOTES = 1 << 20, /* words of all regions */
    MAX_DEPTH = 16,      /* of an address */
    NO_WARP = 0,         /* else a warp's number and one, or: */
    MANY = 0xffff,
};

/* Who touches a word. */
struct word {
    unsigned short warp;
    bool written;
};

/* What a region does, or some that have become one. */
struct deeds {
    struct word *words;             /* of shared memory; NULL: it touches none */
    bool reads_world, writes_world; /* other memory that threads share */
    bool closed;                    /* something that keeps it apart from all other regions */
};

struct finder {
    struct ls_plan *plan;
    struct ls_cc *cc;
    struct ls_threads threads;
    unsigned n_words, n_notes;
    bool escapes;         /* pointers of other kinds may point into shared memory */
    struct deeds **deeds; /* by point; NULL: not asked for yet */
    const struct ls_region *r;
    bool **here; /* by place in the region: the threads that may come there */
};

/* ---- Places ---- */

/* A range of words. */
static void
touch(struct finder *f, struct deeds *d, uint64_t first, uint64_t end, unsigned warp, bool writes)
{
    if (!d->words)
        d->words = ls_arena_alloc(f->cc->arena, f->n_words * sizeof(*d->words));
    for (uint64_t i = first; i < end; i++) {
        struct word *w = &d->words[i];

        w->warp = w->warp == NO_WARP || w->warp == warp ? (unsigned short)warp : MANY;
        w->written |= writes;
    }
}

/* The variable in shared memory that a pointer points into, which lies at byte `*at`; `by` says for
 * each thread how far behind. NULL: it is not known. */
static LLVMValueRef
place_of(struct finder *f, LLVMValueRef p, unsigned *at, uint64_t *by, bool *exact)
{
    *exact = true;
    for (unsigned depth = 0; depth < MAX_DEPTH && !LLVMIsAGlobalVariable(p); depth++) {
        struct ls_gep_term terms[LS_MAX_GEP_TERMS + 1];
        bool is_gep = LLVMIsAGetElementPtrInst(p) ||
                      (LLVMIsAConstantExpr(p) && LLVMGetConstOpcode(p) == LLVMGetElementPtr);
        unsigned n = is_gep ? ls_gep_terms(f->cc, p, terms, LS_MAX_GEP_TERMS + 1) : 0;

        for (unsigned i = 0; i < n && *exact; i++) {
            const uint64_t *v =
                terms[i].index ? ls_threads_values(&f->threads, terms[i].index) : NULL;
            unsigned bits = terms[i].index ? LLVMGetIntTypeWidth(LLVMTypeOf(terms[i].index)) : 64;

            *exact = !terms[i].index || v;
            for (unsigned t = 0; t < f->threads.n && *exact; t++) {
                int64_t index = v ? (int64_t)(v[t] << (64 - bits)) >> (64 - bits) : 1;

                by[t] += (uint64_t)(index * terms[i].stride);
            }
        }
        if (n == 0)
            return NULL;
        p = LLVMGetOperand(p, 0);
    }
    return LLVMIsAGlobalVariable(p) && LLVMGetPointerAddressSpace(LLVMTypeOf(p)) == SPACE_LDS &&
                   ls_ir_lds_place(f->cc, p, at)
               ? p
               : NULL;
}

/* The words of a variable; of one whose size the launch says, all behind it. */
static void
touch_variable(struct finder *f, struct deeds *d, LLVMValueRef var, unsigned at, bool writes)
{
    uint64_t bytes = LLVMABISizeOfType(f->cc->device.layout, LLVMGlobalGetValueType(var));
    uint64_t end = bytes ? (at + bytes + WORD - 1) / WORD : f->n_words;

    touch(f, d, at / WORD, end < f->n_words ? end : f->n_words, MANY, writes);
}

static void
touch_lds(struct finder *f, struct deeds *d, const struct ls_access *a, const bool *here)
{
    uint64_t bytes = a->type ? LLVMStoreSizeOfType(f->cc->device.layout, a->type) : 0;
    uint64_t *by = ls_arena_alloc(f->cc->arena, f->threads.n * sizeof(*by));
    unsigned at = 0;
    bool exact;
    LLVMValueRef var = place_of(f, a->pointer, &at, by, &exact);

    if (var && (!exact || !bytes)) {
        touch_variable(f, d, var, at, a->writes);
        return;
    }
    for (unsigned t = 0; t < f->threads.n && var; t++) {
        /* As an offset in shared memory: 32 bits. */
        uint64_t first = (uint32_t)(at + by[t]), end = first + bytes;

        if (!here[t])
            continue;
        if (end > (uint64_t)f->n_words * WORD)
            var = NULL;
        else
            touch(f, d, first / WORD, (end + WORD - 1) / WORD, t / f->threads.n_lanes + 1,
                  a->writes);
    }
    if (!var)
        touch(f, d, 0, f->n_words, MANY, a->writes);
}

/* ---- What a region does ---- */

static bool
is_private(LLVMValueRef p)
{
    for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(p)) == SPACE_PRIVATE)
            return true;
        if (!LLVMIsAGetElementPtrInst(p) && !LLVMIsAAddrSpaceCastInst(p))
            return false;
        p = LLVMGetOperand(p, 0);
    }
    return false;
}

static void
note_access(struct finder *f, struct deeds *d, const struct ls_access *a, const bool *here)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(a->pointer));

    if (a->is_atomic || a->is_volatile) {
        d->closed = true;
        return;
    }
    if (is_private(a->pointer) || (space == SPACE_CONSTANT && !a->writes) ||
        (LLVMIsALoadInst(a->inst) &&
         LLVMGetMetadata(a->inst, ls_ir_md_kind(f->cc, "invariant.load"))))
        return;
    if (space == SPACE_LDS) {
        touch_lds(f, d, a, here);
        return;
    }
    d->reads_world |= a->reads;
    d->writes_world |= a->writes;
    if (f->escapes)
        touch(f, d, 0, f->n_words, MANY, a->writes);
}

static void
note_instruction(struct finder *f, struct deeds *d, LLVMValueRef i, const bool *here)
{
    struct ls_access accesses[LS_MAX_ACCESSES];
    unsigned n = ls_accesses_of(i, accesses);
    const struct ls_intrin *row;
    const char *name;

    for (unsigned k = 0; k < n; k++)
        note_access(f, d, &accesses[k], here);
    if (n > 0)
        return;
    if (LLVMIsACallInst(i)) {
        name = ls_ir_callee_name(i);
        row = name ? ls_intrin_find(name) : NULL;
        d->closed |= !row || row->flags & (LS_IF_MEMORY | LS_IF_NORETURN | LS_IF_CLOCK);
    } else if (!LLVMIsAFenceInst(i)) {
        d->closed |= LLVMGetInstructionOpcode(i) == LLVMUnreachable ||
                     LLVMGetInstructionOpcode(i) == LLVMVAArg;
    }
}

/* Threads go on from a block to one of its successors where they may; true: some go there now of
 * whom that was not known. */
static bool
flow(struct finder *f, unsigned from, unsigned to, const uint64_t *cond, bool is)
{
    bool *a = f->here[ls_region_rank(f->r, from)], *b = f->here[ls_region_rank(f->r, to)];
    bool more = false;

    for (unsigned t = 0; t < f->threads.n; t++) {
        bool goes = a[t] && (!cond || (cond[t] != 0) == is);

        more |= goes && !b[t];
        b[t] |= goes;
    }
    return more;
}

static void
find_threads(struct finder *f)
{
    const struct ls_region *r = f->r;

    f->here = ls_arena_alloc(f->cc->arena, r->n * sizeof(*f->here));
    for (unsigned i = 0; i < r->n; i++)
        f->here[i] = ls_arena_alloc(f->cc->arena, f->threads.n * sizeof(bool));
    memset(f->here[0], true, f->threads.n * sizeof(bool));
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i < r->n; i++) {
            const struct ls_rblock *blk = &f->plan->blocks[r->order[i]];
            bool two = blk->n_succs == 2 && blk->succ[0] != blk->succ[1];
            const uint64_t *cond =
                two ? ls_threads_values(&f->threads, LLVMGetCondition(blk->term)) : NULL;

            for (unsigned k = 0; k < blk->n_succs; k++)
                changed |= flow(f, r->order[i], blk->succ[k], cond, k == 0);
        }
    }
}

static struct deeds *
deeds_of(struct finder *f, unsigned point)
{
    struct deeds *d = f->deeds[point];

    if (d)
        return d;
    f->deeds[point] = d = ls_arena_alloc(f->cc->arena, sizeof(*d));
    f->n_notes += f->n_words;
    d->closed = f->n_notes > MAX_NOTES;
    f->r = &f->plan->regions[point];
    if (d->closed)
        return d;
    find_threads(f);
    for (unsigned i = 0; i < f->r->n; i++)
        for (LLVMValueRef k = LLVMGetFirstInstruction(f->plan->blocks[f->r->order[i]].bb);
             k && !d->closed; k = LLVMGetNextInstruction(k))
            note_instruction(f, d, k, f->here[i]);
    return d;
}

/* ---- Which barriers ---- */

/* Whether what warps do on two sides of a barrier never meets. */
static bool
are_apart(const struct finder *f, const struct deeds *a, const struct deeds *b)
{
    if (a->closed || b->closed || (a->writes_world && (b->reads_world || b->writes_world)) ||
        (a->reads_world && b->writes_world))
        return false;
    for (unsigned i = 0; a->words && b->words && i < f->n_words; i++) {
        const struct word *x = &a->words[i], *y = &b->words[i];

        if (x->warp != NO_WARP && y->warp != NO_WARP && (x->written || y->written) &&
            (x->warp != y->warp || x->warp == MANY))
            return false;
    }
    return true;
}

/* `a` does what `b` does, too. */
static void
add_deeds(struct finder *f, struct deeds *a, const struct deeds *b)
{
    a->reads_world |= b->reads_world;
    a->writes_world |= b->writes_world;
    for (unsigned i = 0; b->words && i < f->n_words; i++)
        if (b->words[i].warp != NO_WARP)
            touch(f, a, i, i + 1, b->words[i].warp, b->words[i].written);
}

/* The barrier that all threads come to behind this region and from nowhere else; 0: there is
 * none. */
static unsigned
only_next(const struct ls_plan *plan, const unsigned *n_before, unsigned point)
{
    const struct ls_region *r = &plan->regions[point];
    unsigned q = r->n_next == 1 && !r->may_return ? r->exits[0] : 0;

    return q && q != point && plan->points[q].kind == LS_POINT_BARRIER && n_before[q] == 1 ? q : 0;
}

/* Marks the barriers in the chain of regions from one on. */
static unsigned
mark_chain(struct finder *f, const unsigned *n_before, unsigned point, bool *dropped)
{
    struct deeds *all = NULL;
    unsigned n = 0;

    for (unsigned q; (q = only_next(f->plan, n_before, point)); point = q) {
        if (!all)
            all = deeds_of(f, point);
        if (!all->closed && are_apart(f, all, deeds_of(f, q))) {
            add_deeds(f, all, deeds_of(f, q));
            dropped[q] = true;
            n++;
        } else {
            all = NULL;
        }
    }
    return n;
}

/* Takes the marked barriers out of the plan. */
static void
drop(struct ls_plan *plan, const bool *dropped)
{
    unsigned *now = ls_arena_alloc(plan->cc->arena, plan->n_points * sizeof(*now)), n = 0;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(plan->cc->llvm);

    for (unsigned i = 0; i < plan->n_blocks; i++) {
        struct ls_rblock *blk = &plan->blocks[i];

        if (blk->barrier < 0 || !dropped[blk->barrier])
            continue;
        /* Each lane still sees what the others have written in front of it. */
        LLVMPositionBuilderBefore(b, blk->term);
        LLVMBuildFence(b, LLVMAtomicOrderingAcquireRelease, true, "");
        blk->succ[0] = plan->points[blk->barrier].start;
        blk->n_succs = 1;
        blk->barrier = -1;
    }
    LLVMDisposeBuilder(b);
    for (unsigned p = 0; p < plan->n_points; p++) {
        now[p] = n;
        if (!dropped[p])
            plan->points[n++] = plan->points[p];
    }
    plan->n_points = n;
    for (unsigned i = 0; i < plan->n_blocks; i++)
        if (plan->blocks[i].barrier >= 0)
            plan->blocks[i].barrier = (int)now[plan->blocks[i].barrier];
    for (unsigned p = 0; p < n; p++)
        ls_region_build(plan, &plan->regions[p], p, NULL);
}

/* How many points lead to each. */
static unsigned *
count_before(const struct ls_plan *plan)
{
    unsigned *n = ls_arena_alloc(plan->cc->arena, plan->n_points * sizeof(*n));

    for (unsigned p = 0; p < plan->n_points; p++)
        for (unsigned i = 0; i < plan->regions[p].n_next; i++)
            n[plan->regions[p].exits[i]]++;
    return n;
}

/* Whether an address in shared memory becomes something else than one, from `p` on. Pointers of all
 * other kinds may point there then: LLVM takes what is loaded for an address in global memory. */
static bool
escapes(LLVMValueRef p, unsigned depth)
{
    for (LLVMUseRef u = LLVMGetFirstUse(p); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        bool is_gep = LLVMIsAGetElementPtrInst(user) ||
                      (LLVMIsAConstantExpr(user) && LLVMGetConstOpcode(user) == LLVMGetElementPtr);

        if (is_gep ? depth == 0 || escapes(user, depth - 1)
                   : !LLVMIsALoadInst(user) && !LLVMIsAICmpInst(user) &&
                         !(LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != p))
            return true;
    }
    return false;
}

/* Whether shared memory is accessed through addresses that are of no variable: numbers, or what was
 * put together of several. Pointers of other kinds may point there, too. */
static bool
has_unnamed(const struct ls_plan *plan)
{
    struct ls_access accesses[LS_MAX_ACCESSES];

    for (unsigned i = 0; i < plan->n_blocks; i++)
        for (LLVMValueRef k = LLVMGetFirstInstruction(plan->blocks[i].bb); k;
             k = LLVMGetNextInstruction(k))
            for (unsigned n = ls_accesses_of(k, accesses); n-- > 0;) {
                LLVMValueRef p = accesses[n].pointer;

                while (LLVMIsAGetElementPtrInst(p) ||
                       (LLVMIsAConstantExpr(p) && LLVMGetConstOpcode(p) == LLVMGetElementPtr))
                    p = LLVMGetOperand(p, 0);
                if (LLVMGetPointerAddressSpace(LLVMTypeOf(p)) == SPACE_LDS &&
                    !LLVMIsAGlobalVariable(p))
                    return true;
            }
    return false;
}

/* Shared memory in words, as far as any may be reached; one in any case, which stands for what no
 * variable has. */
static unsigned
count_words(struct ls_cc *cc, bool *any_escape)
{
    unsigned bytes = cc->lds_bytes;

    for (LLVMValueRef g = LLVMGetFirstGlobal(cc->mod); g; g = LLVMGetNextGlobal(g))
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == SPACE_LDS) {
            if (!LLVMABISizeOfType(cc->device.layout, LLVMGlobalGetValueType(g)))
                bytes = MAX_BYTES;
            *any_escape |= escapes(g, MAX_DEPTH);
        }
    return bytes >= MAX_BYTES ? MAX_BYTES / WORD : bytes / WORD + 1;
}

void
ls_apart_join(struct ls_plan *plan)
{
    struct ls_cc *cc = plan->cc;
    struct finder f = {.plan = plan, .cc = cc};
    unsigned *n_before;
    bool *dropped, *follows;

    if (plan->n_points < 2 || plan->needs_live || cc->opt->opt_level == 0 || cc->n_debug_marks ||
        cc->lds_bytes > MAX_BYTES)
        return;
    for (unsigned p = 1; p < plan->n_points; p++)
        if (plan->points[p].kind == LS_POINT_TURN)
            return;
    f.n_words = count_words(cc, &f.escapes);
    f.escapes |= has_unnamed(plan);
    ls_threads_init(&f.threads, cc, cc->n_threads ? cc->n_threads : plan->max_warps * cc->n_lanes,
                    plan->w, ls_ir_lds_place);
    f.deeds = ls_arena_alloc(cc->arena, plan->n_points * sizeof(struct deeds *));
    dropped = ls_arena_alloc(cc->arena, plan->n_points * sizeof(*dropped));
    follows = ls_arena_alloc(cc->arena, plan->n_points * sizeof(*follows));
    n_before = count_before(plan);
    for (unsigned p = 0; p < plan->n_points; p++)
        follows[only_next(plan, n_before, p)] = true;
    follows[0] = false;
    for (unsigned p = 0; p < plan->n_points; p++)
        plan->n_apart += follows[p] ? 0 : mark_chain(&f, n_before, p, dropped);
    if (plan->n_apart)
        drop(plan, dropped);
}
