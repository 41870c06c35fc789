/* SPDX-License-Identifier: MIT */
/* PTX text that runs: what the driver's half (driver.c) calls, and what it is asked for. The
 * interpreter does it; and tests/unit/support/fake_cuda.c, which knows a few kernels by a word. */
#ifndef PTX_DRIVER_PTX_H
#define PTX_DRIVER_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PTX_UNITS 4u /* multiprocessors */
#define PTX_LOG   1024u

struct ptx_module;
struct ptx_function;

/* NULL: the text is not understood, and `log` says which line and why. Variables lie in the
 * driver's memory. */
struct ptx_module *ptx_load(const char *text, uint32_t capability, uint32_t max_registers,
                            char log[PTX_LOG]);
void ptx_unload(struct ptx_module *m);
/* NULL: there is no kernel, or variable, of the name. */
struct ptx_function *ptx_find_kernel(struct ptx_module *m, const char *name);
bool ptx_find_variable(const struct ptx_module *m, const char *name, uint64_t *at, size_t *bytes);

struct ptx_facts {
    uint32_t max_threads; /* of a block */
    uint32_t shared_bytes, local_bytes;
    uint32_t n_params;
    const uint32_t *param_at, *param_bytes; /* in the arguments */
    uint32_t args_bytes;
    uint32_t registers;
};
struct ptx_facts ptx_facts_of(const struct ptx_function *f);

/* Runs a grid to its end. Returns a CUresult, and what was wrong is on stderr then. */
int ptx_run(const struct ptx_function *f, const uint32_t grid[3], const uint32_t block[3],
            uint32_t dynamic_bytes, const void *args, bool all_at_once);

/* ---- What it asks the driver for ---- */

/* Memory that a kernel may touch. */
struct ptx_piece {
    uint64_t base;
    size_t bytes;
    char *at; /* where the host finds it */
};
/* The piece that holds the address; false: there is none. */
bool driver_find(uint64_t address, struct ptx_piece *piece);
/* Grows whenever a piece ends. */
unsigned driver_generation(void);
/* Memory of the device; 0: there is none left. */
uint64_t driver_alloc(size_t bytes);
bool driver_free(uint64_t address);
/* Whether the process ends: what runs is to end soon, too. */
bool driver_has_left(void);
/* Of a thread. */
size_t driver_stack_bytes(void);
/* What kernels print. It comes out when the program next waits for the device. */
void driver_print(const char *text, size_t bytes);

#endif
