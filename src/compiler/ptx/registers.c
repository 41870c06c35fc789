/* SPDX-License-Identifier: MIT */
/* Whether a kernel is to have more registers than the driver's assembler would give it. That stops
 * at the number with which an SM is full of threads (32), or at the next that will do, and to get
 * there reads an iteration's numbers one after the other. A loop that is not unrolled and reads
 * much in an iteration waits for memory each time then; with room for what it reads it waits once.
 *
 * The wish is the text's: so many registers, and of blocks, which may be as large as any, one at a
 * time. Where they do not suffice the device takes it away (device/cuda/module.c). */
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/ir.h"
#include "host/host.h"
#include "ptx/ptx.h"
#include "ptx/ptx_priv.h"

#define REGISTERS "lockstep-registers" /* of the entry: the wish */

enum {
    MANY_LOADS = 8, /* of an iteration */
    MOST = 64,      /* that values may take by our count, which is higher than what is needed */
    MOST_BITS = 256 << 20 /* of the sets of what lives where */
};

struct lives {
    struct ls_cc *cc;
    const struct ls_cfg *cfg;
    struct ls_ptrmap numbers; /* instruction -> its number + 1 */
    unsigned n, n_words;
    uint8_t *sizes; /* by number: registers */
    uint64_t **ins; /* by block: what lives at its start */
    uint64_t *now;
    unsigned n_now, most; /* registers of `now`, and the most so far */
};

/* Registers of a value. Conditions have their own, and a constant distance is part of an access. */
static unsigned
size_of_value(struct ls_cc *cc, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned long long bits;

    if (kind == LLVMVoidTypeKind || kind == LLVMTokenTypeKind || kind == LLVMStructTypeKind)
        return 0;
    if (LLVMIsAGetElementPtrInst(v)) {
        unsigned n = (unsigned)LLVMGetNumOperands(v), i = 1;

        while (i < n && LLVMIsAConstantInt(LLVMGetOperand(v, i)))
            i++;
        if (i == n)
            return 0;
    }
    bits = LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(cc->mod), type);
    return bits == 1 ? 0 : (unsigned)(bits + 31) / 32;
}

static void
number_values(struct lives *l)
{
    unsigned n = 0;

    for (unsigned pass = 0; pass < 2; pass++) {
        n = 0;
        for (unsigned b = 0; b < l->cfg->n_blocks; b++)
            for (LLVMValueRef i = LLVMGetFirstInstruction(l->cfg->blocks[b].bb); i;
                 i = LLVMGetNextInstruction(i), n++)
                if (pass) {
                    unsigned size = size_of_value(l->cc, i);

                    ls_ptrmap_set(&l->numbers, i, (void *)(uintptr_t)(n + 1));
                    l->sizes[n] = (uint8_t)(size < 255 ? size : 255);
                }
        if (!pass)
            l->sizes = ls_arena_alloc(l->cc->arena, n + 1);
    }
    l->n = n;
    l->n_words = n / 64 + 1;
}

static void
set(struct lives *l, LLVMValueRef v, bool lives)
{
    uintptr_t at = (uintptr_t)ls_ptrmap_get(&l->numbers, v);
    uint64_t bit, *word;

    if (!at--)
        return; /* no instruction */
    bit = 1ull << at % 64;
    word = &l->now[at / 64];
    if (lives == ((*word & bit) != 0))
        return;
    *word ^= bit;
    if (lives)
        l->n_now += l->sizes[at];
    else
        l->n_now -= l->sizes[at];
    if (l->n_now > l->most)
        l->most = l->n_now;
}

/* What lives at the block's end. */
static void
begin_at_end(struct lives *l, unsigned block)
{
    const struct ls_cfg_block *b = &l->cfg->blocks[block];

    for (unsigned w = 0; w < l->n_words; w++) {
        l->now[w] = 0;
        for (unsigned s = 0; s < b->n_succs; s++)
            l->now[w] |= l->ins[b->succs[s]][w];
    }
    l->n_now = 0;
    for (unsigned w = 0; w < l->n_words; w++)
        for (uint64_t bits = l->now[w]; bits; bits &= bits - 1)
            l->n_now += l->sizes[w * 64 + (unsigned)__builtin_ctzll(bits)];
    for (unsigned s = 0; s < b->n_succs; s++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(l->cfg->blocks[b->succs[s]].bb);
             i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
            for (unsigned k = 0; k < LLVMCountIncoming(i); k++)
                if (LLVMGetIncomingBlock(i, k) == b->bb)
                    set(l, LLVMGetIncomingValue(i, k), true);
}

/* From the block's end to its start; whether more lives there than was known. */
static bool
walk(struct lives *l, unsigned block)
{
    bool more = false;

    begin_at_end(l, block);
    for (LLVMValueRef i = LLVMGetLastInstruction(l->cfg->blocks[block].bb); i;
         i = LLVMGetPreviousInstruction(i)) {
        set(l, i, false);
        for (unsigned k = 0; !LLVMIsAPHINode(i) && k < (unsigned)LLVMGetNumOperands(i); k++)
            set(l, LLVMGetOperand(i, k), true);
    }
    for (unsigned w = 0; w < l->n_words; w++) {
        more |= (l->now[w] & ~l->ins[block][w]) != 0;
        l->ins[block][w] |= l->now[w];
    }
    return more;
}

/* The most registers that values take at once, in the order that they stand in; 0: too much to
 * say. */
static unsigned
most_at_once(struct ls_cc *cc, const struct ls_cfg *cfg)
{
    struct lives l = {.cc = cc, .cfg = cfg};
    bool more = true;

    ls_ptrmap_init(&l.numbers, cc->arena);
    number_values(&l);
    if ((uint64_t)l.n * cfg->n_blocks > MOST_BITS)
        return 0;
    l.now = ls_arena_alloc(cc->arena, l.n_words * sizeof(*l.now));
    l.ins = ls_arena_alloc(cc->arena, (cfg->n_blocks + 1) * sizeof(*l.ins));
    for (unsigned b = 0; b < cfg->n_blocks; b++)
        l.ins[b] = ls_arena_alloc(cc->arena, l.n_words * sizeof(*l.now));
    while (more) {
        more = false;
        for (unsigned b = cfg->n_blocks; b-- > 0;)
            more |= walk(&l, b);
    }
    return l.most;
}

static bool
is_load_of_memory(LLVMValueRef inst)
{
    return LLVMIsALoadInst(inst) &&
           LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(inst, 0))) == LS_SPACE_GLOBAL;
}

/* Whether an iteration of an innermost loop, none of several that were one each, reads much. */
static bool
reads_much(struct ls_cc *cc, const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    unsigned n = 0;

    for (unsigned l = 0; l < cfg->n_loops; l++)
        if (cfg->loops[l]->parent == loop)
            return false;
    if (loop->latch == LS_NO_BLOCK ||
        ls_ir_loop_says(cc, cfg->blocks[loop->latch].term, "llvm.loop.unroll"))
        return false;
    for (unsigned b = loop->header; b < loop->end; b++)
        if (ls_loop_has(loop, b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].bb); i;
                 i = LLVMGetNextInstruction(i))
                n += is_load_of_memory(i);
    return n >= MANY_LOADS;
}

/* Whether a thread has memory of its own; what is moved there for want of registers is then no
 * longer told from it. */
static bool
has_memory(const struct ls_cfg *cfg)
{
    for (unsigned b = 0; b < cfg->n_blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].bb); i;
             i = LLVMGetNextInstruction(i))
            if (LLVMIsAAllocaInst(i) || (LLVMIsACallInst(i) && !ls_ir_callee_name(i) &&
                                         !LLVMIsAInlineAsm(LLVMGetCalledValue(i))))
                return true;
    return false;
}

void
ls_ptx_wish_registers(struct ls_cc *cc)
{
    LLVMValueRef entry = LLVMGetNamedFunction(cc->mod, LS_PTX_ENTRY);
    const struct ls_cfg *cfg = ls_cfg_build(cc->arena, entry);
    bool any = false;
    unsigned n;

    if (LLVMGetNamedMetadataNumOperands(cc->mod, "nvvm.annotations") > 1)
        return; /* how large blocks are the program says */
    if (cfg->irreducible || has_memory(cfg))
        return;
    for (unsigned l = 0; l < cfg->n_loops && !any; l++)
        any = reads_much(cc, cfg, cfg->loops[l]);
    if (!any)
        return;
    n = most_at_once(cc, cfg);
    if (n && n <= MOST)
        ls_host_set_attribute(cc, entry, REGISTERS, "");
}

void *
ls_ptx_write_wish(struct ls_cc *cc, const char *text, size_t n, size_t *bytes)
{
    static const char wish[] = LS_PTX_WISH, head[] = ".visible .entry " LS_PTX_ENTRY "(";
    LLVMValueRef entry = LLVMGetNamedFunction(cc->mod, LS_PTX_ENTRY);
    const char *at = strstr(text, head), *brace = at ? strstr(at, "\n{") : NULL;
    bool wishes = LLVMGetStringAttributeAtIndex(entry, LLVMAttributeFunctionIndex, REGISTERS,
                                                sizeof(REGISTERS) - 1) &&
                  brace;
    size_t n_wish = wishes ? sizeof(wish) - 1 : 0, n_head = wishes ? (size_t)(brace + 1 - text) : 0;
    char *copy = malloc(n + n_wish + 1);

    *bytes = n + n_wish;
    if (!copy)
        return NULL;
    memcpy(copy, text, n_head);
    memcpy(copy + n_head, wish, n_wish);
    memcpy(copy + n_head + n_wish, text + n_head, n - n_head);
    copy[*bytes] = 0;
    return copy;
}
