/* SPDX-License-Identifier: MIT */
/* Matrix products of a warp: WMMA and MFMA, dense and 4:2 sparse. Lane layouts are those that AMD's
 * instruction set documents give (RDNA 3 section 7.9, CDNA 3 section 7); one formula covers them
 * all: A[i][k] of block b: lane i + M*(b + B*(k / k_lane)), item k % k_lane; B[k][j] likewise with
 * j and N D[i][j] of block b: rows in runs of `run`, the runs over the lane groups of N first, then
 * over the items. WMMA holds all of K in each lane: only the first 16 lanes' A and B are read,
 * their copies are not.
 *
 * Rows of D are vectors over j. A row of A goes through memory, so that one element is a broadcast
 * load, which x86 folds into the multiplication; rows of B are slices of registers. EXEC does not
 * count here, nor in hardware. Products accumulate in f32 (f64) with one rounding each, in the
 * order of k; integers exactly. */
#include <stdio.h>
#include <string.h>

#include "base/ptrmap.h"
#include "compiler/ir/ir.h"
#include "base/isa.h"
#include "lower/lower_priv.h"

#define MAX_K     64 /* values of k in one instruction */
#define MAX_ITEMS 32 /* elements of D in one lane */

/* How a step of the dot product is done. */
enum step {
    STEP_FMA = 0, /* one k: f32 or f64 */
    STEP_WORDS,   /* two k: pairs of i16 in an i32, sums in i32 */
    STEP_BFLOATS, /* two k: pairs of bfloat in an i32, sums in f32; AVX-512 */
};

struct matrix {
    unsigned m, n, k, blocks;
    enum ls_matrix_elem a, b;
    bool is_wmma, is_sparse;
    unsigned run;    /* rows that follow each other in a lane's items */
    unsigned k_lane; /* items of B in one lane, and of A unless sparse */
    enum step step;
    unsigned per_step; /* values of k in one step */
    bool a_signed, b_signed;
    unsigned cbsz, abid, blgp;
    LLVMTypeRef unit, sum; /* of one step's operand, of D's element while summing */
    LLVMValueRef call;
};

static void
matrix_decode(struct ls_vf *vf, LLVMValueRef call, long data, struct matrix *x)
{
    unsigned long bits = (unsigned long)data;

    memset(x, 0, sizeof(*x));
    x->call = call;
    x->m = bits & 0xff;
    x->n = (bits >> 8) & 0xff;
    x->k = (bits >> 16) & 0xff;
    x->blocks = (bits >> 24) & 0xff;
    x->a = (enum ls_matrix_elem)((bits >> 32) & 0xf);
    x->b = (enum ls_matrix_elem)((bits >> 36) & 0xf);
    x->is_wmma = bits & LS_MATRIX_WMMA;
    x->is_sparse = bits & LS_MATRIX_SPARSE;
    x->run = x->is_wmma || x->a == LS_ME_F64 ? 1 : 4;
    x->k_lane = x->is_wmma ? x->k : x->k * x->n * x->blocks / 64;
    x->a_signed = x->b_signed = true;
    bool ints = x->a == LS_ME_I8 || x->a == LS_ME_I4;
    if (ints)
        x->step = STEP_WORDS;
    else if (x->a == LS_ME_BF16 && x->b == LS_ME_BF16 && !x->is_sparse &&
             vf->cc->host.simd->dot_bf16.piece && x->n >= vf->cc->host.simd->dot_bf16.piece)
        x->step = STEP_BFLOATS;
    /* Sparse products pick rows of B one by one. */
    x->per_step = x->step == STEP_FMA || x->is_sparse ? 1 : 2;
    x->sum = ints ? vf->i32 : x->a == LS_ME_F64 ? vf->f64 : vf->f32;
    x->unit = x->step == STEP_FMA ? x->sum : vf->i32;
}

/* ---- Where things are ---- */

/* Lane and item of D[i][j] of a block. */
static void
result_place(struct ls_vf *vf, const struct matrix *x, unsigned i, unsigned block, unsigned *lane,
             unsigned *item)
{
    unsigned groups = vf->n_lanes / x->n, per_block = x->m * x->n / vf->n_lanes;

    if (per_block == 0) { /* a block is smaller than the warp */
        *lane = x->n * (block + x->blocks * (i / x->run));
        *item = i % x->run;
        return;
    }
    *lane = x->n * (i / x->run % groups);
    *item = block * per_block + x->run * (i / (x->run * groups)) + i % x->run;
}

/* First lane of A's (or B's) rows with step s in a block; the item within the lane. */
static unsigned
operand_lane(const struct matrix *x, unsigned size, unsigned s, unsigned block, unsigned *item)
{
    unsigned in_lane = x->k_lane / x->per_step;

    *item = s % in_lane;
    return x->is_wmma ? 0 : size * (block + x->blocks * (s / in_lane));
}

/* CBSZ: 2^cbsz neighbouring blocks take A from one of them, ABID says which. */
static unsigned
block_of_a(const struct matrix *x, unsigned block)
{
    unsigned span = (1u << x->cbsz) - 1;
    return x->is_sparse ? block : (block & ~span) + (x->abid & span);
}

/* ---- Operands as f32, f64 or words, by item ---- */

/* bfloat as i16 -> f32, and to the nearest, even at ties. host/halves.c says how. */
LLVMValueRef
ls_lower_build_bf16(struct ls_vf *vf, LLVMValueRef x)
{
    LLVMTypeRef bfloats = ls_lanes_like(LLVMTypeOf(x), LLVMBFloatTypeInContext(vf->llvm));
    return LLVMBuildFPExt(vf->b, B_BITCAST(x, bfloats), ls_lanes_like(bfloats, vf->f32), "");
}

LLVMValueRef
ls_lower_build_to_bf16(struct ls_vf *vf, LLVMValueRef x)
{
    LLVMTypeRef bfloats = ls_lanes_like(LLVMTypeOf(x), LLVMBFloatTypeInContext(vf->llvm));
    LLVMValueRef rounded = LLVMBuildFPTrunc(vf->b, x, bfloats, "");
    return B_BITCAST(rounded, ls_lanes_like(bfloats, vf->i16));
}

/* xf32: ten bits of mantissa. */
static LLVMValueRef
round_xf32(struct ls_vf *vf, LLVMValueRef x)
{
    LLVMTypeRef floats = LLVMTypeOf(x), words = ls_lanes_int_like(floats);
    LLVMValueRef bits = B_BITCAST(x, words);
    LLVMValueRef odd = B_AND(B_LSHR(bits, B_INT(bits, 13)), B_INT(bits, 1));
    LLVMValueRef rounded =
        B_AND(B_ADD(B_ADD(bits, B_INT(bits, 0xfff)), odd), B_INT(bits, ~0x1fffull));
    return B_SEL(B_FCMP(UNO, x, x), x, B_BITCAST(rounded, floats));
}

/* Two neighbouring 16-bit components as one word, the first in the low half. */
static LLVMValueRef
pair_of(struct ls_vf *vf, LLVMValueRef lo, LLVMValueRef hi)
{
    LLVMTypeRef halves = LLVMVectorType(vf->i16, vf->n_lanes),
                words = LLVMVectorType(vf->i32, vf->n_lanes);

    lo = B_ZEXT(B_BITCAST(lo, halves), words);
    hi = B_ZEXT(B_BITCAST(hi, halves), words);
    return B_OR(lo, B_SHL(hi, B_INT(hi, 16)));
}

/* Word i of an operand that is an i32, an i64 or a vector of i32. */
static LLVMValueRef
word_of(struct ls_vf *vf, LLVMValueRef wide, unsigned i)
{
    LLVMTypeRef words = LLVMVectorType(vf->i32, vf->n_lanes);

    if (LLVMGetElementType(LLVMTypeOf(wide)) == vf->i64)
        return B_TRUNC(i ? B_LSHR(wide, B_INT(wide, 32 * i)) : wide, words);
    return ls_vf_component(vf, wide, i);
}

/* Bits [from, from + bits) of a word, extended. */
static LLVMValueRef
field_of(struct ls_vf *vf, LLVMValueRef word, unsigned from, unsigned bits, bool is_signed)
{
    LLVMValueRef top = B_SHL(word, B_INT(word, 32 - from - bits)), down = B_INT(word, 32 - bits);
    return is_signed ? B_ASHR(top, down) : B_LSHR(top, down);
}

/* Item i of an operand, one value of k. */
static LLVMValueRef
single_item(struct ls_vf *vf, enum ls_matrix_elem elem, LLVMValueRef wide, unsigned i,
            bool is_signed)
{
    LLVMTypeRef floats = LLVMVectorType(vf->f32, vf->n_lanes);
    LLVMValueRef v;

    switch (elem) {
    case LS_ME_F16:
        return LLVMBuildFPExt(vf->b, ls_vf_component(vf, wide, i), floats, "");
    case LS_ME_BF16:
        return ls_lower_build_bf16(vf, ls_vf_component(vf, wide, i));
    case LS_ME_F32:
    case LS_ME_F64:
        return ls_vf_component(vf, wide, i);
    case LS_ME_XF32:
        return round_xf32(vf, ls_vf_component(vf, wide, i));
    case LS_ME_I8:
        return field_of(vf, word_of(vf, wide, i / 4), 8 * (i % 4), 8, is_signed);
    case LS_ME_I4:
        return field_of(vf, word_of(vf, wide, i / 8), 4 * (i % 8), 4, is_signed);
    default:
        v = word_of(vf, wide, i / 4);
        v = B_LSHR(v, B_INT(v, 8 * (i % 4)));
        return ls_lower_build_fp8(vf, v, elem == LS_ME_BF8);
    }
}

/* Operand of step i within a lane. */
static LLVMValueRef
step_item(struct ls_vf *vf, const struct matrix *x, enum ls_matrix_elem elem, LLVMValueRef wide,
          unsigned i, bool is_signed)
{
    if (x->per_step == 1)
        return single_item(vf, elem, wide, i, is_signed);
    if (x->step == STEP_BFLOATS)
        return pair_of(vf, ls_vf_component(vf, wide, 2 * i), ls_vf_component(vf, wide, 2 * i + 1));
    LLVMValueRef lo = single_item(vf, elem, wide, 2 * i, is_signed);
    LLVMValueRef hi = single_item(vf, elem, wide, 2 * i + 1, is_signed);
    return B_OR(B_AND(lo, B_INT(lo, 0xffff)), B_SHL(hi, B_INT(hi, 16)));
}

/* The modifier BLGP: B's lanes are taken from others. 1 and 2: one half of the warp stands for
 * both; 3: all move down by 16; 4 to 7: 16 lanes stand for all. */
static LLVMValueRef
permute_b(struct ls_vf *vf, const struct matrix *x, LLVMValueRef wide)
{
    int from[LS_MAX_LANES];

    if (!x->blgp || x->a == LS_ME_F64 || x->is_sparse)
        return wide;
    for (unsigned l = 0; l < vf->n_lanes; l++)
        from[l] = (int)(x->blgp == 1   ? l % 32
                        : x->blgp == 2 ? 32 + l % 32
                        : x->blgp == 3 ? (l + 16) % 64
                                       : 16 * (x->blgp - 4) + l % 16);
    return ls_lower_shuffle(vf, wide, LLVMGetPoison(LLVMTypeOf(wide)), from);
}

/* ---- One step: sum += a * b for vectors of one length ---- */

/* Pairs of i16 in words: sum + the products of the low and of the high ones. */
static LLVMValueRef
dot_words(struct ls_vf *vf, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sum)
{
    const struct ls_simd_op *op = &vf->cc->host.simd->dot_i16;
    LLVMValueRef sixteen = B_INT(a, 16), args[2] = {a, b};

    if (op->piece)
        return B_ADD(ls_lower_op_do(vf, op, args), sum);
    LLVMValueRef low =
        B_MUL(B_ASHR(B_SHL(a, sixteen), sixteen), B_ASHR(B_SHL(b, sixteen), sixteen));
    LLVMValueRef high = B_MUL(B_ASHR(a, sixteen), B_ASHR(b, sixteen));
    return B_ADD(B_ADD(low, high), sum);
}

static LLVMValueRef
step_do(struct ls_vf *vf, const struct matrix *x, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sum)
{
    LLVMValueRef args[3] = {a, b, sum};

    if (x->step == STEP_FMA)
        return ls_lower_mad(vf, a, b, sum);
    if (x->step == STEP_BFLOATS)
        return ls_lower_op_do(vf, &vf->cc->host.simd->dot_bf16, args);
    if (x->per_step == 1)
        return B_ADD(B_MUL(a, b), sum);
    return dot_words(vf, a, b, sum);
}

/* ---- Operands through memory ---- */

/* A room: memory that holds an operand's items, as [item][lane] of the unit's type, with as many
 * lanes as lanes_in_memory() says. */
struct ls_matrix_room {
    struct ls_matrix_room *next;
    LLVMValueRef slot;    /* alloca */
    LLVMValueRef operand; /* whose items are in it; NULL: none */
    const void *kind;     /* the same operand may be wanted in two forms: format and step */
    uint64_t bytes;
    LLVMValueRef at; /* its address, as something that LLVM does not see through */
};

/* The address behind an empty piece of assembly: LLVM would otherwise turn loads of what was just
 * stored into permutes of registers. */
static LLVMValueRef
opaque_address(struct ls_vf *vf, LLVMValueRef p)
{
    static const char constraints[] = "=r,0";
    LLVMTypeRef type = LLVMFunctionType(vf->ptr, &vf->ptr, 1, 0);
    LLVMValueRef code = LLVMGetInlineAsm(type, "", 0, constraints, sizeof(constraints) - 1, 1, 0,
                                         LLVMInlineAsmDialectATT, 0);
    return LLVMBuildCall2(vf->b, type, code, &p, 1, "");
}

/* Rooms are kept for one block of the function: the same operand of several products is stored
 * once. */
static struct ls_matrix_room *
room_find(struct ls_vf *vf, LLVMValueRef operand, const void *kind, uint64_t bytes, bool *is_filled)
{
    struct ls_matrix_room *r, *spare = NULL;

    if (vf->matrix_block != vf->cur_block + 1) {
        for (r = vf->matrix_rooms; r; r = r->next)
            r->operand = NULL;
        vf->matrix_block = vf->cur_block + 1;
    }
    for (r = vf->matrix_rooms; r; r = r->next) {
        if (r->operand == operand && r->kind == kind) {
            *is_filled = true;
            return r;
        }
        if (!r->operand && r->bytes >= bytes)
            spare = r;
    }
    *is_filled = false;
    if (!spare) {
        spare = ls_arena_alloc(vf->cc->arena, sizeof(*spare));
        spare->slot = ls_vf_temp(vf, LLVMArrayType2(vf->i8, bytes), "matrix.a");
        LLVMSetAlignment(spare->slot, 64);
        spare->bytes = bytes;
        spare->next = vf->matrix_rooms;
        vf->matrix_rooms = spare;
    }
    spare->operand = operand;
    spare->kind = kind;
    return spare;
}

static LLVMValueRef
element_address(struct ls_vf *vf, LLVMTypeRef type, LLVMValueRef at, LLVMValueRef index)
{
    return LLVMBuildInBoundsGEP2(vf->b, type, at, &index, 1, "");
}

/* WMMA's lanes behind the first 16 hold copies. */
static unsigned
lanes_in_memory(struct ls_vf *vf, const struct matrix *x)
{
    return x->is_wmma ? 16 : vf->n_lanes;
}

static LLVMValueRef
items_to_memory(struct ls_vf *vf, const struct matrix *x, LLVMValueRef operand,
                enum ls_matrix_elem elem, unsigned n_items, bool is_signed, unsigned blgp)
{
    static const char kinds[16][4][2][8];
    unsigned kept = lanes_in_memory(vf, x);
    uint64_t bytes = (uint64_t)n_items * kept * (ls_lanes_bits(x->unit) / 8);
    bool is_filled;
    struct ls_matrix_room *room =
        room_find(vf, operand, &kinds[elem][x->per_step][is_signed][blgp], bytes, &is_filled);

    LLVMValueRef wide = is_filled ? NULL : ls_vf_vector(vf, operand);
    if (wide && blgp)
        wide = permute_b(vf, x, wide);
    for (unsigned i = 0; i < n_items && !is_filled; i++) {
        LLVMValueRef v = ls_vf_slice(vf, step_item(vf, x, elem, wide, i, is_signed), 0, kept);
        LLVMValueRef p =
            element_address(vf, x->unit, room->slot, LLVMConstInt(vf->i64, (uint64_t)i * kept, 0));
        LLVMSetAlignment(LLVMBuildStore(vf->b, v, p), 64);
    }
    return room->slot;
}

static LLVMValueRef
broadcast_load(struct ls_vf *vf, const struct matrix *x, LLVMValueRef at, unsigned index,
               unsigned n)
{
    LLVMValueRef p = element_address(vf, x->unit, at, LLVMConstInt(vf->i64, index, 0));
    LLVMValueRef one = LLVMBuildLoad2(vf->b, x->unit, p, "");
    return ls_lower_splat_to(vf, LLVMVectorType(x->unit, n), one);
}

static LLVMValueRef
row_load(struct ls_vf *vf, const struct matrix *x, LLVMValueRef at, unsigned index, unsigned n)
{
    LLVMValueRef p = element_address(vf, x->unit, at, LLVMConstInt(vf->i64, index, 0));
    LLVMValueRef row = LLVMBuildLoad2(vf->b, LLVMVectorType(x->unit, n), p, "");
    LLVMSetAlignment(row, n * ls_lanes_bits(x->unit) / 8);
    return row;
}

/* ---- Products ---- */

/* Sums that fit into registers, with some left for the operands, where the processor has a
 * convention that passes so many. */
#define MAX_SUMS 16
#define MAX_LINKS 4 /* products that follow each other in one function */
#define MAX_OPERANDS (3 * MAX_LINKS)

/* Products each of which is the next one's C and nothing else's: their sums stay in registers. */
struct chain {
    LLVMValueRef link[MAX_LINKS];
    unsigned n;
};

/* One or two chains with the same As: D's items before and after as <W x sum>. */
struct side {
    LLVMValueRef old_b[MAX_LINKS], *c, *d;
};

/* How rows of D are cut: pieces of a register, so many rows at a time. */
struct tiling {
    unsigned length, in_row, n_links, n_sides, per_row, rows, n_sums;
};

static struct tiling
tiling_of(struct ls_vf *vf, const struct matrix *x, unsigned n_links, unsigned n_sides)
{
    struct tiling t = {.n_links = n_links, .n_sides = n_sides};
    unsigned room = vf->cc->isa->n_registers / 2;

    t.length = vf->cc->isa->vector_bits / ls_lanes_bits(x->sum);
    t.length = t.length < x->n ? t.length : x->n;
    t.in_row = x->n / t.length;
    t.per_row = t.in_row * n_sides;
    t.rows = t.per_row < room ? room / t.per_row : 1;
    t.rows = t.rows < x->m ? t.rows : x->m;
    t.n_sums = t.rows * t.per_row;
    return t;
}

/* The steps of all k for some rows: (sums..., A's rows and B of each side for each link) -> sums. A
 * function of its own, so that a kernel with many products stays small enough for the instruction
 * cache, and its sums in registers. */
static LLVMValueRef
tile_function(struct ls_vf *vf, const struct matrix *x, const struct tiling *t)
{
    unsigned n_steps = x->k / x->per_step, kept = lanes_in_memory(vf, x), item;
    unsigned per_link = 1 + t->n_sides, n_operands = t->n_links * per_link;
    LLVMTypeRef params[MAX_SUMS + MAX_OPERANDS], piece = LLVMVectorType(x->sum, t->length);
    LLVMValueRef sum[MAX_SUMS];
    const char *name =
        ls_arena_printf(vf->cc->arena, LS_MATRIX_FUNCTION "%u.%u.%u.%u.%u.%u.%u.%u.%u", x->m, x->n,
                        x->k, x->blocks, (unsigned)x->step, (unsigned)LLVMGetTypeKind(x->sum), kept,
                        t->n_links, t->n_sides);
    LLVMValueRef fn = LLVMGetNamedFunction(vf->mod, name);

    if (fn)
        return fn;
    for (unsigned i = 0; i < t->n_sums; i++)
        params[i] = piece;
    for (unsigned i = 0; i < n_operands; i++)
        params[t->n_sums + i] = vf->ptr;
    LLVMTypeRef result = LLVMStructTypeInContext(vf->llvm, params, t->n_sums, 0);
    fn = LLVMAddFunction(vf->mod, name,
                         LLVMFunctionType(result, params, t->n_sums + n_operands, 0));
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    LLVMSetFunctionCallConv(fn, vf->cc->host.simd->many_vectors_call);
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, ls_ir_attribute(vf->cc, "noinline", 0));
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, ls_ir_attribute(vf->cc, "nounwind", 0));
    LLVMBasicBlockRef caller = LLVMGetInsertBlock(vf->b);
    LLVMPositionBuilderAtEnd(vf->b, LLVMAppendBasicBlockInContext(vf->llvm, fn, ""));
    for (unsigned i = 0; i < t->n_sums; i++)
        sum[i] = LLVMGetParam(fn, i);
    for (unsigned step = 0; step < t->n_links * n_steps; step++) {
        unsigned s = step % n_steps, a = t->n_sums + step / n_steps * per_link;
        for (unsigned i = 0; i < t->n_sums; i++) {
            unsigned o = i % t->per_row / t->in_row, column = i % t->in_row * t->length;
            LLVMValueRef at_a = LLVMGetParam(fn, a), at_b = LLVMGetParam(fn, a + 1 + o);
            unsigned lane_a = operand_lane(x, x->m, s, 0, &item) + i / t->per_row;
            LLVMValueRef one = broadcast_load(vf, x, at_a, item * kept + lane_a, t->length);
            unsigned lane_b = operand_lane(x, x->n, s, 0, &item) + column;
            LLVMValueRef row = row_load(vf, x, at_b, item * kept + lane_b, t->length);
            sum[i] = step_do(vf, x, one, row, sum[i]);
        }
    }
    LLVMValueRef all = LLVMGetPoison(result);
    for (unsigned i = 0; i < t->n_sums; i++)
        all = LLVMBuildInsertValue(vf->b, all, sum[i], i, "");
    LLVMBuildRet(vf->b, all);
    LLVMPositionBuilderAtEnd(vf->b, caller);
    return fn;
}

/* Rows of N lanes, N at least 16, in pieces of a register. old_a: of each link. */
static void
product_by_rows(struct ls_vf *vf, const struct matrix *x, const LLVMValueRef *old_a,
                unsigned n_links, const struct side *side, unsigned n_sides)
{
    unsigned W = vf->n_lanes, in_lane = x->k_lane / x->per_step, lane, place;
    struct tiling t = tiling_of(vf, x, n_links, n_sides);
    LLVMValueRef args[MAX_SUMS + MAX_OPERANDS], at[MAX_OPERANDS],
        parts[2][MAX_ITEMS][LS_MAX_LANES / 2];
    LLVMValueRef fn = tile_function(vf, x, &t);
    unsigned n_operands = 0;

    for (unsigned l = 0; l < n_links; l++) {
        at[n_operands++] = items_to_memory(vf, x, old_a[l], x->a, in_lane, x->a_signed, 0);
        for (unsigned o = 0; o < n_sides; o++)
            at[n_operands++] = items_to_memory(vf, x, side[o].old_b[l], x->b, in_lane, x->b_signed,
                                               x->blgp);
    }
    for (unsigned at_row = 0; at_row < x->m * x->blocks; at_row += t.rows) {
        unsigned block = at_row / x->m, i = at_row % x->m;
        for (unsigned k = 0; k < t.n_sums; k++) {
            result_place(vf, x, i + k / t.per_row, block, &lane, &place);
            args[k] = ls_vf_slice(vf, side[k % t.per_row / t.in_row].c[place],
                                     lane + k % t.in_row * t.length, t.length);
        }
        unsigned first_a = x->is_wmma ? i : x->m * block_of_a(x, block) + i;
        for (unsigned k = 0; k < n_operands; k++) {
            unsigned first = k % (1 + n_sides) ? x->n * block : first_a;
            args[t.n_sums + k] =
                element_address(vf, x->unit, at[k], LLVMConstInt(vf->i64, first, 0));
        }
        LLVMValueRef all = LLVMBuildCall2(vf->b, LLVMGlobalGetValueType(fn), fn, args,
                                          t.n_sums + n_operands, "");
        LLVMSetInstructionCallConv(all, vf->cc->host.simd->many_vectors_call);
        for (unsigned k = 0; k < t.n_sums; k++) {
            result_place(vf, x, i + k / t.per_row, block, &lane, &place);
            parts[k % t.per_row / t.in_row][place][lane / t.length + k % t.in_row] =
                LLVMBuildExtractValue(vf->b, all, k, "");
        }
    }
    for (unsigned o = 0; o < n_sides; o++)
        for (unsigned v = 0; v < x->m * x->n * x->blocks / W; v++)
            side[o].d[v] = ls_vf_concat(vf, parts[o][v], W / t.length);
}

/* ---- Chains and their partners ---- */

static bool
same_modifiers(LLVMValueRef call, LLVMValueRef other)
{
    for (unsigned i = 3; i < LLVMGetNumArgOperands(call); i++)
        if (LLVMGetOperand(other, i) != LLVMGetOperand(call, i))
            return false;
    return LLVMGetCalledValue(other) == LLVMGetCalledValue(call);
}

/* The product whose C this one is, when that is its only use. */
static LLVMValueRef
next_link(LLVMValueRef call)
{
    LLVMUseRef use = LLVMGetFirstUse(call);
    LLVMValueRef user = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;

    return user && LLVMIsACallInst(user) && same_modifiers(call, user) &&
                   LLVMGetOperand(user, 2) == call &&
                   LLVMGetInstructionParent(user) == LLVMGetInstructionParent(call)
               ? user
               : NULL;
}

/* The chain that ends with a product, cut into MAX_LINKS from its start; none when it goes on. */
static bool
chain_ending_at(LLVMValueRef call, struct chain *chain)
{
    unsigned n = 0;

    for (LLVMValueRef at = call; at;) {
        LLVMValueRef c = LLVMGetOperand(at, 2);
        n++;
        at = LLVMIsACallInst(c) && next_link(c) == at ? c : NULL;
    }
    chain->n = n % MAX_LINKS ? n % MAX_LINKS : MAX_LINKS;
    for (unsigned l = chain->n; l-- > 0; call = LLVMGetOperand(call, 2))
        chain->link[l] = call;
    return chain->n == MAX_LINKS || !next_link(chain->link[chain->n - 1]);
}

/* A chain that ends further down, with the same As and modifiers, whose Bs and C are there already:
 * two at once read each element of A once for both. */
static bool
find_partner(struct ls_vf *vf, const struct chain *chain, struct chain *partner)
{
    enum { FAR = 64 };
    LLVMValueRef end = chain->link[chain->n - 1], at = LLVMGetNextInstruction(end);

    for (unsigned distance = 0; at && distance < FAR; at = LLVMGetNextInstruction(at), distance++) {
        if (!LLVMIsACallInst(at) || !same_modifiers(end, at) ||
            LLVMGetOperand(at, 0) != LLVMGetOperand(end, 0) || ls_ptrmap_get(&vf->matrix_done, at))
            continue;
        bool fits = chain_ending_at(at, partner) && partner->n == chain->n;
        for (unsigned l = 0; l < chain->n && fits; l++)
            fits = LLVMGetOperand(partner->link[l], 0) == LLVMGetOperand(chain->link[l], 0);
        LLVMValueRef c = LLVMGetOperand(partner->link[0], 2);
        for (LLVMValueRef i = end; i != at && fits; i = LLVMGetNextInstruction(i)) {
            fits = i != c;
            for (unsigned l = 0; l < partner->n; l++)
                fits &= i != LLVMGetOperand(partner->link[l], 1);
        }
        if (fits)
            return true;
    }
    return false;
}

/* (a, b, c, ...) with C and D in the type of the sums; D of a partner is kept until its turn
 * comes. */
static LLVMValueRef
product_and_partner(struct ls_vf *vf, const struct matrix *x)
{
    LLVMValueRef c[2][MAX_ITEMS], d[2][MAX_ITEMS], result[2] = {NULL}, old_a[MAX_LINKS];
    LLVMValueRef kept = ls_ptrmap_get(&vf->matrix_done, x->call);
    unsigned n_items = x->m * x->n * x->blocks / vf->n_lanes, n_sides = 1;
    struct chain chain[2];
    struct side side[2];

    if (kept)
        return kept;
    if (!chain_ending_at(x->call, &chain[0])) /* its only use is a product that does this one too */
        return LLVMGetPoison(ls_vf_wide_type(vf, ls_vf_host_type(vf, LLVMTypeOf(x->call))));
    if (x->m * x->n * x->blocks <= 1024 /* a larger product fills the registers by itself */ &&
        find_partner(vf, &chain[0], &chain[1]))
        n_sides = 2;
    for (unsigned o = 0; o < n_sides; o++) {
        LLVMValueRef wide = ls_vf_vector(vf, LLVMGetOperand(chain[o].link[0], 2));
        for (unsigned v = 0; v < n_items; v++)
            c[o][v] = ls_vf_component(vf, wide, v);
        side[o] = (struct side){.c = c[o], .d = d[o]};
        for (unsigned l = 0; l < chain[o].n; l++) {
            old_a[l] = LLVMGetOperand(chain[o].link[l], 0);
            side[o].old_b[l] = LLVMGetOperand(chain[o].link[l], 1);
        }
    }
    product_by_rows(vf, x, old_a, chain[0].n, side, n_sides);
    for (unsigned o = 0; o < n_sides; o++)
        result[o] = ls_vf_from_components(vf, d[o], n_items);
    if (n_sides == 2)
        ls_ptrmap_set(&vf->matrix_done, chain[1].link[chain[1].n - 1], result[1]);
    return result[0];
}

/* Small blocks: every lane's A and B by a constant permute. */
static void
product_by_lanes(struct ls_vf *vf, const struct matrix *x, LLVMValueRef old_a, LLVMValueRef old_b,
                 LLVMValueRef *c, LLVMValueRef *d)
{
    unsigned W = vf->n_lanes, in_lane = x->k_lane / x->per_step, n_steps = x->k / x->per_step;
    LLVMValueRef a = ls_vf_vector(vf, old_a), b = permute_b(vf, x, ls_vf_vector(vf, old_b));
    int from_a[MAX_ITEMS][LS_MAX_LANES], from_b[LS_MAX_LANES];
    LLVMValueRef items_a[MAX_K], items_b[MAX_K];
    unsigned n_items = 0, item = 0;

    for (unsigned s = 0; s < in_lane; s++) {
        items_a[s] = step_item(vf, x, x->a, a, s, x->a_signed);
        items_b[s] = step_item(vf, x, x->b, b, s, x->b_signed);
    }
    for (unsigned i = 0; i < x->m; i++) {
        unsigned lane, place;
        result_place(vf, x, i, 0, &lane, &place);
        n_items = place + 1 > n_items ? place + 1 : n_items;
    }
    for (unsigned v = 0; v < n_items; v++)
        d[v] = c[v];
    for (unsigned s = 0; s < n_steps; s++) {
        for (unsigned block = 0; block < x->blocks; block++)
            for (unsigned i = 0; i < x->m; i++) {
                unsigned lane, place, first_b = operand_lane(x, x->n, s, block, &item);
                unsigned first_a = operand_lane(x, x->m, s, block_of_a(x, block), &item);
                result_place(vf, x, i, block, &lane, &place);
                for (unsigned j = 0; j < x->n; j++) {
                    from_a[place][lane + j] = (int)(first_a + i);
                    from_b[lane + j] = (int)(first_b + j);
                }
            }
        LLVMValueRef none = LLVMGetPoison(LLVMVectorType(x->unit, W));
        LLVMValueRef lanes_b = ls_lower_shuffle(vf, items_b[item], none, from_b);
        for (unsigned v = 0; v < n_items; v++)
            d[v] =
                step_do(vf, x, ls_lower_shuffle(vf, items_a[item], none, from_a[v]), lanes_b, d[v]);
    }
}

/* 4:2 sparse A: of four neighbouring k two are there, and four bits of the index say which. B's
 * rows go through memory too, so that the index chooses one by its address. */
static void
product_sparse(struct ls_vf *vf, const struct matrix *x, LLVMValueRef *c, LLVMValueRef *d)
{
    unsigned W = vf->n_lanes, groups = x->k_lane / 4, shift = 0;
    LLVMTypeRef words = LLVMVectorType(vf->i32, W), row_type = LLVMVectorType(x->unit, x->n);
    LLVMValueRef at_a =
        items_to_memory(vf, x, LLVMGetOperand(x->call, 0), x->a, x->k_lane / 2, true, 0);
    LLVMValueRef at_b =
        items_to_memory(vf, x, LLVMGetOperand(x->call, 1), x->b, x->k_lane, true, 0);
    LLVMValueRef index = ls_vf_vector(vf, LLVMGetOperand(x->call, 3)),
                 parts[MAX_ITEMS][LS_MAX_LANES / 16];
    LLVMValueRef slot = ls_vf_temp(vf, words, "matrix.index");

    at_a = opaque_address(vf, at_a);
    at_b = opaque_address(vf, at_b);
    /* The register has room for several indices of a lane; ABID counts unless CBSZ is set. */
    if (!x->cbsz)
        shift = x->abid * 4 * groups & 31;
    LLVMBuildStore(vf->b, shift ? B_LSHR(index, B_INT(index, shift)) : index, slot);
    LLVMValueRef at_index = opaque_address(vf, slot);
    for (unsigned i = 0; i < x->m; i++) {
        unsigned lane, place;
        result_place(vf, x, i, 0, &lane, &place);
        LLVMValueRef sum = ls_vf_slice(vf, c[place], lane, x->n);
        for (unsigned g = 0; g < x->k / x->k_lane; g++) {
            unsigned row_lane = g * x->m + i;
            LLVMValueRef which = LLVMBuildLoad2(
                vf->b, vf->i32,
                element_address(vf, vf->i32, at_index, LLVMConstInt(vf->i64, row_lane, 0)), "");
            for (unsigned t = 0; t < 2 * groups; t++) {
                LLVMValueRef in4 = B_AND(B_LSHR(which, B_INT(which, 2 * t)), B_INT(which, 3));
                LLVMValueRef item =
                    B_ADD(B_ZEXT(in4, vf->i64), LLVMConstInt(vf->i64, t / 2 * 4, 0));
                LLVMValueRef element = B_ADD(B_MUL(item, LLVMConstInt(vf->i64, W, 0)),
                                             LLVMConstInt(vf->i64, (uint64_t)g * x->n, 0));
                LLVMValueRef row = LLVMBuildLoad2(vf->b, row_type,
                                                  element_address(vf, x->unit, at_b, element), "");
                LLVMSetAlignment(row, 4);
                sum = step_do(vf, x, broadcast_load(vf, x, at_a, t * W + row_lane, x->n), row, sum);
            }
        }
        parts[place][lane / x->n] = sum;
    }
    for (unsigned v = 0; v < x->m * x->n / W; v++)
        d[v] = ls_vf_concat(vf, parts[v], W / x->n);
}

static void
product(struct ls_vf *vf, const struct matrix *x, LLVMValueRef a, LLVMValueRef b, LLVMValueRef *c,
        LLVMValueRef *d)
{
    if (x->is_sparse)
        product_sparse(vf, x, c, d);
    else if (x->n >= 16)
        product_by_rows(vf, x, &a, 1, &(struct side){{b}, c, d}, 1);
    else
        product_by_lanes(vf, x, a, b, c, d);
}

/* ---- The builtins ---- */

static bool
wave_is(struct ls_vf *vf, LLVMValueRef call, unsigned lanes)
{
    if (vf->n_lanes == lanes)
        return true;
    ls_diag(vf->cc, LS_DIAG_ERROR, call, "%s needs %u lanes in a warp, here are %u",
            ls_lower_callee_name(call), lanes, vf->n_lanes);
    return false;
}

/* (a, b, c, cbsz, abid, blgp); sparse: (a, b, c, index, cbsz, abid) */
LLVMValueRef
ls_lower_mfma(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef c[MAX_ITEMS], d[MAX_ITEMS];
    unsigned long long cbsz, abid, blgp = 0;
    struct matrix x;

    matrix_decode(vf, call, data, &x);
    unsigned first = x.is_sparse ? 4 : 3;
    if (!wave_is(vf, call, 64) || !ls_lower_const_arg(vf, call, first, &cbsz) ||
        !ls_lower_const_arg(vf, call, first + 1, &abid) ||
        (!x.is_sparse && !ls_lower_const_arg(vf, call, 5, &blgp)))
        return NULL;
    x.cbsz = (unsigned)cbsz & 7;
    x.abid = (unsigned)abid & 15;
    x.blgp = (unsigned)blgp & 7;
    if (!x.is_sparse && (1u << x.cbsz) > x.blocks && x.cbsz) {
        ls_diag(vf->cc, LS_DIAG_ERROR, call, "%s: cbsz %u with %u blocks is not supported",
                ls_lower_callee_name(call), x.cbsz, x.blocks);
        return NULL;
    }
    if (!x.is_sparse && x.n >= 16 && x.a != LS_ME_F64)
        return product_and_partner(vf, &x);
    LLVMValueRef wide = ls_vf_vector(vf, LLVMGetOperand(call, 2));
    unsigned n = x.m * x.n * x.blocks / 64;
    for (unsigned v = 0; v < n; v++)
        c[v] = ls_vf_component(vf, wide, v);
    if (x.a == LS_ME_F64 &&
        x.blgp) { /* here its bits negate A, B and C: the product's sign, and C's */
        for (unsigned v = 0; v < n; v++)
            c[v] = ((x.blgp ^ x.blgp >> 1) & 1) != (x.blgp >> 2) ? B_FNEG(c[v]) : c[v];
    }
    product(vf, &x, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), c, d);
    if (x.a == LS_ME_F64 && ((x.blgp ^ x.blgp >> 1) & 1))
        for (unsigned v = 0; v < n; v++)
            d[v] = B_FNEG(d[v]);
    return ls_vf_from_components(vf, d, n);
}

/* f16 and bf16 in D and C: every other item, `high` says which; the others stay as they are in
 * C. */
static LLVMValueRef
wmma_halves(struct ls_vf *vf, const struct matrix *x, LLVMValueRef wide_c, unsigned high)
{
    LLVMValueRef c[MAX_ITEMS], d[MAX_ITEMS], comps[2 * MAX_ITEMS];
    unsigned n = 256 / vf->n_lanes;
    LLVMTypeRef floats = LLVMVectorType(vf->f32, vf->n_lanes);
    bool is_bf16 = x->a == LS_ME_BF16;

    for (unsigned v = 0; v < n; v++) {
        comps[2 * v] = ls_vf_component(vf, wide_c, 2 * v);
        comps[2 * v + 1] = ls_vf_component(vf, wide_c, 2 * v + 1);
        LLVMValueRef one = comps[2 * v + high];
        c[v] = is_bf16 ? ls_lower_build_bf16(vf, one) : LLVMBuildFPExt(vf->b, one, floats, "");
    }
    product(vf, x, LLVMGetOperand(x->call, 0), LLVMGetOperand(x->call, 1), c, d);
    for (unsigned v = 0; v < n; v++) {
        LLVMTypeRef type = LLVMTypeOf(comps[2 * v + high]);
        comps[2 * v + high] = is_bf16 ? B_BITCAST(ls_lower_build_to_bf16(vf, d[v]), type)
                                      : LLVMBuildFPTrunc(vf->b, d[v], type, "");
    }
    return ls_vf_from_components(vf, comps, 2 * n);
}

static bool
has_length(LLVMValueRef value, unsigned n)
{
    return ls_lanes_length(LLVMTypeOf(value)) == n;
}

/* (a, b, c), 16-bit results: (a, b, c, high); integers: (a signed, a, b signed, b, c, clamp) */
LLVMValueRef
ls_lower_wmma(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef c[MAX_ITEMS], d[MAX_ITEMS];
    unsigned long long a_signed = 1, b_signed = 1, clamp = 0, high = 0;
    struct matrix x;

    matrix_decode(vf, call, data, &x);
    bool ints = x.sum == vf->i32, halves = (unsigned long)data & LS_MATRIX_HALVES;
    if (ints &&
        (!ls_lower_const_arg(vf, call, 0, &a_signed) ||
         !ls_lower_const_arg(vf, call, 2, &b_signed) || !ls_lower_const_arg(vf, call, 5, &clamp)))
        return NULL;
    if (halves && !ls_lower_const_arg(vf, call, 3, &high))
        return NULL;
    LLVMValueRef a = LLVMGetOperand(call, ints ? 1 : 0), b = LLVMGetOperand(call, ints ? 3 : 1);
    LLVMValueRef old_c = LLVMGetOperand(call, ints ? 4 : 2);
    unsigned n = 256 / vf->n_lanes, length_a = ints ? (x.a == LS_ME_I8 ? 4 : 2) : 16;
    if (vf->n_lanes == 1 || !has_length(a, length_a) || !has_length(old_c, halves ? 2 * n : n)) {
        ls_diag(vf->cc, LS_DIAG_ERROR, call, "%s: not the form of gfx11 for %u lanes",
                ls_lower_callee_name(call), vf->n_lanes);
        return NULL;
    }
    x.a_signed = a_signed;
    x.b_signed = b_signed;
    if (!ints && !halves)
        return product_and_partner(vf, &x);
    LLVMValueRef wide = ls_vf_vector(vf, old_c);
    if (halves)
        return wmma_halves(vf, &x, wide, (unsigned)high & 1);
    for (unsigned v = 0; v < n; v++) {
        c[v] = ls_vf_component(vf, wide, v);
        if (clamp) /* the products alone cannot overflow: C comes last, saturating */
            c[v] = B_INT(c[v], 0);
    }
    product(vf, &x, a, b, c, d);
    for (unsigned v = 0; v < n && clamp; v++)
        d[v] = ls_lower_llvm2(vf, "llvm.sadd.sat", d[v], ls_vf_component(vf, wide, v));
    return ls_vf_from_components(vf, d, n);
}
