/* SPDX-License-Identifier: MIT */
/* Masked memory. Where the mask is known and its lanes are neighbours: a shorter access. For hosts
 * without mask registers: one access when every lane is on, else a loop over the lanes that are;
 * LLVM's own expansion is a branch for every lane, slow to compile and to run. Shared memory is
 * read, blended and written. */
#include "host/host.h"

#include <stddef.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "base/log.h"
#include "compiler/ir/ir.h"
#include "analysis/shape_priv.h"
#include "device/cpu/kernel_abi.h"

enum { CHUNK = 64, MIN_LANES = 8 };

enum masked_op { OP_NONE, OP_LOAD, OP_STORE, OP_GATHER, OP_SCATTER };

struct masker {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    LLVMTypeRef i8, i32, i64;
    LLVMValueRef fn;
    LLVMValueRef addresses, values; /* memory of fn in which the loop finds the lanes' addresses and
                                       values, made on demand */
    LLVMValueRef nowhere; /* memory of fn for accesses without a lane */
    unsigned address_bytes, value_bytes, nowhere_bytes;
};

/* One masked call, taken apart. */
struct access {
    enum masked_op op;
    LLVMTypeRef type, elem; /* of the value: <n x elem> */
    unsigned n, elem_bytes, align;
    LLVMValueRef value, at, mask; /* value: what is stored, or what lanes that are off keep */
};

static enum masked_op
op_of(LLVMValueRef call)
{
    const char *name = LLVMIsACallInst(call) ? ls_ir_callee_name(call) : NULL;

    if (!name || !ls_ir_has_prefix(name, "llvm.masked."))
        return OP_NONE;
    name += strlen("llvm.masked.");
    return ls_ir_has_prefix(name, "load.")      ? OP_LOAD
           : ls_ir_has_prefix(name, "store.")   ? OP_STORE
           : ls_ir_has_prefix(name, "gather.")  ? OP_GATHER
           : ls_ir_has_prefix(name, "scatter.") ? OP_SCATTER
                                                : OP_NONE;
}

static struct access
take_apart(struct masker *m, LLVMValueRef call)
{
    struct access a = {.op = op_of(call)};
    bool reads = a.op == OP_LOAD || a.op == OP_GATHER;
    unsigned first = reads ? 0 : 1;

    a.at = LLVMGetOperand(call, first);
    a.align = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(call, first + 1));
    a.mask = LLVMGetOperand(call, first + 2);
    a.value = LLVMGetOperand(call, reads ? 3 : 0);
    a.type = LLVMTypeOf(a.value);
    a.elem = LLVMGetElementType(a.type);
    a.n = LLVMGetVectorSize(a.type);
    a.elem_bytes = (unsigned)LLVMABISizeOfType(LLVMGetModuleDataLayout(m->cc->mod), a.elem);
    return a;
}

/* Whether a loop over lanes is at least as good as the host's own masked access. */
static bool
wants_loop(const struct ls_isa *isa, const struct access *a)
{
    if (a->n < MIN_LANES || (a->n > CHUNK && a->n % CHUNK) || LLVMIsConstant(a->mask))
        return false;
    return isa->vector_bits < 256 || a->op == OP_GATHER || a->op == OP_SCATTER || a->elem_bytes < 4;
}

/* AVX2 has masked stores of 32 and 64 bits, dear ones on some processors. */
static bool
wants_fast_path(const struct ls_isa *isa, const struct access *a)
{
    return wants_loop(isa, a) || (isa->vector_bits >= 256 && a->op == OP_STORE &&
                                  a->n >= MIN_LANES && a->n <= CHUNK && !LLVMIsConstant(a->mask));
}

static LLVMValueRef
scratch(struct masker *m, LLVMValueRef *slot, unsigned *have, unsigned bytes)
{
    if (*have < bytes) { /* a larger one also serves later accesses */
        LLVMBuilderRef b = LLVMCreateBuilderInContext(m->cc->llvm);

        LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(m->fn)));
        *slot = LLVMBuildAlloca(b, LLVMArrayType2(m->i8, bytes), "");
        LLVMSetAlignment(*slot, 64);
        LLVMDisposeBuilder(b);
        *have = bytes;
    }
    return *slot;
}

static LLVMValueRef
element(struct masker *m, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef index)
{
    return LLVMBuildInBoundsGEP2(m->b, type, base, &index, 1, "");
}

static LLVMValueRef
unmasked(struct masker *m, const struct access *a, LLVMValueRef call)
{
    LLVMValueRef v;

    if (a->op == OP_LOAD) {
        v = LLVMBuildLoad2(m->b, a->type, a->at, "");
        LLVMSetAlignment(v, a->align);
    } else if (a->op == OP_STORE) {
        v = LLVMBuildStore(m->b, a->value, a->at);
        LLVMSetAlignment(v, a->align);
    } else {
        v = LLVMInstructionClone(call);
        LLVMSetOperand(v, a->op == OP_GATHER ? 2 : 3, LLVMConstAllOnes(LLVMTypeOf(a->mask)));
        LLVMInsertIntoBuilder(m->b, v);
    }
    return v;
}

/* The mask's lanes [first, first + CHUNK) as an integer. */
static LLVMValueRef
mask_bits(struct masker *m, const struct access *a, unsigned first)
{
    unsigned n = a->n < CHUNK ? a->n : CHUNK;
    LLVMValueRef part = a->mask, lanes[CHUNK];

    if (a->n > CHUNK) {
        for (unsigned i = 0; i < n; i++)
            lanes[i] = LLVMConstInt(m->i32, first + i, false);
        part = LLVMBuildShuffleVector(m->b, a->mask, LLVMGetPoison(LLVMTypeOf(a->mask)),
                                      LLVMConstVector(lanes, n), "");
    }
    return LLVMBuildBitCast(m->b, part, LLVMIntTypeInContext(m->cc->llvm, n), "");
}

static LLVMValueRef
lowest_lane(struct masker *m, LLVMValueRef bits)
{
    LLVMTypeRef type = LLVMTypeOf(bits);
    unsigned id = LLVMLookupIntrinsicID("llvm.cttz", 9);
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(m->cc->mod, id, &type, 1);
    LLVMValueRef args[2] = {bits, LLVMConstInt(LLVMInt1TypeInContext(m->cc->llvm), 1, false)};

    return LLVMBuildZExtOrBitCast(
        m->b, LLVMBuildCall2(m->b, LLVMGlobalGetValueType(fn), fn, args, 2, ""), m->i64, "");
}

/* One lane of the access, in the loop. */
static void
one_lane(struct masker *m, const struct access *a, LLVMValueRef lane)
{
    bool reads = a->op == OP_LOAD || a->op == OP_GATHER;
    bool spread = a->op == OP_GATHER || a->op == OP_SCATTER;
    LLVMTypeRef ptr = LLVMPointerTypeInContext(m->cc->llvm, 0);
    LLVMValueRef kept = element(m, a->elem, m->values, lane), at, moved, store;
    unsigned align = spread ? a->align : a->align < a->elem_bytes ? a->align : a->elem_bytes;

    at = spread ? LLVMBuildLoad2(m->b, ptr, element(m, ptr, m->addresses, lane), "")
                : element(m, a->elem, a->at, lane);
    moved = LLVMBuildLoad2(m->b, a->elem, reads ? at : kept, "");
    store = LLVMBuildStore(m->b, moved, reads ? kept : at);
    LLVMSetAlignment(reads ? moved : store, align);
}

/* Emits the loop over the set bits of one chunk; the builder ends in front of what follows. */
static void
loop_over(struct masker *m, const struct access *a, LLVMValueRef bits, unsigned first)
{
    LLVMTypeRef type = LLVMTypeOf(bits);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(m->b);
    LLVMBasicBlockRef after = LLVMGetNextBasicBlock(from);
    LLVMBasicBlockRef loop = after ? LLVMInsertBasicBlockInContext(m->cc->llvm, after, "lanes")
                                   : LLVMAppendBasicBlockInContext(m->cc->llvm, m->fn, "lanes");
    LLVMBasicBlockRef out = after ? LLVMInsertBasicBlockInContext(m->cc->llvm, after, "")
                                  : LLVMAppendBasicBlockInContext(m->cc->llvm, m->fn, "");
    LLVMValueRef zero = LLVMConstNull(type), left, lane, rest;

    LLVMBuildCondBr(m->b, LLVMBuildICmp(m->b, LLVMIntEQ, bits, zero, ""), out, loop);
    LLVMPositionBuilderAtEnd(m->b, loop);
    left = LLVMBuildPhi(m->b, type, "");
    lane = lowest_lane(m, left);
    if (first)
        lane = LLVMBuildNUWAdd(m->b, lane, LLVMConstInt(m->i64, first, false), "");
    one_lane(m, a, lane);
    rest = LLVMBuildAnd(m->b, left, LLVMBuildSub(m->b, left, LLVMConstInt(type, 1, false), ""), "");
    LLVMAddIncoming(left, &bits, &from, 1);
    LLVMAddIncoming(left, &rest, &loop, 1);
    LLVMBuildCondBr(m->b, LLVMBuildICmp(m->b, LLVMIntEQ, rest, zero, ""), out, loop);
    LLVMPositionBuilderAtEnd(m->b, out);
}

/* Builds the access lane by lane; returns the value that was read, or NULL. */
static LLVMValueRef
by_lanes(struct masker *m, const struct access *a, LLVMValueRef *bits)
{
    bool reads = a->op == OP_LOAD || a->op == OP_GATHER;
    LLVMValueRef v;

    scratch(m, &m->values, &m->value_bytes, a->n * a->elem_bytes);
    if (!LLVMIsUndef(a->value) && !LLVMIsPoison(a->value))
        LLVMSetAlignment(LLVMBuildStore(m->b, a->value, m->values), 64);
    if (a->op == OP_GATHER || a->op == OP_SCATTER) {
        scratch(m, &m->addresses, &m->address_bytes, a->n * 8);
        LLVMSetAlignment(LLVMBuildStore(m->b, a->at, m->addresses), 64);
    }
    for (unsigned first = 0; first < a->n; first += CHUNK)
        loop_over(m, a, bits[first / CHUNK], first);
    if (!reads)
        return NULL;
    v = LLVMBuildLoad2(m->b, a->type, m->values, "");
    LLVMSetAlignment(v, 64);
    return v;
}

static void
expand(struct masker *m, LLVMValueRef call)
{
    struct access a = take_apart(m, call);
    LLVMBasicBlockRef head = ls_ir_split_before(m->cc, call), rest = LLVMGetInstructionParent(call),
                      fast, slow;
    LLVMValueRef bits[LS_MAX_WIDE / CHUNK], full = NULL, whole, parts, phi;

    LS_ASSERT_FITS(a.n, LS_MAX_WIDE);
    LLVMPositionBuilderBefore(m->b, LLVMGetBasicBlockTerminator(head));
    LLVMSetCurrentDebugLocation2(m->b, LLVMInstructionGetDebugLoc(call));
    for (unsigned first = 0; first < a.n; first += CHUNK) {
        LLVMValueRef is;

        bits[first / CHUNK] = mask_bits(m, &a, first);
        is = LLVMBuildICmp(m->b, LLVMIntEQ, bits[first / CHUNK],
                           LLVMConstAllOnes(LLVMTypeOf(bits[first / CHUNK])), "");
        full = full ? LLVMBuildAnd(m->b, full, is, "") : is;
    }
    fast = LLVMInsertBasicBlockInContext(m->cc->llvm, rest, "all");
    slow = LLVMInsertBasicBlockInContext(m->cc->llvm, rest, "some");
    LLVMBuildCondBr(m->b, full, fast, slow);
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));

    LLVMPositionBuilderAtEnd(m->b, fast);
    whole = unmasked(m, &a, call);
    LLVMBuildBr(m->b, rest);
    LLVMPositionBuilderAtEnd(m->b, slow);
    if (wants_loop(m->cc->isa, &a)) {
        parts = by_lanes(m, &a, bits);
        slow = LLVMGetInsertBlock(m->b);
        LLVMBuildBr(m->b, rest);
    } else { /* the host's own masked store */
        parts = NULL;
        LLVMInsertIntoBuilder(m->b, LLVMInstructionClone(call));
        LLVMBuildBr(m->b, rest);
    }
    if (parts) {
        LLVMPositionBuilderBefore(m->b, LLVMGetFirstInstruction(rest));
        phi = LLVMBuildPhi(m->b, a.type, "");
        LLVMAddIncoming(phi, &whole, &fast, 1);
        LLVMAddIncoming(phi, &parts, &slow, 1);
        LLVMReplaceAllUsesWith(call, phi);
    }
    LLVMInstructionEraseFromParent(call);
}

/* ---- Shared memory ---- */

/* Whether an address is that of shared memory, which lies between pads. Of an access whose lanes
 * are neighbours all lies within them as soon as one lane is on: it may be read and written as a
 * whole, as nobody else does so meanwhile. */
static bool
in_shared(struct masker *m, const struct access *a)
{
    LLVMValueRef p = a->at, field;

    if ((a->op != OP_LOAD && a->op != OP_STORE) || a->n * a->elem_bytes > LS_LDS_PAD)
        return false;
    while (LLVMIsAGetElementPtrInst(p))
        p = LLVMGetOperand(p, 0);
    field = LLVMIsALoadInst(p) ? LLVMGetOperand(p, 0) : NULL;
    return field && LLVMIsAGetElementPtrInst(field) &&
           LLVMGetOperand(field, 0) == LLVMGetParam(m->fn, 0) &&
           LLVMIsAConstantInt(LLVMGetOperand(field, 1)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(field, 1)) == offsetof(struct ls_cpu_ctx, lds);
}

/* The host's own masked loads of 32 and 64 bits are as good. */
static bool
wants_whole(struct masker *m, const struct access *a)
{
    return in_shared(m, a) && (a->op == OP_STORE || LLVMIsConstant(a->mask) ||
                               m->cc->isa->vector_bits < 256 || a->elem_bytes < 4);
}

/* The whole is read, and written with the lanes that are on; the place is another one where none
 * is. */
static void
as_whole(struct masker *m, LLVMValueRef call)
{
    struct access a = take_apart(m, call);
    LLVMTypeRef bits = LLVMIntTypeInContext(m->cc->llvm, a.n);
    LLVMValueRef none, at, old;

    LLVMPositionBuilderBefore(m->b, call);
    LLVMSetCurrentDebugLocation2(m->b, LLVMInstructionGetDebugLoc(call));
    none = LLVMBuildICmp(m->b, LLVMIntEQ, LLVMBuildBitCast(m->b, a.mask, bits, ""),
                         LLVMConstNull(bits), "");
    at = LLVMBuildSelect(m->b, none,
                         scratch(m, &m->nowhere, &m->nowhere_bytes, a.n * a.elem_bytes), a.at, "");
    if (a.align > CHUNK)
        a.align = CHUNK;
    old = LLVMBuildLoad2(m->b, a.type, at, "");
    LLVMSetAlignment(old, a.align);
    if (a.op == OP_STORE) {
        LLVMSetAlignment(
            LLVMBuildStore(m->b, LLVMBuildSelect(m->b, a.mask, a.value, old, ""), at), a.align);
    } else {
        if (!LLVMIsUndef(a.value))
            old = LLVMBuildSelect(m->b, a.mask, old, a.value, "");
        LLVMReplaceAllUsesWith(call, old);
    }
    LLVMInstructionEraseFromParent(call);
}

/* ---- Masks that are known ---- */

/* The lanes of a constant mask, if they are neighbours and their number is a power of two: how
 * many, else 0. */
static unsigned
neighbours_on(const struct access *a, unsigned *first)
{
    unsigned n = 0;

    for (unsigned i = 0; i < a->n; i++) {
        LLVMValueRef lane = LLVMGetAggregateElement(a->mask, i);

        if (!lane || !LLVMIsAConstantInt(lane))
            return 0;
        if (LLVMIsNull(lane))
            continue;
        *first = n ? *first : i;
        if (i != *first + n++)
            return 0;
    }
    return n && !(n & (n - 1)) && n < a->n ? n : 0;
}

/* An access of a few neighbours is a shorter access: what comes behind a masked store and reads the
 * same would wait for it to leave the processor's store queue. */
static void
shorten(struct masker *m, LLVMValueRef call)
{
    struct access a = take_apart(m, call);
    unsigned first = 0, n;
    LLVMValueRef index[LS_MAX_WIDE], v, at;
    LLVMTypeRef type;

    if ((a.op != OP_LOAD && a.op != OP_STORE) || !LLVMIsConstant(a.mask) ||
        !(n = neighbours_on(&a, &first)))
        return;
    LLVMPositionBuilderBefore(m->b, call);
    LLVMSetCurrentDebugLocation2(m->b, LLVMInstructionGetDebugLoc(call));
    type = LLVMVectorType(a.elem, n);
    at = element(m, a.elem, a.at, LLVMConstInt(m->i64, first, false));
    if (first && a.align > a.elem_bytes)
        a.align = a.elem_bytes;
    if (a.op == OP_STORE) {
        for (unsigned i = 0; i < n; i++)
            index[i] = LLVMConstInt(m->i32, first + i, false);
        v = LLVMBuildShuffleVector(m->b, a.value, LLVMGetPoison(a.type), LLVMConstVector(index, n),
                                   "");
        LLVMSetAlignment(LLVMBuildStore(m->b, v, at), a.align);
    } else {
        v = LLVMBuildLoad2(m->b, type, at, "");
        LLVMSetAlignment(v, a.align);
        for (unsigned i = 0; i < a.n; i++)
            index[i] = i < first || i >= first + n ? LLVMGetUndef(m->i32)
                                                   : LLVMConstInt(m->i32, i - first, false);
        v = LLVMBuildShuffleVector(m->b, v, LLVMGetPoison(type), LLVMConstVector(index, a.n), "");
        if (!LLVMIsUndef(a.value) && !LLVMIsPoison(a.value))
            v = LLVMBuildSelect(m->b, a.mask, v, a.value, "");
        LLVMReplaceAllUsesWith(call, v);
    }
    LLVMInstructionEraseFromParent(call);
}

static void
shorten_all(struct masker *m)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(m->fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (op_of(i) != OP_NONE)
                shorten(m, i);
        }
}

static bool
expand_function(struct masker *m)
{
    bool found = false;

    m->addresses = m->values = m->nowhere = NULL;
    m->address_bytes = m->value_bytes = m->nowhere_bytes = 0;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(m->fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (op_of(i) == OP_NONE)
                continue;
            struct access a = take_apart(m, i);
            if (wants_whole(m, &a)) {
                as_whole(m, i);
                found = true;
                continue;
            }
            if (!wants_fast_path(m->cc->isa, &a))
                continue;
            expand(m, i);
            found = true;
            if (!next)
                break;
            bb = LLVMGetInstructionParent(
                next); /* the following instructions were moved to another block */
        }
    }
    return found;
}

bool
ls_host_expand_masked(struct ls_cc *cc)
{
    struct masker m = {.cc = cc};
    bool found = false;

    m.b = LLVMCreateBuilderInContext(cc->llvm);
    m.i8 = LLVMInt8TypeInContext(cc->llvm);
    m.i32 = LLVMInt32TypeInContext(cc->llvm);
    m.i64 = LLVMInt64TypeInContext(cc->llvm);
    for (m.fn = LLVMGetFirstFunction(cc->mod); m.fn; m.fn = LLVMGetNextFunction(m.fn)) {
        if (LLVMIsDeclaration(m.fn))
            continue;
        shorten_all(&m);
        if (!cc->isa->has_masks)
            found |= expand_function(&m);
    }
    LLVMDisposeBuilder(m.b);
    /* Joins the tests of neighbouring accesses under the same mask to one. */
    return !found ||
           ls_ir_run_passes(cc, cc->host.tm, "function(early-cse,jump-threading,simplifycfg)");
}
