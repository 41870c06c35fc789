/* SPDX-License-Identifier: MIT */
/* Comments in the sources of a kernel that say where elements of an array lie (base/notation.h):
 * finds the variables that they are about, by the program's debug information, and marks the place
 * behind the comment with the variables' values: `ls.note.<n>(values)`. ir/origins.c makes of them
 * where they came from. Done first of all, as what follows keeps no variables. */
#include "compiler/ir/notes_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "base/file.h"
#include "compiler/ir/prepare_priv.h"

enum { MOST_VARIABLES = 64, MOST_NAMES = 512, MOST_FRAMES = 256, LARGEST_SOURCE = 16 << 20 };

/* ---- Debug information ---- */

LLVMMetadataRef
ls_notes_operand(struct ls_cc *cc, LLVMMetadataRef node, unsigned i)
{
    LLVMValueRef v = LLVMMetadataAsValue(cc->llvm, node), parts[32];
    unsigned n = (unsigned)LLVMGetMDNodeNumOperands(v);

    if (i >= n || n > sizeof(parts) / sizeof(*parts))
        return NULL;
    LLVMGetMDNodeOperands(v, parts);
    return parts[i] ? LLVMValueAsMetadata(parts[i]) : NULL;
}

static const char *
string_of(struct ls_cc *cc, LLVMMetadataRef node, unsigned i)
{
    LLVMMetadataRef s = ls_notes_operand(cc, node, i);
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
        scope = ls_notes_operand(cc, scope, 1);
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
            *name = string_of(cc, type, NAME);
        if (LLVMGetMetadataKind(type) == LLVMDICompositeTypeMetadataKind && !**name && bits) {
            const char *element;

            ls_notes_type_bytes(cc, ls_notes_operand(cc, type, BASE), &element);
            *name = element;
        }
        if (bits || LLVMGetMetadataKind(type) != LLVMDIDerivedTypeMetadataKind)
            return bits / 8 > LARGEST ? 0 : (unsigned)(bits / 8);
        type = ls_notes_operand(cc, type, BASE);
    }
    return 0;
}

/* ---- Sources ---- */

struct source {
    const char *path;
    struct ls_notation_file file;
    struct source *next;
};

static const char *
path_of(struct ls_cc *cc, LLVMMetadataRef function)
{
    LLVMMetadataRef file = LLVMDIScopeGetFile(function);
    unsigned n = 0, n_dir = 0;
    const char *name = file ? LLVMDIFileGetFilename(file, &n) : "",
               *dir = file ? LLVMDIFileGetDirectory(file, &n_dir) : "";
    bool whole = (n && name[0] == '/') || !n_dir;

    return ls_arena_printf(cc->arena, "%.*s%s%.*s", whole ? 0 : (int)n_dir, dir, whole ? "" : "/",
                           (int)n, name);
}

static const struct ls_notation_file *
source_of(struct ls_notes *p, const char *path)
{
    struct source *s = p->sources;
    void *text;
    size_t bytes;

    while (s && strcmp(s->path, path) != 0)
        s = s->next;
    if (s)
        return &s->file;
    s = ls_arena_alloc(p->cc->arena, sizeof(*s));
    s->path = path;
    s->next = p->sources;
    p->sources = s;
    if (!ls_file_read(path, &text, &bytes))
        return &s->file;
    if (bytes < LARGEST_SOURCE && !ls_notation_read(text, bytes, &s->file))
        s->file = (struct ls_notation_file){.comments = NULL};
    free(text);
    return &s->file;
}

/* ---- Variables of a function, as often as it was inlined ---- */

static void
add_variable(struct ls_notes *p, struct ls_notes_frame *f, LLVMValueRef call, bool is_value)
{
    LLVMMetadataRef node = LLVMValueAsMetadata(LLVMGetOperand(call, 1));
    struct ls_notes_variable *v;
    LLVMValueRef what;

    for (unsigned i = 0; i < f->n_variables; i++)
        if (f->variables[i].node == node) {
            v = &f->variables[i];
            goto found;
        }
    if (f->n_variables == MOST_VARIABLES * 4)
        return;
    v = &f->variables[f->n_variables++];
    *v = (struct ls_notes_variable){.node = node,
                                    .name = string_of(p->cc, node, 1),
                                    .line = LLVMDIVariableGetLine(node)};
    v->bytes = ls_notes_type_bytes(p->cc, ls_notes_operand(p->cc, node, 3), &v->type);
found:
    what = is_value ? NULL : ls_notes_value(call);
    while (what && LLVMIsAInstruction(what) && LLVMIsAAddrSpaceCastInst(what))
        what = LLVMGetOperand(what, 0);
    if (what && LLVMIsAAllocaInst(what))
        v->place = what;
}

static struct ls_notes_frame *
frame_of(struct ls_notes *p, LLVMMetadataRef location)
{
    LLVMMetadataRef function =
                        ls_notes_function_of(p->cc, LLVMDILocationGetScope(location)),
                    at = LLVMDILocationGetInlinedAt(location);
    struct ls_notes_frame *f;

    for (unsigned i = 0; i < p->n_frames; i++)
        if (p->frames[i].function == function && p->frames[i].inlined_at == at)
            return &p->frames[i];
    if (!function || p->n_frames == MOST_FRAMES)
        return NULL;
    f = &p->frames[p->n_frames++];
    *f = (struct ls_notes_frame){.function = function, .inlined_at = at};
    f->variables = ls_arena_alloc(p->cc->arena, MOST_VARIABLES * 4 * sizeof(*f->variables));
    f->path = path_of(p->cc, function);
    f->first = LLVMDISubprogramGetLine(function);
    return f;
}

static void
find_frames(struct ls_notes *p)
{
    p->n_frames = 0;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(p->fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            const char *name = LLVMIsACallInst(i) ? ls_ir_callee_name(i) : NULL;
            LLVMMetadataRef at;
            struct ls_notes_frame *f;

            if (!name || !ls_ir_has_prefix(name, "llvm.dbg.") ||
                !strcmp(name, "llvm.dbg.label") || !(at = LLVMInstructionGetDebugLoc(i)) ||
                !(f = frame_of(p, at)))
                continue;
            add_variable(p, f, i, !strcmp(name, "llvm.dbg.value"));
        }
    if (!p->n_frames && LLVMGetSubprogram(p->fn)) { /* nothing of it is described but lines */
        struct ls_notes_frame *f = &p->frames[p->n_frames++];

        *f = (struct ls_notes_frame){.function = LLVMGetSubprogram(p->fn)};
        f->path = path_of(p->cc, f->function);
        f->first = LLVMDISubprogramGetLine(f->function);
    }
}

/* ---- What a comment is about ---- */

/* A name without the digits behind it. */
static const char *
stem_of(struct ls_cc *cc, const char *name)
{
    size_t n = strlen(name);

    while (n > 1 && isdigit((unsigned char)name[n - 1]))
        n--;
    return ls_arena_printf(cc->arena, "%.*s", (int)n, name);
}

static bool
is_in_use(const struct ls_notes_frame *f, unsigned i, unsigned line)
{
    /* Of several of a name the one that is declared last, but before. */
    for (unsigned k = 0; k < f->n_variables; k++)
        if (k != i && !strcmp(f->variables[k].name, f->variables[i].name) &&
            f->variables[k].line <= line &&
            (f->variables[k].line > f->variables[i].line || f->variables[i].line > line))
            return false;
    return true;
}

static int
by_digits(const void *a, const void *b)
{
    const struct ls_notes_variable *const *x = a, *const *y = b;
    size_t n = strlen((*x)->name), m = strlen((*y)->name);

    return n != m ? (n < m ? -1 : 1) : strcmp((*x)->name, (*y)->name);
}

/* The variables of that name, or of that name with digits. */
static void
choose(struct ls_notes_subject *s, const struct ls_notes_frame *f, struct ls_cc *cc,
       const char *name, unsigned line, unsigned from)
{
    s->n = 0;
    for (unsigned exact = 0; exact < 2 && !s->n; exact++)
        for (unsigned i = 0; i < f->n_variables; i++) {
            const char *own = f->variables[i].name;

            if (strcmp(exact ? own : stem_of(cc, own), name) != 0 || !f->variables[i].bytes ||
                (!exact && !strcmp(own, name)) || f->variables[i].line < from ||
                !is_in_use(f, i, line) || s->n == MOST_VARIABLES)
                continue;
            s->variables[s->n++] = &f->variables[i];
        }
    qsort(s->variables, s->n, sizeof(*s->variables), by_digits);
}

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Words of the language that stand where variables may. */
static bool
is_keyword(const char *word)
{
    static const char *const all[] = {
        "if",    "else",   "for",      "while",    "do",     "return", "int",  "unsigned", "float",
        "const", "static", "char",     "short",    "long",   "double", "void", "bool",     "auto",
        "this",  "new",    "sizeof",   "struct",   "switch", "case",   "true", "false",    "break",
        "using", "and",    "or",       "not",      "signed", "inline", "goto", "register", "default",
        "class", "union",  "template", "typename", "enum",   "extern", "try",  "continue", "volatile"};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (!strcmp(word, all[i]))
            return true;
    return false;
}

struct names {
    const char *all[2 * MOST_NAMES];
    size_t n;
};

static void
add_name(struct names *to, const char *name)
{
    for (size_t i = 0; i < to->n; i++)
        if (!strcmp(to->all[i], name))
            return;
    if (to->n < 2 * MOST_NAMES)
        to->all[to->n++] = name;
}

/* Whether a variable's name follows behind a word, as behind a type. */
static bool
is_type(const char *behind, size_t space)
{
    const char *next = behind + space;

    if (*next == '*' || *next == '&')
        return space && is_word(next[1]);
    return space && is_word(*next);
}

/* Names that a function's source has besides those of what it calls, and without digits behind:
 * the optimiser may have left no trace of a variable that a comment is about. */
static void
find_names(struct ls_cc *cc, const struct ls_notes_frame *f, struct names *to)
{
    to->n = 0;
    for (unsigned l = f->first; l <= f->last && l <= f->source->n_lines; l++)
        for (const char *at = f->source->lines[l - 1]; *at;) {
            size_t n = 0, space;

            while (is_word(at[n]))
                n++;
            space = strspn(at + n, " ");
            if (n && !isdigit((unsigned char)*at) && at[n + space] != '(' && at[n] != '<' &&
                !is_type(at + n, space)) {
                const char *name = ls_arena_printf(cc->arena, "%.*s", (int)n, at);

                if (!is_keyword(name)) {
                    add_name(to, name);
                    add_name(to, stem_of(cc, name));
                }
            }
            at += n ? n : 1;
        }
}

/* A variable of the source that belongs to those that were found, and is not among them. */
static const char *
missing(struct ls_cc *cc, const struct names *names, const char *stem,
        const struct ls_notes_subject *s)
{
    if (!strcmp(s->variables[0]->name, stem))
        return NULL;
    for (size_t i = 0; i < names->n; i++) {
        unsigned k = 0;

        if (!strcmp(names->all[i], stem) || strcmp(stem_of(cc, names->all[i]), stem) != 0)
            continue;
        while (k < s->n && strcmp(s->variables[k]->name, names->all[i]) != 0)
            k++;
        if (k == s->n)
            return names->all[i];
    }
    return NULL;
}

/* By the comment's words; else what is declared right behind it, or assigned in front of it. *lost:
 * what it is about, if that is no variable that is known. */
static bool
find_subject(struct ls_notes *p, const struct ls_notes_frame *f,
             const struct ls_notation_comment *c, struct ls_notes_subject *s, const char **lost)
{
    struct names *names = ls_arena_alloc(p->cc->arena, sizeof(*names));
    int at;

    *lost = NULL;
    find_names(p->cc, f, names);
    at = ls_notation_subject(c->words, names->all, names->n);
    if (at >= 0) {
        choose(s, f, p->cc, names->all[at], c->last, 0);
        s->is_behind = s->n && s->variables[0]->line > c->last;
        *lost = s->n ? missing(p->cc, names, names->all[at], s) : names->all[at];
        return !*lost;
    }
    /* Behind it, with nothing but empty lines in between; or on its own line. */
    for (unsigned l = c->first; l <= f->last && l <= f->source->n_lines; l++) {
        if (l == c->first ? c->first != c->last : l <= c->last)
            continue;
        for (unsigned i = 0; i < f->n_variables; i++)
            if (f->variables[i].line == l) {
                choose(s, f, p->cc, stem_of(p->cc, f->variables[i].name), l, l);
                s->is_behind = true;
                return s->n > 0;
            }
        if (strspn(f->source->lines[l - 1], " \t\r") != strlen(f->source->lines[l - 1]))
            break;
    }
    return false;
}

/* ---- Marks ---- */

const char *
ls_notes_trace(struct ls_notes *p, const struct ls_notes_frame *f, unsigned line)
{
    const char *text = ls_arena_printf(p->cc->arena, "%s\t%s\t%u\t0\n",
                                       string_of(p->cc, f->function, 2), f->path, line);

    for (LLVMMetadataRef at = f->inlined_at; at; at = LLVMDILocationGetInlinedAt(at)) {
        LLVMMetadataRef fn = ls_notes_function_of(p->cc, LLVMDILocationGetScope(at));

        if (fn)
            text = ls_arena_printf(p->cc->arena, "%s%s\t%s\t%u\t%u\n", text,
                                   string_of(p->cc, fn, 2), path_of(p->cc, fn),
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
ls_notes_describe(struct ls_notes *p, const struct ls_notes_frame *f, const struct ls_notation_comment *c,
         const struct ls_notes_subject *s, const char *problem, unsigned line)
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
ls_notes_mark_entry(struct ls_notes *p, const struct ls_notes_frame *f, const char *text, unsigned line)
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

/* A comment that can't be looked at, and why. */
static void
mark_problem(struct ls_notes *p, const struct ls_notes_frame *f,
             const struct ls_notation_comment *c, const struct ls_notes_subject *s,
             const char *problem, unsigned line)
{
    ls_notes_mark_entry(p, f, ls_notes_describe(p, f, c, s, problem, line), line);
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

/* Says, where the function begins, that there is the comment, as it may be that nobody comes there. */
static void
announce(struct ls_notes *p, const struct ls_notes_frame *f,
         const struct ls_notation_comment *c, const struct ls_notes_subject *s)
{
    ls_notes_mark_entry(p, f, ls_arena_printf(p->cc->arena, "%sannounce\t\n",
                                        ls_notes_describe(p, f, c, s, NULL, c->line)), c->line);
}

/* Marks where the variables are as the comment says. */
static void
mark_comment(struct ls_notes *p, const struct ls_notes_frame *f,
             const struct ls_notation_comment *c)
{
    struct ls_notes_subject s = {.n = 0};
    unsigned n_bytes = 0, marks;
    const char *lost;
    bool is_unsure;

    if (c->error[0]) {
        mark_problem(p, f, NULL, &s, c->error, c->error_line);
        return;
    }
    if (!f->n_variables) {
        mark_problem(p, f, c, &s, "the program was compiled without -g: no variables are known",
                     c->line);
        return;
    }
    if (!find_subject(p, f, c, &s, &lost) && lost) {
        mark_problem(p, f, c, &s,
                     ls_arena_printf(p->cc->arena, "the optimiser kept no values of %s here: -O1 or "
                                                   "-O0 may", lost), c->line);
        return;
    }
    if (!s.n) {
        mark_problem(p, f, c, &s,
                     "it names no variable that is known here, and none is declared behind it: "
                     "x, or x0, x1, ...", c->line);
        return;
    }
    for (unsigned i = 0; i < s.n; i++)
        n_bytes += s.variables[i]->bytes;
    if (n_bytes > LS_NOTE_MOST_BYTES) {
        mark_problem(p, f, c, &s, "the variables are larger than 256 bytes", c->line);
        return;
    }
    marks = ls_notes_mark_values(p, f, &s, s.is_behind ? s.variables[s.n - 1]->line : c->last,
                                 s.is_behind ? LS_NOTES_AT_FIRST : LS_NOTES_AT_LINE,
                                 ls_notes_describe(p, f, c, &s, NULL, c->line),
                                 ls_notes_trace(p, f, c->line), &is_unsure);
    if (marks)
        announce(p, f, c, &s);
    else
        mark_problem(p, f, c, &s,
                     is_unsure
                         ? "the optimiser left no code for assignments near it, which may stand in "
                           "front or behind: -O0 keeps them"
                         : "the optimiser kept no values of the variables here: -O1 or -O0 may",
                     c->line);
}

/* --infer NAME[:LINE] */
static void
mark_inferred(struct ls_notes *p, const struct ls_notes_frame *f)
{
    const char *want = p->cc->opt->infer, *colon = strchr(want, ':');
    const char *name =
        ls_arena_printf(p->cc->arena, "%.*s", (int)(colon ? colon - want : (long)strlen(want)), want);
    unsigned line = colon ? (unsigned)atoi(colon + 1) : 0, n_bytes = 0;
    struct ls_notes_subject s = {.n = 0};
    bool is_unsure;

    if (line && (line < f->first || line > f->last))
        return;
    choose(&s, f, p->cc, name, line ? line : f->last, 0);
    for (unsigned i = 0; i < s.n; i++)
        n_bytes += s.variables[i]->bytes;
    if (!s.n || n_bytes > LS_NOTE_MOST_BYTES)
        return;
    ls_notes_mark_values(p, f, &s, line ? line : f->last - 1,
                         line ? LS_NOTES_AT_LINE : LS_NOTES_AT_LAST,
                         ls_arena_printf(p->cc->arena, "%sinfer\t\n",
                                         ls_notes_describe(p, f, NULL, &s, NULL,
                                                  line ? line : s.variables[0]->line)),
                         ls_notes_trace(p, f, line ? line : s.variables[0]->line), &is_unsure);
}

static void
mark_function(struct ls_notes *p)
{
    find_frames(p);
    for (unsigned i = 0; i < p->n_frames; i++) {
        struct ls_notes_frame *f = &p->frames[i];

        if (strstr(f->path, "/include/hip/"))
            continue;
        f->source = source_of(p, f->path);
        f->last = ls_notation_end_of(f->source, f->first);
        if (p->cc->opt->infer) {
            mark_inferred(p, f);
            continue;
        }
        for (size_t k = 0; f->last && k < f->source->n_comments; k++) {
            const struct ls_notation_comment *c = &f->source->comments[k];

            if (c->line < f->first || c->line > f->last)
                continue;
            if (c->has_assignment)
                mark_comment(p, f, c);
        }
        if (f->last)
            ls_notes_mark_views(p, f);
    }
}

bool
ls_notes_place(struct ls_cc *cc)
{
    struct ls_notes p = {.cc = cc};

    if (!(cc->opt->checks & LS_CHECK_NOTES))
        return true;
    p.b = LLVMCreateBuilderInContext(cc->llvm);
    p.frames = ls_arena_alloc(cc->arena, MOST_FRAMES * sizeof(*p.frames));
    LLVMSetIsNewDbgInfoFormat(cc->mod, false); /* the C API can walk over calls alone */
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn) && LLVMGetSubprogram(fn)) {
            p.fn = fn;
            mark_function(&p);
        }
    LLVMSetIsNewDbgInfoFormat(cc->mod, true);
    LLVMDisposeBuilder(p.b);
    for (struct source *s = p.sources; s; s = s->next)
        ls_notation_free(&s->file);
    return !cc->n_errors;
}
