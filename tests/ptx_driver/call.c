/* SPDX-License-Identifier: MIT */
/* Branches, calls, and functions that the driver brings along. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_priv.h"

enum { LAUNCH_FAILED = 719, ASSERT = 710, HARDWARE_STACK_ERROR = 714, INVALID_PC = 718 };
#define MAX_STACK ((size_t)512 << 10) /* bytes of local memory of a thread */

enum ptx_next
op_bra(struct ptx_thread *t, const struct ptx_insn *i)
{
    t->pc = t->frames[t->n_frames - 1].fn->insns + i->offset;
    return NEXT_GO;
}

enum ptx_next
op_brx(struct ptx_thread *t, const struct ptx_insn *i)
{
    uint32_t which = (uint32_t)IN(0);

    if (!i->call || which >= i->call->n_targets)
        return ptx_fault(t, i, INVALID_PC, "a branch to the %uth of its targets", which);
    t->pc = t->frames[t->n_frames - 1].fn->insns + i->call->targets[which];
    return NEXT_GO;
}

static bool
grow(void **list, size_t *room, size_t n, size_t size)
{
    size_t more = *room ? *room : 64;
    void *grown;

    if (n <= *room)
        return true;
    while (more < n)
        more *= 2;
    grown = realloc(*list, more * size);
    if (!grown)
        return false;
    *list = grown;
    *room = more;
    return true;
}

/* A frame of the function's on top; its registers and memory hold nothing. */
bool
ptx_enter(struct ptx_thread *t, const struct ptx_function *fn, const struct ptx_insn *back)
{
    size_t frame_room = t->frame_room, memory = (t->memory_bytes + 127) / 128 * 128;
    struct ptx_frame *frame;

    if (memory < LOCAL_START)
        memory = LOCAL_START;
    if (memory + fn->frame_bytes > MAX_STACK ||
        !grow((void **)&t->frames, &frame_room, t->n_frames + 1u, sizeof(*t->frames)) ||
        !grow((void **)&t->slots, &t->slot_room, t->n_slots + fn->n_slots, sizeof(*t->slots)) ||
        !grow((void **)&t->memory, &t->memory_room, memory + fn->frame_bytes, 1))
        return false;
    t->frame_room = (uint32_t)frame_room;
    frame = &t->frames[t->n_frames++];
    *frame = (struct ptx_frame){fn, back, t->n_slots, t->memory_bytes};
    t->r = t->slots + t->n_slots;
    t->k = fn->constants;
    t->n_slots += fn->n_slots;
    t->frame_at = memory;
    t->memory_bytes = memory + fn->frame_bytes;
    memset(t->r, PTX_POISON, fn->n_slots * sizeof(*t->r));
    memset(t->memory + memory, PTX_POISON, fn->frame_bytes);
    t->pc = fn->insns;
    return true;
}

enum ptx_next
op_call(struct ptx_thread *t, const struct ptx_insn *i)
{
    const struct ptx_call *c = i->call;
    const struct ptx_module *m = t->frames[0].fn->module;
    const struct ptx_function *to = c->to;
    size_t caller = t->frame_at;

    if (!to) {
        uint64_t address = t->r[c->slot] - FUNCTION_BASE;

        if (address % 16 || address / 16 - 1 >= m->n_functions)
            return ptx_fault(t, i, INVALID_PC, "a call to %#llx, where no function is",
                             (unsigned long long)t->r[c->slot]);
        to = m->functions[address / 16 - 1];
    }
    if (!to->has_body && to->builtin)
        return to->builtin(t, i);
    if (!to->has_body)
        return ptx_fault(t, i, INVALID_PC, "a call to %s, which has no body", to->name);
    if (to->n_params != c->n_args || to->n_results < c->n_results)
        return ptx_fault(t, i, INVALID_PC, "a call to %s with %u arguments, and it has %u",
                         to->name, c->n_args, to->n_params);
    for (uint32_t k = 0; k < c->n_args; k++)
        if (to->params[k].bytes != c->args[k].bytes)
            return ptx_fault(t, i, INVALID_PC, "argument %u of a call to %s has %u bytes, not %u",
                             k, to->name, c->args[k].bytes, to->params[k].bytes);
    if (!ptx_enter(t, to, i))
        return ptx_fault(t, i, HARDWARE_STACK_ERROR, "no stack for %s", to->name);
    for (uint32_t k = 0; k < c->n_args; k++)
        memcpy(t->memory + t->frame_at + to->params[k].at, t->memory + caller + c->args[k].at,
               c->args[k].bytes);
    return NEXT_GO;
}

enum ptx_next
op_ret(struct ptx_thread *t, const struct ptx_insn *i)
{
    const struct ptx_frame left = t->frames[t->n_frames - 1];
    const struct ptx_frame *frame;
    size_t callee = t->frame_at;

    (void)i;
    if (t->n_frames == 1)
        return NEXT_END;
    t->n_frames--;
    frame = &t->frames[t->n_frames - 1];
    t->n_slots = left.slots;
    t->memory_bytes = left.memory;
    t->r = t->slots + frame->slots;
    t->k = frame->fn->constants;
    t->frame_at = (frame->memory + 127) / 128 * 128;
    if (t->frame_at < LOCAL_START)
        t->frame_at = LOCAL_START;
    for (uint32_t k = 0; k < left.back->call->n_results; k++)
        memcpy(t->memory + t->frame_at + left.back->call->results[k].at,
               t->memory + callee + left.fn->results[k].at, left.back->call->results[k].bytes);
    t->pc = left.back + 1;
    return NEXT_GO;
}

enum ptx_next
op_exit(struct ptx_thread *t, const struct ptx_insn *i)
{
    (void)t, (void)i;
    return NEXT_END;
}

enum ptx_next
op_trap(struct ptx_thread *t, const struct ptx_insn *i)
{
    return ptx_fault(t, i, LAUNCH_FAILED, "trap");
}

enum ptx_next
op_yield(struct ptx_thread *t, const struct ptx_insn *i)
{
    (void)t, (void)i;
    return NEXT_AGAIN;
}

/* ---- Memory on the stack ---- */

enum ptx_next
op_alloca(struct ptx_thread *t, const struct ptx_insn *i)
{
    size_t align = i->n > 2 ? (size_t)IN(2) : 8, at;
    uint64_t bytes = IN(1);

    if (align < 16 || align & (align - 1))
        align = 16;
    at = (t->memory_bytes + align - 1) / align * align;
    if (bytes > MAX_STACK || at + bytes > MAX_STACK ||
        !grow((void **)&t->memory, &t->memory_room, at + bytes, 1))
        return ptx_fault(t, i, HARDWARE_STACK_ERROR, "no stack for %llu bytes",
                         (unsigned long long)bytes);
    memset(t->memory + at, PTX_POISON, bytes);
    t->memory_bytes = at + bytes;
    OUT(0) = at;
    return NEXT_GO;
}

enum ptx_next
op_stacksave(struct ptx_thread *t, const struct ptx_insn *i)
{
    OUT(0) = t->memory_bytes;
    return NEXT_GO;
}

enum ptx_next
op_stackrestore(struct ptx_thread *t, const struct ptx_insn *i)
{
    uint64_t at = IN(0);

    if (at < t->frame_at || at > t->memory_bytes)
        return ptx_fault(t, i, HARDWARE_STACK_ERROR, "a stack that was not saved");
    t->memory_bytes = at;
    return NEXT_GO;
}

/* ---- vprintf, malloc, free, __assertfail ---- */

/* Argument n of a call as bits. */
static uint64_t
argument(const struct ptx_thread *t, const struct ptx_insn *i, uint32_t n)
{
    const struct ptx_call *c = i->call;
    uint64_t v = 0;

    if (n < c->n_args)
        memcpy(&v, t->memory + t->frame_at + c->args[n].at,
               c->args[n].bytes < 8 ? c->args[n].bytes : 8);
    return v;
}

static enum ptx_next
give(struct ptx_thread *t, const struct ptx_insn *i, uint64_t v)
{
    const struct ptx_call *c = i->call;

    if (c->n_results)
        memcpy(t->memory + t->frame_at + c->results[0].at, &v,
               c->results[0].bytes < 8 ? c->results[0].bytes : 8);
    return NEXT_GO;
}

struct printing {
    struct ptx_thread *t;
    const struct ptx_insn *i;
    uint64_t values; /* where the next one lies */
    char text[4096];
    size_t n;
};

static bool
next_value(struct printing *p, uint32_t bytes, void *v)
{
    const void *from;

    p->values = (p->values + bytes - 1) / bytes * bytes;
    from = ptx_reach(p->t, p->i, SPACE_GENERIC, p->values, bytes);
    if (from)
        memcpy(v, from, bytes);
    p->values += bytes;
    return from != NULL;
}

static void
put(struct printing *p, const char *text, size_t n)
{
    if (p->n + n > sizeof(p->text)) {
        driver_print(p->text, p->n);
        p->n = 0;
    }
    if (n > sizeof(p->text)) {
        driver_print(text, n);
        return;
    }
    memcpy(p->text + p->n, text, n);
    p->n += n;
}

/* One conversion, whose format is a C string of its own. */
static bool
convert(struct printing *p, const char *format, char what, bool wide, const int *stars, int n_stars)
{
    char text[1024];
    uint64_t word = 0;
    double number;
    const char *s;
    int n;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#define SAY(v)                                                                                     \
    (n_stars == 0   ? snprintf(text, sizeof(text), format, v)                                      \
     : n_stars == 1 ? snprintf(text, sizeof(text), format, stars[0], v)                            \
                    : snprintf(text, sizeof(text), format, stars[0], stars[1], v))
    if (strchr("eEfFgGaA", what)) {
        if (!next_value(p, 8, &number))
            return false;
        n = SAY(number);
    } else if (what == 's') {
        if (!next_value(p, 8, &word) || !(s = ptx_string(p->t, p->i, word)))
            return false;
        if (!strchr(format, '.') && n_stars == 0 && strlen(format) == 2) {
            put(p, s, strlen(s));
            return true;
        }
        n = SAY(s);
    } else if (what == 'p' || wide) {
        if (!next_value(p, 8, &word))
            return false;
        n = what == 'p' ? SAY((void *)(uintptr_t)word) : SAY(word);
    } else {
        uint32_t low = 0;

        if (!next_value(p, 4, &low))
            return false;
        n = SAY(low);
    }
#undef SAY
#pragma GCC diagnostic pop
    if (n > 0)
        put(p, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
    return true;
}

/* "%-8.3lld" from the percent on; returns what is behind it, or NULL. */
static const char *
print_one(struct printing *p, const char *at)
{
    char format[64];
    size_t n = 0;
    int stars[2] = {0, 0}, n_stars = 0;
    bool wide = false;

    format[n++] = *at++;
    for (; *at && (strchr("-+ #0123456789.*'", *at) || strchr("hlLjzt", *at)) && n < 60; at++) {
        if (*at == '*' && n_stars < 2 && !next_value(p, 4, &stars[n_stars++]))
            return NULL;
        wide |= *at == 'l' || *at == 'j' || *at == 'z' || *at == 't';
        if (*at != 'L' && *at != '\'')
            format[n++] = *at;
    }
    if (*at == '%' || !*at) {
        put(p, "%", 1);
        return *at ? at + 1 : at;
    }
    format[n++] = *at;
    format[n] = 0;
    return convert(p, format, *at, wide, stars, n_stars) ? at + 1 : NULL;
}

static enum ptx_next
run_vprintf(struct ptx_thread *t, const struct ptx_insn *i)
{
    struct printing p = {.t = t, .i = i, .values = argument(t, i, 1)};
    const char *format = ptx_string(t, i, argument(t, i, 0));

    while (format && *format) {
        size_t n = strcspn(format, "%");

        put(&p, format, n);
        format += n;
        if (*format)
            format = print_one(&p, format);
    }
    if (!format)
        return NEXT_FAULT;
    driver_print(p.text, p.n);
    return give(t, i, 0);
}

static enum ptx_next
run_malloc(struct ptx_thread *t, const struct ptx_insn *i)
{
    uint64_t bytes = argument(t, i, 0);

    return give(t, i, bytes > (8u << 20) ? 0 : driver_alloc(bytes ? bytes : 1));
}

static enum ptx_next
run_free(struct ptx_thread *t, const struct ptx_insn *i)
{
    uint64_t at = argument(t, i, 0);

    if (at && !driver_free(at))
        return ptx_fault(t, i, LAUNCH_FAILED, "free of %#llx, which nobody got",
                         (unsigned long long)at);
    return NEXT_GO;
}

static enum ptx_next
run_assertfail(struct ptx_thread *t, const struct ptx_insn *i)
{
    const char *what = ptx_string(t, i, argument(t, i, 0)),
               *file = what ? ptx_string(t, i, argument(t, i, 1)) : NULL,
               *function = file ? ptx_string(t, i, argument(t, i, 3)) : NULL;

    if (!function)
        return NEXT_FAULT;
    fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
            file, (unsigned)argument(t, i, 2), function, t->block->id[0], t->block->id[1],
            t->block->id[2], t->id[0], t->id[1], t->id[2], what);
    t->block->run->said = true;
    return ptx_fault(t, i, ASSERT, "an assertion failed");
}

static const struct {
    const char *name;
    ptx_handler run;
} builtins[] = {{"vprintf", run_vprintf},
                {"malloc", run_malloc},
                {"free", run_free},
                {"__assertfail", run_assertfail}};

ptx_handler
ptx_builtin(const char *name)
{
    for (size_t k = 0; k < sizeof(builtins) / sizeof(*builtins); k++)
        if (strcmp(builtins[k].name, name) == 0)
            return builtins[k].run;
    return NULL;
}
