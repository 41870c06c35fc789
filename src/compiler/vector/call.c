/* SPDX-License-Identifier: MIT */
/* Calls: builtins by their table row, device functions out of line with the vector ABI, indirect
 * calls one distinct target after the other.
 *
 * Vector ABI: R f(ptr ctx, <W x i1> mask, widened arguments...); at least one lane is on. */
#include <string.h>

#include "compiler/ir/ir.h"
#include "device/cpu/kernel_abi.h"
#include "intrin/row_data.h"
#include "vector/vector_priv.h"

static LLVMTypeRef
callee_type(struct ls_vm *vm, LLVMTypeRef old_type)
{
    struct ls_cc *cc = vm->cc;
    LLVMTypeRef params[2 + LS_MAX_CALL_ARGS], old[LS_MAX_CALL_ARGS];
    unsigned n = LLVMCountParamTypes(old_type);

    LS_ASSERT_FITS(n, LS_MAX_CALL_ARGS);
    LLVMGetParamTypes(old_type, old);
    params[0] = LLVMPointerTypeInContext(cc->llvm, 0);
    params[1] = LLVMVectorType(LLVMInt1TypeInContext(cc->llvm), cc->n_lanes);
    for (unsigned i = 0; i < n; i++)
        params[i + 2] = ls_wide_type(cc, ls_host_type(cc, old[i]));
    LLVMTypeRef ret = LLVMGetReturnType(old_type);
    if (LLVMGetTypeKind(ret) != LLVMVoidTypeKind)
        ret = ls_wide_type(cc, ls_host_type(cc, ret));
    return LLVMFunctionType(ret, params, n + 2, false);
}

struct ls_callee *
ls_vm_callee(struct ls_vm *vm, LLVMValueRef old_fn)
{
    struct ls_callee *callee = ls_ptrmap_get(&vm->callee_of, old_fn);
    size_t len;

    if (callee)
        return callee;
    const char *name = LLVMGetValueName2(old_fn, &len);
    if (LLVMCountBasicBlocks(old_fn) == 0 || LLVMIsFunctionVarArg(LLVMGlobalGetValueType(old_fn))) {
        ls_diag(vm->cc, LS_DIAG_ERROR, old_fn,
                "device function %s has no definition and no lowering", name);
        return NULL;
    }
    callee = ls_arena_alloc(vm->cc->arena, sizeof(*callee));
    callee->old_fn = old_fn;
    callee->fn = LLVMAddFunction(vm->cc->mod, ls_arena_printf(vm->cc->arena, "%s.warp", name),
                                 callee_type(vm, LLVMGlobalGetValueType(old_fn)));
    LLVMSetLinkage(callee->fn, LLVMInternalLinkage);
    ls_ptrmap_set(&vm->callee_of, old_fn, callee);
    *vm->callees_tail = callee;
    vm->callees_tail = &callee->next;
    return callee;
}

LLVMValueRef
ls_vm_function_table(struct ls_vm *vm)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(vm->cc->llvm, 0);
    LLVMValueRef *code;
    unsigned n = 0, k;

    if (vm->functions)
        return vm->functions;
    for (LLVMValueRef fn = LLVMGetFirstFunction(vm->cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (ls_ir_is_call_target(fn) && ls_ir_function_number(fn, &k) && k >= n)
            n = k + 1;
    code = ls_arena_alloc(vm->cc->arena, (n + 1) * sizeof(*code));
    for (unsigned i = 0; i <= n; i++)
        code[i] = LLVMConstNull(ptr);
    for (LLVMValueRef fn = LLVMGetFirstFunction(vm->cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        if (!ls_ir_is_call_target(fn) || !ls_ir_function_number(fn, &k))
            continue;
        struct ls_callee *callee = ls_vm_callee(vm, fn);
        if (callee)
            code[k] = callee->fn;
    }
    vm->functions = LLVMAddGlobal(vm->cc->mod, LLVMArrayType2(ptr, n + 1), "ls.functions");
    LLVMSetInitializer(vm->functions, LLVMConstArray2(ptr, code, n + 1));
    LLVMSetGlobalConstant(vm->functions, true);
    LLVMSetLinkage(vm->functions, LLVMInternalLinkage);
    return vm->functions;
}

static bool
has_attribute(LLVMValueRef call, unsigned index, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    return LLVMGetCallSiteEnumAttribute(call, index, kind) != NULL;
}

/* A by-value aggregate: the callee may write to it, so it gets a copy per lane. */
static LLVMValueRef
copy_byval(struct ls_vf *vf, LLVMValueRef call, unsigned i)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
    LLVMAttributeRef attr = LLVMGetCallSiteEnumAttribute(call, i + 1, kind);
    LLVMTypeRef type = LLVMGetTypeAttributeValue(attr);
    uint64_t bytes = (LLVMABISizeOfType(vf->cc->device.layout, type) + 15) & ~(uint64_t)15;
    LLVMValueRef room = ls_vf_temp(vf, LLVMArrayType2(vf->i8, bytes * vf->n_lanes), "byval");
    LLVMValueRef from = ls_vf_address_vector(vf, LLVMGetOperand(call, i));
    struct ls_lane_loop loop;

    LLVMSetAlignment(room, 16);
    ls_vf_lanes_begin(vf, &loop);
    LLVMValueRef at = LLVMBuildMul(vf->b, LLVMBuildZExt(vf->b, loop.lane, vf->i64, ""),
                                   LLVMConstInt(vf->i64, bytes, false), "");
    LLVMValueRef to = LLVMBuildGEP2(vf->b, vf->i8, room, &at, 1, "");
    LLVMBuildMemCpy(vf->b, to, 1, LLVMBuildExtractElement(vf->b, from, loop.lane, ""), 1,
                    LLVMConstInt(vf->i64, LLVMABISizeOfType(vf->cc->device.layout, type), false));
    ls_vf_lanes_end(vf, &loop);
    LLVMValueRef lo = LLVMBuildPtrToInt(vf->b, vf->stack_lo, vf->i64, "");
    LLVMValueRef first = LLVMBuildTrunc(
        vf->b, LLVMBuildSub(vf->b, LLVMBuildPtrToInt(vf->b, room, vf->i64, ""), lo, ""), vf->i32,
        "");
    LLVMValueRef step = LLVMBuildMul(vf->b, ls_vf_iota(vf, vf->i32),
                                     ls_vf_splat(vf, LLVMConstInt(vf->i32, bytes, false)), "");
    return LLVMBuildAdd(vf->b, ls_vf_splat(vf, first), step, "");
}

static LLVMValueRef
call_warp(struct ls_vf *vf, LLVMTypeRef type, LLVMValueRef fn, LLVMValueRef mask,
          LLVMValueRef *args, unsigned n)
{
    LLVMValueRef all[2 + LS_MAX_CALL_ARGS];

    LS_ASSERT_FITS(n, LS_MAX_CALL_ARGS);
    all[0] = vf->ctx;
    all[1] = mask;
    memcpy(all + 2, args, n * sizeof(*args));
    return LLVMBuildCall2(vf->b, type, fn, all, n + 2, "");
}

/* First active lane, of the mask's width. */
static LLVMValueRef
first_lane(struct ls_vf *vf, LLVMValueRef mask)
{
    LLVMTypeRef bits_type = LLVMIntTypeInContext(vf->llvm, vf->n_lanes);
    LLVMValueRef ct[2] = {LLVMBuildBitCast(vf->b, mask, bits_type, ""),
                          LLVMConstInt(vf->i1, 1, false)};

    return ls_vf_llvm(vf, "llvm.cttz", &bits_type, 1, ct, 2);
}

/* Code of the function that device code knows by the address `target` (ir.h); traps when there is
 * none. */
static LLVMValueRef
function_code(struct ls_vf *vf, LLVMValueRef target, LLVMValueRef mask)
{
    LLVMValueRef table = ls_vm_function_table(vf->vm);
    LLVMTypeRef table_type = LLVMGlobalGetValueType(table);
    LLVMValueRef last = LLVMConstInt(vf->i64, LLVMGetArrayLength2(table_type) - 1, false);
    LLVMBasicBlockRef nobody = ls_vf_new_block(vf, "nobody"), somebody;
    LLVMValueRef x = LLVMBuildPtrToInt(vf->b, target, vf->i64, "");

    /* A rotation instead of a shift: an address that is no multiple of the distance becomes a huge
     * index, and traps. */
    x = LLVMBuildSub(vf->b, x, LLVMConstInt(vf->i64, LS_IR_FN_ADDRESS(0), false), "");
    LLVMValueRef rotate[3] = {x, x, LLVMConstInt(vf->i64, 64 - LS_IR_FN_SHIFT, false)};
    x = ls_vf_llvm(vf, "llvm.fshl", &vf->i64, 1, rotate, 3);
    x = LLVMBuildSelect(vf->b, LLVMBuildICmp(vf->b, LLVMIntULT, x, last, ""), x, last, "");
    LLVMValueRef index[2] = {LLVMConstNull(vf->i64), x};
    LLVMValueRef slot = LLVMBuildInBoundsGEP2(vf->b, table_type, table, index, 2, "");
    LLVMValueRef code = LLVMBuildLoad2(vf->b, vf->ptr, slot, "code");
    LLVMValueRef none = LLVMBuildIsNull(vf->b, code, "");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(vf->b);
    LLVMPositionBuilderAtEnd(vf->b, nobody);
    somebody = ls_vf_new_block(vf, "somebody");
    LLVMValueRef lane = LLVMBuildIntCast2(vf->b, first_lane(vf, mask), vf->i32, false, "");
    ls_lower_check_call(vf, target, mask);
    LLVMValueRef kind = LLVMConstInt(vf->i64, LS_TRAP_TRAP, false);
    ls_vf_service(vf, LS_SVC_TRAP, lane, &kind, 1);
    LLVMBuildUnreachable(vf->b);
    LLVMPositionBuilderAtEnd(vf->b, here);
    LLVMBuildCondBr(vf->b, none, nobody, somebody);
    LLVMPositionBuilderAtEnd(vf->b, somebody);
    return code;
}

/* An indirect call. Lanes may call different functions: the first active lane's function is called
 * for all lanes that have the same target, until every lane was served. */
static LLVMValueRef
call_indirect(struct ls_vf *vf, LLVMValueRef target, LLVMTypeRef type, LLVMValueRef *args,
              unsigned n)
{
    LLVMTypeRef mask_type = LLVMVectorType(vf->i1, vf->n_lanes), ret = LLVMGetReturnType(type);
    bool is_void = LLVMGetTypeKind(ret) == LLVMVoidTypeKind;
    LLVMValueRef left = ls_vf_temp(vf, mask_type, "left");
    LLVMValueRef result = is_void ? NULL : ls_vf_temp(vf, ret, "result");
    LLVMBasicBlockRef done = ls_vf_new_block(vf, "called"), head = ls_vf_new_block(vf, "targets");
    LLVMBuildStore(vf->b, ls_vf_mask(vf), left);
    LLVMBuildBr(vf->b, head);
    LLVMPositionBuilderAtEnd(vf->b, head);
    LLVMValueRef m = LLVMBuildLoad2(vf->b, mask_type, left, "");
    LLVMValueRef lane = first_lane(vf, m);
    LLVMValueRef fn = LLVMBuildExtractElement(vf->b, target, lane, "");
    LLVMValueRef same = LLVMBuildICmp(vf->b, LLVMIntEQ, target, ls_vf_splat(vf, fn), "");
    LLVMValueRef now = LLVMBuildAnd(vf->b, m, same, "");
    LLVMValueRef r = call_warp(vf, type, function_code(vf, fn, now), now, args, n);
    if (!is_void) {
        LLVMValueRef old = LLVMBuildLoad2(vf->b, ret, result, "");
        LLVMBuildStore(vf->b, ls_vf_select(vf, now, r, old), result);
    }
    LLVMValueRef rest = LLVMBuildAnd(vf->b, m, LLVMBuildNot(vf->b, now, ""), "");
    LLVMBuildStore(vf->b, rest, left);
    LLVMBuildCondBr(vf->b, ls_vf_any(vf, rest), head, done);
    LLVMPositionBuilderAtEnd(vf->b, done);
    return is_void ? NULL : LLVMBuildLoad2(vf->b, ret, result, "");
}

/* Builtins with a grouped result, in which lanes differ by constants: only the groups' bases are
 * computed. */
static bool
define_grouped_call(struct ls_vf *vf, LLVMValueRef call, const struct ls_intrin *row)
{
    const struct ls_shape *shape = ls_shape_of(vf->shapes, call);
    struct ls_clamp clamp;
    struct ls_val *val;

    bool is_lane = row->shape == LS_IS_LANE;
    if (shape->kind != LS_SHAPE_GROUPED || (ls_shape_is_uniform(shape) && !is_lane))
        return false;
    val = ls_arena_alloc(vf->cc->arena, sizeof(*val));
    struct ls_shape *copy = ls_arena_alloc(vf->cc->arena, sizeof(*copy));
    *copy = *shape;
    val->shape = copy;
    val->host_type = ls_vf_host_type(vf, LLVMTypeOf(call));
    if (ls_clamp_of(vf->shapes, call, &clamp)) {
        ls_vector_clamp(vf, call, &clamp, val);
    } else if (is_lane) {
        val->base[0] = LLVMConstNull(vf->i32);
    } else { /* mbcnt with a constant mask: the addend, plus a constant for each lane */
        struct ls_val *x = ls_vf_val(vf, LLVMGetOperand(call, 1));
        for (unsigned g = 0; g < vf->n_lanes / shape->group; g++) {
            unsigned lane = g * shape->group;
            int64_t mask = LLVMConstIntGetSExtValue(LLVMGetOperand(call, 0));
            uint64_t lower = ((uint64_t)1 << lane) - 1;
            bool hi = row->data == LS_LANES_HIGH;
            int64_t k = __builtin_popcount((uint32_t)(mask & (int64_t)(hi ? lower >> 32 : lower)));
            k += x->shape->offset ? x->shape->offset[lane] : 0;
            val->base[g] = LLVMBuildAdd(vf->b, x->base[lane / x->shape->group],
                                        LLVMConstInt(vf->i32, (uint64_t)k, true), "");
        }
    }
    ls_vf_define(vf, call, val);
    return true;
}

LLVMValueRef
ls_vector_lower_call(struct ls_vf *vf, LLVMValueRef call)
{
    size_t len;
    const struct ls_intrin *row = ls_intrin_find(LLVMGetValueName2(LLVMGetCalledValue(call), &len));

    return ls_lower_by_row(vf, call, row);
}

LLVMValueRef
ls_vector_call(struct ls_vf *vf, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call), args[LS_MAX_CALL_ARGS];
    unsigned n = LLVMGetNumArgOperands(call);
    size_t len;

    if (LLVMIsAInlineAsm(callee)) {
        ls_diag(vf->cc, LS_DIAG_ERROR, call, "inline assembly is not lowered yet");
        vf->failed = true;
        return NULL;
    }
    if (LLVMIsAFunction(callee)) {
        const char *name = LLVMGetValueName2(callee, &len);
        const struct ls_intrin *row = ls_intrin_find(name);

        if (row && define_grouped_call(vf, call, row))
            return NULL;
        if (row && ls_lower_has_row(row))
            return ls_lower_by_row(vf, call, row);
        if (row || !strncmp(name, "llvm.", 5)) {
            ls_diag(vf->cc, LS_DIAG_ERROR, call, "%s is not lowered yet", name);
            vf->failed = true;
            return NULL;
        }
    }
    LS_ASSERT_FITS(n, LS_MAX_CALL_ARGS);
    for (unsigned i = 0; i < n; i++)
        args[i] = has_attribute(call, i + 1, "byval") ? copy_byval(vf, call, i)
                                                      : ls_vf_vector(vf, LLVMGetOperand(call, i));
    LLVMTypeRef type = callee_type(vf->vm, LLVMGetCalledFunctionType(call));
    if (!LLVMIsAFunction(callee)) {
        LLVMValueRef result =
            ls_vf_is_uniform(vf, callee)
                ? call_warp(vf, type, function_code(vf, ls_vf_scalar(vf, callee), ls_vf_mask(vf)),
                            ls_vf_mask(vf), args, n)
                : call_indirect(vf, ls_vf_vector(vf, callee), type, args, n);

        vf->check_call = 0;
        return result;
    }
    struct ls_callee *c = ls_vm_callee(vf->vm, callee);
    if (!c) {
        vf->failed = true;
        return NULL;
    }
    return call_warp(vf, type, c->fn, ls_vf_mask(vf), args, n);
}
