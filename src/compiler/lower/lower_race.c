/* SPDX-License-Identifier: MIT */
/* What code made with LS_CHECK_RACE decides by itself: barriers of blocks that nothing else orders
 * are counted, and reads of words that others read, too, need not be told (struct
 * ls_check_quick). */
#include <stddef.h>

#include "base/check_site.h"
#include "device/cpu/kernel_abi.h"
#include "lower/lower_priv.h"

enum { LINE_WORDS = LS_CHECK_LINE_BYTES / 4 };

/* Volatile, as ctx->row changes it and says nothing of that to LLVM. */
static LLVMValueRef
load(struct ls_vf *vf, LLVMTypeRef type, LLVMValueRef from, uint64_t offset)
{
    LLVMValueRef by = LLVMConstInt(vf->i64, offset, false), v;

    v = LLVMBuildLoad2(vf->b, type, LLVMBuildInBoundsGEP2(vf->b, vf->i8, from, &by, 1, ""), "");
    LLVMSetVolatile(v, true);
    return v;
}

static LLVMValueRef
quick_of(struct ls_vf *vf)
{
    return load(vf, vf->ptr, vf->ctx, offsetof(struct ls_cpu_ctx, quick));
}

static LLVMValueRef
quick_number(struct ls_vf *vf, LLVMValueRef quick, size_t offset)
{
    return load(vf, vf->i64, quick, offset);
}

static LLVMValueRef
is_simple(struct ls_vf *vf, LLVMValueRef quick)
{
    return B_ICMP(EQ, quick_number(vf, quick, offsetof(struct ls_check_quick, simple)),
                  load(vf, vf->i64, vf->ctx, offsetof(struct ls_cpu_ctx, cur_block)));
}

/* The warp's count of barriers. */
static LLVMValueRef
passed_at(struct ls_vf *vf, LLVMValueRef quick)
{
    LLVMValueRef warp = load(vf, vf->i32, vf->ctx, offsetof(struct ls_cpu_ctx, cur_warp)), at;

    at = B_ADD(B_MUL(B_ZEXT(warp, vf->i64), LLVMConstInt(vf->i64, sizeof(uint32_t), false)),
               LLVMConstInt(vf->i64, offsetof(struct ls_check_quick, passed), false));
    return LLVMBuildInBoundsGEP2(vf->b, vf->i8, quick, &at, 1, "passed");
}

void
ls_lower_race_barrier(struct ls_vf *vf, LLVMBasicBlockRef count, LLVMBasicBlockRef tell)
{
    LLVMValueRef quick = quick_of(vf), at, n;

    LLVMBuildCondBr(vf->b, is_simple(vf, quick), count, tell);
    LLVMPositionBuilderAtEnd(vf->b, count);
    at = passed_at(vf, quick);
    n = load(vf, vf->i32, at, 0);
    LLVMSetVolatile(LLVMBuildStore(vf->b, B_ADD(n, LLVMConstInt(vf->i32, 1, false)), at), true);
}

/* A row of words that reads go to. */
struct words {
    LLVMValueRef off;   /* i64: of the first byte in the arena or in shared memory */
    LLVMValueRef lines; /* i64: about the first line of these */
    LLVMValueRef when;  /* i64: since when words are known (struct ls_check_quick) */
    LLVMValueRef is_in; /* i1: all of it is there */
};

/* Bits that differ from what they are if all words in `mask`, i64, of one line are known; any: i1,
 * there are such. */
static LLVMValueRef
missing(struct ls_vf *vf, LLVMValueRef at, unsigned line, LLVMValueRef when, LLVMValueRef mask,
        LLVMValueRef any)
{
    LLVMValueRef high = LLVMConstInt(vf->i64, 0xffffffff00000000u, false),
                 known = load(vf, vf->i64, at, line * LS_CHECK_LINE_BYTES + LS_CHECK_READERS_AT);

    if (any)
        high = B_SEL(any, high, LLVMConstInt(vf->i64, 0, false));
    return B_XOR(B_AND(B_XOR(known, when), B_OR(mask, high)), mask);
}

static LLVMValueRef
test_words(struct ls_vf *vf, const struct words *w, unsigned first_word, unsigned n)
{
    LLVMValueRef off = B_ADD(w->off, LLVMConstInt(vf->i64, 4 * first_word, false)), spare, at, bits,
                 low, high, bad, zero = LLVMConstInt(vf->i64, 0, false);

    spare = load(vf, vf->i64, vf->ctx, offsetof(struct ls_cpu_ctx, spare));
    at = B_ADD(w->lines, B_AND(off, LLVMConstInt(vf->i64, ~(LS_CHECK_LINE_BYTES - 1ull), false)));
    at = LLVMBuildIntToPtr(vf->b, B_SEL(w->is_in, at, spare), vf->ptr, "");
    bits = B_SHL(LLVMConstInt(vf->i64, n < 32 ? (1u << n) - 1 : 0xffffffffu, false),
                 B_AND(B_LSHR(off, LLVMConstInt(vf->i64, 2, false)),
                       LLVMConstInt(vf->i64, LINE_WORDS - 1, false)));
    low = B_AND(bits, LLVMConstInt(vf->i64, 0xffffffffu, false));
    high = B_LSHR(bits, LLVMConstInt(vf->i64, 32, false));
    bad = missing(vf, at, 0, w->when, low, NULL);
    if (n > 1)
        bad = B_OR(bad, missing(vf, at, 1, w->when, high, B_ICMP(NE, high, zero)));
    return B_ICMP(NE, bad, zero);
}

LLVMValueRef
ls_lower_race_reads(struct ls_vf *vf, const struct ls_check_site *site, LLVMValueRef first,
                    unsigned n_words)
{
    LLVMValueRef quick = quick_of(vf), bad = NULL,
                 n = LLVMConstInt(vf->i64, 4 * n_words - 1, false);
    struct words w = {.off = first};

    if (site->space == LS_CHECK_LDS) {
        LLVMValueRef room = quick_number(vf, quick, offsetof(struct ls_check_quick, lds_bytes));
        LLVMValueRef when = load(vf, vf->i32, quick, offsetof(struct ls_check_quick, lds_reading));

        when = B_ADD(when, load(vf, vf->i32, passed_at(vf, quick), 0));
        w.when = B_SHL(B_ZEXT(when, vf->i64), LLVMConstInt(vf->i64, 32, false));
        w.lines = quick_number(vf, quick, offsetof(struct ls_check_quick, lines));
        w.is_in = B_AND(B_ICMP(ULT, first, ls_lower_llvm2(vf, "llvm.usub.sat", room, n)),
                        is_simple(vf, quick));
    } else {
        LLVMValueRef arena = ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, arena), vf->i64, "");

        w.off = B_SUB(first, arena);
        w.when = quick_number(vf, quick, offsetof(struct ls_check_quick, reading));
        w.lines = B_ADD(arena, LLVMConstInt(vf->i64, LS_CHECK_TOUCHED_AT, false));
        w.is_in = B_ICMP(
            ULT, w.off, LLVMConstInt(vf->i64, LS_CHECK_ARENA_BYTES - 4 * (uint64_t)n_words, false));
    }
    for (unsigned at = 0; at < n_words; at += LINE_WORDS) {
        unsigned part = n_words - at < LINE_WORDS ? n_words - at : LINE_WORDS;
        LLVMValueRef one = test_words(vf, &w, at, part);

        bad = bad ? B_OR(bad, one) : one;
    }
    if (site->align < 4)
        bad = B_OR(bad, B_ICMP(NE, B_AND(first, LLVMConstInt(vf->i64, 3, false)),
                               LLVMConstInt(vf->i64, 0, false)));
    return bad;
}
