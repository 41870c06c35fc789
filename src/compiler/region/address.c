/* SPDX-License-Identifier: MIT */
/* Where addresses in a private variable go. A variable that only one region uses needs no copy for
 * each warp, unless an address in it reaches another region: &a[i] that is computed in front of a
 * barrier and used behind it. */
#include "compiler/ir/ir.h"
#include "compiler/region/region_priv.h"

static bool
is_access(LLVMValueRef user, LLVMValueRef address)
{
    const char *name = LLVMIsACallInst(user) ? ls_ir_callee_name(user) : NULL;

    if (LLVMIsALoadInst(user) || LLVMIsAICmpInst(user) || LLVMIsAMemIntrinsic(user) ||
        (name && ls_ir_has_prefix(name, "llvm.lifetime.")))
        return true;
    if (LLVMIsAStoreInst(user))
        return LLVMGetOperand(user, 0) != address;
    if (LLVMIsAAtomicRMWInst(user))
        return LLVMGetOperand(user, 1) != address;
    return LLVMIsAAtomicCmpXchgInst(user) && LLVMGetOperand(user, 1) != address &&
           LLVMGetOperand(user, 2) != address;
}

static bool
is_address(LLVMValueRef user)
{
    return LLVMIsAGetElementPtrInst(user) || LLVMIsAAddrSpaceCastInst(user) ||
           LLVMIsABitCastInst(user) || LLVMIsAFreezeInst(user) || LLVMIsASelectInst(user) ||
           LLVMIsAPHINode(user);
}

static bool
is_kept(LLVMValueRef address, const struct ls_ptrmap *slots, struct ls_ptrmap *seen)
{
    for (LLVMUseRef u = LLVMGetFirstUse(address); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);

        if (is_access(user, address) || ls_ptrmap_get(seen, user))
            continue;
        if (!is_address(user) || ls_ptrmap_get(slots, user))
            return true;
        ls_ptrmap_set(seen, user, user);
        if (is_kept(user, slots, seen))
            return true;
    }
    return false;
}

bool
ls_region_keeps_address(struct ls_cc *cc, LLVMValueRef alloca, const struct ls_ptrmap *slots)
{
    struct ls_ptrmap seen;

    ls_ptrmap_init(&seen, cc->arena);
    return is_kept(alloca, slots, &seen);
}
