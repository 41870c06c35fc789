/* SPDX-License-Identifier: MIT */
/* LLVM's intrinsics of one lane: queries, integers, numbers. A row names the intrinsic, or begins
 * it when it ends in a dot. */
#include "emu_priv.h"

enum {
    I_CTPOP,
    I_CTLZ,
    I_CTTZ,
    I_BSWAP,
    I_BITREVERSE,
    I_FSHL,
    I_FSHR,
    I_UMIN,
    I_UMAX,
    I_SMIN,
    I_SMAX,
    I_ABS,
    I_UADD_SAT,
    I_SADD_SAT,
    I_USUB_SAT,
    I_SSUB_SAT,
    I_USHL_SAT,
    I_SSHL_SAT,
    I_SCMP,
    I_UCMP,
    I_UBFE,
    I_SBFE,
    I_PERM,
    I_ALIGNBYTE,
    I_MUL_U24,
    I_MUL_I24,
    I_MULHI_U24,
    I_MULHI_I24,
    I_SFFBH,
    I_LERP,
    I_MSAD_U8,
    I_SAD_HI_U8,
    I_SAD_U16,
    I_SAD_U8,
};

static u128
reverse(u128 v, unsigned bits, unsigned piece)
{
    u128 r = 0;

    for (unsigned k = 0; k < bits; k += piece)
        r |= (v >> k & emu_ones(piece)) << (bits - piece - k);
    return r;
}

static unsigned
leading_zeros(u128 v, unsigned bits)
{
    unsigned n = 0;

    while (n < bits && !(v >> (bits - 1 - n) & 1))
        n++;
    return n;
}

static unsigned
trailing_zeros(u128 v, unsigned bits)
{
    unsigned n = 0;

    while (n < bits && !(v >> n & 1))
        n++;
    return n;
}

static u128
count_ones(u128 v)
{
    return (u128)(__builtin_popcountll((uint64_t)v) + __builtin_popcountll((uint64_t)(v >> 64)));
}

static u128
clamp_signed(s128 v, s128 a, s128 b, bool subtract, unsigned bits)
{
    s128 highest = (s128)(emu_ones(bits) >> 1), lowest = -highest - 1;

    if (bits == 128) { /* the sum itself overflowed? */
        if (subtract ? (a < 0) != (b < 0) && (v < 0) != (a < 0)
                     : (a < 0) == (b < 0) && (v < 0) != (a < 0))
            return (u128)(a < 0 ? lowest : highest);
        return (u128)v;
    }
    return (u128)(v > highest ? highest : v < lowest ? lowest : v);
}

static u128
byte_of(u128 high, u128 low, unsigned k)
{
    return ((u128)(uint32_t)high << 32 | (uint32_t)low) >> (8 * k) & 255;
}

static u128
permute_bytes(u128 a, u128 b, u128 selector)
{
    u128 r = 0;

    for (unsigned k = 0; k < 4; k++) {
        unsigned s = (unsigned)(selector >> (8 * k) & 255);
        u128 v = s < 8    ? byte_of(a, b, s)
                 : s < 12 ? (byte_of(a, b, 2 * (s - 8) + 1) & 128 ? 255 : 0)
                 : s == 12 ? 0
                           : 255;
        r |= v << (8 * k);
    }
    return r;
}

static u128
integer(int op, u128 a, u128 b, u128 c, unsigned bits)
{
    u128 ones = emu_ones(bits), s;
    s128 x = emu_signed(a, bits), y = emu_signed(b, bits);
    unsigned at, n;

    switch (op) {
    case I_CTPOP:
        return count_ones(a);
    case I_CTLZ:
        return leading_zeros(a, bits);
    case I_CTTZ:
        return trailing_zeros(a, bits);
    case I_BSWAP:
        return reverse(a, bits, 8);
    case I_BITREVERSE:
        return reverse(a, bits, 1);
    case I_FSHL:
    case I_FSHR:
        at = (unsigned)(c % bits);
        if (op == I_FSHL)
            return at ? a << at | b >> (bits - at) : a;
        return at ? b >> at | a << (bits - at) : b;
    case I_UMIN:
        return a < b ? a : b;
    case I_UMAX:
        return a > b ? a : b;
    case I_SMIN:
        return x < y ? a : b;
    case I_SMAX:
        return x > y ? a : b;
    case I_ABS:
        return x < 0 ? -a : a;
    case I_UADD_SAT:
        s = (a + b) & ones;
        return s < a ? ones : s;
    case I_USUB_SAT:
        return a > b ? a - b : 0;
    case I_SADD_SAT:
        return clamp_signed((s128)((u128)x + (u128)y), x, y, false, bits);
    case I_SSUB_SAT:
        return clamp_signed((s128)((u128)x - (u128)y), x, y, true, bits);
    case I_SCMP:
        return x < y ? ~(u128)0 : x > y;
    case I_UCMP:
        return a < b ? ~(u128)0 : a > b;
    case I_UBFE:
    case I_SBFE:
        at = (unsigned)b & 31;
        n = (unsigned)c & 31;
        if (!n)
            return 0;
        if (at + n < 32)
            return op == I_UBFE ? a >> at & emu_ones(n)
                                : (u128)emu_signed(a >> at & emu_ones(n), n);
        return op == I_UBFE ? a >> at : (u128)(x >> at);
    case I_PERM:
        return permute_bytes(a, b, c);
    case I_ALIGNBYTE:
        return (a << 32 | b) >> (8 * (c & 3));
    case I_MUL_U24:
        return (a & 0xffffff) * (b & 0xffffff);
    case I_MUL_I24:
        return (u128)(emu_signed(a & 0xffffff, 24) * emu_signed(b & 0xffffff, 24));
    case I_MULHI_U24:
        return (a & 0xffffff) * (b & 0xffffff) >> 32;
    case I_MULHI_I24:
        return (u128)(emu_signed(a & 0xffffff, 24) * emu_signed(b & 0xffffff, 24) >> 32);
    case I_SFFBH:
        n = leading_zeros(x < 0 ? ~a & ones : a, bits);
        return n == bits ? ones : n;
    case I_LERP:
        for (s = 0, at = 0; at < 32; at += 8)
            s |= ((a >> at & 255) + (b >> at & 255) + (c >> at & 1)) >> 1 << at;
        return s;
    default: /* sums of differences */
        for (s = 0, at = 0, n = op == I_SAD_U16 ? 16 : 8; at < 32; at += n) {
            s128 d = (s128)(a >> at & emu_ones(n)) - (s128)(b >> at & emu_ones(n));
            if (op != I_MSAD_U8 || b >> at & 255) /* a reference of 0 is left out */
                s += (u128)(d < 0 ? -d : d);
        }
        return c + (op == I_SAD_HI_U8 ? s << 16 : s);
    }
}

static void
run_integer(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    unsigned bits = i->from->leaves[0].bits, result_bits = i->type->leaves[0].bits;
    struct view none = {&(const u128){0}, 0, 0};
    struct view v[3];

    for (unsigned k = 0; k < 3; k++)
        v[k] = k < i->n_ops ? emu_view(w, f, i->ops[k]) : none;
    for (unsigned e = 0; e < i->n; e++) {
        u128 *out = emu_put(w, f, i) + (size_t)e * w->lanes;
        EMU_LANES (l, mask)
            out[l] = integer(i->sub, emu_get(v[0], e, (unsigned)l), emu_get(v[1], e, (unsigned)l),
                             emu_get(v[2], e, (unsigned)l), bits) & emu_ones(result_bits);
    }
}

/* {result, whether it overflowed}; + - * unsigned, a s m signed */
static void
run_overflow(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    unsigned bits = i->from->leaves[0].bits;
    struct view va = emu_view(w, f, i->ops[0]), vb = emu_view(w, f, i->ops[1]);
    u128 *out = emu_put(w, f, i), ones = emu_ones(bits);

    if (i->n != 2)
        emu_fail(w, i, "vectors");
    EMU_LANES (l, mask) {
        u128 a = emu_get(va, 0, (unsigned)l), b = emu_get(vb, 0, (unsigned)l), r;
        s128 x = emu_signed(a, bits), y = emu_signed(b, bits), s = 0;
        bool over;

        switch (i->sub) {
        case '+':
            over = __builtin_add_overflow(a, b, &r) || r > ones;
            break;
        case '-':
            over = __builtin_sub_overflow(a, b, &r);
            break;
        case '*':
            over = __builtin_mul_overflow(a, b, &r) || r > ones;
            break;
        case 'a':
            over = __builtin_add_overflow(x, y, &s) || s != emu_signed((u128)s & ones, bits);
            r = (u128)s;
            break;
        case 's':
            over = __builtin_sub_overflow(x, y, &s) || s != emu_signed((u128)s & ones, bits);
            r = (u128)s;
            break;
        default:
            over = __builtin_mul_overflow(x, y, &s) || s != emu_signed((u128)s & ones, bits);
            r = (u128)s;
            break;
        }
        out[l] = r & ones;
        out[w->lanes + l] = over;
    }
}

/* ---- Numbers ---- */

static void
run_number(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view v = emu_view(w, f, i->ops[0]);

    for (unsigned e = 0; e < i->n; e++) {
        u128 *out = emu_put(w, f, i) + (size_t)e * w->lanes;
        EMU_LANES (l, mask)
        out[l] = emu_number_unary(i->extra, emu_get(v, e, (unsigned)l),
                                  (enum kind)i->type->leaves[0].kind);
    }
}

static u128
least_or_most(char op, u128 a, u128 b, enum kind kind)
{
    double x = emu_number_double(a, kind), y = emu_number_double(b, kind);

    if (x != x)
        return b;
    if (y != y)
        return a;
    if (x == y) /* of zeros the minimum is the negative one */
        return (op == '<') == (a > b) ? a : b;
    return (op == '<' ? x < y : x > y) ? a : b;
}

static void
run_numbers(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view va = emu_view(w, f, i->ops[0]), vb = i->n_ops > 1 ? emu_view(w, f, i->ops[1]) : va,
                vc = i->n_ops > 2 ? emu_view(w, f, i->ops[2]) : va;
    enum kind kind = (enum kind)i->type->leaves[0].kind;
    u128 sign = (u128)1 << (i->type->leaves[0].bits - 1);

    for (unsigned e = 0; e < i->n; e++) {
        u128 *out = emu_put(w, f, i) + (size_t)e * w->lanes;

        EMU_LANES (l, mask) {
            u128 a = emu_get(va, e, (unsigned)l), b = emu_get(vb, e, (unsigned)l);

            switch (i->sub) {
            case 'f':
                out[l] = emu_number_fma(a, b, emu_get(vc, e, (unsigned)l), kind);
                break;
            case 'a':
                out[l] = a & ~sign;
                break;
            case 's':
                out[l] = (a & ~sign) | (b & sign);
                break;
            case 'c':
                out[l] = a;
                break;
            default:
                out[l] = least_or_most((char)i->sub, a, b, kind);
                break;
            }
        }
    }
}

static void
run_saturate(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view v = emu_view(w, f, i->ops[0]);

    for (unsigned e = 0; e < i->n; e++) {
        u128 *out = emu_put(w, f, i) + (size_t)e * w->lanes;
        EMU_LANES (l, mask)
        out[l] = emu_number_to_int(emu_get(v, e, (unsigned)l), (enum kind)i->from->leaves[0].kind,
                                   i->type->leaves[0].bits, i->sub == 's');
    }
}

static void
run_class(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view v = emu_view(w, f, i->ops[0]);
    unsigned wanted =
        (unsigned)emu_get(emu_view(w, f, i->ops[1]), 0, (unsigned)__builtin_ctzll(mask));
    enum kind kind = (enum kind)i->from->leaves[0].kind;
    static const unsigned fractions[] = {
        [KIND_HALF] = 10, [KIND_BFLOAT] = 7, [KIND_FLOAT] = 23, [KIND_DOUBLE] = 52};
    unsigned fraction = fractions[kind], bits = emu_number_bits(kind);

    for (unsigned e = 0; e < i->n; e++) {
        u128 *out = emu_put(w, f, i) + (size_t)e * w->lanes;
        EMU_LANES (l, mask) {
            u128 x = emu_get(v, e, (unsigned)l), m = x & emu_ones(fraction),
                 exponent = x >> fraction & emu_ones(bits - 1 - fraction);
            bool negative = x >> (bits - 1) & 1,
                 highest = exponent == emu_ones(bits - 1 - fraction);
            unsigned class;

            if (highest && m)
                class = m >> (fraction - 1) & 1 ? 1 : 0;
            else if (highest)
                class = negative ? 2 : 9;
            else if (exponent)
                class = negative ? 3 : 8;
            else if (m)
                class = negative ? 4 : 7;
            else
                class = negative ? 5 : 6;
            out[l] = wanted >> class & 1;
        }
    }
}

/* ---- Queries ---- */

static void
thread_of(const struct warp *w, unsigned lane, uint32_t out[3])
{
    const uint32_t *t = w->machine->launch->threads;
    uint32_t n = w->number * w->lanes + lane;

    out[0] = n % t[0];
    out[1] = n / t[0] % t[1];
    out[2] = n / t[0] / t[1];
}

static void
run_query(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    u128 *out = emu_put(w, f, i);
    uint32_t thread[3];

    EMU_LANES (l, mask) {
        switch (i->sub) {
        case 0:
        case 1:
        case 2:
            thread_of(w, (unsigned)l, thread);
            out[l] = thread[i->sub];
            break;
        case 3:
        case 4:
        case 5:
            out[l] = w->machine->block[i->sub - 3];
            break;
        case 6:
            out[l] = (uintptr_t)w->machine->implicit;
            break;
        case 7:
            out[l] = (uintptr_t)w->machine->packet;
            break;
        case 8:
            out[l] = (uintptr_t)w->machine->kernarg;
            break;
        default:
            out[l] = w->lanes;
            break;
        }
    }
}

static void
run_space_test(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view v = emu_view(w, f, i->ops[0]);

    EMU_LANES (l, mask)
        emu_put(w, f, i)[l] = ((uint64_t)emu_get(v, 0, (unsigned)l) & 0xffff000000000000u) ==
                              (i->sub ? EMU_PRIVATE_BASE : EMU_LDS_BASE);
}

static void
run_copy(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    emu_copy(w, i, mask, f);
}

static void
run_same(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view v = emu_view(w, f, i->ops[0]);

    for (unsigned e = 0; e < i->n; e++)
        EMU_LANES (l, mask)
            (emu_put(w, f, i) + (size_t)e * w->lanes)[l] = emu_get(v, e, (unsigned)l);
}

static void
run_zero(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    for (unsigned e = 0; e < i->n; e++)
        EMU_LANES (l, mask)
            (emu_put(w, f, i) + (size_t)e * w->lanes)[l] = 0;
}

/* A vector's elements to one. */
static void
run_reduce(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view v = emu_view(w, f, i->ops[0]);
    unsigned bits = i->type->leaves[0].bits;

    EMU_LANES (l, mask) {
        u128 r = emu_get(v, 0, (unsigned)l);
        for (unsigned e = 1; e < i->from->n; e++) {
            u128 x = emu_get(v, e, (unsigned)l);
            r = i->sub == '+'   ? r + x
                : i->sub == '*' ? r * x
                : i->sub == '&' ? r & x
                : i->sub == '|' ? r | x
                : i->sub == '^' ? r ^ x
                                : integer(i->sub - 256, r, x, 0, bits);
        }
        emu_put(w, f, i)[l] = r & emu_ones(bits);
    }
}

static const struct {
    const char *name;
    run_fn *run;
    int sub;
    const char *text;
} table[] = {
    {"llvm.amdgcn.workitem.id.x", run_query, 0, NULL},
    {"llvm.amdgcn.workitem.id.y", run_query, 1, NULL},
    {"llvm.amdgcn.workitem.id.z", run_query, 2, NULL},
    {"llvm.amdgcn.workgroup.id.x", run_query, 3, NULL},
    {"llvm.amdgcn.workgroup.id.y", run_query, 4, NULL},
    {"llvm.amdgcn.workgroup.id.z", run_query, 5, NULL},
    {"llvm.amdgcn.implicitarg.ptr", run_query, 6, NULL},
    {"llvm.amdgcn.dispatch.ptr", run_query, 7, NULL},
    {"llvm.amdgcn.kernarg.segment.ptr", run_query, 8, NULL},
    {"llvm.amdgcn.wavefrontsize", run_query, 9, NULL},
    {"llvm.amdgcn.is.shared", run_space_test, 0, NULL},
    {"llvm.amdgcn.is.private", run_space_test, 1, NULL},
    {"llvm.memcpy.", run_copy, 0, NULL},
    {"llvm.memmove.", run_copy, 0, NULL},
    {"llvm.memset.", run_copy, 0, NULL},
    {"llvm.annotation.", run_same, 0, NULL},
    {"llvm.expect.", run_same, 0, NULL},
    {"llvm.ssa.copy.", run_same, 0, NULL},
    {"llvm.launder.invariant.group.", run_same, 0, NULL},
    {"llvm.strip.invariant.group.", run_same, 0, NULL},
    {"llvm.invariant.start.", run_zero, 0, NULL},
    {"llvm.stacksave.", run_zero, 0, NULL},
    {"llvm.stackrestore.", run_zero, 0, NULL},
    {"llvm.is.constant.", run_zero, 0, NULL},
    {"llvm.ctpop.", run_integer, I_CTPOP, NULL},
    {"llvm.ctlz.", run_integer, I_CTLZ, NULL},
    {"llvm.cttz.", run_integer, I_CTTZ, NULL},
    {"llvm.bswap.", run_integer, I_BSWAP, NULL},
    {"llvm.bitreverse.", run_integer, I_BITREVERSE, NULL},
    {"llvm.fshl.", run_integer, I_FSHL, NULL},
    {"llvm.fshr.", run_integer, I_FSHR, NULL},
    {"llvm.umin.", run_integer, I_UMIN, NULL},
    {"llvm.umax.", run_integer, I_UMAX, NULL},
    {"llvm.smin.", run_integer, I_SMIN, NULL},
    {"llvm.smax.", run_integer, I_SMAX, NULL},
    {"llvm.abs.", run_integer, I_ABS, NULL},
    {"llvm.uadd.sat.", run_integer, I_UADD_SAT, NULL},
    {"llvm.sadd.sat.", run_integer, I_SADD_SAT, NULL},
    {"llvm.usub.sat.", run_integer, I_USUB_SAT, NULL},
    {"llvm.ssub.sat.", run_integer, I_SSUB_SAT, NULL},
    {"llvm.scmp.", run_integer, I_SCMP, NULL},
    {"llvm.ucmp.", run_integer, I_UCMP, NULL},
    {"llvm.amdgcn.ubfe.", run_integer, I_UBFE, NULL},
    {"llvm.amdgcn.sbfe.", run_integer, I_SBFE, NULL},
    {"llvm.amdgcn.perm", run_integer, I_PERM, NULL},
    {"llvm.amdgcn.alignbyte", run_integer, I_ALIGNBYTE, NULL},
    {"llvm.amdgcn.mul.u24.", run_integer, I_MUL_U24, NULL},
    {"llvm.amdgcn.mul.i24.", run_integer, I_MUL_I24, NULL},
    {"llvm.amdgcn.mulhi.u24", run_integer, I_MULHI_U24, NULL},
    {"llvm.amdgcn.mulhi.i24", run_integer, I_MULHI_I24, NULL},
    {"llvm.amdgcn.sffbh.", run_integer, I_SFFBH, NULL},
    {"llvm.amdgcn.sad.u8", run_integer, I_SAD_U8, NULL},
    {"llvm.amdgcn.sad.u16", run_integer, I_SAD_U16, NULL},
    {"llvm.amdgcn.sad.hi.u8", run_integer, I_SAD_HI_U8, NULL},
    {"llvm.amdgcn.msad.u8", run_integer, I_MSAD_U8, NULL},
    {"llvm.amdgcn.lerp", run_integer, I_LERP, NULL},
    {"llvm.uadd.with.overflow.", run_overflow, '+', NULL},
    {"llvm.usub.with.overflow.", run_overflow, '-', NULL},
    {"llvm.umul.with.overflow.", run_overflow, '*', NULL},
    {"llvm.sadd.with.overflow.", run_overflow, 'a', NULL},
    {"llvm.ssub.with.overflow.", run_overflow, 's', NULL},
    {"llvm.smul.with.overflow.", run_overflow, 'm', NULL},
    {"llvm.vector.reduce.add.", run_reduce, '+', NULL},
    {"llvm.vector.reduce.mul.", run_reduce, '*', NULL},
    {"llvm.vector.reduce.and.", run_reduce, '&', NULL},
    {"llvm.vector.reduce.or.", run_reduce, '|', NULL},
    {"llvm.vector.reduce.xor.", run_reduce, '^', NULL},
    {"llvm.vector.reduce.smax.", run_reduce, 256 + I_SMAX, NULL},
    {"llvm.vector.reduce.smin.", run_reduce, 256 + I_SMIN, NULL},
    {"llvm.vector.reduce.umax.", run_reduce, 256 + I_UMAX, NULL},
    {"llvm.vector.reduce.umin.", run_reduce, 256 + I_UMIN, NULL},
    {"llvm.sqrt.", run_number, 0, "sqrt"},
    {"llvm.floor.", run_number, 0, "floor"},
    {"llvm.ceil.", run_number, 0, "ceil"},
    {"llvm.trunc.", run_number, 0, "trunc"},
    {"llvm.rint.", run_number, 0, "rint"},
    {"llvm.nearbyint.", run_number, 0, "nearbyint"},
    {"llvm.round.", run_number, 0, "round"},
    {"llvm.roundeven.", run_number, 0, "roundeven"},
    {"llvm.fma.", run_numbers, 'f', NULL},
    {"llvm.fabs.", run_numbers, 'a', NULL},
    {"llvm.copysign.", run_numbers, 's', NULL},
    {"llvm.canonicalize.", run_numbers, 'c', NULL},
    {"llvm.minnum.", run_numbers, '<', NULL},
    {"llvm.maxnum.", run_numbers, '>', NULL},
    {"llvm.fptosi.sat.", run_saturate, 's', NULL},
    {"llvm.fptoui.sat.", run_saturate, 'u', NULL},
    {"llvm.is.fpclass.", run_class, 0, NULL},
};

run_fn *
emu_find_builtin(struct emu *emu, struct inst *i, const char *name)
{
    (void)emu;
    for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++) {
        size_t n = strlen(table[k].name);

        if (table[k].name[n - 1] == '.' ? strncmp(name, table[k].name, n)
                                        : strcmp(name, table[k].name))
            continue;
        i->sub = table[k].sub;
        i->extra = (void *)(uintptr_t)table[k].text;
        return table[k].run;
    }
    return NULL;
}
