/* SPDX-License-Identifier: MIT */
/* Vectors of which only the first lanes are read become short: the sum of a warp by __shfl_down
 * that lane 0 alone uses is made of half as many lanes in each step. LLVM sees that when it chooses
 * instructions, but not where several such sums are put together again. */
#include "host/host.h"

#include "compiler/ir/ir.h"
#include "host/whole.h"

enum { MAX_LANES = 256 };

struct narrower {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    LLVMTypeRef i32;
    LLVMBasicBlockRef bb;
    struct ls_ptrmap read;  /* by value: how many of its first lanes are read, as unsigned * */
    struct ls_ptrmap first; /* by value: a vector of its first lanes, or a scalar for one */
};

static unsigned
width_of(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);

    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 0;
}

/* Notes that `n` lanes of a value are read. */
static void
note(struct narrower *w, LLVMValueRef v, unsigned n)
{
    unsigned *at = ls_ptrmap_get(&w->read, v), power = 1;

    while (power < n)
        power *= 2;
    if (!at) {
        at = ls_arena_alloc(w->cc->arena, sizeof(*at));
        *at = 0;
        ls_ptrmap_set(&w->read, v, at);
    }
    if (power > *at)
        *at = power;
}

static unsigned
lanes_read(struct narrower *w, LLVMValueRef v)
{
    const unsigned *at = ls_ptrmap_get(&w->read, v);

    return at ? *at : 0;
}

static bool
is_by_lane(LLVMValueRef inst)
{
    return LLVMIsABinaryOperator(inst) || LLVMIsAUnaryOperator(inst) ||
           (LLVMIsACastInst(inst) && width_of(inst) == width_of(LLVMGetOperand(inst, 0)));
}

/* Notes what an instruction reads of its operands. */
static void
note_operands(struct narrower *w, LLVMValueRef inst)
{
    unsigned n = lanes_read(w, inst), all[2] = {0, 0}, width;

    if (width_of(inst) && is_by_lane(inst)) {
        for (int i = 0, k = LLVMGetNumOperands(inst); i < k; i++)
            note(w, LLVMGetOperand(inst, (unsigned)i), n);
    } else if (LLVMIsAExtractElementInst(inst) && LLVMIsAConstantInt(LLVMGetOperand(inst, 1))) {
        note(w, LLVMGetOperand(inst, 0),
             (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 1)) + 1);
    } else if (LLVMIsAShuffleVectorInst(inst)) {
        width = width_of(LLVMGetOperand(inst, 0));
        for (unsigned l = 0; l < n && l < LLVMGetNumMaskElements(inst); l++) {
            int from = LLVMGetMaskValue(inst, l);

            unsigned lane = (unsigned)from % width + 1, *most = &all[(unsigned)from >= width];

            if (from != LLVMGetUndefMaskElem() && lane > *most)
                *most = lane;
        }
        for (unsigned i = 0; i < 2; i++)
            if (all[i])
                note(w, LLVMGetOperand(inst, i), all[i]);
    } else {
        for (int i = 0, k = LLVMGetNumOperands(inst); i < k; i++)
            if (width_of(LLVMGetOperand(inst, (unsigned)i)))
                note(w, LLVMGetOperand(inst, (unsigned)i),
                     width_of(LLVMGetOperand(inst, (unsigned)i)));
    }
}

static LLVMValueRef
shuffle(struct narrower *w, LLVMValueRef a, LLVMValueRef b, const int *from, unsigned n)
{
    LLVMValueRef lanes[MAX_LANES];

    for (unsigned l = 0; l < n; l++)
        lanes[l] =
            from[l] < 0 ? LLVMGetPoison(w->i32) : LLVMConstInt(w->i32, (unsigned)from[l], false);
    return LLVMBuildShuffleVector(w->b, a, b ? b : LLVMGetPoison(LLVMTypeOf(a)),
                                  LLVMConstVector(lanes, n), "");
}

/* The first n lanes of a value; of one a scalar. */
static LLVMValueRef
first_lanes(struct narrower *w, LLVMValueRef v, unsigned n)
{
    LLVMValueRef is = ls_ptrmap_get(&w->first, v);
    int from[MAX_LANES];

    v = is ? is : v;
    if (width_of(v) == n || (n == 1 && !width_of(v)))
        return v;
    if (n == 1)
        return LLVMBuildExtractElement(w->b, v, LLVMConstInt(w->i32, 0, false), "");
    for (unsigned l = 0; l < n; l++)
        from[l] = l < width_of(v) ? (int)l : -1;
    return shuffle(w, v, NULL, from, n);
}

static LLVMValueRef
short_shuffle(struct narrower *w, LLVMValueRef inst, unsigned n)
{
    unsigned width = width_of(LLVMGetOperand(inst, 0)), most = 2;
    LLVMValueRef of[2] = {LLVMGetOperand(inst, 0), LLVMGetOperand(inst, 1)};
    int from[MAX_LANES];
    bool reads[2] = {false, false};

    for (unsigned l = 0; l < n; l++) {
        from[l] = LLVMGetMaskValue(inst, l);
        if (from[l] == LLVMGetUndefMaskElem()) {
            from[l] = -1;
            continue;
        }
        reads[from[l] >= (int)width] = true;
        while ((unsigned)from[l] % width >= most)
            most *= 2;
    }
    if (most > width)
        most = width;
    if (n == 1) {
        if (from[0] < 0)
            return LLVMGetPoison(LLVMGetElementType(LLVMTypeOf(inst)));
        of[0] = first_lanes(w, of[from[0] / (int)width], most);
        return LLVMBuildExtractElement(
            w->b, of[0], LLVMConstInt(w->i32, (unsigned)from[0] % width, false), "");
    }
    for (unsigned l = 0; l < n; l++)
        if (from[l] >= (int)width)
            from[l] += (int)(reads[0] ? most : 0) - (int)width;
    for (unsigned i = 0; i < 2; i++)
        of[i] = reads[i] ? first_lanes(w, of[i], most) : NULL;
    if (!of[0] && !of[1])
        return LLVMGetPoison(LLVMVectorType(LLVMGetElementType(LLVMTypeOf(inst)), n));
    return shuffle(w, of[0] ? of[0] : of[1], of[0] ? of[1] : NULL, from, n);
}

/* An instruction for its first n lanes alone. */
static LLVMValueRef
shorten(struct narrower *w, LLVMValueRef inst, unsigned n)
{
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(inst));
    LLVMValueRef v;

    LLVMPositionBuilderBefore(w->b, inst);
    if (LLVMIsAShuffleVectorInst(inst))
        return short_shuffle(w, inst, n);
    if (n > 1)
        type = LLVMVectorType(type, n);
    v = first_lanes(w, LLVMGetOperand(inst, 0), n);
    if (LLVMIsACastInst(inst))
        return LLVMBuildCast(w->b, LLVMGetInstructionOpcode(inst), v, type, "");
    if (LLVMIsAUnaryOperator(inst))
        v = LLVMBuildFNeg(w->b, v, "");
    else
        v = LLVMBuildBinOp(w->b, LLVMGetInstructionOpcode(inst), v,
                           first_lanes(w, LLVMGetOperand(inst, 1), n), "");
    if (LLVMIsAInstruction(v) && LLVMCanValueUseFastMathFlags(v))
        LLVMSetFastMathFlags(v, LLVMGetFastMathFlags(inst));
    return v;
}

/* Whether an instruction that reads few lanes of `of` can read them from a short vector. */
static void
read_short(struct narrower *w, LLVMValueRef inst)
{
    LLVMValueRef of = LLVMGetOperand(inst, 0), is = ls_ptrmap_get(&w->first, of), v;

    if (!is)
        return;
    LLVMPositionBuilderBefore(w->b, inst);
    v = width_of(is) ? LLVMBuildExtractElement(w->b, is, LLVMGetOperand(inst, 1), "") : is;
    LLVMReplaceAllUsesWith(inst, v);
}

void
ls_narrow(struct ls_cc *cc, LLVMBasicBlockRef bb)
{
    struct narrower w = {.cc = cc, .bb = bb, .i32 = LLVMInt32TypeInContext(cc->llvm)};

    ls_ptrmap_init(&w.read, cc->arena);
    ls_ptrmap_init(&w.first, cc->arena);
    w.b = LLVMCreateBuilderInContext(cc->llvm);
    for (LLVMValueRef i = LLVMGetLastInstruction(bb); i; i = LLVMGetPreviousInstruction(i)) {
        for (LLVMUseRef u = LLVMGetFirstUse(i); u && width_of(i); u = LLVMGetNextUse(u))
            if (LLVMIsAPHINode(LLVMGetUser(u)) || LLVMGetInstructionParent(LLVMGetUser(u)) != bb)
                note(&w, i, width_of(i));
        note_operands(&w, i);
    }
    for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
        unsigned n = lanes_read(&w, i), width = width_of(i);

        next = LLVMGetNextInstruction(i);
        if (LLVMIsAExtractElementInst(i))
            read_short(&w, i);
        else if (n && n < width && width <= MAX_LANES &&
                 (is_by_lane(i) || LLVMIsAShuffleVectorInst(i)))
            ls_ptrmap_set(&w.first, i, shorten(&w, i, n));
    }
    LLVMDisposeBuilder(w.b);
}
