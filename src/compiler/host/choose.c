/* SPDX-License-Identifier: MIT */
/* Choices between vectors. Where lanes exchange what they hold by a comparison of the same two
 * values (sorting networks), each lane has the smaller or the larger in the end: which of them is
 * known, or the same question for all lanes. That is a minimum, a maximum, and one choice that does
 * not wait for a comparison; the masks, which lanes would have to pass to each other, are gone.
 *
 * Each lane of the mask is followed back through what moves lanes, to a comparison of two lanes of
 * other values; a choice `x > y ? x : y` is a maximum if what is compared there is what is chosen
 * from here. */
#include "host/choose.h"

#include <stdint.h>
#include <string.h>

#include "base/isa.h"
#include "compiler/ir/ir.h"

enum { MAX_DEPTH = 8 };

/* A lane of a value that no shuffle has made; NULL: any. */
struct source {
    LLVMValueRef root;
    unsigned lane;
};

/* A lane of a mask: off, on, or what a comparison says of one of its lanes, changed to the contrary
 * (`contrary`) or where `flip` says so. */
struct asked {
    enum { LANE_OFF, LANE_ON, LANE_ASKS } kind;
    LLVMValueRef cmp, flip; /* flip: a scalar, or NULL */
    unsigned lane;
    bool contrary;
};

struct chooser {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    struct ls_choices *made;
    LLVMValueRef on, off, cmp, flip;
    LLVMTypeRef type;
    unsigned n;
    struct asked lanes[LS_CHOOSE_LANES];
    bool swapped; /* off is compared with on, not on with off */
};

/* ---- Lanes ---- */

/* Where a lane comes from; no further than from values that were read (NULL: none was). */
static struct source
source_of(LLVMValueRef v, unsigned lane, const struct ls_ptrmap *read)
{
    for (unsigned depth = 0; depth < MAX_DEPTH && LLVMIsAShuffleVectorInst(v); depth++) {
        unsigned n = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0)));
        int at = LLVMGetMaskValue(v, lane);

        if (read && ls_ptrmap_get(read, v))
            break;
        if (at < 0)
            return (struct source){NULL, 0};
        lane = (unsigned)at % n;
        v = LLVMGetOperand(v, (unsigned)at >= n);
    }
    return (struct source){v, lane};
}

static bool
is_same(struct source a, struct source b)
{
    return a.root && a.root == b.root && a.lane == b.lane;
}

/* The scalar in a lane of a vector that has been made of scalars, else NULL. */
static LLVMValueRef
scalar_in(LLVMValueRef v, unsigned lane)
{
    struct source s = source_of(v, lane, NULL);

    return s.root && LLVMIsAInsertElementInst(s.root) &&
                   LLVMIsAConstantInt(LLVMGetOperand(s.root, 2)) &&
                   LLVMConstIntGetZExtValue(LLVMGetOperand(s.root, 2)) == s.lane
               ? LLVMGetOperand(s.root, 1)
               : NULL;
}

static bool read_lane(LLVMValueRef m, unsigned lane, unsigned depth, struct asked *out);

static bool
read_xor(LLVMValueRef m, unsigned lane, unsigned depth, struct asked *out)
{
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef other = LLVMGetOperand(m, 1 - k), scalar = scalar_in(other, lane);
        struct asked o;

        if (!read_lane(LLVMGetOperand(m, k), lane, depth - 1, out) || out->kind != LANE_ASKS)
            continue;
        if (read_lane(other, lane, depth - 1, &o) && o.kind != LANE_ASKS) {
            out->contrary ^= o.kind == LANE_ON;
            return true;
        }
        if (scalar && !out->flip) {
            out->flip = scalar;
            return true;
        }
    }
    return false;
}

static bool
read_and(LLVMValueRef m, unsigned lane, unsigned depth, struct asked *out)
{
    for (unsigned k = 0; k < 2; k++)
        if (read_lane(LLVMGetOperand(m, k), lane, depth - 1, out) && out->kind != LANE_ASKS)
            return out->kind == LANE_OFF ||
                   read_lane(LLVMGetOperand(m, 1 - k), lane, depth - 1, out);
    return false;
}

/* What a lane of a mask says; of one that is poison: off. */
static bool
read_lane(LLVMValueRef m, unsigned lane, unsigned depth, struct asked *out)
{
    struct source s = source_of(m, lane, NULL);
    LLVMOpcode op;

    *out = (struct asked){.kind = LANE_OFF};
    if (!s.root)
        return true;
    if (LLVMIsConstant(s.root)) {
        LLVMValueRef bit = LLVMGetAggregateElement(s.root, s.lane);

        if (bit && LLVMIsAConstantInt(bit) && !LLVMIsNull(bit))
            out->kind = LANE_ON;
        return bit && (LLVMIsAConstantInt(bit) || LLVMIsUndef(bit));
    }
    if (!LLVMIsAInstruction(s.root) || depth == 0)
        return false;
    op = LLVMGetInstructionOpcode(s.root);
    if (op == LLVMXor)
        return read_xor(s.root, s.lane, depth, out);
    if (op == LLVMAnd)
        return read_and(s.root, s.lane, depth, out);
    if (op != LLVMICmp && op != LLVMFCmp)
        return false;
    *out = (struct asked){.kind = LANE_ASKS, .cmp = s.root, .lane = s.lane};
    return true;
}

bool
ls_mask_is_off(LLVMValueRef mask, unsigned lane)
{
    struct asked a;

    return read_lane(mask, lane, MAX_DEPTH, &a) && a.kind == LANE_OFF;
}

/* Reads the mask; false: it is no single comparison of vectors, or asks nothing. */
static bool
read_mask(struct chooser *c, LLVMValueRef mask)
{
    bool first = true;

    for (unsigned l = 0; l < c->n; l++) {
        const struct asked *a = &c->lanes[l];

        if (!read_lane(mask, l, MAX_DEPTH, &c->lanes[l]))
            return false;
        if (a->kind != LANE_ASKS)
            continue;
        if (first) {
            c->cmp = a->cmp;
            c->flip = a->flip;
        }
        if (c->cmp != a->cmp || c->flip != a->flip)
            return false;
        first = false;
    }
    return !first;
}

/* Whether the comparison's operands are, lane by lane, one and two. */
static bool
compares(const struct chooser *c, LLVMValueRef one, LLVMValueRef two)
{
    for (unsigned l = 0; l < c->n; l++) {
        unsigned at = c->lanes[l].lane;

        if (c->lanes[l].kind == LANE_ASKS &&
            (!is_same(source_of(LLVMGetOperand(c->cmp, 0), at, &c->made->read),
                      source_of(one, l, &c->made->read)) ||
             !is_same(source_of(LLVMGetOperand(c->cmp, 1), at, &c->made->read),
                      source_of(two, l, &c->made->read))))
            return false;
    }
    return true;
}

/* The value that `v` is made of, if its lanes that matter have not moved. */
static LLVMValueRef
without_moves(const struct chooser *c, LLVMValueRef v)
{
    LLVMValueRef root = NULL;

    for (unsigned l = 0; l < c->n; l++) {
        struct source s = source_of(v, l, &c->made->read);

        if (c->lanes[l].kind != LANE_ASKS)
            continue;
        if (!s.root || s.lane != l || (root && s.root != root))
            return v;
        root = s.root;
    }
    return LLVMTypeOf(root) == c->type ? root : v;
}

/* ---- The two values ---- */

static LLVMValueRef
extreme(struct chooser *c, const char *name, LLVMValueRef a, LLVMValueRef b)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(c->cc->mod, id, &c->type, 1), args[2] = {a, b};

    return LLVMBuildCall2(c->b, LLVMGlobalGetValueType(fn), fn, args, 2, "");
}

/* Whether a comparison of integers asks for the larger, or in `*ok` = false for something else. */
static bool
asks_larger(LLVMIntPredicate p, bool *ok)
{
    *ok = p != LLVMIntEQ && p != LLVMIntNE;
    return p == LLVMIntUGT || p == LLVMIntUGE || p == LLVMIntSGT || p == LLVMIntSGE;
}

/* Whether two values have the same lanes. */
static bool
is_alike(const struct chooser *c, LLVMValueRef a, LLVMValueRef b)
{
    for (unsigned l = 0; l < c->n && a != b; l++)
        if (!is_same(source_of(a, l, &c->made->read), source_of(b, l, &c->made->read)))
            return false;
    return true;
}

/* Whether the extremes that have been made last are those of two values. */
static bool
are_of(const struct chooser *c, LLVMValueRef a, LLVMValueRef b)
{
    const LLVMValueRef *of = c->made->of;

    return of[0] && LLVMTypeOf(of[0]) == c->type &&
           ((is_alike(c, of[0], a) && is_alike(c, of[1], b)) ||
            (is_alike(c, of[0], b) && is_alike(c, of[1], a)));
}

/* Sets v[0] to what the choice is where the comparison's answer decides, v[1] where its
 * contrary. */
static bool
build_both(struct chooser *c, LLVMValueRef v[2])
{
    LLVMValueRef on = without_moves(c, c->on), off = without_moves(c, c->off), cmp;
    LLVMValueRef one = c->swapped ? off : on, two = c->swapped ? on : off;
    struct ls_choices *m = c->made;

    if (LLVMIsAFCmpInst(c->cmp)) {
        cmp = LLVMBuildFCmp(c->b, LLVMGetFCmpPredicate(c->cmp), one, two, "");
        v[0] = LLVMBuildSelect(c->b, cmp, on, off, "");
        v[1] = LLVMBuildSelect(c->b, cmp, off, on, "");
        return true;
    }
    LLVMIntPredicate p = LLVMGetICmpPredicate(c->cmp);
    bool ok, larger = asks_larger(p, &ok) != c->swapped, is_signed = p >= LLVMIntSGT;

    if (!ok || LLVMGetTypeKind(LLVMGetElementType(c->type)) != LLVMIntegerTypeKind)
        return false;
    if (m->is_signed != is_signed || !are_of(c, on, off)) {
        m->of[0] = on;
        m->of[1] = off;
        m->is_signed = is_signed;
        m->flip = m->flipped = NULL;
        m->extreme[0] = extreme(c, is_signed ? "llvm.smin" : "llvm.umin", off, on);
        m->extreme[1] = extreme(c, is_signed ? "llvm.smax" : "llvm.umax", off, on);
    }
    v[0] = m->extreme[larger];
    v[1] = m->extreme[!larger];
    return true;
}

/* ---- Which of them ---- */

static LLVMValueRef
lane_number(struct chooser *c, unsigned l)
{
    return LLVMConstInt(LLVMInt32TypeInContext(c->cc->llvm), l, false);
}

/* A mask with the given lanes on where `flip` is false, the others where it is true. */
static LLVMValueRef
flipped_mask(struct chooser *c, uint64_t lanes)
{
    LLVMTypeRef i1 = LLVMInt1TypeInContext(c->cc->llvm), bits, word;
    LLVMValueRef v, elems[LS_CHOOSE_LANES];

    if (c->cc->isa->has_masks) {
        bits = LLVMIntTypeInContext(c->cc->llvm, c->n);
        v = LLVMBuildSExt(c->b, c->flip, bits, "");
        v = LLVMBuildXor(c->b, v, LLVMConstInt(bits, lanes, false), "");
        return LLVMBuildBitCast(c->b, v, LLVMVectorType(i1, c->n), "");
    }
    word = LLVMIntTypeInContext(c->cc->llvm,
                                (unsigned)LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(c->cc->mod),
                                                               LLVMGetElementType(c->type)));
    v = LLVMBuildSExt(c->b, c->flip, word, "");
    v = LLVMBuildInsertElement(c->b, LLVMGetPoison(LLVMVectorType(word, c->n)), v,
                               lane_number(c, 0), "");
    for (unsigned l = 0; l < c->n; l++)
        elems[l] = lane_number(c, 0);
    v = LLVMBuildShuffleVector(c->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(elems, c->n),
                               "");
    for (unsigned l = 0; l < c->n; l++)
        elems[l] = lanes >> l & 1 ? LLVMConstAllOnes(word) : LLVMConstNull(word);
    v = LLVMBuildXor(c->b, v, LLVMConstVector(elems, c->n), "");
    return LLVMBuildICmp(c->b, LLVMIntSLT, v, LLVMConstNull(LLVMTypeOf(v)), "");
}

/* Each lane has the lane of one of two values, or of `rest`. Lanes of `rest` that come from these
 * are taken from there. */
static LLVMValueRef
blend(struct chooser *c, const LLVMValueRef v[2], const int *from, LLVMValueRef rest)
{
    LLVMValueRef lanes[LS_CHOOSE_LANES], both;
    bool other = false, any[2] = {false, false};
    int which[LS_CHOOSE_LANES];

    for (unsigned l = 0; l < c->n; l++) {
        struct source s = source_of(rest, l, &c->made->read);

        which[l] = from[l];
        for (int k = 0; k < 2 && which[l] < 0; k++)
            if (v[k] && s.root == v[k] && s.lane == l)
                which[l] = k;
        other |= which[l] < 0;
        any[which[l] > 0] |= which[l] >= 0;
        lanes[l] = which[l] < 0 ? LLVMGetPoison(LLVMInt32TypeInContext(c->cc->llvm))
                                : lane_number(c, l + (which[l] ? c->n : 0));
    }
    both = !any[1]   ? v[0]
           : !any[0] ? v[1]
                     : LLVMBuildShuffleVector(c->b, v[0], v[1], LLVMConstVector(lanes, c->n), "");
    for (unsigned l = 0; l < c->n; l++)
        lanes[l] = lane_number(c, l + (which[l] < 0 ? c->n : 0));
    return other ? LLVMBuildShuffleVector(c->b, both, rest, LLVMConstVector(lanes, c->n), "")
                 : both;
}

/* The choice where what each lane has is known. */
static LLVMValueRef
known_lanes(struct chooser *c, const LLVMValueRef v[2])
{
    int from[LS_CHOOSE_LANES];
    bool on = false;

    for (unsigned l = 0; l < c->n; l++) {
        from[l] = c->lanes[l].kind == LANE_ASKS ? c->lanes[l].contrary : -1;
        on |= c->lanes[l].kind == LANE_ON;
    }
    return on ? NULL : blend(c, v, from, c->off);
}

/* The choice where a scalar decides which lanes have which. One such choice and the next, of other
 * lanes, are made as one. */
static LLVMValueRef
flipped_lanes(struct chooser *c, const LLVMValueRef v[2])
{
    struct ls_choices *m = c->made;
    LLVMValueRef mask, now[2] = {NULL, NULL};
    uint64_t lanes = 0;
    int from[LS_CHOOSE_LANES];
    bool joins = m->flip == c->flip && m->flipped;

    for (unsigned l = 0; l < c->n; l++) {
        const struct asked *a = &c->lanes[l];
        struct source s = source_of(c->off, l, &c->made->read);

        if (a->kind == LANE_ON)
            return NULL;
        from[l] = a->kind == LANE_ASKS ? 0 : -1;
        if (from[l] == 0)
            lanes |= (uint64_t)((v[0] == m->extreme[1]) != a->contrary) << l;
        else if (joins && s.root == m->flipped && s.lane == l) {
            from[l] = 0;
            lanes |= m->flipped_lanes & (uint64_t)1 << l;
        }
    }
    mask = flipped_mask(c, lanes);
    now[0] = LLVMBuildSelect(c->b, mask, m->extreme[1], m->extreme[0], "");
    m->flip = c->flip;
    m->flipped = now[0];
    m->flipped_lanes = lanes;
    return blend(c, now, from, c->off);
}

LLVMValueRef
ls_choose(struct ls_cc *cc, LLVMBuilderRef b, struct ls_choices *made, LLVMValueRef mask,
          LLVMValueRef on, LLVMValueRef off)
{
    struct chooser c = {.cc = cc, .b = b, .made = made, .on = on, .off = off};
    LLVMValueRef v[2], chosen = NULL;

    c.type = LLVMTypeOf(on);
    c.n = LLVMGetVectorSize(c.type);
    if (read_mask(&c, mask) &&
        LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(c.cmp, 0))) == LLVMGetElementType(c.type)) {
        c.swapped = compares(&c, off, on);
        if ((c.swapped || compares(&c, on, off)) && !(c.flip && LLVMIsAFCmpInst(c.cmp)) &&
            build_both(&c, v))
            chosen = c.flip ? flipped_lanes(&c, v) : known_lanes(&c, v);
    }
    return chosen ? chosen : LLVMBuildSelect(b, mask, on, off, "");
}
