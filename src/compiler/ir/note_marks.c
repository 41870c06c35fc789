/* SPDX-License-Identifier: MIT */
/* Marks of comments, and what debug information says of them. For notes.c, values.c, views.c. */
#include "compiler/ir/notes_priv.h"

#include <stdio.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

const char *
ls_notes_string(struct ls_cc *cc, LLVMMetadataRef node, unsigned i)
{
    LLVMMetadataRef s = ls_mark_operand(cc, node, i);
    unsigned n = 0;
    const char *text = s ? LLVMGetMDString(LLVMMetadataAsValue(cc->llvm, s), &n) : NULL;

    return text ? ls_arena_printf(cc->arena, "%.*s", (int)n, text) : "";
}

LLVMValueRef
ls_notes_value(LLVMValueRef call)
{
    LLVMValueRef operand = LLVMGetOperand(call, 0), value = NULL;
    LLVMMetadataKind kind = LLVMGetMetadataKind(LLVMValueAsMetadata(operand));

    if (kind == LLVMLocalAsMetadataMetadataKind || kind == LLVMConstantAsMetadataMetadataKind)
        LLVMGetMDNodeOperands(operand, &value);
    return value;
}

LLVMMetadataRef
ls_notes_function_of(struct ls_cc *cc, LLVMMetadataRef scope)
{
    for (unsigned depth = 0; scope && depth < 64; depth++) {
        if (LLVMGetMetadataKind(scope) == LLVMDISubprogramMetadataKind)
            return scope;
        scope = ls_mark_operand(cc, scope, 1);
    }
    return NULL;
}

unsigned
ls_notes_line_in(struct ls_cc *cc, LLVMValueRef inst, const struct ls_notes_frame *f)
{
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(inst);

    for (unsigned depth = 0; at && depth < 64; depth++) {
        LLVMMetadataRef outside = LLVMDILocationGetInlinedAt(at);

        if (outside == f->inlined_at &&
            ls_notes_function_of(cc, LLVMDILocationGetScope(at)) == f->function)
            return LLVMDILocationGetLine(at);
        at = outside;
    }
    return 0;
}

/* Bytes of a type, and the name that the source gives it. */
unsigned
ls_notes_type_bytes(struct ls_cc *cc, LLVMMetadataRef type, const char **name)
{
    enum { NAME = 2, BASE = 3, LARGEST = 4096 };

    *name = "";
    for (unsigned depth = 0; type && depth < 32; depth++) {
        uint64_t bits = LLVMDITypeGetSizeInBits(type);

        if (!**name)
            *name = ls_notes_string(cc, type, NAME);
        if (LLVMGetMetadataKind(type) == LLVMDICompositeTypeMetadataKind && !**name && bits) {
            const char *element;

            ls_notes_type_bytes(cc, ls_mark_operand(cc, type, BASE), &element);
            *name = element;
        }
        if (bits || LLVMGetMetadataKind(type) != LLVMDIDerivedTypeMetadataKind)
            return bits / 8 > LARGEST ? 0 : (unsigned)(bits / 8);
        type = ls_mark_operand(cc, type, BASE);
    }
    return 0;
}

const char *
ls_notes_path(struct ls_cc *cc, LLVMMetadataRef function)
{
    LLVMMetadataRef file = LLVMDIScopeGetFile(function);
    unsigned n = 0, n_dir = 0;
    const char *name = file ? LLVMDIFileGetFilename(file, &n) : "",
               *dir = file ? LLVMDIFileGetDirectory(file, &n_dir) : "";
    bool whole = (n && name[0] == '/') || !n_dir;

    return ls_arena_printf(cc->arena, "%.*s%s%.*s", whole ? 0 : (int)n_dir, dir, whole ? "" : "/",
                           (int)n, name);
}

const char *
ls_notes_trace(struct ls_notes *p, const struct ls_notes_frame *f, unsigned line)
{
    const char *text = ls_arena_printf(p->cc->arena, "%s\t%s\t%u\t0\n",
                                       ls_notes_string(p->cc, f->function, 2), f->path, line);

    for (LLVMMetadataRef at = f->inlined_at; at; at = LLVMDILocationGetInlinedAt(at)) {
        LLVMMetadataRef fn = ls_notes_function_of(p->cc, LLVMDILocationGetScope(at));

        if (fn)
            text = ls_arena_printf(p->cc->arena, "%s%s\t%s\t%u\t%u\n", text,
                                   ls_notes_string(p->cc, fn, 2), ls_notes_path(p->cc, fn),
                                   LLVMDILocationGetLine(at), LLVMDILocationGetColumn(at));
    }
    return text;
}

struct ls_note *
ls_notes_add(struct ls_cc *cc, unsigned n_bytes)
{
    struct ls_note *note;

    if (cc->n_notes == cc->cap_notes) { /* the old array is left to the arena */
        struct ls_note *old = cc->notes;

        cc->cap_notes = cc->cap_notes ? 2 * cc->cap_notes : 16;
        cc->notes = ls_arena_alloc(cc->arena, cc->cap_notes * sizeof(*cc->notes));
        if (cc->n_notes)
            memcpy(cc->notes, old, cc->n_notes * sizeof(*cc->notes));
    }
    note = &cc->notes[cc->n_notes++];
    *note = (struct ls_note){.n_bytes = n_bytes};
    note->from = ls_arena_alloc(cc->arena, (n_bytes + 1) * sizeof(*note->from));
    memset(note->from, LS_NOTE_NONE, (n_bytes + 1) * sizeof(*note->from));
    return note;
}

/* What the runtime reads: a line for each fact, its name in front. */
const char *
ls_notes_describe(struct ls_notes *p, const struct ls_notes_frame *f,
                  const struct ls_notation_comment *c, const struct ls_notes_subject *s,
                  const char *problem, unsigned line)
{
    struct ls_arena *arena = p->cc->arena;
    char assignment[2048];
    const char *text = ls_arena_printf(arena, "file\t%s\nline\t%u\nnames\t", f->path, line);

    for (unsigned i = 0; i < s->n; i++)
        text = ls_arena_printf(arena, "%s%s%s", text, i ? " " : "", s->variables[i]->name);
    text = ls_arena_printf(arena, "%s\ntype\t%s\ncount\t%u\n", text,
                           s->n ? s->variables[0]->type : "", s->n);
    if (problem)
        text = ls_arena_printf(arena, "%sproblem\t%s\n", text, problem);
    for (size_t i = 0; i < f->source->n_arrays; i++) {
        const struct ls_notation_array *a = &f->source->arrays[i];

        if (a->line < f->first || a->line > f->last)
            continue;
        text = ls_arena_printf(arena, "%sarray\t%s", text, a->name);
        for (unsigned d = 0; d < a->view.n; d++)
            text = ls_arena_printf(arena, "%s\t%s %llu %lld", text, a->index[d],
                                   (unsigned long long)a->view.shape[d],
                                   (long long)a->view.strides[d]);
        text = ls_arena_printf(arena, "%s\n", text);
    }
    if (!c)
        return text;
    ls_notation_print(&c->assignment, "says\t", assignment, sizeof(assignment));
    return ls_arena_printf(arena, "%s%s", text, assignment);
}

void
ls_notes_mark_entry(struct ls_notes *p, const struct ls_notes_frame *f, const char *text,
                    unsigned line)
{
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(p->fn));
    struct ls_note *note;

    while (first && LLVMIsAAllocaInst(first))
        first = LLVMGetNextInstruction(first);
    note = ls_notes_add(p->cc, 0);
    note->text = text;
    LLVMPositionBuilderBefore(p->b, first);
    ls_notes_call(p, f, note, ls_notes_trace(p, f, line), NULL, 0);
}

void
ls_notes_call(struct ls_notes *p, const struct ls_notes_frame *f, struct ls_note *note,
              const char *trace, LLVMValueRef *args, unsigned n)
{
    struct ls_cc *cc = p->cc;
    LLVMTypeRef types[LS_MAX_CALL_ARGS], type;
    struct ls_marker m = {.cc = cc};
    struct ls_check_note *check = ls_mark_note(&m);
    char name[64];
    LLVMValueRef fn, call;

    (void)f;
    check->site.kind = LS_CHECK_NOTE;
    check->site.more = note->is_value ? LS_CHECK_EACH : 0;
    check->trace = trace;
    note->check = cc->n_checks++;
    for (unsigned i = 0; i < n; i++)
        types[i] = LLVMTypeOf(args[i]);
    type = LLVMFunctionType(LLVMVoidTypeInContext(cc->llvm), types, n, false);
    snprintf(name, sizeof(name), "%s%zu", LS_FN_NOTE, (size_t)(note - cc->notes));
    fn = LLVMAddFunction(cc->mod, name, type);
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, ls_ir_attribute(cc, "nounwind", 0));
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, ls_ir_attribute(cc, "willreturn", 0));
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                            ls_ir_attribute(cc, "memory", LS_MEMORY_INACCESSIBLE));
    call = LLVMBuildCall2(p->b, type, fn, args, n, "");
    if (LLVMGetSubprogram(p->fn))
        LLVMInstructionSetDebugLoc(
            call, LLVMDIBuilderCreateDebugLocation(cc->llvm, 0, 0, LLVMGetSubprogram(p->fn), NULL));
}
