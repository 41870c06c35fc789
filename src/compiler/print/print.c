/* SPDX-License-Identifier: MIT */
/* Analyses as text, one line a fact, in the order of the code: goldens of tests/ir/print say what
 * it looks like. */
#include "compiler/print/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compiler/analysis/access.h"
#include "compiler/analysis/shape_priv.h"
#include "compiler/linear/linear.h"
#include "compiler/intrin/intrinsics.h"
#include "compiler/region/region_priv.h"

static void
print_head(const char *what, LLVMValueRef fn)
{
    size_t len;

    printf("%s of %s\n", what, LLVMGetValueName2(fn, &len));
}

/* A block's number, by which the rest speaks of it, and its name if it has one. */
static void
print_label(unsigned i, LLVMBasicBlockRef bb)
{
    const char *name = LLVMGetBasicBlockName(bb);

    printf("  b%u%s%s%s:", i, *name ? " (" : "", name, *name ? ")" : "");
}

/* ---- Shapes ---- */

/* Offsets of the lanes of a group: a stride, or each of them. */
static void
print_offsets(const struct ls_shape *sh)
{
    int64_t stride = sh->group > 1 ? sh->offset[1] - sh->offset[0] : 0;
    bool even = true;

    for (unsigned l = 2; l < sh->group; l++)
        even &= sh->offset[l] - sh->offset[l - 1] == stride;
    if (even) {
        printf(" stride %" PRId64, stride);
        return;
    }
    printf(" offsets");
    for (unsigned l = 0; l < sh->group; l++)
        printf("%c%" PRId64, l ? ',' : ' ', sh->offset[l] - sh->offset[0]);
}

/* Whether all groups have the same offsets from their bases. Only those of the first group are
 * printed; a remark says if others differ. */
static bool
groups_are_alike(const struct ls_shapes *s, const struct ls_shape *sh)
{
    for (unsigned l = sh->group; l < s->n_lanes; l++)
        if (sh->offset[l] - sh->offset[l / sh->group * sh->group] !=
            sh->offset[l % sh->group] - sh->offset[0])
            return false;
    return true;
}

static void
print_shape(const struct ls_shapes *s, const struct ls_shape *sh)
{
    switch (sh->kind) {
    case LS_SHAPE_NONE:
        printf("none");
        return;
    case LS_SHAPE_VARYING:
        printf("varying");
        return;
    default:
        break;
    }
    if (ls_shape_is_uniform(sh) && sh->group == s->n_lanes)
        printf("uniform");
    else if (sh->group == s->n_lanes)
        printf("one group");
    else
        printf("%u groups of %u", s->n_lanes / sh->group, sh->group);
    if (sh->offset) {
        print_offsets(sh);
        printf("%s", groups_are_alike(s, sh) ? "" : ", groups differ");
    }
    if (sh->align)
        printf(sh->align == LS_N_ALIGNS - 1 ? " base zero" : " base times 2^%u", sh->align);
    printf("%s%s%s", sh->nsw ? " nsw" : "", sh->nuw ? " nuw" : "", sh->assumed ? " assumed" : "");
}

/* The instruction as LLVM writes it, without what only debuggers read. */
static void
print_value(LLVMValueRef v)
{
    char *text = LLVMPrintValueToString(v), *from = text + strspn(text, " "),
         *end = strstr(from, ", !");

    printf("%.*s", end ? (int)(end - from) : (int)strlen(from), from);
    LLVMDisposeMessage(text);
}

void
ls_print_shapes(struct ls_cc *cc, const struct ls_shapes *s)
{
    if (!(cc->print & LS_PRINT_SHAPES))
        return;
    print_head("shapes", s->fn);
    for (unsigned i = 0; i < s->cfg->n_blocks; i++) {
        print_label(i, s->cfg->blocks[i].bb);
        printf("%s%s%s\n", s->join[i] ? " lanes meet" : "",
               s->divergent_exit[i] ? " lanes come in different iterations" : "",
               s->divergent[i] ? " diverges" : "");
        for (LLVMValueRef v = LLVMGetFirstInstruction(s->cfg->blocks[i].bb); v;
             v = LLVMGetNextInstruction(v)) {
            if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVoidTypeKind)
                continue;
            printf("    ");
            print_value(v);
            printf("\n        ");
            print_shape(s, ls_shape_of(s, v));
            printf("\n");
        }
    }
}

/* ---- Linear order ---- */

static void
print_block(const char *what, unsigned block)
{
    if (block == LS_NO_BLOCK)
        printf("%s the end", what);
    else
        printf("%s b%u", what, block);
}

void
ls_print_linear(struct ls_cc *cc, const struct ls_linear *l)
{
    const struct ls_cfg *cfg = l->shapes->cfg;

    if (!(cc->print & LS_PRINT_LINEAR))
        return;
    print_head("linear order", cfg->fn);
    for (unsigned i = 0; i < cfg->n_blocks; i++) {
        const struct ls_linear_block *b = &l->blocks[i];
        unsigned n_next = b->divergent ? (b->loop_test ? 2 : 1) : cfg->blocks[i].n_succs;

        print_label(i, cfg->blocks[i].bb);
        if (b->mask_rep != i)
            printf(" mask of b%u", b->mask_rep);
        else
            printf(" %s mask", i ? "own" : "the entry's");
        if (b->guarded)
            print_block(", nobody here:", b->skip_to);
        if (cfg->blocks[i].loop && cfg->blocks[i].loop->header == i)
            printf(", loop");
        printf("%s", !cfg->blocks[i].n_succs ? ", returns"
                     : b->loop_test          ? ", while any lane:"
                     : b->divergent          ? ", all lanes:"
                                             : ",");
        for (unsigned k = 0; k < n_next && k < 2; k++)
            print_block(k ? (b->loop_test ? " then" : " or") : "", b->next[k]);
        printf("\n");
    }
}

/* ---- Regions ---- */

static const char *
point_name(enum ls_point_kind kind)
{
    switch (kind) {
    case LS_POINT_START:
        return "start";
    case LS_POINT_BARRIER:
        return "barrier";
    case LS_POINT_GRID_SYNC:
        return "grid barrier";
    case LS_POINT_TURN:
        return "turn";
    case LS_POINT_TURN_END:
        return "end of turns";
    case LS_POINT_NONE:
        break;
    }
    return "nothing";
}

void
ls_print_plan(struct ls_cc *cc, const struct ls_plan *plan)
{
    if (!(cc->print & LS_PRINT_PLAN))
        return;
    if (!plan) {
        printf("plan: warps are fibers\n");
        return;
    }
    printf("plan: %u blocks, %u points%s", plan->n_blocks, plan->n_points,
           plan->needs_live ? ", threads may have returned" : "");
    if (plan->n_apart)
        printf(", %u barriers within warps", plan->n_apart);
    printf("\n");
    for (unsigned p = 0; p < plan->n_points; p++) {
        const struct ls_region *r = &plan->regions[p];

        printf("  p%u: %s, region", p, point_name(plan->points[p].kind));
        for (unsigned i = 0; i < r->n; i++)
            printf(" b%u", r->order[i]);
        printf("; then");
        for (unsigned q = 0; q < r->n_next; q++)
            printf(" p%u", r->exits[q]);
        printf("%s\n", r->may_return ? " the end" : "");
    }
    for (unsigned i = 0; i < plan->n_blocks; i++) {
        const struct ls_rblock *b = &plan->blocks[i];

        print_label(i, b->bb);
        for (unsigned k = 0; k < b->n_succs; k++)
            printf(" b%u", b->succ[k]);
        if (b->barrier >= 0)
            printf(" p%d", b->barrier);
        printf("%s%s\n", b->returns ? " returns" : "", b->divergent ? " (diverges)" : "");
    }
}

/* ---- Rows ---- */

void
ls_print_row(struct ls_cc *cc, const struct ls_intrin *row)
{
    if (cc->print & LS_PRINT_ROWS)
        printf("row %s\n", row->name);
}

/* ---- Accesses ---- */

void
ls_print_access(struct ls_cc *cc, const struct ls_access *access, const struct ls_shapes *s,
                bool is_masked)
{
    static const char *const spaces[] = {"generic", "global",   "region",
                                         "lds",     "constant", "private"};
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(access->pointer));

    if (!(cc->print & LS_PRINT_ACCESSES))
        return;
    printf("%s%s%s%s of ", access->is_volatile ? "volatile " : "",
           access->is_atomic ? "atomic " : "", access->reads ? "read" : "",
           access->reads && access->writes ? " and write"
           : access->writes                ? "write"
                                           : "");
    if (access->type)
        printf("%llu bytes", LLVMStoreSizeOfType(cc->device.layout, access->type));
    else if (LLVMIsAConstantInt(access->n_bytes))
        printf("%llu bytes", LLVMConstIntGetZExtValue(access->n_bytes));
    else
        printf("bytes");
    printf(", %s, %s%s: ", space < sizeof(spaces) / sizeof(*spaces) ? spaces[space] : "other",
           ls_shape_uniform(s, access->pointer) ? "one address" : "addresses",
           is_masked ? ", some lanes" : "");
    print_value(access->inst);
    printf("\n");
}
