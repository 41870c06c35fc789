/* SPDX-License-Identifier: MIT */
/* Shapes: an optimistic fixpoint over the function, together with divergence of branches.
 *
 * Divergence follows control flow from each divergent branch: its successors get labels, labels
 * flow forward, and a block where two labels meet is a join, whose phis vary. A loop that lanes
 * leave at different times acts as a divergent branch to its exit blocks, and its LCSSA phis
 * vary. */
#include "analysis/shape_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "compiler/ir/ir.h"
#include "intrin/intrinsics.h"

#define ALIGN_ZERO   63
#define OFFSET_LIMIT ((int64_t)1 << 40)

enum { WORD = 4 }; /* bytes */

static const struct ls_shape shape_varying = {.kind = LS_SHAPE_VARYING};
static const struct ls_shape shape_none = {.kind = LS_SHAPE_NONE};

unsigned
ls_shape_int_bits(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type);
    case LLVMPointerTypeKind: {
        unsigned as = LLVMGetPointerAddressSpace(type);
        return as == 2 || as == 3 || as == 5 || as == 6 ? 32 : 64;
    }
    default:
        return 0;
    }
}

static unsigned
ctz64(uint64_t v)
{
    return v ? (unsigned)__builtin_ctzll(v) : ALIGN_ZERO;
}

static struct ls_shape
uniform_shape(const struct ls_shapes *s, unsigned align)
{
    return (struct ls_shape){.kind = LS_SHAPE_GROUPED,
                             .group = (uint8_t)s->n_lanes,
                             .align = (uint8_t)align,
                             .nsw = true,
                             .nuw = true};
}

static int64_t
offset_of(const struct ls_shape *sh, unsigned lane)
{
    return sh->offset ? sh->offset[lane] : 0;
}

static unsigned
min_u(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Makes a grouped shape of lane values that are relative to the bases of the old groups: makes them
 * relative to the first lane of each new group. `group` is taken as it is, larger ones are not
 * tried; `align` is the alignment of the old bases. */
static struct ls_shape
grouped_shape(const struct ls_shapes *s, unsigned group, unsigned align, const int64_t *raw)
{
    struct ls_shape sh = {
        .kind = LS_SHAPE_GROUPED, .group = (uint8_t)group, .align = (uint8_t)align};
    int64_t *offset = ls_arena_alloc(s->cc->arena, s->n_lanes * sizeof(*offset));
    bool zero = group == s->n_lanes;

    for (unsigned l = 0; l < s->n_lanes; l++) {
        int64_t first = raw[l / group * group];

        offset[l] = raw[l] - first;
        if (offset[l] > OFFSET_LIMIT || offset[l] < -OFFSET_LIMIT)
            return shape_varying;
        sh.align = (uint8_t)min_u(sh.align, ctz64((uint64_t)first));
        if (offset[l])
            zero = false;
    }
    sh.offset = zero ? NULL : offset;
    return sh;
}

struct ls_shape
ls_shape_regroup(const struct ls_shapes *s, const struct ls_shape *sh, unsigned group)
{
    int64_t raw[LS_MAX_LANES];

    if (sh->kind != LS_SHAPE_GROUPED || (group < LS_MIN_GROUP && group != s->n_lanes) ||
        group > sh->group)
        return shape_varying;
    if (group == sh->group)
        return *sh;
    for (unsigned l = 0; l < s->n_lanes; l++)
        raw[l] = offset_of(sh, l);
    struct ls_shape r = grouped_shape(s, group, sh->align, raw);
    r.nsw = sh->nsw;
    r.nuw = sh->nuw;
    r.assumed = sh->assumed;
    return r;
}

/* The group size below `group`, or 0. */
static unsigned
smaller_group(const struct ls_shapes *s, unsigned group)
{
    (void)s;
    return group / 2 >= LS_MIN_GROUP && group % 2 == 0 ? group / 2 : 0;
}

static bool
same_offsets(const struct ls_shapes *s, const struct ls_shape *a, const struct ls_shape *b)
{
    if (a->group != b->group)
        return false;
    if (a->offset == b->offset)
        return true;
    for (unsigned l = 0; l < s->n_lanes; l++)
        if (offset_of(a, l) != offset_of(b, l))
            return false;
    return true;
}

/* Greatest shape below both. */
static struct ls_shape
meet(const struct ls_shapes *s, const struct ls_shape *a, const struct ls_shape *b)
{
    if (a->kind == LS_SHAPE_NONE)
        return *b;
    if (b->kind == LS_SHAPE_NONE)
        return *a;
    if (a->kind == LS_SHAPE_VARYING || b->kind == LS_SHAPE_VARYING)
        return shape_varying;
    for (unsigned g = min_u(a->group, b->group); g; g = smaller_group(s, g)) {
        struct ls_shape ra = ls_shape_regroup(s, a, g), rb = ls_shape_regroup(s, b, g);

        if (ra.kind != LS_SHAPE_GROUPED || rb.kind != LS_SHAPE_GROUPED)
            break;
        if (!same_offsets(s, &ra, &rb))
            continue;
        ra.align = (uint8_t)min_u(ra.align, rb.align);
        ra.nsw &= rb.nsw;
        ra.nuw &= rb.nuw;
        ra.assumed |= rb.assumed;
        return ra;
    }
    return shape_varying;
}

/* Offsets all lie in [0, 1 << align): the base's low bits are free, so adding them carries
 * nowhere. */
static bool
offsets_below_align(const struct ls_shapes *s, const struct ls_shape *sh)
{
    int64_t limit = sh->align >= 40 ? OFFSET_LIMIT : (int64_t)1 << sh->align;

    for (unsigned l = 0; l < s->n_lanes; l++)
        if (offset_of(sh, l) < 0 || offset_of(sh, l) >= limit)
            return false;
    return true;
}

/* A base of `align` zero bits plus offsets below that cannot wrap in `bits` bits. */
static void
prove_no_wrap(const struct ls_shapes *s, struct ls_shape *sh, unsigned bits)
{
    if (sh->kind != LS_SHAPE_GROUPED)
        return;
    if (!sh->offset) {
        sh->nsw = sh->nuw = true;
        return;
    }
    if (sh->align >= 63) { /* base is zero */
        int64_t lo = 0, hi = 0;

        for (unsigned l = 0; l < s->n_lanes; l++) {
            lo = offset_of(sh, l) < lo ? offset_of(sh, l) : lo;
            hi = offset_of(sh, l) > hi ? offset_of(sh, l) : hi;
        }
        if (lo >= 0 && (bits > 40 || hi < (int64_t)1 << (bits - 1)))
            sh->nsw = sh->nuw = true;
        return;
    }
    if (sh->align < bits && offsets_below_align(s, sh)) {
        if (sh->align + 1u < bits || offset_of(sh, 0) == 0)
            sh->nuw = true;
        if (sh->align < bits - 1)
            sh->nsw = true;
    }
}

static struct ls_shape
shape_add(const struct ls_shapes *s, const struct ls_shape *a, const struct ls_shape *b, int sign,
          unsigned bits, bool nsw, bool nuw)
{
    int64_t raw[LS_MAX_LANES];

    if (a->kind == LS_SHAPE_VARYING || b->kind == LS_SHAPE_VARYING)
        return shape_varying;
    unsigned g = min_u(a->group, b->group);
    struct ls_shape ra = ls_shape_regroup(s, a, g), rb = ls_shape_regroup(s, b, g);
    for (unsigned l = 0; l < s->n_lanes; l++)
        raw[l] = offset_of(&ra, l) + sign * offset_of(&rb, l);
    struct ls_shape r = grouped_shape(s, g, min_u(ra.align, rb.align), raw);
    if (r.kind != LS_SHAPE_GROUPED)
        return r;
    r.nsw = nsw && ra.nsw && rb.nsw;
    r.nuw = nuw && ra.nuw && rb.nuw && sign > 0;
    r.assumed = ra.assumed || rb.assumed;
    if (r.assumed && !r.offset)
        return shape_varying;
    prove_no_wrap(s, &r, bits);
    return r;
}

static struct ls_shape
shape_scale(const struct ls_shapes *s, const struct ls_shape *a, int64_t k, unsigned bits, bool nsw,
            bool nuw)
{
    int64_t raw[LS_MAX_LANES];

    if (a->kind != LS_SHAPE_GROUPED)
        return *a;
    if (k > 1 << 20 || k < -(1 << 20)) {
        if (a->offset)
            return shape_varying;
        struct ls_shape u = *a;
        u.align = (uint8_t)min_u(ALIGN_ZERO, a->align + ctz64((uint64_t)k));
        return u;
    }
    for (unsigned l = 0; l < s->n_lanes; l++)
        raw[l] = offset_of(a, l) * k;
    struct ls_shape r =
        grouped_shape(s, a->group, min_u(ALIGN_ZERO, a->align + ctz64((uint64_t)k)), raw);
    if (r.kind != LS_SHAPE_GROUPED)
        return r;
    r.nsw = a->nsw && nsw;
    r.nuw = a->nuw && nuw && k > 0;
    r.assumed = a->assumed;
    if (r.assumed && !r.offset)
        return shape_varying;
    prove_no_wrap(s, &r, bits);
    return r;
}

/* The shape of the largest groups in which the value is the same in all lanes; a shape that is not
 * computed yet stays. */
static struct ls_shape
group_uniform(const struct ls_shapes *s, const struct ls_shape *a)
{
    if (a->kind != LS_SHAPE_GROUPED || !a->offset)
        return *a;
    for (unsigned g = a->group; g; g = smaller_group(s, g)) {
        struct ls_shape r = ls_shape_regroup(s, a, g);
        bool zero = r.kind == LS_SHAPE_GROUPED;

        for (unsigned l = 0; zero && l < s->n_lanes; l++)
            zero = offset_of(&r, l) == 0;
        if (zero) {
            r.nsw = r.nuw = true;
            return r;
        }
    }
    return shape_varying;
}

/* An operation without a rule: uniform in the groups where all operands are. */
static struct ls_shape
shape_generic2(const struct ls_shapes *s, const struct ls_shape *a, const struct ls_shape *b,
               bool groups_ok)
{
    struct ls_shape ra = group_uniform(s, a), rb = group_uniform(s, b);
    int64_t zero[LS_MAX_LANES] = {0};

    if (ra.kind == LS_SHAPE_VARYING || rb.kind == LS_SHAPE_VARYING)
        return shape_varying;
    unsigned g = min_u(ra.group, rb.group);
    if (g == s->n_lanes) {
        struct ls_shape u = uniform_shape(s, 0);
        return u;
    }
    if (!groups_ok || ra.assumed || rb.assumed)
        return shape_varying;
    struct ls_shape r = grouped_shape(s, g, 0, zero);
    r.offset = ls_arena_alloc(s->cc->arena, s->n_lanes * sizeof(int64_t));
    r.nsw = r.nuw = true;
    return r;
}

/* Bitwise operation, shift right or unsigned division by a constant: where the base has enough low
 * zero bits, it works on base and offsets apart. */
static struct ls_shape
shape_bits_const(const struct ls_shapes *s, LLVMOpcode op, const struct ls_shape *a, int64_t k,
                 unsigned bits)
{
    for (unsigned g = a->group; g; g = smaller_group(s, g)) {
        struct ls_shape r = ls_shape_regroup(s, a, g);
        int64_t raw[LS_MAX_LANES], hi = 0;
        uint64_t low;
        bool ok = r.kind == LS_SHAPE_GROUPED && !r.assumed && offsets_below_align(s, &r);
        unsigned align = r.align;

        for (unsigned l = 0; l < s->n_lanes; l++)
            hi = offset_of(&r, l) > hi ? offset_of(&r, l) : hi;
        for (low = 1; (int64_t)low <= hi; low <<= 1)
            ;
        /* offsets < low, a power of two, and base is a multiple of low */
        uint64_t period = align >= 62 ? (uint64_t)1 << 62 : (uint64_t)1 << align;
        uint64_t uk = (uint64_t)k;
        if (bits < 64)
            uk &= ((uint64_t)1 << bits) - 1;
        unsigned ralign = 0;
        for (unsigned l = 0; ok && l < s->n_lanes; l++) {
            uint64_t c = (uint64_t)offset_of(&r, l);
            switch (op) {
            case LLVMAnd:
                raw[l] = (int64_t)(c & uk & (low - 1));
                ralign = align;
                break;
            case LLVMOr:
                raw[l] = (int64_t)((c | uk) & (low - 1));
                break;
            case LLVMXor:
                raw[l] = (int64_t)((c ^ uk) & (low - 1));
                break;
            case LLVMLShr:
            case LLVMAShr:
                ok = uk < bits && (op == LLVMLShr || align >= 62 || bits - 1 > 0);
                raw[l] = (int64_t)(c >> uk);
                ralign = align >= ALIGN_ZERO ? ALIGN_ZERO : align > uk ? align - (unsigned)uk : 0;
                /* bits of the base below uk and those of the offsets never carry: period >= low */
                break;
            case LLVMUDiv:
            case LLVMURem:
                if (uk == 0) {
                    ok = false;
                } else if (period % uk == 0 && (align >= 62 || uk <= period)) {
                    raw[l] = (int64_t)(op == LLVMUDiv ? c / uk : c % uk);
                    ralign = op == LLVMUDiv
                                 ? (align >= ALIGN_ZERO ? ALIGN_ZERO : ctz64(period / uk))
                                 : ALIGN_ZERO;
                } else if (uk % low == 0) {
                    raw[l] = op == LLVMUDiv ? 0 : (int64_t)c;
                    ralign = op == LLVMUDiv ? 0 : min_u(align, ctz64(uk));
                } else if (align >= ALIGN_ZERO) { /* base is zero: offsets are the value */
                    raw[l] = (int64_t)(op == LLVMUDiv ? c / uk : c % uk);
                    ralign = ALIGN_ZERO;
                } else {
                    ok = false;
                }
                break;
            default:
                ok = false;
            }
        }
        if (!ok)
            continue;
        int64_t first[LS_MAX_LANES];
        memcpy(first, raw, sizeof(first));
        struct ls_shape out = grouped_shape(s, g, ralign, raw);
        if (out.kind != LS_SHAPE_GROUPED)
            continue;
        if (op == LLVMOr || op == LLVMXor)
            out.align = 0;
        prove_no_wrap(s, &out, bits);
        if (!out.offset)
            out.nsw = out.nuw = true;
        else if (op == LLVMURem || op == LLVMAnd)
            out.nsw = out.nuw = out.nsw && out.nuw;
        return out;
    }
    return shape_varying;
}

static bool
has_flag_nsw(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        return LLVMGetNSW(inst);
    default:
        return false;
    }
}

static bool
has_flag_nuw(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        return LLVMGetNUW(inst);
    default:
        return false;
    }
}

static struct ls_shape
shape_binary(const struct ls_shapes *s, LLVMValueRef inst)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    LLVMValueRef x = LLVMGetOperand(inst, 0), y = LLVMGetOperand(inst, 1);
    const struct ls_shape *a = ls_shape_of(s, x), *b = ls_shape_of(s, y);
    unsigned bits = ls_shape_int_bits(LLVMTypeOf(inst));
    int64_t k;

    if (a->kind == LS_SHAPE_NONE || b->kind == LS_SHAPE_NONE)
        return shape_none;
    if (bits < 16 || bits > 64)
        return shape_generic2(s, a, b, false);
    switch (op) {
    case LLVMAdd:
        return shape_add(s, a, b, 1, bits, has_flag_nsw(inst), has_flag_nuw(inst));
    case LLVMSub:
        return shape_add(s, a, b, -1, bits, has_flag_nsw(inst), has_flag_nuw(inst));
    case LLVMMul:
        if (ls_const_int(y, &k))
            return shape_scale(s, a, k, bits, has_flag_nsw(inst), has_flag_nuw(inst));
        if (ls_const_int(x, &k))
            return shape_scale(s, b, k, bits, has_flag_nsw(inst), has_flag_nuw(inst));
        break;
    case LLVMShl:
        if (ls_const_int(y, &k) && k >= 0 && k <= 20)
            return shape_scale(s, a, (int64_t)1 << k, bits, has_flag_nsw(inst), has_flag_nuw(inst));
        break;
    case LLVMOr:
        if (a->kind == LS_SHAPE_GROUPED && b->kind == LS_SHAPE_GROUPED && LLVMGetIsDisjoint(inst))
            return shape_add(s, a, b, 1, bits, true, true);
        /* fall through */
    case LLVMAnd:
    case LLVMXor:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMUDiv:
    case LLVMURem:
        if (a->kind == LS_SHAPE_GROUPED && ls_const_int(y, &k) && (a->offset || op == LLVMAnd))
            return shape_bits_const(s, op, a, k, bits);
        break;
    default:
        break;
    }
    struct ls_shape r = shape_generic2(s, a, b, true);
    if (r.kind == LS_SHAPE_GROUPED && op == LLVMMul)
        r.align = (uint8_t)min_u(ALIGN_ZERO, a->align + b->align);
    if (r.kind == LS_SHAPE_GROUPED && op == LLVMMul && r.group != s->n_lanes) {
        struct ls_shape ra = ls_shape_regroup(s, a, r.group), rb = ls_shape_regroup(s, b, r.group);
        r.align = (uint8_t)min_u(ALIGN_ZERO, ra.align + rb.align);
    }
    return r;
}

/* Whether a number of 32 bits, extended by its sign, is nothing but an index of words or more.
 * Lanes side by side of which one had wrapped from the largest to the smallest such number would
 * lie at both ends of 4 Gi elements, and all of these 16 GiB would be one object, with the pointer
 * in its middle. So it is taken that no lane that is on has wrapped. */
static bool
is_just_index(const struct ls_shapes *s, LLVMValueRef inst, unsigned from, unsigned to)
{
    for (LLVMUseRef u = LLVMGetFirstUse(inst); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);

        if (!LLVMIsAGetElementPtrInst(user) || LLVMGetOperand(user, 0) == inst ||
            LLVMABISizeOfType(s->cc->device.layout, LLVMGetGEPSourceElementType(user)) < WORD)
            return false;
    }
    return from == 32 && to == 64;
}

static struct ls_shape
shape_cast(const struct ls_shapes *s, LLVMValueRef inst, LLVMOpcode op)
{
    LLVMValueRef x = LLVMGetOperand(inst, 0);
    const struct ls_shape *a = ls_shape_of(s, x);
    unsigned from = ls_shape_int_bits(LLVMTypeOf(x)), to = ls_shape_int_bits(LLVMTypeOf(inst));
    struct ls_shape r = *a;

    if (a->kind != LS_SHAPE_GROUPED)
        return *a;
    if (from < 16 || to < 16 || from > 64 || to > 64)
        return shape_generic2(s, a, a, false);
    switch (op) {
    case LLVMTrunc:
        r.nsw = r.nuw = false;
        prove_no_wrap(s, &r, to);
        return r;
    case LLVMZExt:
    case LLVMSExt: {
        bool as_signed = op == LLVMSExt || LLVMGetNNeg(inst);

        if (r.offset && !(as_signed ? a->nsw : a->nuw) &&
            (op != LLVMSExt || !is_just_index(s, inst, from, to)))
            r.assumed = true;
        r.nsw = true; /* the wider type has room; under the assumption, exactly base + offset */
        r.nuw = op == LLVMZExt;
        return r;
    }
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMAddrSpaceCast:
        if (to < from) {
            r.nsw = r.nuw = false;
            return r;
        }
        return r; /* wider: LDS and private offsets are small, base + offset is exact */
    default:      /* bitcast */
        return r;
    }
}

static struct ls_shape
shape_gep(const struct ls_shapes *s, LLVMValueRef inst)
{
    struct ls_gep_term terms[LS_MAX_GEP_TERMS];
    unsigned bits = ls_shape_int_bits(LLVMTypeOf(inst));
    unsigned n = ls_gep_terms(s->cc, inst, terms, LS_MAX_GEP_TERMS);
    struct ls_shape r = *ls_shape_of(s, LLVMGetOperand(inst, 0));

    if (LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMPointerTypeKind)
        return shape_varying;
    for (unsigned i = 0; i < n; i++) {
        if (!terms[i].index) {
            r.align = (uint8_t)min_u(r.align, ctz64((uint64_t)terms[i].stride));
            continue;
        }
        struct ls_shape x = *ls_shape_of(s, terms[i].index);
        unsigned xbits = ls_shape_int_bits(LLVMTypeOf(terms[i].index));
        if (x.kind == LS_SHAPE_NONE || r.kind == LS_SHAPE_NONE)
            return shape_none;
        if (x.kind == LS_SHAPE_GROUPED && xbits < bits && x.offset && !x.nsw &&
            (xbits != 32 || bits != 64 || terms[i].stride < WORD))
            x.assumed = true; /* an index is sign-extended to the pointer's width */
        x = shape_scale(s, &x, terms[i].stride, bits, true, false);
        r = shape_add(s, &r, &x, 1, bits, true, false);
    }
    return r;
}

static struct ls_shape
shape_phi(const struct ls_shapes *s, LLVMValueRef phi, unsigned block)
{
    struct ls_shape r = shape_none;
    unsigned n = LLVMCountIncoming(phi);
    bool same = true;
    LLVMValueRef first = NULL;

    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, i);

        if (v == phi)
            continue;
        if (first && v != first)
            same = false;
        first = first ? first : v;
        if (LLVMIsUndef(v))
            continue;
        struct ls_shape in = *ls_shape_of(s, v);
        r = meet(s, &r, &in);
    }
    if (r.kind == LS_SHAPE_NONE)
        return first && LLVMIsUndef(first) ? uniform_shape(s, 0) : r;
    if (s->divergent_exit[block] && !(first && LLVMIsConstant(first) && same))
        return shape_varying;
    if (s->join[block] && !same)
        return shape_varying;
    if (r.assumed) /* an assumption that was checked in one iteration need not hold in the next */
        return shape_varying;
    if (r.kind == LS_SHAPE_GROUPED && r.offset && ls_shape_int_bits(LLVMTypeOf(phi)) < 16)
        return shape_varying;
    return r;
}

static struct ls_shape
shape_load(const struct ls_shapes *s, LLVMValueRef inst)
{
    const struct ls_shape *p = ls_shape_of(s, LLVMGetOperand(inst, 0));

    if (p->kind == LS_SHAPE_NONE)
        return shape_none;
    if (!ls_shape_is_uniform(p))
        return shape_varying;
    const struct ls_private *priv = ls_private_of(s, LLVMGetOperand(inst, 0));
    if (priv && priv->kind == LS_PRIVATE_INTERLEAVED)
        return shape_varying;
    if (s->scope == LS_SCOPE_BLOCK &&
        (LLVMGetVolatile(inst) || LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic))
        return shape_varying;
    return uniform_shape(s, 0);
}

static struct ls_shape
all_uniform(const struct ls_shapes *s, LLVMValueRef inst, unsigned n_ops)
{
    bool none = false;

    for (unsigned i = 0; i < n_ops; i++) {
        LLVMValueRef v = LLVMGetOperand(inst, i);

        if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMMetadataTypeKind || LLVMValueIsBasicBlock(v))
            continue;
        const struct ls_shape *sh = ls_shape_of(s, v);
        if (sh->kind == LS_SHAPE_NONE)
            none = true;
        else if (!ls_shape_is_uniform(sh) || sh->assumed)
            return shape_varying;
    }
    return none ? shape_none : uniform_shape(s, 0);
}

/* mbcnt(mask, x) = x + number of mask bits of lower lanes: with a constant mask, an offset per
 * lane. */
static bool
shape_mbcnt(const struct ls_shapes *s, LLVMValueRef call, const char *name, struct ls_shape *out)
{
    bool hi = strcmp(name, "llvm.amdgcn.mbcnt.hi") == 0;
    int64_t mask, raw[LS_MAX_LANES];

    if (!hi && strcmp(name, "llvm.amdgcn.mbcnt.lo") != 0)
        return false;
    if (s->scope == LS_SCOPE_BLOCK || !ls_const_int(LLVMGetOperand(call, 0), &mask))
        return false;
    for (unsigned l = 0; l < s->n_lanes; l++) {
        uint64_t lower = ((uint64_t)1 << l) - 1;
        raw[l] = __builtin_popcount((uint32_t)(mask & (int64_t)(hi ? lower >> 32 : lower)));
    }
    struct ls_shape lanes = grouped_shape(s, s->n_lanes, ALIGN_ZERO, raw);
    const struct ls_shape *x = ls_shape_of(s, LLVMGetOperand(call, 1));
    lanes.nsw = lanes.nuw = true;
    if (x->kind == LS_SHAPE_NONE)
        *out = shape_none;
    else
        *out = shape_add(s, x, &lanes, 1, 32, true, true);
    return true;
}

bool
ls_clamp_of(const struct ls_shapes *s, LLVMValueRef inst, struct ls_clamp *out)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;
    const struct ls_intrin *row = name ? ls_intrin_find(name) : NULL;
    unsigned bits = ls_shape_int_bits(LLVMTypeOf(inst));

    if (!row || !(row->flags & (LS_IF_MIN | LS_IF_MAX)))
        return false;
    if (bits < 16 || bits > 64)
        return false;
    *out = (struct ls_clamp){LLVMGetOperand(inst, 0), LLVMGetOperand(inst, 1),
                             row->flags & LS_IF_MAX, row->flags & LS_IF_SIGNED};
    struct ls_shape a = group_uniform(s, ls_shape_of(s, out->value));
    if (a.kind == LS_SHAPE_GROUPED) {
        out->value = LLVMGetOperand(inst, 1);
        out->bound = LLVMGetOperand(inst, 0);
    }
    return true;
}

static struct ls_shape
shape_clamp(const struct ls_shapes *s, const struct ls_clamp *clamp)
{
    const struct ls_shape *a = ls_shape_of(s, clamp->value), *b = ls_shape_of(s, clamp->bound);

    if (a->kind == LS_SHAPE_NONE || b->kind == LS_SHAPE_NONE)
        return shape_none;
    struct ls_shape bound = group_uniform(s, b), value = group_uniform(s, a);
    if (a->kind == LS_SHAPE_VARYING || bound.kind == LS_SHAPE_VARYING)
        return shape_varying;
    if (value.kind == LS_SHAPE_GROUPED)
        return shape_generic2(s, a, b, true);
    struct ls_shape r = ls_shape_regroup(s, a, min_u(a->group, bound.group));
    if (r.kind != LS_SHAPE_GROUPED || !r.offset)
        return shape_varying;
    r.assumed = true;
    r.nsw |= clamp->is_signed; /* the check is made without wrapping */
    r.nuw |= !clamp->is_signed;
    return r;
}

static struct ls_shape
shape_call(const struct ls_shapes *s, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t len;

    if (!LLVMIsAFunction(callee))
        return shape_varying;
    const char *name = LLVMGetValueName2(callee, &len);
    const struct ls_intrin *row = ls_intrin_find(name);
    struct ls_clamp clamp;
    struct ls_shape out;

    if (!row)
        return shape_varying;
    if (shape_mbcnt(s, call, name, &out))
        return out;
    if (ls_clamp_of(s, call, &clamp))
        return shape_clamp(s, &clamp);
    switch (row->shape) {
    case LS_IS_PURE:
        return all_uniform(s, call, LLVMGetNumArgOperands(call));
    case LS_IS_LANE: {
        int64_t raw[LS_MAX_LANES];

        if (s->scope == LS_SCOPE_BLOCK)
            return shape_varying;
        for (unsigned l = 0; l < s->n_lanes; l++)
            raw[l] = l;
        out = grouped_shape(s, s->n_lanes, ALIGN_ZERO, raw);
        out.nsw = out.nuw = true;
        return out;
    }
    case LS_IS_BLOCK_UNIFORM:
        return uniform_shape(s, 0);
    case LS_IS_WARP_UNIFORM:
        return s->scope == LS_SCOPE_WARP ? uniform_shape(s, 0) : shape_varying;
    default:
        return shape_varying;
    }
}

/* The shape of a private variable's address, which follows from where the copies of the lanes
 * lie. */
static struct ls_shape
shape_alloca(const struct ls_shapes *s, LLVMValueRef inst)
{
    const struct ls_private *priv = ls_ptrmap_get(&s->privates, inst);
    int64_t raw[LS_MAX_LANES];

    if (s->scope == LS_SCOPE_BLOCK || !priv)
        return shape_varying;
    if (priv->kind != LS_PRIVATE_PER_LANE)
        return uniform_shape(s, 4);
    for (unsigned l = 0; l < s->n_lanes; l++)
        raw[l] = (int64_t)(l * priv->lane_bytes);
    struct ls_shape sh = grouped_shape(s, s->n_lanes, 0, raw);
    sh.nsw = sh.nuw = true;
    return sh;
}

static struct ls_shape
transfer(const struct ls_shapes *s, LLVMValueRef inst, unsigned block)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);

    if (LLVMIsABinaryOperator(inst))
        return shape_binary(s, inst);
    switch (op) {
    case LLVMPHI:
        return shape_phi(s, inst, block);
    case LLVMGetElementPtr:
        return shape_gep(s, inst);
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMAddrSpaceCast:
        return shape_cast(s, inst, op);
    case LLVMLoad:
        return shape_load(s, inst);
    case LLVMCall:
        return shape_call(s, inst);
    case LLVMAlloca:
        return shape_alloca(s, inst);
    case LLVMSelect: {
        const struct ls_shape *c = ls_shape_of(s, LLVMGetOperand(inst, 0));
        const struct ls_shape *a = ls_shape_of(s, LLVMGetOperand(inst, 1));
        const struct ls_shape *b = ls_shape_of(s, LLVMGetOperand(inst, 2));

        if (c->kind == LS_SHAPE_NONE || a->kind == LS_SHAPE_NONE || b->kind == LS_SHAPE_NONE)
            return shape_none;
        if (!ls_shape_is_uniform(c) || a->assumed || b->assumed ||
            LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(inst, 0))) == LLVMVectorTypeKind)
            return all_uniform(s, inst, 3);
        return meet(s, a, b);
    }
    case LLVMFreeze: {
        struct ls_shape r = *ls_shape_of(s, LLVMGetOperand(inst, 0));
        return r.assumed ? shape_varying : r;
    }
    case LLVMFNeg:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMBitCast:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
    case LLVMExtractValue:
    case LLVMInsertValue:
        return all_uniform(s, inst, (unsigned)LLVMGetNumOperands(inst));
    default: /* atomics, va_arg, stores (no value) */
        return shape_varying;
    }
}

const struct ls_shape *
ls_shape_of(const struct ls_shapes *s, LLVMValueRef v)
{
    if (LLVMIsAInstruction(v)) {
        const struct ls_shape *sh = ls_ptrmap_get(&s->map, v);
        return sh ? sh : &shape_none;
    }
    if (LLVMIsAArgument(v) && s->args_varying)
        return &shape_varying;
    unsigned align = 0;
    if (LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64)
        align = ctz64(LLVMConstIntGetZExtValue(v));
    LS_ASSERT(align < LS_N_ALIGNS);
    return &s->uniform[align];
}

/* ---- Divergence of control flow ---- */

static unsigned
common_postdom(const struct ls_cfg *cfg, const unsigned *blocks, unsigned n)
{
    unsigned found = n ? blocks[0] : LS_NO_BLOCK;

    for (unsigned i = 1; i < n && found != LS_NO_BLOCK; i++)
        for (unsigned b = blocks[i]; b != found;) {
            if (b == LS_NO_BLOCK || found == LS_NO_BLOCK)
                return LS_NO_BLOCK;
            if (cfg->blocks[b].post_depth > cfg->blocks[found].post_depth)
                b = cfg->blocks[b].ipdom;
            else if (cfg->blocks[b].post_depth < cfg->blocks[found].post_depth)
                found = cfg->blocks[found].ipdom;
            else {
                b = cfg->blocks[b].ipdom;
                found = cfg->blocks[found].ipdom;
            }
        }
    return found;
}

/* Lanes part and go to `targets` (blocks inside `loop` or outside): marks joins, divergent
 * loops. */
static void
spread(struct ls_shapes *s, const unsigned *targets, unsigned n_targets, const struct ls_loop *loop)
{
    const struct ls_cfg *cfg = s->cfg;
    unsigned n = cfg->n_blocks, first = n, end = loop ? loop->end : n;
    unsigned stop =
        ls_cfg_meeting(cfg, common_postdom(cfg, targets, n_targets), targets, n_targets, loop);
    bool leaves = loop && (stop == LS_NO_BLOCK || !ls_loop_has(loop, stop) || stop == loop->header);
    unsigned *label = calloc(n, sizeof(*label)); /* block + 1 */
    bool behind = false; /* some target comes after it: it heads a loop around them */

    if (!label)
        abort();
    for (unsigned i = 0; i < n_targets; i++) {
        label[targets[i]] = targets[i] + 1;
        if (targets[i] < first)
            first = targets[i];
        if (stop != LS_NO_BLOCK && targets[i] > stop)
            behind = true;
    }
    /* No label goes beyond the place where all are together again. */
    if (stop != LS_NO_BLOCK && !behind && stop < end)
        end = stop + 1;
    for (unsigned v = first; v < end; v++) {
        unsigned seen = label[v];
        bool join = false;

        if (loop && !ls_loop_has(loop, v))
            continue;
        if (loop && v == loop->header)
            continue;
        for (unsigned k = 0; k < cfg->blocks[v].n_preds; k++) {
            unsigned p = cfg->blocks[v].preds[k];

            if (p >= v || !label[p] || p == stop || (loop && !ls_loop_has(loop, p)))
                continue;
            if (loop && p == loop->header && label[p] == p + 1)
                continue; /* a label that reached the header belongs to another iteration */
            if (seen && seen != label[p])
                join = true;
            seen = label[p];
        }
        if (join) {
            s->join[v] = true;
            label[v] = v + 1;
        } else {
            label[v] = seen;
        }
    }
    free(label);
    if (!leaves)
        return;
    /* Lanes leave this loop in different iterations: it is a divergent branch to its exits. */
    unsigned *exits = calloc(n, sizeof(*exits)), n_exits = 0;
    bool *is_exit = calloc(n, 1);
    if (!exits || !is_exit)
        abort();
    for (unsigned v = loop->header; v < loop->end; v++) {
        if (!ls_loop_has(loop, v))
            continue;
        for (unsigned k = 0; k < cfg->blocks[v].n_succs; k++) {
            unsigned x = cfg->blocks[v].succs[k];
            if (!ls_loop_has(loop, x) && !is_exit[x]) {
                is_exit[x] = true;
                exits[n_exits++] = x;
                s->divergent_exit[x] = true;
            }
        }
    }
    if (n_exits > 1 || (loop->parent && n_exits && !ls_loop_has(loop->parent, exits[0])))
        spread(s, exits, n_exits, loop->parent);
    free(exits);
    free(is_exit);
}

/* Marks newly divergent branches; true when there are any. */
static bool
find_divergence(struct ls_shapes *s)
{
    bool changed = false;

    for (unsigned i = 0; i < s->cfg->n_blocks; i++) {
        const struct ls_cfg_block *b = &s->cfg->blocks[i];

        if (s->divergent[i] || b->n_succs < 2 || b->succs[0] == b->succs[1])
            continue;
        const struct ls_shape *c = ls_shape_of(s, LLVMGetOperand(b->term, 0));
        if (c->kind == LS_SHAPE_NONE || ls_shape_is_uniform(c))
            continue;
        s->divergent[i] = true;
        changed = true;
        spread(s, b->succs, b->n_succs, b->loop);
    }
    return changed;
}

static bool
same_shape(const struct ls_shapes *s, const struct ls_shape *a, const struct ls_shape *b)
{
    return a->kind == b->kind && a->align == b->align && a->nsw == b->nsw && a->nuw == b->nuw &&
           a->assumed == b->assumed && (a->kind != LS_SHAPE_GROUPED || same_offsets(s, a, b));
}

static bool
update_shapes(struct ls_shapes *s)
{
    bool changed = false;

    for (unsigned i = 0; i < s->cfg->n_blocks; i++) {
        LLVMValueRef inst = LLVMGetFirstInstruction(s->cfg->blocks[i].bb);

        for (; inst; inst = LLVMGetNextInstruction(inst)) {
            if (LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMVoidTypeKind)
                continue;
            struct ls_shape *old = ls_ptrmap_get(&s->map, inst);
            if (old && old->kind == LS_SHAPE_VARYING)
                continue;
            struct ls_shape sh = transfer(s, inst, i);
            if (old)
                sh = meet(s, old, &sh);
            if (old && same_shape(s, old, &sh))
                continue;
            if (!old && sh.kind == LS_SHAPE_NONE)
                continue;
            struct ls_shape *copy = ls_arena_alloc(s->cc->arena, sizeof(*copy));
            *copy = sh;
            ls_ptrmap_set(&s->map, inst, copy);
            changed = true;
        }
    }
    return changed;
}

/* Values that still have no shape depend on undefined values alone. They may have any value, so
 * they become uniform. */
static void
settle_undefined(struct ls_shapes *s)
{
    for (unsigned i = 0; i < s->cfg->n_blocks; i++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(s->cfg->blocks[i].bb); v;
             v = LLVMGetNextInstruction(v)) {
            struct ls_shape *sh = ls_ptrmap_get(&s->map, v);

            if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVoidTypeKind ||
                (sh && sh->kind != LS_SHAPE_NONE))
                continue;
            sh = ls_arena_alloc(s->cc->arena, sizeof(*sh));
            *sh = uniform_shape(s, 0);
            ls_ptrmap_set(&s->map, v, sh);
        }
}

struct ls_shapes *
ls_shapes_build(struct ls_cc *cc, LLVMValueRef fn, enum ls_shape_scope scope, bool args_varying)
{
    struct ls_shapes *s = ls_arena_alloc(cc->arena, sizeof(*s));

    s->cc = cc;
    s->fn = fn;
    s->scope = scope;
    s->args_varying = args_varying;
    s->n_lanes = cc->n_lanes < LS_MIN_GROUP && cc->n_lanes > 1 ? LS_MIN_GROUP : cc->n_lanes;
    for (unsigned align = 0; align < LS_N_ALIGNS; align++)
        s->uniform[align] = uniform_shape(s, align);
    s->cfg = ls_cfg_build(cc->arena, fn);
    ls_ptrmap_init(&s->map, cc->arena);
    ls_ptrmap_init(&s->privates, cc->arena);
    for (unsigned i = 0; i < s->cfg->n_blocks; i++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(s->cfg->blocks[i].bb); v;
             v = LLVMGetNextInstruction(v))
            if (LLVMGetInstructionOpcode(v) == LLVMAlloca)
                ls_ptrmap_set(&s->privates, v, ls_private_classify(cc, v));
    s->divergent = ls_arena_alloc(cc->arena, s->cfg->n_blocks);
    s->join = ls_arena_alloc(cc->arena, s->cfg->n_blocks);
    s->divergent_exit = ls_arena_alloc(cc->arena, s->cfg->n_blocks);
    if (s->cfg->irreducible)
        return s;
    for (int round = 0; round < 2; round++) {
        do {
            while (update_shapes(s))
                ;
        } while (find_divergence(s));
        settle_undefined(s);
    }
    return s;
}

bool
ls_shape_uniform(const struct ls_shapes *s, LLVMValueRef v)
{
    const struct ls_shape *sh = ls_shape_of(s, v);

    return sh->kind == LS_SHAPE_NONE || ls_shape_is_uniform(sh);
}

bool
ls_shape_branch_divergent(const struct ls_shapes *s, LLVMBasicBlockRef bb)
{
    unsigned i = ls_cfg_number(s->cfg, bb);

    return i != LS_NO_BLOCK && s->divergent[i];
}
