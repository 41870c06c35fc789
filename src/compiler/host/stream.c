/* SPDX-License-Identifier: MIT */
/* Stores past the caches. A launch that writes more than the last cache holds gains nothing by
 * leaving its results there, and each line that it writes would be read first. Whole lines that
 * follow the block's number, in arrays that the kernel only writes, are stored past the caches
 * when the launch says so (LS_CPU_PAST in ls_cpu_ctx.form). */
#include "host/host.h"

#include <stddef.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "compiler/ir/ir.h"
#include "device/cpu/kernel_abi.h"

enum { LINE = 64, MAX_STORES = 64, MAX_BASES = 64, MAX_STEPS = 200 };

struct streamer {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    LLVMTypeRef i32, i64;
    LLVMValueRef fn, run_blocks, flag; /* fn: the warp program, or run_blocks with it inside */
    LLVMBasicBlockRef blocks;          /* head of run_blocks' loop over blocks */
    LLVMValueRef stores[MAX_STORES];
    unsigned n_stores;
    LLVMValueRef read[MAX_BASES]; /* arguments that the kernel reads through */
    unsigned n_read;
    bool refused;
    bool whole; /* fn runs whole blocks, and does so for launches that say so */
};

static LLVMValueRef
strip_offsets(LLVMValueRef p)
{
    while (LLVMIsAGetElementPtrInst(p))
        p = LLVMGetOperand(p, 0);
    return p;
}

/* Whether a load gives the same while the kernel runs. */
static bool
is_constant(const struct streamer *s, LLVMValueRef load)
{
    return LLVMGetMetadata(load, ls_ir_md_kind(s->cc, "invariant.load")) != NULL;
}

/* The pointer argument of the kernel that `p` points into, or NULL. */
static LLVMValueRef
argument_of(const struct streamer *s, LLVMValueRef p)
{
    LLVMValueRef arg = strip_offsets(p), kernarg, ctx = LLVMGetParam(s->fn, 0);

    if (LLVMIsAArgument(arg))
        return s->fn != s->run_blocks && arg != ctx ? arg : NULL;
    if (!LLVMIsALoadInst(arg))
        return NULL;
    kernarg = strip_offsets(LLVMGetOperand(arg, 0));
    if (s->fn != s->run_blocks) /* a member of a struct that is an argument */
        return LLVMIsAArgument(kernarg) && kernarg != ctx && is_constant(s, arg) ? arg : NULL;
    return LLVMIsALoadInst(kernarg) && strip_offsets(LLVMGetOperand(kernarg, 0)) == ctx ? arg
                                                                                        : NULL;
}

/* Notes that the kernel reads through a pointer argument. Loads of the arguments themselves do not
 * count. */
static void
note_read(struct streamer *s, LLVMValueRef p)
{
    LLVMValueRef arg = argument_of(s, p);

    if (!arg)
        return;
    if (s->n_read == MAX_BASES)
        s->refused = true;
    else
        s->read[s->n_read++] = arg;
}

static bool
is_read(const struct streamer *s, LLVMValueRef arg)
{
    for (unsigned i = 0; i < s->n_read; i++)
        if (s->read[i] == arg)
            return true;
    return false;
}

/* The scalar pointer that the lanes' addresses of a gather are computed from, if there is one. */
static LLVMValueRef
scalar_base(LLVMValueRef p)
{
    for (int steps = 0; steps < 16; steps++) {
        if (LLVMIsAGetElementPtrInst(p) || LLVMIsAShuffleVectorInst(p))
            p = LLVMGetOperand(p, 0);
        else if (LLVMIsAInsertElementInst(p))
            p = LLVMGetOperand(p, 1);
        else
            break;
    }
    return p;
}

/* Whether `phi` is `v` at first: that of the loop over blocks is the first block's x. */
static bool
begins_with(LLVMValueRef phi, LLVMValueRef v)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingValue(phi, i) == v)
            return true;
    return false;
}

/* The program's last parameters are the block's x, y and z and the warp. */
static bool
is_position(const struct streamer *s, LLVMValueRef v)
{
    unsigned n = LLVMCountParams(s->fn);

    if (s->whole)
        return v == LLVMGetParam(s->fn, n - 2) || v == LLVMGetParam(s->fn, n - 1) ||
               (LLVMIsAPHINode(v) && begins_with(v, LLVMGetParam(s->fn, n - 3)));
    if (LLVMIsAPHINode(v))
        return LLVMGetInstructionParent(v) == s->blocks;
    return s->fn != s->run_blocks &&
           (v == LLVMGetParam(s->fn, n - 4) || v == LLVMGetParam(s->fn, n - 3) ||
            v == LLVMGetParam(s->fn, n - 2));
}

static bool
follows_block(const struct streamer *s, LLVMValueRef v, unsigned *steps)
{
    if (is_position(s, v))
        return true;
    if (!LLVMIsAInstruction(v) || ++*steps > MAX_STEPS)
        return false;
    if (LLVMIsAPHINode(v))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (follows_block(s, LLVMGetOperand(v, (unsigned)i), steps))
            return true;
    return false;
}

static LLVMValueRef
address_of(LLVMValueRef store)
{
    return LLVMGetOperand(store, 1); /* the same operand in a store and in llvm.masked.store */
}

static unsigned
bytes_of(const struct streamer *s, LLVMValueRef store)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return 0;
    return (unsigned)LLVMStoreSizeOfType(LLVMGetModuleDataLayout(s->cc->mod), type);
}

/* Whether this is the store of the block's number at the head of the loop over blocks, which
 * handlers of faults read. */
static bool
is_block_number(const struct streamer *s, LLVMValueRef store)
{
    LLVMValueRef at = address_of(store);

    return LLVMGetVolatile(store) && LLVMIsAGetElementPtrInst(at) &&
           LLVMGetOperand(at, 0) == LLVMGetParam(s->fn, 0) &&
           LLVMIsAConstantInt(LLVMGetOperand(at, 1)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(at, 1)) ==
               offsetof(struct ls_cpu_ctx, cur_block);
}

static void
note_store(struct streamer *s, LLVMValueRef store)
{
    unsigned bytes = bytes_of(s, store);

    if (bytes == 0 || bytes % LINE || !argument_of(s, address_of(store)))
        return;
    if (s->n_stores == MAX_STORES)
        s->refused = true;
    else
        s->stores[s->n_stores++] = store;
}

static void
note_call(struct streamer *s, LLVMValueRef call)
{
    const char *name = ls_ir_callee_name(call);

    if (!name || !ls_ir_has_prefix(name, "llvm."))
        s->refused = true; /* it is not known what the call does with memory */
    else if (ls_ir_has_prefix(name, "llvm.masked.load."))
        note_read(s, LLVMGetOperand(call, 0));
    else if (ls_ir_has_prefix(name, "llvm.masked.gather."))
        note_read(s, scalar_base(LLVMGetOperand(call, 0)));
    else if (ls_ir_has_prefix(name, "llvm.masked.store."))
        note_store(s, call);
}

static void
note(struct streamer *s, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFence: /* of one thread: a barrier of the block, whose code this is */
        s->refused |= !s->whole || !LLVMIsAtomicSingleThread(i);
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMInvoke:
        s->refused = true; /* stores past the caches would have to be ordered before it */
        break;
    case LLVMCall:
        note_call(s, i);
        break;
    case LLVMLoad:
        s->refused |= LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
        note_read(s, LLVMGetOperand(i, 0));
        break;
    case LLVMStore:
        s->refused |= LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
        if (is_block_number(s, i))
            s->blocks = LLVMGetInstructionParent(i);
        if (!LLVMGetVolatile(i))
            note_store(s, i);
        break;
    default:
        break;
    }
}

/* Keeps the stores for which it pays; returns the bytes that they write for one thread. */
static unsigned
choose(struct streamer *s)
{
    unsigned n = 0, bytes = 0;

    for (unsigned i = 0; i < s->n_stores; i++) {
        LLVMValueRef store = s->stores[i];
        unsigned steps = 0;

        if (is_read(s, argument_of(s, address_of(store))) ||
            !follows_block(s, address_of(store), &steps))
            continue;
        s->stores[n++] = store;
        bytes += bytes_of(s, store) / s->cc->n_lanes;
    }
    s->n_stores = n;
    return bytes;
}

static LLVMValueRef
all_on(struct streamer *s, LLVMValueRef mask)
{
    LLVMTypeRef type = LLVMIntTypeInContext(s->cc->llvm, LLVMGetVectorSize(LLVMTypeOf(mask)));

    return LLVMBuildICmp(s->b, LLVMIntEQ, LLVMBuildBitCast(s->b, mask, type, ""),
                         LLVMConstAllOnes(type), "");
}

/* Gives a store two forms: past the caches when the launch says so and whole lines are written,
 * else as before. */
static void
rewrite(struct streamer *s, LLVMValueRef store)
{
    LLVMContextRef llvm = s->cc->llvm;
    LLVMBasicBlockRef head = ls_ir_split_before(s->cc, store),
                      tail = LLVMGetInstructionParent(store);
    LLVMBasicBlockRef past, plain;
    LLVMValueRef at = address_of(store), low, whole, streamed;
    LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstInt(s->i32, 1, false));

    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
    LLVMPositionBuilderAtEnd(s->b, head);
    LLVMSetCurrentDebugLocation2(s->b, LLVMInstructionGetDebugLoc(store));
    low = LLVMBuildAnd(s->b, LLVMBuildPtrToInt(s->b, at, s->i64, ""),
                       LLVMConstInt(s->i64, LINE - 1, false), "");
    whole = LLVMBuildICmp(s->b, LLVMIntEQ, low, LLVMConstNull(s->i64), "");
    if (s->flag)
        whole = LLVMBuildAnd(s->b, s->flag, whole, "");
    if (LLVMIsACallInst(store))
        whole = LLVMBuildAnd(s->b, whole, all_on(s, LLVMGetOperand(store, 3)), "");
    past = LLVMInsertBasicBlockInContext(llvm, tail, "past");
    plain = LLVMInsertBasicBlockInContext(llvm, tail, "plain");
    LLVMBuildCondBr(s->b, whole, past, plain);

    LLVMPositionBuilderAtEnd(s->b, past);
    streamed = LLVMBuildStore(s->b, LLVMGetOperand(store, 0), at);
    LLVMSetAlignment(streamed, LINE);
    LLVMSetMetadata(streamed, ls_ir_md_kind(s->cc, "nontemporal"),
                    LLVMMetadataAsValue(llvm, LLVMMDNodeInContext2(llvm, &one, 1)));
    LLVMBuildBr(s->b, tail);

    LLVMPositionBuilderAtEnd(s->b, plain);
    LLVMInstructionRemoveFromParent(store);
    LLVMInsertIntoBuilder(s->b, store);
    LLVMBuildBr(s->b, tail);
}

/* A fence at the end of run_blocks: nothing else orders stores past the caches before the end of
 * the work. */
static void
fence_at_end(struct streamer *s)
{
    const char *name = s->cc->host.arch->store_fence;

    if (!name)
        return;
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fence = LLVMGetIntrinsicDeclaration(s->cc->mod, id, NULL, 0);

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(s->run_blocks); bb;
         bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(bb);

        if (!LLVMIsAReturnInst(end))
            continue;
        LLVMPositionBuilderBefore(s->b, end);
        LLVMBuildCall2(s->b, LLVMGlobalGetValueType(fence), fence, NULL, 0, "");
    }
}

static void
load_flag(struct streamer *s)
{
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(s->fn)), flag;

    while (LLVMIsAAllocaInst(first))
        first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(s->b, first);
    LLVMSetCurrentDebugLocation2(s->b, NULL);
    flag = ls_ir_ctx_load(s->cc, s->b, LLVMGetParam(s->fn, 0), offsetof(struct ls_cpu_ctx, form),
                          s->i32, "form");
    flag = LLVMBuildAnd(s->b, flag, LLVMConstInt(s->i32, LS_CPU_PAST, false), "");
    s->flag = LLVMBuildICmp(s->b, LLVMIntNE, flag, LLVMConstNull(s->i32), "");
}

/* Finds the stores; returns the bytes that they write for one thread. */
static unsigned
find_stores(struct streamer *s)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(s->fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i && !s->refused;
             i = LLVMGetNextInstruction(i))
            note(s, i);
    return s->refused || (s->fn == s->run_blocks && !s->blocks) ? 0 : choose(s);
}

/* Rewrites them, too. */
static unsigned
stream_function(struct streamer *s, bool fenced)
{
    struct ls_cc *cc = s->cc;
    unsigned bytes = find_stores(s);

    if (bytes == 0)
        return 0;
    s->b = LLVMCreateBuilderInContext(cc->llvm);
    s->i32 = LLVMInt32TypeInContext(cc->llvm);
    s->i64 = LLVMInt64TypeInContext(cc->llvm);
    if (!s->whole)
        load_flag(s);
    for (unsigned i = 0; i < s->n_stores; i++)
        rewrite(s, s->stores[i]);
    if (!fenced)
        fence_at_end(s);
    LLVMDisposeBuilder(s->b);
    return bytes;
}

unsigned
ls_host_stream_stores(struct ls_cc *cc, LLVMValueRef run_blocks)
{
    LLVMValueRef program = LLVMGetNamedFunction(cc->mod, LS_FN_PROGRAM);
    struct streamer s = {.cc = cc, .fn = program ? program : run_blocks, .run_blocks = run_blocks};

    if (ls_host_opt_level(cc) == 0 || cc->n_lanes == 1)
        return 0;
    return stream_function(&s, false);
}

bool
ls_host_streams_whole(struct ls_cc *cc, LLVMValueRef fn)
{
    struct streamer s = {.cc = cc, .fn = fn, .whole = true};

    return find_stores(&s) > 0;
}

void
ls_host_stream_whole(struct ls_cc *cc, LLVMValueRef fn, LLVMValueRef run_blocks, bool fenced)
{
    struct streamer s = {.cc = cc, .fn = fn, .run_blocks = run_blocks, .whole = true};

    stream_function(&s, fenced);
}

bool
ls_host_may_stream(struct ls_cc *cc, LLVMValueRef program)
{
    struct streamer s = {.cc = cc, .fn = program};
    unsigned bytes;

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(program); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            const char *name = LLVMIsACallInst(i) ? ls_ir_callee_name(i) : NULL;

            if (!LLVMIsAStoreInst(i) && !(name && ls_ir_has_prefix(name, "llvm.masked.store.")))
                continue;
            bytes = bytes_of(&s, i);
            if (bytes && bytes % LINE == 0 && !LLVMIsAAllocaInst(address_of(i)))
                return true;
        }
    return false;
}
