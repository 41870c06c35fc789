/* SPDX-License-Identifier: MIT */
/* warps [--log] FIRST [COUNT]: prints a HIP source with COUNT random kernels over warps.h, one for
 * each seed, for ls-compare (tests/emulator) to run.
 *
 * A kernel is a sequence of steps under uniform control flow (barriers among them, in functions and
 * in cases of switches too) and of statements under divergent control flow: warp operations in
 * branches and loops with several exits, waterfalls, calls through tables of functions and virtual
 * ones, recursion, goto, loops with two entries, lambdas, pointers that may point into any memory,
 * values of 8 to 128 bits, halves and bfloats, vectors, bit-fields, unions, copies of odd sizes,
 * numbers beyond the range of integers, and what only lanes that are off would do wrong.
 *
 * What keeps a program defined: all arithmetic goes through warps.h; each loop is bounded; each
 * index is reduced; a thread writes only what is its own, but between barriers; what several warps
 * share they only change by one commutative atomic operation, whose result nobody uses. Who runs
 * together in a loop with two entries is said by the bitcode that clang made of it. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum group { INTEGER, NUMBER, VECTOR };
static const struct type {
    const char *name;
    enum group group;
    unsigned n_bits; /* of an element */
    unsigned n;
    const char *element;
    int is_signed;
} types[] = {
    {"u32", INTEGER, 32, 1, NULL, 0},   {"i32", INTEGER, 32, 1, NULL, 1},
    {"u64", INTEGER, 64, 1, NULL, 0},   {"i64", INTEGER, 64, 1, NULL, 1},
    {"u8", INTEGER, 8, 1, NULL, 0},     {"i8", INTEGER, 8, 1, NULL, 1},
    {"u16", INTEGER, 16, 1, NULL, 0},   {"i16", INTEGER, 16, 1, NULL, 1},
    {"u128", INTEGER, 128, 1, NULL, 0}, {"i128", INTEGER, 128, 1, NULL, 1},
    {"f32", NUMBER, 32, 1, NULL, 1},    {"f64", NUMBER, 64, 1, NULL, 1},
    {"f16", NUMBER, 16, 1, NULL, 1},    {"b16", NUMBER, 16, 1, NULL, 1},
    {"v2u", VECTOR, 32, 2, "u32", 0},   {"v4u", VECTOR, 32, 4, "u32", 0},
    {"v3b", VECTOR, 8, 3, "u8", 0},     {"v4s", VECTOR, 16, 4, "i16", 1},
    {"v4f", VECTOR, 32, 4, "f32", 1},   {"v2h", VECTOR, 16, 2, "f16", 1},
    {"v8s", VECTOR, 16, 8, "i16", 1},   {"v16b", VECTOR, 8, 16, "u8", 0},
    {"v3f", VECTOR, 32, 3, "f32", 1},   {"v2d", VECTOR, 64, 2, "f64", 1},
    {"v2w", VECTOR, 16, 2, "u16", 0},
};
enum {
    N_TYPES = sizeof(types) / sizeof(types[0]),
    N_SCALARS = 14,
    U32 = 0,
    F32 = 10,
    B16 = 13,
    MAX_VARS = 10
};

static uint64_t state;
static FILE *out;        /* the body of a function, until its names are known */
static int indent;
static unsigned program;
static int logs;         /* a line of the log behind each statement */

/* The function that is being written. */
static struct {
    unsigned types[MAX_VARS], n_vars, array_type;
    int n_counters, n_labels;
    int loops;            /* around, for break and continue */
    int in_switch;        /* break would leave this */
    int returns;          /* in the middle too */
    int label;            /* where a goto may go; -1 = nowhere */
    int label_used;
    int budget;           /* statements */
    int uniform;          /* names of uniform variables may be used */
    int depth;            /* of functions: calls only to lower numbers */
    int calls;
    int is_kernel;
    unsigned n_names, n_lambdas, n_warp_values;
} fn;

/* Functions that exist already. */
enum { MAX_FUNCTIONS = 5 };
static struct {
    unsigned b_type;      /* u32 f(u32 a, B b, const Env &e, Mixed m) */
    int by_value, barrier;
} functions[MAX_FUNCTIONS];
static unsigned n_functions, n_table, n_barrier_table, has_pair, has_class, has_recursion, n_places;

/* A call through a pointer reaches all functions of its type: few kernels of a module share
 * theirs. */
static const char *
more_parameters(const char *type)
{
    static char text[2][128];
    char *out_text = text[type[0] == 'f'];
    int n = 0;

    *out_text = 0;
    for (unsigned k = 0; k < program % 11; k++)
        n += sprintf(out_text + n, ", %s", type);
    return out_text;
}

static unsigned
pick(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 20) % n;
}

static void
put(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vfprintf(out, format, ap);
    va_end(ap);
}

static void
line(const char *format, ...)
{
    va_list ap;

    fprintf(out, "%*s", 4 * indent, "");
    va_start(ap, format);
    vfprintf(out, format, ap);
    va_end(ap);
}

/* ---- Expressions ---- */

static void value(unsigned type, int depth);
static void condition(int depth);

static int
find_var(unsigned type)
{
    unsigned start = pick(fn.n_vars);

    for (unsigned k = 0; k < fn.n_vars; k++)
        if (fn.types[(start + k) % fn.n_vars] == type)
            return (int)((start + k) % fn.n_vars);
    return -1;
}

/* Some variable, made a value of a scalar type. */
static void
converted(unsigned type)
{
    unsigned v = pick(fn.n_vars);
    const struct type *to = &types[type], *from = &types[fn.types[v]];
    char name[32];
    const char *element = from->name;

    snprintf(name, sizeof(name), "v%u", v);
    if (from->group == VECTOR) {
        snprintf(name, sizeof(name), "v%u.s%x", v, pick(from->n));
        element = from->element;
    }
    int number = element[0] == 'f' || element[0] == 'b';
    if (!strcmp(element, to->name))
        put("%s", name);
    else if (to->group == INTEGER && number)
        put(pick(4) ? "to_int<%s>(%s, e.zero)" : "in_range<%s>(%s)", to->name, name);
    else if (to->group == NUMBER && !number && (from->n_bits > 64 || to->n_bits == 16))
        put("(%s)(i16)%s", to->name, name);
    else
        put(number && (to->n_bits == 16) ? "(%s)(f32)%s" : "(%s)%s", to->name, name);
}

static void
leaf(unsigned type)
{
    int v = find_var(type);

    if (v >= 0 && pick(3)) {
        put("v%d", v);
        return;
    }
    if (types[type].group == VECTOR) {
        put("load<%s>(e.in, e.g + %uu)", types[type].name, pick(1000));
        return;
    }
    switch (pick(5)) {
    case 0:
        if (types[type].group == INTEGER)
            put("(%s)%u", types[type].name, pick(3) ? pick(20) : pick(1u << 30));
        else
            put("(%s)%u.%u", types[type].name, pick(100), pick(100));
        return;
    case 1:
        if (types[type].group == INTEGER) {
            static const char *const ids[] = {"e.tid",       "lane()",      "lane()",
                                              "threadIdx.x", "threadIdx.y", "blockIdx.x"};
            put("(%s)%s", types[type].name, ids[pick(6)]);
            return;
        }
        /* fall through */
    default:
        converted(type);
    }
}

static void warp_value(void);

/* Instructions of AMD's. */
static void
bit_field(int depth)
{
    static const char *const three[] = {"ubfe",   "sbfe",    "perm",      "alignbit", "alignbyte",
                                        "sad_u8", "sad_u16", "sad_hi_u8", "lerp",     "msad_u8"};
    static const char *const two[] = {"__umul24", "__mul24",  "__hadd",
                                      "__rhadd",  "__urhadd", "__mulhi"};

    if (pick(3)) {
        put("(u32)__builtin_amdgcn_%s(", three[pick(10)]);
        value(U32, depth - 1);
        put(", ");
        value(U32, depth - 2);
        put(", ");
        value(U32, depth - 2);
        put(")");
    } else {
        put("(u32)%s(", two[pick(6)]);
        value(U32, depth - 1);
        put(", ");
        value(U32, depth - 2);
        put(")");
    }
}

static void
u32_special(int depth)
{
    static const char *const one[] = {"__popc", "__clz", "__ffs", "__brev"};
    static const char *const two[] = {"min", "max", "__umulhi", "__builtin_rotateleft32",
                                      "__uhadd"};

    switch (pick(11)) {
    case 7:
    case 8:
        bit_field(depth);
        return;
    case 9:
        if (depth > 1 && fn.n_warp_values++ < 3) {
            warp_value();
            return;
        }
        put("(u32)small[");
        value(U32, depth - 1);
        put(" & 15u]");
        return;
    case 0:
    case 1:
        put("(u32)%s(", one[pick(4)]);
        value(U32, depth - 1);
        put(")");
        return;
    case 2:
    case 3:
        put("%s(", two[pick(5)]);
        value(U32, depth - 1);
        put(", ");
        value(U32, depth - 2);
        put(")");
        return;
    case 4:
        put("__byte_perm(");
        value(U32, depth - 1);
        put(", ");
        value(U32, depth - 2);
        put(", 0x%u%u%u%uu)", pick(8), pick(8), pick(8), pick(8));
        return;
    case 5:
        put("bits(%s)", pick(2) ? "fs" : "ms");
        return;
    default:
        put("bits(v%u)", pick(fn.n_vars));
        return;
    }
}

static void
integer(unsigned type, int depth)
{
    static const char *const plain[] = {"&", "|", "^"};
    static const char *const fields[] = {"fs.a", "fs.b", "fs.c",    "fs.d", "fs.e",
                                         "fs.f", "ms.a", "ms.b[1]", "ms.d", "ms.e[1]"};
    static const char *const safe[] = {"add", "sub", "mul", "add", "sub", "quo", "rem"};
    const char *t = types[type].name;
    unsigned k;

    switch (pick(type == U32 ? 16 : 13)) {
    case 0:
    case 1:
    case 2:
        k = pick(7);
        if (types[type].n_bits == 128 && (k == 2 || k > 4) && pick(12))
            k = 0; /* much code */
        put("%s<%s>(", safe[k], t);
        value(type, depth - 1);
        put(", ");
        value(type, depth - 1 - (int)pick(2));
        put(")");
        return;
    case 3:
    case 4:
        put("(%s)(", t);
        value(type, depth - 1);
        put(" %s ", plain[pick(3)]);
        value(type, depth - 1);
        put(")");
        return;
    case 5:
        put("%s<%s>(", pick(2) ? "shl" : "shr", t);
        value(type, depth - 1);
        put(", ");
        value(U32, depth - 2);
        put(")");
        return;
    case 6:
        put("load<%s>(e.in, ", t);
        value(U32, depth - 1);
        put(")");
        return;
    case 7:
        put("(");
        condition(depth - 1);
        put(" ? ");
        value(type, depth - 1);
        put(" : ");
        value(type, depth - 2);
        put(")");
        return;
    case 8:
        put("(%s)%s", t, fields[pick(10)]);
        return;
    case 9:
        if (types[fn.array_type].group == INTEGER) {
            put("(%s)arr[", t);
            value(U32, depth - 1);
            put(" & 7]");
            return;
        }
        /* fall through */
    case 10:
        leaf(type);
        return;
    case 12:
        if (types[type].n_bits < 128 && pick(2)) {
            put("(%s)__builtin_elementwise_bitreverse((%s)", t, t);
            value(type, depth - 1);
            put(")");
        } else {
            put("(%s)__builtin_elementwise_%s((%s)", t, pick(2) ? "min" : "max", t);
            value(type, depth - 1);
            put(", (%s)", t);
            value(type, depth - 2);
            put(")");
        }
        return;
    case 11:
        if (types[type].n_bits < 128) {
            put("__builtin_elementwise_%s_sat((%s)", pick(2) ? "add" : "sub", t);
            value(type, depth - 1);
            put(", (%s)", t);
            value(type, depth - 2);
            put(")");
        } else {
            leaf(type);
        }
        return;
    default:
        u32_special(depth);
    }
}

static void
number(unsigned type, int depth)
{
    static const char *const safe[] = {"add", "sub", "mul", "add", "quo"};
    static const char *const one[] = {"sqrt", "floor", "ceil", "trunc", "abs", "rint", "roundeven"};
    const char *t = types[type].name;

    unsigned kind = pick(9);
    if (type == B16 && (kind == 3 || kind == 4 || kind == 8))
        kind = 0;
    switch (kind) {
    case 8: /* of results: no signalling NaNs */
        put("(%s)__builtin_elementwise_%s(add<%s>(", t, pick(2) ? "min" : "max", t);
        value(type, depth - 1);
        put(", (%s)0.5), mul<%s>(", t, t);
        value(type, depth - 2);
        put(", (%s)3))", t);
        return;
    case 0:
    case 1:
    case 2:
        put("%s<%s>(", safe[pick(5)], t);
        value(type, depth - 1);
        put(", ");
        value(type, depth - 1);
        put(")");
        return;
    case 3:
        put("(%s)__builtin_elementwise_%s((%s)", t, one[pick(7)], t);
        value(type, depth - 1);
        put(")");
        return;
    case 4:
        put("(%s)__builtin_elementwise_fma((%s)", t, t);
        value(type, depth - 1);
        put(", (%s)", t);
        value(type, depth - 2);
        put(", (%s)", t);
        value(type, depth - 2);
        put(")");
        return;
    case 5:
        put("(");
        condition(depth - 1);
        put(" ? ");
        value(type, depth - 1);
        put(" : ");
        value(type, depth - 2);
        put(")");
        return;
    case 6:
        put("load<%s>(e.in, ", t);
        value(U32, depth - 1);
        put(")");
        return;
    default:
        leaf(type);
    }
}

static void
vector(unsigned type, int depth)
{
    static const char *const bitwise[] = {"&", "|", "^", "+", "-", "*"};
    int number = types[type].element[0] == 'f', is_signed = types[type].element[0] == 'i';

    switch (pick(7)) {
    case 5:
        put("(");
        value(type, depth - 1);
        put(" %s ", pick(2) ? "<" : "!=");
        value(type, depth - 2);
        put(" ? ");
        value(type, depth - 2);
        put(" : ");
        value(type, depth - 2);
        put(")");
        return;
    case 6:
        if (number) {
            put("__builtin_elementwise_fma(");
            value(type, depth - 1);
            put(", ");
            value(type, depth - 2);
            put(", ");
            value(type, depth - 2);
            put(")");
        } else {
            put("__builtin_elementwise_%s(", pick(2) ? "max" : pick(2) ? "add_sat" : "sub_sat");
            value(type, depth - 1);
            put(", ");
            value(type, depth - 2);
            put(")");
        }
        return;
    case 0:
    case 1:
        put("(");
        value(type, depth - 1);
        put(" %s ", bitwise[number ? 3 + pick(3) : pick(is_signed ? 3 : 6)]);
        value(type, depth - 1);
        put(")");
        return;
    case 2:
        put("%s{", types[type].name);
        for (unsigned k = 0; k < types[type].n; k++) {
            put("%s(%s)", k ? ", " : "", types[type].element);
            for (unsigned s = 0; s < N_SCALARS; s++)
                if (!strcmp(types[s].name, types[type].element))
                    value(s, depth - 2);
        }
        put("}");
        return;
    case 3:
        if (types[type].n == 4) {
            put("(");
            value(type, depth - 1);
            put(").%s", pick(2) ? "wzyx" : "yxwz");
            return;
        }
        /* fall through */
    default:
        leaf(type);
    }
}

static void
value(unsigned type, int depth)
{
    if (depth <= 0)
        leaf(type);
    else if (types[type].group == INTEGER)
        integer(type, depth);
    else if (types[type].group == NUMBER)
        number(type, depth);
    else
        vector(type, depth);
}

static unsigned
any_scalar(void)
{
    return pick(3) ? U32 : pick(N_SCALARS);
}

static void
condition(int depth)
{
    static const char *const compare[] = {"<", ">", "==", "!=", "<=", ">="};
    unsigned type = any_scalar();

    switch (pick(11)) {
    case 6:
    case 7:
        put("%sq%u", pick(2) ? "!" : "", pick(2));
        return;
    case 8:
        if (depth > 0 && fn.n_warp_values++ < 4) {
            static const char *const votes[] = {"__any(", "__all(", "!__any(", "(__ballot("};
            unsigned k = pick(4);
            put("%s", votes[k]);
            condition(0);
            put(k == 3 ? ") >> %u & 1)" : ")", pick(32));
            return;
        }
        /* fall through */
    case 9:
        put("((e.tid / warpSize %s %uu) != 0)", pick(2) ? "^" : "&", pick(4));
        return;
    case 0:
        put("((");
        value(U32, 1);
        put(") & %uu)", 1u << pick(5));
        return;
    case 1:
        put("(lane() %s %uu)", compare[pick(6)], pick(40));
        return;
    case 2:
        put("((");
        value(U32, 1);
        put(") %% %uu == %uu)", 2 + pick(6), pick(3));
        return;
    case 3:
        if (depth > 1) {
            put("(");
            condition(depth - 2);
            put(" %s ", pick(2) ? "&&" : "||");
            condition(depth - 2);
            put(")");
            return;
        }
        /* fall through */
    default:
        put("(");
        value(type, depth - 1);
        put(" %s ", compare[pick(6)]);
        value(type, depth - 1);
        put(")");
    }
}

/* ---- Warp operations ---- */

static void
any_value(const char *name)
{
    put("(%s)", name);
    for (unsigned s = 0; s < N_SCALARS; s++)
        if (!strcmp(types[s].name, name))
            value(s, 1);
}

/* An expression of u32 in which lanes speak to each other. */
static void
warp_value(void)
{
    static const char *const exchanged[] = {"u32", "i32", "f32", "f64", "u64", "i64"};
    static const unsigned patterns[] = {0x041f,        0x081f, 0x101f,        0x8000 | 0xb1,
                                        0x8000 | 0x1b, 0x0018, 0x0200 | 0x1c, 0x401f};
    static const unsigned controls[] = {0xb1,  0x4e,  0x1b,  0x00,  0x101, 0x102, 0x10f,
                                        0x111, 0x112, 0x118, 0x121, 0x128, 0x140, 0x141};
    static const char *const counts[] = {"__popcll(%s)", "__ffsll(%s)", "__clzll((long long)%s)",
                                         "rank(%s)"};
    unsigned width = 1u << (1 + pick(5)), kind = pick(13);
    char text[64];

    switch (kind) {
    case 0:
    case 1:
    case 2:
    case 3: {
        static const char *const names[] = {"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor"};
        put("bits(%s(", names[kind]);
        any_value(exchanged[pick(6)]);
        put(", (int)(");
        value(U32, 1);
        put(" & %uu)", width - 1);
        put(pick(2) ? ", %u))" : "))", width);
        return;
    }
    case 4:
    case 5:
        snprintf(text, sizeof(text), counts[pick(4)], "(unsigned long long)__ballot(%)");
        for (const char *c = text; *c; c++)
            if (*c == '%')
                condition(1);
            else
                put("%c", *c);
        return;
    case 6:
        put("(u32)%s(", pick(2) ? "__any" : "__all");
        condition(1);
        put(")");
        return;
    case 7:
        put("(u32)__builtin_amdgcn_readfirstlane((int)");
        value(U32, 1);
        put(")");
        return;
    case 8:
        put("read_last(");
        value(U32, 1);
        put(")");
        return;
    case 9:
        put("dpp<0x%x, %u, %u, %s>(", controls[pick(14)], pick(3) ? 15 : pick(16),
            pick(3) ? 15 : pick(16), pick(2) ? "true" : "false");
        value(U32, 1);
        put(", ");
        value(U32, 1);
        put(")");
        return;
    case 10:
        put("swizzle<0x%x>(", patterns[pick(8)]);
        value(U32, 1);
        put(")");
        return;
    case 11:
        put("(u32)__popcll(match(");
        value(U32, 1);
        put(" & %uu))", (1u << (1 + pick(3))) - 1);
        return;
    default:
        put("rank(active())");
        return;
    }
}

/* ---- Statements of other habits ---- */

static void statement(int depth);

static void
nested(int depth)
{
    unsigned n = 1 + pick(3);

    indent++;
    while (n--)
        statement(depth - 1);
    indent--;
}

/* What lanes that are off must not do: divide by zero, shift too far, read beyond an array. */
static void
guarded(void)
{
    static const char *const lists[] = {"e.in", "ctab", "arr", "words", "small", "e.own", "e.ltab"};
    static const unsigned lengths[] = {1024, 8, 8, 4, 16, 4, 8};
    int x = find_var(U32);
    unsigned k, type;

    switch (pick(9)) {
    case 0:
        type = pick(2) ? U32 : pick(2) ? 2 : 6; /* u32, u64, u16 */
        line("{\n");
        line("    %s n = ", types[type].name);
        value(type, 1);
        put(";\n");
        line("    if (n != 0)\n");
        line("        v%d %s bits((%s)(", x, pick(2) ? "+=" : "=", types[type].name);
        value(type, 1);
        put(" %s n));\n", pick(2) ? "/" : "%");
        line("}\n");
        return;
    case 1:
        line("{\n");
        line("    u32 n = v%d & %uu;\n", x, pick(2) ? 63 : 255);
        line("    if (n < 32u)\n");
        line("        v0 %s v%d %s n;\n", pick(2) ? "^=" : "=", find_var(U32),
             pick(2) ? "<<" : ">>");
        line("}\n");
        return;
    case 2:
    case 3:
        k = pick(7);
        line("{\n");
        line("    u32 n = ");
        value(U32, 2);
        put(";\n");
        line("    if (n < %uu)\n", lengths[k]);
        if (k == 2 || pick(3))
            line("        v%d += bits(%s[n]);\n", x, lists[k]);
        else
            line("        v%d = bits(%s[%uu - n]);\n", x, lists[k], lengths[k] - 1);
        line("}\n");
        return;
    case 4:
        line("{\n");
        line("    i32 n = (i32)(");
        value(U32, 2);
        put(");\n");
        line("    if (n > -%u && n < %u)\n", 1 + pick(1200), 1 + pick(1200));
        line("        v%d ^= (u32)(n * n * %u - n);\n", x, pick(1000));
        line("}\n");
        return;
    case 5:
        line("{\n");
        line("    const u32 *p = ");
        condition(1);
        put(" ? &%s[v%d & 3u] : nullptr;\n", lists[pick(2) ? 0 : 5], x);
        if (pick(2)) {
            line("    if (!p && ");
            condition(1);
            put(")\n");
            line("        p = e.ltab;\n");
        }
        line("    if (p)\n");
        line("        v%d += *p;\n", x);
        line("}\n");
        return;
    case 6:
        line("if (v%d) {\n", x);
        line("    v0 += (u32)__builtin_c%cz(v%d) * 3u;\n", pick(2) ? 'l' : 't', x);
        line("}\n");
        return;
    case 7:
        line("{\n");
        line("    u32 n = ");
        value(U32, 1);
        put(" & 7u;\n");
        line("    switch (n) {\n");
        for (k = 0; k < 8; k++)
            line("    case %u: v%d %s %uu; break;\n", k, x, k & 1 ? "^=" : "+=", pick(1u << 20));
        line("    default: __builtin_unreachable();\n");
        line("    }\n");
        line("}\n");
        return;
    default:
        line("{\n");
        line("    f32 f = clean((f32)");
        converted(F32);
        put(");\n");
        line("    if (f > -%u.0f && f < %u.0f)\n", 1 + pick(2) * pick(1000), 1 + pick(100));
        line("        v%d += (u32)words[(i32)f & 3] + (u32)(i32)f;\n", x);
        line("}\n");
        return;
    }
}

/* A variable without a value where it is not used. */
static void
uninitialised(int depth)
{
    int loops = fn.loops;
    unsigned id = ++fn.n_names, type = pick(N_TYPES);

    line("{\n");
    indent++;
    line("%s z%u;\n", types[type].name, id);
    line("bool has%u = ", id);
    condition(1);
    put(";\n");
    line("if (has%u)\n", id);
    line("    z%u = ", id);
    value(type, 1);
    put(";\n");
    indent--;
    nested(depth);
    indent++;
    if (pick(2)) {
        line("if (!has%u && ", id);
        condition(1);
        put(") {\n");
        line("    z%u = ", id);
        value(type, 1);
        put(";\n");
        line("    has%u = true;\n", id);
        line("}\n");
    }
    line("if (has%u)\n", id);
    line("    v%d += bits(z%u);\n", find_var(U32), id);
    indent--;
    line("}\n");
    fn.loops = loops;
}

/* Copies and fills of odd sizes, in private memory and in the thread's LDS. */
static void
some_bytes(void)
{
    int x = find_var(U32);

    switch (pick(9)) {
    case 0:
        line("__builtin_memcpy(room + (v%d & 15u), (const u8 *)e.in + (", x);
        value(U32, 1);
        put(" & 2047u), %u);\n", 1 + pick(21));
        return;
    case 1:
        line("__builtin_memset(room + (v%d & 15u), (int)", x);
        value(U32, 1);
        put(", %u);\n", 1 + pick(21));
        return;
    case 2:
        line("__builtin_memmove(room + (v%d & 7u), room + (", x);
        value(U32, 1);
        put(" & 15u), %u);\n", 1 + pick(20));
        return;
    case 3:
        line("__builtin_memset((u8 *)e.%s + (v%d & 3u), (int)v0, %u);\n", pick(2) ? "own" : "mine",
             x, 1 + pick(12));
        return;
    case 4:
        line("__builtin_memcpy((u8 *)e.%s + (v%d & 7u), room + (v0 & 15u), v%d & 7u);\n",
             pick(2) ? "own" : "mine", x, find_var(U32));
        return;
    case 5:
        line("for (u32 k = v%d & 7u, n = v0 & 15u; k < n; k++)\n", x);
        line("    room[k * 2u] = (u8)(room[k] + %uu);\n", pick(99));
        return;
    case 6:
        line("*e.%s %s (u8)", pick(2) ? "byte" : "half", pick(2) ? "+=" : "=");
        value(U32, 1);
        put(";\n");
        return;
    case 7:
        line("v%d += *e.byte * 3u + *e.half;\n", x);
        return;
    default:
        line("{\n");
        line("    %s t;\n", types[pick(N_TYPES)].name);
        line("    __builtin_memcpy(&t, room + (v%d & 15u), sizeof(t));\n", x);
        line("    v%d ^= bits(t);\n", find_var(U32));
        line("}\n");
    }
}

/* Memory under other types; NaNs do not show their bits. */
static void
pun(void)
{
    static const struct {
        const char *name;
        unsigned type, n;
    } parts[] = {{"q", 2, 2}, {"d", 11, 2}, {"w", 0, 4}, {"f", 10, 4},
                 {"h", 6, 8}, {"g", 12, 8}, {"b", 5, 16}};
    unsigned to = pick(7), from = pick(7), n = 1 + pick(3);

    line("{\n");
    line("    Pun pun = {{%uu, v%d}};\n", pick(1u << 30), find_var(U32));
    while (n--) {
        line("    pun.%s[", parts[to].name);
        if (pick(2)) {
            value(U32, 1);
            put(" & %uu", parts[to].n - 1);
        } else {
            put("%u", pick(parts[to].n));
        }
        put("] = %s(", types[parts[to].type].group == NUMBER ? "clean" : "");
        value(parts[to].type, 1);
        put(");\n");
        to = pick(7);
    }
    if (pick(3) == 0)
        line("    pun.v[v0 & 1u] = pun.v[1] + pun.v[0];\n");
    if (pick(4) == 0)
        line("    pun.x = pun.x * 5u + (pun.x >> (v0 & 127u));\n");
    line("    v%d ^= bits(pun.%s[v0 & %uu]);\n", find_var(U32), parts[from].name,
         parts[from].n - 1);
    line("}\n");
}

static void
in_volatile(void)
{
    int x = find_var(U32);

    switch (pick(3)) {
    case 0:
        line("{\n");
        line("    volatile u32 t = v%d;\n", x);
        line("    if (");
        condition(1);
        put(")\n");
        line("        t = t + lane();\n");
        line("    v%d ^= t;\n", x);
        line("}\n");
        return;
    case 1:
        line("((volatile u32 *)e.%s)[v0 & 3u] = v%d;\n", pick(2) ? "own" : "mine", x);
        return;
    default:
        line("v%d += ((volatile u32 *)e.%s)[v0 & 3u];\n", x, pick(2) ? "own" : "mine");
    }
}

/* A function within the function, which uses its variables. */
static void
lambda(int depth)
{
    int loops = fn.loops, in_switch = fn.in_switch, label = fn.label, returns = fn.returns;
    unsigned places = n_places, id = ++fn.n_names;

    line("{\n");
    indent++;
    line("auto act%u = [&](u32 a)%s -> u32 {\n", id, pick(2) ? " __attribute__((noinline))" : "");
    fn.loops = fn.in_switch = 0;
    fn.label = -1;
    fn.returns = 1;
    n_places = 31; /* called from several places */
    indent++;
    line("v%d += a;\n", find_var(U32));
    indent--;
    nested(depth);
    indent++;
    line("return v0 ^ a;\n");
    indent--;
    line("};\n");
    n_places = places;
    fn.loops = loops;
    fn.in_switch = in_switch;
    fn.label = label;
    fn.returns = returns;
    line("v%d += act%u(", find_var(U32), id);
    value(U32, 1);
    put(");\n");
    if (pick(2)) {
        line("if (");
        condition(1);
        put(")\n");
        line("    v%d ^= act%u(v%d);\n", find_var(U32), id, find_var(U32));
    }
    indent--;
    line("}\n");
}

/* A loop that the lanes end together, or in which they count each other. */
static void
vote_loop(int depth)
{
    int c = fn.n_counters++, x = find_var(U32), loops = fn.loops, in_switch = fn.in_switch;

    line("c%d = 0;\n", c);
    switch (pick(6)) {
    case 0:
        line("while (__any(c%d < (v%d & 7u))) {\n", c, x);
        break;
    case 1:
        line("while (!__all(c%d >= (v%d & 7u))) {\n", c, x);
        break;
    case 2:
        line("while (__ballot(c%d < (v%d & 3u) + (lane() & 1u))) {\n", c, x);
        break;
    case 3:
        line("while (__popcll((unsigned long long)__ballot(c%d < (v%d & 7u))) > %u) {\n", c, x,
             pick(5));
        break;
    case 4:
        line("while (u64 here = __ballot(c%d < (v%d & 7u))) {\n", c, x);
        line("    v0 += (u32)(here >> lane()) & 1u;\n");
        break;
    default:
        line("while (c%d < %uu && __popcll((unsigned long long)active()) > %u) {\n", c, 3 + pick(9),
             pick(9));
        break;
    }
    line("    c%d++;\n", c);
    fn.loops++;
    fn.in_switch = 0;
    indent++;
    line("if (c%d > 9u)\n", c);
    line("    break;\n");
    indent--;
    nested(depth);
    fn.loops = loops;
    fn.in_switch = in_switch;
    line("}\n");
}

/* A loop with two entries. */
static void
two_entries(int depth)
{
    int c = fn.n_counters++, n_places_now = (int)n_places;
    unsigned id = ++fn.n_names;

    n_places = 31; /* a piece may be run in two places */
    line("c%d = 0;\n", c);
    line("if (");
    condition(1);
    put(")\n");
    line("    goto m%u;\n", id);
    indent--;
    line("t%u:\n", id);
    indent++;
    line("c%d++;\n", c);
    statement(depth - 1);
    if (pick(3) == 0) {
        line("if (c%d < 4u && ", c);
        condition(1);
        put(")\n");
        line("    goto t%u;\n", id);
    }
    indent--;
    line("m%u:\n", id);
    indent++;
    statement(depth - 1);
    line("if (c%d < %uu && ", c, 2 + pick(3));
    condition(1);
    put(")\n");
    line("    goto t%u;\n", id);
    n_places = (unsigned)n_places_now;
}

/* A vector that a loop carries; one lane reads one element. */
static void
carried(void)
{
    unsigned v = pick(fn.n_vars), c = (unsigned)fn.n_counters++;

    while (types[fn.types[v]].group != VECTOR && pick(8))
        v = pick(fn.n_vars);
    line("for (c%u = 0; c%u < (v0 & %uu); c%u++) {\n", c, c, pick(2) ? 7 : 3, c);
    indent++;
    if (types[fn.types[v]].group == VECTOR) {
        const struct type *t = &types[fn.types[v]];
        line("v%u = ", v);
        value(fn.types[v], 1);
        put(" %c v%u;\n", t->element[0] == 'i' ? '^' : "-+*"[pick(3)], v);
        if (t->n == 4 && pick(2)) {
            line("if (");
            condition(1);
            put(")\n");
            line("    v%u = v%u.yzwx;\n", v, v);
        }
        indent--;
        line("}\n");
        line("v%d += (u32)__builtin_amdgcn_readfirstlane((int)bits(v%u.s%x));\n", find_var(U32), v,
             pick(t->n));
    } else {
        line("v%u = ", v);
        value(fn.types[v], 2);
        put(";\n");
        indent--;
        line("}\n");
    }
}

/* Two pointers that change places. */
static void
ping_pong(void)
{
    static const char *const places[] = {"e.own", "e.mine", "words", "e.own + 1", "words + 2"};
    unsigned c = (unsigned)fn.n_counters++;

    line("{\n");
    line("    u32 *p = %s, *q = %s;\n", places[pick(5)], places[pick(5)]);
    line("    for (c%u = 0; c%u < (", c, c);
    value(U32, 1);
    put(" & 7u); c%u++) {\n", c);
    line("        *p = *q * 3u + v%d;\n", find_var(U32));
    line("        if (");
    condition(1);
    put(") {\n");
    line("            u32 *t = p;\n");
    line("            p = q;\n");
    line("            q = t;\n");
    line("        }\n");
    line("    }\n");
    line("    v%d += *p - *q;\n", find_var(U32));
    line("}\n");
}

/* A loop that counts in a narrow type, or in a wide one. */
static void
narrow_loop(int depth)
{
    static const char *const counters[] = {"u8", "i8", "i16", "u16", "i64", "u64", "i32", "u128"};
    const char *t = counters[pick(8)];
    unsigned id = ++fn.n_names, from = pick(8);
    int loops = fn.loops, in_switch = fn.in_switch;

    line("for (%s i%u = (%s)((v%d & 7u) + %uu); i%u %s (%s)%u; i%u %s) {\n", t, id, t,
         find_var(U32), from, id, pick(2) ? "<" : "<=", t, from + pick(8), id,
         pick(2) ? "++" : "+= 2");
    fn.loops++;
    fn.in_switch = 0;
    indent++;
    line("v%d += (u32)i%u;\n", find_var(U32), id);
    indent--;
    nested(depth);
    fn.loops = loops;
    fn.in_switch = in_switch;
    line("}\n");
}

/* Several threads change what lies in LDS or global memory, by operations whose order means
 * nothing. */
static void
commutative(void)
{
    switch (pick(12)) {
    case 0:
        line("atomicAdd((unsigned long long *)e.shared + 128 + (v0 & 15u), (unsigned long long)");
        value(2, 1);
        put(");\n");
        return;
    case 1:
        line("atomicMin((int *)&e.shared[288 + (v%d & 15u)], (int)", find_var(U32));
        value(1, 1);
        put(");\n");
        return;
    case 2:
        line("atomicMax((unsigned long long *)e.shared + 152 + (v0 & 7u), (unsigned long long)");
        value(2, 1);
        put(");\n");
        return;
    case 3: /* small whole numbers: sums are exact */
        line("atomicAdd((float *)&e.shared[320 + (v%d & 7u)], (float)(v0 & 63u));\n",
             find_var(U32));
        return;
    case 4:
        line("atomicAdd((double *)e.shared + 164 + (v%d & 3u), (double)(v0 & 0xffffu));\n",
             find_var(U32));
        return;
    case 5:
        line("atomicInc(&e.shared[336 + (v0 & 7u)], 1000003u);\n");
        return;
    case 6:
        line("add_in_loop(&e.shared[344 + (v%d & 7u)], v0);\n", find_var(U32));
        return;
    case 7:
        line("atomicSub(&e.shared[352 + (v%d & 7u)], ", find_var(U32));
        value(U32, 1);
        put(");\n");
        return;
    case 8:
        line("atomicAnd((unsigned long long *)e.shared + 180, ~(1ull << (v%d & 63u)));\n",
             find_var(U32));
        return;
    case 9:
        line("__hip_atomic_fetch_%s((int *)&e.shared[%u], (int)v%d, __ATOMIC_%s, "
             "__HIP_MEMORY_SCOPE_%s);\n",
             pick(2) ? "add" : "sub", 368 + pick(4), find_var(U32), pick(2) ? "RELAXED" : "SEQ_CST",
             pick(2) ? "AGENT" : "SYSTEM");
        return;
    case 10:
        line("atomicMax((u32 *)(");
        condition(1);
        put(" ? &e.shared[376] : &e.shared[377]), v%d);\n", find_var(U32));
        return;
    default:
        line("atomicOr((unsigned long long *)e.shared + 190, (unsigned long long)v%d << 13);\n",
             find_var(U32));
    }
}

/* Sums over the warp and other exchanges, by functions. */
static void
reduction(void)
{
    static const char *const sums[] = {"sum_shuffles", "sum_dpp", "sum_lanes",
                                       "scan<u32>",    "in_turn", "sum_lanes"};
    unsigned type = pick(N_TYPES), kind = pick(10), width = 1u << (1 + pick(5));
    int x = find_var(U32);

    switch (kind) {
    case 0:
    case 1:
    case 2:
        line("v%d %s %s(", x, pick(2) ? "+=" : "^=", sums[pick(6)]);
        value(U32, 1);
        put(");\n");
        return;
    case 3:
        line("v%d += bits(scan<%s>(", x, pick(2) ? "u64" : pick(2) ? "i16" : "u128");
        value(U32, 1);
        put("));\n");
        return;
    case 4:
        line("v%d ^= write_lane(", x);
        value(U32, 1);
        put(", v0, v%d);\n", find_var(U32));
        return;
    case 5:
        line("v%d += sent(", x);
        value(U32, 1);
        put(", %uu);\n", pick(32));
        return;
    case 6:
        line("v%d ^= fetched(", x);
        value(U32, 1);
        put(", ");
        value(U32, 1);
        put(");\n");
        return;
    case 7:
        line("v%d += permuted<%s, %s>(v0, ", x, pick(2) ? "true" : "false",
             pick(2) ? "true" : "false");
        value(U32, 1);
        put(", 0x%xu, 0x%xu);\n", pick(1u << 31) * 3u, pick(1u << 31) * 5u);
        return;
    default:
        line("v%d += bits(shuffled((%s)", x, types[type].name);
        value(type, 1);
        put(", %uu, ", pick(4));
        value(U32, 1);
        put(" & %uu, %uu));\n", width - 1, width);
    }
}

static void
flag(void)
{
    line("q%u %s (", pick(2), pick(2) ? "=" : pick(2) ? "^=" : pick(2) ? "|=" : "&=");
    condition(2);
    put(");\n");
}

/* One of those above. */
static void
other_statement(int depth)
{
    switch (pick(depth > 0 && fn.budget > 0 ? 26 : 18)) {
    case 0:
    case 1:
        guarded();
        return;
    case 2:
    case 3:
        some_bytes();
        return;
    case 4:
    case 5:
        pun();
        return;
    case 6:
        in_volatile();
        return;
    case 7:
    case 8:
        carried();
        return;
    case 9:
        ping_pong();
        return;
    case 10:
    case 11:
        commutative();
        return;
    case 12:
    case 13:
    case 14:
    case 15:
        reduction();
        return;
    case 16:
    case 17:
        flag();
        return;
    case 18:
    case 19:
        if (fn.loops < 2)
            vote_loop(depth);
        else
            reduction();
        return;
    case 20:
        if (fn.loops < 2 && fn.n_lambdas++ == 0)
            lambda(depth);
        else
            guarded();
        return;
    case 21:
    case 22:
        uninitialised(depth);
        return;
    case 23:
        if (fn.loops < 2)
            two_entries(depth);
        else
            pun();
        return;
    default:
        if (fn.loops < 2)
            narrow_loop(depth);
        else
            guarded();
        return;
    }
}

/* ---- Statements ---- */

static void
statements(int depth)
{
    unsigned n = 1 + pick(3);

    while (n--)
        statement(depth);
}

static void
assignment(void)
{
    unsigned v = pick(fn.n_vars);
    static const char *const fields[] = {"fs.a", "fs.b", "fs.c",    "fs.d", "fs.e",
                                         "fs.f", "ms.a", "ms.b[2]", "ms.d", "ms.e[0]"};

    switch (pick(9)) {
    case 0:
        line("arr[");
        value(U32, 1);
        put(" & 7] = ");
        value(fn.array_type, 2);
        put(";\n");
        return;
    case 1:
        line("%s = ", fields[pick(10)]);
        value(pick(2) ? U32 : 2, 1);
        put(";\n");
        return;
    case 2:
        if (types[fn.types[v]].group == VECTOR) {
            line("v%u.s%x = (%s)", v, pick(types[fn.types[v]].n), types[fn.types[v]].element);
            for (unsigned s = 0; s < N_SCALARS; s++)
                if (!strcmp(types[s].name, types[fn.types[v]].element))
                    value(s, 1);
            put(";\n");
            return;
        }
        /* fall through */
    default:
        line("v%u = ", v);
        value(fn.types[v], 3);
        put(";\n");
    }
}

/* v0 is u32 in each function. */
static void
warp_statement(void)
{
    static const char *const op[] = {"^=", "+=", "="};

    line("v%d %s ", find_var(U32), op[pick(3)]);
    warp_value();
    put(";\n");
}

/* Of the branches of a warp no order is defined, so that each place in the kernel has a counter of
 * its own, and functions, which may be called from several, only count. */
static void
take_places(void)
{
    const char *how = (program + n_places) % 2 ? "append" : "take";

    if (fn.is_kernel && n_places < 31)
        line("v%d += %s_places(e.counter + %u);\n", find_var(U32), how, n_places++);
    else
        line("%s_places(e.counter + 31);\n", how);
}

static void
waterfall(int depth)
{
    int key = fn.n_counters++, done = fn.n_counters++;
    int loops = fn.loops, in_switch = fn.in_switch;

    line("c%d = v%d & %uu;\n", key, find_var(U32), (1u << (1 + pick(3))) - 1);
    line("c%d = 0;\n", done);
    line("while (!c%d) {\n", done);
    indent++;
    line("u32 first = (u32)__builtin_amdgcn_readfirstlane((int)c%d);\n", key);
    line("if (first == c%d) {\n", key);
    indent++;
    if (pick(2))
        line("c%d = 1;\n", done);
    if (pick(3) == 0)
        take_places();
    else
        warp_statement();
    line("c%d = 1;\n", done);
    if (depth > 1 && pick(3) == 0) {
        fn.loops++;
        fn.in_switch = 0;
        statement(depth - 1);
        fn.loops = loops;
        fn.in_switch = in_switch;
    }
    indent--;
    line("}\n");
    indent--;
    line("}\n");
}

static void
loop(int depth)
{
    int c = fn.n_counters++, loops = fn.loops, in_switch = fn.in_switch;
    unsigned kind = pick(5), most = 2 + pick(5);

    line("c%d = 0;\n", c);
    switch (kind) {
    case 0:
        line("for (; c%d < ((", c);
        value(U32, 1);
        put(") & %uu) && c%d < %uu; c%d++) {\n", 7u, c, most, c);
        break;
    case 1:
        line("while (c%d++ < %uu && ", c, most);
        condition(1);
        put(") {\n");
        break;
    case 2:
        line("do {\n");
        break;
    case 3:
        line("for (u32 end = v0 & 7u; c%d < end; c%d++) {\n", c, c);
        break;
    default:
        line("for (;;) {\n");
        break;
    }
    fn.loops++;
    fn.in_switch = 0;
    indent++;
    if (kind == 2)
        line("c%d++;\n", c);
    if (kind == 4) {
        line("if (++c%d > %uu)\n", c, most);
        line("    break;\n");
    }
    indent--;
    nested(depth);
    if (pick(3) == 0) {
        indent++;
        line("if (");
        condition(1);
        put(")\n");
        line("    %s;\n", pick(3) ? "break" : "continue");
        indent--;
        nested(depth - 1);
    }
    fn.loops = loops;
    fn.in_switch = in_switch;
    if (kind == 2) {
        line("} while (c%d < %uu && ", c, most);
        condition(1);
        put(");\n");
    } else {
        line("}\n");
    }
}

static void
choice(int depth)
{
    unsigned n = 2 + pick(5), sparse = pick(3), in_switch = (unsigned)fn.in_switch;

    line(sparse == 1 ? "switch ((u64)((" : "switch ((");
    value(U32, 2);
    put(sparse == 1 ? ") %% %uu) * 0x100000003ull) {\n"
        : sparse    ? ") %% %uu * 37u) {\n"
                    : ") %% %uu) {\n",
        n + pick(3));
    fn.in_switch = 1;
    for (unsigned k = 0; k < n; k++) {
        if (sparse == 1)
            line("case %lluull: {\n", k * 0x100000003ull);
        else
            line("case %uu: {\n", sparse ? 37 * k : k);
        nested(depth);
        line("}\n");
        if (pick(4))
            line("    break;\n");
    }
    if (pick(2)) {
        line("default:\n");
        line("    v0 += 5u;\n");
    }
    fn.in_switch = (int)in_switch;
    line("}\n");
}

static void
leave_somehow(void)
{
    line("if (");
    condition(1);
    put(")\n");
    unsigned kind = pick(4);
    if (kind == 0 && fn.returns)
        line("    return v0 + %uu;\n", pick(100));
    else if (kind <= 1 && fn.label >= 0) {
        line("    goto l%d;\n", fn.label);
        fn.label_used = 1;
    } else if (fn.loops && (!fn.in_switch || pick(2)))
        line("    %s;\n", fn.in_switch || pick(2) ? "continue" : "break");
    else
        line("    v%d ^= lane();\n", find_var(U32));
}

static void
atomics(void)
{
    static const char *const shared[] = {"atomicAdd(&e.shared[%s & 63u], %s);\n",
                                         "atomicXor(&e.shared[64 + (%s & 63u)], %s);\n",
                                         "atomicMax(&e.shared[128 + (%s & 63u)], %s);\n",
                                         "atomicOr(&e.shared[192 + (%s & 63u)], %s);\n"};
    static const char *const own[] = {"atomicAdd", "atomicExch", "atomicMin", "atomicSub",
                                      "atomicAnd", "atomicXor",  "atomicInc"};
    const char *text;
    int x = find_var(U32);

    switch (pick(5)) {
    case 0:
    case 1:
        text = shared[pick(4)];
        line("%s", "");
        for (int n = 0; *text; text++) {
            if (text[0] == '%' && text[1] == 's') {
                put("(");
                value(U32, n++ ? 2 : 1);
                put(")");
                text++;
            } else {
                put("%c", *text);
            }
        }
        return;
    case 2:
        line("v%d = %s(&e.%s[v0 & 3u], ", x, own[pick(7)], pick(2) ? "own" : "mine");
        value(U32, 1);
        put(");\n");
        return;
    case 3:
        take_places();
        return;
    default:
        line("v%d ^= atomicCAS(&e.own[v0 & 3u], v%d, ", x, find_var(U32));
        value(U32, 1);
        put(");\n");
        return;
    }
}

static void
pointers(void)
{
    static const char *const read[] = {"e.ltab", "e.in", "ctab", "e.own", "e.mine", "words"};
    static const char *const write[] = {"e.own", "e.mine", "words"};
    int x = find_var(U32);

    switch (pick(4)) {
    case 0:
        line("{\n");
        line("    const u32 *tab[4] = {%s, %s, %s, %s};\n", read[pick(6)], read[pick(6)],
             read[pick(6)], read[pick(6)]);
        line("    v%d += tab[", x);
        value(U32, 1);
        put(" & 3u][v0 & 3u];\n");
        line("}\n");
        return;
    case 1:
        line("{\n");
        line("    const u32 *p = ");
        condition(1);
        put(" ? %s : %s;\n", read[pick(6)], read[pick(6)]);
        line("    if (");
        condition(1);
        put(")\n");
        line("        p = %s + 1;\n", read[pick(6)]);
        line("    v%d ^= p[v0 & 1u];\n", x);
        line("}\n");
        return;
    case 2:
        line("{\n");
        line("    u32 *tab[3] = {%s, %s, %s};\n", write[pick(3)], write[pick(3)], write[pick(3)]);
        line("    tab[");
        value(U32, 1);
        put(" %% 3u][v%d & 3u] = ", x);
        value(U32, 1);
        put(";\n");
        line("}\n");
        return;
    default:
        line("{\n");
        line("    u32 *p = ");
        condition(1);
        put(" ? &%s[v%d & 3u] : &%s[1];\n", write[pick(3)], x, write[pick(3)]);
        line("    *p += ");
        value(U32, 1);
        put(";\n");
        line("    v%d += *p;\n", find_var(U32));
        line("}\n");
        return;
    }
}

static void
arguments(unsigned f)
{
    put("(");
    value(U32, 1);
    put(", ");
    value(functions[f].b_type, 1);
    put(", e, ms)");
}

/* A call of a function without a barrier. */
static void
call(void)
{
    int x = find_var(U32);
    unsigned kind = pick(7);

    if (fn.calls-- <= 0) {
        assignment();
        return;
    }
    if (kind == 0 && n_table) {
        line("v%d += %s[", x, pick(2) ? "table" : "ctable");
        value(U32, 1);
        put(" %% %uu](", n_table);
        value(U32, 1);
        put(", v0, e%s);\n", more_parameters("1"));
    } else if (kind == 5 && n_table) { /* each lane gets on in another function */
        unsigned c = (unsigned)fn.n_counters++;
        line("{\n");
        line("    entry f = ");
        condition(1);
        put(" ? t0 : t1;\n");
        line("    for (c%u = 0; c%u < (v0 & 3u); c%u++) {\n", c, c, c);
        line("        v%d ^= f(c%u, v%d, e%s);\n", x, c, find_var(U32), more_parameters("1"));
        line("        if (");
        condition(1);
        put(")\n");
        line("            f = table[v%d %% %uu];\n", x, n_table);
        line("    }\n");
        line("}\n");
    } else if (kind == 6 && has_pair) {
        line("pair = change(");
        if (pick(2)) {
            put("pair, e);\n");
        } else {
            put("Pair{");
            value(2, 1);
            put(", 0.5f, 3, {v%d, 9}}, e);\n", find_var(U32));
        }
        line("v%d += bits(pair);\n", x);
    } else if (kind == 1 && has_class) {
        line("{\n");
        line("    Base base(v0);\n");
        line("    Derived derived(v%d);\n", find_var(U32));
        line("    Base *object = ");
        condition(1);
        put(" ? &base : &derived;\n");
        line("    v%d ^= object->act(", x);
        value(U32, 1);
        put(", e);\n");
        line("}\n");
    } else if (kind == 2 && has_recursion) {
        line("v%d += again(v0 & 3u, ", x);
        value(U32, 1);
        put(", e);\n");
    } else {
        for (unsigned f = n_functions; f-- > 0;)
            if (!functions[f].barrier && pick(2)) {
                line("v%d ^= f%u", x, f);
                arguments(f);
                put(";\n");
                return;
            }
        assignment();
    }
}

static void one_statement(int depth);

static void
statement(int depth)
{
    static unsigned n;

    if (logs)
        line("LOG(%u, v0);\n", ++n);
    one_statement(depth);
}

static void
one_statement(int depth)
{
    unsigned kind = depth <= 0 || fn.budget <= 0 ? pick(9) : pick(22);

    fn.budget--;
    if (pick(5) < 2) {
        other_statement(depth);
        return;
    }
    switch (kind) {
    case 0:
    case 1:
    case 2:
    case 3:
        assignment();
        return;
    case 4:
    case 5:
    case 6:
        warp_statement();
        return;
    case 7:
        atomics();
        return;
    case 8:
        pointers();
        return;
    case 9:
    case 10:
    case 11:
    case 12:
        if (pick(8)) {
            line("if (");
            condition(2);
            put(") {\n");
        } else {
            line("if (__builtin_expect(");
            condition(2);
            put(", %u)) {\n", pick(2));
        }
        nested(depth);
        if (pick(2)) {
            line("} else {\n");
            nested(depth);
        }
        line("}\n");
        return;
    case 13:
    case 14:
    case 15:
        if (fn.loops < 2)
            loop(depth);
        else
            warp_statement();
        return;
    case 16:
        choice(depth);
        return;
    case 17:
        if (fn.loops < 2)
            waterfall(depth);
        else
            warp_statement();
        return;
    case 18:
    case 19:
        leave_somehow();
        return;
    default:
        call();
        return;
    }
}

/* Statements with a label behind them, or with a way back. */
static void
divergent_part(int depth)
{
    int l = fn.n_labels++, back = pick(5) == 0, c = 0;

    if (back) {
        c = fn.n_counters++;
        line("c%d = 0;\n", c);
        indent--;
        line("b%d:\n", l);
        indent++;
        line("c%d++;\n", c);
    }
    fn.label = pick(2) ? l : -1;
    fn.label_used = 0;
    statements(depth);
    statement(depth);
    if (fn.label_used) {
        indent--;
        line("l%d:\n", l);
        indent++;
        line("v0 ^= %uu;\n", pick(100));
    }
    fn.label = -1;
    if (back) {
        line("if (c%d < %uu && ", c, 2 + pick(3));
        condition(1);
        put(")\n");
        line("    goto b%d;\n", l);
    }
}

/* ---- Steps of a block ---- */

/* The block's threads leave values of a type and take others'; neighbours' may lie in one word. */
static void
typed_exchange(void)
{
    static const unsigned usual[] = {0, 4, 5, 6, 7, 12, 2, 11, 13};
    unsigned type = usual[pick(9)];
    const char *t = types[type].name, *place = pick(2) ? "lds" : "dyn";

    line("((%s *)e.%s)[e.tid] = %s(", t, place, types[type].group == NUMBER ? "clean" : "");
    value(type, 2);
    put(");\n");
    line("__syncthreads();\n");
    line("v%d += bits(((%s *)e.%s)[(e.tid + (", find_var(U32), t, place);
    value(U32, 1);
    put(")) %% e.n_threads]);\n");
    line("__syncthreads();\n");
}

static void
exchange(void)
{
    if (pick(3) == 0) {
        typed_exchange();
        return;
    }
    if (pick(4) == 0) {
        static const char *const op[] = {"Add", "Xor", "Or", "Max", "And", "Min"};
        unsigned k = pick(6);
        line("atomic%s(&e.acc[%u + (v%d & 1u)], ", op[k], 2 * k, find_var(U32));
        value(U32, 2);
        put(");\n");
        line("__syncthreads();\n");
        line("v%d += e.acc[%u];\n", find_var(U32), 2 * k + pick(2));
        line("__syncthreads();\n");
        return;
    }
    line("e.lds[e.tid] = ");
    value(U32, 2);
    put(";\n");
    line("__syncthreads();\n");
    line("v%d += e.lds[(e.tid + (", find_var(U32));
    value(U32, 1);
    put(")) %% e.n_threads];\n");
    line("__syncthreads();\n");
}

static void
step(int depth)
{
    int c;

    switch (pick(depth > 0 ? 15 : 8)) {
    case 0:
        exchange();
        return;
    case 1:
        line("u = u * %uu + %uu;\n", 1 + 2 * pick(9), pick(64));
        exchange();
        return;
    case 2:
        if (n_barrier_table && fn.is_kernel && pick(2)) {
            line("v%d += %s[(u + %uu) %% %uu](", find_var(U32), pick(2) ? "btable" : "bctable",
                 pick(64), n_barrier_table);
            value(U32, 1);
            put(", u, e%s);\n", more_parameters("5"));
            return;
        }
        for (unsigned f = n_functions; f-- > 0;)
            if (functions[f].barrier) {
                line("v%d ^= f%u", find_var(U32), f);
                arguments(f);
                put(";\n");
                return;
            }
        /* fall through */
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
        divergent_part(3);
        return;
    case 12: /* leaves or goes on in the midst of a loop, out of a switch too */
    case 13:
        c = fn.n_counters++;
        line("c%d = 0;\n", c);
        line("while (c%d++ < (u + %uu) %% 5u) {\n", c, pick(64));
        indent++;
        line("u = u * 3u + c%d;\n", c);
        step(depth - 1);
        line("switch (u & 3u) {\n");
        line("case %uu:\n", pick(2));
        indent++;
        step(depth - 2);
        indent--;
        if (pick(2))
            line("    continue;\n");
        line("case 2u:\n");
        indent++;
        step(depth - 2);
        indent--;
        line("    break;\n");
        if (pick(2)) {
            line("default:\n");
            line("    v0 += u;\n");
        }
        line("}\n");
        if (pick(2))
            step(depth - 2);
        indent--;
        line("}\n");
        return;
    case 14:
        line("if (u & %uu) {\n", 1u << pick(4));
        indent++;
        line("v0 += (u32)__syncthreads_%s((int)(", pick(2) ? "count" : pick(2) ? "or" : "and");
        condition(1);
        put("));\n");
        indent--;
        line("}\n");
        return;
    case 8:
        c = fn.n_counters++;
        line("for (c%d = 0; c%d < (u + %uu) %% 4u; c%d++) {\n", c, c, pick(64), c);
        indent++;
        line("u += c%d;\n", c);
        step(depth - 1);
        if (pick(2)) {
            line("if (u %% %uu == 1u)\n", 2 + pick(8));
            line("    break;\n");
        }
        step(depth - 1);
        indent--;
        line("}\n");
        return;
    case 9:
        line("switch ((u + %uu) %% 3u) {\n", pick(64));
        for (int k = 0; k < 3; k++) {
            line("case %du: {\n", k);
            indent++;
            step(depth - 1);
            indent--;
            line("}\n");
            if (pick(3))
                line("    break;\n");
        }
        line("}\n");
        return;
    default:
        line("if ((u + %uu) & 1u) {\n", pick(64));
        indent++;
        step(depth - 1);
        indent--;
        if (pick(2)) {
            line("} else {\n");
            indent++;
            step(depth - 1);
            indent--;
        }
        line("}\n");
        return;
    }
}

/* ---- Functions ---- */

static void
start_function(int budget, int calls)
{
    memset(&fn, 0, sizeof(fn));
    fn.n_vars = 4 + pick(5);
    for (unsigned k = 1; k < fn.n_vars; k++)
        fn.types[k] = pick(4) == 0 ? U32 : pick(N_TYPES);
    fn.array_type = pick(3) ? U32 : pick(N_SCALARS);
    fn.label = -1;
    fn.budget = budget;
    fn.calls = calls;
}

/* Prints what the text of a body needs in front of it, and the text. */
static void
declarations(const char *text)
{
    for (unsigned k = 0; k < fn.n_vars; k++)
        printf("    %s v%u = load<%s>(e.in, e.g * 4u + %uu);\n", types[fn.types[k]].name, k,
               types[fn.types[k]].name, pick(1000));
    printf("    Fields fs = {%u, %d, %u, %u, 1, false};\n", pick(32), (int)pick(1000), pick(60000),
           pick(100000));
    printf("    %s arr[8];\n", types[fn.array_type].name);
    printf("    u32 words[4] = {v0, e.g, 3, 4};\n");
    printf("    u8 room[40] = {(u8)v0, 1, 2, (u8)e.g};\n");
    printf("    static const u8 small[16] = {%u, %u, 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, %u};\n",
           pick(256), pick(256), pick(256));
    printf("    bool q0 = v0 & 1u, q1 = (e.tid & %uu) != 0;\n", 1 + pick(40));
    printf("    Pair pair = {v0, 1, 2, {3, e.g}};\n");
    for (int k = 0; k < fn.n_counters; k++)
        printf("    u32 c%d;\n", k);
    printf("    for (u32 k = 0; k < 8; k++)\n        arr[k] = (%s)(i16)(v0 + k * %uu);\n",
           types[fn.array_type].name, pick(99));
    printf("%s", text);
}

static void
finish_body(char **text)
{
    fclose(out);
    out = NULL;
    declarations(*text);
    free(*text);
}

static void
write_function(unsigned f)
{
    size_t n;
    char *text;
    int barrier = pick(3) == 0, by_value = (int)pick(2);
    unsigned b = pick(N_TYPES);

    start_function(barrier ? 4 : 6, 1);
    functions[f].b_type = b;
    functions[f].barrier = barrier;
    fn.returns = !barrier;
    out = open_memstream(&text, &n);
    indent = 1;
    line("v0 += a;\n");
    line("v0 ^= bits(b);\n");
    if (barrier)
        line("u32 u = e.uniform + %uu;\n", pick(100));
    if (barrier) {
        step(1);
        exchange();
    } else {
        divergent_part(2);
    }
    line("v0 += room[%u] + room[v0 %% 40u] * 3u + q0 + q1 * 2u + bits(pair);\n", pick(40));
    line("return v0 + bits(v%u) * 3u + bits(fs) + arr_bits(arr) + bits(ms);\n", pick(fn.n_vars));
    printf("%sstatic __device__ u32\nf%u(u32 a, %s b, %s, Mixed ms)\n{\n",
           pick(3) ? "__attribute__((noinline)) " : "", f, types[b].name,
           by_value ? "Env e" : "const Env &e");
    finish_body(&text);
    printf("}\n\n");
    n_functions = f + 1;
}

static void
write_pair(void)
{
    size_t n;
    char *text;

    start_function(3, 0);
    out = open_memstream(&text, &n);
    indent = 1;
    line("pair = p;\n");
    divergent_part(2);
    line("return Pair{bits(v%u) + pair.a, pair.b + 1.0f, (i16)(v0 ^ room[3]), {pair.d.y, "
         "bits(fs)}};\n",
         pick(fn.n_vars));
    printf("%sstatic __device__ Pair\nchange(Pair p, const Env &e)\n{\n    Mixed ms = {1, {e.g, 2, "
           "3}, (f16)4, p.a, {5, 6}};\n",
           pick(2) ? "__attribute__((noinline)) " : "");
    finish_body(&text);
    printf("}\n\n");
    has_pair = 1;
}

/* A function for a table that a block calls as a whole. */
static void
write_barrier_member(unsigned k)
{
    size_t n;
    char *text;

    start_function(4, 0);
    out = open_memstream(&text, &n);
    indent = 1;
    line("v0 += a;\n");
    line("u += %uu;\n", pick(100));
    step(1);
    exchange();
    line("return v0 ^ bits(v%u) ^ arr_bits(arr) ^ room[7];\n", pick(fn.n_vars));
    printf("static __device__ u32\nb%u(u32 a, u32 u, const Env &e%s)\n{\n    Mixed ms = {1, {a, 2, "
           "3}, (f16)4, a, {5, 6}};\n",
           k, more_parameters("double"));
    finish_body(&text);
    printf("}\n\n");
}

static void
write_member(const char *head, const char *extra)
{
    size_t n;
    char *text;

    start_function(3, 0);
    fn.returns = 1;
    out = open_memstream(&text, &n);
    indent = 1;
    line("v0 += a;\n");
    line("%s\n", extra);
    divergent_part(2);
    line("v0 += room[%u] + q0;\n", pick(40));
    line("return v0 ^ bits(v%u) ^ arr_bits(arr);\n", pick(fn.n_vars));
    printf("%s\n{\n    Mixed ms = {1, {a, 2, 3}, (f16)4, a, {5, 6}};\n", head);
    finish_body(&text);
    printf("}\n\n");
}

static void
write_kernel(void)
{
    size_t n;
    char *text;

    start_function(6 + (int)pick(10), 3);
    fn.is_kernel = 1;
    n_places = 0;
    out = open_memstream(&text, &n);
    indent = 1;
    unsigned n_steps = 2 + pick(3);
    for (unsigned k = 0; k < n_steps; k++) {
        step(2);
        if (pick(8) == 0) {
            line("if (");
            condition(1);
            put(") {\n");
            line("    e.mine[7] = v0;\n");
            line("    return;\n");
            line("}\n");
        }
    }
    for (unsigned k = 0; k < fn.n_vars; k++)
        line("out[e.g * OUT_WORDS + %uu] %s bits(v%u);\n", k % 6, k < 6 ? "=" : "+=", k);
    line("out[e.g * OUT_WORDS + 6] = bits(fs) ^ bits(ms) * 3u;\n");
    line("out[e.g * OUT_WORDS + 7] = arr_bits(arr) + words[0] + words[1] * 3u + words[2] * 5u + "
         "words[3] * 7u;\n");
    line("out[e.g * OUT_WORDS + 7] += bits(pair) + q0 + q1 * 2u;\n");
    line("for (u32 k = 0; k < 40; k++)\n");
    line("    out[e.g * OUT_WORDS + 7] = out[e.g * OUT_WORDS + 7] * 31u + room[k];\n");
    line("for (u32 k = 0; k < 4; k++)\n");
    line("    e.mine[4 + k] += e.own[k];\n");
    line("__syncthreads();\n");
    line("e.mine[7] += e.counter[31];\n");
    printf("extern \"C\" __global__ void __launch_bounds__(MAX_THREADS)\nk%u(u32 *out, const u32 "
           "*in, u32 *shared)\n{\n",
           program);
    printf("    __shared__ u32 lds[2 * MAX_THREADS], own[4 * MAX_THREADS], counters[MAX_THREADS];\n"
           "    __shared__ u32 acc[16];\n"
           "    extern __shared__ u32 dyn[];\n"
           "    __shared__ u32 ltab[8];\n"
           "    Env e;\n"
           "    e.n_threads = blockDim.x * blockDim.y * blockDim.z;\n"
           "    e.tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
           "    e.g = blockIdx.x * e.n_threads + e.tid;\n"
           "    e.in = in;\n"
           "    e.shared = shared;\n"
           "    e.lds = lds;\n"
           "    e.own = own + 4 * e.tid;\n"
           "    e.mine = out + e.g * OUT_WORDS + 8;\n"
           "    e.counter = counters + e.tid / warpSize * 32;\n"
           "    e.ltab = ltab;\n"
           "    START_LOG;\n"
           "    u32 u = in[(blockIdx.x * 7 + %uu) & 1023u];\n"
           "    e.uniform = u;\n"
           "    e.acc = acc;\n"
           "    e.dyn = dyn;\n"
           "    e.byte = (u8 *)(shared + 1024) + e.g;\n"
           "    e.half = (u16 *)(shared + 1280) + e.g;\n"
           "    e.zero = shared[SHARED_WORDS - 1];\n"
           "    for (u32 k = e.tid; k < 2 * MAX_THREADS; k += e.n_threads)\n"
           "        lds[k] = dyn[k] = k * 3;\n"
           "    for (u32 k = e.tid; k < 16; k += e.n_threads)\n"
           "        acc[k] = k;\n"
           "    for (u32 k = e.tid; k < MAX_THREADS; k += e.n_threads)\n"
           "        counters[k] = 0;\n"
           "    for (u32 k = 0; k < 4; k++)\n"
           "        e.own[k] = e.tid * k;\n"
           "    for (u32 k = e.tid; k < 8; k += e.n_threads)\n"
           "        ltab[k] = k * %uu;\n"
           "    __syncthreads();\n"
           "    Mixed ms = {3, {e.tid, 1, 2}, (f16)2, 5, {6, 7}};\n",
           pick(1000), pick(1000));
    finish_body(&text);
    printf("}\n}\n\n");
}

static void
write_program(unsigned seed)
{
    program = seed;
    state = seed * 0x9e3779b97f4a7c15u + 88172645463325252u;
    for (int k = 0; k < 4; k++)
        pick(2);
    n_functions = n_table = has_class = has_recursion = n_barrier_table = has_pair = 0;
    printf("namespace p%u {\n__device__ __constant__ u32 ctab[8] = {%u, %u, 3, 4, 5, 6, 7, 8};\n\n",
           seed, pick(100), pick(100));
    if (pick(2)) {
        n_table = 2 + pick(2);
        for (unsigned k = 0; k < n_table; k++) {
            char head[256];
            snprintf(head, sizeof(head), "static __device__ u32\nt%u(u32 a, u32 b, const Env &e%s)",
                     k, more_parameters("float"));
            write_member(head, "v0 ^= b;");
        }
        printf("typedef u32 (*entry)(u32, u32, const Env &%s);\n", more_parameters("float"));
        printf("__device__ entry table[%u] = {", n_table);
        for (unsigned k = 0; k < n_table; k++)
            printf("%st%u", k ? ", " : "", k);
        printf("};\n__constant__ entry ctable[%u] = {", n_table);
        for (unsigned k = n_table; k-- > 0;)
            printf("%st%u", k + 1 < n_table ? ", " : "", k);
        printf("};\n\n");
    }
    if (pick(4) == 0) {
        n_barrier_table = 2;
        for (unsigned k = 0; k < 2; k++)
            write_barrier_member(k);
        printf("typedef u32 (*barrier_entry)(u32, u32, const Env &%s);\n"
               "__device__ barrier_entry btable[2] = {b0, b1};\n"
               "__constant__ barrier_entry bctable[2] = {b1, b0};\n\n", more_parameters("double"));
    }
    if (pick(3) == 0)
        write_pair();
    if (pick(3) == 0) {
        printf("struct Base {\n    u32 x;\n    __device__ Base(u32 y) : x(y) {}\n"
               "    __device__ virtual u32 act(u32 a, const Env &e);\n};\n"
               "struct Derived : Base {\n    __device__ Derived(u32 y) : Base(y * 3u) {}\n"
               "    __device__ u32 act(u32 a, const Env &e) override;\n};\n");
        write_member("__device__ u32\nBase::act(u32 a, const Env &e)", "v0 ^= x;");
        write_member("__device__ u32\nDerived::act(u32 a, const Env &e)", "v0 += x;");
        has_class = 1;
    }
    if (pick(4) == 0) {
        write_member("static __device__ u32\nagain(u32 left, u32 a, const Env &e)",
                     "if (left == 0)\n        return a + e.g;\n    v0 ^= again(left - 1, a * 3u + "
                     "lane(), e);");
        has_recursion = 1;
    }
    unsigned n = pick(3);
    for (unsigned f = 0; f < n; f++)
        write_function(f);
    write_kernel();
}

int
main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--log")) {
        logs = 1;
        argc--;
        argv++;
    }
    unsigned first = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 1;
    unsigned count = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 1;

    printf("/* generated by tests/fuzz/warps %u %u */\n#include \"warps.h\"\n\n", first, count);
    for (unsigned s = first; s < first + count; s++)
        write_program(s);
    return 0;
}
