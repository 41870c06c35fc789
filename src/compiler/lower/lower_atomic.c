/* SPDX-License-Identifier: MIT */
/* Atomics of a warp. One address for the whole warp: reduce (or scan) in registers, then one memory
 * operation. Different addresses: lane after lane. LDS and private memory belong to one OS thread,
 * so plain loads and stores are atomic enough there; everything else is a real host atomic. */
#include <string.h>

#include "compiler/ir/ir.h"
#include "lower/lower_priv.h"

/* Who must see an access in order, as far as it makes a difference on a CPU. */
enum scope {
    SCOPE_NONE = 0,
    SCOPE_THREAD, /* no more than the block, all of which runs on this OS thread */
    SCOPE_SYSTEM,
};

struct rmw {
    LLVMValueRef inst;      /* atomicrmw, or a call of an atomic builtin */
    LLVMAtomicRMWBinOp op;
    LLVMAtomicOrdering order;
    bool plain;             /* no other OS thread can see the location */
    bool is_volatile;
    bool used;              /* the old value is asked for */
    LLVMValueRef ptr, value; /* operands of the device code */
    LLVMTypeRef type;       /* of one lane's value, host type */
};

/* ---- The operation itself, on scalars or vectors ---- */

static LLVMValueRef
rmw_apply(struct ls_vf *vf, LLVMAtomicRMWBinOp op, LLVMValueRef old, LLVMValueRef v)
{
    bool is_float = op == LLVMAtomicRMWBinOpFAdd || op == LLVMAtomicRMWBinOpFMin ||
                    op == LLVMAtomicRMWBinOpFMax;

    if (is_float &&
        LLVMGetTypeKind(ls_lanes_elem(LLVMTypeOf(old))) == LLVMIntegerTypeKind) /* bfloat as i16 */
        return ls_lower_build_to_bf16(
            vf, rmw_apply(vf, op, ls_lower_build_bf16(vf, old), ls_lower_build_bf16(vf, v)));
    switch (op) {
    case LLVMAtomicRMWBinOpXchg:
        return v;
    case LLVMAtomicRMWBinOpAdd:
        return B_ADD(old, v);
    case LLVMAtomicRMWBinOpSub:
        return B_SUB(old, v);
    case LLVMAtomicRMWBinOpAnd:
        return B_AND(old, v);
    case LLVMAtomicRMWBinOpNand:
        return B_NOT(B_AND(old, v));
    case LLVMAtomicRMWBinOpOr:
        return B_OR(old, v);
    case LLVMAtomicRMWBinOpXor:
        return B_XOR(old, v);
    case LLVMAtomicRMWBinOpMax:
        return ls_lower_llvm2(vf, "llvm.smax", old, v);
    case LLVMAtomicRMWBinOpMin:
        return ls_lower_llvm2(vf, "llvm.smin", old, v);
    case LLVMAtomicRMWBinOpUMax:
        return ls_lower_llvm2(vf, "llvm.umax", old, v);
    case LLVMAtomicRMWBinOpUMin:
        return ls_lower_llvm2(vf, "llvm.umin", old, v);
    case LLVMAtomicRMWBinOpFAdd:
        return B_FADD(old, v);
    case LLVMAtomicRMWBinOpFSub:
        return B_FSUB(old, v);
    case LLVMAtomicRMWBinOpFMax:
        return ls_lower_llvm2(vf, "llvm.maxnum", old, v);
    case LLVMAtomicRMWBinOpFMin:
        return ls_lower_llvm2(vf, "llvm.minnum", old, v);
    case LLVMAtomicRMWBinOpUIncWrap:
        return B_SEL(B_ICMP(UGE, old, v), B_INT(old, 0), B_ADD(old, B_INT(old, 1)));
    case LLVMAtomicRMWBinOpUDecWrap: {
        LLVMValueRef wraps = B_OR(B_ICMP(EQ, old, B_INT(old, 0)), B_ICMP(UGT, old, v));
        return B_SEL(wraps, v, B_SUB(old, B_INT(old, 1)));
    }
    }
    return NULL;
}

/* The value that changes nothing, for the operations that can be reduced; NULL for the others. */
static LLVMValueRef
rmw_identity(LLVMAtomicRMWBinOp op, LLVMTypeRef type)
{
    unsigned bits = ls_lanes_bits(type);
    switch (op) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub:
    case LLVMAtomicRMWBinOpOr:
    case LLVMAtomicRMWBinOpXor:
    case LLVMAtomicRMWBinOpUMax:
        return ls_lower_int(type, 0);
    case LLVMAtomicRMWBinOpAnd:
    case LLVMAtomicRMWBinOpUMin:
        return ls_lower_int(type, ~0ull);
    case LLVMAtomicRMWBinOpMax:
        return ls_lower_int(type, 1ull << (bits - 1));
    case LLVMAtomicRMWBinOpMin:
        return ls_lower_int(type, (1ull << (bits - 1)) - 1);
    case LLVMAtomicRMWBinOpFAdd:
    case LLVMAtomicRMWBinOpFSub:
        return ls_lower_fp(type, -0.0);
    case LLVMAtomicRMWBinOpFMax: /* NaN loses against every number, -inf against every NaN */
    case LLVMAtomicRMWBinOpFMin:
        return ls_lower_fp(type, __builtin_nan(""));
    default:
        return NULL;
    }
}

static bool
is_float_op(LLVMAtomicRMWBinOp op)
{
    return op == LLVMAtomicRMWBinOpFAdd || op == LLVMAtomicRMWBinOpFSub ||
           op == LLVMAtomicRMWBinOpFMax || op == LLVMAtomicRMWBinOpFMin;
}

/* Combines the contributions of two lanes: differences add up. */
static LLVMAtomicRMWBinOp
rmw_joining(LLVMAtomicRMWBinOp op)
{
    if (op == LLVMAtomicRMWBinOpSub)
        return LLVMAtomicRMWBinOpAdd;
    return op == LLVMAtomicRMWBinOpFSub ? LLVMAtomicRMWBinOpFAdd : op;
}

static unsigned
type_alignment(struct ls_vf *vf, LLVMTypeRef type)
{
    (void)vf;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        return ls_lanes_bits(type) / 8 * LLVMGetVectorSize(type);
    return ls_lanes_bits(type) / 8;
}

/* One location, one value; returns what was there. */
static LLVMValueRef
rmw_one(struct ls_vf *vf, const struct rmw *a, LLVMValueRef address, LLVMValueRef value)
{
    if (!a->plain) {
        LLVMValueRef r = LLVMBuildAtomicRMW(vf->b, a->op, address, value, a->order, 0);
        LLVMSetVolatile(r, a->is_volatile);
        return r;
    }
    LLVMValueRef old = LLVMBuildLoad2(vf->b, LLVMTypeOf(value), address, "");
    LLVMSetAlignment(old, type_alignment(vf, LLVMTypeOf(value)));
    LLVMValueRef store = LLVMBuildStore(vf->b, rmw_apply(vf, a->op, old, value), address);
    LLVMSetAlignment(store, type_alignment(vf, LLVMTypeOf(value)));
    return old;
}

/* ---- All lanes at one address ---- */

/* The contribution of all active lanes to a location, <W x T> -> T. Inactive lanes hold the
 * identity. */
static LLVMValueRef
reduce_lanes(struct ls_vf *vf, LLVMAtomicRMWBinOp op, LLVMValueRef v)
{
    static const char *const names[] = {
        [LLVMAtomicRMWBinOpAdd] = "llvm.vector.reduce.add",
        [LLVMAtomicRMWBinOpAnd] = "llvm.vector.reduce.and",
        [LLVMAtomicRMWBinOpOr] = "llvm.vector.reduce.or",
        [LLVMAtomicRMWBinOpXor] = "llvm.vector.reduce.xor",
        [LLVMAtomicRMWBinOpMax] = "llvm.vector.reduce.smax",
        [LLVMAtomicRMWBinOpMin] = "llvm.vector.reduce.smin",
        [LLVMAtomicRMWBinOpUMax] = "llvm.vector.reduce.umax",
        [LLVMAtomicRMWBinOpUMin] = "llvm.vector.reduce.umin",
        [LLVMAtomicRMWBinOpFMax] = "llvm.vector.reduce.fmax",
        [LLVMAtomicRMWBinOpFMin] = "llvm.vector.reduce.fmin",
    };
    LLVMTypeRef type = LLVMTypeOf(v);

    if (op != LLVMAtomicRMWBinOpFAdd)
        return ls_lower_llvm1(vf, names[op], v);
    LLVMValueRef args[2] = {ls_lower_fp(LLVMGetElementType(type), -0.0), v};
    LLVMValueRef sum = ls_vf_llvm(vf, "llvm.vector.reduce.fadd", &type, 1, args, 2);
    LLVMSetFastMathFlags(
        sum, LLVMFastMathAllowReassoc); /* a GPU promises no order of additions either */
    return sum;
}

/* The contribution of a value that is the same in all `n` active lanes (n: i64). */
static LLVMValueRef
reduce_uniform(struct ls_vf *vf, LLVMAtomicRMWBinOp op, LLVMValueRef value, LLVMValueRef n)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned bits = ls_lanes_bits(type);

    switch (op) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpXor:
        if (op == LLVMAtomicRMWBinOpXor)
            n = B_AND(n, B_INT(n, 1));
        n = bits < 64 ? B_TRUNC(n, type) : n;
        return B_MUL(value, n);
    case LLVMAtomicRMWBinOpFAdd:
        return B_FMUL(value, LLVMBuildUIToFP(vf->b, n, type, ""));
    default:
        return value;
    }
}

/* Contributions of all active lanes below each lane, <W x T>; *total is that of the whole warp. */
static LLVMValueRef
scan_lanes(struct ls_vf *vf, LLVMAtomicRMWBinOp op, LLVMValueRef v, LLVMValueRef identity,
           LLVMValueRef *total)
{
    int from[LS_MAX_LANES];
    unsigned w = vf->n_lanes;

    for (unsigned step = 1; step < w; step *= 2) {
        for (unsigned l = 0; l < w; l++)
            from[l] = (int)l - (int)step;
        v = rmw_apply(vf, op, ls_lower_shuffle(vf, v, identity, from), v);
    }
    *total = LLVMBuildExtractElement(vf->b, v, LLVMConstInt(vf->i32, w - 1, 0), "");
    for (unsigned l = 0; l < w; l++)
        from[l] = (int)l - 1;
    return ls_lower_shuffle(vf, v, identity, from);
}

/* Number of active lanes below each lane, as <W x type>. */
static LLVMValueRef
active_below(struct ls_vf *vf, LLVMTypeRef type)
{
    LLVMValueRef below[LS_MAX_LANES];
    LLVMTypeRef wide = LLVMVectorType(type, vf->n_lanes),
                longs = LLVMVectorType(vf->i64, vf->n_lanes);

    if (!vf->mask)
        return ls_vf_iota(vf, type);
    for (unsigned l = 0; l < vf->n_lanes; l++)
        below[l] = LLVMConstInt(vf->i64, (1ull << l) - 1, 0);
    LLVMValueRef bits = ls_vf_mask_bits(vf);
    if (vf->n_lanes <= 32) {
        LLVMTypeRef words = LLVMVectorType(vf->i32, vf->n_lanes);
        bits = ls_lower_splat_to(vf, words, B_TRUNC(bits, vf->i32));
        bits = B_AND(bits, B_TRUNC(LLVMConstVector(below, vf->n_lanes), words));
    } else {
        bits = B_AND(ls_lower_splat_to(vf, longs, bits), LLVMConstVector(below, vf->n_lanes));
    }
    LLVMValueRef n = ls_lower_llvm1(vf, "llvm.ctpop", bits);
    unsigned have = ls_lanes_bits(LLVMTypeOf(n)), want = ls_lanes_bits(type);
    return have == want ? n : have > want ? B_TRUNC(n, wide) : B_ZEXT(n, wide);
}

/* The old values of lanes that all hit one address, in lane order; NULL when lanes must go one by
 * one. */
static bool
rmw_uniform_used(struct ls_vf *vf, const struct rmw *a, LLVMValueRef address, LLVMValueRef *result)
{
    LLVMTypeRef wide = LLVMVectorType(a->type, vf->n_lanes);
    LLVMValueRef identity = rmw_identity(a->op, wide), before, total;
    LLVMAtomicRMWBinOp joining = rmw_joining(a->op);

    if (!identity || is_float_op(a->op))
        return false;
    if (ls_vf_is_uniform(vf, a->value) && joining == LLVMAtomicRMWBinOpAdd) {
        LLVMValueRef one = ls_vf_scalar(vf, a->value);
        LLVMValueRef n = ls_lower_llvm1(vf, "llvm.ctpop", ls_vf_mask_bits(vf));
        total = reduce_uniform(vf, joining, one, n);
        before = B_MUL(active_below(vf, a->type), ls_vf_splat(vf, one));
    } else {
        LLVMValueRef v = ls_vf_vector(vf, a->value);
        if (vf->mask)
            v = ls_vf_select(vf, ls_vf_mask(vf), v, identity);
        before = scan_lanes(vf, joining, v, identity, &total);
    }
    LLVMValueRef old = ls_vf_splat(vf, rmw_one(vf, a, address, total));
    *result = rmw_apply(vf, a->op, old, before);
    return true;
}

static bool
rmw_uniform_unused(struct ls_vf *vf, const struct rmw *a, LLVMValueRef address)
{
    LLVMTypeRef wide = LLVMVectorType(a->type, vf->n_lanes);
    LLVMValueRef identity = rmw_identity(a->op, wide), total;
    LLVMAtomicRMWBinOp joining = rmw_joining(a->op);

    if (!identity)
        return false;
    if (ls_vf_is_uniform(vf, a->value)) {
        LLVMValueRef n = ls_lower_llvm1(vf, "llvm.ctpop", ls_vf_mask_bits(vf));
        total = reduce_uniform(vf, joining, ls_vf_scalar(vf, a->value), n);
    } else {
        LLVMValueRef v = ls_vf_vector(vf, a->value);
        if (vf->mask)
            v = ls_vf_select(vf, ls_vf_mask(vf), v, identity);
        total = reduce_lanes(vf, joining, v);
    }
    rmw_one(vf, a, address, total);
    return true;
}

/* ---- Lanes at addresses of their own ---- */

/* Addresses of the lanes by small numbers: lane l's is base + stride * number[l]. */
struct spots {
    LLVMValueRef base, numbers; /* ptr; <W x i8> or wider */
    unsigned bits;              /* low bits of a number that are looked at */
    uint64_t stride;            /* bytes */
};

/* Recognises elements of an array in LDS that are chosen by a byte, as in a histogram of bytes. */
static bool
spots_by_byte(struct ls_vf *vf, LLVMValueRef ptr, struct spots *s)
{
    struct ls_gep_term terms[8];
    LLVMValueRef index = NULL;
    int64_t at = 0;
    unsigned n;

    if (!LLVMIsAGetElementPtrInst(ptr) || !ls_vf_is_uniform(vf, LLVMGetOperand(ptr, 0)))
        return false;
    n = ls_gep_terms(vf->cc, ptr, terms, 8);
    for (unsigned i = 0; i < n; i++) {
        if (!terms[i].index) {
            at += terms[i].stride;
            continue;
        }
        if (index || terms[i].stride <= 0)
            return false;
        index = terms[i].index;
        s->stride = (uint64_t)terms[i].stride;
    }
    if (!index || !LLVMIsAZExtInst(index) || LLVMTypeOf(LLVMGetOperand(index, 0)) != vf->i8)
        return false;
    LLVMValueRef k = LLVMConstInt(vf->i64, (uint64_t)at, true);
    s->base =
        LLVMBuildGEP2(vf->b, vf->i8, ls_vf_address_scalar(vf, LLVMGetOperand(ptr, 0)), &k, 1, "");
    s->numbers = ls_vf_vector(vf, LLVMGetOperand(index, 0));
    s->bits = 8;
    return true;
}

/* The general case: offsets in LDS, which have 16 bits. */
static void
spots_by_offset(struct ls_vf *vf, LLVMValueRef ptr, struct spots *s)
{
    LLVMValueRef offsets = ls_vf_vector(vf, ptr);

    *s = (struct spots){vf->lds, B_TRUNC(offsets, LLVMVectorType(vf->i16, vf->n_lanes)), 16, 1};
}

/* Lane after lane in straight code, in LDS when every lane is on. Several lanes come out of the
 * vector at a time, in one 64-bit register; through memory each would wait for the store of the
 * whole vector. */
static void
rmw_lds_unrolled(struct ls_vf *vf, const struct rmw *a, const struct spots *s, LLVMValueRef values)
{
    unsigned per_word = vf->n_lanes < 64 / s->bits ? 1 : 64 / s->bits;
    LLVMValueRef words = s->numbers, word = NULL;

    if (per_word > 1)
        words = B_BITCAST(words, LLVMVectorType(vf->i64, vf->n_lanes / per_word));
    for (unsigned l = 0; l < vf->n_lanes; l++) {
        LLVMValueRef lane = LLVMConstInt(vf->i32, l, 0);

        if (l % per_word == 0)
            word = B_ZEXT(
                LLVMBuildExtractElement(vf->b, words, LLVMConstInt(vf->i32, l / per_word, 0), ""),
                vf->i64);
        LLVMValueRef offset =
            LLVMBuildLShr(vf->b, word, LLVMConstInt(vf->i64, s->bits * (l % per_word), 0), "");
        offset = LLVMBuildAnd(vf->b, offset, LLVMConstInt(vf->i64, (1ull << s->bits) - 1, 0), "");
        offset = B_MUL(offset, LLVMConstInt(vf->i64, s->stride, 0));
        LLVMValueRef address = LLVMBuildGEP2(vf->b, vf->i8, s->base, &offset, 1, "");
        LLVMValueRef value = values;
        if (LLVMGetTypeKind(LLVMTypeOf(values)) == LLVMVectorTypeKind)
            value = LLVMBuildExtractElement(vf->b, values, lane, "");
        rmw_one(vf, a, address, value);
    }
}

/* Lane after lane; the result when it is used. */
static LLVMValueRef
rmw_lanes(struct ls_vf *vf, const struct rmw *a, LLVMValueRef addresses, LLVMValueRef values)
{
    bool one_address = LLVMGetTypeKind(LLVMTypeOf(addresses)) != LLVMVectorTypeKind;
    bool one_value = ls_vf_is_uniform(vf, a->value);
    struct ls_lower_results results;
    struct ls_lane_loop loop;

    if (a->used)
        ls_lower_results_begin(vf, a->type, &results);
    ls_vf_lanes_begin(vf, &loop);
    LLVMValueRef address = one_address ? addresses : ls_vf_lane_get(vf, addresses, loop.lane);
    LLVMValueRef value = one_value ? values : ls_vf_lane_get(vf, values, loop.lane);
    LLVMValueRef old = rmw_one(vf, a, address, value);
    if (a->used)
        ls_lower_results_set(vf, &results, loop.lane, old);
    ls_vf_lanes_end(vf, &loop);
    return a->used ? ls_lower_results_end(vf, &results) : NULL;
}

/* Additions in LDS whose old value is not used, as histograms have them. */
static bool
rmw_lds_add(struct ls_vf *vf, const struct rmw *a, LLVMValueRef values)
{
    struct spots spots;

    if (a->used || !ls_vf_is_lds_pointer(a->ptr) ||
        LLVMGetTypeKind(a->type) == LLVMVectorTypeKind ||
        (a->op != LLVMAtomicRMWBinOpAdd && a->op != LLVMAtomicRMWBinOpSub &&
         a->op != LLVMAtomicRMWBinOpFAdd))
        return false;
    if (!spots_by_byte(vf, a->ptr, &spots))
        spots_by_offset(vf, a->ptr, &spots);
    if (!vf->mask) {
        rmw_lds_unrolled(vf, a, &spots, values);
        return true;
    }
    LLVMValueRef bits = ls_vf_mask_bits(vf);
    LLVMValueRef all =
        B_ICMP(EQ, bits, B_INT(bits, vf->n_lanes < 64 ? (1ull << vf->n_lanes) - 1 : ~0ull));
    LLVMBasicBlockRef full = LLVMAppendBasicBlockInContext(vf->llvm, vf->fn, "all.lanes");
    LLVMBasicBlockRef some = LLVMAppendBasicBlockInContext(vf->llvm, vf->fn, "some.lanes");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(vf->llvm, vf->fn, "lanes.end");
    LLVMBuildCondBr(vf->b, all, full, some);
    vf->nest++;
    LLVMPositionBuilderAtEnd(vf->b, full);
    rmw_lds_unrolled(vf, a, &spots, values);
    LLVMBuildBr(vf->b, end);
    LLVMPositionBuilderAtEnd(vf->b, some);
    rmw_lanes(vf, a, ls_vf_address_vector(vf, a->ptr), values);
    LLVMBuildBr(vf->b, end);
    vf->nest--;
    LLVMPositionBuilderAtEnd(vf->b, end);
    return true;
}

static bool
is_private_pointer(LLVMValueRef ptr)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(ptr)) == 5;
}

static bool
is_one_thread_pointer(LLVMValueRef ptr)
{
    return ls_vf_is_lds_pointer(ptr) || is_private_pointer(ptr);
}

/* <n x T> with n*T of 32 or 64 bits: each lane's value as one integer, and back. */
static LLVMValueRef
pack_lanes(struct ls_vf *vf, LLVMValueRef wide, unsigned n)
{
    LLVMValueRef index[LS_MAX_WIDE];
    unsigned w = vf->n_lanes, bits = ls_lanes_bits(LLVMTypeOf(wide));

    LS_ASSERT_FITS(n, LS_MAX_ELEMENTS);
    for (unsigned i = 0; i < n * w; i++)
        index[i] = LLVMConstInt(vf->i32, i / n + (i % n) * w, 0);
    LLVMValueRef v = LLVMBuildShuffleVector(vf->b, wide, LLVMGetPoison(LLVMTypeOf(wide)),
                                            LLVMConstVector(index, n * w), "");
    return B_BITCAST(v, LLVMVectorType(LLVMIntTypeInContext(vf->llvm, n * bits), w));
}

static LLVMValueRef
unpack_lanes(struct ls_vf *vf, LLVMValueRef packed, LLVMTypeRef elem, unsigned n)
{
    LLVMValueRef index[LS_MAX_WIDE];
    unsigned w = vf->n_lanes;
    LLVMTypeRef flat = LLVMVectorType(elem, n * w);

    LS_ASSERT_FITS(n, LS_MAX_ELEMENTS);
    for (unsigned i = 0; i < n * w; i++)
        index[i] = LLVMConstInt(vf->i32, (i % w) * n + i / w, 0);
    return LLVMBuildShuffleVector(vf->b, B_BITCAST(packed, flat), LLVMGetPoison(flat),
                                  LLVMConstVector(index, n * w), "");
}

/* 16-bit floats and pairs of them. */
static bool
rmw_needs_cas(const struct rmw *a)
{
    return is_float_op(a->op) && ls_lanes_bits(a->type) == 16;
}

/* One location, changed by compare and swap; returns what was there as an integer `word`. */
static LLVMValueRef
rmw_cas_one(struct ls_vf *vf, const struct rmw *a, LLVMTypeRef word, LLVMValueRef address,
            LLVMValueRef value)
{
    LLVMValueRef first = LLVMBuildLoad2(vf->b, word, address, "");
    LLVMSetAlignment(first, ls_lanes_bits(word) / 8);
    if (a->plain) {
        LLVMValueRef next = rmw_apply(vf, a->op, B_BITCAST(first, a->type), value);
        LLVMSetAlignment(LLVMBuildStore(vf->b, B_BITCAST(next, word), address),
                         ls_lanes_bits(word) / 8);
        return first;
    }
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMValueRef slot = ls_vf_temp(vf, word, "seen");
    LLVMBuildStore(vf->b, first, slot);
    LLVMBasicBlockRef again = LLVMAppendBasicBlockInContext(vf->llvm, vf->fn, "again");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(vf->llvm, vf->fn, "done");
    LLVMBuildBr(vf->b, again);
    LLVMPositionBuilderAtEnd(vf->b, again);
    LLVMValueRef seen = LLVMBuildLoad2(vf->b, word, slot, "");
    LLVMValueRef next = rmw_apply(vf, a->op, B_BITCAST(seen, a->type), value);
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(vf->b, address, seen, B_BITCAST(next, word),
                                               LLVMAtomicOrderingSequentiallyConsistent,
                                               LLVMAtomicOrderingSequentiallyConsistent, 0);
    LLVMBuildStore(vf->b, LLVMBuildExtractValue(vf->b, pair, 0, ""), slot);
    LLVMBuildCondBr(vf->b, LLVMBuildExtractValue(vf->b, pair, 1, ""), done, again);
    LLVMPositionBuilderAtEnd(vf->b, done);
    return seen;
}

/* The sum of all active lanes' values, summed in f32; <W x T> of each component -> a->type. */
static LLVMValueRef
reduce_halves(struct ls_vf *vf, const struct rmw *a, LLVMTypeRef elem, unsigned n)
{
    LLVMTypeRef floats = LLVMVectorType(vf->f32, vf->n_lanes);
    LLVMValueRef wide = ls_vf_vector(vf, a->value), all = LLVMGetPoison(a->type);
    bool is_bf16 = LLVMGetTypeKind(elem) == LLVMIntegerTypeKind;

    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef v = ls_vf_slice(vf, wide, i * vf->n_lanes, vf->n_lanes);
        v = is_bf16 ? ls_lower_build_bf16(vf, v) : LLVMBuildFPExt(vf->b, v, floats, "");
        if (vf->mask)
            v = ls_vf_select(vf, ls_vf_mask(vf), v, rmw_identity(a->op, floats));
        v = reduce_lanes(vf, rmw_joining(a->op), v);
        v = is_bf16 ? ls_lower_build_to_bf16(vf, v) : LLVMBuildFPTrunc(vf->b, v, elem, "");
        if (LLVMGetTypeKind(a->type) != LLVMVectorTypeKind)
            return v;
        all = LLVMBuildInsertElement(vf->b, all, v, LLVMConstInt(vf->i32, i, 0), "");
    }
    return all;
}

static LLVMValueRef
rmw_cas(struct ls_vf *vf, const struct rmw *a)
{
    bool is_vector = LLVMGetTypeKind(a->type) == LLVMVectorTypeKind;
    LLVMTypeRef elem = ls_lanes_elem(a->type);
    unsigned n = is_vector ? LLVMGetVectorSize(a->type) : 1;
    LLVMTypeRef word = LLVMIntTypeInContext(vf->llvm, n * ls_lanes_bits(elem));
    struct ls_lower_results results;
    struct ls_lane_loop loop;

    if (!a->used && ls_vf_is_uniform(vf, a->ptr) && !is_private_pointer(a->ptr)) {
        LLVMValueRef total = reduce_halves(vf, a, elem, n);
        rmw_cas_one(vf, a, word, ls_vf_address_scalar(vf, a->ptr), total);
        return NULL;
    }
    LLVMValueRef addresses = ls_vf_address_vector(vf, a->ptr);
    LLVMValueRef values = ls_vf_vector(vf, a->value);
    if (is_vector)
        values = pack_lanes(vf, values, n);
    ls_lower_results_begin(vf, word, &results);
    ls_vf_lanes_begin(vf, &loop);
    LLVMValueRef address = ls_vf_lane_get(vf, addresses, loop.lane);
    LLVMValueRef value = B_BITCAST(ls_vf_lane_get(vf, values, loop.lane), a->type);
    ls_lower_results_set(vf, &results, loop.lane, rmw_cas_one(vf, a, word, address, value));
    ls_vf_lanes_end(vf, &loop);
    LLVMValueRef old = ls_lower_results_end(vf, &results);
    return !a->used ? NULL : is_vector ? unpack_lanes(vf, old, elem, n) : old;
}

static LLVMValueRef
rmw_lower(struct ls_vf *vf, const struct rmw *a)
{
    LLVMValueRef result = NULL;

    if (rmw_needs_cas(a)) {
        result = rmw_cas(vf, a);
    } else if (ls_vf_is_uniform(vf, a->ptr) && !is_private_pointer(a->ptr)) {
        LLVMValueRef address = ls_vf_address_scalar(vf, a->ptr);
        if (a->used && rmw_uniform_used(vf, a, address, &result))
            return ls_lower_finish(vf, a->inst, result);
        if (!a->used && rmw_uniform_unused(vf, a, address))
            return NULL;
        LLVMValueRef values = ls_vf_is_uniform(vf, a->value) ? ls_vf_scalar(vf, a->value)
                                                             : ls_vf_vector(vf, a->value);
        result = rmw_lanes(vf, a, address, values);
    } else {
        LLVMValueRef values = ls_vf_is_uniform(vf, a->value) ? ls_vf_scalar(vf, a->value)
                                                             : ls_vf_vector(vf, a->value);
        if (rmw_lds_add(vf, a, values))
            return NULL;
        result = rmw_lanes(vf, a, ls_vf_address_vector(vf, a->ptr), values);
    }
    return result ? ls_lower_finish(vf, a->inst, result) : NULL;
}

LLVMValueRef
ls_lower_atomicrmw(struct ls_vf *vf, LLVMValueRef inst)
{
    struct rmw a = {
        .inst = inst,
        .op = LLVMGetAtomicRMWBinOp(inst),
        .order = LLVMGetOrdering(inst),
        .ptr = LLVMGetOperand(inst, 0),
        .value = LLVMGetOperand(inst, 1),
        .is_volatile = LLVMGetVolatile(inst),
        .used = LLVMGetFirstUse(inst) != NULL,
        .type = ls_vf_host_type(vf, LLVMTypeOf(inst)),
    };
    a.plain = is_one_thread_pointer(a.ptr);
    return rmw_lower(vf, &a);
}

/* llvm.amdgcn.{global,flat,ds}.atomic.*: (pointer, value, ...); data: the operation */
LLVMValueRef
ls_lower_atomic_call(struct ls_vf *vf, LLVMValueRef call, long data)
{
    static const LLVMAtomicRMWBinOp ops[] = {[LS_ATOMIC_FADD] = LLVMAtomicRMWBinOpFAdd,
                                             [LS_ATOMIC_FMIN] = LLVMAtomicRMWBinOpFMin,
                                             [LS_ATOMIC_FMAX] = LLVMAtomicRMWBinOpFMax};
    struct rmw a = {
        .inst = call,
        .op = ops[data],
        .order = LLVMAtomicOrderingMonotonic,
        .ptr = LLVMGetOperand(call, 0),
        .value = LLVMGetOperand(call, 1),
        .used = LLVMGetFirstUse(call) != NULL,
        .type = ls_vf_host_type(vf, LLVMTypeOf(call)),
    };
    a.plain = is_one_thread_pointer(a.ptr);
    return rmw_lower(vf, &a);
}

/* llvm.amdgcn.ds.append, .consume: (pointer to a counter, volatile); data: up or down by the number
 * of active lanes. The pointer is the first active lane's, as the instruction has it in m0. */
LLVMValueRef
ls_lower_lds_count(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef ptr = LLVMGetOperand(call, 0), bits = ls_vf_mask_bits(vf), address;
    struct rmw a = {
        .op = data == LS_COUNT_DOWN ? LLVMAtomicRMWBinOpSub : LLVMAtomicRMWBinOpAdd,
        .plain = true,
    };

    if (ls_vf_is_uniform(vf, ptr)) {
        address = ls_vf_address_scalar(vf, ptr);
    } else {
        address = ls_vf_lane_get(vf, ls_vf_address_vector(vf, ptr), ls_lower_first_lane(vf));
        if (vf->mask) /* no lane is on: nobody's pointer is good */
            address = B_SEL(B_ICMP(NE, bits, B_INT(bits, 0)), address, vf->dummy);
    }
    return rmw_one(vf, &a, address, B_TRUNC(ls_lower_llvm1(vf, "llvm.ctpop", bits), vf->i32));
}

/* ---- Compare and swap ---- */

struct cmpxchg {
    LLVMValueRef inst;
    bool plain;
};

/* One location: *seen is what was there, *swapped whether it changed. */
static void
cmpxchg_one(struct ls_vf *vf, const struct cmpxchg *c, LLVMValueRef address, LLVMValueRef expected,
            LLVMValueRef desired, LLVMValueRef *seen, LLVMValueRef *swapped)
{
    LLVMTypeRef type = LLVMTypeOf(expected);

    if (c->plain) {
        *seen = LLVMBuildLoad2(vf->b, type, address, "");
        LLVMSetAlignment(*seen, type_alignment(vf, type));
        *swapped = B_ICMP(EQ, *seen, expected);
        LLVMValueRef store = LLVMBuildStore(vf->b, B_SEL(*swapped, desired, *seen), address);
        LLVMSetAlignment(store, type_alignment(vf, type));
        return;
    }
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(vf->b, address, expected, desired,
                                               LLVMGetCmpXchgSuccessOrdering(c->inst),
                                               LLVMGetCmpXchgFailureOrdering(c->inst), 0);
    LLVMSetVolatile(pair, LLVMGetVolatile(c->inst));
    *seen = LLVMBuildExtractValue(vf->b, pair, 0, "");
    *swapped = LLVMBuildExtractValue(vf->b, pair, 1, "");
}

LLVMValueRef
ls_lower_cmpxchg(struct ls_vf *vf, LLVMValueRef inst)
{
    LLVMValueRef ptr = LLVMGetOperand(inst, 0);
    struct cmpxchg c = {inst, is_one_thread_pointer(ptr)};
    LLVMValueRef addresses = ls_vf_address_vector(vf, ptr);
    LLVMValueRef expected = ls_vf_vector(vf, LLVMGetOperand(inst, 1));
    LLVMValueRef desired = ls_vf_vector(vf, LLVMGetOperand(inst, 2));
    LLVMTypeRef pair_type = ls_vf_host_type(vf, LLVMTypeOf(inst));
    struct ls_lower_results old, done;
    struct ls_lane_loop loop;
    LLVMValueRef seen, swapped;

    ls_lower_results_begin(vf, LLVMGetElementType(LLVMTypeOf(expected)), &old);
    ls_lower_results_begin(vf, vf->i1, &done);
    ls_vf_lanes_begin(vf, &loop);
    cmpxchg_one(vf, &c, ls_vf_lane_get(vf, addresses, loop.lane),
                ls_vf_lane_get(vf, expected, loop.lane), ls_vf_lane_get(vf, desired, loop.lane),
                &seen, &swapped);
    ls_lower_results_set(vf, &old, loop.lane, seen);
    ls_lower_results_set(vf, &done, loop.lane, swapped);
    ls_vf_lanes_end(vf, &loop);

    LLVMValueRef result = LLVMGetPoison(ls_vf_wide_type(vf, pair_type));
    result = LLVMBuildInsertValue(vf->b, result, ls_lower_results_end(vf, &old), 0, "");
    result = LLVMBuildInsertValue(vf->b, result, ls_lower_results_end(vf, &done), 1, "");
    return result;
}

/* ---- Fences ---- */

void
ls_lower_fence(struct ls_vf *vf, LLVMValueRef inst)
{
    LLVMBuildFence(vf->b, LLVMGetOrdering(inst), ls_ir_is_fence_of_block(inst), "");
}
