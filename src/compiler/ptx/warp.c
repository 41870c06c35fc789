/* SPDX-License-Identifier: MIT */
/* What the lanes of a warp tell each other. AMD's code counts on lock step: each operation names
 * the lanes that run it together (masks.c), and the hardware waits for them. */
#include "compiler/ir/ir.h"
#include "ptx/ptx_priv.h"

static LLVMValueRef
and_(struct ls_ptx *p, LLVMValueRef v, uint64_t mask)
{
    return LLVMBuildAnd(p->b, v, ls_ptx_int(p, mask), "");
}

LLVMValueRef
ls_ptx_lane(struct ls_ptx *p)
{
    if (p->cc->whole_rows) /* LLVM knows that it is a part of it */
        return and_(p, ls_ptx_nvvm(p, "llvm.nvvm.read.ptx.sreg.tid.x", NULL, 0), 31);
    return ls_ptx_nvvm(p, "llvm.nvvm.read.ptx.sreg.laneid", NULL, 0);
}

static bool
is_all(LLVMValueRef mask)
{
    return LLVMIsAConstantInt(mask) != NULL;
}

LLVMValueRef
ls_ptx_ballot(struct ls_ptx *p, LLVMValueRef condition)
{
    LLVMValueRef args[] = {ls_ptx_mask(p), condition};

    return ls_ptx_nvvm(p, "llvm.nvvm.vote.ballot.sync", args, 2);
}

static LLVMValueRef
shuffle_word(struct ls_ptx *p, LLVMValueRef word, LLVMValueRef lane, LLVMValueRef mask)
{
    LLVMValueRef args[] = {mask, word, lane, ls_ptx_int(p, 31)};

    return ls_ptx_nvvm(p, "llvm.nvvm.shfl.sync.idx.i32", args, 4);
}

static LLVMValueRef
shuffle_under(struct ls_ptx *p, LLVMValueRef value, LLVMValueRef lane, LLVMValueRef mask)
{
    LLVMTypeRef type = LLVMTypeOf(value), words;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(p->cc->mod);
    unsigned bits;
    LLVMValueRef v, all;

    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        v = LLVMBuildPtrToInt(p->b, value, p->i64, "");
        return LLVMBuildIntToPtr(p->b, shuffle_under(p, v, lane, mask), type, "");
    }
    bits = (unsigned)LLVMSizeOfTypeInBits(layout, type);
    if (bits == 32) {
        v = shuffle_word(p, LLVMBuildBitCast(p->b, value, p->i32, ""), lane, mask);
        return LLVMBuildBitCast(p->b, v, type, "");
    }
    if (bits % 32) {
        LLVMTypeRef whole = LLVMIntTypeInContext(p->cc->llvm, bits);
        LLVMTypeRef wide = LLVMIntTypeInContext(p->cc->llvm, (bits + 31) / 32 * 32);

        v = LLVMBuildZExt(p->b, LLVMBuildBitCast(p->b, value, whole, ""), wide, "");
        v = LLVMBuildTrunc(p->b, shuffle_under(p, v, lane, mask), whole, "");
        return LLVMBuildBitCast(p->b, v, type, "");
    }
    words = LLVMVectorType(p->i32, bits / 32);
    v = LLVMBuildBitCast(p->b, value, words, "");
    all = LLVMGetPoison(words);
    for (unsigned i = 0; i < bits / 32; i++) {
        LLVMValueRef word = LLVMBuildExtractElement(p->b, v, ls_ptx_int(p, i), "");

        word = shuffle_word(p, word, lane, mask);
        all = LLVMBuildInsertElement(p->b, all, word, ls_ptx_int(p, i), "");
    }
    return LLVMBuildBitCast(p->b, all, type, "");
}

LLVMValueRef
ls_ptx_shuffle(struct ls_ptx *p, LLVMValueRef value, LLVMValueRef lane)
{
    return shuffle_under(p, value, lane, ls_ptx_mask(p));
}

/* The same where not all lanes are there: from those that are not comes `otherwise`. */
static LLVMValueRef
shuffle_or(struct ls_ptx *p, LLVMValueRef value, LLVMValueRef lane, LLVMValueRef otherwise)
{
    LLVMValueRef mask = ls_ptx_mask(p), there, v = shuffle_under(p, value, lane, mask);

    if (is_all(mask))
        return v;
    there = LLVMBuildLShr(p->b, mask, and_(p, lane, 31), "");
    there = LLVMBuildTrunc(p->b, there, p->i1, "");
    return LLVMBuildSelect(p->b, there, v, otherwise, "");
}

static bool
const_argument(struct ls_ptx *p, LLVMValueRef call, unsigned i, unsigned *value)
{
    LLVMValueRef v = LLVMGetOperand(call, i);

    if (!LLVMIsAConstantInt(v))
        return ls_diag(p->cc, LS_DIAG_ERROR, call, "%s: argument %u is not a constant",
                       ls_ir_callee_name(call), i);
    *value = (unsigned)LLVMConstIntGetZExtValue(v);
    return true;
}

/* ---- Votes ---- */

/* Whether a ballot is only asked for being 0. */
static bool
is_tested(LLVMValueRef ballot)
{
    for (LLVMUseRef u = LLVMGetFirstUse(ballot); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        LLVMOpcode op = LLVMGetInstructionOpcode(user);

        if (op == LLVMZExt ? !is_tested(user)
                           : op != LLVMICmp || !LLVMIsNull(LLVMGetOperand(user, 1)) ||
                                 (LLVMGetICmpPredicate(user) != LLVMIntEQ &&
                                  LLVMGetICmpPredicate(user) != LLVMIntNE))
            return false;
    }
    return true;
}

LLVMValueRef
ls_ptx_vote(struct ls_ptx *p, LLVMValueRef call, long data)
{
    LLVMValueRef args[] = {NULL, LLVMGetOperand(call, 0)};

    (void)data;
    if (is_tested(call)) {
        args[0] = ls_ptx_mask(p);
        return LLVMBuildZExt(p->b, ls_ptx_nvvm(p, "llvm.nvvm.vote.any.sync", args, 2),
                             LLVMTypeOf(call), "");
    }
    return LLVMBuildIntCast2(p->b, ls_ptx_ballot(p, LLVMGetOperand(call, 0)), LLVMTypeOf(call),
                             false, "");
}

LLVMValueRef
ls_ptx_compare_vote(struct ls_ptx *p, LLVMValueRef call, long is_float)
{
    LLVMValueRef l = LLVMGetOperand(call, 0), r = LLVMGetOperand(call, 1), c;
    unsigned predicate;

    if (!const_argument(p, call, 2, &predicate))
        return NULL;
    c = is_float ? LLVMBuildFCmp(p->b, (LLVMRealPredicate)predicate, l, r, "")
                 : LLVMBuildICmp(p->b, (LLVMIntPredicate)predicate, l, r, "");
    return LLVMBuildIntCast2(p->b, ls_ptx_ballot(p, c), LLVMTypeOf(call), false, "");
}

LLVMValueRef
ls_ptx_inverse_ballot(struct ls_ptx *p, LLVMValueRef call, long data)
{
    LLVMValueRef mask = LLVMBuildIntCast2(p->b, LLVMGetOperand(call, 0), p->i32, false, "");

    (void)data;
    return LLVMBuildTrunc(p->b, LLVMBuildLShr(p->b, mask, ls_ptx_lane(p), ""), p->i1, "");
}

/* Of registers only exec is read: who is here. */
LLVMValueRef
ls_ptx_read_register(struct ls_ptx *p, LLVMValueRef call, long data)
{
    (void)data;
    return LLVMBuildIntCast2(p->b, ls_ptx_ballot(p, LLVMConstInt(p->i1, 1, false)),
                             LLVMTypeOf(call), false, "");
}

LLVMValueRef
ls_ptx_count_below(struct ls_ptx *p, LLVMValueRef call, long high)
{
    LLVMValueRef mask = LLVMGetOperand(call, 0), below;

    if (high)
        return LLVMGetOperand(call, 1);
    below = ls_ptx_nvvm(p, "llvm.nvvm.read.ptx.sreg.lanemask.lt", NULL, 0);
    below = LLVMBuildAnd(p->b, mask, below, "");
    below = ls_ptx_asm(p, p->i32, "popc.b32 $0, $1;", "=r,r", &below, 1, false);
    return LLVMBuildAdd(p->b, below, LLVMGetOperand(call, 1), "");
}

/* (counter, volatile): its value before all lanes that are here have moved it by one each. */
LLVMValueRef
ls_ptx_count_lanes(struct ls_ptx *p, LLVMValueRef call, long down)
{
    LLVMValueRef here = ls_ptx_ballot(p, LLVMConstInt(p->i1, 1, false)), first, counter, n, old;
    LLVMValueRef is_first;

    first = LLVMBuildAnd(p->b, here, LLVMBuildNeg(p->b, here, ""), "");
    first = ls_ptx_asm(p, p->i32, "bfind.u32 $0, $1;", "=r,r", &first, 1, false);
    n = ls_ptx_asm(p, p->i32, "popc.b32 $0, $1;", "=r,r", &here, 1, false);
    is_first = LLVMBuildICmp(p->b, LLVMIntEQ, first, ls_ptx_lane(p), "");
    /* the others move it by nothing */
    n = LLVMBuildSelect(p->b, is_first, n, ls_ptx_int(p, 0), "");
    counter = shuffle_under(p, LLVMGetOperand(call, 0), first, here);
    old = LLVMBuildAtomicRMW(p->b, down ? LLVMAtomicRMWBinOpSub : LLVMAtomicRMWBinOpAdd, counter, n,
                             LLVMAtomicOrderingMonotonic, false);
    return shuffle_under(p, old, first, here);
}

LLVMValueRef
ls_ptx_wave_reduce(struct ls_ptx *p, LLVMValueRef call, long most)
{
    LLVMValueRef args[] = {LLVMGetOperand(call, 0), ls_ptx_mask(p)};

    if (LLVMTypeOf(call) != p->i32)
        return ls_ptx_refuse(p, call, 0);
    return ls_ptx_asm(p, p->i32,
                      most ? "redux.sync.max.u32 $0, $1, $2;" : "redux.sync.min.u32 $0, $1, $2;",
                      "=r,r,r", args, 2, true);
}

/* ---- One lane's value ---- */

LLVMValueRef
ls_ptx_read_first_lane(struct ls_ptx *p, LLVMValueRef call, long data)
{
    LLVMValueRef mask = ls_ptx_mask(p), first = ls_ptx_int(p, 0);

    (void)data;
    if (!is_all(mask)) {
        first = LLVMBuildAnd(p->b, mask, LLVMBuildNeg(p->b, mask, ""), "");
        first = ls_ptx_asm(p, p->i32, "bfind.u32 $0, $1;", "=r,r", &first, 1, false);
    }
    return shuffle_under(p, LLVMGetOperand(call, 0), first, mask);
}

LLVMValueRef
ls_ptx_read_lane(struct ls_ptx *p, LLVMValueRef call, long data)
{
    (void)data;
    return ls_ptx_shuffle(p, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1));
}

/* (value, lane, what the others keep) */
LLVMValueRef
ls_ptx_write_lane(struct ls_ptx *p, LLVMValueRef call, long data)
{
    LLVMValueRef lane = and_(p, LLVMGetOperand(call, 1), 31);
    LLVMValueRef is_it = LLVMBuildICmp(p->b, LLVMIntEQ, lane, ls_ptx_lane(p), "");

    (void)data;
    return LLVMBuildSelect(p->b, is_it, LLVMGetOperand(call, 0), LLVMGetOperand(call, 2), "");
}

/* ---- Permutations ---- */

/* (4 * lane, value) */
LLVMValueRef
ls_ptx_pull(struct ls_ptx *p, LLVMValueRef call, long data)
{
    LLVMValueRef lane = LLVMBuildLShr(p->b, LLVMGetOperand(call, 0), ls_ptx_int(p, 2), "");
    LLVMValueRef value = LLVMGetOperand(call, 1);

    (void)data;
    return shuffle_or(p, value, lane, LLVMConstNull(LLVMTypeOf(value)));
}

/* (4 * lane, value): a lane gets what the highest of those has that send to it, or 0. Five votes,
 * one for each bit of the number, tell everybody who they are. */
LLVMValueRef
ls_ptx_push(struct ls_ptx *p, LLVMValueRef call, long data)
{
    LLVMValueRef to = LLVMBuildLShr(p->b, LLVMGetOperand(call, 0), ls_ptx_int(p, 2), "");
    LLVMValueRef value = LLVMGetOperand(call, 1), mask = ls_ptx_mask(p), lane = ls_ptx_lane(p);
    LLVMValueRef senders = ls_ptx_ballot(p, LLVMConstInt(p->i1, 1, false)), from, v;

    (void)data;
    for (unsigned bit = 0; bit < 5; bit++) {
        LLVMValueRef k = ls_ptx_int(p, bit), args[2], same;

        args[0] = mask;
        args[1] = LLVMBuildTrunc(p->b, LLVMBuildLShr(p->b, to, k, ""), p->i1, "");
        same = ls_ptx_nvvm(p, "llvm.nvvm.vote.ballot.sync", args, 2);
        same = LLVMBuildXor(
            p->b, same,
            LLVMBuildSub(p->b, and_(p, LLVMBuildLShr(p->b, lane, k, ""), 1), ls_ptx_int(p, 1), ""),
            "");
        senders = LLVMBuildAnd(p->b, senders, same, "");
    }
    from = ls_ptx_asm(p, p->i32, "bfind.u32 $0, $1;", "=r,r", &senders, 1, false);
    v = shuffle_under(p, value, and_(p, from, 31), mask);
    return LLVMBuildSelect(p->b, LLVMBuildICmp(p->b, LLVMIntNE, senders, ls_ptx_int(p, 0), ""), v,
                           LLVMConstNull(LLVMTypeOf(value)), "");
}

/* Each lane reads the lane in its group of four that two bits of the pattern say. */
static LLVMValueRef
quad_lane(struct ls_ptx *p, LLVMValueRef lane, unsigned pattern)
{
    LLVMValueRef shift = LLVMBuildShl(p->b, and_(p, lane, 3), ls_ptx_int(p, 1), "");
    LLVMValueRef pick = LLVMBuildLShr(p->b, ls_ptx_int(p, pattern), shift, "");

    return LLVMBuildOr(p->b, and_(p, lane, ~UINT32_C(3)), and_(p, pick, 3), "");
}

LLVMValueRef
ls_ptx_swizzle(struct ls_ptx *p, LLVMValueRef call, long data)
{
    LLVMValueRef value = LLVMGetOperand(call, 0), lane = ls_ptx_lane(p), from;
    unsigned offset;

    (void)data;
    if (!const_argument(p, call, 1, &offset))
        return NULL;
    offset &= 0xffff;
    if (offset >= 0xe000) {
        ls_diag(p->cc, LS_DIAG_ERROR, call, "ds_swizzle mode 0x%x is not supported", offset);
        return NULL;
    }
    if (offset >= 0xc000) { /* rotate within the lanes that the mask does not hold fixed */
        unsigned fixed = offset & 31, by = (offset >> 5) & 31;
        LLVMValueRef moved = offset & 0x400 ? LLVMBuildSub(p->b, lane, ls_ptx_int(p, by), "")
                                            : LLVMBuildAdd(p->b, lane, ls_ptx_int(p, by), "");

        from = LLVMBuildOr(p->b, and_(p, lane, fixed), and_(p, moved, 31 & ~fixed), "");
    } else if (offset & 0x8000) {
        from = quad_lane(p, lane, offset & 0xff);
    } else {
        from = LLVMBuildOr(p->b, and_(p, lane, offset & 31), ls_ptx_int(p, offset >> 5 & 31), "");
        from = LLVMBuildXor(p->b, from, ls_ptx_int(p, offset >> 10 & 31), "");
    }
    return shuffle_or(p, value, from, LLVMConstNull(LLVMTypeOf(value)));
}

/* ---- DPP: fixed patterns ---- */

/* The lane of the same row of 16 with this number in it; *there: whether it is one. */
static LLVMValueRef
row_lane(struct ls_ptx *p, LLVMValueRef lane, LLVMValueRef in_row, LLVMValueRef *there)
{
    *there = LLVMBuildICmp(p->b, LLVMIntULT, in_row, ls_ptx_int(p, 16), "");
    return LLVMBuildOr(p->b, and_(p, lane, 16), and_(p, in_row, 15), "");
}

/* The lane to read, and whether there is one; NULL: no such control. */
static LLVMValueRef
dpp_lane(struct ls_ptx *p, unsigned ctrl, LLVMValueRef lane, LLVMValueRef *there)
{
    LLVMValueRef in_row = and_(p, lane, 15), n = ls_ptx_int(p, ctrl & 15), one = ls_ptx_int(p, 1);

    *there = LLVMConstInt(p->i1, 1, false);
    if (ctrl <= 0xff)
        return quad_lane(p, lane, ctrl);
    switch (ctrl & ~15u) {
    case 0x100: /* row_shl */
        return ctrl & 15 ? row_lane(p, lane, LLVMBuildAdd(p->b, in_row, n, ""), there) : NULL;
    case 0x110: /* row_shr */
        return ctrl & 15 ? row_lane(p, lane, LLVMBuildSub(p->b, in_row, n, ""), there) : NULL;
    case 0x120: /* row_ror */
        return ctrl & 15 ? row_lane(p, lane, and_(p, LLVMBuildSub(p->b, in_row, n, ""), 15), there)
                         : NULL;
    case 0x150: /* row_share */
        return row_lane(p, lane, n, there);
    case 0x160: /* row_xmask */
        return row_lane(p, lane, LLVMBuildXor(p->b, in_row, n, ""), there);
    default:
        break;
    }
    switch (ctrl) {
    case 0x130: /* wave_shl */
        *there = LLVMBuildICmp(p->b, LLVMIntULT, lane, ls_ptx_int(p, 31), "");
        return LLVMBuildAdd(p->b, lane, one, "");
    case 0x134: /* wave_rol */
        return and_(p, LLVMBuildAdd(p->b, lane, one, ""), 31);
    case 0x138: /* wave_shr */
        *there = LLVMBuildICmp(p->b, LLVMIntNE, lane, ls_ptx_int(p, 0), "");
        return LLVMBuildSub(p->b, lane, one, "");
    case 0x13c: /* wave_ror */
        return and_(p, LLVMBuildSub(p->b, lane, one, ""), 31);
    case 0x140: /* row_mirror */
        return LLVMBuildXor(p->b, lane, ls_ptx_int(p, 15), "");
    case 0x141: /* row_half_mirror */
        return LLVMBuildXor(p->b, lane, ls_ptx_int(p, 7), "");
    case 0x142: /* row_bcast15 */
        *there = LLVMBuildICmp(p->b, LLVMIntUGT, lane, ls_ptx_int(p, 15), "");
        return ls_ptx_int(p, 15);
    case 0x143: /* row_bcast31 */
        *there = LLVMConstInt(p->i1, 0, false);
        return ls_ptx_int(p, 31);
    default:
        return NULL;
    }
}

/* Lanes whose row and bank the masks have. */
static LLVMValueRef
in_masks(struct ls_ptx *p, LLVMValueRef lane, unsigned row_mask, unsigned bank_mask)
{
    unsigned lanes = 0;

    for (unsigned l = 0; l < LS_PTX_LANES; l++)
        if (row_mask >> l / 16 & 1 && bank_mask >> (l / 4 & 3) & 1)
            lanes |= 1u << l;
    return LLVMBuildTrunc(p->b, LLVMBuildLShr(p->b, ls_ptx_int(p, lanes), lane, ""), p->i1, "");
}

/* From `src` on: (src, ctrl, row mask, bank mask, bound control). A lane outside of the masks keeps
 * `old`; so does one whose source lies outside or is not there, unless bound control makes that
 * 0. */
LLVMValueRef
ls_ptx_dpp(struct ls_ptx *p, LLVMValueRef call, long first)
{
    unsigned at = (unsigned)first, ctrl, row_mask, bank_mask, bound_control;
    LLVMValueRef src = LLVMGetOperand(call, at), zero = LLVMConstNull(LLVMTypeOf(src)), old, from;
    LLVMValueRef there, v, lane = ls_ptx_lane(p), outside;

    if (!const_argument(p, call, at + 1, &ctrl) || !const_argument(p, call, at + 2, &row_mask) ||
        !const_argument(p, call, at + 3, &bank_mask) ||
        !const_argument(p, call, at + 4, &bound_control))
        return NULL;
    old = at ? LLVMGetOperand(call, 0) : zero;
    outside = bound_control ? zero : old;
    from = dpp_lane(p, ctrl, lane, &there);
    if (!from) {
        ls_diag(p->cc, LS_DIAG_ERROR, call, "DPP control 0x%x is not supported", ctrl);
        return NULL;
    }
    v = LLVMBuildSelect(p->b, there, shuffle_or(p, src, from, outside), outside, "");
    if ((row_mask & 3) == 3 && (bank_mask & 15) == 15)
        return v;
    return LLVMBuildSelect(p->b, in_masks(p, lane, row_mask, bank_mask), v, old, "");
}

LLVMValueRef
ls_ptx_dpp8(struct ls_ptx *p, LLVMValueRef call, long data)
{
    LLVMValueRef src = LLVMGetOperand(call, 0), lane = ls_ptx_lane(p), shift, pick;
    unsigned selectors;

    (void)data;
    if (!const_argument(p, call, 1, &selectors))
        return NULL;
    shift = LLVMBuildMul(p->b, and_(p, lane, 7), ls_ptx_int(p, 3), "");
    pick = and_(p, LLVMBuildLShr(p->b, ls_ptx_int(p, selectors), shift, ""), 7);
    return shuffle_or(p, src, LLVMBuildOr(p->b, and_(p, lane, 24), pick, ""),
                      LLVMConstNull(LLVMTypeOf(src)));
}

/* (old, src, select low, select high, fetch inactive, bound control), four bits for each lane of a
 * row; `row`: 16 = from the other one. */
LLVMValueRef
ls_ptx_permlane(struct ls_ptx *p, LLVMValueRef call, long row)
{
    LLVMValueRef lane = ls_ptx_lane(p), src = LLVMGetOperand(call, 1), selector, shift, from;
    unsigned bound_control;

    if (!const_argument(p, call, 5, &bound_control))
        return NULL;
    selector =
        LLVMBuildOr(p->b, LLVMBuildZExt(p->b, LLVMGetOperand(call, 2), p->i64, ""),
                    LLVMBuildShl(p->b, LLVMBuildZExt(p->b, LLVMGetOperand(call, 3), p->i64, ""),
                                 LLVMConstInt(p->i64, 32, false), ""),
                    "");
    shift = LLVMBuildShl(p->b, and_(p, lane, 15), ls_ptx_int(p, 2), "");
    from = LLVMBuildLShr(p->b, selector, LLVMBuildZExt(p->b, shift, p->i64, ""), "");
    from = and_(p, LLVMBuildTrunc(p->b, from, p->i32, ""), 15);
    lane = and_(p, LLVMBuildXor(p->b, lane, ls_ptx_int(p, (uint64_t)row), ""), 16);
    return shuffle_or(p, src, LLVMBuildOr(p->b, lane, from, ""),
                      bound_control ? LLVMConstNull(LLVMTypeOf(src)) : LLVMGetOperand(call, 0));
}
