/* SPDX-License-Identifier: MIT */
/* Writes a random HIP program that checks itself: one function, compiled for host and device, with nested
 * divergent control flow, loops with break and continue, private arrays, switches and calls. The host's
 * scalar run of it is the oracle for the device's vector run.
 *
 * usage: kernelgen SEED > program.hip */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_INTS = 6, N_FLOATS = 3, N_FUNCS = 2, ARRAY = 8 };

static uint64_t state;
static int budget;     /* statements left to write */
static int loop_depth; /* loops around the current statement */
static int next_loop;
static int func;       /* function being written; may call lower ones */

static uint32_t
rnd(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static void
indent(int depth)
{
    printf("%*s", depth * 4, "");
}

static void int_expr(int depth);

static void
leaf(void)
{
    switch (rnd(8)) {
    case 0:
        printf("%d", (int)rnd(200) - 100);
        break;
    case 1:
        printf("t");
        break;
    case 2:
        printf("n");
        break;
    case 3:
        printf("in[(unsigned)v%u %% 256u]", rnd(N_INTS));
        break;
    case 4:
        printf("arr[(unsigned)v%u %% %du]", rnd(N_INTS), ARRAY);
        break;
    default:
        printf("v%u", rnd(N_INTS));
    }
}

static void
condition(int depth)
{
    static const char *const cmp[] = {"<", ">", "<=", ">=", "==", "!="};

    if (rnd(6) == 0) {
        printf("f%u %s %u.5f", rnd(N_FLOATS), cmp[rnd(4)], rnd(50));
        return;
    }
    printf("(");
    int_expr(depth);
    printf(rnd(2) ? " & 7) %s %u" : " & 31) %s %u", cmp[rnd(6)], rnd(8));
}

static void
int_expr(int depth)
{
    static const char *const ops[] = {"+", "-", "*", "&", "|", "^"};

    if (depth <= 0) {
        leaf();
        return;
    }
    switch (rnd(9)) {
    case 0:
        printf("(int)((unsigned)");
        leaf();
        printf(" >> %u)", rnd(31));
        break;
    case 1:
        printf("(int)((unsigned)(");
        int_expr(depth - 1);
        printf(") << %u)", rnd(8));
        break;
    case 2:
        printf("((");
        condition(depth - 1);
        printf(") ? ");
        int_expr(depth - 1);
        printf(" : ");
        int_expr(depth - 1);
        printf(")");
        break;
    case 3:
        printf("(int)((unsigned)(");
        int_expr(depth - 1);
        printf(") %s ((unsigned)", rnd(2) ? "/" : "%");
        leaf();
        printf(" | 1u))");
        break;
    case 4:
        printf("(int)f%u", rnd(N_FLOATS));
        break;
    default:
        printf("(int)((unsigned)");
        leaf();
        printf(" %s (unsigned)(", ops[rnd(6)]);
        int_expr(depth - 1);
        printf("))");
    }
}

/* Floats stay small and exact, so that contraction cannot tell host from device. */
static void
float_assign(int depth)
{
    indent(depth);
    switch (rnd(3)) {
    case 0:
        printf("f%u = (float)(v%u & 63);\n", rnd(N_FLOATS), rnd(N_INTS));
        break;
    case 1:
        printf("f%u = f%u + 1.0f; if (f%u > 1000.0f) f%u = 3.0f;\n", 0, 0, 0, 0);
        break;
    default:
        printf("f%u = f%u > 8.0f ? f%u - 2.0f : 40.0f;\n", 1, 1, 1);
    }
}

static void statements(int depth, int count);

static void
loop(int depth)
{
    int id = next_loop++;

    indent(depth);
    switch (rnd(3)) {
    case 0:
        printf("for (int l%d = 0; l%d < ((", id, id);
        leaf();
        printf(") & 7); l%d++) {\n", id);
        break;
    case 1:
        printf("for (int l%d = 0; l%d < %u; l%d++) {\n", id, id, rnd(6) + 1, id);
        break;
    default:
        printf("int l%d = 0; do {\n", id);
        loop_depth++;
        statements(depth + 1, 2);
        loop_depth--;
        indent(depth);
        printf("} while (++l%d < 5 && (", id);
        condition(1);
        printf("));\n");
        return;
    }
    loop_depth++;
    statements(depth + 1, 3);
    loop_depth--;
    indent(depth);
    printf("}\n");
}

static void
statement(int depth)
{
    if (--budget < 0 || depth > 6) {
        indent(depth);
        printf("v0 = (int)((unsigned)v0 + %uu);\n", rnd(9));
        return;
    }
    switch (rnd(14)) {
    case 0:
    case 1:
    case 2:
        indent(depth);
        printf("if (");
        condition(2);
        printf(") {\n");
        statements(depth + 1, 3);
        if (rnd(2)) {
            indent(depth);
            printf("} else {\n");
            statements(depth + 1, 2);
        }
        indent(depth);
        printf("}\n");
        break;
    case 3:
    case 4:
        loop(depth);
        break;
    case 5:
        indent(depth);
        if (loop_depth) {
            printf("if (");
            condition(1);
            printf(rnd(2) ? ") break;\n" : ") continue;\n");
        } else {
            printf("if ((v1 & 15) == %u) return v2;\n", rnd(16));
        }
        break;
    case 6:
        indent(depth);
        printf("switch ((unsigned)v%u %% 5u) {\n", rnd(N_INTS));
        for (unsigned c = 0; c < 4; c++) {
            indent(depth);
            printf("case %u: {\n", c);
            statements(depth + 1, 1);
            indent(depth);
            printf("}\n");
            if (rnd(3)) {
                indent(depth + 1);
                printf("break;\n");
            }
        }
        indent(depth);
        printf("default: v3 ^= %u;\n", rnd(99));
        indent(depth);
        printf("}\n");
        break;
    case 7:
        indent(depth);
        printf("arr[(unsigned)v%u %% %du] = ", rnd(N_INTS), ARRAY);
        int_expr(2);
        printf(";\n");
        break;
    case 8:
        float_assign(depth);
        break;
    case 9:
        if (func > 0) {
            indent(depth);
            printf("v%u = helper%u(", rnd(N_INTS), rnd((uint32_t)func));
            leaf();
            printf(", n, in);\n");
            break;
        }
        /* fall through */
    default:
        indent(depth);
        printf("v%u = ", rnd(N_INTS));
        int_expr(3);
        printf(";\n");
    }
}

static void
statements(int depth, int count)
{
    for (int i = (int)rnd((uint32_t)count) + 1; i > 0; i--)
        statement(depth);
}

static void
function(const char *attributes, const char *name, int size)
{
    printf("%s int %s(int t, int n, const int *in)\n{\n", attributes, name);
    for (int i = 0; i < N_INTS; i++)
        printf("    int v%d = (int)((unsigned)t * %uu + %uu);\n", i, rnd(50), rnd(100));
    for (int i = 0; i < N_FLOATS; i++)
        printf("    float f%d = (float)(t & %u);\n", i, 1u << rnd(6));
    printf("    int arr[%d];\n    for (int i = 0; i < %d; i++)\n        arr[i] = (int)((unsigned)t * 3u + (unsigned)i);\n",
           ARRAY, ARRAY);
    budget = size;
    for (int i = 0; i < 8; i++)
        statement(1);
    printf("    int sum = 0;\n    for (int i = 0; i < %d; i++)\n        sum = (int)((unsigned)sum * 31u + (unsigned)arr[i]);\n", ARRAY);
    printf("    return (int)((unsigned)sum");
    for (int i = 0; i < N_INTS; i++)
        printf(" ^ (unsigned)v%d * %uu", i, 2 * rnd(1000) + 1);
    printf(" + (unsigned)(int)(f0 + f1 + f2));\n}\n\n");
}

int
main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: kernelgen SEED > program.hip\n");
        return 2;
    }
    state = strtoull(argv[1], NULL, 0) * 2654435761u + 12345;
    rnd(2);
    printf("// made by kernelgen, seed %s\n#include <hip/hip_runtime.h>\n#include <cstdio>\n\n", argv[1]);
    for (func = 0; func < N_FUNCS; func++) {
        char name[32];
        snprintf(name, sizeof(name), "helper%d", func);
        function(rnd(2) ? "__host__ __device__ __attribute__((noinline)) static"
                        : "__host__ __device__ static inline",
                 name, 6);
    }
    function("__host__ __device__ static", "body", 30);
    printf("__global__ void kernel(const int *in, int *out, int n)\n{\n"
           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n)\n"
           "        out[i] = body(i, n, in);\n}\n\n");
    printf("int main()\n{\n    enum { N = 500 };\n    static int in[256], out[N];\n    int *din, *dout, bad = 0;\n\n"
           "    for (int i = 0; i < 256; i++)\n        in[i] = i * 7919 %% 1000;\n"
           "    if (hipMalloc(&din, sizeof(in)) || hipMalloc(&dout, sizeof(out)))\n        return 2;\n"
           "    (void)hipMemcpy(din, in, sizeof(in), hipMemcpyHostToDevice);\n"
           "    kernel<<<(N + 63) / 64, 64>>>(din, dout, N);\n"
           "    if (hipMemcpy(out, dout, sizeof(out), hipMemcpyDeviceToHost)) {\n        printf(\"kernel failed\\n\");\n        return 1;\n    }\n"
           "    for (int i = 0; i < N && bad < 5; i++)\n        if (out[i] != body(i, N, in)) {\n"
           "            printf(\"thread %%d: %%d, expected %%d\\n\", i, out[i], body(i, N, in));\n            bad++;\n        }\n"
           "    return bad != 0;\n}\n");
    return 0;
}
