/* SPDX-License-Identifier: MIT */
/* Integers of 128 bits become pairs of 64: x86 has no vectors of them, and LLVM would take all
 * lanes' numbers apart, in one graph that grows beyond all bounds. Products of which the high half
 * is asked for stay one operation, ls.umulh. What is not done here (division, calls, conversions)
 * gets its operands whole. */
#include "compiler/ir/prepare_priv.h"

#include <string.h>

#include "base/ptrmap.h"

struct pair {
    LLVMValueRef lo, hi;
    LLVMValueRef narrow; /* the number is this one, sign-extended; or NULL */
};

struct splitter {
    struct ls_cc *cc;
    LLVMTypeRef i64, i128;
    struct ls_ptrmap pairs;  /* value -> struct pair */
    LLVMValueRef *phis, *done; /* split phis whose values are not filled in; split instructions */
    unsigned n_phis, cap_phis, n_done, cap_done;
};

static struct pair pair_of(struct splitter *s, LLVMValueRef v);

static void
append(struct splitter *s, LLVMValueRef **list, unsigned *n, unsigned *cap, LLVMValueRef v)
{
    if (*n == *cap) {
        LLVMValueRef *more = ls_arena_alloc(s->cc->arena, (*cap * 2 + 32) * sizeof(*more));

        for (unsigned i = 0; i < *n; i++)
            more[i] = (*list)[i];
        *list = more;
        *cap = *cap * 2 + 32;
    }
    (*list)[(*n)++] = v;
}

static bool
is_wide(const struct splitter *s, LLVMValueRef v)
{
    return LLVMTypeOf(v) == s->i128;
}

static LLVMValueRef
number(const struct splitter *s, uint64_t v)
{
    return LLVMConstInt(s->i64, v, false);
}

static LLVMValueRef
call64(struct splitter *s, LLVMBuilderRef b, const char *name, LLVMValueRef *args, unsigned n)
{
    LLVMTypeRef types[3] = {s->i64, s->i64, s->i64},
                type = LLVMFunctionType(s->i64, types, n, false);
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = id ? LLVMGetIntrinsicDeclaration(s->cc->mod, id, &s->i64, 1)
                         : ls_ir_declare(s->cc, name, type, false);

    return LLVMBuildCall2(b, type, fn, args, n, "");
}

static LLVMValueRef
add(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMIsNull(x) ? y : LLVMIsNull(y) ? x : LLVMBuildAdd(b, x, y, "");
}

static LLVMValueRef
mul(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMIsNull(x) ? x : LLVMIsNull(y) ? y : LLVMBuildMul(b, x, y, "");
}

static LLVMValueRef
bit(struct splitter *s, LLVMBuilderRef b, LLVMIntPredicate p, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildZExt(b, LLVMBuildICmp(b, p, x, y, ""), s->i64, "");
}

static struct pair
product(struct splitter *s, LLVMBuilderRef b, struct pair x, struct pair y)
{
    LLVMValueRef args[2] = {x.lo, y.lo}, high;
    struct pair r = {LLVMBuildMul(b, x.lo, y.lo, ""), NULL, NULL};

    high = call64(s, b, "ls.umulh", args, 2);
    if (x.narrow && y.narrow) {
        high = LLVMBuildSub(b, high, LLVMBuildAnd(b, x.hi, y.lo, ""), "");
        r.hi = LLVMBuildSub(b, high, LLVMBuildAnd(b, y.hi, x.lo, ""), "");
    } else {
        r.hi = add(b, add(b, high, mul(b, x.lo, y.hi)), mul(b, x.hi, y.lo));
    }
    return r;
}

/* A shift by a number below 128, which may be known or not. */
static struct pair
shifted(struct splitter *s, LLVMBuilderRef b, LLVMOpcode op, struct pair x, struct pair by)
{
    bool left = op == LLVMShl;
    LLVMValueRef small = LLVMBuildAnd(b, by.lo, number(s, 63), "");
    LLVMValueRef big = LLVMBuildICmp(b, LLVMIntUGE, by.lo, number(s, 64), "");
    LLVMValueRef args[3] = {x.hi, x.lo, small};
    LLVMValueRef both = call64(s, b, left ? "llvm.fshl" : "llvm.fshr", args, 3);
    LLVMValueRef one = LLVMBuildBinOp(b, op, left ? x.lo : x.hi, small, "");
    LLVMValueRef rest = op == LLVMAShr ? LLVMBuildAShr(b, x.hi, number(s, 63), "") : number(s, 0);
    LLVMValueRef near, far;

    if (LLVMIsAConstantInt(big)) { /* the number is known, so nothing has to be selected */
        near = LLVMIsNull(big) ? both : one;
        far = LLVMIsNull(big) ? one : rest;
    } else {
        near = LLVMBuildSelect(b, big, one, both, "");
        far = LLVMBuildSelect(b, big, rest, one, "");
    }

    return left ? (struct pair){far, near, NULL} : (struct pair){near, far, NULL};
}

static struct pair
halves_of_vector(struct splitter *s, LLVMBuilderRef b, LLVMValueRef v)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->cc->llvm);

    return (struct pair){LLVMBuildExtractElement(b, v, LLVMConstInt(i32, 0, false), ""),
                         LLVMBuildExtractElement(b, v, LLVMConstInt(i32, 1, false), ""), NULL};
}

static LLVMValueRef
vector_of_halves(struct splitter *s, LLVMBuilderRef b, struct pair p)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->cc->llvm);
    LLVMValueRef v = LLVMGetPoison(LLVMVectorType(s->i64, 2));

    v = LLVMBuildInsertElement(b, v, p.lo, LLVMConstInt(i32, 0, false), "");
    return LLVMBuildInsertElement(b, v, p.hi, LLVMConstInt(i32, 1, false), "");
}

static LLVMValueRef
whole(struct splitter *s, LLVMBuilderRef b, struct pair p)
{
    LLVMValueRef hi =
        LLVMBuildShl(b, LLVMBuildZExt(b, p.hi, s->i128, ""), LLVMConstInt(s->i128, 64, false), "");

    return LLVMBuildOr(b, hi, LLVMBuildZExt(b, p.lo, s->i128, ""), "");
}

static bool
is_plain_access(LLVMValueRef i)
{
    return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
}

static bool
is_split(const struct splitter *s, LLVMValueRef i)
{
    LLVMValueRef from = LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) : NULL;

    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMPHI:
    case LLVMFreeze:
    case LLVMSelect:
        return is_wide(s, i);
    case LLVMZExt:
    case LLVMSExt:
        return is_wide(s, i) && LLVMGetIntTypeWidth(LLVMTypeOf(from)) <= 64;
    case LLVMLoad:
        return is_wide(s, i) && is_plain_access(i);
    case LLVMBitCast:
        return is_wide(s, i) && LLVMGetTypeKind(LLVMTypeOf(from)) == LLVMVectorTypeKind;
    default:
        return false;
    }
}

static struct pair
build_pair(struct splitter *s, LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    LLVMValueRef first = LLVMGetOperand(i, 0), v;
    LLVMTypeRef two = LLVMVectorType(s->i64, 2);
    struct pair x = {0}, y = {0}, r = {0};

    if (LLVMIsABinaryOperator(i) || op == LLVMSelect) {
        x = pair_of(s, LLVMGetOperand(i, op == LLVMSelect ? 1 : 0));
        y = pair_of(s, LLVMGetOperand(i, op == LLVMSelect ? 2 : 1));
    }
    LLVMPositionBuilderBefore(b, i);
    switch (op) {
    case LLVMAdd:
        r.lo = LLVMBuildAdd(b, x.lo, y.lo, "");
        r.hi = add(b, add(b, x.hi, y.hi), bit(s, b, LLVMIntULT, r.lo, x.lo));
        break;
    case LLVMSub:
        r.lo = LLVMBuildSub(b, x.lo, y.lo, "");
        r.hi =
            LLVMBuildSub(b, LLVMBuildSub(b, x.hi, y.hi, ""), bit(s, b, LLVMIntULT, x.lo, y.lo), "");
        break;
    case LLVMMul:
        r = product(s, b, x, y);
        break;
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        r.lo = LLVMBuildBinOp(b, op, x.lo, y.lo, "");
        r.hi = LLVMBuildBinOp(b, op, x.hi, y.hi, "");
        break;
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
        r = shifted(s, b, op, x, y);
        break;
    case LLVMSelect:
        r.lo = LLVMBuildSelect(b, first, x.lo, y.lo, "");
        r.hi = LLVMBuildSelect(b, first, x.hi, y.hi, "");
        break;
    case LLVMFreeze:
        x = pair_of(s, first);
        LLVMPositionBuilderBefore(b, i);
        r.lo = LLVMBuildFreeze(b, x.lo, "");
        r.hi = LLVMBuildFreeze(b, x.hi, "");
        break;
    case LLVMZExt:
        r.lo = LLVMBuildIntCast2(b, first, s->i64, false, "");
        r.hi = number(s, 0);
        break;
    case LLVMSExt:
        r.lo = r.narrow = LLVMBuildIntCast2(b, first, s->i64, true, "");
        r.hi = LLVMBuildAShr(b, r.lo, number(s, 63), "");
        break;
    case LLVMLoad:
        v = LLVMBuildLoad2(b, two, first, "");
        LLVMSetAlignment(v, ls_ir_access_alignment(i));
        r = halves_of_vector(s, b, v);
        break;
    default: /* a bitcast of another type */
        r = halves_of_vector(s, b, LLVMBuildBitCast(b, first, two, ""));
        break;
    }
    return r;
}

static void
remember(struct splitter *s, LLVMValueRef v, struct pair p)
{
    struct pair *copy = ls_arena_alloc(s->cc->arena, sizeof(*copy));

    *copy = p;
    ls_ptrmap_set(&s->pairs, v, copy);
}

static LLVMValueRef
behind(LLVMValueRef i)
{
    do
        i = LLVMGetNextInstruction(i);
    while (LLVMIsAPHINode(i));
    return i;
}

static struct pair
pair_of(struct splitter *s, LLVMValueRef v)
{
    struct pair *known = ls_ptrmap_get(&s->pairs, v), p = {0};
    LLVMBuilderRef b;

    if (known)
        return *known;
    if (LLVMIsUndef(v)) {
        p.lo = p.hi = LLVMIsPoison(v) ? LLVMGetPoison(s->i64) : LLVMGetUndef(s->i64);
        return p;
    }
    b = LLVMCreateBuilderInContext(s->cc->llvm);
    if (!LLVMIsAInstruction(v) || !is_split(s, v)) {
        if (LLVMIsAInstruction(v))
            LLVMPositionBuilderBefore(b, behind(v));
        else if (LLVMIsAArgument(v))
            LLVMPositionBuilderBefore(
                b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(LLVMGetParamParent(v))));
        p.lo = LLVMBuildTrunc(b, v, s->i64, ""); /* of constants: folded */
        if (LLVMIsAConstantInt(v)) {
            LLVMValueRef high = LLVMBuildLShr(b, v, LLVMConstInt(s->i128, 64, false), "");

            p.hi = LLVMConstTrunc(high, s->i64);
        } else if (LLVMIsConstant(v)) { /* a constant that is made of an address, of 64 bits */
            p.hi = number(s, 0);
        } else {
            p.hi = LLVMBuildTrunc(b, LLVMBuildLShr(b, v, LLVMConstInt(s->i128, 64, false), ""),
                                  s->i64, "");
        }
        if (LLVMIsAInstruction(v) || LLVMIsAArgument(v))
            remember(s, v, p);
    } else if (LLVMIsAPHINode(v)) {
        LLVMPositionBuilderBefore(b, v);
        p.lo = LLVMBuildPhi(b, s->i64, "");
        p.hi = LLVMBuildPhi(b, s->i64, "");
        remember(s, v, p);
        append(s, &s->phis, &s->n_phis, &s->cap_phis, v);
        append(s, &s->done, &s->n_done, &s->cap_done, v);
    } else {
        p = build_pair(s, b, v);
        remember(s, v, p);
        append(s, &s->done, &s->n_done, &s->cap_done, v);
    }
    LLVMDisposeBuilder(b);
    return p;
}

static LLVMValueRef
compared(LLVMBuilderRef b, LLVMIntPredicate p, struct pair x, struct pair y)
{
    if (p == LLVMIntEQ || p == LLVMIntNE) {
        LLVMValueRef differ =
            LLVMBuildOr(b, LLVMBuildXor(b, x.lo, y.lo, ""), LLVMBuildXor(b, x.hi, y.hi, ""), "");
        return LLVMBuildICmp(b, p, differ, LLVMConstNull(LLVMTypeOf(differ)), "");
    }
    LLVMIntPredicate low = p == LLVMIntSGT   ? LLVMIntUGT
                           : p == LLVMIntSGE ? LLVMIntUGE
                           : p == LLVMIntSLT ? LLVMIntULT
                           : p == LLVMIntSLE ? LLVMIntULE
                                             : p;
    LLVMValueRef same = LLVMBuildICmp(b, LLVMIntEQ, x.hi, y.hi, "");
    return LLVMBuildSelect(b, same, LLVMBuildICmp(b, low, x.lo, y.lo, ""),
                           LLVMBuildICmp(b, p, x.hi, y.hi, ""), "");
}

/* Rewrites an instruction whose result is no pair but which uses one. */
static void
rewrite_user(struct splitter *s, LLVMValueRef i)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(s->cc->llvm);
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    LLVMValueRef first = LLVMGetOperand(i, 0), now = NULL;
    LLVMTypeRef type = LLVMTypeOf(i);
    struct pair x, y;

    if (op == LLVMTrunc && LLVMGetIntTypeWidth(type) <= 64) {
        x = pair_of(s, first);
        LLVMPositionBuilderBefore(b, i);
        now = LLVMBuildIntCast2(b, x.lo, type, false, "");
    } else if (op == LLVMICmp) {
        x = pair_of(s, first);
        y = pair_of(s, LLVMGetOperand(i, 1));
        LLVMPositionBuilderBefore(b, i);
        now = compared(b, LLVMGetICmpPredicate(i), x, y);
    } else if (op == LLVMBitCast && LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        x = pair_of(s, first);
        LLVMPositionBuilderBefore(b, i);
        now = LLVMBuildBitCast(b, vector_of_halves(s, b, x), type, "");
    } else if (op == LLVMStore && is_plain_access(i)) {
        x = pair_of(s, first);
        LLVMPositionBuilderBefore(b, i);
        LLVMValueRef store = LLVMBuildStore(b, vector_of_halves(s, b, x), LLVMGetOperand(i, 1));
        LLVMSetAlignment(store, ls_ir_access_alignment(i));
    } else {
        for (int k = 0, n = LLVMGetNumOperands(i); k < n; k++) {
            LLVMValueRef v = LLVMGetOperand(i, (unsigned)k);

            if (!LLVMIsAInstruction(v) || !is_wide(s, v) || !is_split(s, v))
                continue;
            x = pair_of(s, v);
            LLVMPositionBuilderBefore(b, i);
            LLVMSetOperand(i, (unsigned)k, whole(s, b, x));
        }
        LLVMDisposeBuilder(b);
        return;
    }
    if (now)
        LLVMReplaceAllUsesWith(i, now);
    LLVMInstructionEraseFromParent(i);
    LLVMDisposeBuilder(b);
}

static void
fill_phi(struct splitter *s, LLVMValueRef phi)
{
    struct pair p = pair_of(s, phi);

    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        struct pair in = pair_of(s, LLVMGetIncomingValue(phi, i));

        LLVMAddIncoming(p.lo, &in.lo, &from, 1);
        LLVMAddIncoming(p.hi, &in.hi, &from, 1);
    }
}

static void
split_function(struct ls_cc *cc, LLVMValueRef fn)
{
    struct splitter s = {.cc = cc,
                         .i64 = LLVMInt64TypeInContext(cc->llvm),
                         .i128 = LLVMInt128TypeInContext(cc->llvm)};
    LLVMValueRef *users = NULL;
    unsigned n_users = 0, cap_users = 0;

    ls_ptrmap_init(&s.pairs, cc->arena);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            bool uses = false;

            for (int k = 0, n = LLVMGetNumOperands(i); k < n && !is_split(&s, i); k++)
                uses |= is_wide(&s, LLVMGetOperand(i, (unsigned)k));
            if (uses)
                append(&s, &users, &n_users, &cap_users, i);
        }
    for (unsigned i = 0; i < n_users; i++)
        rewrite_user(&s, users[i]);
    for (unsigned i = 0; i < s.n_phis; i++) /* filling one may add further ones */
        fill_phi(&s, s.phis[i]);
    for (unsigned i = 0; i < s.n_done; i++)
        LLVMReplaceAllUsesWith(s.done[i], LLVMGetPoison(s.i128));
    for (unsigned i = 0; i < s.n_done; i++)
        LLVMInstructionEraseFromParent(s.done[i]);
}

static bool
has_wide(struct ls_cc *cc, LLVMValueRef fn)
{
    LLVMTypeRef i128 = LLVMInt128TypeInContext(cc->llvm);

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (LLVMTypeOf(i) == i128)
                return true;
    return false;
}

void
ls_pairs_split(struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (has_wide(cc, fn))
            split_function(cc, fn);
}
