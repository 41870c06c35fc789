/* SPDX-License-Identifier: MIT */
/* The vectoriser's working state and the builder that the lowerings of intrinsics use.
 *
 * Types. A device type T becomes a host type H(T): pointers of address spaces 0, 1 and 4 become
 * `ptr`; LDS pointers (3) become i32 offsets into the block's LDS, private pointers (5) i32 offsets
 * from ctx->stack_lo; everything else stays. A varying value of H is widened: scalar -> <W x H>; <n
 * x H> -> <n*W x H>, component c in elements [c*W, (c+1)*W); struct and array -> struct and array
 * of widened members. */
#ifndef LS_LANES_LANES_H
#define LS_LANES_LANES_H

#include <stdbool.h>

#include "analysis/address.h"
#include "analysis/cfg.h"
#include "analysis/shape.h"
#include "analysis/shape_priv.h"
#include "base/log.h"
#include "base/ptrmap.h"
#include "compiler_priv.h"
#include "linear/linear.h"

/* A value of the new function. Exactly what is there depends on its shape. */
struct ls_val {
    const struct ls_shape *shape;
    LLVMTypeRef host_type;            /* H(T), one lane */
    LLVMValueRef base[LS_MAX_GROUPS]; /* uniform or grouped: the value of each group's first lane */
    LLVMValueRef ok;                  /* i1 or NULL: the grouped form is only valid when true */
    LLVMValueRef vec;                 /* widened form, made on demand in the current block */
    LLVMValueRef
        inst; /* an assumed value's instruction: its exact widened form is rebuilt from it */
};

/* Where a value lives between blocks. Promoted to registers by LLVM afterwards. */
struct ls_slot {
    LLVMValueRef base[LS_MAX_GROUPS], ok, vec;
};

/* Functions that are called out of line, with their vector versions. */
struct ls_callee {
    struct ls_callee *next;
    LLVMValueRef old_fn, fn;
};

/* The whole module's vectorisation. */
struct ls_vm {
    struct ls_cc *cc;
    struct ls_callee *callees, **callees_tail;
    struct ls_ptrmap callee_of;   /* old function -> struct ls_callee */
    struct ls_ptrmap host_global; /* old global variable -> host global */
    LLVMValueRef functions; /* table of address-taken functions, by number; NULL until asked */
};

enum { LS_NOWHERE_BYTES = 64, LS_NOWHERE_BYTES_MOST = 16 * LS_MAX_ELEMENTS }; /* see ls_vf.dummy */

/* An address of which the lanes were asked whether all of them mean it (same_place.c). */
struct ls_agreement {
    LLVMValueRef all, first;           /* i1; the first lane's address */
    LLVMValueRef all_slot, first_slot; /* where they are kept for other blocks */
    unsigned block;                    /* that asked */
    struct ls_address at;
};
enum { LS_MOST_AGREED = 16 };

struct ls_matrix_room;
#define LS_MATRIX_FUNCTION "ls.matrix." /* host functions that matrix products call */

/* One function being vectorised. */
struct ls_vf {
    struct ls_cc *cc;
    LLVMModuleRef mod;
    LLVMContextRef llvm;
    LLVMBuilderRef b;              /* at the place where code goes */
    LLVMBuilderRef entry_b;        /* in the entry block: allocas and loads of ctx fields */
    LLVMValueRef old_fn, fn;
    LLVMValueRef ctx;              /* ptr to struct ls_cpu_ctx */
    LLVMValueRef lds, stack_lo;    /* ctx->lds, ctx->stack_lo */
    unsigned n_lanes;
    const struct ls_cfg *cfg;
    const struct ls_shapes *shapes;
    const struct ls_linear *linear;
    struct ls_vm *vm;
    struct ls_ptrmap vals;      /* old instruction -> struct ls_val of this block */
    struct ls_ptrmap loaded; /* old load -> its result, of those read with one in front of them */
    struct ls_ptrmap rows;   /* old store -> the struct ls_row that it is stored with */
    struct ls_ptrmap args;      /* old argument -> struct ls_val */
    struct ls_ptrmap tables;    /* old global variable -> its address in this function */
    struct ls_ptrmap slots;     /* old instruction -> struct ls_slot: for uses in other blocks */
    struct ls_ptrmap phi_slots; /* old phi -> struct ls_slot: written at the edges */
    struct ls_lane_loop *lane_loop; /* the innermost one that code goes to, or NULL */
    unsigned nest; /* inside control flow of a lowering: nothing made there may be kept */
    bool failed;
    LLVMValueRef mask; /* <W x i1> of the current point, or NULL when every lane is on */
    LLVMValueRef *edge_mask_slots; /* by block that collects its mask: what its edges have sent */
    LLVMValueRef *block_masks; /* by block that collects its mask: slot of the mask, for blocks that
                                  share it */
    LLVMBasicBlockRef *blocks; /* by block: where it starts */
    LLVMBasicBlockRef entry;
    /* Builds the exact widened form of an instruction from its widened operands. Set by vector/,
     * which lies above this room. */
    LLVMValueRef (*wide_op)(struct ls_vf *vf, LLVMValueRef inst);
    LLVMValueRef dummy; /* LS_NOWHERE_BYTES of memory that masked-off lanes point to: anyone may
                           read and write them */
    LLVMValueRef large_dummy; /* for vectors longer than that; NULL until wanted */
    bool in_steps;            /* accesses of single lanes are loops (steps.c), */
    unsigned step_round;      /* of so many lanes at a time, through: */
    LLVMValueRef step_addresses, step_values; /* NULL until wanted */
    struct ls_agreement agreed[LS_MOST_AGREED];
    unsigned n_agreed;
    unsigned n_ungathered; /* lanes that are loaded one by one though there are gathers */
    unsigned n_placed; /* accesses of single lanes that are there twice (places.c) */
    unsigned cur_block;
    struct ls_matrix_room
        *matrix_rooms;     /* operands of matrix products in memory (lower/lower_matrix.c) */
    unsigned matrix_block; /* number + 1 of the block for which matrix_rooms are filled */
    LLVMValueRef debug_warp,
        debug_mask; /* variables ls_warp and ls_mask (lower/lower_variables.c); NULL until wanted */
    struct ls_ptrmap
        matrix_done; /* product further down that was computed with an earlier one -> its result */
    size_t check_call; /* 1 + the number of the mark of a call through a pointer; 0: none */
    LLVMValueRef check_places; /* what checkers are told (lower/lower_check.c); NULL until wanted */
    bool varying_args;           /* out-of-line function */
    LLVMValueRef entry_mask_arg; /* out-of-line function: its mask */
    LLVMTypeRef i1, i8, i16, i32, i64, ptr, f16, f32, f64, voidt;
};

/* ---- Types (types.c) ---- */

LLVMTypeRef ls_lanes_elem(LLVMTypeRef type); /* element of a vector, or itself */
unsigned ls_lanes_length(LLVMTypeRef type);  /* of a vector; 0 for a scalar */
LLVMTypeRef ls_lanes_like(LLVMTypeRef like,
                          LLVMTypeRef elem);     /* elem, as a vector if `like` is one */
LLVMTypeRef ls_lanes_int_like(LLVMTypeRef like); /* integers of the same width and number */
unsigned ls_lanes_bits(LLVMTypeRef type);        /* of an element */
LLVMValueRef ls_vf_concat(struct ls_vf *vf, LLVMValueRef *parts, unsigned n); /* n a power of two */
/* Elements from[0..n) of a and b; LS_VF_ANY: whatever there is. */
#define LS_VF_ANY UINT32_MAX
LLVMValueRef ls_vf_shuffle(struct ls_vf *vf, LLVMValueRef a, LLVMValueRef b, const unsigned *from,
                           unsigned n);
LLVMValueRef ls_vf_slice(struct ls_vf *vf, LLVMValueRef vec, unsigned from,
                         unsigned n); /* elements [from, from + n) */
/* Applies `fn` to pieces of `piece` elements of the vectors args[0..n) and joins the results; the
 * number of pieces is a power of two. */
typedef LLVMValueRef (*ls_vf_piece_fn)(struct ls_vf *vf, LLVMValueRef *args, void *cookie);
LLVMValueRef ls_vf_pieces(struct ls_vf *vf, LLVMValueRef *args, unsigned n, unsigned piece,
                          ls_vf_piece_fn fn, void *cookie);

/* ---- For lowerings ---- */

bool ls_vf_is_uniform(struct ls_vf *vf, LLVMValueRef old_value);
/* Scalar host value of a uniform operand (asserted). */
LLVMValueRef ls_vf_scalar(struct ls_vf *vf, LLVMValueRef old_value);
/* Widened host value of any operand. */
LLVMValueRef ls_vf_vector(struct ls_vf *vf, LLVMValueRef old_value);
/* Operand i of a call: scalar when it is uniform, else widened. */
LLVMValueRef ls_vf_arg(struct ls_vf *vf, LLVMValueRef call, unsigned i);
/* Current mask as <W x i1>, never NULL (all-ones constant when every lane is on). */
LLVMValueRef ls_vf_mask(struct ls_vf *vf);
/* Current mask as an integer of 64 bits (zero extended at 32 lanes). */
LLVMValueRef ls_vf_mask_bits(struct ls_vf *vf);
LLVMTypeRef ls_vf_host_type(struct ls_vf *vf, LLVMTypeRef device_type);
LLVMTypeRef ls_vf_wide_type(struct ls_vf *vf,
                            LLVMTypeRef host_type); /* widened type of a host type */
LLVMValueRef ls_vf_splat(struct ls_vf *vf,
                         LLVMValueRef scalar); /* scalar or <n x T> host value -> widened */
LLVMValueRef ls_vf_lane_get(
    struct ls_vf *vf, LLVMValueRef wide,
    LLVMValueRef lane); /* one lane's host value of a widened scalar or vector value; lane i32 */
LLVMValueRef ls_vf_lane_set(struct ls_vf *vf, LLVMValueRef wide, LLVMValueRef lane,
                            LLVMValueRef one);
/* Component c of a widened <n x T>: <W x T>; and back from n components. */
LLVMValueRef ls_vf_component(struct ls_vf *vf, LLVMValueRef wide, unsigned c);
LLVMValueRef ls_vf_from_components(struct ls_vf *vf, LLVMValueRef *comp, unsigned n);
LLVMValueRef ls_vf_iota(struct ls_vf *vf, LLVMTypeRef int_type); /* <0, 1, 2, ...> */
LLVMValueRef ls_vf_const(struct ls_vf *vf, LLVMTypeRef int_type,
                         unsigned long long value); /* scalar */
/* Calls an overloaded or plain LLVM intrinsic by name with overload types. */
LLVMValueRef ls_vf_llvm(struct ls_vf *vf, const char *name, LLVMTypeRef *overload,
                        unsigned n_overload, LLVMValueRef *args, unsigned n_args);
LLVMValueRef ls_vf_select(struct ls_vf *vf, LLVMValueRef mask, LLVMValueRef a,
                          LLVMValueRef b); /* widened, any type; mask <W x i1> */

/* Loop over the active lanes (or, ls_vf_lanes_begin_mask, the lanes of a mask): code between begin
 * and end runs once per lane, `lane` is an i32. Lane order is ascending. Results leave through
 * allocas made with ls_vf_temp (an entry-block alloca), as the loop is real control flow. */
struct ls_lane_loop {
    LLVMValueRef lane, bits_phi;
    LLVMBasicBlockRef from, head, exit;
    struct ls_lane_loop *outer; /* borrowed */
    struct ls_ptrmap rooms;     /* vectors stored in front of the loop -> where */
};
void ls_vf_lanes_begin(struct ls_vf *vf, struct ls_lane_loop *loop);
void ls_vf_lanes_begin_mask(struct ls_vf *vf, LLVMValueRef mask, struct ls_lane_loop *loop);
void ls_vf_lanes_end(struct ls_vf *vf, struct ls_lane_loop *loop);
LLVMValueRef ls_vf_temp(struct ls_vf *vf, LLVMTypeRef type, const char *name);

/* Mark where a slot's content ends (slots.c): of a phi, of a value used in other blocks, of a
 * mask. */
void ls_vf_end_phi_slot(struct ls_vf *vf, LLVMValueRef phi, const struct ls_slot *slot);
void ls_vf_end_slot(struct ls_vf *vf, LLVMValueRef inst, const struct ls_slot *slot);
void ls_vf_begin_mask_slot(struct ls_vf *vf,
                           unsigned block); /* sets the mask to no lanes on each way to the block */

/* Large functions make accesses of single lanes in loops (steps.c). The first decides whether this
 * one is; the second says whether elements of this type are moved so. */
void ls_vf_choose_steps(struct ls_vf *vf);
bool ls_vf_wants_steps(struct ls_vf *vf, LLVMTypeRef elem, unsigned bytes);
LLVMValueRef ls_vf_load_in_steps(struct ls_vf *vf, LLVMTypeRef elem, unsigned bytes,
                                 LLVMValueRef ptrs, unsigned align);
void ls_vf_store_in_steps(struct ls_vf *vf, LLVMValueRef v, unsigned bytes, LLVMValueRef ptrs,
                          unsigned align);

/* Pointers: host address (ptr, or <W x ptr>) of an operand that is a pointer of any address
 * space. */
LLVMValueRef ls_vf_address_scalar(struct ls_vf *vf, LLVMValueRef old_ptr);
LLVMValueRef ls_vf_address_vector(struct ls_vf *vf, LLVMValueRef old_ptr);
bool ls_vf_is_lds_pointer(LLVMValueRef old_ptr);
/* Generic pointers are plain addresses; an LDS offset is address - ctx->lds. */

/* Field of ctx: pointer to it / its loaded value (uniform, loaded where the builder stands). */
LLVMValueRef ls_vf_ctx_field(struct ls_vf *vf, size_t offset, const char *name);
LLVMValueRef ls_vf_ctx_load(struct ls_vf *vf, size_t offset, LLVMTypeRef type, const char *name);
/* Calls the host service for one lane with up to 10 i64 arguments; returns i64. */
LLVMValueRef ls_vf_service(struct ls_vf *vf, unsigned service, LLVMValueRef lane,
                           LLVMValueRef *args, unsigned n);

/* ---- Order of vectors in a thread (transpose.c) ---- */
/* parts: n_parts vectors of equal length that hold all lanes' <n x T>, lane after lane; comp: n of
 * <W x T>. For n that ls_vf_can_transpose accepts; n_parts is a power of two. */
bool ls_vf_can_transpose(struct ls_vf *vf, LLVMTypeRef elem, unsigned n);
void ls_vf_to_components(struct ls_vf *vf, LLVMValueRef *parts, unsigned n_parts,
                         LLVMValueRef *comp, unsigned n);
void ls_vf_to_lanes(struct ls_vf *vf, LLVMValueRef *comp, unsigned n, LLVMValueRef *parts,
                    unsigned n_parts);
/* <W x i32> as the 2 or 4 <W x elem> that lie in each word, low bits first; and back. */
void ls_vf_split_words(struct ls_vf *vf, LLVMValueRef word, LLVMTypeRef elem, LLVMValueRef *out);
LLVMValueRef ls_vf_join_words(struct ls_vf *vf, LLVMValueRef *in);

/* ---- Elements side by side in one thread (row.c) ---- */

enum {
    LS_ROW_MOST = 16, /* elements */
    LS_ROW_HERE = LS_ROW_MOST - 1,
    LS_ROW_SLOTS = 2 * LS_ROW_MOST - 1,
};
/* Loads, or stores, of one type that may be done as one: loads with the first of them, stores with
 * the last. */
struct ls_row {
    LLVMValueRef slots[LS_ROW_SLOTS]; /* by address; the one that was looked from: LS_ROW_HERE */
    unsigned from, to;                /* no gaps */
};
/* Looks from the first of them on. False: it is alone. */
bool ls_vf_find_row(struct ls_vf *vf, LLVMValueRef access, struct ls_row *row);

/* ---- Lanes that mean one place by chance (same_place.c) ---- */

/* Whether all lanes that are on, and at least one, have the same in a vector of theirs, as an i1;
 * `first` is what the first of them has. */
LLVMValueRef ls_vf_agree(struct ls_vf *vf, LLVMValueRef v, LLVMValueRef *first);
/* The same of the addresses `at` of a load of so many bytes in each lane. False: asking is of no
 * use. */
bool ls_vf_agree_address(struct ls_vf *vf, LLVMValueRef load, LLVMValueRef at, unsigned bytes,
                         struct ls_agreement *out);

/* ---- Lanes at known distances (window.c) ---- */
enum { LS_WINDOW_CHUNKS = 24 };
struct ls_window {
    unsigned bytes; /* of a lane's access */
    unsigned unit;  /* what each lane's distance and length is a multiple of */
    unsigned lanes; /* in one part, which is read by itself */
    int64_t behind; /* the place that the shape tells, in bytes: another member of a struct */
};
/* What windows have in common: vectors of `chunk` bytes, read when the first one asks. */
struct ls_window_frame {
    LLVMValueRef base; /* of the shape's group; set by the caller */
    int64_t low;       /* where the frame begins, behind base */
    unsigned span, chunk, n_chunks;
    unsigned unit; /* what all windows, and the last chunk, begin at a multiple of */
    LLVMValueRef chunks[LS_WINDOW_CHUNKS];
};
/* Whether reading all that lies between the lanes costs less than gathering. */
bool ls_vf_find_window(struct ls_vf *vf, const struct ls_shape *shape, unsigned bytes,
                       struct ls_window *w);
/* One frame for windows of the same lanes, [first, first + lanes) of a group. False: it is too
 * large, or their units do not fit each other. */
bool ls_vf_frame_windows(struct ls_vf *vf, const struct ls_shape *shape, unsigned first,
                         unsigned lanes, const struct ls_window *windows, unsigned n,
                         struct ls_window_frame *f);
/* What the lanes of a part have, one after the other, as integers of w->unit. All are on. */
LLVMValueRef ls_vf_load_window(struct ls_vf *vf, const struct ls_window *w,
                               const struct ls_shape *shape, unsigned first,
                               struct ls_window_frame *f);

/* ---- Lanes at known places, one by one (places.c) ---- */
/* Whether a load of such a shape is made so while all lanes are on; bytes: of one lane's piece.
 * Counts those that are made the other way, too, as some lanes may be off. */
bool ls_vf_take_places(struct ls_vf *vf, const struct ls_shape *shape, unsigned bytes);
/* <W x elem>, `at` bytes behind the places of the lanes; bases: of the shape's groups. */
LLVMValueRef ls_vf_load_places(struct ls_vf *vf, const struct ls_shape *shape,
                               const LLVMValueRef *bases, LLVMTypeRef elem, uint64_t at,
                               unsigned align);

/* ---- Stores to known distances (runs.c) ---- */
/* How many lanes, a power of two, lie side by side wherever some do, once they are sorted; 0: one
 * alone, or some are off. `bytes`: of a lane's access. */
unsigned ls_vf_find_runs(struct ls_vf *vf, const struct ls_shape *shape, unsigned bytes);
/* Stores a group's lanes from `first` on, in pieces of `unit`; p: where the first is stored. */
void ls_vf_store_runs(struct ls_vf *vf, const struct ls_shape *shape, unsigned first,
                      unsigned unit, unsigned bytes, LLVMValueRef v, LLVMValueRef p,
                      unsigned align);

/* ---- For the vectoriser ---- */
/* Number of groups, for each of which the value has one scalar; 0 when it varies. */
static inline unsigned
ls_vf_groups(const struct ls_vf *vf, const struct ls_shape *shape)
{
    unsigned n = shape->kind == LS_SHAPE_GROUPED ? vf->n_lanes / shape->group : 0;

    LS_ASSERT_FITS(n, LS_MAX_GROUPS);
    return n;
}
/* Appends a block behind the one that code goes to. */
LLVMBasicBlockRef ls_vf_new_block(struct ls_vf *vf, const char *name);
struct ls_val *ls_vf_val(struct ls_vf *vf,
                         LLVMValueRef old_value); /* any operand, in the current block */
LLVMValueRef ls_vf_wide(struct ls_vf *vf, struct ls_val *val); /* its widened form */
void ls_vf_define(struct ls_vf *vf, LLVMValueRef inst, struct ls_val *val);
void ls_vf_define_result(struct ls_vf *vf, LLVMValueRef inst,
                         LLVMValueRef result); /* by the instruction's shape */
LLVMValueRef ls_vf_const_host(struct ls_vf *vf,
                              LLVMValueRef old_const); /* scalar host value of a constant */
struct ls_callee *ls_vm_callee(struct ls_vm *vm, LLVMValueRef old_fn);
LLVMValueRef
ls_vm_function_table(struct ls_vm *vm); /* constant array of code pointers, null behind the last */
LLVMTypeRef ls_host_type(struct ls_cc *cc, LLVMTypeRef type);
LLVMTypeRef ls_wide_type(struct ls_cc *cc, LLVMTypeRef host_type);
void ls_vf_alloca(struct ls_vf *vf, LLVMValueRef inst);
LLVMValueRef ls_vf_any(struct ls_vf *vf, LLVMValueRef mask);               /* i1: some lane is on */
LLVMValueRef ls_vf_load(struct ls_vf *vf, LLVMValueRef inst);
void ls_vf_store(struct ls_vf *vf, LLVMValueRef inst);

#endif
