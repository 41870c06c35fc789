/* SPDX-License-Identifier: MIT */
/* Large functions' vectors in parts, as loops.
 *
 * A value of 64 lanes is 16 registers of SSE, all there are, and each operation on it is 16 to 60
 * instructions: what a page of source becomes takes LLVM half a minute. Where a function is so
 * large, the operations between two that are none of lanes alone become a loop over the lanes, a
 * register at a time. What they read and leave lies in memory, where LLVM would keep most of it
 * anyway, in a room for each value.
 *
 * Why this is legal: operations that only compute touch no memory, and lane by lane they depend on
 * nothing but the same lane of their operands. They are made later than they stood, right before
 * the first other instruction of the block that asks for a result. A room holds what its value's
 * last computation left, which is what the value means wherever its definition dominates.
 *
 * What blocks hand on to phis lies in rooms, too, which the blocks that edges come from write to
 * (rooms.c: phis that hand on to each other share one). Memory of the function through which lanes
 * go one by one elsewhere (masked.c, lanes/steps.c) is read and written by the loops, too.
 *
 * Called after all other passes, which would see through none of it. */
#include "host/host.h"

#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "base/isa.h"
#include "base/ptrmap.h"
#include "compiler/analysis/cfg.h"
#include "compiler/ir/ir.h"
#include "host/rooms.h"

enum {
    MUCH = 8000,    /* registers of results in a function, for each 128 bits that they have */
    MIN_GROUP = 3,  /* operations that are worth a loop */
    MIN_LONG = 2,   /* of so many rounds as MANY_ROUNDS */
    MANY_ROUNDS = 8,
    LANE_BITS = 32, /* of a lane: how many make a register */
    ALIGN = 64,     /* of rooms */
};

struct list {
    LLVMValueRef *v; /* of the arena */
    unsigned n, cap;
};

struct roller {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    LLVMTypeRef i32, i64;
    LLVMValueRef fn;
    unsigned n_lanes, part; /* lanes of a value and of a round */
    struct ls_ptrmap rooms; /* value -> its room */
    struct ls_ptrmap own;   /* operation of the group -> its form in the loop, or itself */
    struct ls_ptrmap ready; /* other operand -> its form in the loop */
    struct ls_ptrmap phis;  /* what an edge brings to a phi -> the room of the phi */
    struct ls_ptrmap heads; /* mask of a phi as it is read from its room: no operation to roll */
    struct ls_ptrmap plan;  /* phi that will lie in a room -> this room */
    struct ls_ptrmap open;  /* memory that whole vectors are read from and written to -> itself */
    struct ls_ptrmap sizes; /* such memory -> bytes of an element that the group has there */
    bool touches;           /* the group reads or writes such memory */
    struct list group, reloads;
    LLVMBasicBlockRef body; /* the loop being made */
    LLVMValueRef at;        /* number of its first lane */
    LLVMBuilderRef before;  /* in front of it */
};

/* ---- What may be rolled ---- */

static bool
suits(const struct roller *r, LLVMTypeRef type)
{
    LLVMTypeRef elem;
    unsigned bits;

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetVectorSize(type) != r->n_lanes)
        return false;
    elem = LLVMGetElementType(type);
    switch (LLVMGetTypeKind(elem)) {
    case LLVMIntegerTypeKind:
        bits = LLVMGetIntTypeWidth(elem);
        return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
        return true;
    case LLVMPointerTypeKind:
        return LLVMGetPointerAddressSpace(elem) == 0;
    default:
        return false; /* half too: LLVM's code for it depends on the vector's length */
    }
}

static bool
is_mask(LLVMTypeRef type)
{
    return LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetElementType(type)) == 1;
}

static bool
is_lanewise_call(LLVMValueRef call)
{
    static const char *const names[] = {"llvm.fma.",  "llvm.fmuladd.", "llvm.fabs.", "llvm.maxnum.",
                                        "llvm.sqrt.", "llvm.minnum.",  "llvm.umin.", "llvm.umax.",
                                        "llvm.smin.", "llvm.smax.",    "llvm.fshl.", "llvm.fshr."};

    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]) && LLVMIsAIntrinsicInst(call); k++)
        if (ls_ir_has_prefix(ls_ir_callee_name(call), names[k]))
            return true;
    return false;
}

/* Whether it is no constant that only the linker knows as a whole. */
static bool
has_known_lanes(LLVMValueRef v)
{
    return !LLVMIsConstant(v) || LLVMGetAggregateElement(v, 0) != NULL;
}

/* Whether an instruction computes each lane of its result from the same lane of its operands. */
static bool
is_lanewise(const struct roller *r, LLVMValueRef i)
{
    bool call = LLVMIsACallInst(i) != NULL, gep = LLVMIsAGetElementPtrInst(i) != NULL;
    bool select = LLVMIsASelectInst(i) != NULL;
    unsigned n = (unsigned)LLVMGetNumOperands(i) - call;

    if (!suits(r, LLVMTypeOf(i)) ||
        !(call ? is_lanewise_call(i)
               : gep || select || LLVMIsABinaryOperator(i) || LLVMIsAICmpInst(i) ||
                     LLVMIsAFCmpInst(i) || LLVMIsACastInst(i) || LLVMIsAFreezeInst(i) ||
                     LLVMGetInstructionOpcode(i) == LLVMFNeg))
        return false;
    for (unsigned k = 0; k < n; k++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, k));

        if (LLVMGetTypeKind(type) == LLVMVectorTypeKind
                ? !suits(r, type) || !has_known_lanes(LLVMGetOperand(i, k))
                : !gep && !(select && k == 0))
            return false;
    }
    return true;
}

/* ---- Memory that lanes go through ---- */

/* Whether nothing but reads and writes knows an address, and those that it leads to. */
static bool
is_only_accessed(LLVMValueRef at)
{
    for (LLVMUseRef u = LLVMGetFirstUse(at); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        bool store = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != at;

        if (!store && !LLVMIsALoadInst(user) &&
            !(LLVMIsAGetElementPtrInst(user) && is_only_accessed(user)))
            return false;
    }
    return true;
}

/* The open memory that an instruction reads or writes, or NULL; *whole: from its first byte on. */
static LLVMValueRef
open_memory(const struct roller *r, LLVMValueRef i, bool *whole)
{
    LLVMValueRef at = LLVMIsALoadInst(i)    ? LLVMGetOperand(i, 0)
                      : LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 1)
                                            : NULL;

    *whole = at && LLVMIsAAllocaInst(at);
    while (at && LLVMIsAGetElementPtrInst(at))
        at = LLVMGetOperand(at, 0);
    return at ? ls_ptrmap_get(&r->open, at) : NULL;
}

static unsigned
element_bytes(const struct roller *r, LLVMValueRef access)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMIsALoadInst(access) ? access : LLVMGetOperand(access, 0));

    return (unsigned)LLVMABISizeOfType(LLVMGetModuleDataLayout(r->cc->mod),
                                       LLVMGetElementType(type));
}

/* Whether an access of a whole vector of open memory may go with the group: whoever else has this
 * memory in the group has each lane at the same place. */
static bool
joins_as_access(struct roller *r, LLVMValueRef i, LLVMValueRef memory)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMIsALoadInst(i) ? i : LLVMGetOperand(i, 0));
    uintptr_t bytes, other;

    if (LLVMGetVolatile(i) || !suits(r, type) || is_mask(type) ||
        (LLVMIsAStoreInst(i) && !has_known_lanes(LLVMGetOperand(i, 0))))
        return false;
    bytes = element_bytes(r, i);
    other = (uintptr_t)ls_ptrmap_get(&r->sizes, memory);
    if (other && other != bytes)
        return false;
    ls_ptrmap_set(&r->sizes, memory, (void *)bytes);
    r->touches = true;
    return true;
}

static void
open_memories(struct roller *r)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(r->fn)); i;
         i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i) && LLVMGetAlignment(i) >= ALIGN && is_only_accessed(i))
            ls_ptrmap_set(&r->open, i, i);
}

/* The scalar that all lanes of a value are, or NULL. */
static LLVMValueRef
splat_of(LLVMValueRef v)
{
    LLVMValueRef insert;

    if (!LLVMIsAShuffleVectorInst(v))
        return NULL;
    for (unsigned k = 0; k < LLVMGetNumMaskElements(v); k++)
        if (LLVMGetMaskValue(v, k) != 0)
            return NULL;
    insert = LLVMGetOperand(v, 0);
    return LLVMIsAInsertElementInst(insert) && LLVMIsNull(LLVMGetOperand(insert, 2))
               ? LLVMGetOperand(insert, 1)
               : NULL;
}

/* ---- Rooms ---- */

static LLVMTypeRef
vector(LLVMTypeRef type, unsigned n)
{
    return LLVMVectorType(LLVMGetElementType(type), n);
}

/* The type as which n lanes lie in memory: a mask as words that are 0 or -1. */
static LLVMTypeRef
kept_type(struct roller *r, LLVMTypeRef type, unsigned n)
{
    return is_mask(type) ? LLVMVectorType(r->i32, n) : vector(type, n);
}

static LLVMValueRef
make_room(struct roller *r, LLVMTypeRef type)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(r->cc->llvm);
    LLVMValueRef room;

    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(r->fn)));
    room = LLVMBuildAlloca(b, kept_type(r, type, r->n_lanes), "");
    LLVMSetAlignment(room, ALIGN);
    LLVMDisposeBuilder(b);
    return room;
}

/* Writes a value, or some lanes of it, as it is kept. */
static void
keep(struct roller *r, LLVMBuilderRef b, LLVMValueRef v, LLVMValueRef to, unsigned align)
{
    LLVMTypeRef type = LLVMTypeOf(v);

    if (is_mask(type))
        v = LLVMBuildSExt(b, v, kept_type(r, type, LLVMGetVectorSize(type)), "");
    LLVMSetAlignment(LLVMBuildStore(b, v, to), align);
}

/* Reads lanes of a value of this type. */
static LLVMValueRef
fetch(struct roller *r, LLVMBuilderRef b, LLVMTypeRef type, unsigned n, LLVMValueRef from,
      unsigned align)
{
    LLVMTypeRef kept = kept_type(r, type, n);
    LLVMValueRef v = LLVMBuildLoad2(b, kept, from, "");

    LLVMSetAlignment(v, align);
    return is_mask(type) ? LLVMBuildICmp(b, LLVMIntSLT, v, LLVMConstNull(kept), "") : v;
}

/* A constant that is not the same in all lanes lies in read-only memory. */
static LLVMValueRef
constant_room(struct roller *r, LLVMValueRef c)
{
    LLVMTypeRef type = kept_type(r, LLVMTypeOf(c), r->n_lanes);
    LLVMValueRef *lanes = ls_arena_alloc(r->cc->arena, r->n_lanes * sizeof(*lanes)), g;

    for (unsigned l = 0; l < r->n_lanes; l++) {
        lanes[l] = LLVMGetAggregateElement(c, l);
        if (is_mask(LLVMTypeOf(c)))
            lanes[l] = LLVMIsAConstantInt(lanes[l]) && !LLVMIsNull(lanes[l])
                           ? LLVMConstAllOnes(r->i32)
                           : LLVMConstNull(r->i32);
    }
    g = LLVMAddGlobal(r->cc->mod, type, "lanes");
    LLVMSetInitializer(g, LLVMConstVector(lanes, r->n_lanes));
    LLVMSetGlobalConstant(g, true);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    LLVMSetAlignment(g, ALIGN);
    return g;
}

/* The room of a value that no loop computes: it is filled right behind its definition. */
static LLVMValueRef
room_of(struct roller *r, LLVMValueRef v)
{
    LLVMValueRef room = ls_ptrmap_get(&r->rooms, v), next;
    LLVMBuilderRef b;

    if (room)
        return room;
    if (LLVMIsConstant(v)) {
        room = constant_room(r, v);
    } else {
        room = make_room(r, LLVMTypeOf(v));
        b = LLVMCreateBuilderInContext(r->cc->llvm);
        if (LLVMIsAInstruction(v))
            next = LLVMIsAPHINode(v) ? ls_ir_after_phis(LLVMGetInstructionParent(v))
                                     : LLVMGetNextInstruction(v);
        else
            for (next = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(r->fn));
                 LLVMIsAAllocaInst(next);)
                next = LLVMGetNextInstruction(next);
        LLVMPositionBuilderBefore(b, next);
        keep(r, b, v, room, ALIGN);
        LLVMDisposeBuilder(b);
    }
    ls_ptrmap_set(&r->rooms, v, room);
    return room;
}

/* ---- The loop ---- */

static unsigned
bytes_of(struct roller *r, LLVMTypeRef kept)
{
    return (unsigned)LLVMABISizeOfType(LLVMGetModuleDataLayout(r->cc->mod),
                                       LLVMGetElementType(kept));
}

/* Where the loop's lanes of a room lie. */
static LLVMValueRef
place(struct roller *r, LLVMTypeRef type, LLVMValueRef room, unsigned *align)
{
    LLVMTypeRef kept = kept_type(r, type, r->n_lanes);

    *align = bytes_of(r, kept) * r->part;
    *align = *align > ALIGN ? ALIGN : *align;
    return LLVMBuildInBoundsGEP2(r->b, LLVMGetElementType(kept), room, &r->at, 1, "");
}

static LLVMValueRef
splat(struct roller *r, LLVMBuilderRef b, LLVMValueRef scalar)
{
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), r->part);
    LLVMValueRef v =
        LLVMBuildInsertElement(b, LLVMGetPoison(type), scalar, LLVMConstNull(r->i32), "");

    return LLVMBuildShuffleVector(b, v, LLVMGetPoison(type),
                                  LLVMConstNull(LLVMVectorType(r->i32, r->part)), "");
}

/* The same constant in all lanes of a part, or NULL. */
static LLVMValueRef
constant_part(struct roller *r, LLVMValueRef c)
{
    LLVMValueRef first = LLVMGetAggregateElement(c, 0), lanes[64];

    for (unsigned l = 0; l < r->n_lanes; l++)
        if (!first || LLVMGetAggregateElement(c, l) != first)
            return NULL;
    for (unsigned l = 0; l < r->part; l++)
        lanes[l] = first;
    return LLVMConstVector(lanes, r->part);
}

static LLVMValueRef
operand(struct roller *r, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef part, scalar;
    unsigned align;

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return v;
    if ((part = ls_ptrmap_get(&r->own, v)) || (part = ls_ptrmap_get(&r->ready, v)))
        return part;
    if (LLVMIsConstant(v) && (part = constant_part(r, v)))
        return part;
    if ((scalar = splat_of(v)) != NULL)
        part = splat(r, r->before, scalar);
    else {
        LLVMValueRef room = room_of(r, v), from = place(r, type, room, &align);

        part = fetch(r, r->b, type, r->part, from, align);
    }
    ls_ptrmap_set(&r->ready, v, part);
    return part;
}

/* The loop's lanes of an access of a whole vector. */
static LLVMValueRef
make_access(struct roller *r, LLVMValueRef i)
{
    bool reads = LLVMIsALoadInst(i) != NULL;
    LLVMTypeRef type = LLVMTypeOf(reads ? i : LLVMGetOperand(i, 0));
    LLVMValueRef v = reads ? NULL : operand(r, LLVMGetOperand(i, 0)), at;
    unsigned align;

    at = place(r, type, LLVMGetOperand(i, reads ? 0 : 1), &align);
    LLVMSetCurrentDebugLocation2(r->b, LLVMInstructionGetDebugLoc(i));
    if (reads)
        return fetch(r, r->b, type, r->part, at, align);
    keep(r, r->b, v, at, align);
    return v;
}

static LLVMValueRef
make_call(struct roller *r, LLVMValueRef call, LLVMValueRef *args, unsigned n)
{
    unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(call));
    LLVMTypeRef type = vector(LLVMTypeOf(call), r->part);
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(r->cc->mod, id, &type, 1);

    return LLVMBuildCall2(r->b, LLVMGlobalGetValueType(fn), fn, args, n, "");
}

/* An operation on the loop's lanes. That integers do not wrap is not said again; what rounds, as it
 * was. */
static LLVMValueRef
make(struct roller *r, LLVMValueRef i)
{
    bool call = LLVMIsACallInst(i) != NULL;
    unsigned n = (unsigned)LLVMGetNumOperands(i) - call;
    LLVMValueRef *op, v;

    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
        return make_access(r, i);
    op = ls_arena_alloc(r->cc->arena, (n + 1) * sizeof(*op));
    for (unsigned k = 0; k < n; k++)
        op[k] = operand(r, LLVMGetOperand(i, k));
    LLVMSetCurrentDebugLocation2(r->b, LLVMInstructionGetDebugLoc(i));
    if (call)
        v = make_call(r, i, op, n);
    else if (LLVMIsAGetElementPtrInst(i))
        v = LLVMBuildGEP2(r->b, LLVMGetGEPSourceElementType(i), op[0], op + 1, n - 1, "");
    else if (LLVMIsASelectInst(i))
        v = LLVMBuildSelect(r->b, op[0], op[1], op[2], "");
    else if (LLVMIsAICmpInst(i))
        v = LLVMBuildICmp(r->b, LLVMGetICmpPredicate(i), op[0], op[1], "");
    else if (LLVMIsAFCmpInst(i))
        v = LLVMBuildFCmp(r->b, LLVMGetFCmpPredicate(i), op[0], op[1], "");
    else if (LLVMIsACastInst(i))
        v = LLVMBuildCast(r->b, LLVMGetInstructionOpcode(i), op[0], vector(LLVMTypeOf(i), r->part),
                          "");
    else if (LLVMIsAFreezeInst(i))
        v = LLVMBuildFreeze(r->b, op[0], "");
    else if (LLVMGetInstructionOpcode(i) == LLVMFNeg)
        v = LLVMBuildFNeg(r->b, op[0], "");
    else
        v = LLVMBuildBinOp(r->b, LLVMGetInstructionOpcode(i), op[0], op[1], "");
    if (LLVMIsAInstruction(v) && LLVMCanValueUseFastMathFlags(i) && LLVMCanValueUseFastMathFlags(v))
        LLVMSetFastMathFlags(v, LLVMGetFastMathFlags(i));
    return v;
}

static bool
is_used_outside(struct roller *r, LLVMValueRef i)
{
    for (LLVMUseRef u = LLVMGetFirstUse(i); u; u = LLVMGetNextUse(u))
        if (!ls_ptrmap_get(&r->own, LLVMGetUser(u)))
            return true;
    return false;
}

static void
push(struct roller *r, struct list *list, LLVMValueRef v)
{
    if (list->n == list->cap) {
        unsigned cap = 2 * list->cap + 256;
        LLVMValueRef *more = ls_arena_alloc(r->cc->arena, cap * sizeof(*more));

        if (list->n)
            memcpy(more, list->v, list->n * sizeof(*more));
        list->v = more;
        list->cap = cap;
    }
    list->v[list->n++] = v;
}

/* The group's operations, lane by lane; results that others want go to rooms: rooms[k] of the k-th,
 * or NULL. */
static void
fill_body(struct roller *r, LLVMValueRef *rooms)
{
    for (unsigned k = 0; k < r->group.n; k++) {
        LLVMValueRef i = r->group.v[k], v = make(r, i), to;
        unsigned align;

        ls_ptrmap_set(&r->own, i, v);
        if (!rooms[k])
            continue;
        to = place(r, LLVMTypeOf(i), rooms[k], &align);
        keep(r, r->b, v, to, align);
    }
}

/* Makes the group's loop in front of `stop`. */
static void
roll(struct roller *r, LLVMValueRef stop)
{
    LLVMBasicBlockRef head = ls_ir_split_before(r->cc, stop), rest = LLVMGetInstructionParent(stop);
    LLVMValueRef *rooms = ls_arena_alloc(r->cc->arena, r->group.n * sizeof(*rooms));
    LLVMValueRef zero = LLVMConstNull(r->i64), next, more;

    for (unsigned k = 0; k < r->group.n; k++) {
        rooms[k] = ls_ptrmap_get(&r->phis, r->group.v[k]);
        if (!rooms[k] && is_used_outside(r, r->group.v[k]))
            rooms[k] = make_room(r, LLVMTypeOf(r->group.v[k]));
    }
    for (unsigned k = 0; k < r->group.n; k++)
        ls_ptrmap_set(&r->own, r->group.v[k], NULL); /* as long as it is not made */
    r->body = LLVMInsertBasicBlockInContext(r->cc->llvm, rest, "rolled");
    LLVMSetSuccessor(LLVMGetBasicBlockTerminator(head), 0, r->body);
    LLVMPositionBuilderBefore(r->before, LLVMGetBasicBlockTerminator(head));
    LLVMPositionBuilderAtEnd(r->b, r->body);
    LLVMSetCurrentDebugLocation2(r->b, LLVMInstructionGetDebugLoc(stop));
    r->at = LLVMBuildPhi(r->b, r->i64, "");
    LLVMAddIncoming(r->at, &zero, &head, 1);
    ls_ptrmap_init(&r->ready, r->cc->arena);
    fill_body(r, rooms);
    next = LLVMBuildAdd(r->b, r->at, LLVMConstInt(r->i64, r->part, false), "");
    more = LLVMBuildICmp(r->b, LLVMIntULT, next, LLVMConstInt(r->i64, r->n_lanes, false), "");
    LLVMAddIncoming(r->at, &next, &r->body, 1);
    LLVMBuildCondBr(r->b, more, r->body, rest);
    LLVMPositionBuilderBefore(r->b, stop);
    for (unsigned k = 0; k < r->group.n; k++) {
        LLVMValueRef v;

        if (!rooms[k] || ls_ptrmap_get(&r->phis, r->group.v[k]))
            continue;
        v = fetch(r, r->b, LLVMTypeOf(r->group.v[k]), r->n_lanes, rooms[k], ALIGN);
        ls_ptrmap_set(&r->rooms, v, rooms[k]);
        push(r, &r->reloads, v);
        LLVMReplaceAllUsesWith(r->group.v[k], v);
    }
    for (unsigned k = r->group.n; k-- > 0;) {
        /* Its address may be another value's soon. */
        ls_ptrmap_set(&r->rooms, r->group.v[k], NULL);
        ls_ptrmap_set(&r->phis, r->group.v[k], NULL);
        LLVMInstructionEraseFromParent(r->group.v[k]);
    }
}

/* A value that an edge brings to a phi is written by a loop of its own, too. */
static bool
is_worth_loop(struct roller *r)
{
    bool found = r->group.n >= (r->n_lanes / r->part >= MANY_ROUNDS ? MIN_LONG : MIN_GROUP);

    for (unsigned k = 0; k < r->group.n && !found; k++)
        found = ls_ptrmap_get(&r->phis, r->group.v[k]) != NULL;
    return found;
}

static void
end_group(struct roller *r, LLVMValueRef stop)
{
    if (is_worth_loop(r))
        roll(r, stop);
    r->group.n = 0;
    ls_ptrmap_init(&r->own, r->cc->arena);
    if (r->touches)
        ls_ptrmap_init(&r->sizes, r->cc->arena);
    r->touches = false;
}

static void
add_to_group(struct roller *r, LLVMValueRef i)
{
    push(r, &r->group, i);
    ls_ptrmap_set(&r->own, i, i);
}

static bool
asks_group(struct roller *r, LLVMValueRef i)
{
    for (int k = 0, n = LLVMGetNumOperands(i); k < n; k++)
        if (ls_ptrmap_get(&r->own, LLVMGetOperand(i, (unsigned)k)))
            return true;
    return false;
}

static void
roll_block(struct roller *r, LLVMBasicBlockRef bb)
{
    for (LLVMValueRef i = ls_ir_after_phis(bb), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        bool whole;
        LLVMValueRef memory = open_memory(r, i, &whole);

        if ((memory && whole && joins_as_access(r, i, memory)) ||
            (is_lanewise(r, i) && !ls_ptrmap_get(&r->heads, i)))
            add_to_group(r, i);
        else if (!next || asks_group(r, i) || (memory && ls_ptrmap_get(&r->sizes, memory)))
            end_group(r, i);
    }
}

/* ---- Values that edges bring ---- */

static bool
is_back_edge(const struct ls_cfg *cfg, unsigned from, unsigned to)
{
    for (unsigned k = 0; k < cfg->blocks[from].n_succs; k++)
        if (cfg->blocks[from].succs[k] == to)
            return ls_cfg_dominates(cfg, to, from);
    return false;
}

/* Whether a phi of block `at` is asked for behind the ends of those blocks of its loop that lead
 * back to it; `leaves`: some of them lead out of the loop, too. */
static bool
is_asked_behind(const struct roller *r, const struct ls_cfg *cfg, unsigned at, LLVMValueRef phi,
                bool leaves)
{
    const struct ls_loop *loop = cfg->blocks[at].loop;

    for (LLVMUseRef u = LLVMGetFirstUse(phi); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        unsigned in = ls_cfg_number(cfg, LLVMGetInstructionParent(user));

        if (user == phi)
            continue;
        if (!LLVMIsAPHINode(user)) {
            if (in == LS_NO_BLOCK || (leaves && !ls_loop_has(loop, in)))
                return true;
            continue;
        }
        for (unsigned k = 0; k < LLVMCountIncoming(user); k++) {
            unsigned from = ls_cfg_number(cfg, LLVMGetIncomingBlock(user, k));

            /* What goes to a phi of the plan is read in front of what is written for this one. */
            if (LLVMGetIncomingValue(user, k) == phi &&
                (from == LS_NO_BLOCK ||
                 (is_back_edge(cfg, from, at) && !ls_ptrmap_get(&r->plan, user)) ||
                 (leaves && !ls_loop_has(loop, from))))
                return true;
        }
    }
    return false;
}

/* Whether the room of a phi may be written where edges come from: what the phi means is no longer
 * asked for then. It holds for edges from blocks that the phi does not dominate: who asks is
 * dominated, so the way from such a block to there comes by the phi. From a block that is dominated
 * ways lead on to the phi or out of its loop. */
static bool
has_free_edges(const struct roller *r, const struct ls_cfg *cfg, unsigned at, LLVMValueRef phi)
{
    bool loops = false, leaves = false;

    for (unsigned k = 0; k < cfg->blocks[at].n_preds; k++) {
        const struct ls_cfg_block *from = &cfg->blocks[cfg->blocks[at].preds[k]];

        if (!ls_cfg_dominates(cfg, at, cfg->blocks[at].preds[k]))
            continue;
        loops = true;
        for (unsigned s = 0; s < from->n_succs; s++) {
            if (from->succs[s] != at && ls_loop_has(cfg->blocks[at].loop, from->succs[s]))
                return false;
            leaves |= from->succs[s] != at;
        }
    }
    return !loops || !is_asked_behind(r, cfg, at, phi, leaves);
}

/* Whether all blocks that a phi names can be reached, and what they bring lies in rooms. */
static bool
has_known_edges(const struct ls_cfg *cfg, LLVMValueRef phi)
{
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (ls_cfg_number(cfg, LLVMGetIncomingBlock(phi, k)) == LS_NO_BLOCK ||
            !has_known_lanes(LLVMGetIncomingValue(phi, k)))
            return false;
    return true;
}

/* Whether a value lies in this room, now or once all phis do. */
static bool
lies_in(const struct roller *r, LLVMValueRef v, LLVMValueRef room)
{
    return ls_ptrmap_get(&r->plan, v) == room || ls_ptrmap_get(&r->rooms, v) == room;
}

/* Has the end of a block write what it brings to the phi, once for all its edges. */
static void
bring(struct roller *r, LLVMValueRef phi, unsigned edge, LLVMValueRef room)
{
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, edge);
    LLVMValueRef v = LLVMGetIncomingValue(phi, edge);

    for (unsigned k = 0; k < edge; k++)
        if (LLVMGetIncomingBlock(phi, k) == from)
            return;
    if (v == phi || LLVMIsUndef(v) /* or poison */ || lies_in(r, v, room))
        return;
    LLVMPositionBuilderBefore(r->b, LLVMGetBasicBlockTerminator(from));
    ls_ptrmap_set(&r->phis, LLVMBuildFreeze(r->b, v, ""), room);
}

/* Makes a phi what is read from the room that edges write to. */
static void
settle_phi(struct roller *r, LLVMValueRef phi)
{
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(phi);
    LLVMValueRef room = ls_ptrmap_get(&r->plan, phi), v;

    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        bring(r, phi, k, room);
    LLVMPositionBuilderBefore(r->b, ls_ir_after_phis(bb));
    v = fetch(r, r->b, LLVMTypeOf(phi), r->n_lanes, room, ALIGN);
    ls_ptrmap_set(&r->rooms, v, room);
    push(r, &r->reloads, v);
    ls_ptrmap_set(&r->heads, v, v);
    ls_ptrmap_set(&r->plan, phi, NULL); /* its address may be another value's soon */
    LLVMReplaceAllUsesWith(phi, v);
    LLVMInstructionEraseFromParent(phi);
}

static void
settle_phis(struct roller *r)
{
    struct ls_cfg *cfg = ls_cfg_build(r->cc->arena, r->fn);
    struct list phis = {NULL, 0, 0};
    LLVMValueRef *rooms;
    unsigned *place;

    for (unsigned k = 0; k < cfg->n_blocks; k++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[k].bb); LLVMIsAPHINode(i);
             i = LLVMGetNextInstruction(i))
            if (suits(r, LLVMTypeOf(i)) && has_free_edges(r, cfg, k, i) &&
                has_known_edges(cfg, i)) {
                push(r, &phis, i);
                ls_ptrmap_set(&r->plan, i, i);
            }
    place = ls_rooms_share(r->cc->arena, cfg, phis.v, phis.n);
    rooms = ls_arena_alloc(r->cc->arena, (phis.n + 1) * sizeof(LLVMValueRef));
    for (unsigned k = 0; k < phis.n; k++) {
        if (!rooms[place[k]])
            rooms[place[k]] = make_room(r, LLVMTypeOf(phis.v[k]));
        ls_ptrmap_set(&r->plan, phis.v[k], rooms[place[k]]);
    }
    for (unsigned k = 0; k < phis.n; k++)
        settle_phi(r, phis.v[k]);
}

/* What is undefined in some lanes is taken as the other operand of the choice there, as instruction
 * selection would. */
static void
drop_choices(struct roller *r)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(r->fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            bool choice = LLVMIsASelectInst(i) && suits(r, LLVMTypeOf(i));
            unsigned kept = choice && LLVMIsUndef(LLVMGetOperand(i, 1)) ? 2 : 1;

            next = LLVMGetNextInstruction(i);
            if (!choice || !LLVMIsUndef(LLVMGetOperand(i, 3 - kept)))
                continue;
            LLVMReplaceAllUsesWith(i, LLVMGetOperand(i, kept));
            LLVMInstructionEraseFromParent(i);
        }
}

/* ---- Functions ---- */

/* Whether a function is so large that it is rolled. */
static bool
is_large(struct roller *r)
{
    unsigned parts = (r->n_lanes + r->part - 1) / r->part;
    uint64_t n = 0;

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(r->fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            n += is_lanewise(r, i) ? parts : 0;
    return ls_cc_is_over(r->cc, n, (uint64_t)MUCH * (r->cc->isa->vector_bits / 128));
}

/* A result that only loops ask for is not fetched as a whole. */
static void
drop_reloads(struct roller *r)
{
    for (unsigned k = r->reloads.n; k-- > 0;) {
        LLVMValueRef v = r->reloads.v[k], from = LLVMIsAICmpInst(v) ? LLVMGetOperand(v, 0) : NULL;

        if (LLVMGetFirstUse(v))
            continue;
        LLVMInstructionEraseFromParent(v);
        if (from)
            LLVMInstructionEraseFromParent(from);
    }
    r->reloads.n = 0;
}

static void
roll_function(struct roller *r)
{
    unsigned n = LLVMCountBasicBlocks(r->fn);
    LLVMBasicBlockRef *blocks = ls_arena_alloc(r->cc->arena, (n + 1) * sizeof(LLVMBasicBlockRef));

    LLVMGetBasicBlocks(r->fn, blocks);
    ls_ptrmap_init(&r->rooms, r->cc->arena);
    ls_ptrmap_init(&r->phis, r->cc->arena);
    ls_ptrmap_init(&r->heads, r->cc->arena);
    ls_ptrmap_init(&r->own, r->cc->arena);
    ls_ptrmap_init(&r->plan, r->cc->arena);
    ls_ptrmap_init(&r->open, r->cc->arena);
    ls_ptrmap_init(&r->sizes, r->cc->arena);
    r->group.n = 0;
    open_memories(r);
    drop_choices(r);
    settle_phis(r);
    for (unsigned k = 0; k < n; k++)
        roll_block(r, blocks[k]);
    drop_reloads(r);
}

void
ls_host_roll(struct ls_cc *cc)
{
    struct roller r = {.cc = cc, .n_lanes = cc->n_lanes};

    r.part = cc->isa->vector_bits / LANE_BITS;
    if (cc->isa->has_masks || cc->n_lanes <= r.part || !ls_host_opt_level(cc))
        return;
    r.b = LLVMCreateBuilderInContext(cc->llvm);
    r.before = LLVMCreateBuilderInContext(cc->llvm);
    r.i32 = LLVMInt32TypeInContext(cc->llvm);
    r.i64 = LLVMInt64TypeInContext(cc->llvm);
    for (r.fn = LLVMGetFirstFunction(cc->mod); r.fn; r.fn = LLVMGetNextFunction(r.fn))
        if (!LLVMIsDeclaration(r.fn) && is_large(&r))
            roll_function(&r);
    LLVMDisposeBuilder(r.b);
    LLVMDisposeBuilder(r.before);
}
