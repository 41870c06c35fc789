/* SPDX-License-Identifier: MIT */
/* Tiles that are read once. A row that a block fetches from global memory into shared memory, and
 * of which, once its warps run side by side, each piece is read at one place, need not pass through
 * shared memory: it is read where it comes from, at that place. Stores that nobody reads vanish.
 *
 * The code is that of one thread of the host, in order, and nobody else sees the block's shared
 * memory; all its places have to be known. A read of global memory may come later than it was
 * written down if nothing in between writes to global memory or speaks to other threads: who could
 * tell would race. Where several stores lead to a read (in front of a loop, and at its end for the
 * next turn), the address that each has read from is carried there. */
#include "host/host.h"

#include <stddef.h>

#include "analysis/cfg.h"
#include "compiler/ir/ir.h"
#include "device/cpu/kernel_abi.h"
#include "host/shared.h"

enum {
    MAX_ACCESSES = 512,
    MAX_BLOCKS = 512,
    MAX_SOURCES = 4, /* stores that lead to one read */
    MIN_BYTES = 16,  /* of a read */
    MAX_DEPTH = 12,  /* of a stored value */
};

/* Where some bytes of a store have been read: `load`, from byte `offset` of it on. */
struct source {
    unsigned store; /* an access */
    LLVMValueRef load;
    unsigned offset;
};

struct access {
    LLVMValueRef inst;
    struct ls_shared_access a;
    int32_t at, bytes;
    unsigned block;
    /* of reads */
    struct source sources[MAX_SOURCES];
    unsigned n_sources;
    bool is_late; /* it can be read from its sources */
    bool stays;   /* stores: somebody reads it all the same */
};

struct reader {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    struct ls_shared shared;
    const struct ls_cfg *cfg;
    struct access *accesses;
    unsigned n;
    struct ls_ptrmap numbers; /* instruction -> access, and one */
    unsigned *seen, turn;     /* by block */
};

/* ---- What may lie between ---- */

static LLVMValueRef
root_of(LLVMValueRef p)
{
    while (LLVMIsAGetElementPtrInst(p) || LLVMIsAAddrSpaceCastInst(p))
        p = LLVMGetOperand(p, 0);
    return p;
}

/* Whether a pointer is an argument of the kernel, or is counted from one: no private variable, and
 * no shared one. */
static bool
is_of_kernel(const struct reader *r, LLVMValueRef p)
{
    LLVMValueRef ctx = LLVMGetParam(r->shared.fn, 0), from;

    p = root_of(p);
    if (LLVMIsAArgument(p))
        return p != ctx;
    if (!LLVMIsALoadInst(p))
        return false;
    from = root_of(LLVMGetOperand(p, 0)); /* the kernarg segment, */
    if (!LLVMIsALoadInst(from))
        return false;
    from = LLVMGetOperand(from, 0); /* which ctx points to */
    return LLVMIsAGetElementPtrInst(from) && LLVMGetOperand(from, 0) == ctx &&
           LLVMIsAConstantInt(LLVMGetOperand(from, 1)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(from, 1)) *
                   LLVMABISizeOfType(r->shared.layout, LLVMGetGEPSourceElementType(from)) ==
               offsetof(struct ls_cpu_ctx, kernarg);
}

static bool
has_prefix_of(LLVMValueRef call, const char *const *prefixes)
{
    const char *name = LLVMIsACallInst(call) ? ls_ir_callee_name(call) : NULL;

    while (name && *prefixes && !ls_ir_has_prefix(name, *prefixes))
        prefixes++;
    return name && *prefixes;
}

/* Calls that neither read nor write. */
static bool
is_hint(LLVMValueRef call)
{
    static const char *const names[] = {"llvm.prefetch.", "llvm.lifetime.", "llvm.assume",
                                        "llvm.experimental.noalias.", NULL};

    return has_prefix_of(call, names);
}

static bool
only_reads(LLVMValueRef call)
{
    static const char *const names[] = {"llvm.masked.load.", "llvm.masked.gather.", NULL};

    return is_hint(call) || has_prefix_of(call, names) || ls_ir_is_pure(call);
}

/* Whether a read of global memory may be done behind an instruction as well as in front of it. */
static bool
lets_pass(const struct reader *r, LLVMValueRef i)
{
    LLVMValueRef root;

    if (LLVMIsAFenceInst(i))
        return LLVMIsAtomicSingleThread(i);
    if (LLVMIsALoadInst(i))
        return LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic && !LLVMGetVolatile(i);
    if (LLVMIsACallInst(i))
        return only_reads(i);
    if (!LLVMIsAStoreInst(i))
        return !LLVMIsAAtomicRMWInst(i) && !LLVMIsAAtomicCmpXchgInst(i) && !LLVMIsAVAArgInst(i);
    root = root_of(LLVMGetOperand(i, 1));
    return ls_ptrmap_get(&r->numbers, i) || LLVMIsAAllocaInst(root) ||
           root == LLVMGetParam(r->shared.fn, 0);
}

/* ---- Where a read's bytes come from ---- */

static bool
is_plain_load(const struct reader *r, LLVMValueRef v)
{
    return LLVMIsALoadInst(v) && !LLVMGetVolatile(v) &&
           LLVMGetOrdering(v) == LLVMAtomicOrderingNotAtomic && !ls_ptrmap_get(&r->numbers, v) &&
           is_of_kernel(r, LLVMGetOperand(v, 0));
}

/* Finds the load of which `n` elements of a vector, from `first` on, are neighbours; its elements
 * have as many bytes. */
static bool
find_load(const struct reader *r, LLVMValueRef v, unsigned first, unsigned n, struct source *out)
{
    for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
        unsigned half, from;

        if (is_plain_load(r, v)) {
            out->load = v;
            out->offset = first;
            return true;
        }
        if (!LLVMIsAShuffleVectorInst(v))
            return false;
        for (unsigned l = 0; l < n; l++)
            if (LLVMGetMaskValue(v, first + l) != LLVMGetMaskValue(v, first) + (int)l)
                return false;
        if (LLVMGetMaskValue(v, first) < 0)
            return false;
        half = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0)));
        from = (unsigned)LLVMGetMaskValue(v, first);
        if (from < half && from + n > half)
            return false;
        v = LLVMGetOperand(v, from >= half);
        first = from % half;
    }
    return false;
}

/* Whether nothing between a load and a store of the same block writes what was loaded. */
static bool
is_undisturbed(const struct reader *r, LLVMValueRef load, LLVMValueRef store)
{
    if (LLVMGetInstructionParent(load) != LLVMGetInstructionParent(store))
        return false;
    for (LLVMValueRef i = load; i != store; i = LLVMGetNextInstruction(i))
        if (!i || !lets_pass(r, i))
            return false;
    return true;
}

static bool
overlap(const struct access *a, const struct access *b)
{
    return a->at < b->at + b->bytes && b->at < a->at + a->bytes;
}

/* Adds a store to the sources of a read; false: what it has written is not from one place. */
static bool
add_source(const struct reader *r, struct access *read, unsigned number)
{
    const struct access *store = &r->accesses[number];
    struct source s = {.store = number};

    if (store->a.mask || store->at > read->at || store->a.bytes != read->a.bytes ||
        store->at + store->bytes < read->at + read->bytes ||
        (unsigned)(read->at - store->at) % read->a.bytes || read->n_sources == MAX_SOURCES ||
        LLVMGetTypeKind(LLVMTypeOf(store->a.value)) != LLVMVectorTypeKind ||
        !find_load(r, store->a.value, (unsigned)(read->at - store->at) / read->a.bytes, read->a.n,
                   &s) ||
        !is_undisturbed(r, s.load, store->inst))
        return false;
    s.offset *= read->a.bytes;
    read->sources[read->n_sources++] = s;
    return true;
}

/* Finds what was stored last where `read` reads, in front of `from` in its block and upwards;
 * false: it is not known on all ways. */
static bool
find_sources(struct reader *r, struct access *read, unsigned block, LLVMValueRef from)
{
    const struct ls_cfg_block *b = &r->cfg->blocks[block];

    for (LLVMValueRef i = from; i; i = LLVMGetPreviousInstruction(i)) {
        size_t number = (size_t)(uintptr_t)ls_ptrmap_get(&r->numbers, i);

        if (!lets_pass(r, i))
            return false;
        if (number && r->accesses[number - 1].a.deed == LS_DEED_STORE &&
            overlap(&r->accesses[number - 1], read))
            return add_source(r, read, (unsigned)number - 1);
    }
    for (unsigned i = 0; i < b->n_preds; i++) {
        if (r->seen[b->preds[i]] == r->turn)
            continue;
        r->seen[b->preds[i]] = r->turn;
        if (!find_sources(r, read, b->preds[i], r->cfg->blocks[b->preds[i]].term))
            return false;
    }
    return b->n_preds > 0;
}

/* ---- What pays ---- */

/* Whether a read runs as often as one of its stores, and the others no more often. */
static bool
runs_as_often(const struct reader *r, const struct access *read)
{
    const struct ls_loop *loop = r->cfg->blocks[read->block].loop;
    bool same = false;

    for (unsigned i = 0; i < read->n_sources; i++) {
        const struct ls_loop *of = r->cfg->blocks[r->accesses[read->sources[i].store].block].loop;
        const struct ls_loop *up = loop;

        same |= of == loop;
        while (up && up != of)
            up = up->parent;
        if (up != of)
            return false;
    }
    return same;
}

/* A read that is not late keeps the stores that it sees, and reads of stores that stay are not
 * late, until nothing changes. */
static void
settle(struct reader *r)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (unsigned i = 0; i < r->n; i++) {
            struct access *read = &r->accesses[i];

            if (read->a.deed != LS_DEED_LOAD)
                continue;
            for (unsigned k = 0; k < read->n_sources; k++)
                read->is_late &= !r->accesses[read->sources[k].store].stays;
            for (unsigned k = 0; k < r->n && !read->is_late; k++) {
                struct access *store = &r->accesses[k];

                if (store->a.deed == LS_DEED_STORE && !store->stays && overlap(store, read))
                    store->stays = changed = true;
            }
        }
    }
}

/* Whether two reads have bytes from the same store. */
static bool
have_same_source(const struct access *a, const struct access *b)
{
    for (unsigned i = 0; i < a->n_sources; i++)
        for (unsigned k = 0; k < b->n_sources; k++)
            if (a->sources[i].store == b->sources[k].store)
                return overlap(a, b);
    return false;
}

static void
find_late(struct reader *r)
{
    for (unsigned i = 0; i < r->n; i++) {
        struct access *a = &r->accesses[i];

        if (a->a.deed != LS_DEED_LOAD || a->a.mask || a->bytes < (int)MIN_BYTES ||
            LLVMGetTypeKind(a->a.type) != LLVMVectorTypeKind)
            continue;
        r->turn++;
        a->is_late = find_sources(r, a, a->block, LLVMGetPreviousInstruction(a->inst)) &&
                     runs_as_often(r, a);
    }
    for (unsigned i = 0; i < r->n; i++) /* what is read at two places is better kept */
        for (unsigned k = 0; k < i; k++)
            if (have_same_source(&r->accesses[i], &r->accesses[k]))
                r->accesses[i].is_late = r->accesses[k].is_late = false;
    settle(r);
}

/* ---- The change ---- */

static unsigned
lowest_bit(unsigned v)
{
    return v & -v;
}

static void
read_late(struct reader *r, const struct access *read)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(r->cc->llvm, 0);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(r->cc->llvm), i64 = LLVMInt64TypeInContext(r->cc->llvm);
    LLVMValueRef slot, v;
    unsigned align = 64;

    LLVMPositionBuilderBefore(r->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(r->shared.fn)));
    slot = LLVMBuildAlloca(r->b, ptr, "from");
    for (unsigned i = 0; i < read->n_sources; i++) {
        const struct source *s = &read->sources[i];
        LLVMValueRef at = LLVMGetOperand(s->load, 0), offset = LLVMConstInt(i64, s->offset, false);
        unsigned known = lowest_bit(s->offset | LLVMGetAlignment(s->load));

        LLVMPositionBuilderBefore(r->b, r->accesses[s->store].inst);
        if (s->offset)
            at = LLVMBuildGEP2(r->b, i8, at, &offset, 1, "");
        LLVMBuildStore(r->b, at, slot);
        align = known < align ? known : align;
    }
    LLVMPositionBuilderBefore(r->b, read->inst);
    v = LLVMBuildLoad2(r->b, read->a.type, LLVMBuildLoad2(r->b, ptr, slot, ""), "");
    LLVMSetAlignment(v, align);
    LLVMReplaceAllUsesWith(read->inst, v);
    LLVMInstructionEraseFromParent(read->inst);
}

/* Lists what the function does in shared memory; false: some of it is not known. */
static bool
list_accesses(struct reader *r)
{
    r->accesses = ls_arena_alloc(r->cc->arena, MAX_ACCESSES * sizeof(*r->accesses));
    ls_ptrmap_init(&r->numbers, r->cc->arena);
    for (unsigned i = 0; i < r->cfg->n_blocks; i++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(r->cfg->blocks[i].bb); v;
             v = LLVMGetNextInstruction(v)) {
            struct ls_shared_access a;

            ls_shared_read(&r->shared, &a, v);
            if (a.deed == LS_DEED_NONE || is_hint(v))
                continue;
            if (!a.is_known || a.at.n || r->n == MAX_ACCESSES)
                return false;
            r->accesses[r->n++] = (struct access){.inst = v,
                                                  .a = a,
                                                  .at = (int32_t)a.at.constant,
                                                  .bytes = (int32_t)(a.n * a.bytes),
                                                  .block = i};
            ls_ptrmap_set(&r->numbers, v, (void *)(uintptr_t)r->n);
        }
    return r->n > 0;
}

bool
ls_host_read_late(struct ls_cc *cc, LLVMValueRef fn)
{
    struct reader r = {.cc = cc};
    bool changed = false;

    ls_shared_init(&r.shared, cc, fn);
    if (!r.shared.is_used || r.shared.escapes)
        return false;
    r.cfg = ls_cfg_build(cc->arena, fn);
    r.seen = ls_arena_alloc(cc->arena, r.cfg->n_blocks * sizeof(*r.seen));
    for (unsigned i = 0; i < r.cfg->n_blocks; i++)
        r.seen[i] = 0;
    if (r.cfg->irreducible || r.cfg->n_blocks > MAX_BLOCKS || !list_accesses(&r))
        return false;
    find_late(&r);
    r.b = LLVMCreateBuilderInContext(cc->llvm);
    for (unsigned i = 0; i < r.n; i++)
        if (r.accesses[i].is_late) {
            read_late(&r, &r.accesses[i]);
            changed = true;
        }
    for (unsigned i = 0; i < r.n; i++)
        if (r.accesses[i].a.deed == LS_DEED_STORE && !r.accesses[i].stays) {
            LLVMInstructionEraseFromParent(r.accesses[i].inst);
            changed = true;
        }
    LLVMDisposeBuilder(r.b);
    return changed;
}
