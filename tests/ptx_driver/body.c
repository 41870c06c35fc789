/* SPDX-License-Identifier: MIT */
/* A function's instructions. */
#include <stdio.h>
#include <string.h>

#include "read.h"

static const struct opcode {
    const char *name;
    ptx_handler run;
    uint8_t n_results;
    uint32_t flags;
} opcodes[] = {
#define PTX_OPCODE(name, handler, results, flags) {#name, handler, results, flags},
#include "opcodes.def"
};

enum field {
    FIELD_round,
    FIELD_compare,
    FIELD_action,
    FIELD_space,
    FIELD_flags,
    FIELD_vector,
    FIELD_nothing
};
static const struct modifier {
    const char *text;
    enum field field;
    uint32_t value;
} modifiers[] = {
#define PTX_MODIFIER(text, field, value) {#text, FIELD_##field, value},
#include "modifiers.def"
};

enum {
#define PTX_REGISTER(id, name, value) REGISTER_##id,
#include "registers.def"
};
static const char *const registers[] = {
#define PTX_REGISTER(id, name, value) name,
#include "registers.def"
};
#define N_REGISTERS (sizeof(registers) / sizeof(*registers))

static uint64_t
read_register(const struct ptx_thread *t, int64_t which)
{
    switch (which) {
#define PTX_REGISTER(id, name, value)                                                              \
    case REGISTER_##id:                                                                            \
        return value;
#include "registers.def"
    default:
        return 0;
    }
}

/* An instruction of its own: a special register becomes one of the function's. */
static enum ptx_next
op_special(struct ptx_thread *t, const struct ptx_insn *i)
{
    OUT(0) = read_register(t, i->offset);
    return NEXT_GO;
}

static enum ptx_next
op_address(struct ptx_thread *t, const struct ptx_insn *i)
{
    OUT(0) = i->base == BASE_ARGS ? ARGS_BASE + (uint64_t)i->offset
                                  : LOCAL_BASE + t->frame_at + (uint64_t)i->offset;
    if (i->space == SPACE_LOCAL) /* as an address of that space */
        OUT(0) -= LOCAL_BASE;
    return NEXT_GO;
}

/* Bits to several registers, and from several. */
static enum ptx_next
op_unpack(struct ptx_thread *t, const struct ptx_insn *i)
{
    unsigned n = i->n - 1u, bits = ptx_bits[i->types[0]] / n;
    uint64_t v = IN(n);

    for (unsigned k = 0; k < n; k++)
        OUT(k) = v >> k * bits & (UINT64_MAX >> (64 - bits));
    return NEXT_GO;
}

static enum ptx_next
op_pack(struct ptx_thread *t, const struct ptx_insn *i)
{
    unsigned n = i->n - 1u, bits = ptx_bits[i->types[0]] / n;
    uint64_t v = 0;

    for (unsigned k = 0; k < n; k++)
        v |= (IN(k + 1) & (UINT64_MAX >> (64 - bits))) << k * bits;
    OUT(0) = v;
    return NEXT_GO;
}

/* ---- Names ---- */

static uint32_t
hash(const char *text, size_t n)
{
    uint32_t h = 5381;

    for (size_t i = 0; i < n; i++)
        h = h * 33 + (unsigned char)text[i];
    return h % N_BUCKETS;
}

void
ptx_declare(struct reader *r, struct symbol s)
{
    struct symbol *new = ptx_keep(r->m, sizeof(*new)),
                  **list = &r->symbols[hash(s.name, strlen(s.name))];

    *new = s;
    new->scope = r->scope;
    new->next = *list;
    *list = new;
}

static bool
is_seen(const struct reader *r, uint32_t scope, uint32_t from)
{
    while (from != scope && from)
        from = r->parents[from];
    return from == scope;
}

static struct symbol *
find_symbol(const struct reader *r, const char *text, size_t n, uint32_t from)
{
    struct symbol *best = NULL;

    for (struct symbol *s = r->symbols[hash(text, n)]; s; s = s->next)
        if (strlen(s->name) == n && memcmp(s->name, text, n) == 0 && is_seen(r, s->scope, from) &&
            (!best || s->scope > best->scope))
            best = s;
    return best;
}

/* %r12 is the twelfth of those that %r<48> declares. */
static int32_t
find_register(const struct reader *r, const struct word *w)
{
    struct symbol *s = find_symbol(r, w->text, w->n, r->scope);
    size_t n = w->n;
    uint32_t number = 0, scale = 1;

    if (s)
        return s->kind == SYMBOL_REGISTER && !s->bytes ? (int32_t)s->value : -1;
    for (; n && w->text[n - 1] >= '0' && w->text[n - 1] <= '9' && scale < 100000000; n--) {
        number += scale * (uint32_t)(w->text[n - 1] - '0');
        scale *= 10;
    }
    if (n == w->n)
        return -1;
    s = find_symbol(r, w->text, n, r->scope);
    return s && s->kind == SYMBOL_REGISTER && number < s->bytes ? (int32_t)(s->value + number) : -1;
}

static void
open_scope(struct reader *r)
{
    if (++r->n_scopes >= r->scope_room) {
        uint32_t room = r->scope_room ? 2 * r->scope_room : 256,
                 *grown = ptx_keep(r->m, room * sizeof(*grown));

        if (r->scope_room)
            memcpy(grown, r->parents, r->scope_room * sizeof(*grown));
        r->parents = grown;
        r->scope_room = room;
    }
    r->parents[r->n_scopes] = r->scope;
    r->scope = r->n_scopes;
}

/* ---- Instructions ---- */

static struct ptx_insn *
add_insn(struct reader *r)
{
    struct ptx_function *f = r->fn;
    struct ptx_insn *i;

    if (f->n_insns == r->insn_room) {
        uint32_t room = r->insn_room ? 2 * r->insn_room : 64;
        struct ptx_insn *grown = ptx_keep(r->m, room * sizeof(*grown));

        if (f->n_insns)
            memcpy(grown, f->insns, f->n_insns * sizeof(*grown));
        f->insns = grown;
        r->insn_room = room;
    }
    i = &f->insns[f->n_insns++];
    *i = (struct ptx_insn){.guard = -1, .line = r->word.line, .where = r->source};
    return i;
}

static int32_t
constant(struct reader *r, uint64_t value)
{
    struct ptx_function *f = r->fn;

    for (uint32_t k = f->n_constants > 64 ? f->n_constants - 64 : 0; k < f->n_constants; k++)
        if (f->constants[k] == value)
            return ~(int32_t)k;
    if (f->n_constants == r->constant_room) {
        uint32_t room = r->constant_room ? 2 * r->constant_room : 32;
        uint64_t *grown = ptx_keep(r->m, room * sizeof(*grown));

        if (f->n_constants)
            memcpy(grown, f->constants, f->n_constants * sizeof(*grown));
        f->constants = grown;
        r->constant_room = room;
    }
    f->constants[f->n_constants] = value;
    return ~(int32_t)f->n_constants++;
}

/* Operands of one instruction while they are read. */
struct operands {
    int32_t o[MAX_OPERANDS];
    unsigned n, first_group; /* so many stand in the first operand's braces; 0: it has none */
    uint8_t negated;
    enum ptx_base base;
    enum ptx_space space; /* of a name that BASE_FRAME is for */
    int64_t offset;
    bool has_pair;
    enum ptx_type type;
};

static void
add_operand(struct reader *r, struct operands *ops, int32_t o)
{
    if (ops->n == MAX_OPERANDS)
        ptx_refuse(r, r->word.line, "too many operands");
    ops->o[ops->n++] = o;
}

static int32_t
special(struct reader *r, const struct word *w)
{
    for (size_t k = 0; k < N_REGISTERS; k++)
        if (strlen(registers[k]) + 1 == w->n && memcmp(registers[k], w->text + 1, w->n - 1) == 0) {
            struct ptx_insn *i = add_insn(r);

            i->run = op_special;
            i->o = ptx_keep(r->m, sizeof(*i->o));
            i->o[0] = (int32_t)r->fn->n_slots++;
            i->n = i->n_results = 1;
            i->offset = (int64_t)k;
            i->name = "mov";
            return i->o[0];
        }
    ptx_refuse(r, w->line, "no register is called '%.*s'", (int)w->n, w->text);
}

/* The number that a word stands for; false: it is no number. */
static bool
number_of(struct reader *r, enum ptx_type type, uint64_t *value)
{
    bool minus = ptx_take(r, "-");
    const struct word w = r->word;
    double d;
    float f;

    if (w.kind != WORD_NUMBER && w.kind != WORD_FLOAT && w.kind != WORD_DECIMAL) {
        if (minus)
            ptx_refuse(r, w.line, "a '-' without a number");
        return false;
    }
    *value = w.number;
    if (w.kind == WORD_DECIMAL && type == TYPE_f32) {
        memcpy(&d, &w.number, sizeof(d));
        f = (float)(minus ? -d : d);
        *value = 0;
        memcpy(value, &f, sizeof(f));
    } else if (minus) {
        *value = w.kind == WORD_NUMBER ? -w.number : w.number ^ UINT64_C(1) << 63;
    }
    ptx_next(r);
    return true;
}

/* A name that is no register: a variable, a function, a place in the frame. */
static int32_t
read_name(struct reader *r, struct operands *ops)
{
    const struct word w = r->word;
    struct symbol *s = find_symbol(r, w.text, w.n, r->scope);
    struct ptx_variable *v = s ? NULL : ptx_variable_named(r, &w);
    struct ptx_function *f = s || v ? NULL : ptx_function_named(r, &w);
    uint64_t value = 0;

    ptx_next(r);
    if (s && (s->kind == SYMBOL_FRAME || s->kind == SYMBOL_ARGS)) {
        ops->base = s->kind == SYMBOL_FRAME ? BASE_FRAME : BASE_ARGS;
        ops->space = s->is_local ? SPACE_LOCAL : SPACE_PARAM;
        ops->offset = s->value;
        return 0;
    }
    if (v)
        value = v->at;
    else if (f)
        value = FUNCTION_BASE + 16 * (f->index + 1);
    else
        ptx_refuse(r, w.line, "nothing is called '%.*s'", (int)w.n, w.text);
    return constant(r, value);
}

static void
read_offset(struct reader *r, struct operands *ops)
{
    uint64_t by = 0;
    bool minus = ptx_is(r, "-");

    if (!ptx_take(r, "+") && !minus)
        return;
    if (!number_of(r, TYPE_NONE, &by))
        ptx_refuse(r, r->word.line, "'%.*s' in an address", (int)r->word.n, r->word.text);
    ops->offset += (int64_t)by;
}

/* "[...]": the base is the next operand, unless it is the frame's. */
static void
read_address(struct reader *r, struct operands *ops)
{
    uint64_t value = 0;
    int32_t slot = r->word.kind == WORD_NAME ? find_register(r, &r->word) : -1;

    ops->base = BASE_SLOT;
    if (slot >= 0) {
        ptx_next(r);
        add_operand(r, ops, slot);
    } else if (number_of(r, TYPE_NONE, &value)) {
        add_operand(r, ops, constant(r, value));
    } else {
        add_operand(r, ops, read_name(r, ops));
    }
    read_offset(r, ops);
    ptx_want(r, "]");
}

static void
read_operand(struct reader *r, struct operands *ops)
{
    uint64_t value;
    int32_t slot;

    if (ptx_take(r, "{")) {
        unsigned n = ops->n;

        do
            read_operand(r, ops);
        while (ptx_take(r, ","));
        ptx_want(r, "}");
        if (n == 0)
            ops->first_group = ops->n;
        return;
    }
    if (ptx_take(r, "[")) {
        read_address(r, ops);
        return;
    }
    if (ptx_take(r, "!")) {
        if (ops->n >= 8)
            ptx_refuse(r, r->word.line, "'!'");
        ops->negated |= (uint8_t)(1u << ops->n);
    }
    if (ptx_take(r, "_")) {
        add_operand(r, ops, 0);
        return;
    }
    if (number_of(r, ops->type, &value)) {
        add_operand(r, ops, constant(r, value));
        return;
    }
    if (r->word.kind != WORD_NAME)
        ptx_refuse(r, r->word.line, "'%.*s' as an operand", (int)r->word.n, r->word.text);
    slot = find_register(r, &r->word);
    if (slot >= 0) {
        ptx_next(r);
    } else if (ptx_is(r, "WARP_SZ")) {
        ptx_next(r);
        slot = constant(r, PTX_WARP);
    } else if (r->word.text[0] == '%') {
        const struct word w = r->word;

        ptx_next(r);
        slot = special(r, &w);
    } else {
        slot = read_name(r, ops);
        read_offset(r, ops);
        if (ops->base == BASE_NONE && ops->offset) {
            slot = constant(r, r->fn->constants[~slot] + (uint64_t)ops->offset);
            ops->offset = 0;
        }
    }
    add_operand(r, ops, slot);
}

static const struct opcode *
find_opcode(const struct word *w, const char **rest)
{
    const struct opcode *best = NULL;
    size_t most = 0;

    for (size_t k = 0; k < sizeof(opcodes) / sizeof(*opcodes); k++) {
        size_t n = strlen(opcodes[k].name);

        if (n > most && n <= w->n && memcmp(opcodes[k].name, w->text, n) == 0 &&
            (n == w->n || w->text[n] == '.')) {
            best = &opcodes[k];
            most = n;
        }
    }
    *rest = w->text + most;
    return best;
}

static void
set_modifier(struct reader *r, struct ptx_insn *i, const struct modifier *m)
{
    switch (m->field) {
    case FIELD_round:
        i->round = (uint8_t)m->value;
        break;
    case FIELD_compare:
        i->compare = (uint8_t)m->value;
        break;
    case FIELD_action:
        if (i->action && m->value != ACTION_TO && i->action != ACTION_RED)
            ptx_refuse(r, i->line, "two actions in one instruction");
        i->action = (uint8_t)m->value;
        break;
    case FIELD_space:
        i->space = (uint8_t)m->value;
        break;
    case FIELD_flags:
        i->flags |= m->value;
        break;
    case FIELD_vector:
        i->vector = (uint8_t)m->value;
        break;
    case FIELD_nothing:
        break;
    }
}

/* What stands behind the opcode's dots. */
static void
read_modifiers(struct reader *r, struct ptx_insn *i, const struct word *w, const char *at)
{
    while (at < w->text + w->n) {
        const char *from = ++at;
        size_t n = 0, k;
        enum ptx_type type;

        while (from + n < w->text + w->n && from[n] != '.')
            n++;
        at = from + n;
        type = ptx_type_of(from, n);
        if (type) {
            if (i->n_types == MAX_TYPES)
                ptx_refuse(r, w->line, "too many types in '%.*s'", (int)w->n, w->text);
            i->types[i->n_types++] = (uint8_t)type;
            continue;
        }
        for (size_t c = 0; c + 1 < n; c++)
            if (from[c] == ':') /* L1::evict_last, shared::cta */
                n = c;
        for (k = 0; k < sizeof(modifiers) / sizeof(*modifiers); k++)
            if (strlen(modifiers[k].text) == n && memcmp(modifiers[k].text, from, n) == 0)
                break;
        if (k == sizeof(modifiers) / sizeof(*modifiers))
            ptx_refuse(r, w->line, "'%.*s': '%.*s' is not known", (int)w->n, w->text, (int)n, from);
        set_modifier(r, i, &modifiers[k]);
    }
}

/* ---- Calls ---- */

static struct ptx_param
read_handed(struct reader *r)
{
    struct symbol *s = find_symbol(r, r->word.text, r->word.n, r->scope);

    if (!s || s->kind != SYMBOL_FRAME)
        ptx_refuse(r, r->word.line, "'%.*s' is handed over", (int)r->word.n, r->word.text);
    ptx_next(r);
    return (struct ptx_param){s->value, s->bytes};
}

static void
read_call(struct reader *r, struct ptx_insn *i, uint32_t number)
{
    struct ptx_call *c = ptx_keep(r->m, sizeof(*c));

    if (ptx_take(r, "(")) {
        c->results[c->n_results++] = read_handed(r);
        ptx_want(r, ")");
        ptx_want(r, ",");
    }
    c->slot = find_register(r, &r->word);
    c->name = ptx_keep_text(r, &r->word);
    c->to = c->slot < 0 ? ptx_function_named(r, &r->word) : NULL;
    if (c->slot < 0 && !c->to)
        ptx_refuse(r, r->word.line, "no function is called '%s'", c->name);
    ptx_next(r);
    if (ptx_take(r, ",")) {
        ptx_want(r, "(");
        while (!ptx_take(r, ")")) {
            if (c->n_args == sizeof(c->args) / sizeof(*c->args))
                ptx_refuse(r, r->word.line, "too many arguments");
            c->args[c->n_args++] = read_handed(r);
            ptx_take(r, ",");
        }
        if (ptx_take(r, ",")) /* the prototype: sizes are compared when the function is known */
            ptx_next(r);
    }
    ptx_want(r, ";");
    i = &r->fn->insns[number];
    i->call = c;
}

/* ---- Branches ---- */

static void
branch_to(struct reader *r, uint32_t number)
{
    struct later *l = ptx_keep(r->m, sizeof(*l));

    if (r->word.kind != WORD_NAME)
        ptx_refuse(r, r->word.line, "a branch without a label");
    *l = (struct later){r->later, number, r->scope, r->word};
    r->later = l;
    ptx_next(r);
}

static void
find_labels(struct reader *r)
{
    for (const struct later *l = r->later; l; l = l->next) {
        const struct symbol *s = find_symbol(r, l->label.text, l->label.n, l->scope);
        struct ptx_insn *i = &r->fn->insns[l->insn];

        if (!s || (s->kind != SYMBOL_LABEL && s->kind != SYMBOL_CALL))
            ptx_refuse(r, l->label.line, "no label is called '%.*s'", (int)l->label.n,
                       l->label.text);
        i->offset = s->value;
        i->call = s->call;
    }
}

/* "label: .branchtargets a, b;" */
static void
read_targets(struct reader *r, const struct word *label)
{
    struct word names[512];
    uint32_t n = 0;
    struct ptx_call *c = ptx_keep(r->m, sizeof(*c));

    do {
        if (n == 512)
            ptx_refuse(r, r->word.line, "too many labels");
        names[n++] = r->word;
        ptx_next(r);
    } while (ptx_take(r, ","));
    ptx_want(r, ";");
    c->n_targets = n;
    c->targets = ptx_keep(r->m, n * sizeof(uint32_t));
    /* The labels are found when all have come: each is a branch, which what stands in front jumps
     * over. */
    {
        struct ptx_insn *over = add_insn(r);

        over->run = op_bra;
        over->name = "bra";
        over->offset = r->fn->n_insns + n;
    }
    for (uint32_t k = 0; k < n; k++) {
        struct ptx_insn *i = add_insn(r);
        struct later *l = ptx_keep(r->m, sizeof(*l));

        i->run = op_bra;
        i->name = "bra";
        c->targets[k] = r->fn->n_insns - 1;
        *l = (struct later){r->later, c->targets[k], r->scope, names[k]};
        r->later = l;
    }
    ptx_declare(r,
                (struct symbol){.name = ptx_keep_text(r, label), .kind = SYMBOL_CALL, .call = c});
}

/* ---- Statements ---- */

static void
check_insn(struct reader *r, const struct ptx_insn *i, const struct word *w)
{
    for (unsigned k = 0; k < i->n_results && k < i->n; k++)
        if (i->o[k] < 0)
            ptx_refuse(r, i->line, "'%.*s' has no register for its result", (int)w->n, w->text);
}

/* How many operands are written. */
static unsigned
results_of(const struct ptx_insn *i, const struct opcode *op, const struct operands *ops)
{
    if (i->run == op_mma)
        return ops->first_group;
    if (op->n_results && ops->first_group)
        return ops->first_group;
    return ops->has_pair ? 2 : op->n_results;
}

static void
read_insn(struct reader *r, int32_t guard, bool if_not)
{
    const struct word w = r->word;
    const char *rest;
    const struct opcode *op = find_opcode(&w, &rest);
    struct operands ops = {0};
    struct ptx_insn got = {.guard = guard, .if_not = if_not, .line = w.line, .where = r->source},
                    *i;

    if (!op)
        ptx_refuse(r, w.line, "the opcode of '%.*s' is not known", (int)w.n, w.text);
    got.run = op->run;
    got.name = op->name;
    read_modifiers(r, &got, &w, rest);
    if (got.flags & ~op->flags)
        ptx_refuse(r, w.line, "'%.*s' is not known in this form", (int)w.n, w.text);
    ptx_next(r);
    if (op->run == op_call || op->run == op_bra) {
        uint32_t number;

        *add_insn(r) = got;
        number = r->fn->n_insns - 1;
        if (op->run == op_call) {
            read_call(r, &got, number);
        } else {
            branch_to(r, number);
            ptx_want(r, ";");
        }
        return;
    }
    ops.type = got.n_types ? got.types[0] : TYPE_NONE;
    while (!ptx_take(r, ";")) {
        if (op->run == op_brx && ops.n == 1)
            break;
        read_operand(r, &ops);
        if (ptx_take(r, "|")) {
            read_operand(r, &ops);
            ops.has_pair = true;
        }
        if (ops.n == 1 && (op->run == op_setp || op->run == op_shfl || op->run == op_match))
            add_operand(r, &ops, 0); /* the second result goes nowhere */
        if (!ptx_is(r, ";"))
            ptx_want(r, ",");
    }
    got.n = (uint8_t)ops.n;
    got.o = ptx_keep(r->m, (ops.n + 1) * sizeof(*got.o));
    memcpy(got.o, ops.o, ops.n * sizeof(*got.o));
    got.negated = ops.negated;
    got.base = (uint8_t)ops.base;
    got.offset = ops.offset;
    got.n_results = (uint8_t)results_of(&got, op, &ops);
    if (op->run == op_mov && ops.base != BASE_NONE) {
        got.run = op_address;
        got.space = (uint8_t)ops.space;
    } else if (op->run == op_mov && ops.n > 2) {
        got.run = ops.first_group ? op_unpack : op_pack;
    }
    check_insn(r, &got, &w);
    i = add_insn(r);
    *i = got;
    if (op->run == op_brx) {
        branch_to(r, r->fn->n_insns - 1);
        ptx_want(r, ";");
    }
}

static void
read_registers(struct reader *r)
{
    if (r->word.kind != WORD_NAME || r->word.text[0] != '.' ||
        !ptx_type_of(r->word.text + 1, r->word.n - 1))
        ptx_refuse(r, r->word.line, "registers of type '%.*s'", (int)r->word.n, r->word.text);
    ptx_next(r);
    do {
        const struct word name = r->word;
        uint64_t n = 0;

        ptx_next(r);
        if (ptx_take(r, "<")) {
            n = r->word.number;
            if (r->word.kind != WORD_NUMBER || n == 0 || n > 1u << 24)
                ptx_refuse(r, name.line, "'%.*s' registers", (int)r->word.n, r->word.text);
            ptx_next(r);
            ptx_want(r, ">");
        }
        ptx_declare(r, (struct symbol){.name = ptx_keep_text(r, &name),
                                       .kind = SYMBOL_REGISTER,
                                       .value = r->fn->n_slots,
                                       .bytes = (uint32_t)n});
        r->fn->n_slots += n ? (uint32_t)n : 1;
    } while (ptx_take(r, ","));
    ptx_want(r, ";");
}

static void
read_frame_variable(struct reader *r, bool is_local)
{
    do {
        uint32_t bytes, align;
        enum ptx_type type;
        struct word name = ptx_read_shape(r, &bytes, &align, &type);
        uint32_t at = ptx_place(&r->fn->frame_bytes, bytes, align < 8 ? 8 : align);

        ptx_declare(r, (struct symbol){.name = ptx_keep_text(r, &name),
                                       .kind = SYMBOL_FRAME,
                                       .value = at,
                                       .bytes = bytes,
                                       .is_local = is_local});
    } while (ptx_take(r, ","));
    ptx_want(r, ";");
}

static void
read_label(struct reader *r, const struct word *name)
{
    if (ptx_take(r, ".callprototype")) {
        while (!ptx_take(r, ";"))
            ptx_next(r);
        return;
    }
    if (ptx_take(r, ".branchtargets")) {
        read_targets(r, name);
        return;
    }
    ptx_declare(r, (struct symbol){.name = ptx_keep_text(r, name),
                                   .kind = SYMBOL_LABEL,
                                   .value = r->fn->n_insns});
}

/* An instruction, or a label. */
static void
read_line(struct reader *r)
{
    const struct word w = r->word;
    bool guarded = ptx_take(r, "@"), if_not = guarded && ptx_take(r, "!");
    int32_t guard = -1;

    if (guarded) {
        guard = find_register(r, &r->word);
        if (guard < 0)
            ptx_refuse(r, w.line, "no predicate is called '%.*s'", (int)r->word.n, r->word.text);
        ptx_next(r);
    } else {
        const char *at = r->at;

        while (*at == ' ' || *at == '\t')
            at++;
        if (*at == ':') {
            ptx_next(r);
            ptx_want(r, ":");
            read_label(r, &w);
            return;
        }
    }
    if (r->word.kind != WORD_NAME)
        ptx_refuse(r, r->word.line, "'%.*s' where an instruction should be", (int)r->word.n,
                   r->word.text);
    read_insn(r, guard, if_not);
}

static bool
read_declaration(struct reader *r)
{
    if (ptx_take(r, ".reg"))
        read_registers(r);
    else if (ptx_take(r, ".local"))
        read_frame_variable(r, true);
    else if (ptx_take(r, ".param"))
        read_frame_variable(r, false);
    else if (ptx_take(r, ".shared"))
        ptx_read_variable(r, SPACE_SHARED);
    else if (ptx_take(r, ".global"))
        ptx_read_variable(r, SPACE_GLOBAL);
    else if (ptx_take(r, ".loc"))
        ptx_read_location(r);
    else if (ptx_take(r, ".pragma"))
        while (!ptx_take(r, ";"))
            ptx_next(r);
    else
        return false;
    return true;
}

void
ptx_read_body(struct reader *r, struct ptx_function *fn)
{
    struct ptx_insn *last;

    r->fn = fn;
    r->insn_room = r->constant_room = r->scope_room = 0;
    r->later = NULL;
    r->source = 0;
    fn->n_slots = 1; /* the first is where results go that nobody wants */
    ptx_want(r, "{");
    for (;;) {
        if (ptx_take(r, "{")) {
            open_scope(r);
        } else if (ptx_is(r, "}")) {
            if (r->scope == 0)
                break;
            r->scope = r->parents[r->scope];
            ptx_next(r);
        } else if (ptx_take(r, ";")) {
            continue;
        } else if (!read_declaration(r)) {
            read_line(r);
        }
    }
    last = add_insn(r); /* who comes to the end returns */
    last->run = op_ret;
    last->name = "ret";
    find_labels(r);
    fn->frame_bytes = (fn->frame_bytes + 15) / 16 * 16;
    ptx_next(r);
}
