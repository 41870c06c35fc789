/* SPDX-License-Identifier: MIT */
/* What an instruction of inline assembly reads and writes. Values are kept as LLVM has them and
 * turned into an operand's type by their bits. Registers that the text names (v5, s[0:1], vcc) are
 * variables of the piece. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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
    return (unsigned)LLVMSizeOfTypeInBits(p->cc->device.layout, type);
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

struct ls_asm_reg *
ls_asm_reg(struct ls_asm_piece *p, const char *name, bool make)
{
    for (unsigned i = 0; i < p->n_regs; i++)
        if (!strcmp(p->regs[i].name, name))
            return &p->regs[i];
    if (!make)
        return NULL;
    if (p->n_regs == MAX_REGISTERS || strlen(name) >= sizeof(p->regs[0].name)) {
        ls_asm_refuse(p, ls_arena_printf(p->cc->arena, "register %s is one of more than %d", name,
                                         MAX_REGISTERS));
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

/* The value of a word without signs, in the type that it has; NULL with a diagnostic. */
LLVMValueRef
ls_asm_word(struct ls_asm_piece *p, const char *word, LLVMTypeRef type)
{
    LLVMValueRef v;
    unsigned n;

    if (ls_asm_operand_number(word, &n)) {
        if (n < p->n_operands && p->operands[n].value)
            return p->operands[n].value;
        if (n < p->n_operands) /* an output that is read before it is written: any value will do */
            return LLVMConstNull(p->operands[n].type);
    } else if (!strcmp(word, "exec") || !strcmp(word, "exec_lo")) {
        return read_exec(p, word[4] ? 32 : 64);
    } else if (is_register(word)) {
        struct ls_asm_reg *r = ls_asm_reg(p, word, false);
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

/* This lane's condition, from a mask in scalar registers. */
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

/* The value of operand `word`, as the type that the letter stands for, with the signs that the text
 * puts around it. */
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

/* Stores a result to the operand or register that `word` names. */
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
    struct ls_asm_reg *r = is_register(word) ? ls_asm_reg(p, word, true) : NULL;
    if (r) {
        r->value = v;
        return true;
    }
    if (!strcmp(word, "null"))
        return true;
    return ls_asm_refuse(p, "a result to this place is not supported");
}

/* The value that the place of a result held before the instruction. */
LLVMValueRef
ls_asm_old(struct ls_asm_piece *p, const char *word, char letter)
{
    unsigned n;

    if (ls_asm_operand_number(word, &n) && n < p->n_outputs)
        return p->operands[n].value ? ls_asm_as(p, p->operands[n].value, ls_asm_type(p, letter))
                                    : LLVMConstNull(ls_asm_type(p, letter));
    struct ls_asm_reg *r = ls_asm_reg(p, word, false);
    return r ? ls_asm_as(p, r->value, ls_asm_type(p, letter))
             : LLVMConstNull(ls_asm_type(p, letter));
}
