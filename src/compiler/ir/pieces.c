/* SPDX-License-Identifier: MIT */
/* Numbers that a kernel reads in pieces, as packed data asks of a GPU: a[0] | a[1] << 16 of an
 * array of 16-bit elements. The processor reads them whole, at any address, and lanes that are read
 * at distances (lanes/window.c) are few vectors then. */
#include "compiler/ir/prepare_priv.h"

#include <llvm-c/DebugInfo.h>

#include "analysis/address.h"

enum {
    MOST_PIECES = 8,
    MOST_BITS = 64,
    MOST_APART = 200, /* instructions between the first piece and the last */
};

struct piece {
    LLVMValueRef value; /* what is joined by `or` */
    LLVMValueRef load;  /* NULL: it is none */
    unsigned at, bits;  /* of the number */
    struct ls_address address;
};

struct number {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    struct piece pieces[MOST_PIECES];
    unsigned n;
    LLVMValueRef joined[MOST_PIECES]; /* operations that join them, outermost first */
    unsigned n_joined;
};

static bool
is_op(LLVMValueRef v, LLVMOpcode op)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

static bool
has_one_use(LLVMValueRef v)
{
    LLVMUseRef use = LLVMGetFirstUse(v);

    return use && !LLVMGetNextUse(use);
}

/* Whether nothing is written from the earlier of two instructions of a block to the later; *last is
 * that one. */
static bool
are_one_read(LLVMValueRef a, LLVMValueRef b, LLVMValueRef *last)
{
    LLVMValueRef starts[2] = {a, b}, ends[2] = {b, a};

    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef i = starts[k];

        for (unsigned n = 0; i && i != ends[k] && n < MOST_APART;
             n++, i = LLVMGetNextInstruction(i))
            if (LLVMIsAStoreInst(i) || LLVMIsAFenceInst(i) || LLVMIsAAtomicRMWInst(i) ||
                LLVMIsAAtomicCmpXchgInst(i) || (LLVMIsACallInst(i) && !ls_ir_is_pure(i)) ||
                (LLVMIsALoadInst(i) &&
                 (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)))
                break;
        if (i == ends[k]) {
            *last = ends[k];
            return true;
        }
    }
    return false;
}

/* A value that is a load of whole bytes, moved to its place. */
static void
read_piece(const struct number *x, LLVMValueRef v, struct piece *p)
{
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(v));

    *p = (struct piece){.value = v};
    if (is_op(v, LLVMShl) && has_one_use(v) && LLVMIsAConstantInt(LLVMGetOperand(v, 1))) {
        uint64_t by = LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1));

        p->at = by < width ? (unsigned)by : width;
        v = LLVMGetOperand(v, 0);
    }
    if (!is_op(v, LLVMZExt) || !has_one_use(v))
        return;
    v = LLVMGetOperand(v, 0);
    if (!LLVMIsALoadInst(v) || !has_one_use(v) || LLVMGetVolatile(v) ||
        LLVMGetOrdering(v) != LLVMAtomicOrderingNotAtomic ||
        LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind)
        return;
    p->bits = LLVMGetIntTypeWidth(LLVMTypeOf(v));
    if (p->bits % 8 == 0 && p->at + p->bits <= width &&
        ls_address_read(x->cc->device.layout, LLVMGetOperand(v, 0), &p->address))
        p->load = v;
}

/* Takes apart what is joined; false: in too many pieces. */
static bool
take_apart(struct number *x, LLVMValueRef v)
{
    if (is_op(v, LLVMOr) && (x->n_joined == 0 || has_one_use(v))) {
        if (x->n_joined == MOST_PIECES)
            return false;
        x->joined[x->n_joined++] = v;
        return take_apart(x, LLVMGetOperand(v, 0)) && take_apart(x, LLVMGetOperand(v, 1));
    }
    if (x->n == MOST_PIECES)
        return false;
    read_piece(x, v, &x->pieces[x->n++]);
    return true;
}

/* Lowest first. */
static void
sort(struct number *x)
{
    for (unsigned i = 1; i < x->n; i++)
        for (unsigned k = i; k > 0 && x->pieces[k].at < x->pieces[k - 1].at; k--) {
            struct piece p = x->pieces[k];
            x->pieces[k] = x->pieces[k - 1];
            x->pieces[k - 1] = p;
        }
}

/* How many pieces from the first one on are one number in memory. *last: that of them which is read
 * last. */
static unsigned
count_row(const struct number *x, unsigned first, LLVMValueRef *last)
{
    const struct piece *p = &x->pieces[first];
    unsigned bits = p->bits, n = 1;
    LLVMValueRef latest = p->load;

    for (unsigned i = first + 1; p->load && i < x->n && x->pieces[i].load; i++) {
        const struct piece *q = &x->pieces[i];
        int64_t bytes;

        if (q->at != p->at + bits || !ls_address_distance(&p->address, &q->address, &bytes) ||
            bytes * 8 != bits || !are_one_read(latest, q->load, &latest) ||
            LLVMTypeOf(LLVMGetOperand(q->load, 0)) != LLVMTypeOf(LLVMGetOperand(p->load, 0)))
            break;
        bits += q->bits;
        if (bits == 16 || bits == 32 || bits == MOST_BITS) {
            n = i + 1 - first;
            *last = latest;
        }
    }
    return n;
}

static LLVMValueRef
read_whole(const struct number *x, unsigned first, unsigned n, LLVMValueRef last)
{
    const struct piece *p = &x->pieces[first], *end = &x->pieces[first + n - 1];
    LLVMTypeRef type = LLVMIntTypeInContext(x->cc->llvm, end->at + end->bits - p->at);
    LLVMTypeRef whole = LLVMTypeOf(x->joined[0]);
    LLVMValueRef v;

    LLVMPositionBuilderBefore(x->b, last);
    LLVMSetCurrentDebugLocation2(x->b, LLVMInstructionGetDebugLoc(last));
    v = LLVMBuildLoad2(x->b, type, LLVMGetOperand(p->load, 0), "");
    LLVMSetAlignment(v, ls_ir_access_alignment(p->load));
    LLVMPositionBuilderBefore(x->b, x->joined[0]);
    if (type != whole)
        v = LLVMBuildZExt(x->b, v, whole, "");
    return p->at ? LLVMBuildShl(x->b, v, LLVMConstInt(whole, p->at, false), "") : v;
}

/* Removes a piece that nothing uses any more, but for its address, which its neighbours share. */
static void
drop(struct piece *p)
{
    LLVMValueRef v = p->value;

    while (v != p->load) {
        LLVMValueRef from = LLVMGetOperand(v, 0);

        LLVMInstructionEraseFromParent(v);
        v = from;
    }
    LLVMInstructionEraseFromParent(v);
}

/* True: the number is made of fewer pieces now. */
static bool
look_at(struct number *x, LLVMValueRef inst)
{
    LLVMValueRef parts[MOST_PIECES], last = NULL, whole = NULL;
    bool gone[MOST_PIECES] = {false};
    unsigned n_parts = 0;

    x->n = x->n_joined = 0;
    if (!is_op(inst, LLVMOr) || LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMTypeOf(inst)) > MOST_BITS || !take_apart(x, inst))
        return false;
    sort(x);
    for (unsigned i = 0, n; i < x->n; i += n) {
        n = count_row(x, i, &last);
        parts[n_parts++] = n > 1 ? read_whole(x, i, n, last) : x->pieces[i].value;
        for (unsigned k = i; n > 1 && k < i + n; k++)
            gone[k] = true;
    }
    if (n_parts == x->n)
        return false;
    LLVMPositionBuilderBefore(x->b, inst);
    LLVMSetCurrentDebugLocation2(x->b, LLVMInstructionGetDebugLoc(inst));
    for (unsigned i = 0; i < n_parts; i++)
        whole = whole ? LLVMBuildOr(x->b, whole, parts[i], "") : parts[i];
    LLVMReplaceAllUsesWith(inst, whole);
    for (unsigned i = 0; i < x->n_joined; i++)
        LLVMInstructionEraseFromParent(x->joined[i]);
    for (unsigned i = 0; i < x->n; i++)
        if (gone[i])
            drop(&x->pieces[i]);
    return true;
}

bool
ls_pieces_join(struct ls_cc *cc)
{
    struct number x = {.cc = cc, .b = LLVMCreateBuilderInContext(cc->llvm)};
    bool changed = false;

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetLastInstruction(bb), before; i; i = before) {
                LLVMUseRef use = is_op(i, LLVMOr) ? LLVMGetFirstUse(i) : NULL;

                before = LLVMGetPreviousInstruction(i);
                /* Of a number that is joined to others, the outermost is looked at. */
                if (use && is_op(LLVMGetUser(use), LLVMOr) && has_one_use(i))
                    continue;
                if (use && look_at(&x, i)) {
                    changed = true;
                    before = LLVMGetLastInstruction(bb); /* what stood in front may be gone */
                }
            }
    LLVMDisposeBuilder(x.b);
    return changed;
}
