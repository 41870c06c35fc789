/* SPDX-License-Identifier: MIT */
/* Arithmetic in 16-bit floats, done in f32: LLVM would call libgcc lane by lane, functions that a
 * host may lack. Conversions are integer arithmetic. bfloat everywhere (AVX512_BF16 converts, but
 * loses denormal numbers), half where F16C is missing; multiply-add in half wherever the machine
 * has none. f32's second rounding does no harm to sums, products, quotients and square roots, since
 * 24 bits are twice half's 11 and two more; it does to multiply-add. Values lie in i16 between
 * operations, since LLVM would also convert to move vectors of them. */
#include "host/host.h"

#include <string.h>

#include "compiler/ir/ir.h"

struct halves {
    struct ls_arena *arena;
    LLVMContextRef llvm;
    LLVMModuleRef mod;
    LLVMBuilderRef b;
    bool soft_half;
    bool has_half; /* the machine computes in half */
};

/* Intrinsics that compute in 16-bit floats. n_types: how many types stand in the name; the float's
 * is the first, or the last where `late`. */
static const struct {
    const char *name;
    unsigned n_types;
    bool late;
} intrinsics[] = {
    {"llvm.canonicalize.", 1, false},
    {"llvm.ceil.", 1, false},
    {"llvm.copysign.", 1, false},
    {"llvm.cos.", 1, false},
    {"llvm.exp.", 1, false},
    {"llvm.exp10.", 1, false},
    {"llvm.exp2.", 1, false},
    {"llvm.fabs.", 1, false},
    {"llvm.floor.", 1, false},
    {"llvm.fma.", 1, false}, /* of bfloat alone, where AMD's machines compute in f32 as well; half's
                                is multiply_add's */
    {"llvm.fptosi.sat.", 2, true},
    {"llvm.fptoui.sat.", 2, true},
    {"llvm.ldexp.", 2, false},
    {"llvm.log.", 1, false},
    {"llvm.log10.", 1, false},
    {"llvm.log2.", 1, false},
    {"llvm.maximum.", 1, false},
    {"llvm.maxnum.", 1, false},
    {"llvm.minimum.", 1, false},
    {"llvm.minnum.", 1, false},
    {"llvm.nearbyint.", 1, false},
    {"llvm.pow.", 1, false},
    {"llvm.powi.", 2, false},
    {"llvm.rint.", 1, false},
    {"llvm.round.", 1, false},
    {"llvm.roundeven.", 1, false},
    {"llvm.sin.", 1, false},
    {"llvm.sqrt.", 1, false},
    {"llvm.trunc.", 1, false},
    {"llvm.vector.reduce.fadd.", 1, false},
    {"llvm.vector.reduce.fmax.", 1, false},
    {"llvm.vector.reduce.fmin.", 1, false},
    {"llvm.vector.reduce.fmul.", 1, false},
};

static bool
is_soft(const struct halves *h, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(ls_ir_elem(type));
    return kind == LLVMBFloatTypeKind || (kind == LLVMHalfTypeKind && h->soft_half);
}

static LLVMTypeRef
floats_like(const struct halves *h, LLVMTypeRef type)
{
    return ls_ir_like(type, LLVMFloatTypeInContext(h->llvm));
}

static LLVMTypeRef
words_like(const struct halves *h, LLVMTypeRef type)
{
    return ls_ir_like(type, LLVMInt32TypeInContext(h->llvm));
}

static LLVMTypeRef
bits_like(const struct halves *h, LLVMTypeRef type)
{
    return ls_ir_like(type, LLVMInt16TypeInContext(h->llvm));
}

static LLVMValueRef
constant(const struct halves *h, LLVMTypeRef type, LLVMValueRef one)
{
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return one;
    unsigned n = LLVMGetVectorSize(type);
    LLVMValueRef *all = ls_arena_alloc(h->arena, n * sizeof(all[0]));
    for (unsigned i = 0; i < n; i++)
        all[i] = one;
    return LLVMConstVector(all, n);
}

#define WORD(v)                                                                                    \
    constant(h, LLVMTypeOf(x), LLVMConstInt(LLVMInt32TypeInContext(h->llvm), v, 0))
#define REAL(type, v)   constant(h, type, LLVMConstReal(ls_ir_elem(type), v))
#define AND(l, r)       LLVMBuildAnd(h->b, l, r, "")
#define OR(l, r)        LLVMBuildOr(h->b, l, r, "")
#define ADD(l, r)       LLVMBuildAdd(h->b, l, r, "")
#define SUB(l, r)       LLVMBuildSub(h->b, l, r, "")
#define SHL(l, n)       LLVMBuildShl(h->b, l, WORD(n), "")
#define SHR(l, n)       LLVMBuildLShr(h->b, l, WORD(n), "")
#define ABOVE(l, r)     LLVMBuildICmp(h->b, LLVMIntUGT, l, r, "")
#define SELECT(c, l, r) LLVMBuildSelect(h->b, c, l, r, "")
#define CAST(v, type)   LLVMBuildBitCast(h->b, v, type, "")

/* The 16 bits of a half, in a word, to the bits of a float. A multiplication moves the exponent,
 * which is right for denormal numbers, too. */
static LLVMValueRef
half_bits_to_float(const struct halves *h, LLVMValueRef x)
{
    LLVMTypeRef words = LLVMTypeOf(x), floats = floats_like(h, words);
    LLVMValueRef size = AND(x, WORD(0x7fff)), sign = SHL(AND(x, WORD(0x8000)), 16);
    LLVMValueRef scaled =
        CAST(LLVMBuildFMul(h->b, CAST(SHL(size, 13), floats), REAL(floats, 0x1p112), ""), words);
    LLVMValueRef special = SELECT(ABOVE(size, WORD(0x7bff)), WORD(0x7f800000), WORD(0));
    return OR(OR(scaled, special), sign);
}

/* Bits of a float -> of the nearest half, even at ties. Adding 0.5 leaves a denormal half in the
 * last bits. */
static LLVMValueRef
float_bits_to_half(const struct halves *h, LLVMValueRef x)
{
    LLVMTypeRef words = LLVMTypeOf(x), floats = floats_like(h, words);
    LLVMValueRef size = AND(x, WORD(0x7fffffff)), sign = SHR(AND(x, WORD(0x80000000u)), 16);
    LLVMValueRef nan = OR(WORD(0x7e00), AND(SHR(size, 13), WORD(0x3ff)));
    LLVMValueRef special = SELECT(ABOVE(size, WORD(0x7f800000)), nan, WORD(0x7c00));
    LLVMValueRef sum = LLVMBuildFAdd(h->b, CAST(size, floats), REAL(floats, 0.5), "");
    LLVMValueRef denormal = SUB(CAST(sum, words), WORD(0x3f000000));
    LLVMValueRef odd = AND(SHR(size, 13), WORD(1));
    LLVMValueRef normal = SHR(ADD(ADD(size, WORD(0xc8000fffu)), odd), 13);
    LLVMValueRef small = SELECT(ABOVE(WORD(0x38800000), size), denormal, normal);
    return OR(SELECT(ABOVE(size, WORD(0x477fffff)), special, small), sign);
}

static LLVMValueRef
float_bits_to_bfloat(const struct halves *h, LLVMValueRef x)
{
    LLVMValueRef nan = ABOVE(AND(x, WORD(0x7fffffff)), WORD(0x7f800000));
    LLVMValueRef rounded = ADD(ADD(x, WORD(0x7fff)), AND(SHR(x, 16), WORD(1)));
    return SHR(SELECT(nan, OR(x, WORD(0x400000)), rounded), 16);
}

/* A value of the 16-bit float types as i16; values of other types as they are. */
static LLVMValueRef
as_bits(const struct halves *h, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v), bits = bits_like(h, type);

    if (!is_soft(h, type))
        return v;
    bool was_bits = LLVMIsABitCastInst(v) && LLVMTypeOf(LLVMGetOperand(v, 0)) == bits;
    return was_bits ? LLVMGetOperand(v, 0) : CAST(v, bits);
}

static LLVMValueRef
to_float(const struct halves *h, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v), words = words_like(h, type);
    bool is_half = LLVMGetTypeKind(ls_ir_elem(type)) == LLVMHalfTypeKind;
    LLVMValueRef x = LLVMBuildZExt(h->b, as_bits(h, v), words, "");

    x = is_half ? half_bits_to_float(h, x) : SHL(x, 16);
    return CAST(x, floats_like(h, type));
}

static LLVMValueRef
from_float(const struct halves *h, LLVMValueRef v, LLVMTypeRef type)
{
    bool is_half = LLVMGetTypeKind(ls_ir_elem(type)) == LLVMHalfTypeKind;
    LLVMValueRef x = CAST(v, words_like(h, type));

    x = is_half ? float_bits_to_half(h, x) : float_bits_to_bfloat(h, x);
    return CAST(LLVMBuildTrunc(h->b, x, bits_like(h, type), ""), type);
}

/* ---- One rounding ---- */

/* f, rounded to nearest, becomes the number rounded to odd: what lies between two floats becomes
 * the one whose last bit is 1. As a float has more than one bit more than half and bfloat have,
 * rounding that to one of them is the only rounding that counts. too_big: f lies further from 0
 * than the number. */
static LLVMValueRef
round_to_odd(const struct halves *h, LLVMValueRef f, LLVMValueRef too_big, LLVMValueRef inexact)
{
    LLVMTypeRef words = words_like(h, LLVMTypeOf(f));
    LLVMValueRef x = CAST(f, words),
                 odd = OR(SUB(x, LLVMBuildZExt(h->b, too_big, words, "")), WORD(1));

    return CAST(SELECT(inexact, odd, x), LLVMTypeOf(f));
}

static LLVMValueRef
from_double(const struct halves *h, LLVMValueRef d, LLVMTypeRef type)
{
    LLVMTypeRef doubles = LLVMTypeOf(d);
    LLVMTypeRef longs = ls_ir_like(doubles, LLVMInt64TypeInContext(h->llvm));
    LLVMValueRef f = LLVMBuildFPTrunc(h->b, d, floats_like(h, type), "");
    LLVMValueRef back = LLVMBuildFPExt(h->b, f, doubles, "");
    LLVMValueRef no_sign = constant(h, longs, LLVMConstInt(ls_ir_elem(longs), ~0ull >> 1, 0));
    LLVMValueRef too_big = ABOVE(AND(CAST(back, longs), no_sign), AND(CAST(d, longs), no_sign));
    LLVMValueRef inexact = LLVMBuildFCmp(h->b, LLVMRealONE, back, d, "");
    return from_float(h, round_to_odd(h, f, too_big, inexact), type);
}

/* a * b + c in half. The product is exact in f32: 22 bits, from 2^-48 to 2^32. The sum is not: of
 * f32's rounding error, which is a float by itself (Knuth's TwoSum), the sign says where the number
 * lies. It is no number where the sum is none, so the sum stays. The sum is a multiple of 2^-48,
 * hence no denormal float. */
static LLVMValueRef
fma_of_halves(const struct halves *h, const LLVMValueRef in[3])
{
    LLVMTypeRef type = LLVMTypeOf(in[0]), floats = floats_like(h, type),
                words = words_like(h, type);
    LLVMValueRef f[3];

    for (unsigned i = 0; i < 3; i++)
        f[i] = h->soft_half ? to_float(h, in[i]) : LLVMBuildFPExt(h->b, in[i], floats, "");
    LLVMValueRef product = LLVMBuildFMul(h->b, f[0], f[1], "");
    LLVMValueRef sum = LLVMBuildFAdd(h->b, product, f[2], "");
    LLVMValueRef of_c = LLVMBuildFSub(h->b, sum, product, "");
    LLVMValueRef of_product = LLVMBuildFSub(h->b, sum, of_c, "");
    LLVMValueRef error = LLVMBuildFAdd(h->b, LLVMBuildFSub(h->b, product, of_product, ""),
                                       LLVMBuildFSub(h->b, f[2], of_c, ""), "");
    LLVMValueRef inexact = LLVMBuildFCmp(h->b, LLVMRealONE, error, REAL(floats, 0), "");
    LLVMValueRef differ = LLVMBuildXor(h->b, CAST(error, words), CAST(sum, words), "");
    LLVMValueRef too_big = LLVMBuildICmp(h->b, LLVMIntSLT, differ, LLVMConstNull(words), "");
    LLVMValueRef odd = round_to_odd(h, sum, too_big, inexact);
    return h->soft_half ? from_float(h, odd, type) : LLVMBuildFPTrunc(h->b, odd, type, "");
}

/* ---- Instructions ---- */

static LLVMValueRef
widened(const struct halves *h, LLVMValueRef v)
{
    return is_soft(h, LLVMTypeOf(v)) ? to_float(h, v) : v;
}

static bool
is_kind(LLVMValueRef v, LLVMTypeKind kind)
{
    return LLVMGetTypeKind(ls_ir_elem(LLVMTypeOf(v))) == kind;
}

/* Multiply-add in half, where computing in f32 and rounding would round twice. llvm.fmuladd, which
 * may be fused, is fused in half and not in bfloat, as on AMD's machines. Returns NULL for other
 * instructions. */
static LLVMValueRef
multiply_add(const struct halves *h, LLVMValueRef i)
{
    const char *name = LLVMIsACallInst(i) ? ls_ir_callee_name(i) : NULL;
    bool fuses = name && ls_ir_has_prefix(name, "llvm.fma."),
         may_fuse = name && ls_ir_has_prefix(name, "llvm.fmuladd.");
    LLVMValueRef in[3];

    if (!fuses && !may_fuse)
        return NULL;
    for (unsigned k = 0; k < 3; k++)
        in[k] = LLVMGetOperand(i, k);
    if (is_kind(i, LLVMHalfTypeKind) && !h->has_half)
        return fma_of_halves(h, in);
    if (is_kind(i, LLVMBFloatTypeKind) && may_fuse) {
        LLVMTypeRef type = LLVMTypeOf(i);
        LLVMValueRef product = LLVMBuildFMul(h->b, to_float(h, in[0]), to_float(h, in[1]), "");
        product = to_float(h, from_float(h, product, type));
        return from_float(h, LLVMBuildFAdd(h->b, product, to_float(h, in[2]), ""), type);
    }
    return NULL;
}

static LLVMValueRef
soften_call(const struct halves *h, LLVMValueRef call)
{
    const char *name = ls_ir_callee_name(call);
    unsigned n_args = LLVMGetNumArgOperands(call), which = 0,
             n = sizeof(intrinsics) / sizeof(intrinsics[0]);
    LLVMValueRef args[4];

    while (which < n && (!name || !ls_ir_has_prefix(name, intrinsics[which].name)))
        which++;
    if (which == n || n_args > 4)
        return NULL;
    LLVMTypeRef result = LLVMTypeOf(call);
    LLVMTypeRef wide = is_soft(h, result) ? floats_like(h, result) : result;
    for (unsigned i = 0; i < n_args; i++)
        args[i] = widened(h, LLVMGetOperand(call, i));
    LLVMTypeRef first =
        LLVMTypeOf(args[n_args > 1 && ls_ir_has_prefix(name, "llvm.vector.reduce.") ? 1 : 0]);
    LLVMTypeRef types[2] = {first, n_args > 1 ? LLVMTypeOf(args[1]) : NULL};
    if (intrinsics[which].late) {
        types[0] = wide;
        types[1] = first;
    }
    unsigned id = LLVMLookupIntrinsicID(intrinsics[which].name, strlen(intrinsics[which].name) - 1);
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(h->mod, id, types, intrinsics[which].n_types);
    return LLVMBuildCall2(h->b, LLVMGlobalGetValueType(fn), fn, args, n_args, "");
}

/* The same instruction computed in f32, its result converted back; NULL when it does not compute in
 * 16-bit floats. */
static LLVMValueRef
soften(const struct halves *h, LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMValueRef a = LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) : NULL;

    switch (op) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
        return LLVMBuildBinOp(h->b, op, widened(h, a), widened(h, LLVMGetOperand(i, 1)), "");
    case LLVMFNeg:
        return LLVMBuildFNeg(h->b, widened(h, a), "");
    case LLVMFCmp:
        return LLVMBuildFCmp(h->b, LLVMGetFCmpPredicate(i), widened(h, a),
                             widened(h, LLVMGetOperand(i, 1)), "");
    case LLVMFPExt:
        return LLVMBuildFPExt(h->b, widened(h, a), type, "");
    case LLVMFPTrunc:
        return is_soft(h, LLVMTypeOf(a)) ? widened(h, a) : a;
    case LLVMFPToSI:
    case LLVMFPToUI:
        return LLVMBuildCast(h->b, op, widened(h, a), type, "");
    case LLVMSIToFP:
    case LLVMUIToFP:
        return LLVMBuildCast(h->b, op, a, ls_ir_like(type, LLVMDoubleTypeInContext(h->llvm)), "");
    case LLVMCall:
        return LLVMIsAIntrinsicInst(i) ? soften_call(h, i) : NULL;
    default:
        return NULL;
    }
}

/* ---- Storage ---- */

static LLVMValueRef
copy_access(LLVMValueRef from, LLVMValueRef to)
{
    LLVMSetAlignment(to, ls_ir_access_alignment(from));
    LLVMSetVolatile(to, LLVMGetVolatile(from));
    LLVMSetOrdering(to, LLVMGetOrdering(from));
    return to;
}

static LLVMValueRef
phi_of_bits(const struct halves *h, LLVMValueRef phi)
{
    unsigned n = LLVMCountIncoming(phi);
    LLVMValueRef bits = LLVMBuildPhi(h->b, bits_like(h, LLVMTypeOf(phi)), "");

    for (unsigned i = 0; i < n; i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        LLVMPositionBuilderBefore(h->b, LLVMGetBasicBlockTerminator(from));
        LLVMValueRef v = as_bits(h, LLVMGetIncomingValue(phi, i));
        LLVMAddIncoming(bits, &v, &from, 1);
    }
    LLVMValueRef after = bits;
    while (LLVMIsAPHINode(after))
        after = LLVMGetNextInstruction(after);
    LLVMPositionBuilderBefore(h->b, after);
    return bits;
}

static LLVMValueRef
shuffle_of_bits(const struct halves *h, LLVMValueRef i)
{
    unsigned n = LLVMGetNumMaskElements(i);
    LLVMTypeRef word = LLVMInt32TypeInContext(h->llvm);
    LLVMValueRef *mask = ls_arena_alloc(h->arena, n * sizeof(mask[0]));

    for (unsigned k = 0; k < n; k++) {
        int from = LLVMGetMaskValue(i, k);
        mask[k] = from < 0 ? LLVMGetPoison(word) : LLVMConstInt(word, (unsigned)from, 0);
    }
    return LLVMBuildShuffleVector(h->b, as_bits(h, LLVMGetOperand(i, 0)),
                                  as_bits(h, LLVMGetOperand(i, 1)), LLVMConstVector(mask, n), "");
}

static LLVMValueRef
masked_access_of_bits(const struct halves *h, LLVMValueRef call)
{
    static const struct {
        const char *name;
        unsigned value,
            address; /* numbers of the operands whose types stand in the name; 9: none */
    } accesses[] = {
        {"llvm.masked.load.", 3, 0},       {"llvm.masked.store.", 0, 1},
        {"llvm.masked.gather.", 3, 0},     {"llvm.masked.scatter.", 0, 1},
        {"llvm.masked.expandload.", 2, 9}, {"llvm.masked.compressstore.", 0, 9},
    };
    const char *name = ls_ir_callee_name(call);
    unsigned n = LLVMGetNumArgOperands(call);
    LLVMValueRef args[4];

    for (unsigned k = 0; name && n <= 4 && k < sizeof(accesses) / sizeof(accesses[0]); k++) {
        if (!ls_ir_has_prefix(name, accesses[k].name))
            continue;
        for (unsigned i = 0; i < n; i++)
            args[i] = as_bits(h, LLVMGetOperand(call, i));
        bool has_address = accesses[k].address < n;
        LLVMTypeRef types[2] = {LLVMTypeOf(args[accesses[k].value]),
                                has_address ? LLVMTypeOf(args[accesses[k].address]) : NULL};
        unsigned id = LLVMLookupIntrinsicID(accesses[k].name, strlen(accesses[k].name) - 1);
        LLVMValueRef fn = LLVMGetIntrinsicDeclaration(h->mod, id, types, has_address ? 2 : 1);
        return LLVMBuildCall2(h->b, LLVMGlobalGetValueType(fn), fn, args, n, "");
    }
    return NULL;
}

/* The same instruction on values of type i16; NULL when it stays as it is. */
static LLVMValueRef
retype(const struct halves *h, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMValueRef a = LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) : NULL;

    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return copy_access(i, LLVMBuildLoad2(h->b, bits_like(h, type), a, ""));
    case LLVMStore:
        return copy_access(i, LLVMBuildStore(h->b, as_bits(h, a), LLVMGetOperand(i, 1)));
    case LLVMPHI:
        return phi_of_bits(h, i);
    case LLVMSelect:
        return SELECT(a, as_bits(h, LLVMGetOperand(i, 1)), as_bits(h, LLVMGetOperand(i, 2)));
    case LLVMFreeze:
        return LLVMBuildFreeze(h->b, as_bits(h, a), "");
    case LLVMShuffleVector:
        return shuffle_of_bits(h, i);
    case LLVMExtractElement:
        return LLVMBuildExtractElement(h->b, as_bits(h, a), LLVMGetOperand(i, 1), "");
    case LLVMInsertElement:
        return LLVMBuildInsertElement(h->b, as_bits(h, a), as_bits(h, LLVMGetOperand(i, 1)),
                                      LLVMGetOperand(i, 2), "");
    case LLVMCall:
        return LLVMIsAIntrinsicInst(i) ? masked_access_of_bits(h, i) : NULL;
    default:
        return NULL;
    }
}

/* ---- Calls and the like: a value has its own type where it is passed, and is an i16 between
 * ---- */

/* Converts v to i16 and back behind its definition (for a parameter: at `at`), and gives the result
 * to its uses. */
static void
take_over(const struct halves *h, LLVMValueRef v, LLVMValueRef at)
{
    LLVMPositionBuilderBefore(h->b, at);
    LLVMValueRef bits = LLVMBuildBitCast(h->b, v, bits_like(h, LLVMTypeOf(v)), "");
    LLVMReplaceAllUsesWith(v, CAST(bits, LLVMTypeOf(v)));
    LLVMSetOperand(bits, 0, v);
}

/* Converts the operands of an instruction in front of it: no value of these types may live from one
 * block to another, as LLVM would keep bfloat in f32 there. */
static void
pass_on(const struct halves *h, LLVMValueRef i)
{
    if (LLVMIsABitCastInst(i))
        return;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++) {
        LLVMValueRef v = LLVMGetOperand(i, k);
        if (LLVMIsABitCastInst(v) && is_soft(h, LLVMTypeOf(v)) &&
            LLVMGetInstructionParent(v) != LLVMGetInstructionParent(i))
            LLVMSetOperand(i, k, CAST(LLVMGetOperand(v, 0), LLVMTypeOf(v)));
    }
    if (is_soft(h, LLVMTypeOf(i)) && LLVMGetFirstUse(i))
        take_over(h, i, LLVMGetNextInstruction(i));
}

static void
take_over_parameters(const struct halves *h, LLVMValueRef fn)
{
    for (LLVMValueRef p = LLVMGetFirstParam(fn); p; p = LLVMGetNextParam(p))
        if (is_soft(h, LLVMTypeOf(p)) && LLVMGetFirstUse(p) && LLVMCountBasicBlocks(fn))
            take_over(h, p, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)));
}

/* Vectors of halves are compared as singles also where the machine compares halves: LLVM 19 takes a
 * masked vcmpph for the same with its operands exchanged, and computes one for both. */
static LLVMValueRef
compare_as_singles(const struct halves *h, LLVMValueRef i)
{
    LLVMValueRef a, b;
    LLVMTypeRef type;

    if (!h->has_half || !LLVMIsAFCmpInst(i))
        return NULL;
    a = LLVMGetOperand(i, 0);
    b = LLVMGetOperand(i, 1);
    type = LLVMTypeOf(a);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind ||
        LLVMGetTypeKind(ls_ir_elem(type)) != LLVMHalfTypeKind)
        return NULL;
    type = ls_ir_like(type, LLVMFloatTypeInContext(h->llvm));
    return LLVMBuildFCmp(h->b, LLVMGetFCmpPredicate(i), LLVMBuildFPExt(h->b, a, type, ""),
                         LLVMBuildFPExt(h->b, b, type, ""), "");
}

static void
soften_instruction(const struct halves *h, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    bool concerns = is_soft(h, type);

    LLVMPositionBuilderBefore(h->b, i);
    LLVMValueRef once = multiply_add(h, i);
    once = once ? once : compare_as_singles(h, i);
    if (once) {
        LLVMReplaceAllUsesWith(i, once);
        LLVMInstructionEraseFromParent(i);
        return;
    }
    for (int k = 0; k < LLVMGetNumOperands(i) && !concerns; k++)
        concerns = is_soft(h, LLVMTypeOf(LLVMGetOperand(i, (unsigned)k)));
    if (!concerns)
        return;
    LLVMValueRef now = soften(h, i);
    if (now && LLVMIsAInstruction(now) && LLVMCanValueUseFastMathFlags(now) &&
        LLVMCanValueUseFastMathFlags(i))
        LLVMSetFastMathFlags(now, LLVMGetFastMathFlags(i));
    if (now && is_soft(h, type)) {
        bool is_double = LLVMGetTypeKind(ls_ir_elem(LLVMTypeOf(now))) == LLVMDoubleTypeKind;
        now = is_double ? from_double(h, now, type) : from_float(h, now, type);
    } else if (!now) {
        now = retype(h, i);
        if (now && is_soft(h, type))
            now = CAST(now, type);
    }
    if (!now) {
        pass_on(h, i);
        return;
    }
    if (LLVMGetTypeKind(type) != LLVMVoidTypeKind)
        LLVMReplaceAllUsesWith(i, now);
    LLVMInstructionEraseFromParent(i);
}

static void
for_each_instruction(struct halves *h, void (*visit)(const struct halves *h, LLVMValueRef i))
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(h->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                visit(h, i);
            }
}

/* Removes pairs of conversions that cancel, as they are left at the edges of loops. */
static void
drop_cast(const struct halves *h, LLVMValueRef i)
{
    LLVMValueRef middle = LLVMIsABitCastInst(i) ? LLVMGetOperand(i, 0) : NULL;

    if (!middle || !is_soft(h, LLVMTypeOf(middle)) || !LLVMIsABitCastInst(middle))
        return;
    LLVMValueRef from = LLVMGetOperand(middle, 0);
    if (LLVMTypeOf(from) == LLVMTypeOf(i)) {
        LLVMReplaceAllUsesWith(i, from);
        LLVMInstructionEraseFromParent(i);
    }
}

static void
drop_dead_cast(const struct halves *h, LLVMValueRef i)
{
    (void)h;
    if (LLVMIsABitCastInst(i) && !LLVMGetFirstUse(i))
        LLVMInstructionEraseFromParent(i);
}

void
ls_host_soften_halves(struct ls_cc *cc)
{
    struct halves h = {.arena = cc->arena,
                       .llvm = cc->llvm,
                       .mod = cc->mod,
                       .b = LLVMCreateBuilderInContext(cc->llvm),
                       .soft_half = !cc->host.arch->converts_halves(cc),
                       .has_half = cc->host.arch->computes_halves(cc)};

    for (LLVMValueRef fn = LLVMGetFirstFunction(h.mod); fn; fn = LLVMGetNextFunction(fn))
        take_over_parameters(&h, fn);
    for_each_instruction(&h, soften_instruction);
    for_each_instruction(&h, drop_cast);
    for_each_instruction(&h, drop_dead_cast);
    LLVMDisposeBuilder(h.b);
}
