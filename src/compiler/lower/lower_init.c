/* SPDX-License-Identifier: MIT */
/* Rows of places, of neighbouring lanes; and whether memory was written, tested in the code: for a
 * row the bytes about it (base/check_site.h) are read or written as one vector. */
#include <stddef.h>

#include "base/check_site.h"
#include "device/cpu/kernel_abi.h"
#include "lower/lower_priv.h"

uint32_t
ls_lower_check_row(const struct ls_check_site *site, const struct ls_shape *shape, unsigned g)
{
    const int64_t *o = shape->offset ? shape->offset + (size_t)g * shape->group : NULL;
    bool is_one = true, is_row = o != NULL;

    for (unsigned l = 0; o && l < shape->group; l++) {
        is_one &= o[l] == o[0];
        is_row &= o[l] - o[0] == (int64_t)l * site->bytes;
    }
    return is_one || is_row ? LS_CHECK_ROW(g * shape->group, shape->group, is_one) : 0;
}

LLVMValueRef
ls_lower_check_first(struct ls_vf *vf, const struct ls_val *val, unsigned g)
{
    const struct ls_shape *shape = val->shape;
    int64_t low = shape->offset ? shape->offset[(size_t)g * shape->group] : 0;
    LLVMValueRef first = val->base[g];

    if (LLVMGetTypeKind(LLVMTypeOf(first)) == LLVMPointerTypeKind)
        first = LLVMBuildPtrToInt(vf->b, first, vf->i64, "");
    first = B_ADD(first, LLVMConstInt(LLVMTypeOf(first), (uint64_t)low, true));
    return LLVMBuildIntCast2(vf->b, first, vf->i64, false, "");
}

/* A group of lanes that go to a row of places. */
struct row {
    const struct ls_check_site *site;
    LLVMValueRef first; /* i64 */
    unsigned group, n_lanes;
    bool is_one; /* all lanes go to one place */
    unsigned bytes;
};

static LLVMValueRef
ctx_number(struct ls_vf *vf, size_t offset)
{
    LLVMValueRef load = ls_vf_ctx_load(vf, offset, vf->i64, "");

    LLVMSetVolatile(load, true); /* ctx->access and ctx->row may change it */
    return load;
}

/* The lanes of a group that are on; NULL: all. */
static LLVMValueRef
group_mask(struct ls_vf *vf, const struct row *r)
{
    LLVMValueRef index[64];

    if (!vf->mask || r->n_lanes == vf->n_lanes)
        return vf->mask;
    for (unsigned l = 0; l < r->n_lanes; l++)
        index[l] = LLVMConstInt(vf->i32, r->group * r->n_lanes + l, false);
    return LLVMBuildShuffleVector(vf->b, vf->mask, LLVMGetUndef(LLVMTypeOf(vf->mask)),
                                  LLVMConstVector(index, r->n_lanes), "");
}

/* Where the bytes about the row lie, and whether they are there at all. */
static LLVMValueRef
find_bytes(struct ls_vf *vf, const struct row *r, LLVMValueRef *is_there)
{
    LLVMValueRef off, n;

    if (r->site->space == LS_CHECK_ANYWHERE) {
        off = B_SUB(r->first, ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, arena), vf->i64, ""));
        *is_there = B_ICMP(ULT, off, B_INT(off, LS_CHECK_ARENA_BYTES - r->bytes));
        return B_ADD(r->first, B_INT(off, LS_CHECK_WRITTEN_AT));
    }
    off = r->first;
    n = ls_lower_llvm2(vf, "llvm.usub.sat", ctx_number(vf, offsetof(struct ls_cpu_ctx, lds_bytes)),
                       B_INT(off, r->bytes - 1));
    *is_there = B_AND(B_ICMP(ULT, off, n),
                      B_ICMP(EQ, ctx_number(vf, offsetof(struct ls_cpu_ctx, lds_block)),
                             ctx_number(vf, offsetof(struct ls_cpu_ctx, cur_block))));
    return B_ADD(off, ctx_number(vf, offsetof(struct ls_cpu_ctx, lds_written)));
}

static LLVMValueRef
spare(struct ls_vf *vf, const struct row *r)
{
    LLVMValueRef at = ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, spare), vf->i64, "");

    return r->site->kind == LS_CHECK_LOAD ? at : B_ADD(at, B_INT(at, LS_CHECK_SPARE_BYTES / 2));
}

static LLVMTypeRef
type_of(struct ls_vf *vf, unsigned bytes, unsigned n)
{
    return LLVMVectorType(LLVMIntTypeInContext(vf->llvm, 8 * bytes), n);
}

static LLVMValueRef
ones(LLVMTypeRef type)
{
    LLVMValueRef all[LS_CHECK_SPARE_BYTES / 2];
    unsigned n = LLVMGetVectorSize(type);

    for (unsigned i = 0; i < n; i++)
        all[i] = LLVMConstInt(LLVMGetElementType(type), 0x0101010101010101u, false);
    return LLVMConstVector(all, n);
}

static LLVMValueRef
test_load(struct ls_vf *vf, const struct row *r, LLVMValueRef at)
{
    LLVMTypeRef type = type_of(vf, 1, r->bytes);
    LLVMValueRef v = LLVMBuildLoad2(vf->b, type, at, ""), bad;

    LLVMSetAlignment(v, 1);
    bad = LLVMBuildICmp(vf->b, LLVMIntNE, v, ones(type), "");
    bad = LLVMBuildBitCast(vf->b, bad, LLVMIntTypeInContext(vf->llvm, r->bytes), "");
    return LLVMBuildICmp(vf->b, LLVMIntNE, bad, LLVMConstNull(LLVMTypeOf(bad)), "");
}

static void
note_store(struct ls_vf *vf, const struct row *r, LLVMValueRef at, LLVMValueRef mask)
{
    LLVMTypeRef type = mask ? type_of(vf, r->site->bytes, r->n_lanes) : type_of(vf, 1, r->bytes);

    if (mask) {
        LLVMValueRef args[4] = {ones(type), at, LLVMConstInt(vf->i32, 1, false), mask};
        LLVMTypeRef overload[2] = {type, LLVMTypeOf(at)};

        ls_vf_llvm(vf, "llvm.masked.store", overload, 2, args, 4);
    } else {
        LLVMSetAlignment(LLVMBuildStore(vf->b, ones(type), at), 1);
    }
}

/* i1: it must be looked at. */
static LLVMValueRef
test_row(struct ls_vf *vf, const struct row *r)
{
    LLVMValueRef is_there, mask = NULL, at, bytes = find_bytes(vf, r, &is_there);
    LLVMValueRef not_there = LLVMBuildNot(vf->b, is_there, ""); /* it may be shared memory */

    if (r->site->kind == LS_CHECK_STORE)
        mask = group_mask(vf, r);
    if (mask && r->is_one) {
        is_there = B_AND(is_there, ls_vf_any(vf, mask));
        mask = NULL;
    }
    at = LLVMBuildIntToPtr(vf->b, LLVMBuildSelect(vf->b, is_there, bytes, spare(vf, r), ""),
                           vf->ptr, "");
    if (r->site->kind == LS_CHECK_LOAD)
        return test_load(vf, r, at);
    note_store(vf, r, at, mask);
    return not_there;
}

/* Masks are of lanes. */
static bool
fits(const struct ls_check_site *site, unsigned group)
{
    return site->bytes * group <= LS_CHECK_SPARE_BYTES / 2 && site->bytes <= 8 &&
           !(site->bytes & (site->bytes - 1));
}

bool
ls_lower_init(struct ls_vf *vf, const struct ls_check_site *site, const struct ls_val *val,
              LLVMValueRef *bad)
{
    const struct ls_shape *shape = val->shape;

    *bad = NULL;
    if (!fits(site, shape->group))
        return false;
    for (unsigned g = 0; g < ls_vf_groups(vf, shape); g++) {
        uint32_t lanes = ls_lower_check_row(site, shape, g);
        struct row r = {.site = site,
                        .first = ls_lower_check_first(vf, val, g),
                        .group = g,
                        .n_lanes = shape->group,
                        .is_one = lanes >> 16,
                        .bytes = site->bytes * (lanes >> 16 ? 1 : shape->group)};
        LLVMValueRef one = test_row(vf, &r);

        *bad = *bad && one ? B_OR(*bad, one) : one ? one : *bad;
    }
    return true;
}
