/* SPDX-License-Identifier: MIT */
/* Whole blocks with barriers as straight code. Where the loops over a block's warps are short, each
 * warp gets code of its own; all places in the block's shared memory are known numbers then, and
 * what warps hand to each other through it stays in registers: a read is made of the values that
 * were written there. Nobody else sees a block's memory, so no write remains. */
#include "host/host.h"

#include <stddef.h>
#include <string.h>

#include "compiler/ir/ir.h"
#include "device/cpu/kernel_abi.h"
#include "host/whole.h"

enum {
    MAX_STRAIGHT = 6000, /* instructions of a block, about */
    MAX_BYTES = 16384,   /* of shared memory */
    MAX_AHEAD = 4096,    /* bytes that are asked for before they are read */
    MANY_ROWS = 16,      /* of memory that a block reads: more than prefetchers follow */
    MAX_DEPTH = 8,       /* of an address */
    LINE = 64,
    MAX_LANES = 256,
    NO_LANE = 2 * MAX_LANES, /* no lane of two vectors */
};

/* An element of shared memory: that of `value` at `index`, or value itself where it is no
 * vector. */
struct cell {
    LLVMValueRef value;
    unsigned index;
};

struct place {
    int64_t first; /* element of shared memory */
    unsigned n;
    LLVMTypeRef type; /* what is loaded or stored */
    LLVMValueRef mask, value, otherwise; /* NULL: all lanes; loads; loads without a mask */
};

struct straight {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    LLVMTypeRef i32;
    LLVMTargetDataRef layout;
    LLVMValueRef base;
    unsigned bytes; /* of an element */
    struct cell *cells;
    unsigned n_cells;
    struct ls_ptrmap at; /* pointers into shared memory: their offset, and one */
};

/* ---- Loops over warps ---- */

/* Instructions in the blocks from `first` to `last`, NULL: to the end; those of vectors count
 * `each`. */
static unsigned
size_of(LLVMBasicBlockRef first, LLVMBasicBlockRef last, unsigned each)
{
    unsigned n = 0;

    for (LLVMBasicBlockRef bb = first; bb; bb = bb == last ? NULL : LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            LLVMTypeRef type = LLVMTypeOf(LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : i);

            n += LLVMGetTypeKind(type) == LLVMVectorTypeKind ? each : 1;
        }
    return n;
}

/* The first block of a loop that runs a known number of times, for warps at most; else NULL. It
 * ends where it goes back, or in front of a block that does no more. */
static LLVMBasicBlockRef
short_loop(const struct ls_cc *cc, LLVMValueRef latch)
{
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(latch), head = NULL;
    LLVMValueRef branch = latch, index, limit;
    LLVMUseRef from = LLVMGetFirstUse(LLVMBasicBlockAsValue(bb));

    if (LLVMGetNumSuccessors(latch) == 1 && from && !LLVMGetNextUse(from)) {
        branch = LLVMGetUser(from);
        head = LLVMGetSuccessor(latch, 0);
    }
    if (LLVMGetNumSuccessors(branch) != 2 || !LLVMIsAICmpInst(LLVMGetCondition(branch)))
        return NULL;
    index = LLVMGetOperand(LLVMGetCondition(branch), 0);
    limit = LLVMGetOperand(LLVMGetCondition(branch), 1);
    if (LLVMIsABinaryOperator(index))
        index = LLVMGetOperand(index, 0);
    if (!LLVMIsAPHINode(index) || !LLVMIsAConstantInt(limit) ||
        LLVMConstIntGetZExtValue(limit) > cc->n_warps)
        return NULL;
    bb = LLVMGetInstructionParent(index);
    if (head ? head != bb
             : LLVMGetSuccessor(latch, 0) != bb && LLVMGetSuccessor(latch, 1) != bb)
        return NULL;
    return bb;
}

bool
ls_straight_wanted(struct ls_cc *cc, LLVMValueRef fn, LLVMValueRef *latches, unsigned n)
{
    unsigned each = cc->n_lanes * 32 / cc->isa->vector_bits + 1;
    unsigned size = size_of(LLVMGetFirstBasicBlock(fn), NULL, each);

    for (unsigned i = 0; i < n; i++) {
        LLVMBasicBlockRef head = short_loop(cc, latches[i]);

        if (!head)
            return false;
        size += (cc->n_warps - 1) * size_of(head, LLVMGetInstructionParent(latches[i]), each);
    }
    return size <= MAX_STRAIGHT;
}

/* ---- Places ---- */

/* The offset of `p` in shared memory, if it is a known number. */
static bool
offset_of(struct straight *s, LLVMValueRef p, int64_t *offset)
{
    *offset = 0;
    for (; p != s->base; p = LLVMGetOperand(p, 0)) {
        if (!LLVMIsAGetElementPtrInst(p) || LLVMGetNumOperands(p) != 2 ||
            !LLVMIsAConstantInt(LLVMGetOperand(p, 1)))
            return false;
        *offset += LLVMConstIntGetSExtValue(LLVMGetOperand(p, 1)) *
                   (int64_t)LLVMABISizeOfType(s->layout, LLVMGetGEPSourceElementType(p));
    }
    return true;
}

static bool
is_masked_access(LLVMValueRef inst)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    return name && (ls_ir_has_prefix(name, "llvm.masked.load.") ||
                    ls_ir_has_prefix(name, "llvm.masked.store."));
}

/* Whether all that is done with a pointer into shared memory is to read and write there. */
static bool
note_uses(struct straight *s, LLVMValueRef p, LLVMBasicBlockRef bb)
{
    ls_ptrmap_set(&s->at, p, p);
    for (LLVMUseRef u = LLVMGetFirstUse(p); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        bool fine = false;

        if (LLVMGetInstructionParent(user) != bb)
            return false;
        if (LLVMIsAGetElementPtrInst(user))
            fine = LLVMGetOperand(user, 0) == p && note_uses(s, user, bb);
        else if (LLVMIsALoadInst(user))
            fine = !LLVMGetVolatile(user);
        else if (LLVMIsAStoreInst(user))
            fine = !LLVMGetVolatile(user) && LLVMGetOperand(user, 0) != p;
        else
            fine = is_masked_access(user);
        if (!fine)
            return false;
    }
    return true;
}

/* Reads an instruction that reads or writes shared memory; false: its place is not known. */
static bool
read_place(struct straight *s, LLVMValueRef inst, struct place *p)
{
    LLVMValueRef pointer;
    LLVMTypeRef elem;
    int64_t offset;

    *p = (struct place){.n = 1};
    if (LLVMIsALoadInst(inst)) {
        pointer = LLVMGetOperand(inst, 0);
        if (LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic)
            return false;
    } else if (LLVMIsAStoreInst(inst)) {
        p->value = LLVMGetOperand(inst, 0);
        pointer = LLVMGetOperand(inst, 1);
        if (LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic)
            return false;
    } else if (LLVMGetNumArgOperands(inst) == 4 &&
               LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMVoidTypeKind) {
        pointer = LLVMGetOperand(inst, 0);
        p->mask = LLVMGetOperand(inst, 2);
        p->otherwise = LLVMGetOperand(inst, 3);
    } else {
        p->value = LLVMGetOperand(inst, 0);
        pointer = LLVMGetOperand(inst, 1);
        p->mask = LLVMGetOperand(inst, 3);
    }
    p->type = elem = LLVMTypeOf(p->value ? p->value : inst);
    if (LLVMGetTypeKind(elem) == LLVMVectorTypeKind) {
        p->n = LLVMGetVectorSize(elem);
        elem = LLVMGetElementType(elem);
    }
    if (LLVMGetTypeKind(elem) == LLVMPointerTypeKind || p->n > MAX_LANES ||
        LLVMSizeOfTypeInBits(s->layout, elem) != 8 * LLVMABISizeOfType(s->layout, elem))
        return false;
    if (!s->bytes)
        s->bytes = (unsigned)LLVMABISizeOfType(s->layout, elem);
    if (LLVMABISizeOfType(s->layout, elem) != s->bytes || !offset_of(s, pointer, &offset) ||
        offset % s->bytes || (p->mask && !LLVMIsConstant(p->mask)))
        return false;
    p->first = offset / s->bytes;
    return true;
}

/* 1 or 0; -1: not known. */
static int
lane_is_on(const struct place *p, unsigned lane)
{
    LLVMValueRef bit = p->mask ? LLVMGetAggregateElement(p->mask, lane) : NULL;

    if (!p->mask)
        return 1;
    return bit && LLVMIsAConstantInt(bit) ? (int)LLVMConstIntGetZExtValue(bit) : -1;
}

static struct cell *
cell_at(struct straight *s, int64_t element)
{
    return element >= 0 && element < s->n_cells ? &s->cells[element] : NULL;
}

/* ---- Values ---- */

static bool
note_write(struct straight *s, const struct place *p)
{
    for (unsigned l = 0; l < p->n; l++) {
        struct cell *c = cell_at(s, p->first + l);
        int on = lane_is_on(p, l);

        if (on < 0 || (on && !c))
            return false;
        if (on)
            *c = (struct cell){p->value, l};
    }
    return true;
}

/* `v` with the element type `elem` of as many bits. */
static LLVMValueRef
with_elements(struct straight *s, LLVMValueRef v, LLVMTypeRef elem)
{
    LLVMTypeRef type = LLVMTypeOf(v);

    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMVectorType(elem, LLVMGetVectorSize(type));
    else
        type = elem;
    return LLVMBuildBitCast(s->b, v, type, "");
}

/* Lanes of two vectors of one type; from[l] counts through both. */
static LLVMValueRef
shuffle(struct straight *s, LLVMValueRef a, LLVMValueRef b, const unsigned *from, unsigned n)
{
    LLVMValueRef lanes[MAX_LANES], none = LLVMGetPoison(s->i32);

    for (unsigned l = 0; l < n; l++)
        lanes[l] = from[l] == NO_LANE ? none : LLVMConstInt(s->i32, from[l], false);
    return LLVMBuildShuffleVector(s->b, a, b ? b : LLVMGetPoison(LLVMTypeOf(a)),
                                  LLVMConstVector(lanes, n), "");
}

/* Puts the cells that lie in `v` into lanes of `acc`, which may be NULL: none so far. */
static LLVMValueRef
add_lanes(struct straight *s, LLVMValueRef acc, LLVMValueRef v, const struct cell *cells,
          const struct place *p)
{
    LLVMTypeRef elem = LLVMGetElementType(p->type);
    LLVMValueRef same = with_elements(s, v, elem);
    unsigned from[MAX_LANES], n = p->n;
    bool is_vector = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind, is_all = true;

    if (!is_vector) {
        acc = acc ? acc : LLVMGetPoison(p->type);
        for (unsigned l = 0; l < n; l++)
            if (cells[l].value == v)
                acc = LLVMBuildInsertElement(s->b, acc, same, LLVMConstInt(s->i32, l, false), "");
        return acc;
    }
    for (unsigned l = 0; l < n; l++) {
        from[l] = cells[l].value == v ? cells[l].index : NO_LANE;
        is_all &= from[l] == l;
    }
    if (is_all && LLVMGetVectorSize(LLVMTypeOf(v)) == n)
        return same;
    if (!acc)
        return shuffle(s, same, NULL, from, n);
    if (LLVMGetVectorSize(LLVMTypeOf(v)) != n) {
        same = shuffle(s, same, NULL, from, n);
        for (unsigned l = 0; l < n; l++)
            from[l] = from[l] == NO_LANE ? NO_LANE : l;
    }
    for (unsigned l = 0; l < n; l++)
        from[l] = from[l] == NO_LANE ? l : n + from[l];
    return shuffle(s, acc, same, from, n);
}

/* Where all lanes lie in two vectors of p's size, one shuffle takes them from both; else NULL. */
static LLVMValueRef
from_two(struct straight *s, const struct cell *cells, const struct place *p)
{
    LLVMTypeRef elem = LLVMGetElementType(p->type);
    LLVMValueRef of[2] = {cells[0].value, NULL};
    unsigned from[MAX_LANES];

    for (unsigned l = 0; l < p->n; l++) {
        LLVMTypeRef type = LLVMTypeOf(cells[l].value);

        if (!of[1] && cells[l].value != of[0])
            of[1] = cells[l].value;
        if ((cells[l].value != of[0] && cells[l].value != of[1]) ||
            LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetVectorSize(type) != p->n)
            return NULL;
        from[l] = cells[l].index + (cells[l].value == of[0] ? 0 : p->n);
    }
    if (!of[1])
        return NULL;
    return shuffle(s, with_elements(s, of[0], elem), with_elements(s, of[1], elem), from, p->n);
}

/* What a read gives; NULL: not known. */
static LLVMValueRef
value_of(struct straight *s, const struct place *p)
{
    struct cell cells[MAX_LANES];
    LLVMValueRef acc;

    for (unsigned l = 0; l < p->n; l++) {
        struct cell *c = cell_at(s, p->first + l);
        int on = lane_is_on(p, l);

        cells[l] = on == 1 && c ? *c : (struct cell){on ? NULL : p->otherwise, l};
        if (!cells[l].value)
            return NULL;
    }
    if (LLVMGetTypeKind(p->type) != LLVMVectorTypeKind) {
        acc = cells[0].value;
        if (LLVMGetTypeKind(LLVMTypeOf(acc)) == LLVMVectorTypeKind)
            acc = LLVMBuildExtractElement(s->b, acc, LLVMConstInt(s->i32, cells[0].index, false),
                                          "");
        return LLVMBuildBitCast(s->b, acc, p->type, "");
    }
    acc = from_two(s, cells, p);
    if (acc)
        return acc;
    for (unsigned l = 0; l < p->n; l++) {
        LLVMValueRef v = cells[l].value;

        if (!v)
            continue;
        acc = add_lanes(s, acc, v, cells, p);
        for (unsigned k = 0; k < p->n; k++)
            if (cells[k].value == v)
                cells[k].value = NULL;
    }
    return acc;
}

/* ---- Reading in order ---- */

/* `v` as it is `ahead` blocks later; NULL: not known. The block's number is the one that moves. */
static LLVMValueRef
later(struct straight *s, LLVMBasicBlockRef bb, LLVMValueRef v, unsigned ahead, unsigned depth)
{
    LLVMValueRef copy;

    if (!LLVMIsAInstruction(v) || LLVMGetInstructionParent(v) != bb)
        return v;
    if (LLVMIsAPHINode(v))
        return LLVMTypeOf(v) == s->i32
                   ? LLVMBuildAdd(s->b, v, LLVMConstInt(s->i32, ahead, false), "")
                   : NULL;
    if (depth == 0 || (!LLVMIsABinaryOperator(v) && !LLVMIsACastInst(v) &&
                       !LLVMIsAGetElementPtrInst(v)))
        return NULL;
    copy = LLVMInstructionClone(v);
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++) {
        LLVMValueRef op = later(s, bb, LLVMGetOperand(v, (unsigned)i), ahead, depth - 1);

        if (!op) {
            LLVMDeleteInstruction(copy);
            return NULL;
        }
        LLVMSetOperand(copy, (unsigned)i, op);
    }
    LLVMInsertIntoBuilder(s->b, copy);
    return copy;
}

static unsigned long long
line_bytes(struct straight *s, LLVMValueRef inst)
{
    unsigned long long bytes;

    if (!LLVMIsALoadInst(inst) || LLVMGetVolatile(inst) ||
        LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMVectorTypeKind)
        return 0;
    bytes = LLVMABISizeOfType(s->layout, LLVMTypeOf(inst));
    return bytes % LINE ? 0 : bytes;
}

/* What a block reads. */
struct reads {
    unsigned long long bytes; /* whole lines */
    unsigned n_rows;          /* from places that are no fixed distance apart; MANY_ROWS: or more */
};

static struct reads
count_reads(struct straight *s, LLVMBasicBlockRef bb)
{
    LLVMValueRef rows[MANY_ROWS];
    struct reads r = {0, 0};

    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
        unsigned long long bytes = line_bytes(s, i);
        LLVMValueRef p = bytes ? LLVMGetOperand(i, 0) : NULL;
        unsigned k = 0;

        if (!p)
            continue;
        r.bytes += bytes;
        while (LLVMIsAGetElementPtrInst(p) && LLVMGetNumOperands(p) == 2 &&
               LLVMIsAConstantInt(LLVMGetOperand(p, 1)))
            p = LLVMGetOperand(p, 0);
        while (k < r.n_rows && rows[k] != p)
            k++;
        if (k == r.n_rows && k < MANY_ROWS)
            rows[r.n_rows++] = p;
    }
    return r;
}

/* Asks for what later blocks read. `locality`: as of llvm.prefetch. */
static void
ask_ahead(struct straight *s, LLVMBasicBlockRef bb, const struct reads *r, unsigned locality)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(s->cc->llvm, 0), i8, type;
    LLVMTypeRef types[4] = {ptr, s->i32, s->i32, s->i32};
    LLVMValueRef fn, args[4], at = LLVMGetFirstInstruction(bb);

    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(s->b, at);
    i8 = LLVMInt8TypeInContext(s->cc->llvm);
    type = LLVMFunctionType(LLVMVoidTypeInContext(s->cc->llvm), types, 4, false);
    fn = ls_ir_declare(s->cc, "llvm.prefetch.p0", type, true);
    for (LLVMValueRef i = at; i; i = LLVMGetNextInstruction(i)) {
        unsigned long long n = line_bytes(s, i);
        LLVMValueRef p = n ? later(s, bb, LLVMGetOperand(i, 0),
                                   (unsigned)((MAX_AHEAD + r->bytes - 1) / r->bytes), MAX_DEPTH)
                           : NULL;

        for (unsigned long long k = 0; p && k < n; k += LINE) {
            args[0] = LLVMConstInt(LLVMInt64TypeInContext(s->cc->llvm), k, false);
            args[0] = LLVMBuildGEP2(s->b, i8, p, &args[0], 1, "");
            args[1] = LLVMConstInt(s->i32, 0, false); /* to read, */
            args[2] = LLVMConstInt(s->i32, locality, false);
            args[3] = LLVMConstInt(s->i32, 1, false); /* data */
            LLVMBuildCall2(s->b, type, fn, args, 4, "");
        }
    }
}

/* Straight code would read a block's lines in the order of its sums, which prefetchers of
 * processors take for no stream. So lines are read in the order of warps, where registers hold them
 * all; else those of later blocks are asked for, in that order. Nor do they follow the rows of a
 * tile; what is asked for there comes into the second cache, as rows drive each other out of the
 * first. `in_registers`: what warps hand to each other is, so reads were moved. */
static void
keep_order(struct straight *s, LLVMBasicBlockRef bb, bool in_registers)
{
    struct reads r = count_reads(s, bb);

    if (!r.bytes || r.bytes > MAX_AHEAD)
        return;
    if (r.n_rows >= MANY_ROWS) {
        ask_ahead(s, bb, &r, 2);
    } else if (in_registers &&
               4 * r.bytes <= 3ull * s->cc->isa->n_registers * s->cc->isa->vector_bits / 8) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (line_bytes(s, i)) {
                LLVMPositionBuilderBefore(s->b, LLVMGetNextInstruction(i));
                LLVMBuildFence(s->b, LLVMAtomicOrderingRelease, true, "");
            }
    } else if (in_registers) {
        ask_ahead(s, bb, &r, 3);
    }
}

/* ---- The block ---- */

/* The pointer to the block's shared memory, if it is read in one place. */
static LLVMValueRef
find_base(struct straight *s, LLVMBasicBlockRef bb)
{
    LLVMValueRef ctx = LLVMGetParam(LLVMGetBasicBlockParent(bb), 0), base = NULL;

    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef at = LLVMIsALoadInst(i) ? LLVMGetOperand(i, 0) : NULL;

        if (!at || !LLVMIsAGetElementPtrInst(at) || LLVMGetOperand(at, 0) != ctx ||
            LLVMGetNumOperands(at) != 2 || !LLVMIsAConstantInt(LLVMGetOperand(at, 1)) ||
            LLVMConstIntGetZExtValue(LLVMGetOperand(at, 1)) *
                    LLVMABISizeOfType(s->layout, LLVMGetGEPSourceElementType(at)) !=
                offsetof(struct ls_cpu_ctx, lds))
            continue;
        if (base)
            return NULL;
        base = i;
    }
    return base;
}

static bool
keep_in_registers(struct straight *s, LLVMBasicBlockRef bb)
{
    LLVMValueRef *dead = ls_arena_alloc(s->cc->arena, size_of(bb, bb, 1) * sizeof(LLVMValueRef));
    unsigned n_dead = 0;
    struct place p;

    s->base = find_base(s, bb);
    ls_ptrmap_init(&s->at, s->cc->arena);
    if (!s->base || !note_uses(s, s->base, bb))
        return false;
    s->cells = ls_arena_alloc(s->cc->arena, MAX_BYTES * sizeof(*s->cells));
    s->n_cells = MAX_BYTES;
    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
        bool is_store = LLVMIsAStoreInst(i);
        LLVMValueRef v;

        if (!LLVMIsALoadInst(i) && !is_store && !LLVMIsACallInst(i))
            continue;
        if (LLVMIsACallInst(i))
            is_store = LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind;
        if ((unsigned)LLVMGetNumOperands(i) <= is_store ||
            !ls_ptrmap_get(&s->at, LLVMGetOperand(i, is_store)))
            continue;
        if (!read_place(s, i, &p))
            return false;
        if (p.value) {
            if (!note_write(s, &p))
                return false;
        } else {
            LLVMPositionBuilderBefore(s->b, i);
            v = value_of(s, &p);
            if (!v)
                return false;
            LLVMReplaceAllUsesWith(i, v);
        }
        dead[n_dead++] = i;
    }
    while (n_dead > 0)
        LLVMInstructionEraseFromParent(dead[--n_dead]);
    /* A fence is for other threads of the block, whose code this is, too. */
    for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (LLVMIsAFenceInst(i))
            LLVMInstructionEraseFromParent(i);
    }
    ls_host_drop_lanes(s->cc, LLVMGetBasicBlockParent(bb));
    return true;
}

void
ls_straight_settle(struct ls_cc *cc, LLVMValueRef fn)
{
    struct straight s = {.cc = cc, .layout = LLVMGetModuleDataLayout(cc->mod)};
    bool done = false;

    s.i32 = LLVMInt32TypeInContext(cc->llvm);
    s.b = LLVMCreateBuilderInContext(cc->llvm);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef term = LLVMGetBasicBlockTerminator(bb);

        for (unsigned i = 0; i < LLVMGetNumSuccessors(term); i++)
            if (LLVMGetSuccessor(term, i) == bb && !done) {
                done = keep_in_registers(&s, bb);
                keep_order(&s, bb, done);
            }
    }
    LLVMDisposeBuilder(s.b);
}
