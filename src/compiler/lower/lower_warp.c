/* SPDX-License-Identifier: MIT */
/* Operations between the lanes of a warp: votes, reads of one lane, permutes. Registers, never
 * LDS. */
#include "lower/lower_priv.h"

#include <string.h>

/* ---- Lane numbers and masks ---- */

LLVMValueRef
ls_lower_lane_number(struct ls_vf *vf)
{
    return ls_vf_iota(vf, vf->i32);
}

LLVMValueRef
ls_lower_const_mask(struct ls_vf *vf, unsigned long long bits)
{
    LLVMValueRef lanes[LS_MAX_LANES];
    for (unsigned l = 0; l < vf->n_lanes; l++)
        lanes[l] = LLVMConstInt(vf->i1, (bits >> l) & 1, 0);
    return LLVMConstVector(lanes, vf->n_lanes);
}

LLVMValueRef
ls_lower_mask_to_bits(struct ls_vf *vf, LLVMValueRef mask)
{
    LLVMValueRef bits = B_BITCAST(mask, LLVMIntTypeInContext(vf->llvm, vf->n_lanes));
    return vf->n_lanes < 64 ? B_ZEXT(bits, vf->i64) : bits;
}

/* The low W bits of an i32 or i64 as lanes. */
static LLVMValueRef
bits_to_mask(struct ls_vf *vf, LLVMValueRef bits)
{
    LLVMTypeRef word = LLVMIntTypeInContext(vf->llvm, vf->n_lanes);
    unsigned have = ls_lanes_bits(LLVMTypeOf(bits));

    if (have > vf->n_lanes)
        bits = B_TRUNC(bits, word);
    else if (have < vf->n_lanes)
        bits = B_ZEXT(bits, word);
    return B_BITCAST(bits, LLVMVectorType(vf->i1, vf->n_lanes));
}

LLVMValueRef
ls_lower_first_lane(struct ls_vf *vf)
{
    if (!vf->mask)
        return LLVMConstInt(vf->i32, 0, 0);
    LLVMValueRef bits = ls_vf_mask_bits(vf);
    LLVMValueRef first = ls_lower_llvm2(vf, "llvm.cttz", bits, LLVMConstInt(vf->i1, 0, 0));
    /* With no lane active nothing uses the value, but it must be a lane. */
    return B_TRUNC(B_AND(first, B_INT(first, vf->n_lanes - 1)), vf->i32);
}

/* ---- Votes ---- */

/* Active lanes whose `cond` holds, as an integer of `type`. An inactive lane's cond may be poison:
 * select. */
static LLVMValueRef
ballot(struct ls_vf *vf, LLVMValueRef cond, LLVMTypeRef type)
{
    if (vf->mask)
        cond = B_SEL(ls_vf_mask(vf), cond, LLVMConstNull(LLVMTypeOf(cond)));
    LLVMValueRef bits = ls_lower_mask_to_bits(vf, cond);
    return ls_lanes_bits(type) < 64 ? B_TRUNC(bits, type) : bits;
}

LLVMValueRef
ls_lower_ballot(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef cond = LLVMGetOperand(call, 0);
    LLVMTypeRef type = LLVMTypeOf(call);

    (void)data;
    if (!ls_vf_is_uniform(vf, cond))
        return ballot(vf, ls_vf_vector(vf, cond), type);
    LLVMValueRef bits = ls_vf_mask_bits(vf);
    bits = B_SEL(ls_vf_scalar(vf, cond), bits, B_INT(bits, 0));
    return ls_lanes_bits(type) < 64 ? B_TRUNC(bits, type) : bits;
}

/* icmp, fcmp: compare and vote; the predicate's number is LLVM's */
LLVMValueRef
ls_lower_compare_vote(struct ls_vf *vf, LLVMValueRef call, long data)
{
    unsigned long long predicate;

    if (!ls_lower_const_arg(vf, call, 2, &predicate))
        return NULL;
    LLVMValueRef a = ls_vf_vector(vf, LLVMGetOperand(call, 0));
    LLVMValueRef b = ls_vf_vector(vf, LLVMGetOperand(call, 1));
    LLVMValueRef cond = data == LS_COMPARE_FP
                            ? LLVMBuildFCmp(vf->b, (LLVMRealPredicate)predicate, a, b, "")
                            : LLVMBuildICmp(vf->b, (LLVMIntPredicate)predicate, a, b, "");
    return ballot(vf, cond, LLVMTypeOf(call));
}

LLVMValueRef
ls_lower_inverse_ballot(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef operand = LLVMGetOperand(call, 0);

    (void)data;
    if (ls_vf_is_uniform(vf, operand))
        return bits_to_mask(vf, ls_vf_scalar(vf, operand));
    /* The mask of the first active lane counts. */
    LLVMValueRef bits = ls_vf_lane_get(vf, ls_vf_vector(vf, operand), ls_lower_first_lane(vf));
    return bits_to_mask(vf, bits);
}

/* The execution mask through llvm.read_register("exec"). */
LLVMValueRef
ls_lower_read_register(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef node, bits = ls_vf_mask_bits(vf);
    LLVMTypeRef type = LLVMTypeOf(call);
    LLVMValueRef wrapped = LLVMGetOperand(call, 0);
    unsigned length;
    const char *name = "";

    (void)data;
    if (LLVMGetMDNodeNumOperands(wrapped) == 1) {
        LLVMGetMDNodeOperands(wrapped, &node);
        name = LLVMGetMDString(node, &length);
    }
    if (name && strcmp(name, "exec_hi") == 0)
        bits = B_LSHR(bits, B_INT(bits, 32));
    else if (!name || (strcmp(name, "exec") != 0 && strcmp(name, "exec_lo") != 0)) {
        ls_diag(vf->cc, LS_DIAG_ERROR, call, "read of register \"%s\" is not supported",
                name ? name : "");
        return NULL;
    }
    return ls_lanes_bits(type) < 64 ? B_TRUNC(bits, type) : bits;
}

/* Population count of the mask below this lane, plus a base */
LLVMValueRef
ls_lower_mbcnt(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef below[LS_MAX_LANES], count[LS_MAX_LANES];
    LLVMValueRef operand = LLVMGetOperand(call, 0);
    LLVMValueRef base = ls_vf_vector(vf, LLVMGetOperand(call, 1)), n;

    for (unsigned l = 0; l < vf->n_lanes; l++) {
        int from = (int)l - (data == LS_LANES_HIGH ? 32 : 0);
        unsigned lanes = from <= 0 ? 0 : from >= 32 ? 32 : (unsigned)from;
        below[l] = LLVMConstInt(vf->i32, lanes == 32 ? 0xffffffffu : (1u << lanes) - 1, 0);
        if (LLVMIsAConstantInt(operand)) {
            unsigned long long m =
                LLVMConstIntGetZExtValue(operand) & LLVMConstIntGetZExtValue(below[l]);
            count[l] = LLVMConstInt(vf->i32, (unsigned)__builtin_popcountll(m), 0);
        }
    }
    if (LLVMIsAConstantInt(operand))
        n = LLVMConstVector(count, vf->n_lanes);
    else
        n = ls_lower_llvm1(vf, "llvm.ctpop", B_AND(ls_vf_vector(vf, operand),
                                                   LLVMConstVector(below, vf->n_lanes)));
    return ls_lower_finish(vf, call, B_ADD(n, base));
}

/* ---- One lane ---- */

LLVMValueRef
ls_lower_readfirstlane(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef operand = LLVMGetOperand(call, 0);
    (void)data;
    if (ls_vf_is_uniform(vf, operand))
        return ls_vf_scalar(vf, operand);
    return ls_vf_lane_get(vf, ls_vf_vector(vf, operand), ls_lower_first_lane(vf));
}

/* A lane selector: the value of the first active lane, modulo the warp. */
static LLVMValueRef
lane_selector(struct ls_vf *vf, LLVMValueRef operand)
{
    LLVMValueRef lane =
        ls_vf_is_uniform(vf, operand)
            ? ls_vf_scalar(vf, operand)
            : ls_vf_lane_get(vf, ls_vf_vector(vf, operand), ls_lower_first_lane(vf));
    return B_AND(lane, B_INT(lane, vf->n_lanes - 1));
}

/* A lane of a value whose lanes lie at known distances; NULL: it is not such, or nobody knows
 * which. */
static LLVMValueRef
lane_at_distance(struct ls_vf *vf, LLVMValueRef operand, LLVMValueRef selector)
{
    const struct ls_val *val = ls_vf_val(vf, operand);
    unsigned lane;

    if (val->shape->kind != LS_SHAPE_GROUPED || val->ok || !LLVMIsAConstantInt(selector) ||
        LLVMGetTypeKind(val->host_type) != LLVMIntegerTypeKind)
        return NULL;
    lane = (unsigned)LLVMConstIntGetZExtValue(selector) & (vf->n_lanes - 1);
    LLVMValueRef base = val->base[lane / val->shape->group];
    return val->shape->offset ? B_ADD(base, B_INT(base, val->shape->offset[lane])) : base;
}

LLVMValueRef
ls_lower_readlane(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef operand = LLVMGetOperand(call, 0);
    (void)data;
    if (ls_vf_is_uniform(vf, operand))
        return ls_vf_scalar(vf, operand);
    LLVMValueRef known = lane_at_distance(vf, operand, LLVMGetOperand(call, 1));
    if (known)
        return known;
    return ls_vf_lane_get(vf, ls_vf_vector(vf, operand),
                          lane_selector(vf, LLVMGetOperand(call, 1)));
}

/* (value, lane, old): old with `value` in one lane */
LLVMValueRef
ls_lower_writelane(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef operand = LLVMGetOperand(call, 0), value;

    (void)data;
    if (ls_vf_is_uniform(vf, operand))
        value = ls_vf_scalar(vf, operand);
    else
        value = ls_vf_lane_get(vf, ls_vf_vector(vf, operand), ls_lower_first_lane(vf));
    LLVMValueRef lane = lane_selector(vf, LLVMGetOperand(call, 1));
    LLVMValueRef old = ls_vf_vector(vf, LLVMGetOperand(call, 2));
    return ls_lower_finish(vf, call, ls_vf_lane_set(vf, old, lane, value));
}

/* ---- Permutes ---- */

LLVMValueRef
ls_lower_shuffle(struct ls_vf *vf, LLVMValueRef src, LLVMValueRef other, const int *from)
{
    LLVMValueRef index[LS_MAX_WIDE];
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(src)), w = vf->n_lanes;

    LS_ASSERT_FITS(n, LS_MAX_WIDE);
    for (unsigned i = 0; i < n; i++) {
        unsigned lane = i % w, first = i - lane;
        index[i] = LLVMConstInt(vf->i32, from[lane] >= 0 ? first + (unsigned)from[lane] : n + i, 0);
    }
    return LLVMBuildShuffleVector(vf->b, src, other, LLVMConstVector(index, n), "");
}

/* Lane numbers of a constant index; false when it is not known here. */
static bool
index_lanes(struct ls_vf *vf, LLVMValueRef index, int *from)
{
    if (!LLVMIsConstant(index))
        return false;
    for (unsigned l = 0; l < vf->n_lanes; l++) {
        LLVMValueRef e = LLVMGetAggregateElement(index, l);
        if (!e)
            return false;
        if (LLVMIsAUndefValue(e))
            from[l] = 0; /* undef or poison: any lane */
        else if (LLVMIsAConstantInt(e))
            from[l] = (int)(LLVMConstIntGetZExtValue(e) & (vf->n_lanes - 1));
        else
            return false;
    }
    return true;
}

/* Any host: through memory. */
static LLVMValueRef
permute_memory(struct ls_vf *vf, LLVMValueRef src, LLVMValueRef index)
{
    LLVMTypeRef type = LLVMTypeOf(src), elem = LLVMGetElementType(type);
    LLVMValueRef temp = ls_vf_temp(vf, type, "permute");
    LLVMValueRef at = LLVMBuildGEP2(vf->b, elem, temp, &index, 1, "");
    LLVMTypeRef over[2] = {type, LLVMTypeOf(at)};
    LLVMValueRef args[4] = {at, LLVMConstInt(vf->i32, ls_lanes_bits(elem) / 8, 0),
                            LLVMConstAllOnes(LLVMVectorType(vf->i1, vf->n_lanes)),
                            LLVMGetPoison(type)};
    LLVMBuildStore(vf->b, src, temp);
    return ls_vf_llvm(vf, "llvm.masked.gather", over, 2, args, 4);
}

static LLVMValueRef
permute_i32(struct ls_vf *vf, LLVMValueRef src, LLVMValueRef index)
{
    LLVMValueRef r = vf->cc->host.simd->permute ? vf->cc->host.simd->permute(vf, src, index) : NULL;

    return r ? r : permute_memory(vf, src, index);
}

/* One component: <W x T> of any T up to 64 bits. */
static LLVMValueRef
permute_component(struct ls_vf *vf, LLVMValueRef src, LLVMValueRef index)
{
    LLVMTypeRef type = LLVMTypeOf(src), elem = LLVMGetElementType(type);
    LLVMTypeRef words = LLVMVectorType(vf->i32, vf->n_lanes),
                longs = LLVMVectorType(vf->i64, vf->n_lanes);
    LLVMTypeRef ints = ls_lanes_int_like(type);
    bool is_pointer = LLVMGetTypeKind(elem) == LLVMPointerTypeKind;
    unsigned bits = ls_lanes_bits(elem);

    LLVMValueRef v = is_pointer ? LLVMBuildPtrToInt(vf->b, src, longs, "") : B_BITCAST(src, ints);
    if (bits == 32) {
        v = permute_i32(vf, v, index);
    } else if (bits < 32) {
        v = B_TRUNC(permute_i32(vf, B_ZEXT(v, words), index), ints);
    } else {
        LLVMValueRef lo = permute_i32(vf, B_TRUNC(v, words), index);
        LLVMValueRef hi = permute_i32(vf, B_TRUNC(B_LSHR(v, B_INT(v, 32)), words), index);
        hi = B_ZEXT(hi, longs);
        v = B_OR(B_ZEXT(lo, longs), B_SHL(hi, B_INT(hi, 32)));
    }
    return is_pointer ? LLVMBuildIntToPtr(vf->b, v, type, "") : B_BITCAST(v, type);
}

LLVMValueRef
ls_lower_permute(struct ls_vf *vf, LLVMValueRef src, LLVMValueRef index)
{
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(src)) / vf->n_lanes;
    LLVMValueRef comp[LS_MAX_ELEMENTS];
    int from[LS_MAX_LANES];

    LS_ASSERT_FITS(n, LS_MAX_ELEMENTS);
    if (vf->n_lanes == 1)
        return src;
    if (index_lanes(vf, index, from))
        return ls_lower_shuffle(vf, src, LLVMGetPoison(LLVMTypeOf(src)), from);
    index = B_AND(index, B_INT(index, vf->n_lanes - 1));
    if (n == 1)
        return permute_component(vf, src, index);
    for (unsigned c = 0; c < n; c++)
        comp[c] = permute_component(vf, ls_vf_component(vf, src, c), index);
    return ls_vf_from_components(vf, comp, n);
}

/* (byte address, value): value of lane address / 4, 0 of an inactive one */
LLVMValueRef
ls_lower_bpermute(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef operand = LLVMGetOperand(call, 1);
    LLVMValueRef address = ls_vf_vector(vf, LLVMGetOperand(call, 0));

    (void)data;
    LLVMValueRef value = ls_vf_vector(vf, operand);
    if (vf->mask)
        value = ls_vf_select(vf, ls_vf_mask(vf), value, LLVMConstNull(LLVMTypeOf(value)));
    else if (ls_vf_is_uniform(vf, operand))
        return ls_lower_finish(vf, call, value);
    LLVMValueRef lane = B_LSHR(address, B_INT(address, 2));
    return ls_lower_finish(vf, call, ls_lower_permute(vf, value, lane));
}

/* (byte address, value): every active lane writes into lane address / 4; the highest writer wins,
 * lanes that nobody writes read 0 */
LLVMValueRef
ls_lower_ds_permute(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef address = ls_vf_vector(vf, LLVMGetOperand(call, 0));
    LLVMValueRef value = ls_vf_vector(vf, LLVMGetOperand(call, 1));
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef temp = ls_vf_temp(vf, type, "permute");
    LLVMValueRef lane = B_AND(B_LSHR(address, B_INT(address, 2)), B_INT(address, vf->n_lanes - 1));
    LLVMValueRef at = LLVMBuildGEP2(vf->b, LLVMGetElementType(type), temp, &lane, 1, "");
    LLVMTypeRef over[2] = {type, LLVMTypeOf(at)};
    LLVMValueRef args[4] = {value, at, LLVMConstInt(vf->i32, 4, 0), ls_vf_mask(vf)};

    (void)data;
    LLVMBuildStore(vf->b, LLVMConstNull(type), temp);
    ls_vf_llvm(vf, "llvm.masked.scatter", over, 2, args,
               4); /* overlapping lanes are stored in lane order */
    return ls_lower_finish(vf, call, LLVMBuildLoad2(vf->b, type, temp, ""));
}

/* Blends a permuted value with what the builtin returns where the source lane is inactive. `from`
 * as in ls_lower_shuffle, lanes < 0 are not touched. */
static LLVMValueRef
mask_sources(struct ls_vf *vf, LLVMValueRef value, LLVMValueRef otherwise, LLVMValueRef active)
{
    return vf->mask ? ls_vf_select(vf, active, value, otherwise) : value;
}

/* permlane16 / permlanex16: (old, src, select lo, select hi, fetch inactive, bound control); data:
 * 1 = from the other row of the pair */
LLVMValueRef
ls_lower_permlane16(struct ls_vf *vf, LLVMValueRef call, long data)
{
    unsigned long long fetch_inactive, bound_control;

    if (!ls_lower_const_arg(vf, call, 4, &fetch_inactive) ||
        !ls_lower_const_arg(vf, call, 5, &bound_control))
        return NULL;
    LLVMTypeRef longs = LLVMVectorType(vf->i64, vf->n_lanes);
    LLVMValueRef old = ls_vf_vector(vf, LLVMGetOperand(call, 0));
    LLVMValueRef src = ls_vf_vector(vf, LLVMGetOperand(call, 1));
    LLVMValueRef lo = B_ZEXT(ls_vf_vector(vf, LLVMGetOperand(call, 2)), longs);
    LLVMValueRef hi = B_ZEXT(ls_vf_vector(vf, LLVMGetOperand(call, 3)), longs);
    LLVMValueRef lane = ls_lower_lane_number(vf);
    LLVMValueRef shift = B_SHL(B_AND(lane, B_INT(lane, 15)), B_INT(lane, 2));
    LLVMValueRef selector = B_OR(lo, B_SHL(hi, B_INT(hi, 32)));
    LLVMValueRef pick = B_TRUNC(B_LSHR(selector, B_ZEXT(shift, longs)), LLVMTypeOf(lane));
    LLVMValueRef row =
        B_AND(B_XOR(lane, B_INT(lane, data == LS_OTHER_ROW ? 16 : 0)), B_INT(lane, 48));
    LLVMValueRef index = B_OR(row, B_AND(pick, B_INT(pick, 15)));
    LLVMValueRef result = ls_lower_permute(vf, src, index);

    if (!fetch_inactive && vf->mask) {
        LLVMValueRef other = bound_control ? LLVMConstNull(LLVMTypeOf(src)) : old;
        result = mask_sources(vf, result, other, ls_lower_permute(vf, ls_vf_mask(vf), index));
    }
    return ls_lower_finish(vf, call, result);
}

/* permlane16.var / permlanex16.var: (old, src, select, fetch inactive, bound control) */
LLVMValueRef
ls_lower_permlane16_var(struct ls_vf *vf, LLVMValueRef call, long data)
{
    unsigned long long fetch_inactive, bound_control;

    if (!ls_lower_const_arg(vf, call, 3, &fetch_inactive) ||
        !ls_lower_const_arg(vf, call, 4, &bound_control))
        return NULL;
    LLVMValueRef old = ls_vf_vector(vf, LLVMGetOperand(call, 0));
    LLVMValueRef src = ls_vf_vector(vf, LLVMGetOperand(call, 1));
    LLVMValueRef pick = ls_vf_vector(vf, LLVMGetOperand(call, 2));
    LLVMValueRef lane = ls_lower_lane_number(vf);
    LLVMValueRef row =
        B_AND(B_XOR(lane, B_INT(lane, data == LS_OTHER_ROW ? 16 : 0)), B_INT(lane, 48));
    LLVMValueRef index = B_OR(row, B_AND(pick, B_INT(pick, 15)));
    LLVMValueRef result = ls_lower_permute(vf, src, index);

    if (!fetch_inactive && vf->mask) {
        LLVMValueRef other = bound_control ? LLVMConstNull(LLVMTypeOf(src)) : old;
        result = mask_sources(vf, result, other, ls_lower_permute(vf, ls_vf_mask(vf), index));
    }
    return ls_lower_finish(vf, call, result);
}

/* Halves of 32 lanes change places; a warp of 32 stays as it is. */
LLVMValueRef
ls_lower_permlane64(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef src = ls_vf_vector(vf, LLVMGetOperand(call, 0));
    int from[LS_MAX_LANES];

    (void)data;
    for (unsigned l = 0; l < vf->n_lanes; l++)
        from[l] = (int)(vf->n_lanes == 64 ? l ^ 32 : l);
    return ls_lower_finish(vf, call,
                           ls_lower_shuffle(vf, src, LLVMGetPoison(LLVMTypeOf(src)), from));
}

/* (value, value of inactive lanes) */
LLVMValueRef
ls_lower_set_inactive(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef value = ls_vf_vector(vf, LLVMGetOperand(call, 0));
    LLVMValueRef inactive = ls_vf_vector(vf, LLVMGetOperand(call, 1));
    (void)data;
    if (!vf->mask)
        return ls_lower_finish(vf, call, value);
    return ls_lower_finish(vf, call, ls_vf_select(vf, ls_vf_mask(vf), value, inactive));
}

/* wave.reduce.umin, umax */
LLVMValueRef
ls_lower_wave_reduce(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef v = ls_vf_vector(vf, LLVMGetOperand(call, 0));

    if (vf->mask)
        v = B_SEL(ls_vf_mask(vf), v, B_INT(v, data == LS_WAVE_UMAX ? 0 : ~0ull));
    return ls_lower_llvm1(
        vf, data == LS_WAVE_UMAX ? "llvm.vector.reduce.umax" : "llvm.vector.reduce.umin", v);
}

LLVMValueRef
ls_lower_finish(struct ls_vf *vf, LLVMValueRef call, LLVMValueRef wide)
{
    if (!ls_vf_is_uniform(vf, call))
        return wide;
    return ls_vf_lane_get(vf, wide, ls_lower_first_lane(vf));
}
