/* SPDX-License-Identifier: MIT */
/* Instructions of inline assembly: the table's postfix code, DPP and SDWA by their modifiers,
 * compares, and loads and stores by their names. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "compiler/ir/asm_priv.h"

#define MAX_STACK 16

struct row {
    const char *name, *results, *sources, *code;
};

static const struct row rows[] = {
#define LS_ASM(name, results, sources, code) {name, results, sources, code},
#include "compiler/ir/asm.def"
#undef LS_ASM
};

/* ---- Modifiers ---- */

/* Text behind "name:" among the modifiers, or NULL. */
static const char *
modifier(const struct ls_asm_text *t, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = strstr(t->modifiers, name); at; at = strstr(at + 1, name))
        if ((at == t->modifiers || at[-1] == ' ') && (at[n] == ':' || at[n] == ' ' || !at[n]))
            return at[n] == ':' ? at + n + 1 : at + n;
    return NULL;
}

static long
modifier_number(struct ls_asm_piece *p, const char *at, long otherwise)
{
    unsigned n;

    if (!at)
        return otherwise;
    at += strspn(at, " ");
    if (ls_asm_operand_number(at, &n) && n < p->n_operands && p->operands[n].value &&
        LLVMIsAConstantInt(p->operands[n].value))
        return (long)LLVMConstIntGetSExtValue(p->operands[n].value);
    return strtol(at, NULL, 0);
}

/* Numbers of "[a,b,...]"; how many. */
static unsigned
list_numbers(const char *at, long *out, unsigned max)
{
    unsigned n = 0;

    at += strspn(at, " ");
    if (*at == '[')
        at++;
    while (n < max && (isdigit((unsigned char)*at) || *at == ' ' || *at == ',')) {
        char *end;
        at += strspn(at, " ,");
        if (!isdigit((unsigned char)*at))
            break;
        out[n++] = strtol(at, &end, 0);
        at = end;
    }
    return n;
}

/* The DPP control that the modifiers give, as the builtins number it; -1: none. */
static long
dpp_control(struct ls_asm_piece *p, const struct ls_asm_text *t)
{
    static const struct {
        const char *name;
        long base, extra;
    } forms[] = {
        {"row_shl", 0x100, 0},   {"row_shr", 0x110, 0},   {"row_ror", 0x120, 0},
        {"wave_shl", 0x130, -1}, {"wave_rol", 0x134, -1}, {"wave_shr", 0x138, -1},
        {"wave_ror", 0x13c, -1}, {"row_share", 0x150, 0}, {"row_newbcast", 0x150, 0},
        {"row_xmask", 0x160, 0},
    };
    long q[4];
    const char *at = modifier(t, "quad_perm");

    if (at && list_numbers(at, q, 4) == 4)
        return q[0] | q[1] << 2 | q[2] << 4 | q[3] << 6;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if ((at = modifier(t, forms[i].name)))
            return forms[i].base + (forms[i].extra ? 0 : modifier_number(p, at, 0));
    if (modifier(t, "row_mirror"))
        return 0x140;
    if (modifier(t, "row_half_mirror"))
        return 0x141;
    if ((at = modifier(t, "row_bcast")))
        return modifier_number(p, at, 15) == 31 ? 0x143 : 0x142;
    return -1;
}

/* The DPP modifiers of an instruction. */
struct dpp {
    long ctrl, row_mask, bank_mask;
    bool bound_ctrl;
    LLVMValueRef writes; /* lanes that get the result; NULL: all */
};

static LLVMValueRef
dpp_move(struct ls_asm_piece *p, LLVMValueRef old, LLVMValueRef v, long ctrl, long row_mask,
         long bank_mask, bool bound)
{
    LLVMTypeRef type = ls_asm_type(p, 'i'), flag = ls_asm_type(p, 'm');
    LLVMValueRef args[6] = {old,
                            v,
                            LLVMConstInt(type, (unsigned long long)ctrl, false),
                            LLVMConstInt(type, (unsigned long long)row_mask, false),
                            LLVMConstInt(type, (unsigned long long)bank_mask, false),
                            LLVMConstInt(flag, bound, false)};
    return ls_asm_intrinsic(p, "llvm.amdgcn.update.dpp", &type, 1, args, 6);
}

/* Moves source 0 between the lanes as DPP says, and sets d->writes: the lanes that get the
 * result. */
static LLVMValueRef
dpp_source(struct ls_asm_piece *p, const struct ls_asm_text *t, struct dpp *d, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v), word = ls_asm_type(p, 'i');
    LLVMValueRef zero = LLVMConstNull(word), one = LLVMConstInt(word, 1, false);
    const char *bound = modifier(t, "bound_ctrl");
    long sel[8];

    v = ls_asm_as(p, v, word);
    if (modifier(t, "dpp8")) {
        unsigned long long bits = 0;
        if (list_numbers(modifier(t, "dpp8"), sel, 8) != 8)
            return NULL;
        for (unsigned i = 0; i < 8; i++)
            bits |= (unsigned long long)(sel[i] & 7) << (3 * i);
        LLVMValueRef args[2] = {v, LLVMConstInt(word, bits, false)};
        return ls_asm_as(p, ls_asm_intrinsic(p, "llvm.amdgcn.mov.dpp8", &word, 1, args, 2), type);
    }
    d->row_mask = modifier_number(p, modifier(t, "row_mask"), 15);
    d->bank_mask = modifier_number(p, modifier(t, "bank_mask"), 15);
    d->bound_ctrl = bound != NULL; /* bound_ctrl:0 and bound_ctrl:1 both switch it on */
    if (!d->bound_ctrl || d->row_mask != 15 || d->bank_mask != 15) {
        long ctrl = d->bound_ctrl ? 0xe4 : d->ctrl; /* 0xe4: every lane reads itself */
        LLVMValueRef hit = dpp_move(p, zero, one, ctrl, d->row_mask, d->bank_mask, false);
        d->writes = LLVMBuildICmp(p->b, LLVMIntNE, hit, zero, "");
    }
    return ls_asm_as(p, dpp_move(p, zero, v, d->ctrl, 15, 15, true), type);
}

/* SDWA: part of a register. */
static bool
select_bits(const char *at, unsigned *from, unsigned *bits)
{
    *from = 0;
    *bits = 32;
    if (!at)
        return false;
    if (!strncmp(at, "BYTE_", 5))
        *bits = 8, *from = (unsigned)(at[5] - '0') * 8;
    else if (!strncmp(at, "WORD_", 5))
        *bits = 16, *from = (unsigned)(at[5] - '0') * 16;
    return *bits < 32 && *from < 32;
}

static LLVMValueRef
sdwa_source(struct ls_asm_piece *p, const struct ls_asm_text *t, unsigned i, bool sext,
            LLVMValueRef v)
{
    LLVMTypeRef word = ls_asm_type(p, 'i'), type = LLVMTypeOf(v);
    char name[16] = "src0_sel";
    unsigned from, bits;

    name[3] = (char)('0' + i);
    if (!select_bits(modifier(t, name), &from, &bits))
        return v;
    v = ls_asm_as(p, v, word);
    v = LLVMBuildShl(p->b, v, LLVMConstInt(word, 32 - from - bits, false), "");
    LLVMValueRef down = LLVMConstInt(word, 32 - bits, false);
    v = sext ? LLVMBuildAShr(p->b, v, down, "") : LLVMBuildLShr(p->b, v, down, "");
    return ls_asm_as(p, v, type);
}

static LLVMValueRef
sdwa_result(struct ls_asm_piece *p, const struct ls_asm_text *t, LLVMValueRef v, LLVMValueRef old)
{
    LLVMTypeRef word = ls_asm_type(p, 'i');
    const char *unused = modifier(t, "dst_unused");
    unsigned from, bits;

    if (!select_bits(modifier(t, "dst_sel"), &from, &bits))
        return v;
    unsigned long long part = ((1ull << bits) - 1) << from;
    v = LLVMBuildShl(p->b, ls_asm_as(p, v, word), LLVMConstInt(word, from, false), "");
    v = LLVMBuildAnd(p->b, v, LLVMConstInt(word, part, false), "");
    if (unused && !strncmp(unused, "UNUSED_SEXT", 11)) {
        LLVMValueRef by = LLVMConstInt(word, 32 - from - bits, false);
        v = LLVMBuildAShr(p->b, LLVMBuildShl(p->b, v, by, ""), by, "");
    } else if (unused && !strncmp(unused, "UNUSED_PRESERVE", 15)) {
        old = LLVMBuildAnd(p->b, ls_asm_as(p, old, word), LLVMConstInt(word, ~part, false), "");
        v = LLVMBuildOr(p->b, v, old, "");
    }
    return v;
}

/* neg_lo, neg_hi of packed operands: signs of the first and the second element. */
static LLVMValueRef
packed_sign(struct ls_asm_piece *p, const struct ls_asm_text *t, unsigned i, LLVMValueRef v)
{
    static const char *const names[] = {"neg_lo", "neg_hi"};
    LLVMTypeRef type = LLVMTypeOf(v);
    long bits[4];

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind ||
        LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind)
        return v;
    for (unsigned e = 0; e < 2; e++) {
        const char *at = modifier(t, names[e]);
        if (!at || list_numbers(at, bits, 4) <= i || !bits[i])
            continue;
        LLVMValueRef index = LLVMConstInt(ls_asm_type(p, 'i'), e, false);
        LLVMValueRef x = LLVMBuildExtractElement(p->b, v, index, "");
        v = LLVMBuildInsertElement(p->b, v, LLVMBuildFNeg(p->b, x, ""), index, "");
    }
    return v;
}

/* Whether the instruction has only modifiers that the functions above look for: any other would
 * change the result. */
static bool
modifiers_are_known(struct ls_asm_piece *p, const struct ls_asm_text *t)
{
    static const char *const known[] = {
        "quad_perm", "row_shl",    "row_shr",
        "row_ror",   "row_share",  "row_newbcast",
        "row_xmask", "row_mirror", "row_half_mirror",
        "row_bcast", "wave_shl",   "wave_rol",
        "wave_shr",  "wave_ror",   "row_mask",
        "bank_mask", "bound_ctrl", "dpp8",
        "fi",        "src0_sel",   "src1_sel",
        "dst_sel",   "dst_unused", "neg_lo",
        "neg_hi",    "clamp",      "offset",
        "offen",     "glc",        "slc",
        "dlc",       "nt",         "sc0",
        "sc1",       "scc",        "scope",
        "th",        "off",
    };
    char name[32];

    for (const char *at = t->modifiers; *at;) {
        size_t n = strcspn(at, ": ["), k;
        if (n >= sizeof(name))
            return ls_asm_refuse(p, "a modifier that is not supported");
        memcpy(name, at, n);
        name[n] = '\0';
        for (k = 0; k < sizeof(known) / sizeof(known[0]) && strcmp(name, known[k]); k++)
            ;
        if (n && k == sizeof(known) / sizeof(known[0]))
            return ls_asm_refuse(
                p, ls_arena_printf(p->cc->arena, "the modifier %s is not supported", name));
        int depth = 0;
        for (at += n; *at && (depth || *at != ' '); at++)
            depth += (*at == '[') - (*at == ']');
        at += strspn(at, " ");
    }
    return true;
}

/* ---- Postfix code ---- */

struct machine {
    struct ls_asm_piece *p;
    LLVMValueRef source[10], old[2];
    LLVMValueRef stack[MAX_STACK];
    unsigned depth;
};

static LLVMValueRef
pop(struct machine *m)
{
    LS_ASSERT(m->depth > 0);
    return m->stack[--m->depth];
}

static void
push(struct machine *m, LLVMValueRef v)
{
    LS_ASSERT(v && m->depth < MAX_STACK);
    m->stack[m->depth++] = v;
}

static bool
binary(struct machine *m, const char *op)
{
    static const struct {
        const char *name;
        LLVMOpcode opcode;
    } ops[] = {{"add", LLVMAdd},   {"sub", LLVMSub},   {"mul", LLVMMul},   {"and", LLVMAnd},
               {"or", LLVMOr},     {"xor", LLVMXor},   {"shl", LLVMShl},   {"lshr", LLVMLShr},
               {"ashr", LLVMAShr}, {"fadd", LLVMFAdd}, {"fsub", LLVMFSub}, {"fmul", LLVMFMul},
               {"fdiv", LLVMFDiv}};
    static const struct {
        const char *name;
        LLVMIntPredicate predicate;
    } compares[] = {{"eq", LLVMIntEQ},   {"ne", LLVMIntNE},   {"ult", LLVMIntULT},
                    {"ule", LLVMIntULE}, {"ugt", LLVMIntUGT}, {"uge", LLVMIntUGE},
                    {"slt", LLVMIntSLT}, {"sle", LLVMIntSLE}, {"sgt", LLVMIntSGT},
                    {"sge", LLVMIntSGE}};

    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
        if (!strcmp(op, ops[i].name)) {
            LLVMValueRef r = pop(m), l = pop(m);
            push(m, LLVMBuildBinOp(m->p->b, ops[i].opcode, l, r, ""));
            return true;
        }
    for (size_t i = 0; i < sizeof(compares) / sizeof(compares[0]); i++)
        if (!strcmp(op, compares[i].name)) {
            LLVMValueRef r = pop(m), l = pop(m);
            push(m, LLVMBuildICmp(m->p->b, compares[i].predicate, l, r, ""));
            return true;
        }
    return false;
}

static bool
convert(struct machine *m, const char *op)
{
    static const struct {
        const char *name;
        LLVMOpcode opcode;
    } ops[] = {{"sext.", LLVMSExt},       {"zext.", LLVMZExt},     {"trunc.", LLVMTrunc},
               {"sitofp.", LLVMSIToFP},   {"uitofp.", LLVMUIToFP}, {"fpext.", LLVMFPExt},
               {"fptrunc.", LLVMFPTrunc}, {"bits.", LLVMBitCast}};

    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        size_t n = strlen(ops[i].name);
        if (!strncmp(op, ops[i].name, n) && op[n] && !op[n + 1]) {
            push(m, LLVMBuildCast(m->p->b, ops[i].opcode, pop(m), ls_asm_type(m->p, op[n]), ""));
            return true;
        }
    }
    return false;
}

/* NAME/N/T */
static bool
call_intrinsic(struct machine *m, const char *op)
{
    const char *slash = strchr(op, '/'), *types = strchr(slash + 1, '/');
    const char *name = ls_arena_printf(m->p->cc->arena, "llvm.%.*s", (int)(slash - op), op);
    unsigned n = (unsigned)strtoul(slash + 1, NULL, 10), n_overload = 0;
    LLVMValueRef args[8];
    LLVMTypeRef overload[4];

    LS_ASSERT_FITS(n, 8);
    for (; types && types[1 + n_overload]; n_overload++) {
        LS_ASSERT_FITS(n_overload + 1, 4);
        overload[n_overload] = ls_asm_type(m->p, types[1 + n_overload]);
    }
    for (unsigned i = n; i-- > 0;)
        args[i] = pop(m);
    LLVMValueRef v = ls_asm_intrinsic(m->p, name, overload, n_overload, args, n);
    if (!v)
        return ls_asm_refuse(m->p, "has no lowering");
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVoidTypeKind)
        push(m, v);
    return true;
}

static bool
token(struct machine *m, const char *op)
{
    struct ls_asm_piece *p = m->p;
    LLVMValueRef a, b, c;

    if (isdigit((unsigned char)op[0]) && !op[1])
        return push(m, m->source[op[0] - '0']), true;
    if (op[0] == 'k')
        return push(m, LLVMConstInt(ls_asm_type(p, 'i'),
                                    (unsigned long long)strtoll(op + 1, NULL, 0), true)),
               true;
    if ((op[0] == 'D' || op[0] == 'E') && !op[1])
        return push(m, m->old[op[0] - 'D']), true;
    if ((op[0] == 'T' || op[0] == 'F') && !op[1])
        return push(m, LLVMConstInt(ls_asm_type(p, 'm'), op[0] == 'T', false)), true;
    if (strchr(op, '/'))
        return call_intrinsic(m, op);
    if (!strcmp(op, "not"))
        return push(m, LLVMBuildNot(p->b, pop(m), "")), true;
    if (!strcmp(op, "sel")) {
        c = pop(m), b = pop(m), a = pop(m);
        return push(m, LLVMBuildSelect(p->b, a, b, c, "")), true;
    }
    bool known = binary(m, op) || convert(m, op);
    LS_ASSERT(known);
    return known;
}

static bool
run_code(struct machine *m, const char *code)
{
    char op[48];

    while (*code) {
        size_t n = strcspn(code, " ");
        LS_ASSERT(n < sizeof(op));
        memcpy(op, code, n);
        op[n] = '\0';
        if (n && !token(m, op))
            return false;
        code += n + (code[n] == ' ');
    }
    return true;
}

/* ---- Instructions ---- */

static const struct row *
row_find(const char *name)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}

static LLVMValueRef
clamped(struct ls_asm_piece *p, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef args[2] = {v, LLVMConstNull(type)};

    v = ls_asm_intrinsic(p, "llvm.maxnum", &type, 1, args, 2);
    args[0] = v;
    args[1] = LLVMConstReal(type, 1.0);
    return ls_asm_intrinsic(p, "llvm.minnum", &type, 1, args, 2);
}

static bool
do_row(struct ls_asm_piece *p, const struct ls_asm_text *t, const struct row *row)
{
    struct machine m = {.p = p};
    struct dpp dpp = {.ctrl = dpp_control(p, t)};
    size_t n_results = strlen(row->results), n_sources = strlen(row->sources);
    bool has_dpp = dpp.ctrl >= 0 || modifier(t, "dpp8");

    if (row->sources[0] == '*' || (!n_results && !row->code[0])) {
        m.depth = 0;
        return run_code(&m, row->code);
    }
    /* In instructions with a carry the text may leave vcc out. Otherwise the number of operands
     * must be that of the row. */
    if (t->n_words != n_results + n_sources)
        return ls_asm_refuse(p, "another number of operands than is supported");
    if (!modifiers_are_known(p, t))
        return false;
    for (size_t i = 0; i < n_results && i < 2; i++)
        m.old[i] = ls_asm_old(p, t->word[i], row->results[i]);
    for (size_t i = 0; i < n_sources; i++) {
        const char *word = t->word[n_results + i];
        char inner[64];
        bool sext = !strncmp(word, "sext(", 5);
        strcpy(inner, sext ? word + 5 : word);
        if (sext)
            inner[strcspn(inner, ")")] = '\0';
        LLVMValueRef v = ls_asm_source(p, inner, row->sources[i]);
        if (!v)
            return false;
        if (i < 2)
            v = sdwa_source(p, t, (unsigned)i, sext, v);
        if (i == 0 && has_dpp && !(v = dpp_source(p, t, &dpp, v)))
            return ls_asm_refuse(p, "a DPP form that is not supported");
        m.source[i] = packed_sign(p, t, (unsigned)i, v);
    }
    if (!run_code(&m, row->code))
        return false;
    LS_ASSERT(m.depth == n_results);
    for (size_t i = 0; i < n_results; i++) {
        LLVMValueRef v = m.stack[i];
        if (i == 0 && modifier(t, "clamp")) {
            if (!strchr("fdhp", row->results[0]) ||
                LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind)
                return ls_asm_refuse(p, "the modifier clamp is not supported");
            v = clamped(p, v);
        }
        v = i ? v : sdwa_result(p, t, v, m.old[0]);
        if (dpp.writes)
            v = LLVMBuildSelect(p->b, dpp.writes, v, ls_asm_as(p, m.old[i], LLVMTypeOf(v)), "");
        if (!ls_asm_put(p, t->word[i], v))
            return false;
    }
    return true;
}

/* v_cmp_lt_f32 and its kin: a condition for each lane. */
static bool
do_compare(struct ls_asm_piece *p, const struct ls_asm_text *t)
{
    static const struct {
        const char *name;
        LLVMIntPredicate is_signed, is_unsigned;
        LLVMRealPredicate real;
    } compares[] = {
        {"lt", LLVMIntSLT, LLVMIntULT, LLVMRealOLT},  {"eq", LLVMIntEQ, LLVMIntEQ, LLVMRealOEQ},
        {"le", LLVMIntSLE, LLVMIntULE, LLVMRealOLE},  {"gt", LLVMIntSGT, LLVMIntUGT, LLVMRealOGT},
        {"lg", LLVMIntNE, LLVMIntNE, LLVMRealONE},    {"ne", LLVMIntNE, LLVMIntNE, LLVMRealONE},
        {"ge", LLVMIntSGE, LLVMIntUGE, LLVMRealOGE},  {"neq", LLVMIntNE, LLVMIntNE, LLVMRealUNE},
        {"o", LLVMIntEQ, LLVMIntEQ, LLVMRealORD},     {"u", LLVMIntNE, LLVMIntNE, LLVMRealUNO},
        {"nlt", LLVMIntSGE, LLVMIntUGE, LLVMRealUGE}, {"nle", LLVMIntSGT, LLVMIntUGT, LLVMRealUGT},
        {"ngt", LLVMIntSLE, LLVMIntULE, LLVMRealULE}, {"nge", LLVMIntSLT, LLVMIntULT, LLVMRealULT},
    };
    char what[16] = "", kind = 0;
    unsigned bits = 0;

    if (sscanf(t->name, "v_cmp_%15[a-z]_%c%u", what, &kind, &bits) != 3)
        return ls_asm_refuse(p, "is not supported");
    const char letter = kind == 'f'  ? (bits == 32   ? 'f'
                                        : bits == 64 ? 'd'
                                                     : 'h')
                        : bits == 64 ? 'l'
                        : bits == 32 ? 'i'
                                     : 's';
    if (t->n_words != 3)
        return ls_asm_refuse(p, "another number of operands than is supported");
    for (size_t i = 0; i < sizeof(compares) / sizeof(compares[0]); i++) {
        if (strcmp(what, compares[i].name))
            continue;
        LLVMValueRef l = ls_asm_source(p, t->word[1], letter),
                     r = l ? ls_asm_source(p, t->word[2], letter) : NULL;
        if (!r)
            return false;
        return ls_asm_put(
            p, t->word[0],
            kind == 'f'
                ? LLVMBuildFCmp(p->b, compares[i].real, l, r, "")
                : LLVMBuildICmp(p->b, kind == 'i' ? compares[i].is_signed : compares[i].is_unsigned,
                                l, r, ""));
    }
    return ls_asm_refuse(p, "is not supported");
}

/* Loads and stores: the part of the name that says what lies in memory. */
static const struct {
    const char *name;
    char letter; /* type in memory */
    bool is_signed;
} elements[] = {
    {"ubyte", 'b', false},   {"sbyte", 'b', true},    {"ushort", 's', false},
    {"sshort", 's', true},   {"byte", 'b', false},    {"short", 's', false},
    {"dword", 'i', false},   {"dwordx2", 'l', false}, {"dwordx3", 't', false},
    {"dwordx4", 'x', false}, {"u8", 'b', false},      {"i8", 'b', true},
    {"u16", 's', false},     {"i16", 's', true},      {"b8", 'b', false},
    {"b16", 's', false},     {"b32", 'i', false},     {"b64", 'l', false},
    {"b96", 't', false},     {"b128", 'x', false},
};

static LLVMValueRef
address_of(struct ls_asm_piece *p, const char *word, unsigned space, long offset)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(p->cc->llvm, space), byte = ls_asm_type(p, 'b');
    LLVMValueRef v = ls_asm_word(p, word, ls_asm_type(p, space == 3 ? 'i' : 'l'));

    if (!v)
        return NULL;
    if (LLVMTypeOf(v) != ptr)
        v = LLVMBuildIntToPtr(p->b, ls_asm_as(p, v, ls_asm_type(p, space == 3 ? 'i' : 'l')), ptr,
                              "");
    LLVMValueRef by =
        LLVMConstInt(ls_asm_type(p, space == 3 ? 'i' : 'l'), (unsigned long long)offset, true);
    return offset ? LLVMBuildGEP2(p->b, byte, v, &by, 1, "") : v;
}

/* Whether others must see each access: bits of the cache policy make it volatile. */
static bool
is_coherent(const struct ls_asm_text *t)
{
    return modifier(t, "glc") || modifier(t, "sc0") || modifier(t, "sc1") || modifier(t, "dlc") ||
           modifier(t, "scope");
}

static LLVMValueRef
widened(struct ls_asm_piece *p, LLVMValueRef v, bool is_signed)
{
    LLVMTypeRef word = ls_asm_type(p, 'i');

    if (ls_asm_bits(p, LLVMTypeOf(v)) >= 32)
        return v;
    return is_signed ? LLVMBuildSExt(p->b, v, word, "") : LLVMBuildZExt(p->b, v, word, "");
}

/* buffer_load and buffer_store: (data, offset, resource, scalar offset), with offen. */
static bool
do_buffer(struct ls_asm_piece *p, const struct ls_asm_text *t, bool is_load, char letter,
          bool is_signed)
{
    LLVMTypeRef type = ls_asm_type(p, letter), word = ls_asm_type(p, 'i');
    LLVMValueRef args[5], offset, scalar, zero = LLVMConstNull(word);
    unsigned n = is_load ? 0 : 1;

    if (t->n_words != 4 || !modifier(t, "offen") || modifier(t, "lds"))
        return ls_asm_refuse(p, "this form is not supported");
    LLVMValueRef resource = ls_asm_source(p, t->word[2], 'x');
    if (!resource || !(offset = ls_asm_source(p, t->word[1], 'i')) ||
        !(scalar = ls_asm_source(p, t->word[3], 'i')))
        return false;
    long by = modifier_number(p, modifier(t, "offset"), 0);
    offset = LLVMBuildAdd(p->b, offset, LLVMConstInt(word, (unsigned long long)by, true), "");
    args[n] = resource;
    args[n + 1] = offset;
    args[n + 2] = scalar;
    args[n + 3] = zero;
    if (is_load)
        return ls_asm_put(
            p, t->word[0],
            widened(p, ls_asm_intrinsic(p, "llvm.amdgcn.raw.buffer.load", &type, 1, args, 4),
                    is_signed));
    args[0] = ls_asm_source(p, t->word[0], letter);
    return args[0] && ls_asm_intrinsic(p, "llvm.amdgcn.raw.buffer.store", &type, 1, args, 5);
}

static bool
do_memory(struct ls_asm_piece *p, const struct ls_asm_text *t)
{
    static const struct {
        const char *prefix;
        unsigned space;
        bool is_load, is_buffer;
    } forms[] = {
        {"flat_load_", 0, true, false},   {"flat_store_", 0, false, false},
        {"global_load_", 1, true, false}, {"global_store_", 1, false, false},
        {"ds_read_", 3, true, false},     {"ds_write_", 3, false, false},
        {"ds_load_", 3, true, false},     {"ds_store_", 3, false, false},
        {"buffer_load_", 0, true, true},  {"buffer_store_", 0, false, true},
    };

    for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
        size_t n = strlen(forms[f].prefix);
        if (strncmp(t->name, forms[f].prefix, n))
            continue;
        for (size_t e = 0; e < sizeof(elements) / sizeof(elements[0]); e++) {
            if (strcmp(t->name + n, elements[e].name))
                continue;
            if (!modifiers_are_known(p, t))
                return false;
            if (forms[f].is_buffer)
                return do_buffer(p, t, forms[f].is_load, elements[e].letter, elements[e].is_signed);
            /* global: a third operand, "off" or a scalar base */
            bool has_base = t->n_words == 3 && strcmp(t->word[2], "off");
            if (t->n_words < 2 || t->n_words > 3 || (has_base && forms[f].space != 1))
                return ls_asm_refuse(p, "this form is not supported");
            const char *where = has_base ? t->word[2] : t->word[forms[f].is_load ? 1 : 0];
            LLVMValueRef at =
                address_of(p, where, forms[f].space, modifier_number(p, modifier(t, "offset"), 0));
            LLVMTypeRef type = ls_asm_type(p, elements[e].letter);
            if (at && has_base) {
                LLVMValueRef index = ls_asm_source(p, t->word[forms[f].is_load ? 1 : 0], 'i');
                if (!index)
                    return false;
                index = LLVMBuildZExt(p->b, index, ls_asm_type(p, 'l'), "");
                at = LLVMBuildGEP2(p->b, ls_asm_type(p, 'b'), at, &index, 1, "");
            }
            if (!at)
                return false;
            unsigned bits = ls_asm_bits(p, type), align = bits <= 32 ? bits / 8 : 4;
            if (forms[f].is_load) {
                LLVMValueRef v = LLVMBuildLoad2(p->b, type, at, "");
                LLVMSetAlignment(v, align);
                LLVMSetVolatile(v, is_coherent(t));
                return ls_asm_put(p, t->word[0], widened(p, v, elements[e].is_signed));
            }
            LLVMValueRef v = ls_asm_source(p, t->word[1], elements[e].letter);
            if (!v)
                return false;
            LLVMValueRef store = LLVMBuildStore(p->b, v, at);
            LLVMSetAlignment(store, align);
            LLVMSetVolatile(store, is_coherent(t));
            return true;
        }
    }
    return ls_asm_refuse(p, "is not supported");
}

bool
ls_asm_instruction(struct ls_asm_piece *p, struct ls_asm_text *t)
{
    static const char *const suffixes[] = {"_e32", "_e64", "_dpp", "_dpp8", "_sdwa", "_e64_dpp"};

    p->now = t;
    for (size_t i = sizeof(suffixes) / sizeof(suffixes[0]); i-- > 0;) {
        size_t n = strlen(t->name), k = strlen(suffixes[i]);
        if (n > k && !strcmp(t->name + n - k, suffixes[i])) {
            t->name[n - k] = '\0';
            break;
        }
    }
    const struct row *row = row_find(t->name);
    if (row)
        return do_row(p, t, row);
    if (!strncmp(t->name, "v_cmp_", 6))
        return do_compare(p, t);
    return do_memory(p, t);
}
