/* SPDX-License-Identifier: MIT */
/* Shapes from the inside, for the vectoriser: groups of lanes, lane offsets, alignment,
 * wrapping. */
#ifndef LS_ANALYSIS_SHAPE_PRIV_H
#define LS_ANALYSIS_SHAPE_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/cfg.h"
#include "analysis/shape.h"
#include "base/ptrmap.h"

#define LS_MAX_LANES  64
#define LS_MAX_WIDE   (LS_MAX_LANES * LS_MAX_ELEMENTS) /* elements of a widened vector */
#define LS_MAX_GROUPS 8
#define LS_MIN_GROUP  8 /* lanes: smaller groups are not worth their scalars */

enum { LS_N_ALIGNS = 64 }; /* known low zero bits: 0..62, 63 = the value is zero */

enum ls_shape_kind {
    LS_SHAPE_NONE = 0, /* not computed yet: the optimistic top of the lattice */
    LS_SHAPE_GROUPED,  /* lane l of group g has base[g] + offset[l]; uniform is one group, offsets
                        * 0 */
    LS_SHAPE_VARYING,
};

/* Lanes fall into groups of `group` neighbours (a power of two, or all lanes). Offsets are relative
 * to the group's first lane, in units of the value (bytes for pointers); offset[first lane] is
 * 0. */
struct ls_shape {
    uint8_t kind;
    uint8_t group; /* lanes in a group: n_lanes = one group */
    uint8_t align; /* every group's base is a multiple of 1 << align (63: zero) */
    bool nsw, nuw; /* base + offset does not wrap as a signed/unsigned number of the type's width */
    bool assumed;  /* only holds when the run-time check of an extension passes */
    const int64_t *offset; /* n_lanes of them, NULL = all zero */
};

/* How the lanes' copies of a private variable (alloca) are laid out. */
enum ls_private_kind {
    LS_PRIVATE_NONE = 0,
    LS_PRIVATE_UNIFORM,     /* one copy for all lanes: every store writes the same in all
                               (LS_MD_UNIFORM_SLOT) */
    LS_PRIVATE_INTERLEAVED, /* byte o of lane l at o / grain * grain * W + l * grain + o % grain;
                             * never escapes; a pointer into it is its byte offset in the
                             * variable */
    LS_PRIVATE_PER_LANE,    /* lane l at l * lane_bytes: real addresses */
};
struct ls_private {
    enum ls_private_kind kind;
    unsigned grain;      /* interleaved: size of every access's elements */
    uint64_t bytes;      /* size of one lane's variable */
    uint64_t lane_bytes; /* distance between the lanes' copies when they lie lane by lane: bytes,
                            rounded up */
    LLVMValueRef host;   /* the vectoriser's alloca */
};
struct ls_private *ls_private_classify(struct ls_cc *cc, LLVMValueRef alloca_inst);

struct ls_shapes {
    struct ls_cc *cc;
    LLVMValueRef fn;
    enum ls_shape_scope scope;
    bool args_varying;
    unsigned n_lanes;
    struct ls_shape uniform[LS_N_ALIGNS]; /* of constants and arguments, by alignment */
    struct ls_cfg *cfg;
    struct ls_ptrmap map;      /* instruction -> struct ls_shape */
    struct ls_ptrmap privates; /* alloca -> struct ls_private */
    bool *divergent;           /* by block: the branch at its end diverges */
    bool *join;                /* by block: lanes of a divergent branch meet here: phis vary */
    bool *divergent_exit; /* by block: exit block of a loop that lanes leave at different times */
};

/* Shape of any value (constants, arguments, instructions). Borrowed. */
const struct ls_shape *ls_shape_of(const struct ls_shapes *s, LLVMValueRef v);
/* The private variable that a pointer points into through GEPs alone, or NULL. */
struct ls_private *ls_private_of(const struct ls_shapes *s, LLVMValueRef ptr);
static inline bool
ls_shape_is_uniform(const struct ls_shape *sh)
{
    return sh->kind == LS_SHAPE_GROUPED && !sh->offset;
}
/* Width in bits of the integer that carries a value of this type: pointers by address space; 0 =
 * other. */
unsigned ls_shape_int_bits(LLVMTypeRef type);
/* The same value seen in smaller groups of `group` lanes. */
struct ls_shape ls_shape_regroup(const struct ls_shapes *s, const struct ls_shape *sh,
                                 unsigned group);
/* Byte offset contributed by GEP operand `i` (>= 1): constant part in *bytes, or stride of a
 * variable index. */
struct ls_gep_term {
    LLVMValueRef index; /* NULL: constant */
    int64_t stride;     /* bytes per index, or the constant's bytes */
};
unsigned ls_gep_terms(const struct ls_cc *cc, LLVMValueRef gep, struct ls_gep_term *terms,
                      unsigned max);
bool ls_const_int(LLVMValueRef v, int64_t *value); /* a constant of 64 bits or fewer */

/* Integer minimum or maximum; `value` is the operand that differs within the groups, if only one
 * does. Such a clamp has the value's shape, assumed: the bound lies beyond all lanes, as it does
 * for an index away from the edges. */
struct ls_clamp {
    LLVMValueRef value, bound;
    bool is_max, is_signed;
};
bool ls_clamp_of(const struct ls_shapes *s, LLVMValueRef inst, struct ls_clamp *out);

#endif
