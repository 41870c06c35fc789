/* SPDX-License-Identifier: MIT */
/* From a thread's code to an entry that NVIDIA's assembler takes: parameters as the hardware has
 * them, builtins replaced, memory where it lies there. */
#include "ptx/ptx.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "base/isa.h"
#include "compiler/ir/ir.h"
#include "host/host.h"
#include "ptx/ptx_priv.h"

enum { CALL_PTX_KERNEL = 71 }; /* LLVM's number of the calling convention */

static void
init_llvm(void)
{
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
}

static bool
has_halves(const struct ls_cc *cc)
{
    (void)cc;
    return true;
}

static const struct ls_host nvidia = {
    .triple = "nvptx64-nvidia-cuda",
    .converts_halves = has_halves,
    .computes_halves = has_halves,
    .rounds = has_halves,
};

bool
ls_ptx_begin(struct ls_cc *cc)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (cc->opt->warp_size != LS_PTX_LANES)
        return ls_diag(cc, LS_DIAG_ERROR, NULL,
                       "warps of NVIDIA GPUs have 32 lanes, and this code was made for %u: compile "
                       "it for a target with warps of 32 (--offload-arch=gfx1100)",
                       cc->opt->warp_size);
    pthread_once(&once, init_llvm);
    return ls_host_begin(cc, &nvidia);
}

/* ---- The module ---- */

/* What AMD's code generator was told means nothing here, or something else. */
static void
become_nvidia(struct ls_cc *cc)
{
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(cc->host.tm);

    LLVMSetTarget(cc->mod, cc->host.arch->triple);
    LLVMSetModuleDataLayout(cc->mod, layout);
    LLVMDisposeTargetData(layout);
    LLVMStripModuleDebugInfo(cc->mod);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        static const char *const keys[] = {"target-cpu", "target-features",
                                           "uniform-work-group-size", "amdgpu-unsafe-fp-atomics"};

        for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
            LLVMRemoveStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, keys[i],
                                             (unsigned)strlen(keys[i]));
        if (LLVMIsDeclaration(fn))
            continue;
        ls_host_set_attribute(cc, fn, "target-cpu", cc->host.cpu);
        LLVMSetFunctionCallConv(fn, LLVMCCallConv);
        LLVMSetLinkage(fn, LLVMInternalLinkage);
        LLVMSetVisibility(fn, LLVMDefaultVisibility);
    }
}

static LLVMValueRef
declare_entry(struct ls_cc *cc, LLVMValueRef program, unsigned n)
{
    LLVMTypeRef *types = ls_arena_alloc(cc->arena, (n + 1) * sizeof(*types)), generic, type;
    LLVMValueRef entry;

    generic = LLVMPointerTypeInContext(cc->llvm, LS_SPACE_GENERIC);
    for (unsigned i = 0; i < n; i++) {
        LLVMTypeRef t = LLVMTypeOf(LLVMGetParam(program, i + 1));
        bool moves = LLVMGetTypeKind(t) == LLVMPointerTypeKind &&
                     LLVMGetPointerAddressSpace(t) == LS_SPACE_CONSTANT;

        types[i] = moves ? generic : t;
    }
    type = LLVMFunctionType(LLVMVoidTypeInContext(cc->llvm), types, n, false);
    entry = LLVMAddFunction(cc->mod, LS_PTX_ENTRY, type);
    LLVMSetFunctionCallConv(entry, CALL_PTX_KERNEL);
    for (unsigned i = 0; i < n; i++) {
        LLVMTypeRef by = ls_ir_byref_type(program, i + 1);

        if (by) {
            unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);

            LLVMAddAttributeAtIndex(entry, i + 1, LLVMCreateTypeAttribute(cc->llvm, kind, by));
            LLVMAddAttributeAtIndex(
                entry, i + 1,
                ls_ir_attribute(cc, "align", LLVMABIAlignmentOfType(cc->device.layout, by)));
        } else if (LLVMGetEnumAttributeAtIndex(program, i + 2,
                                               LLVMGetEnumAttributeKindForName("noalias", 7))) {
            LLVMAddAttributeAtIndex(entry, i + 1, ls_ir_attribute(cc, "noalias", 0));
        }
    }
    return entry;
}

static void
annotate(struct ls_cc *cc, LLVMValueRef entry, const char *what, unsigned value)
{
    LLVMValueRef number = LLVMConstInt(LLVMInt32TypeInContext(cc->llvm), value, false);
    LLVMMetadataRef parts[] = {LLVMValueAsMetadata(entry),
                               LLVMMDStringInContext2(cc->llvm, what, strlen(what)),
                               LLVMValueAsMetadata(number)};
    LLVMMetadataRef node = LLVMMDNodeInContext2(cc->llvm, parts, 3);

    LLVMAddNamedMetadataOperand(cc->mod, "nvvm.annotations", LLVMMetadataAsValue(cc->llvm, node));
}

/* The most threads of a block that the program allows; 0: it does not say. */
static unsigned
max_threads(LLVMValueRef fn)
{
    static const char key[] = "amdgpu-flat-work-group-size";
    LLVMAttributeRef a =
        LLVMGetStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, key, sizeof(key) - 1);
    unsigned n_bytes;
    const char *text = a ? LLVMGetStringAttributeValue(a, &n_bytes) : NULL;
    const char *comma = text ? memchr(text, ',', n_bytes) : NULL;
    unsigned long n = comma ? strtoul(comma + 1, NULL, 10) : 0;

    return n < 1024 ? (unsigned)n : 0;
}

/* The number of the warp in its row, where rows are whole warps. */
static void
place_warp(struct ls_cc *cc, LLVMValueRef w, LLVMValueRef entry)
{
    static const char name[] = "llvm.nvvm.read.ptx.sreg.tid.x";
    LLVMBuilderRef b;
    LLVMValueRef fn, tid;

    if (!LLVMGetFirstUse(w))
        return;
    b = LLVMCreateBuilderInContext(cc->llvm);
    fn = LLVMGetIntrinsicDeclaration(cc->mod, LLVMLookupIntrinsicID(name, sizeof(name) - 1), NULL,
                                     0);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(entry)));
    tid = LLVMBuildCall2(b, LLVMGlobalGetValueType(fn), fn, NULL, 0, "");
    LLVMReplaceAllUsesWith(w, LLVMBuildLShr(b, tid, LLVMConstInt(LLVMTypeOf(w), 5, false), "warp"));
    LLVMDisposeBuilder(b);
}

/* ls.program(ctx, parameters, position) becomes the entry; *roots: its pointers to the constant
 * space -> the entry's generic ones. */
static LLVMValueRef
make_entry(struct ls_cc *cc, struct ls_ptrmap *roots)
{
    LLVMValueRef program = LLVMGetNamedFunction(cc->mod, LS_FN_PROGRAM), entry;
    unsigned n = cc->n_kernargs, most = max_threads(program);

    entry = declare_entry(cc, program, n);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(program), next, last = NULL; bb; bb = next) {
        next = LLVMGetNextBasicBlock(bb);
        if (!last) {
            last = LLVMAppendBasicBlockInContext(cc->llvm, entry, "");
            LLVMMoveBasicBlockAfter(bb, last);
            LLVMDeleteBasicBlock(last);
        } else {
            LLVMMoveBasicBlockAfter(bb, last);
        }
        last = bb;
    }
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef old = LLVMGetParam(program, i + 1), now = LLVMGetParam(entry, i);

        if (LLVMTypeOf(old) == LLVMTypeOf(now))
            LLVMReplaceAllUsesWith(old, now);
        else
            ls_ptrmap_set(roots, old, now);
    }
    place_warp(cc, LLVMGetParam(program, LLVMCountParams(program) - 1), entry);
    ls_host_set_attribute(cc, entry, "target-cpu", cc->host.cpu);
    annotate(cc, entry, "kernel", 1);
    if (most)
        annotate(cc, entry, "maxntidx", most);
    return entry;
}

static void
init_types(struct ls_ptx *p)
{
    LLVMContextRef c = p->cc->llvm;

    p->i1 = LLVMInt1TypeInContext(c);
    p->i8 = LLVMInt8TypeInContext(c);
    p->i16 = LLVMInt16TypeInContext(c);
    p->i32 = LLVMInt32TypeInContext(c);
    p->i64 = LLVMInt64TypeInContext(c);
    p->f32 = LLVMFloatTypeInContext(c);
    p->f64 = LLVMDoubleTypeInContext(c);
    p->ptr = LLVMPointerTypeInContext(c, LS_SPACE_GENERIC);
    p->voidt = LLVMVoidTypeInContext(c);
}

/* A function of one lane, as far as lowerings look at it. */
static struct ls_vf *
make_lane(struct ls_ptx *p)
{
    struct ls_vf *vf = ls_arena_alloc(p->cc->arena, sizeof(*vf));
    struct ls_shapes *shapes = ls_shapes_build(p->cc, p->fn, LS_SCOPE_WARP, false);

    ls_ptrmap_init(&shapes->map, p->cc->arena); /* what is not known is the same in all lanes */

    vf->cc = p->cc;
    vf->mod = p->cc->mod;
    vf->llvm = p->cc->llvm;
    vf->b = vf->entry_b = p->b;
    vf->old_fn = vf->fn = p->fn;
    vf->n_lanes = 1;
    vf->shapes = shapes;
    vf->i1 = p->i1;
    vf->i8 = p->i8;
    vf->i16 = p->i16;
    vf->i32 = p->i32;
    vf->i64 = p->i64;
    vf->ptr = p->ptr;
    vf->f16 = LLVMHalfTypeInContext(p->cc->llvm);
    vf->f32 = p->f32;
    vf->f64 = p->f64;
    vf->voidt = p->voidt;
    ls_ptrmap_init(&vf->args, p->cc->arena);
    ls_ptrmap_init(&vf->tables, p->cc->arena);
    ls_ptrmap_init(&vf->slots, p->cc->arena);
    return vf;
}

static void
lower_instruction(struct ls_ptx *p, LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMCall:
        ls_ptx_call(p, inst);
        break;
    case LLVMAlloca:
        ls_ptx_alloca(p, inst);
        break;
    case LLVMFPToSI:
    case LLVMFPToUI:
        ls_ptx_to_int(p, inst);
        break;
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        ls_ptx_access(p, inst);
        break;
    case LLVMLoad:
    case LLVMStore:
        if (LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic)
            ls_ptx_access(p, inst);
        break;
    default:
        break;
    }
}

static bool
init_function(struct ls_ptx *p, struct ls_cc *cc, LLVMValueRef fn, bool is_entry)
{
    struct ls_shapes *warp;

    *p = (struct ls_ptx){.cc = cc, .fn = fn, .is_entry = is_entry};
    init_types(p);
    cc->n_lanes = LS_PTX_LANES;
    warp = ls_shapes_build(cc, fn, LS_SCOPE_WARP, !is_entry);
    p->warp = ls_linear_build(warp);
    p->masks = ls_arena_alloc(cc->arena, (warp->cfg->n_blocks + 1) * sizeof(*p->masks));
    return p->warp || ls_diag(cc, LS_DIAG_ERROR, fn, "internal error: loops of several entries");
}

static bool
lower_function(struct ls_cc *cc, LLVMValueRef fn, const struct ls_ptrmap *roots, bool is_entry)
{
    struct ls_ptx p;

    if (!init_function(&p, cc, fn, is_entry))
        return false;
    cc->n_lanes = 1;
    p.b = LLVMCreateBuilderInContext(cc->llvm);
    p.vf = make_lane(&p);
    if (!ls_ptx_print(&p))
        return false;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i && !cc->n_errors; i = next) {
            next = LLVMGetNextInstruction(i);
            lower_instruction(&p, i);
        }
    if (!cc->n_errors)
        ls_ptx_leave_constant_space(&p, roots);
    ls_ptx_part_calls(&p);
    LLVMDisposeBuilder(p.b);
    cc->n_lanes = LS_PTX_LANES;
    return !cc->n_errors;
}

static bool
is_wide(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 64;
}

static bool
needs_library(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
    case LLVMFPToSI:
    case LLVMFPToUI:
        return is_wide(LLVMTypeOf(inst));
    case LLVMSIToFP:
    case LLVMUIToFP:
        return is_wide(LLVMTypeOf(LLVMGetOperand(inst, 0)));
    default:
        return false;
    }
}

/* Divisions of more than 64 bits, and conversions between such integers and floating-point numbers,
 * would be calls of a library that no GPU has; for AMD's LLVM makes code of them. */
static bool
expand_wide(struct ls_cc *cc)
{
    bool any = false;

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
                any |= needs_library(i);
    return !any || (ls_ir_run_passes(cc, ls_ir_device_tm(cc),
                                     "function(expand-large-div-rem,expand-large-fp-convert)") &&
                    ls_ir_simplify_loops(cc));
}

/* Whether it is known who runs a call together, for all that ask. */
static bool
masks_are_known(struct ls_ptx *p)
{
    const struct ls_cfg *cfg = p->warp->shapes->cfg;
    bool *seen = ls_arena_alloc(p->cc->arena, cfg->n_blocks);

    for (unsigned i = 0; i < cfg->n_blocks; i++)
        for (LLVMValueRef inst = LLVMGetFirstInstruction(cfg->blocks[i].bb); inst;
             inst = LLVMGetNextInstruction(inst))
            if (LLVMIsACallInst(inst) && ls_ptx_asks(inst) && !ls_ptx_mask_is_known(p, i, seen))
                return false;
    return true;
}

/* Where lanes meet that had not parted together, who runs a call together can't be said. In nested
 * regions, each with one way in and one out, it can. */
static bool
nest_regions(struct ls_cc *cc, LLVMValueRef program)
{
    bool known = true;

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        struct ls_ptx p;

        if (LLVMIsDeclaration(fn))
            continue;
        if (!init_function(&p, cc, fn, fn == program))
            return false;
        p.b = LLVMCreateBuilderInContext(cc->llvm);
        ls_ptx_keep_step(&p);
        LLVMDisposeBuilder(p.b);
        known &= masks_are_known(&p);
    }
    if (known)
        return true;
    if (!ls_ir_run_passes(cc, cc->host.tm, "function(unify-loop-exits,structurizecfg)"))
        return false;
    ls_ir_join_latches(cc);
    return ls_ir_run_passes(cc, cc->host.tm, "function(loop-simplify,lcssa)");
}

bool
ls_ptx_lower(struct ls_cc *cc)
{
    struct ls_ptrmap roots;
    LLVMValueRef entry, program = LLVMGetNamedFunction(cc->mod, LS_FN_PROGRAM);

    ls_ptrmap_init(&roots, cc->arena);
    if (!expand_wide(cc) || !ls_ptx_refuse_narrow(cc))
        return false;
    become_nvidia(cc);
    ls_ptx_mend_calls(cc, program);
    if (!nest_regions(cc, program))
        return false;
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn) && fn != program && !lower_function(cc, fn, &roots, false))
            return false;
    entry = make_entry(cc, &roots);
    if (!lower_function(cc, entry, &roots, true))
        return false;
    LLVMDeleteFunction(program);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod), next; fn; fn = next) {
        next = LLVMGetNextFunction(fn);
        if (LLVMIsDeclaration(fn) && !LLVMGetFirstUse(fn))
            LLVMDeleteFunction(fn);
    }
    if (!ls_ptx_place_variables(cc))
        return false;
    ls_ptx_load_tiles(cc);
    return true;
}

bool
ls_ptx_optimise(struct ls_cc *cc)
{
    ls_ptx_take_whole(cc);
    if (cc->opt->opt_level)
        ls_ptx_mark_loops(cc);
    if (!ls_ir_run_passes(cc, cc->host.tm, cc->opt->opt_level ? "default<O2>" : "default<O1>"))
        return false;
    if (cc->opt->opt_level)
        ls_ptx_wish_registers(cc);
    if (cc->opt->opt_level && !ls_ptx_open_rests(cc))
        return false;
    ls_ptx_shorten(cc);
    ls_ptx_lift(cc);
    ls_ptx_split_loose(cc);
    ls_ptx_part_halves(cc);
    ls_ptx_turn_loops(cc);
    return true;
}

bool
ls_ptx_emit(struct ls_cc *cc, void **text, size_t *bytes)
{
    LLVMMemoryBufferRef out;
    char *why = NULL;

    if (LLVMTargetMachineEmitToMemoryBuffer(cc->host.tm, cc->mod, LLVMAssemblyFile, &why, &out)) {
        ls_diag(cc, LS_DIAG_ERROR, NULL, "no code for NVIDIA GPUs: %s", why ? why : "");
        LLVMDisposeMessage(why);
        return false;
    }
    *text = ls_ptx_write_wish(cc, LLVMGetBufferStart(out), LLVMGetBufferSize(out), bytes);
    LLVMDisposeMemoryBuffer(out);
    return (*text && !cc->n_errors) ||
           ls_diag(cc, LS_DIAG_ERROR, NULL, "no memory for %zu bytes of code", *bytes);
}
