/* SPDX-License-Identifier: MIT */
/* Finds comparisons that are decided for whole blocks, and turns their operands into terms that the
 * host's code evaluates over a range of blocks. */
#include "compiler/ir/guards.h"

#include <stddef.h>
#include <string.h>

#include "analysis/cfg.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/prepare_priv.h"
#include "device/cpu/kernel_abi.h"
#include "intrin/intrinsics.h"

/* A second copy of the code is worth it where the mask is a good part of the work. MAX_LOG: sums of
 * such numbers stay exact in 64 bits. */
enum { MAX_INSTRUCTIONS = 160, MAX_DEPTH = 12, MAX_LOG = 61, MAX_THREADS = 1024, MAX_WARPS = 32 };

struct finder {
    struct ls_cc *cc;
    LLVMValueRef program;
    struct ls_guards *guards;
    LLVMBuilderRef b;
    LLVMValueRef whole; /* i1, once it is needed */
    LLVMBasicBlockRef head, before; /* of the loop whose first iteration is looked at; NULL */
};

static const struct ls_term *term_of(struct finder *f, LLVMValueRef v, unsigned depth);

static struct ls_term *
make_term(struct finder *f, enum ls_term_op op, LLVMValueRef v)
{
    struct ls_term *t = ls_arena_alloc(f->cc->arena, sizeof(*t));

    t->op = op;
    t->bits = LLVMGetIntTypeWidth(LLVMTypeOf(v));
    t->log = t->bits;
    return t;
}

static unsigned
log_of(uint64_t v)
{
    return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

static struct ls_term *
range_term(struct finder *f, LLVMValueRef v, unsigned last)
{
    struct ls_term *t = make_term(f, LS_TERM_RANGE, v);

    t->value = last;
    t->varies = true;
    t->log = log_of(last);
    return t;
}

/* The program's parameters: ctx, the kernel's, the block's x, y and z, the warp. */
static const struct ls_term *
parameter_term(struct finder *f, LLVMValueRef v)
{
    unsigned n = f->cc->n_kernargs;
    struct ls_term *t;

    if (v == LLVMGetParam(f->program, n + 4)) {
        t = range_term(f, v, (f->cc->n_warps ? f->cc->n_warps : MAX_WARPS) - 1);
        t->op = f->cc->n_warps ? LS_TERM_RANGE : LS_TERM_WARP;
        return t;
    }
    for (unsigned i = 0; i < n; i++)
        if (v == LLVMGetParam(f->program, i + 1)) {
            t = make_term(f, LS_TERM_ARG, v);
            t->value = i;
            return t;
        }
    for (unsigned i = 0; i < 3; i++)
        if (v == LLVMGetParam(f->program, n + 1 + i)) {
            t = make_term(f, LS_TERM_BLOCK, v);
            t->value = i;
            t->is_of_block = true;
            t->varies = i == 0;
            return t;
        }
    return NULL;
}

/* The pointer that `p` is at a constant distance from. */
static LLVMValueRef
strip_constants(struct finder *f, LLVMValueRef p, uint64_t *offset)
{
    LLVMTargetDataRef layout = f->cc->device.layout;

    *offset = 0;
    for (;; p = LLVMGetOperand(p, 0)) {
        if (LLVMIsAAddrSpaceCastInst(p))
            continue;
        if (!LLVMIsAGetElementPtrInst(p) || LLVMGetNumOperands(p) != 2 ||
            !LLVMIsAConstantInt(LLVMGetOperand(p, 1)))
            return p;
        *offset += LLVMConstIntGetZExtValue(LLVMGetOperand(p, 1)) *
                   LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(p));
    }
}

/* Memory that does not change during a launch: the kernarg segment, and what ctx says of the
 * launch. */
static const struct ls_term *
load_term(struct finder *f, LLVMValueRef load)
{
    uint64_t offset;
    LLVMValueRef from = strip_constants(f, LLVMGetOperand(load, 0), &offset);
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(load));
    struct ls_term *t;

    if (LLVMGetVolatile(load) || LLVMGetOrdering(load) != LLVMAtomicOrderingNotAtomic ||
        (bits != 8 && bits != 16 && bits != 32 && bits != 64))
        return NULL;
    if (from == LLVMGetParam(f->program, 0) &&
        offset + bits / 8 <= offsetof(struct ls_cpu_ctx, n_threads)) {
        t = make_term(f, LS_TERM_CTX, load);
        t->value = offset;
        if (offset >= offsetof(struct ls_cpu_ctx, block) && bits == 32)
            t->log = log_of(MAX_THREADS);
        return t;
    }
    for (unsigned i = 0; i < f->cc->n_kernargs; i++) {
        const struct ls_kernarg *arg = &f->cc->kernargs[i];

        if (from != LLVMGetParam(f->program, i + 1) || !arg->byref || offset + bits / 8 > arg->size)
            continue;
        t = make_term(f, LS_TERM_KERNARG, load);
        t->value = arg->offset + offset;
        return t;
    }
    return NULL;
}

static bool
is_const(const struct ls_term *t, uint64_t *value)
{
    *value = t->value;
    return t->op == LS_TERM_CONST;
}

/* Sets how large the value of an operation on what varies can be; false: not known, or not
 * small. */
static bool
bound(struct ls_term *t)
{
    const struct ls_term *a = t->a, *b = t->b;
    uint64_t k;

    switch (t->opcode) {
    case LLVMAdd:
    case LLVMSub:
        t->log = (a->log > b->log ? a->log : b->log) + 1;
        break;
    case LLVMMul:
        if (a->varies && b->varies)
            return false;
        t->log = a->log + b->log;
        break;
    case LLVMShl:
        if (!is_const(b, &k) || k >= t->bits)
            return false;
        t->log = a->log + (unsigned)k;
        break;
    case LLVMLShr:
        if (!is_const(b, &k) || k >= t->bits)
            return false;
        t->log = t->bits;
        break;
    case LLVMAnd:
        if (!is_const(b, &k) || log_of(k) >= t->bits)
            return false;
        t->log = log_of(k);
        break;
    default:
        return false;
    }
    return t->log <= MAX_LOG;
}

/* Of a value that does not vary: as a number with a sign it has no more bits than its type in any
 * case. */
static const struct ls_term *
at_most(struct ls_term *t, unsigned log)
{
    if (log < t->log)
        t->log = log;
    return t;
}

static const struct ls_term *
binary_term(struct finder *f, LLVMValueRef v, unsigned depth)
{
    struct ls_term *t = make_term(f, LS_TERM_BINARY, v);
    uint64_t k;

    t->opcode = LLVMGetInstructionOpcode(v);
    if (t->opcode == LLVMOr && LLVMGetIsDisjoint(v))
        t->opcode = LLVMAdd;
    t->a = term_of(f, LLVMGetOperand(v, 0), depth);
    t->b = term_of(f, LLVMGetOperand(v, 1), depth);
    if (!t->a || !t->b)
        return NULL;
    t->varies = t->a->varies || t->b->varies;
    t->is_of_block = t->a->is_of_block || t->b->is_of_block;
    if (t->varies)
        return bound(t) ? t : NULL;
    switch (t->opcode) {
    case LLVMAdd:
    case LLVMSub:
        return at_most(t, (t->a->log > t->b->log ? t->a->log : t->b->log) + 1);
    case LLVMMul:
        return at_most(t, t->a->log + t->b->log);
    case LLVMAnd:
        if (is_const(t->b, &k) && log_of(k) < t->log)
            t->log = log_of(k) < t->a->log ? log_of(k) : t->a->log;
        return t;
    case LLVMOr:
    case LLVMXor:
        return t;
    case LLVMShl:
        return is_const(t->b, &k) && k < t->bits ? at_most(t, t->a->log + (unsigned)k) : NULL;
    case LLVMLShr:
    case LLVMAShr:
        return is_const(t->b, &k) && k < t->bits ? t : NULL;
    case LLVMUDiv:
    case LLVMURem:
        return is_const(t->b, &k) && k ? t : NULL;
    case LLVMSDiv:
    case LLVMSRem:
        return is_const(t->b, &k) && k && k >> (t->bits - 1) == 0 ? t : NULL;
    default:
        return NULL;
    }
}

static const struct ls_term *
cast_term(struct finder *f, LLVMValueRef v, unsigned depth)
{
    struct ls_term *t = make_term(f, LS_TERM_CAST, v);

    if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 0))) != LLVMIntegerTypeKind)
        return NULL;
    t->opcode = LLVMGetInstructionOpcode(v);
    t->a = term_of(f, LLVMGetOperand(v, 0), depth);
    if (!t->a)
        return NULL;
    t->varies = t->a->varies;
    t->is_of_block = t->a->is_of_block;
    if (t->opcode == LLVMZExt && !t->varies && t->a->op == LS_TERM_BINARY &&
        t->a->opcode != LLVMAnd)
        t->log = t->a->bits; /* what is below zero becomes large */
    else if (t->varies || t->opcode != LLVMTrunc)
        t->log = t->a->log;
    return t;
}

/* NULL: not known before the block runs. */
static const struct ls_term *
term_of(struct finder *f, LLVMValueRef v, unsigned depth)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    struct ls_term *t;

    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) > 64 ||
        LLVMGetIntTypeWidth(type) < 8 || depth == 0)
        return NULL;
    if (LLVMIsAConstantInt(v)) {
        int64_t k = LLVMConstIntGetSExtValue(v);

        t = make_term(f, LS_TERM_CONST, v);
        t->value = LLVMConstIntGetZExtValue(v);
        t->log = log_of(k < 0 ? 0 - (uint64_t)k : (uint64_t)k);
        return t;
    }
    if (LLVMIsAArgument(v))
        return parameter_term(f, v);
    if (ls_ir_is_lane(v))
        return range_term(f, v, f->cc->n_lanes - 1);
    if (LLVMIsALoadInst(v))
        return load_term(f, v);
    if (LLVMIsAFreezeInst(v))
        return term_of(f, LLVMGetOperand(v, 0), depth - 1);
    if (LLVMIsAPHINode(v) && LLVMGetInstructionParent(v) == f->head)
        return term_of(f, ls_ir_incoming(v, f->before), depth - 1);
    if (LLVMIsABinaryOperator(v))
        return binary_term(f, v, depth - 1);
    if (LLVMIsAZExtInst(v) || LLVMIsASExtInst(v) || LLVMIsATruncInst(v))
        return cast_term(f, v, depth - 1);
    return NULL;
}

LLVMValueRef
ls_guards_whole(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef ctx)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(cc->llvm);
    LLVMValueRef v = ls_ir_ctx_load(cc, b, ctx, offsetof(struct ls_cpu_ctx, whole), i32, "whole");

    return LLVMBuildICmp(b, LLVMIntNE, v, LLVMConstNull(i32), "");
}

/* Whether a load is one of ctx->whole. */
static bool
reads_whole(LLVMValueRef load, LLVMValueRef ctx)
{
    LLVMValueRef at = LLVMGetOperand(load, 0);

    return LLVMIsAGetElementPtrInst(at) && LLVMGetOperand(at, 0) == ctx &&
           LLVMGetNumOperands(at) == 2 && LLVMIsAConstantInt(LLVMGetOperand(at, 1)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(at, 1)) == offsetof(struct ls_cpu_ctx, whole);
}

/* It is read at the program's beginning. */
static LLVMValueRef
whole(struct finder *f)
{
    LLVMValueRef at;

    if (f->whole)
        return f->whole;
    at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f->program));
    while (LLVMIsAAllocaInst(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(f->b, at);
    f->whole = ls_guards_whole(f->cc, f->b, LLVMGetParam(f->program, 0));
    return f->whole;
}

/* Makes `cmp` a guard if it can be one: in whole blocks it is `want`. False: it is none. */
static bool
note_guard(struct finder *f, LLVMValueRef cmp, bool want)
{
    struct ls_guards *g = f->guards;
    LLVMIntPredicate p = LLVMGetICmpPredicate(cmp);
    const struct ls_term *a, *b;
    LLVMValueRef known;

    if (!want)
        p = ls_ir_opposite(p);
    if (p == LLVMIntEQ || g->n == LS_MAX_GUARDS)
        return false;
    a = term_of(f, LLVMGetOperand(cmp, 0), MAX_DEPTH);
    b = a ? term_of(f, LLVMGetOperand(cmp, 1), MAX_DEPTH) : NULL;
    if (!b || !(a->varies || b->varies) || !(a->is_of_block || b->is_of_block))
        return false;
    g->guard[g->n++] = (struct ls_guard){p, a, b};
    known = whole(f);
    LLVMPositionBuilderBefore(f->b, LLVMGetNextInstruction(cmp));
    if (!want)
        known = LLVMBuildNot(f->b, known, "");
    /* The comparison takes its place when nothing else uses it any more. */
    known = want ? LLVMBuildOr(f->b, known, known, "") : LLVMBuildAnd(f->b, known, known, "");
    LLVMReplaceAllUsesWith(cmp, known);
    LLVMSetOperand(known, 1, cmp);
    return true;
}

/* Makes guards of the comparisons by which `v` is `want`; false: there are none. */
static bool
note_condition(struct finder *f, LLVMValueRef v, bool want, unsigned depth)
{
    LLVMTypeRef i1 = LLVMInt1TypeInContext(f->cc->llvm);
    LLVMValueRef zero = LLVMConstNull(i1), one = LLVMConstAllOnes(i1);
    LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : (LLVMOpcode)0;
    bool any = false;

    if (LLVMIsAICmpInst(v))
        return note_guard(f, v, want);
    if (depth == 0 || !op)
        return false;
    if (op == LLVMFreeze)
        return note_condition(f, LLVMGetOperand(v, 0), want, depth - 1);
    if (op == LLVMSelect) {
        if (want ? LLVMGetOperand(v, 2) == zero : LLVMGetOperand(v, 1) == one) {
            any = note_condition(f, LLVMGetOperand(v, 0), want, depth - 1);
            any |= note_condition(f, LLVMGetOperand(v, want ? 1 : 2), want, depth - 1);
        }
    } else if (op == (want ? LLVMAnd : LLVMOr)) {
        any = note_condition(f, LLVMGetOperand(v, 0), want, depth - 1);
        any |= note_condition(f, LLVMGetOperand(v, 1), want, depth - 1);
    } else if (op == (want ? LLVMOr : LLVMAnd)) { /* one is enough */
        any = note_condition(f, LLVMGetOperand(v, 1), want, depth - 1) ||
              note_condition(f, LLVMGetOperand(v, 0), want, depth - 1);
    } else if (op == LLVMXor && LLVMGetOperand(v, 1) == one) {
        any = note_condition(f, LLVMGetOperand(v, 0), !want, depth - 1);
    }
    return any;
}

/* Grid-stride loops: where the grid is as large as what there is to do, all threads leave them
 * after their first iteration. */
static void
note_loops(struct finder *f, const struct ls_cfg *cfg)
{
    for (unsigned i = 0; i < cfg->n_loops; i++) {
        const struct ls_loop *loop = cfg->loops[i];
        const struct ls_cfg_block *head = &cfg->blocks[loop->header], *latch;

        if (loop->latch == LS_NO_BLOCK || head->n_preds != 2)
            continue;
        latch = &cfg->blocks[loop->latch];
        if (latch->n_succs != 2 || !LLVMIsABranchInst(latch->term) ||
            ls_loop_has(loop, latch->succs[0]) == ls_loop_has(loop, latch->succs[1]))
            continue;
        f->head = head->bb;
        f->before = cfg->blocks[head->preds[head->preds[0] == loop->latch]].bb;
        note_condition(f, LLVMGetCondition(latch->term), !ls_loop_has(loop, latch->succs[0]), 2);
    }
    f->head = NULL;
}

LLVMValueRef
ls_guards_compared(LLVMValueRef program, LLVMValueRef v)
{
    LLVMValueRef known;

    if (!LLVMIsABinaryOperator(v) || !LLVMIsAICmpInst(LLVMGetOperand(v, 1)))
        return NULL;
    known = LLVMGetOperand(v, 0);
    if (LLVMIsABinaryOperator(known) && LLVMGetInstructionOpcode(known) == LLVMXor)
        known = LLVMGetOperand(known, 0);
    if (!LLVMIsAICmpInst(known) || !LLVMIsALoadInst(LLVMGetOperand(known, 0)) ||
        !reads_whole(LLVMGetOperand(known, 0), LLVMGetParam(program, 0)))
        return NULL;
    return LLVMGetOperand(v, 1);
}

static unsigned
count_instructions(LLVMBasicBlockRef bb)
{
    unsigned n = 0;

    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
        n++;
    return n;
}

static void
reach(LLVMBasicBlockRef bb, struct ls_ptrmap *seen)
{
    LLVMValueRef term = LLVMGetBasicBlockTerminator(bb);

    if (ls_ptrmap_get(seen, bb))
        return;
    ls_ptrmap_set(seen, bb, bb);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(term); i++)
        reach(LLVMGetSuccessor(term, i), seen);
}

/* Which way of a branch has most of the work behind it to itself: 0 or 1, -1 for neither. Where
 * threads meet at barriers they all go on, and what one way alone has counts: `x = i < n ? in[i] :
 * 0`. */
static int
busy_way(struct finder *f, LLVMValueRef branch)
{
    struct ls_ptrmap seen[2];
    unsigned work[2] = {0, 0}, all = 0;

    for (unsigned i = 0; i < 2; i++) {
        ls_ptrmap_init(&seen[i], f->cc->arena);
        reach(LLVMGetSuccessor(branch, i), &seen[i]);
    }
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f->program); bb;
         bb = LLVMGetNextBasicBlock(bb)) {
        bool first = ls_ptrmap_get(&seen[0], bb), second = ls_ptrmap_get(&seen[1], bb);

        if (first || second)
            all += count_instructions(bb);
        if (first != second)
            work[second] += count_instructions(bb);
    }
    if (f->guards->has_barriers && !work[0] != !work[1])
        return work[1] > 0;
    return 2 * work[0] > all ? 0 : 2 * work[1] > all ? 1 : -1;
}

/* Whether a convergent call looks at other lanes or waits for other warps, and does no more. */
static bool
stays_in_block(LLVMValueRef call)
{
    const char *name = ls_ir_callee_name(call);
    const struct ls_intrin *row = name ? ls_intrin_find(name) : NULL;

    return ls_ir_is_barrier(call) ||
           (row && !(row->flags & (LS_IF_MEMORY | LS_IF_NORETURN | LS_IF_CLOCK)));
}

/* Whether whole blocks of this program can have code of their own: it says nothing of its place to
 * others, and is not much. */
static bool
may_be_whole(struct ls_cc *cc, LLVMValueRef program, bool *has_barriers)
{
    unsigned n = 0;

    *has_barriers = false;
    if (!cc->whole_warps || (cc->n_threads == 0 && cc->block[1] != 1) || cc->n_lanes == 1 ||
        cc->opt->opt_level == 0 || ls_variables_are_described(cc, program))
        return false;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(program); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            if (++n > MAX_INSTRUCTIONS || LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAAllocaInst(i) ||
                (LLVMIsAFenceInst(i) && !ls_ir_is_fence_of_block(i)) ||
                (LLVMIsACallInst(i) && !ls_ir_is_lane(i) && ls_ir_is_convergent(i) &&
                 !stays_in_block(i)))
                return false;
            *has_barriers |= ls_ir_is_barrier(i);
        }
    return !*has_barriers || cc->n_threads;
}

/* Whether a value depends on which lane has it. */
static bool
follows_lane(LLVMValueRef v, unsigned depth)
{
    if (ls_ir_is_lane(v))
        return true;
    for (int i = 0; LLVMIsAInstruction(v) && depth < MAX_DEPTH && i < LLVMGetNumOperands(v); i++)
        if (follows_lane(LLVMGetOperand(v, (unsigned)i), depth + 1))
            return true;
    return false;
}

static bool
is_in_address(LLVMValueRef v, unsigned depth)
{
    for (LLVMUseRef u = LLVMGetFirstUse(v); u && depth < MAX_DEPTH; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);

        if (LLVMIsAGetElementPtrInst(user) ||
            ((LLVMIsABinaryOperator(user) || LLVMIsACastInst(user)) &&
             is_in_address(user, depth + 1)))
            return true;
    }
    return false;
}

/* Whether neighbouring threads of a row access memory far from each other, as the columns of a
 * matrix. */
static bool
goes_across(LLVMValueRef program)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(program); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            bool lanes[2];

            if (!LLVMIsAInstruction(i) || LLVMGetInstructionOpcode(i) != LLVMMul)
                continue;
            for (unsigned k = 0; k < 2; k++)
                lanes[k] = follows_lane(LLVMGetOperand(i, k), 0);
            if (((lanes[0] && !LLVMIsConstant(LLVMGetOperand(i, 1))) ||
                 (lanes[1] && !LLVMIsConstant(LLVMGetOperand(i, 0)))) &&
                is_in_address(i, 0))
                return true;
        }
    return false;
}

/* A block of several rows is walked row by row, with its neighbours: as memory lies. Where a thread
 * has loops, or threads go along columns, what a block touches again and again is better kept
 * together. */
static unsigned
warps_in_row(struct ls_cc *cc, LLVMValueRef program)
{
    unsigned width = cc->block[0];

    if (cc->n_threads == 0 || width == cc->n_threads ||
        (width > cc->n_lanes && width % cc->n_lanes) ||
        ls_cfg_build(cc->arena, program)->n_loops > 0 ||
        (width >= cc->n_lanes && goes_across(program)))
        return cc->n_warps;
    return width > cc->n_lanes ? width / cc->n_lanes : 1;
}

void
ls_guards_find(struct ls_cc *cc, LLVMValueRef program)
{
    struct finder f = {.cc = cc, .program = program};
    bool has_barriers;

    if (!may_be_whole(cc, program, &has_barriers) ||
        (has_barriers && ls_cfg_build(cc->arena, program)->n_loops > 0)) /* not straight code */
        return;
    f.guards = ls_arena_alloc(cc->arena, sizeof(*f.guards));
    f.guards->has_barriers = has_barriers;
    f.guards->row_warps = has_barriers ? cc->n_warps : warps_in_row(cc, program);
    f.b = LLVMCreateBuilderInContext(cc->llvm);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(program); bb;
         bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef term = LLVMGetBasicBlockTerminator(bb);
        int way;

        if (!LLVMIsABranchInst(term) || !LLVMIsConditional(term))
            continue;
        way = busy_way(&f, term);
        if (way >= 0)
            note_condition(&f, LLVMGetCondition(term), way == 0, 8);
    }
    note_loops(&f, ls_cfg_build(cc->arena, program));
    LLVMDisposeBuilder(f.b);
    cc->guards = f.guards;
}

void
ls_guards_settle(struct ls_cc *cc, LLVMValueRef fn, bool whole)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(cc->llvm);
    LLVMValueRef ctx = LLVMGetParam(fn, 0);

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!LLVMIsALoadInst(i) || !reads_whole(i, ctx))
                continue;
            LLVMReplaceAllUsesWith(i, LLVMConstInt(i32, whole, false));
            LLVMInstructionEraseFromParent(i);
        }
    }
}
