/* SPDX-License-Identifier: MIT */
/* What the lanes of a warp say to each other, and barriers. */
#include "emu_priv.h"

static u128
first_of(struct view v, uint64_t mask)
{
    return emu_get(v, 0, (unsigned)__builtin_ctzll(mask));
}

static void
give_all(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask, u128 v)
{
    EMU_LANES (l, mask)
        emu_put(w, f, i)[l] = v & emu_ones(i->type->leaves[0].bits);
}

static void
run_ballot(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view v = emu_view(w, f, i->ops[0]);
    uint64_t votes = 0;

    EMU_LANES (l, mask)
        votes |= (uint64_t)(emu_get(v, 0, (unsigned)l) & 1) << l;
    give_all(w, f, i, mask, votes);
}

static void
run_read_first(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    give_all(w, f, i, mask, first_of(emu_view(w, f, i->ops[0]), mask));
}

/* The register of a lane that does not run holds whatever the machine's register allocator left
 * there. */
static void
run_read_lane(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view v = emu_view(w, f, i->ops[0]), at = emu_view(w, f, i->ops[1]);
    unsigned lane = (unsigned)first_of(at, mask) & (w->lanes - 1);

    EMU_LANES (l, mask)
        if (emu_get(at, 0, (unsigned)l) != first_of(at, mask))
            emu_fail(w, i, "readlane of different lanes");
    if (!(mask >> lane & 1) && !i->ops[0].constant)
        emu_fail(w, i, "readlane of lane %u, which does not run", lane);
    give_all(w, f, i, mask, emu_get(v, 0, lane));
}

static void
run_write_lane(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view v = emu_view(w, f, i->ops[0]), at = emu_view(w, f, i->ops[1]),
                old = emu_view(w, f, i->ops[2]);
    unsigned lane = (unsigned)first_of(at, mask) & (w->lanes - 1);

    EMU_LANES (l, mask)
        emu_put(w, f, i)[l] = l == lane ? first_of(v, mask) : emu_get(old, 0, (unsigned)l);
}

/* A lane that does not run gives 0. */
static void
run_bpermute(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view at = emu_view(w, f, i->ops[0]), v = emu_view(w, f, i->ops[1]);
    u128 result[EMU_MAX_LANES];

    EMU_LANES (l, mask) {
        unsigned from = (unsigned)(emu_get(at, 0, (unsigned)l) >> 2) & (w->lanes - 1);
        result[l] = mask >> from & 1 ? emu_get(v, 0, from) : 0;
    }
    EMU_LANES (l, mask)
        emu_put(w, f, i)[l] = result[l];
}

/* The highest lane wins; who is sent nothing has 0. */
static void
run_permute(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view at = emu_view(w, f, i->ops[0]), v = emu_view(w, f, i->ops[1]);
    u128 result[EMU_MAX_LANES] = {0};

    EMU_LANES (l, mask)
    result[(unsigned)(emu_get(at, 0, (unsigned)l) >> 2) & (w->lanes - 1)] =
        emu_get(v, 0, (unsigned)l);
    EMU_LANES (l, mask)
        emu_put(w, f, i)[l] = result[l];
}

/* ---- Fixed patterns ---- */

/* The lane that `lane` reads by a DPP control, -1 outside, -2 for no control known here. */
static int
dpp_source(unsigned ctrl, int lane, int lanes)
{
    int row = lane & ~15, k = lane & 15, n = (int)(ctrl & 15);

    if (ctrl < 0x100)
        return (lane & ~3) | (int)(ctrl >> (2 * (lane & 3)) & 3);
    if (ctrl > 0x100 && ctrl < 0x110)
        return k + n < 16 ? row + k + n : -1;
    if (ctrl > 0x110 && ctrl < 0x120)
        return k - n >= 0 ? row + k - n : -1;
    if (ctrl > 0x120 && ctrl < 0x130)
        return row + ((k + 16 - n) & 15);
    if (ctrl >= 0x150 && ctrl < 0x160)
        return row + n;
    if (ctrl >= 0x160 && ctrl < 0x170)
        return row + (k ^ n);
    switch (ctrl) {
    case 0x130:
        return lane + 1 < lanes ? lane + 1 : -1;
    case 0x134:
        return (lane + 1) % lanes;
    case 0x138:
        return lane - 1;
    case 0x13c:
        return (lane + lanes - 1) % lanes;
    case 0x140:
        return row + 15 - k;
    case 0x141:
        return row + (k ^ 7);
    case 0x142:
        return lane >= 16 ? row - 1 : -1;
    case 0x143:
        return lane >= 32 ? 31 : -1;
    default:
        return -2;
    }
}

static void
run_dpp(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    unsigned at = (unsigned)i->sub; /* 1: the value to keep comes first */
    struct view old = emu_view(w, f, i->ops[0]), v = emu_view(w, f, i->ops[at]);
    unsigned ctrl = (unsigned)first_of(emu_view(w, f, i->ops[at + 1]), mask);
    unsigned rows = (unsigned)first_of(emu_view(w, f, i->ops[at + 2]), mask);
    unsigned banks = (unsigned)first_of(emu_view(w, f, i->ops[at + 3]), mask);
    bool zero = (bool)first_of(emu_view(w, f, i->ops[at + 4]), mask);
    u128 result[EMU_MAX_LANES];

    EMU_LANES (l, mask) {
        int from = dpp_source(ctrl, (int)l, (int)w->lanes);
        u128 keep = at ? emu_get(old, 0, (unsigned)l) : 0;

        if (from == -2)
            emu_fail(w, i, "DPP control 0x%x", ctrl);
        if (!(rows >> (l / 16) & 1) || !(banks >> (l / 4 % 4) & 1))
            result[l] = keep;
        else if (from < 0 || !(mask >> from & 1))
            result[l] = zero ? 0 : keep;
        else
            result[l] = emu_get(v, 0, (unsigned)from);
    }
    EMU_LANES (l, mask)
        emu_put(w, f, i)[l] = result[l];
}

static void
run_swizzle(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view v = emu_view(w, f, i->ops[0]);
    unsigned pattern = (unsigned)first_of(emu_view(w, f, i->ops[1]), mask);
    u128 result[EMU_MAX_LANES];

    EMU_LANES (l, mask) {
        unsigned lane = (unsigned)l, from;

        if (pattern & 0x8000)
            from = (lane & ~3u) | (pattern >> (2 * (lane & 3)) & 3);
        else
            from =
                (lane & ~31u) | ((((lane & 31) & pattern) | (pattern >> 5)) ^ (pattern >> 10)) % 32;
        result[l] = mask >> from & 1 ? emu_get(v, 0, from) : 0;
    }
    EMU_LANES (l, mask)
        emu_put(w, f, i)[l] = result[l];
}

/* permlane16 and permlanex16(old, value, low selectors, high selectors, fetch inactive, bound
 * control) */
static void
run_permlane16(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view old = emu_view(w, f, i->ops[0]), v = emu_view(w, f, i->ops[1]);
    uint64_t selectors = (uint64_t)first_of(emu_view(w, f, i->ops[3]), mask) << 32 |
                         (uint32_t)first_of(emu_view(w, f, i->ops[2]), mask);
    bool any = (bool)first_of(emu_view(w, f, i->ops[4]), mask),
         zero = (bool)first_of(emu_view(w, f, i->ops[5]), mask);
    u128 result[EMU_MAX_LANES];

    EMU_LANES (l, mask) {
        unsigned row = (unsigned)(l & ~15u) ^ (i->sub ? 16 : 0);
        unsigned from = row + (unsigned)(selectors >> (4 * (l & 15)) & 15);

        if (!(mask >> from & 1) && any)
            emu_fail(w, i, "reads lane %u, which does not run", from);
        result[l] = mask >> from & 1 ? emu_get(v, 0, from)
                    : zero           ? 0
                                     : emu_get(old, 0, (unsigned)l);
    }
    EMU_LANES (l, mask)
        emu_put(w, f, i)[l] = result[l];
}

static void
run_mbcnt(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view bits = emu_view(w, f, i->ops[0]), start = emu_view(w, f, i->ops[1]);

    EMU_LANES (l, mask) {
        uint64_t below = (1ull << l) - 1;
        uint32_t part = i->sub ? (uint32_t)(below >> 32) : (uint32_t)below;

        emu_put(w, f, i)[l] = (uint32_t)(emu_get(start, 0, (unsigned)l) +
                                         (unsigned)__builtin_popcount(
                                             (uint32_t)emu_get(bits, 0, (unsigned)l) & part));
    }
}

/* A counter in LDS and the number of lanes that run; all of them get what was there. */
static void
run_lds_count(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view p = emu_view(w, f, i->ops[0]);
    unsigned first = (unsigned)__builtin_ctzll(mask);
    char *at = emu_address(w, i, first, emu_get(p, 0, first), i->from->leaves[0].space,
                           i->type->store_bytes);
    u128 old, now, n = (unsigned)__builtin_popcountll(mask);

    emu_from_memory(i->type, at, &old, 1);
    now = emu_ones(32) & (i->sub ? old - n : old + n);
    emu_to_memory(i->type, &now, 1, at);
    give_all(w, f, i, mask, old);
}

static void
run_barrier(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    (void)f;
    (void)i;
    (void)mask;
    emu_barrier(w);
}

static const struct {
    const char *name;
    run_fn *run;
    int sub;
} table[] = {
    {"llvm.amdgcn.ballot.", run_ballot, 0},
    {"llvm.amdgcn.readfirstlane.", run_read_first, 0},
    {"llvm.amdgcn.readlane.", run_read_lane, 0},
    {"llvm.amdgcn.writelane.", run_write_lane, 0},
    {"llvm.amdgcn.ds.bpermute", run_bpermute, 0},
    {"llvm.amdgcn.ds.permute", run_permute, 0},
    {"llvm.amdgcn.mov.dpp.", run_dpp, 0},
    {"llvm.amdgcn.update.dpp.", run_dpp, 1},
    {"llvm.amdgcn.ds.swizzle", run_swizzle, 0},
    {"llvm.amdgcn.permlane16.", run_permlane16, 0},
    {"llvm.amdgcn.permlanex16.", run_permlane16, 1},
    {"llvm.amdgcn.mbcnt.lo", run_mbcnt, 0},
    {"llvm.amdgcn.mbcnt.hi", run_mbcnt, 1},
    {"llvm.amdgcn.ds.append.p3", run_lds_count, 0},
    {"llvm.amdgcn.ds.consume.p3", run_lds_count, 1},
    {"llvm.amdgcn.s.barrier", run_barrier, 0},
};

run_fn *
emu_find_lanes(struct emu *emu, struct inst *i, const char *name)
{
    (void)emu;
    for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++) {
        size_t n = strlen(table[k].name);

        if (table[k].name[n - 1] == '.' ? strncmp(name, table[k].name, n)
                                        : strcmp(name, table[k].name))
            continue;
        i->sub = table[k].sub;
        return table[k].run;
    }
    return NULL;
}
