/* SPDX-License-Identifier: MIT */
/* Lanes that lie at known distances from each other where no window (window.c) is of use: each lane
 * is a scalar access at a base and a constant, so that no address is calculated in vectors and
 * taken out of them, and lanes at one place are one access. Only while all lanes are on. Hosts with
 * masks have gathers that are as good for words that all differ; not for less than words, which
 * are gathered as the words around them, by addresses of 64 bits and shifts. */
#include "lanes/lanes.h"
#include "base/isa.h"

enum { MOST_MASKED = 4096 }; /* lanes of accesses that are made in both ways, in a function */

/* The places of a group's lanes from `first` on, each once; `of` has the number of each lane's. */
static unsigned
places_of_group(const struct ls_shape *shape, unsigned first, int64_t *places, unsigned *of)
{
    unsigned n = 0;

    for (unsigned l = 0; l < shape->group; l++) {
        int64_t at = shape->offset ? shape->offset[first + l] : 0;
        unsigned k = 0;

        while (k < n && places[k] != at)
            k++;
        if (k == n)
            places[n++] = at;
        of[l] = k;
    }
    return n;
}

/* Whether half of the lanes lie where another one does. */
static bool
has_pairs(const struct ls_shape *shape, unsigned n_lanes)
{
    int64_t places[LS_MAX_LANES];
    unsigned of[LS_MAX_LANES], n = 0;

    for (unsigned first = 0; first < n_lanes; first += shape->group)
        n += places_of_group(shape, first, places, of);
    return n <= n_lanes / 2;
}

bool
ls_vf_take_places(struct ls_vf *vf, const struct ls_shape *shape, unsigned bytes)
{
    if (shape->kind != LS_SHAPE_GROUPED || vf->in_steps)
        return false;
    if (vf->cc->isa->has_masks && bytes >= 4 && !has_pairs(shape, vf->n_lanes))
        return false;
    if (vf->mask)
        vf->n_placed += vf->n_lanes;
    return !vf->mask || !ls_cc_is_over(vf->cc, vf->n_placed, MOST_MASKED);
}

LLVMValueRef
ls_vf_load_places(struct ls_vf *vf, const struct ls_shape *shape, const LLVMValueRef *bases,
                  LLVMTypeRef elem, uint64_t at, unsigned align)
{
    LLVMValueRef parts[LS_MAX_LANES];
    int64_t places[LS_MAX_LANES];
    unsigned of[LS_MAX_LANES];

    for (unsigned first = 0; first < vf->n_lanes; first += shape->group) {
        unsigned n = places_of_group(shape, first, places, of);
        LLVMValueRef v = LLVMGetPoison(LLVMVectorType(elem, n));

        for (unsigned k = 0; k < n; k++) {
            LLVMValueRef index = LLVMConstInt(vf->i64, (uint64_t)places[k] + at, true);
            LLVMValueRef p =
                LLVMBuildGEP2(vf->b, vf->i8, bases[first / shape->group], &index, 1, "");
            LLVMValueRef load = LLVMBuildLoad2(vf->b, elem, p, "");

            LLVMSetAlignment(load, align);
            v = LLVMBuildInsertElement(vf->b, v, load, LLVMConstInt(vf->i32, k, false), "");
        }
        parts[first / shape->group] =
            n == shape->group
                ? v
                : ls_vf_shuffle(vf, v, LLVMGetPoison(LLVMTypeOf(v)), of, shape->group);
    }
    return ls_vf_concat(vf, parts, vf->n_lanes / shape->group);
}
