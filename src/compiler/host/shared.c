/* SPDX-License-Identifier: MIT */
#include "host/shared.h"

#include <stddef.h>
#include <string.h>

#include "compiler/ir/ir.h"
#include "device/cpu/kernel_abi.h"

enum { MAX_DEPTH = 12 }; /* of an address */

/* ---- Addresses ---- */

static bool
is_base(const struct ls_shared *s, LLVMValueRef v)
{
    LLVMValueRef at = LLVMIsALoadInst(v) ? LLVMGetOperand(v, 0) : NULL;

    return at && LLVMIsAGetElementPtrInst(at) && LLVMGetNumOperands(at) == 2 &&
           LLVMGetOperand(at, 0) == LLVMGetParam(s->fn, 0) &&
           LLVMIsAConstantInt(LLVMGetOperand(at, 1)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(at, 1)) *
                   LLVMABISizeOfType(s->layout, LLVMGetGEPSourceElementType(at)) ==
               offsetof(struct ls_cpu_ctx, lds);
}

static LLVMValueRef
root_of(LLVMValueRef p)
{
    while (LLVMIsAGetElementPtrInst(p))
        p = LLVMGetOperand(p, 0);
    return p;
}

static bool add_terms(struct ls_sum *s, LLVMValueRef v, uint32_t factor, unsigned depth);

static bool
add_term(struct ls_sum *s, LLVMValueRef v, uint32_t factor)
{
    unsigned i = 0;

    while (i < s->n && s->value[i] != v)
        i++;
    if (i == LS_SUM_TERMS)
        return false;
    if (i == s->n)
        s->value[s->n++] = v;
    s->factor[i] += factor;
    return true;
}

/* Adds an integer of 32 bits or more times `factor`. */
static bool
add_terms(struct ls_sum *s, LLVMValueRef v, uint32_t factor, unsigned depth)
{
    LLVMOpcode op =
        LLVMIsAInstruction(v) && depth > 0 ? LLVMGetInstructionOpcode(v) : (LLVMOpcode)0;
    LLVMValueRef one = op ? LLVMGetOperand(v, 0) : NULL, two;
    uint32_t k;

    if (LLVMIsAConstantInt(v)) {
        s->constant += (uint32_t)LLVMConstIntGetZExtValue(v) * factor;
        return true;
    }
    if (op == LLVMSExt || op == LLVMZExt || op == LLVMTrunc)
        return LLVMGetIntTypeWidth(LLVMTypeOf(one)) >= 32 &&
                       LLVMGetIntTypeWidth(LLVMTypeOf(v)) >= 32
                   ? add_terms(s, one, factor, depth - 1)
                   : add_term(s, v, factor);
    two = op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl || op == LLVMOr
              ? LLVMGetOperand(v, 1)
              : NULL;
    if (two && (op == LLVMAdd || op == LLVMSub || (op == LLVMOr && LLVMGetIsDisjoint(v))))
        return add_terms(s, one, factor, depth - 1) &&
               add_terms(s, two, op == LLVMSub ? 0 - factor : factor, depth - 1);
    if (two && op != LLVMOr && LLVMIsAConstantInt(two)) {
        k = (uint32_t)LLVMConstIntGetZExtValue(two);
        if (op == LLVMMul)
            return add_terms(s, one, factor * k, depth - 1);
        if (k < 32)
            return add_terms(s, one, factor << k, depth - 1);
    }
    return add_term(s, v, factor);
}

/* Where a pointer into shared memory points; false: it is not known. */
static bool
address_of(const struct ls_shared *shared, LLVMValueRef p, struct ls_sum *s)
{
    unsigned n = 0;

    *s = (struct ls_sum){.n = 0};
    for (; LLVMIsAGetElementPtrInst(p); p = LLVMGetOperand(p, 0)) {
        LLVMValueRef index = LLVMGetOperand(p, 1);
        uint64_t bytes = LLVMABISizeOfType(shared->layout, LLVMGetGEPSourceElementType(p));

        if (LLVMGetNumOperands(p) != 2 ||
            LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind ||
            LLVMGetIntTypeWidth(LLVMTypeOf(index)) < 32 ||
            !add_terms(s, index, (uint32_t)bytes, MAX_DEPTH))
            return false;
    }
    /* The order of the terms is that of the code; those that cancel out go. */
    for (unsigned i = 0; i < s->n; i++)
        if (s->factor[i]) {
            s->value[n] = s->value[i];
            s->factor[n++] = s->factor[i];
        }
    s->n = n;
    return true;
}

bool
ls_shared_at(const struct ls_shared *s, LLVMValueRef p, struct ls_sum *at)
{
    return is_base(s, root_of(p)) && address_of(s, p, at);
}

bool
ls_sum_distance(const struct ls_sum *a, const struct ls_sum *b, int32_t *bytes)
{
    if (a->n != b->n)
        return false;
    for (unsigned i = 0; i < a->n; i++) {
        unsigned k = 0;

        while (k < b->n && (b->value[k] != a->value[i] || b->factor[k] != a->factor[i]))
            k++;
        if (k == b->n)
            return false;
    }
    *bytes = (int32_t)(b->constant - a->constant);
    return true;
}

/* ---- Accesses ---- */

/* Whether an access uses a pointer as its address alone, and not as a value that it leaves or
 * brings. */
static bool
is_only_address(LLVMValueRef user, LLVMValueRef p)
{
    const char *name = LLVMIsACallInst(user) ? ls_ir_callee_name(user) : NULL;
    bool stores =
        LLVMIsAStoreInst(user) || (name && (ls_ir_has_prefix(name, "llvm.masked.store") ||
                                            ls_ir_has_prefix(name, "llvm.masked.scatter")));

    if (name ? !ls_ir_has_prefix(name, "llvm.masked.")
             : !stores && !LLVMIsALoadInst(user) && !LLVMIsAAtomicRMWInst(user) &&
                   !LLVMIsAAtomicCmpXchgInst(user))
        return false;
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(user); i++)
        if (i != stores && LLVMGetOperand(user, i) == p)
            return false;
    return true;
}

/* Whether pointers into shared memory become anything but addresses of accesses. */
static bool
escapes(LLVMValueRef p)
{
    for (LLVMUseRef u = LLVMGetFirstUse(p); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);

        if (LLVMIsAGetElementPtrInst(user) ? escapes(user) : !is_only_address(user, p))
            return true;
    }
    return false;
}

/* Takes apart the type of what is read or written; false: it is no vector that can be held, or
 * element of one. */
static bool
read_type(const struct ls_shared *s, struct ls_shared_access *a, LLVMTypeRef type)
{
    LLVMTypeRef elem = type;

    a->type = type;
    a->n = 1;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        a->n = LLVMGetVectorSize(type);
        elem = LLVMGetElementType(type);
    }
    if (LLVMGetTypeKind(elem) != LLVMIntegerTypeKind &&
        LLVMGetTypeKind(elem) != LLVMFloatTypeKind && LLVMGetTypeKind(elem) != LLVMDoubleTypeKind &&
        LLVMGetTypeKind(elem) != LLVMHalfTypeKind)
        return false;
    a->bytes = (unsigned)LLVMABISizeOfType(s->layout, elem);
    return LLVMSizeOfTypeInBits(s->layout, elem) == 8ull * a->bytes && a->n <= LS_SHARED_LANES &&
           a->n * a->bytes <= LS_LDS_PAD;
}

/* What an access does of which the pointer and the value's type are known. */
static void
read_access(const struct ls_shared *s, struct ls_shared_access *a, LLVMValueRef p, LLVMTypeRef type,
            bool writes)
{
    LLVMValueRef root = root_of(p);

    *a = (struct ls_shared_access){.deed = LS_DEED_ANY, .reads = !writes, .writes = writes};
    if (!is_base(s, root)) {
        bool other =
            LLVMIsAArgument(root) || LLVMIsAAllocaInst(root) || LLVMIsAGlobalVariable(root);

        if (other || !s->escapes)
            a->deed = LS_DEED_NONE;
        return;
    }
    if (!read_type(s, a, type) || LLVMGetTypeKind(LLVMTypeOf(p)) != LLVMPointerTypeKind ||
        !address_of(s, p, &a->at))
        return;
    a->pointer = p;
    a->is_known = true;
    a->deed = writes ? LS_DEED_STORE : LS_DEED_LOAD;
}

static void
read_call(const struct ls_shared *s, struct ls_shared_access *a, LLVMValueRef call)
{
    const char *name = ls_ir_callee_name(call);
    bool load = name && ls_ir_has_prefix(name, "llvm.masked.load."),
         store = name && ls_ir_has_prefix(name, "llvm.masked.store."),
         gather = name && ls_ir_has_prefix(name, "llvm.masked.gather."),
         scatter = name && ls_ir_has_prefix(name, "llvm.masked.scatter.");
    unsigned first = store || scatter;

    *a = (struct ls_shared_access){.deed = LS_DEED_NONE};
    if (ls_ir_is_pure(call))
        return;
    *a = (struct ls_shared_access){.deed = LS_DEED_ANY, .reads = true, .writes = true};
    if (!load && !store && !gather && !scatter)
        return;
    read_access(s, a, LLVMGetOperand(call, first),
                first ? LLVMTypeOf(LLVMGetOperand(call, 0)) : LLVMTypeOf(call), first);
    if (a->deed != LS_DEED_LOAD && a->deed != LS_DEED_STORE)
        return;
    a->align = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(call, first + 1));
    a->mask = LLVMGetOperand(call, first + 2);
    a->value = store ? LLVMGetOperand(call, 0) : NULL;
    a->otherwise = load ? LLVMGetOperand(call, 3) : NULL;
}

void
ls_shared_read(const struct ls_shared *s, struct ls_shared_access *a, LLVMValueRef i)
{
    bool store = LLVMIsAStoreInst(i);

    *a = (struct ls_shared_access){.deed = LS_DEED_NONE};
    if (LLVMIsALoadInst(i) || store) {
        LLVMValueRef p = LLVMGetOperand(i, store);

        read_access(s, a, p, LLVMTypeOf(store ? LLVMGetOperand(i, 0) : i), store);
        a->align = LLVMGetAlignment(i);
        a->value = store ? LLVMGetOperand(i, 0) : NULL;
        if (a->deed != LS_DEED_NONE &&
            (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic))
            *a = (struct ls_shared_access){.deed = LS_DEED_ANY, .reads = true, .writes = true};
    } else if (LLVMIsACallInst(i)) {
        read_call(s, a, i);
    } else if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAVAArgInst(i)) {
        *a = (struct ls_shared_access){.deed = LS_DEED_ANY, .reads = true, .writes = true};
    }
}

static bool
is_intrinsic(LLVMValueRef call)
{
    const char *name = ls_ir_callee_name(call);

    return name && ls_ir_has_prefix(name, "llvm.");
}

void
ls_shared_init(struct ls_shared *s, struct ls_cc *cc, LLVMValueRef fn)
{
    *s = (struct ls_shared){.fn = fn, .layout = LLVMGetModuleDataLayout(cc->mod)};
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (is_base(s, i)) {
                s->is_used = true;
                s->escapes |= escapes(i);
            } else if (LLVMIsACallInst(i)) { /* what is called finds shared memory by itself */
                s->escapes |= !is_intrinsic(i);
            }
}
