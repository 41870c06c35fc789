/* SPDX-License-Identifier: MIT */
/* From a module to functions of instructions whose operands are slots or constants. */
#include <llvm-c/BitReader.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "call.h"
#include "emu_priv.h"

_Noreturn void
emu_refuse(struct emu *emu, LLVMValueRef what, const char *format, ...)
{
    va_list ap;
    int n;

    va_start(ap, format);
    n = vsnprintf(emu->error, 256, format, ap);
    va_end(ap);
    if (what && n >= 0 && n < 250) {
        char *text = LLVMPrintValueToString(what);
        snprintf(emu->error + n, 256 - (size_t)n, ": %.200s", text);
        LLVMDisposeMessage(text);
    }
    longjmp(*emu->refuse, 1);
}

/* ---- Types ---- */

static void
add_leaf(struct emu *emu, struct type *out, struct leaf leaf)
{
    if ((out->n & (out->n - 1)) == 0) { /* doubles */
        struct leaf *more = ls_arena_alloc(emu->arena, (out->n ? 2 * out->n : 1) * sizeof(leaf));
        if (out->n)
            memcpy(more, out->leaves, out->n * sizeof(leaf));
        out->leaves = more;
    }
    out->leaves[out->n++] = leaf;
    if (leaf.bits % 8 || leaf.at % 8)
        out->plain = false;
}

static void
add_leaves(struct emu *emu, struct type *out, LLVMTypeRef type, uint64_t at)
{
    static const struct {
        LLVMTypeKind llvm;
        enum kind kind;
        unsigned bits;
    } numbers[] = {{LLVMHalfTypeKind, KIND_HALF, 16},
                   {LLVMBFloatTypeKind, KIND_BFLOAT, 16},
                   {LLVMFloatTypeKind, KIND_FLOAT, 32},
                   {LLVMDoubleTypeKind, KIND_DOUBLE, 64}};
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    if (at > UINT32_MAX)
        emu_refuse(emu, NULL, "a type of more than 512 MiB");
    for (unsigned k = 0; k < 4; k++)
        if (numbers[k].llvm == kind) {
            add_leaf(emu, out, (struct leaf){(uint8_t)numbers[k].kind, 0, (uint16_t)numbers[k].bits,
                                             (uint32_t)at});
            return;
        }
    switch (kind) {
    case LLVMIntegerTypeKind:
        if (LLVMGetIntTypeWidth(type) > 128)
            emu_refuse(emu, NULL, "an integer of %u bits", LLVMGetIntTypeWidth(type));
        add_leaf(emu, out,
                 (struct leaf){KIND_INT, 0, (uint16_t)LLVMGetIntTypeWidth(type), (uint32_t)at});
        return;
    case LLVMPointerTypeKind: {
        unsigned space = LLVMGetPointerAddressSpace(type);
        if (space > SPACE_PRIVATE || space == 2)
            emu_refuse(emu, NULL, "a pointer to address space %u", space);
        add_leaf(emu, out,
                 (struct leaf){KIND_POINTER, (uint8_t)space,
                               (uint16_t)(8 * LLVMPointerSizeForAS(emu->layout, space)),
                               (uint32_t)at});
        return;
    }
    case LLVMVectorTypeKind:
        for (unsigned k = 0; k < LLVMGetVectorSize(type); k++)
            add_leaves(emu, out, LLVMGetElementType(type),
                       at + k * LLVMSizeOfTypeInBits(emu->layout, LLVMGetElementType(type)));
        return;
    case LLVMArrayTypeKind:
        for (uint64_t k = 0; k < LLVMGetArrayLength2(type); k++)
            add_leaves(emu, out, LLVMGetElementType(type),
                       at + 8 * k * LLVMABISizeOfType(emu->layout, LLVMGetElementType(type)));
        return;
    case LLVMStructTypeKind:
        for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++)
            add_leaves(emu, out, LLVMStructGetTypeAtIndex(type, k),
                       at + 8 * LLVMOffsetOfElement(emu->layout, type, k));
        return;
    case LLVMVoidTypeKind:
    case LLVMMetadataTypeKind:
    case LLVMLabelTypeKind:
        return;
    default:
        emu_refuse(emu, NULL, "a type of kind %d", (int)kind);
    }
}

const struct type *
emu_type(struct emu *emu, LLVMTypeRef type)
{
    struct type *t = ls_ptrmap_get(&emu->types, type);
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    if (t)
        return t;
    t = ls_arena_alloc(emu->arena, sizeof(*t));
    t->plain = true;
    add_leaves(emu, t, type, 0);
    if (kind != LLVMVoidTypeKind && kind != LLVMMetadataTypeKind && kind != LLVMLabelTypeKind) {
        t->store_bytes = LLVMStoreSizeOfType(emu->layout, type);
        t->alloc_bytes = LLVMABISizeOfType(emu->layout, type);
        t->align = LLVMABIAlignmentOfType(emu->layout, type);
    }
    ls_ptrmap_set(&emu->types, type, t);
    return t;
}

/* ---- Functions ---- */

struct decode {
    struct emu *emu;
    struct function *fn;
    struct ls_ptrmap slots; /* slot + 1 of arguments and instructions */
    struct ls_ptrmap numbers; /* number + 1 of blocks */
    unsigned *positions, *last;
    LLVMBasicBlockRef *blocks;
};

static struct operand
operand_of(struct decode *d, LLVMValueRef value)
{
    void *slot = ls_ptrmap_get(&d->slots, value);

    if (slot)
        return (struct operand){(uint32_t)((uintptr_t)slot - 1), false};
    if (!LLVMIsConstant(value))
        emu_refuse(d->emu, value, "an operand of an unknown kind");
    return emu_constant(d->emu, value);
}

static void
give_slots(struct decode *d, LLVMValueRef value)
{
    ls_ptrmap_set(&d->slots, value, (void *)(uintptr_t)(d->fn->n_slots + 1));
    d->fn->n_slots += emu_type(d->emu, LLVMTypeOf(value))->n;
}

/* Blocks, by number in order of the text; positions by emu_order. False: a loop with two
 * entries. */
static bool
number_blocks(struct emu *emu, LLVMValueRef fn, struct ls_ptrmap *numbers,
              LLVMBasicBlockRef **blocks_out, unsigned **positions_out, unsigned **last_out)
{
    unsigned n = LLVMCountBasicBlocks(fn),
             *n_next = ls_arena_alloc(emu->arena, n * sizeof(*n_next));
    unsigned **next = ls_arena_alloc(emu->arena, n * sizeof(*next));

    *blocks_out = ls_arena_alloc(emu->arena, n * sizeof(**blocks_out));
    *positions_out = ls_arena_alloc(emu->arena, n * sizeof(**positions_out));
    *last_out = ls_arena_alloc(emu->arena, n * sizeof(**last_out));
    LLVMGetBasicBlocks(fn, *blocks_out);
    ls_ptrmap_init(numbers, emu->arena);
    for (unsigned b = 0; b < n; b++)
        ls_ptrmap_set(numbers, (*blocks_out)[b], (void *)(uintptr_t)(b + 1));
    for (unsigned b = 0; b < n; b++) {
        LLVMValueRef term = LLVMGetBasicBlockTerminator((*blocks_out)[b]);

        n_next[b] = LLVMGetNumSuccessors(term);
        next[b] = ls_arena_alloc(emu->arena, (n_next[b] + 1) * sizeof(unsigned));
        for (unsigned k = 0; k < n_next[b]; k++)
            next[b][k] =
                (unsigned)((uintptr_t)ls_ptrmap_get(numbers, LLVMGetSuccessor(term, k)) - 1);
    }
    return emu_order(emu->arena, n, n_next, next, *positions_out, *last_out);
}

static bool
is_byref(LLVMValueRef fn, unsigned k, LLVMTypeRef *type)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("byref", 5);
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(fn, k + 1, kind);

    if (a)
        *type = LLVMGetTypeAttributeValue(a);
    return a != NULL;
}

static void
decode_params(struct decode *d)
{
    struct function *fn = d->fn;
    struct emu *emu = d->emu;
    uint64_t at = 0;

    fn->n_params = LLVMCountParams(fn->value);
    fn->param_slots = ls_arena_alloc(emu->arena, (fn->n_params + 1) * sizeof(uint32_t));
    fn->param_types = ls_arena_alloc(emu->arena, (fn->n_params + 1) * sizeof(void *));
    fn->byref_at = ls_arena_alloc(emu->arena, (fn->n_params + 1) * sizeof(uint64_t));
    fn->is_byref = ls_arena_alloc(emu->arena, fn->n_params + 1);
    for (unsigned k = 0; k < fn->n_params; k++) {
        LLVMValueRef param = LLVMGetParam(fn->value, k);
        LLVMTypeRef type = LLVMTypeOf(param);

        fn->param_slots[k] = fn->n_slots;
        fn->param_types[k] = emu_type(emu, type);
        give_slots(d, param);
        fn->is_byref[k] = is_byref(fn->value, k, &type);
        const struct type *t = emu_type(emu, type);
        at = (at + t->align - 1) / t->align * t->align;
        fn->byref_at[k] = at;
        at += t->alloc_bytes;
    }
    fn->n_param_slots = fn->n_slots;
}

static bool
is_dropped(const char *name)
{
    static const char *const dropped[] = {
        "llvm.dbg.",       "llvm.lifetime.",         "llvm.assume",
        "llvm.experimental.noalias.scope.decl",      "llvm.invariant.end",
        "llvm.donothing",  "llvm.sideeffect",        "llvm.amdgcn.wave.barrier",
        "llvm.prefetch",   "llvm.var.annotation",    "llvm.pseudoprobe",
        "llvm.amdgcn.s.sleep", "llvm.amdgcn.sched.", "llvm.amdgcn.s.waitcnt",
        "llvm.amdgcn.s.setprio", "llvm.amdgcn.s.nop", "llvm.amdgcn.iglp",
    };

    for (size_t k = 0; k < sizeof(dropped) / sizeof(dropped[0]); k++)
        if (!strncmp(name, dropped[k], strlen(dropped[k])))
            return true;
    return false;
}

static const char *
callee_name(LLVMValueRef call)
{
    size_t n;
    LLVMValueRef callee = LLVMGetCalledValue(call);

    return LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &n) : "";
}

static void
decode_call(struct decode *d, struct inst *i)
{
    struct emu *emu = d->emu;
    LLVMValueRef callee = LLVMGetCalledValue(i->value);
    unsigned n = LLVMGetNumArgOperands(i->value),
             kind = LLVMGetEnumAttributeKindForName("byval", 5);
    struct emu_call *c = ls_arena_alloc(emu->arena, sizeof(*c));

    if (LLVMIsAInlineAsm(callee))
        emu_refuse(emu, i->value, "inline assembly");
    if (LLVMIsAGlobalAlias(callee))
        callee = LLVMAliasGetAliasee(callee);
    i->n_ops = (uint16_t)n;
    i->ops = ls_arena_alloc(emu->arena, (n + 1) * sizeof(*i->ops));
    i->op_types = ls_arena_alloc(emu->arena, (n + 1) * sizeof(*i->op_types));
    i->extra = c;
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef operand = LLVMGetOperand(i->value, k);

        if (LLVMGetTypeKind(LLVMTypeOf(operand)) == LLVMMetadataTypeKind)
            continue;
        i->ops[k] = operand_of(d, operand);
        i->op_types[k] = emu_type(emu, LLVMTypeOf(operand));
    }
    i->from = n ? i->op_types[0] : NULL;
    if (LLVMIsAFunction(callee) && LLVMIsDeclaration(callee)) {
        i->run = emu_find_builtin(emu, i, callee_name(i->value));
        if (!i->run)
            i->run = emu_find_lanes(emu, i, callee_name(i->value));
        if (!i->run)
            i->run = emu_unknown;
        return;
    }
    c->byval = ls_arena_alloc(emu->arena, (n + 1) * sizeof(*c->byval));
    for (unsigned k = 0; k < n; k++) {
        LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(i->value, k + 1, kind);
        if (a)
            c->byval[k] = emu_type(emu, LLVMGetTypeAttributeValue(a));
    }
    if (LLVMIsAFunction(callee))
        c->callee = ls_ptrmap_get(&emu->functions, callee);
    else
        i->ops[n] = operand_of(d, callee);
    i->run = emu_run_call;
}

static void
decode_gep(struct decode *d, struct inst *i)
{
    struct emu *emu = d->emu;
    LLVMTypeRef at = LLVMGetGEPSourceElementType(i->value);
    unsigned n = (unsigned)LLVMGetNumOperands(i->value);
    struct emu_gep *g = ls_arena_alloc(emu->arena, sizeof(*g));

    g->terms = ls_arena_alloc(emu->arena, n * sizeof(*g->terms));
    i->extra = g;
    for (unsigned k = 1; k < n; k++) {
        LLVMValueRef index = LLVMGetOperand(i->value, k);

        if (k > 1 && LLVMGetTypeKind(at) == LLVMStructTypeKind) {
            unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
            g->offset += (int64_t)LLVMOffsetOfElement(emu->layout, at, member);
            at = LLVMStructGetTypeAtIndex(at, member);
            continue;
        }
        if (k > 1)
            at = LLVMGetElementType(at);
        g->terms[g->n++] = (struct emu_term){i->ops[k], LLVMABISizeOfType(emu->layout, at),
                                             i->op_types[k]->leaves[0].bits};
    }
}

static void
decode_indices(struct decode *d, struct inst *i)
{
    LLVMTypeRef at = LLVMTypeOf(LLVMGetOperand(i->value, 0));
    unsigned slot = 0;

    for (unsigned k = 0; k < LLVMGetNumIndices(i->value); k++) {
        unsigned index = LLVMGetIndices(i->value)[k];

        if (LLVMGetTypeKind(at) == LLVMArrayTypeKind) {
            at = LLVMGetElementType(at);
            slot += index * emu_type(d->emu, at)->n;
            continue;
        }
        for (unsigned m = 0; m < index; m++)
            slot += emu_type(d->emu, LLVMStructGetTypeAtIndex(at, m))->n;
        at = LLVMStructGetTypeAtIndex(at, index);
    }
    i->sub = (int)slot;
}

static void
decode_shuffle(struct decode *d, struct inst *i)
{
    int *mask = ls_arena_alloc(d->emu->arena, i->n * sizeof(*mask));

    for (unsigned k = 0; k < i->n; k++)
        mask[k] = LLVMGetMaskValue(i->value, k);
    i->extra = mask;
}

static void
decode_inst(struct decode *d, struct inst *i, LLVMValueRef value)
{
    struct emu *emu = d->emu;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    void *slot = ls_ptrmap_get(&d->slots, value);

    i->value = value;
    i->dst = slot ? (uint32_t)((uintptr_t)slot - 1) : 0;
    i->type = emu_type(emu, LLVMTypeOf(value));
    i->n = (uint16_t)i->type->n;
    if (opcode == LLVMCall) {
        decode_call(d, i);
        return;
    }
    i->n_ops = (uint16_t)LLVMGetNumOperands(value);
    i->ops = ls_arena_alloc(emu->arena, (i->n_ops + 1u) * sizeof(*i->ops));
    i->op_types = ls_arena_alloc(emu->arena, (i->n_ops + 1u) * sizeof(*i->op_types));
    for (unsigned k = 0; k < i->n_ops; k++) {
        LLVMValueRef operand = LLVMGetOperand(value, k);
        i->ops[k] = operand_of(d, operand);
        i->op_types[k] = emu_type(emu, LLVMTypeOf(operand));
    }
    i->from = i->n_ops ? i->op_types[0] : NULL;
    switch (opcode) {
    case LLVMGetElementPtr:
        decode_gep(d, i);
        break;
    case LLVMExtractValue:
    case LLVMInsertValue:
        decode_indices(d, i);
        break;
    case LLVMShuffleVector:
        decode_shuffle(d, i);
        break;
    case LLVMICmp:
        i->sub = (int)LLVMGetICmpPredicate(value);
        break;
    case LLVMFCmp:
        i->sub = (int)LLVMGetFCmpPredicate(value);
        break;
    case LLVMAtomicRMW:
        i->sub = (int)LLVMGetAtomicRMWBinOp(value);
        break;
    case LLVMAlloca:
        i->extra = (void *)(uintptr_t)emu_type(emu, LLVMGetAllocatedType(value));
        i->sub = (int)LLVMGetAlignment(value);
        break;
    default:
        break;
    }
    i->run = emu_find_scalar(emu, i, opcode);
    if (!i->run)
        i->run = emu_find_memory(emu, i, opcode);
    if (!i->run)
        i->run = emu_unknown;
}

static void
decode_edge(struct decode *d, struct edge *e, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    unsigned n = 0;

    e->to = d->positions[(uintptr_t)ls_ptrmap_get(&d->numbers, to) - 1];
    for (LLVMValueRef i = LLVMGetFirstInstruction(to); i && LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i))
        n++;
    e->copies = ls_arena_alloc(d->emu->arena, (n + 1) * sizeof(*e->copies));
    for (LLVMValueRef i = LLVMGetFirstInstruction(to); i && LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i))
        for (unsigned k = 0; k < LLVMCountIncoming(i); k++)
            if (LLVMGetIncomingBlock(i, k) == from) {
                struct copy *c = &e->copies[e->n_copies++];
                c->dst = (uint32_t)((uintptr_t)ls_ptrmap_get(&d->slots, i) - 1);
                c->n = emu_type(d->emu, LLVMTypeOf(i))->n;
                c->src = operand_of(d, LLVMGetIncomingValue(i, k));
                e->n_slots += c->n;
                break;
            }
}

static void
decode_end(struct decode *d, struct block *b, LLVMBasicBlockRef block)
{
    struct emu *emu = d->emu;
    LLVMValueRef term = LLVMGetBasicBlockTerminator(block);
    unsigned n = LLVMGetNumSuccessors(term);
    bool is_switch = false;

    b->edges = ls_arena_alloc(emu->arena, (n + 1) * sizeof(*b->edges));
    b->n_edges = n;
    switch (LLVMGetInstructionOpcode(term)) {
    case LLVMRet:
        b->end = END_RETURN;
        if (LLVMGetNumOperands(term)) {
            b->value = operand_of(d, LLVMGetOperand(term, 0));
            b->n_value = emu_type(emu, LLVMTypeOf(LLVMGetOperand(term, 0)))->n;
        }
        return;
    case LLVMUnreachable:
        b->end = END_UNREACHABLE;
        return;
    case LLVMBr:
        b->end = END_BRANCH;
        if (n == 2)
            b->value = operand_of(d, LLVMGetCondition(term));
        break;
    case LLVMSwitch:
        is_switch = true;
        b->end = END_SWITCH;
        b->value = operand_of(d, LLVMGetOperand(term, 0));
        b->cases = ls_arena_alloc(emu->arena, n * sizeof(*b->cases));
        for (unsigned k = 1; k < n; k++)
            emu_constant_value(emu, LLVMGetOperand(term, 2 * k), &b->cases[k - 1]);
        break;
    default:
        emu_refuse(emu, term, "a terminator without a meaning here");
    }
    for (unsigned k = 0; k < n; k++)
        decode_edge(d, &b->edges[is_switch ? (k ? k - 1 : n - 1) : k], block,
                    LLVMGetSuccessor(term, k));
}

static bool
is_run(LLVMValueRef i)
{
    return !LLVMIsAPHINode(i) && !LLVMIsATerminatorInst(i) &&
           !(LLVMIsACallInst(i) && is_dropped(callee_name(i)));
}

/* Loops that end with the block at a position. */
static void
decode_loops(struct decode *d, unsigned position)
{
    struct block *b = &d->fn->blocks[position];

    unsigned n = 0;

    for (unsigned h = 0; h <= position; h++)
        n += d->last[h] == position;
    b->headers = ls_arena_alloc(d->emu->arena, (n + 1) * sizeof(*b->headers));
    for (unsigned h = position + 1; h-- > 0;)
        if (d->last[h] == position)
            b->headers[b->n_loops++] = h;
}

void
emu_decode(struct emu *emu, struct function *fn)
{
    struct decode d = {.emu = emu, .fn = fn};
    unsigned n = LLVMCountBasicBlocks(fn->value);

    fn->decoded = true;
    ls_ptrmap_init(&d.slots, emu->arena);
    decode_params(&d);
    if (!number_blocks(emu, fn->value, &d.numbers, &d.blocks, &d.positions, &d.last))
        emu_refuse(emu, NULL, "a loop with two entries in %s", fn->name);
    for (unsigned b = 0; b < n; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(d.blocks[b]); i;
             i = LLVMGetNextInstruction(i))
            if (emu_type(emu, LLVMTypeOf(i))->n)
                give_slots(&d, i);
    fn->n_blocks = n;
    fn->blocks = ls_arena_alloc(emu->arena, n * sizeof(*fn->blocks));
    for (unsigned b = 0; b < n; b++) {
        struct block *block;
        unsigned count = 0;

        if (d.positions[b] == ~0u)
            continue;
        block = &fn->blocks[d.positions[b]];
        for (LLVMValueRef i = LLVMGetFirstInstruction(d.blocks[b]); i;
             i = LLVMGetNextInstruction(i))
            count += is_run(i);
        block->insts = ls_arena_alloc(emu->arena, (count + 1) * sizeof(*block->insts));
        for (LLVMValueRef i = LLVMGetFirstInstruction(d.blocks[b]); i;
             i = LLVMGetNextInstruction(i))
            if (is_run(i))
                decode_inst(&d, &block->insts[block->n_insts++], i);
        decode_end(&d, block, d.blocks[b]);
        decode_loops(&d, d.positions[b]);
    }
}

/* ---- Modules ---- */

/* Loops with two entries get one by LLVM's own pass, as in AMD's compiler. */
static void
make_reducible(struct emu *emu)
{
    bool reducible = true;

    for (LLVMValueRef fn = LLVMGetFirstFunction(emu->module); fn && reducible;
         fn = LLVMGetNextFunction(fn)) {
        struct ls_ptrmap numbers;
        LLVMBasicBlockRef *blocks;
        unsigned *positions, *last;

        if (!LLVMIsDeclaration(fn))
            reducible = number_blocks(emu, fn, &numbers, &blocks, &positions, &last);
    }
    if (reducible)
        return;
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef e =
        LLVMRunPasses(emu->module, "function(lower-switch,fix-irreducible)", NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (e)
        emu_refuse(emu, NULL, "fix-irreducible: %s", LLVMGetErrorMessage(e));
}

static void
number_functions(struct emu *emu)
{
    unsigned n = 0;
    size_t length;

    for (LLVMValueRef fn = LLVMGetFirstFunction(emu->module); fn; fn = LLVMGetNextFunction(fn))
        n += !LLVMIsDeclaration(fn);
    emu->by_number = ls_arena_alloc(emu->arena, (n + 1) * sizeof(*emu->by_number));
    for (LLVMValueRef fn = LLVMGetFirstFunction(emu->module); fn; fn = LLVMGetNextFunction(fn)) {
        struct function *f;

        if (LLVMIsDeclaration(fn))
            continue;
        f = ls_arena_alloc(emu->arena, sizeof(*f));
        f->emu = emu;
        f->value = fn;
        f->name = LLVMGetValueName2(fn, &length);
        f->address = EMU_FUNCTION_BASE + 64 * (emu->n_functions + 1u);
        f->is_kernel = LLVMGetFunctionCallConv(fn) == LLVMAMDGPUKERNELCallConv;
        emu->by_number[emu->n_functions++] = f;
        ls_ptrmap_set(&emu->functions, fn, f);
    }
}

static bool
is_of_metadata(LLVMValueRef g)
{
    size_t n;
    return !strncmp(LLVMGetValueName2(g, &n), "llvm.", 5);
}

/* Variables get places: LDS by offset, the others in one piece of memory. */
static void
place_globals(struct emu *emu)
{
    uint64_t at = 0;

    for (int pass = 0; pass < 2; pass++) {
        uint64_t offset = 0;

        for (LLVMValueRef g = LLVMGetFirstGlobal(emu->module); g; g = LLVMGetNextGlobal(g)) {
            const struct type *type;
            unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(g)), align = LLVMGetAlignment(g);
            u128 *place;

            if (is_of_metadata(g))
                continue;
            type = emu_type(emu, LLVMGlobalGetValueType(g));
            if (align < 16)
                align = 16;
            if (space == SPACE_LDS) {
                bool dynamic = !type->alloc_bytes; /* lies behind all others: second pass */
                if (dynamic != (pass == 1))
                    continue;
                emu->static_lds = (emu->static_lds + align - 1) / align * align;
                place = ls_arena_alloc(emu->arena, sizeof(*place));
                *place = emu->static_lds;
                emu->static_lds += (uint32_t)type->alloc_bytes;
                ls_ptrmap_set(&emu->globals, g, place);
                continue;
            }
            offset = (offset + align - 1) / align * align;
            if (pass == 1) {
                place = ls_arena_alloc(emu->arena, sizeof(*place));
                *place = (u128)(uintptr_t)(emu->globals_memory + offset);
                ls_ptrmap_set(&emu->globals, g, place);
            }
            offset += type->alloc_bytes + 1;
        }
        if (pass == 0) {
            at = offset + 4096;
            emu->globals_memory = aligned_alloc(4096, (at + 4095) / 4096 * 4096);
            memset(emu->globals_memory, 0, at);
        }
    }
    emu_map(emu, emu->globals_memory, at);
}

static void
fill_globals(struct emu *emu)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(emu->module); g; g = LLVMGetNextGlobal(g)) {
        unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(g));
        LLVMValueRef init = LLVMGetInitializer(g);
        const struct type *type;
        u128 *values;

        if (is_of_metadata(g) || space == SPACE_LDS || !init)
            continue;
        type = emu_type(emu, LLVMGlobalGetValueType(g));
        values = calloc(type->n + 1, sizeof(*values));
        emu_constant_value(emu, init, values);
        emu_to_memory(type, values, 1, (char *)(uintptr_t)*(u128 *)ls_ptrmap_get(&emu->globals, g));
        free(values);
    }
}

struct emu *
emu_create(const void *bitcode, size_t n_bytes, unsigned lanes, char error[256])
{
    struct ls_arena *arena = ls_arena_create();
    struct emu *emu = ls_arena_alloc(arena, sizeof(*emu));
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode, n_bytes, "device");
    jmp_buf refuse;

    emu->arena = arena;
    emu->lanes = lanes;
    emu->error = error;
    emu->refuse = &refuse;
    emu->context = LLVMContextCreate();
    ls_ptrmap_init(&emu->types, arena);
    ls_ptrmap_init(&emu->functions, arena);
    ls_ptrmap_init(&emu->globals, arena);
    if (LLVMParseBitcodeInContext2(emu->context, buffer, &emu->module)) {
        LLVMDisposeMemoryBuffer(buffer);
        snprintf(error, 256, "not bitcode");
        emu_destroy(emu);
        return NULL;
    }
    LLVMDisposeMemoryBuffer(buffer);
    emu->layout = LLVMGetModuleDataLayout(emu->module);
    if (setjmp(refuse)) {
        emu_destroy(emu);
        return NULL;
    }
    make_reducible(emu);
    number_functions(emu);
    place_globals(emu);
    fill_globals(emu);
    return emu;
}

void
emu_destroy(struct emu *emu)
{
    if (!emu)
        return;
    emu_free_machine(emu);
    if (emu->module)
        LLVMDisposeModule(emu->module);
    LLVMContextDispose(emu->context);
    free(emu->constants);
    free(emu->globals_memory);
    ls_arena_destroy(emu->arena);
}

bool
emu_map(struct emu *emu, void *base, size_t n_bytes)
{
    if (emu->n_regions == EMU_REGIONS)
        return false;
    emu->regions[emu->n_regions++] = (struct region){base, n_bytes};
    return true;
}

const char *
emu_kernel(struct emu *emu, unsigned n)
{
    for (unsigned k = 0; k < emu->n_functions; k++)
        if (emu->by_number[k]->is_kernel && n-- == 0)
            return emu->by_number[k]->name;
    return NULL;
}
