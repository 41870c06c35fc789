/* SPDX-License-Identifier: MIT */
/* Code for whole blocks: those in which all guards hold in all threads (ir/guards.h). A function
 * says how many blocks are whole from one on, by the interval in which each side of a comparison
 * lies over a range of blocks; another runs so many blocks of a row, without masks, as one loop. */
#include "host/host.h"

#include <stddef.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "base/log.h"
#include "compiler/ir/guards.h"
#include "compiler/ir/ir.h"
#include "device/cpu/kernel_abi.h"
#include "host/whole.h"

struct tester {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    LLVMTypeRef i1, i32, i64;
    LLVMValueRef fn;
    LLVMValueRef first, last; /* i64: blocks of the row that are looked at */
    LLVMValueRef ok;          /* i1: so far, all guards hold, and no value wraps */
};

struct interval {
    LLVMValueRef lo, hi; /* i64 */
};

enum { MAX_EACH = 64 };    /* elements of a register */
enum { CODE_LIMIT = 600 }; /* instructions of an unrolled loop over warps, about */

static LLVMValueRef
long_const(struct tester *t, int64_t v)
{
    return LLVMConstInt(t->i64, (uint64_t)v, true);
}

static LLVMValueRef
read_at(struct tester *t, LLVMValueRef base, uint64_t offset, LLVMTypeRef type)
{
    LLVMValueRef index = LLVMConstInt(t->i64, offset, false), load;
    LLVMTypeRef i8 = LLVMInt8TypeInContext(t->cc->llvm);

    load = LLVMBuildLoad2(t->b, type, LLVMBuildInBoundsGEP2(t->b, i8, base, &index, 1, ""), "");
    LLVMSetAlignment(load, 1);
    return load;
}

/* The value of a term that is the same in the whole row. */
static LLVMValueRef
value_of(struct tester *t, const struct ls_term *term)
{
    LLVMTypeRef type = LLVMIntTypeInContext(t->cc->llvm, term->bits);
    LLVMTypeRef ptr = LLVMPointerTypeInContext(t->cc->llvm, 0);
    LLVMValueRef ctx = LLVMGetParam(t->fn, 0), kernarg;
    unsigned n = t->cc->n_kernargs;

    switch (term->op) {
    case LS_TERM_CONST:
        return LLVMConstInt(type, term->value, false);
    case LS_TERM_ARG:
        return LLVMGetParam(t->fn, (unsigned)term->value + 1);
    case LS_TERM_BLOCK:
        return LLVMGetParam(t->fn, n + 2 + (unsigned)term->value);
    case LS_TERM_CTX:
        return read_at(t, ctx, term->value, type);
    case LS_TERM_KERNARG:
        kernarg = read_at(t, ctx, offsetof(struct ls_cpu_ctx, kernarg), ptr);
        return read_at(t, kernarg, term->value, type);
    case LS_TERM_BINARY:
        return LLVMBuildBinOp(t->b, term->opcode, value_of(t, term->a), value_of(t, term->b), "");
    case LS_TERM_CAST:
        return LLVMBuildCast(t->b, term->opcode, value_of(t, term->a), type, "");
    case LS_TERM_RANGE:
    case LS_TERM_WARP:
    case LS_TERM_NONE:
    default:
        LS_BUG("a term of kind %d in a value", (int)term->op);
    }
}

static void
require(struct tester *t, LLVMValueRef cond)
{
    t->ok = LLVMBuildAnd(t->b, t->ok, cond, "");
}

static LLVMValueRef
compare(struct tester *t, LLVMIntPredicate p, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(t->b, p, a, b, "");
}

/* Requires that the exact value is what its bits say, read as a number with a sign or without. */
static void
require_fits(struct tester *t, const struct interval *v, unsigned bits, bool is_signed)
{
    int64_t least = is_signed && bits < 64 ? -((int64_t)1 << (bits - 1)) : 0;
    int64_t most = bits == 64 ? INT64_MAX : ((int64_t)1 << (is_signed ? bits - 1 : bits)) - 1;

    if (is_signed && bits == 64)
        return; /* all exact values are below 2^62 */
    require(t, compare(t, LLVMIntSGE, v->lo, long_const(t, least)));
    if (bits < 64)
        require(t, compare(t, LLVMIntSLE, v->hi, long_const(t, most)));
}

static LLVMValueRef
extend(struct tester *t, LLVMValueRef v, bool is_signed)
{
    return is_signed ? LLVMBuildSExt(t->b, v, t->i64, "") : LLVMBuildZExt(t->b, v, t->i64, "");
}

static struct interval range_of(struct tester *t, const struct ls_term *term);

static struct interval
scaled(struct tester *t, struct interval v, LLVMValueRef by)
{
    LLVMValueRef a = LLVMBuildMul(t->b, v.lo, by, ""), b = LLVMBuildMul(t->b, v.hi, by, "");
    LLVMValueRef rises = compare(t, LLVMIntSLE, a, b);

    return (struct interval){LLVMBuildSelect(t->b, rises, a, b, ""),
                             LLVMBuildSelect(t->b, rises, b, a, "")};
}

/* Its bits under a mask: the value itself, where that is within a mask of low ones. */
static struct interval
masked(struct tester *t, struct interval v, uint64_t mask)
{
    LLVMValueRef most = long_const(t, (int64_t)mask), zero = long_const(t, 0);
    LLVMValueRef inside = LLVMBuildAnd(t->b, compare(t, LLVMIntSGE, v.lo, zero),
                                       compare(t, LLVMIntSLE, v.hi, most), "");

    if (mask & (mask + 1))
        return (struct interval){zero, most};
    return (struct interval){LLVMBuildSelect(t->b, inside, v.lo, zero, ""),
                             LLVMBuildSelect(t->b, inside, v.hi, most, "")};
}

static struct interval
binary_range(struct tester *t, const struct ls_term *term)
{
    struct interval a = range_of(t, term->a), b;
    LLVMValueRef count;

    switch (term->opcode) {
    case LLVMAdd:
        b = range_of(t, term->b);
        return (struct interval){LLVMBuildAdd(t->b, a.lo, b.lo, ""),
                                 LLVMBuildAdd(t->b, a.hi, b.hi, "")};
    case LLVMSub:
        b = range_of(t, term->b);
        return (struct interval){LLVMBuildSub(t->b, a.lo, b.hi, ""),
                                 LLVMBuildSub(t->b, a.hi, b.lo, "")};
    case LLVMMul:
        b = range_of(t, term->b);
        return term->a->varies ? scaled(t, a, b.lo) : scaled(t, b, a.lo);
    case LLVMShl:
        return scaled(t, a, long_const(t, (int64_t)1 << term->b->value));
    case LLVMLShr:
        require_fits(t, &a, term->bits, false);
        count = long_const(t, (int64_t)term->b->value);
        return (struct interval){LLVMBuildLShr(t->b, a.lo, count, ""),
                                 LLVMBuildLShr(t->b, a.hi, count, "")};
    case LLVMAnd:
        return masked(t, a, term->b->value);
    default:
        LS_BUG("an operation %d on an interval", (int)term->opcode);
    }
}

/* Where the exact values of a term lie, of which its bits are the low ones. */
static struct interval
range_of(struct tester *t, const struct ls_term *term)
{
    struct interval v;

    if (!term->varies) {
        v.lo = v.hi = extend(t, value_of(t, term), true);
        return v;
    }
    switch (term->op) {
    case LS_TERM_BLOCK:
        return (struct interval){t->first, t->last};
    case LS_TERM_RANGE:
        return (struct interval){long_const(t, 0), long_const(t, (int64_t)term->value)};
    case LS_TERM_WARP:
        v.hi = read_at(t, LLVMGetParam(t->fn, 0), offsetof(struct ls_cpu_ctx, n_warps), t->i32);
        v.hi = LLVMBuildSub(t->b, extend(t, v.hi, false), long_const(t, 1), "");
        return (struct interval){long_const(t, 0), v.hi};
    case LS_TERM_BINARY:
        return binary_range(t, term);
    case LS_TERM_CAST:
        v = range_of(t, term->a);
        if (term->opcode != LLVMTrunc)
            require_fits(t, &v, term->a->bits, term->opcode == LLVMSExt);
        return v;
    case LS_TERM_CONST:
    case LS_TERM_ARG:
    case LS_TERM_CTX:
    case LS_TERM_KERNARG:
    case LS_TERM_NONE:
    default:
        LS_BUG("a term of kind %d that varies", (int)term->op);
    }
}

static bool
is_signed(LLVMIntPredicate p)
{
    return p != LLVMIntUGT && p != LLVMIntUGE && p != LLVMIntULT && p != LLVMIntULE;
}

static struct interval
side(struct tester *t, const struct ls_term *term, bool with_sign)
{
    struct interval v;

    if (term->varies) {
        v = range_of(t, term);
        require_fits(t, &v, term->bits, with_sign);
        return v;
    }
    v.lo = v.hi = extend(t, value_of(t, term), with_sign);
    if (!with_sign && term->bits == 64)
        require(t, compare(t, LLVMIntSGE, v.lo, long_const(t, 0)));
    return v;
}

static void
require_guard(struct tester *t, const struct ls_guard *g)
{
    bool with_sign = is_signed(g->predicate);
    struct interval a = side(t, g->a, with_sign), b = side(t, g->b, with_sign);

    switch (g->predicate) {
    case LLVMIntSLT:
    case LLVMIntULT:
        require(t, compare(t, LLVMIntSLT, a.hi, b.lo));
        break;
    case LLVMIntSLE:
    case LLVMIntULE:
        require(t, compare(t, LLVMIntSLE, a.hi, b.lo));
        break;
    case LLVMIntSGT:
    case LLVMIntUGT:
        require(t, compare(t, LLVMIntSGT, a.lo, b.hi));
        break;
    case LLVMIntSGE:
    case LLVMIntUGE:
        require(t, compare(t, LLVMIntSGE, a.lo, b.hi));
        break;
    case LLVMIntNE:
        require(t, LLVMBuildOr(t->b, compare(t, LLVMIntSLT, a.hi, b.lo),
                               compare(t, LLVMIntSGT, a.lo, b.hi), ""));
        break;
    case LLVMIntEQ:
    default:
        LS_BUG("a guard that holds for one thread");
    }
}

/* A function of ctx, the kernel's parameters, and i32 n, x, y, z. */
static LLVMValueRef
new_function(struct ls_cc *cc, const char *name, LLVMTypeRef result)
{
    LLVMTypeRef program = LLVMGlobalGetValueType(LLVMGetNamedFunction(cc->mod, LS_FN_PROGRAM));
    unsigned n = cc->n_kernargs + 5;
    LLVMTypeRef *types = ls_arena_alloc(cc->arena, n * sizeof(LLVMTypeRef));
    LLVMValueRef fn;

    LLVMGetParamTypes(program, types); /* those of a program are as many, the last ones i32, too */
    fn = LLVMAddFunction(cc->mod, name, LLVMFunctionType(result, types, n, false));
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    LLVMAddAttributeAtIndex(fn, 1, ls_ir_attribute(cc, "noalias", 0));
    return fn;
}

/* i32 ls.whole(ctx, ..., i32 n, i32 x, i32 y, i32 z): how many of the n > 0 blocks from x on are
 * whole. Tried are all; the first; all but the last; then halves. */
LLVMValueRef
ls_whole_build_test(struct ls_cc *cc)
{
    struct tester t = {.cc = cc, .b = LLVMCreateBuilderInContext(cc->llvm)};
    LLVMBasicBlockRef entry, loop, more, done;
    LLVMValueRef n, x, zero, one, known, limit, probe, left, next, end[2];
    unsigned at = cc->n_kernargs + 1;

    t.i1 = LLVMInt1TypeInContext(cc->llvm);
    t.i32 = LLVMInt32TypeInContext(cc->llvm);
    t.i64 = LLVMInt64TypeInContext(cc->llvm);
    t.fn = new_function(cc, "ls.whole", t.i32);
    entry = LLVMAppendBasicBlockInContext(cc->llvm, t.fn, "entry");
    loop = LLVMAppendBasicBlockInContext(cc->llvm, t.fn, "try");
    more = LLVMAppendBasicBlockInContext(cc->llvm, t.fn, "more");
    done = LLVMAppendBasicBlockInContext(cc->llvm, t.fn, "done");
    n = LLVMGetParam(t.fn, at);
    x = LLVMGetParam(t.fn, at + 1);
    zero = LLVMConstNull(t.i32);
    one = LLVMConstInt(t.i32, 1, false);
    LLVMPositionBuilderAtEnd(t.b, entry);
    limit = LLVMBuildAdd(t.b, n, one, "");
    LLVMBuildBr(t.b, loop);

    LLVMPositionBuilderAtEnd(t.b, loop);
    LLVMValueRef phi[3] = {LLVMBuildPhi(t.b, t.i32, "known"), LLVMBuildPhi(t.b, t.i32, "limit"),
                           LLVMBuildPhi(t.b, t.i32, "probe")};
    LLVMValueRef first[3] = {zero, limit, n};
    for (unsigned i = 0; i < 3; i++)
        LLVMAddIncoming(phi[i], &first[i], &entry, 1);
    t.first = LLVMBuildZExt(t.b, x, t.i64, "");
    t.last = LLVMBuildAdd(t.b, t.first, LLVMBuildZExt(t.b, phi[2], t.i64, ""), "");
    t.last = LLVMBuildSub(t.b, t.last, LLVMConstInt(t.i64, 1, false), "");
    t.ok = LLVMConstAllOnes(t.i1);
    for (unsigned i = 0; i < cc->guards->n; i++)
        require_guard(&t, &cc->guards->guard[i]);
    known = LLVMBuildSelect(t.b, t.ok, phi[2], phi[0], "");
    limit = LLVMBuildSelect(t.b, t.ok, phi[1], phi[2], "");
    left = LLVMBuildSub(t.b, limit, known, "");
    LLVMBuildCondBr(t.b, LLVMBuildICmp(t.b, LLVMIntULE, left, one, ""), done, more);

    LLVMPositionBuilderAtEnd(t.b, more);
    end[0] = LLVMBuildICmp(t.b, LLVMIntEQ, known, zero, "");
    end[1] = LLVMBuildICmp(t.b, LLVMIntEQ, phi[2], one, "");
    probe = LLVMBuildAdd(t.b, known, LLVMBuildLShr(t.b, left, one, ""), "");
    next = LLVMBuildSub(t.b, limit, one, "");
    probe = LLVMBuildSelect(t.b, end[1], next, probe, "");
    probe = LLVMBuildSelect(t.b, end[0], one, probe, "");
    LLVMValueRef again[3] = {known, limit, probe};
    for (unsigned i = 0; i < 3; i++)
        LLVMAddIncoming(phi[i], &again[i], &more, 1);
    LLVMBuildBr(t.b, loop);
    LLVMPositionBuilderAtEnd(t.b, done);
    LLVMBuildRet(t.b, known);
    LLVMDisposeBuilder(t.b);
    return t.fn;
}

/* Lines of the program stay known where it is inlined: the function around it has a description of
 * its own for that. */
static LLVMMetadataRef
describe(struct ls_cc *cc, LLVMValueRef fn, LLVMMetadataRef program)
{
    LLVMDIBuilderRef di = LLVMCreateDIBuilder(cc->mod);
    LLVMMetadataRef file = LLVMDIScopeGetFile(program), type, sp;
    unsigned line = LLVMDISubprogramGetLine(program);
    size_t len;
    const char *name = LLVMGetValueName2(fn, &len);

    LLVMDIBuilderCreateCompileUnit(di, LLVMDWARFSourceLanguageC_plus_plus_14, file, "lockstep", 8,
                                   true, "", 0, 0, "", 0, LLVMDWARFEmissionLineTablesOnly, 0, false,
                                   false, "", 0, "", 0);
    type = LLVMDIBuilderCreateSubroutineType(di, file, NULL, 0, LLVMDIFlagZero);
    sp = LLVMDIBuilderCreateFunction(di, file, name, len, name, len, file, line, type, true, true,
                                     line, LLVMDIFlagArtificial, true);
    LLVMSetSubprogram(fn, sp);
    LLVMDIBuilderFinalize(di);
    LLVMDisposeDIBuilder(di);
    return LLVMDIBuilderCreateDebugLocation(cc->llvm, line, 0, sp, NULL);
}

/* void name(ctx, ..., i32 n, i32 x, i32 y, i32 z) runs n > 0 whole blocks of a row. */
LLVMValueRef
ls_whole_build_run(struct ls_cc *cc, const char *name)
{
    LLVMValueRef program = LLVMGetNamedFunction(cc->mod, LS_FN_PROGRAM), fn, *args, call;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(cc->llvm);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);
    LLVMBasicBlockRef entry, row, loop, row_end, done;
    LLVMValueRef x, first, next, end, w, w_next;
    LLVMMetadataRef sp = LLVMGetSubprogram(program);
    unsigned n = cc->n_kernargs;

    fn = new_function(cc, name, LLVMVoidTypeInContext(cc->llvm));
    LLVMMetadataRef location = sp ? describe(cc, fn, sp) : NULL;
    args = ls_arena_alloc(cc->arena, (n + 5) * sizeof(LLVMValueRef));
    entry = LLVMAppendBasicBlockInContext(cc->llvm, fn, "entry");
    row = LLVMAppendBasicBlockInContext(cc->llvm, fn, "row");
    loop = LLVMAppendBasicBlockInContext(cc->llvm, fn, "block");
    row_end = LLVMAppendBasicBlockInContext(cc->llvm, fn, "row.end");
    done = LLVMAppendBasicBlockInContext(cc->llvm, fn, "done");
    LLVMPositionBuilderAtEnd(b, entry);
    first = LLVMGetParam(fn, n + 2);
    end = LLVMBuildAdd(b, first, LLVMGetParam(fn, n + 1), "end");
    LLVMBuildBr(b, row);

    LLVMPositionBuilderAtEnd(b, row);
    w = LLVMBuildPhi(b, i32, "w");
    w_next = LLVMConstNull(i32);
    LLVMAddIncoming(w, &w_next, &entry, 1);
    LLVMBuildBr(b, loop);

    LLVMPositionBuilderAtEnd(b, loop);
    x = LLVMBuildPhi(b, i32, "x");
    LLVMAddIncoming(x, &first, &row, 1);
    for (unsigned i = 0; i <= n; i++)
        args[i] = LLVMGetParam(fn, i);
    args[n + 1] = x;
    args[n + 2] = LLVMGetParam(fn, n + 3);
    args[n + 3] = LLVMGetParam(fn, n + 4);
    args[n + 4] = w;
    call = LLVMBuildCall2(b, LLVMGlobalGetValueType(program), program, args, n + 5, "");
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                             ls_ir_attribute(cc, "alwaysinline", 0));
    if (location)
        LLVMInstructionSetDebugLoc(call, location);
    next = LLVMBuildAdd(b, x, LLVMConstInt(i32, 1, false), "");
    LLVMAddIncoming(x, &next, &loop, 1);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, next, end, ""), row_end, loop);

    LLVMPositionBuilderAtEnd(b, row_end);
    w_next = LLVMBuildNUWAdd(b, w, LLVMConstInt(i32, cc->guards->row_warps, false), "");
    LLVMSetNSW(w_next, true);
    LLVMAddIncoming(w, &w_next, &row_end, 1);
    end = LLVMConstInt(i32, cc->n_warps, false);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, w_next, end, ""), row, done);
    LLVMPositionBuilderAtEnd(b, done);
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    return fn;
}

LLVMValueRef
ls_whole_declare(struct ls_cc *cc, const char *name)
{
    LLVMValueRef fn = new_function(cc, name, LLVMVoidTypeInContext(cc->llvm));

    LLVMSetLinkage(fn, LLVMExternalLinkage);
    return fn;
}

/* LLVM copies a function when it is inlined. */
bool
ls_whole_copy(struct ls_cc *cc, LLVMValueRef fn, LLVMValueRef of)
{
    LLVMMetadataRef sp = LLVMGetSubprogram(of), location = sp ? describe(cc, fn, sp) : NULL;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);
    unsigned n = LLVMCountParams(of);
    LLVMValueRef *args = ls_arena_alloc(cc->arena, n * sizeof(LLVMValueRef)), call;

    LLVMSetLinkage(fn, LLVMInternalLinkage);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(cc->llvm, fn, "entry"));
    LLVMGetParams(fn, args);
    call = LLVMBuildCall2(b, LLVMGlobalGetValueType(of), of, args, n, "");
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                             ls_ir_attribute(cc, "alwaysinline", 0));
    if (location)
        LLVMInstructionSetDebugLoc(call, location);
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    return ls_ir_run_passes(cc, NULL, "always-inline");
}

bool
ls_whole_is_possible(struct ls_cc *cc)
{
    LLVMValueRef program = LLVMGetNamedFunction(cc->mod, LS_FN_PROGRAM);

    if (!cc->guards || cc->mode != LS_CPU_MODE_BLOCK || ls_host_opt_level(cc) == 0)
        return false;
    /* What the program calls may ask where it is. */
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(program); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            const char *name = LLVMIsACallInst(i) ? ls_ir_callee_name(i) : "llvm.";

            if (!name || !ls_ir_has_prefix(name, "llvm."))
                return false;
        }
    return true;
}

/* Removes what keeps the warp's number for reports of faults: the report runs the blocks again. */
static void
forget_warps(LLVMValueRef fn)
{
    LLVMValueRef ctx = LLVMGetParam(fn, 0);

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            LLVMValueRef at = LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 1) : NULL;

            next = LLVMGetNextInstruction(i);
            if (at && LLVMGetVolatile(i) && LLVMIsAGetElementPtrInst(at) &&
                LLVMGetOperand(at, 0) == ctx && LLVMIsAConstantInt(LLVMGetOperand(at, 1)) &&
                LLVMConstIntGetZExtValue(LLVMGetOperand(at, 1)) ==
                    offsetof(struct ls_cpu_ctx, cur_warp))
                LLVMInstructionEraseFromParent(i);
        }
}

void
ls_whole_settle(struct ls_cc *cc, LLVMValueRef fn)
{
    ls_guards_settle(cc, fn, true);
    forget_warps(fn);
}

/* Stores of several registers become one for each: those that LLVM splits a store into come out
 * last first, and the processor follows rising addresses better. */
static void
split_store(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef store)
{
    LLVMValueRef value = LLVMGetOperand(store, 0), lanes[MAX_EACH];
    LLVMTypeRef type = LLVMTypeOf(value), i32 = LLVMInt32TypeInContext(cc->llvm), elem;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cc->mod);
    unsigned n, each, align = LLVMGetAlignment(store);
    unsigned long long bytes;

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetVolatile(store))
        return;
    n = LLVMGetVectorSize(type);
    elem = LLVMGetElementType(type);
    bytes = LLVMABISizeOfType(layout, elem);
    each = (unsigned)(cc->isa->vector_bits / 8 / bytes);
    if (bytes > 8 || LLVMStoreSizeOfType(layout, type) != n * bytes || each == 0 || n <= each ||
        n % each || each > MAX_EACH)
        return;
    LLVMPositionBuilderBefore(b, store);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(store));
    for (unsigned first = 0; first < n; first += each) {
        LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(cc->llvm), first * bytes, false),
                     part;

        for (unsigned i = 0; i < each; i++)
            lanes[i] = LLVMConstInt(i32, first + i, false);
        part =
            LLVMBuildShuffleVector(b, value, LLVMGetPoison(type), LLVMConstVector(lanes, each), "");
        at = LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(cc->llvm), LLVMGetOperand(store, 1),
                                   &at, 1, "");
        part = LLVMBuildStore(b, part, first ? at : LLVMGetOperand(store, 1));
        LLVMSetAlignment(part, align < each * bytes ? align : (unsigned)(each * bytes));
        LLVMSetMetadata(part, ls_ir_md_kind(cc, "nontemporal"),
                        LLVMGetMetadata(store, ls_ir_md_kind(cc, "nontemporal")));
    }
    LLVMInstructionEraseFromParent(store);
}

void
ls_whole_split_stores(struct ls_cc *cc, LLVMValueRef fn)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (LLVMIsAStoreInst(i))
                split_store(cc, b, i);
        }
    LLVMDisposeBuilder(b);
}

/* Loops */

struct loops {
    struct ls_cc *cc;
    struct ls_ptrmap state; /* by block: 1 on the way, 2 done */
    LLVMValueRef *latch;    /* branches back, those of inner loops first */
    unsigned n;
};

static void
walk(struct loops *l, LLVMBasicBlockRef bb)
{
    static char on_way, done;
    LLVMValueRef term = LLVMGetBasicBlockTerminator(bb);

    ls_ptrmap_set(&l->state, bb, &on_way);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(term); i++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(term, i);
        void *state = ls_ptrmap_get(&l->state, to);

        if (!state)
            walk(l, to);
        if (state == &on_way)
            l->latch[l->n++] = term;
    }
    ls_ptrmap_set(&l->state, bb, &done);
}

static unsigned
size_of(LLVMValueRef fn)
{
    unsigned n = 0;

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            n++;
    return n;
}

/* How many warps an iteration has: a divisor of their number. */
static unsigned
warps_at_once(const struct ls_cc *cc, LLVMValueRef fn)
{
    unsigned registers = cc->n_lanes * 32 / cc->isa->vector_bits;
    unsigned each = size_of(fn) * (registers ? registers : 1), n = cc->guards->row_warps, count = n;

    if (n == 0) /* not known: so many at once, and what remains one by one */
        return 4;
    while (count > 1 && (n % count || count * each > CODE_LIMIT || count > 16))
        count--;
    return count;
}

static void
find_loops(struct loops *l, struct ls_cc *cc, LLVMValueRef fn)
{
    unsigned n_edges = 0;

    *l = (struct loops){.cc = cc};
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        n_edges += LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(bb));
    ls_ptrmap_init(&l->state, cc->arena);
    l->latch = ls_arena_alloc(cc->arena, n_edges * sizeof(LLVMValueRef));
    walk(l, LLVMGetEntryBasicBlock(fn));
}

bool
ls_whole_straighten(struct ls_cc *cc, LLVMValueRef fn)
{
    bool wanted = false;

    for (LLVMValueRef f = LLVMGetFirstFunction(cc->mod); f; f = LLVMGetNextFunction(f)) {
        struct loops l;
        bool straight;

        if (LLVMIsDeclaration(f))
            continue;
        find_loops(&l, cc, f);
        straight = f == fn && l.n > 0 && ls_straight_wanted(cc, f, l.latch, l.n - 1);
        for (unsigned i = 0; i < l.n; i++)
            ls_ir_set_unrolling(cc, l.latch[i], straight && i < l.n - 1 ? 0 : 1);
        wanted |= straight;
    }
    if (!wanted)
        return true;
    if (!ls_ir_run_passes(cc, cc->host.tm, "function(loop-unroll,sroa,early-cse)") ||
        !ls_ir_run_passes(cc, cc->host.tm,
                          "function(instcombine<no-verify-fixpoint>,simplifycfg,early-cse)"))
        return false;
    ls_straight_settle(cc, fn);
    return ls_ir_run_passes(cc, cc->host.tm, "function(instcombine<no-verify-fixpoint>,adce)");
}

void
ls_whole_mark_loops(struct ls_cc *cc, LLVMValueRef fn, bool is_whole)
{
    struct loops l;

    find_loops(&l, cc, fn);
    for (unsigned i = 0; i < l.n; i++) {
        /* In code for whole blocks without loops of its own the loop over a block's warps, if there
         * is one, lies in that over blocks, and that in a loop over their rows, if they have some:
         * inner ones are found first. */
        unsigned rows = is_whole && cc->guards->row_warps < cc->n_warps;
        bool warps = is_whole && i == 0 && cc->guards->row_warps != 1 && l.n == rows + 2;

        ls_ir_set_unrolling(cc, l.latch[i], warps ? warps_at_once(cc, fn) : 1);
    }
}
