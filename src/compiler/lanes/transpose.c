/* SPDX-License-Identifier: MIT */
/* Between the two orders of vectors in a thread: lane after lane, as memory has them, and component
 * after component, as the code wants them. Steps of perfect shuffles on pairs of registers: log2(n)
 * of them. */
#include "lanes/lanes.h"
#include "base/isa.h"

#define MAX_PIECES LS_MAX_WIDE

static LLVMValueRef
slice(struct ls_vf *vf, LLVMValueRef v, unsigned first, unsigned n)
{
    unsigned from[LS_MAX_WIDE];

    LS_ASSERT_FITS(n, LS_MAX_WIDE);
    if (LLVMGetVectorSize(LLVMTypeOf(v)) == n)
        return v;
    for (unsigned i = 0; i < n; i++)
        from[i] = first + i;
    return ls_vf_shuffle(vf, v, LLVMGetPoison(LLVMTypeOf(v)), from, n);
}

/* Cuts or joins vectors of one length into vectors of `length`; returns how many. */
static unsigned
resize(struct ls_vf *vf, LLVMValueRef *in, unsigned n_in, unsigned length, LLVMValueRef *out)
{
    unsigned have = LLVMGetVectorSize(LLVMTypeOf(in[0]));

    if (have <= length) {
        for (unsigned i = 0; i < n_in * have / length; i++)
            out[i] = ls_vf_concat(vf, in + i * (length / have), length / have);
    } else {
        for (unsigned i = 0; i < n_in * have / length; i++)
            out[i] = slice(vf, in[i / (have / length)], i % (have / length) * length, length);
    }
    return n_in * have / length;
}

/* Elements per register, but no more than `total`. */
static unsigned
piece_length(struct ls_vf *vf, LLVMTypeRef elem, unsigned total)
{
    unsigned bits = LLVMGetTypeKind(elem) == LLVMPointerTypeKind
                        ? 64
                        : (unsigned)LLVMSizeOfTypeInBits(vf->cc->device.layout, elem);
    unsigned length = vf->cc->isa->vector_bits / bits;

    return length < total ? length : total;
}

/* One step of the transposition: moves even elements in front of odd ones, so that the low bit of
 * the position becomes the top bit, or the other way round. */
static void
step(struct ls_vf *vf, LLVMValueRef *p, unsigned n, unsigned length, bool to_components)
{
    LLVMValueRef out[MAX_PIECES];
    unsigned lo[LS_MAX_WIDE], hi[LS_MAX_LANES * 64];

    for (unsigned i = 0; i < length; i++) {
        lo[i] = to_components ? 2 * i : i / 2 + (i % 2) * length;
        hi[i] = to_components ? 2 * i + 1 : length / 2 + i / 2 + (i % 2) * length;
    }
    for (unsigned i = 0; i < n / 2; i++) {
        LLVMValueRef a = to_components ? p[2 * i] : p[i],
                     b = to_components ? p[2 * i + 1] : p[n / 2 + i];
        out[to_components ? i : 2 * i] = ls_vf_shuffle(vf, a, b, lo, length);
        out[to_components ? n / 2 + i : 2 * i + 1] = ls_vf_shuffle(vf, a, b, hi, length);
    }
    for (unsigned i = 0; i < n; i++)
        p[i] = out[i];
}

bool
ls_vf_can_transpose(struct ls_vf *vf, LLVMTypeRef elem, unsigned n)
{
    unsigned total = vf->n_lanes * n;

    return vf->n_lanes > 1 && n >= 2 && n <= LS_MAX_ELEMENTS && !(n & (n - 1)) &&
           total / piece_length(vf, elem, total) >= 2;
}

void
ls_vf_to_components(struct ls_vf *vf, LLVMValueRef *parts, unsigned n_parts, LLVMValueRef *comp,
                    unsigned n)
{
    LLVMTypeRef elem = LLVMGetElementType(LLVMTypeOf(parts[0]));
    unsigned length = piece_length(vf, elem, vf->n_lanes * n);
    LLVMValueRef p[MAX_PIECES];
    unsigned n_pieces = resize(vf, parts, n_parts, length, p);

    for (unsigned done = 1; done < n; done *= 2)
        step(vf, p, n_pieces, length, true);
    resize(vf, p, n_pieces, vf->n_lanes, comp);
}

void
ls_vf_to_lanes(struct ls_vf *vf, LLVMValueRef *comp, unsigned n, LLVMValueRef *parts,
               unsigned n_parts)
{
    LLVMTypeRef elem = LLVMGetElementType(LLVMTypeOf(comp[0]));
    unsigned length = piece_length(vf, elem, vf->n_lanes * n);
    LLVMValueRef p[MAX_PIECES];
    unsigned n_pieces = resize(vf, comp, n, length, p);

    for (unsigned done = 1; done < n; done *= 2)
        step(vf, p, n_pieces, length, false);
    resize(vf, p, n_pieces, vf->n_lanes * n / n_parts, parts);
}

void
ls_vf_split_words(struct ls_vf *vf, LLVMValueRef word, LLVMTypeRef elem, LLVMValueRef *out)
{
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(vf->cc->device.layout, elem);
    LLVMTypeRef narrow = LLVMVectorType(LLVMIntTypeInContext(vf->llvm, bits), vf->n_lanes);

    for (unsigned i = 0; i < 32 / bits; i++) {
        LLVMValueRef by = ls_vf_splat(vf, LLVMConstInt(vf->i32, i * bits, false));
        LLVMValueRef v =
            LLVMBuildTrunc(vf->b, i ? LLVMBuildLShr(vf->b, word, by, "") : word, narrow, "");
        out[i] = LLVMBuildBitCast(vf->b, v, LLVMVectorType(elem, vf->n_lanes), "");
    }
}

LLVMValueRef
ls_vf_join_words(struct ls_vf *vf, LLVMValueRef *in)
{
    LLVMTypeRef elem = LLVMGetElementType(LLVMTypeOf(in[0]));
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(vf->cc->device.layout, elem);
    LLVMTypeRef narrow = LLVMVectorType(LLVMIntTypeInContext(vf->llvm, bits), vf->n_lanes);
    LLVMTypeRef words = LLVMVectorType(vf->i32, vf->n_lanes);
    LLVMValueRef all = NULL;

    for (unsigned i = 0; i < 32 / bits; i++) {
        LLVMValueRef v =
            LLVMBuildZExt(vf->b, LLVMBuildBitCast(vf->b, in[i], narrow, ""), words, "");
        if (i)
            v = LLVMBuildShl(vf->b, v, ls_vf_splat(vf, LLVMConstInt(vf->i32, i * bits, false)), "");
        all = all ? LLVMBuildOr(vf->b, all, v, "") : v;
    }
    return all;
}
