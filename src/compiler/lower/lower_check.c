/* SPDX-License-Identifier: MIT */
/* Tests of accesses: the marks of ir/checks.c. Where all lanes go to what their site's window
 * shows, or stay within the variable, the test is a few instructions; else all lanes' places are
 * written down and ctx->access looks at them. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/check_site.h"
#include "compiler/ir/ir.h"
#include "device/cpu/kernel_abi.h"
#include "lower/lower_priv.h"

#define SITES "ls.check.sites"

enum { MOST_ROWS = 4 }; /* that an access is told as */

/* All sites and their texts, as one table in the code. */
static LLVMValueRef
make_table(struct ls_vf *vf)
{
    struct ls_cc *cc = vf->cc;
    size_t bytes = cc->n_checks * sizeof(struct ls_check_site), at = bytes;
    LLVMValueRef table;
    char *text;

    for (size_t i = 0; i < cc->n_checks; i++) {
        bytes += cc->checks[i].variable ? strlen(cc->checks[i].variable) + 1 : 0;
        bytes += cc->checks[i].trace ? strlen(cc->checks[i].trace) + 1 : 0;
    }
    text = ls_arena_alloc(cc->arena, bytes);
    for (size_t i = 0; i < cc->n_checks; i++) {
        const char *const texts[2] = {cc->checks[i].variable, cc->checks[i].trace};
        struct ls_check_site site = cc->checks[i].site;
        int32_t *const fields[2] = {&site.variable, &site.trace};

        for (unsigned k = 0; k < 2; k++) {
            if (!texts[k])
                continue;
            *fields[k] = (int32_t)(at - i * sizeof(site));
            strcpy(text + at, texts[k]);
            at += strlen(texts[k]) + 1;
        }
        memcpy(text + i * sizeof(site), &site, sizeof(site));
    }
    LLVMValueRef data = LLVMConstStringInContext(cc->llvm, text, (unsigned)bytes, true);
    table = LLVMAddGlobalInAddressSpace(vf->mod, LLVMTypeOf(data), SITES, 0);
    LLVMSetInitializer(table, data);
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMInternalLinkage);
    LLVMSetAlignment(table, 8);
    return table;
}

LLVMValueRef
ls_lower_site(struct ls_vf *vf, size_t number)
{
    LLVMValueRef table = LLVMGetNamedGlobal(vf->mod, SITES),
                 at = LLVMConstInt(vf->i64, number * sizeof(struct ls_check_site), false);

    return LLVMBuildInBoundsGEP2(vf->b, vf->i8, table ? table : make_table(vf), &at, 1, "site");
}

/* A field of the site's window. Volatile, as ctx->access writes it and says nothing of that to
 * LLVM. */
static LLVMValueRef
window_field(struct ls_vf *vf, unsigned slot, size_t field)
{
    LLVMValueRef windows =
        ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, windows), vf->ptr, "windows");
    LLVMValueRef at =
        LLVMConstInt(vf->i64, slot * sizeof(struct ls_check_window) + field, false);
    LLVMValueRef load = LLVMBuildLoad2(
        vf->b, vf->i64, LLVMBuildInBoundsGEP2(vf->b, vf->i8, windows, &at, 1, ""), "");

    LLVMSetVolatile(load, true);
    return load;
}

/* How many starts an access of so many bytes has in a room. */
static LLVMValueRef
n_starts(struct ls_vf *vf, LLVMValueRef room, uint64_t bytes)
{
    return ls_lower_llvm2(vf, "llvm.usub.sat", room, B_INT(room, bytes - 1));
}

/* Integers `at` of any form, which may be from `first` on to `n` starts. */
static LLVMValueRef
is_outside(struct ls_vf *vf, LLVMValueRef at, LLVMValueRef first, LLVMValueRef n)
{
    LLVMTypeRef type = LLVMTypeOf(at);

    return B_ICMP(UGE, B_SUB(at, ls_lower_splat_to(vf, type, first)),
                  ls_lower_splat_to(vf, type, n));
}

/* The same, or misaligned. */
static LLVMValueRef
is_bad(struct ls_vf *vf, const struct ls_check_site *site, LLVMValueRef at, LLVMValueRef base,
       LLVMValueRef n)
{
    LLVMValueRef bad = is_outside(vf, at, base, n), low;

    if (site->align <= 1)
        return bad;
    low = B_AND(at, B_INT(at, site->align - 1));
    return B_OR(bad, B_ICMP(NE, low, LLVMConstNull(LLVMTypeOf(low))));
}

/* A group's lanes lie between the lowest and the highest one, `low` and `high` away from the first.
 * False: some are misaligned if others are not. */
static bool
group_span(const struct ls_check_site *site, const struct ls_shape *shape, unsigned g, int64_t *low,
           int64_t *high)
{
    *low = *high = 0;
    for (unsigned l = 0; shape->offset && l < shape->group; l++) {
        int64_t o = shape->offset[g * shape->group + l];

        *low = o < *low ? o : *low;
        *high = o > *high ? o : *high;
        if (o & (site->align - 1))
            return false;
    }
    return true;
}

/* i1: some lane of a grouped value may go wrong, which may go to `room` bytes from `base` on. */
static LLVMValueRef
test_groups(struct ls_vf *vf, const struct ls_check_site *site, const struct ls_val *val,
            LLVMValueRef base, LLVMValueRef room)
{
    LLVMTypeRef type = LLVMTypeOf(base);
    LLVMValueRef bad = NULL;

    for (unsigned g = 0; g < ls_vf_groups(vf, val->shape); g++) {
        LLVMValueRef first = val->base[g], one;
        int64_t low, high;

        if (!group_span(site, val->shape, g, &low, &high))
            return LLVMConstInt(vf->i1, 1, false); /* looked at lane by lane */
        if (LLVMGetTypeKind(LLVMTypeOf(first)) == LLVMPointerTypeKind)
            first = LLVMBuildPtrToInt(vf->b, first, type, "");
        first = B_ADD(first, LLVMConstInt(type, (uint64_t)low, true));
        one =
            is_bad(vf, site, first, base, n_starts(vf, room, (uint64_t)(high - low) + site->bytes));
        bad = bad ? B_OR(bad, one) : one;
    }
    return bad;
}

/* The same of any value. */
static LLVMValueRef
test_places(struct ls_vf *vf, const struct ls_check_site *site, LLVMValueRef where,
            LLVMValueRef base, LLVMValueRef room)
{
    struct ls_val *val = ls_vf_val(vf, where);
    LLVMValueRef at, bad;

    if (val->shape->kind == LS_SHAPE_GROUPED && !val->ok)
        return test_groups(vf, site, val, base, room);
    at = ls_vf_wide(vf, val);
    if (LLVMGetTypeKind(ls_lanes_elem(LLVMTypeOf(at))) == LLVMPointerTypeKind)
        at = LLVMBuildPtrToInt(vf->b, at, LLVMVectorType(vf->i64, vf->n_lanes), "");
    bad = is_bad(vf, site, at, base, n_starts(vf, room, site->bytes));
    return ls_vf_any(vf, vf->mask ? B_AND(bad, vf->mask) : bad);
}

static LLVMValueRef
test_addresses(struct ls_vf *vf, const struct ls_check_site *site, LLVMValueRef pointer)
{
    return test_places(vf, site, pointer,
                       window_field(vf, site->slot, offsetof(struct ls_check_window, base)),
                       window_field(vf, site->slot, offsetof(struct ls_check_window, bytes)));
}

/* i1: some lane does not go to memory of which nothing needs to be told. */
static LLVMValueRef
test_free(struct ls_vf *vf, const struct ls_check_site *site, LLVMValueRef pointer)
{
    unsigned slot = LS_CHECK_SLOTS + site->slot;
    struct ls_check_site any = *site;

    if (!(vf->cc->opt->checks & LS_CHECK_MEMORY))
        any.align = 1;
    return test_places(vf, &any, pointer,
                       window_field(vf, slot, offsetof(struct ls_check_window, base)),
                       window_field(vf, slot, offsetof(struct ls_check_window, bytes)));
}

/* Offsets in shared memory or in a variable. */
static LLVMValueRef
test_offsets(struct ls_vf *vf, const struct ls_check_site *site, LLVMValueRef where)
{
    LLVMTypeRef type = ls_vf_host_type(vf, LLVMTypeOf(where));
    LLVMValueRef room = LLVMConstInt(type, site->room, false);

    if (!site->room)
        room = LLVMBuildIntCast2(
            vf->b, ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, lds_bytes), vf->i64, ""), type,
            false, "");
    return test_places(vf, site, where, LLVMConstInt(type, site->from, false), room);
}

/* Numbers, of which none but 0 is expected. */
static LLVMValueRef
test_numbers(struct ls_vf *vf, LLVMValueRef numbers)
{
    LLVMValueRef wide = ls_vf_vector(vf, numbers),
                 bad = B_ICMP(NE, wide, LLVMConstNull(LLVMTypeOf(wide)));

    return ls_vf_any(vf, vf->mask ? B_AND(bad, vf->mask) : bad);
}

static LLVMValueRef
all_places(struct ls_vf *vf, LLVMValueRef where)
{
    LLVMTypeRef type = LLVMVectorType(vf->i64, vf->n_lanes);
    LLVMValueRef wide = ls_vf_vector(vf, where);

    return LLVMGetTypeKind(ls_lanes_elem(LLVMTypeOf(wide))) == LLVMPointerTypeKind
               ? LLVMBuildPtrToInt(vf->b, wide, type, "")
           : ls_lanes_bits(LLVMTypeOf(wide)) < 64 ? B_ZEXT(wide, type)
                                                  : wide;
}

static void
call_access(struct ls_vf *vf, size_t number, LLVMValueRef where, LLVMValueRef n_bytes)
{
    LLVMTypeRef types[4] = {vf->ptr, vf->ptr, vf->ptr, vf->i64},
                fn_type = LLVMFunctionType(vf->voidt, types, 4, false);
    LLVMValueRef places = all_places(vf, where), second = LLVMConstInt(vf->i64, 1, false);

    if (!vf->check_places)
        vf->check_places = ls_vf_temp(vf, LLVMArrayType2(LLVMTypeOf(places), 2), "places");
    LLVMValueRef args[4] = {vf->ctx, ls_lower_site(vf, number), vf->check_places,
                            ls_vf_mask_bits(vf)};
    LLVMValueRef fn = ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, access), vf->ptr, "access");

    LLVMBuildStore(vf->b, places, vf->check_places);
    if (n_bytes)
        LLVMBuildStore(
            vf->b, all_places(vf, n_bytes),
            LLVMBuildInBoundsGEP2(vf->b, LLVMTypeOf(places), vf->check_places, &second, 1, ""));
    LLVMBuildCall2(vf->b, fn_type, fn, args, 4, "");
}

/* Whether an access's groups of lanes all go to rows of places. */
static bool
is_in_rows(struct ls_vf *vf, const struct ls_check_site *site, const struct ls_val *val)
{
    unsigned n = val->shape->kind == LS_SHAPE_GROUPED ? ls_vf_groups(vf, val->shape) : 0;

    if (!n || n > MOST_ROWS || site->kind >= LS_CHECK_ATOMIC || site->flags & LS_CHECK_SYNCHRONISES)
        return false;
    for (unsigned g = 0; g < n; g++)
        if (!ls_lower_check_row(site, val->shape, g))
            return false;
    return true;
}

/* val: NULL, it is no access. */
static void
call_row(struct ls_vf *vf, size_t number, const struct ls_val *val, unsigned g)
{
    static const struct ls_shape none = {.group = 64};
    const struct ls_shape *shape = val ? val->shape : &none;
    LLVMTypeRef types[5] = {vf->ptr, vf->ptr, vf->i64, vf->i64, vf->i32},
                fn_type = LLVMFunctionType(vf->voidt, types, 5, false);
    uint64_t lanes = (shape->group < 64 ? ((uint64_t)1 << shape->group) - 1 : UINT64_MAX)
                     << g * shape->group;
    LLVMValueRef args[5] = {
        vf->ctx, ls_lower_site(vf, number),
        val ? ls_lower_check_first(vf, val, g) : LLVMConstInt(vf->i64, 0, false),
        B_AND(ls_vf_mask_bits(vf), LLVMConstInt(vf->i64, lanes, false)),
        LLVMConstInt(vf->i32, ls_lower_check_row(&vf->cc->checks[number].site, shape, g), false)};
    LLVMValueRef fn = ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, row), vf->ptr, "row");

    LLVMBuildCall2(vf->b, fn_type, fn, args, 5, "");
}

/* The checks that an access matters for. */
static unsigned
checks_of(const struct ls_vf *vf, const struct ls_check_site *site)
{
    bool is_quiet = site->kind == LS_CHECK_LOAD && site->flags & LS_CHECK_QUIET &&
                    vf->cc->mode == LS_CPU_MODE_BLOCK;

    return vf->cc->opt->checks & ~(is_quiet ? LS_CHECK_RACE : 0u);
}

/* Whether all such accesses are told, right or wrong. */
static bool
is_observed(const struct ls_vf *vf, const struct ls_check_site *site)
{
    return site->kind == LS_CHECK_BARRIER || site->kind == LS_CHECK_FENCE ||
           site->kind == LS_CHECK_END || site->kind == LS_CHECK_MASK ||
           (checks_of(vf, site) & LS_CHECK_OBSERVES && site->kind < LS_CHECK_BARRIER &&
            (site->space == LS_CHECK_ANYWHERE || site->space == LS_CHECK_LDS));
}

/* Branches to `yes`, which is not expected. */
static void
branch_unlikely(struct ls_vf *vf, LLVMValueRef test, LLVMBasicBlockRef yes, LLVMBasicBlockRef no)
{
    static const char name[] = "branch_weights";
    LLVMMetadataRef weights[3] = {LLVMMDStringInContext2(vf->llvm, name, sizeof(name) - 1),
                                  LLVMValueAsMetadata(LLVMConstInt(vf->i32, 1, false)),
                                  LLVMValueAsMetadata(LLVMConstInt(vf->i32, 10000, false))};
    LLVMValueRef branch = LLVMBuildCondBr(vf->b, test, yes, no);

    LLVMSetMetadata(branch, ls_ir_md_kind(vf->cc, "prof"),
                    LLVMMetadataAsValue(vf->llvm, LLVMMDNodeInContext2(vf->llvm, weights, 3)));
}

/* Tells of rows in a branch; if `bad` then it is not expected, and NULL is always. */
static void
tell_rows(struct ls_vf *vf, LLVMValueRef bad, size_t number, const struct ls_val *val)
{
    LLVMBasicBlockRef on = NULL;

    if (bad) {
        LLVMBasicBlockRef from = LLVMGetInsertBlock(vf->b), tell = ls_vf_new_block(vf, "row");

        LLVMPositionBuilderAtEnd(vf->b, tell);
        on = ls_vf_new_block(vf, "told");
        LLVMPositionBuilderAtEnd(vf->b, from);
        branch_unlikely(vf, bad, tell, on);
        LLVMPositionBuilderAtEnd(vf->b, tell);
        vf->nest++;
    }
    for (unsigned g = 0; g < ls_vf_groups(vf, val->shape); g++)
        call_row(vf, number, val, g);
    if (bad) {
        vf->nest--;
        LLVMBuildBr(vf->b, on);
        LLVMPositionBuilderAtEnd(vf->b, on);
    }
}

/* i1: reads in rows must be told of. NULL: all must. */
static LLVMValueRef
test_reads(struct ls_vf *vf, const struct ls_check_site *site, const struct ls_val *val)
{
    unsigned n = ls_vf_groups(vf, val->shape), lanes = val->shape->group;
    LLVMValueRef bad = NULL;

    if (site->kind != LS_CHECK_LOAD || (site->bytes & 3 && lanes * site->bytes & 3) ||
        vf->cc->opt->checks != LS_CHECK_RACE)
        return NULL;
    for (unsigned g = 0; g < n; g++) {
        bool is_one = ls_lower_check_row(site, val->shape, g) >> 16;
        LLVMValueRef one;

        if (is_one && site->bytes & 3)
            return NULL;
        one = ls_lower_race_reads(vf, site, ls_lower_check_first(vf, val, g),
                                  site->bytes * (is_one ? 1 : lanes) / 4);

        bad = bad ? B_OR(bad, one) : one;
    }
    return bad && vf->mask ? B_AND(bad, ls_vf_any(vf, vf->mask)) : bad;
}

/* Tells of rows: where they are none, as an assumption does not hold, of lanes. */
static void
observe_rows(struct ls_vf *vf, size_t number, LLVMValueRef where, const struct ls_val *val)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(vf->b), rows, lanes, on;

    if (!val->ok) {
        tell_rows(vf, test_reads(vf, &vf->cc->checks[number].site, val), number, val);
        return;
    }
    rows = ls_vf_new_block(vf, "rows");
    LLVMPositionBuilderAtEnd(vf->b, rows);
    lanes = ls_vf_new_block(vf, "lanes");
    LLVMPositionBuilderAtEnd(vf->b, lanes);
    on = ls_vf_new_block(vf, "seen");
    LLVMPositionBuilderAtEnd(vf->b, from);
    branch_unlikely(vf, B_NOT(val->ok), lanes, rows);
    vf->nest++;
    LLVMPositionBuilderAtEnd(vf->b, lanes);
    call_access(vf, number, where, NULL);
    LLVMBuildBr(vf->b, on);
    LLVMPositionBuilderAtEnd(vf->b, rows);
    tell_rows(vf, test_reads(vf, &vf->cc->checks[number].site, val), number, val);
    LLVMBuildBr(vf->b, on);
    vf->nest--;
    LLVMPositionBuilderAtEnd(vf->b, on);
}

/* Tells of a barrier to which the last warp comes, as all shared memory may be written by then. */
static void
observe_full(struct ls_vf *vf, size_t number)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(vf->b), tell = ls_vf_new_block(vf, "tell"), on;
    LLVMValueRef warp = ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, cur_warp), vf->i32, ""),
                 n = ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, n_warps), vf->i32, "");

    LLVMSetVolatile(warp, true);
    LLVMPositionBuilderAtEnd(vf->b, tell);
    on = ls_vf_new_block(vf, "passed");
    LLVMPositionBuilderAtEnd(vf->b, from);
    branch_unlikely(vf,
                    B_AND(ls_lower_is_not_full(vf),
                          B_ICMP(EQ, B_ADD(warp, LLVMConstInt(vf->i32, 1, false)), n)),
                    tell, on);
    LLVMPositionBuilderAtEnd(vf->b, tell);
    vf->nest++;
    call_row(vf, number, NULL, 0);
    vf->nest--;
    LLVMBuildBr(vf->b, on);
    LLVMPositionBuilderAtEnd(vf->b, on);
}

/* A barrier of which the checker may only want to know that it was there, or a fence. */
static void
observe_order(struct ls_vf *vf, size_t number)
{
    const struct ls_check_site *site = &vf->cc->checks[number].site;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(vf->b), tell, count, on;

    if (site->kind == LS_CHECK_BARRIER && !(vf->cc->opt->checks & LS_CHECK_RACE)) {
        if (ls_lower_fills(vf->cc))
            observe_full(vf, number);
        return;
    }
    if (site->kind != LS_CHECK_BARRIER || site->flags & LS_CHECK_GRID) {
        call_row(vf, number, NULL, 0);
        return;
    }
    tell = ls_vf_new_block(vf, "tell");
    LLVMPositionBuilderAtEnd(vf->b, tell);
    count = ls_vf_new_block(vf, "count");
    LLVMPositionBuilderAtEnd(vf->b, count);
    on = ls_vf_new_block(vf, "passed");
    LLVMPositionBuilderAtEnd(vf->b, from);
    vf->nest++;
    ls_lower_race_barrier(vf, count, tell);
    LLVMBuildBr(vf->b, on);
    LLVMPositionBuilderAtEnd(vf->b, tell);
    call_row(vf, number, NULL, 0);
    LLVMBuildBr(vf->b, on);
    vf->nest--;
    LLVMPositionBuilderAtEnd(vf->b, on);
}

/* Whether the lane of a byte index, as permutes have it, is not active. */
LLVMValueRef
ls_lower_absent(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMTypeRef type = LLVMVectorType(vf->i64, vf->n_lanes);
    LLVMValueRef lane, there;

    (void)data;
    lane = ls_vf_vector(vf, LLVMGetOperand(call, 0));
    lane = B_AND(B_LSHR(lane, B_INT(lane, 2)), B_INT(lane, vf->n_lanes - 1));
    there = B_LSHR(ls_lower_splat_to(vf, type, ls_vf_mask_bits(vf)), B_ZEXT(lane, type));
    return B_NOT(B_TRUNC(there, LLVMVectorType(vf->i1, vf->n_lanes)));
}

/* Tells of an access in a branch that is not expected. */
static void
access_if(struct ls_vf *vf, LLVMValueRef bad, size_t number, LLVMValueRef where)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(vf->b), wrong = ls_vf_new_block(vf, "check"), on;

    LLVMPositionBuilderAtEnd(vf->b, wrong);
    on = ls_vf_new_block(vf, "checked");
    LLVMPositionBuilderAtEnd(vf->b, from);
    branch_unlikely(vf, bad, wrong, on);
    vf->nest++;
    LLVMPositionBuilderAtEnd(vf->b, wrong);
    call_access(vf, number, where, NULL);
    LLVMBuildBr(vf->b, on);
    vf->nest--;
    LLVMPositionBuilderAtEnd(vf->b, on);
}

/* An access to shared memory of which not all was written. */
static void
look_at_shared(struct ls_vf *vf, size_t number, LLVMValueRef where)
{
    const struct ls_check_site *site = &vf->cc->checks[number].site;
    struct ls_val *val = ls_vf_val(vf, where);
    LLVMValueRef bad;

    if (!ls_lower_init(vf, site, val, &bad)) {
        if (is_in_rows(vf, site, val))
            observe_rows(vf, number, where, val);
        else
            call_access(vf, number, where, NULL);
    } else if (bad) {
        access_if(vf, vf->mask ? B_AND(bad, ls_vf_any(vf, vf->mask)) : bad, number, where);
    }
}

/* This access to shared memory and those of the marks behind it, of which nothing needs to be known
 * once all of that was written. */
static void
observe_shared(struct ls_vf *vf, LLVMValueRef call, size_t first)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(vf->b), look = ls_vf_new_block(vf, "look"), on;
    size_t number = first;

    LLVMPositionBuilderAtEnd(vf->b, look);
    on = ls_vf_new_block(vf, "written");
    LLVMPositionBuilderAtEnd(vf->b, from);
    branch_unlikely(vf, ls_lower_is_not_full(vf), look, on);
    LLVMPositionBuilderAtEnd(vf->b, look);
    vf->nest++;
    for (LLVMValueRef c = call; c; c = ls_lower_next_shared(vf, c, &number))
        look_at_shared(vf, number, LLVMGetOperand(c, 0));
    vf->nest--;
    LLVMBuildBr(vf->b, on);
    LLVMPositionBuilderAtEnd(vf->b, on);
    number = first;
    for (LLVMValueRef c = vf->cc->opt->checks & LS_CHECK_MEMORY ? call : NULL; c;
         c = ls_lower_next_shared(vf, c, &number)) {
        LLVMValueRef where = LLVMGetOperand(c, 0),
                     bad = test_offsets(vf, &vf->cc->checks[number].site, where);

        access_if(vf, vf->mask ? B_AND(bad, ls_vf_any(vf, vf->mask)) : bad, number, where);
    }
}

/* Tells of an access that is observed: all of it, or what the code can't decide. */
static void
observe_all(struct ls_vf *vf, size_t number, LLVMValueRef where, LLVMValueRef n_bytes)
{
    const struct ls_check_site *site = &vf->cc->checks[number].site;
    unsigned checks = checks_of(vf, site);
    struct ls_val *val = site->kind < LS_CHECK_BARRIER ? ls_vf_val(vf, where) : NULL;
    LLVMValueRef bad;

    if (n_bytes || checks & (LS_CHECK_LANES | LS_CHECK_BARRIERS) ||
        (!val && checks & LS_CHECK_SYNC)) {
        call_access(vf, number, where, n_bytes);
    } else if (!val) {
        observe_order(vf, number);
    } else if (checks & LS_CHECK_RACE || !ls_lower_init(vf, site, val, &bad)) {
        if (is_in_rows(vf, site, val))
            observe_rows(vf, number, where, val);
        else
            call_access(vf, number, where, NULL);
    } else {
        if (checks & LS_CHECK_MEMORY) {
            LLVMValueRef outside = site->space == LS_CHECK_ANYWHERE
                                       ? test_addresses(vf, site, where)
                                       : test_offsets(vf, site, where);

            bad = bad ? B_OR(bad, outside) : outside;
        }
        if (bad && vf->mask)
            bad = B_AND(bad, ls_vf_any(vf, vf->mask));
        if (bad)
            access_if(vf, bad, number, where);
    }
}

/* Asks once for memory of which nothing needs to be told, where the code itself looks at the rest.
 */
static void
ask_once(struct ls_vf *vf, size_t number, LLVMValueRef where, LLVMBasicBlockRef on)
{
    unsigned slot = LS_CHECK_SLOTS + vf->cc->checks[number].site.slot;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(vf->b), ask = ls_vf_new_block(vf, "ask"), asked;
    LLVMValueRef base;

    LLVMPositionBuilderAtEnd(vf->b, ask);
    asked = ls_vf_new_block(vf, "asked");
    LLVMPositionBuilderAtEnd(vf->b, from);
    base = window_field(vf, slot, offsetof(struct ls_check_window, base));
    branch_unlikely(vf, B_ICMP(EQ, base, LLVMConstInt(vf->i64, 0, false)), ask, asked);
    LLVMPositionBuilderAtEnd(vf->b, ask);
    call_access(vf, number, where, NULL);
    LLVMBuildBr(vf->b, on);
    LLVMPositionBuilderAtEnd(vf->b, asked);
}

/* The same, but for memory of which nothing needs to be told. */
static void
observe(struct ls_vf *vf, size_t number, LLVMValueRef where, LLVMValueRef n_bytes)
{
    const struct ls_check_site *site = &vf->cc->checks[number].site;
    LLVMBasicBlockRef from, look, on;
    LLVMValueRef bad;

    if (n_bytes || site->kind >= LS_CHECK_BARRIER || site->space != LS_CHECK_ANYWHERE ||
        checks_of(vf, site) & ~(unsigned)(LS_CHECK_MEMORY | LS_CHECK_INIT | LS_CHECK_RACE)) {
        observe_all(vf, number, where, n_bytes);
        return;
    }
    bad = test_free(vf, site, where);
    from = LLVMGetInsertBlock(vf->b);
    look = ls_vf_new_block(vf, "look");
    LLVMPositionBuilderAtEnd(vf->b, look);
    on = ls_vf_new_block(vf, "free");
    LLVMPositionBuilderAtEnd(vf->b, from);
    branch_unlikely(vf, bad, look, on);
    vf->nest++;
    LLVMPositionBuilderAtEnd(vf->b, look);
    if (!(checks_of(vf, site) & LS_CHECK_RACE))
        ask_once(vf, number, where, on);
    observe_all(vf, number, where, n_bytes);
    vf->nest--;
    LLVMBuildBr(vf->b, on);
    LLVMPositionBuilderAtEnd(vf->b, on);
}

/* Counts a site's number down, and tells of the access, or whatever it is, that brings it to 0. */
static void
review(struct ls_vf *vf, size_t number, LLVMValueRef where)
{
    const struct ls_check_site *site = &vf->cc->checks[number].site;
    LLVMValueRef at = LLVMConstInt(vf->i64, site->slot * sizeof(uint32_t), false),
                 numbers =
                     ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, windows), vf->ptr, "numbers"),
                 place = LLVMBuildInBoundsGEP2(vf->b, vf->i8, numbers, &at, 1, ""), left;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(vf->b), turn = ls_vf_new_block(vf, "turn"), on;

    LLVMPositionBuilderAtEnd(vf->b, turn);
    on = ls_vf_new_block(vf, "reviewed");
    LLVMPositionBuilderAtEnd(vf->b, from);
    left = LLVMBuildLoad2(vf->b, vf->i32, place, "left");
    left = B_SUB(left, LLVMConstInt(vf->i32, 1, false));
    LLVMBuildStore(vf->b, left, place);
    branch_unlikely(vf, B_ICMP(EQ, left, LLVMConstInt(vf->i32, 0, false)), turn, on);
    vf->nest++;
    LLVMPositionBuilderAtEnd(vf->b, turn);
    if (site->kind < LS_CHECK_BARRIER)
        call_access(vf, number, where, NULL);
    else
        call_row(vf, number, NULL, 0);
    LLVMBuildBr(vf->b, on);
    vf->nest--;
    LLVMPositionBuilderAtEnd(vf->b, on);
}

void
ls_lower_check_call(struct ls_vf *vf, LLVMValueRef target, LLVMValueRef mask)
{
    LLVMTypeRef types[5] = {vf->ptr, vf->ptr, vf->i64, vf->i64, vf->i32},
                fn_type = LLVMFunctionType(vf->voidt, types, 5, false),
                bits = LLVMIntTypeInContext(vf->llvm, vf->n_lanes);

    if (!vf->check_call)
        return;
    mask = LLVMBuildIntCast2(vf->b, LLVMBuildBitCast(vf->b, mask, bits, ""), vf->i64, false, "");
    LLVMValueRef args[5] = {vf->ctx, ls_lower_site(vf, vf->check_call - 1),
                            LLVMBuildPtrToInt(vf->b, target, vf->i64, ""), mask,
                            LLVMConstInt(vf->i32, 0, false)};

    LLVMBuildCall2(vf->b, fn_type,
                   ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, row), vf->ptr, "row"), args, 5,
                   "");
}

LLVMValueRef
ls_lower_check(struct ls_vf *vf, LLVMValueRef call, long data)
{
    size_t number = strtoul(ls_lower_callee_name(call) + strlen(LS_FN_CHECK), NULL, 10);
    const struct ls_check_site *site = &vf->cc->checks[number].site;
    LLVMValueRef where = LLVMGetOperand(call, 0),
                 n_bytes = LLVMGetNumArgOperands(call) > 1 ? LLVMGetOperand(call, 1) : NULL;

    (void)data;
    if (vf->cc->opt->checks & LS_CHECK_REVIEW) {
        if (!n_bytes) /* else it is no single access */
            review(vf, number, where);
        return NULL;
    }
    if (site->kind == LS_CHECK_UNSET && LLVMIsAConstantInt(where) &&
        !LLVMConstIntGetZExtValue(where))
        return NULL;                   /* always written */
    if (site->kind == LS_CHECK_CALL) { /* told by ls_lower_check_call, if at all */
        vf->check_call = number + 1;
        return NULL;
    }
    if (site->kind == LS_CHECK_LOAD && !(checks_of(vf, site) & LS_CHECK_ACCESSES))
        return NULL;
    if (site->kind < LS_CHECK_BARRIER && site->space == LS_CHECK_LDS && !n_bytes &&
        ls_lower_fills(vf->cc)) {
        if (!ls_lower_is_later_shared(vf, call)) /* else told with the first one */
            observe_shared(vf, call, number);
        return NULL;
    }
    if (n_bytes || is_observed(vf, site))
        observe(vf, number, where, n_bytes);
    else
        access_if(vf,
                  site->kind == LS_CHECK_USE || site->kind == LS_CHECK_UNSET
                      ? test_numbers(vf, where)
                  : site->space == LS_CHECK_ANYWHERE ? test_addresses(vf, site, where)
                                                     : test_offsets(vf, site, where),
                  number, where);
    return NULL;
}
