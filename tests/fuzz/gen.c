/* SPDX-License-Identifier: MIT */
/* gen SEED: prints a random self-checking HIP program over tests/hip/check.h.
 *
 * Three functors of random control flow run on the device and on the host (all arithmetic unsigned, every
 * loop bounded, every index reduced, so that both are defined), and one kernel of random uniform control
 * flow with barriers whose host twin runs the segments between the barriers thread by thread. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_VARS = 6, N_ARRAY = 8 };

static uint64_t state;
static int indent = 1;
static int loop_depth;       /* loops around, for break and continue */
static int n_loops;          /* names of counters */
static int budget;           /* statements left */
static int in_function;      /* no further calls inside */

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

    switch (depth <= 0 ? pick(4) : pick(14)) {
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
        if (!in_function) {
            printf("helper(");
            expr(depth - 2);
            printf(", ");
            expr(depth - 2);
            printf(", n, in)");
            break;
        }
        /* fall through */
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
        else
            printf(")\n%*sreturn v%u;\n", 4 * indent + 4, "", pick(N_VARS));
    }
}

static void
statements(int depth)
{
    unsigned n = 1 + pick(3);

    while (n--)
        statement(depth);
}

static void
prologue(void)
{
    for (int k = 0; k < N_VARS; k++)
        line("[[maybe_unused]] unsigned v%d = %s + %uu;\n", k, k & 1 ? "x" : "(unsigned)in[x % (unsigned)n]", pick(50));
    line("[[maybe_unused]] unsigned a[%d];\n", N_ARRAY);
    line("for (unsigned k = 0; k < %d; k++)\n", N_ARRAY);
    line("    a[k] = k * %uu + x;\n", pick(9));
}

static void
epilogue(void)
{
    line("for (unsigned k = 0; k < %d; k++)\n", N_ARRAY);
    line("    v0 = v0 * 31u + a[k];\n");
    line("return v0 ^ v1 * 3u ^ v2 * 5u ^ v3 * 7u ^ v4 * 11u ^ v5 * 13u;\n");
}

static void
functor(int k)
{
    printf("MAP(Random%d, unsigned)\n{\n", k);
    line("unsigned x = (unsigned)i;\n");
    prologue();
    budget = 25;
    n_loops = 0;
    for (int s = 0; s < 6; s++)
        statement(4);
    epilogue();
    printf("}\n\n");
}

/* The block program, once for the device and once for the host: the same seed prints the same choices. */
static void
block_steps(int device, int depth)
{
    unsigned n = 2 + pick(2);

    for (unsigned s = 0; s < n; s++) {
        unsigned kind = depth > 0 ? pick(5) : pick(3);
        unsigned a = pick(9) + 1, b = pick(64), c = pick(7) + 1;
        if (kind < 3) {
            if (device) {
                line("if ((v + t) %% %uu != 0)\n", c);
                line("    v = v * %uu + (v >> 3);\n", a);
                line("lds[t] = v;\n");
                line("__syncthreads();\n");
                line("v ^= lds[(t * %uu + %uu) %% size] + u;\n", a, b);
                line("__syncthreads();\n");
            } else {
                line("for (unsigned t = 0; t < size; t++) {\n");
                line("    unsigned &v = all[t];\n");
                line("    if ((v + t) %% %uu != 0)\n", c);
                line("        v = v * %uu + (v >> 3);\n", a);
                line("}\n");
                line("lds = all;\n");
                line("for (unsigned t = 0; t < size; t++)\n");
                line("    all[t] ^= lds[(t * %uu + %uu) %% size] + u;\n", a, b);
            }
        } else if (kind == 3) {
            line("for (unsigned k%d = 0; k%d < (arg + %uu) %% 4u; k%d++) {\n", depth, depth, b, depth);
            indent++;
            line("u += k%d;\n", depth);
            block_steps(device, depth - 1);
            if (pick(2))
                line("if (u %% %uu == 1u)\n", c + 2), line("    break;\n");
            indent--;
            line("}\n");
        } else {
            line("if ((arg + block + %uu) & 1u) {\n", b);
            indent++;
            block_steps(device, depth - 1);
            indent--;
            line("} else {\n");
            indent++;
            line("u = u * 3u + 1u;\n");
            if (pick(2))
                block_steps(device, depth - 1);
            indent--;
            line("}\n");
        }
    }
}

static void
block_program(void)
{
    uint64_t again = state;

    printf("__global__ void\nblock_kernel(unsigned *out, const int *in, unsigned arg)\n{\n");
    line("__shared__ unsigned lds[1024];\n");
    line("unsigned t = local_id(), size = block_threads(), block = blockIdx.x, u = arg + block;\n");
    line("unsigned v = (unsigned)in[global_id()];\n");
    block_steps(1, 2);
    line("out[global_id()] = v;\n}\n\n");
    indent = 1;
    state = again;
    printf("static void\nblock_host(unsigned *out, const int *in, unsigned arg, unsigned block, unsigned size)\n{\n");
    line("std::vector<unsigned> all(size), lds(size);\n");
    line("unsigned u = arg + block;\n");
    line("for (unsigned t = 0; t < size; t++)\n");
    line("    all[t] = (unsigned)in[t];\n");
    block_steps(0, 2);
    line("for (unsigned t = 0; t < size; t++)\n");
    line("    out[t] = all[t];\n}\n\n");
}

int
main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 1;

    state = seed * 0x9e3779b97f4a7c15u + 88172645463325252u;
    printf("/* generated by tests/fuzz/gen %u */\n#include \"check.h\"\n\n", seed);
    printf("__host__ __device__ __attribute__((noinline)) static unsigned\n"
           "helper(unsigned x, unsigned y, int n, const int *in)\n{\n");
    in_function = 1;
    prologue();
    line("v1 += y;\n");
    budget = 8;
    for (int s = 0; s < 2; s++)
        statement(2);
    epilogue();
    printf("}\n\n");
    in_function = 0;
    for (int k = 0; k < 3; k++)
        functor(k);
    block_program();
    printf("int\nmain()\n{\n");
    for (int k = 0; k < 3; k++)
        line("RUN_MAP(Random%d);\n", k);
    line("for (dim3 b : test_shapes(3)) {\n");
    line("    const unsigned t = threads_of(b), blocks = 4, n = t * blocks;\n");
    line("    std::vector<int> in = map_input(n);\n");
    line("    std::vector<unsigned> want(n);\n");
    line("    Dev<int> din(in);\n");
    line("    Dev<unsigned> out(n);\n");
    line("    for (unsigned g = 0; g < blocks; g++)\n");
    line("        block_host(&want[g * t], &in[g * t], %uu, g, t);\n", 5 + seed % 3);
    line("    block_kernel<<<blocks, b>>>(out, din, %uu);\n", 5 + seed % 3);
    line("    check_same(\"block_kernel\", out.get(), want);\n");
    line("}\n");
    line("return 0;\n}\n");
    return 0;
}
