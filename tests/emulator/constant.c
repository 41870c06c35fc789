/* SPDX-License-Identifier: MIT */
/* Values that need no lane: constants, variables' addresses and what they begin with. */
#include "emu_priv.h"

u128
emu_cast_space(u128 v, unsigned from, unsigned to)
{
    uint32_t low = (uint32_t)v;

    if (from == SPACE_LDS || from == SPACE_PRIVATE) {
        if (to == from)
            return low;
        if (to != SPACE_FLAT)
            return v;
        return low == UINT32_MAX ? 0 : (from == SPACE_LDS ? EMU_LDS_BASE : EMU_PRIVATE_BASE) | low;
    }
    if (to == SPACE_LDS || to == SPACE_PRIVATE)
        return v == 0 ? UINT32_MAX : low;
    return v;
}

/* Bits of values, one behind the other, for types whose leaves are not bytes. */
static void
put_bits(char *memory, uint32_t at, unsigned n, u128 v)
{
    for (unsigned b = 0; b < n; b++) {
        unsigned char *byte = (unsigned char *)memory + (at + b) / 8;
        unsigned bit = 1u << ((at + b) % 8);

        *byte = (unsigned char)((*byte & ~bit) | ((v >> b) & 1 ? bit : 0));
    }
}

static u128
take_bits(const char *memory, uint32_t at, unsigned n)
{
    u128 v = 0;

    for (unsigned b = 0; b < n; b++)
        v |= (u128)(((const unsigned char *)memory)[(at + b) / 8] >> ((at + b) % 8) & 1) << b;
    return v;
}

void
emu_to_memory(const struct type *type, const u128 *values, size_t stride, char *memory)
{
    for (unsigned k = 0; k < type->n; k++) {
        const struct leaf *leaf = &type->leaves[k];

        if (type->plain) {
            memcpy(memory + leaf->at / 8, &values[k * stride], leaf->bits / 8);
        } else if (leaf->at % 8 == 0 && type->n == 1) { /* a single one's bytes are whole */
            memcpy(memory, &values[0], (leaf->bits + 7u) / 8);
        } else {
            put_bits(memory, leaf->at, leaf->bits, values[k * stride]);
        }
    }
}

void
emu_from_memory(const struct type *type, const char *memory, u128 *values, size_t stride)
{
    for (unsigned k = 0; k < type->n; k++) {
        const struct leaf *leaf = &type->leaves[k];
        u128 v = 0;

        if (type->plain)
            memcpy(&v, memory + leaf->at / 8, leaf->bits / 8);
        else
            v = take_bits(memory, leaf->at, leaf->bits);
        values[k * stride] = v;
    }
}

static uint64_t
struct_offset(struct emu *emu, LLVMTypeRef type, unsigned member)
{
    return LLVMOffsetOfElement(emu->layout, type, member);
}

static u128
gep_constant(struct emu *emu, LLVMValueRef value)
{
    LLVMTypeRef at = LLVMGetGEPSourceElementType(value);
    unsigned n = (unsigned)LLVMGetNumOperands(value),
             bits = emu_type(emu, LLVMTypeOf(value))->leaves[0].bits;
    u128 v, index;

    emu_constant_value(emu, LLVMGetOperand(value, 0), &v);
    for (unsigned k = 1; k < n; k++) {
        LLVMValueRef operand = LLVMGetOperand(value, k);

        emu_constant_value(emu, operand, &index);
        index = (u128)emu_signed(index, emu_type(emu, LLVMTypeOf(operand))->leaves[0].bits);
        if (k > 1 && LLVMGetTypeKind(at) == LLVMStructTypeKind) {
            v += struct_offset(emu, at, (unsigned)index);
            at = LLVMStructGetTypeAtIndex(at, (unsigned)index);
            continue;
        }
        if (k > 1)
            at = LLVMGetElementType(at);
        v += index * LLVMABISizeOfType(emu->layout, at);
    }
    return v & emu_ones(bits);
}

static void
expression(struct emu *emu, LLVMValueRef value, u128 *out)
{
    const struct type *type = emu_type(emu, LLVMTypeOf(value));
    unsigned bits = type->leaves[0].bits;
    LLVMValueRef first = LLVMGetOperand(value, 0);
    const struct type *from = emu_type(emu, LLVMTypeOf(first));
    u128 a = 0, b = 0;

    if (type->n != 1 || from->n != 1)
        emu_refuse(emu, value, "a constant expression of vectors");
    if (LLVMGetConstOpcode(value) != LLVMGetElementPtr)
        emu_constant_value(emu, first, &a);
    if (LLVMGetNumOperands(value) == 2 && LLVMGetConstOpcode(value) != LLVMGetElementPtr)
        emu_constant_value(emu, LLVMGetOperand(value, 1), &b);
    switch (LLVMGetConstOpcode(value)) {
    case LLVMAddrSpaceCast:
        *out = emu_cast_space(a, from->leaves[0].space, type->leaves[0].space);
        return;
    case LLVMGetElementPtr:
        *out = gep_constant(emu, value);
        return;
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMTrunc:
    case LLVMBitCast:
        *out = a & emu_ones(bits);
        return;
    case LLVMAdd:
        *out = (a + b) & emu_ones(bits);
        return;
    case LLVMSub:
        *out = (a - b) & emu_ones(bits);
        return;
    case LLVMXor:
        *out = a ^ b;
        return;
    default:
        emu_refuse(emu, value, "a constant expression without a meaning here");
    }
}

/* Decimal digits of a printed integer: LLVM's C API gives 64 bits. */
static u128
wide_integer(LLVMValueRef value)
{
    char *text = LLVMPrintValueToString(value), *at = strchr(text, ' ');
    bool negative = at && at[1] == '-';
    u128 v = 0;

    for (at = at ? at + 1 + negative : text; *at >= '0' && *at <= '9'; at++)
        v = v * 10 + (unsigned)(*at - '0');
    LLVMDisposeMessage(text);
    return negative ? -v : v;
}

static u128
number_bits(struct emu *emu, LLVMValueRef value, const struct leaf *leaf)
{
    LLVMValueRef bits = LLVMConstBitCast(value, LLVMIntTypeInContext(emu->context, leaf->bits));

    if (!LLVMIsAConstantInt(bits))
        emu_refuse(emu, value, "a floating point constant without bits");
    return LLVMConstIntGetZExtValue(bits);
}

static u128
undefined(unsigned bits)
{
    u128 v;

    memset(&v, EMU_UNDEFINED, sizeof(v));
    return v & emu_ones(bits);
}

/* All slots of a constant. */
void
emu_constant_value(struct emu *emu, LLVMValueRef value, u128 *out)
{
    const struct type *type = emu_type(emu, LLVMTypeOf(value));
    LLVMValueRef aliasee;

    if (LLVMIsAUndefValue(value) || LLVMIsPoison(value)) {
        for (unsigned k = 0; k < type->n; k++)
            out[k] = undefined(type->leaves[k].bits);
    } else if (LLVMIsAConstantInt(value)) {
        unsigned bits = type->leaves[0].bits;
        *out = (bits > 64 ? wide_integer(value) : LLVMConstIntGetZExtValue(value)) & emu_ones(bits);
    } else if (LLVMIsAConstantFP(value)) {
        *out = number_bits(emu, value, &type->leaves[0]);
    } else if (LLVMIsAFunction(value)) {
        struct function *fn = ls_ptrmap_get(&emu->functions, value);
        *out = fn ? fn->address : 0;
    } else if (LLVMIsAGlobalVariable(value)) {
        u128 *at = ls_ptrmap_get(&emu->globals, value);
        if (!at)
            emu_refuse(emu, value, "a variable without a place");
        *out = *at;
    } else if (LLVMIsAGlobalAlias(value)) {
        aliasee = LLVMAliasGetAliasee(value);
        emu_constant_value(emu, aliasee, out);
    } else if (LLVMIsAConstantExpr(value)) {
        expression(emu, value, out);
    } else if (LLVMIsNull(value)) {
        for (unsigned k = 0; k < type->n; k++)
            out[k] = 0;
    } else if (LLVMIsAConstantDataSequential(value) || LLVMIsAConstantArray(value) ||
               LLVMIsAConstantStruct(value) || LLVMIsAConstantVector(value)) {
        unsigned at = 0;

        for (unsigned k = 0; at < type->n; k++) {
            LLVMValueRef member = LLVMGetAggregateElement(value, k);

            if (!member)
                emu_refuse(emu, value, "a constant with missing members");
            emu_constant_value(emu, member, out + at);
            at += emu_type(emu, LLVMTypeOf(member))->n;
        }
    } else {
        emu_refuse(emu, value, "a constant without a meaning here");
    }
}

struct operand
emu_constant(struct emu *emu, LLVMValueRef value)
{
    unsigned n = emu_type(emu, LLVMTypeOf(value))->n;

    if (emu->n_constants + n > emu->cap_constants) {
        emu->cap_constants = 2 * (emu->n_constants + n) + 1024;
        emu->constants = realloc(emu->constants, emu->cap_constants * sizeof(u128));
        if (!emu->constants)
            abort();
    }
    struct operand o = {(uint32_t)emu->n_constants, true};
    emu->n_constants += n;
    emu_constant_value(emu, value, emu->constants + o.index);
    return o;
}
