/* SPDX-License-Identifier: MIT */
/* One function to its vector form: blocks in linear order, masks, edges, phis.
 *
 * Everything that crosses blocks goes through stack slots, which LLVM promotes to registers
 * afterwards: after linearisation a definition need not dominate its uses in the new graph. */
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "compiler/print/print.h"
#include "device/cpu/kernel_abi.h"
#include "vector/vector_priv.h"

/* ---- Phis ---- */

static void
make_phi_slots(struct ls_vf *vf)
{
    for (unsigned i = 0; i < vf->cfg->n_blocks; i++)
        for (LLVMValueRef phi = LLVMGetFirstInstruction(vf->cfg->blocks[i].bb);
             phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
            struct ls_slot *slot = ls_arena_alloc(vf->cc->arena, sizeof(*slot));
            const struct ls_shape *shape = ls_shape_of(vf->shapes, phi);
            LLVMTypeRef host = ls_vf_host_type(vf, LLVMTypeOf(phi));

            if (shape->kind == LS_SHAPE_NONE)
                slot->base[0] = ls_vf_temp(vf, host, "phi");
            for (unsigned g = 0; g < ls_vf_groups(vf, shape); g++)
                slot->base[g] = ls_vf_temp(vf, host, "phi");
            if (shape->kind == LS_SHAPE_VARYING)
                slot->vec = ls_vf_temp(vf, ls_vf_wide_type(vf, host), "phi.vec");
            ls_ptrmap_set(&vf->phi_slots, phi, slot);
            ls_vf_end_phi_slot(vf, phi, slot);
        }
}

static void
load_phis(struct ls_vf *vf, LLVMBasicBlockRef bb)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(bb); phi && LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        const struct ls_slot *slot = ls_ptrmap_get(&vf->phi_slots, phi);
        struct ls_val *val = ls_arena_alloc(vf->cc->arena, sizeof(*val));
        struct ls_shape *shape = ls_arena_alloc(vf->cc->arena, sizeof(*shape));

        *shape = *ls_shape_of(vf->shapes, phi);
        val->shape = shape;
        val->host_type = ls_vf_host_type(vf, LLVMTypeOf(phi));
        if (shape->kind == LS_SHAPE_NONE) {
            shape->kind = LS_SHAPE_GROUPED;
            shape->group = (uint8_t)vf->n_lanes;
        }
        for (unsigned g = 0; g < ls_vf_groups(vf, shape); g++)
            val->base[g] = LLVMBuildLoad2(vf->b, val->host_type, slot->base[g], "");
        if (slot->vec)
            val->vec = LLVMBuildLoad2(vf->b, ls_vf_wide_type(vf, val->host_type), slot->vec, "");
        ls_vf_define(vf, phi, val);
    }
}

/* The base of lane group g of `v`, where groups are those of the phi's shape. */
static LLVMValueRef
base_for_phi(struct ls_vf *vf, LLVMValueRef v, const struct ls_shape *phi_shape, unsigned g)
{
    struct ls_val *val = ls_vf_val(vf, v);
    unsigned group = phi_shape->kind == LS_SHAPE_NONE ? vf->n_lanes : phi_shape->group;
    unsigned lane = g * group;
    LLVMValueRef base = val->base[lane / val->shape->group];
    int64_t offset = val->shape->offset ? val->shape->offset[lane] : 0;

    if (!offset)
        return base;
    if (LLVMGetTypeKind(LLVMTypeOf(base)) == LLVMPointerTypeKind) {
        LLVMValueRef k = LLVMConstInt(vf->i64, (uint64_t)offset, true);
        return LLVMBuildGEP2(vf->b, vf->i8, base, &k, 1, "");
    }
    return LLVMBuildAdd(vf->b, base, LLVMConstInt(LLVMTypeOf(base), (uint64_t)offset, true), "");
}

/* Sends values along edge p -> s under `mask` (NULL: all lanes of p). `blend`: other lanes of s
 * come from elsewhere and keep what they sent. All values are read before any is written: phis may
 * permute. */
static void
send_phis(struct ls_vf *vf, unsigned p, unsigned s, LLVMValueRef mask, bool blend)
{
    LLVMBasicBlockRef from = vf->cfg->blocks[p].bb, to = vf->cfg->blocks[s].bb;
    unsigned n = 0, n_stores = 0;

    for (LLVMValueRef phi = LLVMGetFirstInstruction(to); phi && LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi))
        n += LS_MAX_GROUPS;
    if (!n)
        return;
    struct send {
        LLVMValueRef v, slot;
    } *sends = ls_arena_alloc(vf->cc->arena, n * sizeof(*sends));

    for (LLVMValueRef phi = LLVMGetFirstInstruction(to); phi && LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        const struct ls_slot *slot = ls_ptrmap_get(&vf->phi_slots, phi);
        const struct ls_shape *shape = ls_shape_of(vf->shapes, phi);
        LLVMValueRef v = NULL;

        for (unsigned i = 0; i < LLVMCountIncoming(phi) && !v; i++)
            if (LLVMGetIncomingBlock(phi, i) == from)
                v = LLVMGetIncomingValue(phi, i);
        if (!v || LLVMIsUndef(v))
            continue;
        if (!slot->vec) {
            unsigned groups = shape->kind == LS_SHAPE_NONE ? 1 : ls_vf_groups(vf, shape);
            for (unsigned g = 0; g < groups; g++)
                sends[n_stores++] = (struct send){base_for_phi(vf, v, shape, g), slot->base[g]};
            continue;
        }
        LLVMValueRef wide = ls_vf_vector(vf, v);
        if (blend && mask) {
            LLVMValueRef old = LLVMBuildLoad2(vf->b, LLVMTypeOf(wide), slot->vec, "");
            wide = ls_vf_select(vf, mask, wide, old);
        }
        sends[n_stores++] = (struct send){wide, slot->vec};
    }
    for (unsigned i = 0; i < n_stores; i++)
        LLVMBuildStore(vf->b, sends[i].v, sends[i].slot);
}

/* ---- Edges ---- */

static bool
collects_mask(const struct ls_vf *vf, unsigned s)
{
    return s != 0 && vf->linear->blocks[s].mask_rep == s;
}

static void
send_edge(struct ls_vf *vf, unsigned p, unsigned s, LLVMValueRef mask, bool uniform_branch)
{
    const struct ls_cfg_block *to = &vf->cfg->blocks[s];
    bool back = s <= p;
    bool same_lanes =
        uniform_branch && vf->linear->blocks[s].mask_rep == vf->linear->blocks[p].mask_rep;
    /* Lanes that leave a divergent loop take the same exit edge in several iterations, so its
     * values are blended: under the mask of p, which is at hand, since a lane that stays sends
     * again, at the latest when it leaves. */
    bool leaves = vf->shapes->divergent_exit[s];
    bool alone = back || (to->n_preds == 1 && !leaves);

    send_phis(vf, p, s, leaves ? vf->mask : mask, !alone && !same_lanes);
    if (!collects_mask(vf, s))
        return;
    LLVMValueRef slot = vf->edge_mask_slots[s];
    LLVMValueRef m = mask ? mask : LLVMConstAllOnes(LLVMVectorType(vf->i1, vf->n_lanes));
    if (!alone) {
        LLVMValueRef old = LLVMBuildLoad2(vf->b, LLVMTypeOf(m), slot, "");
        m = LLVMBuildOr(vf->b, old, m, "");
    }
    LLVMBuildStore(vf->b, m, slot);
}

static LLVMBasicBlockRef
target_block(struct ls_vf *vf, unsigned i)
{
    return vf->blocks[i];
}

static LLVMValueRef
and_mask(struct ls_vf *vf, LLVMValueRef mask, LLVMValueRef cond)
{
    if (!mask)
        return cond;
    /* select, not and: an inactive lane's condition may be poison */
    return LLVMBuildSelect(vf->b, mask, cond, LLVMConstNull(LLVMTypeOf(mask)), "");
}

static void
end_divergent(struct ls_vf *vf, unsigned p, LLVMValueRef term)
{
    const struct ls_linear_block *lb = &vf->linear->blocks[p];
    const struct ls_cfg_block *b = &vf->cfg->blocks[p];
    LLVMValueRef cond = ls_vf_vector(vf, LLVMGetOperand(term, 0));
    LLVMValueRef masks[2] = {and_mask(vf, vf->mask, cond),
                             and_mask(vf, vf->mask, LLVMBuildNot(vf->b, cond, ""))};
    LLVMValueRef again = NULL;

    for (unsigned k = 0; k < 2; k++) {
        send_edge(vf, p, b->succs[k], masks[k], false);
        if (b->succs[k] <= p)
            again = masks[k];
    }
    if (!lb->loop_test) {
        LLVMBuildBr(vf->b, target_block(vf, lb->next[0]));
        return;
    }
    LLVMValueRef any = ls_vf_any(vf, again);
    if (lb->next[1] == LS_NO_BLOCK) /* both successors are the header: there is no way out */
        LLVMBuildBr(vf->b, target_block(vf, lb->next[0]));
    else
        LLVMBuildCondBr(vf->b, any, target_block(vf, lb->next[0]), target_block(vf, lb->next[1]));
}

static void
end_uniform(struct ls_vf *vf, unsigned p, LLVMValueRef term)
{
    const struct ls_linear_block *lb = &vf->linear->blocks[p];
    const struct ls_cfg_block *b = &vf->cfg->blocks[p];

    if (b->n_succs == 1 || b->succs[0] == b->succs[1]) {
        send_edge(vf, p, b->succs[0], vf->mask, true);
        LLVMBuildBr(vf->b, target_block(vf, lb->next[0]));
        return;
    }
    LLVMValueRef cond = ls_vf_scalar(vf, LLVMGetOperand(term, 0));
    LLVMBasicBlockRef edges[2];
    LLVMBasicBlockRef next = LLVMGetNextBasicBlock(LLVMGetInsertBlock(vf->b));
    for (unsigned k = 0; k < 2; k++)
        edges[k] = next ? LLVMInsertBasicBlockInContext(vf->llvm, next, "edge")
                        : LLVMAppendBasicBlockInContext(vf->llvm, vf->fn, "edge");
    LLVMBuildCondBr(vf->b, cond, edges[0], edges[1]);
    vf->nest++; /* forms of values that are made on one edge do not exist on the other */
    for (unsigned k = 0; k < 2; k++) {
        LLVMPositionBuilderAtEnd(vf->b, edges[k]);
        send_edge(vf, p, b->succs[k], vf->mask, true);
        LLVMBuildBr(vf->b, target_block(vf, lb->next[k]));
    }
    vf->nest--;
}

static void
end_return(struct ls_vf *vf, LLVMValueRef term)
{
    if (LLVMGetNumOperands(term) == 0)
        LLVMBuildRetVoid(vf->b);
    else
        LLVMBuildRet(vf->b, ls_vf_vector(vf, LLVMGetOperand(term, 0)));
}

static void
start_block(struct ls_vf *vf, unsigned i)
{
    const struct ls_linear_block *lb = &vf->linear->blocks[i];
    LLVMTypeRef mask_type = LLVMVectorType(vf->i1, vf->n_lanes);

    vf->cur_block = i;
    ls_ptrmap_init(&vf->vals, vf->cc->arena);
    LLVMPositionBuilderAtEnd(vf->b, vf->blocks[i]);
    if (i == 0) {
        vf->mask = vf->entry_mask_arg;
    } else if (collects_mask(vf, i)) {
        vf->mask = LLVMBuildLoad2(vf->b, mask_type, vf->edge_mask_slots[i], "mask");
        if (lb->guarded) {
            LLVMBasicBlockRef next = LLVMGetNextBasicBlock(vf->blocks[i]);
            LLVMBasicBlockRef body = next ? LLVMInsertBasicBlockInContext(vf->llvm, next, "body")
                                          : LLVMAppendBasicBlockInContext(vf->llvm, vf->fn, "body");
            LLVMBuildCondBr(vf->b, ls_vf_any(vf, vf->mask), body, target_block(vf, lb->skip_to));
            LLVMPositionBuilderAtEnd(vf->b, body);
        }
        LLVMBuildStore(vf->b, vf->mask, vf->block_masks[i]);
    } else if (lb->mask_rep == 0) {
        vf->mask = vf->entry_mask_arg;
    } else {
        vf->mask = LLVMBuildLoad2(vf->b, mask_type, vf->block_masks[lb->mask_rep], "mask");
    }
    load_phis(vf, vf->cfg->blocks[i].bb);
    ls_lower_note_mask(vf);
}

static bool
vectorize_block(struct ls_vf *vf, unsigned i)
{
    const struct ls_cfg_block *b = &vf->cfg->blocks[i];

    start_block(vf, i);
    for (LLVMValueRef inst = LLVMGetFirstInstruction(b->bb); inst && inst != b->term;
         inst = LLVMGetNextInstruction(inst)) {
        if (LLVMIsAPHINode(inst))
            continue;
        LLVMSetCurrentDebugLocation2(vf->b, LLVMInstructionGetDebugLoc(inst));
        if (!ls_vector_inst(vf, inst))
            return false;
    }
    switch (LLVMGetInstructionOpcode(b->term)) {
    case LLVMBr:
        if (vf->linear->blocks[i].divergent)
            end_divergent(vf, i, b->term);
        else
            end_uniform(vf, i, b->term);
        return true;
    case LLVMRet:
        end_return(vf, b->term);
        return true;
    case LLVMUnreachable:
        LLVMBuildUnreachable(vf->b);
        return true;
    default:
        return ls_diag(vf->cc, LS_DIAG_ERROR, b->term, "control transfer is not lowered yet");
    }
}

static void
init_types(struct ls_vf *vf)
{
    LLVMContextRef c = vf->llvm;

    vf->i1 = LLVMInt1TypeInContext(c);
    vf->i8 = LLVMInt8TypeInContext(c);
    vf->i16 = LLVMInt16TypeInContext(c);
    vf->i32 = LLVMInt32TypeInContext(c);
    vf->i64 = LLVMInt64TypeInContext(c);
    vf->ptr = LLVMPointerTypeInContext(c, 0);
    vf->f16 = LLVMHalfTypeInContext(c);
    vf->f32 = LLVMFloatTypeInContext(c);
    vf->f64 = LLVMDoubleTypeInContext(c);
    vf->voidt = LLVMVoidTypeInContext(c);
}

/* The new function's parameters: (ctx, mask, widened arguments) out of line, (ctx, uniform ...)
 * else. */
static void
bind_arguments(struct ls_vf *vf, bool out_of_line)
{
    unsigned n = LLVMCountParams(vf->old_fn), skip = out_of_line ? 2 : 0;

    vf->ctx = LLVMGetParam(vf->fn, 0);
    if (out_of_line)
        vf->entry_mask_arg = LLVMGetParam(vf->fn, 1);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef old = LLVMGetParam(vf->old_fn, i);
        struct ls_val *val = ls_arena_alloc(vf->cc->arena, sizeof(*val));
        struct ls_shape *shape = ls_arena_alloc(vf->cc->arena, sizeof(*shape));

        *shape = *ls_shape_of(vf->shapes, old);
        val->shape = shape;
        val->host_type = ls_vf_host_type(vf, LLVMTypeOf(old));
        if (shape->kind == LS_SHAPE_GROUPED)
            val->base[0] = LLVMGetParam(vf->fn, i + skip);
        else
            val->vec = LLVMGetParam(vf->fn, i + skip);
        ls_ptrmap_set(&vf->args, old, val);
    }
}

static void
make_entry(struct ls_vf *vf)
{
    LLVMTypeRef mask_type = LLVMVectorType(vf->i1, vf->n_lanes);
    unsigned n = vf->cfg->n_blocks;

    vf->entry = LLVMAppendBasicBlockInContext(vf->llvm, vf->fn, "entry");
    vf->blocks = ls_arena_alloc(vf->cc->arena, n * sizeof(*vf->blocks));
    vf->edge_mask_slots = ls_arena_alloc(vf->cc->arena, n * sizeof(LLVMValueRef));
    vf->block_masks = ls_arena_alloc(vf->cc->arena, n * sizeof(LLVMValueRef));
    for (unsigned i = 0; i < n; i++)
        vf->blocks[i] = LLVMAppendBasicBlockInContext(vf->llvm, vf->fn,
                                                      ls_arena_printf(vf->cc->arena, "b%u", i));
    LLVMPositionBuilderAtEnd(vf->entry_b, vf->entry);
    LLVMValueRef br = LLVMBuildBr(vf->entry_b, vf->blocks[0]);
    LLVMPositionBuilderBefore(vf->entry_b, br);
    vf->dummy = ls_vf_temp(vf, LLVMArrayType2(vf->i8, LS_NOWHERE_BYTES), "nowhere");
    LLVMSetAlignment(vf->dummy, LS_NOWHERE_BYTES);
    LLVMPositionBuilderAtEnd(vf->b, vf->entry);
    LLVMPositionBuilderBefore(vf->b, br);
    vf->lds = ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, lds), vf->ptr, "lds");
    vf->stack_lo = ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, stack_lo), vf->ptr, "stack_lo");
    for (unsigned i = 1; i < n; i++) {
        if (!collects_mask(vf, i))
            continue;
        vf->edge_mask_slots[i] = ls_vf_temp(vf, mask_type, "edge.mask");
        vf->block_masks[i] = ls_vf_temp(vf, mask_type, "block.mask");
        ls_vf_begin_mask_slot(vf, i);
    }
    make_phi_slots(vf);
}

bool
ls_vector_function(struct ls_vm *vm, LLVMValueRef old_fn, LLVMValueRef fn, bool out_of_line)
{
    struct ls_cc *cc = vm->cc;
    struct ls_vf *vf = ls_arena_alloc(cc->arena, sizeof(*vf));
    bool ok = true;
    size_t len;

    vf->vm = vm;
    vf->cc = cc;
    vf->mod = cc->mod;
    vf->llvm = cc->llvm;
    vf->n_lanes = cc->n_lanes;
    vf->old_fn = old_fn;
    vf->wide_op = ls_vector_wide_op;
    vf->fn = fn;
    vf->varying_args = out_of_line;
    init_types(vf);
    struct ls_shapes *shapes = ls_shapes_build(cc, old_fn, LS_SCOPE_WARP, out_of_line);
    vf->shapes = shapes;
    vf->cfg = shapes->cfg;
    vf->linear = ls_linear_build(shapes);
    if (!vf->linear)
        return ls_diag(cc, LS_DIAG_ERROR, old_fn, "control flow of %s is irreducible",
                       LLVMGetValueName2(old_fn, &len));
    ls_print_shapes(cc, shapes);
    ls_print_linear(cc, vf->linear);
    ls_ptrmap_init(&vf->loaded, cc->arena);
    ls_ptrmap_init(&vf->rows, cc->arena);
    ls_ptrmap_init(&vf->args, cc->arena);
    ls_ptrmap_init(&vf->tables, cc->arena);
    ls_ptrmap_init(&vf->slots, cc->arena);
    ls_ptrmap_init(&vf->phi_slots, cc->arena);
    ls_ptrmap_init(&vf->matrix_done, cc->arena);
    vf->b = LLVMCreateBuilderInContext(cc->llvm);
    vf->entry_b = LLVMCreateBuilderInContext(cc->llvm);
    bind_arguments(vf, out_of_line);
    ls_vf_choose_steps(vf);
    make_entry(vf);
    LLVMSetSubprogram(fn, LLVMGetSubprogram(old_fn));
    for (unsigned i = 0; ok && i < vf->cfg->n_blocks; i++)
        ok = vectorize_block(vf, i) && !vf->failed && !cc->n_errors;
    LLVMDisposeBuilder(vf->b);
    LLVMDisposeBuilder(vf->entry_b);
    return ok;
}
