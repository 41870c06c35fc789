/* SPDX-License-Identifier: MIT */
/* Accesses that go to another element of an argument's memory in each thread of a launch, so that
 * no two threads ever meet there: those whose index is x + row * n or x alone, where x and row
 * count threads of the whole grid. What must be true of the launch besides (struct ls_cpu_kernel)
 * is seen when it begins. */
#include <string.h>

#include "analysis/shape_priv.h"
#include "compiler/ir/checks_priv.h"

enum { MOST_DEPTH = 12, MOST_STRIDE = 1 << 20, MOST_NUMBER = 1 << 20 };

/* A number in each thread: by * cy + bx * cx + of_thread[t], and row, if there is one, times n. */
struct sum {
    uint64_t cx, cy;
    uint64_t *of_thread;
    struct sum *row;
    LLVMValueRef n;
};

static LLVMValueRef
block_number(const struct ls_marker *m, unsigned dim)
{
    return LLVMGetParam(ls_program_get(m->cc), 1 + m->cc->n_kernargs + dim);
}

static struct sum *
make_sum(const struct ls_marker *m)
{
    struct sum *s = ls_arena_alloc(m->cc->arena, sizeof(*s));
    size_t bytes = m->cc->n_threads * sizeof(*s->of_thread);

    *s = (struct sum){.of_thread = ls_arena_alloc(m->cc->arena, bytes)};
    memset(s->of_thread, 0, bytes);
    return s;
}

/* The kernel's own argument behind casts; NULL: it is none. */
static LLVMValueRef
argument(const struct ls_marker *m, LLVMValueRef v)
{
    LLVMValueRef fn = ls_program_get(m->cc);

    while (LLVMIsASExtInst(v) || LLVMIsAZExtInst(v))
        v = LLVMGetOperand(v, 0);
    if (!LLVMIsAArgument(v) || LLVMGetParamParent(v) != fn ||
        LLVMTypeOf(v) != LLVMInt32TypeInContext(m->cc->llvm))
        return NULL;
    for (unsigned i = 0; i < m->cc->n_kernargs; i++)
        if (LLVMGetParam(fn, 1 + i) == v)
            return v;
    return NULL;
}

/* Adds so many times a value. False: it has another form. */
static bool
add(struct ls_marker *m, struct sum *s, LLVMValueRef v, uint64_t scale, unsigned depth)
{
    const uint64_t *table;
    LLVMValueRef a, b, n;

    if (depth == 0 || scale > MOST_STRIDE)
        return false;
    if (v == block_number(m, 0) || v == block_number(m, 1)) {
        *(v == block_number(m, 0) ? &s->cx : &s->cy) += scale;
        return true;
    }
    if ((table = ls_threads_values(&m->threads, v))) {
        for (unsigned t = 0; t < m->cc->n_threads; t++)
            s->of_thread[t] += scale * table[t];
        return true;
    }
    if (LLVMIsASExtInst(v) || LLVMIsAZExtInst(v))
        return add(m, s, LLVMGetOperand(v, 0), scale, depth - 1);
    if (!LLVMIsABinaryOperator(v))
        return false;
    a = LLVMGetOperand(v, 0);
    b = LLVMGetOperand(v, 1);
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMOr:
        if (!LLVMGetIsDisjoint(v))
            return false;
        /* fall through */
    case LLVMAdd:
        return add(m, s, a, scale, depth - 1) && add(m, s, b, scale, depth - 1);
    case LLVMShl:
        return LLVMIsAConstantInt(b) && LLVMConstIntGetZExtValue(b) < 20 &&
               add(m, s, a, scale << LLVMConstIntGetZExtValue(b), depth - 1);
    case LLVMMul:
        if (LLVMIsAConstantInt(b))
            return LLVMConstIntGetZExtValue(b) <= MOST_STRIDE &&
                   add(m, s, a, scale * LLVMConstIntGetZExtValue(b), depth - 1);
        n = argument(m, b) ? argument(m, b) : argument(m, a);
        if (!n || s->row || scale != 1)
            return false;
        s->row = make_sum(m);
        s->n = n;
        return add(m, s->row, argument(m, b) ? a : b, 1, depth - 1) && !s->row->row;
    default:
        return false;
    }
}

/* Whether the numbers of a block's threads lie within so many. */
static bool
is_within(const struct ls_marker *m, const uint64_t *numbers, uint64_t room)
{
    uint64_t low = UINT64_MAX, high = 0;

    for (unsigned t = 0; t < m->cc->n_threads; t++) {
        if (numbers[t] > MOST_NUMBER)
            return false;
        low = numbers[t] < low ? numbers[t] : low;
        high = numbers[t] > high ? numbers[t] : high;
    }
    return high - low < room;
}

/* Whether no two threads of a grid have the same number, if n is no less than the grid is wide. */
static bool
is_own(const struct ls_marker *m, const struct sum *s)
{
    unsigned n = m->cc->n_threads;
    unsigned char *seen;
    uint64_t low_x = UINT64_MAX, low_y = UINT64_MAX, cy = s->row ? s->row->cy : 1;

    if (!s->cx || s->cy || s->cx * cy > 65536 || !is_within(m, s->of_thread, s->cx) ||
        (s->row && (s->row->cx || !cy || !is_within(m, s->row->of_thread, cy))))
        return false;
    seen = ls_arena_alloc(m->cc->arena, s->cx * cy);
    memset(seen, 0, s->cx * cy);
    for (unsigned t = 0; t < n; t++) {
        low_x = s->of_thread[t] < low_x ? s->of_thread[t] : low_x;
        if (s->row)
            low_y = s->row->of_thread[t] < low_y ? s->row->of_thread[t] : low_y;
    }
    if (s->row && low_y >= cy)
        return false; /* rows may be more than the launch is asked for */
    for (unsigned t = 0; t < n; t++) {
        uint64_t x = s->of_thread[t] - low_x, y = s->row ? s->row->of_thread[t] - low_y : 0;

        if (seen[y * s->cx + x]++)
            return false;
    }
    return true;
}

static bool
are_same(const struct ls_marker *m, const struct sum *a, const struct sum *b)
{
    if (a->cx != b->cx || a->cy != b->cy || a->n != b->n || !a->row != !b->row ||
        memcmp(a->of_thread, b->of_thread, m->cc->n_threads * sizeof(*a->of_thread)) != 0)
        return false;
    return !a->row || are_same(m, a->row, b->row);
}

/* The index of a pointer, whose elements are `stride` apart, and how far behind one it points. */
static LLVMValueRef
index_of(struct ls_marker *m, LLVMValueRef pointer, int64_t *stride, int64_t *behind)
{
    LLVMValueRef index = NULL;

    *behind = 0;
    for (;;) {
        struct ls_gep_term terms[LS_MAX_GEP_TERMS];
        unsigned n;

        if (LLVMIsAAddrSpaceCastInst(pointer)) {
            pointer = LLVMGetOperand(pointer, 0);
            continue;
        }
        if (!LLVMIsAGetElementPtrInst(pointer))
            return index;
        n = ls_gep_terms(m->cc, pointer, terms, LS_MAX_GEP_TERMS);
        if (!n)
            return NULL;
        for (unsigned i = 0; i < n; i++) {
            if (terms[i].index && index)
                return NULL;
            if (!terms[i].index) {
                *behind += terms[i].stride;
                continue;
            }
            index = terms[i].index;
            *stride = terms[i].stride;
        }
        pointer = LLVMGetOperand(pointer, 0);
    }
}

bool
ls_mark_is_own(struct ls_marker *m, LLVMValueRef pointer, uint64_t bytes)
{
    struct ls_cc *cc = m->cc;
    int64_t stride = 0, behind, element;
    LLVMValueRef index;
    struct sum *s;

    if (!cc->n_threads || !(index = index_of(m, pointer, &stride, &behind)) || stride <= 0 ||
        behind < 0)
        return false;
    element = behind / stride;
    if ((uint64_t)(behind % stride) + bytes > (uint64_t)stride)
        return false;
    s = make_sum(m);
    if (!add(m, s, index, 1, MOST_DEPTH) || !is_own(m, s))
        return false;
    if (m->own && (m->own_stride != stride || m->own_element != element ||
                   !are_same(m, m->own, s)))
        return false;
    if (!m->own) {
        m->own = s;
        m->own_stride = stride;
        m->own_element = element;
        cc->reach.cx = (unsigned)s->cx;
        cc->reach.cy = s->row ? (unsigned)s->row->cy : 0;
        for (unsigned i = 0; s->n && i < cc->n_kernargs; i++)
            if (LLVMGetParam(ls_program_get(cc), 1 + i) == s->n)
                cc->reach.n_at = cc->kernargs[i].offset;
        cc->reach.has_n = s->n != NULL;
    }
    return true;
}
