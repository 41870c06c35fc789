/* SPDX-License-Identifier: MIT */
/* Integer builtins: bit fields, byte selection, sums of differences, dot products, packing. */
#include "lower/lower_priv.h"

/* bits [8i, 8i + 8) of x, zero extended */
static LLVMValueRef
byte_get(struct ls_vf *vf, LLVMValueRef x, unsigned i)
{
    LLVMValueRef shifted = i ? B_LSHR(x, B_INT(x, 8 * i)) : x;
    return B_AND(shifted, B_INT(x, 0xff));
}

static LLVMValueRef
field_get(struct ls_vf *vf, LLVMValueRef x, unsigned from, unsigned bits, bool is_signed)
{
    unsigned width = ls_lanes_bits(LLVMTypeOf(x));
    LLVMValueRef top = B_SHL(x, B_INT(x, width - from - bits));
    return is_signed ? B_ASHR(top, B_INT(x, width - bits)) : B_LSHR(top, B_INT(x, width - bits));
}

/* Index of the first bit from the top that differs from the sign; -1 when none does. */
LLVMValueRef
ls_lower_sffbh(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef x = ls_lower_arg(vf, call, 0);
    unsigned bits = ls_lanes_bits(LLVMTypeOf(x));
    LLVMValueRef folded = B_XOR(x, B_ASHR(x, B_INT(x, bits - 1)));
    LLVMValueRef count = ls_lower_llvm2(vf, "llvm.ctlz", folded, LLVMConstInt(vf->i1, 0, 0));
    (void)data;
    return B_SEL(B_ICMP(EQ, folded, B_INT(x, 0)), B_INT(x, ~0ull), count);
}

/* Bit field extract; data: LS_SIGNED or not. Offset and width count modulo the width of the
 * type. */
LLVMValueRef
ls_lower_bfe(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef x = ls_lower_arg(vf, call, 0);
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef offset = ls_lower_arg(vf, call, 1), width = ls_lower_arg(vf, call, 2);
    unsigned bits = ls_lanes_bits(type);

    if (bits == 64) {
        offset = B_ZEXT(offset, type);
        width = B_ZEXT(width, type);
    }
    offset = B_AND(offset, B_INT(x, bits - 1));
    width = B_AND(width, B_INT(x, bits - 1));
    LLVMValueRef end = B_ADD(offset, width);
    LLVMValueRef inside = B_ICMP(ULT, end, B_INT(x, bits));
    /* Shift counts stay in range in both arms: the arm not taken must not be poison for LLVM's
     * folding. */
    LLVMValueRef up = B_AND(B_SUB(B_INT(x, bits), end), B_INT(x, bits - 1));
    LLVMValueRef down = B_AND(B_SUB(B_INT(x, bits), width), B_INT(x, bits - 1));
    LLVMValueRef top = B_SHL(x, up);
    LLVMValueRef middle = data ? B_ASHR(top, down) : B_LSHR(top, down);
    LLVMValueRef rest = data ? B_ASHR(x, offset) : B_LSHR(x, offset);
    LLVMValueRef field = B_SEL(inside, middle, rest);
    return B_SEL(B_ICMP(EQ, width, B_INT(x, 0)), B_INT(x, 0), field);
}

/* Each selector byte picks a byte of src0:src1, a sign, 0x00 or 0xff. */
LLVMValueRef
ls_lower_perm(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef hi = ls_lower_arg(vf, call, 0), lo = ls_lower_arg(vf, call, 1);
    LLVMValueRef sel = ls_lower_arg(vf, call, 2), result = NULL;
    LLVMValueRef zero = B_INT(sel, 0);

    (void)data;
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef s = byte_get(vf, sel, i);
        LLVMValueRef in_hi = B_ICMP(NE, B_AND(s, B_INT(s, 4)), zero);
        LLVMValueRef shift = B_SHL(B_AND(s, B_INT(s, 3)), B_INT(s, 3));
        LLVMValueRef byte = B_AND(B_LSHR(B_SEL(in_hi, hi, lo), shift), B_INT(s, 0xff));
        LLVMValueRef sign_hi = B_ICMP(NE, B_AND(s, B_INT(s, 2)), zero);
        LLVMValueRef up = B_SEL(B_ICMP(NE, B_AND(s, B_INT(s, 1)), zero), zero, B_INT(s, 16));
        LLVMValueRef word = B_SHL(B_SEL(sign_hi, hi, lo), up);
        LLVMValueRef sign = B_AND(B_ASHR(word, B_INT(s, 31)), B_INT(s, 0xff));
        LLVMValueRef ones = B_SEL(B_ICMP(UGT, s, B_INT(s, 12)), B_INT(s, 0xff), zero);
        LLVMValueRef special = B_SEL(B_ICMP(ULT, s, B_INT(s, 12)), sign, ones);
        LLVMValueRef one = B_SEL(B_ICMP(ULT, s, B_INT(s, 8)), byte, special);
        one = i ? B_SHL(one, B_INT(s, 8 * i)) : one;
        result = result ? B_OR(result, one) : one;
    }
    return result;
}

LLVMValueRef
ls_lower_alignbyte(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef hi = ls_lower_arg(vf, call, 0), lo = ls_lower_arg(vf, call, 1);
    LLVMValueRef n = ls_lower_arg(vf, call, 2);
    (void)data;
    LLVMValueRef bits = B_SHL(B_AND(n, B_INT(n, 3)), B_INT(n, 3));
    return ls_lower_llvm3(vf, "llvm.fshr", hi, lo, bits);
}

/* ---- Sums of absolute differences ---- */

static LLVMValueRef
difference(struct ls_vf *vf, LLVMValueRef a, LLVMValueRef b)
{
    return B_SUB(ls_lower_llvm2(vf, "llvm.umax", a, b), ls_lower_llvm2(vf, "llvm.umin", a, b));
}

/* Sum over the four bytes of a and b; `masked`: bytes of b that are zero do not count. */
static LLVMValueRef
sad4(struct ls_vf *vf, LLVMValueRef a, LLVMValueRef b, bool masked)
{
    LLVMValueRef sum = NULL;

    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef y = byte_get(vf, b, i);
        LLVMValueRef d = difference(vf, byte_get(vf, a, i), y);
        if (masked)
            d = B_SEL(B_ICMP(EQ, y, B_INT(y, 0)), B_INT(y, 0), d);
        sum = sum ? B_ADD(sum, d) : d;
    }
    return sum;
}

/* Sums of absolute differences; masked: bytes that are 0 in the reference do not count. */
LLVMValueRef
ls_lower_sad(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef a = ls_lower_arg(vf, call, 0), b = ls_lower_arg(vf, call, 1);
    LLVMValueRef c = ls_lower_arg(vf, call, 2), sum;

    if (data == LS_SAD_U16) {
        LLVMValueRef low =
            difference(vf, field_get(vf, a, 0, 16, false), field_get(vf, b, 0, 16, false));
        sum = B_ADD(
            low, difference(vf, field_get(vf, a, 16, 16, false), field_get(vf, b, 16, 16, false)));
    } else {
        sum = sad4(vf, a, b, data == LS_SAD_MASKED_U8);
    }
    if (data == LS_SAD_HIGH_U8)
        sum = B_SHL(sum, B_INT(sum, 16));
    return B_ADD(sum, c);
}

/* Four sums, src0 moving on by one byte each. Sums of 16 bits, saturating. */
LLVMValueRef
ls_lower_qsad(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef src = ls_lower_arg(vf, call, 0), ref = ls_lower_arg(vf, call, 1);
    LLVMValueRef acc = ls_lower_arg(vf, call, 2), result = NULL;
    LLVMTypeRef word = LLVMTypeOf(ref), wide = LLVMTypeOf(src);

    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef a = B_TRUNC(B_LSHR(src, B_INT(src, 8 * i)), word);
        LLVMValueRef c = B_TRUNC(field_get(vf, acc, 16 * i, 16, false), word);
        LLVMValueRef sum = B_ADD(sad4(vf, a, ref, data == LS_SAD_MASKED_U8), c);
        sum = B_ZEXT(ls_lower_llvm2(vf, "llvm.umin", sum, B_INT(sum, 0xffff)), wide);
        sum = i ? B_SHL(sum, B_INT(sum, 16 * i)) : sum;
        result = result ? B_OR(result, sum) : sum;
    }
    return result;
}

LLVMValueRef
ls_lower_mqsad_u32(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef src = ls_lower_arg(vf, call, 0), ref = ls_lower_arg(vf, call, 1), comp[4];

    (void)data;
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef a = B_TRUNC(B_LSHR(src, B_INT(src, 8 * i)), LLVMTypeOf(ref));
        comp[i] = B_ADD(sad4(vf, a, ref, true), ls_lower_arg_component(vf, call, 2, i));
    }
    return ls_lower_build_components(vf, call, comp, 4);
}

/* Per byte (a + b + (c & 1)) >> 1 */
LLVMValueRef
ls_lower_lerp(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef a = ls_lower_arg(vf, call, 0), b = ls_lower_arg(vf, call, 1);
    LLVMValueRef c = ls_lower_arg(vf, call, 2), result = NULL;

    (void)data;
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef round = B_AND(byte_get(vf, c, i), B_INT(c, 1));
        LLVMValueRef sum = B_ADD(B_ADD(byte_get(vf, a, i), byte_get(vf, b, i)), round);
        LLVMValueRef half = B_LSHR(sum, B_INT(sum, 1));
        half = i ? B_SHL(half, B_INT(half, 8 * i)) : half;
        result = result ? B_OR(result, half) : half;
    }
    return result;
}

/* ---- 24-bit products, or their high half ---- */

LLVMValueRef
ls_lower_mul24(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef a = field_get(vf, ls_lower_arg(vf, call, 0), 0, 24, data & LS_MUL24_SIGNED);
    LLVMValueRef b = field_get(vf, ls_lower_arg(vf, call, 1), 0, 24, data & LS_MUL24_SIGNED);
    LLVMTypeRef narrow = LLVMTypeOf(a), wide = ls_lanes_like(narrow, vf->i64);
    bool want_wide = ls_lanes_bits(ls_vf_host_type(vf, LLVMTypeOf(call))) == 64;

    if (!want_wide && !(data & LS_MUL24_HIGH))
        return B_MUL(a, b);
    a = data & LS_MUL24_SIGNED ? B_SEXT(a, wide) : B_ZEXT(a, wide);
    b = data & LS_MUL24_SIGNED ? B_SEXT(b, wide) : B_ZEXT(b, wide);
    LLVMValueRef product = B_MUL(a, b);
    if (data & LS_MUL24_HIGH)
        return B_TRUNC(B_ASHR(product, B_INT(product, 32)), narrow);
    return product;
}

/* ---- Dot products ---- */

static LLVMValueRef
clamp_i64(struct ls_vf *vf, LLVMValueRef sum, bool is_signed, LLVMTypeRef narrow)
{
    if (is_signed) {
        sum = ls_lower_llvm2(vf, "llvm.smin", sum, B_INT(sum, 0x7fffffff));
        sum = ls_lower_llvm2(vf, "llvm.smax", sum, B_INT(sum, -0x80000000ll));
    } else {
        sum = ls_lower_llvm2(vf, "llvm.umin", sum, B_INT(sum, 0xffffffff));
    }
    return B_TRUNC(sum, narrow);
}

struct dot {
    LLVMValueRef a, b;
    bool a_signed, b_signed;
    unsigned a_max, b_max; /* how large a byte without its sign may be (bytes_max) */
};

static bool
is_small(unsigned max)
{
    return max < 128;
}

static LLVMValueRef
dot_sum(struct ls_vf *vf, const struct dot *d, unsigned bits, LLVMValueRef c, bool clamp)
{
    LLVMTypeRef narrow = LLVMTypeOf(c), wide = ls_lanes_like(narrow, vf->i64);
    bool is_signed = d->a_signed || d->b_signed;
    LLVMValueRef sum = c;

    if (clamp)
        sum = is_signed ? B_SEXT(c, wide) : B_ZEXT(c, wide);
    for (unsigned i = 0; i < 32 / bits; i++) {
        LLVMValueRef x = field_get(vf, d->a, i * bits, bits, d->a_signed);
        LLVMValueRef y = field_get(vf, d->b, i * bits, bits, d->b_signed);
        LLVMValueRef product = B_MUL(x, y);
        if (clamp)
            product = is_signed ? B_SEXT(product, wide) : B_ZEXT(product, wide);
        sum = B_ADD(sum, product);
    }
    return clamp ? clamp_i64(vf, sum, is_signed, narrow) : sum;
}

/* The largest byte, without a sign, that `v` can hold in the device's code: less than 255 for
 * nibbles that were cut out. */
static unsigned
bytes_max(LLVMValueRef v)
{
    int64_t mask = -1;
    unsigned max = 0;

    if (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMAnd &&
        !ls_const_int(LLVMGetOperand(v, 0), &mask))
        ls_const_int(LLVMGetOperand(v, 1), &mask);
    for (unsigned i = 0; i < 32; i += 8)
        max = (mask >> i & 255) > max ? (unsigned)(mask >> i & 255) : max;
    return max;
}

/* The sum of four products of bytes by an instruction that wants one side without signs and the
 * other with them. a + 128 has none, and 128 times the other side comes off again; the same the
 * other way round. */
static LLVMValueRef
dot_of_bytes(struct ls_vf *vf, const struct dot *d, LLVMValueRef c)
{
    LLVMTypeRef type = LLVMTypeOf(c);
    const struct ls_simd_op *op = &vf->cc->host.simd->dot_u8_s8;
    LLVMValueRef tops = B_INT(c, 0x80808080), plain = d->a, with_signs = d->b, off = NULL;

    if (!d->a_signed && !d->b_signed && !is_small(d->b_max)) {
        with_signs = B_XOR(d->b, tops);
        off = ls_lower_op_do(vf, op, (LLVMValueRef[]){LLVMConstNull(type), d->a, tops});
    } else if (d->a_signed && d->b_signed && !is_small(d->a_max)) {
        if (is_small(d->b_max)) {
            plain = d->b;
            with_signs = d->a;
        } else {
            plain = B_XOR(d->a, tops);
            off = ls_lower_op_do(vf, op, (LLVMValueRef[]){LLVMConstNull(type), tops, d->b});
        }
    } else if (d->a_signed && !d->b_signed) {
        plain = d->b;
        with_signs = d->a;
    }
    c = ls_lower_op_do(vf, op, (LLVMValueRef[]){c, plain, with_signs});
    return off ? B_SUB(c, off) : c;
}

/* Whether two products of a byte `plain` without a sign and one of the other side, read with a
 * sign, fit into 16 bits together. */
static bool
pair_fits(bool plain_signed, unsigned plain_max, bool other_signed, unsigned other_max)
{
    if (plain_signed && !is_small(plain_max))
        return false;
    if (!other_signed && !is_small(other_max))
        return false;
    return 2 * plain_max * (is_small(other_max) ? other_max : 128) <= 0x8000;
}

/* The even bytes of each i16 of `x`, or the odd ones, as i16. */
static LLVMValueRef
bytes_as_words(struct ls_vf *vf, LLVMValueRef x, bool odd, bool is_signed)
{
    LLVMValueRef eight = B_INT(x, 8);

    if (!is_signed)
        return odd ? B_LSHR(x, eight) : B_AND(x, B_INT(x, 255));
    return B_ASHR(odd ? x : B_SHL(x, eight), eight);
}

/* The sum of four products of bytes by sums of two products of words: where two products of bytes
 * fit into a word, of words that an instruction makes of them, else of each second byte. */
static LLVMValueRef
dot_of_words(struct ls_vf *vf, const struct dot *d)
{
    const struct ls_simd_ops *simd = vf->cc->host.simd;
    LLVMTypeRef type = LLVMTypeOf(d->a);
    LLVMTypeRef words = LLVMVectorType(vf->i16, 2 * ls_lanes_length(type));
    bool a_plain = pair_fits(d->a_signed, d->a_max, d->b_signed, d->b_max);
    LLVMValueRef sum = NULL;

    if (ls_lower_op(&simd->dot_u8_s8_i16, type) &&
        (a_plain || pair_fits(d->b_signed, d->b_max, d->a_signed, d->a_max))) {
        LLVMValueRef pairs =
            ls_lower_op_do(vf, &simd->dot_u8_s8_i16,
                           (LLVMValueRef[]){a_plain ? d->a : d->b, a_plain ? d->b : d->a});
        return ls_lower_op_do(vf, &simd->dot_i16, (LLVMValueRef[]){pairs, B_INT(d->a, 0x00010001)});
    }
    for (unsigned odd = 0; odd < 2; odd++) {
        LLVMValueRef a = bytes_as_words(vf, B_BITCAST(d->a, words), odd, d->a_signed);
        LLVMValueRef b = bytes_as_words(vf, B_BITCAST(d->b, words), odd, d->b_signed);
        LLVMValueRef part = ls_lower_op_do(
            vf, &simd->dot_i16, (LLVMValueRef[]){B_BITCAST(a, type), B_BITCAST(b, type)});

        sum = sum ? B_ADD(sum, part) : part;
    }
    return sum;
}

static struct dot
dot_of(struct ls_vf *vf, LLVMValueRef call, unsigned a, bool a_signed, unsigned b, bool b_signed)
{
    return (struct dot){
        ls_lower_arg(vf, call, a),          ls_lower_arg(vf, call, b),         a_signed, b_signed,
        bytes_max(LLVMGetOperand(call, a)), bytes_max(LLVMGetOperand(call, b))};
}

static LLVMValueRef
dot(struct ls_vf *vf, const struct dot *d, unsigned bits, LLVMValueRef c, bool clamp)
{
    const struct ls_simd_ops *simd = vf->cc->host.simd;
    bool is_signed = d->a_signed || d->b_signed;

    if (bits == 8 && !clamp && ls_lower_op(&simd->dot_u8_s8, LLVMTypeOf(c)))
        return dot_of_bytes(vf, d, c);
    if (bits != 8 || !ls_lower_op(&simd->dot_i16, LLVMTypeOf(c)))
        return dot_sum(vf, d, bits, c, clamp);
    LLVMValueRef sum = dot_of_words(vf, d);
    if (!clamp)
        return B_ADD(c, sum);
    return ls_lower_llvm2(vf, is_signed ? "llvm.sadd.sat" : "llvm.uadd.sat", c, sum);
}

/* sdot4, udot4, sdot8, udot8: data = bits of an element, negative when signed */
LLVMValueRef
ls_lower_dot(struct ls_vf *vf, LLVMValueRef call, long data)
{
    struct dot d = dot_of(vf, call, 0, data < 0, 1, data < 0);
    unsigned long long clamp;

    if (!ls_lower_const_arg(vf, call, 3, &clamp))
        return NULL;
    return dot(vf, &d, (unsigned)(data < 0 ? -data : data), ls_lower_arg(vf, call, 2), clamp);
}

/* sudot4, sudot8: (a signed, a, b signed, b, c, clamp) */
LLVMValueRef
ls_lower_sudot(struct ls_vf *vf, LLVMValueRef call, long data)
{
    unsigned long long a_signed, b_signed, clamp;

    if (!ls_lower_const_arg(vf, call, 0, &a_signed) ||
        !ls_lower_const_arg(vf, call, 2, &b_signed) || !ls_lower_const_arg(vf, call, 5, &clamp))
        return NULL;
    struct dot d = dot_of(vf, call, 1, a_signed, 3, b_signed);
    return dot(vf, &d, (unsigned)data, ls_lower_arg(vf, call, 4), clamp);
}

/* sdot2, udot2: pairs of 16 bits; data: LS_SIGNED or not */
LLVMValueRef
ls_lower_dot2(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef c = ls_lower_arg(vf, call, 2);
    LLVMTypeRef narrow = LLVMTypeOf(c), wide = ls_lanes_like(narrow, vf->i64);
    unsigned long long clamp;

    if (!ls_lower_const_arg(vf, call, 3, &clamp))
        return NULL;
    LLVMTypeRef in = clamp ? wide : narrow;
    LLVMValueRef sum = !clamp ? c : data ? B_SEXT(c, wide) : B_ZEXT(c, wide);
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef x = ls_lower_arg_component(vf, call, 0, i),
                     y = ls_lower_arg_component(vf, call, 1, i);
        x = data ? B_SEXT(x, in) : B_ZEXT(x, in);
        y = data ? B_SEXT(y, in) : B_ZEXT(y, in);
        sum = B_ADD(sum, B_MUL(x, y));
    }
    return clamp ? clamp_i64(vf, sum, data, narrow) : sum;
}

/* ---- Packing ---- */

/* Two i32 to <2 x i16> with saturation; data: LS_SIGNED or not */
LLVMValueRef
ls_lower_cvt_pk_i16(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef comp[2];

    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef x = ls_lower_arg(vf, call, i);
        if (data) {
            x = ls_lower_llvm2(vf, "llvm.smin", x, B_INT(x, 32767));
            x = ls_lower_llvm2(vf, "llvm.smax", x, B_INT(x, -32768));
        } else {
            x = ls_lower_llvm2(vf, "llvm.umin", x, B_INT(x, 65535));
        }
        comp[i] = B_TRUNC(x, ls_lanes_like(LLVMTypeOf(x), vf->i16));
    }
    return ls_lower_build_components(vf, call, comp, 2);
}

/* Two bits become four: every bit of the mask is repeated; data: unused */
LLVMValueRef
ls_lower_bitreplicate(struct ls_vf *vf, LLVMValueRef call, long data)
{
    static const unsigned long long keep[5] = {0x0000ffff0000ffffull, 0x00ff00ff00ff00ffull,
                                               0x0f0f0f0f0f0f0f0full, 0x3333333333333333ull,
                                               0x5555555555555555ull};
    LLVMValueRef x = ls_lower_arg(vf, call, 0);

    (void)data;
    x = B_ZEXT(x, ls_lanes_like(LLVMTypeOf(x), vf->i64));
    for (unsigned i = 0; i < 5; i++)
        x = B_AND(B_OR(x, B_SHL(x, B_INT(x, 16 >> i))), B_INT(x, keep[i]));
    return B_OR(x, B_SHL(x, B_INT(x, 1)));
}

/* High half of a product of 64 bits. One instruction for a scalar; of vectors x86 multiplies the
 * lower 32 bits. */
LLVMValueRef
ls_lower_umulh(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef a = ls_lower_arg(vf, call, 0), b = ls_lower_arg(vf, call, 1);

    (void)data;
    if (!ls_lanes_length(LLVMTypeOf(a))) {
        LLVMTypeRef wide = LLVMInt128TypeInContext(vf->llvm);
        LLVMValueRef product = B_MUL(B_ZEXT(a, wide), B_ZEXT(b, wide));
        return B_TRUNC(B_LSHR(product, B_INT(product, 64)), vf->i64);
    }
    LLVMValueRef al = B_AND(a, B_INT(a, UINT32_MAX)), ah = B_LSHR(a, B_INT(a, 32));
    LLVMValueRef bl = B_AND(b, B_INT(b, UINT32_MAX)), bh = B_LSHR(b, B_INT(b, 32));
    LLVMValueRef low = B_ADD(B_MUL(ah, bl), B_LSHR(B_MUL(al, bl), B_INT(a, 32)));
    LLVMValueRef middle = B_ADD(B_MUL(al, bh), B_AND(low, B_INT(a, UINT32_MAX)));
    return B_ADD(B_ADD(B_MUL(ah, bh), B_LSHR(low, B_INT(a, 32))), B_LSHR(middle, B_INT(a, 32)));
}
