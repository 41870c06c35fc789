/* SPDX-License-Identifier: MIT */
/* What a thread asks about itself and its launch: constants where the block shape is known, else
 * parameters of the program and loads from ctx. Offsets are those of code object version 5's implicit
 * kernel arguments and of the HSA dispatch packet. */
#include "compiler/ir/prepare_priv.h"

#include <string.h>

#include "device/cpu/kernel_abi.h"

static LLVMTypeRef
int_type(struct ls_cc *cc, unsigned bits)
{
    return LLVMIntTypeInContext(cc->llvm, bits);
}

static LLVMValueRef
int_const(struct ls_cc *cc, unsigned bits, unsigned long long v)
{
    return LLVMConstInt(int_type(cc, bits), v, false);
}

static LLVMValueRef
grid_threads(struct ls_cc *cc, struct ls_fn_env *env, unsigned dim)
{
    return LLVMBuildMul(env->b, ls_env_grid(cc, env, dim), ls_env_block(cc, env, dim), "threads");
}

/* Number of dimensions in use: 3 when z is, 2 when y is, else 1. */
static LLVMValueRef
work_dim(struct ls_cc *cc, struct ls_fn_env *env)
{
    LLVMBuilderRef b = env->b;
    LLVMValueRef one = int_const(cc, 32, 1), used[3];

    for (unsigned i = 1; i < 3; i++)
        used[i] = LLVMBuildICmp(b, LLVMIntUGT, grid_threads(cc, env, i), one, "");
    return LLVMBuildSelect(b, used[2], int_const(cc, 32, 3),
                           LLVMBuildSelect(b, used[1], int_const(cc, 32, 2), one, ""), "dims");
}

/* A value of a memory block that the hardware's loader would have filled. NULL: not offered.
 * *bytes is the field's size. */
typedef LLVMValueRef (*field_fn)(struct ls_cc *cc, struct ls_fn_env *env, unsigned offset, unsigned *bytes);

static LLVMValueRef
implicit_field(struct ls_cc *cc, struct ls_fn_env *env, unsigned offset, unsigned *bytes)
{
    *bytes = 4;
    if (offset <= 8 && offset % 4 == 0)
        return ls_env_grid(cc, env, offset / 4);
    if (offset >= 12 && offset <= 22 && offset % 2 == 0) {
        *bytes = 2;
        return offset <= 16 ? ls_env_block(cc, env, (offset - 12) / 2) : int_const(cc, 32, 0);
    }
    switch (offset) {
    case 40: /* global offsets: HIP has none */
    case 48:
    case 56:
    case 88: /* multi-grid sync: never a multi-device launch */
    case 104: /* device queue, completion action: no dynamic parallelism */
    case 112:
        *bytes = 8;
        return int_const(cc, 64, 0);
    case 64:
        *bytes = 2;
        return work_dim(cc, env);
    case 120:
        return ls_env_load(cc, env, offsetof(struct ls_cpu_ctx, dyn_lds_bytes), 32, "dyn_lds");
    default:
        return NULL;
    }
}

static LLVMValueRef
dispatch_field(struct ls_cc *cc, struct ls_fn_env *env, unsigned offset, unsigned *bytes)
{
    *bytes = 4;
    if (offset == 2) {
        *bytes = 2;
        return work_dim(cc, env);
    }
    if (offset >= 4 && offset <= 8 && offset % 2 == 0) {
        *bytes = 2;
        return ls_env_block(cc, env, (offset - 4) / 2);
    }
    if (offset >= 12 && offset <= 20 && offset % 4 == 0)
        return grid_threads(cc, env, (offset - 12) / 4);
    if (offset == 28) {
        LLVMValueRef dyn =
            ls_env_load(cc, env, offsetof(struct ls_cpu_ctx, lds_bytes), 64, "lds_bytes");
        return LLVMBuildTrunc(env->b, dyn, int_type(cc, 32), "");
    }
    return NULL;
}

static LLVMValueRef
fit(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef v, unsigned bits)
{
    unsigned have = LLVMGetIntTypeWidth(LLVMTypeOf(v));

    if (bits == have)
        return v;
    return bits < have ? LLVMBuildTrunc(b, v, int_type(cc, bits), "")
                       : LLVMBuildZExt(b, v, int_type(cc, bits), "");
}

/* An integer load of `bits` at `offset`, put together from fields and parts of fields. */
static LLVMValueRef
compose(struct ls_cc *cc, struct ls_fn_env *env, field_fn field, unsigned offset, unsigned bits)
{
    LLVMBuilderRef b = env->b;
    LLVMValueRef all = NULL;
    unsigned bytes = bits / 8;

    for (unsigned done = 0; done < bytes;) {
        unsigned size = 0, back = 0;
        LLVMValueRef part = NULL;

        for (; !part && back < 8 && back <= offset + done; back++) {
            part = field(cc, env, offset + done - back, &size);
            if (part && size > back)
                break;
            part = NULL;
        }
        if (!part)
            return NULL;
        part = fit(cc, b, part, size * 8);
        if (back)
            part = LLVMBuildLShr(b, part, int_const(cc, size * 8, back * 8), "");
        if (!done && size - back >= bytes)
            return fit(cc, b, part, bits);
        part = fit(cc, b, part, bits);
        if (done)
            part = LLVMBuildShl(b, part, int_const(cc, bits, done * 8), "");
        all = all ? LLVMBuildOr(b, all, part, "") : part;
        done += size - back;
    }
    return all;
}

static LLVMValueRef
load_value(struct ls_cc *cc, struct ls_fn_env *env, field_fn field, LLVMTypeRef type, unsigned offset)
{
    unsigned bits;

    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        bits = LLVMGetIntTypeWidth(type);
        return bits % 8 ? NULL : compose(cc, env, field, offset, bits);
    case LLVMPointerTypeKind: {
        LLVMValueRef v = compose(cc, env, field, offset, 64);
        return v ? LLVMBuildIntToPtr(env->b, v, type, "") : NULL;
    }
    case LLVMVectorTypeKind: {
        LLVMTypeRef elem = LLVMGetElementType(type);
        LLVMValueRef all = LLVMGetPoison(type);
        unsigned size = (unsigned)LLVMStoreSizeOfType(cc->device_layout, elem);

        for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
            LLVMValueRef v = load_value(cc, env, field, elem, offset + i * size);
            if (!v)
                return NULL;
            all = LLVMBuildInsertElement(env->b, all, v, int_const(cc, 32, i), "");
        }
        return all;
    }
    default:
        return NULL;
    }
}

static bool
erase_if_unused(LLVMValueRef inst)
{
    if (LLVMGetFirstUse(inst))
        return false;
    LLVMInstructionEraseFromParent(inst);
    return true;
}

static bool
gep_offset(struct ls_cc *cc, LLVMValueRef gep, uint64_t *offset)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);

    for (int i = 1, n = LLVMGetNumOperands(gep); i < n; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        uint64_t k;

        if (!LLVMIsAConstantInt(index))
            return false;
        k = LLVMConstIntGetZExtValue(index);
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            *offset += LLVMOffsetOfElement(cc->device_layout, type, (unsigned)k);
            type = LLVMStructGetTypeAtIndex(type, (unsigned)k);
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        *offset += k * LLVMABISizeOfType(cc->device_layout, type);
    }
    return true;
}

/* Replaces all loads through `ptr` (block start + offset); erases it. */
static bool
replace_loads(struct ls_cc *cc, struct ls_fn_env *env, field_fn field, const char *what,
              LLVMValueRef ptr, uint64_t offset)
{
    for (LLVMUseRef use = LLVMGetFirstUse(ptr); use; use = LLVMGetFirstUse(ptr)) {
        LLVMValueRef user = LLVMGetUser(use), v;
        uint64_t at = offset;

        if (LLVMIsALoadInst(user)) {
            v = load_value(cc, env, field, LLVMTypeOf(user), (unsigned)offset);
            if (!v)
                return ls_diag(cc, LS_DIAG_ERROR, user,
                               "%s field at offset %u is not supported", what, (unsigned)offset);
            LLVMReplaceAllUsesWith(user, v);
            LLVMInstructionEraseFromParent(user);
        } else if ((LLVMIsAGetElementPtrInst(user) && gep_offset(cc, user, &at)) ||
                   LLVMIsAAddrSpaceCastInst(user) || LLVMIsABitCastInst(user)) {
            if (!replace_loads(cc, env, field, what, user, at))
                return false;
        } else if (LLVMIsACallInst(user) && ls_ir_callee_name(user) &&
                   ls_ir_has_prefix(ls_ir_callee_name(user), "llvm.assume")) {
            LLVMInstructionEraseFromParent(user);
        } else {
            return ls_diag(cc, LS_DIAG_ERROR, user, "%s used other than by a load at a known offset",
                           what);
        }
    }
    LLVMInstructionEraseFromParent(ptr);
    return true;
}

/* -O0 code keeps such pointers in variables and casts; cleaning comes first, so that this stays simple. */
static bool
replace_block(struct ls_cc *cc, struct ls_fn_env *env, LLVMValueRef call, const char *name, bool *done)
{
    *done = true;
    if (!strcmp(name, "llvm.amdgcn.implicitarg.ptr"))
        return replace_loads(cc, env, implicit_field, "implicit kernel argument", call, 0);
    if (!strcmp(name, "llvm.amdgcn.dispatch.ptr"))
        return replace_loads(cc, env, dispatch_field, "dispatch packet", call, 0);
    *done = false;
    return true;
}

static int
dim_of(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);

    if (strncmp(name, prefix, n) || !name[n] || name[n + 1] || name[n] < 'x' || name[n] > 'z')
        return -1;
    return name[n] - 'x';
}

static bool
is_mbcnt_of_all(LLVMValueRef v, const char *name, LLVMValueRef *addend)
{
    if (!LLVMIsACallInst(v) || !ls_ir_callee_name(v) || strcmp(ls_ir_callee_name(v), name))
        return false;
    LLVMValueRef mask = LLVMGetOperand(v, 0);
    *addend = LLVMGetOperand(v, 1);
    return LLVMIsAConstantInt(mask) && LLVMConstIntGetSExtValue(mask) == -1;
}

/* The idiom for a lane's number: how many of all the lanes are below it. */
static bool
is_lane_idiom(struct ls_cc *cc, LLVMValueRef call)
{
    LLVMValueRef addend;

    if (cc->n_lanes == 64) {
        if (!is_mbcnt_of_all(call, "llvm.amdgcn.mbcnt.hi", &addend))
            return false;
        call = addend;
    }
    return is_mbcnt_of_all(call, "llvm.amdgcn.mbcnt.lo", &addend) && LLVMIsAConstantInt(addend) &&
           LLVMConstIntGetZExtValue(addend) == 0;
}

/* The value of a query intrinsic, NULL when it is not one. */
static LLVMValueRef
query_value(struct ls_cc *cc, struct ls_fn_env *env, LLVMValueRef call, const char *name)
{
    int dim;

    if ((dim = dim_of(name, "llvm.amdgcn.workitem.id.")) >= 0)
        return ls_env_tid(cc, env, (unsigned)dim);
    if ((dim = dim_of(name, "llvm.amdgcn.workgroup.id.")) >= 0)
        return ls_env_block_id(cc, env, (unsigned)dim);
    if (is_lane_idiom(cc, call))
        return ls_env_lane(cc, env);
    if (!strcmp(name, "llvm.amdgcn.wavefrontsize"))
        return int_const(cc, 32, cc->n_lanes);
    if (!strcmp(name, "llvm.amdgcn.groupstaticsize"))
        return int_const(cc, 32,
                         ls_ir_lds_layout(cc->device_layout, cc->mod, NULL, NULL, NULL));
    if (ls_ir_has_prefix(name, "llvm.is.constant."))
        return int_const(cc, 1, LLVMIsConstant(LLVMGetOperand(call, 0)) != 0);
    return NULL;
}

static bool
replace_in_function(struct ls_cc *cc, LLVMValueRef fn)
{
    struct ls_fn_env env;
    bool ok = true, again = true;

    ls_fn_env_init(cc, &env, fn);
    while (again && ok) {
        again = false;
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb && ok && !again;
             bb = LLVMGetNextBasicBlock(bb)) {
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i && ok && !again; i = next) {
                const char *name = LLVMIsACallInst(i) ? ls_ir_callee_name(i) : NULL;
                LLVMValueRef v;

                next = LLVMGetNextInstruction(i);
                if (!name || !ls_ir_has_prefix(name, "llvm."))
                    continue;
                /* Replacing loads erases instructions anywhere, `next` too: start over. */
                ok = replace_block(cc, &env, i, name, &again);
                if (again || !ok)
                    continue;
                v = query_value(cc, &env, i, name);
                if (!v)
                    continue;
                LLVMReplaceAllUsesWith(i, v);
                LLVMInstructionEraseFromParent(i);
            }
        }
    }
    ls_fn_env_fini(&env);
    return ok;
}

/* The builder points at an instruction that may be erased: give it an anchor that is not. */
static LLVMValueRef
place_anchor(struct ls_cc *cc, LLVMValueRef fn)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn);
    LLVMValueRef at = LLVMGetFirstInstruction(entry);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);
    LLVMValueRef anchor;

    while (LLVMIsAAllocaInst(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(b, at);
    anchor = LLVMBuildFreeze(b, int_const(cc, 32, 0), "anchor");
    LLVMDisposeBuilder(b);
    return anchor;
}

/* Control constants of AMD's device libraries, in case nobody linked them. */
static void
define_oclc(struct ls_cc *cc)
{
    const struct {
        const char *name;
        unsigned value;
    } known[] = {
        {"__oclc_wavefrontsize64", cc->n_lanes == 64},
        {"__oclc_finite_only_opt", 0},
        {"__oclc_unsafe_math_opt", 0},
        {"__oclc_daz_opt", 0},
        {"__oclc_correctly_rounded_sqrt32", 1},
        {"__oclc_ISA_version", cc->n_lanes == 64 ? 9010 : 11000},
        {"__oclc_ABI_version", 500},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        LLVMValueRef g = LLVMGetNamedGlobal(cc->mod, known[i].name);

        if (!g || !LLVMIsDeclaration(g))
            continue;
        LLVMSetInitializer(g, LLVMConstInt(LLVMGlobalGetValueType(g), known[i].value, false));
        LLVMSetGlobalConstant(g, true);
        LLVMSetLinkage(g, LLVMInternalLinkage);
        LLVMSetVisibility(g, LLVMDefaultVisibility);
    }
}

bool
ls_queries_replace(struct ls_cc *cc)
{
    bool ok = true;

    define_oclc(cc);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn && ok; fn = LLVMGetNextFunction(fn)) {
        if (LLVMIsDeclaration(fn))
            continue;
        LLVMValueRef anchor = place_anchor(cc, fn);
        ok = replace_in_function(cc, fn);
        erase_if_unused(anchor);
    }
    return ok;
}
