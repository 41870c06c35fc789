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
    PAGE = 4000,     /* bytes, and room for an access */
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
    return high - *low > PAGE ? PAGE + 96 : (unsigned)(high - *low) + bytes;
}

/* The bytes of one vector of a window of `span`. */
static unsigned
chunk_of(unsigned span, unsigned most)
{
    while (most > span)
        most /= 2;
    return most;
}

/* Permutations of elements of any size are cheap only with vectors for masks, and those of bytes
 * nowhere. */
static unsigned
least_unit(const struct ls_vf *vf)
{
    return vf->cc->isa->has_masks ? 2 : 4;
}

/* What a window is taken from its frame in. */
static unsigned
unit_in(const struct ls_window *w, const struct ls_window_frame *f)
{
    return w->unit < f->unit ? w->unit : f->unit;
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
    return w->unit >= least_unit(vf);
}

bool
ls_vf_frame_windows(struct ls_vf *vf, const struct ls_shape *shape, unsigned first, unsigned lanes,
                    const struct ls_window *windows, unsigned n, struct ls_window_frame *f)
{
    int64_t low = 0, high = 0;

    for (unsigned k = 0; k < n; k++) {
        int64_t at;
        unsigned span = span_of_part(shape, first, lanes, windows[k].bytes, &at);

        at += windows[k].behind;
        low = k == 0 || at < low ? at : low;
        high = k == 0 || at + span > high ? at + span : high;
    }
    if (high - low > PAGE)
        return false;
    *f = (struct ls_window_frame){.low = low, .span = (unsigned)(high - low)};
    f->chunk = chunk_of(f->span, vf->cc->isa->vector_bits / 8);
    f->n_chunks = (f->span + f->chunk - 1) / f->chunk;
    if (f->n_chunks > LS_WINDOW_CHUNKS)
        return false;
    /* The last chunk begins where another window's unit may not. */
    for (f->unit = 8; (f->span - f->chunk) % f->unit; f->unit /= 2) {
    }
    for (unsigned k = 0; k < n; k++)
        for (unsigned l = first; l < first + lanes; l++)
            while ((offset_of(shape, l) + windows[k].behind - low) % unit_in(&windows[k], f))
                f->unit /= 2;
    return f->unit >= least_unit(vf);
}

/* The last chunk ends with the frame, so it may lie over the one before it. */
static unsigned
start_of_chunk(const struct ls_window_frame *f, unsigned c)
{
    return c == f->n_chunks - 1 ? f->span - f->chunk : c * f->chunk;
}

static LLVMValueRef
read_chunk(struct ls_vf *vf, struct ls_window_frame *f, unsigned c, LLVMTypeRef type)
{
    LLVMTypeRef bytes = LLVMVectorType(vf->i8, f->chunk);

    if (!f->chunks[c]) {
        LLVMValueRef at = LLVMConstInt(vf->i64, (uint64_t)(f->low + start_of_chunk(f, c)), true);

        f->chunks[c] = LLVMBuildLoad2(vf->b, bytes,
                                      LLVMBuildGEP2(vf->b, vf->i8, f->base, &at, 1, ""), "window");
        LLVMSetAlignment(f->chunks[c], 1);
    }
    return LLVMBuildBitCast(vf->b, f->chunks[c], type, "");
}

LLVMValueRef
ls_vf_load_window(struct ls_vf *vf, const struct ls_window *w, const struct ls_shape *shape,
                  unsigned first, struct ls_window_frame *f)
{
    LLVMTypeRef type =
        LLVMVectorType(LLVMIntTypeInContext(vf->llvm, unit_in(w, f) * 8), f->chunk / unit_in(w, f));
    unsigned from[LS_MAX_WIDE], side[LS_MAX_WIDE], at[LS_MAX_WIDE], in[LS_MAX_WIDE];
    unsigned unit = unit_in(w, f), per_lane = w->bytes / unit, n = w->lanes * per_lane;
    unsigned begin = f->n_chunks, end = 0, length = f->chunk / unit;
    LLVMValueRef all = NULL;

    for (unsigned i = 0; i < n; i++) {
        at[i] = (unsigned)(offset_of(shape, first + i / per_lane) + w->behind - f->low) +
                i % per_lane * unit;
        in[i] = at[i] / f->chunk >= f->n_chunks ? f->n_chunks - 1 : at[i] / f->chunk;
        begin = in[i] < begin ? in[i] : begin;
        end = in[i] >= end ? in[i] + 1 : end;
    }
    /* Two vectors are one permutation. */
    for (unsigned c = begin; c < end; c += 2) {
        LLVMValueRef one = read_chunk(vf, f, c, type),
                     two = c + 1 < end ? read_chunk(vf, f, c + 1, type) : LLVMGetPoison(type);

        for (unsigned i = 0; i < n; i++) {
            from[i] = LS_VF_ANY; /* of another pair */
            if (in[i] == c || in[i] == c + 1)
                from[i] = (at[i] - start_of_chunk(f, in[i])) / unit + (in[i] - c) * length;
            side[i] = in[i] < c ? i : i + n;
        }
        LLVMValueRef pair = ls_vf_shuffle(vf, one, two, from, n);
        all = all ? ls_vf_shuffle(vf, all, pair, side, n) : pair;
    }
    return all;
}
