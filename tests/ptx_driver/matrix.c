/* SPDX-License-Identifier: MIT */
/* mma.sync and ldmatrix. A fragment's register holds items of one row (PTX ISA, "Matrix Fragments
 * for mma"): with e items to a register, group = lane / 4 and place = lane % 4,
 *   A: register q, item n: row group + 8 * (q & 1), k = 4 * e * (q >> 1) + e * place + n
 *   B: register q, item n: k = 4 * e * q + e * place + n, column group
 *   C, D: item n of 4: row group + 8 * (n >> 1), column 2 * place + (n & 1). */
#include <string.h>

#include "ptx_priv.h"

#define ROWS    16u
#define COLUMNS 8u
#define DEPTH   64u

static double
item_of(enum ptx_type type, uint64_t word, unsigned n)
{
    unsigned bits = ptx_bits[type];
    uint64_t v = (word >> n * bits) & (UINT64_MAX >> (64 - bits));
    uint32_t low = (uint32_t)v;
    float f;

    switch (type) {
    case TYPE_f16:
        return (double)ptx_from_half((uint16_t)v);
    case TYPE_bf16:
        return (double)ptx_from_bf16((uint16_t)v);
    case TYPE_tf32:
        low &= ~0x1fffu;
        /* fall through */
    case TYPE_f32:
        memcpy(&f, &low, sizeof(f));
        return (double)f;
    case TYPE_s32:
        return (int32_t)v;
    case TYPE_s8:
        return (int8_t)v;
    case TYPE_s4:
        return (int)(v ^ 8) - 8;
    default:
        return (double)v;
    }
}

struct product {
    double a[ROWS][DEPTH], b[DEPTH][COLUMNS], c[ROWS][COLUMNS];
    unsigned depth, n_a, n_b, n_c; /* registers */
    enum ptx_type d_type, a_type, b_type, c_type;
};

static void
read_lane(struct product *p, const struct ptx_thread *t, const struct ptx_insn *i)
{
    unsigned group = t->lane / 4, place = t->lane % 4, e = 32u / ptx_bits[p->a_type],
             at = i->n_results, each = 4 / p->n_c;

    for (unsigned q = 0; q < p->n_a; q++)
        for (unsigned n = 0; n < e; n++)
            p->a[group + 8 * (q & 1)][4 * e * (q >> 1) + e * place + n] =
                item_of(p->a_type, IN(at + q), n);
    at += p->n_a;
    for (unsigned q = 0; q < p->n_b; q++)
        for (unsigned n = 0; n < e; n++)
            p->b[4 * e * q + e * place + n][group] = item_of(p->b_type, IN(at + q), n);
    at += p->n_b;
    for (unsigned n = 0; n < 4; n++)
        p->c[group + 8 * (n >> 1)][2 * place + (n & 1)] =
            item_of(p->c_type, IN(at + n / each), n % each);
}

static uint64_t
out(enum ptx_type type, double v)
{
    float f = (float)v;
    uint32_t low;

    if (type == TYPE_s32)
        return (uint32_t)(int64_t)v;
    if (type == TYPE_f16)
        return ptx_to_half(v, ROUND_NEAREST);
    memcpy(&low, &f, sizeof(low));
    return low;
}

static void
write_lane(const struct product *p, struct ptx_thread *t, const struct ptx_insn *i)
{
    unsigned group = t->lane / 4, place = t->lane % 4, each = 4u / i->n_results;

    for (unsigned q = 0; q < i->n_results; q++)
        OUT(q) = 0;
    for (unsigned n = 0; n < 4; n++) {
        unsigned row = group + 8 * (n >> 1), column = 2 * place + (n & 1);
        double sum = p->c[row][column];

        for (unsigned k = 0; k < p->depth; k++)
            sum += p->a[row][k] * p->b[k][column];
        OUT(n / each) |= out(p->d_type, sum) << 16 * (n % each);
    }
}

void
ptx_multiply(struct ptx_thread *lanes, const struct ptx_insn *i)
{
    struct product p = {.depth = i->vector,
                        .d_type = (enum ptx_type)i->types[0],
                        .a_type = (enum ptx_type)i->types[1],
                        .b_type = (enum ptx_type)i->types[2],
                        .c_type = (enum ptx_type)i->types[3]};
    unsigned e = p.a_type ? 32u / ptx_bits[p.a_type] : 1;

    p.n_a = p.depth / (4 * e) * 2;
    p.n_b = p.depth / (4 * e);
    p.n_c = p.c_type == TYPE_f16 ? 2 : 4;
    if (i->n != i->n_results + p.n_a + p.n_b + p.n_c || !p.n_a || !i->n_results) {
        ptx_fault(lanes, i, 719, "mma of a shape that is not known");
        return;
    }
    for (unsigned k = 0; k < PTX_WARP; k++)
        read_lane(&p, &lanes[k], i);
    for (unsigned k = 0; k < PTX_WARP; k++)
        write_lane(&p, &lanes[k], i);
}

/* Lane r of eight gives the address of a matrix's row r; register m of lane k holds two items of
 * row k / 4 of matrix m, or of column k / 4. */
void
ptx_tile(struct ptx_thread *lanes, const struct ptx_insn *i)
{
    unsigned n = i->vector ? i->vector : 1;
    uint16_t items[4][8][8];

    for (unsigned r = 0; r < 8 * n; r++) {
        struct ptx_thread *t = &lanes[r];
        const void *row =
            ptx_reach(t, i, (enum ptx_space)i->space, IN(n) + (uint64_t)i->offset, 16);

        if (!row)
            return;
        memcpy(items[r / 8][r % 8], row, 16);
    }
    for (unsigned k = 0; k < PTX_WARP; k++) {
        struct ptx_thread *t = &lanes[k];

        for (unsigned m = 0; m < n; m++) {
            unsigned row = k / 4, at = 2 * (k % 4);
            uint32_t low = i->flags & FLAG_TRANS ? items[m][at][row] : items[m][row][at],
                     high = i->flags & FLAG_TRANS ? items[m][at + 1][row] : items[m][row][at + 1];

            OUT(m) = low | high << 16;
        }
    }
}
