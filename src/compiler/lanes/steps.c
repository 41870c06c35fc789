/* SPDX-License-Identifier: MIT */
/* Accesses lane after lane, as loops.
 *
 * Where the processor has no gathers, or none that LLVM may use, an access whose lanes have nothing
 * to do with each other is one access for each lane: address out of a vector, load, value into a
 * vector. In small kernels these are best in a row. But 64 lanes are some 400 instructions of the
 * processor, and in a kernel with hundreds of such accesses LLVM's register allocator works for
 * minutes. There addresses and values go through memory, a few lanes in each round of a loop, in
 * the same order.
 *
 * What moves are the bits of the elements, as integers: no rounding or conversion of a type that
 * the processor has not (half) can come in between. */
#include "base/isa.h"
#include "lanes/lanes.h"

enum {
    MANY_ACCESSES = 5120, /* of single lanes in a function: 80 accesses of 64 lanes */
    PLENTY = 4,           /* times as many: one lane in a round */
    ROUND = 4             /* lanes of a round, else */
};

/* About how many accesses of single lanes an instruction is. */
static unsigned
single_accesses(struct ls_vf *vf, LLVMValueRef inst)
{
    bool reads = LLVMIsALoadInst(inst) != NULL;
    LLVMTypeRef type;

    if (!reads && !LLVMIsAStoreInst(inst))
        return 0;
    if (ls_shape_of(vf->shapes, LLVMGetOperand(inst, reads ? 0 : 1))->kind == LS_SHAPE_GROUPED)
        return 0;
    type = LLVMTypeOf(reads ? inst : LLVMGetOperand(inst, 0));
    return vf->n_lanes *
           (LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1);
}

void
ls_vf_choose_steps(struct ls_vf *vf)
{
    uint64_t n = 0;

    for (unsigned k = 0; k < vf->cfg->n_blocks; k++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(vf->cfg->blocks[k].bb); i;
             i = LLVMGetNextInstruction(i))
            n += single_accesses(vf, i);
    vf->in_steps = !vf->cc->isa->has_masks && vf->n_lanes % ROUND == 0 &&
                   ls_cc_is_over(vf->cc, n, MANY_ACCESSES);
    vf->step_round = ls_cc_is_over(vf->cc, n, PLENTY * MANY_ACCESSES) ? 1 : ROUND;
}

bool
ls_vf_wants_steps(struct ls_vf *vf, LLVMTypeRef elem, unsigned bytes)
{
    LLVMTypeKind kind = LLVMGetTypeKind(elem);

    return vf->in_steps && kind != LLVMVectorTypeKind && kind != LLVMArrayTypeKind &&
           kind != LLVMStructTypeKind && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) &&
           (kind == LLVMPointerTypeKind ? bytes == 8 : ls_lanes_bits(elem) == 8 * bytes);
}

/* Memory for a value of each lane, the same for all accesses. */
static LLVMValueRef
room(struct ls_vf *vf, LLVMValueRef *room)
{
    if (!*room) {
        *room = ls_vf_temp(vf, LLVMArrayType2(vf->i64, vf->n_lanes), "step.room");
        LLVMSetAlignment(*room, 64);
    }
    return *room;
}

static LLVMValueRef
lane_of(struct ls_vf *vf, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef lane)
{
    return LLVMBuildInBoundsGEP2(vf->b, type, base, &lane, 1, "");
}

/* One lane: from its address to its place among the values, or back. */
static void
one_lane(struct ls_vf *vf, LLVMTypeRef word, unsigned align, LLVMValueRef lane, bool reads)
{
    LLVMValueRef at =
        LLVMBuildLoad2(vf->b, vf->ptr, lane_of(vf, vf->ptr, vf->step_addresses, lane), "");
    LLVMValueRef kept = lane_of(vf, word, vf->step_values, lane);
    LLVMValueRef moved = LLVMBuildLoad2(vf->b, word, reads ? at : kept, "");
    LLVMValueRef store = LLVMBuildStore(vf->b, moved, reads ? kept : at);

    LLVMSetAlignment(reads ? moved : store, align);
}

static void
loop(struct ls_vf *vf, unsigned bytes, unsigned align, bool reads)
{
    LLVMTypeRef word = LLVMIntTypeInContext(vf->llvm, 8 * bytes);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(vf->b), body = ls_vf_new_block(vf, "steps"), out;
    LLVMValueRef zero = LLVMConstNull(vf->i64), lane, next, more;

    LLVMBuildBr(vf->b, body);
    LLVMPositionBuilderAtEnd(vf->b, body);
    out = ls_vf_new_block(vf, "steps.end");
    lane = LLVMBuildPhi(vf->b, vf->i64, "");
    LLVMAddIncoming(lane, &zero, &from, 1);
    for (unsigned i = 0; i < vf->step_round; i++)
        one_lane(vf, word, align,
                 LLVMBuildNUWAdd(vf->b, lane, LLVMConstInt(vf->i64, i, false), ""), reads);
    next = LLVMBuildNUWAdd(vf->b, lane, LLVMConstInt(vf->i64, vf->step_round, false), "");
    more = LLVMBuildICmp(vf->b, LLVMIntULT, next, LLVMConstInt(vf->i64, vf->n_lanes, false), "");
    LLVMAddIncoming(lane, &next, &body, 1);
    LLVMBuildCondBr(vf->b, more, body, out);
    LLVMPositionBuilderAtEnd(vf->b, out);
}

static void
keep(struct ls_vf *vf, LLVMValueRef v, LLVMValueRef to)
{
    LLVMSetAlignment(LLVMBuildStore(vf->b, v, to), 64);
}

LLVMValueRef
ls_vf_load_in_steps(struct ls_vf *vf, LLVMTypeRef elem, unsigned bytes, LLVMValueRef ptrs,
                    unsigned align)
{
    LLVMValueRef v;

    keep(vf, ptrs, room(vf, &vf->step_addresses));
    room(vf, &vf->step_values);
    loop(vf, bytes, align, true);
    v = LLVMBuildLoad2(vf->b, LLVMVectorType(elem, vf->n_lanes), vf->step_values, "");
    LLVMSetAlignment(v, 64);
    return v;
}

void
ls_vf_store_in_steps(struct ls_vf *vf, LLVMValueRef v, unsigned bytes, LLVMValueRef ptrs,
                     unsigned align)
{
    keep(vf, ptrs, room(vf, &vf->step_addresses));
    keep(vf, v, room(vf, &vf->step_values));
    loop(vf, bytes, align, false);
}
