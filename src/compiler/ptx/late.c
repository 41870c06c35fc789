/* SPDX-License-Identifier: MIT */
/* Behind LLVM's passes: what its code generator would make longer code of than need be. */
#include <stdio.h>
#include <string.h>

#include "compiler/ir/ir.h"
#include "ptx/ptx_priv.h"

/* ---- copysign: two operations on bits are one instruction of the hardware ---- */

static bool
is_copysign(LLVMValueRef inst)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    return name && !strncmp(name, "llvm.copysign.f", 15);
}

static LLVMValueRef
copy_sign(LLVMBuilderRef b, LLVMValueRef inst)
{
    LLVMTypeRef type = LLVMTypeOf(inst);
    unsigned bits = LLVMGetTypeKind(type) == LLVMDoubleTypeKind  ? 64
                    : LLVMGetTypeKind(type) == LLVMFloatTypeKind ? 32
                                                                 : 16;
    LLVMTypeRef in = LLVMIntTypeInContext(LLVMGetTypeContext(type), bits);
    LLVMValueRef sign = LLVMConstInt(in, 1ull << (bits - 1), false), v[2];

    for (unsigned i = 0; i < 2; i++)
        v[i] = LLVMBuildBitCast(b, LLVMGetOperand(inst, i), in, "");
    v[0] = LLVMBuildAnd(b, v[0], LLVMConstNot(sign), "");
    v[1] = LLVMBuildAnd(b, v[1], sign, "");
    return LLVMBuildBitCast(b, LLVMBuildOr(b, v[0], v[1], ""), type, "");
}

/* ---- The larger of a number in memory and another, of floating-point numbers ----
 * NVIDIA's hardware has it for integers alone. The bits of numbers that are not negative grow with
 * them, and those of negative ones as they fall: one such operation does it, where LLVM would try
 * again and again. It is only done where the number in memory, which is read first, would change:
 * of many threads with one address few come so far. As under ROCm a NaN stays in memory, and
 * changes nothing there. */

static bool
is_float_extreme(LLVMValueRef inst)
{
    LLVMAtomicRMWBinOp op =
        LLVMIsAAtomicRMWInst(inst) ? LLVMGetAtomicRMWBinOp(inst) : LLVMAtomicRMWBinOpXchg;
    LLVMTypeKind kind;

    if (op != LLVMAtomicRMWBinOpFMax && op != LLVMAtomicRMWBinOpFMin)
        return false;
    kind = LLVMGetTypeKind(LLVMTypeOf(inst));
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static LLVMValueRef
float_extreme(struct ls_ptx *p, LLVMValueRef inst)
{
    static const char *const spaces[] = {"", ".global", "", ".shared"};
    LLVMValueRef at = LLVMGetOperand(inst, 0), v = LLVMGetOperand(inst, 1), args[3];
    bool wide = LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMDoubleTypeKind;
    bool max = LLVMGetAtomicRMWBinOp(inst) == LLVMAtomicRMWBinOpFMax;
    unsigned bits = wide ? 64 : 32, space = LLVMGetPointerAddressSpace(LLVMTypeOf(at));
    LLVMTypeRef in = LLVMIntTypeInContext(p->cc->llvm, bits);
    const char *where = spaces[space < 4 ? space : 0];
    char text[512];

    args[0] = at;
    args[1] = LLVMBuildBitCast(p->b, v, in, "");
    args[2] = v;
    snprintf(text, sizeof(text),
             "{ .reg .pred ls_more, ls_low; .reg .f%u ls_there; ld.relaxed.gpu%s.b%u $0, [$1]; "
             "mov.b%u ls_there, $0; setp.%s.f%u ls_more, $3, ls_there; "
             "setp.lt.and.s%u ls_low, $2, 0, ls_more; @ls_low atom%s.%s.u%u $0, [$1], $2; "
             "setp.ge.and.s%u ls_more, $2, 0, ls_more; @ls_more atom%s.%s.s%u $0, [$1], $2; }",
             bits, where, bits, bits, max ? "gt" : "lt", bits, bits, where, max ? "min" : "max",
             bits, bits, where, max ? "max" : "min", bits);
    v = ls_ptx_asm(p, in, text, wide ? "=&l,l,l,d,~{memory}" : "=&r,l,r,f,~{memory}", args, 3,
                   true);
    return LLVMBuildBitCast(p->b, v, LLVMTypeOf(inst), "");
}

/* ---- Sums whose products lie in another block ----
 * LLVM makes one operation of a product and a sum only where both are in one block; a product that
 * sums in two blocks need is an operation of its own then, which the later one waits for. */

static bool
may_fuse(LLVMValueRef v, LLVMOpcode opcode)
{
    return LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == opcode &&
           (LLVMGetFastMathFlags(v) & LLVMFastMathAllowContract);
}

/* Whether a product is for sums alone, and so vanishes when each has become one operation. */
static bool
is_for_sums(LLVMValueRef product)
{
    for (LLVMUseRef use = LLVMGetFirstUse(product); use; use = LLVMGetNextUse(use))
        if (!may_fuse(LLVMGetUser(use), LLVMFAdd) && !may_fuse(LLVMGetUser(use), LLVMFSub))
            return false;
    return true;
}

/* The sum, or difference, as one operation; NULL: it is none of the kind. */
static LLVMValueRef
fuse(struct ls_ptx *p, LLVMValueRef sum)
{
    bool minus = may_fuse(sum, LLVMFSub);
    LLVMTypeKind kind;

    if (!minus && !may_fuse(sum, LLVMFAdd))
        return NULL;
    kind = LLVMGetTypeKind(LLVMTypeOf(sum));
    if (kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind)
        return NULL;
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef product = LLVMGetOperand(sum, i), args[3];

        if (!may_fuse(product, LLVMFMul) ||
            LLVMGetInstructionParent(product) == LLVMGetInstructionParent(sum) ||
            !is_for_sums(product))
            continue;
        args[0] = LLVMGetOperand(product, 0);
        args[1] = LLVMGetOperand(product, 1);
        args[2] = LLVMGetOperand(sum, 1 - i);
        if (minus) {
            unsigned negative = i == 0 ? 2 : 0;

            args[negative] = LLVMBuildFNeg(p->b, args[negative], "");
        }
        return ls_ptx_nvvm(
            p, kind == LLVMDoubleTypeKind ? "llvm.nvvm.fma.rn.d" : "llvm.nvvm.fma.rn.f", args, 3);
    }
    return NULL;
}

/* ---- `n += condition` in front of a branch by the condition ----
 * Behind the branch it is known: on one side n stays, on the other a constant is added. A loop that
 * counts until it is left spends three instructions on that otherwise. */

/* Where a use of the sum may lie. */
enum way { NO_WAY = -1, WAY_NO = 0, WAY_YES = 1, WAY_JOINED = 2 };

/* A block with two ways on. */
struct fork {
    LLVMBasicBlockRef block, yes, no;
    LLVMValueRef cond;
};

static bool
is_fork(LLVMBasicBlockRef bb, struct fork *f)
{
    LLVMValueRef term = LLVMGetBasicBlockTerminator(bb);

    if (!LLVMIsABranchInst(term) || !LLVMIsConditional(term))
        return false;
    *f = (struct fork){.block = bb,
                       .cond = LLVMGetCondition(term),
                       .yes = LLVMGetSuccessor(term, 0),
                       .no = LLVMGetSuccessor(term, 1)};
    return f->yes != f->no;
}

/* Whether one comparison is true where the other is false. */
static bool
is_opposite(LLVMValueRef a, LLVMValueRef b)
{
    if (LLVMGetOperand(a, 0) != LLVMGetOperand(b, 0) ||
        LLVMGetOperand(a, 1) != LLVMGetOperand(b, 1))
        return false;
    if (LLVMIsAFCmpInst(a)) /* the bits of a predicate: which outcomes it is true for */
        return (LLVMGetFCmpPredicate(a) ^ LLVMGetFCmpPredicate(b)) == LLVMRealPredicateTrue;
    return LLVMGetICmpPredicate(a) == ls_ir_opposite(LLVMGetICmpPredicate(b));
}

/* What the value is on one of the ways, 0 on the other: that of the branch's condition as a number;
 * 0: it is something else. */
static int
number_of(LLVMValueRef value, const struct fork *f, enum way *way)
{
    bool zext = LLVMIsAZExtInst(value) != NULL;
    LLVMValueRef cond = zext || LLVMIsASExtInst(value) ? LLVMGetOperand(value, 0) : NULL;
    bool both_f = cond && LLVMIsAFCmpInst(cond) && LLVMIsAFCmpInst(f->cond);
    bool both_i = cond && LLVMIsAICmpInst(cond) && LLVMIsAICmpInst(f->cond);

    *way = cond == f->cond ? WAY_YES : WAY_NO;
    return cond && (*way || ((both_f || both_i) && is_opposite(cond, f->cond))) ? (zext ? 1 : -1)
                                                                                : 0;
}

/* Whether a block is run only behind one side of the fork: that has no other way in. */
static bool
is_behind(const struct ls_cfg *cfg, LLVMBasicBlockRef side, LLVMBasicBlockRef bb)
{
    return cfg->blocks[ls_cfg_number(cfg, side)].n_preds == 1 &&
           ls_cfg_dominates(cfg, ls_cfg_number(cfg, side), ls_cfg_number(cfg, bb));
}

/* Whether the ways meet at the start of `join`, one of the fork's, and nobody else comes there. */
static bool
meet_at(const struct ls_cfg *cfg, const struct fork *f, LLVMBasicBlockRef join)
{
    const struct ls_cfg_block *blk = &cfg->blocks[ls_cfg_number(cfg, join)];
    LLVMBasicBlockRef other = join == f->yes ? f->no : f->yes;

    for (unsigned k = 0; k < blk->n_preds; k++)
        if (cfg->blocks[blk->preds[k]].bb != f->block &&
            !is_behind(cfg, other, cfg->blocks[blk->preds[k]].bb))
            return false;
    return blk->n_preds > 1;
}

/* Which way an operand of the sum's user is read on. A phi reads it where its way comes from. */
static enum way
way_of(const struct ls_cfg *cfg, const struct fork *f, LLVMValueRef user, unsigned operand)
{
    LLVMBasicBlockRef side[2] = {f->no, f->yes}, from = LLVMGetInstructionParent(user);

    if (LLVMIsAPHINode(user)) {
        LLVMBasicBlockRef at = from;

        from = LLVMGetIncomingBlock(user, operand);
        if (from == f->block)
            return at == f->yes ? WAY_YES : at == f->no ? WAY_NO : NO_WAY;
    }
    for (int w = 0; w < 2 && from != f->block; w++)
        if (is_behind(cfg, side[w], from))
            return w ? WAY_YES : WAY_NO;
    for (int w = 0; w < 2 && from != f->block; w++)
        if (meet_at(cfg, f, side[w]) &&
            ls_cfg_dominates(cfg, ls_cfg_number(cfg, side[w]), ls_cfg_number(cfg, from)))
            return WAY_JOINED;
    return NO_WAY;
}

/* What the sum is where the ways have met. */
static LLVMValueRef
join(LLVMBuilderRef b, const struct ls_cfg *cfg, const struct fork *f, LLVMValueRef base,
     LLVMValueRef added, enum way way)
{
    LLVMBasicBlockRef at = way == WAY_YES ? f->no : f->yes;
    const struct ls_cfg_block *blk = &cfg->blocks[ls_cfg_number(cfg, at)];
    LLVMValueRef phi;

    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(at));
    phi = LLVMBuildPhi(b, LLVMTypeOf(base), "");
    for (unsigned k = 0; k < blk->n_preds; k++) {
        LLVMBasicBlockRef from = cfg->blocks[blk->preds[k]].bb;

        LLVMAddIncoming(phi, from == f->block ? &base : &added, &from, 1);
    }
    return phi;
}

/* The way on which something is added must have a place for that: no other way in. */
static bool
decide(LLVMBuilderRef b, const struct ls_cfg *cfg, const struct fork *f, LLVMValueRef sum,
       LLVMValueRef base, int number_added, enum way way)
{
    LLVMBasicBlockRef place = way == WAY_YES ? f->yes : f->no;
    LLVMValueRef added, joined = NULL;
    LLVMUseRef use;

    if (cfg->blocks[ls_cfg_number(cfg, place)].n_preds != 1)
        return false;
    for (use = LLVMGetFirstUse(sum); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(user); i++)
            if (LLVMGetOperand(user, i) == sum && way_of(cfg, f, user, i) == NO_WAY)
                return false;
    }
    LLVMPositionBuilderBefore(b, ls_ir_after_phis(place));
    added = LLVMBuildAdd(b, base,
                         LLVMConstInt(LLVMTypeOf(sum), (uint64_t)(int64_t)number_added, true), "");
    while ((use = LLVMGetFirstUse(sum)) != NULL) {
        LLVMValueRef user = LLVMGetUser(use);

        for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(user); i++) {
            enum way of = LLVMGetOperand(user, i) == sum ? way_of(cfg, f, user, i) : NO_WAY;

            if (of == WAY_JOINED && !joined)
                joined = join(b, cfg, f, base, added, way);
            if (of != NO_WAY)
                LLVMSetOperand(user, i, of == WAY_JOINED ? joined : of == way ? added : base);
        }
    }
    return true;
}

static void
decide_sums(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef fn)
{
    const struct ls_cfg *cfg = ls_cfg_build(cc->arena, fn);

    for (unsigned n = 0; n < cfg->n_blocks; n++) {
        struct fork f;

        if (!is_fork(cfg->blocks[n].bb, &f))
            continue;
        for (LLVMValueRef i = LLVMGetFirstInstruction(f.block), next; i; i = next) {
            int by, side;
            enum way way;
            LLVMValueRef value;

            next = LLVMGetNextInstruction(i);
            if (!LLVMIsABinaryOperator(i) || LLVMGetInstructionOpcode(i) != LLVMAdd)
                continue;
            side = number_of(LLVMGetOperand(i, 0), &f, &way) ? 0 : 1;
            value = LLVMGetOperand(i, (unsigned)side);
            by = number_of(value, &f, &way);
            if (!by || !decide(b, cfg, &f, i, LLVMGetOperand(i, (unsigned)!side), by, way))
                continue;
            LLVMInstructionEraseFromParent(i);
            if (!LLVMGetFirstUse(value))
                LLVMInstructionEraseFromParent(value);
        }
    }
}

/* Takes the instruction away, and products that were for it alone. */
static void
erase(LLVMValueRef i)
{
    LLVMValueRef of[2] = {NULL, NULL};

    for (unsigned k = 0; k < 2 && LLVMIsABinaryOperator(i); k++)
        of[k] = LLVMGetOperand(i, k);
    LLVMInstructionEraseFromParent(i);
    for (unsigned k = 0; k < 2; k++)
        if (of[k] && may_fuse(of[k], LLVMFMul) && !LLVMGetFirstUse(of[k])) {
            LLVMInstructionEraseFromParent(of[k]);
            break; /* both may be the same */
        }
}

void
ls_ptx_shorten(struct ls_cc *cc)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);
    struct ls_ptx p = {.cc = cc, .b = b};

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        if (LLVMIsDeclaration(fn))
            continue;
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next, v; i; i = next) {
                next = LLVMGetNextInstruction(i);
                LLVMPositionBuilderBefore(b, i);
                if ((v = is_copysign(i)        ? copy_sign(b, i)
                         : is_float_extreme(i) ? float_extreme(&p, i)
                                               : fuse(&p, i)) == NULL &&
                    (v = ls_ptx_condition(&p, i)) == NULL)
                    continue;
                LLVMReplaceAllUsesWith(i, v);
                erase(i);
            }
        decide_sums(cc, b, fn);
    }
    LLVMDisposeBuilder(b);
}
