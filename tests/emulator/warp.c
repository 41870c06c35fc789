/* SPDX-License-Identifier: MIT */
/* Warps: blocks of code in order, calls, turns at barriers, a grid. */
#include <sys/mman.h>

#include "call.h"

#define STACK_BYTES   (2u << 20) /* of the interpreter, a warp */
#define SLOTS_BYTES   (1ull << 30) /* of frames, a warp: reserved, not used */
#define PRIVATE_BYTES (256u << 10) /* a lane */
#define MAX_DEPTH     1000

static uint64_t
next_random(struct machine *m)
{
    m->turn ^= m->turn << 13;
    m->turn ^= m->turn >> 7;
    m->turn ^= m->turn << 17;
    return m->turn >> 16;
}

_Noreturn void
emu_fail(struct warp *w, const struct inst *i, const char *format, ...)
{
    va_list ap;
    char *error = w->emu->error;
    int n;

    va_start(ap, format);
    n = vsnprintf(error, 256, format, ap);
    va_end(ap);
    if (i && n >= 0 && n < 250) {
        char *text = LLVMPrintValueToString(i->value);
        snprintf(error + n, 256 - (size_t)n, ": %.200s", text);
        LLVMDisposeMessage(text);
    }
    w->state = WARP_FAILED;
    setcontext(&w->machine->scheduler);
    abort();
}

void
emu_unknown(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    (void)f;
    (void)mask;
    emu_fail(w, i, "without a meaning here");
}

static void
leave(struct warp *w, enum warp_state state)
{
    w->state = state;
    swapcontext(&w->context, &w->machine->scheduler);
}

void
emu_barrier(struct warp *w)
{
    leave(w, WARP_AT_BARRIER);
}

/* ---- Blocks ---- */

static void
take_edge(struct warp *w, struct frame *f, const struct edge *e, uint64_t mask)
{
    u128 few[64], *values = few;

    if (!e->n_copies)
        return;
    if (e->n_slots > 64)
        values = malloc(e->n_slots * sizeof(*values));
    EMU_LANES (l, mask) {
        unsigned at = 0;

        for (unsigned c = 0; c < e->n_copies; c++) {
            struct view v = emu_view(w, f, e->copies[c].src);
            for (unsigned k = 0; k < e->copies[c].n; k++)
                values[at++] = emu_get(v, k, (unsigned)l);
        }
        at = 0;
        for (unsigned c = 0; c < e->n_copies; c++)
            for (unsigned k = 0; k < e->copies[c].n; k++)
                f->regs[(size_t)(e->copies[c].dst + k) * w->lanes + l] = values[at++];
    }
    if (values != few)
        free(values);
}

static void
go(struct warp *w, struct frame *f, const struct edge *e, uint64_t mask, uint64_t *waiting)
{
    if (!mask)
        return;
    take_edge(w, f, e, mask);
    waiting[e->to] |= mask;
}

static void
end_block(struct warp *w, struct frame *f, const struct block *b, uint64_t mask, uint64_t *waiting)
{
    struct view v = emu_view(w, f, b->value);

    switch (b->end) {
    case END_RETURN:
        if (f->result)
            EMU_LANES (l, mask)
                for (unsigned k = 0; k < b->n_value; k++)
                    f->result[(size_t)k * w->lanes + l] = emu_get(v, k, (unsigned)l);
        return;
    case END_BRANCH: {
        uint64_t taken = 0;

        if (b->n_edges == 1) {
            go(w, f, &b->edges[0], mask, waiting);
            return;
        }
        EMU_LANES (l, mask)
            taken |= (uint64_t)(emu_get(v, 0, (unsigned)l) & 1) << l;
        go(w, f, &b->edges[0], taken, waiting);
        go(w, f, &b->edges[1], mask & ~taken, waiting);
        return;
    }
    case END_SWITCH:
        for (unsigned k = 0; k + 1 < b->n_edges && mask; k++) {
            uint64_t taken = 0;
            EMU_LANES (l, mask)
                taken |= (uint64_t)(emu_get(v, 0, (unsigned)l) == b->cases[k]) << l;
            go(w, f, &b->edges[k], taken, waiting);
            mask &= ~taken;
        }
        go(w, f, &b->edges[b->n_edges - 1], mask, waiting);
        return;
    default:
        emu_fail(w, NULL, "%s runs into what cannot be reached", f->fn->name);
    }
}

static void
run_lanes(struct warp *w, struct frame *f, const struct block *b, unsigned at, uint64_t *waiting)
{
    struct machine *m = w->machine;
    uint64_t lanes = waiting[at];

    waiting[at] = 0;
    if (m->n_warps > 1 && (next_random(m) & 63) == 0)
        leave(w, WARP_READY);
    if (m->steps_left < b->n_insts + 1u)
        emu_fail(w, NULL, "%s runs for too long", f->fn->name);
    m->steps_left -= b->n_insts + 1u;
    for (unsigned k = 0; k < b->n_insts; k++)
        b->insts[k].run(w, f, &b->insts[k], lanes);
    end_block(w, f, b, lanes, waiting);
}

static void
run_function(struct warp *w, struct frame *f, uint64_t mask)
{
    const struct function *fn = f->fn;
    uint64_t few[128], *waiting = few;
    uint32_t used_private = w->used_private;

    if (fn->n_blocks > 128)
        waiting = malloc(fn->n_blocks * sizeof(*waiting));
    memset(waiting, 0, fn->n_blocks * sizeof(*waiting));
    waiting[0] = mask;
    for (unsigned at = 0; at < fn->n_blocks;) {
        const struct block *b = &fn->blocks[at];
        unsigned next = at + 1;

        if (waiting[at])
            run_lanes(w, f, b, at, waiting);
        for (unsigned k = 0; k < b->n_loops; k++)
            if (waiting[b->headers[k]]) { /* all that stay have come back */
                next = b->headers[k];
                break;
            }
        at = next;
    }
    if (waiting != few)
        free(waiting);
    w->used_private = used_private;
}

/* ---- Calls ---- */

static u128 *
push_slots(struct warp *w, const struct function *fn)
{
    u128 *regs = w->slots + w->used_slots;

    w->used_slots += (size_t)fn->n_slots * w->lanes;
    if (w->used_slots * sizeof(u128) > SLOTS_BYTES)
        emu_fail(w, NULL, "%s: too many frames", fn->name);
    return regs;
}

static void
decode_now(struct warp *w, struct function *fn)
{
    jmp_buf refuse;

    if (fn->decoded)
        return;
    w->emu->refuse = &refuse;
    if (setjmp(refuse)) {
        w->state = WARP_FAILED;
        setcontext(&w->machine->scheduler);
    }
    emu_decode(w->emu, fn);
}

/* The callee may write to what was handed over by value. */
static void
copy_byval(struct warp *w, const struct inst *i, struct frame *callee, unsigned slot,
           const struct type *type, unsigned space, uint64_t mask)
{
    uint32_t at = (w->used_private + 15) & ~15u;

    w->used_private = at + (uint32_t)type->alloc_bytes;
    EMU_LANES (l, mask) {
        u128 *p = &callee->regs[(size_t)slot * w->lanes + l];
        char *from = emu_address(w, i, (unsigned)l, *p, space, type->alloc_bytes);
        memcpy(emu_address(w, i, (unsigned)l, at, SPACE_PRIVATE, type->alloc_bytes), from,
               type->alloc_bytes);
        *p = emu_cast_space(at, SPACE_PRIVATE, space);
    }
}

static void
call(struct warp *w, struct frame *f, const struct inst *i, struct function *fn, uint64_t mask)
{
    const struct emu_call *c = i->extra;
    size_t used = w->used_slots;
    uint32_t used_private = w->used_private;
    struct frame callee = {.fn = fn};

    decode_now(w, fn);
    if (++w->depth > MAX_DEPTH)
        emu_fail(w, i, "calls too deep");
    if (fn->n_params != i->n_ops)
        emu_fail(w, i, "%s takes %u arguments", fn->name, fn->n_params);
    callee.regs = push_slots(w, fn);
    callee.result = i->n ? emu_put(w, f, i) : NULL;
    for (unsigned k = 0; k < fn->n_params; k++) {
        struct view v = emu_view(w, f, i->ops[k]);

        if (fn->param_types[k]->n != i->op_types[k]->n)
            emu_fail(w, i, "%s has another type", fn->name);
        for (unsigned e = 0; e < fn->param_types[k]->n; e++)
            EMU_LANES (l, mask)
        callee.regs[(size_t)(fn->param_slots[k] + e) * w->lanes + l] = emu_get(v, e, (unsigned)l);
        if (c->byval[k])
            copy_byval(w, i, &callee, fn->param_slots[k], c->byval[k],
                       i->op_types[k]->leaves[0].space, mask);
    }
    run_function(w, &callee, mask);
    w->used_slots = used;
    w->used_private = used_private;
    w->depth--;
}

static struct function *
function_at(struct warp *w, const struct inst *i, u128 address)
{
    uint64_t n = ((uint64_t)address - EMU_FUNCTION_BASE) / 64;

    if (address < EMU_FUNCTION_BASE || address % 64 || n == 0 || n > w->emu->n_functions)
        emu_fail(w, i, "a call to 0x%llx, where no function is", (unsigned long long)address);
    return w->emu->by_number[n - 1];
}

void
emu_run_call(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    const struct emu_call *c = i->extra;

    if (c->callee) {
        call(w, f, i, c->callee, mask);
        return;
    }
    struct view v = emu_view(w, f, i->ops[i->n_ops]);
    while (mask) { /* the constants may move while a function is decoded */
        u128 target = emu_get(v, 0, (unsigned)__builtin_ctzll(mask));
        uint64_t same = 0;

        EMU_LANES (l, mask)
            same |= (uint64_t)(emu_get(v, 0, (unsigned)l) == target) << l;
        call(w, f, i, function_at(w, i, target), same);
        mask &= ~same;
        v = emu_view(w, f, i->ops[i->n_ops]);
    }
}

/* ---- Grids ---- */

static void
start_kernel(struct warp *w)
{
    const struct function *fn = w->machine->kernel;
    struct frame f = {.fn = fn};

    w->used_slots = 0;
    w->used_private = 16;
    w->depth = 0;
    f.regs = push_slots(w, fn);
    for (unsigned k = 0; k < fn->n_params; k++) {
        const struct type *type = fn->param_types[k];
        const char *at = w->machine->kernarg + fn->byref_at[k];
        u128 values[1024];

        if (type->n > 1024)
            emu_fail(w, NULL, "a parameter of too many parts");
        if (fn->is_byref[k])
            values[0] = (u128)(uintptr_t)at;
        else
            emu_from_memory(type, at, values, 1);
        for (unsigned e = 0; e < type->n; e++)
            for (unsigned l = 0; l < w->lanes; l++)
                f.regs[(size_t)(fn->param_slots[k] + e) * w->lanes + l] = values[e];
    }
    run_function(w, &f, w->mask);
}

static void
enter(unsigned low, unsigned high)
{
    struct warp *w = (struct warp *)((uintptr_t)high << 32 | low); /* makecontext passes ints */

    start_kernel(w);
    w->state = WARP_DONE;
    setcontext(&w->machine->scheduler);
}

static void *
reserve(size_t n_bytes)
{
    void *p = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED) {
        fprintf(stderr, "emulator: no memory\n");
        exit(3);
    }
    return p;
}

static void
start_warp(struct machine *m, unsigned number, unsigned n_threads)
{
    struct warp *w = &m->warps[number];
    unsigned first = number * m->emu->lanes, n = n_threads - first;

    w->emu = m->emu;
    w->machine = m;
    w->number = number;
    w->lanes = m->emu->lanes;
    w->mask = n >= w->lanes ? (w->lanes == 64 ? ~0ull : (1ull << w->lanes) - 1) : (1ull << n) - 1;
    w->state = WARP_READY;
    if (!w->stack) {
        w->stack = reserve(STACK_BYTES);
        w->slots = reserve(SLOTS_BYTES);
        w->private_memory = reserve((size_t)EMU_MAX_LANES * PRIVATE_BYTES);
    }
    getcontext(&w->context);
    w->context.uc_stack.ss_sp = w->stack;
    w->context.uc_stack.ss_size = STACK_BYTES;
    w->context.uc_link = NULL;
    makecontext(&w->context, (void (*)(void))enter, 2, (unsigned)(uintptr_t)w,
                (unsigned)((uintptr_t)w >> 32));
}

/* One block: a warp that can run, by chance; when all wait at the barrier, they go on. */
static bool
run_block(struct machine *m)
{
    const uint32_t *t = m->launch->threads;
    unsigned n_threads = t[0] * t[1] * t[2];

    m->n_warps = (n_threads + m->emu->lanes - 1) / m->emu->lanes;
    memset(m->lds, EMU_UNDEFINED, m->lds_bytes);
    for (unsigned k = 0; k < m->n_warps; k++)
        start_warp(m, k, n_threads);
    for (;;) {
        unsigned first = (unsigned)(next_random(m) % m->n_warps), n_done = 0, k;

        for (k = 0; k < m->n_warps; k++)
            if (m->warps[(first + k) % m->n_warps].state == WARP_READY)
                break;
        if (k < m->n_warps) {
            struct warp *w = &m->warps[(first + k) % m->n_warps];

            swapcontext(&m->scheduler, &w->context);
            if (w->state == WARP_FAILED)
                return false;
            continue;
        }
        for (k = 0; k < m->n_warps; k++) {
            n_done += m->warps[k].state == WARP_DONE;
            if (m->warps[k].state == WARP_AT_BARRIER)
                m->warps[k].state = WARP_READY;
        }
        if (n_done == m->n_warps)
            return true;
    }
}

static void
put16(char *at, uint32_t v)
{
    memcpy(at, &v, 2);
}

static void
put32(char *at, uint32_t v)
{
    memcpy(at, &v, 4);
}

/* The dispatch packet and the implicit arguments of code object version 5. */
static void
describe_grid(struct machine *m)
{
    const struct emu_launch *l = m->launch;

    memset(m->packet, 0, sizeof(m->packet));
    memset(m->implicit, 0, sizeof(m->implicit));
    for (unsigned k = 0; k < 3; k++) {
        put16(m->packet + 4 + 2 * k, l->threads[k]);
        put32(m->packet + 12 + 4 * k, l->blocks[k] * l->threads[k]);
        put32(m->implicit + 4 * k, l->blocks[k]);
        put16(m->implicit + 12 + 2 * k, l->threads[k]);
    }
    put16(m->implicit + 64, l->blocks[2] * l->threads[2] > 1   ? 3
                            : l->blocks[1] * l->threads[1] > 1 ? 2
                                                               : 1);
    put32(m->implicit + 120, l->dynamic_lds);
}

static bool
run_grid(struct machine *m)
{
    const uint32_t *n = m->launch->blocks;

    for (m->block[2] = 0; m->block[2] < n[2]; m->block[2]++)
        for (m->block[1] = 0; m->block[1] < n[1]; m->block[1]++)
            for (m->block[0] = 0; m->block[0] < n[0]; m->block[0]++)
                if (!run_block(m))
                    return false;
    return true;
}

static struct machine *
get_machine(struct emu *emu)
{
    struct machine *m = emu->machine;

    if (!m) {
        m = emu->machine = calloc(1, sizeof(*m));
        if (!m)
            abort();
        m->emu = emu;
        emu_map(emu, m->packet, sizeof(m->packet));
        emu_map(emu, m->implicit, sizeof(m->implicit));
        m->kernarg = calloc(1, 8192);
        emu_map(emu, m->kernarg, 8192);
    }
    return m;
}

void
emu_free_machine(struct emu *emu)
{
    struct machine *m = emu->machine;

    if (!m)
        return;
    for (unsigned k = 0; k < EMU_MAX_WARPS; k++)
        if (m->warps[k].stack) {
            munmap(m->warps[k].stack, STACK_BYTES);
            munmap(m->warps[k].slots, SLOTS_BYTES);
            munmap(m->warps[k].private_memory, (size_t)EMU_MAX_LANES * PRIVATE_BYTES);
        }
    free(m->lds);
    free(m->kernarg);
    free(m);
}

bool
emu_run(struct emu *emu, const struct emu_launch *launch, char error[256])
{
    struct machine *volatile machine = get_machine(emu), *m;
    struct function *fn = NULL;
    jmp_buf refuse;

    emu->error = error;
    emu->refuse = &refuse;
    for (unsigned k = 0; k < emu->n_functions; k++)
        if (emu->by_number[k]->is_kernel && !strcmp(emu->by_number[k]->name, launch->kernel))
            fn = emu->by_number[k];
    if (!fn || launch->args_bytes > 8192) {
        snprintf(error, 256, "no kernel %s", launch->kernel);
        return false;
    }
    if (setjmp(refuse))
        return false;
    if (!fn->decoded)
        emu_decode(emu, fn);
    m = machine;
    m->launch = launch;
    m->kernel = fn;
    m->turn = launch->seed * 0x9e3779b97f4a7c15u | 1;
    m->steps_left = 50000000;
    m->lds_bytes = emu->static_lds + launch->dynamic_lds;
    m->lds = realloc(m->lds, m->lds_bytes + 16);
    memcpy(m->kernarg, launch->args, launch->args_bytes);
    describe_grid(m);
    return run_grid(m);
}
