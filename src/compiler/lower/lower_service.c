/* SPDX-License-Identifier: MIT */
/* Calls from a kernel into the device that runs it: barriers, clocks, traps, printf, malloc,
 * assert. */
#include <stddef.h>
#include <string.h>

#include "device/cpu/kernel_abi.h"
#include "lower/lower_priv.h"

/* Calls the function whose address is in a field of ctx. */
static LLVMValueRef
ctx_call(struct ls_vf *vf, size_t field, LLVMTypeRef result, bool with_ctx)
{
    LLVMTypeRef type = LLVMFunctionType(result, &vf->ptr, with_ctx ? 1 : 0, 0);
    LLVMValueRef fn = ls_vf_ctx_load(vf, field, vf->ptr, "");
    return LLVMBuildCall2(vf->b, type, fn, &vf->ctx, with_ctx ? 1 : 0, "");
}

LLVMValueRef
ls_lower_ctx(struct ls_vf *vf, LLVMValueRef call, long data)
{
    (void)call, (void)data;
    return vf->ctx;
}

static const size_t ctx_calls[] = {
    [LS_CALL_BARRIER] = offsetof(struct ls_cpu_ctx, barrier),
    [LS_CALL_YIELD] = offsetof(struct ls_cpu_ctx, yield),
    [LS_CALL_GRID_SYNC] = offsetof(struct ls_cpu_ctx, grid_sync),
};

/* ls.barrier, ls.yield, ls.grid_sync, s_sleep: one call for the warp, if any of its lanes is on.
 * data: index into ctx_calls */
LLVMValueRef
ls_lower_ctx_call(struct ls_vf *vf, LLVMValueRef call, long data)
{
    (void)call;
    ctx_call(vf, ctx_calls[data], vf->voidt, true);
    return NULL;
}

/* ---- Clocks: the same for the whole warp ---- */

static LLVMValueRef
clock_read(struct ls_vf *vf, long which)
{
    size_t field = which == LS_CLOCK_WALL ? offsetof(struct ls_cpu_ctx, wall_clock)
                                       : offsetof(struct ls_cpu_ctx, clock);
    return ctx_call(vf, field, vf->i64, false);
}

LLVMValueRef
ls_lower_clock(struct ls_vf *vf, LLVMValueRef call, long data)
{
    (void)call;
    return clock_read(vf, data);
}

/* s.sendmsg.rtn: the messages that ask for a clock */
LLVMValueRef
ls_lower_sendmsg_rtn(struct ls_vf *vf, LLVMValueRef call, long data)
{
    enum { GET_REALTIME = 131 };
    unsigned long long message;

    (void)data;
    if (!ls_lower_const_arg(vf, call, 0, &message))
        return NULL;
    if (message != GET_REALTIME) {
        ls_diag(vf->cc, LS_DIAG_ERROR, call, "s_sendmsg_rtn of message %llu is not supported",
                message);
        return NULL;
    }
    LLVMValueRef now = clock_read(vf, LS_CLOCK_WALL);
    return ls_lanes_bits(LLVMTypeOf(call)) < 64 ? B_TRUNC(now, vf->i32) : now;
}

/* ---- Hardware registers ---- */

enum hwreg {
    HWREG_MODE = 1,
    HWREG_STATUS = 2,
    HWREG_HW_ID = 4,
    HWREG_XCC_ID = 20,
    HWREG_HW_ID1 = 23,
    HWREG_HW_ID2 = 24,
    HWREG_SHADER_CYCLES = 29,
};

/* Rounding to nearest, denormals kept in all widths, DX10 clamp and IEEE mode on: how kernels
 * start. */
#define MODE_DEFAULT 0x3f0u
#define MODE_ROUND_AND_DENORM_BITS 8

/* A register number as in s_getreg: id, offset, size - 1. */
struct hwreg_field {
    unsigned id, offset, size;
};

static struct hwreg_field
hwreg_decode(unsigned long long code)
{
    struct hwreg_field f = {code & 63, (code >> 6) & 31, ((code >> 11) & 31) + 1};
    return f;
}

LLVMValueRef
ls_lower_getreg(struct ls_vf *vf, LLVMValueRef call, long data)
{
    unsigned long long code;
    LLVMValueRef value;

    (void)data;
    if (!ls_lower_const_arg(vf, call, 0, &code))
        return NULL;
    struct hwreg_field f = hwreg_decode(code);
    switch (f.id) {
    case HWREG_MODE:
        value = ls_vf_const(vf, vf->i32, MODE_DEFAULT);
        break;
    case HWREG_HW_ID: /* all zeros: every warp answers that it runs in the first slot of the first
                         compute unit */
    case HWREG_XCC_ID:
    case HWREG_HW_ID1:
    case HWREG_HW_ID2:
        value = ls_vf_const(vf, vf->i32, 0);
        break;
    case HWREG_SHADER_CYCLES:
        value = B_TRUNC(clock_read(vf, LS_CLOCK_CYCLES), vf->i32);
        value = B_AND(value, B_INT(value, 0xfffff)); /* twenty bits wide */
        break;
    default:
        ls_diag(vf->cc, LS_DIAG_ERROR, call, "s_getreg of hardware register %u is not supported",
                f.id);
        return NULL;
    }
    value = B_LSHR(value, B_INT(value, f.offset));
    return f.size < 32 ? B_AND(value, B_INT(value, (1u << f.size) - 1)) : value;
}

/* Writes are accepted where they set what is set already; another rounding mode would be wrong
 * code. */
LLVMValueRef
ls_lower_setreg(struct ls_vf *vf, LLVMValueRef call, long data)
{
    unsigned long long code, value;

    (void)data;
    if (!ls_lower_const_arg(vf, call, 0, &code))
        return NULL;
    struct hwreg_field f = hwreg_decode(code);
    if (f.id == HWREG_MODE) {
        unsigned mask = f.size < 32 ? (1u << f.size) - 1 : ~0u;
        if (f.offset >= MODE_ROUND_AND_DENORM_BITS)
            return NULL; /* exceptions and clamping: nothing here depends on them */
        if (LLVMIsAConstantInt(LLVMGetOperand(call, 1)) &&
            ls_lower_const_arg(vf, call, 1, &value) &&
            ((value ^ (MODE_DEFAULT >> f.offset)) & mask) == 0)
            return NULL;
    }
    ls_diag(vf->cc, LS_DIAG_ERROR, call, "s_setreg of hardware register %u is not supported", f.id);
    return NULL;
}

/* The environment: MODE in the lower half; no exceptions in the upper one, which nothing keeps. */
LLVMValueRef
ls_lower_get_fpenv(struct ls_vf *vf, LLVMValueRef call, long data)
{
    (void)call;
    (void)data;
    return ls_vf_const(vf, vf->i64, MODE_DEFAULT);
}

/* As for s_setreg, rounding and denormals must stay what they are: a constant that says so, or what
 * was got before. */
LLVMValueRef
ls_lower_set_fpenv(struct ls_vf *vf, LLVMValueRef call, long data)
{
    const unsigned long long mask = (1u << MODE_ROUND_AND_DENORM_BITS) - 1;
    LLVMValueRef env = LLVMGetOperand(call, 0);

    (void)data;
    if (LLVMIsAConstantInt(env)) {
        unsigned long long value = LLVMConstIntGetZExtValue(env);
        if (((value ^ MODE_DEFAULT) & mask) == 0)
            return NULL;
        ls_diag(vf->cc, LS_DIAG_ERROR, call,
                "set_fpenv with mode %#llx is not supported: kernels run with %#llx", value & mask,
                MODE_DEFAULT & mask);
        return NULL;
    }
    if (!LLVMIsACallInst(env) || strcmp(ls_lower_callee_name(env), "llvm.get.fpenv.i64") != 0)
        ls_diag(vf->cc, LS_DIAG_ERROR, call,
                "set_fpenv of what is neither a constant nor get_fpenv's is not supported");
    return NULL;
}

/* ---- Traps ---- */

/* data: the kind, from enum ls_cpu_trap */
static void
trap_build(struct ls_vf *vf, unsigned kind)
{
    struct ls_lane_loop loop;
    LLVMValueRef arg = ls_vf_const(vf, vf->i64, kind);

    ls_vf_lanes_begin(vf, &loop);
    ls_vf_service(vf, LS_SVC_TRAP, loop.lane, &arg, 1);
    ls_vf_lanes_end(vf, &loop);
}

LLVMValueRef
ls_lower_trap(struct ls_vf *vf, LLVMValueRef call, long data)
{
    (void)call;
    trap_build(vf, (unsigned)data);
    return NULL;
}

/* s.trap: 2 ends the kernel, 3 is for a debugger */
LLVMValueRef
ls_lower_s_trap(struct ls_vf *vf, LLVMValueRef call, long data)
{
    unsigned long long id;

    (void)data;
    if (!ls_lower_const_arg(vf, call, 0, &id))
        return NULL;
    trap_build(vf, id == 3 ? LS_TRAP_DEBUG : LS_TRAP_TRAP);
    return NULL;
}

/* ---- Services: each active lane asks for itself ---- */

/* Passes the arguments of the call to the service; `more`: a further one behind them, or NULL. */
static LLVMValueRef
service_call(struct ls_vf *vf, LLVMValueRef call, unsigned service, LLVMValueRef more)
{
    enum { ARGS_MAX = LS_SVC_MAX_ARGS };
    unsigned n = LLVMGetNumArgOperands(call);
    LLVMValueRef args[ARGS_MAX], now[ARGS_MAX];
    LLVMTypeRef type = LLVMTypeOf(call);
    bool has_result = type != vf->voidt;
    struct ls_lower_results results;
    struct ls_lane_loop loop;

    if (n + (more != NULL) > ARGS_MAX) {
        ls_diag(vf->cc, LS_DIAG_ERROR, call, "%s with %u arguments (at most %d)",
                ls_lower_callee_name(call), n + (more != NULL), ARGS_MAX);
        return NULL;
    }
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef old = LLVMGetOperand(call, i);
        bool is_pointer = LLVMGetTypeKind(LLVMTypeOf(old)) == LLVMPointerTypeKind;
        bool uniform = ls_vf_is_uniform(vf, old);
        if (is_pointer)
            args[i] = uniform ? ls_vf_address_scalar(vf, old) : ls_vf_address_vector(vf, old);
        else
            args[i] = uniform ? ls_vf_scalar(vf, old) : ls_vf_vector(vf, old);
        args[i] = ls_lower_to_slot(vf, args[i]);
    }
    if (more)
        args[n++] = more;
    if (has_result)
        ls_lower_results_begin(vf, vf->i64, &results);
    ls_vf_lanes_begin(vf, &loop);
    for (unsigned i = 0; i < n; i++) {
        bool one = LLVMTypeOf(args[i]) == vf->i64;
        now[i] = one ? args[i] : ls_vf_lane_get(vf, args[i], loop.lane);
    }
    LLVMValueRef result = ls_vf_service(vf, service, loop.lane, now, n);
    if (has_result)
        ls_lower_results_set(vf, &results, loop.lane, result);
    ls_vf_lanes_end(vf, &loop);
    if (!has_result)
        return NULL;
    result = ls_lower_results_end(vf, &results);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        result = LLVMBuildIntToPtr(vf->b, result, LLVMVectorType(vf->ptr, vf->n_lanes), "");
    else if (ls_lanes_bits(type) < 64)
        result = B_TRUNC(result, LLVMVectorType(type, vf->n_lanes));
    return ls_lower_finish(vf, call, result);
}

/* data: enum ls_cpu_service */
LLVMValueRef
ls_lower_service_call(struct ls_vf *vf, LLVMValueRef call, long data)
{
    return service_call(vf, call, (unsigned)data, NULL);
}

/* ---- printf of -mprintf-kind=buffered: clang says by a hash what is printed ---- */

#define FORMATS_METADATA "llvm.printf.fmts" /* "number:number:hash,text" each */

/* The text in the first operand of the node; NULL when it has none. */
static const char *
format_text(struct ls_vf *vf, LLVMValueRef node, size_t *n)
{
    LLVMValueRef text;
    const char *s, *hash;
    unsigned bytes;

    if (LLVMGetMDNodeNumOperands(node) == 0)
        return NULL;
    LLVMGetMDNodeOperands(node, &text);
    s = LLVMGetMDString(text, &bytes);
    if (!s || !(hash = memchr(s, ':', bytes)) ||
        !(hash = memchr(hash + 1, ':', bytes - (size_t)(hash + 1 - s))))
        return NULL;
    *n = bytes - (size_t)(hash + 1 - s);
    return ls_arena_printf(vf->cc->arena, "%.*s", (int)*n, hash + 1);
}

/* The formats in the form that LS_SVC_PRINTF_ALLOC takes. */
static LLVMValueRef
formats(struct ls_vf *vf)
{
    static const char name[] = "ls.printf_formats";
    unsigned n = LLVMGetNamedMetadataNumOperands(vf->mod, FORMATS_METADATA);
    LLVMValueRef table = LLVMGetNamedGlobal(vf->mod, name), *nodes, all;
    size_t bytes = 0, at = 0, length;
    char *text;

    if (table)
        return table;
    nodes = ls_arena_alloc(vf->cc->arena, (n + 1) * sizeof(*nodes));
    LLVMGetNamedMetadataOperands(vf->mod, FORMATS_METADATA, nodes);
    for (unsigned i = 0; i < n; i++)
        if (format_text(vf, nodes[i], &length))
            bytes += length + 1;
    text = ls_arena_alloc(vf->cc->arena, bytes + 1); /* zeros */
    for (unsigned i = 0; i < n; i++) {
        const char *one = format_text(vf, nodes[i], &length);

        if (!one)
            continue;
        memcpy(text + at, one, strlen(one));
        at += strlen(one) + 1;
    }
    all = LLVMConstStringInContext2(vf->llvm, text, at + 1, true);
    table = LLVMAddGlobal(vf->mod, LLVMTypeOf(all), name);
    LLVMSetInitializer(table, all);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(table, 1);
    return table;
}

LLVMValueRef
ls_lower_printf_alloc(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef table = LLVMBuildPtrToInt(vf->b, formats(vf), vf->i64, "");

    return service_call(vf, call, (unsigned)data, table);
}
