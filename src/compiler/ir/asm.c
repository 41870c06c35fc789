/* SPDX-License-Identifier: MIT */
/* Inline assembly becomes ordinary code for one thread: template and constraints are read, each
 * instruction is built by the table asm.def (asm_do.c), and the call is replaced by what its
 * outputs hold. Later stages never see assembly. What is in no table is a diagnostic that names the
 * instruction. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "base/log.h"
#include "compiler/ir/asm_priv.h"

/* ---- The text ---- */

static bool
is_modifier(const char *word)
{
    size_t n = strcspn(word, ":");
    static const char *const flags[] = {
        "row_mirror", "row_half_mirror", "glc",   "slc",   "dlc", "nt",  "sc0", "sc1",
        "scc",        "offen",           "idxen", "clamp", "lds", "tfe", "gds", "off"};

    if (word[n] == ':' && isalpha((unsigned char)word[0]))
        return true;
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        if (!strcmp(word, flags[i]))
            return strcmp(word, "off") != 0;
    return false;
}

/* One line without its comment: mnemonic, operands, modifiers. */
static bool
split_line(struct ls_asm_piece *p, const char *line, size_t n, struct ls_asm_text *t)
{
    size_t at = 0, used = 0;

    memset(t, 0, sizeof(*t));
    while (at < n && isspace((unsigned char)line[at]))
        at++;
    while (at < n && !isspace((unsigned char)line[at]) && used + 1 < sizeof(t->name))
        t->name[used++] = line[at++];
    p->now = t;
    bool in_modifiers = false;
    while (at < n) {
        while (at < n && (isspace((unsigned char)line[at]) || line[at] == ','))
            at++;
        size_t from = at;
        for (int depth = 0;
             at < n && (depth > 0 || (!isspace((unsigned char)line[at]) && line[at] != ',')); at++)
            depth += (line[at] == '[' || line[at] == '(' || line[at] == '{') -
                     (line[at] == ']' || line[at] == ')' || line[at] == '}');
        size_t length = at - from;
        if (!length)
            continue;
        char word[96];
        if (length >= sizeof(word))
            return ls_asm_refuse(p, "an operand that is too long");
        memcpy(word, line + from, length);
        word[length] = '\0';
        in_modifiers |= is_modifier(word);
        if (in_modifiers) {
            if (strlen(t->modifiers) + length + 2 > sizeof(t->modifiers))
                return ls_asm_refuse(p, "too many modifiers");
            if (t->modifiers[0])
                strcat(t->modifiers, " ");
            strcat(t->modifiers, word);
            continue;
        }
        if (t->n_words == MAX_WORDS || length >= sizeof(t->word[0]))
            return ls_asm_refuse(p, "too many operands");
        strcpy(t->word[t->n_words++], word);
    }
    return true;
}

/* The text with braces and bars in place of "$(", "$|" and "$)": clang escapes them so, as in
 * LLVM's templates they choose between dialects. */
static char *
unescaped(struct ls_asm_piece *p, const char *text, size_t *length)
{
    char *out = ls_arena_alloc(p->cc->arena, *length + 1);
    size_t n = 0;

    for (size_t i = 0; i < *length; i++) {
        const char *escape = text[i] == '$' && i + 1 < *length ? strchr("(|)", text[i + 1]) : NULL;
        out[n++] = escape ? "{|}"[*escape == '(' ? 0 : *escape == '|' ? 1 : 2] : text[i];
        i += escape != NULL;
    }
    *length = n;
    return out;
}

static bool
do_lines(struct ls_asm_piece *p, const char *text, size_t length)
{
    text = unescaped(p, text, &length);
    for (size_t at = 0; at < length;) {
        size_t end = at, stop;
        struct ls_asm_text t;

        while (end < length && text[end] != '\n')
            end++;
        for (stop = at; stop < end && text[stop] != ';' &&
                        !(text[stop] == '/' && stop + 1 < end && text[stop + 1] == '/');)
            stop++;
        if (!split_line(p, text + at, stop - at, &t))
            return false;
        if (t.name[0] && !ls_asm_instruction(p, &t))
            return false;
        at = end + 1;
    }
    return true;
}

/* ---- Constraints ---- */

static bool
read_constraint(struct ls_asm_piece *p, const char *c, size_t n, unsigned *n_inputs)
{
    struct ls_asm_operand *o = &p->operands[p->n_operands];

    if (n && c[0] == '~') {
        p->clobbers_memory |= n == 9 && !strncmp(c, "~{memory}", 9);
        return true;
    }
    LS_ASSERT_FITS(p->n_operands, MAX_OPERANDS - 1);
    memset(o, 0, sizeof(*o));
    o->is_output = n && c[0] == '=';
    for (size_t i = 0; i < n; i++) {
        if (c[i] == '*')
            return ls_diag(p->cc, LS_DIAG_ERROR, p->call,
                           "inline assembly with an operand in memory is not supported");
        if (c[i] == '{' && n - i - 2 < sizeof(o->reg))
            memcpy(o->reg, c + i + 1, strcspn(c + i + 1, "}"));
    }
    if (!o->is_output) {
        o->is_tied = n && isdigit((unsigned char)c[0]);
        o->tied_to = o->is_tied ? (unsigned)strtoul(c, NULL, 10) : 0;
        o->value = LLVMGetOperand(p->call, (*n_inputs)++);
    }
    p->n_operands++;
    p->n_outputs += o->is_output;
    return true;
}

/* Clobbers are none; "+v" is two, an output and an input tied to it. */
static unsigned
count_operands(const char *text, size_t length)
{
    unsigned n = 0;

    for (size_t at = 0; at < length; at++)
        n += (at == 0 || text[at - 1] == ',') && text[at] != '~';
    return n;
}

static bool
read_constraints(struct ls_asm_piece *p, const char *text, size_t length)
{
    LLVMTypeRef result = LLVMTypeOf(p->call);
    unsigned n_inputs = 0, n_out = 0, n = count_operands(text, length);

    if (n > MAX_OPERANDS)
        return ls_diag(p->cc, LS_DIAG_ERROR, p->call,
                       "inline assembly with %u operands (at most %d)", n, MAX_OPERANDS);
    for (size_t at = 0; at < length;) {
        size_t end = at;
        while (end < length && text[end] != ',')
            end++;
        if (!read_constraint(p, text + at, end - at, &n_inputs))
            return false;
        at = end + 1;
    }
    p->is_void = LLVMGetTypeKind(result) == LLVMVoidTypeKind;
    for (unsigned i = 0; i < p->n_operands; i++) {
        struct ls_asm_operand *o = &p->operands[i];
        if (o->is_output)
            o->type = p->n_outputs > 1 ? LLVMStructGetTypeAtIndex(result, n_out++) : result;
        if (o->is_tied && o->tied_to < p->n_outputs)
            p->operands[o->tied_to].value = ls_asm_as(p, o->value, p->operands[o->tied_to].type);
        if (!o->is_output && o->reg[0]) {
            struct ls_asm_reg *r = ls_asm_reg(p, o->reg, true);
            if (r)
                r->value = o->value;
        }
    }
    return true;
}

/* Replaces the call by the values that its outputs hold at the end. */
static void
replace_call(struct ls_asm_piece *p)
{
    LLVMTypeRef type = LLVMTypeOf(p->call);
    LLVMValueRef all = p->n_outputs > 1 ? LLVMGetPoison(type) : NULL;

    for (unsigned i = 0; i < p->n_outputs; i++) {
        struct ls_asm_operand *o = &p->operands[i];
        struct ls_asm_reg *r = o->reg[0] ? ls_asm_reg(p, o->reg, false) : NULL;
        LLVMValueRef v = r ? ls_asm_as(p, r->value, o->type) : o->value;

        v = v ? v : LLVMConstNull(o->type);
        all = all ? LLVMBuildInsertValue(p->b, all, v, i, "") : v;
    }
    if (!p->is_void && all)
        LLVMReplaceAllUsesWith(p->call, all);
    LLVMInstructionEraseFromParent(p->call);
}

static bool
lower_piece(struct ls_cc *cc, LLVMValueRef call)
{
    LLVMValueRef code = LLVMGetCalledValue(call);
    size_t text_bytes, constraint_bytes;
    const char *text = LLVMGetInlineAsmAsmString(code, &text_bytes);
    const char *constraints = LLVMGetInlineAsmConstraintString(code, &constraint_bytes);
    struct ls_asm_piece p = {.cc = cc, .call = call, .b = LLVMCreateBuilderInContext(cc->llvm)};

    LLVMPositionBuilderBefore(p.b, call);
    LLVMMetadataRef where = LLVMInstructionGetDebugLoc(call);
    if (where)
        LLVMSetCurrentDebugLocation2(p.b, where);
    bool ok = read_constraints(&p, constraints, constraint_bytes) && do_lines(&p, text, text_bytes);
    if (ok) {
        if (p.clobbers_memory) /* the fence makes code behind it read memory again; it is no
                                  instruction of the machine */
            LLVMBuildFence(p.b, LLVMAtomicOrderingAcquireRelease, true, "");
        replace_call(&p);
    }
    LLVMDisposeBuilder(p.b);
    return ok;
}

bool
ls_asm_replace(struct ls_cc *cc, bool *changed)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (!LLVMIsACallInst(i) || !LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
                    continue;
                if (!lower_piece(cc, i))
                    return false;
                *changed = true;
            }
    return true;
}
