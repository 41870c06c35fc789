/* SPDX-License-Identifier: MIT */
/* Where things lie. AMD's constant space is ordinary memory that nobody writes; NVIDIA's is a small
 * memory of its own, in which only the table of variables' addresses lies. */
#include <string.h>

#include "compiler/ir/ir.h"
#include "ptx/ptx_priv.h"

/* ---- Pointers to the constant space ---- */

struct mover {
    struct ls_ptx *p;
    struct ls_ptrmap moved; /* pointer into the constant space -> the same as a generic one */
    LLVMValueRef *old;      /* instructions that were replaced */
    size_t n_old, cap_old;
};

static bool
is_constant_pointer(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);

    return LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
           LLVMGetPointerAddressSpace(type) == LS_SPACE_CONSTANT;
}

static LLVMValueRef
moved_constant(struct mover *m, LLVMValueRef v)
{
    LLVMTypeRef ptr = m->p->ptr;
    LLVMValueRef from, index[LS_MAX_GEP_TERMS + 1];
    int n = LLVMGetNumOperands(v);

    if (LLVMIsPoison(v))
        return LLVMGetPoison(ptr);
    if (LLVMIsUndef(v))
        return LLVMGetUndef(ptr);
    if (LLVMIsNull(v))
        return LLVMConstNull(ptr);
    if (!LLVMIsAConstantExpr(v) || n > LS_MAX_GEP_TERMS)
        return NULL;
    from = LLVMGetOperand(v, 0);
    switch (LLVMGetConstOpcode(v)) {
    case LLVMAddrSpaceCast:
        return LLVMTypeOf(from) == ptr ? from : LLVMConstAddrSpaceCast(from, ptr);
    case LLVMIntToPtr:
        return LLVMConstIntToPtr(from, ptr);
    case LLVMGetElementPtr:
        from = moved_constant(m, from);
        for (int i = 1; i < n; i++)
            index[i - 1] = LLVMGetOperand(v, (unsigned)i);
        return from ? LLVMConstGEP2(LLVMGetGEPSourceElementType(v), from, index, (unsigned)n - 1)
                    : NULL;
    default:
        return NULL;
    }
}

static LLVMValueRef
moved(struct mover *m, LLVMValueRef v, LLVMValueRef user)
{
    LLVMValueRef to = ls_ptrmap_get(&m->moved, v);

    if (!to && LLVMIsAConstant(v))
        to = moved_constant(m, v);
    if (to)
        return to;
    ls_diag(m->p->cc, LS_DIAG_ERROR, user,
            "a pointer to constant memory of this kind is not supported on NVIDIA GPUs");
    return LLVMGetPoison(m->p->ptr);
}

static void
note_old(struct mover *m, LLVMValueRef inst, LLVMValueRef now)
{
    if (m->n_old == m->cap_old) {
        size_t cap = m->cap_old * 2 + 32;
        LLVMValueRef *more = ls_arena_alloc(m->p->cc->arena, cap * sizeof(*more));

        for (size_t i = 0; i < m->n_old; i++)
            more[i] = m->old[i];
        m->old = more;
        m->cap_old = cap;
    }
    m->old[m->n_old++] = inst;
    ls_ptrmap_set(&m->moved, inst, now);
}

static LLVMValueRef
moved_gep(struct mover *m, LLVMValueRef gep)
{
    LLVMValueRef index[LS_MAX_GEP_TERMS + 1], base = moved(m, LLVMGetOperand(gep, 0), gep), now;
    unsigned n = 0;

    for (int i = 1, all = LLVMGetNumOperands(gep); i < all && n < LS_MAX_GEP_TERMS; i++)
        index[n++] = LLVMGetOperand(gep, (unsigned)i);
    now = LLVMBuildGEP2(m->p->b, LLVMGetGEPSourceElementType(gep), base, index, n, "");
    if (LLVMIsAGetElementPtrInst(now))
        LLVMSetIsInBounds(now, LLVMIsInBounds(gep));
    return now;
}

/* Whether a device variable's address is loaded here, from the table. */
static bool
loads_from_table(LLVMValueRef load)
{
    LLVMValueRef at = LLVMGetOperand(load, 0);
    size_t len;

    if (LLVMIsAConstantExpr(at))
        at = LLVMGetOperand(at, 0);
    return LLVMIsAGlobalVariable(at) && !strcmp(LLVMGetValueName2(at, &len), LS_FN_GLOBALS);
}

static LLVMValueRef
moved_load(struct mover *m, LLVMValueRef load)
{
    LLVMTypeRef global = LLVMPointerTypeInContext(m->p->cc->llvm, LS_SPACE_GLOBAL);
    LLVMValueRef at = LLVMGetOperand(load, 0), now;

    if (is_constant_pointer(at))
        at = moved(m, at, load);
    now = LLVMBuildLoad2(m->p->b, loads_from_table(load) ? global : m->p->ptr, at, "");
    LLVMSetAlignment(now, LLVMGetAlignment(load));
    LLVMSetVolatile(now, LLVMGetVolatile(load));
    LLVMSetMetadata(now, ls_ir_md_kind(m->p->cc, "invariant.load"),
                    LLVMGetMetadata(load, ls_ir_md_kind(m->p->cc, "invariant.load")));
    return LLVMTypeOf(now) == m->p->ptr ? now : LLVMBuildAddrSpaceCast(m->p->b, now, m->p->ptr, "");
}

/* An instruction that gives such a pointer, again, for a generic one. Phis get what comes in
 * later. */
static void
move_pointer(struct mover *m, LLVMValueRef inst)
{
    LLVMBuilderRef b = m->p->b;
    LLVMValueRef now = NULL, from;

    LLVMPositionBuilderBefore(b, inst);
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMPHI:
        now = LLVMBuildPhi(b, m->p->ptr, "");
        break;
    case LLVMGetElementPtr:
        now = moved_gep(m, inst);
        break;
    case LLVMSelect:
        now = LLVMBuildSelect(b, LLVMGetOperand(inst, 0), moved(m, LLVMGetOperand(inst, 1), inst),
                              moved(m, LLVMGetOperand(inst, 2), inst), "");
        break;
    case LLVMFreeze:
        now = LLVMBuildFreeze(b, moved(m, LLVMGetOperand(inst, 0), inst), "");
        break;
    case LLVMAddrSpaceCast:
        from = LLVMGetOperand(inst, 0);
        now = LLVMTypeOf(from) == m->p->ptr ? from : LLVMBuildAddrSpaceCast(b, from, m->p->ptr, "");
        break;
    case LLVMIntToPtr:
        now = LLVMBuildIntToPtr(b, LLVMGetOperand(inst, 0), m->p->ptr, "");
        break;
    case LLVMLoad:
        now = moved_load(m, inst);
        break;
    default:
        ls_diag(m->p->cc, LS_DIAG_ERROR, inst,
                "a pointer to constant memory of this kind is not supported on NVIDIA GPUs");
        now = LLVMGetPoison(m->p->ptr);
        break;
    }
    note_old(m, inst, now);
}

static void
move_copy(struct mover *m, LLVMValueRef call)
{
    LLVMValueRef dst = LLVMGetOperand(call, 0), src = LLVMGetOperand(call, 1),
                 n = LLVMGetOperand(call, 2);
    unsigned dst_align = ls_ir_argument_alignment(call, 0),
             src_align = ls_ir_argument_alignment(call, 1);

    LLVMPositionBuilderBefore(m->p->b, call);
    if (is_constant_pointer(dst))
        dst = moved(m, dst, call);
    if (is_constant_pointer(src))
        src = moved(m, src, call);
    LLVMBuildMemCpy(m->p->b, dst, dst_align, src, src_align, n);
    LLVMInstructionEraseFromParent(call);
}

/* An instruction that uses such pointers and gives something else. */
static void
move_uses(struct mover *m, LLVMValueRef inst)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;
    LLVMValueRef from, now;

    if (LLVMIsAAddrSpaceCastInst(inst) || LLVMIsACallInst(inst)) {
        bool any = false;

        for (int i = 0, n = LLVMGetNumOperands(inst); i < n; i++)
            any |= is_constant_pointer(LLVMGetOperand(inst, (unsigned)i));
        if (!any)
            return;
    }
    if (LLVMIsAAddrSpaceCastInst(inst)) {
        from = moved(m, LLVMGetOperand(inst, 0), inst);
        LLVMPositionBuilderBefore(m->p->b, inst);
        now = LLVMTypeOf(inst) == m->p->ptr
                  ? from
                  : LLVMBuildAddrSpaceCast(m->p->b, from, LLVMTypeOf(inst), "");
        LLVMReplaceAllUsesWith(inst, now);
        LLVMInstructionEraseFromParent(inst);
        return;
    }
    if (name &&
        (ls_ir_has_prefix(name, "llvm.memcpy.") || ls_ir_has_prefix(name, "llvm.memmove."))) {
        move_copy(m, inst);
        return;
    }
    if (name &&
        (ls_ir_has_prefix(name, "llvm.lifetime.") || ls_ir_has_prefix(name, "llvm.invariant.") ||
         ls_ir_has_prefix(name, "llvm.assume"))) {
        LLVMInstructionEraseFromParent(inst);
        return;
    }
    if (name) {
        ls_diag(m->p->cc, LS_DIAG_ERROR, inst,
                "%s of a pointer to constant memory is not supported on NVIDIA GPUs", name);
        return;
    }
    for (int i = 0, n = LLVMGetNumOperands(inst); i < n; i++)
        if (is_constant_pointer(LLVMGetOperand(inst, (unsigned)i)))
            LLVMSetOperand(inst, (unsigned)i, moved(m, LLVMGetOperand(inst, (unsigned)i), inst));
}

static void
fill_phis(struct mover *m)
{
    for (size_t i = 0; i < m->n_old; i++) {
        LLVMValueRef phi = m->old[i], now;

        if (!LLVMIsAPHINode(phi))
            continue;
        now = ls_ptrmap_get(&m->moved, phi);
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
            LLVMValueRef v = moved(m, LLVMGetIncomingValue(phi, k), phi);
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);

            LLVMAddIncoming(now, &v, &from, 1);
        }
    }
}

bool
ls_ptx_leave_constant_space(struct ls_ptx *p, const struct ls_ptrmap *roots)
{
    struct ls_cfg *cfg = ls_cfg_build(p->cc->arena, p->fn);
    struct mover m = {.p = p, .moved = *roots};

    /* Blocks are in an order in which what dominates comes first. */
    for (unsigned i = 0; i < cfg->n_blocks; i++)
        for (LLVMValueRef inst = LLVMGetFirstInstruction(cfg->blocks[i].bb); inst;
             inst = LLVMGetNextInstruction(inst))
            if (is_constant_pointer(inst) && !ls_ptrmap_get(&m.moved, inst))
                move_pointer(&m, inst);
    fill_phis(&m);
    for (unsigned i = 0; i < cfg->n_blocks; i++)
        for (LLVMValueRef inst = LLVMGetFirstInstruction(cfg->blocks[i].bb), next; inst;
             inst = next) {
            next = LLVMGetNextInstruction(inst);
            if (!is_constant_pointer(inst))
                move_uses(&m, inst);
        }
    for (size_t i = 0; i < m.n_old; i++)
        LLVMReplaceAllUsesWith(m.old[i], LLVMGetPoison(LLVMTypeOf(m.old[i])));
    for (size_t i = 0; i < m.n_old; i++)
        LLVMInstructionEraseFromParent(m.old[i]);
    return !p->cc->n_errors;
}

/* ---- Pointers of 4 bytes ---- */

static bool
is_narrow(LLVMTypeRef type)
{
    unsigned space;

    if (LLVMGetTypeKind(type) != LLVMPointerTypeKind)
        return false;
    space = LLVMGetPointerAddressSpace(type);
    return space == LS_SPACE_SHARED || space == LS_SPACE_PRIVATE;
}

/* Pointers to shared and private memory have 4 bytes in AMD's memory, and 8 in NVIDIA's: where
 * others than their thread see them they would lie over what is behind them. */
bool
ls_ptx_refuse_narrow(struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
                bool stores = LLVMIsAStoreInst(i) != NULL;
                LLVMValueRef at;

                if (!stores && !LLVMIsALoadInst(i))
                    continue;
                at = LLVMGetOperand(i, stores);
                if (is_narrow(LLVMTypeOf(stores ? LLVMGetOperand(i, 0) : i)) &&
                    LLVMGetPointerAddressSpace(LLVMTypeOf(at)) != LS_SPACE_PRIVATE)
                    return ls_diag(cc, LS_DIAG_ERROR, i,
                                   "a pointer to shared or private memory that lies in memory is "
                                   "not supported on NVIDIA GPUs");
            }
    return true;
}

/* ---- Variables ---- */

/* The array that is all of a block's shared memory. */
static LLVMValueRef
all_shared(struct ls_cc *cc)
{
    LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(cc->llvm), 0);
    LLVMValueRef all = LLVMGetNamedGlobal(cc->mod, LS_PTX_SHARED);

    if (all)
        return all;
    all = LLVMAddGlobalInAddressSpace(cc->mod, type, LS_PTX_SHARED, LS_SPACE_SHARED);
    LLVMSetLinkage(all, LLVMExternalLinkage);
    LLVMSetAlignment(all, 16);
    return all;
}

static bool
is_shared_pointer(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind &&
           LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == LS_SPACE_SHARED;
}

/* A constant address of shared memory that names no variable counts from the first byte of the
 * block's on AMD's hardware, and on NVIDIA's from where the system's ends. */
static LLVMValueRef
from_start(struct ls_cc *cc, LLVMValueRef v)
{
    bool is_expr = LLVMIsAConstantExpr(v) != NULL;
    LLVMValueRef base, indices[LS_MAX_GEP_TERMS];
    unsigned n;

    if (is_expr && LLVMGetConstOpcode(v) == LLVMAddrSpaceCast &&
        is_shared_pointer(LLVMGetOperand(v, 0)) &&
        (base = from_start(cc, LLVMGetOperand(v, 0))) != LLVMGetOperand(v, 0))
        return LLVMConstAddrSpaceCast(base, LLVMTypeOf(v));
    if (!is_shared_pointer(v))
        return v;
    if (LLVMIsAConstantPointerNull(v))
        return all_shared(cc);
    if (is_expr && LLVMGetConstOpcode(v) == LLVMIntToPtr &&
        LLVMIsAConstantInt(LLVMGetOperand(v, 0))) {
        base = LLVMGetOperand(v, 0);
        return LLVMConstGEP2(LLVMInt8TypeInContext(cc->llvm), all_shared(cc), &base, 1);
    }
    if (!is_expr || LLVMGetConstOpcode(v) != LLVMGetElementPtr)
        return v;
    base = from_start(cc, LLVMGetOperand(v, 0));
    n = (unsigned)LLVMGetNumOperands(v) - 1;
    if (base == LLVMGetOperand(v, 0) || n > LS_MAX_GEP_TERMS)
        return v;
    for (unsigned i = 0; i < n; i++)
        indices[i] = LLVMGetOperand(v, i + 1);
    return LLVMConstGEP2(LLVMGetGEPSourceElementType(v), base, indices, n);
}

/* Numbers that are computed stay what pointers were converted to. */
static void
count_from_start(struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
                for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++) {
                    LLVMValueRef old = LLVMGetOperand(i, k), v;

                    if (LLVMIsAConstant(old) && (v = from_start(cc, old)) != old)
                        LLVMSetOperand(i, k, v);
                }
}

static void
place_shared(struct ls_cc *cc)
{
    LLVMTypeRef i8 = LLVMInt8TypeInContext(cc->llvm);

    for (LLVMValueRef g = LLVMGetFirstGlobal(cc->mod); g; g = LLVMGetNextGlobal(g))
        if (LLVMGetInitializer(g) && ls_ir_points_to_lds(LLVMGetInitializer(g)))
            ls_diag(cc, LS_DIAG_ERROR, g,
                    "a constant with addresses of shared memory is not supported on NVIDIA GPUs");

    for (LLVMValueRef g = LLVMGetFirstGlobal(cc->mod), next; g; g = next) {
        unsigned offset;
        LLVMValueRef at;

        next = LLVMGetNextGlobal(g);
        if (g == LLVMGetNamedGlobal(cc->mod, LS_PTX_SHARED) ||
            LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != LS_SPACE_SHARED)
            continue;
        if (!ls_ir_global_number(cc, g, LS_MD_LDS_OFFSET, &offset))
            offset = 0;
        at = LLVMConstInt(LLVMInt32TypeInContext(cc->llvm), offset, false);
        LLVMReplaceAllUsesWith(g, LLVMConstInBoundsGEP2(i8, all_shared(cc), &at, 1));
        LLVMDeleteGlobal(g);
    }
}

/* The number of the variable whose address a load of the table reads. */
static unsigned
number_of_load(struct ls_cc *cc, LLVMValueRef load)
{
    LLVMValueRef at = LLVMGetOperand(load, 0);
    uint64_t index, bytes;

    if (!LLVMIsAConstantExpr(at))
        return 0;
    index = LLVMConstIntGetZExtValue(LLVMGetOperand(at, (unsigned)LLVMGetNumOperands(at) - 1));
    bytes = LLVMABISizeOfType(cc->device.layout, LLVMGetGEPSourceElementType(at));
    return (unsigned)(index * bytes / sizeof(uint64_t));
}

/* Calls `fn` for each load of the table. */
static void
each_load(struct ls_cc *cc, LLVMValueRef table,
          void (*fn)(struct ls_cc *cc, LLVMValueRef load, void *user), void *user)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->mod); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
                LLVMValueRef at = LLVMIsALoadInst(i) ? LLVMGetOperand(i, 0) : NULL;

                if (at &&
                    (at == table || (LLVMIsAConstantExpr(at) && LLVMGetOperand(at, 0) == table)))
                    fn(cc, i, user);
            }
}

static void
find_most(struct ls_cc *cc, LLVMValueRef load, void *user)
{
    unsigned *n = user, number = number_of_load(cc, load) + 1;

    if (*n < number)
        *n = number;
}

static void
use_own_table(struct ls_cc *cc, LLVMValueRef load, void *user)
{
    LLVMValueRef at =
        LLVMConstInt(LLVMInt64TypeInContext(cc->llvm), number_of_load(cc, load), false);

    LLVMSetOperand(load, 0,
                   LLVMConstInBoundsGEP2(LLVMPointerTypeInContext(cc->llvm, 0), user, &at, 1));
}

static void
place_table(struct ls_cc *cc)
{
    LLVMValueRef old = LLVMGetNamedGlobal(cc->mod, LS_FN_GLOBALS), table;
    LLVMTypeRef type;
    unsigned n = 0;

    if (!old)
        return;
    each_load(cc, old, find_most, &n);
    type = LLVMArrayType2(LLVMPointerTypeInContext(cc->llvm, 0), n);
    table = LLVMAddGlobalInAddressSpace(cc->mod, type, LS_PTX_GLOBALS, LS_SPACE_CONSTANT);
    LLVMSetInitializer(table, LLVMConstNull(type));
    LLVMSetExternallyInitialized(table, true);
    each_load(cc, old, use_own_table, table);
    if (!LLVMGetFirstUse(old))
        LLVMDeleteGlobal(old);
}

/* What lies in device memory is the runtime's. */
static void
drop_variables(struct ls_cc *cc)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(cc->mod), next; g; g = next) {
        size_t len;
        const char *name = LLVMGetValueName2(g, &len);
        unsigned number;

        next = LLVMGetNextGlobal(g);
        if (!ls_ir_has_prefix(name, "llvm.") &&
            !ls_ir_global_number(cc, g, LS_MD_GLOBAL_INDEX, &number))
            continue;
        if (LLVMGetFirstUse(g))
            LLVMReplaceAllUsesWith(g, LLVMGetPoison(LLVMTypeOf(g)));
        LLVMDeleteGlobal(g);
    }
}

bool
ls_ptx_place_variables(struct ls_cc *cc)
{
    drop_variables(cc);
    count_from_start(cc);
    place_shared(cc);
    place_table(cc);
    return !cc->n_errors;
}
