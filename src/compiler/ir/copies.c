/* SPDX-License-Identifier: MIT */
/* Copies and fills of a small constant size become loads and stores. As on the hardware, all lanes
 * of a warp read before the first one writes, which `shared[permuted[i]] = shared[i]` of a
 * structure needs; and a private variable that is filled by one can still be interleaved. */
#include <string.h>

#include "compiler/ir/prepare_priv.h"

enum { MAX_BYTES = 256, PIECE_BYTES = 16 };

struct copy {
    LLVMValueRef call, to, from; /* from: NULL = a fill */
    uint64_t bytes, fill;        /* fill: the byte, eight times */
    unsigned to_align, from_align;
    bool is_volatile;
};

static bool
copy_read(LLVMValueRef inst, struct copy *c)
{
    size_t len;

    if (!LLVMIsACallInst(inst) || !LLVMIsAFunction(LLVMGetCalledValue(inst)))
        return false;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(inst), &len);
    bool fill = ls_ir_has_prefix(name, "llvm.memset.");
    if (!fill && !ls_ir_has_prefix(name, "llvm.memcpy.") &&
        !ls_ir_has_prefix(name, "llvm.memmove."))
        return false;
    LLVMValueRef from = LLVMGetOperand(inst, 1), bytes = LLVMGetOperand(inst, 2);
    if (!LLVMIsAConstantInt(bytes) || (fill && !LLVMIsAConstantInt(from)))
        return false;
    *c = (struct copy){
        .call = inst,
        .to = LLVMGetOperand(inst, 0),
        .from = fill ? NULL : from,
        .bytes = LLVMConstIntGetZExtValue(bytes),
        .fill = fill ? (LLVMConstIntGetZExtValue(from) & 0xff) * 0x0101010101010101u : 0,
        .to_align = ls_ir_argument_alignment(inst, 0),
        .from_align = ls_ir_argument_alignment(inst, 1),
        .is_volatile = LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 3)) != 0,
    };
    return c->bytes <= MAX_BYTES;
}

/* Size of the elements that a private variable is made of; 0: `ptr` is no private variable, or its
 * elements differ in size. */
static unsigned
private_element(struct ls_cc *cc, LLVMValueRef ptr)
{
    while (LLVMIsAGetElementPtrInst(ptr) || LLVMIsAAddrSpaceCastInst(ptr))
        ptr = LLVMGetOperand(ptr, 0);
    if (!LLVMIsAAllocaInst(ptr))
        return 0;
    LLVMTypeRef type = LLVMGetAllocatedType(ptr);
    for (;;) {
        switch (LLVMGetTypeKind(type)) {
        case LLVMArrayTypeKind:
        case LLVMVectorTypeKind:
            type = LLVMGetElementType(type);
            continue;
        case LLVMStructTypeKind:
            if (!LLVMCountStructElementTypes(type))
                return 0;
            type = LLVMStructGetTypeAtIndex(type, 0);
            continue;
        case LLVMIntegerTypeKind:
        case LLVMHalfTypeKind:
        case LLVMBFloatTypeKind:
        case LLVMFloatTypeKind:
        case LLVMDoubleTypeKind:
        case LLVMPointerTypeKind:
            return (unsigned)LLVMABISizeOfType(cc->device.layout, type);
        default:
            return 0;
        }
    }
}

static unsigned
align_at(unsigned align, uint64_t offset)
{
    while (offset % align)
        align /= 2;
    return align;
}

static LLVMValueRef
address(LLVMContextRef ctx, LLVMBuilderRef b, LLVMValueRef ptr, uint64_t offset)
{
    LLVMValueRef index = LLVMConstInt(LLVMInt32TypeInContext(ctx), offset, false);

    return offset ? LLVMBuildGEP2(b, LLVMInt8TypeInContext(ctx), ptr, &index, 1, "") : ptr;
}

static void
copy_expand(struct ls_cc *cc, LLVMBuilderRef b, const struct copy *c)
{
    struct {
        LLVMValueRef value;
        uint64_t at;
    } piece[MAX_BYTES];
    unsigned n = 0, elem = private_element(cc, c->to);
    LLVMContextRef ctx = cc->llvm;

    elem = !elem && c->from ? private_element(cc, c->from) : elem;
    elem = elem == 1 || elem == 2 || elem == 8 ? elem : 4;
    LLVMPositionBuilderBefore(b, c->call);
    for (uint64_t at = 0, step; at < c->bytes; at += step) {
        while (elem > c->bytes - at)
            elem /= 2;
        uint64_t count = (c->bytes - at) / elem;
        count = count < PIECE_BYTES / elem ? count : PIECE_BYTES / elem;
        LLVMTypeRef type = LLVMIntTypeInContext(ctx, elem * 8);
        LLVMValueRef fill[PIECE_BYTES];
        for (uint64_t i = 0; i < count; i++)
            fill[i] = LLVMConstInt(type, c->fill, false);
        step = count * elem;
        piece[n].at = at;
        type = count > 1 ? LLVMVectorType(type, (unsigned)count) : type;
        if (c->from) {
            LLVMValueRef load = LLVMBuildLoad2(b, type, address(ctx, b, c->from, at), "");
            LLVMSetAlignment(load, align_at(c->from_align, at));
            LLVMSetVolatile(load, c->is_volatile);
            piece[n++].value = load;
        } else {
            piece[n++].value = count > 1 ? LLVMConstVector(fill, (unsigned)count) : fill[0];
        }
    }
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef store = LLVMBuildStore(b, piece[i].value, address(ctx, b, c->to, piece[i].at));
        LLVMSetAlignment(store, align_at(c->to_align, piece[i].at));
        LLVMSetVolatile(store, c->is_volatile);
    }
    LLVMInstructionEraseFromParent(c->call);
}

void
ls_copies_expand(struct ls_cc *cc)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);
    struct copy c;

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (copy_read(i, &c))
                    copy_expand(cc, b, &c);
            }
    LLVMDisposeBuilder(b);
}
