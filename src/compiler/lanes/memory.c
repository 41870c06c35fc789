/* SPDX-License-Identifier: MIT */
/* Loads and stores: uniform addresses are one scalar access, neighbouring lanes one vector access,
 * the rest gathers and scatters. A masked-off lane touches no memory. */
#include <string.h>

#include "analysis/address.h"
#include "compiler/ir/ir.h"
#include "device/cpu/kernel_abi.h"
#include "lanes/lanes.h"
#include "base/isa.h"

enum { MOST_ROW_BYTES = 64 };    /* of a row that is a vector in each lane */
enum { MOST_UNGATHERED = 4096 }; /* lanes that are loaded one by one though there are gathers */

/* One access being lowered. */
struct access {
    LLVMValueRef inst, old_ptr;
    LLVMTypeRef device_type;
    LLVMTypeRef host_type; /* as it lies in memory */
    LLVMTypeRef elem;      /* host element of a vector, else host_type */
    LLVMTypeRef odd; /* an integer that no instruction loads or stores, such as i1 or i24; it moves
                        as host_type. Or NULL */
    unsigned n;      /* elements */
    unsigned bytes;  /* of one lane's access */
    unsigned elem_bytes;
    unsigned align;
    int64_t behind; /* bytes, from where old_ptr points */
    bool is_volatile;
    LLVMAtomicOrdering ordering;
};

static bool
is_aggregate(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    return kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind;
}

/* What an integer of so many bits moves as: the next integer of whole bytes, in pieces if it has no
 * size of its own. LLVM's masked loads and stores of vectors of i24 use four bytes for each. */
static LLVMTypeRef
memory_form(struct ls_vf *vf, unsigned bits)
{
    unsigned piece, n = ls_ir_memory_pieces(bits, &piece);
    LLVMTypeRef type = LLVMIntTypeInContext(vf->llvm, piece);

    return n == 1 ? type : LLVMVectorType(type, n);
}

static void
access_init(struct ls_vf *vf, struct access *a, LLVMValueRef inst, LLVMValueRef ptr,
            LLVMTypeRef type)
{
    a->inst = inst;
    a->old_ptr = ptr;
    a->device_type = type;
    a->behind = 0;
    a->host_type = ls_vf_host_type(vf, type);
    a->odd = NULL;
    if (LLVMGetTypeKind(a->host_type) == LLVMIntegerTypeKind &&
        memory_form(vf, LLVMGetIntTypeWidth(a->host_type)) != a->host_type) {
        a->odd = a->host_type;
        a->host_type = memory_form(vf, LLVMGetIntTypeWidth(a->odd));
    }
    a->n =
        LLVMGetTypeKind(a->host_type) == LLVMVectorTypeKind ? LLVMGetVectorSize(a->host_type) : 1;
    LS_ASSERT_FITS(a->n, LS_MAX_ELEMENTS);
    a->elem = a->n > 1 || LLVMGetTypeKind(a->host_type) == LLVMVectorTypeKind
                  ? LLVMGetElementType(a->host_type)
                  : a->host_type;
    if (is_aggregate(type))
        a->elem = a->host_type;
    LLVMTypeRef device_elem =
        LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
    a->elem_bytes =
        (unsigned)LLVMStoreSizeOfType(vf->cc->device.layout, a->odd ? a->elem : device_elem);
    a->bytes = (unsigned)LLVMStoreSizeOfType(vf->cc->device.layout, type);
    a->align = ls_ir_access_alignment(inst);
    a->is_volatile = LLVMGetVolatile(inst);
    a->ordering = LLVMGetOrdering(inst);
}

bool
ls_vf_is_lds_pointer(LLVMValueRef old_ptr)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(old_ptr)) == 3;
}

/* Turns an offset pointer (LDS, private) into an address. */
static LLVMValueRef
offset_to_address(struct ls_vf *vf, LLVMValueRef p, unsigned as)
{
    LLVMTypeRef type = LLVMTypeOf(p);
    bool wide = LLVMGetTypeKind(type) == LLVMVectorTypeKind;

    if (as != 3 && as != 5)
        return p;
    LLVMValueRef index =
        LLVMBuildSExt(vf->b, p, wide ? LLVMVectorType(vf->i64, vf->n_lanes) : vf->i64, "");
    return LLVMBuildGEP2(vf->b, vf->i8, as == 3 ? vf->lds : vf->stack_lo, &index, 1, "");
}

LLVMValueRef
ls_vf_address_scalar(struct ls_vf *vf, LLVMValueRef old_ptr)
{
    return offset_to_address(vf, ls_vf_scalar(vf, old_ptr),
                             LLVMGetPointerAddressSpace(LLVMTypeOf(old_ptr)));
}

/* The addresses of all lanes. A GEP on a uniform base is built again in this block, so that LLVM's
 * instruction selection sees base and scaled index beside the access. */
LLVMValueRef
ls_vf_address_vector(struct ls_vf *vf, LLVMValueRef old_ptr)
{
    return offset_to_address(vf, ls_vf_vector(vf, old_ptr),
                             LLVMGetPointerAddressSpace(LLVMTypeOf(old_ptr)));
}

/* ---- Private variables ---- */

void
ls_vf_alloca(struct ls_vf *vf, LLVMValueRef inst)
{
    struct ls_private *priv = ls_ptrmap_get(&vf->shapes->privates, inst);
    struct ls_val *val = ls_arena_alloc(vf->cc->arena, sizeof(*val));
    struct ls_shape *shape = ls_arena_alloc(vf->cc->arena, sizeof(*shape));
    uint64_t bytes;

    if (!priv) {
        ls_diag(vf->cc, LS_DIAG_ERROR, inst, "private array of variable size is not lowered");
        vf->failed = true;
        return;
    }
    *shape = *ls_shape_of(vf->shapes, inst);
    val->shape = shape;
    val->host_type = vf->i32;
    bytes = priv->kind == LS_PRIVATE_UNIFORM       ? priv->bytes
            : priv->kind == LS_PRIVATE_INTERLEAVED ? priv->bytes * vf->n_lanes
                                                   : priv->lane_bytes * vf->n_lanes;
    if (bytes < priv->bytes) /* it holds the copies of all warps, side by side */
        bytes = priv->bytes;
    if (priv->kind == LS_PRIVATE_UNIFORM) {
        priv->host =
            ls_vf_temp(vf, ls_vf_host_type(vf, LLVMGetAllocatedType(inst)), "uniform.slot");
    } else {
        priv->host = ls_vf_temp(vf, LLVMArrayType2(vf->i8, bytes), "private");
        LLVMSetAlignment(priv->host, 64);
    }
    if (priv->kind == LS_PRIVATE_PER_LANE) {
        LLVMValueRef at = LLVMBuildPtrToInt(vf->entry_b, priv->host, vf->i64, "");
        LLVMValueRef lo = LLVMBuildPtrToInt(vf->entry_b, vf->stack_lo, vf->i64, "");
        val->base[0] =
            LLVMBuildTrunc(vf->entry_b, LLVMBuildSub(vf->entry_b, at, lo, ""), vf->i32, "");
    } else {
        val->base[0] = LLVMConstNull(vf->i32); /* a pointer is its offset in the variable */
    }
    ls_vf_define(vf, inst, val);
}

/* The address of lane 0's byte at a scalar offset in an interleaved or uniform variable. */
static LLVMValueRef
private_address(struct ls_vf *vf, const struct ls_private *priv, LLVMValueRef offset)
{
    LLVMValueRef o = LLVMBuildSExt(vf->b, offset,
                                   LLVMGetTypeKind(LLVMTypeOf(offset)) == LLVMVectorTypeKind
                                       ? LLVMVectorType(vf->i64, vf->n_lanes)
                                       : vf->i64,
                                   "");

    if (priv->kind == LS_PRIVATE_INTERLEAVED) {
        LLVMValueRef W = LLVMConstInt(vf->i64, vf->n_lanes, false);
        bool wide = LLVMGetTypeKind(LLVMTypeOf(o)) == LLVMVectorTypeKind;
        o = LLVMBuildMul(vf->b, o, wide ? ls_vf_splat(vf, W) : W, "");
    }
    return LLVMBuildGEP2(vf->b, vf->i8, priv->host, &o, 1, "");
}

/* ---- Pieces ---- */

static LLVMValueRef
part_of_mask(struct ls_vf *vf, LLVMValueRef mask, unsigned first, unsigned n)
{
    LLVMValueRef index[LS_MAX_LANES];

    if (!mask || n == vf->n_lanes)
        return mask;
    for (unsigned i = 0; i < n; i++)
        index[i] = LLVMConstInt(vf->i32, first + i, false);
    return LLVMBuildShuffleVector(vf->b, mask, LLVMGetPoison(LLVMTypeOf(mask)),
                                  LLVMConstVector(index, n), "");
}

static LLVMValueRef
masked_load(struct ls_vf *vf, LLVMTypeRef type, LLVMValueRef p, unsigned align, LLVMValueRef mask)
{
    if (!mask) {
        LLVMValueRef load = LLVMBuildLoad2(vf->b, type, p, "");
        LLVMSetAlignment(load, align);
        return load;
    }
    LLVMTypeRef overload[2] = {type, vf->ptr};
    LLVMValueRef args[4] = {p, LLVMConstInt(vf->i32, align, false), mask, LLVMGetPoison(type)};
    return ls_vf_llvm(vf, "llvm.masked.load", overload, 2, args, 4);
}

static void
masked_store(struct ls_vf *vf, LLVMValueRef v, LLVMValueRef p, unsigned align, LLVMValueRef mask)
{
    if (!mask) {
        LLVMSetAlignment(LLVMBuildStore(vf->b, v, p), align);
        return;
    }
    LLVMTypeRef overload[2] = {LLVMTypeOf(v), vf->ptr};
    LLVMValueRef args[4] = {v, p, LLVMConstInt(vf->i32, align, false), mask};
    ls_vf_llvm(vf, "llvm.masked.store", overload, 2, args, 4);
}

static LLVMValueRef
at_bytes(struct ls_vf *vf, LLVMValueRef p, uint64_t bytes)
{
    LLVMValueRef index = LLVMConstInt(vf->i64, bytes, false);

    return bytes ? LLVMBuildGEP2(vf->b, vf->i8, p, &index, 1, "") : p;
}

/* A place where anyone may read and write so many bytes: up to LS_NOWHERE_BYTES the function's one,
 * else a larger one. */
static LLVMValueRef
nowhere(struct ls_vf *vf, unsigned bytes)
{
    if (bytes <= LS_NOWHERE_BYTES)
        return vf->dummy;
    LS_ASSERT_FITS(bytes, LS_NOWHERE_BYTES_MOST);
    if (!vf->large_dummy) {
        vf->large_dummy =
            ls_vf_temp(vf, LLVMArrayType2(vf->i8, LS_NOWHERE_BYTES_MOST), "nowhere.large");
        LLVMSetAlignment(vf->large_dummy, 64);
    }
    return vf->large_dummy;
}

/* Where a masked-off lane points instead. */
static LLVMValueRef
safe_addresses(struct ls_vf *vf, LLVMValueRef ptrs, LLVMValueRef mask, unsigned bytes)
{
    return mask ? LLVMBuildSelect(vf->b, mask, ptrs, ls_vf_splat(vf, nowhere(vf, bytes)), "")
                : ptrs;
}

/* Whether addresses are a base and signed numbers of 32 bits, of which a gather takes a whole
 * vector at a time; of 64 bits it takes half as many. */
static bool
is_base_and_words(LLVMValueRef ptrs)
{
    LLVMValueRef index, from;
    unsigned bits;

    if (!LLVMIsAGetElementPtrInst(ptrs) || LLVMGetNumOperands(ptrs) != 2)
        return false;
    index = LLVMGetOperand(ptrs, 1);
    if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(ptrs, 0))) == LLVMVectorTypeKind)
        return LLVMIsConstant(index) && is_base_and_words(LLVMGetOperand(ptrs, 0));
    if (!LLVMIsASExtInst(index) && !LLVMIsAZExtInst(index))
        return false;
    from = LLVMGetOperand(index, 0);
    bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(from)));
    if (bits != 32 || LLVMIsASExtInst(index))
        return bits <= 32;
    return LLVMIsAInstruction(from) && (LLVMGetInstructionOpcode(from) == LLVMAnd ||
                                        LLVMGetInstructionOpcode(from) == LLVMLShr ||
                                        LLVMGetInstructionOpcode(from) == LLVMURem);
}

/* Whether the processor's gathers are of use for lanes of so many bytes. Where they are slow it is
 * those of words at a base and words; others while code of as many loads as lanes is not too large.
 * Lanes at known distances are left to later passes (host/columns.c). */
static bool
has_gathers(struct ls_vf *vf, const struct ls_val *ptr, LLVMValueRef ptrs, unsigned bytes)
{
    if (!vf->cc->isa->has_masks)
        return false;
    if (!vf->cc->opt->slow_gathers || (ptr && ptr->shape->kind == LS_SHAPE_GROUPED) ||
        (bytes == 4 && is_base_and_words(ptrs)))
        return true;
    vf->n_ungathered += vf->n_lanes;
    return ls_cc_is_over(vf->cc, vf->n_ungathered, MOST_UNGATHERED);
}

/* Gather of one element per lane. ptr: what is known of the addresses, or NULL. */
static LLVMValueRef
gather(struct ls_vf *vf, const struct access *a, LLVMTypeRef elem, unsigned bytes,
       const struct ls_val *ptr, LLVMValueRef ptrs, unsigned align, LLVMValueRef mask)
{
    LLVMTypeRef type = LLVMVectorType(elem, vf->n_lanes);
    bool plain = a->ordering == LLVMAtomicOrderingNotAtomic && !a->is_volatile;
    bool gathers = plain && has_gathers(vf, ptr, ptrs, bytes);

    if (gathers && bytes >= 4 && bytes <= 8) {
        LLVMTypeRef overload[2] = {type, LLVMVectorType(vf->ptr, vf->n_lanes)};
        LLVMValueRef args[4] = {ptrs, LLVMConstInt(vf->i32, align, false), ls_vf_mask(vf),
                                LLVMGetPoison(type)};
        args[2] = mask ? mask : LLVMConstAllOnes(LLVMVectorType(vf->i1, vf->n_lanes));
        return ls_vf_llvm(vf, "llvm.masked.gather", overload, 2, args, 4);
    }
    if (gathers && bytes < 4 && align >= bytes && LLVMGetTypeKind(elem) != LLVMPointerTypeKind) {
        /* Small elements by way of the aligned word that holds them: it lies in the same page. */
        LLVMTypeRef i64v = LLVMVectorType(vf->i64, vf->n_lanes),
                    i32v = LLVMVectorType(vf->i32, vf->n_lanes);
        LLVMValueRef addr = LLVMBuildPtrToInt(vf->b, ptrs, i64v, "");
        LLVMValueRef low = LLVMBuildAnd(vf->b, LLVMBuildTrunc(vf->b, addr, i32v, ""),
                                        ls_vf_splat(vf, LLVMConstInt(vf->i32, 3, false)), "");
        LLVMValueRef word = LLVMBuildAnd(
            vf->b, addr, ls_vf_splat(vf, LLVMConstInt(vf->i64, ~(uint64_t)3, false)), "");
        LLVMTypeRef overload[2] = {i32v, LLVMVectorType(vf->ptr, vf->n_lanes)};
        LLVMValueRef args[4] = {LLVMBuildIntToPtr(vf->b, word, overload[1], ""),
                                LLVMConstInt(vf->i32, 4, false),
                                mask ? mask : LLVMConstAllOnes(LLVMVectorType(vf->i1, vf->n_lanes)),
                                LLVMGetPoison(i32v)};
        LLVMValueRef v = ls_vf_llvm(vf, "llvm.masked.gather", overload, 2, args, 4);
        v = LLVMBuildLShr(
            vf->b, v,
            LLVMBuildShl(vf->b, low, ls_vf_splat(vf, LLVMConstInt(vf->i32, 3, false)), ""), "");
        LLVMTypeRef iv = LLVMVectorType(LLVMIntTypeInContext(vf->llvm, bytes * 8), vf->n_lanes);
        return LLVMBuildBitCast(vf->b, LLVMBuildTrunc(vf->b, v, iv, ""), type, "");
    }
    ptrs = safe_addresses(vf, ptrs, mask, bytes);
    if (plain && ls_vf_wants_steps(vf, elem, bytes))
        return ls_vf_load_in_steps(vf, elem, bytes, ptrs, align);
    LLVMValueRef out = LLVMGetPoison(type);
    for (unsigned l = 0; l < vf->n_lanes; l++) {
        LLVMValueRef lane = LLVMConstInt(vf->i32, l, false);
        LLVMValueRef load =
            LLVMBuildLoad2(vf->b, elem, LLVMBuildExtractElement(vf->b, ptrs, lane, ""), "");
        LLVMSetAlignment(load, align);
        if (!plain) {
            LLVMSetVolatile(load, a->is_volatile);
            LLVMSetOrdering(load, a->ordering);
        }
        out = LLVMBuildInsertElement(vf->b, out, load, lane, "");
    }
    return out;
}

static void
scatter(struct ls_vf *vf, const struct access *a, LLVMValueRef v, unsigned bytes, LLVMValueRef ptrs,
        unsigned align, LLVMValueRef mask)
{
    bool plain = a->ordering == LLVMAtomicOrderingNotAtomic && !a->is_volatile;

    if (plain && vf->cc->isa->has_masks && bytes >= 4 && bytes <= 8) {
        LLVMTypeRef overload[2] = {LLVMTypeOf(v), LLVMVectorType(vf->ptr, vf->n_lanes)};
        LLVMValueRef args[4] = {v, ptrs, LLVMConstInt(vf->i32, align, false),
                                mask ? mask
                                     : LLVMConstAllOnes(LLVMVectorType(vf->i1, vf->n_lanes))};
        ls_vf_llvm(vf, "llvm.masked.scatter", overload, 2, args, 4);
        return;
    }
    ptrs = safe_addresses(vf, ptrs, mask, bytes);
    if (plain && ls_vf_wants_steps(vf, ls_lanes_elem(LLVMTypeOf(v)), bytes)) {
        ls_vf_store_in_steps(vf, v, bytes, ptrs, align);
        return;
    }
    for (unsigned l = 0; l < vf->n_lanes; l++) {
        LLVMValueRef lane = LLVMConstInt(vf->i32, l, false);
        LLVMValueRef store = LLVMBuildStore(vf->b, LLVMBuildExtractElement(vf->b, v, lane, ""),
                                            LLVMBuildExtractElement(vf->b, ptrs, lane, ""));
        LLVMSetAlignment(store, align);
        if (!plain) {
            LLVMSetVolatile(store, a->is_volatile);
            LLVMSetOrdering(store, a->ordering);
        }
    }
}

/* How many elements of a lane's vector are moved together as one word of 32 bits; 1: they are moved
 * one by one. */
static unsigned
words_per_elements(struct ls_vf *vf, LLVMTypeRef elem, unsigned n)
{
    if (LLVMGetTypeKind(elem) == LLVMPointerTypeKind)
        return 1;
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(vf->cc->device.layout, elem);
    unsigned in_word = bits == 8 || bits == 16 ? 32 / bits : 1;

    return n % in_word ? 1 : in_word;
}

/* The pattern of a grouped address, in elements of the access. */
enum pattern {
    PATTERN_NONE = 0,
    PATTERN_CONTIGUOUS, /* lane l of a group at base + l * bytes */
    PATTERN_REVERSED,   /* at base - l * bytes */
    PATTERN_SAME,       /* the whole group at one address */
    PATTERN_PERMUTED,   /* at base + place * bytes, and each place of the group is some lane's: data
                         * that lanes exchange by memory */
};

/* Which place of its group's memory lane `lane` has, counted from the lowest; G or more: none. */
static unsigned
place_of(const struct access *a, const struct ls_shape *shape, unsigned lane)
{
    unsigned G = shape->group, first = lane - lane % G;
    int64_t low = 0, at = shape->offset ? shape->offset[lane] : 0;

    for (unsigned l = first; shape->offset && l < first + G; l++)
        low = shape->offset[l] < low ? shape->offset[l] : low;
    at -= low;
    return at % a->bytes || at / a->bytes >= G ? G : (unsigned)(at / a->bytes);
}

/* Whether each place of a group is one lane's. Without vectors for masks only exchanges between
 * lanes whose numbers differ in the same bits, as other permutations cost as much as the lanes one
 * by one. */
static bool
is_permuted(struct ls_vf *vf, const struct access *a, const struct ls_shape *shape)
{
    for (unsigned first = 0; first < vf->n_lanes; first += shape->group) {
        uint64_t seen = 0;

        for (unsigned l = 0; l < shape->group; l++) {
            unsigned place = place_of(a, shape, first + l);

            if (place >= shape->group || seen >> place & 1 ||
                (!vf->cc->isa->has_masks && (place ^ l) != place_of(a, shape, first)))
                return false;
            seen |= (uint64_t)1 << place;
        }
    }
    return true;
}

static enum pattern
pattern_of(struct ls_vf *vf, const struct access *a, const struct ls_shape *shape)
{
    bool same = true, contiguous = true, reversed = true;

    if (shape->kind != LS_SHAPE_GROUPED || a->ordering != LLVMAtomicOrderingNotAtomic ||
        a->is_volatile)
        return PATTERN_NONE;
    for (unsigned l = 0; l < vf->n_lanes; l++) {
        int64_t o = shape->offset ? shape->offset[l] : 0;

        same &= o == 0;
        contiguous &= o == (int64_t)(l % shape->group) * (int64_t)a->bytes;
        reversed &= o == -(int64_t)(l % shape->group) * (int64_t)a->bytes;
    }
    if (same)
        return PATTERN_SAME;
    if (a->bytes != a->n * a->elem_bytes)
        return PATTERN_NONE;
    if (contiguous)
        return PATTERN_CONTIGUOUS;
    /* Lanes of 16 bytes are moved one by one with less effort (load_lanes). */
    if (reversed && a->bytes < 16)
        return PATTERN_REVERSED;
    return a->n == 1 && a->bytes <= 8 && is_permuted(vf, a, shape) ? PATTERN_PERMUTED
                                                                   : PATTERN_NONE;
}

/* Looks for a pattern in groups of falling size, as smaller groups may show one that larger ones
 * hide: 16 neighbours at one place and 16 at another. */
static enum pattern
find_pattern(struct ls_vf *vf, const struct access *a, const struct ls_val *ptr,
             struct ls_shape *shape)
{
    for (unsigned g = ptr->shape->group; g >= LS_MIN_GROUP && g % 2 == 0; g /= 2) {
        *shape = ls_shape_regroup(vf->shapes, ptr->shape, g);
        enum pattern p = pattern_of(vf, a, shape);
        if (p)
            return p;
    }
    return PATTERN_NONE;
}

static LLVMValueRef
regrouped_base(struct ls_vf *vf, const struct ls_val *ptr, const struct ls_shape *shape, unsigned g)
{
    unsigned lane = g * shape->group;
    LLVMValueRef base = ptr->base[lane / ptr->shape->group];
    int64_t offset = ptr->shape->offset ? ptr->shape->offset[lane] : 0;

    if (!offset)
        return base;
    if (LLVMGetTypeKind(LLVMTypeOf(base)) == LLVMPointerTypeKind)
        return at_bytes(vf, base, (uint64_t)offset);
    return LLVMBuildAdd(vf->b, base, LLVMConstInt(vf->i32, (uint64_t)offset, true), "");
}

/* Joins group results <G x T> (components per lane already split) into <W x T>. */
static LLVMValueRef
join_groups(struct ls_vf *vf, LLVMValueRef *parts, unsigned n_parts, unsigned per_part)
{
    LLVMValueRef index[LS_MAX_WIDE];

    while (n_parts > 1) {
        for (unsigned i = 0; i < per_part * 2; i++)
            index[i] = LLVMConstInt(vf->i32, i, false);
        for (unsigned p = 0; p < n_parts / 2; p++)
            parts[p] = LLVMBuildShuffleVector(vf->b, parts[2 * p], parts[2 * p + 1],
                                              LLVMConstVector(index, per_part * 2), "");
        per_part *= 2;
        n_parts /= 2;
    }
    return parts[0];
}

static LLVMValueRef
lane_major_mask(struct ls_vf *vf, LLVMValueRef mask, unsigned lanes, unsigned n)
{
    LLVMValueRef index[LS_MAX_WIDE];

    if (!mask || n == 1)
        return mask;
    for (unsigned i = 0; i < lanes * n; i++)
        index[i] = LLVMConstInt(vf->i32, i / n, false);
    return LLVMBuildShuffleVector(vf->b, mask, LLVMGetPoison(LLVMTypeOf(mask)),
                                  LLVMConstVector(index, lanes * n), "");
}

/* `lanes` lanes of n elements each in the other order, and their mask; NULL stays NULL. */
static LLVMValueRef
reversed(struct ls_vf *vf, LLVMValueRef v, unsigned lanes, unsigned n)
{
    LLVMValueRef index[LS_MAX_WIDE];

    for (unsigned i = 0; i < lanes * n; i++)
        index[i] = LLVMConstInt(vf->i32, (lanes - 1 - i / n) * n + i % n, false);
    return v ? LLVMBuildShuffleVector(vf->b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                      LLVMConstVector(index, lanes * n), "")
             : NULL;
}

/* The lanes of the group that begins at lane `first`, from the order of lanes to that of places, or
 * back; NULL stays NULL. */
static LLVMValueRef
permuted(struct ls_vf *vf, const struct access *a, const struct ls_shape *shape, LLVMValueRef v,
         unsigned first, bool to_places)
{
    LLVMValueRef index[LS_MAX_LANES];

    for (unsigned l = 0; l < shape->group; l++) {
        unsigned place = place_of(a, shape, first + l);

        index[to_places ? place : l] = LLVMConstInt(vf->i32, to_places ? l : place, false);
    }
    return v ? LLVMBuildShuffleVector(vf->b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                      LLVMConstVector(index, shape->group), "")
             : NULL;
}

/* A group's values or mask in the order in which they lie in memory, or back. */
static LLVMValueRef
in_order(struct ls_vf *vf, const struct access *a, const struct ls_shape *shape,
         enum pattern pattern, LLVMValueRef v, unsigned first, unsigned n, bool to_memory)
{
    return pattern == PATTERN_REVERSED   ? reversed(vf, v, shape->group, n)
           : pattern == PATTERN_PERMUTED ? permuted(vf, a, shape, v, first, to_memory)
                                         : v;
}

/* Where the memory of a group begins whose first lane is at p. */
static LLVMValueRef
group_start(struct ls_vf *vf, const struct access *a, const struct ls_shape *shape, LLVMValueRef p,
            unsigned first, enum pattern pattern)
{
    unsigned lanes = 0;

    if (pattern == PATTERN_REVERSED)
        lanes = shape->group - 1u;
    else if (pattern == PATTERN_PERMUTED)
        lanes = place_of(a, shape, first);

    LLVMValueRef back = LLVMConstInt(vf->i64, -(uint64_t)lanes * a->bytes, true);

    return lanes ? LLVMBuildGEP2(vf->b, vf->i8, p, &back, 1, "") : p;
}

/* Of a group that may begin with a lane that is off: what holds at its distance from those that are
 * on. */
static unsigned
group_alignment(const struct access *a)
{
    unsigned step = a->bytes & -a->bytes;

    return a->align > step ? step : a->align;
}

/* Transposes long vectors of a thread; elements below 32 bits are moved as words while there are
 * enough of them. */
static LLVMValueRef
transpose_in_steps(struct ls_vf *vf, LLVMValueRef v, unsigned n, bool to_components)
{
    LLVMTypeRef elem = LLVMGetElementType(LLVMTypeOf(v));
    unsigned in_word = words_per_elements(vf, elem, n);
    LLVMValueRef comp[LS_MAX_ELEMENTS], words[LS_MAX_ELEMENTS];

    if (to_components) {
        if (in_word > 1)
            v = LLVMBuildBitCast(vf->b, v, LLVMVectorType(vf->i32, vf->n_lanes * n / in_word), "");
        ls_vf_to_components(vf, &v, 1, in_word > 1 ? words : comp, n / in_word);
        for (unsigned i = 0; in_word > 1 && i < n / in_word; i++)
            ls_vf_split_words(vf, words[i], elem, comp + i * in_word);
        return ls_vf_from_components(vf, comp, n);
    }
    for (unsigned c = 0; c < n; c++)
        comp[c] = ls_vf_component(vf, v, c);
    for (unsigned i = 0; in_word > 1 && i < n / in_word; i++)
        words[i] = ls_vf_join_words(vf, comp + i * in_word);
    ls_vf_to_lanes(vf, in_word > 1 ? words : comp, n / in_word, &v, 1);
    return in_word > 1 ? LLVMBuildBitCast(vf->b, v, LLVMVectorType(elem, vf->n_lanes * n), "") : v;
}

static LLVMValueRef
transpose(struct ls_vf *vf, LLVMValueRef v, unsigned n, bool to_components)
{
    LLVMValueRef index[LS_MAX_WIDE];
    unsigned W = vf->n_lanes;

    if (n == 1)
        return v;
    if (n >= 8 && ls_vf_can_transpose(vf, LLVMGetElementType(LLVMTypeOf(v)), n))
        return transpose_in_steps(vf, v, n, to_components);
    for (unsigned l = 0; l < W; l++)
        for (unsigned c = 0; c < n; c++) {
            unsigned aos = l * n + c, soa = c * W + l;
            index[to_components ? soa : aos] =
                LLVMConstInt(vf->i32, to_components ? aos : soa, false);
        }
    return LLVMBuildShuffleVector(vf->b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                  LLVMConstVector(index, W * n), "");
}

static LLVMValueRef
load_grouped(struct ls_vf *vf, const struct access *a, const struct ls_val *ptr,
             const struct ls_shape *shape, enum pattern pattern, unsigned as)
{
    unsigned G = shape->group, n_groups = vf->n_lanes / G;
    LLVMValueRef parts[LS_MAX_LANES];

    for (unsigned g = 0; g < n_groups; g++) {
        LLVMValueRef p = offset_to_address(vf, regrouped_base(vf, ptr, shape, g), as);
        LLVMValueRef mask = part_of_mask(vf, vf->mask, g * G, G);

        if (pattern != PATTERN_SAME) {
            LLVMTypeRef type = LLVMVectorType(a->elem, G * a->n);
            LLVMValueRef on = in_order(vf, a, shape, pattern, mask, g * G, 1, true);

            parts[g] = masked_load(vf, type, group_start(vf, a, shape, p, g * G, pattern),
                                   group_alignment(a), lane_major_mask(vf, on, G, a->n));
            parts[g] = in_order(vf, a, shape, pattern, parts[g], g * G, a->n, false);
            continue;
        }
        /* One address for the group: when none of its lanes is on, the access goes to the place
         * where anyone may read and write. */
        if (mask) {
            LLVMValueRef bits =
                LLVMBuildBitCast(vf->b, mask, LLVMIntTypeInContext(vf->llvm, G), "");
            LLVMValueRef any =
                LLVMBuildICmp(vf->b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
            p = LLVMBuildSelect(vf->b, any, p, nowhere(vf, a->bytes), "");
        }
        LLVMValueRef index[LS_MAX_WIDE];
        LLVMValueRef one = LLVMBuildLoad2(vf->b, a->host_type, p, "");
        LLVMSetAlignment(one, mask ? (a->align > 16 ? 16 : a->align) : a->align);
        for (unsigned i = 0; i < G * a->n; i++)
            index[i] = LLVMConstInt(vf->i32, i % a->n, false);
        if (LLVMGetTypeKind(a->host_type) != LLVMVectorTypeKind)
            one = LLVMBuildInsertElement(vf->b, LLVMGetPoison(LLVMVectorType(a->elem, 1)), one,
                                         LLVMConstInt(vf->i32, 0, false), "");
        parts[g] = LLVMBuildShuffleVector(vf->b, one, LLVMGetPoison(LLVMTypeOf(one)),
                                          LLVMConstVector(index, G * a->n), "");
    }
    return transpose(vf, join_groups(vf, parts, n_groups, G * a->n), a->n, true);
}

/* Loads at known distances from each other, in each lane: members of structs. The first reads for
 * all, as it reads most of what the others want. */
enum { MOST_MEMBERS = 8 };
struct members {
    struct access access[MOST_MEMBERS];
    struct ls_window windows[MOST_MEMBERS];
    unsigned n;
};

/* Reads windows (window.c), all lanes on, from frames of so many lanes. */
static void
load_windows(struct ls_vf *vf, const struct members *m, const struct ls_val *ptr, unsigned lanes,
             unsigned as, LLVMValueRef *out)
{
    unsigned G = ptr->shape->group;
    LLVMValueRef parts[MOST_MEMBERS][LS_MAX_LANES];

    for (unsigned at = 0; at < vf->n_lanes; at += lanes) {
        struct ls_window_frame f;
        bool fits = ls_vf_frame_windows(vf, ptr->shape, at, lanes, m->windows, m->n, &f);

        LS_ASSERT(fits);
        f.base = offset_to_address(vf, ptr->base[at / G], as);
        for (unsigned k = 0; k < m->n; k++)
            for (unsigned first = at; first < at + lanes; first += m->windows[k].lanes) {
                const struct ls_window *w = &m->windows[k];
                LLVMTypeRef type = LLVMVectorType(m->access[k].elem, w->lanes * m->access[k].n);

                parts[k][first / w->lanes] = LLVMBuildBitCast(
                    vf->b, ls_vf_load_window(vf, w, ptr->shape, first, &f), type, "");
            }
    }
    for (unsigned k = 0; k < m->n; k++) {
        unsigned per_part = m->windows[k].lanes * m->access[k].n;
        LLVMValueRef all = join_groups(vf, parts[k], vf->n_lanes / m->windows[k].lanes, per_part);

        out[k] = transpose(vf, all, m->access[k].n, true);
    }
}

/* Whether a load without a pattern may read a window. */
static bool
is_spread(struct ls_vf *vf, const struct access *a, const struct ls_val *ptr, struct ls_window *w)
{
    return a->ordering == LLVMAtomicOrderingNotAtomic && !a->is_volatile &&
           a->bytes == a->n * a->elem_bytes && LLVMGetTypeKind(a->elem) != LLVMPointerTypeKind &&
           ls_vf_find_window(vf, ptr->shape, a->bytes, w);
}

static void
store_grouped(struct ls_vf *vf, const struct access *a, const struct ls_val *ptr,
              const struct ls_shape *shape, enum pattern pattern, LLVMValueRef v, unsigned as)
{
    unsigned G = shape->group;

    v = transpose(vf, v, a->n, false);
    for (unsigned g = 0; g < vf->n_lanes / G; g++) {
        LLVMValueRef p = offset_to_address(vf, regrouped_base(vf, ptr, shape, g), as);
        LLVMValueRef mask = part_of_mask(vf, vf->mask, g * G, G);
        LLVMValueRef part = v;

        if (G != vf->n_lanes) {
            LLVMValueRef index[LS_MAX_WIDE];
            for (unsigned i = 0; i < G * a->n; i++)
                index[i] = LLVMConstInt(vf->i32, g * G * a->n + i, false);
            part = LLVMBuildShuffleVector(vf->b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                          LLVMConstVector(index, G * a->n), "");
        }
        part = in_order(vf, a, shape, pattern, part, g * G, a->n, true);
        mask = in_order(vf, a, shape, pattern, mask, g * G, 1, true);
        masked_store(vf, part, group_start(vf, a, shape, p, g * G, pattern), group_alignment(a),
                     lane_major_mask(vf, mask, G, a->n));
    }
}

/* How many lanes a piece has where a store without a pattern is one of runs (runs.c), else 0. */
static unsigned
find_runs(struct ls_vf *vf, const struct access *a, const struct ls_val *ptr)
{
    bool plain = a->ordering == LLVMAtomicOrderingNotAtomic && !a->is_volatile && a->n == 1 &&
                 a->bytes == a->elem_bytes && a->bytes <= 8 && !(a->bytes & (a->bytes - 1)) &&
                 LLVMGetTypeKind(a->elem) != LLVMPointerTypeKind;

    return plain ? ls_vf_find_runs(vf, ptr->shape, a->bytes) : 0;
}

static void
store_runs(struct ls_vf *vf, const struct access *a, const struct ls_val *ptr, unsigned unit,
           LLVMValueRef v, unsigned as)
{
    for (unsigned first = 0; first < vf->n_lanes; first += ptr->shape->group) {
        int64_t at = ptr->shape->offset ? ptr->shape->offset[first] : 0;
        LLVMValueRef p = offset_to_address(vf, ptr->base[first / ptr->shape->group], as);

        ls_vf_store_runs(vf, ptr->shape, first, unit, a->bytes, v, at_bytes(vf, p, (uint64_t)at),
                         a->align);
    }
}

/* A vector of at least 16 bytes in each lane, at addresses without a pattern: one access per
 * lane. */
static bool
is_lane_access(struct ls_vf *vf, const struct access *a)
{
    unsigned in_word = words_per_elements(vf, a->elem, a->n);

    return a->bytes >= 16 && a->bytes <= 64 && a->bytes == a->n * a->elem_bytes &&
           !a->is_volatile && a->ordering == LLVMAtomicOrderingNotAtomic &&
           a->elem_bytes * in_word >= 4 && LLVMGetTypeKind(a->elem) != LLVMPointerTypeKind &&
           ls_vf_can_transpose(vf, in_word > 1 ? vf->i32 : a->elem, a->n / in_word);
}

/* The address of lane l: from the base of its group and a known offset when `ptr` is not NULL, so
 * that the access is a scalar base with a displacement; else taken out of the vector `ptrs`. */
static LLVMValueRef
address_of_lane(struct ls_vf *vf, const struct access *a, const struct ls_val *ptr,
                LLVMValueRef ptrs, unsigned l)
{
    if (!ptr || ptr->shape->kind != LS_SHAPE_GROUPED || ptr->ok || vf->mask)
        return LLVMBuildExtractElement(vf->b, ptrs, LLVMConstInt(vf->i32, l, false), "");
    LLVMValueRef base = ptr->base[l / ptr->shape->group];
    int64_t offset = ptr->shape->offset ? ptr->shape->offset[l] : 0;
    base = offset_to_address(vf, base, LLVMGetPointerAddressSpace(LLVMTypeOf(a->old_ptr)));
    return at_bytes(vf, base, (uint64_t)offset);
}

/* The access's alignment, as far as it also holds for the place that masked-off lanes point to. */
static unsigned
lane_alignment(struct ls_vf *vf, const struct access *a)
{
    return vf->mask && a->align > 64 ? 64 : a->align;
}

/* Whether an access is a part of a row along which a loop walks. */
static bool
walks(const struct access *a)
{
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(a->inst);
    LLVMValueRef term = LLVMGetBasicBlockTerminator(bb);

    for (unsigned i = 0; i < LLVMGetNumSuccessors(term); i++)
        if (LLVMGetSuccessor(term, i) == bb)
            return LLVMTypeOf(a->inst) != a->device_type;
    return false;
}

/* Asks for the line behind, for the next turn: so many rows are more than the processor foresees.
 * Nothing is loaded, so an address behind the end does no harm. */
static void
ask_for_next(struct ls_vf *vf, LLVMValueRef p)
{
    enum { LINE = 64 };
    LLVMValueRef args[4] = {at_bytes(vf, p, LINE), LLVMConstInt(vf->i32, 0, false),
                            LLVMConstInt(vf->i32, 3, false), LLVMConstInt(vf->i32, 1, false)};

    ls_vf_llvm(vf, "llvm.prefetch", &vf->ptr, 1, args, 4);
}

static LLVMValueRef
load_lanes(struct ls_vf *vf, const struct access *a, const struct ls_val *ptr, LLVMValueRef ptrs)
{
    unsigned in_word = words_per_elements(vf, a->elem, a->n), n = a->n / in_word;
    LLVMTypeRef type = LLVMVectorType(in_word > 1 ? vf->i32 : a->elem, n);
    LLVMValueRef parts[LS_MAX_LANES], words[LS_MAX_ELEMENTS], comp[LS_MAX_ELEMENTS];
    bool in_loop = walks(a);

    ptrs = safe_addresses(vf, ptrs, vf->mask, a->bytes);
    for (unsigned l = 0; l < vf->n_lanes; l++) {
        LLVMValueRef p = address_of_lane(vf, a, ptr, ptrs, l);

        if (in_loop)
            ask_for_next(vf, p);
        parts[l] = LLVMBuildLoad2(vf->b, type, p, "");
        LLVMSetAlignment(parts[l], lane_alignment(vf, a));
    }
    ls_vf_to_components(vf, parts, vf->n_lanes, in_word > 1 ? words : comp, n);
    for (unsigned i = 0; in_word > 1 && i < n; i++)
        ls_vf_split_words(vf, words[i], a->elem, comp + i * in_word);
    return ls_vf_from_components(vf, comp, a->n);
}

static void
store_lanes(struct ls_vf *vf, const struct access *a, const struct ls_val *ptr, LLVMValueRef v,
            LLVMValueRef ptrs)
{
    unsigned in_word = words_per_elements(vf, a->elem, a->n), n = a->n / in_word;
    LLVMValueRef parts[LS_MAX_LANES], words[LS_MAX_ELEMENTS], comp[LS_MAX_ELEMENTS];

    for (unsigned c = 0; c < a->n; c++)
        comp[c] = ls_vf_component(vf, v, c);
    for (unsigned i = 0; in_word > 1 && i < n; i++)
        words[i] = ls_vf_join_words(vf, comp + i * in_word);
    ls_vf_to_lanes(vf, in_word > 1 ? words : comp, n, parts, vf->n_lanes);
    ptrs = safe_addresses(vf, ptrs, vf->mask, a->bytes);
    for (unsigned l = 0; l < vf->n_lanes; l++) {
        LLVMValueRef p = address_of_lane(vf, a, ptr, ptrs, l);
        LLVMSetAlignment(LLVMBuildStore(vf->b, parts[l], p), lane_alignment(vf, a));
    }
}

/* A vector of 4 or 8 bytes in each lane moves as one number of that size, of the type answered, or
 * NULL. It is a float: LLVM makes conversions of integers of shuffles that take every second word
 * of integers, and those are slower. */
static LLVMTypeRef
type_as_one(struct ls_vf *vf, const struct access *a)
{
    if (a->n < 2 || a->bytes != a->n * a->elem_bytes || a->is_volatile ||
        a->ordering != LLVMAtomicOrderingNotAtomic ||
        LLVMGetTypeKind(a->elem) == LLVMPointerTypeKind)
        return NULL;
    return a->bytes == 8   ? LLVMDoubleTypeInContext(vf->llvm)
           : a->bytes == 4 ? LLVMFloatTypeInContext(vf->llvm)
                           : NULL;
}

/* ptr: what is known of the addresses, or NULL. */
static LLVMValueRef
load_varying(struct ls_vf *vf, const struct access *a, const struct ls_val *ptr, LLVMValueRef ptrs)
{
    LLVMTypeRef one = type_as_one(vf, a);
    LLVMValueRef comps[LS_MAX_ELEMENTS];

    if (is_lane_access(vf, a))
        return load_lanes(vf, a, ptr, ptrs);
    if (one) {
        LLVMValueRef v = gather(vf, a, one, a->bytes, ptr, ptrs, a->align, vf->mask);

        v = LLVMBuildBitCast(vf->b, v, LLVMVectorType(a->elem, vf->n_lanes * a->n), "");
        return transpose(vf, v, a->n, true);
    }
    for (unsigned c = 0; c < a->n; c++) {
        LLVMValueRef k = LLVMConstInt(vf->i64, c * a->elem_bytes, false);
        LLVMValueRef p = c ? LLVMBuildGEP2(vf->b, vf->i8, ptrs, &k, 1, "") : ptrs;
        unsigned align = c ? (a->align < a->elem_bytes ? a->align : a->elem_bytes) : a->align;
        comps[c] = gather(vf, a, a->elem, a->elem_bytes, ptr, p, align, vf->mask);
    }
    return a->n == 1 ? comps[0] : ls_vf_from_components(vf, comps, a->n);
}

static void
store_varying(struct ls_vf *vf, const struct access *a, const struct ls_val *ptr, LLVMValueRef v,
              LLVMValueRef ptrs)
{
    LLVMTypeRef one = type_as_one(vf, a);

    if (is_lane_access(vf, a)) {
        store_lanes(vf, a, ptr, v, ptrs);
        return;
    }
    if (one) {
        v = LLVMBuildBitCast(vf->b, transpose(vf, v, a->n, false), LLVMVectorType(one, vf->n_lanes),
                             "");
        scatter(vf, a, v, a->bytes, ptrs, a->align, vf->mask);
        return;
    }
    for (unsigned c = 0; c < a->n; c++) {
        LLVMValueRef k = LLVMConstInt(vf->i64, c * a->elem_bytes, false);
        LLVMValueRef p = c ? LLVMBuildGEP2(vf->b, vf->i8, ptrs, &k, 1, "") : ptrs;
        unsigned align = c ? (a->align < a->elem_bytes ? a->align : a->elem_bytes) : a->align;
        scatter(vf, a, a->n == 1 ? v : ls_vf_component(vf, v, c), a->elem_bytes, p, align,
                vf->mask);
    }
}

/* Whether a load without a pattern, or a window, may take its lanes from known places. */
static bool
is_placed(struct ls_vf *vf, const struct access *a, const struct ls_val *ptr)
{
    return a->ordering == LLVMAtomicOrderingNotAtomic && !a->is_volatile &&
           a->bytes == a->n * a->elem_bytes && !is_lane_access(vf, a) &&
           ls_vf_take_places(vf, ptr->shape, type_as_one(vf, a) ? a->bytes : a->elem_bytes);
}

/* Lanes at known places (places.c), all on. */
static LLVMValueRef
load_placed(struct ls_vf *vf, const struct access *a, const struct ls_val *ptr, unsigned as)
{
    LLVMTypeRef one = type_as_one(vf, a);
    LLVMValueRef comps[LS_MAX_ELEMENTS], bases[LS_MAX_LANES];

    for (unsigned g = 0; g < vf->n_lanes / ptr->shape->group; g++)
        bases[g] = offset_to_address(vf, ptr->base[g], as);
    if (one) {
        LLVMValueRef v = ls_vf_load_places(vf, ptr->shape, bases, one, 0, a->align);

        v = LLVMBuildBitCast(vf->b, v, LLVMVectorType(a->elem, vf->n_lanes * a->n), "");
        return transpose(vf, v, a->n, true);
    }
    for (unsigned c = 0; c < a->n; c++) {
        unsigned align = c && a->align > a->elem_bytes ? a->elem_bytes : a->align;

        comps[c] =
            ls_vf_load_places(vf, ptr->shape, bases, a->elem, (uint64_t)c * a->elem_bytes, align);
    }
    return a->n == 1 ? comps[0] : ls_vf_from_components(vf, comps, a->n);
}

/* ---- Two paths ---- */

/* The two paths of an access whose address has an assumed shape: by the shape when the assumption
 * holds (near), else lane by lane with exact addresses (far). */
struct paths {
    LLVMBasicBlockRef slow, join, ends[2];
};

static struct paths
paths_begin(struct ls_vf *vf, LLVMValueRef ok, const char *name)
{
    LLVMBasicBlockRef fast = ls_vf_new_block(vf, "near"), from = LLVMGetInsertBlock(vf->b);
    struct paths p;

    LLVMPositionBuilderAtEnd(vf->b, fast);
    p.slow = ls_vf_new_block(vf, "far");
    LLVMPositionBuilderAtEnd(vf->b, p.slow);
    p.join = ls_vf_new_block(vf, name);
    LLVMPositionBuilderAtEnd(vf->b, from);
    LLVMBuildCondBr(vf->b, ok, fast, p.slow);
    vf->nest++;
    LLVMPositionBuilderAtEnd(vf->b, fast);
    return p;
}

static void
paths_next(struct ls_vf *vf, struct paths *p)
{
    p->ends[0] = LLVMGetInsertBlock(vf->b);
    LLVMBuildBr(vf->b, p->join);
    LLVMPositionBuilderAtEnd(vf->b, p->slow);
}

static void
paths_end(struct ls_vf *vf, struct paths *p)
{
    p->ends[1] = LLVMGetInsertBlock(vf->b);
    LLVMBuildBr(vf->b, p->join);
    vf->nest--;
    LLVMPositionBuilderAtEnd(vf->b, p->join);
}

/* ---- Interleaved private variables ---- */

/* Whether an access first asks if all lanes agree on the element. */
static bool
asks_private(struct ls_vf *vf, const struct access *a)
{
    return !vf->in_steps && !a->is_volatile && a->ordering == LLVMAtomicOrderingNotAtomic;
}

/* Lanes side by side, at the address of lane 0's element. */
static LLVMValueRef
load_private_row(struct ls_vf *vf, const struct access *a, LLVMValueRef p)
{
    LLVMValueRef comps[LS_MAX_ELEMENTS];

    for (unsigned c = 0; c < a->n; c++)
        comps[c] = masked_load(vf, LLVMVectorType(a->elem, vf->n_lanes),
                               at_bytes(vf, p, (uint64_t)c * a->elem_bytes * vf->n_lanes),
                               a->elem_bytes, NULL);
    return a->n == 1 ? comps[0] : ls_vf_from_components(vf, comps, a->n);
}

/* The addresses of component c in each lane, whose offsets are `o`. */
static LLVMValueRef
private_addresses(struct ls_vf *vf, const struct access *a, const struct ls_private *priv,
                  LLVMValueRef o, unsigned c)
{
    LLVMValueRef lane =
        LLVMBuildMul(vf->b, ls_vf_iota(vf, vf->i64),
                     ls_vf_splat(vf, LLVMConstInt(vf->i64, a->elem_bytes, false)), "");
    LLVMValueRef k = LLVMConstInt(vf->i64, (uint64_t)c * a->elem_bytes * vf->n_lanes, false);
    LLVMValueRef q = LLVMBuildGEP2(vf->b, vf->i8, private_address(vf, priv, o), &lane, 1, "");

    return c ? LLVMBuildGEP2(vf->b, vf->i8, q, &k, 1, "") : q;
}

static LLVMValueRef
load_private_apart(struct ls_vf *vf, const struct access *a, const struct ls_private *priv,
                   LLVMValueRef o)
{
    LLVMValueRef comps[LS_MAX_ELEMENTS];

    for (unsigned c = 0; c < a->n; c++)
        comps[c] = gather(vf, a, a->elem, a->elem_bytes, NULL, private_addresses(vf, a, priv, o, c),
                          a->elem_bytes, vf->mask);
    return a->n == 1 ? comps[0] : ls_vf_from_components(vf, comps, a->n);
}

static LLVMValueRef
load_private(struct ls_vf *vf, const struct access *a, const struct ls_private *priv)
{
    LLVMValueRef o, first, v[2], phi;
    struct paths paths;

    if (ls_vf_is_uniform(vf, a->old_ptr))
        return load_private_row(vf, a, private_address(vf, priv, ls_vf_scalar(vf, a->old_ptr)));
    o = ls_vf_vector(vf, a->old_ptr);
    if (!asks_private(vf, a))
        return load_private_apart(vf, a, priv, o);
    paths = paths_begin(vf, ls_vf_agree(vf, o, &first), "loaded");
    v[0] = load_private_row(vf, a, private_address(vf, priv, first));
    paths_next(vf, &paths);
    v[1] = load_private_apart(vf, a, priv, o);
    paths_end(vf, &paths);
    phi = LLVMBuildPhi(vf->b, LLVMTypeOf(v[0]), "");
    LLVMAddIncoming(phi, v, paths.ends, 2);
    return phi;
}

static void
store_private_row(struct ls_vf *vf, const struct access *a, LLVMValueRef p, LLVMValueRef v)
{
    for (unsigned c = 0; c < a->n; c++) {
        LLVMValueRef part = a->n == 1 ? v : ls_vf_component(vf, v, c);
        LLVMValueRef q = at_bytes(vf, p, (uint64_t)c * a->elem_bytes * vf->n_lanes);

        if (vf->mask) { /* inactive lanes keep theirs; a blend promotes to registers, a masked store
                           does not */
            LLVMValueRef old = masked_load(vf, LLVMTypeOf(part), q, a->elem_bytes, NULL);
            part = LLVMBuildSelect(vf->b, vf->mask, part, old, "");
        }
        masked_store(vf, part, q, a->elem_bytes, NULL);
    }
}

static void
store_private_apart(struct ls_vf *vf, const struct access *a, const struct ls_private *priv,
                    LLVMValueRef o, LLVMValueRef v)
{
    for (unsigned c = 0; c < a->n; c++)
        scatter(vf, a, a->n == 1 ? v : ls_vf_component(vf, v, c), a->elem_bytes,
                private_addresses(vf, a, priv, o, c), a->elem_bytes, vf->mask);
}

static void
store_private(struct ls_vf *vf, const struct access *a, const struct ls_private *priv,
              LLVMValueRef v)
{
    LLVMValueRef o, first;
    struct paths paths;

    if (ls_vf_is_uniform(vf, a->old_ptr)) {
        store_private_row(vf, a, private_address(vf, priv, ls_vf_scalar(vf, a->old_ptr)), v);
        return;
    }
    o = ls_vf_vector(vf, a->old_ptr);
    if (!asks_private(vf, a)) {
        store_private_apart(vf, a, priv, o, v);
        return;
    }
    paths = paths_begin(vf, ls_vf_agree(vf, o, &first), "stored");
    store_private_row(vf, a, private_address(vf, priv, first), v);
    paths_next(vf, &paths);
    store_private_apart(vf, a, priv, o, v);
    paths_end(vf, &paths);
}

/* ---- Odd integers ---- */

/* `type` as it is, or widened to all lanes. */
static LLVMTypeRef
for_all(struct ls_vf *vf, LLVMTypeRef type, bool wide)
{
    return wide ? LLVMVectorType(type, vf->n_lanes) : type;
}

static LLVMValueRef
shift_amount(struct ls_vf *vf, const struct access *a, unsigned piece, bool wide)
{
    LLVMValueRef bits = LLVMConstInt(LLVMIntTypeInContext(vf->llvm, a->bytes * 8),
                                     piece * a->elem_bytes * 8, false);

    return wide ? ls_vf_splat(vf, bits) : bits;
}

static LLVMValueRef
piece_of(struct ls_vf *vf, LLVMValueRef v, unsigned c, bool wide)
{
    return wide ? ls_vf_component(vf, v, c)
                : LLVMBuildExtractElement(vf->b, v, LLVMConstInt(vf->i32, c, false), "");
}

static LLVMValueRef
from_memory_form(struct ls_vf *vf, const struct access *a, LLVMValueRef v, bool wide)
{
    LLVMValueRef all = NULL;
    LLVMTypeRef whole;

    if (!a->odd)
        return v;
    if (a->n == 1)
        return LLVMBuildTrunc(vf->b, v, for_all(vf, a->odd, wide), "");
    whole = for_all(vf, LLVMIntTypeInContext(vf->llvm, a->bytes * 8), wide);
    for (unsigned c = 0; c < a->n; c++) {
        LLVMValueRef part = LLVMBuildZExt(vf->b, piece_of(vf, v, c, wide), whole, "");
        if (c > 0)
            part = LLVMBuildShl(vf->b, part, shift_amount(vf, a, c, wide), "");
        all = all ? LLVMBuildOr(vf->b, all, part, "") : part;
    }
    return LLVMBuildTruncOrBitCast(vf->b, all, for_all(vf, a->odd, wide), "");
}

static LLVMValueRef
to_memory_form(struct ls_vf *vf, const struct access *a, LLVMValueRef v, bool wide)
{
    LLVMTypeRef elem = for_all(vf, a->elem, wide);
    LLVMValueRef pieces[LS_MAX_ELEMENTS], out = LLVMGetPoison(a->host_type);

    if (!a->odd)
        return v;
    v = LLVMBuildZExtOrBitCast(vf->b, v,
                               for_all(vf, LLVMIntTypeInContext(vf->llvm, a->bytes * 8), wide), "");
    if (a->n == 1)
        return v;
    for (unsigned c = 0; c < a->n; c++) {
        LLVMValueRef part = c ? LLVMBuildLShr(vf->b, v, shift_amount(vf, a, c, wide), "") : v;
        pieces[c] = LLVMBuildTrunc(vf->b, part, elem, "");
    }
    if (wide)
        return ls_vf_from_components(vf, pieces, a->n);
    for (unsigned c = 0; c < a->n; c++)
        out = LLVMBuildInsertElement(vf->b, out, pieces[c], LLVMConstInt(vf->i32, c, false), "");
    return out;
}

/* ---- Aggregates: member by member, through per-lane addresses ---- */

static void
member_access(struct ls_vf *vf, struct access *a, LLVMTypeRef device_type, uint64_t offset)
{
    unsigned whole_align = a->align;

    access_init(vf, a, a->inst, a->old_ptr, device_type);
    a->align = whole_align;
    while (a->align > 1 && offset % a->align)
        a->align /= 2;
}

/* Loads (value NULL) or stores the part of an aggregate at `offset`; returns the loaded part,
 * widened. */
static LLVMValueRef
move_aggregate(struct ls_vf *vf, const struct access *whole, LLVMTypeRef type, LLVMValueRef ptrs,
               uint64_t offset, LLVMValueRef value)
{
    LLVMTypeRef wide = ls_vf_wide_type(vf, ls_vf_host_type(vf, type));
    LLVMValueRef out = value ? NULL : LLVMGetPoison(wide);

    if (is_aggregate(type)) {
        bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
        unsigned n =
            is_struct ? LLVMCountStructElementTypes(type) : (unsigned)LLVMGetArrayLength2(type);

        for (unsigned i = 0; i < n; i++) {
            LLVMTypeRef part =
                is_struct ? LLVMStructGetTypeAtIndex(type, i) : LLVMGetElementType(type);
            uint64_t at = offset + (is_struct ? LLVMOffsetOfElement(vf->cc->device.layout, type, i)
                                              : i * LLVMABISizeOfType(vf->cc->device.layout, part));
            LLVMValueRef v = value ? LLVMBuildExtractValue(vf->b, value, i, "") : NULL;

            v = move_aggregate(vf, whole, part, ptrs, at, v);
            if (!value)
                out = LLVMBuildInsertValue(vf->b, out, v, i, "");
        }
        return out;
    }
    struct access a = *whole;
    LLVMValueRef index = LLVMConstInt(vf->i64, offset, false);
    LLVMValueRef p = offset ? LLVMBuildGEP2(vf->b, vf->i8, ptrs, &index, 1, "") : ptrs;

    member_access(vf, &a, type, offset);
    if (value) {
        store_varying(vf, &a, NULL, to_memory_form(vf, &a, value, true), p);
        return NULL;
    }
    return from_memory_form(vf, &a, load_varying(vf, &a, NULL, p), true);
}

static void
keep_metadata(struct ls_vf *vf, LLVMValueRef from, LLVMValueRef to)
{
    static const char *const kinds[] = {"tbaa", "invariant.load"};

    for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        unsigned kind = LLVMGetMDKindIDInContext(vf->llvm, kinds[i], (unsigned)strlen(kinds[i]));
        LLVMValueRef md = LLVMGetMetadata(from, kind);
        if (md)
            LLVMSetMetadata(to, kind, md);
    }
}

static LLVMValueRef
all_lanes_on(struct ls_vf *vf)
{
    uint64_t all = vf->n_lanes < 64 ? ((uint64_t)1 << vf->n_lanes) - 1 : UINT64_MAX;

    return LLVMBuildICmp(vf->b, LLVMIntEQ, ls_vf_mask_bits(vf), LLVMConstInt(vf->i64, all, false),
                         "all.on");
}

/* ---- Members ---- */

/* Whether a read may be done in front of an instruction as well as behind it. */
static bool
lets_reads_pass(LLVMValueRef inst)
{
    if (LLVMIsALoadInst(inst))
        return !LLVMGetVolatile(inst) && LLVMGetOrdering(inst) == LLVMAtomicOrderingNotAtomic;
    return ls_ir_leaves_memory(inst);
}

/* Adds a load to those that are read with the first, if it is such a one. */
static void
add_member(struct ls_vf *vf, struct members *m, const struct ls_val *ptr,
           const struct ls_address *address, LLVMValueRef load)
{
    LLVMValueRef p = LLVMGetOperand(load, 0), first = m->access[0].old_ptr;
    struct access *a = &m->access[m->n];
    struct ls_window *w = &m->windows[m->n];
    struct ls_window_frame f;
    struct ls_address to;
    struct ls_shape shape;
    int64_t behind;

    if (LLVMTypeOf(p) != LLVMTypeOf(first) || ls_vf_is_uniform(vf, load) ||
        is_aggregate(LLVMTypeOf(load)) || ls_private_of(vf->shapes, p) ||
        !ls_address_read(vf->cc->device.layout, p, &to) ||
        !ls_address_distance(address, &to, &behind))
        return;
    access_init(vf, a, load, first, LLVMTypeOf(load));
    if (find_pattern(vf, a, ptr, &shape) || !is_spread(vf, a, ptr, w))
        return;
    w->behind = behind;
    for (unsigned at = 0; at < vf->n_lanes; at += ptr->shape->group)
        if (!ls_vf_frame_windows(vf, ptr->shape, at, ptr->shape->group, m->windows, m->n + 1, &f))
            return;
    m->n++;
}

/* The loads of a block that are read with the one at hand, which is the first. */
static void
find_members(struct ls_vf *vf, struct members *m, const struct ls_val *ptr)
{
    enum { MOST_APART = 200 };
    struct ls_address address;
    LLVMValueRef i = m->access[0].inst;

    /* Checkers are told of an access right in front of it. */
    if (vf->cc->opt->checks ||
        !ls_address_read(vf->cc->device.layout, m->access[0].old_ptr, &address))
        return;
    for (unsigned n = 0; n < MOST_APART && m->n < MOST_MEMBERS; n++) {
        i = LLVMGetNextInstruction(i);
        if (!i || !lets_reads_pass(i))
            break;
        if (LLVMIsALoadInst(i) && !ls_ptrmap_get(&vf->loaded, i))
            add_member(vf, m, ptr, &address, i);
    }
}

static LLVMValueRef
load_members(struct ls_vf *vf, struct members *m, const struct ls_val *ptr, LLVMValueRef ok)
{
    unsigned as = LLVMGetPointerAddressSpace(LLVMTypeOf(m->access[0].old_ptr)), lanes;
    LLVMValueRef v[2][MOST_MEMBERS], addresses;
    struct paths paths;

    find_members(vf, m, ptr);
    lanes = m->n > 1 ? ptr->shape->group : m->windows[0].lanes;
    if (ok)
        paths = paths_begin(vf, ok, "loaded");
    load_windows(vf, m, ptr, lanes, as, v[0]);
    if (ok) {
        paths_next(vf, &paths);
        addresses = ls_vf_address_vector(vf, m->access[0].old_ptr);
        for (unsigned k = 0; k < m->n; k++) {
            LLVMValueRef by = LLVMConstInt(vf->i64, (uint64_t)m->windows[k].behind, true);

            v[1][k] =
                load_varying(vf, &m->access[k], k ? NULL : ptr,
                             k ? LLVMBuildGEP2(vf->b, vf->i8, addresses, &by, 1, "") : addresses);
        }
        paths_end(vf, &paths);
    }
    for (unsigned k = 0; k < m->n; k++) {
        LLVMValueRef one = v[0][k];

        if (ok) {
            LLVMValueRef in[2] = {one, v[1][k]};

            one = LLVMBuildPhi(vf->b, LLVMTypeOf(one), "");
            LLVMAddIncoming(one, in, paths.ends, 2);
        }
        v[0][k] = one;
    }
    for (unsigned k = 0; k < m->n; k++) {
        v[0][k] = from_memory_form(vf, &m->access[k], v[0][k], true);
        if (k)
            ls_ptrmap_set(&vf->loaded, m->access[k].inst, v[0][k]);
    }
    return v[0][0];
}

/* ---- Rows ---- */

/* The access to elements [from, from + n) of a row as one to a vector, and its pointer. */
static void
row_access(struct ls_vf *vf, const struct access *one, const struct ls_val *ptr, unsigned from,
           unsigned n, struct access *a, struct ls_val *at)
{
    int64_t behind = ((int64_t)from - LS_ROW_HERE) * one->bytes;

    access_init(vf, a, one->inst, one->old_ptr, LLVMVectorType(one->device_type, n));
    a->behind = behind;
    if (behind && a->align > one->bytes)
        a->align = one->bytes;
    *at = *ptr;
    for (unsigned g = 0;
         behind && at->shape->kind == LS_SHAPE_GROUPED && g < vf->n_lanes / at->shape->group; g++)
        at->base[g] = at_bytes(vf, at->base[g], (uint64_t)behind);
}

/* Whether the elements from `from` on are those of all lanes side by side. */
static bool
is_contiguous_row(struct ls_vf *vf, const struct access *one, const struct ls_val *ptr, unsigned n)
{
    struct access a;
    struct ls_shape shape;

    access_init(vf, &a, one->inst, one->old_ptr, LLVMVectorType(one->device_type, n));
    return ptr->shape->kind == LS_SHAPE_GROUPED &&
           find_pattern(vf, &a, ptr, &shape) == PATTERN_CONTIGUOUS;
}

/* Cuts a row to what is one access: the elements between those of the next lane and this one's, or
 * as many as are a vector in each lane, or a number of 8 bytes. False: nothing of it is. */
static bool
cut_row(struct ls_vf *vf, const struct access *one, const struct ls_val *ptr, struct ls_row *row)
{
    unsigned all = row->to - row->from, n = 0;
    int64_t step = ptr->shape->kind == LS_SHAPE_GROUPED && ptr->shape->offset
                       ? ptr->shape->offset[1] - ptr->shape->offset[0]
                       : 0;
    struct ls_window w;
    struct access a;
    struct ls_val at;

    if (step > one->bytes && step <= (int64_t)all * one->bytes && step % one->bytes == 0)
        n = (unsigned)(step / one->bytes);
    if (n == 0 || n > LS_ROW_MOST || !is_contiguous_row(vf, one, ptr, n)) {
        if (LLVMIsALoadInst(one->inst) && is_spread(vf, one, ptr, &w))
            return false;
        for (n = 1; 2 * n <= all && 2 * n <= LS_ROW_MOST && 2 * n * one->bytes <= MOST_ROW_BYTES;)
            n *= 2;
        row_access(vf, one, ptr, LS_ROW_HERE, n, &a, &at);
        if (n * one->bytes < 8 || (n * one->bytes > 8 && !is_lane_access(vf, &a)))
            return false;
    }
    row->from += (LS_ROW_HERE - row->from) / n * n;
    if (row->from + n > row->to)
        row->from = row->to - n;
    row->to = row->from + n;
    return n > 1;
}

/* The row of an access that has no pattern by itself. */
static bool
find_row(struct ls_vf *vf, const struct access *one, const struct ls_val *ptr, struct ls_row *row)
{
    struct ls_shape shape;

    return one->n == 1 && !one->odd && !is_aggregate(one->device_type) &&
           !(ptr->shape->kind == LS_SHAPE_GROUPED && find_pattern(vf, one, ptr, &shape)) &&
           ls_vf_find_row(vf, one->inst, row) && cut_row(vf, one, ptr, row);
}

/* ---- Entry points ---- */

static LLVMValueRef
exact_addresses(struct ls_vf *vf, const struct access *a)
{
    LLVMValueRef by = LLVMConstInt(vf->i64, (uint64_t)a->behind, true),
                 all = ls_vf_address_vector(vf, a->old_ptr);

    return a->behind ? LLVMBuildGEP2(vf->b, vf->i8, all, &by, 1, "") : all;
}

/* A load of lanes of whose places nothing is known. */
static LLVMValueRef
load_far(struct ls_vf *vf, const struct access *a, const struct ls_val *ptr)
{
    LLVMValueRef v[2], phi;
    struct ls_agreement same;
    struct paths paths;

    if (ptr->shape->kind == LS_SHAPE_GROUPED || a->is_volatile ||
        a->ordering != LLVMAtomicOrderingNotAtomic ||
        !ls_vf_agree_address(vf, a->inst, ls_vf_address_vector(vf, a->old_ptr), a->bytes, &same))
        return load_varying(vf, a, ptr, exact_addresses(vf, a));
    paths = paths_begin(vf, same.all, "loaded");
    v[0] = LLVMBuildLoad2(vf->b, a->host_type, at_bytes(vf, same.first, (uint64_t)a->behind), "");
    LLVMSetAlignment(v[0], a->align);
    v[0] = ls_vf_splat(vf, v[0]);
    paths_next(vf, &paths);
    v[1] = load_varying(vf, a, ptr, exact_addresses(vf, a));
    paths_end(vf, &paths);
    phi = LLVMBuildPhi(vf->b, LLVMTypeOf(v[0]), "");
    LLVMAddIncoming(phi, v, paths.ends, 2);
    return phi;
}

/* A load of lanes at different places. */
static LLVMValueRef
load_apart(struct ls_vf *vf, const struct access *a, const struct ls_val *p)
{
    unsigned as = LLVMGetPointerAddressSpace(LLVMTypeOf(a->old_ptr));
    struct ls_shape shape;
    enum pattern pattern =
        p->shape->kind == LS_SHAPE_GROUPED ? find_pattern(vf, a, p, &shape) : PATTERN_NONE;
    struct members members = {.access = {*a}, .n = 1};
    LLVMValueRef ok = p->ok;
    bool is_row = LLVMTypeOf(a->inst) != a->device_type;
    bool spread = !pattern && !is_row && is_spread(vf, a, p, &members.windows[0]);
    bool placed = !pattern && !spread && is_placed(vf, a, p);

    if (!pattern && !spread && !placed)
        return from_memory_form(vf, a, load_far(vf, a, p), true);
    if ((spread || placed) && vf->mask)
        ok = ok ? LLVMBuildAnd(vf->b, ok, all_lanes_on(vf), "") : all_lanes_on(vf);
    if (spread)
        return load_members(vf, &members, p, ok);
    if (!ok)
        return from_memory_form(
            vf, a, placed ? load_placed(vf, a, p, as) : load_grouped(vf, a, p, &shape, pattern, as),
            true);

    struct paths paths = paths_begin(vf, ok, "loaded");
    LLVMValueRef v[2];
    v[0] = placed ? load_placed(vf, a, p, as) : load_grouped(vf, a, p, &shape, pattern, as);
    paths_next(vf, &paths);
    v[1] = load_varying(vf, a, p, exact_addresses(vf, a));
    paths_end(vf, &paths);
    LLVMValueRef phi = LLVMBuildPhi(vf->b, LLVMTypeOf(v[0]), "");
    LLVMAddIncoming(phi, v, paths.ends, 2);
    return from_memory_form(vf, a, phi, true);
}

LLVMValueRef
ls_vf_load(struct ls_vf *vf, LLVMValueRef inst)
{
    struct access a;
    LLVMValueRef ptr = LLVMGetOperand(inst, 0), done = ls_ptrmap_get(&vf->loaded, inst);
    struct ls_private *priv = ls_private_of(vf->shapes, ptr);

    if (done)
        return done;
    access_init(vf, &a, inst, ptr, LLVMTypeOf(inst));
    if (ls_vf_is_uniform(vf, inst)) {
        LLVMValueRef p = priv && priv->kind == LS_PRIVATE_UNIFORM
                             ? private_address(vf, priv, ls_vf_scalar(vf, ptr))
                             : ls_vf_address_scalar(vf, ptr);
        LLVMValueRef load = LLVMBuildLoad2(vf->b, a.host_type, p, "");
        LLVMSetAlignment(load, a.align);
        LLVMSetVolatile(load, a.is_volatile);
        if (a.ordering != LLVMAtomicOrderingNotAtomic)
            LLVMSetOrdering(load, a.ordering);
        keep_metadata(vf, inst, load);
        return from_memory_form(vf, &a, load, false);
    }
    if (is_aggregate(LLVMTypeOf(inst)))
        return move_aggregate(vf, &a, LLVMTypeOf(inst), ls_vf_address_vector(vf, ptr), 0, NULL);
    if (priv && priv->kind == LS_PRIVATE_INTERLEAVED)
        return from_memory_form(vf, &a, load_private(vf, &a, priv), true);

    struct ls_val *p = ls_vf_val(vf, ptr), at;
    struct ls_row row;
    struct access whole;
    if (!find_row(vf, &a, p, &row))
        return load_apart(vf, &a, p);
    row_access(vf, &a, p, row.from, row.to - row.from, &whole, &at);
    LLVMValueRef v = load_apart(vf, &whole, &at);
    for (unsigned i = row.from; i < row.to; i++)
        ls_ptrmap_set(&vf->loaded, row.slots[i], ls_vf_component(vf, v, i - row.from));
    return ls_ptrmap_get(&vf->loaded, inst);
}

static LLVMValueRef
last_lane(struct ls_vf *vf)
{
    if (!vf->mask)
        return LLVMConstInt(vf->i32, vf->n_lanes - 1, false);
    LLVMValueRef args[2] = {ls_vf_mask_bits(vf), LLVMConstInt(vf->i1, 1, false)};
    LLVMValueRef lz = ls_vf_llvm(vf, "llvm.ctlz", &vf->i64, 1, args, 2);
    return LLVMBuildTrunc(vf->b, LLVMBuildSub(vf->b, LLVMConstInt(vf->i64, 63, false), lz, ""),
                          vf->i32, "");
}

static void
store_apart(struct ls_vf *vf, const struct access *a, const struct ls_val *p, LLVMValueRef v)
{
    unsigned as = LLVMGetPointerAddressSpace(LLVMTypeOf(a->old_ptr));
    struct ls_shape shape;
    enum pattern pattern =
        p->shape->kind == LS_SHAPE_GROUPED ? find_pattern(vf, a, p, &shape) : PATTERN_NONE;
    unsigned unit = pattern == PATTERN_NONE ? find_runs(vf, a, p) : 0;

    if ((pattern == PATTERN_NONE && !unit) || pattern == PATTERN_SAME) {
        store_varying(vf, a, p, v, exact_addresses(vf, a));
        return;
    }
    if (!p->ok) {
        if (unit)
            store_runs(vf, a, p, unit, v, as);
        else
            store_grouped(vf, a, p, &shape, pattern, v, as);
        return;
    }
    struct paths paths = paths_begin(vf, p->ok, "stored");

    if (unit)
        store_runs(vf, a, p, unit, v, as);
    else
        store_grouped(vf, a, p, &shape, pattern, v, as);
    paths_next(vf, &paths);
    store_varying(vf, a, p, v, exact_addresses(vf, a));
    paths_end(vf, &paths);
}

/* Whether no more of a row's stores come behind this one. */
static bool
is_last_of_row(const struct ls_row *row, LLVMValueRef inst)
{
    for (LLVMValueRef i = LLVMGetNextInstruction(inst); i; i = LLVMGetNextInstruction(i))
        for (unsigned k = row->from; k < row->to; k++)
            if (row->slots[k] == i)
                return false;
    return true;
}

/* Stores a row with its last store. */
static void
store_row(struct ls_vf *vf, const struct ls_row *row, LLVMValueRef inst)
{
    LLVMValueRef comps[LS_ROW_MOST], first = row->slots[LS_ROW_HERE];
    struct access one, whole;
    struct ls_val at;

    if (!is_last_of_row(row, inst))
        return;
    for (unsigned i = row->from; i < row->to; i++)
        comps[i - row->from] = ls_vf_vector(vf, LLVMGetOperand(row->slots[i], 0));
    access_init(vf, &one, first, LLVMGetOperand(first, 1), LLVMTypeOf(LLVMGetOperand(first, 0)));
    row_access(vf, &one, ls_vf_val(vf, one.old_ptr), row->from, row->to - row->from, &whole, &at);
    store_apart(vf, &whole, &at, ls_vf_from_components(vf, comps, row->to - row->from));
}

void
ls_vf_store(struct ls_vf *vf, LLVMValueRef inst)
{
    struct access a;
    LLVMValueRef value = LLVMGetOperand(inst, 0), ptr = LLVMGetOperand(inst, 1);
    struct ls_private *priv = ls_private_of(vf->shapes, ptr);
    const struct ls_row *row = ls_ptrmap_get(&vf->rows, inst);

    if (row) {
        store_row(vf, row, inst);
        return;
    }

    access_init(vf, &a, inst, ptr, LLVMTypeOf(value));
    if (priv && priv->kind == LS_PRIVATE_INTERLEAVED) {
        store_private(vf, &a, priv, to_memory_form(vf, &a, ls_vf_vector(vf, value), true));
        return;
    }
    if (ls_vf_is_uniform(vf, ptr)) {
        LLVMValueRef p = priv && priv->kind == LS_PRIVATE_UNIFORM
                             ? private_address(vf, priv, ls_vf_scalar(vf, ptr))
                             : ls_vf_address_scalar(vf, ptr);
        LLVMValueRef v = ls_vf_is_uniform(vf, value)
                             ? ls_vf_scalar(vf, value)
                             : ls_vf_lane_get(vf, ls_vf_vector(vf, value), last_lane(vf));
        LLVMValueRef store = LLVMBuildStore(vf->b, to_memory_form(vf, &a, v, false), p);
        LLVMSetAlignment(store, a.align);
        LLVMSetVolatile(store, a.is_volatile);
        if (a.ordering != LLVMAtomicOrderingNotAtomic)
            LLVMSetOrdering(store, a.ordering);
        keep_metadata(vf, inst, store);
        return;
    }
    if (is_aggregate(LLVMTypeOf(value))) {
        move_aggregate(vf, &a, LLVMTypeOf(value), ls_vf_address_vector(vf, ptr), 0,
                       ls_vf_vector(vf, value));
        return;
    }

    struct ls_row found, *kept;
    if (!find_row(vf, &a, ls_vf_val(vf, ptr), &found)) {
        store_apart(vf, &a, ls_vf_val(vf, ptr),
                    to_memory_form(vf, &a, ls_vf_vector(vf, value), true));
        return;
    }
    kept = ls_arena_alloc(vf->cc->arena, sizeof(*kept));
    *kept = found;
    for (unsigned i = found.from; i < found.to; i++)
        ls_ptrmap_set(&vf->rows, found.slots[i], kept);
}
