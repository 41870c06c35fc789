/* SPDX-License-Identifier: MIT */
/* What of the measures is a finding, and what it costs. A cost is in cycles of a multiprocessor,
 * about: a replay in shared memory and a lane that an atomic operation waits for is one, a line of
 * memory two, as the caches give 64 bytes a cycle, and an instruction in double precision 32. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/check_site.h"
#include "front.h"
#include "lsreview.h"

enum { NO_BOUNDS = 1024 /* threads that code without __launch_bounds__ is made for */ };

#define LINE_CYCLES   2.0
#define DOUBLE_CYCLES 32.0
/* What is worth telling. */
#define GOOD_LINES  0.9 /* of the ideal */
#define GOOD_LANES  0.5
#define GOOD_FILLED 0.75 /* lanes that have a thread */
#define MANY_AT_ONE 4.0  /* lanes of an atomic operation at one address */
#define GOOD_WAVES  0.5

bool
is_access(const struct measure *m)
{
    return m->kind < LS_CHECK_BARRIER;
}

const struct ls_bank_model *
model_of(const struct review *r, const struct kernel *k)
{
    if (r->gpu)
        return r->gpu;
    if (k && k->n_codes && ls_bank_model_find(k->codes[0].arch))
        return ls_bank_model_find(k->codes[0].arch);
    return &ls_bank_models[k && k->width == 64 ? LS_BANKS_gfx90a : LS_BANKS_sm_70];
}

const char *
access_words(const struct measure *m, char text[64])
{
    snprintf(text, 64, "%u-bit %s", m->bytes * 8,
             m->kind == LS_CHECK_LOAD    ? "read"
             : m->kind == LS_CHECK_STORE ? "write"
                                         : "atomic operation");
    return text;
}

__attribute__((format(printf, 1, 2))) static char *
words(const char *format, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    return front_must(strdup(text));
}

/* Where comments are looked for: each frame of the trace, as a function may be excused where it is
 * called. */
static enum allowed
said(const struct finding *f)
{
    enum allowed worst = NOT_SAID;

    if (!f->measure && f->at)
        return allowed_at(source_of(f->at->file), f->at->line, f->kind);
    for (size_t i = 0; f->measure && i < f->measure->n_frames; i++) {
        const struct frame *at = &f->measure->frames[i];
        enum allowed one = allowed_at(source_of(at->file), at->line, f->kind);

        if (one == ALLOWED)
            return ALLOWED;
        worst = one == DENIED ? DENIED : worst;
    }
    return worst;
}

/* The same of another kernel at the same place, as of another instance of a template; or NULL. */
static struct finding *
find_like(const struct review *r, const struct finding *f)
{
    for (size_t i = 0; f->at && i < r->n_found; i++) {
        struct finding *g = &r->found[i];

        if (!strcmp(g->kind, f->kind) && g->kernel != f->kernel && g->at &&
            g->at->line == f->at->line && g->at->column == f->at->column &&
            !strcmp(g->at->file, f->at->file))
            return g;
    }
    return NULL;
}

static void
find(struct review *r, struct finding f)
{
    enum allowed by = said(&f);
    struct finding *like = find_like(r, &f);

    if (by == ALLOWED) {
        r->n_allowed++;
        free(f.message);
        return;
    }
    f.is_claimed = by == DENIED;
    if (like) { /* the more expensive one's words stand for both */
        double cost = like->cost + f.cost;
        unsigned n = like->n_like + 1;

        if (f.cost > like->most) {
            f.most = f.cost;
            *like = f;
        }
        like->cost = cost;
        like->n_like = n;
        return;
    }
    f.most = f.cost;
    r->found = front_must(realloc(r->found, (r->n_found + 1) * sizeof(*r->found)));
    r->found[r->n_found++] = f;
}

/* ---- Accesses ---- */

static double
per(uint64_t n, const struct measure *m)
{
    return (double)n / (double)m->executions;
}

const struct frame *
place_of(const struct measure *m)
{
    for (size_t i = 0; i < m->n_frames; i++)
        if (!strstr(m->frames[i].file, "/include/hip/") && !strstr(m->frames[i].file, "/__clang_"))
            return &m->frames[i];
    return m->n_frames ? &m->frames[0] : NULL;
}

static struct finding
about(const char *kind, const struct review *r, const struct measure *m, double cost)
{
    return (struct finding){.kind = kind,
                            .kernel = find_kernel(&r->m, m->kernel),
                            .measure = m,
                            .at = place_of(m),
                            .cost = cost};
}

/* How far the places of neighbouring lanes are apart, where all are equally far; else 0. */
static int64_t
stride_of(const struct measure *m)
{
    int64_t stride = 0;

    for (uint64_t left = m->mask & m->mask >> 1; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        int64_t one = (int64_t)(m->places[lane + 1] - m->places[lane]);

        if (stride && one != stride)
            return 0;
        stride = one;
    }
    return stride;
}

static void
judge_memory(struct review *r, const struct measure *m)
{
    int64_t stride = stride_of(m);
    char what[64], apart[64] = "";
    struct finding f;

    if (stride && stride != (int64_t)m->bytes)
        snprintf(apart, sizeof(apart), "; lanes are %lld bytes apart", (long long)stride);

    if (m->kind == LS_CHECK_ATOMIC) /* counters lie where the data say */
        return;
    if ((double)m->ideal_lines < GOOD_LINES * (double)m->lines) {
        f = about("memory/lines", r, m, (double)(m->lines - m->ideal_lines) * LINE_CYCLES);
        f.message =
            words("%s: a warp touches %.3g lines of %d bytes, %.3g would do: efficiency "
                  "%.3g%%, of sectors of %d bytes %.3g%%%s",
                  access_words(m, what), per(m->lines, m), LINE_BYTES, per(m->ideal_lines, m),
                  100.0 * (double)m->ideal_lines / (double)m->lines, SECTOR_BYTES,
                  100.0 * (double)m->ideal_sectors / (double)m->sectors, apart);
        f.why =
            "neighbouring threads should go to neighbouring places, from the start of a line on";
        find(r, f);
    } else if (m->bytes < 4 && m->lanes > 2 * m->executions) {
        f = about("memory/narrow", r, m, (double)m->executions);
        f.message = words("%s: a warp moves %.3g bytes with an instruction, 128 or more would do",
                          access_words(m, what), (double)m->bytes * per(m->lanes, m));
        f.why = "32, 64 or 128 bits a thread, as of a vector of such elements, need fewer "
                "instructions";
        find(r, f);
    }
}

static void
judge_shared(struct review *r, const struct measure *m)
{
    const struct ls_bank_model *model = model_of(r, find_kernel(&r->m, m->kernel));
    size_t i = (size_t)(model - ls_bank_models);
    char what[64];

    if (m->cycles[i] <= m->ideal_cycles[i])
        return;
    struct finding f = about("shared/conflicts", r, m, (double)(m->cycles[i] - m->ideal_cycles[i]));
    f.message = words("%s of shared memory: up to %u-way bank conflicts, %.3g cycles in place of "
                      "%.3g (%s)",
                      access_words(m, what), m->degree[i], per(m->cycles[i], m),
                      per(m->ideal_cycles[i], m), model->name);
    f.why =
        "another stride, as by a column of padding, or an exclusive-or of row and column, spreads "
        "the places over the banks";
    find(r, f);
}

static void
judge_atomic(struct review *r, const struct measure *m)
{
    char what[64];
    struct finding f;

    if (m->kind != LS_CHECK_ATOMIC || per(m->same, m) < MANY_AT_ONE)
        return;
    f = about("atomics/contended", r, m, (double)(m->same - m->executions));
    f.message =
        words("%s%s: %.3g lanes of a warp go to one address, one after the other",
              access_words(m, what), m->is_shared ? " of shared memory" : "", per(m->same, m));
    f.why = "a sum over the warp first, or copies of the counter, leave one for each warp";
    find(r, f);
}

/* The share of a kernel's lanes that have a thread: blocks may not fill their last warp. */
static double
filled(const struct kernel *k)
{
    uint64_t threads = k ? (uint64_t)k->block[0] * k->block[1] * k->block[2] : 0;
    uint64_t warps = threads && k->width ? (threads + k->width - 1) / k->width : 0;

    return warps ? (double)threads / (double)(warps * k->width) : 1;
}

static void
judge_lanes(struct review *r, const struct measure *m)
{
    double room = (double)m->room * filled(find_kernel(&r->m, m->kernel));
    struct finding f;

    if ((double)m->lanes >= GOOD_LANES * room)
        return;
    f = about("lanes/inactive", r, m,
              (double)m->executions * m->bytes * (1 - (double)m->lanes / room));
    f.message = words("%u instructions, for which %.3g of %.3g lanes of a warp are active",
                      m->bytes, per(m->lanes, m), room / (double)m->executions);
    f.why = "threads that go the same way should be neighbours";
    find(r, f);
}

static void
judge_double(struct review *r, const struct measure *m)
{
    struct finding f =
        about("double/accident", r, m, (double)m->executions * m->bytes * DOUBLE_CYCLES);

    f.message =
        words("%u operations in double precision, of which only single precision is kept: by %s",
              m->bytes, *m->variable ? m->variable : "a conversion");
    f.why = "literals with an f behind them, functions for float";
    find(r, f);
}

/* ---- Kernels ---- */

/* Where a kernel is declared: its function is the last frame of all that is measured of it. */
static const struct frame *
declaration(const struct review *r, const struct kernel *k, bool *has_bounds, bool *is_known)
{
    *has_bounds = *is_known = false;
    for (size_t i = 0; i < r->m.n; i++) {
        const struct measure *m = &r->m.all[i];
        struct frame *at;

        if (strcmp(m->kernel, k->name) != 0 || !m->n_frames)
            continue;
        at = front_must(malloc(sizeof(*at)));
        *at = m->frames[m->n_frames - 1];
        at->line = kernel_line(source_of(at->file), at->function, has_bounds);
        at->column = 0;
        *is_known = at->line != 0;
        return *is_known ? at : &m->frames[m->n_frames - 1];
    }
    return NULL;
}

static void
judge_code(struct review *r, const struct kernel *k, const struct code *c, const struct frame *at)
{
    const struct ls_arch *arch = ls_arch_find(c->arch);
    uint32_t threads = k->block[0] * k->block[1] * k->block[2],
             blocks = threads ? ls_arch_blocks(arch, &c->needs, threads, k->lds_bytes) : 0,
             waves = c->needs.wave ? (threads + c->needs.wave - 1) / c->needs.wave * blocks : 0,
             most = ls_arch_simds(arch, c->needs.is_wgp_mode) * arch->waves;
    struct finding f = {.kernel = k, .at = at};

    if (c->needs.private_bytes || c->vgpr_spills) {
        f.kind = "kernel/scratch";
        f.message = words("%u bytes of scratch memory a thread on %s (%u vector registers spilled)",
                          c->needs.private_bytes, c->arch, c->vgpr_spills);
        f.why = "arrays whose indices are known when it is compiled stay in registers";
        find(r, f);
    }
    if (blocks && most && (double)waves < GOOD_WAVES * (double)most) {
        f.kind = "kernel/occupancy";
        f.message =
            words("%u of %u waves fit on a multiprocessor of %s: %u registers, %llu bytes of "
                  "shared memory, blocks of %u threads",
                  waves, most, c->arch, c->needs.vgprs,
                  (unsigned long long)(c->needs.lds_bytes + k->lds_bytes), threads);
        f.why = NULL;
        find(r, f);
    }
}

/* Lanes without a thread idle through all instructions. */
static void
judge_block(struct review *r, const struct kernel *k, const struct frame *at)
{
    struct finding f = {.kind = "kernel/idle-lanes", .kernel = k, .at = at};
    double idle = 1 - filled(k);

    if (1 - idle >= GOOD_FILLED)
        return;
    for (size_t i = 0; i < r->m.n; i++)
        if (r->m.all[i].kind == LS_CHECK_STEP && !strcmp(r->m.all[i].kernel, k->name))
            f.cost += (double)r->m.all[i].executions * r->m.all[i].bytes * idle;
    f.message =
        words("blocks of %u threads leave %.3g%% of the lanes of their warps, of %u, without "
              "a thread",
              k->block[0] * k->block[1] * k->block[2], 100 * idle, k->width);
    f.why = "blocks of whole warps, as by several small problems in one block";
    find(r, f);
}

static void
judge_kernel(struct review *r, const struct kernel *k)
{
    bool has_bounds, is_known, is_default = k->n_codes == 0;
    const struct frame *at = declaration(r, k, &has_bounds, &is_known);

    for (size_t i = 0; i < k->n_codes; i++)
        is_default |= k->codes[i].needs.max_threads == NO_BOUNDS;
    if (!has_bounds && is_default && (is_known || k->n_codes))
        find(r, (struct finding){
                    .kind = "kernel/launch-bounds",
                    .message = words("no __launch_bounds__, launched with blocks of %u threads",
                                     k->block[0] * k->block[1] * k->block[2]),
                    .why = "the compiler has to leave room for blocks of 1024",
                    .kernel = k,
                    .at = at});
    judge_block(r, k, at);
    for (size_t i = 0; i < k->n_codes; i++)
        judge_code(r, k, &k->codes[i], at);
}

static int
by_cost(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost < y->cost ? 1 : -1;
    if (strcmp(x->kind, y->kind) != 0)
        return strcmp(x->kind, y->kind);
    return x->at && y->at ? (int)x->at->line - (int)y->at->line : 0;
}

void
judge(struct review *r)
{
    for (size_t i = 0; i < r->m.n; i++) {
        const struct measure *m = &r->m.all[i];

        if (!m->executions)
            continue;
        if (m->kind == LS_CHECK_STEP)
            judge_lanes(r, m);
        else if (m->kind == LS_CHECK_DOUBLE)
            judge_double(r, m);
        else if (m->is_shared)
            judge_shared(r, m);
        else
            judge_memory(r, m);
        judge_atomic(r, m);
    }
    for (size_t i = 0; i < r->m.n_kernels; i++)
        judge_kernel(r, &r->m.kernels[i]);
    if (r->n_found)
        qsort(r->found, r->n_found, sizeof(*r->found), by_cost);
}
