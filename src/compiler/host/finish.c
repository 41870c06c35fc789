/* SPDX-License-Identifier: MIT */
/* From the warp program to a complete module: entry points over blocks or warps, the kernel
 * descriptor, LLVM's optimiser for the host. */
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "compiler/ir/guards.h"
#include "compiler/ir/ir.h"
#include "host/host.h"
#include "host/whole.h"
#include "device/cpu/kernel_abi.h"

enum {
    ROW_THREADS = 4096,   /* as far a row is walked along, before that below it */
    INLINE_UP_TO = 30000, /* instructions, as the vectoriser leaves them */
    MANY_BLOCKS = 1500,   /* of a function, before passes get cheaper ones */
};

struct finisher {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    LLVMTypeRef i8, i32, i64, ptr, voidt;
    LLVMValueRef program, fn, ctx;
    /* Of code for whole blocks; NULL: there is none, but `test`: no block is other. */
    LLVMValueRef test, run_whole, run_past;
    LLVMValueRef *args; /* arguments of the program's call */
    unsigned n_args;
};

static LLVMValueRef
i32_const(struct finisher *f, unsigned v)
{
    return LLVMConstInt(f->i32, v, false);
}

static LLVMValueRef
offset_pointer(struct finisher *f, LLVMValueRef base, uint64_t offset)
{
    LLVMValueRef index = LLVMConstInt(f->i64, offset, false);

    return LLVMBuildInBoundsGEP2(f->b, f->i8, base, &index, 1, "");
}

static LLVMValueRef
ctx_load(struct finisher *f, size_t offset, LLVMTypeRef type, const char *name)
{
    return ls_ir_ctx_load(f->cc, f->b, f->ctx, offset, type, name);
}

/* Stores a position field of ctx. Volatile, as handlers of faults read it. */
static void
ctx_store(struct finisher *f, size_t offset, LLVMValueRef v)
{
    LLVMSetVolatile(LLVMBuildStore(f->b, v, offset_pointer(f, f->ctx, offset)), true);
}

static unsigned
lowest_bit(unsigned v)
{
    return v & -v;
}

/* Loads the kernel's arguments; leaves room for block and warp numbers behind them. */
static void
load_arguments(struct finisher *f)
{
    struct ls_cc *cc = f->cc;
    LLVMValueRef kernarg =
        cc->n_kernargs ? ctx_load(f, offsetof(struct ls_cpu_ctx, kernarg), f->ptr, "kernarg")
                       : NULL;

    f->n_args = cc->n_kernargs + 5;
    f->args = ls_arena_alloc(cc->arena, f->n_args * sizeof(*f->args));
    f->args[0] = f->ctx;
    for (unsigned i = 0; i < cc->n_kernargs; i++) {
        const struct ls_kernarg *arg = &cc->kernargs[i];
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(f->program, i + 1));
        LLVMValueRef at = offset_pointer(f, kernarg, arg->offset), v;

        if (arg->byref) {
            v = LLVMGetPointerAddressSpace(type) ? LLVMBuildAddrSpaceCast(f->b, at, type, "") : at;
        } else {
            v = LLVMBuildLoad2(f->b, type, at, "");
            LLVMSetAlignment(v, lowest_bit(arg->offset | 16));
        }
        f->args[i + 1] = v;
    }
}

static void
call_program(struct finisher *f, LLVMValueRef bx, LLVMValueRef by, LLVMValueRef bz, LLVMValueRef w)
{
    LLVMValueRef pos[4] = {bx, by, bz, w};

    for (unsigned i = 0; i < 3; i++)
        ctx_store(f, offsetof(struct ls_cpu_ctx, cur_block_id) + 4 * i, pos[i]);
    memcpy(f->args + f->n_args - 4, pos, sizeof(pos));
    LLVMBuildCall2(f->b, LLVMGlobalGetValueType(f->program), f->program, f->args, f->n_args, "");
}

static void
begin_function(struct finisher *f, const char *name, LLVMTypeRef last)
{
    LLVMTypeRef params[3] = {f->ptr, f->i64, last};
    struct ls_cc *cc = f->cc;

    f->fn = LLVMAddFunction(cc->mod, name, LLVMFunctionType(f->voidt, params, 3, false));
    LLVMSetLinkage(f->fn, LLVMInternalLinkage);
    f->ctx = LLVMGetParam(f->fn, 0);
    LLVMAddAttributeAtIndex(f->fn, 1, ls_ir_attribute(cc, "noalias", 0));
    LLVMPositionBuilderAtEnd(f->b, LLVMAppendBasicBlockInContext(cc->llvm, f->fn, "entry"));
}

struct position {
    LLVMValueRef linear, x, y, z;
};

/* Linear block number to x, y, z. */
static struct position
split_position(struct finisher *f, LLVMValueRef linear, LLVMValueRef gx, LLVMValueRef gy)
{
    LLVMValueRef wide_x = LLVMBuildZExt(f->b, gx, f->i64, ""),
                 wide_y = LLVMBuildZExt(f->b, gy, f->i64, "");
    LLVMValueRef rows = LLVMBuildUDiv(f->b, linear, wide_x, "");
    struct position p = {.linear = linear};

    p.x = LLVMBuildTrunc(f->b, LLVMBuildURem(f->b, linear, wide_x, ""), f->i32, "");
    p.y = LLVMBuildTrunc(f->b, LLVMBuildURem(f->b, rows, wide_y, ""), f->i32, "");
    p.z = LLVMBuildTrunc(f->b, LLVMBuildUDiv(f->b, rows, wide_y, ""), f->i32, "");
    return p;
}

static LLVMValueRef
build_run_blocks(struct finisher *f)
{
    struct ls_cc *cc = f->cc;
    LLVMBasicBlockRef entry, loop, done, latch;
    LLVMValueRef gx, gy, count, end, phi[4], next[4], wrap;
    struct position at;

    begin_function(f, "ls.run_blocks", f->i64);
    entry = LLVMGetInsertBlock(f->b);
    loop = LLVMAppendBasicBlockInContext(cc->llvm, f->fn, "block");
    done = LLVMAppendBasicBlockInContext(cc->llvm, f->fn, "done");
    load_arguments(f);
    gx = ctx_load(f, offsetof(struct ls_cpu_ctx, grid), f->i32, "gx");
    gy = ctx_load(f, offsetof(struct ls_cpu_ctx, grid) + 4, f->i32, "gy");
    count = LLVMGetParam(f->fn, 2);
    end = LLVMBuildNUWAdd(f->b, LLVMGetParam(f->fn, 1), count, "end");
    at = split_position(f, LLVMGetParam(f->fn, 1), gx, gy);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntEQ, count, LLVMConstNull(f->i64), ""), done,
                    loop);

    LLVMPositionBuilderAtEnd(f->b, loop);
    LLVMValueRef first[4] = {at.linear, at.x, at.y, at.z};
    for (unsigned i = 0; i < 4; i++) {
        phi[i] = LLVMBuildPhi(f->b, LLVMTypeOf(first[i]), "");
        LLVMAddIncoming(phi[i], &first[i], &entry, 1);
    }
    ctx_store(f, offsetof(struct ls_cpu_ctx, cur_block), phi[0]);
    call_program(f, phi[1], phi[2], phi[3], i32_const(f, 0));
    next[0] = LLVMBuildNUWAdd(f->b, phi[0], LLVMConstInt(f->i64, 1, false), "");
    next[1] = LLVMBuildAdd(f->b, phi[1], i32_const(f, 1), "");
    wrap = LLVMBuildICmp(f->b, LLVMIntEQ, next[1], gx, "");
    next[1] = LLVMBuildSelect(f->b, wrap, i32_const(f, 0), next[1], "");
    next[2] = LLVMBuildAdd(f->b, phi[2], LLVMBuildZExt(f->b, wrap, f->i32, ""), "");
    wrap = LLVMBuildICmp(f->b, LLVMIntEQ, next[2], gy, "");
    next[2] = LLVMBuildSelect(f->b, wrap, i32_const(f, 0), next[2], "");
    next[3] = LLVMBuildAdd(f->b, phi[3], LLVMBuildZExt(f->b, wrap, f->i32, ""), "");
    latch = LLVMGetInsertBlock(f->b);
    for (unsigned i = 0; i < 4; i++)
        LLVMAddIncoming(phi[i], &next[i], &latch, 1);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntULT, next[0], end, ""), loop, done);
    LLVMPositionBuilderAtEnd(f->b, done);
    LLVMBuildRetVoid(f->b);
    return f->fn;
}

/* Calls a function of whole.c: ctx, the kernel's arguments, n, x, y, z. */
static LLVMValueRef
call_whole(struct finisher *f, LLVMValueRef fn, LLVMValueRef n, const LLVMValueRef pos[4])
{
    unsigned k = f->cc->n_kernargs + 1;
    LLVMValueRef *args = ls_arena_alloc(f->cc->arena, (k + 4) * sizeof(LLVMValueRef));

    memcpy(args, f->args, k * sizeof(LLVMValueRef));
    args[k] = n;
    memcpy(args + k + 1, pos + 1, 3 * sizeof(LLVMValueRef));
    return LLVMBuildCall2(f->b, LLVMGlobalGetValueType(fn), fn, args, k + 4, "");
}

/* The blocks of a row from `pos` on that are whole, at most n: how many were run. */
static LLVMValueRef
run_whole_blocks(struct finisher *f, const LLVMValueRef pos[4], LLVMValueRef n, LLVMValueRef form,
                 LLVMBasicBlockRef done, LLVMBasicBlockRef one)
{
    LLVMContextRef llvm = f->cc->llvm;
    LLVMBasicBlockRef ask = LLVMAppendBasicBlockInContext(llvm, f->fn, "ask");
    LLVMBasicBlockRef run = LLVMAppendBasicBlockInContext(llvm, f->fn, "whole");
    LLVMBasicBlockRef past, plain;
    LLVMValueRef bit = LLVMBuildAnd(f->b, form, i32_const(f, LS_CPU_CAREFUL), "");

    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntEQ, bit, i32_const(f, 0), ""), ask, one);
    LLVMPositionBuilderAtEnd(f->b, ask);
    if (f->test)
        n = call_whole(f, f->test, n, pos);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntNE, n, i32_const(f, 0), ""), run, one);
    LLVMPositionBuilderAtEnd(f->b, run);
    ctx_store(f, offsetof(struct ls_cpu_ctx, cur_block), pos[0]);
    ctx_store(f, offsetof(struct ls_cpu_ctx, n_blocks), n);
    ctx_store(f, offsetof(struct ls_cpu_ctx, cur_warp), i32_const(f, LS_CPU_NO_WARP));
    if (f->run_past) {
        bit = LLVMBuildAnd(f->b, form, i32_const(f, LS_CPU_PAST), "");
        past = LLVMAppendBasicBlockInContext(llvm, f->fn, "past");
        plain = LLVMAppendBasicBlockInContext(llvm, f->fn, "plain");
        LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntNE, bit, i32_const(f, 0), ""), past,
                        plain);
        LLVMPositionBuilderAtEnd(f->b, past);
        call_whole(f, f->run_past, n, pos);
        LLVMBuildBr(f->b, done);
        LLVMPositionBuilderAtEnd(f->b, plain);
    }
    call_whole(f, f->run_whole, n, pos);
    LLVMBuildBr(f->b, done);
    return n;
}

/* run_blocks where there is code for whole blocks: row by row, as many of them at once as follow
 * each other. */
static LLVMValueRef
build_run_rows(struct finisher *f)
{
    struct ls_cc *cc = f->cc;
    LLVMBasicBlockRef entry, loop, one, done, end;
    LLVMValueRef gx, gy, form, n, ran, wrap, left, row_left, phi[5], next[5], first[5];
    struct position at;

    begin_function(f, "ls.run_blocks", f->i64);
    entry = LLVMGetInsertBlock(f->b);
    loop = LLVMAppendBasicBlockInContext(cc->llvm, f->fn, "row");
    one = LLVMAppendBasicBlockInContext(cc->llvm, f->fn, "one");
    load_arguments(f);
    gx = ctx_load(f, offsetof(struct ls_cpu_ctx, grid), f->i32, "gx");
    gy = ctx_load(f, offsetof(struct ls_cpu_ctx, grid) + 4, f->i32, "gy");
    form = ctx_load(f, offsetof(struct ls_cpu_ctx, form), f->i32, "form");
    left = LLVMGetParam(f->fn, 2);
    at = split_position(f, LLVMGetParam(f->fn, 1), gx, gy);
    done = LLVMAppendBasicBlockInContext(cc->llvm, f->fn, "next");
    end = LLVMAppendBasicBlockInContext(cc->llvm, f->fn, "end");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntEQ, left, LLVMConstNull(f->i64), ""), end,
                    loop);

    LLVMPositionBuilderAtEnd(f->b, loop);
    memcpy(first, (LLVMValueRef[5]){at.linear, at.x, at.y, at.z, left}, sizeof(first));
    for (unsigned i = 0; i < 5; i++) {
        phi[i] = LLVMBuildPhi(f->b, LLVMTypeOf(first[i]), "");
        LLVMAddIncoming(phi[i], &first[i], &entry, 1);
    }
    row_left = LLVMBuildZExt(f->b, LLVMBuildSub(f->b, gx, phi[1], ""), f->i64, "");
    wrap = LLVMBuildICmp(f->b, LLVMIntULT, phi[4], row_left, "");
    n = LLVMBuildTrunc(f->b, LLVMBuildSelect(f->b, wrap, phi[4], row_left, ""), f->i32, "");
    if (cc->guards->row_warps < cc->n_warps) {
        /* A block's rows find in the first cache what the rows before have read. */
        LLVMValueRef most = i32_const(f, ROW_THREADS / cc->block[0]);

        wrap = LLVMBuildICmp(f->b, LLVMIntULT, n, most, "");
        n = LLVMBuildSelect(f->b, wrap, n, most, "");
    }
    n = run_whole_blocks(f, phi, n, form, done, one);

    LLVMMoveBasicBlockAfter(one, LLVMGetInsertBlock(f->b));
    LLVMPositionBuilderAtEnd(f->b, one);
    ctx_store(f, offsetof(struct ls_cpu_ctx, cur_block), phi[0]);
    call_program(f, phi[1], phi[2], phi[3], i32_const(f, 0));
    LLVMBuildBr(f->b, done);

    LLVMMoveBasicBlockAfter(done, one);
    LLVMPositionBuilderAtEnd(f->b, done);
    ran = LLVMBuildPhi(f->b, f->i32, "ran");
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(done)); u; u = LLVMGetNextUse(u)) {
        LLVMBasicBlockRef from = LLVMGetInstructionParent(LLVMGetUser(u));
        LLVMValueRef count = from == one ? i32_const(f, 1) : n;

        LLVMAddIncoming(ran, &count, &from, 1);
    }
    wrap = LLVMBuildZExt(f->b, ran, f->i64, "");
    next[0] = LLVMBuildNUWAdd(f->b, phi[0], wrap, "");
    next[4] = LLVMBuildNUWSub(f->b, phi[4], wrap, "");
    next[1] = LLVMBuildAdd(f->b, phi[1], ran, "");
    wrap = LLVMBuildICmp(f->b, LLVMIntEQ, next[1], gx, "");
    next[1] = LLVMBuildSelect(f->b, wrap, i32_const(f, 0), next[1], "");
    next[2] = LLVMBuildAdd(f->b, phi[2], LLVMBuildZExt(f->b, wrap, f->i32, ""), "");
    wrap = LLVMBuildICmp(f->b, LLVMIntEQ, next[2], gy, "");
    next[2] = LLVMBuildSelect(f->b, wrap, i32_const(f, 0), next[2], "");
    next[3] = LLVMBuildAdd(f->b, phi[3], LLVMBuildZExt(f->b, wrap, f->i32, ""), "");
    for (unsigned i = 0; i < 5; i++)
        LLVMAddIncoming(phi[i], &next[i], &done, 1);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntNE, next[4], LLVMConstNull(f->i64), ""), loop,
                    end);
    LLVMMoveBasicBlockAfter(end, done);
    LLVMPositionBuilderAtEnd(f->b, end);
    LLVMBuildRetVoid(f->b);
    return f->fn;
}

static void
build_whole(struct finisher *f)
{
    struct ls_cc *cc = f->cc;

    if (!ls_whole_is_possible(cc)) {
        cc->guards = NULL;
        ls_guards_settle(cc, f->program, false);
        return;
    }
    if (cc->guards->n)
        f->test = ls_whole_build_test(cc);
    f->run_whole = ls_whole_build_run(cc, "ls.run_whole");
    if (ls_host_may_stream(cc, f->program))
        f->run_past = ls_whole_declare(cc, "ls.run_past");
}

static LLVMValueRef
build_run_warp(struct finisher *f)
{
    LLVMValueRef gx, gy;
    struct position at;

    begin_function(f, "ls.run_warp", f->i32);
    load_arguments(f);
    gx = ctx_load(f, offsetof(struct ls_cpu_ctx, grid), f->i32, "gx");
    gy = ctx_load(f, offsetof(struct ls_cpu_ctx, grid) + 4, f->i32, "gy");
    at = split_position(f, LLVMGetParam(f->fn, 1), gx, gy);
    ctx_store(f, offsetof(struct ls_cpu_ctx, cur_block), at.linear);
    ctx_store(f, offsetof(struct ls_cpu_ctx, cur_warp), LLVMGetParam(f->fn, 2));
    call_program(f, at.x, at.y, at.z, LLVMGetParam(f->fn, 2));
    LLVMBuildRetVoid(f->b);
    return f->fn;
}

/* The program is called once; calls of functions out of line may nest. */
static unsigned long long
stack_estimate(struct ls_cc *cc, unsigned deepest)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cc->mod);
    unsigned long long bytes = 16384 + 65536ull * deepest;

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        size_t len;
        const char *name = LLVMGetValueName2(fn, &len);
        bool entry = ls_ir_has_prefix(name, "ls.run_"),
             part = ls_ir_has_prefix(name, LS_FN_PART),
             nests = !entry && !part && strcmp(name, LS_FN_PROGRAM);

        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsAAllocaInst(i))
                    bytes += (nests ? 16 : 1) * LLVMABISizeOfType(layout, LLVMGetAllocatedType(i));
        if (!entry && !part && !LLVMIsDeclaration(fn))
            bytes += 65536;
    }
    return bytes;
}

enum { DESCRIPTOR_FIELDS = 24 };

/* struct ls_cpu_kernel, field by field. */
static LLVMValueRef
build_descriptor(struct finisher *f, LLVMValueRef run_blocks, LLVMValueRef run_warp)
{
    struct ls_cc *cc = f->cc;
    bool walks_rows = cc->guards && cc->guards->row_warps < cc->n_warps;
    const unsigned words[12] = {LS_CPU_KERNEL_MAGIC,
                                LS_CPU_ABI_VERSION,
                                cc->mode,
                                cc->kernel_flags | (walks_rows ? LS_CPU_KERNEL_ROWS : 0),
                                cc->n_lanes,
                                cc->block[0],
                                cc->block[1],
                                cc->block[2],
                                cc->lds_bytes,
                                0,
                                0,
                                0};
    const uint64_t reach[4] = {cc->reach.read, cc->reach.written, cc->reach.atomic, cc->reach.own};
    const unsigned own[4] = {cc->reach.cx, cc->reach.cy,
                             cc->reach.has_n ? cc->reach.n_at : LS_CPU_NO_N, 0};
    LLVMValueRef fields[DESCRIPTOR_FIELDS], all, g;

    _Static_assert(offsetof(struct ls_cpu_kernel, run_blocks) == 48, "twelve words, then pointers");
    _Static_assert(offsetof(struct ls_cpu_kernel, stack_bytes) == 36, "the tenth word");
    _Static_assert(offsetof(struct ls_cpu_kernel, stream_bytes) == 40, "the eleventh word");
    for (unsigned i = 0; i < 12; i++)
        fields[i] = i32_const(f, words[i]);
    fields[12] = run_blocks ? run_blocks : LLVMConstNull(f->ptr);
    fields[13] = run_warp ? run_warp : LLVMConstNull(f->ptr);
    for (unsigned i = 0; i < 4; i++) {
        fields[14 + i] = LLVMConstInt(LLVMInt64TypeInContext(cc->llvm),
                                      cc->reach.is_known ? reach[i] : LS_CPU_REACH_ANY, false);
        fields[18 + i] = i32_const(f, own[i]);
    }
    fields[22] = LLVMConstInt(LLVMInt64TypeInContext(cc->llvm), cc->distinct, false);
    fields[23] = LLVMConstInt(LLVMInt64TypeInContext(cc->llvm), cc->distinct_wish, false);
    all = LLVMConstStructInContext(cc->llvm, fields, DESCRIPTOR_FIELDS, false);
    g = LLVMAddGlobal(cc->mod, LLVMTypeOf(all), LS_CPU_KERNEL_SYMBOL);
    LLVMSetInitializer(g, all);
    LLVMSetGlobalConstant(g, true);
    LLVMSetAlignment(g, 16);
    return g;
}

static bool
set_needs(struct finisher *f, LLVMValueRef descriptor, unsigned stream_bytes, unsigned deepest)
{
    LLVMValueRef fields[DESCRIPTOR_FIELDS], old = LLVMGetInitializer(descriptor);
    unsigned long long stack = stack_estimate(f->cc, deepest);

    if (stack > LS_CPU_MAX_STACK)
        return ls_diag(f->cc, LS_DIAG_ERROR, LLVMGetNamedFunction(f->cc->mod, LS_FN_PROGRAM),
                       "private variables that take %llu bytes of stack (at most %u)", stack,
                       LS_CPU_MAX_STACK);
    for (unsigned i = 0; i < DESCRIPTOR_FIELDS; i++)
        fields[i] = LLVMGetAggregateElement(old, i);
    fields[9] = i32_const(f, (unsigned)stack);
    fields[10] = i32_const(f, stream_bytes);
    LLVMSetInitializer(descriptor, LLVMConstStructInContext(f->cc->llvm, fields, DESCRIPTOR_FIELDS,
                                                            false));
    return true;
}

/* Removes attributes that are meant for amdgcn, and sets those of host code. */
static void
host_attributes(struct ls_cc *cc, LLVMValueRef fn)
{
    unsigned index = (unsigned)LLVMAttributeFunctionIndex;
    unsigned n = LLVMGetAttributeCountAtIndex(fn, index);
    LLVMAttributeRef *attrs = ls_arena_alloc(cc->arena, (n + 1) * sizeof(LLVMAttributeRef));

    LLVMGetAttributesAtIndex(fn, index, attrs);
    for (unsigned i = 0; i < n; i++) {
        if (LLVMIsStringAttribute(attrs[i])) {
            unsigned len;
            const char *key = LLVMGetStringAttributeKind(attrs[i], &len);
            if (!ls_ir_has_prefix(key, "denormal-fp-math"))
                LLVMRemoveStringAttributeAtIndex(fn, index, key, len);
        } else if (LLVMIsEnumAttribute(attrs[i])) {
            unsigned kind = LLVMGetEnumAttributeKind(attrs[i]);
            if (kind == LLVMGetEnumAttributeKindForName("optnone", 7) ||
                kind == LLVMGetEnumAttributeKindForName("convergent", 10))
                LLVMRemoveEnumAttributeAtIndex(fn, index, kind);
        }
    }
    if (!LLVMIsDeclaration(fn)) {
        LLVMAddAttributeAtIndex(fn, index, ls_ir_attribute(cc, "nounwind", 0));
        ls_host_set_attributes(cc, fn);
    }
}

static void
drop_unused_declarations(struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod), next; fn; fn = next) {
        next = LLVMGetNextFunction(fn);
        if (LLVMIsDeclaration(fn) && !LLVMGetFirstUse(fn))
            LLVMDeleteFunction(fn);
    }
}

/* Reports functions that are used and not defined: the dynamic loader would not find them. */
static bool
check_undefined(struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        size_t len;
        const char *name = LLVMGetValueName2(fn, &len);

        if (LLVMIsDeclaration(fn) &&
            (ls_ir_has_prefix(name, "ls.") || ls_ir_has_prefix(name, "__ockl_") ||
             ls_ir_has_prefix(name, "__ls_") || ls_ir_has_prefix(name, "_Z") ||
             ls_ir_has_prefix(name, "llvm.amdgcn.")))
            return ls_diag(cc, LS_DIAG_ERROR, NULL, "device function %s is not defined", name);
    }
    return true;
}

/* Where the program is inlined it learns whether its block is whole. */
static bool
settle_whole(struct finisher *f)
{
    struct ls_cc *cc = f->cc;
    LLVMValueRef program = LLVMGetNamedFunction(cc->mod, LS_FN_PROGRAM);
    LLVMValueRef run_blocks = LLVMGetNamedFunction(cc->mod, "ls.run_blocks");

    if (!f->run_whole)
        return true;
    if (program)
        ls_guards_settle(cc, program, false);
    ls_guards_settle(cc, run_blocks, false);
    ls_whole_settle(cc, f->run_whole);
    if (!ls_ir_run_passes(cc, cc->host.tm, "function(early-cse)") ||
        !ls_ir_run_passes(cc, cc->host.tm, "function(instcombine<no-verify-fixpoint>,simplifycfg)"))
        return false;
    return !cc->guards->has_barriers || ls_whole_straighten(cc, f->run_whole);
}

/* The loop over a block's warps becomes straight code, whose addresses are those of the block and
 * constants. */
static bool
unroll_whole(struct finisher *f)
{
    struct ls_cc *cc = f->cc;
    bool abreast = false;

    if (!f->run_whole)
        return true;
    while (ls_whole_abreast(cc, f->run_whole))
        abreast = true;
    if (abreast && !ls_ir_run_passes(cc, cc->host.tm, "function(simplifycfg,early-cse)"))
        return false;
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn))
            ls_whole_mark_loops(cc, fn, fn == f->run_whole);
    return ls_ir_run_passes(cc, cc->host.tm, "function(loop-unroll)") &&
           ls_ir_run_passes(cc, cc->host.tm,
                            "function(instcombine<no-verify-fixpoint>,early-cse)") &&
           ls_ir_run_passes(cc, cc->host.tm,
                            "function(separate-const-offset-from-gep,early-cse,"
                            "loop-mssa(licm),simplifycfg)");
}

/* Whether a function is one of those that run warps of a block, not one that they call. */
static bool
runs_warps(LLVMValueRef fn)
{
    size_t len;
    const char *name = LLVMGetValueName2(fn, &len);

    return !LLVMIsDeclaration(fn) &&
           (!strcmp(name, LS_FN_PROGRAM) || ls_ir_has_prefix(name, "ls.run_"));
}

static void
hold_all(struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (runs_warps(fn))
            ls_host_hold(cc, fn);
}

/* What becomes of shared memory once all places are known: columns are turned rows, and rows that
 * are fetched into it and read once need not be there. */
static bool
settle_shared(struct ls_cc *cc)
{
    bool changed = false;

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (runs_warps(fn)) {
            ls_host_turn_columns(cc, fn);
            changed |= ls_host_read_late(cc, fn);
        }
    return !changed || ls_ir_run_passes(cc, cc->host.tm, "function(sroa,adce)");
}

/* Whether some function has so many blocks that passes get cheaper. */
static bool
has_many_blocks(struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (ls_cc_is_over(cc, LLVMCountBasicBlocks(fn), MANY_BLOCKS))
            return true;
    return false;
}

/* Pipelines from the environment, to try what each pass does without a rebuild. They may delete or
 * replace any function that is not called from outside. */
static bool
run_passes_given(struct finisher *f, const char *passes)
{
    struct ls_cc *cc = f->cc;

    if (f->run_past)
        LLVMReplaceAllUsesWith(f->run_past, f->run_whole);
    if (f->run_past)
        LLVMDeleteFunction(f->run_past);
    f->run_past = NULL;
    if (!ls_ir_run_passes(cc, cc->host.tm, passes))
        return false;
    f->program = LLVMGetNamedFunction(cc->mod, LS_FN_PROGRAM);
    f->run_whole = LLVMGetNamedFunction(cc->mod, "ls.run_whole");
    return true;
}

static bool
run_host_passes(struct finisher *f)
{
    struct ls_cc *cc = f->cc;
    /* Each string is a pipeline of its own, run one after another: instcombine must begin one
     * (ls_ir_run_passes). */
    static const char *const few[] = {
        "always-inline,globaldce,function(sroa,early-cse)",
        "function(instcombine<no-verify-fixpoint>,simplifycfg,sroa,early-cse,adce)",
        NULL,
    };
    static const char *const before[] = {
        "function(sroa,early-cse<memssa>)",
        "function(instcombine<no-verify-fixpoint>,simplifycfg,sroa)",
        "always-inline,globaldce",
        NULL,
    };
    /* Slots become registers before the program is inlined into the loop over blocks: else what a
     * warp leaves in its slots would seem to be alive in the next block. */
    static const char *const many[] = {
        "function(early-cse,simplifycfg,loop-mssa(loop-rotate,licm,simple-loop-unswitch),gvn,"
            "loop-simplify,lcssa,loop-mssa(licm))",
        "function(instcombine<no-verify-fixpoint>,dse,adce,simplifycfg)",
        NULL,
    };
    /* GVN walks back through hundreds of blocks for each load, and looks at all uses of what its
     * address is made of. Instruction selection combines what comes to lie side by side. */
    static const char *const large[] = {
        "function(early-cse,simplifycfg,loop-mssa(loop-rotate,licm),gvn<no-memdep>,adce,"
            "simplifycfg)",
        NULL,
    };
    /* LLVM 19's alias analysis crashes on vectors of one pointer, which scalar code (one lane) has:
     * it gets fewer passes. */
    bool thorough = ls_host_opt_level(cc) > 0 && cc->n_lanes > 1;
    const char *const *p = thorough ? many : few;
    const char *override = cc->opt->host_passes;

    if (override && *override)
        return run_passes_given(f, override);
    if (thorough)
        for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
            if (!LLVMIsDeclaration(fn)) {
                ls_ir_join_chains(cc, fn);
                ls_ir_promote(cc, fn);
            }
    for (const char *const *q = before; thorough && *q; q++)
        if (!ls_ir_run_passes(cc, cc->host.tm, *q))
            return false;
    if (thorough)
        for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
            if (!LLVMIsDeclaration(fn))
                ls_host_drop_lanes(cc, fn);
    if (thorough && !settle_whole(f))
        return false;
    if (thorough)
        hold_all(cc);
    if (thorough && has_many_blocks(cc))
        p = large;
    for (; *p; p++)
        if (!ls_ir_run_passes(cc, cc->host.tm, *p))
            return false;
    return unroll_whole(f) && (!thorough || settle_shared(cc));
}

/* Sets *bytes to those of one thread that can be written past the caches. */
static bool
stream_stores(struct finisher *f, LLVMValueRef run_blocks, unsigned *bytes)
{
    *bytes = ls_host_stream_stores(f->cc, run_blocks);
    if (!f->run_past)
        return true;
    if (!ls_host_streams_whole(f->cc, f->run_whole)) {
        LLVMReplaceAllUsesWith(f->run_past, f->run_whole);
        LLVMDeleteFunction(f->run_past);
        f->run_past = NULL;
        return true;
    }
    if (!ls_whole_copy(f->cc, f->run_past, f->run_whole))
        return false;
    host_attributes(f->cc, f->run_past);
    ls_host_stream_whole(f->cc, f->run_past, run_blocks, *bytes > 0);
    if (*bytes == 0)
        *bytes = 1;
    return true;
}

/* Whether the program goes into the loop over blocks. Debuggers find it by its name, so then it
 * stays a function; a large one, too: copying it costs time, a call for each block is nothing. */
static bool
goes_inline(const struct finisher *f)
{
    unsigned n = 0;

    if (LLVMGetSubprogram(f->program) && f->cc->opt->debug_info)
        return false;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f->program); bb;
         bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            n++;
    return !ls_cc_is_over(f->cc, n, INLINE_UP_TO);
}

bool
ls_host_finish(struct ls_cc *cc)
{
    struct finisher f = {.cc = cc};
    LLVMValueRef run_blocks = NULL, run_warp = NULL, descriptor;
    unsigned bytes = 0, deepest = 0;
    bool ok;

    if (!ls_host_settle(cc))
        return false;
    f.i8 = LLVMInt8TypeInContext(cc->llvm);
    f.i32 = LLVMInt32TypeInContext(cc->llvm);
    f.i64 = LLVMInt64TypeInContext(cc->llvm);
    f.ptr = LLVMPointerTypeInContext(cc->llvm, 0);
    f.voidt = LLVMVoidTypeInContext(cc->llvm);
    f.program = LLVMGetNamedFunction(cc->mod, LS_FN_PROGRAM);
    f.b = LLVMCreateBuilderInContext(cc->llvm);
    if (!cc->opt->debug_info)
        LLVMStripModuleDebugInfo(cc->mod);
    build_whole(&f);
    if (cc->mode == LS_CPU_MODE_FIBER)
        run_warp = build_run_warp(&f);
    else
        run_blocks = f.run_whole ? build_run_rows(&f) : build_run_blocks(&f);
    descriptor = build_descriptor(&f, run_blocks, run_warp);
    LLVMSetLinkage(f.program, LLVMInternalLinkage);
    drop_unused_declarations(cc);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        host_attributes(cc, fn);
    if (goes_inline(&f))
        LLVMAddAttributeAtIndex(f.program, LLVMAttributeFunctionIndex,
                                ls_ir_attribute(cc, "alwaysinline", 0));
    ls_host_soften_halves(cc);
    ok = run_host_passes(&f);
    ls_host_soften_halves(cc); /* instcombine moves casts over operations */
    ls_host_expand_fused(cc);
    ok = ok && ls_host_expand_masked(cc);
    if (ok && ls_host_opt_level(cc) > 0 && cc->n_lanes > 1)
        for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
            if (!LLVMIsDeclaration(fn)) {
                ls_host_ascend(cc, fn);
                ls_host_prefetch(cc, fn);
            }
    drop_unused_declarations(cc);
    ok = ok && (!run_blocks || stream_stores(&f, run_blocks, &bytes));
    if (ok && f.run_whole)
        ls_whole_split_stores(cc, f.run_whole);
    if (ok && f.run_past)
        ls_whole_split_stores(cc, f.run_past);
    if (ok) {
        ls_host_cut_strips(cc);
        ls_host_masks_to_signs(cc);
        ls_host_roll(cc);
        cc->host.large = ls_host_find_large(cc);
        deepest = ls_host_cut_parts(cc);
        cc->host.large |= deepest ? ls_host_large_in_parts() : 0;
    }
    LLVMDisposeBuilder(f.b);
    return ok && set_needs(&f, descriptor, bytes, deepest) && check_undefined(cc);
}
