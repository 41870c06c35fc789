/* SPDX-License-Identifier: MIT */
/* Bits. */
#include "ptx_priv.h"

#define BITS ((unsigned)ptx_bits[i->types[0]])

static uint64_t
flip(const struct ptx_insn *i, unsigned n, uint64_t v) /* "!p" */
{
    return v ^ (i->negated >> n & 1);
}

#define LOGIC(op, sign)                                                                            \
    enum ptx_next op(struct ptx_thread *t, const struct ptx_insn *i)                               \
    {                                                                                              \
        OUT(0) = low_bits(flip(i, 1, IN(1)) sign flip(i, 2, IN(2)), BITS);                         \
        return NEXT_GO;                                                                            \
    }
LOGIC(op_and, &)
LOGIC(op_or, |)
LOGIC(op_xor, ^)

enum ptx_next
op_not(struct ptx_thread *t, const struct ptx_insn *i)
{
    OUT(0) = low_bits(~IN(1), BITS);
    return NEXT_GO;
}

enum ptx_next
op_cnot(struct ptx_thread *t, const struct ptx_insn *i)
{
    OUT(0) = low_bits(IN(1), BITS) == 0;
    return NEXT_GO;
}

/* Shifts by more than the width are by the width. */
enum ptx_next
op_shl(struct ptx_thread *t, const struct ptx_insn *i)
{
    uint64_t by = low_bits(IN(2), 32);

    OUT(0) = by >= BITS ? 0 : low_bits(IN(1) << by, BITS);
    return NEXT_GO;
}

enum ptx_next
op_shr(struct ptx_thread *t, const struct ptx_insn *i)
{
    uint64_t by = low_bits(IN(2), 32), v = IN(1);

    if (ptx_kinds[i->types[0]] == KIND_SIGNED)
        OUT(0) = low_bits((uint64_t)(with_sign(v, BITS) >> (by >= BITS ? BITS - 1 : by)), BITS);
    else
        OUT(0) = by >= BITS ? 0 : low_bits(v, BITS) >> by;
    return NEXT_GO;
}

enum ptx_next
op_shf(struct ptx_thread *t, const struct ptx_insn *i)
{
    uint64_t both = low_bits(IN(2), 32) << 32 | low_bits(IN(1), 32), by = low_bits(IN(3), 32);

    by = i->flags & FLAG_WRAP ? by & 31 : by > 32 ? 32 : by;
    OUT(0) = i->action == ACTION_LEFT ? low_bits(both << by >> 32, 32) : low_bits(both >> by, 32);
    return NEXT_GO;
}

enum ptx_next
op_popc(struct ptx_thread *t, const struct ptx_insn *i)
{
    OUT(0) = (uint64_t)__builtin_popcountll(low_bits(IN(1), BITS));
    return NEXT_GO;
}

enum ptx_next
op_clz(struct ptx_thread *t, const struct ptx_insn *i)
{
    uint64_t v = low_bits(IN(1), BITS);

    OUT(0) = v ? (uint64_t)__builtin_clzll(v) - (64 - BITS) : BITS;
    return NEXT_GO;
}

enum ptx_next
op_brev(struct ptx_thread *t, const struct ptx_insn *i)
{
    uint64_t v = IN(1), r = 0;

    for (unsigned k = 0; k < BITS; k++)
        r |= (v >> k & 1) << (BITS - 1 - k);
    OUT(0) = r;
    return NEXT_GO;
}

enum ptx_next
op_bfe(struct ptx_thread *t, const struct ptx_insn *i)
{
    unsigned pos = IN(2) & 0xff, len = IN(3) & 0xff, last = pos + len - 1;
    bool is_signed = ptx_kinds[i->types[0]] == KIND_SIGNED;
    uint64_t v = low_bits(IN(1), BITS), sign;

    if (len == 0) {
        OUT(0) = 0;
        return NEXT_GO;
    }
    sign = is_signed ? v >> (last < BITS ? last : BITS - 1) & 1 : 0;
    v = pos < BITS ? v >> pos : 0;
    if (pos + len > BITS)
        len = pos < BITS ? BITS - pos : 0;
    v = low_bits(v, len) & (len ? UINT64_MAX : 0);
    if (sign)
        v |= len >= 64 ? 0 : UINT64_MAX << len;
    OUT(0) = low_bits(v, BITS);
    return NEXT_GO;
}

enum ptx_next
op_bfi(struct ptx_thread *t, const struct ptx_insn *i)
{
    unsigned pos = IN(3) & 0xff, len = IN(4) & 0xff;
    uint64_t a = IN(1), b = IN(2), mask;

    mask = len == 0 || pos >= BITS ? 0 : low_bits(UINT64_MAX, len) << pos;
    OUT(0) = low_bits((b & ~mask) | (pos < 64 ? a << pos & mask : 0), BITS);
    return NEXT_GO;
}

enum ptx_next
op_bfind(struct ptx_thread *t, const struct ptx_insn *i)
{
    uint64_t v = low_bits(IN(1), BITS);
    unsigned at;

    if (ptx_kinds[i->types[0]] == KIND_SIGNED && v >> (BITS - 1) & 1)
        v = low_bits(~v, BITS);
    at = v ? 63 - (unsigned)__builtin_clzll(v) : UINT32_MAX;
    OUT(0) = v && (i->flags & FLAG_SHIFTAMT) ? BITS - 1 - at : at;
    return NEXT_GO;
}

enum ptx_next
op_bmsk(struct ptx_thread *t, const struct ptx_insn *i)
{
    uint64_t pos = low_bits(IN(1), 32), len = low_bits(IN(2), 32);

    if (i->flags & FLAG_WRAP) {
        pos &= 31;
        len &= 31;
    }
    OUT(0) =
        pos >= 32 ? 0 : low_bits(low_bits(UINT64_MAX, len > 32 ? 32 : (unsigned)len) << pos, 32);
    if (len == 0)
        OUT(0) = 0;
    return NEXT_GO;
}

enum ptx_next
op_szext(struct ptx_thread *t, const struct ptx_insn *i)
{
    uint64_t n = low_bits(IN(2), 32), v = low_bits(IN(1), 32);

    if (i->flags & FLAG_WRAP)
        n &= 31;
    if (n == 0)
        OUT(0) = 0;
    else if (n >= 32)
        OUT(0) = v;
    else
        OUT(0) = ptx_kinds[i->types[0]] == KIND_SIGNED
                     ? low_bits((uint64_t)with_sign(v, (unsigned)n), 32)
                     : low_bits(v, (unsigned)n);
    return NEXT_GO;
}

/* The offset-th set bit from base on, in either direction (PTX ISA, fns). */
enum ptx_next
op_fns(struct ptx_thread *t, const struct ptx_insn *i)
{
    uint32_t mask = (uint32_t)IN(1), base = (uint32_t)IN(2), found = UINT32_MAX;
    int32_t offset = (int32_t)IN(3), left = offset < 0 ? -offset : offset;

    if (offset == 0)
        found = base < 32 && mask >> base & 1 ? base : UINT32_MAX;
    for (int64_t k = base; offset && k >= 0 && k < 32; k += offset < 0 ? -1 : 1)
        if (mask >> k & 1 && --left == 0) {
            found = (uint32_t)k;
            break;
        }
    OUT(0) = found;
    return NEXT_GO;
}

enum ptx_next
op_lop3(struct ptx_thread *t, const struct ptx_insn *i)
{
    uint32_t a = (uint32_t)IN(1), b = (uint32_t)IN(2), c = (uint32_t)IN(3), table = (uint32_t)IN(4),
             r = 0;

    for (unsigned k = 0; k < 8; k++)
        if (table >> k & 1)
            r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    OUT(0) = r;
    return NEXT_GO;
}

/* Which byte a mode of prmt takes for each of four, by the lower two bits of the selector. */
static unsigned
byte_of(unsigned mode, uint32_t selector, unsigned k)
{
    static const uint8_t modes[][4][4] = {
        [0] = {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}}, /* f4e */
        [1] = {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}}, /* b4e */
        [2] = {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}, /* rc8 */
        [3] = {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}}, /* ecl */
        [4] = {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}, /* ecr */
        [5] = {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}  /* rc16 */
    };

    return modes[mode][selector & 3][k];
}

enum ptx_next
op_prmt(struct ptx_thread *t, const struct ptx_insn *i)
{
    uint64_t both = low_bits(IN(2), 32) << 32 | low_bits(IN(1), 32);
    uint32_t selector = (uint32_t)IN(3), r = 0;

    for (unsigned k = 0; k < 4; k++) {
        unsigned which = selector >> 4 * k & 0xf;
        uint32_t byte;

        if (i->action)
            which = byte_of(i->action - ACTION_F4E, selector, k);
        byte = (uint32_t)(both >> 8 * (which & 7)) & 0xff;
        if (which & 8)
            byte = byte & 0x80 ? 0xff : 0;
        r |= byte << 8 * k;
    }
    OUT(0) = r;
    return NEXT_GO;
}
