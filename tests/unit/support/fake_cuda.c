/* SPDX-License-Identifier: MIT */
/* Code of a stand-in for libcuda.so.1 (tests/ptx_driver): a few kernels, known by the word behind
 * "fake:" in what passes for their text. A test that opens it before the runtime looks for the
 * driver gives that its name. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/cuda/text.h"
#include "ptx_driver/ptx.h"

enum { MAX_PARAMS = 4 };

struct call {
    const struct ptx_function *f;
    const uint32_t *grid, *block;
    const char *args;
    uint32_t shared;
};

struct ptx_function {
    struct ptx_module *module;
    int (*run)(const struct call *c);
    uint32_t n_params, args_bytes, max_threads;
    uint32_t param_at[MAX_PARAMS], param_bytes[MAX_PARAMS];
};

struct ptx_module {
    struct ptx_function function;
    uint64_t globals;
    size_t n_globals;
};

#define ARG(type, offset) (*(const type *)(const void *)(c->args + (offset)))

static void *
at(uint64_t address)
{
    struct ptx_piece piece;

    if (!driver_find(address, &piece))
        abort();
    return piece.at + (address - piece.base);
}

static int
run_scale(const struct call *c) /* (float *out, const float *in, float a, int n) */
{
    float *out = at(ARG(uint64_t, 0)), a = ARG(float, 16);
    const float *in = at(ARG(uint64_t, 8));
    size_t n = ARG(uint32_t, 20), threads = (size_t)c->grid[0] * c->block[0];

    for (size_t i = 0; i < n && i < threads; i++)
        out[i] = a * in[i];
    return 0;
}

static int
run_count(const struct call *c) /* (int *runs): adds 1 to that of each block */
{
    int *runs = at(ARG(uint64_t, 0));

    for (unsigned i = 0; i < c->grid[0]; i++)
        __atomic_fetch_add(&runs[i], 1, __ATOMIC_RELAXED);
    return 0;
}

static int
run_await(const struct call *c) /* (int *flag, int *set) */
{
    int *flag = at(ARG(uint64_t, 0)), *set = at(ARG(uint64_t, 8));

    while (!driver_has_left() && !__atomic_load_n(flag, __ATOMIC_ACQUIRE))
        usleep(10);
    if (!driver_has_left())
        __atomic_store_n(set, 1, __ATOMIC_RELEASE);
    return 0;
}

static int
run_fault(const struct call *c)
{
    (void)c;
    return 700;
}

static int
run_vars(const struct call *c) /* (int *out): out[0] = the first variable, which grows by 1 */
{
    uint64_t *globals = at(c->f->module->globals);
    int *var = at(globals[0]);

    *(int *)at(ARG(uint64_t, 0)) = (*var)++;
    return 0;
}

static int
run_row(const struct call *c) /* (int *out): 1, the code for rows; "all" is the other */
{
    *(int *)at(ARG(uint64_t, 0)) = 1;
    return 0;
}

static int
run_all(const struct call *c) /* (int *out): the bytes of stack */
{
    *(int *)at(ARG(uint64_t, 0)) = (int)driver_stack_bytes();
    return 0;
}

static int
run_shared(const struct call *c) /* (int *out): the bytes of shared memory */
{
    *(int *)at(ARG(uint64_t, 0)) = (int)c->shared;
    return 0;
}

static const struct {
    const char *name;
    int (*run)(const struct call *c);
} kernels[] = {{"scale", run_scale}, {"count", run_count}, {"await", run_await},
               {"fault", run_fault}, {"vars", run_vars},   {"shared", run_shared},
               {"row", run_row},     {"all", run_all}};

/* "8 4]": the bytes of each. */
static void
read_params(struct ptx_function *f, const char *text)
{
    for (char *end; f->n_params < MAX_PARAMS && *text != ']'; text = end) {
        uint32_t bytes = (uint32_t)strtoul(text, &end, 10);

        if (end == text)
            abort();
        f->args_bytes = (f->args_bytes + bytes - 1) / bytes * bytes;
        f->param_at[f->n_params] = f->args_bytes;
        f->param_bytes[f->n_params++] = bytes;
        f->args_bytes += bytes;
    }
}

struct ptx_module *
ptx_load(const char *text, uint32_t capability, uint32_t max_registers, char log[PTX_LOG])
{
    const char *name = strstr(text, "fake: "), *regs = strstr(text, "registers: "),
               *args = strstr(text, LS_CUDA_ARGS "["), *globals = strstr(text, LS_CUDA_GLOBALS "[");
    struct ptx_module *m = calloc(1, sizeof(*m));
    uint32_t registers = regs ? (uint32_t)atoi(regs + 11) : 32;

    (void)capability;
    if (max_registers < registers)
        registers = max_registers;
    for (size_t i = 0; name && i < sizeof(kernels) / sizeof(*kernels); i++)
        if (strncmp(name + 6, kernels[i].name, strlen(kernels[i].name)) == 0)
            m->function.run = kernels[i].run;
    if (!m->function.run) {
        strcpy(log, "syntax error in a fake");
        free(m);
        return NULL;
    }
    m->function.module = m;
    if (args)
        read_params(&m->function, args + strlen(LS_CUDA_ARGS "["));
    m->function.max_threads = 65536 / registers / 32 * 32;
    if (m->function.max_threads > 1024)
        m->function.max_threads = 1024;
    m->n_globals = globals ? (size_t)atoi(globals + strlen(LS_CUDA_GLOBALS "[")) : 0;
    m->globals = m->n_globals ? driver_alloc(8 * m->n_globals) : 0;
    return m;
}

void
ptx_unload(struct ptx_module *m)
{
    if (m->globals)
        driver_free(m->globals);
    free(m);
}

struct ptx_function *
ptx_find_kernel(struct ptx_module *m, const char *name)
{
    return strcmp(name, LS_CUDA_KERNEL) == 0 ? &m->function : NULL;
}

bool
ptx_find_variable(const struct ptx_module *m, const char *name, uint64_t *address, size_t *bytes)
{
    *address = m->globals;
    *bytes = 8 * m->n_globals;
    return strcmp(name, LS_CUDA_GLOBALS) == 0 && m->n_globals;
}

struct ptx_facts
ptx_facts_of(const struct ptx_function *f)
{
    return (struct ptx_facts){.max_threads = f->max_threads,
                              .local_bytes = 1,
                              .n_params = f->n_params,
                              .param_at = f->param_at,
                              .param_bytes = f->param_bytes,
                              .args_bytes = f->args_bytes,
                              .registers = 1};
}

int
ptx_run(const struct ptx_function *f, const uint32_t grid[3], const uint32_t block[3],
        uint32_t dynamic_bytes, const void *args, bool all_at_once)
{
    const struct call c = {f, grid, block, args, dynamic_bytes};

    (void)all_at_once;
    return f->run(&c);
}
