/* SPDX-License-Identifier: MIT */
/* Source variables for debuggers. Code that hipcc compiled for looking into (-g with -O0 or -Og)
 * describes each variable by the place of one thread's copy. Here every assignment of a variable
 * that became a value is marked by a call, `ls.debug.value.<n>(w, value)`, and each variable that
 * stays in memory by `ls.debug.place.<n>(address)`. What is computed stays what it is; the
 * vectoriser turns the marks into stores to an array of all threads' copies, which it describes
 * instead (lower/lower_variables.c). */
#include "compiler/ir/prepare_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

struct marker {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    LLVMValueRef no_warp; /* the constant 0 in place of the warp number, which is put in when all is
                             inlined */
    size_t cap;
};

struct variable {
    LLVMMetadataRef node;     /* DILocalVariable */
    LLVMMetadataRef location; /* where it is declared */
    unsigned bytes;           /* size of one thread's copy */
};

/* The flag that hipcc leaves in the compile unit (LS_DEBUG_VARIABLES). */
static bool
wanted(struct ls_cc *cc)
{
    unsigned n = LLVMGetNamedMetadataNumOperands(cc->mod, "llvm.dbg.cu");
    LLVMValueRef *units = ls_arena_alloc(cc->arena, (n + 1) * sizeof(LLVMValueRef));

    if (!cc->opt->debug_info || cc->n_lanes == 1 || cc->opt->checks & LS_CHECK_NOTES)
        return false;
    LLVMGetNamedMetadataOperands(cc->mod, "llvm.dbg.cu", units);
    for (unsigned i = 0; i < n; i++) {
        unsigned n_parts = LLVMGetMDNodeNumOperands(units[i]), len;
        LLVMValueRef *parts = ls_arena_alloc(cc->arena, (n_parts + 1) * sizeof(LLVMValueRef));

        LLVMGetMDNodeOperands(units[i], parts);
        for (unsigned k = 0; k < n_parts; k++) {
            const char *s =
                parts[k] && LLVMIsAMDString(parts[k]) ? LLVMGetMDString(parts[k], &len) : NULL;
            if (s && len == sizeof(LS_DEBUG_VARIABLES) - 1 && !memcmp(s, LS_DEBUG_VARIABLES, len))
                return true;
        }
    }
    return false;
}

/* Operand of a metadata node; NULL where there is none. */
static LLVMMetadataRef
part(struct ls_cc *cc, LLVMMetadataRef node, unsigned i)
{
    LLVMValueRef v = LLVMMetadataAsValue(cc->llvm, node);
    unsigned n = (unsigned)LLVMGetMDNodeNumOperands(v);
    LLVMValueRef *parts = ls_arena_alloc(cc->arena, (n + 1) * sizeof(LLVMValueRef));

    LLVMGetMDNodeOperands(v, parts);
    return i < n && parts[i] ? LLVMValueAsMetadata(parts[i]) : NULL;
}

/* Line tables alone have functions without types. */
bool
ls_variables_are_described(struct ls_cc *cc, LLVMValueRef fn)
{
    enum { TYPE = 4, TYPES = 3 };
    LLVMMetadataRef node = LLVMGetSubprogram(fn);

    if (!node || !cc->opt->debug_info || !(node = part(cc, node, TYPE)) ||
        !(node = part(cc, node, TYPES)))
        return false;
    return LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(cc->llvm, node)) > 0;
}

/* Bytes of a type: names and qualifiers have the size of what they stand for. */
static uint64_t
type_bytes(struct ls_cc *cc, LLVMMetadataRef type)
{
    enum { BASE = 3, DEPTH = 32 };

    for (unsigned depth = 0; type && depth < DEPTH; depth++) {
        uint64_t bits = LLVMDITypeGetSizeInBits(type);
        if (bits || LLVMGetMetadataKind(type) != LLVMDIDerivedTypeMetadataKind)
            return bits / 8;
        type = part(cc, type, BASE);
    }
    return 0;
}

/* The size of a variable; 0: it is not shown to debuggers. */
static unsigned
variable_bytes(struct ls_cc *cc, LLVMMetadataRef variable)
{
    enum { TYPE = 3, LARGEST = 65536 };
    uint64_t bytes = type_bytes(cc, part(cc, variable, TYPE));

    return bytes > LARGEST ? 0 : (unsigned)bytes;
}

/* "!DIExpression()" or a fragment of the variable; false for anything else. */
static bool
read_expression(LLVMValueRef expression, unsigned *offset)
{
    char *text = LLVMPrintValueToString(expression);
    unsigned bits, size;
    const char *at = strstr(text, "!DIExpression(");
    bool ok = at != NULL;

    *offset = 0;
    if (ok && strcmp(at, "!DIExpression()") != 0) {
        ok = sscanf(at, "!DIExpression(DW_OP_LLVM_fragment, %u, %u)", &bits, &size) == 2 &&
             bits % 8 == 0;
        *offset = ok ? bits / 8 : 0;
    }
    LLVMDisposeMessage(text);
    return ok;
}

/* The source line of a mark. Where mem2reg says that a variable changes it names no line, so that
 * of the code in front of it is taken, which computed the value. */
static LLVMMetadataRef
line_near(LLVMValueRef call, LLVMMetadataRef location)
{
    LLVMMetadataRef near;

    for (LLVMValueRef i = LLVMGetPreviousInstruction(call); i; i = LLVMGetPreviousInstruction(i))
        if ((near = LLVMInstructionGetDebugLoc(i)) != NULL && LLVMDILocationGetLine(near))
            return near;
    for (LLVMValueRef i = LLVMGetNextInstruction(call); i; i = LLVMGetNextInstruction(i))
        if ((near = LLVMInstructionGetDebugLoc(i)) != NULL && LLVMDILocationGetLine(near))
            return near;
    return location;
}

static void
add_mark(struct marker *m, const char *kind, const struct variable *v, unsigned offset,
         LLVMValueRef *args, unsigned n, LLVMMetadataRef location)
{
    struct ls_cc *cc = m->cc;
    LLVMTypeRef types[2] = {LLVMTypeOf(args[0]), n > 1 ? LLVMTypeOf(args[1]) : NULL};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cc->llvm), types, n, false);
    struct ls_debug_mark *marks = cc->debug_marks;
    LLVMValueRef fn, call;
    char name[64];

    if (cc->n_debug_marks == m->cap) { /* the old array is left to the arena */
        m->cap = m->cap ? 2 * m->cap : 64;
        marks = ls_arena_alloc(cc->arena, m->cap * sizeof(*marks));
        if (cc->n_debug_marks)
            memcpy(marks, cc->debug_marks, cc->n_debug_marks * sizeof(*marks));
        cc->debug_marks = marks;
    }
    marks[cc->n_debug_marks] = (struct ls_debug_mark){offset, v->bytes};
    snprintf(name, sizeof(name), "%s%zu", kind, cc->n_debug_marks++);
    fn = LLVMAddFunction(cc->mod, name, type);
    LLVMGlobalSetMetadata(fn, ls_ir_md_kind(cc, LS_MD_DEBUG_VARIABLE), v->node);
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, ls_ir_attribute(cc, "nounwind", 0));
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, ls_ir_attribute(cc, "willreturn", 0));
    /* Its memory effects concern no other code, so that loads and stores may be moved across the
     * call. */
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                            ls_ir_attribute(cc, "memory", LS_MEMORY_INACCESSIBLE));
    call = LLVMBuildCall2(m->b, type, fn, args, n, "");
    LLVMInstructionSetDebugLoc(call, location);
}

static LLVMValueRef
strip_casts(LLVMValueRef v)
{
    while (LLVMIsAInstruction(v) && (LLVMGetInstructionOpcode(v) == LLVMAddrSpaceCast ||
                                     LLVMGetInstructionOpcode(v) == LLVMBitCast))
        v = LLVMGetOperand(v, 0);
    return v;
}

/* Lowers the alignment of accesses to `place` to `align`: clang aligns large arrays more than their
 * type asks for. */
static void
lower_alignment(struct ls_cc *cc, LLVMValueRef place, unsigned align, unsigned depth)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);

    for (LLVMUseRef use = depth < 16 ? LLVMGetFirstUse(place) : NULL; use;
         use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (!LLVMIsAInstruction(user))
            continue;
        switch (LLVMGetInstructionOpcode(user)) {
        case LLVMLoad:
        case LLVMStore:
            if (LLVMGetAlignment(user) > align)
                LLVMSetAlignment(user, align);
            break;
        case LLVMCall:
            for (unsigned k = 0; k < LLVMGetNumArgOperands(user); k++)
                if (LLVMGetOperand(user, k) == place && ls_ir_argument_alignment(user, k) > align) {
                    LLVMRemoveCallSiteEnumAttribute(user, k + 1, kind);
                    LLVMAddCallSiteAttribute(user, k + 1, ls_ir_attribute(cc, "align", align));
                }
            break;
        case LLVMGetElementPtr:
        case LLVMAddrSpaceCast:
        case LLVMPHI:
        case LLVMSelect: lower_alignment(cc, user, align, depth + 1); break;
        default: break;
        }
    }
}

/* Whether the copies of a variable can lie side by side, each as large as its type says. */
static bool
lies_in_array(struct ls_cc *cc, LLVMValueRef alloca, unsigned bytes)
{
    LLVMTypeRef type = LLVMGetAllocatedType(alloca);
    unsigned align = LLVMABIAlignmentOfType(cc->device.layout, type);
    LLVMValueRef count = LLVMGetOperand(alloca, 0);

    if (!LLVMIsAConstantInt(count) || LLVMConstIntGetZExtValue(count) != 1 || bytes % align ||
        LLVMABISizeOfType(cc->device.layout, type) != bytes)
        return false;
    if (bytes % LLVMGetAlignment(alloca)) {
        LLVMSetAlignment(alloca, align);
        lower_alignment(cc, alloca, align, 0);
    }
    return true;
}

static void
mark_place(struct marker *m, LLVMValueRef place, const struct variable *v)
{
    LLVMContextRef c = m->cc->llvm;
    LLVMMetadataRef bytes;

    if (!LLVMIsAAllocaInst(place) || !lies_in_array(m->cc, place, v->bytes))
        return;
    bytes = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(c), v->bytes, false));
    LLVMSetMetadata(place, ls_ir_md_kind(m->cc, LS_MD_DEBUG_PLACE),
                    LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, &bytes, 1)));
    add_mark(m, LS_FN_DEBUG_PLACE, v, 0, &place, 1, v->location);
}

/* Whether a variable is only loaded and stored as a whole. Calls `visit` for each store, if it is
 * not NULL. */
static bool
walk_accesses(struct marker *m, LLVMValueRef place, LLVMTypeRef type,
              void (*visit)(struct marker *m, LLVMValueRef store, const struct variable *v),
              const struct variable *v)
{
    for (LLVMUseRef use = LLVMGetFirstUse(place), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);

        next = LLVMGetNextUse(use);
        if (LLVMIsAAddrSpaceCastInst(user)) {
            if (!walk_accesses(m, user, type, visit, v))
                return false;
        } else if (LLVMIsALoadInst(user)) {
            if (LLVMTypeOf(user) != type || LLVMGetVolatile(user))
                return false;
        } else if (LLVMIsAStoreInst(user)) {
            if (LLVMGetOperand(user, 1) != place || LLVMTypeOf(LLVMGetOperand(user, 0)) != type ||
                LLVMGetVolatile(user))
                return false;
            if (visit)
                visit(m, user, v);
        } else {
            return false;
        }
    }
    return true;
}

static void
mark_store(struct marker *m, LLVMValueRef store, const struct variable *v)
{
    LLVMValueRef args[2] = {m->no_warp, LLVMGetOperand(store, 0)};
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(store);

    LLVMPositionBuilderBefore(m->b, store);
    add_mark(m, LS_FN_DEBUG_VALUE, v, 0, args, 2, location ? location : v->location);
}

/* A variable that is only loaded and stored whole: each store says what it becomes, and at which
 * line. */
static bool
mark_stores(struct marker *m, LLVMValueRef place, const struct variable *v)
{
    LLVMTypeRef type = LLVMIsAAllocaInst(place) ? LLVMGetAllocatedType(place) : NULL;

    return type && LLVMStoreSizeOfType(m->cc->device.layout, type) <= v->bytes &&
           walk_accesses(m, place, type, NULL, v) && walk_accesses(m, place, type, mark_store, v);
}

/* Makes a mark of one `llvm.dbg` call, before or behind mem2reg. True: the call is dealt with. */
static bool
mark_one(struct marker *m, LLVMValueRef call, bool is_value, bool promoted)
{
    struct variable v = {.location = LLVMInstructionGetDebugLoc(call)};
    LLVMValueRef what = NULL;
    unsigned offset;

    if (!v.location || LLVMGetMDNodeNumOperands(LLVMGetOperand(call, 0)) != 1)
        return true;
    LLVMGetMDNodeOperands(LLVMGetOperand(call, 0), &what);
    v.node = LLVMValueAsMetadata(LLVMGetOperand(call, 1));
    v.bytes = variable_bytes(m->cc, v.node);
    if (!what || !v.bytes || !read_expression(LLVMGetOperand(call, 2), &offset))
        return true;
    if (!promoted)
        return !is_value && offset == 0 && mark_stores(m, strip_casts(what), &v);
    LLVMPositionBuilderBefore(m->b, call);
    if (!is_value) {
        mark_place(m, strip_casts(what), &v);
    } else if (!LLVMIsPoison(what) && !LLVMIsUndef(what) &&
               offset + LLVMStoreSizeOfType(m->cc->device.layout, LLVMTypeOf(what)) <= v.bytes) {
        LLVMValueRef args[2] = {m->no_warp, what};
        add_mark(m, LS_FN_DEBUG_VALUE, &v, offset, args, 2, line_near(call, v.location));
    }
    return true;
}

static void
mark_function(struct marker *m, LLVMValueRef fn, bool promoted)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            const char *name = LLVMIsACallInst(i) ? ls_ir_callee_name(i) : NULL;

            next = LLVMGetNextInstruction(i);
            if (!name || !ls_ir_has_prefix(name, "llvm.dbg."))
                continue;
            if (mark_one(m, i, !strcmp(name, "llvm.dbg.value"), promoted) || promoted)
                LLVMInstructionEraseFromParent(i);
        }
}

static void
mark_all(struct marker *m, bool promoted)
{
    LLVMSetIsNewDbgInfoFormat(
        m->cc->mod, false); /* debug records become calls, which the C API can walk over */
    for (LLVMValueRef fn = LLVMGetFirstFunction(m->cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn))
            mark_function(m, fn, promoted);
    LLVMSetIsNewDbgInfoFormat(m->cc->mod, true);
}

bool
ls_variables_mark(struct ls_cc *cc)
{
    struct marker m = {.cc = cc};

    if (!wanted(cc))
        return true;
    m.b = LLVMCreateBuilderInContext(cc->llvm);
    m.no_warp = LLVMConstNull(LLVMInt32TypeInContext(cc->llvm));
    mark_all(&m, false);
    if (ls_ir_run_passes(cc, NULL, "function(sroa)"))
        mark_all(&m, true);
    LLVMDisposeBuilder(m.b);
    return !cc->n_errors;
}

void
ls_variables_bind(struct ls_cc *cc)
{
    LLVMValueRef program = ls_program_get(cc),
                 w = LLVMGetParam(program, LLVMCountParams(program) - 1);

    if (!cc->n_debug_marks)
        return;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(program); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            const char *name = LLVMIsACallInst(i) ? ls_ir_callee_name(i) : NULL;

            if (name && ls_ir_has_prefix(name, LS_FN_DEBUG_VALUE))
                LLVMSetOperand(i, 0, w);
        }
}
