/* SPDX-License-Identifier: MIT */
/* How something is marked for checkers: a note about it, where it stands in the source, and a call.
 */
#include <stdio.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "compiler/ir/checks_priv.h"

enum { TRACE_DEPTH = 32, TRACE_BYTES = 4096 };

/* ---- Where an access stands in the source ---- */

LLVMMetadataRef
ls_mark_operand(struct ls_cc *cc, LLVMMetadataRef node, unsigned i)
{
    LLVMValueRef v = LLVMMetadataAsValue(cc->llvm, node), parts[32];
    unsigned n = (unsigned)LLVMGetMDNodeNumOperands(v);

    if (i >= n || n > sizeof(parts) / sizeof(*parts))
        return NULL;
    LLVMGetMDNodeOperands(v, parts);
    return parts[i] ? LLVMValueAsMetadata(parts[i]) : NULL;
}

/* The name of the function that a scope lies in. */
static const char *
function_of(struct ls_cc *cc, LLVMMetadataRef scope, unsigned *len)
{
    enum { SCOPE = 1, NAME = 2 };

    for (unsigned depth = 0; scope && depth < 64; depth++) {
        if (LLVMGetMetadataKind(scope) == LLVMDISubprogramMetadataKind) {
            LLVMMetadataRef name = ls_mark_operand(cc, scope, NAME);

            return name ? LLVMGetMDString(LLVMMetadataAsValue(cc->llvm, name), len) : NULL;
        }
        scope = ls_mark_operand(cc, scope, SCOPE);
    }
    return NULL;
}

static void
add_frame(struct ls_cc *cc, LLVMMetadataRef location, char *text, size_t bytes)
{
    LLVMMetadataRef scope = LLVMDILocationGetScope(location), file = LLVMDIScopeGetFile(scope);
    unsigned fn_len = 0, file_len = 0, dir_len = 0;
    const char *fn = function_of(cc, scope, &fn_len),
               *name = file ? LLVMDIFileGetFilename(file, &file_len) : "",
               *dir = file ? LLVMDIFileGetDirectory(file, &dir_len) : "";
    bool whole = file_len && name[0] == '/';
    size_t n = strlen(text);

    snprintf(text + n, bytes - n, "%.*s\t%.*s%s%.*s\t%u\t%u\n", (int)fn_len, fn ? fn : "",
             whole ? 0 : (int)dir_len, dir, whole || !dir_len ? "" : "/", (int)file_len, name,
             LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location));
}

/* Where an instruction stands; NULL: unknown, as of those that the optimiser made of several. */
static LLVMMetadataRef
location_of(LLVMValueRef v)
{
    LLVMMetadataRef at = LLVMIsAInstruction(v) ? LLVMInstructionGetDebugLoc(v) : NULL;

    return at && LLVMDILocationGetLine(at) ? at : NULL;
}

/* Of an instruction; where the optimiser moved it and its line is lost, of who uses it, or of one
 * near it in its block. */
static LLVMMetadataRef
location_near(LLVMValueRef inst)
{
    LLVMMetadataRef found = location_of(inst);

    for (LLVMUseRef u = LLVMGetFirstUse(inst); u && !found; u = LLVMGetNextUse(u))
        found = location_of(LLVMGetUser(u));
    for (int i = 0; i < LLVMGetNumOperands(inst) && !found; i++)
        found = location_of(LLVMGetOperand(inst, (unsigned)i));
    for (LLVMValueRef i = inst; i && !found; i = LLVMGetPreviousInstruction(i))
        found = location_of(i);
    for (LLVMValueRef i = inst; i && !found; i = LLVMGetNextInstruction(i))
        found = location_of(i);
    return found;
}

const char *
ls_mark_trace(struct ls_cc *cc, LLVMValueRef inst)
{
    char text[TRACE_BYTES] = "";
    LLVMMetadataRef at = location_near(inst);
    size_t n;

    for (unsigned depth = 0; at && depth < TRACE_DEPTH; depth++) {
        add_frame(cc, at, text, sizeof(text));
        at = LLVMDILocationGetInlinedAt(at);
    }
    n = strlen(text) + 1;
    return n > 1 ? memcpy(ls_arena_alloc(cc->arena, n), text, n) : NULL;
}

/* ---- Notes and calls ---- */

/* Those of one kernel lie side by side, those of several hardly ever at the same place. */
static uint32_t
review_slot(struct ls_cc *cc)
{
    uint32_t hash = 5381;

    for (const char *c = cc->opt->kernel; c && *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    return (uint32_t)((hash + cc->n_checks) % LS_REVIEW_SLOTS);
}

struct ls_check_note *
ls_mark_note(struct ls_marker *m)
{
    struct ls_cc *cc = m->cc;

    if (cc->n_checks == cc->cap_checks) { /* the old array is left to the arena */
        struct ls_check_note *old = cc->checks;

        cc->cap_checks = cc->cap_checks ? 2 * cc->cap_checks : 64;
        cc->checks = ls_arena_alloc(cc->arena, cc->cap_checks * sizeof(*cc->checks));
        if (cc->n_checks)
            memcpy(cc->checks, old, cc->n_checks * sizeof(*cc->checks));
    }
    cc->checks[cc->n_checks] = (struct ls_check_note){.site = {.kind = 0}};
    if (cc->opt->checks & LS_CHECK_REVIEW)
        cc->checks[cc->n_checks].site.slot = review_slot(cc);
    return &cc->checks[cc->n_checks];
}

void
ls_mark_call(struct ls_marker *m, LLVMValueRef where, LLVMValueRef n_bytes, LLVMValueRef inst)
{
    struct ls_cc *cc = m->cc;
    LLVMValueRef args[2] = {where, n_bytes};
    unsigned n = n_bytes ? 2 : 1;
    LLVMTypeRef types[2] = {LLVMTypeOf(where), m->i64},
                type = LLVMFunctionType(LLVMVoidTypeInContext(cc->llvm), types, n, false);
    char name[64];
    LLVMValueRef fn, call;

    snprintf(name, sizeof(name), "%s%zu", LS_FN_CHECK, cc->n_checks++);
    fn = LLVMAddFunction(cc->mod, name, type);
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, ls_ir_attribute(cc, "nounwind", 0));
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, ls_ir_attribute(cc, "willreturn", 0));
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                            ls_ir_attribute(cc, "memory", LS_MEMORY_INACCESSIBLE));
    call = LLVMBuildCall2(m->b, type, fn, args, n, "");
    LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(inst));
}

uint8_t
ls_mark_order(LLVMValueRef inst)
{
    static const struct {
        const char *word;
        uint8_t flags;
    } orders[] = {{" seq_cst", LS_CHECK_ACQUIRES | LS_CHECK_RELEASES},
                  {" acq_rel", LS_CHECK_ACQUIRES | LS_CHECK_RELEASES},
                  {" acquire", LS_CHECK_ACQUIRES},
                  {" release", LS_CHECK_RELEASES}};
    char *text = LLVMPrintValueToString(inst);
    uint8_t flags = 0;

    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]) && !flags; i++)
        if (strstr(text, orders[i].word))
            flags = orders[i].flags;
    if (strstr(text, "syncscope(\"wavefront") || strstr(text, "syncscope(\"singlethread"))
        flags = LS_CHECK_NARROW;
    else if (strstr(text, "syncscope(\"workgroup"))
        flags |= LS_CHECK_NARROW;
    LLVMDisposeMessage(text);
    return flags;
}
