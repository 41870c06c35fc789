/* SPDX-License-Identifier: MIT */
/* Turns the kernel into ls.program, and answers where a thread is from inside any function. */
#include "compiler/ir/prepare_priv.h"

#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "device/cpu/kernel_abi.h"

LLVMValueRef
ls_program_get(struct ls_cc *cc)
{
    return LLVMGetNamedFunction(cc->mod, LS_FN_PROGRAM);
}

static void
copy_attributes(struct ls_cc *cc, LLVMValueRef from, unsigned from_index, LLVMValueRef to,
                unsigned to_index)
{
    unsigned n = LLVMGetAttributeCountAtIndex(from, from_index);
    LLVMAttributeRef *attrs = ls_arena_alloc(cc->arena, (n + 1) * sizeof(*attrs));

    LLVMGetAttributesAtIndex(from, from_index, attrs);
    for (unsigned i = 0; i < n; i++)
        LLVMAddAttributeAtIndex(to, to_index, attrs[i]);
}

static LLVMTypeRef
program_type(struct ls_cc *cc, LLVMValueRef kernel)
{
    unsigned n = LLVMCountParams(kernel);
    LLVMTypeRef *types = ls_arena_alloc(cc->arena, (n + 5) * sizeof(*types));

    types[0] = LLVMPointerTypeInContext(cc->llvm, 0);
    LLVMGetParamTypes(LLVMGlobalGetValueType(kernel), types + 1);
    for (unsigned i = 0; i < 4; i++)
        types[n + 1 + i] = LLVMInt32TypeInContext(cc->llvm);
    return LLVMFunctionType(LLVMVoidTypeInContext(cc->llvm), types, n + 5, false);
}

bool
ls_program_create(struct ls_cc *cc)
{
    static const char *const drop[] = {"memory",   "nosync",  "nofree",   "norecurse", "willreturn",
                                       "noinline", "optnone", "noreturn", "alwaysinline"};
    static const char *const tail[] = {"bx", "by", "bz", "w"};
    LLVMValueRef kernel = LLVMGetNamedFunction(cc->mod, cc->opt->kernel);
    unsigned n = LLVMCountParams(kernel), bytes;
    LLVMValueRef program = LLVMAddFunction(cc->mod, LS_FN_PROGRAM, program_type(cc, kernel));
    LLVMBasicBlockRef stub = LLVMAppendBasicBlockInContext(cc->llvm, program, ""), last = stub;

    cc->kernargs = ls_ir_kernargs(cc, cc->device.layout, kernel, &bytes);
    cc->n_kernargs = n;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(kernel), next; bb; bb = next) {
        next = LLVMGetNextBasicBlock(bb);
        LLVMMoveBasicBlockAfter(bb, last);
        last = bb;
    }
    LLVMDeleteBasicBlock(stub);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef old = LLVMGetParam(kernel, i), new = LLVMGetParam(program, i + 1);
        size_t len;
        const char *name = LLVMGetValueName2(old, &len);

        LLVMReplaceAllUsesWith(old, new);
        LLVMSetValueName2(new, name, len);
        copy_attributes(cc, kernel, i + 1, program, i + 2);
    }
    LLVMSetValueName2(LLVMGetParam(program, 0), "ctx", 3);
    LLVMAddAttributeAtIndex(program, 1, ls_ir_attribute(cc, "noalias", 0));
    LLVMAddAttributeAtIndex(program, 1, ls_ir_attribute(cc, "noundef", 0));
    LLVMAddAttributeAtIndex(program, 1, ls_ir_attribute(cc, "align", 16));
    LLVMAddAttributeAtIndex(program, 1,
                            ls_ir_attribute(cc, "dereferenceable", sizeof(struct ls_cpu_ctx)));
    for (unsigned i = 0; i < 4; i++) {
        LLVMSetValueName2(LLVMGetParam(program, n + 1 + i), tail[i], strlen(tail[i]));
        LLVMAddAttributeAtIndex(program, n + 2 + i, ls_ir_attribute(cc, "noundef", 0));
    }
    copy_attributes(cc, kernel, LLVMAttributeFunctionIndex, program, LLVMAttributeFunctionIndex);
    for (size_t i = 0; i < sizeof(drop) / sizeof(drop[0]); i++)
        ls_ir_remove_attribute(program, drop[i]);
    if (LLVMGetSubprogram(kernel)) {
        LLVMMetadataRef sp = LLVMGetSubprogram(kernel);
        LLVMSetSubprogram(kernel, NULL);
        LLVMSetSubprogram(program, sp);
    }
    LLVMReplaceAllUsesWith(kernel, LLVMGetPoison(LLVMTypeOf(kernel)));
    LLVMDeleteFunction(kernel);
    return true;
}

void
ls_fn_env_init(struct ls_cc *cc, struct ls_fn_env *env, LLVMValueRef fn)
{
    LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn));

    memset(env, 0, sizeof(*env));
    env->fn = fn;
    env->b = LLVMCreateBuilderInContext(cc->llvm);
    while (LLVMIsAAllocaInst(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(env->b, at);
    if (fn != ls_program_get(cc))
        return;
    unsigned n = LLVMCountParams(fn);
    env->ctx = LLVMGetParam(fn, 0);
    for (unsigned i = 0; i < 3; i++)
        env->pos[i] = LLVMGetParam(fn, n - 4 + i);
    env->w = LLVMGetParam(fn, n - 1);
}

void
ls_fn_env_fini(struct ls_fn_env *env)
{
    LLVMDisposeBuilder(env->b);
}

static LLVMTypeRef
i32_type(struct ls_cc *cc)
{
    return LLVMInt32TypeInContext(cc->llvm);
}

static LLVMValueRef
i32_const(struct ls_cc *cc, unsigned v)
{
    return LLVMConstInt(i32_type(cc), v, false);
}

LLVMValueRef
ls_env_ctx(struct ls_cc *cc, struct ls_fn_env *env)
{
    if (!env->ctx) {
        LLVMTypeRef type = LLVMFunctionType(LLVMPointerTypeInContext(cc->llvm, 0), NULL, 0, false);
        LLVMValueRef fn = ls_ir_declare(cc, LS_FN_CTX, type, false);

        env->ctx = LLVMBuildCall2(env->b, type, fn, NULL, 0, "ctx");
    }
    return env->ctx;
}

LLVMValueRef
ls_env_load(struct ls_cc *cc, struct ls_fn_env *env, size_t offset, unsigned bits, const char *name)
{
    LLVMTypeRef type = LLVMIntTypeInContext(cc->llvm, bits);

    if (cc->keeps_threads) {
        LLVMTypeRef fn_type = LLVMFunctionType(type, NULL, 0, false);
        const char *field = ls_arena_printf(cc->arena, LS_FN_FIELD "%zu", offset);

        return LLVMBuildCall2(env->b, fn_type, ls_ir_declare(cc, field, fn_type, false), NULL, 0,
                              name);
    }
    return ls_ir_ctx_load(cc, env->b, ls_env_ctx(cc, env), offset, type, name);
}

LLVMValueRef
ls_env_grid(struct ls_cc *cc, struct ls_fn_env *env, unsigned dim)
{
    if (!env->grid[dim])
        env->grid[dim] =
            ls_env_load(cc, env, offsetof(struct ls_cpu_ctx, grid) + 4 * dim, 32, "grid");
    return env->grid[dim];
}

/* A dimension of the block: in the program a constant when the shape is known. Functions out of
 * line always load it, and so do not depend on the shape. */
LLVMValueRef
ls_env_block(struct ls_cc *cc, struct ls_fn_env *env, unsigned dim)
{
    if (cc->block[dim] && env->w)
        return i32_const(cc, cc->block[dim]);
    if (!env->block[dim])
        env->block[dim] =
            ls_env_load(cc, env, offsetof(struct ls_cpu_ctx, block) + 4 * dim, 32, "block");
    return env->block[dim];
}

/* Position fields of ctx change from block to block, so these loads are not invariant. */
static LLVMValueRef
load_position(struct ls_cc *cc, struct ls_fn_env *env, size_t offset, const char *name)
{
    LLVMValueRef load = ls_env_load(cc, env, offset, 32, name);

    LLVMSetMetadata(load, ls_ir_md_kind(cc, "invariant.load"), NULL);
    return load;
}

LLVMValueRef
ls_env_block_id(struct ls_cc *cc, struct ls_fn_env *env, unsigned dim)
{
    if (!env->pos[dim])
        env->pos[dim] =
            load_position(cc, env, offsetof(struct ls_cpu_ctx, cur_block_id) + 4 * dim, "bid");
    return env->pos[dim];
}

/* The lane's number in its warp. */
LLVMValueRef
ls_env_lane(struct ls_cc *cc, struct ls_fn_env *env)
{
    LLVMTypeRef type = LLVMFunctionType(i32_type(cc), NULL, 0, false);

    if (env->lane)
        return env->lane;
    if (cc->n_lanes == 1)
        return env->lane = i32_const(cc, 0);
    env->lane =
        LLVMBuildCall2(env->b, type, ls_ir_declare(cc, LS_FN_LANE, type, false), NULL, 0, "lane");
    ls_ir_set_range(cc, env->lane, cc->n_lanes);
    return env->lane;
}

/* warp * W + lane, which is small. */
static LLVMValueRef
lin_at(struct ls_cc *cc, struct ls_fn_env *env, LLVMValueRef warp, const char *name)
{
    LLVMValueRef base, sum;

    if (cc->n_lanes == 1)
        return warp;
    ls_env_lane(cc, env);
    base = LLVMBuildNUWMul(env->b, warp, i32_const(cc, cc->n_lanes), "");
    if (LLVMIsAInstruction(base))
        LLVMSetNSW(base, true);
    sum = LLVMBuildNUWAdd(env->b, base, env->lane, name);
    if (LLVMIsAInstruction(sum))
        LLVMSetNSW(sum, true);
    return sum;
}

/* lin = w * W + lane: the thread's number in its block. */
static LLVMValueRef
linear_id(struct ls_cc *cc, struct ls_fn_env *env)
{
    LLVMValueRef w = env->w;

    if (env->lin)
        return env->lin;
    if (!w)
        w = load_position(cc, env, offsetof(struct ls_cpu_ctx, cur_warp), "w");
    return env->lin = lin_at(cc, env, w, "lin");
}

static LLVMValueRef
div_const(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef v, unsigned by)
{
    if (by == 1)
        return v;
    if (!(by & (by - 1)))
        return LLVMBuildLShr(b, v, i32_const(cc, (unsigned)__builtin_ctz(by)), "");
    return LLVMBuildUDiv(b, v, i32_const(cc, by), "");
}

static LLVMValueRef
mod_const(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef v, unsigned by)
{
    if (by == 1)
        return i32_const(cc, 0);
    if (!(by & (by - 1)))
        return LLVMBuildAnd(b, v, i32_const(cc, by - 1), "");
    return LLVMBuildURem(b, v, i32_const(cc, by), "");
}

/* lin / by, in terms of w and lane when one divides the other: then it is uniform or cheap. */
static LLVMValueRef
lin_div(struct ls_cc *cc, struct ls_fn_env *env, unsigned by)
{
    unsigned lanes = cc->n_lanes;

    if (by == 1)
        return env->lin;
    if (by % lanes == 0)
        return div_const(cc, env->b, env->w, by / lanes);
    if (lanes % by == 0) {
        LLVMValueRef base =
            LLVMBuildNUWMul(env->b, env->w, i32_const(cc, lanes / by), "");
        return LLVMBuildNUWAdd(env->b, base, div_const(cc, env->b, env->lane, by), "");
    }
    return div_const(cc, env->b, env->lin, by);
}

static LLVMValueRef
lin_mod(struct ls_cc *cc, struct ls_fn_env *env, unsigned by)
{
    unsigned lanes = cc->n_lanes;

    if (by >= cc->n_threads)
        return env->lin;
    if (lanes > 1 && by % lanes == 0)
        return lin_at(cc, env, mod_const(cc, env->b, env->w, by / lanes), "");
    if (lanes % by == 0)
        return mod_const(cc, env->b, env->lane, by);
    return mod_const(cc, env->b, env->lin, by);
}

static LLVMValueRef
known_tid(struct ls_cc *cc, struct ls_fn_env *env, unsigned dim)
{
    const unsigned *n = cc->block;

    if (n[dim] == 1)
        return i32_const(cc, 0);
    if (dim == 0)
        return lin_mod(cc, env, n[0]);
    if (dim == 1)
        return n[2] == 1 ? lin_div(cc, env, n[0])
                         : mod_const(cc, env->b, lin_div(cc, env, n[0]), n[1]);
    return lin_div(cc, env, n[0] * n[1]);
}

static LLVMValueRef
row_number(struct ls_cc *cc, struct ls_fn_env *env)
{
    LLVMTypeRef type = LLVMFunctionType(i32_type(cc), NULL, 0, false);

    return LLVMBuildCall2(env->b, type, ls_ir_declare(cc, LS_FN_ROW, type, false), NULL, 0, "ty");
}

/* Where rows are whole warps: x is in the warp's part of its row, y the same for the warp. Of
 * targets that keep threads the warp's number counts in its row, whose own a thread knows. */
static LLVMValueRef
row_tid(struct ls_cc *cc, struct ls_fn_env *env, unsigned dim)
{
    LLVMValueRef lanes = i32_const(cc, cc->n_lanes), per_row;

    if (cc->block[dim] == 1)
        return i32_const(cc, 0);
    if (cc->block[1] == 1 || (cc->keeps_threads && dim == 0))
        return env->lin;
    if (cc->keeps_threads)
        return row_number(cc, env);
    per_row = LLVMBuildUDiv(env->b, ls_env_block(cc, env, 0), lanes, "");
    if (dim == 1)
        return LLVMBuildUDiv(env->b, env->w, per_row, "ty");
    return lin_at(cc, env, LLVMBuildURem(env->b, env->w, per_row, ""), "tx");
}

LLVMValueRef
ls_env_tid(struct ls_cc *cc, struct ls_fn_env *env, unsigned dim)
{
    LLVMBuilderRef b = env->b;

    if (env->tid[dim])
        return env->tid[dim];
    linear_id(cc, env);
    if (cc->n_threads && env->w) {
        env->tid[dim] = known_tid(cc, env, dim);
    } else if (cc->whole_rows && env->w) {
        env->tid[dim] = row_tid(cc, env, dim);
    } else if (dim == 0) {
        env->tid[0] = LLVMBuildURem(b, env->lin, ls_env_block(cc, env, 0), "tx");
    } else {
        LLVMValueRef rows = LLVMBuildUDiv(b, env->lin, ls_env_block(cc, env, 0), "");
        LLVMOpcode op = dim == 1 ? LLVMURem : LLVMUDiv;

        env->tid[dim] =
            LLVMBuildBinOp(b, op, rows, ls_env_block(cc, env, 1), dim == 1 ? "ty" : "tz");
    }
    return env->tid[dim];
}
