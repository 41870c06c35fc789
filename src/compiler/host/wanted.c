/* SPDX-License-Identifier: MIT */
/* Lanes that nobody looks at. A sum over a warp halves the lanes that matter in each step, and at
 * its end one lane stores: `v += shfl_down(v, d)`, then `if (lane == 0)`. The code computes all
 * lanes in each step, as any might be asked for. Here it is known who asks: from the uses
 * backwards, for each vector, how many lanes from the first on are wanted. Operations of which at
 * most half are become shorter, and so do slots that warps keep such a value in. */
#include "host/host.h"

#include <string.h>

#include "base/ptrmap.h"
#include "compiler/ir/ir.h"

enum {
    MAX_ROUNDS = 12,   /* loops hand what is wanted round; not settled by then: all is wanted */
    MAX_DEPTH = 6,     /* of an offset */
    MIN_LANES = 2,     /* what is left of a vector at least */
    MAX_SHUFFLE = 128, /* elements */
};

struct slot {
    LLVMTypeRef type;
    unsigned wanted;
};

struct wanted {
    struct ls_cc *cc;
    LLVMValueRef fn;
    LLVMBuilderRef b;
    struct ls_ptrmap lanes; /* vector instruction -> lanes wanted + 1 */
    struct ls_ptrmap slots; /* alloca, and each load and store of it -> struct slot */
    struct ls_ptrmap made;  /* instruction -> the shorter one */
    bool changed;
};

static unsigned
length(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);

    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 0;
}

static unsigned
wanted_of(const struct wanted *w, LLVMValueRef v)
{
    uintptr_t n = (uintptr_t)ls_ptrmap_get(&w->lanes, v);

    return n ? (unsigned)n - 1 : 0;
}

static void
want(struct wanted *w, LLVMValueRef v, unsigned n)
{
    if (!LLVMIsAInstruction(v) || !length(v))
        return;
    if (n > length(v))
        n = length(v);
    if (n <= wanted_of(w, v))
        return;
    ls_ptrmap_set(&w->lanes, v, (void *)(uintptr_t)(n + 1));
    w->changed = true;
}

/* ---- Slots ---- */

/* Low bits of an offset that are zero. */
static unsigned
zero_bits(LLVMValueRef v, unsigned depth)
{
    unsigned a, b;

    if (LLVMIsAConstantInt(v)) {
        unsigned long long c = LLVMConstIntGetZExtValue(v);

        return c ? (unsigned)__builtin_ctzll(c) : 63;
    }
    if (!LLVMIsAInstruction(v) || depth > MAX_DEPTH)
        return 0;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMSExt:
    case LLVMZExt:
        return zero_bits(LLVMGetOperand(v, 0), depth + 1);
    case LLVMShl:
        b = LLVMIsAConstantInt(LLVMGetOperand(v, 1))
                ? (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1))
                : 0;
        return zero_bits(LLVMGetOperand(v, 0), depth + 1) + b;
    case LLVMMul:
        return zero_bits(LLVMGetOperand(v, 0), depth + 1) +
               zero_bits(LLVMGetOperand(v, 1), depth + 1);
    case LLVMAdd:
    case LLVMOr:
        a = zero_bits(LLVMGetOperand(v, 0), depth + 1);
        b = zero_bits(LLVMGetOperand(v, 1), depth + 1);
        return a < b ? a : b;
    default:
        return 0;
    }
}

/* Whether a GEP moves by whole slots of so many bytes, a power of two. */
static bool
by_slots(struct wanted *w, LLVMValueRef gep, unsigned long long bytes)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    unsigned need = (unsigned)__builtin_ctzll(bytes);

    for (int i = 1, n = LLVMGetNumOperands(gep); i < n; i++) {
        unsigned long long size = LLVMABISizeOfType(LLVMGetModuleDataLayout(w->cc->mod), type);
        LLVMTypeKind kind;

        if (!size ||
            zero_bits(LLVMGetOperand(gep, (unsigned)i), 0) + (unsigned)__builtin_ctzll(size) < need)
            return false;
        kind = LLVMGetTypeKind(type);
        if (i + 1 < n && kind != LLVMArrayTypeKind && kind != LLVMVectorTypeKind)
            return false;
        if (i + 1 < n)
            type = LLVMGetElementType(type);
    }
    return true;
}

static bool
is_lifetime(LLVMValueRef user)
{
    const char *name = LLVMIsACallInst(user) ? ls_ir_callee_name(user) : NULL;

    return name && ls_ir_has_prefix(name, "llvm.lifetime.");
}

static bool
same_lanes(const struct wanted *w, LLVMTypeRef a, LLVMTypeRef b)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(w->cc->mod);

    return LLVMGetVectorSize(a) == LLVMGetVectorSize(b) &&
           LLVMSizeOfTypeInBits(layout, a) == LLVMSizeOfTypeInBits(layout, b);
}

/* Whether all that is done with an address are loads and stores of whole vectors of one size, side
 * by side. */
static bool
only_vectors(struct wanted *w, LLVMValueRef address, struct slot *slot)
{
    for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMTypeRef type = NULL;

        if (is_lifetime(user))
            continue;
        if (LLVMIsALoadInst(user) && !LLVMGetVolatile(user))
            type = LLVMTypeOf(user);
        else if (LLVMIsAStoreInst(user) && !LLVMGetVolatile(user) &&
                 LLVMGetOperand(user, 1) == address && LLVMGetOperand(user, 0) != address)
            type = LLVMTypeOf(LLVMGetOperand(user, 0));
        if (type) {
            unsigned long long bytes = LLVMABISizeOfType(LLVMGetModuleDataLayout(w->cc->mod), type);

            if (LLVMGetTypeKind(type) != LLVMVectorTypeKind ||
                (slot->type && !same_lanes(w, slot->type, type)) || bytes & (bytes - 1) ||
                LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(w->cc->mod), type) != bytes * 8)
                return false;
            slot->type = type;
            continue;
        }
        if (!LLVMIsAGetElementPtrInst(user) || LLVMGetOperand(user, 0) != address ||
            !only_vectors(w, user, slot))
            return false;
    }
    return true;
}

static bool
moves_by_slots(struct wanted *w, LLVMValueRef address, const struct slot *slot)
{
    for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsAGetElementPtrInst(user) &&
            (!by_slots(w, user,
                       LLVMABISizeOfType(LLVMGetModuleDataLayout(w->cc->mod), slot->type)) ||
             !moves_by_slots(w, user, slot)))
            return false;
    }
    return true;
}

static void
note_accesses(struct wanted *w, LLVMValueRef address, struct slot *slot)
{
    for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsAGetElementPtrInst(user))
            note_accesses(w, user, slot);
        else if (LLVMIsALoadInst(user) || LLVMIsAStoreInst(user))
            ls_ptrmap_set(&w->slots, user, slot);
    }
}

static void
find_slots(struct wanted *w)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(w->fn);

    for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i)) {
        struct slot found = {0}, *slot;

        if (!LLVMIsAAllocaInst(i) || !only_vectors(w, i, &found) || !found.type ||
            !moves_by_slots(w, i, &found))
            continue;
        slot = ls_arena_alloc(w->cc->arena, sizeof(*slot));
        *slot = found;
        note_accesses(w, i, slot);
    }
}

/* ---- Who wants what ---- */

static const char *const by_lane[] = {"llvm.fma.",    "llvm.fmuladd.", "llvm.minnum.",
                                      "llvm.maxnum.", "llvm.fabs.",    "llvm.smin.",
                                      "llvm.smax.",   "llvm.umin.",    "llvm.umax."};

/* Operations that compute each lane of its own, of vectors of one length. */
static bool
works_by_lane(LLVMValueRef i)
{
    const char *name;
    LLVMOpcode op = LLVMGetInstructionOpcode(i);

    switch (op) {
    case LLVMPHI:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMFNeg:
    case LLVMSelect:
        return op != LLVMSelect || length(LLVMGetOperand(i, 0)) == length(i);
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMBitCast:
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMSIToFP:
    case LLVMUIToFP:
        return length(LLVMGetOperand(i, 0)) == length(i);
    case LLVMCall:
        name = ls_ir_callee_name(i);
        for (unsigned k = 0; name && k < sizeof(by_lane) / sizeof(*by_lane); k++)
            if (ls_ir_has_prefix(name, by_lane[k]))
                return true;
        return false;
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return false; /* rare, and one lane's may trap */
    default:
        return LLVMIsABinaryOperator(i);
    }
}

/* Lanes of both operands, from the first on, that the first n of a shuffle read. */
static void
read_by_shuffle(LLVMValueRef i, unsigned n, unsigned of[2])
{
    unsigned first = length(LLVMGetOperand(i, 0));

    of[0] = of[1] = 0;
    for (unsigned l = 0; l < n; l++) {
        int from = LLVMGetMaskValue(i, l);

        if (from < 0)
            continue;
        unsigned side = (unsigned)from >= first, at = (unsigned)from - (side ? first : 0);
        if (at + 1 > of[side])
            of[side] = at + 1;
    }
}

static void
look_at(struct wanted *w, LLVMValueRef i)
{
    struct slot *slot = ls_ptrmap_get(&w->slots, i);
    unsigned n = wanted_of(w, i);
    int n_ops = LLVMGetNumOperands(i);

    if (slot && LLVMIsALoadInst(i)) {
        if (n > slot->wanted) {
            slot->wanted = n;
            w->changed = true;
        }
    } else if (slot) {
        want(w, LLVMGetOperand(i, 0), slot->wanted);
    } else if (LLVMIsAShuffleVectorInst(i)) {
        unsigned of[2];

        read_by_shuffle(i, n, of);
        want(w, LLVMGetOperand(i, 0), of[0]);
        want(w, LLVMGetOperand(i, 1), of[1]);
    } else if (LLVMIsAExtractElementInst(i) && LLVMIsAConstantInt(LLVMGetOperand(i, 1))) {
        want(w, LLVMGetOperand(i, 0), (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1)) + 1);
    } else if (length(i) && LLVMIsAPHINode(i)) {
        for (unsigned k = 0; k < LLVMCountIncoming(i); k++)
            want(w, LLVMGetIncomingValue(i, k), n);
    } else {
        bool lanes = length(i) && works_by_lane(i);

        for (int k = 0; k < n_ops; k++)
            want(w, LLVMGetOperand(i, (unsigned)k), lanes ? n : ~0u);
    }
}

static bool
find_wanted(struct wanted *w)
{
    for (unsigned round = 0; round < MAX_ROUNDS; round++) {
        w->changed = false;
        for (LLVMBasicBlockRef bb = LLVMGetLastBasicBlock(w->fn); bb;
             bb = LLVMGetPreviousBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetLastInstruction(bb); i; i = LLVMGetPreviousInstruction(i))
                look_at(w, i);
        if (!w->changed)
            return true;
    }
    return false;
}

/* ---- The change ---- */

/* Lanes that a value is computed for: a power of two, or all. */
static unsigned
kept(const struct wanted *w, LLVMValueRef v)
{
    unsigned n = LLVMIsAInstruction(v) ? wanted_of(w, v) : length(v), k = MIN_LANES;

    while (k < n)
        k *= 2;
    return k <= length(v) / 2 ? k : length(v);
}

static LLVMValueRef
part(struct wanted *w, LLVMValueRef v, unsigned n)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(w->cc->llvm);
    LLVMValueRef index[MAX_SHUFFLE], made = ls_ptrmap_get(&w->made, v);

    if (made)
        v = made;
    if (length(v) == n)
        return v;
    for (unsigned l = 0; l < n; l++)
        index[l] = l < length(v) ? LLVMConstInt(i32, l, false) : LLVMGetPoison(i32);
    return LLVMBuildShuffleVector(w->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(index, n),
                                  "");
}

static LLVMValueRef
short_shuffle(struct wanted *w, LLVMValueRef i, unsigned n)
{
    LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1), index[MAX_SHUFFLE];
    LLVMTypeRef i32 = LLVMInt32TypeInContext(w->cc->llvm);
    unsigned first = length(x), of = MIN_LANES, from[2];

    read_by_shuffle(i, n, from);
    while (of < from[0] || of < from[1])
        of *= 2;
    of = of < first ? of : first;
    for (unsigned l = 0; l < n; l++) {
        int lane = LLVMGetMaskValue(i, l);
        unsigned at = (unsigned)lane;

        index[l] = lane < 0 ? LLVMGetPoison(i32)
                            : LLVMConstInt(i32, at < first ? at : at - first + of, false);
    }
    return LLVMBuildShuffleVector(w->b, part(w, x, of), part(w, y, of), LLVMConstVector(index, n),
                                  "");
}

static LLVMValueRef
short_call(struct wanted *w, LLVMValueRef i, LLVMTypeRef type, unsigned n)
{
    LLVMValueRef args[4], fn;
    unsigned n_args = LLVMGetNumArgOperands(i), id = LLVMGetIntrinsicID(LLVMGetCalledValue(i));

    for (unsigned k = 0; k < n_args && k < 4; k++)
        args[k] = part(w, LLVMGetOperand(i, k), n);
    fn = LLVMGetIntrinsicDeclaration(w->cc->mod, id, &type, 1);
    return LLVMBuildCall2(w->b, LLVMGlobalGetValueType(fn), fn, args, n_args, "");
}

static LLVMValueRef
shorter(struct wanted *w, LLVMValueRef i, unsigned n)
{
    LLVMTypeRef type = LLVMVectorType(LLVMGetElementType(LLVMTypeOf(i)), n);
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    LLVMValueRef x = LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) : NULL;
    LLVMValueRef y = LLVMGetNumOperands(i) > 1 ? LLVMGetOperand(i, 1) : NULL, r;

    switch (op) {
    case LLVMPHI:
        return LLVMBuildPhi(w->b, type, "");
    case LLVMShuffleVector:
        return short_shuffle(w, i, n);
    case LLVMLoad:
        r = LLVMBuildLoad2(w->b, type, x, "");
        LLVMSetAlignment(r, LLVMGetAlignment(i));
        return r;
    case LLVMICmp:
        return LLVMBuildICmp(w->b, LLVMGetICmpPredicate(i), part(w, x, n), part(w, y, n), "");
    case LLVMFCmp:
        return LLVMBuildFCmp(w->b, LLVMGetFCmpPredicate(i), part(w, x, n), part(w, y, n), "");
    case LLVMSelect:
        return LLVMBuildSelect(w->b, part(w, x, n), part(w, y, n), part(w, LLVMGetOperand(i, 2), n),
                               "");
    case LLVMFNeg:
        return LLVMBuildFNeg(w->b, part(w, x, n), "");
    case LLVMCall:
        return short_call(w, i, type, n);
    default:
        return LLVMIsABinaryOperator(i) ? LLVMBuildBinOp(w->b, op, part(w, x, n), part(w, y, n), "")
                                        : LLVMBuildCast(w->b, op, part(w, x, n), type, "");
    }
}

static bool
can_be_short(const struct wanted *w, LLVMValueRef i)
{
    return length(i) && length(i) <= MAX_SHUFFLE && kept(w, i) < length(i) &&
           (LLVMIsALoadInst(i)            ? ls_ptrmap_get(&w->slots, i) != NULL
            : LLVMIsAShuffleVectorInst(i) ? length(LLVMGetOperand(i, 0)) <= MAX_SHUFFLE
                                          : works_by_lane(i));
}

/* Makes the shorter ones in an order in which operands come first, but those of phis. */
static void
make(struct wanted *w, LLVMValueRef i)
{
    LLVMValueRef made;

    if (!can_be_short(w, i) || ls_ptrmap_get(&w->made, i))
        return;
    for (int k = 0, n = LLVMGetNumOperands(i); k < n && !LLVMIsAPHINode(i); k++)
        if (LLVMIsAInstruction(LLVMGetOperand(i, (unsigned)k)))
            make(w, LLVMGetOperand(i, (unsigned)k));
    LLVMPositionBuilderBefore(w->b, i);
    made = shorter(w, i, kept(w, i));
    if (LLVMCanValueUseFastMathFlags(i) && LLVMIsAInstruction(made) &&
        LLVMCanValueUseFastMathFlags(made))
        LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(i));
    ls_ptrmap_set(&w->made, i, made);
}

static void
for_each(struct wanted *w, void (*f)(struct wanted *w, LLVMValueRef i))
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(w->fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            f(w, i);
        }
}

static void
fill_phi(struct wanted *w, LLVMValueRef i)
{
    LLVMValueRef phi = LLVMIsAPHINode(i) ? ls_ptrmap_get(&w->made, i) : NULL;

    for (unsigned k = 0; phi && k < LLVMCountIncoming(i); k++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(i, k);
        LLVMValueRef v = NULL;

        /* Of two edges from one block the value must be the same. */
        for (unsigned j = 0; j < k && !v; j++)
            if (LLVMGetIncomingBlock(phi, j) == from)
                v = LLVMGetIncomingValue(phi, j);
        if (!v) {
            LLVMPositionBuilderBefore(w->b, LLVMGetBasicBlockTerminator(from));
            v = part(w, LLVMGetIncomingValue(i, k), length(phi));
        }
        LLVMAddIncoming(phi, &v, &from, 1);
    }
}

/* Stores of slots, and uses by what stays long. */
static void
replace(struct wanted *w, LLVMValueRef i)
{
    struct slot *slot = LLVMIsAStoreInst(i) ? ls_ptrmap_get(&w->slots, i) : NULL;
    LLVMValueRef made = ls_ptrmap_get(&w->made, i), index[MAX_SHUFFLE], wide;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(w->cc->llvm);

    if (slot) {
        LLVMValueRef v = LLVMGetOperand(i, 0), store;
        unsigned n = MIN_LANES;

        while (n < slot->wanted)
            n *= 2;
        if (n > length(v) / 2 || n > MAX_SHUFFLE)
            return;
        LLVMPositionBuilderBefore(w->b, i);
        store = LLVMBuildStore(w->b, part(w, v, n), LLVMGetOperand(i, 1));
        LLVMSetAlignment(store, LLVMGetAlignment(i));
        LLVMInstructionEraseFromParent(i);
        return;
    }
    if (!made || !LLVMGetFirstUse(i))
        return;
    for (unsigned l = 0; l < length(i); l++)
        index[l] = l < length(made) ? LLVMConstInt(i32, l, false) : LLVMGetPoison(i32);
    LLVMPositionBuilderBefore(w->b, LLVMIsAPHINode(i)
                                        ? ls_ir_after_phis(LLVMGetInstructionParent(i))
                                        : LLVMGetNextInstruction(i));
    wide = LLVMBuildShuffleVector(w->b, made, LLVMGetPoison(LLVMTypeOf(made)),
                                  LLVMConstVector(index, length(i)), "");
    LLVMReplaceAllUsesWith(i, wide);
}

void
ls_host_drop_lanes(struct ls_cc *cc, LLVMValueRef fn)
{
    struct wanted w = {.cc = cc, .fn = fn};

    ls_ptrmap_init(&w.lanes, cc->arena);
    ls_ptrmap_init(&w.slots, cc->arena);
    ls_ptrmap_init(&w.made, cc->arena);
    find_slots(&w);
    if (!find_wanted(&w))
        return;
    w.b = LLVMCreateBuilderInContext(cc->llvm);
    for_each(&w, make);
    for_each(&w, fill_phi);
    for_each(&w, replace);
    LLVMDisposeBuilder(w.b);
}
