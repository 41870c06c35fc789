/* SPDX-License-Identifier: MIT */
/* Accesses of one thread to elements side by side: members of its struct, what an unrolled loop
 * over its own row touches. As one access to a vector they are a load or store for each lane, and
 * a transposition, where each of them by itself would be a gather or scatter. */
#include "analysis/address.h"
#include "compiler/ir/ir.h"
#include "lanes/lanes.h"

enum {
    MOST_APART = 200, /* instructions */
    MOST_PASSED = 64, /* accesses between those of a row */
};

/* Bytes, from the address of the access at hand. */
struct place {
    int64_t from, to;
};

struct finder {
    struct ls_vf *vf;
    LLVMTypeRef type;
    unsigned bytes;            /* of an element */
    struct ls_address address; /* of the access at hand */
    struct ls_row *row;
    struct place passed[MOST_PASSED]; /* stores between loads */
    unsigned n_passed;
};

static LLVMValueRef
pointer_of(LLVMValueRef access)
{
    return LLVMGetOperand(access, LLVMIsAStoreInst(access) ? 1 : 0);
}

static LLVMTypeRef
type_of(LLVMValueRef access)
{
    return LLVMTypeOf(LLVMIsAStoreInst(access) ? LLVMGetOperand(access, 0) : access);
}

static bool
is_plain(LLVMValueRef access)
{
    return !LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

/* Where an access lies, seen from the one at hand. False: not known, or not near. */
static bool
find_place(const struct finder *f, LLVMValueRef access, struct place *at)
{
    LLVMTargetDataRef layout = f->vf->cc->device.layout;
    struct ls_address to;

    if (!ls_address_read(layout, pointer_of(access), &to) ||
        !ls_address_distance(&f->address, &to, &at->from))
        return false;
    at->to = at->from + (int64_t)LLVMStoreSizeOfType(layout, type_of(access));
    return true;
}

static LLVMValueRef *
slot_of(const struct finder *f, LLVMValueRef access, const struct place *at)
{
    int64_t n = at->from / (int64_t)f->bytes;

    if (type_of(access) != f->type || at->from % (int64_t)f->bytes || n <= -LS_ROW_MOST ||
        n >= LS_ROW_MOST || f->row->slots[LS_ROW_HERE + n])
        return NULL;
    return &f->row->slots[LS_ROW_HERE + n];
}

static bool
overlap(const struct place *a, const struct place *b)
{
    return a->from < b->to && b->from < a->to;
}

/* Adds a load to the row if it may be done as early as the one at hand. */
static void
add_load(struct finder *f, LLVMValueRef load)
{
    struct place at;
    LLVMValueRef *slot;

    if (type_of(load) != f->type || ls_ptrmap_get(&f->vf->loaded, load) ||
        !find_place(f, load, &at))
        return;
    for (unsigned i = 0; i < f->n_passed; i++)
        if (overlap(&f->passed[i], &at))
            return;
    slot = slot_of(f, load, &at);
    if (slot)
        *slot = load;
}

/* Whether the row's stores so far may be done behind an access. */
static bool
may_follow(const struct finder *f, LLVMValueRef access)
{
    struct place at;

    if (!find_place(f, access, &at))
        return false;
    for (int64_t n = 1 - LS_ROW_MOST; n < LS_ROW_MOST; n++) {
        int64_t bytes = f->bytes;

        if (f->row->slots[LS_ROW_HERE + n] &&
            overlap(&at, &(struct place){n * bytes, (n + 1) * bytes}))
            return false;
    }
    return true;
}

/* Looks at what comes behind a load. False: no load further down may be done earlier. */
static bool
look_for_loads(struct finder *f, LLVMValueRef i)
{
    if (LLVMIsALoadInst(i)) {
        if (is_plain(i))
            add_load(f, i);
        return is_plain(i);
    }
    if (!LLVMIsAStoreInst(i))
        return ls_ir_leaves_memory(i);
    return is_plain(i) && f->n_passed < MOST_PASSED && find_place(f, i, &f->passed[f->n_passed++]);
}

/* Looks at what comes behind a store. False: the row's stores may not be done any later. */
static bool
look_for_stores(struct finder *f, LLVMValueRef i)
{
    struct place at;
    LLVMValueRef *slot = NULL;

    if (!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i))
        return ls_ir_leaves_memory(i);
    if (!is_plain(i))
        return false;
    if (LLVMIsALoadInst(i)) /* else its value is there already */
        return ls_ptrmap_get(&f->vf->loaded, i) || may_follow(f, i);
    if (!ls_ptrmap_get(&f->vf->rows, i) && find_place(f, i, &at))
        slot = slot_of(f, i, &at);
    if (!slot)
        return may_follow(f, i);
    *slot = i;
    return true;
}

bool
ls_vf_find_row(struct ls_vf *vf, LLVMValueRef access, struct ls_row *row)
{
    LLVMTargetDataRef layout = vf->cc->device.layout;
    struct finder f = {.vf = vf, .type = type_of(access), .row = row};
    LLVMTypeKind kind = LLVMGetTypeKind(f.type);
    bool is_store = LLVMIsAStoreInst(access), goes_on = true;
    LLVMValueRef i = access;
    unsigned bits;

    *row = (struct ls_row){.from = LS_ROW_HERE, .to = LS_ROW_HERE + 1};
    /* Checkers are told of an access right in front of it. */
    if (vf->cc->opt->checks || !is_plain(access) ||
        (kind != LLVMIntegerTypeKind && kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind))
        return false;
    bits = (unsigned)LLVMSizeOfTypeInBits(layout, f.type);
    f.bytes = bits / 8;
    if (bits % 8 || f.bytes > 8 || f.bytes & (f.bytes - 1) ||
        !ls_address_read(layout, pointer_of(access), &f.address))
        return false;
    row->slots[LS_ROW_HERE] = access;
    for (unsigned n = 0; n < MOST_APART && goes_on; n++) {
        i = LLVMGetNextInstruction(i);
        goes_on = i && (is_store ? look_for_stores(&f, i) : look_for_loads(&f, i));
    }
    while (row->from > 0 && row->slots[row->from - 1])
        row->from--;
    while (row->to < LS_ROW_SLOTS && row->slots[row->to])
        row->to++;
    return row->to - row->from > 1;
}
