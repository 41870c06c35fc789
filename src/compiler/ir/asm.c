/* SPDX-License-Identifier: MIT */
/* Inline assembly becomes ordinary code for one thread: template and constraints are read, each
 * instruction is built by the table asm.def (asm_do.c), and the call is replaced by what its
 * outputs hold. Later stages never see assembly. What is in no table is a diagnostic that names the
 * instruction.
 *
 * Values are kept as LLVM has them and turned into an operand's type by their bits. Registers that
 * the text names (v5, s[0:1], vcc) are variables of the piece. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "compiler/ir/asm_priv.h"

#include "base/log.h"

/* ---- Types by letter ---- */

LLVMTypeRef
ls_asm_type(struct ls_asm_piece *p, char letter)
{
    LLVMContextRef c = p->cc->llvm;

    switch (letter) {
    case 'i':
        return LLVMInt32TypeInContext(c);
    case 'l':
        return LLVMInt64TypeInContext(c);
    case 's':
        return LLVMInt16TypeInContext(c);
    case 'b':
        return LLVMInt8TypeInContext(c);
    case 'm':
        return LLVMInt1TypeInContext(c);
    case 'f':
        return LLVMFloatTypeInContext(c);
    case 'd':
        return LLVMDoubleTypeInContext(c);
    case 'h':
        return LLVMHalfTypeInContext(c);
    case 'p':
        return LLVMVectorType(LLVMHalfTypeInContext(c), 2);
    case 'q':
        return LLVMVectorType(LLVMInt16TypeInContext(c), 2);
    case 'w':
        return LLVMVectorType(LLVMFloatTypeInContext(c), 2);
    case 't':
        return LLVMVectorType(LLVMInt32TypeInContext(c), 3);
    default:
        return LLVMVectorType(LLVMInt32TypeInContext(c), 4);
    }
}

unsigned
ls_asm_bits(struct ls_asm_piece *p, LLVMTypeRef type)
{
    return (unsigned)LLVMSizeOfTypeInBits(p->cc->device_layout, type);
}

/* The same bits as another type; narrower values are extended by zeros, wider ones cut. */
LLVMValueRef
ls_asm_as(struct ls_asm_piece *p, LLVMValueRef v, LLVMTypeRef type)
{
    LLVMTypeRef from = LLVMTypeOf(v);
    unsigned have = ls_asm_bits(p, from), want = ls_asm_bits(p, type);

    if (from == type)
        return v;
    if (LLVMGetTypeKind(from) == LLVMPointerTypeKind)
        v = LLVMBuildPtrToInt(p->b, v, LLVMIntTypeInContext(p->cc->llvm, have), "");
    else if (LLVMGetTypeKind(from) != LLVMIntegerTypeKind)
        v = LLVMBuildBitCast(p->b, v, LLVMIntTypeInContext(p->cc->llvm, have), "");
    if (have < want)
        v = LLVMBuildZExt(p->b, v, LLVMIntTypeInContext(p->cc->llvm, want), "");
    else if (have > want)
        v = LLVMBuildTrunc(p->b, v, LLVMIntTypeInContext(p->cc->llvm, want), "");
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return LLVMBuildIntToPtr(p->b, v, type, "");
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? v : LLVMBuildBitCast(p->b, v, type, "");
}

LLVMValueRef
ls_asm_intrinsic(struct ls_asm_piece *p, const char *name, LLVMTypeRef *overload,
                 unsigned n_overload, LLVMValueRef *args, unsigned n)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));

    if (!id)
        return NULL;
    n_overload = LLVMIntrinsicIsOverloaded(id) ? n_overload : 0;
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(p->cc->mod, id, overload, n_overload);
    LLVMTypeRef type = LLVMGlobalGetValueType(fn), params[8];
    LS_ASSERT_FITS(LLVMCountParamTypes(type), 8);
    LS_ASSERT(LLVMCountParamTypes(type) == n);
    LLVMGetParamTypes(type, params);
    for (unsigned i = 0; i < n; i++)
        args[i] = ls_asm_as(p, args[i], params[i]);
    return LLVMBuildCall2(p->b, type, fn, args, n, "");
}

bool
ls_asm_refuse(struct ls_asm_piece *p, const char *why)
{
    return ls_diag(p->cc, LS_DIAG_ERROR, p->call, "inline assembly: %s: %s",
                   p->now ? p->now->name : "", why);
}

/* ---- Operands in the text ---- */

static struct ls_asm_reg *
reg_find(struct ls_asm_piece *p, const char *name, bool make)
{
    for (unsigned i = 0; i < p->n_regs; i++)
        if (!strcmp(p->regs[i].name, name))
            return &p->regs[i];
    if (!make)
        return NULL;
    if (p->n_regs == MAX_REGISTERS || strlen(name) >= sizeof(p->regs[0].name)) {
        ls_asm_refuse(p, ls_arena_printf(p->cc->arena, "register %s is one of more than %d", name, MAX_REGISTERS));
        return NULL;
    }
    struct ls_asm_reg *r = &p->regs[p->n_regs++];
    strcpy(r->name, name);
    return r;
}

static bool
is_register(const char *word)
{
    static const char *const names[] = {"vcc", "vcc_lo", "m0", "scc"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!strcmp(word, names[i]))
            return true;
    return (word[0] == 'v' || word[0] == 's' || word[0] == 'a') &&
           (isdigit((unsigned char)word[1]) || word[1] == '[');
}

/* "$3" or "${3:x}" -> 3 */
bool
ls_asm_operand_number(const char *word, unsigned *n)
{
    if (*word++ != '$')
        return false;
    word += *word == '{';
    if (!isdigit((unsigned char)*word))
        return false;
    *n = (unsigned)strtoul(word, NULL, 10);
    return true;
}

/* A number of the text as a value of 32 bits, or of the operand's float type. */
static LLVMValueRef
literal(struct ls_asm_piece *p, const char *word, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    char *end;

    if (strchr(word, '.') && !strchr(word, 'x')) {
        double x = strtod(word, &end);
        if (*end)
            return NULL;
        if (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMHalfTypeKind)
            return LLVMConstReal(type, x);
        return LLVMConstBitCast(LLVMConstReal(ls_asm_type(p, 'f'), x), ls_asm_type(p, 'i'));
    }
    long long n = strtoll(word, &end, 0);
    if (end == word || *end)
        return NULL;
    return LLVMConstInt(ls_asm_type(p, ls_asm_bits(p, type) == 64 ? 'l' : 'i'),
                        (unsigned long long)n, true);
}

/* exec as bits; there is no register of it here. */
static LLVMValueRef
read_exec(struct ls_asm_piece *p, unsigned bits)
{
    LLVMTypeRef type = LLVMIntTypeInContext(p->cc->llvm, bits);
    LLVMValueRef on = LLVMConstInt(ls_asm_type(p, 'm'), 1, false);

    return ls_asm_intrinsic(p, "llvm.amdgcn.ballot", &type, 1, &on, 1);
}

/* The value behind a bare word, as it is; NULL with a diagnostic. */
LLVMValueRef
ls_asm_word(struct ls_asm_piece *p, const char *word, LLVMTypeRef type)
{
    LLVMValueRef v;
    unsigned n;

    if (ls_asm_operand_number(word, &n)) {
        if (n < p->n_operands && p->operands[n].value)
            return p->operands[n].value;
        if (n < p->n_operands) /* an output that is read before it is written: anything */
            return LLVMConstNull(p->operands[n].type);
    } else if (!strcmp(word, "exec") || !strcmp(word, "exec_lo")) {
        return read_exec(p, word[4] ? 32 : 64);
    } else if (is_register(word)) {
        struct ls_asm_reg *r = reg_find(p, word, false);
        if (r)
            return r->value;
        ls_asm_refuse(p, "reads a register that nothing was written to");
        return NULL;
    } else if ((v = literal(p, word, type))) {
        return v;
    }
    ls_asm_refuse(p, "an operand of this form is not supported");
    return NULL;
}

static LLVMValueRef
absolute(struct ls_asm_piece *p, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    return ls_asm_intrinsic(p, "llvm.fabs", &type, 1, &v, 1);
}

/* A condition for each lane, from a mask in scalar registers. */
static LLVMValueRef
condition_from_bits(struct ls_asm_piece *p, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);

    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1)
        return v;
    type = ls_asm_type(p, p->cc->n_lanes == 64 ? 'l' : 'i');
    v = ls_asm_as(p, v, type);
    return ls_asm_intrinsic(p, "llvm.amdgcn.inverse.ballot", &type, 1, &v, 1);
}

/* Operand `word` as the letter says, with the signs that the text puts around it. */
LLVMValueRef
ls_asm_source(struct ls_asm_piece *p, const char *word, char letter)
{
    LLVMTypeRef type = ls_asm_type(p, letter);
    bool negate = false, abs = false, is_float = strchr("fdhpw", letter);
    char bare[64];

    strcpy(bare, word);
    if (is_float || strchr(bare, '|') || strchr(bare, '(')) {
        const char *w = bare;
        size_t n;
        if (*w == '-' && !isdigit((unsigned char)w[1]))
            negate = true, w++;
        if (!strncmp(w, "neg(", 4))
            negate = true, w += 4;
        if (!strncmp(w, "abs(", 4))
            abs = true, w += 4;
        if (*w == '|')
            abs = true, w++;
        memmove(bare, w, strlen(w) + 1);
        n = strlen(bare);
        while (n && (bare[n - 1] == ')' || bare[n - 1] == '|'))
            bare[--n] = '\0';
        if ((negate || abs) && !is_float) {
            ls_asm_refuse(p, "a sign or bars at an integer operand are not supported");
            return NULL;
        }
    }
    LLVMValueRef v = ls_asm_word(p, bare, type);
    if (!v)
        return NULL;
    if (letter == 'm')
        return condition_from_bits(p, v);
    v = ls_asm_as(p, v, type);
    v = abs ? absolute(p, v) : v;
    return negate ? LLVMBuildFNeg(p->b, v, "") : v;
}

/* Puts a result where `word` says. */
bool
ls_asm_put(struct ls_asm_piece *p, const char *word, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    bool is_condition =
        LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1;
    unsigned n;

    if (ls_asm_operand_number(word, &n) && n < p->n_outputs) {
        if (is_condition) {
            LLVMTypeRef bits = ls_asm_type(p, p->cc->n_lanes == 64 ? 'l' : 'i');
            v = ls_asm_intrinsic(p, "llvm.amdgcn.ballot", &bits, 1, &v, 1);
        }
        p->operands[n].value = ls_asm_as(p, v, p->operands[n].type);
        return true;
    }
    struct ls_asm_reg *r = is_register(word) ? reg_find(p, word, true) : NULL;
    if (r) {
        r->value = v;
        return true;
    }
    if (!strcmp(word, "null"))
        return true;
    return ls_asm_refuse(p, "a result to this place is not supported");
}

/* What a result's place held before. */
LLVMValueRef
ls_asm_old(struct ls_asm_piece *p, const char *word, char letter)
{
    unsigned n;

    if (ls_asm_operand_number(word, &n) && n < p->n_outputs)
        return p->operands[n].value ? ls_asm_as(p, p->operands[n].value, ls_asm_type(p, letter))
                                    : LLVMConstNull(ls_asm_type(p, letter));
    struct ls_asm_reg *r = reg_find(p, word, false);
    return r ? ls_asm_as(p, r->value, ls_asm_type(p, letter))
             : LLVMConstNull(ls_asm_type(p, letter));
}

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

/* Clang writes braces and bars as "$(", "$|", "$)": in LLVM's templates they choose between
 * dialects. */
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
    if (p->n_operands == MAX_OPERANDS)
        return ls_diag(p->cc, LS_DIAG_ERROR, p->call, "inline assembly with more than %d operands",
                       MAX_OPERANDS);
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

static bool
read_constraints(struct ls_asm_piece *p, const char *text, size_t length)
{
    LLVMTypeRef result = LLVMTypeOf(p->call);
    unsigned n_inputs = 0, n_out = 0;

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
            struct ls_asm_reg *r = reg_find(p, o->reg, true);
            if (r)
                r->value = o->value;
        }
    }
    return true;
}

/* What the operands hold at the end becomes the call's value. */
static void
replace_call(struct ls_asm_piece *p)
{
    LLVMTypeRef type = LLVMTypeOf(p->call);
    LLVMValueRef all = p->n_outputs > 1 ? LLVMGetPoison(type) : NULL;

    for (unsigned i = 0; i < p->n_outputs; i++) {
        struct ls_asm_operand *o = &p->operands[i];
        struct ls_asm_reg *r = o->reg[0] ? reg_find(p, o->reg, false) : NULL;
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
        if (p.clobbers_memory) /* what others wrote is read again; nothing for the hardware to do */
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
