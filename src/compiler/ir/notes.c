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

/* ---- Sources ---- */

struct source {
    const char *path;
    struct ls_notation_file file;
    struct source *next;
};

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
    *v = (struct ls_notes_variable){
        .node = node, .name = ls_notes_string(p->cc, node, 1), .line = LLVMDIVariableGetLine(node)};
    v->bytes = ls_notes_type_bytes(p->cc, ls_mark_operand(p->cc, node, 3), &v->type);
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
    LLVMMetadataRef function = ls_notes_function_of(p->cc, LLVMDILocationGetScope(location)),
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
    f->path = ls_notes_path(p->cc, function);
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

            if (!name || !ls_ir_has_prefix(name, "llvm.dbg.") || !strcmp(name, "llvm.dbg.label") ||
                !(at = LLVMInstructionGetDebugLoc(i)) || !(f = frame_of(p, at)))
                continue;
            add_variable(p, f, i, !strcmp(name, "llvm.dbg.value"));
        }
    if (!p->n_frames && LLVMGetSubprogram(p->fn)) { /* nothing of it is described but lines */
        struct ls_notes_frame *f = &p->frames[p->n_frames++];

        *f = (struct ls_notes_frame){.function = LLVMGetSubprogram(p->fn)};
        f->path = ls_notes_path(p->cc, f->function);
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
        "if",     "else",   "for",      "while",    "do",      "return", "int",      "unsigned",
        "float",  "const",  "static",   "char",     "short",   "long",   "double",   "void",
        "bool",   "auto",   "this",     "new",      "sizeof",  "struct", "switch",   "case",
        "true",   "false",  "break",    "using",    "and",     "or",     "not",      "signed",
        "inline", "goto",   "register", "default",  "class",   "union",  "template", "typename",
        "enum",   "extern", "try",      "continue", "volatile"};

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

/* A comment that can't be looked at, and why. */
static void
mark_problem(struct ls_notes *p, const struct ls_notes_frame *f,
             const struct ls_notation_comment *c, const struct ls_notes_subject *s,
             const char *problem, unsigned line)
{
    ls_notes_mark_entry(p, f, ls_notes_describe(p, f, c, s, problem, line), line);
}

/* Says, where the function begins, that there is the comment, as it may be that nobody comes there.
 */
static void
announce(struct ls_notes *p, const struct ls_notes_frame *f, const struct ls_notation_comment *c,
         const struct ls_notes_subject *s)
{
    ls_notes_mark_entry(p, f,
                        ls_arena_printf(p->cc->arena, "%sannounce\t\n",
                                        ls_notes_describe(p, f, c, s, NULL, c->line)),
                        c->line);
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
                     ls_arena_printf(p->cc->arena,
                                     "the optimiser kept no values of %s here: -O1 or "
                                     "-O0 may",
                                     lost),
                     c->line);
        return;
    }
    if (!s.n) {
        mark_problem(p, f, c, &s,
                     "it names no variable that is known here, and none is declared behind it: "
                     "x, or x0, x1, ...",
                     c->line);
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
    const char *name = ls_arena_printf(p->cc->arena, "%.*s",
                                       (int)(colon ? colon - want : (long)strlen(want)), want);
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
