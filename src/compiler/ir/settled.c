/* SPDX-License-Identifier: MIT */
/* Tests that depend on nothing but the thread, worked out for all threads of a block whose shape is
 * known. `t > 0 && t - 1 >= t / 32 * 32` asks for the warp and the lane, but has the same answers
 * in each warp: that its lane is not the first. A mask is known then when code is made. Where all
 * lanes of a warp have one answer, it is a test of the warp's number: no mask at all. */
#include "compiler/ir/prepare_priv.h"

#include <stdint.h>

#include "analysis/threads.h"
#include "base/ptrmap.h"
#include "intrin/intrinsics.h"

enum { MAX_TABLES = 512, MAX_TESTS = 256, MAX_BITS = 64, OF_WARP = 1, OF_LANE = 2, VISITED = 4 };

struct settler {
    struct ls_cc *cc;
    struct ls_fn_env env;
    struct ls_threads threads;
    struct ls_ptrmap parts; /* value -> what of the thread it depends on, and VISITED */
    unsigned n_warps;
};

/* What of a thread's place a value depends on that has a table for all threads. */
static unsigned
parts_of(struct settler *s, LLVMValueRef v)
{
    uintptr_t known = (uintptr_t)ls_ptrmap_get(&s->parts, v);
    const struct ls_intrin *row;
    const char *name;

    if (known)
        return (unsigned)known;
    if (v == s->env.w)
        return OF_WARP;
    if (!LLVMIsAInstruction(v))
        return 0;
    name = LLVMIsACallInst(v) ? ls_ir_callee_name(v) : NULL;
    row = name ? ls_intrin_find(name) : NULL;
    known = VISITED;
    if (row && row->shape == LS_IS_LANE)
        known |= OF_LANE;
    else
        for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(v); i++)
            known |= parts_of(s, LLVMGetOperand(v, i));
    ls_ptrmap_set(&s->parts, v, (void *)known);
    return (unsigned)known;
}

/* The answers of the lanes as bits, if all warps have the same. */
static bool
answers_of_lanes(const struct settler *s, const uint64_t *of_thread, uint64_t *bits)
{
    unsigned n_lanes = s->threads.n_lanes;

    *bits = 0;
    for (unsigned t = 0; t < s->threads.n; t++)
        if (t < n_lanes)
            *bits |= of_thread[t] << t;
        else if (of_thread[t] != of_thread[t % n_lanes])
            return false;
    return true;
}

/* The answers of the warps as bits, if all lanes of each have the same. */
static bool
answers_of_warps(const struct settler *s, const uint64_t *of_thread, uint64_t *bits)
{
    unsigned n_lanes = s->threads.n_lanes;

    *bits = 0;
    for (unsigned t = 0; t < s->threads.n; t++)
        if (t % n_lanes == 0)
            *bits |= of_thread[t] << t / n_lanes;
        else if (of_thread[t] != of_thread[t - t % n_lanes])
            return false;
    return true;
}

static LLVMValueRef
compare(LLVMBuilderRef b, LLVMIntPredicate pred, LLVMValueRef v, unsigned with)
{
    return LLVMBuildICmp(b, pred, v, LLVMConstInt(LLVMTypeOf(v), with, false), "");
}

/* Bit `of` of a number, as a test; `of` is less than n. */
static LLVMValueRef
test_bit(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef of, uint64_t bits, unsigned n)
{
    uint64_t all = n < MAX_BITS ? ((uint64_t)1 << n) - 1 : UINT64_MAX;
    LLVMTypeRef bit = LLVMInt1TypeInContext(cc->llvm), type = LLVMInt64TypeInContext(cc->llvm);
    unsigned low = bits ? (unsigned)__builtin_ctzll(bits) : 0;
    LLVMValueRef shifted;

    if (bits == 0 || bits == all)
        return LLVMConstInt(bit, bits != 0, false);
    if ((bits & (bits - 1)) == 0)
        return compare(b, LLVMIntEQ, of, low);
    if ((bits & (bits + 1)) == 0)
        return compare(b, LLVMIntULT, of, (unsigned)__builtin_ctzll(~bits));
    if (bits == (all >> low) << low)
        return compare(b, LLVMIntUGE, of, low);
    shifted = LLVMBuildLShr(b, LLVMConstInt(type, bits, false), LLVMBuildZExt(b, of, type, ""), "");
    return LLVMBuildTrunc(b, shifted, bit, "");
}

/* What takes a test's place; NULL: it stays. */
static LLVMValueRef
settle(struct settler *s, LLVMBuilderRef b, LLVMValueRef test)
{
    const uint64_t *of_thread = ls_threads_values(&s->threads, test);
    unsigned parts = of_thread ? parts_of(s, test) : 0, n_lanes = s->threads.n_lanes;
    uint64_t bits;

    if (!(parts & (OF_WARP | OF_LANE)))
        return NULL;
    LLVMPositionBuilderBefore(b, test);
    if (parts & OF_WARP && answers_of_lanes(s, of_thread, &bits))
        return test_bit(s->cc, b, ls_env_lane(s->cc, &s->env), bits, n_lanes);
    if (parts & OF_LANE && s->n_warps <= MAX_BITS && answers_of_warps(s, of_thread, &bits))
        return test_bit(s->cc, b, s->env.w, bits, s->n_warps);
    return NULL;
}

/* Tests by which something is chosen: what they are made of goes with them. */
static bool
is_asked(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);

    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != 1)
        return false;
    return LLVMIsAICmpInst(v) || LLVMIsASelectInst(v) || LLVMIsABinaryOperator(v);
}

bool
ls_tests_settle(struct ls_cc *cc)
{
    struct settler s = {.cc = cc, .n_warps = cc->n_warps};
    LLVMValueRef fn = ls_program_get(cc);
    unsigned n = 0;
    LLVMBuilderRef b;

    if (cc->n_threads == 0 || cc->n_threads <= cc->n_lanes || cc->n_lanes > MAX_BITS)
        return false;
    ls_fn_env_init(cc, &s.env, fn);
    ls_threads_init(&s.threads, cc, cc->n_threads, s.env.w, ls_ir_lds_place);
    s.threads.left = MAX_TABLES;
    ls_ptrmap_init(&s.parts, cc->arena);
    b = LLVMCreateBuilderInContext(cc->llvm);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i && n < MAX_TESTS; i = next) {
            LLVMValueRef known;

            next = LLVMGetNextInstruction(i);
            known = is_asked(i) ? settle(&s, b, i) : NULL;
            if (!known)
                continue;
            LLVMReplaceAllUsesWith(i, known);
            n++;
        }
    LLVMDisposeBuilder(b);
    ls_fn_env_fini(&s.env);
    return n > 0;
}
