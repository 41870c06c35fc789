/* SPDX-License-Identifier: MIT */
/* Many sums at once. A thread with 4 x 4 sums has 16 vectors of a warp, of two registers each: more
 * than there are, and LLVM, which takes the code in the order in which it was written, would keep
 * them in memory, to be fetched and put away at each step. So straight code that fetches sums from
 * slots, computes with them and puts them back is cut into strips: some sums, of some lanes, from
 * beginning to end, then the next. What several strips need (a row of a tile) is loaded in each;
 * which sums go together is chosen such that this is least.
 *
 * Called after all other passes, as those would put together again what is loaded twice. */
#include "host/host.h"

#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "base/isa.h"
#include "base/ptrmap.h"
#include "compiler/ir/ir.h"

enum {
    MAX_BODY = 12000, /* instructions that are cut */
    MAX_PARTS = 16,   /* registers of one value */
    MAX_ELEMENTS = MAX_PARTS * 64,
    MAX_UNITS = 1024, /* registers of sums */
    MIN_WORK = 6,     /* vector operations for each of them */
};

/* An instruction of the body. A split one is made in parts of one register, others as a whole. */
struct node {
    LLVMValueRef inst;
    LLVMValueRef slot; /* of a load or store of a slot; else NULL */
    unsigned parts;    /* 1: whole */
    bool split;
    unsigned wanted; /* by part: in the strip at hand */
    LLVMValueRef made[MAX_PARTS];
    unsigned joined; /* number of the strip in which `whole` was made */
    LLVMValueRef whole;
    unsigned strip[MAX_PARTS]; /* of a store */
};

/* One register of a sum. */
struct unit {
    unsigned node, part;
};

/* Where the elements of a part of a shuffle come from: the operands' parts, at most two, of equal
 * type. */
struct sources {
    unsigned n, operand[2], part[2], at[MAX_ELEMENTS];
};

struct strips {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    LLVMTypeRef i8, i32, i64;
    struct ls_ptrmap own;   /* alloca -> itself: nobody else knows its address */
    struct ls_ptrmap index; /* instruction -> number in the body + 1 */
    /* What lies in front of the body: load of a slot -> its block; slot -> the last block that
     * stores to it. */
    struct ls_ptrmap loaded, stored;
    struct node *nodes;
    unsigned n, strip;
    struct unit *units;
    unsigned n_units;
    struct sources *from; /* of the part that find_sources looked at last */
    LLVMValueRef stop; /* the instruction behind the body */
};

/* ---- What may be cut ---- */

/* Whether all that is done with an address is that something is loaded from it or stored to it. */
static bool
is_own(LLVMValueRef p, unsigned depth)
{
    for (LLVMUseRef u = LLVMGetFirstUse(p); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);

        if (LLVMIsALoadInst(user) && !LLVMGetVolatile(user))
            continue;
        if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != p && !LLVMGetVolatile(user))
            continue;
        if (LLVMIsAGetElementPtrInst(user) && depth < 4 && is_own(user, depth + 1))
            continue;
        if (LLVMIsAIntrinsicInst(user) &&
            ls_ir_has_prefix(ls_ir_callee_name(user), "llvm.lifetime."))
            continue;
        return false;
    }
    return true;
}

/* The slot that a pointer points into, or NULL. */
static LLVMValueRef
slot_of(const struct strips *s, LLVMValueRef p)
{
    while (LLVMIsAGetElementPtrInst(p))
        p = LLVMGetOperand(p, 0);
    return LLVMIsAAllocaInst(p) ? ls_ptrmap_get(&s->own, p) : NULL;
}

static bool
is_computed(LLVMValueRef i)
{
    static const char *const names[] = {"llvm.fma.",    "llvm.fmuladd.", "llvm.fabs.",
                                        "llvm.maxnum.", "llvm.minnum.",  "llvm.sqrt."};

    if (!LLVMIsACallInst(i))
        return true;
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]) && LLVMIsAIntrinsicInst(i); k++)
        if (ls_ir_has_prefix(ls_ir_callee_name(i), names[k]))
            return true;
    return false;
}

/* Whether an instruction may change places with others, as far as its operands allow. */
static bool
is_movable(const struct strips *s, LLVMValueRef i)
{
    if (LLVMIsAStoreInst(i))
        return slot_of(s, LLVMGetOperand(i, 1)) != NULL;
    if (LLVMIsALoadInst(i))
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
    return is_computed(i) && !LLVMIsAPHINode(i) && !LLVMIsAAllocaInst(i) &&
           !LLVMIsATerminatorInst(i) && !LLVMIsAFenceInst(i) && !LLVMIsAAtomicRMWInst(i) &&
           !LLVMIsAAtomicCmpXchgInst(i) && !LLVMIsAVAArgInst(i);
}

/* How many registers a type takes, if it is a vector that fills a power of two of them; else 1. */
static unsigned
parts_of(const struct strips *s, LLVMTypeRef type)
{
    unsigned bits, elem, parts;

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return 1;
    elem = (unsigned)LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(s->cc->mod),
                                          LLVMGetElementType(type));
    bits = LLVMGetVectorSize(type) * elem;
    parts = bits / s->cc->isa->vector_bits;
    return elem < 8 || bits % s->cc->isa->vector_bits || parts > MAX_PARTS || parts & (parts - 1)
               ? 1
               : parts;
}

static struct node *
node_of(const struct strips *s, LLVMValueRef v)
{
    uintptr_t k = LLVMIsAInstruction(v) ? (uintptr_t)ls_ptrmap_get(&s->index, v) : 0;

    return k ? &s->nodes[k - 1] : NULL;
}

static unsigned
elements_of(LLVMValueRef v)
{
    return LLVMGetVectorSize(LLVMTypeOf(v));
}

static bool
find_sources(const struct strips *s, LLVMValueRef shuffle, unsigned part, unsigned parts)
{
    struct sources *from = s->from;
    unsigned n = elements_of(shuffle) / parts, width = elements_of(LLVMGetOperand(shuffle, 0));
    unsigned per_part = width / parts_of(s, LLVMTypeOf(LLVMGetOperand(shuffle, 0)));

    from->n = 0;
    for (unsigned i = 0; i < n; i++) {
        int m = LLVMGetMaskValue(shuffle, part * n + i);
        unsigned operand, piece, k;

        from->at[i] = UINT32_MAX;
        if (m < 0)
            continue;
        operand = (unsigned)m / width;
        piece = (unsigned)m % width / per_part;
        for (k = 0; k < from->n; k++)
            if (from->operand[k] == operand && from->part[k] == piece)
                break;
        if (k == 2)
            return false;
        from->operand[k] = operand;
        from->part[k] = piece;
        from->n = k == from->n ? k + 1 : from->n;
        from->at[i] = k * per_part + (unsigned)m % per_part;
    }
    return true;
}

/* Whether each part of a result is computed from the same parts of the operands. */
static bool
is_split(const struct strips *s, LLVMValueRef i, unsigned parts)
{
    if (parts == 1)
        return false;
    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
        return true;
    if (LLVMIsAShuffleVectorInst(i)) {
        for (unsigned p = 0; p < parts; p++)
            if (!find_sources(s, i, p, parts))
                return false;
        return true;
    }
    return LLVMIsABinaryOperator(i) || LLVMGetInstructionOpcode(i) == LLVMFNeg ||
           LLVMIsAIntrinsicInst(i);
}

static void
add_node(struct strips *s, LLVMValueRef i)
{
    struct node *k = &s->nodes[s->n++];
    bool store = LLVMIsAStoreInst(i) != NULL;

    memset(k, 0, sizeof(*k));
    k->inst = i;
    k->parts = parts_of(s, LLVMTypeOf(store ? LLVMGetOperand(i, 0) : i));
    k->split = is_split(s, i, k->parts);
    if (!k->split)
        k->parts = 1;
    if (store || LLVMIsALoadInst(i))
        k->slot = slot_of(s, LLVMGetOperand(i, store ? 1 : 0));
    ls_ptrmap_set(&s->index, i, (void *)(uintptr_t)s->n);
}

static bool
same_place(LLVMValueRef p, LLVMValueRef q)
{
    if (p == q)
        return true;
    if (!LLVMIsAGetElementPtrInst(p) || !LLVMIsAGetElementPtrInst(q) ||
        LLVMGetNumOperands(p) != LLVMGetNumOperands(q) ||
        LLVMGetGEPSourceElementType(p) != LLVMGetGEPSourceElementType(q))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(p); i++)
        if (LLVMGetOperand(p, (unsigned)i) != LLVMGetOperand(q, (unsigned)i))
            return false;
    return true;
}

/* Whether the body's slots are fetched in one place, before they are stored there once; and what it
 * computes is wanted nowhere else. */
static bool
is_simple(const struct strips *s)
{
    struct ls_ptrmap stored;

    ls_ptrmap_init(&stored, s->cc->arena);
    for (unsigned i = s->n; i-- > 0;) {
        const struct node *k = &s->nodes[i], *to = k->slot ? ls_ptrmap_get(&stored, k->slot) : NULL;

        if (LLVMIsAStoreInst(k->inst)) {
            if (to)
                return false;
            ls_ptrmap_set(&stored, k->slot, s->nodes + i);
            continue;
        }
        if (to && (!same_place(LLVMGetOperand(k->inst, 0), LLVMGetOperand(to->inst, 1)) ||
                   LLVMTypeOf(k->inst) != LLVMTypeOf(LLVMGetOperand(to->inst, 0))))
            return false;
        if (LLVMGetTypeKind(LLVMTypeOf(k->inst)) != LLVMVectorTypeKind)
            continue;
        for (LLVMUseRef u = LLVMGetFirstUse(k->inst); u; u = LLVMGetNextUse(u))
            if (!node_of(s, LLVMGetUser(u)))
                return false;
    }
    /* A slot that is fetched behind its store holds what is new. */
    for (unsigned i = 0; i < s->n; i++) {
        const struct node *k = &s->nodes[i], *to = k->slot ? ls_ptrmap_get(&stored, k->slot) : NULL;

        if (to && to < k)
            return false;
    }
    return true;
}

/* ---- Strips ---- */

static void want(struct strips *s, LLVMValueRef v, unsigned parts);

/* Goes as deep as the body is long, so it keeps little on the stack. */
static void
want_operands(struct strips *s, struct node *k, unsigned part)
{
    LLVMValueRef i = k->inst;

    if (k->split && LLVMIsAShuffleVectorInst(i)) {
        unsigned parts[2] = {0, 0};

        find_sources(s, i, part, k->parts);
        for (unsigned f = 0; f < s->from->n; f++)
            parts[s->from->operand[f]] |= 1u << s->from->part[f];
        for (unsigned o = 0; o < 2; o++)
            if (parts[o])
                want(s, LLVMGetOperand(i, o), parts[o]);
        return;
    }
    for (int o = 0, n = LLVMGetNumOperands(i); o < n; o++) {
        LLVMValueRef op = LLVMGetOperand(i, (unsigned)o);

        want(s, op, k->split && parts_of(s, LLVMTypeOf(op)) > 1 ? 1u << part : ~0u);
    }
}

/* Notes that the strip needs these parts of a value. */
static void
want(struct strips *s, LLVMValueRef v, unsigned parts)
{
    struct node *k = node_of(s, v);
    unsigned missing;

    if (!k)
        return;
    missing = (k->split ? parts & ((1u << k->parts) - 1) : 1) & ~k->wanted;
    k->wanted |= missing;
    for (unsigned p = 0; p < k->parts; p++)
        if (missing >> p & 1)
            want_operands(s, k, p);
}

static void
want_units(struct strips *s, const struct unit *u, unsigned n)
{
    for (unsigned i = 0; i < s->n; i++)
        s->nodes[i].wanted = 0;
    for (unsigned i = 0; i < n; i++) {
        struct node *k = &s->nodes[u[i].node];

        k->wanted |= 1u << u[i].part;
        want_operands(s, k, u[i].part);
    }
}

/* What a strip costs: vector operations and accesses, those that go to each lane most. */
static unsigned
cost_of_strip(const struct strips *s)
{
    unsigned cost = 0;

    for (unsigned i = 0; i < s->n; i++) {
        const struct node *k = &s->nodes[i];
        bool vector = LLVMGetTypeKind(LLVMTypeOf(k->inst)) == LLVMVectorTypeKind;

        for (unsigned p = 0; p < k->parts; p++)
            if (k->wanted >> p & 1)
                cost += vector || LLVMIsALoadInst(k->inst) ? 2 : 1;
    }
    return cost;
}

/* Which strip each store is in, and what all of them cost; UINT32_MAX: some strip needs what an
 * earlier one has replaced. */
static unsigned
cost_of(struct strips *s, unsigned length)
{
    unsigned cost = 0;
    struct ls_ptrmap stored;

    ls_ptrmap_init(&stored, s->cc->arena);
    for (unsigned i = 0; i < s->n_units; i++) {
        struct node *k = &s->nodes[s->units[i].node];

        k->strip[s->units[i].part] = i / length;
        ls_ptrmap_set(&stored, k->slot, k);
    }
    for (unsigned i = 0; i < s->n_units; i += length) {
        want_units(s, s->units + i, s->n_units - i < length ? s->n_units - i : length);
        cost += cost_of_strip(s);
        for (unsigned j = 0; j < s->n; j++) {
            const struct node *k = &s->nodes[j];
            const struct node *to = k->slot ? ls_ptrmap_get(&stored, k->slot) : NULL;

            for (unsigned p = 0; to && to != k && p < k->parts; p++)
                if (k->wanted >> p & 1 && to->strip[k->split ? p : 0] < i / length)
                    return UINT32_MAX;
        }
    }
    return cost;
}

/* Puts the sums in the order that begins with every step-th. */
static void
order_units(struct strips *s, const struct unit *from, unsigned step, bool parts_last)
{
    unsigned parts = s->nodes[from[0].node].parts, n = s->n_units / parts, at = 0;

    for (unsigned p = 0; p < (parts_last ? 1 : parts); p++)
        for (unsigned first = 0; first < step; first++)
            for (unsigned i = first; i < n; i += step)
                for (unsigned q = 0; q < (parts_last ? parts : 1); q++)
                    s->units[at++] = from[i * parts + p + q];
}

/* Chooses the order of the sums. Returns the length of a strip, 0: they cannot be cut. */
static unsigned
choose_order(struct strips *s, unsigned most)
{
    unsigned length = most, best = UINT32_MAX, best_step = 0;
    unsigned parts = s->nodes[s->units[0].node].parts;
    struct unit *from = ls_arena_alloc(s->cc->arena, s->n_units * sizeof(*from));
    bool best_last = false;

    while (length > most / 2 && s->n_units % length)
        length--;
    if (s->n_units % length)
        length = most;
    memcpy(from, s->units, s->n_units * sizeof(*from));
    for (unsigned step = 1; step < s->n_units / parts; step *= 2)
        for (unsigned last = 0; last < (parts > 1 ? 2 : 1); last++) {
            unsigned cost;

            order_units(s, from, step, last);
            cost = cost_of(s, length);
            if (cost < best) {
                best = cost;
                best_step = step;
                best_last = last;
            }
        }
    if (!best_step)
        return 0;
    order_units(s, from, best_step, best_last);
    return length;
}

/* ---- Code ---- */

static LLVMTypeRef
part_type(LLVMTypeRef type, unsigned parts)
{
    return LLVMVectorType(LLVMGetElementType(type), LLVMGetVectorSize(type) / parts);
}

static LLVMValueRef
shuffle(struct strips *s, LLVMValueRef a, LLVMValueRef b, const unsigned *at, unsigned n)
{
    LLVMValueRef index[MAX_ELEMENTS];

    for (unsigned i = 0; i < n; i++)
        index[i] = at[i] == UINT32_MAX ? LLVMGetPoison(s->i32) : LLVMConstInt(s->i32, at[i], false);
    return LLVMBuildShuffleVector(s->b, a, b ? b : LLVMGetPoison(LLVMTypeOf(a)),
                                  LLVMConstVector(index, n), "");
}

/* A part of any value. */
static LLVMValueRef
get_part(struct strips *s, LLVMValueRef v, unsigned part)
{
    struct node *k = node_of(s, v);
    unsigned parts = parts_of(s, LLVMTypeOf(v)), at[MAX_ELEMENTS], n;

    if (parts == 1)
        return k ? k->made[0] : v;
    if (k && k->split)
        return k->made[part];
    n = elements_of(v) / parts;
    for (unsigned i = 0; i < n; i++)
        at[i] = part * n + i;
    return shuffle(s, k ? k->made[0] : v, NULL, at, n);
}

/* A value as a whole. */
static LLVMValueRef
get_whole(struct strips *s, LLVMValueRef v)
{
    struct node *k = node_of(s, v);
    unsigned at[MAX_ELEMENTS], n;
    LLVMValueRef parts[MAX_PARTS];

    if (!k)
        return v;
    if (!k->split)
        return k->made[0];
    if (k->joined == s->strip + 1)
        return k->whole;
    memcpy(parts, k->made, sizeof(parts));
    for (unsigned left = k->parts; left > 1; left /= 2)
        for (unsigned i = 0; i < left / 2; i++) {
            n = 2 * elements_of(parts[2 * i]);
            for (unsigned e = 0; e < n; e++)
                at[e] = e;
            parts[i] = shuffle(s, parts[2 * i], parts[2 * i + 1], at, n);
        }
    k->joined = s->strip + 1;
    return k->whole = parts[0];
}

static LLVMValueRef
make_access(struct strips *s, struct node *k, unsigned part)
{
    bool store = LLVMIsAStoreInst(k->inst) != NULL;
    unsigned bytes = part * s->cc->isa->vector_bits / 8, align = LLVMGetAlignment(k->inst);
    LLVMValueRef p = get_whole(s, LLVMGetOperand(k->inst, store ? 1 : 0)), access;
    LLVMValueRef index = LLVMConstInt(s->i64, bytes, false);

    if (bytes)
        p = LLVMBuildGEP2(s->b, s->i8, p, &index, 1, "");
    if (store)
        access = LLVMBuildStore(s->b, get_part(s, LLVMGetOperand(k->inst, 0), part), p);
    else
        access = LLVMBuildLoad2(s->b, part_type(LLVMTypeOf(k->inst), k->parts), p, "");
    LLVMSetAlignment(access, bytes && align > (bytes & -bytes) ? bytes & -bytes : align);
    return access;
}

static LLVMValueRef
make_shuffle(struct strips *s, struct node *k, unsigned part)
{
    unsigned n = elements_of(k->inst) / k->parts;
    LLVMValueRef v[2] = {NULL, NULL};
    const struct sources *from = s->from;
    bool same = true;

    find_sources(s, k->inst, part, k->parts);
    if (!from->n)
        return LLVMGetPoison(part_type(LLVMTypeOf(k->inst), k->parts));
    for (unsigned f = 0; f < from->n; f++)
        v[f] = get_part(s, LLVMGetOperand(k->inst, from->operand[f]), from->part[f]);
    for (unsigned i = 0; i < n; i++)
        same &= from->at[i] == i;
    return same && elements_of(v[0]) == n ? v[0] : shuffle(s, v[0], v[1], from->at, n);
}

static LLVMValueRef
make_operation(struct strips *s, struct node *k, unsigned part)
{
    LLVMValueRef args[3], v;
    unsigned n = (unsigned)LLVMGetNumOperands(k->inst);
    LLVMTypeRef type = part_type(LLVMTypeOf(k->inst), k->parts);

    n -= LLVMIsAIntrinsicInst(k->inst) ? 1 : 0;
    for (unsigned i = 0; i < n; i++)
        args[i] = get_part(s, LLVMGetOperand(k->inst, i), part);
    if (LLVMIsAIntrinsicInst(k->inst)) {
        unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(k->inst));
        LLVMValueRef fn = LLVMGetIntrinsicDeclaration(s->cc->mod, id, &type, 1);

        v = LLVMBuildCall2(s->b, LLVMGlobalGetValueType(fn), fn, args, n, "");
    } else if (n == 1) {
        v = LLVMBuildFNeg(s->b, args[0], "");
    } else {
        v = LLVMBuildBinOp(s->b, LLVMGetInstructionOpcode(k->inst), args[0], args[1], "");
    }
    if (LLVMIsAInstruction(v) && LLVMCanValueUseFastMathFlags(k->inst))
        LLVMSetFastMathFlags(v, LLVMGetFastMathFlags(k->inst));
    return v;
}

static void
make_node(struct strips *s, struct node *k)
{
    LLVMValueRef clone;

    LLVMSetCurrentDebugLocation2(s->b, LLVMInstructionGetDebugLoc(k->inst));
    for (unsigned p = 0; p < k->parts && k->split; p++) {
        if (!(k->wanted >> p & 1))
            continue;
        if (LLVMIsALoadInst(k->inst) || LLVMIsAStoreInst(k->inst))
            k->made[p] = make_access(s, k, p);
        else if (LLVMIsAShuffleVectorInst(k->inst))
            k->made[p] = make_shuffle(s, k, p);
        else
            k->made[p] = make_operation(s, k, p);
    }
    if (k->split || !k->wanted)
        return;
    clone = LLVMInstructionClone(k->inst);
    for (int i = 0, n = LLVMGetNumOperands(clone); i < n; i++)
        LLVMSetOperand(clone, (unsigned)i, get_whole(s, LLVMGetOperand(k->inst, (unsigned)i)));
    LLVMInsertIntoBuilder(s->b, clone);
    k->made[0] = clone;
}

/* What the strips have taken the place of goes. */
static void
drop_old(struct strips *s)
{
    for (unsigned i = s->n; i-- > 0;) {
        LLVMValueRef inst = s->nodes[i].inst;

        if (LLVMIsAStoreInst(inst))
            ls_ptrmap_set(&s->stored, s->nodes[i].slot, LLVMGetInstructionParent(inst));
        else if (LLVMGetFirstUse(inst))
            continue;
        if (ls_ptrmap_get(&s->loaded, inst))
            ls_ptrmap_set(&s->loaded, inst, NULL);
        LLVMInstructionEraseFromParent(inst);
    }
}

static void
make_strips(struct strips *s, unsigned length)
{
    LLVMPositionBuilderBefore(s->b, s->stop);
    for (unsigned i = 0; i < s->n_units; i += length, s->strip++) {
        /* Keeps LLVM from loading for several strips at once. */
        if (i)
            LLVMBuildFence(s->b, LLVMAtomicOrderingAcquireRelease, true, "");
        want_units(s, s->units + i, s->n_units - i < length ? s->n_units - i : length);
        for (unsigned k = 0; k < s->n; k++)
            make_node(s, &s->nodes[k]);
    }
    drop_old(s);
}

/* ---- Bodies ---- */

/* Slots that are fetched in front of the body, for it. */
static void
add_early_loads(struct strips *s, LLVMValueRef first)
{
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(first);

    for (LLVMValueRef i = first; i != s->stop; i = LLVMGetNextInstruction(i))
        for (int o = 0, n = LLVMGetNumOperands(i); o < n; o++) {
            LLVMValueRef load = LLVMGetOperand(i, (unsigned)o);

            if (ls_ptrmap_get(&s->loaded, load) == bb && !node_of(s, load) && s->n < MAX_BODY &&
                ls_ptrmap_get(&s->stored, slot_of(s, LLVMGetOperand(load, 0))) != bb)
                add_node(s, load);
        }
}

/* Notes what lies in front of the next body. */
static void
pass_body(struct strips *s, LLVMValueRef first)
{
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(first);

    for (LLVMValueRef i = first; i != s->stop; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef slot = LLVMIsAStoreInst(i) ? slot_of(s, LLVMGetOperand(i, 1)) : NULL;

        if (slot)
            ls_ptrmap_set(&s->stored, slot, bb);
        else if (LLVMIsALoadInst(i) && slot_of(s, LLVMGetOperand(i, 0)) &&
                 LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind)
            ls_ptrmap_set(&s->loaded, i, bb);
    }
}

static unsigned
count_work(const struct strips *s)
{
    unsigned n = 0;

    for (unsigned i = 0; i < s->n; i++)
        n += s->nodes[i].split && !LLVMIsAStoreInst(s->nodes[i].inst) ? s->nodes[i].parts : 0;
    return n;
}

/* The instructions from `first` up to s->stop, in which there are more sums than registers. False:
 * they stay as they are. */
static bool
cut_body(struct strips *s, LLVMValueRef first, unsigned most)
{
    unsigned length;

    ls_ptrmap_init(&s->index, s->cc->arena);
    s->n = s->n_units = 0;
    add_early_loads(s, first);
    for (LLVMValueRef i = first; i != s->stop; i = LLVMGetNextInstruction(i)) {
        if (s->n == MAX_BODY)
            return false;
        add_node(s, i);
    }
    for (unsigned i = 0; i < s->n; i++) {
        const struct node *k = &s->nodes[i];

        if (!LLVMIsAStoreInst(k->inst))
            continue;
        if (!k->split || s->n_units + k->parts > MAX_UNITS ||
            (s->n_units && k->parts != s->nodes[s->units[0].node].parts))
            return false;
        for (unsigned p = 0; p < k->parts; p++)
            s->units[s->n_units++] = (struct unit){i, p};
    }
    if (count_work(s) < MIN_WORK * s->n_units || !is_simple(s))
        return false;
    length = choose_order(s, most);
    if (length)
        make_strips(s, length);
    return length > 0;
}

/* Finds the bodies of a block: what lies between instructions that stay where they are. */
static void
cut_block(struct strips *s, LLVMBasicBlockRef bb)
{
    LLVMValueRef first = NULL, next;
    unsigned size = 0, n_units = 0, most = s->cc->isa->n_registers / 4 * 3;

    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (is_movable(s, i)) {
            first = first ? first : i;
            size++;
            n_units += LLVMIsAStoreInst(i) ? parts_of(s, LLVMTypeOf(LLVMGetOperand(i, 0))) : 0;
            continue;
        }
        s->stop = i;
        if (first && (size >= MAX_BODY || n_units <= most || !cut_body(s, first, most)))
            pass_body(s, first);
        first = NULL;
        size = n_units = 0;
    }
}

void
ls_host_cut_strips(struct ls_cc *cc)
{
    struct strips s = {.cc = cc};

    if (cc->n_lanes == 1 || !ls_host_opt_level(cc))
        return;
    s.b = LLVMCreateBuilderInContext(cc->llvm);
    s.i8 = LLVMInt8TypeInContext(cc->llvm);
    s.i32 = LLVMInt32TypeInContext(cc->llvm);
    s.i64 = LLVMInt64TypeInContext(cc->llvm);
    s.nodes = ls_arena_alloc(cc->arena, MAX_BODY * sizeof(*s.nodes));
    s.units = ls_arena_alloc(cc->arena, MAX_UNITS * sizeof(*s.units));
    s.from = ls_arena_alloc(cc->arena, sizeof(*s.from));
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        bool any = false;

        if (LLVMIsDeclaration(fn))
            continue;
        ls_ptrmap_init(&s.own, cc->arena);
        ls_ptrmap_init(&s.loaded, cc->arena);
        ls_ptrmap_init(&s.stored, cc->arena);
        for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)); i;
             i = LLVMGetNextInstruction(i))
            if (LLVMIsAAllocaInst(i) && is_own(i, 0)) {
                ls_ptrmap_set(&s.own, i, i);
                any = true;
            }
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb && any;
             bb = LLVMGetNextBasicBlock(bb))
            cut_block(&s, bb);
    }
    LLVMDisposeBuilder(s.b);
}
