/* SPDX-License-Identifier: MIT */
/* Origins of what is read from memory: of global memory the address; shared and private memory have
 * a second one beside them, in which lie the origins of what was stored there. For origins.c. */
#include <string.h>

#include "analysis/shape_priv.h"
#include "compiler/ir/origins_priv.h"

enum { SHARED = 3, PRIVATE = 5, NUMBER = 8 };

/* A place in a variable, or in shared memory: i32 bytes from its start. */
struct place {
    LLVMValueRef base, moving; /* moving: NULL, nothing unknown is added */
    int64_t known;
};

static bool
is_step(LLVMValueRef v, LLVMOpcode op)
{
    return (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op) ||
           (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == op);
}

/* Adds up the distance where the builder stands. */
static struct place
place_of(struct ls_origins *o, LLVMValueRef pointer)
{
    struct place p = {.base = pointer};
    LLVMTypeRef i32 = LLVMInt32TypeInContext(o->cc->llvm);

    while (is_step(p.base, LLVMGetElementPtr) || is_step(p.base, LLVMAddrSpaceCast)) {
        struct ls_gep_term terms[LS_MAX_GEP_TERMS];
        unsigned n = is_step(p.base, LLVMGetElementPtr)
                         ? ls_gep_terms(o->cc, p.base, terms, LS_MAX_GEP_TERMS)
                         : 0;

        for (unsigned i = 0; i < n; i++) {
            if (!terms[i].index) {
                p.known += terms[i].stride;
                continue;
            }
            LLVMValueRef by =
                LLVMBuildMul(o->b, LLVMBuildIntCast2(o->b, terms[i].index, i32, true, ""),
                             LLVMConstInt(i32, (uint64_t)terms[i].stride, true), "");
            p.moving = p.moving ? LLVMBuildAdd(o->b, p.moving, by, "") : by;
        }
        p.base = LLVMGetOperand(p.base, 0);
    }
    return p;
}

/* i32: 8 times the distance of a place, and `more`. */
static LLVMValueRef
times_eight(struct ls_origins *o, const struct place *p, uint64_t more)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(o->cc->llvm);
    LLVMValueRef known = LLVMConstInt(i32, (uint64_t)p->known * NUMBER + more, true);

    if (!p->moving)
        return known;
    return LLVMBuildAdd(o->b, LLVMBuildMul(o->b, p->moving, LLVMConstInt(i32, NUMBER, false), ""),
                        known, "");
}

/* The place of the origin of a place's first byte; NULL: it is not known. */
static LLVMValueRef
shared_origin(struct ls_origins *o, LLVMValueRef pointer)
{
    LLVMContextRef c = o->cc->llvm;
    LLVMTypeRef i8 = LLVMInt8TypeInContext(c), i32 = LLVMInt32TypeInContext(c),
                ptr = LLVMPointerTypeInContext(c, SHARED);
    struct place p = place_of(o, pointer);
    unsigned from = 0;
    LLVMValueRef at;

    if (LLVMGetPointerAddressSpace(LLVMTypeOf(p.base)) != SHARED)
        return NULL;
    if (LLVMIsAGlobalVariable(p.base)) {
        if (!ls_ir_global_number(o->cc, p.base, LS_MD_LDS_OFFSET, &from))
            return NULL;
    } else if (!LLVMIsConstant(p.base)) {
        LLVMValueRef base = LLVMBuildPtrToInt(o->b, p.base, i32, "");

        p.moving = p.moving ? LLVMBuildAdd(o->b, p.moving, base, "") : base;
    } else if (!LLVMIsNull(p.base)) {
        return NULL;
    }
    at = times_eight(o, &p, (uint64_t)from * NUMBER + LS_NOTE_SHARED_AT);
    return LLVMBuildGEP2(o->b, i8, LLVMConstNull(ptr), &at, 1, "");
}

static LLVMValueRef
private_origin(struct ls_origins *o, LLVMValueRef pointer)
{
    LLVMTypeRef i8 = LLVMInt8TypeInContext(o->cc->llvm);
    struct place p = place_of(o, pointer);
    LLVMValueRef twin, at;

    if (!LLVMIsAAllocaInst(p.base) || !LLVMIsAConstantInt(LLVMGetOperand(p.base, 0)))
        return NULL;
    if (!o->has_privates)
        ls_ptrmap_init(&o->privates, o->cc->arena);
    o->has_privates = true;
    twin = ls_ptrmap_get(&o->privates, p.base);
    if (!twin) {
        uint64_t bytes = LLVMABISizeOfType(o->cc->device.layout, LLVMGetAllocatedType(p.base)) *
                         LLVMConstIntGetZExtValue(LLVMGetOperand(p.base, 0));
        LLVMBuilderRef b = LLVMCreateBuilderInContext(o->cc->llvm);

        LLVMPositionBuilderBefore(b, p.base);
        twin = LLVMBuildAlloca(b, LLVMArrayType2(o->i64, bytes), "origins");
        LLVMDisposeBuilder(b);
        ls_ptrmap_set(&o->privates, p.base, twin);
    }
    at = times_eight(o, &p, 0);
    return LLVMBuildGEP2(o->b, i8, twin, &at, 1, "");
}

static LLVMValueRef
origin_place(struct ls_origins *o, LLVMValueRef pointer)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));

    return space == SHARED                                 ? shared_origin(o, pointer)
           : space == PRIVATE || ls_ir_is_private(pointer) ? private_origin(o, pointer)
                                                           : NULL;
}

static LLVMValueRef
byte_place(struct ls_origins *o, LLVMValueRef place, unsigned i)
{
    LLVMValueRef by = LLVMConstInt(LLVMInt32TypeInContext(o->cc->llvm), i * NUMBER, false);

    return i ? LLVMBuildGEP2(o->b, LLVMInt8TypeInContext(o->cc->llvm), place, &by, 1, "") : place;
}

const struct ls_origin *
ls_origins_loaded(struct ls_origins *o, LLVMValueRef load, unsigned n)
{
    LLVMValueRef pointer = LLVMGetOperand(load, 0), place;
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    struct ls_origin *out = ls_origins_none(o, n);

    LLVMPositionBuilderBefore(o->b, load);
    if (space == SHARED || space == PRIVATE || ls_ir_is_private(pointer)) {
        place = origin_place(o, pointer);
        for (unsigned i = 0; place && i < n; i++) {
            LLVMValueRef origin = LLVMBuildLoad2(o->b, o->i64, byte_place(o, place, i), "");

            LLVMSetAlignment(origin, NUMBER);
            out[i].base = origin;
        }
        o->loads_shared |= space == SHARED;
        return out;
    }
    if (LLVMIsConstant(pointer) || space > 4)
        return out;
    LLVMValueRef address = LLVMBuildPtrToInt(o->b, pointer, o->i64, "");
    for (unsigned i = 0; i < n; i++)
        out[i] = (struct ls_origin){address, i};
    return out;
}

/* What is stored, and where; false: the instruction stores nothing that has an origin. */
static bool
read_store(LLVMValueRef inst, LLVMValueRef *pointer, LLVMValueRef *value)
{
    if (LLVMIsAStoreInst(inst)) {
        *value = LLVMGetOperand(inst, 0);
        *pointer = LLVMGetOperand(inst, 1);
        return true;
    }
    if (LLVMIsAAtomicRMWInst(inst)) { /* what comes of it is from nowhere */
        *value = NULL;
        *pointer = LLVMGetOperand(inst, 0);
        return true;
    }
    return false;
}

/* Whether origins are read of where this goes. */
static bool
is_wanted(struct ls_origins *o, LLVMValueRef pointer)
{
    LLVMValueRef base = pointer;

    if (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == SHARED)
        return o->loads_shared;
    while (is_step(base, LLVMGetElementPtr) || is_step(base, LLVMAddrSpaceCast))
        base = LLVMGetOperand(base, 0);
    return o->has_privates && ls_ptrmap_get(&o->privates, base);
}

static void
store_origins(struct ls_origins *o, LLVMValueRef inst, LLVMValueRef pointer, LLVMValueRef value)
{
    unsigned n = ls_origins_bytes(o, value ? value : inst);
    const struct ls_origin *from = value ? o->of(o, value) : ls_origins_none(o, n);
    LLVMValueRef place;

    LLVMPositionBuilderBefore(o->b, inst);
    place = n <= LS_NOTE_MOST_BYTES ? origin_place(o, pointer) : NULL;
    for (unsigned i = 0; place && i < n; i++) {
        LLVMValueRef at = byte_place(o, place, i), store;

        store = LLVMBuildStore(o->b, ls_origin_value(o, &from[i]), at);
        LLVMSetAlignment(store, NUMBER);
        ls_ptrmap_set(&o->stored, store, store);
    }
}

void
ls_origins_store(struct ls_origins *o, void (*fill)(struct ls_origins *o))
{
    bool more = true;

    while (more) {
        more = false;
        fill(o);
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(o->fn); bb;
             bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
                LLVMValueRef pointer, value;

                next = LLVMGetNextInstruction(i);
                if (ls_ptrmap_get(&o->stored, i) || !read_store(i, &pointer, &value) ||
                    !is_wanted(o, pointer))
                    continue;
                ls_ptrmap_set(&o->stored, i, i);
                store_origins(o, i, pointer, value);
                more = true;
            }
    }
}
