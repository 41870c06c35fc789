/* SPDX-License-Identifier: MIT */
/* Where variables live: device memory behind ctx->globals, constants inside the code, LDS at
 * offsets. */
#include "compiler/ir/prepare_priv.h"

#include <string.h>

#include "base/ptrmap.h"
#include "device/cpu/kernel_abi.h"

/* Whether a constant mentions a variable that is reached through ctx. */
static bool
mentions_indexed(struct ls_ptrmap *memo, LLVMValueRef v)
{
    void *known;
    bool yes = false;

    if (LLVMIsAConstantInt(v) || LLVMIsAConstantFP(v) || LLVMIsAFunction(v) || !LLVMIsAConstant(v))
        return false;
    if ((known = ls_ptrmap_get(memo, v)))
        return known == (void *)2;
    ls_ptrmap_set(memo, v, (void *)1);
    if (LLVMIsAGlobalVariable(v))
        yes = ls_ir_global_is_indexed(v);
    else
        for (int i = 0, n = LLVMGetNumOperands(v); i < n && !yes; i++)
            yes = mentions_indexed(memo, LLVMGetOperand(v, (unsigned)i));
    ls_ptrmap_set(memo, v, yes ? (void *)2 : (void *)1);
    return yes;
}

struct expander {
    struct ls_cc *cc;
    struct ls_fn_env env;
    struct ls_ptrmap memo;
    struct ls_ptrmap pointers; /* variable -> its loaded address */
    LLVMValueRef at;           /* for diagnostics */
};

/* Where threads stay threads the table is a variable. */
static LLVMValueRef
variable_table(struct ls_cc *cc, LLVMTypeRef ptr_type)
{
    LLVMValueRef table = LLVMGetNamedGlobal(cc->mod, LS_FN_GLOBALS);

    return table ? table
                 : LLVMAddGlobalInAddressSpace(cc->mod, LLVMArrayType2(ptr_type, 0), LS_FN_GLOBALS,
                                               1);
}

/* The address is loaded once, in the entry block. */
static LLVMValueRef
variable_address(struct expander *x, LLVMValueRef g)
{
    struct ls_cc *cc = x->cc;
    LLVMValueRef ptr = ls_ptrmap_get(&x->pointers, g), slot, index;
    LLVMTypeRef ptr_type = LLVMPointerTypeInContext(cc->llvm, 0);
    unsigned number;
    size_t len;

    if (ptr)
        return ptr;
    if (!ls_ir_global_number(cc, g, LS_MD_GLOBAL_INDEX, &number)) {
        ls_diag(cc, LS_DIAG_ERROR, g, "internal error: variable %s has no index",
                LLVMGetValueName2(g, &len));
        return LLVMGetPoison(LLVMTypeOf(g));
    }
    if (!x->env.globals && cc->keeps_threads)
        x->env.globals = variable_table(cc, ptr_type);
    if (!x->env.globals)
        x->env.globals = ls_ir_ctx_load(cc, x->env.b, ls_env_ctx(cc, &x->env),
                                        offsetof(struct ls_cpu_ctx, globals), ptr_type, "globals");
    index = LLVMConstInt(LLVMInt64TypeInContext(cc->llvm), number, false);
    slot = LLVMBuildInBoundsGEP2(x->env.b, ptr_type, x->env.globals, &index, 1, "");
    ptr = LLVMBuildLoad2(x->env.b, LLVMTypeOf(g), slot, LLVMGetValueName2(g, &len));
    LLVMSetMetadata(ptr, ls_ir_md_kind(cc, "invariant.load"),
                    LLVMMetadataAsValue(cc->llvm, LLVMMDNodeInContext2(cc->llvm, NULL, 0)));
    ls_ptrmap_set(&x->pointers, g, ptr);
    return ptr;
}

static LLVMValueRef expand(struct expander *x, LLVMBuilderRef b, LLVMValueRef v);

static LLVMValueRef
expand_aggregate(struct expander *x, LLVMBuilderRef b, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef all = LLVMGetPoison(type);
    bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;

    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++) {
        LLVMValueRef e = expand(x, b, LLVMGetOperand(v, (unsigned)i));

        all = vector
                  ? LLVMBuildInsertElement(
                        b, all, e,
                        LLVMConstInt(LLVMInt32TypeInContext(x->cc->llvm), (unsigned)i, false), "")
                  : LLVMBuildInsertValue(b, all, e, (unsigned)i, "");
    }
    return all;
}

/* Builds instructions at `b` that compute the constant. */
static LLVMValueRef
expand(struct expander *x, LLVMBuilderRef b, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef *op;
    int n;

    if (!mentions_indexed(&x->memo, v))
        return v;
    if (LLVMIsAGlobalVariable(v))
        return variable_address(x, v);
    if (!LLVMIsAConstantExpr(v))
        return expand_aggregate(x, b, v);
    n = LLVMGetNumOperands(v);
    op = ls_arena_alloc(x->cc->arena, (size_t)n * sizeof(*op));
    for (int i = 0; i < n; i++)
        op[i] = expand(x, b, LLVMGetOperand(v, (unsigned)i));
    switch (LLVMGetConstOpcode(v)) {
    case LLVMGetElementPtr:
        return LLVMIsInBounds(v) ? LLVMBuildInBoundsGEP2(b, LLVMGetGEPSourceElementType(v), op[0],
                                                         op + 1, (unsigned)n - 1, "")
                                 : LLVMBuildGEP2(b, LLVMGetGEPSourceElementType(v), op[0], op + 1,
                                                 (unsigned)n - 1, "");
    case LLVMAddrSpaceCast:
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMTrunc:
        return LLVMBuildCast(b, LLVMGetConstOpcode(v), op[0], type, "");
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMXor:
        return LLVMBuildBinOp(b, LLVMGetConstOpcode(v), op[0], op[1], "");
    default:
        break;
    }
    ls_diag(x->cc, LS_DIAG_ERROR, x->at, "constant expression over a device variable: opcode %d",
            (int)LLVMGetConstOpcode(v));
    return LLVMGetPoison(type);
}

static LLVMValueRef
with_replaced_incoming(struct expander *x, LLVMBuilderRef b, LLVMValueRef phi)
{
    LLVMValueRef fresh;

    LLVMPositionBuilderBefore(b, phi);
    fresh = LLVMBuildPhi(b, LLVMTypeOf(phi), "");
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        LLVMValueRef v = LLVMGetIncomingValue(phi, i);

        /* A conditional branch with both ways to this block is two edges, for which a phi must have
         * the same value. */
        for (unsigned k = 0; k < i; k++)
            if (LLVMGetIncomingBlock(phi, k) == from)
                v = LLVMGetIncomingValue(fresh, k);
        if (LLVMIsAConstant(v)) {
            LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(from));
            v = expand(x, b, v);
        }
        LLVMAddIncoming(fresh, &v, &from, 1);
    }
    LLVMReplaceAllUsesWith(phi, fresh);
    LLVMInstructionEraseFromParent(phi);
    return fresh;
}

static void
expand_instruction(struct expander *x, LLVMBuilderRef b, LLVMValueRef inst)
{
    bool any = false;

    for (int i = 0, n = LLVMGetNumOperands(inst); i < n; i++)
        any |= mentions_indexed(&x->memo, LLVMGetOperand(inst, (unsigned)i));
    if (!any)
        return;
    x->at = inst;
    if (LLVMIsAPHINode(inst)) {
        with_replaced_incoming(x, b, inst);
        return;
    }
    for (int i = 0, n = LLVMGetNumOperands(inst); i < n; i++) {
        LLVMPositionBuilderBefore(b, inst);
        LLVMSetOperand(inst, (unsigned)i, expand(x, b, LLVMGetOperand(inst, (unsigned)i)));
    }
}

static void
replace_variables(struct ls_cc *cc, LLVMValueRef fn)
{
    struct expander x = {.cc = cc};
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);

    ls_fn_env_init(cc, &x.env, fn);
    ls_ptrmap_init(&x.memo, cc->arena);
    ls_ptrmap_init(&x.pointers, cc->arena);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            expand_instruction(&x, b, i);
        }
    }
    ls_fn_env_fini(&x.env);
    LLVMDisposeBuilder(b);
}

/* Constants keep their bytes inside the code, in the host's one address space. */
static bool
move_constant(struct ls_cc *cc, LLVMValueRef g)
{
    size_t len;
    const char *its = LLVMGetValueName2(g, &len);
    char *name = memcpy(ls_arena_alloc(cc->arena, len + 1), its,
                        len); /* a copy, as the name is deleted with the variable */
    LLVMValueRef init = LLVMGetInitializer(g), moved;
    struct ls_ptrmap memo;

    ls_ptrmap_init(&memo, cc->arena);
    if (mentions_indexed(&memo, init) &&
        !ls_ir_points_to_lds(
            init)) /* a constant with addresses of both is filled by the vectoriser */
        return ls_diag(cc, LS_DIAG_ERROR, g, "constant %s holds the address of a device variable",
                       name);
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 0) {
        LLVMSetLinkage(g, LLVMInternalLinkage);
        LLVMSetVisibility(g, LLVMDefaultVisibility);
        return true;
    }
    moved = LLVMAddGlobalInAddressSpace(
        cc->mod, LLVMGlobalGetValueType(g), "",
        0); /* LLVMAddGlobal would take address space 1, the default of this data layout */
    LLVMSetInitializer(moved, init);
    LLVMSetGlobalConstant(moved, true);
    LLVMSetAlignment(moved, LLVMGetAlignment(g));
    LLVMSetLinkage(moved, LLVMInternalLinkage);
    LLVMReplaceAllUsesWith(g, LLVMConstAddrSpaceCast(moved, LLVMTypeOf(g)));
    LLVMSetValueName2(g, "", 0);
    LLVMSetValueName2(moved, name, len);
    LLVMDeleteGlobal(g);
    return true;
}

static void
place_lds(void *user, LLVMValueRef g, unsigned offset)
{
    ls_ir_global_set_number(user, g, LS_MD_LDS_OFFSET, offset);
}

bool
ls_globals_replace(struct ls_cc *cc)
{
    bool any_indexed = false;

    for (LLVMValueRef g = LLVMGetFirstGlobal(cc->mod), next; g; g = next) {
        next = LLVMGetNextGlobal(g);
        if (!LLVMGetFirstUse(g)) {
            LLVMDeleteGlobal(g);
            continue;
        }
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 3)
            continue;
        if (ls_ir_global_is_indexed(g))
            any_indexed = true;
        else if (LLVMGetInitializer(g) && !move_constant(cc, g))
            return false;
    }
    if (any_indexed)
        for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
            if (!LLVMIsDeclaration(fn))
                replace_variables(cc, fn);
    for (LLVMValueRef g = LLVMGetFirstGlobal(cc->mod), next; g; g = next) {
        next = LLVMGetNextGlobal(g);
        if (ls_ir_global_is_indexed(g) && !LLVMGetFirstUse(g))
            LLVMDeleteGlobal(g);
    }
    cc->lds_bytes = ls_ir_lds_layout(cc->device.layout, cc->mod, NULL, place_lds, cc);
    return !cc->n_errors;
}
