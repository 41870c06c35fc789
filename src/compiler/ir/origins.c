/* SPDX-License-Identifier: MIT */
/* Where the bytes of a value came from: with each value that a mark of notes.c shows go numbers,
 * its origins, the addresses in memory that its bytes were loaded from. What moves bytes moves
 * them, too: choices, shifts by whole bytes, permutes, shuffles between lanes, and shared and
 * private memory, beside which lies a second one for them. What is computed of one element alone
 * keeps its address, as a derived one. Only what leads to a mark gets origins; what stays is i64
 * arithmetic that the vectoriser sees as the program's own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "compiler/ir/notes_priv.h"
#include "compiler/ir/origins_priv.h"
#include "intrin/intrinsics.h"

/* ---- Numbers ---- */

/* ---- Several values that become one ---- */

struct chosen {
    struct ls_origins *o;
    LLVMValueRef condition;
};

static LLVMValueRef
make_select(void *user, LLVMValueRef *bases)
{
    struct chosen *c = user;

    return LLVMBuildSelect(c->o->b, c->condition, bases[0], bases[1], "");
}

static struct ls_origin *
select_bytes(struct ls_origins *o, LLVMValueRef condition, const struct ls_origin *yes,
             const struct ls_origin *no, unsigned n)
{
    const struct ls_origin *from[2] = {yes, no};
    struct chosen c = {o, condition};

    return ls_origins_join(o, from, 2, n, make_select, &c);
}

/* ---- Moving lanes' values to others ---- */

struct moved {
    struct ls_origins *o;
    LLVMValueRef call;
    const char *name; /* the same for i64 */
    unsigned first, n;
};

static LLVMValueRef
make_move(void *user, LLVMValueRef *bases)
{
    struct moved *m = user;
    struct ls_origins *o = m->o;
    unsigned n = LLVMGetNumArgOperands(m->call);
    LLVMValueRef args[8], fn = LLVMGetNamedFunction(o->cc->mod, m->name), made;
    LLVMTypeRef types[8], type;

    for (unsigned i = 0; i < n; i++) {
        args[i] =
            i >= m->first && i < m->first + m->n ? bases[i - m->first] : LLVMGetOperand(m->call, i);
        types[i] = LLVMTypeOf(args[i]);
    }
    type = LLVMFunctionType(o->i64, types, n, false);
    if (!fn) {
        fn = LLVMAddFunction(o->cc->mod, m->name, type);
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                ls_ir_attribute(o->cc, "convergent", 0));
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                ls_ir_attribute(o->cc, "nounwind", 0));
    }
    made = LLVMBuildCall2(o->b, type, fn, args, n, "");
    return made;
}

/* What moves a value between lanes: the argument, or two of them, that it moves. */
static const struct {
    const char *prefix, *wide;
    unsigned first, n;
} MOVES[] = {
    {"llvm.amdgcn.ds.bpermute", "ls.bpermute.i64", 1, 1},
    {"ls.bpermute.", "ls.bpermute.i64", 1, 1},
    {"llvm.amdgcn.ds.swizzle", "ls.swizzle.i64", 0, 1},
    {"ls.swizzle.", "ls.swizzle.i64", 0, 1},
    {"llvm.amdgcn.readfirstlane.", "llvm.amdgcn.readfirstlane.i64", 0, 1},
    {"llvm.amdgcn.readlane.", "llvm.amdgcn.readlane.i64", 0, 1},
    {"llvm.amdgcn.mov.dpp8.", "llvm.amdgcn.mov.dpp8.i64", 0, 1},
    {"llvm.amdgcn.mov.dpp.", "llvm.amdgcn.mov.dpp.i64", 0, 1},
    {"llvm.amdgcn.update.dpp.", "llvm.amdgcn.update.dpp.i64", 0, 2},
};

static struct ls_origin *
of_move(struct ls_origins *o, LLVMValueRef v, const char *name, unsigned n)
{
    for (size_t i = 0; i < sizeof(MOVES) / sizeof(MOVES[0]); i++) {
        struct moved m = {o, v, MOVES[i].wide, MOVES[i].first, MOVES[i].n};
        const struct ls_origin *from[2];

        if (!ls_ir_has_prefix(name, MOVES[i].prefix))
            continue;
        for (unsigned k = 0; k < m.n; k++)
            from[k] = ls_origins_of(o, LLVMGetOperand(v, m.first + k));
        ls_origins_stand_behind(o, v);
        return ls_origins_join(o, from, m.n, n, make_move, &m);
    }
    return NULL;
}

/* ---- Bytes of one value ---- */

/* Moves bytes by a constant: to[i] = from[i + by]. */
static struct ls_origin *
shifted(struct ls_origins *o, const struct ls_origin *from, unsigned n, long by)
{
    struct ls_origin *out = ls_origins_none(o, n);

    for (unsigned i = 0; i < n; i++)
        if ((long)i + by >= 0 && (long)i + by < (long)n)
            out[i] = from[(long)i + by];
    return out;
}

/* By a number that is not known: as it was shifted by each number of bytes. */
static struct ls_origin *
shifted_by(struct ls_origins *o, LLVMValueRef v, const struct ls_origin *from, unsigned n, int sign)
{
    struct ls_origin *out = ls_origins_none(o, n);
    LLVMValueRef by = LLVMGetOperand(v, 1);

    ls_origins_stand_behind(o, v);
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef is =
            LLVMBuildICmp(o->b, LLVMIntEQ, by, LLVMConstInt(LLVMTypeOf(by), k * 8, false), "");

        out = select_bytes(o, is, shifted(o, from, n, sign * (long)k), out, n);
    }
    return out;
}

static struct ls_origin *
of_shift(struct ls_origins *o, LLVMValueRef v, unsigned n, int sign)
{
    LLVMValueRef by = LLVMGetOperand(v, 1);
    const struct ls_origin *from = ls_origins_of(o, LLVMGetOperand(v, 0));
    LLVMTypeRef type = LLVMTypeOf(v);
    struct ls_origin *out;
    unsigned n_elems = 1, each;
    unsigned long long bits;

    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        n_elems = LLVMGetVectorSize(type);
        by = LLVMIsConstant(by) ? LLVMGetAggregateElement(by, 0) : NULL;
    }
    if (!by || !LLVMIsAConstantInt(by))
        return n_elems == 1 && n <= 8 ? shifted_by(o, v, from, n, sign) : ls_origins_none(o, n);
    bits = LLVMConstIntGetZExtValue(by);
    out = ls_origins_none(o, n);
    each = n / n_elems;
    for (unsigned e = 0; e < n_elems && bits % 8 == 0 && bits / 8 < each; e++)
        memcpy(out + e * each, shifted(o, from + e * each, each, sign * (long)(bits / 8)),
               each * sizeof(*out));
    return out;
}

/* The byte `i` of a constant of integers; -1: it is none. */
static int
constant_byte(struct ls_origins *o, LLVMValueRef c, unsigned i)
{
    LLVMTypeRef type = LLVMTypeOf(c);

    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMIsConstant(c)) {
        unsigned each = ls_origins_bytes(o, c) / LLVMGetVectorSize(type);

        c = each ? LLVMGetAggregateElement(c, i / each) : NULL;
        i = each ? i % each : 0;
    }
    if (!c || !LLVMIsAConstantInt(c) || i >= 8 || LLVMGetIntTypeWidth(LLVMTypeOf(c)) > 64)
        return -1;
    return (int)(LLVMConstIntGetZExtValue(c) >> (8 * i) & 255);
}

/* and, or, xor of bytes */
static struct ls_origin *
of_logic(struct ls_origins *o, LLVMValueRef v, unsigned n, LLVMOpcode op)
{
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    const struct ls_origin *x = ls_origins_of(o, a), *y = ls_origins_of(o, b);
    struct ls_origin *out = ls_origins_none(o, n);

    for (unsigned i = 0; i < n; i++) {
        int mask = constant_byte(o, b, i);

        if (op == LLVMAnd)
            out[i] = mask == 255 ? x[i] : (struct ls_origin){.base = NULL};
        else if (mask > 0)
            out[i] = (struct ls_origin){.base = NULL};
        else if (!x[i].base || !y[i].base)
            out[i] = x[i].base ? x[i] : y[i];
        else if (op == LLVMOr)
            out[i].base = ls_origins_either(o, v, &x[i], &y[i]);
    }
    return out;
}

/* A funnel shift by a constant. */
static struct ls_origin *
of_funnel(struct ls_origins *o, LLVMValueRef v, unsigned n, bool left)
{
    LLVMValueRef by = LLVMGetOperand(v, 2);
    const struct ls_origin *high = ls_origins_of(o, LLVMGetOperand(v, 0)),
                           *low = ls_origins_of(o, LLVMGetOperand(v, 1));
    struct ls_origin *out = ls_origins_none(o, n);
    unsigned long long bits;

    if (!LLVMIsAConstantInt(by) || (bits = LLVMConstIntGetZExtValue(by) % (n * 8)) % 8)
        return out;
    bits = left ? n * 8 - bits : bits;
    for (unsigned i = 0; i < n; i++) {
        unsigned at = i + (unsigned)bits / 8;

        out[i] = at < n ? low[at] : high[at - n];
    }
    return out;
}

/* v_perm_b32: bytes of the second operand, then of the first. */
static struct ls_origin *
of_perm(struct ls_origins *o, LLVMValueRef v)
{
    const struct ls_origin *high = ls_origins_of(o, LLVMGetOperand(v, 0)),
                           *low = ls_origins_of(o, LLVMGetOperand(v, 1));
    struct ls_origin *out = ls_origins_none(o, 4);

    for (unsigned i = 0; i < 4; i++) {
        int at = constant_byte(o, LLVMGetOperand(v, 2), i);

        if (at >= 0 && at < 8)
            out[i] = at < 4 ? low[at] : high[at - 4];
    }
    return out;
}

static struct ls_origin *
of_bswap(struct ls_origins *o, LLVMValueRef v, unsigned n)
{
    const struct ls_origin *from = ls_origins_of(o, LLVMGetOperand(v, 0));
    struct ls_origin *out = ls_origins_none(o, n);

    for (unsigned i = 0; i < n; i++)
        out[i] = from[n - 1 - i];
    return out;
}

/* ---- Vectors ---- */

static struct ls_origin *
of_vector(struct ls_origins *o, LLVMValueRef v, unsigned n)
{
    bool is_extract = LLVMIsAExtractElementInst(v), is_insert = LLVMIsAInsertElementInst(v);
    const struct ls_origin *a = ls_origins_of(o, LLVMGetOperand(v, 0)),
                           *b = is_extract ? NULL : ls_origins_of(o, LLVMGetOperand(v, 1));
    unsigned n_a = ls_origins_bytes(o, LLVMGetOperand(v, 0));
    struct ls_origin *out = ls_origins_none(o, n);
    LLVMValueRef index = is_extract  ? LLVMGetOperand(v, 1)
                         : is_insert ? LLVMGetOperand(v, 2)
                                     : NULL;
    unsigned each, at;

    if (index && !LLVMIsAConstantInt(index))
        return out;
    if (is_extract) {
        at = (unsigned)LLVMConstIntGetZExtValue(index) * n;
        for (unsigned i = 0; i < n && at + i < n_a; i++)
            out[i] = a[at + i];
    } else if (is_insert) {
        each = ls_origins_bytes(o, LLVMGetOperand(v, 1));
        at = (unsigned)LLVMConstIntGetZExtValue(index) * each;
        memcpy(out, a, n * sizeof(*out));
        for (unsigned i = 0; i < each && at + i < n; i++)
            out[at + i] = b[i];
    } else {
        unsigned n_elems = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0)));

        each = n_a / n_elems;
        for (unsigned e = 0; e < LLVMGetNumMaskElements(v); e++) {
            int from = LLVMGetMaskValue(v, e);

            for (unsigned i = 0; from >= 0 && i < each && e * each + i < n; i++)
                out[e * each + i] = (unsigned)from < n_elems
                                        ? a[(unsigned)from * each + i]
                                        : b[((unsigned)from - n_elems) * each + i];
        }
    }
    return out;
}

static struct ls_origin *
of_select(struct ls_origins *o, LLVMValueRef v, unsigned n)
{
    LLVMValueRef condition = LLVMGetOperand(v, 0);
    const struct ls_origin *yes = ls_origins_of(o, LLVMGetOperand(v, 1)),
                           *no = ls_origins_of(o, LLVMGetOperand(v, 2));

    ls_origins_stand_behind(o, v);
    if (LLVMGetTypeKind(LLVMTypeOf(condition)) == LLVMVectorTypeKind) {
        unsigned n_elems = LLVMGetVectorSize(LLVMTypeOf(condition)), each = n / n_elems;
        struct ls_origin *out = ls_origins_none(o, n);

        for (unsigned e = 0; e < n_elems; e++) {
            LLVMValueRef index = LLVMConstInt(LLVMInt32TypeInContext(o->cc->llvm), e, false),
                         one = LLVMBuildExtractElement(o->b, condition, index, "");

            memcpy(out + e * each, select_bytes(o, one, yes + e * each, no + e * each, each),
                   each * sizeof(*out));
        }
        return out;
    }
    return select_bytes(o, condition, yes, no, n);
}

/* ---- All values ---- */

static const struct ls_origin *
of_call(struct ls_origins *o, LLVMValueRef v, unsigned n)
{
    const char *name = ls_ir_callee_name(v);
    const struct ls_intrin *row = name ? ls_intrin_find(name) : NULL;
    struct ls_origin *out = name ? of_move(o, v, name, n) : NULL;

    if (out)
        return out;
    if (name && !strcmp(name, "llvm.amdgcn.perm"))
        return of_perm(o, v);
    if (name && ls_ir_has_prefix(name, "llvm.bswap."))
        return of_bswap(o, v, n);
    if (name && (ls_ir_has_prefix(name, "llvm.fshl.") || ls_ir_has_prefix(name, "llvm.fshr.")))
        return of_funnel(o, v, n, name[8] == 'l');
    if (row && row->shape == LS_IS_PURE && !(row->flags & (LS_IF_MEMORY | LS_IF_CONVERGENT)))
        return ls_origins_derived(o, v, n);
    return ls_origins_none(o, n);
}

static const struct ls_origin *
of_instruction(struct ls_origins *o, LLVMValueRef v, unsigned n)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    const struct ls_origin *from;
    struct ls_origin *out;
    unsigned n_from;

    switch (op) {
    case LLVMLoad:
        return ls_origins_loaded(o, v, n);
    case LLVMSelect:
        return of_select(o, v, n);
    case LLVMCall:
        return of_call(o, v, n);
    case LLVMShl:
        return of_shift(o, v, n, -1);
    case LLVMLShr:
    case LLVMAShr:
        return of_shift(o, v, n, 1);
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        return of_logic(o, v, n, op);
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
        return of_vector(o, v, n);
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
        if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind)
            return ls_origins_derived(o, v, n); /* of elements */
        /* fall through */
    case LLVMBitCast:
    case LLVMFreeze:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        from = ls_origins_of(o, LLVMGetOperand(v, 0));
        n_from = ls_origins_bytes(o, LLVMGetOperand(v, 0));
        out = ls_origins_none(o, n);
        memcpy(out, from, (n < n_from ? n : n_from) * sizeof(*out));
        return out;
    default:
        return LLVMIsABinaryOperator(v) || LLVMIsAUnaryOperator(v) || LLVMIsACastInst(v)
                   ? ls_origins_derived(o, v, n)
                   : ls_origins_none(o, n);
    }
}

/* A phi of origins for each byte, whose values come later. */
static struct ls_origin *
of_phi(struct ls_origins *o, LLVMValueRef v, unsigned n)
{
    struct ls_origin *out = ls_origins_none(o, n);

    LLVMPositionBuilderBefore(o->b, v);
    for (unsigned i = 0; i < n; i++)
        out[i].base = LLVMBuildPhi(o->b, o->i64, "origin");
    ls_origins_keep(o, &o->phis, v);
    return out;
}

const struct ls_origin *
ls_origins_of(struct ls_origins *o, LLVMValueRef v)
{
    const struct ls_origin *known = ls_ptrmap_get(&o->map, v);
    unsigned n = ls_origins_bytes(o, v);

    if (known)
        return known;
    if (LLVMIsAInstruction(v) && n && n <= LS_NOTE_MOST_BYTES)
        known = LLVMIsAPHINode(v) ? of_phi(o, v, n) : of_instruction(o, v, n);
    else
        known = ls_origins_none(o, n);
    ls_ptrmap_set(&o->map, v, (void *)(uintptr_t)known);
    return known;
}

/* Gives the phis what comes to them; more may be made meanwhile. */
static void
fill_phis(struct ls_origins *o)
{
    for (; o->n_filled < o->phis.n; o->n_filled++) {
        LLVMValueRef phi = o->phis.all[o->n_filled];
        const struct ls_origin *own = ls_origins_of(o, phi);
        unsigned n = ls_origins_bytes(o, phi);

        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
            LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, k);
            const struct ls_origin *from = ls_origins_of(o, LLVMGetIncomingValue(phi, k));

            LLVMPositionBuilderBefore(o->b, LLVMGetBasicBlockTerminator(block));
            for (unsigned i = 0; i < n; i++) {
                LLVMValueRef value = ls_origin_value(o, &from[i]);

                LLVMAddIncoming(own[i].base, &value, &block, 1);
            }
        }
    }
}

/* ---- Marks ---- */

/* What the runtime reads of the bytes: for each the operand and what is added, or "-". */
static const char *
say_bytes(struct ls_origins *o, const char *text, const struct ls_origin *bytes, unsigned n,
          LLVMValueRef *args, unsigned *n_args)
{
    size_t used = 0, room = (size_t)n * 32 + 16;
    char *to = ls_arena_alloc(o->cc->arena, room);

    for (unsigned i = 0; i < n; i++) {
        unsigned k = 0;

        while (k < *n_args && args[k] != bytes[i].base)
            k++;
        if (!bytes[i].base || k == LS_MAX_CALL_ARGS) {
            used += (size_t)snprintf(to + used, room - used, " -");
            continue;
        }
        if (k == *n_args)
            args[(*n_args)++] = bytes[i].base;
        used += (size_t)snprintf(to + used, room - used, " %u+%lld", k, (long long)bytes[i].add);
    }
    return ls_arena_printf(o->cc->arena, "%sbytes\t%u%s\n", text, n, to);
}

/* The note of a mark. Where a pass has copied the mark, as by unrolling, each copy has its own:
 * what it tells of has come from elsewhere. */
static struct ls_note *
note_of(struct ls_cc *cc, LLVMValueRef call)
{
    size_t number = strtoul(ls_ir_callee_name(call) + strlen(LS_FN_NOTE), NULL, 10);
    struct ls_note note = cc->notes[number], *copy;
    struct ls_check_note check = cc->checks[note.check];
    struct ls_marker m = {.cc = cc};

    if (!check.variable) /* nobody has filled it in */
        return &cc->notes[number];
    check.variable = NULL;
    check.site.slot = ls_mark_note(&m)->site.slot;
    note.check = cc->n_checks++;
    cc->checks[note.check] = check;
    copy = ls_notes_add(cc, 0);
    *copy = note;
    return copy;
}

static void
replace_mark(struct ls_origins *o, LLVMValueRef call)
{
    struct ls_note *note = note_of(o->cc, call);
    struct ls_origin *bytes = ls_origins_none(o, note->n_bytes);
    LLVMValueRef args[LS_MAX_CALL_ARGS], fn;
    LLVMTypeRef types[LS_MAX_CALL_ARGS], type;
    unsigned n = 0;
    char name[64];

    for (unsigned i = 0; note->is_value && i < LLVMGetNumArgOperands(call); i++) {
        LLVMPositionBuilderBefore(o->b, call);
        args[n++] = LLVMBuildPtrToInt(o->b, LLVMGetOperand(call, i), o->i64, "");
    }
    for (unsigned i = 0; i < note->n_bytes; i++)
        if (note->from[i].arg != LS_NOTE_NONE)
            bytes[i] = ls_origins_of(o, LLVMGetOperand(call, note->from[i].arg))[note->from[i].at];
    o->cc->checks[note->check].variable = say_bytes(o, note->text, bytes, note->n_bytes, args, &n);
    o->cc->checks[note->check].site.bytes = n;
    for (unsigned i = 0; i < n; i++)
        types[i] = o->i64;
    type = LLVMFunctionType(LLVMVoidTypeInContext(o->cc->llvm), types, n, false);
    snprintf(name, sizeof(name), "%s%zu", LS_FN_NOTE, (size_t)(note - o->cc->notes));
    fn = LLVMGetNamedFunction(o->cc->mod, name);
    if (fn) /* what is called here, and by copies, which come later */
        LLVMSetValueName2(fn, "ls.noted", strlen("ls.noted"));
    fn = LLVMAddFunction(o->cc->mod, name, type);
    LLVMPositionBuilderBefore(o->b, call);
    LLVMInstructionSetDebugLoc(LLVMBuildCall2(o->b, type, fn, args, n, ""),
                               LLVMInstructionGetDebugLoc(call));
    LLVMInstructionEraseFromParent(call);
}

void
ls_origins_make(struct ls_cc *cc)
{
    struct ls_origins o = {.of = ls_origins_of, .cc = cc, .i64 = LLVMInt64TypeInContext(cc->llvm)};
    struct ls_origins_list marks = {NULL, 0, 0};

    if (!cc->n_notes)
        return;
    o.b = LLVMCreateBuilderInContext(cc->llvm);
    ls_ptrmap_init(&o.map, cc->arena);
    ls_ptrmap_init(&o.stored, cc->arena);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        marks.n = 0;
        o.fn = fn;
        for (LLVMBasicBlockRef bb = LLVMIsDeclaration(fn) ? NULL : LLVMGetFirstBasicBlock(fn); bb;
             bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
                const char *name = LLVMIsACallInst(i) ? ls_ir_callee_name(i) : NULL;

                if (name && ls_ir_has_prefix(name, LS_FN_NOTE))
                    ls_origins_keep(&o, &marks, i);
            }
        for (size_t i = 0; i < marks.n; i++)
            replace_mark(&o, marks.all[i]);
        if (marks.n)
            ls_origins_store(&o, fill_phis);
    }
    LLVMDisposeBuilder(o.b);
}
