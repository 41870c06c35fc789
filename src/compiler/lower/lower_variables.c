/* SPDX-License-Identifier: MIT */
/* Source variables for debuggers: the marks of ir/variables.c become stores to arrays with a copy
 * for each thread, and the debug information names these arrays instead of the variables. In a
 * block's program an array holds the whole block, so that `print v[t]` shows thread t; where each
 * warp has a stack of its own, or in a function that stays out of line, it holds the lanes of the
 * warp. Two variables of ours stand beside them in the kernel's frame: ls_warp, the warp that runs,
 * and ls_mask, which of its lanes are on. */
#include "lower/lower_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "compiler/ir/ir.h"
#include "device/cpu/kernel_abi.h"

static bool
holds_block(const struct ls_vf *vf)
{
    return !vf->varying_args && vf->cc->mode == LS_CPU_MODE_BLOCK;
}

static unsigned
n_copies(const struct ls_vf *vf)
{
    unsigned warps = vf->cc->n_warps ? vf->cc->n_warps : 1024u / vf->n_lanes;

    return (holds_block(vf) ? warps : 1) * vf->n_lanes;
}

static const struct ls_debug_mark *
mark_of(struct ls_vf *vf, LLVMValueRef call, const char *prefix)
{
    return &vf->cc->debug_marks[strtoul(ls_lower_callee_name(call) + strlen(prefix), NULL, 10)];
}

/* The source variable that a mark belongs to; NULL when a pass has dropped its metadata. */
static LLVMMetadataRef
variable_of(LLVMValueRef call)
{
    LLVMMetadataRef variable = NULL;
    size_t n;
    LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(LLVMGetCalledValue(call), &n);

    for (unsigned i = 0; i < n && !variable; i++) {
        LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(all, i);
        variable = LLVMGetMetadataKind(node) == LLVMDILocalVariableMetadataKind ? node : NULL;
    }
    LLVMDisposeValueMetadataEntries(all);
    return variable;
}

/* The number behind `key` in the printed form of a metadata node: the C API has no function that
 * reads it. */
static unsigned
printed_number(struct ls_vf *vf, LLVMMetadataRef node, const char *key)
{
    char *text = LLVMPrintValueToString(LLVMMetadataAsValue(vf->llvm, node));
    const char *at = strstr(text, key);
    unsigned n = at ? (unsigned)strtoul(at + strlen(key), NULL, 10) : 0;

    LLVMDisposeMessage(text);
    return n;
}

/* The array of a variable's copies in one function, at one place of inlining. */
struct ls_debug_copies {
    struct ls_debug_copies *next;
    LLVMValueRef fn, host;
    LLVMMetadataRef variable, inlined_at; /* inlined_at NULL: not inlined */
};

static struct ls_debug_copies *
find_copies(struct ls_vf *vf, LLVMMetadataRef variable, LLVMMetadataRef inlined_at)
{
    struct ls_debug_copies *c = vf->cc->debug_copies;

    while (c && (c->fn != vf->fn || c->variable != variable || c->inlined_at != inlined_at))
        c = c->next;
    return c;
}

/* The function that a variable belongs to. */
static LLVMMetadataRef
subprogram_of(struct ls_vf *vf, LLVMMetadataRef scope)
{
    enum { SCOPE = 1, N_PARTS = 8, DEPTH = 64 };

    for (unsigned depth = 0; scope && depth < DEPTH; depth++) {
        LLVMValueRef node = LLVMMetadataAsValue(vf->llvm, scope), parts[N_PARTS];

        if (LLVMGetMetadataKind(scope) == LLVMDISubprogramMetadataKind)
            return scope;
        if (LLVMGetMDNodeNumOperands(node) > N_PARTS || LLVMGetMDNodeNumOperands(node) <= SCOPE)
            return NULL;
        LLVMGetMDNodeOperands(node, parts);
        scope = parts[SCOPE] ? LLVMValueAsMetadata(parts[SCOPE]) : NULL;
    }
    return NULL;
}

/* Finds where a mark was inlined at; NULL: it was not inlined. Returns false when a pass has
 * removed the mark's line, so that it cannot be known. */
static bool
place_of_inlining(struct ls_vf *vf, LLVMValueRef call, LLVMMetadataRef variable,
                  LLVMMetadataRef *inlined_at)
{
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(call);

    *inlined_at = location ? LLVMDILocationGetInlinedAt(location) : NULL;
    return *inlined_at ||
           subprogram_of(vf, LLVMDIVariableGetScope(variable)) == LLVMGetSubprogram(vf->fn);
}

/* Says that `host` is an array of copies of `bytes` bytes. */
static struct ls_debug_copies *
describe(struct ls_vf *vf, LLVMMetadataRef variable, unsigned bytes, LLVMMetadataRef inlined_at,
         LLVMValueRef host)
{
    enum { SCOPE, NAME, FILE_, TYPE, N_PARTS = 8 };
    LLVMValueRef node = LLVMMetadataAsValue(vf->llvm, variable), parts[N_PARTS];
    struct ls_debug_copies *c = ls_arena_alloc(vf->cc->arena, sizeof(*c));
    LLVMDIBuilderRef di;
    LLVMMetadataRef type, all, range, file, location;
    unsigned len, arg, line;
    const char *name;

    c->next = vf->cc->debug_copies;
    c->variable = variable;
    c->fn = vf->fn;
    c->host = host;
    c->inlined_at = inlined_at;
    vf->cc->debug_copies = c;
    if (LLVMGetMDNodeNumOperands(node) > N_PARTS)
        return c;
    LLVMGetMDNodeOperands(node, parts);
    name = parts[NAME] ? LLVMGetMDString(parts[NAME], &len) : NULL;
    if (!name || !parts[TYPE])
        return c;
    di = LLVMCreateDIBuilder(vf->mod);
    range = LLVMDIBuilderGetOrCreateSubrange(di, 0, n_copies(vf));
    type = LLVMDIBuilderCreateArrayType(di, (uint64_t)n_copies(vf) * bytes * 8, 0,
                                        LLVMValueAsMetadata(parts[TYPE]), &range, 1);
    file = parts[FILE_] ? LLVMValueAsMetadata(parts[FILE_]) : NULL;
    line = printed_number(vf, variable, "line: ");
    arg = printed_number(vf, variable, "arg: ");
    all =
        arg ? LLVMDIBuilderCreateParameterVariable(di, LLVMValueAsMetadata(parts[SCOPE]), name, len,
                                                   arg, file, line, type, true, LLVMDIFlagZero)
            : LLVMDIBuilderCreateAutoVariable(di, LLVMValueAsMetadata(parts[SCOPE]), name, len,
                                              file, line, type, true, LLVMDIFlagZero, 0);
    location = LLVMDIBuilderCreateDebugLocation(vf->llvm, line, 0, LLVMDIVariableGetScope(variable),
                                                inlined_at);
    LLVMDIBuilderInsertDeclareRecordBefore(di, host, all,
                                           LLVMDIBuilderCreateExpression(di, NULL, 0), location,
                                           LLVMGetBasicBlockTerminator(vf->entry));
    LLVMDIBuilderFinalize(di);
    LLVMDisposeDIBuilder(di);
    return c;
}

/* The array's first byte of this warp. */
static LLVMValueRef
warp_copies(struct ls_vf *vf, unsigned bytes, LLVMValueRef host, LLVMValueRef warp)
{
    LLVMValueRef at = LLVMConstInt(vf->i32, (uint64_t)vf->n_lanes * bytes, false);

    if (!holds_block(vf))
        return host;
    at = LLVMBuildMul(vf->b, warp, at, "");
    return LLVMBuildGEP2(vf->b, vf->i8, host, &at, 1, "");
}

/* Volatile, as nobody reads it back. Lanes that are off keep what they have. */
static void
store_kept(struct ls_vf *vf, LLVMValueRef value, LLVMValueRef at, LLVMValueRef mask)
{
    LLVMValueRef store;

    if (mask) {
        LLVMValueRef old = LLVMBuildLoad2(vf->b, LLVMTypeOf(value), at, "");
        LLVMSetVolatile(old, true);
        LLVMSetAlignment(old, 1);
        value = LLVMBuildSelect(vf->b, mask, value, old, "");
    }
    store = LLVMBuildStore(vf->b, value, at);
    LLVMSetVolatile(store, true);
    LLVMSetAlignment(store, 1);
}

/* A component's value as it lies in memory: integers of whole bytes. NULL: no such form. */
static LLVMValueRef
memory_form(struct ls_vf *vf, LLVMValueRef v, unsigned *bytes)
{
    LLVMTypeRef type = LLVMTypeOf(v), elem = ls_lanes_elem(type);
    unsigned bits;

    switch (LLVMGetTypeKind(elem)) {
    case LLVMPointerTypeKind:
        *bytes = 8;
        return v;
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
        *bytes = 2;
        return v;
    case LLVMFloatTypeKind:
        *bytes = 4;
        return v;
    case LLVMDoubleTypeKind:
        *bytes = 8;
        return v;
    case LLVMIntegerTypeKind:
        bits = LLVMGetIntTypeWidth(elem);
        *bytes = (bits + 7) / 8;
        if (*bytes > 8 || (*bytes & (*bytes - 1)))
            return NULL;
        return bits % 8 ? B_ZEXT(v, ls_lanes_like(type, LLVMIntTypeInContext(vf->llvm, *bytes * 8)))
                        : v;
    default: return NULL;
    }
}

static void
store_component(struct ls_vf *vf, const struct ls_debug_mark *mark, unsigned offset,
                LLVMValueRef at, LLVMValueRef wide)
{
    unsigned bytes;

    wide = memory_form(vf, wide, &bytes);
    if (!wide || offset + bytes > mark->bytes)
        return;
    if (bytes == mark->bytes) {
        store_kept(vf, wide, at, vf->mask);
        return;
    }
    for (unsigned l = 0; l < vf->n_lanes; l++) {
        LLVMValueRef lane = LLVMConstInt(vf->i32, l, false);
        LLVMValueRef where = LLVMConstInt(vf->i32, (uint64_t)l * mark->bytes + offset, false);
        LLVMValueRef on = vf->mask ? LLVMBuildExtractElement(vf->b, vf->mask, lane, "") : NULL;

        store_kept(vf, LLVMBuildExtractElement(vf->b, wide, lane, ""),
                   LLVMBuildGEP2(vf->b, vf->i8, at, &where, 1, ""), on);
    }
}

/* A variable of ours in the kernel's frame. */
static LLVMValueRef
own_variable(struct ls_vf *vf, const char *name, LLVMTypeRef type, const char *type_name)
{
    enum { DW_ATE_UNSIGNED = 7 };
    LLVMMetadataRef scope = LLVMGetSubprogram(vf->fn), di_type, variable, location;
    LLVMValueRef room = ls_vf_temp(vf, type, name);
    LLVMDIBuilderRef di;

    if (!scope)
        return room;
    di = LLVMCreateDIBuilder(vf->mod);
    di_type =
        LLVMDIBuilderCreateBasicType(di, type_name, strlen(type_name), LLVMGetIntTypeWidth(type),
                                     DW_ATE_UNSIGNED, LLVMDIFlagZero);
    variable = LLVMDIBuilderCreateAutoVariable(
        di, scope, name, strlen(name), LLVMDIScopeGetFile(scope), LLVMDISubprogramGetLine(scope),
        di_type, true, LLVMDIFlagArtificial, 0);
    location =
        LLVMDIBuilderCreateDebugLocation(vf->llvm, LLVMDISubprogramGetLine(scope), 0, scope, NULL);
    LLVMDIBuilderInsertDeclareRecordBefore(di, room, variable,
                                           LLVMDIBuilderCreateExpression(di, NULL, 0), location,
                                           LLVMGetBasicBlockTerminator(vf->entry));
    LLVMDIBuilderFinalize(di);
    LLVMDisposeDIBuilder(di);
    return room;
}

static void
store_volatile(struct ls_vf *vf, LLVMValueRef value, LLVMValueRef at)
{
    LLVMSetVolatile(LLVMBuildStore(vf->b, value, at), true);
}

void
ls_lower_note_mask(struct ls_vf *vf)
{
    if (!vf->cc->n_debug_marks)
        return;
    if (!vf->debug_mask)
        vf->debug_mask = own_variable(vf, "ls_mask", vf->i64, "unsigned long");
    store_volatile(vf, ls_vf_mask_bits(vf), vf->debug_mask);
}

static void
note_warp(struct ls_vf *vf, LLVMValueRef warp)
{
    if (vf->varying_args)
        return;
    if (!vf->debug_warp)
        vf->debug_warp = own_variable(vf, "ls_warp", vf->i32, "unsigned int");
    store_volatile(vf, warp, vf->debug_warp);
}

/* ls.debug.value.<n>(warp, value) */
LLVMValueRef
ls_lower_debug_value(struct ls_vf *vf, LLVMValueRef call, long data)
{
    const struct ls_debug_mark *mark = mark_of(vf, call, LS_FN_DEBUG_VALUE);
    LLVMMetadataRef variable = variable_of(call);
    LLVMMetadataRef inlined_at;
    struct ls_debug_copies *copies;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, 1)), host = ls_vf_host_type(vf, type);
    bool is_vector = LLVMGetTypeKind(host) == LLVMVectorTypeKind;
    unsigned n = is_vector ? LLVMGetVectorSize(host) : 1, elem_bytes;
    LLVMValueRef wide, warp, at;

    (void)data;
    if (LLVMGetTypeKind(host) == LLVMStructTypeKind || LLVMGetTypeKind(host) == LLVMArrayTypeKind)
        return NULL;
    if (!variable || !place_of_inlining(vf, call, variable, &inlined_at))
        return NULL;
    copies = find_copies(vf, variable, inlined_at);
    if (!copies) {
        LLVMValueRef room =
            ls_vf_temp(vf, LLVMArrayType2(vf->i8, (uint64_t)n_copies(vf) * mark->bytes), "debug");
        LLVMSetAlignment(room, 64);
        copies = describe(vf, variable, mark->bytes, inlined_at, room);
    }
    wide = ls_vf_vector(vf, LLVMGetOperand(call, 1));
    warp = ls_vf_scalar(vf, LLVMGetOperand(call, 0));
    note_warp(vf, warp);
    at = warp_copies(vf, mark->bytes, copies->host, warp);
    elem_bytes = (unsigned)(LLVMStoreSizeOfType(vf->cc->device.layout, type) / n);
    for (unsigned c = 0; c < n; c++)
        store_component(vf, mark, mark->offset + c * elem_bytes, at,
                        is_vector ? ls_vf_component(vf, wide, c) : wide);
    return NULL;
}

/* ls.debug.place.<n>(address): the copies lie side by side already (LS_MD_DEBUG_PLACE). */
LLVMValueRef
ls_lower_debug_place(struct ls_vf *vf, LLVMValueRef call, long data)
{
    const struct ls_debug_mark *mark = mark_of(vf, call, LS_FN_DEBUG_PLACE);
    const struct ls_private *place = ls_private_of(vf->shapes, LLVMGetOperand(call, 0));
    LLVMMetadataRef variable = variable_of(call), inlined_at;

    (void)data;
    if (variable && place && place->kind == LS_PRIVATE_PER_LANE && place->host &&
        place_of_inlining(vf, call, variable, &inlined_at) &&
        !find_copies(vf, variable, inlined_at))
        describe(vf, variable, mark->bytes, inlined_at, place->host);
    return NULL;
}
