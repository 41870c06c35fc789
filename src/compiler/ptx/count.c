/* SPDX-License-Identifier: MIT */
/* Loops by a step that is not known, `for (i = first; i < end; i += step)`. One of a single block
 * gets iterations of four in front of it, that run while the fourth is in front of the end; what
 * is left the loop does. Of longer ones a division in front says how often they run: LLVM would
 * have that number only where it can show that i does not come to its type's end, which C++
 * forbids. */
#include <stdio.h>

#include "compiler/ir/ir.h"
#include "ptx/ptx_priv.h"

/* Such a loop, when it has begun. */
struct walk {
    LLVMValueRef latch, phi, first, step, end;
    LLVMBasicBlockRef header, from; /* where it comes from at first */
};

/* Whether a loop does nothing that others could wait for: in C++ it may be taken to end. */
static bool
must_end(struct ls_cc *cc, const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    static const char attribute[] = "mustprogress";
    LLVMValueRef latch = cfg->blocks[loop->latch].term;
    LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(latch));

    if (!ls_ir_loop_says(cc, latch, "llvm.loop.mustprogress") &&
        !LLVMGetEnumAttributeAtIndex(
            fn, LLVMAttributeFunctionIndex,
            LLVMGetEnumAttributeKindForName(attribute, sizeof(attribute) - 1)))
        return false;
    for (unsigned b = loop->header; b < loop->end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].bb); i && ls_loop_has(loop, b);
             i = LLVMGetNextInstruction(i))
            if (LLVMIsAFenceInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ||
                ((LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) &&
                 (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)))
                return false;
    return true;
}

static bool
is_outside(const struct ls_cfg *cfg, const struct ls_loop *loop, LLVMValueRef v)
{
    return !LLVMIsAInstruction(v) ||
           !ls_loop_has(loop, ls_cfg_number(cfg, LLVMGetInstructionParent(v)));
}

/* Whether the loop goes on while `next`, which grows by a step, is less than an end. */
static bool
is_walk(const struct ls_cfg *cfg, const struct ls_loop *loop, LLVMValueRef next, struct walk *w)
{
    LLVMValueRef cond = LLVMGetCondition(w->latch);
    LLVMIntPredicate goes_on = LLVMGetICmpPredicate(cond);
    bool is_left = LLVMGetOperand(cond, 0) == next;

    if (LLVMGetSuccessor(w->latch, 0) != w->header)
        goes_on = ls_ir_opposite(goes_on);
    if (goes_on != (is_left ? LLVMIntSLT : LLVMIntSGT) || !LLVMIsABinaryOperator(next) ||
        LLVMGetInstructionOpcode(next) != LLVMAdd || !LLVMGetNSW(next) ||
        LLVMGetIntTypeWidth(LLVMTypeOf(next)) > 32)
        return false;
    w->phi = LLVMGetOperand(next, 0);
    w->step = LLVMGetOperand(next, 1);
    w->end = LLVMGetOperand(cond, is_left);
    if (!LLVMIsAPHINode(w->phi) || LLVMGetInstructionParent(w->phi) != w->header ||
        LLVMCountIncoming(w->phi) != 2 || !is_outside(cfg, loop, w->step) ||
        !is_outside(cfg, loop, w->end))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        if (LLVMGetIncomingBlock(w->phi, k) == cfg->blocks[loop->latch].bb)
            continue;
        w->first = LLVMGetIncomingValue(w->phi, k);
        w->from = LLVMGetIncomingBlock(w->phi, k);
    }
    return w->from && ls_ir_incoming(w->phi, cfg->blocks[loop->latch].bb) == next;
}

/* How often the loop runs: once, and as often as the step fits in front of the end. A step that is
 * not positive would only be legal where it runs once. */
static LLVMValueRef
trips(LLVMBuilderRef b, const struct walk *w)
{
    LLVMTypeRef type = LLVMTypeOf(w->phi);
    LLVMValueRef one = LLVMConstInt(type, 1, false), room, step, more;

    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(w->from));
    room = LLVMBuildSub(b, LLVMBuildSub(b, w->end, w->first, ""), one, "");
    step = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSGT, w->step, LLVMConstNull(type), ""),
                           w->step, one, "");
    more = LLVMBuildUDiv(b, room, step, "");
    more = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSGT, w->end, w->first, ""), more,
                           LLVMConstNull(type), "");
    return LLVMBuildAdd(b, more, one, "trips");
}

/* ---- Iterations of four ---- */

enum { COPIES = 4 };

struct four {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    const struct walk *w;
    LLVMBasicBlockRef guard, group, out, exit; /* out: behind the last of four */
    LLVMValueRef next;                         /* what the loop counts by, behind an iteration */
    struct ls_ptrmap now;                      /* value of the loop -> what it is in this copy */
    struct ls_ptrmap last; /* PHI node of the loop -> what it is in the last copy */
};

static LLVMValueRef
now(const struct four *f, LLVMValueRef v)
{
    LLVMValueRef known = ls_ptrmap_get(&f->now, v);

    return known ? known : v;
}

/* Whether values of the loop are used outside only by the block behind it, in PHI nodes. */
static bool
leaves_by_phis(LLVMBasicBlockRef header, LLVMBasicBlockRef exit)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(header); i; i = LLVMGetNextInstruction(i))
        for (LLVMUseRef u = LLVMGetFirstUse(i); u; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            LLVMBasicBlockRef at = LLVMGetInstructionParent(user);

            if (at != header && !(at == exit && LLVMIsAPHINode(user)))
                return false;
        }
    return true;
}

/* What i must be less than for a fourth iteration: the end less three steps; the least number where
 * that is less, and where the step leads nowhere. */
static LLVMValueRef
limit(struct four *f)
{
    LLVMTypeRef type = LLVMTypeOf(f->w->phi), wide = LLVMInt64TypeInContext(f->cc->llvm);
    unsigned bits = LLVMGetIntTypeWidth(type);
    LLVMValueRef least =
        LLVMConstInt(wide, (uint64_t)INT64_MIN >> (64 - bits) | ~0ull << (bits - 1), false);
    LLVMValueRef step = LLVMBuildSExt(f->b, f->w->step, wide, ""), at;

    at =
        LLVMBuildNSWSub(f->b, LLVMBuildSExt(f->b, f->w->end, wide, ""),
                        LLVMBuildNSWMul(f->b, step, LLVMConstInt(wide, COPIES - 1, false), ""), "");
    at = LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntSGT, at, least, ""), at, least, "");
    at = LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntSGT, f->w->step, LLVMConstNull(type), ""),
                         LLVMBuildTrunc(f->b, at, type, ""), LLVMBuildTrunc(f->b, least, type, ""),
                         "limit");
    return at;
}

static void
copy_body(struct four *f, unsigned copy)
{
    LLVMValueRef next[64];
    unsigned n = 0;

    for (LLVMValueRef i = LLVMGetFirstInstruction(f->w->header); i != f->w->latch;
         i = LLVMGetNextInstruction(i)) {
        char name[96];
        size_t length;
        LLVMValueRef made;

        if (LLVMIsAPHINode(i))
            continue;
        made = LLVMInstructionClone(i);
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(made); k++)
            LLVMSetOperand(made, k, now(f, LLVMGetOperand(made, k)));
        snprintf(name, sizeof(name), "%s.%u", LLVMGetValueName2(i, &length), copy);
        if (length && LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
            LLVMInsertIntoBuilderWithName(f->b, made, name);
        else
            LLVMInsertIntoBuilder(f->b, made);
        ls_ptrmap_set(&f->now, i, made);
    }
    for (LLVMValueRef i = LLVMGetFirstInstruction(f->w->header); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i))
        ls_ptrmap_set(&f->last, i, now(f, i));
    for (LLVMValueRef i = LLVMGetFirstInstruction(f->w->header); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i))
        next[n++] = now(f, ls_ir_incoming(i, f->w->header));
    n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(f->w->header); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i))
        ls_ptrmap_set(&f->now, i, next[n++]);
}

/* The loop comes from the guard and from the last of four, where it came from in front of it. */
static void
enter_from(struct four *f, LLVMValueRef phi)
{
    LLVMBasicBlockRef from[3] = {f->guard, f->out, f->w->header};
    LLVMValueRef in[3] = {ls_ir_incoming(phi, f->w->from), now(f, phi),
                          ls_ir_incoming(phi, f->w->header)},
                 made;

    LLVMPositionBuilderBefore(f->b, phi);
    made = LLVMBuildPhi(f->b, LLVMTypeOf(phi), "");
    in[2] = in[2] == phi ? made : in[2];
    LLVMAddIncoming(made, in, from, 3);
    LLVMReplaceAllUsesWith(phi, made);
    LLVMInstructionEraseFromParent(phi);
}

/* Room of COPIES iterations in front of the loop; w->latch goes on while `next` is less. */
static void
build_four(struct four *f)
{
    const struct walk *w = f->w;
    LLVMValueRef most, entry, again, term = LLVMGetBasicBlockTerminator(w->from), group_phi[64];
    unsigned n = 0;

    LLVMPositionBuilderAtEnd(f->b, f->guard);
    most = limit(f);
    entry = LLVMBuildICmp(f->b, LLVMIntSLT, w->first, most, "");
    LLVMBuildCondBr(f->b, entry, f->group, w->header);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(term); k++)
        if (LLVMGetSuccessor(term, k) == w->header)
            LLVMSetSuccessor(term, k, f->guard);

    LLVMPositionBuilderAtEnd(f->b, f->group);
    for (LLVMValueRef i = LLVMGetFirstInstruction(w->header); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i)) {
        LLVMValueRef phi = LLVMBuildPhi(f->b, LLVMTypeOf(i), ""), in = ls_ir_incoming(i, w->from);

        LLVMAddIncoming(phi, &in, &f->guard, 1);
        ls_ptrmap_set(&f->now, i, phi);
        group_phi[n++] = phi;
    }
    for (unsigned k = 0; k < COPIES; k++)
        copy_body(f, k);
    n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(w->header); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i)) {
        LLVMValueRef in = now(f, i);

        LLVMAddIncoming(group_phi[n++], &in, &f->group, 1);
    }
    again = LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, now(f, f->next), most, ""),
                            f->group, f->out);
    ls_ir_add_loop_word(f->cc, again, "llvm.loop.unroll.disable", 0);

    LLVMPositionBuilderAtEnd(f->b, f->out);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, now(f, f->next), w->end, ""), w->header,
                    f->exit);
    for (LLVMValueRef i = LLVMGetFirstInstruction(f->exit); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i)) {
        LLVMValueRef v = ls_ir_incoming(i, w->header), in = ls_ptrmap_get(&f->last, v);

        in = in ? in : now(f, v);
        LLVMAddIncoming(i, &in, &f->out, 1);
    }
}

bool
ls_ptx_take_four(struct ls_cc *cc, const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    struct walk w = {.latch = cfg->blocks[loop->latch].term,
                     .header = cfg->blocks[loop->header].bb};
    LLVMValueRef cond = LLVMGetCondition(w.latch), fn, phi, after;
    struct four f = {.cc = cc, .w = &w};
    unsigned n = 0;

    if (loop->latch != loop->header || !LLVMIsAICmpInst(cond))
        return false;
    for (unsigned k = 0; k < 2 && !w.from; k++) {
        f.next = LLVMGetOperand(cond, k);
        if (!is_walk(cfg, loop, f.next, &w))
            w.from = NULL;
    }
    f.exit = LLVMGetSuccessor(w.latch, LLVMGetSuccessor(w.latch, 0) == w.header);
    for (phi = LLVMGetFirstInstruction(w.header); LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi))
        n += LLVMCountIncoming(phi) == 2 ? 1 : 64;
    if (!w.from || n > 64 || f.exit == w.header || !leaves_by_phis(w.header, f.exit) ||
        !LLVMIsABranchInst(LLVMGetBasicBlockTerminator(w.from)))
        return false;
    fn = LLVMGetBasicBlockParent(w.header);
    f.guard = LLVMAppendBasicBlockInContext(cc->llvm, fn, "");
    f.group = LLVMAppendBasicBlockInContext(cc->llvm, fn, "");
    f.out = LLVMAppendBasicBlockInContext(cc->llvm, fn, "");
    f.b = LLVMCreateBuilderInContext(cc->llvm);
    ls_ptrmap_init(&f.now, cc->arena);
    ls_ptrmap_init(&f.last, cc->arena);
    build_four(&f);
    for (phi = LLVMGetFirstInstruction(w.header); n-- > 0; phi = after) {
        after = LLVMGetNextInstruction(phi);
        enter_from(&f, phi);
    }
    LLVMDisposeBuilder(f.b);
    return true;
}

/* ---- A number of iterations ---- */

bool
ls_ptx_count(struct ls_cc *cc, const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    struct walk w = {.latch = cfg->blocks[loop->latch].term,
                     .header = cfg->blocks[loop->header].bb};
    LLVMValueRef cond = LLVMGetCondition(w.latch), left, phi, in[2];
    LLVMBasicBlockRef from[2];
    LLVMBuilderRef b;

    if (!LLVMIsAICmpInst(cond) || (!is_walk(cfg, loop, LLVMGetOperand(cond, 0), &w) &&
                                   !is_walk(cfg, loop, LLVMGetOperand(cond, 1), &w)))
        return false;
    if (!must_end(cc, cfg, loop))
        return false;
    b = LLVMCreateBuilderInContext(cc->llvm);
    in[0] = trips(b, &w);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(w.header));
    phi = LLVMBuildPhi(b, LLVMTypeOf(w.phi), "left");
    LLVMPositionBuilderBefore(b, w.latch);
    left = in[1] = LLVMBuildSub(b, phi, LLVMConstInt(LLVMTypeOf(phi), 1, false), "");
    from[0] = w.from;
    from[1] = cfg->blocks[loop->latch].bb;
    LLVMAddIncoming(phi, in, from, 2);
    LLVMSetCondition(
        w.latch, LLVMBuildICmp(b, LLVMGetSuccessor(w.latch, 0) == w.header ? LLVMIntNE : LLVMIntEQ,
                               left, LLVMConstNull(LLVMTypeOf(phi)), ""));
    if (!LLVMGetFirstUse(cond))
        LLVMInstructionEraseFromParent(cond);
    LLVMDisposeBuilder(b);
    return true;
}
