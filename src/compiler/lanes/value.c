/* SPDX-License-Identifier: MIT */
/* Values of the vectoriser: types, forms of a value, constants, and the builder that lowerings
 * use. */
#include <string.h>

#include "compiler/ir/ir.h"
#include "device/cpu/kernel_abi.h"
#include "lanes/lanes.h"

LLVMTypeRef
ls_host_type(struct ls_cc *cc, LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind: {
        unsigned as = LLVMGetPointerAddressSpace(type);
        if (as == 3 || as == 5)
            return LLVMInt32TypeInContext(cc->llvm);
        return LLVMPointerTypeInContext(cc->llvm, 0);
    }
    case LLVMVectorTypeKind:
        return LLVMVectorType(ls_host_type(cc, LLVMGetElementType(type)), LLVMGetVectorSize(type));
    case LLVMArrayTypeKind:
        return LLVMArrayType2(ls_host_type(cc, LLVMGetElementType(type)),
                              LLVMGetArrayLength2(type));
    case LLVMStructTypeKind: {
        unsigned n = LLVMCountStructElementTypes(type);
        LLVMTypeRef *elems = ls_arena_alloc(cc->arena, (n + 1) * sizeof(*elems));

        for (unsigned i = 0; i < n; i++)
            elems[i] = ls_host_type(cc, LLVMStructGetTypeAtIndex(type, i));
        return LLVMStructTypeInContext(cc->llvm, elems, n, LLVMIsPackedStruct(type));
    }
    default:
        return type;
    }
}

LLVMTypeRef
ls_wide_type(struct ls_cc *cc, LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMVoidTypeKind:
        return type;
    case LLVMVectorTypeKind:
        return LLVMVectorType(LLVMGetElementType(type), LLVMGetVectorSize(type) * cc->n_lanes);
    case LLVMArrayTypeKind:
        return LLVMArrayType2(ls_wide_type(cc, LLVMGetElementType(type)),
                              LLVMGetArrayLength2(type));
    case LLVMStructTypeKind: {
        unsigned n = LLVMCountStructElementTypes(type);
        LLVMTypeRef *elems = ls_arena_alloc(cc->arena, (n + 1) * sizeof(*elems));

        for (unsigned i = 0; i < n; i++)
            elems[i] = ls_wide_type(cc, LLVMStructGetTypeAtIndex(type, i));
        return LLVMStructTypeInContext(cc->llvm, elems, n, false);
    }
    default:
        return LLVMVectorType(type, cc->n_lanes);
    }
}

LLVMTypeRef
ls_vf_host_type(struct ls_vf *vf, LLVMTypeRef device_type)
{
    return ls_host_type(vf->cc, device_type);
}

LLVMTypeRef
ls_vf_wide_type(struct ls_vf *vf, LLVMTypeRef host_type)
{
    return ls_wide_type(vf->cc, host_type);
}

LLVMValueRef
ls_vf_const(struct ls_vf *vf, LLVMTypeRef int_type, unsigned long long value)
{
    (void)vf;
    return LLVMConstInt(int_type, value, true);
}

LLVMValueRef
ls_vf_iota(struct ls_vf *vf, LLVMTypeRef int_type)
{
    LLVMValueRef e[LS_MAX_LANES];

    for (unsigned l = 0; l < vf->n_lanes; l++)
        e[l] = LLVMConstInt(int_type, l, false);
    return LLVMConstVector(e, vf->n_lanes);
}

LLVMValueRef
ls_vf_splat(struct ls_vf *vf, LLVMValueRef scalar)
{
    LLVMTypeRef type = LLVMTypeOf(scalar);
    unsigned n = vf->n_lanes;
    LLVMValueRef index[LS_MAX_WIDE];

    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind:
    case LLVMArrayTypeKind: {
        bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
        unsigned count =
            is_struct ? LLVMCountStructElementTypes(type) : (unsigned)LLVMGetArrayLength2(type);
        LLVMValueRef out = LLVMGetPoison(ls_wide_type(vf->cc, type));

        for (unsigned i = 0; i < count; i++)
            out = LLVMBuildInsertValue(
                vf->b, out, ls_vf_splat(vf, LLVMBuildExtractValue(vf->b, scalar, i, "")), i, "");
        return out;
    }
    case LLVMVectorTypeKind: {
        unsigned size = LLVMGetVectorSize(type);

        LS_ASSERT_FITS(size, LS_MAX_ELEMENTS);
        for (unsigned i = 0; i < size * n; i++)
            index[i] = LLVMConstInt(vf->i32, i / n, false);
        return LLVMBuildShuffleVector(vf->b, scalar, LLVMGetPoison(type),
                                      LLVMConstVector(index, size * n), "");
    }
    default: {
        LLVMTypeRef wide = LLVMVectorType(type, n);

        if (LLVMIsConstant(scalar) && !LLVMIsUndef(scalar)) {
            for (unsigned i = 0; i < n; i++)
                index[i] = scalar;
            return LLVMConstVector(index, n);
        }
        LLVMValueRef one = LLVMBuildInsertElement(vf->b, LLVMGetPoison(wide), scalar,
                                                  LLVMConstInt(vf->i64, 0, false), "");
        return LLVMBuildShuffleVector(vf->b, one, LLVMGetPoison(wide),
                                      LLVMConstNull(LLVMVectorType(vf->i32, n)), "");
    }
    }
}

LLVMValueRef
ls_vf_component(struct ls_vf *vf, LLVMValueRef wide, unsigned c)
{
    LLVMValueRef index[LS_MAX_LANES];

    if (LLVMGetVectorSize(LLVMTypeOf(wide)) == vf->n_lanes)
        return wide;
    for (unsigned l = 0; l < vf->n_lanes; l++)
        index[l] = LLVMConstInt(vf->i32, c * vf->n_lanes + l, false);
    return LLVMBuildShuffleVector(vf->b, wide, LLVMGetPoison(LLVMTypeOf(wide)),
                                  LLVMConstVector(index, vf->n_lanes), "");
}

LLVMValueRef
ls_vf_from_components(struct ls_vf *vf, LLVMValueRef *comp, unsigned n)
{
    LLVMValueRef index[LS_MAX_WIDE];
    LLVMValueRef all = comp[0];
    unsigned W = vf->n_lanes;

    LS_ASSERT_FITS(n, LS_MAX_ELEMENTS);
    if (!(n & (n - 1)))
        return ls_vf_concat(vf, comp, n);
    /* Appends one component at a time; LLVM combines the shuffles. */
    for (unsigned c = 1; c < n; c++) {
        unsigned have = c * W;
        LLVMValueRef grown;

        for (unsigned i = 0; i < have + W; i++)
            index[i] = i < W ? LLVMConstInt(vf->i32, i, false) : LLVMGetPoison(vf->i32);
        grown = LLVMBuildShuffleVector(vf->b, comp[c], LLVMGetPoison(LLVMTypeOf(comp[c])),
                                       LLVMConstVector(index, have), "");
        for (unsigned i = 0; i < have + W; i++)
            index[i] = LLVMConstInt(vf->i32, i, false);
        all = LLVMBuildShuffleVector(vf->b, all, grown, LLVMConstVector(index, have + W), "");
    }
    return all;
}

/* Whether `v` was built in front of the innermost lane loop, whose blocks lie between head and
 * exit. */
static bool
is_before_lane_loop(struct ls_vf *vf, LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v))
        return true;
    LLVMBasicBlockRef home = LLVMGetInstructionParent(v);
    for (LLVMBasicBlockRef bb = vf->lane_loop->head; bb && bb != vf->lane_loop->exit;
         bb = LLVMGetNextBasicBlock(bb))
        if (bb == home)
            return false;
    return true;
}

/* A vector indexed by a variable lane goes through memory: stored once in front of the loop, not in
 * it. */
static LLVMValueRef
lane_get_by_memory(struct ls_vf *vf, LLVMValueRef wide, LLVMValueRef lane, unsigned c)
{
    LLVMTypeRef elem = LLVMGetElementType(LLVMTypeOf(wide));
    LLVMValueRef room = ls_ptrmap_get(&vf->lane_loop->rooms, wide);
    LLVMValueRef index = LLVMBuildZExt(vf->b, lane, vf->i64, "");

    if (!room) {
        LLVMBuilderRef b = LLVMCreateBuilderInContext(vf->llvm);
        room = ls_vf_temp(vf, LLVMTypeOf(wide), "lanes.room");
        LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(vf->lane_loop->from));
        LLVMBuildStore(b, wide, room);
        LLVMDisposeBuilder(b);
        ls_ptrmap_set(&vf->lane_loop->rooms, wide, room);
    }
    if (c)
        index = LLVMBuildAdd(vf->b, index, LLVMConstInt(vf->i64, c * vf->n_lanes, false), "");
    return LLVMBuildLoad2(vf->b, elem, LLVMBuildGEP2(vf->b, elem, room, &index, 1, ""), "");
}

static bool
lane_by_memory(struct ls_vf *vf, LLVMValueRef wide, LLVMValueRef lane)
{
    LLVMTypeRef elem = LLVMGetElementType(LLVMTypeOf(wide));
    bool packed = LLVMGetTypeKind(elem) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(elem) % 8;

    return vf->lane_loop && !LLVMIsConstant(lane) && !packed && is_before_lane_loop(vf, wide);
}

/* The type of one lane, from a widened type: the reverse of ls_wide_type. */
static LLVMTypeRef
lane_type(struct ls_cc *cc, LLVMTypeRef wide)
{
    switch (LLVMGetTypeKind(wide)) {
    case LLVMArrayTypeKind:
        return LLVMArrayType2(lane_type(cc, LLVMGetElementType(wide)), LLVMGetArrayLength2(wide));
    case LLVMStructTypeKind: {
        unsigned n = LLVMCountStructElementTypes(wide);
        LLVMTypeRef *elems = ls_arena_alloc(cc->arena, (n + 1) * sizeof(*elems));

        for (unsigned i = 0; i < n; i++)
            elems[i] = lane_type(cc, LLVMStructGetTypeAtIndex(wide, i));
        return LLVMStructTypeInContext(cc->llvm, elems, n, false);
    }
    default: {
        unsigned n = LLVMGetVectorSize(wide) / cc->n_lanes;

        return n > 1 ? LLVMVectorType(LLVMGetElementType(wide), n) : LLVMGetElementType(wide);
    }
    }
}

LLVMValueRef
ls_vf_lane_get(struct ls_vf *vf, LLVMValueRef wide, LLVMValueRef lane)
{
    LLVMTypeRef type = LLVMTypeOf(wide);

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) {
        bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
        unsigned n =
            is_struct ? LLVMCountStructElementTypes(type) : (unsigned)LLVMGetArrayLength2(type);
        LLVMValueRef *parts = ls_arena_alloc(vf->cc->arena, (n + 1) * sizeof(*parts));

        for (unsigned i = 0; i < n; i++)
            parts[i] = ls_vf_lane_get(vf, LLVMBuildExtractValue(vf->b, wide, i, ""), lane);
        LLVMValueRef out = LLVMGetPoison(lane_type(vf->cc, type));
        for (unsigned i = 0; i < n; i++)
            out = LLVMBuildInsertValue(vf->b, out, parts[i], i, "");
        return out;
    }
    unsigned n = LLVMGetVectorSize(type) / vf->n_lanes;
    bool by_memory = lane_by_memory(vf, wide, lane);
    if (n == 1)
        return by_memory ? lane_get_by_memory(vf, wide, lane, 0)
                         : LLVMBuildExtractElement(vf->b, wide, lane, "");
    LLVMValueRef out = LLVMGetPoison(LLVMVectorType(LLVMGetElementType(type), n));
    for (unsigned c = 0; c < n; c++) {
        LLVMValueRef i =
            LLVMBuildAdd(vf->b, lane, LLVMConstInt(LLVMTypeOf(lane), c * vf->n_lanes, false), "");
        LLVMValueRef e = by_memory ? lane_get_by_memory(vf, wide, lane, c)
                                   : LLVMBuildExtractElement(vf->b, wide, i, "");
        out = LLVMBuildInsertElement(vf->b, out, e, LLVMConstInt(vf->i32, c, false), "");
    }
    return out;
}

LLVMValueRef
ls_vf_lane_set(struct ls_vf *vf, LLVMValueRef wide, LLVMValueRef lane, LLVMValueRef one)
{
    LLVMTypeRef type = LLVMTypeOf(wide);

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) {
        bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
        unsigned n =
            is_struct ? LLVMCountStructElementTypes(type) : (unsigned)LLVMGetArrayLength2(type);

        for (unsigned i = 0; i < n; i++) {
            LLVMValueRef part = ls_vf_lane_set(vf, LLVMBuildExtractValue(vf->b, wide, i, ""), lane,
                                               LLVMBuildExtractValue(vf->b, one, i, ""));
            wide = LLVMBuildInsertValue(vf->b, wide, part, i, "");
        }
        return wide;
    }
    unsigned n = LLVMGetVectorSize(type) / vf->n_lanes;
    if (n == 1)
        return LLVMBuildInsertElement(vf->b, wide, one, lane, "");
    for (unsigned c = 0; c < n; c++) {
        LLVMValueRef i =
            LLVMBuildAdd(vf->b, lane, LLVMConstInt(LLVMTypeOf(lane), c * vf->n_lanes, false), "");
        LLVMValueRef e = LLVMBuildExtractElement(vf->b, one, LLVMConstInt(vf->i32, c, false), "");
        wide = LLVMBuildInsertElement(vf->b, wide, e, i, "");
    }
    return wide;
}

LLVMValueRef
ls_vf_select(struct ls_vf *vf, LLVMValueRef mask, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef type = LLVMTypeOf(a);

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) {
        bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
        unsigned n =
            is_struct ? LLVMCountStructElementTypes(type) : (unsigned)LLVMGetArrayLength2(type);
        LLVMValueRef out = LLVMGetPoison(type);

        for (unsigned i = 0; i < n; i++)
            out =
                LLVMBuildInsertValue(vf->b, out,
                                     ls_vf_select(vf, mask, LLVMBuildExtractValue(vf->b, a, i, ""),
                                                  LLVMBuildExtractValue(vf->b, b, i, "")),
                                     i, "");
        return out;
    }
    unsigned n = LLVMGetVectorSize(type) / vf->n_lanes;
    if (n > 1) {
        LLVMValueRef comps[LS_MAX_ELEMENTS];

        LS_ASSERT_FITS(n, LS_MAX_ELEMENTS);
        for (unsigned c = 0; c < n; c++)
            comps[c] = mask;
        mask = ls_vf_from_components(vf, comps, n);
    }
    return LLVMBuildSelect(vf->b, mask, a, b, "");
}

LLVMValueRef
ls_vf_mask(struct ls_vf *vf)
{
    return vf->mask ? vf->mask : LLVMConstAllOnes(LLVMVectorType(vf->i1, vf->n_lanes));
}

static LLVMValueRef
mask_to_int(struct ls_vf *vf, LLVMValueRef mask)
{
    return LLVMBuildBitCast(vf->b, mask, LLVMIntTypeInContext(vf->llvm, vf->n_lanes), "");
}

LLVMValueRef
ls_vf_mask_bits(struct ls_vf *vf)
{
    LLVMValueRef bits = mask_to_int(vf, ls_vf_mask(vf));

    return vf->n_lanes < 64 ? LLVMBuildZExt(vf->b, bits, vf->i64, "") : bits;
}

LLVMValueRef
ls_vf_any(struct ls_vf *vf, LLVMValueRef mask)
{
    LLVMValueRef bits = mask_to_int(vf, mask);

    return LLVMBuildICmp(vf->b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "any");
}

LLVMValueRef
ls_vf_llvm(struct ls_vf *vf, const char *name, LLVMTypeRef *overload, unsigned n_overload,
           LLVMValueRef *args, unsigned n_args)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(vf->mod, id, overload, n_overload);

    return LLVMBuildCall2(vf->b, LLVMIntrinsicGetType(vf->llvm, id, overload, n_overload), fn, args,
                          n_args, "");
}

LLVMValueRef
ls_vf_temp(struct ls_vf *vf, LLVMTypeRef type, const char *name)
{
    return LLVMBuildAlloca(vf->entry_b, type, name);
}

/* ---- Lane loops ---- */

LLVMBasicBlockRef
ls_vf_new_block(struct ls_vf *vf, const char *name)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(vf->b), next = LLVMGetNextBasicBlock(here);

    return next ? LLVMInsertBasicBlockInContext(vf->llvm, next, name)
                : LLVMAppendBasicBlockInContext(vf->llvm, vf->fn, name);
}

static void
lanes_begin(struct ls_vf *vf, LLVMValueRef mask, struct ls_lane_loop *loop, bool may_be_empty)
{
    LLVMValueRef bits = mask_to_int(vf, mask);
    LLVMTypeRef type = LLVMTypeOf(bits);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(vf->b);

    loop->head = ls_vf_new_block(vf, "lane");
    LLVMPositionBuilderAtEnd(vf->b, loop->head);
    loop->exit = ls_vf_new_block(vf, "lanes.end");
    LLVMPositionBuilderAtEnd(vf->b, from);
    if (may_be_empty)
        LLVMBuildCondBr(vf->b, LLVMBuildICmp(vf->b, LLVMIntNE, bits, LLVMConstNull(type), ""),
                        loop->head, loop->exit);
    else
        LLVMBuildBr(vf->b, loop->head);
    LLVMPositionBuilderAtEnd(vf->b, loop->head);
    loop->bits_phi = LLVMBuildPhi(vf->b, type, "lanes");
    LLVMAddIncoming(loop->bits_phi, &bits, &from, 1);
    loop->from = from;
    loop->outer = vf->lane_loop;
    ls_ptrmap_init(&loop->rooms, vf->cc->arena);
    vf->lane_loop = loop;
    LLVMValueRef args[2] = {loop->bits_phi, LLVMConstInt(vf->i1, 1, false)};
    LLVMValueRef tz = ls_vf_llvm(vf, "llvm.cttz", &type, 1, args, 2);
    loop->lane = vf->n_lanes == 32  ? tz
                 : vf->n_lanes > 32 ? LLVMBuildTrunc(vf->b, tz, vf->i32, "")
                                    : LLVMBuildZExt(vf->b, tz, vf->i32, "");
    vf->nest++;
}

void
ls_vf_lanes_begin(struct ls_vf *vf, struct ls_lane_loop *loop)
{
    lanes_begin(vf, ls_vf_mask(vf), loop, false);
}

void
ls_vf_lanes_begin_mask(struct ls_vf *vf, LLVMValueRef mask, struct ls_lane_loop *loop)
{
    lanes_begin(vf, mask, loop, true);
}

void
ls_vf_lanes_end(struct ls_vf *vf, struct ls_lane_loop *loop)
{
    LLVMTypeRef type = LLVMTypeOf(loop->bits_phi);
    LLVMValueRef less = LLVMBuildSub(vf->b, loop->bits_phi, LLVMConstInt(type, 1, false), "");
    LLVMValueRef next = LLVMBuildAnd(vf->b, loop->bits_phi, less, "");
    LLVMBasicBlockRef from = LLVMGetInsertBlock(vf->b);

    LLVMAddIncoming(loop->bits_phi, &next, &from, 1);
    LLVMBuildCondBr(vf->b, LLVMBuildICmp(vf->b, LLVMIntNE, next, LLVMConstNull(type), ""),
                    loop->head, loop->exit);
    LLVMPositionBuilderAtEnd(vf->b, loop->exit);
    vf->lane_loop = loop->outer;
    vf->nest--;
}

/* ---- ctx ---- */

LLVMValueRef
ls_vf_ctx_field(struct ls_vf *vf, size_t offset, const char *name)
{
    LLVMValueRef index = LLVMConstInt(vf->i64, offset, false);

    return LLVMBuildGEP2(vf->b, vf->i8, vf->ctx, &index, 1, name);
}

LLVMValueRef
ls_vf_ctx_load(struct ls_vf *vf, size_t offset, LLVMTypeRef type, const char *name)
{
    return LLVMBuildLoad2(vf->b, type, ls_vf_ctx_field(vf, offset, ""), name);
}

LLVMValueRef
ls_vf_service(struct ls_vf *vf, unsigned service, LLVMValueRef lane, LLVMValueRef *args, unsigned n)
{
    LLVMTypeRef params[4] = {vf->ptr, vf->i32, vf->i32, vf->ptr};
    LLVMTypeRef type = LLVMFunctionType(vf->i64, params, 4, false);
    LLVMTypeRef array_type = LLVMArrayType2(vf->i64, LS_SVC_MAX_ARGS);
    LLVMValueRef array = ls_vf_temp(vf, array_type, "service.args");

    LS_ASSERT_FITS(n, LS_SVC_MAX_ARGS);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef index = LLVMConstInt(vf->i64, i, false);
        LLVMBuildStore(vf->b, args[i], LLVMBuildGEP2(vf->b, vf->i64, array, &index, 1, ""));
    }
    LLVMValueRef fn = ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, service), vf->ptr, "service");
    LLVMValueRef call_args[4] = {vf->ctx, LLVMConstInt(vf->i32, service, false), lane, array};
    return LLVMBuildCall2(vf->b, type, fn, call_args, 4, "");
}

/* ---- Constants ---- */

/* The address of a device variable: that of its copy in this block where it is a table with
 * addresses of LDS, else loaded from ctx->globals. */
static LLVMValueRef
variable_address(struct ls_vf *vf, LLVMValueRef g)
{
    LLVMValueRef address = ls_ptrmap_get(&vf->tables, g), index;
    unsigned number;
    size_t len;

    if (address)
        return address;
    if (!ls_ir_global_number(vf->cc, g, LS_MD_GLOBAL_INDEX, &number)) {
        ls_diag(vf->cc, LS_DIAG_ERROR, g, "internal error: variable %s has no index",
                LLVMGetValueName2(g, &len));
        vf->failed = true;
        return LLVMGetPoison(vf->ptr);
    }
    address = ls_ir_ctx_load(vf->cc, vf->entry_b, vf->ctx, offsetof(struct ls_cpu_ctx, globals),
                             vf->ptr, "globals");
    index = LLVMConstInt(vf->i64, number, false);
    address = LLVMBuildInBoundsGEP2(vf->entry_b, vf->ptr, address, &index, 1, "");
    address = LLVMBuildLoad2(vf->entry_b, vf->ptr, address, "");
    ls_ptrmap_set(&vf->tables, g, address);
    return address;
}

static void
see_unknown(void *user, LLVMValueRef v)
{
    bool *known = user;

    *known &= !ls_ir_is_lds_address(v) && !(LLVMIsAGlobalVariable(v) && ls_ir_global_is_indexed(v));
}

static bool
is_known(LLVMValueRef c)
{
    bool known = true;

    ls_ir_walk_constant(c, see_unknown, &known);
    return known;
}

/* Stores the parts of a constant that are known only at run time (addresses) to their places in the
 * table. */
static void
fill_table(struct ls_vf *vf, LLVMValueRef to, LLVMTypeRef type, LLVMValueRef c)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    LLVMValueRef index[2] = {LLVMConstNull(vf->i32), NULL};

    if (kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind) {
        LLVMValueRef v = ls_vf_const_host(vf, c);

        if (!LLVMIsConstant(v))
            LLVMBuildStore(vf->entry_b, v, to);
        return;
    }
    if (is_known(c))
        return;
    unsigned n = kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(type)
                                            : (unsigned)LLVMGetArrayLength2(type);
    for (unsigned i = 0; i < n; i++) {
        LLVMTypeRef elem = kind == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, i)
                                                      : LLVMGetElementType(type);

        index[1] = LLVMConstInt(vf->i32, i, false);
        fill_table(vf, LLVMBuildInBoundsGEP2(vf->entry_b, type, to, index, 2, ""), elem,
                   LLVMGetAggregateElement(c, i));
    }
}

/* The constant with undefined values in place of the parts that are known only at run time. */
static LLVMValueRef
known_part(struct ls_vf *vf, LLVMValueRef c)
{
    LLVMTypeRef host = ls_host_type(vf->cc, LLVMTypeOf(c));
    LLVMTypeKind kind = LLVMGetTypeKind(host);

    if (is_known(c))
        return ls_vf_const_host(vf, c);
    if (kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind)
        return LLVMGetUndef(host);
    unsigned n = kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(host)
                                            : (unsigned)LLVMGetArrayLength2(host);
    LLVMValueRef *e = ls_arena_alloc(vf->cc->arena, (n + 1) * sizeof(*e));
    for (unsigned i = 0; i < n; i++)
        e[i] = known_part(vf, LLVMGetAggregateElement(c, i));
    return kind == LLVMArrayTypeKind
               ? LLVMConstArray2(LLVMGetElementType(host), e, n)
               : LLVMConstStructInContext(vf->llvm, e, n, LLVMIsPackedStruct(host));
}

/* A constant table with addresses of LDS is another one in each block: a variable of the program,
 * filled when the block begins. */
static LLVMValueRef
block_table(struct ls_vf *vf, LLVMValueRef g)
{
    LLVMValueRef table = ls_ptrmap_get(&vf->tables, g), init = LLVMGetInitializer(g), known;
    LLVMTypeRef type = ls_host_type(vf->cc, LLVMGlobalGetValueType(g));
    unsigned align = LLVMGetAlignment(g) ? LLVMGetAlignment(g) : 16;
    size_t len;

    if (table)
        return table;
    table = ls_vf_temp(vf, type, LLVMGetValueName2(g, &len));
    LLVMSetAlignment(table, align);
    ls_ptrmap_set(&vf->tables, g, table); /* set first, as the table may point to itself */
    known = LLVMAddGlobal(vf->mod, type, "known");
    LLVMSetInitializer(known, known_part(vf, init));
    LLVMSetGlobalConstant(known, true);
    LLVMSetLinkage(known, LLVMInternalLinkage);
    LLVMSetAlignment(known, align);
    LLVMBuildMemCpy(vf->entry_b, table, align, known, align, LLVMSizeOf(type));
    fill_table(vf, table, type, init);
    return table;
}

static LLVMValueRef
host_global(struct ls_vf *vf, LLVMValueRef g)
{
    LLVMValueRef host = ls_ptrmap_get(&vf->vm->host_global, g);
    size_t len;

    if (host)
        return host;
    if (ls_ir_global_is_indexed(g))
        return variable_address(vf, g);
    if (LLVMGetInitializer(g) && ls_ir_points_to_lds(LLVMGetInitializer(g)))
        return block_table(vf, g);
    LLVMTypeRef type = ls_host_type(vf->cc, LLVMGlobalGetValueType(g));
    const char *name = LLVMGetValueName2(g, &len);
    host = LLVMAddGlobal(vf->mod, type, ls_arena_printf(vf->cc->arena, "host.%s", name));
    ls_ptrmap_set(&vf->vm->host_global, g, host);
    LLVMSetLinkage(host, LLVMInternalLinkage);
    LLVMSetGlobalConstant(host, LLVMIsGlobalConstant(g));
    LLVMSetAlignment(host, LLVMGetAlignment(g) ? LLVMGetAlignment(g) : 16);
    if (!LLVMGetInitializer(g) || !LLVMIsGlobalConstant(g)) {
        ls_diag(vf->cc, LS_DIAG_ERROR, g,
                "variable %s: not a constant of this module, cannot be placed", name);
        vf->failed = true;
        return host;
    }
    LLVMSetInitializer(host, ls_vf_const_host(vf, LLVMGetInitializer(g)));
    return host;
}

static LLVMValueRef
const_expr(struct ls_vf *vf, LLVMValueRef c)
{
    LLVMTypeRef type = ls_host_type(vf->cc, LLVMTypeOf(c));
    LLVMValueRef x = ls_vf_const_host(vf, LLVMGetOperand(c, 0));
    LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(c, 0));
    LLVMTypeKind have = LLVMGetTypeKind(ls_lanes_elem(LLVMTypeOf(x))),
                 want = LLVMGetTypeKind(ls_lanes_elem(type));

    switch (LLVMGetConstOpcode(c)) {
    case LLVMAddrSpaceCast:
        if (have == want)
            return x;
        if (want == LLVMPointerTypeKind) {
            LLVMValueRef base =
                LLVMGetPointerAddressSpace(ls_lanes_elem(from)) == 3 ? vf->lds : vf->stack_lo;
            LLVMValueRef index = LLVMBuildSExt(vf->entry_b, x, ls_lanes_like(type, vf->i64), "");
            return LLVMBuildGEP2(vf->entry_b, vf->i8, base, &index, 1, "");
        }
        if (LLVMIsNull(
                x)) /* the null pointer of LDS and private memory is all ones on AMD's targets */
            return LLVMConstAllOnes(type);
        if (have == LLVMPointerTypeKind && LLVMGetTypeKind(type) != LLVMVectorTypeKind) {
            /* back from a generic address */
            bool is_lds = LLVMGetPointerAddressSpace(ls_lanes_elem(LLVMTypeOf(c))) == 3;
            LLVMValueRef base = is_lds ? vf->lds : vf->stack_lo;
            LLVMTypeRef wide = ls_lanes_like(type, vf->i64);
            x = LLVMBuildSub(vf->entry_b, LLVMBuildPtrToInt(vf->entry_b, x, wide, ""),
                             LLVMBuildPtrToInt(vf->entry_b, base, wide, ""), "");
            return LLVMBuildTrunc(vf->entry_b, x, type, "");
        }
        break;
    case LLVMGetElementPtr: {
        struct ls_gep_term terms[LS_MAX_GEP_TERMS];
        unsigned n = ls_gep_terms(vf->cc, c, terms, LS_MAX_GEP_TERMS);
        int64_t bytes = terms[n - 1].stride;

        if (n != 1 || LLVMGetTypeKind(type) == LLVMVectorTypeKind)
            break;
        if (have == LLVMIntegerTypeKind)
            return LLVMBuildAdd(vf->entry_b, x, LLVMConstInt(vf->i32, (uint64_t)bytes, true), "");
        LLVMValueRef index = LLVMConstInt(vf->i64, (uint64_t)bytes, true);
        if (LLVMIsConstant(x))
            return LLVMConstGEP2(vf->i8, x, &index, 1);
        return LLVMBuildGEP2(vf->entry_b, vf->i8, x, &index, 1, "");
    }
    case LLVMPtrToInt:
        if (have == LLVMIntegerTypeKind)
            return LLVMBuildIntCast2(vf->entry_b, x, type, false, "");
        return LLVMBuildPtrToInt(vf->entry_b, x, type, "");
    case LLVMIntToPtr:
        if (want == LLVMIntegerTypeKind)
            return LLVMBuildIntCast2(vf->entry_b, x, type, false, "");
        return LLVMBuildIntToPtr(vf->entry_b, x, type, "");
    case LLVMBitCast:
        return LLVMBuildBitCast(vf->entry_b, x, type, "");
    case LLVMTrunc:
        return LLVMBuildTrunc(vf->entry_b, x, type, "");
    case LLVMAdd:
    case LLVMSub:
    case LLVMXor:
        return LLVMBuildBinOp(vf->entry_b, LLVMGetConstOpcode(c), x,
                              ls_vf_const_host(vf, LLVMGetOperand(c, 1)), "");
    default:
        break;
    }
    ls_diag(vf->cc, LS_DIAG_ERROR, NULL, "constant expression of kind %d is not lowered yet",
            LLVMGetConstOpcode(c));
    vf->failed = true;
    return LLVMGetUndef(type);
}

/* A function that clang only declared (a pure virtual one) has address 0. */
static LLVMValueRef
function_address(struct ls_vf *vf, LLVMValueRef fn)
{
    unsigned number;
    uint64_t address = ls_ir_function_number(fn, &number) ? LS_IR_FN_ADDRESS(number) : 0;

    return LLVMConstIntToPtr(LLVMConstInt(vf->i64, address, false), vf->ptr);
}

/* An aggregate of members that may be instructions: addresses of LDS, of private memory, of device
 * variables are. */
static LLVMValueRef
aggregate_of(struct ls_vf *vf, LLVMTypeRef host, LLVMValueRef *e, unsigned n)
{
    LLVMTypeKind kind = LLVMGetTypeKind(host);
    LLVMValueRef *later = ls_arena_alloc(vf->cc->arena, (n + 1) * sizeof(*later)), all;

    for (unsigned i = 0; i < n; i++) {
        if (LLVMIsConstant(e[i]))
            continue;
        later[i] = e[i];
        e[i] = LLVMGetPoison(LLVMTypeOf(e[i]));
    }
    all = kind == LLVMVectorTypeKind ? LLVMConstVector(e, n)
          : kind == LLVMArrayTypeKind
              ? LLVMConstArray2(LLVMGetElementType(host), e, n)
              : LLVMConstStructInContext(vf->llvm, e, n, LLVMIsPackedStruct(host));
    for (unsigned i = 0; i < n; i++)
        if (later[i])
            all = kind == LLVMVectorTypeKind
                      ? LLVMBuildInsertElement(vf->entry_b, all, later[i],
                                               LLVMConstInt(vf->i32, i, false), "")
                      : LLVMBuildInsertValue(vf->entry_b, all, later[i], i, "");
    return all;
}

LLVMValueRef
ls_vf_const_host(struct ls_vf *vf, LLVMValueRef c)
{
    LLVMTypeRef type = LLVMTypeOf(c), host = ls_host_type(vf->cc, type);
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    if (LLVMIsPoison(c))
        return LLVMGetPoison(host);
    if (LLVMIsUndef(c))
        return LLVMGetUndef(host);
    if (LLVMIsAFunction(c))
        return function_address(vf, c);
    if (LLVMIsAGlobalAlias(c))
        return ls_vf_const_host(vf, LLVMAliasGetAliasee(c));
    if (LLVMIsAGlobalVariable(c)) {
        unsigned offset;

        if (LLVMGetPointerAddressSpace(type) != 3)
            return host_global(vf, c);
        if (ls_ir_global_number(vf->cc, c, LS_MD_LDS_OFFSET, &offset))
            return LLVMConstInt(vf->i32, offset, false);
        ls_diag(vf->cc, LS_DIAG_ERROR, c, "shared variable without a place in LDS");
        vf->failed = true;
        return LLVMGetUndef(host);
    }
    if (LLVMIsAConstantExpr(c))
        return const_expr(vf, c);
    if (LLVMIsNull(c))
        return LLVMConstNull(host);
    if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind) {
        unsigned n = kind == LLVMStructTypeKind  ? LLVMCountStructElementTypes(type)
                     : kind == LLVMArrayTypeKind ? (unsigned)LLVMGetArrayLength2(type)
                                                 : LLVMGetVectorSize(type);
        if (LLVMIsAConstantDataSequential(c) &&
            LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMPointerTypeKind)
            return c;
        LLVMValueRef *e = ls_arena_alloc(vf->cc->arena, (n + 1) * sizeof(*e));
        for (unsigned i = 0; i < n; i++)
            e[i] = ls_vf_const_host(vf, LLVMGetAggregateElement(c, i));
        return aggregate_of(vf, host, e, n);
    }
    return c;
}

/* ---- Forms of a value ---- */

static const struct ls_shape *
keep_shape(struct ls_vf *vf, const struct ls_shape *shape)
{
    struct ls_shape *copy = ls_arena_alloc(vf->cc->arena, sizeof(*copy));

    *copy = *shape;
    return copy;
}

/* What ls_vf_define kept. */
static LLVMValueRef
reload_part(struct ls_vf *vf, LLVMTypeRef type, LLVMValueRef kept)
{
    return LLVMIsConstant(kept) ? kept : LLVMBuildLoad2(vf->b, type, kept, "");
}

/* A value that crosses blocks is loaded from its slot, once per block. */
static struct ls_val *
reload(struct ls_vf *vf, LLVMValueRef inst, const struct ls_slot *slot)
{
    struct ls_val *val = ls_arena_alloc(vf->cc->arena, sizeof(*val));

    val->shape = keep_shape(vf, ls_shape_of(vf->shapes, inst));
    val->host_type = ls_host_type(vf->cc, LLVMTypeOf(inst));
    /* A lane's number is known in each block; what is computed of it is a constant. */
    bool is_zero = val->shape->kind == LS_SHAPE_GROUPED && val->shape->align == LS_N_ALIGNS - 1 &&
                   LLVMGetTypeKind(val->host_type) == LLVMIntegerTypeKind;
    for (unsigned g = 0; g < ls_vf_groups(vf, val->shape); g++)
        val->base[g] = is_zero ? LLVMConstNull(val->host_type)
                               : reload_part(vf, val->host_type, slot->base[g]);
    if (slot->ok)
        val->ok = reload_part(vf, vf->i1, slot->ok);
    if (slot->vec)
        val->vec = reload_part(vf, ls_vf_wide_type(vf, val->host_type), slot->vec);
    return val;
}

struct ls_val *
ls_vf_val(struct ls_vf *vf, LLVMValueRef v)
{
    struct ls_val *val = ls_ptrmap_get(&vf->vals, v);

    if (val)
        return val;
    if (LLVMIsAArgument(v)) { /* each block has a copy, as the widened form is made in one block */
        val = ls_arena_alloc(vf->cc->arena, sizeof(*val));
        *val = *(struct ls_val *)ls_ptrmap_get(&vf->args, v);
    } else if (LLVMIsAInstruction(v)) {
        const struct ls_slot *slot = ls_ptrmap_get(&vf->slots, v);

        if (slot) {
            val = reload(vf, v, slot);
        } else { /* no slot: the definition has not been reached, so the use is on a path that never
                    runs */
            val = ls_arena_alloc(vf->cc->arena, sizeof(*val));
            val->shape = keep_shape(vf, ls_shape_of(vf->shapes, v));
            val->host_type = ls_host_type(vf->cc, LLVMTypeOf(v));
            for (unsigned g = 0; g < ls_vf_groups(vf, val->shape); g++)
                val->base[g] = LLVMGetUndef(val->host_type);
            if (val->shape->kind != LS_SHAPE_GROUPED)
                val->vec = LLVMGetUndef(ls_vf_wide_type(vf, val->host_type));
        }
    } else {
        val = ls_arena_alloc(vf->cc->arena, sizeof(*val));
        val->shape = keep_shape(vf, ls_shape_of(vf->shapes, v));
        val->host_type = ls_host_type(vf->cc, LLVMTypeOf(v));
        val->base[0] = ls_vf_const_host(vf, v);
    }
    if (!vf->nest)
        ls_ptrmap_set(&vf->vals, v, val);
    return val;
}

/* base of each group plus the lanes' offsets */
static LLVMValueRef
widen_grouped(struct ls_vf *vf, const struct ls_val *val)
{
    const struct ls_shape *sh = val->shape;
    unsigned n = ls_vf_groups(vf, sh), W = vf->n_lanes;
    LLVMValueRef index[LS_MAX_LANES], wide;

    if (n == 1) {
        wide = ls_vf_splat(vf, val->base[0]);
    } else {
        LLVMTypeRef type = LLVMVectorType(val->host_type, n == 2 ? 2 : n <= 4 ? 4 : 8);
        LLVMValueRef bases = LLVMGetPoison(type);

        for (unsigned g = 0; g < n; g++)
            bases = LLVMBuildInsertElement(vf->b, bases, val->base[g],
                                           LLVMConstInt(vf->i32, g, false), "");
        for (unsigned l = 0; l < W; l++)
            index[l] = LLVMConstInt(vf->i32, l / sh->group, false);
        wide = LLVMBuildShuffleVector(vf->b, bases, LLVMGetPoison(type), LLVMConstVector(index, W),
                                      "");
    }
    if (!sh->offset)
        return wide;
    bool is_ptr = LLVMGetTypeKind(val->host_type) == LLVMPointerTypeKind, zero = true;
    LLVMTypeRef offset_type = is_ptr ? vf->i64 : val->host_type;
    for (unsigned l = 0; l < W; l++) {
        index[l] = LLVMConstInt(offset_type, (uint64_t)sh->offset[l], true);
        zero &= sh->offset[l] == 0;
    }
    if (zero)
        return wide;
    LLVMValueRef offsets = LLVMConstVector(index, W);
    return is_ptr ? LLVMBuildGEP2(vf->b, vf->i8, wide, &offsets, 1, "")
                  : LLVMBuildAdd(vf->b, wide, offsets, "");
}

LLVMValueRef
ls_vf_wide(struct ls_vf *vf, struct ls_val *val)
{
    if (val->vec)
        return val->vec;
    LLVMValueRef wide = val->ok && val->inst ? vf->wide_op(vf, val->inst) : widen_grouped(vf, val);
    if (!vf->nest)
        val->vec = wide;
    return wide;
}

bool
ls_vf_is_uniform(struct ls_vf *vf, LLVMValueRef old_value)
{
    return ls_shape_uniform(vf->shapes, old_value);
}

LLVMValueRef
ls_vf_scalar(struct ls_vf *vf, LLVMValueRef old_value)
{
    struct ls_val *val = ls_vf_val(vf, old_value);

    LS_ASSERT(ls_shape_is_uniform(val->shape) && val->base[0]);
    return val->base[0];
}

LLVMValueRef
ls_vf_vector(struct ls_vf *vf, LLVMValueRef old_value)
{
    return ls_vf_wide(vf, ls_vf_val(vf, old_value));
}

LLVMValueRef
ls_vf_arg(struct ls_vf *vf, LLVMValueRef call, unsigned i)
{
    LLVMValueRef op = LLVMGetOperand(call, i);

    return ls_vf_is_uniform(vf, op) ? ls_vf_scalar(vf, op) : ls_vf_vector(vf, op);
}

static bool
used_elsewhere(LLVMValueRef inst)
{
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(inst);

    for (LLVMUseRef use = LLVMGetFirstUse(inst); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (!LLVMIsAInstruction(user))
            continue;
        if (!LLVMIsAPHINode(user)) {
            if (LLVMGetInstructionParent(user) != bb)
                return true;
            continue;
        }
        for (unsigned i = 0; i < LLVMCountIncoming(user); i++)
            if (LLVMGetIncomingValue(user, i) == inst && LLVMGetIncomingBlock(user, i) != bb)
                return true;
    }
    return false;
}

/* Keeps a part of a value for other blocks: in memory, but for constants. */
static LLVMValueRef
keep_part(struct ls_vf *vf, LLVMValueRef v, const char *name)
{
    LLVMValueRef slot;

    if (LLVMIsConstant(v))
        return v;
    slot = ls_vf_temp(vf, LLVMTypeOf(v), name);
    LLVMBuildStore(vf->b, v, slot);
    return slot;
}

void
ls_vf_define(struct ls_vf *vf, LLVMValueRef inst, struct ls_val *val)
{
    ls_ptrmap_set(&vf->vals, inst, val);
    if (!used_elsewhere(inst))
        return;
    struct ls_slot *slot = ls_arena_alloc(vf->cc->arena, sizeof(*slot));
    for (unsigned g = 0; g < ls_vf_groups(vf, val->shape); g++)
        slot->base[g] = keep_part(vf, val->base[g], "slot");
    if (val->ok)
        slot->ok = keep_part(vf, val->ok, "slot.ok");
    if (val->shape->kind != LS_SHAPE_GROUPED || val->ok)
        slot->vec = keep_part(vf, ls_vf_wide(vf, val), "slot.vec");
    ls_ptrmap_set(&vf->slots, inst, slot);
    ls_vf_end_slot(vf, inst, slot);
}

void
ls_vf_define_result(struct ls_vf *vf, LLVMValueRef inst, LLVMValueRef result)
{
    struct ls_val *val = ls_arena_alloc(vf->cc->arena, sizeof(*val));

    val->shape = keep_shape(vf, ls_shape_of(vf->shapes, inst));
    val->host_type = ls_host_type(vf->cc, LLVMTypeOf(inst));
    if (val->shape->kind == LS_SHAPE_GROUPED)
        val->base[0] = result;
    else
        val->vec = result;
    ls_vf_define(vf, inst, val);
}
