/* SPDX-License-Identifier: MIT */
/* Lanes that lie at known distances from each other, but not side by side: members of structs,
 * every third element, pieces of packed blocks. What lies between the lowest and the highest of
 * them is read as vectors, of which each lane takes what is its own. Only while all lanes are on:
 * the memory between two lanes is in the pages of one or the other as long as the window is less
 * than a page, but memory of a lane that is off may be nobody's. */
#include "lanes/lanes.h"
#include "base/isa.h"

enum {
    MOST_CHUNKS = 6, /* vectors of a window: beyond that lanes one by one are no dearer */
};

static int64_t
offset_of(const struct ls_shape *shape, unsigned lane)
{
    return shape->offset ? shape->offset[lane] : 0;
}

/* The lowest of a part's lanes, and how many bytes there are to the end of the highest. */
static unsigned
span_of_part(const struct ls_shape *shape, unsigned first, unsigned lanes, unsigned bytes,
             int64_t *low)
{
    int64_t high = *low = offset_of(shape, first);

    for (unsigned l = first; l < first + lanes; l++) {
        int64_t at = offset_of(shape, l);
        *low = at < *low ? at : *low;
        high = at > high ? at : high;
    }
    return high - *low > 4000 ? 4096 : (unsigned)(high - *low) + bytes;
}

/* The bytes of one vector of a window of `span`. */
static unsigned
chunk_of(unsigned span, unsigned most)
{
    while (most > span)
        most /= 2;
    return most;
}

bool
ls_vf_find_window(struct ls_vf *vf, const struct ls_shape *shape, unsigned bytes,
                  struct ls_window *w)
{
    unsigned vector = vf->cc->isa->vector_bits / 8, most;

    if (bytes < 2 || bytes > 8 || bytes & (bytes - 1) || shape->kind != LS_SHAPE_GROUPED)
        return false;
    *w = (struct ls_window){.bytes = bytes, .unit = bytes, .lanes = vector / bytes};
    if (w->lanes > shape->group)
        w->lanes = shape->group;
    if (w->lanes < 4 || shape->group % w->lanes || vf->n_lanes % w->lanes)
        return false;
    most = w->lanes / 2 < MOST_CHUNKS ? w->lanes / 2 : MOST_CHUNKS;
    for (unsigned first = 0; first < vf->n_lanes; first += w->lanes) {
        int64_t low;
        unsigned span = span_of_part(shape, first, w->lanes, bytes, &low);
        unsigned chunk = chunk_of(span, vector);

        if ((span + chunk - 1) / chunk > most)
            return false;
        for (unsigned l = first; l < first + w->lanes; l++)
            while ((offset_of(shape, l) - low) % w->unit)
                w->unit /= 2;
    }
    /* Permutations of elements of any size are cheap only with vectors for masks, and those of
     * bytes nowhere. */
    return w->unit >= (vf->cc->isa->has_masks ? 2 : 4);
}

int64_t
ls_vf_window_start(const struct ls_window *w, const struct ls_shape *shape, unsigned first)
{
    int64_t low;

    span_of_part(shape, first, w->lanes, w->bytes, &low);
    return low - offset_of(shape, first);
}

LLVMValueRef
ls_vf_load_window(struct ls_vf *vf, const struct ls_window *w, const struct ls_shape *shape,
                  unsigned first, LLVMValueRef p)
{
    LLVMTypeRef unit = LLVMIntTypeInContext(vf->llvm, w->unit * 8);
    unsigned from[2][LS_MAX_WIDE], side[LS_MAX_WIDE], per_lane = w->bytes / w->unit;
    unsigned n = w->lanes * per_lane;
    int64_t low;
    unsigned span = span_of_part(shape, first, w->lanes, w->bytes, &low);
    unsigned chunk = chunk_of(span, vf->cc->isa->vector_bits / 8), length = chunk / w->unit;
    unsigned n_chunks = (span + chunk - 1) / chunk;
    LLVMValueRef all = NULL;

    /* Two vectors are one permutation. The last ends with the window, so it may lie over the one
     * before it. */
    for (unsigned c = 0; c < n_chunks; c += 2) {
        LLVMValueRef v[2] = {NULL, NULL};
        unsigned start[2] = {0, 0};

        for (unsigned k = 0; k < 2 && c + k < n_chunks; k++) {
            start[k] = c + k == n_chunks - 1 ? span - chunk : (c + k) * chunk;
            LLVMValueRef index = LLVMConstInt(vf->i64, start[k], false);
            v[k] = LLVMBuildLoad2(vf->b, LLVMVectorType(unit, length),
                                  LLVMBuildGEP2(vf->b, vf->i8, p, &index, 1, ""), "");
            LLVMSetAlignment(v[k], 1);
        }
        for (unsigned i = 0; i < n; i++) {
            unsigned at = (unsigned)(offset_of(shape, first + i / per_lane) - low) +
                          i % per_lane * w->unit;
            unsigned in = at / chunk >= n_chunks ? n_chunks - 1 : at / chunk;

            from[0][i] = LS_VF_ANY; /* of another pair */
            if (in == c || in == c + 1)
                from[0][i] = (at - start[in - c]) / w->unit + (in - c) * length;
            side[i] = in < c ? i : i + n;
        }
        LLVMValueRef pair = ls_vf_shuffle(
            vf, v[0], v[1] ? v[1] : LLVMGetPoison(LLVMTypeOf(v[0])), from[0], n);
        all = all ? ls_vf_shuffle(vf, all, pair, side, n) : pair;
    }
    return all;
}
