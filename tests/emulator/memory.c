/* SPDX-License-Identifier: MIT */
/* Addresses, loads, stores, atomics and copies. */
#include "call.h"

#define PRIVATE_BYTES (256u << 10)

char *
emu_address(struct warp *w, const struct inst *i, unsigned lane, u128 address, unsigned space,
            uint64_t n_bytes)
{
    uint64_t a = (uint64_t)address;

    if (space == SPACE_FLAT) {
        if ((a & 0xffff000000000000u) == EMU_LDS_BASE)
            space = SPACE_LDS;
        else if ((a & 0xffff000000000000u) == EMU_PRIVATE_BASE)
            space = SPACE_PRIVATE;
    }
    switch (space) {
    case SPACE_LDS:
        a &= UINT32_MAX;
        if (a + n_bytes > w->machine->lds_bytes)
            emu_fail(w, i, "LDS has no offset 0x%llx", (unsigned long long)a);
        return w->machine->lds + a;
    case SPACE_PRIVATE:
        a &= UINT32_MAX;
        if (a < 16 || a + n_bytes > w->used_private)
            emu_fail(w, i, "the stack has no offset 0x%llx", (unsigned long long)a);
        return w->private_memory + (size_t)lane * PRIVATE_BYTES + a;
    default:
        for (unsigned k = 0; k < w->emu->n_regions; k++) {
            struct region r = w->emu->regions[k];
            if (a >= (uintptr_t)r.base && a - (uintptr_t)r.base + n_bytes <= r.n_bytes)
                return (char *)(uintptr_t)a;
        }
        emu_fail(w, i, "lane %u: no memory at 0x%llx", lane, (unsigned long long)a);
    }
}

static void
run_alloca(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    const struct type *type = i->extra;
    uint32_t align = i->sub > 16 ? (uint32_t)i->sub : 16,
             at = (w->used_private + align - 1) / align * align;
    struct view count = emu_view(w, f, i->ops[0]);
    u128 *out = emu_put(w, f, i);
    uint64_t most = 0;

    EMU_LANES (l, mask)
        if ((uint64_t)emu_get(count, 0, (unsigned)l) > most)
            most = (uint64_t)emu_get(count, 0, (unsigned)l);
    if (most > PRIVATE_BYTES || at + most * type->alloc_bytes > PRIVATE_BYTES)
        emu_fail(w, i, "the stack is full");
    w->used_private = at + (uint32_t)(most * type->alloc_bytes);
    EMU_LANES (l, mask) {
        out[l] = at;
        memset(w->private_memory + l * PRIVATE_BYTES + at, EMU_UNDEFINED, most * type->alloc_bytes);
    }
}

static void
run_load(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view p = emu_view(w, f, i->ops[0]);
    unsigned space = i->from->leaves[0].space;
    u128 *out = emu_put(w, f, i);

    EMU_LANES (l, mask)
    emu_from_memory(
        i->type,
        emu_address(w, i, (unsigned)l, emu_get(p, 0, (unsigned)l), space, i->type->store_bytes),
        out + l, w->lanes);
}

static void
run_store(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view v = emu_view(w, f, i->ops[0]), p = emu_view(w, f, i->ops[1]);
    const struct type *type = i->op_types[0];
    unsigned space = i->op_types[1]->leaves[0].space;

    EMU_LANES (l, mask)
    emu_to_memory(
        type, v.at + l * v.per_lane, v.per_element,
        emu_address(w, i, (unsigned)l, emu_get(p, 0, (unsigned)l), space, type->store_bytes));
}

static void
run_gep(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    const struct emu_gep *g = i->extra;
    struct view p = emu_view(w, f, i->ops[0]);
    u128 *out = emu_put(w, f, i), ones = emu_ones(i->type->leaves[0].bits);

    EMU_LANES (l, mask)
        out[l] = emu_get(p, 0, (unsigned)l) + (u128)(s128)g->offset;
    for (unsigned k = 0; k < g->n; k++) {
        struct view v = emu_view(w, f, g->terms[k].index);
        EMU_LANES (l, mask)
        out[l] +=
            (u128)emu_signed(emu_get(v, 0, (unsigned)l), g->terms[k].bits) * g->terms[k].scale;
    }
    EMU_LANES (l, mask)
        out[l] &= ones;
}

/* ---- Atomics ---- */

static u128
combine(struct warp *w, const struct inst *i, const struct leaf *leaf, u128 old, u128 v)
{
    unsigned bits = leaf->bits;
    enum kind kind = (enum kind)leaf->kind;
    s128 a = emu_signed(old, bits), b = emu_signed(v, bits);
    double x, y;

    switch ((LLVMAtomicRMWBinOp)i->sub) {
    case LLVMAtomicRMWBinOpXchg:
        return v;
    case LLVMAtomicRMWBinOpAdd:
        return old + v;
    case LLVMAtomicRMWBinOpSub:
        return old - v;
    case LLVMAtomicRMWBinOpAnd:
        return old & v;
    case LLVMAtomicRMWBinOpNand:
        return ~(old & v);
    case LLVMAtomicRMWBinOpOr:
        return old | v;
    case LLVMAtomicRMWBinOpXor:
        return old ^ v;
    case LLVMAtomicRMWBinOpMax:
        return a > b ? old : v;
    case LLVMAtomicRMWBinOpMin:
        return a < b ? old : v;
    case LLVMAtomicRMWBinOpUMax:
        return old > v ? old : v;
    case LLVMAtomicRMWBinOpUMin:
        return old < v ? old : v;
    case LLVMAtomicRMWBinOpFAdd:
        return emu_number_binary('+', old, v, kind);
    case LLVMAtomicRMWBinOpFSub:
        return emu_number_binary('-', old, v, kind);
    case LLVMAtomicRMWBinOpFMax:
    case LLVMAtomicRMWBinOpFMin:
        x = emu_number_double(old, kind);
        y = emu_number_double(v, kind);
        if (emu_number_is_nan(old, kind))
            return v;
        if (emu_number_is_nan(v, kind))
            return old;
        return (i->sub == LLVMAtomicRMWBinOpFMax ? x > y : x < y) ? old : v;
    case LLVMAtomicRMWBinOpUIncWrap:
        return old >= v ? 0 : old + 1;
    case LLVMAtomicRMWBinOpUDecWrap:
        return old == 0 || old > v ? v : old - 1;
    default:
        emu_fail(w, i, "an atomic operation without a meaning here");
    }
}

static void
run_atomic(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view p = emu_view(w, f, i->ops[0]), v = emu_view(w, f, i->ops[1]);
    unsigned space = i->from->leaves[0].space;
    u128 *out = emu_put(w, f, i), values[16];

    if (i->n > 16)
        emu_fail(w, i, "too wide");
    EMU_LANES (l, mask) {
        char *at =
            emu_address(w, i, (unsigned)l, emu_get(p, 0, (unsigned)l), space, i->type->store_bytes);

        emu_from_memory(i->type, at, out + l, w->lanes);
        for (unsigned k = 0; k < i->n; k++)
            values[k] = combine(w, i, &i->type->leaves[k], out[k * w->lanes + l],
                                emu_get(v, k, (unsigned)l)) &
                        emu_ones(i->type->leaves[k].bits);
        emu_to_memory(i->type, values, 1, at);
    }
}

static void
run_exchange(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view p = emu_view(w, f, i->ops[0]), expected = emu_view(w, f, i->ops[1]),
                wanted = emu_view(w, f, i->ops[2]);
    const struct type *type = i->op_types[1];
    u128 *out = emu_put(w, f, i);

    EMU_LANES (l, mask) {
        char *at = emu_address(w, i, (unsigned)l, emu_get(p, 0, (unsigned)l),
                               i->from->leaves[0].space, type->store_bytes);
        bool same;

        emu_from_memory(type, at, out + l, w->lanes);
        same = out[l] == emu_get(expected, 0, (unsigned)l);
        if (same)
            emu_to_memory(type, wanted.at + l * wanted.per_lane, 1, at);
        out[w->lanes + l] = same;
    }
}

static void
run_fence(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    (void)w;
    (void)f;
    (void)i;
    (void)mask;
}

/* ---- Copies: llvm.memcpy, memmove, memset ---- */

void
emu_copy(struct warp *w, const struct inst *i, uint64_t mask, struct frame *f)
{
    struct view to = emu_view(w, f, i->ops[0]), from = emu_view(w, f, i->ops[1]),
                n = emu_view(w, f, i->ops[2]);

    EMU_LANES (l, mask) {
        uint64_t n_bytes = (uint64_t)emu_get(n, 0, (unsigned)l);
        char *at;

        if (!n_bytes)
            continue;
        at = emu_address(w, i, (unsigned)l, emu_get(to, 0, (unsigned)l),
                         i->op_types[0]->leaves[0].space, n_bytes);
        if (i->op_types[1]->leaves[0].kind == KIND_POINTER)
            memmove(at, emu_address(w, i, (unsigned)l, emu_get(from, 0, (unsigned)l),
                                    i->op_types[1]->leaves[0].space, n_bytes), n_bytes);
        else
            memset(at, (int)emu_get(from, 0, (unsigned)l), n_bytes);
    }
}

run_fn *
emu_find_memory(struct emu *emu, struct inst *i, LLVMOpcode opcode)
{
    (void)emu;
    switch (opcode) {
    case LLVMAlloca:
        return run_alloca;
    case LLVMLoad:
        return run_load;
    case LLVMStore:
        return run_store;
    case LLVMGetElementPtr:
        return i->n == 1 ? run_gep : NULL;
    case LLVMAtomicRMW:
        return run_atomic;
    case LLVMAtomicCmpXchg:
        return run_exchange;
    case LLVMFence:
        return run_fence;
    default:
        return NULL;
    }
}
