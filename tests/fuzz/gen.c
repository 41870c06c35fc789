/* SPDX-License-Identifier: MIT */
/* gen FIRST [COUNT]: prints a HIP program that runs COUNT random kernels over fuzz.h, one for each
 * seed.
 *
 * A kernel is a random sequence of a block's steps (barriers, exchanges through LDS, shuffles,
 * votes, LDS atomics, threads that leave) under random uniform control flow, and of functors of
 * random divergent control flow (all arithmetic unsigned, every loop bounded, every index reduced)
 * over scalars, arrays and elements of odd size.
 * Its seed alone decides it. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_VARS = 6, N_ARRAY = 8 };

static uint64_t state;
static int indent = 1;
static int loop_depth; /* loops around, for break and continue */
static int n_loops;    /* names of counters */
static int budget;     /* statements left */
static int calls;      /* of the helper left in this functor: it is inlined at each */
static int in_helper;  /* no further calls inside, and a value to return */
static int odd;        /* this program has elements of odd size */
static const char *of; /* the type of a functor's array o, or NULL */

static const char *const elements[] = {
    "uchar3", "char3",  "short3",        "uint3", "Mixed",
    "Bytes5", "Packed", "unsigned char", "short", "unsigned long long"};
enum { N_ELEMENTS = sizeof(elements) / sizeof(elements[0]) };

static unsigned
pick(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 20) % n;
}

static void
line(const char *format, ...)
{
    va_list ap;

    printf("%*s", 4 * indent, "");
    va_start(ap, format);
    vprintf(format, ap);
    va_end(ap);
}

static void
expr(int depth)
{
    static const char *const binary[] = {"+", "-", "*", "&", "|", "^"};
    static const char *const narrow[] = {"unsigned char", "short", "signed char"};

    switch (depth <= 0 ? pick(4) : pick(odd ? 18 : 16)) {
    case 0:
    case 1:
        printf("v%u", pick(N_VARS));
        break;
    case 2:
        printf("%uu", pick(4) ? pick(40) : pick(1u << 30));
        break;
    case 3:
        printf(pick(3) ? "x" : "(unsigned)n");
        break;
    case 4:
        printf("(unsigned)in[(");
        expr(depth - 1);
        printf(") %% (unsigned)n]");
        break;
    case 5:
        printf("((");
        expr(depth - 1);
        printf(") %s ((", pick(2) ? "<<" : ">>");
        expr(depth - 2);
        printf(") & 31))");
        break;
    case 6:
        printf("((");
        expr(depth - 1);
        printf(") %s ((", pick(2) ? "/" : "%");
        expr(depth - 2);
        printf(") | 1u))");
        break;
    case 7:
        printf("((");
        expr(depth - 1);
        printf(") %s (", pick(2) ? "<" : pick(2) ? "==" : "!=");
        expr(depth - 2);
        printf(") ? (");
        expr(depth - 2);
        printf(") : (");
        expr(depth - 2);
        printf("))");
        break;
    case 8:
        printf("a[(");
        expr(depth - 1);
        printf(") & %d]", N_ARRAY - 1);
        break;
    case 9:
        if (!in_helper && calls-- > 0) {
            printf("%s(", pick(4) ? "helper" : "again");
            expr(depth - 2);
            printf(", ");
            expr(depth - 2);
            printf(", n, in)");
            break;
        }
        /* fall through */
    case 10:
        printf("(unsigned)(%s)(", narrow[pick(3)]);
        expr(depth - 1);
        printf(")");
        break;
    case 11:
        printf("(unsigned)((unsigned long long)(");
        expr(depth - 1);
        printf(") * (");
        expr(depth - 2);
        printf(") >> %u)", pick(40));
        break;
    case 16:
        if (of) {
            printf("value(o[(");
            expr(depth - 1);
            printf(") & %d])", N_ARRAY - 1);
            break;
        }
        /* fall through */
    case 17:
        printf("load<%s>(in, n, ", elements[pick(N_ELEMENTS)]);
        expr(depth - 1);
        printf(")");
        break;
    default:
        printf("((");
        expr(depth - 1);
        printf(") %s (", binary[pick(6)]);
        expr(depth - 1);
        printf("))");
        break;
    }
}

static void
condition(void)
{
    static const char *const compare[] = {"<", ">", "==", "!=", "<=", ">="};

    if (pick(3) == 0) {
        printf("(");
        expr(1);
        printf(") & %uu", 1u << pick(5));
        return;
    }
    printf("(");
    expr(2);
    printf(") %s (", compare[pick(6)]);
    expr(1);
    printf(")");
    if (pick(4) == 0) {
        printf(" %s (", pick(2) ? "&&" : "||");
        expr(1);
        printf(") > 7u");
    }
}

static void statements(int depth);

static void
assignment(void)
{
    if (of && pick(3) == 0) {
        line("o[(");
        expr(1);
        printf(") & %d] = element<%s>(", N_ARRAY - 1, of);
        expr(3);
        printf(");\n");
        return;
    }
    if (pick(4) == 0) {
        line("a[(");
        expr(1);
        printf(") & %d] = ", N_ARRAY - 1);
    } else {
        line("v%u %s ", pick(N_VARS), pick(3) ? "=" : pick(2) ? "+=" : "^=");
    }
    expr(3);
    printf(";\n");
}

static void
loop(int depth)
{
    int k = n_loops++;
    unsigned kind = pick(3);

    line("unsigned k%d = 0, e%d = (", k, k);
    expr(1);
    printf(") & %u;\n", 7u);
    if (kind == 0)
        line("for (; k%d < e%d; k%d++) {\n", k, k, k);
    else if (kind == 1)
        line("while (k%d++ < 9u && v%u != e%d) {\n", k, pick(N_VARS), k);
    else
        line("do {\n");
    indent++;
    loop_depth++;
    if (kind == 2)
        line("k%d++;\n", k);
    line("v%u += k%d;\n", pick(N_VARS), k);
    statements(depth - 1);
    loop_depth--;
    indent--;
    if (kind == 2)
        line("} while (k%d < e%d);\n", k, k);
    else
        line("}\n");
}

static void
choice(int depth)
{
    unsigned n = 2 + pick(4);

    line("switch ((");
    expr(2);
    printf(") %% %uu) {\n", n + pick(3));
    for (unsigned k = 0; k < n; k++) {
        line("case %u: {\n", k);
        indent++;
        statements(depth - 1);
        indent--;
        line("}\n");
        if (pick(4))
            line("    break;\n");
    }
    if (pick(2))
        line("default:\n"), line("    v%u += 5u;\n", pick(N_VARS));
    line("}\n");
}

static void
statement(int depth)
{
    unsigned kind = depth <= 0 || budget <= 0 ? pick(4) : pick(14);

    budget--;
    if (kind < 4) {
        assignment();
    } else if (kind < 8) {
        line("if (");
        condition();
        printf(") {\n");
        indent++;
        statements(depth - 1);
        indent--;
        if (pick(2)) {
            line("} else {\n");
            indent++;
            statements(depth - 1);
            indent--;
        }
        line("}\n");
    } else if (kind < 11) {
        if (loop_depth < 3) {
            line("{\n");
            indent++;
            loop(depth);
            indent--;
            line("}\n");
        } else {
            assignment();
        }
    } else if (kind == 11) {
        choice(depth);
    } else {
        line("if (");
        condition();
        if (loop_depth && pick(4))
            printf(")\n%*s%s;\n", 4 * indent + 4, "", pick(3) ? "break" : "continue");
        else if (in_helper)
            printf(")\n%*sreturn v%u;\n", 4 * indent + 4, "", pick(N_VARS));
        else
            printf(")\n%*sreturn;\n", 4 * indent + 4, "");
    }
}

static void
statements(int depth)
{
    unsigned n = 1 + pick(3);

    while (n--)
        statement(depth);
}

/* A helper, and one that calls itself: it stays a function. */
static void
helpers(void)
{
    printf("__host__ __device__ __attribute__((noinline)) static unsigned\n"
           "helper(unsigned x, unsigned y, int n, const int *in)\n{\n");
    in_helper = 1;
    for (int k = 0; k < N_VARS; k++)
        line("[[maybe_unused]] unsigned v%d = %s + %uu;\n", k,
             k & 1 ? "x" : "(unsigned)in[x % (unsigned)n]", pick(50));
    line("[[maybe_unused]] unsigned a[%d];\n", N_ARRAY);
    line("for (unsigned k = 0; k < %d; k++)\n", N_ARRAY);
    line("    a[k] = k * %uu + y;\n", pick(9));
    budget = 6;
    n_loops = 0;
    for (int s = 0; s < 2; s++)
        statement(2);
    line("return v0 ^ v1 * 3u ^ v2 * 5u ^ v3 + a[v4 & %d] ^ v5 * 13u;\n", N_ARRAY - 1);
    printf("}\n\n__host__ __device__ static unsigned\n"
           "again(unsigned x, unsigned y, int n, const int *in)\n{\n");
    line("if (x %% 3u == 0 || y == 0)\n");
    line("    return (unsigned)in[(x ^ y) %% (unsigned)n] + %uu;\n", pick(100));
    line("return (again(x / %uu + y, y / 3u, n, in) ^ y) + x;\n", 2 + pick(3));
    in_helper = 0;
    printf("}\n\n");
}

/* What one thread does between the steps of its block. */
static void
functor(int k, int large)
{
    printf("struct Part%d {\n    __host__ __device__ %svoid\n", k,
           pick(5) ? "" : "__attribute__((noinline)) ");
    line("operator()(Item &s, unsigned t, unsigned u, const Input &p) const\n    {\n");
    indent = 2;
    line("[[maybe_unused]] unsigned x = p.block * p.size + t + u;\n");
    line("[[maybe_unused]] const int n = p.n;\n");
    line("[[maybe_unused]] const int *in = p.in;\n");
    line("[[maybe_unused]] unsigned(&a)[%d] = s.a;\n", N_ARRAY);
    for (int v = 0; v < N_VARS; v++)
        line("[[maybe_unused]] unsigned &v%d = s.v[%d];\n", v, v);
    of = odd ? elements[pick(N_ELEMENTS)] : NULL;
    if (of) {
        line("%s o[%d];\n", of, N_ARRAY);
        line("for (unsigned k = 0; k < %d; k++)\n", N_ARRAY);
        line("    o[k] = element<%s>(a[k] ^ k);\n", of);
    }
    budget = large ? 14 : 4;
    calls = large ? 4 : 2;
    n_loops = 0;
    for (int s = 0; s < (large ? 3 : 2); s++)
        statement(large ? 4 : 2);
    if (of)
        line("v%u ^= value(o[v%u & %d]);\n", pick(N_VARS), pick(N_VARS), N_ARRAY - 1);
    of = NULL;
    indent = 1;
    printf("    }\n};\n\n");
}

static const char *
test(void)
{
    static char text[4][48];
    static int turn;
    char *out = text[turn++ % 4];

    snprintf(out, sizeof(text[0]), "Test{%u, %u, %u}", pick(N_VARS), pick(4), 2 + pick(6));
    return out;
}

static void
shuffle(void)
{
    static const char *const kinds[] = {"SHUFFLE_XOR", "SHUFFLE_UP", "SHUFFLE_DOWN",
                                        "SHUFFLE_INDEX"};
    unsigned width = 1u << (1 + pick(5));

    line("b.shuffle(%s, %s, %u, %u, %u, %u, %s);\n", kinds[pick(4)], pick(3) ? "false" : "true",
         pick(N_VARS), pick(N_VARS), pick(width), width, test());
}

/* A sequence of steps; `n_parts` functors are there to be called. */
static void
steps(int depth, int n_parts)
{
    static const char *const kinds[] = {"REDUCE_ADD", "REDUCE_XOR", "REDUCE_OR", "REDUCE_MAX",
                                        "REDUCE_MIN"};
    unsigned n = 2 + pick(2);

    for (unsigned s = 0; s < n; s++) {
        switch (pick(depth > 0 ? 12 : 9)) {
        case 0:
        case 1:
            if (odd && pick(2))
                line("b.template pass<%s>", elements[pick(N_ELEMENTS)]);
            else
                line("b.exchange");
            printf("(%u, %u, %u, %u);\n", pick(N_VARS), pick(N_VARS), 1 + pick(9), pick(64));
            break;
        case 2:
            line("b.histogram(%s, %u, %u, %u);\n", kinds[pick(5)], pick(N_VARS), pick(N_VARS),
                 pick(N_VARS));
            break;
        case 3:
            line("b.count(%u, %s);\n", pick(N_VARS), test());
            break;
        case 4:
        case 5:
            shuffle();
            break;
        case 6:
            line("b.ballot(%u, %s, %s);\n", pick(N_VARS), test(), test());
            break;
        case 7:
            line("b.while_any(Part%u(), %s, u);\n", pick((unsigned)n_parts), test());
            break;
        case 8:
            line("b.each(Part%u(), u);\n", pick((unsigned)n_parts));
            break;
        case 9:
        case 10:
            line("for (unsigned k%d = 0; k%d < (u + %uu) %% 4u; k%d++) {\n", depth, depth, pick(64),
                 depth);
            indent++;
            line("u += k%d;\n", depth);
            steps(depth - 1, n_parts);
            if (pick(2))
                line("if (u %% %uu == 1u)\n", 2 + pick(8)), line("    break;\n");
            indent--;
            line("}\n");
            break;
        default:
            line("if ((u + %uu) & 1u) {\n", pick(64));
            indent++;
            steps(depth - 1, n_parts);
            indent--;
            line("} else {\n");
            indent++;
            line("u = u * 3u + 1u;\n");
            if (pick(2))
                steps(depth - 1, n_parts);
            indent--;
            line("}\n");
            break;
        }
    }
}

static void
program(unsigned seed)
{
    int n_parts = 1, large;

    state = seed * 0x9e3779b97f4a7c15u + 88172645463325252u;
    for (int k = 0; k < 4; k++)
        pick(2);
    odd = pick(24) == 0; /* 32 lanes take them byte by byte: much code */
    large = pick(80) == 0; /* what makes programs interesting makes them slow to compile */
    n_parts += (int)pick(large ? 3 : 2);
    printf("namespace program%u {\n", seed);
    helpers();
    for (int k = 0; k < n_parts; k++)
        functor(k, large);
    printf("struct Program {\n    template <typename Block>\n    __host__ __device__ void "
           "operator()(Block &b, unsigned u) const\n    {\n");
    indent = 2;
    line("b.each(Part0(), u);\n");
    steps(large ? 2 : 1, n_parts);
    if (pick(3) == 0) {
        line("if (b.leave(%s))\n", test());
        line("    return;\n");
    }
    steps(large, n_parts);
    line("b.exchange(0, 1, 1, 1);\n");
    indent = 1;
    printf("    }\n};\n}\n\n");
}

int
main(int argc, char **argv)
{
    unsigned first = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 1;
    unsigned count = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 1;

    printf("/* generated by tests/fuzz/gen %u %u */\n#include \"fuzz.h\"\n\n", first, count);
    for (unsigned s = first; s < first + count; s++)
        program(s);
    printf("int\nmain()\n{\n    int failed = 0;\n\n");
    for (unsigned s = first; s < first + count; s++)
        line("failed += !same<program%u::Program>(%u);\n", s, s);
    line("return failed != 0;\n}\n");
    return 0;
}
