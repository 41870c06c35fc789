/* SPDX-License-Identifier: MIT */
/* Columns of a tile in shared memory. Code that turns a tile around reads its columns, each by a
 * gather. Where neighbouring columns are gathered in straight code, with nothing written to shared
 * memory in between, the rows are loaded as vectors instead, and turned around in registers: a
 * load and log2(n) shuffles for each n elements, and processors make a gather of n loads. Only what
 * is gathered anyway is read. */
#include "host/host.h"

#include "base/isa.h"
#include "base/log.h"
#include "compiler/ir/ir.h"
#include "host/shared.h"

enum {
    MAX_GATHERS = 256, /* of a block */
    LEAST = 4,         /* columns */
    MOST = 16,
};

struct gather {
    LLVMValueRef call, base; /* base: a pointer that the first lane is `first` bytes behind */
    LLVMTypeRef type;
    int64_t first, offset[LS_SHARED_LANES]; /* offset: of the lanes, from the first one */
    struct ls_sum at;                       /* of the first lane */
    unsigned n, bytes, align, stretch; /* elements, bytes of one; nothing is written in a stretch */
    bool done, goes;                   /* goes: nobody uses it any more */
};

struct turner {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    struct ls_shared shared;
    struct gather *gathers;
    unsigned n, stretch;
};

/* ---- What is gathered ---- */

static bool
is_all_on(LLVMValueRef mask, unsigned n)
{
    for (unsigned l = 0; l < n; l++) {
        LLVMValueRef bit = LLVMIsConstant(mask) ? LLVMGetAggregateElement(mask, l) : NULL;

        if (!bit || !LLVMIsAConstantInt(bit) || !LLVMConstIntGetZExtValue(bit))
            return false;
    }
    return true;
}

/* Takes a gather with all lanes on at known distances in shared memory apart; false: it is none. */
static bool
read_gather(const struct turner *t, LLVMValueRef call, struct gather *g)
{
    const char *name = LLVMIsACallInst(call) ? ls_ir_callee_name(call) : NULL;
    LLVMValueRef p = name ? LLVMGetOperand(call, 0) : NULL, index;
    int64_t scale;

    if (!name || !ls_ir_has_prefix(name, "llvm.masked.gather.") || !LLVMIsAGetElementPtrInst(p) ||
        LLVMGetNumOperands(p) != 2)
        return false;
    index = LLVMGetOperand(p, 1);
    *g = (struct gather){.call = call, .base = LLVMGetOperand(p, 0), .type = LLVMTypeOf(call)};
    g->n = LLVMGetVectorSize(g->type);
    g->bytes = (unsigned)LLVMABISizeOfType(t->shared.layout, LLVMGetElementType(g->type));
    g->align = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1));
    g->stretch = t->stretch;
    if (g->n > LS_SHARED_LANES || !LLVMIsConstant(index) ||
        LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMVectorTypeKind ||
        LLVMGetTypeKind(LLVMTypeOf(g->base)) != LLVMPointerTypeKind ||
        LLVMSizeOfTypeInBits(t->shared.layout, LLVMGetElementType(g->type)) != 8ull * g->bytes ||
        !is_all_on(LLVMGetOperand(call, 2), g->n) || !ls_shared_at(&t->shared, g->base, &g->at))
        return false;
    scale = (int64_t)LLVMABISizeOfType(t->shared.layout, LLVMGetGEPSourceElementType(p));
    for (unsigned l = 0; l < g->n; l++) {
        LLVMValueRef k = LLVMGetAggregateElement(index, l);

        if (!k || !LLVMIsAConstantInt(k) || LLVMGetIntTypeWidth(LLVMTypeOf(k)) > 64)
            return false;
        g->offset[l] = LLVMConstIntGetSExtValue(k) * scale;
    }
    g->first = g->offset[0];
    g->at.constant += (uint32_t)g->first;
    for (unsigned l = 0; l < g->n; l++)
        g->offset[l] -= g->first;
    return true;
}

/* Whether b is the column so many elements behind a. */
static bool
is_column(const struct gather *a, const struct gather *b, unsigned behind)
{
    int32_t d;

    if (b->done || b->type != a->type || b->stretch != a->stretch ||
        !ls_sum_distance(&a->at, &b->at, &d) || d != (int32_t)(behind * a->bytes))
        return false;
    for (unsigned l = 0; l < a->n; l++)
        if (a->offset[l] != b->offset[l])
            return false;
    return true;
}

/* ---- Rows instead ---- */

/* Every other element of both vectors, one of each in turn, from the first half or the second. */
static LLVMValueRef
interleave(struct turner *t, LLVMValueRef a, LLVMValueRef b, unsigned n, bool second)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(t->cc->llvm);
    LLVMValueRef lanes[MOST];

    for (unsigned i = 0; i < n; i++)
        lanes[i] = LLVMConstInt(i32, i / 2 + second * n / 2 + i % 2 * n, false);
    return LLVMBuildShuffleVector(t->b, a, b, LLVMConstVector(lanes, n), "");
}

static void
turn_around(struct turner *t, LLVMValueRef *v, unsigned n)
{
    LLVMValueRef out[MOST];

    for (unsigned step = 1; step < n; step *= 2) {
        for (unsigned i = 0; i < n / 2; i++) {
            out[2 * i] = interleave(t, v[i], v[i + n / 2], n, false);
            out[2 * i + 1] = interleave(t, v[i], v[i + n / 2], n, true);
        }
        for (unsigned i = 0; i < n; i++)
            v[i] = out[i];
    }
}

static LLVMValueRef
join(struct turner *t, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(t->cc->llvm);
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(a)) + LLVMGetVectorSize(LLVMTypeOf(b));
    LLVMValueRef lanes[LS_SHARED_LANES];

    LS_ASSERT_FITS(n, LS_SHARED_LANES);
    for (unsigned i = 0; i < n; i++)
        lanes[i] = LLVMConstInt(i32, i, false);
    return LLVMBuildShuffleVector(t->b, a, b, LLVMConstVector(lanes, n), "");
}

/* Builds `m` columns from the first one on, in front of the gather `early`. */
static void
build_columns(struct turner *t, const struct gather *first, const struct gather *early, unsigned m,
              LLVMValueRef *columns)
{
    LLVMTypeRef i8 = LLVMInt8TypeInContext(t->cc->llvm), i64 = LLVMInt64TypeInContext(t->cc->llvm);
    LLVMTypeRef row = LLVMVectorType(LLVMGetElementType(first->type), m);
    LLVMValueRef parts[LS_SHARED_LANES / LEAST][MOST];
    int32_t before = (int32_t)(first->at.constant - early->at.constant);

    LLVMPositionBuilderBefore(t->b, early->call);
    for (unsigned p = 0; p < first->n / m; p++) {
        for (unsigned i = 0; i < m; i++) {
            int64_t at = early->first + before + first->offset[p * m + i];
            LLVMValueRef index = LLVMConstInt(i64, (uint64_t)at, true);

            parts[p][i] =
                LLVMBuildLoad2(t->b, row, LLVMBuildGEP2(t->b, i8, early->base, &index, 1, ""), "");
            LLVMSetAlignment(parts[p][i],
                             early->align < first->bytes ? early->align : first->bytes);
        }
        turn_around(t, parts[p], m);
    }
    for (unsigned n = first->n / m; n > 1; n /= 2)
        for (unsigned p = 0; p < n / 2; p++)
            for (unsigned i = 0; i < m; i++)
                parts[p][i] = join(t, parts[2 * p][i], parts[2 * p + 1][i]);
    for (unsigned i = 0; i < m; i++)
        columns[i] = parts[0][i];
}

/* Replaces `m` gathers of neighbouring columns, from this one on, if there are so many. */
static bool
replace(struct turner *t, struct gather *first, unsigned m)
{
    struct gather *members[MOST], *early = first;
    LLVMValueRef columns[MOST];
    int32_t d;

    if (m > first->n || first->n % m || first->n / m > LS_SHARED_LANES / LEAST)
        return false;
    for (unsigned k = 0; k < m; k++) {
        unsigned i = 0;

        while (i < t->n && !is_column(first, &t->gathers[i], k))
            i++;
        if (i == t->n)
            return false;
        members[k] = &t->gathers[i];
    }
    while (early > t->gathers && early[-1].stretch == first->stretch &&
           ls_sum_distance(&early[-1].at, &first->at, &d))
        early--;
    build_columns(t, first, early, m, columns);
    for (unsigned k = 0; k < m; k++) {
        LLVMReplaceAllUsesWith(members[k]->call, columns[k]);
        members[k]->done = members[k]->goes = true;
    }
    return true;
}

/* The gathers of a block, those of lower addresses first. */
static bool
do_gathers(struct turner *t)
{
    bool changed = false;

    for (;;) {
        struct gather *first = NULL;
        unsigned m;

        for (unsigned i = 0; i < t->n; i++) {
            struct gather *g = &t->gathers[i];

            if (!g->done && (!first || (int32_t)g->at.constant < (int32_t)first->at.constant))
                first = g;
        }
        if (!first)
            break;
        m = t->cc->isa->vector_bits / 8 / first->bytes;
        for (m = m > MOST ? MOST : m; m >= LEAST && !first->done; m /= 2)
            changed |= replace(t, first, m);
        first->done = true;
    }
    for (unsigned i = 0; i < t->n; i++)
        if (t->gathers[i].goes)
            LLVMInstructionEraseFromParent(t->gathers[i].call);
    return changed;
}

bool
ls_host_turn_columns(struct ls_cc *cc, LLVMValueRef fn)
{
    struct turner t = {.cc = cc};
    bool changed = false;

    ls_shared_init(&t.shared, cc, fn);
    if (!t.shared.is_used)
        return false;
    t.gathers = ls_arena_alloc(cc->arena, MAX_GATHERS * sizeof(*t.gathers));
    t.b = LLVMCreateBuilderInContext(cc->llvm);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        t.n = 0;
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            struct ls_shared_access a;

            if (t.n < MAX_GATHERS && read_gather(&t, i, &t.gathers[t.n])) {
                t.n++;
                continue;
            }
            ls_shared_read(&t.shared, &a, i);
            if (a.deed == LS_DEED_STORE || (a.deed == LS_DEED_ANY && a.writes))
                t.stretch++;
        }
        changed |= do_gathers(&t);
    }
    LLVMDisposeBuilder(t.b);
    return changed;
}
