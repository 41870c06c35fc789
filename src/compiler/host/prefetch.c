/* SPDX-License-Identifier: MIT */
/* Prefetches for loops over tiles. A processor foresees addresses that follow each other closely,
 * not the next tile of a matrix whose rows are as long as an argument says: a long loop would wait
 * for memory at its beginning, and compute later. So where such a loop loads a vector, the line
 * that it will load an iteration later is asked for, into the second cache, as lines of one column
 * would drive each other out of the first. Nothing is loaded: an address behind the end does no
 * harm. */
#include "host/host.h"

#include "compiler/analysis/address.h"
#include "compiler/analysis/cfg.h"
#include "compiler/ir/ir.h"

enum {
    LINE = 64,
    NEAR_BYTES = 2048, /* the processor foresees such steps by itself */
    LEAST_BYTES = 16,  /* of a load */
    LONG_BODY = 200,   /* instructions; of a shorter one the processor sees the next turn anyway */
    MAX_STEPS = 60,    /* of an address's expression */
    MAX_PREFETCHES = 64, /* in a function */
    MOST_SHORT = 64,     /* turns of a short loop */
};

struct prefetcher {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    const struct ls_cfg *cfg;
    const struct ls_loop *loop; /* whose next turn is meant */
    unsigned n_steps, n_made;
    bool refused;
    LLVMValueRef begin; /* of the block at hand: its prefetches come in front of it */
    struct asked {
        const struct ls_loop *loop;
        struct ls_address at; /* what the turn at hand loads there */
    } asked[MAX_PREFETCHES];  /* in this block */
    unsigned n_asked;
};

/* How much more an expression is in the loop's next turn. */
struct step {
    bool fixed; /* by so much, as far as nothing wraps; else it is not known */
    int64_t by;
};

static const struct ls_loop *
loop_of(const struct prefetcher *p, LLVMValueRef v)
{
    unsigned n =
        LLVMIsAInstruction(v) ? ls_cfg_number(p->cfg, LLVMGetInstructionParent(v)) : LS_NO_BLOCK;

    return n == LS_NO_BLOCK ? NULL : p->cfg->blocks[n].loop;
}

static bool
is_inside(const struct prefetcher *p, LLVMValueRef v)
{
    const struct ls_loop *l = loop_of(p, v);

    while (l && l != p->loop)
        l = l->parent;
    return l != NULL;
}

static bool
is_header_phi(const struct prefetcher *p, LLVMValueRef v, const struct ls_loop *loop)
{
    return loop && LLVMIsAPHINode(v) &&
           LLVMGetInstructionParent(v) == p->cfg->blocks[loop->header].bb;
}

/* What a phi of the loop's header is in the next turn. */
static LLVMValueRef
next_of_phi(const struct prefetcher *p, LLVMValueRef phi)
{
    LLVMBasicBlockRef latch = p->cfg->blocks[p->loop->latch].bb;

    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == latch)
            return LLVMGetIncomingValue(phi, i);
    return NULL;
}

static bool
constant_of(LLVMValueRef v, int64_t *value)
{
    if (!LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
        return false;
    *value = LLVMConstIntGetSExtValue(v);
    return true;
}

static struct step step_of(struct prefetcher *p, LLVMValueRef v);

static struct step
step_of_phi(struct prefetcher *p, LLVMValueRef phi)
{
    LLVMValueRef next = next_of_phi(p, phi);
    struct step s = {false, 0};

    if (next && LLVMIsAInstruction(next) && LLVMGetInstructionOpcode(next) == LLVMAdd &&
        LLVMGetOperand(next, 0) == phi)
        s.fixed = constant_of(LLVMGetOperand(next, 1), &s.by);
    return s;
}

static struct step
step_of_gep(struct prefetcher *p, LLVMValueRef gep)
{
    struct step base = step_of(p, LLVMGetOperand(gep, 0)), index;
    unsigned long long bytes;

    if (LLVMGetNumOperands(gep) != 2) {
        p->refused = true;
        return base;
    }
    bytes = LLVMABISizeOfType(p->cc->device.layout, LLVMGetGEPSourceElementType(gep));
    index = step_of(p, LLVMGetOperand(gep, 1));
    return (struct step){base.fixed && index.fixed, base.by + index.by * (int64_t)bytes};
}

/* Refuses what is no sum of products, or of parts of what stays. */
static struct step
step_of(struct prefetcher *p, LLVMValueRef v)
{
    struct step a, b = {true, 0};
    int64_t k;

    if (!is_inside(p, v))
        return b;
    if (is_header_phi(p, v, p->loop))
        return step_of_phi(p, v);
    if (is_header_phi(p, v, loop_of(p, v)))
        return b; /* of a loop within: the same there */
    if (++p->n_steps > MAX_STEPS || LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind) {
        p->refused = true;
        return b;
    }
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
        return step_of(p, LLVMGetOperand(v, 0));
    case LLVMGetElementPtr:
        return step_of_gep(p, v);
    case LLVMAdd:
    case LLVMOr:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMAnd:
    case LLVMXor:
    case LLVMLShr:
    case LLVMAShr:
        break;
    default:
        p->refused = true;
        return b;
    }
    a = step_of(p, LLVMGetOperand(v, 0));
    b = step_of(p, LLVMGetOperand(v, 1));
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMMul:
    case LLVMShl:
        if (a.fixed && a.by == 0 && b.fixed && b.by == 0)
            return a;
        if (!a.fixed || !constant_of(LLVMGetOperand(v, 1), &k) || k < 0 || k > 1 << 20)
            return (struct step){false, 0};
        if (LLVMGetInstructionOpcode(v) == LLVMShl)
            k = k < 32 ? (int64_t)1 << k : 0;
        return (struct step){k > 0, a.by * k};
    case LLVMSub:
        return (struct step){a.fixed && b.fixed, a.by - b.by};
    case LLVMAnd:
    case LLVMXor:
    case LLVMLShr:
    case LLVMAShr: /* parts of what is the same in each turn, such as a row out of an index */
        p->refused |= !a.fixed || a.by || !b.fixed || b.by;
        return a;
    default:
        return (struct step){a.fixed && b.fixed, a.by + b.by};
    }
}

/* Builds the expression as it is in this turn, or in the next one. None of its promises are kept:
 * the next turn may not come. NULL: it cannot be built here. */
static LLVMValueRef
build(struct prefetcher *p, LLVMValueRef v, bool next)
{
    LLVMValueRef a, b;

    if (!is_inside(p, v))
        return v;
    if (is_header_phi(p, v, p->loop)) {
        LLVMValueRef then = next ? next_of_phi(p, v) : v;

        return next && then ? build(p, then, false) : then;
    }
    if (is_header_phi(p, v, loop_of(p, v)))
        return next ? v : NULL;
    if (++p->n_steps > MAX_STEPS || LLVMIsAPHINode(v) || LLVMGetNumOperands(v) == 0)
        return NULL;
    a = build(p, LLVMGetOperand(v, 0), next);
    if (!a)
        return NULL;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMSExt:
        return LLVMBuildSExt(p->b, a, LLVMTypeOf(v), "");
    case LLVMZExt:
        return LLVMBuildZExt(p->b, a, LLVMTypeOf(v), "");
    case LLVMTrunc:
        return LLVMBuildTrunc(p->b, a, LLVMTypeOf(v), "");
    case LLVMGetElementPtr:
    case LLVMAdd:
    case LLVMOr:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMAnd:
    case LLVMXor:
    case LLVMLShr:
    case LLVMAShr:
        b = LLVMGetNumOperands(v) == 2 ? build(p, LLVMGetOperand(v, 1), next) : NULL;
        break;
    default:
        return NULL;
    }
    if (!b)
        return NULL;
    if (LLVMGetInstructionOpcode(v) == LLVMGetElementPtr)
        return LLVMBuildGEP2(p->b, LLVMGetGEPSourceElementType(v), a, &b, 1, "");
    return LLVMBuildBinOp(p->b, LLVMGetInstructionOpcode(v), a, b, "");
}

/* Whether the line that is `offset` behind an address is asked for already, by a load of half a
 * line more or less, or by one in front of it and one behind it. */
static bool
is_asked(const struct prefetcher *p, const struct ls_address *at, int64_t offset)
{
    bool before = false, behind = false;

    for (unsigned i = 0; i < p->n_asked; i++) {
        int64_t bytes;

        if (p->asked[i].loop != p->loop || !ls_address_distance(at, &p->asked[i].at, &bytes))
            continue;
        bytes -= offset;
        before |= bytes <= 0 && bytes > -LINE;
        behind |= bytes >= 0 && bytes < LINE;
        if ((before && behind) || (bytes > -LINE / 2 && bytes < LINE / 2))
            return true;
    }
    return false;
}

/* Asks for what `load` will load in the loop's next turn; false: its address cannot be told. */
static bool
prefetch(struct prefetcher *p, LLVMValueRef load, unsigned long long bytes)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(p->cc->llvm, 0);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(p->cc->llvm);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(p->cc->llvm);
    LLVMTypeRef params[4] = {ptr, i32, i32, i32};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(p->cc->llvm), params, 4, false);
    LLVMValueRef fn = ls_ir_declare(p->cc, "llvm.prefetch.p0", type, false), at;
    struct ls_address now;
    bool is_read =
        ls_address_read(LLVMGetModuleDataLayout(p->cc->mod), LLVMGetOperand(load, 0), &now);

    LLVMPositionBuilderBefore(p->b, p->begin);
    p->n_steps = 0;
    at = build(p, LLVMGetOperand(load, 0), true);
    if (!at)
        return false;
    for (unsigned long long offset = 0; offset < bytes; offset += LINE) {
        if (is_read && is_asked(p, &now, (int64_t)offset))
            continue;
        LLVMValueRef index = LLVMConstInt(i32, offset, false);
        LLVMValueRef args[4] = {LLVMBuildGEP2(p->b, i8, at, &index, 1, ""),
                                LLVMConstInt(i32, 0, false),  /* to read it, */
                                LLVMConstInt(i32, 2, false),  /* into the second cache, */
                                LLVMConstInt(i32, 1, false)}; /* of data */

        LLVMBuildCall2(p->b, type, fn, args, 4, "");
        p->n_made++;
        if (is_read && p->n_asked < MAX_PREFETCHES) {
            p->asked[p->n_asked] = (struct asked){p->loop, now};
            p->asked[p->n_asked++].at.bytes += (int64_t)offset;
        }
    }
    return true;
}

static unsigned
length(const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    unsigned n = 0;

    for (unsigned i = loop->header; i < loop->end && n < LONG_BODY; i++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(cfg->blocks[i].bb); v && n < LONG_BODY;
             v = LLVMGetNextInstruction(v))
            n++;
    return n;
}

/* Whether a loop has few turns, whose number is known, such as one over a block's warps: each is
 * over before a line comes that the turn before asked for. */
static bool
is_short(const struct prefetcher *p, const struct ls_loop *loop)
{
    const struct ls_cfg_block *latch = &p->cfg->blocks[loop->latch];
    LLVMValueRef test;
    int64_t last;

    if (latch->n_succs != 2 ||
        (ls_loop_has(loop, latch->succs[0]) && ls_loop_has(loop, latch->succs[1])))
        return false;
    test = LLVMGetCondition(latch->term);
    return LLVMIsAICmpInst(test) && is_inside(p, LLVMGetOperand(test, 0)) &&
           constant_of(LLVMGetOperand(test, 1), &last) && last >= 0 && last <= MOST_SHORT;
}

static bool
is_near(struct step s, int64_t bytes)
{
    return s.fixed && s.by < bytes && s.by > -bytes;
}

/* Finds the loop in whose next turn an address is far from today's. If that is a short one,
 * `short_one`, it is the loop around it, where the address is far there, too, or on another line:
 * the turns of the short one are more rows than the processor follows. */
static const struct ls_loop *
find_loop(struct prefetcher *p, LLVMValueRef load, const struct ls_loop **short_one)
{
    *short_one = NULL;
    for (p->loop = loop_of(p, load); p->loop; p->loop = p->loop->parent) {
        struct step s;
        bool is_short_one;

        if (p->loop->latch == LS_NO_BLOCK)
            continue;
        is_short_one = is_short(p, p->loop);
        p->n_steps = 0;
        p->refused = false;
        s = step_of(p, LLVMGetOperand(load, 0));
        if (p->refused && is_short_one)
            continue;
        if (p->refused)
            return NULL;
        if (s.fixed && s.by == 0)
            continue;
        if (is_near(s, *short_one ? LINE : NEAR_BYTES) || length(p->cfg, p->loop) < LONG_BODY)
            return NULL;
        if (!is_short_one)
            return p->loop;
        *short_one = p->loop;
    }
    return NULL;
}

static void
look_at(struct prefetcher *p, LLVMValueRef load)
{
    unsigned long long bytes = LLVMABISizeOfType(p->cc->device.layout, LLVMTypeOf(load));
    const struct ls_loop *short_one;

    if (LLVMGetVolatile(load) || LLVMGetOrdering(load) != LLVMAtomicOrderingNotAtomic ||
        LLVMGetTypeKind(LLVMTypeOf(load)) != LLVMVectorTypeKind || bytes < LEAST_BYTES)
        return;
    p->loop = find_loop(p, load, &short_one);
    if (p->loop && prefetch(p, load, bytes))
        return;
    p->loop = short_one;
    if (p->loop)
        prefetch(p, load, bytes);
}

void
ls_host_prefetch(struct ls_cc *cc, LLVMValueRef fn)
{
    struct prefetcher p = {.cc = cc, .cfg = ls_cfg_build(cc->arena, fn)};

    if (p.cfg->n_loops == 0 || p.cfg->irreducible)
        return;
    p.b = LLVMCreateBuilderInContext(cc->llvm);
    for (unsigned i = 0; i < p.cfg->n_blocks; i++) {
        p.begin = ls_ir_after_phis(p.cfg->blocks[i].bb);
        p.n_asked = 0;
        for (LLVMValueRef v = p.begin; v; v = LLVMGetNextInstruction(v))
            if (LLVMIsALoadInst(v) && p.cfg->blocks[i].loop && p.n_made < MAX_PREFETCHES)
                look_at(&p, v);
    }
    LLVMDisposeBuilder(p.b);
}
