/* SPDX-License-Identifier: MIT */
/* Matrix products of a warp by mma.sync (PTX ISA, "Matrix multiply-accumulate operation using mma
 * instruction"): AMD's WMMA builtins, and what lockstep/wmma.h calls in bitcode for NVIDIA.
 *
 * In mma.sync's 16x8 product lane 4g + t (a quad for each g) holds parts of rows g and g + 8 of A,
 * of column g of B, and of rows g and g + 8, columns 2t and 2t + 1 of C. WMMA's lanes hold whole
 * rows of A and columns of B, twice, and every other row of one column of C. The order of rows,
 * columns and of k is free as long as all operands agree: it is chosen so that lanes exchange with
 * those of their own quad and of one other alone. A and B change places, as a lane of WMMA's has
 * one column of C. */
#include <string.h>

#include "compiler/ir/ir.h"
#include "ptx/ptx_priv.h"

#define TILE                                                                                       \
    "ls.tile." /* (pointer, stride): a tile's share, from calls until all variables are placed */

enum { TILE_WORDS = 4, MAX_WORDS = 8 };

struct product {
    const char *name; /* of the instruction; with integers what follows says the types */
    unsigned a_words; /* 32-bit words of A in a lane */
    bool is_half;     /* which are pairs of half */
    bool is_int;
};

static const struct product products[] = {
    [LS_PTX_F16] = {"llvm.nvvm.mma.m16n8k16.row.col.f32.f32", 4, true, false},
    [LS_PTX_BF16] = {"llvm.nvvm.mma.m16n8k16.row.col.bf16", 4, false, false},
    [LS_PTX_I8] = {"llvm.nvvm.mma.m16n8k16.row.col.", 2, false, true},
    [LS_PTX_I4] = {"llvm.nvvm.mma.m16n8k32.row.col.", 2, false, true}, /* half of k is 0 */
};

static LLVMValueRef
and_(struct ls_ptx *p, LLVMValueRef v, uint64_t mask)
{
    return LLVMBuildAnd(p->b, v, ls_ptx_int(p, mask), "");
}

static LLVMValueRef
or_(struct ls_ptx *p, LLVMValueRef l, LLVMValueRef r)
{
    return LLVMBuildOr(p->b, l, r, "");
}

static LLVMValueRef
shl_(struct ls_ptx *p, LLVMValueRef v, unsigned by)
{
    return LLVMBuildShl(p->b, v, ls_ptx_int(p, by), "");
}

static LLVMValueRef
shr_(struct ls_ptx *p, LLVMValueRef v, unsigned by)
{
    return LLVMBuildLShr(p->b, v, ls_ptx_int(p, by), "");
}

static LLVMValueRef
has_bit(struct ls_ptx *p, LLVMValueRef v, unsigned bit)
{
    return LLVMBuildTrunc(p->b, shr_(p, v, bit), p->i1, "");
}

static LLVMValueRef
item(struct ls_ptx *p, LLVMValueRef vector, unsigned i)
{
    return LLVMBuildExtractElement(p->b, vector, ls_ptx_int(p, i), "");
}

static LLVMValueRef
vector_of(struct ls_ptx *p, LLVMValueRef *items, unsigned n)
{
    LLVMValueRef v = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(items[0]), n));

    for (unsigned i = 0; i < n; i++)
        v = LLVMBuildInsertElement(p->b, v, items[i], ls_ptx_int(p, i), "");
    return v;
}

/* ---- One instruction, or two ---- */

static LLVMTypeRef
word_type(struct ls_ptx *p, const struct product *x)
{
    return x->is_half ? LLVMVectorType(LLVMHalfTypeInContext(p->cc->llvm), 2) : p->i32;
}

/* d = a * b + c; all are words of 32 bits. */
static void
multiply(struct ls_ptx *p, const struct product *x, const char *types, LLVMValueRef *a,
         LLVMValueRef *b, LLVMValueRef *c, LLVMValueRef *d)
{
    LLVMTypeRef sum = x->is_int ? p->i32 : p->f32;
    LLVMValueRef args[10], all;
    unsigned n = 0, b_words = x->a_words / 2;
    char name[64];

    for (unsigned i = 0; i < x->a_words; i++)
        args[n++] = LLVMBuildBitCast(p->b, a[i], word_type(p, x), "");
    for (unsigned i = 0; i < b_words; i++)
        args[n++] = LLVMBuildBitCast(p->b, b[i], word_type(p, x), "");
    for (unsigned i = 0; i < 4; i++)
        args[n++] = LLVMBuildBitCast(p->b, c[i], sum, "");
    strcpy(name, x->name);
    strcat(name, types);
    all = ls_ptx_nvvm(p, name, args, n);
    for (unsigned i = 0; i < 4; i++)
        d[i] = LLVMBuildExtractValue(p->b, all, i, "");
}

/* ---- WMMA's layouts ---- */

/* words[0 .. 4w): a row of A or column of B, in four quarters. rows[i]: the lane's quarter (w
 * words) of the row that mma.sync's lane holds first, and second. */
static void
deal_quarters(struct ls_ptx *p, LLVMValueRef *words, unsigned w, LLVMValueRef rows[2][2])
{
    LLVMValueRef lane = ls_ptx_lane(p), upper = has_bit(p, lane, 4), odd = has_bit(p, lane, 0);
    LLVMValueRef mine[4], got[4], from[2];

    /* The two lanes that have a row serve two lanes of the quad each: an even row first the even
     * one of these, an odd row the odd one. */
    for (unsigned i = 0; i < 2 * w; i++)
        mine[i] = LLVMBuildSelect(p->b, upper, words[2 * w + i], words[i], "");
    from[0] = or_(p, shl_(p, and_(p, lane, 2), 3), and_(p, lane, 13));
    from[0] = or_(p, from[0], and_(p, shr_(p, lane, 3), 2));
    from[1] = LLVMBuildXor(p->b, from[0], ls_ptx_int(p, 1), "");
    for (unsigned i = 0; i < 2 * w; i++) {
        LLVMValueRef given = LLVMBuildSelect(p->b, odd, mine[(i + w) % (2 * w)], mine[i], "");

        got[i] = ls_ptx_shuffle(p, given, from[i / w]);
    }
    for (unsigned i = 0; i < w; i++) {
        rows[0][i] = LLVMBuildSelect(p->b, odd, got[w + i], got[i], "");
        rows[1][i] = LLVMBuildSelect(p->b, odd, got[i], got[w + i], "");
    }
}

/* pairs[i] becomes pairs[i ^ index], for the two lowest bits of the index. */
static void
exchange(struct ls_ptx *p, LLVMValueRef pairs[4][2], LLVMValueRef index)
{
    for (unsigned bit = 0; bit < 2; bit++) {
        LLVMValueRef set = has_bit(p, index, bit);

        for (unsigned i = 0; i < 4; i++)
            for (unsigned e = 0; e < 2 && !(i & 1u << bit); e++) {
                LLVMValueRef l = pairs[i][e], r = pairs[i | 1u << bit][e];

                pairs[i][e] = LLVMBuildSelect(p->b, set, r, l, "");
                pairs[i | 1u << bit][e] = LLVMBuildSelect(p->b, set, l, r, "");
            }
    }
}

/* WMMA's lane of a column and a parity of rows has a number among those that it exchanges with, as
 * mma.sync's lane t has: these two sit at 2 * (column & 1) + parity, and t. */
static LLVMValueRef
column_number(struct ls_ptx *p, LLVMValueRef lane)
{
    return or_(p, shl_(p, and_(p, lane, 1), 1), shr_(p, lane, 4));
}

/* The item of WMMA's lane that comes from lane t, its e-th. */
static unsigned
column_item(unsigned t, unsigned e)
{
    return 4 * (t & 1) + (t >> 1) + 2 * e;
}

/* items[8] of C as WMMA has them -> of two products side by side. */
static void
deal_sums(struct ls_ptx *p, LLVMValueRef *items, LLVMValueRef sums[2][4])
{
    LLVMValueRef lane = ls_ptx_lane(p), t = and_(p, lane, 3), base, pairs[4][2];

    for (unsigned i = 0; i < 8; i++)
        pairs[i % 4][i / 4] = items[column_item(i % 4, i / 4)];
    exchange(p, pairs, column_number(p, lane));
    base = or_(p, and_(p, lane, 12), shl_(p, shr_(p, lane, 4), 1));
    for (unsigned s = 0; s < 4; s++) {
        LLVMValueRef r = LLVMBuildXor(p->b, t, ls_ptx_int(p, s), "");
        LLVMValueRef from = or_(p, or_(p, base, shr_(p, r, 1)), shl_(p, and_(p, r, 1), 4));

        for (unsigned e = 0; e < 2; e++)
            pairs[s][e] = ls_ptx_shuffle(p, pairs[s][e], from);
    }
    exchange(p, pairs, t);
    for (unsigned i = 0; i < 8; i++)
        sums[i / 2 % 2][2 * (i / 4) + i % 2] = pairs[i / 2][i % 2];
}

/* And back. */
static void
collect_sums(struct ls_ptx *p, LLVMValueRef sums[2][4], LLVMValueRef *items)
{
    LLVMValueRef lane = ls_ptx_lane(p), number = column_number(p, lane), base, pairs[4][2];

    for (unsigned i = 0; i < 8; i++)
        pairs[i / 2][i % 2] = sums[i / 2 % 2][2 * (i / 4) + i % 2];
    exchange(p, pairs, and_(p, lane, 3));
    base = or_(p, shl_(p, and_(p, lane, 2), 3), and_(p, lane, 12));
    for (unsigned s = 0; s < 4; s++) {
        LLVMValueRef from = or_(p, base, LLVMBuildXor(p->b, number, ls_ptx_int(p, s), ""));

        for (unsigned e = 0; e < 2; e++)
            pairs[s][e] = ls_ptx_shuffle(p, pairs[s][e], from);
    }
    exchange(p, pairs, number);
    for (unsigned i = 0; i < 8; i++)
        items[column_item(i % 4, i / 4)] = pairs[i % 4][i / 4];
}

/* items = a * b + items, of 32 bits each. */
static void
wmma(struct ls_ptx *p, const struct product *x, const char *types, LLVMValueRef a, LLVMValueRef b,
     LLVMValueRef *items)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    unsigned n = (unsigned)(LLVMSizeOfTypeInBits(p->cc->device.layout, type) / 32);
    unsigned w = n == MAX_WORDS ? 2 : 1;
    LLVMValueRef operands[2] = {b, a}, words[MAX_WORDS], rows[2][2][2], sums[2][4];

    for (unsigned o = 0; o < 2; o++) {
        LLVMValueRef v = LLVMBuildBitCast(p->b, operands[o], LLVMVectorType(p->i32, n), "");

        for (unsigned i = 0; i < MAX_WORDS; i++)
            words[i] = i < n ? item(p, v, i) : ls_ptx_int(p, 0);
        deal_quarters(p, words, w, rows[o]);
    }
    deal_sums(p, items, sums);
    for (unsigned half = 0; half < 2; half++) {
        LLVMValueRef first[4];

        for (unsigned i = 0; i < 2 * w; i++)
            first[i] = rows[0][i % 2][i / 2];
        multiply(p, x, types, first, rows[1][half], sums[half], sums[half]);
    }
    collect_sums(p, sums, items);
}

static bool
const_argument(struct ls_ptx *p, LLVMValueRef call, unsigned i, bool *value)
{
    LLVMValueRef v = LLVMGetOperand(call, i);

    if (!LLVMIsAConstantInt(v))
        return ls_diag(p->cc, LS_DIAG_ERROR, call, "%s: argument %u is not a constant",
                       ls_ir_callee_name(call), i);
    *value = LLVMConstIntGetZExtValue(v) & 1;
    return true;
}

static bool
is_form(struct ls_ptx *p, LLVMValueRef call, LLVMValueRef c, unsigned n)
{
    return LLVMGetVectorSize(LLVMTypeOf(c)) == n ||
           ls_diag(p->cc, LS_DIAG_ERROR, call, "%s: not the form of gfx11 for 32 lanes",
                   ls_ir_callee_name(call));
}

/* (a, b, c) */
LLVMValueRef
ls_ptx_wmma(struct ls_ptx *p, LLVMValueRef call, long kind)
{
    LLVMValueRef c = LLVMGetOperand(call, 2), items[8];

    if (!is_form(p, call, c, 8))
        return NULL;
    for (unsigned i = 0; i < 8; i++)
        items[i] = item(p, c, i);
    wmma(p, &products[kind], "", LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), items);
    return vector_of(p, items, 8);
}

/* (a, b, c, high): of two neighbours in C and D one counts, the other one stays. */
LLVMValueRef
ls_ptx_wmma_halves(struct ls_ptx *p, LLVMValueRef call, long kind)
{
    LLVMTypeRef narrow = kind == LS_PTX_F16 ? LLVMHalfTypeInContext(p->cc->llvm)
                                            : LLVMBFloatTypeInContext(p->cc->llvm);
    LLVMValueRef c = LLVMGetOperand(call, 2), items[8], all;
    LLVMTypeRef type = LLVMTypeOf(c), given = LLVMGetElementType(type);
    bool high;

    if (!is_form(p, call, c, 16) || !const_argument(p, call, 3, &high))
        return NULL;
    for (unsigned i = 0; i < 8; i++)
        items[i] = LLVMBuildFPExt(
            p->b, LLVMBuildBitCast(p->b, item(p, c, 2 * i + high), narrow, ""), p->f32, "");
    wmma(p, &products[kind], "", LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), items);
    all = c;
    for (unsigned i = 0; i < 8; i++) {
        LLVMValueRef one = LLVMBuildFPTrunc(p->b, items[i], narrow, "");

        all = LLVMBuildInsertElement(p->b, all, LLVMBuildBitCast(p->b, one, given, ""),
                                     ls_ptx_int(p, 2 * i + high), "");
    }
    return all;
}

/* (a signed, a, b signed, b, c, clamp). The products alone cannot overflow: with clamp C comes
 * last. */
LLVMValueRef
ls_ptx_wmma_int(struct ls_ptx *p, LLVMValueRef call, long kind)
{
    static const char *const types[2][2][2] = {/* of first and second, which are b and a */
                                               {{"u8", "u8.s8"}, {"s8.u8", "s8"}},
                                               {{"u4", "u4.s4"}, {"s4.u4", "s4"}}};
    LLVMValueRef c = LLVMGetOperand(call, 4), items[8], args[2];
    bool a_signed, b_signed, clamp;
    LLVMValueRef d;

    if (!is_form(p, call, c, 8) || !const_argument(p, call, 0, &a_signed) ||
        !const_argument(p, call, 2, &b_signed) || !const_argument(p, call, 5, &clamp))
        return NULL;
    for (unsigned i = 0; i < 8; i++)
        items[i] = clamp ? ls_ptx_int(p, 0) : item(p, c, i);
    wmma(p, &products[kind], types[kind == LS_PTX_I4][b_signed][a_signed], LLVMGetOperand(call, 1),
         LLVMGetOperand(call, 3), items);
    d = vector_of(p, items, 8);
    if (!clamp)
        return d;
    args[0] = d;
    args[1] = c;
    LLVMTypeRef type = LLVMTypeOf(d);
    static const char name[] = "llvm.sadd.sat";
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(
        p->cc->mod, LLVMLookupIntrinsicID(name, sizeof(name) - 1), &type, 1);
    return LLVMBuildCall2(p->b, LLVMGlobalGetValueType(fn), fn, args, 2, "");
}

/* ---- lockstep/wmma.h: fragments as mma.sync has them ---- */

/* (a, b, c): C's items are those of the left product of 16x8, then of the right one. B's tile is
 * turned around: its words are those of columns 0-7, 8-15 and again for the second half of k. */
LLVMValueRef
ls_ptx_mma(struct ls_ptx *p, LLVMValueRef call, long kind)
{
    LLVMTypeRef words = LLVMVectorType(p->i32, TILE_WORDS);
    LLVMValueRef a = LLVMBuildBitCast(p->b, LLVMGetOperand(call, 0), words, "");
    LLVMValueRef b = LLVMBuildBitCast(p->b, LLVMGetOperand(call, 1), words, "");
    LLVMValueRef c = LLVMGetOperand(call, 2), as[TILE_WORDS], items[8];

    for (unsigned i = 0; i < TILE_WORDS; i++)
        as[i] = item(p, a, i);
    for (unsigned i = 0; i < 8; i++)
        items[i] = item(p, c, i);
    for (unsigned half = 0; half < 2; half++) {
        LLVMValueRef bs[2] = {item(p, b, half), item(p, b, half + 2)};

        multiply(p, &products[kind], "", as, bs, items + 4 * half, items + 4 * half);
    }
    return vector_of(p, items, 8);
}

/* (pointer, stride): a share of a tile of 16x16 elements of 16 bits, (i, k) at pointer[i * stride +
 * k]; `across`: at pointer[k * stride + i]. */
LLVMValueRef
ls_ptx_tile(struct ls_ptx *p, LLVMValueRef call, long across)
{
    LLVMTypeRef params[2] = {p->ptr, p->i32}, words = LLVMVectorType(p->i32, TILE_WORDS), type;
    LLVMValueRef args[2] = {LLVMGetOperand(call, 0), LLVMGetOperand(call, 1)}, v;

    type = LLVMFunctionType(words, params, 2, false);
    v = LLVMBuildCall2(p->b, type, ls_ir_declare(p->cc, across ? TILE "1" : TILE "0", type, true),
                       args, 2, "");
    return LLVMBuildBitCast(p->b, v, LLVMTypeOf(call), "");
}

struct tile {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    LLVMTypeRef i16, i32;
    LLVMValueRef at, stride, lane;
    bool across;
};

static LLVMValueRef
number(struct tile *t, uint64_t value)
{
    return LLVMConstInt(t->i32, value, false);
}

static LLVMValueRef
lane_bits(struct tile *t, uint64_t mask, unsigned down, unsigned up)
{
    LLVMValueRef v = LLVMBuildLShr(t->b, t->lane, number(t, down), "");

    return LLVMBuildShl(t->b, LLVMBuildAnd(t->b, v, number(t, mask), ""), number(t, up), "");
}

/* The address of element (i, k). */
static LLVMValueRef
element(struct tile *t, LLVMValueRef i, LLVMValueRef k)
{
    LLVMValueRef row = t->across ? k : i, col = t->across ? i : k, offset;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(t->cc->llvm);

    row = LLVMBuildSExt(t->b, row, i64, "");
    col = LLVMBuildSExt(t->b, col, i64, "");
    offset = LLVMBuildNSWMul(t->b, row, LLVMBuildSExt(t->b, t->stride, i64, ""), "");
    offset = LLVMBuildNSWAdd(t->b, offset, col, "");
    return LLVMBuildInBoundsGEP2(t->b, t->i16, t->at, &offset, 1, "");
}

/* Eight addresses of 16 bytes each for each of four 8x8 matrices: rows of i (of k across). */
static LLVMValueRef
load_matrices(struct tile *t)
{
    static const char *const names[] = {"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16",
                                        "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16"};
    const char *name = names[t->across];
    LLVMValueRef in = lane_bits(t, 7, 0, 0), i = lane_bits(t, 1, 3, 3), k = lane_bits(t, 1, 4, 3);
    LLVMTypeRef space = LLVMTypeOf(t->at);
    LLVMValueRef fn, at, all, v = LLVMGetPoison(LLVMVectorType(t->i32, TILE_WORDS));

    at = t->across ? element(t, i, LLVMBuildOr(t->b, k, in, ""))
                   : element(t, LLVMBuildOr(t->b, i, in, ""), k);
    fn = LLVMGetIntrinsicDeclaration(t->cc->mod, LLVMLookupIntrinsicID(name, strlen(name)), &space,
                                     1);
    all = LLVMBuildCall2(t->b, LLVMGlobalGetValueType(fn), fn, &at, 1, "");
    for (unsigned w = 0; w < TILE_WORDS; w++)
        v = LLVMBuildInsertElement(t->b, v, LLVMBuildExtractValue(t->b, all, w, ""), number(t, w),
                                   "");
    return v;
}

/* Word w: elements k and k + 1 of row i. */
static LLVMValueRef
load_words(struct tile *t, bool in_pairs)
{
    LLVMValueRef v = LLVMGetPoison(LLVMVectorType(t->i32, TILE_WORDS));

    for (unsigned w = 0; w < TILE_WORDS; w++) {
        LLVMValueRef i = LLVMBuildOr(t->b, lane_bits(t, 7, 2, 0), number(t, 8 * (w & 1)), "");
        LLVMValueRef k = LLVMBuildOr(t->b, lane_bits(t, 3, 0, 1), number(t, 8 * (w >> 1)), "");
        LLVMValueRef word, high;

        if (in_pairs) {
            word = LLVMBuildLoad2(t->b, t->i32, element(t, i, k), "");
            LLVMSetAlignment(word, 4);
        } else {
            word = LLVMBuildLoad2(t->b, t->i16, element(t, i, k), "");
            high = LLVMBuildOr(t->b, k, number(t, 1), "");
            high = LLVMBuildLoad2(t->b, t->i16, element(t, i, high), "");
            high = LLVMBuildShl(t->b, LLVMBuildZExt(t->b, high, t->i32, ""), number(t, 16), "");
            word = LLVMBuildOr(t->b, LLVMBuildZExt(t->b, word, t->i32, ""), high, "");
        }
        v = LLVMBuildInsertElement(t->b, v, word, number(t, w), "");
    }
    return v;
}

/* Whether address and rows lie at multiples of `bytes`. */
static LLVMValueRef
is_aligned(struct tile *t, unsigned bytes)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(t->cc->llvm);
    LLVMValueRef step = LLVMBuildShl(t->b, LLVMBuildSExt(t->b, t->stride, i64, ""),
                                     LLVMConstInt(i64, 1, false), "");
    LLVMValueRef v = LLVMBuildOr(t->b, LLVMBuildPtrToInt(t->b, t->at, i64, ""), step, "");

    v = LLVMBuildAnd(t->b, v, LLVMConstInt(i64, bytes - 1, false), "");
    return LLVMBuildICmp(t->b, LLVMIntEQ, v, LLVMConstInt(i64, 0, false), "");
}

static bool
is_op(LLVMValueRef v, LLVMOpcode op)
{
    return (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op) ||
           (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == op);
}

/* A generic pointer as one into shared memory, if that is what it was made of; else NULL. */
static LLVMValueRef
shared_pointer(struct tile *t, LLVMValueRef pointer)
{
    LLVMValueRef indices[8], from;
    unsigned n;

    if (is_op(pointer, LLVMAddrSpaceCast)) {
        from = LLVMGetOperand(pointer, 0);
        return LLVMGetPointerAddressSpace(LLVMTypeOf(from)) == LS_SPACE_SHARED ? from : NULL;
    }
    n = is_op(pointer, LLVMGetElementPtr) ? (unsigned)LLVMGetNumOperands(pointer) - 1 : 0;
    if (!n || n > sizeof(indices) / sizeof(indices[0]))
        return NULL;
    from = shared_pointer(t, LLVMGetOperand(pointer, 0));
    for (unsigned i = 0; i < n; i++)
        indices[i] = LLVMGetOperand(pointer, i + 1);
    return from ? LLVMBuildGEP2(t->b, LLVMGetGEPSourceElementType(pointer), from, indices, n, "")
                : NULL;
}

/* The short way where the address allows that, else element by element. */
static LLVMValueRef
expand(struct tile *t, LLVMValueRef call)
{
    LLVMBasicBlockRef head = ls_ir_split_before(t->cc, call), body = LLVMGetInstructionParent(call);
    LLVMBasicBlockRef fast, slow;
    LLVMValueRef shared, words[2], phi, condition;
    static const char lane[] = "llvm.nvvm.read.ptx.sreg.laneid";
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(
        t->cc->mod, LLVMLookupIntrinsicID(lane, sizeof(lane) - 1), NULL, 0);

    LLVMPositionBuilderBefore(t->b, LLVMGetBasicBlockTerminator(head));
    shared = shared_pointer(t, LLVMGetOperand(call, 0));
    t->at = shared ? shared : LLVMGetOperand(call, 0);
    t->stride = LLVMGetOperand(call, 1);
    t->lane = LLVMBuildCall2(t->b, LLVMGlobalGetValueType(fn), fn, NULL, 0, "");
    if (!shared && t->across) /* there is no short way */
        return load_words(t, false);
    if (ls_ptx_known_zeros(t->cc, t->at) >= (shared ? 4 : 2) &&
        ls_ptx_known_zeros(t->cc, t->stride) >= (shared ? 3 : 1))
        return shared ? load_matrices(t) : load_words(t, true);
    condition = is_aligned(t, shared ? 16 : 4);
    fast = LLVMInsertBasicBlockInContext(t->cc->llvm, body, "tile");
    slow = LLVMInsertBasicBlockInContext(t->cc->llvm, body, "elements");
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
    LLVMPositionBuilderAtEnd(t->b, head);
    LLVMBuildCondBr(t->b, condition, fast, slow);
    LLVMPositionBuilderAtEnd(t->b, fast);
    words[0] = shared ? load_matrices(t) : load_words(t, true);
    LLVMBuildBr(t->b, body);
    LLVMPositionBuilderAtEnd(t->b, slow);
    words[1] = load_words(t, false);
    LLVMBuildBr(t->b, body);
    LLVMPositionBuilderBefore(t->b, call);
    phi = LLVMBuildPhi(t->b, LLVMTypeOf(call), "");
    LLVMAddIncoming(phi, words, (LLVMBasicBlockRef[]){fast, slow}, 2);
    return phi;
}

void
ls_ptx_load_tiles(struct ls_cc *cc)
{
    static const char *const names[] = {TILE "0", TILE "1"};
    struct tile t = {.cc = cc,
                     .b = LLVMCreateBuilderInContext(cc->llvm),
                     .i16 = LLVMInt16TypeInContext(cc->llvm),
                     .i32 = LLVMInt32TypeInContext(cc->llvm)};

    for (unsigned across = 0; across < 2; across++) {
        LLVMValueRef fn = LLVMGetNamedFunction(cc->mod, names[across]);

        t.across = across;
        for (LLVMUseRef use; fn && (use = LLVMGetFirstUse(fn));) {
            LLVMValueRef call = LLVMGetUser(use);

            LLVMReplaceAllUsesWith(call, expand(&t, call));
            LLVMInstructionEraseFromParent(call);
        }
        if (fn)
            LLVMDeleteFunction(fn);
    }
    LLVMDisposeBuilder(t.b);
}
