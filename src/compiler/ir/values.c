/* SPDX-License-Identifier: MIT */
/* What variables are where the code comes to a line: of code that was optimised by llvm.dbg.value,
 * else what lies in their places. For notes.c. */
#include <stdio.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "compiler/ir/notes_priv.h"

enum { MOST_PASSES = 8 };

/* A byte of the variables, which stand one behind the other. */
struct byte {
    LLVMValueRef value; /* NULL: none is known */
    unsigned at;        /* the byte of it */
};

struct walk {
    struct ls_notes *p;
    const struct ls_notes_frame *f;
    const struct ls_notes_subject *s;
    unsigned line, next_line; /* the line, and the next one that has code */
    enum ls_notes_when when;
    const char *text, *trace;
    unsigned n_bytes, n_marks;
    bool is_unsure;            /* some mark was not made, as it is not known where the line ends */
    struct byte **ins, **outs; /* by block; NULL: not seen yet */
    LLVMBasicBlockRef *blocks;
    unsigned n_blocks;
};

/* ---- What a block makes of the values ---- */

/* "!DIExpression()", or a fragment; false: the value is made of what stands there. */
static bool
read_expression(LLVMValueRef expression, unsigned *at, unsigned *bytes)
{
    char *text = LLVMPrintValueToString(expression);
    const char *fragment = strstr(text, "DW_OP_LLVM_fragment, ");
    unsigned bits, size;
    bool plain;

    *at = *bytes = 0;
    if (fragment && sscanf(fragment, "DW_OP_LLVM_fragment, %u, %u", &bits, &size) == 2) {
        *at = bits / 8;
        *bytes = size / 8;
    }
    plain = strstr(text, "!DIExpression()") || (fragment && strstr(text, "!DIExpression(DW_OP_LLVM_"
                                                                         "fragment"));
    LLVMDisposeMessage(text);
    return plain;
}

/* The place of a variable among the bytes; false: it is none of them. */
static bool
find_variable(const struct walk *w, LLVMMetadataRef node, unsigned *at,
              const struct ls_notes_variable **v)
{
    *at = 0;
    for (unsigned i = 0; i < w->s->n; i++) {
        *v = w->s->variables[i];
        if ((*v)->node == node)
            return true;
        *at += (*v)->bytes;
    }
    return false;
}

static LLVMMetadataRef
inlined_at(LLVMValueRef inst)
{
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(inst);

    return at ? LLVMDILocationGetInlinedAt(at) : NULL;
}

/* Whether a type is bytes one after the other. */
static unsigned
value_bytes(struct ls_cc *cc, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind || !LLVMTypeIsSized(type))
        return 0;
    return (unsigned)LLVMStoreSizeOfType(cc->device.layout, type);
}

/* Follows one llvm.dbg.value; whether it is about these variables. */
static bool
follow(const struct walk *w, LLVMValueRef inst, struct byte *state)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;
    const struct ls_notes_variable *v;
    LLVMValueRef what;
    unsigned at, from, bytes, n;
    bool plain;

    if (!name || strcmp(name, "llvm.dbg.value") != 0 || inlined_at(inst) != w->f->inlined_at ||
        !find_variable(w, LLVMValueAsMetadata(LLVMGetOperand(inst, 1)), &at, &v))
        return false;
    plain = read_expression(LLVMGetOperand(inst, 2), &from, &bytes);
    what = ls_notes_value(inst);
    if (!plain || (what && (LLVMIsPoison(what) || LLVMIsUndef(what))))
        what = NULL;
    n = what ? value_bytes(w->p->cc, LLVMTypeOf(what)) : 0;
    if (!bytes)
        bytes = v->bytes;
    for (unsigned i = 0; i < bytes && from + i < v->bytes; i++)
        state[at + from + i] = i < n ? (struct byte){what, i} : (struct byte){.value = NULL};
    return true;
}

static bool
is_complete(const struct walk *w, const struct byte *state)
{
    unsigned at = 0;

    for (unsigned i = 0; i < w->s->n; i++) {
        const struct ls_notes_variable *v = w->s->variables[i];

        for (unsigned k = 0; !v->place && k < v->bytes; k++)
            if (!state[at + k].value)
                return false;
        at += v->bytes;
    }
    return true;
}

static unsigned
index_of(const struct walk *w, LLVMBasicBlockRef bb)
{
    for (unsigned i = 0; i < w->n_blocks; i++)
        if (w->blocks[i] == bb)
            return i;
    return 0;
}

/* What holds where a block begins, of all who go there that have been seen. */
static void
meet(const struct walk *w, unsigned b, struct byte *state)
{
    bool first = true;

    memset(state, 0, w->n_bytes * sizeof(*state));
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(w->blocks[b])); u;
         u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        const struct byte *out;

        if (!LLVMIsAInstruction(user) || !LLVMIsATerminatorInst(user) ||
            !(out = w->outs[index_of(w, LLVMGetInstructionParent(user))]))
            continue;
        for (unsigned i = 0; i < w->n_bytes; i++)
            if (first)
                state[i] = out[i];
            else if (state[i].value != out[i].value || state[i].at != out[i].at)
                state[i].value = NULL;
        first = false;
    }
}

static void
solve(struct walk *w)
{
    struct ls_arena *arena = w->p->cc->arena;
    size_t bytes = (w->n_bytes + 1) * sizeof(struct byte);
    bool changed = true;

    for (unsigned pass = 0; pass < MOST_PASSES && changed; pass++) {
        changed = false;
        for (unsigned b = 0; b < w->n_blocks; b++) {
            struct byte state[LS_NOTE_MOST_BYTES + 1] = {{NULL, 0}};

            meet(w, b, state);
            if (!w->ins[b])
                w->ins[b] = ls_arena_alloc(arena, bytes);
            memcpy(w->ins[b], state, bytes - sizeof(struct byte));
            for (LLVMValueRef i = LLVMGetFirstInstruction(w->blocks[b]); i;
                 i = LLVMGetNextInstruction(i))
                follow(w, i, state);
            if (!w->outs[b])
                w->outs[b] = ls_arena_alloc(arena, bytes);
            else if (!memcmp(w->outs[b], state, bytes - sizeof(struct byte)))
                continue;
            memcpy(w->outs[b], state, bytes - sizeof(struct byte));
            changed = true;
        }
    }
    /* Not settled: nothing is known where a block begins. */
    for (unsigned b = 0; b < w->n_blocks && changed; b++)
        memset(w->ins[b], 0, bytes);
}

/* ---- Marks ---- */

/* Loads what lies in a variable's place, in pieces as registers have them. */
static void
load_place(const struct walk *w, const struct ls_notes_variable *v, struct byte *to)
{
    LLVMContextRef c = w->p->cc->llvm;
    LLVMTypeRef i8 = LLVMInt8TypeInContext(c);
    LLVMValueRef place = v->place;
    unsigned known = LLVMGetAlignment(place);

    for (unsigned at = 0; at < v->bytes;) {
        unsigned left = v->bytes - at, n = left >= 4 ? 4 : left >= 2 ? 2 : 1;
        LLVMValueRef by = LLVMConstInt(LLVMInt32TypeInContext(c), at, false), value;

        value =
            LLVMBuildLoad2(w->p->b, LLVMIntTypeInContext(c, n * 8),
                           at ? LLVMBuildInBoundsGEP2(w->p->b, i8, place, &by, 1, "") : place, "");
        LLVMSetAlignment(value, known && known < n ? known : n);
        for (unsigned k = 0; k < n; k++)
            to[at + k] = (struct byte){value, k};
        at += n;
    }
}

/* Whether code that comes to `to` from the function's start has not passed `block`. */
static bool
goes_around(const struct walk *w, unsigned block, unsigned to, bool *seen, unsigned at)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(w->blocks[at]);

    if (at == block || seen[at])
        return false;
    if (at == to)
        return true;
    seen[at] = true;
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
        if (goes_around(w, block, to, seen, index_of(w, LLVMGetSuccessor(end, i))))
            return true;
    return false;
}

/* Whether a value is there in front of an instruction: llvm.dbg.value may name what comes later. */
static bool
is_there(const struct walk *w, LLVMValueRef value, LLVMValueRef before)
{
    LLVMBasicBlockRef from, to = LLVMGetInstructionParent(before);
    bool *seen;

    if (!LLVMIsAInstruction(value))
        return true;
    from = LLVMGetInstructionParent(value);
    for (LLVMValueRef i = before; from == to && i; i = LLVMGetPreviousInstruction(i))
        if (i == value)
            return i != before;
    if (from == to)
        return false;
    seen = ls_arena_alloc(w->p->cc->arena, w->n_blocks * sizeof(*seen));
    return !goes_around(w, index_of(w, from), index_of(w, to), seen, 0);
}

static bool
are_there(const struct walk *w, const struct byte *state, LLVMValueRef before)
{
    for (unsigned i = 0; i < w->n_bytes; i++)
        if (state[i].value && (i == 0 || state[i].value != state[i - 1].value) &&
            !is_there(w, state[i].value, before))
            return false;
    return true;
}

static void
mark(struct walk *w, LLVMValueRef before, const struct byte *state)
{
    struct ls_note *note = ls_notes_add(w->p->cc, w->n_bytes);
    struct byte now[LS_NOTE_MOST_BYTES];
    LLVMValueRef args[LS_MAX_CALL_ARGS];
    unsigned n = 0, at = 0;

    while (LLVMIsAPHINode(before))
        before = LLVMGetNextInstruction(before);
    LLVMPositionBuilderBefore(w->p->b, before);
    memcpy(now, state, w->n_bytes * sizeof(*now));
    for (unsigned i = 0; i < w->s->n; i++) {
        if (w->s->variables[i]->place)
            load_place(w, w->s->variables[i], now + at);
        at += w->s->variables[i]->bytes;
    }
    for (unsigned i = 0; i < w->n_bytes; i++) {
        unsigned k = 0;

        while (k < n && args[k] != now[i].value)
            k++;
        if (!now[i].value || k == LS_MAX_CALL_ARGS || now[i].at > 254)
            continue;
        if (k == n)
            args[n++] = now[i].value;
        note->from[i] = (struct ls_note_byte){(uint8_t)k, (uint8_t)now[i].at};
    }
    note->text = w->text;
    ls_notes_call(w->p, w->f, note, w->trace, args, n);
    w->n_marks++;
}

/* Whether all who come to a block have been in code up to the line last. */
static bool
comes_from_before(const struct walk *w, LLVMBasicBlockRef bb, unsigned depth)
{
    bool any = false;

    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(bb)); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef at = LLVMGetUser(u);
        unsigned line = 0;
        LLVMBasicBlockRef from;

        if (!LLVMIsAInstruction(at) || !LLVMIsATerminatorInst(at))
            continue;
        from = LLVMGetInstructionParent(at);
        for (; at && !line; at = LLVMGetPreviousInstruction(at))
            line = ls_notes_line_in(w->p->cc, at, w->f);
        if (!line && (depth == 0 || from == bb || !comes_from_before(w, from, depth - 1)))
            return false;
        if (line > w->line)
            return false;
        any = true;
    }
    return any;
}

/* The line of an instruction. What says that a variable of this frame has a value names that
 * variable's line; of one of a function that was inlined here, the call's. */
static unsigned
line_of(const struct walk *w, LLVMValueRef i)
{
    const char *name = LLVMIsACallInst(i) ? ls_ir_callee_name(i) : NULL;

    if (name && ls_ir_has_prefix(name, "llvm.dbg.") && inlined_at(i) == w->f->inlined_at)
        return 0;
    return ls_notes_line_in(w->p->cc, i, w->f);
}

/* Whether one of the variables gets what another one of them had: no code stands for it, so that it
 * is not known in front of or behind which line that was. */
static bool
is_rename(const struct walk *w, LLVMValueRef inst, const struct byte *before)
{
    const struct ls_notes_variable *v;
    LLVMValueRef value = ls_notes_value(inst);
    unsigned at;

    if (!find_variable(w, LLVMValueAsMetadata(LLVMGetOperand(inst, 1)), &at, &v) ||
        !before[at].value || value == before[at].value)
        return false;
    for (unsigned i = 0; i < w->n_bytes; i++)
        if (before[i].value == value)
            return true;
    return false;
}

/* The next line behind the comment that has code. */
static void
find_next_line(struct walk *w)
{
    for (unsigned b = 0; b < w->n_blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(w->blocks[b]); i;
             i = LLVMGetNextInstruction(i)) {
            unsigned line = line_of(w, i);

            if (line > w->line && (!w->next_line || line < w->next_line))
                w->next_line = line;
        }
}

static void
walk_to_line(struct walk *w, unsigned b)
{
    struct byte state[LS_NOTE_MOST_BYTES + 1];
    bool has_been_before, is_unsure = false;

    memcpy(state, w->ins[b], w->n_bytes * sizeof(*state));
    has_been_before = b == 0 || comes_from_before(w, w->blocks[b], 4);
    for (LLVMValueRef i = LLVMGetFirstInstruction(w->blocks[b]); i; i = LLVMGetNextInstruction(i)) {
        unsigned line = line_of(w, i);
        struct byte before[LS_NOTE_MOST_BYTES + 1];

        memcpy(before, state, w->n_bytes * sizeof(*state));
        if (follow(w, i, state)) {
            is_unsure |= is_rename(w, i, before);
            continue;
        }
        if (line && line <= w->line) {
            has_been_before = true;
            is_unsure = false;
        } else if (line == w->next_line && line && has_been_before && is_complete(w, state) &&
                   are_there(w, state, i)) {
            if (is_unsure)
                w->is_unsure = true;
            else
                mark(w, i, state);
            has_been_before = false;
        }
    }
}

static void
walk_assignments(struct walk *w, unsigned b)
{
    struct byte state[LS_NOTE_MOST_BYTES + 1], last[LS_NOTE_MOST_BYTES];
    LLVMValueRef at = NULL;
    bool was_complete;

    memcpy(state, w->ins[b], w->n_bytes * sizeof(*state));
    was_complete = is_complete(w, state);
    for (LLVMValueRef i = LLVMGetFirstInstruction(w->blocks[b]); i; i = LLVMGetNextInstruction(i)) {
        if (!follow(w, i, state) || !is_complete(w, state) ||
            (w->when == LS_NOTES_AT_FIRST && was_complete))
            continue;
        was_complete = true;
        at = LLVMGetNextInstruction(i);
        memcpy(last, state, w->n_bytes * sizeof(*state));
    }
    while (at && !are_there(w, last, at))
        at = LLVMGetNextInstruction(at);
    if (at)
        mark(w, at, last);
}

unsigned
ls_notes_mark_values(struct ls_notes *p, const struct ls_notes_frame *f,
                     const struct ls_notes_subject *s, unsigned line, enum ls_notes_when when,
                     const char *text, const char *trace, bool *is_unsure)
{
    struct walk w = {
        .p = p, .f = f, .s = s, .line = line, .when = when, .text = text, .trace = trace};
    struct ls_arena *arena = p->cc->arena;
    bool has_places = false;

    for (unsigned i = 0; i < s->n; i++) {
        w.n_bytes += s->variables[i]->bytes;
        has_places |= s->variables[i]->place != NULL;
    }
    w.n_blocks = LLVMCountBasicBlocks(p->fn);
    w.blocks = ls_arena_alloc(arena, w.n_blocks * sizeof(*w.blocks));
    LLVMGetBasicBlocks(p->fn, w.blocks);
    w.ins = ls_arena_alloc(arena, w.n_blocks * sizeof(struct byte *));
    w.outs = ls_arena_alloc(arena, w.n_blocks * sizeof(struct byte *));
    solve(&w);
    find_next_line(&w);
    for (unsigned b = 0; b < w.n_blocks; b++)
        if (when == LS_NOTES_AT_LINE || has_places)
            walk_to_line(&w, b);
        else
            walk_assignments(&w, b);
    /* The next line's code stands before the values, or there is none. */
    for (unsigned b = 0; b < w.n_blocks && !w.n_marks && when == LS_NOTES_AT_LINE && !has_places;
         b++)
        if (!w.next_line)
            walk_assignments(&w, b);
    *is_unsure = w.is_unsure;
    return w.n_marks;
}
