/* SPDX-License-Identifier: MIT */
/* Stores to known distances that are neither side by side nor apart: a tile that is turned around,
 * `as[t % 16][t / 16] = v`, where lanes 0 and 16, 1 and 17, ... are neighbours. Put in the order
 * of their addresses, lanes make runs, and each piece of a run is one store; a scatter stores each
 * lane for itself. Only while all lanes are on. */
#include "lanes/lanes.h"
#include "base/isa.h"

static int64_t
offset_of(const struct ls_shape *shape, unsigned lane)
{
    return shape->offset ? shape->offset[lane] : 0;
}

/* Lanes of the group that begins with `first`, by address. */
static void
sort_lanes(const struct ls_shape *shape, unsigned first, unsigned *order)
{
    for (unsigned l = 0; l < shape->group; l++) {
        unsigned at = l;

        for (; at && offset_of(shape, order[at - 1]) > offset_of(shape, first + l); at--)
            order[at] = order[at - 1];
        order[at] = first + l;
    }
}

/* The most lanes, a power of two, of which all runs of a group are made; 0: two lanes overlap. */
static unsigned
unit_of_group(const struct ls_shape *shape, unsigned first, unsigned bytes)
{
    unsigned order[LS_MAX_LANES], all = shape->group, length = 1;

    sort_lanes(shape, first, order);
    for (unsigned l = 1; l <= shape->group; l++, length++) {
        if (l < shape->group) {
            int64_t step = offset_of(shape, order[l]) - offset_of(shape, order[l - 1]);

            if (step < (int64_t)bytes)
                return 0;
            if (step == (int64_t)bytes)
                continue;
        }
        all |= length;
        length = 0;
    }
    return all & -all;
}

unsigned
ls_vf_find_runs(struct ls_vf *vf, const struct ls_shape *shape, unsigned bytes)
{
    unsigned unit = vf->n_lanes, most = vf->cc->isa->vector_bits / 8 / bytes;

    if (shape->kind != LS_SHAPE_GROUPED || shape->group < 4 || vf->mask)
        return 0;
    for (unsigned first = 0; first < vf->n_lanes; first += shape->group) {
        unsigned n = unit_of_group(shape, first, bytes);

        unit = n < unit ? n : unit;
    }
    unit = unit < most ? unit : most;
    return unit >= 2 && unit * bytes >= 4 ? unit : 0;
}

void
ls_vf_store_runs(struct ls_vf *vf, const struct ls_shape *shape, unsigned first, unsigned unit,
                 unsigned bytes, LLVMValueRef v, LLVMValueRef p, unsigned align)
{
    unsigned order[LS_MAX_LANES], n = shape->group, piece = unit * bytes;
    /* Floats, as there are stores of each half of a register for them. */
    LLVMTypeRef elem = piece < 8 ? vf->f32 : vf->f64;
    unsigned per_piece = piece < 8 ? 1 : piece / 8, from[LS_MAX_LANES];

    sort_lanes(shape, first, order);
    v = ls_vf_shuffle(vf, v, LLVMGetPoison(LLVMTypeOf(v)), order, n);
    v = LLVMBuildBitCast(vf->b, v, LLVMVectorType(elem, n / unit * per_piece), "");
    for (unsigned k = 0; k < n / unit; k++) {
        int64_t at = offset_of(shape, order[k * unit]) - offset_of(shape, first);
        LLVMValueRef index = LLVMConstInt(vf->i64, (uint64_t)at, true), part;

        for (unsigned i = 0; i < per_piece; i++)
            from[i] = k * per_piece + i;
        if (per_piece == 1)
            part = LLVMBuildExtractElement(vf->b, v, LLVMConstInt(vf->i32, k, false), "");
        else
            part = ls_vf_shuffle(vf, v, LLVMGetPoison(LLVMTypeOf(v)), from, per_piece);
        LLVMSetAlignment(
            LLVMBuildStore(vf->b, part, LLVMBuildGEP2(vf->b, vf->i8, p, &index, 1, "")), align);
    }
}
