/* SPDX-License-Identifier: MIT */
/* Masks on hosts without mask registers. A comparison leaves all ones or zeros in each element, and
 * a blend asks for the sign of each; but a mask that goes to another block, <32 x i1>, is handed
 * over as bytes: each comparison is packed and each blend unpacks, in a loop that lanes leave one
 * by one in every iteration. So here masks that cross blocks, and what is computed from them,
 * become vectors of signs, as wide as the elements that they choose. Whether any lane is on, or
 * all are, is then asked of the registers' disjunction or conjunction.
 *
 * Called after all other passes: LLVM would put the conversions back. */
#include "host/host.h"

#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "base/log.h"
#include "base/ptrmap.h"
#include "compiler/ir/ir.h"

enum { MIN_LANES = 8, MAX_WIDE_MASK = 1024 }; /* elements */
enum { N_WIDTHS = 4 };                        /* of 8, 16, 32 and 64 bits */
/* Registers of a mask that loops carry or paths bring: with more of them the values that it is for
 * would not stay in registers. */
enum { MAX_JOINED = 2 };

/* Masks that are computed from each other: they have one width. */
struct web {
    unsigned votes[N_WIDTHS]; /* comparisons and blends of elements so wide */
    LLVMTypeRef elem;
};

/* A mask that becomes a vector of signs. */
struct node {
    LLVMValueRef old, wide;
    struct web *web;
    LLVMBasicBlockRef narrow_in; /* where `narrow` was made last */
    LLVMValueRef narrow;         /* the mask again, for who wants one */
};

struct signs {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    LLVMTypeRef i32;
    LLVMValueRef fn;
    struct ls_ptrmap index; /* mask -> struct node */
    struct node **nodes;    /* those of the function, in the order in which they were found */
    size_t n, cap;
    bool refused; /* there is a constant that is not known */
};

static unsigned
lanes_of(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    unsigned n;

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind ||
        LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMGetElementType(type)) != 1)
        return 0;
    n = LLVMGetVectorSize(type);
    return n >= MIN_LANES && n <= MAX_WIDE_MASK && !(n & (n - 1)) ? n : 0;
}

/* A mask that is made of masks. */
static bool
is_made_of_masks(LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v) || !lanes_of(v))
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMPHI:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMFreeze:
    case LLVMSelect:
        return true;
    case LLVMShuffleVector:
        return lanes_of(LLVMGetOperand(v, 0)) > 0;
    default:
        return false;
    }
}

/* The operands of such a mask that are masks. */
static bool
is_mask_operand(LLVMValueRef v, unsigned i)
{
    return LLVMIsAShuffleVectorInst(v) || lanes_of(LLVMGetOperand(v, i)) == lanes_of(v);
}

static bool
crosses(LLVMValueRef v)
{
    LLVMBasicBlockRef home = LLVMIsAInstruction(v) ? LLVMGetInstructionParent(v) : NULL;

    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsAPHINode(user) || LLVMGetInstructionParent(user) != home)
            return true;
    }
    return false;
}

/* Whether `v` compares a mask's bits with "none" or "all". */
static bool
is_test(LLVMValueRef v, LLVMValueRef bits)
{
    LLVMValueRef with;

    if (!LLVMIsAICmpInst(v) || LLVMGetOperand(v, 0) != bits)
        return false;
    with = LLVMGetOperand(v, 1);
    if (LLVMGetICmpPredicate(v) != LLVMIntEQ && LLVMGetICmpPredicate(v) != LLVMIntNE)
        return false;
    return LLVMIsAConstantInt(with) &&
           (LLVMIsNull(with) || with == LLVMConstAllOnes(LLVMTypeOf(with)));
}

static bool
is_bits(LLVMValueRef user)
{
    return LLVMIsABitCastInst(user) &&
           LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMIntegerTypeKind;
}

static bool
is_tested(LLVMValueRef v)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (!is_bits(user))
            continue;
        for (LLVMUseRef u = LLVMGetFirstUse(user); u; u = LLVMGetNextUse(u))
            if (is_test(LLVMGetUser(u), user))
                return true;
    }
    return false;
}

/* ---- Webs ---- */

static void
vote(struct web *web, LLVMTypeRef type)
{
    static const unsigned bits[N_WIDTHS] = {8, 16, 32, 64};
    LLVMTypeRef elem = ls_ir_elem(type);
    unsigned width;

    switch (LLVMGetTypeKind(elem)) {
    case LLVMIntegerTypeKind:
        width = LLVMGetIntTypeWidth(elem);
        break;
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
        width = 16;
        break;
    case LLVMFloatTypeKind:
        width = 32;
        break;
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind:
        width = 64;
        break;
    default:
        return;
    }
    for (unsigned i = 0; i < N_WIDTHS; i++)
        if (bits[i] == width)
            web->votes[i]++;
}

/* What the mask's maker and users say of its width. */
static void
ask_around(struct web *web, LLVMValueRef v)
{
    unsigned n = lanes_of(v);

    if (LLVMIsAICmpInst(v) || LLVMIsAFCmpInst(v))
        vote(web, LLVMTypeOf(LLVMGetOperand(v, 0)));
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMTypeRef type = LLVMTypeOf(user);

        if (LLVMIsASelectInst(user) || LLVMIsASExtInst(user) || LLVMIsAZExtInst(user) ||
            LLVMIsACallInst(user)) {
            if (LLVMGetTypeKind(type) == LLVMVoidTypeKind)
                type = LLVMTypeOf(LLVMGetOperand(user, 0)); /* a masked store's value */
            if (LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetVectorSize(type) == n)
                vote(web, type);
        }
    }
}

static void
add_node(struct signs *s, LLVMValueRef v, struct web *web)
{
    struct node *node;

    if (ls_ptrmap_get(&s->index, v))
        return;
    node = ls_arena_alloc(s->cc->arena, sizeof(*node));
    node->old = v;
    node->web = web;
    ls_ptrmap_set(&s->index, v, node);
    if (s->n == s->cap) {
        size_t cap = s->cap ? 2 * s->cap : 64;
        struct node **grown = ls_arena_alloc(s->cc->arena, cap * sizeof(struct node *));

        if (s->n)
            memcpy(grown, s->nodes, s->n * sizeof(struct node *));
        s->nodes = grown;
        s->cap = cap;
    }
    s->nodes[s->n++] = node;
}

/* Whether each lane of a constant is a number, or undefined. */
static bool
is_known(LLVMValueRef c)
{
    if (LLVMIsUndef(c))
        return true;
    for (unsigned i = 0; i < lanes_of(c); i++) {
        LLVMValueRef lane = LLVMGetAggregateElement(c, i);

        if (!lane || !(LLVMIsAConstantInt(lane) || LLVMIsUndef(lane)))
            return false;
    }
    return true;
}

/* The web of a mask: what it is made of, and what is made of it. */
static void
grow_web(struct signs *s, LLVMValueRef seed)
{
    struct web *web;
    size_t first = s->n;
    unsigned best = 2, lanes = 0;
    bool joins = false;

    if (ls_ptrmap_get(&s->index, seed))
        return;
    web = ls_arena_alloc(s->cc->arena, sizeof(*web));
    add_node(s, seed, web);
    for (size_t i = first; i < s->n; i++) {
        LLVMValueRef v = s->nodes[i]->old;

        ask_around(web, v);
        joins |= LLVMIsAPHINode(v) != NULL;
        lanes = lanes_of(v) > lanes ? lanes_of(v) : lanes;
        for (int k = 0; is_made_of_masks(v) && k < LLVMGetNumOperands(v); k++) {
            LLVMValueRef operand = LLVMGetOperand(v, (unsigned)k);

            if (!is_mask_operand(v, (unsigned)k))
                continue;
            if (LLVMIsConstant(operand))
                s->refused |= !is_known(operand);
            else
                add_node(s, operand, web);
        }
        for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
            if (is_made_of_masks(LLVMGetUser(use)))
                add_node(s, LLVMGetUser(use), web);
    }
    for (unsigned i = 0; i < N_WIDTHS; i++)
        if (web->votes[i] > web->votes[best])
            best = i;
    web->elem = LLVMIntTypeInContext(s->cc->llvm, 8u << best);
    if (joins && lanes * (8u << best) > MAX_JOINED * s->cc->isa->vector_bits)
        s->n = first; /* they stay as they are */
}

static void
find_webs(struct signs *s)
{
    for (unsigned i = 0; i < LLVMCountParams(s->fn); i++)
        if (lanes_of(LLVMGetParam(s->fn, i)) && LLVMGetFirstUse(LLVMGetParam(s->fn, i)))
            grow_web(s, LLVMGetParam(s->fn, i));
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(s->fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (lanes_of(i) && (LLVMIsAPHINode(i) || crosses(i) || is_tested(i)))
                grow_web(s, i);
}

/* ---- Wide forms ---- */

static LLVMTypeRef
wide_type(const struct node *node)
{
    return LLVMVectorType(node->web->elem, lanes_of(node->old));
}

static LLVMValueRef
wide_constant(struct signs *s, LLVMValueRef c, LLVMTypeRef type)
{
    unsigned n = LLVMGetVectorSize(type);
    LLVMTypeRef elem = LLVMGetElementType(type);
    LLVMValueRef *lanes;

    if (LLVMIsPoison(c))
        return LLVMGetPoison(type);
    if (LLVMIsUndef(c))
        return LLVMGetUndef(type);
    lanes = ls_arena_alloc(s->cc->arena, n * sizeof(*lanes));
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef lane = LLVMGetAggregateElement(c, i);

        lanes[i] = LLVMIsPoison(lane)  ? LLVMGetPoison(elem)
                   : LLVMIsUndef(lane) ? LLVMGetUndef(elem)
                   : LLVMIsNull(lane)  ? LLVMConstNull(elem)
                                       : LLVMConstAllOnes(elem);
    }
    return LLVMConstVector(lanes, n);
}

/* What stands for a mask that a node of this web is made of; NULL: it isn't made yet. */
static LLVMValueRef
wide_of(struct signs *s, const struct node *of, LLVMValueRef v)
{
    const struct node *node = ls_ptrmap_get(&s->index, v);

    if (node)
        return node->wide;
    LS_ASSERT(LLVMIsConstant(v));
    return wide_constant(s, v, LLVMVectorType(of->web->elem, lanes_of(v)));
}

static void
build_behind(struct signs *s, LLVMValueRef v)
{
    LLVMValueRef at;

    if (LLVMIsAInstruction(v)) {
        at = LLVMIsAPHINode(v) ? ls_ir_after_phis(LLVMGetInstructionParent(v))
                               : LLVMGetNextInstruction(v);
        LLVMPositionBuilderBefore(s->b, at);
        LLVMSetCurrentDebugLocation2(s->b, LLVMInstructionGetDebugLoc(v));
        return;
    }
    at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(s->fn));
    while (LLVMIsAAllocaInst(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(s->b, at);
    LLVMSetCurrentDebugLocation2(s->b, NULL);
}

/* A lane of the second may be poison where the first one decides. */
static LLVMValueRef
settled(struct signs *s, LLVMValueRef v)
{
    return LLVMIsConstant(v) && !LLVMIsUndef(v) ? v : LLVMBuildFreeze(s->b, v, "");
}

static LLVMValueRef
signs_to_mask(struct signs *s, LLVMValueRef wide)
{
    return LLVMBuildICmp(s->b, LLVMIntSLT, wide, LLVMConstNull(LLVMTypeOf(wide)), "");
}

static LLVMValueRef
wide_select(struct signs *s, LLVMValueRef old, const LLVMValueRef x[3])
{
    LLVMValueRef a = LLVMGetOperand(old, 1), b = LLVMGetOperand(old, 2);

    if (!lanes_of(LLVMGetOperand(old, 0))) /* a scalar chooses */
        return LLVMBuildSelect(s->b, LLVMGetOperand(old, 0), x[1], x[2], "");
    if (LLVMIsNull(b))
        return LLVMBuildAnd(s->b, x[0], settled(s, x[1]), "");
    if (a == LLVMConstAllOnes(LLVMTypeOf(a)))
        return LLVMBuildOr(s->b, x[0], settled(s, x[2]), "");
    if (LLVMIsNull(a))
        return LLVMBuildAnd(s->b, LLVMBuildNot(s->b, x[0], ""), settled(s, x[2]), "");
    return LLVMBuildSelect(s->b, signs_to_mask(s, x[0]), x[1], x[2], "");
}

static LLVMValueRef
wide_shuffle(struct signs *s, LLVMValueRef old, const LLVMValueRef x[3])
{
    unsigned n = LLVMGetNumMaskElements(old);
    LLVMValueRef *index = ls_arena_alloc(s->cc->arena, n * sizeof(*index));

    for (unsigned i = 0; i < n; i++) {
        int from = LLVMGetMaskValue(old, i);

        index[i] = from < 0 ? LLVMGetPoison(s->i32) : LLVMConstInt(s->i32, (unsigned)from, false);
    }
    return LLVMBuildShuffleVector(s->b, x[0], x[1], LLVMConstVector(index, n), "");
}

/* Makes a node's wide form. False: one of its operands has none yet. */
static bool
widen(struct signs *s, struct node *node)
{
    LLVMValueRef v = node->old, x[3] = {NULL};

    if (!is_made_of_masks(v)) {
        build_behind(s, v);
        node->wide = LLVMBuildSExt(s->b, v, wide_type(node), "");
        return true;
    }
    for (int i = 0; i < LLVMGetNumOperands(v); i++) {
        if (!is_mask_operand(v, (unsigned)i))
            continue;
        x[i] = wide_of(s, node, LLVMGetOperand(v, (unsigned)i));
        if (!x[i])
            return false;
    }
    build_behind(s, v);
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        node->wide = LLVMBuildBinOp(s->b, LLVMGetInstructionOpcode(v), x[0], x[1], "");
        break;
    case LLVMFreeze:
        node->wide = LLVMBuildFreeze(s->b, x[0], "");
        break;
    case LLVMSelect:
        node->wide = wide_select(s, v, x);
        break;
    case LLVMShuffleVector:
        node->wide = wide_shuffle(s, v, x);
        break;
    default:
        LS_BUG("a mask made by operation %d", (int)LLVMGetInstructionOpcode(v));
    }
    return true;
}

/* All wide forms: phis first, which may come round to themselves, then what the others need
 * first. */
static void
widen_all(struct signs *s)
{
    struct node **todo = ls_arena_alloc(s->cc->arena, (s->n + 1) * sizeof(*todo));

    for (size_t i = 0; i < s->n; i++)
        if (LLVMIsAPHINode(s->nodes[i]->old)) {
            LLVMPositionBuilderBefore(s->b, s->nodes[i]->old);
            s->nodes[i]->wide = LLVMBuildPhi(s->b, wide_type(s->nodes[i]), "");
        }
    for (size_t i = 0, n; i < s->n; i++) {
        for (todo[0] = s->nodes[i], n = 1; n > 0;) {
            struct node *node = todo[n - 1];
            LLVMValueRef v = node->old;

            if (node->wide || widen(s, node)) {
                n--;
                continue;
            }
            for (int k = 0; k < LLVMGetNumOperands(v); k++) {
                struct node *operand = ls_ptrmap_get(&s->index, LLVMGetOperand(v, (unsigned)k));

                if (operand && !operand->wide) {
                    todo[n++] = operand;
                    break;
                }
            }
        }
    }
    for (size_t i = 0; i < s->n; i++) {
        LLVMValueRef old = s->nodes[i]->old;

        for (unsigned k = 0; LLVMIsAPHINode(old) && k < LLVMCountIncoming(old); k++) {
            LLVMValueRef v = wide_of(s, s->nodes[i], LLVMGetIncomingValue(old, k));
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(old, k);

            LLVMAddIncoming(s->nodes[i]->wide, &v, &from, 1);
        }
    }
}

/* ---- Who uses them ---- */

/* Elements [first, first + n) of a vector. */
static LLVMValueRef
part(struct signs *s, LLVMValueRef v, unsigned first, unsigned n)
{
    LLVMValueRef *index = ls_arena_alloc(s->cc->arena, n * sizeof(*index));

    for (unsigned i = 0; i < n; i++)
        index[i] = LLVMConstInt(s->i32, first + i, false);
    return LLVMBuildShuffleVector(s->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(index, n),
                                  "");
}

/* Replaces a comparison of a mask's bits with none or all by one of what its registers have in
 * common. */
static void
replace_test(struct signs *s, LLVMValueRef test, const struct node *node)
{
    bool all = !LLVMIsNull(LLVMGetOperand(test, 1));
    LLVMTypeRef elem = node->web->elem;
    unsigned n = lanes_of(node->old), each = s->cc->isa->vector_bits / LLVMGetIntTypeWidth(elem);
    LLVMValueRef v = node->wide, bits;

    LLVMPositionBuilderBefore(s->b, test);
    LLVMSetCurrentDebugLocation2(s->b, LLVMInstructionGetDebugLoc(test));
    for (; n > each; n /= 2)
        v = LLVMBuildBinOp(s->b, all ? LLVMAnd : LLVMOr, part(s, v, 0, n / 2),
                           part(s, v, n / 2, n / 2), "");
    bits = LLVMBuildBitCast(s->b, signs_to_mask(s, v), LLVMIntTypeInContext(s->cc->llvm, n), "");
    v = LLVMBuildICmp(s->b, LLVMGetICmpPredicate(test), bits,
                      all ? LLVMConstAllOnes(LLVMTypeOf(bits)) : LLVMConstNull(LLVMTypeOf(bits)),
                      "");
    LLVMReplaceAllUsesWith(test, v);
    LLVMInstructionEraseFromParent(test);
}

/* The block where all that is left of a value's users are, if it follows on its own and on no
 * other. */
static LLVMBasicBlockRef
used_behind(LLVMValueRef v)
{
    LLVMBasicBlockRef home = LLVMGetInstructionParent(v), to = NULL;
    LLVMValueRef term = LLVMGetBasicBlockTerminator(home);
    unsigned n_preds = 0;

    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMBasicBlockRef at = LLVMGetInstructionParent(user);

        if (LLVMIsAPHINode(user)) {
            at = NULL;
            for (unsigned i = 0; i < LLVMCountIncoming(user); i++)
                if (LLVMGetIncomingValue(user, i) == v) {
                    if (at && at != LLVMGetIncomingBlock(user, i))
                        return NULL;
                    at = LLVMGetIncomingBlock(user, i);
                }
        }
        if (at == home || (to && at != to))
            return NULL;
        to = at;
    }
    for (LLVMUseRef use = to ? LLVMGetFirstUse(LLVMBasicBlockAsValue(to)) : NULL; use;
         use = LLVMGetNextUse(use))
        if (LLVMIsAInstruction(LLVMGetUser(use)) &&
            LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(LLVMGetUser(use))) ==
                LLVMGetUser(use)) {
            if (LLVMGetUser(use) != term)
                return NULL;
            n_preds++;
        }
    return n_preds == 1 ? to : NULL;
}

/* A mask's bits: tests are replaced; what is left is made where it is wanted. */
static void
replace_bits(struct signs *s, LLVMValueRef bits, const struct node *node)
{
    LLVMBasicBlockRef to;
    LLVMValueRef v;

    for (LLVMUseRef use = LLVMGetFirstUse(bits), next; use; use = next) {
        next = LLVMGetNextUse(use);
        if (is_test(LLVMGetUser(use), bits))
            replace_test(s, LLVMGetUser(use), node);
    }
    if (LLVMGetFirstUse(bits)) {
        to = used_behind(bits);
        LLVMPositionBuilderBefore(s->b, to ? ls_ir_after_phis(to) : bits);
        LLVMSetCurrentDebugLocation2(s->b, LLVMInstructionGetDebugLoc(bits));
        v = LLVMBuildBitCast(s->b, signs_to_mask(s, node->wide), LLVMTypeOf(bits), "");
        LLVMReplaceAllUsesWith(bits, v);
    }
    LLVMInstructionEraseFromParent(bits);
}

/* The mask again, in the block of a user. */
static LLVMValueRef
narrow_for(struct signs *s, struct node *node, LLVMValueRef user)
{
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(user);
    LLVMValueRef wide = node->wide;

    if (node->narrow_in == bb)
        return node->narrow;
    if (LLVMIsAInstruction(wide) && LLVMGetInstructionParent(wide) == bb) {
        build_behind(s, wide);
    } else {
        LLVMPositionBuilderBefore(s->b, ls_ir_after_phis(bb));
        LLVMSetCurrentDebugLocation2(s->b, LLVMInstructionGetDebugLoc(user));
    }
    node->narrow_in = bb;
    node->narrow = signs_to_mask(s, wide);
    return node->narrow;
}

static void
replace_uses(struct signs *s, struct node *node)
{
    bool is_leaf = !is_made_of_masks(node->old);
    LLVMBasicBlockRef home =
        LLVMIsAInstruction(node->old) ? LLVMGetInstructionParent(node->old) : NULL;
    LLVMValueRef *users;
    size_t n = 0;

    for (LLVMUseRef use = LLVMGetFirstUse(node->old); use; use = LLVMGetNextUse(use))
        n++;
    users = ls_arena_alloc(s->cc->arena, (n + 1) * sizeof(*users));
    n = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(node->old); use; use = LLVMGetNextUse(use))
        users[n++] = LLVMGetUser(use);
    for (size_t k = 0; k < n; k++) {
        LLVMValueRef user = users[k];

        /* What is made of it becomes wide itself; a call may take it and bring another one. */
        if (user == node->wide ||
            (is_made_of_masks(user) && ls_ptrmap_get(&s->index, user)) ||
            (is_leaf && LLVMGetInstructionParent(user) == home && !is_bits(user)))
            continue;
        if (is_bits(user)) {
            replace_bits(s, user, node);
            continue;
        }
        for (int i = 0; i < LLVMGetNumOperands(user); i++)
            if (LLVMGetOperand(user, (unsigned)i) == node->old)
                LLVMSetOperand(user, (unsigned)i, narrow_for(s, node, user));
    }
}

static void
convert_function(struct signs *s)
{
    s->n = 0;
    ls_ptrmap_init(&s->index, s->cc->arena);
    s->refused = false;
    find_webs(s);
    if (s->refused)
        return;
    widen_all(s);
    for (size_t i = 0; i < s->n; i++)
        replace_uses(s, s->nodes[i]);
    for (size_t i = 0; i < s->n; i++)
        if (is_made_of_masks(s->nodes[i]->old))
            LLVMReplaceAllUsesWith(s->nodes[i]->old, LLVMGetPoison(LLVMTypeOf(s->nodes[i]->old)));
    for (size_t i = 0; i < s->n; i++)
        if (is_made_of_masks(s->nodes[i]->old))
            LLVMInstructionEraseFromParent(s->nodes[i]->old);
}

void
ls_host_masks_to_signs(struct ls_cc *cc)
{
    struct signs s = {.cc = cc};

    if (cc->isa->has_masks || cc->n_lanes == 1 || !ls_host_opt_level(cc))
        return;
    s.b = LLVMCreateBuilderInContext(cc->llvm);
    s.i32 = LLVMInt32TypeInContext(cc->llvm);
    for (s.fn = LLVMGetFirstFunction(cc->mod); s.fn; s.fn = LLVMGetNextFunction(s.fn))
        if (!LLVMIsDeclaration(s.fn))
            convert_function(&s);
    LLVMDisposeBuilder(s.b);
}
