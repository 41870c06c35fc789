/* SPDX-License-Identifier: MIT */
/* What reviews ask for besides accesses: marks of blocks of instructions, whose lanes are counted,
 * and of double precision of which only single precision is kept. */
#include <stdio.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "compiler/ir/checks_priv.h"

enum { FEWEST = 3 /* instructions of a block that is counted */, MOST_FOLLOWED = 256 };

/* ---- Steps ---- */

static bool
is_real(LLVMValueRef inst)
{
    const char *callee = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    return !LLVMIsAPHINode(inst) && !LLVMIsAAllocaInst(inst) && !LLVMIsATerminatorInst(inst) &&
           !(callee &&
             (ls_ir_has_prefix(callee, "llvm.dbg") || ls_ir_has_prefix(callee, "llvm.lifetime") ||
              ls_ir_has_prefix(callee, "ls.")));
}

static bool
is_first(LLVMValueRef inst)
{
    for (LLVMValueRef i = LLVMGetPreviousInstruction(inst); i; i = LLVMGetPreviousInstruction(i))
        if (!LLVMIsAPHINode(i) && !LLVMIsAAllocaInst(i))
            return false;
    return !LLVMIsAPHINode(inst) && !LLVMIsAAllocaInst(inst);
}

/* Whose line stands for a block: an access's, else the last instruction's, as the first ones may
 * have come from elsewhere. */
static bool
is_telling(LLVMValueRef inst)
{
    return LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst) || LLVMIsAAtomicRMWInst(inst);
}

/* Operations of arithmetic with floating-point numbers that an instruction makes of a lane's. */
static uint32_t
operations(LLVMValueRef inst, bool *is_double)
{
    static const struct {
        const char *prefix;
        uint32_t n;
    } calls[] = {{"llvm.fma.", 2},  {"llvm.fmuladd.", 2}, {"llvm.sqrt.", 1},
                 {"llvm.exp", 1},   {"llvm.log", 1},      {"llvm.sin.", 1},
                 {"llvm.cos.", 1},  {"llvm.pow", 1},      {"llvm.amdgcn.rcp.", 1},
                 {"llvm.amdgcn.rsq.", 1}, {"llvm.amdgcn.fdot2.", 4}};
    const char *callee = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;
    LLVMTypeRef type = LLVMTypeOf(inst);
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    uint32_t n = op == LLVMFAdd || op == LLVMFSub || op == LLVMFMul || op == LLVMFDiv ||
                 op == LLVMFRem;

    for (size_t i = 0; callee && i < sizeof(calls) / sizeof(calls[0]) && !n; i++)
        n = ls_ir_has_prefix(callee, calls[i].prefix) ? calls[i].n : 0;
    if (n && LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        n *= LLVMGetVectorSize(type);
        type = LLVMGetElementType(type);
    }
    *is_double = LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
    return n;
}

static void
mark_step(struct ls_marker *m, LLVMValueRef inst)
{
    struct ls_check_note *note;
    LLVMValueRef telling = inst;
    uint32_t n = 0, all[2] = {0};

    for (LLVMValueRef i = inst; i; i = LLVMGetNextInstruction(i)) {
        bool is_double;
        uint32_t more = operations(i, &is_double);

        n += is_real(i);
        all[is_double] += more;
        if (is_real(i) && !is_telling(telling))
            telling = i;
    }
    if (n < FEWEST && !all[0] && !all[1])
        return;
    note = ls_mark_note(m);
    note->site.kind = LS_CHECK_STEP;
    note->site.bytes = n;
    note->site.room = all[0];
    note->site.from = all[1];
    note->trace = ls_mark_trace(m->cc, telling);
    LLVMPositionBuilderBefore(m->b, inst);
    ls_mark_call(m, LLVMConstNull(m->i64), NULL, inst);
}

/* ---- Double precision ---- */

/* What a result in double precision is made of. */
struct origin {
    LLVMValueRef seen[MOST_FOLLOWED];
    unsigned n_seen, n_arithmetic;
    bool has_single;
    LLVMValueRef literal, at, call; /* a constant, the instruction that takes it; a call */
    LLVMValueRef variable;          /* a double from memory, or an argument */
};

static bool
is_of(LLVMValueRef v, LLVMTypeKind kind)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == kind;
}

/* Whether an instruction computes in double precision. */
static bool
computes(LLVMValueRef v)
{
    return LLVMIsABinaryOperator(v) || LLVMIsACallInst(v) || LLVMIsAFCmpInst(v);
}

static void
look_at(struct origin *o, LLVMValueRef v, LLVMValueRef user)
{
    if (!is_of(v, LLVMDoubleTypeKind))
        return;
    if (LLVMIsAConstantFP(v)) {
        if (computes(user) && !o->literal) {
            o->literal = v;
            o->at = user;
        }
        return;
    }
    for (unsigned i = 0; i < o->n_seen; i++)
        if (o->seen[i] == v)
            return;
    if (o->n_seen < MOST_FOLLOWED)
        o->seen[o->n_seen++] = v;
}

/* Follows a result to what it is made of. */
static void
follow(struct origin *o, LLVMValueRef from, LLVMValueRef user)
{
    look_at(o, from, user);
    for (unsigned k = 0; k < o->n_seen; k++) {
        LLVMValueRef v = o->seen[k];

        if (LLVMIsAFPExtInst(v)) {
            o->has_single |= is_of(LLVMGetOperand(v, 0), LLVMFloatTypeKind) ||
                             is_of(LLVMGetOperand(v, 0), LLVMHalfTypeKind);
        } else if (LLVMIsALoadInst(v) || LLVMIsAArgument(v)) {
            o->variable = v;
        } else if (LLVMIsAInstruction(v)) {
            o->n_arithmetic += computes(v);
            if (LLVMIsACallInst(v) && !o->call)
                o->call = v;
            for (int i = 0; i < LLVMGetNumOperands(v); i++)
                look_at(o, LLVMGetOperand(v, (unsigned)i), v);
        }
    }
}

/* The function that an instruction was inlined from, where that is one of headers of mathematics.
 */
static bool
math_function(const char *trace, char name[128])
{
    const char *file = trace ? strchr(trace, '\t') : NULL;

    const char *word = file ? strstr(file, "math") : NULL;

    if (!word || file == trace ||
        (size_t)(word - file) > strcspn(file, "\n")) /* of the first frame */
        return false;
    snprintf(name, 128, "%.*s", (int)(file - trace), trace);
    return true;
}

/* Whether an instruction belongs to a mathematical function for floats, which may do inside what it
 * wants. */
static bool
is_within_singles(struct ls_cc *cc, LLVMValueRef inst)
{
    char name[128];

    return math_function(ls_mark_trace(cc, inst), name) && name[strlen(name) - 1] == 'f' &&
           strcmp(name, "erf") != 0;
}

static const char *
say_cause(struct ls_cc *cc, const struct origin *o, const char *trace)
{
    char text[256], name[128];
    size_t n;
    LLVMBool lost;

    if (math_function(trace, name))
        snprintf(text, sizeof(text), "a call of %s", name);
    else if (o->call && !o->literal)
        snprintf(text, sizeof(text), "a call of %s",
                 ls_ir_callee_name(o->call) ? ls_ir_callee_name(o->call) : "a function");
    else if (o->literal)
        snprintf(text, sizeof(text), "the literal %.9g, which is a double",
                 LLVMConstRealGetDouble(o->literal, &lost));
    else if (o->variable)
        snprintf(text, sizeof(text), "a variable of type double");
    else
        snprintf(text, sizeof(text), "a conversion");
    n = strlen(text) + 1;
    return memcpy(ls_arena_alloc(cc->arena, n), text, n);
}

static LLVMValueRef
first_arithmetic(const struct origin *o)
{
    for (unsigned i = 0; i < o->n_seen; i++)
        if (LLVMIsAInstruction(o->seen[i]) && computes(o->seen[i]))
            return o->seen[i];
    return NULL;
}

/* A result that is made single again, or a comparison with what was single. */
static void
mark_double(struct ls_marker *m, LLVMValueRef inst)
{
    struct origin o = {.n_seen = 0};
    struct ls_check_note *note;
    LLVMValueRef at = inst;

    if (LLVMIsAFCmpInst(inst)) {
        follow(&o, LLVMGetOperand(inst, 0), inst);
        follow(&o, LLVMGetOperand(inst, 1), inst);
        o.n_arithmetic++;
        if (o.variable)
            return; /* a double is compared with */
    } else if (LLVMIsAFPTruncInst(inst)) {
        follow(&o, LLVMGetOperand(inst, 0), inst);
        at = first_arithmetic(&o);
    }
    if (!o.has_single || !o.n_arithmetic || !at || is_within_singles(m->cc, inst))
        return;
    note = ls_mark_note(m);
    note->site.kind = LS_CHECK_DOUBLE;
    note->site.bytes = o.n_arithmetic;
    note->trace = ls_mark_trace(m->cc, o.at ? o.at : at);
    note->variable = say_cause(m->cc, &o, note->trace);
    LLVMPositionBuilderBefore(m->b, inst);
    ls_mark_call(m, LLVMConstNull(m->i64), NULL, inst);
}

void
ls_mark_costs(struct ls_marker *m, LLVMValueRef inst)
{
    if (is_first(inst))
        mark_step(m, inst);
    if (LLVMIsAFCmpInst(inst) || LLVMIsAFPTruncInst(inst))
        mark_double(m, inst);
}
