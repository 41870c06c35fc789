/* SPDX-License-Identifier: MIT */
/* Calls of builtins, by the table: where a thread is, waiting, what the driver provides. */
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/ir.h"
#include "host/host.h"
#include "device/cpu/kernel_abi.h"
#include "ptx/ptx_priv.h"

struct row {
    const char *name;
    ls_ptx_fn handler;
    long data;
    bool asks; /* who runs it together */
};

#define LS_PTX(name, handler, data)      {name, handler, data, false},
#define LS_PTX_WARP(name, handler, data) {name, handler, data, true},
static const struct row rows[] = {
#include "ptx/builtins.def"
};
#undef LS_PTX_WARP
#undef LS_PTX

/* ---- Where a thread is ---- */

static LLVMValueRef
special(struct ls_ptx *p, const char *of, long dim)
{
    char name[64] = "llvm.nvvm.read.ptx.sreg.";

    strcat(name, of);
    strcat(name, dim == 0 ? ".x" : dim == 1 ? ".y" : ".z");
    return ls_ptx_nvvm(p, name, NULL, 0);
}

LLVMValueRef
ls_ptx_thread_id(struct ls_ptx *p, LLVMValueRef call, long dim)
{
    (void)call;
    if (p->cc->block[dim] == 1)
        return ls_ptx_int(p, 0);
    return special(p, "tid", dim);
}

LLVMValueRef
ls_ptx_block_id(struct ls_ptx *p, LLVMValueRef call, long dim)
{
    (void)call;
    return special(p, "ctaid", dim);
}

/* The field of struct ls_cpu_ctx whose offset ends the name. */
LLVMValueRef
ls_ptx_field(struct ls_ptx *p, LLVMValueRef call, long data)
{
    size_t at = strtoul(ls_ir_callee_name(call) + strlen("ls.field."), NULL, 10);
    const size_t grid = offsetof(struct ls_cpu_ctx, grid),
                 block = offsetof(struct ls_cpu_ctx, block);
    LLVMValueRef bytes;

    (void)data;
    if (at >= grid && at < grid + 12)
        return special(p, "nctaid", (long)(at - grid) / 4);
    if (at >= block && at < block + 12)
        return special(p, "ntid", (long)(at - block) / 4);
    bytes = ls_ptx_asm(p, p->i32, "mov.u32 $0, %dynamic_smem_size;", "=r", NULL, 0, false);
    if (at == offsetof(struct ls_cpu_ctx, dyn_lds_bytes))
        return LLVMBuildSub(p->b, bytes, ls_ptx_int(p, p->cc->lds_bytes), "");
    if (at == offsetof(struct ls_cpu_ctx, lds_bytes))
        return LLVMBuildZExt(p->b, bytes, p->i64, "");
    ls_diag(p->cc, LS_DIAG_ERROR, call, "internal error: field %zu of a launch on NVIDIA", at);
    return NULL;
}

LLVMValueRef
ls_ptx_lane_id(struct ls_ptx *p, LLVMValueRef call, long data)
{
    (void)call;
    (void)data;
    return ls_ptx_lane(p);
}

/* ---- Waiting and stopping ---- */

LLVMValueRef
ls_ptx_barrier(struct ls_ptx *p, LLVMValueRef call, long data)
{
    LLVMValueRef zero = ls_ptx_int(p, 0);

    (void)call;
    (void)data;
    if (ls_ptx_is_whole(p))
        ls_ptx_nvvm(p, "llvm.nvvm.barrier0", NULL, 0);
    else /* threads of the warp have ended, or come later */
        ls_ptx_nvvm(p, "llvm.nvvm.barrier.sync", &zero, 1);
    return NULL;
}

LLVMValueRef
ls_ptx_warp_barrier(struct ls_ptx *p, LLVMValueRef call, long data)
{
    LLVMValueRef mask = ls_ptx_mask(p);

    (void)call;
    (void)data;
    ls_ptx_nvvm(p, "llvm.nvvm.bar.warp.sync", &mask, 1);
    return NULL;
}

/* The counter's highest bit changes when all blocks have come: the first block adds what makes the
 * others' ones a carry into it, so that the lower bits are 0 again. */
LLVMValueRef
ls_ptx_grid_sync(struct ls_ptx *p, LLVMValueRef call, long data)
{
    static const char text[] = "{\n"
                               ".reg .pred p;\n"
                               ".reg .b32 a, b, n, old;\n"
                               "bar.sync 0;\n"
                               "mov.u32 a, %tid.x;\n"
                               "mov.u32 b, %tid.y;\n"
                               "or.b32 a, a, b;\n"
                               "mov.u32 b, %tid.z;\n"
                               "or.b32 a, a, b;\n"
                               "setp.ne.u32 p, a, 0;\n"
                               "@p bra DONE;\n"
                               "mov.u32 n, %nctaid.x;\n"
                               "mov.u32 b, %nctaid.y;\n"
                               "mul.lo.u32 n, n, b;\n"
                               "mov.u32 b, %nctaid.z;\n"
                               "mul.lo.u32 n, n, b;\n"
                               "sub.u32 n, 0x80000001, n;\n"
                               "mov.u32 a, %ctaid.x;\n"
                               "mov.u32 b, %ctaid.y;\n"
                               "or.b32 a, a, b;\n"
                               "mov.u32 b, %ctaid.z;\n"
                               "or.b32 a, a, b;\n"
                               "setp.eq.u32 p, a, 0;\n"
                               "selp.b32 n, n, 1, p;\n"
                               "fence.acq_rel.gpu;\n"
                               "atom.global.add.u32 old, [$0], n;\n"
                               "AGAIN:\n"
                               "ld.acquire.gpu.global.u32 a, [$0];\n"
                               "xor.b32 a, a, old;\n"
                               "setp.ge.s32 p, a, 0;\n"
                               "@p bra AGAIN;\n"
                               "fence.acq_rel.gpu;\n"
                               "DONE:\n"
                               "bar.sync 0;\n"
                               "}";
    static const char name[] = "ls_grid_arrived";
    LLVMValueRef counter = LLVMGetNamedGlobal(p->cc->mod, name);

    (void)call;
    (void)data;
    if (!counter) {
        counter = LLVMAddGlobalInAddressSpace(p->cc->mod, p->i32, name, LS_SPACE_GLOBAL);
        LLVMSetInitializer(counter, LLVMConstInt(p->i32, 0, false));
        LLVMSetLinkage(counter, LLVMInternalLinkage);
    }
    ls_ptx_asm(p, p->voidt, text, "l,~{memory}", &counter, 1, true);
    return NULL;
}

/* The argument counts 64 cycles. */
LLVMValueRef
ls_ptx_sleep(struct ls_ptx *p, LLVMValueRef call, long data)
{
    LLVMValueRef ns =
        LLVMBuildShl(p->b, LLVMBuildZExtOrBitCast(p->b, LLVMGetOperand(call, 0), p->i32, ""),
                     ls_ptx_int(p, 5), "");

    (void)data;
    ls_ptx_asm(p, p->voidt, "nanosleep.u32 $0;", "r", &ns, 1, true);
    return NULL;
}

LLVMValueRef
ls_ptx_clock(struct ls_ptx *p, LLVMValueRef call, long wall)
{
    LLVMValueRef v;

    if (wall) {
        v = ls_ptx_asm(p, p->i64, "mov.u64 $0, %globaltimer;", "=l", NULL, 0, true);
        v = LLVMBuildUDiv(p->b, v, LLVMConstInt(p->i64, 10, false), "");
    } else {
        v = ls_ptx_asm(p, p->i64, "mov.u64 $0, %clock64;", "=l", NULL, 0, true);
    }
    return LLVMBuildIntCast2(p->b, v, LLVMTypeOf(call), false, "");
}

LLVMValueRef
ls_ptx_trap(struct ls_ptx *p, LLVMValueRef call, long data)
{
    (void)call;
    (void)data;
    ls_ptx_asm(p, p->voidt, "trap;", "", NULL, 0, true);
    return NULL;
}

LLVMValueRef
ls_ptx_end(struct ls_ptx *p, LLVMValueRef call, long data)
{
    (void)call;
    (void)data;
    ls_ptx_asm(p, p->voidt, "exit;", "", NULL, 0, true);
    return NULL;
}

LLVMValueRef
ls_ptx_drop(struct ls_ptx *p, LLVMValueRef call, long data)
{
    (void)p;
    (void)call;
    (void)data;
    return NULL;
}

LLVMValueRef
ls_ptx_first_argument(struct ls_ptx *p, LLVMValueRef call, long data)
{
    (void)p;
    (void)data;
    return LLVMGetOperand(call, 0);
}

/* ---- What the driver provides ---- */

LLVMValueRef
ls_ptx_call_system(struct ls_ptx *p, const char *name, LLVMTypeRef result, LLVMValueRef *args,
                   unsigned n)
{
    LLVMTypeRef types[5], type;
    LLVMValueRef fn = LLVMGetNamedFunction(p->cc->mod, name);

    LS_ASSERT_FITS(n, sizeof(types) / sizeof(types[0]));
    for (unsigned i = 0; i < n; i++)
        types[i] = LLVMTypeOf(args[i]);
    type = LLVMFunctionType(result, types, n, false);
    if (!fn)
        fn = LLVMAddFunction(p->cc->mod, name, type);
    return LLVMBuildCall2(p->b, type, fn, args, n, "");
}

static LLVMValueRef
to_generic(struct ls_ptx *p, LLVMValueRef v)
{
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind)
        return LLVMBuildIntToPtr(p->b, v, p->ptr, "");
    return LLVMTypeOf(v) == p->ptr ? v : LLVMBuildAddrSpaceCast(p->b, v, p->ptr, "");
}

LLVMValueRef
ls_ptx_malloc(struct ls_ptx *p, LLVMValueRef call, long data)
{
    LLVMValueRef bytes = LLVMBuildIntCast2(p->b, LLVMGetOperand(call, 0), p->i64, false, ""), v;

    (void)data;
    v = ls_ptx_call_system(p, "malloc", p->ptr, &bytes, 1);
    return LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMPointerTypeKind
               ? v
               : LLVMBuildPtrToInt(p->b, v, LLVMTypeOf(call), "");
}

LLVMValueRef
ls_ptx_free(struct ls_ptx *p, LLVMValueRef call, long data)
{
    LLVMValueRef at = to_generic(p, LLVMGetOperand(call, 0));

    (void)data;
    ls_ptx_call_system(p, "free", p->voidt, &at, 1);
    return NULL;
}

/* (message, file, line, function) */
LLVMValueRef
ls_ptx_assert(struct ls_ptx *p, LLVMValueRef call, long data)
{
    LLVMValueRef args[] = {to_generic(p, LLVMGetOperand(call, 0)),
                           to_generic(p, LLVMGetOperand(call, 1)),
                           LLVMBuildIntCast2(p->b, LLVMGetOperand(call, 2), p->i32, false, ""),
                           to_generic(p, LLVMGetOperand(call, 3)), LLVMConstInt(p->i64, 1, false)};

    (void)data;
    ls_ptx_call_system(p, "__assertfail", p->voidt, args, 5);
    return NULL;
}

/* ---- The table ---- */

static const struct row *
find(const char *name)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        size_t n = strlen(rows[i].name);

        if (rows[i].name[n - 1] == '.' ? !strncmp(name, rows[i].name, n)
                                       : !strcmp(name, rows[i].name))
            return &rows[i];
    }
    return NULL;
}

/* Whether LLVM's code generator, or the program itself, has the function. */
static bool
is_known(LLVMValueRef call, const char *name)
{
    if (ls_ir_has_prefix(name, "llvm."))
        return !ls_ir_has_prefix(name, "llvm.amdgcn.");
    if (!strcmp(name, "vprintf")) /* of ls_ptx_print */
        return true;
    return !LLVMIsDeclaration(LLVMGetCalledValue(call));
}

/* ---- Who is told who runs a call ---- */

#define LONE "ls-lone"

bool
ls_ptx_is_lone(LLVMValueRef fn)
{
    return LLVMGetStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, LONE, sizeof(LONE) - 1);
}

void
ls_ptx_be_lone(struct ls_cc *cc, LLVMValueRef fn)
{
    ls_host_set_attribute(cc, fn, LONE, "");
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, ls_ir_attribute(cc, "noinline", 0));
}

static bool
calls_program(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);

    return !LLVMIsAInlineAsm(callee) &&
           !(LLVMIsAFunction(callee) && (LLVMIsDeclaration(callee) || ls_ptx_is_lone(callee)));
}

bool
ls_ptx_asks(LLVMValueRef call)
{
    const char *name = ls_ir_callee_name(call);
    const struct row *row = name ? find(name) : NULL;

    return row ? row->asks : calls_program(call);
}

/* The same mask, which the assembler does not know: it takes it that a call brings all back that it
 * took, and leaves out waits for a mask that was waited for in front of it. */
static LLVMValueRef
hide(struct ls_ptx *p, LLVMValueRef mask)
{
    static const char name[] = "ls_all", load[] = "ld.const.u32 $0, [ls_all];";
    LLVMValueRef all;

    if (!LLVMGetNamedGlobal(p->cc->mod, name)) {
        all = LLVMAddGlobalInAddressSpace(p->cc->mod, p->i32, name, LS_SPACE_CONSTANT);
        LLVMSetInitializer(all, ls_ptx_int(p, UINT32_MAX));
    }
    all = ls_ptx_asm(p, p->i32, load, "=r", NULL, 0, false); /* as the host might write to it */
    return LLVMBuildAnd(p->b, all, mask, "");
}

/* The function is told who calls it. Lanes come back from it at different times, which the
 * assembler does not see: LLVM says of all calls that the warp makes them as one (call.uni). */
static void
call_together(struct ls_ptx *p, LLVMValueRef call)
{
    LLVMValueRef mask, who, callee = LLVMGetCalledValue(call);

    p->at = call;
    LLVMPositionBuilderBefore(p->b, call);
    mask = who = ls_ptx_mask(p);
    if (!LLVMIsAFunction(callee) && !ls_shape_uniform(p->warp->shapes, callee))
        who = ls_ptx_part(p, callee, mask);
    LLVMSetOperand(call, LLVMGetNumArgOperands(call) - 1, who);
    p->at = LLVMGetNextInstruction(call);
    LLVMPositionBuilderBefore(p->b, p->at);
    mask = hide(p, mask);
    ls_ptx_nvvm(p, "llvm.nvvm.bar.warp.sync", &mask, 1);
}

void
ls_ptx_call(struct ls_ptx *p, LLVMValueRef call)
{
    const char *name = ls_ir_callee_name(call);
    const struct row *row = name ? find(name) : NULL;
    LLVMValueRef result;

    if (!name || (!row && is_known(call, name))) {
        if (calls_program(call))
            call_together(p, call);
        return;
    }
    p->at = call;
    LLVMPositionBuilderBefore(p->b, call);
    result = row ? row->handler(p, call, row->data) : ls_ptx_by_row(p, call, 0);
    if (p->cc->n_errors)
        return;
    if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind && LLVMGetFirstUse(call))
        LLVMReplaceAllUsesWith(call, result ? result : LLVMGetPoison(LLVMTypeOf(call)));
    LLVMInstructionEraseFromParent(call);
}
