/* SPDX-License-Identifier: MIT */
/* What a thread asks about itself and its launch: constants where the block shape is known, else
 * parameters of the program and loads from ctx. Offsets are those of code object version 5's
 * implicit kernel arguments and of the HSA dispatch packet. */
#include "compiler/ir/prepare_priv.h"

#include <string.h>

#include "base/ptrmap.h"
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

/* The field at `offset` of a block of memory that the hardware's loader would have filled; *bytes
 * is its size. NULL: we have no such field. */
typedef LLVMValueRef (*field_fn)(struct ls_cc *cc, struct ls_fn_env *env, unsigned offset,
                                 unsigned *bytes);

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
load_value(struct ls_cc *cc, struct ls_fn_env *env, field_fn field, LLVMTypeRef type,
           unsigned offset)
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
        unsigned size = (unsigned)LLVMStoreSizeOfType(cc->device.layout, elem);

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
            *offset += LLVMOffsetOfElement(cc->device.layout, type, (unsigned)k);
            type = LLVMStructGetTypeAtIndex(type, (unsigned)k);
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        *offset += k * LLVMABISizeOfType(cc->device.layout, type);
    }
    return true;
}

/* ---- Loads from such blocks, also where the address goes through phis, selects and indices
 * ---- */

#define BLOCK_BYTES                                                                                \
    256 /* size of the implicit arguments of code object version 5; a dispatch packet has 64 */
#define MAX_PLACES  16

/* Offsets in the block that an address may have; `any` when there are more than MAX_PLACES, or an
 * index is not constant. */
struct places {
    uint64_t at[MAX_PLACES];
    unsigned n;
    bool any;
    LLVMValueRef offset; /* the offset as a value, where there are several */
};

/* One block's address and everything made of it. */
struct packet {
    struct ls_cc *cc;
    struct ls_fn_env *env;
    field_fn field;
    const char *what;
    LLVMValueRef call;
    /* The call, then the addresses made of it, each behind those that it is made of. */
    LLVMValueRef *derived;
    unsigned n_derived, cap_derived;
    struct ls_ptrmap places; /* derived address -> its places */
};

static struct places *
places_of(const struct packet *p, LLVMValueRef v)
{
    return ls_ptrmap_get(&p->places, v);
}

static bool
is_assume(LLVMValueRef user)
{
    const char *name = LLVMIsACallInst(user) ? ls_ir_callee_name(user) : NULL;

    return name && ls_ir_has_prefix(name, "llvm.assume");
}

static bool
keeps_address(LLVMValueRef user)
{
    return LLVMIsAGetElementPtrInst(user) || LLVMIsAAddrSpaceCastInst(user) ||
           LLVMIsABitCastInst(user) || LLVMIsAPHINode(user) || LLVMIsASelectInst(user) ||
           LLVMIsAFreezeInst(user);
}

static void
add_derived(struct packet *p, LLVMValueRef v)
{
    if (places_of(p, v))
        return;
    if (p->n_derived == p->cap_derived) {
        LLVMValueRef *more =
            ls_arena_alloc(p->cc->arena, (p->cap_derived * 2 + 16) * sizeof(*more));

        for (unsigned i = 0; i < p->n_derived; i++)
            more[i] = p->derived[i];
        p->derived = more;
        p->cap_derived = p->cap_derived * 2 + 16;
    }
    p->derived[p->n_derived++] = v;
    ls_ptrmap_set(&p->places, v, ls_arena_alloc(p->cc->arena, sizeof(struct places)));
}

static bool
is_loadable(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type) % 8 == 0;
    case LLVMPointerTypeKind:
        return true;
    case LLVMVectorTypeKind:
        return is_loadable(LLVMGetElementType(type));
    default:
        return false;
    }
}

/* Finds all addresses made of the call. False: one goes where loads cannot be followed. */
static bool
collect(struct packet *p)
{
    add_derived(p, p->call);
    for (unsigned i = 0; i < p->n_derived; i++)
        for (LLVMUseRef use = LLVMGetFirstUse(p->derived[i]); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);

            if (keeps_address(user) && LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMPointerTypeKind)
                add_derived(p, user);
            else if (!is_assume(user) && !(LLVMIsALoadInst(user) && is_loadable(LLVMTypeOf(user))))
                return false;
        }
    for (unsigned i = 1; i < p->n_derived; i++) {
        LLVMValueRef v = p->derived[i];
        bool phi = LLVMIsAPHINode(v);
        unsigned n = phi ? LLVMCountIncoming(v) : LLVMIsASelectInst(v) ? 3 : 1;

        for (unsigned k = LLVMIsASelectInst(v) ? 1 : 0; k < n; k++) {
            LLVMValueRef from = phi ? LLVMGetIncomingValue(v, k) : LLVMGetOperand(v, k);

            if (!places_of(p, from) && !LLVMIsUndef(from))
                return false;
        }
    }
    return true;
}

static bool
add_place(struct places *to, uint64_t at)
{
    for (unsigned i = 0; i < to->n; i++)
        if (to->at[i] == at)
            return false;
    if (to->n == MAX_PLACES) {
        to->any = true;
        return true;
    }
    to->at[to->n++] = at;
    return true;
}

/* Notes that an address with the places `to` may point wherever `from` may, `by` bytes further.
 * Returns whether that is new. */
static bool
join_places(struct packet *p, struct places *to, LLVMValueRef from, uint64_t by, bool any)
{
    const struct places *had = places_of(p, from);
    bool changed = false;

    if (to->any || !had) /* all places are there already, or `from` is poison */
        return false;
    if (had->any || (any && had->n))
        return to->any = true;
    for (unsigned i = 0; i < had->n && !to->any; i++)
        changed |= add_place(to, had->at[i] + by);
    return changed;
}

static void
find_places(struct packet *p)
{
    bool again = true;

    add_place(places_of(p, p->call), 0);
    while (again) {
        again = false;
        for (unsigned i = 1; i < p->n_derived; i++) {
            LLVMValueRef v = p->derived[i];
            struct places *to = places_of(p, v);
            uint64_t by = 0;

            if (LLVMIsAPHINode(v)) {
                for (unsigned k = 0; k < LLVMCountIncoming(v); k++)
                    again |= join_places(p, to, LLVMGetIncomingValue(v, k), 0, false);
            } else if (LLVMIsASelectInst(v)) {
                again |= join_places(p, to, LLVMGetOperand(v, 1), 0, false);
                again |= join_places(p, to, LLVMGetOperand(v, 2), 0, false);
            } else {
                bool any = LLVMIsAGetElementPtrInst(v) && !gep_offset(p->cc, v, &by);
                again |= join_places(p, to, LLVMGetOperand(v, 0), by, any);
            }
        }
    }
}

/* ---- Addresses with several places: the offset as a value ---- */

static LLVMValueRef
gep_number(struct packet *p, LLVMBuilderRef b, LLVMValueRef gep, LLVMValueRef offset)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep), i64 = int_type(p->cc, 64);

    for (int i = 1, n = LLVMGetNumOperands(gep); i < n; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i), by;

        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned k = (unsigned)LLVMConstIntGetZExtValue(index);

            by = int_const(p->cc, 64, LLVMOffsetOfElement(p->cc->device.layout, type, k));
            type = LLVMStructGetTypeAtIndex(type, k);
        } else {
            if (i > 1)
                type = LLVMGetElementType(type);
            index = LLVMBuildIntCast2(b, index, i64, true, "");
            by = LLVMBuildMul(
                b, index, int_const(p->cc, 64, LLVMABISizeOfType(p->cc->device.layout, type)), "");
        }
        offset = LLVMBuildAdd(b, offset, by, "");
    }
    return offset;
}

static LLVMValueRef number_of(struct packet *p, LLVMValueRef v);

static LLVMValueRef
build_number(struct packet *p, LLVMBuilderRef b, LLVMValueRef v)
{
    LLVMPositionBuilderBefore(b, v);
    if (LLVMIsASelectInst(v))
        return LLVMBuildSelect(b, LLVMGetOperand(v, 0), number_of(p, LLVMGetOperand(v, 1)),
                               number_of(p, LLVMGetOperand(v, 2)), "");
    if (LLVMIsAGetElementPtrInst(v))
        return gep_number(p, b, v, number_of(p, LLVMGetOperand(v, 0)));
    return number_of(p, LLVMGetOperand(v, 0));
}

/* The offset of an address, as an i64 behind the address. */
static LLVMValueRef
number_of(struct packet *p, LLVMValueRef v)
{
    struct places *at = places_of(p, v);
    LLVMTypeRef i64 = int_type(p->cc, 64);

    if (!at || (!at->any && at->n == 0))
        return LLVMConstNull(i64); /* the address is poison */
    if (!at->offset && !at->any && at->n == 1)
        at->offset = int_const(p->cc, 64, at->at[0]);
    if (at->offset)
        return at->offset;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(p->cc->llvm);
    if (LLVMIsAPHINode(v)) {
        LLVMPositionBuilderBefore(b, v);
        at->offset = LLVMBuildPhi(
            b, i64, ""); /* set before the incoming values are built, as loops come back to it */
        for (unsigned i = 0; i < LLVMCountIncoming(v); i++) {
            LLVMValueRef in = number_of(p, LLVMGetIncomingValue(v, i));
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(v, i);
            LLVMAddIncoming(at->offset, &in, &from, 1);
        }
    } else {
        at->offset = build_number(p, b, v);
    }
    LLVMDisposeBuilder(b);
    return at->offset;
}

static LLVMValueRef
choose(struct packet *p, LLVMBuilderRef b, LLVMValueRef chosen, LLVMValueRef offset, uint64_t at,
       LLVMValueRef v)
{
    LLVMValueRef here = LLVMBuildICmp(b, LLVMIntEQ, offset, int_const(p->cc, 64, at), "");

    return chosen ? LLVMBuildSelect(b, here, v, chosen, "") : v;
}

/* The value that a load reads; NULL after a diagnostic. */
static LLVMValueRef
loaded_value(struct packet *p, LLVMValueRef load, LLVMValueRef ptr)
{
    const struct places *at = places_of(p, ptr);
    LLVMTypeRef type = LLVMTypeOf(load);
    LLVMValueRef v = NULL, offset;
    LLVMBuilderRef b;

    if (!at->any && at->n == 0)
        return LLVMGetPoison(type);
    offset = number_of(p, ptr);
    b = LLVMCreateBuilderInContext(p->cc->llvm);
    LLVMPositionBuilderBefore(b, load);
    for (unsigned i = 0; i < at->n && !at->any; i++) {
        LLVMValueRef one = load_value(p->cc, p->env, p->field, type, (unsigned)at->at[i]);

        if (!one) {
            ls_diag(p->cc, LS_DIAG_ERROR, load, "%s field at offset %u is not supported", p->what,
                    (unsigned)at->at[i]);
            v = NULL;
            break;
        }
        v = choose(p, b, v, offset, at->at[i], one);
    }
    /* Where the index is not known, the load chooses among all fields. */
    unsigned step = ls_ir_access_alignment(load);
    for (unsigned k = 0; k < BLOCK_BYTES && at->any; k += step < 8 ? step : 8) {
        LLVMValueRef one = load_value(p->cc, p->env, p->field, type, k);
        v = one ? choose(p, b, v, offset, k, one) : v;
    }
    LLVMDisposeBuilder(b);
    if (!v && !p->cc->n_errors)
        ls_diag(p->cc, LS_DIAG_ERROR, load, "%s: no field of this size", p->what);
    return v;
}

/* Replaces the loads and drops the addresses. */
static bool
replace_loads(struct packet *p)
{
    find_places(p);
    for (unsigned i = 0; i < p->n_derived; i++)
        for (LLVMUseRef use = LLVMGetFirstUse(p->derived[i]), next; use; use = next) {
            LLVMValueRef user = LLVMGetUser(use), v;

            next = LLVMGetNextUse(use);
            if (!LLVMIsALoadInst(user))
                continue;
            v = loaded_value(p, user, p->derived[i]);
            if (!v)
                return false;
            LLVMReplaceAllUsesWith(user, v);
            LLVMInstructionEraseFromParent(user);
        }
    for (unsigned i = p->n_derived; i-- > 0;) {
        LLVMValueRef v = p->derived[i];

        for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetFirstUse(v)) {
            LLVMValueRef user = LLVMGetUser(use);

            if (is_assume(user))
                LLVMInstructionEraseFromParent(user);
            else /* a derived address, which is erased later */
                LLVMReplaceAllUsesWith(v, LLVMGetPoison(LLVMTypeOf(v)));
        }
    }
    for (unsigned i = p->n_derived; i-- > 0;)
        LLVMInstructionEraseFromParent(p->derived[i]);
    return true;
}

/* Puts the block into memory, where the address cannot be followed to its loads: it goes to a
 * function out of line, to memory, or to a phi with other addresses. Fields that we do not have are
 * 0. */
static void
place_block(struct packet *p, const char *name)
{
    struct ls_cc *cc = p->cc;
    LLVMTypeRef types[2 * BLOCK_BYTES], type, ptr = LLVMTypeOf(p->call);
    LLVMValueRef args[2 * BLOCK_BYTES], placed;
    unsigned n = 0, size;

    for (unsigned at = 0; at < BLOCK_BYTES; at++) {
        LLVMValueRef v = p->field(cc, p->env, at, &size);

        if (!v)
            continue;
        args[n++] = int_const(cc, 32, at);
        args[n++] = fit(cc, p->env->b, v, size * 8);
    }
    for (unsigned i = 0; i < n; i++)
        types[i] = LLVMTypeOf(args[i]);
    type = LLVMFunctionType(ptr, types, n, false);
    placed =
        LLVMBuildCall2(p->env->b, type, ls_ir_declare(cc, name, type, false), args, n, "packet");
    LLVMReplaceAllUsesWith(p->call, placed);
    LLVMInstructionEraseFromParent(p->call);
}

/* Replaces the loads of one block. Code from -O0 keeps the pointer in variables and casts it, but
 * was cleaned before. */
static bool
replace_block(struct ls_cc *cc, struct ls_fn_env *env, LLVMValueRef call, const char *name,
              bool *done)
{
    struct packet p = {.cc = cc, .env = env, .call = call};
    const char *placed;

    *done = true;
    if (!strcmp(name, "llvm.amdgcn.implicitarg.ptr")) {
        p.field = implicit_field;
        p.what = "implicit kernel argument";
        placed = LS_FN_PACKET "implicit";
    } else if (!strcmp(name, "llvm.amdgcn.dispatch.ptr")) {
        p.field = dispatch_field;
        p.what = "dispatch packet";
        placed = LS_FN_PACKET "dispatch";
    } else {
        *done = false;
        return true;
    }
    ls_ptrmap_init(&p.places, cc->arena);
    if (collect(&p))
        return replace_loads(&p);
    place_block(&p, placed);
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

    if (cc->keeps_threads &&
        ls_ir_has_prefix(name, cc->whole_rows && env->w ? "llvm.amdgcn.workgroup.id."
                                                        : "llvm.amdgcn.work"))
        return NULL; /* a thread knows by itself; of whole rows it is worth knowing by warps */
    if ((dim = dim_of(name, "llvm.amdgcn.workitem.id.")) >= 0)
        return ls_env_tid(cc, env, (unsigned)dim);
    if ((dim = dim_of(name, "llvm.amdgcn.workgroup.id.")) >= 0)
        return ls_env_block_id(cc, env, (unsigned)dim);
    if (cc->n_lanes == 1 && !strcmp(name, "llvm.amdgcn.wavefrontsize")) {
        ls_diag(cc, LS_DIAG_ERROR, call, "%s depends on the lanes of a warp: not in scalar code",
                name);
        return int_const(cc, 32, 1);
    }
    if (cc->n_lanes > 1 && is_lane_idiom(cc, call))
        return ls_env_lane(cc, env);
    if (!strcmp(name, "llvm.amdgcn.wavefrontsize"))
        return int_const(cc, 32, cc->n_lanes);
    if (!strcmp(name, "llvm.amdgcn.groupstaticsize"))
        return int_const(cc, 32,
                         ls_ir_lds_layout(cc->device.layout, cc->mod, NULL, NULL, NULL));
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
