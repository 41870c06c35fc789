/* SPDX-License-Identifier: MIT */
/* A second opinion: an interpreter of the device bitcode that clang made, one warp in lockstep,
 * with the reconvergence that AMD's compiler gives the same bitcode. It shares no code with
 * src/compiler.
 *
 * Which lanes run together. The blocks of a function stand in an order: topological but for back
 * edges, and a loop's blocks stand next to each other. Blocks run in this order, each once for all
 * lanes that wait there; behind a loop's last block those that came back to its header run the next
 * iteration, and who has left the loop waits until nobody comes back. So a block runs once in each
 * iteration of its innermost loop, for all lanes that reach it in that iteration. LLVM's
 * StructurizeCFG walks the very same order and gives each block one place in machine code;
 * README.md tells how that was checked.
 *
 * A call is run by the lanes that execute it together; one through a pointer serves the first
 * active lane's target with all who share it, and repeats. The warps of a block take turns at
 * barriers and at other blocks by chance. Whatever the interpreter has no meaning for stops it with
 * a message. */
#ifndef TESTS_EMULATE_H
#define TESTS_EMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct emu;

/* A module of `lanes` (32 or 64) to the warp; NULL and a message in `error` when it cannot be
 * read. */
struct emu *emu_create(const void *bitcode, size_t n_bytes, unsigned lanes, char error[256]);
void emu_destroy(struct emu *emu);

/* Memory of the host that kernels may reach; at most EMU_REGIONS. */
#define EMU_REGIONS 32
bool emu_map(struct emu *emu, void *base, size_t n_bytes);

/* The name of kernel number n, or NULL. */
const char *emu_kernel(struct emu *emu, unsigned n);

struct emu_launch {
    const char *kernel;
    uint32_t blocks[3], threads[3]; /* blocks of the grid, threads of a block */
    const void *args;               /* as they lie in the kernarg segment */
    size_t args_bytes;
    uint32_t dynamic_lds;
    uint64_t seed;                  /* of the warps' turns */
};

/* Runs a kernel to its end; false and a message when it cannot. */
bool emu_run(struct emu *emu, const struct emu_launch *launch, char error[256]);

#endif
