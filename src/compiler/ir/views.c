/* SPDX-License-Identifier: MIT */
/* Comments on what a pointer points to before and after an offset (base/notation.h): marks the
 * statement behind such a comment with both pointers, and each access through what it made. For
 * notes.c. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "analysis/access.h"
#include "compiler/ir/notes_priv.h"

/* A comment, and the statement that it stands above: `p += ...`, or `T *q = p + ...`. */
struct view {
    const struct ls_notation_comment *comment;
    unsigned first, last; /* lines of the statement */
    const struct ls_notes_variable *from, *to;
    unsigned bytes;    /* of what is pointed to */
    LLVMValueRef made; /* the pointer behind it, where it has no place; NULL: not found */
    bool is_marked;
};

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* ---- The statement ---- */

static bool
is_blank(const char *line)
{
    return line[strspn(line, " \t\r")] == '\0';
}

/* Bytes of what a variable points to; 0: it is no pointer, or to what is unknown. */
static unsigned
pointee_bytes(struct ls_cc *cc, const struct ls_notes_variable *v)
{
    enum { TYPE = 3, BASE = 3 };
    LLVMMetadataRef type = ls_mark_operand(cc, v->node, TYPE);
    const char *name;

    /* Qualifiers have no size of their own. */
    for (unsigned depth = 0; type && depth < 8; depth++) {
        if (LLVMGetMetadataKind(type) != LLVMDIDerivedTypeMetadataKind)
            return 0;
        if (LLVMDITypeGetSizeInBits(type))
            return ls_notes_type_bytes(cc, ls_mark_operand(cc, type, BASE), &name);
        type = ls_mark_operand(cc, type, BASE);
    }
    return 0;
}

static const struct ls_notes_variable *
find_pointer(struct ls_cc *cc, const struct ls_notes_frame *f, const char *name, size_t n,
             unsigned line)
{
    const struct ls_notes_variable *best = NULL;

    for (unsigned i = 0; i < f->n_variables; i++) {
        const struct ls_notes_variable *v = &f->variables[i];

        if (strlen(v->name) == n && !memcmp(v->name, name, n) && v->line <= line &&
            pointee_bytes(cc, v) && (!best || v->line > best->line))
            best = v;
    }
    return best;
}

/* The first pointers that are named in front of `=` and behind it. */
static bool
read_statement(struct ls_notes *p, const struct ls_notes_frame *f, struct view *v)
{
    const char *const *lines = (const char *const *)f->source->lines;
    bool is_behind = false;

    v->first = v->comment->last + 1;
    while (v->first <= f->last && is_blank(lines[v->first - 1]))
        v->first++;
    for (v->last = v->first; v->last <= f->last; v->last++)
        for (const char *at = lines[v->last - 1]; *at;) {
            const struct ls_notes_variable *one;
            size_t n = 0;

            while (is_word(at[n]))
                n++;
            if (*at == ';')
                goto end;
            if (*at == '=') {
                is_behind = true;
                if (v->to && at > lines[v->last - 1] && strchr("+-", at[-1]))
                    v->from = v->to;
            }
            one = n ? find_pointer(p->cc, f, at, n, v->last) : NULL;
            if (one && !is_behind && !v->to)
                v->to = one;
            else if (one && is_behind && !v->from)
                v->from = one;
            at += n ? n : 1;
        }
end:
    if (!v->to || !v->from)
        return false;
    v->bytes = pointee_bytes(p->cc, v->to);
    return true;
}

/* ---- Marks ---- */

static const char *
say_view(struct ls_notes *p, const char *text, const char *head, const struct ls_notation_view *w)
{
    text = ls_arena_printf(p->cc->arena, "%s%s\t-", text, head);
    for (unsigned i = 0; i < w->n; i++)
        text = ls_arena_printf(p->cc->arena, "%s\t- %llu %lld", text,
                               (unsigned long long)w->shape[i], (long long)w->strides[i]);
    return ls_arena_printf(p->cc->arena, "%s\n", text);
}

static const char *
describe(struct ls_notes *p, const struct ls_notes_frame *f, const struct view *v,
         const char *problem, unsigned access_line, unsigned access_bytes)
{
    struct ls_notes_subject s = {.n = v->to ? 1 : 0};
    const char *text;

    s.variables[0] = v->to;
    text = ls_notes_describe(p, f, NULL, &s, problem, access_line ? access_line : v->comment->line);
    if (problem)
        return text;
    text = ls_arena_printf(p->cc->arena, "%slevel\t%u\nelement\t%u\n", text, v->comment->level,
                           v->bytes);
    if (access_line)
        text = ls_arena_printf(p->cc->arena, "%saccess\t%u\ncomment\t%u\n", text, access_bytes,
                               v->comment->line);
    return say_view(p, say_view(p, text, "before", &v->comment->before), "after",
                    &v->comment->after);
}

static void
mark(struct ls_notes *p, const struct ls_notes_frame *f, const char *text, unsigned line,
     LLVMValueRef one, LLVMValueRef two)
{
    struct ls_note *note = ls_notes_add(p->cc, 0);
    LLVMValueRef args[2] = {one, two};

    note->is_value = true;
    note->text = text;
    ls_notes_call(p, f, note, ls_notes_trace(p, f, line), args, 2);
}

static LLVMValueRef
without_casts(LLVMValueRef v)
{
    while (LLVMIsAInstruction(v) && LLVMIsAAddrSpaceCastInst(v))
        v = LLVMGetOperand(v, 0);
    return v;
}

/* ---- Of code that was optimised: values by llvm.dbg.value ---- */

static bool
is_value_of(LLVMValueRef inst, const struct ls_notes_frame *f, const struct ls_notes_variable *v,
            LLVMValueRef *value)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(inst);

    *value = NULL;
    if (!name || strcmp(name, "llvm.dbg.value") != 0 || !at ||
        LLVMDILocationGetInlinedAt(at) != f->inlined_at ||
        LLVMValueAsMetadata(LLVMGetOperand(inst, 1)) != v->node)
        return false;
    *value = ls_notes_value(inst);
    return *value && LLVMGetTypeKind(LLVMTypeOf(*value)) == LLVMPointerTypeKind &&
           !LLVMIsUndef(*value) && !LLVMIsPoison(*value);
}

static void
mark_value(struct ls_notes *p, const struct ls_notes_frame *f, struct view *v)
{
    LLVMValueRef before = NULL, value;

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(p->fn); bb && !v->is_marked;
         bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i && !v->is_marked;
             i = LLVMGetNextInstruction(i)) {
            unsigned line;

            if (is_value_of(i, f, v->to, &value) && LLVMIsAInstruction(value) &&
                (line = ls_notes_line_in(p->cc, value, f)) >= v->first && line <= v->last) {
                LLVMBasicBlockRef from =
                    before && LLVMIsAInstruction(before) ? LLVMGetInstructionParent(before) : bb;

                if (!before || from != bb || LLVMGetInstructionParent(value) != bb)
                    return;
                LLVMPositionBuilderBefore(p->b, LLVMGetNextInstruction(i));
                mark(p, f, describe(p, f, v, NULL, 0, 0), v->comment->line, before, value);
                v->made = value;
                v->is_marked = true;
            }
            if (is_value_of(i, f, v->from, &value))
                before = value;
        }
}

/* Where nothing is left of the variables: the pointer arithmetic of the statement's lines. */
static void
mark_arithmetic(struct ls_notes *p, const struct ls_notes_frame *f, struct view *v)
{
    LLVMValueRef last = NULL, before;

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(p->fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            unsigned line = LLVMIsAGetElementPtrInst(i) ? ls_notes_line_in(p->cc, i, f) : 0;

            if (line < v->first || line > v->last)
                continue;
            if (last && LLVMGetInstructionParent(last) != bb)
                return; /* several: which one is meant is not known */
            last = i;
        }
    if (!last)
        return;
    before = LLVMGetOperand(last, 0);
    while (LLVMIsAInstruction(before) && LLVMIsAGetElementPtrInst(before) &&
           ls_notes_line_in(p->cc, before, f) >= v->first &&
           ls_notes_line_in(p->cc, before, f) <= v->last)
        before = LLVMGetOperand(before, 0);
    LLVMPositionBuilderBefore(p->b, LLVMGetNextInstruction(last));
    mark(p, f, describe(p, f, v, NULL, 0, 0), v->comment->line, before, last);
    v->made = last;
    v->is_marked = true;
}

/* ---- Of variables in memory ---- */

/* The next store to a place in a line of the statement. */
static void
mark_place(struct ls_notes *p, const struct ls_notes_frame *f, struct view *v)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(p->fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef before;
            unsigned line;

            if (!LLVMIsAStoreInst(i) || without_casts(LLVMGetOperand(i, 1)) != v->to->place ||
                (line = ls_notes_line_in(p->cc, i, f)) < v->first || line > v->last)
                continue;
            LLVMPositionBuilderBefore(p->b, i); /* the place has the pointer before still */
            before = LLVMBuildLoad2(p->b, LLVMTypeOf(LLVMGetOperand(i, 0)), v->from->place, "");
            mark(p, f, describe(p, f, v, NULL, 0, 0), v->comment->line, before,
                 LLVMGetOperand(i, 0));
            v->is_marked = true;
            return;
        }
}

/* ---- Accesses ---- */

/* What an access goes to: a pointer that a comment speaks of, and which one. */
static const struct view *
view_of(struct ls_notes *p, const struct ls_notes_frame *f, const struct view *all, unsigned n,
        LLVMValueRef inst, LLVMValueRef pointer, LLVMValueRef *base)
{
    unsigned line = ls_notes_line_in(p->cc, inst, f);
    const struct view *found = NULL;

    for (LLVMValueRef at = pointer; !found; at = LLVMGetOperand(at, 0)) {
        LLVMValueRef place = LLVMIsAInstruction(at) && LLVMIsALoadInst(at)
                                 ? without_casts(LLVMGetOperand(at, 0))
                                 : NULL;

        for (unsigned i = 0; i < n; i++)
            if (all[i].is_marked && ((all[i].made && all[i].made == at) ||
                                     (place && place == all[i].to->place && line > all[i].last)))
                found = &all[i]; /* the last one that is above */
        *base = at;
        if (!LLVMIsAInstruction(at) ||
            (!LLVMIsAGetElementPtrInst(at) && !LLVMIsAAddrSpaceCastInst(at)))
            break;
    }
    return found;
}

static void
mark_accesses(struct ls_notes *p, const struct ls_notes_frame *f, const struct view *all,
              unsigned n)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(p->fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef pointer, base;
            LLVMTypeRef type;
            const struct view *v;
            unsigned bytes, line;

            if (!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i))
                continue;
            pointer = LLVMGetOperand(i, LLVMIsALoadInst(i) ? 0 : 1);
            type = LLVMIsALoadInst(i) ? LLVMTypeOf(i) : LLVMTypeOf(LLVMGetOperand(i, 0));
            v = view_of(p, f, all, n, i, pointer, &base);
            if (!v)
                continue;
            line = ls_notes_line_in(p->cc, i, f);
            bytes = (unsigned)LLVMStoreSizeOfType(p->cc->device.layout, type);
            LLVMPositionBuilderBefore(p->b, i);
            mark(p, f, describe(p, f, v, NULL, line ? line : v->comment->line, bytes),
                 line ? line : v->comment->line, base, pointer);
        }
}

void
ls_notes_mark_views(struct ls_notes *p, const struct ls_notes_frame *f)
{
    struct view *all;
    unsigned n = 0;

    all = ls_arena_alloc(p->cc->arena, (f->source->n_comments + 1) * sizeof(*all));
    for (size_t k = 0; k < f->source->n_comments; k++) {
        struct view v = {.comment = &f->source->comments[k]};
        const char *problem = v.comment->error[0] ? v.comment->error : NULL;

        if (v.comment->has_assignment || v.comment->line < f->first || v.comment->line > f->last)
            continue;
        if (!problem && !f->n_variables)
            problem = "the program was compiled without -g: no variables are known";
        else if (!problem && !read_statement(p, f, &v))
            problem = "behind it stands no statement that makes a pointer of one: p += ...";
        if (!problem && v.to->place && v.from->place)
            mark_place(p, f, &v);
        else if (!problem)
            mark_value(p, f, &v);
        if (!problem && !v.is_marked)
            mark_arithmetic(p, f, &v);
        if (!problem && !v.is_marked)
            problem = "the optimiser kept no values of the pointer here: -O1 or -O0 may";
        if (problem)
            ls_notes_mark_entry(p, f, describe(p, f, &v, problem, 0, 0),
                                v.comment->error[0] ? v.comment->error_line : v.comment->line);
        else
            ls_notes_mark_entry(
                p, f,
                ls_arena_printf(p->cc->arena, "%sannounce\t\n", describe(p, f, &v, NULL, 0, 0)),
                v.comment->line);
        all[n++] = v;
    }
    if (n)
        mark_accesses(p, f, all, n);
}
