/* SPDX-License-Identifier: MIT */
/* Rows of places, of neighbouring lanes; and whether memory was written, tested in the code: for a
 * row, or lanes near to each other, the bytes about them (base/check_site.h) are read or written as
 * one vector; for others they are gathered or scattered. */
#include <stddef.h>

#include "base/check_site.h"
#include "base/isa.h"
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

enum { NEAR_BYTES = 512 };

/* A group of lanes that go to a row of places, or to places near to each other. */
struct row {
    const struct ls_check_site *site;
    LLVMValueRef first;    /* i64: of the lowest one */
    const int64_t *offset; /* of each lane; NULL: it is a row */
    int64_t low;           /* the lowest one's */
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

    return r->site->kind != LS_CHECK_STORE ? at : B_ADD(at, B_INT(at, LS_CHECK_SPARE_BYTES / 2));
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

/* The bytes that lanes near to each other read. */
static LLVMValueRef
bytes_of_lanes(struct ls_vf *vf, const struct row *r)
{
    LLVMValueRef bytes[NEAR_BYTES];

    for (unsigned i = 0; i < r->bytes; i++)
        bytes[i] = LLVMConstInt(vf->i8, 0, false);
    for (unsigned l = 0; l < r->n_lanes; l++)
        for (unsigned i = 0; i < r->site->bytes; i++)
            bytes[r->offset[l] - r->low + i] = LLVMConstInt(vf->i8, 1, false);
    return LLVMConstVector(bytes, r->bytes);
}

/* i1: some lane that is on reads what was not written. */
static LLVMValueRef
test_masked(struct ls_vf *vf, const struct row *r, LLVMValueRef at)
{
    LLVMTypeRef type = type_of(vf, r->site->bytes, r->n_lanes);
    LLVMValueRef v = LLVMBuildLoad2(vf->b, type, at, ""), bad;

    LLVMSetAlignment(v, 1);
    bad = B_AND(LLVMBuildICmp(vf->b, LLVMIntNE, v, ones(type), ""), group_mask(vf, r));
    bad = LLVMBuildBitCast(vf->b, bad, LLVMIntTypeInContext(vf->llvm, r->n_lanes), "");
    return LLVMBuildICmp(vf->b, LLVMIntNE, bad, LLVMConstNull(LLVMTypeOf(bad)), "");
}

static LLVMValueRef
test_load(struct ls_vf *vf, const struct row *r, LLVMValueRef at)
{
    LLVMTypeRef type = type_of(vf, 1, r->bytes);
    LLVMValueRef v = LLVMBuildLoad2(vf->b, type, at, ""), bad;

    LLVMSetAlignment(v, 1);
    if (r->offset) {
        LLVMValueRef wanted = bytes_of_lanes(vf, r);

        bad = LLVMBuildICmp(vf->b, LLVMIntNE, LLVMBuildAnd(vf->b, v, wanted, ""), wanted, "");
        bad = LLVMBuildBitCast(vf->b, bad, LLVMIntTypeInContext(vf->llvm, r->bytes), "");
        return LLVMBuildICmp(vf->b, LLVMIntNE, bad, LLVMConstNull(LLVMTypeOf(bad)), "");
    }
    bad = LLVMBuildICmp(vf->b, LLVMIntNE, v, ones(type), "");
    bad = LLVMBuildBitCast(vf->b, bad, LLVMIntTypeInContext(vf->llvm, r->bytes), "");
    return LLVMBuildICmp(vf->b, LLVMIntNE, bad, LLVMConstNull(LLVMTypeOf(bad)), "");
}

static void
write_ones(struct ls_vf *vf, const struct row *r, LLVMValueRef at, LLVMValueRef mask)
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

/* Most of the time all was written before: what is only read need not come back to memory. */
static void
note_store(struct ls_vf *vf, const struct row *r, LLVMValueRef at, LLVMValueRef mask)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(vf->b), write, on;
    struct row plain = *r;
    LLVMValueRef is_new;

    if (r->site->space == LS_CHECK_LDS) {
        write_ones(vf, r, at, mask);
        return;
    }
    plain.offset = NULL;
    is_new = test_load(vf, &plain, at);
    write = ls_vf_new_block(vf, "new");
    on = ls_vf_new_block(vf, "noted");
    LLVMPositionBuilderAtEnd(vf->b, from);
    LLVMBuildCondBr(vf->b, is_new, write, on);
    LLVMPositionBuilderAtEnd(vf->b, write);
    vf->nest++;
    write_ones(vf, r, at, mask);
    vf->nest--;
    LLVMBuildBr(vf->b, on);
    LLVMPositionBuilderAtEnd(vf->b, on);
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
    if (r->site->kind != LS_CHECK_STORE)
        return vf->mask && !r->is_one && !r->offset ? test_masked(vf, r, at)
                                                    : test_load(vf, r, at);
    note_store(vf, r, at, mask);
    return not_there;
}

/* Masks are of lanes. */
static bool
fits(const struct ls_check_site *site)
{
    return site->bytes <= 8 && !(site->bytes & (site->bytes - 1));
}

/* False: the group is neither a row nor near to each other. */
static bool
find_row(struct ls_vf *vf, const struct ls_check_site *site, const struct ls_val *val, unsigned g,
         struct row *r)
{
    const struct ls_shape *shape = val->shape;
    uint32_t lanes = ls_lower_check_row(site, shape, g);
    const int64_t *o = shape->offset ? shape->offset + (size_t)g * shape->group : NULL;
    int64_t low = o ? o[0] : 0, high = low;

    *r = (struct row){.site = site,
                      .first = ls_lower_check_first(vf, val, g),
                      .group = g,
                      .n_lanes = shape->group,
                      .is_one = lanes >> 16,
                      .bytes = site->bytes * (lanes >> 16 ? 1 : shape->group)};
    if (lanes)
        return r->bytes <= LS_CHECK_SPARE_BYTES / 2;
    for (unsigned l = 0; o && l < shape->group; l++) {
        low = o[l] < low ? o[l] : low;
        high = o[l] > high ? o[l] : high;
    }
    if (site->kind == LS_CHECK_STORE || high - low + site->bytes > NEAR_BYTES)
        return false;
    r->first = B_ADD(r->first, LLVMConstInt(vf->i64, (uint64_t)(low - o[0]), true));
    r->offset = o;
    r->low = low;
    r->bytes = (unsigned)(high - low) + site->bytes;
    return true;
}

/* ---- Lanes that go anywhere ---- */

static LLVMValueRef
splat64(struct ls_vf *vf, LLVMValueRef v)
{
    return ls_lower_splat_to(vf, LLVMVectorType(vf->i64, vf->n_lanes), v);
}

/* Where the bytes about each lane's place lie, <W x ptr>, and in which lanes they are there. */
static LLVMValueRef
find_lanes(struct ls_vf *vf, const struct ls_check_site *site, LLVMValueRef at,
           LLVMValueRef *is_there)
{
    LLVMTypeRef longs = LLVMVectorType(vf->i64, vf->n_lanes);
    LLVMValueRef n;

    if (site->space == LS_CHECK_ANYWHERE) {
        LLVMValueRef arena =
            splat64(vf, ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, arena), vf->i64, ""));

        at = LLVMBuildPtrToInt(vf->b, at, longs, "");
        *is_there = B_ICMP(ULT, B_SUB(at, arena), B_INT(at, LS_CHECK_ARENA_BYTES - site->bytes));
        at = B_ADD(at, B_INT(at, LS_CHECK_WRITTEN_AT));
    } else {
        at = B_ZEXT(at, longs);
        n = ls_lower_llvm2(vf, "llvm.usub.sat",
                           ctx_number(vf, offsetof(struct ls_cpu_ctx, lds_bytes)),
                           LLVMConstInt(vf->i64, site->bytes - 1, false));
        n = B_SEL(B_ICMP(EQ, ctx_number(vf, offsetof(struct ls_cpu_ctx, lds_block)),
                         ctx_number(vf, offsetof(struct ls_cpu_ctx, cur_block))),
                  n, LLVMConstInt(vf->i64, 0, false));
        *is_there = B_ICMP(ULT, at, splat64(vf, n));
        at = B_ADD(at, splat64(vf, ctx_number(vf, offsetof(struct ls_cpu_ctx, lds_written))));
    }
    return LLVMBuildIntToPtr(vf->b, at, LLVMVectorType(vf->ptr, vf->n_lanes), "");
}

static LLVMValueRef
test_lanes(struct ls_vf *vf, const struct ls_check_site *site, struct ls_val *val)
{
    LLVMTypeRef type = type_of(vf, site->bytes, vf->n_lanes);
    LLVMValueRef is_there, at = find_lanes(vf, site, ls_vf_wide(vf, val), &is_there), bad,
                           mask = vf->mask ? B_AND(vf->mask, is_there) : is_there,
                           one = LLVMConstInt(vf->i32, 1, false);

    bad = B_NOT(is_there);
    if (site->space == LS_CHECK_LDS) {
        LLVMValueRef offset = ls_vf_wide(vf, val);

        bad = B_AND(bad, B_ICMP(NE, offset, B_INT(offset, LS_CHECK_NOWHERE)));
    }
    if (site->kind != LS_CHECK_STORE) {
        LLVMValueRef args[4] = {at, one, mask, ones(type)};
        LLVMTypeRef over[2] = {type, LLVMTypeOf(at)};

        bad = B_OR(bad,
                   B_ICMP(NE, ls_vf_llvm(vf, "llvm.masked.gather", over, 2, args, 4), ones(type)));
    } else {
        LLVMValueRef args[4] = {ones(type), at, one, mask};
        LLVMTypeRef over[2] = {type, LLVMTypeOf(at)};

        ls_vf_llvm(vf, "llvm.masked.scatter", over, 2, args, 4);
    }
    return ls_vf_any(vf, vf->mask ? B_AND(bad, vf->mask) : bad);
}

bool
ls_lower_init(struct ls_vf *vf, const struct ls_check_site *site, struct ls_val *val,
              LLVMValueRef *bad)
{
    bool is_grouped =
        val->shape->kind == LS_SHAPE_GROUPED && (!val->ok || site->kind != LS_CHECK_STORE);
    unsigned n = is_grouped ? ls_vf_groups(vf, val->shape) : 0;
    struct row rows[LS_MAX_GROUPS];

    *bad = NULL;
    if (!fits(site))
        return false;
    for (unsigned g = 0; g < n; g++)
        is_grouped = is_grouped && find_row(vf, site, val, g, &rows[g]);
    if (!is_grouped && (!vf->cc->isa->has_masks || site->bytes < 4))
        return false;
    if (!is_grouped)
        *bad = test_lanes(vf, site, val);
    for (unsigned g = 0; is_grouped && g < n; g++) {
        LLVMValueRef one = test_row(vf, &rows[g]);

        *bad = *bad && one ? B_OR(*bad, one) : one ? one : *bad;
    }
    if (is_grouped && val->ok)
        *bad = *bad ? B_OR(*bad, B_NOT(val->ok)) : B_NOT(val->ok);
    return true;
}
