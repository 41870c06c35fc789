/* SPDX-License-Identifier: MIT */
/* Small things over LLVM-C. */
#include "compiler/ir/ir.h"

#include <stdlib.h>
#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "base/ptrmap.h"

static bool
is_bitcode(const unsigned char *p, size_t bytes)
{
    return bytes >= 4 &&
           ((p[0] == 'B' && p[1] == 'C' && p[2] == 0xc0) || (p[0] == 0xde && p[1] == 0xc0));
}

LLVMModuleRef
ls_ir_parse_lazily(struct ls_cc *cc, const void *data, size_t bytes)
{
    LLVMMemoryBufferRef buf;
    LLVMModuleRef mod;

    if (!is_bitcode(data, bytes))
        return NULL;
    buf = LLVMCreateMemoryBufferWithMemoryRange(data, bytes, "device", false);
    if (!LLVMGetBitcodeModuleInContext2(cc->llvm, buf, &mod))
        return mod;
    LLVMDisposeMemoryBuffer(buf);
    return NULL;
}

LLVMModuleRef
ls_ir_parse(struct ls_cc *cc, const void *data, size_t bytes)
{
    LLVMModuleRef mod = NULL;

    if (is_bitcode(data, bytes)) {
        LLVMMemoryBufferRef buf =
            LLVMCreateMemoryBufferWithMemoryRange(data, bytes, "device", false);
        bool failed;

        cc->muted = true; /* if LLVM refuses it, a better message follows below */
        failed = LLVMParseBitcodeInContext2(cc->llvm, buf, &mod);
        cc->muted = false;
        LLVMDisposeMemoryBuffer(buf);
        if (failed)
            ls_ir_explain_refusal(cc, data, bytes);
        return failed ? NULL : mod;
    }
    char *why = NULL;
    LLVMMemoryBufferRef buf = LLVMCreateMemoryBufferWithMemoryRangeCopy(data, bytes, "device");
    if (LLVMParseIRInContext(cc->llvm, buf, &mod, &why)) {
        ls_diag(cc, LS_DIAG_ERROR, NULL, "not device code: %s", why);
        LLVMDisposeMessage(why);
        return NULL;
    }
    return mod;
}

const char *
ls_ir_arch(struct ls_cc *cc, LLVMModuleRef mod)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = LLVMGetNextFunction(fn)) {
        LLVMAttributeRef a =
            LLVMGetStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, "target-cpu", 10);
        unsigned len = 0;
        const char *s = a ? LLVMGetStringAttributeValue(a, &len) : NULL;

        if (s && len)
            return ls_arena_printf(cc->arena, "%.*s", (int)len, s);
    }
    return NULL;
}

LLVMTargetMachineRef
ls_ir_device_tm(struct ls_cc *cc)
{
    const char *cpu = cc->device.tm ? NULL : ls_ir_arch(cc, cc->mod);
    LLVMTargetRef target;
    char *why = NULL;

    if (cc->device.tm)
        return cc->device.tm;
    if (LLVMGetTargetFromTriple("amdgcn-amd-amdhsa", &target, &why)) {
        ls_diag(cc, LS_DIAG_ERROR, NULL, "LLVM without amdgcn: %s", why);
        LLVMDisposeMessage(why);
        return NULL;
    }
    cc->device.tm =
        LLVMCreateTargetMachine(target, "amdgcn-amd-amdhsa",
                                cpu                 ? cpu
                                : cc->n_lanes == 64 ? "gfx90a"
                                                    : "gfx1100",
                                "", LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault);
    return cc->device.tm;
}

bool
ls_ir_has_prefix(const char *s, const char *prefix)
{
    return !strncmp(s, prefix, strlen(prefix));
}

bool
ls_ir_is_lane(LLVMValueRef v)
{
    const char *name = LLVMIsACallInst(v) ? ls_ir_callee_name(v) : NULL;

    return name && !strcmp(name, LS_FN_LANE);
}

bool
ls_ir_is_grid_sync(const char *name)
{
    return !strcmp(name, LS_DEVICE_GRID_SYNC) || !strcmp(name, "__ockl_grid_sync");
}

/* Not LDS, not private, no bookkeeping. */
static bool
is_placed(LLVMValueRef global)
{
    unsigned as = LLVMGetPointerAddressSpace(LLVMTypeOf(global));
    size_t len;
    const char *name = LLVMGetValueName2(global, &len);

    return !(as == 3 || as == 5 || as == 2 || ls_ir_has_prefix(name, "llvm.") ||
             ls_ir_has_prefix(name, "__hip_cuid_") || ls_ir_has_prefix(name, "__oclc_"));
}

bool
ls_ir_global_is_indexed(LLVMValueRef global)
{
    return is_placed(global) && (!LLVMIsGlobalConstant(global) ||
                                 LLVMIsExternallyInitialized(global) || LLVMIsDeclaration(global));
}

static void
see_indexed(void *user, LLVMValueRef v)
{
    bool *seen = user;

    *seen |= LLVMIsAGlobalVariable(v) && ls_ir_global_is_indexed(v);
}

void
ls_ir_index_constants(LLVMModuleRef mod)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(mod); g; g = LLVMGetNextGlobal(g)) {
        bool points = false;

        if (!is_placed(g) || ls_ir_global_is_indexed(g))
            continue;
        ls_ir_walk_constant(LLVMGetInitializer(g), see_indexed, &points);
        if (points && !ls_ir_points_to_lds(LLVMGetInitializer(g)))
            LLVMSetExternallyInitialized(
                g, true); /* marks the constant as one that is reached by an index */
    }
}

unsigned
ls_ir_md_kind(struct ls_cc *cc, const char *name)
{
    return LLVMGetMDKindIDInContext(cc->llvm, name, (unsigned)strlen(name));
}

LLVMAttributeRef
ls_ir_attribute(struct ls_cc *cc, const char *name, uint64_t value)
{
    return LLVMCreateEnumAttribute(cc->llvm, LLVMGetEnumAttributeKindForName(name, strlen(name)),
                                   value);
}

void
ls_ir_remove_attribute(LLVMValueRef fn, const char *name)
{
    LLVMRemoveEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                   LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

LLVMTypeRef
ls_ir_elem(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

LLVMTypeRef
ls_ir_like(LLVMTypeRef type, LLVMTypeRef elem)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind
               ? LLVMVectorType(elem, LLVMGetVectorSize(type))
               : elem;
}

unsigned
ls_ir_access_alignment(LLVMValueRef inst)
{
    unsigned align = LLVMGetAlignment(inst);

    return align ? align : 64;
}

unsigned
ls_ir_argument_alignment(LLVMValueRef call, unsigned i)
{
    static const char name[] = "align";
    unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof(name) - 1);
    LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, i + 1, kind);
    uint64_t align = attribute ? LLVMGetEnumAttributeValue(attribute) : 1;

    return align > UINT32_MAX ? 64 : (unsigned)align;
}

void
ls_ir_global_set_number(struct ls_cc *cc, LLVMValueRef global, const char *kind, unsigned number)
{
    LLVMMetadataRef md =
        LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(cc->llvm), number, false));

    LLVMGlobalSetMetadata(global, ls_ir_md_kind(cc, kind), LLVMMDNodeInContext2(cc->llvm, &md, 1));
}

bool
ls_ir_global_number(struct ls_cc *cc, LLVMValueRef global, const char *kind, unsigned *number)
{
    unsigned id = ls_ir_md_kind(cc, kind);
    size_t n;
    LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(global, &n);
    bool found = false;

    for (size_t i = 0; i < n && !found; i++) {
        if (LLVMValueMetadataEntriesGetKind(all, (unsigned)i) != id)
            continue;
        LLVMMetadataRef md = LLVMValueMetadataEntriesGetMetadata(all, (unsigned)i);
        LLVMValueRef node = LLVMMetadataAsValue(cc->llvm, md), op;

        LLVMGetMDNodeOperands(node, &op);
        *number = (unsigned)LLVMConstIntGetZExtValue(op);
        found = true;
    }
    LLVMDisposeValueMetadataEntries(all);
    return found;
}

bool
ls_ir_lds_place(struct ls_cc *cc, LLVMValueRef global, unsigned *at)
{
    return ls_ir_global_number(cc, global, LS_MD_LDS_OFFSET, at);
}

unsigned
ls_ir_lds_layout(LLVMTargetDataRef layout, LLVMModuleRef mod,
                 bool (*used)(void *user, LLVMValueRef global),
                 void (*place)(void *user, LLVMValueRef global, unsigned offset), void *user)
{
    unsigned offset = 0;

    /* The strictest alignments come first, which leaves no holes; variables of one alignment keep
     * the module's order. */
    for (unsigned align = 1u << 16; align; align >>= 1) {
        for (LLVMValueRef g = LLVMGetFirstGlobal(mod); g; g = LLVMGetNextGlobal(g)) {
            LLVMTypeRef type = LLVMGlobalGetValueType(g);
            unsigned a = LLVMGetAlignment(g);
            unsigned long long bytes;

            if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != 3)
                continue;
            if (!a)
                a = LLVMABIAlignmentOfType(layout, type);
            if (a != align || (used && !used(user, g)))
                continue;
            bytes = LLVMABISizeOfType(layout, type);
            if (!bytes)
                continue;
            offset = (offset + a - 1) & ~(a - 1);
            if (place)
                place(user, g, offset);
            offset += (unsigned)bytes;
        }
    }
    offset = (offset + 15) & ~15u;
    for (LLVMValueRef g = LLVMGetFirstGlobal(mod); g; g = LLVMGetNextGlobal(g))
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 3 && place && (!used || used(user, g)) &&
            !LLVMABISizeOfType(layout, LLVMGlobalGetValueType(g)))
            place(user, g, offset);
    return offset;
}

LLVMTypeRef
ls_ir_byref_type(LLVMValueRef fn, unsigned param)
{
    LLVMAttributeRef a =
        LLVMGetEnumAttributeAtIndex(fn, param + 1, LLVMGetEnumAttributeKindForName("byref", 5));

    return a ? LLVMGetTypeAttributeValue(a) : NULL;
}

struct ls_kernarg *
ls_ir_kernargs(struct ls_cc *cc, LLVMTargetDataRef layout, LLVMValueRef kernel,
               unsigned *kernarg_bytes)
{
    unsigned n = LLVMCountParams(kernel), offset = 0;
    struct ls_kernarg *args = ls_arena_alloc(cc->arena, (n + 1) * sizeof(*args));

    for (unsigned i = 0; i < n; i++) {
        LLVMTypeRef type = ls_ir_byref_type(kernel, i);
        unsigned align;

        args[i].byref = type != NULL;
        if (!type)
            type = LLVMTypeOf(LLVMGetParam(kernel, i));
        align = LLVMABIAlignmentOfType(layout, type);
        if (args[i].byref) {
            LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(
                kernel, i + 1, LLVMGetEnumAttributeKindForName("align", 5));
            if (a)
                align = (unsigned)LLVMGetEnumAttributeValue(a);
        }
        offset = (offset + align - 1) & ~(align - 1);
        args[i].offset = offset;
        args[i].size = (unsigned)LLVMABISizeOfType(layout, type);
        offset += args[i].size;
    }
    *kernarg_bytes = offset;
    return args;
}

LLVMValueRef
ls_ir_declare(struct ls_cc *cc, const char *name, LLVMTypeRef type, bool effects)
{
    LLVMValueRef fn = LLVMGetNamedFunction(cc->mod, name);

    if (fn)
        return fn;
    fn = LLVMAddFunction(cc->mod, name, type);
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, ls_ir_attribute(cc, "nounwind", 0));
    if (effects) {
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                ls_ir_attribute(cc, "convergent", 0));
    } else {
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, ls_ir_attribute(cc, "memory", 0));
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                ls_ir_attribute(cc, "willreturn", 0));
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                ls_ir_attribute(cc, "speculatable", 0));
    }
    return fn;
}

void
ls_ir_redirect(LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    LLVMValueRef block = LLVMBasicBlockAsValue(from);

    for (LLVMUseRef use = LLVMGetFirstUse(block); use;) {
        LLVMValueRef term = LLVMGetUser(use);

        if (!LLVMIsATerminatorInst(term)) {
            use = LLVMGetNextUse(use);
            continue;
        }
        for (unsigned i = 0; i < LLVMGetNumSuccessors(term); i++)
            if (LLVMGetSuccessor(term, i) == from)
                LLVMSetSuccessor(term, i, to);
        use = LLVMGetFirstUse(block); /* what was changed is no use any more */
    }
}

LLVMBasicBlockRef
ls_ir_split_before(struct ls_cc *cc, LLVMValueRef inst)
{
    LLVMBasicBlockRef tail = LLVMGetInstructionParent(inst);
    LLVMBasicBlockRef head = LLVMInsertBasicBlockInContext(cc->llvm, tail, "");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);

    ls_ir_redirect(tail, head);
    LLVMPositionBuilderAtEnd(b, head);
    for (LLVMValueRef i = LLVMGetFirstInstruction(tail), next; i != inst; i = next) {
        next = LLVMGetNextInstruction(i);
        LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(i);
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilder(b, i);
        LLVMInstructionSetDebugLoc(i, loc);
    }
    LLVMBuildBr(b, tail);
    LLVMDisposeBuilder(b);
    return head;
}

/* LLVM-C 19 only answers whether a fence is a single thread's, so the name of its scope is read
 * from the printed instruction. A copy outside of the function is printed, without its place in the
 * source: to print one inside, LLVM first numbers all values of the function. */
bool
ls_ir_is_fence_of_block(LLVMValueRef fence)
{
    LLVMValueRef copy;
    char *text;
    bool local;

    if (LLVMIsAtomicSingleThread(fence))
        return true;
    copy = LLVMInstructionClone(fence);
    LLVMInstructionSetDebugLoc(copy, NULL);
    text = LLVMPrintValueToString(copy);
    local = strstr(text, "syncscope(\"workgroup") || strstr(text, "syncscope(\"wavefront") ||
            strstr(text, "syncscope(\"singlethread");
    LLVMDisposeMessage(text);
    LLVMDeleteInstruction(copy);
    return local;
}

LLVMValueRef
ls_ir_after_phis(LLVMBasicBlockRef bb)
{
    LLVMValueRef i = LLVMGetFirstInstruction(bb);

    while (LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

static void
walk(struct ls_ptrmap *seen, LLVMValueRef v, void (*visit)(void *user, LLVMValueRef v), void *user)
{
    if (!v || !LLVMIsAConstant(v) || ls_ptrmap_get(seen, v))
        return;
    ls_ptrmap_set(seen, v, v);
    visit(user, v);
    if (LLVMIsAGlobalVariable(v)) {
        walk(seen, LLVMGetInitializer(v), visit, user);
        return;
    }
    if (LLVMIsAFunction(v))
        return;
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++)
        walk(seen, LLVMGetOperand(v, (unsigned)i), visit, user);
}

void
ls_ir_walk_constant(LLVMValueRef v, void (*visit)(void *user, LLVMValueRef v), void *user)
{
    if (!LLVMIsAConstant(v))
        return;
    if (LLVMIsAConstantInt(v) || LLVMIsAConstantFP(v))
        return;
    struct ls_arena *arena = ls_arena_create();
    struct ls_ptrmap seen;

    ls_ptrmap_init(&seen, arena);
    walk(&seen, v, visit, user);
    ls_arena_destroy(arena);
}

static unsigned
space_of(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind ? LLVMGetPointerAddressSpace(type) : 0;
}

bool
ls_ir_is_lds_address(LLVMValueRef v)
{
    return LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMAddrSpaceCast &&
           space_of(LLVMTypeOf(LLVMGetOperand(v, 0))) == 3 && space_of(LLVMTypeOf(v)) != 3;
}

static void
see_lds_address(void *user, LLVMValueRef v)
{
    bool *seen = user;

    *seen |= ls_ir_is_lds_address(v);
}

bool
ls_ir_points_to_lds(LLVMValueRef constant)
{
    bool seen = false;

    ls_ir_walk_constant(constant, see_lds_address, &seen);
    return seen;
}

LLVMValueRef
ls_ir_ctx_load(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef ctx, size_t offset,
               LLVMTypeRef type, const char *name)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(cc->llvm);
    LLVMValueRef index = LLVMConstInt(i64, offset, false);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(cc->llvm), ctx, &index, 1, "");
    LLVMValueRef load = LLVMBuildLoad2(b, type, at, name);

    LLVMSetMetadata(load, ls_ir_md_kind(cc, "invariant.load"),
                    LLVMMetadataAsValue(cc->llvm, LLVMMDNodeInContext2(cc->llvm, NULL, 0)));
    return load;
}

void
ls_ir_set_range(struct ls_cc *cc, LLVMValueRef call, uint64_t limit)
{
    uint64_t lo = 0;
    LLVMAttributeRef range;

    if (limit < 2)
        return;
    range = LLVMCreateConstantRangeAttribute(cc->llvm, LLVMGetEnumAttributeKindForName("range", 5),
                                             32, &lo, &limit);
    LLVMAddCallSiteAttribute(call, LLVMAttributeReturnIndex, range);
}

LLVMValueRef
ls_ir_object_of(LLVMValueRef pointer)
{
    enum { MOST_STEPS = 64 }; /* where nothing leads to it, code may go in a circle */

    for (unsigned n = 0; n < MOST_STEPS; n++) {
        LLVMOpcode op = LLVMIsAInstruction(pointer)    ? LLVMGetInstructionOpcode(pointer)
                        : LLVMIsAConstantExpr(pointer) ? LLVMGetConstOpcode(pointer)
                                                       : (LLVMOpcode)0;

        if (op != LLVMGetElementPtr && op != LLVMAddrSpaceCast && op != LLVMBitCast)
            break;
        pointer = LLVMGetOperand(pointer, 0);
    }
    return pointer;
}

bool
ls_ir_calls(LLVMValueRef inst, const char *prefix)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    return name && ls_ir_has_prefix(name, prefix);
}

LLVMValueRef
ls_ir_incoming(LLVMValueRef phi, LLVMBasicBlockRef from)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == from)
            return LLVMGetIncomingValue(phi, i);
    return NULL;
}

LLVMIntPredicate
ls_ir_opposite(LLVMIntPredicate p)
{
    switch (p) {
    case LLVMIntEQ:
        return LLVMIntNE;
    case LLVMIntNE:
        return LLVMIntEQ;
    case LLVMIntUGT:
        return LLVMIntULE;
    case LLVMIntUGE:
        return LLVMIntULT;
    case LLVMIntULT:
        return LLVMIntUGE;
    case LLVMIntULE:
        return LLVMIntUGT;
    case LLVMIntSGT:
        return LLVMIntSLE;
    case LLVMIntSGE:
        return LLVMIntSLT;
    case LLVMIntSLT:
        return LLVMIntSGE;
    case LLVMIntSLE:
    default:
        return LLVMIntSGT;
    }
}
